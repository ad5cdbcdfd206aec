# SPDX-License-Identifier: Apache-2.0
"""Which rows get which columns, so that the sum of the scores is highest. Two columns that have an
atom in common are not both given away."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

LEAST = 0.25  # no pair with less
PASSES = 12
CHAIN, MUCH = 2, 1.0  # how many more move when one does, and what none of them may lose
TRIED = 8  # columns for one of these
MANY = 64  # rows: of more, none moves further

Moves = dict[int, int | None]  # the new column of a row


class Assignment:
    """The column of each row."""

    def __init__(
        self,
        scores: Mapping[tuple[int, int], float],
        atoms: Sequence[frozenset[str]],
        last: Collection[int],
    ) -> None:
        """`atoms`: of the columns; `last`: rows that get what others leave."""
        self.scores = {pair: value for pair, value in scores.items() if value > LEAST}
        self.atoms, self.last = atoms, last
        self.chosen: dict[int, int] = {}
        self.taken: dict[str, int] = {}
        self.of_row: dict[int, list[tuple[int, float]]] = {}
        self.ranked = sorted(self.scores.items(), key=lambda each: (-each[1], each[0]))
        for (r, c), value in self.ranked:
            self.of_row.setdefault(r, []).append((c, value))
        self._fill(is_last=False)
        for _ in range(PASSES):
            if not self._improve():
                break
        self._fill(is_last=True)

    def _fill(self, *, is_last: bool) -> None:
        """The best pairs first."""
        for (r, c), _ in self.ranked:
            is_free = r not in self.chosen and not any(a in self.taken for a in self.atoms[c])
            if is_free and (r in self.last) == is_last:
                self._put({r: c})

    def _put(self, moves: Moves) -> None:
        for row in moves:
            if row in self.chosen:
                for atom in self.atoms[self.chosen.pop(row)]:
                    self.taken.pop(atom, None)
        for row, column in moves.items():
            if column is not None:
                self.chosen[row] = column
                self.taken |= dict.fromkeys(self.atoms[column], row)

    def _improve(self) -> bool:
        changed = False
        for r, c in self.scores:
            if r not in self.last and self.chosen.get(r) != c:
                loss, moves = self.change(r, c)
                if loss < -1e-6:
                    changed = True
                    self._put(moves)
        return changed

    def change(self, r: int, c: int) -> tuple[float, Moves]:
        """What all lose when a row gets a column, those that have it the best that is left, or the
        column of another one, which moves in turn."""
        atoms = self.atoms[c]
        others = sorted({self.taken[atom] for atom in atoms if atom in self.taken} - {r})
        loss = (self.scores[r, self.chosen[r]] if r in self.chosen else 0.0) - self.scores[r, c]
        if loss > MUCH:
            return loss, {r: c}
        free = set(self.atoms[self.chosen[r]]) if r in self.chosen else set()
        for other in others:
            free |= self.atoms[self.chosen[other]]
        free -= atoms
        moves: Moves = {r: c}
        for other in others:
            depth = CHAIN if len(others) == 1 and len(self.of_row) <= MANY else 0
            more, found = self._settle(other, free, {r, *others}, atoms, depth)
            loss += more
            moves |= found
            for column in found.values():
                free -= self.atoms[column] if column is not None else set()
        return loss, moves

    def _settle(
        self, r: int, free: set[str], moving: set[int], barred: frozenset[str], depth: int
    ) -> tuple[float, Moves]:
        """What all lose when a row must leave its column for another, or for none."""
        now = self.scores[r, self.chosen[r]]
        best: tuple[float, Moves] = (now, {r: None})
        for c, value in self.of_row[r][: TRIED if len(moving) > 2 else None]:
            if now - value >= min(best[0], MUCH):
                break
            atoms = self.atoms[c]
            if atoms & barred or c == self.chosen[r]:
                continue
            others = {self.taken[a] for a in atoms if a in self.taken and a not in free} - {r}
            if not others:
                return now - value, {r: c}
            other = min(others)
            if depth and len(others) == 1 and other not in moving:
                left = (free | self.atoms[self.chosen[other]]) - atoms
                more, found = self._settle(other, left, {*moving, other}, barred | atoms, depth - 1)
                if now - value + more < best[0]:
                    best = (now - value + more, {r: c, **found})
        return best
