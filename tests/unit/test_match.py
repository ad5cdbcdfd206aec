# SPDX-License-Identifier: Apache-2.0
"""Matching ports with a port table: parameters inferred, ports classified, scopes found."""

from pathlib import Path

import programs
import pytest
from programs import TRACES
from wlk import tables
from wlk.base.errors import Status, WlkError
from wlk.fit import match as m
from wlk.fit import rivals

TABLE = tables.load("collector")
BLOCKS = tables.names()


def shapes(table: tables.Table = TABLE, clock: bool = True, **given: object) -> list[m.PortShape]:
    """The ports of a configuration, as read from RTL."""
    cfg = table.config(given)
    ports = programs.shapes(table, cfg)
    return ([(table.clock, "in", 1)] if clock and table.clock else []) + ports


def without(ports: list[m.PortShape], *parts: str) -> list[m.PortShape]:
    return [p for p in ports if not any(part in p[0] for part in parts)]


def changed(ports: list[m.PortShape], name: str, *, direction=None, width=None):
    assert name in [p[0] for p in ports]
    return [(n, direction or d, width or w) if n == name else (n, d, w) for n, d, w in ports]


def scope(ports: list[m.PortShape]) -> list[m.PortShape]:
    """The same without directions, as a waveform shows them."""
    return [(n, None, w) for n, _, w in ports]


def differences(found: m.Match) -> list[tuple[str, str, str]]:
    return [(d.port, d.expected, d.found) for d in found.differences]


@pytest.mark.parametrize("lanes", [1, 2, 16, 32, 64])
@pytest.mark.parametrize("pregs", [2, 256, 1024])
@pytest.mark.parametrize("debug", [0, 1])
def test_infers_lanes_registers_debug(lanes: int, pregs: int, debug: int) -> None:
    found = m.match(TABLE, shapes(num_lanes=lanes, num_pregs=pregs, debug=debug))
    assert found.kind == "equal"
    assert (found.config["num_lanes"], found.config["num_pregs"]) == (lanes, pregs)
    assert found.config["debug"] == debug
    assert {found.params[n].how for n in ("num_lanes", "num_pregs", "debug")} == {"ports"}
    assert found.params["num_lanes"].evidence.startswith("io_")


@pytest.mark.parametrize(
    ("entries", "possible", "value", "how"),
    [
        (1, (1, 2), 2, "default"),
        (2, (1, 2), 2, "default"),
        (3, (3, 4), 4, "largest"),
        (8, (5, 6, 7, 8), 8, "largest"),
        (32, tuple(range(17, 33)), 32, "largest"),
    ],
)
def test_entries_only_up_to_a_range(entries: int, possible: tuple, value: int, how: str) -> None:
    found = m.match(TABLE, shapes(coll_entries=entries, rs_entries=entries))
    item = found.params["coll_entries"]
    assert (item.possible, item.value, item.how) == (possible, value, how)
    assert item.ambiguous
    assert not found.params["rs_entries"].ambiguous  # no rule reads it
    [question] = found.questions()
    assert "--config coll_entries=" in question
    found = m.match(TABLE, shapes(coll_entries=entries), {"coll_entries": entries})
    assert (found.config["coll_entries"], found.params["coll_entries"].how) == (entries, "given")
    assert found.kind == "equal" and not found.questions()


def test_lane_bits_and_parameters_without_ports() -> None:
    found = m.match(TABLE, shapes(lane_bits=64), {"reg_banks": 4, "bank_select": "modulo"})
    assert (found.config["lane_bits"], found.config["reg_banks"]) == (64, 4)
    assert TABLE.show(found.config)["bank_select"] == "modulo"
    assert found.params["read_during_write"].how == "default"
    assert found.kind == "equal"


def test_given_that_the_ports_contradict_names_the_port() -> None:
    found = m.match(TABLE, shapes(num_pregs=1024), {"num_pregs": 256})
    assert found.kind == "conflict"
    [note] = found.notes
    assert "num_pregs=256 was given, but port io_" in note and "pReg shows num_pregs=1024" in note
    assert [d.port for d in found.differences if "pReg" not in d.port] == []
    assert differences(found)[0][1:] == ("input 8 bits", "input 10 bits")
    assert note in m.render_differences(found)
    with pytest.raises(WlkError, match="num_pregs=256 was given"):
        found.require("top.v")


