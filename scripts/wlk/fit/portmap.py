# SPDX-License-Identifier: Apache-2.0
"""Port maps: where the ports of a block are in a module, or a waveform, of other names and shapes.

Format: docs/port-maps.md. Nothing here knows RTL or waveforms: both give the Shape of each signal
by its name, and get the bits in which a port of the table is.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..base import toml
from ..base.errors import Status, WlkError, nearest
from ..base.options import RESET_WORDS
from ..tables import Expr, Table
from . import match

VERSION = 1
RANDOM = "random"
LOW, ASYNC = "low", "async"  # of a reset; else high, and sync
CHOICES = RESET_WORDS
KEYS = {
    "": {
        "version", "block", "module", "scope", "parameters", "config", "clock", "reset", "ports",
        "tie", "inputs", "outputs", "names",
    },
    "clock": {"port"},
    "reset": {"port", "active", "style"},
    "outputs": {"ignore"},
    "names": {"prefix"},
}  # fmt: skip
PLAIN = ("version", "block", "module", "scope")  # not tables
MOST = 64  # bits of a port
_INDEX = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][\w$]*")
_BELOW = re.compile(r"-\d+(?=[\]:])")
_STEP = re.compile(r"\.([A-Za-z_][\w$]*)|\[(\d+)\]|\[(\d+):(\d+)\]")


# ---- what is where ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """What a signal, or a part of it, is made of: bits, elements, or members."""

    width: int  # [bits] of all of it
    bounds: tuple[int, int] | None = None  # left and right index of its outermost dimension
    element: Shape | None = None  # of an array of arrays; None: of bits
    members: Mapping[str, tuple[int, Shape]] = field(default_factory=dict)  # name -> lowest bit
    unpacked: bool = False  # elements or members are signals of their own
    direction: str | None = None  # where it is not that of the whole
    enum: str | None = None  # of an enumeration: its type, as SystemVerilog has it


@dataclass(frozen=True)
class Bits:
    """Bits of a packed signal."""

    where: str  # the signal: a name, and what leads to an unpacked part of it
    lsb: int
    width: int
    signal: Shape
    direction: str | None = None


@dataclass(frozen=True)
class Place:
    """A place as a map has it: `rd_data[1][0]`, `req.valid`, `flags[3:2]`."""

    text: str
    name: str
    steps: tuple[str | int | tuple[int, int], ...]

    @classmethod
    def of(cls, text: str, where: str) -> Place:
        """USAGE, with `where`, for what is no place."""
        head = _NAME.match(text)
        at, steps = head.end() if head else 0, []
        while head and at < len(text) and (step := _STEP.match(text, at)):
            member, index, left, right = step.groups()
            steps.append(member or (int(index) if index else (int(left), int(right))))
            at = step.end()
        if head is None or at < len(text):
            message = f'"{text}" is no place; write a port with [INDEX], [HIGH:LOW] or .MEMBER'
            raise WlkError(Status.USAGE, f"{where}: {message} behind it")
        return cls(text, head[0], tuple(steps))

    def bits(self, shape: Shape) -> Bits:
        """Where it is in its signal; LookupError in words where the shape has no such place."""
        where, lsb, direction, is_bits = self.name, 0, shape.direction, not shape.unpacked
        signal = shape
        for step in self.steps:
            was_unpacked = shape.unpacked and not is_bits
            low, shape = _step(shape, step)
            direction = shape.direction or direction
            if was_unpacked:
                where += f".{step}" if isinstance(step, str) else f"[{step}]"
                is_bits, signal, lsb = not shape.unpacked, shape, 0
            else:
                lsb += low
        if not is_bits:
            inside = "member" if shape.members else "element"
            raise LookupError(f"it is unpacked, so name one {inside}")
        return Bits(where, lsb, shape.width, signal, direction)


class BeyondError(LookupError):
    """An index that an array does not have."""


def _step(shape: Shape, step: str | int | tuple[int, int]) -> tuple[int, Shape]:
    """The part of a shape that a step leads to, and its lowest bit."""
    if isinstance(step, str):
        if step not in shape.members:
            near = nearest(step, shape.members)
            raise LookupError(f"it has no member {step}{near}")
        return shape.members[step]
    if shape.bounds is None:
        raise LookupError("it is one bit" if shape.width == 1 else "it is no array")
    left, right = shape.bounds
    ends = step if isinstance(step, tuple) else (step, step)
    if not all(min(left, right) <= each <= max(left, right) for each in ends):
        raise BeyondError(f"its indices are [{left}:{right}]")
    each = shape.element.width if shape.element else 1
    low = min(abs(end - right) for end in ends) * each
    if isinstance(step, int):
        return low, shape.element or Shape(1)
    if shape.unpacked:
        raise LookupError("it is unpacked, so name one element")
    if (ends[0] - ends[1]) * (left - right) < 0:
        raise LookupError(f"its indices run the other way: [{left}:{right}]")
    return low, Shape((abs(ends[0] - ends[1]) + 1) * each, ends, shape.element)


def matches(name: str, pattern: str) -> bool:
    """Is it the pattern's, in which * stands for anything?"""
    return fnmatch.fnmatchcase(name, pattern)


