# SPDX-License-Identifier: Apache-2.0
"""Port tables: Python and C lay out the same record, and a bad table is named with its place."""

import copy
import json
import random
import re
import shutil
import subprocess
import sys

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status
from wlk.run import build
from wlk.tables import files

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
    drawn = (programs.random_config(table, rng) for _ in range(CONFIGURATIONS))
    for config in [table.defaults(), *drawn]:
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


# A block is its folder.


@pytest.mark.parametrize("block", BLOCKS)
def test_folder_has_the_name_of_its_block(block):
    folder = tables.folder(block)
    assert tables.load(block).name == folder.name == block
    assert (folder / files.MODEL).is_file()
    assert folder.parent.parent == files.MODELS


def test_folders_are_what_meson_lists():
    words = [sys.executable, "-m", "wlk.gen.c", "--folders"]
    scripts = programs.ROOT / "scripts"
    listed = subprocess.check_output(words, text=True, cwd=scripts).splitlines()
    folders = [str(tables.folder(block).relative_to(files.MODELS)) for block in BLOCKS]
    assert [line.split()[0] for line in listed] == folders


def test_folder_makes_a_block(tmp_path, monkeypatch):
    shutil.copytree(tables.folder("compactor"), tmp_path / "other" / "squeezer")
    table = tmp_path / "other" / "squeezer" / "block.toml"
    table.write_text(table.read_text("utf-8").replace('"compactor"', '"squeezer"'), "utf-8")
    shutil.copytree(files.MODELS / "boom", tmp_path / "boom")
    monkeypatch.setattr(files, "MODELS", tmp_path)
    monkeypatch.setattr(files, "shipped", files.shipped.__wrapped__)
    assert [*files.shipped()] == ["compactor", "dispatch_basic", "dispatch_compacting", "squeezer"]
    assert tables.load("squeezer").module == tables.load("compactor").module


def test_build_is_configured_again_when_a_folder_comes(tmp_path, monkeypatch):
    setups = []

    class Done:
        code = 0

    def run(command, **_):
        setups.append(command)
        tmp_path.joinpath("made").mkdir(exist_ok=True)
        return Done

    def configure():
        build._configure("gcc", tmp_path / "made", {}, tmp_path / "log")
        return len(setups)

    monkeypatch.setattr(build.progress, "run", run)
    monkeypatch.setattr(build, "tool", lambda name: name)
    assert (configure(), configure()) == (1, 1)
    more = files.shipped() | {"squeezer": tables.folder("compactor")}
    monkeypatch.setattr(build.c, "shipped", lambda: more)
    assert configure() == 2
    monkeypatch.setattr(build.installed, "files", lambda: ["scripts/warplock"])
    assert (configure(), configure()) == (3, 3)
    assert ["--reconfigure" in each for each in setups] == [False, False, True]


# What changes the record changes the hash; words for people do not.


def decoded():
    return files.decode(files.table_path("collector"))


def field(raw, name):
    return next(f for f in raw["field"] if f["name"] == name)


def hash_after(change):
    raw = decoded()
    change(raw)
    return tables.parse(raw, files.table_path("collector")).schema_hash()


def key(kind, which, /, **values):
    """Other values in an item of the table; None: without the key."""

    def change(raw):
        item = raw[kind][which] if isinstance(which, int) else field(raw, which)
        item.update(values)
        for gone in [each for each, value in values.items() if value is None]:
            del item[gone]

    return change


def valid(**values):
    return key("field", "readReq.valid", **values)


