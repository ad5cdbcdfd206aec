# SPDX-License-Identifier: Apache-2.0
"""The C model of GPGPU-Sim's operand collector against the naive one: every line that they print.

The naive one is judged by the recordings of the original. The seed is printed and WLK_PROP_SEED
changes it; a failure names the stimulus.
"""

import lzma
import os
import random
from collections import Counter
from pathlib import Path

import programs
import pytest
from coverage_opndcoll import FLOORS, POLICY_FLOORS, Coverage
from naive_opndcoll import Config, Line, Player, read_options
from stimulus_opndcoll import (
    POLICY_DECKS,
    PROFILES,
    Stimulus,
    configurations,
    option_file,
)

SEED = int(os.environ.get("WLK_PROP_SEED", "20240229"))
MODEL = "dpi/wlk-opndcoll"
EVENTS = frozenset("DGAw")
CONFIGS = 60
STEPS = 60
SLOW_STEPS = 1600  # times 60 configurations and 11 profiles: over a million
POLICY_CONFIGS = 20  # of each policy
POLICY_STEPS = 40
SLOW_POLICY_STEPS = 4600  # times 20 and 11: over a million

CASES = [
    pytest.param(index, config, id=f"{index:02d}-{config.revision}")
    for index, config in enumerate(configurations(SEED, CONFIGS))
]
POLICY_CASES = [
    pytest.param(policy, index, config, id=f"{policy}-{index:02d}-{config.revision}")
    for policy, decks in POLICY_DECKS.items()
    for index, config in enumerate(configurations(f"{SEED}/{policy}", POLICY_CONFIGS, decks))
]


def play_model(revision: str, options: Path, stimulus: Path, *flags: str) -> str:
    """What the model prints."""
    words = ["--revision", revision, "--config", options, "--state", "--stats", *flags, stimulus]
    done = programs.run(MODEL, *words)
    assert done.returncode == 0, f"{MODEL} {' '.join(map(str, words))}: {done.stderr}"
    return done.stdout


def naive_lines(revision: str, options: str, stimulus: str) -> list[Line]:
    return list(Player(Config(revision, read_options(options))).play(stimulus))


def text_of(lines: list[Line]) -> str:
    return "".join(" ".join(map(str, line)) + "\n" for line in lines)


def play_naive(revision: str, options: Path, stimulus: Path) -> str:
    """What the naive one prints."""
    return text_of(naive_lines(revision, options.read_text("utf-8"), stimulus.read_text("utf-8")))


def first_difference(expected: str, got: str) -> str | None:
    """One line on the first line that differs, None when none does."""
    if got == expected:
        return None
    naive, model = expected.splitlines(), got.splitlines()
    step = "before the first step"
    for number, (want, have) in enumerate(zip(naive, model, strict=False), 1):
        if want != have:
            return f"line {number}, {step}: naive '{want}', model '{have}'"
        if want.startswith("S "):
            step = f"step {want[2:]}"
    if len(naive) == len(model):
        return "the last line has no end"
    return f"line {min(len(naive), len(model)) + 1}, {step}: {len(naive)} and {len(model)} lines"


def agree(
    config: Config, seed: str, profile: str, steps: int, folder: Path
) -> tuple[str, list[Line]]:
    """Both models print the same on one random run: its stimulus and what they print.

    The model twice: its calls have ways of their own where nobody wants events.
    """
    options, commands = folder / f"{profile}.cfg", folder / f"{profile}.stim"
    options.write_text(option_file(config, random.Random(f"{seed}/{profile}")), encoding="utf-8")
    stimulus = Stimulus(config, profile, seed).text(steps)
    commands.write_text(stimulus, encoding="utf-8")
    lines = naive_lines(config.revision, options.read_text("utf-8"), stimulus)
    eventless = [line for line in lines if line[0] not in EVENTS]
    for expected, flags in ((lines, ()), (eventless, ("--quick",))):
        got = play_model(config.revision, options, commands, *flags)
        problem = first_difference(text_of(expected), got)
        assert problem is None, (
            f"{problem}; WLK_PROP_SEED={SEED} {seed} {profile} {flags}, {commands}"
        )
    return stimulus, lines


def covered(seed: str, config: Config, folder: Path, steps: int = STEPS) -> Counter:
    """Every profile of one configuration, and what they have reached."""
    count: Counter = Counter()
    for profile in PROFILES:
        stimulus, lines = agree(config, seed, profile, steps, folder)
        count += Coverage(config, stimulus).read(lines)
    return count


