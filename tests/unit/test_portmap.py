# SPDX-License-Identifier: Apache-2.0
"""Port maps: what one says, and what is wrong with one."""

from pathlib import Path

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status
from wlk.fit import portmap
from wlk.fit.portmap import Place, Shape

TABLE = tables.load("collector")
WORD = Shape(8, (7, 0))
ROW = Shape(24, (2, 0), WORD)
UP = Shape(24, (0, 2), WORD)
STRUCT = Shape(12, members={"valid": (11, Shape(1)), "regs": (0, Shape(11, (10, 0)))})
SHAPES = {
    "bit": Shape(1),
    "word": WORD,
    "rows": Shape(48, (1, 0), ROW),
    "up": UP,
    "req": STRUCT,
    "list": Shape(16, (0, 1), WORD, unpacked=True),
    "reqs": Shape(24, (3, 2), STRUCT, unpacked=True),
    "open": Shape(13, members={"req": (0, STRUCT), "v": (0, Shape(1))}, unpacked=True),
}


def read(tmp_path: Path, text: str) -> portmap.PortMap:
    path = tmp_path / "map.toml"
    path.write_text(text)
    return portmap.read(path)


@pytest.mark.parametrize(
    ("text", "where", "lsb", "width", "whole"),
    [
        ("bit", "bit", 0, 1, 1),
        ("word", "word", 0, 8, 8),
        ("word[3:2]", "word", 2, 2, 8),
        ("word[7]", "word", 7, 1, 8),
        ("rows[1]", "rows", 24, 24, 48),
        ("rows[1][2]", "rows", 40, 8, 48),
        ("rows[1][2:1]", "rows", 32, 16, 48),
        ("rows[0][1][3]", "rows", 11, 1, 48),
        ("up[0]", "up", 16, 8, 24),
        ("up[0:1]", "up", 8, 16, 24),
        ("req.valid", "req", 11, 1, 12),
        ("req.regs[4:2]", "req", 2, 3, 12),
        ("list[1]", "list[1]", 0, 8, 8),
        ("list[1][4]", "list[1]", 4, 1, 8),
        ("reqs[3].valid", "reqs[3]", 11, 1, 12),
        ("open.v", "open.v", 0, 1, 1),
        ("open.req.regs[1:0]", "open.req", 0, 2, 12),
    ],
)
def test_portmap_place_is_bits_of_a_signal(text, where, lsb, width, whole):
    place = Place.of(text, "here")
    bits = place.bits(SHAPES[place.name])
    assert (bits.where, bits.lsb, bits.width, bits.signal.width) == (where, lsb, width, whole)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bit[0]", "one bit"),
        ("word[8]", r"indices are \[7:0\]"),
        ("word[2:3]", "run the other way"),
        ("up[1:0]", "run the other way"),
        ("req.vald", "did you mean valid"),
        ("req[0]", "no array"),
        ("list", "unpacked, so name one element"),
        ("open", "unpacked, so name one member"),
        ("list[1:0]", "unpacked, so name one element"),
        ("list[2]", r"indices are \[0:1\]"),
    ],
)
def test_portmap_place_that_is_not_there_is_explained(text, message):
    place = Place.of(text, "here")
    with pytest.raises(LookupError, match=message):
        place.bits(SHAPES[place.name])


@pytest.mark.parametrize("text", ["", "1a", "a[", "a[x]", "a b", "a.1", "a[1:2:3]", "a["])
def test_portmap_text_that_is_no_place_is_refused(text):
    with programs.error(Status.USAGE, "here", "no place"):
        Place.of(text, "here")


def test_portmap_index_stands_for_every_port(tmp_path):
    told = read(
        tmp_path,
        """
[ports]
"io_readReq_bits_regs_{i}_pReg" = "preg[{2-i}]"
"io_readData_resp_bits_{i}_data_{l}" = "data[{i*64+l}]"
""",
    )
    found = {entry.port: entry.place.text for entry in told.entries(TABLE)}
    pregs = [found[f"io_readReq_bits_regs_{i}_pReg"] for i in range(3)]
    assert pregs == ["preg[2]", "preg[1]", "preg[0]"]
    assert found["io_readData_resp_bits_1_data_3"] == "data[67]"
    lanes = max(TABLE.params["num_lanes"].legal)
    assert len(found) == 3 + 3 * lanes


