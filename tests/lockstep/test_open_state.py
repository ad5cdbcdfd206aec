# SPDX-License-Identifier: Apache-2.0
"""State of an own block that is unknown: after power-up, and where a dump begins without its reset.
What is compared follows from model.c."""

import random
import re
import shutil
import subprocess

import programs
import pytest
from programs import typed
from random_model import write_random
from wlk import tables
from wlk.base.errors import Status, WlkError
from wlk.model import open_state
from wlk.tables import files

pytestmark = [pytest.mark.slow, pytest.mark.needs("rtl", "model")]
EXAMPLES = programs.ROOT / "docs" / "examples"
NAME = "rr_arbiter"


@pytest.fixture
def arbiter(tmp_path):
    return shutil.copytree(EXAMPLES / NAME, tmp_path / NAME)


def edit(path, *changes):
    text = path.read_text()
    for old, new in changes:
        assert text.count(old) == 1, f"{path}: {old}"
        text = text.replace(old, new)
    path.write_text(text)


def run(command, folder, *words, code=Status.OK):
    reports = ["--reports", folder.parent / "reports"] if command == "lockstep" else []
    where = ["--blocks", folder, *reports]
    return typed(command, *words, *where, "--json", code=code, WLK_BLOCKS="")


def lockstep(folder, *words, code=Status.OK):
    done = run("lockstep", folder, folder.name, "--cycles", "3000", *words, code=code)
    return done.objects[0]


RESET = """\
    if (rst) begin
      last_q   <= IdW'(Num - 1);
      locked_q <= 1'b0;
    end else if (gnt_valid"""
FORGETFUL = (RESET, "    if (gnt_valid")
"""The RTL of an arbiter whose registers no reset reaches."""


def forget_reset(folder):
    edit(folder / "rtl" / f"{NAME}.sv", FORGETFUL)
    edit(
        folder / "model.c",
        ("    st->last = cfg->num - 1u;\n    st->locked = 0;\n}", "    (void)cfg, (void)st;\n}"),
    )


FOLLOWS = """\
static bool follow(const cfg_t *cfg, state_t *st, uint32_t k) {
    st->last = k / 2u;
    st->locked = k % 2u;
    return st->last < cfg->num;
}
"""
LEARNS = """\
static void learn_next(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    (void)cfg;
    if (out->gnt_valid && in->accept) {
        st->last = out->gnt_id;
        st->locked = in->lock;
    }
}
"""
LEARN = ((FOLLOWS, LEARNS), (".follow = follow", ".learn_next = learn_next"))
"""The arbiter learns who was granted last instead of following each that could have been."""


def test_values_of_registers_without_a_reset_are_followed(arbiter):
    whole = lockstep(arbiter)
    forget_reset(arbiter)
    assert lockstep(arbiter)["compared_bits"] == whole["compared_bits"]


FIRST = """\
  logic first_q = 1'b1, other;
  always_ff @(posedge clk) first_q <= first_q && !(gnt_valid && accept);
  assign other = first_q && req[gnt_id^1];
  assign gnt = gnt_valid ? Num'(1) << (gnt_id ^ IdW'(other)) : '0;
"""
"""Until the first grant is accepted, gnt and gnt_id may show two that both could be granted."""


def test_outputs_that_no_value_explains_together_are_reported(arbiter):
    forget_reset(arbiter)
    rtl = arbiter / "rtl" / f"{NAME}.sv"
    edit(rtl, ("  assign gnt = gnt_valid ? Num'(1) << gnt_id : '0;\n", FIRST))
    lockstep(arbiter, "--seeds", "1..40", code=Status.FUNCTIONAL_MISMATCH)
    edit(arbiter / "model.c", *LEARN)
    lockstep(arbiter, "--seeds", "1..40")


def test_values_are_followed_in_each_configuration(arbiter):
    forget_reset(arbiter)
    edit(arbiter / "rtl" / f"{NAME}.sv", ("found  = locked_q && req[last_q];", WITHIN))
    for config in ("two", "five", "most"):
        whole = lockstep(arbiter, "--config", config, "--power-up", "zero")
        found = lockstep(arbiter, "--config", config, "--seeds", "1..4")
        assert found["verdict"] == "PASS" and found["masked_bits"] <= 4 * whole["masked_bits"]


