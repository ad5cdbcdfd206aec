# SPDX-License-Identifier: Apache-2.0
"""Judging on a cluster: a real Slurm of one node gives the verdicts of a run without it."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from programs import refused, started, wait_for, warplock
from wlk.base import setup
from wlk.base.errors import Status
from wlk.regress import store as database
from wlk.run import cluster as slurm

sys.path.insert(0, str(Path(__file__).parent))
import history  # noqa: E402
import one_node  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.needs("prove", "git", "slurm")]
PLACE = setup.BUILD / "test" / "slurm"
# One place for all, so that builds are made once; relative, as a person may give it.
STORE = Path(os.path.relpath(PLACE / "store"))
LAST = "Mend: Commit without a look at success"
SLURM = ("--launcher", "slurm")


@pytest.fixture(scope="module")
def cluster():
    """Slurm of one node."""
    place = Path(tempfile.mkdtemp(prefix="wlk-"))
    try:
        with one_node.started(place):
            yield
    except one_node.CannotStartError as error:
        pytest.skip(f"a Slurm of one node does not start here: {error}")
    finally:
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="module")
def words():
    """What is asked of a history: a simulation, a proof, a fault and its mending."""
    shutil.rmtree(PLACE, ignore_errors=True)
    past = history.History(PLACE / "chip", short=True)
    past.make()
    first = past.git("rev-list", "--max-parents=0", "HEAD").strip()
    span = f"{first}..{past.ids[LAST]}"
    asked = ("regress", "--repo", past.place, "--range", span, "--store", STORE, "--json")
    return (*asked, "--block", "scoreboard", "--seeds", "1", "--cycles", "4000")


def fresh():
    shutil.rmtree(STORE, ignore_errors=True)


def rows():
    """What the database holds, without times, which are in names of reports too."""
    base = sqlite3.connect(STORE / database.NAME)
    plain = "json_remove({}, '$.seconds', '$.shrunk.file')"
    found = base.execute(f"SELECT asked, {plain.format('row')} FROM verdict")
    fields = f"asked, key, block, config, commit_id, verdict, {plain.format('answer')}"
    more = base.execute(f"SELECT {fields} FROM result")
    proofs = base.execute("SELECT asked, old, new, verdict FROM proof")
    return sorted(map(str, [*found, *more, *proofs]))


def is_idle() -> bool:
    """Has Slurm no job?"""
    queue = ["squeue", "--noheader"]
    return not subprocess.run(queue, capture_output=True, check=True).stdout


@pytest.fixture(scope="module")
def local(words):
    """The rows of a run without it."""
    fresh()
    done = warplock(*words, code=Status.FUNCTIONAL_MISMATCH)
    assert {row["settled_by"] for row in done.objects} == {"simulated", "proved", "same"}
    shutil.copy(STORE / database.NAME, PLACE / database.NAME)
    return rows()


def test_slurm_gives_the_local_verdicts(cluster, words, local):
    fresh()
    warplock(*words, *SLURM, code=Status.FUNCTIONAL_MISMATCH)
    assert rows() == local
    assert [*(STORE / "slurm").iterdir()] == []


def ahead(place: Path, name: str, body: str) -> str:
    """A PATH with a shell script ahead of a program of that name."""
    script = place / name
    script.write_text(f'#!/bin/sh\n{body}\nexec {shutil.which(name)} "$@"\n')
    script.chmod(0o755)
    return f"{place}:{os.environ['PATH']}"


def running() -> list[int]:
    """The simulations and proofs that tasks run: their process ids."""
    found = []
    for log in STORE.glob("logs/*.txt"):
        with contextlib.suppress(OSError):  # it has ended
            task = log.stem.split("-")[-2]
            children = Path(f"/proc/{task}/task/{task}/children").read_text().split()
            lines = {pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in children}
            found += [int(pid) for pid, line in lines.items() if "--reports" in line]
    return found


def kill_one() -> None:
    """As when a machine has no memory left."""
    wait_for(running, 60)
    os.kill(running()[0], signal.SIGKILL)


def test_lost_task_is_submitted_again(cluster, words, local, monkeypatch):
    monkeypatch.setattr(slurm, "PATIENCE", 0.5)
    monkeypatch.setattr(slurm, "ASKS", 0.5)
    fresh()
    killer = threading.Thread(target=kill_one)
    killer.start()
    done = warplock(*words, *SLURM, code=Status.FUNCTIONAL_MISMATCH)
    killer.join()
    assert "1 tasks of Slurm were lost (" in done.err
    assert "ended with -9" in done.err
    assert rows() == local


def test_known_proof_is_not_asked_again(cluster, words, local):
    """A run was killed between a proof, which did not end in time, and the simulation."""
    fresh()
    STORE.mkdir()
    shutil.copy(PLACE / database.NAME, STORE)
    with sqlite3.connect(STORE / database.NAME) as base:
        base.executescript(
            "DELETE FROM result; DELETE FROM verdict; UPDATE proof SET verdict = 'BOUNDED'"
        )
    done = warplock(*words, *SLURM, code=Status.FUNCTIONAL_MISMATCH)
    assert {row["settled_by"] for row in done.objects} == {"simulated", "same"}


def test_tasks_that_are_always_lost_end_the_run(cluster, words, tmp_path, monkeypatch):
    always = "set -- --parsable --array=0-1 --output=/dev/null --wrap 'exit 9'"
    monkeypatch.setenv("PATH", ahead(tmp_path, "sbatch", always))
    monkeypatch.setattr(slurm, "PATIENCE", 0.1)
    monkeypatch.setattr(slurm, "ASKS", 0.1)
    fresh()
    done = warplock(*words, *SLURM, code=Status.NO_TOOL)
    assert f"tasks of Slurm ended {slurm.ATTEMPTS} times without an answer" in done.last


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, Status.INTERRUPTED), (signal.SIGTERM, 143)]
)
def test_interrupted_run_ends_its_tasks(cluster, words, number, code):
    fresh()
    process = started(*words, *SLURM, "--slurm-options=--begin=now+9hours")
    wait_for(lambda: not is_idle(), 60)
    process.send_signal(number)
    process.communicate()
    assert process.returncode == code
    assert [*(STORE / "slurm").iterdir()] == []
    wait_for(is_idle)


def test_killed_run_leaves_its_tasks_to_the_next(cluster, words, local):
    """The next run ends them and takes in what they found."""
    fresh()
    process = started(*words, *SLURM, start_new_session=True)
    wait_for(lambda: [*STORE.glob("slurm/*/*.rows")], 60)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert [*(STORE / "slurm").iterdir()] != []
    warplock(*words, code=Status.FUNCTIONAL_MISMATCH)
    assert rows() == local
    wait_for(is_idle)


def test_without_slurm_it_is_refused(words, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    done = warplock("regress", "--repo", PLACE, *SLURM, "--no-setup", code=None)
    refused(done, Status.NO_TOOL, "sbatch is missing")


def test_options_that_slurm_refuses_are_shown(cluster, words, tmp_path):
    fresh()
    path = tmp_path / "settings.toml"
    path.write_text(f"{history.SETTINGS.partition('[[')[0]}slurm_options = '--partition=nowhere'")
    done = warplock(*words, *SLURM, "--settings", path, code=Status.NO_TOOL)
    assert "Invalid partition" in done.last
    assert "--slurm-options" in done.last


@pytest.mark.parametrize(
    ("more", "part"),
    [
        ((*SLURM, "--slurm-options='"), "No closing quotation"),
        (("--slurm-options=--mem=1G",), "--launcher slurm"),
    ],
)
def test_options_that_are_none_are_refused(cluster, words, more, part):
    assert part in warplock(*words, *more, code=Status.USAGE).last
