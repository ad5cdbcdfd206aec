# SPDX-License-Identifier: Apache-2.0
"""How many injected RTL faults the checker reports.

Each fault of faults.toml in the block's folder is put into a copy of the block's stub, which then
runs in lockstep as any RTL does. A fault that is not reported at a port where it must show is a
hole in the checker or in the stimulus; the stub without a fault must pass. Where it does not, that
is a false alarm, or VACUOUS if the seeds and cycles asked for cover too little to tell.

A composed block has its own list, in which wires between the blocks inside can be at fault too,
and all faults of the blocks inside, named BLOCK/ID: each must be reported by the composed block's
own checker, at any of its ports. With `--bind all` the checkers of the blocks inside are bound as
well, and the block that is named at fault must be the one that holds the fault.

A list begins with `config`, what the runs set beside the defaults: "KEY=VALUE KEY=VALUE". Each row
of `fault` has

    id, doc   what it is called; what is wrong
    expect    ports at which the first mismatch must be, without `io_`; * stands for anything
    change    pairs: text that stands once in the files of the stub, generated modules among them,
              and what it becomes
    config    overlays that of the list, and in a composed block that of the block's list
    block     that holds the fault, if it is not the list's
    hidden    the reason why nothing of it reaches a port of the composed block

Behind the list come faults that the port table gives (gen/port_faults.py): each output port stuck
at 0, inverted, and a cycle late. One that changes no compared bit of the first cycles is skipped.

A file of rtl_stub/common is changed for the faulty block only.

`--generate N` has no list: N mutants of the block's stub, or of a user's RTL (campaign.py), in the
configuration `generate` of the list where it has one: small, so that any pair of registers meets.
"""

import dataclasses
import fnmatch
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import tables
from ..base import entries, options, progress, report, seeds, setup, toml
from ..base.entries import Entry
from ..base.errors import Status, WlkError
from ..base.options import option
from ..base.published import Reported
from ..base.seeds import Seeds
from ..gen import composed, port_faults, stubs
from ..tables import Config, Table, files
from . import build, campaign, estimate, jobs, lockstep, mutants, vectors
from .jobs import Job

WORK = setup.BUILD / "mutants"
# Faults that --short runs, about: of a list, of the ports, of a block inside.
SHORT, SHORT_PORTS, SHORT_INSIDE = 5, 9, 2
GENERATED = "generated faults"
RECORDED = 1000  # cycles in which a fault of a port must change something
Texts = dict[str, str]  # name of a file -> its text


