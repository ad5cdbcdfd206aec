# SPDX-License-Identifier: Apache-2.0
"""An own block of random expressions, and RTL for it: the netlist of its model."""

import re

from wlk import tables
from wlk.model import netlist

OUTPUTS = 24
TABLE = """\
format = 1
block.name = "{name}"
block.module = "{name}"
block.model_version = 1
block.clock = "clock"
block.reset = "reset"
block.prefix = ""
block.spec = "README.md"
block.doc = "random expressions"

param = [{{ name = "size", default = 3, min = 2, max = 5, doc = "elements" }}]

field = [
  {{ name = "reset", dir = "in", width = 1, doc = "reset" }},
  {{ name = "a", dir = "in", width = 7, doc = "a number" }},
  {{ name = "b", dir = "in", width = 32, doc = "a number" }},
  {{ name = "c", dir = "in", width = 64, doc = "a number" }},
  {{ name = "d", dir = "in", width = 1, doc = "a bit" }},
  {{ name = "w1", dir = "in", width = 16, doc = "a number" }},
{rows}]

config.default = ""
"""
MODEL = """\
#include "warplock/{name}_ports.h"

#define MODEL      {name}
#define MODEL_CAPS {upper}
#include "frame/model.h"

struct wlk_{name}_state {{
    uint8_t small;
    uint32_t word, list[5];
    uint64_t wide;
    struct {{
        bool flag;
        uint16_t half;
    }} pair[2];
    struct {{
        uint16_t lane[2];
        bool flag;
    }} row[16];
    struct {{
        uint16_t number[16];
    }} whole;
}};

#include "frame/structs.h"

static uint32_t found(const cfg_t *cfg, const state_t *st, uint32_t word) {{
    for (uint32_t i = 0; i < cfg->size; i++) {{
        if (st->list[i] == word) {{
            continue;
        }}
        if (st->list[i] > word) {{
            return i;
        }}
        if (i == 2) {{
            break;
        }}
    }}
    return 7;
}}

static uint64_t chosen(uint8_t by, uint64_t one, uint32_t other) {{
    uint64_t sum = 5;
    switch (by & 7) {{
    case 0:
        return one;
    case 1:
        sum += other;
    case 2:
        sum ^= one;
        break;
    case 6: {{
        uint32_t n = by & 3u;
        do {{
            sum = sum * 3u + n;
        }} while (n-- != 0);
        break;
    }}
    default:
        sum = other;
    }}
    return sum;
}}

static bool moved(uint32_t *numbers, uint32_t by) {{
    numbers[by % 5u] += by;
    return by != 0;
}}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, out_t *care) {{
{shown}}}

static void edge(const cfg_t *cfg, state_t *st, const in_t *in) {{
{next}}}

static void clear(const cfg_t *cfg, state_t *st) {{
    st->wide = 0;
    st->word = 9;
    st->pair[1] = st->pair[0];
    const struct wlk_{name}_state zeros = {{0}};
    st->whole = zeros.whole;
}}

// Registers of one bit: no reset reaches pair[0].
static inline bool follow(const cfg_t *cfg, state_t *st, uint32_t k) {{
    st->pair[0].flag = k & 1u;
    st->pair[1].flag = k >> 1 & 1u;
    return k < 4u;
}}

WLK_STRUCTS_MODEL({more});
"""
LEAVES = (
    *("in->a", "in->b", "in->c", "in->d", "in->w1", "st->small", "st->word", "st->wide"),
    *("st->pair[1].half", "st->pair[in->d].flag", "st->list[in->w1 % cfg->size]", "cfg->size"),
    *("st->row[in->b % 16u].lane[1]", "st->row[st->small & 3u].flag", "st->row[in->d].lane[0]"),
    *("1", "3u", "0x80u", "UINT64_C(0x123456789)", "(uint8_t)200", "found(cfg, st, in->b)"),
    *("chosen(in->a, in->c, st->word)", "(uint32_t)__builtin_popcountl(in->c)"),
)


