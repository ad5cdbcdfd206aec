# SPDX-License-Identifier: Apache-2.0
"""Seeds of runs: the value of --seeds and of `seeds` in a settings file, and files of seeds."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from . import options, report
from .errors import Status, WlkError

USUAL = 5  # of seeds that are drawn
MOST = 10_000  # ranges, and seeds that are drawn
LONGEST = 100_000  # characters of a word on a command line; Linux takes 131,071
DRAWN = 2**31  # above those that are drawn: simulators take 31 bits
METAVAR = "A..B,...|random [N]|from FILE"
FORMS = "give A..B, a list such as 3,7..9, random N, or from FILE"


@dataclass(frozen=True)
class Seeds:
    """Seeds in ascending order, each once."""

    ranges: tuple[range, ...]  # with a gap between one and the next
    is_drawn: bool = False  # at random
    is_piped: bool = False  # from what can be read once

    @classmethod
    def of(cls, given: Iterable[range], is_drawn: bool = False) -> Seeds:
        """Those of ranges, of which none is empty."""
        found: list[range] = []
        for each in sorted(given, key=lambda each: each.start):
            if found and each.start <= found[-1].stop:
                found[-1] = range(found[-1].start, max(found[-1].stop, each.stop))
            else:
                found.append(each)
        return cls(tuple(found), is_drawn)

    @classmethod
    def one(cls, seed: int) -> Seeds:
        """One seed."""
        return cls((range(seed, seed + 1),))

    def __iter__(self) -> Iterator[int]:
        return (seed for each in self.ranges for seed in each)

    def __str__(self) -> str:
        """As --seeds takes them."""
        return ",".join(f"{r[0]}..{r[-1]}" if r[-1] > r[0] else f"{r[0]}" for r in self.ranges)

    @property
    def count(self) -> int:
        """How many there are; len() would be too large for Python."""
        return sum(each.stop - each.start for each in self.ranges)

    @property
    def first(self) -> int:
        return self.ranges[0][0]

    @property
    def last(self) -> int:
        return self.ranges[-1][-1]

    def upto(self, count: int) -> Seeds:
        """The first ones, so many."""
        found: list[range] = []
        for each in self.ranges:
            found.append(range(each.start, min(each.stop, each.start + count)))
            count -= found[-1].stop - found[-1].start
        return Seeds(tuple(filter(None, found)))

    def json(self) -> dict[str, Any]:
        """The first and the last one, and all of them where some between these are missing."""
        found: dict[str, Any] = {"seeds": [self.first, self.last]}
        return found | ({"all_seeds": str(self)} if len(self.ranges) > 1 else {})


def option(usual: range | None, shown: str = "") -> Any:
    """The option --seeds. Without a usual range, the default is None; `shown`: in the help."""
    shown = shown or f"{usual[0]}..{usual[-1]}"
    text = f"seeds: numbers and ranges, both ends included (default: {shown}); N random ones "
    text += f"(default: {USUAL}), which are printed; or those in a file"
    default = Seeds.of([usual]) if usual is not None else None
    return options.option(default, text, type=parse, metavar=METAVAR)


def parse(text: str, folder: Path = Path()) -> Seeds:
    """`3,7,20..29`, `random`, `random N` or `from FILE`, a file in `folder`."""
    word, _, rest = text.strip().partition(" ")
    if word == "random":
        return _draw(options.number(1, MOST)(rest) if rest else USUAL)
    if word == "from":
        if not rest:
            raise argparse.ArgumentTypeError("from: which file? give --seeds from FILE")
        return read(folder / rest.strip())
    try:
        return _listed([options.span(each.strip()) for each in text.split(",")], text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}; {FORMS}") from None


def _listed(found: Sequence[range], where: str) -> Seeds:
    seeds = Seeds.of(found)
    if len(seeds.ranges) > MOST:
        message = f"{where[:40]}: more than {MOST:,} ranges; take fewer, or several runs"
        raise argparse.ArgumentTypeError(message)
    return seeds


def _draw(count: int) -> Seeds:
    import random  # which most commands do not need

    drawn = random.SystemRandom().sample(range(1, DRAWN), count)
    return Seeds.of((range(each, each + 1) for each in drawn), is_drawn=True)


def read(path: Path) -> Seeds:
    """The seeds in a file: a number or a range in each line, and comments after #."""
    try:
        is_piped = not path.is_file()
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        message = f"--seeds from {path}: {error.strerror}; name a file of seeds"
        raise WlkError(Status.NO_FILE, message) from error
    except UnicodeDecodeError as error:
        raise WlkError(Status.USAGE, f"--seeds from {path}: it is no text in UTF-8") from error
    found = []
    for number, line in enumerate(lines, 1):
        if text := line.partition("#")[0].strip():
            try:
                found.append(options.span(text))
            except argparse.ArgumentTypeError as error:
                message = f"{path}:{number}: {error}; write a seed, or a range A..B"
                raise WlkError(Status.USAGE, message) from error
    if not found:
        raise WlkError(Status.USAGE, f"{path}: has no seed; write a seed or a range A..B in a line")
    try:
        return replace(_listed(found, str(path)), is_piped=is_piped)
    except argparse.ArgumentTypeError as error:
        raise WlkError(Status.USAGE, str(error)) from error


def kept(text: str, where: str, folder: Path, status: Status = Status.USAGE) -> Seeds:
    """Those of a key of a file, which must be the same each time. `where`: for the message."""
    try:
        found = parse(text, folder)
    except argparse.ArgumentTypeError as error:
        raise WlkError(status, f"{where}: {error}") from error
    if found.is_piped:
        raise WlkError(status, f"{where}: a pipe can be read once; name a file of seeds")
    if found.is_drawn:
        message = f"{where}: random ones differ each time, and answers are kept by their seeds"
        raise WlkError(status, f"{message}; give --seeds random with the command")
    return found


def announce(asked: Any) -> None:
    """Print the seeds that were drawn for a command, whose words then repeat the run."""
    seeds = getattr(asked, "seeds", None)
    if not (isinstance(seeds, Seeds) and seeds.is_drawn):
        return
    print(f"random seeds; repeat with --seeds {seeds}", file=sys.stderr, flush=True)
    if asked.json:
        report.json_line({"random_seeds": str(seeds)})
    _write(asked, seeds)


def settle(asked: Any) -> None:
    """Put seeds that were read from a pipe into the words of a command, which may start again."""
    seeds = getattr(asked, "seeds", None)
    if not (isinstance(seeds, Seeds) and seeds.is_piped):
        return
    if len(str(seeds)) > LONGEST:
        message = f"--seeds from a pipe: more than {LONGEST:,} characters; name a file of seeds"
        raise WlkError(Status.USAGE, message)
    _write(asked, seeds)


def _write(asked: Any, seeds: Seeds) -> None:
    """Make the words of a command name the seeds themselves."""
    words = options.joined(asked.words)
    pairs = zip(["", *words], words, strict=False)
    kept = [word for before, word in pairs if "--seeds" not in (before, word.partition("=")[0])]
    asked.words = [*kept, "--seeds", str(seeds)]
