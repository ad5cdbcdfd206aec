# SPDX-License-Identifier: Apache-2.0
"""Port tables: load `refmodel/blocks/*.toml`, evaluate them for a configuration, lay out records.

A table names every port of a block once. From it everything else is generated. This module is
the only one that reads the tables; the format is documented in docs/port-tables.md.

Record layout (one record = one cycle; 64-bit words):
  in  = control words, then each input payload in whole words
  out = control words, then each output payload in whole words
A control field never straddles a word and sits at a place that depends on no parameter value:
space is reserved for the widest legal width and the largest count, and the elements of an array
that fits in a word lie side by side. Larger arrays whose count is a parameter form one group of
whole words a side, repeated `count` times. The fields of a unit (an instruction, say) fill words
of their own, equal wherever the unit is used. Fields that no rule reads come last.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import itertools
import json
import math
import string
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from .errors import Status, WlkError

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = ROOT / "refmodel" / "blocks"
FAMILIES = BLOCKS / "family"
FORMAT = 1
WORD = 64

Config = dict[str, int]


def clog2(n: int) -> int:
    """ceil(log2 n); 0 for n <= 1."""
    return max(0, (n - 1).bit_length())


def idw(n: int) -> int:
    """Width of an index below n [bits]: at least 1."""
    return max(1, clog2(n))


def lane_step(width: int) -> int:
    """Bits from one lane of a payload to the next: no lane straddles a word."""
    return 1 << clog2(width)


FUNCTIONS: dict[str, Callable[..., int]] = {"clog2": clog2, "idw": idw, "min": min, "max": max}
_BINARY = {
    ast.Add: ("+", lambda a, b: a + b),
    ast.Sub: ("-", lambda a, b: a - b),
    ast.Mult: ("*", lambda a, b: a * b),
    ast.FloorDiv: ("/", lambda a, b: a // b),
    ast.Mod: ("%", lambda a, b: a % b),
}
_COMPARE = {
    ast.Gt: (">", lambda a, b: a > b),
    ast.GtE: (">=", lambda a, b: a >= b),
    ast.Lt: ("<", lambda a, b: a < b),
    ast.LtE: ("<=", lambda a, b: a <= b),
    ast.Eq: ("==", lambda a, b: a == b),
    ast.NotEq: ("!=", lambda a, b: a != b),
}


class Expr:
    """An integer expression of the parameters; evaluates in Python and prints as C."""

    def __init__(self, text: str, where: str) -> None:
        self.text = str(text)
        self.where = where
        try:
            self._node = ast.parse(self.text, mode="eval").body
            self.names = frozenset(self._walk(self._node))
        except (SyntaxError, ValueError) as exc:
            raise WlkError(
                Status.MODEL_ERROR, f"{where}: cannot read the expression '{text}': {exc}"
            ) from exc

    def _walk(self, node: ast.AST) -> Iterator[str]:
        match node:
            case ast.Name(id=name):
                yield name
            case ast.Constant(value=int()):
                pass
            case ast.BinOp(left=a, op=op, right=b) if type(op) in _BINARY:
                yield from self._walk(a)
                yield from self._walk(b)
            case ast.Compare(left=a, ops=[op], comparators=[b]) if type(op) in _COMPARE:
                yield from self._walk(a)
                yield from self._walk(b)
            case ast.BoolOp(values=values):
                for value in values:
                    yield from self._walk(value)
            case ast.Call(func=ast.Name(id=name), args=args) if name in FUNCTIONS:
                for arg in args:
                    yield from self._walk(arg)
            case _:
                raise ValueError(f"'{ast.unparse(node)}' is not allowed")

    def __call__(self, cfg: Config) -> int:
        return int(self._eval(self._node, cfg))

    def _eval(self, node: ast.AST, cfg: Config) -> int:
        match node:
            case ast.Name(id=name):
                return cfg[name]
            case ast.Constant(value=value):
                return value
            case ast.BinOp(left=a, op=op, right=b):
                return _BINARY[type(op)][1](self._eval(a, cfg), self._eval(b, cfg))
            case ast.Compare(left=a, ops=[op], comparators=[b]):
                return _COMPARE[type(op)][1](self._eval(a, cfg), self._eval(b, cfg))
            case ast.BoolOp(op=op, values=values):
                results = (bool(self._eval(v, cfg)) for v in values)
                return all(results) if isinstance(op, ast.And) else any(results)
            case ast.Call(func=ast.Name(id=name), args=args):
                return FUNCTIONS[name](*(self._eval(a, cfg) for a in args))
        raise AssertionError(ast.dump(node))

    def c(self, prefix: str = "cfg->") -> str:
        """The expression as C, with parameters as `<prefix><name>`."""
        return self._c(self._node, prefix)

    def _c(self, node: ast.AST, p: str) -> str:
        match node:
            case ast.Name(id=name):
                return p + name
            case ast.Constant(value=value):
                return f"{value}u"
            case ast.BinOp(left=a, op=op, right=b):
                return f"({self._c(a, p)} {_BINARY[type(op)][0]} {self._c(b, p)})"
            case ast.Compare(left=a, ops=[op], comparators=[b]):
                return f"({self._c(a, p)} {_COMPARE[type(op)][0]} {self._c(b, p)})"
            case ast.BoolOp(op=op, values=values):
                glue = " && " if isinstance(op, ast.And) else " || "
                return "(" + glue.join(self._c(v, p) for v in values) + ")"
            case ast.Call(func=ast.Name(id=name), args=args):
                return f"wlk_{name}(" + ", ".join(self._c(a, p) for a in args) + ")"
        raise AssertionError(ast.dump(node))


@dataclass(frozen=True)
class Param:
    """A parameter of a block. A value is an int; a named value is its position in `names`."""

    name: str
    default: int
    legal: tuple[int, ...]
    names: tuple[str, ...] = ()
    behavioural: bool = False
    doc: str = ""
    list_of: str = ""  # the list it is an item of
    derived: bool = False  # follows from the ports that an opaque field has: nobody gives it

    def show(self, value: int) -> str:
        """The value as a person writes it."""
        return self.names[value] if self.names else str(value)

    def describe(self) -> str:
        """The legal values in words."""
        if self.names:
            return " | ".join(self.names)
        if len(self.legal) > 2 and self.legal[-1] - self.legal[0] + 1 != len(self.legal):
            return "one of " + ", ".join(map(str, self.legal))
        if len(self.legal) <= 2:
            return " or ".join(map(str, self.legal))
        return f"{self.legal[0]}..{self.legal[-1]}"

    def parse(self, text: str | int | bool) -> int:
        """A value from what a person wrote; WlkError BAD_CONFIG when it is not legal."""
        if self.names:
            if str(text) in self.names:
                return self.names.index(str(text))
        else:
            words = {"true": 1, "on": 1, "false": 0, "off": 0}
            lowered = str(text).lower()
            try:
                value = words[lowered] if lowered in words else int(lowered, 0)
            except ValueError:
                value = None
            if value in self.legal:
                return value
        raise WlkError(
            Status.BAD_CONFIG,
            f"config: {self.name}={text} is not legal; give {self.name}={self.describe()}",
        )


@dataclass(frozen=True)
class Words:
    """Names of some values of a list's item, in configurations in which `when` holds."""

    when: Expr
    values: Mapping[str, int]