def expression(draw, depth):
    """A defined one of random operators: what might overflow is unsigned."""
    if depth == 0:
        return draw.choice(LEAVES)
    one, other, third = (expression(draw, draw.randrange(depth)) for _ in range(3))
    form = draw.choice(
        [
            *(
                "((uint32_t)({0}) {op} ({1}))",
                "((uint64_t)({0}) {op} ({1}))",
                "(({0}) {cmp} ({1}))",
            ),
            *("(({0}) {cmp} ({1}))", "(({0}) {bits} ({1}))", "({0} ? {1} : {2})"),
            *("((uint32_t)({0}) << (({1}) & 31))", "((uint64_t)({0}) >> (({1}) & 63))"),
            *("((uint32_t)({0}) % (uint32_t)((({1}) & 15) + 1))", "(!({0}) || ({1}) && ({2}))"),
            *("((uint16_t)({0}))", "(uint8_t)(~({0}))", "((bool)({0}))", "(-(uint32_t)({0}))"),
            *("((uint32_t)({0}) / (uint32_t)((({1}) & 7) + 1))", "((in->a) - (in->w1))"),
            *("((in->a - 5) < ((uint8_t)({0})))", "((in->d - in->a) > -3)"),
        ]
    )
    ops = {"op": draw.choice("+-*"), "bits": draw.choice("&|^")}
    ops["cmp"] = draw.choice(["==", "!=", "<", ">", "<=", ">="])
    return form.format(one, other, third, **ops)


def write_netlist(folder, name):
    """The RTL of the block becomes the netlist of its model."""
    tables.use([folder])
    try:
        table = tables.load(name)
        made = netlist.make(table, table.defaults())
    finally:
        tables.use([])
    assert made.lacking == []
    text = re.sub(r",\n  output wlk_\w+|  assign wlk_.*\n", "", made.path.read_text())
    (folder / "rtl").mkdir()
    (folder / "rtl" / f"{name}.sv").write_text(text)


def write_random(folder, draw, depth=5, more=""):
    """The folder of the block, with its RTL. `more`: of WLK_STRUCTS_MODEL."""
    widths = [draw.choice([1, 8, 13, 32, 64]) for _ in range(OUTPUTS)]
    rows = "".join(
        f'  {{ name = "o{n}", dir = "out", width = {width}, doc = "a sum" }},\n'
        for n, width in enumerate(widths)
    )
    shown = "".join(f"    SHOW(o{n}, {expression(draw, depth)});\n" for n in range(OUTPUTS))
    # A lane is cut to the width of its port by the frame, not by the model.
    targets = [
        *("st->small", "st->word", "st->wide", "st->pair[0].flag", "st->pair[in->d].half"),
        *("st->list[in->a % cfg->size]", "st->list[1]", "st->row[in->w1 & 3u].lane[0]"),
        *("st->row[in->d + 2u].flag", "st->row[in->a % 13u].lane[1]", "st->row[in->d].lane[1]"),
        *("st->list[st->word % 5u]", "st->row[st->small & 15u].lane[st->pair[1].flag]")[
            : 2 * ("unknown_start" in more)
        ],
    ]
    nexts = "".join(f"    {each} = {expression(draw, depth - 1)};\n" for each in targets)
    nexts += "    if (in->d) {\n        st->word++;\n        st->wide += in->c;\n    }\n"
    nexts += "    (void)moved(st->list, in->w1);\n"
    nexts += "    st->small ^= st->whole.number[in->b % 16u] & 1u;\n"
    nexts += "    st->whole.number[in->a % 16u] = in->w1;\n"
    folder.mkdir()
    (folder / "block.toml").write_text(TABLE.format(rows=rows, name=folder.name))
    parts = {"shown": shown, "next": nexts, "more": more}
    (folder / "model.c").write_text(
        MODEL.format(name=folder.name, upper=folder.name.upper(), **parts)
    )
    write_netlist(folder, folder.name)
    return folder
