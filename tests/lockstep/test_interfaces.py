# SPDX-License-Identifier: Apache-2.0
"""RTL whose ports are SystemVerilog interfaces, structs, or vectors of all elements of a field."""

from pathlib import Path

import programs
import pytest
import rtl_under_test as rut
from wlk import tables
from wlk.base.errors import Status
from wlk.fit import interfaces, match, rtl
from wlk.gen import stubs

HERE = Path(__file__).parent
OWN = HERE / "vortex_interfaces.sv"
CORE = [stubs.STUBS / "vortex_scoreboard", *sorted((stubs.STUBS / "common").glob("vx_*.sv"))]


def changed(tmp_path: Path, old: str, new: str) -> Path:
    path = tmp_path / "own.sv"
    path.write_text(rut.changed(OWN.read_text(encoding="utf-8"), old, new, OWN))
    return path


def lockstep(*files: Path, code: int | None = 0) -> dict:
    words = ["lockstep", "vortex_scoreboard", "--rtl", *files, *CORE, "--module", "VX_scoreboard"]
    words += ["--seeds", "1..2", "--cycles", "20000", "--json"]
    return programs.warplock(*words, "--reports", rut.PLACE.parent / "reports", code=code).json


@pytest.mark.needs("verilate", "rtl")
def test_interfaces_of_structs_run_in_lockstep():
    answer = lockstep(OWN)
    assert answer["verdict"] == "PASS"
    assert (answer["config"]["num_warps"], answer["config"]["perf_enable"]) == (4, 1)
    assert answer["compared_bits"] > 10_000_000


@pytest.mark.needs("verilate", "rtl")
def test_fault_behind_an_interface_is_reported(tmp_path):
    old = "ibuffer_if[w].data.rs1, ibuffer_if[w].data.rs2,"
    answer = lockstep(changed(tmp_path, old, old.replace("rs1", "rs2")), code=None)
    assert answer["verdict"] == "FUNCTIONAL_MISMATCH"
    assert answer["first"]["port"].startswith(("sb_", "ib_", "perf_"))


def design(*files: Path) -> rtl.Design:
    return rtl.load([*files, *CORE])


@pytest.fixture(scope="module")
def module() -> rtl.Module:
    return design(OWN).find("VX_scoreboard")


@pytest.mark.needs("rtl")
def test_leaves_are_the_ports_of_the_table(module):
    table = tables.load("vortex_scoreboard")
    parts = interfaces.leaves(module, table)
    found = match.match(table, [leaf.shape for leaf in parts if leaf.known])
    assert found.kind == "equal"
    assert {port.name for port in table.ports(found.config)} <= {*found.present}
    assert interfaces.unknown(parts) == [
        f"writeback_if.data.{name}" for name in ("PC", "data", "sop", "tmask", "uuid")
    ]
    where = {leaf.name: leaf.where for leaf in parts}
    assert where["ib_2_data_op_args"] == "ibuffer_if[2].data.op_args"
    assert where["sb_data_wis"] == "scoreboard_if.data.wis"


@pytest.mark.needs("rtl")
def test_bound_checker_sees_members_and_slices(module):
    table = tables.load("vortex_scoreboard")
    parts = interfaces.leaves(module, table)
    found = match.match(table, [leaf.shape for leaf in parts if leaf.known])
    pins = interfaces.pins(found, parts)
    assert pins["ib_3_ready"].text() == "ibuffer_if[3].ready"
    assert pins["perf_units_uses_2"].text() == "perf_units_uses[2]"
    assert pins["reset"].text() == "reset"


@pytest.mark.needs("rtl")
@pytest.mark.parametrize(
    ("old", "new", "parts"),
    {
        "without_modport": (
            "    writeback_bus.slave writeback_if,",
            "    writeback_bus writeback_if,",
            ("port writeback_if", "without a modport"),
        ),
        "unknown": (
            "    output wire [43:0] perf_stalls,",
            "    output wire [43:0] perf_stalls,\n    writeback_bus.slave other_if,",
            ("port other_if", "does not have", "ibuffer_if"),
        ),
    }.values(),
    ids=["without_modport", "unknown"],
)
def test_interface_that_does_not_fit_is_named(tmp_path, old, new, parts):
    own = design(changed(tmp_path, old, new)).find("VX_scoreboard")
    with programs.error(Status.IFACE_CHANGED, "module VX_scoreboard", *parts):
        interfaces.leaves(own, tables.load("vortex_scoreboard"))


WIDE = """
module Wide (
    input clk, reset, sb_valid, output sb_ready,
    input [43:0] sb_uuid, input [1:0] sb_wis, input [3:0] sb_tmask, input [31:0] sb_PC,
    input [1:0] sb_ex_type, input [3:0] sb_op_type, input [36:0] sb_op_args, input sb_wb,
    input [2:0] sb_used_rs, input [5:0] sb_rd, sb_rs1, sb_rs2, sb_rs3,
    input wb_valid, input [1:0] wb_wis, input wb_sid, input [3:0] wb_tmask, input [5:0] wb_rd,
    input [127:0] wb_data, input wb_sop, wb_eop,
    output op_valid, input op_ready, output [43:0] op_uuid, output [1:0] op_wis, output op_sid,
    output [3:0] op_tmask, output [31:0] op_PC, output [1:0] op_ex_type, output [3:0] op_op_type,
    output [36:0] op_op_args, output op_wb, output [5:0] op_rd,
    output [3:0][31:0] op_rs1_data, op_rs2_data, op_rs3_data, output op_sop, op_eop
);
  VX_opc_unit inner (
      .clk, .reset, .sb_valid, .sb_ready, .op_valid, .op_ready, .wb_valid,
      PINS
  );
endmodule
"""


def wide(tmp_path: Path) -> list[Path]:
    """The stub's collector with a wide port for all lanes."""
    table = tables.load("vortex_opc_unit")
    config = table.defaults()
    pins = []
    for vector, lsb, port in table.slices(config):
        if port.name != vector:
            two = port.direction == "out" and port.lane is not None
            at = f"[{port.lane}]" if two else f"[{lsb}+:32]" if port.lane is not None else ""
            pins.append(f".{port.name}({vector}{at})")
    path = tmp_path / "wide.sv"
    path.write_text(WIDE.replace("PINS", ", ".join(pins)))
    return [path, *stubs.write_stub(table, config)]


@pytest.mark.needs("verilate", "rtl")
def test_vectors_of_all_lanes_run_in_lockstep(tmp_path):
    words = ["lockstep", "vortex_opc_unit", "--rtl", *wide(tmp_path), "--module", "Wide", "--json"]
    words += ["--seeds", "1..2", "--cycles", "20000", "--reports", rut.PLACE.parent / "reports"]
    answer = programs.warplock(*words).json
    assert answer["verdict"] == "PASS"
    assert answer["config"]["simd_width"] == 4
