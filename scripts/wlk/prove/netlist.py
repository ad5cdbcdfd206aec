# SPDX-License-Identifier: Apache-2.0
"""RTL as a netlist of words: one flat module in Yosys' text format, kept by content.

What the proofs cannot mean is refused here: latches, a second clock, a clock that is no input.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..base import keep, outputs, setup
from ..base.errors import Status, WlkError
from . import aiger, yosys
from .memories import Memory

FOLDER = setup.BUILD / "netlists"
MODULE = "side"  # the name of the flat module
# Undefined values become free inputs, and the start becomes 0, before anything can take advantage
# of them: what nobody writes would be x, and a register that takes over a constant be that.
PASSES = """chformal -remove
delete */t:$print */t:$check
setundef -undriven -anyseq c:* t:$mem* %d w:* %u
opt_expr
opt_merge
memory_collect
setundef -init -zero
setundef -params -zero t:$mem_v2
memory -nomap -nordff -nowiden
opt
opt_clean -purge
"""
# Of two cases that fit a simulator takes the first, also where the RTL says there is but one.
FIRST_FITS = "attrmap -remove parallel_case"
# Nothing is optimized behind techmap: the engines merge what is equal, and do it faster. peepopt
# makes `array[index]` of a shift by a product, which techmap would make very large.
BITS = """memory_map
setundef -undriven -anyseq
opt
wreduce
peepopt
opt_clean
async2sync
dffunmap
setundef -init -zero
techmap
dffunmap
setundef -init -zero
aigmap
check
"""
LATCHES = ("$dlatch", "$adlatch", "$dlatchsr", "$sr")
LOADED = ("$aldff", "$aldffe")
RAM = "wlk_mem"  # what a memory is called that is left out of the bits, and its number
CLOCK_PINS = ("CLK", "RD_CLK", "WR_CLK")
_WIRE = re.compile(r"^  wire (?:(.*) )?\\(\S+)$")
_OFFSET = re.compile(r"^(  wire .*?)offset -?\d+ ", re.MULTILINE)
_RESET = re.compile(r"(?<![a-z])[as]?rst|reset", re.IGNORECASE)
_LOW = re.compile(r"(?:rst|reset)_?n", re.IGNORECASE)
_SLICE = re.compile(r"\\(\S+)(?: \[\d+:(\d+)\])?$")
_NET = re.compile(r"(?<!\S)([\\$]\S+)")


@dataclass(frozen=True)
class Hole:
    """An instance that is left out: its inputs become outputs, its outputs inputs of the module
    around it, named `name.port`."""

    module: str
    instance: str  # path below the top
    name: str


@dataclass(frozen=True)
class Source:
    """Which module of which files."""

    files: Sequence[Path]
    top: str
    include_dirs: Sequence[Path] = ()
    defines: Sequence[str] = ()
    included: Sequence[Path] = ()  # by the files: they count for the content
    parameters: Sequence[str] = ()  # NAME=VALUE, of the module
    holes: Sequence[Hole] = ()
    undefined: Sequence[str] = ()  # macros that are to be unknown
    wrappers: Sequence[str] = ()  # modules beside the top that bind to it
    binds_left_out: Sequence[str] = ()

    def listed(self) -> str:
        """As a command file of slang; BAD_RTL for a name that it cannot have."""
        words = [f"--top {name}" for name in (self.top, *self.wrappers)]
        words += [f"-U {name}" for name in self.undefined]
        words += [f"-D {quoted(text)}" for text in self.defines]
        words += [f"--blackboxed-module {hole.module}" for hole in self.holes]
        words += [f"-G {quoted(text)}" for text in self.parameters]
        words += [f"-I {_place(path)}" for path in self.include_dirs]
        return "\n".join([*words, *map(_place, self.files), ""])

    def given(self) -> list[tuple[str, str]]:
        """The parameters: name and value."""
        return [tuple(text.split("=", 1)) for text in self.parameters]

    def script(self) -> str:
        """What Yosys does with it, up to the file `draft.il`."""
        lines = [f"read_slang -j 1 --no-proc -f {yosys.HERE}/{MODULE}.f", FIRST_FITS]
        lines.append(f"hierarchy -top {self.top}")
        lines += ["proc", "flatten", f"rename -top {MODULE}"]
        if self.holes:
            names = [f"rename {hole.instance} {hole.name}" for hole in self.holes]
            kinds = " ".join(f"{MODULE}/t:{hole.module}" for hole in self.holes)
            lines += [f"cd {MODULE}", *names, "cd ..", f"expose -evert {kinds}"]
            lines.append(f"hierarchy -purge_lib -top {MODULE}")
        return "\n".join([*lines, PASSES, f"write_rtlil {yosys.HERE}/draft.il", ""])


def _place(path: Path) -> str:
    return quoted(f"{yosys.EVERYWHERE}{path.resolve()}")


def quoted(text: str) -> str:
    """A word as a command file has it."""
    if any(c in text for c in '"\\\n'):
        name = text.removeprefix(yosys.EVERYWHERE)
        raise _bad(f"{name}: slang takes no such name; rename the file")
    return f'"{text}"'


@dataclass(frozen=True)
class Port:
    """A port of the flat module."""

    name: str
    direction: str  # "in" | "out" | "inout"
    width: int


@dataclass
class Cell:
    """What matters of a cell: its kind, its place in the source, and its pins."""

    kind: str
    name: str
    where: str = ""
    pins: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)


@dataclass
class Netlist:
    """A module that was read."""

    source: Source
    path: Path  # the module MODULE in Yosys' text format
    async_reset: str = ""  # an input that is to reset as an asynchronous one does

    @cached_property
    def _text(self) -> list[str]:
        return self.path.read_text(encoding="utf-8", errors="replace").splitlines()

    @property
    def size(self) -> int:
        """Lines of the netlist."""
        return len(self._text)

    @cached_property
    def ports(self) -> list[Port]:
        """In the order of the file."""
        return _ports(self._text)

    @cached_property
    def memories(self) -> list[Memory]:
        """Those that are left out of the bits."""
        return [_memory(cell, number) for number, cell in enumerate(self._rams)]

    @property
    def _rams(self) -> list[Cell]:
        return [cell for cell in self.cells if _is_ram(cell)]

    @cached_property
    def cells(self) -> list[Cell]:
        """Cells that hold state, and those that read a clock."""
        return list(_cells(self._text))

    @cached_property
    def clocks(self) -> dict[tuple[str, bool], Cell]:
        """(net, rising) of each clock -> a cell that has it."""
        found: dict[tuple[str, bool], Cell] = {}
        for cell in self.cells:
            for pin in CLOCK_PINS:
                polarity = cell.parameters.get(f"{pin}_POLARITY", "1")
                for net in _NET.findall(cell.pins.get(pin, "")):
                    found.setdefault((net.removeprefix("\\"), "1" in polarity), cell)
        return found

    @property
    def clock(self) -> str | None:
        """The input that clocks it; None: it is combinational."""
        return next((name for name, _ in self.clocks), None)

    @cached_property
    def resets(self) -> dict[str, int]:
        """Inputs that reset registers -> the value that does: asynchronous resets, and inputs that
        have the name of a reset. That of a combinational module is none."""
        inputs = [port.name for port in self.ports if port.direction == "in" and port.width == 1]
        named = [name for name in inputs if self.clocks and _RESET.search(name)]
        found = {name: int(not _LOW.search(name)) for name in named}
        for cell in self.cells:
            for pin in ("ARST", "SRST"):
                net = cell.pins.get(pin, "").removeprefix("\\")
                if net in (inputs if pin == "ARST" else named):
                    found[net] = int("1" in cell.parameters.get(f"{pin}_POLARITY", "1"))
        return found

    @property
    def unknowns(self) -> int:
        """How many of its values are x, or driven by nothing; a memory with an address that has no
        row is one."""
        beyond = sum(map(_has_no_row, self.cells))
        return sum(line.startswith("  cell $anyseq ") for line in self._text) + beyond

    def require_sound(self) -> None:
        """BAD_RTL for what is no synchronous design with one clock."""
        module = self.source.top
        for cell in self.cells:
            if cell.kind in LATCHES:
                name = cell.pins.get("Q", "").removeprefix("\\")
                message = f"{cell.where}: module {module} has a latch, {name}"
                raise _bad(f"{message}; assign it in every branch, or make it a register")
            if cell.kind in LOADED:
                name = cell.pins.get("Q", "").removeprefix("\\")
                message = f"{cell.where}: module {module} loads {name} by an asynchronous reset: a "
                message += "simulator loads it when that begins, a circuit as long as it lasts"
                raise _bad(f"{message}; give it a constant there")
        if len(self.clocks) > 1:
            names = [f"{net} ({'rising' if up else 'falling'} edge, {cell.where})"
                     for (net, up), cell in self.clocks.items()]  # fmt: skip
            message = f"module {module} has {len(names)} clocks: {', '.join(sorted(names))}"
            raise _bad(f"{message}; prove modules of one clock, one by one")
        inputs = {port.name for port in self.ports if port.direction == "in"}
        for (net, _), cell in self.clocks.items():
            if net not in inputs:
                message = f"{cell.where}: the clock of module {module}, {net}, is no input"
                raise _bad(f"{message}; gated and derived clocks are not understood")
        for port in self.ports:
            if port.direction == "inout":
                message = f"module {module}: port {port.name} is inout"
                raise _bad(f"{message}; wrap the module so that it has inputs and outputs")

    @cached_property
    def part(self) -> aiger.Part:
        """The module as bits; BAD_RTL for a combinational loop, or two drivers of a net."""
        place = self.path.parent
        aig, names = place / f"{MODULE}.aig", place / f"{MODULE}.map"
        with setup.locked(f"netlist-{place.name}"):
            if not aig.is_file():
                here = f"{yosys.HERE}/draft"
                script = f"read_rtlil {yosys.HERE}/{MODULE}.il\n{self._without_rams()}{BITS}"
                script += f"write_aiger -zinit -map {here}.map {here}.aig\n"
                try:
                    printed = yosys.run(script, place, "bits", f"reading {self.source.top}")
                except WlkError:
                    _refuse((place / "bits.log").read_text(encoding="utf-8"), self)
                    raise
                _refuse(printed, self)
                (place / "draft.map").rename(names)
                (place / "draft.aig").rename(aig)
        listed = (place / "pins.il").read_text(encoding="utf-8", errors="replace").splitlines()
        outs = [port for port in _ports(listed) if port.direction == "out"]
        bits = [(port.name, bit) for port in outs for bit in range(port.width)]
        part = aiger.read(aig, names, bits, list(self._words()))
        return part.with_async_reset((self.async_reset, 0)) if self.async_reset else part

    def _words(self) -> Iterator[list[aiger.Bit]]:
        """Registers of several bits."""
        for cell in self.cells:
            match = _SLICE.match(cell.pins.get("Q", ""))
            if match and (width := int(cell.parameters.get("WIDTH", "1"))) > 1:
                low = int(match[2] or 0)
                yield [(match[1], bit) for bit in range(low, low + width)]

    def _without_rams(self) -> str:
        """What makes ports of the pins of memories, and lists all ports in their order."""
        names = [f"rename {cell.name} {RAM}{n}" for n, cell in enumerate(self._rams)]
        lines = [f"cd {MODULE}", *names, "cd .."]
        lines += [f"expose -evert -sep . {MODULE}/c:{RAM}*"] if names else []
        return "\n".join([*lines, f"write_rtlil {yosys.HERE}/pins.il", ""])


def _refuse(printed: str, side: Netlist) -> None:
    """What Yosys' check says of the bits."""
    for words, what, remedy in (
        ("logic loop", "a combinational loop", "break it with a register"),
        ("multiple conflicting drivers", "a net with two drivers", "leave one of them"),
    ):
        lines = printed.splitlines()
        at = next((n for n, line in enumerate(lines) if words in line), None)
        if at is not None:
            detail = " ".join(line.strip() for line in lines[at : at + 4])
            raise _bad(f"module {side.source.top} has {what}: {detail}; {remedy}")


