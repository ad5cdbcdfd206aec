# SPDX-License-Identifier: Apache-2.0
"""Simulations in Icarus: a module driven by the inputs that a seed gives, alone or with a checker.

Every register powers up as 0, as in `lockstep --power-up zero`.
"""

import functools
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wlk import tables
from wlk.base import keep
from wlk.gen import stubs, verdict_package
from wlk.gen.hardware_checker import HardwareChecker, Reference, initialised
from wlk.gen.sv import HARNESS_CLOCK, Harness
from wlk.run import player_folder, vectors

# What it says of stubs that it reads rightly: bits of a process' sensitivity, and '0 at a port.
WARNINGS = re.compile(
    r"sorry: constant selects|expects \d+ bits, got 1\.|: Padding \d+ high bits"
    r"|to be synthesized in an always_comb|always_comb process has no sensitivities"
)
SECONDS = 600  # of a simulation
FAILED = "checkers did not pass"  # their $fatal


@dataclass(frozen=True)
class Bench:
    """A block's configuration and the inputs of so many cycles."""

    table: tables.Table
    config: tables.Config
    records: Sequence[Mapping[str, Mapping[str, str]]]
    player: Path = Path()  # the folder of the bench that plays them, if it was written

    def ports(self, direction: str) -> list[tables.Port]:
        return [p for p in self.table.ports(self.config) if p.direction == direction]

    @property
    def clock(self) -> str:
        return self.table.clock or HARNESS_CLOCK

    @property
    def harness(self) -> Harness:
        names = self.table.clocked(p.name for p in self.table.ports(self.config))
        return Harness(self.table, self.config, names, self.table.module)

    def checker(self) -> HardwareChecker:
        return HardwareChecker(self.harness, Reference.of_stub(self.table, self.config))


@functools.cache
def version() -> int:
    """The first number of Icarus' version."""
    first = subprocess.run(["iverilog", "-V"], capture_output=True, text=True, check=False).stdout
    return int(re.search(r"version (\d+)", first)[1])


def settles(block: str, config: Mapping[str, str | int], fault: str = "") -> bool:
    """Does this stub come to rest here? Icarus 11 goes round in circles in some processes that read
    parts of vectors; 12 does not."""
    if version() >= 12:
        return True
    if block == "opndcoll" and fault in ("port_ignores_busy_units", "written_bank_serves_its_unit"):
        return False
    return block != "issue_x" and not (block == "vortex_scoreboard" and config["perf_enable"])


def bench(
    block: str, config: Mapping[str, str | int], folder: Path, cycles: int, seed: int = 1
) -> Bench:
    """The inputs that a seed gives."""
    table = tables.load(block)
    found = table.config(config)
    given = {"seed": seed, "cycles": cycles, "power_up": "zero", "force": True}
    made = vectors.Gen(block, folder / f"seed{seed}.wlv", config=table.show(found), **given)
    header = made.make()
    records = list(vectors.records(header, table, found))
    assert len(records) == cycles
    player = folder / f"player_{keep.digest([table.text(found)])}"
    bench = Bench(table, found, records, player)
    player_folder.write(player, header, bench.harness, {}, force=True)
    return bench


def design(files: Iterable[Path]) -> str:
    """The modules of a stub, powered up with zeros."""
    return "\n".join(initialised(path.read_text(encoding="utf-8")) for path in files)


def stub(made: Bench) -> str:
    return design(stubs.write_stub(made.table, made.config))


def shown(made: Bench, text: str, folder: Path) -> list[list[int]]:
    """The outputs of a module in each cycle."""
    return _rows(made, run(made, text, "", folder))


def _rows(made: Bench, printed: str) -> list[list[int]]:
    rows = [line.removeprefix("> ") for line in printed.splitlines() if line.startswith("> ")]
    return [_split(made, row) for row in rows][: len(made.records)]


def _split(made: Bench, row: str) -> list[int]:
    """The values of the outputs that lie side by side; a bit that is unknown ends in an error."""
    value, found = int(row, 16), []
    for port in reversed(made.ports("out")):
        found.append(value & (1 << port.width) - 1)
        value >>= port.width
    return found[::-1]


@dataclass(frozen=True)
class Verdict:
    """What a checker without C found."""

    port: str  # empty: no error
    cycle: int
    mismatches: int
    compared: int
    printed: str

    @property
    def first(self) -> tuple[int, str] | None:
        """Cycle and port of the first difference."""
        return (self.cycle, self.port) if self.port else None


def first_difference(made: Bench, printed: str) -> tuple[int, str] | None:
    """Where what a simulation shows first differs from what the model answers."""
    for number, row in enumerate(_rows(made, printed)):
        for port, got in zip(made.ports("out"), row, strict=True):
            care, out = (int(made.records[number][side][port.name], 16) for side in ("care", "out"))
            if (got ^ out) & care:
                return number, port.name
    return None


