# SPDX-License-Identifier: Apache-2.0
"""Waivers: known differences of outputs that a run does not stop at. Format: docs/waivers.md.

A file is read before any work; what it says is checked against the ports of the blocks that run.
The checker masks and counts (dpi/src/waivers.c); a waiver that hides nothing fails the command.
"""

from __future__ import annotations

import contextlib
import datetime
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import tables
from ..base import options, report
from ..base.entries import Entry
from ..base.errors import Status, WlkError, nearest
from ..base.options import option
from ..tables import Config, Table
from .conditions import compiled
from .portmap import decoded

VERSION = 1
NEEDED = ("block", "port", "reason", "owner", "until")
KEYS = (*NEEDED, "bits", "when", "config")
GROUP = "known differences"
FAIL, NOTE = "fail", "note"
HIT, UNUSED, UNJUDGED, ABSENT = "hit", "unused", "not judged", "not in this run"
STATES = {
    HIT: "it masks a difference",
    UNUSED: "it masks no difference",
    UNJUDGED: "no hit, but a run failed before its end",
    ABSENT: "nothing here that it is about",
}
_BITS = re.compile(r"(\d{1,9})(?::(\d{1,9}))?")
_ROW = re.compile(r"^\s*\[\[\s*waiver\s*\]\]")
Subject = tuple[Table, Config]  # a block in a configuration


@dataclass(frozen=True)
class Waiver:
    """A table [[waiver]] of a file."""

    number: int  # among all of a command, from 0
    place: str  # FILE:LINE, or as far as it is known; each has another
    where: str  # with its number in the file, for messages
    block: str
    port: str  # * stands for any text
    bits: tuple[int, int] | None  # the highest and the lowest; None: all
    when: str  # empty: in every cycle
    config: Mapping[str, str]
    reason: str
    owner: str
    until: datetime.date

    @property
    def title(self) -> str:
        high, low = self.bits or (0, 0)
        bits = f"[{high}:{low}]" if high > low else f"[{low}]"
        return f"{self.block} {self.port}{bits if self.bits else ''}"

    @property
    def identity(self) -> tuple[Any, ...]:
        """What two that are the same share."""
        when = "".join(self.when.split())
        return self.block, self.port, self.bits, when, tuple(sorted(self.config.items()))

    def fits(self, table: Table, cfg: Config) -> bool:
        """Is it about this block in this configuration?"""
        if table.name != self.block:
            return False
        shown = table.show(cfg)
        return all(str(shown.get(key)) == value for key, value in self.config.items())

    def words(self, table: Table, cfg: Config) -> list[str]:
        """What the checker is given for each port; none if the configuration has no such port."""
        ports = {port.name: port for port in table.ports(cfg)}
        widths = {name: port.width for name, port in ports.items()}
        pattern = re.compile(r"(\w*)".join(map(re.escape, self.port.split("*"))))
        named = [(name, found) for name in ports if (found := pattern.fullmatch(name))]
        outputs = [each for each in named if ports[each[0]].direction == "out"]
        if named and not outputs:
            message = f"{named[0][0]} is an input, and only outputs are compared"
            raise WlkError(Status.USAGE, f"{self.where}: port: {message}; name an output")
        made = []
        for name, found in outputs:
            bits = self._bits(name, widths[name])
            when = ()
            if self.when:
                when = compiled(self.when, f"{self.where}: when", widths, found.groups())
            made.append(" ".join((self.block, str(self.number), name, f"{bits:#x}", *when)))
        return made

    def _bits(self, name: str, width: int) -> int:
        high, low = self.bits or (width - 1, 0)
        if high >= width:
            message = f"bits: {name} has the bits {width - 1}:0, and not {high}:{low}"
            raise WlkError(Status.USAGE, f"{self.where}: {message}; write bits that it has")
        return (1 << (high + 1)) - (1 << low)

    def json(self) -> dict[str, Any]:
        bits = {"bits": f"{self.bits[0]}:{self.bits[1]}"} if self.bits else {}
        more = bits | ({"when": self.when} if self.when else {})
        more |= {"config": dict(self.config)} if self.config else {}
        own = {"waiver": self.place, "block": self.block, "port": self.port} | more
        return own | {"reason": self.reason, "owner": self.owner, "until": str(self.until)}


# ---- what a command does with them --------------------------------------------------------------


