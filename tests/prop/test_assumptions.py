# SPDX-License-Identifier: Apache-2.0
"""Protocol rules as assumptions of a proof: a stub against itself with a change that only illegal
inputs show is refuted without them and proved with them; one that legal inputs show is refuted."""

from pathlib import Path
from typing import NamedTuple

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status
from wlk.gen import stubs
from wlk.prove import engines, miter, netlist
from wlk.run import prove, question

pytestmark = [pytest.mark.slow, pytest.mark.needs("prove")]
LIMITS = engines.Limits(60)


class Change(NamedTuple):
    """A place in a file of the stub, what only illegal inputs show, and what legal ones do."""

    config: dict[str, str | int]
    file: str
    old: str
    hidden: str
    wrong: str


VORTEX = {"num_warps": 2, "ext_f_enable": 0, "ndebug": 1}
PACKETS = {"num_threads": 2, "simd_width": 1, "num_gpr_banks": 2}
META = "    sop,\n    eop\n  };\n"
EMPTY = "!rst_i && sb_valid_i && (sb_data_i[InstrTmaskLsb+:NumThreads] == '0)"
NO_THREAD = f"    ({EMPTY}) ? !sop : sop,\n    eop\n  }};\n"
WRONG_META = "    !sop,\n    eop\n  };\n"
CHANGES = {
    "collector": Change(
        {"num_lanes": 2, "num_pregs": 16, "coll_entries": 3},
        "duplicated_collector_core.sv",
        "free_now = readData_req_valid_i && ",
        "free_now = readData_req_valid_i && (rst_i || readData_resp_valid_o) && ",
        "free_now = readData_req_valid_i && !readData_resp_valid_o && ",
    ),
    "collector_x": Change(
        {"num_lanes": 1, "num_pregs": 4, "rs_entries": 1, "coll_depth": 1},
        "collector_x_core.sv",
        "(read_op_q[lane*2+:2] == 2'(op)) &&",
        "(lane == op) &&",
        "(lane != op) &&",
    ),
    "issue_x": Change(
        {"num_warps": 1, "num_lanes": 1, "num_pregs": 4, "rs_entries": 1}
        | {"collector": "inst_banked", "coll_banks": 3, "coll_depth": 1},
        "issue_x_admit.sv",
        "fu_o = fus[32'(choice)*FuW+:FuW];",
        "fu_o = &fus[32'(choice)*FuW+:FuW] ? 2'd0 : fus[32'(choice)*FuW+:FuW];",
        "fu_o = |fus[32'(choice)*FuW+:FuW] ? 2'd0 : fus[32'(choice)*FuW+:FuW];",
    ),
    "opndcoll": Change(
        tables.load("opndcoll").configs["tiny"] | {"num_warps": 3},
        "operand_collector_core.sv",
        "issue_bits_wid_i[port*WarpW+:WarpW],",
        "WarpW'(issue_bits_wid_i[port*WarpW+:WarpW] % NumWarps),",
        "~issue_bits_wid_i[port*WarpW+:WarpW],",
    ),
    "reservation_station": Change(
        {"num_warps": 2, "num_lanes": 2, "num_pregs": 16, "rs_entries": 2},
        "reservation_station_row.sv",
        "op_ready_q <= admit_op_ready_i;",
        "op_ready_q <= admit_op_ready_i & ~admit_busy_i;",
        "op_ready_q <= admit_busy_i;",
    ),
    "vortex_scoreboard": Change(
        VORTEX | {"num_threads": 1},
        "vx_scoreboard_core.sv",
        "inuse_d[wb_data_rd_i] = 1'b0;",
        "inuse_d[wb_data_rd_i] = !inuse_q[wb_data_rd_i];",
        "inuse_d[wb_data_rd_i] = inuse_q[wb_data_rd_i];",
    ),
    "vortex_opc_unit": Change(VORTEX | PACKETS, "vx_opc.sv", META, NO_THREAD, WRONG_META),
    "vortex_operands": Change(
        VORTEX | PACKETS | {"num_opcs": 2}, "vx_opc.sv", META, NO_THREAD, WRONG_META
    ),
}