def test_portmap_index_may_count_down(tmp_path):
    """Of lanes that are not there the index is below 0: they are not placed."""
    told = read(tmp_path, '[ports]\n"io_writeReq_bits_regs_0_data_{l}" = "data[{1-l}]"\n')
    found = {entry.port: entry.place.text for entry in told.entries(TABLE)}
    data = "io_writeReq_bits_regs_0_data_"
    assert found == {f"{data}0": "data[1]", f"{data}1": "data[0]"}


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("flat[{i*64+l*32+31}:{i*64+l*32}]", {(i, n) for i in range(3) for n in range(2)}),
        ("flat[{l*96+i*32+31}:{l*96+i*32}]", {(i, n) for i in range(3) for n in range(2)}),
        ("flat[{i*64+l*64+63}:{i*64+l*64}]", {(i, 0) for i in range(3)}),
        ("flat[{i*32+31}:{i*32}]", None),
    ],
    ids=["lanes inside", "lanes outside", "one lane", "not apart"],
)
def test_portmap_list_in_a_list_ends_where_the_next_one_begins(tmp_path, text, there):
    told = read(tmp_path, f'[ports]\n"io_readData_resp_bits_{{i}}_data_{{l}}" = "{text}"\n')
    shape, found = Shape(192, (191, 0)), []
    for entry in told.entries(TABLE):
        try:
            bits = entry.place.bits(shape)
        except LookupError:
            continue
        found.append((entry, bits.where, bits.lsb, bits.width))
    kept = portmap.within(found)
    if there is None:  # each lane the same bits: refused later
        assert all(kept)
        return
    assert {each[0].indices for each, keep in zip(found, kept, strict=True) if keep} == there


def test_portmap_may_place_any_port_of_vortex(tmp_path):
    """Some of its ports are named by the table twice: as themselves, and as a vector."""
    told = read(tmp_path, '[ports]\nwb_valid = "a"\nreset = "b"\n')
    found = [entry.port for entry in told.entries(tables.load("vortex_scoreboard"))]
    assert found == ["wb_valid", "reset"]


def test_portmap_payload_may_have_any_name(tmp_path):
    told = read(tmp_path, '[ports]\n"io_ren_uops_{i}_bits_all" = "uops[{i}]"\n')
    found = [entry.port for entry in told.entries(tables.load("dispatch_basic"))]
    assert found == [f"io_ren_uops_{i}_bits_all" for i in range(8)]


@pytest.mark.parametrize(
    ("text", "parts"),
    {
        "toml": ("[ports", ("map.toml", "]")),
        "twice": (
            '[ports]\nreset = "a"\nreset = "b"',
            ("map.toml", "line 3", "reset stands twice"),
        ),
        "version": ("version = 2", ("version = 2", "reads version 1")),
        "key": ('modul = "x"', ("no key modul", "did you mean module")),
        "inner_key": ('[reset]\nname = "x"', ("[reset] has no key name", "port")),
        "not_a_table": ('ports = "x"', ("ports", "a table [ports]")),
        "not_a_name": ("[module]\nx = 1", ("module", 'module = "NAME"')),
        "name": ("module = 3", ("module must be a string",)),
        "polarity": ('[reset]\nactive = "both"', ("active", '"high" or "low"', "both")),
        "polarities": ('[reset]\nactive = ["low", "high"]', ("active", "one of them")),
        "style": ('[reset]\nstyle = "asynch"', ("style", '"sync" or "async"')),
        "place": ("[ports]\nreset = 3", ("[ports] reset must be a string",)),
        "input": ('[inputs]\nx = "any"', ("[inputs] x", '"random"')),
        "negative": ("[inputs]\nx = -1", ("[inputs] x", "0 or more")),
        "tie": ('[tie]\nx = "random"', ("[tie] x must be a number",)),
        "ignore": ('[outputs]\nignore = "dbg"', ("ignore must be a list",)),
        "config": ("[config]\nnum_lanes = [1]", ("[config] num_lanes",)),
    }.values(),
    ids=lambda value: None,
)
def test_portmap_bad_file_is_named_in_one_line(tmp_path, text, parts):
    with programs.error(Status.USAGE, "map.toml", *parts):
        read(tmp_path, text)


