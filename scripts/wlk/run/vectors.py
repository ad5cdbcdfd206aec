# SPDX-License-Identifier: Apache-2.0
"""Vector files: what `warplock vectors` does with them. The format is docs/record-format.md."""

import contextlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import tables
from ..base import options, outputs, report
from ..base.errors import Status, WlkError
from ..base.options import Command, operand, option
from ..fit import csv, match, readings, search
from ..fit.match import Match, ParamValue
from ..fit.search import Subject, Trial
from ..gen.sv import HARNESS_CLOCK
from . import tools

PROGRAM = "dpi/wlk-vec"
HIGHEST = 2**64 - 1  # of a seed, and cycles


@dataclass(frozen=True)
class Header:
    """What a vector file's header holds."""

    path: Path
    cycles: int
    words: tuple[int, int]
    text: Mapping[str, Any]

    @property
    def block(self) -> str:
        return str(self.text["block"])

    @property
    def config(self) -> Mapping[str, Any]:
        return self.text["config"]

    @property
    def power_up(self) -> str:
        return str(self.text["power_up"])

    @property
    def seed(self) -> int:
        """What its stimulus and a random power-up come from; of others than ours 1."""
        seed = self.text.get("seed", 1)
        return seed if isinstance(seed, int) and seed >= 0 else 1

    @property
    def reset(self) -> str:
        """The style of the reset: "sync", or "async" for records of RTL with such a one."""
        return str(self.text.get("reset", "sync"))

    @property
    def source(self) -> str:
        """Who made the expected values: "gen" (a model), "csv" (a recording)."""
        return str(self.text["source"])

    def json(self) -> dict[str, Any]:
        """As `vectors info --json` prints it."""
        size = {"bytes": self.path.stat().st_size, "cycles": self.cycles}
        return {"file": str(self.path), **size, **self.text}


_TYPES = dict.fromkeys(("block", "schema", "power_up", "source"), str)
_TYPES |= {"model_version": int, "config": dict}


def read_header(path: Path) -> Header:
    """The header of a file whose container is sound; CORRUPT when its text is not one of ours."""
    answer = tools.run(PROGRAM, ["header", path], label=f"reading {path}")
    try:
        decoded = json.loads(answer.output)
        text = decoded["header"]
        for key, kind in _TYPES.items():
            if not isinstance(text[key], kind):
                raise ValueError(f"'{key}' is {text[key]!r}")
    except (ValueError, KeyError, TypeError) as error:
        message = f"{path}: the header's text is damaged or not ours: {error}"
        raise WlkError(Status.CORRUPT, f"{message}; make the file again") from error
    words = decoded["in_words"], decoded["out_words"]
    return Header(path, decoded["cycles"], words, text)


def _refuse(out: Path, force: bool) -> None:
    """A name that a vector file cannot have."""
    if out.exists() and not out.is_file():
        raise WlkError(Status.NO_FILE, f"{out}: is no regular file; name a file to write")
    outputs.refuse(out, force)


def show_file(header: Header, as_json: bool, **more: Any) -> None:
    """Print what a file is, of one line or as an object."""
    if as_json:
        report.json_line(header.json() | more)
        return
    size = header.json()["bytes"]
    print(f"{header.path}: {header.cycles:,} cycles of {header.block}, {size:,} bytes")


def _show_made(header: Header, as_json: bool, **more: Any) -> None:
    """A file that was made, and what to be warned of in its configuration."""
    table = check_schema(header)
    report.warn(table.warnings(table.config(header.config)))
    show_file(header, as_json, **more)


# ---- is it ours? --------------------------------------------------------------------------------


def check_schema(header: Header) -> tables.Table:
    """The table of the file's block; BAD_SCHEMA when the file was made with another one."""
    if header.block not in tables.names():
        known = ", ".join(tables.names())
        message = f"{header.path}: its block '{header.block}' is none of ours ({known})"
        raise WlkError(Status.BAD_SCHEMA, message)
    table = tables.load(header.block)
    ours, theirs = f"{table.schema_hash():016x}", header.text["schema"]
    if ours != theirs:
        versions = f"model version {header.text['model_version']} then, {table.model_version} now"
        message = f"{header.path}: its port table of {table.name} is {theirs}, ours is {ours}"
        raise WlkError(Status.BAD_SCHEMA, f"{message} ({versions}); {_again(header)}")
    return _opened(header, table)


