# SPDX-License-Identifier: Apache-2.0
"""docs/gpgpusim.md as a recipe: its commands and its code put the class into a mock simulator.

The mock has the files, names and signatures that the page edits, with V40's or V42's collector;
`git` is a program that copies it. Edits by hand are made here, with the page's code.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import programs
import pytest

PAGE = (programs.ROOT / "docs" / "gpgpusim.md").read_text("utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TREE = Path(__file__).parent / "gpgpusim_tree"
UNIT = programs.ROOT / "tests" / "unit"
PLACE = "/* ---- where the collector is defined ---- */"
GIT = """#!/bin/bash
echo "$@" >> "$HOME/git.log"
[[ $1 != clone ]] || cp -r "$HOME/templates/${2##*/}" "$3"
"""
OWN = {
    "v40": "",
    "v42": "-DMOCK_V42 -DREVISION=V42 -DOWN_COLLECTOR='warplock::opndcoll<mock::v42_traits>'",
}
"""The original's class: for V42 the one that the unit tests compare with the model."""
FAULT = "-D'OWN_FAULT(c)=(c).wrong=mock::SCAN_FROM_LAST'"
HASHES = {
    "v40": "90ec3399763d7c8512cfe7dc193473086c38ca38",
    "v42": "667834cfe5214523edd7769aeab77f91b7137686",
}


def section(heading: str) -> list[tuple[str, str]]:
    """Language and text of the fenced parts below a heading."""
    return FENCE.findall(PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0])


[(_, LIBRARY)] = section("Build the library")
[(_, GET_V40), (_, GET_V42)] = section("Get the simulator")
[(_, SLOTS), (_, RENAME), (_, IN_PLACE), (_, BESIDE), (_, REPORT)] = section("Put the class in")
[(_, MAKE), (_, MESSAGE)] = section("Build and run the simulator")
[(_, ZERO), (_, PRELOAD)] = section("Compare runs")
[(_, TRAITS)] = section("Traits of your own")
[(_, SAMPLE)] = section("A difference")
GET = {"v40": GET_V40, "v42": GET_V42}


def write_templates(folder: Path) -> None:
    """What `git clone` brings: the framework, and GPGPU-Sim with the original's class."""
    framework, sim = folder / "accel-sim-framework", folder / "gpgpu-sim_distribution"
    shutil.copytree(TREE, framework / "gpu-simulator", ignore=shutil.ignore_patterns("gpgpu-sim"))
    shutil.copytree(TREE / "gpgpu-sim", sim)
    front, _, back = (UNIT / "mock_gpgpusim.hpp").read_text("utf-8").partition(PLACE)
    front = front.replace('"warplock/opndcoll_gpgpusim.hpp"', '"warplock/opndcoll.h"')
    front = re.sub(r"    // The two lines of.*?(?=^  private:)", "", front, flags=re.M | re.S)
    assert "slots()" not in front
    (sim / "src/abstract_hardware_model.h").write_text(front + "#endif\n")
    source = sim / "src/gpgpu-sim"
    head = '#ifndef SHADER_H\n#define SHADER_H\n#include "../abstract_hardware_model.h"\n'
    (source / "shader.h").write_text(head + (source / "collector.h").read_text("utf-8") + back)
    run = (UNIT / "mock_simulation.hpp").read_text("utf-8")
    (source / "simulation.h").write_text(run.replace("mock_gpgpusim.hpp", "shader.h"))


def insert(path: Path, before: str, code: str, behind: str = "") -> None:
    """Code in front of the first such text behind another one."""
    text = path.read_text("utf-8")
    at = text.index(before, text.index(behind))
    path.write_text(text[:at] + code + text[at:])


