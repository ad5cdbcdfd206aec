# SPDX-License-Identifier: Apache-2.0
"""What the chosen tests need is installed before the first of them runs.

`pytest.mark.needs("yosys")`: features of setup.FEATURES, beside those that every test may use.
"""

import pytest
from wlk.base import setup
from wlk.base.errors import WlkError


@pytest.hookimpl(trylast=True)  # behind -k and -m
def pytest_collection_modifyitems(items):
    needed = {name for item in items for mark in item.iter_markers("needs") for name in mark.args}
    if unknown := needed - setup.FEATURES.keys():
        raise pytest.UsageError(f"mark needs: setup knows no {', '.join(sorted(unknown))}")
    try:
        setup.ensure(needed)
    except WlkError as error:
        raise pytest.UsageError(error.message) from error
