# SPDX-License-Identifier: Apache-2.0
"""`warplock opndcoll --compare`: a recording on other configurations, and on its own, where each
instruction must take the steps that were recorded."""

import json
import lzma
from pathlib import Path

import programs
import pytest
from wlk.base.errors import Status
from wlk.run import opndcoll_compare

TOOL = "dpi/wlk-opndcoll"
THREE_READS = "C;I SP 0 0 0,4,8 -;C;X 2;C;X 2;C;X 2;E SP"  # of one bank


def config(name: str) -> Path:
    return programs.recording(f"gpgpusim/{name}.cfg")


def compared(
    commands: str, *others: object, of: object = None, revision: str = "v40", code: int = 0
) -> list[dict]:
    """The configurations of the answer; commands with `;` between them, on QV100."""
    words = ["--revision", revision, "--config", of or config("qv100")]
    words += [word for other in others for word in ("--compare", other)]
    done = programs.run(TOOL, *words, "-", stdin=commands.replace(";", "\n"))
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)["configurations"]


def with_options(folder: Path, *lines: str) -> str:
    """QV100 with other options, as a word of --compare."""
    path = folder / "other.cfg"
    path.write_text("\n".join(lines) + "\n", "ascii")
    return f"+{path}"


def steps(each: dict) -> tuple[int, int, int]:
    """Instructions, their steps added up, the most of one."""
    waited = each["waited"]
    return waited["instructions"], waited["total"], waited["most"]


@pytest.mark.parametrize("name", programs.OPNDCOLL)
def test_compare_own_configuration_repeats_the_recording(name, tmp_path):
    revision, options, _ = name.split("-")
    packed = programs.recording(f"gpgpusim/{name}.stim.xz")
    stimulus = tmp_path / "a.stim"
    stimulus.write_bytes(lzma.decompress(packed.read_bytes()))
    own = config(options)
    words = ["--revision", revision, "--config", own, "--compare", own, stimulus]
    done = programs.run(TOOL, *words)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    first, again = answer["configurations"]
    # Every instruction that was dispatched then; the rest were under way when the recording ended.
    assert first["same"] == answer["recorded"]["instructions"] > 300
    assert first["waited"]["instructions"] == answer["instructions"]
    assert (first["left"], first["delayed"]) == (0, 0)
    assert again == first


def test_compare_counts_steps_from_arrival_to_dispatch(tmp_path):
    own, more = compared(THREE_READS, with_options(tmp_path, "-gpgpu_num_reg_banks 32"))
    assert steps(own) == (1, 5, 5)  # a step to be allocated, three reads, a dispatch
    assert steps(more) == (1, 4, 4)  # R0 and R8 share a bank, R4 has another one
    assert (own["cycles"], more["cycles"]) == (4, 3)
    assert more["summary"]["totals"]["conflicts"] == 1


def test_compare_drops_nothing_that_waits_in_front_of_id_oc(tmp_path):
    """Eight instructions of one scheduler and pipe, in as many core cycles, with one unit that each
    of them keeps for five steps."""
    issues = ";".join(f"C;X 2;E SP;I SP 0 {4 * n} 0,4,8 -" for n in range(8))
    own, one = compared(
        f"{issues};C;X 2;E SP",
        with_options(tmp_path, "-gpgpu_operand_collector_num_units_gen 1"),
    )
    assert own["delayed"] == 0
    assert one["waited"]["instructions"] == 8
    assert one["delayed"] > 8
    assert one["waited"]["most"] > own["waited"]["most"] + 5


def test_compare_keeps_the_order_of_a_warp(tmp_path):
    """The third MEM instruction finds no slot: an SP one of its warp waits, another passes."""
    text = "C;X 2;I MEM 0 0 0,4,8 -;C;X 2;I MEM 0 4 0,4,8 -;C;X 2;I MEM 0 0 0,4,8 -;I SP 0 0 - -;"
    text += ";".join(["C;E SP;X 2;E MEM"] * 9)
    one = with_options(tmp_path, "-gpgpu_operand_collector_num_units_gen 1")
    _, same_warp = compared(text, one)
    _, other_warp = compared(text.replace("SP 0 0", "SP 0 8"), one)
    assert (same_warp["delayed"], other_warp["delayed"]) == (2, 1)


