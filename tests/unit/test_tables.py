# SPDX-License-Identifier: Apache-2.0
"""Port tables: Python and C lay out the same record, and a bad table is named with its place."""

import copy
import json
import random
import re
import tomllib

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status, WlkError

CONFIGURATIONS = 60
BLOCKS = tables.names()


def c_layout(table, config):
    words = table.words(config)
    done = programs.run("dpi/wlk-vec", "layout", table.name, *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("block", BLOCKS)
def test_layout_is_the_same_in_python_and_c(block):
    table, rng = tables.load(block), random.Random(block)
    configs = [
        table.defaults(),
        *(programs.random_config(table, rng) for _ in range(CONFIGURATIONS)),
    ]
    for config in configs:
        ours, theirs = table.layout(config), c_layout(table, config)
        for key in ("in_control", "out_control", "in_words", "out_words"):
            assert getattr(ours, key) == theirs[key], (key, config)
        present = {id(item): table.present(item, config) for item in table.fields}
        ports = [
            [p.name, p.field.flat, p.direction, -1 if p.lane is None else p.lane]
            + [p.word, p.lsb, p.width, present[id(p.field)]]
            for p in table.ports(config, absent=True)
        ]
        assert ports == theirs["ports"], config


@pytest.mark.parametrize("block", BLOCKS)
def test_schema_hash_is_the_same_in_python_and_c(block):
    table = tables.load(block)
    assert f"{table.schema_hash():016x}" == c_layout(table, table.defaults())["schema"]


def test_build_generates_anew_after_a_change_of_any_reader():
    folder = programs.ROOT / "scripts" / "wlk" / "tables"
    meson = programs.ROOT / "refmodel" / "include" / "warplock" / "meson.build"
    listed = meson.read_text("utf-8").partition("foreach module : [")[2].partition("]")[0]
    assert sorted(re.findall(r"'(\w+)'", listed)) == sorted(f.stem for f in folder.glob("*.py"))


# What changes the record changes the hash; words for people do not.


def decoded():
    with (tables.BLOCKS / "collector.toml").open("rb") as file:
        return tomllib.load(file)


def field(raw, name):
    return next(f for f in raw["field"] if f["name"] == name)


def hash_after(change):
    raw = decoded()
    change(raw)
    return tables.parse(raw, tables.BLOCKS / "collector.toml").schema_hash()


CHANGES = {
    "width": lambda raw: field(raw, "readReq.valid").update(width="2"),
    "direction": lambda raw: field(raw, "readReq.valid").update(dir="out"),
    "order": lambda raw: raw["field"].reverse(),
    "field gone": lambda raw: raw["field"].remove(field(raw, "debug_cycle")),
    "default": lambda raw: raw["param"][0].update(default=4),
    "unread": lambda raw: field(raw, "readReq.valid").update(read=False),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_schema_hash_sees(change):
    assert hash_after(change) != hash_after(lambda raw: None)


def test_schema_hash_does_not_see_prose():
    def reword(raw):
        raw["block"]["doc"] = "x"
        for item in [*raw["field"], *raw["param"]]:
            item["doc"] = "x"

    assert hash_after(reword) == hash_after(lambda raw: None)


# Bad tables.

BAD = {
    "format": (lambda raw: raw.update(format=2), "format 2"),
    "unknown key": (lambda raw: field(raw, "reset").update(wdith="1"), "field reset: unknown key"),
    "unknown parameter": (
        lambda raw: field(raw, "readReq.valid").update(width="lanes"),
        "field readReq.valid: 'lanes' names no parameter",
    ),
    "syntax": (
        lambda raw: field(raw, "readReq.valid").update(width="clog2("),
        "field readReq.valid: cannot read the expression 'clog2('",
    ),
    "call": (
        lambda raw: field(raw, "readReq.valid").update(width="open(num_lanes)"),
        "'open(num_lanes)' is not allowed",
    ),
    "too wide": (
        lambda raw: field(raw, "readReq.valid").update(width="num_lanes * 2"),
        "field readReq.valid: wider than 64 bits",
    ),
    "direction": (lambda raw: field(raw, "readReq.valid").update(dir="up"), "field readReq.valid"),
    "default": (lambda raw: raw["param"][1].update(default=99), "param num_lanes"),
    "default name": (lambda raw: raw["param"][7].update(default="low"), "param bank_select"),
    "no width": (lambda raw: field(raw, "readReq.valid").pop("width"), "field readReq.valid"),
    "no direction": (lambda raw: field(raw, "readReq.valid").pop("dir"), "field readReq.valid"),
    "no name": (lambda raw: field(raw, "readReq.valid").pop("name"), "field ?"),
    "no block": (lambda raw: raw.pop("block"), "block"),
    "valid_when": (
        lambda raw: field(raw, "readResp.bits.collEntry").update(valid_when="readResp.vlid"),
        "field readResp.bits.collEntry: no field 'readResp.vlid'",
    ),
    "channel": (
        lambda raw: raw["channel"][0].update(ready="readReq.redy"),
        "channel readReq: no field 'readReq.redy'",
    ),
    "channel bits": (lambda raw: raw["channel"][1].update(bits=["x"]), "no field 'x'"),
    "no valid": (lambda raw: raw["channel"][0].pop("valid"), "channel readReq: lacks 'valid'"),
    "no module": (lambda raw: raw["block"].pop("module"), "module"),
    "test key": (lambda raw: raw["test"].update(smal="tiny"), "test: unknown key smal"),
    "no name in a bundle": (
        lambda raw: field(raw, "readReq.valid").update(fields=[{"width": "1"}]),
        "field readReq.valid: a row of it: lacks 'name'",
    ),
    "small": (lambda raw: raw["test"].update(small="x"), "test: no configuration 'x'"),
    "chosen": (lambda raw: raw["test"].update(chosen=["tiny", "y"]), "no configuration 'y'"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_bad_table_names_file_and_place(change, message):
    raw = copy.deepcopy(decoded())
    change(raw)
    with pytest.raises(WlkError) as error:
        tables.parse(raw, tables.BLOCKS / "collector.toml")
    assert error.value.status == Status.MODEL_ERROR
    assert error.value.message.startswith("collector.toml: ")
    assert message in error.value.message


def test_bad_toml_names_file_and_line(tmp_path, monkeypatch):
    monkeypatch.setattr(tables.read, "BLOCKS", tmp_path)
    (tmp_path / "broken.toml").write_text("format = 1\n[block\n")
    with pytest.raises(WlkError) as error:
        tables.load("broken")
    assert error.value.status == Status.MODEL_ERROR
    assert error.value.message.startswith("broken.toml: ")
    assert "line 2" in error.value.message


# Families.


def dispatcher(change):
    path = tables.BLOCKS / "dispatch_compacting.toml"
    raw = tomllib.loads(path.read_text("utf-8"))
    change(raw)
    return tables.parse(raw, path)


def test_cover_takes_what_it_lacks_from_its_family():
    own = {"name": "gap", "floor": 8, "when": "core_width > 2"}
    table = dispatcher(lambda raw: raw.update(cover=[{"name": "younger_ready", "floor": 7}, own]))
    first, second = table.covers
    assert first == {
        "name": "younger_ready",
        "floor": 7,
        "when": "core_width > 1",
        "doc": "a valid uop is ready, an older valid one is not",
    }
    assert second == own | {"doc": "an idle position comes before a valid one"}


def test_field_takes_what_it_lacks_from_its_family():
    table = dispatcher(lambda raw: field(raw, "ren_uops[core_width].valid").update(doc="x"))
    found = {item.flat: item for item in table.fields}
    assert (found["ren_uops.valid"].direction, found["ren_uops.valid"].doc) == ("in", "x")
    kinds = [f"ren_uops.bits.{kind}" for kind in ("iq_type", "iq_type_0", "payload")]
    assert [found[kind].x_hides[0] for kind in kinds[:2]] == ["ren_uops.ready"] * 2
    assert "ren_uops.ready" not in found[kinds[2]].x_hides


STRANGERS = {
    "param": ({"name": "nobody"}, "param nobody: lacks 'default'"),
    "list": ({"name": "nobody"}, "list nobody: lacks 'most'"),
    "field": ({"name": "nobody"}, "field nobody: lacks 'dir'"),
    "channel": ({"name": "nobody"}, "channel nobody: lacks 'valid'"),
    "cover": ({"name": "nobody", "floor": 1}, "cover nobody: lacks 'doc'"),
}


def test_bundle_is_its_rows_with_what_they_lack():
    raw = copy.deepcopy(decoded())
    index = raw["field"].index(field(raw, "readReq.bits.rsEntryId"))
    hides = ["readResp.bits.collEntry"]
    rows = [{"name": "a", "width": "2"}, {"name": "b", "width": "3", "x_hides": hides}]
    shared = {"name": "writeReq", "dir": "in", "width": "1", "x_hides": ["readData.req.*"]}
    raw["field"].insert(index, shared | {"fields": rows})
    completed = tables.files.completed(raw, "collector.toml")["field"][index : index + 2]
    assert completed == [
        {"name": "writeReq.a", "dir": "in", "width": "2", "x_hides": ["readData.req.a"]},
        {"name": "writeReq.b", "dir": "in", "width": "3", "x_hides": ["readData.req.b", *hides]},
    ]


@pytest.mark.parametrize("kind", STRANGERS)
def test_name_that_the_family_does_not_know_lacks_its_keys(kind):
    item, message = STRANGERS[kind]
    with pytest.raises(WlkError) as error:
        dispatcher(lambda raw: raw[kind].append(item))
    assert error.value.status == Status.MODEL_ERROR
    assert error.value.message == f"dispatch_compacting.toml: {message}"


def test_unknown_block_lists_the_blocks():
    with programs.error(Status.USAGE, "collector"):
        tables.load("colector")


# Configurations.


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"num_lane": "4"}, "no parameter 'num_lane'"),
        ({"num_lanes": "0"}, "num_lanes=1..64"),
        ({"num_lanes": "four"}, "num_lanes=four"),
        ({"num_pregs": "100"}, "one of 2, 4"),
        ({"bank_select": "lower"}, "upper | modulo"),
    ],
)
def test_bad_configuration_names_what_is_legal(given, message):
    with programs.error(Status.BAD_CONFIG, message):
        tables.load("collector").config(given)


@pytest.mark.parametrize("block", ["collector", "dispatch_compacting", "compactor"])
def test_configuration_round_trips_through_text(block):
    table, rng = tables.load(block), random.Random(1)
    for _ in range(50):
        config = programs.random_config(table, rng)
        words = dict(word.split("=") for word in table.text(config).split())
        assert table.config(words) == config