@dataclass(frozen=True)
class Item:
    """What an entry of a list says of one thing."""

    name: str
    legal: tuple[int, ...]  # of an entry that is there
    words: tuple[Words, ...] = ()
    doc: str = ""

    def parse(self, text: str, cfg: Config, where: str) -> int:
        """A value from its name, or from a number; WlkError BAD_CONFIG."""
        named = self.named(cfg)
        try:
            value = named[text] if text in named else int(text, 0)
        except ValueError:
            value = None
        if value in self.legal:
            return value
        legal = " | ".join([*named, f"{self.legal[0]}..{self.legal[-1]}"])
        message = f"config: {where}: {self.name}={text} is not legal; give {legal}"
        raise WlkError(Status.BAD_CONFIG, message)

    def named(self, cfg: Config) -> Mapping[str, int]:
        """The names there are in a configuration."""
        return next((w.values for w in self.words if w.when(cfg)), {})

    def show(self, value: int, cfg: Config) -> str:
        """The value by its name, where it has one."""
        return next((n for n, v in self.named(cfg).items() if v == value), str(value))


@dataclass(frozen=True)
class ListParam:
    """A parameter that is a list, `A:2:1,B:1:1`: an item of an entry is a parameter `NAME_0_ITEM`.

    Those of an entry that is not there are 0; the key of one that is there is not.
    """

    name: str
    most: int
    items: tuple[Item, ...]
    key: str  # the item that is 0 where there is no entry
    doc: str

    def param(self, entry: int, item: Item) -> str:
        return f"{self.name}_{entry}_{item.name}"

    def params(self) -> Iterator[tuple[int, Item, str]]:
        """(entry, item, parameter) in the order of the configuration."""
        for entry in range(self.most):
            for item in self.items:
                yield entry, item, self.param(entry, item)

    def form(self) -> str:
        """What an entry looks like: `type:dispatch_width:issue_width`."""
        return ":".join(item.name for item in self.items)

    def parse(self, text: str, cfg: Config) -> Config:
        """The parameters of a list as a person wrote it; WlkError BAD_CONFIG."""
        entries = text.split(",") if text else []
        if len(entries) > self.most:
            message = f"config: {self.name}={text}: {len(entries)} entries; at most {self.most}"
            raise WlkError(Status.BAD_CONFIG, message)
        found = {name: 0 for _, _, name in self.params()}
        for number, entry in enumerate(entries):
            where, words = f"{self.name}: entry {number} '{entry}'", entry.split(":")
            if len(words) != len(self.items):
                message = f"config: {where}: give {self.form()}"
                raise WlkError(Status.BAD_CONFIG, message)
            for item, word in zip(self.items, words, strict=True):
                found[self.param(number, item)] = item.parse(word, cfg, where)
        return found

    def length(self, cfg: Config) -> int:
        """Entries that are there."""
        return sum(cfg[f"{self.name}_{n}_{self.key}"] != 0 for n in range(self.most))

    def show(self, cfg: Config) -> str:
        """The list as a person writes it."""
        return ",".join(
            ":".join(item.show(cfg[self.param(n, item)], cfg) for item in self.items)
            for n in range(self.length(cfg))
        )


@dataclass(frozen=True)
class Member:
    """A port of an opaque field: the last part of its name, and its place in the field's words."""

    name: str
    width: int
    word: int
    lsb: int

    def text(self) -> str:
        """As the tools take it."""
        return f"{self.name}:{self.width}:{self.word}:{self.lsb}"


def parse_members(text: str) -> list[tuple[str, int]]:
    """(name, width) from `name:width name:width`."""
    return [(name, int(width)) for name, _, width in (m.partition(":") for m in text.split())]


def place_members(ports: Iterable[tuple[str, int]]) -> tuple[Member, ...]:
    """Places for (name, width) in the words of an opaque field: first fit, none over two words."""
    bins: list[int] = []
    return tuple(Member(name, width, *_first_fit(bins, 0, width)) for name, width in ports)


@dataclass(frozen=True)
class Condition:
    """Configurations that are refused, or warned of, and what to say of one."""

    when: Expr
    text: str  # {name} stands for the value of a parameter
    entry: int | None = None  # of one that each entry of a list has: whose it is

    def say(self, cfg: Config) -> str | None:
        """The text for a configuration of this kind, None for another."""
        return self.text.format_map(cfg) if self.when(cfg) else None