@pytest.mark.parametrize(
    ("given", "part"),
    [({"lanes": 2}, "no parameter 'lanes'"), ({"num_lanes": "x"}, "num_lanes=x is not legal")],
)
def test_given_that_is_not_legal(given: dict, part: str) -> None:
    with programs.error(Status.BAD_CONFIG, part):
        m.match(TABLE, shapes(), given)


def test_subset_missing_outputs_and_unread_inputs() -> None:
    found = m.match(TABLE, without(shapes(), "rsEntryId", "writeResp", "resp_bits_2_data"))
    assert found.kind == "subset" and found.config["num_lanes"] == 16
    assert found.tied_off == ["io_readReq_bits_rsEntryId", "io_writeReq_bits_rsEntryId"]
    assert "io_writeResp_valid" in found.missing_outputs and len(found.missing_outputs) == 19
    text = m.render_differences(found)
    assert "not compared (19)" in text and "io_readData_resp_bits_2_data_0..15" in text
    assert "tied off (2)" in text
    found.require("top.v")


def test_debug_build_whose_unread_ports_are_gone() -> None:
    found = m.match(TABLE, without(shapes(debug=1), "debug_", "_pc"))
    assert (found.kind, found.config["debug"]) == ("equal", 0)
    found = m.match(TABLE, without(shapes(debug=1), "debug_"))
    assert (found.kind, found.config["debug"]) == ("subset", 1)


@pytest.mark.parametrize(
    "name", ["reset", "clock", "io_readReq_valid", "io_writeReq_bits_regs_0_data_5"]
)
def test_missing_input_that_is_read_is_refused_by_name(name: str) -> None:
    found = m.match(TABLE, [p for p in shapes() if p[0] != name])
    assert (found.kind, found.missing_inputs) == ("refused", [name])
    with programs.error(Status.IFACE_CHANGED, f"input {name} is missing", "module X (x.v:1)"):
        found.require("module X (x.v:1)")
    assert f"reads (1): {name}" in m.render_differences(found)


COMPACTOR = tables.load("compactor")
FOLDED = "io_out_1_ready"


def test_missing_input_may_be_tied() -> None:
    ports = without(shapes(COMPACTOR), FOLDED)
    assert not m.match(COMPACTOR, ports).ok
    assert not m.may_fit(COMPACTOR, {"io_in_0_valid"})
    found = m.match(COMPACTOR, ports, ties={FOLDED: 1})
    assert (found.kind, found.tied, found.missing_inputs) == ("subset", {FOLDED: 1}, [])
    port = next(p for p in COMPACTOR.ports(found.config) if p.name == FOLDED)
    assert m.tie_places(found) == [f"{port.word}:{port.lsb}:1:1"]
    m.require_ties([FOLDED], [found], "the RTL")


@pytest.mark.parametrize(
    ("ties", "message"),
    [
        ({"io_out_1_redy": 1}, "no input of compactor has this name; did you mean io_out_1_ready?"),
        ({"io_out_0_ready": 1}, "the RTL has this port"),
        ({"io_in_0_ready": 1}, "the RTL has this port"),
        ({FOLDED: 2}, "the port has 1 bit; the most is 1"),
    ],
)
def test_tie_that_cannot_be_is_refused(ties: dict[str, int], message: str) -> None:
    with programs.error(Status.USAGE, message):
        found = m.match(COMPACTOR, without(shapes(COMPACTOR), FOLDED), ties=ties)
        m.require_ties(ties, [found], "the RTL")


def test_no_output_at_all_is_refused() -> None:
    found = m.match(TABLE, [p for p in shapes() if p[1] == "in"])
    assert found.kind == "refused"
    with pytest.raises(WlkError, match="nothing could be compared"):
        found.require("x")


def test_one_odd_port_is_the_only_difference() -> None:
    ports = changed(shapes(), "io_writeReq_bits_regs_0_data_3", width=31)
    ports = changed(ports, "io_readReq_bits_regs_1_pReg", width=10)
    ports = changed(ports, "io_readReq_ready", direction="in")
    found = m.match(TABLE, ports)
    assert found.kind == "conflict"
    assert set(differences(found)) == {
        ("io_writeReq_bits_regs_0_data_3", "input 32 bits", "input 31 bits"),
        ("io_readReq_bits_regs_1_pReg", "input 8 bits", "input 10 bits"),
        ("io_readReq_ready", "output 1 bit", "input 1 bit"),
    }
    lines = m.render_differences(found).splitlines()
    assert lines[0].split() == ["port", "expected", "found"]
    with pytest.raises(WlkError, match=r"and 2 more"):
        found.require("x")


