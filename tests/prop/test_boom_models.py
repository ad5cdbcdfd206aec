# SPDX-License-Identifier: Apache-2.0
"""The C models of BOOM's dispatchers and Compactor against the naive ones: every output bit.

Each row stands alone. The uops' fields are anything, and the records hold them at whatever place.
WLK_PROP_SEED changes the seed; a failure names what repeats it.
"""

from __future__ import annotations

import csv
import json
import lzma
import os
import random
from collections import Counter

import naive_boom
import programs
import pytest
from wlk import tables

SEED = int(os.environ.get("WLK_PROP_SEED", "20261121"))
CONFIGS = 60
ROWS = 60
NAMES = ("imm", "rob_idx", "fu_code_0", "fu_code_1", "debug_pc", "x", "lrs1_rtype", "prs1")

# Rows in which something happens, of a block's campaign; at most half of what seeds 0..3 reach.
FLOORS = {
    "compactor": {"gap": 300, "too_many": 250, "partial": 250, "idle_ready": 400, "younger": 120},
    "dispatch_basic": {"none": 500, "several": 500, "half": 200, "idle_target": 500},
    "dispatch_compacting": {"none": 500, "several": 500, "half": 200, "idle_target": 500},
}


def random_fields(dice: random.Random) -> dict[str, int]:
    names = dice.sample(NAMES, dice.randint(1, len(NAMES)))
    return {name: dice.choice((1, 1, 2, 7, 12, 40, 63, 64)) for name in names}


def random_row(block: naive_boom.Block, dice: random.Random) -> naive_boom.Row:
    """Few or many uops, and queues in one mood or each place in its own."""
    density, mood = dice.random(), dice.choice((0.0, 0.3, 0.7, 1.0))
    row = {}
    for port in block.ports():
        if port.direction == "i":
            row[port.name] = dice.getrandbits(port.width)
            if port.name.endswith("_valid"):
                row[port.name] = int(dice.random() < density)
            elif port.name.endswith("_ready"):
                row[port.name] = int(dice.random() < mood)
    return row


def model_outputs(table: tables.Table, config: tables.Config, block, rows) -> list[dict]:
    """What the C model says of the rows."""
    columns = [port for port in block.ports() if port.direction == "i"]
    lines = [",".join(["cycle", *(port.name for port in columns)])]
    lines.append(",".join(["#dir", *(f"i{port.width}" for port in columns)]))
    for number, row in enumerate(rows):
        lines.append(",".join([str(number), *(f"{row[p.name]:x}" for p in columns)]))
    words = ["model", table.name, "unknown", *table.words(config)]
    done = programs.run("dpi/wlk-vec", *words, stdin="\n".join(lines) + "\n")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(table: tables.Table, config: tables.Config, block, rows) -> None:
    told = model_outputs(table, config, block, rows)
    widths = {p.name: p.width for p in block.ports() if p.direction == "o"}
    for number, (row, said) in enumerate(zip(rows, told, strict=True)):
        where = f"WLK_PROP_SEED={SEED} {table.name} {table.text(config)} row {number} {row}"
        want = block.outputs(row)
        assert {name: int(value, 16) for name, value in said["out"].items()} == want, where
        assert {n: int(v, 16) for n, v in said["care"].items()} == {
            name: (1 << width) - 1 for name, width in widths.items()
        }, where
        assert said["violated"] == 0


