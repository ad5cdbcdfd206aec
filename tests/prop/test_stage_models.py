# SPDX-License-Identifier: Apache-2.0
"""The C models of the issue stage's blocks against the naive ones: value and care of every bit.

Many short runs, since what power-up leaves open is settled soon. Half of those with unknown
power-up tell both models what one of the states still possible shows. Before the first edge in
reset the C models take all that reset reaches for unknown, the naive ones follow what is defined.
The seed is printed and WLK_PROP_SEED changes it; a failure names what repeats it.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import adapter
import comparison
import naive
import programs
import pytest
import stimulus_hazard
import stimulus_issue
import stimulus_reservation_station
import stimulus_scoreboard
from stimulus_common import Run, Stimulus
from stimulus_hazard import HazardStimulus
from stimulus_issue import IssueStimulus
from stimulus_reservation_station import ReservationStationStimulus
from stimulus_scoreboard import ScoreboardStimulus
from wlk import tables

SEED = int(os.environ.get("WLK_PROP_SEED", "20240229"))
LARGE_TIMES = 3 if programs.FULL else 1


class Block(NamedTuple):
    """How a block is driven."""

    stimulus: type[Stimulus]
    points: tuple[str, ...]
    configs: int
    """Random configurations of a campaign; `test --full` makes the large one three times so."""


BLOCKS = {
    "scoreboard": Block(ScoreboardStimulus, stimulus_scoreboard.POINTS, 24),
    "hazard": Block(HazardStimulus, stimulus_hazard.POINTS, 20),
    "reservation_station": Block(
        ReservationStationStimulus, stimulus_reservation_station.POINTS, 33
    ),
    "issue": Block(IssueStimulus, stimulus_issue.POINTS, 16),
}
CYCLES = 64
QUICK_PROFILES = 3  # of each configuration, in turn

# Every value comes up about equally often: each list is dealt out like a deck of cards.
SMALL = {
    "num_warps": (1, 2, 3, 4, 5),
    "num_lanes": (1, 2, 3),
    "lane_bits": (32, 64),
    "num_pregs": (2, 4, 16, 32),
    "rs_entries": (1, 2, 3, 4, 5, 8),
    "coll_entries": (1, 2, 3, 4, 5),
    "reg_banks": (1, 2),
    "bank_select": ("upper", "modulo"),
    "read_during_write": ("new", "old", "undefined"),
    "max_pending_reads": (1, 2, 3, 5, 7),
    "forward_coll_issue": (True, True, False),
    "in_order_per_warp": (False, True, True),
    "allow_partial_collect": (False, False, True),
    "count_forwarded_reads": (True, False),
    "debug": (False, True),
    "power_up": ("unknown", "unknown", "zero"),
}
LARGE = {
    **SMALL,
    "num_warps": (1, 2, 3, 6, 8, 16, 32),
    "num_lanes": (1, 2, 5, 16, 64),
    "num_pregs": (2, 16, 64, 256, 1024),
    "rs_entries": (1, 2, 5, 7, 8, 16, 31, 32),
    "coll_entries": (1, 2, 3, 8, 32),
    "reg_banks": (1, 2, 8),
    "max_pending_reads": (1, 2, 3, 4, 7, 15, 255),
}

# Of the quick campaign, at most half of what seeds 0..3 reach; the large one must too.
FLOORS: dict[str, dict[str, int]] = {
    "scoreboard": {
        "mid_run_reset": 40,
        "admitted": 300,
        "admitted_three_times": 6,
        "refused": 200,
        "rolled_back_beside_updates": 100,
        "coll_fails": 500,
        "wb_fails": 200,
        "fails_disabled": 300,
        "partial_group": 30,
        "saturated_both_ways": 100,
        "uncommitted_bypass": 100,
        "delta_without_enable": 20,
        "bypassed_read": 1_000,
        "no_bypass_of_admission": 1_000,
        "register_0": 1_000,
        "reset_pending": 10,
    },
    "hazard": {
        "mid_run_reset": 40,
        "open_choice": 60,
        "told_choice": 1,
        "masked_ports": 1_000,
        "admitted": 300,
        "admitted_in_reset": 10,
        "wrapped": 100,
        "idle": 100,
        "refused": 300,
        "admit_valid_without_ready": 200,
        "waw": 200,
        "war": 300,
        "waw_and_war": 90,
        "busy_operand": 200,
        "operandless": 50,
        "overtaken": 60,
        "stayed_chosen": 200,
        "stall_not_counted": 6,
    },
    "reservation_station": {
        "mid_run_reset": 50,
        "open_choice": 10,
        "told_choice": 1,
        "masked_ports": 10_000,
        "admitted": 500,
        "admit_refused": 1_000,
        "ready_and_busy": 40,
        "requested": 300,
        "request_waits": 50,
        "partial_request": 20,
        "second_request": 8,
        "stale_request": 300,
        "answer_taken": 200,
        "answer_lost": 100,
        "answer_taken_twice": 8,
        "forwarded": 100,
        "dispatched": 300,
        "dispatched_in_reset": 4,
        "wrapped": 100,
        "held_back": 90,
        "in_and_out": 100,
        "woken": 100,
        "writeback_of_0": 500,
        "writeback_without_operand": 100,
        "admitted_in_its_writeback": 40,
        "dispatch_in_order": 200,
        "collect_in_order": 600,
        "sequence_wrapped": 10,
        "order_across_wrap": 3,
        "rows_in_reset": 20,
    },
    "issue": {
        "mid_run_reset": 20,
        "open_choice": 100,
        "told_choice": 3,
        "masked_ports": 4_000,
        "admitted": 300,
        "issued": 200,
        "issue_waits": 100,
        "operand_read": 300,
        "waw": 90,
        "war": 300,
        "rs_full": 200,
        "collector_full": 100,
        "freed_and_taken": 100,
        "woken": 20,
        "admitted_in_its_writeback": 60,
        "never_admitted": 200,
        "dispatch_in_order": 30,
        "work_in_reset": 10,
    },
}


def dealt(block: str, decks: dict[str, tuple], count: int) -> list[dict]:
    """Seeded configurations, every one legal."""
    rng = random.Random(f"{SEED}/{block}/{count}")
    names = naive.complete(block, {})
    cards = {
        name: [card for _ in range(count) for card in rng.sample(deck, len(deck))]
        for name, deck in decks.items()
        if name in names
    }
    configs = [{name: cards[name][k] for name in cards} for k in range(count)]
    for config in configs:
        if "reg_banks" in config:
            config["reg_banks"] = min(config["reg_banks"], config["num_pregs"] // 2)
        if config.get("in_order_per_warp"):
            config["num_warps"] = min(config["num_warps"], config["rs_entries"])
    return [naive.complete(block, config) for config in configs]


def named(block: str) -> list[dict]:
    """The configurations that the port table names, with unknown power-up."""
    defaults = naive.complete(block, {})
    return [
        naive.complete(block, {name: type(defaults[name])(v) for name, v in given.items()})
        for given in tables.load(block).configs.values()
    ]


def runs(block: str, configs: list[dict], profiles: int) -> Iterator[tuple[str, dict, bool, Run]]:
    """(what repeats it, parameters, told, run) of each run: `profiles` of them a configuration."""
    stimulus = BLOCKS[block].stimulus
    names = list(stimulus.PROFILES)
    for index, params in enumerate(configs):
        for k in range(profiles):
            number = index * profiles + k
            profile = names[number % len(names)]
            told = params["power_up"] == "unknown" and (index + k) % 2 == 1
            run = stimulus(params, profile, f"{SEED}/{index}").run(CYCLES, told)
            where = f"WLK_PROP_SEED={SEED} {index=} {profile=} {told=} {params}"
            yield where, params, told, run


def exact_from(params: dict, run: Run) -> int:
    """The first cycle behind an edge in reset, or the first with known power-up."""
    if params["power_up"] == "zero":
        return 0
    return next(cycle for cycle, row in enumerate(run.rows) if row["reset"]) + 1


def compare(block: str, configs: list[dict], profiles: int) -> Counter:
    """Fails at the first difference; returns what all runs have reached."""
    coverage: Counter = Counter()
    for where, params, told, run in runs(block, configs, profiles):
        got = adapter.model_outputs(block, params, run.rows, run.seen if told else None)
        problem = comparison.first_difference(run.outputs, got, exact_from(params, run))
        assert problem is None, f"{problem}; {where}"
        coverage.update(run.coverage)
    return coverage


def check_floors(block: str, coverage: Counter, floors: dict[str, int]) -> None:
    """Enough of everything; a point without a floor, or a floor without a point, is an error."""
    points = ", ".join(f"{point} {coverage[point]}" for point in BLOCKS[block].points)
    print(f"\n{block}: WLK_PROP_SEED={SEED}, {points}")
    assert set(floors) == set(BLOCKS[block].points) >= {p for p, n in coverage.items() if n}
    low = {p: f"{coverage[p]} < {floor}" for p, floor in floors.items() if coverage[p] < floor}
    assert not low, f"coverage under its floor with WLK_PROP_SEED={SEED}: {low}"


@pytest.mark.parametrize("block", BLOCKS)
def test_c_model_agrees(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Small configurations, some profiles each."""
    configs = dealt(block, SMALL, BLOCKS[block].configs)
    coverage = compare(block, configs, QUICK_PROFILES)
    with capsys.disabled():
        check_floors(block, coverage, FLOORS[block])


@pytest.mark.slow
@pytest.mark.parametrize("block", programs.part(BLOCKS, 2))
def test_c_model_agrees_at_large(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The named configurations and random ones of all sizes."""
    configs = named(block) + dealt(block, LARGE, LARGE_TIMES * BLOCKS[block].configs)
    coverage = compare(block, configs, QUICK_PROFILES)
    with capsys.disabled():
        check_floors(block, coverage, FLOORS[block])
