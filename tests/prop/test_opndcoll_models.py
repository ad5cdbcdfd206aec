# SPDX-License-Identifier: Apache-2.0
"""The C model of GPGPU-Sim's operand collector against the naive one: every line that they print.

The naive one is judged by the recordings of the original. The seed is printed and WLK_PROP_SEED
changes it; a failure names the two commands that repeat it.
"""

from __future__ import annotations

import lzma
import os
import random
import subprocess
from collections import Counter
from pathlib import Path

import programs
import pytest
from coverage_opndcoll import POINTS, Coverage
from stimulus_opndcoll import PROFILES, Config, Stimulus, configurations

SEED = int(os.environ.get("WLK_PROP_SEED", "20240229"))
NAIVE = "tests/prop/naive_opndcoll"
MODEL = "dpi/wlk-opndcoll"
CONFIGS = 60
STEPS = 60
SLOW_STEPS = 1600  # times 60 configurations and 11 profiles: over a million

RECORDINGS = {
    "v40": dict.fromkeys(
        ("gtx480", "kepler", "qv100", "titanv"), ("conflict", "core", "mixed", "writes")
    ),
    "v42": {"kepler": ("conflict", "core"), "qv100": ("conflict", "core")},
    "v32": {"gtx480": ("conflict", "core")},
}

# Totals over all quick runs; at most a third of what seeds 0..3 reach.
FLOORS = {
    "grants_one_unit": 2_000,
    "grants_many_banks": 1_900,
    "queue_of_units": 9_400,
    "queue_long": 2_400,
    "dispatch_at_once": 5_000,
    "younger_first": 9_500,
    "dispatches_of_set": 660,
    "target_full_skipped": 5_900,
    "kind_starved": 3_500,
    "no_unit_idle": 840,
    "oldest_in_higher_slot": 2_500,
    "target_slot_shared": 690,
    "dead_option": 4_000,
    "second_step_reads": 850,
    "write_after_read": 2_700,
    "write_refused": 6_500,
    "write_lost": 1_300,
    "held_again": 590,
    "write_resumed": 490,
    "default_tensor": 2_000,
    "tensor_port": 480,
    "taken_in_cycle": 780,
    "no_sources": 2_500,
    "repeated_source": 2_500,
    "gap": 780,
    "sources_beyond_8": 330,
    "destinations_beyond_8": 230,
    "written_bank_waits": 3_100,
    "freed_and_refilled": 6_400,
    "generic_unit": 360,
    "spec_unit": 260,
    "one_lane": 1_400,
    "issue_refused": 26_000,
    "unknown_result": 190,
    "v32_withheld": 620,
    "v32_retry_in_vain": 350,
    "v42_kinds_of_port": 260,
    "v42_repeat_dropped": 1_000,
    "v42_group_busy": 540,
    "v42_slot_full": 1_000,
    "v42_slot_taken": 140,
}

CASES = [
    pytest.param(index, config, id=f"{index:02d}-{config.revision}")
    for index, config in enumerate(configurations(SEED, CONFIGS))
]


def play(program: str, revision: str, config: Path, stimulus: Path) -> tuple[list[str], bytes]:
    """The command, and what it prints."""
    words = ["--revision", revision, "--config", config, "--state", "--stats", stimulus]
    command = [str(word) for word in (programs.folder() / program, *words)]
    done = subprocess.run(command, capture_output=True)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr.decode()}"
    return command, done.stdout


def first_difference(expected: bytes, got: bytes) -> str | None:
    """One line on the first line that differs, None when none does."""
    if got == expected:
        return None
    naive, model = expected.decode().splitlines(), got.decode().splitlines()
    step = "before the first step"
    for number, (want, have) in enumerate(zip(naive, model, strict=False), 1):
        if want != have:
            return f"line {number}, {step}: naive '{want}', model '{have}'"
        if want.startswith("S "):
            step = f"step {want[2:]}"
    if len(naive) == len(model):
        return "the last line has no end"
    return f"line {min(len(naive), len(model)) + 1}, {step}: {len(naive)} and {len(model)} lines"


