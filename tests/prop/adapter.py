# SPDX-License-Identifier: Apache-2.0
"""The one place where the property tests reach the C model."""

from __future__ import annotations

import json

import naive
import programs

Outputs = dict[str, tuple[int, int]]


def model_outputs(
    block: str, params: dict, rows: list[dict[str, int]], seen: list[dict[str, int]] | None = None
) -> list[Outputs]:
    """Plays `rows` (inputs by emitted port name, clock left out) from power-up on the C model.

    `params` are those of the naive model. With `seen`, the outputs of each row that the RTL
    showed, the model drops the states they contradict; it must keep one. Returns, for each row,
    every output of the cycle as {port: (value, care)}; care has a bit for each bit of the port,
    1 = must match.
    """
    return [outputs for outputs, _ in model_cycles(block, params, rows, seen)]


def model_cycles(
    block: str, params: dict, rows: list[dict[str, int]], seen: list[dict[str, int]] | None = None
) -> list[tuple[Outputs, int]]:
    """As `model_outputs`, with the bitmap of the protocol rules each cycle broke."""
    words = programs.config_words(params, skip=["power_up"])
    done = programs.run(
        "dpi/wlk-vec",
        "model",
        block,
        params["power_up"],
        *words,
        stdin=_csv(block, params, rows, seen),
    )
    assert done.returncode == 0, f"wlk-vec model ended with {done.returncode}: {done.stderr}"
    return [_cycle(json.loads(line)) for line in done.stdout.splitlines()]


def _csv(
    block: str, params: dict, rows: list[dict[str, int]], seen: list[dict[str, int]] | None
) -> str:
    given = [{**row, **told} for row, told in zip(rows, seen, strict=True)] if seen else rows
    columns = [port for port in naive.ports(block, params) if seen or port.direction == "i"]
    lines = [",".join(["cycle", *(port.name for port in columns)])]
    lines.append(",".join(["#dir", *(f"{port.direction}{port.width}" for port in columns)]))
    for cycle, row in enumerate(given):
        lines.append(",".join([str(cycle), *(f"{row[port.name]:x}" for port in columns)]))
    return "\n".join(lines) + "\n"


def _cycle(line: dict) -> tuple[Outputs, int]:
    care = line["care"]
    outputs = {name: (int(v, 16), int(care[name], 16)) for name, v in line["out"].items()}
    return outputs, line["violated"]
