# SPDX-License-Identifier: Apache-2.0
"""What each back end answers in each situation of docs/quirks.md, "What each back end answers": the
same RTL goes through all of them. `warplock test --full` runs every pair of situation and back end,
other runs a part."""

import functools
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import icarus
import programs
import pytest
import rtl_under_test as rut
from wlk import tables

pytestmark = [pytest.mark.slow, pytest.mark.needs("verilate", "prove", "iverilog", "git")]
BLOCK, CYCLES, PARTS = "collector", 60, 7
TABLE = tables.load(BLOCK)
GIVEN = {"num_lanes": 1, "num_pregs": 4, "coll_entries": 2}
CONFIG = TABLE.config(GIVEN)
WORDS = [word for name, value in GIVEN.items() for word in ("--config", f"{name}={value}")]
SHELL, CORE = f"{TABLE.module}.sv", "duplicated_collector_core.sv"
READ = "io_readReq_bits_regs_2_enable"  # which a rule reads
WRITTEN = "assign writeResp_valid_o = write_valid_q;"
UNKNOWN = "assign writeResp_valid_o = (write_valid_q && readReq_valid_i) ? 1'bx : write_valid_q;"
ASSERTION = "  always @(posedge clock) if (!reset) assert (!io_writeReq_valid);\nendmodule"
# A register without a reset gets a process of its own.
OWN = (
    r"    // No reset reaches.*\n(.*)\n  end",
    r"  end\n  always_ff @(posedge clk_i) begin\n\1\n  end",
)
CLOCKED = r"posedge clk_i(\) begin\s+if \(rst_i\))"


@dataclass(frozen=True)
class Situation:
    """RTL and a stimulus, and the verdict of each back end in turn; "-": it cannot meet it."""

    verdicts: str
    edits: tuple[tuple[str, str], ...] = ()  # patterns in the RTL, what they become
    files: tuple[str, ...] = (CORE,)  # in these
    omit: tuple[str, ...] = ()  # outputs that the RTL lacks
    tied: str = ""  # an input that it lacks
    words: tuple[str, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)  # inputs of a bench in all cycles
    early: Mapping[str, str] = field(default_factory=dict)  # and before the reset
    starts: bool = True  # registers and memories start as 0 in Icarus, else as X


GOOD = "PASS PASS PASS PASS PASS PASS PROVED PASS"
BAD = "F F F F F F REFUTED F"
SITUATIONS = {
    "nothing": Situation(GOOD),
    "fault": Situation(BAD, ((WRITTEN, WRITTEN.replace("= ", "= !")),)),
    "x_before_the_reset": Situation("- - - PASS PASS - - -", early={"io_readReq_valid": "x"}),
    "x_where_care_is_1": Situation(BAD, ((WRITTEN, UNKNOWN),)),
    "memory_without_a_start": Situation("- - - PASS PASS - - -", starts=False),
    "memory_without_a_start_and_fault": Situation(
        "- - - F F - - -", ((WRITTEN, WRITTEN.replace("= ", "= !")),), starts=False
    ),
    "folded_output": Situation(GOOD, omit=("io_writeReq_ready",)),
    "tied_input": Situation(GOOD, tied=READ, words=("--tie", f"{READ}=0"), given={READ: "0"}),
    "assertion": Situation("A A - PASS PASS A PROVED A", (("endmodule", ASSERTION),), (SHELL,)),
    "illegal_input": Situation("- - P PASS P - - -", given={"io_readData_req_valid": "1"}),
    "no_reset": Situation("- - N VACUOUS N - - -", given={"reset": "0"}),
    "asynchronous_reset": Situation(
        "PASS PASS PASS - PASS PASS PROVED F",
        (OWN, (CLOCKED, r"posedge clk_i or posedge rst_i\1")),
        words=("--reset", "reset:high:async"),
    ),
}
SHORT = {
    "F": "FUNCTIONAL_MISMATCH",
    "A": "RTL_ASSERTION",
    "P": "PROTOCOL_VIOLATION",
    "N": "NO_RESET",
}


