# SPDX-License-Identifier: Apache-2.0
"""A module by a port map: its ports as those of the table, what does not fit, a first map."""

import tomllib
from pathlib import Path

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status
from wlk.fit import draft, interfaces, likeness, mapped, match, portmap, rtl, shapes, words

HERE = Path(__file__).resolve().parents[1] / "lockstep"
OWN, MAP = HERE / "mapped_collector.sv", HERE / "mapped_collector.toml"
TABLE = tables.load("collector")
pytestmark = pytest.mark.needs("rtl")


@pytest.fixture(scope="module")
def design() -> rtl.Design:
    return rtl.load([OWN, HERE / "mapped_dispatch.sv"])


def told(text: str) -> portmap.PortMap:
    return portmap.parsed(tomllib.loads(text), "map.toml")


def edited(*edits: tuple[str, str]) -> portmap.PortMap:
    """The collector's map with these texts in place of others."""
    text = MAP.read_text(encoding="utf-8")
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return told(text)


def leaves(module: rtl.Module, said: portmap.PortMap, **how: bool) -> mapped.Mapped:
    return mapped.leaves(module, TABLE, said, **how)


def test_mapped_ports_are_those_of_the_table(design):
    ports = leaves(design.find("opc"), edited())
    found = match.match(TABLE, ports.shapes)
    assert (found.kind, found.config["num_lanes"], found.config["num_pregs"]) == ("subset", 2, 16)
    pins = interfaces.pins(found, ports.parts)
    assert pins["reset"].text() == "~rst_n"
    assert pins["io_readData_resp_bits_1_data_1"].text() == "got_data[1][1]"
    assert pins["clock"].text() == "clk"
    assert (ports.ignored, ports.driven) == (["dbg_busy"], ["scan_en = 0"])


def test_mapped_parameters_change_the_ports(design):
    module = design.find("opc")
    design.override(module, {"LANES": "4", "PREGS": "64"})
    found = match.match(TABLE, leaves(module, edited()).shapes)
    design.override(module, {})
    assert (found.config["num_lanes"], found.config["num_pregs"]) == (4, 64)


def test_mapped_parameter_that_is_none_is_named(design):
    with programs.error(Status.USAGE, "module opc", "no parameter LANE", "did you mean LANES?"):
        design.override(design.find("opc"), {"LANE": "4"})


def test_mapped_bind_lists_what_it_leaves_alone(design):
    said = edited(('[inputs]\nscan_en = 0\n[outputs]\nignore = ["dbg_*"]\n', ""))
    assert leaves(design.find("opc"), said, lenient=True).ignored == ["scan_en", "dbg_busy"]


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    {
        "module": ('"rd_valid"', '"rd_vald"', ("no port rd_vald", "did you mean rd_valid?")),
        "clock": ('port = "clk"', 'port = "ck"', ("[clock]", "no port ck")),
        "index": ('"wr_done"', '"rd_en[3]"', ("rd_en[3]", "indices are [2:0]")),
        "all_indices": ('"rd_preg[{i}]"', '"rd_preg[{i+3}]"', ("rd_preg[", "indices are [2:0]")),
        "member": ('"wr_done"', '"wr_done.x"', ("wr_done.x", "no member x")),
        "twice": ('"wr_valid"', '"rd_valid"', ("input rd_valid", "named twice")),
        "input": ("scan_en = 0", "scan_n = 0", ("[inputs] scan_n", "did you mean scan_en?")),
        "constant": ("scan_en = 0", "scan_en = 2", ("[inputs] scan_en = 2", "1 at most")),
        "output": ("scan_en = 0", "scan_en = 0\ndbg_busy = 0", ("dbg_busy", "as an output")),
        "whole": ("scan_en = 0", "scan_en = 0\nwr_en = 0", ("wr_en", "remove one line")),
        "ignore": ('"dbg_*"', '"dbg_*", "no_*"', ("ignore no_*", "no such output")),
        "rest": ('"rd_en[{i}]"', '"rd_en[0]"', ("rd_en", "named twice")),
    }.values(),
)
def test_mapped_line_that_fits_no_port_is_named(design, old, new, parts):
    with programs.error(Status.USAGE, "map.toml", *parts):
        leaves(design.find("opc"), edited((old, new)))


