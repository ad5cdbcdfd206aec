# SPDX-License-Identifier: Apache-2.0
"""What configurations share a build of the harness."""

import pytest
from wlk import tables
from wlk.run import jobs

BEHAVIOURAL = {
    "collector": ({"coll_entries": 3, "reg_banks": 1}, {"coll_entries": 4, "reg_banks": 2}),
    "scoreboard": ({"max_pending_reads": 2}, {"max_pending_reads": 3}),
    "issue": ({"in_order_per_warp": 0}, {"in_order_per_warp": 1}),
    "issue ": ({"forward_coll_issue": 0}, {"forward_coll_issue": 1}),
}


def built(block, given):
    table = tables.load(block.strip())
    return jobs.build_config(table, table.config(given))


@pytest.mark.parametrize("block", BEHAVIOURAL)
def test_values_that_no_port_shows_share_a_build(block):
    one, other = BEHAVIOURAL[block]
    assert built(block, one) == built(block, other)


@pytest.mark.parametrize(
    ("block", "one", "other"),
    [
        ("collector", {"num_lanes": 2}, {"num_lanes": 4}),
        ("collector", {"coll_entries": 2}, {"coll_entries": 4}),
        ("collector", {"debug": 0}, {"debug": 1}),
        ("issue", {"rs_entries": 4}, {"rs_entries": 8}),
    ],
)
def test_values_that_ports_show_do_not(block, one, other):
    assert built(block, one) != built(block, other)


@pytest.mark.parametrize("block", tables.names())
def test_it_has_the_ports_of_what_was_asked_for(block):
    table = tables.load(block)
    for given in list(table.configs.values())[:3]:
        config = table.config(given)
        chosen = jobs.build_config(table, config)
        for ports in zip(table.ports(chosen), table.ports(config), strict=True):
            one, other = ((p.name, p.width, p.word, p.lsb) for p in ports)
            assert one == other
        assert table.layout(chosen) == table.layout(config)
