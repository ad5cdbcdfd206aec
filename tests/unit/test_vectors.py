# SPDX-License-Identifier: Apache-2.0
"""`warplock vectors`: what it makes, and one line and an exit code for each file it refuses."""

import functools
import json
import lzma
import operator
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status


def vectors(*words, code=0, cwd=None):
    """The command as a person types it."""
    programs.folder()
    return programs.typed("vectors", *words, code=code, cwd=cwd)


def importing(csv, out, *words, block="collector"):
    return ("import", "--csv", csv, out, "--block", block, *words)


def refused(words, status, *parts, cwd=None):
    programs.refused(vectors(*words, code=None, cwd=cwd), status, *parts)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A file of two lanes, 3000 cycles."""
    path = tmp_path_factory.mktemp("vectors") / "small.wlv"
    vectors("gen", "collector", path, "--config", "num_lanes=2", "--cycles", 3000)
    return path


# gen, play, dump, info


def test_vectors_play_needs_no_options(made):
    result = vectors("play", made, "--json").json
    assert result["verdict"] == "PASS"
    assert result["config"]["num_lanes"] == 2
    assert result["cycles"] == 3000
    # Every output bit of every cycle but the first is compared or masked.
    bits = 10 + 4 + 3 * 2 * 32
    assert (result["compared_bits"] + result["masked_bits"]) % 2999 == 0
    assert result["compared_bits"] > 2000 * bits


def test_vectors_gen_is_a_function_of_its_arguments(made, tmp_path):
    words = ("--config", "num_lanes=2", "--cycles", 3000)
    vectors("gen", "collector", tmp_path / "same.wlv", *words)
    vectors("gen", "collector", tmp_path / "other.wlv", *words, "--seed", 2)
    assert (tmp_path / "same.wlv").read_bytes() == made.read_bytes()
    assert (tmp_path / "other.wlv").read_bytes() != made.read_bytes()


def test_vectors_info_shows_how_it_was_made(made):
    text = vectors("info", made, "--json").json
    expected = {"block": "collector", "cycles": 3000, "seed": 1, "profile": "mix", "source": "gen"}
    assert expected.items() <= text.items()
    assert text["tool"].startswith("warplock ")
    assert "num_lanes=2" in vectors("info", made).out


def test_vectors_info_shows_a_list_as_it_is_given():
    golden = programs.ROOT / "vectors/golden/dispatch_compacting_default.wlv"
    printed = vectors("info", golden).out
    assert "  config: core_width=3 encoding=v3 queues=MEM:2:1,INT:1:1,FP:2:2\n" in printed
    assert vectors("info", golden, "--json").json["config"]["queues_0_type"] == 2


def test_vectors_dump_prints_the_cycles_asked_for(made):
    records = vectors("dump", made, "--from", 10, "--to", 12).objects
    assert [record["cycle"] for record in records] == [10, 11, 12]
    assert set(records[0]) == {"cycle", "in", "out", "care"}
    assert records[0]["out"].keys() == records[0]["care"].keys()
    assert len(records[0]["in"]["io_writeReq_bits_regs_0_data_1"]) <= 8
    assert len(vectors("dump", made).objects) == 3000


def test_vectors_dump_of_a_recording_gives_its_values(tmp_path):
    csv = programs.recording("muon/collector_B.csv.xz")
    vectors(*importing(csv, tmp_path / "b.wlv"))
    records = vectors("dump", tmp_path / "b.wlv", "--from", 100, "--to", 199).objects
    with lzma.open(csv, "rt") as file:
        names = file.readline().strip().split(",")
        rows = [line.strip().split(",") for line in file][1:]
    for record, row in zip(records, rows[100:200], strict=True):
        values = record["in"] | record["out"]
        for name, value in list(zip(names, row, strict=True))[1:]:
            assert int(values[name], 16) == int(value, 16)
        assert {int(care, 16).bit_count() for care in record["care"].values()} <= {1, 2, 32}


def test_vectors_play_finds_a_changed_value(made, tmp_path):
    bad = tmp_path / "bad.wlv"
    to_csv(made, tmp_path / "bad.csv", change=("io_readData_resp_bits_1_data_0", 1500))
    vectors(*importing(tmp_path / "bad.csv", bad))
    done = vectors("play", bad, "--json", code=Status.FUNCTIONAL_MISMATCH)
    first = done.json["first"]
    assert first["port"] == "io_readData_resp_bits_1_data_0"
    assert first["cycle"] >= 1500
    assert int(first["expected"], 16) ^ int(first["got"], 16) == 1
    assert "model state" in done.err


def ports_of(block, config):
    table = tables.load(block)
    return table.ports(table.config(config))


def to_csv(source, target, change=None, has=lambda _: True):
    """A vector file as a recording of the ports that it has, with a bit changed in the first cycle
    that cares.
    """
    records = vectors("dump", source).objects
    if change:
        port, first = change
        record = next(r for r in records[first:] if int(r["care"][port], 16))
        record["out"][port] = f"{int(record['out'][port], 16) ^ 1:x}"
    ports = [port for port in ports_of("collector", {"num_lanes": 2}) if has(port)]
    target.write_text(programs.as_csv(records, ports))


# import


def test_vectors_import_chooses_the_configuration_that_plays(tmp_path):
    """Three entries have the ports of four: only playing distinguishes them."""
    out = tmp_path / "d.wlv"
    csv = programs.recording("muon/collector_D.csv.xz")
    vectors(*importing(csv, out), code=Status.AMBIGUOUS)
    done = vectors(*importing(csv, out), "--accept-inferred")
    assert "coll_entries=3 (behaviour: 3 of 3|4)" in done.out
    done = vectors("play", out, "--json", "--config", "coll_entries=3")
    assert done.json["masked_bits"] == 300_576
    assert os.listdir(tmp_path) == ["d.wlv"]


def test_vectors_import_takes_what_is_given(tmp_path):
    out = tmp_path / "d.wlv"
    csv = programs.recording("muon/collector_D.csv.xz")
    words = ("--config", "coll_entries=4")
    vectors(*importing(csv, out, *words))
    vectors("play", out, code=Status.FUNCTIONAL_MISMATCH)


def test_vectors_import_compares_only_columns_that_are_there(made, tmp_path):
    csv, out = tmp_path / "part.csv", tmp_path / "part.wlv"
    to_csv(made, csv, has=lambda port: port.direction == "in" or port.name == "io_readReq_ready")
    vectors(*importing(csv, out))
    result = vectors("play", out, "--json").json
    assert result["verdict"] == "PASS"
    assert result["compared_bits"] == 2999  # one bit a cycle, the first cycle skipped


# A recording without some outputs: nothing may be filled in from one of the possible states.
HAZARD = {"num_warps": 4, "num_lanes": 1, "num_pregs": 16}


@pytest.fixture(scope="module")
def hazard_inputs(tmp_path_factory):
    """Two hundred cycles of the hazard's ports, and inputs that are all 0."""
    path = tmp_path_factory.mktemp("hazard") / "h.wlv"
    words = programs.config_options(HAZARD)
    vectors("gen", "hazard", path, *words, "--cycles", 200, "--power-up", "zero")
    records = [record["in"] for record in vectors("dump", path).objects]
    return records, dict.fromkeys(records[0], "0")


