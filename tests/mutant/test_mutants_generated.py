# SPDX-License-Identifier: Apache-2.0
"""Generated mutants: lockstep and proof say the same of each, and none is a hole."""

from collections import Counter

import programs
import pytest
from wlk.base.errors import Status
from wlk.prove.engines import Answer
from wlk.run import campaign

pytestmark = pytest.mark.needs("prove")
FEW = ("--cycles", "4000", "--seeds", "1..2")


def generate(*words, code=0):
    """Run `mutate --generate --json`; the mutants by name, and the counts."""
    *each, total = programs.warplock("mutate", "--json", *words, code=code).objects
    return {one["mutant"]: one for one in each}, total


@pytest.mark.slow
@pytest.mark.parametrize("block", ["hazard", "compactor"])
def test_every_mutant_is_reported_or_equivalent(block):
    each, total = generate(block, "--generate", "40")
    fates = Counter(one["fate"] for one in each.values())
    assert total["injected"] == len(each) == 40
    assert fates["reported"] == total["reported"] > 30
    assert fates["equivalent"] == total["equivalent"] == 40 - fates["reported"]
    assert (total["holes"], total["undecided"], total["false_alarms"]) == (0, 0, 0)
    assert all("port" in one["first"] for one in each.values() if one["fate"] == "reported")


@pytest.mark.slow
def test_proof_and_lockstep_agree(monkeypatch):
    words = ("scoreboard", "--generate", "8", "--seed", "6")
    simulated, _ = generate(*words)
    for step in ("_short", "_long"):
        monkeypatch.setattr(campaign, step, lambda _: None)
    proved, total = generate(*words, "--fresh", code=1)
    same = {"reported": "hole"}
    assert {name: same.get(one["fate"], one["fate"]) for name, one in simulated.items()} == {
        name: one["fate"] for name, one in proved.items()
    }
    assert total["holes"] > 0
    for one in proved.values():
        if one["fate"] == "hole":
            assert "note" not in one, "lockstep confirms the stimulus"
            assert one["first"]["cycle"] == one["depth"] - 1


@pytest.mark.slow
def test_what_only_a_start_shows_is_equivalent(monkeypatch):
    """The same mutants, had the proof behind a reset found no difference."""
    decide, asked = campaign._decide, []

    def behind(trial, name, seconds, **more):
        asked.append(more.get("reset"))
        return Answer(Status.OK) if name == "reset" else decide(trial, name, seconds, **more)

    for step in ("_short", "_long"):
        monkeypatch.setattr(campaign, step, lambda _: None)
    monkeypatch.setattr(campaign, "_decide", behind)
    each, total = generate("scoreboard", "--generate", "4", "--seed", "6", "--fresh")
    assert (total["holes"], total["equivalent"]) == (0, 4)
    assert "shown only before the first reset" in {one.get("note") for one in each.values()}
    assert {"reset": 1} in asked


@pytest.mark.slow
def test_campaign_that_was_ended_goes_on(monkeypatch, tmp_path):
    """What was shown before the end is kept; another stimulus or `--fresh` begins anew."""
    monkeypatch.setattr(campaign, "KNOWN", tmp_path)
    words = ("compactor", "--generate", "6", *FEW)
    whole, _ = generate(*words)
    (kept,) = tmp_path.iterdir()
    lines = kept.read_text().splitlines(keepends=True)
    assert len(lines) == 6
    kept.write_text("".join(lines[:4]) + lines[4][:20])
    looked_at = []
    short = campaign._short
    monkeypatch.setattr(campaign, "_short", lambda t: (looked_at.append(t), short(t)))
    again, _ = generate(*words)
    assert len(looked_at) == 2
    same = lambda found: {name: one["fate"] for name, one in found.items()}  # noqa: E731
    assert same(again) == same(whole)
    generate(*words, "--fresh")
    assert len(looked_at) == 2 + 6
    other = tmp_path / "other.so"  # as a changed stimulus makes it
    other.write_bytes(campaign._library().read_bytes() + b"\0")
    monkeypatch.setattr(campaign, "_library", lambda: other)
    generate(*words)
    assert len(looked_at) == 2 + 6 + 6


@pytest.mark.slow
def test_rtl_of_a_user_has_mutants(tmp_path):
    programs.warplock("stub", "compactor", "--config", "n=3", "--config", "k=2", "--out", tmp_path)
    each, total = generate("compactor", "--rtl", tmp_path, "--generate", "10", *FEW)
    assert total["injected"] == len(each) == 10
    assert total["reported"] + total["equivalent"] == 10


@pytest.mark.slow
def test_module_that_does_not_pass_is_a_false_alarm():
    # The stub reads the new value while the model is configured to expect the old one.
    words = ("--config", "num_lanes=2", "--config", "num_pregs=32")
    words += ("--config", "read_during_write=old", "--generate", "4")
    each, total = generate("collector", *words, *FEW, code=1)
    assert (each, total["injected"], total["false_alarms"]) == ({}, 0, 1)
    assert total["vacuous"] == 0


@pytest.mark.slow
def test_module_that_is_not_covered_is_vacuous_and_no_false_alarm():
    words = ("--generate", "4", "--cycles", "60", "--seeds", "1")
    each, total = generate("compactor", *words, code=Status.VACUOUS)
    assert (each, total["injected"], total["false_alarms"], total["vacuous"]) == ({}, 0, 0, 1)
    printed = programs.warplock("mutate", "compactor", *words, code=Status.VACUOUS).out
    assert "not covered: compactor " in printed and ": VACUOUS; " in printed


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--only", "x"), "--only goes with lists of faults"),
        (("--short",), "--short goes with lists of faults"),
        (("--bind", "all"), "--bind goes with lists of faults"),
        (("--power-up", "zero"), "--power-up goes with lists of faults"),
        (("--config", "n=3"), "--config goes with one block"),
        (("--rtl", "."), "--rtl goes with one block"),
        (("collector", "--rtl", "nowhere.sv"), "nowhere.sv: no such file"),
        (("--generate", "0"), "must be within 1"),
    ],
)
def test_what_does_not_go_together_is_refused(words, why):
    done = programs.warplock("mutate", "--generate", "5", *words, code=None)
    assert done.code in (Status.USAGE, Status.NO_FILE)
    assert why in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    "words", [("--seed", "2"), ("--fresh",), ("--rtl", "."), ("--config", "n=3")]
)
def test_options_of_generated_mutants_need_them(words):
    done = programs.warplock("mutate", "collector", *words, code=Status.USAGE)
    assert f"{words[0]} goes with --generate" in done.err
