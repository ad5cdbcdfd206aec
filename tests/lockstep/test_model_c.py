# SPDX-License-Identifier: Apache-2.0
"""Models in model C: RTL is proved equal to them, what C leaves undefined is found, what is not in
the subset is refused by file and line, and the netlist of a model is what the compiler makes."""

import random
import shutil
import time

import programs
import pytest
from programs import typed
from random_model import write_random
from wlk import tables
from wlk.base.errors import Status
from wlk.model import netlist, source
from wlk.tables import files

pytestmark = [pytest.mark.slow, pytest.mark.needs("rtl", "model", "prove")]
EXAMPLES = programs.ROOT / "docs" / "examples"
ARBITER = "rr_arbiter"


@pytest.fixture
def arbiter(tmp_path):
    """The example, from a state of zeros: what is not in model C is refused by `prove` alone."""
    folder = shutil.copytree(EXAMPLES / ARBITER, tmp_path / ARBITER)
    text, found, _ = (folder / "model.c").read_text().partition("// What is unknown while no reset")
    assert found
    (folder / "model.c").write_text(f"{text}WLK_STRUCTS_MODEL(.events = points, .show = show);\n")
    return folder


def edit(folder, *changes):
    path = folder / "model.c"
    text = path.read_text()
    for old, new in changes:
        assert text.count(old) == 1, f"{path}: {old}"
        text = text.replace(old, new)
    path.write_text(text)


def line_of(folder, part):
    """File and line of a part of the model."""
    lines = (folder / "model.c").read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if part in line)
    return f"model.c:{number}: "


def prove(folder, *words, code):
    where = ["--blocks", folder, "--reports", folder.parent / "reports"]
    return typed("prove", folder.name, *where, *words, code=code, WLK_BLOCKS="")


# ---- proofs -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, config",
    [
        (ARBITER, []),
        (ARBITER, ["num=3"]),
        ("cpu_scoreboard", ["num_regs=4", "num_tags=2"]),
        ("fifo", ["width=3", "depth=2"]),
    ],
)
def test_model_of_an_example_is_proved_equal_to_its_rtl(name, config):
    words = [word for each in config for word in ("--config", each)]
    done = typed(
        *("prove", name, "--blocks", EXAMPLES / name, *words, "--fresh"),
        code=Status.OK,
        WLK_BLOCKS="",
    )
    assert f"PROVED: module {name} and the C model of {name}" in done.out


