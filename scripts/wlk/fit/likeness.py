# SPDX-License-Identifier: Apache-2.0
"""A first port map by likeness: of names, directions, widths and dimensions.

Nothing here knows RTL: ports are given as shapes (portmap.Shape). What is a guess is marked.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..tables import MAX_COMBINATIONS, Expr, Field, Table, element_name
from .portmap import Shape

INDICES = "ijkm"
LANE, ENTRY = "l", "q"  # indices of lanes, and of the entries of a list
CLOCKS = ("clock", "reset")
MOST = 1024  # bits of a payload
# Words that stand for others in names of ports.
SAME = {
    "rd": "read", "wr": "write", "w": "write", "r": "read", "rsp": "resp", "response": "resp",
    "request": "req", "en": "enable", "ena": "enable", "vld": "valid", "v": "valid", "val": "valid",
    "rdy": "ready", "addr": "address", "idx": "index", "wb": "writeback", "instr": "inst",
    "mask": "tmask", "dat": "data", "ack": "ready", "warp": "wid", "counter": "count",
    "cnt": "count", "register": "preg", "reg": "preg", "done": "valid", "kind": "type",
}  # fmt: skip
EMPTY = {"io", "bits", "i", "o", "in", "out"}  # words that say nothing
GROUP = 0.45  # how much the likeness of the groups that ports are in weighs
SURE, APART, LEAST = 0.62, 0.08, 0.25  # a guess is sure from, and this far before the next; worst
ROUNDS = 3


@dataclass(frozen=True)
class Family:
    """The ports of a field of the table."""

    key: str  # as a line of a map has it
    field: Field
    indices: tuple[str, ...]  # names of the indices in the key
    counts: tuple[frozenset[int], ...]  # how many there may be of each
    widths: frozenset[int]
    words: tuple[str, ...]  # of its name
    group: tuple[str, ...]  # of the channel that it is in

    @property
    def pattern(self) -> re.Pattern[str]:
        """What the names of its ports are like."""
        return re.compile(r"\d+".join(map(re.escape, re.split(r"\{\w\}", self.key))))


@dataclass(frozen=True)
class Slot:
    """A part of a module that may be the ports of a family."""

    root: str  # all slots with this one exclude each other
    text: str  # a place, `@` for each index
    dims: tuple[tuple[int, int], ...]  # left and right of each
    width: int
    direction: str | None
    words: tuple[str, ...]
    group: tuple[str, ...]
    is_vector: bool  # of bits, of which one can take several


@dataclass(frozen=True)
class Guess:
    """A line of a map."""

    family: Family
    place: str
    root: str
    score: float
    others: tuple[str, ...] = ()  # places that are about as like

    @property
    def is_sure(self) -> bool:
        """Is there no doubt?"""
        return self.score >= SURE and not self.others


# ---- words --------------------------------------------------------------------------------------


def words_of(name: str) -> tuple[str, ...]:
    """`io_readReq_bits_regs_pReg` as (read, req, regs, preg)."""
    # `pReg` is one word, `collEntry` two.
    joined = re.sub(r"(?<![A-Za-z])([a-z])([A-Z])", lambda each: each[0].lower(), name)
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", joined)
    found = [SAME.get(word, word) for word in spaced.lower().replace(".", "_").split("_") if word]
    kept = tuple(word for word in found if word not in EMPTY and not word.isdigit())
    return kept or tuple(found)


@functools.cache
def _alike(a: str, b: str) -> float:
    """Likeness of two words, 0 to 1."""
    if a == b:
        return 1.0
    short, long = sorted((a, b), key=len)
    if len(short) > 1 and (long.startswith(short) or long.endswith(short)):
        return 0.85
    rest = iter(long)
    if len(short) > 1 and short[0] == long[0] and all(letter in rest for letter in short):
        return 0.7
    ratio = difflib.SequenceMatcher(None, a, b).ratio()
    return ratio * 0.6 if ratio > 0.6 else 0.0


def _phrase(a: Sequence[str], b: Sequence[str]) -> float:
    """Likeness of two lists of words: how much of the shorter one is in the other, mostly."""
    if not a or not b:
        return 0.0
    forth = sum(max(_alike(x, y) for y in b) for x in a) / len(a)
    back = sum(max(_alike(x, y) for x in a) for y in b) / len(b)
    return 0.7 * forth + 0.3 * back


@functools.cache
def _names(slot: Slot, family: Family) -> float:
    """Likeness of names: the last words weigh most."""
    ends = max(_alike(slot.words[-1], word) for word in family.words[-2:])
    return 0.5 * ends + 0.5 * _phrase(slot.words, family.words)


# ---- the table's side ---------------------------------------------------------------------------


def families(table: Table) -> list[Family]:
    """The ports of a block, by fields, without clock and reset. Those that each entry of a list has
    are one family."""
    plain = (item for item in table.fields if item.entry in (None, 0))
    return [_family(table, item) for item in plain if item.name not in CLOCKS]


def _family(table: Table, item: Field) -> Family:
    is_laned = item.lanes is not None and not item.opaque
    exprs = [count for _, count in item.path if count is not None]
    values = [_values(table, count) for count in [*exprs, *([item.lanes] if is_laned else [])]]
    names = iter(INDICES)
    marks = ["" if value == {1} else next(names) for value in values]
    if is_laned and marks[-1]:
        marks[-1] = LANE
    shown = [f"{{{mark}}}" if mark else "0" for mark in marks]
    index, lane = (shown[:-1], shown[-1]) if is_laned else (shown, None)
    if index and index[-1] == "0":
        index[-1] = str(item.first)
    key, counts = element_name(item, tuple(index), lane), [v for v in values if v != {1}]
    marks = [mark for mark in marks if mark]
    if item.entry is not None:
        key = key.replace(f"_{item.entry}_", f"_{{{ENTRY}}}_", 1)
        most = max(each.most for each in table.lists.values())
        marks, counts = [ENTRY, *marks], [frozenset(range(1, most + 1)), *counts]
    widths = _values(table, item.width)
    if item.opaque or item.loose_width:
        widths = frozenset(range(1, (MOST if item.opaque else item.max_width) + 1))
    head = words_of("_".join(part for part, _ in item.path[:-1])) if len(item.path) > 1 else ()
    group = tuple(word for word in head if word != "regs")
    words = words_of(item.flat.replace(".", "_"))
    return Family(key, item, tuple(marks), tuple(counts), widths, words, group)


def _values(table: Table, expr: Expr) -> frozenset[int]:
    """Every value of an expression of the parameters, 0 left out."""
    names = sorted(expr.names)
    legal = [table.params[name].legal for name in names]
    total = 1
    for each in legal:
        total *= len(each)
    if total > MAX_COMBINATIONS:
        legal = [(min(each), max(each)) for each in legal]
    found = {expr(dict(zip(names, each, strict=True))) for each in itertools.product(*legal)}
    return frozenset(found - {0})


# ---- the module's side --------------------------------------------------------------------------


def slots(ports: Mapping[str, Shape]) -> list[Slot]:
    """All parts of the ports that may be the ports of a field."""
    numbered: dict[tuple[str, str | None, int], list[int]] = {}
    for name, shape in ports.items():
        for found in re.finditer(r"\d+", name):
            key = f"{name[: found.start()]}@{name[found.end() :]}", shape.direction, shape.width
            if str(int(found[0])) == found[0]:
                numbered.setdefault(key, []).append(int(found[0]))
    result = [slot for name, shape in ports.items() for slot in _below(name, name, (), shape, None)]
    for (text, direction, _), numbers in numbered.items():
        low, high = min(numbers), max(numbers)
        if len(numbers) == high - low + 1 > 1:
            shape = ports[text.replace("@", str(low))]
            result += _below(text, text, ((high, low),), shape, direction)
    return result


def _below(
    root: str, text: str, dims: tuple[tuple[int, int], ...], shape: Shape, direction: str | None
) -> Iterator[Slot]:
    direction = shape.direction or direction
    words = words_of(re.sub(r"\[@\]|@", "", text))
    if not shape.unpacked:
        is_vector = shape.bounds is not None and shape.element is None
        yield Slot(root, text, dims, shape.width, direction, words, words[:-1], is_vector)
    if shape.bounds is not None:
        element = shape.element or Shape(1)
        yield from _below(root, f"{text}[@]", (*dims, shape.bounds), element, direction)
    for member, (_, part) in shape.members.items():
        yield from _below(f"{root}.{member}", f"{text}.{member}", dims, part, direction)


# ---- both ---------------------------------------------------------------------------------------


@functools.cache
def _place(slot: Slot, family: Family) -> str | None:
    """How the ports of a family lie in a slot; None: they cannot."""
    if slot.direction not in (None, family.field.direction):
        return None
    counts, indices = family.counts, family.indices
    sizes = [abs(left - right) + 1 for left, right in slot.dims]
    fits = all(size in legal for size, legal in zip(sizes, counts, strict=False))
    if not fits or len(sizes) > len(counts):
        return None
    text = slot.text
    for index, (left, right) in zip(indices, slot.dims, strict=False):
        low = min(left, right)
        text = text.replace("@", f"{{{index}{f'+{low}' if low else ''}}}", 1)
    if len(sizes) == len(counts):
        return text if slot.width in family.widths else None
    if len(sizes) + 1 < len(counts) or not slot.is_vector:
        return None
    ways = [w for w in family.widths if slot.width % w == 0 and slot.width // w in counts[-1]]
    if len(ways) != 1 or (ways[0] == 1 and slot.width > 1):  # bits are elements: another slot
        return None
    index, width = indices[-1], ways[0]
    return f"{text}[{{{index}*{width}+{width - 1}}}:{{{index}*{width}}}]"


def _closeness(slot: Slot, family: Family) -> float:
    """How like a slot is a family: names, and how much its form says."""
    form = 0.06 * len(slot.dims) + (0.08 if slot.width > 1 else 0.0)
    lacking = 0.0 if family.field.read or family.field.direction == "out" else 0.1
    return _names(slot, family) + min(form, 0.2) - lacking


def guesses(
    table: Table, ports: Mapping[str, Shape], wanted: Collection[str] | None = None
) -> list[Guess]:
    """The most likely places of a block's ports, in the order of the table; those of clock and
    reset are not among them. `wanted`: only of fields that have one of these ports."""
    rows, columns = families(table), slots(ports)
    if wanted is not None:
        rows = [row for row in rows if any(row.pattern.fullmatch(name) for name in wanted)]
    pairs: dict[tuple[int, int], float] = {}
    for r, family in enumerate(rows):
        for c, slot in enumerate(columns):
            if _place(slot, family) is not None:
                pairs[r, c] = _closeness(slot, family)
    scores = dict(pairs)
    chosen = _assign(scores, columns)
    for _ in range(ROUNDS):
        near = _groups(pairs, chosen, rows, columns)
        scores = {
            (r, c): value + GROUP * near.get((columns[c].group, rows[r].group), 0.0)
            for (r, c), value in pairs.items()
        }
        chosen = _assign(scores, columns)
    top = 1.2 + GROUP
    used = {columns[c].root for c in chosen.values()}
    result = []
    for r, c in sorted(chosen.items()):
        score = scores[r, c]
        if score / top < LEAST:
            continue
        rest = sorted(
            ((value, other) for (row, other), value in scores.items() if row == r),
            key=lambda each: -each[0],
        )
        close = [
            _place(columns[other], rows[r])
            for value, other in rest
            if value > score - APART * top and columns[other].root not in used
        ]
        place = _place(columns[c], rows[r])
        others = tuple(filter(None, close[:2]))
        result.append(Guess(rows[r], place, columns[c].root, score / top, others))
    return result


def _groups(
    pairs: Mapping[tuple[int, int], float],
    chosen: Mapping[int, int],
    rows: Sequence[Family],
    columns: Sequence[Slot],
) -> dict[tuple[tuple[str, ...], tuple[str, ...]], float]:
    """How like the groups of both sides are: names, and what of one is in the other."""
    sizes: dict[tuple[str, ...], set[str]] = {}
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], float] = {}
    for c in columns:
        sizes.setdefault(c.group, set()).add(c.root)
    for r, c in chosen.items():
        key = columns[c].group, rows[r].group
        found[key] = found.get(key, 0.0) + pairs[r, c]
    near = {}
    for (theirs, ours), total in found.items():
        share = min(1.0, total / (1.2 * len(sizes[theirs])))
        near[theirs, ours] = 0.6 * share + 0.4 * _phrase(theirs, ours)
    return near


def _assign(scores: Mapping[tuple[int, int], float], columns: Sequence[Slot]) -> dict[int, int]:
    """For each family a slot, no two with one root: the best pairs first, then exchanges of two
    that make both together better."""
    by_root: dict[int, dict[str, tuple[float, int]]] = {}
    for (r, c), value in scores.items():
        best = by_root.setdefault(r, {})
        if value > best.get(columns[c].root, (-1.0, 0))[0]:
            best[columns[c].root] = value, c
    ranked = sorted(
        ((value, r, root) for r, best in by_root.items() for root, (value, _) in best.items()),
        key=lambda x: (-x[0], x[1], x[2]),
    )
    taken: dict[str, int] = {}
    rooms: dict[int, str] = {}
    for _, r, root in ranked:
        if r not in rooms and root not in taken:
            rooms[r], taken[root] = root, r
    for _ in range(ROUNDS):
        _exchange(by_root, rooms)
    return {r: by_root[r][root][1] for r, root in rooms.items()}


def _exchange(
    by_root: Mapping[int, Mapping[str, tuple[float, int]]], rooms: dict[int, str]
) -> None:
    for a, b in itertools.combinations(list(rooms), 2):
        ra, rb = rooms[a], rooms[b]
        if rb in by_root[a] and ra in by_root[b]:
            now = by_root[a][ra][0] + by_root[b][rb][0]
            if by_root[a][rb][0] + by_root[b][ra][0] > now + 1e-9:
                rooms[a], rooms[b] = rb, ra
