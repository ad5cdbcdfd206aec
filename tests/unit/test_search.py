# SPDX-License-Identifier: Apache-2.0
"""Which configurations are tried when the ports leave some open, and which one is believed."""

import itertools
from collections.abc import Callable

import programs
import pytest
from wlk import tables
from wlk.base import report
from wlk.base.errors import Status
from wlk.fit import match, readings
from wlk.fit import search as c

ISSUE, COLLECTOR, RS = (tables.load(name) for name in ("issue", "collector", "reservation_station"))
CYCLES = 4000


def found(table: tables.Table, shared: tuple = (), given: dict | None = None, **true: int):
    """The match of a block with these parameters."""
    ports = programs.shapes(table, table.config(true))
    return match.match(table, ports, given, clock=False, shared=shared)


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
            trial.verdict = "FUNCTIONAL_MISMATCH" if wrong else "PASS"
            trial.explained = trial.reach = min(wrong, default=CYCLES)

    run.rounds = rounds
    return run


def judged(group: list[c.Subject], passes: Callable) -> None:
    """Explore where a trial passes or not, by its subject and configuration."""

    def run(wanted: list) -> None:
        for subject, trial in wanted:
            trial.passed = passes(subject.name, trial.config)
            trial.failed = not trial.passed
            trial.reach = CYCLES if trial.passed else 50

    c.explore([group], run)


def explored(true: dict, *groups: list[c.Subject], fails: set[str] = frozenset()) -> list[int]:
    run = runner(true, fails)
    c.explore(groups, run)
    return run.rounds


ORDER = ("rs_entries", "forward_coll_issue", "in_order_per_warp")
HIDDEN = ("rs_entries", "coll_entries", "max_pending_reads")


def values(configs: list[dict], *names: str) -> set[tuple]:
    return {tuple(given[name] for name in names) for given in configs}


def test_first_tries_what_ports_narrow_and_what_has_few_values() -> None:
    configs = c.first(found(RS, rs_entries=3, num_warps=2))
    assert values(configs, *ORDER) == set(itertools.product((3, 4), (0, 1), (0, 1)))
    assert configs[0]["forward_coll_issue"] == 1 and configs[0]["in_order_per_warp"] == 0


def test_first_takes_the_default_of_what_no_port_shows() -> None:
    configs = c.first(found(ISSUE))
    assert (len(configs), values(configs, *HIDDEN)) == (4, {(8, 2, 7)})


def test_first_leaves_out_what_is_illegal_together() -> None:
    configs = c.first(found(RS, rs_entries=8, num_warps=8))
    ordered = [given for given in configs if given["in_order_per_warp"]]
    assert values(ordered, "rs_entries") == {(8,)}
    assert values(configs, "rs_entries") == {(5,), (6,), (7,), (8,)}
    given = {"rs_entries": 3, "in_order_per_warp": 1}
    assert c.first(found(RS, rs_entries=4, num_warps=4, given=given)) == []


def test_first_is_bounded() -> None:
    shared = (match.Shared("rs_entries", tuple(range(17, 33)), "x", False),)
    shared += (match.Shared("max_pending_reads", tuple(range(128, 256)), "x", False),)
    configs = c.first(found(ISSUE, shared))
    assert len(configs) == 64  # rows and the two switches; pending reads were too many
    assert values(configs, "max_pending_reads") == {(255,)}


def how(subject: c.Subject, *others: c.Subject) -> str:
    """How the rows were found."""
    return readings.how(subject, subject.found.params["rs_entries"], [subject, *others])


def test_search_finds_three_parameters_that_no_port_shows() -> None:
    subject = c.Subject(found(ISSUE))
    true = {"rs_entries": 13, "coll_entries": 5, "max_pending_reads": 31}
    rounds = explored(true, [subject])
    assert subject.chosen.passed and subject.chosen.searched
    assert {k: subject.chosen.config[k] for k in true} == true
    assert len(rounds) == 4 and max(rounds) < 100
    assert how(subject) == "search: 13 of 1..32"