def _opened(header: Header, table: tables.Table) -> tables.Table:
    """The table with the ports in opaque fields that the file was made with; BAD_SCHEMA when they
    are not where this version has them.
    """
    members = header.text.get("members", "")
    opened = table
    if members and table.opaque:
        ports = (member.split(":") for member in str(members).split(","))
        with contextlib.suppress(ValueError, WlkError):  # none of ours: not what was opened
            opened = table.with_members((name, int(width)) for name, width, _, _ in ports)
    if members and opened.members_text() != members:
        message = f"{header.path}: its fields (members) do not lie where those of {table.name} do"
        raise WlkError(Status.BAD_SCHEMA, f"{message}; {_again(header)}")
    return opened


def _again(header: Header) -> str:
    verb = "gen" if header.source == "gen" else "import"
    return f"make the file again with `warplock vectors {verb}`"


def check_config(
    header: Header, table: tables.Table, given: Mapping[str, str] | None = None
) -> tables.Config:
    """The file's configuration; BAD_PARAMS when it is not legal or contradicts `given`."""
    try:
        config = table.config(dict(header.config))
    except WlkError as error:
        message = f"{header.path}: {error.message}; {_again(header)}"
        raise WlkError(Status.BAD_PARAMS, message) from error
    missing = sorted(table.params.keys() - header.config.keys())
    if missing:
        message = f"{header.path}: its header lacks the parameter {missing[0]}; {_again(header)}"
        raise WlkError(Status.BAD_PARAMS, message)
    wanted = table.values(given or {}, config, partial=True)
    made, asked = table.show(config), table.show(config | wanted)
    for key in (key for key in made if made[key] != asked[key]):
        message = f"{header.path}: made with {key}={made[key]}, not {asked[key]}"
        hint = f"leave --config out, or make a file with {key}={asked[key]}"
        raise WlkError(Status.BAD_PARAMS, f"{message}; {hint}")
    return config


def check_model(header: Header, table: tables.Table) -> None:
    """BAD_VERSION when the expected values are those of another version of the model.

    They may differ for a reason then, so that a mismatch, or none, would mean nothing. Recorded
    values are the design's own and stay right.
    """
    theirs = header.text["model_version"]
    if header.source == "gen" and theirs != table.model_version:
        message = f"{header.path}: made by version {theirs} of the {table.name} model"
        message += f", this is version {table.model_version}"
        raise WlkError(Status.BAD_VERSION, f"{message}; {_again(header)}")


# ---- reading and playing -------------------------------------------------------------------------


def _flags(**given: bool) -> list[str]:
    return [f"--{name}" for name, value in given.items() if value]


@dataclass(frozen=True)
class Played:
    """The outcome of a file against the model."""

    verdict: Status
    result: dict[str, Any]
    report: str


def play(
    header: Header, table: tables.Table, config: tables.Config, waived: Sequence[str] = ()
) -> Played:
    """Run the model on the file's inputs and compare with the file; `waived`: words of waivers."""
    words = ["play", header.block, header.path, header.power_up, header.source, header.reset]
    label = f"playing {header.path}"
    answer = tools.run(PROGRAM, [*words, *table.words(config), *waived], label=label)
    result = json.loads(answer.output) | {"config": table.show(config)}
    return Played(Status(answer.code), result, answer.report)


def records(header: Header, table: tables.Table, config: tables.Config) -> Iterator[dict[str, Any]]:
    """Each cycle as `dump` prints it."""
    words = ["dump", header.block, header.path, 0, header.cycles, *table.words(config)]
    answer = tools.run(PROGRAM, words, label=f"reading {header.path}")
    return map(json.loads, answer.output.splitlines())


