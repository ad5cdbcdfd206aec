# SPDX-License-Identifier: Apache-2.0
"""`warplock opndcoll`: what a replay of GPGPU-Sim's operand collector prints, and its statistics,
rates and tables of what `wlk-opndcoll` counts.

docs/operand-collector.md defines each count.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base import options, report
from ..base.entries import Entry, Whole
from ..base.errors import Status, WlkError
from ..base.options import operand, option
from ..base.published import Reported
from . import opndcoll_compare, opndcoll_limits, opndcoll_page, opndcoll_replay, tools


@dataclass
class Opndcoll(Reported):
    """Replay stimulus of GPGPU-Sim's operand collector and print the events."""

    NAME = "opndcoll"
    EXAMPLE = """warplock opndcoll core.stim.xz --config qv100.cfg --state --stats
warplock opndcoll core.stim.xz --config qv100.cfg --diff core.events.xz
warplock opndcoll core.stim.xz --config qv100.cfg --summary
warplock opndcoll core.stim.xz --config qv100.cfg --compare titanv.cfg --compare v42:qv100.cfg
warplock opndcoll core.stim.xz --config qv100.cfg --html core.html"""

    stimulus: Path = operand("STIM", "commands, one a line; plain or .xz", type=Path)
    config: Sequence[Path] = options.path(
        "options in GPGPU-Sim's own syntax (default: those of a live recording, else the "
        "simulator's defaults); of several files the later ones win",
        "FILE.cfg",
        [],
    )
    allow_unknown: bool = option(
        False,
        "pass over options that are not the collector's, as in a whole gpgpusim.config (default: "
        "refuse)",
    )
    revision: str | None = option(
        None,
        "GPGPU-Sim 4.0.0, accel-sim's 4.2.0, or 3.2.2 (default: that of a live recording, else "
        "v40)",
        choices=opndcoll_replay.REVISIONS,
    )
    state: bool = option(False, "print the state after each step")
    stats: bool = option(False, "print the counters at the end")
    diff: Path | None = options.path(
        "compare with a recording, plain or .xz, with states and counters if it has them",
        "EVENTS",
        alone=True,
    )
    summary: bool = option(
        False,
        "print statistics and no events: bank conflicts, occupancy, starvation, stalls",
        alone=True,
    )

    compare: Sequence[str] = option(
        [],
        "what the recording would have been on another configuration; +FILE.cfg adds to those of "
        "--config, v42:FILE.cfg is of another revision",
        metavar="[REVISION:][+]FILE.cfg",
        alone=True,
    )

    html: Path | None = options.path(
        "write a page: what limits the kernel, conflicts, occupancy and stalls over time; with "
        "--compare the other configurations too, with --diff its verdict",
        "PAGE.html",
    )
    own_page: str = field(default="", init=False)  # that of the counts

    def page_of(self, whole: Whole) -> str:
        """That of the counts once there are some, else the verdict."""
        return self.own_page or super().page_of(whole)

    def refuse(self) -> None:
        """Words that do not go together."""
        if self.json and self.diff is None and not self._counts:
            message = "--json: events are lines of text; it goes with --diff, --summary, --compare"
            raise WlkError(Status.USAGE, message)
        if self._counts and (self.state or self.stats):
            name = "--summary" if self.summary else "--compare" if self.compare else "--html"
            message = f"{name} prints no events; --state and --stats add to them"
            raise WlkError(Status.USAGE, message)
        if self.junit is not None and self.diff is None:
            raise WlkError(Status.USAGE, "--junit goes with --diff: without it there is no verdict")

    @property
    def _counts(self) -> bool:
        return self.summary or bool(self.compare) or self._has_page

    @property
    def _has_page(self) -> bool:
        return self.html is not None and self.diff is None

    def run(self) -> int:
        """Replay; print, compare, or count."""
        if self._has_page:
            return self._count_for_page()
        flags = [f"--{name}" for name in ("state", "stats", "summary") if getattr(self, name)]
        flags += [word for each in self.compare for word in ("--compare", each)]
        capture = self._counts or self.diff is not None
        answer = self._replay(*flags, events=self.diff, capture=capture)
        if capture:
            show = self._show if self.diff is None else self._show_difference
            show(json.loads(answer.output))
        return answer.code

    @property
    def _played(self) -> opndcoll_replay.Replay:
        return opndcoll_replay.Replay.of(
            self.stimulus, self.revision, tuple(self.config), allow_unknown=self.allow_unknown
        )

    def _replay(self, *flags: str, **how: Any) -> tools.Answer:
        """Of wlk-opndcoll; what it reports goes to stderr."""
        answer = self._played.run(*flags, **how)
        for line in answer.report.splitlines():
            print(line, file=sys.stderr)
        return answer

    def _count_for_page(self) -> int:
        """The page, with its sentences on stdout; what else was asked for is printed too."""
        counts = with_rates(json.loads(self._replay("--summary", "--windows").output))
        compared, code = None, 0
        if self.compare:
            answer = self._replay(*(word for each in self.compare for word in ("--compare", each)))
            compared, code = (
                opndcoll_compare.with_differences(json.loads(answer.output)),
                answer.code,
            )
        configs = self._played.configs
        self.own_page = opndcoll_page.render(counts, str(self.stimulus), configs, compared)
        del counts["windows"]
        if self.json:
            report.json_line(compared or counts)
        elif self.summary:
            print(render(counts, str(self.stimulus)))
        else:
            print("\n".join(opndcoll_limits.sentences(counts)))
            if compared:
                print("\n" + opndcoll_compare.render(compared, str(self.stimulus)))
        return code

    def _show(self, answer: dict[str, Any]) -> None:
        """The statistics, or what other configurations change."""
        answer = with_rates(answer) if self.summary else answer
        answer = opndcoll_compare.with_differences(answer) if self.compare else answer
        if self.json:
            report.json_line(answer)
        elif self.compare:
            print(opndcoll_compare.render(answer, str(self.stimulus)))
        else:
            print(render(answer, str(self.stimulus)))

    def _show_difference(self, answer: dict[str, Any]) -> None:
        """What the comparison with a recording found."""
        text = opndcoll_replay.verdict(answer, self.stimulus, self.diff)
        line = text.splitlines()[0]
        self.entries.append(
            Entry({"block": "opndcoll"} | answer, str(self.diff), text, notes=[line])
        )
        if self.json:
            report.json_line(answer)
        else:
            print(text)


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
    steps = counts["steps"]
    banks = [b | {"mean": b["queued"] / steps if steps else None} for b in counts["banks"]]
    tables = [
        _totals(counts),
        _columns("kind", kinds, FLOW_COLUMNS),
        _columns("kind", kinds, WAIT_COLUMNS),
        _columns("bank", banks, BANK_COLUMNS | {"queue, mean": "mean"}),
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


def _columns(key: str, rows: list[dict], columns: dict[str, str]) -> report.Table:
    table = report.Table(key, *columns)
    for row in rows:
        table.add(str(row[key]), *(row[name] for name in columns.values()))
    return table


def _histogram(what: str, of: str, numbers: list[int]) -> report.Table:
    """How often each value occurred; those that never did are left out."""
    table = report.Table(what, of, "share")
    total = sum(numbers)
    for value, number in enumerate(numbers):
        if number:
            table.add(str(value), number, f"{number / total:.1%}")
    mean = sum(value * number for value, number in enumerate(numbers)) / total if total else None
    table.add("mean", mean, None)
    return table
