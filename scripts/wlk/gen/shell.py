# SPDX-License-Identifier: Apache-2.0
"""Port shell of a stub: the block's module as the Chisel compiler emits it, around our core.

The shell is one configuration with fixed widths and one scalar port per element and lane. The
core's ports follow from the table alone: `readReq.bits.regs[3].pReg` is `readReq_bits_regs_pReg_i`
with every element concatenated, index 0 (of the outer array first) and lane 0 in the low bits.
A unit is one core port a use (`ibuf.bits.uop.pc` is in `ibuf_bits_i`): its fields in table order,
the first in the high bits, as a packed struct has them; uses in an array lie as other elements do.
The ports that each entry of a list has are one core port too, without the entry's number: entry 0
in the low bits. So are the ports of an opaque field: those of an element side by side.
Of an array without elements the core has a port all the same: an output of it is one bit wide.
Inputs that no rule reads stay out of the core. The core's header lists the parameters it takes:
the block's, the width of a unit (`EntryW`), where a field begins in it (`EntryUopPcLsb`), and the
width of an element of an opaque field (`PayloadW`). An item of a list's entries is one parameter
(`QueuesType`, `logic [63:0]`), eight bits an entry, entry 0 lowest, 0 where there is none. Blocks
may share a core; what a table sets in it (`core_set`) is a parameter too.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import Status, WlkError
from ..tables import ROOT, Config, Field, Port, Table, label, own
from ..tables.fields import HIDDEN

LINE = 100  # longest line written
_MODULE = re.compile(r"^module (\w+)", re.MULTILINE)
_PARAMETER = re.compile(r"^ +parameter (?:int unsigned|bit|logic \[\d+:0\]) (\w+) +=", re.MULTILINE)
ENTRY = 8  # bits of an entry in a parameter that is a list


@dataclass(frozen=True)
class Core:
    """What the shell must know of the hand-written core: its name and its parameters."""

    module: str
    params: tuple[str, ...]


@dataclass(frozen=True)
class Pin:
    """What a port of the table is inside of a module: bits of its ports, high bits first."""

    parts: tuple[str, ...]
    inverted: bool = False

    def text(self, form: str = "{}") -> str:
        """As one expression; `form`: how each of the bits is reached."""
        parts = [form.format(part) for part in self.parts]
        whole = parts[0] if len(parts) == 1 else f"{{{', '.join(parts)}}}"
        return f"~{whole}" if self.inverted else whole


def snake(name: str) -> str:
    """`DuplicatedCollector` as `duplicated_collector`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def camel(name: str) -> str:
    """`num_lanes` as `NumLanes`, `token_warpId` as `TokenWarpId`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def core_path(table: Table) -> Path:
    """Where the block's core is: `rtl_stub/<block>/<module>_core.sv`, or the one it shares; of a
    user's block in `rtl`."""
    if table.name in own():
        return own()[table.name] / "rtl" / f"{snake(table.module)}_core.sv"
    if table.core:
        return ROOT / "rtl_stub" / "common" / f"{table.core}.sv"
    return ROOT / "rtl_stub" / table.name / f"{snake(table.module)}_core.sv"


def read_core(path: Path) -> Core:
    """The core's name and parameters from its header; WlkError MODEL_ERROR when it has none."""
    header = path.read_text(encoding="utf-8").partition(");")[0]
    found = _MODULE.search(header)
    if found is None:
        raise WlkError(Status.MODEL_ERROR, f"{path.name}: no module found; write one in it")
    return Core(found[1], tuple(_PARAMETER.findall(header)))


def _unit_parameters(table: Table, cfg: Config) -> dict[str, int]:
    """The width of each unit and the lowest bit of each of its fields."""
    values: dict[str, int] = {}
    for unit in dict.fromkeys(f.unit for f in table.fields if f.unit):
        lsb = 0
        for item in reversed(table.unit_members(unit)):
            member = camel(f"{unit}_{item.member}".replace(".", "_"))
            values[f"{member}Lsb"] = lsb
            lsb += item.width(cfg)
        values[f"{camel(unit)}W"] = lsb
    return values


