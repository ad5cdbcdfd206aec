# SPDX-License-Identifier: Apache-2.0
"""What `warplock mutate --generate` does: mutants of a module (mutants.py) run in lockstep, first
for a short time; those that are not reported are proved equivalent, or shown to be holes.

All mutants of a module are in one build. The proof starts from zeros, and so do the longer runs.
What is known of a mutant is kept by content (KNOWN), so that a campaign that was ended goes on; a
hole, whose files may be gone, is looked at again.
"""

import contextlib
import dataclasses
import functools
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base import entries, keep, outputs, progress, report, setup
from ..base.entries import Entry
from ..base.errors import Status
from ..base.installed import COMMAND
from ..base.report import Mismatch
from ..prove import engines, masking, netlist
from ..prove.engines import Answer, Limits
from ..prove.miter import Builder, Compared
from . import build, counterexample, harness, lockstep, mutants, own_blocks, prove, question
from .jobs import Job
from .mutants import Mutant, Mutants

SHORT = {"seeds": 2, "cycles": 2000}  # of the first run
SILENT = ("PASS", "VACUOUS")  # too short a run covers too little
KNOWN = setup.BUILD / "mutants" / "known"
MASKED, TIMEOUT = 15.0, 30  # seconds of a proof
REPORTED, EQUIVALENT, HOLE, UNDECIDED = "reported", "equivalent", "hole", "undecided"
FATES = {REPORTED: "reported", EQUIVALENT: "equivalent", HOLE: "holes", UNDECIDED: "undecided"}


@dataclass
class Trial:
    """A mutant, and what came of it."""

    target: "Target"
    mutant: Mutant
    fate: str = UNDECIDED
    first: Mismatch | None = None
    seconds: float = 0.0
    depth: int = 0  # cycles that the proof knows to be equal; of a hole: the length of the stimulus
    file: Path | None = None  # the stimulus
    note: str = ""
    shown: bool = False  # to others

    @property
    def place(self) -> Path:
        """Its folder."""
        return self.target.place / f"mutant_{self.mutant.number}"

    def json(self) -> dict[str, Any]:
        """All that is known of it."""
        known = {"block": self.target.job.table.name, "mutant": self.mutant.name}
        known |= {"number": self.mutant.number, "fate": self.fate}
        known |= {"seconds": round(self.seconds, 3)}
        known |= {"first": self.first.json()} if self.first is not None else {}
        known |= {"depth": self.depth} if self.fate in (HOLE, UNDECIDED) else {}
        known |= {"file": str(self.file)} if self.file is not None else {}
        return known | ({"note": self.note} if self.note else {})

    def entry(self) -> Entry:
        """As others see it."""
        fate = entries.BAD if self.fate in (HOLE, UNDECIDED) else entries.GOOD
        text = self.text() if self.fate != REPORTED else ""
        name = f"{self.mutant.number}: {self.mutant.name}"
        answer = self.json() | {"config": self.target.job.shown}
        return Entry(answer, name, text, seconds=self.seconds, word=self.fate.upper(), fate=fate)

    def text(self) -> str:
        """One that is not reported, for a person."""
        name = f"{self.target.job.table.name} {self.mutant.number}: {self.mutant.name}"
        if self.fate == EQUIVALENT:
            return f"equivalent: {name}" + (f": {self.note}" if self.note else "")
        if self.fate == UNDECIDED:
            return f"undecided: {name}: equal for {self.depth} cycles; {self.note or 'time is up'}"
        play = f"{COMMAND} vectors play {self.file} --rtl {self.file.parent}"
        return f"hole: {name}: shown by {self.depth} cycles; {self.note or play}"


