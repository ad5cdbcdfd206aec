# SPDX-License-Identifier: Apache-2.0
"""Waveforms of a run: the signals of the RTL and, in the scope `warplock`, what was expected beside
them; with files that open them at the first difference."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import outputs
from ..base.seeds import Seeds
from ..fit import wave
from ..gen import composed
from ..tables import Config, Table
from . import build, harness, picture, tools, views
from .jobs import Job
from .views import SCOPE, Group, Signal

BEFORE, AFTER = 50, 10  # cycles of a failure's waveform, around the first difference
FILE = "wave.fst"
MOST_PORTS, MOST_REGISTERS = 16, 12


def trace(job: Job, build: Callable[..., Path], place: Path, **more: object) -> Path:
    """An FST of a run; `more`: words for the harness."""
    program = build(trace=True)
    with outputs.temporary(place) as draft, contextlib.ExitStack() as stack:
        # Verilator's writer has a file of its own beside it, and does not see that it is cut.
        plain, signals = Path(f"{draft}.rtl"), Path(f"{draft}.rtl.expected")
        for path in (plain, signals, Path(f"{plain}.hier"), Path(f"{draft}.hier")):
            stack.callback(path.unlink, missing_ok=True)
        harness.write(job, program, harness.words(job, waves=plain, **more))
        harness.require_whole(plain)
        tools.run("dpi/wlk-vec", ["beside", plain, signals, draft], label=f"writing {place}")
        outputs.publish(draft, place, replace=True)
    return place


def of_seed(job: Job, build: Callable[..., Path], place: Path, seed: int, at: int | None) -> Path:
    """An FST of cycles [-50, +10] around the cycle `at`, or of the whole seed, by running it
    again."""
    around = {} if at is None else {"from": max(0, at - BEFORE), "to": at + AFTER}
    return trace(job, build, place, seeds=Seeds.one(seed), **around)


class Names:
    """The signals that a waveform has."""

    def __init__(self, file: Path) -> None:
        tool = build.brought_up() / "dpi" / wave.TOOL
        with wave.Passes(tool, str(file)) as passes:
            self._scopes = {scope.path: scope for scope in passes.scopes()}

    def find(self, path: str, *, decimal: bool = False) -> Iterator[Signal]:
        """The signal of this path, if there is one."""
        place, _, name = path.rpartition(".")
        scope = self._scopes.get(place)
        if scope is not None and name in scope.signals:
            yield Signal(place, name, scope.signals[name][0], *scope.ranges[name], decimal=decimal)

    def top(self) -> str:
        """The scope of the module that was run: the outermost one with a checker."""
        checked = [p for p in self._scopes if p.startswith(SCOPE) and p.endswith(".expected")]
        beside = min(checked, key=len, default=SCOPE)
        return f"TOP{beside.removeprefix(SCOPE).removesuffix('.expected')}"


def groups(
    names: Names,
    table: Table,
    config: Config,
    scope: str,
    differing: Sequence[str],
    registers: Sequence[str],
) -> list[Group]:
    """Clock, reset and cycle; each port that differs as the RTL and as the model has it; the other
    ports of its handshake, without a difference those of all; the registers behind it."""
    head = [name for name in (table.clock, table.reset) if name]
    found = [s for name in head for s in names.find(f"{scope}.{name}")]
    found += names.find(f"{SCOPE}.cycle", decimal=True)
    found += names.find(f"{SCOPE}.mismatch")
    result = [Group("cycle", found)]
    beside = f"{SCOPE}.{scope.partition('.')[2]}"
    for port in differing[:MOST_PORTS]:
        own = list(names.find(f"{scope}.{port}"))
        own += [s for kind in views.COLORS for s in names.find(f"{beside}.{kind}.{port}")]
        result.append(Group(port, own))
    for title, ports in picture.channels(table, config):
        shown = [port.name for port in ports]
        if differing and not set(shown) & set(differing):
            continue
        rest = [name for name in shown if name not in differing]
        result.append(Group(title, [s for name in rest for s in names.find(f"{scope}.{name}")]))
    behind = [s for name in registers for s in names.find(name)]
    result.append(Group("registers", behind[:MOST_REGISTERS]))
    return [group for group in result if group.signals]


@dataclass(frozen=True)
class Opened:
    """A waveform, and what opens it."""

    wave: Path
    gtkwave: Path
    surfer: Path

    def lines(self) -> list[str]:
        """For a person."""
        quoted = [shlex.quote(str(path)) for path in (self.gtkwave, self.surfer, self.wave)]
        gtkwave, surfer, wave = quoted
        return [f"  open it with: gtkwave {gtkwave}",
                f"  or with: surfer --command-file {surfer} {wave}"]  # fmt: skip

    def json(self) -> dict[str, str]:
        """What the answer has of it."""
        return {"file": str(self.wave), "gtkwave": str(self.gtkwave), "surfer": str(self.surfer)}


def write_views(job: Job, answer: Mapping[str, Any], file: Path, registers: Sequence[str],
                first: int) -> Opened:  # fmt: skip
    """Beside the waveform, what opens it at the first difference of the answer; `first`: cycle that
    it begins with. `registers`: below the top."""
    failure = answer.get("failure", {})
    names = Names(file)
    top = names.top()
    table, config = job.table, job.config
    for each in job.inside:
        if each.table.name == failure.get("block"):
            table, config = each.table, composed.inner_config(each.table, job.config)
    at = (failure.get("first") or answer.get("assertion") or {}).get("cycle")
    differing = [each["port"] for each in failure.get("differences", ())]
    behind = [f"{top}.{name}" for name in registers]
    shown = groups(names, table, config, failure.get("scope", top), differing, behind)
    view = views.View(file, shown, at, first)
    opened = Opened(file, file.with_suffix(".gtkw"), file.with_suffix(".sucl"))
    for path, text in (
        (opened.gtkwave, views.gtkwave(view, opened.gtkwave)),
        (opened.surfer, views.surfer(view)),
    ):
        with outputs.atomic_write(path) as to:
            to.write(text)
    return opened
