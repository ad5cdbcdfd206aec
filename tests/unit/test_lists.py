# SPDX-License-Identifier: Apache-2.0
"""Parameters that are lists, and fields whose ports are found in the RTL."""

import random

import programs
import pytest
from programs import shapes
from wlk import tables
from wlk.base.errors import Status, WlkError
from wlk.fit import match as m
from wlk.fit import search
from wlk.gen import composed
from wlk.tables import files, read_params

BASIC = tables.load("dispatch_basic")
COMPACTING = tables.load("dispatch_compacting")
COMPACTOR = tables.load("compactor")


# ---- lists --------------------------------------------------------------------------------------


ITEMS = ("type", "dispatch_width", "issue_width")


def test_list_is_parameters():
    config = COMPACTING.config({"queues": "INT:2:1,6:1:1"})
    entries = [[config[f"queues_{n}_{item}"] for item in ITEMS] for n in range(3)]
    assert entries == [[1, 2, 1], [6, 1, 1], [0, 0, 0]]
    assert COMPACTING.show(config)["queues"] == "INT:2:1,6:1:1"


def test_list_names_depend_on_another_parameter():
    v4 = BASIC.config({"queues": "MEM:3:1,ALU:3:1", "encoding": "v4"})
    assert (v4["queues_0_type"], v4["queues_1_type"]) == (0, 2)
    assert BASIC.show(v4)["queues"] == "MEM:3:1,ALU:3:1"
    assert BASIC.config({"queues": "MEM:3:1"})["queues_0_type"] == 2


def test_list_item_can_be_given_alone():
    config = BASIC.config({"queues": "MEM:3:1,INT:3:1", "queues_1_type": "5"})
    assert BASIC.show(config)["queues"] == "MEM:3:1,5:3:1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("MEM:3", "entry 0 'MEM:3': give type:dispatch_width:issue_width"),
        ("MEM:3:1,ALU:3:1", "entry 1 'ALU:3:1': type=ALU is not legal; give MEM | INT | FP | 0..8"),
        ("MEM:0:1", "dispatch_width=0 is not legal; give 1..8"),
        ("MEM:3:x", "issue_width=x is not legal"),
        (",".join(["MEM:3:1"] * 9), "9 entries; at most 8"),
    ],
)
def test_list_that_cannot_be_read_is_refused(text, message):
    with programs.error(Status.BAD_CONFIG, message):
        BASIC.config({"queues": text})


# What BOOM does not elaborate (boom-dispatch, Parameters).
REFUSED = [
    (BASIC, {"queues": ""}, "queues is empty"),
    (BASIC, {"queues": "MEM:3:1,INT:2:1"}, "entry 1 has dispatch_width 2, core_width is 3"),
    (COMPACTING, {"queues": ""}, "queues is empty"),
    (
        COMPACTING,
        {"queues": "MEM:2:3"},
        "entry 0 has dispatch_width 2, less than its issue_width 3",
    ),
    (COMPACTING, {"queues": "MEM:2:1,INT:4:1"}, "entry 1 has dispatch_width 4, more than core_wid"),
    (COMPACTING, {"queues": "4:2:1", "encoding": "v4"}, "entry 0 has type 4; with encoding=v4"),
    (COMPACTOR, {"n": 2, "k": 3}, "k=3 is more than n=2"),
]


@pytest.mark.parametrize(("table", "given", "message"), REFUSED)
def test_elaboration_error_is_a_configuration_error(table, given, message):
    assert message in table.refusal(table.config(given))
    done = programs.run("dpi/wlk-vec", "layout", table.name, *table.words(table.config(given)))
    assert done.returncode == Status.BAD_CONFIG
    assert message in done.stderr


def test_entries_without_a_gap():
    config = BASIC.config({"queues": "MEM:3:1,INT:3:1,FP:3:1"})
    config |= {f"queues_1_{item}": 0 for item in ITEMS}
    assert "entry 2 is there, but entry 1 is not" in BASIC.refusal(config)


def test_ports_of_a_list_come_with_the_highest_entry_first():
    names = [name for name, _, _ in shapes(BASIC, BASIC.defaults())]
    firsts = [names.index(f"io_dis_uops_{q}_0_ready") for q in (2, 1, 0)]
    assert firsts == sorted(firsts)


def test_list_without_its_key_is_refused():
    raw = files.decode(files.MODELS / "boom" / "family.toml")
    del raw["list"][0]["key"]
    with pytest.raises(WlkError, match="lacks 'key'"):
        read_params.read_list(raw["list"][0], "some.toml")


# ---- what the ports show ------------------------------------------------------------------------


@pytest.mark.parametrize("table", [BASIC, COMPACTING])
def test_widths_of_queues_are_found_in_the_ports(table):
    dice = random.Random(table.name)
    for _ in range(20):
        config = programs.random_config(table, dice)
        found = m.match(table, shapes(table, config))
        assert found.kind == "equal"
        for name in ("core_width", "encoding"):
            assert found.config[name] == config[name]
        for q in range(8):
            width = f"queues_{q}_dispatch_width"
            assert found.config[width] == config[width]
            assert found.params[f"queues_{q}_type"].ambiguous == (config[width] != 0)
        words = found.table.lists["queues"].items[0].named(found.config)
        count = found.table.lists["queues"].length(found.config)
        assert bool(search.first(found)) == (count <= len(words))