FAULTS = {
    "the lock stays": ("st->locked = in->lock;", "st->locked |= in->lock;"),
    "the lock is lost with others": (
        "!asks(in, st->last)) {\n        st",
        "in->req == 0) {\n        st",
    ),
    "the turn begins at 0": ("st->last = cfg->num - 1u;", "st->last = 0;"),
    "a grant without acceptance": ("in->req != 0 && in->accept", "in->req != 0"),
    "nobody is granted at the end": ("id + 1u == cfg->num", "id + 2u == cfg->num"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_in_a_model_is_refuted_and_shows_in_lockstep(arbiter, fault):
    edit(arbiter, FAULTS[fault])
    done = prove(arbiter, code=Status.REFUTED)
    assert "confirmed by simulation" in done.out


def test_rtl_with_a_fault_is_refuted_by_the_model(arbiter):
    text = (arbiter / "rtl" / "rr_arbiter.sv").read_text()
    assert text.count("locked_q <= lock;") == 1
    other = arbiter.parent / "other.sv"
    other.write_text(text.replace("locked_q <= lock;", "locked_q <= 1'b0;"))
    done = prove(arbiter, "--rtl", other, code=Status.REFUTED)
    assert "confirmed by simulation" in done.out


def test_rtl_that_includes_a_file_is_proved(arbiter):
    rtl = arbiter / "rtl" / f"{ARBITER}.sv"
    head, always, body = rtl.read_text().partition("  always_ff")
    rtl.write_text(f'{head}  `include "edge.svh"\nendmodule\n')
    new = f"// {time.time_ns()}\n"  # no netlist of it is kept
    (rtl.parent / "edge.svh").write_text(new + always + body.rpartition("endmodule")[0])
    prove(arbiter, code=Status.OK)


def test_output_that_a_model_never_shows_is_named(arbiter):
    edit(arbiter, ("    SHOW(gnt_id, id);\n", "    (void)id;\n"))
    done = prove(arbiter, code=Status.OK)
    assert "2 outputs are equal" in done.out
    assert "not compared (the model never shows it): gnt_id" in done.out


def test_output_is_compared_only_where_it_is_shown(arbiter):
    # `valid_when` of the table is not asked: SHOW alone says when.
    toml = arbiter / "block.toml"
    toml.write_text(toml.read_text().replace(', valid_when = "gnt_valid"', ""))
    other = "    SHOW(gnt_id, in->req == 0 ? id ^ 1u : id);"
    edit(arbiter, ("    SHOW(gnt_id, id);", f"    if (in->req != 0) {{\n    {other}\n    }}"))
    prove(arbiter, code=Status.OK)
    edit(arbiter, ("    if (in->req != 0) {\n", "    {\n"))
    prove(arbiter, code=Status.REFUTED)


# ---- what C leaves undefined --------------------------------------------------------------------


NEVER = "    SHOW(gnt_valid, in->req != 0 || (odd && !odd));"
UNDEFINED = {
    "a shift by 32 or more": "in->req >> (id + 30u) == 1;",
    "a division by 0": "100u / st->last > 200u;",
    "an index beyond the 3 elements": "((const uint8_t[]){1, 2, 3})[st->last] > 3;",
    "a loop takes more than 5 rounds": "spin(st->last + 8u);",
    "an int overflows in +": "(int32_t)(in->lock ? 0x7fffffff : 0) + (int32_t)st->last < 0;",
    "__builtin_ctz() of 0": "__builtin_ctz(st->last) > 40;",
}


@pytest.mark.parametrize("what", UNDEFINED)
def test_what_c_leaves_undefined_is_found(arbiter, what):
    spin = "static uint32_t spin(uint32_t n) {\n    while (n != 0) {\n        n--;\n    }\n"
    spin += "    return n;\n}\n\nstatic void outputs("
    shown = f"    const bool odd = {UNDEFINED[what]}\n{NEVER}"
    edit(arbiter, ("static void outputs(", spin), ("    SHOW(gnt_valid, in->req != 0);", shown))
    done = prove(arbiter, code=Status.MODEL_ERROR)
    part = "while (n" if "loop" in what else "const bool odd"
    assert (
        f"{line_of(arbiter, part)}{what}, which C leaves undefined; it happens in cycle "
        in done.line
    )


def test_variable_that_is_read_before_it_is_written_is_found(arbiter):
    shown = f"    uint32_t odd;\n    if (in->lock) {{\n        odd = 1;\n    }}\n{NEVER}"
    edit(arbiter, ("    SHOW(gnt_valid, in->req != 0);", shown))
    done = prove(arbiter, code=Status.MODEL_ERROR)
    assert "a variable is read before it is written" in done.line


def test_undefined_case_that_only_illegal_inputs_meet_is_proved_with_the_rules():
    done = typed(
        *("prove", "cpu_scoreboard", "--blocks", EXAMPLES / "cpu_scoreboard"),
        *("--config", "num_tags=2", "--config", "num_regs=4", "--fresh"),
        code=Status.OK,
        WLK_BLOCKS="",
    )  # fmt: skip
    assert "PROVED" in done.out


# ---- the subset ---------------------------------------------------------------------------------


LINE = "    uint32_t id = st->last;"
REFUSED = {
    "static bool asks(const": ("static uint32_t n;\n\nstatic bool asks(const", "n is a global"),
    LINE: ("    static uint32_t id;", "id is static"),
    f"{LINE} ": ("    float id = st->last;", "the type float has no fixed unsigned width"),
    f"{LINE}  ": ("    uint32_t id = *(&st->last + 1);", "a variable, a member or an element is"),
    f"{LINE}   ": ("    uint32_t id = (uint32_t)rand();", "rand() is not a function of this model"),
    f"{LINE}    ": (f"{LINE}\n    goto out;\nout:", "Goto is no statement of model C"),
    f"{LINE}      ": (
        "    const uint32_t *p = &st->last;\n    p++;\n    uint32_t id = *p;",
        "p is a pointer",
    ),
    f"{LINE}       ": ("    uint32_t id = choose(cfg, st, in);", "choose() calls itself"),
    "    uint32_t last, locked;": ("    uint32_t last : 5, locked;", "last is a bit-field"),
    "    SHOW(gnt_id, id);": ("    care->gnt_id = 1;", "no member gnt_id that a model sees"),
    f"{LINE}     ": ("    uint32_t id = sizeof *st;", "sizeof: count elements by the parameters"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_in_model_c_is_refused_by_file_and_line(arbiter, what):
    new, said = REFUSED[what]
    edit(arbiter, (what.rstrip(" "), new))
    done = prove(arbiter, code=Status.BUILD_FAIL)
    assert said in done.line
    assert "model.c:" in done.line
    assert "docs/model-c.md" in done.line


# ---- the netlist and the compiler ---------------------------------------------------------------


def test_netlist_of_random_c_is_what_a_compiler_makes_of_it(tmp_path):
    folder = write_random(tmp_path / "sums", random.Random(5))
    words = ["sums", "--blocks", folder, "--reports", tmp_path / "reports", "--power-up", "zero"]
    done = typed("lockstep", *words, "--cycles", "2000", code=Status.OK, WLK_BLOCKS="")
    assert "PASS" in done.out
    text = (folder / "rtl" / "sums.sv").read_text()
    assert "st_row_lane_1 [0:" in text, "no memory"
    assert text.count(" + ") > 1
    (folder / "rtl" / "sums.sv").write_text(text.replace(" + ", " - ", 1))
    typed("lockstep", *words, "--cycles", "2000", code=Status.FUNCTIONAL_MISMATCH, WLK_BLOCKS="")


def test_port_that_no_rule_reads_keeps_its_place_in_a_unit(tmp_path, monkeypatch):
    shutil.copytree(files.MODELS / "muon", tmp_path / "muon")
    table = tmp_path / "muon" / "reservation_station" / "block.toml"
    old = 'mirror = "hazard:rsAdmit.bits", flip = true, '
    lowest = "ibufEntry.uop.inst.essentials_31"
    text = table.read_text("utf-8")
    assert text.count(old) == 1
    table.write_text(text.replace(old, f'{old}unread = ["{lowest}"], '), "utf-8")
    monkeypatch.setattr(files, "MODELS", tmp_path)
    monkeypatch.setattr(files, "shipped", files.shipped.__wrapped__)
    monkeypatch.setattr(source, "SHARED", (tmp_path, *source.SHARED))
    odd = tables.load("reservation_station")
    assert not next(f for f in odd.fields if f.flat.endswith(lowest)).read
    made = netlist.make(odd, odd.config(odd.configs["tiny"])).path.read_text("utf-8")
    word = next(
        x for x in made.splitlines() if x.endswith("bits_ibufEntry_uop_inst_essentials_31};")
    )
    assert "essentials_30, io_admit" in word
