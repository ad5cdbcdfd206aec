# SPDX-License-Identifier: Apache-2.0
"""Blocks of users: which folders there are, and the library that each is built into.

A library is built of model.c and what else is C in the folder, of the code generated from the table
and of the frame of all models, against the public headers; it lies in build/blocks/KEY, by the
content of all that goes into it.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import tables
from ..base import installed, keep, outputs, progress, report, setup, toml
from ..base.errors import Status, WlkError
from ..base.options import Command
from ..fit import portmap
from ..gen import c, stubs
from ..tables import Table
from ..tables.files import FOLDERS, MODEL, map_path
from . import build

SETTINGS = "warplock.toml"
KEY = "block_folders"  # of it
LIBRARIES = "WLK_BLOCK_LIBRARIES"  # variable by which our programs know them
FRAME = setup.ROOT / "refmodel" / "frame"
COMMON = setup.ROOT / "dpi" / "stimulus" / "common.c"
INCLUDES = tuple(
    setup.ROOT / name for name in ("refmodel/include", "dpi/include", "refmodel", "dpi/stimulus")
)
WARNINGS = ("-Wall", "-Wextra", "-Wno-unused-function", "-Wno-unused-parameter")
FLAGS = ("-std=gnu11", "-O2", "-g", "-fPIC", "-shared", "-fvisibility=hidden", *WARNINGS)
DEFINES = (f'-DWLK_VERSION="{installed.version()}"', "-DWLK_ISA_SUFFIX=", "-DWLK_OWN_BLOCK")
WRITERS = Path(__file__).parent.parent / "model"  # of the form for unknown state
WARNING = "warning.txt"  # beside a library
MOST = 100  # libraries kept


def find(asked: Command) -> tuple[str, ...]:
    """Know the blocks of users that a command names too. What set-up provides for them: what reads
    their RTL and their models."""
    find_in(asked.own_folders())
    return ("rtl", "model") if tables.own() else ()


def find_in(given: Sequence[Path]) -> None:
    """Know the blocks in these folders, and in those of the environment and the settings file."""
    tables.use(_listed(given))


def _listed(given: Sequence[Path]) -> list[Path]:
    words = os.environ.get(FOLDERS, "").split(os.pathsep)
    found = [*given, *(Path(word) for word in words if word)]
    path = Path(SETTINGS)
    if path.is_file():
        found += _of_settings(path)
    return found


def _of_settings(path: Path) -> list[Path]:
    try:
        names = toml.loads(path.read_text(encoding="utf-8", errors="replace")).get(KEY, [])
    except toml.BadTomlError:
        return []  # the command that reads the rest of it says what is wrong
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise WlkError(Status.USAGE, f'{path}: {KEY}: a list of folders is wanted, as ["blocks"]')
    return [path.parent / name for name in names]


def prepare(asked: Command) -> None:
    """Before a command runs: their RTL can stand for a stub, and our programs know the blocks that
    it names, or all of them where it names none."""
    if not tables.own():
        return
    from ..fit import own_rtl  # noqa: F401, needs slang; registers itself

    words = getattr(asked, "blocks", None) or getattr(asked, "block", None) or []
    named = {words} if isinstance(words, str) else {*words}
    paths = [library(name) for name in tables.own() if not named or name in named]
    os.environ[LIBRARIES] = ":".join(map(str, paths))


def is_flat(table: Table, module: Any) -> bool:
    """Has a module (rtl.Module) the inputs of a user's block by their names, so that the map beside
    the table is not for it?"""
    if map_path(table.name) is None:
        return False
    wanted = {p.name for p in table.ports(table.defaults()) if p.direction == "in" and p.read}
    return wanted <= module.port_names


def is_async(table: Table) -> bool:
    """Is the reset of its stub asynchronous?"""
    return stubs.is_own_rtl(table) and portmap.read(map_path(table.name)).is_async


def digest(name: str) -> list[str]:
    """What a verdict on a block rests on that lies in its folder: nothing of a shipped one."""
    folder = tables.own().get(name)
    if folder is None:
        return []
    files = sorted(p for suffix in ("c", "h", "toml") for p in folder.rglob(f"*.{suffix}"))
    parts = (part for p in files for part in (str(p.relative_to(folder)), p.read_bytes()))
    return [keep.digest(parts)]


def library(name: str) -> Path:
    """The library of a block, built if it is not there. BUILD_FAIL has the compiler's first
    error."""
    folder, table = tables.own()[name], tables.load(name)
    generated = c.CTable(table)
    sources = sorted(folder.glob("*.c"))
    texts = {
        f"warplock/{name}_ports.h": generated.header(),
        f"{name}_ports.c": generated.source(),
        "plugin.c": _plugin(table),
    }
    compiler = os.environ.get("CC", "cc")
    headers = sorted({p for each in INCLUDES for p in each.rglob("*.h")})
    read = [*sources, *sorted(folder.rglob("*.h")), *sorted(FRAME.glob("*.c")), *headers]
    read += sorted(WRITERS.glob("*.py"))
    known = [compiler, *FLAGS, *texts.values(), *(str(p) for p in read)]
    key = keep.digest([*known, *(path.read_bytes() for path in read)])
    place = setup.BUILD / "blocks" / key
    made = place / f"libwlk_block_{name}.so"
    with setup.locked(f"block-{name}"):
        if made.is_file():
            os.utime(place)
        else:
            outputs.make_folder(place)
            keep.prune(place.parent, MOST, "block")
            defines = [*DEFINES, *_open_state(table, folder, texts)]
            _write(place, texts)
            shared = [*(FRAME / each for each in ("block.c", "error.c", "map.c")), COMMON]
            own = [folder, folder / "include", place]
            command = [compiler, *FLAGS, *defines, *(f"-I{each}" for each in (*own, *INCLUDES))]
            part = made.with_suffix(".part")
            command += [*sources, *(place / each for each in texts if each.endswith(".c")), *shared]
            _compile(folder, [*command, "-o", part], place / "build.log")
            part.rename(made)
        _warn(place)
    return made


def _write(place: Path, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        outputs.make_folder((place / path).parent)
        with outputs.atomic_write(place / path) as file:
            file.write(text)


def _open_state(table: Table, folder: Path, texts: dict[str, str]) -> list[str]:
    """Add the model written again for state that is partly unknown; the macro that says so. Where
    it is not in model C, and wants it, a warning."""
    from ..model import open_state

    path = folder / MODEL
    try:
        made = open_state.make(table, path)
    except WlkError as error:
        if open_state.is_wanted(path):
            texts[WARNING] = f"{error}; so unknown_start has no effect, and state starts as zeros"
        return []
    texts["open_state.c"] = made.text
    return [f"-D{name}={value}" for name, value in made.macros.items()]


def _warn(place: Path) -> None:
    if (place / WARNING).is_file():
        text = (place / WARNING).read_text(encoding="utf-8")
        report.warn([text])


def _compile(folder: Path, command: Sequence[str | Path], log: Path) -> None:
    done = progress.run(command, label=f"compiling block {folder.name}", log=log)
    if done.code:
        why = build.first_error(log) or "".join(progress.tail(log, 1)).strip()
        message = f"{folder / MODEL} does not compile: {why}"
        raise progress.fail_with_log(Status.BUILD_FAIL, message, log)


def _plugin(table: Table) -> str:
    """The source of the library's entry. It has a stimulus if some file in the folder has one."""
    name = table.c_name
    return f"""\
// Generated by scripts/wlk/run/own_blocks.py. Do not edit.
#include "warplock/{table.name}_ports.h"

#define MODEL      {name}
#define MODEL_CAPS {name.upper()}
#include "frame/model.h"

#include "frame/plugin.h"

extern const struct wlk_stimulus wlk_{name}_stimulus __attribute__((weak));

WLK_PLUGIN(&wlk_{name}_stimulus);
"""
