# SPDX-License-Identifier: Apache-2.0
"""What a newcomer types on a fresh machine, as the documents have it: in a minimal root of each
distribution that is supported (roots.py). A run has one of them, by $WARPLOCK_SLICE; `test --full`
has all. The tests of a root build on each other, in the order of this file."""

import re

import programs
import pytest
import roots
from wlk import tables

NAMES = sorted(roots.DISTRIBUTIONS)
CHOSEN = NAMES if programs.FULL else [NAMES[programs.SLICE % len(NAMES)]]
pytestmark = [pytest.mark.slow, pytest.mark.needs("debootstrap")]


@pytest.fixture(scope="module", params=CHOSEN)
def root(request, tmp_path_factory):
    if reason := roots.lacking(request.param):
        pytest.skip(f"{request.param}: {reason}")
    with roots.fresh(request.param, tmp_path_factory.mktemp("roots")) as made:
        yield made


def page(name, head=""):
    """The text of a document, from a line of it on."""
    text = (programs.ROOT / name).read_text(encoding="utf-8")
    return text[text.index(head) :]


def block(text, language=""):
    """The lines of the first block of code."""
    return re.search(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]


def commands(text):
    return block(text).strip().splitlines()


def test_first_command_passes(root):
    first = commands(page("README.md", "## Run it"))[0]
    assert first == "scripts/warplock lockstep"
    said = root.type(first).strip().splitlines()
    assert said[-1] == f"{len(tables.names())} blocks PASS"
    log = (root.checkout / "build/release.log").read_text()
    assert re.findall(r".*\bwarning: .*", log) == []


def test_lines_for_own_rtl_pass(root):
    """Those of README, and the smallest proof of the same RTL."""
    for line in commands(page("README.md", "## Use it on your RTL")):
        root.type(line)
    said = root.type("scripts/warplock prove collector --rtl my_rtl --config coll_entries=2")
    assert "\nPROVED: " in said


def test_installed_copy_runs_and_is_found(root):
    lines = commands(page("docs/install.md"))
    assert len(lines) == 3
    for line in lines:
        root.type(line)
    root.type("ldconfig")
    golden = root.type("warplock vectors golden", where="/root")
    assert golden.strip().endswith("PASS")
    root.type("warplock lockstep scoreboard --seeds 1..1 --cycles 20000", where="/root")


def test_programs_in_c_compile_as_their_page_says(root):
    text = page("docs/c-api.md")
    (root.folder / "root/step.c").write_text(block(text, "c"))
    lines = commands(text)
    assert len(lines) == 2 and "--static" in lines[1]
    for line in lines:
        root.type(line, where="/root")
        assert root.type("./step", where="/root") == block(text, "text")
    packages = "apt-get install -y --no-install-recommends cmake"
    root.type(packages)
    made = f"project(use C)\nadd_executable(step step.c)\n{block(text, 'cmake')}"
    (root.folder / "root/CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.20)\n{made}"
    )
    root.type("cmake -S . -B made && cmake --build made", where="/root")
    assert root.type("made/step", where="/root") == block(text, "text")


def test_pip_installs_as_its_page_says(root):
    for line in commands(page("docs/install.md", "## With pip")):
        root.type(line)
    assert "PASS" in root.type("~/warplock-env/bin/warplock vectors golden")
    example = re.search(r"^```python\n(.*?)^```$", page("docs/python.md"), re.M | re.S)[1]
    (root.folder / "root/example.py").write_text(example)
    root.type("~/warplock-env/bin/python example.py", where="/root")


def test_smallest_part_of_the_tests_passes(root):
    said = root.type("scripts/warplock test --quick --folder unit -k hazard")
    assert re.search(r"^\d+ passed, 0 failed$", said.strip().splitlines()[-1])


@pytest.mark.skipif(not programs.FULL, reason="takes minutes; `warplock test --full` runs it")
def test_each_compiler_of_the_distribution_warns_of_nothing(root):
    """gcc from 12 to 15 and clang from 14 to 20, as far as it has them."""
    root.type("scripts/warplock setup")  # nothing to do unless this test runs alone
    listed = root.type("apt-cache pkgnames gcc-; apt-cache pkgnames clang-").split()
    wanted = {f"gcc-{n}" for n in range(12, 16)} | {f"clang-{n}" for n in range(14, 21)}
    found = sorted(wanted.intersection(listed))
    assert {name.partition("-")[0] for name in found} == {"gcc", "clang"}
    for name in found:
        more = name.replace("gcc", "g++") if name.startswith("gcc") else ""
        root.type(f"apt-get install -y -qq --no-install-recommends {name} {more}")
        both = f"CC={name} CXX={more or name.replace('clang', 'clang++')}"
        kind = f"--werror -Doptimization={1 if more else 0} -Db_ndebug=true"
        root.type(f"{both} meson setup {kind} build/{name} && ninja -C build/{name}")
        root.type(f"rm -r build/{name}")


def test_a_command_that_fails_is_seen(root):
    root.type("scripts/warplock lockstep no_block --no-setup", code=2)
    with pytest.raises(AssertionError, match="no_block"):
        root.type("scripts/warplock lockstep no_block --no-setup")
