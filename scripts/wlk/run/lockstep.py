# SPDX-License-Identifier: Apache-2.0
"""One lockstep run, RTL and model side by side: build the harness, settle parameters that the
ports leave open, run the seeds, and put the answer together."""

import contextlib
import dataclasses
import functools
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import tables
from ..base import options, progress, report
from ..base.entries import Entry
from ..base.errors import Status, WlkError
from ..base.report import Mismatch, Result
from ..base.seeds import Seeds
from ..fit import match, readings, waivers
from ..fit.search import Subject
from ..gen.sv import Harness
from ..tables import Config, Table
from . import covered, failures, harness, jobs, opinion, probe, verilate, waves
from .failures import Left
from .jobs import Job

RETRIES = 3  # of a run in other parameters, when those that passed the probe fail


@dataclass
class Outcome:
    """A run's result and what a person should read."""

    result: Result
    messages: list[str] = field(default_factory=list)
    seconds: float = 0.0  # with builds, and what it leaves
    left: Left = field(default_factory=Left)
    text: str = ""  # the report of a failure, which is among the messages
    repeat: str = ""  # the command that shows it again
    first: Mapping[str, Any] = field(default_factory=dict)  # the first difference, or broken rule

    def entry(self) -> Entry:
        """As others see it."""
        notes = [line.strip() for line in self.messages if line != self.text]
        notes += [line.strip() for line in self.left.lines if line not in self.left.quoted]
        return Entry(
            self.result.json(),
            self.result.extra.get("name") or report.config_text(self.result.config),
            self.text,
            self.repeat,
            notes,
            self.seconds,
            first=self.first,
        )


Tell = Callable[[Job, Outcome], None]


def execute(job: Job, announce: Tell = lambda *_: None, answer: Tell = lambda *_: None) -> Outcome:
    """Build and run a job. What it leaves is written when the verdict has been announced; then it
    is answered."""
    try:
        outcome, leave = _execute(job)
        announce(job, outcome)
        try:
            outcome.left = leave()
            outcome.result.extra = {**outcome.result.extra, **outcome.left.json()}
        finally:
            answer(job, outcome)
    finally:
        job.enter("")
    outcome.seconds = sum(job.spent.values()) - job.spent.get(jobs.WAITING, 0.0)
    return outcome


def _execute(job: Job) -> tuple[Outcome, Callable[[], Left]]:
    """The verdict, and what is left to write."""
    build = builder(job)
    job.enter("looking for a build of")
    try:
        program = build()
    except WlkError as error:
        if error.status != Status.BUILD_FAIL:
            raise
        message = f"{job.title}: {error.message}"
        return Outcome(_result(job, Status.BUILD_FAIL, {}), [message]), Left
    job.enter("trying parameters of")
    subject = probe.explore(job, program)
    job.enter(jobs.RUNNING)
    seeds = covered.Seeds(job, waits=subject is not None)
    start = time.monotonic()
    try:
        answer = _run(job, program, subject, seeds)
    finally:
        seeds.write()
    seconds = time.monotonic() - start
    told = report.verdict_of(answer["verdict"])
    status = readings.verdict(told, subject, job.args.accept_inferred)
    result = _result(job, status, answer, subject, seconds)
    outcome = Outcome(result, _notes(job, answer, subject))
    if status != told:
        outcome.text = "\n".join([f"{job.title}: AMBIGUOUS", *readings.ambiguous(subject)])
        outcome.messages.append(outcome.text)
    if subject is not None and not subject.chosen.passed:
        job.advice = readings.failing(subject)
    text, left = "", Left()
    if seeds.lost is not None:
        left.lose("coverage", seeds.lost.status, seeds.lost.message)
    if job.args.keep and status in jobs.FAILURES:
        text = _report(job, program, answer, outcome, left)
    return outcome, functools.partial(_leave, job, build, answer, text, left)


