# SPDX-License-Identifier: Apache-2.0
"""What a command can answer: the exit codes, and the error that carries one.

The numbers are those of `refmodel/include/warplock/error.h`; a unit test compares the two.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any


class Status(IntEnum):
    """Verdict or error of a command; its number is the exit code."""

    OK = 0
    FUNCTIONAL_MISMATCH = 1
    USAGE = 2
    TIMING_DIVERGENCE = 3
    PROTOCOL_VIOLATION = 4
    HANG = 5
    VACUOUS = 6
    IFACE_CHANGED = 7
    BUILD_FAIL = 8
    MODEL_ERROR = 9
    NO_FILE = 10
    TRUNCATED = 11
    CORRUPT = 12
    BAD_VERSION = 13
    BAD_SCHEMA = 14
    BAD_PARAMS = 15
    NO_SCOPE = 16
    NO_CLOCK = 17
    BAD_WIDTH = 18
    NO_RESET = 19
    BAD_RTL = 20
    NO_MODULE = 21
    AMBIGUOUS = 22
    BAD_CONFIG = 23
    BAD_CSV = 24
    NO_SPACE = 25
    NO_TOOL = 26
    NO_MEMORY = 27
    RTL_ASSERTION = 28
    INTERRUPTED = 130


class WlkError(Exception):
    """A failure to tell a person in one line: what is wrong, where, and what to do."""

    def __init__(self, status: Status, message: str) -> None:
        self.status = Status(status)
        self.message = " ".join(message.split())
        super().__init__(self.message)

    def json(self) -> dict[str, Any]:
        """What a program reads of it."""
        return {"status": self.status.name, "code": int(self.status), "message": self.message}
