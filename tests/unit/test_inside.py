# SPDX-License-Identifier: Apache-2.0
"""Which block inside a composed one is at fault where no checker of its own can see it."""

import pytest
from wlk import tables
from wlk.fit import inside

ISSUE = tables.load("issue")
CONFIG = ISSUE.config(ISSUE.configs["rows2"])
BOUND = inside.of_stub(ISSUE, CONFIG)
MODULES = {each.table.name: each.present for each in BOUND}


def suspects(bound=BOUND, **dropped):
    """Those of the stub whose modules lack these outputs: {output of the stage: (block, port)}."""
    modules = {
        block: [port for port in ports if port not in dropped.get(block, ())]
        for block, ports in MODULES.items()
    }
    words = inside.suspects(ISSUE, CONFIG, bound, modules)
    return {port: (block, lacks) for port, block, lacks in (word.split(":") for word in words)}


def without(*blocks):
    return [each for each in BOUND if each.table.name not in blocks]


READY, LOST = "io_ibuf_0_ready", "io_readData_resp_bits_1_enable"


def test_port_that_drives_an_output():
    assert suspects() == {}
    assert suspects(hazard=[READY]) == {READY: ("hazard", READY)}


def test_port_that_is_gated_into_an_output():
    found = suspects(collector=[LOST])
    assert set(found.values()) == {("collector", LOST)}
    assert {port.rpartition("_")[0] for port in found} == {"io_operands_1"}


def test_block_without_a_checker():
    found = suspects(without("hazard"))
    assert found[READY] == ("hazard", "")
    assert "io_issue_valid" not in found  # the reservation station has a checker, and it passes


def test_port_behind_a_block_without_a_checker():
    """The reservation station cannot be checked, since the port is no input of it any more."""
    found = suspects(without("reservation_station"), hazard=["io_rsAdmit_valid"])
    assert found["io_issue_valid"] == ("hazard", "io_rsAdmit_valid")


@pytest.mark.parametrize("block", ["collector", "scoreboard"])
def test_blocks_without_instances_have_none(block):
    table = tables.load(block)
    assert inside.suspects(table, table.defaults(), [], {}) == []
