# SPDX-License-Identifier: Apache-2.0
"""What the ports leave open: which configurations to try, and which one to believe.

A *subject* is what is checked: a scope of a waveform, a recording, or a module that the harness
drives. A *group* is subjects in which a parameter's name means the same hardware: nested scopes.
`explore` tries each subject in likely configurations by the *runner* it is given, which plays a
dump, a recording or the harness; when none passes, a search tries others that differ from the best
in one parameter, round by round. Of a group the values are taken on which its subjects agree.

Where none passes, nothing but a fault is known: the defaults are taken, unless other values explain
far more. Of a block without state, whose cycles each stand alone, the values with which the fewest
ports ever differ.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..base.errors import Status, WlkError
from ..tables import Config
from .match import Match, ParamValue

ALWAYS = 4  # a parameter that no port shows is tried when it has so few values
MOST = 64  # configurations of a subject that are tried at first
ROUNDS = 8  # of a search along single parameters
LINE = 32  # of a parameter with more values a search tries some
SMALL = 16  # ... these, and the ends of the ranges of each width
FEWER = 2  # times as many ports differ before another configuration goes before the defaults
FAR = 8  # times as many bits another configuration explains before it goes before the defaults
PASSING = ("PASS", "RTL_ASSERTION")


@dataclass
class Trial:
    """A configuration that was tried, and how it went."""

    config: Config
    searched: bool = False  # by the search: counts only when it passes
    dropped: bool = False  # others did better, and were tried longer
    passed: bool = False
    failed: bool = False  # there is a difference: another configuration may do better
    reach: int = 0  # cycles without a difference
    explained: int = 0  # bits compared up to the first difference, of all runs
    failing: int = 0  # checkers that find a difference: a fault in one block is none of another's
    wrong: int | None = None  # ports that ever differ, where each cycle stands alone
    verdict: str = ""
    first: dict[str, Any] = field(default_factory=dict)  # cycle and port of the first difference
    answer: Any = None  # what else the runner reports

    @property
    def score(self) -> int:
        """How near to right one that fails is. Without state a first difference early on does not
        count: a fault shows on its own port, a wrong parameter on many."""
        if self.passed:
            return 0
        return self.explained if self.wrong is None else -self.wrong

    def note(self, answers: Sequence[Mapping[str, Any]], alone: bool = False) -> None:
        """Take over the JSON objects of one run or several, by what is worst of them. VACUOUS is no
        pass; that an assertion of the RTL fires speaks against no configuration. `alone`: each
        cycle stands alone."""
        failing = [a for a in answers if a["verdict"] not in (*PASSING, "VACUOUS")]
        worst = failing[0] if failing else answers[0]
        self.verdict, self.first = worst["verdict"], worst.get("first", {})
        self.passed = all(a["verdict"] in PASSING for a in answers)
        self.failed = bool(failing) and self.verdict != "NO_RESET"
        self.reach = self.first.get("cycle", worst["cycles"])
        self.failing = max(a.get("failing_checkers", int(bool(failing))) for a in answers)
        self.explained = sum(a["explained_bits"] for a in answers)
        self.wrong = max(a["differing_ports"] for a in answers) if alone else None


@dataclass
class Subject:
    """One scope or recording."""

    found: Match
    name: str = ""
    trials: list[Trial] = field(default_factory=list)
    chosen: Trial | None = None

    @property
    def open(self) -> list[ParamValue]:
        """Parameters that only the behaviour shows."""
        return [p for p in self.found.params.values() if p.ambiguous]

    @property
    def passing(self) -> list[Trial]:
        return [t for t in self.trials if t.passed]

    def usual(self, trial: Trial) -> int:
        """Open parameters that have their defaults, where these are possible."""
        return sum(p.how == "default" and trial.config[p.name] == p.value for p in self.open)

    @property
    def readings(self) -> list[Trial]:
        """The first choice and the configuration that was chosen, where only that one passes. It is
        another design, or a fault that looks like one: a run cannot tell."""
        start = self.trials[0]
        differs = any(start.config[p.name] != self.chosen.config[p.name] for p in self.open)
        return [start, self.chosen] if differs and self.chosen.passed and not start.passed else []

    def oddity(self, trial: Trial) -> int:
        """How unusual the entries of its lists are: neither the default nor a value with a name."""
        odd = 0
        for item in self.open:
            value, each = trial.config[item.name], self.found.table.list_of(item.name)
            if each is not None and value != item.value:
                odd += 1 if each.is_named(item.name, trial.config) else 2
        return odd

    @property
    def judged(self) -> list[Trial]:
        """Those that were run as long as any: one of them is chosen."""
        return [t for t in self.trials if not t.dropped]

    @property
    def fair(self) -> list[Trial]:
        """Those that show something of a parameter: a search is for one that passes."""
        return [t for t in self.judged if t.passed or not t.searched]

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
    def unsettled(self) -> list[ParamValue]:
        """Parameters that only have a default: no port shows them, and no trial did."""
        return [] if self.chosen.searched else [p for p in self.open if p.name not in self.varied]


# ---- what to try --------------------------------------------------------------------------------


def first(found: Match, most: int = MOST) -> list[Config]:
    """The configurations to begin with, the likeliest first; empty when none is legal.

    Every value of the parameters that the ports narrow, and of those with few; fewest values first,
    as long as the combinations are at most `most`.
    """
    names, count = [], 1
    loose = [p for p in found.params.values() if p.ambiguous]
    for item in sorted((p for p in loose if not _is_once(found, p)), key=lambda p: len(p.possible)):
        narrowed = len(item.possible) < len(found.table.params[item.name].legal)
        if count * len(item.possible) <= most and (narrowed or len(item.possible) <= ALWAYS):
            count *= len(item.possible)
            names.append(item.name)
    configs = [found.config]
    for name in (n for n in found.params if n in names):
        item = found.params[name]
        values = [item.value, *(v for v in item.possible if v != item.value)]
        configs = [c | {name: v} for c in configs for v in values]
    configs = [each for config in configs for each in _orders(found, config)]
    return [c for c in configs if found.refusal_of(c) is None]


def _is_once(found: Match, value: ParamValue) -> bool:
    """Is it an item of a list whose words stand once?"""
    each = found.table.list_of(value.name)
    return each is not None and each.item_of(value.name).once


def _orders(found: Match, config: Config) -> list[Config]:
    """A configuration, and those in which the words of a list stand in another order."""
    configs = [config]
    for each in found.table.lists.values():
        for item in (item for item in each.items if item.once):
            names = [each.param(entry, item) for entry in range(each.length(config))]
            loose = [name for name in names if found.params[name].ambiguous]
            fixed = {config[name] for name in names if name not in loose}
            words = [v for v in item.named(config).values() if v not in fixed]
            for order in itertools.permutations(words, len(loose)) if loose else ():
                other = config | dict(zip(loose, order, strict=True))
                configs += [other] if other not in configs else []
    return configs


def require_first(found: Match, what: str) -> list[Config]:
    """The configurations to begin with; BAD_CONFIG where the ports leave none. `what`: whose."""
    if likely := first(found):
        return likely
    raise WlkError(Status.BAD_CONFIG, f"{what}: config: {found.refusal_of(found.config)}")


def _more(group: Sequence[Subject]) -> list[tuple[Subject, Trial]]:
    """What else to try of a settled group; empty when nothing may help."""
    wanted = []
    for subject in group:
        known = [t.config for t in subject.trials]
        legal = (t for t in _further(subject, group) if not subject.found.refusal_of(t.config))
        wanted += [(subject, trial) for trial in legal if trial.config not in known]
    return wanted


def _further(subject: Subject, group: Sequence[Subject]) -> Iterator[Trial]:
    """What its relatives show that it has not tried; else, when it fails with parameters that
    were not tried, the best so far with each open parameter changed, one at a time.
    """
    best = max(subject.trials, key=lambda t: _search_rank(subject, t))
    lists = [p for p in subject.open if subject.found.table.params[p.name].list_of]
    if values := _from_relatives(subject, group):
        yield Trial(subject.chosen.config | values)
    elif best.failed and not best.passed and (subject.untried or lists):
        # The entries of a list show on ports of their own: each is found by itself.
        yield Trial(subject.trials[0].config | _better(subject, lists))
        for item in subject.open:
            for value in _line(item.possible):
                yield Trial(best.config | {item.name: value}, searched=item not in lists)


def _search_rank(subject: Subject, trial: Trial) -> tuple:
    return trial.passed, -trial.failing, trial.score, -subject.oddity(trial), not trial.searched


def _better(subject: Subject, items: Sequence[ParamValue]) -> Config:
    """Of each parameter the value that alone does better than the first trial, and best."""
    start = subject.trials[0]
    found: dict[str, Trial] = {}
    names = {item.name for item in items}
    for trial in subject.trials[1:]:
        changed = [n for n, value in trial.config.items() if value != start.config[n]]
        if len(changed) == 1 and changed[0] in names:
            best = found.get(changed[0], start)
            found[changed[0]] = max(best, trial, key=lambda t: _search_rank(subject, t))
    return {name: t.config[name] for name, t in found.items() if t.score > start.score}


def _from_relatives(subject: Subject, group: Sequence[Subject]) -> Config:
    """Values of untried parameters that passing relatives have, and this subject has not."""
    relatives = [other.chosen.config for other in group if other is not subject and other.passing]
    return {
        item.name: config[item.name]
        for item in subject.untried
        for config in relatives
        if config.get(item.name) in item.possible
        and config[item.name] not in subject.values(item.name)
    }


def _line(values: Sequence[int]) -> list[int]:
    if len(values) <= LINE:
        return list(values)
    return [v for v in values if v <= SMALL or v & (v + 1) == 0 or v & (v - 1) == 0]


# ---- which to believe ---------------------------------------------------------------------------

Runner = Callable[[Sequence[tuple[Subject, Trial]]], None]


def explore(groups: Sequence[Sequence[Subject]], run: Runner, most: int = MOST) -> None:
    """Try what is to be tried and choose a trial of each subject; `run` fills in trials. `most`: at
    first, of a subject."""
    wanted = [(s, Trial(c)) for group in groups for s in group for c in first(s.found, most)]
    for _ in range(1 + ROUNDS):
        run(wanted)
        for subject, trial in wanted:
            subject.trials.append(trial)
        for group in groups:
            settle(group)
        wanted = [each for group in groups for each in _more(group)]
        if not wanted:
            break


def settle(group: Sequence[Subject]) -> None:
    """Choose a trial of each subject: values on which the group agrees, so that most pass."""
    assignments: list[Config] = [{}]
    for subject in sorted(group, key=lambda s: -len(s.fair)):
        rest = [other for other in group if other is not subject]
        shared = [n for n in subject.varied if any(n in other.varied for other in rest)]
        assignments = _join(assignments, [{n: t.config[n] for n in shared} for t in subject.fair])
    ranked = [_Ranked(subject) for subject in group]
    sums = []
    for assignment in assignments:
        ranks = [each.best(assignment)[0] for each in ranked]
        sums.append((Rank(*map(sum, zip(*ranks, strict=True))), assignment))
    best = _prefer(sums)[1]
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


class Rank(NamedTuple):
    """How good a trial is, or the trials of a group: their sums."""

    passed: int = 0
    failing: int = 0
    score: int = 0
    usual: int = 0
    oddity: int = 0
    is_first: int = 0
    number: int = 0  # of the trials the later ones have larger values


def _prefer(ranked: Sequence[tuple[Rank, Any]]) -> tuple[Rank, Any]:
    """What passes with most checkers; of these the defaults, unless others explain far more."""
    most = max((rank.passed, -rank.failing) for rank, _ in ranked)
    ranked = [each for each in ranked if (each[0].passed, -each[0].failing) == most]
    best = max(ranked, key=lambda r: (r[0].score, r[0].usual, *_tail(r[0])))
    if best[0].score < 0:  # without state: the least unusual of those that are about as good
        near = [r for r in ranked if not _is_far(best[0].score, r[0].score)]
        return max(near, key=lambda r: (r[0].usual, -r[0].oddity, r[0].score, *_tail(r[0])))
    usual = max(ranked, key=lambda r: (r[0].usual, r[0].score, *_tail(r[0])))
    return best if _is_far(best[0].score, usual[0].score) else usual


def _tail(rank: Rank) -> tuple[int, int, int]:
    return -rank.oddity, rank.is_first, rank.number


def _is_far(score: int, usual: int) -> bool:
    """A negative score is a number of ports that differ: without state, fewer are better."""
    return FEWER * score > usual if usual < 0 else score > FAR * usual


class _Ranked:
    """A subject's trials with their ranks."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.trials, varied = [], subject.varied
        for number, t in enumerate(subject.judged):
            how = int(t.passed), t.failing, t.score, subject.usual(t), subject.oddity(t)
            rank = Rank(*how, int(number == 0), number)
            self.trials.append(({name: t.config[name] for name in varied}, rank, t))

    def best(self, assignment: Config) -> tuple[Rank, Trial]:
        """The best that agrees; of a parameter with one value tried, any value agrees.

        If none does, the best of all, which is worth nothing to the group.
        """
        agreeing = [t for t in self.trials if _agree(assignment, t[0])]
        rank, trial = _prefer([t[1:] for t in agreeing or self.trials])
        return rank if agreeing else Rank(), trial
