# SPDX-License-Identifier: Apache-2.0
"""Generated modules of stubs: ports of the core, units, and the wires of a composed block."""

import re

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status, WlkError
from wlk.gen import composed, shell, stubs
from wlk.tables.files import decode

SMALL = {"num_warps": 2, "num_lanes": 3, "num_pregs": 16, "rs_entries": 3, "coll_entries": 1}


def small(name: str) -> tuple[tables.Table, tables.Config]:
    """A table and a small configuration of it."""
    table = tables.load(name)
    return table, table.config({k: v for k, v in SMALL.items() if k in table.params})


def pins(text: str, instance: str) -> dict[str, str]:
    """What the ports of an instance are connected with, blanks left out."""
    body = re.search(rf" {instance} \((.*?)\n  \);", text, re.DOTALL)
    assert body is not None, f"no instance {instance}"
    plain = re.sub(r"\s", "", body[1])
    return dict(re.findall(r"\.(\w+)\(([^()]*)\)", plain))


def members(table: tables.Table, head: str) -> list[str]:
    """Emitted names of one use of the unit `entry`, in table order."""
    return [f"io_{head}_{f.member.replace('.', '_')}" for f in table.unit_members("entry")]


# ---- the shell ----------------------------------------------------------------------------------


def test_unit_is_one_port_with_its_first_field_high():
    table, cfg = small("hazard")
    got = pins(shell.shell_sv(table, cfg), "u_core")
    want = members(table, "ibuf_1_bits") + members(table, "ibuf_0_bits")
    assert got["ibuf_bits_i"] == "{" + ",".join(want) + "}"
    assert got["rsAdmit_bits_ibufEntry_o"] == (
        "{" + ",".join(members(table, "rsAdmit_bits_ibufEntry")) + "}"
    )
    assert got["ibuf_valid_i"] == "{io_ibuf_1_valid,io_ibuf_0_valid}"


def test_unit_parameters_are_places_in_its_port():
    table, cfg = small("hazard")
    core = shell.Core(
        "x_core", ("EntryW", "EntryTokenIndexLsb", "EntryUopWidLsb", "EntryUopInstEssentials3Lsb")
    )
    widths = {p.name: p.width for p in table.ports(cfg)}
    names = members(table, "ibuf_0_bits")

    def below(last: str) -> int:
        return sum(widths[n] for n in names[names.index(f"io_ibuf_0_bits_{last}") + 1 :])

    text = shell.shell_sv(table, cfg, core)
    assert f".EntryW({sum(widths[n] for n in names)})" in text
    assert ".EntryTokenIndexLsb(0)" in text
    assert f".EntryUopWidLsb({below('uop_wid')})" in text
    assert f".EntryUopInstEssentials3Lsb({below('uop_inst_essentials_3')})" in text


def test_array_without_elements_has_ports_of_the_core():
    table, cfg = small("issue_x")
    text = shell.shell_sv(table, cfg)
    got = pins(text, "u_core")
    assert got["ibuf_window_bits_i"] == "'0"
    assert got["ibuf_window_ready_o"] == "unused_ibuf_window_ready_o"
    assert "  wire unused_ibuf_window_ready_o;\n" in text
    assert "_window_" in shell.shell_sv(table, cfg | {"ibuf_window": 2}).partition(");")[0]


def test_unknown_parameter_of_a_core_is_named():
    table, cfg = small("hazard")
    with programs.error(Status.MODEL_ERROR, "EntryX"):
        shell.shell_sv(table, cfg, shell.Core("x_core", ("EntryX",)))


def test_unread_inputs_stay_out_of_the_core():
    table, cfg = small("reservation_station")
    text = shell.shell_sv(table, cfg)
    got = pins(text, "u_core")
    assert not [name for name in got if name.startswith(("writeback_bits_data", "debug"))]
    assert "collector_readData_resp_valid_i" not in got
    unread = re.search(r"unused_inputs = \^\{(.*?)\}", text, re.DOTALL)
    assert "io_writeback_bits_data_2" in unread[1]
    assert "io_admit_bits" not in unread[1]


@pytest.mark.parametrize("block", [n for n in tables.names() if not tables.load(n).instances])
def test_every_port_of_a_shell_is_used_once(block):
    table, cfg = small(block)
    text = shell.shell_sv(table, cfg).partition(");")[2]
    for port in table.ports(cfg):
        assert len(re.findall(rf"\b{port.name}\b", text)) == 1, port.name


# ---- the composed stage -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stage() -> dict[str, str]:
    """Texts of the modules of the composed stage."""
    return composed.module_texts(*small("issue"))


def declared(text: str) -> list[str]:
    """The ports of a module."""
    return re.findall(r"^    (?:in|out)put .*?(\w+),?$", text, re.MULTILINE)


INSTANCES = {
    "hazard": "Hazard",
    "scoreboard": "Scoreboard",
    "reservStation": "ReservationStation",
    "collector": "DuplicatedCollector",
}


def test_stage_is_five_modules(stage):
    assert list(stage) == ["IssueStage", *INSTANCES.values()]
    table, cfg = small("issue")
    assert declared(stage["IssueStage"]) == ["clock", *(p.name for p in table.ports(cfg))]


@pytest.mark.parametrize(("instance", "module"), INSTANCES.items())
def test_stage_connects_every_port_inside(stage, instance, module):
    assert list(pins(stage["IssueStage"], instance)) == declared(stage[module])


