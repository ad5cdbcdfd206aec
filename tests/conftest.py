# SPDX-License-Identifier: Apache-2.0
"""What the chosen tests need is installed before the first of them runs.

`pytest.mark.needs("yosys")`: features of setup.FEATURES, beside those that every test may use.
Where one of setup.OPTIONAL cannot be installed, its tests are skipped with the reason.

WARPLOCK_SHARE, "PLACE=N PLACE=N": of the tests whose path below tests/ begins with PLACE one of N
parts, which depends on $WARPLOCK_SLICE: what takes long, where every run need not do all. The last
place that fits decides; an empty one is all.
"""

import os
import zlib

import programs
import pytest
from wlk.base import setup
from wlk.base.errors import WlkError


def shares(text):
    """(place, parts) of the variable; UsageError names what cannot be read."""
    found = []
    for word in text.split():
        place, _, parts = word.partition("=")
        if not parts.isdecimal() or int(parts) < 1:
            raise pytest.UsageError(f"WARPLOCK_SHARE: {word!r} is no PLACE=N")
        found.append((place, int(parts)))
    return found


def is_chosen(nodeid, wanted):
    """Is a test, "lockstep/test_rtl.py::test_a[b]", in this run's parts?"""
    parts = next((n for place, n in reversed(wanted) if nodeid.startswith(place)), 1)
    return zlib.crc32(nodeid.encode()) % parts == programs.SLICE % parts


@pytest.hookimpl(trylast=True)  # behind -k and -m
def pytest_collection_modifyitems(config, items):
    wanted = [] if programs.FULL else shares(os.environ.get("WARPLOCK_SHARE", ""))
    below = {item: item.nodeid.removeprefix("tests/") for item in items}
    left_out = [item for item in items if not is_chosen(below[item], wanted)]
    items[:] = [item for item in items if is_chosen(below[item], wanted)]
    config.hook.pytest_deselected(items=left_out)
    needed = {name for item in items for mark in item.iter_markers("needs") for name in mark.args}
    if unknown := needed - setup.FEATURES.keys():
        raise pytest.UsageError(f"mark needs: setup knows no {', '.join(sorted(unknown))}")
    optional = needed & set(setup.OPTIONAL)
    try:
        setup.ensure(needed - optional)
        lacking = setup.offer(optional)
    except WlkError as error:
        raise pytest.UsageError(error.message) from error
    for name, reason in lacking.items():
        for item in items:
            if any(name in mark.args for mark in item.iter_markers("needs")):
                item.add_marker(pytest.mark.skip(reason=f"{name}: {reason}"))
