# SPDX-License-Identifier: Apache-2.0
"""Seeds in several processes: the answer is that of one. All of them, although some fail."""

import json
import re
from pathlib import Path

import programs
import pytest
import rtl_under_test as rut
from wlk.base import seeds
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
        for key in ("picture", "waves", "failing_seeds"):  # a folder of its own each
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
    failing = [each["seed"] for each in failures]
    assert failing[0] == usual["seed"]
    assert failing == sorted(failing)
    assert 2 < len(failing) < MANY / 2, failing
    assert {each["verdict"] for each in failures} == {code.name}
    (up_to_last, _), _ = answers(place, "--keep-going", code=code, last=failing[-1])
    assert up_to_last["failures"] == failures
    for seed in (failing[-1], next(n for n in range(failing[0], MANY) if n not in failing)):
        words = ("--seeds", seed, "--cycles", "3000", "--profile", "mix", *rut.PINNED)
        alone = rut.run_lockstep("--rtl", place, *words, code=None).json
        if seed not in failing:
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


# ---- seeds that are no range --------------------------------------------------------------------


def play(place, *words, code=None, jobs=1):
    words = ("--rtl", place, *rut.PINNED, "--cycles", "3000", "--jobs", jobs, *words)
    done = rut.run_lockstep(*words, code=code)
    return done, done.json


@pytest.mark.parametrize("name", ["output", "assertion"])
def test_seeds_that_are_no_range_are_those_and_no_others(name):
    place, code = noisy(name, FAULTS[name]), VERDICTS[name]
    _, whole = play(place, "--seeds", f"1..{MANY}", "--keep-going", code=code, jobs=3)
    fails = {each["seed"]: each for each in whole["failures"]}
    passes = [seed for seed in range(1, MANY) if seed not in fails]
    some = {*[*fails][::2], *passes[::3]}
    text = ",".join(map(str, some))
    for jobs in (1, 3):
        _, found = play(place, "--seeds", text, "--keep-going", code=code, jobs=jobs)
        assert found["failures"] == [fails[seed] for seed in sorted(some) if seed in fails]
        assert found["seed"] == found["failures"][0]["seed"]
        assert found["seeds"] == [min(some), max(some)]
        assert seeds.parse(found["all_seeds"]) == seeds.parse(text)
        last = max(fails)  # and first others that pass
        few = [*(seed for seed in passes if seed < last)][-5:]
        _, found = play(place, "--seeds", f"{few[0]},{few[-1]},{last}", code=code, jobs=jobs)
        assert (found["seed"], found["verdict"]) == (last, code.name)


def test_seeds_that_are_no_range_sum_up_as_one_by_one():
    place, sums = noisy("none"), {"cycles": 0, "compared_bits": 0}
    for seed in (2, 3, 9):
        _, one = play(place, "--seeds", seed)
        sums = {key: value + one[key] for key, value in sums.items()}
    for jobs in (1, 3):
        _, found = play(place, "--seeds", "9,2,3", jobs=jobs)
        assert {key: found[key] for key in sums} == sums


def test_failing_seeds_are_written_and_taken(tmp_path):
    place, code = noisy("output", FAULTS["output"]), VERDICTS["output"]
    words = ("--keep-going", "--reports", tmp_path / "reports")
    done, found = play(place, "--seeds", f"1..{MANY}", *words, code=code, jobs=3)
    file = Path(found["failing_seeds"])
    assert file == (tmp_path / "reports/latest").resolve() / "failing.seeds"
    assert f"failing seeds, for --seeds from: {file}" in done.err
    wanted = [each["seed"] for each in found["failures"]]
    assert list(seeds.read(file)) == wanted
    assert f"{wanted[0]}  # {found['block']} {found['name']}: {code.name}\n" in file.read_text()
    again, found = play(place, "--seeds", "from", file, *words, code=code)
    assert [each["seed"] for each in found["failures"]] == wanted
    assert Path(found["failing_seeds"]) != file
    play(noisy("none"), "--seeds", "from", file, *words)  # short of a few floors
    assert not (tmp_path / "reports/latest/failing.seeds").exists()


def test_random_seeds_run_and_are_repeated(tmp_path):
    words = ("lockstep", "scoreboard", "--cycles", "2000", "--json", "--reports", tmp_path / "r")
    done = programs.warplock(*words, "--seeds", "random", "3", code=None)
    drawn, found = map(json.loads, done.out.splitlines())
    assert found["all_seeds"] == drawn["random_seeds"]
    assert f"repeat with --seeds {found['all_seeds']}\n" in done.err
    kept = json.loads((tmp_path / "r/latest/results.json").read_text())["command"]
    assert kept.endswith(f"--seeds {found['all_seeds']}") and "--seeds random" not in kept
    repeated = programs.warplock(*words, "--seeds", found["all_seeds"], code=None).json
    assert [repeated[key] for key in ("cycles", "compared_bits", "coverage")] == [
        found[key] for key in ("cycles", "compared_bits", "coverage")
    ]
