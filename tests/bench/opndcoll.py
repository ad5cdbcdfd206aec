# SPDX-License-Identifier: Apache-2.0
"""The operand collector's model against a plain collector, in turn.

Both play saturated traffic of the same kind (see tests/bench/opndcoll_bench.c) on their own.
That they do the same work shows in the reads of a step, which must agree.
"""

import json
import os
import statistics
import subprocess
from typing import Any

from wlk.base import report
from wlk.run import build

POINTS = {
    "qv100": ["16"],
    "qv100_8": ["8"],
    "heavy": ["16", "heavy"],
    "heavy_8": ["8", "heavy"],
}
"""Names of the model's bench, with what the plain one is told."""
PROGRAMS = {"linked as one": "opndcoll_bench", "called": "opndcoll_calls"}
"""The model's bench, with and without -flto."""


def compare(steps: int, count: int) -> None:
    """Print the times of both models, and their ratio: the median over the series."""
    table = report.Table(
        *("point", "model is", "plain [ns/step]", "model [ns/step]", "ratio", "reads/step")
    )
    for point, words in POINTS.items():
        runs = [
            (_plain(words, steps // 10), *(_model(p, point, steps) for p in PROGRAMS.values()))
            for _ in range(count)
        ]
        times = [[run["ns_per_step"] for run in column] for column in zip(*runs, strict=True)]
        for how, model, first in zip(PROGRAMS, times[1:], runs[0][1:], strict=True):
            _same_work(point, runs[0][0], first)
            ratio = statistics.median(a / b for a, b in zip(times[0], model, strict=True))
            medians = statistics.median(times[0]), statistics.median(model)
            table.add(point, how, *medians, ratio, first["reads_per_step"])
    table.print()
    _say_load(count)


def scaling(steps: int, count: int) -> None:
    """Print the model's time at every point of its bench."""
    runs = [_run(["tests/bench/opndcoll_bench", str(steps)]) for _ in range(count)]
    table = report.Table("point", "banks", "units", "ns/step, min", "ns/step, median", "reads/step")
    for rows in zip(*runs, strict=True):
        times = [row["ns_per_step"] for row in rows]
        shape = [rows[0][key] for key in ("point", "banks", "units")]
        table.add(*shape, min(times), statistics.median(times), rows[0]["reads_per_step"])
    table.print()
    _say_load(count)


def _run(words: list[str]) -> list[dict[str, Any]]:
    program, *rest = words
    command = [str(build.folder() / program), *rest]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _plain(words: list[str], steps: int) -> dict[str, Any]:
    banks, *mix = words
    return _run(["tests/bench/plain_bench", banks, str(steps), *mix])[0]


def _model(program: str, point: str, steps: int) -> dict[str, Any]:
    return _run([f"tests/bench/{program}", str(steps), point])[0]


def _same_work(point: str, plain: dict[str, Any], model: dict[str, Any]) -> None:
    reads = plain["reads_per_step"], model["reads_per_step"]
    if abs(reads[0] - reads[1]) > 0.03 * reads[1]:
        raise SystemExit(
            f"{point}: {reads[0]} and {reads[1]} reads a step are not the same traffic"
        )


def _say_load(count: int) -> None:
    print(f"\n{count} series in turn, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
