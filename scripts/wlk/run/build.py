# SPDX-License-Identifier: Apache-2.0
"""Building the C side: one Meson folder a kind, under build/.

`python3 -m wlk.run.build KIND...` builds from a shell.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..base import progress, setup
from ..base.errors import Status, WlkError
from ..base.guard import guard

DEFAULT = "release"
PRODUCT = "product"  # target with all but the tests: vectors/meson.build
PERCENTAGE = re.compile(r" *(\d+)% ")
VARIABLE = "WARPLOCK_BUILD"
# How compilers, linkers, Meson and our generators begin an error message.
ERROR = re.compile(r"\berror: |undefined reference|multiple definition|^warplock: ", re.IGNORECASE)


@dataclass(frozen=True)
class Kind:
    """How one folder is configured."""

    options: tuple[str, ...]
    compilers: Mapping[str, str] = field(default_factory=dict)
    """CC and CXX; where absent, those of the environment."""


# In this order: buildtype sets an optimization of its own.
RELEASE = ("-Dbuildtype=release", "-Doptimization=2", "-Db_ndebug=true", "-Db_colorout=never")
KINDS = {
    DEFAULT: Kind(RELEASE),
    "gcc": Kind((*RELEASE, "--werror"), {"CC": "gcc", "CXX": "g++"}),
    "clang": Kind((*RELEASE, "--werror"), {"CC": "clang", "CXX": "clang++"}),
    "asan": Kind(
        (
            "-Dbuildtype=debugoptimized",
            "-Db_colorout=never",
            "--werror",
            "-Db_sanitize=address,undefined",
            "-Db_lundef=false",
            # An undefined behaviour must fail the run, not only print.
            "-Dc_args=-fno-sanitize-recover=all",
            "-Dcpp_args=-fno-sanitize-recover=all",
        )
    ),
}


def folder(kind: str | None = None) -> Path:
    """Where `kind` is built; without one, $WARPLOCK_BUILD, else "release"."""
    return setup.BUILD / _name(kind)


def _name(kind: str | None) -> str:
    name = kind or os.environ.get(VARIABLE) or DEFAULT
    if name not in KINDS:
        where = "" if kind else f"{VARIABLE}="
        raise WlkError(
            Status.USAGE, f"{where}{name}: no such build; it is one of {', '.join(KINDS)}"
        )
    return name


def meson_build(kind: str | None = None, *, whole: bool = False, jobs: int | None = None) -> Path:
    """Configure if needed, build, and return the folder. Fails with BUILD_FAIL.

    `whole`: with the tests in C, which take as long as all else. `jobs`: compilers at a time.
    """
    name = _name(kind)
    build = folder(name)
    log = setup.BUILD / f"{name}.log"
    with setup.locked(name):
        log.write_text("", encoding="utf-8")
        environment = dict(os.environ) | dict(KINDS[name].compilers)
        _configure(name, build, environment, log)
        command = [_tool("ninja"), "-C", build, *([f"-j{jobs}"] if jobs else [])]
        command += [] if whole else [PRODUCT]
        environment["NINJA_STATUS"] = "%p "
        label = f"building {'the library and its tests' if whole else 'the library'}"
        done = progress.run(
            command, label=label, log=log, env=environment, note=lambda: _percentage(log)
        )
    if done.code:
        raise progress.fail_with_log(Status.BUILD_FAIL, _first_error(build, log), log)
    return build


def _configure(name: str, build: Path, environment: Mapping[str, str], log: Path) -> None:
    """Run `meson setup`, from scratch when the folder was made with other options."""
    options = list(KINDS[name].options)
    compilers = {key: environment.get(key, "") for key in ("CC", "CXX", "CFLAGS", "CXXFLAGS")}
    wanted = json.dumps([str(setup.ROOT), options, compilers])
    note = build / "warplock-options.json"  # written last: a folder without it is half made
    if note.is_file() and note.read_text(encoding="utf-8") == wanted:
        return
    if build.exists():
        shutil.rmtree(build)
    command = [_tool("meson"), "setup", *options, build, setup.ROOT]
    if progress.run(command, label=f"meson setup {build}", log=log, env=environment).code:
        raise progress.fail_with_log(Status.BUILD_FAIL, _first_error(build, log), log)
    note.write_text(wanted, encoding="utf-8")


def _percentage(log: Path) -> str:
    """How far ninja is: the start of its last line."""
    last = progress.tail(log, 1)
    found = PERCENTAGE.match(last[0]) if last else None
    return f"{found[1]} %" if found else ""


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise WlkError(Status.NO_TOOL, f"missing: {name}; `warplock setup` installs it")
    return path


def _first_error(build: Path, log: Path) -> str:
    """What went wrong, from the first line of the log that names an error."""
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        if ERROR.search(line):
            return f"{build} does not build: {line.strip()}"
    return f"{build} does not build"


def main() -> int:
    """Build the kinds named on the command line."""
    for kind in sys.argv[1:] or [None]:
        print(meson_build(kind, whole=True))
    return 0


if __name__ == "__main__":
    sys.exit(guard(main))
