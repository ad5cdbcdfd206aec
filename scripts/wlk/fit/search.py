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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..base import report
from ..base.errors import Status, WlkError
from ..tables import Config, Param
from .match import Match, ParamValue

ALWAYS = 4  # a parameter that no port shows is tried when it has so few values
MOST = 64  # configurations of a subject that are tried at first
ROUNDS = 8  # of a search along single parameters
LINE = 32  # of a parameter with more values a search tries some
SMALL = 16  # ... these, and the ends of the ranges of each width
FEWER = 2  # times as many ports differ before another configuration goes before the defaults
FAR = 8  # times as many bits another configuration explains before it goes before the defaults
PASSING = ("PASS", "RTL_ASSERTION")
LISTED = 16  # configurations that are listed where none passes


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
        """Open parameters that have their defaults."""
        params = self.found.table.params
        return sum(trial.config[p.name] == params[p.name].default for p in self.open)

    def oddity(self, trial: Trial) -> int:
        """How unusual the entries of its lists are: neither the default nor a value with a name."""
        odd = 0
        for item in self.open:
            value, each = trial.config[item.name], self.found.table.list_of(item.name)
            if each is not None and value != item.value:
                odd += 1 if each.is_named(item.name, trial.config) else 2
        return odd

    @property
    def fair(self) -> list[Trial]:
        """A search is for one that passes: its failures show nothing."""
        return [t for t in self.trials if not t.dropped and (t.passed or not t.searched)]

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
    for item in sorted(loose, key=lambda p: len(p.possible)):
        narrowed = len(item.possible) < len(found.table.params[item.name].legal)
        if count * len(item.possible) <= most and (narrowed or len(item.possible) <= ALWAYS):
            count *= len(item.possible)
            names.append(item.name)
    configs = [found.config]
    for name in (n for n in found.params if n in names):
        item = found.params[name]
        values = [item.value, *(v for v in item.possible if v != item.value)]
        configs = [c | {name: v} for c in configs for v in values]
    return [c for c in configs if found.table.refusal(c) is None]


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
        for number, t in enumerate(subject.fair):
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
    behaviour, and its name: nothing but their report depends on these here.
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
    value = subject.chosen.config[item.name]
    what = f"{param.show(value)} of {span(param, item.possible)}"
    what += f" (ports of {item.narrowed_by})" if item.narrowed_by else ""
    if subject.chosen.searched:
        return f"search: {what}"
    if others := _passing_too(subject, item.name, group):
        return f"{item.how}: {what}, {span(param, others)} would pass too"
    if item in subject.unsettled:
        return f"{item.how}: {what}"
    if subject.chosen.passed:
        return f"behaviour: {what}"
    taken = "default" if value == param.default else "closest"
    return f"{taken}, none passes: {what}"


def inferred(subject: Subject) -> dict[str, int | str]:
    """What the chosen configuration has only because it behaves so: the settings to pin."""
    table = subject.found.table
    shown = subject.found.shown(subject.chosen.config)
    return {key: shown[key] for key in table.settings_of(p.name for p in subject.open)}


def rests_on(found: Mapping[str, int | str]) -> str:
    """The notes on a PASS that rests on inferred values."""
    pin = " ".join(f"--config {key}={value}" for key, value in found.items())
    return f"the PASS rests on inferred {report.config_text(found)}; pin it with {pin}"


def require_pinned(runs: Iterable[tuple[str, bool, Mapping[str, int | str]]]) -> None:
    """--strict: AMBIGUOUS when a run passes with inferred values. Of each run: what it is, whether
    it passes, and what was inferred."""
    for name, passed, found in runs:
        if passed and found:
            raise WlkError(Status.AMBIGUOUS, f"{name}: {rests_on(found)} (--strict)")


def pinned(found: Match, shown: Mapping[str, Any]) -> list[str]:
    """key=value of each setting that is given, or that the subject's own ports leave open: with
    these nothing is inferred. `shown`: the configuration as one gives it."""
    params = found.params.values()
    loose = {p.name for p in params if p.how == "given" or p.ambiguous or p.narrowed_by}
    return [f"{name}={shown[name]}" for name in found.table.settings_of(loose)]


def notes(subject: Subject, group: Sequence[Subject]) -> list[str]:
    """The notes on parameters that the ports leave open."""
    if not subject.chosen.passed and subject.chosen.failed and subject.varied:
        return failing(subject)
    settled = [item for item in subject.open if item not in subject.unsettled]
    lines = _of_the_default(subject) + [_note(subject, item, group) for item in settled]
    if subject.unsettled:
        lines.append(f"{_unsettled_words(subject)}; pin them with --config KEY=VALUE")
    lines = [line for line in lines if line]
    rests = inferred(subject) if subject.chosen.passed and not lines else {}
    return [rests_on(rests)] if rests else lines


