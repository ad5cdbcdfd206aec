# SPDX-License-Identifier: Apache-2.0
"""For coverage points below their goal: a stimulus that reaches them, as a command.

The stimulus is a function of seed and model, and needs no RTL: each profile is tried on the model
alone, and what the runs in the database have reached is known anyway. Of all that is known the one
with most hits a cycle is taken; where none reaches the point, a configuration whose runs do. What
no stimulus reaches can be proved unreachable (unreachable.py), or reached by inputs of the proof.
"""

import math
import shlex
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import tables
from ..base import keep, progress
from ..base.errors import WlkError
from ..base.installed import COMMAND
from . import cover_view, covered, failures, vectors
from .cover_store import Run
from .cover_view import MIX, Group, Seen, goal

TRIED = 20_000  # cycles of each profile on the model
MOST_SEEDS = 10_000  # of a command
ROOMY = 1.5  # times as many hits as are lacking: they are random


@dataclass(frozen=True)
class Way:
    """A stimulus that reaches a point."""

    profile: str
    asked: int  # cycles of a seed
    power_up: str
    hits: int
    cycles: int  # in which these hits were
    where: str  # they were counted

    @property
    def rate(self) -> float:
        return self.hits / self.cycles


@dataclass(frozen=True)
class Hole:
    """A point below its goal, and what is known of it."""

    group: Group
    seen: Seen
    known: str = ""  # how it is reached, or why it is not
    command: str = ""
    never: bool = False  # that is proved

    def json(self) -> dict[str, Any]:
        """As `coverage --json` has it."""
        found = {"name": self.seen.point.name, "hits": self.seen.hits, "goal": self.seen.goal}
        found |= {"unreachable": True} if self.never else {}
        return found | {
            key: text for key, text in (("known", self.known), ("command", self.command)) if text
        }


def find(groups: Sequence[Group], file: Path, seconds: float = 0.0) -> list[Hole]:
    """The holes of groups, with commands that add to `file`. `seconds`: of a proof for each point
    that no stimulus reaches; 0: none is tried."""
    wanted = [group for group in groups if group.holes and not group.is_old]
    found = []
    with progress.Progress("trying stimuli on the model", len(wanted)) as line:
        for number, group in enumerate(wanted):
            line.update(number, f"{group.space.block} {group.name}")
            ways = [*_ran(group), *_tried(group)]
            holes = [_hole(group, seen, ways, groups, file) for seen in group.holes]
            found += _proved(group, holes, file, seconds) if seconds else holes
    return found


def _proved(group: Group, holes: Sequence[Hole], file: Path, seconds: float) -> Iterator[Hole]:
    """The same; what nothing is known of is asked of a proof."""
    from .unreachable import Points

    table, asked = _table(group), [x for x in holes if not x.command and not x.seen.hits]
    points: Points | str = "inputs are tied, or the points are those of another version"
    if asked and table is not None:
        try:
            points = Points(table, table.config(group.config))
        except WlkError as error:
            points = str(error)
    place = file.with_name(f"{file.name}.reached") / keep.digest([group.space.config])[:8]
    for hole in holes:
        if hole not in asked:
            yield hole
        elif isinstance(points, str):
            yield replace(hole, known=f"no proof: {points}")
        else:
            reach = points.look(hole.seen.point.name, seconds, place)
            command = [COMMAND, "vectors", "play", str(reach.file), "--cover", str(file)]
            if own := failures.own_folder(group.space.block):
                command += own
            text = shlex.join(command) if reach.file is not None else ""
            yield replace(hole, known=reach.text, command=text, never=reach.never)


Hits = Callable[[str], int]
Found = tuple[Way, Hits]  # with the hits of a point


def _ran(group: Group) -> Iterator[Found]:
    """The profiles that were run, each with all its seeds."""
    kinds: dict[tuple[str, int, str], list[Run]] = {}
    for run in group.counted:
        if run.kind == "lockstep" and not run.program:
            kinds.setdefault((run.stimulus, run.asked, run.power_up), []).append(run)
    names = [point.name for point in group.space.points]
    for key, runs in kinds.items():
        sums = map(sum, zip(*(run.hits for run in runs), strict=True))
        hits = dict(zip(names, sums, strict=True))
        cycles = sum(run.cycles for run in runs)
        seeds = f"{len(runs)} seed{'s' if len(runs) > 1 else ''}"
        yield Way(*key, 0, cycles, f"in {seeds} that were run"), hits.__getitem__


