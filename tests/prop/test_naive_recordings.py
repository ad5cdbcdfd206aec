# SPDX-License-Identifier: Apache-2.0
"""The naive blocks against the recordings of the real ones: every output, every cycle."""

from __future__ import annotations

import csv
import lzma
from typing import Any, NamedTuple

import naive
import programs
import pytest
from naive_collector import NaiveCollector, Port
from naive_common import ContradictionError


class Recording(NamedTuple):
    """A recording, as its README tells it; random power-up is 'unknown' to a model."""

    block: str
    letter: str
    params: dict
    zero: bool
    """The real design powered up with zeros."""
    masked: int
    """Output bits the spec leaves unknown from the first reset edge on."""


# What is masked: SRAM words read unwritten (collector, issue), and the contents of the RS's output
# stage until the first dispatch (reservation_station, issue).
RECORDINGS = [
    Recording("collector", "A", {}, True, 835_872),
    Recording(
        "collector",
        "B",
        {
            "num_lanes": 2,
            "num_pregs": 32,
            "coll_entries": 4,
            "reg_banks": 2,
            "num_warps": 4,
            "rs_entries": 4,
        },
        False,
        13_280,
    ),
    Recording(
        "collector",
        "C",
        {"num_lanes": 4, "num_pregs": 1024, "coll_entries": 1, "reg_banks": 4},
        False,
        261_152,
    ),
    Recording(
        "collector",
        "D",
        {"num_lanes": 8, "num_pregs": 128, "coll_entries": 3, "debug": True},
        True,
        300_576,
    ),
    Recording("scoreboard", "A", {}, True, 0),
    Recording(
        "scoreboard", "B", {"num_pregs": 32, "max_pending_reads": 1, "num_warps": 1}, False, 0
    ),
    Recording(
        "scoreboard", "C", {"num_pregs": 64, "max_pending_reads": 3, "num_warps": 4}, False, 0
    ),
    Recording("hazard", "A", {}, False, 0),
    Recording("hazard", "B", {"num_warps": 1, "num_pregs": 32, "num_lanes": 2}, True, 0),
    Recording(
        "hazard",
        "C",
        {"num_warps": 3, "num_pregs": 64, "num_lanes": 4, "debug": True},
        False,
        0,
    ),
    Recording("reservation_station", "A", {}, True, 870),
    Recording(
        "reservation_station",
        "B",
        {"rs_entries": 1, "coll_entries": 1, "num_warps": 2, "num_pregs": 32, "num_lanes": 2},
        False,
        1_440,
    ),
    Recording(
        "reservation_station",
        "C",
        {
            "rs_entries": 2,
            "coll_entries": 4,
            "num_warps": 2,
            "in_order_per_warp": True,
            "num_pregs": 32,
            "num_lanes": 2,
            "debug": True,
        },
        False,
        1_015,
    ),
    Recording(
        "reservation_station",
        "D",
        {
            "rs_entries": 16,
            "in_order_per_warp": True,
            "forward_coll_issue": False,
            "num_pregs": 64,
            "num_lanes": 4,
        },
        False,
        924,
    ),
    Recording(
        "reservation_station",
        "E",
        {"rs_entries": 32, "num_warps": 4, "num_pregs": 64, "num_lanes": 4},
        False,
        1_216,
    ),
    Recording("issue", "A", {}, False, 320_942),
    Recording(
        "issue",
        "B",
        {
            "num_warps": 4,
            "num_lanes": 2,
            "num_pregs": 32,
            "rs_entries": 4,
            "coll_entries": 1,
            "max_pending_reads": 3,
        },
        False,
        6_502,
    ),
    Recording(
        "issue",
        "C",
        {"num_lanes": 4, "num_pregs": 128, "in_order_per_warp": True},
        False,
        43_886,
    ),
    Recording(
        "issue",
        "D",
        {
            "num_warps": 4,
            "num_lanes": 4,
            "rs_entries": 32,
            "coll_entries": 4,
            "reg_banks": 4,
            "forward_coll_issue": False,
        },
        True,
        82_617,
    ),
    Recording(
        "issue",
        "E",
        {
            "num_warps": 1,
            "num_lanes": 2,
            "num_pregs": 32,
            "rs_entries": 2,
            "max_pending_reads": 1,
        },
        False,
        5_978,
    ),
]


