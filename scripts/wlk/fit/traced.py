# SPDX-License-Identifier: Apache-2.0
"""Values of all signals in a short waveform of `lockstep`, cycle by cycle."""

from __future__ import annotations

import bisect
import re
import subprocess
from functools import cached_property
from pathlib import Path

from ..base.errors import Status, WlkError
from .terms import Value

PERIOD = 10  # time units of a cycle; the edge is in its middle
ELEMENT = re.compile(r"[\[(](-?\d+)[\])]")
UNKNOWN = str.maketrans("xXzZ", "0000")


class Trace:
    """The values of the signals below one scope. Cycle C is sampled before its edge."""

    def __init__(self, text: str, module: str) -> None:
        self._codes: dict[str, str] = {}  # path below the scope -> code of the signal
        self._elements: dict[str, dict[int, str]] = {}  # of arrays
        self._times: dict[str, list[int]] = {}
        self._values: dict[str, list[int]] = {}
        head, _, body = text.partition("$enddefinitions")
        self._read_names(head, module)
        self._read_changes(body)

    def _read_names(self, head: str, module: str) -> None:
        scopes: list[str] = []
        inside: int | None = None
        for line in head.split("\n"):
            words = line.split()
            if words[:1] == ["$scope"]:
                scopes.append(ELEMENT.sub(r"[\1]", words[2]))
                inside = len(scopes) if inside is None and words[2] == module else inside
            elif words[:1] == ["$upscope"]:
                scopes.pop()
                inside = None if inside is not None and len(scopes) < inside else inside
            elif words[:1] == ["$var"] and inside is not None and words[1] != "parameter":
                path = ".".join([*scopes[inside:], ELEMENT.sub(r"[\1]", words[4])])
                self._codes.setdefault(path, words[3])
                name, bracket, rest = path.rpartition("[")
                if bracket and rest.endswith("]"):
                    self._elements.setdefault(name, {})[int(rest[:-1])] = words[3]

    def _read_changes(self, body: str) -> None:
        time = 0
        for line in body.split("\n"):
            first = line[:1]
            if first == "#":
                time = int(line[1:])
            elif first == "b":
                digits, _, code = line[1:].partition(" ")
                self._note(code, time, int(digits.translate(UNKNOWN) or "0", 2))
            elif first in ("0", "1", "x", "z"):
                self._note(line[1:], time, int(first == "1"))

    def _note(self, code: str, time: int, value: int) -> None:
        times, values = self._times.setdefault(code, []), self._values.setdefault(code, [])
        if values and values[-1] == value:
            return
        if times and times[-1] == time:
            values[-1] = value
        else:
            times.append(time)
            values.append(value)

    @cached_property
    def first(self) -> int:
        """The first cycle that is in it."""
        times = (each[0] for each in self._times.values())
        return -(-min(times, default=0) // PERIOD)

    def at(self, path: str, cycle: int, width: int, element: int) -> Value:
        """What a signal is in a cycle; `element`: bits of an array's, 0 of what is no array."""
        code = self._codes.get(path)
        if code is not None:
            return self._at(code, cycle)
        parts = self._elements.get(path) if element else None
        if not parts or len(parts) * element != width:
            return None
        values = [self._at(parts[index], cycle) for index in sorted(parts)]
        if None in values:
            return None
        return sum(value << n * element for n, value in enumerate(values))

    def _at(self, code: str, cycle: int) -> Value:
        times = self._times.get(code, [])
        place = bisect.bisect_right(times, cycle * PERIOD) - 1
        return self._values[code][place] if place >= 0 else None


def read(tool: Path, wave: Path, module: str) -> Trace:
    """The waveform of a failure, by wlk-check; WlkError where it cannot be read."""
    done = subprocess.run([tool, "vcd", wave], capture_output=True, text=True, check=False)
    if done.returncode:
        raise WlkError(Status.CORRUPT, done.stderr.strip().removeprefix(f"{tool.name}: "))
    return Trace(done.stdout, module)
