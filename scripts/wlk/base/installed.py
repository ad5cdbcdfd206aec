# SPDX-License-Identifier: Apache-2.0
"""Is this a checkout or an installed copy, and is that whole?

A copy has `installed.json` beside scripts/ (scripts/meson.build): its version, its files, and where
its compiled part lies. Nothing is written below it; what a checkout writes to build/ goes to the
user's cache.
"""

import json
import mmap
import os
import re
from dataclasses import dataclass
from pathlib import Path

from .errors import ROOT, Status, WlkError

FILE = ROOT / "installed.json"
AGAIN = "install warplock again"
# What is compiled, and how each of them says of which version it is: refmodel/frame/block.c.
COMPILED = ("libwarplock_dpi.so", "wlk-check", "wlk-explore", "wlk-opndcoll", "wlk-vec")
MARK = re.compile(rb"warplock library ([0-9][0-9.]*)\0")


@dataclass(frozen=True)
class Installed:
    """What the installation has written down of itself."""

    version: str
    compiled: Path  # laid out as a build folder
    files: tuple[str, ...]  # below ROOT

    def check_files(self) -> None:
        """NO_FILE when a part of the copy is missing."""
        missing = [name for name in self.files if not (ROOT / name).is_file()]
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            message = f"{ROOT}: this installation is not whole: no {missing[0]}{more}; {AGAIN}"
            raise WlkError(Status.NO_FILE, message)

    def check_compiled(self) -> None:
        """NO_FILE when a program or the library is missing, BAD_VERSION when it is of another
        version than the command."""
        for name in COMPILED:
            path = self.compiled / "dpi" / name
            found = _version_of(path)
            if found != self.version:
                message = f"{path}: is of version {found}, and the command of {self.version}"
                raise WlkError(Status.BAD_VERSION, f"{message}; {AGAIN}")


def _version_of(path: Path) -> str:
    """What a compiled file says of itself."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
            found = MARK.search(data)
            return found[1].decode() if found else "unknown"
    except (OSError, ValueError) as error:  # ValueError: it is empty
        why = getattr(error, "strerror", None) or "is empty"
        message = f"{path}: {why}; this installation is not whole: {AGAIN}"
        raise WlkError(Status.NO_FILE, message) from error


def _read() -> Installed | None:
    """What stands in FILE; None: a checkout. An error of the import is one of scripts/warplock."""
    try:
        known = json.loads(FILE.read_text(encoding="utf-8"))
        compiled = Path(os.path.normpath(ROOT / known["compiled"]))
        return Installed(known["version"], compiled, tuple(known["files"]))
    except (OSError, ValueError, KeyError) as error:
        if isinstance(error, FileNotFoundError) and (ROOT / "meson.build").exists():
            return None
        why = getattr(error, "strerror", None) or error
        raise ImportError(f"{FILE}: {why}") from error


INSTALLED = _read()
COMMAND = "warplock" if INSTALLED else "scripts/warplock"  # as a person types it


def shipped(path: Path) -> Path:
    """A file that a person names; where there is none, that of this name that comes with us, such
    as vectors/kernels/dot.prog."""
    return path if path.exists() or not (ROOT / path).is_file() else ROOT / path


def version() -> str:
    """The version of the command."""
    if INSTALLED:
        return INSTALLED.version
    text = (ROOT / "meson.build").read_text(encoding="utf-8")
    return re.search(r"version: '(.*?)'", text)[1]


def cache() -> Path:
    """The folder of a user's cache that is ours; made by who writes there."""
    if named := os.environ.get("XDG_CACHE_HOME"):
        return Path(named) / "warplock"
    try:
        return Path.home() / ".cache" / "warplock"
    except RuntimeError:  # an unknown user; Debian's name of a home that is none
        return Path("/nonexistent/.cache/warplock")
