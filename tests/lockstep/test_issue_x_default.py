# SPDX-License-Identifier: Apache-2.0
"""By default the stub of `issue_x` is the stage that exists as RTL (muon-designs §1): as RTL of the
block `issue` it passes in lockstep, and `prove` proves it equal to that block's stub."""

from pathlib import Path

import programs
import pytest
import rtl_under_test as rut
from wlk import tables
from wlk.base.errors import Status
from wlk.gen import stubs

pytestmark = pytest.mark.slow

STAGE, DESIGN = tables.load("issue"), tables.load("issue_x")
SMALL = {"num_warps": 2, "num_lanes": 1, "num_pregs": 32, "rs_entries": 4, "coll_entries": 2}
# For all inputs and all cycles; four registers are beyond ten minutes.
TINY = {"num_warps": 1, "num_lanes": 1, "num_pregs": 2, "rs_entries": 1, "coll_entries": 1}
TINY |= {"max_pending_reads": 3}
# A write after a pending read is admitted.
FAULT = ("(War == 0) && has_rd_i[n]", "1'b0 && has_rd_i[n]")


def design_as_stage(config: dict, fault: tuple[str, str] = ("", "")) -> Path:
    """A folder with the stub of `issue_x` in a module that has the ports of `issue`."""
    place = rut.folder(f"design_as_stage_{len(fault[0])}_{config['num_pregs']}")
    given = {"coll_depth" if k == "coll_entries" else k: v for k, v in config.items()}
    ports = STAGE.ports(STAGE.config(config))
    heads = [f"{p.direction}put wire [{p.width - 1}:0] {p.name}" for p in ports]
    pins = [f".{name}({name})" for name in ("clock", *(p.name for p in ports))]
    text = f"module {STAGE.module} (input wire clock, {', '.join(heads)});\n"
    text += f"  {DESIGN.module} design_x ({', '.join(pins)});\nendmodule\n"
    (place / f"{STAGE.module}.sv").write_text(text, encoding="utf-8")
    for path in stubs.write_stub(DESIGN, DESIGN.config(given)):
        text = path.read_text(encoding="utf-8")
        if fault[0] and fault[0] in text:
            text = rut.changed(text, *fault, path)
        (place / path.name).write_text(text, encoding="utf-8")
    return place


def stage() -> Path:
    """A folder with the stub of `issue`."""
    place = rut.folder("stage_alone")
    for path in stubs.write_stub(STAGE, STAGE.config(TINY)):
        (place / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    return place


@pytest.mark.parametrize(("fault", "code"), [(("", ""), 0), (FAULT, rut.FAILS)])
def test_design_passes_as_the_stage(fault, code):
    words = ["--module", STAGE.module, "--bind", "stage", *programs.config_options(SMALL)]
    rut.run_rtl(design_as_stage(SMALL, fault), *words, block="issue", code=code)


@pytest.mark.needs("prove")
@pytest.mark.skipif(not programs.FULL, reason="takes minutes; `warplock test --full` runs it")
@pytest.mark.parametrize(("fault", "code"), [(("", ""), Status.OK), (FAULT, Status.REFUTED)])
def test_design_is_proved_equal_to_the_stage(fault, code):
    words = ["--rtl", design_as_stage(TINY, fault), "--against", stage(), "--module", STAGE.module]
    words += ["--json", "--reports", rut.PLACE.parent / "reports"]
    answer = programs.warplock("prove", *words, code=code).json
    outputs = [port for port in STAGE.ports(STAGE.config(TINY)) if port.direction == "out"]
    assert answer["outputs"] == len(outputs)
    assert answer["verdict"] == ("PROVED" if code == Status.OK else "REFUTED")


NAIVE = """warplock-program 1
# muon-designs 6.4: two instructions suffice
# warp pc rd rs1 rs2 rs3 mask latency unit
0 0x10 x5 - - - * 8 alu
0 0x14 - x5 - - * 1 alu
"""


@pytest.mark.parametrize(("war", "code"), [("stall", Status.HANG), ("epoch", Status.OK)])
def test_naive_option_2_stands_still_on_two_instructions(tmp_path, war, code):
    """The report names the write that is refused and the read that waits for it."""
    program = tmp_path / "two.prog"
    program.write_text(NAIVE, encoding="ascii")
    config = "num_warps=1 num_lanes=1 num_pregs=8 rs_entries=2 wb_buffer=7 war=" + war
    words = [word for each in config.split() for word in ("--config", each)]
    ran = programs.warplock("lockstep", "issue_x", "--program", program, *words, code=code)
    assert ("PASS" if code == Status.OK else "HANG") in ran.out
    assert code == Status.OK or ("x5" in ran.out and "deadlock" in ran.out)
