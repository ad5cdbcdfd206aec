# SPDX-License-Identifier: Apache-2.0
"""docs/release.md: its program makes the files of a version, and refuses what is not ready."""

import os
import re
import shlex
import shutil
import subprocess
import tarfile
import zipfile

import programs
import pytest
from wlk.base import installed
from wlk.base.errors import Status
from wlk.gen import release

ROOT = programs.ROOT
PAGE = (ROOT / "docs/release.md").read_text(encoding="utf-8")
VERSION = installed.version()
AUTHOR = ("-c", "user.name=Test", "-c", "user.email=test@example.org")


def git(folder, *words):
    command = ["git", "-C", folder, *AUTHOR, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.rstrip()


def make_clone(place):
    """A clone of this checkout as it is now, with the date of a release."""
    folder = place / "clone"
    programs.copy_checkout(folder)
    changelog = folder / "CHANGELOG.md"
    changelog.write_text(changelog.read_text("utf-8").replace("(unreleased)", "(2026-02-28)", 1))
    git(place, "init", "-q", "clone")
    commit(folder)
    return folder


@pytest.fixture
def clone(tmp_path):
    return make_clone(tmp_path)


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "All")


def typed(folder, *words, code=0):
    """The command of the page, in a clone, with folders for builds of its own."""
    assert f"\n{release.COMMAND}\n```\n" in PAGE
    done = subprocess.run(
        shlex.split(f"env {release.COMMAND}") + list(words),
        cwd=folder,
        capture_output=True,
        text=True,
        env={name: each for name, each in os.environ.items() if not release.OURS.match(name)},
    )
    return programs.Done(done.returncode, done.stdout, done.stderr).expect(code)


# ---- what is refused, before anything is built --------------------------------------------------


def test_release_that_is_ready_passes_the_check(clone):
    assert typed(clone, "--check").out == ""
    assert not (clone / "build").exists()


def test_checkout_with_changes_is_refused(clone):
    (clone / "new.txt").touch()
    programs.refused(typed(clone, code=Status.USAGE), Status.USAGE, "not as committed: new.txt;")
    with (clone / "README.md").open("a") as file:
        file.write("More.\n")
    done = typed(clone, code=Status.USAGE)
    programs.refused(done, Status.USAGE, "README.md and 1 more; commit or remove")


def test_version_without_a_date_is_refused(clone):
    changelog = clone / "CHANGELOG.md"
    changelog.write_text(changelog.read_text("utf-8").replace("(2026-02-28)", "(unreleased)", 1))
    commit(clone)
    done = typed(clone, code=Status.USAGE)
    programs.refused(done, Status.USAGE, f"CHANGELOG.md:{line_of_section()}: {VERSION} has no date")


def line_of_section():
    lines = (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.startswith("## "))


def test_version_that_has_a_tag_is_refused(clone):
    git(clone, "tag", f"v{VERSION}")
    done = typed(clone, code=Status.USAGE)
    programs.refused(done, Status.USAGE, f"version {VERSION} has a tag already; raise the version")


def test_folder_without_git_is_refused(clone):
    shutil.rmtree(clone / ".git")
    done = typed(clone, code=Status.USAGE)
    programs.refused(done, Status.USAGE, "git rev-parse failed", "releases need a git clone")


def test_two_builds_that_differ_are_refused_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(release, "LOG", tmp_path / "release.log")
    one, other = (tmp_path / folder / "a.whl" for folder in ("one", "other"))
    for path in (one, other):
        path.parent.mkdir()
        path.write_bytes(b"same")
    release.same(one, other)
    other.write_bytes(b"SAME")
    with programs.error(Status.BUILD_FAIL, "two builds differ", tmp_path / "2-a.whl"):
        release.same(one, other)
    assert (tmp_path / "2-a.whl").read_bytes() == b"SAME"


# ---- the files ----------------------------------------------------------------------------------


