# SPDX-License-Identifier: Apache-2.0
"""What the runs of a sweep say together: means over seeds, groups of workloads, and which point
is the answer for each."""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .cost import Cost
from .store import COUNTERS, MEASURED
from .sweep import Sweep

WITHIN = 0.02  # of the best IPC: as good as it
NAMES = {"kernels": "shipped kernels", "streams": "streams", "programs": "programs"}
DEADLOCK = "deadlock"  # in a warning
Row = Mapping[str, Any]


@dataclass
class Result:
    """A point on a workload, or on a group of them."""

    point: str
    workload: str
    area: float
    statuses: Counter[str] = field(default_factory=Counter)
    ipcs: list[float] = field(default_factory=list)  # of seeds; of a group, of its workloads
    cycles: int = 0
    issued: int = 0
    counters: Counter[str] = field(default_factory=Counter)

    @property
    def is_done(self) -> bool:
        """Did every run come to its end, or to the limit that was asked for?"""
        return bool(self.statuses) and self.statuses.keys() <= MEASURED

    @property
    def ipc(self) -> float:
        return statistics.fmean(self.ipcs) if self.ipcs else 0.0

    @property
    def error(self) -> float | None:
        """Standard error of the mean over seeds."""
        if len(self.ipcs) < 2:
            return None
        return statistics.stdev(self.ipcs) / math.sqrt(len(self.ipcs))

    def per_cycle(self, name: str) -> float:
        return self.counters[name] / self.cycles if self.cycles else 0.0

    def per_instruction(self, name: str) -> float:
        return self.counters[name] / self.issued if self.issued else 0.0

    @property
    def hit_rate(self) -> float | None:
        looked = self.counters["cacheLookups"]
        return self.counters["cacheHits"] / looked if looked else None


class Group(Result):
    """A point on several workloads: its IPC is their geometric mean."""

    @property
    def ipc(self) -> float:
        return statistics.geometric_mean(self.ipcs) if self.ipcs and all(self.ipcs) else 0.0


@dataclass(frozen=True)
class Choice:
    """Which point is the answer for a workload or a group."""

    name: str
    group: str
    results: Sequence[Result]  # of all points that came to their end, and can be the answer
    best: Result  # the highest IPC
    enough: Result  # the least area of those within WITHIN of it
    dense: Result  # the most IPC an area
    front: Sequence[Result]  # no other point is better in one and not worse in the other


@dataclass(frozen=True)
class Summary:
    """All of a sweep."""

    sweep: Sweep
    costs: Mapping[str, Cost]
    results: Mapping[tuple[str, str], Result]
    rows: Sequence[Row]
    unsafe: Mapping[str, str]  # points that can deadlock, and why
    synth: Sequence[Row] = ()

    @property
    def statuses(self) -> Counter[str]:
        return Counter(row["status"] for row in self.rows)

    def choices(self) -> list[Choice]:
        """The answers: of each group with several workloads, then of each workload."""
        found = []
        for group in NAMES:
            loads = [load.title for load in self.sweep.workloads if load.group == group]
            if len(loads) > 1:
                found.append(_choice(NAMES[group], group, self._safe(self.grouped(loads, group))))
            for load in loads:
                results = [self.results[point, load] for point in self.costs]
                found.append(_choice(load, group, self._safe(results)))
        return [each for each in found if each is not None]

    def grouped(self, loads: Sequence[str], name: str) -> list[Result]:
        """Each point on all of these."""
        return [
            merged(point, name, [self.results[point, load] for load in loads])
            for point in self.costs
        ]

    def _safe(self, results: Iterable[Result]) -> list[Result]:
        return [each for each in results if each.is_done and each.point not in self.unsafe]


def of(sweep: Sweep, rows: Sequence[Row], synth: Sequence[Row] = ()) -> Summary:
    """The summary of the rows of a database."""
    costs = {point.title: Cost(point) for point in sweep.points}
    results = {
        (point, load.title): Result(point, load.title, cost.area)
        for point, cost in costs.items()
        for load in sweep.workloads
    }
    unsafe: dict[str, str] = {}
    for row in rows:
        result = results[row["point"], row["workload"]]
        _count(result, row)
        if row["status"] == "HANG":
            unsafe.setdefault(row["point"], f"deadlocks on {row['workload']}")
        elif row["warning"] and DEADLOCK in row["warning"]:
            unsafe.setdefault(row["point"], "is able to deadlock")
    return Summary(sweep, costs, results, rows, unsafe, synth)


def merged(point: str, name: str, parts: Sequence[Result]) -> Group:
    """A point on several workloads."""
    found = Group(point, name, parts[0].area)
    for part in parts:
        found.statuses += part.statuses
        found.ipcs.append(part.ipc)
        found.cycles += part.cycles
        found.issued += part.issued
        found.counters += part.counters
    return found


def _count(result: Result, row: Row) -> None:
    result.statuses[row["status"]] += 1
    if row["status"] not in MEASURED:
        return
    result.ipcs.append(row["ipc"])
    result.cycles += row["cycles"]
    result.issued += row["issued"]
    for name in COUNTERS:
        result.counters[name] += row[name] or 0


def _choice(name: str, group: str, results: Sequence[Result]) -> Choice | None:
    if not results:
        return None
    best = max(results, key=lambda r: (r.ipc, -r.area))
    good = [r for r in results if r.ipc >= (1 - WITHIN) * best.ipc]
    enough = min(good, key=lambda r: (r.area, -r.ipc))
    dense = max(results, key=lambda r: r.ipc / r.area)
    return Choice(name, group, results, best, enough, dense, pareto(results))


def pareto(results: Iterable[Result]) -> list[Result]:
    """Those that no other beats in IPC or area without being worse in the other, by area."""
    front: list[Result] = []
    for each in sorted(results, key=lambda r: (r.area, -r.ipc)):
        if not front or each.ipc > front[-1].ipc:
            front.append(each)
    return front


def reasons(rows: Iterable[Row]) -> list[tuple[str, str, str, str, int]]:
    """What did not come to its end: point, status, reason, where, and how many runs."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row["status"] not in MEASURED:
            found.setdefault((row["point"], row["status"], _reason(row)), []).append(row)
    order = ("WRONG_VALUE", "ERROR", "HANG", "REFUSED")
    keys = sorted(found, key=lambda key: order.index(key[1]) if key[1] in order else -1)
    return [
        (*key, ", ".join(dict.fromkeys(r["workload"] for r in found[key])), len(found[key]))
        for key in keys
    ]


def _reason(row: Row) -> str:
    """A hang's cycle is another one in each run: it stands in the row."""
    return "no more progress" if row["status"] == "HANG" else row["message"]
