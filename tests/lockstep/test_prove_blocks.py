# SPDX-License-Identifier: Apache-2.0
"""Proofs of the blocks: second versions of the stubs are PROVED, faults are REFUTED.

`warplock test --full` takes all configurations and all faults of the lists; else a few of each.
"""

import dataclasses
import threading
from pathlib import Path

import programs
import pytest
import rtl_under_test as rut
import second
from wlk import tables
from wlk.base.errors import Status
from wlk.gen import stubs
from wlk.prove.engines import Answer
from wlk.run import mutate
from wlk.run import prove as prover

pytestmark = [pytest.mark.slow, pytest.mark.needs("prove")]

# Named configurations, and others; the first is the quickest.
CONFIGS = {
    "collector": [
        "tiny",
        "one_lane",
        "three_entries",
        "two_banks",
        "num_lanes=1 num_pregs=8 coll_entries=2 debug=1",
        "num_lanes=2 num_pregs=16 coll_entries=5 reg_banks=4",
    ],
    "scoreboard": [
        "tiny",
        "num_warps=1 num_pregs=4 max_pending_reads=1",
        "num_warps=2 num_pregs=4 max_pending_reads=2",
        "num_warps=3 num_pregs=4 max_pending_reads=3",
        "num_warps=1 num_pregs=8 max_pending_reads=1 debug=1",
        "num_warps=1 num_pregs=4 max_pending_reads=7",
    ],
    "hazard": [
        "one_warp",
        "warps2",
        "warps3",
        "num_warps=5 num_lanes=1 num_pregs=16",
        "num_warps=2 num_lanes=2 num_pregs=8 max_pending_reads=1",
        "num_warps=3 num_lanes=1 num_pregs=16 debug=1",
    ],
    "reservation_station": [
        "tiny",
        "one_row",
        "rows2",
        "num_warps=2 num_lanes=1 num_pregs=16 rs_entries=3 coll_entries=2",
        "num_warps=1 num_lanes=1 num_pregs=8 rs_entries=2 forward_coll_issue=0",
        "num_warps=2 num_lanes=1 num_pregs=8 rs_entries=3 in_order_per_warp=1",
    ],
    "issue": [
        "num_warps=1 num_lanes=1 num_pregs=4 rs_entries=1 coll_entries=1",
        "num_warps=2 num_lanes=1 num_pregs=4 rs_entries=2 coll_entries=1",
        "num_warps=1 num_lanes=1 num_pregs=8 rs_entries=2 max_pending_reads=1",
        "num_warps=2 num_lanes=1 num_pregs=4 rs_entries=2 in_order_per_warp=1",
        "num_warps=1 num_lanes=1 num_pregs=4 rs_entries=2 forward_coll_issue=0",
        "num_warps=1 num_lanes=2 num_pregs=4 rs_entries=1 coll_entries=2 debug=1",
    ],
    "collector_x": [
        "num_lanes=1 num_pregs=4 rs_entries=1 collector=src_banked coll_depth=2 reg_banks=2 "
        "bank_map=mod forwarding=must",
        "num_lanes=1 num_pregs=4 rs_entries=1 coll_depth=1",
        "num_lanes=1 num_pregs=4 rs_entries=2 collector=inst_banked coll_banks=2 coll_depth=1 "
        "reg_banks=2 issue_ports=2 forwarding=egress",
        "num_lanes=1 num_pregs=4 rs_entries=1 collector=caching coll_depth=1",
        "num_lanes=1 num_pregs=4 rs_entries=2 collector=caching coll_depth=2 reg_banks=2 "
        "bank_map=mod forwarding=egress",
        "num_lanes=1 num_pregs=8 rs_entries=2 coll_depth=2 reg_banks=4 bank_map=mod "
        "forwarding=must",
    ],
    "issue_x": [
        "num_warps=1 num_lanes=1 num_pregs=4 rs_entries=1 collector=src_banked coll_depth=1 "
        "reg_banks=2 bank_map=mod coll_alloc=admit alloc_order=age forwarding=egress war=epoch "
        "ibuf_window=2",
        "num_warps=1 num_lanes=1 num_pregs=4 rs_entries=1 coll_depth=1",
        "num_warps=1 num_lanes=1 num_pregs=4 rs_entries=1 collector=inst_banked coll_banks=2 "
        "coll_depth=1 coll_alloc=eager alloc_order=age forwarding=egress issue_ports=2",
        "num_warps=1 num_lanes=1 num_pregs=4 rs_entries=1 collector=caching coll_depth=1 "
        "coll_alloc=eager alloc_order=age forwarding=egress",
        "num_warps=1 num_lanes=1 num_pregs=4 rs_entries=1 coll_depth=1 coll_alloc=admit "
        "forwarding=must war=stall count_forwarded_reads=0",
        "num_warps=1 num_lanes=1 num_pregs=4 rs_entries=1 coll_depth=1 war=epoch wb_buffer=2",
    ],
    "compactor": ["three_to_two", "default", "one", "wires", "four_to_one", "five_to_two"],
    "dispatch_basic": ["boom_small", "two_wide", "v4_narrow", "one_queue", "v4_odd", "masks"],
    "dispatch_compacting": ["two_to_one", "one", "no_compaction", "one_queue", "v4", "masks"],
    "vortex_scoreboard": [
        "two_warps",
        "num_warps=1 num_threads=1 ext_f_enable=0",
        "num_warps=3 num_threads=1 ext_f_enable=0 ndebug=1",
        "num_warps=4 num_threads=1 ext_f_enable=0 ndebug=1",
        "num_warps=13 num_threads=1 ext_f_enable=0 ndebug=1",
        "num_warps=2 num_threads=2 xlen=64 ext_f_enable=0 perf_enable=1",
    ],
    "vortex_opc_unit": [
        "tiny",
        "one_bank",
        "num_warps=2 num_threads=2 simd_width=1 num_gpr_banks=2 ext_f_enable=0 out_buf=0",
        "num_warps=1 num_threads=3 simd_width=1 num_gpr_banks=4 ext_f_enable=0 out_buf=1",
        "num_warps=2 num_threads=2 simd_width=2 num_gpr_banks=2 ext_f_enable=0 simulation=0",
        "num_warps=1 num_threads=2 simd_width=1 num_gpr_banks=2 ext_f_enable=0 out_buf=4",
    ],
    "vortex_operands": [
        "tiny",
        "num_warps=2 num_threads=1 simd_width=1 num_opcs=2 num_gpr_banks=2 ext_f_enable=0",
        "num_warps=2 num_threads=2 simd_width=1 num_opcs=2 num_gpr_banks=2 ext_f_enable=0 ndebug=1",
        "num_warps=3 num_threads=1 simd_width=1 num_opcs=3 num_gpr_banks=1 ext_f_enable=0 ndebug=1",
        "num_warps=4 num_threads=1 simd_width=1 num_opcs=2 num_gpr_banks=2 ext_f_enable=0 ndebug=1",
        "num_warps=1 num_threads=2 simd_width=1 num_opcs=1 num_gpr_banks=4 ext_f_enable=0",
    ],
}
BLOCKS = sorted(CONFIGS)
RESPONSE = "io_readData_resp_bits_0_data_1"
# Those of the stage are the ones of its parts; CI proves it part by part below.
STYLES = dict.fromkeys(BLOCKS, second.STYLES) | {"issue": second.STYLES * programs.FULL}
# One of each list, which shows in the first configuration; all of them in their own with --full.
FAULTS = {
    "collector": "write_mask_ignored",
    "collector_x": "write_without_commit",
    "compactor": "data_not_moved",
    "dispatch_basic": "everyone",
    "dispatch_compacting": "idle_always_ready",
    "hazard": "waw_ignored",
    "issue": "write_back_late",
    "issue_x": "waw_passes",
    "vortex_scoreboard": "wrong_warp_number",
    "vortex_opc_unit": "gather_needs_valid",
    "vortex_operands": "stalls_at_once",
    "reservation_station": "freed_row_stays",
    "scoreboard": "writeback_direction",
}
CASES = [
    (block, style, number)
    for block in BLOCKS
    for style in programs.part(STYLES[block], len(STYLES[block]) or 1)
    for number in range(len(CONFIGS[block]) if programs.FULL else 1)
]


