# SPDX-License-Identifier: Apache-2.0
"""Protocol rules: the C model tells the broken ones in the cycles in which the naive one does."""

from __future__ import annotations

import adapter
import pytest
from naive_collector import NaiveCollector, complete
from stimulus import Stimulus
from wlk import tables

CYCLES = 400
CONFIGS = [
    {"num_lanes": 1, "num_pregs": 16, "coll_entries": 3},
    {"num_lanes": 2, "num_pregs": 2, "coll_entries": 1},
    {"num_lanes": 1, "num_pregs": 16, "coll_entries": 5, "power_up": "zero"},
    {"num_lanes": 1, "num_pregs": 16, "coll_entries": 32},
]
RULES = [rule["name"] for rule in tables.load("collector").rules]


def naive_violations(params: dict, rows: list[dict[str, int]]) -> list[set[str]]:
    model, found = NaiveCollector(params), []
    for row in rows:
        model.step(row)
        found.append(model.violations)
    return found


@pytest.mark.parametrize("profile", ["mixed", "resets", "illegal"])
@pytest.mark.parametrize("params", [complete(c) for c in CONFIGS], ids=str)
def test_violations_agree(params: dict, profile: str) -> None:
    total = 0
    for seed in range(4):
        rows, _, _ = Stimulus(params, profile, f"violations/{seed}").run(CYCLES)
        expected = naive_violations(params, rows)
        for cycle, (_, bitmap) in enumerate(adapter.model_cycles("collector", params, rows)):
            if not any(row["reset"] for row in rows[:cycle]):
                continue  # the naive model's rules hold from the first reset on
            told = {name for bit, name in enumerate(RULES) if bitmap >> bit & 1}
            assert told - {"readData_out_of_range"} == expected[cycle], f"seed {seed} {cycle=}"
            row = rows[cycle]
            beyond = row["io_readData_req_bits_collEntry"] >= params["coll_entries"]
            assert ("readData_out_of_range" in told) == (bool(expected[cycle]) and beyond)
            total += bool(told)
    assert (total > 100) == (profile == "illegal"), total
