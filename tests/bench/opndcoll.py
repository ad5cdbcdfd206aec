# SPDX-License-Identifier: Apache-2.0
"""The operand collector's model against the plain second one of the tests, in turn.

Both play saturated traffic of the same kind (see tests/bench/opndcoll_bench.c) on their own.
That they do the same work shows in the reads of a step, which must agree.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from wlk.base import report
from wlk.run import build

QV100 = """-gpgpu_num_reg_banks {banks} -gpgpu_reg_file_port_throughput 2
-gpgpu_num_sched_per_core 4 -gpgpu_sub_core_model 1
-gpgpu_enable_specialized_operand_collector 0
-gpgpu_operand_collector_num_units_gen 8
-gpgpu_operand_collector_num_in_ports_gen 8
-gpgpu_operand_collector_num_out_ports_gen 8
-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4
-gpgpu_tensor_core_avail 1 -gpgpu_num_dp_units 4 -gpgpu_num_int_units 4
"""
POINTS = {"qv100": 16, "qv100_8": 8}
"""Names of the model's bench, with the banks of the naive one's configuration."""


def compare(steps: int, count: int) -> None:
    """Print the times of both models, and their ratio: the median over the series."""
    table = report.Table("point", "naive [ns/step]", "model [ns/step]", "ratio", "reads/step")
    with tempfile.TemporaryDirectory() as folder:
        for point, banks in POINTS.items():
            config = Path(folder) / f"{point}.cfg"
            config.write_text(QV100.format(banks=banks), encoding="ascii")
            pairs = [(_naive(config, steps // 10), _model(point, steps)) for _ in range(count)]
            _same_work(point, *pairs[0])
            naive, model = zip(
                *((a["ns_per_step"], b["ns_per_step"]) for a, b in pairs), strict=True
            )
            ratio = statistics.median(a / b for a, b in zip(naive, model, strict=True))
            reads = pairs[0][1]["reads_per_step"]
            table.add(point, statistics.median(naive), statistics.median(model), ratio, reads)
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


def _naive(config: Path, steps: int) -> dict[str, Any]:
    words = ["--revision", "v40", "--config", str(config), "--bench", "saturate", str(steps)]
    return _run(["tests/prop/naive_opndcoll", *words])[0]


def _model(point: str, steps: int) -> dict[str, Any]:
    return _run(["tests/bench/opndcoll_bench", str(steps), point])[0]


def _same_work(point: str, naive: dict[str, Any], model: dict[str, Any]) -> None:
    reads = naive["grants_per_step"], model["reads_per_step"]
    if abs(reads[0] - reads[1]) > 0.03 * reads[1]:
        raise SystemExit(
            f"{point}: {reads[0]} and {reads[1]} reads a step are not the same traffic"
        )


def _say_load(count: int) -> None:
    print(f"\n{count} series in turn, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
