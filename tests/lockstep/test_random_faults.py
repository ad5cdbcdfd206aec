# SPDX-License-Identifier: Apache-2.0
"""Random faults without --config: a few, and a hundred with `warplock test --full`."""

import programs
import pytest
import random_faults

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", programs.part(range(2, 8), 2))
def test_fault_is_not_blamed_on_the_parameters(seed):
    outcome = random_faults.run(seed)
    assert outcome.code != 0
    assert outcome.is_true or not outcome.is_default, outcome.line()
    assert not outcome.is_silent, outcome.line()


@pytest.mark.skipif(not programs.FULL, reason="takes half an hour; `warplock test --full` runs it")
@pytest.mark.parametrize("any_values", [False, True])
def test_default_is_reported_in_spite_of_a_fault(any_values):
    outcomes = [random_faults.run(seed, any_values=any_values) for seed in range(1, 101)]
    usual = [each for each in outcomes if each.is_default]
    wrong = [each.line() for each in usual if not each.is_true]
    assert len(wrong) * 100 <= 5 * len(usual), wrong
    assert [each.line() for each in outcomes if each.is_silent] == []
