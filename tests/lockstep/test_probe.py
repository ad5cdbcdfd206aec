# SPDX-License-Identifier: Apache-2.0
"""Configurations that are tried beside one run of the RTL get the verdicts that each of them gets
by itself."""

import subprocess

import pytest
import rtl_under_test as rut
from wlk.base.errors import Status
from wlk.run import harness, probe

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
    rut.run_lockstep(*words, "--accept-inferred", block=block)
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


def test_words_that_do_not_fit_the_rtl_are_refused(tmp_path, monkeypatch):
    """Of the harness alone: nothing is read or written beyond what the RTL was built with."""
    programs = []
    runs = harness.run

    def run(job, program, words, *more):
        programs.append(program)
        return runs(job, program, words, *more)

    monkeypatch.setattr(harness, "run", run)
    rut.run_lockstep("--rtl", rut.stub("plain"), *rut.QUICK, "--reports", tmp_path)
    for word, status, part in (
        ("param=1:64", Status.BAD_PARAMS, "needs other ports"),
        ("shrink=x", Status.USAGE, "needs header="),
        (f"seeds=1..{2**64 - 1}", Status.USAGE, "cannot read"),
        ("seeds=3..2", Status.USAGE, "cannot read"),
        ("waive=collector 0 no_port 0x1", Status.BAD_PARAMS, "a checker was refused: TOP"),
    ):
        done = subprocess.run([programs[0], word], capture_output=True, text=True, check=False)
        assert done.returncode == status, (word, done)
        assert part in done.stderr and not done.stdout
