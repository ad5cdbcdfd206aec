# SPDX-License-Identifier: Apache-2.0
"""Pairs of modules that differ in one construct: `prove` says PROVED of none that a simulation of
both side by side tells apart.

pairs.txt lists the pairs with both answers. The simulation is a test bench of its own, in which all
pairs run on the same random inputs; it shares nothing with the simulation that `prove` itself asks.
"""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import programs
import pytest
from wlk.run import prove

pytestmark = [pytest.mark.slow, pytest.mark.needs("prove")]

PORTS = (
    "input logic clk, rst, en, input logic [7:0] a, b, input logic [3:0] i, output logic [7:0] y"
)
HEAD = re.compile(r"^== (.*): (\w+), (\w+)$")
NAMES = re.compile(r"\b(?:module|interface|package|primitive|program|checker|class)\s+(\w+)")
CYCLES = 10_000


@dataclass(frozen=True)
class Pair:
    """Two modules `m`, a and b, and what is said of them."""

    number: int
    name: str
    answer: str  # of prove: proved, noted, refuted, refused, disputed
    shown: str  # in simulation: equal, apart, start, unread
    lines: tuple[str, ...]

    def side(self, sign: str) -> str:
        """The text of one of the two, "a" or "b"."""
        own, other = ("- ", "+ ") if sign == "a" else ("+ ", "- ")
        lines = [line.removeprefix(own) for line in self.lines if not line.startswith(other)]
        at = lines.index("---") if "---" in lines else -1
        before, body = lines[: max(at, 0)], lines[at + 1 :]
        return "\n".join([*before, f"module m({PORTS});", *body, "endmodule", ""])

    def renamed(self, sign: str) -> str:
        """The same with names that no other pair has."""
        text = self.side(sign)
        for name in set(NAMES.findall(text)):
            text = re.sub(rf"\b{name}\b", f"{name}_{self.number}{sign}", text)
        return f"`resetall\n{text}"


def read() -> list[Pair]:
    """The pairs of the file, in its order."""
    found, lines = [], []
    for line in Path(__file__).with_name("pairs.txt").read_text(encoding="utf-8").splitlines():
        if match := HEAD.match(line):
            lines = []
            found.append((match, lines))
        elif line and not line.startswith("# "):
            lines.append(line)
    return [Pair(n, *m.groups(), tuple(lines)) for n, (m, lines) in enumerate(found)]


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


def bench(pairs: list[Pair]) -> str:
    """A test bench that says of each pair in which cycle it first differs. In the first cycle, of
    reset, nothing is compared, as in a proof."""
    pins = "clk, rst, en, a, b, i"
    wires, checks = [], []
    for n in (pair.number for pair in pairs):
        wires += [f"  wire [7:0] a{n}, b{n}; reg seen{n} = 0;"]
        wires += [f"  m_{n}{x} u{n}{x}({pins}, {x}{n});" for x in "ab"]
        checks.append(f"        if (!seen{n} && |(a{n} ^ b{n}) === 1'b1) begin seen{n} = 1; "
                      f'$display("apart {n} %0d %h %h", cycle, a{n}, b{n}); end')  # fmt: skip
    return BENCH.format(wires="\n".join(wires), checks="\n".join(checks), cycles=CYCLES)


# ---- the simulation -----------------------------------------------------------------------------

VERILATOR = ("verilator", "--timing", "--binary", "--assert", "--top-module", "tb")
VERILATOR += ("-Wno-fatal", "-Wno-lint", "-Wno-style", "--x-assign", "unique")
VERILATOR += ("--x-initial", "unique", "-CFLAGS", "-O0")
GO_ON = "+verilator+error+limit+1000000000"  # no assertion ends the simulation


def written(place: Path, pairs: list[Pair]) -> list[Path]:
    """Both sides of pairs, and the bench that runs them."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    texts = {f"{pair.number}{sign}.sv": pair.renamed(sign) for pair in pairs for sign in "ab"}
    texts["tb.sv"] = "`resetall\n" + bench(pairs)
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")
    return [place / name for name in texts]


def ran(place: Path, *words: object) -> str:
    """What a program prints that must succeed."""
    done = subprocess.run(
        [*map(str, words)], cwd=place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def apart(printed: str) -> dict[int, str]:
    """The pairs that differ -> where they first do."""
    lines = [line for line in printed.splitlines() if line.startswith("apart ")]
    return {int(line.split()[1]): line for line in lines}


def verilator(place: Path, pairs: list[Pair]) -> list[dict[int, str]]:
    """What differs from registers at 0, and at 1."""
    ran(place, *VERILATOR, *written(place, pairs))
    return [apart(ran(place, "obj_dir/Vtb", f"+verilator+rand+reset+{n}", GO_ON)) for n in (0, 1)]


# ---- the tests ----------------------------------------------------------------------------------

# A run has sixteen pairs, and all with `test --full`.
CHOSEN = programs.part(PAIRS, len(PAIRS) // 16)
READ = [pair for pair in CHOSEN if pair.shown != "unread"]
BATCH = 24  # pairs in one program: of many more Verilator 5.006 breaks down


def answer(place: Path, pair: Pair) -> str:
    """What `prove` says of a pair."""
    for sign in "ab":
        (place / sign).mkdir(exist_ok=True)
        (place / sign / "m.sv").write_text(pair.side(sign), encoding="utf-8")
    sides = ("--rtl", place / "a", "--against", place / "b", "--module", "m")
    done = programs.warplock("prove", *sides, "--json", "--reports", place, code=None)
    if any(prove.OTHER_START in note for note in done.json.get("notes", ())):
        return "noted"
    known = {"PROVED": "proved", "REFUTED": "refuted", None: "refused"}  # None: an error
    return known.get(done.json.get("verdict"), "disputed")


@pytest.mark.parametrize("pair", CHOSEN, ids=lambda pair: pair.name)
def test_prove_answers(tmp_path, pair):
    assert answer(tmp_path, pair) == pair.answer


@pytest.mark.parametrize("first", range(0, len(READ), BATCH))
def test_simulation_shows(tmp_path, first):
    pairs = READ[first : first + BATCH]
    zeros, ones = verilator(tmp_path / "bench", pairs)
    shown = {pair.name: "start" if pair.number in ones else "equal" for pair in pairs}
    shown |= {pair.name: "apart" for pair in pairs if pair.number in zeros}
    assert shown == {pair.name: pair.shown for pair in pairs}, zeros | ones


def test_nothing_that_simulation_tells_apart_is_proved():
    wrong = (("proved", "apart"), ("proved", "start"), ("noted", "apart"))
    assert [pair.name for pair in PAIRS if (pair.answer, pair.shown) in wrong] == []