@dataclass
class Target:
    """A module with its mutants, built."""

    job: Job
    place: Path
    mutants: Mutants
    program: Path
    timeout: float  # seconds for an engine with one mutant
    alarm: str = ""  # why the module without a fault does not pass
    is_vacuous: bool = False  # it is not wrongly reported; too little of it was compared
    trials: list[Trial] = field(default_factory=list)
    spreads: dict[int, set[int]] = field(default_factory=dict)  # of what is open (masking.py)

    def entry(self) -> Entry:
        """Of the module without a fault, which does not pass, as others see it."""
        answer = {"block": self.job.table.name, "why": self.alarm, "config": self.job.shown}
        word = "VACUOUS" if self.is_vacuous else "FALSE_ALARM"
        return Entry(answer, self.job.name, word=word, fate=entries.BAD)

    @functools.cached_property
    def changed(self) -> masking.Changed:
        """The module with its faults, for proofs that one is masked."""
        return masking.Changed(self.mutants.faulty, mutants.selected(0), self.compared)

    @functools.cached_property
    def compared(self) -> list[Compared]:
        """The outputs that count."""
        return question.compared_ports(self.job.table, self.job.config, set(self.job.present))

    @functools.cached_property
    def known(self) -> Path:
        """Where it is kept what came of them."""
        run = self.job.args
        parts = [self.program.parent.name, report.config_text(self.job.shown), str(run.cycles)]
        files = [path.read_bytes() for path in (self.mutants.flat, _library())]
        parts += [str(run.seeds), *own_blocks.digest(self.job.table.name)]
        return KNOWN / f"{keep.digest([*parts, *files])}.jsonl"

    def recall(self) -> None:
        """Take over what is kept."""
        if not self.known.is_file():
            return
        by_number = {trial.mutant.number: trial for trial in self.trials}
        for line in self.known.read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(ValueError, KeyError):  # the last line of one that was killed
                row = json.loads(line)
                trial = by_number[row["number"]]
                trial.fate, trial.seconds = row["fate"], row["seconds"]
                trial.first = Mismatch.of(row.get("first", {}))
                trial.note = row.get("note", "")


@dataclass(frozen=True)
class Asked:
    """How many mutants of a module, which, and how many runs at a time."""

    count: int
    seed: int
    jobs: int
    json: bool
    timeout: float = TIMEOUT  # seconds for an engine with one mutant
    fresh: bool = False  # take nothing over
    entries: list[Entry] = field(default_factory=list)  # what is settled


def run(plans: Sequence[tuple[Job, Path]], asked: Asked) -> int:
    """The campaign; 0 when every mutant is reported or equivalent."""
    start = time.monotonic()
    prepare = functools.partial(_prepare, asked=asked)
    targets = sorted(_each("making mutants", prepare, plans, asked), key=lambda t: t.place)
    trials = [trial for target in targets if not target.alarm for trial in target.trials]
    for target in targets if not asked.fresh else ():
        target.recall()
    for trial in (trial for trial in trials if trial.fate != UNDECIDED):
        _tell(trial, asked)
    _step("mutants, short runs", _short, trials, asked)
    _step("mutants, longer runs", _long, trials, asked)
    left = {id(trial.target): trial.target for trial in _left(trials)}
    _each("reading mutants", _read, left.values(), asked)
    # A proof is two processes.
    _step("mutants, proofs", _prove, trials, dataclasses.replace(asked, jobs=1))
    return _show(targets, asked, time.monotonic() - start)


def _step(label: str, step: Callable[[Trial], None], trials: Sequence[Trial], asked: Asked) -> None:
    """Take a step with each trial that is open; what is settled is shown and kept at once."""

    def settle(trial: Trial) -> None:
        step(trial)
        if trial.fate == UNDECIDED:
            return
        _tell(trial, asked)
        if trial.fate != HOLE:
            _keep(trial)

    _each(label, settle, _left(trials), asked)


_LOCK = threading.Lock()


def _tell(trial: Trial, asked: Asked) -> None:
    """It is settled: show it, once."""
    with _LOCK:
        if trial.shown:
            return
        trial.shown = True
        asked.entries.append(trial.entry())
        if asked.json:
            report.json_line(trial.json())


def _keep(trial: Trial) -> None:
    """Note what came of it."""
    with _LOCK:
        outputs.make_folder(KNOWN)
        with trial.target.known.open("a", encoding="utf-8") as file:
            file.write(json.dumps(trial.json()) + "\n")


