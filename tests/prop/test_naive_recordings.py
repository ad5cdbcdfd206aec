# SPDX-License-Identifier: Apache-2.0
"""The naive collector against the recordings of the real one: every output, every cycle."""

from __future__ import annotations

import csv
import lzma
import os
from pathlib import Path

import pytest
from naive_collector import NaiveCollector, Port, ports

ROOT = Path(__file__).resolve().parents[2]

# The recordings' README; random power-up is 'unknown' to a model.
RECORDINGS = {
    "A": {"power_up": "zero"},
    "B": {
        "num_lanes": 2,
        "num_pregs": 32,
        "coll_entries": 4,
        "reg_banks": 2,
        "num_warps": 4,
        "rs_entries": 4,
    },
    "C": {"num_lanes": 4, "num_pregs": 1024, "coll_entries": 1, "reg_banks": 4},
    "D": {
        "num_lanes": 8,
        "num_pregs": 128,
        "coll_entries": 3,
        "debug": True,
        "power_up": "zero",
    },
}

ZERO_POWER_UP = [name for name, params in RECORDINGS.items() if params.get("power_up") == "zero"]

# Output bits the spec leaves unknown from the first reset edge on: SRAM words read unwritten.
MASKED_AFTER_RESET = {"A": 835_872, "B": 13_280, "C": 261_152, "D": 300_576}


def recording(name: str) -> tuple[list[Port], list[dict[str, int]]]:
    """The ports and the rows of one recording; skips the test when it is not there."""
    traces = Path(os.environ.get("WLK_TRACES", ROOT.parent / "shared" / "traces"))
    path = traces / "muon" / f"collector_{name}.csv.xz"
    if not path.is_file():
        pytest.skip(f"recording {path.name} not found under {traces}; set WLK_TRACES")
    with lzma.open(path, "rt", newline="") as text:
        lines = csv.reader(text)
        names, kinds = next(lines)[1:], next(lines)[1:]
        rows = [dict(zip(names, (int(v, 16) for v in line[1:]), strict=True)) for line in lines]
    listed = [Port(n, k[0], int(k[1:])) for n, k in zip(names, kinds, strict=True)]
    return listed, rows


def replay(params: dict, listed: list[Port], rows: list[dict[str, int]]) -> tuple[int, int]:
    """Fails at the first mismatch; returns the (compared, masked) bits after the reset edge."""
    model = NaiveCollector(params)
    inputs = [p.name for p in listed if p.direction == "i"]
    outputs = [p for p in listed if p.direction == "o"]
    compared = masked = 0
    for cycle, row in enumerate(rows):
        after_reset = model.reset_seen
        got = model.step({name: row[name] for name in inputs})
        assert len(got) == len(outputs)
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


@pytest.mark.parametrize("name", RECORDINGS)
def test_ports_are_the_recorded_ones(name: str) -> None:
    """Names, order, directions and widths, from the parameters alone."""
    listed, _ = recording(name)
    assert ports(RECORDINGS[name]) == listed


@pytest.mark.parametrize("name", RECORDINGS)
def test_recording_is_clean_with_unknown_power_up(name: str) -> None:
    """Nothing assumed about power-up; no more bits are masked than the spec leaves unknown."""
    listed, rows = recording(name)
    compared, masked = replay({**RECORDINGS[name], "power_up": "unknown"}, listed, rows)
    print(f"collector_{name}: {len(rows)} cycles, {compared} bits compared, {masked} masked")
    assert masked == MASKED_AFTER_RESET[name]


@pytest.mark.parametrize("name", ZERO_POWER_UP)
def test_recording_is_clean_with_zero_power_up(name: str) -> None:
    """Zero power-up leaves nothing unknown, before the reset too."""
    listed, rows = recording(name)
    _, masked = replay(RECORDINGS[name], listed, rows)
    assert masked == 0


@pytest.mark.parametrize("name", ZERO_POWER_UP)
def test_masked_bits_were_never_written(name: str) -> None:
    """In a recording that powers up zero, a masked bit that reads 1 was masked wrongly."""
    listed, rows = recording(name)
    model = NaiveCollector({**RECORDINGS[name], "power_up": "unknown"})
    inputs = [p.name for p in listed if p.direction == "i"]
    for cycle, row in enumerate(rows):
        for port, (_, care) in model.step({n: row[n] for n in inputs}).items():
            if port != "io_readReq_ready":  # 1 in an empty table, unknown before the reset
                assert row[port] & ~care == 0, f"cycle {cycle}: {port} is masked but was written"
