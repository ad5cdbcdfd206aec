# SPDX-License-Identifier: Apache-2.0
"""One side of a proof in Verilator: its sources, and not the netlist, on the same inputs.

Names of modules are the same on both sides, so each side is a program of its own. In it a wrapper
joins the module's inputs and its outputs to a vector each; dpi/harness/vectors.cpp drives them,
from a list of values or at random.
"""

import os
import re
import shutil
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..base import keep, outputs, setup
from ..base.errors import Status, WlkError
from ..gen.sv import HARNESS_CLOCK, HARNESS_TOP
from ..prove.engines import Values
from ..prove.netlist import Netlist, Port
from . import tools, verilate
from .verilate import Tool

MAIN = verilate.HARNESS / "vectors.cpp"
HEADER = "wlk_vectors.h"
WRAPPER = HARNESS_TOP  # wrappers of mapped ports refer to its clock by this name
LEAST = 96  # bits of a vector: narrower ones are no arrays in C++
SECONDS = 120  # of a processor that one run may take
LARGE = 2_000  # lines of RTL from which on compiling takes longer than running
PLAIN = re.compile(r"[A-Za-z_]\w*")
ENDED = (-signal.SIGXCPU, -signal.SIGKILL)  # by the limit of its time
DOES_NOT_SETTLE, NO_DATA = 3, 4  # exit codes of the program
REMEDY = "end the loop in its logic"


