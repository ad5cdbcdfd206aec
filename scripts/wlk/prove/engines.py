# SPDX-License-Identifier: Apache-2.0
"""What decides a miter: Berkeley ABC, in two processes side by side.

One merges what is equal (lcorr, scorr) and proves the rest (dprove); the other looks for the
shortest difference (bmc3), first in the miter as it is, then in the merged one, which is smaller.
"""

import contextlib
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..base import progress, setup
from ..base.errors import Status, WlkError
from .memories import Column
from .miter import Miter, Whole

PROGRAM = "berkeley-abc"
POLL = 0.05  # seconds
# Merging with more conflicts a node: what is written in another structure falls together, which
# dprove takes long to prove, or cannot; where nothing is left to merge it costs next to nothing.
HARDER = "scorr -C 100000"
SLICE = 0.5  # of the time, for what rests on some columns of memories
SHORTEN = 60.0  # seconds to look for a shorter counterexample than one that was found
PROVED, FOUND, UNKNOWN = 1, 0, -1  # what print_status prints
_STATUS = re.compile(r"^Status = +(-?\d+) ", re.MULTILINE)
_CEX = re.compile(r"^Status = .* Po = *(\d+) +Frame = *(\d+) ", re.MULTILINE)
_FRAME = re.compile(r"^ *(\d+) [+-] : ", re.MULTILINE)
_BIT = re.compile(r"\bpi(\d+)@(\d+)=([01])")
Values = list[dict[str, int]]  # of a counterexample: port -> value, a cycle each; absent: any


@dataclass(frozen=True)
class Limits:
    """When to give up: seconds, and cycles without a difference (0: as many as there is time)."""

    seconds: float
    depth: int = 0


@dataclass(frozen=True)
class Answer:
    """What came out; the verdict is OK (proved), REFUTED or BOUNDED."""

    verdict: Status
    depth: int = 0  # cycles known to be equal, or the length of the counterexample
    output: int = 0  # of a counterexample: which one differs in its last cycle
    values: Values = field(default_factory=list)
    seconds: float = 0.0
    note: str = ""  # what went wrong on the way


@dataclass(frozen=True)
class Engine:
    """A run of ABC, and what it has printed."""

    process: subprocess.Popen
    log: Path
    example: Path

    @property
    def text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    @property
    def status(self) -> int:
        """PROVED, FOUND or neither, as it printed it."""
        found = _STATUS.search(self.text)
        return int(found[1]) if found else UNKNOWN

    @property
    def has_example(self) -> bool:
        """The counterexample is written to its end."""
        with contextlib.suppress(OSError):
            return "# DONE" in self.example.read_text(encoding="utf-8")
        return False

    @property
    def frames(self) -> int:
        """Cycles in which it has found no difference."""
        found = _FRAME.findall(self.text)
        return int(found[-1]) + (self.status != FOUND) if found else 0

    @property
    def complaint(self) -> str:
        """Why it has ended without an answer; empty: it has not, or it gave up."""
        code = self.process.poll()
        if not code:
            return ""
        last = (self.text.strip().splitlines() or ["no message"])[-1]
        return f"{PROGRAM} ended with {code}: {last}; see {self.log}"


def decide(
    build: Callable[[Whole], Miter],
    limits: Limits,
    note: Callable[[str], None] = lambda _: None,
    enough: Callable[[], bool] = lambda: False,
) -> Answer:
    """OK (proved), the shortest counterexample, or how far it got. MODEL_ERROR when no engine
    lives. `build` makes the miter; `note` is called with what is known so far; `enough`: somebody
    else has an answer.

    At first memories are unknown values, as far as they go together. A difference that rests on
    that is looked at again with registers for the columns concerned, of what rests on no others;
    if there is none, with registers for all.
    """
    start = time.monotonic()

    def attempt(whole: Whole, share: float = 1.0) -> tuple[Answer, frozenset[Column]]:
        miter = build(whole)
        left = (limits.seconds - (time.monotonic() - start)) * share
        answer = _attempt(miter, replace(limits, seconds=left), note, enough)
        refuted = answer.verdict == Status.REFUTED
        rests = miter.rests(answer.output) if refuted and not whole.exact else frozenset()
        return replace(answer, seconds=time.monotonic() - start), rests

    answer, rests = attempt(Whole())
    if rests:
        equal = answer.depth - 1
        answer, _ = attempt(Whole(rests, exact=True), SLICE)
        if answer.verdict != Status.REFUTED:
            seconds = time.monotonic() - start
            if seconds < limits.seconds and not enough():
                answer, _ = attempt(Whole(all=True))
            else:  # to read all memories as registers would take minutes more
                answer = Answer(Status.BOUNDED, equal, seconds=seconds)
        if answer.verdict == Status.BOUNDED and answer.depth < equal:
            answer = replace(answer, depth=equal)
    return answer


def _attempt(
    miter: Miter, limits: Limits, note: Callable[[str], None], enough: Callable[[], bool]
) -> Answer:
    """The answer to one miter."""
    start = time.monotonic()
    with contextlib.ExitStack() as stack:
        run = _Run(miter, limits, stack)
        while time.monotonic() - start < limits.seconds and not enough():
            answer = run.look()
            note(f"equal for {run.depth} cycles" if run.depth else "merging what is equal")
            if answer is not None:
                return answer
            time.sleep(POLL)
        return run.give_up()


