# SPDX-License-Identifier: Apache-2.0
"""Bundles of ports: the paths of a table, and words that names of a module have in common. Which of
the one is which of the other shows in what they are made of, more than in their names."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from . import words
from .families import Family, Group
from .slots import Slot

ALIKE = 0.6  # bundles that are for each other are at least so like
APART = 0.4  # how much less like two bundles would be the other way round, if they are sure
NAMED = 0.15  # how much their names weigh

Pairs = Mapping[tuple[int, int], float]


@dataclass(frozen=True)
class Fit:
    """A bundle of the table in one of the module."""

    group: Group
    prefix: Group
    score: float  # 1: all of the one is in the other, and the other way round
    value: float  # of all pairs
    pairs: tuple[tuple[int, int], ...]


@dataclass
class Bundles:
    """Those of a table and of a module."""

    rows: Sequence[Family]
    columns: Sequence[Slot]
    inside: dict[Group, set[int]] = field(default_factory=dict)  # slots, by their first words
    chosen: dict[Group, Fit] = field(default_factory=dict)
    best: dict[tuple[Group, int], float] = field(default_factory=dict)  # for a group and a slot

    def __post_init__(self) -> None:
        for c, slot in enumerate(self.columns):
            for end in range(1, len(slot.tokens)):
                self.inside.setdefault(slot.tokens[:end], set()).add(c)
                self.inside.setdefault(("", *slot.tokens[end:]), set()).add(c)
        self.inside = {key: found for key, found in self.inside.items() if len(found) > 1}
        self.members: dict[Group, set[int]] = {}
        for r, family in enumerate(self.rows):
            for group in family.groups:
                self.members.setdefault(group, set()).add(r)
        self.shares: dict[str, int] = {}  # of how many a list is that an atom is in
        for slot in self.columns:
            for atom in slot.atoms if not slot.is_struct else ():
                self.shares[atom] = max(self.shares.get(atom, 1), len(slot.atoms))
        self.fits: list[Fit] = []

    def look(self, pairs: Pairs) -> None:
        """Compare all bundles, given how like single ports are."""
        by_column: dict[int, list[tuple[float, int, int]]] = {}
        for (r, c), value in pairs.items():
            if value > 0:
                by_column.setdefault(c, []).append((value, r, c))
        self.fits, self.best = [], {}
        for group, members in self.members.items():
            ours = {c: [x for x in found if x[1] in members] for c, found in by_column.items()}
            for prefix, inside in self.inside.items():
                ranked = [each for c in inside for each in ours.get(c, ())]
                if ranked:
                    fit = self._fit(group, prefix, sorted(ranked, reverse=True))
                    self.fits.append(fit)
                    for c in inside:
                        self.best[group, c] = max(fit.score, self.best.get((group, c), 0.0))
        self._choose()

    def _fit(self, group: Group, prefix: Group, ranked: Sequence[tuple[float, int, int]]) -> Fit:
        """How much of a bundle of the table is in one of the module, and the other way round."""
        rows: dict[int, int] = {}
        atoms: set[str] = set()
        total = value_of_all = 0.0
        for value, r, c in ranked:
            if r not in rows and not atoms & self.columns[c].atoms:
                rows[r] = c
                atoms |= self.columns[c].atoms
                total += self.rows[r].weight * min(1.0, 0.5 + 0.5 * value)
                value_of_all += value
        wanted = sum(self.rows[r].weight for r in self.members[group])
        there = {atom for c in self.inside[prefix] for atom in self.columns[c].atoms}
        left = sum(1.0 / self.shares.get(atom, 1) for atom in there - atoms)
        found = sum(self.rows[r].weight for r in rows)
        share = 2 * total / (wanted + found + left)
        score = share * (1 - NAMED + NAMED * words.phrase(prefix, group))
        return Fit(group, prefix, score, value_of_all, tuple(rows.items()))

    def _choose(self) -> None:
        """For each bundle of the table one of the module, the largest first; what is inside one of
        them is inside the other one."""
        self.chosen = {}
        owners: dict[str, list[Group]] = {}
        likely = [fit for fit in self.fits if len(fit.pairs) > 1 and fit.score >= ALIKE]
        for fit in sorted(likely, key=lambda each: (-each.score * each.value, each.group)):
            atoms = self._atoms(fit)
            apart = all(is_inside(fit.group, o) for atom in atoms for o in owners.get(atom, ()))
            around = [self.chosen.get(fit.group[:end]) for end in range(1, len(fit.group))]
            inside = all(each is None or set(fit.pairs) <= set(each.pairs) for each in around)
            if fit.group not in self.chosen and apart and inside:
                self.chosen[fit.group] = fit
                for atom in atoms:
                    owners.setdefault(atom, []).append(fit.group)

    def _atoms(self, fit: Fit) -> set[str]:
        return {atom for _, c in fit.pairs for atom in self.columns[c].atoms}

    def is_chosen(self, group: Group, c: int) -> bool:
        """Is a slot one of those that a bundle of the table is in?"""
        fit = self.chosen.get(group)
        return fit is not None and any(column == c for _, column in fit.pairs)

    def is_near(self, groups: Collection[Group], c: int) -> bool:
        """Is a slot in the bundle of the module that one of the table is in?"""
        fits = (self.chosen[group] for group in groups if group in self.chosen)
        return any(c in self.inside[fit.prefix] for fit in fits)

    def exchanged(self) -> Iterator[tuple[int, int]]:
        """Slots that families have when two bundles of the module, which are about as like two of
        the table, change places."""
        by_pair = {(fit.group, fit.prefix): fit for fit in self.fits}
        own = [fit for fit in self.chosen.values() if len(fit.pairs) > 1]
        for one, two in itertools.combinations(own, 2):
            there = by_pair.get((one.group, two.prefix)), by_pair.get((two.group, one.prefix))
            if None in there or is_inside(one.group, two.group):
                continue
            if one.value + two.value - sum(fit.value for fit in there) < APART:
                for fit in there:
                    yield from fit.pairs


def is_inside(one: Group, two: Group) -> bool:
    """Is one of two bundles a part of the other?"""
    short = min(len(one), len(two))
    return one[:short] == two[:short]
