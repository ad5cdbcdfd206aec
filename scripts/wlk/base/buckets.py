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
    repeat: str = ""  # the command that shows it again

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
        if self.length is not None:
            cycles = "1 cycle is" if self.length == 1 else f"{self.length:,} cycles are"
            parts.append(f"{cycles} enough")
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
    at_fault = answer.get("at_fault", {}).get("block", entry.block)
    base = {"name": entry.name, "entry": number}
    if answer.get("failures"):
        seeds = ({"block": entry.block} | each for each in answer["failures"])
        return [Failure(**base, repeat=_of_seed(entry, each), **_place(each)) for each in seeds]
    given = {"block": at_fault, "verdict": entry.verdict, "seed": answer.get("seed"), **first}
    fired = {"assertion": answer["assertion"]} if "assertion" in answer and not first else {}
    place = _place(given | fired)
    if not first and not fired:
        place["rule"] = re.sub(r"\d+", "#", entry.message)
    length = answer.get("shrunk", {}).get("cycles")
    return [Failure(**base, repeat=entry.repeat, length=length, **place)]


def _of_seed(entry: Entry, found: Mapping[str, Any]) -> str:
    """The command that shows how another seed of a run fails."""
    return re.sub(r"(?<=--seeds )\d+\.\.\d+", "{0}..{0}".format(found["seed"]), entry.repeat)


def _place(found: Mapping[str, Any]) -> dict[str, Any]:
    """Where and when it shows."""
    fired = found.get("assertion", {})
    rule = found.get("rule", "")
    if fired:
        rule = f"{fired['kind']} in {fired['file']}:{fired['line']}"
    keys = {key: found.get(key) for key in ("block", "verdict", "seed")}
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


def text(buckets: Iterable[Bucket]) -> str:
    """A row a bucket, and how the smallest of each is shown again."""
    found = list(buckets)
    commands = [each.smallest.repeat for each in found]
    lines = [f"  {n}: {command}" for n, command in enumerate(commands, 1) if command]
    return "\n".join([_table(found).render(), *(["repeat:", *lines] if lines else [])])


def _table(buckets: Iterable[Bucket]) -> report.Table:
    shown = report.Table("", "block", "verdict", "first at", "failures", "smallest")
    for n, bucket in enumerate(buckets, 1):
        one = bucket.smallest
        shown.add(n, one.block, one.verdict, bucket.place, len(bucket.members), one.where)
    return shown
