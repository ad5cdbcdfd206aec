# SPDX-License-Identifier: Apache-2.0
"""What a campaign has done: a line of JSON for each of its draws, in build/endure/NAME.jsonl.

A draw follows from its number alone. It runs in a process of its own, so that a crash is a finding
like any other; one that was interrupted leaves no line and runs again. Of a line: `what` kind of
draw it was, and its `verdict`: PASS, UNDECIDED or FOUND, with `why`.
"""

import argparse
import itertools
import json
import os
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wlk.base import options as of_commands
from wlk.base import outputs, progress, report, setup
from wlk.base.errors import Status, WlkError

PLACE = setup.BUILD / "endure"
MARK = "RESULT "
BATCH = 64  # draws that are handed out together
Draw = Callable[[int, random.Random], dict[str, Any]]


def options(doc: str) -> argparse.Namespace:
    """Those of every campaign."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--minutes", type=minutes, default=60.0)
    parser.add_argument("--jobs", type=of_commands.number(1), default=os.cpu_count() or 1)
    parser.add_argument("--draws", type=of_commands.number(1), help="so many, in place of minutes")
    parser.add_argument(
        "--draw", type=of_commands.number(), help="this one alone, here, and say how it went"
    )
    return parser.parse_args()


def minutes(text: str) -> float:
    """Type of an option: more than none of them, parts too, and fewer than in a year."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 60 * 24 * 365:
        raise argparse.ArgumentTypeError(f"{text}: must be a number of minutes, more than 0")
    return value


class Ledger:
    """The lines of a campaign."""

    def __init__(self, name: str) -> None:
        self.path = PLACE / f"{name}.jsonl"
        self.lines: list[dict[str, Any]] = []
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        whole, _, cut = text.rpartition("\n")
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                self.lines.append(json.loads(line))
            except json.JSONDecodeError as error:
                hint = "remove that line; its draw runs again"
                raise WlkError(Status.NO_FILE, f"{self.path}:{number}: {error}; {hint}") from None
        if cut:  # the end of a run that was killed, or a full disk
            with outputs.atomic_write(self.path) as file:
                file.write(whole + "\n" if whole else "")

    def add(self, line: dict[str, Any]) -> None:
        """One more draw."""
        self.lines.append(line)
        PLACE.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    @property
    def found(self) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["verdict"] == "FOUND"]

    def numbers(self) -> Iterator[int]:
        """Those that have no line yet."""
        done = {line["draw"] for line in self.lines}
        number = 0
        while True:
            if number not in done:
                yield number
            number += 1


def run_one(draw: Draw, number: int) -> int:
    """A draw here; its line goes to stdout behind MARK."""
    start = time.monotonic()
    line = {"draw": number, "what": "?"}
    try:
        line |= {"verdict": "PASS"} | draw(number, random.Random(f"warplock {number}"))
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    except AssertionError as error:  # its text begins with what was run and how it went
        line |= {"verdict": "FOUND", "why": str(error)[:2000] or traceback.format_exc()[-2000:]}
    except BaseException:
        line |= {"verdict": "FOUND", "why": traceback.format_exc()[-2000:]}
    line["seconds"] = round(time.monotonic() - start, 1)
    print(MARK + json.dumps(line), flush=True)
    return int(line["verdict"] == "FOUND")


def _child(script: Path, number: int) -> dict[str, Any]:
    done = progress.run([sys.executable, script, "--draw", str(number)])
    for line in done.output.splitlines():
        if line.startswith(MARK):
            return json.loads(line.removeprefix(MARK))
    why = done.output[-2000:] or f"exit code {done.code}"
    return {"draw": number, "what": "?", "verdict": "FOUND", "why": why, "seconds": 0.0}


def campaign(script: str, doc: str, draw: Draw) -> int:
    """Draw until the time is over; print what was done and what was found."""
    asked, path = options(doc), Path(script)
    if asked.draw is not None:
        return run_one(draw, asked.draw)
    ledger = Ledger(path.stem)
    deadline = time.monotonic() + 60.0 * asked.minutes
    numbers = itertools.islice(ledger.numbers(), asked.draws)

    def one(number: int) -> dict[str, Any] | None:
        in_time = asked.draws is not None or time.monotonic() < deadline
        return _child(path, number) if in_time else None

    with progress.Progress(path.stem) as line:
        tick = lambda: line.update(len(ledger.lines), f"{len(ledger.found)} found")  # noqa: E731
        while batch := list(itertools.islice(numbers, BATCH)):
            for _, answer in progress.parallel(one, batch, asked.jobs, tick):
                if answer is not None:
                    ledger.add(answer)
                    tell(path, answer)
            if asked.draws is None and time.monotonic() >= deadline:
                break
    show(ledger)
    return int(bool(ledger.found))


def tell(script: Path, line: dict[str, Any]) -> None:
    """A finding, at once, with the command that repeats it."""
    if line["verdict"] == "FOUND":
        command = f"build/venv/bin/python {os.path.relpath(script)} --draw {line['draw']}"
        print(f"FOUND in draw {line['draw']}: {line['why']}\n  repeat: {command}", flush=True)


def show(ledger: Ledger) -> None:
    """The table of all that was ever drawn."""
    table = report.Table("what", "draws", "cycles", "undecided", "found", "time [s]")
    for name in sorted({line["what"] for line in ledger.lines}):
        mine = [line for line in ledger.lines if line["what"] == name]
        verdicts = Counter(line["verdict"] for line in mine)
        cycles, seconds = (sum(line.get(key, 0) for line in mine) for key in ("cycles", "seconds"))
        row = (cycles, verdicts["UNDECIDED"], verdicts["FOUND"], round(seconds))
        table.add(name, len(mine), *row)
    table.print()
    cycles = sum(line.get("cycles", 0) for line in ledger.lines)
    print(f"{ledger.path}: {len(ledger.lines)} draws, {cycles:,} cycles")
    print(f"{len(ledger.lines) - len(ledger.found)} passed, {len(ledger.found)} failed")
