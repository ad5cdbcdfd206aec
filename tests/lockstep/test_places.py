# SPDX-License-Identifier: Apache-2.0
"""Checkouts in places that make does not bear."""

import os
import shutil
import subprocess
from pathlib import Path

import programs
import pytest
from wlk.base import setup
from wlk.base.errors import Status
from wlk.run import verilate

PARTS = ("meson.build", "refmodel", "dpi", "rtl_stub", "vectors", "tests", "scripts")


def test_builds_lie_in_the_checkout(monkeypatch, tmp_path):
    monkeypatch.setattr(setup, "BUILD", tmp_path / "build")
    assert verilate.folder() == tmp_path / "build" / "rtl"


def test_builds_lie_in_the_cache_where_make_takes_the_place_for_several(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    places = []
    for name in ("a b", "a $b"):
        monkeypatch.setattr(setup, "BUILD", tmp_path / name)
        places.append(verilate.folder())
    assert len(set(places)) == 2
    assert all(place.is_relative_to(tmp_path / "cache" / "warplock") for place in places)


def test_no_place_to_build_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(setup, "BUILD", tmp_path / "a b")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "c d"))
    with programs.error(Status.BUILD_FAIL, setup.BUILD_VARIABLE):
        verilate.folder()


@pytest.mark.slow
def test_checkout_with_a_blank_and_a_dollar_in_its_name(tmp_path):
    place = tmp_path / "a $b"
    place.mkdir()
    for name in PARTS:
        source = setup.ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copyfile
        copy(source, place / name)
    programs.make_venv(place / "build" / "venv", ("pip", "pycparser"))
    command = [place / "scripts" / "warplock", "lockstep", "compactor", "--config", "three_to_two"]
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment.pop(setup.BUILD_VARIABLE, None)
    done = subprocess.run(
        [*command, "--seeds", "1", "--no-setup"],
        capture_output=True,
        text=True,
        env=environment,
        cwd=Path(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith("PASS")


def test_a_locale_that_is_not_there_is_nobodys_business(monkeypatch):
    """Verilator is a script of perl, which then prints a warning before all else."""
    monkeypatch.setenv("LC_ALL", "xx_XX.UTF-8")
    assert verilate.find_tool("system").root.is_dir()