def test_search_that_finds_no_pass_takes_what_explains_most() -> None:
    """A fault shows in cycle 2000, whatever the parameters are."""
    subject = c.Subject(found(ISSUE), "stage")
    true = {"rs_entries": 13, "coll_entries": 5}
    explored(true, [subject], fails={"stage"})
    assert {k: subject.chosen.config[k] for k in true} == true
    assert not subject.chosen.passed and subject.chosen.explained == 2000


def test_search_that_explains_no_more_leaves_the_defaults() -> None:
    subject = c.Subject(found(ISSUE), "stage")

    def run(wanted: list) -> None:
        for _, trial in wanted:
            trial.failed, trial.explained = True, 95 + trial.config["rs_entries"]

    c.explore([[subject]], run)
    assert subject.chosen is subject.trials[0]
    assert [p.name for p in subject.unsettled] == list(HIDDEN)


def test_no_search_without_a_difference_to_work_on() -> None:
    subject = c.Subject(found(ISSUE))

    def vacuous(wanted: list) -> None:
        assert len(wanted) == 4

    c.explore([[subject]], vacuous)
    assert not subject.chosen.passed


def test_no_search_when_every_value_was_tried() -> None:
    subject = c.Subject(found(RS, rs_entries=4, num_warps=2), "rs")
    assert len(explored({}, [subject], fails={"rs"})) == 1
    assert how(subject) == "closest, none passes: 4 of 3|4"


def stage(narrow: bool = True) -> list[c.Subject]:
    """A stage and two blocks inside, which report what they show."""
    inside = {"rs_entries": 4, "coll_entries": 4, "num_warps": 2}
    shared = [match.Shared(n, (3, 4), "stage.x", False) for n in ("rs_entries", "coll_entries")]
    return [
        c.Subject(found(ISSUE, tuple(shared) if narrow else (), num_warps=2), "stage"),
        c.Subject(found(RS, **inside), "stage.rs"),
        c.Subject(found(COLLECTOR, rs_entries=4, coll_entries=4), "stage.collector"),
    ]


def test_group_takes_the_value_that_passes_in_all() -> None:
    """Alone, the stage would pass with 3 and 4 rows and take 4; the RS passes with 3 only."""
    group = stage()
    judged(group, lambda name, config: name != "stage.rs" or config["rs_entries"] == 3)
    assert [s.chosen.passed for s in group] == [True] * 3
    assert [s.chosen.config["rs_entries"] for s in group[:2]] == [3, 3]
    assert "would pass too" not in how(*group)


def test_group_learns_a_value_that_was_not_tried() -> None:
    """The stage passes with its default, but the RS contradicts it."""
    group = stage(narrow=False)[:2]
    judged(group, lambda name, config: name == "stage" or config["rs_entries"] == 3)
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
    assert readings.adopted(group[1], group) == {"coll_entries": (3, "stage.collector")}
    assert readings.adopted(group[2], group)["rs_entries"] == (3, "stage.rs")


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
    assert readings.span(ISSUE.params[name], values) == text


# ---- where none passes ------------------------------------------------------------------------


def explains(subject: c.Subject, bits: dict[tuple, int], failing: dict | None = None) -> None:
    """Explore with so many bits explained by each (rs_entries, in_order_per_warp)."""

    def run(wanted: list) -> None:
        for _, trial in wanted:
            key = (trial.config["rs_entries"], trial.config["in_order_per_warp"])
            trial.failed, trial.verdict = True, "FUNCTIONAL_MISMATCH"
            trial.explained = bits.get(key, 1)
            trial.failing = (failing or {}).get(key, 1)
            trial.first = {"cycle": trial.explained, "port": f"p{key[0]}"}

    c.explore([[subject]], run)


def rows(rs_entries: int) -> c.Subject:
    return c.Subject(found(RS, rs_entries=rs_entries, num_warps=2))


THREE_FAIL = dict.fromkeys(itertools.product((5, 6, 7, 8), (0, 1)), 3)


