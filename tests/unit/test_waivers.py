# SPDX-License-Identifier: Apache-2.0
"""Waivers: what a file may say, what a condition means, and what becomes of them."""

import datetime

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status
from wlk.fit import conditions, waivers

TODAY = datetime.date(2030, 6, 15)
PORTS = {"a": 1, "b": 1, "io_wide": 8, "io_x_0_valid": 1, "io_x_1_valid": 1, "io_all": 64}
TABLE = tables.load("collector")
SMALL = TABLE.config({"num_lanes": 2, "num_pregs": 16, "coll_entries": 2})
ROW = {
    "block": '"collector"',
    "port": '"io_writeReq_ready"',
    "reason": '"not ready in reset"',
    "owner": '"Ada"',
    "until": "2030-12-31",
}


def compiled(text, filled=()):
    return " ".join(conditions.compiled(text, "w.toml:1: waiver 1: when", PORTS, filled))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a", "a"),
        ("!a", "a !"),
        ("not a and b", "a ! b &&"),
        ("a || b && a", "a b a && ||"),
        ("(a or b) && a", "a b || a &&"),
        ("a && b || a", "a b && a ||"),
        ("io_wide == 8'hF_0", "io_wide 0xf0 =="),
        ("io_wide != 0b101", "io_wide 0x5 !="),
        ("io_wide < 1_0", "io_wide 0xa <"),
        ("io_wide >= 0x1f", "io_wide 0x1f >="),
        ("io_wide[3]", "io_wide@3:1"),
        ("io_wide[7:4] <= 4'd9", "io_wide@4:4 0x9 <="),
        ("io_wide & 3 == 3", "io_wide 0x3 0x3 == &"),  # as in Verilog and C
        ("(io_wide & 3) > 2", "io_wide 0x3 & 0x2 >"),
        ("a | b ^ a & b", "a b a b & ^ |"),
        ("a == b != a", "a b == a !="),
        ("a < b == a", "a b < a =="),
        ("~io_wide == 1", "io_wide ~8 0x1 =="),
        ("~io_wide[1:0] == 1", "io_wide@0:2 ~2 0x1 =="),
        ("~(io_wide | 9'h100) != 0", "io_wide 0x100 | ~9 0x0 !="),
        ("!(a && b)", "a b && !"),
        ("!!a", "a ! !"),
        ("io_all == 64'hffffffffffffffff", "io_all 0xffffffffffffffff =="),
    ],
)
def test_condition_is_as_in_verilog(text, words):
    assert compiled(text) == words


def test_condition_has_what_the_port_matched():
    assert compiled("io_x_*_valid && !a", ["1"]) == "io_x_1_valid a ! &&"
    assert compiled("*_x_*_valid", ["io", "0"]) == "io_x_0_valid"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a port, a number or ( is wanted at its end"),
        ("a &&", "is wanted at its end"),
        ("a && )", "is wanted before ')'"),
        ("(a", "')' is wanted at its end"),
        ("a b", "'b' stands where an operator is wanted"),
        ("a + b", "'+' is no part of a condition; there are ! &&"),
        ("|a", "is wanted before '|'"),
        ("io_wid == 1", "there is no port io_wid; did you mean io_wide?"),
        ("io_wide[8]", "io_wide[8:8]: it has the bits 7:0"),
        ("io_wide[0:1]", "it has the bits 7:0"),
        ("io_wide[a]", "'a' is no number of a bit"),
        ("io_wide[1", "']' is wanted at its end"),
        ("io_wide == 256", "256 does not fit in 8 bits"),
        ("2 == a", "2 does not fit in 1 bits"),
        ("io_wide == 4'h1f", "'4'h1f' does not fit in its 4 bits"),
        ("io_wide == 4'b2", "'4'b2' is no number"),
        ("io_wide == 65'h0", "does not fit in its 65 bits (of 64 at most)"),
        ("1", "it reads no port; leave `when` out"),
        ("io_x_*_valid", "there are too many"),
        ("(" * 999 + "a" + ")" * 999, "more than 32 of ( ! ~ are open"),
    ],
)
def test_condition_that_means_nothing_is_refused(text, why):
    with programs.error(Status.USAGE, "w.toml:1: waiver 1: when: cannot read '", why):
        compiled(text)


# ---- files --------------------------------------------------------------------------------------


def row(**changed):
    """A table [[waiver]]; None: a key that it lacks."""
    values = {key: value for key, value in (ROW | changed).items() if value is not None}
    return "[[waiver]]\n" + "".join(f"{key} = {value}\n" for key, value in values.items())


def read(folder, *texts):
    path = folder / "w.toml"
    path.write_text("\n".join(texts))
    return waivers.read([path], TODAY)


