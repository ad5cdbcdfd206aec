# SPDX-License-Identifier: Apache-2.0
"""A reader in Python under the fuzzer: readers.py NAME [options of libFuzzer] [FILE...]

Anything but a WlkError is a failure. What a reader does here is what its command does before work;
it imports what it needs itself, since to instrument all of the command takes long.
"""

import contextlib
import functools
import importlib
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
from typing import Any

import atheris
import trees

with atheris.instrument_imports(include=["wlk"]):
    from wlk import tables
    from wlk.base.errors import WlkError

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts"
SHM = "/dev/shm" if Path("/dev/shm").is_dir() else None
SCRATCH = Path(tempfile.mkdtemp(prefix="fuzz-", dir=SHM))
COMMIT = "0" * 40
KEPT = (
    *(
        "wlk.base.database",
        "wlk.base.entries",
        "wlk.base.shape",
        "wlk.explore.store",
        "wlk.run.cover_store",
    ),
    *("wlk.run.cover_view", "wlk.run.coverage"),
    *(f"wlk.regress.{name}" for name in ("page", "regress", "store", "summary")),
)
PACKAGE = tuple(
    f"warplock.{name}"
    for name in ("checker", "instance", "library", "model", "records", "vectors", "wlk.base.shape")
)
HEADERS = ("wlk.base", "wlk.run.vectors", "wlk.tables")
SETTINGS = ("wlk.base", "wlk.regress.settings", "wlk.run.own_blocks")
RECORDED = ("wlk.fit.csv", "wlk.fit.match", "wlk.run.opndcoll_replay", "wlk.run.recordings")


@dataclass(frozen=True)
class Reader:
    """What is called with a file, and how the file is changed."""

    read: Callable[[Path], object]
    mutate: trees.Mutation
    name: str  # of the file
    parts: tuple[str, ...] = ()  # modules that are instrumented, which takes long; none: all


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
    from wlk.fit import interfaces, mapped, mapped_scope, match, portmap, wave

    told = portmap.read(path)
    signals = {"clk": (1, 1), "rst_n": (1, 2), "flags": (8, 3), "rd_preg": (64, 4)}
    scope = wave.Scope("TOP.x", None, signals)
    table = tables.load("collector")
    for named in ([], ["TOP.x"]):
        with contextlib.suppress(WlkError):
            mapped_scope.views([scope], table, told, config={}, named=named, dump="dump")
    ports = mapped.leaves(_mapped_module(), table, told)
    found = match.match(table, ports.shapes, told.config)
    interfaces.pins(found, ports.parts)
    ports.notes()


@functools.cache
def _mapped_module() -> object:
    """RTL of other names, for a map."""
    from wlk.fit import rtl

    return rtl.load([SCRIPTS.parent / "tests" / "lockstep" / "mapped_collector.sv"]).find("opc")


def _waivers(path: Path) -> None:
    from wlk.fit import waivers

    found = waivers.read([path])
    subjects = [(t := tables.load(name), t.config({})) for name in ("compactor", "scoreboard")]
    found.require(subjects)
    for words in found.words(subjects):
        _require_whole(words.split(" ")[4:])
    found.json()


def _require_whole(words: list[str]) -> None:
    """That dpi/src/waivers.c takes the words of a condition: is_whole, and its numbers."""
    values = most = 0
    for word in words:
        if word == "!" or word[0] == "~":
            assert values >= 1
            assert word == "!" or 1 <= int(word[1:]) <= 64
        elif word[0].isalnum():
            values += 1
            assert not word[0].isdigit() or int(word, 0) < 1 << 64
        else:
            assert values >= 2
            values -= 1
        most = max(most, values)
    if words and (values != 1 or most > 256):
        raise RuntimeError(f"{values} values are left of {words}, {most} at most")


def _settings(path: Path) -> None:
    from wlk.regress import settings
    from wlk.run import own_blocks

    with contextlib.suppress(WlkError):
        own_blocks._of_settings(path)

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
    from wlk.base.seeds import Seeds
    from wlk.explore import show, store, summary, sweep

    asked = sweep.make(sweep.Asked(["src"], ["mixed"], seeds=Seeds.one(1)), None)
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

    with dump.plain(str(path)) as plain:
        program = build.folder("fuzz") / "dpi" / "wlk-check"  # with ASan and UBSan
        done = subprocess.run([program, "verify", plain], capture_output=True, check=False)
        if done.returncode < 0 or not (done.returncode == 0) == (not done.stderr):
            raise RuntimeError(f"wlk-check ended with {done.returncode}: {done.stderr!r}")


def _of(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported with its first call."""
    return lambda *given: getattr(importlib.import_module(module), name)(*given)


_kept, _packed, _sources = (
    functools.partial(_of, module) for module in ("kept", "packed", "sources")
)
READERS = {
    "tables": Reader(_table, trees.toml, "compactor.toml"),
    "maps": Reader(_map, trees.toml, "map.toml"),
    "waivers": Reader(_waivers, trees.waivers, "waivers.toml"),
    "settings": Reader(_settings, trees.toml, "warplock.toml", SETTINGS),
    "sweeps": Reader(_sweep, trees.toml, "sweep.toml"),
    "faults": Reader(_faults, trees.toml, "faults.toml", ("wlk.run.mutate", "wlk.base")),
    "coverage": Reader(_coverage, trees.database, "a.cover", KEPT),
    "explore": Reader(_sweep_database, trees.database, "a.sqlite", ("wlk.base", "wlk.explore")),
    "regress": Reader(_regress, trees.database, "regress.sqlite", KEPT),
    "versions": Reader(_kept("version"), trees.sql, "a.sql", KEPT),
    "answers": Reader(_kept("answers"), trees.text_json, "a.json", KEPT),
    "packed": Reader(_packed("recording"), _packed("repacked"), "a.csv.xz", RECORDED),
    "package": Reader(
        _packed("package"),
        _packed("other_header"),
        "a.wlv",
        ("warplock.model", "warplock.records", "warplock.vectors", "warplock.instance"),
    ),
    "headers": Reader(_header, trees.text_json, "a.wlv", HEADERS),
    "csv": Reader(_rows, trees.lines, "a.csv"),
    "lists": Reader(_sources("listed"), _sources("other_list"), "list.f", ("wlk.fit.rtl",)),
    "rtl": Reader(_sources("rtl"), _sources("tokens"), "a.sv", ("wlk.fit",)),
    "dumps": Reader(_dump, trees.lines, "a.fst"),
}


def _left_out(parts: tuple[str, ...]) -> list[str]:
    """The modules of the command and of the package that are not instrumented."""
    files = [path for top in ("wlk", "python/warplock") for path in (SCRIPTS / top).rglob("*.py")]
    names = [".".join(path.relative_to(SCRIPTS).with_suffix("").parts) for path in files]
    names = [name.removeprefix("python.").removesuffix(".__init__") for name in names]
    names += [f"warplock.{name}" for name in names if name.startswith("wlk")]
    return [name for name in names if parts and not name.startswith(parts)]


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
    with atheris.instrument_imports(["wlk", "warplock"], _left_out(reader.parts)):
        one(b"")
    atheris.Setup([sys.argv[0], *sys.argv[2:]], one, custom_mutator=mutated)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