def settings(block: str, text: str) -> tables.Config:
    """A named configuration, or one of parameters."""
    table = tables.load(block)
    named = text in table.configs
    return table.config(table.configs[text] if named else tables.settings(text, "CONFIGS"))


def prove(block: str, config: tables.Config, rtl: list[Path], code: int | None) -> programs.Done:
    """`prove --json` with nothing left open."""
    table = tables.load(block)
    words = [word for k, v in table.show(config).items() for word in ("--config", f"{k}={v}")]
    place = rut.PLACE.parent / "reports"
    words += ["--rtl", *rtl, "--module", table.module, "--json", "--reports", place]
    return programs.warplock("prove", block, *words, code=code)


def test_configurations_are_enough():
    assert CONFIGS.keys() == {*tables.names()} - {"opndcoll"}
    assert min(len({*texts}) for texts in CONFIGS.values()) >= 6


@pytest.mark.parametrize(("block", "style", "number"), CASES)
def test_second_version_is_proved(block, style, number):
    config = settings(block, CONFIGS[block][number])
    table = tables.load(block)
    place = second.write(table, config, style)
    answer = prove(block, config, [place], 0).json
    assert answer["verdict"] == "PROVED"
    assert answer["config"] == table.show(config)
    assert answer["not_compared"] == []
    outputs = [port for port in table.ports(config) if port.direction == "out"]
    assert answer["outputs"] == len(outputs)