def _bad(message: str) -> WlkError:
    return WlkError(Status.BAD_RTL, message)


def _ports(lines: Sequence[str]) -> list[Port]:
    """The ports of a module, in the order of the file, which is that of the outputs as bits."""
    found = []
    for line in lines:
        match = _WIRE.match(line)
        words = (match[1] or "").split() if match else []
        for kind in ("input", "output", "inout"):
            if kind in words:
                width = int(words[words.index("width") + 1]) if "width" in words else 1
                direction = {"input": "in", "output": "out"}.get(kind, kind)
                found.append(Port(match[2], direction, width))
    return found


def _is_ram(cell: Cell) -> bool:
    """Is it a memory that is written, starts at 0, is read at once and has whole rows?"""
    given = cell.parameters
    return (
        cell.kind == "$mem_v2"
        and given["WR_PORTS"] != "0"
        and {*given["WR_CLK_ENABLE"]} == {"1"}
        and {*given["RD_CLK_ENABLE"]} <= {"0"}
        and {*given["INIT"]} <= {"x", "0"}
        and given["OFFSET"] == "0"
    )


def _has_no_row(cell: Cell) -> bool:
    """Is it a memory with fewer rows than its address can name?"""
    given = cell.parameters
    return cell.kind == "$mem_v2" and int(given["SIZE"]) < 1 << int(given["ABITS"])


