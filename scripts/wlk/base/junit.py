# SPDX-License-Identifier: Apache-2.0
"""JUnit XML, which CI systems read: suites of cases."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

from . import entries
from .entries import Entry, Whole, legal

FAILURE, ERROR, SKIPPED = "failure", "error", "skipped"
KINDS = {entries.BAD: FAILURE, entries.ERROR: ERROR, entries.SKIPPED: SKIPPED}
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


@dataclass(frozen=True)
class Case:
    """A test, as JUnit has it."""

    name: str
    seconds: float = 0.0
    kind: str = ""  # FAILURE, ERROR or SKIPPED; empty: it passes
    type: str = ""  # the verdict
    message: str = ""
    text: str = ""
    out: str = ""  # what it printed


def render(name: str, suites: Mapping[str, Iterable[Case]], began: str = "") -> str:
    """A document; the names of suites are the classes of their cases. `began`: UTC."""
    listed = {suite: list(cases) for suite, cases in suites.items()}
    every = [case for cases in listed.values() for case in cases]
    root = ElementTree.Element("testsuites", {"name": legal(name)} | _totals(every))
    for suite, cases in listed.items():
        skipped = sum(case.kind == SKIPPED for case in cases)
        keys = {"name": legal(suite)} | _totals(cases) | {"skipped": str(skipped)}
        keys |= {"timestamp": began} if began else {}
        element = ElementTree.SubElement(root, "testsuite", keys)
        for case in cases:
            _add(element, suite, case)
    ElementTree.indent(root)
    return HEAD + ElementTree.tostring(root, encoding="unicode") + "\n"


def _totals(cases: Iterable[Case]) -> dict[str, str]:
    listed = list(cases)
    kinds = [case.kind for case in listed]
    totals = {"tests": len(kinds), "failures": kinds.count(FAILURE), "errors": kinds.count(ERROR)}
    seconds = f"{sum(case.seconds for case in listed):.3f}"
    return {key: str(number) for key, number in totals.items()} | {"time": seconds}


def _add(suite: ElementTree.Element, classname: str, case: Case) -> None:
    keys = {"classname": legal(classname), "name": legal(case.name), "time": f"{case.seconds:.3f}"}
    element = ElementTree.SubElement(suite, "testcase", keys)
    if case.kind:
        keys = {"type": case.type} if case.kind != SKIPPED else {}
        keys["message"] = legal(case.message)
        ElementTree.SubElement(element, case.kind, keys).text = legal(case.text) or None
    if case.out:
        ElementTree.SubElement(element, "system-out").text = legal(case.out)


def of_runs(whole: Whole) -> str:
    """A case a run, a suite a block. What failed beside its runs, or has not ended, is an error."""
    suites: dict[str, list[Case]] = {}
    place = f"warplock.{whole.name.replace(' ', '.')}"
    for entry in whole.entries:
        suites.setdefault(f"{place}.{entry.block}", []).append(_case(entry))
    if whole.unexplained:
        message = whole.message or f"exit code {whole.code}"
        case = Case("command", whole.seconds, ERROR, whole.word, message, whole.command)
        suites.setdefault(place, []).append(case)
    return render(f"warplock {whole.name}", suites, whole.began.rstrip("Z"))


def _case(entry: Entry) -> Case:
    kind = KINDS.get(entry.kind, "")
    message = f"{entry.verdict}: {entry.message}" if entry.message else entry.verdict
    repeat = entry.repeat if entry.repeat not in entry.text else ""
    parts = (entry.text, *entry.notes, f"repeat: {repeat}" if repeat else "")
    text = "\n".join(part.rstrip() for part in parts if part) if kind != SKIPPED else ""
    out = entry.shown if not kind and entry.shown != entry.verdict else ""
    return Case(entry.name, entry.seconds, kind, entry.verdict, message, text if kind else "", out)