def hazard_csv(hazard_inputs, last, target, hidden):
    """What a hazard shows whose arbiter powered up with this `last`, which no reset reaches; but
    not the ports that match `hidden`.
    """
    records, idle = hazard_inputs
    ports = ports_of("hazard", HAZARD)
    inputs = [port for port in ports if port.direction == "in"]
    room = {"io_rsAdmit_ready": "1", "io_scb_updateRS_success": "1"}
    heads = [
        {f"io_ibuf_{warp}_valid": "1", f"io_ibuf_{warp}_bits_uop_inst_essentials_22": "1"}
        | {f"io_ibuf_{warp}_bits_uop_inst_essentials_3": f"{10 + warp:x}"}
        | {f"io_ibuf_{warp}_bits_uop_wid": f"{warp}", f"io_ibuf_{warp}_bits_uop_pc": "80000010"}
        for warp in range(HAZARD["num_warps"])
    ]
    before = [idle | {"reset": "1"}, idle | room | heads[last]]  # the recording begins behind it
    every = functools.reduce(operator.or_, heads)
    rows = [*before, idle | {"reset": "1"}, idle | room | every, *records[1:]]
    text = programs.as_csv([{"in": row, "out": {}} for row in rows], inputs)
    words = ("model", "hazard", "zero", *programs.config_words(HAZARD))
    lines = programs.run("dpi/wlk-vec", *words, stdin=text).stdout.splitlines()
    records = [json.loads(line) | {"in": row} for line, row in zip(lines, rows, strict=True)]
    kept = {p.name for p in ports if p in inputs or not re.search(hidden, p.name)}
    target.write_text(programs.as_csv(records[2:], ports, kept))


