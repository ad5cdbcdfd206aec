# SPDX-License-Identifier: Apache-2.0
"""What is kept by content in folders of build/: names of content, and forgetting the oldest."""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable
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


def touch(entry: Path, kind: str) -> None:
    """It was used; those used longest ago are forgotten when there are too many, but none that is
    in use: build/KIND-NAME.lock is held then (setup.locked)."""
    os.utime(entry)
    prune(entry.parent, MOST, kind)


def prune(folder: Path, most: int, kind: str) -> None:
    """Forget the entries of a folder that were used longest ago, as `touch` does."""
    aged = []
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another has just forgotten it
            aged.append((path.stat().st_mtime, path))
    for _, old in sorted(aged)[: max(0, len(aged) - most)]:
        with setup.unlocked(f"{kind}-{old.name}") as is_free:
            if is_free:
                shutil.rmtree(old, ignore_errors=True)


def size(folder: Path) -> int:
    """What a folder takes, in bytes."""
    found = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):  # another has just removed it
                found += os.lstat(os.path.join(place, name)).st_blocks * 512
    return found


def shrink(entries: Iterable[Path], most: int, forget: Callable[[Path], bool]) -> tuple[int, int]:
    """Forget folders, those used longest ago first, until all take so many bytes at most; how many
    are left, and their bytes. `forget` removes one, and says no when it must stay."""
    known = []
    for entry in entries:
        with contextlib.suppress(OSError):
            known.append((entry.stat().st_mtime, entry, size(entry)))
    count, total = len(known), sum(taken for _, _, taken in known)
    for _, entry, taken in sorted(known):
        if total <= most:
            break
        if forget(entry):
            count, total = count - 1, total - taken
    return count, total


def remove(entry: Path) -> None:
    """Remove a folder so that nobody ever sees a part of it."""
    gone = entry.with_name(f".{entry.name}-{os.getpid()}")
    entry.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)
