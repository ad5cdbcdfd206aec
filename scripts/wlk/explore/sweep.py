# SPDX-License-Identifier: Apache-2.0
"""A sweep: points × parameters × workloads × seeds, from options and a sweep file."""

import functools
import hashlib
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import seeds, toml
from ..base.errors import Status, WlkError
from ..base.seeds import Seeds
from . import points, reference, workloads
from .points import Point
from .workloads import Workload

SEEDS, INSTRUCTIONS, MAX_CYCLES, IDLE = Seeds.of([range(1, 6)]), 8000, 0, 1000
MOST_POINTS, MOST_RUNS = 100_000, 1_000_000
KEYS = ("points", "workloads", "seeds", "instructions", "max_cycles", "idle", "set")
GROUPS: Mapping[str, Callable[[], Sequence[str]]] = {
    "all": points.named,
    "reference": reference.points,
}


@dataclass(frozen=True)
class Job:
    """One run: a point, a workload and a seed."""

    id: str
    point: Point
    workload: Workload
    seed: int

    @property
    def key(self) -> tuple[str, str, int]:
        return self.point.title, self.workload.title, self.seed


@dataclass(frozen=True)
class Sweep:
    """What is to be run."""

    points: Sequence[Point]
    workloads: Sequence[Workload]
    seeds: Seeds = SEEDS
    instructions: int = INSTRUCTIONS
    max_cycles: int = MAX_CYCLES
    idle: int = IDLE

    def jobs(self) -> Iterator[Job]:
        """All runs; a program, which has no dice, runs once."""
        for n, point in enumerate(self.points):
            for m, workload in enumerate(self.workloads):
                for seed in self.seeds if workload.is_stream else (1,):
                    yield Job(f"{n}.{m}.{seed}", point, workload, seed)

    def line(self, job: Job) -> str:
        """The runner's line of a job."""
        cells = [("id", job.id), ("config", job.point.words), *job.workload.cells]
        if job.workload.is_stream:
            cells.append(("instructions", str(self.instructions)))
        cells += [("seed", str(job.seed)), ("max_cycles", str(self.max_cycles))]
        cells.append(("idle", str(self.idle)))
        return "\t".join(f"{key}={value}" for key, value in cells) + "\n"

    @functools.cached_property
    def text(self) -> str:
        """All that the results rest on, as JSON."""
        whole = {
            "points": [[point.title, point.words] for point in self.points],
            "workloads": [[w.title, *map(list, w.cells), w.stamp] for w in self.workloads],
            **self.seeds.json(),
            "instructions": self.instructions,
            "max_cycles": self.max_cycles,
            "idle": self.idle,
        }
        return json.dumps(whole, separators=(",", ":"))

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class Asked:
    """What options say, and where they are silent a sweep file; texts as they were written."""

    points: Sequence[str] = ()
    workloads: Sequence[str] = ()
    sets: Mapping[str, str] = None
    seeds: Seeds | None = None
    instructions: int | None = None
    max_cycles: int | None = None
    idle: int | None = None


def make(asked: Asked, file: Path | None) -> Sweep:
    """The sweep that is asked for; errors name the option, or the file and its key."""
    found = _read(file) if file is not None else {}

    def chosen(key: str, given: Any, option: str) -> tuple[Any, str]:
        return (given, option) if given or key not in found else (found[key], f"{file}: {key}")

    texts, where = chosen("points", asked.points, "--point")
    sets, where_set = chosen("set", asked.sets, "--set")
    made = _expanded(_points(texts or ["all"], where), sets or {}, where_set)
    numbers = {
        key: getattr(asked, key) if getattr(asked, key) is not None else found.get(key, usual)
        for key, usual in (
            *(("seeds", SEEDS), ("instructions", INSTRUCTIONS)),
            *(("max_cycles", MAX_CYCLES), ("idle", IDLE)),
        )
    }
    texts, where = chosen("workloads", asked.workloads, "--workload")
    usual = points.space()["usual"]
    texts = texts or [*usual["kernels"], *usual["streams"]]
    folder = Path.cwd() if where == "--workload" else file.parent
    loads = [workloads.parse(text, where, folder) for text in texts]
    return _bounded(Sweep(made, list({load.title: load for load in loads}.values()), **numbers))