@dataclass(frozen=True)
class Field:
    """One line of the table: a port, or an array of ports of one kind."""

    name: str
    path: tuple[tuple[str, Expr | None], ...]  # (component, count)
    direction: str  # "in" | "out"
    width: Expr
    max_width: int
    lanes: Expr | None
    when: Expr | None
    port: str | None
    read: bool
    exact: bool
    loose_width: bool
    timing: str
    valid_when: str
    doc: str
    x_hides: tuple[str, ...] = ()  # outputs that show this input though valid_when is 0
    unit: str = ""  # the unit it is a part of
    unit_at: int = 0  # how many components of the path name the unit
    counts: tuple[int, ...] = ()  # the largest legal value of each array count
    opaque: bool = False  # its ports are found in the RTL; `lanes` says how many words they need
    entry: int | None = None  # of a field that each entry of a list has: whose it is

    @property
    def flat(self) -> str:
        """The name without counts: `readReq.bits.regs.pReg`."""
        return ".".join(part for part, _ in self.path)

    @property
    def member(self) -> str:
        """The name inside its unit: `uop.inst.essentials_3`."""
        return ".".join(part for part, _ in self.path[self.unit_at :])

    @property
    def packed(self) -> bool:
        """Every element of the largest array fits in one word."""
        return not self.unit and math.prod(self.counts) * self.max_width <= WORD

    @property
    def group(self) -> Expr | None:
        """The parameter-dependent count of the array the field is in, if it forms a group."""
        if self.packed:
            return None
        return next((n for _, n in self.path if n is not None and n.names), None)

    def steps(self) -> tuple[int, ...]:
        """Bits from one element of a packed array to the next, for each dimension."""
        steps, step = [], self.max_width
        for count in reversed(self.counts):
            steps.append(step)
            step *= count
        return tuple(reversed(steps))


@dataclass(frozen=True)
class Port:
    """One emitted port of one configuration and its place in the record."""

    name: str
    field: Field
    index: tuple[int, ...]
    lane: int | None
    width: int
    word: int
    lsb: int

    @property
    def direction(self) -> str:
        return self.field.direction

    @property
    def read(self) -> bool:
        return self.field.read


@dataclass(frozen=True)
class Payload:
    """A lane payload: whole words of its own."""

    field: Field
    index: tuple[int, ...]
    direction: str
    word: int
    words: int
    bits: int

    @property
    def name(self) -> str:
        return element_name(self.field, self.index)


@dataclass(frozen=True)
class Layout:
    """Sizes of a record in one configuration [words] and its payloads in order."""

    in_control: int
    out_control: int
    in_words: int
    out_words: int
    payloads: tuple[Payload, ...]
    opaque: Mapping[tuple[str, tuple[int, ...]], int]  # first word of each element


@dataclass(frozen=True)
class Slot:
    """Place of a control element that depends on no parameter value."""

    group: str | None  # text of the count expression; None: not in a group
    word: int  # in the group's element, or from the start
    lsb: int


def element_name(item: Field, index: tuple[int, ...], lane: int | None = None) -> str:
    """The emitted name of an element: `io_` + the path with `_`, or the `port` given."""
    if item.port is not None:
        return item.port
    parts, rest = [], list(index)
    for part, count in item.path:
        parts.append(part)
        if count is not None:
            parts.append(str(rest.pop(0)))
    if lane is not None:
        parts.append(str(lane))
    return "io_" + "_".join(parts)


