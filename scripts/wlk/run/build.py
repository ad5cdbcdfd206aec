# SPDX-License-Identifier: Apache-2.0
"""Building the C side: one Meson folder a kind, under build/.

`python3 -m wlk.run.build KIND...` builds from a shell.
"""

import functools
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
from ..base.installed import INSTALLED
from ..gen import c, installed

DEFAULT = "release"
PRODUCT = "product"  # target with what the command runs: dpi/meson.build
PERCENTAGE = re.compile(r" *(\d+)% ")
VARIABLE = "WARPLOCK_BUILD"
# How compilers, linkers, Meson and our generators begin an error message.
ERROR = re.compile(r"\berror: |undefined reference|multiple definition|^warplock: ", re.IGNORECASE)


@dataclass(frozen=True)
class Kind:
    """How one folder is configured."""

    options: tuple[str, ...]
    # CC and CXX; where absent, those of the environment.
    compilers: Mapping[str, str] = field(default_factory=dict)


# In this order: buildtype sets an optimization of its own.
RELEASE = ("-Dbuildtype=release", "-Doptimization=2", "-Db_ndebug=true", "-Db_colorout=never")
KINDS = {
    DEFAULT: Kind(RELEASE),
    "gcc": Kind((*RELEASE, "--werror"), {"CC": "gcc", "CXX": "g++"}),
    "clang": Kind((*RELEASE, "--werror"), {"CC": "clang", "CXX": "clang++"}),
    "asan": Kind(
        (
            *("-Dbuildtype=debugoptimized", "-Doptimization=1", "-Db_colorout=never", "--werror"),
            *("-Db_sanitize=address,undefined", "-Db_lundef=false"),
            # Undefined behaviour must fail the run, not only print; -g1: lines for reports.
            *(f"-D{language}_args=-fno-sanitize-recover=all -g1" for language in ("c", "cpp")),
        )
    ),
    # tests/endure/fuzz: all of the library tells the fuzzer what ran
    "fuzz": Kind(
        (
            *("-Dbuildtype=debugoptimized", "-Doptimization=1", "-Db_colorout=never"),
            *("-Db_sanitize=address,undefined", "-Db_lundef=false"),
            "-Dc_args=-fsanitize=fuzzer-no-link -fno-sanitize-recover=all -g1",
        ),
        {"CC": "clang", "CXX": "clang++"},
    ),
}
# What `test --campaign same` compares: each compiler, each optimization.
KINDS |= {
    f"{cc}-O{level}": Kind((*RELEASE, f"-Doptimization={level}"), KINDS[cc].compilers)
    for cc in ("gcc", "clang")
    for level in range(4)
}


def folder(kind: str | None = None) -> Path:
    """Where `kind` is built; without one, $WARPLOCK_BUILD, else "release"."""
    return INSTALLED.compiled if INSTALLED else setup.BUILD / _name(kind)


def is_strict() -> bool:
    """Is each warning of a compiler an error? In CI, not where a user's compiler has new ones."""
    return not INSTALLED and "--werror" in KINDS[_name(None)].options


def _name(kind: str | None) -> str:
    name = kind or os.environ.get(VARIABLE) or DEFAULT
    if name not in KINDS:
        where = "" if kind else f"{VARIABLE}="
        message = f"{where}{name}: no such build; it is one of {', '.join(KINDS)}"
        raise WlkError(Status.USAGE, message)
    return name


def meson_build(
    kind: str | None = None,
    *,
    whole: bool = False,
    jobs: int | None = None,
    target: str = PRODUCT,
) -> Path:
    """Configure if needed, build, and return the folder. Fails with BUILD_FAIL.

    `whole`: with the tests in C, which take as long as all else, and not only `target`. `jobs`:
    compilers at a time.
    An installed copy is built: NO_FILE or BAD_VERSION when a part of it is missing or of another.
    """
    if INSTALLED:
        INSTALLED.check_compiled()
        return INSTALLED.compiled
    name = _name(kind)
    build = folder(name)
    log = setup.BUILD / f"{name}.log"
    with setup.locked(name):
        log.write_text("", encoding="utf-8")
        environment = dict(os.environ) | dict(KINDS[name].compilers)
        _configure(name, build, environment, log)
        command = [tool("ninja"), "-C", build, *([f"-j{jobs}"] if jobs else [])]
        command += [] if whole else [target]
        environment["NINJA_STATUS"] = "%p "
        label = f"building {'the library and its tests' if whole else 'the library'}"
        done = progress.run(
            command, label=label, log=log, env=environment, note=lambda: _percentage(log)
        )
    if done.code:
        raise _failed(build, log)
    return build


@functools.cache
def brought_up() -> Path:
    """The folder, brought up to date once in this process."""
    return meson_build()


def _configure(name: str, build: Path, environment: Mapping[str, str], log: Path) -> None:
    """Run `meson setup`, from scratch when the folder was made with other options or blocks, and
    once more when a file came or went: ninja knows those that there were."""
    options = list(KINDS[name].options)
    compilers = {key: environment.get(key, "") for key in ("CC", "CXX", "CFLAGS", "CXXFLAGS")}
    wanted = json.dumps([str(setup.ROOT), options, compilers, c.folders()])
    note = build / "warplock-options.json"  # written last: a folder without it is half made
    names = build / "warplock-files.json"
    listed = json.dumps(sorted(installed.files()))
    if note.is_file() and note.read_text(encoding="utf-8") == wanted:
        if names.is_file() and names.read_text(encoding="utf-8") == listed:
            return
        options = ["--reconfigure"]
    elif build.exists():
        shutil.rmtree(build)
    command = [tool("meson"), "setup", *options, build, setup.ROOT]
    if progress.run(command, label=f"meson setup {build}", log=log, env=environment).code:
        raise _failed(build, log)
    names.write_text(listed, encoding="utf-8")
    note.write_text(wanted, encoding="utf-8")


def _percentage(log: Path) -> str:
    """How far ninja is: the start of its last line."""
    found = PERCENTAGE.match("".join(progress.tail(log, 1)))
    return f"{found[1]} %" if found else ""


def tool(name: str) -> str:
    """Where a program is; NO_TOOL when it is missing."""
    path = shutil.which(name)
    if path is None:
        raise WlkError(Status.NO_TOOL, f"missing: {name}; `warplock setup` installs it")
    return path


def first_error(log: Path, error: re.Pattern[str] = ERROR) -> str:
    """The first line of a log that names an error; '' when none does."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return next((line.strip() for line in lines if error.search(line)), "")


def _failed(build: Path, log: Path) -> WlkError:
    why = ": ".join(filter(None, (f"{build} does not build", first_error(log))))
    return progress.fail_with_log(Status.BUILD_FAIL, why, log)


def main() -> int:
    """Build the kinds named on the command line."""
    for kind in sys.argv[1:] or [None]:
        print(meson_build(kind, whole=True))
    return 0


if __name__ == "__main__":
    sys.exit(guard(main))
