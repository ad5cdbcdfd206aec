# SPDX-License-Identifier: Apache-2.0
"""The C models against the naive ones: value and care of every bit, and the rules that are broken.

Inputs are those of the block's stimulus and of the generic driver, which keeps no rule, in many
short runs: what power-up leaves open is settled soon. Half of the runs with unknown power-up show
both models the outputs of one of the states still possible. WLK_PROP_SEED changes the seed; a
failure names what repeats it.
"""

import itertools
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import adapter
import naive
import programs
import pytest
from adapter import Outputs, Row
from wlk import tables
from wlk.tables.table import DRIVER_PROFILES

SEED = int(os.environ.get("WLK_PROP_SEED", "20240229"))
CONFIGS = 24
CYCLES = 80
# Runs of a configuration, which take the profiles by turns.
RUNS = {"collector": 20}
LEAST = 4  # hits of each coverage point in a campaign

SMALL = {
    "num_warps": (1, 2, 3, 4, 5),
    "num_lanes": (1, 2, 3),
    "lane_bits": (32, 64),
    "num_pregs": (2, 4, 16, 32),
    "rs_entries": (1, 2, 3, 4, 5, 8),
    "coll_entries": (1, 2, 3, 4, 5),
    "reg_banks": (1, 2),
    "bank_select": ("upper", "modulo"),
    "read_during_write": ("new", "old", "undefined"),
    "max_pending_reads": (1, 2, 3, 5, 7),
    "forward_coll_issue": (1, 1, 0),
    "in_order_per_warp": (0, 1, 1),
    "count_forwarded_reads": (1, 0),
    "debug": (0, 1),
    "collector": ("duplicated", "src_banked", "inst_banked", *(4 * ("caching",))),
    "coll_banks": (3, 3, 3, 4, 5, 1),
    "coll_depth": (1, 2, 3, 5),
    "issue_ports": (1, 1, 3, 4),
    "bank_map": ("high", "mod"),
    "forwarding": ("none", "egress", "egress", "must", "must", "must"),
    "coll_alloc": ("request", "eager", "eager", "admit", "admit"),
    "alloc_order": ("index", "age", "age"),
    "alloc_rows": (1, 2, 3, 8),
    "read_broadcast": (0, 1),
    "war": ("gate", "stall", "epoch"),
    "ibuf_window": (1, 1, 2, 4),
    "wb_buffer": (0, 0, 1, 3),
}
LARGE = SMALL | {
    "num_warps": (1, 2, 3, 6, 8, 16, 32),
    "num_lanes": (1, 2, 5, 16, 64),
    "num_pregs": (2, 16, 64, 256, 1024),
    "rs_entries": (1, 2, 5, 7, 8, 16, 31, 32),
    "coll_entries": (1, 2, 3, 8, 32),
    "reg_banks": (1, 2, 8),
    "max_pending_reads": (1, 2, 3, 4, 7, 15, 255),
    "coll_banks": (3, 3, 3, 7, 16),
    "coll_depth": (1, 8, 13, 32),
    "issue_ports": (1, 1, 3, 4),
    "alloc_rows": (1, 2, 7, 32),
    "ibuf_window": (1, 1, 3, 16),
    "wb_buffer": (0, 0, 2, 25, 127),
}


class Case(NamedTuple):
    """A configuration, and what is known of its power-up."""

    table: tables.Table
    config: tables.Config
    power_up: str

    def naive(self) -> Any:
        params = self.table.show(self.config) | {"power_up": self.power_up}
        return naive.model(self.table.name, params)


def case(block: str, dice: random.Random, values: dict) -> Case:
    table = tables.load(block)
    config = programs.random_config(table, dice, values)
    return Case(table, config, dice.choice(("unknown", "unknown", "zero")))


def named(block: str) -> Iterator[Case]:
    table = tables.load(block)
    for given in table.configs.values():
        yield Case(table, table.config(given), "unknown")


def altered(rows: list[Row], params: dict, dice: random.Random) -> list[Row]:
    """These inputs with a first reset that may come late or never. A warp's number is one that
    exists: in order, the spec gives another no meaning. So is a unit's."""
    late = dice.choice((0, 0, 1, 3, 3, len(rows)))
    for cycle, row in enumerate(rows):
        row["reset"] = row["reset"] if cycle >= late else 0
        for name in row:
            if name.endswith("_wid") and params.get("in_order_per_warp"):
                row[name] %= params["num_warps"]
            if name.endswith("_fuSel"):
                row[name] %= params["coll_banks"]
    return rows


def shown_by(part: Any, row: Row, model: Any, dice: random.Random) -> Row:
    """What this reading shows; where it does not know, anything."""
    found = part.outputs(row).items()
    return {n: dice.getrandbits(model.width[n]) if v is None else v for n, v in found}


def play(
    model: Any, rows: list[Row], shows: bool, dice: random.Random, reached: Counter
) -> tuple[list[Outputs], list[Row] | None, list[set[str]]]:
    """The naive outputs, what the RTL is taken to show, and the rules that are broken."""
    outputs, seen, broken = [], [], []
    for row in rows:
        given = {p.name: row[p.name] for p in model.ports if p.direction == "i"}
        parts = [part for one in getattr(model, "readings", ()) for part in one.split(given)]
        if shows and len(parts) > 1:
            seen.append(shown_by(dice.choice(parts), given, model, dice))
            outputs.append(model.step(given, seen[-1]))
        else:
            outputs.append(model.step(given))
            known = outputs[-1].items()
            width = getattr(model, "width", {})
            seen.append({n: v | dice.getrandbits(width.get(n, 1)) & ~c for n, (v, c) in known})
        reached["open, shown" if shows else "open"] += len(parts) > 1
        reached["masked"] += sum(care == 0 for _, care in outputs[-1].values())
        broken.append(getattr(model, "violations", set()))
    return outputs, seen if shows else None, broken


