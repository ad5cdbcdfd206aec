# SPDX-License-Identifier: Apache-2.0
"""Pictures of failures: cells, groups, what is marked."""

import xml.etree.ElementTree as ElementTree

import pytest
from wlk import tables
from wlk.run import picture

TABLE = tables.load("collector")
CONFIG = TABLE.config({"num_lanes": 1, "num_pregs": 16, "coll_entries": 2})
PORTS = {port.name: port for port in TABLE.ports(CONFIG)}


def record(**values):
    """A cycle; what is not named is 0, and the model cares for all of it."""
    given = {name if name == "reset" else f"io_{name}": value for name, value in values.items()}
    assert given.keys() <= PORTS.keys()
    sides = {"in": {}, "out": {}, "care": {}}
    for name, port in PORTS.items():
        sides[port.direction][name] = f"{given.get(name, 0):x}"
        if port.direction == "out":
            sides["care"][name] = "0" if given.get(name) == -1 else "1"
    return sides


CYCLES = [
    record(reset=1, readReq_ready=-1),
    record(readReq_valid=1, readReq_bits_regs_0_enable=1, readReq_bits_regs_0_pReg=11),
    record(readResp_valid=1, readResp_bits_regs_0_enable=1),
]
WRONG = [picture.Difference("io_readResp_bits_collEntry", 1, 0)]


def lines(drawn):
    return {s["name"]: s for group in drawn["signal"] for s in group[1:]}


@pytest.fixture
def drawn():
    return picture.draw(TABLE, CONFIG, CYCLES, 2, WRONG)


def test_only_used_handshakes_are_there(drawn):
    assert [group[0] for group in drawn["signal"]] == ["reset", "readReq", "readResp"]


def test_port_that_differs_is_there_twice_and_marked(drawn):
    found = lines(drawn)
    assert "io_readResp_bits_collEntry" not in found
    wrong, right = (found[f"io_readResp_bits_collEntry ({side})"] for side in ("RTL", "model"))
    assert (wrong["wave"][-1], wrong["data"][-1]) == (picture.WRONG, "1")
    assert (right["wave"][-1], right["data"][-1]) == (picture.RIGHT, "0")
    assert sum(picture.WRONG in s["wave"] for s in found.values()) == 1


def test_bits_are_shown_while_they_mean_something(drawn):
    found = lines(drawn)
    register = found["io_readReq_bits_regs_0_pReg"]
    assert (register["wave"], register["data"]) == ("x=x", ["11"])  # in decimal
    assert found["io_readReq_bits_regs_0_enable"]["wave"] == "x1x"
    assert found["io_readReq_ready"]["wave"] == "x0."
    assert found["reset"]["wave"] == "10."


def test_long_run_shows_its_end():
    cycles = [record(reset=1), *([record()] * 60), CYCLES[2]]
    drawn = picture.draw(TABLE, CONFIG, cycles, len(cycles) - 1, WRONG)
    assert drawn["head"]["tick"] == len(cycles) - picture.MOST_CYCLES
    assert {len(s["wave"]) for s in lines(drawn).values()} == {picture.MOST_CYCLES}


def test_port_outside_the_handshakes_is_at_the_end():
    table = tables.load("issue")
    config = table.config(table.configs[table.small])
    ports = table.ports(config)
    sides = {"in": {}, "out": {}, "care": {}}
    for port in ports:
        sides[port.direction][port.name] = "0"
    sides["care"] = dict.fromkeys(sides["out"], "1")
    name = next(p.name for p in ports if p.field.flat.endswith("stallsWAW"))
    drawn = picture.draw(table, config, [sides], 0, [picture.Difference(name, 7, 3)])
    assert [s["name"] for s in drawn["signal"][-1][1:]] == [f"{name} (RTL)", f"{name} (model)"]


@pytest.mark.parametrize("cycles", [1, 2, 3])
def test_each_length_is_drawn(cycles):
    drawn = picture.draw(TABLE, CONFIG, CYCLES[:cycles], cycles - 1, WRONG)
    ticks = "".join(ElementTree.fromstring(picture.svg(drawn)).itertext())
    assert all(str(number) in ticks for number in range(cycles if cycles > 1 else 0))
    assert "io_readResp_bits_collEntry (RTL)" in ticks


def test_svg_is_one(drawn):
    drawn["signal"][1][1]["name"] = "<b>&"
    text = picture.svg(drawn)
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert "<b>" not in text
