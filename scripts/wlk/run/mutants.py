# SPDX-License-Identifier: Apache-2.0
"""Mutants: faults that operators make of a netlist, all of them in one module.

Yosys' `mutate` changes one bit at a pin of a cell: inverted, stuck, or inverted while another bit
of the same pin is 0 or 1. The operators of output ports are stuck at 0 or 1, inverted and a cycle
late, of one bit. The input SELECT of the module chooses the mutant; with 0 it is as it was.

No fault is made of the high bits of counters: no run and no proof counts that far.
"""

import json
import random
import shutil
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ..base import outputs
from ..base.errors import Status, WlkError
from ..prove import yosys
from ..prove.aiger import Bit
from ..prove.netlist import CLOCK_PINS, MODULE, Netlist, Port
from . import verilate

SELECT, WIDTH = "wlk_mutant", 14
MOST = 2**WIDTH - 1  # that SELECT can choose
PLUSARG = "wlk_fault"
INNER, FLAT = "wlk_inner", "wlk_flat"
FAULTY = "faulty"  # folder
REACH = 8  # bits of a counter that a run reaches
# Pins of memories that mean nothing where a read has no clock, and that Yosys wants constant then.
UNUSED_PINS = ("RD_EN", "RD_ARST", "RD_SRST")
STEPS = 6  # multiplexers between the sum and the register of a counter, at most
KINDS = ("stuck at 0", "stuck at 1", "inverted", "a cycle late")
PORTS = 4  # one in so many is a fault of a port
# What is unknown is 0 on both sides of a proof, and in simulation. As a part-select of Verilog,
# $shiftx would reach out of its vector, of which Verilator makes anything.
CLEAN = f"""read_rtlil {yosys.HERE}/source.il
delete t:$anyseq t:$anyconst
chtype -set $shift t:$shiftx
setundef -undriven -zero
opt_clean -purge
"""
# Verilator 5.006 does not simulate all nets right that are driven piece by piece.
WRITE = f"""hierarchy -top {MODULE}
flatten
proc
opt_clean -purge
write_rtlil {yosys.HERE}/{FAULTY}/{MODULE}.il
rename {MODULE} {FLAT}
bwmuxmap
splitnets -driver
opt_clean -purge
write_verilog -noattr {yosys.HERE}/{FLAT}.v
"""


def selected(number: int) -> dict[Bit, int]:
    """The bits of SELECT that choose a mutant."""
    return {(SELECT, bit): number >> bit & 1 for bit in range(WIDTH)}


@dataclass(frozen=True)
class Mutant:
    """One fault; its number is what SELECT must be."""

    number: int
    name: str
    line: str = ""  # of Yosys, which makes it; empty: it is one of a port
    port: Port | None = None
    bit: int = 0
    kind: str = ""


@dataclass(frozen=True)
class Mutants:
    """All faults made of a module."""

    good: Netlist
    faulty: Netlist  # the same with the faults, and SELECT
    flat: Path  # that in Verilog
    each: Sequence[Mutant]

    def rtl(self, place: Path, chosen: int = 0) -> verilate.Rtl:
        """The module for simulation, which reads SELECT from a plusarg; without it: `chosen`."""
        top = self.good.source.top
        outputs.make_folder(place)
        wrapper = place / f"{top}.sv"
        wrapper.write_text(_wrapper(top, self.good.ports, chosen), encoding="utf-8")
        return verilate.Rtl([wrapper, Path(shutil.copy(self.flat, place))], top)


