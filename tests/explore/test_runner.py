# SPDX-License-Identifier: Apache-2.0
"""wlk-explore: every way in which a job ends, and that a job is a function of its line."""

import json
import subprocess

import programs
import pytest
from jobs import OPTION1, OPTION2_1, OPTION2_2, SRC, answer, answers, job

SMALL = "num_lanes=2"
HEAD = "warplock-program 1\n"


def program(folder, *lines):
    path = folder / "p.prog"
    path.write_text(HEAD + "".join(f"{line}\n" for line in lines))
    return {"workload": "program", "program": path}


def test_done_counts_what_it_ran():
    a = answer(id="one two", config=SMALL, instructions=500)
    assert (a["id"], a["status"], a["message"]) == ("one two", "DONE", "")
    assert a["issued"] == a["admitted"] == 500
    assert a["ipc"] == pytest.approx(500 / a["cycles"], abs=1e-6)
    assert len(a["warps"]) == 8
    for name, value in a["warps"][0].items():
        assert a["counters"][name] == sum(warp[name] for warp in a["warps"]) >= value
    assert a["counters"]["stallsWAW"] > 0
    assert a["counters"]["prfReads"] > 500
    assert "hang" not in a


def test_same_line_same_answer_and_another_seed_another():
    one, other = job(config=SMALL, seed=3), job(config=SMALL, seed=4)
    first, second, third = answers([one, one, other])
    assert first == second != third
    assert first["cycles"] != third["cycles"]


def test_answers_come_in_the_order_of_the_jobs():
    lines = [job(id=n, instructions=n, config=SMALL) for n in (300, 1, 20)]
    assert [(a["id"], a["issued"]) for a in answers(lines)] == [("300", 300), ("1", 1), ("20", 20)]


def test_an_answer_comes_before_the_next_job():
    command = [str(programs.folder() / "dpi/wlk-explore")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as runner:
        runner.stdin.write(job(id=1, instructions=10) + "\n")
        runner.stdin.flush()
        assert json.loads(runner.stdout.readline())["id"] == "1"
        runner.stdin.close()
        assert runner.wait(timeout=20) == 0


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"config": "collector=nosuch"}, "collector=nosuch"),
        ({"config": "nosuch=1"}, "nosuch"),
        ({"config": "coll_alloc=eager"}, "give alloc_order=age"),
        ({"config": "num_pregs=64"}, "num_pregs is 64"),
        ({"warps": 9}, "num_warps is 8"),
    ],
)
def test_refused(cells, message):
    a = answer(id="x", **cells)
    assert (a["id"], a["status"]) == ("x", "REFUSED")
    assert message in a["message"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "'nonsense' is not key=value"),
        ("nosuch=1", "unknown key 'nosuch'"),
        ("config=src", "config='src' is not KEY=VALUE"),
        ("workload=kernel", "is not stream or program"),
        ("workload=program", "without program=PATH"),
        ("sources=5/25/45", "sources='5/25/45' is not four shares of 100"),
        ("sources=5/25/45/26", "four shares of 100"),
        ("mix=60/20/5/15/0", "four shares of 100"),
        ("reuse=101", "a number from 0 to 100"),
        ("warps=0", "a number from 1 to 32"),
        ("instructions=-1", "instructions='-1' is not a number"),
        ("seed=18446744073709551616", "seed='18446744073709551616'"),
        ("masks=half", "masks='half' is not full"),
        ("latency=4/6/12/60..20", "four latencies"),
        ("latency=4/6/12", "four latencies"),
        ("latency=0/6/12/20", "four latencies"),
    ],
)
def test_a_line_that_is_no_job_names_what_is_wrong(line, message):
    a, after = answers([f"{line}\tid=x", job(id="y", instructions=5)])
    assert (a["id"], a["status"]) == ("x", "ERROR")
    assert message in a["message"]
    assert (after["id"], after["status"]) == ("y", "DONE")


def test_limit():
    a = answer(config=SMALL, max_cycles=100)
    assert (a["status"], a["cycles"]) == ("LIMIT", 100)
    assert 0 < a["issued"] < 100
    assert a["message"] == f"stopped after 100 cycles: {a['issued']} of 8000 instructions issued"