@pytest.mark.parametrize("direction", ["in", "out", "inout"])
def test_extra_port_conflicts_in_rtl_and_not_in_a_scope(direction: str) -> None:
    extra = ("io_readReq_bits_priority", direction, 2)
    found = m.match(TABLE, [*shapes(), extra])
    assert [d.port for d in found.differences] == ["io_readReq_bits_priority"]
    inside = m.match(TABLE, scope([*shapes(), extra]))
    assert inside.kind == "equal" and "io_readReq_bits_priority" not in inside.present


def test_extra_lane_conflicts_in_a_scope_too() -> None:
    extra = ("io_writeReq_bits_regs_0_data_16", None, 32)
    found = m.match(TABLE, [*scope(shapes()), extra])
    assert found.config["num_lanes"] == 16
    assert [d.port for d in found.differences] == [extra[0]]


def test_loose_width_may_vary_up_to_its_limit() -> None:
    ports = changed(shapes(debug=1), "debug_coreId", width=3)
    found = m.match(TABLE, ports)
    assert found.kind == "equal" and "debug_coreId" in found.present
    found = m.match(TABLE, changed(ports, "debug_coreId", width=9))
    assert found.differences[0].expected == "input 1 bit (up to 8)"


def test_csv_has_no_clock() -> None:
    assert m.match(TABLE, shapes(clock=False), clock=False).kind == "equal"
    assert m.fits(TABLE, shapes(clock=False)) == 0
    assert m.fits(TABLE, shapes(clock=False), clock=False) == 1


NAMED = scope(shapes())


@pytest.mark.parametrize(
    ("ports", "score"),
    [
        (scope(shapes(num_lanes=4, debug=1)), 1),
        ([*NAMED, ("nextAllocId", None, 1)], 1),
        (scope([p for p in shapes() if p[1] == "in"]), 0),
        (without(NAMED, "reset"), 0),
        (changed(NAMED, "io_readReq_ready", width=2), 0),
        (without(NAMED, "data_7"), 0),
    ],
)
def test_fits_scores_scopes(ports: list[m.PortShape], score: int) -> None:
    assert m.fits(TABLE, ports) == score


def test_fits_scores_scopes_without_some_ports_lower() -> None:
    assert 0 < m.fits(TABLE, without(NAMED, "rsEntryId", "writeResp")) < 1


def other_table(**block: object) -> tables.Table:
    """A block that is no collector: array of a parameter, two parameters in one expression."""
    text = dict.fromkeys(("module", "spec", "doc"), "Other")
    raw = {
        "format": 1,
        "block": {"name": "other", "model_version": 1, **text, **block},
        "param": [
            {"name": "warps", "default": 8, "min": 1, "max": 16, "behavioural": True},
            {"name": "bits", "default": 4, "min": 1, "max": 4},
            {"name": "fast", "default": 1, "min": 0, "max": 1},
        ],
        "field": [
            {"name": "wid", "dir": "in", "width": "idw(warps)"},
            {"name": "flat", "dir": "out", "width": "warps * bits"},
            {"name": "warps[warps].stalls", "dir": "out", "width": "64", "when": "fast"},
            {"name": "warps[warps].lane", "lanes": "bits", "dir": "out", "width": "1"},
        ],
    }
    return tables.parse(raw, Path("other.toml"))


def test_block_without_clock_and_reset() -> None:
    table = other_table()
    assert m.match(table, shapes(table)).kind == "equal"
    assert m.fits(table, shapes(table)) == 1
    clocked = other_table(clock="clk", reset="rst")
    assert m.fits(clocked, shapes(clocked)) == 0
    with_reset = [*shapes(clocked), ("rst", "in", 1)]
    assert m.fits(clocked, with_reset) == 1


@pytest.mark.parametrize("warps", [1, 3, 6, 7, 16])
@pytest.mark.parametrize("bits", [1, 3, 4])
def test_counts_and_products_of_two_parameters(warps: int, bits: int) -> None:
    table = other_table()
    cfg = {"warps": warps, "bits": bits, "fast": 0}
    found = m.match(table, shapes(table, **cfg))
    assert (found.kind, found.config) == ("equal", cfg)
    # without the arrays, the product and the index width together still determine much
    found = m.match(table, without(shapes(table, **cfg), "lane", "stalls"), {"bits": bits})
    assert found.config["warps"] == warps


