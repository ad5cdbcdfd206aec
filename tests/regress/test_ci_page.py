# SPDX-License-Identifier: Apache-2.0
"""The CI configurations of docs/regression.md: they are YAML, and what they type works, on a change
that is right and on one that is not."""

import os
import re
import subprocess

import pytest
from history import COMPACT, History, modules
from programs import ROOT
from wlk.base import installed

pytestmark = [pytest.mark.slow, pytest.mark.needs("git", "rtl", "page")]
PAGE = (ROOT / "docs" / "regression.md").read_text("utf-8")
SETTINGS = """\
rtl = ["rtl"]
seeds = "1"
cycles = 3000
proof_timeout = 0

[[block]]
name = "compactor"
configs = ["n=4 k=2"]
"""
FAULT = ("valid_o[j] = 1'b1;", "valid_o[j] = ready_i[j];")


def configurations():
    yaml = pytest.importorskip("yaml")
    part = PAGE.partition("\n## In your CI\n")[2].partition("\n## ")[0]
    github, gitlab = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", part, re.S))
    return github, gitlab


def typed_lines():
    """What the CI of each types in a shell, and in which folder the repository is; without the
    packages of a fresh image, and without the comment at the change."""
    github, gitlab = configurations()
    steps = github["jobs"]["regress"]["steps"]
    runs = [step["run"] for step in steps if "run" in step and not step["run"].startswith("gh ")]
    script = [line for line in gitlab["warplock"]["script"] if not line.startswith("apt-get ")]
    return {"github": (runs, "chip"), "gitlab": (script, ".")}


@pytest.fixture
def warplock(tmp_path):
    """A repository whose tag has the command, and whose branch has another one."""
    there = History(tmp_path / "upstream", short=True)
    command = there.place / "scripts" / "warplock"
    command.parent.mkdir(parents=True)
    there.git("init", "--quiet", "--initial-branch=main")
    for text in (f'exec {ROOT}/scripts/warplock "$@"', "echo this is not the version >&2; exit 0"):
        command.write_text(f"#!/bin/sh\n{text}\n")
        command.chmod(0o755)
        there.git("add", "--all")
        there.git("commit", "--quiet", "-m", text)
    there.git("tag", version(), "HEAD~1")
    return f"file://{there.place}"


def version():
    """The tag that the page names."""
    found = re.findall(r"--branch (\S+)", PAGE)
    assert len(found) == 2
    (name,) = set(found)
    return name


def chip(place, fault):
    """A repository with a change to judge; the commits before it and of it."""
    made = History(place, short=True)
    (place / "rtl").mkdir(parents=True)
    made.git("init", "--quiet", "--initial-branch=main")
    for name, text in modules().items():
        (place / "rtl" / name).write_text(text)
    (place / "warplock.toml").write_text(SETTINGS)
    made.git("add", "--all")
    made.git("commit", "--quiet", "-m", "Begin")
    before = made.git("rev-parse", "HEAD").strip()
    made.git("update-ref", "refs/remotes/origin/main", before)
    path = place / "rtl" / COMPACT
    text = path.read_text()
    path.write_text(text.replace(*FAULT) if fault else text.replace("ahead", "earlier"))
    made.git("commit", "--quiet", "--all", "-m", "Change")
    return before, made.git("rev-parse", "HEAD").strip()


def run(ci, tmp_path, fault, **variables):
    """The code that the job ends with, and all that it prints."""
    lines, folder = typed_lines()[ci]
    before, after = chip(tmp_path / "work" / folder, fault)
    here = os.environ | {"WARPLOCK_NO_SETUP": "1", "BASE": "main"} | variables
    here |= {"CI_MERGE_REQUEST_DIFF_BASE_SHA": before, "CI_COMMIT_SHA": after}
    printed = ""
    for line in lines:
        done = subprocess.run(
            ["bash", "-e", "-c", line], cwd=tmp_path / "work", env=here, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        printed += done.stdout
        if done.returncode:
            return done.returncode, printed
    return 0, printed


@pytest.mark.parametrize("ci", ["github", "gitlab"])
@pytest.mark.parametrize("fault", [False, True])
def test_ci_of_the_page_judges_a_change(ci, fault, warplock, tmp_path):
    code, printed = run(ci, tmp_path, fault, WARPLOCK=warplock)
    assert (code != 0) == fault, printed
    assert ("FUNCTIONAL_MISMATCH" if fault else "PASS") in printed
    report = (tmp_path / "work" / "junit.xml").read_text()
    assert ("<failure" in report) == fault


@pytest.mark.parametrize("ci", ["github", "gitlab"])
def test_ci_of_the_page_without_an_address_fails(ci, tmp_path):
    code, printed = run(ci, tmp_path, fault=False, WARPLOCK="")
    assert code != 0
    assert "WARPLOCK" in printed


def test_ci_of_the_page_takes_a_version_that_knows_the_page():
    numbers = [tuple(map(int, v.split("."))) for v in (version()[1:], installed.version())]
    assert version().startswith("v")
    assert numbers[0] >= numbers[1]
