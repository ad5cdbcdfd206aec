# SPDX-License-Identifier: Apache-2.0
"""C that RTL imports by DPI: compiled beside the Verilated RTL, and linked where it is called.

A list of files is often that of a whole simulation. So what the RTL does not call is left out, and
a file that does not compile matters only if a function is missing then.
"""

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..base import progress
from . import build

C, CPP = ("CC", "cc", "-std=gnu11"), ("CXX", "c++", "-std=gnu++17")
COMPILED = {".c": C, ".cc": CPP, ".cpp": CPP, ".cxx": CPP}
FLAGS = ("-O2", "-fPIC", "-w", "-c")
ARCHIVE = "libforeign.a"


@dataclass
class Built:
    """Words for the linker, and why a file is not among them."""

    link: list[str] = field(default_factory=list)
    failed: str = ""


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
        elif not found.failed:
            why = build.first_error(log) or "".join(progress.tail(log, 1)) or "no output"
            found.failed = f"{path} does not compile: {why}"
    objects += [path for path in files if path.suffix == ".o"]
    if objects:  # an archive gives only what is called; `q` takes two of one name
        archive, log = place / "obj" / ARCHIVE, place / "foreign.log"
        if progress.run(["ar", "qcs", archive, *objects], log=log).code == 0:
            found.link.append(str(archive))
        else:
            found.failed = found.failed or "".join(progress.tail(log, 1)) or "ar fails"
    found.link += [str(path) for path in files if path.suffix == ".a"]
    for path in (each for each in files if each.suffix == ".so"):
        found.link += ["-Wl,--push-state,--as-needed", str(path), "-Wl,--pop-state"]
        found.link.append(f"-Wl,-rpath,{path.parent}")
    return found
