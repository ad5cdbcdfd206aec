# SPDX-License-Identifier: Apache-2.0
"""Blocks with equal ports, and which of them a scope or a recording is of: by its name, by the
configurations that are legal, at last by the behaviour."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ..tables import Table
from .match import Match

T = TypeVar("T")


def are_rivals(a: Match, b: Match) -> bool:
    """Different blocks of which one subject shows the same ports."""
    return a.table.name != b.table.name and a.present == b.present


def explains_more(a: Match, b: Match) -> bool:
    """Does a block explain ports that the other does not, and all of the other's; or the same with
    fewer outputs of its own missing?"""
    mine, others = set(a.present), set(b.present)
    if a.table.name == b.table.name or not mine >= others:
        return False
    return mine > others or len(a.missing_outputs) < len(b.missing_outputs)


def is_legal(found: Match) -> bool:
    """Does the block have such a configuration?"""
    return found.table.refusal(found.config) is None


def likeliest(
    found: Sequence[T], compete: Callable[[T, T], bool], *likely: Callable[[T], bool]
) -> list[T]:
    """Without those that have a likelier rival, by one test after the other."""
    for test in likely:
        good = [t for t in found if test(t)]
        found = [t for t in found if t in good or not any(compete(t, g) for g in good)]
    return list(found)


def unbeaten(found: Sequence[T], beats: Callable[[T, T], bool]) -> list[T]:
    """Without those that another one beats."""
    return [t for t in found if not any(beats(o, t) for o in found)]


def best(found: Sequence[T], compete: Callable[[T, T], bool], rank: Callable[[T], Any]) -> list[T]:
    """Without those that have a rival of a higher rank."""
    return unbeaten(found, lambda o, t: compete(t, o) and rank(o) > rank(t))


def rank(table: Table, answer: Mapping[str, Any]) -> tuple[bool, int]:
    """How well a checker's answer speaks for its block: as for a configuration (search.py)."""
    passed = answer["verdict"] == "PASS"
    if table.clock is None:
        return passed, -answer.get("differing_ports", 0)
    return passed, answer.get("explained_bits", 0)
