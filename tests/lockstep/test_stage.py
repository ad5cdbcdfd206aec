# SPDX-License-Identifier: Apache-2.0
"""The composed stage `issue`: programs, the pipeline picture, what hangs, and checkers inside."""

import programs
import pytest
import rtl_under_test as rut
from rtl_under_test import FAILS
from wlk import tables
from wlk.base.errors import Status
from wlk.gen import kernels
from wlk.run import kanata

ISSUE = tables.load("issue")
FIVE = ["issue", "hazard", "scoreboard", "reservation_station", "collector"]
SMALL = ISSUE.configs["rows2"]
NAMED = ("--config", "rows2")
SHOWN = ISSUE.show(ISSUE.config(SMALL))
PINNED = programs.config_options(SHOWN)
SHORT = ("--seeds", "1", "--cycles", "2000")
HEAD = "warplock-program 1\nwarps 1\nregisters 32\n"
GOOD = """\
0 0x80000000 x1 - - - * 1 alu
0 0x80000004 x2 x1 - - * 9 lsu
0 0x80000008 x3 x2 x1 - 0x1 4 fpu
0 0x8000000c - x3 x0 - * 1 lsu
"""
FOLDED = "io_ibuf_0_ready"
MODULES = [tables.load(name).module for name in FIVE[1:]]


def run(*words, code=0):
    """`lockstep issue --json`."""
    return rut.run_lockstep(*words, block="issue", code=code)


def run_rtl(name, *words, config=SMALL, change=None, edit=None, code=0):
    """A run of a stub of the stage, changed."""
    place = rut.stub(name, config, edit=edit, block="issue")
    if change:
        change(place)
    return run("--rtl", place, *(words or (*SHORT, *PINNED)), code=code)


def program(folder, lines):
    """A file with these instructions."""
    path = folder / "test.prog"
    path.write_text(HEAD + lines)
    return path


# ---- programs ---------------------------------------------------------------------------------


def test_program_runs_once_to_its_end(tmp_path):
    done = run(*NAMED, "--program", program(tmp_path, GOOD))
    answer = done.json
    hits = {name: point["hits"] for name, point in answer["coverage"].items()}
    seeds = len(range(answer["seeds"][0], answer["seeds"][1] + 1))
    assert hits["admit"] == hits["issue"] == 4 * seeds
    assert answer["cycles"] < 60 * seeds
    assert answer["floors"] == 0  # a program shows what it shows


@pytest.mark.slow
@pytest.mark.parametrize("in_order", [0, 1])
@pytest.mark.parametrize("kernel", sorted(kernels.KERNELS))
def test_kernel_runs(kernel, in_order):
    path = rut.ROOT / "vectors" / "kernels" / f"{kernel}.prog"
    words = ("--config", "default", "--config", f"in_order_per_warp={in_order}", "--seeds", "1")
    done = run(*words, "--program", path)
    lines = [x for x in path.read_text().splitlines() if x[:1].isdigit()]
    assert done.json["coverage"]["issue"]["hits"] == len(lines) > 500
    assert done.json["config"]["in_order_per_warp"] == in_order


@pytest.mark.parametrize(
    ("line", "status", "part"),
    [
        ("0 0x0 x32 - - - * 1 alu", Status.CORRUPT, "column rd: there is no register 32"),
        ("0 0x0 x1 y2 - - * 1 alu", Status.CORRUPT, "column rs1: 'y2' is not a register"),
        ("1 0x0 x1 - - - * 1 alu", Status.CORRUPT, "column warp: there is no warp 1"),
        ("0 0x0 x1 - - - * -3 alu", Status.CORRUPT, "column latency: '-3' is not a number of"),
        ("0 0x0 x1 - - - 0x4 1 alu", Status.BAD_PARAMS, "column mask: "),
        ("0 0x0 x1 - - - * 1 gpu", Status.CORRUPT, "column unit: 'gpu'"),
        ("0 0x0 x1 - - * 1 alu", Status.CORRUPT, "column"),
    ],
)
def test_bad_program_is_refused_by_line(tmp_path, line, status, part):
    path = program(tmp_path, GOOD + line + "\n")
    done = run(*NAMED, "--program", path, code=status)
    assert f"{path}:8: " in done.line
    assert part in done.line
    assert done.json["error"]["code"] == status


