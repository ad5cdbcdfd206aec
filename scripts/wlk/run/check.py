# SPDX-License-Identifier: Apache-2.0
"""Check a waveform against the model.

The tool `wlk-check` opens the dump once: it lists what is in it, fit/scopes.py finds the scopes
that are instances of a block, and the tool runs all of them in one pass. Where the ports leave open
a parameter that a rule reads, the pass tries several configurations of a scope; further passes
follow when none of them is right.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .. import tables
from ..base import report
from ..base.entries import Entry
from ..base.errors import Status, WlkError
from ..base.installed import COMMAND
from ..fit import match, portmap, readings, rivals, scopes, search, waivers
from ..fit.portmap import PortMap
from ..fit.scopes import Check, Target
from ..fit.search import Subject, Trial
from ..fit.wave import TOOL, Answer, Passes
from ..tables import Table
from ..tables.files import map_path
from . import build, covered, failures
from .cover_store import Run

RACE = (
    "RTL that is early: the testbench may race with the clock, by inputs that change in the time "
    "step of the edge before the RTL takes them (docs/attaching.md)"
)
LACKING = {
    "not_compared": "outputs that are not in the dump, not compared",
    "tied_off": "inputs that are not in the dump, which no rule reads",
}
MUCH = 0.1  # masked, of all output bits
FEW = 3  # times as often as it is sampled the ports of a block without a clock may change


def run(wanted: Check) -> int:
    """Check and show; the exit code is that of the worst verdict."""
    checked: list[Checked] = []
    refused: list[WlkError] = []
    for part, blocks, told in parts(wanted):
        try:
            checked += check(part, blocks, told)
        except WlkError as error:
            refused.append(error)
            if error.status not in (Status.NO_SCOPE, Status.IFACE_CHANGED):
                raise
    if not checked:
        raise refused[0]
    _show(checked, wanted)
    wanted.entries += [c.entry(wanted) for c in checked]
    lost = _cover(checked, wanted)
    code = wanted.judge_waivers(report.exit_code(checked), wanted.entries, as_json=wanted.json)
    code = code or lost
    if wanted.strict and code == Status.OK:
        readings.require_pinned(
            (c.target.scope.path, True, c.answer.get("inferred_behaviour", {})) for c in checked
        )
    return int(code)


def _cover(checked: Sequence[Checked], wanted: Check) -> Status:
    """Add what was covered to the database that was asked for."""
    if wanted.cover is None:
        return Status.OK
    digest = covered.file_digest([Path(wanted.dump)])
    lost = covered.Lost()
    for c in (c for c in checked if c.target.subject is not None):
        scope = c.target.scope.path
        source = shlex.join([wanted.dump, "--scope", scope])
        run = Run("check", f"{digest} {scope}", 0, 0, wanted.start, module=scope, source=source)
        config = c.target.subject.chosen.config
        answer = c.answer | {"tied": c.target.match.tied}
        lost.add(wanted.cover, c.target.table, config, answer, run)
    return lost.told()


def parts(wanted: Check) -> Iterator[tuple[Check, list[Table], PortMap | None]]:
    """What to look for in turn: blocks by their own names, then each that has a port map."""
    told = wanted.port_map()
    if told is not None:
        part = wanted.with_map(told)
        yield part, [tables.load(name) for name in part.block], told
        return
    blocks = [tables.load(name) for name in dict.fromkeys(wanted.block or tables.names())]
    maps = {table.name: map_path(table.name) for table in blocks}
    plain = [table for table in blocks if maps[table.name] is None]
    if plain:
        yield wanted, plain, None
    for table in (table for table in blocks if maps[table.name] is not None):
        told = portmap.read(maps[table.name])
        yield replace(wanted, block=[table.name]).with_map(told), [table], told


def check(wanted: Check, blocks: Sequence[Table], told: PortMap | None = None) -> list[Checked]:
    """Check every scope asked for, or every one that fits one of `blocks`."""
    scopes.require_known(blocks, wanted.config)
    with Passes(build.brought_up() / "dpi" / TOOL, wanted.dump) as passes:
        found = scopes.Finder(passes.scopes(), blocks, wanted, told).targets()
        good = [target for target in found if target.match.ok]
        wanted.waivers.require((target.match.table, target.match.config) for target in good)
        groups = scopes.groups(good)
        _explore(passes, groups, wanted)
        checked = [
            _checked(target, [other.subject for other in group], wanted.accept_inferred)
            for group in groups
            for target in group
        ]
        if not wanted.from_unknown and wanted.power_up == "unknown":
            for one in checked:
                _try_zero(one, passes)
    checked.sort(key=lambda c: next(n for n, t in enumerate(found) if t is c.target))
    checked = _likeliest(checked)
    for one in checked:
        _note_waived(one, wanted)
        if wanted.from_unknown:
            one.notes += _known(one)
        elif "gaps" in one.answer:
            one.notes.append(_gap(one))
        elif one.verdict == Status.NO_RESET:
            one.notes.append("of a dump without its reset --from-unknown learns the state")
    return checked + [_refused(t) for t in found if not t.match.ok]


def _explore(passes: Passes, groups: Sequence[Sequence[Target]], asked: Check) -> None:
    """Try each target, as many passes as it takes."""
    owners = {id(target.subject): target for group in groups for target in group}

    def words(target: Target, trial: Trial) -> list[str]:
        known = asked.waivers.words([(target.match.table, trial.config)])
        return target.words(trial, asked.start) + known

    def ask(wanted: Sequence[tuple[Subject, Trial]]) -> Sequence[Answer]:
        return passes.run([words(owners[id(subject)], trial) for subject, trial in wanted])

    def run(wanted: Sequence[tuple[Subject, Trial]]) -> None:
        answers = ask(wanted)
        if _drop_idle_clocks([owners[id(subject)] for subject, _ in wanted], answers):
            answers = ask(wanted)
        for (subject, trial), answer in zip(wanted, answers, strict=True):
            trial.note([answer.item], alone=subject.found.table.clock is None)
            trial.answer = answer

    search.explore([[target.subject for target in group] for group in groups], run)


def _drop_idle_clocks(targets: Sequence[Target], answers: Sequence[Answer]) -> bool:
    """Do without a clock that never rises where the block needs none; whether there was one."""
    idle = [
        target
        for target, answer in zip(targets, answers, strict=True)
        if target.clock_is_optional and target.clock is not None and answer.item["cycles"] == 0
    ]
    for target in idle:
        target.clock = None
    return bool(idle)


# ---- the answer ---------------------------------------------------------------------------------


@dataclass
class Checked:
    """The answer for one scope."""

    target: Target
    answer: dict[str, Any]
    text: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> Status:
        return report.verdict_of(self.answer["verdict"])

    def entry(self, wanted: Check) -> Entry:
        """As others see it."""
        repeat = _repeat(self, wanted) if self.text else ""
        return Entry(self.answer, self.target.scope.path, self.text, repeat, self.notes)


def _checked(target: Target, group: Sequence[Subject], accept: bool) -> Checked:
    """The answer of the trial that was chosen. `accept`: what was inferred."""
    subject = target.subject
    trial, answer = subject.chosen, subject.chosen.answer.item
    origins = {p.name: readings.how(subject, p, group) for p in target.match.params.values()}
    config = dict(trial.config)
    for name, (value, scope) in readings.adopted(subject, group).items():
        config[name] = value
        origins[name] = f"behaviour of {scope}"
    unbound = target.unbound(trial.config)
    answer |= match.compared(target.match.table, trial.config, unbound["not_compared"])
    answer["tied_off"] = unbound["tied_off"]
    answer["config"] = target.match.shown(config)
    if target.table.guesses:
        answer["guesses"] = [each._asdict() for each in target.table.guesses]
    answer["inferred"] = target.table.fold(origins, config)
    few = _few_samples(target, answer)
    if few:
        answer["verdict"] = report.verdict_name(Status.VACUOUS)
    checked = Checked(target, answer, notes=few)
    answer |= readings.as_json(subject) if subject.open else {}
    if not trial.passed:
        named = target.table.name_lists(trial.answer.report, answer["config"])
        checked.text = readings.doubts(subject) + named
    before = checked.verdict
    answer["verdict"] = report.verdict_name(readings.verdict(before, subject, accept))
    if checked.verdict != before:
        checked.text = "\n".join(
            [f"{target.table.name} {target.scope.path}: AMBIGUOUS", *readings.ambiguous(subject)]
        )
    elif trial.passed:
        checked.notes += readings.accepted(subject)
    checked.notes += [f"warning: {text}" for text in target.table.warnings(trial.config)]
    checked.notes += readings.notes(subject, group)
    if any(shifted["most_late"] < 0 for shifted in answer.get("timing", ())):
        checked.notes.append(RACE)
    for key, what in LACKING.items():
        checked.notes += [f"{what}: {', '.join(answer[key])}"] if answer[key] else []
    checked.notes += report.partly_compared(answer)
    return checked


def _few_samples(target: Target, answer: Mapping[str, Any]) -> list[str]:
    """Why a PASS of a block without a clock means little: what samples it leaves out the most."""
    moves, cycles = answer.get("port_changes", 0), answer["cycles"]
    if answer["verdict"] != "PASS" or target.clock is None or moves <= FEW * cycles:
        return []
    what = f"{target.clock} samples {cycles:,} vectors, the ports changed at {moves:,} times"
    return [f"{what}; name what samples them with --clock PATH"]


def _note_waived(checked: Checked, wanted: Check) -> None:
    """What waivers have masked; joins the answer."""
    target, config = checked.target, checked.target.subject.chosen.config
    checked.answer |= wanted.waivers.shown(checked.answer)
    hits, subjects = checked.answer.get("waived"), [(target.match.table, config)]
    wanted.waivers.note(checked.verdict, subjects, hits)
    checked.notes += waivers.lines(checked.answer)


def _known(checked: Checked) -> list[str]:
    """From which cycle on how much was compared of a dump without its reset; joins the answer."""
    answer = checked.answer
    if "from_unknown" not in answer:
        why = f"what {answer['block']} holds is not derived from its ports: it waits for a reset"
        answer["from_unknown"] = {"refused": why}
        return [f"--from-unknown: {why}"]
    known = answer["from_unknown"]
    compared, total = known.pop("compared_bits", 0), known.pop("output_bits", 0)
    open_still = ", ".join(f"{name} ({n})" for name, n in known["unknown"].items())
    notes = [f"unknown at the end, by element: {open_still}"] if open_still else []
    if known["forgotten"]:
        why = "cycles are missing, or too much is possible"
        notes.append(f"what was known was lost {known['forgotten']:,} times: {why}")
    if total:
        known["share"] = round(compared / total, 4)
        share = f"{100 * compared / total:.1f} % of the output bits compared"
        notes.insert(0, f"known from cycle {known['known_from']:,} on: {share} from there")
    return notes


def _gap(checked: Checked) -> str:
    """Cycles are missing where the clock is x, as it is while a dump is off."""
    gaps = checked.answer["gaps"]
    times = "" if gaps["count"] == 1 else f", {gaps['count']:,} times in all"
    where = f"the clock {checked.target.clock} is x from time {gaps['first_time']} on{times}"
    return f"{where}: cycles are missing there; --from-unknown learns the state after them"


def _try_zero(checked: Checked, passes: Passes) -> None:
    """Where much is masked: does the dump also pass from an initial state of zeros, and with less
    masked? Joins the answer."""
    answer, target = checked.answer, checked.target
    masked = answer["masked_bits"]
    bits = masked + answer["compared_bits"]
    if checked.verdict != Status.OK or masked <= MUCH * bits:
        return
    (again,) = passes.run([target.words(target.subject.chosen, "zero")])
    then = again.item["masked_bits"]
    if again.item["verdict"] == "PASS" and 2 * then < masked:
        answer["masked_bits_from_zero"] = then
        checked.notes.append(masked_from_zero(bits, masked, then))


def masked_from_zero(bits: int, masked: int, then: int) -> str:
    """What another initial state would compare."""
    why = (
        f"{100 * masked / bits:.0f} % of the output bits are masked, since no reset sets the state"
    )
    return (
        f"{why} that they show; with --power-up zero the dump passes too, and "
        f"{100 * then / bits:.0f} % are masked"
    )


def _likeliest(checked: Sequence[Checked]) -> list[Checked]:
    """Of blocks with equal ports that fit one scope those that pass; if none does, the one that
    explains most."""
    compete = lambda a, b: scopes.are_rivals(a.target, b.target)  # noqa: E731
    kept = rivals.best(checked, compete, lambda c: rivals.rank(c.target.table, c.answer))
    for one in kept:
        one.notes += [
            f"its ports are those of {c.target.table.name} too, which differs in cycle "
            f"{c.answer['first']['cycle']}"
            for c in checked
            if compete(c, one) and "first" in c.answer
        ]
    return kept


def _refused(target: Target) -> Checked:
    """A scope with the names of a block that does not fit it, beside others that do."""
    answer = {
        "block": target.table.name,
        "scope": target.scope.path,
        "config": target.match.shown(target.match.config),
        **dict.fromkeys(("cycles", "skipped", "compared_bits", "masked_bits"), 0),
        "verdict": report.verdict_name(Status.IFACE_CHANGED),
        "why": target.match.refusal(target.scope.path).message,
    }
    text = f"{answer['why']}\n{match.render_differences(target.match)}\n"
    return Checked(target, answer, text)


def _show(checked: Sequence[Checked], wanted: Check) -> None:
    stream = sys.stderr if wanted.json else sys.stdout
    names = "block scope config cycles skipped compared masked verdict"
    units = {"compared": "compared [bits]", "masked": "masked [bits]"}
    table = report.Table(*(units.get(name, name) for name in names.split()))
    for c in checked:
        numbers = [c.answer[k] for k in ("cycles", "skipped", "compared_bits", "masked_bits")]
        usual = c.target.table.show(c.target.table.defaults()).items()
        changed = {k: v for k, v in c.answer["config"].items() if (k, v) not in usual}
        summary = report.config_text(changed) or "default"
        verdict = report.verdict_cell(c.verdict, c.answer)
        table.add(c.answer["block"], c.answer["scope"], summary, *numbers, verdict)
    table.print(stream)
    for c in checked:
        if "inferred" in c.answer:
            print(f"{c.target.scope.path}: {_config_line(c)}", file=stream)
        for note in c.notes:
            print(f"{c.target.scope.path}: {note}", file=stream)
    for c in checked:
        if c.text:
            print(f"\n{c.text.rstrip()}\n  repeat: {_repeat(c, wanted)}", file=stream)
    for c in checked if wanted.json else ():
        report.json_line(c.answer)


def _config_line(checked: Checked) -> str:
    """The whole configuration, by how the values were found."""
    groups: dict[str, list[str]] = {}
    for name, how in checked.answer["inferred"].items():
        groups.setdefault(how, []).append(f"{name}={checked.answer['config'][name]}")
    return "; ".join(f"{how}: {' '.join(values)}" for how, values in groups.items())


def _repeat(checked: Checked, wanted: Check) -> str:
    """The command that checks this scope alone in this configuration."""
    target = checked.target
    words = [COMMAND, "check", wanted.dump, "--block", target.table.name]
    words += failures.own_folder(target.table.name)
    words += ["--scope", target.scope.path]
    words += ["--clock", wanted.clock] if wanted.clock else []
    words += ["--map", str(wanted.map)] if wanted.map else []
    words += ["--reset", ":".join(filter(None, wanted.reset))] if wanted.reset else []
    words += ["--prefix", wanted.prefix] if wanted.prefix else []
    words += ["--power-up", wanted.power_up] if wanted.power_up != "unknown" else []
    words += ["--from-unknown"] if wanted.from_unknown else []
    words += wanted.waive_again()
    for text in readings.pinned(target.match, checked.answer["config"]):
        words += ["--config", text]
    return shlex.join(words)
