# SPDX-License-Identifier: Apache-2.0
"""The bench that `vectors export --readmemh` writes, as a user runs it: by its Makefile in Icarus,
and in Verilator. That it finds what the other checkers find is seen with them, in
tests/mutant/test_hardware_checker.py."""

import os
import re
import subprocess

import programs
import pytest
from wlk import tables
from wlk.gen import stubs
from wlk.run import verilate

pytestmark = [pytest.mark.slow, pytest.mark.needs("iverilog", "rtl")]
TABLE = tables.load("scoreboard")
CONFIG = TABLE.config(TABLE.configs["tiny"])
CYCLES = 120
PORT = "io_updateColl_success"


def export(out, *words, power_up="unknown"):
    """Vectors of the small scoreboard, as a bench in a folder."""
    file = out.with_suffix(".wlv")
    options = programs.config_options(TABLE.show(CONFIG))
    words_of_gen = ("--cycles", CYCLES, "--power-up", power_up, "--force", *options)
    programs.warplock("vectors", "gen", "scoreboard", file, *words_of_gen)
    programs.warplock("vectors", "export", file, "--readmemh", out, "--force", *words)
    return out


def stub():
    """The text of a stub whose registers power up as X."""
    files = stubs.write_stub(TABLE, CONFIG)
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def play(bench, *words, env=None):
    """Exit code and what the simulation prints."""
    command = ["make", "-s", "-f", str(bench / "Makefile"), *words]
    done = subprocess.run(command, cwd=bench.parent, capture_output=True, text=True, env=env)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def design(tmp_path):
    path = tmp_path / "design.sv"
    path.write_text(stub())
    return path


def change(bench, name, cycle, bit):
    """Turn a bit of a memory's word."""
    path = bench / f"{name}.hex"
    rows = path.read_text().splitlines()
    rows[cycle] = f"{int(rows[cycle], 16) ^ 1 << bit:0{len(rows[cycle])}x}"
    path.write_text("\n".join(rows) + "\n")


def place(name):
    """The lowest bit of an output in the memories."""
    outputs = [p for p in TABLE.ports(CONFIG) if p.direction == "out"]
    names = [p.name for p in outputs]
    return sum(p.width for p in outputs[names.index(name) + 1 :])


def memory(bench, name, cycle):
    return int((bench / f"{name}.hex").read_text().splitlines()[cycle], 16) >> place(PORT) & 1


# In Icarus.


def test_bench_passes_and_says_how_much_it_compared(tmp_path, design):
    code, printed, _ = play(export(tmp_path / "bench"), f"RTL={design}")
    assert (code, printed) == (0, f"PASS {CYCLES} cycles, {CYCLES - 1} compared\n")


def test_bench_names_cycle_port_and_values(tmp_path, design):
    bench = export(tmp_path / "bench")
    cycle = next(n for n in range(50, CYCLES) if memory(bench, "care", n))
    expected = memory(bench, "expect", cycle)
    change(bench, "expect", cycle, place(PORT))
    change(bench, "expect", CYCLES - 1, place(PORT))
    code, printed, _ = play(bench, f"RTL={design}", "SHOWN=1", env=os.environ | {"LINES": "99"})
    lines = printed.splitlines()
    assert code != 0
    text = f"cycle {cycle}: {PORT}: expected {1 - expected}, got {expected}, care 1"
    assert lines[:3] == [
        text,
        "1 more differences at ports",
        f"FAIL 2 of {CYCLES - 1} cycles differ",
    ]


def test_bench_lets_be_what_does_not_count(tmp_path, design):
    bench = export(tmp_path / "bench")
    cycle = next(n for n in range(2, CYCLES) if memory(bench, "care", n))
    change(bench, "care", cycle, place(PORT))
    change(bench, "expect", cycle, place(PORT))
    assert play(bench, f"RTL={design}")[0] == 0


def test_bench_finds_x_where_it_counts(tmp_path, design):
    good = f"assign {PORT.removeprefix('io_')}_o = "
    assert design.read_text().count(good) == 1
    design.write_text(design.read_text().replace(good, good + "1'bx & "))
    code, printed, _ = play(export(tmp_path / "bench"), f"RTL={design}")
    assert code != 0
    assert re.match(rf"cycle \d+: {PORT}: expected 1, got x, care 1\n", printed), printed


