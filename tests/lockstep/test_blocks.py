# SPDX-License-Identifier: Apache-2.0
"""Every block's stub in lockstep with its model; what no stub can show is in test_rtl.py.

`warplock test --full` takes all named configurations of a block, as `warplock lockstep --all` does;
else every sixth one, from $WARPLOCK_SLICE on.
"""

import re

import programs
import pytest
import rtl_under_test as rut
from wlk import tables
from wlk.base.errors import Status

SMALL = {name: tables.load(name).small for name in tables.names()}
PARTS = 6
SHORT = ("--seeds", "1", "--cycles", "2000")


@pytest.mark.slow
@pytest.mark.parametrize("block", SMALL)
def test_short_run_passes_in_named_configurations(block):
    """So that no floor is left to chance, with seeds of its own."""
    for name in programs.part(tables.load(block).configs, PARTS):
        rut.run_lockstep("--config", name, "--seeds", "11", "--cycles", "2000", block=block)


@pytest.mark.parametrize("block", SMALL)
def test_fewer_cycles_than_a_round_are_vacuous(block):
    """Much fewer without state: there everything comes soon."""
    words = ("--seeds", "1", "--cycles", "100" if tables.load(block).clock else "5")
    done = rut.run_lockstep("--config", SMALL[block], *words, block=block, code=Status.VACUOUS)
    assert "under their floors: " in done.err


def test_warps_without_a_collector_hang():
    """vortex-issue Q12: whatever phase the new work ends in, what waits is not dropped."""
    config = ("--config", "num_warps=12", "--config", "num_opcs=3")
    for cycles in ("3000", "3192", "3384"):
        words = (*config, "--seeds", "1", "--cycles", cycles)
        done = rut.run_lockstep(*words, block="vortex_operands", code=Status.HANG)
        assert "the work has not come to its end" in done.err
        assert re.search(r"  sb waits since cycle \d+: sb_valid is 1, sb_ready is 0\n", done.err)


@pytest.mark.parametrize("block", SMALL)
def test_users_rtl_passes(block):
    """The stub as files of a user's own: found by its ports, parameters inferred."""
    config = tables.load(block).configs[SMALL[block]]
    place = rut.stub(f"users_{block}", config, block=block)
    pinned = programs.config_options(config)
    answer = rut.run_lockstep("--rtl", place, *SHORT, *pinned, block=block).json
    assert (answer["match"], answer["not_compared"]) == ("equal", [])
