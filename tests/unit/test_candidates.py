# SPDX-License-Identifier: Apache-2.0
"""Which configurations are tried when the ports leave some open, and which one is believed."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from wlk import candidates as c
from wlk import match, tables

ISSUE, COLLECTOR, RS = (tables.load(name) for name in ("issue", "collector", "reservation_station"))
CYCLES = 4000


def found(table: tables.Table, told: tuple = (), given: dict | None = None, **true: int):
    """The match of a block with these parameters."""
    config = table.config(true)
    ports = [(p.name, p.direction, p.width) for p in table.ports(config)]
    return match.match(table, ports, given, clock=False, told=told)


def runner(true: dict, fails: set[str] = frozenset()) -> Callable:
    """A model of a run: each parameter that is not as in `true` shows in a cycle of its own."""
    rounds = []

    def run(wanted: list) -> None:
        rounds.append(len(wanted))
        for subject, trial in wanted:
            wrong = [
                100 * (n + 1) - abs(trial.config[k] - v)
                for n, (k, v) in enumerate(true.items())
                if trial.config.get(k, v) != v and subject.found.table.params[k].behavioural
            ] + ([2000] if subject.name in fails else [])
            trial.passed, trial.failed = not wrong, bool(wrong)
            trial.reach = min(wrong, default=CYCLES)

    run.rounds = rounds
    return run


def explored(true: dict, *groups: list[c.Subject], fails: set[str] = frozenset()) -> list[int]:
    run = runner(true, fails)
    c.explore(groups, run)
    return run.rounds


def test_first_tries_what_ports_narrow_and_what_has_few_values() -> None:
    configs = c.first(found(RS, rs_entries=3, num_warps=2))
    tried = {(g["rs_entries"], g["forward_coll_issue"], g["in_order_per_warp"]) for g in configs}
    assert tried == {(r, f, i) for r in (3, 4) for f in (0, 1) for i in (0, 1)}
    assert configs[0]["forward_coll_issue"] == 1 and configs[0]["in_order_per_warp"] == 0


def test_first_takes_the_default_of_what_no_port_shows() -> None:
    configs = c.first(found(ISSUE))
    assert len(configs) == 4
    assert {(g["rs_entries"], g["coll_entries"], g["max_pending_reads"]) for g in configs} == {
        (8, 2, 7)
    }


def test_first_leaves_out_what_is_illegal_together() -> None:
    configs = c.first(found(RS, rs_entries=8, num_warps=8))
    assert {g["rs_entries"] for g in configs if g["in_order_per_warp"]} == {8}
    assert {g["rs_entries"] for g in configs} == {5, 6, 7, 8}


def test_first_is_empty_when_nothing_is_legal() -> None:
    given = {"rs_entries": 3, "in_order_per_warp": 1}
    assert c.first(found(RS, rs_entries=4, num_warps=4, given=given)) == []


def test_first_is_bounded() -> None:
    told = (match.Told("rs_entries", tuple(range(17, 33)), "x", False),)
    told += (match.Told("max_pending_reads", tuple(range(128, 256)), "x", False),)
    configs = c.first(found(ISSUE, told))
    assert len(configs) == 64  # rows and the two switches; pending reads were too many
    assert {g["max_pending_reads"] for g in configs} == {255}


def test_search_finds_three_parameters_that_no_port_shows() -> None:
    subject = c.Subject(found(ISSUE))
    true = {"rs_entries": 13, "coll_entries": 5, "max_pending_reads": 31}
    rounds = explored(true, [subject])
    assert subject.chosen.passed and subject.chosen.searched
    assert {k: subject.chosen.config[k] for k in true} == true
    assert len(rounds) == 4 and max(rounds) < 100
    assert c.how(subject, subject.found.params["rs_entries"], [subject]) == "search: 13 of 1..32"


def test_search_that_finds_nothing_leaves_the_defaults() -> None:
    subject = c.Subject(found(ISSUE), "stage")
    true = {"rs_entries": 13, "coll_entries": 5}
    explored(true, [subject], fails={"stage"})
    assert subject.chosen is subject.trials[0]
    assert [p.name for p in subject.untold] == ["rs_entries", "coll_entries", "max_pending_reads"]
    assert c.doubts(subject).startswith("only defaults, no port tells them: rs_entries=8 of 1..32")
    assert "search along single parameters found nothing" in c.doubts(subject)


def test_no_search_without_a_difference_to_work_on() -> None:
    subject = c.Subject(found(ISSUE))

    def vacuous(wanted: list) -> None:
        assert len(wanted) == 4

    c.explore([[subject]], vacuous)
    assert not subject.chosen.passed


def test_no_search_when_every_value_was_tried() -> None:
    subject = c.Subject(found(RS, rs_entries=4, num_warps=2), "rs")
    assert len(explored({}, [subject], fails={"rs"})) == 1
    assert c.how(subject, subject.found.params["rs_entries"], [subject]) == "furthest: 4 of 3|4"


def stage(narrow: bool = True) -> list[c.Subject]:
    """A stage and two blocks inside, which tell it what they show."""
    inside = {"rs_entries": 4, "coll_entries": 4, "num_warps": 2}
    told = [match.Told(n, (3, 4), "stage.x", False) for n in ("rs_entries", "coll_entries")]
    return [
        c.Subject(found(ISSUE, tuple(told) if narrow else (), num_warps=2), "stage"),
        c.Subject(found(RS, **inside), "stage.rs"),
        c.Subject(found(COLLECTOR, rs_entries=4, coll_entries=4), "stage.collector"),
    ]


def test_group_takes_the_value_that_passes_in_all() -> None:
    """Alone, the stage would pass with 3 and 4 rows and take 4; the RS passes with 3 only."""
    group = stage()

    def run(wanted: list) -> None:
        for subject, trial in wanted:
            rows = trial.config["rs_entries"]
            trial.passed = subject.name != "stage.rs" or rows == 3
            trial.reach = CYCLES if trial.passed else 50
            trial.failed = not trial.passed

    c.explore([group], run)
    assert [s.chosen.passed for s in group] == [True] * 3
    assert [s.chosen.config["rs_entries"] for s in group[:2]] == [3, 3]
    assert "would pass too" not in c.how(group[0], group[0].found.params["rs_entries"], group)


def test_group_tells_a_value_that_was_not_tried() -> None:
    """The stage passes with its default, but the RS says otherwise."""
    group = stage(narrow=False)[:2]

    def run(wanted: list) -> None:
        for subject, trial in wanted:
            trial.passed = subject.name == "stage" or trial.config["rs_entries"] == 3
            trial.failed = not trial.passed
            trial.reach = CYCLES if trial.passed else 50

    c.explore([group], run)
    assert [s.chosen.config["rs_entries"] for s in group] == [3, 3]
    assert all(s.chosen.passed for s in group)


def test_failing_member_is_judged_with_the_values_of_the_others() -> None:
    """Its own furthest would be 4."""
    group = stage()
    run_well = runner({"rs_entries": 3, "coll_entries": 3})

    def run(wanted: list) -> None:
        run_well(wanted)
        for subject, trial in wanted:
            if subject.name == "stage.collector":
                trial.passed, trial.failed = False, True
                trial.reach = 500 + trial.config["coll_entries"]

    c.explore([group], run)
    assert [s.chosen.passed for s in group] == [True, True, False]
    assert group[2].chosen.config["coll_entries"] == 3


def test_adopted_value_of_a_parameter_that_no_rule_reads() -> None:
    group = stage()
    explored({"rs_entries": 3, "coll_entries": 3}, group)
    assert c.adopted(group[1], group) == {"coll_entries": (3, "stage.collector")}
    assert c.adopted(group[2], group)["rs_entries"] == (3, "stage.rs")


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("rs_entries", (3, 4), "3|4"),
        ("rs_entries", tuple(range(1, 33)), "1..32"),
        ("num_pregs", (2, 4, 8, 16, 1024), "2|4|..|1024"),
        ("bank_select", (0, 1), "upper|modulo"),
    ],
)
def test_span_is_short(name: str, values: tuple, text: str) -> None:
    assert c.span(ISSUE.params[name], values) == text
