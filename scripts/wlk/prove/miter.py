# SPDX-License-Identifier: Apache-2.0
"""Two netlists side by side on the same inputs: one bit an output that says that it differs.

The bit of an output that has a meaning only while another one is 1 (`Compared.when`) counts only
then; that one is taken from the first netlist, which is what is right.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base import outputs
from ..base.errors import Status, WlkError
from . import yosys
from .netlist import MODULE, Netlist, Port

SIDES = ("gold", "gate")
OFF = "wlk_off"
# Nothing is optimized behind techmap: the engines merge what is equal, and do it faster.
BITS = """proc
flatten
memory_map
setundef -undriven -anyseq
opt
async2sync
dffunmap
setundef -init -zero
techmap
dffunmap
setundef -init -zero
aigmap
check
"""


@dataclass(frozen=True)
class Compared:
    """An output of both sides; `when`: the port without whose 1 it means nothing."""

    port: Port
    when: str = ""


@dataclass(frozen=True)
class Rules:
    """A module that says which inputs are legal: its text, and its 1-bit outputs, 1 = violated."""

    text: str
    module: str
    outputs: Sequence[str]
    inputs: Sequence[str]  # names of ports of the first netlist, the clock among them


@dataclass(frozen=True)
class Input:
    """A bit of an input port."""

    name: str
    bit: int


@dataclass(frozen=True)
class Miter:
    """The circuit as bits, and what its outputs are, in their order."""

    aig: Path
    inputs: Mapping[int, Input]  # by their number; the others are values that are unknown
    compared: Sequence[Compared]
    latches: int


def build(
    gold: Netlist,
    gate: Netlist,
    compared: Sequence[Compared],
    place: Path,
    *,
    ties: dict[str, int] | None = None,
    rules: Rules | None = None,
) -> Miter:
    """Write the miter to a folder. `ties`: inputs of the first that are constant, since the second
    lacks them. VACUOUS without an output to compare; BAD_RTL for a loop, or two drivers."""
    if not compared:
        message = f"{gate.source.top}: no output to compare; nothing can be proved of it"
        raise WlkError(Status.VACUOUS, message)
    outputs.make_folder(place)
    lines = []
    for side, netlist in zip(SIDES, (gold, gate), strict=True):
        shutil.copyfile(netlist.path, place / f"{side}.il")
        lines += [f"read_rtlil {yosys.HERE}/{side}.il", f"rename {MODULE} {side}"]
    if rules is not None:
        (place / "rules.sv").write_text(rules.text, encoding="utf-8")
        lines += [f"read_slang -j 1 --top {rules.module} {yosys.HERE}/rules.sv"]
    lines += [f"read_verilog {yosys.HERE}/miter.v", "hierarchy -top miter", BITS]
    files = f"{yosys.HERE}/miter.map {yosys.HERE}/miter.aig"
    lines += [f"write_aiger -zinit -map {files}", ""]
    # The engines take no circuit without a register.
    for timeless in (False, True):
        text = _text(gold, gate, compared, ties or {}, rules, timeless)
        (place / "miter.v").write_text(text, encoding="utf-8")
        text = yosys.run("\n".join(lines), place, "miter", f"joining both {gate.source.top}")
        _refuse(text, gate)
        if latches := int((place / "miter.aig").open("rb").readline().split()[3]):
            break
    mapped = (place / "miter.map").read_text(encoding="utf-8").splitlines()
    inputs = {
        int(words[1]): Input(words[3], int(words[2]))
        for words in map(str.split, mapped)
        if words[0] == "input" and not words[3].startswith(OFF)
    }
    return Miter(place / "miter.aig", inputs, compared, latches)


def _text(
    gold: Netlist,
    gate: Netlist,
    compared: Sequence[Compared],
    ties: dict[str, int],
    rules: Rules | None,
    timeless: bool,
) -> str:
    """The module around both. `timeless`: with a register, which ends the comparison at will."""
    inputs = {p.name: p for side in (gate, gold) for p in side.ports if p.direction == "in"}
    inputs = {name: p for name, p in inputs.items() if name not in ties}
    lines = [f"  input {_range(port)}{_name(port.name)}" for port in inputs.values()]
    lines += [f"  input {OFF}, {OFF}_clock"] if timeless else []
    lines.append(f"  output [{len(compared) - 1}:0] bad")
    text = "module miter(\n" + ",\n".join(lines) + ");\n"
    for name, value in ties.items():
        port = next(p for p in gold.ports if p.name == name)
        text += f"  wire {_range(port)}{_name(name)} = {port.width}'d{value};\n"
    for side, netlist in zip(SIDES, (gold, gate), strict=True):
        pins = []
        for port in netlist.ports:
            net = _name(port.name)
            if port.direction == "out":
                net = _name(f"{side}.{port.name}")
                text += f"  wire {_range(port)}{net};\n"
            pins.append(f"    .{_name(port.name)}({net})")
        text += f"  {side} {side}(\n" + ",\n".join(pins) + ");\n"
    legal = "1'b1"
    if rules is not None:
        legal = "legal"
        text += _rules_text(gold, rules)
    if timeless:
        text += f"  reg off = 0;\n  always @(posedge {OFF}_clock) off <= {OFF};\n"
        legal += " && !off"
    for number, each in enumerate(compared):
        one, other = (_name(f"{side}.{each.port.name}") for side in SIDES)
        care = _name(f"gold.{each.when}" if _is_output(gold, each.when) else each.when)
        condition = f"{legal} && {care}" if each.when else legal
        text += f"  assign bad[{number}] = ({one} != {other}) && {condition};\n"
    return text + "endmodule\n"


def _rules_text(gold: Netlist, rules: Rules) -> str:
    """Nothing counts from the first cycle on in which a rule is violated."""
    pins = []
    for name in rules.inputs:
        net = _name(f"gold.{name}" if _is_output(gold, name) else name)
        pins.append(f"    .{_name(name)}({net})")
    pins += [f"    .{name}(violated[{n}])" for n, name in enumerate(rules.outputs)]
    text = f"  wire [{len(rules.outputs) - 1}:0] violated;\n"
    text += f"  {rules.module} rules(\n" + ",\n".join(pins) + ");\n"
    if gold.clock is None:
        return text + "  wire legal = ~|violated;\n"
    text += "  reg broken = 0;\n  wire legal = !broken && ~|violated;\n"
    return text + f"  always @(posedge {_name(gold.clock)}) broken <= !legal;\n"


def _is_output(netlist: Netlist, name: str) -> bool:
    return any(port.name == name and port.direction == "out" for port in netlist.ports)


def _range(port: Port) -> str:
    return f"[{port.width - 1}:0] " if port.width > 1 else ""


def _name(name: str) -> str:
    return f"\\{name} "


def _refuse(printed: str, gate: Netlist) -> None:
    """What Yosys' check says of the bits."""
    for words, what, remedy in (
        ("logic loop", "a combinational loop", "break it with a register"),
        ("multiple conflicting drivers", "a net with two drivers", "leave one of them"),
    ):
        lines = printed.splitlines()
        at = next((n for n, line in enumerate(lines) if words in line), None)
        if at is not None:
            detail = " ".join(line.strip() for line in lines[at : at + 4])
            message = f"module {gate.source.top} has {what}: {detail}"
            raise WlkError(Status.BAD_RTL, f"{message}; {remedy}")