def test_mapped_bits_that_are_left_over_are_refused(design):
    said = edited(('"got_data[{i}][{l}]"', '"got_data[{i}][0]"'))
    with programs.error(Status.USAGE, "map.toml"):
        leaves(design.find("opc"), said)
    said = edited(('"io_readData_resp_bits_{i}_data_{l}" = "got_data[{i}][{l}]"',
                   'io_readData_resp_bits_0_data_0 = "got_data[0][0]"'))  # fmt: skip
    with programs.error(Status.USAGE, "bits 191 to 32", "ignore for got_data"):
        leaves(design.find("opc"), said)


def test_mapped_width_that_cannot_fit_is_a_difference(design):
    ports = leaves(
        design.find("opc"),
        edited(
            ('enable = "wr_en"', 'enable = "wr_mask"'), ('tmask = "wr_mask"', 'tmask = "wr_en"')
        ),
    )
    found = match.match(TABLE, ports.shapes)
    assert found.kind == "conflict"
    assert "io_writeReq_bits_regs_0_enable" in {each.port for each in found.differences}


def test_mapped_prefix_is_left_out(tmp_path):
    path = tmp_path / "own.sv"
    path.write_text("module own(input clock, input reset, input readReq_valid, output x);endmodule")
    module = rtl.load([path]).find("own")
    ports = leaves(module, told('[names]\nprefix = "io_"\n[outputs]\nignore = ["x"]'))
    assert [leaf.name for leaf in ports.parts if leaf.known] == [
        "clock", "reset", "io_readReq_valid",
    ]  # fmt: skip


def test_mapped_bind_sees_every_port_of_a_payload(tmp_path):
    path = tmp_path / "own.sv"
    path.write_text("module own(input io_ren_uops_0_bits_mine, output io_more); endmodule")
    module, table = rtl.load([path]).find("own"), tables.load("dispatch_basic")
    ports = mapped.leaves(module, table, portmap.PortMap(), lenient=True)
    assert [shape[0] for shape in ports.shapes] == ["io_ren_uops_0_bits_mine"]
    assert ports.ignored == ["io_more"]


# ---- a first map --------------------------------------------------------------------------------


def test_draft_is_the_map(design):
    """What it writes fits; all that it is not sure of is marked, and right."""
    module = design.find("opc")
    found = draft.of(module, TABLE)
    assert (found.problem, found.open_ports) == ("", [])
    written, wanted = told(draft.text(found)), edited()
    assert {k: written.ports[k] for k in wanted.ports} == dict(wanted.ports)
    assert (written.clock, written.reset) == (wanted.clock, wanted.reset)
    assert list(found.config) == ["coll_entries"]
    doubtful = [line for line in draft.text(found).splitlines() if draft.DOUBT in line]
    assert 3 <= len(doubtful) <= 9


def test_draft_finds_structs_and_queues(design):
    table = tables.load("dispatch_basic")
    places = {
        guess.family.key: guess.place
        for guess in likeness.guesses(table, shapes.of_ports(design.find("two_wide")))
    }
    assert places["io_ren_uops_{i}_bits_payload"] == "uop[{i}]"
    written = told(draft.text(draft.of(design.find("two_wide"), table)))
    assert written.config == {"queues": "MEM:2,INT:2,FP:2"}
    assert written.ports == places
    assert places["io_dis_uops_{q}_{i}_valid"] == "place[{q}][{i}].head.valid"
    assert places["io_dis_uops_{q}_{i}_ready"] == "queue_ready[{q}][{i}]"


@pytest.mark.parametrize("block", ["scoreboard", "vortex_scoreboard", "hazard"])
def test_likeness_finds_each_port_under_its_own_name(block):
    table = tables.load(block)
    ports = {
        port.name: portmap.Shape(
            port.width, (port.width - 1, 0) if port.width > 1 else None, direction=port.direction
        )
        for port in table.ports(table.config({}))
        if port.name not in (table.clock, table.reset)
    }
    lines = dict(line for guess in likeness.guesses(table, ports) for line in guess.lines)
    placed = portmap.PortMap(ports=lines).entries(table)
    found = {each.port: each.place.text for each in placed if each.place.text in ports}
    assert found == {name: name for name in ports}


