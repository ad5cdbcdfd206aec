# SPDX-License-Identifier: Apache-2.0
"""Pipeline pictures in the Kanata log format, version 0004: a strict reader, and a drawing.

`PYTHONPATH=scripts python3 -m wlk.run.kanata FILE` prints whether Konata, in any version, opens the
log and whether it is a picture as docs/pipeline.md describes it; `--svg FILE` draws a part of it.

What the format's page leaves open is refused here, because versions of the viewer differ on it: a
stage that is not ended, an instruction that neither retires nor is flushed, commands after that,
more or fewer columns than the command has, numbers that are not plain decimals.
"""

import html
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from ..base import options, outputs
from ..base.errors import Status, WlkError
from ..base.guard import guard

COMMAND = "PYTHONPATH=scripts python3 -m wlk.run.kanata"
VERSION = "0004"
NUMBER = re.compile(r"0|[1-9][0-9]*")
MAIN, STALLS = 0, 1  # lanes
EXECUTE = "exec"
# Stages of the picture and those that may follow; None: the instruction ends.
NEXT: dict[str | None, tuple[str | None, ...]] = {
    None: ("ibuf", "admit", "collect", "ready", "issue"),
    "ibuf": ("admit", "ready"),
    "admit": ("collect",),
    "collect": ("admit", "ready", "issue"),
    "ready": ("issue",),
    "issue": (EXECUTE,),
    EXECUTE: ("writeback", None),
    "writeback": (None,),
}
# Stalls and the stages beside which they stand.
BESIDE = {
    "WAW": ("ibuf",),
    "WAR": ("ibuf",),
    "WAW+WAR": ("ibuf",),
    "refused": ("ibuf",),
    "rs_full": ("ibuf",),
    "turn": ("ibuf", "collect", "ready"),
    "RAW": ("admit",),
    "in_order": ("admit", "collect", "ready"),
    "coll_port": ("admit",),
    "coll_full": ("admit",),
    "blocked": ("collect", "ready", "issue"),
}


@dataclass
class Stage:
    """A stage of an instruction, from the cycle `start` up to and without `end`."""

    lane: int
    name: str
    start: int
    end: int = -1


@dataclass
class Instruction:
    """A line of the picture."""

    number: int
    in_sim: int
    thread: int
    start: int
    end: int = -1
    is_flushed: bool = False
    label: str = ""
    detail: str = ""
    stages: list[Stage] = field(default_factory=list)
    producers: list[int] = field(default_factory=list)  # those that woke it

    def lane(self, lane: int) -> list[Stage]:
        return [stage for stage in self.stages if stage.lane == lane]

    def open_stage(self, lane: int) -> Stage | None:
        stages = self.lane(lane)
        return stages[-1] if stages and stages[-1].end < 0 else None


@dataclass
class Log:
    """A whole picture; instructions lie in the order of their numbers."""

    start: int = 0
    end: int = 0
    instructions: list[Instruction] = field(default_factory=list)


# ---- reading ------------------------------------------------------------------------------------