WITHIN = "found  = locked_q && 32'(last_q) < Num && req[last_q];"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("return st->last < cfg->num;", "return k < 1025;"), "with more than 1,024 values"),
        (("return st->last < cfg->num;", "return k > 0 && k < 3;"), "without a value 0"),
        (("return st->last < cfg->num;", "return k % 8 < 5;"), "behind a number that has none"),
        (("st->locked = k % 2u;", "st->locked &= k % 2u;"), "reads the state"),
        (("st->locked = k % 2u;\n    return", "if (k != 1) { st->locked = 0; }\n    return"),
         "assigns other members"),
    ],
)  # fmt: skip
def test_list_of_values_that_is_wrong_is_refused(arbiter, change, why):
    edit(arbiter / "model.c", change)
    done = run("lockstep", arbiter, NAME, "--cycles", "3000", code=Status.MODEL_ERROR)
    assert "its model has a .follow " in done.err and why in done.err


@pytest.mark.parametrize(
    ("more", "last", "why"),
    [
        (31, "st->last < cfg->num", "that assigns over 32 numbers"),
        (7, "k < 1000", "of more than 8,192 numbers in all"),
    ],
)
def test_more_numbers_than_can_be_followed_are_refused(arbiter, more, last, why):
    clear_more = f"for (uint32_t i = 0; i < {more}; i++) {{\n        st->more[i] = 0;\n    }}\n    "
    edit(
        arbiter / "model.c",
        ("uint32_t last, locked;", f"uint32_t last, locked, more[{more}];"),
        ("st->last = k / 2u;", f"{clear_more}st->last = k / 2u;"),
        ("return st->last < cfg->num;", f"return {last};"),
    )
    done = run("lockstep", arbiter, NAME, "--cycles", "3000", code=Status.MODEL_ERROR)
    assert f"its model has a .follow {why}" in done.err


def test_value_that_is_not_in_the_list_ends_it(arbiter):
    forget_reset(arbiter)
    edit(arbiter / "model.c", ("st->locked = in->lock;", "st->locked = in->lock ? 3u : 0u;"))
    edit(arbiter / "model.c", ("st->locked && asks(in, id)", "st->locked != 0 && asks(in, id)"))
    lockstep(arbiter)


def test_bits_that_rest_on_registers_without_a_reset_are_not_compared(arbiter):
    edit(arbiter / "model.c", *LEARN)
    whole = lockstep(arbiter)
    forget_reset(arbiter)
    found = lockstep(arbiter)
    assert 0.8 * whole["compared_bits"] < found["compared_bits"] < whole["compared_bits"]
    # From zeros, which the RTL does not start from, the difference is reported.
    edit(arbiter / "model.c", (".unknown_start = true, ", ""))
    lockstep(arbiter, code=Status.FUNCTIONAL_MISMATCH)
    assert lockstep(arbiter, "--power-up", "zero")["compared_bits"] > found["compared_bits"]


def test_fault_in_rtl_whose_state_was_unknown_is_reported(arbiter):
    forget_reset(arbiter)
    edit(arbiter / "rtl" / f"{NAME}.sv", ("locked_q <= lock;", "locked_q <= 1'b0;"))
    lockstep(arbiter, code=Status.FUNCTIONAL_MISMATCH)


def test_report_shows_what_of_the_state_is_unknown(arbiter):
    edit(arbiter / "model.c", *LEARN)
    forget_reset(arbiter)
    edit(arbiter / "model.c", ("    SHOW(gnt_valid, in->req != 0);", "    SHOW(gnt_valid, 0);"))
    run("lockstep", arbiter, NAME, "--cycles", "3000", code=Status.FUNCTIONAL_MISMATCH)
    (report,) = (arbiter.parent / "reports").glob("2*/*/report.txt")
    state = report.read_text().partition("model state before the edge:")[2]
    assert re.search(r"^ +last = unknown\n +locked = \d$", state, re.MULTILINE), state


