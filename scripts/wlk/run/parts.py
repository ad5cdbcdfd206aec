# SPDX-License-Identifier: Apache-2.0
"""A composed block part by part: each block inside by itself, then the wiring around them.

In the wiring a block inside is a hole on both sides: what comes out of it is an input that both
share, what goes in is compared. That is sound because the parts are equal: at equal inputs up to a
cycle their outputs are equal in it, and the bits of a cycle depend on each other in some order.
So what goes in is compared always, and the blocks inside at all their outputs, whatever the care.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..base.errors import Status, WlkError
from ..gen import composed, stubs
from ..prove import netlist
from ..prove.aiger import Bit, Circuit, LoopError
from ..prove.miter import Compared
from ..prove.netlist import Hole, Netlist, Port, Source
from ..tables import Table
from .jobs import Job
from .right import Right

ROUNDS = 100  # in which blocks answer each other in one cycle


@dataclass(frozen=True)
class Part:
    """What is proved by itself: `name` is that of a block, or "wiring", which comes last."""

    name: str
    gold: Source
    gate: Source
    compared: Sequence[Compared]
    reset: str  # input

    @cached_property
    def sides(self) -> tuple[Netlist, Netlist]:
        """The stub's and the RTL's, read once."""
        return netlist.read(self.gold), netlist.read(self.gate)


def of(job: Job, gate: Source, compared: Sequence[Compared], right: Right) -> list[Part]:
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
        hole = _hole(table.name)
        holes.append(Hole(module.name, paths[0].partition(".")[2], hole))
        stub_holes.append(Hole(table.module, part.name, hole))
        shared = [port for port in part.ports.values() if port.name in present]
        wires += [Compared(Port(f"{hole}.{port.name}", "out", port.width))
                  for port in shared if port.direction == "in"]  # fmt: skip
        outputs = [Compared(Port(port.name, "out", port.width))
                   for port in shared if port.direction == "out"]  # fmt: skip
        beside = design.wrappers(module.name)
        own = replace(gate, files=design.files_for(module), top=module.name, wrappers=beside)
        gold = right.part(table, part.cfg)
        parts.append(Part(table.name, gold, own, outputs, table.reset))
    stage = Source(stubs.write_stub(job.table, job.config), job.table.module, holes=stub_holes)
    wiring = Part("wiring", stage, replace(gate, holes=holes), wires, job.table.reset)
    return [*parts, wiring]


def joined(table: Table, compared: Sequence[Compared], right: Right) -> Part | None:
    """That what is right is made of such parts, where it is not by itself."""
    gold = right.of_parts
    if gold is None:
        return None
    return Part("composition", gold, Source(right.files, table.module), compared, table.reset)


def _hole(block: str) -> str:
    return f"wlk_{block}"


def _lacks(part: composed.Part, present: set[str]) -> bool:
    """Is an input that a rule reads on one side only?"""
    wired = {port.name for port in part.ports.values()}
    read = {p.name for p in part.table.ports(part.cfg) if p.direction == "in" and p.read}
    return bool(read & (wired ^ present))


def starts(
    pieces: Sequence[Part], reset: Mapping[str, int]
) -> dict[str, tuple[Mapping[str, int], ...]] | None:
    """The inputs of each part in the cycle of reset, of both sides: what the blocks send each other
    while they power up is not the same on both. None: they do not settle."""
    both = zip(*(part.sides for part in pieces), strict=True)
    sides = [_settled(side, pieces, reset) for side in both]
    if None in sides:
        return None
    return {part.name: tuple(side[part.name] for side in sides) for part in pieces}


def _settled(
    netlists: Sequence[Netlist], pieces: Sequence[Part], reset: Mapping[str, int]
) -> dict[str, dict[str, int]] | None:
    """The inputs of each part of one side."""
    *blocks, wiring = netlists
    known: dict[Bit, int] = {(name, 0): value for name, value in reset.items()}
    for _ in range(ROUNDS):
        sent, after = wiring.part.at_zero(known), dict(known)
        inputs = {}
        for part, block in zip(pieces, blocks, strict=False):
            hole = f"{_hole(part.name)}."
            given = {
                (name.removeprefix(hole), bit): value
                for (name, bit), value in sent.items()
                if name.startswith(hole)
            }
            inputs[part.name] = given
            for (name, bit), value in block.part.at_zero(given).items():
                after[hole + name, bit] = value
        if after == known:
            inputs[pieces[-1].name] = known
            return {name: _words(bits) for name, bits in inputs.items()}
        known = after
    return None


def _words(bits: Mapping[Bit, int]) -> dict[str, int]:
    """Values of ports, those that are not 0."""
    words: dict[str, int] = {}
    for (name, bit), value in bits.items():
        if value:
            words[name] = words.get(name, 0) | value << bit
    return words


def require_no_loop(pieces: Sequence[Part]) -> None:
    """BAD_RTL for a combinational loop through several parts of the RTL; one within a part shows
    when that is read."""
    *blocks, wiring = [part.sides[1] for part in pieces]
    circuit = Circuit()
    names = [f"{_hole(part.name)}." for part in pieces[:-1]]
    sent = {
        (hole + port.name, bit): circuit.later()
        for hole, block in zip(names, blocks, strict=True)
        for port in block.ports
        if port.direction == "out"
        for bit in range(port.width)
    }
    outs = _added(circuit, wiring, sent)
    for hole, block in zip(names, blocks, strict=True):
        given = {(n.removeprefix(hole), b): x for (n, b), x in outs.items() if n.startswith(hole)}
        for (name, bit), literal in _added(circuit, block, given).items():
            circuit.say(sent[hole + name, bit], literal)
    try:
        list(circuit.ordered())
    except LoopError:
        message = f"module {wiring.source.top} has a combinational loop through several of its"
        raise WlkError(Status.BAD_RTL, f"{message} blocks; break it with a register") from None


def _added(circuit: Circuit, side: Netlist, given: Mapping[Bit, int]) -> dict[Bit, int]:
    """A copy of it; the literals of its ports. What a memory reads depends on the address."""
    read = {bit: circuit.later() for memory in side.memories for bit in memory.read_bits}
    outs = circuit.add(side.part, dict(given) | read)
    for memory in side.memories:
        for port in range(memory.reads):
            row = [outs[memory.bit("RD_ADDR", port, bit)] for bit in range(memory.address)]
            for bit in range(memory.width):
                circuit.say(read[memory.bit("RD_DATA", port, bit)], circuit.any_of(row))
    pins = {f"{memory.name}." for memory in side.memories}
    return {bit: x for bit, x in outs.items() if not bit[0].startswith(tuple(pins))}
