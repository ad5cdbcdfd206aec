# SPDX-License-Identifier: Apache-2.0
"""A first port map by likeness: of names, directions, widths, dimensions, and of what bundles of
ports are made of.

Each field of the table (families.py) may lie in parts of the module (slots.py, ways.py). A pair of
both has a score; each field gets the part with which the sum is highest. Widths and counts that are
one parameter must be equal: the likest pairs vote for its value. A guess is sure when each other
place for it makes the sum much worse.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..tables import Table
from . import slots as parts
from . import ways as forms
from .assignment import Assignment
from .bundles import Bundles
from .families import Family, families, usual_values
from .portmap import Shape
from .slots import Slot
from .ways import Way

ROUNDS = 3
# What a score is made of, besides the likeness of a pair alone (ways.py).
BUNDLE = 0.9  # what is in the bundles that both are in
TOGETHER = 0.3  # the bundle of the one is for the bundle of the other
AGREES, CONTRADICTS = 0.1, 0.8  # with the values of parameters that others vote for
ORDER = 0.08  # both are as far from the first one
USUAL = 0.03  # the value that a parameter has if nothing is said
TOP = 1.0 + forms.FORM + BUNDLE + TOGETHER + AGREES
LEAST_SPARE, LEAST_ALL_SPARE = 0.75, 0.8  # of a port that nobody reads: its name; all of it
SURE, APART = 0.42, 0.22  # share of TOP; how much less all would be another way

Votes = Mapping[str, Mapping[int, float]]  # for values of widths and counts


@dataclass(frozen=True)
class Guess:
    """A field's lines of a map."""

    family: Family
    lines: tuple[tuple[str, str], ...]  # key and place
    slot: Slot
    score: float
    others: tuple[str, ...] = ()  # places that are about as like
    is_open: bool = False  # the order of the elements does not show

    @property
    def place(self) -> str:
        """Where its first port is."""
        return self.lines[0][1]

    @property
    def ports(self) -> set[str]:
        """The module's ports that it is in."""
        return {atom.partition(".")[0] for atom in self.slot.atoms}

    @property
    def is_sure(self) -> bool:
        """Is there no doubt?"""
        return self.score >= SURE and not self.others and not self.is_open