# ---- the map ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reset:
    """The reset of a module."""

    port: str | None = None
    active: str | None = None  # high, where nothing is said
    style: str | None = None  # sync


@dataclass(frozen=True)
class PortMap:
    """What a map says; without anything it changes nothing."""

    where: str = "the port map"  # the file, for messages
    block: str | None = None
    module: str | None = None
    scope: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, str] = field(default_factory=dict)
    clock: str | None = None
    reset: Reset = Reset()
    ports: Mapping[str, str] = field(default_factory=dict)
    tie: Mapping[str, int] = field(default_factory=dict)
    inputs: Mapping[str, int | None] = field(default_factory=dict)  # None: random
    ignore: Sequence[str] = ()
    prefix: str = ""

    @property
    def is_async(self) -> bool:
        """Is the model in its reset state while the reset is asserted?"""
        return self.reset.style == ASYNC

    def require_block(self, table: Table) -> None:
        """USAGE when it is for another block."""
        if self.block not in (None, table.name):
            message = f'block = "{self.block}", and the block here is {table.name}'
            raise WlkError(Status.USAGE, f"{self.where}: {message}; give the map of {table.name}")

    def given(self, config: Sequence[str]) -> list[str]:
        """Words of --config, those of the map behind them where they do not contradict."""
        keys = {word.partition("=")[0] for word in config}
        return [*config, *(f"{k}={v}" for k, v in self.config.items() if k not in keys)]

    def ignored(self, name: str) -> bool:
        """Is this output of the module not to be looked at?"""
        return any(matches(name, pattern) for pattern in self.ignore)

    def names_for(self, name: str) -> list[str]:
        """What the table may call a port of the module of this name."""
        if not self.prefix:
            return [name]
        other = name.removeprefix(self.prefix) if name.startswith(self.prefix) else None
        return [each for each in (name, other, self.prefix + name) if each]

    def entries(self, table: Table) -> Iterator[Entry]:
        """Each port of the table that it places, the clock and the reset first; USAGE for a name
        that the block does not have, and for a port that is named twice."""
        named: dict[str, str] = {}
        for entry in self._all_entries(table):
            if entry.port in named:
                message = f"{entry.port} is named twice, by {named[entry.port]} and {entry.by}"
                raise WlkError(Status.USAGE, f"{self.where}: {message}; remove one of them")
            named[entry.port] = entry.by
            yield entry

    def _all_entries(self, table: Table) -> Iterator[Entry]:
        for key, port, own in (
            ("clock", table.clock, self.clock),
            ("reset", table.reset, self.reset.port),
        ):
            if own is None:
                continue
            if port is None:
                message = f"[{key}]: block {table.name} has no {key}; remove it, or place the "
                raise WlkError(Status.USAGE, f"{self.where}: {message}module's by [inputs]")
            where = f"{self.where}: [{key}] port"
            yield Entry(port, Place.of(own, where), f"[{key}]", False)
        names = list(match.port_names(table))
        for key, text in self.ports.items():
            where = f"{self.where}: [ports] {key}"
            found = list(_matching(table, key, names, where))
            if not found:
                message = f"block {table.name} has no such port{nearest(key, names)}"
                raise WlkError(Status.USAGE, f"{where}: {message}")
            by, beyond = f"[ports] {key}", ""
            places = [(name, indices, _put(text, indices, where)) for name, indices in found]
            for name, indices, put in places:
                if below := _BELOW.search(put):
                    beyond = f'"{put}" has the index {below[0]}; the least is 0'
                    continue  # as an index that is too high
                yield Entry(name, Place.of(put, where), by, "{" in key, tuple(indices.values()))
            if beyond and all(_BELOW.search(put) for *_, put in places):
                raise WlkError(Status.USAGE, f"{where}: {beyond}")


@dataclass(frozen=True)
class Entry:
    """A port of the table and its place."""

    port: str
    place: Place
    by: str  # the line of the map
    several: bool  # the line places others too: one that is not there is none
    indices: tuple[int, ...] = ()  # numbers in the port's name


