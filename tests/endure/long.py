# SPDX-License-Identifier: Apache-2.0
"""Long runs in one process: memory stays flat, counters do not run over, speed does not fall.

  scripts/warplock test --campaign long          10^9 cycles of the collector, 10^8 of the stage
  build/venv/bin/python tests/endure/long.py --cycles N [BLOCK...]

One seed of the stub in lockstep, default configuration. Memory is the resident set of the harness,
speed is in cycles a second of its own CPU time, and judged in a run of half a minute or more; both
are looked at 20 times.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / part) for part in ("scripts", "tests")]

import ledger
import programs
from wlk.base import options, progress, report
from wlk.run import harness

CYCLES = {"collector": 1_000_000_000, "issue": 100_000_000}
LOOKS = 20
GROWTH = 1 << 20  # bytes, behind the first look
SLOWER = 0.85  # of the first quarter's speed; a busy machine costs some of it
LASTS = 30.0  # seconds of CPU time; a shorter run's speed is not judged


class Look(NamedTuple):
    """At the process, when it had run so many cycles."""

    cycles: int
    bytes: int
    seconds: float  # of CPU time


def prepared(block: str, cycles: int) -> tuple[list[str], dict[str, Any]]:
    """The harness's command, as a short `lockstep` gives it, and the answer to the short one."""
    taken: list[tuple[list[str], dict]] = []
    run = harness.run

    def take(job: Any, program: Path, words: list[str], *more: Any) -> dict:
        taken.append(([str(program), *words], run(job, program, words, *more)))
        return taken[-1][1]

    harness.run = take
    try:
        words = ("--config", "default", "--seeds", "1", "--cycles", 1000)
        programs.warplock("lockstep", block, *words, code=None)
    finally:
        harness.run = run
    words, answer = taken[-1]
    return [f"cycles={cycles}" if w.startswith("cycles=") else w for w in words], answer


def look(pid: int, cycles: int) -> Look:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return Look(cycles, pages * os.sysconf("SC_PAGE_SIZE"), ticks / os.sysconf("SC_CLK_TCK"))


def watch(block: str, command: list[str], cycles: int) -> tuple[list[Look], dict[str, Any]]:
    """The looks at a run, and its answer."""
    looks: list[Look] = []
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with (
        progress.Progress(f"long run of {block}", cycles) as line,
        progress.child(command, **pipes) as process,
    ):
        for text in process.stderr:
            words = text.split()
            if words[:1] == ["progress"]:
                done = int(words[1])
                line.update(done)
                if done >= cycles * (len(looks) + 1) / (LOOKS + 1):
                    looks.append(look(process.pid, done))
        return looks, json.loads(process.stdout.read())


def speed(looks: list[Look]) -> float:
    return (looks[-1].cycles - looks[0].cycles) / max(looks[-1].seconds - looks[0].seconds, 0.01)


def bits(answer: dict[str, Any]) -> int:
    return answer["compared_bits"] + answer["masked_bits"]


def problems(
    short: dict[str, Any], cycles: int, looks: list[Look], answer: dict[str, Any]
) -> list[str]:
    found = []
    if answer["verdict"] != "PASS" or answer["cycles"] < cycles:
        found.append(f"{answer['verdict']} after {answer['cycles']} cycles")
    if len(looks) < LOOKS // 2:
        return [*found, f"looked at {len(looks)} times"]
    if (more := looks[-1].bytes - looks[0].bytes) > GROWTH:
        found.append(f"memory grew by {more} bytes")
    quarter = len(looks) // 4 + 1
    lasted = looks[-1].seconds - looks[0].seconds
    if (ratio := speed(looks[-quarter:]) / speed(looks[:quarter])) < SLOWER and lasted > LASTS:
        found.append(f"the last quarter ran at {ratio:.2f} of the first one's speed")
    width, rest = divmod(bits(answer) - bits(short), answer["cycles"] - short["cycles"])
    if rest or width * short["cycles"] < bits(short):
        found.append(f"{bits(answer)} bits in {answer['cycles']} cycles: a counter ran over")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("block", nargs="*", default=[*CYCLES], metavar="|".join(CYCLES))
    parser.add_argument("--cycles", type=options.number(1))
    for name in ("--minutes", "--jobs"):
        parser.add_argument(name, help="as other campaigns have it; no matter here")
    asked = parser.parse_args()
    if unknown := set(asked.block) - set(CYCLES):
        parser.error(f"{', '.join(sorted(unknown))}: give one of {', '.join(CYCLES)}")
    table = report.Table(
        "block", "cycles", "memory [kB]", "at the end [kB]", "cycles/s", "at the end"
    )
    failed = []
    for block in asked.block:
        cycles = asked.cycles or CYCLES[block]
        start = time.monotonic()
        words, short = prepared(block, cycles)
        looks, answer = watch(block, words, cycles)
        found = problems(short, cycles, looks, answer)
        failed += [f"FOUND {block}: {each}" for each in found]
        quarter = len(looks) // 4 + 1
        rates = [round(speed(part)) for part in (looks[:quarter], looks[-quarter:])]
        memory = [part.bytes // 1024 for part in (looks[0], looks[-1])]
        table.add(block, answer["cycles"], *memory, *rates)
        line = {"draw": 0, "what": block, "verdict": "FOUND" if found else "PASS"}
        line |= {"cycles": answer["cycles"], "why": "; ".join(found)}
        line["seconds"] = round(time.monotonic() - start, 1)
        ledger.Ledger("long").add(line)
    table.print()
    print(*failed, f"{len(asked.block) - len(failed)} passed, {len(failed)} failed", sep="\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
