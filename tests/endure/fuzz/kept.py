# SPDX-License-Identifier: Apache-2.0
"""Databases of other versions, and what `regress` has kept of runs as JSON."""

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

from wlk.base import database
from wlk.base.errors import Status, WlkError
from wlk.base.seeds import Seeds
from wlk.explore import store as explore_store
from wlk.explore import sweep
from wlk.regress import git, page, regress, summary
from wlk.regress import store as regress_store
from wlk.run import cover_store

STEPS = 100_000  # of SQLite, of a statement
DENIED = {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_PRAGMA}
COMMIT, PARENT = "a" * 40, "b" * 40
COMMITS = (
    git.Commit(PARENT, "t", (), "Ann", "2026-01-01", "before"),
    git.Commit(COMMIT, "t", (PARENT,), "Ann", "2026-01-02", "behind"),
)


def made(script: str, path: Path) -> int | None:
    """A database by SQL, of which what is wrong is left out; its version."""
    path.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute("PRAGMA synchronous = OFF")
        base.execute("PRAGMA journal_mode = MEMORY")
        base.set_authorizer(lambda what, *_: what in DENIED)
        base.set_progress_handler(lambda: 1, STEPS)
        base.execute("BEGIN")
        for statement in script.split(";"):
            with contextlib.suppress(sqlite3.Error, ValueError):
                base.execute(statement.strip())
        with contextlib.suppress(sqlite3.Error):
            base.execute("COMMIT")
        base.text_factory = bytes
        with contextlib.suppress(sqlite3.Error):
            found = base.execute("SELECT * FROM about")
            names = [each[0] for each in found.description]  # SQL takes veRsion for version
            if "version" in names and (row := found.fetchone()):
                return row[names.index("version")]
        return None


def _coverage(path: Path) -> None:
    cover_store.read(path)
    space = cover_store.Space("x", "a=1", "", "d", (cover_store.Point("p", 1, "q"),))
    cover_store.add(path, {space: [cover_store.Run("k", "s", 1, 2, "zero", hits=(1,))]})


def _explore(path: Path) -> None:
    asked = sweep.make(sweep.Asked(["src"], ["mixed"], seeds=Seeds.one(1)), None)
    with explore_store.Store(path).opened(asked, "model", [("src", "c", 1.0, 2, 3)]) as base:
        base.done()
        base.rows()
        base.add([(next(asked.jobs()), {"status": "DONE"})])
        base.add_synth({"point": "src", "block": "collector"})


def _regress(path: Path) -> None:
    path.replace(path.parent / regress_store.NAME)
    with regress_store.Store(path.parent).opened() as base:
        base.failing()
        base.add("subject", **dict.fromkeys(regress_store.TABLES["subject"].split(), "x"))
        base.begin("fuzz", "a..b", {})


# How one opens it, with what option one chooses another, its version.
KINDS: dict[str, tuple[Callable[[Path], None], str, database.Kind]] = {
    "coverage": (_coverage, "--cover", cover_store.KIND),
    "explore": (_explore, "--db", explore_store._KIND),
    "regress": (_regress, "--store", regress_store._KIND),
}


def version(path: Path) -> None:
    """A database of any version is taken, or refused by name, field and remedy, and as it was."""
    script = path.read_text(encoding="utf-8", errors="replace")
    for name, (read, option, kind) in KINDS.items():
        place = path.with_name(f"{name}.sqlite")
        found = made(script, place)
        before = place.read_bytes()
        try:
            read(place)
            refused = None
        except WlkError as error:
            refused = error
        place = place if place.exists() else path.parent / regress_store.NAME
        if refused is None:
            if found not in (None, kind.version):
                raise RuntimeError(f"{name}: version {found!r} was taken")
            continue
        if place.name not in refused.message or option not in refused.message:
            raise RuntimeError(f"{name}: what, and what to do? {refused.message}")
        if isinstance(found, int) and found != kind.version:
            if refused.status != Status.BAD_VERSION or f"version {found} " not in refused.message:
                raise RuntimeError(f"{name}: version {found}: {refused.message}")
            if place.read_bytes() != before:
                raise RuntimeError(f"{name}: version {found} was changed")


# ---- answers ------------------------------------------------------------------------------------


def _store(folder: Path, rows: dict[str, object]) -> Iterator[regress_store.Store]:
    """A store with these texts of JSON in its rows."""
    with regress_store.Store(folder).opened() as base:
        for table in ("verdict", "result", "proof"):
            base._base.execute(f"DELETE FROM {table}")
        row = rows.get("row")
        told = row if isinstance(row, dict) else {}
        words = {k: told.get(k) for k in ("commit", "block", "config", "verdict", "settled_by")}
        words = {k: v if isinstance(v, str) else "x" for k, v in words.items()}
        seconds = told.get("seconds")
        values = [words["commit"], words["block"], words["config"], words["verdict"]]
        tail = (words["settled_by"], seconds if isinstance(seconds, float) else 0.5)
        add = "INSERT INTO {} VALUES ({})"
        every = ["a", *values, *tail, json.dumps(row)]
        base._base.execute(add.format("verdict", ", ".join("?" * 8)), every)
        answer = json.dumps(rows.get("answer"))
        every = ["a", "k", "x", "", COMMIT, "PASS", 0.5, answer]
        base._base.execute(add.format("result", ", ".join("?" * 8)), every)
        every = ["a", "o", "n", "PROVED", 0.5, json.dumps(rows.get("proof"))]
        base._base.execute(add.format("proof", ", ".join("?" * 6)), every)
        yield base, values


def answers(path: Path) -> None:
    """Verdicts that are known are shown in all ways; results are given to other commits."""
    try:
        told = json.loads(path.read_text(encoding="utf-8", errors="surrogateescape"))
        json.dumps(told, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return
    rows = told if isinstance(told, dict) else {}
    folder = path.with_name("answers")
    folder.mkdir(exist_ok=True)
    for base, values in _store(folder, rows):
        commit, block, config, _ = values
        with contextlib.suppress(WlkError):
            base.get("proof", asked="a", old="o", new="n")
        with contextlib.suppress(WlkError):
            result = base.get("result", asked="a", key="k", block="x", config="")
            case = SimpleNamespace(commit=COMMITS[0])
            notes = SimpleNamespace(_note=lambda *a: None)
            group = SimpleNamespace(result=result, module="m")
            regress.Work._note_result(notes, case, group)
        row = base.get("verdict", asked="a", commit_id=commit, block=block, config=config)
        shown = [json.loads(row["row"])]
        if commit in (COMMIT, PARENT) and block.split():  # as one asks for them
            _show(shown, path.with_name("page.html"))


def _show(rows: list[dict], place: Path) -> None:
    entry = regress.entry(rows[0])
    assert entry.message is not None
    regress._status(rows[0])
    summary.text(rows, COMMITS)
    summary.markdown(rows, COMMITS)
    summary.junit(rows, COMMITS)
    page.render(rows, COMMITS, place)
