# SPDX-License-Identifier: Apache-2.0
"""`warplock new`: what is made of modules in many styles, and which are refused, and how."""

import tomllib

import programs
import pytest
import styles
from programs import warplock
from wlk import tables
from wlk.base.errors import Status
from wlk.fit import first_block, pins, rtl
from wlk.gen import block_folder

pytestmark = pytest.mark.needs("rtl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return styles.write(tmp_path_factory.mktemp("styles"))


def drafted(path, module, **given):
    """The block of a module, which fits it."""
    found = rtl.load([path]).find(module)
    block = first_block.draft(found, module.lower(), [str(path)], given)
    first_block.check(block, found, path.parent)
    return block


def text_of(tmp_path, text, module="m", **given):
    path = tmp_path / "m.sv"
    path.write_text(text)
    return drafted(path, module, **given)


def ports(lines):
    """A module of these ports with registers on clk."""
    registers = "logic q; always_ff @(posedge clk) q <= ~q;"
    return f"module m(input logic clk, {lines}); {registers} endmodule"


def row(block, flat):
    return next(each for each in block.rows if each.flat == flat)


# Clock and reset, parameters, channels of each style.

FOUND = {
    "Queue4_UInt8": ("clock", "reset", False, False, {}, ["io_enq", "io_deq"]),
    "alu_comb": (None, None, False, False, {"width": "1..32"}, []),
    "axis_register": ("aclk", "aresetn", True, False,
                      {"data_width": "8..64"}, ["s_axis", "m_axis"]),
    "checked_fifo": ("clk_i", "rst_i", False, False, {"depth": "2..256 pow2"}, ["push", "pop"]),
    "gated_counter": ("sys_clk", "clear", False, True, {"bits": "1..64"}, []),
    "lanes_merge": ("clock", "reset", False, False,
                    {"lanes": "1..8", "w": "1..16", "depth": "2..256"}, []),
    "lfsr_noreset": ("CK", None, False, False, {"n": "1..64"}, []),
    "lowrisc_arbiter": ("clk_i", "rst_ni", True, True, {"n": "2..64", "dw": "1..64"}, ["output"]),
    "struct_pipe": ("clk", "rst_n", True, True, {"lanes": "1..64"}, ["in", "out"]),
    "union_deep": ("clk", "rst", False, False, {}, []),
    "unpacked_sum": ("clk", "arst", False, True, {"rows": "1..64", "w": "1..32"}, []),
    "wide_word": ("clk", "resetn", True, False, {}, []),
}  # fmt: skip


def test_styles_are_all_here():
    assert sorted(FOUND) == sorted(styles.MODULES)


@pytest.mark.parametrize("module", styles.MODULES)
def test_new_finds_clock_reset_parameters_channels(folder, module):
    block = drafted(folder / styles.file_of(module), module)
    ranges = {p.name: f"{p.low}..{p.high}{' pow2' * p.pow2}" for p in block.parameters}
    names = [each.name for each in block.channels]
    found = (block.clock, block.reset_port, block.is_low, block.is_async, ranges, names)
    assert found == FOUND[module]


ROWS = {
    "Queue4_UInt8": {"io_deq_bits_regs[2].data": "8", "io_count": "3"},
    "alu_comb": {"double_": "width", "sum": "width + 1", "int_": "1"},
    "axis_register": {"s_axis_tkeep": "data_width // 8", "s_axis_tdata": "data_width"},
    "checked_fifo": {"usage_o": "clog2(depth) + 1", "ptr_o": "clog2(depth)", "pop_data_o": "12"},
    "gated_counter": {"value": "bits"},
    "lanes_merge": {"data": "lanes * w", "strobe": "(w + 7) // 8", "mask": "lanes",
                    "filled": "clog2(depth + 1)", "sum": "w + clog2(lanes)"},
    "lfsr_noreset": {"SEED": "n"},
    "lowrisc_arbiter": {"data_i[n]": "dw", "idx_o": "clog2(n)", "reset": "1"},
    "struct_pipe": {"seen[lanes].regs.rs[2]": "5", "in_instr.imm": "32"},
    "union_deep": {"cube[2]._[3]": "4", "open.u.raw": "8", "shut[2].nib[2]": "4", "in_valid": "1"},
    "unpacked_sum": {"in[rows]": "w", "mat[rows]._[2]": "w", "sum": "w + clog2(rows + 1)"},
    "wide_word": {"wdata[2]": "64", "code_low": "64", "code_top": "36", "addr": "8"},
}  # fmt: skip


@pytest.mark.parametrize("module", styles.MODULES)
def test_new_writes_widths_as_expressions(folder, module):
    block = drafted(folder / styles.file_of(module), module)
    rows = {each.name: each.width for each in block.rows}
    assert {name: rows.get(name) for name in ROWS[module]} == ROWS[module]


PLACES = {
    "lowrisc_arbiter": {"data_i_{i}": "data_i[{i}]"},
    "struct_pipe": {"seen_{i}_regs_rs_{j}": "seen[{i}].regs.rs[{j}]"},
    "union_deep": {"shut_{i}_u_raw": "shut[{i+1}].u.raw", "in_valid": "in$valid"},
    "unpacked_sum": {"in_{i}": "in[{i+1}]", "mat_{i}_{j}": "mat[{i}][{j}]"},
    "wide_word": {"wdata_{i}": "wdata[{64*i+63}:{64*i}]", "code_low": "code[36:99]"},
    "alu_comb": {"int_": "int"},
    "axis_register": {},
}


@pytest.mark.parametrize("module", PLACES)
def test_new_maps_what_is_not_flat(folder, module):
    block = drafted(folder / styles.file_of(module), module)
    text = block_folder.port_map(block)
    placed = tomllib.loads(text).get("ports", {}) if text else {}
    assert {key: placed.get(key) for key in PLACES[module]} == PLACES[module]
    assert bool(placed) == bool(PLACES[module])


def test_new_needs_no_map_for_a_module_as_tables_have_them(folder):
    block = drafted(folder / "lanes_merge.sv", "lanes_merge")
    assert block_folder.port_map(block) is None
    assert block.constraints == [("lanes * w > 64", "port data would have more than 64 bits")]


def test_new_channel_has_what_goes_with_its_valid(folder):
    block = drafted(folder / "axis_register.v", "axis_register")
    (channel,) = [each for each in block.channels if each.name == "m_axis"]
    assert (channel.valid, channel.ready) == ("m_axis_tvalid", "m_axis_tready")
    assert channel.bits == ("m_axis_tdata", "m_axis_tkeep", "m_axis_tlast")
    assert row(block, "s_axis_tlast").valid_when == "s_axis_tvalid"
    assert row(block, "m_axis_tready").valid_when == ""


# What is compared only while something is 1, by names alone.

PIPE = """input logic in_valid, in_dst_val, input logic [3:0] in_dst_tag,
output logic out_valid, out_dst_val, output logic [3:0] out_dst_tag, output logic busy"""


def test_new_takes_no_valid_inside_the_value_of_another_one(tmp_path):
    block = text_of(tmp_path, ports(PIPE))
    found = {each.flat: each.valid_when for each in block.rows if each.valid_when}
    assert found == dict.fromkeys(("in_dst_val", "in_dst_tag"), "in_valid") | dict.fromkeys(
        ("out_dst_val", "out_dst_tag"), "out_valid"
    )
    assert [each.name for each in block.channels] == ["in", "out"]


def test_new_keeps_a_handshake_below_the_name_of_another_one(tmp_path):
    block = text_of(tmp_path, ports("output logic a_valid, a_x, a_b_valid, a_b_y, input a_b_ready"))
    found = {each.flat: each.valid_when for each in block.rows if each.valid_when}
    assert found == {"a_x": "a_valid", "a_b_y": "a_b_valid"}


def test_new_marks_what_it_compares_less_by_a_guess(tmp_path):
    block = text_of(tmp_path, ports(PIPE))
    text = block_folder.table(block)
    marked = [line.strip() for line in text.splitlines() if tables.files.DOUBT in line]
    assert marked == [
        '{ name = "out_dst_val", dir = "out", width = 1, valid_when = "out_valid" },'
        "  # ? compared only while out_valid is 1",
        '{ name = "out_dst_tag", dir = "out", width = 4, valid_when = "out_valid" },'
        "  # ? compared only while out_valid is 1",
    ]
    (note,) = block.notes[1:]  # behind that of the missing reset
    guess = "compared only while out_valid is 1, which is a guess by the names"
    assert note.startswith(f"{guess}: out_dst_val, out_dst_tag; in block.toml remove the mark # ?")
    path = tmp_path / "m" / tables.files.TABLE
    path.parent.mkdir()
    path.write_text(text)
    table = tables.parse(tomllib.loads(text), path)
    at = [number for number, line in enumerate(text.splitlines(), 1) if "# ?" in line]
    same = "compared only while out_valid is 1"
    assert [*table.guesses] == [(at[0], "out_dst_val", same), (at[1], "out_dst_tag", same)]
    (warning,) = table.warnings(table.defaults())
    where = f"m/block.toml:{at[0]} to {at[1]}: a guess: {same}: out_dst_val, out_dst_tag; "
    assert warning == f"{where}remove the mark # ? where it is right, else correct the row"
    path.write_text(text.replace(tables.files.DOUBT, "#"))
    assert tables.parse(tomllib.loads(text), path).guesses == ()


def test_new_marks_nothing_where_no_output_is_gated(tmp_path):
    block = text_of(tmp_path, ports("input logic in_valid, in_tag, output logic busy, done"))
    assert tables.files.DOUBT not in block_folder.table(block)


def test_new_folds_numbered_ports_with_one_width_alone(tmp_path):
    lines = "input logic x_0, x_1, x_2, input logic [1:0] y_0, y_1, input logic z_0, "
    lines += "input logic [3:0] z_1, input logic w_1, w_2, input logic v_2, v_3, output logic o"
    names = {each.name for each in text_of(tmp_path, ports(lines)).rows}
    assert names == {"x[3]", "y[2]", "z_0", "z_1", "w[2]", "v_2", "v_3", "o"}


@pytest.mark.parametrize("name", ["handle", "eval", "linux", "int16_x$"])
def test_new_calls_otherwise_what_c_and_the_harness_have(tmp_path, name):
    block = text_of(tmp_path, ports(f"input logic {name}, output logic o"))
    placed = {each.name: each.place for each in block.rows}
    assert placed == {name.replace("$", "") + "_": name, "o": ""}


def test_new_given_parameter_is_fixed_and_in_the_map(folder):
    block = drafted(folder / "lanes_merge.sv", "lanes_merge", W="4")
    assert [p.name for p in block.parameters] == ["lanes", "depth"]
    assert row(block, "data").width == "4 * lanes"
    assert tomllib.loads(block_folder.port_map(block))["parameters"] == {"W": "4"}


def test_new_parameter_without_a_form_stays_at_its_default(tmp_path):
    text = "module m #(parameter int N = 3)(input logic [(1 << N) - 1:0] a, output logic o); "
    block = text_of(tmp_path, text + "assign o = ^a; endmodule")
    assert (block.parameters, block.others) == ([], {"N": 3})
    assert row(block, "a").width == "8"


def test_new_model_has_a_line_for_each_output(folder):
    text = block_folder.model(drafted(folder / "struct_pipe.sv", "struct_pipe"))
    assert "    // SHOW(in_ready, 0);\n" in text
    assert "// for (uint32_t i = 0; i < cfg->lanes; i++) { SHOW(seen[i].op, 0); }" in text
    assert text.count("SHOW(") == 10


# Resets by use, where names mislead.


def reset_of(tmp_path, name, condition, events="posedge clk"):
    text = f"module m(input logic clk, {name}, d, output logic q); always_ff @({events}) "
    path = tmp_path / "m.sv"
    path.write_text(text + f"if ({condition}) q <= 0; else q <= d; endmodule")
    found = pins.find(rtl.load([path]).find("m"))
    return found.reset, found.is_low, found.is_async


@pytest.mark.parametrize(
    ("name", "condition", "events", "found"),
    [
        ("rst", "rst", "posedge clk", ("rst", False, False)),
        ("rst", "!rst", "posedge clk", ("rst", True, False)),
        ("rst", "rst == 1'b0", "posedge clk", ("rst", True, False)),
        ("reset_n", "reset_n", "posedge clk", ("reset_n", False, False)),
        ("nreset", "~nreset", "posedge clk or negedge nreset", ("nreset", True, True)),
        ("clear", "clear", "posedge clk or posedge clear", ("clear", False, True)),
        ("clear", "clear", "posedge clk", (None, False, False)),
        ("rst", "rst || d", "posedge clk", ("rst", False, False)),
        ("rst_in", "d", "posedge clk", ("rst_in", False, False)),
        ("rstn", "d", "posedge clk", ("rstn", True, False)),
    ],
)
def test_new_reset_is_as_it_is_used(tmp_path, name, condition, events, found):
    assert reset_of(tmp_path, name, condition, events) == found


# What is refused.

TWO = """module m(input logic wclk, rclk, d, output logic q); logic a;
always_ff @(posedge wclk) a <= d; always_ff @(posedge rclk) q <= a; endmodule"""
BAD = {
    "inout": (ports("inout wire pad, output logic q_o"), "port pad: inout; put a module around it"),
    "interface": (
        "interface bus; logic a; modport s(input a); endinterface " + ports("bus.s b, output o"),
        "port b: an interface; put a module around it",
    ),
    "no output": (ports("input logic a"), "has no output, so nothing could be compared"),
    "empty": ("module m; endmodule", "module m has no output"),
    "real": (ports("input real r, output logic o"), "port r: real, which has no bits"),
    "escaped": (ports("input logic \\a.b , output logic o"), "port a.b: a name with signs"),
    "too many": (
        ports(", ".join(f"input logic [{n % 9}:0] p{n}" for n in range(2000)) + ", output logic o"),
        "2001 kinds of ports; a block has at most 256 rows",
    ),
    "long": (ports(f"input logic {'x' * 95}, output logic o"), "a name of 95 letters"),
    "widths": (
        ports(", ".join(f"input logic [{n}:0] p{n}" for n in range(64)) + ", output logic o"),
        "64 different widths and counts",
    ),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_new_refuses_what_is_no_block(tmp_path, text, message):
    with programs.error(Status.IFACE_CHANGED, message, "m.sv:1: module m"):
        text_of(tmp_path, text)


def test_new_takes_2000_ports_of_one_kind(tmp_path):
    lines = ", ".join(f"input logic [7:0] p{k}_{n}" for k in range(20) for n in range(100))
    block = text_of(tmp_path, ports(f"{lines}, output logic o"))
    assert [each.name for each in block.rows] == [f"p{k}[100]" for k in range(20)] + ["o"]


def test_new_two_clocks_need_a_name(tmp_path):
    with programs.error(Status.AMBIGUOUS, "2 clocks: wclk, rclk", "--clock wclk"):
        text_of(tmp_path, TWO)
    found = rtl.load([tmp_path / "m.sv"]).find("m")
    block = first_block.draft(found, "m", ["m.sv"], {}, clock="rclk")
    assert block.clock == "rclk"
    assert row(block, "wclk").doc == "another clock"
    assert "wclk is a clock too, and here an input like any" in block.notes[0]


# The command.


def test_new_writes_a_folder(folder, tmp_path):
    done = warplock("new", "arb", "--rtl", folder / "lowrisc_arbiter.sv", "--out", tmp_path)
    place = tmp_path / "arb"
    assert sorted(p.name for p in place.iterdir()) == [
        "README.md",
        "block.toml",
        "map.toml",
        "model.c",
    ]
    assert f"next: scripts/warplock lockstep arb --blocks {place}" in done.out
    raw = tomllib.loads((place / "block.toml").read_text())
    assert (place / raw["block"]["rtl"][0]).resolve() == (folder / "lowrisc_arbiter.sv").resolve()
    assert tables.parse(raw, place / "block.toml").configs == {"default": {}}
    done = warplock("new", "arb", "--rtl", folder / "lowrisc_arbiter.sv", "--out", tmp_path, code=2)
    assert "exists already; choose another name or --out" in done.line


def test_new_keeps_macros_and_include_folders_in_a_list(folder, tmp_path):
    words = ["--rtl", folder / "checked_fifo.sv", "--define", "X=1", "--include", folder]
    done = warplock("new", "cf", *words, "--out", tmp_path, "--json")
    assert "rtl.f" in done.json["files"]
    assert (tmp_path / "cf" / "rtl.f").read_text().startswith("+define+X=1\n+incdir+")
    assert tomllib.loads((tmp_path / "cf/block.toml").read_text())["block"]["rtl"] == ["rtl.f"]


NAMES = {
    "Arb": "no name for a block",
    "int": "none that C has",
    "collector": "warplock has a block 'collector' itself",
}


@pytest.mark.parametrize(("name", "message"), NAMES.items(), ids=NAMES)
def test_new_refuses_a_name(folder, tmp_path, name, message):
    done = warplock("new", name, "--rtl", folder / "alu_comb.sv", "--out", tmp_path, code=2)
    assert message in done.line


def test_new_names_the_modules(folder, tmp_path):
    words = ["--out", tmp_path, "--rtl", folder / "struct_pipe.sv"]
    done = warplock("new", "a", *words, "--module", "struct_pipe_pkg", code=Status.NO_MODULE)
    assert "struct_pipe_pkg is a package, not a module; the modules are struct_pipe;" in done.line
    (tmp_path / "p.sv").write_text("package p; endpackage\n")
    done = warplock("new", "a", "--rtl", tmp_path / "p.sv", code=Status.NO_MODULE)
    assert "no module in the files given but packages (p)" in done.line
    done = warplock("new", "a", *words, folder / "alu_comb.sv", code=Status.AMBIGUOUS)
    assert "2 modules that no other one uses: struct_pipe, alu_comb" in done.line
    inner = "if (N > 1) t #(N - 1) u(.*); else assign o = a;"
    (tmp_path / "t.sv").write_text(f"module t #(N = 2) (input a, output o); {inner} endmodule\n")
    warplock("new", "t", "--rtl", tmp_path / "t.sv", "--out", tmp_path)
