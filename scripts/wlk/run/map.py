# SPDX-License-Identifier: Apache-2.0
"""What `warplock map` writes: a first port map for RTL of other names and shapes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import tables
from ..base import options, outputs, report
from ..base.errors import Status, WlkError
from ..base.options import Command, operand
from . import jobs

APART = 0.06  # how much liker than the next a block must be to be chosen


@dataclass
class Map(jobs.RtlSource, Command):
    """Write a first port map for a module of other names and shapes."""

    NAME = "map"
    NEEDS = ("rtl",)
    EXAMPLE = """warplock map collector --rtl my_rtl/ --module my_collector --out collector.toml
warplock lockstep collector --rtl my_rtl/ --map collector.toml"""

    rtl: list[Path] = jobs.rtl_option(nargs="+", action="extend", required=True)
    block: str | None = operand("BLOCK", "default: the one that the module is most like", nargs="?")
    out: Path | None = options.path("file to write (default: print the map)", "FILE.toml")
    force: bool = options.force()

    def refuse(self) -> None:
        """What a map that is written says itself."""
        for name in ("map", "prefix", "tie"):
            if getattr(self, name):
                message = f"--{name} does not go with map; write it into the map by hand"
                raise WlkError(Status.USAGE, message)

    def run(self) -> int:
        """Read the module, find likely places, print or write them."""
        from ..fit import draft, mapped, rtl  # needs slang

        if self.out is not None:
            outputs.refuse(self.out, self.force)
        design = rtl.load(self.rtl, defines=self.define, include_dirs=self.include)
        table = tables.load(self.block) if self.block else None
        module = jobs.top_of(design, self.module, table)
        design.override(module, self.parameter)
        table = table or _likest(module)
        told = self.port_map(table)
        found = draft.of(module, table, told)
        text = draft.text(found)
        if self.out is not None:
            outputs.save(self.out.parent, {self.out.name: text.encode()}, force=self.force)
        _say(self, found, text, mapped)
        return 0


def _likest(module: Any) -> tables.Table:
    """The block that a module is most like; AMBIGUOUS when two are about as like."""
    from ..fit import draft

    ranked = draft.fitting(module, [tables.load(name) for name in tables.names()])
    (best, table), (second, other) = ranked[:2]
    if best - second < APART:
        names = f"{table.name} ({best:.2f}) or {other.name} ({second:.2f})"
        message = f"module {module.name} may be {names}; name the block: warplock map BLOCK"
        raise WlkError(Status.AMBIGUOUS, message)
    return table


def _say(asked: Map, found: Any, text: str, mapped: Any) -> None:
    doubts = found.doubts
    if asked.json:
        answer = {"block": found.table.name, "module": found.module.name}
        answer |= {"out": str(asked.out) if asked.out else None, "doubts": doubts}
        answer |= {"fits": not found.problem and not found.open_ports, "problem": found.problem}
        report.json_line(answer | ({} if asked.out else {"map": text}))
        return
    if asked.out is None:
        print(text, end="")
        return
    print(f"{asked.out}: {found.module.name} as block {found.table.name}: ", end="")
    print(f"{len(found.guesses)} lines of ports, {len(doubts)} to look at")
    for name in doubts:
        print(f"  ? {name}")
    if found.problem:
        print(f"  it does not fit yet: {found.problem}")