@pytest.mark.parametrize(
    ("entries", "bits", "failing", "taken"),
    [
        (8, {(8, 0): 106, (8, 1): 134, (7, 0): 300}, {}, (8, 0)),  # little further: the default
        (8, {(8, 0): 20, (7, 1): 3000}, {}, (7, 1)),  # far more is explained
        (4, {(3, 0): 30, (4, 0): 20}, {}, (3, 0)),  # the default is impossible
        # A fault in one block speaks against no parameter of another.
        (8, {(8, 0): 500, (6, 0): 40}, THREE_FAIL | {(6, 0): 2}, (6, 0)),
    ],
    ids=["default", "far more", "most explained", "fewer checkers fail"],
)
def test_configuration_reported_where_none_passes(entries, bits, failing, taken) -> None:
    subject = rows(entries)
    explains(subject, bits, failing)
    config = subject.chosen.config
    assert (config["rs_entries"], config["in_order_per_warp"]) == taken
    if (entries, taken) == (8, (8, 0)):
        assert how(subject) == "default, none passes: 8 of 5|6|7|8"


def test_what_was_tried_is_listed_with_the_advice_to_pin() -> None:
    subject = rows(8)
    explains(subject, {(8, 0): 106, (8, 1): 134})
    listed = readings.listed(subject)
    assert len(listed) == readings.LISTED == len(subject.trials)
    assert listed[0]["config"]["rs_entries"] == 8
    assert listed[0]["first"] == {"cycle": 106, "port": "p8"}
    text = "\n".join(readings.notes(subject, [subject]))
    assert "none of 16 configurations passes; if the RTL has another, pin it" in text
    assert "in_order_per_warp=1: FUNCTIONAL_MISMATCH in cycle 134 at p8" in text
    pins = readings.pinned(subject.found, RS.show(subject.chosen.config))
    assert {"rs_entries=8", "in_order_per_warp=0"} <= set(pins)


def test_assertion_of_the_rtl_speaks_against_no_configuration() -> None:
    trial = c.Trial({})
    run = {"cycles": 9, "explained_bits": 90, "differing_ports": 0}
    trial.note([run | {"verdict": "PASS"}, run | {"verdict": "RTL_ASSERTION"}])
    assert trial.passed and not trial.failed


# ---- a PASS that rests on what was inferred ---------------------------------------------------


def test_pass_names_what_it_infers_and_strict_refuses_it() -> None:
    subject = rows(8)
    explored({"rs_entries": 8, "in_order_per_warp": 0}, [subject])
    inferred = readings.inferred(subject)
    assert inferred["in_order_per_warp"] == 0 and "num_lanes" not in inferred
    assert readings.verdict(Status.OK, subject, accept=False) == Status.OK
    with programs.error(Status.AMBIGUOUS, "--config in_order_per_warp=0"):
        readings.require_pinned([("rs", True, inferred)])
    readings.require_pinned([("rs", False, inferred), ("pinned", True, {})])


def test_pass_where_the_default_fails_is_ambiguous() -> None:
    subject = rows(8)
    explored({"in_order_per_warp": 1, "rs_entries": 8}, [subject])
    assert subject.chosen.passed and subject.chosen.config["in_order_per_warp"] == 1
    assert readings.verdict(Status.OK, subject, accept=False) == Status.AMBIGUOUS
    assert readings.verdict(Status.OK, subject, accept=True) == Status.OK
    assert readings.verdict(Status.VACUOUS, subject, accept=False) == Status.VACUOUS
    text = "\n".join(readings.ambiguous(subject))
    assert "(default); pin it with --config in_order_per_warp=0" in text
    assert "PASS; pin it with --config in_order_per_warp=1" in text
    found = readings.as_json(subject)["readings"]
    assert [row["config"] for row in found] == [{"in_order_per_warp": 0}, {"in_order_per_warp": 1}]
    assert (
        report.verdict_cell(Status.OK, {"readings": found}) == "PASS (inferred in_order_per_warp=1)"
    )
    assert report.verdict_cell(Status.AMBIGUOUS, {"readings": found}) == Status.AMBIGUOUS


