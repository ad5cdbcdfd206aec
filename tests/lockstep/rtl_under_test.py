# SPDX-License-Identifier: Apache-2.0
"""RTL to point `warplock` at, and the command itself, for the tests of this folder.

The RTL is written to places that stay the same, since builds are cached by path and content.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wlk import cli, tables
from wlk.base import setup
from wlk.gen import composed, stubs

ROOT = setup.ROOT
PLACE = setup.BUILD / "test" / "rtl"
TABLE = tables.load("collector")
SHELL = f"{TABLE.module}.sv"
CORE = "duplicated_collector_core.sv"
BANK = "prf_bank.sv"
SMALL = {"num_lanes": 2, "num_pregs": 16, "coll_entries": 2}
QUICK = ("--seeds", "1..2", "--cycles", "5000")


@dataclass
class Done:
    """A command that has ended: exit code and output."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Its only JSON object."""
        (line,) = [line for line in self.out.splitlines() if line.startswith("{")]
        return json.loads(line)

    @property
    def line(self) -> str:
        """The only line of an error."""
        progress = re.compile(r"waiting for another run| \.\.\.  ")  # on a busy machine
        lines = [x for x in self.err.splitlines() if not progress.search(x)]
        assert len(lines) == 1, self.err
        assert lines[0].startswith("warplock: ")
        return lines[0]


def warplock(*words: object) -> Done:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main([str(words[0]), "--no-setup", *map(str, words[1:])])
    return Done(code, out.getvalue(), err.getvalue())


def run_lockstep(*words: object, block: str = TABLE.name) -> Done:
    """`lockstep BLOCK --json`; reports go where nobody looks unless `--reports` is given."""
    place = [] if "--reports" in words else ["--reports", PLACE.parent / "reports"]
    return warplock("lockstep", block, "--json", *place, *words)


def process(*words: object, **options: Any) -> subprocess.Popen[str]:
    """Start the command as a user does."""
    environment = dict(os.environ) | {"WARPLOCK_NO_SETUP": "1"} | options.pop("env", {})
    command = [sys.executable, ROOT / "scripts" / "warplock", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.Popen(
        list(map(str, command)),
        env=environment,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's & ignores it
        **(pipes | options),
    )


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
        texts[file] = _changed(texts[file], old, new, file)
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
    path.write_text(_changed(text, old, new, path), encoding="utf-8")


def _changed(text: str, old: str, new: str, where: object) -> str:
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
