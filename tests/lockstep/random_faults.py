# SPDX-License-Identifier: Apache-2.0
"""Random faults in the stub, run without --config: is the configuration that is reported the RTL's?

A seed chooses the block (collector or stage) and a fault: an operator, a constant or a condition of
the hand-written files that becomes another. Faults that do not build or that nothing shows are
drawn again. The RTL is the stub as it comes, with the default of what ports do not show, and that
must be reported; with `any_values` it has other values half of the time, which cannot be found
behind a fault that shows before they do, and must then be marked as inferred.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import rtl_under_test as rut
from wlk import tables
from wlk.base.errors import Status
from wlk.gen import stubs

DRAWS = 12  # of a seed, until a fault shows
SIZES = {"num_lanes": 2, "num_pregs": 16}
# The values that ports do not show; those of the stage are few, as the search tries them all.
OPEN = {
    "collector": {"coll_entries": range(1, 9)},
    "issue": {
        "rs_entries": range(3, 9),
        "coll_entries": range(1, 5),
        "max_pending_reads": range(3, 16),
        "forward_coll_issue": range(2),
        "in_order_per_warp": range(2),
    },
}
MORE = {"issue": {"num_warps": 2}}
PAIRS = [("==", "!="), ("&&", "||"), (" & ", " | "), (" + ", " - "), ("1'b0", "1'b1"), ("'0", "'1")]
OPERATORS = {old: new for one, other in PAIRS for old, new in ((one, other), (other, one))}
OPERATORS |= {"!": "", " ? ": " ? !"}
TOKEN = re.compile("|".join(re.escape(op) for op in sorted(OPERATORS, key=len, reverse=True)))
FIXED = re.compile(r"^\s*(//|parameter|localparam|input|output|genvar|for|import|`)|for \(")


@dataclass
class Fault:
    """A text of a file that becomes another."""

    file: str
    line: int
    text: str
    changed: str

    def put_into(self, place: Path) -> None:
        path = place / self.file
        lines = path.read_text(encoding="utf-8").split("\n")
        assert lines[self.line] == self.text
        lines[self.line] = self.changed
        path.write_text("\n".join(lines), encoding="utf-8")


@dataclass
class Outcome:
    """What `lockstep` reported of a seed."""

    seed: int
    block: str
    true: dict[str, int]
    fault: Fault | None = None
    code: int = 0
    answer: dict[str, Any] = field(default_factory=dict)
    text: str = ""

    @property
    def found(self) -> dict[str, int]:
        return {key: self.answer["config"][key] for key in self.true}

    @property
    def is_true(self) -> bool:
        return self.found == self.true

    @property
    def is_default(self) -> bool:
        params = tables.load(self.block).params
        return all(params[key].default == value for key, value in self.true.items())

    @property
    def is_silent(self) -> bool:
        """Another configuration, and no report that it is inferred or to be pinned."""
        marked = set(self.answer.get("inferred_behaviour", ()))
        wrong = {key for key, value in self.true.items() if self.found[key] != value}
        return not wrong <= marked or "pin" not in self.text

    def line(self) -> str:
        kind = "true" if self.is_true else "SILENT" if self.is_silent else "marked"
        fault = self.fault
        where = f"{fault.file}:{fault.line + 1} '{fault.text}' -> '{fault.changed}'"
        rows = [f"{c['config']} {c.get('first', {})}" for c in self.answer.get("candidates", [])]
        more = "" if self.is_true else f" true {self.true} found {self.found} {rows[:4]}"
        return f"{self.seed} {self.block} {kind} {self.answer['verdict']} {where}{more}"


def _faults(block: str) -> Iterator[Fault]:
    for path in stubs.stub_files(tables.load(block)):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")):
            code = line.partition("//")[0]
            if not FIXED.search(code):
                for found in TOKEN.finditer(code):
                    changed = line[: found.start()] + OPERATORS[found[0]] + line[found.end() :]
                    yield Fault(path.name, number, line, changed)


def _configuration(block: str, draw: random.Random, any_values: bool) -> dict[str, int]:
    """Legal values of what ports do not show: the defaults, or so half of the time."""
    table = tables.load(block)
    true = {key: table.params[key].default for key in OPEN[block]}
    if not any_values and _is_legal(block, true):
        return true
    while draw.random() < 0.5 or not _is_legal(block, true):
        true = {key: draw.choice(values) for key, values in OPEN[block].items()}
        if _is_legal(block, true):
            break
    return true


def _is_legal(block: str, true: dict[str, int]) -> bool:
    table = tables.load(block)
    return table.refusal(table.config(SIZES | MORE.get(block, {}) | true)) is None


def run(seed: int, *words: str, cycles: int = 5000, any_values: bool = True) -> Outcome:
    """A fault that shows, and what is reported of it."""
    draw = random.Random(seed)
    block = "issue" if seed % 2 else "collector"
    outcome = Outcome(seed, block, _configuration(block, draw, any_values))
    faults = list(_faults(block))
    config = SIZES | MORE.get(block, {}) | outcome.true
    for _ in range(DRAWS):
        outcome.fault = draw.choice(faults)
        place = rut.stub(f"random_{seed}", config, block=block)
        outcome.fault.put_into(place)
        length = ("--seeds", "1..2", "--cycles", str(cycles))
        done = rut.run_lockstep("--rtl", place, *length, *words, block=block, code=None)
        if done.code in (Status.BUILD_FAIL, Status.BAD_RTL):
            continue
        outcome.code, outcome.answer, outcome.text = done.code, done.json, done.err
        if done.code != Status.OK or not outcome.is_true:
            break  # else nothing shows it
    return outcome
