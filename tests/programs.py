# SPDX-License-Identifier: Apache-2.0
"""The built programs, for tests in Python, and the recordings."""

from __future__ import annotations

import functools
import os
import random
import subprocess
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from wlk import tables
from wlk.run import build

ROOT = Path(__file__).resolve().parents[1]
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


def config_words(config: dict, skip: Sequence[str] = ()) -> list[str]:
    """`key=value` words; booleans as 0 and 1."""
    items = {k: int(v) if isinstance(v, bool) else v for k, v in config.items() if k not in skip}
    return [f"{key}={value}" for key, value in items.items()]


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

    @property
    def path(self) -> Path:
        return recording(f"muon/{self.name}.csv.xz")


def recordings(*blocks: str) -> list[Recording]:
    """Those of recordings.toml, of all blocks or of these."""
    found = []
    for name, row in tomllib.loads((ROOT / "tests/recordings.toml").read_text("utf-8")).items():
        block, zero, masked = name.rpartition("_")[0], row.pop("zero", False), row.pop("masked")
        if not blocks or block in blocks:
            found.append(Recording(name, block, row, zero, masked))
    return found


def recording(path: str) -> Path:
    """A recording, e.g. "muon/collector_A.csv.xz"; skips the test when it is not there."""
    traces = Path(os.environ.get("WLK_TRACES", ROOT.parent / "shared" / "traces"))
    if not (traces / path).is_file():
        pytest.skip(f"recording {path} not found under {traces}; set WLK_TRACES")
    return traces / path
