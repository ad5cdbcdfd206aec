# SPDX-License-Identifier: Apache-2.0
"""Handshakes among the rows of a table, by their names: valid, ready and what goes with them; req
and gnt; AXI-stream."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..gen.block_folder import Channel, Row

SIDE = re.compile(r"_(?:i|o|in|out)$", re.IGNORECASE)  # how names say a direction
VALID = re.compile(r"(.*?)(?:valid|(?:(?<=_)|^)(?:vld|val))$", re.IGNORECASE)
REQUEST = re.compile(r"(.*?)(?:(?<=_)|^)(?:req|request)$", re.IGNORECASE)
READY = ("ready", "rdy")
GRANT = ("gnt", "grant", "ack", *READY)
VALUES = re.compile(  # what goes with a valid that has no other name
    r"(?:data|payload|bits|idx|index|id|last|user|keep|strb|addr|len|tag|flit|beat|value)\d*$", re.I
)


@dataclass
class _Found:
    """A channel in the making."""

    stem: str  # what the names of its ports begin with
    valid: Row
    ready: Row | None


def find(rows: Sequence[Row]) -> tuple[list[Row], list[Channel]]:
    """The channels, and the rows with what is valid when."""
    found = _outermost([each for row in rows if (each := _of_valid(row, rows)) is not None])
    taken = {each.valid.flat for each in found} | {e.ready.flat for e in found if e.ready}
    bits: dict[str, list[str]] = {each.valid.flat: [] for each in found}
    result = []
    for row in rows:
        owner = _owner(row, found) if row.flat not in taken else None
        if owner is not None:
            bits[owner.valid.flat].append(row.flat)
            row = replace(row, valid_when=owner.valid.flat)
        result.append(row)
    channels = [
        Channel(
            _name(each),
            each.valid.flat,
            each.ready.flat if each.ready else None,
            tuple(bits[each.valid.flat]),
        )
        for each in found
        if each.ready or bits[each.valid.flat]
    ]
    kept = {each.valid for each in channels}
    return [r if r.valid_when in kept else replace(r, valid_when="") for r in result], channels


def _outermost(found: Sequence[_Found]) -> list[_Found]:
    """Without those that are part of another one's value: without an answer of its own, a valid
    below another valid's name says something of that value, and gates nothing by itself."""

    def is_inner(each: _Found) -> bool:
        return each.ready is None and any(
            other.stem
            and other.stem != each.stem
            and each.stem.startswith(other.stem)
            and other.valid.direction == each.valid.direction
            and other.valid.counts == each.valid.counts[: len(other.valid.counts)]
            for other in found
        )

    return [each for each in found if not is_inner(each)]


def _base(row: Row) -> str:
    return SIDE.sub("", row.flat.replace(".", "_"))


def _of_valid(row: Row, rows: Sequence[Row]) -> _Found | None:
    base = _base(row)
    is_valid, is_request = VALID.fullmatch(base), REQUEST.fullmatch(base)
    if row.width != "1" or not (is_valid or is_request) or base.lower().endswith("invalid"):
        return None
    stem = (is_valid or is_request)[1]
    ready = _ready(row, stem, READY if is_valid else GRANT, rows)
    if ready is None and (is_request or not stem.endswith("_")):
        return None
    return _Found(stem, row, ready)


def _ready(valid: Row, stem: str, words: Sequence[str], rows: Sequence[Row]) -> Row | None:
    """The answer to a valid: the other way, and as many."""
    names = [f"{stem}{word}".lower() for word in words]
    for row in rows:
        is_alike = row.width == "1" and row.counts == valid.counts
        if is_alike and row.direction != valid.direction and _base(row).lower() in names:
            return row
    return None


def _owner(row: Row, found: Sequence[_Found]) -> _Found | None:
    """The channel whose value a row is part of: that of the longest name."""

    def fits(each: _Found) -> bool:
        valid = each.valid
        same = row.direction == valid.direction
        if not same or row.counts[: len(valid.counts)] != valid.counts:
            return False
        base = _base(row)
        return base.startswith(each.stem) if each.stem else VALUES.match(base) is not None

    return max(filter(fits, found), key=lambda each: len(each.stem), default=None)


def _name(each: _Found) -> str:
    """What to call it: the stem, without the t of AXI-stream."""
    stem = re.sub(r"_t$", "", each.stem, flags=re.IGNORECASE).strip("_")
    return stem or ("input" if each.valid.direction == "in" else "output")


def names_once(channels: Sequence[Channel]) -> Iterator[Channel]:
    """The same under names of which each is there once."""
    seen: set[str] = set()
    for each in channels:
        name = each.name
        while name in seen:
            name += "_"
        seen.add(name)
        yield replace(each, name=name)
