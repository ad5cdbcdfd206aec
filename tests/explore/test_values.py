# SPDX-License-Identifier: Apache-2.0
"""Every operand is an in-order interpreter's, and nothing stands still, whatever the organisation
and the policies (muon-designs §9): wlk-explore checks each run that it makes."""

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterable

import programs
import pytest
from wlk import tables

TABLE = tables.load("issue_x")
SEEDS = 200 if programs.FULL else 3
INSTRUCTIONS = 600
COMBINATIONS = 100  # at least
CHOICES = {
    "collector": ("duplicated", "src_banked", "inst_banked", "caching"),
    "coll_alloc": ("request", "eager", "admit"),
    "alloc_order": ("index", "age"),
    "forwarding": ("none", "egress", "must"),
    "war": ("gate", "stall", "epoch"),
    "count_forwarded_reads": (0, 1),
    "buffer": ("none", "short", "long"),
}
Combination = dict[str, str | int]


def all_combinations() -> list[Combination]:
    return [
        dict(zip(CHOICES, values, strict=True)) for values in itertools.product(*CHOICES.values())
    ]


def group_depth(config: tables.Config) -> int:
    """The entries, of which an instruction may take any (§1)."""
    shown, depth = TABLE.show(config), config["coll_depth"]
    if shown["collector"] == "src_banked":
        return max(1, config["coll_banks"] * depth // 3)
    return depth


def is_free(config: tables.Config) -> bool:
    """§9.2: of deadlock."""
    shown, rows = TABLE.show(config), config["rs_entries"]
    if shown["war"] == "gate":
        return True
    if shown["war"] == "stall" and shown["count_forwarded_reads"]:
        return False
    deep = shown["coll_alloc"] == "eager" and group_depth(config) >= rows + config["issue_ports"]
    return shown["coll_alloc"] == "admit" or config["wb_buffer"] >= 3 * rows + 1 or deep


def sizes(dice: random.Random, buffer: str, collector: str) -> Combination:
    """§9.3."""
    rows, window = dice.randint(1, 32), dice.choice((1, 1, 1, 2, 4, 8))
    banks = {"src_banked": dice.randint(3, 8), "inst_banked": dice.randint(1, 8)}.get(collector, 3)
    pregs = dice.choice((32, 64, 128, 256))
    least = min(3 * rows + 1, 127)
    several = collector == "inst_banked" and banks <= 4 and dice.random() < 0.7
    return {
        "num_warps": dice.randint(1, 8), "num_lanes": dice.choice((1, 2, 4, 16)),
        "num_pregs": pregs, "rs_entries": rows, "reg_banks": dice.choice((1, 2, 4, 8, 16)),
        "max_pending_reads": dice.randint(1, 15), "forward_coll_issue": dice.randint(0, 1),
        "in_order_per_warp": int(dice.random() < 0.2), "coll_banks": banks,
        "coll_depth": dice.choice((dice.randint(1, 8), 32)),
        "bank_map": dice.choice(("high", "mod")), "alloc_rows": dice.randint(1, rows),
        "read_broadcast": dice.randint(0, 1), "ibuf_window": window,
        "issue_ports": banks if several else 1,
        "wb_buffer": {"none": 0, "short": dice.randint(1, 3), "long": least}[buffer],
    }  # fmt: skip


def of_random_size(combination: Combination, dice: random.Random) -> tables.Config | None:
    """A configuration of it; None: it is not legal."""
    found = sizes(dice, combination["buffer"], combination["collector"])
    found |= {name: value for name, value in combination.items() if name != "buffer"}
    config = TABLE.defaults() | {
        name: TABLE.params[name].parse(value) if isinstance(value, str) else value
        for name, value in found.items()
    }
    return config if TABLE.refusal(config) is None else None


def drawn(combination: Combination, dice: random.Random, tries: int = 100) -> tables.Config | None:
    """A legal configuration of it that cannot deadlock; None: there seems to be none."""
    for _ in range(tries):
        config = of_random_size(combination, dice)
        if config is not None and is_free(config):
            return config
    return None


def workload(config: tables.Config, dice: random.Random) -> dict[str, object]:
    """A stream that fits: each warp has registers of its own, and no instruction names one more
    often than can be counted."""
    warps = config["num_warps"]
    sources = ["30/70/0/0", "20/40/40/0", "5/25/45/25", "0/5/25/70"]
    fitting = sources[:1] if config["max_pending_reads"] == 1 else sources[:2]
    alu, mul, sfu, slow = (dice.randint(1, most) for most in (6, 12, 20, 60))
    return {
        "warps": warps,
        "regs": dice.randint(1, max(1, min(24, (config["num_pregs"] - 1) // warps))),
        "sources": dice.choice(fitting if config["max_pending_reads"] < 3 else sources),
        "reuse": dice.choice((5, 30, 80)),
        "mix": dice.choice(("60/20/5/15", "70/30/0/0", "25/25/25/25")),
        "masks": dice.choice(("full", "30random")),
        "latency": f"{alu}/{mul}/{sfu}/{slow}..{slow + 40}",
        "instructions": INSTRUCTIONS,
    }


def job(name: str, config: tables.Config, dice: random.Random) -> str:
    cells = {"id": name, "config": TABLE.text(config), "workload": "stream"}
    cells |= workload(config, dice) | {"seed": dice.randint(1, 1 << 30), "idle": 1000}
    return "\t".join(f"{key}={value}" for key, value in cells.items()) + "\n"


def answers(jobs: Iterable[str]) -> list[dict]:
    done = programs.run("dpi/wlk-explore", stdin="".join(jobs))
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def name_of(combination: Combination, seed: int) -> str:
    return " ".join(map(str, [*combination.values(), seed]))


def free_combinations() -> list[Combination]:
    dice = random.Random("free")
    return [each for each in all_combinations() if drawn(each, dice) is not None]


def test_operands_are_the_interpreters() -> None:
    combinations = free_combinations()
    assert len(combinations) >= COMBINATIONS
    jobs = []
    for each, seed in itertools.product(combinations, range(SEEDS)):
        dice = random.Random(name_of(each, seed))
        config = drawn(each, dice, tries=10_000)
        jobs.append(job(name_of(each, seed), config, dice))
    got = answers(jobs)
    wrong = [
        (text, each) for text, each in zip(jobs, got, strict=True)
        if each["status"] != "DONE" or each["issued"] != INSTRUCTIONS
    ]  # fmt: skip
    assert not wrong, f"{len(wrong)} of {len(jobs)}, first {wrong[0]}"
    seen = Counter()
    for each in got:
        seen.update(each["counters"])
    print(f"{len(combinations)} combinations, {len(jobs)} runs, {dict(seen)}")
    assert not [name for name, count in seen.items() if count < SEEDS]


def test_the_naive_option_2_stands_still_and_is_not_wrong() -> None:
    """§9.3."""
    ends = Counter()
    for number, collector in enumerate(CHOICES["collector"]):
        each = {"collector": collector, "coll_alloc": "eager", "alloc_order": "age"}
        each |= {"forwarding": "none", "war": "gate", "count_forwarded_reads": 1, "buffer": "none"}
        jobs = []
        for seed in range(8):
            dice = random.Random(f"naive {number} {seed}")
            config = drawn(each, dice) | {"war": TABLE.params["war"].parse("stall")}
            jobs.append(job(name_of(each, seed), config, dice))
        ends.update(each["status"] for each in answers(jobs))
    assert ends["HANG"] > ends.total() / 2, ends
    assert ends.keys() <= {"HANG", "DONE"}


@pytest.mark.parametrize("war", ["stall", "epoch"])
def test_what_may_deadlock_is_warned_of(war: str) -> None:
    """The table's warnings are of the same configurations as §9.2, and of what it does not name:
    warps that share registers, each in its own order."""
    dice = random.Random(war)
    kinds = Counter()
    for each in all_combinations() * 4:
        config = of_random_size(each | {"war": war}, dice)
        if config is not None:
            warned = any("deadlock" in text for text in TABLE.warnings(config))
            free = is_free(config) and not config["in_order_per_warp"]
            assert warned != free, TABLE.text(config)
            kinds[warned] += 1
    assert min(kinds[True], kinds[False]) > 20
