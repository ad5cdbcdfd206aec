# SPDX-License-Identifier: Apache-2.0
"""A waveform as a file that `wlk-check` reads: an FST that is gzipped as a whole is unpacked into a
temporary folder. VCD and plain FST it reads as they are.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import shlex
import shutil
import struct
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from ..base import outputs, progress
from ..base.errors import Status, WlkError

WRAPPED = 254  # first byte of an FST that is gzipped as a whole
WRAPPING = struct.Struct(">xQQ")  # what stands before the gzip: packed length, plain length
PACKED = {  # first bytes -> what unpacks it
    b"\x1f\x8b": "gunzip -k",
    b"\xfd7zXZ": "unxz -k",
    b"\x28\xb5\x2f\xfd": "unzstd",
    b"BZh": "bunzip2 -k",
}


@contextlib.contextmanager
def plain(dump: str) -> Iterator[str]:
    """The path of a VCD or plain FST with the content of `dump`."""
    head = _head(dump)
    for magic, command in PACKED.items():
        if head.startswith(magic):
            unpack = f"unpack it first ({command} {shlex.quote(dump)})"
            raise WlkError(Status.CORRUPT, f"{dump}: this is a compressed file; {unpack}")
    if head[:1] != bytes([WRAPPED]):
        yield dump
        return
    with _temporary(dump) as folder:
        fst = folder / "wave.fst"
        _unwrap(dump, fst)
        yield str(fst)


def _head(dump: str) -> bytes:
    if os.path.exists(dump) and not os.path.isfile(dump):
        raise WlkError(Status.NO_FILE, f"{dump}: not a regular file: name an FST or VCD")
    try:
        with open(dump, "rb") as file:
            return file.read(8)
    except OSError as error:
        raise WlkError(Status.NO_FILE, f"{dump}: cannot be opened: {error.strerror}") from error


@contextlib.contextmanager
def _temporary(dump: str) -> Iterator[Path]:
    try:
        folder = tempfile.mkdtemp(prefix=progress.SCRATCH)
    except OSError as error:
        message = f"{dump}: no temporary folder ({error.strerror}): set TMPDIR to one with room"
        raise WlkError(Status.NO_SPACE, message) from error
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _no_room(dump: str, folder: Path) -> WlkError:
    message = f"{dump}: no room in {folder.parent} to unpack it: free some, or set TMPDIR"
    return WlkError(Status.NO_SPACE, message)


def _unwrap(dump: str, fst: Path) -> None:
    with open(dump, "rb") as file, fst.open("wb") as to:
        head = file.read(WRAPPING.size)
        packed, plain = WRAPPING.unpack(head) if len(head) == WRAPPING.size else (0, 0)
        if packed == 0:
            raise WlkError(Status.TRUNCATED, f"{dump}: the packed FST was never finished")
        try:
            with gzip.GzipFile(fileobj=file) as unpacked:
                shutil.copyfileobj(unpacked, to)
            whole = to.tell() == plain
        except (EOFError, zlib.error, gzip.BadGzipFile):
            whole = False
        except OSError as error:
            if error.errno in outputs.FULL:
                raise _no_room(dump, fst.parent) from error
            raise WlkError(Status.NO_FILE, f"{dump}: cannot be read: {error.strerror}") from error
        status = Status.TRUNCATED if to.tell() < plain else Status.CORRUPT
    if not whole:
        message = f"{dump}: the packed FST ends too early or is damaged: copy it again"
        raise WlkError(status, message)