def test_given_value_narrows_the_others() -> None:
    table = other_table()
    ports = [("io_wid", "in", 3), ("io_flat", "out", 24)]
    found = m.match(table, ports)
    assert found.params["warps"].possible == (6, 8) and found.params["warps"].ambiguous
    assert m.match(table, ports, {"bits": 4}).config["warps"] == 6
    assert m.match(table, ports, {"bits": 2}).kind == "conflict"


def test_counts_from_array_indices_alone() -> None:
    table = other_table()
    ports = without(shapes(table, warps=6, bits=2, fast=0), "flat")
    found = m.match(table, ports)
    assert found.config == {"warps": 6, "bits": 2, "fast": 0}
    assert (found.kind, found.missing_outputs) == ("subset", ["io_flat"])


def test_what_one_port_shows_carries_on_to_the_others() -> None:
    ports = [("io_wid", "in", 3), ("io_flat", "out", 24), ("io_warps_0_lane_3", "out", 1)]
    found = m.match(other_table(), ports)
    assert (found.config["bits"], found.params["warps"].possible) == (4, (6,))


def test_possible_values_of_a_given_parameter_are_the_ports() -> None:
    found = m.match(TABLE, shapes(coll_entries=3), {"coll_entries": 3})
    assert found.params["coll_entries"].possible == (3, 4)


ISSUE = tables.load("issue")


def shared(values: tuple[int, ...], weak: bool = False) -> list[m.Shared]:
    return [m.Shared("rs_entries", values, "top.rs", weak)]


@pytest.mark.parametrize("weak", [False, True])
def test_shared_with_another_scope_narrows_what_the_ports_leave(weak: bool) -> None:
    found = m.match(ISSUE, scope(shapes(ISSUE)), shared=shared((3, 4), weak))
    item = found.params["rs_entries"]
    assert (item.possible, item.value) == ((3, 4), 4)
    assert (item.how, item.narrowed_by) == ("largest", "top.rs")
    assert item.ambiguous and item.shown == tuple(range(1, 33))
    found = m.match(ISSUE, scope(shapes(ISSUE)), shared=shared((5,), weak))
    assert (found.config["rs_entries"], found.params["rs_entries"].how) == (5, "ports of top.rs")


def test_value_that_the_ports_contradict_is_set_aside() -> None:
    table = tables.load("reservation_station")
    item = m.match(table, shapes(table, rs_entries=4), shared=shared((5, 6))).params["rs_entries"]
    assert (item.possible, item.narrowed_by) == ((3, 4), "")
    item = m.match(table, shapes(table, rs_entries=4), shared=shared((4, 5))).params["rs_entries"]
    assert (item.possible, item.how) == ((4,), "ports of top.rs")


def test_given_value_comes_before_ports_that_are_not_there() -> None:
    """The compiler drops the debug ports of an inner module."""
    ports = without(shapes(debug=1), "debug_", "_pc")
    outer = [m.Shared("debug", (1,), "top", False)]
    sibling = m.Shared("debug", (0,), "top.x", True)
    assert m.match(TABLE, ports, shared=[sibling]).config["debug"] == 0
    found = m.match(TABLE, ports, shared=[sibling, *outer])
    assert (found.config["debug"], found.kind) == (1, "subset")


def test_given_comes_before_shared() -> None:
    found = m.match(ISSUE, shapes(ISSUE), {"rs_entries": 6}, shared=shared((3, 4)))
    assert (found.config["rs_entries"], found.params["rs_entries"].how) == (6, "given")


def test_illegal_together_narrows() -> None:
    found = m.match(ISSUE, shapes(ISSUE, num_warps=16), {"in_order_per_warp": 1})
    item = found.params["rs_entries"]
    assert (item.possible, item.value) == (tuple(range(16, 33)), 32)
    assert ISSUE.refusal(found.config) is None


@pytest.mark.parametrize("block", BLOCKS)
def test_every_configuration_of_every_block_is_matched(block: str) -> None:
    table = tables.load(block)
    for name, given in table.configs.items():
        config = table.config(given)
        found = m.match(table, scope(shapes(table, **given)))
        assert found.kind == "equal", name
        for item in found.params.values():
            fits = config[item.name] in item.possible
            assert fits or not table.params[item.name].behavioural, (name, item)