def dump(header: Header, first: int, last: int | None) -> None:
    """Print cycles `first` to `last` as JSON lines."""
    table = check_schema(header)
    config = check_config(header, table)
    if first >= header.cycles or (last is not None and last < first):
        asked = f"{first}..{'' if last is None else last}"
        message = f"{header.path}: no cycles {asked}; it has 0..{header.cycles - 1}"
        raise WlkError(Status.USAGE, message if header.cycles else f"{header.path}: has no cycle")
    end = header.cycles if last is None else last + 1
    words = ["dump", header.block, header.path, first, end, *table.words(config)]
    tools.run(PROGRAM, words, label=f"reading {header.path}", capture=False)


def export(
    header: Header, table: tables.Table, config: tables.Config, form: str, out: Path, *, force: bool
) -> dict[str, Any]:
    """Write the file as csv, vcd or fst, or as memories (hex) into a folder; what is known then."""
    words = ["export", *_flags(force=force), header.block, header.path, header.power_up]
    words += [header.source, form, out, table.clock or HARNESS_CLOCK, *table.words(config)]
    is_hex = form == "hex"  # the others may go to stdout
    answer = tools.run(PROGRAM, words, label=f"writing {out}", capture=is_hex)
    return json.loads(answer.output) if is_hex else {}


# ---- making -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Imported:
    """A file made from a recording, and the notes on its configuration."""

    header: Header
    notes: list[str]
    search: dict[str, Any]  # what was inferred from the behaviour, and what was tried
    readings: list[str]  # two of them in words, where the first choice fails
    config: dict[str, Any]  # as one gives it, as far as it is known
    compared: dict[str, Any]  # how many outputs the recording has, and those that it lacks


def _explore(subject: Subject, header: Header, table: tables.Table) -> None:
    """Play the file in what the ports leave open; the layout of the records is the same."""

    def run(wanted: Sequence[tuple[Subject, Trial]]) -> None:
        for _, trial in wanted:
            trial.answer = play(header, table, trial.config)
            trial.note([trial.answer.result], alone=table.clock is None)

    search.explore([[subject]], run)


def _notes(subject: Subject, config: tables.Config) -> list[str]:
    """How each parameter was found that is no mere default."""
    table = subject.found.table
    origins = {
        item.name: f"port {item.evidence}" if _is_shown(table, item) else item.how
        for item in subject.found.params.values()
        if item.how != "default" and not item.ambiguous
    }
    origins |= {item.name: readings.how(subject, item, [subject]) for item in subject.open}
    shown = subject.found.shown(config)
    notes = [
        f"{key}={shown[key]} ({how})" for key, how in table.fold(origins, config).items() if how
    ]
    if subject.open and not subject.chosen.passed:
        reach = f"none plays clean, this one up to cycle {subject.chosen.reach}"
        notes += [*readings.doubts(subject).splitlines(), f"{reach}; --config decides otherwise"]
    return notes


def _is_shown(table: tables.Table, item: ParamValue) -> bool:
    """Is it a port that shows a parameter, and no list, whose items several show?"""
    return item.how == "ports" and bool(item.evidence) and not table.params[item.name].list_of


def _require(found: Match, source: Path, given: Mapping[str, str]) -> None:
    """BAD_CSV, or BAD_PARAMS when it is `given` that does not fit."""
    if found.ok:
        return
    if given and found.notes:
        raise WlkError(Status.BAD_PARAMS, f"{source}: {found.notes[0]}")
    if found.differences:
        first = found.differences[0]
        has = f"block {found.table.name} has {first.expected}"
        text = f"column {first.port}: {first.found}, but {has}"
    elif found.missing_inputs:
        text = f"no column {found.missing_inputs[0]}, an input that a rule reads"
    else:
        text = "no column is an output; nothing to compare"
    raise WlkError(Status.BAD_CSV, f"{source}:1: {text}")


