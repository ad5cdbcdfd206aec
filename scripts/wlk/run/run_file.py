# SPDX-License-Identifier: Apache-2.0
"""`lockstep --run NAME`: what a table of warplock.toml says is run by one command."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import tables
from ..base import options, seeds, settings
from ..base.errors import Status, WlkError, nearest
from . import verilate
from .jobs import Run

SHARED = ("rtl", "define", "include", "seeds", "cycles", "verilator")  # also at the top of a file
PATHS = ("rtl", "include", "waive")
VALUES = {"power_up": ("unknown", "zero"), "verilator": verilate.WHICH}


@dataclass(frozen=True)
class Table:
    """A table [run.NAME]."""

    path: Path  # of its file
    name: str
    values: Mapping[str, Any]  # those of the top too, where the table does not have them
    rows: Sequence[Mapping[str, Any]]  # the tables [[block]]
    names_rtl: bool  # it says itself which RTL

    def apply(self, asked: Run) -> None:
        """Set what no option of the command line says."""
        for key, value in self.values.items():
            if key not in asked.given and key not in ("blocks", "configs"):
                setattr(asked, key, self._value(key, value))
        named = dict.fromkeys(row["name"] for row in self.rows)
        asked.blocks = asked.blocks or self.values.get("blocks") or [*named]

    def _value(self, key: str, value: Any) -> Any:
        """A value as its option has it."""
        where = f"{self.path}: [run.{self.name}]: {key}"
        if key in VALUES and value not in VALUES[key]:
            message = f"{where}: {value!r} must be one of {', '.join(VALUES[key])}"
            raise WlkError(Status.USAGE, message)
        if key == "cycles" and value < 1:
            raise WlkError(Status.USAGE, f"{where}: {value} must be 1 or more")
        if key == "seeds":
            try:
                return seeds.parse(value, self._folder)
            except argparse.ArgumentTypeError as error:
                raise WlkError(Status.USAGE, f"{where}: {error}") from error
        return [self._folder / each for each in value] if key in PATHS else value

    @property
    def _folder(self) -> Path:
        """That of the file, as seen from here."""
        folder, here = self.path.parent.absolute(), Path.cwd()
        return folder.relative_to(here) if folder.is_relative_to(here) else folder

    def parts(self, asked: Run) -> list[Run]:
        """A run for each configuration of each block."""
        made = [
            part for name in asked.blocks or tables.names() for part in self._of_block(asked, name)
        ]
        titles = [(*part.blocks, *part.config, part.module) for part in made]
        for title in titles:
            if titles.count(title) > 1:
                message = f"block {title[0]} is asked for twice in one configuration"
                raise WlkError(Status.USAGE, f"{self.path}: [run.{self.name}]: {message}")
        return made

    def _of_block(self, asked: Run, name: str) -> Iterator[Run]:
        given = [" ".join(asked.config)] if asked.config else self.values.get("configs")
        for row in [row for row in self.rows if row["name"] == name] or [{}]:
            part = dataclasses.replace(asked, blocks=[name])
            if "rtl" in row and not self.names_rtl and "rtl" not in asked.given:
                part.rtl = self._value("rtl", row["rtl"])
            if part.rtl and row:  # what is said of a module is not of the stub
                self._refuse_ports(row)
                part.module = part.module or row.get("module")
                part.tie = part.tie or dict(self._ties(row))
            for config in given or row.get("configs") or [""]:
                yield dataclasses.replace(part, config=config.split())

    def _refuse_ports(self, row: Mapping[str, Any]) -> None:
        if row.get("ports"):
            message = f"{self.path}: [[block]] {row['name']}: ports: only regress renames them"
            hint = "run the block with lockstep BLOCK --map FILE.toml (docs/port-maps.md)"
            raise WlkError(Status.USAGE, f"{message}; {hint}")

    def _ties(self, row: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
        for text in row.get("tie", []):
            try:
                yield options.tie(text)
            except argparse.ArgumentTypeError as error:
                head = f"{self.path}: [[block]] {row['name']}: tie"
                raise WlkError(Status.USAGE, f"{head}: {error}; give PORT=VALUE") from error


def read(name: str, path: Path | None) -> Table:
    """The table of a name in a file, or in the nearest warplock.toml."""
    path = path or _nearest(name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise WlkError(Status.NO_FILE, f"--settings {path}: {why}") from error
    found = settings.load(str(path), text)
    runs = found.get("run", {})
    if name not in runs:
        hint = nearest(name, runs, "there are") or "; write one"
        raise WlkError(Status.USAGE, f"{path}: no table [run.{name}]{hint}")
    shared = {key: found[key] for key in SHARED if key in found}
    values, rows = shared | runs[name], found.get("block", [])
    return Table(path, name, values, rows, "rtl" in runs[name])


def _nearest(name: str) -> Path:
    """The file in the current folder, or in the nearest one above that has it."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / settings.NAME).is_file():
            return folder / settings.NAME
    message = f"--run {name}: no {settings.NAME} in {here} or a folder above"
    raise WlkError(Status.NO_FILE, f"{message}; write one, or give --settings FILE")