class Pair:
    """A block's stub, and the same with a change, in a folder."""

    def __init__(self, block: str, new: str, place: Path) -> None:
        change, self.place, self.table = CHANGES[block], place, tables.load(block)
        self.config = self.table.config(change.config)
        files = stubs.write_stub(self.table, self.config)
        texts = {path.name: path.read_text(encoding="utf-8") for path in files}
        assert texts[change.file].count(change.old) == 1
        texts[change.file] = texts[change.file].replace(change.old, new)
        for name, text in texts.items():
            (place / name).write_text(text, encoding="utf-8")
        self.files = [place / name for name in texts]
        both = (netlist.Source(each, self.table.module) for each in (files, self.files))
        self.sides = [netlist.read(each) for each in both]

    def decide(self, rules: miter.Rules | None) -> Status:
        outputs = {port.name for port in self.table.ports(self.config)}
        compared = question.compared_ports(self.table, self.config, outputs)
        asked = question.Question(*self.sides, compared, rules=rules)
        return question.decide(asked, LIMITS, fresh=True)[0].verdict

    def rules(self) -> miter.Rules:
        return question.rules_of(self.table, self.config)


@pytest.mark.parametrize("block", CHANGES)
def test_rules_hide_what_only_illegal_inputs_show(block: str, tmp_path: Path) -> None:
    pair = Pair(block, CHANGES[block].hidden, tmp_path)
    assert pair.decide(None) == Status.REFUTED
    assert pair.decide(pair.rules()) == Status.OK


@pytest.mark.parametrize("block", CHANGES)
def test_rules_hide_nothing_else(block: str, tmp_path: Path) -> None:
    pair = Pair(block, CHANGES[block].wrong, tmp_path)
    assert pair.decide(pair.rules()) == Status.REFUTED


CONTRADICTION = """
module contradiction (
    input  logic reset,
    input  logic io_issue_0_valid,
    input  logic io_wb_0_valid,
    output logic wlk_rule_always,
    output logic wlk_rule_any,
    output logic wlk_rule_never
);
  assign wlk_rule_always = !reset && !io_issue_0_valid;
  assign wlk_rule_any = !reset && io_wb_0_valid;
  assign wlk_rule_never = !reset && io_issue_0_valid;
endmodule
"""


def test_rules_that_exclude_each_other_prove_nothing(tmp_path: Path) -> None:
    pair = Pair("opndcoll", CHANGES["opndcoll"].hidden, tmp_path)
    rules = miter.Rules(CONTRADICTION, "contradiction", "reset")
    with programs.error(Status.VACUOUS, "no inputs keep always and never outside of reset"):
        pair.decide(rules)


def test_command_assumes_rules_where_it_must(tmp_path: Path) -> None:
    pair = Pair("reservation_station", CHANGES["reservation_station"].hidden, tmp_path)
    words = ("prove", "reservation_station", "--rtl", *pair.files, "--config", "rs_entries=2")
    words += ("--reports", tmp_path / "reports", "--json")
    proved = programs.warplock(*words).json
    assert proved["verdict"] == "PROVED"
    assert "rule collected_operand_busy is kept" in proved["assumptions"]
    refuted = programs.warplock(*words, "--no-assume", code=Status.REFUTED).json
    assert len(refuted["assumptions"]) == len(proved["assumptions"]) - 1
    excuse = refuted["counterexample"]["excuse"]
    assert excuse == "it breaks collected_operand_busy, where simulation stops"


def test_answer_says_what_it_holds_for() -> None:
    proof = prove.Proof("x", "m", {}, engines.Answer(Status.OK), assumptions=[prove.START])
    assert "for all inputs" in proof.text()
    proof.rules = ["kept_one"]
    assert "for all legal inputs" in proof.text()
    assert proof.json()["assumptions"] == [prove.START, "rule kept_one is kept"]


def test_every_block_with_rules_is_tried() -> None:
    assert {name for name in tables.names() if tables.load(name).rules} == CHANGES.keys()
