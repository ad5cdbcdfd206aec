# SPDX-License-Identifier: Apache-2.0
"""With its defaults `collector_x` is the collector that exists as RTL (muon-designs §1), so both of
its models must explain the recordings of that one, port for port."""

from typing import NamedTuple

import adapter
import naive
import programs
import pytest
from adapter import Outputs, Row
from test_naive_recordings import read
from wlk import tables

pytestmark = pytest.mark.slow
OPERANDS = range(3)
SAME = {"num_lanes", "num_pregs", "rs_entries", "reg_banks"}


class Recorded(NamedTuple):
    """A recording in terms of `collector_x`: inputs, and what the outputs must be."""

    params: dict[str, int]
    inputs: list[Row]
    outputs: list[Row]


def translated(one: programs.Recording) -> Recorded:
    _, rows = read(one)
    params = {key: value for key, value in one.params.items() if key in SAME}
    params["coll_depth"] = one.params.get("coll_entries", 2)
    nexts = [row["io_readResp_bits_collEntry"] for row in rows[1:]]
    # The entry that a request is given shows on the ports of the next cycle.
    inputs = [_inputs(row, given) for row, given in zip(rows, nexts, strict=False)]
    outputs = [_outputs(row, given) for row, given in zip(rows, nexts, strict=False)]
    return Recorded(params, inputs, outputs)


def _fires(row: Row) -> int:
    return row["io_readReq_valid"] & row["io_readReq_ready"]


def _inputs(row: Row, given: int) -> Row:
    """A request takes an entry and reads all its operands at once."""
    found = {"reset": row["reset"], "io_alloc_valid": _fires(row), "io_alloc_group": 0}
    for i in OPERANDS:
        at, old = f"io_readReq_regs_{i}", f"io_readReq_bits_regs_{i}"
        found[f"{at}_enable"] = _fires(row) & row[f"{old}_enable"]
        found[f"{at}_pReg"] = row[f"{old}_pReg"]
        found[f"{at}_rsEntryId"] = row["io_readReq_bits_rsEntryId"]
        found[f"{at}_opIdx"], found[f"{at}_collEntry"] = i, given
        enable = row[f"io_readData_req_bits_regs_{i}_enable"]
        found[f"io_readData_req_regs_{i}_enable"] = enable
    found["io_readData_req_valid"] = row["io_readData_req_valid"]
    found["io_readData_req_collEntry"] = row["io_readData_req_bits_collEntry"]
    found["io_writeReq_valid"] = row["io_writeReq_valid"] & row["io_writeReq_bits_regs_0_enable"]
    found["io_writeReq_commit"] = 1
    old = "io_writeReq_bits_regs_0_"
    for name, value in row.items():
        if name.startswith(old) and not name.endswith("_enable"):
            found[f"io_writeReq_regs_0_{name.removeprefix(old)}"] = value
    return found


def _outputs(row: Row, given: int) -> Row:
    found = {
        "io_room_0_valid": row["io_readReq_ready"],
        "io_writeResp_valid": row["io_writeResp_valid"],
    }
    if _fires(row) and not row["reset"]:
        found["io_room_0_collEntry"] = given
    for i in OPERANDS:
        enable = row["io_readResp_valid"] & row[f"io_readResp_bits_regs_{i}_enable"]
        at = f"io_readResp_regs_{i}"
        found[f"{at}_enable"], found[f"{at}_lost"] = enable, 0
        found[f"{at}_opIdx"] = i if enable else 0
        found[f"{at}_collEntry"] = row["io_readResp_bits_collEntry"] if enable else 0
    for name, value in row.items():
        if name.startswith("io_readData_resp_bits_") and "_data_" in name:
            found[name.replace("_bits_", "_")] = value
    return found


def check(one: programs.Recording, recorded: Recorded, got: list[Outputs]) -> None:
    """Every output that has a counterpart; as many bits are unknown as in the recorded block."""
    masked = 0
    reset_seen = False
    for cycle, (want, outputs) in enumerate(zip(recorded.outputs, got, strict=True)):
        for name, value in want.items():
            shown, care = outputs[name]
            assert (shown ^ value) & care == 0, f"{one.name}, cycle {cycle}: {name}"
            if reset_seen and "_data_" in name:
                masked += 32 - care.bit_count()
            elif reset_seen:
                assert care, f"{one.name}, cycle {cycle}: {name} is masked"
        reset_seen = reset_seen or bool(recorded.inputs[cycle]["reset"])
    assert masked == one.masked


RECORDINGS = [pytest.param(one, id=one.name) for one in programs.recordings("collector")]


@pytest.mark.parametrize("one", RECORDINGS)
def test_model_with_defaults_is_the_recorded_collector(one: programs.Recording) -> None:
    recorded = translated(one)
    table = tables.load("collector_x")
    config = table.config(recorded.params)
    ports = naive.model("collector_x", recorded.params).ports
    got = adapter.model_cycles(table, config, ports, recorded.inputs)
    check(one, recorded, [outputs for outputs, _ in got])
    assert not any(broken for _, broken in got)


@pytest.mark.parametrize("one", RECORDINGS)
def test_naive_model_with_defaults_is_the_recorded_collector(one: programs.Recording) -> None:
    recorded = translated(one)
    model = naive.model("collector_x", recorded.params)
    check(one, recorded, [model.step(row) for row in recorded.inputs])
