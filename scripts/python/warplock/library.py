# SPDX-License-Identifier: Apache-2.0
"""libwarplock, opened: that of this wheel, or of this checkout, which is built if it has to be."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cffi

from . import declarations
from .errors import Error, translated
from .wlk import tables
from .wlk.base import installed, setup
from .wlk.run import build, own_blocks

VARIABLE = "WARPLOCK_LIBRARY"  # names another one
NAME = "libwarplock.so"
OK = 0

ffi = cffi.FFI()
ffi.cdef(declarations.TYPES + declarations.CALLS + declarations.SYSTEM)
system = ffi.dlopen(None)


def _path() -> Path:
    if named := os.environ.get(VARIABLE):
        return Path(named).absolute()
    if installed.INSTALLED:
        return installed.INSTALLED.compiled / "dpi" / NAME
    with translated():
        setup.ensure(["build"])
        return build.brought_up() / "dpi" / "package" / NAME


@functools.cache
def library() -> Any:
    """The library's calls. Error NO_FILE, BAD_VERSION, or why it does not build."""
    path = _path()
    try:
        found = ffi.dlopen(str(path))
    except OSError as error:
        again = f"{VARIABLE} names it" if VARIABLE in os.environ else installed.AGAIN
        raise Error("NO_FILE", f"{path}: {error}; {again}") from error
    have, want = text(found.wlk_version()), installed.version()
    if have != want:
        message = f"{path}: is of version {have}, and the Python package of {want}"
        raise Error("BAD_VERSION", f"{message}; {installed.AGAIN}")
    return found


def text(chars: Any) -> str:
    """A string of the library; '' for none. A path in it may be no UTF-8."""
    return ffi.string(chars).decode(errors="replace") if chars else ""


def call(function: Callable[..., int], *arguments: Any) -> None:
    """A call that has a status and takes a wlk_error last; Error with its text."""
    error = ffi.new("wlk_error *")
    status = function(*arguments, error)
    if status != OK:
        raise Error(text(library().wlk_status_name(status)), text(error.text))


def printed(write: Callable[[Any], None]) -> str:
    """What a call prints on a stream."""
    chars, size = ffi.new("char **"), ffi.new("size_t *")
    stream = system.open_memstream(chars, size)
    if not stream:
        raise MemoryError
    write(stream)
    system.fclose(stream)
    try:
        return ffi.buffer(chars[0], size[0])[:].decode()
    finally:
        system.free(chars[0])


# ---- blocks -------------------------------------------------------------------------------------


def blocks() -> list[str]:
    """The names of the blocks that warplock has."""
    found: list[str] = []
    while name := library().wlk_block_name(len(found)):
        found.append(text(name))
    return found


def load(name: str, place: str | os.PathLike[str] | None) -> Any:
    """The block of that name. `place`: where it is if it is a user's, its library (*.so) or the
    folder of its sources; $WLK_BLOCKS names such folders too. Error USAGE, NO_FILE, BAD_VERSION,
    BUILD_FAIL."""
    if not isinstance(name, str):
        raise TypeError(f"block: a name is wanted, not {type(name).__name__}")
    if place is not None and Path(place).suffix == ".so":
        call(library().wlk_blocks_load, str(Path(place).absolute()).encode())
    elif place is not None or not library().wlk_blocks_find(name.encode()):
        _build(name, [] if place is None else [Path(place)])
    block = library().wlk_blocks_find(name.encode())
    if not block:
        hint = "blocks=FOLDER names where one of yours is" if place is None else f"none in {place}"
        known = ", ".join(blocks())
        raise Error("USAGE", f"there is no block '{name}'; warplock has {known}; {hint}")
    return block


def _build(name: str, folders: Sequence[Path]) -> None:
    """Load a user's block from one of these folders, or of those that $WLK_BLOCKS names."""
    with translated():
        own_blocks.find_in(folders)
        if name in tables.own():
            build.tool(os.environ.get("CC", "cc"))
            call(library().wlk_blocks_load, str(own_blocks.library(name)).encode())