def agree(config: Config, seed: str, profile: str, steps: int, folder: Path) -> tuple[str, str]:
    """Both programs print the same on one random run: its stimulus and its events."""
    options, commands = folder / f"{profile}.cfg", folder / f"{profile}.stim"
    options.write_text(config.text(random.Random(f"{seed}/{profile}")), encoding="utf-8")
    stimulus = Stimulus(config, profile, seed).text(steps)
    commands.write_text(stimulus, encoding="utf-8")
    naive, expected = play(NAIVE, config.revision, options, commands)
    model, got = play(MODEL, config.revision, options, commands)
    problem = first_difference(expected, got)
    assert problem is None, (
        f"{problem}; WLK_PROP_SEED={SEED} {seed} {profile}\n{' '.join(naive)}\n{' '.join(model)}"
    )
    return stimulus, expected.decode()


def covered(index: int, config: Config, folder: Path) -> Counter:
    """Every profile of one configuration, and what they have reached."""
    count: Counter = Counter()
    for profile in PROFILES:
        stimulus, events = agree(config, f"{SEED}/{index}", profile, STEPS, folder)
        count += Coverage(config, stimulus).read_events(events)
    return count


@pytest.fixture(scope="module")
def reached() -> dict[int, Counter]:
    """The coverage of each case that has run."""
    return {}


@pytest.mark.parametrize(("index", "config"), CASES)
def test_model_agrees(index: int, config: Config, tmp_path: Path, reached) -> None:
    reached[index] = covered(index, config, tmp_path)


def test_coverage_floors(tmp_path: Path, reached, capsys) -> None:
    """All cases together have reached enough of everything."""
    for case in CASES:
        index, config = case.values
        if index not in reached:
            reached[index] = covered(index, config, tmp_path)
    total = sum(reached.values(), Counter())
    with capsys.disabled():
        print(f"\nopndcoll: WLK_PROP_SEED={SEED}, {CONFIGS} configurations")
        print("opndcoll coverage: " + ", ".join(f"{point} {total[point]}" for point in POINTS))
    assert set(FLOORS) == set(POINTS)
    low = {p: f"{total[p]} < {floor}" for p, floor in FLOORS.items() if total[p] < floor}
    assert not low, f"coverage under its floor with WLK_PROP_SEED={SEED}: {low}"


@pytest.mark.slow
@pytest.mark.parametrize(("index", "config"), programs.part(CASES, 3))
def test_model_agrees_long(index: int, config: Config, tmp_path: Path) -> None:
    for profile in PROFILES:
        agree(config, f"{SEED}/{index}/long", profile, SLOW_STEPS, tmp_path)


def test_long_runs_of_all_parts_are_a_million_steps() -> None:
    assert CONFIGS * len(PROFILES) * SLOW_STEPS >= 10**6


@pytest.mark.parametrize(
    ("revision", "config", "profile"),
    [
        pytest.param(revision, config, profile, id=f"{revision}-{config}-{profile}")
        for revision, configs in RECORDINGS.items()
        for config, profiles in configs.items()
        for profile in profiles
    ],
)
def test_naive_plays_recording(revision: str, config: str, profile: str, tmp_path: Path) -> None:
    name = f"gpgpusim/{revision}-{config}-{profile}"
    stimulus = tmp_path / "stim"
    stimulus.write_bytes(lzma.decompress(programs.recording(f"{name}.stim.xz").read_bytes()))
    expected = lzma.decompress(programs.recording(f"{name}.events.xz").read_bytes())
    options = programs.recording(f"gpgpusim/{config}.cfg")
    _, events = play(NAIVE, revision, options, stimulus)
    assert first_difference(expected, events) is None


def test_difference_is_named_with_its_step() -> None:
    expected = b"# head\nC 0\nS 0\nA 0 SP 0 1\nS 1\nG 3 0 0 2 1\n"
    assert first_difference(expected, expected) is None
    other = expected.replace(b"G 3", b"G 4")
    problem = first_difference(expected, other)
    assert problem == "line 6, step 1: naive 'G 3 0 0 2 1', model 'G 4 0 0 2 1'"
    assert first_difference(expected, expected[:-12]) == "line 6, step 1: 6 and 5 lines"
    assert first_difference(expected, expected[:-1]) == "the last line has no end"
    assert first_difference(b"C 0\n", b"C 1\n").startswith("line 1, before the first step:")