class Reader:
    """Reads line by line; each command has a method `_X`."""

    COLUMNS = {"C": 1, "I": 3, "L": 3, "S": 3, "E": 3, "R": 3, "W": 3}

    def __init__(self, name: str) -> None:
        self.name = name
        self.log = Log()
        self.cycle = 0
        self.line = 0
        self.retired = 0

    def read(self, text: str) -> Log:
        lines = text.split("\n")
        if lines[-1] != "":
            self.line = len(lines)
            raise self.error("the last line does not end; is the file complete?", Status.TRUNCATED)
        self._head(lines[:-1])
        for self.line, line in enumerate(lines[2:-1], start=3):
            command, *columns = line.split("\t")
            if command not in self.COLUMNS:
                raise self.error(f"no command {command!r}")
            if len(columns) != self.COLUMNS[command]:
                raise self.error(f"{command} has {self.COLUMNS[command]} columns behind it")
            getattr(self, f"_{command}")(*columns)
        for op in self.log.instructions:
            if op.end < 0:
                raise self.error(f"instruction {op.number} has no R")
        self.log.end = self.cycle
        return self.log

    def error(self, what: str, status: Status = Status.CORRUPT) -> WlkError:
        return WlkError(status, f"{self.name}:{self.line}: {what}")

    def _head(self, lines: Sequence[str]) -> None:
        version, first = (line.split("\t") for line in [*lines, "", ""][:2])
        self.line = 1
        if version[:1] != ["Kanata"] or len(version) != 2:
            raise self.error("the first line must be 'Kanata<TAB>version'")
        if version[1] != VERSION:
            raise self.error(f"version {version[1]}; this reads {VERSION}", Status.BAD_VERSION)
        self.line = 2
        if first[:1] != ["C="] or len(first) != 2:
            raise self.error("the second line must be 'C=<TAB>cycle'")
        self.cycle = self.log.start = self._number(first[1])

    def _number(self, text: str) -> int:
        if not NUMBER.fullmatch(text):
            raise self.error(f"{text!r} is not a decimal number")
        return int(text)

    def _one_of(self, text: str, *legal: int) -> int:
        value = self._number(text)
        if value not in legal:
            raise self.error(f"{value} is not one of {', '.join(map(str, legal))}")
        return value

    def _any(self, text: str) -> Instruction:
        number = self._number(text)
        if number >= len(self.log.instructions):
            raise self.error(f"instruction {number} has not begun")
        return self.log.instructions[number]

    def _alive(self, text: str) -> Instruction:
        op = self._any(text)
        if op.end >= 0:
            raise self.error(f"instruction {op.number} has ended")
        return op

    def _C(self, cycles: str) -> None:  # noqa: N802 - named as the command
        if self._number(cycles) == 0:
            raise self.error("C must pass a cycle or more")
        self.cycle += int(cycles)

    def _I(self, number: str, in_sim: str, thread: str) -> None:  # noqa: N802
        if self._number(number) != len(self.log.instructions):
            raise self.error(f"the next instruction is {len(self.log.instructions)}")
        op = Instruction(int(number), self._number(in_sim), self._number(thread), self.cycle)
        self.log.instructions.append(op)

    def _L(self, number: str, kind: str, text: str) -> None:  # noqa: N802
        op = self._alive(number)
        if not text:
            raise self.error("an empty label")
        if self._one_of(kind, 0, 1) == 0:
            op.label += text
        else:
            op.detail += text.replace("\\n", "\n")

    def _S(self, number: str, lane: str, name: str) -> None:  # noqa: N802
        op = self._alive(number)
        if name != name.strip() or not name:
            raise self.error(f"{name!r} is no name of a stage")
        if opened := op.open_stage(self._number(lane)):
            raise self.error(f"{opened.name} has not ended, and not every version ends it")
        op.stages.append(Stage(int(lane), name, self.cycle))

    def _E(self, number: str, lane: str, name: str) -> None:  # noqa: N802
        opened = self._alive(number).open_stage(self._number(lane))
        if opened is None or opened.name != name:
            raise self.error(f"{name} has not started")
        opened.end = self.cycle

    def _R(self, number: str, retire: str, kind: str) -> None:  # noqa: N802
        op = self._alive(number)
        if any(stage.end < 0 for stage in op.stages):
            raise self.error(f"instruction {op.number} ends within a stage")
        op.is_flushed = self._one_of(kind, 0, 1) == 1
        op.end = self.cycle
        if self._number(retire) != self.retired:
            raise self.error(f"the next to retire is {self.retired}")
        self.retired += not op.is_flushed

    def _W(self, consumer: str, producer: str, kind: str) -> None:  # noqa: N802
        op, other = self._alive(consumer), self._any(producer)
        self._one_of(kind, 0)
        if op is other or other.number in op.producers:
            raise self.error(f"instruction {op.number} waits for itself, or twice")
        op.producers.append(other.number)


def parse(text: str, name: str = "log") -> Log:
    """The picture in `text`. CORRUPT, TRUNCATED or BAD_VERSION with the line that is wrong."""
    return Reader(name).read(text)