def test_draft_finds_the_block(design):
    blocks = [tables.load(name) for name in ("collector", "scoreboard", "hazard", "dispatch_basic")]
    for name, block in (("opc", "collector"), ("two_wide", "dispatch_basic")):
        (best, table), (second, _), *_ = draft.fitting(design.find(name), blocks)
        assert table.name == block
        assert best > second + 0.1


@pytest.mark.parametrize(
    ("name", "low"),
    [("rst_n", True), ("rst_ni", True), ("resetn", True), ("rst", False), ("reset_i", False)],
)
def test_draft_reads_the_level_of_a_reset(tmp_path, name, low):
    path = tmp_path / "own.sv"
    path.write_text(
        f"module own(input clk, input {name}, input rd_valid, output rd_ready);endmodule"
    )
    found = draft.of(rtl.load([path]).find("own"), TABLE)
    assert (found.reset, found.active, found.style) == (name, "low" if low else "high", "sync")


@pytest.mark.parametrize(
    ("body", "active", "style", "sure"),
    [
        ("always @(posedge clk or negedge rst) q <= rst;", "low", "async", True),
        ("always @(posedge clk) if (!rst) q <= 0;", "low", "sync", True),
        ("always @(posedge clk) if (rst) q <= 0;", "high", "sync", True),
        ("", "high", "sync", True),
        ("inner u(.clk, .rst_n(!rst), .q);", "high", "async", False),
    ],
    ids=["edge", "low", "high", "silent", "inside"],
)
def test_draft_believes_the_rtl_about_a_reset(tmp_path, body, active, style, sure):
    path = tmp_path / "own.sv"
    inner = "module inner(input clk, rst_n, output logic q);\n"
    inner += "always @(posedge clk or negedge rst_n) q <= rst_n; endmodule\n"
    path.write_text(
        f"{inner}module own(input clk, test_rst, rst, output logic q); {body} endmodule"
    )
    found = draft.of(rtl.load([path]).find("own"), TABLE)
    assert (found.reset, found.active, found.style) == ("rst", active, style)
    assert found.is_level_sure == sure
    assert 'port = "rst"  # ? or test_rst' in draft.text(found)


ODD = """module odd(clk, , \\req"valid+ , a, q);
input clk, \\req"valid+ ; input [3:0] a; output [3:0] q;
endmodule
"""


def test_draft_quotes_names_and_leaves_out_ports_of_nothing(tmp_path):
    (tmp_path / "a.sv").write_text(ODD)
    module = rtl.load([tmp_path / "a.sv"]).find("odd")
    assert [*shapes.of_ports(module)] == ["clk", 'req"valid+', "a", "q"]
    text = draft.text(draft.of(module, TABLE))
    assert tomllib.loads(text)["ports"]["io_readReq_valid"] == 'req"valid+'


@pytest.mark.parametrize("size", ["[$]", "[]", "[*]", "[string]"])
def test_shape_of_an_array_of_any_size_has_no_bits(tmp_path, size):
    (tmp_path / "a.sv").write_text(f"module a(input logic x {size} [2], output y); endmodule\n")
    shape = shapes.of_ports(rtl.load([tmp_path / "a.sv"]).find("a"))["x"]
    assert (shape.width, [*shapes.signals("x", shape)]) == (0, [])


def test_draft_writes_no_clock_for_a_block_without(tmp_path):
    path = tmp_path / "own.sv"
    path.write_text("module own(input clk_i, input rst_ni, input [1:0] in_valid); endmodule")
    found = draft.of(rtl.load([path]).find("own"), tables.load("dispatch_basic"))
    written = told(draft.text(found))
    assert (written.clock, written.inputs) == (None, {"clk_i": None, "rst_ni": None})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("io_readReq_bits_regs_pReg", ("read", "req", "regs", "preg")),
        ("rd_preg", ("read", "preg")),
        ("wrData", ("write", "data")),
        ("RDREQ_TAG1_VLD", ("read", "req", "tag", "valid")),
        ("req_i.wdata", ("req", "write", "data")),
        ("io", ("io",)),
    ],
)
def test_likeness_splits_names_into_words(name, said):
    assert words.words_of(name) == said
