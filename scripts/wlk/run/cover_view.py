# SPDX-License-Identifier: Apache-2.0
"""What coverage databases say when they are read together: points with hits and goals, by block and
configuration, and the runs that are enough to reach all of them."""

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .. import tables
from ..base import report
from ..base.errors import Status
from ..base.installed import COMMAND
from .cover_store import Point, Run, Runs, Space
from .failures import own_folder
from .jobs import Run as Lockstep

ROUND = 2000  # cycles in which each profile of the mix has its turn (WLK_STIMULUS_ROUND)
MIX = "mix"


def goal(rate: int, cycles: int) -> int:
    """Hits that a floor asks for in so many cycles of the mix: as `needed` in dpi/harness/answer.c
    has it, and one at least."""
    mean = -(-rate * cycles // 1_000_000)
    off = math.isqrt(9 * mean - 1) + 1 if mean and cycles >= ROUND else 0
    return max(1, mean - off) if rate else 0


@dataclass(frozen=True)
class Seen:
    """A coverage point in all runs of a group."""

    point: Point
    hits: int
    goal: int  # 0: none is asked
    runs: int  # that hit it
    never: bool = False  # it is proved unreachable

    @property
    def is_hole(self) -> bool:
        return self.hits < self.goal

    def json(self) -> dict[str, Any]:
        """As `coverage --json` has it."""
        counts = {"hits": self.hits, "goal": self.goal, "runs": self.runs}
        counts |= {"unreachable": True} if self.never else {}
        return {"name": self.point.name, **counts, "doc": self.point.doc}


@dataclass(frozen=True)
class Group:
    """The runs of a block in a configuration. Those that fail do not count."""

    space: Space
    runs: Sequence[Run]
    is_old: bool = False  # there are later runs with other points
    unreachable: frozenset[str] = frozenset()  # points that are proved to be so

    @cached_property
    def counted(self) -> list[Run]:
        return [run for run in self.runs if run.counts]

    @property
    def failed(self) -> int:
        return len(self.runs) - len(self.counted)

    @cached_property
    def cycles(self) -> int:
        return sum(run.cycles for run in self.counted)

    @cached_property
    def mixed(self) -> int:
        """Cycles for which floors hold."""
        return sum(run.cycles for run in self.counted if is_mix(run))

    @cached_property
    def seen(self) -> list[Seen]:
        found = []
        for n, point in enumerate(self.space.points):
            hits = [run.hits[n] for run in self.counted]
            never = point.name in self.unreachable
            asked = 0 if never else goal(point.rate, self.mixed)
            found.append(Seen(point, sum(hits), asked, sum(map(bool, hits)), never))
        return found

    @property
    def holes(self) -> list[Seen]:
        return [seen for seen in self.seen if seen.is_hole]

    @property
    def goals(self) -> int:
        return sum(seen.goal > 0 for seen in self.seen)

    @property
    def reached(self) -> int:
        return sum(seen.hits > 0 for seen in self.seen)

    @property
    def verdict(self) -> Status:
        return Status.VACUOUS if self.holes or not self.counted else Status.OK

    @cached_property
    def config(self) -> dict[str, str]:
        """By key."""
        return dict(word.split("=", 1) for word in self.space.config.split())

    @cached_property
    def table(self) -> tables.Table | None:
        """Of the block, if it is known here."""
        block = self.space.block
        return tables.load(block) if block in tables.names() else None

    @cached_property
    def given(self) -> dict[str, str]:
        """What differs from the default."""
        usual = _shown(self.table, self.table.defaults()) if self.table is not None else {}
        return {key: value for key, value in self.config.items() if usual.get(key) != value}

    @cached_property
    def name(self) -> str:
        """The configuration's name, or what differs from the default."""
        text = report.config_text(self.given) or "default"
        if self.table is not None:
            each = {n: self.table.config(given) for n, given in self.table.configs.items()}
            named = (n for n, config in each.items() if _shown(self.table, config) == self.config)
            text = next(named, text)
        return f"{text}, tied {self.space.tied}" if self.space.tied else text

    def json(self) -> dict[str, Any]:
        """As `coverage --json` has it."""
        about = {"block": self.space.block, "name": self.name, "config": self.config}
        about |= {"tied": self.space.tied} if self.space.tied else {}
        about |= {"old": True} if self.is_old else {}
        about |= {"runs": len(self.counted), "failed": self.failed, "cycles": self.cycles}
        about |= {"reached": self.reached, "goals": self.goals}
        about |= {"goals_met": self.goals - len(self.holes)}
        about |= {"verdict": report.verdict_name(self.verdict)}
        return about | {"points": [seen.json() for seen in self.seen]}


def _shown(table: tables.Table, config: tables.Config) -> dict[str, str]:
    return {key: str(value) for key, value in table.show(config).items()}


def is_mix(run: Run) -> bool:
    """Do floors hold for it?"""
    return run.kind == "lockstep" and run.stimulus == MIX


def groups(found: Runs) -> list[Group]:
    """By block and configuration. Of one with several versions of its points all but that of the
    last run are old."""
    newest: dict[tuple[str, str, str], tuple[str, str]] = {}
    for space, runs in found.items():
        last = (max((run.added for run in runs), default=""), space.digest)
        newest[space.place] = max(newest.get(space.place, last), last)
    return [
        Group(space, runs, is_old=space.digest != newest[space.place][1])
        for space, runs in found.items()
        if runs
    ]


def command(group: Group, run: Run, count: int = 1) -> list[str]:
    """Words that run a seed of lockstep again, or so many from it on."""
    known = group.space.block in tables.names()
    words = [COMMAND, "lockstep", group.space.block]
    words += own_folder(group.space.block) if known else []
    words += shlex.split(run.source)
    words += [word for key, value in group.given.items() for word in ("--config", f"{key}={value}")]
    words += ["--profile", run.stimulus] if run.stimulus != MIX and not run.program else []
    words += ["--power-up", run.power_up] if run.power_up != Lockstep.power_up else []
    words += ["--seeds", f"{run.seed}..{run.seed + count - 1}"]
    return words + (["--cycles", str(run.asked)] if run.asked else [])


# ---- ranking ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ranked:
    """A run of those that are enough."""

    run: Run
    new: int  # points that no run before it reaches
    reached: int  # with those before it
    cycles: int


def run_name(run: Run) -> str:
    """A run, in a table."""
    if run.kind != "lockstep":
        return f"{run.kind} {run.source}"
    program = Path(shlex.split(run.source)[-1]).name if run.program else ""
    return f"seed {run.seed}, {program or run.stimulus}"


def rank(runs: Sequence[Run]) -> list[Ranked]:
    """Few runs that reach all that all of them reach: always the one that reaches most of what is
    left, the shorter of two; then none of them can be left out."""
    masks = {run: _mask(run.hits) for run in runs}
    chosen = _greedy(masks)
    for run in sorted(chosen, key=lambda run: (masks[run].bit_count(), -run.cycles, run)):
        others = [other for other in chosen if other != run]
        if _union(masks[other] for other in others) == _union(masks.values()):
            chosen = others
    found: list[Ranked] = []
    reached = cycles = 0
    for run in _greedy({run: masks[run] for run in chosen}):
        new = (masks[run] & ~reached).bit_count()
        reached, cycles = reached | masks[run], cycles + run.cycles
        found.append(Ranked(run, new, reached.bit_count(), cycles))
    return found


def _mask(hits: Iterable[int]) -> int:
    return sum(1 << n for n, count in enumerate(hits) if count)


def _union(masks: Iterable[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found


def _greedy(masks: Mapping[Run, int]) -> list[Run]:
    """Runs that reach all, in the order in which they are chosen."""
    left, chosen = _union(masks.values()), []
    while left:
        best = min(masks, key=lambda run: (-(masks[run] & left).bit_count(), run.cycles, run))
        chosen.append(best)
        left &= ~masks[best]
    return chosen
