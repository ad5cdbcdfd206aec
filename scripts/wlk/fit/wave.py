# SPDX-License-Identifier: Apache-2.0
"""A waveform as the tool `wlk-check` shows it: its scopes, and passes over it."""

import contextlib
import json
import queue
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from ..base import progress
from ..base.errors import Status, WlkError
from . import csv, match
from . import dump as dumps

TOOL = "wlk-check"
MAX_INSTANCES = 256  # of one pass


@dataclass
class Scope:
    """A scope of the dump and its own signals."""

    path: str
    parent: Self | None
    signals: dict[str, tuple[int, int]]  # name -> width, handle; one handle is one signal
    ranges: dict[str, tuple[int, bool]] = field(default_factory=dict)  # smallest index, ascending?
    number: int = 0  # in the list of the tool
    children: dict[str, Self] = field(default_factory=dict, repr=False)

    @property
    def shapes(self) -> list[match.PortShape]:
        return [(name, None, width) for name, (width, _) in self.signals.items()]

    def signal_path(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def around(self) -> Iterator[Self]:
        """This scope, then those it is in."""
        scope: Self | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def is_inside(self, other: Self) -> bool:
        return self.path != other.path and any(s.path == other.path for s in self.around())

    def part(self, name: str, lsb: int) -> str:
        """Bits of a signal from one on, as the tool takes them."""
        return f"{name}:{lsb}:{self.number}"

    def is_placed(self, name: str) -> bool:
        """Is a signal of this name elsewhere?"""
        return False

    def reset_words(self) -> Sequence[str]:
        """What the tool is to know of the reset."""
        return ()


@dataclass
class Answer:
    """What the tool reports of an instance: its JSON object, and its report if it does not pass."""

    item: dict[str, Any]
    report: str  # for a person, '' of one that passes


class Session(contextlib.ExitStack):
    """The tool on one dump, a context manager around its process. `plain`: what it reads."""

    def __init__(self, tool: Path, dump: str, plain: str) -> None:
        super().__init__()
        self.dump = dump
        self._command = [tool, "session", plain, dump]
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._errors: list[str] = []
        self._done: int | None = None

    def __enter__(self) -> Self:
        pipe = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        text = {"encoding": "utf-8", "errors": "replace"}
        self._progress = self.enter_context(progress.Progress(f"checking {self.dump}"))
        readers = self.enter_context(ThreadPoolExecutor(2))  # they end when the child has
        self._process = self.enter_context(progress.child(self._command, **pipe, **text))
        readers.submit(self._read_out, self._process.stdout)
        self._errors_read = readers.submit(self._read_err, self._process.stderr)
        return self

    def _read_out(self, pipe: IO[str]) -> None:
        for line in pipe:
            self._lines.put(line)
        self._lines.put(None)

    def _read_err(self, pipe: IO[str]) -> None:
        for line in pipe:
            words = line.split()
            if words[:1] == ["progress"] and len(words) == 3:
                self._done, self._progress.total = int(words[1]), int(words[2])
            else:
                self._errors.append(line.strip().removeprefix(f"{TOOL}: "))

    def _line(self) -> str | None:
        """The next line of the tool, None at the end; shows progress meanwhile."""
        while True:
            try:
                return self._lines.get(timeout=progress.TTY_PERIOD)
            except queue.Empty:
                self._progress.update(self._done)

    def _fail(self) -> WlkError:
        """What the tool died of."""
        code = self._process.wait()
        self._errors_read.result()
        message = (self._errors or ["no reason given"])[-1]
        if code not in set(Status) or code == Status.OK:
            return WlkError(Status.MODEL_ERROR, f"{TOOL} {self.dump} ended with {code}: {message}")
        where = "" if self.dump in message else f"{self.dump}: "
        return WlkError(Status(code), where + message)

    def scopes(self) -> list[Scope]:
        """Every scope, parents before children."""
        line = self._line()
        if line is None:
            raise self._fail()
        scopes: list[Scope] = []
        for number, raw in enumerate(json.loads(line)["scopes"]):
            parent = scopes[raw["parent"]] if scopes else None
            signals = {name: (width, handle) for name, width, handle, *_ in raw["signals"]}
            ranges = {name: (lsb, bool(up)) for name, _, _, lsb, up in raw["signals"]}
            scope = Scope(raw["path"], parent, signals, ranges, number)
            if parent is not None:
                parent.children[scope.path[len(parent.path) :].removeprefix(".")] = scope
            scopes.append(scope)
        return scopes

    def run(self, words: Sequence[str]) -> list[dict[str, Any]]:
        """One pass over the dump; an object an instance."""
        instances = words.count("--instance")
        if not instances:
            return []
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write("".join(f"{word}\n" for word in words))
            self._process.stdin.close()
        answers = []
        while (line := self._line()) is not None:
            answers.append(json.loads(line))
        if len(answers) != instances:
            raise self._fail()
        return answers


class Passes(contextlib.ExitStack):
    """Passes over one dump: as many as it takes. A context manager.

    The tool that listed the scopes makes the first pass; each further one starts it again.
    """

    def __init__(self, tool: Path, dump: str) -> None:
        super().__init__()
        self._tool, self._dump = tool, dump
        self._ready: Session | None = None

    def __enter__(self) -> Self:
        self._plain = self.enter_context(dumps.plain(self._dump))
        return self

    def scopes(self) -> list[Scope]:
        """Every scope, parents before children."""
        self._ready = self.enter_context(Session(self._tool, self._dump, self._plain))
        return self._ready.scopes()

    def rows(self, words: Sequence[str]) -> Iterator[bytes]:
        """The samples of an instance, the tool's words for it, as a CSV in pieces; a line `#end`
        is last."""
        command = [self._tool, "rows", self._plain, self._dump]
        with (
            progress.child(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            ) as process,
            ThreadPoolExecutor(1) as reader,
        ):
            errors = reader.submit(process.stderr.read)
            process.stdin.write("\n".join(["--instance", *words, ""]).encode())
            process.stdin.close()
            while piece := process.stdout.read(csv.PIECE):
                yield piece
            if (code := process.wait()) != 0:
                lines = errors.result().decode(errors="replace").splitlines() or ["no reason given"]
                known = Status(code) if code in set(Status) else Status.MODEL_ERROR
                raise WlkError(known, lines[-1].removeprefix(f"{TOOL}: "))
        yield csv.END

    def run(self, instances: Sequence[Sequence[str]]) -> list[Answer]:
        """Check instances, each the tool's words for it."""
        items: list[dict[str, Any]] = []
        for start in range(0, len(instances), MAX_INSTANCES):
            if self._ready is None:
                self.scopes()
            session, self._ready = self._ready, None
            part = instances[start : start + MAX_INSTANCES]
            items += session.run([word for each in part for word in ("--instance", *each)])
        return [Answer(item, item.pop("report", "")) for item in items]
