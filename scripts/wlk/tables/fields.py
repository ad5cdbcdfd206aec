# SPDX-License-Identifier: Apache-2.0
"""Fields of a table, their elements and ports, and what a place in a record is."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from .expr import Config, Expr

WORD = 64
HIDDEN = "_"  # a part of a path that the names of ports leave out
Index = tuple[int | str, ...]  # of an element; text stands for several
NOTATIONS = ("hex", "decimal", "opaque")


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
    exact: bool
    port: str | None = None
    read: bool = True
    loose_width: bool = False
    timing: str = "comb"
    valid_when: str = ""
    doc: str = ""
    x_hides: tuple[str, ...] = ()  # outputs that show this input though valid_when is 0
    unit: str = ""  # the unit it is a part of
    unit_at: int = 0  # how many components of the path name the unit
    counts: tuple[int, ...] = ()  # the largest legal value of each array count
    opaque: bool = False  # its ports are found in the RTL; `lanes`: how many words they need
    entry: int | None = None  # of a field that each entry of a list has: whose it is
    stem: str = ""  # and its name with @ in place of that number
    label: str = ""  # its name in reports; empty: that of the port
    show: str = ""  # how reports write it: one of NOTATIONS; empty: by its width
    prefix: str = "io_"  # what the names of its ports begin with
    head: str = ""  # the first part of its path in the names of its ports; empty: as it is
    first: int = 0  # number of the last array's first element in the names of its ports
    vector: str = ""  # the last part of the name of its vector; empty: that of the path

    @property
    def notation(self) -> str:
        """One of NOTATIONS. Numbers of things and flags are counted, all else is bits."""
        counted = self.width.text == "1" or self.width.text.startswith(("clog2(", "idw("))
        return self.show or ("decimal" if counted else "hex")

    @property
    def flat(self) -> str:
        """The name without counts: `readReq.bits.regs.pReg`."""
        return ".".join(part for part, _ in self.path)

    @property
    def member(self) -> str:
        """The name inside its unit: `uop.inst.essentials_3`."""
        return ".".join(part for part, _ in self.path[self.unit_at :])

    @property
    def unit_head(self) -> str:
        """The path of the unit that it is a part of: `ibuf.bits`; empty without a unit."""
        return ".".join(part for part, _ in self.path[: self.unit_at]) if self.unit else ""

    @property
    def members(self) -> tuple[tuple[str, int | None, Expr | None], ...]:
        """The path in a struct of C: (member, entry, count). Entries of a list are an array: the
        field of entry 2 that the table calls `q_@[n].valid` is `q[2][i].valid`."""
        stems = self.stem.split(".") if self.stem else [part for part, _ in self.path]
        found = []
        for stem, (_, count) in zip(stems, self.path, strict=True):
            name = stem.partition("[")[0]
            entry = self.entry if "@" in name else None
            found.append((name.replace("_@", "").replace("@", ""), entry, count))
        return tuple(found)

    @property
    def named_path(self) -> tuple[tuple[str, Expr | None], ...]:
        """The path as the names of its ports have it."""
        (first, count), *rest = self.path
        return ((self.head or first, count), *rest)

    @property
    def packed(self) -> bool:
        """Every element of the largest array fits in one word."""
        return not self.unit and math.prod(self.counts) * self.max_width <= WORD

    @property
    def group(self) -> Expr | None:
        """The parameter-dependent count of the arrays the field is in, if they form a group."""
        counts = [n for _, n in self.path if n is not None and n.names]
        if self.packed or not counts:
            return None
        return counts[0].times(counts[1:])

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

    @property
    def lack(self) -> str:
        """What it is when RTL or a waveform lacks it: `not_compared`, `tied_off` (an input that no
        rule reads) or `needed`."""
        if self.direction == "out":
            return "not_compared"
        return "needed" if self.read else "tied_off"


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


def element_name(item: Field, index: Index, lane: int | str | None = None) -> str:
    """The emitted name of an element: the prefix and the path with `_`, or the `port` given."""
    if item.port is not None:
        return item.port
    parts, rest = [], list(index)
    for part, count in item.named_path:
        parts += [part] if part != HIDDEN else []
        if count is not None:
            at = rest.pop(0)
            parts.append(_number(at, item.first) if not rest else str(at))
    if lane is not None:
        parts.append(str(lane))
    return item.prefix + "_".join(parts)


def _number(at: int | str, first: int) -> str:
    """The index in a name; in a pattern of C `%1` is the number after it."""
    if isinstance(at, str):
        return at.replace("%u", f"%{first}") if first else at
    return str(at + first)


def opaque_stem(item: Field, index: Index) -> str:
    """What the names of an opaque field's ports begin with: `io_in_0_bits_`."""
    return element_name(replace(item, path=item.path[:-1]), index) + "_"


def walk(
    fields: list[Field], cfg: Config | None, depth: int = 0, index: tuple[int, ...] = ()
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
                yield from walk(deeper, cfg, depth + 1, ahead)
        position = end


def first_fit(bins: list[int], start: int, width: int) -> tuple[int, int]:
    """(word, lsb) in the first word from `start` on with room; `bins`: bits taken of each word."""
    for word in range(start, len(bins)):
        if bins[word] + width <= WORD:
            lsb = bins[word]
            bins[word] += width
            return word, lsb
    bins.append(width)
    return len(bins) - 1, 0


def place_members(ports: Iterable[tuple[str, int]]) -> tuple[Member, ...]:
    """Places for (name, width) in the words of an opaque field: first fit, none over two words."""
    bins: list[int] = []
    return tuple(Member(name, width, *first_fit(bins, 0, width)) for name, width in ports)
