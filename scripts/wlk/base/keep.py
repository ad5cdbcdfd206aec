# SPDX-License-Identifier: Apache-2.0
"""What is kept by content in folders of build/: names of content, and forgetting the oldest."""

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from . import setup

MOST = 500  # entries of a folder


def digest(parts: Iterable[str | bytes]) -> str:
    """A name for the parts, in their order."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()[:20]


def touch(entry: Path) -> None:
    """It is in use; those used longest ago are forgotten when there are too many."""
    os.utime(entry)
    entries = sorted(entry.parent.iterdir(), key=lambda path: path.stat().st_mtime)
    for old in entries[: max(0, len(entries) - MOST)]:
        shutil.rmtree(old, ignore_errors=True)
        for lock in setup.BUILD.glob(f"*-{old.name}.lock"):
            lock.unlink(missing_ok=True)
