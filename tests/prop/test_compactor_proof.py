# SPDX-License-Identifier: Apache-2.0
"""The stub's Compactor proved in every size up to four inputs: order kept, none lost, none doubled.

The block has no state, so what the solver finds true of one cycle is true of all.
"""

from __future__ import annotations

import subprocess

import programs
import pytest

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


def prove(files: list, n: int, k: int) -> subprocess.CompletedProcess[str]:
    """Ask Yosys; its exit code says whether the proof holds."""
    script = (
        f"read_verilog -sv -formal {' '.join(map(str, files))}; "
        f"chparam -set N {n} -set K {k} compactor_proof; prep -flatten -top compactor_proof; "
        "opt -full; select -assert-min 1 t:$assert; sat -prove-asserts -verify"
    )
    command = ["yosys", "-q", "-p", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_compactor_keeps_order_and_loses_and_doubles_none(n: int, k: int) -> None:
    done = prove(FILES, n, k)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("fault", FAULTS)
def test_proof_fails_for_a_faulty_compactor(fault: str, tmp_path) -> None:
    find, instead = FAULTS[fault]
    text = FILES[0].read_text(encoding="utf-8")
    assert text.count(find) == 1
    broken = tmp_path / FILES[0].name
    broken.write_text(text.replace(find, instead), encoding="utf-8")
    done = prove([broken, *FILES[1:]], 4, 2)
    assert done.returncode == 1, fault
    assert "model found" in done.stdout + done.stderr or "proof did fail" in done.stderr
