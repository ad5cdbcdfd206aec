# SPDX-License-Identifier: Apache-2.0
"""These tests import NumPy and cffi when they are collected, and open the library of this build."""

import os

import programs
import pytest
from wlk.base import setup
from wlk.base.errors import WlkError

try:
    setup.ensure(["python"])
except WlkError as error:
    raise pytest.UsageError(error.message) from error


@pytest.fixture(scope="session", autouse=True)
def library():
    """Also for the Pythons that a test starts, such as those of simulators."""
    if programs.build.folder().name == "asan":
        pytest.skip("Python has no sanitizers")
    path = programs.folder() / "dpi/package/libwarplock.so"
    os.environ["WARPLOCK_LIBRARY"] = str(path)
    return path
