# SPDX-License-Identifier: Apache-2.0
"""A reader in Python under the fuzzer: readers.py NAME [options of libFuzzer] [FILE...]

Anything but a WlkError is a failure. What a reader does here is what its command does before work;
it imports what it needs itself, since to instrument all of the command takes long.
"""

import contextlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import atheris
import trees

with atheris.instrument_imports(include=["wlk"]):
    from wlk import tables
    from wlk.base.errors import WlkError

SHM = "/dev/shm" if Path("/dev/shm").is_dir() else None
SCRATCH = Path(tempfile.mkdtemp(prefix="fuzz-", dir=SHM))
COMMIT = "0" * 40


@dataclass(frozen=True)
class Reader:
    """What is called with a file, and how the file is changed."""

    read: Callable[[Path], object]
    mutate: trees.Mutation
    name: str  # of the file


def _table(path: Path) -> None:
    from wlk.tables import read

    table = read._loaded.__wrapped__(path)
    for given in ({}, *table.configs.values()):
        with contextlib.suppress(WlkError):
            cfg = table.config(given)
            table.require(cfg)
            table.ports(cfg)
            table.layout(cfg)
            table.warnings(cfg)
    table.schema_hash()


def _map(path: Path) -> None:
    from wlk.fit import mapped_scope, portmap, wave

    told = portmap.read(path)
    signals = {"clk": (1, 1), "rst_n": (1, 2), "flags": (8, 3), "rd_preg": (64, 4)}
    scope = wave.Scope("TOP.x", None, signals)
    table = tables.load("collector")
    mapped_scope.views([scope], table, told, config={}, named=[], dump="dump")
    mapped_scope.views([scope], table, told, config={}, named=["TOP.x"], dump="dump")


def _waivers(path: Path) -> None:
    from wlk.fit import waivers

    found = waivers.read([path])
    subjects = [(t := tables.load(name), t.config({})) for name in ("compactor", "scoreboard")]
    found.require(subjects)
    found.words(subjects)
    found.json()


def _settings(path: Path) -> None:
    from wlk.regress import settings

    repository = SimpleNamespace(resolve=lambda name, what="": COMMIT, work_tree=None)
    settings.read(repository, path, {})


def _sweep(path: Path) -> None:
    from wlk.explore import sweep

    made = sweep.make(sweep.Asked(), path)
    next(map(made.line, made.jobs()), "")


def _faults(path: Path) -> None:
    from wlk.run import mutate

    mutate.fault_list = lambda block: path
    mutate.load("compactor")
    mutate.load("compactor", {})


def _coverage(path: Path) -> None:
    from wlk.run import cover_store, cover_view, coverage

    runs = cover_store.merged([cover_store.read(path)])
    asked = coverage.Coverage([path], rank=True, points=True)
    asked.groups = asked._chosen(cover_view.groups(runs))
    current = [group for group in asked.groups if not group.is_old]
    asked.ranks = {group.space: cover_view.rank(group.counted) for group in current}
    with contextlib.redirect_stdout(io.StringIO()):
        asked._print(runs)
        asked._print_json()


def _sweep_database(path: Path) -> None:
    from wlk.explore import show, store, summary, sweep

    asked = sweep.make(sweep.Asked(["src"], ["mixed"], seeds=range(1, 2)), None)
    with store.Store(path).opened(asked, "model", []) as base:
        base.done()
        found = summary.of(asked, base.rows(), base.rows("synth"))
        show.text(found)
        json.dumps([*show.objects(found)])


def _regress(path: Path) -> None:
    from wlk.regress import store

    with store.Store(path.parent).opened() as base:
        base.failing()
        base.get("subject", asked="a", tree="b", block="c")
        base.get("verdict", asked="a", commit_id="b", block="c", config="d")
        base.begin("fuzz", "a..b", {})


def _header(path: Path) -> None:
    from wlk.run import vectors

    text = path.read_text(encoding="utf-8", errors="replace").replace("\n", " ")
    answer = f'{{"in_words": 2, "out_words": 1, "cycles": 3, "header": {text}}}'
    vectors.tools = SimpleNamespace(run=lambda *a, **k: SimpleNamespace(output=answer))
    header = vectors.read_header(path)
    table = vectors.check_schema(header)
    vectors.check_config(header, table)
    vectors.check_model(header, table)
    header.json()


def _rows(path: Path) -> None:
    from wlk.fit import csv

    ports = csv.read_ports(path)
    name = ports[-1][0] if ports else ""
    for _ in ports and csv.split_lines(path, {"part": (name, 1)}, {"part": 2}):
        pass
    b"".join(csv.lines(path))


def _dump(path: Path) -> None:
    """What comes out of a waveform is one that wlk-check reads, or refuses."""
    from wlk.fit import dump
    from wlk.run import build

    with dump.as_fst(str(path)) as fst:
        program = build.folder() / "dpi" / "wlk-check"
        done = subprocess.run([program, "verify", fst], capture_output=True, check=False)
        if done.returncode < 0 or not (done.returncode == 0) == (not done.stderr):
            raise RuntimeError(f"wlk-check ended with {done.returncode}: {done.stderr!r}")


READERS = {
    "tables": Reader(_table, trees.toml, "compactor.toml"),
    "maps": Reader(_map, trees.toml, "map.toml"),
    "waivers": Reader(_waivers, trees.toml, "waivers.toml"),
    "settings": Reader(_settings, trees.toml, "warplock.toml"),
    "sweeps": Reader(_sweep, trees.toml, "sweep.toml"),
    "faults": Reader(_faults, trees.toml, "faults.toml"),
    "coverage": Reader(_coverage, trees.database, "a.cover"),
    "explore": Reader(_sweep_database, trees.database, "a.sqlite"),
    "regress": Reader(_regress, trees.database, "regress.sqlite"),
    "headers": Reader(_header, trees.text_json, "a.wlv"),
    "csv": Reader(_rows, trees.lines, "a.csv"),
    "dumps": Reader(_dump, trees.lines, "a.vcd"),
}


def main() -> None:
    reader = READERS[sys.argv[1]]
    place = SCRATCH / reader.name
    planted = os.environ.get("WARPLOCK_FUZZ_PLANT") == sys.argv[1]

    def one(data: bytes) -> None:
        place.write_bytes(data)
        try:
            reader.read(place)
        except WlkError as error:
            if planted and "version" in error.message:
                raise RuntimeError("planted") from error
            if not error.message.strip():
                raise

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        dice = random.Random(seed)
        if dice.randrange(3):
            with contextlib.suppress(Exception):
                return reader.mutate(data, dice)[:most]
        return atheris.Mutate(data, most)

    # A reader brings its modules with its first file: only these are instrumented.
    with atheris.instrument_imports(include=["wlk"]):
        one(b"")
    atheris.Setup([sys.argv[0], *sys.argv[2:]], one, custom_mutator=mutated)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