def _tried(group: Group) -> Iterator[Found]:
    """Each profile on the model; none where the points are not those of this version."""
    table = _table(group)
    if table is None:
        return
    with tempfile.TemporaryDirectory(prefix=progress.SCRATCH) as folder:
        for number, profile in enumerate(table.profiles):
            out = Path(folder) / f"{number}.wlv"
            config = group.config
            asked = {"block": table.name, "profile": profile, "cycles": TRIED, "config": config}
            header = vectors.Gen(out=out, **asked).make()
            played = vectors.play(header, table, table.config(config)).result
            out.unlink()
            way = Way(profile, TRIED, "unknown", 0, played["cycles"], "of the model alone")
            yield way, played["coverage"].__getitem__


def _table(group: Group) -> tables.Table | None:
    """Its table, if the points are those of this version."""
    if group.space.block not in tables.names() or group.space.tied:
        return None
    table = tables.load(group.space.block)
    try:
        config = table.config(group.config)
    except WlkError:
        return None
    space = covered.space(table, config, table.show(config), {})
    return table if space.digest == group.space.digest else None


def _hole(
    group: Group, seen: Seen, ways: Sequence[Found], groups: Sequence[Group], file: Path
) -> Hole:
    name = seen.point.name
    counted = [replace(way, hits=hits(name)) for way, hits in ways]
    for way in sorted(counted, key=lambda way: (-way.rate, way.profile)):
        count = _seeds(group, seen, way) if way.hits else 0
        if count:
            known = f"profile {way.profile}: {way.hits:,} hits in {way.cycles:,} cycles {way.where}"
            return Hole(group, seen, known, _command(group, way, count, file))
    return _elsewhere(group, seen, groups, file) or Hole(group, seen)


def _elsewhere(group: Group, seen: Seen, groups: Sequence[Group], file: Path) -> Hole | None:
    """Another configuration of the block, whose runs reach the point."""
    found = []
    for other in (g for g in groups if g.space.block == group.space.block and not g.is_old):
        names = [point.name for point in other.space.points]
        for way, hits in _ran(other) if seen.point.name in names else ():
            found += [(replace(way, hits=hits(seen.point.name)), other)]
    found = [each for each in found if each[0].hits]
    if not found:
        return None
    way, other = max(found, key=lambda each: (each[0].rate, each[1].space))
    known = f"configuration {other.name}, profile {way.profile}: {way.hits:,} hits in"
    command = _command(other, way, 1, file)
    return Hole(group, seen, f"{known} {way.cycles:,} cycles {way.where}", command)


def _seeds(group: Group, seen: Seen, way: Way) -> int:
    """How many seeds should be enough; 0: so many are not."""
    count = max(1, math.ceil(ROOMY * (seen.goal - seen.hits) / (way.rate * way.asked)))
    if way.profile != MIX:
        return count if count <= MOST_SEEDS else 0
    while count <= MOST_SEEDS:  # with more cycles of the mix more is asked for
        asked = goal(seen.point.rate, group.mixed + count * way.asked)
        if seen.hits + way.rate * count * way.asked >= asked:
            return count
        count *= 2
    return 0


def _command(group: Group, way: Way, count: int, file: Path) -> str:
    """The next seeds of a profile."""
    ran = [run for run in group.runs if run.kind == "lockstep"]
    same = [run.seed for run in ran if (run.stimulus, run.asked) == (way.profile, way.asked)]
    first = max(same, default=0) + 1
    last = max((run for run in ran if not run.program), default=None, key=lambda run: run.added)
    source = last.source if last is not None else ""
    like = Run("lockstep", way.profile, first, way.asked, way.power_up, source=source)
    return shlex.join([*cover_view.command(group, like, count), "--cover", str(file)])
