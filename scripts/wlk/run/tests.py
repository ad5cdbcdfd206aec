# SPDX-License-Identifier: Apache-2.0
"""The tests in C (Meson) and in Python (pytest), counted per folder."""

import contextlib
import json
import os
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..base import options, progress, report, setup
from ..base.errors import Status, WlkError
from ..base.installed import INSTALLED
from ..base.options import Command, option
from . import build

FOLDERS = (
    *("unit", "prop", "replay", "lockstep", "mutant", "regress", "explore", "python", "install"),
    *("endure", "lint", "pages"),
)
# What takes hours: tests/endure/NAME.py, of which tests/endure/test_NAME.py is the short form.
CAMPAIGNS = ("configurations", "same", "machine", "long")
MINUTES = 60  # of one
BY_FILE = ("lockstep",)
# What takes long in one piece goes first; the files of lockstep fill up the rest.
LONGEST_FIRST = (
    *("lint", "mutant", "prop", "replay", "install", "endure", "unit", "regress", "lockstep"),
    *("explore", "python", "pages"),
)
TESTS = setup.ROOT / "tests"
OUTPUT = setup.BUILD / "test"
# Meson's words for the end of a test
MESON_PASSED = {"OK", "EXPECTEDFAIL"}
# pytest's exit codes without a failure: all passed, none collected
PYTEST_FINE = {0, 5}


@dataclass
class Tests(Command):
    """Run the tests; of the longest ones a part, all with --full."""

    NAME = "test"
    NEEDS = ("build", "verilate", "rtl", "pytest")
    EXAMPLE = "warplock test\nwarplock test --quick -k collector\nwarplock test --campaign same"

    quick: bool = option(False, "leave out what takes long", alone=True)
    full: bool = option(
        False,
        "every fault, named configuration and long property (hours); without it a part of each, "
        "$WARPLOCK_SLICE chooses which: CI takes another one for each commit",
        alone=True,
    )
    folder: Sequence[str] = option(
        [], "only tests of this folder; may be repeated (those in C are in unit)", choices=FOLDERS
    )
    k: str | None = option(
        None, "only tests whose name matches, as in pytest", "-k", metavar="PATTERN"
    )
    retry: bool = option(
        False,
        "run a Python test that failed once more, alone; one that passes then is listed as "
        "UNSTABLE and counts as passed",
    )
    fuzz: int | None = option(
        None,
        "broken files for every reader, so long each, and stop",
        metavar="MINUTES",
        type=options.number(1),
        alone=True,
    )
    campaign: str | None = option(
        None,
        "one of the attacks of docs/reliability.md, and stop; it goes on where it was interrupted",
        choices=CAMPAIGNS,
        alone=True,
    )
    minutes: int | None = option(
        None, f"of a campaign (default: {MINUTES})", metavar="N", type=options.number(1)
    )
    jobs: int = options.jobs("this many folders at a time (default: one a processor)")

    def refuse(self) -> None:
        """What chooses tests, where none are run; an installed copy has none."""
        if self.fuzz is not None or self.campaign is not None:
            chosen = {"--folder": self.folder, "-k": self.k, "--retry": self.retry}
            if name := next((name for name, value in chosen.items() if value), None):
                runs = "--fuzz" if self.campaign is None else f"--campaign {self.campaign}"
                message = f"{name} chooses among tests, and {runs} runs none; leave one of them out"
                raise WlkError(Status.USAGE, message)
        if self.minutes is not None and self.campaign is None:
            message = "--minutes is of a campaign; give --campaign NAME too, or --fuzz MINUTES"
            raise WlkError(Status.USAGE, message)
        if INSTALLED:
            hint = "run scripts/warplock test in a checkout; `warplock lockstep` checks this copy"
            raise WlkError(Status.USAGE, f"{setup.ROOT}: an installed copy has no tests; {hint}")

    def run(self) -> int:
        """Run the tests; 0 only if at least one ran and none failed."""
        if self.fuzz is not None:
            return self._endure("fuzz", self.fuzz)
        if self.campaign is not None:
            return self._endure(self.campaign, self.minutes or MINUTES)
        folder = build.meson_build(whole=True, jobs=self.jobs)
        OUTPUT.mkdir(parents=True, exist_ok=True)
        chosen = self.folder or FOLDERS
        with setup.locked("test"):  # the logs are of one run
            outcomes = run_meson(folder, self.k, self.jobs) if "unit" in chosen else []
            outcomes += run_pytest(self, chosen)
        if not any(o.result != "skipped" for o in outcomes):
            which = f" matches {self.k!r}" if self.k else " ran"
            raise WlkError(Status.VACUOUS, f"no test{which}")
        show(outcomes, self.json)
        return int(any(o.result == "failed" for o in outcomes))

    def _endure(self, name: str, minutes: int) -> int:
        """A campaign, which prints what it finds; its exit code."""
        words = ["--minutes", str(minutes), "--jobs", str(self.jobs)]
        command = [sys.executable, str(TESTS / "endure" / f"{name}.py"), *words]
        with setup.locked(f"endure-{name}"), progress.child(command) as process:
            return process.wait()


