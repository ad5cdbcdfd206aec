# SPDX-License-Identifier: Apache-2.0
"""What `warplock opndcoll --compare` prints: one recording on several configurations.

The rules of such a run: docs/operand-collector.md, "Another configuration".
"""

import re
from typing import Any

from ..base import report

WAITS = {
    "steps waiting": "waiting",
    "starved: other kind": "starved_other",
    "starved: no unit": "starved_unit",
    "starved cycles": "starved_cycles",
    "stalled: EX full": "stalled_ex_full",
    "stalled: no DU": "stalled_no_du",
}


def with_differences(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer, and of each configuration the mean and what it saves against the first one; None
    where instructions never get through."""
    first = answer["configurations"][0]
    return answer | {
        "recorded": answer["recorded"] | {"mean": _mean(answer["recorded"])},
        "configurations": [each | _differences(first, each) for each in answer["configurations"]],
    }


def _differences(first: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    waited = other["waited"] | {"mean": _mean(other["waited"])}
    if first["left"] or other["left"]:
        return {"waited": waited, "saved_steps": None, "saved_cycles": None}
    steps = other["waited"]["total"] * first["steps_a_cycle"] / other["steps_a_cycle"]
    saved = round(first["waited"]["total"] - steps)
    cycles = first["cycles"] - other["cycles"]
    return {"waited": waited, "saved_steps": saved, "saved_cycles": cycles}


def _mean(waited: dict[str, Any]) -> float | None:
    return waited["total"] / waited["instructions"] if waited["instructions"] else None


def short(name: str) -> str:
    """The word of a configuration without the folders of its file."""
    return re.sub(r"^(v\d\d:)?(\+)?.*/", lambda m: (m[1] or "") + (m[2] or ""), name)


def render(answer: dict[str, Any], name: str) -> str:
    """All of it for a reader; `answer` has its differences."""
    heading = f"{name}: {answer['instructions']:,} instructions in {answer['cycles']:,} core cycles"
    tables = [_overview(answer), _waits(answer["configurations"])]
    notes = [note for each in answer["configurations"] if (note := _left(each))]
    return "\n\n".join([heading, *(table.render() for table in tables), *notes])


def _overview(answer: dict[str, Any]) -> report.Table:
    table = report.Table(
        "configuration", "revision", "core cycles", "steps, mean", "p95",
        "steps saved", "cycles saved", "conflicts", "writes refused",
    )  # fmt: skip
    recorded = answer["recorded"]
    table.add("as recorded", "", None, recorded["mean"], recorded["p95"], None, None, None, None)
    for each in answer["configurations"]:
        waited, totals = each["waited"], each["summary"]["totals"]
        counts = (totals["conflicts"], totals["write_refused"])
        saved = (each["saved_steps"], each["saved_cycles"])
        cycles = each["cycles"]
        table.add(
            short(each["name"]),
            each["revision"],
            cycles,
            waited["mean"],
            waited["p95"],
            *saved,
            *counts,
        )
    return table


def _waits(configurations: list[dict[str, Any]]) -> report.Table:
    """What the pipes that have instructions wait for, pipe by pipe, to compare in a column."""
    table = report.Table("kind", "configuration", *WAITS)
    for kind in sorted({kind for each in configurations for kind in _kinds(each)}):
        for each in configurations:
            row = _kinds(each).get(kind)
            if row is not None:
                table.add(row["kind"], short(each["name"]), *(row[name] for name in WAITS.values()))
    return table


def _kinds(configuration: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """The pipes with instructions, by their place in the order of ports."""
    kinds = configuration["summary"]["kinds"]
    return {place: row for place, row in enumerate(kinds) if row["issued"]}


def _left(each: dict[str, Any]) -> str:
    """Of a configuration that never ends."""
    if not each["left"]:
        return ""
    return f"{short(each['name'])}: HANG, {each['left']:,} instructions never leave OC_EX"
