# SPDX-License-Identifier: Apache-2.0
"""The second opinion on a failure: the other Verilator runs the same stimulus.

RTL is not blamed by one simulator alone. The other Verilator plays the shrunk stimulus, with
registers at 0 and then at random values. If no failure appears, it runs the whole seed. If the RTL
fails in one simulator and not in the other, with the same values at power-up, the two simulators
disagree, and the verdict is SIMULATOR.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import report
from ..base.errors import Status, WlkError
from ..base.seeds import Seeds
from . import harness, jobs, verilate
from .jobs import Job

SEEDS = range(1, 9)  # of random values at power-up
START = "reset"  # registers are 0, and the model knows nothing before the reset
Build = Callable[..., Path]


@dataclass(frozen=True)
class Opinion:
    """What the other Verilator shows."""

    simulator: str
    agrees: bool | None  # None: it could not be asked, or it is a matter of power-up
    why: str  # in words

    def json(self) -> dict[str, Any]:
        """The key `second_opinion` of the answer."""
        return {"simulator": self.simulator, "agrees": self.agrees, "text": self.why}

    def line(self) -> str:
        """For a person."""
        return f"  second opinion: {self.why}"


def of(job: Job, build: Callable[[Job], Build], answer: dict, stimulus: Path | None) -> Opinion:
    """Ask the other Verilator about a failure. `build`: what builds the harness of a job;
    `stimulus`: the shrunk one, if there is one."""
    own = verilate.version(verilate.find_tool(job.args.verilator))
    which = verilate.other(job.args.verilator)
    there = dataclasses.replace(job, args=dataclasses.replace(job.args, verilator=which))
    try:
        name = verilate.version(verilate.find_tool(which))
        program = build(there)(optimize=verilate.FAST, trace=False)
    except WlkError as error:
        if error.status not in (Status.NO_TOOL, Status.BUILD_FAIL):
            raise
        return Opinion(which, None, f"none, for {error.message}")
    if stimulus is not None and _fails(there, program, stimulus):
        return Opinion(name, True, f"{name} shows the failure too")
    if _seed_fails(there, program, answer):
        return Opinion(name, True, f"{name} shows a failure in this seed too")
    if stimulus is None or not _plays(job, build(job)(), stimulus, START, 1):
        why = f"{name} does not show the failure, which rests on values at power-up"
        return Opinion(name, None, why)
    why = f"{own} shows the failure and {name} does not, from the same values at power-up"
    return Opinion(name, False, f"{why}: one of them misreads this RTL{_cause(job)}")


def _cause(job: Job) -> str:
    """The first place that simulators may well read otherwise, if one is known."""
    from ..fit import alike  # needs slang

    try:
        alike.require(job.fit.module)
    except WlkError as error:
        return f"; perhaps at {error.message}"
    return ""


def _fails(job: Job, program: Path, stimulus: Path) -> bool:
    """Does the RTL fail with this stimulus, from some values at power-up?"""
    starts = [(START, 1)]
    starts += [("unknown", seed) for seed in SEEDS if job.args.power_up == "unknown"]
    return any(_plays(job, program, stimulus, *start) for start in starts)


def _plays(job: Job, program: Path, stimulus: Path, power_up: str, seed: int) -> bool:
    more = {"replay": stimulus, "power_up": power_up, "seeds": Seeds.one(seed)}
    return _is_failure(harness.run(job, program, harness.words(job, **more)))


def _seed_fails(job: Job, program: Path, answer: dict) -> bool:
    seed = answer.get("seed", job.args.seeds.first)
    return _is_failure(harness.run(job, program, harness.words(job, Seeds.one(seed))))


def _is_failure(answer: dict) -> bool:
    return report.verdict_of(answer["verdict"]) in jobs.FAILURES