@pytest.mark.parametrize("last", range(4))
@pytest.mark.parametrize("hidden", ["^io_ibuf_._ready$", "^io_ibuf_[12]_ready$|_perf_"])
def test_vectors_missing_outputs_are_taken_from_no_state(hazard_inputs, tmp_path, hidden, last):
    csv, out = tmp_path / "h.csv", tmp_path / "h.wlv"
    hazard_csv(hazard_inputs, last, csv, hidden)
    made = vectors(*importing(csv, out, block="hazard"), "--json").json
    result = vectors("play", out, "--json").json
    assert result["verdict"] == "PASS"
    assert result["compared_bits"] > 50_000
    assert result["masked_bits"] > 0
    lacking, compared = made["not_compared"], made["outputs"]
    assert lacking and (result["not_compared"], result["outputs"]) == (lacking, compared)
    said = f"PASS ({len(lacking)} of {len(lacking) + compared} outputs not compared)"
    assert said in vectors("play", out).out


def test_report_names_fields_and_counts_in_decimal(hazard_inputs, tmp_path):
    """Registers, warps and flags are counted; masks, pcs and data are bits."""
    csv, out = tmp_path / "h.csv", tmp_path / "h.wlv"
    hazard_csv(hazard_inputs, 0, csv, "^$")
    names, widths, *rows = (line.split(",") for line in csv.read_text().splitlines())
    rd = names.index("io_rsAdmit_bits_ibufEntry_uop_inst_essentials_3")
    assert rows[1][rd] == "b"
    rows[1][rd] = "a"
    csv.write_text("".join(",".join(row) + "\n" for row in (names, widths, *rows)))
    vectors(*importing(csv, out, block="hazard"))
    printed = vectors("play", out, code=None).err
    rows = [line.split() for line in printed.splitlines()]
    rd = "io_rsAdmit_bits_ibufEntry_uop_inst_essentials_3"
    assert [rd, "(rd)", "10", "11", "0xf"] in rows
    table = printed.partition("handshakes of the RTL, a line a cycle:\n")[2]
    assert {"ibuf[1]", "rsAdmit"} <= set(table.splitlines()[0].split())
    assert {"hasRd", "rd", "pc", "wid"} <= set(table.splitlines()[1].split())
    assert re.search(r"\n +1\* .*\b11 +0x80000010 +1\b.*\b10 +0x80000010 +1\b", table), table
    assert "essentials" not in printed.partition("handshakes")[2]


