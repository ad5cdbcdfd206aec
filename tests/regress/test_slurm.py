# SPDX-License-Identifier: Apache-2.0
"""Judging on a cluster: a real Slurm of one node gives the verdicts of a run without it."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from programs import refused, started, wait_for, warplock
from wlk.base import setup
from wlk.base.errors import Status
from wlk.regress import slurm
from wlk.regress import store as database

sys.path.insert(0, str(Path(__file__).parent))
import history  # noqa: E402
import one_node  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.needs("prove", "git", "slurm")]
PLACE = setup.BUILD / "test" / "slurm"
STORE = PLACE / "store"  # one place for all, so that builds are made once
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
    return (*asked, "--blocks", "scoreboard", "--seeds", "1", "--cycles", "4000")


def fresh():
    shutil.rmtree(STORE, ignore_errors=True)


def rows():
    """What the database holds, without times."""
    base = sqlite3.connect(STORE / database.NAME)
    found = base.execute("SELECT commit_id, block, config, verdict, settled_by FROM verdict")
    more = base.execute("SELECT key, block, config, commit_id, verdict FROM result")
    proofs = base.execute("SELECT asked, old, new, verdict FROM proof")
    return sorted(map(str, [*found, *more, *proofs]))


@pytest.fixture(scope="module")
def local(words):
    """The rows of a run without it."""
    fresh()
    done = warplock(*words, code=Status.FUNCTIONAL_MISMATCH)
    assert {row["settled_by"] for row in done.objects} == {"simulated", "proved", "same"}
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


def test_lost_tasks_are_submitted_again(cluster, words, local, tmp_path, monkeypatch):
    """The first time, each task ends at once."""
    once = f"[ -e {tmp_path}/lost ] || {{ touch {tmp_path}/lost; set -- --parsable --array=0-1 "
    once += "--output=/dev/null --wrap 'exit 9'; }"
    monkeypatch.setenv("PATH", ahead(tmp_path, "sbatch", once))
    monkeypatch.setattr(slurm, "PATIENCE", 0.5)
    fresh()
    done = warplock(*words, *SLURM, code=Status.FUNCTIONAL_MISMATCH)
    assert "tasks of Slurm were lost (it printed nothing): submitted again" in done.err
    assert rows() == local


def test_tasks_that_are_always_lost_end_the_run(cluster, words, tmp_path, monkeypatch):
    always = "set -- --parsable --array=0-1 --output=/dev/null --wrap 'exit 9'"
    monkeypatch.setenv("PATH", ahead(tmp_path, "sbatch", always))
    monkeypatch.setattr(slurm, "PATIENCE", 0.1)
    fresh()
    done = warplock(*words, *SLURM, code=Status.NO_TOOL)
    assert f"tasks of Slurm ended {slurm.ATTEMPTS} times without an answer" in done.last


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
    queue = ["squeue", "--noheader"]
    wait_for(lambda: not subprocess.run(queue, capture_output=True, check=True).stdout)


def test_without_slurm_it_is_refused(words, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    done = warplock("regress", "--repo", PLACE, *SLURM, "--no-setup", code=None)
    refused(done, Status.NO_TOOL, "sbatch is missing")


def test_options_that_slurm_refuses_are_shown(cluster, words):
    fresh()
    done = warplock(*words, *SLURM, "--slurm-options=--partition=nowhere", code=Status.NO_TOOL)
    assert "Invalid partition" in done.last
    assert "--slurm-options" in done.last
