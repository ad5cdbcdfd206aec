# SPDX-License-Identifier: Apache-2.0
"""Files that open a waveform with its signals in groups, at a cycle: a save file of GTKWave, and a
command file of Surfer, whose state file is another with each of its versions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

from ..fit.traced import PERIOD

BEFORE, AFTER = 14, 6  # cycles that are seen
# GTKWave's flags of a line: the radix, and lines that begin and end a group.
HEXADECIMAL, DECIMAL, BINARY, BEGIN, END = "22", "24", "28", "800200", "1000200"
COLORS = {"expected": 3, "care": 7, "mismatch": 1}  # of GTKWave: yellow, violet, red
WIDTH, HEIGHT, NAMES = 1400, 800, 320  # of its window
PIXELS = 1000  # of it that show the waves
UNIT = 200  # pixels of a time unit at zoom 0; each step doubles them
SCOPE = "warplock"  # of what was expected


@dataclass(frozen=True)
class Signal:
    """A signal of the waveform."""

    scope: str
    name: str
    width: int
    lsb: int = 0
    ascending: bool = False
    decimal: bool = False

    @property
    def path(self) -> str:
        """Without its range, as Surfer has it."""
        return f"{self.scope}.{self.name}"

    @property
    def whole(self) -> str:
        """With its range, as GTKWave has it."""
        ends = [self.lsb + self.width - 1, self.lsb]
        first, last = reversed(ends) if self.ascending else ends
        return f"{self.path}[{first}:{last}]" if self.width > 1 else self.path

    @property
    def kind(self) -> str:
        """`expected`, `care` or `mismatch` of a port; empty: it is none."""
        last = self.scope.rpartition(".")[2]
        return last if self.scope.startswith(f"{SCOPE}.") and last in COLORS else ""


@dataclass
class Group:
    """Signals that are shown one below the other."""

    title: str
    signals: list[Signal] = field(default_factory=list)


@dataclass
class View:
    """What is seen when a waveform is opened."""

    wave: Path
    groups: list[Group]
    cycle: int | None  # of the first difference
    first: int  # cycle of the waveform

    @property
    def left(self) -> int:
        """The time at the left."""
        at = self.first if self.cycle is None else max(self.first, self.cycle - BEFORE)
        return at * PERIOD

    @property
    def right(self) -> int:
        """The time at the right."""
        return self.left + (BEFORE + AFTER) * PERIOD


def gtkwave(view: View, save: Path) -> str:
    """The save file; GTKWave finds the waveform beside it if both are moved."""
    zoom = math.log2(PIXELS / (view.right - view.left) / UNIT)
    marker = -1 if view.cycle is None else view.cycle * PERIOD
    lines = [
        f'[dumpfile] "{view.wave.absolute()}"',
        f'[savefile] "{save.absolute()}"',
        f"[timestart] {view.left}",
        f"[size] {WIDTH} {HEIGHT}",
        "[pos] -1 -1",
        f"*{zoom:.6f} {marker} {marker}{' -1' * 25}",
        f"[signals_width] {NAMES}",
        "[sst_expanded] 0",
    ]
    for group in view.groups:
        lines += [f"@{BEGIN}", f"-{group.title}"]
        for signal in group.signals:
            radix = DECIMAL if signal.decimal else HEXADECIMAL if signal.width > 1 else BINARY
            kind = signal.kind
            lines += [f"[color] {COLORS[kind]}"] if kind else []
            lines += [f"@{radix}", f"+{{{kind}}} {signal.whole}" if kind else signal.whole]
        lines += [f"@{END}", f"-{group.title}"]
    return "\n".join(lines) + "\n"


def surfer(view: View) -> str:
    """The command file. What it does not know, as older versions `zoom_to`, Surfer leaves out."""
    lines: list[str] = []
    for group in view.groups:
        lines.append(f"divider_add {group.title}")
        lines += [f"variable_add {signal.path}" for signal in group.signals]
    if view.cycle is not None:
        lines += [f"cursor_set {view.cycle * PERIOD}", "goto_cursor"]
    lines.append(f"zoom_to {view.left} {view.right}")
    return "\n".join(lines) + "\n"