def test_stage_wires_what_the_spec_lists(stage):
    text = stage["IssueStage"]
    hazard, board = pins(text, "hazard"), pins(text, "scoreboard")
    station, collector = pins(text, "reservStation"), pins(text, "collector")
    assert hazard["io_ibuf_1_bits_uop_pc"] == "io_ibuf_1_bits_uop_pc"
    assert hazard["io_softReset"] == station["io_softReset"] == "io_softReset"
    assert hazard["io_scb_updateRS_success"] == board["io_hazard_updateRS_success"]
    assert hazard["io_rsAdmit_bits_busy_2"] == station["io_admit_bits_busy_2"]
    assert station["io_scb_updateWB_write_pReg"] == board["io_updateWB_write_pReg"]
    assert station["io_collector_readResp_valid"] == collector["io_readResp_valid"]
    assert station["io_perf_accRsOccupancy"] == "io_perfRS_accRsOccupancy"
    assert hazard["io_perf_1_stallsWAR"] == "io_perfHazard_1_stallsWAR"
    for port in ("valid", "bits_regs_0_enable"):
        assert collector[f"io_writeReq_{port}"] == "io_writeback_valid"
    assert collector["io_writeReq_bits_regs_0_pReg"] == "io_writeback_bits_rd"
    assert collector["io_writeReq_bits_regs_0_data_2"] == "io_writeback_bits_data_2"


def test_stage_gates_operands(stage):
    enable, data = "collector_io_readData_resp_bits_1_enable", "collector_io_readData_resp_bits_1"
    assert f"assign io_operands_1_2 =\n      {enable} ? {data}_data_2 : '0;" in stage["IssueStage"]
    collector = pins(stage["IssueStage"], "collector")
    assert collector["io_readData_resp_bits_1_enable"] == enable


def test_stage_ties_inputs_of_lost_outputs(stage):
    hazard, board = pins(stage["IssueStage"], "hazard"), pins(stage["IssueStage"], "scoreboard")
    assert "io_scb_updateRS_write_decr" not in hazard
    assert board["io_hazard_updateRS_write_decr"] == "'0"
    assert board["io_updateColl_reads_1_incr"] == board["io_updateWB_reads_0_pReg"] == "'0"
    unread = board["io_hazard_warps_1_readRs2_pendingReads"]
    assert unread.startswith("unused_")
    assert stage["IssueStage"].count(unread) == 2


def test_stage_takes_omitted_outputs_for_wires():
    table, cfg = small("issue")
    texts = composed.module_texts(table, cfg, omit=["io_perfRS_cyclesEligible"])
    assert "io_perfRS_cyclesEligible" not in declared(texts["IssueStage"])
    station = pins(texts["IssueStage"], "reservStation")
    assert station["io_perf_cyclesEligible"] == "unused_reservStation_io_perf_cyclesEligible"
    with pytest.raises(WlkError, match="it is read"):
        composed.module_texts(table, cfg, omit=["io_softReset"])


def test_inner_configuration_keeps_equal_names():
    table, cfg = small("issue")
    scoreboard = tables.load("scoreboard")
    cfg["max_pending_reads"] = 3
    got = composed.inner_config(scoreboard, cfg)
    assert got == {"num_warps": 2, "num_pregs": 16, "max_pending_reads": 3} | {
        "max_pending_writes": 1,
        "debug": 0,
    }


def wired(part, **wires):
    """Wires of an instance, dots as `__`; None: without the wire."""

    def change(parts):
        known = parts[part]["wires"]
        known.update({name.replace("__", "."): wire for name, wire in wires.items()})
        for name in [name for name, wire in known.items() if wire is None]:
            del known[name]

    return change


def twice(parts):
    wired("hazard", rsAdmit__ready="softReset")(parts)
    wired("reservStation", admit__ready="hazard:rsAdmit.ready")(parts)


ERRORS = {
    "not wired": (
        wired("collector", readReq=None),
        "reservStation:collector.readReq.ready has 0 drivers",
    ),
    "wired twice": (twice, "hazard:rsAdmit.ready has 2 drivers"),
    "no such port": (wired("hazard", ibux="ibuf"), "hazard: no port 'ibux' to wire"),
    "no such peer": (
        wired("hazard", rsAdmit="reservStation:admitted"),
        "hazard:rsAdmit.ready is wired to reservStation:admitted.ready: no such port",
    ),
    "width": (
        wired("collector", writeReq__bits__regs__0__pReg="writeback.bits.tmask"),
        "collector:writeReq.bits.regs.0.pReg and writeback.bits.tmask do not fit together",
    ),
    "nothing to lose": (
        lambda parts: parts["hazard"]["lost"].append("scb.updateXX"),
        "hazard: no port 'scb.updateXX' to lose",
    ),
    "output left over": (
        wired("hazard", perf=None),
        "io_perfHazard_0_stallsWAW is wired to nothing inside",
    ),
}


@pytest.mark.parametrize(("change", "message"), ERRORS.values(), ids=ERRORS)
def test_wrong_wires_are_named(change, message):
    path = tables.folder("issue") / "block.toml"
    raw = decode(path)
    change({each["name"]: each for each in raw["instance"]})
    table = tables.parse(raw, path)
    with programs.error(Status.MODEL_ERROR, message):
        composed.module_texts(table, small("issue")[1])


# ---- the files ----------------------------------------------------------------------------------


def files(block: str) -> list[str]:
    return [path.name for path in stubs.stub_files(tables.load(block))]


def test_stub_files_are_those_that_are_used():
    assert files("collector") == ["duplicated_collector_core.sv", "prf_bank.sv"]
    assert files("hazard") == ["hazard_core.sv", "rr_arbiter.sv"]
    assert {"collector_x_slots.sv", "rr_arbiter.sv"} <= set(files("issue_x"))
    names = files("issue")
    assert len(names) == len(set(names))
    assert {"rr_arbiter.sv", "prf_bank.sv", "scoreboard_core.sv"} <= set(names)
