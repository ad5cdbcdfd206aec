# SPDX-License-Identifier: Apache-2.0
"""buildah builds docs/Containerfile without root, and the image works."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import programs
import pytest
import roots
from wlk.base import installed

BASE = "docker.io/library/debian:12-slim"
LOCKSTEP = ("lockstep", "scoreboard", "--seeds", "1..1", "--cycles", "2000")


# As another user, who has 65536 user numbers for his containers; $1 is the file that says so.
ROOTLESS = """mount --bind "$1" /etc/subuid && mount --bind "$1" /etc/subgid && shift &&
exec setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
"""


@pytest.fixture
def place():
    """A folder of the other user's."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"]).returncode != 0:
        pytest.skip("debootstrap needs root that may make namespaces")
    with tempfile.TemporaryDirectory(prefix="warplock-image-") as name:
        shutil.chown(name, "nobody", "nogroup")
        yield Path(name)


@pytest.fixture
def buildah(place):
    """buildah without root, with storage of its own, in which there is a Debian by the name that it
    has in the registry."""
    (place / "subuid").write_text("nobody:200000:65536\n")
    rootless = ("unshare", "--mount", "sh", "-c", ROOTLESS, "sh", place / "subuid")
    storage = ("--root", place / "root", "--runroot", place / "run", "--storage-driver", "vfs")

    def run(*words):
        done = subprocess.run(
            [*map(str, (*rootless, "buildah", *storage, *words))],
            cwd=place,
            env={"PATH": os.environ["PATH"], "HOME": str(place), "XDG_RUNTIME_DIR": str(place)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout.strip()

    container = run("from", "scratch")
    run("add", "--quiet", container, debian(place), "/")
    run("commit", "--quiet", "--rm", container, BASE)
    return run


def debian(place):
    """The smallest Debian 12, as an archive, in which pip trusts whom it trusts here."""
    if reason := roots.lacking("debian-12"):
        pytest.skip(reason)
    folder, packed = place / "debian", place / "debian.tar"
    folder.mkdir()
    subprocess.run(["tar", "-C", folder, "-xpf", roots.archive("debian-12")], check=True)
    if trusted := roots.trust(folder):
        (folder / "etc/pip.conf").write_text(f"[global]\ncert = {trusted}\n")
    subprocess.run(["tar", "-C", folder, "--exclude=./dev", "-cf", packed, "."], check=True)
    return packed


@pytest.fixture
def checkout(place):
    """A copy of this checkout that the other user can read."""
    folder = place / "checkout"
    programs.copy_checkout(folder)
    (folder / "build").mkdir()  # which a build with another configuration would take
    (folder / "build/package").touch()
    return folder


@pytest.mark.slow
@pytest.mark.needs("image")
def test_image_runs_the_command_for_each_user_and_installs_nothing(buildah, checkout):
    chroot = ("--isolation", "chroot")
    words = ("--pull-never", "-f", checkout / "docs/Containerfile", "-t", "warplock")
    buildah("build", *chroot, *words, checkout)
    for user in ("0:0", "65534:65534"):
        container = buildah("from", "--pull-never", "warplock")
        options = (*chroot, "--user", user, "--env", "WARPLOCK_NO_SETUP=1", "--workingdir", "/tmp")
        run = ("run", *options, container, "--", "warplock")
        assert buildah(*run, "--version") == f"warplock {installed.version()}"
        assert "PASS" in buildah(*run, *LOCKSTEP)
        buildah(*run, "stub", "scoreboard", "--out", "my_rtl")
        assert "PASS" in buildah(*run, *LOCKSTEP, "--rtl", "my_rtl")
    config = json.loads(buildah("inspect", container))["OCIv1"]["config"]
    assert config["Entrypoint"] == ["warplock"] and config["WorkingDir"] == "/work"
