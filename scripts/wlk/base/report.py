# SPDX-License-Identifier: Apache-2.0
"""What a run answers, to a person (a table) and to a program (a JSON object a line).

Every command that compares uses the same object: design page, "The one command".
"""

import itertools
import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TextIO

from .errors import Status

# An output that was compared in this share of the cycles is not listed, nor are more lines of them.
WHOLE, MOST_LINES = 0.99, 6


def verdict_name(status: Status) -> str:
    """The verdict's word: PASS, FUNCTIONAL_MISMATCH, ..."""
    return "PASS" if status == Status.OK else Status(status).name


def verdict_of(name: str) -> Status:
    """The verdict of that word."""
    return Status.OK if name == "PASS" else Status[name]


@dataclass(frozen=True)
class Mismatch:
    """The first difference of a run."""

    cycle: int  # sampled clock edges, from 0
    port: str  # its emitted name
    expected: int
    got: int
    care: int

    @classmethod
    def of(cls, first: Mapping[str, Any]) -> Self | None:
        """That of a program's answer; None when it names no port."""
        if "port" not in first or "rule" in first:
            return None
        values = {k: int(first[k], 16) for k in ("expected", "got", "care") if k in first}
        return cls(first["cycle"], first["port"], **values)

    def json(self) -> dict[str, Any]:
        """As a JSON object; values in hexadecimal, since a port is wider than a JSON number."""
        values = {"expected": self.expected, "got": self.got, "care": self.care}
        return {"cycle": self.cycle, "port": self.port} | {k: f"{v:#x}" for k, v in values.items()}


def broken_rule(first: Mapping[str, Any]) -> Mapping[str, Any]:
    """`first` of a program's answer where a rule was broken, else nothing."""
    return first if "rule" in first else {}


@dataclass
class Result:
    """One run of one block."""

    block: str
    verdict: Status
    config: Mapping[str, Any] = field(default_factory=dict)
    cycles: int = 0
    compared_bits: int = 0
    masked_bits: int = 0
    scope: str | None = None  # where in a waveform, ...
    module: str | None = None  # ... or which module; a run has one of the two
    first: Mismatch | None = None
    rule: Mapping[str, Any] = field(default_factory=dict)  # that was broken first, with its cycle
    extra: Mapping[str, Any] = field(default_factory=dict)  # further keys of this command

    def json(self) -> dict[str, Any]:
        """The common object, keys always in the same order."""
        place = {"scope": self.scope} if self.scope is not None else {"module": self.module}
        common = {"block": self.block, **place, "config": dict(self.config), "cycles": self.cycles}
        common["compared_bits"] = self.compared_bits
        common["masked_bits"] = self.masked_bits
        common["verdict"] = verdict_name(self.verdict)
        if self.first is not None:
            common["first"] = self.first.json()
        elif self.rule:
            common["first"] = dict(self.rule)
        clash = common.keys() & self.extra.keys()
        if clash:
            raise ValueError(f"extra keys {sorted(clash)} belong to the common object")
        return common | dict(self.extra)


def exit_code(results: Iterable[Any]) -> Status:
    """Of several runs, by their `verdict`: OK only if all pass, else the worst. No run at all is
    VACUOUS."""
    verdicts = [result.verdict for result in results]
    return worst(verdicts) if verdicts else Status.VACUOUS


def worst(verdicts: Iterable[Status]) -> Status:
    """OK if there is nothing else, else the failed verdict with the lowest number.

    The numbers are in the order of what a reader wants to know first: a mismatch outranks a run
    that compared too little. RTL_ASSERTION, which came later, goes behind HANG, and SIMULATOR
    behind MODEL_ERROR.
    """
    failed = [verdict for verdict in verdicts if verdict != Status.OK]
    order = {Status.RTL_ASSERTION: Status.HANG + 0.5}
    order |= {Status.SIMULATOR: Status.MODEL_ERROR + 0.5}
    return min(failed, key=lambda verdict: order.get(verdict, verdict), default=Status.OK)


def verdict_cell(verdict: Status, answer: Mapping[str, Any]) -> Status | str:
    """A verdict in a table: a PASS names the parameters of the second of two readings, which is
    taken there, and what of the `answer` it does not cover."""
    if verdict != Status.OK:
        return verdict
    readings = answer.get("readings", ())
    parts = [f"inferred {config_text(readings[-1]['config'])}"] if readings else []
    parts += gaps(answer)
    return f"{verdict_name(verdict)} ({'; '.join(parts)})" if parts else verdict


