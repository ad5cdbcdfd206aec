# SPDX-License-Identifier: Apache-2.0
"""Every stub in Icarus: it shows what the model shows, also in the bench of `vectors export`, and
its checker without C passes."""

import icarus
import programs
import pytest
from wlk import tables
from wlk.base.errors import Status
from wlk.gen import hardware_checker

pytestmark = [pytest.mark.slow, pytest.mark.needs("iverilog")]
CYCLES = 40
TABLES = {name: tables.load(name) for name in tables.names()}
# Too slow for Icarus by their size; their modules stand in other configurations.
LONG = {("issue_x", "default"), ("opndcoll", "many_units"), ("opndcoll", "many_banks")}
ALL = [(n, c) for n, table in TABLES.items() for c in table.configs if (n, c) not in LONG]
PART = [(name, table.small) for name, table in TABLES.items()]


def has_a_stub(block: str, config: tables.Config) -> bool:
    """Its stub has every behaviour that the configuration asks for."""
    try:
        hardware_checker.require_stub(TABLES[block], config)
    except programs.WlkError as error:
        assert error.status == Status.BAD_CONFIG
        return False
    return True


@pytest.mark.parametrize(("block", "name"), sorted(set(ALL if programs.FULL else PART)))
def test_stub_shows_what_the_model_shows(block, name, tmp_path):
    table = TABLES[block]
    config = table.config(table.configs[name])
    if not has_a_stub(block, config):
        pytest.skip("the stub has not got a behaviour of this configuration")
    if not icarus.settles(block, config):
        pytest.skip("Icarus 11 does not come to rest in this stub; 12 does")
    made = icarus.bench(block, table.show(config), tmp_path, CYCLES)
    stub = icarus.stub(made)
    printed = icarus.run(made, stub, "", tmp_path)
    assert icarus.played(made, stub, tmp_path) is None
    assert printed.count("\n> ") >= CYCLES - 1
    assert icarus.first_difference(made, printed) is None
    assert sum(int(care, 16).bit_count() for r in made.records for care in r["care"].values()) > 9


def test_checker_begins_behind_the_first_edge_in_reset(tmp_path):
    """As the one with DPI does, where nothing is known of the power-up."""
    made = icarus.bench("scoreboard", TABLES["scoreboard"].configs["tiny"], tmp_path, CYCLES)
    first = next(n for n, record in enumerate(made.records) if record["in"]["reset"] == "1")
    found = icarus.checked(made, icarus.stub(made), tmp_path, start=False)
    assert (found.port, found.mismatches) == ("", 0)
    assert found.compared == CYCLES - first - 1
    assert "PASS" in found.printed


def test_checker_without_a_reset_compares_nothing_and_says_so(tmp_path):
    made = icarus.bench("scoreboard", TABLES["scoreboard"].configs["tiny"], tmp_path, CYCLES)
    records = [record | {"in": record["in"] | {"reset": "0"}} for record in made.records]
    quiet = icarus.Bench(made.table, made.config, records)
    found = icarus.checked(quiet, icarus.stub(made), tmp_path, start=False)
    assert (found.port, found.compared) == ("", 0)
    assert "VACUOUS" in found.printed


def test_difference_is_shown_in_one_line_and_counted(tmp_path):
    made = icarus.bench("collector", {"num_lanes": 2, "num_pregs": 16}, tmp_path, CYCLES)
    good = "assign writeReq_ready_o = 1'b1;"
    text = icarus.stub(made)
    assert text.count(good) == 1
    faulty = text.replace(good, "assign writeReq_ready_o = (write_valid_q === 1'b1) ? 1'bx : 1'b1;")
    found = icarus.checked(made, faulty, tmp_path)
    assert found.port == "io_writeReq_ready"
    assert found.mismatches == sum(
        int(record["out"]["io_writeResp_valid"], 16) for record in made.records
    )
    line = f"FUNCTIONAL_MISMATCH in cycle {found.cycle} at io_writeReq_ready: RTL x, expected 1"
    assert found.printed.count("warplock: collector ") == 1
    assert line in found.printed