def test_program_that_is_not_there():
    done = run(*NAMED, "--program", "/nowhere/test.prog", code=Status.NO_FILE)
    assert "/nowhere/test.prog" in done.line


@pytest.mark.parametrize("option", ["--program", "--pipeline"])
def test_only_the_stage_runs_programs(option, tmp_path):
    path = tmp_path / "file"
    if option == "--program":
        path.write_text(HEAD + GOOD)
    done = rut.run_lockstep(
        "--config", "tiny", *SHORT, option, path, block="collector", code=Status.USAGE
    )
    assert "collector" in done.line
    assert any(part in done.line for part in ("issue has", "issue does", "issue and issue_x do"))
    both = rut.warplock("lockstep", "issue", "hazard", option, path, code=Status.USAGE)
    assert f"{option} goes with one block" in both.line


# ---- what hangs -------------------------------------------------------------------------------

NEVER = {
    "no_operand": ("- - - -", "names no register"),
    "repeated": ("x4 x5 x5 -", "names x5 in 2 sources and max_pending_reads is 1"),
}


@pytest.mark.parametrize(("operands", "why"), NEVER.values(), ids=NEVER)
def test_hang_names_the_instruction(operands, why, tmp_path):
    path = program(tmp_path, GOOD + f"0 0x80000010 {operands} * 1 alu\n" + GOOD)
    done = run(*NAMED, "--program", path, "--reports", tmp_path, code=Status.HANG)
    assert done.json["verdict"] == "HANG"
    first, *rest = done.json["stuck"].splitlines()
    assert first.startswith(f"warp 0's head pc=0x80000010 (line 8) {why}, so the scoreboard never")
    wait = "ibuf waits since cycle 11: io_ibuf_0_valid is 1, io_ibuf_0_ready is 0"
    assert rest == ["warp 0 has yet to offer 4 of 9 instructions", wait]
    (report,) = tmp_path.rglob("report.txt")
    assert first in report.read_text()
    assert first in done.err
    assert f"--program {path}" in done.err  # the command that repeats it
    assert not list(tmp_path.rglob("*.wlv"))  # nothing to shrink


# ---- the pipeline picture ---------------------------------------------------------------------


def test_pipeline_of_a_program(tmp_path):
    log = tmp_path / "run.kanata"
    done = run(*NAMED, "--program", program(tmp_path, GOOD), "--pipeline", log)
    assert done.json["pipeline"] == str(log)
    assert f"  pipeline, for Konata: {log}\n" in done.err
    hit = sum(each["hits"] > 0 for each in done.json["coverage"].values())
    points = f"{hit} of {len(done.json['coverage'])} points; no floor is asked for"
    assert f"coverage of the program: {points}\n" in done.err
    picture = kanata.read(log)
    kanata.check(picture)
    assert len(picture.instructions) == 4
    assert not any(op.is_flushed for op in picture.instructions)
    labels = [op.label for op in picture.instructions]
    assert labels[2] == "w0 80000008: x3 <- x2 x1"
    # Nobody waits for the first one; its dependant does, for its write-back.
    stalls = [{stage.name for stage in op.lane(kanata.STALLS)} for op in picture.instructions]
    assert "RAW" in stalls[2]
    assert "RAW" not in stalls[0]


def test_pipeline_of_random_work_and_of_the_first_seed_only(tmp_path):
    logs = [tmp_path / "one.kanata", tmp_path / "three.kanata"]
    for log, seeds in zip(logs, ("1..1", "1..3"), strict=True):
        words = ("--seeds", seeds, "--cycles", "2000", "--pipeline", log)
        run(*NAMED, *words)
    picture = kanata.read(logs[0])
    kanata.check(picture)
    assert len(picture.instructions) > 300
    assert logs[0].read_text() == logs[1].read_text()


def test_pipeline_that_cannot_be_written(tmp_path):
    done = run(*NAMED, *SHORT, "--pipeline", tmp_path / "no" / "run.kanata", code=Status.NO_FILE)
    assert "run.kanata" in done.line


# ---- checkers of the blocks inside ------------------------------------------------------------