def cases(zero_only: bool = False) -> list:
    """The recordings, as parameters of a test."""
    return [
        pytest.param(one, id=f"{one.block}_{one.letter}")
        for one in RECORDINGS
        if one.zero or not zero_only
    ]


def read(one: Recording) -> tuple[list[Port], list[dict[str, int]]]:
    """The ports and the rows of one recording; skips the test when it is not there."""
    path = programs.recording(f"muon/{one.block}_{one.letter}.csv.xz")
    with lzma.open(path, "rt", newline="") as text:
        lines = csv.reader(text)
        names, kinds = next(lines)[1:], next(lines)[1:]
        rows = [dict(zip(names, (int(v, 16) for v in line[1:]), strict=True)) for line in lines]
    listed = [Port(n, k[0], int(k[1:])) for n, k in zip(names, kinds, strict=True)]
    return listed, rows


def told(model: Any, inputs: dict[str, int], seen: dict[str, int]) -> dict[str, tuple[int, int]]:
    """A step of a model that is told what the real design showed, where it can use that."""
    if isinstance(model, NaiveCollector):
        return model.step(inputs)
    return model.step(inputs, seen)


def replay(
    one: Recording, power_up: str, listed: list[Port], rows: list[dict[str, int]]
) -> tuple[int, int]:
    """Fails at the first mismatch; returns the (compared, masked) bits after the reset edge.

    A bit is masked when a reading that this cycle of the recording does not contradict leaves it
    unknown; readings that stay cannot differ on a bit that they know.
    """
    model = naive.model(one.block, {**one.params, "power_up": power_up})
    inputs = [p.name for p in listed if p.direction == "i"]
    outputs = [p for p in listed if p.direction == "o"]
    compared = masked = 0
    for cycle, row in enumerate(rows):
        after_reset = model.reset_seen
        try:
            got = told(model, {name: row[name] for name in inputs}, row)
        except ContradictionError as problem:
            pytest.fail(f"cycle {cycle}: {problem}")
        assert len(got) == len(outputs)
        if one.block == "collector":
            assert not model.violations, f"cycle {cycle}: the recorded stimulus is legal"
        for port in outputs:
            value, care = got[port.name]
            assert (value ^ row[port.name]) & care == 0, (
                f"cycle {cycle}: {port.name} recorded {row[port.name]:#x}, "
                f"model {value:#x}, care {care:#x}"
            )
            if after_reset:
                compared += care.bit_count()
                masked += port.width - care.bit_count()
    return compared, masked


@pytest.mark.parametrize("one", cases())
def test_ports_are_the_recorded_ones(one: Recording) -> None:
    """Names, order, directions and widths, from the parameters alone."""
    listed, _ = read(one)
    assert naive.ports(one.block, one.params) == listed


@pytest.mark.parametrize("one", cases())
def test_recording_is_clean_with_unknown_power_up(one: Recording) -> None:
    """Nothing assumed about power-up; no more bits are masked than the spec leaves unknown."""
    listed, rows = read(one)
    compared, masked = replay(one, "unknown", listed, rows)
    print(f"{one.block}_{one.letter}: {len(rows)} cycles, {compared} compared, {masked} masked")
    assert masked == one.masked


@pytest.mark.parametrize("one", cases(zero_only=True))
def test_recording_is_clean_with_zero_power_up(one: Recording) -> None:
    """Zero power-up leaves nothing unknown, before the reset too."""
    listed, rows = read(one)
    _, masked = replay(one, "zero", listed, rows)
    assert masked == 0


@pytest.mark.parametrize("one", cases(zero_only=True))
def test_masked_bits_were_never_defined(one: Recording) -> None:
    """In a recording that powers up zero, a masked bit that reads 1 was masked wrongly."""
    listed, rows = read(one)
    model = naive.model(one.block, one.params)
    inputs = [p.name for p in listed if p.direction == "i"]
    for cycle, row in enumerate(rows):
        after_reset = model.reset_seen
        for port, (_, care) in told(model, {n: row[n] for n in inputs}, row).items():
            if after_reset:
                assert row[port] & ~care == 0, f"cycle {cycle}: {port} is masked but was defined"
