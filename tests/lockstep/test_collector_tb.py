# SPDX-License-Identifier: Apache-2.0
"""docs/examples/collector_tb.sv, by the commands of docs/model-module.md: it exits with 0 only if
the design does what is predicted, in every cycle and under legal inputs."""

import os
import re
import subprocess

import programs
import pytest
import rtl_under_test as rut
from wlk.run import verilate

pytestmark = pytest.mark.slow
PAGE = (rut.ROOT / "docs" / "model-module.md").read_text("utf-8")
EXAMPLE = "docs/examples/collector_tb.sv"
TOOLS = ["system", pytest.param("newest", marks=pytest.mark.needs("newest"))]
# Text of the design or of the testbench, and what a plusarg makes of it.
EDITS = {
    "rtl/duplicated_collector_core.sv": {
        "|| free_now;": '|| (free_now && !$test$plusargs("FREED_LATE"));',
        "assign writeResp_valid_o = write_valid_q;": (
            "assign writeResp_valid_o = write_valid_q ^ (count == last);\n"
            "  int count = 0, last = -1;\n"
            '  initial void\'($value$plusargs("WRONG_ONCE=%d", last));\n'
            "  always @(posedge clk_i) begin\n"
            "    count <= count + 1;\n"
            '    if ($test$plusargs("ENDS") && count == 100) $finish;\n'
            '    if ($test$plusargs("ENDS_AT_ONCE")) $finish;\n'
            "  end"
        ),
    },
    EXAMPLE: {
        "in.reset = (cycle < 2);": 'in.reset = (cycle < 2) && !$test$plusargs("NO_RESET");',
        "held[in.io_readData_req_bits_collEntry] &&": (
            '(held[in.io_readData_req_bits_collEntry] || $test$plusargs("ILLEGAL")) &&'
        ),
    },
}
WRONG = {  # the plusarg, and what the testbench says of it
    "FREED_LATE": "\\d{3} cycles differ",
    "WRONG_ONCE=1500": " 1 cycles differ",
    "WRONG_ONCE=1999": " 1 cycles differ",  # the last one
    "ENDS": "101 of 2000 cycles checked",
    "ENDS_AT_ONCE": "1 of 2000 cycles checked",
    "NO_RESET": "0 bits compared",
    "ILLEGAL": "the driver breaks",
}


def commands():
    """Those that the page shows for the testbench, in its order."""
    part = PAGE.partition("\n## A predictor for a testbench\n")[2]
    return part.partition("```\n")[2].partition("```")[0].splitlines()


@pytest.fixture(scope="module", params=TOOLS)
def program(request):
    """Built as the page says, the design and the testbench with faults that plusargs switch on."""
    model, stub, build, run = commands()
    place = rut.folder(f"collector_tb_{request.param}")
    (place / "scripts").symlink_to(rut.ROOT / "scripts")
    (place / EXAMPLE).parent.mkdir(parents=True)
    (place / EXAMPLE).write_bytes((rut.ROOT / EXAMPLE).read_bytes())
    env = os.environ | {"WARPLOCK_NO_SETUP": "1", "MAKEFLAGS": "OPT_FAST=-O0 OPT_GLOBAL=-O0"}

    def type_in(line):
        subprocess.run(line, shell=True, cwd=place, env=env, check=True, capture_output=True)

    type_in(model)
    type_in(stub)
    for name, edits in EDITS.items():
        for old, new in edits.items():
            rut.change(place / name, old, new)
    if request.param == "system":
        type_in(build)
        return place / run
    files = ["-f", place / "predict/warplock.f", *sorted(place.glob("rtl/*.sv")), place / EXAMPLE]
    tool = verilate.find_tool(request.param)
    return programs.simulation(place / "obj", "collector_tb", *files, tool=tool)


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=60)


def test_testbench_passes(program):
    done = run(program)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\nPASS\n" in done.stdout
    counts = "2000 of 2000 cycles checked, (\\d+) bits compared, 0 cycles differ, 0 break rules"
    assert int(re.search(counts, done.stdout)[1]) > 200_000


@pytest.mark.parametrize("fault", WRONG)
def test_testbench_ends_with_an_error(program, fault):
    done = run(program, f"+{fault}")
    printed = done.stdout + done.stderr
    assert done.returncode != 0, printed
    assert re.search(WRONG[fault], printed)
    assert "PASS" not in printed