# ---- deadlocks (muon-designs §6.4, §9.2) -------------------------------------------------------


def test_hang_of_option_2_names_the_two_instructions(tmp_path):
    two = program(tmp_path, "0 0x0 x5 - - - * 4 alu", "0 0x4 - x5 - - * 4 alu")
    for config in ("war=stall", f"{SRC} war=stall", f"{SRC} war=stall forwarding=egress"):
        a = answer(config=config, **two)
        assert a["status"] == "HANG", config
        assert a["hang"]["program"] == [
            "warp 0: write r5 (line 2)",
            "warp 0: read r5 (line 3)",
        ]
        assert "write-back: the write of r5 waits for 1 pending read of r5" in a["hang"]["state"]
        assert any("'read r5 (line 3)' waits for the write of r5" in s for s in a["hang"]["state"])
        assert a["cycles"] == 1000 + a["hang"]["cycle"]
    for config in ("", f"{SRC} {OPTION2_1}", f"{SRC} {OPTION2_2}"):
        assert answer(config=config, **two)["status"] == "DONE", config


def test_hang_at_the_head_of_line_names_the_three_instructions(tmp_path):
    # muon-designs §9.2: i2's write waits for i1's read, i1 for i0's write, which is behind i2's.
    three = program(
        tmp_path,
        "0 0x0 x9 - - - * 40 alu",
        "0 0x4 x11 x5 x9 - * 4 alu",
        "0 0x8 x5 - - - * 4 alu",
    )
    a = answer(config="war=epoch", **three)
    assert a["status"] == "HANG"
    assert a["hang"]["program"] == [
        "warp 0: write r5 (line 4)",
        "warp 0: write r9 (line 2)",
        "warp 0: read r5 r9, write r11 (line 3)",
    ]
    assert answer(config="war=epoch wb_buffer=25", **three)["status"] == "DONE"


def test_hang_of_what_is_never_admitted_names_the_head(tmp_path):
    # muon-issue §4: an instruction without a register.
    a = answer(**program(tmp_path, "0 0x0 x1 - - - * 4 alu", "1 0x0 - - - - * 4 alu"))
    assert a["status"] == "HANG"
    assert a["hang"]["program"] == ["warp 1: no register (line 3)"]
    assert "can never be admitted" in a["hang"]["state"][-1]


def test_a_long_latency_is_no_hang(tmp_path):
    slow = program(tmp_path, "0 0x0 x5 - - - * 5000 lsu", "0 0x4 - x5 - - * 1 alu")
    a = answer(idle=10, **slow)
    assert a["status"] == "DONE"
    assert a["cycles"] > 5000


# ---- programs ---------------------------------------------------------------------------------


def test_kernels_run_at_each_kind_of_point():
    kernels = sorted((programs.ROOT / "vectors/kernels").glob("*.prog"))
    assert len(kernels) == 3
    configs = ["", SRC, f"{SRC} {OPTION1}", f"{SRC} {OPTION2_2} ibuf_window=4"]
    configs += [SRC.replace("src_banked", "inst_banked") + " issue_ports=4"]
    lines = [job(config=c, workload="program", program=k) for k in kernels for c in configs]
    found = answers(lines)
    assert {a["status"] for a in found} == {"DONE"}
    for a, b in zip(found[::5], found[1::5], strict=True):
        assert a["issued"] == b["issued"] > 500


def test_registers_that_warps_share_are_read_in_order_of_admission(tmp_path):
    shared = program(
        tmp_path, "0 0x0 x5 - - - * 4 alu", "1 0x0 x6 x5 - - * 4 alu", "0 0x4 x5 x6 - - * 4 alu"
    )
    assert answer(**shared)["status"] == "DONE"
    a = answer(config=f"{SRC} ibuf_window=2", **shared)
    assert a["status"] == "REFUSED"
    assert "several warps use x5" in a["message"]


