# SPDX-License-Identifier: Apache-2.0
"""Recordings as CSV, plain or `.xz`: head rows and lines, streaming.

Row 1: `cycle` and port names. Row 2: `#dir` and i<width> or o<width>. Then a row a cycle.
"""

import contextlib
import lzma
import re
from collections.abc import Callable, Iterator, Mapping
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


def split_lines(
    path: Path, slices: Mapping[str, tuple[str, int]], widths: Mapping[str, int]
) -> Iterator[bytes]:
    """As `lines`, with a column for each port that is a part of another column: `slices`, its
    column and lowest bit there; `widths` of the ports [bits]."""
    ports = read_ports(path)
    columns = {name: number for number, (name, _, _) in enumerate(ports, 1)}
    vectors = {name for name, _ in slices.values()}
    kept = [0, *(columns[name] for name, _, _ in ports if name not in vectors)]
    parts = [(columns[name], lsb, widths[port]) for port, (name, lsb) in slices.items()]
    head: list[list[str]] = [list(slices), []]
    for at, _, width in parts:
        head[1].append(f"{ports[at - 1][1][0]}{width}")
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            values = line.decode("latin-1").rstrip("\r\n").split(",")
            if len(values) != len(ports) + 1:
                message = f"{path}:{number}: {len(values)} columns; the first line has "
                raise WlkError(Status.BAD_CSV, f"{message}{len(ports) + 1}")
            more = head[number - 1] if number <= 2 else list(_cut(path, number, values, parts))
            yield ",".join([*(values[at] for at in kept), *more]).encode() + b"\n"
    yield END


def _cut(
    path: Path, number: int, values: list[str], parts: list[tuple[int, int, int]]
) -> Iterator[str]:
    """The parts (column, lowest bit, width) of a line."""
    whole: dict[int, int] = {}
    for at, lsb, width in parts:
        if at not in whole:
            try:
                whole[at] = int(values[at], 16)
            except ValueError as error:
                message = f"{path}:{number}: '{values[at][:40]}' is no hexadecimal number"
                raise WlkError(Status.BAD_CSV, message) from error
        yield f"{whole[at] >> lsb & (1 << width) - 1:x}"