@functools.cache
def rtl(name: str) -> Path:
    """The folder of a situation's RTL."""
    found, place = SITUATIONS[name], rut.folder(f"situation_{name}")
    for path in rut.stub(f"situation_{len(found.omit)}", GIVEN, omit=found.omit).glob("*.sv"):
        text = path.read_text(encoding="utf-8")
        for pattern, new in found.edits if path.name in found.files else ():
            text = re.sub(pattern, new, text)
        (place / path.name).write_text(text, encoding="utf-8")
    if found.tied:
        rut.redeclare(place / SHELL, found.tied, None)
    return place


# ---- stimulus of the harness --------------------------------------------------------------------


def lockstep(name: str, via: str) -> str:
    words = ("--seeds", "1", "--cycles", "2000", "--via", via, *WORDS, *SITUATIONS[name].words)
    return rut.run_lockstep("--rtl", rtl(name), *words, code=None).json["verdict"]


def play(name: str, folder: Path) -> str:
    file = folder / "seed.wlv"
    programs.warplock("vectors", "gen", BLOCK, file, "--cycles", "500", *WORDS)
    return rut.play(file, "--rtl", rtl(name), *SITUATIONS[name].words, code=None)["verdict"]


def prove(name: str) -> str:
    words = ("--rtl", rtl(name), *WORDS, *SITUATIONS[name].words, "--json")
    done = programs.warplock(
        "prove", BLOCK, *words, "--reports", rut.PLACE.parent / "reports", code=None
    )
    return done.json["verdict"]