@pytest.mark.parametrize("seed", range(4))
def test_what_is_known_of_a_random_model_holds_for_every_power_up(tmp_path, seed):
    """The RTL is the model's netlist, and starts from random registers and memories."""
    more = ", .follow = follow" if seed >= 2 else ""
    folder = tmp_path / f"sums{seed}"
    write_random(folder, random.Random(seed), 3, more=f".unknown_start = true{more}")
    found = lockstep(folder, "--seeds", "1..4")
    assert found["verdict"] == "PASS"
    assert found["masked_bits"] * 2 < found["compared_bits"], "too little is known"
    edit(folder / "model.c", (f".unknown_start = true{more}", ""))
    lockstep(folder, "--seeds", "1..4", code=Status.FUNCTIONAL_MISMATCH)


@pytest.mark.parametrize(
    ("member", "why"),
    [
        ("uint32_t last : 5, locked;", "model.c:10: last is a bit-field"),
        ("uint32_t last, locked, rest[19999];", "a state of 20,001 numbers; at most 20,000"),
    ],
)
def test_unknown_start_wants_model_c(arbiter, member, why):
    edit(arbiter / "model.c", ("uint32_t last, locked;", member))
    for _ in range(2):  # the second time it is compiled already
        done = run("lockstep", arbiter, NAME, "--cycles", "3000")
        (warning,) = (x for x in done.err.splitlines() if x.startswith("warning: "))
        assert why in warning
        assert "unknown_start has no effect" in warning
    forget_reset(arbiter)
    lockstep(arbiter, code=Status.FUNCTIONAL_MISMATCH)
    edit(arbiter / "model.c", (".unknown_start = true, ", ""))
    done = run("lockstep", arbiter, NAME, "--cycles", "3000", code=Status.FUNCTIONAL_MISMATCH)
    assert "warning" not in done.err


def test_state_can_be_larger_where_no_values_are_followed(arbiter):
    edit(arbiter / "model.c", *LEARN)
    edit(arbiter / "model.c", ("uint32_t last, locked;", "uint32_t last, locked, rest[99999];"))
    done = run("lockstep", arbiter, NAME, "--cycles", "3000")
    assert "a state of 100,001 numbers; at most 100,000 can be unknown;" in done.err


def test_state_of_as_many_numbers_as_there_can_be_is_followed(arbiter):
    edit(arbiter / "model.c", ("uint32_t last, locked;", "uint32_t last, locked, rest[19998];"))
    forget_reset(arbiter)
    run("lockstep", arbiter, NAME, "--cycles", "20")


def test_nested_choices_are_written_once(arbiter, monkeypatch):
    monkeypatch.setattr(files, "_own", {})
    monkeypatch.setenv(files.FOLDERS, "")
    deep = "0u"
    for number in range(16):
        deep = f"in->lock ? {number}u : ({deep})"
    edit(arbiter / "model.c", ("in->req != 0);", f"(in->req != 0) | (({deep}) > 99u));"))
    tables.use([arbiter])
    made = open_state.make(tables.load(NAME), arbiter / "model.c")
    assert len(made.text.splitlines()) < 1000


# ---- dumps without their reset -------------------------------------------------------------------


def late_dump(folder, first):
    """A waveform of a run that is reset once, from a cycle on."""
    words = ["--waves", "--seeds", "1", "--profile", "dense", "--cycles", "600"]
    run("lockstep", folder, NAME, *words, code=None)
    (wave,) = (folder.parent / "reports").glob("2*/*/wave.fst")
    text = subprocess.run(["fst2vcd", wave], capture_output=True, text=True, check=True).stdout
    head, end, body = text.partition("$enddefinitions $end\n")
    values, kept = {}, []
    for line in re.sub(r"(?m)^\$.*\n", "", body).splitlines():
        if line.startswith("#"):
            if kept or int(line[1:]) >= 10 * first:
                kept += [line] if kept else [line, *values.values()]
        elif kept:
            kept.append(line)
        else:
            values[line.split()[-1] if line[0] in "bBrR" else line[1:]] = line
    path = folder.parent / f"late{first}.vcd"
    path.write_text(head + end + "\n".join(kept) + "\n")
    return path


