# SPDX-License-Identifier: Apache-2.0
"""Two versions of a module: their ports, and a counterexample in simulation."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base import outputs, report
from ..base.errors import Status, WlkError
from ..prove.engines import Values
from ..prove.miter import Compared
from ..prove.netlist import Netlist, Port, Source
from . import jobs
from .counterexample import Example
from .crosscheck import Pair


@dataclass(frozen=True)
class Version:
    """A module to be proved: its source, and the places of which it is known that a simulator
    reads them otherwise than synthesis, or may do so."""

    source: Source
    apart: Sequence[str]
    suspects: Sequence[str]


def version(asked: jobs.RtlSource, paths: Sequence[Path], config: Sequence[str]) -> Version:
    """The module of one version, with parameters; NO_MODULE, BAD_RTL."""
    from ..fit import alike, binds, data, identity, rtl  # need slang

    design = rtl.load(paths, defines=asked.define, include_dirs=asked.include)
    module = design.find(asked.module)
    module.require_complete()
    suspects = alike.require(module)
    files = design.files_for(module)
    folders, defines = design.include_dirs, design.defines
    how = {"included": [*design.included, *data.files(module)], "undefined": rtl.SLANG_DEFINES}
    how |= {"wrappers": design.wrappers(module.name), "binds_left_out": [*binds.left_out(module)]}
    found = Source(files, module.name, folders, defines, parameters=tuple(config), **how)
    return Version(found, identity.read_apart(module), suspects)


def compared(old: Netlist, new: Netlist) -> tuple[list[Compared], list[str]]:
    """The outputs of both, and notes on inputs that only one has; IFACE_CHANGED where outputs or
    widths differ."""
    sides = [{port.name: port for port in side.ports} for side in (old, new)]
    table = report.Table("port", "old", "new")
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        one, other = (side.get(name) for side in sides)
        is_more = None in (one, other) and (one or other).direction == "in"
        if one != other and not is_more:
            table.add(name, _shape(one), _shape(other))
    if table.rows:
        name, before, after = table.rows[0]
        rest = f" (and {len(table.rows) - 1} more)" if len(table.rows) > 1 else ""
        table.print()
        message = f"the ports of module {new.source.top} have changed: {name}: {before} in the old"
        raise WlkError(Status.IFACE_CHANGED, f"{message}, {after} in the new one{rest}")
    if None not in (old.clock, new.clock) and [*old.clocks] != [*new.clocks]:
        message = f"module {new.source.top} is clocked by {_edge(old)} in the old version"
        raise WlkError(Status.IFACE_CHANGED, f"{message}, by {_edge(new)} in the new one")
    notes = [
        f"input {name} is in the {which} version only; equal whatever it is"
        for which, own, other in (("old", *sides), ("new", *reversed(sides)))
        for name in own
        if name not in other
    ]
    return [Compared(port) for port in old.ports if port.direction == "out"], notes


def _shape(port: Port | None) -> str:
    return f"{port.direction} {port.width} bits" if port is not None else "not there"


def _edge(side: Netlist) -> str:
    ((net, rising),) = side.clocks
    return f"the {'rising' if rising else 'falling'} edge of {net}"


# ---- a counterexample ---------------------------------------------------------------------------


def example(
    pair: Pair, values: Values, place: Path, excused: str = "", *, ones: bool = False
) -> Example:
    """Write the inputs with the outputs of the first side as a recording, and play them into both
    sides. `ones`: registers power up as 1."""
    found, before = pair.play(values, ones)
    path = place / "counterexample.csv"
    with outputs.atomic_write(path) as file:
        file.write(_csv(pair, values, before))
    if not found:
        return Example(path, len(values), False, excuse=excused)
    lines = [f"  cycle {x.cycle}: {x.port} is {x.got:#x}, was {x.expected:#x}" for x in found]
    return Example(path, len(values), True, found[0], "\n".join(lines))


def _csv(pair: Pair, values: Values, outs: Values) -> str:
    inputs = {port.name: port for side in reversed(pair.sides) for port in side.inputs}
    out = [each.port for each in pair.compared]
    kinds = [f"i{p.width}" for p in inputs.values()] + [f"o{p.width}" for p in out]
    rows = [["cycle", *inputs, *(port.name for port in out)], ["#dir", *kinds]]
    for cycle, (given, seen) in enumerate(zip(values, outs, strict=True)):
        cells = [given.get(name, 0) for name in inputs] + [seen[port.name] for port in out]
        rows.append([str(cycle), *(f"{cell:x}" for cell in cells)])
    return "".join(",".join(row) + "\n" for row in rows)
