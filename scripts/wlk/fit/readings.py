# SPDX-License-Identifier: Apache-2.0
"""What is said of parameters that the ports leave open: how each was found, what was tried, and the
two readings of RTL that passes only with other values than the first choice."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..base import report
from ..base.errors import Status, WlkError
from ..tables import Param
from .match import Match, ParamValue
from .search import ALWAYS, Subject, Trial

LISTED = 16  # configurations that are listed where none passes


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


def verdict(status: Status, subject: Subject | None, accept: bool) -> Status:
    """The verdict of a run: a PASS of the second of two readings is AMBIGUOUS, unless the user
    accepts what was inferred."""
    ambiguous = subject is not None and subject.readings and not accept
    return Status.AMBIGUOUS if status == Status.OK and ambiguous else status


def rests_on(found: Mapping[str, int | str]) -> str:
    """The notes on a PASS that rests on values that no port shows."""
    text = report.config_text(found)
    return f"the PASS rests on {text}, which no port shows; pin it with {_pin(found)}"


def _pin(config: Mapping[str, Any]) -> str:
    """The options that give these values."""
    return " ".join(f"--config {key}={value}" for key, value in config.items())


def ambiguous(subject: Subject) -> list[str]:
    """The two readings for a person, side by side, with the options that pin each."""
    if not subject.readings:
        return []
    rows = as_json(subject)["readings"]
    width = max(len(report.config_text(row["config"])) for row in rows)
    lines = ["two readings of this RTL; no port shows which one is meant:"]
    for number, row in enumerate(rows):
        what = " (default)" if number == 0 and _is_default(subject) else ""
        text = report.config_text(row["config"])
        lines.append(f"  {text:{width}}  {_went(row)}{what}; pin it with {_pin(row['config'])}")
    return [*lines, "  --accept-inferred takes the second one"]


def accepted(subject: Subject | None) -> list[str]:
    """The note on a second reading that is taken."""
    if subject is None or not subject.readings:
        return []
    first, second = as_json(subject)["readings"]
    tried = f"{report.config_text(first['config'])} fails: {_went(first)}"
    text = f"{report.config_text(second['config'])} is inferred ({tried})"
    return [f"{text}; pin it with {_pin(second['config'])}"]


def _is_default(subject: Subject) -> bool:
    """Has the first reading the defaults, where the two differ?"""
    one, other = (trial.config for trial in subject.readings)
    params = [item for item in subject.open if one[item.name] != other[item.name]]
    return all(item.how == "default" and one[item.name] == item.value for item in params)


def require_accepted(name: str, subject: Subject, accept: bool) -> None:
    """AMBIGUOUS where a file cannot be made of the second of two readings without a word."""
    if subject.readings and not accept:
        head, *rows = (line.strip() for line in ambiguous(subject))
        raise WlkError(Status.AMBIGUOUS, f"{name}: {head} {', or '.join(rows)}")


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
    if subject.readings:
        return []
    if not subject.chosen.passed and subject.chosen.failed and subject.varied:
        return failing(subject)
    settled = [item for item in subject.open if item not in subject.unsettled]
    lines = [_note(subject, item, group) for item in settled]
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
    return [_row(subject, trial, keys) for trial in fair[:LISTED]]


def as_json(subject: Subject) -> dict[str, Any]:
    """The keys of a JSON object: what no port shows, what was tried where nothing passes, and the
    two readings where the first choice fails."""
    found: dict[str, Any] = {"inferred_behaviour": inferred(subject)}
    found |= {} if subject.chosen.passed else {"candidates": listed(subject)}
    if subject.readings:
        keys = _differing(subject)
        found["readings"] = [_row(subject, each, keys) for each in subject.readings]
    return found


def _differing(subject: Subject) -> list[str]:
    """The settings in which two readings differ."""
    one, other = (subject.found.shown(each.config) for each in subject.readings)
    return [key for key in one if one[key] != other[key]]


def _row(subject: Subject, trial: Trial, keys: Iterable[str]) -> dict[str, Any]:
    """A configuration that was tried, and how it went."""
    shown = subject.found.shown(trial.config)
    row = {"config": {key: shown[key] for key in keys}, "verdict": trial.verdict}
    row["first"] = {k: trial.first[k] for k in ("seed", "cycle", "port") if k in trial.first}
    return row | ({"differing_ports": trial.wrong} if trial.wrong is not None else {})


def failing(subject: Subject) -> list[str]:
    """The same for a person, with the advice to pin."""
    tried = [t for t in subject.trials if not t.passed]
    rows = listed(subject)
    open_ones = subject.found.table.settings_of({p.name for p in subject.open})
    pin = _pin(dict.fromkeys(open_ones, "VALUE"))
    lines = [f"none of {len(tried)} configurations passes; if the RTL has another, pin it: {pin}"]
    for number, row in enumerate(rows):
        taken = "reported here: " if number == 0 else ""
        lines.append(f"  {taken}{report.config_text(row['config'])}: {_went(row)}")
    more = len(tried) - len(rows)
    return lines + ([f"  ... and {more} more"] if more > 0 else [])


def _went(row: Mapping[str, Any]) -> str:
    if row["verdict"] == "PASS":
        return "PASS"
    first = row["first"]
    text = f"{row['verdict']} in cycle {first['cycle']}" if "cycle" in first else row["verdict"]
    text += f" of seed {first['seed']}" if "seed" in first else ""
    text += f" at {first['port']}" if "port" in first else ""
    ports = row.get("differing_ports")
    return f"{text}, {ports} ports ever differ" if ports is not None else text


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
