# SPDX-License-Identifier: Apache-2.0
"""What the stub of a point becomes: Yosys' `synth`, gates and flip-flops; memories apart, as bits.

Memories of as many rows as a macro has at least are left out of the gates and counted in bits: how
many banks they have does not stand in the stub.
"""

import json
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import tables
from ..base import progress, setup
from ..base.errors import Status, WlkError, nearest
from ..gen import stubs
from ..prove import netlist, yosys
from . import cost
from .points import Point, block_config
from .store import Store

BLOCK = "collector_x"  # where the designs differ most; the whole stage takes minutes a point
MEMORY = "wlk_memory"  # a cell type that synthesis does not know, and so leaves alone
# Coarse synthesis finds memories; large ones are hidden from what would make flip-flops of them.
SCRIPT = """read_slang -j 1 -f {here}/synth.f
synth -top {top} -flatten -run begin:fine
select -set large t:$mem_v2 r:WR_PORTS>0 %i r:SIZE>={rows} %i
tee -q -o {here}/memories.txt dump @large
chtype -set {memory} @large
synth -run fine:check
tee -q -o {here}/cells.json stat -json
"""
_VALUE = re.compile(r"parameter (?:signed )?\\(SIZE|WIDTH|RD_PORTS) (\d+|\d+'[01]+)$", re.MULTILINE)
_FLOP = re.compile(r"\$_(S?DFF|ALDFF|DLATCH|SR)")


def fill(points: Sequence[Point], block: str, store: Store, jobs: int) -> None:
    """Synthesize the stub at each point that the database lacks; an error is a row."""
    if block not in tables.names():
        hint = nearest(block, tables.names(), "the blocks are")
        raise WlkError(Status.USAGE, f"--synth-block {block}: there is no such block{hint}")
    known = {row["point"] for row in store.rows("synth") if row["block"] == block}
    lacking = [point for point in points if point.title not in known]
    alike: dict[str, list[Point]] = {}  # by what of them the block has
    for point in lacking:
        alike.setdefault(_shape(point, block), []).append(point)
    yosys.ensure()
    done = 0
    with progress.Progress("synthesizing", len(alike)) as line:
        work = progress.parallel(
            lambda same: _row(same[0], block), alike.values(), jobs, lambda: line.update(done)
        )
        for same, row in work:
            done += 1
            for point in same:
                store.add_synth(row | {"point": point.title, "block": block})


def _shape(point: Point, block: str) -> str:
    names = tables.load(block).params
    return " ".join(f"{k}={point.word(k)}" for k in names if k in point.values)


def _row(point: Point, block: str) -> dict[str, Any]:
    """What the database holds of it."""
    begun = time.monotonic()
    try:
        found = {"status": "DONE", "message": ""} | synthesize(point, block)
    except WlkError as error:
        if error.status == Status.INTERRUPTED:
            raise
        found = {"status": error.status.name, "message": error.message}
    return found | {"seconds": round(time.monotonic() - begun, 1)}


def synthesize(point: Point, block: str) -> dict[str, Any]:
    """Gates, flip-flops, and memories of a block's stub at a point."""
    table = tables.load(block)
    config = block_config(point, table)
    files = stubs.write_stub(table, config)
    place = setup.BUILD / "synth"
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as folder:
        here = Path(folder)
        names = [f"{yosys.EVERYWHERE}{path.resolve()}" for path in files]
        words = ["--top", table.module, *map(netlist.quoted, names)]
        (here / "synth.f").write_text("\n".join([*words, ""]), encoding="utf-8")
        script = SCRIPT.format(
            top=table.module, here=yosys.HERE, memory=MEMORY, rows=cost.LEAST_DEPTH
        )
        yosys.run(script, here, "synth", label="")
        memories = list(_memories((here / "memories.txt").read_text(encoding="utf-8")))
        cells = json.loads((here / "cells.json").read_bytes())["design"]["num_cells_by_type"]
    return _counted(cells, memories)


@dataclass(frozen=True)
class Memory:
    """A memory of the stub."""

    rows: int
    width: int
    reads: int  # ports

    def __str__(self) -> str:
        return f"{self.rows} x {self.width}, {self.reads} read"


def _memories(text: str) -> Iterator[Memory]:
    """The memories in Yosys' text."""
    for cell in text.split(" cell ")[1:]:
        values = {name: _number(value) for name, value in _VALUE.findall(cell)}
        yield Memory(values["SIZE"], values["WIDTH"], values["RD_PORTS"])


def _number(text: str) -> int:
    _, quote, bits = text.partition("'")
    return int(bits, 2) if quote else int(text)


def _counted(cells: Mapping[str, int], memories: Sequence[Memory]) -> dict[str, Any]:
    flops = sum(count for kind, count in cells.items() if _FLOP.match(kind))
    gates = sum(count for kind, count in cells.items() if kind != MEMORY) - flops
    return {
        "gates": gates,
        "flops": flops,
        "memory_bits": sum(each.rows * each.width for each in memories),
        "flop_area": flops * cost.FLOP,
        "memories": json.dumps([*map(str, memories)]),
    }