def _report(job: Job, program: Path, answer: dict, outcome: Outcome, left: Left) -> str:
    """Shrink a failure, and report it; the text of the report. A user's RTL is blamed only where
    the other Verilator does not contradict."""
    job.enter("shrinking the failure of")
    shrunk = failures.shrink(job, program, answer, left)
    found = shrunk.json() if shrunk is not None else {}
    said = []
    if job.args.rtl:
        job.enter("asking the other Verilator about")
        stimulus = shrunk.file if shrunk is not None else None
        second = opinion.of(job, builder, answer, stimulus)
        found |= {"second_opinion": second.json()}
        said = [second.line()]
        if second.agrees is False:
            outcome.result.verdict = Status.SIMULATOR
            outcome.messages.append(f"{job.title}: SIMULATOR: {second.why}")
    text = failures.text(job, answer, shrunk, said=said)
    outcome.messages.append(text)
    outcome.text, outcome.repeat = text, failures.repeat(job, answer)
    outcome.first = answer.get("failure", {}).get("first", {})
    outcome.result.extra = {**outcome.result.extra, **found}
    return text


def builder(job: Job) -> Callable[..., Path]:
    """Builds the harness. Waveforms of a user's RTL are built in, so that a failure needs no second
    build; a stub, which is not expected to fail, builds faster without."""
    job.built = jobs.build_config(job.table, job.config)
    tied = job.matched.tied if job.matched is not None else {}
    own = Harness(
        job.table, job.built, job.present, job.rtl.top, tied=tied, async_reset=job.is_async
    )
    bound = [each.harness(job.built, job.is_async) for each in job.inside]
    is_direct = job.args.via == "ports"
    tool = verilate.find_tool(job.args.verilator)
    wanted = bool(job.args.rtl) or job.args.waves
    cycles = job.args.seeds.count * (job.args.cycles or jobs.CYCLES)
    return functools.partial(
        verilate.harness_program,
        own,
        job.rtl,
        bound=bound if is_direct else [own, *bound],
        is_direct=is_direct,
        tool=tool,
        trace=wanted and verilate.can_trace(tool),
        is_short=cycles <= verilate.SHORT,
        stage=job.enter,
    )


def _leave(job: Job, build: Callable[..., Path], answer: dict, text: str, left: Left) -> Left:
    """Write what a run leaves."""
    if text:
        job.enter("writing the waveform of")
        failures.leave(job, build, answer, text, left)
    elif job.args.waves:
        failures.leave_waves(job, build, answer, job.args.seeds.first, None, left)
    if "no_pipeline" in answer:
        left.lose("pipeline", Status.NO_SPACE, answer["no_pipeline"])
    elif job.args.pipeline is not None:
        left.pipeline = job.args.pipeline
        left.lines.append(f"  pipeline, for Konata: {left.pipeline}")
    return left


def replay(
    table: Table,
    config: Config,
    path: Path,
    power_up: str,
    source: jobs.Simulated,
    *,
    seed: int = 1,
    wave: Path | None = None,
    waiving: waivers.Waiving | None = None,
) -> Outcome:
    """Drive RTL with the inputs of a record file; the report of a failure is the first message.
    `seed`: how the RTL powers up where that is random."""
    run = jobs.Run(
        **vars(options.of(jobs.Simulated, source)),
        config=[f"{key}={value}" for key, value in table.show(config).items()],
        seeds=Seeds.one(seed),
        cycles=1,
        bind="stage",
        power_up=power_up,
        **vars(waiving or waivers.Waiving()),
    )
    job = jobs.rtl_job(table, run)
    build = builder(job)
    with progress.watched(f"playing {path} into the RTL", lambda: job.stage):
        program = build()
        job.enter(jobs.RUNNING)
        answer = harness.run(job, program, harness.words(job, replay=path))
    result = _result(job, report.verdict_of(answer["verdict"]), answer)
    extra = {"file": str(path), "match": job.matched.kind} | _compared(job)
    extra |= run.waivers.shown(answer)
    run.waivers.note(result.verdict, job.checked(), extra.get("waived"))
    result = dataclasses.replace(result, extra=extra | harness.findings(answer))
    outcome = Outcome(result, waivers.lines(extra))
    if result.verdict in jobs.FAILURES:
        text = failures.text(job, answer, play=path)
        repeat = failures.repeat(job, answer, path)
        outcome = Outcome(result, [text, *waivers.lines(extra)], text=text, repeat=repeat)
    if wave is not None:
        outcome.left.attempt("waveform", lambda: waves.trace(job, build, wave, replay=path))
    if outcome.text:
        with contextlib.suppress(OSError):  # no room: no quotes
            _quote(job, build, answer, path, outcome, wave)
    if wave is not None:
        outcome.left.open(job, answer, wave, 0)
    outcome.result.extra = {**outcome.result.extra, **outcome.left.json()}
    return outcome


