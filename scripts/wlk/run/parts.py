# SPDX-License-Identifier: Apache-2.0
"""A composed block part by part: each block inside by itself, then the wiring around them.

In the wiring a block inside is a hole on both sides: what comes out of it is an input that both
share, what goes in is compared. That is sound because the parts are equal: at equal inputs up to a
cycle their outputs are equal in it, and the bits of a cycle depend on each other in some order.
So what goes in is compared always, and the blocks inside at all their outputs, whatever the care.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..gen import composed, stubs
from ..prove import netlist
from ..prove.miter import Compared
from ..prove.netlist import Hole, Netlist, Port, Source
from .jobs import Job


@dataclass(frozen=True)
class Part:
    """What is proved by itself: `name` is that of a block, or "wiring"."""

    name: str
    gold: Source
    gate: Source
    compared: Sequence[Compared]


def of(job: Job, gate: Source, compared: Sequence[Compared]) -> list[Part]:
    """The parts of a composed block; none when the RTL is not made of the same modules."""
    inner = {part.table.name: part for part in composed.inner_parts(job.table, job.config)}
    design, top = job.fit.design, job.fit.module
    if not inner or {each.table.name for each in job.inside} != inner.keys():
        return []
    parts, holes, stub_holes, wires = [], [], [], list(compared)
    for each in job.inside:
        part, table = inner[each.table.name], each.table
        module, paths = design.find(each.module), top.instances_of(each.module)
        present = {port.name for port in module.ports()}
        if len(paths) != 1 or module.has_parameters() or _lacks(part, present):
            return []
        hole = f"wlk_{table.name}"
        holes.append(Hole(module.name, paths[0].partition(".")[2], hole))
        stub_holes.append(Hole(table.module, part.name, hole))
        shared = [port for port in part.ports.values() if port.name in present]
        wires += [Compared(Port(f"{hole}.{port.name}", "out", port.width))
                  for port in shared if port.direction == "in"]  # fmt: skip
        outputs = [Compared(Port(port.name, "out", port.width))
                   for port in shared if port.direction == "out"]  # fmt: skip
        stub = Source(stubs.write_stub(table, part.cfg), table.module)
        own = replace(gate, files=design.files_for(module), top=module.name)
        parts.append(Part(table.name, stub, own, outputs))
    stage = Source(stubs.write_stub(job.table, job.config), job.table.module, holes=stub_holes)
    return [*parts, Part("wiring", stage, replace(gate, holes=holes), wires)]


def _lacks(part: composed.Part, present: set[str]) -> bool:
    """Is an input that a rule reads on one side only?"""
    wired = {port.name for port in part.ports.values()}
    read = {p.name for p in part.table.ports(part.cfg) if p.direction == "in" and p.read}
    return bool(read & (wired ^ present))


def read(part: Part) -> tuple[Netlist, Netlist]:
    """Both sides of a part."""
    return netlist.read(part.gold), netlist.read(part.gate)
