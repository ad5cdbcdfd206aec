# SPDX-License-Identifier: Apache-2.0
"""Outputs of the C model against those of the naive one: value and care of every bit."""

from __future__ import annotations

from collections.abc import Sequence

Outputs = dict[str, tuple[int, int]]


def first_difference(
    expected: Sequence[Outputs], got: Sequence[Outputs], exact_from: int = 0
) -> str | None:
    """One line on the first bit that differs, in value or in care; None when none does.

    In cycles before `exact_from` the C model may know less than the naive one, never more.
    """
    if len(got) != len(expected):
        return f"{len(expected)} cycles expected, {len(got)} given"
    for cycle, (want, have) in enumerate(zip(expected, got, strict=True)):
        if set(have) != set(want):
            return f"cycle {cycle}: ports missing or unknown: {sorted(set(have) ^ set(want))}"
        for name in want:
            (value, care), (other, other_care) = want[name], have[name]
            wrong = other_care & ~care if cycle < exact_from else other_care ^ care
            if wrong or (value ^ other) & care & other_care:
                return (
                    f"cycle {cycle}: {name} naive {value:#x} care {care:#x}, "
                    f"model {other:#x} care {other_care:#x}"
                )
    return None
