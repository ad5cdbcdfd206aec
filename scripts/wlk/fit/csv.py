# SPDX-License-Identifier: Apache-2.0
"""Recordings as CSV, plain or `.xz`: head rows and lines, streaming.

Row 1: `cycle` and port names. Row 2: `#dir` and i<width> or o<width>. Then a row a cycle.
"""

import contextlib
import lzma
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from ..base.errors import Status, WlkError

PIECE = 1 << 18
LONGEST_LINE = 1 << 24
END = b"#end\n"


@contextlib.contextmanager
def opened(path: Path, line: Callable[[], str] = str) -> Iterator[IO[bytes]]:
    """The bytes of a recording; whatever is wrong with the file is one line. `line`: `:N`, where
    the reader is."""
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            yield file
    except EOFError as error:
        message = f"{path}{line()}: the xz stream ends too early; copy the file again"
        raise WlkError(Status.TRUNCATED, message) from error
    except lzma.LZMAError as error:
        message = f"{path}{line()}: no sound xz file: {error}; copy the file again"
        raise WlkError(Status.CORRUPT, message) from error
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror or error}"
        raise WlkError(Status.NO_FILE, message) from error


def read_ports(path: Path) -> list[tuple[str, str, int]]:
    """(name, "in" or "out", width) of each column behind the first; BAD_CSV."""
    with opened(path) as file:
        rows = [file.readline(LONGEST_LINE).decode("latin-1").rstrip("\r\n") for _ in range(2)]
    names, kinds = rows[0].split(","), rows[1].split(",")
    if names[0] != "cycle":
        message = f"{path}:1: the first column is '{names[0][:64]}'; it must be 'cycle'"
        raise WlkError(Status.BAD_CSV, message)
    if kinds[0] != "#dir" or len(kinds) != len(names):
        message = f"{path}:2: must be '#dir' and i<width> or o<width> for each of the columns"
        raise WlkError(Status.BAD_CSV, message)
    if twice := [name for name in set(names) if names.count(name) > 1]:
        raise WlkError(Status.BAD_CSV, f"{path}:1: column '{min(twice)[:90]}' comes twice")
    return [_port(path, *column) for column in zip(names[1:], kinds[1:], strict=True)]


def _port(path: Path, name: str, kind: str) -> tuple[str, str, int]:
    found = re.fullmatch(r"([io])([1-9]\d{0,4})", kind)
    if found is None:
        message = f"{path}:2: column {name[:90]}: '{kind[:32]}' is not i<width> or o<width>"
        raise WlkError(Status.BAD_CSV, message)
    return name, {"i": "in", "o": "out"}[found[1]], int(found[2])


def lines(path: Path) -> Iterator[bytes]:
    """The whole file in pieces, and the line `#end` after it."""
    last = b"\n"
    with opened(path) as file:
        while piece := file.read(PIECE):
            yield piece
            last = piece[-1:]
    yield END if last == b"\n" else b"\n" + END
