# SPDX-License-Identifier: Apache-2.0
"""What `warplock coverage` does: read databases together, and show or write what came out."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from ..base import options, outputs, report
from ..base.entries import Whole
from ..base.errors import Status, WlkError, nearest
from ..base.options import operand, option
from ..base.published import Reported
from . import cover_holes, cover_page, cover_store, cover_view
from .cover_holes import Hole
from .cover_store import Runs, Space
from .cover_view import Group, Ranked


@dataclass
class Coverage(Reported):
    """Merge what runs have covered, rank seeds, show holes."""

    NAME = "coverage"
    EXAMPLE = """warplock coverage nightly.cover
warplock coverage nightly.cover --holes --rank
warplock coverage monday.cover tuesday.cover --merge week.cover"""
    NEEDS: ClassVar[tuple[str, ...]] = ()
    WITHOUT = ("junit",)

    files: Sequence[Path] = operand("FILE", "databases of --cover", nargs="+", type=Path)
    block: list[str] = option([], "only this block; may be repeated", metavar="B")
    points: bool = option(False, "list all points of each configuration, not only the holes")
    rank: bool = option(False, "list few runs that reach all that all of them reach")
    holes: bool = option(False, "of each hole: a command that reaches it, where one is known")
    prove: bool = option(
        False,
        "the same; where none is known, prove that no legal inputs reach the point, which then has "
        "no goal, or write inputs that do",
    )
    timeout: int = option(
        60, "seconds for each proof (default: 60)", metavar="S", type=options.number(1)
    )
    merge: Path | None = options.path("write what is merged as one database", metavar="OUT")
    ucis: Path | None = options.path("write the UCIS XML interchange form")
    force: bool = options.force()
    groups: list[Group] = field(default_factory=list)
    found: list[Hole] = field(default_factory=list)
    ranks: dict[Space, list[Ranked]] = field(default_factory=dict)

    def refuse(self) -> None:
        """Databases that are none, and files that cannot be written."""
        for path in self.files:
            cover_store.check(path)
        for path in filter(None, (self.merge, self.ucis)):
            outputs.refuse(path, self.force)

    def needs(self) -> tuple[str, ...]:
        proofs = ("build", "model", "prove", "rtl") if self.prove else ()
        return (*(("build",) if self.holes else ()), *proofs, *(("ucis",) if self.ucis else ()))

    def page_of(self, whole: Whole) -> str:
        """Its own page, once all is read."""
        if not self.groups:
            return super().page_of(whole)
        return cover_page.render(whole, self.groups, self.found, self.ranks)

    def run(self) -> int:
        """VACUOUS where a point is below its goal."""
        runs = cover_store.merged(map(cover_store.read, self.files))
        self.groups = self._chosen(cover_view.groups(runs))
        if self.merge is not None:
            cover_store.write(self.merge, runs)
        if self.holes or self.prove:
            seconds = float(self.timeout) if self.prove else 0.0
            self._take(cover_holes.find(self.groups, self.files[0], seconds))
        current = [group for group in self.groups if not group.is_old]
        if self.rank:
            self.ranks = {group.space: cover_view.rank(group.counted) for group in current}
        if self.ucis is not None:
            from . import cover_ucis  # needs pyucis

            cover_ucis.write(self.ucis, current)
        if self.json:
            self._print_json()
        else:
            self._print(runs)
        return int(report.exit_code(current))

    def _take(self, holes: Sequence[Hole]) -> None:
        """What is known of holes; one that cannot be reached has no goal."""
        groups = []
        for group in self.groups:
            own = [hole for hole in holes if hole.group is group]
            never = frozenset(hole.seen.point.name for hole in own if hole.never)
            made = replace(group, unreachable=never) if never else group
            groups.append(made)
            self.found += [replace(hole, group=made) for hole in own]
        self.groups = groups

    def _chosen(self, found: Sequence[Group]) -> list[Group]:
        """Those of the blocks that were asked for; VACUOUS when there is none at all."""
        names = ", ".join(map(str, self.files))
        if not found:
            message = f"{names}: has no run; add some with `warplock lockstep --cover FILE`"
            raise WlkError(Status.VACUOUS, message)
        known = dict.fromkeys(group.space.block for group in found)
        for block in self.block:
            if block not in known:
                message = f"--block {block}: {names} has no run of it{nearest(block, known)}"
                raise WlkError(Status.USAGE, message)
        return [group for group in found if not self.block or group.space.block in self.block]

    def _print_json(self) -> None:
        for group in self.groups:
            answer = group.json()
            if group.space in self.ranks:
                answer["rank"] = [_ranked(group, each) for each in self.ranks[group.space]]
            if self.holes or self.prove:
                answer["holes"] = [hole.json() for hole in self.found if hole.group is group]
            report.json_line(answer)

    def _print(self, runs: Runs) -> None:
        _summary(self.groups).print()
        for group in self.groups:
            left = [seen for seen in group.seen if seen.is_hole or seen.never]
            seen = group.seen if self.points else left
            if seen and not group.is_old:
                print(f"\n{_title(group)}")
                _points(seen).print()
        for line in _notes(self.groups):
            print(line)
        if self.rank:
            _print_rank(self.groups, self.ranks)
        for hole in self.found:
            _print_hole(hole)
        if self.merge is not None:
            print(f"{self.merge}: {sum(map(len, runs.values())):,} runs")


def _ranked(group: Group, each: Ranked) -> dict[str, Any]:
    run = each.run
    again = shlex.join(cover_view.command(group, run)) if run.kind == "lockstep" else ""
    about = {"kind": run.kind, "stimulus": run.stimulus, "seed": run.seed, "cycles": run.cycles}
    sums = {"new": each.new, "reached": each.reached, "cycles_so_far": each.cycles}
    about |= {"source": run.source} if run.source else {}
    return about | ({"command": again} if again else {}) | sums


def _title(group: Group) -> str:
    return f"{group.space.block} {group.name}"


def _summary(groups: Sequence[Group]) -> report.Table:
    """A row a configuration."""
    table = report.Table(
        "block", "config", "runs", "cycles", "points", "reached", "goals", "verdict"
    )
    for group in groups:
        goals = f"{group.goals - len(group.holes)}/{group.goals}"
        verdict = "old" if group.is_old else group.verdict
        counts = (len(group.counted), group.cycles, len(group.seen), group.reached)
        table.add(group.space.block, group.name, *counts, goals, verdict)
    return table


def _points(seen: Sequence[cover_view.Seen]) -> report.Table:
    table = report.Table("point", "hits", "goal", "runs", "")
    for each in seen:
        mark = "never hit" if each.is_hole and not each.hits else "hole" if each.is_hole else ""
        mark = "unreachable" if each.never else mark
        table.add(each.point.name, each.hits, each.goal or None, each.runs, mark)
    return table


def _notes(groups: Sequence[Group]) -> list[str]:
    failed = sum(group.failed for group in groups if not group.is_old)
    old = sum(len(group.runs) for group in groups if group.is_old)
    notes = [f"{failed:,} runs that fail are not counted"] if failed else []
    what = "runs have points of another version and are not counted: run them again"
    return [*notes, *([f"{old:,} {what}"] if old else [])]


def _print_rank(groups: Sequence[Group], ranks: Mapping[Space, Sequence[Ranked]]) -> None:
    print("\nfew runs that reach all that all runs reach:")
    table = report.Table(
        *("block", "config", "rank", "run", "cycles", "so far [cycles]", "new points", "reached")
    )
    for group in groups:
        for number, each in enumerate(ranks.get(group.space, ()), 1):
            counts = (each.run.cycles, each.cycles, each.new, each.reached)
            names = (group.space.block, group.name, number, cover_view.run_name(each.run))
            table.add(*names, *counts)
    table.print()


def _print_hole(hole: Hole) -> None:
    point = hole.seen.point
    print(f"\n{_title(hole.group)}: {point.name}: {point.doc}")
    print(f"  {hole.known or 'no stimulus is known that reaches it'}")
    if hole.command:
        print(f"  {hole.command}")
    sys.stdout.flush()
