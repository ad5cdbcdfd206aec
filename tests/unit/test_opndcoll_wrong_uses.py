# SPDX-License-Identifier: Apache-2.0
"""Wrong uses of the collector's class do not compile, and the compiler names member and remedy.

What shows only when it runs is in test_opndcoll_adapter.cpp.
"""

import re
import subprocess

import pytest
from wlk.base.setup import ROOT

INCLUDE = ("refmodel/include", "dpi/include", "tests/unit")
COMPILERS = ("g++", "clang++")

TRAITS = {
    "configure": "static void configure(shader_core_ctx &c, wlk_opndcoll_cfg &cfg)"
    " { cfg = c.cfg; }",
    "width": "static unsigned width(const register_set &s) { return s.slots(); }",
    "at": "static warp_inst_t *at(register_set &s, unsigned i) { return mock::at(s, i); }",
    "uid": "static unsigned uid(const warp_inst_t &i) { return i.get_uid(); }",
    "wid": "static unsigned wid(const warp_inst_t &i) { return i.warp_id(); }",
    "sched": "static unsigned sched(const warp_inst_t &i) { return i.get_schd_id(); }",
    "source": "static int source(const warp_inst_t &i, unsigned k) { return i.arch_reg.src[k]; }",
    "destination": "static int destination(const warp_inst_t &i, unsigned k)"
    " { return i.arch_reg.dst[k]; }",
    "drop_destination": "static void drop_destination(warp_inst_t &i, unsigned k)"
    " { i.arch_reg.dst[k] = -1; }",
    "make": "static warp_inst_t *make(shader_core_ctx &c)"
    " { return new warp_inst_t(c.get_config()); }",
    "drop": "static void drop(warp_inst_t *i) { delete i; }",
    "move_out": "static void move_out(register_set &s, unsigned i, warp_inst_t *&u)"
    " { std::swap(s.slot(i), u); }",
    "move_in": "static void move_in(register_set &s, unsigned i, warp_inst_t *&u)"
    " { std::swap(s.slot(i), u); }",
    "count": "static void count(shader_core_ctx &c, const wlk_opndcoll_counters &n)"
    " { c.incregfile_reads(n.reads); }",
    "lanes": "static std::uint32_t lanes(const warp_inst_t &i)"
    " { return i.get_active_mask().to_ulong(); }",
    "non_rf": "static unsigned non_rf(const warp_inst_t &) { return 0; }",
}
"""Traits of a user's own, by member."""

TYPES = (
    "typedef warp_inst_t inst_type; typedef register_set set_type; "
    "typedef shader_core_ctx shader_type;"
)
STATISTICS = ("count", "lanes", "non_rf")
IN_PLACE = ("drop_destination", "make", "drop", "move_out", "move_in", *STATISTICS)
READY = "warplock::gpgpusim_traits<warp_inst_t, register_set, shader_core_ctx, WLK_OPNDCOLL_{}>"


def traits(name: str, members: dict[str, str], base="warplock::opndcoll_traits", types=TYPES):
    return f"struct {name} : {base} {{ {types}\n" + "\n".join(members.values()) + "\n};\n"


def without(*names: str) -> dict[str, str]:
    return {n: text for n, text in TRAITS.items() if n not in names}


def program(traits_text: str, use: str) -> str:
    return f'#include "mock_gpgpusim.hpp"\n{traits_text}\nvoid use() {{ {use} }}\n'