@dataclass
class Mutate(jobs.Simulated, Reported):
    """Inject faults into RTL and count those that lockstep reports."""

    NAME = "mutate"
    WORDS = {1: "NOT_ALL_REPORTED"}
    EXAMPLE = """warplock mutate
warplock mutate collector --only ready_stuck_high
warplock mutate issue --bind all --only scoreboard/no_rollback
warplock mutate hazard --generate 200
warplock mutate collector --generate 100 --rtl build/DuplicatedCollector.sv"""

    blocks: Sequence[str] = options.blocks(
        "default: all that have a list; to a composed one belong the faults of those inside"
    )
    only: Sequence[str] = option(
        [], "these faults; BLOCK/ID is one of a block inside a composed one", metavar="ID"
    )
    short: bool = option(False, f"about {SHORT} faults of a list; which: --slice")
    slice: int = option(
        0,
        "with --short: another part of each list for each N, all within a few (default: 0)",
        type=options.number(),
        metavar="N",
    )
    bind: str = option(
        "stage",
        "which checkers judge a composed block: its own, which must report the fault (default), "
        "or also those of the blocks inside: the block at fault must be named",
        choices=("stage", "all"),
    )
    power_up: str = options.power_up("registers and memories at the start")
    seeds: Seeds = seeds.option(range(1, 5))
    cycles: int = option(20_000, "cycles a seed", type=options.number(1))
    jobs: int = options.jobs()
    generate: int = option(
        0,
        "in place of lists: N faults that operators make of each block's netlist; those that are "
        "not reported are proved equivalent, or are holes",
        type=options.number(1, mutants.MOST),
        group=GENERATED,
        metavar="N",
    )
    seed: int = option(
        1, "which of them (default: 1)", type=options.number(0, 2**31 - 1), group=GENERATED
    )
    config: list[str] = options.named_config(group=GENERATED)
    timeout: int = option(
        campaign.TIMEOUT,
        f"seconds for each engine that proves a mutant equivalent (default: {campaign.TIMEOUT})",
        type=options.number(1),
        group=GENERATED,
        metavar="S",
    )
    fresh: bool = option(
        False, "look again at mutants of which it is known (build/mutants/known)", group=GENERATED
    )

    def needs(self) -> tuple[str, ...]:
        generated = ("rtl", "prove") if self.generate else ()
        return ("build", *self.tools, *generated)

    def refuse(self) -> None:
        """What does not go together."""
        lists = {"only": self.only, "short": self.short, "slice": self.slice}
        lists |= {"bind": self.bind != "stage", "power-up": self.power_up != "unknown"}
        own = {"rtl": self.rtl, "module": self.module, "define": self.define, "tie": self.tie}
        own |= {"include": self.include, "config": self.config, "seed": self.seed != 1}
        own |= {name: getattr(self, name) for name in jobs.MAP_FLAGS}
        own |= {"fresh": self.fresh, "timeout": self.timeout != campaign.TIMEOUT}
        for name, given in (lists if self.generate else own).items():
            if given:
                why = "goes with lists of faults, not with" if self.generate else "goes with"
                raise WlkError(Status.USAGE, f"--{name} {why} --generate")
        if (self.rtl or self.config) and len(self.blocks) != 1:
            name = "rtl" if self.rtl else "config"
            raise WlkError(Status.USAGE, f"--{name} goes with one block: mutate BLOCK --{name} ...")
        for path in self.rtl:
            if not path.exists():
                raise WlkError(Status.NO_FILE, f"--rtl {path}: no such file or folder")

    def run(self) -> int:
        """Run every fault; 0 only if all are reported, and each stub without one passes."""
        if self.generate:
            return _generate(self)
        trials = [trial for name in _blocks(self) for trial in _trials(name, self)]
        build.meson_build(jobs=self.jobs)
        names = [f"{trial.table.name} {trial.fault.name or '(none)'}" for trial in trials]
        left = estimate.Estimate([trial.job for trial in trials], self.jobs, names)
        done = 0
        with progress.Progress("mutate", len(trials)) as line:
            tick = lambda: line.update(done, left.note())  # noqa: E731
            for trial, _ in progress.parallel(_run, trials, self.jobs, tick):
                done += 1
                self.entries.append(trial.entry())
                if self.json:
                    report.json_line(trial.json())
        return _show(trials, self)


@dataclass(frozen=True)
class Fault:
    """One entry of a list, or one of a port; without either it is the stub, which must pass."""

    name: str
    config: dict[str, Any]
    block: str = ""  # that holds it
    changes: tuple[tuple[str, str], ...] = ()  # text of the stub, and what it becomes
    expect: tuple[str, ...] = ()
    why: str = ""  # it is not to be seen in a composed block; empty: it is
    origin: Path | None = None  # the list, or the port table
    number: int = 0  # among those of ports


@dataclass
class Trial:
    """A fault in lockstep, and what came of it."""

    table: Table
    fault: Fault
    config: Config
    job: Job
    bind: str
    result: report.Result | None = None
    messages: list[str] = field(default_factory=list)
    seconds: float = 0.0
    skipped: str = ""  # why it is not run

    @property
    def port(self) -> str | None:
        return self.result.first.port if self.result.first is not None else None

    @property
    def named(self) -> str | None:
        """The block that is named at fault."""
        own = {"block": self.table.name if self.result.first is not None else None}
        return self.result.extra.get("at_fault", own)["block"]

    @property
    def is_clean(self) -> bool:
        """It is the stub without a fault."""
        return not self.fault.name

    @property
    def is_vacuous(self) -> bool:
        """It is the stub without a fault, and too little of it was compared."""
        return self.is_clean and self.result.verdict == Status.VACUOUS

    @property
    def judges_block(self) -> bool:
        """It counts which block is named, and not the port."""
        return self.bind == "all" and bool(self.table.instances)

    @property
    def caught(self) -> bool:
        """The fault is reported where it must show; of the stub: it passes."""
        if self.is_clean:
            return self.result.verdict == Status.OK
        if self.judges_block:
            return self.named == self.fault.block
        if self.result.verdict == Status.RTL_ASSERTION:  # its own, and no port shows it
            return True
        return self.port is not None and is_expected(self.port, self.fault.expect)

    def json(self) -> dict[str, Any]:
        if self.skipped:
            fault = {"block": self.table.name, "fault": self.fault.name}
            return fault | {"skipped": self.skipped}
        found = {"fault": self.fault.name or None, "caught": self.caught} | self.result.json()
        for name in ("shares", "constants"):  # of each fault the same, but for what it hides
            found.pop(name, None)
        return found

    def entry(self) -> Entry:
        """As others see it: a fault that is reported is a test that passes."""
        if self.skipped:
            found = ("SKIPPED", entries.SKIPPED)
        elif self.is_clean:
            word = "VACUOUS" if self.is_vacuous else "FALSE_ALARM"
            found = ("PASS", entries.GOOD) if self.caught else (word, entries.BAD)
        elif self.caught:
            found = ("REPORTED", entries.GOOD)
        else:
            found = ("NOT_REPORTED" if self.named is None else "MISPLACED", entries.BAD)
        why = self.skipped or ("" if self.caught else _complaint(self))
        name, answer = self.fault.name or self.table.text(self.config), self.json()
        answer |= {"why": why} if why else {}
        text = "\n".join(self.messages)
        return Entry(answer, name, text, seconds=self.seconds, word=found[0], fate=found[1])


