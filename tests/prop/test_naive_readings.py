# SPDX-License-Identifier: Apache-2.0
"""An arbiter's first `last` is carried as what it can be: some value explains what is seen."""

import random

import naive
import pytest
from naive_arbiter import Arbiter
from naive_common import Readings

pytestmark = pytest.mark.slow
CYCLES = 60
LEAST = 80  # outputs that are not known in these seeds

CASES = [
    (
        "issue_x",
        {
            "num_warps": 3,
            "rs_entries": 3,
            "num_lanes": 1,
            "num_pregs": 16,
            "collector": "inst_banked",
            "coll_banks": 2,
            "issue_ports": 2,
            "coll_alloc": "admit",
            "war": "epoch",
            "forwarding": "egress",
        },
    ),
]


def arbiters(model: Readings) -> list[Arbiter]:
    """Those of the only reading left."""
    (reading,) = model.readings
    return reading.arbiters()


def powered_up(block: str, params: dict, number: int) -> Readings:
    """A block that stands for the RTL: all zero but `last`, the same in each of its arbiters."""
    model = naive.model(block, {**params, "power_up": "zero"})
    for arbiter in arbiters(model):
        arbiter.lasts = {min(number, arbiter.n - 1)}
    return model


def inputs(model: Readings, cycle: int, rng: random.Random) -> dict[str, int]:
    """Anything, with one reset."""
    listed = [p for p in model.ports if p.direction == "i"]
    row = {p.name: rng.getrandbits(p.width) for p in listed}
    return {**row, "reset": int(cycle == 2)}


@pytest.mark.parametrize("is_shown", [True, False], ids=["shown", "hidden"])
@pytest.mark.parametrize("last", range(5))
@pytest.mark.parametrize(("block", "params"), CASES, ids=[block for block, _ in CASES])
def test_some_last_explains_what_is_seen(
    block: str, params: dict, last: int, is_shown: bool
) -> None:
    """Constrained by what the RTL shows, no reading is lost; in the end `last` is known. Without
    it, a bit on which readings differ is unknown, never guessed."""
    unknown = 0
    for seed in range(4):
        rng = random.Random(f"{'readings' if is_shown else 'open'}/{seed}")
        real, unsure = powered_up(block, params, last), naive.model(block, params)
        for cycle in range(CYCLES):
            row = inputs(unsure, cycle, rng)
            shown = {name: value for name, (value, _) in real.step(row).items()}
            for name, (value, care) in unsure.step(row, shown if is_shown else None).items():
                assert (value ^ shown[name]) & care == 0, f"{seed=} {cycle=} {name}"
                unknown += cycle > 2 and care != (1 << unsure.width[name]) - 1
        if is_shown:
            lasts = [arbiter.lasts for arbiter in arbiters(unsure)]
            assert lasts == [arbiter.lasts for arbiter in arbiters(real)], f"{seed=}"
    assert is_shown or unknown > LEAST