def listed(subject: Subject) -> list[dict[str, Any]]:
    """The configurations that were tried and fail, those that explain most first: the values of
    the parameters that are open, and the first difference."""
    fair = sorted(
        (t for t in subject.fair if not t.passed),
        key=lambda t: (t is not subject.chosen, t.failing, -t.score, subject.oddity(t)),
    )
    table = subject.found.table
    keys = table.settings_of({p.name for p in subject.open})
    return [
        {
            "config": {key: subject.found.shown(t.config)[key] for key in keys},
            "verdict": t.verdict,
            "first": {k: t.first[k] for k in ("seed", "cycle", "port") if k in t.first},
            **({"differing_ports": t.wrong} if t.wrong is not None else {}),
        }
        for t in fair[:LISTED]
    ]


def as_json(subject: Subject) -> dict[str, Any]:
    """The keys of a JSON object: what was inferred, and what was tried where nothing passes."""
    tried = {} if subject.chosen.passed else {"candidates": listed(subject)}
    return {"inferred_behaviour": inferred(subject)} | tried


def failing(subject: Subject) -> list[str]:
    """The same for a person, with the advice to pin."""
    tried = [t for t in subject.trials if not t.passed]
    rows = listed(subject)
    open_ones = subject.found.table.settings_of({p.name for p in subject.open})
    pin = " ".join(f"--config {key}=VALUE" for key in open_ones)
    lines = [f"none of {len(tried)} configurations passes; if the RTL has another, pin it: {pin}"]
    for number, row in enumerate(rows):
        taken = "reported here: " if number == 0 else ""
        lines.append(f"  {taken}{report.config_text(row['config'])}: {_went(row)}")
    more = len(tried) - len(rows)
    return lines + ([f"  ... and {more} more"] if more > 0 else [])


def _went(row: Mapping[str, Any]) -> str:
    first = row["first"]
    text = f"{row['verdict']} in cycle {first['cycle']}" if "cycle" in first else row["verdict"]
    text += f" of seed {first['seed']}" if "seed" in first else ""
    text += f" at {first['port']}" if "port" in first else ""
    ports = row.get("differing_ports")
    return f"{text}, {ports} ports ever differ" if ports is not None else text


def _of_the_default(subject: Subject) -> list[str]:
    """A PASS with other values than the defaults, where these are possible and fail: it may be a
    fault that looks like another parameter."""
    table, chosen = subject.found.table, subject.chosen
    usual = next((t for t in subject.trials if t.config == subject.found.config), None)
    if usual is None or usual is chosen or not usual.failed or not chosen.passed:
        return []
    keys = table.settings_of(
        item.name
        for item in subject.open
        if chosen.config[item.name] != item.value == table.params[item.name].default
    )
    if not keys:
        return []
    before, after = subject.found.shown(usual.config), subject.found.shown(chosen.config)
    was, now, pin = (
        " ".join(f"{word}{key}={shown[key]}" for key in keys)
        for word, shown in (("", before), ("", after), ("--config ", before))
    )
    where = _went({"verdict": usual.verdict, "first": usual.first})
    return [f"THE DEFAULT {was} FAILS ({where}), {now} passes; if the default is meant: {pin}"]


def doubts(subject: Subject) -> str:
    """A line to stand above the report of a failure: parameters that may be the reason."""
    if not subject.unsettled:
        return ""
    searched = any(t.searched for t in subject.trials)
    effort = "; a search along single parameters found nothing that passes" if searched else ""
    hint = "if the RTL has other values, give them with --config KEY=VALUE before reading on"
    return f"{_unsettled_words(subject)}{effort}\n  {hint}\n"


def _unsettled_words(subject: Subject) -> str:
    table, config = subject.found.table, subject.chosen.config
    values = [
        f"{p.name}={param.show(config[p.name])} of {span(param, p.possible)}"
        for p in subject.unsettled
        if not (param := table.params[p.name]).list_of
    ]
    names = {p.name for p in subject.unsettled}
    for each in table.lists.values():
        if items := each.items_of(names):
            shown = each.show(config, subject.found.unknown)
            values.append(f"{' and '.join(items)} in {each.name}={shown}")
    return f"only defaults, no port shows them: {', '.join(values)}"


def _passing_too(subject: Subject, name: str, group: Sequence[Subject]) -> list[int]:
    """Other values of a parameter with which this subject passes, and its relatives would."""
    relatives = [s for s in group if name in s.varied and s.pass_with(name)]
    others = subject.pass_with(name) - {subject.chosen.config[name]}
    return sorted(v for v in others if all(v in s.pass_with(name) for s in relatives))


def _note(subject: Subject, item: ParamValue, group: Sequence[Subject]) -> str:
    """'' where no note is needed: the first value was right, and no other."""
    param, start = subject.found.table.params[item.name], subject.trials[0]
    if param.list_of:
        return ""
    value, before = subject.chosen.config[item.name], start.config[item.name]
    among = f"{item.name}={param.show(value)} was taken of {span(param, item.possible)}"
    pin = f"pin it with --config {item.name}={param.show(value)}"
    fails = f"{param.show(before)} fails in cycle {start.reach}"
    if others := _passing_too(subject, item.name, group):
        return f"{among} ({1 + len(others)} of them pass: this run does not decide); {pin}"
    if value == before:
        return ""
    if subject.chosen.searched:
        return f"{among} by a search along single parameters ({fails}); {pin}"
    return f"{among} by the behaviour, not by the ports ({fails}); {pin}"
