# SPDX-License-Identifier: Apache-2.0
"""What tests in Python share: the command and the built programs, errors, the recordings."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import lzma
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from wlk import cli, tables
from wlk.base import setup
from wlk.base.errors import Status, WlkError
from wlk.run import build, verilate

ROOT = Path(__file__).resolve().parents[1]
WARPLOCK = ROOT / "scripts" / "warplock"
TRACES = Path(os.environ.get("WLK_TRACES", ROOT.parent / "shared" / "traces"))
# Which part of what is too much for one run, and whether to run all of it: `warplock test --full`.
SLICE = int(os.environ.get("WARPLOCK_SLICE") or 0)
FULL = bool(os.environ.get("WARPLOCK_FULL"))


def part(items: Iterable[Any], parts: int) -> list[Any]:
    """One of so many parts of a list, the SLICE-th in turn; all of it with `test --full`."""
    return list(items) if FULL else list(items)[SLICE % parts :: parts]


@functools.cache
def folder() -> Path:
    """The build folder (WARPLOCK_BUILD names it), up to date."""
    return build.meson_build(whole=True)


def run(
    program: str, *words: object, stdin: str | None = None, **options: object
) -> subprocess.CompletedProcess[str]:
    """Run a program of the build folder, e.g. "dpi/wlk-vec", and capture its output."""
    command = [str(folder() / program), *map(str, words)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, **options)


def copy_checkout(folder: Path) -> None:
    """The files of this checkout as they are now, without what it ignores, in another folder."""
    listing = ["git", "-C", ROOT, "ls-files", "-zco", "--exclude-standard"]
    for name in filter(None, subprocess.check_output(listing, text=True).split("\0")):
        if os.path.lexists(ROOT / name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name, follow_symlinks=False)


# ---- the command --------------------------------------------------------------------------------

# A line that a command shows on a busy machine, and not on another one.
PROGRESS = re.compile(r"^.*(?: \.\.\.  |waiting for another run).*\n?", re.MULTILINE)


@dataclass
class Done:
    """A command that has ended: exit code and output."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines() if line.startswith("{")]

    @property
    def json(self) -> dict[str, Any]:
        """Its only JSON object."""
        (only,) = self.objects
        return only

    @property
    def port(self) -> str:
        """Where it first differs."""
        return self.json["first"]["port"]

    @property
    def last(self) -> str:
        """The last line of stderr, which is that of an error."""
        return self.err.splitlines()[-1]

    @property
    def said(self) -> str:
        """Its stderr but for what tells that it still runs."""
        return PROGRESS.sub("", self.err)

    @property
    def line(self) -> str:
        """The only line of an error."""
        lines = self.said.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("warplock: ")
        return lines[0]

    def expect(self, code: int | None) -> Done:
        """The same, with this exit code; None: with any."""
        assert code in (None, self.code), f"{self.code}: {self.err}"
        assert "Traceback" not in self.err
        return self


def warplock(*words: object, code: int | None = 0) -> Done:
    """Run a command in this process, which must end with this code."""
    out, err = io.StringIO(), io.StringIO()
    before = signal.getsignal(signal.SIGTERM)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            ended = cli.main([str(words[0]), "--no-setup", *map(str, words[1:])])
    finally:
        signal.signal(signal.SIGTERM, before)
    return Done(ended, out.getvalue(), err.getvalue()).expect(code)


def make_venv(place: Path, names: Collection[str]) -> None:
    """An environment of Python with these packages of the project's own."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    (packages,) = (place / "lib").glob("python3*/site-packages")
    for source in setup.VENV.glob("lib/python3*/site-packages/*"):
        if source.name.partition("-")[0].lower() in names:
            (packages / source.name).symlink_to(source)


def python(*words: object, env: Mapping[str, object] | None = None, **popen: Any) -> Any:
    """A Python of its own, with these variables too."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        env=os.environ | {name: str(value) for name, value in (env or {}).items()},
        text=True,
        # pytest may itself run in the background of a shell, where Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **(pipes | popen),
    )


def started(*words: object, **options: Any) -> Any:
    """A command as a person types it, but with this Python."""
    return python(WARPLOCK, *words, **options)