def test_stage_is_proved_part_by_part():
    config = settings("issue", CONFIGS["issue"][1])
    place = second.write(tables.load("issue"), config, "renamed")
    answer = prove("issue", config, [place], 0).json
    inner = ("hazard", "scoreboard", "reservation_station", "collector", "wiring", "composition")
    assert answer["notes"] == [f"proved part by part: {', '.join(inner)}"]


def test_fault_of_a_part_is_found_beside_the_parts(monkeypatch):
    """Lockstep begins with the parts, and what it finds ends their proofs."""

    def late(question: object, limits: object, seen: object, **more: object) -> object:
        programs.wait_for(seen, 120)
        return Answer(Status.BOUNDED, 1), False

    monkeypatch.setattr(prover, "BESIDE", 0.0)
    monkeypatch.setattr(prover, "decide", late)
    core = "reservation_station_core.sv"
    edit = {core: ("assign candidates = complete & oldest;", "assign candidates = complete;")}
    config = settings(
        "issue",
        "num_warps=1 num_lanes=1 num_pregs=4 rs_entries=2 coll_entries=1 in_order_per_warp=1",
    )
    place = rut.stub(
        "out_of_order", rut.tables.load("issue").show(config), edit=edit, block="issue"
    )
    answer = prove("issue", config, [place], Status.REFUTED).json
    assert answer["counterexample"]["by"].startswith("lockstep, seed ")
    assert "notes" not in answer


@pytest.mark.skipif(not programs.FULL, reason="takes minutes; `warplock test --full` runs it")
@pytest.mark.parametrize("style", second.STYLES)
@pytest.mark.parametrize("block", BLOCKS)
def test_second_version_passes_in_lockstep(block, style):
    table = tables.load(block)
    for text in CONFIGS[block]:
        config = settings(block, text)
        place = second.write(table, config, style)
        words = programs.config_options(table.show(config))
        assert rut.run_rtl(place, *words, block=block).json["verdict"] == "PASS"


def refuted(block: str, fault: mutate.Fault) -> str:
    """What is wrong with the answer to a fault; empty: nothing."""
    table = tables.load(block)
    config = table.config(fault.config) if programs.FULL else settings(block, CONFIGS[block][0])
    files = mutate.mutant(table, fault, stubs.write_stub(table, config))
    answer = prove(block, config, files, None).json
    if answer.get("verdict") != "REFUTED" or "first" not in answer:
        return f"{fault.name}: {answer}"
    sure = answer["counterexample"]["confirmed"] and answer["first"]["care"] != "0x0"
    port = answer["first"]["port"]
    known = mutate.is_expected(port, fault.expect)
    return "" if sure and known else f"{fault.name}: {port}: {answer['counterexample']}"


@pytest.mark.parametrize("block", BLOCKS)
def test_faults_are_refuted_and_lockstep_agrees(block, capsys):
    faults = mutate.load(block)
    chosen = [fault for fault in faults if programs.FULL or fault.name == FAULTS[block]]
    wrong = [text for text in (refuted(block, fault) for fault in chosen) if text]
    assert chosen
    with capsys.disabled():
        count = len(chosen) - len(wrong)
        print(f"\n{block}: {count} of {len(chosen)} refuted, {count} agree with lockstep")
    assert wrong == []


@pytest.mark.parametrize(
    ("old", "new", "port", "cycles", "more"),
    [
        ("read_ready = (", "read_ready = !(", "io_readReq_ready", 2, {}),
        # Shows that a row is no longer 0, which is only known from zeros.
        (
            "if (write_mask_i[lane])",
            "if (write_mask_i[lane] || lane == 1)",
            RESPONSE,
            4,
            {"from_zero": True},
        ),
    ],
)
def test_fault_in_a_second_version_is_refuted(old, new, port, cycles, more):
    table, config = tables.load("collector"), settings("collector", "tiny")
    place = second.write(table, config, "recoded", (old, new))
    answer = prove("collector", config, [place], Status.REFUTED).json
    assert answer["first"]["port"] == port
    assert answer["first"]["cycle"] == cycles - 1
    assert answer["counterexample"] | {"file": ""} == {
        "cycles": cycles,
        "file": "",
        "confirmed": True,
        "by": "the engines",
        **more,
    }


