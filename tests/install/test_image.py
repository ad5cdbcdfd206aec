# SPDX-License-Identifier: Apache-2.0
"""buildah builds docs/Containerfile, where root may make namespaces, and the image works."""

import json
import os
import ssl
import subprocess
import tempfile
from pathlib import Path

import programs
import pytest
from wlk.base import installed

BASE = "docker.io/library/debian:12-slim"
LOCKSTEP = ("lockstep", "scoreboard", "--seeds", "1..1", "--cycles", "2000")


@pytest.fixture(scope="module")
def buildah():
    """buildah with storage of its own, which has a Debian by the name of the one in a registry."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"]).returncode != 0:
        pytest.skip("debootstrap and buildah need root that may make namespaces")
    with tempfile.TemporaryDirectory(prefix="warplock-image-") as name:
        place = Path(name)

        def run(*words):
            storage = ("--root", place / "root", "--runroot", place / "run")
            command = ["buildah", *storage, "--storage-driver", "vfs", *words]
            done = subprocess.run([*map(str, command)], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
            return done.stdout.strip()

        debian(place / "debian")
        container = run("from", "scratch")
        run("add", "--quiet", container, place / "debian", "/")
        run("commit", "--quiet", "--rm", container, BASE)
        yield run


def debian(folder):
    """The smallest Debian 12, in which pip trusts the authorities that are trusted here."""
    command = ["debootstrap", "--variant=minbase", "bookworm", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"debootstrap failed: {done.stdout.splitlines()[-1:]}")
    authorities = Path(ssl.get_default_verify_paths().cafile or "/nonexistent")
    if authorities.is_file():
        (folder / "etc/authorities.crt").write_bytes(authorities.read_bytes())
        (folder / "etc/pip.conf").write_text("[global]\ncert = /etc/authorities.crt\n")


@pytest.mark.slow
@pytest.mark.needs("image")
def test_image_runs_the_command_for_each_user_and_installs_nothing(buildah):
    chroot = ("--isolation", "chroot")
    words = ("--pull-never", "-f", programs.ROOT / "docs/Containerfile", "-t", "warplock")
    buildah("build", *chroot, *words, programs.ROOT)
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