def test_portmap_file_that_is_not_there_is_named(tmp_path):
    with programs.error(Status.NO_FILE, "--map", "none.toml"):
        portmap.read(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "parts"),
    {
        "unknown": ('io_readReq_vald = "a"', ("no such port", "did you mean io_readReq_valid")),
        "pattern": ('"io_readReq_bits_regs_{i}_preg" = "a"', ("no such port",)),
        "index": ('"io_readReq_bits_regs_{i}_pReg" = "a[{j}]"', ("{j}", "{i}")),
        "same_index": ('"io_readData_resp_bits_{i}_data_{i}" = "a"', ("{i}", "once")),
        "no_index": ('"io_readReq_bits_regs_{}_pReg" = "a"', ("is no index",)),
        "expression": ('"io_readReq_bits_regs_{i}_pReg" = "a[{i+}]"', ("i+",)),
        "power": ('"io_readReq_bits_regs_{i}_pReg" = "a[{i**9}]"', ("i**9", "+ - * // %")),
        "zero": ('"io_readReq_bits_regs_{i}_pReg" = "a[{2//i}]"', ("{2//i}", "with i = 0")),
        "below": ('"io_readReq_bits_regs_{i}_pReg" = "a[{i-9}]"', ("a[-7]", "the least is 0")),
        "below_one": ('io_readReq_valid = "a[{1-2}]"', ("a[-1]", "the least is 0")),
        "place": ('io_readReq_valid = "a["', ("no place",)),
        "twice": (
            '"io_readReq_bits_regs_{i}_pReg" = "a"\nio_readReq_bits_regs_1_pReg = "b"',
            ("io_readReq_bits_regs_1_pReg is named twice",),
        ),
        "reset": ('reset = "a"\n[reset]\nport = "b"', ("reset is named twice", "[reset]")),
    }.values(),
    ids=lambda value: None,
)
def test_portmap_line_that_means_nothing_is_named(tmp_path, text, parts):
    told = read(tmp_path, f"[ports]\n{text}\n")
    with programs.error(Status.USAGE, "map.toml", *parts):
        list(told.entries(TABLE))


def test_portmap_of_another_block_is_refused(tmp_path):
    told = read(tmp_path, 'block = "scoreboard"')
    with programs.error(Status.USAGE, 'block = "scoreboard"', "collector"):
        told.require_block(TABLE)


def test_portmap_flags_may_not_contradict_the_file(tmp_path):
    told = read(tmp_path, '[clock]\nport = "clk"\n[reset]\nport = "rst_n"\nactive = "low"\n')
    merged = portmap.with_flags(told, clock="clk", reset=("rst_n", None, "async"), prefix="x_")
    assert (merged.reset.port, merged.reset.active, merged.reset.style) == ("rst_n", "low", "async")
    assert merged.names_for("x_a") == ["x_a", "a", "x_x_a"]
    for flags in (
        {"clock": "ck"},
        {"reset": ("rst", None, None)},
        {"reset": ("rst_n", "high", None)},
    ):
        with programs.error(Status.USAGE, "map.toml", "give one of them"):
            portmap.with_flags(told, **flags)


def test_portmap_config_words_go_before_those_of_the_map(tmp_path):
    told = read(tmp_path, "[config]\ncoll_entries = 2\nnum_lanes = 4\n")
    assert told.given(["coll_entries=3", "tiny"]) == ["coll_entries=3", "tiny", "num_lanes=4"]
