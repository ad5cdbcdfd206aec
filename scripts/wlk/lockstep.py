# SPDX-License-Identifier: Apache-2.0
"""Execute lockstep runs: build the bench, settle open parameters, run the seeds."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from . import failures, harness, jobs, progress, report, verilate
from .errors import Status, WlkError
from .failures import Left
from .gen_sv import Harness
from .jobs import Job
from .report import Mismatch, Result
from .tables import Config, Table

PROBE_CYCLES = 4000
FAILURES = (
    Status.FUNCTIONAL_MISMATCH,
    Status.TIMING_DIVERGENCE,
    Status.PROTOCOL_VIOLATION,
    Status.HANG,
    Status.RTL_ASSERTION,
)
VERDICTS = {report.verdict_name(s): s for s in report.VERDICTS}


@dataclass
class Outcome:
    """A run's result and what a person should read."""

    result: Result
    messages: list[str] = field(default_factory=list)
    seconds: float = 0.0
    left: Left = field(default_factory=Left)


def execute(job: Job, announce: Callable[[Job, Outcome], None] = lambda *_: None) -> Outcome:
    """Build and run a job. What it leaves is written when the verdict has been announced."""
    try:
        outcome, leave = _execute(job)
        announce(job, outcome)
        outcome.left = leave()
    finally:
        job.enter("")
    return outcome


def _execute(job: Job) -> tuple[Outcome, Callable[[], Left]]:
    """The verdict, and what is left to write."""
    own = Harness(job.table, job.config, job.present, job.rtl.top)
    bound = [own, *(each.harness(job.config) for each in job.inside)]
    tool = verilate.find_tool(job.args.verilator)
    build = functools.partial(verilate.bench, own, job.rtl, bound=bound, tool=tool, stage=job.enter)
    job.enter("looking for a build of")
    try:
        program = build()
    except WlkError as error:
        if error.status != Status.BUILD_FAIL:
            raise
        message = f"{job.title}: {error.message}"
        return Outcome(_result(job, Status.BUILD_FAIL, {}), [message]), Left
    job.enter("trying parameters of")
    inferred = _infer(job, program)
    job.enter(jobs.RUNNING)
    start = time.monotonic()
    answer = harness.run(job, program, harness.words(job, **_picture(job)))
    seconds = time.monotonic() - start
    status = VERDICTS[answer["verdict"]]
    result = _result(job, status, answer, inferred, seconds)
    outcome = Outcome(result, _notes(job, answer, inferred), seconds)
    text = failures.text(job, answer) if job.args.keep and status in FAILURES else ""
    outcome.messages += [text] if text else []
    return outcome, functools.partial(_leave, job, build, answer, text)


def _leave(job: Job, build: Callable[..., Path], answer: dict, text: str) -> Left:
    """Write what a run leaves."""
    left = Left()
    if text:
        job.enter("shrinking the failure of")
        left = failures.leave(job, build, answer, text)
    elif job.args.waves:
        seed = job.args.seeds[0]
        left.attempt("waveform", lambda: failures.write_waves(job, build, seed, None))
    if "no_pipeline" in answer:
        left.lose("pipeline", Status.NO_SPACE, answer["no_pipeline"])
    return left


def _picture(job: Job) -> dict[str, object]:
    """The bench's words for the picture that is asked for."""
    path = job.args.pipeline
    return {} if path is None else {"pipeline": path, "force": int(job.args.force)}


def replay(
    table: Table, config: Config, path: Path, power_up: str, args: argparse.Namespace
) -> Result:
    """Drive RTL with the inputs of a record file. `args`: rtl, module, define, include."""
    words = [f"{key}={value}" for key, value in table.show(config).items()]
    run = jobs.Run(
        rtl=args.rtl,
        module=args.module,
        define=args.define,
        include=args.include,
        config=words,
        power_up="zero" if power_up == "zero" else "random",
    )
    job = jobs.rtl_job(table, run)
    own = Harness(table, job.config, job.present, job.rtl.top)
    with progress.watched(f"playing {path} into the RTL", lambda: job.stage):
        program = verilate.bench(own, job.rtl, stage=job.enter)
        job.enter(jobs.RUNNING)
        answer = harness.run(job, program, harness.words(job, replay=path))
    result = _result(job, VERDICTS[answer["verdict"]], answer)
    extra = {"file": str(path), "match": job.matched.kind}
    return dataclasses.replace(result, extra=extra | harness.findings(answer))


def _infer(job: Job, program: Path) -> dict[str, str]:
    """Settle what the ports leave open by trying each candidate; says how each was found."""
    if job.matched is None:
        return {}
    how = {p.name: p.how for p in job.matched.params.values() if p.how not in ("ports", "given")}
    if not any(item.ambiguous for item in job.matched.params.values()):
        return job.table.fold(how, job.config)
    passes, job.config = _probe(job, program)
    found = "behaviour" if passes else "closest, none passes"
    for item in job.matched.params.values():
        if item.ambiguous:
            show = job.table.params[item.name].show
            values = "|".join(map(show, item.possible))
            how[item.name] = f"{found}: {show(job.config[item.name])} of {values}"
    return job.table.fold(how, job.config)


