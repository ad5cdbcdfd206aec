# SPDX-License-Identifier: Apache-2.0
"""Seeds in several processes: the answer is that of one. All of them, although some fail."""

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


def answers(place, *words, code, last=12):
    """With one process and with three."""
    for jobs in (1, 3):
        seeds = ("--seeds", f"1..{last}", "--cycles", "3000", "--jobs", jobs)
        done = rut.run_lockstep("--rtl", place, *rut.PINNED, *seeds, *words, code=code)
        answer = done.json
        del answer["cycles_per_second"]
        for key in ("picture", "waves"):  # a folder of its own each
            answer.pop(key, None)
        if "shrunk" in answer:
            del answer["shrunk"]["file"]
        yield answer, re.sub(r"\S*/reports/\S*", "", done.said)


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


# ---- --keep-going -------------------------------------------------------------------------------

MANY = 80  # seeds, of which some show the fault


@pytest.mark.parametrize("name", ["output", "assertion"])
def test_keep_going_lists_each_seed_that_fails(name):
    place, code = noisy(name, FAULTS[name]), VERDICTS[name]
    (usual, _), _ = answers(place, code=code, last=MANY)
    (one, _), (three, _) = answers(place, "--keep-going", code=code, last=MANY)
    assert one == three
    failures = one.pop("failures")
    assert one == usual  # but for them the answer is that without
    seeds = [each["seed"] for each in failures]
    assert seeds[0] == usual["seed"]
    assert seeds == sorted(seeds)
    assert 2 < len(seeds) < MANY / 2, seeds
    assert {each["verdict"] for each in failures} == {code.name}
    (up_to_last, _), _ = answers(place, "--keep-going", code=code, last=seeds[-1])
    assert up_to_last["failures"] == failures
    for seed in (seeds[-1], next(n for n in range(seeds[0], MANY) if n not in seeds)):
        words = ("--seeds", seed, "--cycles", "3000", "--profile", "mix", *rut.PINNED)
        alone = rut.run_lockstep("--rtl", place, *words, code=None).json
        if seed not in seeds:
            assert alone["verdict"] in ("PASS", "VACUOUS")  # short of a few floors
            continue
        first = alone["first"] if name == "output" else alone["assertion"]
        last = failures[-1] if name == "output" else failures[-1]["assertion"]
        same = ("cycle", "port") if name == "output" else ("cycle", "file", "line", "count")
        assert [last[key] for key in same] == [first[key] for key in same]


def test_keep_going_adds_nothing_to_a_pass():
    for answer, _ in answers(noisy("none"), "--keep-going", code=Status.OK):
        assert "failures" not in answer


def test_seeds_that_fail_alike_are_shown_once():
    words = ("--rtl", noisy("output", FAULTS["output"]), *rut.PINNED, "--keep-going")
    words += (
        "--seeds",
        f"1..{MANY}",
        "--cycles",
        "3000",
        "--reports",
        rut.PLACE.parent / "reports",
    )
    done = rut.warplock("lockstep", "collector", *words, code=VERDICTS["output"])
    _, _, text = done.out.partition("failures that are alike:\n")
    head, _, row, repeat, command = text.splitlines()
    assert head.split() == ["block", "verdict", "first", "at", "failures", "smallest"]
    assert row.split()[:4] == ["1", "collector", "FUNCTIONAL_MISMATCH", "io_writeReq_ready"]
    seed = re.search(r"seed (\d+), cycle", row)[1]
    assert (repeat, f"--seeds {seed}..{seed}" in command) == ("repeat:", True)


def test_keep_going_goes_with_seeds():
    words = ("--program", "vectors/kernels/dot.prog", "--keep-going")
    rut.warplock("lockstep", "issue", *words, code=Status.USAGE)
