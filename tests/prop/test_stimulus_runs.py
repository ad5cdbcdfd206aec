# SPDX-License-Identifier: Apache-2.0
"""The stimulus of each block, run on its model alone: legal, finite, and it reaches what it should.

Legal is what breaks no rule of the block's table. WLK_PROP_SEED changes the configurations.
"""

import json
import os
import random
from functools import cache

import adapter
import programs
import pytest
from naive_ports import Port
from wlk import tables

SEED = int(os.environ.get("WLK_PROP_SEED", "20240229"))
BLOCKS = tables.names()
CONFIGS = 40
OPEN_CYCLES = 64  # of a seed, at most, that could go several ways
ROUND = 2000  # cycles in which each profile of a mix has had its turn
VALUES = {
    "num_warps": (1, 2, 3, 4, 8, 16, 32),
    "num_lanes": (1, 2, 3, 16, 32),
    "lane_bits": (32, 32, 64),
    "num_pregs": (2, 4, 16, 32, 256, 1024),
    "rs_entries": (1, 2, 3, 5, 8, 32),
    "coll_entries": (1, 2, 3, 4, 5, 32),
    "reg_banks": (1, 1, 2),
    "max_pending_reads": (1, 2, 3, 5, 7, 15),
    "forward_coll_issue": (0, 1),
    "in_order_per_warp": (0, 1),
    "debug": (0, 1),
    "num_reg_banks": (1, 2, 4, 7, 8, 16, 64),
    "num_sched_per_core": (1, 2, 3, 4, 8),
    "sub_core_model": (0, 1),
    "num_units": (1, 2, 3, 5, 8, 16, 64),
    "in_ports": (1, 2, 3, 8, 16),
    "out_ports": (1, 2, 3, 8, 16),
    "num_kinds": (1, 2, 3, 6, 8),
    "id_width": (1, 2, 3, 4, 8),
    "ex_width": (1, 2, 4, 8),
    "src_slots": (1, 2, 3, 4, 8),
    "dst_slots": (1, 2, 4),
    "num_wb": (1, 2, 4),
    "num_regs": (2, 16, 256),
    "revision": ("v40", "v32", "v42"),
    "pass_full_sub_core": ("off", "off", "on"),
    "rotate_kinds": ("off", "on"),
    "read_duplicates_once": ("off", "on"),
    "data": ("off", "on"),
    "data_bits": (1, 32, 64),
    "core_width": (1, 2, 3, 4, 5, 8),
    "encoding": ("v3", "v4"),
    "n": (1, 2, 3, 4, 5, 8),
    "k": (1, 2, 3, 4, 7, 8),
}
# What a block varies besides.
OWN_VALUES = {
    "issue_x": {
        "collector": ("duplicated", "src_banked", "inst_banked", "caching"),
        "coll_banks": (3, 3, 3, 2, 4, 8),
        "coll_depth": (1, 2, 3, 8),
        "reg_banks": (1, 1, 2, 4),
        "bank_map": ("high", "mod"),
        "coll_alloc": ("request", "eager", "admit"),
        "alloc_order": ("index", "age"),
        "alloc_rows": (1, 2, 5, 8),
        "read_broadcast": (0, 0, 1),
        "forwarding": ("none", "egress", "must"),
        "war": ("gate", "stall", "epoch"),
        "count_forwarded_reads": (1, 1, 0),
        "ibuf_window": (1, 1, 2, 5),
        "issue_ports": (1, 1, 1, 3),
        "wb_buffer": (0, 0, 1, 2, 4, 25),
    },
}


def run(
    block: str, config: tables.Config, profile: str, seeds: tuple[int, int], cycles: int
) -> dict:
    """What the program reports of these runs, which must be legal and come to an end."""
    table = tables.load(block)
    words = programs.parameters(table, table.defaults() | config)
    done = programs.run("tests/prop/stimulus_run", block, profile, *seeds, cycles, *words)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    wrong = {key: answer[key] for key in ("violations", "in_words_beyond", "undrained")}
    assert not any(wrong.values()), f"{block} {profile} seeds {seeds} {words}: {wrong}"
    assert answer["ambiguous"] <= OPEN_CYCLES * (seeds[1] - seeds[0] + 1)
    return answer


