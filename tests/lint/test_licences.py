# SPDX-License-Identifier: Apache-2.0
"""Each file of the checkout names its licence, itself or in REUSE.toml."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = "Apache-2.0"
TAG = b"-".join([b"SPDX", b"License", b"Identifier"])  # in parts, so that REUSE does not see it
MARK = re.compile(TAG + rb": *(.*?) *(?:\*/|#\}|\n|\Z)")
ALL, *LISTED = tomllib.loads((ROOT / "REUSE.toml").read_text(encoding="utf-8"))["annotations"]
MIXED = {"docs/images/failure.svg": "Apache-2.0 AND MIT"}  # what holds somebody else's work


def tracked() -> list[str]:
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    paths = [(name, ROOT / name) for name in names.split("\0") if name]  # a link has no text
    return [name for name, path in paths if path.is_file() and not path.is_symlink()]


def fits(pattern: str, name: str) -> bool:
    """REUSE's patterns: ** is anything, * anything but a slash."""
    parts = (re.escape(part).replace(r"\*", "[^/]*") for part in pattern.split("**"))
    return re.fullmatch(".*".join(parts), name) is not None


def patterns(annotation: dict) -> list[str]:
    path = annotation["path"]
    return path if isinstance(path, list) else [path]


def wrong(name: str, data: bytes) -> str:
    """What is the matter with the licence of a file; '' if nothing is."""
    marks = [mark.decode() for mark in MARK.findall(data)]
    if name == "LICENSE":
        return "" if data.split()[:4] == b"Apache License Version 2.0,".split() else "other text"
    if any(mark != OURS for mark in marks):
        return f"is under {marks}"
    if any(fits(each, name) for annotation in LISTED for each in patterns(annotation)):
        return ""
    first = b"\n".join(data.split(b"\n")[:3])
    return "" if MARK.search(first) else "has no SPDX line at its head; REUSE.toml lists it not"


def test_each_file_has_its_licence():
    names = tracked()
    assert len(names) > 800
    answers = {name: wrong(name, (ROOT / name).read_bytes()) for name in names}
    assert {name: answer for name, answer in answers.items() if answer} == {}


def test_list_has_nothing_that_is_gone_or_needs_no_place_there():
    names = tracked()
    for annotation in LISTED:
        for pattern in patterns(annotation):
            found = [name for name in names if fits(pattern, name)]
            assert found, pattern
            marked = [n for n in found if MARK.search((ROOT / n).read_bytes()[:200])]
            assert marked == [], f"{pattern}: names its licence itself"


def test_copyright_and_licences_that_are_listed():
    assert patterns(ALL) == ["**"]
    for annotation in (ALL, *LISTED):
        names = patterns(annotation)
        assert annotation[TAG.decode()] == MIXED.get(names[0], OURS)
        assert annotation["SPDX-FileCopyrightText"]
        assert annotation["precedence"] == "closest"  # a file's own line counts more


def test_builds_name_the_same_licence():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == OURS
    assert f"license: '{OURS}'" in (ROOT / "meson.build").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "data", "answer"),
    [
        ("a.c", b"/* TAG: Apache-2.0 */\n", ""),
        ("a.html", b"{# TAG: Apache-2.0 #}\n", ""),
        ("a.py", b"#!/bin/sh\n# TAG: Apache-2.0", ""),
        ("a.py", b"x = 1\n", "no SPDX line"),
        ("a.py", b"1\n2\n3\n# TAG: Apache-2.0\n", "no SPDX line"),
        ("a.py", b"# TAG: GPL-2.0-only\n", "GPL-2.0-only"),
        ("docs/a/b.md", b"# Head\n", ""),
        ("docs/images/a/b.png", b"", "no SPDX line"),
        ("vectors/golden/a.wlv", b"", ""),
        ("LICENSE", b"MIT License\n", "other text"),
    ],
)
def test_what_is_wrong_is_seen(name, data, answer):
    found = wrong(name, data.replace(b"TAG", TAG))
    assert bool(found) == bool(answer) and answer in found