@pytest.mark.parametrize(
    ("texts", "parts"),
    [
        ([""], ["w.toml: one table [[waiver]] or more is wanted"]),
        (["[waiver]"], ["one table [[waiver]]"]),
        (["[[waver]]"], ["no key waver; did you mean waiver?"]),
        (["version = 2", row()], ["version = 2", "reads version 1"]),
        (["[[waiver]]\nport = 1\nport = 2"], ["line 3: port stands twice"]),
        ([row(prot='"x"')], ["w.toml:1: waiver 1: no key prot; did you mean port?"]),
        (["", row(), row(reason=None)], ["w.toml:9: waiver 2: reason is missing; say in a line"]),
        ([row(owner=None)], ["owner is missing; name who"]),
        ([row(until=None)], ["until is missing; give the last day"]),
        ([row(port=None)], ["port is missing"]),
        ([row(block=None)], ["block is missing"]),
        ([row(owner='" "')], ["owner: found ' '; name who"]),
        ([row(reason="7")], ["reason: found 7"]),
        ([row(when='""')], ["when: found ''; write a condition, or leave it out"]),
        ([row(block='"colector"')], ["block: there is no block colector; did you mean collector?"]),
        ([row(until='"soon"')], ["until: found 'soon'; give the last day"]),
        ([row(until="2030-12-31T10:00:00")], ["until: found"]),
        ([row(bits='"0:7"')], ["bits: found '0:7'; write the highest and the lowest"]),
        ([row(bits='"a"')], ["bits: found 'a'"]),
        ([row(bits="true")], ["bits: found True"]),
        ([row(config='"x"')], ["config: found 'x'; write parameters, as config = {"]),
        ([row(config="{ a = [1] }")], ["config: found"]),
        ([row(), row(reason='"another"')], ["w.toml:8: waiver 2", "is waived by", "w.toml:1: wai"]),
        (
            [row(when='"reset  && reset"'), row(when='"reset&&reset"')],
            ["io_writeReq_ready is waived by", "remove one of them"],
        ),
    ],
)
def test_file_that_is_wrong_is_refused(texts, parts, tmp_path):
    with programs.error(Status.USAGE, *parts):
        read(tmp_path, *texts)


def test_file_that_is_not_there_is_refused(tmp_path):
    with programs.error(Status.NO_FILE, "--waive", "none.toml", "No such file"):
        waivers.read([tmp_path / "none.toml"], TODAY)


def test_waiver_expires_behind_its_last_day(tmp_path):
    assert len(read(tmp_path, row(until="2030-06-15")).listed) == 1
    parts = ["w.toml:1: waiver 1: collector io_writeReq_ready expired on 2030-06-14"]
    parts += ["owner Ada", "reason: not ready in reset", "give a later day"]
    with programs.error(Status.EXPIRED_WAIVER, *parts):
        read(tmp_path, row(until='"2030-06-14"'))


def test_several_files_are_one_list(tmp_path):
    paths = [tmp_path / "a.toml", tmp_path / "b.toml"]
    paths[0].write_text(row())
    paths[1].write_text(row())
    with programs.error(Status.USAGE, "b.toml:1: waiver 1", "a.toml:1: waiver 1"):
        waivers.read(paths, TODAY)


def test_waivers_that_are_no_tables_are_told_apart(tmp_path):
    rows = [", ".join(f"{k} = {v}" for k, v in (ROW | {"port": p}).items()) for p in ('"a"', '"b"')]
    found = read(tmp_path, f"waiver = [{{ {rows[0]} }}, {{ {rows[1]} }}]")
    assert [each.place for each in found.listed] == [
        f"{tmp_path}/w.toml: waiver {n}" for n in (1, 2)
    ]
    assert [each.where for each in found.listed] == [each.place for each in found.listed]


# ---- ports of a block ---------------------------------------------------------------------------


def words(folder, *texts, config=SMALL):
    return read(folder, *texts).words([(TABLE, config)])


def test_waiver_is_given_for_each_port(tmp_path):
    port, when = '"io_readData_resp_bits_*_data_*"', '"io_readReq_bits_regs_*_enable"'
    found = words(tmp_path, row(port=port, bits='"3:1"', when=when))
    assert found[1] == (
        "waive=collector 0 io_readData_resp_bits_0_data_1 0xe io_readReq_bits_regs_0_enable"
    )
    assert [text.split()[2:4] + text.split()[4:] for text in found] == [
        [f"io_readData_resp_bits_{op}_data_{lane}", "0xe", f"io_readReq_bits_regs_{op}_enable"]
        for op in range(3)
        for lane in range(2)
    ]


def test_waiver_of_no_bits_is_of_all(tmp_path):
    assert words(tmp_path, row()) == ["waive=collector 0 io_writeReq_ready 0x1"]
    found = words(tmp_path, row(port='"io_readData_resp_bits_0_data_0"'))
    assert found == ["waive=collector 0 io_readData_resp_bits_0_data_0 0xffffffff"]


def test_inputs_that_a_name_matches_are_left_out(tmp_path):
    found = words(tmp_path, row(port='"io_writeReq_*"'))
    assert [text.split()[2] for text in found] == ["io_writeReq_ready"]


