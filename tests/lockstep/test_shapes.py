# SPDX-License-Identifier: Apache-2.0
"""Every compared bit is compared and every input bit reaches the model, in every shape of ports.

The block of shapes/ has one port of each kind. The modules beside it have the same ports in other
shapes, each around `shapes_core`, in which the plusarg `wlk_flip=N` inverts one bit: of an input on
its way in, or of an output on its way out. Each fault must be reported, that of an output at its
bit, and the module without a fault must pass. `warplock test --full` takes every bit; else a part.
"""

import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import programs
import pytest
import rtl_under_test as rut
from wlk import tables
from wlk.base.seeds import Seeds
from wlk.gen import shell
from wlk.run import harness, jobs, lockstep, own_blocks, verilate
from wlk.tables import files

HERE = Path(__file__).parent / "shapes"
PARTS = 23  # of the bits, in a run that is not full
FLIP = "wlk_flip"
MAPPED = ("packed", "typed", "unpacked", "simple")
SHAPES = ("plain", "vectors", *MAPPED)
SIMPLE = ("plain", "packed", "simple")  # what Icarus can read
TOOLS = ("system", "newest")
# Ports of the plain module that are no simple vectors: the checker is bound by name all the same.
KINDS = {"b": "logic [3:0][1:0]", "w": "logic [0:1][31:0]", "i": "int", "t": "logic signed [2:0]"}

pytestmark = [pytest.mark.slow, pytest.mark.needs("verilate", "rtl")]


@pytest.fixture(scope="module", autouse=True)
def block():
    """The table of the block, which is one of the user's own."""
    with pytest.MonkeyPatch.context() as patch:  # no other test is to see the block
        patch.setattr(files, "_own", {})
        patch.setenv(files.FOLDERS, "")
        tables.use([HERE])
        patch.setenv(own_blocks.LIBRARIES, str(own_blocks.library("shapes")))
        yield tables.load("shapes")


@dataclass(frozen=True)
class Flip:
    """A bit that the core inverts; number 0 is none."""

    number: int
    port: str
    bit: int
    direction: str


def flips(table: tables.Table) -> list[Flip]:
    """Every bit of every port."""
    ports = table.ports(table.defaults())
    bits = [(p.name, bit, p.direction) for p in ports for bit in range(p.width)]
    return [Flip(number, *bit) for number, bit in enumerate(bits, 1)]


def core(table: tables.Table) -> str:
    """The block's module with a fault in it."""
    ports, bits, rows = table.ports(table.defaults()), 1, []
    pins = [".clk(clk)"]
    for port in ports:
        flip, inner = f"flip[{bits}+:{port.width}]", f"{port.name}_inner"
        rows.append(f"  wire [{port.width - 1}:0] {inner};")
        to, of = (inner, port.name) if port.direction == "in" else (port.name, inner)
        rows.append(f"  assign {to} = {of} ^ {flip};")
        pins.append(f".{port.name}({inner})")
        bits += port.width
    return f"""module shapes_core (
{shell.listed(shell.declarations("clk", ports), 2)}
);
  reg [{bits - 1}:0] flip = 0;
  int number = 0;
  initial if ($value$plusargs("{FLIP}=%d", number)) flip[number] = 1;
{chr(10).join(rows)}
  shapes u_shapes ({", ".join(pins)});
endmodule
"""


def plain(table: tables.Table) -> str:
    """A module with the names and widths of the table's ports, and its bench."""
    ports = table.ports(table.defaults())
    kinds = {p.name: KINDS.get(p.name, f"logic [{p.width - 1}:0]") for p in ports}
    heads = [f"{p.direction}put {kinds[p.name]} {p.name}" for p in ports]
    signals = [f"{kind} {name};" for name, kind in kinds.items() if name != "rst"]
    drive = [f"{p.name} <= any(0);" for p in ports if p.direction == "in" and p.name != "rst"]
    pins = ", ".join(f".{name}({name})" for name in ("clk", *kinds))
    rows = lambda lines: "".join(f"  {line}\n" for line in lines)  # noqa: E731
    return f"""module shape_plain (
{shell.listed(["input logic clk", *heads], 2)}
);
  shapes_core core ({pins});
endmodule
module bench;
  `include "bench.svh"
{rows(signals)}  shape_plain dut ({pins});
  always @(negedge clk) begin
{rows(drive)}  end
endmodule
"""


def sources(table: tables.Table, shape: str) -> list[Path]:
    """The files of a module of that shape, which begin with its own."""
    place = rut.PLACE / f"shape_{shape}"
    place.mkdir(parents=True, exist_ok=True)
    own = HERE / f"{shape}.sv"
    if shape == "plain":
        own = place / "plain.sv"
        own.write_text(plain(table))
    (place / "core.sv").write_text(core(table))
    return [own, place / "core.sv", HERE / "rtl" / "shapes.sv"]


def words(table: tables.Table, shape: str) -> list[object]:
    """What names a module to `lockstep` and `bind`."""
    told = ["--map", HERE / f"{shape}.toml"] if shape in MAPPED else []
    more = ["--module", f"shape_{shape}", "--include", HERE, *told]
    return ["shapes", "--blocks", HERE, "--rtl", *sources(table, shape), *more]


