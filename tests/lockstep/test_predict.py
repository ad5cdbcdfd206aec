# SPDX-License-Identifier: Apache-2.0
"""`warplock model --predict`: the functions one by one in predict.sv. The example that uses them is
run by test_collector_tb.py."""

import re
import subprocess
from pathlib import Path

import programs
import pytest
import rtl_under_test as rut

pytestmark = pytest.mark.slow
FUNCTIONS = Path(__file__).with_name("predict.sv")
CONFIG = {"num_lanes": 1, "num_pregs": 16}
PROTOTYPES = '#include "{header}"\n#include "warplock/model.h"\n'


@pytest.fixture(scope="module")
def simulation():
    out, place = rut.folder("predict_wlk"), rut.folder("predict_sim")
    words = ("--predict", *programs.config_options(CONFIG), "--out", out)
    answer = rut.warplock("model", "collector", *words, "--json").json
    assert answer["package"] == "wlk_predict_collector_pkg"
    return programs.simulation(place, "predict_tb", "-f", out / "warplock.f", FUNCTIONS)


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=60)


def prototypes_agree(program):
    """What Verilator makes of the imports and the library's header are one and the same."""
    header = program.with_name(f"{program.name}__Dpi.h")
    assert "wlk_model_put" in header.read_text()
    root = re.search(r"VERILATOR_ROOT = (.*)", program.with_name(f"{program.name}.mk").read_text())
    folders = [Path(root[1]) / "include", Path(root[1]) / "include/vltstd"]
    folders += [rut.ROOT / name for name in ("dpi/include", "refmodel/include")]
    words = ["-fsyntax-only", "-Werror", "-x", "c++", *(f"-I{each}" for each in folders), "-"]
    text = PROTOTYPES.format(header=header)
    done = subprocess.run(["g++", *words], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_functions_do_what_they_say(simulation):
    done = run(simulation)
    assert done.returncode == 0
    assert done.stderr == ""
    assert [line for line in done.stdout.splitlines() if not line.startswith("- ")] == ["done"]
    prototypes_agree(simulation)


@pytest.mark.parametrize(
    ("use", "line", "ends"),
    [
        (1, "eval: no predictor; give what open() returned, unless it is null", True),
        (2, "one: restore: no snapshot; give what snapshot() returned", False),
        (3, "one: restore: no snapshot; give what snapshot() returned", False),
        (4, "snapshot: no predictor; give what open() returned, unless it is null", False),
        (5, "tick: no predictor; give what open() returned, unless it is null", True),
    ],
)
def test_wrong_use_is_one_line(simulation, use, line, ends):
    done = run(simulation, f"+USE={use}")
    assert done.stderr.splitlines()[:1] == [f"warplock: {line}"]
    assert (done.returncode != 0) == ends
    assert ("done" in done.stdout) != ends