def within(found: Sequence[tuple[Entry, str, int, int]]) -> list[bool]:
    """Which of the entries of one line are there. Each is an entry with its signal, lowest bit and
    width. Where an index counts elements inside those of another one, as l in [{i*128+l*32}], there
    are as many as fit between two of the other."""
    keep = [True] * len(found)
    bits = [{(where, bit) for bit in range(low, low + width)} for _, where, low, width in found]
    if not found or len(set().union(*bits)) == sum(map(len, bits)):
        return keep
    at = {entry.indices: (where, low) for entry, where, low, _ in found}
    count = len(found[0][0].indices)
    strides = []
    for index in range(count):
        ends = (tuple(int(k == index) * n for k in range(count)) for n in (0, 1))
        (here, low), (there, high) = (at.get(end, ("", 0)) for end in ends)
        strides.append(abs(high - low) if here and here == there else 0)
    for index, stride in enumerate(strides):
        longer = [
            each
            for other, each in enumerate(strides)
            if each > stride > 0 or (each == stride > 0 and other < index)
        ]
        if longer:
            most = min(longer) // stride
            keep = [
                is_kept and entry.indices[index] < most
                for is_kept, (entry, *_) in zip(keep, found, strict=True)
            ]
    return keep


def _matching(
    table: Table, key: str, names: Sequence[str], where: str
) -> Iterator[tuple[str, dict[str, int]]]:
    """The table's ports that a key means, with the indices in it."""
    pattern, indices = _pattern(key, where)
    for name in names:
        if found := pattern.fullmatch(name):
            yield name, dict(zip(indices, map(int, found.groups()), strict=True))
    for stem in match.opaque_stems(table):  # ports of a payload: of any name
        for cut in (at for at, letter in enumerate(key) if letter == "_"):
            head, tail = key[: cut + 1], key[cut + 1 :]
            if "{" in tail or not tail or stem + tail in names:
                continue
            pattern, indices = _pattern(head, where)
            if found := pattern.fullmatch(stem):
                yield stem + tail, dict(zip(indices, map(int, found.groups()), strict=True))


def _pattern(key: str, where: str) -> tuple[re.Pattern[str], list[str]]:
    """A key as a regular expression, and the names of its indices."""
    parts = _INDEX.split(key)
    names, literals = parts[1::2], parts[::2]
    bad = [name for name in names if not name.isidentifier() or names.count(name) > 1]
    if bad or "{" in "".join(literals):
        message = f"{{{bad[0] if bad else ''}}} is no index; write {{i}}, and each name once"
        raise WlkError(Status.USAGE, f"{where}: {message}")
    return re.compile(r"(\d+)".join(map(re.escape, literals))), names


def _put(text: str, indices: Mapping[str, int], where: str) -> str:
    """A place with its indices, or expressions of them, filled in."""

    def value(found: re.Match[str]) -> str:
        try:
            expr = Expr(found[1], where)
        except WlkError as error:
            hint = "write numbers, the indices, and + - * // %"
            raise WlkError(Status.USAGE, f"{error.message}; {hint}") from error
        if unknown := sorted(expr.names - indices.keys()):
            names = ", ".join(f"{{{name}}}" for name in indices) or "none"
            message = f"{{{unknown[0]}}} is not in the name before the sign =; it has {names}"
            raise WlkError(Status.USAGE, f"{where}: {message}")
        try:
            return str(expr(dict(indices)))
        except (ArithmeticError, ValueError) as error:
            at = ", ".join(f"{name} = {each}" for name, each in indices.items())
            message = f"{{{found[1]}}} has no value with {at}: {error}"
            raise WlkError(Status.USAGE, f"{where}: {message}; write another expression") from error

    return _INDEX.sub(value, text)


# ---- reading ------------------------------------------------------------------------------------


def read(path: Path | None) -> PortMap:
    """A map from its file, if any; NO_FILE or USAGE in one line that names file and key."""
    return PortMap() if path is None else parsed(decoded(path, "--map")[0], str(path))


def decoded(path: Path, flag: str) -> tuple[dict[str, Any], str]:
    """A file in TOML that an option names, and its text; NO_FILE or USAGE."""
    text = ""
    try:
        text = path.read_text(encoding="utf-8")
        return toml.loads(text), text
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise WlkError(Status.NO_FILE, f"{flag} {path}: {why}") from error
    except toml.BadTomlError as error:
        raise WlkError(Status.USAGE, f"{path}: {_unread(error, text)}") from error


def _unread(error: toml.BadTomlError, text: str) -> str:
    """What is wrong with a text that is no TOML."""
    if "overwrite" not in str(error):
        return str(error)
    rows = text.rstrip().split("\n")
    found = re.search(r"at line (\d+)", str(error))
    line = int(found[1]) if found else len(rows)
    key = rows[line - 1].partition("=")[0].strip()
    return f"line {line}: {key} stands twice; remove one of them"


