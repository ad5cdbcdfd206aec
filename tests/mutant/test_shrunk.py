# SPDX-License-Identifier: Apache-2.0
"""A failure is shrunk to what can be read, and the shrunk file shows it again.

`warplock test --full` looks at every listed fault, and plays the file as the printed command does;
else at one a block, of those that test_faults.py builds.
"""

import dataclasses
import re
import resource
import statistics
from pathlib import Path

import programs
import pytest
from wlk import tables
from wlk.base import reports
from wlk.base.errors import Status
from wlk.base.seeds import Seeds
from wlk.run import failures, harness, jobs, lockstep, vectors, waves
from wlk.run import mutate as injector

BLOCKS = tables.names()
MEDIAN, LONGEST = 15, 2_500  # cycles; a counter that runs over needs as many
SECONDS = 10  # of a processor, for a shrink
# Nothing but an assertion at the end of a run, or a rule that the module's own wires break.
UNSHRUNK = (Status.RTL_ASSERTION, Status.PROTOCOL_VIOLATION)


@dataclasses.dataclass
class Shrunk:
    """What came of a fault."""

    fault: str
    verdict: Status
    port: str | None
    cycles: int = 0
    seconds: float = 0.0
    again: str | None = None  # the port that differs when the file is played


def kind(port):
    """A port, but for the element of an array."""
    return port and re.sub(r"\d+", "#", port)


def trials(block):
    """The listed faults, not those of ports: their module is one for all."""
    asked = injector.Mutate(blocks=[block], short=not programs.FULL, slice=programs.SLICE)
    listed = [t for t in injector._trials(block, asked) if t.fault.changes]
    return listed if programs.FULL else listed[:1]


def play(trial, file, seed):
    """The port that differs first, by the command that a report prints, or in the same build."""
    if programs.FULL:
        source = jobs.RtlSource(rtl=trial.job.rtl.files, module=trial.job.rtl.top)
        how = {"seed": vectors.read_header(file).seed}
        result = lockstep.replay(trial.table, trial.config, file, "unknown", source, **how).result
        return result.first and result.first.port
    words = harness.words(trial.job, replay=file, seeds=Seeds.one(seed))
    answer = harness.run(trial.job, lockstep.builder(trial.job)(), words)
    return answer.get("failure", {}).get("first", {}).get("port")


def shrink(trial, folder, monkeypatch):
    """Run a fault as `lockstep` does, and play what is left."""
    files = injector.mutant(trial.table, trial.fault, trial.job.rtl.files)
    trial.job.rtl = dataclasses.replace(trial.job.rtl, files=files)
    trial.job.args = dataclasses.replace(
        trial.job.args, keep=True, folder=reports.Folder(folder / "reports")
    )
    spent = []
    short = failures.shrink

    def timed(*args):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer = short(*args)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime - before.ru_utime)
        return answer

    monkeypatch.setattr(failures, "shrink", timed)
    monkeypatch.setattr(waves, "of_seed", lambda *_: None)  # a second build
    result = lockstep.execute(trial.job).result
    monkeypatch.undo()
    first = result.first.port if result.first else None
    found = Shrunk(trial.fault.name, result.verdict, first)
    if (left := result.extra.get("shrunk")) is not None:
        found.cycles, found.seconds = left["cycles"], spent[0]
        found.again = play(trial, Path(left["file"]), result.extra["seed"])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS)
def test_faults_are_shrunk_and_show_again(block, tmp_path, monkeypatch):
    found = [shrink(t, tmp_path / t.fault.name, monkeypatch) for t in trials(block)]
    assert found
    for each in found:
        print(each)
    left = [each for each in found if each.cycles]
    assert {each.verdict for each in found if not each.cycles} <= {*UNSHRUNK, Status.OK}
    assert [each for each in left if kind(each.again) != kind(each.port)] == []
    assert [each for each in left if each.cycles > LONGEST or each.seconds > SECONDS] == []
    if programs.FULL:
        assert statistics.median(each.cycles for each in left) <= MEDIAN