def is_expected(port: str, patterns: Iterable[str]) -> bool:
    """A port is one of those that `expect` names."""
    return any(fnmatch.fnmatchcase(port.removeprefix("io_"), pattern) for pattern in patterns)


def _show(trials: Sequence[Trial], asked: Mutate) -> int:
    skipped = [t for t in trials if t.skipped]
    faults = [t for t in trials if not t.is_clean and not t.skipped]
    vacuous = [t for t in trials if t.is_vacuous]
    alarms = [t for t in trials if t.is_clean and not t.caught and not t.is_vacuous]
    missed = [t for t in faults if not t.caught]
    lines = [_complaint(t) for t in alarms + vacuous + missed]
    reported = len(faults) - len(missed)
    if asked.json:
        counts = {"faults": len(faults), "reported": reported}
        counts |= {"false_alarms": len(alarms), "vacuous": len(vacuous), "skipped": len(skipped)}
        report.json_line(counts)
    else:
        table = report.Table("block", "fault", "cycle", "named", "port", "verdict", "caught")
        lines += [f"skipped: {t.fault.name}: {t.skipped}" for t in skipped]
        for t in (t for t in trials if not t.skipped):
            cycle = t.result.first.cycle if t.result.first is not None else None
            name = t.fault.name or "(none)"
            table.add(t.table.name, name, cycle, t.named, t.port, t.result.verdict, t.caught)
        table.print()
        closing = f"{reported} of {len(faults)} faults reported, {len(alarms)} false alarms"
        closing += f", {len(vacuous)} vacuous" if vacuous else ""
        closing += f", {len(skipped)} skipped" if skipped else ""
        print("\n".join([*lines, closing]))
    return 1 if alarms or missed else Status.VACUOUS if vacuous else 0


def _complaint(trial: Trial) -> str:
    name = trial.fault.name
    if trial.is_vacuous:
        text = f"VACUOUS: the stub with {trial.table.text(trial.config)} is not covered"
    elif trial.is_clean:
        text = f"false alarm: the stub with {trial.table.text(trial.config)} does not pass"
    elif trial.named is None:
        text = f"not reported: {name}"
    elif trial.judges_block:
        text = f"wrong block: {name}: {trial.named} is named; {trial.fault.block} holds it"
    else:
        text = f"wrong port: {name}: {trial.port} is not in its `expect`"
    return "; ".join([text, *trial.messages[:1]])


# ---- what to run ------------------------------------------------------------------------------


def fault_list(block: str) -> Path:
    """Where the faults of a block are."""
    return tables.folder(block) / files.FAULTS


def _blocks(asked: Mutate) -> list[str]:
    for name in asked.blocks:
        tables.load(name)
        if not fault_list(name).is_file() and name not in tables.own():
            raise WlkError(Status.NO_FILE, f"{name}: no list of faults {fault_list(name)}")
    own = tables.own()
    return asked.blocks or [n for n in tables.names() if n in own or fault_list(n).is_file()]


