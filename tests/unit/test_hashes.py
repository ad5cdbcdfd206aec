# SPDX-License-Identifier: Apache-2.0
"""Versions and hashes of Python packages: each file has them, pip asks for them, and they can be
renewed."""

import hashlib
import re
import sys
import zipfile
from pathlib import Path

import programs
import pytest
from wlk.base import setup
from wlk.base.errors import Status
from wlk.gen import hashes

FILES = {path.name: path for path in hashes.files()}
OTHER = hashlib.sha256(b"another file").hexdigest()


def test_each_file_is_installed_by_a_feature():
    named = {n for f in setup.FEATURES.values() for n in (f.builders, f.requirements) if n}
    assert named == FILES.keys()


@pytest.mark.parametrize("name", FILES)
def test_each_package_has_one_version_and_hashes(name):
    text = FILES[name].read_text(encoding="utf-8")
    joined = text.replace(" \\\n", " ")
    packages = [line for line in joined.splitlines() if line and not line.startswith("#")]
    assert packages
    for line in packages:
        assert re.fullmatch(r"[\w.-]+==[\w.]+( +--hash=sha256:[\da-f]{64})+", line), line[:80]


def test_files_agree_on_what_two_of_them_have():
    lines = {}
    for path in FILES.values():
        for pin, found in re.findall(
            r"^([\w.-]+==\S+)((?: \\\n.*)*)", path.read_text(encoding="utf-8"), re.MULTILINE
        ):
            package = setup.normal(pin.partition("==")[0])
            assert lines.setdefault(package, (pin, found)) == (pin, found)
    assert len(lines) > 30


# ---- what pip does ------------------------------------------------------------------------------


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder with a wheel, as the only place where pip looks, and another to install into."""
    wheel = tmp_path / "shelf" / "wlk_tiny-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    info = "wlk_tiny-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("wlk_tiny.py", "")
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: wlk-tiny\nVersion: 1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
        file.writestr(f"{info}/RECORD", "wlk_tiny.py,,\n")
    monkeypatch.setattr(setup, "BUILD", tmp_path / "build")
    monkeypatch.setattr(setup, "PYTHON", Path(sys.executable))
    monkeypatch.setattr(setup, "_installed", lambda: {"pip": "1"})
    monkeypatch.delenv("WARPLOCK_NO_SETUP", raising=False)
    feature = setup.Feature(requirements=str(tmp_path / "requirements.txt"))
    monkeypatch.setitem(setup.FEATURES, "tiny", feature)
    for name, value in {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": wheel.parent,
        "PIP_TARGET": tmp_path / "target",
        "PIP_CONFIG_FILE": "/dev/null",
    }.items():
        monkeypatch.setenv(name, str(value))
    return wheel


def require(shelf, options):
    (shelf.parents[1] / "requirements.txt").write_text(f"wlk-tiny==1.0{options}\n")
    setup.ensure(["tiny"])


def listed(*found):
    return "".join(f" \\\n    --hash=sha256:{each}" for each in found)


def test_a_folder_of_wheels_is_enough(shelf):
    require(shelf, listed(OTHER, hashlib.sha256(shelf.read_bytes()).hexdigest()))
    assert (shelf.parents[1] / "target/wlk_tiny.py").exists()


def test_pip_is_not_that_of_the_current_folder(shelf, monkeypatch):
    (shelf.parent / "pip.py").write_text("raise SystemExit('pip of a stranger')\n")
    monkeypatch.chdir(shelf.parent)
    require(shelf, listed(hashlib.sha256(shelf.read_bytes()).hexdigest()))


def test_a_wheel_of_another_hash_is_refused(shelf, capsys):
    shown = ["wlk-tiny==1.0 from ", f"{shelf} is none of the files", "docs/supply.md"]
    with programs.error(Status.NO_TOOL, "pip install failed", *shown, "setup.log"):
        require(shelf, listed(OTHER))
    assert hashlib.sha256(shelf.read_bytes()).hexdigest() in capsys.readouterr().err
    assert not (shelf.parents[1] / "target").exists()


def test_a_package_without_hashes_is_refused(shelf, capsys):
    with programs.error(Status.NO_TOOL, "pip install failed"):
        require(shelf, "")
    assert "--hash=sha256:" in capsys.readouterr().err


# ---- renewing -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("a-1-py3-none-any.whl", True),
        ("a-1-py2.py3-none-any.whl", True),
        ("a-1.tar.gz", True),
        ("a-1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", True),
        ("a-1-cp314-cp314t-musllinux_1_2_aarch64.whl", True),
        ("a-1-cp38-abi3-manylinux2014_aarch64.whl", True),
        ("a-1-2-cp312-cp312-linux_x86_64.whl", True),
        ("a-1-cp310-cp310-manylinux2014_x86_64.whl", False),
        ("a-1-pp311-pypy311_pp73-manylinux2014_x86_64.whl", False),
        ("a-1-py2-none-any.whl", False),
        ("a-1-cp311-cp311-win_amd64.whl", False),
        ("a-1-cp311-cp311-macosx_11_0_arm64.whl", False),
        ("a-1-cp311-cp311-manylinux2014_i686.whl", False),
        ("a-1.exe", False),
    ],
)
def test_files_that_may_be_chosen(name, fits):
    assert hashes.may_be_chosen(name) == fits


LISTING = [
    {"filename": name, "hashes": {"sha256": text}}
    for name, text in {
        "My_Own-1.2-py3-none-any.whl": "c",
        "my_own-1.2.tar.gz": "b",
        "my_own-1.20-py3-none-any.whl": "d",
        "my_own-1.2-cp311-cp311-win32.whl": "e",
        "my_own_other-1.2.tar.gz": "f",
    }.items()
]


def test_hashes_are_renewed_and_comments_stay():
    old = "# Why.\nMy.Own==1.2 \\\n    --hash=sha256:a \\\n    --hash=sha256:b\n# Last.\n"
    new = "# Why.\nMy.Own==1.2 \\\n    --hash=sha256:b \\\n    --hash=sha256:c\n# Last.\n"
    assert hashes.renewed(old, lambda _: LISTING) == new
    assert hashes.renewed(new, lambda _: LISTING) == new


def test_a_version_that_the_index_lacks_is_refused():
    with programs.error(Status.NO_FILE, "my-own 1.3: the index has no file of it"):
        hashes.renewed("my-own==1.3\n", lambda _: LISTING)
