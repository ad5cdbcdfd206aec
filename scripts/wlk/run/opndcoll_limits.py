# SPDX-License-Identifier: Apache-2.0
"""What limits a kernel at the operand collector, from its counts: plain sentences and the steps
lost to each cause. How they are counted: docs/operand-collector.md, "The page"."""

from dataclasses import dataclass
from typing import Any

LITTLE = 0.1  # steps of an instruction: not worth a name
UNEVEN = 1.5  # times its share that a bank serves


@dataclass(frozen=True)
class Loss:
    """Steps of an instruction lost to a cause."""

    key: str
    name: str
    means: str  # a sentence's end, for the largest
    steps: float


def losses(counts: dict[str, Any]) -> list[Loss]:
    """All causes, in steps of each instruction that was taken in, the largest first."""
    totals = counts["totals"]
    each = totals["allocated"] or 1
    stalls = totals["stalled_ex_full"] + totals["stalled_no_du"]
    operands = max(0, totals["busy"] - stalls - 2 * totals["allocated"])
    waits = totals["waited_read"] + totals["waited_write"] + totals["waited_unit"]

    def share(count: str) -> float:
        return operands * totals[count] / waits / each if waits else 0.0

    found = [
        Loss("reads", "bank conflicts", "reads of one bank wait for each other",
             share("waited_read")),
        Loss("writes", "written banks", "reads wait while their bank is written",
             share("waited_write")),
        Loss("unit_reads", "one read a unit", "a unit gets one operand a step (V32)",
             share("waited_unit")),
        Loss("ex_full", "full OC_EX", "the pipes behind it take too few instructions",
             totals["stalled_ex_full"] / each),
        Loss("no_du", "dispatch units", "there are too few dispatch units",
             totals["stalled_no_du"] / each),
        Loss("no_unit", "no idle unit", "all collector units are busy",
             totals["starved_unit"] / each),
        Loss("other_kind", "order of pipes", "ports serve the pipes in a fixed order",
             totals["starved_other"] / each),
        Loss("no_port", "no port", "no port lists the pipe", totals["starved_port"] / each),
    ]  # fmt: skip
    return sorted(found, key=lambda loss: -loss.steps)


def sentences(counts: dict[str, Any]) -> list[str]:
    """The first is what limits the kernel; then what goes with it."""
    totals = counts["totals"]
    if not totals["allocated"]:
        return ["No instruction went through the collector."]
    return [
        _limit(losses(counts)),
        _traffic(counts),
        *_banks(counts),
        *_pipes(counts),
        *_rest(counts),
    ]


def _limit(found: list[Loss]) -> str:
    first, second = found[:2]
    if first.steps < LITTLE:
        return "Nothing limits this kernel here: instructions go through with next to no waiting."
    held = [loss for loss in found if loss.key in ("reads", "writes", "unit_reads", "ex_full")]
    text = f"{first.name[0].upper()}{first.name[1:]} cost most: {first.means}, "
    text += f"{first.steps:.1f} steps an instruction"
    if first.key == "no_unit" and held[0].steps >= LITTLE:
        return f"{text}. Units are held by {_named(held[0])}."
    return f"{text}; then {_named(second)}." if second.steps >= LITTLE else f"{text}."


def _named(loss: Loss) -> str:
    return f"{loss.name} ({loss.steps:.1f} steps)"


def _traffic(counts: dict[str, Any]) -> str:
    totals, steps, cycles = counts["totals"], counts["steps"], counts["cycles"]
    units = len(counts["busy_units"]) - 1
    text = f"{totals['allocated']:,} instructions in {steps:,} steps"
    text += f" ({totals['allocated'] / cycles:.2f} a core cycle)" if cycles else ""
    each = totals["busy"] / totals["allocated"]
    text += f". {totals['busy'] / steps:.1f} of {units} collector units are busy on average"
    return f"{text}, all of them in {_percent(counts['busy_units'][-1], steps)} of the steps; an " \
           f"instruction holds one for {each:.1f} steps."  # fmt: skip


def _banks(counts: dict[str, Any]) -> list[str]:
    banks, granted = counts["banks"], counts["totals"]["granted"]
    if not granted:
        return []
    bank = max(banks, key=lambda each: each["conflicts"])
    text = (
        f"A request waits in bank {bank['bank']} in {_percent(bank['conflicts'], counts['steps'])}"
    )
    text += " of the steps, more than in any other bank"
    most = max(banks, key=lambda each: each["granted"])
    if most["granted"] * len(banks) > UNEVEN * granted:
        share = _percent(most["granted"], granted)
        text += f"; bank {most['bank']} serves {share} of the reads, 1/{len(banks)} would be even"
    return [f"{text}."] if bank["conflicts"] else ["No request ever waits in a bank."]


def _pipes(counts: dict[str, Any]) -> list[str]:
    """The pipe that is passed over most often."""
    rows = [row for row in counts["kinds"] if row["waiting"]]
    starved = {row["kind"]: row["starved_other"] + row["starved_unit"] for row in rows}
    if not any(starved.values()):
        return []
    row = max(rows, key=lambda each: starved[each["kind"]])
    why = "since the ports served an earlier pipe" if row["starved_other"] > row["starved_unit"] \
        else "since no unit was idle"  # fmt: skip
    share = _percent(starved[row["kind"]], row["waiting"])
    text = f"{row['kind']} waits most: in {share} of the steps"
    return [f"{text} that find an instruction for it, none is taken in, mostly {why}."]


def _rest(counts: dict[str, Any]) -> list[str]:
    totals = counts["totals"]
    found = []
    if totals["write_refused"]:
        share = _percent(totals["write_refused"], totals["write_refused"] + totals["written"])
        found.append(f"{share} of the writes find their bank taken by another result.")
    if totals["issue_refused"]:
        text = f"{totals['issue_refused']:,} issues found no slot in ID_OC and were dropped"
        found.append(f"{text}; in a simulator they would have waited.")
    return found


def _percent(part: float, whole: float) -> str:
    value = 100 * part / whole if whole else 0.0
    return f"{value:.0f} %" if value >= 10 or not value else f"{value:.1f} %"