@pytest.mark.parametrize("name", ["in", "expect", "care"])
@pytest.mark.parametrize("damage", ["missing", "cut", "other"])
def test_bench_refuses_memories_that_are_not_its_own(tmp_path, design, name, damage):
    bench = export(tmp_path / "bench")
    path = bench / f"{name}.hex"
    text = path.read_text()
    path.unlink()
    if damage == "cut":
        path.write_text(text[: len(text) // 2])
    elif damage == "other":
        other = export(tmp_path / "other", power_up="zero")
        path.write_text((other / path.name).read_text())
    code, printed, _ = play(bench, f"RTL={design}")
    assert code != 0
    assert f"FAIL {name}.hex is missing, cut or of another export" in printed
    assert "PASS" not in printed


def test_bench_that_compares_nothing_fails(tmp_path, design):
    """No cycle is in reset."""
    bench = export(tmp_path / "bench")
    (source,) = bench.glob("*.sv")
    text = source.read_text()
    assert text.count("live = 1'b1;") == 1
    source.write_text(text.replace("live = 1'b1;", "live = 1'b0;"))
    code, printed, _ = play(bench, f"RTL={design}")
    assert code != 0
    assert printed.startswith(f"FAIL nothing was compared in {CYCLES} cycles\n")


def test_bench_fails_when_the_design_ends_the_simulation(tmp_path, design):
    """With the exit code of a good one."""
    head, end, tail = design.read_text().rpartition("endmodule")
    design.write_text(f"{head}  initial #50 $finish;\n{end}{tail}")
    code, printed, _ = play(export(tmp_path / "bench"), f"RTL={design}")
    assert code != 0
    assert "PASS" not in printed


def test_bench_of_zeros_begins_with_the_first_cycle(tmp_path, design):
    """Where the design powers up as X."""
    code, printed, _ = play(export(tmp_path / "bench", power_up="zero"), f"RTL={design}")
    assert code != 0
    assert printed.startswith("cycle 0: ")
    assert "got x" in printed


def test_bench_plays_a_module_of_other_names(tmp_path, design):
    """Another clock, a low reset, a word before each name, an output less."""
    ports = [p for p in TABLE.ports(CONFIG) if p.name not in (PORT, "reset")]
    heads = [f"{p.direction}put [{p.width - 1}:0] q_{p.name}" for p in ports]
    pins = [f".{p.name}(q_{p.name})" for p in ports]
    with design.open("a") as file:
        file.write(f"""module mine(input clk, input rst_n, {", ".join(heads)});
  {TABLE.module} u (.clock(clk), .reset(~rst_n), {", ".join(pins)});
endmodule
""")
    words = ("--rtl", design, "--module", "mine", "--clock", "clk", "--reset", "rst_n:low")
    bench = export(tmp_path / "bench", *words, "--prefix", "q_")
    code, printed, _ = play(bench, f"RTL={design}")
    assert (code, printed) == (0, f"PASS {CYCLES} cycles, {CYCLES - 1} compared\n")


def test_bench_compares_no_payload_that_means_nothing(tmp_path):
    """As no checker does, whatever a recording has there: of a FIFO the word beside a valid that is
    0. Its reset is asynchronous, and the recording's is not."""
    place = programs.ROOT / "docs/examples/fifo"
    file, csv = tmp_path / "f.wlv", tmp_path / "f.csv"
    common = ("--blocks", place)
    programs.warplock("vectors", "gen", "fifo", file, "--cycles", CYCLES, *common)
    programs.warplock("vectors", "export", file, "--csv", csv, *common)
    names, kinds, *rows = (line.split(",") for line in csv.read_text().splitlines())
    valid, data = (names.index(name) for name in ("pop_valid_o", "pop_data_o"))
    idle = [row for row in rows if row[valid].startswith("0")]
    assert len(idle) > 20
    for row in idle:
        row[data] = f"{ord(row[data][0]) & 1 ^ 1}"
    csv.write_text("".join(",".join(row) + "\n" for row in (names, kinds, *rows)))
    words = ("--block", "fifo", "--force", *common)
    programs.warplock("vectors", "import", "--csv", csv, file, *words)
    words = ("--readmemh", tmp_path / "bench", "--rtl", place / "rtl", *common)
    notes = programs.warplock("vectors", "export", file, *words).out
    assert "cycles in reset are not compared" in notes
    code, printed, _ = play(tmp_path / "bench", f"RTL={place}/rtl/fifo.sv")
    assert (code, printed[:5]) == (0, "PASS "), printed


# In Verilator.


@pytest.mark.needs("newest")
@pytest.mark.parametrize("which", programs.part(["system", "newest"], 2))
def test_bench_passes_and_fails_in_verilator(tmp_path, design, which):
    """One build: the memories are read when it runs."""
    tool = verilate.find_tool(which)
    bench = export(tmp_path / "bench")
    (source,) = bench.glob("*.sv")
    macro = f'-DWLK_DIR="{bench}"'
    program = programs.simulation(tmp_path / "obj", source.stem, macro, source, design, tool=tool)
    good = subprocess.run([program], capture_output=True, text=True)
    assert good.stdout.startswith(f"PASS {CYCLES} cycles, {CYCLES - 1} compared\n")
    assert good.returncode == 0
    cycle = next(n for n in range(50, CYCLES) if memory(bench, "care", n))
    change(bench, "expect", cycle, place(PORT))
    bad = subprocess.run([program], capture_output=True, text=True)
    assert re.match(rf"cycle {cycle}: {PORT}: .*\nFAIL 1 of ", bad.stdout), bad.stdout
    assert bad.returncode != 0
    (bench / "care.hex").write_text("0\n")
    cut = subprocess.run([program], capture_output=True, text=True)
    assert cut.returncode != 0
    assert "PASS" not in cut.stdout
