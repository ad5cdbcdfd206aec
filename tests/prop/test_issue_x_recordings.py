# SPDX-License-Identifier: Apache-2.0
"""With its defaults `issue_x` is the stage that exists as RTL (muon-designs §1), so both of its
models must explain the recordings of that one, port for port."""

import naive
import programs
import pytest
from adapter import Outputs, Row
from test_naive_recordings import read
from wlk import tables

pytestmark = pytest.mark.slow


def parameters(one: programs.Recording) -> dict[str, int]:
    known = tables.load("issue_x").params
    found = {name: value for name, value in one.params.items() if name in known}
    return found | {"coll_depth": one.params.get("coll_entries", 2)}


def naive_cycles(one: programs.Recording, rows: list[Row]) -> list[Outputs]:
    """The outputs, of the readings that the recording does not contradict."""
    model = naive.model("issue_x", parameters(one))
    inputs = [port.name for port in model.ports if port.direction == "i"]
    return [model.step({name: row[name] for name in inputs}, row) for row in rows]


def check(one: programs.Recording, rows: list[Row], got: list[Outputs], widths: dict) -> None:
    """Every output that was recorded; as many bits are unknown as in the recorded block."""
    masked = compared = 0
    reset_seen = False
    for cycle, (row, outputs) in enumerate(zip(rows, got, strict=True)):
        for name in outputs.keys() & row.keys():
            value, care = outputs[name]
            assert (value ^ row[name]) & care == 0, f"{one.name}, cycle {cycle}: {name}"
            if reset_seen:
                masked += widths[name] - care.bit_count()
                compared += 1
        assert outputs["io_writeback_ready"][0] or not reset_seen
        reset_seen = reset_seen or bool(row["reset"])
    assert compared > 1000
    assert masked == one.masked


RECORDINGS = [pytest.param(one, id=one.name) for one in programs.recordings("issue")]


@pytest.mark.parametrize("one", RECORDINGS)
def test_naive_stage_with_defaults_is_the_recorded_one(one: programs.Recording) -> None:
    listed, rows = read(one)
    check(one, rows, naive_cycles(one, rows), {port.name: port.width for port in listed})


@pytest.mark.parametrize("one", RECORDINGS)
def test_every_recorded_port_is_there(one: programs.Recording) -> None:
    listed, _ = read(one)
    own = {port.name: port for port in naive.model("issue_x", parameters(one)).ports}
    assert [own.get(port.name) for port in listed] == listed
