# SPDX-License-Identifier: Apache-2.0
"""The files that name the version agree."""

import datetime

import pytest
from wlk.base import installed
from wlk.base.setup import ROOT
from wlk.gen import release

CHANGELOG = """# Changelog

| interface | 1.1 | 1.2 |
|---|---|---|
| command line | 1 | 2 |

## 1.2.0 (2026-02-28)

- A change.

## 1.1.0

- First version.
"""
PAGE = "```cmake\nfind_package(warplock 1.2 REQUIRED)\n```\n"


def test_versions_of_the_checkout_agree():
    assert list(release.contradictions(ROOT, installed.version(), dated=False)) == []


@pytest.fixture
def said(tmp_path):
    """What is wrong with files in which a text is another, as version 1.2.0."""

    def say(old="", new="", *, dated=True):
        (tmp_path / "docs/deep").mkdir(parents=True)
        assert old in CHANGELOG + PAGE
        (tmp_path / "CHANGELOG.md").write_text(CHANGELOG.replace(old, new) if old else CHANGELOG)
        (tmp_path / "docs/deep/page.md").write_text(PAGE.replace(old, new) if old else PAGE)
        return list(release.contradictions(tmp_path, "1.2.0", dated=dated))

    return say


def test_files_that_agree_are_taken(said):
    assert said() == []


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        (" | 1.2 |", " |", "CHANGELOG.md:3: the last column is 1.1; add one of 1.2"),
        ("| 1.2 |", "| 1.2 | 1.3 |", "CHANGELOG.md:3: the last column is 1.3; add one of 1.2"),
        (
            "| interface |",
            "| what |",
            "CHANGELOG.md: has no table that begins with `| interface |`",
        ),
        ("## 1.2.0", "## 1.2.1", "CHANGELOG.md:7: the first section is of 1.2.1, and meson.build"),
        ("## ", "### ", "CHANGELOG.md: has no section `## 1.2.0"),
        (" (2026-02-28)", "", "CHANGELOG.md:7: 1.2.0 has no date; write (YEAR-MONTH-DAY)"),
        ("2026-02-28", "unreleased", "CHANGELOG.md:7: 1.2.0 has no date"),
        ("2026-02-28", "2026-02-29", "CHANGELOG.md:7: 1.2.0 has no date"),
        ("2026-02-28", "20260228", "CHANGELOG.md:7: 1.2.0 has no date"),
        ("- A change.\n", "", "CHANGELOG.md:7: the section names no change"),
        ("## 1.1.0", "## 1.1.0 (unreleased)", "CHANGELOG.md:11: 1.1.0 has no date"),
        ("warplock 1.2 ", "warplock 1.1 ", "docs/deep/page.md:2: find_package asks for 1.1"),
        ("warplock 1.2 ", "warplock 1.2.0 ", "docs/deep/page.md:2: find_package asks for 1.2.0"),
    ],
)
def test_what_contradicts_is_named(said, old, new, answer):
    (line,) = said(old, new)
    assert line.startswith(answer)


def test_section_may_be_without_a_date_until_the_release(said):
    assert said("2026-02-28", "unreleased", dated=False) == []


def test_section_with_a_wrong_date_is_refused_before_the_release(said):
    (line,) = said("2026-02-28", "soon", dated=False)
    assert "1.2.0 has no date" in line


def test_date_of_today_is_one(said):
    assert said("2026-02-28", datetime.date.today().isoformat()) == []
