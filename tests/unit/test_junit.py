# SPDX-License-Identifier: Apache-2.0
"""JUnit XML: cases and counts, by the schema that CI systems go by."""

import re
from xml.etree import ElementTree

import pytest
from wlk.base import junit
from wlk.base.entries import Entry, Whole

# Element -> attributes it must have, those it may have, and what may be in it.
COUNTS = {"tests", "failures", "errors", "time"}
SCHEMA = {
    "testsuites": (COUNTS, {"name"}, {"testsuite"}),
    "testsuite": ({"name"} | COUNTS, {"skipped", "timestamp"}, {"testcase"}),
    "testcase": (
        {"name", "classname", "time"},
        set(),
        {"failure", "error", "skipped", "system-out"},
    ),
    "system-out": (set(), set(), set()),
    "failure": ({"message", "type"}, set(), set()),
    "error": ({"message", "type"}, set(), set()),
    "skipped": ({"message"}, set(), set()),
}
TIME = re.compile(r"\d+\.\d{3}")
FIRST = {"cycle": 7, "port": "io_x", "expected": "0x1", "got": "0x0", "care": "0x1"}
ODD = "a<b>&\"'\x00\x1b[1m\udc80\ufffe ünicode \U0001f600"


def entry(verdict, name="small", block="hazard", **more):
    answer = {"block": block, "verdict": verdict} | more.pop("answer", {})
    return Entry(answer, name, **more)


RUNS = [
    entry("PASS", seconds=1.25),
    entry("FUNCTIONAL_MISMATCH", answer={"first": FIRST, "seed": 3}, text="the report"),
    entry("VACUOUS", notes=["under their floors: alloc"]),
    entry("BUILD_FAIL", block="collector", notes=["see the log"]),
    entry("MODEL_ERROR", block="collector"),
    entry("PASS", block="collector", word="SKIPPED", fate="skipped", answer={"why": "no bit"}),
]


def document(entries=RUNS, **more):
    keys = {"seconds": 2.0, "code": 1, "entries": entries} | more
    return junit.of_runs(Whole("lockstep", "warplock lockstep", "2026-11-22T07:45:00Z", **keys))


def root_of(*args, **more):
    root = ElementTree.fromstring(document(*args, **more).encode())
    check(root)
    return root


def check(element):
    """It is as the schema has it, and its counts are those of its cases."""
    must, may, inside = SCHEMA[element.tag]
    assert must <= set(element.keys()) <= must | may, element.tag
    assert {each.tag for each in element} <= inside
    assert TIME.fullmatch(element.get("time", "0.000"))
    if "tests" in must:
        cases = list(element.iter("testcase"))
        counts = {"tests": len(cases)}
        for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            counts[key] = sum(case.find(tag) is not None for case in cases)
        wrong = {k: n for k, n in counts.items() if int(element.get(k, n)) != n}
        assert wrong == {}, element.attrib
        total = sum(float(case.get("time")) for case in cases)
        assert float(element.get("time")) == pytest.approx(total)
    for each in element:
        check(each)


def found(root):
    """Kind and type of each case."""
    return [
        next(((each.tag, each.get("type")) for each in case), ("pass", None))
        for case in root.iter("testcase")
    ]


def test_junit_has_a_case_a_run_and_a_suite_a_block():
    root = root_of()
    assert [suite.get("name") for suite in root] == [
        "warplock.lockstep.hazard",
        "warplock.lockstep.collector",
    ]
    assert found(root) == [
        ("pass", None),
        ("failure", "FUNCTIONAL_MISMATCH"),
        ("failure", "VACUOUS"),
        ("error", "BUILD_FAIL"),
        ("error", "MODEL_ERROR"),
        ("skipped", None),
    ]
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["6", "2", "2"]


def test_junit_failure_has_the_first_difference_and_the_report():
    failure = next(root_of().iter("failure"))
    wanted = "FUNCTIONAL_MISMATCH: cycle 7 of seed 3: io_x is 0x0, expected 0x1"
    assert failure.get("message") == wanted
    assert failure.text == "the report"


def test_junit_keeps_what_xml_cannot_hold_readable():
    root = root_of([entry("HANG", ODD, text=ODD, answer={"stuck": ODD})])
    text = next(root.iter("failure")).text
    assert text == "a<b>&\"'\\x00\\x1b[1m\\udc80\\ufffe ünicode \U0001f600"
    assert next(root.iter("testcase")).get("name") == text


@pytest.mark.parametrize(
    ("code", "entries", "cases"),
    [
        (0, RUNS[:1], [("pass", None)]),
        (22, RUNS[:1], [("pass", None), ("error", "AMBIGUOUS")]),
        (None, [], [("error", "NOT_FINISHED")]),
        (143, RUNS[:1], [("pass", None), ("error", "FAILED")]),
    ],
)
def test_junit_is_never_green_unless_the_command_is(code, entries, cases):
    assert found(root_of(entries, code=code)) == cases


def test_junit_of_ten_thousand_runs():
    many = [entry(("PASS", "HANG", "BUILD_FAIL")[n % 3], f"seed {n}") for n in range(10_000)]
    root = root_of(many)
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["10000", "3333", "3333"]


def test_junit_says_what_a_pass_does_not_cover():
    lacking = {"not_compared": ["io_x"], "outputs": 4}
    root = root_of([entry("PASS", answer=lacking), entry("PASS"), entry("HANG", answer=lacking)])
    found = [case.findtext("system-out") for case in root.iter("testcase")]
    assert found == ["PASS (1 of 5 outputs not compared)", None, None]