@dataclass
class Tally:
    """What a waiver has masked in all runs."""

    runs: int = 0  # that it is about
    cut: int = 0  # of these: those that failed, and so ended early
    cycles: int = 0


@dataclass
class Waivers:
    """Those of a command, and what became of them."""

    listed: Sequence[Waiver] = ()
    tallies: dict[int, Tally] = field(default_factory=dict)

    def require(self, subjects: Iterable[Subject]) -> None:
        """USAGE for a port that no configuration of its block has in this command."""
        lacking: dict[int, tuple[Waiver, Table, Config]] = {}
        found: set[int] = set()
        for (table, cfg), waiver in ((s, w) for s in subjects for w in self.listed):
            if table.name == waiver.block:
                _require_keys(waiver, table)
            if not waiver.fits(table, cfg):
                continue
            if waiver.words(table, cfg):
                found.add(waiver.number)
            else:
                lacking.setdefault(waiver.number, (waiver, table, cfg))
        for number, (waiver, table, cfg) in lacking.items():
            if number not in found:
                outputs = [p.name for p in table.ports(cfg) if p.direction == "out"]
                message = f"port: {table.name} has no port {waiver.port}"
                near = nearest(waiver.port, outputs)
                raise WlkError(Status.USAGE, f"{waiver.where}: {message}{near}")

    def words(self, subjects: Iterable[Subject]) -> list[str]:
        """As the tools take them."""
        return [
            f"waive={text}"
            for table, cfg in subjects
            for waiver in self.of(table, cfg)
            for text in waiver.words(table, cfg)
        ]

    def of(self, table: Table, cfg: Config) -> list[Waiver]:
        """Those about a block in a configuration."""
        return [waiver for waiver in self.listed if waiver.fits(table, cfg)]

    def named(self, table: Table, cfg: Config) -> list[tuple[str, str]]:
        """What each is called and given as, for a checker of one configuration."""
        self.require([(table, cfg)])
        return [
            (f"({waiver.place}) {waiver.port}: {waiver.reason}", text)
            for waiver in self.of(table, cfg)
            for text in waiver.words(table, cfg)
        ]

    def shown(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """What a tool reports of hits, for people's programs: the key `waived`."""
        if "waived" not in answer:
            return {}
        made = []
        for raw in answer["waived"]:
            waiver = self.listed[raw["waiver"]]
            ends = {
                end: {
                    key: raw[f"{end}_{key}"] for key in ("seed", "cycle") if f"{end}_{key}" in raw
                }
                for end in ("first", "last")
            }
            own = {"waiver": waiver.place, "block": waiver.block, "port": waiver.port}
            made.append(own | {"cycles": raw["cycles"]} | ends | {"reason": waiver.reason})
        return {"waived": made}

    def note(self, verdict: Status, subjects: Iterable[Subject], shown: Any) -> None:
        """Count a run with the hits that `shown` made of its answer."""
        hits = {hit["waiver"]: hit for hit in shown or ()}
        subjects = list(subjects)
        for waiver in self.listed:
            if not any(waiver.fits(*s) and waiver.words(*s) for s in subjects):
                continue
            tally = self.tallies.setdefault(waiver.number, Tally())
            tally.runs += 1
            tally.cut += verdict not in (Status.OK, Status.VACUOUS)
            if hit := hits.get(waiver.place):
                tally.cycles += hit["cycles"]

    def state(self, waiver: Waiver) -> str:
        """What became of it: one of STATES."""
        tally = self.tallies.get(waiver.number)
        if tally is None:
            return ABSENT
        return HIT if tally.cycles else UNJUDGED if tally.cut else UNUSED

    def of_state(self, state: str) -> list[Waiver]:
        return [waiver for waiver in self.listed if self.state(waiver) == state]

    def json(self) -> list[dict[str, Any]]:
        """Each with what became of it."""
        made = []
        for waiver in self.listed:
            tally = self.tallies.get(waiver.number, Tally())
            counts = {"runs": tally.runs, "cycles": tally.cycles}
            made.append(waiver.json() | counts | {"state": self.state(waiver)})
        return made


def _end(raw: Mapping[str, int], end: str) -> dict[str, int]:
    return {key: raw[f"{end}_{key}"] for key in ("seed", "cycle") if f"{end}_{key}" in raw}


def _at(where: Mapping[str, int]) -> str:
    seed = f" of seed {where['seed']}" if "seed" in where else ""
    return f"cycle {where['cycle']:,}{seed}"


def lines(shown: Mapping[str, Any]) -> list[str]:
    """The hits of a run, a line each."""
    return [
        f"waived ({hit['waiver']}): {hit['port']} in {hit['cycles']:,} cycles, from "
        f"{_at(hit['first'])} to {_at(hit['last'])}: {hit['reason']}"
        for hit in shown.get("waived", ())
    ]


@dataclass(kw_only=True)
class Waiving:
    """A command that takes waivers: its options."""

    waive: list[Path] = options.path(
        "known differences that are no failure (docs/waivers.md); may be repeated",
        "FILE.toml",
        [],
        group=GROUP,
    )
    unused_waivers: str = option(
        FAIL,
        "what a waiver is that masks no difference: fail (default), UNUSED_WAIVER, or a note",
        choices=(FAIL, NOTE),
        group=GROUP,
    )
    waivers: Waivers = field(default_factory=Waivers)

    def read_waivers(self) -> None:
        """Before any work; WlkError for what cannot be read, and for one that has expired."""
        self.waivers = read(self.waive)

    def waive_again(self) -> list[str]:
        """The options with which one run of several is repeated."""
        words = [word for path in self.waive for word in ("--waive", str(path))]
        return [*words, "--unused-waivers", NOTE] if words else []

    def judge_waivers(self, code: int, entries: list[Entry], *, as_json: bool) -> int:
        """Show what became of them; the exit code of runs that ended with `code`. Those that are
        unused join the entries."""
        if not self.waivers.listed:
            return code
        stream = sys.stderr if as_json else sys.stdout
        print(f"waivers: {len(self._of(HIT))} of {len(self.waivers.listed)} hit", file=stream)
        for state in (UNJUDGED, ABSENT):
            for waiver in self._of(state):
                print(f"  {waiver.where}: {waiver.title}: {STATES[state]}", file=stream)
        verdict = report.verdict_name(Status.UNUSED_WAIVER)
        message = f"{STATES[UNUSED]}; remove it, or correct its port and condition"
        for waiver in self._of(UNUSED):
            owner = f"{verdict}, owner {waiver.owner}"
            print(f"{waiver.where}: {waiver.title}: {message} ({owner})", file=sys.stderr)
        fails = bool(self._of(UNUSED)) and self.unused_waivers == FAIL
        for waiver in self._of(UNUSED) if fails else ():
            answer = {"block": waiver.block, "verdict": verdict, "message": message}
            entries.append(Entry(answer, f"{waiver.where}: {waiver.title}"))
        if as_json:
            word = verdict if fails else report.verdict_name(Status.OK)
            report.json_line({"waivers": self.waivers.json(), "verdict": word})
        return int(report.worst([Status(code), Status.UNUSED_WAIVER])) if fails else code

    def _of(self, state: str) -> list[Waiver]:
        return self.waivers.of_state(state)


# ---- reading ------------------------------------------------------------------------------------


def read(paths: Sequence[Path], today: datetime.date | None = None) -> Waivers:
    """The waivers of files; NO_FILE, USAGE, or EXPIRED_WAIVER in one line that names file and
    key. `today`: in UTC."""
    today = today or datetime.datetime.now(datetime.UTC).date()
    listed: list[Waiver] = []
    for path in paths:
        raw, text = decoded(path, "--waive")
        for place, where, row in _rows(raw, text, path):
            waiver = _waiver(row, len(listed), place, where)
            _require_new(waiver, listed)
            if waiver.until < today:
                who = f"owner {waiver.owner}; reason: {waiver.reason}"
                remedy = "mend what it hides and remove it, or give a later day"
                message = f"{where}: {waiver.title} expired on {waiver.until} ({who}); {remedy}"
                raise WlkError(Status.EXPIRED_WAIVER, message)
            listed.append(waiver)
    return Waivers(listed)


def _rows(
    raw: Mapping[str, Any], text: str, path: Path
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The tables of a file: `place` and `where` of each."""
    for key in raw:
        if key not in ("version", "waiver"):
            near = nearest(key, ("version", "waiver"))
            raise WlkError(Status.USAGE, f"{path}: no key {key}{near}; write tables [[waiver]]")
    if raw.get("version", VERSION) != VERSION:
        message = f"version = {raw['version']}, and this warplock reads version {VERSION}"
        raise WlkError(Status.USAGE, f"{path}: {message}")
    rows = raw.get("waiver", [])
    if not rows or not isinstance(rows, list) or not all(isinstance(r, Mapping) for r in rows):
        message = "one table [[waiver]] or more is wanted"
        raise WlkError(Status.USAGE, f"{path}: {message}")
    heads = [n for n, line in enumerate(text.split("\n"), 1) if _ROW.match(line)]
    placed = heads if len(heads) == len(rows) else [None] * len(rows)
    for number, (row, line) in enumerate(zip(rows, placed, strict=True), 1):
        place = f"{path}:{line}" if line else f"{path}: waiver {number}"
        yield place, f"{path}:{line}: waiver {number}" if line else place, row


def _waiver(row: Mapping[str, Any], number: int, place: str, where: str) -> Waiver:
    for key in row:
        if key not in KEYS:
            raise WlkError(Status.USAGE, f"{where}: no key {key}{nearest(key, KEYS)}")
    for key in NEEDED:
        if key not in row:
            raise WlkError(Status.USAGE, f"{where}: {key} is missing; {_WANTED[key]}")
    texts = {key: _text(row, key, where) for key in ("block", "port", "reason", "owner")}
    when = _text(row, "when", where) if "when" in row else ""
    if texts["block"] not in tables.names():
        near = nearest(texts["block"], tables.names(), "the blocks are")
        message = f"block: there is no block {texts['block']}{near}"
        raise WlkError(Status.USAGE, f"{where}: {message}")
    bits, until, config = _bits(row, where), _until(row, where), _config(row, where)
    more = {"bits": bits, "when": when, "config": config, "until": until}
    return Waiver(number, place, where, **texts, **more)


_WANTED = {
    "block": 'name the block, as block = "collector"',
    "port": 'name an output, as port = "io_readReq_ready"',
    "reason": "say in a line why the difference is known",
    "owner": "name who mends it",
    "until": "give the last day on which it holds, as until = 2030-12-31",
    "when": "write a condition, or leave it out",
}


def _text(row: Mapping[str, Any], key: str, where: str) -> str:
    value = row[key]
    if not isinstance(value, str) or not value.strip():
        raise WlkError(Status.USAGE, f"{where}: {key}: found {value!r}; {_WANTED[key]}")
    return value.strip()


def _bits(row: Mapping[str, Any], where: str) -> tuple[int, int] | None:
    if "bits" not in row:
        return None
    value = row["bits"]
    found = _BITS.fullmatch(str(value)) if isinstance(value, (str, int)) else None
    high, low = (int(found[1]), int(found[2] or found[1])) if found else (0, 1)
    if high < low or isinstance(value, bool):
        hint = 'write the highest and the lowest, as bits = "7:0"'
        raise WlkError(Status.USAGE, f"{where}: bits: found {value!r}; {hint}")
    return high, low


def _until(row: Mapping[str, Any], where: str) -> datetime.date:
    value = row["until"]
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = datetime.date.fromisoformat(value)
    if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
        raise WlkError(Status.USAGE, f"{where}: until: found {value!r}; {_WANTED['until']}")
    return value


def _config(row: Mapping[str, Any], where: str) -> dict[str, str]:
    value = row.get("config", {})
    if not isinstance(value, Mapping) or not all(isinstance(v, (int, str)) for v in value.values()):
        hint = "write parameters, as config = { num_lanes = 4 }"
        raise WlkError(Status.USAGE, f"{where}: config: found {value!r}; {hint}")
    return {key: str(each) for key, each in value.items()}


def _require_keys(waiver: Waiver, table: Table) -> None:
    for key in waiver.config:
        if key not in table.settings():
            message = f"config: {table.name} has no parameter {key}"
            raise WlkError(
                Status.USAGE, f"{waiver.where}: {message}{nearest(key, table.settings())}"
            )


def _require_new(waiver: Waiver, others: Sequence[Waiver]) -> None:
    for other in others:
        if other.identity == waiver.identity:
            message = f"{waiver.title} is waived by {other.where} already; remove one of them"
            raise WlkError(Status.USAGE, f"{waiver.where}: {message}")
