# SPDX-License-Identifier: Apache-2.0
"""What `warplock bisect` does: the first bad commit of a block in a configuration.

As `git bisect` does, it asks for the commit that halves what is left, merges included. One that has
a verdict already, or the same module as one that has, costs nothing; one that was proved equal to
its neighbour costs a proof; only the rest is simulated. What does not build is skipped.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..base import options, progress, report
from ..base.errors import Status, WlkError
from ..base.installed import COMMAND
from ..base.options import operand, option
from ..base.published import Reported
from ..base.seeds import Seeds
from . import git, regress, summary
from .regress import Asked, Work
from .settings import Settings
from .store import Store

SKIPPED = {summary.BROKEN, summary.ABSENT}
Row = Mapping[str, Any]


@dataclass
class Bisect(Asked, Reported):
    """Find the commit that made a block fail."""

    NAME = "bisect"
    WORDS: ClassVar[Mapping[int, str]] = {0: "FOUND"}
    EXAMPLE = """warplock bisect collector --repo ~/chip --range v1.0..main
warplock bisect hazard --repo ~/chip --range HEAD~50.. --rtl rtl --seed 7"""

    block: str = operand("BLOCK")
    seed: int | None = option(
        None, "the seed that fails (default: all that regress runs)", type=options.number(0),
        metavar="N",
    )  # fmt: skip

    def run(self) -> int:
        """Find it; 0 when it is found."""
        seeds = Seeds.one(self.seed) if self.seed is not None else None
        repository, found = self.read([self.block], seeds)
        if not found.range:
            raise WlkError(Status.USAGE, "between which commits? give --range GOOD..BAD")
        store = Store(self.store)
        with store.opened():
            store.begin(" ".join(self.words), found.range, dataclasses.asdict(found))
            search = Search(repository, _one(found), store)
            try:
                answer = search.run()
            finally:
                self.entries += [regress.entry(row) for row in search.tested.values()]
        text = _text(repository, answer, () if found.elaborate else found.rtl)
        first = [each for each in self.entries if each.answer["commit"] == answer["first_bad"]]
        cause = dataclasses.replace(first[0], text=text, notes=["the first bad commit"])
        self.entries[:] = [cause, *(each for each in self.entries if each not in first)]
        if self.json:
            report.json_line(answer)
        else:
            print(text)
        return 0


def _one(found: Settings) -> Settings:
    """With one configuration: USAGE when there are several."""
    names = [f"{b.name} {config}".strip() for b in found.blocks for config in b.configs]
    if len(names) > 1:
        message = f"which configuration? give --config; there are {'; '.join(names)}"
        raise WlkError(Status.USAGE, message)
    return found


class Search:
    """The search in one range."""

    def __init__(self, repository: git.Repository, found: Settings, store: Store) -> None:
        self.repository, self.settings, self.store = repository, found, store
        self.commits = {each.id: each for each in repository.commits(found.range)}
        self.good, self.bad = repository.ends(found.range)
        self.tested: dict[str, Row] = {}

    def run(self) -> dict[str, Any]:
        """The answer as JSON; USAGE when one end is not as it must be."""
        first, last = self._judge(self.good), self._judge(self.bad)
        if not summary.is_good(first) or first["verdict"] == summary.ABSENT:
            raise WlkError(Status.USAGE, self._wrong(self.good, first, "must be good"))
        if summary.is_good(last) or last["verdict"] in SKIPPED:
            raise WlkError(Status.USAGE, self._wrong(self.bad, last, "must be bad"))
        goods, bad, skipped = [self.good], self.bad, set[str]()
        while True:
            left = self.repository.halves(bad, goods)
            open_ = [each for each in left if each != bad and each not in skipped]
            if not open_:
                break
            row = self._judge(open_[0])
            if row["verdict"] in SKIPPED:
                skipped.add(open_[0])
            elif summary.is_good(row):
                goods.append(open_[0])
            else:
                bad = open_[0]
        maybe = [each for each in left if each in skipped]
        return self._answer(bad, goods, maybe)

    def _judge(self, name: str) -> Row:
        """The verdict of one commit, with those tested before it to compare with."""
        if name not in self.tested:
            commit = self.commits.get(name) or self.repository.commit(name)
            known = [self.commits.get(each) or self.repository.commit(each) for each in self.tested]
            commits, jobs = [*known, commit], progress.processors()
            work = Work(self.repository, self.settings, self.store, commits, jobs)
            rows = [row for row in work.verdicts() if row["commit"] == name]
            self.tested[name] = rows[0]
        return self.tested[name]

    def _wrong(self, name: str, row: Row, why: str) -> str:
        which = "GOOD" if name == self.good else "BAD"
        commit = self.repository.commit(name)
        return (
            f"--range {self.settings.range}: {which} is {commit.title}: {row['verdict']}; it {why}"
        )

    def _answer(self, bad: str, goods: Sequence[str], maybe: Sequence[str]) -> dict[str, Any]:
        row, commit = self.tested[bad], self.repository.commit(bad)
        parents = [each for each in commit.parents if each in goods]
        answer = {"block": row["block"], "config": row["config"], "first_bad": bad}
        answer |= {"last_good": parents[0] if parents else goods[-1]}
        answer |= {"tested": [_step(each) for each in self.tested.values()]}
        answer |= {"maybe": list(maybe)} if maybe else {}
        answer |= {
            key: row[key]
            for key in ("verdict", "first", "seed", "repro", "report", "shrunk", "module")
            if key in row
        }
        return answer | {"author": commit.author, "date": commit.date, "subject": commit.subject}


def _play(answer: Row) -> str:
    """The command that drives the RTL with the shrunk stimulus."""
    words = answer["repro"].split()
    rtl = words[words.index("--rtl") + 1]
    file = answer["shrunk"]["file"]
    return f"{COMMAND} vectors play {file} --rtl {rtl} --module {answer['module']}"


def _step(row: Row) -> dict[str, Any]:
    return {key: row[key] for key in ("commit", "verdict", "settled_by", "seconds")}


def _text(repository: git.Repository, answer: Mapping[str, Any], paths: Sequence[str]) -> str:
    """For a person: the commit, its diff of RTL, and how to repeat the failure."""
    commit = repository.commit(answer["first_bad"])
    lines = [f"{summary.title(answer)}: {answer['verdict']} since {commit.title}"]
    lines += [f"  {commit.author}, {commit.date}", f"  {summary.first(answer)}"]
    if "repro" in answer:
        lines += [f"  repeat: {answer['repro']}", f"  report: {answer['report']}"]
    if "shrunk" in answer:
        lines += [f"  {summary.shrunk(answer)}: {_play(answer)}"]
    if "maybe" in answer:
        names = ", ".join(each[:10] for each in answer["maybe"])
        lines.append(f"  or one of these, which have nothing to judge: {names}")
    counts = [each["settled_by"] for each in answer["tested"]]
    steps = ", ".join(f"{counts.count(each)} {each}" for each in summary.STEPS if each in counts)
    diff = repository.diff(commit, paths)
    return "\n".join([*lines, f"  {len(counts)} commits looked at: {steps}", "", diff.rstrip()])
