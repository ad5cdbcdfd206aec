# SPDX-License-Identifier: Apache-2.0
"""The C model of the collector against the naive one: value and care of every output bit.

The seed is printed and WLK_PROP_SEED changes it; each case names the parameters that repeat it.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator

import adapter
import comparison
import pytest
from naive_collector import complete, ports
from stimulus import COVERAGE_POINTS, PROFILES, Outputs, Row, Stimulus

SEED = int(os.environ.get("WLK_PROP_SEED", "20240229"))
CONFIGS = 48
CYCLES = 400

# Every value comes up about equally often: each list is dealt out like a deck of cards.
DECKS = {
    "num_warps": (1, 4, 8, 32),
    "num_lanes": (1, 2, 3, 4, 8, 16, 64),
    "lane_bits": (32, 32, 64),
    "num_pregs": (2, 16, 64, 256, 1024),
    "rs_entries": (1, 5, 8, 32),
    "coll_entries": (1, 2, 3, 4, 5, 8, 32),
    "reg_banks": (1, 2, 8, 1024),
    "bank_select": ("upper", "modulo"),
    "read_during_write": ("new", "old", "undefined"),
    "debug": (False, True),
    "power_up": ("unknown", "unknown", "zero"),
}

# Totals over all runs; at most a third of what seeds 0..3 reach.
FLOORS = {
    "alloc": 30_000,
    "free": 20_000,
    "alloc_and_free": 20_000,
    "full_stall": 10_000,
    "free_while_full": 8_000,
    "read_x0": 10_000,
    "read_repeated": 10_000,
    "read_data_seen": 60_000,
    "stale_bank": 20_000,
    "read_without_enable": 800,
    "write": 30_000,
    "write_x0": 6_000,
    "write_partial": 10_000,
    "write_no_lane": 2_000,
    "write_in_reset": 400,
    "write_before_reset": 400,
    "read_write": 7_000,
    "read_write_partial": 2_000,
    "reset_in_flight": 300,
    "entry_out_of_range": 5_000,
    "free_out_of_range": 300,
    "free_unallocated": 700,
    "masked_bits": 7_000_000,
    "masked_lanes_beside_known": 6_000,
    "ready_known_before_reset": 300,
}


def configurations() -> list[dict]:
    """The seeded configurations, every one legal."""
    rng = random.Random(f"{SEED}/configurations")
    dealt = {}
    for name, values in DECKS.items():
        cards: list = []
        while len(cards) < CONFIGS:
            cards += rng.sample(values, len(values))
        dealt[name] = cards
    configs = [{name: cards[k] for name, cards in dealt.items()} for k in range(CONFIGS)]
    for config in configs:
        config["reg_banks"] = min(config["reg_banks"], config["num_pregs"] // 2)
    return [complete(config) for config in configs]


def first_difference(params: dict, expected: list[Outputs], got: list[Outputs]) -> str | None:
    """One line on the first bit that differs, in value or in care; None when none does."""
    names = {p.name for p in ports(params) if p.direction == "o"}
    assert all(set(outputs) == names for outputs in expected)
    return comparison.first_difference(expected, got)


CASES = [
    pytest.param(index, params, id=f"{index:02d}") for index, params in enumerate(configurations())
]


@pytest.fixture(scope="module")
def reached() -> dict[int, Counter]:
    """The coverage of each case that has run."""
    return {}


def runs(index: int, params: dict) -> Iterator[tuple[str, list[Row], list[Outputs], Counter]]:
    """(profile, inputs, naive outputs, coverage) of each run of one case."""
    for profile in PROFILES:
        yield profile, *Stimulus(params, profile, f"{SEED}/{index}").run(CYCLES)


@pytest.mark.parametrize(("index", "params"), CASES)
def test_c_model_agrees(index: int, params: dict, reached: dict[int, Counter]) -> None:
    """Every profile: value under care, and care itself, are equal bit for bit."""
    coverage: Counter = Counter()
    for profile, rows, expected, counted in runs(index, params):
        problem = first_difference(
            params, expected, adapter.model_outputs("collector", params, rows)
        )
        assert problem is None, (
            f"{problem}; WLK_PROP_SEED={SEED} case {index} profile {profile} {params}"
        )
        coverage += counted
    reached[index] = coverage


def test_coverage_floors(reached: dict[int, Counter], capsys: pytest.CaptureFixture[str]) -> None:
    """All cases together have reached enough of everything."""
    for case in CASES:
        index, params = case.values
        if index not in reached:
            reached[index] = sum((counted for *_, counted in runs(index, params)), Counter())
    total = sum(reached.values(), Counter())
    with capsys.disabled():
        points = ", ".join(f"{point} {total[point]}" for point in COVERAGE_POINTS)
        cycles = CONFIGS * len(PROFILES) * CYCLES
        print(f"\ncollector: WLK_PROP_SEED={SEED}, {CONFIGS} configurations, {cycles} cycles")
        print(f"collector coverage: {points}")
    assert set(FLOORS) == set(COVERAGE_POINTS)
    low = {p: f"{total[p]} < {floor}" for p, floor in FLOORS.items() if total[p] < floor}
    assert not low, f"coverage under its floor with WLK_PROP_SEED={SEED}: {low}"
