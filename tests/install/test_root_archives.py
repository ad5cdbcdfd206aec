# SPDX-License-Identifier: Apache-2.0
"""How the archive of a root is made, with a stand-in for debootstrap: nothing is left where the
mirror breaks off or the run is killed, and the next run makes it anew."""

import os
import subprocess
from pathlib import Path

import pytest
import roots
from wlk.base import setup

# Makes a root, and a mount in it; then it breaks off where there is a file of that name.
STAND_IN = """#!/bin/sh
for root in "$@"; do case "$root" in /*/root) break ;; esac; done
mkdir -p "$root/proc" "$root/etc" && echo new > "$root/etc/made" && mount -t proc proc "$root/proc"
[ ! -e "$BROKEN" ] || { echo "E: Couldn't download dists/bookworm/main" >&2; exit 1; }
umount "$root/proc"
"""

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or subprocess.run([*roots.OWN, "true"]).returncode != 0,
    reason="namespaces need root",
)


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    """A file that makes the stand-in break off, and the folder of archives."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/debootstrap").write_text(STAND_IN)
    (tmp_path / "bin/debootstrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("BROKEN", str(tmp_path / "broken"))
    monkeypatch.setattr(setup, "BUILD", tmp_path / "build")
    monkeypatch.setattr(roots, "KEPT", tmp_path / "build/roots")
    return tmp_path / "broken", tmp_path / "build/roots"


def made(path):
    listed = subprocess.run(["tar", "-xOf", path, "./etc/made"], capture_output=True, text=True)
    return listed.stdout


def test_mirror_that_breaks_off_leaves_nothing(mirror):
    broken, kept = mirror
    broken.touch()
    with pytest.raises(AssertionError, match=r"bookworm from http://\S+ failed:\nE: Couldn't"):
        roots.archive("debian-12")
    assert list(kept.iterdir()) == []
    assert str(kept) not in Path("/proc/mounts").read_text()
    broken.unlink()
    assert made(roots.archive("debian-12")) == "new\n"


def test_folder_of_a_run_that_was_killed_is_removed(mirror):
    left = mirror[1] / "debian-12.new" / "root" / "etc"
    left.mkdir(parents=True)
    (left / "old").touch()
    path = roots.archive("debian-12")
    assert list(mirror[1].iterdir()) == [path]
    names = subprocess.run(["tar", "-tf", path], capture_output=True, text=True).stdout
    assert "etc/made" in names and "etc/old" not in names


def test_archive_is_made_once(mirror):
    first = roots.archive("debian-12").stat()
    mirror[0].touch()  # a second one would fail
    assert roots.archive("debian-12").stat() == first
