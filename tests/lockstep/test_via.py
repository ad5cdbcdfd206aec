# SPDX-License-Identifier: Apache-2.0
"""`lockstep --via ports` and `--via dpi` answer the same: of RTL that passes, that fails in a late
cycle of a late seed, that hangs, and whose assertions fire. The record of test_behaviour.py, which
both must give, has more.
"""

import pytest
import rtl_under_test as rut
import test_assertions
from wlk.base.errors import Status

CONFIG = {"num_lanes": 2, "num_pregs": 16, "coll_entries": 2}
UNSTABLE = {"cycles_per_second", "shrunk", "rtl_lines", "picture", "waves", "failing_seeds"}
# Shows after so many cycles that several batches have passed.
LATE = (
    "  assign writeReq_ready_o = 1'b1",
    "  logic [13:0] late_q = '0;\n"
    "  always_ff @(posedge clk_i) late_q <= late_q + 14'(late_q != '1);\n"
    "  assign writeReq_ready_o = late_q != 14'd4321",
)
STUCK = ("assign readReq_ready_o = read_ready;", "assign readReq_ready_o = 1'b0;")
RTL = {
    "right": ({}, Status.OK),
    "late": ({rut.CORE: LATE}, Status.FUNCTIONAL_MISMATCH),
    "stuck": ({rut.CORE: STUCK}, Status.FUNCTIONAL_MISMATCH),
}


def answer(rtl, via, code, folder):
    """The answer without times and files."""
    words = ("--seeds", "1..3", "--cycles", "5000", "--reports", folder / via, *rut.PINNED)
    done = rut.run_lockstep("--rtl", rtl, "--via", via, *words, code=code)
    shrunk = done.json.get("shrunk", {})
    kept = {key: value for key, value in done.json.items() if key not in UNSTABLE}
    return kept | {key: shrunk[key] for key in ("from", "cycles") if key in shrunk}


def both(rtl, code, folder):
    ports, dpi = (answer(rtl, via, code, folder) for via in ("ports", "dpi"))
    assert ports == dpi
    return ports


@pytest.mark.parametrize("name", RTL)
def test_both_ways_answer_the_same(name, tmp_path):
    edit, code = RTL[name]
    found = both(rut.stub(f"via_{name}", CONFIG, edit=edit), code, tmp_path)
    if name == "late":
        assert found["first"]["cycle"] > 4000
        assert found["first"]["port"] == "io_writeReq_ready"


def test_assertions_are_counted_once(tmp_path):
    """A seed that runs anew counts what fires from its start."""
    rtl = rut.stub("via_assertions", CONFIG, edit={rut.CORE: LATE})
    rut.change(rtl / rut.SHELL, "endmodule", test_assertions.EVERY_KIND)
    found = both(rtl, Status.FUNCTIONAL_MISMATCH, tmp_path)
    assert found["assertions"]
    assert found["assertions_before_reset"]["count"] > 0
    assert found["printed"]["lines"] > 0
