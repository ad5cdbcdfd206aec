# SPDX-License-Identifier: Apache-2.0
"""The built programs, for tests in Python, and the recordings."""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from wlk import build

ROOT = Path(__file__).resolve().parents[1]


@functools.cache
def folder() -> Path:
    """The build folder (WARPLOCK_BUILD says which), up to date."""
    return build.meson_build()


def run(
    program: str, *words: object, stdin: str | None = None, **options: object
) -> subprocess.CompletedProcess[str]:
    """Run a program of the build folder, e.g. "vectors/wlk-vec", and capture what it says."""
    command = [str(folder() / program), *map(str, words)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, **options)


def config_words(config: dict, skip: Sequence[str] = ()) -> list[str]:
    """`key=value` words; booleans as 0 and 1."""
    items = {k: int(v) if isinstance(v, bool) else v for k, v in config.items() if k not in skip}
    return [f"{key}={value}" for key, value in items.items()]


def recording(path: str) -> Path:
    """A recording, e.g. "muon/collector_A.csv.xz"; skips the test when it is not there."""
    traces = Path(os.environ.get("WLK_TRACES", ROOT.parent / "shared" / "traces"))
    if not (traces / path).is_file():
        pytest.skip(f"recording {path} not found under {traces}; set WLK_TRACES")
    return traces / path
