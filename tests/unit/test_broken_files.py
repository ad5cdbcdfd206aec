# SPDX-License-Identifier: Apache-2.0
"""What the fuzzer found (tests/endure/fuzz.py): broken files that ended a command without words."""

import contextlib
import shutil
import sqlite3
from types import SimpleNamespace

import programs
import pytest
from wlk import tables
from wlk.base import shape
from wlk.base.errors import Status
from wlk.base.seeds import Seeds
from wlk.explore import store, sweep
from wlk.fit import conditions, portmap, waivers
from wlk.regress import cache, settings
from wlk.regress import store as regress_store
from wlk.run import cover_store, mutate, own_blocks, recordings
from wlk.tables import read

DIGITS = "9" * 5000
TEXTS = {
    "digits": f"a = {DIGITS}".encode(),
    "deep": b"a = " + b"[" * 5000,
    "not UTF-8": b'a = "\x87"',
}


def read_faults(path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mutate, "fault_list", lambda block: path)
        mutate.load("compactor")


READERS = {
    "table": (read._loaded.__wrapped__, {Status.MODEL_ERROR}),
    "map": (portmap.read, {Status.USAGE, Status.NO_FILE}),
    "waivers": (lambda path: waivers.read([path]), {Status.USAGE, Status.NO_FILE}),
    "settings": (
        lambda path: settings.read(SimpleNamespace(), path, {}),
        {Status.USAGE, Status.NO_FILE},
    ),
    "sweep": (lambda path: sweep.make(sweep.Asked(), path), {Status.BAD_CONFIG}),
    "faults": (read_faults, {Status.USAGE}),
    "beside a recording": (recordings._beside, {Status.BAD_CONFIG}),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", TEXTS)
def test_text_that_is_no_toml_is_refused(tmp_path, reader, text):
    path = tmp_path / "file.toml"
    path.write_bytes(TEXTS[text])
    call, statuses = READERS[reader]
    with pytest.raises(programs.WlkError) as caught:
        call(path)
    assert caught.value.status in statuses
    assert path.name in caught.value.message


@pytest.mark.parametrize("text", TEXTS)
def test_settings_that_are_no_toml_name_no_blocks(tmp_path, text):
    """The command that reads the rest of them says what is wrong."""
    path = tmp_path / "warplock.toml"
    path.write_bytes(TEXTS[text])
    assert own_blocks._of_settings(path) == []


@pytest.mark.parametrize(
    "was, now, why",
    [
        (
            'block.spec = "',
            'block.prefix = 1.5\nblock.spec = "',
            "block: prefix: found 1.5; a text is wanted",
        ),
        ("x_hides = [", "x_hides = [[],", "a list of texts is wanted"),
        ("opaque = true", "opaque = 1", "opaque: found 1; true or false is wanted"),
        ("min = 1", "min = true", "param n: min: found True; a number is wanted"),
        ("max = 8", 'max = "8"', "param n: max: found '8'; a number is wanted"),
        ('doc = "', "doc = 3 # ", "found 3; a text is wanted"),
        (
            "test.instructions = 408",
            "test.instructions = []",
            "test: instructions: found []; a number",
        ),
    ],
)
def test_table_value_of_another_type_is_refused(was, now, why, tmp_path):
    path = tmp_path / "block.toml"
    text = tables.files.table_path("compactor").read_text(encoding="utf-8")
    assert was in text
    path.write_text(text.replace(was, now, 1), encoding="utf-8")
    with programs.error(Status.MODEL_ERROR, f"{path.parent.name}/{path.name}:", why):
        read._loaded.__wrapped__(path)


def test_table_with_values_of_two_types_is_refused(tmp_path):
    path = tmp_path / "block.toml"
    text = tables.files.table_path("compactor").read_text(encoding="utf-8")
    path.write_text(
        text.replace("min = 1, max", 'min = 1, values = [4, "a"], max', 1), encoding="utf-8"
    )
    with programs.error(Status.MODEL_ERROR, path.name, "docs/port-tables.md"):
        read._loaded.__wrapped__(path)


def test_table_with_an_opaque_field_without_lanes_is_refused(tmp_path):
    path = tmp_path / "block.toml"
    text = tables.files.table_path("compactor").read_text(encoding="utf-8")
    row = '{ name = "rest", dir = "in", width = "64", opaque = true, doc = "x" },'
    path.write_text(text.replace("field = [", f"field = [\n  {row}", 1), encoding="utf-8")
    with programs.error(Status.MODEL_ERROR, path.name, "field rest", "lanes are missing"):
        read._loaded.__wrapped__(path)


def test_table_with_an_opaque_field_without_a_path_is_refused(tmp_path):
    path = tmp_path / "block.toml"
    text = tables.files.table_path("compactor").read_text(encoding="utf-8")
    path.write_text(text.replace("in[n].bits.payload", "payload"), encoding="utf-8")
    with programs.error(Status.MODEL_ERROR, path.name, "field payload", "write PATH.NAME"):
        read._loaded.__wrapped__(path)


@pytest.mark.parametrize(
    "was, now", [('"payload_words", o', '"68000", o'), ("t[k].b", "t[9000].b")]
)
def test_table_with_a_field_of_too_many_ports_is_refused(was, now, tmp_path):
    path = tmp_path / "block.toml"
    text = tables.files.table_path("compactor").read_text(encoding="utf-8")
    path.write_text(text.replace(was, now), encoding="utf-8")
    with programs.error(Status.MODEL_ERROR, path.name, "ports; a field has at most 16384"):
        read._loaded.__wrapped__(path)


@pytest.mark.parametrize("name", ["out[1].valid", "out.valid", "out[n].valid"])
def test_table_of_an_array_with_two_counts_is_refused(name, tmp_path):
    path = tmp_path / "block.toml"
    text = tables.files.table_path("compactor").read_text(encoding="utf-8")
    path.write_text(text.replace('"out[k].valid"', f'"{name}"', 1), encoding="utf-8")
    with programs.error(Status.MODEL_ERROR, path.name, f"field {name}", "in out[k].ready k;"):
        read._loaded.__wrapped__(path)


def test_table_with_a_parameter_of_too_many_values_is_refused(tmp_path):
    path = tmp_path / "block.toml"
    text = tables.files.table_path("compactor").read_text(encoding="utf-8")
    path.write_text(text.replace("max = 8", f"max = {2**40}", 1), encoding="utf-8")
    with programs.error(Status.MODEL_ERROR, path.name, "max", "at most 65536 values"):
        read._loaded.__wrapped__(path)


@pytest.mark.parametrize(
    ("braces", "why"),
    [
        ("{}", "names no parameter: {}"),
        ("{:}", "names no parameter: {}"),
        ("{0}", "names no parameter: 0"),
        ("{n:zz}", "write {NAME} of a parameter alone"),
        ("{n!q}", "write {NAME} of a parameter alone"),
        ("{", "write {NAME} of a parameter, or {{ for a brace"),
    ],
)
def test_table_with_a_message_of_other_braces_is_refused(braces, why, tmp_path):
    path = tmp_path / "block.toml"
    text = tables.files.table_path("compactor").read_text(encoding="utf-8")
    path.write_text(text.replace("n={n}", braces, 1), encoding="utf-8")
    with programs.error(Status.MODEL_ERROR, path.name, "constraint", why):
        read._loaded.__wrapped__(path)


@pytest.mark.parametrize("name", ["bom", "x" * 5000, "a/../muon"])
def test_table_of_a_family_that_is_not_there(name, tmp_path):
    path = tmp_path / "block.toml"
    text = tables.files.table_path("compactor").read_text(encoding="utf-8")
    path.write_text(text.replace('family = "boom"', f'family = "{name}"', 1))
    with programs.error(Status.MODEL_ERROR, path.name, f"family '{name[:100]}'", "there is boom"):
        read._loaded.__wrapped__(path)


def test_cache_limit_of_thousands_of_digits_is_refused():
    with programs.error(Status.USAGE, "cache limit", "20G"):
        cache.bytes_of(DIGITS)


@pytest.mark.parametrize("name", ["x" * 400, "a\0b", "..", ""])
def test_block_that_is_no_name_of_a_file_is_refused(name):
    with programs.error(Status.USAGE, "no block"):
        tables.load(name)


def test_waiver_of_bits_with_thousands_of_digits_is_refused(tmp_path):
    path = tmp_path / "waivers.toml"
    row = 'block = "compactor"\nport = "io_out_0_valid"\nreason = "x"\nowner = "y"\n'
    path.write_text(f'[[waiver]]\n{row}until = 2099-01-01\nbits = "{DIGITS}"\n')
    with programs.error(Status.USAGE, "bits", "7:0"):
        waivers.read([path])


@pytest.mark.parametrize(
    "when", [f"x == {DIGITS}", f"x == {DIGITS}'h1", f"x[{DIGITS}]", f"x[0:{DIGITS}]"]
)
def test_condition_with_thousands_of_digits_is_refused(when):
    with programs.error(Status.USAGE, "place: cannot read 'x", "number"):
        conditions.compiled(when, "place", {"x": 8})


def test_fault_that_is_no_text_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "faults.toml"
    path.write_text("config = []\nfault = [1]\n")
    monkeypatch.setattr(mutate, "fault_list", lambda block: path)
    with programs.error(Status.USAGE, path.name):
        mutate.load("compactor")


ASKED = sweep.make(sweep.Asked(["src"], ["mixed"], seeds=Seeds.one(1)), None)


def read_coverage(path):
    cover_store.read(path)


def read_sweep(path):
    with store.Store(path).opened(ASKED, "model", []) as base:
        base.rows()
        base.rows("synth")


def read_regress(path):
    shutil.copy(path, path.with_name(regress_store.NAME))
    with regress_store.Store(path.parent).opened() as base:
        base.failing()
        base.get("verdict", asked="a", commit_id="b", block="c", config="d")
        base.get("result", asked="a", key="b", block="c", config="d")


def test_a_database_that_was_just_made_is_empty(tmp_path):
    path = tmp_path / "new"
    path.touch()
    assert cover_store.read(path) == {}
    assert not path.stat().st_size


DATABASES = {
    "coverage": (cover_store.KIND, read_coverage),
    "explore": (store._KIND, read_sweep),
    "regress": (regress_store._KIND, read_regress),
}
VERDICT = "INSERT INTO verdict VALUES ('a', 'b', 'c', 'd', 'PASS', 'same', {}, '{}')"
ROW = (
    '{"commit": "b", "block": "c", "config": "d", "verdict": "PASS", "settled_by": "same", '
    '"seconds": 1}'
)
RUN = (
    "INSERT INTO run (point, workload, seed, status, message, cycles, issued, ipc)"
    " VALUES ('src', 'mixed', 1, {})"
)
COVERED = (
    "INSERT INTO run (space, kind, stimulus, seed, asked, power_up, verdict, cycles, module, rtl,"
    " source, version, added)"
    " VALUES (1, 'lockstep', '{}', 1, 1, 'zero', 'PASS', 1, '', '', '{}', '', '')"
)
DAMAGE = [
    ("coverage", "DROP TABLE hit", "hit.run"),
    ("coverage", "ALTER TABLE run DROP COLUMN added", "run.added"),
    ("coverage", "INSERT INTO run (space, seed, verdict) VALUES (1, 'x', 'PASS')", "run."),
    ("coverage", "INSERT INTO space VALUES (1, x'ff', '', '', '')", "space.block"),
    ("coverage", "INSERT INTO space VALUES (1, 'hazard', 'x', '', '')", "a configuration is 'x'"),
    ("coverage", COVERED.format("mix", '"'), "the words of a run are '\"'"),
    ("coverage", COVERED.format("program 1", ""), "the words of a run are ''"),
    ("explore", "DROP TABLE synth", "synth.point"),
    ("explore", "UPDATE about SET digest = 'x'", "is not whole"),
    ("explore", "UPDATE about SET sweep = '[]', digest = NULL", "is not whole"),
    ("explore", "INSERT INTO run (point, workload, seed) VALUES ('else', 'mixed', 1)", "'else'"),
    (
        "explore",
        "INSERT INTO run VALUES ('src', 'mixed', 1, 'DONE' {}, '{{', '[]', '[]')",
        "warps is",
    ),
    ("explore", "INSERT INTO run (point, workload, seed) VALUES ('src', 'mixed', 1)", "status"),
    ("explore", RUN.format("'DONE', '', 7, 5, NULL"), "ipc of a DONE run is None"),
    ("explore", RUN.format("'LIMIT', '', 7, 5, 9e999"), "ipc of a LIMIT run is inf"),
    ("explore", RUN.format("'LIMIT', '', 7, 5, -1"), "ipc of a LIMIT run is -1"),
    ("explore", RUN.format("'DONE', '', NULL, 5, 1"), "cycles of a DONE run is None"),
    ("explore", RUN.format("'HANG', NULL, 7, 5, 1"), "a HANG run has no message"),
    ("regress", "DROP TABLE subject", "subject.asked"),
    ("regress", VERDICT.format("NULL", "{{}}"), "verdict.row has no verdict"),
    ("regress", VERDICT.format("'x'", "{{}}"), "verdict.seconds is 'x'"),
    ("regress", VERDICT.format("1", "[" * 5000), "verdict.row is '[["),
    (
        "regress",
        VERDICT.format("1", ROW.replace("PASS", "MAYBE")),
        "verdict.row.verdict is 'MAYBE'",
    ),
    ("regress", VERDICT.format("1", ROW.replace('"b"', '"x"')), "verdict.row.commit is 'x'"),
    ("regress", VERDICT.format("1", ROW[:-1] + ', "floors": 1}'), "verdict.row has no coverage"),
    (
        "regress",
        VERDICT.format("1", ROW[:-1] + ', "first": {"cycle": 1, "got": "0x1"}}'),
        "verdict.row.first is {'cycle': 1",
    ),
    (
        "regress",
        VERDICT.format("1", ROW[:-1] + ', "coverage": 1, "floors": 1, "points": "x"}'),
        "verdict.row.points is 'x'",
    ),
    (
        "regress",
        "INSERT INTO result VALUES ('a', 'b', 'c', 'd', 'e', 'PASS', 1, 'x')",
        "result.answer",
    ),
    *((name, "UPDATE about SET version = 'x'", "about.version is 'x'") for name in DATABASES),
]


@pytest.mark.parametrize(("name", "damage", "part"), DAMAGE)
def test_damaged_database_is_refused(tmp_path, name, damage, part):
    kind, call = DATABASES[name]
    path = tmp_path / "base.sqlite"
    more = ", NULL" * (5 + len(store.COUNTERS))
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.executescript(kind.schema)
        if name == "explore":
            about = (kind.version, ASKED.digest, ASKED.text, "model", "today")
            base.execute("INSERT INTO about VALUES (?, ?, ?, ?, ?)", about)
        base.execute(damage.format(more) if "{}" in damage else damage)
    with programs.error(Status.CORRUPT, path.name if name != "regress" else "regress", part):
        call(path)


def test_record_with_bits_of_no_port_is_refused(tmp_path):
    """A model reads beyond the record where they are set."""
    path, words = tmp_path / "wide.wlv", ["scoreboard", "unknown"]
    made = programs.run("dpi/wlk-vec", "gen", words[0], path, 1, "mixed", 30, words[1])
    assert made.returncode == 0, made.stderr
    for command in (
        ["play", words[0], path, "unknown", "csv", "sync"],
        ["dump", words[0], path, 0, 30],
        [
            "export",
            "--force",
            words[0],
            path,
            "unknown",
            "gen",
            "vcd",
            tmp_path / "out.vcd",
            "clock",
        ],
    ):
        good = programs.run("dpi/wlk-vec", *command)
        assert good.returncode == 0, good.stderr
        done = programs.run("dpi/wlk-vec", *command, "num_pregs=8")
        assert done.returncode == Status.CORRUPT
        assert f"{path}: cycle 0: its record has bits of no port" in done.stderr


def test_database_that_does_not_take_a_row_is_refused(tmp_path):
    """As one of a later version, whose columns are none of ours."""
    path = tmp_path / "base.cover"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.executescript(cover_store.KIND.schema.replace("tied TEXT,", "tied TEXT, x NOT NULL,"))
    space = cover_store.Space("hazard", "a=1", "", "", ())
    with programs.error(Status.CORRUPT, path.name, "--cover", "space.x"):
        cover_store.add(path, {space: []})


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"a": 1, "b": ["x"]}, ""),
        ({"a": 1.5, "b": [], "c": "yes", "more": {"x": 1}}, ""),
        ({"b": []}, "it has no a"),
        ({"a": "x", "b": []}, "it.a is 'x'"),
        ({"a": 1, "b": ["x", 2]}, "it.b[1] is 2"),
        ({"a": 1, "b": {}}, "it.b is {}"),
        ({"a": 1, "b": [], "c": "no"}, "it.c is 'no'"),
        ({"a": 1, "b": [], "more": {"x": []}}, "it.more.x is []"),
        ([], "it is []"),
    ],
)
def test_shape_of_json(value, why):
    wanted = {"a": (int, float), "b": [str], "c?": {"yes"}, "more?": {"*": int}}
    assert shape.odd(value, wanted, "it") == why