def test_names_of_a_given_list_are_read_by_what_the_ports_tell():
    config = BASIC.config({"encoding": "v4", "queues": "FP:3:1,ALU:3:1"})
    found = m.match(BASIC, shapes(BASIC, config), {"queues": "FP:3:1,ALU:3:1"})
    assert found.kind == "equal"
    assert (found.config["queues_0_type"], found.config["queues_1_type"]) == (3, 2)


def test_basic_ports_of_narrow_queues_leave_nothing_legal():
    config = COMPACTING.config({"queues": "MEM:2:1,INT:1:1"})
    found = m.match(BASIC, shapes(COMPACTING, config))
    assert not search.first(found)


# ---- opaque fields ------------------------------------------------------------------------------

FIELDS = [("imm", 64), ("x", 1), ("fu_code_0", 1), ("fu_code_1", 1), ("pc", 40), ("y", 63)]


def test_members_lie_first_fit_and_straddle_no_word():
    members = COMPACTOR.with_members(FIELDS).members
    assert [(i.name, i.word, i.lsb) for i in members] == [
        ("imm", 0, 0),
        ("x", 1, 0),
        ("fu_code_0", 1, 1),
        ("fu_code_1", 1, 2),
        ("pc", 1, 3),
        ("y", 2, 0),
    ]


def test_members_are_found_and_the_target_is_none():
    named = BASIC.with_members(FIELDS)
    found = m.match(BASIC, shapes(named, named.defaults()))
    assert found.kind == "equal"
    assert {(i.name, i.width) for i in found.table.members} == set(FIELDS)
    assert found.table.schema_hash() == BASIC.schema_hash()


def test_target_is_a_member_of_the_compactor():
    ports = [("io_in_0_bits_iq_type", "in", 3), ("io_out_0_bits_iq_type", "out", 3)]
    assert [i.name for i in COMPACTOR.opened(ports).members] == ["iq_type"]


NAMED = COMPACTOR.with_members(FIELDS)
NAMED_PORTS = shapes(NAMED, NAMED.defaults())


@pytest.mark.parametrize(
    ("port", "kind", "outputs", "inputs"),
    [
        ("io_out_1_bits_pc", "subset", ["io_out_1_bits_pc"], []),  # is not compared
        ("io_in_1_bits_pc", "refused", [], ["io_in_1_bits_pc"]),
    ],
)
def test_member_that_a_port_lacks(port, kind, outputs, inputs):
    found = m.match(COMPACTOR, [p for p in NAMED_PORTS if p[0] != port])
    assert (found.kind, found.missing_outputs, found.missing_inputs) == (kind, outputs, inputs)


def test_member_of_two_widths_is_a_conflict():
    odd = "io_out_0_bits_pc"
    ports = [(name, side, 39 if name == odd else width) for name, side, width in NAMED_PORTS]
    found = m.match(COMPACTOR, ports)
    assert [(d.port, d.expected, d.found) for d in found.differences] == [
        (odd, "output 40 bits", "output 39 bits")
    ]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ([("wide", 65)], "port wide has more bits: at most 64"),
        ([(f"f{n}", 64) for n in range(17)], "17 words: at most 16"),
    ],
)
def test_members_beyond_the_record_are_refused(fields, message):
    with programs.error(Status.IFACE_CHANGED, message):
        COMPACTOR.with_members(fields)


def test_stub_of_what_is_not_legal_is_refused():
    config = BASIC.config({"encoding": "v4", "queues": "5:3:1"})
    with programs.error(Status.BAD_CONFIG, "entry 0 has type 5; with encoding=v4"):
        composed.module_texts(BASIC, config)


def test_members_text_is_read_by_the_programs():
    for text in ("imm:65:0:0", "imm:8:0", ":8:0:0", "a:8:0:60", "a:8:0:0;b", "a" * 57 + ":1:0:0"):
        done = programs.run("dpi/wlk-vec", "layout", "compactor", f"members={text}")
        assert done.returncode == Status.BAD_CONFIG, text
    done = programs.run("dpi/wlk-vec", "layout", "compactor", "members=a:8:0:56,b_0:64:6:0")
    assert done.returncode == 0, done.stderr
    assert '"io_in_3_bits_b_0"' in done.stdout


def test_types_alone_can_be_given_and_ports_show_the_rest() -> None:
    config = BASIC.config({"core_width": 2, "queues": "FP:2:1,MEM:2:1"})
    found = m.match(BASIC, shapes(BASIC, config), {"queues": "FP,MEM"})
    assert found.ok
    assert not any(item.ambiguous for item in found.params.values())
    assert found.shown(found.config)["queues"] == "FP:2,MEM:2"  # no port shows an issue width
    given = m.match(BASIC, shapes(BASIC, config), {"queues": "FP:2:4,MEM:2:1"})
    assert given.shown(given.config)["queues"] == "FP:2:4,MEM:2:1"


def test_report_has_lists_as_one_gives_them() -> None:
    text = "  config: core_width=2 queues=4:2:16,2:2:16 payload_words=1\n"
    named = BASIC.name_lists(text, {"queues": "FP:2,MEM:2"})
    assert named == "  config: core_width=2 queues=FP:2,MEM:2 payload_words=1\n"
