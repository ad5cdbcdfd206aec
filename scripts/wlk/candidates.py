# SPDX-License-Identifier: Apache-2.0
"""What the ports leave open: which configurations to try, and which one to believe.

A *subject* is what is checked: a scope of a waveform, or a recording. A *group* is subjects in
which a parameter's name means the same hardware: nested scopes. `explore` tries each subject in
likely configurations; when none passes, a search tries others that differ from the best in one
parameter, round by round. Of a group the values are taken on which its subjects agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .match import Match, ParamValue
from .tables import Config, Param

ALWAYS = 4  # a parameter that no port shows is tried when it has so few values
MOST = 64  # configurations of a subject that are tried at first
ROUNDS = 8  # of a search along single parameters
LINE = 32  # of a parameter with more values a search tries some
SMALL = 16  # ... these, and the ends of the ranges of each width


@dataclass
class Trial:
    """A configuration that was tried, and how it went."""

    config: Config
    searched: bool = False  # by the search: counts only when it passes
    passed: bool = False
    failed: bool = False  # there is a difference: another configuration may do better
    reach: int = 0  # cycles without a difference
    wrong: int | None = None  # bits that differ, where each cycle stands alone
    answer: Any = None  # what else the runner has to say

    @property
    def score(self) -> int:
        """How near to right it is. Without state a first difference early on says nothing."""
        return self.reach if self.wrong is None else -self.wrong

    def note(self, answer: Mapping[str, Any], alone: bool = False) -> None:
        """Take over a checker's JSON object. `alone`: each cycle stands alone."""
        self.wrong = answer["mismatched_bits"] if alone else None
        self.passed, self.failed = answer["verdict"] == "PASS", "first" in answer
        self.reach = answer["first"]["cycle"] if self.failed else answer["cycles"]


@dataclass
class Subject:
    """One scope or recording."""

    found: Match
    name: str = ""
    trials: list[Trial] = field(default_factory=list)
    chosen: Trial | None = None

    @property
    def open(self) -> list[ParamValue]:
        """Parameters that only the behaviour tells."""
        return [p for p in self.found.params.values() if p.ambiguous]

    @property
    def passing(self) -> list[Trial]:
        return [t for t in self.trials if t.passed]

    @property
    def fair(self) -> list[Trial]:
        """A search is for one that passes: its failures say nothing."""
        return [t for t in self.trials if t.passed or not t.searched]

    def values(self, name: str) -> set[int]:
        """The values of a parameter that were tried."""
        return {t.config[name] for t in self.fair}

    def pass_with(self, name: str) -> set[int]:
        """The values of a parameter with which some trial passes."""
        return {t.config[name] for t in self.passing}

    @property
    def varied(self) -> list[str]:
        """Open parameters of which several values were tried."""
        return [p.name for p in self.open if len(self.values(p.name)) > 1]

    @property
    def untried(self) -> list[ParamValue]:
        """Open parameters of which some value was not tried."""
        return [p for p in self.open if not self.values(p.name).issuperset(p.possible)]

    @property
    def untold(self) -> list[ParamValue]:
        """Parameters that only have a default: no port tells them, and no trial did."""
        return [] if self.chosen.searched else [p for p in self.open if p.name not in self.varied]


# ---- what to try --------------------------------------------------------------------------------


def first(found: Match) -> list[Config]:
    """The configurations to begin with, the likeliest first; empty when none is legal.

    Every value of the parameters that the ports narrow, and of those with few; fewest values first,
    as long as the combinations are not too many.
    """
    names, count = [], 1
    for item in sorted((p for p in found.params.values() if p.ambiguous), key=_size):
        narrowed = len(item.possible) < len(found.table.params[item.name].legal)
        if count * len(item.possible) <= MOST and (narrowed or len(item.possible) <= ALWAYS):
            count *= len(item.possible)
            names.append(item.name)
    configs = [found.config]
    for name in (n for n in found.params if n in names):
        item = found.params[name]
        values = [item.value, *(v for v in item.possible if v != item.value)]
        configs = [c | {name: v} for c in configs for v in values]
    return [c for c in configs if found.table.refusal(c) is None]


def _size(item: ParamValue) -> int:
    return len(item.possible)


def _more(group: Sequence[Subject]) -> list[tuple[Subject, Trial]]:
    """What else to try of a settled group; empty when nothing may help."""
    wanted = []
    for subject in group:
        known = [t.config for t in subject.trials]
        legal = (t for t in _further(subject, group) if not subject.found.table.refusal(t.config))
        wanted += [(subject, trial) for trial in legal if trial.config not in known]
    return wanted


