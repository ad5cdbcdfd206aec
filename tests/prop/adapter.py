# SPDX-License-Identifier: Apache-2.0
"""The one place where the property tests reach the C models and their stimulus."""

import json
from collections.abc import Sequence

import programs
from naive_ports import Port
from wlk import tables

Row = dict[str, int]
"""A cycle by emitted port name, the clock left out."""
Outputs = dict[str, tuple[int, int]]
"""Outputs as (value, care); care has a bit for each bit of the port, 1 = must match."""


def stimulus(
    table: tables.Table, config: tables.Config, profile: str, seed: int, cycles: int
) -> tuple[list[Row], dict[str, dict]]:
    """Inputs of a profile, and the coverage that they reach: {point: {"hits", "floor"}}."""
    words = (table.name, profile, seed, seed, cycles, *table.words(config), "rows")
    done = programs.run("tests/prop/stimulus_run", *words)
    assert done.returncode == 0, done.stderr
    names, *lines, answer = done.stdout.splitlines()
    rows = [[int(cell, 16) for cell in line.split()] for line in lines]
    found = [dict(zip(names.split(), row, strict=True)) for row in rows]
    return found, json.loads(answer)["coverage"]


def model_cycles(
    table: tables.Table,
    config: tables.Config,
    ports: Sequence[Port],
    rows: list[Row],
    seen: list[Row] | None = None,
    power_up: str = "unknown",
) -> list[tuple[Outputs, int]]:
    """Plays the inputs `rows` from power-up on the C model: each cycle's outputs, and the bitmap of
    the protocol rules that it broke.

    With `seen`, the outputs of each row that the RTL showed, the model drops the states they
    contradict; it must keep one.
    """
    given = [{**row, **shown} for row, shown in zip(rows, seen, strict=True)] if seen else rows
    columns = [port for port in ports if seen or port.direction == "i"]
    kinds = {port.name: f"{port.direction}{port.width}" for port in columns}
    text = programs.csv(kinds, ((f"{row[name]:x}" for name in kinds) for row in given))
    words = ("model", table.name, power_up, *table.words(config))
    done = programs.run("dpi/wlk-vec", *words, stdin=text)
    assert done.returncode == 0, f"wlk-vec model ended with {done.returncode}: {done.stderr}"
    return [_cycle(json.loads(line)) for line in done.stdout.splitlines()]


def _cycle(line: dict) -> tuple[Outputs, int]:
    care = line["care"]
    outputs = {name: (int(v, 16), int(care[name], 16)) for name, v in line["out"].items()}
    return outputs, line["violated"]
