# SPDX-License-Identifier: Apache-2.0
"""Sweeps on a cluster: a real Slurm of one node gives the rows of a run without it."""

import os
import shutil
import signal
import sqlite3
import sys
import tempfile
from pathlib import Path

import pytest
from programs import python, refused, wait_for, warplock
from wlk.base import setup
from wlk.base.errors import Status
from wlk.explore import explore

sys.path.insert(0, str(Path(__file__).parent))
import one_node  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.needs("slurm")]
RUNNER = Path(__file__).parents[1] / "unit" / "explore_runner.py"
PLACE = setup.BUILD / "test" / "explore-slurm"
SLURM = ("--launcher", "slurm")
WORDS = ("--point", "src,minimal,inst,caching", "--workload", "mixed,fma", "--seeds", "1..50")


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


@pytest.fixture(autouse=True)
def runner(monkeypatch):
    monkeypatch.setattr(explore, "runner", lambda: RUNNER)
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)


def rows(name):
    base = sqlite3.connect(PLACE / name)
    return base.execute("SELECT * FROM run ORDER BY point, workload, seed").fetchall()


def test_explore_slurm_gives_the_rows_of_a_local_run(cluster):
    warplock("explore", *WORDS, "--db", PLACE / "local.sqlite")
    warplock("explore", *WORDS, "--db", PLACE / "slurm.sqlite", *SLURM)
    assert rows("slurm.sqlite") == rows("local.sqlite")
    assert len(rows("slurm.sqlite")) == 400
    assert [*(PLACE / "slurm.sqlite-slurm").iterdir()] == []


def test_explore_slurm_goes_on_where_it_was_killed(cluster):
    words = ("explore", "--no-setup", *WORDS, "--db", PLACE / "slurm.sqlite", *SLURM)
    environment = {"EXPLORE_PAUSE": 0.01, "PYTHONPATH": ""}
    process = python(RUNNER, *words, env=environment, start_new_session=True)
    wait_for(lambda: [*PLACE.glob("slurm.sqlite-slurm/*/0.log")], 60)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    warplock("explore", *WORDS, "--db", PLACE / "slurm.sqlite", *SLURM)
    warplock("explore", *WORDS, "--db", PLACE / "local.sqlite")
    assert rows("slurm.sqlite") == rows("local.sqlite")


def test_explore_without_slurm_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    refused(warplock("explore", *WORDS, *SLURM, code=None), Status.NO_TOOL, "sbatch is missing")


def test_explore_options_of_slurm_go_with_it():
    done = warplock("explore", *WORDS, "--slurm-options=--mem=1G", code=None)
    refused(done, Status.USAGE, "--launcher slurm")
