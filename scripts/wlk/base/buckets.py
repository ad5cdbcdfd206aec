# SPDX-License-Identifier: Apache-2.0
"""Failures that are alike, by where they show first: most have one cause."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import report
from .entries import Entry

INDEX = re.compile(r"\[\d+\]|(?<=_)\d+(?=_|$|\[|\.)")  # of an array, in the name of a port


@dataclass(frozen=True)
class Failure:
    """A run or a seed that fails."""

    block: str
    name: str  # of the run
    verdict: str
    port: str = ""
    rule: str = ""
    cycle: int | None = None
    seed: int | None = None
    length: int | None = None  # cycles of the stimulus that shows it
    entry: int = 0  # number of the run

    @property
    def key(self) -> tuple[str, ...]:
        """What failures that are alike have in common."""
        return (self.block, self.verdict, without_index(self.port), self.rule)

    @property
    def size(self) -> tuple[bool, int, bool, int]:
        """The one to look at first is the shortest."""
        return (self.length is None, self.length or 0, self.cycle is None, self.cycle or 0)

    @property
    def where(self) -> str:
        """Which run, seed and cycle."""
        parts = [self.name] if self.name else []
        parts += [f"seed {self.seed}"] if self.seed is not None else []
        parts += [f"cycle {self.cycle:,}"] if self.cycle is not None else []
        parts += [f"{self.length:,} cycles are enough"] if self.length is not None else []
        return ", ".join(parts)


@dataclass
class Bucket:
    """Failures that are alike."""

    members: list[Failure] = field(default_factory=list)

    @property
    def smallest(self) -> Failure:
        return min(self.members, key=lambda each: each.size)

    @property
    def place(self) -> str:
        """The port, or what else they have in common."""
        _, _, port, rule = self.smallest.key
        return ": ".join(each for each in (port, rule) if each) or "-"


def without_index(port: str) -> str:
    """A port's name with # for the indices of arrays."""
    return INDEX.sub(lambda found: "[#]" if found[0].startswith("[") else "#", port)


def failures(entry: Entry, number: int = 0) -> list[Failure]:
    """Those of a run: one, or with --keep-going one a seed."""
    if not entry.is_failure:
        return []
    answer, first = entry.answer, entry.answer.get("first") or entry.first
    base = {"block": entry.block, "name": entry.name, "entry": number}
    if answer.get("failures"):
        return [Failure(**base, **_place(each)) for each in answer["failures"]]
    given = {"verdict": entry.verdict, "seed": answer.get("seed"), **first}
    fired = {"assertion": answer["assertion"]} if "assertion" in answer and not first else {}
    place = _place(given | fired)
    if not first and not fired:
        place["rule"] = re.sub(r"\d+", "#", entry.message)
    return [Failure(**base, **place, length=answer.get("shrunk", {}).get("cycles"))]


def _place(found: Mapping[str, Any]) -> dict[str, Any]:
    """Where and when it shows."""
    fired = found.get("assertion", {})
    rule = found.get("rule", "")
    if fired:
        rule = f"{fired['kind']} in {fired['file']}:{fired['line']}"
    keys = {key: found.get(key) for key in ("verdict", "seed")}
    cycle = found.get("cycle", fired.get("cycle"))
    return keys | {"port": found.get("port", ""), "rule": rule, "cycle": cycle}


def group(found: Iterable[Failure]) -> list[Bucket]:
    """Failures by what they have in common, the most frequent first."""
    by_key: dict[tuple[str, ...], Bucket] = {}
    for each in found:
        by_key.setdefault(each.key, Bucket()).members.append(each)
    return sorted(by_key.values(), key=lambda bucket: -len(bucket.members))


def of(listed: Iterable[Entry]) -> list[Bucket]:
    """Those of many runs."""
    return group(each for n, entry in enumerate(listed) for each in failures(entry, n))


def table(buckets: Iterable[Bucket]) -> report.Table:
    """A row a bucket."""
    shown = report.Table("block", "verdict", "first at", "failures", "smallest")
    for bucket in buckets:
        one = bucket.smallest
        shown.add(one.block, one.verdict, bucket.place, len(bucket.members), one.where)
    return shown