@dataclass
class _Search:
    """The pairs of a block and a module, and their scores."""

    rows: Sequence[Family]
    columns: Sequence[Slot]
    usual: Mapping[str, int]  # widths and counts with the default parameters

    def __post_init__(self) -> None:
        self.pairs: dict[tuple[int, int], tuple[Way, ...]] = {}
        both = itertools.product(enumerate(self.rows), enumerate(self.columns))
        for (r, family), (c, slot) in both:
            is_strange = family.is_spare and forms.names(slot, family) < LEAST_SPARE / 2
            if not is_strange and (found := forms.ways(slot, family)):
                self.pairs[r, c] = found
        self.way: dict[tuple[int, int], Way] = {}
        self.open: set[tuple[int, int]] = set()  # several ways are about as likely
        self.bundles = Bundles(self.rows, self.columns)
        self.scores: dict[tuple[int, int], float] = {}
        self.result = self._run()

    def _run(self) -> Assignment:
        votes: Votes = {}
        last = {r for r, family in enumerate(self.rows) if family.is_spare}
        for _ in range(ROUNDS):
            self._score(votes)
            found = Assignment(self.scores, [slot.atoms for slot in self.columns], last)
            votes = self._votes(found.chosen)
        return found

    def _score(self, votes: Votes) -> None:
        alone = {pair: self._alone(*pair, votes) for pair in self.pairs}
        self.bundles.look(alone)
        self.scores = {}
        for (r, c), value in alone.items():
            score = value + self._bundled(r, c)
            if not self.rows[r].is_spare or self._may_be_spare(r, c, score):
                self.scores[r, c] = score

    def _alone(self, r: int, c: int, votes: Votes) -> float:
        """The score of a pair without its neighbours; notes the likest way."""
        found = self.pairs[r, c]
        values = [_agreement(way, votes) - way.cost + self._usual(way) for way in found]
        best = max(values)
        self.way[r, c] = found[values.index(best)]
        is_open = sum(value > best - AGREES for value in values) > 1
        (self.open.add if is_open else self.open.discard)((r, c))
        far = abs(r / len(self.rows) - c / len(self.columns))
        return best + forms.likeness(self.columns[c], self.rows[r]) - ORDER * far

    def _usual(self, way: Way) -> float:
        return USUAL * sum(self.usual.get(symbol) == value for symbol, value in way.values)

    def _bundled(self, r: int, c: int) -> float:
        """How well the bundles that both are in fit each other."""
        groups = self.rows[r].groups
        found = [
            BUNDLE * self.bundles.best.get((group, c), 0.0)
            + TOGETHER * self.bundles.is_chosen(group, c)
            for group in groups
        ]
        return sum(found) / len(found) if found else 0.0

    def _may_be_spare(self, r: int, c: int, score: float) -> bool:
        """May a port that nobody reads be there? Its name says so, or the bundle that it is in."""
        family = self.rows[r]
        is_like = forms.names(self.columns[c], family) >= LEAST_SPARE
        return score > LEAST_ALL_SPARE and (is_like or self.bundles.is_near(family.groups, c))

    def _votes(self, chosen: Mapping[int, int]) -> Votes:
        """Which value each width and count has in how much of what is chosen."""
        votes: dict[str, dict[int, float]] = {}
        for r, c in chosen.items():
            weight = max(0.0, self.scores[r, c]) * (0.3 if self.rows[r].is_spare else 1.0)
            for symbol, value in set.intersection(*(set(w.values) for w in self.pairs[r, c])):
                here = votes.setdefault(symbol, {})
                here[value] = here.get(value, 0.0) + weight
        return votes

    def doubts(self) -> dict[int, list[int]]:
        """Other slots of a family with which all together is hardly worse."""
        chosen = self.result.chosen
        found: dict[int, list[int]] = {r: [] for r in chosen}
        for (r, c), _ in self.result.ranked:
            if r in chosen and chosen[r] != c:
                loss, moves = self.result.change(r, c)
                for row, column in moves.items() if loss < APART else ():
                    if column is not None and column not in found.setdefault(row, []):
                        found[row].append(column)
        for r, c in self.bundles.exchanged():
            if chosen.get(r, c) != c and c not in found[r]:
                found[r].append(c)
        return found


def _agreement(way: Way, votes: Votes) -> float:
    """Does a way have the widths and counts that others vote for?"""
    score = 0.0
    for symbol, value in way.values:
        cast = votes.get(symbol)
        if cast and sum(cast.values()):
            mine = cast.get(value, 0.0)
            most = max(cast.values())
            share = most / sum(cast.values())
            score += AGREES / len(way.values) if mine == most else -CONTRADICTS * share
    return score


def guesses(
    table: Table, ports: Mapping[str, Shape], wanted: Collection[str] | None = None
) -> list[Guess]:
    """The most likely places of a block's ports, in the order of the table; those of clock and
    reset are not among them. `wanted`: only of fields that have one of these ports."""
    rows, columns = families(table), parts.of(ports, with_words=bool(table.lists))
    if wanted is not None:
        rows = [row for row in rows if any(row.pattern.fullmatch(name) for name in wanted)]
    search = _Search(rows, columns, usual_values(table, rows))
    doubts = search.doubts()
    result = []
    for r, c in sorted(search.result.chosen.items()):
        way = search.way[r, c]
        others = tuple(search.way[r, other].lines[0][1] for other in doubts[r][:2])
        is_open = way.is_open or (r, c) in search.open
        score = search.scores[r, c] / TOP
        result.append(Guess(rows[r], way.lines, columns[c], score, others, is_open))
    return result
