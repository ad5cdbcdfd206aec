# SPDX-License-Identifier: Apache-2.0
"""The short form of configurations.py, and that a difference is a finding."""

import random

import configurations
import programs
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.needs("prove")]


@pytest.mark.parametrize("kind", ["lockstep", "naively", "proof"])
def test_a_random_configuration_passes(kind, monkeypatch, tmp_path):
    monkeypatch.setattr(configurations, "SECONDS", 1)
    monkeypatch.setattr(configurations.ledger, "PLACE", tmp_path)
    monkeypatch.setattr(configurations.rut, "PLACE", tmp_path)
    dice = random.Random(f"short {programs.SLICE}")
    draws = 2 if kind == "naively" else 1
    for number in range(draws):
        found = getattr(configurations, kind)(dice, number)
        assert found["what"].split()[0] in ("lockstep", "naive", "proof")
        assert found.get("verdict", "PASS") in ("PASS", "UNDECIDED")


@pytest.mark.parametrize("kind", ["lockstep", "proof"])
def test_a_difference_is_a_finding(kind, monkeypatch, tmp_path):
    code = {"lockstep": 1, "proof": 29}[kind]
    monkeypatch.setattr(configurations.rut, "PLACE", tmp_path)
    monkeypatch.setattr(configurations.ledger, "PLACE", tmp_path)
    answer = programs.Done(code, "{}", "what was said")
    monkeypatch.setattr(programs, "warplock", lambda *_, **__: answer)
    with pytest.raises(AssertionError, match="what was said"):
        getattr(configurations, kind)(random.Random(1), 1)


def test_a_naive_difference_is_a_finding(monkeypatch):
    real = configurations.prop.adapter.model_cycles

    def wrong(*words):
        cycles = real(*words)
        out, bits = cycles[-1]
        name = next(iter(out))
        value, care = out[name]
        return [*cycles[:-1], (out | {name: (value ^ 1, care | 1)}, bits)]

    monkeypatch.setattr(configurations.prop.adapter, "model_cycles", wrong)
    with pytest.raises(AssertionError, match="naive"):
        configurations.naively(random.Random(3), 0)
