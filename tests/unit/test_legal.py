# SPDX-License-Identifier: Apache-2.0
"""RTL that is no legal design is refused; what only looks like it is taken."""

import re

import pytest
from wlk.base.errors import Status, WlkError
from wlk.fit import rtl

HEAD = "module m(input clk, input [3:0] a, b, output {} q);\n"
SUB = "module s(input i, output logic o);\nassign o = i;\nendmodule\n"
FF = "always_ff @(posedge clk)"
LOGIC, REG, WIRE = "logic [3:0]", "reg [3:0]", "wire [3:0]"
# The kind of the output, and the body; the last line is at fault.
TWO = {
    "always_ff_twice": (LOGIC, f"{FF} q <= a;\n{FF} q <= b;"),
    "always_ff_and_always": (LOGIC, f"{FF} q <= a;\nalways @(posedge clk) q <= b;"),
    "always_comb_and_assign": (LOGIC, "always_comb q = a;\nassign q = b;"),
    "always_comb_and_always_ff": (
        LOGIC,
        f"always_comb begin q = 0; q[0] = a[0]; end\n{FF} q[1] <= 1;",
    ),
    "always_latch_twice": (LOGIC, "always_latch if (clk) q = a;\nalways_latch if (!clk) q = b;"),
    "always_twice": (REG, "always @(posedge clk) q <= a;\nalways @(posedge clk) if (b[0]) q <= 0;"),
    "always_at_two_edges": (REG, "always @(posedge clk) q <= a;\nalways @(negedge clk) q <= b;"),
    "assign_twice": (LOGIC, "assign q = a;\nassign q = b;"),
    "assign_and_initial": (LOGIC, "assign q = a;\ninitial q = 0;"),
    "output_and_assign": (LOGIC, "s u(.i(a[0]), .o(q[0]));\nassign q[0] = b[0];"),
    "two_outputs": (LOGIC, "s u(.i(a[0]), .o(q[0]));\ns v(.i(b[0]), .o(q[0]));"),
    "overlapping_slices": (LOGIC, "assign q[2:0] = a[2:0];\nassign q[3:2] = b[3:2];"),
    "computed_index": (LOGIC, f"{FF} q[a[1:0]] <= 1;\n{FF} q[0] <= 0;"),
    "loop_that_generates": (
        LOGIC,
        f"for (genvar i = 0; i < 2; i++) begin : g\n{FF} q[0] <= a[i]; end",
    ),
    "side_effect_of_a_function": (
        LOGIC,
        f"logic t; function automatic logic f(logic x); t = x; return x; endfunction\n"
        f"{FF} q <= f(a[0]);\n{FF} t <= 0;",
    ),
    "wire_twice": (WIRE, "assign q = a;\nassign q = b;"),
    "wire_of_two_outputs": (WIRE, "s u(.i(a[0]), .o(q[0]));\ns v(.i(b[0]), .o(q[0]));"),
    "wire_of_an_output_and_assign": (WIRE, "s u(.i(a[0]), .o(q[0]));\nassign q[0] = b[0];"),
    "uwire_twice": ("uwire [3:0]", "assign q = a;\nassign q = b;"),
    "from_outside": (LOGIC, "h u(); assign q = a;\nassign u.x = a[0];"),
    "interface": (LOGIC, "bus i(); assign q = i.v; assign i.v = a;\nassign i.v = b;"),
}
OVERRIDDEN = {
    "force": "always_comb q = a;\ninitial force q = 1;",
    "force_in_a_task": "always_comb q = a;\ntask t; force q = 1; endtask initial t;",
    "force_of_what_is_inside": "s u(.i(a[0]), .o(q[0]));\ninitial force u.o = 1;",
    "release": "always_comb q = a;\nalways @(posedge clk) release q;",
    "assign_in_a_process": f"{FF} q <= a;\nalways @(b) assign q = 0;",
    "deassign": f"{FF} q <= a;\nalways @(b) deassign q;",
}
LEGAL = {
    "elements": (LOGIC, f"{FF} q[0] <= a[0];\n{FF} q[3:1] <= b[3:1];"),
    "slices_that_are_generated": (
        LOGIC,
        f"for (genvar i = 0; i < 4; i++) begin : g {FF} q[i] <= a[i]; end",
    ),
    "slices_of_loops": (
        LOGIC,
        f"{FF} for (int i = 0; i < 2; i++) q[i] <= a[i];\n"
        f"{FF} for (int i = 2; i < 4; i++) q[i] <= a[i];",
    ),
    "members": (
        LOGIC,
        "struct packed {logic [1:0] x, y;} p; assign q = p;\n"
        f"{FF} p.x <= a[1:0];\n{FF} p.y <= b[1:0];",
    ),
    "start_value_in_initial": (LOGIC, f"initial q = 0;\n{FF} q <= a;"),
    "start_value_of_a_reg": (REG, "initial q = 0;\nalways @(posedge clk) q <= a;"),
    "start_value_of_a_declaration": (
        "logic [3:0]",
        f"logic x = 0; assign q = {{4{{x}}}};\n{FF} x <= a[0];",
    ),
    "memory_of_two_ports": (
        WIRE,
        "reg [3:0] r [0:3]; assign q = r[0];\nalways @(posedge clk) r[a[1:0]] <= a;\n"
        "always @(posedge clk) if (b[0]) r[b[1:0]] <= b;",
    ),
    "variable_of_loops": (
        REG,
        "reg [3:0] p; integer i;\n"
        "always @(posedge clk) for (i = 0; i < 4; i = i + 1) q[i] <= a[i];\n"
        "always @(posedge clk) for (i = 0; i < 4; i = i + 1) p[i] <= b[i];",
    ),
    "tri": ("tri [3:0]", "assign q = a[0] ? a : 4'bz;\nassign q = a[0] ? 4'bz : b;"),
    "wire_that_is_left_to_the_other": (
        WIRE,
        "assign q = a[0] ? a : 'z;\nassign q = a[0] ? 'z : b;",
    ),
    "wire_of_gates": (WIRE, "bufif1 (q[0], a[0], b[0]);\nbufif0 (q[0], a[1], b[0]);"),
    "wand": ("wand [3:0]", "assign q = a;\nassign q = b;"),
    "branch_that_is_not_taken": (LOGIC, "assign q = a;\nif (0) begin : g assign q = b; end"),
    "module_that_is_not_used": (
        LOGIC,
        "assign q = a;\nendmodule\nmodule n(output logic o); assign o = 0; assign o = 1;",
    ),
    "macro_that_is_not_set": (LOGIC, "assign q = a;\n`ifdef NEVER\ninitial force q = b;\n`endif"),
    "beyond_the_end": (LOGIC, "assign q[3:0] = a;\nassign q[5:4] = b[1:0];"),
}
MORE = """
module h; logic x; assign x = 0; endmodule
interface bus; logic [3:0] v; endinterface
"""


def read(tmp_path, kind, body):
    (tmp_path / "m.sv").write_text(f"{HEAD.format(kind)}{body}\nendmodule\n{SUB}{MORE}")
    return rtl.load([tmp_path]).find("m")


def refused(module, line):
    with pytest.raises(WlkError) as caught:
        module.require_complete()
    assert caught.value.status == Status.BAD_RTL
    assert re.search(rf"m\.sv:{line}\b", caught.value.message)
    return caught.value.message


@pytest.mark.parametrize("name", TWO)
def test_two_drivers_are_refused(name, tmp_path):
    kind, body = TWO[name]
    message = refused(read(tmp_path, kind, body), 2 + body.count("\n"))
    assert " has two drivers, " in message


@pytest.mark.parametrize("name", OVERRIDDEN)
def test_what_overrides_a_driver_is_refused(name, tmp_path):
    message = refused(read(tmp_path, LOGIC, OVERRIDDEN[name]), 3)
    assert "is no part of a design, and Verilator may ignore it" in message


@pytest.mark.parametrize("name", LEGAL)
def test_what_is_legal_is_taken(name, tmp_path):
    kind, body = LEGAL[name]
    read(tmp_path, kind, body).require_complete()