def _further(subject: Subject, group: Sequence[Subject]) -> Iterator[Trial]:
    """What its relatives show that it has not tried; else, when it fails with parameters that
    were not tried, the best so far with each open parameter changed, one at a time.
    """
    best = max(subject.trials, key=lambda t: (t.passed, t.score, not t.searched))
    if told := _told(subject, group):
        yield Trial(subject.chosen.config | told)
    elif best.failed and not best.passed and subject.untried:
        for item in subject.open:
            for value in _line(item.possible):
                yield Trial(best.config | {item.name: value}, searched=True)


def _told(subject: Subject, group: Sequence[Subject]) -> Config:
    """Values of untried parameters that passing relatives have, and this subject has not."""
    told = {}
    for item in subject.untried:
        for other in group:
            chosen = other.chosen.config if other is not subject and other.passing else {}
            value = chosen.get(item.name)
            if value in item.possible and value not in subject.values(item.name):
                told[item.name] = value
    return told


def _line(values: Sequence[int]) -> list[int]:
    if len(values) <= LINE:
        return list(values)
    return [v for v in values if v <= SMALL or v & (v + 1) == 0 or v & (v - 1) == 0]


# ---- which to believe ---------------------------------------------------------------------------

Runner = Callable[[Sequence[tuple[Subject, Trial]]], None]


def explore(groups: Sequence[Sequence[Subject]], run: Runner) -> None:
    """Try what is to be tried and choose a trial of each subject; `run` fills in trials."""
    wanted = [(s, Trial(c)) for group in groups for s in group for c in first(s.found)]
    for _ in range(1 + ROUNDS):
        run(wanted)
        for subject, trial in wanted:
            subject.trials.append(trial)
        for group in groups:
            _settle(group)
        wanted = [each for group in groups for each in _more(group)]
        if not wanted:
            break


def _settle(group: Sequence[Subject]) -> None:
    """Choose a trial of each subject: values on which the group agrees, so that most pass."""
    assignments: list[Config] = [{}]
    for subject in sorted(group, key=lambda s: -len(s.fair)):
        rest = [other for other in group if other is not subject]
        shared = [n for n in subject.varied if any(n in other.varied for other in rest)]
        assignments = _join(assignments, [{n: t.config[n] for n in shared} for t in subject.fair])
    ranked = [_Ranked(subject) for subject in group]
    best = max(assignments, key=lambda a: _score(ranked, a))
    for each in ranked:
        each.subject.chosen = each.best(best)[1]


def _join(assignments: list[Config], values: list[Config]) -> list[Config]:
    """Every assignment with all values it agrees with; with none, as it is."""
    unique = list({tuple(v.items()): v for v in values}.values())
    joined: dict[tuple, Config] = {}
    for old in assignments:
        for new in [old | v for v in unique if _agree(old, v)] or [old]:
            joined.setdefault(tuple(sorted(new.items())), new)
    return list(joined.values())


def _agree(a: Mapping[str, int], b: Mapping[str, int]) -> bool:
    return all(a[name] == value for name, value in b.items() if name in a)


Rank = tuple[int, int, int, int]


