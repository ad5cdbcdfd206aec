# SPDX-License-Identifier: Apache-2.0
"""What a command can answer: the exit codes, and the error that carries one.

`refmodel/include/warplock/error.h` is the only list of them.
"""

import difflib
import re
import textwrap
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
HEADER = ROOT / "refmodel" / "include" / "warplock" / "error.h"
LISTED = 240  # characters of names in a message
_LINE = re.compile(r"^ +WLK_(\w+) = (\d+), +/\*\*< (.*?) \*/$", re.MULTILINE)

_listed = _LINE.findall(HEADER.read_text(encoding="utf-8"))
Status = IntEnum("Status", [(name, int(code)) for name, code, _ in _listed], module=__name__)
MEANINGS = {Status[name]: text for name, _, text in _listed}
Status.__doc__ = "Verdict or error of a command; its number is the exit code."


# Only an answer can say so: a program that dies may end with any code.
DIFFERENCES = {
    *(Status.FUNCTIONAL_MISMATCH, Status.TIMING_DIVERGENCE, Status.PROTOCOL_VIOLATION),
    *(Status.HANG, Status.RTL_ASSERTION, Status.REFUTED),
}


def is_error(code: int) -> bool:
    """Can a program end with this code and a message, but without an answer?"""
    return code in set(Status) - DIFFERENCES - {Status.OK}


class WlkError(Exception):
    """A failure reported in one line: what is wrong, where, and what to do."""

    def __init__(self, status: Status, message: str) -> None:
        self.status = Status(status)
        self.message = " ".join(message.split())
        super().__init__(self.message)

    def json(self) -> dict[str, Any]:
        """What a program reads of it."""
        return {"status": self.status.name, "code": int(self.status), "message": self.message}


def closest(name: str, names: Iterable[str]) -> str:
    """The one of the names that a person may have meant, or nothing."""
    return next(iter(difflib.get_close_matches(name, [*names], 1)), "")


def nearest(name: str, names: Iterable[str], listed: str = "it has") -> str:
    """What follows `there is no NAME`: the closest name, or the names there are after `listed`, as
    many as a line holds."""
    known = [*names]
    if near := closest(name, known):
        return f"; did you mean {near}?"
    shown = textwrap.shorten(", ".join(known), LISTED, placeholder=" …")
    return f"; {listed} {shown}" if known else ""
