# SPDX-License-Identifier: Apache-2.0
"""Stimulus of GPGPU-Sim's operand collector on the model: printed, counted, compared.

A recording is a pair NAME.stim and NAME.events, plain or .xz. Its revision and options are named by
the first lines of a live recording's stimulus, `# revision v42` and `# config FILE`, or else by its
name: REVISION-OPTIONS-TITLE, with the options in OPTIONS.cfg beside it.
"""

import contextlib
import itertools
import json
import lzma
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import folders, outputs
from ..base.errors import Status, WlkError
from ..fit import csv
from . import tools

REVISIONS = ("v40", "v42", "v32")
SUFFIXES = (".stim.xz", ".stim")


@dataclass(frozen=True)
class Replay:
    """What to play."""

    stimulus: Path
    revision: str = "v40"
    configs: tuple[Path, ...] = ()  # in GPGPU-Sim's syntax, later files win; none: its defaults
    allow_unknown: bool = False  # options that are not the collector's

    @classmethod
    def of(
        cls,
        stimulus: Path,
        revision: str | None = None,
        configs: tuple[Path, ...] = (),
        *,
        allow_unknown: bool = False,
    ) -> "Replay":
        """What is not given here is what the stimulus names."""
        head = _head(stimulus)
        if not configs and "config" in head:
            configs = (stimulus.parent / head["config"],)
        return cls(stimulus, revision or head.get("revision", "v40"), configs, allow_unknown)

    def run(
        self, *flags: str, events: Path | None = None, capture: bool = True, label: str = ""
    ) -> tools.Answer:
        """Play with flags of wlk-opndcoll, against `events` when given."""
        with contextlib.ExitStack() as stack:
            words: list[object] = ["--revision", self.revision, "--name", self.stimulus, *flags]
            for config in self.configs:
                words += ["--config", config]
            words += ["--allow-unknown"] if self.allow_unknown else []
            if events is not None:
                words += ["--diff", stack.enter_context(_plain(events))]
            plain = stack.enter_context(_plain(self.stimulus))
            _require_command(plain, self.stimulus)
            words.append(plain)
            label = label or f"replaying {self.stimulus}"
            return tools.run("dpi/wlk-opndcoll", words, label=label, capture=capture)


@dataclass(frozen=True)
class Recording:
    """A stimulus and what the original made of it."""

    replay: Replay
    events: Path

    def check(self) -> tuple[Status, dict[str, Any]]:
        """Compare; the verdict, and the object that `opndcoll --diff --json` prints."""
        answer = self.replay.run(events=self.events)
        return Status(answer.code), json.loads(answer.output)


def recordings(place: Path) -> Iterator[Recording]:
    """Those below a folder whose names hold revision and options."""
    for path in folders.below(place):
        suffix = next((each for each in SUFFIXES if path.name.endswith(each)), None)
        if suffix and (recording := _recording(path, suffix)):
            yield recording


def _recording(path: Path, suffix: str) -> Recording | None:
    name = path.name.removesuffix(suffix)
    revision, options = (*name.split("-"), "")[:2]
    config = path.with_name(f"{options}.cfg")
    events = path.with_name(name + suffix.replace("stim", "events"))
    if events.is_file() and "config" in _head(path):
        return Recording(Replay.of(path), events)
    if revision not in REVISIONS or not config.is_file() or not events.is_file():
        return None
    return Recording(Replay(path, revision, (config,)), events)


def verdict(answer: dict[str, Any], stimulus: Path, events: Path) -> str:
    """What a comparison found, for a person."""
    if answer["verdict"] == "PASS":
        lines = f"{answer['lines']:,} lines of {answer['steps']:,} steps"
        left = ", ".join(answer.get("not_compared", ()))
        without = f"; not compared, since not in the recording: {left}" if left else ""
        cut = "; the recording has no end: the simulation was killed" if "cut" in answer else ""
        return f"{events}: {lines}, all identical{without}{cut}"
    if answer["verdict"] == "VACUOUS":
        return f"{events}: VACUOUS, no line of it was compared"
    return difference(answer, stimulus, events)


def difference(answer: dict[str, Any], stimulus: Path, events: Path) -> str:
    """The first line that differs."""
    lines = [
        f"{events}:{answer['line']}: the first line that differs",
        f"  expected  {answer.get('expected', '(the recording ends)')}",
        f"  got       {answer.get('got', '(the stimulus ends)')}",
    ]
    if answer["stimulus_line"]:
        lines.append(f"  stimulus  {stimulus}:{answer['stimulus_line']}")
    return "\n".join(lines)


def _require_command(plain: Path, stimulus: Path) -> None:
    """VACUOUS when there is nothing to play. That it cannot be read is reported by the program."""
    with contextlib.suppress(OSError), plain.open("rb") as file:
        if not any(line.strip() and not line.startswith(b"#") for line in file):
            raise WlkError(Status.VACUOUS, f"{stimulus}: no command in it; nothing was played")


def _head(stimulus: Path) -> dict[str, str]:
    """The first lines of a live recording, by their first word; of other stimulus nothing, and
    that it cannot be read is reported when it is played."""
    with contextlib.suppress(OSError, EOFError, lzma.LZMAError, UnicodeDecodeError):
        opened = lzma.open if stimulus.suffix == ".xz" else open
        with opened(stimulus, "rt", encoding="utf-8") as file:
            if file.readline(80).startswith("# warplock recording "):
                lines = itertools.takewhile(lambda line: line.startswith("# "), file)
                words = (line.rstrip("\n").split(" ", 2) for line in lines)
                return {word[1]: word[2] for word in words if len(word) == 3}
    return {}


@contextlib.contextmanager
def _plain(path: Path) -> Iterator[Path]:
    """The file itself, or what is packed in it in a file of its own."""
    if path.suffix != ".xz":
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="wlk-opndcoll-") as plain:
        _unpack(path, plain)
        plain.flush()
        yield Path(plain.name)


def _unpack(path: Path, to: Any) -> None:
    line = 1
    with csv.opened(path, lambda: f":{line}") as packed:
        while piece := packed.read1():  # read() would lose what stands before a bad end
            line += piece.count(b"\n")
            try:
                to.write(piece)
            except OSError as error:
                full = outputs.failure(error, to.name, "free some space or set TMPDIR")
                raise full from error
