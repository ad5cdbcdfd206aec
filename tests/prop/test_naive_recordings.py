# SPDX-License-Identifier: Apache-2.0
"""The naive blocks against the recordings of the real ones: every output, every cycle."""

import csv
import lzma

import naive
import programs
import pytest
from naive_common import ContradictionError
from naive_ports import Port

pytestmark = pytest.mark.slow


def cases(zero_only: bool = False) -> list:
    """The recordings of blocks with a naive model, as parameters of a test."""
    return [
        pytest.param(one, id=one.name)
        for one in programs.recordings()
        if one.block in naive.BLOCKS and (one.zero or not zero_only)
    ]


def read(one: programs.Recording) -> tuple[list[Port], list[dict[str, int]]]:
    """The ports and the rows of one recording; skips the test when it is not there."""
    with lzma.open(one.path, "rt", newline="") as text:
        lines = csv.reader(text)
        names, kinds = next(lines)[1:], next(lines)[1:]
        rows = [dict(zip(names, (int(v, 16) for v in line[1:]), strict=True)) for line in lines]
    listed = [Port(n, k[0], int(k[1:])) for n, k in zip(names, kinds, strict=True)]
    return listed, rows


def replay(
    one: programs.Recording, power_up: str, listed: list[Port], rows: list[dict[str, int]]
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
            got = model.step({name: row[name] for name in inputs}, row)
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
def test_ports_are_the_recorded_ones(one: programs.Recording) -> None:
    """Names, order, directions and widths, from the parameters alone."""
    listed, _ = read(one)
    assert naive.model(one.block, one.params).ports == listed


@pytest.mark.parametrize("one", cases())
def test_recording_is_clean_with_unknown_power_up(one: programs.Recording) -> None:
    """Nothing assumed about power-up; no more bits are masked than the spec leaves unknown."""
    listed, rows = read(one)
    compared, masked = replay(one, "unknown", listed, rows)
    print(f"{one.name}: {len(rows)} cycles, {compared} compared, {masked} masked")
    assert masked == one.masked


@pytest.mark.parametrize("one", cases(zero_only=True))
def test_recording_is_clean_with_zero_power_up(one: programs.Recording) -> None:
    """Zero power-up leaves nothing unknown, before the reset too."""
    listed, rows = read(one)
    _, masked = replay(one, "zero", listed, rows)
    assert masked == 0


@pytest.mark.parametrize("one", cases(zero_only=True))
def test_masked_bits_were_never_defined(one: programs.Recording) -> None:
    """In a recording that powers up zero, a masked bit that reads 1 was masked wrongly."""
    listed, rows = read(one)
    model = naive.model(one.block, one.params)
    inputs = [p.name for p in listed if p.direction == "i"]
    for cycle, row in enumerate(rows):
        after_reset = model.reset_seen
        for port, (_, care) in model.step({n: row[n] for n in inputs}, row).items():
            if after_reset:
                assert row[port] & ~care == 0, f"cycle {cycle}: {port} is masked but was defined"
