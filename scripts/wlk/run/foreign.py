# SPDX-License-Identifier: Apache-2.0
"""C that RTL imports by DPI: compiled beside the Verilated RTL, and linked where it is called.

A list of files is often that of a whole simulation. So what the RTL does not call is left out, and
a file that does not compile matters only if a function is missing then.
"""

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..base import outputs, progress
from ..base.errors import Status, WlkError
from . import build

C, CPP = ("CC", "cc", "-std=gnu11"), ("CXX", "c++", "-std=gnu++17")
COMPILED = {".c": C, ".cc": CPP, ".cpp": CPP, ".cxx": CPP}
FLAGS = ("-O2", "-fPIC", "-w", "-c")
ARCHIVE = "libforeign.a"
WORD = re.compile(r"\w+")


@dataclass
class Built:
    """Words for the linker, and the files that are not among them, with the reason."""

    link: list[str] = field(default_factory=list)
    failed: dict[Path, str] = field(default_factory=dict)

    def why(self, lacking: Sequence[str]) -> str:
        """Why a function is not there, as far as one of the files knows of it; else ''."""
        for path, reason in self.failed.items():
            if {*WORD.findall(path.read_text(encoding="utf-8", errors="replace"))} & {*lacking}:
                return f"{path} does not compile: {reason}"
        return ""


def built(files: Sequence[Path], place: Path, verilator: Path, folders: Sequence[Path]) -> Built:
    """Compile files of C into an archive in `place`. `verilator`: its headers; `folders`: those of
    the RTL's."""
    found, objects = Built(), []
    includes = [f"-I{path}" for path in (verilator / "vltstd", verilator, *folders)]
    for number, path in enumerate(each for each in files if each.suffix in COMPILED):
        variable, compiler, standard = COMPILED[path.suffix]
        made, log = place / "obj" / f"foreign_{number}.o", place / f"foreign_{number}.log"
        command = [*shlex.split(os.environ.get(variable) or compiler), standard, *FLAGS, *includes]
        command += [path, "-o", made]
        if progress.run(command, log=log).code == 0:
            objects.append(made)
        else:
            last = _last(log, place)
            found.failed[path] = build.first_error(log) or last
    objects += [path for path in files if path.suffix == ".o"]
    if objects:  # an archive gives only what is called; `q` takes two of one name
        archive, log = place / "obj" / ARCHIVE, place / "foreign.log"
        if progress.run(["ar", "qcs", archive, *objects], log=log).code:
            raise WlkError(Status.BUILD_FAIL, f"{archive}: {_last(log, place)}; see {log}")
        found.link.append(str(archive))
    found.link += [str(path) for path in files if path.suffix == ".a"]
    for path in (each for each in files if each.suffix == ".so"):
        found.link += ["-Wl,--push-state,--as-needed", str(path), "-Wl,--pop-state"]
        found.link.append(f"-Wl,-rpath,{path.parent}")
    return found


def _last(log: Path, place: Path) -> str:
    """The last line of a log; NO_SPACE where the disk is full."""
    if full := outputs.no_room(log, place):
        raise WlkError(Status.NO_SPACE, full)
    return "".join(progress.tail(log, 1)) or "no output"