def regress(name: str, folder: Path) -> str:
    """The verdict of the only commit."""
    ties = [w for w in SITUATIONS[name].words if "=" in w]
    config = " ".join(f"{k}={v}" for k, v in GIVEN.items())
    texts = {
        "warplock.toml": f"""rtl = ["."]
seeds = "1..1"
cycles = 2000
[[block]]
name = "{BLOCK}"
configs = ["{config}"]
tie = {ties}
"""
    }
    texts |= {path.name: path.read_text() for path in rtl(name).glob("*.sv")}
    for file, text in texts.items():
        (folder / file).write_text(text)
    commit = ("commit", "-q", "--allow-empty", "-m", "RTL")
    for words in (("init", "-q"), commit, ("add", "."), commit):
        names = ("-c", "user.name=A. Designer", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", folder, *names, *words], check=True)
    done = programs.warplock(
        "regress",
        "--repo",
        folder,
        "--store",
        folder / ".store",
        "--json",
        "--range",
        "HEAD~..HEAD",
        code=None,
    )
    return done.objects[0]["verdict"]


# ---- a bench of the user's own ------------------------------------------------------------------


def stimulus(name: str, folder: Path) -> list[str]:
    """A seed's inputs with a reset of its own and what the situation changes, as bits."""
    rows, found = [], SITUATIONS[name]
    for cycle, record in enumerate(icarus.bench(BLOCK, GIVEN, folder, CYCLES).records):
        values = record["in"] | {"reset": str(int(3 <= cycle < 5))} | dict(found.given)
        values |= found.early if cycle < 3 else {}
        rows.append("".join(bits(values[p.name], p.width) for p in driven(name)))
    return rows


def bits(value: str, width: int) -> str:
    return "x" * width if value == "x" else f"{int(value, 16):0{width}b}"


def driven(name: str) -> list[tables.Port]:
    return [p for p in present(name) if p.direction == "in"]


def present(name: str) -> list[tables.Port]:
    return [
        p
        for p in TABLE.ports(CONFIG)
        if p.name not in (*SITUATIONS[name].omit, SITUATIONS[name].tied)
    ]


def bench(name: str, folder: Path) -> list[Path]:
    """The RTL, and a bench that drives it at the edge as RTL does."""
    rows = stimulus(name, folder)
    (folder / "rows.txt").write_text("\n".join(rows) + "\n")
    inputs = "{" + ", ".join(p.name for p in driven(name)) + "}"
    signals = "".join(
        f"  {'reg' if p.direction == 'in' else 'wire'} [{p.width - 1}:0] {p.name};\n"
        for p in present(name)
    )
    pins = ", ".join(f".{each}({each})" for each in (TABLE.clock, *(p.name for p in present(name))))
    (folder / "bench.sv").write_text(f"""module bench;
  reg {TABLE.clock} = 0;
  reg [{len(rows[0]) - 1}:0] rows[0:{CYCLES - 1}];
  integer n = 1;
{signals}  always #5 {TABLE.clock} = !{TABLE.clock};
  initial begin
    $dumpfile("{folder}/run.vcd");
    $dumpvars(0, bench);
    $readmemb("{folder}/rows.txt", rows);
    {inputs} = rows[0];
  end
  always @(posedge {TABLE.clock}) begin
    n <= n + 1;
    {inputs} <= rows[n % {CYCLES}];
    if (n == {CYCLES}) $finish;
  end
  {TABLE.module} dut ({pins});
endmodule
""")
    read = icarus.initialised if SITUATIONS[name].starts else str
    texts = [read(path.read_text()) for path in sorted(rtl(name).glob("*.sv"))]
    (folder / "design.sv").write_text("\n".join(texts))
    return [folder / "design.sv", folder / "bench.sv"]


def bound(name: str, folder: Path, *more: str) -> Path:
    """The folder of a checker."""
    words = ("--rtl", rtl(name), *WORDS, *SITUATIONS[name].words, "--out", folder / "wlk", *more)
    programs.warplock("bind", BLOCK, *words)
    return folder / "wlk"


def bind(name: str, folder: Path) -> str:
    files = ["-f", bound(name, folder) / "warplock.f", *bench(name, folder), "--trace"]
    program = programs.simulation(folder / "sim", "bench", *files)
    done = subprocess.run([program], capture_output=True, text=True)
    return verdict(done.stderr)


def verdict(printed: str) -> str:
    """What a checker prints in a simulation."""
    return re.search(r"(?:dut|checker|beside\S*): ([A-Z_]{4,})", printed)[1]


def in_icarus(folder: Path, *files: object) -> str:
    tops = [word for top in ("bench", "beside") for word in ("-s", top)]
    tops = tops if len(files) > 2 else tops[:2]
    command = ["iverilog", "-g2012", *tops, "-o", folder / "a", *files]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return subprocess.run(["vvp", "-n", folder / "a"], capture_output=True, text=True).stdout


def without_c(name: str, folder: Path) -> str:
    files = sorted(bound(name, folder, "--synthesizable").glob("*.sv*"))
    checker, _, instance, package = files
    (folder / "beside.sv").write_text(f"""`define WLK_IN_DESIGN(NAME) bench.dut.NAME
module beside;
  `include "{instance}"
endmodule
""")
    return verdict(in_icarus(folder, *bench(name, folder), package, checker, folder / "beside.sv"))


def check(name: str, folder: Path) -> str:
    in_icarus(folder, *bench(name, folder))
    found = SITUATIONS[name]
    more = () if found.tied else found.words  # the dump shows the constant
    words = ("--block", BLOCK, "--scope", "bench.dut", *WORDS, *more, "--json")
    return programs.warplock("check", folder / "run.vcd", *words, code=None).json["verdict"]


# ---- the table ----------------------------------------------------------------------------------

RUN = {
    "ports": lambda name, _: lockstep(name, "ports"),
    "dpi": lambda name, _: lockstep(name, "dpi"),
    "bind": bind,
    "icarus": without_c,
    "check": check,
    "play": play,
    "prove": lambda name, _: prove(name),
    "regress": regress,
}
CELLS = [
    (name, end, SHORT.get(word, word))
    for name, situation in SITUATIONS.items()
    for end, word in zip(RUN, situation.verdicts.split(), strict=True)
    if word != "-"
]


@pytest.mark.parametrize(("name", "end", "wanted"), programs.part(CELLS, PARTS))
def test_back_ends_answer_as_the_table_says(name, end, wanted, tmp_path):
    assert RUN[end](name, tmp_path) == wanted