def check_late(folder, dump, code=Status.OK):
    done = run("check", folder, dump, "--block", NAME, "--from-unknown", code=code)
    return done.json


@pytest.mark.needs("gtkwave")
def test_dump_without_its_reset_is_compared_as_its_outputs_are_seen(arbiter):
    dump = late_dump(arbiter, 100)
    followed = check_late(arbiter, dump)
    assert followed["from_unknown"]["known_from"] < 10
    edit(arbiter / "model.c", *LEARN)
    learned = check_late(arbiter, dump)
    assert learned["from_unknown"]["known_from"] < 10
    edit(arbiter / "model.c", (", .learn_next = learn_next", ""))
    waited = check_late(arbiter, dump)
    assert waited["compared_bits"] < learned["compared_bits"] < followed["compared_bits"]


BY_NEXT = """\
static void learn_by_next(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out,
                          const out_t *next) {
    if (out->gnt_valid && next->gnt_valid SIGN out->gnt_valid) {
        st->last = (out->gnt_id + cfg->num - 1u) % cfg->num;
        st->locked = 0;
    }
}
"""


@pytest.mark.needs("gtkwave")
def test_two_cycles_tell_of_the_state(arbiter):
    dump = late_dump(arbiter, 100)
    edit(arbiter / "model.c", (FOLLOWS, "// HERE\n"), (", .follow = follow", ""))
    waited = check_late(arbiter, dump)
    more = (".show = show", ".show = show, .learn_by_next = learn_by_next")
    edit(arbiter / "model.c", ("// HERE\n", BY_NEXT.replace("SIGN", "== 100u +")), more)
    assert check_late(arbiter, dump)["from_unknown"] == waited["from_unknown"]
    edit(arbiter / "model.c", ("== 100u +", "=="))
    learned = check_late(arbiter, dump)["from_unknown"]
    assert learned["known_from"] < waited["from_unknown"]["known_from"]


@pytest.mark.needs("gtkwave")
def test_dump_of_a_block_without_channels_needs_no_transfer(arbiter):
    dump = late_dump(arbiter, 100)
    channel = '{ name = "gnt", valid = "gnt_valid", ready = "accept", bits = ["gnt_id"] }'
    edit(arbiter / "block.toml", (f"channel = [{channel}]\n", ""))
    assert check_late(arbiter, dump)["verdict"] == "PASS"


@pytest.mark.needs("gtkwave")
def test_difference_in_a_dump_without_its_reset_is_reported(arbiter):
    dump = late_dump(arbiter, 100)
    edit(arbiter / "model.c", ("id = id + 1u == cfg->num ? 0u : id + 1u;", "id = (id + 2u) % 4u;"))
    check_late(arbiter, dump, code=Status.FUNCTIONAL_MISMATCH)


def test_payload_that_decides_is_refused_beside_memories(tmp_path):
    """Where it is X the model runs with zeros and with ones for it: these must not lead apart."""
    folder = shutil.copytree(tables.shipped()["collector"], tmp_path / "collector")
    edit(folder / "model.c", ("regs[0].tmask;", "regs[0].data[0];"))
    with pytest.raises(WlkError, match=r"model\.c:\d+: a payload; .* row_write alone reads it"):
        open_state.make(tables.load("collector"), folder / "model.c")


def test_payload_that_decides_in_a_part_is_refused_too(tmp_path):
    folder = shutil.copytree(tables.shipped()["issue"], tmp_path / "issue")
    part = shutil.copytree(tables.shipped()["collector"], folder / "muon" / "collector")
    edit(part / "model.c", ("regs[0].tmask;", "regs[0].data[0];"))
    with pytest.raises(WlkError, match=r"collector/model\.c:\d+: a payload; .* row_write alone"):
        open_state.make(tables.load("issue"), folder / "model.c")