def test_pass_of_the_largest_possible_value_is_none_of_two_readings() -> None:
    """The default is not possible there; the first choice is the largest."""
    subject = rows(4)
    explored({"rs_entries": 4, "in_order_per_warp": 0}, [subject])
    assert subject.chosen.passed and not subject.readings
    other = rows(4)
    explored({"rs_entries": 3, "in_order_per_warp": 0}, [other])
    assert [t.config["rs_entries"] for t in other.readings] == [4, 3]
    assert "(default)" not in "\n".join(readings.ambiguous(other))


# ---- lists ------------------------------------------------------------------------------------

BASIC = tables.load("dispatch_basic")


def ports_that_differ(true: str, wrong_bit: int) -> c.Subject:
    """Each entry of a wrong type shows on two ports; the fault on one, wherever."""
    subject = c.Subject(found(BASIC, core_width=2, queues=true))
    want = BASIC.config({"core_width": 2, "queues": true})
    names = [f"queues_{n}_type" for n in range(3)]

    def run(wanted: list) -> None:
        for _, trial in wanted:
            trial.wrong = wrong_bit + 2 * sum(trial.config[n] != want[n] for n in names)
            trial.passed, trial.failed = trial.wrong == 0, trial.wrong != 0

    c.explore([[subject]], run)
    return subject


def test_entries_of_a_list_are_found_though_none_passes() -> None:
    subject = ports_that_differ("FP:2:1,MEM:2:1,INT:2:1", 1)
    assert [subject.chosen.config[f"queues_{n}_type"] for n in range(3)] == [4, 2, 1]
    assert len(subject.trials) < 80


def test_entries_of_a_list_in_their_usual_order_are_the_default() -> None:
    subject = ports_that_differ("MEM:2:1,INT:2:1,FP:2:1", 0)
    assert subject.chosen.passed and not subject.readings


def test_entries_of_a_list_in_another_order_are_a_second_reading() -> None:
    subject = ports_that_differ("FP:2:1,MEM:2:1,INT:2:1", 0)
    assert subject.chosen.passed
    assert list(readings.inferred(subject)) == ["queues"]
    configs = [row["config"] for row in readings.as_json(subject)["readings"]]
    assert configs == [{"queues": "MEM:2,INT:2,FP:2"}, {"queues": "FP:2,MEM:2,INT:2"}]


@pytest.mark.parametrize("queues", ["INT:2:1,INT:2:1,FP:2:1", "MEM:2:1,5:2:1,FP:2:1"])
def test_entries_that_no_core_has_are_taken_only_where_they_are_given(queues) -> None:
    assert not ports_that_differ(queues, 0).chosen.passed
    given = found(BASIC, core_width=2, queues=queues, given={"queues": queues})
    assert [BASIC.show(each)["queues"] for each in c.first(given)] == [queues]


def test_more_entries_than_words_must_be_given() -> None:
    queues = ",".join(f"{n % 7 + 1}:2:1" for n in range(8))
    open_ones = found(BASIC, core_width=2, queues=queues)
    with programs.error(Status.BAD_CONFIG, "is taken only where it is given: --config queues="):
        c.require_first(open_ones, "module m")


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_default_of_a_list_is_of_the_encoding(count) -> None:
    words = ["MEM", "UNQ", "ALU", "FP"][:count]
    queues = ",".join(f"{word}:2:1" for word in words)
    got = found(BASIC, core_width=2, encoding="v4", queues=queues)
    assert [got.config[f"queues_{n}_type"] for n in range(count)] == list(range(count))


@pytest.mark.parametrize(
    ("odd", "named", "taken"),
    [(326, 330, "default"), (100, 330, "odd"), (100, 110, "named"), (181, 400, "default")],
)
def test_without_state_the_least_unusual_of_the_near_is_taken(odd, named, taken):
    """360 ports differ with the defaults; `odd`, `named`: ports that differ with other values."""
    ranked = [
        (c.Rank(score=-360, usual=3), "default"),
        (c.Rank(score=-odd, usual=0, oddity=6), "odd"),
        (c.Rank(score=-named, usual=2, oddity=1), "named"),
    ]
    assert c._prefer(ranked)[1] == taken