def first_difference(
    expected: Sequence[Outputs], got: Sequence[Outputs], exact_from: int, hides: bool = False
) -> str | None:
    """One line on the first bit that differs, in value or in care; None when none does.

    In cycles before `exact_from` the C model may know less than the naive one, never more; if that
    `hides` what it could know, more and never less.
    """
    if len(got) != len(expected):
        return f"{len(expected)} cycles expected, {len(got)} given"
    for cycle, (want, have) in enumerate(zip(expected, got, strict=True)):
        if set(have) != set(want):
            return f"cycle {cycle}: ports missing or unknown: {sorted(set(have) ^ set(want))}"
        for name in want:
            (value, care), (other, other_care) = want[name], have[name]
            wrong = other_care ^ care
            if cycle < exact_from:
                wrong = care & ~other_care if hides else other_care & ~care
            if wrong or (value ^ other) & care & other_care:
                return (
                    f"cycle {cycle}: {name} naive {value:#x} care {care:#x}, "
                    f"model {other:#x} care {other_care:#x}"
                )
    return None


def exact_from(one: Case, rows: list[Row]) -> int:
    """The first cycle behind an edge in reset. The C models of the stage's blocks take all that
    reset reaches for unknown before it, the naive ones follow what is defined; the collector's
    takes all for unknown."""
    if one.power_up == "zero" or one.table.reset is None:
        return 0
    return next((cycle for cycle, row in enumerate(rows) if row["reset"]), len(rows)) + 1


def check_rules(
    one: Case, rows: list[Row], naive_broken: list[set[str]], broken: list[int]
) -> Iterator[str]:
    """The rules, which hold from the first reset on; those that were broken."""
    names = [rule["name"] for rule in one.table.rules]
    for cycle, (row, want, bits) in enumerate(zip(rows, naive_broken, broken, strict=True)):
        if any(before["reset"] for before in rows[:cycle]):
            found = {name for bit, name in enumerate(names) if bits >> bit & 1}
            if one.table.name == "collector":  # the naive one takes it as part of the other rule
                beyond = row["io_readData_req_bits_collEntry"] >= one.config["coll_entries"]
                want = want | ({"readData_out_of_range"} if want and beyond else set())
            assert found == want, f"{cycle=}"
            yield from found


def compare(one: Case, profile: str, shows: bool, seed: int, reached: Counter) -> None:
    """Fails at the first difference of a run."""
    block, model = one.table.name, one.naive()
    where = f"WLK_PROP_SEED={SEED} {block} {profile=} {shows=} {seed=} {one.power_up} "
    where += one.table.text(one.config)
    dice = random.Random(where)
    rows, coverage = adapter.stimulus(one.table, one.config, profile, seed, CYCLES)
    rows = altered(rows, one.table.show(one.config), dice)
    expected, seen, naive_broken = play(model, rows, shows, dice, reached)
    hides = block == "collector"  # then what it is taken to show is wrong too
    seen = None if hides else seen
    got = adapter.model_cycles(one.table, one.config, model.ports, rows, seen, one.power_up)
    problem = first_difference(expected, [out for out, _ in got], exact_from(one, rows), hides)
    assert problem is None, f"{problem}; {where}"
    if block == "collector":  # the naive model judges its rules
        reached.update(check_rules(one, rows, naive_broken, [bits for _, bits in got]))
    reached["mid-run reset"] += sum(row["reset"] for row in rows[4:])
    for point, counted in coverage.items():
        reached[point] += counted["hits"]


def campaign(block: str, cases: Sequence[Case], runs: int) -> Counter:
    reached: Counter = Counter()
    own = tables.load(block).profiles
    both = itertools.zip_longest(own if own != DRIVER_PROFILES else (), DRIVER_PROFILES)
    profiles = [p for o, d in both for p in (o, d and f"driver/{d}") if p]
    turns, dice = itertools.cycle(profiles), random.Random(f"{SEED} {block} shows")
    for number, one in enumerate(cases):
        for k in range(runs):
            unsure = one.power_up == "unknown" and hasattr(one.naive(), "readings")
            shows = unsure and dice.random() < 0.5
            compare(one, next(turns), shows, 100 * number + k, reached)
    return reached


@pytest.mark.parametrize("block", naive.BLOCKS)
def test_model_is_as_the_naive_one(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    dice = random.Random(f"{SEED} {block}")
    reached = campaign(
        block, [case(block, dice, SMALL) for _ in range(CONFIGS)], RUNS.get(block, 5)
    )
    table = tables.load(block)
    wanted = [*(point["name"] for point in table.covers), "mid-run reset"]
    if table.reset is not None:
        wanted.append("masked")
    if block == "issue_x":
        wanted += ["open", "open, shown"]
    if block == "collector":
        wanted += [rule["name"] for rule in table.rules]
    low = {name: reached[name] for name in wanted if reached[name] < LEAST}
    with capsys.disabled():
        print(f"\n{block}: WLK_PROP_SEED={SEED}, {dict(reached)}")
    assert not low, f"too seldom with WLK_PROP_SEED={SEED}: {low}"


@pytest.mark.slow
@pytest.mark.parametrize("block", programs.part(naive.BLOCKS, 4))
def test_model_is_as_the_naive_one_at_large(block: str) -> None:
    """The named configurations and random ones of all sizes."""
    dice = random.Random(f"{SEED} {block} large")
    campaign(block, [*named(block), *(case(block, dice, LARGE) for _ in range(CONFIGS))], 3)