def load(block: str, config: dict[str, Any] | None = None) -> list[Fault]:
    """The faults of a block's list; `config` takes the place of the list's.
    Fails with a line that names the one that cannot be read."""
    path = fault_list(block)
    if not path.is_file() and block in tables.own():
        return []  # those of its ports are all
    try:
        raw = toml.load(path)
        base = _settings(raw, path) if config is None else config
        faults = [_fault(entry, block, base, path) for entry in raw["fault"]]
    except (KeyError, TypeError, ValueError, AttributeError, OSError) as error:
        raise WlkError(Status.USAGE, f"{path}: cannot be read: {error}") from error
    names = [fault.name for fault in faults]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise WlkError(Status.USAGE, f"{path}: two faults are called {twice}")
    return faults


def _fault(entry: dict[str, Any], block: str, base: dict[str, Any], origin: Path) -> Fault:
    return Fault(
        name=entry["id"],
        config=base | _settings(entry, origin),
        block=entry.get("block", block),
        changes=tuple((find, replace) for find, replace in entry["change"]),
        expect=tuple(entry["expect"].split()),
        why=entry.get("hidden", ""),
        origin=origin,
    )


def _base(path: Path, key: str = "config") -> dict[str, Any]:
    """A list's configuration; that of `key` where it has one. Without a list the default."""
    if not path.is_file():
        return {}
    raw = toml.load(path)
    return _settings({"config": raw.get(key, raw.get("config", ""))}, path)


def _settings(raw: dict[str, Any], origin: Path) -> dict[str, Any]:
    return tables.settings(raw.get("config", ""), f"{tables.label(origin)}: config")


def faults_of(table: Table, *, hidden: bool = False) -> list[Fault]:
    """What is injected into a block's stub: its list, and what can be seen of those inside.
    `hidden`: what cannot be seen of those inside, instead."""
    faults = [] if hidden else load(table.name)  # complains of what cannot be read
    base = _base(fault_list(table.name))
    faults += [] if hidden else _of_ports(table, base)
    for inner in composed.blocks(table)[1:]:
        for fault in load(inner.name, base):
            if bool(fault.why) == hidden:
                name = f"{inner.name}/{fault.name}"
                faults.append(dataclasses.replace(fault, name=name, expect=("*",)))
    return faults


def _of_ports(table: Table, base: dict[str, Any]) -> Iterator[Fault]:
    ports = port_faults.of(table, table.config(base))
    for number, (port, kind) in enumerate(ports, 1):
        expect, name = (port.name.removeprefix("io_"),), f"{port.name}_{kind}"
        yield Fault(name, base, table.name, (), expect, origin=table.path, number=number)


def _visible(table: Table, config: Config, asked: Mutate) -> list[int | None]:
    """In which cycle each fault of a port must show."""
    path, zero = WORK / table.name / "ports.wlv", asked.power_up == "zero"
    path.parent.mkdir(parents=True, exist_ok=True)
    made = vectors.Gen(
        table.name,
        path,
        seed=asked.seeds.first,
        cycles=min(asked.cycles, RECORDED),
        force=True,
        power_up=asked.power_up,
        config=table.show(config),
    )
    records = vectors.records(made.make(), table, config)
    return port_faults.visible(table, config, records, zero)


def _trials(block: str, asked: Mutate) -> Iterator[Trial]:
    """The stub of each configuration used, then the faults asked for."""
    table = tables.load(block)
    faults = _chosen(faults_of(table), fault_list(block), asked)
    configs = [table.config(fault.config) for fault in faults]
    # Planning writes the stub: once, not by several.
    different = {table.text(config): config for config in configs}
    plans = {text: _plan(table, _words(table, config), asked) for text, config in different.items()}
    for job in plans.values():
        yield Trial(table, Fault("", {}), job.config, job, asked.bind)
    at: list[int | None] = []
    files: list[Path] = []  # of the stub with the faults of all ports
    for fault, config in zip(faults, configs, strict=True):
        chosen = {"wlk_fault": fault.number} if fault.number else {}
        job = dataclasses.replace(plans[table.text(config)], spent={}, plusargs=chosen)
        trial = Trial(table, fault, config, job, asked.bind)
        if fault.number:
            at = at or _visible(table, config, asked)
            files = files or mutant(table, fault, job.rtl.files)
            job.rtl = dataclasses.replace(job.rtl, files=files)
            if at[fault.number - 1] is None:
                trial.skipped = "changes no compared bit"
        yield trial