def _library() -> Path:
    """What has stimulus, model and rules; no build of a harness changes with it."""
    return build.brought_up() / "dpi" / "libwarplock_dpi.so"


def _left(trials: Iterable[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial.fate == UNDECIDED]


def _each(label: str, function: Any, items: Iterable[Any], asked: Asked) -> list[Any]:
    """Call it for each, some at a time, with a progress line."""
    todo, answers = list(items), []
    with progress.Progress(label, len(todo)) as line:
        tick = lambda: line.update(len(answers))  # noqa: E731
        for _, answer in progress.parallel(function, todo, asked.jobs, tick):
            answers.append(answer)
    return answers


# ---- the steps -----------------------------------------------------------------------------------


def _prepare(plan: tuple[Job, Path], asked: Asked) -> Target:
    """Make the mutants of a module, and run it without a fault."""
    job, place = plan
    good = netlist.read(prove.source(job))
    made = mutants.make(good, asked.count, asked.seed, place)
    job.rtl = made.rtl(place / "rtl")
    # No waveforms, which a user's RTL is built with.
    job.args = dataclasses.replace(job.args, rtl=[])
    outcome = lockstep.execute(job)
    target = Target(job, place, made, lockstep.builder(job)(), asked.timeout)
    target.is_vacuous = outcome.result.verdict == Status.VACUOUS
    if outcome.result.verdict != Status.OK:
        target.alarm = "; ".join([report.verdict_name(outcome.result.verdict), *outcome.messages])
    target.trials = [Trial(target, mutant) for mutant in made.each]
    return target


def _short(trial: Trial) -> None:
    seeds = trial.target.job.args.seeds.upto(SHORT["seeds"])
    cycles = min(trial.target.job.args.cycles, SHORT["cycles"])
    _play(trial, seeds=seeds, cycles=cycles)


def _long(trial: Trial) -> None:
    _play(trial, power_up="zero")


def _play(trial: Trial, **more: object) -> None:
    """Run it in lockstep, and see whether it is reported."""
    job = dataclasses.replace(
        trial.target.job, spent={}, plusargs={mutants.PLUSARG: trial.mutant.number}
    )
    answer = harness.run(job, trial.target.program, harness.words(job, **more))
    if answer["verdict"] not in SILENT:
        trial.fate = REPORTED
        trial.first = Mismatch.of(answer.get("failure", {}).get("first", {}))


def _read(target: Target) -> None:
    """Read the netlist, and simulate how far each fault that is open spreads."""
    numbers = [trial.mutant.number for trial in _left(target.trials)]
    spreads = target.changed.spreads([mutants.selected(number) for number in numbers])
    target.spreads = dict(zip(numbers, spreads, strict=True))


def _prove(trial: Trial) -> None:
    """Settle what simulation leaves open: first whether the fault is masked before an output, which
    is quick, then whether what comes out is the same, once more with more time whether it is
    masked, then with the block's rules assumed, at last behind a reset."""
    table, config = trial.target.job.table, trial.target.job.config
    trial.seconds -= time.monotonic()
    masked = _is_masked(trial, MASKED)
    answer = Answer(Status.OK) if masked else _decide(trial, "proof", trial.target.timeout)
    if answer.verdict == Status.BOUNDED and _is_masked(trial, trial.target.timeout):
        answer = Answer(Status.OK)
    if answer.verdict == Status.REFUTED and _broken(trial, answer):
        rules = question.rules_of(table, config)
        answer = _decide(trial, "legal", trial.target.timeout, rules=rules)
        if answer.verdict == Status.REFUTED:
            _broken(trial, answer)
    if answer.verdict == Status.REFUTED and table.reset is not None and not trial.note:
        answer = _behind_reset(trial, answer)
    fates = {Status.OK: EQUIVALENT, Status.REFUTED: HOLE}
    trial.fate, trial.depth = fates.get(answer.verdict, UNDECIDED), answer.depth
    trial.note = trial.note if trial.fate == HOLE else answer.note
    trial.seconds += time.monotonic()


def _behind_reset(trial: Trial, before: Answer) -> Answer:
    """Is it the same, with the block's rules, once there was a reset? Every run of lockstep begins
    with one."""
    table, config = trial.target.job.table, trial.target.job.config
    more = {"rules": question.rules_of(table, config), "reset": {table.reset: 1}}
    answer = _decide(trial, "reset", trial.target.timeout, **more)
    if answer.verdict == Status.OK:
        return dataclasses.replace(answer, note="shown only before the first reset")
    if answer.verdict == Status.REFUTED and not _broken(trial, answer) and trial.first is not None:
        # The cycle of reset may show it already, which the proof does not look at.
        return dataclasses.replace(answer, depth=trial.first.cycle + 1)
    return before


def _is_masked(trial: Trial, seconds: float) -> bool:
    """Does what it changes inside never get to an output?"""
    target, number = trial.target, trial.mutant.number
    place, spread = trial.place / "masked", target.spreads[number]
    return target.changed.is_masked(mutants.selected(number), spread, place, seconds)


def _decide(trial: Trial, name: str, seconds: float, **more: Any) -> Answer:
    """Is the module with this fault the same as without?"""
    return engines.decide(_builder(trial, name, **more).build, Limits(seconds))


def _builder(trial: Trial, name: str, **more: Any) -> Builder:
    """Of the module with this fault beside that without."""
    faulty = trial.target.mutants.faulty
    return Builder(
        faulty,
        faulty,
        trial.target.compared,
        trial.place / name,
        ties={mutants.SELECT: 0},
        chosen={mutants.SELECT: trial.mutant.number},
        **more,
    )


def _broken(trial: Trial, answer: Answer) -> list[str]:
    """Write a counterexample and play it in lockstep, which should report it; the rules that it
    breaks."""
    job, trial.note = trial.target.job, ""
    trial.file = trial.place / "stimulus.wlv"
    trial.target.mutants.rtl(trial.place, trial.mutant.number)
    broken = counterexample.write(job.table, job.config, answer.values, trial.file)
    _play(trial, replay=trial.file, power_up="zero")
    if trial.first is None:
        trial.note = "simulation does not show it: stub, model or prover is wrong"
    return broken


# ---- what came out -------------------------------------------------------------------------------


def _show(targets: Sequence[Target], asked: Asked, seconds: float) -> int:
    trials = [trial for target in targets for trial in target.trials if not target.alarm]
    failed = [target for target in targets if target.alarm]
    vacuous = sum(target.is_vacuous for target in failed)
    fates = Counter(trial.fate for trial in trials)
    total = {"injected": len(trials)} | {name: fates[fate] for fate, name in FATES.items()}
    total |= {"false_alarms": len(failed) - vacuous, "vacuous": vacuous}
    for trial in trials:
        _tell(trial, asked)
    asked.entries.extend(target.entry() for target in failed)
    if asked.json:
        report.json_line(total | {"seconds": round(seconds, 1)})
    for target in failed:
        kind = "not covered" if target.is_vacuous else "false alarm"
        text = f"{kind}: {target.job.title} without a fault: {target.alarm}"
        print(text, file=sys.stderr if asked.json else sys.stdout)
    if not asked.json:
        _table(targets).print()
        for trial in trials:
            if trial.fate != REPORTED:
                print(trial.text())
        print(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in total.items()))
    if total["false_alarms"] or fates[HOLE]:
        return 1
    return int(Status.VACUOUS if vacuous else Status.BOUNDED if fates[UNDECIDED] else 0)


def _table(targets: Sequence[Target]) -> report.Table:
    table = report.Table("block", "config", "injected", *FATES.values())
    for target in targets:
        fates = Counter(trial.fate for trial in target.trials)
        counts = [fates[fate] for fate in FATES]
        table.add(target.job.table.name, target.job.name, len(target.trials), *counts)
    return table