def typed(*words: object, code: int | None = 0, cwd: Path | None = None, **env: object) -> Done:
    """Run a command as a person types it, with these variables; it must end with this code."""
    process = started(*words, env=env, cwd=cwd)
    out, err = process.communicate(timeout=600)
    return Done(process.returncode, out, err).expect(code)


def simulation(place: Path, top: str, *sources: object, tool: verilate.Tool | None = None) -> Path:
    """The program that Verilator makes of these files, as a user calls it."""
    tool = tool or verilate.find_tool("system")
    unoptimized = [f"OPT_{kind}=-O0" for kind in ("FAST", "SLOW", "GLOBAL")]
    command = [tool.program, "--binary", "--timing", "-Wno-fatal", "-Wno-lint"]
    command += ["-MAKEFLAGS", " ".join([*unoptimized, *tool.make_args])]
    if tool.is_packaged:  # configured without what coroutines need
        command += ["-CFLAGS", "-std=gnu++20 -fcoroutines"]
    command = [*map(str, [*command, "--top-module", top, "--Mdir", place, *sources])]
    done = subprocess.run(command, env=tool.environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return place / f"V{top}"


def refused(done: Done, status: Status, *parts: object) -> None:
    """The exit code, one line that has all of `parts`, and nothing on stdout."""
    assert done.code == status, done.err
    assert [part for part in parts if str(part) not in done.line] == [], done.line
    assert done.out == ""


def wait_for(condition: Callable[[], Any], seconds: float = 20.0) -> None:
    """Poll until it holds."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, f"waited {seconds} s in vain"
        time.sleep(0.02)


@contextlib.contextmanager
def error(status: Status, *parts: object) -> Iterator[pytest.ExceptionInfo[WlkError]]:
    """What is done inside ends in an error of this status, whose line has all of `parts`."""
    with pytest.raises(WlkError) as caught:
        yield caught
    assert caught.value.status == status
    message = str(caught.value)
    assert "\n" not in message
    assert [part for part in parts if str(part) not in message] == [], message


# ---- configurations and recordings --------------------------------------------------------------


def config_words(config: dict, skip: Sequence[str] = ()) -> list[str]:
    """`key=value` words; booleans as 0 and 1."""
    items = {k: int(v) if isinstance(v, bool) else v for k, v in config.items() if k not in skip}
    return [f"{key}={value}" for key, value in items.items()]


def config_options(config: dict, skip: Sequence[str] = ()) -> list[str]:
    """The same as options of a command."""
    return [word for pair in config_words(config, skip) for word in ("--config", pair)]


def shapes(table: tables.Table, config: tables.Config) -> list[tuple[str, str, int]]:
    """The ports of a configuration, as they are read from RTL."""
    return [(p.name, p.direction, p.width) for p in table.ports(config)]


def header(path: Path) -> list[tuple[str, str, int]]:
    """The ports of a recording; none where it has no directions."""
    with lzma.open(path, "rt") as stream:
        names, kinds = (stream.readline().strip().split(",") for _ in range(2))
    if kinds[0] != "#dir":
        return []
    side = {"i": "in", "o": "out"}
    pairs = zip(names[1:], kinds[1:], strict=True)
    return [(name, side[kind[0]], int(kind[1:])) for name, kind in pairs]


def csv(ports: Mapping[str, str], rows: Iterable[Iterable[str]]) -> str:
    """A recording of these ports: name -> direction and width, as in "o32"."""
    lines = [["cycle", *ports], ["#dir", *ports.values()]]
    lines += [[str(cycle), *row] for cycle, row in enumerate(rows)]
    return "".join(",".join(line) + "\n" for line in lines)


def as_csv(records: list[dict], ports: Iterable[tables.Port], names: Container[str] = ()) -> str:
    """Records, as `vectors dump` prints them, as a recording: all columns, or of these names."""
    kinds = {p.name: f"{p.direction[0]}{p.width}" for p in ports if not names or p.name in names}
    values = [record["in"] | record["out"] for record in records]
    return csv(kinds, [[row[name] for name in kinds] for row in values])


def vcd(widths: Mapping[str, int], steps: Iterable[tuple[int, Mapping[str, int | str]]]) -> str:
    """A waveform of these signals: path -> width; what has which value from which time on."""
    codes = {path: f"s{number}" for number, path in enumerate(widths)}
    lines, inside = ["$timescale 1ns $end"], []
    for path, width in widths.items():
        *scopes, name = path.split(".")
        while inside != scopes[: len(inside)]:
            lines.append("$upscope $end")
            inside.pop()
        lines += [f"$scope module {scope} $end" for scope in scopes[len(inside) :]]
        inside = scopes
        lines.append(f"$var wire {width} {codes[path]} {name} $end")
    lines += ["$upscope $end" for _ in inside] + ["$enddefinitions $end"]
    for at, values in steps:
        lines.append(f"#{at}")
        for path, value in values.items():
            if path in codes:
                bits = value if isinstance(value, str) else f"{value:b}"
                lines.append(f"b{bits} {codes[path]}")
    return "\n".join(lines) + "\n"


def cells_of(lane: dict, letters: str) -> list[str]:
    """The text of each cycle of a lane of a drawn waveform, or its letter, one of these."""
    cells: list[str] = []
    data = iter(lane.get("data", []))
    for letter in lane["wave"]:
        assert letter in f"{letters}=.", f"{lane['name']}: '{letter}' is not understood"
        cells.append(cells[-1] if letter == "." else next(data) if letter == "=" else letter)
    assert not list(data), lane["name"]
    return cells


def parameters(table: tables.Table, config: tables.Config) -> list[str]:
    """The words of a configuration for a program that takes parameters alone."""
    return [word for word in table.words(config) if not word.startswith("members=")]


def random_config(
    table: tables.Table, dice: random.Random, values: Mapping[str, Sequence] | None = None
) -> tables.Config:
    """A legal configuration; `values`: of these parameters only these, the others by default."""
    while True:
        given = {
            key: dice.choice(values[key] if values else table.params[key].legal)
            for key in table.settings()
            if key in (values or table.params) and key in table.params
        }
        config = table.defaults() | {k: table.params[k].parse(v) if isinstance(v, str) else v
                                     for k, v in given.items()}  # fmt: skip
        for each in table.lists.values():
            config |= random_list(each, config, dice)
        if table.refusal(config) is None:
            return config


def random_list(
    each: tables.ListParam, config: tables.Config, dice: random.Random
) -> tables.Config:
    """Entries of a list: often with values that other parameters have, for these go together."""
    length = dice.randint(1, each.most)
    common = [value for name, value in config.items() if not name.startswith(f"{each.name}_")]
    found = {name: 0 for _, _, name in each.params()}
    for entry, item, name in each.params():
        if entry < length:
            liked = [value for value in common if value in item.legal]
            found[name] = dice.choice(liked if liked and dice.random() < 0.8 else item.legal)
    return found


class Recording(NamedTuple):
    """A recording of one of Muon's blocks; random power-up is 'unknown' to a model."""

    name: str
    block: str
    params: dict[str, int]
    zero: bool  # the real design powered up with zeros
    masked: int  # output bits that the spec leaves unknown from the first reset edge on
    unseen: int  # and those of them that the outputs of earlier cycles have not shown

    @property
    def path(self) -> Path:
        return recording(f"muon/{self.name}.csv.xz")


def recordings(*blocks: str) -> list[Recording]:
    """Those of recordings.toml, of all blocks or of these."""
    found = []
    for name, row in tomllib.loads((ROOT / "tests/recordings.toml").read_text("utf-8")).items():
        block, zero, masked = name.rpartition("_")[0], row.pop("zero", False), row.pop("masked")
        unseen = row.pop("unseen", masked)
        if not blocks or block in blocks:
            found.append(Recording(name, block, row, zero, masked, unseen))
    return found


def recording(path: str) -> Path:
    """A recording, e.g. "muon/collector_A.csv.xz"; skips the test when it is not there."""
    if not (TRACES / path).is_file():
        pytest.skip(f"recording {path} not found under {TRACES}; set WLK_TRACES")
    return TRACES / path


# Recordings of GPGPU-Sim's collector, gpgpusim/NAME.stim.xz: revision, options, profile.
OPNDCOLL = [
    f"{revision}-{config}-{profile}"
    for revision, configs, profiles in (
        ("v40", ("gtx480", "kepler", "qv100", "titanv"), ("conflict", "core", "mixed", "writes")),
        ("v42", ("kepler", "qv100"), ("conflict", "core")),
        ("v32", ("gtx480",), ("conflict", "core")),
    )
    for config in configs
    for profile in profiles
]