def test_question_about_a_large_range_is_short() -> None:
    lines = m.match(ISSUE, shapes(ISSUE)).questions()
    assert any("rs_entries: the ports allow 1..32; give" in line for line in lines)
    assert max(map(len, lines)) < 120


def test_may_fit_needs_clock_reset_and_inputs() -> None:
    names = {p[0] for p in shapes(num_lanes=2)}
    assert m.may_fit(TABLE, names)
    for gone in ("clock", "reset", "io_readData_req_valid", "io_writeReq_bits_regs_0_data_0"):
        assert not m.may_fit(TABLE, names - {gone})
    assert m.may_fit(TABLE, names - {"clock"}, clock=False)


def recordings(block: str) -> list[Path]:
    """Of a block's ports: BOOM's dispatchers have the same."""
    if block.startswith("dispatch_"):
        boom = TRACES / "boom"
        return sorted([*boom.glob("basic_*.csv.xz"), *boom.glob("compacting_*.csv.xz")])
    return sorted([*TRACES.glob(f"muon/{block}_*.csv.xz"), *TRACES.glob(f"boom/{block}_*.csv.xz")])


needs_recordings = pytest.mark.skipif(
    not recordings("collector"), reason=f"no recordings in {TRACES}; set WLK_TRACES"
)


@pytest.mark.parametrize("one", programs.recordings("collector"), ids=lambda one: one.name)
def test_real_collectors(one: programs.Recording) -> None:
    ports = programs.header(one.path)
    found = m.match(TABLE, ports, clock=False)
    config = TABLE.config(one.params)
    assert found.kind == "equal"
    assert programs.shapes(TABLE, found.config) == ports
    for name in ("num_lanes", "num_pregs", "debug", "lane_bits"):
        assert found.config[name] == config[name]
    entries = (1, 2) if config["coll_entries"] <= 2 else (3, 4)
    assert found.params["coll_entries"].possible == entries


# A collector alone and the operands stage have the same ports.
# The document's stage is by default the one that exists.
ALSO = {
    "issue_x": ("issue_A", "issue_B", "issue_C", "issue_D", "issue_E"),
    "vortex_scoreboard": ("sb_A", "sb_C"),
    "vortex_opc_unit": ("opc_A", "opc_C", "operands_C"),
    "vortex_operands": ("opc_A", "opc_C", "operands_C"),
}


@needs_recordings
@pytest.mark.parametrize("block", BLOCKS)
def test_table_fits_recordings_of_its_block_only(block: str) -> None:
    table = tables.load(block)
    files = [p for p in sorted(TRACES.rglob("*.csv.xz")) if programs.header(p)]
    assert len(files) >= 20
    fitting = {p.name for p in files if m.fits(table, programs.header(p), clock=False) > 0}
    assert fitting == {p.name for p in recordings(block)} | {
        f"{n}.csv.xz" for n in ALSO.get(block, ())
    }
    # GPGPU-Sim's collector was recorded by its calls, not by ports; BOOM's Compactor once; of the
    # document's collectors no RTL exists.
    few = {"opndcoll": 0, "collector_x": 0, "compactor": 1, "vortex_scoreboard": 2}
    assert len(fitting) >= few.get(block, 3)


@pytest.mark.parametrize("block", ["hazard", "reservation_station", "issue", "collector"])
def test_pc_is_as_wide_as_a_lane(block: str) -> None:
    table = tables.load(block)
    ports = shapes(table, lane_bits=64, debug=1)
    pcs = [width for name, _, width in ports if name.endswith("_pc")]
    assert pcs and set(pcs) == {64}
    if block == "reservation_station":  # inside a stage nothing but the pc shows the width
        ports = without(ports, "_data_")
    found = m.match(table, ports)
    assert found.ok
    assert found.config["lane_bits"] == 64


def test_block_that_explains_more_is_the_likelier() -> None:
    """`issue` is inside `issue_x`: of each one's ports the block itself is the likelier."""
    tables_of = [tables.load(name) for name in ("issue", "issue_x")]
    for own in tables_of:
        found = [m.match(table, shapes(own)) for table in tables_of]
        kept = rivals.unbeaten(found, rivals.explains_more)
        assert [each.table.name for each in kept] == [own.name]
