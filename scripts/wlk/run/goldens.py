# SPDX-License-Identifier: Apache-2.0
"""The golden vector files in vectors/golden: written here only, checked by tests.

MANIFEST.jsonl has one JSON object a line and file: how it is made (the arguments of `vectors gen`)
and, written by `write`, its SHA-256. To add a file, add a line without `sha256` and write.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..base import outputs, report, setup
from ..base.entries import Entry as Run
from ..base.errors import Status, WlkError
from ..base.installed import COMMAND
from . import tools, vectors

FOLDER = setup.ROOT / "vectors" / "golden"
MANIFEST = "MANIFEST.jsonl"
SUFFIX = ".wlv"
REPEAT = f"{COMMAND} vectors golden"
MOST_BYTES = 60 * 1024
KEYS = ("block", "config", "seed", "profile", "cycles", "power_up")

Entry = dict[str, Any]


def read_manifest(folder: Path = FOLDER) -> list[Entry]:
    """The entries; CORRUPT names the line that is none, NO_FILE when there is no manifest."""
    return read_lines(folder / MANIFEST, ("file", *KEYS))


def read_lines(path: Path, keys: Iterable[str]) -> list[Entry]:
    """The objects of a manifest, which have these keys at least."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise WlkError(Status.NO_FILE, f"{path}: cannot be read: {error.strerror}") from error
    entries = []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            missing = [key for key in keys if key not in entry]
        except (ValueError, TypeError) as error:
            raise WlkError(Status.CORRUPT, f"{path}:{number}: no JSON object: {error}") from error
        if missing:
            raise WlkError(Status.CORRUPT, f"{path}:{number}: lacks {', '.join(missing)}")
        entries.append(entry)
    return entries


def make(entry: Entry, out: Path) -> vectors.Header:
    """Make an entry's file anew, in place of one that is there."""
    made = {key: entry[key] for key in KEYS}
    return vectors.Gen(out=out, small=True, force=True, **made).make()


def write(folder: Path = FOLDER) -> int:
    """Write every file that is not as it must be, and the manifest with its checksums."""
    entries = read_manifest(folder)
    for entry in entries:
        path = folder / entry["file"]
        if examine(entry, folder)[0] == Status.OK:
            continue
        header = make(entry, path)
        entry["sha256"] = _digest(path)
        print(f"{path}: {header.cycles:,} cycles, {path.stat().st_size:,} bytes")
    with outputs.atomic_write(folder / MANIFEST) as file:
        file.writelines(json.dumps(entry) + "\n" for entry in entries)
    return 0


def check(as_json: bool = False, folder: Path | None = None, runs: list[Run] | None = None) -> int:
    """Check every file, each a run for a report; the exit code is that of the first kind of
    trouble."""
    folder = folder or FOLDER
    table = report.Table("file", "cycles", "bytes", "verdict", "trouble")
    troubles = []
    entries = read_manifest(folder)
    if not entries:
        raise WlkError(Status.VACUOUS, f"{folder / MANIFEST}: names no file")
    known = {entry["file"] for entry in entries}
    files = sorted(path.name for path in folder.glob("*" + SUFFIX))
    for entry in [*entries, *({"file": name} for name in files if name not in known)]:
        status, trouble = examine(entry, folder)
        troubles.append(status)
        path = folder / entry["file"]
        size = path.stat().st_size if path.is_file() else None
        table.add(entry["file"], entry.get("cycles"), size, status, trouble)
        line = {"file": entry["file"], "verdict": report.verdict_name(status)}
        line |= {"trouble": trouble} if trouble else {}
        if as_json:
            report.json_line(line)
        if runs is not None:
            block = {"block": entry.get("block")}
            runs.append(Run(block | line, entry["file"], trouble, REPEAT if trouble else ""))
    if not as_json:
        table.print()
    return int(min((s for s in troubles if s != Status.OK), default=Status.OK))


def examine(entry: Entry, folder: Path = FOLDER) -> tuple[Status, str]:
    """Is the file the one of the manifest, small, clean, and what the model makes today?"""
    path = folder / entry["file"]
    try:
        _examine(entry, path)
    except WlkError as error:
        return error.status, error.message
    return Status.OK, ""


def _examine(entry: Entry, path: Path) -> None:
    if "block" not in entry:
        raise WlkError(Status.CORRUPT, f"{path}: {MANIFEST} does not name it")
    if not path.is_file():
        raise WlkError(Status.NO_FILE, f"{path}: missing")
    if _digest(path) != entry.get("sha256"):
        message = f"{path}: is not the file of {MANIFEST} (SHA-256 {entry.get('sha256')})"
        raise WlkError(Status.CORRUPT, f"{message}; `warplock vectors golden --write` makes it")
    if path.stat().st_size > MOST_BYTES:
        message = f"{path}: more than {MOST_BYTES} bytes; fewer cycles will do"
        raise WlkError(Status.BAD_PARAMS, message)
    header = vectors.read_header(path)
    table = vectors.check_schema(header)
    config = vectors.check_config(header, table)
    vectors.check_model(header, table)
    played = vectors.play(header, table, config)
    if played.verdict != Status.OK:
        first = played.result.get("first", {})
        raise WlkError(played.verdict, f"{path}: {json.dumps(first)}")
    with tempfile.TemporaryDirectory() as scratch:
        anew = make(entry, Path(scratch) / path.name)
        tool = {"tool": None}  # whichever version wrote it
        if anew.text | tool != header.text | tool:
            raise WlkError(Status.BAD_PARAMS, f"{path}: its header is not that of {MANIFEST}")
        tools.run(vectors.PROGRAM, ["same", path, anew.path], label=f"comparing {path}")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