@pytest.fixture
def steps(tmp_path, monkeypatch, clone):
    """The steps on a clone, in this process."""
    monkeypatch.setattr(release, "ROOT", clone)
    monkeypatch.setattr(release, "LOG", tmp_path / "release.log")
    return release.environment(int(git(clone, "show", "-s", "--format=%ct")))


def contents(source):
    """Name -> what is kept of each file of an archive."""
    with tarfile.open(source) as archive:
        return {
            member.name.partition("/")[2]: (
                archive.extractfile(member).read() if member.isfile() else member.linkname.encode()
            )
            for member in archive
            if not member.isdir()
        }


@pytest.mark.slow
def test_archive_is_the_commit_and_the_same_for_everybody(tmp_path, clone, steps):
    one = release.archive(tmp_path / "one", VERSION, "HEAD", steps)
    (tmp_path / "gitconfig").write_text("[core]\nautocrlf = true\n[tar]\numask = user\n")
    own = {"TZ": "Asia/Tokyo", "GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig")}
    before = os.umask(0o077)
    try:
        other = release.archive(tmp_path / "the other", VERSION, "HEAD", steps | own)
    finally:
        os.umask(before)
    release.same(one, other)
    found = contents(one)
    assert found.keys() == set(git(clone, "ls-files").splitlines())
    assert found["README.md"] == (ROOT / "README.md").read_bytes()
    with tarfile.open(one) as archive:
        members = archive.getmembers()
    assert {(each.uid, each.uname, each.mtime) for each in members} == {
        (0, "", int(steps["SOURCE_DATE_EPOCH"]))
    }
    assert archive_mode(members, "scripts/warplock") == 0o755
    assert archive_mode(members, "README.md") == 0o644


def archive_mode(members, name):
    return next(each.mode for each in members if each.name == f"warplock-{VERSION}/{name}")


@pytest.mark.slow
def test_archive_that_lacks_a_file_is_refused(tmp_path, clone, steps):
    (clone / ".gitattributes").write_text("vectors/meson.build export-ignore\n")
    commit(clone)
    source = release.archive(tmp_path / "one", VERSION, "HEAD", steps)
    assert "vectors/meson.build" not in contents(source)
    with programs.error(Status.BUILD_FAIL, "the first command failed", "release.log"):
        release.try_source(tmp_path / "tried", source, steps)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A clone of its own, and what the command has printed there: three builds, and the first
    command of the README."""
    folder = make_clone(tmp_path_factory.mktemp("released"))
    return folder, typed(folder).out.splitlines()


@pytest.mark.slow
def test_release_makes_the_files_that_the_page_names(released):
    folder, (*names, last) = released
    dist = folder / "build/dist"
    assert set(names) == {str(path) for path in dist.iterdir()}
    assert {re.sub(r"-cp\d.*", "-*.whl", path.name) for path in dist.iterdir()} == {
        f"warplock-{VERSION}.tar.xz",
        f"warplock-{VERSION}-*.whl",
        "SHA256SUMS",
    }
    subprocess.run(["sha256sum", "--strict", "-c", "SHA256SUMS"], cwd=dist, check=True)
    assert len((dist / "SHA256SUMS").read_text().splitlines()) == 2
    assert git(folder, "status", "--porcelain") == "" and git(folder, "tag", "--list") == ""
    git(folder, *shlex.split(last.partition(": git ")[2]))
    assert git(folder, "describe") == f"v{VERSION}"
    assert git(folder, "for-each-ref", "--format=%(objecttype)", "refs/tags") == "tag"


@pytest.mark.slow
def test_wheel_that_lacks_a_file_is_refused(tmp_path, monkeypatch, released):
    monkeypatch.setattr(release, "LOG", tmp_path / "release.log")
    (whole,) = (released[0] / "build/dist").glob("*.whl")
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(tmp_path / whole.name, "w") as target:
        for each in source.infolist():
            if not each.filename.endswith("hazard_default.wlv"):
                target.writestr(each, source.read(each))
    with programs.error(Status.BUILD_FAIL, "the command of the wheel failed"):
        release.try_wheel(tmp_path / "tried", tmp_path / whole.name, release.environment(0))
