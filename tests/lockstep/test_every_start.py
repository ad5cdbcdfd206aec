# SPDX-License-Identifier: Apache-2.0
"""What is known of unknown state, against each start of a small block of random logic."""

import random
import subprocess

import programs
import pytest
from wlk import tables
from wlk.gen import c
from wlk.model import open_state
from wlk.run import own_blocks
from wlk.tables import files

pytestmark = [pytest.mark.slow, pytest.mark.needs("model")]
NAME = "small"
BITS = 8
TABLE = f"""\
format = 1
block.name = "{NAME}"
block.module = "{NAME}"
block.model_version = 1
block.clock = "clock"
block.reset = "reset"
block.prefix = ""
block.spec = "README.md"
block.doc = "random logic"
param = [{{ name = "size", default = 1, min = 1, max = 1, doc = "nothing" }}]
field = [
  {{ name = "reset", dir = "in", width = 1, doc = "reset" }},
  {{ name = "a", dir = "in", width = 4, doc = "bits" }},
  {{ name = "o0", dir = "out", width = 1, doc = "a bit" }},
  {{ name = "o1", dir = "out", width = 1, doc = "a bit" }},
  {{ name = "o2", dir = "out", width = 1, doc = "a bit" }},
]
rule = [{{ name = "any", doc = "a rule", broken = "a == 3" }}]
"""
MODEL = """\
#include "warplock/small_ports.h"

#define MODEL      small
#define MODEL_CAPS SMALL
#include "frame/model.h"

struct wlk_small_state {{
    bool m[8];
}};

#include "frame/structs.h"

static bool seen(const state_t *st, const in_t *in) {{
    return in->a & 1u ? st->m[0] : {first};
}}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, out_t *care) {{
    SHOW(o0, seen(st, in));
    SHOW(o1, {second});
    SHOW(o2, {third});
}}

static void edge(const cfg_t *cfg, state_t *st, const in_t *in) {{
    state_t n = *st;
{next}    n.m[1] = in->a >> 1 & 1u ? seen(st, in) : n.m[1];
    *st = n;
}}

static void clear(const cfg_t *cfg, state_t *st) {{
{cleared}}}

static uint32_t broken(const cfg_t *cfg, const state_t *st, const in_t *in) {{
    return {rule} ? 1u : 0u;
}}

static bool follow(const cfg_t *cfg, state_t *st, uint32_t k) {{
{followed}    return k < {values}u;
}}

static void learn(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {{
    if (in->a & 1u) {{
        st->m[0] = out->o0;
    }}
}}

static void learn_next(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {{
    if (in->a >> 1 & 1u) {{
        st->m[1] = out->o0;
    }}
}}

WLK_STRUCTS_MODEL(.unknown_start = true, .broken = broken{more});
"""
FORMS = ("({} ^ {})", "({} & {})", "({} | {})", "({} == {})", "({} ? {} : {})", "(!{})")


def logic(rng, leaves, depth=3):
    if depth == 0:
        return rng.choice(leaves)
    form = rng.choice(FORMS)
    parts = [logic(rng, leaves, rng.randrange(depth)) for _ in range(form.count("{}"))]
    return form.format(*parts)


def model(rng):
    followed = rng.sample(range(BITS), rng.choice((0, 1, 2, 3, 7)))
    bits = [f"st->m[{i}]" for i in range(BITS)]
    leaves = [*bits, *(f"(in->a >> {i} & 1u)" for i in range(4)), *2 * [bits[i] for i in followed]]
    moving = [i for i in range(BITS) if rng.random() < 0.65]
    cleared = [(i, rng.choice(["0", "1", rng.choice(bits)])) for i in range(BITS)]
    calls = [each for each in ("learn", "learn_next") if rng.random() < 0.5]
    calls += ["follow"] if followed else []
    return MODEL.format(
        first=logic(rng, leaves),
        second=logic(rng, leaves),
        third=logic(rng, leaves),
        rule=logic(rng, leaves),
        next="".join(f"    n.m[{i}] = {logic(rng, leaves)};\n" for i in moving),
        cleared="".join(f"    st->m[{i}] = {to};\n" for i, to in cleared if rng.random() < 0.25),
        followed="".join(f"    st->m[{i}] = k >> {n} & 1u;\n" for n, i in enumerate(followed)),
        values=2 ** len(followed),
        more="".join(f", .{each} = {each}" for each in calls),
    )


@pytest.mark.parametrize("seed", range(8))
def test_nothing_that_is_possible_is_excluded(tmp_path, monkeypatch, seed):
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / "block.toml").write_text(TABLE)
    (folder / "model.c").write_text(model(random.Random(seed)))
    monkeypatch.setattr(files, "_own", {})
    monkeypatch.setenv(files.FOLDERS, "")
    tables.use([folder])
    table = tables.load(NAME)
    generated = c.CTable(table)
    opened = open_state.make(table, folder / "model.c")
    texts = {"ports.c": generated.source(), "open_state.c": opened.text}
    (folder / "warplock").mkdir()
    (folder / "warplock" / f"{NAME}_ports.h").write_text(generated.header())
    for name, text in texts.items():
        (folder / name).write_text(text)
    root = programs.ROOT
    sources = [root / "tests/lockstep/every_start.c", *(folder / each for each in texts)]
    sources += [own_blocks.FRAME / each for each in ("block.c", "error.c", "map.c")]
    includes = [folder, root / "tests/unit", *own_blocks.INCLUDES]
    command = ["cc", "-std=gnu11", "-O1", "-g", "-w", *own_blocks.DEFINES]
    command += [f"-D{name}={value}" for name, value in opened.macros.items()]
    command += ["-fsanitize=address,undefined", "-fno-sanitize-recover"]
    command += [*(f"-I{each}" for each in includes), *sources, root / "dpi/src/candidates.c"]
    subprocess.run([*command, "-o", folder / "every_start"], check=True)
    done = subprocess.run([folder / "every_start", str(seed)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