def test_five_checkers_are_bound_and_pass():
    every, stage = (run(*NAMED, *SHORT, "--bind", bind) for bind in ("all", "stage"))
    assert every.json["checkers"] == FIVE
    assert stage.json["checkers"] == FIVE[:1]
    assert every.json["compared_bits"] > 2 * stage.json["compared_bits"]
    assert every.json["coverage"] == stage.json["coverage"]


def renamed(place):
    """Give the modules inside other names, as a tool that flattens or prefixes does."""
    for path in place.glob("*.sv"):
        text = path.read_text()
        for module in MODULES:
            text = text.replace(f"module {module} ", f"module My{module} ")
            text = text.replace(f"  {module} ", f"  My{module} ")
        path.write_text(text)


def test_checkers_inside_a_users_rtl():
    done = run_rtl("stage")
    assert done.json["checkers"] == FIVE
    assert "no checker for" not in done.err


def test_blocks_that_are_not_there_are_a_note():
    done = run_rtl("stage_renamed", change=renamed)
    assert done.json["checkers"] == FIVE[:1]
    for block in FIVE[1:]:
        assert f"no checker for {block} inside: " in done.err


FAULTS = [
    ("hazard", "hazard_core.sv", ("_valid_i[warp] && !waw && !war", "_valid_i[warp] && !war")),
    ("scoreboard", "scoreboard_count.sv", ("!fixed_i && (incr_i", "(incr_i")),
    ("reservation_station", "reservation_station_row.sv", ("valid_q && !dispatch_i;", "valid_q;")),
    ("collector", rut.CORE, ("_valid_o = read_valid_q;", "_valid_o = read_valid_q && rst_i;")),
]


@pytest.mark.parametrize(("block", "file", "edit"), FAULTS)
def test_block_at_fault_is_named(block, file, edit):
    done = run_rtl(f"stage_faulty_{block}", edit={file: edit}, code=FAILS)
    answer = done.json
    assert answer["at_fault"]["block"] == block
    scope = answer["at_fault"]["scope"]
    at = answer["first"]["cycle"]
    assert f"{block} {scope}: FUNCTIONAL_MISMATCH in cycle {at} of seed" in done.err
    table = tables.load(block)
    assert answer["first"]["port"] in {p.name for p in table.ports(table.defaults())}


def folded(place):
    """As a compiler leaves it that folds a constant output of Hazard away."""
    rut.redeclare(place / "Hazard.sv", FOLDED, None)
    rut.change(place / "Hazard.sv", f"  wire {FOLDED} = '0;", f"  wire {FOLDED};")
    rut.change(place / "IssueStage.sv", f"      .{FOLDED}({FOLDED}),\n", "")
    end = "\nendmodule"
    rut.change(place / "IssueStage.sv", end, f"\n  assign {FOLDED} = 1'h1;{end}")


def test_block_whose_port_was_folded_away_is_named():
    """A constant in place of a port: the checker inside does not have it, only the stage's."""
    done = run_rtl("stage_folded", change=folded, code=FAILS)
    assert done.json["checkers"] == FIVE
    assert done.port == FOLDED
    fault = {"block": "hazard", "scope": "TOP.IssueStage.hazard", "not_compared": [FOLDED]}
    assert fault.items() <= done.json["at_fault"].items()
    why = f"its checker lacks port {FOLDED}, which the compiler dropped, so the root cause"
    assert f"at fault: hazard in TOP.IssueStage.hazard: {why} may be there" in done.err


# ---- several runs behind one command ----------------------------------------------------------


def test_parameters_are_found_without_the_program(tmp_path):
    """A program longer than the probe does not make every candidate hang."""
    lines = "".join(f"0 {4 * n:#x} x1 x1 - - * 60 lsu\n" for n in range(100))
    given = programs.config_options(SHOWN, skip=["coll_entries"])
    words = (*given, "--program", program(tmp_path, lines), "--seeds", "1", "--accept-inferred")
    done = run_rtl("stage_one_entry", *words, config=SMALL | {"coll_entries": 1})
    assert done.json["cycles"] > 6000
    assert done.json["config"]["coll_entries"] == 1


@pytest.mark.slow
def test_a_picture_is_of_the_default_configuration(tmp_path):
    done = run(*SHORT, "--pipeline", tmp_path / "run.kanata")
    assert done.json["name"] == "default"
