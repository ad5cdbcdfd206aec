# SPDX-License-Identifier: Apache-2.0
"""The short form of long.py, and that it finds what it looks for."""

import long
import pytest
from long import Look

GOOD = [Look(1000 * n, 5 << 20, 2.0 * n) for n in range(1, 21)]
SHORT = {"verdict": "PASS", "cycles": 100, "compared_bits": 900, "masked_bits": 90}
ANSWER = {"verdict": "PASS", "cycles": 21_000, "compared_bits": 189_000, "masked_bits": 20_990}


def found(looks=GOOD, **changed):
    return " ".join(long.problems(SHORT, 21_000, looks, ANSWER | changed))


def test_memory_speed_and_counters_are_looked_at():
    assert found() == ""
    grows = [look._replace(bytes=look.bytes + (n << 18)) for n, look in enumerate(GOOD)]
    assert "memory grew by" in found(grows)
    falls = [look._replace(seconds=look.seconds**1.5) for look in GOOD]
    assert "of the first one's speed" in found(falls)
    assert found([look._replace(seconds=look.seconds / 40) for look in falls]) == ""
    assert "a counter ran over" in found(compared_bits=189_001)
    assert "a counter ran over" in found(compared_bits=10_000)
    assert "HANG" in found(verdict="HANG")
    assert "after 20000 cycles" in found(cycles=20_000)
    assert "looked at 3 times" in found(GOOD[:3])


@pytest.mark.slow
def test_a_long_run_in_short(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(long.ledger, "PLACE", tmp_path)
    monkeypatch.setattr(long.sys, "argv", ["long.py", "--cycles", "16000000", "collector"])
    assert long.main() == 0, capsys.readouterr().out