def _memory(cell: Cell, number: int) -> Memory:
    names = ("SIZE", "WIDTH", "ABITS", "RD_PORTS", "WR_PORTS")
    return Memory(f"{RAM}{number}", *(int(cell.parameters[name]) for name in names))


def _cells(lines: Sequence[str]) -> Iterator[Cell]:
    where, cell = "", None
    for line in lines:
        if line.startswith("  attribute \\src "):
            where = yosys.shown(line.split('"')[1].split("|")[0])
        elif line.startswith("  cell "):
            cell = Cell(*line.split()[1:3], where)
        elif cell is not None and line.startswith("    connect "):
            _, pin, net = line.split(None, 2)
            cell.pins[pin.removeprefix("\\")] = net
        elif cell is not None and line.startswith("    parameter "):
            words = line.split()
            cell.parameters[words[-2].removeprefix("\\")] = words[-1].rpartition("'")[2]
        elif line == "  end":
            if cell is not None and (cell.kind in LATCHES or cell.pins.keys() & {*CLOCK_PINS}):
                yield cell
            cell = None


def read(source: Source) -> Netlist:
    """The netlist of a module; BAD_RTL where it cannot be synthesised, or is not synchronous."""
    texts = [path.read_bytes() for path in (*source.files, *source.included)]
    rules = [yosys.version(), source.script(), BITS, _OFFSET.pattern]
    key = keep.digest([*rules, source.listed(), *texts])
    place = FOLDER / key
    netlist = Netlist(source, place / f"{MODULE}.il")
    with setup.locked(f"netlist-{key}"):
        if not netlist.path.is_file():
            outputs.make_folder(place)
            (place / f"{MODULE}.f").write_text(source.listed(), encoding="utf-8")
            yosys.run(source.script(), place, MODULE, f"reading {source.top}")
            # Bits are counted from 0: a port [9:2] is that of another version that is [7:0].
            text = (place / "draft.il").read_text(encoding="utf-8", errors="replace")
            with outputs.atomic_write(netlist.path) as file:
                file.write(_OFFSET.sub(r"\1", text))
        keep.touch(place, "netlist")
    netlist.require_sound()
    return netlist