class _Ranked:
    """A subject's trials with their ranks: passed, score, is the first, number.

    The first trial has the defaults; of the others the later ones have larger values.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        varied = subject.varied
        self.trials = [
            ({name: t.config[name] for name in varied}, (t.passed, t.score, number == 0, number), t)
            for number, t in enumerate(subject.fair)
        ]

    def best(self, assignment: Config) -> tuple[Rank, Trial]:
        """The best that agrees; of a parameter with one value tried, any value agrees.

        If none does, the best of all, which is worth nothing to the group.
        """
        agreeing = [t for t in self.trials if _agree(assignment, t[0])]
        _, rank, trial = max(agreeing or self.trials, key=lambda t: t[1])
        return rank if agreeing else (0, 0, 0, 0), trial


def _score(ranked: Sequence[_Ranked], assignment: Config) -> Rank:
    """How well a group does: how many pass, then how far the others went, then the order."""
    ranks = [each.best(assignment)[0] for each in ranked]
    passed, score, is_first, number = (sum(column) for column in zip(*ranks, strict=True))
    return passed, score, is_first, number


# ---- for a person -------------------------------------------------------------------------------


def span(param: Param, values: Sequence[int]) -> str:
    """Values in few words: `1|2`, `1..32`, `2|4|..|1024`."""
    words = [param.show(v) for v in values]
    if len(words) <= ALWAYS:
        return "|".join(words)
    if values[-1] - values[0] == len(values) - 1:
        return f"{words[0]}..{words[-1]}"
    return "|".join([*words[:2], "..", words[-1]])


def adopted(subject: Subject, group: Sequence[Subject]) -> dict[str, tuple[int, str]]:
    """Parameters that no rule of this subject reads, with the value that a relative found by its
    behaviour, and its name: nothing but what is said of them depends on these here.
    """
    found = {}
    for item in subject.found.params.values():
        if item.how in ("default", "largest") and not item.ambiguous:
            for other in (s for s in group if s.chosen.passed and item.name in s.varied):
                value = other.chosen.config[item.name]
                if value in item.possible:
                    found[item.name] = (value, other.name)
    return found


def how(subject: Subject, item: ParamValue, group: Sequence[Subject]) -> str:
    """How the value of a parameter was found."""
    if not item.ambiguous:
        return item.how
    param = subject.found.table.params[item.name]
    what = f"{param.show(subject.chosen.config[item.name])} of {span(param, item.possible)}"
    what += f" (ports of {item.told_by})" if item.told_by else ""
    if subject.chosen.searched:
        return f"search: {what}"
    if others := _passing_too(subject, item.name, group):
        return f"{item.how}: {what}, {span(param, others)} would pass too"
    if item in subject.untold:
        return f"{item.how}: {what}"
    return f"behaviour: {what}" if subject.chosen.passed else f"furthest: {what}"


def notes(subject: Subject, group: Sequence[Subject]) -> list[str]:
    """What to say about parameters that the ports leave open."""
    told = [item for item in subject.open if item not in subject.untold]
    lines = [_note(subject, item, group) for item in told]
    if subject.untold:
        lines.append(f"{_untold_words(subject)}; pin them with --config KEY=VALUE")
    return [line for line in lines if line]


def doubts(subject: Subject) -> str:
    """A line to stand above the report of a failure: parameters that may be the reason."""
    if not subject.untold:
        return ""
    searched = any(t.searched for t in subject.trials)
    effort = "; a search along single parameters found nothing that passes" if searched else ""
    return (
        f"{_untold_words(subject)}{effort}\n"
        "  if the RTL has other values, give them with --config KEY=VALUE before reading on\n"
    )


def _untold_words(subject: Subject) -> str:
    table, config = subject.found.table, subject.chosen.config
    values = [
        f"{p.name}={param.show(config[p.name])} of {span(param, p.possible)}"
        for p in subject.untold
        if not (param := table.params[p.name]).list_of
    ]
    names = {p.name for p in subject.untold}
    for each in table.lists.values():
        items = each.items_of(names)
        values += [f"{' and '.join(items)} in {each.name}={each.show(config)}"] if items else []
    return f"only defaults, no port tells them: {', '.join(values)}"


def _passing_too(subject: Subject, name: str, group: Sequence[Subject]) -> list[int]:
    """Other values of a parameter with which this subject passes, and its relatives would."""
    relatives = [s for s in group if name in s.varied and s.pass_with(name)]
    others = subject.pass_with(name) - {subject.chosen.config[name]}
    return sorted(v for v in others if all(v in s.pass_with(name) for s in relatives))


def _note(subject: Subject, item: ParamValue, group: Sequence[Subject]) -> str:
    """'' where there is nothing to say: the first value was right, and no other."""
    param, start = subject.found.table.params[item.name], subject.trials[0]
    value, before = subject.chosen.config[item.name], start.config[item.name]
    among = f"{item.name}={param.show(value)} was taken of {span(param, item.possible)}"
    pin = f"pin it with --config {item.name}={param.show(value)}"
    fails = f"{param.show(before)} fails in cycle {start.reach}"
    if not subject.chosen.passed:
        return f"{among} because it went furthest: none of them passes; {pin}"
    if others := _passing_too(subject, item.name, group):
        return f"{among} ({1 + len(others)} of them pass: this dump cannot tell); {pin}"
    if value == before:
        return ""
    if subject.chosen.searched:
        return f"{among} by a search along single parameters ({fails}); {pin}"
    return f"{among} by the behaviour, not by the ports ({fails}); {pin}"
