# SPDX-License-Identifier: Apache-2.0
"""docs/Containerfile: a linter reads it, and buildah builds it, where it may make namespaces."""

import json
import os
import ssl
import subprocess
import tempfile
from pathlib import Path

import programs
import pytest
from wlk.base import installed, setup

ROOT = programs.ROOT
CONTAINERFILE = ROOT / "docs/Containerfile"
BASE = "docker.io/library/debian:12-slim"
LOCKSTEP = ("lockstep", "scoreboard", "--seeds", "1..1", "--cycles", "2000")


def lint(text):
    """What hadolint reports: the codes of its rules."""
    command = [setup.VENV / "bin/hadolint", "--format", "json", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return [each["code"] for each in json.loads(done.stdout)]


@pytest.mark.needs("lint")
def test_image_file_is_clean():
    assert lint(CONTAINERFILE.read_text(encoding="utf-8")) == []


@pytest.mark.needs("lint")
@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("RUN warplock setup", "RUN apt-get install git", "DL3014"),
        ("WORKDIR /work", "RUN cd /work", "DL3003"),
        ('["warplock"]', "warplock", "DL3025"),
        ("ENTRYPOINT", "ENTRY", "DL1000"),
    ],
)
def test_mistake_in_the_image_file_is_found(old, new, rule):
    text = CONTAINERFILE.read_text(encoding="utf-8")
    assert old in text
    assert rule in lint(text.replace(old, new))


# ---- the image ----------------------------------------------------------------------------------


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


@pytest.fixture(scope="module")
def image(buildah):
    """A container of the image that this checkout makes."""
    chroot = ("--isolation", "chroot", "--pull-never")
    buildah("build", *chroot, "-f", CONTAINERFILE, "-t", "warplock", ROOT)
    return buildah("from", "--pull-never", "warplock")


@pytest.mark.slow
@pytest.mark.needs("image")
@pytest.mark.parametrize("user", ["0:0", "65534:65534"])
def test_image_runs_lockstep_for_each_user_without_set_up(buildah, image, user):
    options = ("--isolation", "chroot", "--user", user, "--env", "WARPLOCK_NO_SETUP=1")
    run = ("run", *options, "--workingdir", "/tmp", image, "--", "warplock")
    assert buildah(*run, "--version") == f"warplock {installed.version()}"
    assert "PASS" in buildah(*run, *LOCKSTEP)
    assert "PASS" in buildah(*run, *LOCKSTEP, "--rtl", "/usr/local/share/warplock/rtl_stub")


@pytest.mark.slow
@pytest.mark.needs("image")
def test_image_starts_the_command_in_the_folder_of_the_user(buildah, image):
    config = json.loads(buildah("inspect", image))["OCIv1"]["config"]
    assert config["Entrypoint"] == ["warplock"] and config["WorkingDir"] == "/work"
