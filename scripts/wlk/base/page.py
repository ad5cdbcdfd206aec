# SPDX-License-Identifier: Apache-2.0
"""The runs of a command as one HTML page that needs nothing else.

Its size has a limit: runs that fail come first, details are those of the smallest failure of each
kind and then of the others, as far as there is room.
"""

import base64
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import buckets, entries, installed, report, style
from .buckets import Failure
from .entries import Entry, Whole

TEMPLATE = Path(__file__).with_name("page.html")
MOST_ROWS = 10_000
PAGE_ROWS = 100  # shown at a time
MOST_ALIKE, MOST_SEEDS = 200, 1000
ROOM = 5_000_000  # characters of all details,
MOST_TEXT = 100_000  # of a report,
MOST_NAME = 300  # and of a name or a message in a list
MOST_PICTURE = 1_000_000  # bytes
FACTS = {
    "cycles": "cycles",
    "skipped": "skipped cycles",
    "compared_bits": "compared bits",
    "masked_bits": "masked bits",
    "cycles_per_second": "cycles a second",
    "module": "module",
    "scope": "scope",
    "seed": "seed",
    "depth": "depth of the proof",
}


@dataclass
class Bar:
    """A coverage point; widths in hundredths."""

    name: str
    hits: int
    floor: int
    width: float
    mark: float
    doc: str = ""

    @property
    def kind(self) -> str:
        """How it looks."""
        return "free" if not self.floor else "" if self.hits >= self.floor else "bad"


@dataclass
class Row:
    """A run on the page."""

    number: int
    entry: Entry
    brief: str
    inside: bool = False  # with its details
    is_open: bool = False
    text: str = ""
    picture: str = ""
    config: list[str] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    seeds: Sequence[Failure] = ()

    @property
    def floors(self) -> int:
        return sum(bar.floor > 0 for bar in self.bars)

    @property
    def floors_met(self) -> int:
        return sum(bar.hits >= bar.floor > 0 for bar in self.bars)


def render(whole: Whole) -> str:
    """The page."""
    alike = buckets.of(whole.entries)
    rows = _rows(whole.entries, [bucket.smallest.entry for bucket in alike])
    failed = sum(entry.is_failure for entry in whole.entries)
    waits = whole.code is None
    return style.template(TEMPLATE).render(
        whole=whole,
        version=installed.version(),
        began=began(whole),
        took=f"{whole.seconds:,.1f} s",
        kind="warn" if waits else "bad" if whole.code else "good",
        failed=failed,
        alike=alike,
        several=sum(len(bucket.members) for bucket in alike) > 1,
        counts=entries.counts(whole.entries),
        kinds={entry.verdict: entry.kind for entry in whole.entries},
        rows=rows,
        left_out=len(whole.entries) - len(rows),
        bare=sum(not row.inside for row in rows),
        page_rows=PAGE_ROWS,
        most_alike=MOST_ALIKE,
        most_seeds=MOST_SEEDS,
        number=number,
    )  # fmt: skip


def began(whole: Whole) -> str:
    """When, to the minute."""
    return f"{whole.began[:16].replace('T', ' ')} UTC"


def number(value: float) -> str:
    """A number with its thousands apart."""
    return f"{value:,}"


def _rows(listed: Sequence[Entry], first: Sequence[int]) -> list[Row]:
    """The runs that are listed; `first`: those whose details are wanted most."""
    order = sorted(range(len(listed)), key=lambda n: not listed[n].is_failure)[:MOST_ROWS]
    rows = {n: Row(n, listed[n], _brief(listed[n])) for n in order}
    room = ROOM
    for n in dict.fromkeys([n for n in first if n in rows] + order):
        size = _fill(rows[n])
        rows[n].inside = size <= room
        room -= size if rows[n].inside else 0
    if order and (listed[order[0]].is_failure or len(order) == 1):
        rows[order[0]].is_open = True
    return list(rows.values())


def _brief(entry: Entry) -> str:
    """What the list shows of a run beside its name."""
    if entry.is_failure:
        return _cut(entry.message, MOST_NAME)
    answer = entry.answer
    if "first" in answer:  # a fault that was looked for
        return _cut(entries.difference(answer["first"], answer.get("seed")), MOST_NAME)
    parts = [f"{answer['cycles']:,} cycles"] if answer.get("cycles") else []
    if answer.get("floors"):
        parts.append(f"coverage {answer['floors_met']} of {answer['floors']}")
    parts += [str(answer["skipped"])] if isinstance(answer.get("skipped"), str) else []
    return _cut(", ".join(parts), MOST_NAME)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[:most]} … ({len(text) - most:,} more characters)"


def _fill(row: Row) -> int:
    """Give a run its details; about how many characters they are."""
    entry, answer = row.entry, row.entry.answer
    row.text = _cut(entry.text, MOST_TEXT)
    row.picture = _picture(answer.get("picture"))
    row.config = [f"{key}={value}" for key, value in (answer.get("config") or {}).items()]
    row.facts = list(_facts(entry))
    row.bars = bars(answer.get("coverage") or {})
    row.seeds = buckets.failures(entry) if answer.get("failures") else ()
    texts = (row.text, row.picture, entry.repeat, *entry.notes, *row.config)
    lines = answer.get("rtl_lines", [])
    marked = 100 * (len(row.config) + len(row.facts) + len(row.seeds)) + 200 * len(row.bars)
    return sum(map(len, texts)) + marked + sum(len(str(line)) + 100 for line in lines)


def _picture(path: str | None) -> str:
    """An SVG file in base 64: as an image it can neither run anything nor be taken for the page."""
    try:
        data = Path(path).read_bytes() if path else b""
    except OSError:
        return ""
    return base64.b64encode(data).decode() if len(data) <= MOST_PICTURE else ""


def _facts(entry: Entry) -> Iterator[tuple[str, str]]:
    for key, name in FACTS.items():
        value = entry.answer.get(key)
        if isinstance(value, int):
            yield name, number(value)
        elif value:
            yield name, str(value)
    if entry.seconds:
        yield "time", f"{entry.seconds:,.1f} s"
    if seeds := entry.answer.get("seeds"):
        yield "seeds", entry.answer.get("all_seeds") or "..".join(map(str, seeds))
    for key in ("not_compared", "tied_off", "never_compared", "barely_compared"):
        if names := entry.answer.get(key):
            yield key.replace("_", " "), ", ".join(names)
    for line in report.partly_compared(entry.answer):
        yield "outputs", line


def bars(coverage: dict[str, Any]) -> list[Bar]:
    """Hits are a number, or `hits` and `floor`, and `doc` where that is shown."""
    points = {k: v if isinstance(v, dict) else {"hits": v} for k, v in coverage.items()}
    pairs = {name: (point["hits"], point.get("floor", 0)) for name, point in points.items()}
    docs = {name: point.get("doc", "") for name, point in points.items()}
    most = max((max(pair) for pair in pairs.values()), default=0)

    def share(value: int) -> float:
        return round(100 * math.log1p(value) / math.log1p(most), 1) if most else 0.0

    return [
        Bar(name, hits, floor, share(hits), share(floor), docs[name])
        for name, (hits, floor) in pairs.items()
    ]