@dataclass
class Table:
    """A block's port table."""

    name: str
    c_name: str
    module: str
    model_version: int
    clock: str | None
    reset: str | None
    spec: str
    doc: str
    params: dict[str, Param]
    fields: list[Field]
    channels: list[dict]
    rules: list[dict]
    covers: list[dict]
    configs: dict[str, dict]
    path: Path
    units: tuple[str, ...] = ()  # units that this table defines
    instances: tuple[dict, ...] = ()  # blocks inside a composed one
    constraints: tuple[Condition, ...] = ()  # legal values that are illegal together
    cautions: tuple[Condition, ...] = ()  # legal, but to be warned of
    lists: dict[str, ListParam] = field(default_factory=dict)
    members: tuple[Member, ...] = ()  # ports of its opaque fields
    status: str = ""  # how far the model is confirmed
    slots: dict[tuple[str, tuple[int, ...]], Slot] = field(default_factory=dict)
    control: dict[str, int] = field(default_factory=dict)
    groups: dict[str, list[tuple[str, Expr, int]]] = field(default_factory=dict)
    whole: Table | None = None  # the table as it was before its opaque fields were opened

    # -- configurations --------------------------------------------------------------------
    def defaults(self) -> Config:
        return {p.name: p.default for p in self.params.values()}

    def config(self, given: dict[str, str | int]) -> Config:
        """Defaults overlaid with `given`; WlkError BAD_CONFIG names what is wrong."""
        return self.defaults() | self.values(given, self.defaults())

    def values(self, given: Mapping[str, str | int], base: Config) -> Config:
        """The parameters that `given` sets, lists by what `base` and `given` say otherwise."""
        found: Config = {}
        for key, value in given.items():
            if key not in self.params and key not in self.lists:
                raise WlkError(
                    Status.BAD_CONFIG,
                    f"config: block {self.name} has no parameter '{key}'; "
                    f"it has {', '.join(self.settings())}",
                )
            if key in self.params:
                found[key] = self.params[key].parse(value)
        for key in given.keys() & self.lists.keys():
            found = self.lists[key].parse(str(given[key]), base | found) | found
        return found

    def takes(self, key: str) -> bool:
        """May a user give this parameter?"""
        return key in self.lists or (key in self.params and not self.params[key].derived)

    def settings(self) -> list[str]:
        """The parameters that a user gives."""
        plain = [p.name for p in self.params.values() if not p.list_of and not p.derived]
        return [*plain, *self.lists]

    def settings_of(self, names: Collection[str]) -> list[str]:
        """The settings that these parameters belong to."""
        wanted = {self.params[name].list_of or name for name in names}
        return [key for key in self.settings() if key in wanted]

    def describe(self, key: str) -> tuple[str, str, str]:
        """Default, legal values and meaning of one of the keys, in words."""
        if key in self.lists:
            each = self.lists[key]
            legal = f"1..{each.most} of {each.form()}"
            return each.show(self.defaults()), legal, each.doc
        param = self.params[key]
        return param.show(param.default), param.describe(), param.doc

    def refusal(self, cfg: Config) -> str | None:
        """Why legal values are not legal together, in one line; None when they are."""
        return next(filter(None, (c.say(cfg) for c in self.constraints)), None)

    def warnings(self, cfg: Config) -> list[str]:
        """What a user of a legal configuration should know, a line each."""
        return list(filter(None, (c.say(cfg) for c in self.cautions)))

    def show(self, cfg: Config) -> dict[str, int | str]:
        """A configuration as a person writes it (named values by name)."""
        return {
            k: self.lists[k].show(cfg) if k in self.lists else self._shown(k, cfg)
            for k in self.settings()
        }

    def _shown(self, name: str, cfg: Config) -> int | str:
        param = self.params[name]
        return param.names[cfg[name]] if param.names else cfg[name]

    def words(self, cfg: Config) -> list[str]:
        """A configuration as the programs in C take it: every parameter, and the opaque ports."""
        words = [f"{name}={value}" for name, value in self.plain(cfg).items()]
        return [*words, f"members={self.members_text()}"] if self.members else words

    def plain(self, cfg: Config) -> dict[str, int | str]:
        """Every parameter by itself, as vector files have them."""
        return {name: self._shown(name, cfg) for name in self.params}

    def members_text(self) -> str:
        """The ports of the opaque fields, as the programs in C take them."""
        return ",".join(member.text() for member in self.members)

    def fold(self, told: Mapping[str, str], cfg: Config) -> dict[str, str]:
        """What is told of each parameter, by the keys that a user gives."""
        folded = {key: told[key] for key in self.settings() if key in told}
        for key, each in self.lists.items():
            names = [name for n, _, name in each.params() if n < each.length(cfg)]
            words = dict.fromkeys(told[name].partition(":")[0] for name in names if name in told)
            folded[key] = " and ".join(words)
        return folded

    # -- opaque fields ---------------------------------------------------------------------
    @property
    def opaque(self) -> list[Field]:
        return [item for item in self.fields if item.opaque]

    def opened(self, ports: Iterable[tuple[str, str | None, int]]) -> Table:
        """This table with the ports that its opaque fields have among those found."""
        if not self.opaque:
            return self
        largest = {p.name: max(p.legal) for p in self.params.values()}
        stems = {
            opaque_stem(item, i) for item in self.opaque for _, i in _walk([item], 0, (), largest)
        }
        known = {element_name(f, i) for f, i in self.elements(largest) if not f.opaque}
        found: dict[str, int] = {}
        for name, _, width in ports:
            stem = next(
                (name[: at + 1] for at in _underscores(name) if name[: at + 1] in stems), None
            )
            if stem is not None and name not in known:
                found.setdefault(name.removeprefix(stem), width)
        return self.with_members(found.items())

    def with_members(self, ports: Iterable[tuple[str, int]]) -> Table:
        """This table with these ports, (name, width), in its opaque fields; WlkError BAD_CONFIG."""
        whole, members = self.whole or self, place_members(ports)
        derived = next(p for p in whole.params.values() if p.derived)
        words = max((m.word + 1 for m in members), default=1)
        wide = [m.name for m in members if m.width > WORD]
        if wide or words > max(derived.legal):
            most = f"at most {WORD}" if wide else f"at most {max(derived.legal)}"
            what = f"port {wide[0]} has more bits: {most}" if wide else f"{words} words: {most}"
            raise WlkError(Status.IFACE_CHANGED, f"block {self.name}: opaque ports: {what}")
        only = replace(derived, legal=(words,), default=words)
        return replace(whole, members=members, params=whole.params | {only.name: only}, whole=whole)

    def text(self, cfg: Config) -> str:
        """`key=value key=value` in table order."""
        return " ".join(f"{k}={v}" for k, v in self.show(cfg).items())

    def unit_members(self, unit: str) -> list[Field]:
        """The fields of a unit, as one of its uses has them."""
        first = next(f for f in self.fields if f.unit == unit)
        head = [p for p, _ in first.path[: first.unit_at]]
        return [
            f for f in self.fields if f.unit and [p for p, _ in f.path[: first.unit_at]] == head
        ]

    # -- expansion -------------------------------------------------------------------------
    def present(self, item: Field, cfg: Config) -> bool:
        return item.when is None or bool(item.when(cfg))

    def elements(self, cfg: Config) -> Iterator[tuple[Field, tuple[int, ...]]]:
        """Every element in the order of the module: array index before member."""
        yield from _walk(self.fields, 0, (), cfg)

    def ports(self, cfg: Config, absent: bool = False) -> list[Port]:
        """Every port but the clock, in the order of the module.

        `absent`: also those whose `when` is false (they have a place in the record, always 0).
        """
        result = []
        layout = self.layout(cfg)
        payload_word = {(p.field.name, p.index): p.word for p in layout.payloads}
        for item, index in self.elements(cfg):
            if not absent and not self.present(item, cfg):
                continue
            if item.opaque:
                result += self._opaque_ports(item, index, layout.opaque[item.name, index])
                continue
            width = item.width(cfg)
            if item.lanes is None:
                word, lsb = self.place(item, index, cfg)
                name = element_name(item, index)
                result.append(Port(name, item, index, None, width, word, lsb))
                continue
            for lane in range(item.lanes(cfg)):
                bit = lane * lane_step(width)
                word = payload_word[item.name, index] + bit // WORD
                name = element_name(item, index, lane)
                result.append(Port(name, item, index, lane, width, word, bit % WORD))
        return result

    def _opaque_ports(self, item: Field, index: tuple[int, ...], word: int) -> list[Port]:
        stem = opaque_stem(item, index)
        return [
            Port(stem + m.name, item, index, None, m.width, word + m.word, m.lsb)
            for m in self.members
        ]

    def place(self, item: Field, index: tuple[int, ...], cfg: Config) -> tuple[int, int]:
        """(word, lsb) of a control element in its record."""
        if item.packed:
            slot = self.slots[item.name, (0,) * len(index)]
            steps = zip(index, item.steps(), strict=True)
            return slot.word, slot.lsb + sum(i * step for i, step in steps)
        fixed, rest, instance = [], list(index), 0
        for _, count in item.path:
            if count is None:
                continue
            position = rest.pop(0)
            if count.names:
                instance = position
            else:
                fixed.append(position)
        slot = self.slots[item.name, tuple(fixed)]
        if slot.group is None:
            return slot.word, slot.lsb
        base = self.control[item.direction]
        for text, count, stride in self.groups[item.direction]:
            if text == slot.group:
                return base + instance * stride + slot.word, slot.lsb
            base += count(cfg) * stride
        raise AssertionError(item.name)

    def layout(self, cfg: Config) -> Layout:
        words = {}
        for side in ("in", "out"):
            words[side] = self.control[side] + sum(
                count(cfg) * stride for _, count, stride in self.groups[side]
            )
        opaque = {}
        for item in self.opaque:
            for _, index in _walk([item], 0, (), cfg):
                opaque[item.name, index] = words[item.direction]
                words[item.direction] += item.lanes(cfg)
        control = dict(words)
        payloads = []
        for item in self.fields:
            if item.lanes is None or item.opaque:
                continue
            bits = item.lanes(cfg) * lane_step(item.width(cfg))
            count = -(-bits // WORD)
            for _, index in _walk([item], 0, (), cfg):
                payloads.append(
                    Payload(item, index, item.direction, words[item.direction], count, bits)
                )
                words[item.direction] += count
        sizes = control["in"], control["out"], words["in"], words["out"]
        return Layout(*sizes, tuple(payloads), opaque)

    # -- identity --------------------------------------------------------------------------
    def schema(self) -> dict:
        """What a record means, without prose: the hashed identity of the table."""
        if self.whole is not None:  # whichever ports lie in its opaque words
            return self.whole.schema()
        return {
            "block": self.name,
            "format": FORMAT,
            "params": {p.name: [p.default, list(p.names)] for p in self.params.values()},
            "fields": [
                [f.name, f.direction, f.width.text, f.lanes.text if f.lanes else ""]
                for f in self.fields
            ],
            "slots": [[k[0], list(k[1]), s.group, s.word, s.lsb] for k, s in self.slots.items()],
            "groups": {d: [[t, n] for t, _, n in g] for d, g in self.groups.items()},
            "control": self.control,
        }

    def schema_hash(self) -> int:
        """64-bit identity of the record layout."""
        text = json.dumps(self.schema(), sort_keys=True, separators=(",", ":"))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")

    def cover_floor(self, point: dict, cfg: Config) -> int:
        """Floor of a coverage point [hits a million cycles]; 0 where it cannot be reached."""
        when = point.get("when")
        if when is not None and not Expr(when, f"{self.path.name}: cover {point['name']}")(cfg):
            return 0
        return int(point["floor"])


def opaque_stem(item: Field, index: tuple[int, ...]) -> str:
    """What the names of an opaque field's ports begin with: `io_in_0_bits_`."""
    named = replace(item, path=item.path[:-1])
    return element_name(named, index) + "_"


def _underscores(name: str) -> list[int]:
    return [at for at, letter in enumerate(name) if letter == "_"]


def _walk(
    fields: list[Field], depth: int, index: tuple[int, ...], cfg: Config | None
) -> Iterator[tuple[Field, tuple[int, ...]]]:
    """Elements of `fields`, equal in path up to `depth`. Without cfg: literal counts only."""
    position = 0
    while position < len(fields):
        part, count = fields[position].path[depth]
        end = position
        while end < len(fields) and len(fields[end].path) > depth:
            if fields[end].path[depth][0] != part:
                break
            end += 1
        members = fields[position:end]
        if count is None:
            indices: list[tuple[int, ...]] = [index]
        elif cfg is None and count.names:
            indices = [index]
        else:
            indices = [(*index, i) for i in range(count(cfg or {}))]
        for ahead in indices:
            for item in members:
                if len(item.path) == depth + 1:
                    yield item, ahead
            deeper = [item for item in members if len(item.path) > depth + 1]
            if deeper:
                yield from _walk(deeper, depth + 1, ahead, cfg)
        position = end


def _first_fit(bins: list[int], start: int, width: int) -> tuple[int, int]:
    for word in range(start, len(bins)):
        if bins[word] + width <= WORD:
            lsb = bins[word]
            bins[word] += width
            return word, lsb
    bins.append(width)
    return len(bins) - 1, 0


def _literal(item: Field) -> list[tuple[int, ...]]:
    """The indices of one field in the literal dimensions; those of a group are left out."""
    return [index for _, index in _walk([item], 0, (), None)]


def _fit_array(table: Table, item: Field, group: str | None, bins: list[int], start: int) -> None:
    """Slots of one field: the elements of a small array lie side by side."""
    if item.packed:
        total = math.prod(item.counts) * item.max_width
        word, lsb = _first_fit(bins, start, total)
        steps = item.steps()
        for index in itertools.product(*(range(n) for n in item.counts)):
            place = lsb + sum(i * step for i, step in zip(index, steps, strict=True))
            table.slots[item.name, index] = Slot(group, word, place)
        return
    indices = _literal(item)
    if len(indices) * item.max_width <= WORD:
        word, lsb = _first_fit(bins, start, len(indices) * item.max_width)
        for n, index in enumerate(indices):
            table.slots[item.name, index] = Slot(group, word, lsb + n * item.max_width)
        return
    for index in indices:
        word, lsb = _first_fit(bins, start, item.max_width)
        table.slots[item.name, index] = Slot(group, word, lsb)


def _fit_units(table: Table, fields: list[Field], group: str | None, bins: list[int]) -> None:
    """Slots of the fields that belong to units: each unit fills whole words of its own."""
    used: dict[tuple[str, ...], list[Field]] = {}
    for item in fields:
        if item.unit:
            used.setdefault(tuple(p for p, _ in item.path[: item.unit_at]), []).append(item)
    for members in used.values():
        first, inside = len(bins), []
        for item in members:
            word, lsb = _first_fit(inside, 0, item.max_width)
            for index in _literal(item):
                table.slots[item.name, index] = Slot(group, first + word, lsb)
        bins += [WORD] * len(inside)


def _lay_out(table: Table) -> None:
    """Give every control element its slot: first fit in table order, unread inputs last."""
    for side in ("in", "out"):
        control = [f for f in table.fields if f.direction == side and f.lanes is None]
        plain = [f for f in control if f.group is None]
        bins: list[int] = []
        for read in (True, False):
            start = 0 if read else len(bins)
            for item in plain:
                if item.read == read and not item.unit:
                    _fit_array(table, item, None, bins, start)
            if read:
                _fit_units(table, plain, None, bins)
        table.control[side] = len(bins)
        table.groups[side] = []
        counts = dict.fromkeys(f.group.text for f in control if f.group is not None)
        if len(counts) > 1:
            message = f"{table.path.name}: {side}: arrays of more than one count: "
            raise WlkError(Status.MODEL_ERROR, message + ", ".join(counts))
        for text in counts:
            members = [f for f in control if f.group is not None]
            bins = []
            _fit_units(table, members, text, bins)
            for item in members:
                if not item.unit:
                    _fit_array(table, item, text, bins, 0)
            table.groups[side].append((text, members[0].group, len(bins)))


def _need(raw: dict, where: str, *keys: str) -> None:
    """MODEL_ERROR names the first of the keys that is not there."""
    for key in keys:
        if key not in raw:
            raise WlkError(Status.MODEL_ERROR, f"{where}: lacks '{key}'")


def _param(raw: dict, table: str) -> Param:
    where = f"{table}: param {raw.get('name', '?')}"
    values = raw.get("values")
    names: tuple[str, ...] = ()
    _need(raw, where, "name", "default", *(() if values else ("min", "max")))
    if values and isinstance(values[0], str):
        names = tuple(values)
        legal = tuple(range(len(names)))
        default = names.index(raw["default"]) if raw["default"] in names else -1
    else:
        if values:
            legal = tuple(values)
        elif raw.get("pow2"):
            legal = tuple(1 << i for i in range(64) if raw["min"] <= 1 << i <= raw["max"])
        else:
            legal = tuple(range(raw["min"], raw["max"] + 1))
        default = raw["default"]
    if default not in legal:
        raise WlkError(Status.MODEL_ERROR, f"{where}: the default is not legal")
    return Param(
        raw["name"],
        default,
        legal,
        names,
        raw.get("behavioural", False),
        raw.get("doc", ""),
        derived=raw.get("derived", False),
    )


def _list(raw: dict, table: str) -> tuple[ListParam, str]:
    """A list and the text of its default."""
    where = f"{table}: list {raw.get('name', '?')}"
    _need(raw, where, "name", "most", "default", "key", "item")
    items = []
    for each in raw["item"]:
        _need(each, f"{where}: item {each.get('name', '?')}", "name", "min", "max")
        words = [
            Words(Expr(w["when"], where), {k: v for k, v in w.items() if k != "when"})
            for w in each.get("words", [])
        ]
        legal = tuple(range(each["min"], each["max"] + 1))
        items.append(Item(each["name"], legal, tuple(words), each.get("doc", "")))
    found = ListParam(raw["name"], raw["most"], tuple(items), raw["key"], raw.get("doc", ""))
    return found, raw["default"]


def _lists(raw: dict, path: Path) -> list[dict]:
    """The lists of a table; one that its family has takes all keys from there."""
    shared = _family(raw["block"].get("family"), path.name).get("list", [])
    known = {each["name"]: each for each in shared}
    return [known.get(each.get("name"), {}) | each for each in raw.get("list", [])]


def _list_params(each: ListParam, raw: dict, default: str, base: Config) -> Iterator[Param]:
    """The parameters that a list stands for; 0 is legal in each: there is no such entry."""
    values = each.parse(default, base)
    by_name = {item["name"]: item for item in raw["item"]}
    for entry, item, name in each.params():
        said = by_name[item.name]
        yield Param(
            name,
            values[name],
            tuple(sorted({0, *item.legal})),
            behavioural=said.get("behavioural", False),
            doc=f"{said.get('doc', item.name)}, of entry {entry}",
            list_of=each.name,
        )


def _list_constraints(each: ListParam) -> Iterator[Condition]:
    """Entries stand side by side from 0 on, and what is not there is 0."""
    for entry, item, name in each.params():
        key, where = f"{each.name}_{entry}_{each.key}", f"list {each.name}"
        if item.name != each.key:
            text = f"{each.name}: entry {entry} is not there, but its {item.name} is not 0"
            yield Condition(Expr(f"{key} == 0 and {name} != 0", where), text, entry)
            if 0 not in item.legal:
                text = f"{each.name}: entry {entry} lacks its {item.name}"
                yield Condition(Expr(f"{key} != 0 and {name} == 0", where), text, entry)
        elif entry:
            before = f"{each.name}_{entry - 1}_{each.key}"
            text = f"{each.name}: entry {entry} is there, but entry {entry - 1} is not"
            yield Condition(Expr(f"{key} != 0 and {before} == 0", where), text, entry)


def _entries(raw: list[dict], lists: Mapping[str, ListParam], where: str) -> list[dict]:
    """Runs of items with `each = LIST` once an entry, the highest first; @ is its number."""
    result: list[dict] = []
    for name, run in itertools.groupby(raw, lambda item: item.get("each")):
        items = list(run)
        if name is None:
            result += items
            continue
        if name not in lists:
            raise WlkError(Status.MODEL_ERROR, f"{where}: each: there is no list '{name}'")
        for entry in reversed(range(lists[name].most)):
            result += [_numbered(item, entry) | {"entry": entry} for item in items]
    return result


def _spread(lists: Mapping[str, ListParam], raw: dict) -> dict:
    """A field whose `x_hides` name with @ what each entry of the list has."""
    entries = range(max((each.most for each in lists.values()), default=0))
    names = [
        name.replace("@", str(entry))
        for name in raw.get("x_hides", [])
        for entry in (entries if "@" in name else [0])
    ]
    return raw | {"x_hides": names} if names else raw


def _numbered(raw: dict, entry: int) -> dict:
    """A table's item with the number of an entry in place of @."""

    def put(value: object) -> object:
        if isinstance(value, str):
            return value.replace("@", str(entry))
        return [put(each) for each in value] if isinstance(value, list) else value

    return {key: put(value) for key, value in raw.items() if key != "each"}


def _path(name: str, where: str) -> tuple[tuple[str, Expr | None], ...]:
    parts: list[tuple[str, Expr | None]] = []
    for part in name.split("."):
        head, bracket, count = part.partition("[")
        parts.append((head, Expr(count.rstrip("]"), where) if bracket else None))
    return tuple(parts)


_FIELD_KEYS = frozenset(
    "name port dir width max_width lanes when valid_when read exact loose_width timing doc"
    " x_hides unit unit_at opaque entry".split()
)


def _field(raw: dict, table: str, largest: Config) -> Field:
    where = f"{table}: field {raw.get('name', '?')}"
    unknown = set(raw) - _FIELD_KEYS
    if unknown:
        raise WlkError(Status.MODEL_ERROR, f"{where}: unknown key {', '.join(sorted(unknown))}")
    _need(raw, where, "name", "dir", "width")
    width = Expr(raw["width"], where)
    lanes = Expr(raw["lanes"], where) if "lanes" in raw else None
    _check_parameters(width, set(largest))
    max_width = raw.get("max_width", width(largest))
    if max_width > WORD:
        raise WlkError(Status.MODEL_ERROR, f"{where}: wider than {WORD} bits; use lanes")
    if raw["dir"] not in ("in", "out"):
        raise WlkError(Status.MODEL_ERROR, f"{where}: dir must be in or out")
    path = _path(raw["name"], where)
    for _, count in path:
        if count is not None:
            _check_parameters(count, set(largest))
    return Field(
        name=raw["name"],
        path=path,
        direction=raw["dir"],
        width=width,
        max_width=max_width,
        lanes=lanes,
        when=Expr(raw["when"], where) if "when" in raw else None,
        port=raw.get("port"),
        read=raw.get("read", True),
        exact=raw.get("exact", "valid_when" not in raw),
        loose_width=raw.get("loose_width", False),
        timing=raw.get("timing", "comb"),
        valid_when=raw.get("valid_when", ""),
        doc=raw.get("doc", ""),
        x_hides=tuple(raw.get("x_hides", ())),
        unit=raw.get("unit", ""),
        unit_at=raw.get("unit_at", 0),
        opaque=raw.get("opaque", False),
        entry=raw.get("entry"),
        counts=tuple(count(largest) for _, count in path if count is not None),
    )


def _family(name: str | None, where: str) -> dict:
    """What the blocks of a family share: parameters, constraints and warnings."""
    if name is None:
        return {}
    path = FAMILIES / f"{name}.toml"
    if not path.is_file():
        raise WlkError(Status.MODEL_ERROR, f"{where}: block: there is no family '{name}'")
    return _decode(path)


def _conditions(
    key: str, own: dict, family: dict, params: set[str], where: str, lists: Mapping[str, ListParam]
) -> Iterator[Condition]:
    """Those of the family that speak of no other parameters, and the table's own; one with
    `each = LIST` holds for each entry, whose number stands for @."""
    for source, shared in ((family, True), (own, False)):
        for raw in _each_condition(source.get(key, []), lists):
            _need(raw, f"{where}: {key}", "when", "text")
            when = Expr(raw["when"], f"{where}: {key}")
            if shared and not when.names <= params:
                continue
            _check_parameters(when, params)
            named = {name for _, name, _, _ in string.Formatter().parse(raw["text"]) if name}
            if not named <= params:
                strangers = ", ".join(sorted(named - params))
                message = f"{where}: {key}: the text names no parameter: {strangers}"
                raise WlkError(Status.MODEL_ERROR, message)
            yield Condition(when, raw["text"], raw.get("entry"))


def _each_condition(raws: list[dict], lists: Mapping[str, ListParam]) -> Iterator[dict]:
    for raw in raws:
        if "each" not in raw:
            yield raw
            continue
        each = lists.get(raw["each"])  # none: a family's, of blocks that have the list
        for entry in range(each.most if each else 0):
            made = _numbered(raw, entry) | {"entry": entry}
            made["when"] = f"{each.name}_{entry}_{each.key} != 0 and ({made['when']})"
            yield made


def _decode(path: Path) -> dict:
    """A decoded TOML file; WlkError MODEL_ERROR names the file."""
    with path.open("rb") as stream:
        try:
            return tomllib.load(stream)
        except tomllib.TOMLDecodeError as exc:
            raise WlkError(Status.MODEL_ERROR, f"{path.name}: {exc}") from exc


_MIRROR_KEYS = frozenset("name mirror flip unread valid_when x_hides timing entry".split())


def _expand(raw: dict, path: Path) -> list[dict]:
    """Every field, mirrors replaced by the fields they stand for, units marked."""
    units = [(unit["name"], unit["of"].split(".")) for unit in raw.get("unit", [])]
    fields: list[dict] = []
    lists = {each["name"]: _list(each, path.name)[0] for each in _lists(raw, path)}
    for item in map(functools.partial(_spread, lists), _entries(raw["field"], lists, path.name)):
        if "mirror" in item:
            fields += _mirror(item, fields, path)
            continue
        parts = _parts(item.get("name", ""))
        for name, of in units:
            if parts[: len(of)] == of:
                item = item | {"unit": name, "unit_at": len(of)}
        fields.append(item)
    return fields


@functools.cache
def _expanded(path: Path, _changed: int) -> list[dict]:
    """The fields of another table, which many mirrors ask for; nobody may change them."""
    return _expand(_decode(path), path)


def _parts(name: str) -> list[str]:
    """The components of a path without their counts."""
    return [part.partition("[")[0] for part in name.split(".")]


def _mirror(item: dict, known: list[dict], path: Path) -> list[dict]:
    """The fields under a path of another table, or of this one above, under another name.

    They keep width, count, presence and text; direction turns with `flip`. What they mean here
    (valid_when, x_hides, timing, and `unread`, members that no rule reads) is the use's to say.
    """
    where = f"{path.name}: field {item.get('name', '?')}"
    _need(item, where, "name")
    if set(item) - _MIRROR_KEYS:
        unknown = ", ".join(sorted(set(item) - _MIRROR_KEYS))
        raise WlkError(Status.MODEL_ERROR, f"{where}: unknown key {unknown} of a mirror")
    block, _, of = item["mirror"].rpartition(":")
    if block:
        other = path.parent / f"{block}.toml"
        if not other.is_file():
            raise WlkError(Status.MODEL_ERROR, f"{where}: there is no block '{block}'")
        known = _expanded(other, other.stat().st_mtime_ns)
    root, result = of.split("."), []
    for source in known:
        parts = _parts(source["name"])
        if parts[: len(root)] != root:
            continue
        rest = source["name"].split(".")[len(root) :]
        result.append(_mirrored(item, source, len(root), rest))
    if not result:
        raise WlkError(Status.MODEL_ERROR, f"{where}: '{item['mirror']}' names no field")
    return result


def _mirrored(item: dict, source: dict, depth: int, rest: list[str]) -> dict:
    """One field of a mirror; `rest`: its path below the mirrored one."""
    kept = ("dir", "width", "max_width", "lanes", "when", "loose_width", "doc", "opaque")
    made = {key: source[key] for key in kept if key in source}
    made["name"] = ".".join([item["name"], *rest])
    made |= {key: item[key] for key in ("entry",) if key in item}
    if "port" in source and not rest:
        made["port"] = source["port"]
    if item.get("flip"):
        made["dir"] = "out" if source["dir"] == "in" else "in"
    if made["dir"] == "out":
        made |= {"exact": True} | {k: item[k] for k in ("valid_when", "timing") if k in item}
    else:
        made |= {k: item[k] for k in ("valid_when", "x_hides") if k in item}
        member = ".".join(_parts(".".join(rest)))
        made["read"] = not any(
            member == name or member.startswith(f"{name}.") for name in item.get("unread", [])
        ) and "" not in item.get("unread", [])
    if made.get("valid_when") in (".".join(_parts(made["name"])),):
        del made["valid_when"]
    if source.get("unit_at", 0) >= depth:
        made["unit"] = source["unit"]
        made["unit_at"] = len(item["name"].split(".")) + source["unit_at"] - depth
    return made


def parse(raw: dict, path: Path) -> Table:
    """A table from its decoded TOML; WlkError MODEL_ERROR names what is wrong and where."""
    where = path.name
    if raw.get("format") != FORMAT:
        raise WlkError(Status.MODEL_ERROR, f"{where}: format {raw.get('format')} is not {FORMAT}")
    _need(raw, where, "block", "param", "field")
    block = raw["block"]
    _need(block, f"{where}: block", "name", "module", "model_version", "spec", "doc")
    family = _family(block.get("family"), where)
    shared = {each["name"]: each for each in family.get("param", [])}
    given = [shared.get(each.get("name"), {}) | each for each in raw["param"]]
    params = {p.name: p for p in (_param(each, where) for each in given)}
    lists = {}
    for each in _lists(raw, path):
        found, default = _list(each, where)
        lists[found.name] = found
        base = {p.name: p.default for p in params.values()}
        params |= {p.name: p for p in _list_params(found, each, default, base)}
    largest = {p.name: max(p.legal) for p in params.values()}
    fields = [_field(f, where, largest) for f in _expand(raw, path)]
    for item in fields:
        for expr in (item.lanes, item.when, item.group):
            if expr is not None:
                _check_parameters(expr, set(params))
    table = Table(
        name=block["name"],
        c_name=block.get("c_name", block["name"]),
        module=block["module"],
        model_version=block["model_version"],
        clock=block.get("clock"),
        reset=block.get("reset"),
        spec=block["spec"],
        doc=block["doc"],
        params=params,
        fields=fields,
        channels=_entries(raw.get("channel", []), lists, where),
        rules=raw.get("rule", []),
        covers=raw.get("cover", []),
        configs={c["name"]: c.get("set", {}) for c in raw.get("config", [])},
        path=path,
        units=tuple(unit["name"] for unit in raw.get("unit", [])),
        instances=tuple(raw.get("instance", [])),
        constraints=(
            *itertools.chain.from_iterable(map(_list_constraints, lists.values())),
            *_conditions("constraint", raw, family, set(params), where, lists),
        ),
        cautions=tuple(_conditions("warning", raw, family, set(params), where, lists)),
        lists=lists,
        status=block.get("status", ""),
    )
    _check_fields(table)
    _lay_out(table)
    if not table.opaque:
        return table
    opened = table.with_members(parse_members(block.get("members", family.get("members", ""))))
    if opened.defaults() != table.defaults():
        derived = next(p for p in opened.params.values() if p.derived)
        message = f"{where}: members: {derived.name} must be {derived.default}, by default too"
        raise WlkError(Status.MODEL_ERROR, message)
    return opened


def _check_parameters(expr: Expr, known: set[str]) -> None:
    """MODEL_ERROR when an expression names what is no parameter."""
    if not expr.names <= known:
        strangers = ", ".join(sorted(expr.names - known))
        message = f"{expr.where}: '{expr.text}' names no parameter: {strangers}"
        raise WlkError(Status.MODEL_ERROR, message)


def _check_fields(table: Table) -> None:
    """MODEL_ERROR when something refers to a field that is not there."""
    known = {item.flat for item in table.fields}
    uses = [(f"field {f.name}", n) for f in table.fields for n in (f.valid_when, *f.x_hides) if n]
    for channel in table.channels:
        where = f"channel {channel.get('name', '?')}"
        _need(channel, f"{table.path.name}: {where}", "name", "valid")
        names = [channel["valid"], channel.get("ready"), *channel.get("bits", [])]
        uses += [(where, name) for name in names if name is not None]
    for where, name in uses:
        if name not in known:
            raise WlkError(Status.MODEL_ERROR, f"{table.path.name}: {where}: no field '{name}'")


def load(name: str) -> Table:
    """The table of block `name`; WlkError USAGE lists the blocks when there is none."""
    path = BLOCKS / f"{name}.toml"
    if not path.is_file():
        raise WlkError(Status.USAGE, f"no block '{name}'; the blocks are {', '.join(names())}")
    return parse(_decode(path), path)


def names() -> list[str]:
    """Every block that has a table."""
    return sorted(p.stem for p in BLOCKS.glob("*.toml"))
