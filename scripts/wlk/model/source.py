# SPDX-License-Identifier: Apache-2.0
"""The source of a model in model C: preprocessed and parsed.

The compiler's preprocessor reads it against headers that say of the frame what model C knows of it:
the structs of the ports, SHOW, and names; what a simulation needs besides is left out.
"""

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pycparser import c_ast, c_parser

from ..base import progress
from ..base.errors import Status, WlkError
from ..gen import c, composed
from ..tables import Table, load
from ..tables.files import MODELS
from . import EDGE, OUTPUTS

# What the macros call.
SHOW, SHOW_WORDS, SHOW_ROW = "wlk_show", "wlk_show_words", "wlk_show_row"
# Functions of frame/rams.h; the last two have more arguments there.
ROWS_CLEAR = "rows_clear"
ROW_CALLS = ("row_copy", "row_clear", "row_write", "row_forget", "row_learn", ROWS_CLEAR)
RAM = "wlk_ram"  # a function wlk_ram_MEMORY_NUMBER for each of the numbers that RAMS gives
RAM_NUMBERS = ("copies", "first", "end", "lanes", "width")
_OF_RAM = " \\\n".join(
    f"static inline uint32_t {RAM}_##name##_{each}(const cfg_t *cfg) {{ return {each}; }}"
    for each in RAM_NUMBERS
)
HEADERS = {
    "stdint.h": """\
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef int int32_t;
#define UINT32_C(value) value##u
#define UINT64_C(value) value##ul
#define UINT32_MAX 0xffffffffu
#define UINT64_MAX 0xfffffffffffffffful
""",
    "stdbool.h": "#define bool _Bool\n#define true 1\n#define false 0\n",
    "stddef.h": "typedef unsigned long size_t;\n#define NULL 0\n",
    "string.h": "#include <stddef.h>\n",
    "stdio.h": "#include <stddef.h>\n",
    "assert.h": "#define static_assert(...)\n#define _Static_assert(...)\n",
    "warplock/block.h": """\
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define WLK_ACCESSORS(type, stem, name, word, lsb, width) \\
static inline type stem##_get_##name(const uint64_t *words) { \\
    return (type)(words[word] >> (lsb) & ~0ul >> (64 - (width))); \\
} \\
static inline void stem##_put_##name(uint64_t *words, uint64_t value) { \\
    words[word] |= value << (lsb); \\
} \\
static inline void stem##_set_##name(uint64_t *words, uint64_t value) { \\
    words[word] &= ~(~0ul >> (64 - (width)) << (lsb)); \\
    words[word] |= value << (lsb); \\
}
#define WLK_BEGIN_DECLS
#define WLK_ALIGN64
#define WLK_END_DECLS
enum { WLK_DECIMAL, WLK_HEX, WLK_OPAQUE };
typedef int wlk_state_visitor, wlk_notation;
static inline uint64_t wlk_mask(uint32_t width) {
    return width >= 64u ? ~0ul : (1ul << width) - 1ul;
}
static inline uint32_t wlk_clog2(uint32_t n) {
    uint32_t bits = 0;
    while (1ul << bits < n) {
        bits++;
    }
    return bits;
}
static inline uint64_t wlk_lane_get(const uint64_t *data, uint32_t lane, uint32_t width) {
    const uint32_t bit = lane << wlk_clog2(width);
    return data[bit / 64u] >> bit % 64u & wlk_mask(width);
}
static inline void wlk_lane_set(uint64_t *data, uint32_t lane, uint32_t width, uint64_t value) {
    const uint32_t bit = lane << wlk_clog2(width);
    const uint64_t mask = wlk_mask(width) << bit % 64u;
    data[bit / 64u] = (data[bit / 64u] & ~mask) | (value << bit % 64u & mask);
}
""",
    "frame/model.h": """\
#include "frame/names.h"
typedef NAMED(cfg) cfg_t;
typedef struct NAMED(state) state_t;
""",
    "frame/names.h": """\
#ifndef WLK_NAMES_H
#define WLK_NAMES_H
#include "warplock/block.h"
#define PASTE3_(a, b, c) a##b##c
#define PASTE3(a, b, c)  PASTE3_(a, b, c)
#define NAMED(rest)      PASTE3(wlk_, MODEL, _##rest)
#define CAPS(rest)       PASTE3(WLK_, MODEL_CAPS, _##rest)
#define EVENT(point)     (1ul << CAPS(EV_##point))
typedef struct flop { const char *name; uint64_t value, known; int notation; } flop;
#define VISIT_FLOPS(list, index) visit_flops(list, 0, index, visitor, ctx)
#endif
""",
    "frame/rams.h": f"""\
#ifndef WLK_RAMS_H
#define WLK_RAMS_H
#define ROW(ram, copy, row) (st->ram[copy][row])
#define ROWS_CLEAR(ram, copy) {ROWS_CLEAR}(st->ram[copy])
#define WLK_RAM(name, {", ".join(RAM_NUMBERS)}) {_OF_RAM}
RAMS(WLK_RAM)
#endif
""",
    "frame/of_part.h": """\
#include "frame/names.h"
#ifdef RAMS
#include "frame/rams.h"
#endif
typedef NAMED(in) in_t;
typedef NAMED(out) out_t;
typedef struct NAMED(state) state_t;
#ifndef WLK_OF_PART_H
#define WLK_OF_PART_H
typedef const uint8_t part_care;
static const uint8_t no_care = 0;
#endif
#define SHOW(port, value)      (out->port = (value))
#define SHOW_WORDS(port, from) (out->port = from)
#define SHOW_ROW(port, row)
#define SHOW_SET(ports, set)   (out->sets.ports = (set))
#define IN_SET(ports)          (in->sets.ports)
#define WLK_STRUCTS_MODEL(...) enum { PART_NAME(WLK_END) }
""",
    "frame/structs.h": f"""\
#ifdef PART
#include "frame/of_part.h"
#else
#include "frame/model.h"
typedef NAMED(in) in_t;
typedef NAMED(out) out_t;
typedef out_t care_t;
#ifdef RAMS
#include "frame/rams.h"
#endif
#define SHOW(port, value)      {SHOW}(out->port, value)
#define SHOW_WORDS(port, from) {SHOW_WORDS}(out->port, from)
#define SHOW_ROW(port, row)    {SHOW_ROW}(out->port, row, 1)
#define SHOW_ROW_IF(port, is_shown, row) {SHOW_ROW}(out->port, row, is_shown)
#define SHOW_SET(ports, set)   {SHOW}(out->sets.ports, set)
#define IN_SET(ports)          (in->sets.ports)
#ifdef CYCLE
#define WLK_STRUCTS_MODEL(...) \\
static void {OUTPUTS}(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, \\
                      care_t *care) {{ \\
    CYCLE c; see(cfg, st, in, &c); outputs(cfg, st, in, &c, out, care); \\
}} \\
static void {EDGE}(const cfg_t *cfg, state_t *st, const in_t *in) {{ \\
    CYCLE c; see(cfg, st, in, &c); edge(cfg, st, in, &c); \\
}} enum {{ WLK_END }}
#else
#define WLK_STRUCTS_MODEL(...) \\
static void {OUTPUTS}(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, \\
                      care_t *care) {{ outputs(cfg, st, in, out, care); }} \\
static void {EDGE}(const cfg_t *cfg, state_t *st, const in_t *in) {{ edge(cfg, st, in); }} \\
enum {{ WLK_END }}
#endif
#endif
""",
    "frame/no_state.h": """\
#include "frame/model.h"
struct NAMED(state) {};
#include "frame/structs.h"
static inline void edge(const cfg_t *cfg, state_t *st, const in_t *in) {}
static inline void clear(const cfg_t *cfg, state_t *st) {}
""",
    "legalise.h": '#include "frame/structs.h"\n#define WLK_LEGALISE(change)\n',
}
SHARED = (MODELS, MODELS / "include")  # headers of the tree's own models
FLAGS = ("-E", "-std=c11", "-undef", "-nostdinc", "-w")