@dataclass(frozen=True)
class Outcome:
    """How one test ended."""

    folder: str
    name: str
    # passed, failed, skipped, or unstable: failed first, passed when it ran once more, alone
    result: str
    seconds: float
    message: str = ""


# Meson


def run_meson(folder: Path, pattern: str | None, jobs: int) -> list[Outcome]:
    """Run the tests in C, or those whose name contains `pattern`."""
    listed = json.loads((folder / "meson-info" / "intro-tests.json").read_text(encoding="utf-8"))
    names = [test["name"] for test in listed]
    if pattern is not None:
        names = [name for name in names if pattern.lower() in name.lower()]
    if not names:
        return []
    setup.ensure(["gtkwave"])
    log = folder / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)
    command = ["meson", "test", "-C", folder, "--no-rebuild", "--num-processes", str(jobs)]
    done = progress.run([*command, *names], label="tests in C", log=OUTPUT / "meson.log")
    outcomes = list(read_meson(log)) if log.is_file() else []
    if len(outcomes) < len(names) or (done.code and all(o.result != "failed" for o in outcomes)):
        message = f"meson ended with {done.code}, see {OUTPUT / 'meson.log'}"
        outcomes.append(Outcome("unit", "meson test", "failed", 0.0, message))
    return outcomes


def read_meson(log: Path) -> Iterator[Outcome]:
    """The outcomes in a testlog.json, which has one object a line."""
    for line in log.read_text(encoding="utf-8").splitlines():
        test = json.loads(line)
        suites, _, name = test["name"].rpartition(" / ")
        words = suites.replace("+", ":").split(":")
        folder = next((word for word in words if word in FOLDERS), "unit")
        result = "passed" if test["result"] in MESON_PASSED else "failed"
        if test["result"] == "SKIP":
            result = "skipped"
        # The last line the test printed names the check that failed.
        lines = f"{test.get('stdout', '')}\n{test.get('stderr', '')}".strip().splitlines()
        message = lines[-1] if lines else test["result"]
        yield Outcome(folder, name, result, test["duration"], message)


# pytest


def run_pytest(asked: Tests, chosen: Sequence[str]) -> list[Outcome]:
    """Run pytest on parts of tests/, several at a time."""
    parts = _parts(chosen)
    outcomes: list[Outcome] = []
    failing: dict[Path, list[Outcome]] = {}
    running = {part.relative_to(TESTS) for part in parts}
    with progress.Progress("tests", len(parts)) as line:
        tick = lambda: line.update(len(parts) - len(running))  # noqa: E731
        done = progress.parallel(lambda part: _pytest(part, asked), parts, asked.jobs, tick)
        for part, answer in done:
            running.discard(part.relative_to(TESTS))
            if asked.retry and any(o.result == "failed" for o in answer):
                failing[part] = answer
            else:
                outcomes += answer
    for part, first in failing.items():
        outcomes += retried(first, _pytest(part, asked, "--last-failed"))
    return outcomes


def retried(first: Sequence[Outcome], again: Sequence[Outcome]) -> Iterator[Outcome]:
    """The outcomes of a part whose failed tests ran once more."""
    passed = {outcome.name for outcome in again if outcome.result == "passed"}
    for outcome in first:
        unstable = outcome.result == "failed" and outcome.name in passed
        yield replace(outcome, result="unstable") if unstable else outcome


