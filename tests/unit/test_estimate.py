# SPDX-License-Identifier: Apache-2.0
"""What a run of lockstep plans, and what its progress line reports."""

import json
import time

import pytest
from wlk import tables
from wlk.base import setup
from wlk.base.seeds import Seeds
from wlk.run import estimate, jobs


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """Two jobs whose builds take 10 s and whose 1,000 cycles take 5 s, by the last run."""
    monkeypatch.setattr(setup, "BUILD", tmp_path)
    known = {f"build {name}": 10.0 for name in tables.names()}
    known |= {f"cycle {name}": 0.005 for name in tables.names()}
    (tmp_path / estimate.FILE).write_text(json.dumps(known))
    run = jobs.Run(blocks=["collector", "hazard"], seeds=Seeds.one(1), cycles=1000)
    return jobs.plan(run)


def test_plan_is_one_configuration_a_block_unless_all_are_asked_for():
    one = jobs.plan(jobs.Run())
    assert [job.table.name for job in one] == tables.names()
    (collector,) = jobs.plan(jobs.Run(blocks=["collector"]))
    every = jobs.plan(jobs.Run(blocks=["collector"], all=True))
    assert [job.name for job in every] == list(tables.load("collector").configs)
    assert collector.name == every[0].name == "default"


def test_line_names_stages_and_the_time_left(plan):
    left = estimate.Estimate(plan, 2)
    assert left.note() == ""  # nothing has begun
    assert left.left() == 15.0  # both side by side
    assert estimate.Estimate(plan, 1).left() == 30.0
    plan[0].enter("compiling")
    plan[1].enter(jobs.RUNNING)
    plan[1].done = 250
    plan[0].since -= 4.0
    note = left.note()
    assert note.startswith("compiling collector default, running hazard default 25 %; about ")
    assert note.endswith(" 11 s left")  # the other 6 s of the build and the run behind it


def test_line_names_runs_as_the_command_does(plan):
    left = estimate.Estimate(plan, 2, ["collector (none)", "collector stuck"])
    for job in plan:
        job.enter("compiling")
    assert left.note().startswith("compiling collector (none), compiling collector stuck; about ")


def test_late_build_is_not_about_to_end(plan):
    left = estimate.Estimate(plan[:1], 1)
    plan[0].enter("compiling")
    plan[0].since -= 60.0  # six times as long as the last one
    assert left.left() == pytest.approx(25.0, abs=1.0)


def test_running_time_follows_what_is_measured(plan):
    left = estimate.Estimate(plan[:1], 1)
    plan[0].enter(jobs.RUNNING)
    plan[0].done, plan[0].since = 500, time.monotonic() - 60.0  # slower than last time
    assert left.left() == pytest.approx(60.0, abs=1.0)
    plan[0].enter("")
    assert left.left() == 0.0


def test_durations_are_kept_for_the_next_command(plan, tmp_path):
    left = estimate.Estimate(plan, 2)
    plan[0].spent = {"compiling": 7.0, "Verilating": 1.0, jobs.RUNNING: 2.0}
    plan[0].done = 1000
    left.keep()
    known = json.loads((tmp_path / estimate.FILE).read_text())
    assert known["build collector"] == 8.0
    assert known["cycle collector"] == 0.002
    assert known["build hazard"] == 10.0


def test_damaged_durations_are_ignored(plan, tmp_path):
    (tmp_path / estimate.FILE).write_text("{")
    assert estimate.Estimate(plan, 2).left() > 0.0