def checked(
    made: Bench,
    text: str,
    folder: Path,
    *words: str,
    start: bool = True,
    checker: str = "",
    more: str = "",
) -> Verdict:
    """A module and its checker; `start`: it compares from the first cycle on; `more` stands in the
    bench."""
    own = made.checker()
    files = own.files(made.clock, {})
    (folder / "instance.svh").write_text(files[f"{own.module}_instance.svh"])
    names = "wlk_error, wlk_error_port, wlk_error_cycle, wlk_mismatches, wlk_compared"
    body = f"""`include "instance.svh"
  defparam u_wlk_hw_checker.PowerUpZero = {int(start)};
  initial begin
    #{10 * len(made.records) + 6} $display("= %0d %0d %0d %0d %0d", {names});
  end
{more}"""
    text += verdict_package.TEXT + (checker or files[f"{own.module}.sv"])
    printed = run(made, text, body, folder, *words)
    assert (FAILED in printed) != (": PASS, " in printed), printed
    (row,) = (line for line in printed.splitlines() if line.startswith("= "))
    error, port, *counts = map(int, row.split()[1:])
    return Verdict(own.compared[port].name if error else "", *counts, printed)


def played(made: Bench, text: str, folder: Path, *words: str) -> tuple[int, str] | None:
    """Where a module first differs by the bench of `vectors export`, which must say how it ends."""
    (bench,), program = made.player.glob("*.sv"), folder / "player.vvp"
    (folder / "design.sv").write_text(text)
    macro = f'-DWLK_DIR="{made.player}"'
    _tool("iverilog", "-g2012", macro, "-s", bench.stem, "-o", program, folder / "design.sv", bench)
    command = ["timeout", str(SECONDS), "vvp", "-n", str(program), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    first = re.search(r"^cycle (\d+): (\w+): expected \w+, got \w+, care \w+$", done.stdout, re.M)
    verdict = "FAIL" if first else "PASS"
    assert re.findall(r"^(PASS|FAIL) ", done.stdout, re.M) == [verdict], done.stdout
    assert done.returncode == (1 if first else 0)
    return (int(first[1]), first[2]) if first else None


def run(made: Bench, text: str, body: str, folder: Path, *words: str) -> str:
    """Simulate a module and a test bench around it; what it prints."""
    inputs, outputs = made.ports("in"), made.ports("out")
    width, cycles = sum(p.width for p in inputs), len(made.records)
    rows = [_pack(inputs, record) for record in made.records]
    (folder / "stimulus.bin").write_text("\n".join(rows) + "\n")
    lines = [f"  reg [{p.width - 1}:0] {p.name};" for p in inputs]
    lines += [f"  wire [{p.width - 1}:0] {p.name};" for p in outputs]
    driven = "{" + ", ".join(p.name for p in inputs) + "}"
    pins = [f".{p.name}({p.name})" for p in (*inputs, *outputs)]
    pins += [f".{made.clock}({made.clock})"] * bool(made.table.clock)
    nl = "\n"
    top = f"""
module tb;
  reg [{width - 1}:0] stimulus[0:{cycles - 1}];
  reg {made.clock} = 0;
  integer cycle = 0;
{nl.join(lines)}
  always #5 {made.clock} = ~{made.clock};
  initial begin
    $readmemb("{folder}/stimulus.bin", stimulus);
    {driven} = stimulus[0];
  end
  always @(posedge {made.clock}) if (cycle < {cycles - 1}) begin
    cycle <= cycle + 1;
    {driven} <= stimulus[cycle + 1];
  end
  initial #{10 * cycles + 7} $finish;
  {made.table.module} dut ({", ".join(pins)});
  always @(posedge {made.clock}) $display("> %h", {{{", ".join(p.name for p in outputs)}}});
{body}
endmodule
"""
    source, program = folder / "all.sv", folder / "all.vvp"
    source.write_text(text + top)
    _tool("iverilog", "-g2012", "-s", "tb", "-I", folder, "-o", program, source)
    return _tool("timeout", SECONDS, "vvp", "-n", program, *words)


def _pack(inputs: Sequence[tables.Port], record: Mapping[str, Mapping[str, str]]) -> str:
    """All inputs as bits; "x" and "z" are all bits of a port."""
    values = [(record["in"][port.name], port.width) for port in inputs]
    return "".join(v * w if v in ("x", "z") else f"{int(v, 16):0{w}b}" for v, w in values)


def _tool(*words: object) -> str:
    """Run a program that must complain of nothing that matters, and succeed, but for a simulation
    in which a checker says that it does not pass."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
    assert done.returncode == int(FAILED in done.stdout), done.stdout + done.stderr
    complaints = [x for x in done.stderr.splitlines() if x and not WARNINGS.search(x)]
    assert complaints == [], complaints[:5]
    return done.stdout
