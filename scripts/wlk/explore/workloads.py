# SPDX-License-Identifier: Apache-2.0
"""What the stage has to do: streams of muon-designs §11, shipped kernels, programs of the user.

A program is named by its path and read by the runner only: it may be larger than memory.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import ROOT, Status, WlkError, nearest
from .points import space

KERNELS = ROOT / "vectors" / "kernels"
SUFFIX = ".prog"
HEAD = 1 << 20  # bytes of a program that its stamp looks at
# Keys of a stream, and what a value looks like
KEYS = {
    "warps": r"\d+",
    "regs": r"\d+",
    "sources": r"\d+/\d+/\d+/\d+",
    "reuse": r"\d+",
    "mix": r"\d+/\d+/\d+/\d+",
    "masks": r"full|\d+random",
    "latency": r"\d+/\d+/\d+/\d+\.\.\d+",
}
FORMS = {"sources": "5/25/45/25", "mix": "60/20/5/15", "masks": "full or 30random"}
FORMS |= {"latency": "4/6/12/20..60"}


@dataclass(frozen=True)
class Workload:
    """Something to run; only a stream differs from seed to seed."""

    title: str
    cells: tuple[tuple[str, str], ...]  # of the runner's job line
    group: str  # "streams", "kernels" or "programs"
    stamp: str = ""  # of a file

    @property
    def is_stream(self) -> bool:
        return self.group == "streams"


def parse(text: str, where: str, folder: Path) -> Workload:
    """A stream, `NAME [KEY=VALUE ...]`, a kernel's name, or the path of a program, from `folder`
    if it is relative. BAD_CONFIG, or NO_FILE, names `where` it stands."""
    words = text.split()
    if words and words[0] in space()["stream"]:
        return _stream(words, where)
    if text in kernels():
        return _program(text, KERNELS / f"{text}{SUFFIX}", "kernels", where)
    if "/" in text or text.endswith(SUFFIX):
        return _program(text, folder / Path(text).expanduser(), "programs", where)
    known = f"streams: {', '.join(space()['stream'])}; kernels: {', '.join(kernels())}"
    message = f"{where}: there is no workload '{text}' ({known}); a program is a path that ends"
    raise WlkError(Status.BAD_CONFIG, f"{message} in {SUFFIX}")


def kernels() -> list[str]:
    """Names of the shipped kernels."""
    return sorted(path.stem for path in KERNELS.glob(f"*{SUFFIX}"))


def _stream(words: list[str], where: str) -> Workload:
    cells = dict(word.split("=", 1) for word in space()["stream"][words[0]].split())
    cells |= _given(words[1:], where)
    for key in ("sources", "mix"):
        if sum(map(int, cells[key].split("/"))) != 100:
            message = f"{where}: {key}={cells[key]}: the shares must add up to 100"
            raise WlkError(Status.BAD_CONFIG, message)
    return Workload(" ".join(words), (("workload", "stream"), *cells.items()), "streams")


def _given(words: list[str], where: str) -> Mapping[str, str]:
    found = {}
    for word in words:
        key, _, value = word.partition("=")
        if key not in KEYS:
            message = f"{where}: a stream has no '{key}'{nearest(key, KEYS)}"
            raise WlkError(Status.BAD_CONFIG, message)
        if not re.fullmatch(KEYS[key], value):
            form = FORMS.get(key, "a number")
            raise WlkError(Status.BAD_CONFIG, f"{where}: {word}: give {key} as {form}")
        found[key] = value
    return found


def _program(title: str, path: Path, group: str, where: str) -> Workload:
    path = path.absolute()
    if re.search(r"[\t\n\r]", str(path)):
        message = f"{where}: {path!s}: a path has no tabs and no ends of lines; rename it"
        raise WlkError(Status.USAGE, message)
    try:
        stamp = _stamp(path)
    except OSError as error:
        message = f"{where}: cannot read the program {path}: {error.strerror}"
        raise WlkError(Status.NO_FILE, f"{message}; give the path of one") from error
    return Workload(title, (("workload", "program"), ("program", str(path))), group, stamp)


def _stamp(path: Path) -> str:
    """Differs when the content does: size and beginning, and of a larger file when it changed."""
    with path.open("rb") as file:
        head = hashlib.sha256(file.read(HEAD)).hexdigest()[:16]
    about = path.stat()
    return f"{about.st_size}-{head}" + (f"-{about.st_mtime_ns}" if about.st_size > HEAD else "")