def _quote(
    job: Job,
    build: Callable[..., Path],
    answer: dict,
    path: Path,
    to: Outcome,
    wave: Path | None,
) -> None:
    """The RTL behind the difference of a played file, with its waveform or one for it alone."""
    left = Left()
    with tempfile.TemporaryDirectory(prefix=progress.SCRATCH) as folder:
        if wave is None:
            wave = Path(folder) / waves.FILE
            left.attempt("waveform", lambda: waves.trace(job, build, wave, replay=path))
            left.lines.clear()  # nobody has asked for the waveform
        failures.quote(job, answer, wave, left)
    to.messages += ["\n".join(left.lines)] if left.lines else []
    to.left.rtl_lines = left.rtl_lines


def _run(job: Job, program: Path, subject: Subject | None, seeds: covered.Seeds) -> dict:
    """Run the seeds; when parameters that passed the probe fail later on, choose anew."""
    picture = {"pipeline": job.args.pipeline, "force": int(job.args.force)}
    more: dict[str, object] = {"jobs": job.workers}
    more |= {"keep_going": 1} if job.args.keep_going else {}
    more |= picture if job.args.pipeline is not None else {}
    more |= seeds.words()
    for _ in range(RETRIES):
        seeds.begin()
        answer = harness.run(job, program, harness.words(job, **more), seeds.take)
        passes = answer["verdict"] in ("PASS", "VACUOUS", "RTL_ASSERTION")
        if subject is None or passes or not subject.chosen.passed:
            break
        before = job.config
        probe.judge(job, program, subject, answer.get("seed"))
        job.config = subject.chosen.config
        if job.config == before:
            break
    return answer


# ---- what came out ------------------------------------------------------------------------------


def _result(
    job: Job, status: Status, answer: dict, subject: Subject | None = None, seconds: float = 0.0
) -> Result:
    cycles, first = answer.get("cycles", 0), answer.get("failure", {}).get("first", {})
    coverage = answer.get("coverage", {})
    wanted = [c for c in coverage.values() if c["floor"]]
    extra = {
        "name": job.name,
        **job.args.seeds.json(),
        "cycles_per_second": round(cycles / seconds) if seconds else 0,
        "coverage": coverage,
        "floors_met": sum(c["hits"] >= c["floor"] for c in wanted),
        "floors": len(wanted),
    }
    if job.matched is not None:
        extra["inferred"] = _inferred(job, subject)
        extra |= readings.as_json(subject) if subject is not None else {}
        extra |= {"match": job.matched.kind} | _compared(job)
        extra |= {"tied_off": job.matched.tied_off, "tied": job.matched.tied}
        extra |= {"ignored": job.ignored} if job.ignored else {}
    return Result(
        block=job.table.name,
        module=job.rtl.top,
        config=job.shown,
        cycles=cycles,
        compared_bits=answer.get("compared_bits", 0),
        masked_bits=answer.get("masked_bits", 0),
        verdict=status,
        first=Mismatch.of(first),
        rule=report.broken_rule(first),
        extra=extra | _reported(job, answer),
    )


def _compared(job: Job) -> dict[str, Any]:
    """The outputs that are compared and those that are not, and binds that are not taken."""
    found = match.compared(job.table, job.config, job.matched.missing_outputs)
    return found | ({"binds_left_out": job.binds_left_out} if job.binds_left_out else {})