def gaps(answer: Mapping[str, Any]) -> list[str]:
    """What a verdict does not cover, by its JSON object."""
    missing, compared = answer.get("not_compared") or (), answer.get("outputs")
    found = []
    if missing:
        total = len(missing) if compared is None else compared + len(missing)
        of = "" if compared is None else f" of {total}"
        found.append(f"{len(missing)}{of} output{'s' if total > 1 else ''} not compared")
    if left_out := answer.get("binds_left_out"):
        found.append(f"{len(left_out)} bind{'s' if len(left_out) > 1 else ''} left out")
    return found


def with_gaps(word: str, answer: Mapping[str, Any]) -> str:
    """The word of a verdict; a good one says what it does not cover."""
    found = gaps(answer) if word in ("PASS", "PROVED") else ()
    return f"{word} ({'; '.join(found)})" if found else word


def named(names: Iterable[str]) -> str:
    """Names in their order; those that differ in their numbers alone as the first..the last."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(re.sub(r"\d+", "#", name), []).append(name)
    texts = (each if len(each) < 3 else [f"{each[0]}..{each[-1]}"] for each in groups.values())
    return ", ".join(itertools.chain.from_iterable(texts))


def partly_compared(answer: Mapping[str, Any]) -> list[str]:
    """Of a run without a failure: lines about the outputs that were compared in part of the cycles,
    the least compared first; without those that it names as never compared."""
    if answer.get("verdict") not in ("PASS", "VACUOUS"):
        return []
    known = answer.get("never_compared", ())
    alike: dict[str, dict[str, int]] = {}
    for name, share in answer.get("shares", {}).items():
        if share < WHOLE and name not in known:
            percents = alike.setdefault(re.sub(r"\d+", "#", name), {})
            percents[name] = int(100 * share)
    spans: dict[tuple[int, int], list[str]] = {}
    for percents in alike.values():
        span = min(percents.values()), max(percents.values())
        spans.setdefault(span, []).extend(percents)
    lines = []
    for (low, high), names in sorted(spans.items())[:MOST_LINES]:
        share = f"{low} %" if low == high else f"{low} % to {high} %"
        lines.append(f"compared in {share} of the cycles: {named(names)}")
    if more := sum(map(len, [names for _, names in sorted(spans.items())[MOST_LINES:]])):
        lines.append(
            f"compared in less than {100 * WHOLE:.0f} % of the cycles: {more} more outputs"
        )
    return lines


def json_line(value: Mapping[str, Any], stream: TextIO | None = None) -> None:
    """Print one JSON object on one line and flush, so that a reader can follow."""
    print(json.dumps(value, separators=(",", ":")), file=stream or sys.stdout, flush=True)


def warn(texts: Iterable[str]) -> None:
    """Print what a user should know of a configuration, on stderr."""
    for text in texts:
        print(f"warning: {text}", file=sys.stderr, flush=True)


class Table:
    """An aligned text table; a column is "name" or "name [unit]", numbers align right."""

    def __init__(self, *columns: str) -> None:
        self.columns = columns
        self.rows: list[tuple[Any, ...]] = []

    def add(self, *cells: object) -> None:
        """Append a row: one cell a column; None shows as "-"."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns")
        self.rows.append(cells)

    def render(self) -> str:
        """The table as text, without a newline at its end."""
        lines = [self.columns, *(tuple(map(cell_text, row)) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        lines.insert(1, tuple("-" * width for width in widths))
        aligned = []
        for column, (width, cells) in enumerate(zip(widths, zip(*lines, strict=True), strict=True)):
            align = str.rjust if self._is_number(column) else str.ljust
            aligned.append([align(cell, width) for cell in cells])
        return "\n".join("  ".join(line).rstrip() for line in zip(*aligned, strict=True))

    def _is_number(self, column: int) -> bool:
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and all(type(cell) in (int, float) for cell in cells)

    def print(self, stream: TextIO | None = None) -> None:
        """Print it."""
        print(self.render(), file=stream or sys.stdout, flush=True)


def cell_text(value: object) -> str:
    """A cell: thousands apart, three digits of a fraction at most, verdicts by name."""
    if value is None:
        return "-"
    if isinstance(value, Status):
        return verdict_name(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return str(value)


def config_text(config: Mapping[str, Any]) -> str:
    """A configuration as it is typed behind --config."""
    return " ".join(f"{key}={value}" for key, value in config.items())


def file_name(text: str) -> str:
    """The text with nothing that make or a shell takes for something else."""
    return "".join(c if c.isalnum() or c in "-_=.," else "_" for c in text)