def cell(text):
    """Another value of reset in cycle 7."""
    return lambda csv: re.sub(r"\n7,\w", f"\n7,{text}", csv)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "", ":1: the first column is ''"),
        (lambda text: text.replace("cycle,", "time,", 1), ":1: the first column is 'time'"),
        (lambda text: text.replace("#dir,", "dir,", 1), ":2: must be '#dir'"),
        (lambda text: text.replace("i1", "w1", 1), ":2: column"),
        (lambda text: text.replace("i1", "i", 1), ":2: column"),
        (lambda text: text.replace("io_readReq_ready", "io_bogus"), "column io_bogus"),
        (lambda text: text.replace("io_readReq_ready", "reset"), "'reset' comes twice"),
        (lambda text: text.replace("reset,", "", 1), ":2: must be"),
        (lambda text: text + "3000,0,1\n", ":3003: 3 cells"),
        (lambda text: text + "\n", ":3003: 1 cells"),
        (lambda text: text.replace("\n7,", "\n6,"), ":10: cycle 6 follows cycle 6"),
        (lambda text: text.replace("\n7,", "\n2,"), ":10: cycle 2 follows cycle 6"),
        (
            lambda text: re.sub(r"\n7,.*", "", text),
            ":10: cycle 8 follows cycle 6: rows are missing",
        ),
        (lambda text: text.replace("\n7,", "\n7a,"), ":10: '7a' is not the number of a cycle"),
        (lambda text: text.replace("\n7,", "\n-7,"), ":10: '-7' is not the number of a cycle"),
        (cell("2"), ":10: column reset: 2 has more"),
        (cell("x"), ":10: column reset: 'x' is not"),
        (cell("-1"), ":10: column reset: '-1' is not"),
        (cell(""), ":10: column reset: '' is not"),
        (cell(" 1"), ":10: column reset: ' 1' is not"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_vectors_import_bad_csv_names_the_line(made_csv, tmp_path, change, message):
    bad, out = tmp_path / "bad.csv", tmp_path / "out.wlv"
    bad.write_text(change(made_csv.read_text()))
    refused(importing(bad, out), Status.BAD_CSV, "bad.csv", message)
    assert os.listdir(tmp_path) == ["bad.csv"]


def test_vectors_import_of_a_block_without_clock_may_lack_rows(tmp_path):
    """Its vectors stand alone, but the same one twice is still the mark of two runs."""
    made, csv, out = (tmp_path / name for name in ("a.wlv", "a.csv", "b.wlv"))
    vectors("gen", "compactor", made, "--cycles", 20)
    vectors("export", made, "--csv", csv)
    whole = csv.read_text()
    csv.write_text(re.sub(r"\n7,.*", "", whole))
    vectors(*importing(csv, out, block="compactor"))
    assert vectors("play", out, "--json").json["cycles"] == 19
    csv.write_text(whole.replace("\n7,", "\n6,"))
    words = importing(csv, tmp_path / "c.wlv", block="compactor")
    refused(words, Status.BAD_CSV, "a.csv:10: cycle 6 follows cycle 6")


@pytest.fixture(scope="module")
def made_csv(made):
    path = made.with_name("made.csv")
    to_csv(made, path)
    return path


def test_vectors_import_without_a_row_is_vacuous(made_csv, tmp_path):
    csv, out = tmp_path / "none.csv", tmp_path / "o.wlv"
    csv.write_text("".join(made_csv.read_text().splitlines(keepends=True)[:2]))
    refused(importing(csv, out), Status.VACUOUS, "none.csv: no row below line 2")
    assert not out.exists()


def test_vectors_play_of_no_cycle_is_vacuous(made, tmp_path):
    """Such a file may come from another writer."""
    data, none = made.read_bytes(), tmp_path / "none.wlv"
    (size,) = struct.unpack_from("<I", data, 12)
    (index_at,) = struct.unpack_from("<Q", data, len(data) - 24)
    index = data[index_at : index_at + 8] + bytes(16)  # no chunk, no cycle
    trailer = struct.pack("<QII", 32 + size, zlib.crc32(index), 0) + data[-8:]
    none.write_bytes(data[: 32 + size] + index + trailer)
    done = vectors("play", none, "--json", code=Status.VACUOUS)
    assert done.json["verdict"] == "VACUOUS"


@pytest.mark.parametrize(
    ("has", "message"),
    [
        (lambda port: port.name != "io_writeReq_valid", "no column io_writeReq_valid"),
        (lambda port: port.direction == "in", "nothing to compare"),
    ],
)
def test_vectors_import_without_a_column_is_refused(made, tmp_path, has, message):
    csv = tmp_path / "part.csv"
    to_csv(made, csv, has=has)
    refused(importing(csv, tmp_path / "o.wlv"), Status.BAD_CSV, message)


def test_vectors_import_contradicting_config_names_the_port(made_csv, tmp_path):
    words = importing(made_csv, tmp_path / "o.wlv", "--config", "num_lanes=4")
    refused(words, Status.BAD_PARAMS, "num_lanes=4", "num_lanes=2")


@pytest.mark.parametrize(("keep", "status"), [(0.6, Status.TRUNCATED), (None, Status.CORRUPT)])
def test_vectors_import_damaged_xz_leaves_nothing(made_csv, tmp_path, keep, status):
    packed = bytearray(lzma.compress(made_csv.read_bytes(), preset=0))
    if keep is None:
        packed[len(packed) // 2] ^= 0xFF
    else:
        del packed[int(len(packed) * keep) :]
    bad = tmp_path / "bad.csv.xz"
    bad.write_bytes(packed)
    refused(importing(bad, tmp_path / "o.wlv"), status, "bad.csv.xz")
    assert os.listdir(tmp_path) == ["bad.csv.xz"]


def test_vectors_import_needs_the_end_of_its_input(made_csv, tmp_path):
    """A pipe that breaks looks like an end of file."""
    words = ["import", "collector", tmp_path / "o.wlv", "x.csv", "unknown", "num_lanes=2"]
    text = made_csv.read_text()
    done = programs.run("dpi/wlk-vec", *words, stdin=text)
    assert done.returncode == Status.TRUNCATED
    assert os.listdir(tmp_path) == []
    done = programs.run("dpi/wlk-vec", *words, stdin=text + "#end\n")
    assert (done.returncode, os.listdir(tmp_path)) == (0, ["o.wlv"])


@pytest.mark.parametrize("seed", ["0x", "1x", "-1", "", "18446744073709551616"])
def test_tool_refuses_what_is_no_number(tmp_path, seed):
    words = ["gen", "collector", tmp_path / "o.wlv", seed, "mix", 5, "unknown"]
    assert programs.run("dpi/wlk-vec", *words).returncode == Status.USAGE
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("given", "seed"), [("010", 10), ("0x10", 16)])
def test_tool_reads_decimal_and_0x(tmp_path, given, seed):
    words = ["gen", "collector", tmp_path / "o.wlv", given, "mix", 5, "unknown"]
    assert programs.run("dpi/wlk-vec", *words).returncode == 0
    printed = programs.run("dpi/wlk-vec", "header", tmp_path / "o.wlv").stdout
    assert json.loads(printed)["header"]["seed"] == seed


# Files that are refused.


def edited(path, target, edit):
    """The file with another header text, its checksum right; offsets move along."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<I", data, 12)
    text = edit(data[32 : 32 + size])
    moved = len(text) - size
    head = data[:12] + struct.pack("<I", len(text)) + data[16:28]
    head += struct.pack("<I", zlib.crc32(head + text)) + text
    (index_at,) = struct.unpack_from("<Q", data, len(data) - 24)
    index = bytearray(data[index_at:-24])
    for at in range(24, len(index), 16):
        struct.pack_into("<Q", index, at, struct.unpack_from("<Q", index, at)[0] + moved)
    trailer = struct.pack("<QII", index_at + moved, zlib.crc32(index), 0) + data[-8:]
    target.write_bytes(head + data[32 + size : index_at] + index + trailer)
    return target


def with_member(key, value):
    def edit(text):
        decoded = json.loads(text)
        decoded[key] = value
        return json.dumps(decoded).encode()

    return edit


def with_lanes(count):
    return lambda text: text.replace(b'"num_lanes": 2', b'"num_lanes": %d' % count)


def test_vectors_header_can_be_edited_for_these_tests(made, tmp_path):
    same = edited(made, tmp_path / "same.wlv", with_member("more", "x" * 99))
    vectors("play", same)


@pytest.mark.parametrize("action", ["play", "dump"])
@pytest.mark.parametrize(
    ("edit", "status", "message"),
    [
        (with_member("schema", "0123456789abcdef"), Status.BAD_SCHEMA, "is 0123456789abcdef, ours"),
        (with_member("block", "scoreboard2"), Status.BAD_SCHEMA, "'scoreboard2'"),
        (with_member("config", {"num_lanes": 2}), Status.BAD_PARAMS, "lacks the parameter"),
        (with_member("config", {"lanes": 2}), Status.BAD_PARAMS, "no parameter 'lanes'"),
        (with_member("config", 7), Status.CORRUPT, "'config'"),
        (lambda text: b"{", Status.CORRUPT, "header's text"),
        (lambda text: b"[]", Status.CORRUPT, "header's text"),
        (with_lanes(4), Status.BAD_PARAMS, "words"),
        (with_lanes(0), Status.BAD_PARAMS, "1..64"),
    ],
)
def test_vectors_foreign_header_is_refused(made, tmp_path, action, edit, status, message):
    bad = edited(made, tmp_path / "bad.wlv", edit)
    refused((action, bad), status, "bad.wlv", message)


@pytest.mark.parametrize("members", ["pc", "pc:x:0:0", "pc:40:1:0", "pc:40:0:0,", 7])
def test_vectors_fields_at_other_places_are_refused(tmp_path, members):
    golden = programs.ROOT / "vectors/golden/compactor_default.wlv"
    bad = edited(golden, tmp_path / "bad.wlv", with_member("members", members))
    refused(("play", bad), Status.BAD_SCHEMA, "bad.wlv", "its fields", "`warplock vectors")


def test_vectors_fields_of_a_block_without_any_are_refused(made, tmp_path):
    bad = edited(made, tmp_path / "bad.wlv", with_member("members", "pc:40:0:0"))
    refused(("play", bad), Status.BAD_SCHEMA, "bad.wlv", "its fields")


def test_vectors_file_of_another_model_is_refused(made, tmp_path):
    old = edited(made, tmp_path / "old.wlv", with_member("model_version", 0))
    refused(("play", old), Status.BAD_VERSION, "version 0", "`warplock vectors gen`")
    vectors("dump", old, "--to", 0)


def test_vectors_recording_outlives_a_model(made_csv, made, tmp_path):
    """Its expected values are the design's own."""
    csv = tmp_path / "r.wlv"
    vectors(*importing(made_csv, csv))
    old = edited(csv, tmp_path / "old.wlv", with_member("model_version", 0))
    vectors("play", old)


def test_vectors_other_config_is_refused(made):
    refused(
        ("play", made, "--config", "num_lanes=4"), Status.BAD_PARAMS, "made with num_lanes=2, not 4"
    )
    vectors("play", made, "--config", "num_lanes=2")


def patched(at, new):
    return lambda data: data[:at] + new(data[at : at + 4]) + data[at + 4 :]


DAMAGE = {
    "truncated": (lambda data: data[:-100], Status.TRUNCATED, ""),
    "empty": (lambda data: b"", Status.TRUNCATED, "0 bytes"),
    "other": (lambda data: b"x" * 5000, Status.CORRUPT, "not a warplock vector file"),
    "version": (patched(8, lambda _: struct.pack("<I", 2)), Status.BAD_VERSION, "format 2"),
    "chunk": (patched(2000, lambda old: bytes([old[0] ^ 1]) + old[1:]), Status.CORRUPT, "chunk 0"),
}


@pytest.mark.parametrize(("damage", "status", "message"), DAMAGE.values(), ids=DAMAGE)
def test_vectors_damaged_file_is_refused(made, tmp_path, damage, status, message):
    bad = tmp_path / "bad.wlv"
    bad.write_bytes(damage(made.read_bytes()))
    refused(("play", bad), status, "bad.wlv", message)


def test_vectors_missing_file_is_refused(tmp_path):
    refused(("play", tmp_path / "none.wlv"), Status.NO_FILE, "none.wlv")
    refused(("info", tmp_path), Status.NO_FILE, str(tmp_path))
    words = importing(tmp_path / "none.csv", tmp_path / "o.wlv")
    refused(words, Status.NO_FILE, "none.csv")


def test_vectors_model_that_forgets_is_reported(made, tmp_path):
    """A file cares where the model that made it knew the value; less is a fault of the model."""
    words = ["play", "collector", made, "unknown", "gen", "sync", "num_lanes=2"]
    assert programs.run("dpi/wlk-vec", *words).returncode == 0
    zero = tmp_path / "zero.wlv"
    vectors("gen", "collector", zero, "--config", "num_lanes=2", "--power-up", "zero")
    words[2] = zero
    done = programs.run("dpi/wlk-vec", *words)
    assert done.returncode == Status.MODEL_ERROR
    assert "cycle 0: the model does not know io_readReq_ready" in done.stderr


def test_vectors_style_of_a_reset_is_one_of_two(made):
    words = ["play", "collector", made, "unknown", "gen", "asynch", "num_lanes=2"]
    assert programs.run("dpi/wlk-vec", *words).returncode == Status.USAGE


# The command line.


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("gen collector o.wlv --config num_lanes=99", Status.BAD_CONFIG, "1..64"),
        ("gen collector o.wlv --config lanes=9", Status.BAD_CONFIG, "'lanes'"),
        ("gen collector o.wlv --config lanes", Status.USAGE, "key=value"),
        ("gen collector o.wlv --profile fast", Status.USAGE, "saturate"),
        ("gen collector o.wlv --cycles 0", Status.USAGE, "within 1.."),
        ("gen collector o.wlv --cycles many", Status.USAGE, "not a number"),
        ("gen collector o.wlv --seed -1", Status.USAGE, "0.."),
        ("gen collector o.wlv --power-up one", Status.USAGE, "unknown"),
        ("gen colector o.wlv", Status.USAGE, "collector"),
        ("gen collector none/o.wlv", Status.NO_FILE, "none/o.wlv"),
        ("frobnicate", Status.USAGE, "'frobnicate'"),
        ("", Status.USAGE, "ACTION"),
        ("import o.wlv --block collector", Status.USAGE, "--csv"),
        (
            "gen collector o.wlv --config num_lanes=2 --config num_lanes=4",
            Status.USAGE,
            "--config num_lanes=2 and --config num_lanes=4",
        ),
    ],
)
def test_vectors_mistake_is_one_line(tmp_path, words, status, message):
    refused(words.split(), status, message, cwd=tmp_path)
    assert os.listdir(tmp_path) == []