def read(path: Path) -> Log:
    """The picture in a file. As `parse`; NO_FILE when it cannot be read."""
    try:
        return parse(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise WlkError(Status.NO_FILE, f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise WlkError(Status.CORRUPT, f"{path}: not text: {error.reason}") from error


# ---- what we draw -------------------------------------------------------------------------------


def check(log: Log) -> None:
    """Is it a picture of the issue stage? CORRUPT names the first instruction that is not."""
    for op in log.instructions:
        for wrong in _faults(op):
            raise WlkError(Status.CORRUPT, f"instruction {op.number} ({op.label}): {wrong}")


def _faults(op: Instruction) -> Iterator[str]:
    stages, stalls = op.lane(MAIN), op.lane(STALLS)
    if len(stages) + len(stalls) != len(op.stages):
        yield "a lane that is neither stages nor stalls"
    if not stages or (stages[0].start, stages[-1].end) != (op.start, op.end):
        yield "shows no stage in its first cycle or its last"
    for one, other in pairwise(stages):
        if one.end != other.start:
            yield f"{other.name} does not start where {one.name} ends"
    names = [None, *(stage.name for stage in stages), *([] if op.is_flushed else [None])]
    for one, other in pairwise(names):
        if other not in NEXT.get(one, ()):
            yield f"{other or 'the end'} follows {one or 'the start'}"
    for stage in stages:
        length = stage.end - stage.start
        if length == 0 and stage.name != EXECUTE:
            yield f"{stage.name} is of no length"
        if stage.name == "writeback" and length != 1:
            yield f"{stage.name} takes {length} cycles"
    yield from _stall_faults(stages, stalls)


def _stall_faults(stages: Sequence[Stage], stalls: Sequence[Stage]) -> Iterator[str]:
    for stall in stalls:
        beside = BESIDE.get(stall.name, ())
        cells = {c for s in stages if s.name in beside for c in range(s.start, s.end)}
        if stall.start >= stall.end or not cells.issuperset(range(stall.start, stall.end)):
            yield f"{stall.name} stands beside a stage that it does not stall"


# ---- drawing ------------------------------------------------------------------------------------

COLOURS = {
    "ibuf": "#d4d9e0",
    "admit": "#9ec9f2",
    "collect": "#3f8fd9",
    "ready": "#bfe3b4",
    "issue": "#4f9f4a",
    EXECUTE: "#f3b562",
    "writeback": "#c9602c",
}
STALL_COLOUR = "#a3163a"
ARROW_COLOUR = "#5b2a86"
EDGE = ' stroke="#222222" stroke-opacity="0.35"'
CELL, ROW, BAR, MARGIN = 15, 19, 15, 8
AXIS, LEGEND = 22, 26
LETTER = 6.7  # of the labels' font


def svg(log: Log, instructions: range, cycles: range) -> str:
    """A drawing of some instructions in some cycles."""
    some = [op for op in log.instructions if op.number in instructions]
    shown = [op for op in some if op.start < cycles.stop and op.end > cycles.start]
    return Drawing(shown, cycles).text()


class Drawing:
    """One SVG file."""

    def __init__(self, shown: Sequence[Instruction], cycles: range) -> None:
        self.shown, self.cycles = shown, cycles
        self.left = MARGIN + LETTER * max((len(op.label) for op in shown), default=0) + MARGIN
        self.rows = {op.number: index for index, op in enumerate(shown)}

    def text(self) -> str:
        width = max(self._x(self.cycles.stop) + MARGIN, 780)
        height = AXIS + ROW * len(self.shown) + LEGEND + MARGIN
        size = f'width="{width:.0f}" height="{height}"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
            f'viewBox="0 0 {width:.0f} {height}" font-family="monospace" font-size="11">',
            f'<rect {size} fill="#ffffff"/>',
            *self._grid(),
            *(part for op in self.shown for part in self._row(op)),
            *(part for op in self.shown for part in self._arrows(op)),
            *self._legend(height - LEGEND / 2),
            "</svg>",
        ]
        return "\n".join(parts) + "\n"

    def _x(self, cycle: int) -> float:
        return self.left + CELL * (cycle - self.cycles.start)

    def _y(self, op: Instruction) -> int:
        return AXIS + ROW * self.rows[op.number]

    def _grid(self) -> Iterable[str]:
        bottom = AXIS + ROW * len(self.shown)
        for cycle in self.cycles:
            if cycle % 5 == 0:
                x = self._x(cycle)
                yield f'<path d="M{x:.1f} {AXIS - 4}V{bottom}" stroke="#e4e4e4"/>'
                yield _words(x + CELL / 2, AXIS - 8, str(cycle), "#666666", "middle")

    def _row(self, op: Instruction) -> Iterable[str]:
        y = self._y(op)
        yield _words(MARGIN, y + 12, op.label, "#222222")
        for stage in op.lane(MAIN):
            yield from self._bar(stage, y + 1, BAR, COLOURS[stage.name], EDGE)
        for stall in op.lane(STALLS):
            yield from self._bar(stall, y + BAR - 3, 4, STALL_COLOUR, "")
            yield from self._name(stall, y + 10, STALL_COLOUR, 9)

    def _span(self, stage: Stage) -> tuple[float, float] | None:
        start, end = max(stage.start, self.cycles.start), min(stage.end, self.cycles.stop)
        return (self._x(start), self._x(end)) if start < end else None

    def _bar(self, stage: Stage, y: float, height: int, colour: str, more: str) -> Iterable[str]:
        span = self._span(stage)
        if span:
            place = f'x="{span[0]:.1f}" y="{y}" width="{span[1] - span[0]:.1f}"'
            yield f'<rect {place} height="{height}" fill="{colour}"{more}/>'

    def _name(self, stage: Stage, y: float, colour: str, size: int) -> Iterable[str]:
        span = self._span(stage)
        if span and len(stage.name) * size * 0.62 <= span[1] - span[0]:
            middle = (span[0] + span[1]) / 2
            yield _words(middle, y, stage.name, colour, "middle", size)

    def _arrows(self, op: Instruction) -> Iterable[str]:
        """From the write-back to the cycle after it, in which the consumer goes on."""
        for producer in (self.shown[self.rows[n]] for n in op.producers if n in self.rows):
            if producer.end in self.cycles:
                x, y = self._x(producer.end), self._y(producer) + BAR / 2
                to_x, to_y = x + 3, self._y(op) + BAR / 2
                curve = f"C{x + 14:.1f} {y:.1f} {x + 10:.1f} {to_y - 8:.1f} {to_x:.1f} {to_y:.1f}"
                line = f'fill="none" stroke="{ARROW_COLOUR}" stroke-width="1.3"'
                yield f'<path d="M{x:.1f} {y:.1f}{curve}" {line}/>'
                yield f'<circle cx="{to_x:.1f}" cy="{to_y:.1f}" r="2.6" fill="{ARROW_COLOUR}"/>'

    def _legend(self, y: float) -> Iterable[str]:
        x = float(MARGIN)
        for name, colour in {**COLOURS, "stall": STALL_COLOUR, "wake-up": ARROW_COLOUR}.items():
            yield f'<rect x="{x:.1f}" y="{y - 5:.1f}" width="12" height="12" fill="{colour}"/>'
            yield _words(x + 16, y + 5, name, "#222222")
            x += 16 + LETTER * len(name) + 16


def _words(
    x: float, y: float, text: str, colour: str, anchor: str = "start", size: int = 11
) -> str:
    look = f'fill="{colour}" text-anchor="{anchor}" font-size="{size}" xml:space="preserve"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{html.escape(text)}</text>'


# ---- the command --------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a picture, and draw a part of it."""
    parser = options.Parser(prog=COMMAND, description="Check and draw a pipeline picture.")
    parser.add_argument("log", type=Path, help="file in the Kanata log format")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw it")
    for what in ("instructions", "cycles"):
        parser.add_argument(f"--{what}", type=options.span, metavar="A..B", help="of the svg")
    args = parser.parse_args(arguments)
    log = read(args.log)
    check(log)
    flushed = sum(op.is_flushed for op in log.instructions)
    counts = f"{len(log.instructions):,} instructions, {flushed:,} of them flushed"
    print(f"{args.log}: {counts}, {log.end - log.start:,} cycles")
    if args.svg:
        instructions = args.instructions or range(len(log.instructions))
        text = svg(log, instructions, args.cycles or range(log.start, log.end))
        with outputs.atomic_write(args.svg) as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(guard(main))
