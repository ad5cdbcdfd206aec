# SPDX-License-Identifier: Apache-2.0
"""Pairs of modules that differ in one construct: `prove` says PROVED of none that a simulation of
both side by side tells apart.

pairs.txt lists the pairs with both answers. The simulation is a test bench of its own, in which all
pairs run on the same random inputs; it shares nothing with the simulation that `prove` itself asks.
"""

import functools
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import programs
import pytest
import rtl_under_test as rut
from wlk.base.errors import Status, WlkError

pytestmark = [pytest.mark.slow, pytest.mark.needs("prove")]

PORTS = "input logic clk, rst, en, input logic [7:0] a, b, input logic [3:0] i, output logic [7:0] y"
HEAD = re.compile(r"^== (.*?)(?:: (\w+), (\w+))?$")
NAMES = re.compile(r"\b(?:module|interface|package|primitive|program|checker|class)\s+(\w+)")
CYCLES = 10_000
ANSWERS = {"BAD_RTL": "refused", "IFACE_CHANGED": "refused", "SIMULATOR": "disputed"}


@dataclass(frozen=True)
class Pair:
    """Two modules `m`, and what is said of them."""

    number: int
    name: str
    answer: str  # of prove: proved, refuted, refused, disputed
    shown: str  # in simulation: equal, apart, unread
    lines: tuple[str, ...]

    def side(self, sign: str) -> str:
        """The text of one of the two, "-" or "+"."""
        lines = [x[2:] if x[:2] == f"{sign} " else x for x in self.lines if x[:2] not in OTHER[sign]]
        at = lines.index("---") if "---" in lines else -1
        before, body = lines[: max(at, 0)], lines[at + 1 :]
        return "\n".join([*before, f"module m({PORTS});", *body, "endmodule", ""])

    def renamed(self, sign: str) -> str:
        """The same with names that no other pair has."""
        text = self.side(sign)
        for name in set(NAMES.findall(text)):
            text = re.sub(rf"\b{name}\b", f"{name}_{self.number}{'ab'[sign == '+']}", text)
        return f"`resetall\n{text}"


OTHER = {"-": ("+ ",), "+": ("- ",)}


def read() -> list[Pair]:
    found, lines = [], []
    for line in Path(__file__).with_name("pairs.txt").read_text(encoding="utf-8").splitlines():
        if match := HEAD.match(line):
            lines = []
            found.append((match, lines))
        elif line and not line.startswith("# "):
            lines.append(line)
    return [
        Pair(n, m[1], m[2] or "", m[3] or "", tuple(lines)) for n, (m, lines) in enumerate(found)
    ]


PAIRS = read()

BENCH = """\
module tb;
  reg clk = 0, rst = 1, en = 0;
  reg [7:0] a = 0, b = 0;
  reg [3:0] i = 0;
  reg [63:0] dice = 64'd1;
  integer cycle;
{wires}
  initial begin
    for (cycle = 0; cycle < {cycles}; cycle = cycle + 1) begin
      #5;
      if (cycle > 0) begin
{checks}
      end
      clk = 1;
      #5;
      clk = 0;
      dice = dice * 64'd6364136223846793005 + 64'd1442695040888963407;
      {{a, b}} = dice[63:48];
      if (dice[31:30] == 0) b = a;
      if (dice[29:28] == 0) b = {{6'b0, dice[33:32]}};
      if (dice[27:26] == 0) a = {{6'b0, dice[35:34]}};
      i = dice[47:44];
      en = dice[43];
      rst = cycle < 2 || dice[42:37] == 0;
    end
    $finish;
  end
endmodule
"""


def bench(pairs) -> str:
    pins = "clk, rst, en, a, b, i"
    wires, checks = [], []
    for n in (pair.number for pair in pairs):
        wires += [f"  wire [7:0] a{n}, b{n}; reg seen{n} = 0;"]
        wires += [f"  m_{n}{x} u{n}{x}({pins}, {x}{n});" for x in "ab"]
        checks.append(f"        if (!seen{n} && |(a{n} ^ b{n}) === 1'b1) begin seen{n} = 1; "
                      f'$display("apart {n} %0d %h %h", cycle, a{n}, b{n}); end')  # fmt: skip
    return BENCH.format(wires="\n".join(wires), checks="\n".join(checks), cycles=CYCLES)


# ---- the judges ---------------------------------------------------------------------------------

VERILATOR = ("verilator", "--timing", "--assert", "-Wno-fatal", "-Wno-lint", "-Wno-style")
VERILATOR += ("--x-assign", "unique", "--x-initial", "unique", "-CFLAGS", "-O0")
ICARUS = ("iverilog", "-g2012")


def succeeds(*words: object) -> bool:
    return subprocess.run([*map(str, words)], capture_output=True, check=False).returncode == 0


def shown(place: Path, pairs: list[Pair], check, build, runs) -> list[dict[int, str]]:
    """What a simulator says of those pairs that it takes: what a run prints where they differ."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)

    def taken(pair: Pair) -> list[Path]:
        paths = [place / f"{pair.number}{x}.sv" for x in "ab"]
        for path, sign in zip(paths, "-+", strict=True):
            path.write_text(pair.renamed(sign), encoding="utf-8")
        return paths if all(succeeds(*check, path) for path in paths) else []

    with ThreadPoolExecutor(2) as pool:
        files = dict(zip(pairs, pool.map(taken, pairs), strict=True))
    known = [pair for pair in pairs if files[pair]]
    (place / "tb.sv").write_text("`resetall\n" + bench(known), encoding="utf-8")
    done = subprocess.run(
        [*build, *(path for pair in known for path in files[pair]), "tb.sv"],
        cwd=place, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = []
    for words in runs:
        printed = subprocess.run(words, cwd=place, capture_output=True, text=True, check=True)
        said = dict.fromkeys((pair.number for pair in known), "")
        for line in printed.stdout.splitlines():
            if line.startswith("apart "):
                said[int(line.split()[1])] = line
        found.append(said)
    return found


def verilator(place: Path, pairs: list[Pair]) -> list[dict[int, str]]:
    """From registers at 0, and at 1."""
    more = "+verilator+error+limit+1000000000"  # assertions end no simulation
    runs = [["obj_dir/Vtb", f"+verilator+rand+reset+{n}", more] for n in (0, 1)]
    build = [*VERILATOR, "--binary", "--top-module", "tb"]
    return shown(place, pairs, [*VERILATOR, "--lint-only"], build, runs)


def icarus(place: Path, pairs: list[Pair]) -> dict[int, str]:
    build = [*ICARUS, "-s", "tb", "-o", "tb.vvp"]
    return shown(place, pairs, [*ICARUS, "-tnull"], build, [["vvp", "-n", "tb.vvp"]])[0]
