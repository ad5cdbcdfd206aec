# SPDX-License-Identifier: Apache-2.0
"""Configurations that are tried beside one run of the RTL get the verdicts that each of them gets
by itself."""

import pytest
import rtl_under_test as rut
from wlk.run import probe

pytestmark = [pytest.mark.slow, pytest.mark.needs("rtl")]
CASES = {
    "issue": {"num_warps": 2, "num_lanes": 2, "num_pregs": 16, "rs_entries": 3},
    "collector_x": {"num_lanes": 2, "num_pregs": 16},
}


@pytest.mark.parametrize("block", CASES)
def test_configurations_beside_another_go_as_alone(block, tmp_path, monkeypatch):
    together, alone = [], []
    runs = probe._runs

    def both(job, program, trials, *words):
        answers = runs(job, program, trials, *words)
        together.extend(answers)
        alone.extend(runs(job, program, [trial], *words)[0] for trial in trials)
        return answers

    monkeypatch.setattr(probe, "_runs", both)
    rtl = rut.stub(f"probe_{block}", CASES[block], block=block)
    words = ("--rtl", rtl, "--seeds", "1", "--cycles", "3000", "--reports", tmp_path)
    rut.run_lockstep(*words, block=block)
    assert len(together) > 3
    keys = ("seed", "verdict")
    verdicts, wanted = (
        [[[run[key] for key in keys] for run in each] for each in answers]
        for answers in (together, alone)
    )
    assert verdicts == wanted
    assert {"PASS", "FUNCTIONAL_MISMATCH"} <= {run["verdict"] for each in alone for run in each}
    # Some did not run by themselves: they saw the inputs of another one.
    assert together != alone
