# SPDX-License-Identifier: Apache-2.0
"""The first lockstep of a folder that `warplock new` has written runs, and names every output that
nobody models."""

import programs
import pytest
import styles
from programs import typed, warplock
from wlk import tables
from wlk.base import report
from wlk.base.errors import Status

pytestmark = [pytest.mark.slow, pytest.mark.needs("rtl")]
STUBS = programs.ROOT / "rtl_stub"
EXAMPLES = programs.ROOT / "docs" / "examples"
INNER = """collector/prf_bank collector_x/collector_x_entries common/compact common/dispatcher
common/queue_users common/rr_arbiter common/vx_arbiter common/vx_elastic_buffer common/vx_gpr_bank
common/vx_packet_iterator issue_x/issue_x_port issue_x/issue_x_row opndcoll/opndcoll_bank
opndcoll/opndcoll_dispatch reservation_station/reservation_station_row
scoreboard/scoreboard_count""".split()
SHOWN = ["fifo", "rr_arbiter"]  # of docs/examples
ALL = [*styles.MODULES, *INNER, *SHOWN]


def rtl_of(module, place):
    """The sources of a module, and its name."""
    if module in styles.MODULES:
        return [styles.write(place) / styles.file_of(module)], module
    if module in SHOWN:
        return [EXAMPLES / module / "rtl"], module
    folder, _, name = module.partition("/")
    return [STUBS / folder, *([STUBS / "common"] if folder != "common" else [])], name


def test_there_are_30_modules():
    assert len(ALL) == 30


@pytest.mark.parametrize("module", programs.part(ALL, 10))
def test_new_first_lockstep_is_vacuous_and_names_every_output(module, tmp_path):
    sources, name = rtl_of(module, tmp_path)
    block = f"my_{name.lower()}"
    warplock("new", block, "--module", name, "--rtl", *sources, "--out", tmp_path)
    words = ["--blocks", tmp_path / block, "--seeds", "1..2", "--cycles", "2000"]
    words += ["--reports", tmp_path / "reports"]
    done = typed("lockstep", block, *words, "--json", code=Status.VACUOUS)
    path = tmp_path / block / tables.files.TABLE
    table = tables.parse(tables.files.decode(path), path)
    outputs = [p.name for p in table.ports(table.defaults()) if p.direction == "out"]
    assert done.json["never_compared"] == outputs
    assert done.json["compared_bits"] == 0
    assert f"{block} default: nobody models: {report.named(outputs)}" in done.err


def test_new_each_output_modelled_adds_compares(tmp_path):
    """Half a model of the adder: its bits are compared, the others named; then a wrong one."""
    sources, name = rtl_of("alu_comb", tmp_path)
    warplock("new", "adder", "--module", name, "--rtl", *sources, "--out", tmp_path)
    model = tmp_path / "adder" / "model.c"
    empty = model.read_text()
    words = ["--blocks", tmp_path / "adder", "--seeds", "1..2", "--cycles", "2000"]
    words += ["--reports", tmp_path / "reports", "--json"]
    model.write_text(empty.replace("// SHOW(sum, 0);", "SHOW(sum, (uint64_t)in->a + in->b);"))
    done = typed("lockstep", "adder", *words, code=Status.VACUOUS)
    assert done.json["never_compared"] == ["double_", "int_"]
    assert done.json["compared_bits"] == 9 * done.json["cycles"]
    model.write_text(empty.replace("// SHOW(sum, 0);", "SHOW(sum, (uint64_t)in->a - in->b);"))
    done = typed("lockstep", "adder", *words, code=Status.FUNCTIONAL_MISMATCH)
    assert done.port == "sum"
    assert "  rule (" not in done.err  # its table has none
