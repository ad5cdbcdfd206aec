# SPDX-License-Identifier: Apache-2.0
"""Folders of files that a user gives."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

from .errors import Status, WlkError


def below(folder: Path) -> list[Path]:
    """All files of a folder and of those in it, sorted; none of what is no folder. NO_FILE for one
    that cannot be read, which Path.rglob takes for an empty one."""
    found = os.walk(folder, onerror=_refuse) if folder.is_dir() else ()
    return sorted(Path(place, name) for place, _, names in found for name in names)


def beside(files: Iterable[Path], more: Iterable[Path]) -> list[Path]:
    """The folders of files, and more folders, each once."""
    return list(dict.fromkeys([*(path.parent for path in files), *more]))


def _refuse(error: OSError) -> NoReturn:
    message = f"{error.filename}: {error.strerror}"
    raise WlkError(Status.NO_FILE, f"{message}; check who may read it, or name another folder")