@cache
def random_configs(block: str) -> list[tables.Config]:
    """Legal ones."""
    table = tables.load(block)
    dice = random.Random(f"{block} {SEED}")
    values = VALUES | OWN_VALUES.get(block, {})
    return [programs.random_config(table, dice, values) for _ in range(CONFIGS)]


def under_floors(answer: dict) -> dict[str, str]:
    """Points hit less than half as often as their floor asks for."""
    least = {name: p["floor"] * answer["cycles"] / 2e6 for name, p in answer["coverage"].items()}
    hits = {name: p["hits"] for name, p in answer["coverage"].items()}
    return {name: f"{hits[name]} < {least[name]:.0f}" for name in hits if hits[name] < least[name]}


@pytest.mark.parametrize("block", BLOCKS)
def test_named_configurations_are_legal_and_meet_the_floors(block: str) -> None:
    table = tables.load(block)
    for name, given in table.configs.items():
        answer = run(block, table.config(given), "mix", (1, 4), 10_000)
        assert not under_floors(answer), f"{block} {name}"


@pytest.mark.parametrize("block", BLOCKS)
def test_random_configurations_are_legal_and_meet_the_floors(block: str) -> None:
    for config in random_configs(block):
        answer = run(block, config, "mix", (1, 4), 10_000)
        assert not under_floors(answer), f"WLK_PROP_SEED={SEED} {block} {config}"


@pytest.mark.parametrize("block", BLOCKS)
def test_each_profile_is_legal_and_ends(block: str) -> None:
    configs = [{}, *random_configs(block)[:4]]
    profiles = tables.load(block).profiles
    assert run(block, {}, "mix", (1, 1), 1)["profiles"] == list(profiles)
    for profile in profiles:
        for config in configs:
            answer = run(block, config, profile, (1, 3), 1000)
            assert any(point["hits"] for point in answer["coverage"].values())


@pytest.mark.parametrize("block", BLOCKS)
def test_a_round_shows_every_profile(block: str) -> None:
    """So short a run of any seed hits every point of which several hits are to be expected."""
    points = [f"{seed}: {name} {point}" for seed in range(1, 21)
              for name, point in run(block, {}, "mix", (seed, seed), ROUND)["coverage"].items()
              if point["floor"] * ROUND >= 12e6 and not point["hits"]]  # fmt: skip
    assert not points


@pytest.mark.parametrize("block", BLOCKS)
def test_same_seed_gives_the_same_inputs(block: str) -> None:
    digests = [run(block, {}, "mix", (seed, seed), 500)["digest"] for seed in (5, 5, 6)]
    assert digests[0] == digests[1] != digests[2]


def test_stray_write_backs_are_needed() -> None:
    """Only a write-back of no instruction hits a register that is being read: WAR holds a writer
    until the response (muon-issue §4)."""
    for profile in run("issue", {}, "mix", (1, 1), 1)["profiles"]:
        answer = run("issue", {}, profile, (1, 4), 5000)
        hits = answer["coverage"]["write_while_landing"]["hits"]
        assert hits > 100 if profile == "stray" else hits == 0, profile


@pytest.mark.parametrize("profile", ["held", "gated"])
def test_driver_holds_a_value_or_waits_for_ready(profile: str) -> None:
    """Held, what is not taken stays as it is; gated, what is shown is taken."""
    table = tables.load("compactor")
    config = table.defaults()
    rows, _ = adapter.stimulus(table, config, profile, 3, 1000)
    ports = [Port(p.name, p.direction[0], p.width) for p in table.ports(config)]
    cycles = adapter.model_cycles(table, config, ports, rows)
    waiting: dict[str, dict[str, int]] = {}
    held = 0
    for row, (outputs, _) in zip(rows, cycles, strict=True):
        given = {p.name: row[p.name] for p in ports if p.direction == "i"}
        ready = {name: value for name, (value, _) in outputs.items()}
        for stem in (f"io_in_{n}" for n in range(config["n"])):
            shown = {name: value for name, value in given.items() if name.startswith(stem)}
            if stem in waiting:
                assert shown == waiting.pop(stem)
                held += 1
            if given[f"{stem}_valid"] and not ready[f"{stem}_ready"]:
                waiting[stem] = shown
    assert held > 500 if profile == "held" else held == 0 and not waiting