def _bounded(sweep: Sweep) -> Sweep:
    """USAGE for a sweep that nobody would see the end of."""
    runs = len(sweep.points) * sum(
        sweep.seeds.count if each.is_stream else 1 for each in sweep.workloads
    )
    if runs > MOST_RUNS:
        how = "take fewer seeds, points or workloads, or several sweeps"
        raise WlkError(Status.USAGE, f"{runs:,} runs; a sweep has at most {MOST_RUNS:,}: {how}")
    return sweep


def _points(texts: Sequence[str], where: str) -> list[Point]:
    names = [name for text in texts for name in (GROUPS[text]() if text in GROUPS else [text])]
    return [points.parse(name, where) for name in names]


def _expanded(made: Sequence[Point], sets: Mapping[str, Any], where: str) -> list[Point]:
    """The cross product; what is the same configuration stands once, by its first title."""
    lists = [
        [(key, value) for value in values_of(key, text, f"{where} {key}")]
        for key, text in sets.items()
    ]
    sizes = [len(made), *map(len, lists)]
    if math.prod(sizes) > MOST_POINTS:
        product = f"{' x '.join(map(str, sizes))} = {math.prod(sizes):,} points"
        message = f"{where}: {product}; a sweep has at most {MOST_POINTS:,}: take fewer values"
        raise WlkError(Status.USAGE, f"{message} or --point, or several sweeps")
    found: dict[tuple[int, ...], Point] = {}
    for point in made:
        for chosen in itertools.product(*lists):
            each = functools.reduce(lambda p, kv: p.changed(*kv, where), chosen, point)
            found.setdefault(tuple(each.values.values()), each)
    titles = {}
    return [titles.setdefault(each.title, each) for each in found.values()]


def values_of(key: str, text: Any, where: str) -> list[str]:
    """The values of a parameter: `1,2,4`, `1..8` (of these the legal ones), names, or a list."""
    words = text if isinstance(text, list) else str(text).split(",")
    found: list[str] = []
    for word in map(str, words):
        span = re.fullmatch(r"(\d+)\.\.(\d+)", word.strip())
        if span and key in points.params():
            low, high = map(int, span.groups())
            legal = [str(v) for v in points.params()[key].legal if low <= v <= high]
            if points.params()[key].names or not legal:
                points.parse_value(key, word, where)  # raises
            found += legal
        else:
            value = points.parse_value(key, word.strip(), where)
            found.append(points.params()[key].show(value))
    return list(dict.fromkeys(found))


# ---- sweep files --------------------------------------------------------------------------------


def _read(file: Path) -> dict[str, Any]:
    """A sweep file, its values of the types that they must have."""
    try:
        raw = toml.load(file)
    except OSError as error:
        message = f"cannot read the sweep file {file}: {error.strerror}; give the path of one"
        raise WlkError(Status.NO_FILE, message) from error
    except toml.BadTomlError as error:
        raise WlkError(Status.BAD_CONFIG, f"{file}: is no TOML: {error}; mend it") from error
    for key in raw:
        if key not in KEYS:
            message = f"{file}: there is no key '{key}'; there are {', '.join(KEYS)}"
            raise WlkError(Status.BAD_CONFIG, message)
    return {key: _typed(key, value, f"{file}: {key}", file.parent) for key, value in raw.items()}


def _typed(key: str, value: Any, where: str, folder: Path) -> Any:
    """A value of a sweep file; BAD_CONFIG when it is of another kind."""
    if key in ("points", "workloads"):
        texts = [value] if isinstance(value, str) else value
        if not (isinstance(texts, list) and texts and all(isinstance(t, str) for t in texts)):
            raise WlkError(Status.BAD_CONFIG, f'{where}: give a list of texts, ["...", ...]')
        return texts
    if key == "set":
        if not isinstance(value, dict):
            raise WlkError(Status.BAD_CONFIG, f"{where}: give a table: [set], then KEY = VALUES")
        return value
    if key == "seeds":
        return seeds.kept(str(value), where, folder, Status.BAD_CONFIG)
    low = 1 if key in ("instructions", "idle") else 0
    if type(value) is not int or value < low:
        raise WlkError(Status.BAD_CONFIG, f"{where}: {value!r}: give a number, {low} or more")
    return value
