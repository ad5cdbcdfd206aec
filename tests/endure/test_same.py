# SPDX-License-Identifier: Apache-2.0
"""The short form of same.py, in the builds that there are, and that it finds another answer."""

import random

import programs
import pytest
import same
from wlk.base import setup

pytestmark = [pytest.mark.slow, pytest.mark.needs("newest")]


@pytest.fixture
def case(monkeypatch, tmp_path):
    base = programs.folder().name
    others = [b for b in ("gcc", "clang") if b != base and (setup.BUILD / b / "dpi").is_dir()]
    ways = [(name, base, words) for name, build, words in same.WAYS if build == same.BASE]
    monkeypatch.setattr(same, "BASE", base)
    monkeypatch.setattr(same, "BUILDS", others)
    monkeypatch.setattr(same, "WAYS", [(name, name, ()) for name in others] + ways)
    monkeypatch.setattr(same.ledger, "PLACE", tmp_path)
    return same.Case(programs.SLICE, random.Random(f"short {programs.SLICE}"))


def test_answers_are_the_same(case):
    assert [*same.differences(case)] == []


def test_another_answer_is_found(case, monkeypatch):
    """Random power-up values, which differ where the RTL is recompiled, are not reported."""

    def other(self, build, words, first, last):
        answer = {"verdict": "PASS", "cycles": 9, "compared_bits": 5, "masked_bits": 0, "code": 0}
        run = "recompiled" if {"newest", "dpi"} & set(words) else "base"
        answer["constants"] = "zeros" if "zero" in words else f"random in {run}"
        answer |= {"cycles": 8} if "--jobs" in words else {}
        return answer | ({"compared_bits": 4} if "dpi" in words else {})

    monkeypatch.setattr(same.Case, "lockstep", other)
    monkeypatch.setattr(same.Case, "records", lambda self, build: build)
    assert [*same.differences(case)] == [
        *(f"{build}: other records of seed {case.seed}" for build in same.BUILDS),
        "three processes: cycles is 8, was 9",
        "by DPI: compared_bits is 4, was 5",
        "seeds one by one: cycles is 27, was 9",
        "seeds one by one: compared_bits is 15, was 5",
    ]