def make(netlist: Netlist, count: int, seed: int, place: Path) -> Mutants:
    """At most `count` faults, which `seed` chooses, in the files of a folder."""
    shutil.rmtree(place, ignore_errors=True)
    outputs.make_folder(place / FAULTY)
    (place / "source.il").write_bytes(netlist.path.read_bytes())
    script = f"{CLEAN}write_rtlil {yosys.HERE}/clean.il\nwrite_json {yosys.HERE}/clean.json\n"
    # Those of clocks and of what is out of reach are left out.
    script += f"mutate -list {4 * count} -seed {seed} -o {yosys.HERE}/list.txt\n"
    yosys.run(script, place, "list", f"choosing faults of {netlist.source.top}")
    bits = _Bits.of(place / "clean.json")
    faults = _of_ports(netlist, bits, count // PORTS, random.Random(seed))
    listed = (place / "list.txt").read_text(encoding="utf-8").splitlines()
    faults += [_of_cell(line) for line in listed if bits.reaches(line)]
    if not faults:
        raise WlkError(
            Status.VACUOUS, f"module {netlist.source.top}: nothing in it can be at fault"
        )
    each = [
        Mutant(number, fault.name, fault.line, fault.port, fault.bit, fault.kind)
        for number, fault in enumerate(faults[:count], 1)
    ]
    _write(netlist, each, place)
    faulty = Netlist(netlist.source, place / FAULTY / f"{MODULE}.il")
    return Mutants(netlist, faulty, place / f"{FLAT}.v", each)


def _write(netlist: Netlist, each: Sequence[Mutant], place: Path) -> None:
    lines = [f"read_rtlil {yosys.HERE}/clean.il"]
    for mutant in (mutant for mutant in each if mutant.line):
        control = f"mutate -ctrl {SELECT} {WIDTH} {mutant.number}"
        lines.append(mutant.line.replace("mutate", control, 1))
    inside = len(lines) > 1
    text = _around(netlist, [mutant for mutant in each if mutant.port is not None], inside)
    (place / "ports.v").write_text(text, encoding="utf-8")
    lines += [f"rename {MODULE} {INNER}", f"read_verilog {yosys.HERE}/ports.v", WRITE]
    yosys.run("\n".join(lines), place, "faulty", f"making faults of {netlist.source.top}")


# ---- of cells ------------------------------------------------------------------------------------


def _of_cell(line: str) -> Mutant:
    """A line of the list: `mutate -mode MODE -KEY VALUE ...`."""
    wire, pin = _of(line, "-wire"), f"{_of(line, '-cell')}.{_of(line, '-port')}"
    what = f"{wire}[{_of(line, '-wirebit')}]" if wire else f"{pin}[{_of(line, '-portbit')}]"
    name = f"{_of(line, '-mode')} {what} of {_of(line, '-port')}"
    place = Path(_of(line, "-src")).name
    return Mutant(0, f"{name} ({place})" if place else name, line)


def _of(line: str, key: str) -> str:
    words = line.split()
    return words[words.index(key) + 1] if key in words else ""


@dataclass(frozen=True)
class _Bits:
    """The nets of a module, by bit: what each pin and port is, and the far bits of counters."""

    pins: Mapping[str, Mapping[str, Sequence[Any]]]  # of each cell
    ports: Mapping[str, Sequence[Any]]
    far: Set[Any]

    @classmethod
    def of(cls, path: Path) -> Self:
        """As Yosys has written them."""
        module = json.loads(path.read_text(encoding="utf-8"))["modules"][MODULE]
        cells = module["cells"].values()
        pins = {name: cell["connections"] for name, cell in module["cells"].items()}
        ports = {name: port["bits"] for name, port in module["ports"].items()}
        made = {
            bit: (cell, number)
            for cell in cells
            if cell["type"] in ("$add", "$mux")
            for number, bit in enumerate(cell["connections"]["Y"])
        }
        far: set[Any] = set()
        for cell in cells:
            if "D" in cell["connections"] and "Q" in cell["connections"]:
                for ends in zip(*(cell["connections"][pin] for pin in "DQ"), strict=True):
                    far |= _far(*ends, made, STEPS)
        return cls(pins, ports, far)

    def reaches(self, line: str) -> bool:
        """A run can show this fault of a cell, as far as this can be known."""
        pin = _of(line, "-port")
        bits = self.pins[_of(line, "-cell")][pin]
        places = [int(at) for at in (_of(line, "-portbit"), _of(line, "-ctrlbit")) if at]
        if pin in (*CLOCK_PINS, *UNUSED_PINS):
            return False
        return not any(bits[at] in self.far for at in places)


def _far(data: Any, held: Any, made: Mapping[Any, tuple[Any, int]], steps: int) -> set[Any]:
    """The bits between a register's input and the sum that counts it up, when it is that far."""
    if data not in made or steps == 0:
        return set()
    cell, number = made[data]
    pins = cell["connections"]
    if cell["type"] == "$add":
        counts = number >= REACH and any(held in pins[pin][number : number + 1] for pin in "AB")
        return {data, held} if counts else set()
    behind = set().union(*(_far(pins[pin][number], held, made, steps - 1) for pin in "AB"))
    return behind | {data} if behind else behind


# ---- of ports ------------------------------------------------------------------------------------


def _of_ports(netlist: Netlist, bits: _Bits, count: int, chance: random.Random) -> list[Mutant]:
    """Some of the faults that outputs can have. Nothing is late without a clock."""
    kinds = KINDS if netlist.clock else KINDS[:-1]
    ports = [port for port in netlist.ports if port.direction == "out"]
    every = [(port, kind) for port in ports for kind in kinds]
    found = []
    for port, kind in chance.sample(every, min(count, len(every))):
        bit = chance.choice(
            [n for n, net in enumerate(bits.ports[port.name]) if net not in bits.far]
        )
        place = f"{port.name}[{bit}]" if port.width > 1 else port.name
        found.append(Mutant(0, f"{place} {kind}", port=port, bit=bit, kind=kind))
    return found


def _around(netlist: Netlist, faults: Sequence[Mutant], inside: bool) -> str:
    """The module with the faults of ports around that with the faults of cells."""
    text = _header(MODULE, netlist.ports, select=True)
    pins = {port.name: _name(port.name) for port in netlist.ports}
    for port in {fault.port: None for fault in faults}:
        good, late = _name(f"good.{port.name}"), _name(f"late.{port.name}")
        pins[port.name] = good
        text += f"  wire {_range(port)}{good};\n"
        if netlist.clock:
            text += f"  reg {_range(port)}{late} = 0;\n"
            text += f"  always @(posedge {_name(netlist.clock)}) {late} <= {good};\n"
        chosen = "".join(_change(fault, good, late) for fault in faults if fault.port == port)
        text += f"  assign {_name(port.name)} = {chosen}{good};\n"
    if inside:
        pins[SELECT] = SELECT
    return text + _instance(INNER, pins) + "endmodule\n"


def _change(fault: Mutant, good: str, late: str) -> str:
    mask = f"({fault.port.width}'d1 << {fault.bit})"
    value = {
        "stuck at 0": f"{good} & ~{mask}",
        "stuck at 1": f"{good} | {mask}",
        "inverted": f"{good} ^ {mask}",
        "a cycle late": f"({good} & ~{mask}) | ({late} & {mask})",
    }[fault.kind]
    return f"{SELECT} == {fault.number} ? {value} : "


# ---- text ----------------------------------------------------------------------------------------


def _wrapper(top: str, ports: Sequence[Port], chosen: int) -> str:
    """The module under its own name."""
    text = _header(top, ports)
    text += f"  int {SELECT} = {chosen};\n"
    text += f'  initial void\'($value$plusargs("{PLUSARG}=%d", {SELECT}));\n'
    pins = {port.name: _name(port.name) for port in ports}
    return text + _instance(FLAT, pins | {SELECT: f"{SELECT}[{WIDTH - 1}:0]"}) + "endmodule\n"


def _header(module: str, ports: Sequence[Port], select: bool = False) -> str:
    lines = [f"  {p.direction}put {_range(p)}{_name(p.name)}" for p in ports]
    lines += [f"  input [{WIDTH - 1}:0] {SELECT}"] if select else []
    return f"module {module}(\n" + ",\n".join(lines) + ");\n"


def _instance(module: str, pins: dict[str, str]) -> str:
    joined = ",\n".join(f"    .{_name(pin)}({net})" for pin, net in pins.items())
    return f"  {module} inner(\n{joined});\n"


def _range(port: Port) -> str:
    return f"[{port.width - 1}:0] " if port.width > 1 else ""


def _name(name: str) -> str:
    return f"\\{name} "
