# SPDX-License-Identifier: Apache-2.0
"""Naive round-robin arbiter (muon-issue §1). What is known of `last` is a set of values."""

from __future__ import annotations


class Arbiter:
    """The arbiter of `n` inputs; `lasts` holds every value that `last` can have.

    A power-up value >= n acts like n-1 (§1), so `lasts` never needs more than 0..n-1.
    `choice` and `grants` may be asked only where all of `lasts` answer alike: see `split`.
    """

    def __init__(self, n: int, lasts: set[int] | None = None) -> None:
        self.n = n
        self.lasts = set(range(n)) if lasts is None else lasts

    def choice(self, valid: list[bool]) -> int:
        return _choice(min(self.lasts), valid)

    def grants(self, valid: list[bool]) -> list[bool]:
        """grant(i): what ready(i) is when the output is ready."""
        return _grants(min(self.lasts), valid)

    def split(self, valid: list[bool], see_grants: bool) -> list[Arbiter]:
        """One arbiter for each choice (and, if they are seen, grants) that `lasts` allow."""
        kinds: dict[tuple, set[int]] = {}
        for last in sorted(self.lasts):
            grants = tuple(_grants(last, valid)) if see_grants else ()
            kinds.setdefault((_choice(last, valid), grants), set()).add(last)
        return [Arbiter(self.n, lasts) for lasts in kinds.values()]

    def fire(self, choice: int) -> None:
        self.lasts = {choice}


def _choice(last: int, valid: list[bool]) -> int:
    later = [i for i, v in enumerate(valid) if v and i > last]
    anyone = [i for i, v in enumerate(valid) if v]
    return (later + anyone + [len(valid) - 1])[0]


def _grants(last: int, valid: list[bool]) -> list[bool]:
    found = []
    for i in range(len(valid)):
        a = not any(valid[j] and j > last for j in range(i))
        b = not any(v and j > last for j, v in enumerate(valid)) and not any(valid[:i])
        found.append((a and i > last) or b)
    return found
