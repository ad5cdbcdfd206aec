# SPDX-License-Identifier: Apache-2.0
"""The one place where the property tests reach the C model."""

from __future__ import annotations


def model_outputs(params: dict, rows: list[dict[str, int]]) -> list[dict[str, tuple[int, int]]]:
    """Plays `rows` (inputs by emitted port name, clock left out) from power-up on the C model.

    `params` are those of `NaiveCollector`. Returns, for each row, every output of the cycle as
    {port: (value, care)}; care has a bit for each bit of the port, 1 = must match.
    """
    raise NotImplementedError("tests/prop/adapter.py: the C model is not connected yet")
