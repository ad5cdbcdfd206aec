# SPDX-License-Identifier: Apache-2.0
"""The figures of muon-designs §11, to be shown beside those of a sweep."""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..tables.files import decode

FILE = Path(__file__).with_name("reference.toml")


@functools.cache
def data() -> Mapping[str, Any]:
    """The decoded reference.toml."""
    return decode(FILE)


def points() -> Sequence[str]:
    """The points of the table, in its order."""
    return [row["point"] for row in data()["row"]]


def figures() -> dict[tuple[str, str], float]:
    """IPC by point and stream."""
    return {
        (row["point"], stream): ipc
        for row in data()["row"]
        for stream, ipc in zip(data()["streams"], row["ipc"], strict=True)
    }