def _list_parameters(table: Table, cfg: Config) -> dict[str, str]:
    """The items of each list, `QueuesType` for `queues_0_type` and so on: entry 0 lowest."""
    return {
        camel(f"{each.name}_{item.name}"): f"{ENTRY * each.most}'h"
        + "_".join(f"{cfg[each.param(n, item)]:02x}" for n in reversed(range(each.most)))
        for each in table.lists.values()
        for item in each.items
    }


def _parameters(table: Table, cfg: Config, core: Core) -> list[str]:
    plain = {camel(name): v for name, v in cfg.items() if not table.params[name].list_of}
    values = plain | _list_parameters(table, cfg) | _unit_parameters(table, cfg) | table.core_set
    if table.opaque:
        values["PayloadW"] = sum(member.width for member in table.members)
    unknown = [name for name in core.params if name not in values]
    if unknown:
        message = f"{core.module}: parameter {unknown[0]} is not in {label(table.path)}; it has "
        raise WlkError(Status.MODEL_ERROR, message + ", ".join(values))
    return [f".{name}({values[name]})" for name in core.params]


def core_port(table: Table, item: Field) -> str:
    """The core's port a field is in: `rst_i`, or its path, or its unit's, and the direction."""
    if item.name == table.reset:
        return "rst_i"
    suffix = "i" if item.direction == "in" else "o"
    path = item.named_path[: item.unit_at] if item.unit else item.named_path
    name = "_".join(part for part, _ in path if part != HIDDEN)
    if item.entry is not None:  # of each entry of a list: one port for all
        name = name.replace(f"_{item.entry}", "", 1)
    return f"{name}_{suffix}"


def listed(items: list[str], indent: int) -> str:
    """Items one a line, commas between them."""
    pad = " " * indent
    return ",\n".join(pad + item for item in items)


def concat(names: list[str], indent: int, used: int) -> str:
    """`{high, ..., low}` of names given low first, broken as verible-verilog-format does it.

    `used`: characters of the line that stand before and behind the concatenation.
    """
    if len(names) == 1:
        return names[0]
    high_first = names[::-1]
    row = ", ".join(high_first)
    if used + len(row) + 2 <= LINE:
        return "{" + row + "}"
    pad = "\n" + " " * (indent + 2)
    body = row if indent + 2 + len(row) <= LINE else ("," + pad).join(high_first)
    return "{" + pad + body + "\n" + " " * indent + "}"


def declarations(clock: str | None, ports: list[Port]) -> list[str]:
    """The port list, columns aligned as verible-verilog-format does it."""
    rows = [("input", 1, clock)] if clock is not None else []
    rows += [(f"{p.direction}put", p.width, p.name) for p in ports]
    digits = max((len(str(width - 1)) for _, width, _ in rows if width > 1), default=0)
    blank = " " * (digits + len("[:0] ")) if digits else ""
    return [
        f"{kind:6} " + (f"[{width - 1:{digits}}:0] " if width > 1 else blank) + name
        for kind, width, name in rows
    ]


def check_omitted(table: Table, omit: Collection[str], ports: list[Port]) -> None:
    """WlkError USAGE when a port to leave out does not exist or is one that a rule reads."""
    known = {p.name: p for p in ports}
    for name in omit:
        if name not in known:
            raise WlkError(Status.USAGE, f"{table.module}: no port '{name}' to leave out")
        if known[name].direction == "in" and known[name].read:
            raise WlkError(Status.USAGE, f"{table.module}: cannot leave out '{name}': it is read")


def _by_core_port(table: Table, cfg: Config) -> Iterator[tuple[str, list[Port]]]:
    """Each of the core's ports with the ports it is made of, low bits first."""
    groups: dict[str, list[Port]] = {}
    for port in table.ports(cfg, absent=True):
        groups.setdefault(core_port(table, port.field), []).append(port)
    for name, each in groups.items():
        # Of fields that share a name (`head`) each configuration has those of one.
        here = [port for port in each if table.present(port.field, cfg)]
        group = here if here and any(port.field.head for port in each) else each
        group.sort(key=lambda port: port.field.entry or 0)
        yield name, _low_first(group) if group[0].field.unit else group
    for item in table.fields:  # of arrays without elements
        if item.read and core_port(table, item) not in groups:
            groups[core_port(table, item)] = []
            yield core_port(table, item), []


