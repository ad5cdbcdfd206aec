# SPDX-License-Identifier: Apache-2.0
"""Coverage as one HTML page that needs nothing else."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..base import page, style
from ..base.entries import Whole
from . import cover_view
from .cover_holes import Hole
from .cover_store import Space
from .cover_view import Group, Ranked

TEMPLATE = Path(__file__).with_name("cover_page.html")


def render(
    whole: Whole,
    groups: Sequence[Group],
    holes: Sequence[Hole],
    ranks: Mapping[Space, Sequence[Ranked]],
) -> str:
    """The page; `holes` and `ranks` as far as they were asked for."""
    current = [group for group in groups if not group.is_old]
    known = {(hole.group.space, hole.seen.point.name): hole for hole in holes}
    found = [Hole(group, seen) for group in current for seen in group.holes]
    found = [known.get((hole.group.space, hole.seen.point.name), hole) for hole in found]
    return style.template(TEMPLATE).render(
        whole=whole,
        version=page.installed.version(),
        began=page.began(whole),
        kind="bad" if whole.code else "good",
        groups=current,
        bars_of={group.space: page.bars(_points(group)) for group in current},
        holes=found,
        ranks=ranks,
        old=sum(len(group.runs) for group in groups if group.is_old),
        runs=sum(len(group.counted) for group in current),
        failed=sum(group.failed for group in current),
        points=sum(len(group.seen) for group in current),
        reached=sum(group.reached for group in current),
        goals=sum(group.goals for group in current),
        number=page.number,
        run_name=cover_view.run_name,
    )  # fmt: skip


def _points(group: Group) -> dict[str, dict]:
    return {
        seen.point.name: {"hits": seen.hits, "floor": seen.goal, "doc": seen.point.doc}
        for seen in group.seen
    }