CHANGES = {
    "width": valid(width="2"),
    "direction": valid(dir="out"),
    "order": lambda raw: raw["field"].reverse(),
    "field gone": lambda raw: raw["field"].remove(field(raw, "debug_cycle")),
    "default": key("param", 0, default=4),
    "unread": valid(read=False),
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


def of_test(**values):
    return lambda raw: raw["test"].update(values)


def broken(condition):
    return key("rule", 0, broken=condition)


IN_FLIGHT = {"name": "taken", "size": "coll_entries", "doc": "d", "change": []}


def memory(rule="reset and readReq.valid", /, **values):
    """A row of `memory`, and a rule that may read it."""

    def change(raw):
        row = IN_FLIGHT | values
        raw["memory"] = [{key: value for key, value in row.items() if value is not None}]
        raw["rule"][0]["broken"] = rule

    return change


AT = "field readReq.valid"
RULE = "rule readData_unallocated"
BAD = {
    "format": (lambda raw: raw.update(format=2), "format 2"),
    "unknown key": (key("field", "reset", wdith="1"), "field reset: unknown key"),
    "unknown parameter": (valid(width="lanes"), f"{AT}: 'lanes' names no parameter"),
    "syntax": (valid(width="clog2("), f"{AT}: cannot read the expression 'clog2('"),
    "call": (valid(width="open(num_lanes)"), "'open(num_lanes)' is not allowed"),
    "too wide": (valid(width="num_lanes * 2"), f"{AT}: wider than 64 bits"),
    "direction": (valid(dir="up"), AT),
    "default": (key("param", 1, default=99), "param num_lanes"),
    "default name": (key("param", 7, default="low"), "param bank_select"),
    "no width": (valid(width=None), AT),
    "no direction": (valid(dir=None), AT),
    "no name": (valid(name=None), "field ?"),
    "no block": (lambda raw: raw.pop("block"), "block"),
    "valid_when": (
        key("field", "readResp.bits.collEntry", valid_when="readResp.vlid"),
        "field readResp.bits.collEntry: no field 'readResp.vlid'",
    ),
    "channel": (
        key("channel", 0, ready="readReq.redy"),
        "channel readReq: no field 'readReq.redy'",
    ),
    "channel bits": (key("channel", 1, bits=["x"]), "no field 'x'"),
    "no valid": (key("channel", 0, valid=None), "channel readReq: lacks 'valid'"),
    "no module": (lambda raw: raw["block"].pop("module"), "module"),
    "test key": (of_test(smal="tiny"), "test: unknown key smal"),
    "no name in a bundle": (valid(fields=[{"width": "1"}]), f"{AT}: a row of it: lacks 'name'"),
    "config": (lambda raw: raw["config"].update(x="n"), "config x: 'n' is not KEY=VALUE"),
    "config twice": (
        lambda raw: raw["config"].update(x="num_pregs=1 num_pregs=2"),
        "num_pregs is given twice",
    ),
    "config in rows": (lambda raw: raw.update(config=[{"name": "x", "set": {}}]), "config.NAME ="),
    "config no text": (lambda raw: raw["config"].update(x={"num_lanes": 1}), "config.NAME ="),
    "small": (of_test(small="x"), "test: no configuration 'x'"),
    "chosen": (of_test(chosen=["tiny", "y"]), "no configuration 'y'"),
    "rule": (broken(None), f"{RULE}: lacks 'broken'"),
    "rule syntax": (broken("readReq.valid and"), f"{RULE}: cannot read the expression"),
    "rule field": (
        broken("readReq.vlid and reset"),
        f"{RULE}: cannot read the expression 'readReq",
    ),
    "rule parameter": (
        broken("not reset and lanes > 1"),
        f"{RULE}: 'lanes > 1' names no parameter",
    ),
    "rule operator": (
        broken(["reset", "readReq.valid + 1 > 1"]),
        f"{RULE}: 'reset' is no condition",
    ),
    "rule difference": (
        broken("readReq.valid - 1 > 1"),
        "comparisons, +, *, //, %, and, or, not",
    ),
    "let without text": (lambda raw: raw.update(let={"n": 3}), 'let.n = "EXPRESSION"'),
    "let of a parameter": (
        lambda raw: raw.update(let={"num_lanes": "3"}),
        "let.num_lanes: a parameter has this name",
    ),
    "rule without a field": (broken("num_lanes > 1"), f"{RULE}: 'num_lanes > 1' is no condition"),
    "rule element": (broken("readReq.valid and element > 1"), "reads no array: no `element`"),
    "memory without doc": (memory(doc=None), "memory taken: lacks 'doc'"),
    "memory of no kind": (memory(size=None, change=None), "memory taken: one of value"),
    "memory of two kinds": (memory(count="reset", most=3), "memory taken: one of value"),
    "count without end": (memory(size=None, change=None, count="reset"), "taken: lacks 'most'"),
    "value without when": (memory(size=None, change=None, value="reset"), "taken: lacks 'when'"),
    "count of an array": (
        memory(size=None, change=None, count="readReq.bits.regs.enable", most=3),
        "memory taken: readReq.bits.regs.enable is an array; write NAME[COUNT]",
    ),
    "memory like a field": (memory(name="reset"), "memory reset: a field has this name"),
    "change without when": (memory(change=[{"add": "1"}]), "taken: change: lacks 'when'"),
    "change of nothing": (memory(change=[{"when": "reset"}]), "taken: change: write add ="),
    "change of no port": (
        memory(change=[{"when": "1", "add": "1"}]),
        "memory taken: '1' is no condition of fields",
    ),
    "a set as a value": (memory("reset and taken > 1"), f"{RULE}: taken is a set; write VALUE in"),
    "in what is no set": (memory("reset in readReq.valid"), "'readReq.valid' is no set"),
    "rule of lanes": (broken("writeReq.bits.regs.data > 1"), "regs.data has lanes"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_bad_table_names_file_and_place(change, message):
    raw = copy.deepcopy(decoded())
    change(raw)
    with programs.error(Status.MODEL_ERROR, message) as error:
        tables.parse(raw, files.table_path("collector"))
    assert re.match(r"collector/block\.toml(:\d+)?: ", error.value.message)


def test_bad_toml_names_file_and_line(tmp_path, monkeypatch):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "block.toml").write_text("format = 1\n[block\n")
    monkeypatch.setattr(files, "shipped", lambda: {"broken": tmp_path / "broken"})
    with programs.error(Status.MODEL_ERROR, "line 2") as error:
        tables.load("broken")
    assert error.value.message.startswith("broken/block.toml: ")


UNKNOWN = {
    "top": ("chanel = []", "unknown key chanel; did you mean channel?"),
    "block": ('block.resett = "r"', "block: unknown key resett; did you mean reset?"),
    "test": ('test.smal = "x"', "test: unknown key smal; did you mean small?"),
    "param": ("param = [{ name = 'n', mni = 1 }]", "param n: unknown key mni; did you mean min?"),
    "field": ("field = [{ name = 'a', wdith = 1 }]", "unknown key wdith; did you mean width?"),
    "cover": ("cover = [{ name = 'c', flor = 1 }]", "unknown key flor; did you mean floor?"),
    "channel": ("channel = [{ name = 'c', redy = 1 }]", "unknown key redy; did you mean ready?"),
    "rule": ("rule = [{ name = 'r', brokn = 1 }]", "unknown key brokn; did you mean broken?"),
    "change": (
        "memory = [{ name = 'm', size = 1, change = [{ ad = 1 }] }]",
        "memory m: change: unknown key ad; did you mean add?",
    ),
    "config": ('config.a = "wdth=1"\nparam = [{ name = "width" }]', "did you mean width?"),
    "no rows": ("field = 3", "field: a list of rows is wanted"),
}


@pytest.mark.parametrize(("text", "message"), UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_key_names_line_and_nearest(tmp_path, text, message):
    path = tmp_path / "own" / "block.toml"
    path.parent.mkdir()
    path.write_text(f"format = 1\nblock.name = 'own'\nblock.doc = 'x'\n{text}\n")
    with programs.error(Status.MODEL_ERROR, message) as error:
        tables.parse(files.decode(path), path)
    assert error.value.message.startswith("own/block.toml:4: ")


# Families.


def dispatcher(change):
    path = files.table_path("dispatch_compacting")
    raw = files.decode(path)
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


def test_bundle_is_its_rows_with_what_they_lack():
    raw = copy.deepcopy(decoded())
    index = raw["field"].index(field(raw, "readReq.ready"))
    hides = ["readResp.bits.collEntry"]
    rows = [{"name": "a", "width": "2"}, {"name": "b", "width": "3", "x_hides": hides}]
    shared = {"name": "writeReq", "dir": "in", "width": "1", "x_hides": ["readData.req.*"]}
    raw["field"].insert(index, shared | {"fields": rows})
    completed = tables.files.completed(raw, "collector.toml")["field"][index : index + 2]
    assert completed == [
        {"name": "writeReq.a", "dir": "in", "width": "2", "x_hides": ["readData.req.a"]},
        {"name": "writeReq.b", "dir": "in", "width": "3", "x_hides": ["readData.req.b", *hides]},
    ]


@pytest.mark.parametrize(
    ("kind", "lacks"),
    [
        ("param", "default"),
        ("list", "most"),
        ("field", "dir"),
        ("channel", "valid"),
        ("cover", "doc"),
    ],
)
def test_name_that_the_family_does_not_know_lacks_its_keys(kind, lacks):
    item = {"name": "nobody"} | ({"floor": 1} if kind == "cover" else {})
    with programs.error(Status.MODEL_ERROR) as error:
        dispatcher(lambda raw: raw[kind].append(item))
    message = f"dispatch_compacting/block.toml: {kind} nobody: lacks '{lacks}'"
    assert error.value.message == message


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
