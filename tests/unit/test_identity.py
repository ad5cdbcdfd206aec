# SPDX-License-Identifier: Apache-2.0
"""When two texts of a module are the same, and when a proof says all of it."""

import pytest
from wlk.fit import identity, rtl

BODY = "module m(input clk, input a, output logic b);\n{}\nendmodule\n"
FLOP = BODY.format("always_ff @(posedge clk) b <= a;")


@pytest.fixture
def read(tmp_path):
    """The module m of some files; `main.sv` is one text alone."""

    def load(*texts, define=(), **more):
        files = {"main.sv": "".join(texts)} | {n.replace("_", "."): t for n, t in more.items()}
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        paths = [tmp_path / name for name in files if name.endswith(".sv")]
        return rtl.load(paths, define).find("m")

    return load


SAME = {
    "comments": "// one\n" + FLOP.replace("b <=", "b /* two */ <="),
    "white_space": FLOP.replace(" ", "  ").replace(";", " ;\n"),
    "branch_not_taken": "`ifdef NEVER\nmodule m; endmodule\n`endif\n" + FLOP,
    "macro": "`define Q b\n" + FLOP.replace("b <=", "`Q <="),
    "another_module": FLOP + "module n(input x); endmodule\n",
}
OTHER = {
    "logic": FLOP.replace("<= a", "<= !a"),
    "edge": FLOP.replace("posedge", "negedge"),
    "package": "package p; localparam int A = 1; endpackage\n" + FLOP,
    "net_type": "`default_nettype none\n" + FLOP,
    "verilator": FLOP.replace("<= a", "<= `ifdef VERILATOR !a `else a `endif"),
}


@pytest.mark.parametrize("name", SAME)
def test_same_module_has_the_same_digest(read, name):
    assert identity.of(read(SAME[name])) == identity.of(read(FLOP))


@pytest.mark.parametrize("name", OTHER)
def test_other_module_has_another_digest(read, name):
    assert identity.of(read(OTHER[name])) != identity.of(read(FLOP))


def test_places_in_sources_of_a_compiler_do_not_matter(read):
    texts = [BODY.format(f'always @(posedge clk) if (a) $display("at Chip.scala:{n}:7");')
             for n in (1, 22)]  # fmt: skip
    assert len({identity.of(read(text)) for text in texts}) == 1


def test_what_is_instantiated_matters(read):
    top = BODY.format("n u(.x(a), .y(b));")
    inner = "module n(input x, output y); assign y = {}; endmodule\n"
    digests = {identity.of(read(top + inner.format(text))) for text in ("x", "!x", " x")}
    assert len(digests) == 2


def test_included_text_macros_and_data_files_matter(read):
    text = '`include "i.svh"\n' + BODY.format('logic [7:0] r[2]; initial $readmemh("d.hex", r);')
    files = {"i_svh": "`define X 1\n", "d_hex": "00\n"}
    digest = identity.of(read(text, **files))
    assert identity.of(read(text, **files)) == digest
    assert identity.of(read(text, **files | {"d_hex": "01\n"})) != digest
    assert identity.of(read(text, define=["Y=1"], **files)) != digest


HIDDEN = "`ifndef SYNTHESIS\n{}\n`endif\n"
ENOUGH = {
    "nothing_hidden": "assign b = a;",
    "start_values": "logic x; assign b = x;" + HIDDEN.format("initial x = 0;"),
    "print": "assign b = a;" + HIDDEN.format('always @(posedge clk) if (a) $display("x");'),
}
NOT_ENOUGH = {
    "assertion": "assign b = a; assert property (@(posedge clk) a);",
    "hidden_assertion": "assign b = a;" + HIDDEN.format("always @(posedge clk) if (a) $fatal;"),
    "other_logic": "`ifdef SYNTHESIS\nassign b = a;\n`else\nassign b = !a;\n`endif",
    "hidden_logic": "assign b = a;" + HIDDEN.format("wire x = a;"),
    "pragma": "assign b = a; // synopsys translate_off",
}


@pytest.mark.parametrize("name", ENOUGH)
def test_proof_is_enough_where_both_read_the_same(read, name):
    assert identity.simulated_only(read(BODY.format(ENOUGH[name]))) is not None


@pytest.mark.parametrize("name", NOT_ENOUGH)
def test_proof_is_not_enough_for_what_it_does_not_see(read, name):
    assert identity.simulated_only(read(BODY.format(NOT_ENOUGH[name]))) is None


def test_start_values_of_a_simulator_must_be_the_same(read):
    texts = [BODY.format("logic x; assign b = x;" + HIDDEN.format(f"initial x = {n};"))
             for n in (0, 1)]  # fmt: skip
    assert len({identity.simulated_only(read(text)) for text in texts}) == 2
