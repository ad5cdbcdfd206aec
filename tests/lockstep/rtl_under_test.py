# SPDX-License-Identifier: Apache-2.0
"""RTL to point `warplock` at, and runs of it, for the tests of this folder.

The RTL is written to places that stay the same, since builds are cached by path and content.
"""

import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from programs import Done, warplock
from wlk import tables
from wlk.base import setup
from wlk.base.errors import Status
from wlk.gen import composed, stubs

ROOT = setup.ROOT
PLACE = setup.BUILD / "test" / "rtl"
TABLE = tables.load("collector")
SHELL = f"{TABLE.module}.sv"
CORE = "duplicated_collector_core.sv"
BANK = "prf_bank.sv"
SMALL = {"num_lanes": 2, "num_pregs": 16, "coll_entries": 2}
# A fault that shows as soon as a write meets a reset.
READY = {CORE: ("assign writeReq_ready_o = 1'b1", "assign writeReq_ready_o = !rst_i")}
QUICK = ("--seeds", "1..2", "--cycles", "5000")
PINNED = ("--config", "coll_entries=2")  # which the ports leave open
FAILS = Status.FUNCTIONAL_MISMATCH


def run_lockstep(*words: object, block: str = TABLE.name, code: int | None = 0) -> Done:
    """`lockstep BLOCK --json`; reports go where nobody looks unless `--reports` is given."""
    place = [] if "--reports" in words else ["--reports", PLACE.parent / "reports"]
    return warplock("lockstep", block, "--json", *place, *words, code=code)


def run_rtl(place: Path, *words: object, block: str = TABLE.name, code: int | None = 0) -> Done:
    """A short run of this RTL."""
    return run_lockstep("--rtl", place, *QUICK, *words, block=block, code=code)


class Failure:
    """RTL that fails, run once, with what it left."""

    def __init__(self, rtl: Path, reports: Path, *words: object, code: int = FAILS) -> None:
        self.rtl = rtl
        self.done = run_lockstep("--rtl", rtl, *words, *PINNED, "--reports", reports, code=code)
        self.json = self.done.json
        (self.report,) = (reports / "latest").resolve().rglob("report.txt")
        self.text = self.report.read_text()
        self.stimulus = self.file("stimulus.wlv")

    @property
    def first(self) -> dict[str, Any]:
        return self.json["first"]

    def file(self, name: str) -> Path:
        return self.report.with_name(name)

    def check_wave(self, code: int | None) -> Done:
        words = ("check", self.file("wave.fst"), "--block", TABLE.name, *PINNED, "--json")
        return warplock(*words, code=code)


def info(vectors: Path) -> dict[str, Any]:
    """How a vector file was made."""
    return warplock("vectors", "info", vectors, "--json").json


def play(vectors: Path, *words: object, code: int | None = 0) -> dict[str, Any]:
    """The last of several objects: with `--rtl` it reports on the model first, then on the RTL."""
    return warplock("vectors", "play", vectors, *words, "--json", code=code).objects[-1]


def folder(name: str) -> Path:
    """An empty folder with a place that stays the same."""
    place = PLACE / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    return place


def stub(
    name: str,
    config: Mapping[str, Any] = SMALL,
    omit: Collection[str] = (),
    edit: Mapping[str, tuple[str, str]] | None = None,
    block: str = TABLE.name,
) -> Path:
    """A folder with the stub; `edit`: file -> (text that stands there once, what it becomes). Files
    of tests that run side by side may ask for the same one: what is there already stays."""
    table = tables.load(block)
    modules = composed.module_texts(table, table.config(config), omit)
    texts = {f"{module}.sv": text for module, text in modules.items()}
    texts |= {path.name: path.read_text(encoding="utf-8") for path in stubs.stub_files(table)}
    for file, (old, new) in (edit or {}).items():
        texts[file] = changed(texts[file], old, new, file)
    place = PLACE / name
    with setup.locked("test-stubs"):
        if _texts(place) != texts:
            folder(name)
            for file, text in texts.items():
                (place / file).write_text(text, encoding="utf-8")
    return place


def _texts(place: Path) -> dict[str, str]:
    files = place.iterdir() if place.is_dir() else ()
    return {p.name: p.read_text(encoding="utf-8") for p in files if p.is_file()}


def change(path: Path, old: str, new: str) -> None:
    """Replace a text that stands once in a file."""
    text = path.read_text(encoding="utf-8")
    path.write_text(changed(text, old, new, path), encoding="utf-8")


def changed(text: str, old: str, new: str, where: object) -> str:
    assert text.count(old) == 1, f"{where}: {text.count(old)} times: {old}"
    return text.replace(old, new)


def ports(config: Mapping[str, Any], *prefixes: str) -> list[str]:
    """Names of the ports that begin so."""
    return [p.name for p in TABLE.ports(TABLE.config(config)) if p.name.startswith(prefixes)]


def redeclare(path: Path, port: str, declaration: str | None) -> None:
    """Declare a port of the shell another way; None: it is no port any more, and 0 inside."""
    lines = path.read_text(encoding="utf-8").splitlines()
    end = lines.index(");")
    (at,) = [n for n in range(end) if lines[n].rstrip(",").endswith(f" {port}")]
    if declaration is None:
        lines.insert(end + 1, f"  wire {port} = '0;")
        del lines[at]
        lines[end - 2] = lines[end - 2].rstrip(",")
    else:
        lines[at] = f"    {declaration} {port}" + ("," if lines[at].endswith(",") else "")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