def _generate(asked: Mutate) -> int:
    """Mutants in the configuration of each block's list, unless one is given."""
    plans = []
    for block in _blocks(asked):
        table, words = tables.load(block), asked.config
        if not words and not asked.rtl:
            words = _words(table, table.config(_base(fault_list(block), "generate")))
        plans.append((_plan(table, words, asked), WORK / block / "generated"))
    build.meson_build(jobs=asked.jobs)
    given = (asked.generate, asked.seed, asked.jobs, asked.json, asked.timeout, asked.fresh)
    few = campaign.Asked(*given, asked.entries)
    return campaign.run(plans, few)


def _words(table: Table, config: Config) -> list[str]:
    return [f"{key}={value}" for key, value in table.show(config).items()]


def _plan(table: Table, config: list[str], asked: Mutate) -> Job:
    """The run of the module as it is."""
    run = jobs.Run(
        **vars(options.of(jobs.Simulated, asked)),
        blocks=[table.name],
        config=config,
        seeds=asked.seeds,
        cycles=asked.cycles,
        power_up=asked.power_up,
        bind=asked.bind,
        keep=False,
    )
    return jobs.plan(run)[0]


def _chosen(faults: list[Fault], path: Path, asked: Mutate) -> list[Fault]:
    for name in asked.only:
        if not any(fault.name == name for fault in faults):
            raise WlkError(Status.USAGE, f"--only {name}: no such fault in {path}")
    if asked.only:
        return [fault for fault in faults if fault.name in asked.only]
    return _sample(faults, path, asked.slice) if asked.short else faults


def _sample(faults: list[Fault], path: Path, number: int) -> list[Fault]:
    """A few faults of each list, evenly; `number`: which of the disjoint parts."""
    chosen = []
    for origin, group in itertools.groupby(faults, lambda fault: fault.origin):
        own = list(group)
        few = SHORT_PORTS if own[0].number else SHORT if origin == path else SHORT_INSIDE
        step = max(1, len(own) // few)
        chosen += own[number % step :: step]
    return chosen


# ---- running one --------------------------------------------------------------------------------


def mutant(table: Table, fault: Fault, stub: Sequence[Path]) -> list[Path]:
    """Copies of a stub's files with the fault in them."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in stub}
    inside = table.instances and fault.block != table.name
    names = _files_of(fault.block) & texts.keys() if inside else set(texts)
    for find, replace in fault.changes:
        file = _place(texts, names, find, fault)
        if inside and (stubs.STUBS / "common" / file).is_file():
            names = names - {file}
            file = _own_copy(texts, file, fault.block)
            names |= {file}
        texts[file] = texts[file].replace(find, replace)
    if fault.number:
        top = f"{table.module}.sv"
        texts[top] = port_faults.module(table, table.config(fault.config), texts[top])
    place = WORK / table.name / ("ports" if fault.number else fault.name)
    place.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")
    return [place / name for name in texts]


def _files_of(block: str) -> set[str]:
    """The files of a block's stub, those among them that blocks share."""
    return {path.name for each in (block, "common") for path in (stubs.STUBS / each).glob("*.sv")}


def _place(texts: Texts, names: set[str], find: str, fault: Fault) -> str:
    """The one of these files in which the text stands once, and in no other."""
    found = sorted(name for name in names if find in texts[name])
    count = sum(texts[name].count(find) for name in found)
    if count != 1:
        message = f"{fault.origin}: fault {fault.name}: {find!r} stands {count} times in "
        message += f"{', '.join(found) or 'the stub'}; it must be once: take more of its lines"
        raise WlkError(Status.USAGE, message)
    return found[0]


def _own_copy(texts: Texts, file: str, block: str) -> str:
    """Give a block inside its own copy of a shared module, so that the others keep the good one;
    the name of the copy."""
    module = Path(file).stem
    own = f"{block}_{module}"
    copy = f"{own}.sv"
    texts[copy] = texts[file]
    for name in (copy, *(path.name for path in (stubs.STUBS / block).glob("*.sv"))):
        texts[name] = re.sub(rf"\b{module}\b", own, texts[name])
    return copy


def _run(trial: Trial) -> None:
    if trial.skipped:
        return
    if trial.fault.changes:
        files = mutant(trial.table, trial.fault, trial.job.rtl.files)
        trial.job.rtl = dataclasses.replace(trial.job.rtl, files=files)
    outcome = lockstep.execute(trial.job)
    trial.result, trial.messages = outcome.result, outcome.messages
    trial.seconds = outcome.seconds
