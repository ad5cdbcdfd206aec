# SPDX-License-Identifier: Apache-2.0
"""Seeds in several processes: the answer is that of one."""

import re

import pytest
import rtl_under_test as rut
from wlk.base.errors import Status

RARE = "writeReq_valid_i && writeReq_bits_regs_data_i[13:0] == 14'h1d9"
# Prints, and an assertion that only means something behind the first reset.
NOISE = """\
  reg [7:0] junk;
  always @(posedge clock) begin
    junk <= '0;
    A_junk: assert (junk == '0);
    if (io_readReq_valid) $display("request");
  end
endmodule"""
FAULTS = {
    "none": None,
    "output": ("assign writeReq_ready_o = 1'b1", f"assign writeReq_ready_o = !({RARE})"),
    "assertion": (
        "  assign writeReq_ready_o",
        f"  always @(posedge clk_i) assert (rst_i || !({RARE}));\n  assign writeReq_ready_o",
    ),
}
VERDICTS = {
    "none": Status.OK,
    "output": Status.FUNCTIONAL_MISMATCH,
    "assertion": Status.RTL_ASSERTION,
}


def noisy(name, fault=None):
    """A collector that prints and has assertions, and a fault that few seeds show."""
    place = rut.stub(f"seeds_{name}", edit={rut.CORE: fault} if fault else None)
    rut.change(place / rut.SHELL, "endmodule", NOISE)
    return place


def answers(place, *words, code):
    """With one process and with three."""
    for jobs in (1, 3):
        seeds = ("--seeds", "1..12", "--cycles", "3000", "--jobs", jobs)
        done = rut.run_lockstep("--rtl", place, *rut.PINNED, *seeds, *words, code=code)
        answer = done.json
        del answer["cycles_per_second"]
        yield answer, re.sub(r"\S*/reports/\S*", "", done.err)


@pytest.mark.parametrize("name", FAULTS)
def test_answer_does_not_depend_on_processes(name):
    (one, said), (three, said_by_three) = answers(noisy(name, FAULTS[name]), code=VERDICTS[name])
    assert one == three
    assert said == said_by_three
    assert one["printed"]["lines"] > 1000
    assert one["assertions_before_reset"]["count"] > 1
    if FAULTS[name]:
        assert 3 < one["seed"] < 12, one["seed"]
    else:
        assert one["cycles"] > 12 * 3000
