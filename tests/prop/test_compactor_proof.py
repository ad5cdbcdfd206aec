# SPDX-License-Identifier: Apache-2.0
"""The stub's Compactor proved in every size up to four inputs: order kept, none lost, none doubled.

The block has no state, so what a solver finds true of one cycle is true of all. Two solvers are
asked, Yosys' own and ABC.
"""

import subprocess
from pathlib import Path

import programs
import pytest

pytestmark = pytest.mark.needs("yosys")

STUBS = programs.ROOT / "rtl_stub"
FILES = [
    STUBS / "common" / "compact.sv",
    STUBS / "compactor" / "compactor_core.sv",
    programs.ROOT / "tests" / "prop" / "compactor_proof.sv",
]
SIZES = [(n, k) for n in range(1, 5) for k in range(1, n + 1)]
FAULTS = {
    "lost": ("CountW'(valid_i[i-1]);", "CountW'(1'b1);"),
    "doubled": ("if (valid_i[i]) begin", "if (valid_i[0]) begin"),
    "order": ("CountW'(j)) begin", "CountW'(NumOut - 1 - j)) begin"),
    "payload": ("= data_i[i*DataW+:DataW];", "= data_i[j*DataW+:DataW];"),
    "ready": ("ready_o[i] = ready_i[j];", "ready_o[i] = ready_i[0];"),
    "zero": ("data_o  = '0;", "data_o  = '1;"),
}


READ = (
    "read_verilog -sv -formal {files}; chparam -set N {n} -set K {k} compactor_proof; "
    "prep -flatten -top compactor_proof; opt -full; select -assert-min 1 t:$assert; "
)
YOSYS = "sat -prove-asserts -verify"
AIGER = "opt -fast; techmap; abc -g AND -fast; write_aiger -I -B -zinit {aiger}"


def say(*command: str) -> str:
    """A tool's whole output; that a proof fails it may report by its exit code too."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return done.stdout + done.stderr


def by_yosys(script: str, _place: Path) -> str:
    return say("yosys", "-p", script + YOSYS)


def by_abc(script: str, place: Path) -> str:
    """As an and-inverter graph, an output for each assertion that is 1 where it fails."""
    aiger = place / "proof.aig"
    written = say("yosys", "-q", "-p", script + AIGER.format(aiger=aiger))
    return written + say("yosys-abc", "-c", f"read_aiger {aiger}; strash; iprove")


# Who proves, what it prints of a proof that holds, and of one that fails.
ENGINES = {
    "yosys": (by_yosys, "SUCCESS!", "proof did fail"),
    "abc": (by_abc, "UNSATISFIABLE", "\nSATISFIABLE"),
}


def holds(engine: str, files: list[Path], n: int, k: int, place: Path) -> bool:
    """Does every assertion hold? An engine that answers neither yes nor no fails the test."""
    ask, yes, no = ENGINES[engine]
    answer = ask(READ.format(files=" ".join(map(str, files)), n=n, k=k), place)
    assert (yes in answer) != (no in answer), answer
    return yes in answer


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("n", "k"), SIZES)
def test_compactor_keeps_order_and_loses_and_doubles_none(engine, n, k, tmp_path) -> None:
    assert holds(engine, FILES, n, k, tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("fault", FAULTS)
def test_proof_fails_for_a_faulty_compactor(engine, fault, tmp_path) -> None:
    find, instead = FAULTS[fault]
    text = FILES[0].read_text(encoding="utf-8")
    assert text.count(find) == 1
    broken = tmp_path / FILES[0].name
    broken.write_text(text.replace(find, instead), encoding="utf-8")
    assert not holds(engine, [broken, *FILES[1:]], 4, 2, tmp_path)