@dataclass
class Gen(Command):
    """Generate a file from a seed."""

    NAME = "gen"
    EXAMPLE = "warplock vectors gen collector c.wlv --config num_lanes=4 --seed 7 --cycles 1e5"

    block: str = operand("BLOCK")
    out: Path = operand("OUT", type=Path)
    seed: int = option(1, "the seed (default: 1)", type=options.number(0, HIGHEST), metavar="S")
    profile: str = option("mix", "kind of stimulus (default: mix, phases of all)")
    cycles: int = option(
        10_000, "how many (default: 10,000)", type=options.number(1, HIGHEST), metavar="N"
    )
    small: bool = option(False, "smallest file instead of fastest writing")
    force: bool = options.force()
    power_up: str = options.power_up()
    config: Mapping[str, str] = options.settings("a parameter; may be given several times")

    def refuse(self) -> None:
        """Names that nothing has."""
        _refuse(self.out, self.force)
        table = tables.load(self.block)
        table.require_profile(self.profile)
        table.config(self.config)

    def run(self) -> int:
        _show_made(self.make(), self.json)
        return 0

    def make(self) -> Header:
        table = tables.load(self.block)
        _refuse(self.out, self.force)
        words = ["gen", *_flags(force=self.force, small=self.small), self.block, self.out]
        words += [self.seed, self.profile, self.cycles, self.power_up]
        words += table.words(table.config(self.config))
        tools.run(PROGRAM, words, label=f"writing {self.out}")
        return read_header(self.out)


@dataclass
class Import(Command):
    """Make a file from a recording."""

    NAME = "import"
    EXAMPLE = "warplock vectors import --csv collector_A.csv.xz a.wlv --block collector"

    csv: Path | None = options.path("the recording", "FILE[.xz]")
    out: Path = operand("OUT", type=Path)
    block: str = option("", "the block that was recorded", metavar="BLOCK", required=True)
    force: bool = options.force()
    power_up: str = options.power_up()
    config: Mapping[str, str] = options.settings("a parameter that the ports do not show")
    strict: bool = options.strict()
    accept_inferred: bool = options.accept_inferred()

    def refuse(self) -> None:
        """A name that the file cannot have."""
        _refuse(self.out, self.force)

    def run(self) -> int:
        done = self.make()
        for note in done.notes:
            print(f"  {note}", file=sys.stderr if self.json else sys.stdout)
        _show_made(done.header, self.json, notes=done.notes, **done.search, **done.compared)
        return 0

    def make(self) -> Imported:
        """The file; parameters that the ports show are inferred. With `strict` AMBIGUOUS when they
        leave open what the behaviour depends on."""
        _refuse(self.out, self.force)
        source, out = self.csv, self.out
        found = match.match(
            tables.load(self.block), csv.read_ports(source), self.config, clock=False
        )
        table = found.table
        _require(found, source, self.config)
        likely = search.first(found)
        if not likely:
            raise WlkError(Status.BAD_PARAMS, f"{source}: {found.refusal_of(found.config)}")
        subject = search.Subject(found)
        # Under another name until the configuration is decided.
        with outputs.temporary(out) as trial:
            header = self._convert(trial, found, likely[0])
            if subject.open:
                _explore(subject, header, table)
                readings.require_accepted(str(source), subject, self.accept_inferred)
                if self.strict:
                    readings.require_pinned([(str(source), True, readings.inferred(subject))])
                config = subject.chosen.config
            else:
                config = likely[0]
            if config == likely[0]:
                outputs.publish(trial, out, replace=self.force)
                header = read_header(out)
            else:
                header = self._convert(out, found, config, force=self.force)
        shown = found.shown(config)
        searched = readings.as_json(subject) if subject.open else {}
        told = readings.ambiguous(subject) if subject.open else []
        compared = match.compared(table, config, found.missing_outputs)
        return Imported(header, _notes(subject, config), searched, told, shown, compared)

    def _convert(
        self, out: Path, found: Match, config: tables.Config, force: bool = False
    ) -> Header:
        table = found.table
        words = ["import", *_flags(force=force), table.name, out, self.csv, self.power_up]
        words += table.words(config)
        feed = csv.lines(self.csv)
        if found.slices:
            widths = {port.name: port.width for port in table.ports(found.config)}
            feed = csv.split_lines(self.csv, found.slices, widths)
        tools.run(PROGRAM, words, label=f"importing {self.csv}", feed=feed)
        return read_header(out)