def test_compare_takes_no_more_than_a_busy_pipe_did():
    """The SP pipe leaves what is in OC_EX for four core cycles; then it takes."""
    idle = ";".join(["C;X 2"] * 4)
    [own, _] = compared(f"C;X 2;I SP 0 0 - -;C;X 2;C;X 2;{idle};C;E SP;X 2", config("qv100"))
    assert (own["cycles"], steps(own)) == (8, (1, 2, 2))


def test_compare_writes_back_as_long_after_the_take_as_recorded(tmp_path):
    """Two results of one bank in a window: the one that comes second is lost, as recorded."""
    text = "C;X 2;I SP 0 0 - 8;I INT 1 1 0,1,2 -;C;X 2;C;X 2;C;E SP;X 2;C;X 2;C;V SP;W 1 0 0 8;X 2"
    [own, _] = compared(text + ";C;E INT;X 2", config("qv100"))
    assert own["summary"]["totals"]["written"] == 1
    assert own["summary"]["totals"]["write_refused"] == 1


def test_compare_result_that_never_gets_through_hangs(tmp_path):
    """V32 never writes two registers of a bank, and blocks it in every step; a read of it waits."""
    path = tmp_path / "a.cfg"
    path.write_text("-gpgpu_pipeline_widths 1,1,1,1,1,1,1,1,1,1,1\n-gpgpu_shmem_warp_parts 1\n")
    text = "C;X;W 1 0 0 0,8;C;X;R 1;I SP 0 0 0 -;C;X;C;X;C;X;E SP"
    own, other = compared(text, f"v32:{path}", of=path, code=Status.HANG)
    assert (own["verdict"], own["left"]) == ("PASS", 0)
    assert (other["verdict"], other["left"]) == ("HANG", 1)
    assert (
        opndcoll_compare.with_differences(
            {"recorded": own["waited"], "configurations": [own, other]}
        )["configurations"][1]["saved_steps"]
        is None
    )


def test_compare_steps_of_a_core_cycle_follow_the_options(tmp_path):
    one = with_options(tmp_path, "-gpgpu_reg_file_port_throughput 1")
    own, half = compared(THREE_READS, one)
    assert (own["steps_a_cycle"], half["steps_a_cycle"]) == (2, 1)
    assert (steps(half), half["cycles"]) == ((1, 5, 5), 6)


@pytest.mark.parametrize(
    ("commands", "other", "status", "message"),
    [
        ("X 2;I SP 0 0 - -", "qv100", Status.VACUOUS, "no core cycles (C)"),
        ("C;I SP 0 0 - -", "qv100", Status.VACUOUS, "no steps (X)"),
        ("C;X 2", "qv100", Status.VACUOUS, "no instructions (I)"),
        ("C;I TENSOR 0 0 - -;X", "gtx480", Status.BAD_PARAMS, "no slot of ID_OC for recorded TEN"),
        ("C;I SP 0 0 - -;X", "absent", Status.NO_FILE, "absent.cfg: cannot be opened"),
        ("C;I SP 0 0 - -;X", "v41", Status.USAGE, "revision 'v41': it is v40, v42 or v32"),
    ],
)
def test_compare_refuses(commands, other, status, message):
    path = config("qv100").with_name(f"{other}.cfg")
    word = f"v41:{path}" if other == "v41" else path
    words = ["--config", config("qv100"), "--compare", word, "-"]
    done = programs.run(TOOL, *words, stdin=commands.replace(";", "\n"))
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr


# The subcommand.


def test_compare_prints_a_table():
    stimulus = programs.recording("gpgpusim/v40-qv100-conflict.stim.xz")
    words = (stimulus, "--config", config("qv100"), "--compare", config("titanv"))
    words += ("--compare", f"v42:{config('qv100')}")
    printed = programs.warplock("opndcoll", *words).out
    assert "1,308 instructions in 400 core cycles" in printed
    rows = {line.split()[0]: line.split() for line in printed.splitlines() if line}
    assert int(rows["titanv.cfg"][5].replace(",", "")) < -100_000
    assert int(rows["v42:qv100.cfg"][5].replace(",", "")) > 4000
    answer = programs.warplock("opndcoll", *words, "--json").json
    own, _, newer = answer["configurations"]
    assert (own["saved_steps"], own["saved_cycles"]) == (0, 0)
    assert newer["saved_steps"] == own["waited"]["total"] - newer["waited"]["total"]


def test_compare_words_that_do_not_go_together(tmp_path):
    for words in (["--summary"], ["--state"], ["--diff", "e"]):
        done = programs.warplock("opndcoll", "a", "--compare", "b.cfg", *words, code=Status.USAGE)
        assert "compare" in done.line