@pytest.mark.parametrize(
    ("changed", "parts"),
    [
        ({"port": '"io_writeReq_redy"'}, ["port: collector has no port io_writeReq_redy; did you"]),
        ({"port": '"io_none_*"'}, ["port: collector has no port io_none_*"]),
        ({"port": '"reset"'}, ["port: reset is an input", "name an output"]),
        ({"bits": "1"}, ["bits: io_writeReq_ready has the bits 0:0, and not 1:1"]),
        ({"when": '"io_readReq_vald"'}, ["when: cannot read", "did you mean io_readReq_valid?"]),
        ({"config": "{ lanes = 2 }"}, ["config: collector has no parameter lanes; did you mean"]),
    ],
)
def test_waiver_that_fits_no_port_is_refused(changed, parts, tmp_path):
    found = read(tmp_path, row(), row(**changed))
    with programs.error(Status.USAGE, "w.toml:8: waiver 2: ", *parts):
        found.require([(TABLE, SMALL)])
    found.require([(tables.load("hazard"), tables.load("hazard").defaults())])


def test_port_of_one_configuration_is_enough(tmp_path):
    wide = SMALL | {"num_lanes": 4}
    found = read(tmp_path, row(port='"io_readData_resp_bits_0_data_3"'))
    found.require([(TABLE, SMALL), (TABLE, wide)])
    assert found.words([(TABLE, SMALL)]) == []
    assert len(found.words([(TABLE, wide)])) == 1


def test_waiver_is_of_its_configurations(tmp_path):
    found = read(tmp_path, row(config='{ num_lanes = 2, bank_select = "upper" }'))
    assert len(found.words([(TABLE, SMALL)])) == 1
    assert found.words([(TABLE, SMALL | {"num_lanes": 4})]) == []


# ---- what became of them ------------------------------------------------------------------------

HIT = {"waiver": 0, "cycles": 3, "first_seed": 1, "first_cycle": 4, "last_seed": 2, "last_cycle": 9}


def test_hits_are_shown_with_their_reason(tmp_path):
    found = read(tmp_path, row())
    shown = found.shown({"waived": [HIT]})
    (hit,) = shown["waived"]
    assert hit["waiver"] == f"{tmp_path}/w.toml:1"
    assert (hit["port"], hit["cycles"]) == ("io_writeReq_ready", 3)
    assert (hit["first"], hit["last"]) == ({"seed": 1, "cycle": 4}, {"seed": 2, "cycle": 9})
    (line,) = waivers.lines(shown)
    assert line.endswith(
        "w.toml:1): io_writeReq_ready in 3 cycles, from cycle 4 of seed 1 to cycle 9 of seed 2: "
        "not ready in reset"
    )
    assert found.shown({}) == {}


@pytest.mark.parametrize(
    ("runs", "state"),
    [
        ([], waivers.ABSENT),
        ([("hazard", Status.OK, False)], waivers.ABSENT),
        ([("collector", Status.OK, False)], waivers.UNUSED),
        ([("collector", Status.VACUOUS, False)], waivers.UNUSED),
        ([("collector", Status.OK, False), ("collector", Status.OK, True)], waivers.HIT),
        ([("collector", Status.FUNCTIONAL_MISMATCH, True)], waivers.HIT),
        ([("collector", Status.OK, False), ("collector", Status.HANG, False)], waivers.UNJUDGED),
    ],
)
def test_waiver_is_unused_where_all_runs_have_ended(runs, state, tmp_path, capsys):
    found = read(tmp_path, row())
    for block, verdict, is_hit in runs:
        table = tables.load(block)
        config = SMALL if block == "collector" else table.defaults()
        shown = found.shown({"waived": [HIT] if is_hit else []})
        found.note(verdict, [(table, config)], shown["waived"])
    assert [found.state(waiver) for waiver in found.listed] == [state]
    for how in (waivers.FAIL, waivers.NOTE):
        entries = []
        asked = waivers.Waiving(waivers=found, unused_waivers=how)
        code = asked.judge_waivers(Status.OK, entries, as_json=False)
        fails = state == waivers.UNUSED and how == waivers.FAIL
        assert code == (Status.UNUSED_WAIVER if fails else Status.OK)
        assert [entry.kind for entry in entries] == ["bad"] * fails
        assert ("remove it" in capsys.readouterr().err) == (state == waivers.UNUSED)


def test_unused_waiver_outranks_no_failure(tmp_path):
    found = read(tmp_path, row(), row(port='"io_readReq_ready"'))
    found.note(Status.OK, [(TABLE, SMALL)], found.shown({"waived": []})["waived"])
    asked = waivers.Waiving(waivers=found)
    for code in (Status.FUNCTIONAL_MISMATCH, Status.VACUOUS, Status.RTL_ASSERTION):
        assert asked.judge_waivers(code, [], as_json=False) == code
