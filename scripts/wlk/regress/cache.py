# SPDX-License-Identifier: Apache-2.0
"""What regress keeps by content and can make anew: RTL of modules, in the store, and Verilated
binaries, in the build folder. Each may take so many bytes; what was used longest ago goes first."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import keep, report
from ..base.errors import Status, WlkError
from ..run import verilate
from .store import Store

LIMIT = "20G"
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True)
class Kept:
    """One cache."""

    name: str
    folder: Path
    entries: int
    size: int  # bytes

    def json(self, limit: int) -> dict[str, Any]:
        """As `regress cache --json` prints it."""
        shown = {"cache": self.name, "folder": str(self.folder), "entries": self.entries}
        return shown | {"bytes": self.size, "limit": limit}


def bytes_of(text: str) -> int:
    """20G, 500M, 1.5T or bytes; USAGE."""
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if found is None:
        message = f"cache limit {text!r}: must be a size, like 500M or 20G"
        raise WlkError(Status.USAGE, message)
    return int(float(found[1]) * UNITS[found[2].upper()])


def shrink(store: Store, most: int) -> list[Kept]:
    """Bring both caches below a size. What a failure needs to be repeated stays, and what is in
    use."""
    place = store.folder / "sources"
    for part in place.glob(".*"):  # of a run that was killed while it removed it
        shutil.rmtree(part, ignore_errors=True)
    failing = store.failing()

    def forget(entry: Path) -> bool:
        if entry.name in failing:
            return False
        keep.remove(entry)
        return True

    rtl = Kept("RTL", place, *keep.shrink(place.glob("*"), most, forget))
    return [rtl, Kept("builds", verilate.folder(), *verilate.shrink(most))]


def show(store: Store, limit: str, as_json: bool) -> int:
    """What `regress cache` does: bring both below the limit, and show what is left."""
    if not store.path.is_file():
        message = f"--store {store.folder}: no store of regress is there"
        raise WlkError(Status.NO_FILE, f"{message}; name that of your runs")
    most = bytes_of(limit)
    table = report.Table("cache", "entries", "size [MB]", "limit [MB]", "folder")
    with store.opened():
        for each in shrink(store, most):
            if as_json:
                report.json_line(each.json(most))
            sizes = (f"{size / 1e6:,.0f}" for size in (each.size, most))
            table.add(each.name, each.entries, *sizes, str(each.folder))
    if not as_json:
        table.print()
    return 0