def _reported(job: Job, answer: dict) -> dict:
    """What the harness reports of a failure, and the checkers it had."""
    reported = {"at_fault": answer["at_fault"]} if "at_fault" in answer else {}
    if timing := answer.get("failure", {}).get("timing"):
        reported["timing"] = timing
    if job.table.instances:
        reported["checkers"] = [job.table.name, *(each.table.name for each in job.inside)]
    reported |= job.args.waivers.shown(answer)
    reported["shares"] = answer.get("shares", {})
    if job.table.guesses:
        reported["guesses"] = [each._asdict() for each in job.table.guesses]
    keys = ("seed", "never_compared", "barely_compared", "constants", "stuck", "failures")
    reported |= {k: answer[k] for k in keys if answer.get(k)}
    return reported | harness.findings(answer)


def rows(results: Iterable[Result]) -> list[tuple]:
    """Rows of the summary table; the first cell is the job's title."""
    return [
        (
            f"{r.block} {r.extra['name']}",
            *(r.block, r.extra["name"], r.cycles, r.compared_bits, r.masked_bits),
            f"{r.extra['floors_met']}/{r.extra['floors']}",
            r.extra["cycles_per_second"],
            report.verdict_cell(r.verdict, r.extra),
        )
        for r in results
    ]


def _inferred(job: Job, subject: Subject | None) -> dict[str, str]:
    """How each parameter was found that is neither given nor shown by the ports."""
    items = [p for p in job.matched.params.values() if p.how not in ("ports", "given")]
    how = {p.name: readings.how(subject, p, [subject]) if subject else p.how for p in items}
    return job.table.fold(how, job.config)


def _notes(job: Job, answer: dict, subject: Subject | None) -> list[str]:
    notes = [f"{job.title}: warning: {text}" for text in job.table.warnings(job.config)]
    if job.matched is not None:
        notes.append(f"{job.title}: config {report.config_text(job.shown)}")
        notes += [f"  {note}" for note in job.notes]
        if subject is not None and subject.chosen.passed:
            notes += [f"  {line}" for line in readings.notes(subject, [subject])]
            if job.args.accept_inferred:
                notes += [f"  {line}" for line in readings.accepted(subject)]
        if job.matched.missing_outputs:
            names = ", ".join(job.matched.missing_outputs)
            notes.append(f"  not compared (not in the RTL): {names}")
        notes += [f"  left out: {each}" for each in job.binds_left_out]
        if job.matched.tied:
            tied = ", ".join(f"{port}={value}" for port, value in job.matched.tied.items())
            notes.append(f"  tied, so that no coverage floor is asked for: {tied}")
        if job.matched.tied_off:
            notes.append("  tied off (no rule reads them): " + ", ".join(job.matched.tied_off))
    if job.args.program is not None and (coverage := answer.get("coverage")):
        hit = sum(each["hits"] > 0 for each in coverage.values())
        points = f"{hit} of {len(coverage)} points"
        notes.append(f"{job.title}: coverage of the program: {points}; no floor is asked for")
    low = [n for n, c in answer.get("coverage", {}).items() if c["hits"] < c["floor"]]
    if low and answer["verdict"] == "VACUOUS":
        hint = "run more cycles or profile mix"
        notes.append(f"{job.title}: under their floors: {', '.join(low)}; {hint}")
    if answer["verdict"] == "VACUOUS":
        notes += [f"{job.title}: {text}" for text in _uncompared(job, answer)]
    notes += [f"{job.title}: {line}" for line in report.partly_compared(answer)]
    hits = waivers.lines(job.args.waivers.shown(answer))
    return notes + [f"{job.title}: {line}" for line in hits] + harness.notes(job.title, answer)


def _uncompared(job: Job, answer: dict) -> Iterator[str]:
    """The outputs that were never compared, and those that were hardly."""
    never = answer.get("never_compared", [])
    if never:
        is_own = job.table.name in tables.own()
        yield f"{'nobody models' if is_own else 'never compared'}: {report.named(never)}"
    if barely := [name for name in answer.get("barely_compared", []) if name not in never]:
        yield f"compared in less than a hundredth of the cycles: {report.named(barely)}"