class Simulator:
    """The page followed for one version, up to a built simulator."""

    def __init__(self, home: Path, version: str, classes: str, own: str = "", report: str = ""):
        self.home, self.version = home, version
        self.env = self._make_home(f"{OWN[version]} {own}")
        change = RENAME if classes else ""
        out = self._bash(f"cd '{programs.ROOT}'\n{LIBRARY}{GET[version]}{change}pwd\nenv -0")
        path, _, variables = out.partition("\n")
        self.folder = Path(path)
        self.env = dict(x.split("=", 1) for x in variables.split("\0") if x)
        self.env["LIBRARY_PATH"] += f":{home}"  # of the empty libraries
        shutil.copytree(home / "mock", self.folder.parent / "mock")
        self._edit(classes, report)
        self._bash(f"cd '{self.folder}'\n{MAKE}")

    def _make_home(self, own: str) -> dict[str, str]:
        write_templates(self.home / "templates")
        for folder in ("mock", "bin"):
            (self.home / folder).mkdir()
        shutil.copy(UNIT / "gpgpusim_configs.h", self.home / "mock")
        git = self.home / "bin" / "git"
        git.write_text(GIT)
        git.chmod(0o755)
        for name in ("GL", "z"):  # what this machine need not have
            subprocess.run(["ar", "rc", self.home / f"lib{name}.a"], check=True)
        path = f"{self.home / 'bin'}:{os.environ['PATH']}"
        return os.environ | {
            "HOME": str(self.home),
            "PATH": path,
            "OWN": own,
            "WARPLOCK_NO_SETUP": "1",
        }

    def _bash(self, script: str) -> str:
        words = ["bash", "-e", "-c", script]
        done = subprocess.run(words, env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.partition("build/release\n")[2] or done.stdout

    def _edit(self, classes: str, report: str) -> None:
        source = self.folder / "gpgpu-sim/src"
        insert(source / "abstract_hardware_model.h", "  private:", SLOTS, "class register_set")
        code = classes.replace("WLK_OPNDCOLL_V40", f"WLK_OPNDCOLL_{self.version.upper()}")
        code = code or '#include "warplock/opndcoll_gpgpusim.hpp"\n'  # for the mock's own tests
        insert(source / "gpgpu-sim/shader.h", "class ldst_unit", code)
        insert(source / "gpgpu-sim/simulation.h", "    }\n", report, "connect(m_operand_collector")

    def run(
        self, command: str = "./accel-sim.out", **more: str
    ) -> subprocess.CompletedProcess[str]:
        words = ["bash", "-c", command]
        options = {"cwd": self.folder, "env": self.env | more}
        return subprocess.run(words, capture_output=True, text=True, check=False, **options)

    def statistics(self) -> list[str]:
        done = self.run()
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()


def counters(lines: list[str]) -> dict[str, int]:
    """Those of the register file, which the mock's own collector does not count."""
    found = [x.split() for x in lines]
    return {name: int(n) for name, n in found if name in ("reads", "writes", "non_rf")}


def others(lines: list[str]) -> list[str]:
    return [x for x in lines if x.split()[0] not in ("reads", "writes", "non_rf")]


@pytest.fixture(autouse=True)
def _release(monkeypatch):
    monkeypatch.delenv("WARPLOCK_BUILD", raising=False)  # a simulator loads no sanitizers


@pytest.mark.slow
@pytest.mark.parametrize("version", HASHES)
def test_gpgpusim_page_puts_the_class_in(version, tmp_path):
    original = Simulator(tmp_path / "a", version, "").statistics()
    place = Simulator(tmp_path / "b", version, IN_PLACE)
    beside = Simulator(tmp_path / "c", version, BESIDE, report=REPORT)
    traits = Simulator(
        tmp_path / "d", version, '#include "warplock/opndcoll_gpgpusim.hpp"\n' + TRAITS
    )
    assert len(original) == 16
    for simulator in (place, beside, traits):
        assert others(simulator.statistics()) == others(original)
    assert all(n > 10_000 for n in counters(place.statistics()).values())
    assert counters(traits.statistics()) == counters(place.statistics())
    for command in (
        f"accel-sim checkout {'v1.1.0' if version == 'v40' else '73f9fac'}",
        HASHES[version],
    ):
        assert command in (place.home / "git.log").read_text()


@pytest.mark.slow
def test_gpgpusim_page_shows_a_difference(tmp_path):
    done = Simulator(tmp_path, "v40", BESIDE, own=FAULT, report=REPORT).run()
    assert done.returncode != 0
    assert SAMPLE in done.stderr + "\n"


PROBE = """#include <stdlib.h>
#include <string.h>
int main(void) {
    unsigned sum = 0;
    for (unsigned n = 0; n < 100; n++) {
        unsigned char *used = malloc(100), *again;
        memset(used, 7, 100);
        free(used);
        again = malloc(100);
        sum += again[50];
        free(again);
    }
    return sum != 0;
}
"""


def test_gpgpusim_page_fills_the_heap_with_zeros(tmp_path):
    (tmp_path / "zero.c").write_text(ZERO)
    (tmp_path / "probe.c").write_text(PROBE)
    build = ["gcc", "-O0", "-fno-builtin", "-w", "probe.c", "-o", "accel-sim.out"]
    subprocess.run(build, cwd=tmp_path, check=True)
    assert subprocess.run(["./accel-sim.out"], cwd=tmp_path, check=False).returncode == 1
    assert subprocess.run(["bash", "-e", "-c", PRELOAD], cwd=tmp_path, check=False).returncode == 0


def test_gpgpusim_page_shows_the_message():
    text = (UNIT / "test_opndcoll_adapter.cpp").read_text("utf-8")
    tested = text.partition("// As docs/gpgpusim.md shows.\n")[2].partition(";\n")[0]
    assert "".join(re.findall(r'"(.*?)"', tested)) == MESSAGE.strip()