def _low_first(group: list[Port]) -> list[Port]:
    """The ports of a unit, given in table order: in each use the last field is the lowest."""
    uses: dict[tuple[int, ...], list[Port]] = {}
    for port in group:
        outer = sum(count is not None for _, count in port.field.path[: port.field.unit_at])
        uses.setdefault(port.index[:outer], []).append(port)
    return [port for use in uses.values() for port in reversed(use)]


def shell_sv(
    table: Table, cfg: Config, core: Core | None = None, omit: Collection[str] = ()
) -> str:
    """The text of the block's module for one configuration, around its core.

    `omit`: emitted names of ports to leave out, as the compiler does in inner modules: outputs
    nobody reads and inputs no rule reads.
    """
    if core is None:
        core = read_core(core_path(table))
    present = table.ports(cfg)
    check_omitted(table, omit, present)
    shown = [p for p in present if p.name not in omit]
    names = {p.name for p in shown}
    pins = [f".clk_i({table.clock})"] if table.clock is not None else []
    taken: set[str] = set()  # by the core
    loose: list[Port] = []
    empty: list[str] = []
    for pin, group in _by_core_port(table, cfg):
        if not group:
            empty += [f"unused_{pin}"] if pin.endswith("_o") else []
            pins.append(f".{pin}(" + (f"unused_{pin})" if pin.endswith("_o") else "'0)"))
            continue
        if group[0].direction == "out":
            loose += [p for p in group if p.name not in names]
            wires = [p.name if p.name in names else f"unused_{p.name}" for p in group]
        elif any(p.read for p in group):
            taken |= {p.name for p in group}
            wires = [p.name if p.name in names else f"{p.width}'d0" for p in group]
            if not names & set(wires):
                wires = ["'0"]
        else:
            continue
        pins.append(f".{pin}({concat(wires, 6, 6 + len(f'.{pin}(),'))})")
    unread = [p.name for p in shown if p.direction == "in" and p.name not in taken]
    params = _parameters(table, cfg, core)
    override = f" #(\n{listed(params, 6)}\n  )" if params else ""
    body = f"  {core.module}{override} u_core (\n{listed(pins, 6)}\n  );\n"
    unused = _unused(unread, loose, empty)
    return module_text(table, declarations(table.clock, shown), unused + body)


def wire(width: int, name: str, digits: int = 0) -> str:
    """The line that declares a wire; `digits`: of the highest bit, at least."""
    return "  wire " + (f"[{width - 1:{digits}}:0] " if width > 1 else "") + f"{name};\n"


def _unused(unread: list[str], loose: list[Port], empty: list[str]) -> str:
    """Declarations for what is not connected: outputs left out, or of which there are none
    (`empty`), and inputs that nothing reads."""
    # verible-verilog-format aligns the widths where every wire has one.
    widths = [p.width for p in loose]
    aligned = min(widths, default=1) > 1 and not unread and not empty
    digits = len(str(max(widths) - 1)) if aligned else 0
    lines = [wire(p.width, f"unused_{p.name}", digits) for p in loose]
    lines += [wire(1, name) for name in empty]
    if unread:
        start = "  wire unused_inputs = ^"
        lines.append(f"{start}{concat(unread, 2, len(start) + 1)};\n")
    return "".join(lines) + ("\n" if lines else "")


def module_text(table: Table, ports: list[str], body: str) -> str:
    """The block's module: header, port list and what is in it."""
    return f"""// SPDX-License-Identifier: Apache-2.0
// Generated by scripts/wlk/gen/shell.py from {label(table.path)}; do not edit.

module {table.module} (
{listed(ports, 4)}
);

{body}
endmodule
"""
