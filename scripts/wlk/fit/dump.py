# SPDX-License-Identifier: Apache-2.0
"""A waveform of any kind as the plain FST that `wlk-check` reads.

What a file is, its content decides. A VCD is converted by vcd2fst, an FST that is gzipped as a
whole is unpacked, both into a temporary folder.
"""

from __future__ import annotations

import contextlib
import gzip
import mmap
import os
import shlex
import shutil
import signal
import struct
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from ..base import outputs, progress
from ..base.errors import Status, WlkError

VCD2FST = "vcd2fst"
PLAIN, WRAPPED = 0, 254  # first byte of an FST, and of one that is gzipped as a whole
WRAPPING = struct.Struct(">xQQ")  # what stands before the gzip: packed length, plain length
LEAST_ROOM = 1 << 16  # bytes; a disk with less is full
PACKED = {  # first bytes -> what unpacks it
    b"\x1f\x8b": "gunzip -k",
    b"\xfd7zXZ": "unxz -k",
    b"\x28\xb5\x2f\xfd": "unzstd",
    b"BZh": "bunzip2 -k",
}


@contextlib.contextmanager
def as_fst(dump: str) -> Iterator[str]:
    """The path of a plain FST with the content of `dump`."""
    head = _head(dump)
    for magic, command in PACKED.items():
        if head.startswith(magic):
            unpack = f"unpack it first ({command} {shlex.quote(dump)})"
            raise WlkError(Status.CORRUPT, f"{dump}: this is a compressed file; {unpack}")
    if head[0] == PLAIN:
        yield dump
        return
    if not _starts_vcd(head) and head[0] != WRAPPED:
        raise WlkError(Status.CORRUPT, f"{dump}: neither FST nor VCD: dump one of these")
    with _temporary(dump) as folder:
        fst = folder / "wave.fst"
        if _starts_vcd(head):
            _check_vcd(dump)
            _convert(dump, folder, fst)
        else:
            _unwrap(dump, fst)
        yield str(fst)


def is_vcd(dump: str) -> bool:
    """What VCD2FST is needed for; false where there is no such file."""
    with contextlib.suppress(WlkError):
        return _starts_vcd(_head(dump))
    return False


def _starts_vcd(head: bytes) -> bool:
    return head.lstrip(b" \t\r\n").startswith(b"$")


def _head(dump: str) -> bytes:
    if os.path.exists(dump) and not os.path.isfile(dump):
        raise WlkError(Status.NO_FILE, f"{dump}: not a regular file: name an FST or VCD")
    try:
        with open(dump, "rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise WlkError(Status.NO_FILE, f"{dump}: cannot be opened: {error.strerror}") from error
    if not head:
        raise WlkError(Status.TRUNCATED, f"{dump}: the waveform is empty")
    return head


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
    message = f"{dump}: no room in {folder.parent} to convert it: free some, or set TMPDIR"
    return WlkError(Status.NO_SPACE, message)


def _check_vcd(dump: str) -> None:
    """vcd2fst crashes on a VCD without the end of its definitions and accepts a cut last line."""
    with open(dump, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        defined, whole = text.find(b"$enddefinitions") >= 0, text[-1:] == b"\n"
    if not (defined and whole):
        where = "inside a line" if defined else "before $enddefinitions"
        remedy = "let the simulator end normally or copy it again"
        raise WlkError(Status.TRUNCATED, f"{dump}: the VCD ends {where}: {remedy}")


def _convert(dump: str, folder: Path, fst: Path) -> None:
    link = folder / "wave.vcd"  # vcd2fst picks a filter of its own by the suffix
    try:
        link.symlink_to(os.path.realpath(dump))
        code = progress.run([VCD2FST, "-v", link, "-f", fst], label=f"converting {dump}").code
    except OSError as error:
        if error.errno in outputs.FULL:
            raise _no_room(dump, folder) from error
        why = "it turns VCD into FST; install gtkwave (apt-get install gtkwave) or dump FST"
        message = f"{dump}: {VCD2FST} cannot be run ({error.strerror}): {why}"
        raise WlkError(Status.NO_TOOL, message) from error
    # A full disk makes it die in a mapped file, or write less than it should.
    room = os.statvfs(folder)
    if code == -signal.SIGBUS or room.f_bavail * room.f_frsize < LEAST_ROOM:
        raise _no_room(dump, folder)
    if code != 0:
        message = f"{dump}: {VCD2FST} does not accept this VCD: look at its definitions"
        raise WlkError(Status.CORRUPT, f"{message}, or dump FST")


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
