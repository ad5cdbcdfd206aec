# SPDX-License-Identifier: Apache-2.0
"""What a replay prints, and the statistics: rates and tables of what `wlk-opndcoll` counts.

docs/operand-collector.md defines each count.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from ..base import report
from . import opndcoll_replay

FLOW_COLUMNS = {
    "issued": "issued",
    "issue refused": "issue_refused",
    "allocated": "allocated",
    "dispatched": "dispatched",
    "taken": "taken",
}
WAIT_COLUMNS = {
    "steps waiting": "waiting",
    "starved: other kind": "starved_other",
    "starved: no unit": "starved_unit",
    "starved: no port": "starved_port",
    "starved cycles": "starved_cycles",
    "stalled: EX full": "stalled_ex_full",
    "stalled: no DU": "stalled_no_du",
}
BANK_COLUMNS = {
    "granted": "granted",
    "written": "written",
    "write refused": "write_refused",
    "waited: read": "waited_read",
    "waited: write": "waited_write",
    "waited: unit": "waited_unit",
    "conflict steps": "conflicts",
}


def with_rates(counts: dict[str, Any]) -> dict[str, Any]:
    """The counts, and the totals a step and a core cycle; None where there are none of them."""

    def over(number: int) -> dict[str, float] | None:
        return {k: v / number for k, v in counts["totals"].items()} if number else None

    return counts | {"per_step": over(counts["steps"]), "per_cycle": over(counts["cycles"])}


def render(counts: dict[str, Any], name: str) -> str:
    """All of it for a reader; `counts` has its rates. Kinds that were never used are left out."""
    heading = f"{name}, {counts['revision']}: {counts['steps']:,} steps"
    if counts["cycles"]:
        heading += f" in {counts['cycles']:,} core cycles"
    kinds = [kind for kind in counts["kinds"] if kind["issued"] or kind["issue_refused"]]
    tables = [
        _totals(counts),
        _columns("kind", kinds, FLOW_COLUMNS),
        _columns("kind", kinds, WAIT_COLUMNS),
        _means(_columns("bank", counts["banks"], BANK_COLUMNS, "queue, mean"), counts),
        _histogram("busy units", "steps", counts["busy_units"]),
        _histogram("requests in a bank", "banks x steps", counts["queue_lengths"]),
    ]
    return "\n\n".join([heading, *(table.render() for table in tables)])


def _totals(counts: dict[str, Any]) -> report.Table:
    table = report.Table("count", "total", "a step", "a core cycle")
    for name, total in counts["totals"].items():
        rates = [(counts[key] or {}).get(name) for key in ("per_step", "per_cycle")]
        table.add(name, total, *rates)
    return table


def _columns(key: str, rows: list[dict], columns: dict[str, str], *more: str) -> report.Table:
    table = report.Table(key, *columns, *more)
    for row in rows:
        table.rows.append((str(row[key]), *(row[name] for name in columns.values())))
    return table


def _means(table: report.Table, counts: dict[str, Any]) -> report.Table:
    steps = counts["steps"]
    lengths = [bank["queued"] / steps if steps else None for bank in counts["banks"]]
    table.rows = [(*row, mean) for row, mean in zip(table.rows, lengths, strict=True)]
    return table


def _histogram(what: str, of: str, numbers: list[int]) -> report.Table:
    table = report.Table(what, of, "share")
    total = sum(numbers)
    for value, number in _shown(numbers):
        table.add(str(value), number, f"{number / total:.1%}" if total else None)
    mean = sum(value * number for value, number in enumerate(numbers)) / total if total else None
    table.add("mean", mean, None)
    return table


def _shown(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """Values with their numbers; those that never occurred are left out."""
    return ((value, number) for value, number in enumerate(numbers) if number)


def run(args: argparse.Namespace) -> int:
    """Replay; print, compare, or count."""
    flags = [f"--{name}" for name in ("state", "stats", "summary") if getattr(args, name)]
    capture = args.summary or args.diff is not None
    replay = opndcoll_replay.Replay(args.stimulus, args.revision, tuple(args.config))
    answer = replay.run(*flags, events=args.diff, capture=capture)
    for line in answer.report.splitlines():
        print(line, file=sys.stderr)
    if args.summary:
        _summarize(json.loads(answer.output), args)
    elif capture:
        _say(json.loads(answer.output), args)
    return answer.code


def _summarize(counts: dict[str, Any], args: argparse.Namespace) -> None:
    """The statistics of a run."""
    counts = with_rates(counts)
    if args.json:
        report.json_line(counts)
    else:
        print(render(counts, str(args.stimulus)))


def _say(answer: dict[str, Any], args: argparse.Namespace) -> None:
    """What the comparison found."""
    if args.json:
        report.json_line(answer)
        return
    if answer["verdict"] == "PASS":
        print(f"{args.diff}: {answer['lines']:,} lines of {answer['steps']:,} steps, all identical")
        return
    print(opndcoll_replay.difference(answer, args.stimulus, args.diff))