@dataclass(frozen=True)
class Seen:
    """What a run reports: whether it passes, and the ports that differ first, with their bits."""

    passes: bool
    wrong: Mapping[str, int]

    def shows(self, flip: Flip) -> bool:
        """Is the inverted bit reported? What an input does at an output is the block's business."""
        if self.passes or not self.wrong:
            return False
        return flip.direction == "in" or self.wrong == {flip.port: 1 << flip.bit}


def require_all(table: tables.Table, run: Callable[[int], Seen]) -> None:
    """The module passes without a fault, and each fault is reported."""
    good = run(0)
    assert good.passes, good
    lost = [flip for flip in programs.part(flips(table), PARTS) if not run(flip.number).shows(flip)]
    assert lost == []


# ---- in a simulation of the user's own ----------------------------------------------------------


def bound(table: tables.Table, shape: str, which: str) -> Path:
    """The simulation of a bench with the checker in it."""
    out = rut.folder(f"shape_{shape}_wlk")
    programs.warplock("bind", *words(table, shape), "--out", out)
    place, tool = rut.folder(f"shape_{shape}_{which}"), verilate.find_tool(which)
    files = ["-f", out / "warplock.f", *sources(table, shape), f"+incdir+{HERE}"]
    return programs.simulation(place, "bench", *files, tool=tool)


def reported(printed: str) -> Seen:
    """What a bound checker prints: the rows of its report are port, RTL, model and care."""
    rows = re.findall(r"^  (\w+) +(\w+) +(\w+) +0x\w+$", printed, re.M)
    wrong = {port: int(rtl, 0) ^ int(model, 0) for port, rtl, model in rows}
    return Seen(": PASS, 61 cycles" in printed, wrong)


@pytest.mark.needs("newest")
@pytest.mark.parametrize("which", TOOLS)
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_bound(block, shape, which):
    program = bound(block, shape, which)

    def run(number: int) -> Seen:
        command = [program, f"+{FLIP}={number}"]
        return reported(subprocess.run(command, capture_output=True, text=True).stderr)

    require_all(block, run)


# ---- without C -----------------------------------------------------------------------------------


BESIDE = """`define WLK_IN_DESIGN(NAME) bench.dut.NAME
module beside;
  `include "INSTANCE"
endmodule
"""


def without_c(table: tables.Table, shape: str) -> list[Path]:
    """The files of the checker without C."""
    out = rut.folder(f"shape_{shape}_hw")
    programs.warplock("bind", *words(table, shape), "--synthesizable", "--out", out)
    return sorted(out.glob("*.sv*"))


def found_without_c(printed: str) -> Seen:
    """What a checker without C prints: the first port that differs."""
    form = r"FUNCTIONAL_MISMATCH in cycle \d+ at (\w+): RTL (\w+), expected (\w+)$"
    rows = re.findall(form, printed, re.M)
    bits = [[int(text, 16) if "x" not in text else 0 for text in row[1:]] for row in rows]
    wrong = {row[0]: rtl ^ expected for row, (rtl, expected) in zip(rows, bits, strict=True)}
    # At the first edge the inputs are X, so the edge does not count as one in reset.
    return Seen(": PASS, 59 cycles" in printed, wrong)


@pytest.mark.needs("iverilog")
@pytest.mark.parametrize("shape", SIMPLE)
def test_shapes_in_icarus(block, shape):
    checker, _, instance, package = without_c(block, shape)
    place = rut.folder(f"shape_{shape}_icarus")
    (place / "beside.sv").write_text(BESIDE.replace("INSTANCE", str(instance)))
    files = [*sources(block, shape), package, checker, place / "beside.sv"]
    command = ["iverilog", "-g2012", "-I", HERE, "-s", "bench", "-s", "beside", "-o", place / "a"]
    done = subprocess.run([*command, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    def run(number: int) -> Seen:
        command = ["vvp", "-n", place / "a", f"+{FLIP}={number}"]
        return found_without_c(subprocess.run(command, capture_output=True, text=True).stdout)

    require_all(block, run)


# ---- in lockstep ------------------------------------------------------------------------------


@pytest.mark.needs("newest")
@pytest.mark.parametrize("which", TOOLS)
@pytest.mark.parametrize("via", ["ports", "dpi"])
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_in_lockstep(block, shape, via, which):
    told = HERE / f"{shape}.toml" if shape in MAPPED else None
    asked = jobs.Run(
        blocks=["shapes"],
        rtl=sources(block, shape),
        module=f"shape_{shape}",
        include=[HERE],
        map=told,
        seeds=Seeds.one(1),
        cycles=100,
        via=via,
        verilator=which,
    )
    (job,) = jobs.plan(asked)
    program = lockstep.builder(job)()

    def run(number: int) -> Seen:
        answer = harness.run(job, program, [*harness.words(job), f"+{FLIP}={number}"])
        rows = answer.get("failure", {}).get("differences", [])
        wrong = {row["port"]: int(row["got"], 0) ^ int(row["expected"], 0) for row in rows}
        return Seen(answer["verdict"] == "PASS", wrong)

    require_all(block, run)