def check_floors(total: Counter, floors: dict[str, int]) -> None:
    low = {p: f"{total[p]} < {floor}" for p, floor in floors.items() if total[p] < floor}
    assert not low, f"coverage under its floor with WLK_PROP_SEED={SEED}: {low}"


@pytest.fixture(scope="module")
def reached() -> dict[int | str, Counter]:
    """The coverage of each case that has run."""
    return {}


@pytest.mark.parametrize(("index", "config"), CASES)
def test_model_agrees(index: int, config: Config, tmp_path: Path, reached) -> None:
    reached[index] = covered(f"{SEED}/{index}", config, tmp_path)


def test_coverage_floors(tmp_path: Path, reached, capsys) -> None:
    """All cases together have reached enough of everything."""
    for case in CASES:
        index, config = case.values
        if index not in reached:
            reached[index] = covered(f"{SEED}/{index}", config, tmp_path)
    total = sum((reached[case.values[0]] for case in CASES), Counter())
    with capsys.disabled():
        print(f"\nopndcoll: WLK_PROP_SEED={SEED}, {CONFIGS} configurations")
        print("opndcoll coverage: " + ", ".join(f"{point} {total[point]}" for point in FLOORS))
    assert {point for point in total if total[point]} <= set(FLOORS)
    check_floors(total, FLOORS)


@pytest.mark.parametrize(("policy", "index", "config"), POLICY_CASES)
def test_model_agrees_with_policy(
    policy: str, index: int, config: Config, tmp_path: Path, reached
) -> None:
    seed = f"{SEED}/{policy}/{index}"
    reached[seed] = covered(seed, config, tmp_path, POLICY_STEPS)


def test_policy_coverage_floors(tmp_path: Path, reached, capsys) -> None:
    total: Counter = Counter()
    for case in POLICY_CASES:
        policy, index, config = case.values
        seed = f"{SEED}/{policy}/{index}"
        if seed not in reached:
            reached[seed] = covered(seed, config, tmp_path, POLICY_STEPS)
        total += reached[seed]
    with capsys.disabled():
        points = ", ".join(f"{point} {total[point]}" for point in POLICY_FLOORS)
        print(f"\nopndcoll policies: WLK_PROP_SEED={SEED}, {points}")
    check_floors(total, POLICY_FLOORS)


@pytest.mark.slow
@pytest.mark.parametrize(("index", "config"), programs.part(CASES, 6))
def test_model_agrees_long(index: int, config: Config, tmp_path: Path) -> None:
    for profile in PROFILES:
        agree(config, f"{SEED}/{index}/long", profile, SLOW_STEPS, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "index", "config"), programs.part(POLICY_CASES, 20))
def test_model_agrees_long_with_policy(
    policy: str, index: int, config: Config, tmp_path: Path
) -> None:
    for profile in PROFILES:
        agree(config, f"{SEED}/{policy}/{index}/long", profile, SLOW_POLICY_STEPS, tmp_path)


def test_long_runs_of_all_parts_are_a_million_steps() -> None:
    assert CONFIGS * len(PROFILES) * SLOW_STEPS >= 10**6
    assert POLICY_CONFIGS * len(PROFILES) * SLOW_POLICY_STEPS >= 10**6  # of each policy


@pytest.mark.parametrize("name", programs.OPNDCOLL)
def test_naive_plays_recording(name: str) -> None:
    stimulus, expected = (
        lzma.decompress(programs.recording(f"gpgpusim/{name}.{end}.xz").read_bytes()).decode()
        for end in ("stim", "events")
    )
    revision, config, _ = name.split("-")
    options = programs.recording(f"gpgpusim/{config}.cfg").read_text("utf-8")
    lines = naive_lines(revision, options, stimulus)
    assert first_difference(expected, text_of(lines)) is None


def test_difference_is_named_with_its_step() -> None:
    expected = "# head\nC 0\nS 0\nA 0 SP 0 1\nS 1\nG 3 0 0 2 1\n"
    assert first_difference(expected, expected) is None
    other = expected.replace("G 3", "G 4")
    problem = first_difference(expected, other)
    assert problem == "line 6, step 1: naive 'G 3 0 0 2 1', model 'G 4 0 0 2 1'"
    assert first_difference(expected, expected[:-12]) == "line 6, step 1: 6 and 5 lines"
    assert first_difference(expected, expected[:-1]) == "the last line has no end"
    assert first_difference("C 0\n", "C 1\n").startswith("line 1, before the first step:")
