# SPDX-License-Identifier: Apache-2.0
"""Where packages are missing that a verdict does not need, and nothing can be fetched: a line says
what is left out, and the verdict is that of a machine that has them."""

import programs
import pytest
import rtl_under_test as rut
from wlk.base.errors import Status

pytestmark = [pytest.mark.slow, pytest.mark.needs("rtl", "page")]
LEFT_OUT = "warplock: pictures and HTML pages are left out: "
NEEDED = ("pip", "pyslang", "nanobind_backend", "pycparser")
OFFLINE = {  # what keeps set-up from fetching them, and what the line says then
    "refused": ({"WARPLOCK_NO_SETUP": "1"}, "set-up is refused; install with: "),
    "no_network": (
        {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""},
        "pip install failed; look at the log",
    ),
}


@pytest.fixture(scope="module", params=[(), ("jinja2", "markupsafe")], ids=["neither", "jinja2"])
def bare(request, tmp_path_factory):
    """Variables for a build folder with the packages that build and RTL need, and with these."""
    place = tmp_path_factory.mktemp("bare")
    programs.make_venv(place / "venv", (*NEEDED, *request.param))
    built = programs.folder()
    (place / built.name).symlink_to(built)
    return {"WARPLOCK_BUILD_DIR": place, "WARPLOCK_BUILD": built.name}


def run(bare, how, tmp_path, *words, code=0, fault=False):
    edit = {rut.CORE: ("assign readReq_ready_o = read_ready;", "assign readReq_ready_o = 1'b1;")}
    rtl = rut.stub("offline_faulty", edit=edit) if fault else rut.stub("offline")
    command = ["lockstep", "collector", "--rtl", rtl, "--seeds", "1", "--cycles", "2000", *words]
    where = ["--json", "--reports", tmp_path / "reports"]
    variables, why = OFFLINE[how]
    done = programs.typed(*command, *rut.PINNED, *where, code=code, **bare, **variables)
    said = [line for line in done.said.splitlines() if line.startswith(LEFT_OUT)]
    assert len(said) == 1 and why in said[0], done.err
    assert "wavedrom" in done.err
    assert fault or "  | " not in done.err  # the second opinion on a fault has a log of its own
    return done


@pytest.mark.parametrize("how", OFFLINE)
@pytest.mark.parametrize("fault", [False, True])
def test_verdict_is_given_without_pictures(bare, how, fault, tmp_path):
    code = Status.FUNCTIONAL_MISMATCH if fault else 0
    done = run(bare, how, tmp_path, code=code, fault=fault)
    assert done.json["verdict"] == ("FUNCTIONAL_MISMATCH" if fault else "PASS")
    assert "picture" not in done.json
    assert not list((tmp_path / "reports").rglob("picture.svg"))
    assert len(list((tmp_path / "reports").rglob("stimulus.wlv"))) == fault


@pytest.mark.parametrize("how", OFFLINE)
def test_verdict_is_given_without_the_page_that_is_asked_for(bare, how, tmp_path):
    """The page of a former run is removed; JUnit XML needs no package. Without wavedrom alone the
    page is there."""
    page, junit = tmp_path / "page.html", tmp_path / "junit.xml"
    page.write_text('<meta name="generator" content="warplock">')
    has_jinja = any((bare["WARPLOCK_BUILD_DIR"] / "venv").rglob("jinja2"))
    code = 0 if has_jinja else Status.NO_TOOL
    done = run(bare, how, tmp_path, "--html", page, "--junit", junit, code=code)
    assert done.json["verdict"] == "PASS"
    assert 'failures="0"' in junit.read_text()
    if has_jinja:
        assert "PASS" in page.read_text()
    else:
        assert not page.exists()
        assert done.last == "no --html report: Python's package jinja2 is missing"


def test_message_names_one_command_for_all_that_is_missing(tmp_path):
    """Without any Python package: those that pictures need are in the command too."""
    command = ["lockstep", "collector", "--rtl", rut.stub("offline"), "--no-setup"]
    done = programs.typed(*command, code=Status.NO_TOOL, WARPLOCK_BUILD_DIR=tmp_path)
    command = done.line.partition("; set-up is refused; install with: ")[2]
    files = ("requirements.txt", "requirements-page.txt", "requirements-build.txt")
    assert all(f"-r {rut.ROOT / 'scripts' / name}" in command for name in files), done.line
    assert command.startswith(f"python3 -I -m venv {tmp_path / 'venv'} && ")