@dataclass(frozen=True)
class Simulation:
    """A side of a proof, and how it is run."""

    side: Netlist
    tool: Tool
    shown: Sequence[Port]  # whose values it shows; outputs, and inputs as they are given
    ties: Mapping[str, int] = field(default_factory=dict)  # inputs that are constant
    resets: Mapping[str, int] = field(default_factory=dict)  # inputs, and when they are active

    @property
    def inputs(self) -> list[Port]:
        """The inputs in the order of the vector, the first lowest."""
        no_data = (self.side.clock, *self.ties)
        return [p for p in self.side.ports if p.direction == "in" and p.name not in no_data]

    def play(self, values: Values, *, ones: bool) -> Values:
        """What is shown in each cycle, with these inputs; one that has no value is 0. `ones`:
        registers power up as 1."""
        count = words(self.inputs)
        lines = []
        for row in values:
            total = packed((row.get(p.name, 0), p.width) for p in self.inputs)
            lines.append(" ".join(f"{total >> 32 * n & 0xFFFFFFFF:x}" for n in range(count)) + "\n")
        feed = (line.encode() for line in lines)
        return [unpacked(int(line, 16), self.shown) for line in self._run([int(ones)], feed)]

    def random(self, seed: int, cycles: int, *, ones: bool, reset: bool) -> list[str]:
        """What is shown in each cycle with random inputs, as a hexadecimal number; `reset`: a
        cycle of reset comes first."""
        return self._run([int(ones), seed, cycles, int(reset), 0])

    def stimulus(self, seed: int, cycles: int, *, ones: bool, reset: bool) -> Values:
        """The inputs of that run."""
        lines = self._run([int(ones), seed, cycles, int(reset), 1])
        return [unpacked(int(line.partition(" ")[0], 16), self.inputs) for line in lines]

    def _run(self, arguments: Sequence[int], feed: Iterable[bytes] | None = None) -> list[str]:
        program = self.program()
        done = tools.ask([program, *arguments], lambda *_: None, feed=feed)
        last = done.report.strip().rpartition("\n")[2].removeprefix("vectors: ")
        why = {
            **dict.fromkeys(ENDED, f"does not settle within {SECONDS} s; {REMEDY}"),
            DOES_NOT_SETTLE: f"{last}; {REMEDY}",
            NO_DATA: last,
        }
        if done.code in why:
            message = f"module {self.side.source.top} in simulation: {why[done.code]}"
            raise WlkError(Status.BAD_RTL, message)
        if done.code:
            raise WlkError(Status.MODEL_ERROR, f"{program} ended with {done.code}")
        return done.output.splitlines()

    @property
    def _rtl(self) -> verilate.Rtl:
        of = self.side.source
        return verilate.Rtl([*of.files], of.top, [*of.include_dirs], [*of.defines], [*of.included])

    @cached_property
    def key(self) -> str:
        """A digest of all that it shows."""
        parts = [*self._texts().values(), self.tool.program, *self._flags(), *verilate.FAST]
        contents = [path.read_bytes() for path in (*self._rtl.content, MAIN, verilate.DATA)]
        return keep.digest([*parts, self.side.source.listed(), *contents])

    def _flags(self) -> list[str]:
        # What is x in the RTL is 0 or 1, as registers are.
        return [*verilate.reading(self._rtl), "--x-assign", "unique", "--top-module", WRAPPER]

    def program(self) -> Path:
        """The program, built if need be and kept by content."""
        place = verilate.folder() / self.key
        with setup.locked(f"rtl-{self.key}"):
            if (place / "player").is_file():
                os.utime(place)  # in use: not to be forgotten
                return place / "player"
            shutil.rmtree(place, ignore_errors=True)
            outputs.make_folder(place / "obj")
            texts = self._texts()
            for name, text in texts.items():
                (place / name).write_text(text, encoding="utf-8")
            rtl = self._rtl
            verilate.verilate(place, rtl, texts, self._flags(), self.tool, MAIN)
            size = sum(path.read_bytes().count(b"\n") for path in rtl.files)
            optimize = verilate.FAST if size > LARGE else verilate.SMALL
            verilate.make(place, self.tool, optimize, "player", [f"-I{verilate.HARNESS}"])
            shutil.rmtree(place / "obj", ignore_errors=True)
        return place / "player"

    def _texts(self) -> dict[str, str]:
        """The files that are compiled with the RTL."""
        of = self.side.source
        data = verilate.data_header(of.files, of.include_dirs)
        return {f"{WRAPPER}.sv": self._wrapper(), HEADER: self._header(), "wlk_data.h": data}

    def _wrapper(self) -> str:
        """The module around it. Its inputs are variables, as those of a test bench are (see
        gen/sv.py, Harness.held)."""
        pins = {self.side.clock: "held_clock"} if self.side.clock else {}
        pins |= {port.name: f"held{place}" for port, place in places(self.inputs)}
        widths = {port.name: port.width for port in self.side.ports}
        pins |= {name: f"{widths[name]}'h{value:x}" for name, value in self.ties.items()}
        lines = []
        for port, place in places(self.shown):
            if port.direction == "out":
                pins[port.name] = f"out{place}"
            else:
                lines.append(f"  assign out{place} = {pins[port.name]};\n")
        given = ", ".join(f".{name}({value})" for name, value in self.side.source.given())
        bits, shown = vector_bits(self.inputs), vector_bits(self.shown)
        listed = ",\n    ".join(f".{escaped(name)}({what})" for name, what in pins.items())
        return f"""module {WRAPPER} (
  input wlk_tick,
  input clock,
  input [{bits - 1}:0] in,
  output [{shown - 1}:0] out
);
  wire {HARNESS_CLOCK} = clock;
  logic held_clock = {int(not self._is_rising)};
  logic [{bits - 1}:0] held = '0;
  always @(wlk_tick) begin
    held_clock = clock;
    held = in;
  end
{"".join(lines)}  {self.side.source.top} #({given}) dut (
    {listed}
  );
endmodule
"""

    @property
    def _is_rising(self) -> bool:
        """Is it clocked by rising edges?"""
        return next((up for _, up in self.side.clocks), True)

    def _header(self) -> str:
        """What the program knows of the vectors."""
        rows = [
            f'{{{lsb}, {port.width}, R"({port.name})", {self.resets.get(port.name, -1)}}}'
            for port, lsb in lowest(self.inputs)
        ]
        rows = rows or ['{0, 0, "", -1}']  # no empty array in C++
        return f"""struct wlk_input {{
    unsigned lsb, width; // bits of the vector
    const char *name;
    int active; // of a reset, the value that resets; else -1
}};
static const wlk_input wlk_inputs[] = {{{", ".join(rows)}}};
static constexpr bool wlk_edge = {str(self._is_rising).lower()}; // rising?
#define WLK_IN {vector_bits(self.inputs)}
#define WLK_OUT {vector_bits(self.shown)}
#define WLK_SECONDS {SECONDS}
"""


def lowest(ports: Iterable[Port]) -> Iterator[tuple[Port, int]]:
    """Ports and their lowest bits in a vector."""
    at = 0
    for port in ports:
        yield port, at
        at += port.width


def places(ports: Iterable[Port]) -> Iterator[tuple[Port, str]]:
    """Ports and their bits in a vector."""
    for port, lsb in lowest(ports):
        yield port, f"[{lsb + port.width - 1}:{lsb}]"


def escaped(name: str) -> str:
    """A name as SystemVerilog has it."""
    return name if PLAIN.fullmatch(name) else f"\\{name} "


def vector_bits(ports: Iterable[Port]) -> int:
    """The width of a vector of ports."""
    return max(LEAST, sum(port.width for port in ports))


def words(ports: Iterable[Port]) -> int:
    """The words of 32 bits that it has."""
    return -(-vector_bits(ports) // 32)


def packed(fields: Iterable[tuple[int, int]]) -> int:
    """(value, width) of each, the first lowest."""
    total, at = 0, 0
    for value, width in fields:
        total |= value << at
        at += width
    return total


def unpacked(total: int, ports: Iterable[Port]) -> dict[str, int]:
    """The values of ports in a vector."""
    return {port.name: total >> lsb & (1 << port.width) - 1 for port, lsb in lowest(ports)}
