# SPDX-License-Identifier: Apache-2.0
"""What a sweep says, on a terminal and as JSON; and the costs and the document's figures."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..base import report
from . import chances, cost, document
from .cost import Cost
from .points import Point
from .store import COUNTERS
from .summary import WITHIN, Choice, Result, Summary, reasons

MOST = 12  # reasons that the terminal shows
LONGEST = 70  # letters of one


# ---- a sweep ------------------------------------------------------------------------------------


def text(summary: Summary) -> str:
    """The answers in a table, and what did not come to its end."""
    table = report.Table(
        *("workload", "best point", "IPC", f"cheapest within {100 * WITHIN:.0f} %", "its IPC"),
        "its area [µm²]",
    )
    for each in summary.choices():
        best, enough = each.best, each.enough
        row = (best.point, f"{best.ipc:.3f}", enough.point, f"{enough.ipc:.3f}")
        table.add(each.name, *row, round(enough.area))
    parts = [table.render()] if table.rows else ["no point came to its end on any workload"]
    if left := reasons(summary.rows):
        parts.append(_reasons(left))
    parts.append(counts(summary))
    return "\n\n".join(parts)


def counts(summary: Summary) -> str:
    """How the runs ended."""
    words = [f"{n:,} {status}" for status, n in sorted(summary.statuses.items())]
    return f"{len(summary.rows):,} runs: {', '.join(words)}"


def _reasons(left: Sequence[tuple[str, str, str, str, int]]) -> str:
    table = report.Table("point", "status", "runs", "why")
    for point, status, why, _, runs in left[:MOST]:
        table.add(point, status, runs, why if len(why) <= LONGEST else f"{why[:LONGEST]}...")
    more = len(left) - MOST
    return table.render() + (
        f"\n{more} more are in the database and on the page" if more > 0 else ""
    )


def objects(summary: Summary) -> Iterator[dict[str, Any]]:
    """An object a run, one a synthesis, and last the answers."""
    points = {point.title: point for point in summary.sweep.points}
    for row in summary.rows:
        yield _run(row, points[row["point"]], summary.costs[row["point"]])
    for row in summary.synth:
        yield {"synth": dict(row) | {"memories": json.loads(row["memories"] or "[]")}}
    yield {"answers": [_answer(each) for each in summary.choices()], "unsafe": summary.unsafe}


def _run(row: Mapping[str, Any], point: Point, costs: Cost) -> dict[str, Any]:
    found = {key: row[key] for key in ("point", "workload", "seed", "status", "message")}
    found |= {"config": point.words, "area": round(costs.area, 1)}
    if row["cycles"] is not None:
        found |= {key: row[key] for key in ("cycles", "issued", "admitted", "ipc")}
        found["counters"] = {name: row[name] for name in COUNTERS if row[name] is not None}
    found |= {key: json.loads(row[key]) for key in ("warps", "warning", "hang") if row[key]}
    return found


def _answer(choice: Choice) -> dict[str, Any]:
    def shown(result: Result) -> dict[str, Any]:
        return {"point": result.point, "ipc": round(result.ipc, 6), "area": round(result.area, 1)}

    found: dict[str, Any] = {"workload": choice.name, "group": choice.group}
    found |= {"best": shown(choice.best), "within_2_percent": shown(choice.enough)}
    return found | {"most_per_area": shown(choice.dense), "front": [*map(shown, choice.front)]}


ORGANISATIONS = {
    "duplicated": "three copies of the register file, {depth} entries",
    "src_banked": "banked by source register, {banks} banks of {depth}",
    "inst_banked": "banked by instruction, {banks} banks of {depth}",
    "caching": "caching, {depth} slots an operand",
}
TAKEN = {
    "request": "an entry taken when all operands can be read",
    "eager": "an entry taken by each row",
    "admit": "an entry taken at admission",
}
WARS = {"gate": "WAR stalls admission", "stall": "WAR stalls the write", "epoch": "reads by epoch"}


def described(point: Point) -> str:
    """A point in words."""
    text = ORGANISATIONS[point.word("collector")]
    parts = [text.format(banks=point["coll_banks"], depth=point["coll_depth"])]
    banks = point["reg_banks"]
    parts.append(f"{banks} register bank" + ("s" if banks > 1 else ""))
    parts += [TAKEN[point.word("coll_alloc")], f"forwarding {point.word('forwarding')}"]
    parts.append(WARS[point.word("war")])
    window, buffer = point["ibuf_window"], point["wb_buffer"]
    parts += [f"window {window}"] if window > 1 else []
    parts += [f"write buffer {buffer}"] if buffer else []
    return ", ".join([*parts, f"{point['rs_entries']} rows"])


# ---- costs --------------------------------------------------------------------------------------


def costs_text(points: Sequence[Point]) -> str:
    """The formulas, their value at each point, and the document's figures beside ours."""
    formulas = report.Table("quantity", "unit", "formula")
    for name, unit, _, formula in cost.ROWS:
        formulas.add(name, unit, formula)
    parts = [formulas.render(), *(_costs(point) for point in points)]
    parts += [_figures(), _findings(), _chances()]
    return "\n\n".join(parts)


def _costs(point: Point) -> str:
    table = report.Table(point.title, "value", "unit")
    for name, unit, value in costs_of(point):
        table.add(name, f"{value:,.1f}" if isinstance(value, float) else f"{value:,}", unit)
    return table.render()


def costs_of(point: Point) -> list[tuple[str, str, int | float]]:
    """The rows of §10 at a point: name, unit, value."""
    found = Cost(point)
    return [(name, unit, getattr(found, key)) for name, unit, key, _ in cost.ROWS]


def _figures() -> str:
    table = report.Table("heading of the document", "figure", "it says", "reproduced", "agrees")
    for each in document.figures():
        agrees = "yes" if each.agrees else "NO"
        table.add(each.heading, each.what, each.says, each.reproduced, agrees)
    return table.render()


def _findings() -> str:
    lines = ["what the document says that does not hold:"]
    for each in document.findings():
        lines += [f"[{KINDS[each.kind]}] {each.heading}", f"  says       {each.says}"]
        lines += [f"  corrected  {each.corrected}", f"  because    {each.why}"]
    return "\n".join(lines)


KINDS = {"error": "doc error", "unclear": "doc unclear", "rtl": "doc≠rtl"}


def _chances() -> str:
    table = report.Table("banks N", "E[k] of minimal", "its IPC", "distinct banks of 3 draws")
    for banks in (1, 2, 4, 8, 16):
        values = (chances.minimal_cycles(banks), chances.minimal_ipc(banks))
        table.add(banks, *(f"{v:.3f}" for v in (*values, chances.distinct(banks, 3))))
    return table.render()


def costs_objects(points: Sequence[Point]) -> Iterator[dict[str, Any]]:
    """The same as JSON: an object a point, one a figure, one a finding."""
    for point in points:
        found = Cost(point)
        values = {key: getattr(found, key) for _, _, key, _ in cost.ROWS}
        yield {"point": point.title, "config": point.words, "cost": values}
    for each in document.figures():
        yield {"figure": vars(each)}
    for each in document.findings():
        yield {"finding": vars(each)}
