# SPDX-License-Identifier: Apache-2.0
"""The naive blocks by name: those that each naive_NAME.py here lists in its BLOCKS."""

import importlib
from pathlib import Path
from typing import Any

from naive_common import Reading, Readings
from naive_ports import ports
from wlk import tables

BLOCKS: dict[str, Any] = {}
for _path in sorted(Path(__file__).parent.glob("naive_*.py")):
    BLOCKS |= getattr(importlib.import_module(_path.stem), "BLOCKS", {})


def complete(block: str, params: dict) -> dict:
    """The block's parameters with the table's defaults filled in, and the power-up."""
    given = dict(params)
    power_up = given.pop("power_up", "unknown")
    table = tables.load(block)
    return table.show(table.config(given)) | {"power_up": power_up}


def model(block: str, params: dict) -> Any:
    """The naive block at power-up."""
    full = complete(block, params)
    made = BLOCKS[block](full)
    return Readings(full, ports(block, full), made) if isinstance(made, Reading) else made
