# SPDX-License-Identifier: Apache-2.0
"""Random faults without --config: a few of the campaign in random_faults.py."""

import programs
import pytest
import random_faults


@pytest.mark.slow
@pytest.mark.parametrize("seed", programs.part(range(2, 8), 2))
def test_fault_is_not_blamed_on_the_parameters(seed):
    outcome = random_faults.run(seed)
    assert outcome.code != 0
    assert outcome.is_true or not outcome.is_default, outcome.line()
    assert not outcome.is_silent, outcome.line()