def parse(table: Table, path: Path) -> c_ast.FileAST:
    """The model of a block. BUILD_FAIL names file and line."""
    texts = dict(HEADERS)
    for each in composed.blocks(table):
        ports, generated = f"warplock/{each.name}_ports.h", c.CTable(each)
        for name in generated.unit_headers():
            texts[f"warplock/{name}_ports.h"] = c.CTable(load(name)).model_header()
        texts[ports] = generated.model_header()
        texts[f"warplock/{each.name}_view.h"] = f'#include "{ports}"\n'
        texts[f"warplock/{each.name}_open.h"] = ""
    text = _preprocessed(path, texts)
    try:
        return c_parser.CParser().parse(text, str(path))
    except c_parser.ParseError as error:
        message = f"{error}; it is not in model C, in which a model is proved"
        raise WlkError(Status.BUILD_FAIL, f"{message} (docs/model-c.md)") from None


def member(path: Path, name: str) -> str | None:
    """The function that a model gives for a member of WLK_STRUCTS_MODEL; None: it gives none."""
    text = path.read_text(encoding="utf-8", errors="replace")
    found = re.search(rf"WLK_STRUCTS_MODEL\([^;]*\.{name}\s*=\s*(\w+)", text)
    return found[1] if found else None


def _preprocessed(path: Path, texts: Mapping[str, str]) -> str:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for header, text in texts.items():
            (place / header).parent.mkdir(parents=True, exist_ok=True)
            (place / header).write_text(text, encoding="utf-8")
        compiler = os.environ.get("CC", "cc")
        folders = [f"-I{each}" for each in (place, path.parent, path.parent / "include", *SHARED)]
        out = place / "model.i"
        done = progress.run([compiler, *FLAGS, *folders, path, "-o", out])
        if done.code:
            why = next((x for x in done.output.splitlines() if "error:" in x), done.output)
            raise WlkError(Status.BUILD_FAIL, f"{path} does not compile: {why.strip()}")
        return out.read_text(encoding="utf-8")
