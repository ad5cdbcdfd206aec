# SPDX-License-Identifier: Apache-2.0
"""The folder of a run below --reports: reports/2026-11-22T07-45-00Z-PID, and `latest` beside it."""

import contextlib
import hashlib
import itertools
import json
import os
import shlex
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import installed, outputs, report
from .errors import Status, WlkError
from .installed import COMMAND

DEFAULT = Path("reports")
LATEST = "latest"
RESULTS = "results.json"
FAILING = "failing.seeds"
FORMAT = 1  # of that file
LONGEST_NAME = 100  # of a configuration, in the name of a folder
ELSEWHERE = "choose another folder with --reports"
REMEDY = f"free some space or {ELSEWHERE}"


def refuse(parent: Path) -> None:
    """NO_FILE when --reports can be no folder. Before any work is done."""
    for place in (parent, *parent.parents):
        if place.exists():
            if place.is_dir():
                return
            raise WlkError(Status.NO_FILE, f"{place}: is no folder; {ELSEWHERE}")


class Folder:
    """The folder of one run: made when the first file comes; `latest` then leads to it."""

    def __init__(self, parent: Path) -> None:
        self.parent = parent
        self._path: Path | None = None
        self._lock = threading.RLock()
        self._failing: dict[int, list[str]] = {}  # seed -> which runs of it, with the verdict

    @property
    def path(self) -> Path:
        """The folder; NO_SPACE or NO_FILE when it cannot be made."""
        with self._lock:
            if self._path is None:
                outputs.make_folder(self.parent, REMEDY)
                self._path = self._make()
                self._lead(self._path)
            return self._path

    def _make(self) -> Path:
        name = f"{time.strftime('%Y-%m-%dT%H-%M-%SZ', time.gmtime())}-{os.getpid()}"
        for number in itertools.count(2):
            place = self.parent / name
            try:
                place.mkdir()
            except FileExistsError:  # several runs of one process
                name = f"{name.partition('_')[0]}_{number}"
            except OSError as error:
                raise outputs.failure(error, place, REMEDY) from error
            else:
                return place
        raise AssertionError(name)

    def _lead(self, to: Path | None) -> None:
        """Let `latest` lead to a folder; where that cannot be, it leads nowhere."""
        latest = self.parent / LATEST
        with contextlib.suppress(OSError), outputs.temporary(latest) as link:
            if to is not None:
                link.symlink_to(to.name)
                link.replace(latest)
                return
        with contextlib.suppress(OSError):
            if latest.is_symlink():
                latest.unlink()

    def of(self, block: str, config: str) -> Path:
        """The folder of one configuration in it."""
        name = report.file_name(config)
        if len(name) > LONGEST_NAME:
            name = f"{name[:LONGEST_NAME]}-{hashlib.sha256(config.encode()).hexdigest()[:8]}"
        place = self.path / f"{block}-{name}"
        outputs.make_folder(place, REMEDY)
        return place

    def write(self, path: Path, text: str) -> Path:
        """A text in it."""
        with outputs.atomic_write(path, remedy=REMEDY) as file:
            file.write(text)
        return path

    def add_failing(self, seeds: Mapping[int, str], title: str) -> Path:
        """The file of all seeds that fail, to which those of a run are added: seed -> verdict."""
        with self._lock:
            for seed, verdict in seeds.items():
                self._failing.setdefault(seed, []).append(f"{title}: {verdict}")
            lines = [f"{seed}  # {'; '.join(why)}\n" for seed, why in sorted(self._failing.items())]
            head = "# Seeds that fail, for --seeds from FILE.\n"
            return self.write(self.path / FAILING, head + "".join(lines))

    def finish(self, words: Sequence[str], code: int, results: Iterable[dict[str, Any]]) -> Path:
        """What the run was and what came out. Where it cannot be written, nothing of a former run
        is left behind `latest`."""
        command = shlex.join([COMMAND, *words])
        whole = {"format": FORMAT, "version": installed.version(), "command": command}
        whole |= {"exit_code": code, "results": list(results)}
        try:
            return self.write(self.path / RESULTS, json.dumps(whole, indent=1) + "\n")
        except WlkError:
            if self._path is None:
                self._lead(None)
            raise