def note(block: naive_boom.Block, row: naive_boom.Row, reached: Counter) -> None:
    """Count what a row shows, by the naive model's answer."""
    out = block.outputs(row)
    stems = block.inputs()
    valid = [row[f"{s}_valid"] for s in stems]
    ready = [out[f"{s}_ready"] for s in stems]
    if isinstance(block, naive_boom.NaiveCompactor):
        taken = [v and r for v, r in zip(valid, ready, strict=True)]
        reached["gap"] += any(not v and any(valid[i:]) for i, v in enumerate(valid))
        reached["too_many"] += sum(valid) > block.params["k"]
        reached["partial"] += 0 < sum(taken) < sum(valid)
        reached["idle_ready"] += any(r and not v for v, r in zip(valid, ready, strict=True))
        stalled = [i for i, v in enumerate(valid) if v and not taken[i]]
        reached["younger"] += bool(stalled) and any(taken[stalled[0] :])
        return
    users = [[block.is_for(block.bits(row, s), q) for q in block.queues] for s in stems]
    went = Counter(
        (q, w)
        for q in range(len(block.queues))
        for w in taken_by(block, q, row, users)
    )  # fmt: skip
    reached["none"] += any(v and not any(u) for v, u in zip(valid, users, strict=True))
    reached["several"] += any(v and sum(u) > 1 for v, u in zip(valid, users, strict=True))
    reached["half"] += any(not ready[w] for _, w in went)
    reached["idle_target"] += any(any(u) and not v for v, u in zip(valid, users, strict=True))


def taken_by(block, q: int, row: naive_boom.Row, users: list[list[bool]]) -> list[int]:
    """The positions whose uop queue `q` takes."""
    wanting = [row[f"{s}_valid"] and users[w][q] for w, s in enumerate(block.inputs())]
    ready = [bool(row[f"{s}_ready"]) for s in block.of_queue(q)]
    places, _ = naive_boom.hand_out(list(map(bool, wanting)), ready)
    return [place.holds for place in places if place.ready and place.holds is not None]


@pytest.mark.parametrize("name", naive_boom.BLOCKS)
def test_model_is_as_the_naive_one(name: str) -> None:
    dice, reached = random.Random(f"{SEED} {name}"), Counter()
    for _ in range(CONFIGS):
        fields = random_fields(dice)
        table = tables.load(name).with_members(fields.items())
        config = programs.random_config(table, dice)
        block = naive_boom.BLOCKS[name](table.show(config), fields)
        rows = [random_row(block, dice) for _ in range(ROWS)]
        compare(table, config, block, rows)
        for row in rows:
            note(block, row, reached)
    low = {point: reached[point] for point, floor in FLOORS[name].items() if reached[point] < floor}
    assert not low, f"WLK_PROP_SEED={SEED} {name}: {low} of {FLOORS[name]}"


RECORDINGS = {
    "basic_n2": ("dispatch_basic", {"core_width": 2, "queues": "MEM:2:1,INT:2:2,FP:2:1"}),
    "compacting_n3": ("dispatch_compacting", {"core_width": 3, "queues": "MEM:2:1,INT:1:1,FP:2:2"}),
    "compacting_n4": ("dispatch_compacting", {"core_width": 4, "queues": "MEM:2:1,INT:4:3,FP:1:1"}),
    "compactor_n4k2": ("compactor", {"n": 4, "k": 2}),
}


@pytest.mark.parametrize("name", RECORDINGS)
def test_naive_model_explains_the_recordings(name: str) -> None:
    kind, params = RECORDINGS[name]
    with lzma.open(programs.recording(f"boom/{name}.csv.xz"), "rt") as file:
        rows = list(csv.reader(file))
    ports = dict(zip(rows[0][1:], rows[1][1:], strict=True))
    stem = "io_in_0_bits_" if kind == "compactor" else "io_ren_uops_0_bits_"
    fields = {n.removeprefix(stem): int(d[1:]) for n, d in ports.items() if n.startswith(stem)}
    block = naive_boom.BLOCKS[kind](params | {"encoding": "v3"}, fields)
    assert {p.name: f"{p.direction}{p.width}" for p in block.ports()} == ports
    for number, cells in enumerate(rows[2:]):
        row = dict(zip(rows[0][1:], (int(cell, 16) for cell in cells[1:]), strict=True))
        want = {p: value for p, value in row.items() if ports[p].startswith("o")}
        assert block.outputs(row) == want, f"row {number}"