def test_a_program_that_does_not_fit_the_configuration_is_refused(tmp_path):
    a = answer(config="num_pregs=4", **program(tmp_path, "0 0x0 x5 - - - * 4 alu"))
    assert a["status"] == "REFUSED"
    assert "p.prog:2: column rd" in a["message"]


def test_a_program_larger_than_memory_is_an_error_before_it_is_read(tmp_path):
    large = tmp_path / "large.prog"
    large.write_text(HEAD)
    with large.open("r+b") as file:
        file.truncate(1 << 42)  # a hole takes no disk
    a, after = answers([job(workload="program", program=large), job(instructions=5)])
    assert a["status"] == "ERROR"
    assert "large.prog: 4194304 MB of text" in a["message"]
    assert "give a shorter program" in a["message"]
    assert after["status"] == "DONE"


@pytest.mark.parametrize("path", ["nosuch.prog", "/dev/zero", "/"])
def test_a_program_that_is_no_file_is_an_error(path):
    a = answer(workload="program", program=path)
    assert a["status"] == "ERROR"
    assert path in a["message"]


def test_a_program_that_changes_is_read_again(tmp_path):
    command = [str(programs.folder() / "dpi/wlk-explore")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    counts = []
    with subprocess.Popen(command, **pipes) as runner:
        for n in (1, 1, 2):
            cells = program(tmp_path, *["0 0x0 x1 - - - * 4 alu"] * n)
            runner.stdin.write(job(**cells) + "\n")
            runner.stdin.flush()
            counts.append(json.loads(runner.stdout.readline())["issued"])
        runner.stdin.close()
    assert counts == [1, 1, 2]


# ---- the program itself -----------------------------------------------------------------------


def test_an_argument_is_a_usage_error():
    assert programs.run("dpi/wlk-explore", "x", stdin="").returncode == 2


def test_a_full_disk_is_an_exit_code():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [str(programs.folder() / "dpi/wlk-explore")],
            input=job(instructions=5) + "\n",
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 25
    assert "cannot write" in done.stderr


# ---- values (§9.1): a part of what §9.3 drew ----------------------------------------------------

ORGANISATIONS = {
    "duplicated": "coll_depth={d} reg_banks={n}",
    "src": "collector=src_banked coll_banks=4 coll_depth={d} reg_banks={n}",
    "inst": "collector=inst_banked coll_banks=4 coll_depth={d} reg_banks={n}",
    "caching": "collector=caching coll_depth={d} reg_banks={n}",
}
POLICIES = {
    "gate": "alloc_rows={r}",
    "eager": "coll_alloc=eager alloc_order=age alloc_rows={r}",
    "egress": "coll_alloc=eager alloc_order=age forwarding=egress alloc_rows={r} bank_map=mod",
    "option1": f"{OPTION1} alloc_rows={{r}}",
    "option2_1": f"{OPTION2_1} alloc_order=age bank_map=mod ibuf_window=3",
    "option2_2": f"{OPTION2_2} alloc_order=age alloc_rows={{r}} ibuf_window=5",
    "buffer": "war=epoch wb_buffer=97 coll_alloc=eager alloc_order=age alloc_rows={r}",
    "broadcast": "coll_alloc=eager alloc_order=age read_broadcast=1 alloc_rows={r} bank_map=mod",
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("organisation", ORGANISATIONS)
def test_operands_are_the_interpreters(organisation, policy):
    if organisation == "caching" and "coll_alloc=eager" not in POLICIES[policy]:
        pytest.skip("a caching collector has eager allocation (muon-designs §1)")
    lines = []
    for seed, (rows, depth, banks) in enumerate([(1, 1, 1), (4, 2, 2), (8, 8, 4), (32, 3, 8)]):
        config = f"{ORGANISATIONS[organisation]} {POLICIES[policy]}".format(
            d=depth, n=banks, r=min(rows, 3)
        )
        config += f" rs_entries={rows} num_lanes={2 + seed}"
        for masks in ("full", "50random"):
            lines.append(job(config=config, masks=masks, seed=seed, instructions=1500))
    for line, a in zip(lines, answers(lines), strict=True):
        assert a["status"] == "DONE", (line, a["message"])
