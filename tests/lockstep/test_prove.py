# SPDX-License-Identifier: Apache-2.0
"""Proofs of two versions of a module: equal ones, different ones, and what cannot be proved."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import programs
import pytest
import rtl_under_test as rut
from wlk.base import setup
from wlk.base.errors import Status, WlkError
from wlk.prove import engines, masking, miter, netlist, yosys
from wlk.prove.engines import Answer, Limits
from wlk.run import parts, versions

pytestmark = [pytest.mark.slow, pytest.mark.needs("prove")]

ARBITER = programs.ROOT / "rtl_stub" / "common" / "rr_arbiter.sv"
RING = Path(__file__).with_name("second") / "rr_arbiter.sv"
CLOCKED = "input logic clk, input logic rst, input logic a, output logic [1:0] y"


def written(name: str, text: str) -> Path:
    """A folder with the module `m` of this text, and a package and a header that it may use."""
    place = rut.folder(f"prove_{name}")
    (place / "m.sv").write_text(text, encoding="utf-8")
    return place


def prove(new: Path, old: Path, *words: object, code: int | None = 0, module="m") -> programs.Done:
    place = rut.PLACE.parent / "reports"
    sides = ("--rtl", new, "--against", old, "--module", module)
    return programs.warplock("prove", *sides, "--json", "--reports", place, *words, code=code)


def module(ports: str, *lines: str) -> str:
    return "\n".join([f"module m({ports});", *lines, "endmodule", ""])


def flop(register: str, value: str, reset: str = "'0") -> str:
    return f"always_ff @(posedge clk) if (rst) {register} <= {reset}; else {register} <= {value};"


# ---- equal --------------------------------------------------------------------------------------

STRUCTS = (
    "package p; typedef struct packed { logic [3:0] low; logic high; } pair_t; endpackage",
    module("input p::pair_t [1:0] a, output p::pair_t y", "assign y = a[0] ^ a[1];"),
    module(
        "input p::pair_t [1:0] a, output p::pair_t y",
        "assign y.low = a[1].low ^ a[0].low;",
        "assign y.high = a[1].high != a[0].high;",
    ),
)
MEMORY = (
    "input logic clk, input logic [1:0] we, input logic [1:0] at, input logic [1:0] to,"
    "input logic [7:0] d, input logic [1:0] from, output logic [7:0] q"
)
ASYNC = "input logic clk, input logic rst_ni, input logic [3:0] d, output logic [3:0] q"
# Name -> new and old.
EQUAL = {
    "one_hot": (
        module(
            CLOCKED,
            "logic [3:0] s;",
            flop("s", "a ? {s[2:0], s[3]} : s", "4'b1"),
            "assign y = {s[3] | s[2], s[3] | s[1]};",
        ),
        module(CLOCKED, "logic [1:0] s;", flop("s", "s + a"), "assign y = s;"),
    ),
    "retimed": (
        module(
            CLOCKED,
            "logic b; logic [1:0] s;",
            flop("b", "a"),
            flop("s", "s + b"),
            "assign y = s + b;",
        ),
        module(CLOCKED, flop("y", "y + a")),
    ),
    "counts_down": (
        module(
            CLOCKED,
            "logic [7:0] s, t; assign y = s[1:0] - t[1:0];",
            flop("s", "a ? s - 1 : s"),
            flop("t", "y[0] ? s : t"),
        ),
        module(
            CLOCKED,
            "logic [7:0] s, t; assign y = t[1:0] - s[1:0];",
            flop("s", "a ? s + 1 : s"),
            flop("t", "y[0] ? s : t"),
        ),
    ),
    "unused_input": (
        module(CLOCKED + ", input logic [3:0] more", flop("y", "{y[0], a}")),
        module(CLOCKED, flop("y", "{y[0], a}")),
    ),
    "async_reset": (
        module(
            ASYNC,
            "logic [3:0] n;",
            "always_ff @(posedge clk, negedge rst_ni) if (!rst_ni) n <= '1; else n <= ~d;",
            "assign q = ~n;",
        ),
        module(
            ASYNC,
            "always_ff @(posedge clk, negedge rst_ni) if (!rst_ni) q <= '0; else q <= d;",
        ),
    ),
    "structs": (STRUCTS[0] + "\n" + STRUCTS[1], STRUCTS[0] + "\n" + STRUCTS[2]),
    "two_write_ports": (
        module(
            MEMORY,
            "logic [7:0] m[4];",
            "always_ff @(posedge clk) begin",
            "  if (we[0]) m[at] <= d;",
            "  if (we[1]) m[to] <= ~d;",
            "end",
            "assign q = m[from];",
        ),
        module(
            MEMORY,
            "logic [3:0][7:0] m;",
            "for (genvar i = 0; i < 4; i++) always_ff @(posedge clk)",
            "  if (we[1] && to == i) m[i] <= ~d; else if (we[0] && at == i) m[i] <= d;",
            "assign q = m[from];",
        ),
    ),
    "nobody_writes": (
        module(
            "input logic clk, input logic [1:0] a, output logic [1:0] y",
            "logic [1:0] s, m[4]; initial m[2] = 3;",
            "always_ff @(posedge clk) begin s <= s; if (s[0]) m[a] <= a; end",
            "assign y = s ^ m[a];",
        ),
        module(
            "input logic clk, input logic [1:0] a, output logic [1:0] y",
            "assign y = {2{a == 2}};",
        ),
    ),
    "unreachable_x": (
        module(
            "input logic [1:0] a, output logic y",
            "always_comb case (a) 0: y = 0; 1: y = 1; 2, 3: y = a[0]; default: y = 'x; endcase",
        ),
        module("input logic [1:0] a, output logic y", "assign y = a[0];"),
    ),
    "bounds_of_ports": (
        module(
            "input logic clk, input logic [9:2] a, output logic [0:1][3:0] y, output logic [4:1] z",
            "always_ff @(posedge clk) y <= a;",
            "assign z = a[5:2];",
        ),
        module(
            "input logic clk, input logic [7:0] a, output logic [7:0] y, output logic [3:0] z",
            "always_ff @(posedge clk) y <= a;",
            "assign z = a[3:0];",
        ),
    ),
    "first_of_cases_that_fit": (
        module(
            "input logic [1:0] a, output logic [1:0] y",
            "always_comb begin y = 0; (* parallel_case *) case (1) a[0]: y = 1; a[1]: y = 2;"
            " endcase end",
        ),
        module("input logic [1:0] a, output logic [1:0] y", "assign y = {a[1] & !a[0], a[0]};"),
    ),
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal_versions_are_proved(name):
    new, old = (written(f"{name}_{n}", text) for n, text in enumerate(EQUAL[name]))
    for pair in ((new, old), (old, new)):
        assert prove(*pair).json["verdict"] == "PROVED"


def test_included_text_is_read():
    new, old = (written(f"include_{n}", '`include "body.svh"\n') for n in range(2))
    for place, value in ((new, "!(!a)"), (old, "a")):
        (place / "body.svh").write_text(module("input a, output y", f"assign y = {value};"))
    prove(new, old)
    (new / "body.svh").write_text(module("input a, output y", "assign y = !a;"))
    prove(new, old, code=Status.REFUTED)


@pytest.mark.parametrize("width", [1, 4, 8, 16])
def test_arbiter_of_another_algorithm_is_proved(width):
    words = ("--config", f"NumIn={width}")
    answer = prove(RING, ARBITER, *words, module="rr_arbiter").json
    assert answer["verdict"] == "PROVED"
    assert answer["config"] == {"NumIn": str(width)}
    assert answer["outputs"] == 3


# ---- memories ----------------------------------------------------------------------------------

RAM = (
    "input logic clk, input logic we, input logic [7:0] at, input logic [15:0] d,"
    "input logic [7:0] from, input logic [7:0] too, output logic [15:0] q, output logic [15:0] r"
)
ROWS = "logic [15:0] m[256];"
WRITE = "always_ff @(posedge clk) if (we) m[at] <= d;"
PLAIN = (RAM, ROWS, WRITE, "assign q = m[from]; assign r = m[too];")
# Name -> new and old; their bits alone would take minutes.
MEMORIES = {
    "other_order": (
        (
            RAM,
            "logic [0:15] m[256]; logic [0:15] one, other;",
            "always_ff @(posedge clk) if (we) m[~{at[3:0], at[7:4]}] <= d;",
            "assign one = m[~{from[3:0], from[7:4]}], other = m[~{too[3:0], too[7:4]}];",
            "assign q = one; assign r = other;",
        ),
        PLAIN,
    ),
    "copies": (
        (
            RAM,
            "logic [7:0] low[256], high[256], lower[256], higher[256];",
            "always_ff @(posedge clk) if (we) begin",
            "  high[at] <= d[15:8]; low[at] <= d[7:0]; higher[at] <= d[15:8]; lower[at] <= d[7:0];",
            "end",
            "assign q = {high[from], low[from]}; assign r = {higher[too], lower[too]};",
        ),
        PLAIN,
    ),
    "registers_moved": (
        (
            RAM,
            ROWS,
            WRITE,
            "logic [7:0] then; always_ff @(posedge clk) then <= from;",
            "assign q = m[then]; assign r = 0;",
        ),
        (
            RAM,
            ROWS,
            WRITE,
            "always_ff @(posedge clk) q <= we && at == from ? d : m[from];",
            "assign r = 0;",
        ),
    ),
    "changed_in_place": (
        (
            RAM,
            ROWS,
            "always_ff @(posedge clk) if (we) m[at] <= m[at] + d;",
            "assign q = m[from]; assign r = m[too];",
        ),
        (
            RAM,
            ROWS,
            "logic [15:0] sum; assign sum = d + m[at];",
            "always_ff @(posedge clk) if (we) m[at] <= sum;",
            "assign q = m[from]; assign r = m[too];",
        ),
    ),
    "pointer": (
        (RAM, ROWS, WRITE, "assign q = m[m[from][7:0]]; assign r = m[too];"),
        (RAM, ROWS, WRITE, "assign r = m[too]; assign q = m[m[from][7:0]];"),
    ),
    "odd_rows": (
        (
            RAM,
            "logic [15:0] m[200];",
            "always_ff @(posedge clk) if (we && at < 200) m[at] <= d;",
            "assign q = from < 200 ? m[from] : 0; assign r = too > 199 ? 0 : m[too];",
        ),
        (
            RAM,
            "logic [15:0] m[200];",
            WRITE,
            "assign q = from > 199 ? 0 : m[from]; assign r = too < 200 ? m[too] : 0;",
        ),
    ),
}
# Name -> what stands in PLAIN and what it becomes, and the cycles and port that show it.
MEMORY_FAULTS = {
    "row_lost": ("if (we)", "if (we && at != 77)", 2, "q"),
    "bit_of_a_row": ("<= d", "<= at == 99 ? d ^ 4 : d", 2, "q"),
    "too_soon": ("q = m[from]", "q = we && at == from ? d : m[from]", 1, "q"),
    "wrong_row": ("r = m[too]", "r = m[too == 3 ? 2 : too]", 2, "r"),
}


def ram(name: str, lines: tuple[str, ...]) -> Path:
    return written(name, module(*lines))


@pytest.mark.parametrize("name", MEMORIES)
def test_memories_that_go_together_are_proved(name):
    new, old = (ram(f"{name}_{n}", text) for n, text in enumerate(MEMORIES[name]))
    answer = prove(new, old).json
    assert answer["verdict"] == "PROVED"
    sides = [netlist.read(netlist.Source([place / "m.sv"], "m")) for place in (old, new)]
    compared, _ = versions.compared(*sides)
    assert miter.Builder(*sides, compared, old).build().registers < 100


@pytest.mark.parametrize("name", MEMORY_FAULTS)
def test_fault_of_a_memory_is_refuted(name):
    before, after, cycles, port = MEMORY_FAULTS[name]
    text = rut.changed("\n".join(PLAIN[1:]), before, after, name)
    new, old = ram(f"{name}_new", (RAM, text)), ram(f"{name}_old", PLAIN)
    answer = prove(new, old, code=Status.REFUTED).json
    assert answer["first"]["port"] == port
    assert answer["counterexample"]["confirmed"]
    assert answer["counterexample"]["cycles"] == cycles


# ---- faults that are masked ---------------------------------------------------------------------

SELECTED = (
    "input logic clk, input logic select, input logic rst, input logic [1:0] a,"
    "output logic [1:0] q, output logic v",
    "logic [1:0] s, t, m[4]; logic [7:0] late; assign v = a[0];",
)
COUNT = flop("s", "s == 2 ? 0 : s + 1")  # never 3
LATE = flop("late", "late + 1")  # beyond what is simulated
STORE = "always_ff @(posedge clk) if (a != 0) m[a] <= s;"
# Name -> lines of a module that `select` changes, and whether no output shows it.
CHANGES = {
    "from_any_state": ((flop("s", "select ? a ^ s : s ^ a"), "assign q = s;"), True),
    "not_reached": ((COUNT, "assign q = select && s == 3 ? a : s;"), True),
    "register_not_shown": (
        (COUNT, flop("t", "select ? a : s"), "assign q = s == 3 ? t : s;"),
        True,
    ),
    "shown": ((COUNT, "assign q = select && s == 2 ? a : s;"), False),
    "shown_a_cycle_later": ((COUNT, flop("t", "select ? a : s"), "assign q = t;"), False),
    "shown_late": ((LATE, "assign q = select && late == 70 ? a : s;", COUNT), False),
    "hidden_late": (
        (LATE, COUNT, flop("t", "select && late == 70 ? a : s"), "assign q = s == 3 ? t : s;"),
        True,
    ),
    "without_meaning": ((COUNT, "assign q = select && !v ? a : s;"), True),
    "read_elsewhere": ((COUNT, STORE, "assign q = m[select ? a : s];"), False),
    "read_elsewhere_not_shown": (
        (COUNT, STORE, "assign t = m[select ? a : s];", "assign q = s == 3 ? t : s;"),
        True,
    ),
    "written_otherwise": (
        (COUNT, STORE.replace("m[a] <= s", "m[a] <= select ? a : s"), "assign q = m[s];"),
        False,
    ),
    "written_elsewhere": (
        (COUNT, STORE.replace("m[a]", "m[select ? s : a]"), "assign q = m[a];"),
        False,
    ),
    "written_past_the_rows": (
        (COUNT, "always_ff @(posedge clk) m[{select, a}] <= s;", "assign q = m[s];"),
        False,
    ),
    "written_when_not_enabled": (
        (
            COUNT,
            "always_ff @(posedge clk) if (s != 3) m[select && s == 3 ? s : a] <= s;",
            "assign q = m[a];",
        ),
        True,
    ),
}


@pytest.mark.parametrize("blind", [False, True], ids=["simulated", "blind"])
@pytest.mark.parametrize("name", CHANGES)
def test_what_is_masked_is_told_from_what_is_shown(name, blind):
    """`blind`: nothing is known of how far the change gets."""
    lines, expected = CHANGES[name]
    place = written(f"masked_{name}", module(*SELECTED, *lines))
    side = netlist.read(netlist.Source([place / "m.sv"], "m"))
    when = {"q": "v"} if name == "without_meaning" else {}
    compared = [
        miter.Compared(port, when.get(port.name, ""))
        for port in side.ports
        if port.direction == "out"
    ]
    off, on = {("select", 0): 0}, {("select", 0): 1}
    changed = masking.Changed(side, off, compared)
    (spread,) = [set()] if blind else changed.spreads([on])
    assert changed.is_masked(on, spread, place, 120) == expected


# ---- power-up ----------------------------------------------------------------------------------

HELD = "input logic clk, input logic rst, input logic en, input logic d, output logic q"
UNSET = (HELD, "always_ff @(posedge clk) if (en) q <= d;")
APART = """logic s; always_ff @(posedge clk) if (en) s <= d;
`ifdef VERILATOR
assign q = !s;
`else
assign q = s;
`endif"""
# Name -> new and old, and the answer from any power-up.
POWER_UPS = {
    "same": (UNSET, UNSET, Status.OK),
    "opposite": (
        (HELD, "logic n; always_ff @(posedge clk) if (en) n <= !d;", "assign q = !n;"),
        (HELD, "logic p; always_ff @(posedge clk) if (en) p <= d;", "assign q = p;"),
        Status.OK,
    ),
    # Simulation contradicts the netlist once the register has a value.
    "read_apart": (
        (HELD, APART),
        (HELD, "logic s; always_ff @(posedge clk) if (en) s <= d;", "assign q = s;"),
        Status.BAD_RTL,
    ),
    "reset_lost": (
        UNSET,
        (HELD, "always_ff @(posedge clk) if (rst) q <= 0; else if (en) q <= d;"),
        Status.REFUTED,
    ),
    "copy": (
        (
            HELD,
            "logic n, m; always_ff @(posedge clk) begin if (en) n <= d; if (en) m <= d; end",
            "assign q = en ? n : m;",
        ),
        (HELD, "logic n; always_ff @(posedge clk) if (en) n <= d;", "assign q = n;"),
        Status.OK,
    ),
    "memory": (MEMORIES["other_order"][0], PLAIN, Status.OK),
    "memory_cleared": (
        (RAM, ROWS, WRITE, "logic [255:0] seen;",
         "always_ff @(posedge clk) if (we) seen[at] <= 1;",
         "assign q = seen[from] ? m[from] : 0; assign r = m[too];"),
        PLAIN,
        Status.REFUTED,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", POWER_UPS)
def test_any_power_up(name):
    new, old, code = POWER_UPS[name]
    sides = ram(f"up_{name}_new", new), ram(f"up_{name}_old", old)
    answer = prove(*sides, "--power-up", "any", code=code).json
    assert any("any value" in text for text in answer["assumptions"])
    if code == Status.REFUTED:
        example = answer["counterexample"]
        assert not example["confirmed"]
        assert "power-up" in example["excuse"]


def test_difference_from_registers_at_1_is_noted():
    """A register that nothing ever writes: 0 in the proof."""
    kept = (HELD, "logic [1:0] c; always_ff @(posedge clk) c <= c;", "assign q = d ^ (c == 3);")
    sides = ram("up_ones_new", kept), ram("up_ones_old", (HELD, "assign q = d;"))
    answer = prove(*sides).json
    assert answer["verdict"] == "PROVED"
    (note,) = (each for each in answer["notes"] if "at power-up" in each)
    assert note.endswith("registers beginning with 1")


# ---- different ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "cycles", "port"),
    [
        ("{1'b0, last_q} < (", "{1'b0, last_q} <= (", 2, "ready_o"),
        ("if (valid_o && ready_i)", "if (valid_o)", 2, ""),
        ("last_q <= choice_o;", "last_q <= (choice_o == 3) ? '0 : choice_o;", 2, ""),
        ("assign valid_o = (valid_i != '0);", "assign valid_o = valid_i[0];", 1, "valid_o"),
    ],
)
def test_changed_arbiter_is_refuted_at_its_shortest(old, new, cycles, port, tmp_path):
    changed = tmp_path / ARBITER.name
    changed.write_text(rut.changed(ARBITER.read_text(encoding="utf-8"), old, new, ARBITER))
    words = ("--config", "NumIn=4")
    done = prove(changed, RING, *words, code=Status.REFUTED, module="rr_arbiter")
    example = done.json["counterexample"]
    assert (example["cycles"], example["confirmed"]) == (cycles, True)
    assert done.json["first"]["cycle"] == cycles - 1
    assert done.port == port or not port
    lines = Path(example["file"]).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2 + cycles


def test_reset_comes_first_in_a_counterexample():
    old = written("reset_0", module(CLOCKED, flop("y", "y + a")))
    new = written("reset_1", module(CLOCKED, flop("y", "y == 2 ? 0 : y + a")))
    done = prove(new, old, code=Status.REFUTED)
    # Reset, two that count, one in which it goes wrong, and the one that shows it.
    assert done.json["counterexample"]["cycles"] == 5
    assert any("reset" in text for text in done.json["assumptions"])


def test_constant_register_is_0_first():
    new = written(
        "start_0", module("input clk, output logic y", "always_ff @(posedge clk) y <= 1;")
    )
    old = written("start_1", module("input clk, output logic y", "assign y = 1;"))
    example = prove(new, old, code=Status.REFUTED).json["counterexample"]
    assert (example["cycles"], example["confirmed"]) == (1, True)


def test_visible_x_is_excused():
    new = written("x_0", module("input a, output logic y", "assign y = a ? 1'bx : 1'b0;"))
    old = written("x_1", module("input a, output logic y", "assign y = 1'b0;"))
    example = prove(new, old, code=Status.REFUTED).json["counterexample"]
    assert "values that are x" in example.get("excuse", "")


# ---- what cannot be proved ----------------------------------------------------------------------

GOOD = module("input clk, input d, output logic q", "always_ff @(posedge clk) q <= d;")
PORTS = "input clk, input d, output logic q"
# Name -> text, error, what its line says.
BAD = {
    "delay": (module(PORTS, "assign #1 q = d;"), Status.BAD_RTL, ["m.sv:2", "a delay"]),
    "readmem": (
        module(
            PORTS,
            'logic m[4]; initial $readmemh("f", m);',
            "always_ff @(posedge clk) q <= m[{d, d}];",
        ),
        Status.BAD_RTL,
        ["m.sv:2", "failed to open file 'f'", "SYNTHESIS"],
    ),
    "random": (
        module(PORTS, "always_ff @(posedge clk) q <= $random;"),
        Status.BAD_RTL,
        ["m.sv:2", "'$random'", "SYNTHESIS"],
    ),
    "blocking": (
        module(
            PORTS,
            "logic s; always_ff @(posedge clk) s = d;",
            "always_ff @(posedge clk) q <= s;",
        ),
        Status.BAD_RTL,
        ["m.sv:2", "s is assigned by = at an edge", "write <="],
    ),
    "loaded": (
        module(
            f"{PORTS}, input r",
            "always_ff @(posedge clk, posedge r) if (r) q <= clk; else q <= d;",
        ),
        Status.BAD_RTL,
        ["m.sv:2", "loads q by an asynchronous reset", "give it a constant"],
    ),
    "function_of_c": (
        'import "DPI-C" function void c(input int x, output int y);\n'
        + module(PORTS, "int s; always_ff @(posedge clk) begin c(32'(d), s); q <= s[0]; end"),
        Status.BAD_RTL,
        ["m.sv:3", "c is a function of C", "SYNTHESIS"],
    ),
    "latch": (
        module(PORTS, "always_latch if (clk) q = d;"),
        Status.BAD_RTL,
        ["m.sv", "latch", "q", "assign it in every branch"],
    ),
    "two_clocks": (
        module(
            "input clk, input d, output logic q",
            "logic s; always_ff @(posedge clk) s <= !s;",
            "always_ff @(posedge d) q <= s;",
        ),
        Status.BAD_RTL,
        ["2 clocks", "clk", "d ("],
    ),
    "both_edges": (
        module(
            PORTS,
            "logic s; always_ff @(posedge clk) s <= d;",
            "always_ff @(negedge clk) q <= s;",
        ),
        Status.BAD_RTL,
        ["2 clocks", "clk (falling", "clk (rising"],
    ),
    "negated_clock": (
        module(
            PORTS,
            "wire n = !clk; logic s; always_ff @(posedge clk) s <= d;",
            "always_ff @(posedge n) q <= s;",
        ),
        Status.BAD_RTL,
        ["clock"],
    ),
    "gated_clock": (
        module(
            "input clk, input d, input e, output logic q",
            "wire g = clk & e; always_ff @(posedge g) q <= d;",
        ),
        Status.BAD_RTL,
        ["clock", "is no input"],
    ),
    "loop": (
        module(PORTS, "wire s; assign s = (s & d) | !q & clk; assign q = s;"),
        Status.BAD_RTL,
        ["loop", "break it with a register"],
    ),
    "inout": (
        module("input clk, inout d, output logic q", "always_ff @(posedge clk) q <= d;"),
        Status.BAD_RTL,
        ["port d is inout"],
    ),
    "syntax": (module(PORTS, "assign q = ;"), Status.BAD_RTL, ["m.sv:2"]),
    "inner_missing": (module(PORTS, "gone u(.clk, .d, .q);"), Status.NO_MODULE, ["gone"]),
    "other_module": ("module other; endmodule\n", Status.NO_MODULE, ["m"]),
    "port_missing": (module("input clk, input d"), Status.IFACE_CHANGED, ["q"]),
    "port_more": (
        module(f"{PORTS}, output logic r", "assign q = d; assign r = d;"),
        Status.IFACE_CHANGED,
        ["r"],
    ),
    "port_wider": (
        module("input clk, input [1:0] d, output logic q", "assign q = d[0];"),
        Status.IFACE_CHANGED,
        ["d: in 1 bits in the old, in 2 bits in the new"],
    ),
    "other_edge": (
        module(PORTS, "always_ff @(negedge clk) q <= d;"),
        Status.IFACE_CHANGED,
        ["falling edge of clk"],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_version_is_refused(name):
    text, status, words = BAD[name]
    done = prove(written(f"{name}_new", text), written(f"{name}_old", GOOD), code=None)
    assert done.code == status, done.err
    assert [word for word in words if word not in done.last] == [], done.last


@pytest.mark.parametrize("text", ["module m; endmodule\n", module("input clk, input d")])
def test_module_without_outputs_is_vacuous(text):
    done = prove(written("empty_0", text), written("empty_1", text), code=Status.VACUOUS)
    assert "no output" in done.last


def test_module_of_parameters_only_is_vacuous():
    text = "module m #(parameter int N = 4); localparam int M = N + 1; endmodule\n"
    words = ("--config", "N=5")
    prove(written("params_0", text), written("params_1", text), *words, code=Status.VACUOUS)


@pytest.mark.parametrize("inner", ["~x & i", "m[x ^ i]", "q ^ i"])
def test_loop_through_blocks_is_refused(inner):
    ports = "input logic clk, input logic x, input logic i, output logic y"
    texts = {
        "a": f"module a({ports}); logic q, m[2]; always_ff @(posedge clk) q <= x;"
        f" always_ff @(posedge clk) if (i) m[i] <= q; assign y = {inner}; endmodule",
        "b": f"module b({ports}); assign y = !x | i; endmodule",
        "m": "module m(input logic clk, input logic i, output logic o); logic v, w;"
        " a u_a(clk, v, i, w); b u_b(clk, w, i, v); assign o = w; endmodule",
    }
    file = written("loop", "\n".join(texts.values())) / "m.sv"
    holes = [netlist.Hole(name, f"u_{name}", f"wlk_{name}") for name in "ab"]
    sources = [netlist.Source([file], name) for name in "ab"]
    sources.append(netlist.Source([file], "m", holes=holes))
    pieces = [
        parts.Part(name, each, each, (), "")
        for name, each in zip(("a", "b", "wiring"), sources, strict=True)
    ]
    if inner == "q ^ i":
        parts.require_no_loop(pieces)
    else:
        with pytest.raises(WlkError, match="module m has a combinational loop"):
            parts.require_no_loop(pieces)


# ---- engines ------------------------------------------------------------------------------------

# No engine proves that multiplication commutes, nor finds a difference.
FACTORS = "input logic clk, input logic [31:0] a, input logic [31:0] b, output logic [63:0] y"


def hard(name: str) -> tuple[Path, Path]:
    """Two versions that nothing decides."""
    values = ("a * b", "b * a + (a[0] & !b[0] & !a[0])")
    texts = [module(FACTORS, f"always_ff @(posedge clk) y <= {value};") for value in values]
    return written(f"{name}_0", texts[0]), written(f"{name}_1", texts[1])


def test_time_without_an_answer_is_bounded():
    start = time.monotonic()
    answer = prove(*hard("time"), "--timeout", "4", code=Status.BOUNDED).json
    assert answer["verdict"] == "BOUNDED"
    assert time.monotonic() - start < 30


def test_depth_that_is_enough_is_bounded():
    answer = prove(*hard("depth"), "--depth", "1", "--timeout", "60", code=Status.BOUNDED).json
    assert answer["depth"] == 1
    assert answer["seconds"] < 50


@pytest.mark.parametrize("left", [True, False])
def test_memories_are_not_read_as_registers_without_time(left, monkeypatch):
    """A slice that is equal proves nothing: it is BOUNDED by what was known before."""
    built = []

    def build(whole):
        built.append(whole)
        return SimpleNamespace(rests=lambda output: frozenset({"column"}))

    def attempt(miter, limits, *_):
        time.sleep(0.05 if len(built) == 2 and not left else 0)
        return Answer(*((Status.REFUTED, 5) if len(built) == 1 else (Status.OK, 0)))

    monkeypatch.setattr(engines, "_attempt", attempt)
    answer = engines.decide(build, Limits(10 if left else 0.05))
    assert len(built) == 2 + left
    assert (answer.verdict, answer.depth) == ((Status.OK, 0) if left else (Status.BOUNDED, 4))


def instead(name: str, tmp_path: Path, body: str) -> Path:
    """A shell script under the name of a program."""
    path = tmp_path / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def abc(tmp_path, monkeypatch):
    """Sets what runs ahead of Berkeley ABC."""
    real = shutil.which("berkeley-abc")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return lambda body: instead("berkeley-abc", tmp_path, f'{body}\nexec {real} "$@"')


@pytest.mark.parametrize("body", ["echo broken; exit 1", "kill -9 $$", "ulimit -v 20000"])
def test_engine_that_dies_is_an_error(body, abc):
    abc(body)
    new = written("dies_0", module("input clk, input d, output logic q", "assign q = d & clk;"))
    old = written("dies_1", module("input clk, input d, output logic q", "assign q = clk & d;"))
    done = prove(new, old, "--fresh", code=None)
    assert done.code in (Status.MODEL_ERROR, Status.NO_TOOL)
    assert "berkeley-abc" in done.last


@pytest.mark.parametrize("which", ["dprove", "bmc3"])
def test_engine_that_dies_beside_another_is_named(which, abc):
    abc(f'case "$*" in *{which}*) kill -9 $$ ;; esac')
    done = prove(*hard("beside"), "--fresh", "--timeout", "5", code=Status.BOUNDED)
    assert any("berkeley-abc ended with -9" in note for note in done.json["notes"])


@pytest.mark.parametrize("body", ["ulimit -v 3000000", "kill -9 $$"])
def test_yosys_without_memory_is_an_error(body, tmp_path, monkeypatch):
    yosys.ensure()
    script = instead("yosys", tmp_path, f'{body}\nexec {yosys.PROGRAM} "$@"')
    monkeypatch.setattr(yosys, "PROGRAM", script)
    monkeypatch.setattr(netlist, "FOLDER", tmp_path)
    place = written("no_memory", GOOD)
    done = prove(place, place, code=Status.NO_MEMORY)
    assert "Yosys has too little memory" in done.last


def test_yosys_that_does_not_start_is_an_error(tmp_path, monkeypatch):
    script = instead("yosys", tmp_path, "echo no interpreter; exit 1")
    monkeypatch.setattr(yosys, "PROGRAM", script)
    monkeypatch.setattr(setup, "BUILD", tmp_path)
    with pytest.raises(WlkError, match="does not start: no interpreter"):
        yosys.ensure()


def test_slow_search_ends_without_registers(abc):
    """bmc3 refuses what merging has made combinational, so the search goes on in the miter."""
    abc('case "$*" in *bmc3*) sleep 1 ;; esac')
    ports = "input [3:0] a, input [3:0] b, output [3:0] y"
    new, old = (
        written(f"combinational_{n}", module(ports, f"assign y = {value};"))
        for n, value in enumerate(("a + b", "a + b + (a == 9 && b == 5)"))
    )
    answer = prove(new, old, "--fresh", "--power-up", "any", code=Status.REFUTED).json
    assert answer["depth"] == 1


def test_missing_engine_is_an_error(monkeypatch, tmp_path):
    """With set-up refused: exit code 26, and what to install."""
    others = ["apt-get", "env", "sh", "python3", *(setup.FEATURES["verilate"].tools)]
    for tool in {*setup.FEATURES["build"].tools, *others}:
        if path := shutil.which(tool):
            (tmp_path / tool).symlink_to(path)
    monkeypatch.setenv("PATH", str(tmp_path))
    place = written("no_tool", GOOD)
    done = prove(place, place, code=Status.NO_TOOL)
    assert "missing: berkeley-abc; set-up is refused" in done.last
    assert "apt-get install" in done.last


def test_interrupted_proof_says_so_and_leaves_no_engine():
    new, old = hard("interrupt")
    words = ("prove", "--rtl", new, "--against", old, "--module", "m", "--json")
    process = programs.started(*words)
    find = ["pgrep", "-P", str(process.pid), "-f", "berkeley-abc"]
    programs.wait_for(lambda: subprocess.run(find, capture_output=True).returncode == 0, 120)
    engines = subprocess.run(find, capture_output=True, text=True).stdout.split()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == Status.INTERRUPTED, err
    assert "PROVED" not in out
    programs.wait_for(lambda: not any(Path("/proc", pid).exists() for pid in engines))