def messages(compiler: str, text: str, *options: str) -> str:
    """What the compiler reports, without line ends; empty: it compiles."""
    words = [compiler, "-std=c++11", "-x", "c++", "-fsyntax-only", *options]
    words += [f"-I{ROOT / folder}" for folder in INCLUDE]
    if compiler == "clang++":
        words.append("-ferror-limit=0")
    done = subprocess.run([*words, "-"], input=text, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (done.stderr == ""), done.stderr
    return " ".join(done.stderr.split())


def unquoted(text: str) -> str:
    """Text of a message, which clang shows as the source has it, in pieces."""
    return text.replace('" "', "")


def in_place(name: str) -> str:
    return f"warplock::opndcoll<{name}> a_{name};"


def beside(name: str) -> str:
    return f"warplock::opndcoll_beside<mock::collector, {name}> b_{name};"


@pytest.mark.parametrize("compiler", COMPILERS)
def test_opndcoll_right_uses_compile(compiler):
    watching = without(*IN_PLACE)
    uncounted = without(*STATISTICS)
    text = traits("all", TRAITS) + traits("watching", watching)
    text += traits("uncounted", uncounted, "warplock::opndcoll_no_statistics")
    use = in_place("all") + beside("all") + beside("watching") + in_place("uncounted")
    assert messages(compiler, program(text, use)) == ""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_opndcoll_missing_member_is_named(compiler):
    text = "".join(traits(f"no_{name}", without(name)) for name in TRAITS)
    use = "".join(in_place(f"no_{name}") for name in TRAITS)
    found = messages(compiler, program(text, use))
    needed = {x.partition("(")[0].split()[-1] for x in found.split("the traits need static ")[1:]}
    assert {name.lstrip("*") for name in needed} == set(TRAITS)


STATISTICS_REMEDY = "derive the traits from warplock::opndcoll_no_statistics"
LIST = [
    # name, traits, use, what is reported
    ("no count", traits("t", without("count")), in_place("t"), STATISTICS_REMEDY),
    ("no lanes", traits("t", without("lanes")), in_place("t"), STATISTICS_REMEDY),
    (
        "uid is text",
        traits("t", TRAITS | {"uid": "static std::string uid(const warp_inst_t &);"}),
        in_place("t"),
        "the traits need static unsigned uid(const inst_type &)",
    ),
    (
        "at is a bool",
        traits("t", TRAITS | {"at": "static bool at(register_set &, unsigned);"}),
        beside("t"),
        "the traits need static inst_type *at(set_type &, unsigned slot): what a slot holds, NULL",
    ),
    (
        "source without a slot",
        traits("t", TRAITS | {"source": "static int source(const warp_inst_t &);"}),
        beside("t"),
        "the traits need static int source(const inst_type &, unsigned k)",
    ),
    (
        "move_in by value of a const set",
        traits("t", TRAITS | {"move_in": "static void move_in(register_set &, unsigned);"}),
        in_place("t"),
        "the traits need static void move_in(set_type &, unsigned slot, inst_type *&unit)",
    ),
    (
        "members that are not static",
        traits("t", TRAITS | {"wid": "unsigned wid(const warp_inst_t &i) const;"}),
        beside("t"),
        "the traits need static unsigned wid(const inst_type &)",
    ),
    (
        "no types",
        traits("t", {}, types=""),
        beside("t"),
        "the traits need typedefs inst_type, set_type and shader_type",
    ),
    (
        "no base",
        traits("t", TRAITS, base="mock::statistics_of_nobody").replace(
            " : mock::statistics_of_nobody", ""
        ),
        beside("t"),
        "derive the traits from warplock::opndcoll_traits, warplock::opndcoll_no_statistics or",
    ),
    (
        "V32",
        f"typedef {READY.format('V32')} t;",
        in_place("t"),
        "for V32 derive traits of your own",
    ),
    (
        "two collectors of one core",
        f"typedef {READY.format('V40')} t;",
        f"{in_place('t')} warplock::opndcoll<t> other(a_t);",
        "delete",
    ),
]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("text", "use", "expected"), [x[1:] for x in LIST], ids=[x[0] for x in LIST]
)
def test_opndcoll_wrong_use_is_explained(compiler, text, use, expected):
    found = messages(compiler, program(text, use))
    assert expected in found, found[:2000]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("line", ["", "unsigned slots() const;", "warp_inst_t *slot(unsigned i);"])
def test_opndcoll_register_set_without_slots_is_told_the_lines(compiler, line):
    text = (ROOT / "tests/unit/mock_gpgpusim.hpp").read_text("utf-8")
    lines = re.search(
        r"^    unsigned slots\(\) const \{.*?^    \}\n.*?^    \}\n", text, re.M | re.S
    )
    own = text[: text.index("#ifdef MOCK_OPNDCOLL")].replace(lines[0], line)
    place = f"class opndcoll_rfu_t : public warplock::opndcoll<{READY.format('V40')}> {{}};\n#endif"
    found = messages(compiler, own + place)
    assert (
        "add to register_set the two lines unsigned slots() const { return regs.size(); } "
        "warp_inst_t *&slot(unsigned i) { return regs[i]; }" in unquoted(found)
    )