@pytest.mark.parametrize(
    ("initial", "later", "code", "is_noted"),
    [
        ("", "<", Status.REFUTED, True),  # 0 means the last warp
        ("initial last_q = '1;", "<", Status.OK, False),
        ("initial last_q = '1;", "<=", Status.REFUTED, False),
    ],
)
def test_register_of_another_meaning_that_no_reset_reaches(
    initial, later, code, is_noted, tmp_path
):
    table, config = tables.load("hazard"), settings("hazard", "warps2")
    files = []
    for source in stubs.write_stub(table, config):
        text = source.read_text()
        if source.name == "rr_arbiter.sv":
            for old, new in (
                ("last_q;\n", f"last_q; {initial}\n"),
                ("last_q <= choice_o", "last_q <= ~choice_o"),
                ("{1'b0, last_q} <", f"{{1'b0, ~last_q}} {later}"),
            ):
                assert text.count(old) == 1, old
                text = text.replace(old, new)
        files.append(tmp_path / source.name)
        files[-1].write_text(text)
    done = prove("hazard", config, files, code)
    assert done.json.get("counterexample", {}).get("from_zero", False) == is_noted


def test_counterexample_that_differs_sooner_is_cut(monkeypatch):
    """What an engine leaves out of a long one may let a shorter one through."""
    decide = prover.decide

    def late(*given: object, **more: object) -> tuple:
        answer, kept = decide(*given, **more)
        values = [*answer.values, *answer.values[-1:] * 3]
        return dataclasses.replace(answer, depth=answer.depth + 3, values=values), kept

    monkeypatch.setattr(prover, "decide", late)
    config = settings("collector", "tiny")
    edit = {rut.CORE: ("read_ready = (", "read_ready = !(")}
    place = rut.stub("differs_sooner", rut.TABLE.show(config), edit=edit)
    answer = prove("collector", config, [place], Status.REFUTED).json
    assert answer["counterexample"]["confirmed"]
    assert answer["counterexample"]["cycles"] == answer["depth"] == 2
    assert answer["first"]["cycle"] == 1


@pytest.mark.parametrize("fault", [False, True])
def test_difference_from_power_up_alone_is_noted(fault, monkeypatch):
    dead = "logic [31:0] dead_q; always_ff @(posedge clk_i) dead_q <= dead_q; "
    ready = "assign writeReq_ready_o = "
    wrong = " && alloc_valid_q != '1" * fault
    edit = {rut.CORE: (f"{ready}1'b1", f"{dead}{ready}dead_q == '0{wrong}")}
    config = settings("collector", "tiny")
    place = rut.stub(f"ready_from_power_up_{fault}", rut.TABLE.show(config), edit=edit)
    settle = prover._settle

    def late(asked: object, proof: prover.Proof, *rest: object) -> None:
        programs.wait_for(rest[-1] if fault else lambda: proof.notes, 60)
        settle(asked, proof, *rest)

    monkeypatch.setattr(prover, "BESIDE", 0.0)
    monkeypatch.setattr(prover, "_settle", late)
    answer = prove("collector", config, [place], Status.REFUTED if fault else 0).json
    assert f"{prover.UNCOUNTED}: cycle 1, io_writeReq_ready (seed 1)" in answer["notes"]
    if fault:
        assert answer["counterexample"]["by"] == "lockstep, seed 1, shortened"


def test_simulation_that_is_ended_beside_a_proof_says_nothing(monkeypatch):
    begun, errors, settle = [], [], prover._settle
    execute = prover.lockstep.execute

    def ended(job: object) -> object:
        if threading.current_thread() is threading.main_thread():
            return execute(job)  # the simulation after the proof
        begun.append(job)
        raise KeyboardInterrupt

    def late(*given: object) -> None:
        programs.wait_for(lambda: begun, 60)
        settle(*given)

    monkeypatch.setattr(prover, "BESIDE", 0.0)
    monkeypatch.setattr(prover, "_settle", late)
    monkeypatch.setattr(prover.lockstep, "execute", ended)
    monkeypatch.setattr(threading, "excepthook", errors.append)
    config = settings("collector", "tiny")
    prove("collector", config, [rut.stub("ended_beside", rut.TABLE.show(config))], 0)
    assert errors == []