def _probe(job: Job, program: Path) -> tuple[bool, Config]:
    """The first candidate that passes a short run; if none does, the one that came furthest."""
    furthest, best = None, job.candidates[0]
    wanted, known = job.candidates, []
    while wanted:
        before = furthest
        for config in wanted:
            score = _score(job, program, config)
            if score is None:
                return True, config
            if furthest is None or score > furthest:
                furthest, best = score, config
        known += wanted
        near = _near(job, best) if furthest != before else []
        wanted = [config for config in near if config not in known]
    return False, best


def _near(job: Job, config: Config) -> list[Config]:
    """Legal configurations with another value of one of the lists' open parameters: each entry can
    be found alone, the one that differs first before the others."""
    loose = [p for p in job.matched.params.values() if p.ambiguous]
    loose = [p for p in loose if job.table.params[p.name].list_of]
    changed = [config | {item.name: value} for item in loose for value in item.possible]
    return [each for each in changed if job.table.refusal(each) is None]


def _score(job: Job, program: Path, config: Config) -> int | None:
    """How near to right a configuration is, by a short run; None: there is no difference."""
    job.config = config
    words = harness.words(job, last=job.args.seeds[0], cycles=PROBE_CYCLES, program=None)
    answer = harness.run(job, program, words)
    if answer["verdict"] in ("PASS", "VACUOUS", "RTL_ASSERTION"):
        return None
    failure = answer.get("failure", {})
    if job.table.clock is None:  # a first difference early on says nothing
        return -failure.get("mismatched_bits", 0)
    return failure.get("first", {}).get("cycle", 0)


# ---- what came out ------------------------------------------------------------------------------


def _first(answer: dict) -> Mismatch | None:
    first = answer.get("failure", {}).get("first")
    if first is None or "port" not in first:
        return None
    values = {k: int(first[k], 16) for k in ("expected", "got", "care")}
    return Mismatch(first["cycle"], first["port"], **values)


def _result(
    job: Job,
    status: Status,
    answer: dict,
    inferred: dict[str, str] | None = None,
    seconds: float = 0.0,
) -> Result:
    cycles = answer.get("cycles", 0)
    coverage = answer.get("coverage", {})
    wanted = [c for c in coverage.values() if c["floor"]]
    extra = {
        "name": job.name,
        "seeds": [job.args.seeds[0], job.args.seeds[-1]],
        "cycles_per_second": round(cycles / seconds) if seconds else 0,
        "coverage": coverage,
        "floors_met": sum(c["hits"] >= c["floor"] for c in wanted),
        "floors": len(wanted),
    }
    if job.matched is not None:
        extra["inferred"] = inferred or {}
        extra["match"] = job.matched.kind
        extra["not_compared"] = job.matched.missing_outputs
        extra["tied_off"] = job.matched.tied_off
    return Result(
        block=job.table.name,
        module=job.rtl.top,
        config=job.table.show(job.config),
        cycles=cycles,
        compared_bits=answer.get("compared_bits", 0),
        masked_bits=answer.get("masked_bits", 0),
        verdict=status,
        first=_first(answer),
        extra=extra | _told(job, answer),
    )


def _told(job: Job, answer: dict) -> dict:
    """What the bench tells of a failure, and the checkers it had."""
    told = {}
    if "at_fault" in answer:
        told["at_fault"] = answer["at_fault"]
    if job.table.instances:
        told["checkers"] = [job.table.name, *(each.table.name for each in job.inside)]
    for key in ("seed", "barely_compared", "stuck"):
        if answer.get(key):
            told[key] = answer[key]
    return told | harness.findings(answer)


def rows(results: Iterable[Result]) -> list[tuple]:
    """Rows of the summary table; the first cell is the job's title."""
    return [
        (
            f"{r.block} {r.extra['name']}",
            r.block,
            r.extra["name"],
            r.cycles,
            r.compared_bits,
            r.masked_bits,
            f"{r.extra['floors_met']}/{r.extra['floors']}",
            r.extra["cycles_per_second"],
            r.verdict,
        )
        for r in results
    ]


def _notes(job: Job, answer: dict, inferred: dict[str, str]) -> list[str]:
    notes = [f"{job.title}: warning: {text}" for text in job.table.warnings(job.config)]
    if job.matched is not None:
        notes.append(f"{job.title}: config {job.table.text(job.config)}")
        notes += [f"  {note}" for note in job.notes]
        for name, how in inferred.items():
            if how.startswith(("behaviour", "closest")):
                notes.append(f"  {name} found by {how}; pin it with --config {name}=VALUE")
        if job.matched.missing_outputs:
            notes.append(
                "  not compared (not in the RTL): " + ", ".join(job.matched.missing_outputs)
            )
        if job.matched.tied_off:
            notes.append("  tied off (no rule reads them): " + ", ".join(job.matched.tied_off))
    low = [n for n, c in answer.get("coverage", {}).items() if c["hits"] < c["floor"]]
    if low and answer["verdict"] == "VACUOUS":
        notes.append(
            f"{job.title}: under their floors: {', '.join(low)}; run more cycles or profile mix"
        )
    if answer.get("barely_compared") and answer["verdict"] == "VACUOUS":
        notes.append(f"{job.title}: barely compared: {', '.join(answer['barely_compared'])}")
    return notes + harness.notes(job.title, answer)