def test_vectors_dump_beyond_the_end_is_refused(made):
    refused(("dump", made, "--from", 3000), Status.USAGE, "it has 0..2999")
    refused(("dump", made, "--from", 5, "--to", 4), Status.USAGE, "no cycles 5..4")
    assert len(vectors("dump", made, "--from", 2999, "--to", 9999).objects) == 1


def test_vectors_help_of_each_action_has_an_example():
    for action in ("gen", "play", "dump", "import", "export", "diff", "info", "golden"):
        text = vectors(action, "--help").out
        assert f"example:\n  warplock vectors {action} " in text
        assert "--json" in text


# Full disks, broken pipes, Ctrl-C.


def test_vectors_full_disk_is_reported(tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    words = ["gen", "collector", tmp_path / "o.wlv", 1, "mix", 100_000, "unknown"]
    done = programs.run("dpi/wlk-vec", *words, preexec_fn=limit)
    assert done.returncode == Status.NO_SPACE
    assert "o.wlv" in done.stderr
    assert os.listdir(tmp_path) == []


def test_vectors_full_output_is_reported(made):
    with Path("/dev/full").open("w") as full:
        command = [programs.folder() / "dpi/wlk-vec", "dump", "collector", made, "0", "99"]
        done = subprocess.run([*command, "num_lanes=2"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == Status.NO_SPACE
    assert b"cannot write the output" in done.stderr


def test_vectors_dump_into_head_is_silent(made):
    command = f"{sys.executable} {programs.WARPLOCK} vectors dump {made} | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert json.loads(done.stdout)["cycle"] == 0
    assert done.stderr == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_vectors_interrupted_gen_leaves_nothing(tmp_path, number):
    out = tmp_path / "o.wlv"
    process = programs.started("vectors", "gen", "collector", out, "--cycles", "1e10")
    # What outlives it does not fill the disk.
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4 << 30, 4 << 30))
    programs.wait_for(lambda: list(tmp_path.glob("o.wlv.*.partial")), 30)
    process.send_signal(number)
    output, message = process.communicate(timeout=20)
    assert output == ""
    expected = {signal.SIGINT: (130, "warplock: interrupted\n"), signal.SIGTERM: (143, "")}
    expected[signal.SIGKILL] = (-signal.SIGKILL, message)
    assert (process.returncode, message) == expected[number]
    if number == signal.SIGKILL:  # the writer is ended a little later
        programs.wait_for(lambda: not os.listdir(tmp_path))
    assert os.listdir(tmp_path) == []