def _program() -> str:
    """Berkeley ABC, by the name that the distribution gives it."""
    return setup.which(PROGRAM) or PROGRAM


def judge(aig: Path, words: str, seconds: float) -> tuple[int, int]:
    """What one run of ABC says of a circuit whose outputs should stay 0: PROVED, FOUND, else
    UNKNOWN; with FOUND, which output."""
    log = aig.parent / "prove.log"
    script = f"read_aiger {aig.name}; strash; zero; {words}; print_status"
    command, timeout = [_program(), "-s", "-c", script], subprocess.TimeoutExpired
    with log.open("wb") as to:
        options = {"cwd": aig.parent, "stdout": to, "stderr": to}
        with contextlib.suppress(timeout), progress.child(command, **options) as process:
            process.wait(seconds)
    text = log.read_text(encoding="utf-8", errors="replace")
    found, example = _STATUS.search(text), _CEX.search(text)
    return int(found[1]) if found else UNKNOWN, int(example[1]) if example else 0


def _has_registers(aig: Path) -> bool:
    """Is it written, and does it have any? bmc3 refuses one that has none."""
    with contextlib.suppress(OSError), aig.open("rb") as file:
        return int(file.readline().split()[3]) > 0  # aig M I L O A
    return False


class _Run:
    """Both processes, and what they have found."""

    def __init__(self, miter: Miter, limits: Limits, stack: contextlib.ExitStack) -> None:
        self.miter, self.limits, self.stack = miter, limits, stack
        self.place, self.depth = miter.aig.parent, 0
        self.merged = self.place / "merged.aig"
        self.merged.unlink(missing_ok=True)
        self.found: Answer | None = None  # a counterexample that may not be the shortest
        self.until = 0.0
        part = f"{self.merged.name}.part"
        merge = ("lcorr", "scorr", f"write_aiger {part}", f"!mv {part} {self.merged.name}")
        self.prover = self._start("prove", miter.aig, *merge, HARDER, "dprove")
        self.refuter = self._start("refute", miter.aig, self._search)

    @property
    def _search(self) -> str:
        return f"bmc3 -v -F {self.limits.depth}"  # 0: no limit

    def _start(self, name: str, aig: Path, *words: str) -> Engine:
        log, example = self.place / f"{name}.log", self.place / f"{name}.cex"
        example.unlink(missing_ok=True)
        commands = (f"read_aiger {aig.name}", "strash", "zero", *words, "print_status")
        script = "; ".join((*commands, f"write_cex -n -m {example.name}"))
        # A line at a time, so that progress is seen.
        command = ["stdbuf", "-oL", _program(), "-s", "-c", script]
        with log.open("wb") as to:
            child = progress.child(command, cwd=self.place, stdout=to, stderr=subprocess.STDOUT)
            return Engine(self.stack.enter_context(child), log, example)

    def look(self) -> Answer | None:
        """An answer, if there is one by now."""
        proved, searched = self.prover.ended, self.refuter.ended
        self.depth = max(self.depth, self.refuter.frames)
        if self.prover.status == PROVED:
            return Answer(Status.OK, self.depth)
        if searched and self.refuter.status == FOUND:
            return self._example(self.refuter)
        if self.found is None and self.prover.status == FOUND and self.prover.has_example:
            self.found, self.until = self._example(self.prover), time.monotonic() + SHORTEN
        if self.found is not None and (searched or time.monotonic() > self.until):
            return self.found
        enough = self.limits.depth and self.depth >= self.limits.depth
        if searched and (enough or proved):
            return self.give_up()
        if not searched and self.refuter.log.stem == "refute" and _has_registers(self.merged):
            self.refuter.process.terminate()
            self.refuter = self._start("refute_merged", self.merged, self._search)
        return None

    def give_up(self) -> Answer:
        """How far it got; MODEL_ERROR when both broke down and nothing is known."""
        if self.found is not None:
            return self.found
        complaints = [text for text in (self.prover.complaint, self.refuter.complaint) if text]
        if len(complaints) == 2 and not self.depth:
            raise WlkError(Status.MODEL_ERROR, complaints[0])
        return Answer(Status.BOUNDED, self.depth, note="; ".join(complaints))

    def _example(self, engine: Engine) -> Answer:
        """The counterexample that an engine has written."""
        match = _CEX.search(engine.text)
        if match is None or not engine.example.is_file():
            message = f"{PROGRAM} found a difference and wrote no counterexample; see {engine.log}"
            raise WlkError(Status.MODEL_ERROR, message)
        values: Values = [{} for _ in range(int(match[2]) + 1)]
        for number, frame, value in _BIT.findall(engine.example.read_text(encoding="utf-8")):
            if each := self.miter.inputs.get(int(number)):
                (name, bit), row = each, values[int(frame)]
                row[name] = row.get(name, 0) | int(value) << bit
        if self.miter.reset:
            values.insert(0, dict(self.miter.reset))
        return Answer(Status.REFUTED, len(values), int(match[1]), values)