def parsed(raw: Mapping[str, Any], where: str) -> PortMap:
    """A map from its decoded text; `where`: its file, for messages."""
    _check(raw, where)
    if raw.get("version", VERSION) != VERSION:
        message = f"version = {raw['version']}, and this warplock reads version {VERSION}"
        raise WlkError(Status.USAGE, f"{where}: {message}")
    reset, names = raw.get("reset", {}), raw.get("names", {})
    for key, legal in CHOICES.items():
        if reset.get(key, legal[0]) not in legal:
            message = f'[reset] {key} must be "{legal[0]}" or "{legal[1]}", one of them'
            raise WlkError(Status.USAGE, f"{where}: {message}; found {reset[key]!r}")
    texts = {key: raw.get(key) for key in ("block", "module", "scope")}
    values = {key: _values(raw.get(key, {}), key, where) for key in ("parameters", "config")}
    inputs = _numbers(raw.get("inputs", {}), "inputs", where, RANDOM)
    return PortMap(
        where=where,
        **texts,
        **values,
        clock=_text(raw.get("clock", {}), "clock", "port", where),
        reset=Reset(_text(reset, "reset", "port", where), reset.get("active"), reset.get("style")),
        ports={key: _text(raw["ports"], "ports", key, where) for key in raw.get("ports", {})},
        tie=_numbers(raw.get("tie", {}), "tie", where),
        inputs=inputs,
        ignore=_list(raw.get("outputs", {}).get("ignore", []), where),
        prefix=_text(names, "names", "prefix", where) or "",
    )


def _check(raw: Mapping[str, Any], where: str) -> None:
    """USAGE for a key that does not exist, and for a table that is none."""
    for key, value in raw.items():
        if key not in KEYS[""]:
            raise WlkError(Status.USAGE, f"{where}: no key {key}{nearest(key, sorted(KEYS['']))}")
        if (key in PLAIN) == isinstance(value, dict):
            form = f'{key} = "NAME"' if key in PLAIN else f"a table [{key}]"
            raise WlkError(Status.USAGE, f"{where}: {key}: {form} is wanted")
        for each in value if key in KEYS and key not in PLAIN else ():
            if each not in KEYS[key]:
                near = nearest(each, sorted(KEYS[key]))
                raise WlkError(Status.USAGE, f"{where}: [{key}] has no key {each}{near}")
    for key in PLAIN[1:]:
        _text(raw, "", key, where)


def _text(values: Mapping[str, Any], head: str, key: str, where: str) -> str | None:
    value = values.get(key)
    if value is not None and not isinstance(value, str):
        at = f"[{head}] {key}" if head else key
        raise WlkError(Status.USAGE, f"{where}: {at} must be a string, and not {value!r}")
    return value


def _values(found: Mapping[str, Any], head: str, where: str) -> dict[str, str]:
    for key, value in found.items():
        if not isinstance(value, (int, str)):
            message = f"[{head}] {key} must be a number or a string, and not {value!r}"
            raise WlkError(Status.USAGE, f"{where}: {message}")
    return {key: str(int(v) if isinstance(v, bool) else v) for key, v in found.items()}


def _numbers(
    found: Mapping[str, Any], head: str, where: str, word: str | None = None
) -> dict[str, int | None]:
    """Constants, 0 or more; `word` stands for None."""
    for key, value in found.items():
        is_number = isinstance(value, int) and value >= 0
        if not is_number and (word is None or value != word):
            also = f' or "{word}"' if word else ""
            message = f"[{head}] {key} must be a number, 0 or more{also}; found {value!r}"
            raise WlkError(Status.USAGE, f"{where}: {message}")
    return {key: None if value == word else int(value) for key, value in found.items()}


def _list(found: Any, where: str) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        message = f'[outputs] ignore must be a list of names, as ["dbg_*"]; found {found!r}'
        raise WlkError(Status.USAGE, f"{where}: {message}")
    return tuple(found)


# ---- flags --------------------------------------------------------------------------------------


def with_flags(
    found: PortMap,
    *,
    clock: str | None = None,
    reset: tuple[str, str | None, str | None] | None = None,
    prefix: str | None = None,
    parameters: Mapping[str, str] | None = None,
) -> PortMap:
    """A map with what flags say; USAGE where they contradict it. `reset`: port, active and style,
    each None where the flag is silent."""
    port, active, style = reset or (None, None, None)
    pairs = [
        ("--clock", clock, found.clock),
        ("--reset", port, found.reset.port),
        ("--reset", active, found.reset.active),
        ("--reset", style, found.reset.style),
        ("--prefix", prefix, found.prefix or None),
    ]
    for flag, given, own in pairs:
        if given is not None and own not in (None, given):
            message = f"{flag} says {given}, and {found.where} says {own}; give one of them"
            raise WlkError(Status.USAGE, message)
    merged = Reset(
        port or found.reset.port, active or found.reset.active, style or found.reset.style
    )
    return replace(
        found,
        clock=clock or found.clock,
        reset=merged,
        prefix=prefix or found.prefix,
        parameters={**found.parameters, **(parameters or {})},
    )
