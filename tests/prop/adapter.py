# SPDX-License-Identifier: Apache-2.0
"""The one place where the property tests reach the C model."""

from __future__ import annotations

import json

import programs
from naive_collector import ports

Outputs = dict[str, tuple[int, int]]


def model_outputs(params: dict, rows: list[dict[str, int]]) -> list[Outputs]:
    """Plays `rows` (inputs by emitted port name, clock left out) from power-up on the C model.

    `params` are those of `NaiveCollector`. Returns, for each row, every output of the cycle as
    {port: (value, care)}; care has a bit for each bit of the port, 1 = must match.
    """
    return [outputs for outputs, _ in model_cycles(params, rows)]


def model_cycles(params: dict, rows: list[dict[str, int]]) -> list[tuple[Outputs, int]]:
    """As `model_outputs`, with the bitmap of the protocol rules each cycle broke."""
    words = programs.config_words(params, skip=["power_up"])
    done = programs.run(
        "vectors/wlk-vec",
        "model",
        "collector",
        params["power_up"],
        *words,
        stdin=_csv(params, rows),
    )
    assert done.returncode == 0, f"wlk-vec model ended with {done.returncode}: {done.stderr}"
    return [_cycle(json.loads(line)) for line in done.stdout.splitlines()]


def _csv(params: dict, rows: list[dict[str, int]]) -> str:
    inputs = [port for port in ports(params) if port.direction == "i"]
    lines = [",".join(["cycle", *(port.name for port in inputs)])]
    lines.append(",".join(["#dir", *(f"i{port.width}" for port in inputs)]))
    for cycle, row in enumerate(rows):
        lines.append(",".join([str(cycle), *(f"{row[port.name]:x}" for port in inputs)]))
    return "\n".join(lines) + "\n"


def _cycle(line: dict) -> tuple[Outputs, int]:
    care = line["care"]
    outputs = {name: (int(v, 16), int(care[name], 16)) for name, v in line["out"].items()}
    return outputs, line["violated"]