def _parts(chosen: Sequence[str]) -> list[Path]:
    """What one pytest runs: a folder, or a file of one that takes longer than all others."""
    parts: list[Path] = []
    for name in (name for name in LONGEST_FIRST if name in chosen):
        files = sorted((TESTS / name).rglob("test_*.py"))
        files.sort(key=lambda path: -path.stat().st_size)
        parts += files if name in BY_FILE else [TESTS / name] if files else []
    return parts


def _pytest(part: Path, asked: Tests, *more: str) -> list[Outcome]:
    name = "-".join(part.relative_to(TESTS).with_suffix("").parts)
    folder = part.relative_to(TESTS).parts[0]
    once_more = "-again" if more else ""  # the log of the first time stays
    xml, log = (OUTPUT / f"{name}{once_more}{suffix}" for suffix in (".xml", ".log"))
    for path in (xml, log):
        path.unlink(missing_ok=True)
    # A cache for each, since they run at the same time.
    cache = ["-o", f"cache_dir={setup.BUILD / 'pytest_cache' / name}"]
    command = [sys.executable, "-m", "pytest", part, f"--junitxml={xml}", "--quiet", *cache]
    command += more
    if asked.k is not None:
        command += ["-k", asked.k]
    if asked.quick:
        command += ["-m", "not slow"]
    environment = dict(os.environ) | {"WARPLOCK_FULL": "1" if asked.full else ""}
    done = progress.run(command, log=log, cwd=setup.ROOT, env=environment)
    outcomes, complete = [], False
    with contextlib.suppress(FileNotFoundError, ElementTree.ParseError):
        outcomes, complete = list(read_junit(xml, folder)), True
    failed = any(o.result == "failed" for o in outcomes)
    if not failed and not (complete and done.code in PYTEST_FINE):
        message = f"pytest ended with {done.code}, see {log}"
        outcomes.append(Outcome(folder, f"tests/{name}", "failed", 0.0, message))
    return outcomes


def read_junit(xml: Path, folder: str) -> Iterator[Outcome]:
    """The outcomes in a junit file."""
    for case in ElementTree.parse(xml).iter("testcase"):
        place = case.get("file") or case.get("classname") or ""
        name = f"{place}::{case.get('name')}" if place else str(case.get("name"))
        bad = [each for each in case if each.tag in ("failure", "error")]
        skipped = case.find("skipped")
        result = "failed" if bad else "passed" if skipped is None else "skipped"
        note = bad[0] if bad else skipped
        message = "" if note is None else note.get("message") or ""
        yield Outcome(folder, name, result, float(case.get("time") or 0), message)


# The answer


def show(outcomes: Sequence[Outcome], as_json: bool) -> None:
    """Print failures, skips, the table per folder and the closing line."""
    stream = sys.stderr if as_json else sys.stdout
    for outcome in outcomes:
        if outcome.result != "passed":
            first = outcome.message.strip().partition("\n")[0]
            print(f"{outcome.result.upper()} {outcome.name}: {first[:200]}", file=stream)
    table = report.Table("folder", "passed", "failed", "skipped", "test time [s]")
    for folder in FOLDERS:
        mine = [o for o in outcomes if o.folder == folder]
        if mine:
            table.add(folder, *counts(mine), round(sum(o.seconds for o in mine), 1))
    table.print(stream)
    passed, failed, skipped = counts(outcomes)
    if as_json:
        by_folder = [dict(zip(table.columns[:4], row, strict=False)) for row in table.rows]
        total = {"passed": passed, "failed": failed, "skipped": skipped}
        report.json_line(total | {"folders": by_folder})
    if failed:
        print(f"logs: {OUTPUT}", file=stream)
    print(f"{passed} passed, {failed} failed", file=stream)


def counts(outcomes: Iterable[Outcome]) -> tuple[int, int, int]:
    """How many passed, failed and were skipped."""
    results = [outcome.result for outcome in outcomes]
    passed = results.count("passed") + results.count("unstable")
    return passed, results.count("failed"), results.count("skipped")
