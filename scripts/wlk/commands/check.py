# SPDX-License-Identifier: Apache-2.0
"""`warplock check`: a waveform of any simulator's run against the model, no rebuild.

The tool `wlk-check` opens the dump once: it tells what is in it, this module finds the scopes
that fit a block's table, and the tool runs all of them in one pass. Where the ports leave open a
parameter that a rule reads, the pass tries several configurations of a scope; further passes
follow when none of them is right. A block and the blocks inside it are the same hardware: what the
ports of one tell holds for all.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import itertools
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import tables
from ..base import options, report
from ..base.errors import Status, WlkError
from ..fit import match, rivals, search
from ..fit.search import Subject, Trial
from ..fit.wave import TOOL, Answer, Passes, Scope
from ..gen.sv import HARNESS_CLOCK
from ..run import build
from ..tables import Table

EXAMPLE = """warplock check run.fst
warplock check ../shared/traces
warplock check run.vcd --block collector --scope TOP.Core.collector --config coll_entries=2"""
FEW = 3  # times as often as it is sampled the ports of a block without a clock may change
PACKED = {  # first bytes -> what unpacks it
    b"\x1f\x8b": "gunzip -k",
    b"\xfd7zXZ": "unxz -k",
    b"\x28\xb5\x2f\xfd": "unzstd",
    b"BZh": "bunzip2 -k",
}


def add(subparsers: Any) -> None:
    """Add the subcommand's parser."""
    summary = "check a VCD or FST of any simulator's run against the model"
    parser = options.add_parser(subparsers, "check", summary, EXAMPLE)
    parser.add_argument(
        "dump",
        metavar="DUMP",
        help="the waveform, VCD or FST; or a folder of recordings, CSV among them",
    )
    parser.add_argument(
        "--block", action="append", metavar="B", help="only this block; may be repeated"
    )
    parser.add_argument(
        "--scope",
        action="append",
        metavar="PATH",
        help="the scope that holds the ports; may be repeated (default: all that fit)",
    )
    parser.add_argument(
        "--clock", metavar="PATH", help="the clock (default: in the scope, else around it)"
    )
    options.add_settings(
        parser, "a parameter of the spec, for every block that has it; may be repeated"
    )
    parser.add_argument(
        "--power-up",
        choices=("unknown", "zero"),
        default="unknown",
        help="what no reset reaches: unknown (default), or zero, which needs no reset",
    )
    options.add_tie(parser)
    parser.add_argument("--strict", action="store_true", help=options.STRICT)


def refuse(args: argparse.Namespace) -> None:
    """Options of one dump with a folder of them."""
    for option in ("block", "scope", "clock", "config", "tie"):
        if getattr(args, option) and Path(args.dump).is_dir():
            message = f"--{option} goes with one dump, and {args.dump} is a folder"
            hint = "a file NAME.toml beside NAME.fst says parameters"
            raise WlkError(Status.USAGE, f"{message}; {hint}")


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    vcd = any(Path(args.dump).rglob("*.vcd")) or _is_vcd(args.dump)
    return ("build", "vcd") if vcd else ("build",)


def run(args: argparse.Namespace) -> int:
    """Check; the exit code is that of the worst verdict."""
    if Path(args.dump).is_dir():
        return _folder(args)
    blocks = [tables.load(name) for name in dict.fromkeys(args.block or tables.names())]
    checked = check(args, blocks)
    _show(checked, args)
    code = report.exit_code([c.result() for c in checked])
    if args.strict and code == Status.OK:
        search.require_pinned(
            (c.target.scope.path, True, c.answer.get("inferred_behaviour", {})) for c in checked
        )
    return int(code)


def _folder(args: argparse.Namespace) -> int:
    """Every recording in a folder."""
    from ..run import recordings

    args.recordings = Path(args.dump)
    results = recordings.check_all(args)
    if not results:
        message = f"{args.dump}: no recording of a block in it (NAME.fst, NAME.vcd, NAME.csv[.xz])"
        raise WlkError(Status.VACUOUS, message)
    return int(report.exit_code(results))


def check(args: argparse.Namespace, blocks: Sequence[Table]) -> list[Checked]:
    """Check every scope asked for, or every one that fits one of `blocks`."""
    _refuse_packed(args.dump)
    given = dict(args.config)
    _check_given(blocks, given)
    with Passes(build.meson_build() / "dpi" / TOOL, args.dump) as passes:
        found = Finder(passes.scopes(), blocks, given, args).targets()
        groups = _groups([target for target in found if target.match.ok])
        _explore(passes, groups, args.power_up)
        checked = [
            _checked(target, [other.subject for other in group])
            for group in groups
            for target in group
        ]
    checked.sort(key=lambda c: next(n for n, t in enumerate(found) if t is c.target))
    checked = _likeliest(checked)
    return checked + [_refused(t) for t in found if not t.match.ok]


def _explore(passes: Passes, groups: Sequence[Sequence[Target]], power_up: str) -> None:
    """Try each target, as many passes as it takes."""
    owners = {id(target.subject): target for group in groups for target in group}

    def ask(wanted: Sequence[tuple[Subject, Trial]]) -> Sequence[Answer]:
        return passes.run([owners[id(subject)].words(trial, power_up) for subject, trial in wanted])

    def run(wanted: Sequence[tuple[Subject, Trial]]) -> None:
        answers = ask(wanted)
        if _drop_idle_clocks([owners[id(subject)] for subject, _ in wanted], answers):
            answers = ask(wanted)
        for (subject, trial), answer in zip(wanted, answers, strict=True):
            trial.note(answer.item, alone=subject.found.table.clock is None)
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


def _is_vcd(dump: str) -> bool:
    """A text that starts like a VCD, which a program of its own turns into FST."""
    with contextlib.suppress(OSError), open(dump, "rb") as file:
        return file.read(1).strip() in (b"", b"$")
    return False


def _refuse_packed(dump: str) -> None:
    with contextlib.suppress(OSError), open(dump, "rb") as file:
        head = file.read(8)
        for magic, command in PACKED.items():
            if head.startswith(magic):
                unpack = f"unpack it first ({command} {shlex.quote(dump)})"
                raise WlkError(Status.CORRUPT, f"{dump}: this is a compressed file; {unpack}")


def _check_given(blocks: Sequence[Table], given: Mapping[str, str]) -> None:
    """Every key belongs to a block, and its value is legal there."""
    for key, value in given.items():
        owners = [table for table in blocks if table.knows(key)]
        if not owners:
            names = ", ".join(dict.fromkeys(p for table in blocks for p in table.settings()))
            which = ", ".join(table.name for table in blocks)
            message = f"config: no block ({which}) has a parameter '{key}'; there are {names}"
            raise WlkError(Status.BAD_CONFIG, message)
        for table in (table for table in owners if key in table.params):
            table.config({key: value})


@dataclass
class Target:
    """A scope to check as an instance of a block."""

    table: Table
    scope: Scope
    match: match.Match
    clock: str | None = None  # none: each time at which a port changes is a sample
    clock_is_optional: bool = False
    subject: Subject | None = None

    def handles(self) -> dict[str, int]:
        return {name: self.scope.signals[name][1] for name in self.match.present}

    def inputs(self) -> dict[str, int]:
        ports = self.match.table.ports(self.match.config)
        inputs = {p.name for p in ports if p.direction == "in"}
        return {name: handle for name, handle in self.handles().items() if name in inputs}

    def words(self, trial: Trial, power_up: str) -> list[str]:
        """An instance as the tool takes it."""
        words = [f"block={self.table.name}", f"scope={self.scope.path}", f"power_up={power_up}"]
        words += [f"clock={self.clock}"] if self.clock else []
        words += [f"tie={place}" for place in match.tie_places(self.match)]
        return words + self.match.table.words(trial.config)


# ---- which scopes, which clock, which parameters ------------------------------------------------


class Finder:
    """Finds what to check."""

    def __init__(
        self,
        scopes: Sequence[Scope],
        blocks: Sequence[Table],
        given: Mapping[str, str],
        args: argparse.Namespace,
    ) -> None:
        self.scopes = {scope.path: scope for scope in scopes}
        self.blocks = blocks
        self.given = given
        self.args = args

    def targets(self) -> list[Target]:
        """The instances to check, clocks and possible configurations included."""
        found = self._named() if self.args.scope else self._all()
        match.require_ties(dict(self.args.tie), [t.match for t in found], self.args.dump)
        for target in found:
            if target.match.ok:
                target.clock_is_optional = target.table.clock is None and self.args.clock is None
                target.clock = self._clock(target)
                target.subject = self._subject(target)
        return found

    def _match(
        self, table: Table, scope: Scope, given: bool = True, told: Sequence[match.Told] = ()
    ) -> match.Match:
        """Without the clock, which may be in a scope around this one."""
        mine = {k: v for k, v in self.given.items() if given and table.knows(k)}
        ties = dict(self.args.tie)
        return match.match(table, scope.shapes, mine, clock=False, told=told, ties=ties)

    def _subject(self, target: Target) -> Subject:
        """BAD_CONFIG when no configuration that the ports and the user leave is legal."""
        if not search.first(target.match):
            why = target.table.refusal(target.match.config)
            where = f"{self.args.dump}: scope {target.scope.path}"
            raise WlkError(Status.BAD_CONFIG, f"{where}: config: {why}")
        return Subject(target.match, target.scope.path)

    def _named(self) -> list[Target]:
        """The scopes of the command line; each must fit a block."""
        found = []
        for path in dict.fromkeys(self.args.scope):
            if path not in self.scopes:
                near = _near(path, self.scopes)
                raise WlkError(Status.NO_SCOPE, f"{self.args.dump}: no scope {path}{near}")
            scope = self.scopes[path]
            tried = [Target(table, scope, self._match(table, scope)) for table in self.blocks]
            fitting = [target for target in tried if target.match.ok]
            if not fitting:
                raise self._refuse(max(tried, key=_likeness))
            found += fitting
        found = _by_name(found)
        self._share(found)
        return found

    def _all(self) -> list[Target]:
        """Every scope that fits a block, and those that have the names but do not fit."""
        found, odd = [], []
        for scope, table in itertools.product(self.scopes.values(), self.blocks):
            if not match.may_fit(table, {*scope.signals, *dict(self.args.tie)}, clock=False):
                continue
            target = Target(table, scope, self._match(table, scope, given=False))
            (found if target.match.ok else odd).append(target)
        found = _by_name(_without_aliases(found))
        odd = [o for o in _without_aliases(odd) if not any(_related(o, f) for f in found)]
        if not found:
            raise self._none_fits(odd)
        self._share(found)
        return found + odd

    def _share(self, found: Sequence[Target]) -> None:
        """Match again with what the user gave, and with what the scopes of a group tell."""
        groups = _groups(found)
        told = [(target, _told(target, group)) for group in groups for target in group]
        for target, others in told:
            if others or self.given:
                target.match = self._match(target.table, target.scope, told=others)
            if not target.match.ok:
                raise self._refuse(target)

    def _refuse(self, target: Target) -> WlkError:
        """Why a scope cannot be checked; shows the table of differences."""
        found, where = target.match, f"{self.args.dump}: scope {target.scope.path}"
        if not _telling(target) and not found.differences:
            inside = [t.scope.path for t in self._inside(target.scope)]
            hint = f"; {', '.join(inside)} inside it does" if inside else ""
            names = ", ".join(table.name for table in self.blocks)
            message = f"{where} has no port of block {names}{hint}"
            return WlkError(Status.IFACE_CHANGED, message)
        if len(found.differences) + len(found.missing_inputs) > 1:
            print(match.render_differences(found), file=sys.stderr)
        try:
            found.require(where)
        except WlkError as error:
            widths = found.kind == "conflict" and all(
                d.expected.endswith(("bit", "bits", ")")) for d in found.differences
            )
            return WlkError(Status.BAD_WIDTH if widths else error.status, error.message)
        raise AssertionError(where)

    def _inside(self, outer: Scope) -> list[Target]:
        tried = [
            Target(table, scope, self._match(table, scope))
            for scope in self.scopes.values()
            for table in self.blocks
            if scope.is_inside(outer) and match.may_fit(table, scope.signals, clock=False)
        ]
        return [target for target in tried if target.match.ok]

    def _none_fits(self, odd: Sequence[Target]) -> WlkError:
        names = ", ".join(table.name for table in self.blocks)
        head = f"{self.args.dump}: no scope fits a block ({names})"
        near = list(odd) or self._best_guess()
        reasons = [_reason(target) for target in near[:3]]
        tail = f"; nearest: {'; '.join(reasons)}" if reasons else "; none has a port of these"
        return WlkError(Status.NO_SCOPE, f"{head}{tail}")

    def _best_guess(self) -> list[Target]:
        """The scope with the most port names of a block."""
        best, most = None, 0
        for scope, table in itertools.product(self.scopes.values(), self.blocks):
            ports = {p.name for p in table.ports(table.defaults())} - {table.reset}
            common = len(ports & scope.signals.keys())
            if common >= max(most, 1):
                best, most = (table, scope), common
        return [Target(*best, self._match(*best))] if best else []

    def _clock(self, target: Target) -> str | None:
        # The harness drives the ports of a block without a clock at random, also one of that name.
        names = [target.table.clock] if target.table.clock else [HARNESS_CLOCK, match.SAMPLER]
        name = names[-1]
        paths = {s.signal_path(leaf) for s in self.scopes.values() for leaf in s.signals}
        if self.args.clock is not None:
            if self.args.clock in paths:
                return self.args.clock
            near = _near(self.args.clock, paths)
            raise WlkError(Status.NO_CLOCK, f"{self.args.dump}: no signal {self.args.clock}{near}")
        for each, scope in itertools.product(names, target.scope.around()):
            if each in scope.signals:
                return scope.signal_path(each)
        if target.clock_is_optional:
            return None
        likely = sorted(p for p in paths if any(w in p.lower() for w in ("clk", "clock", "ck")))
        hint = f"; perhaps {', '.join(likely[:3])}" if likely else ""
        raise WlkError(
            Status.NO_CLOCK,
            f"{self.args.dump}: neither scope {target.scope.path} nor one around it has a signal "
            f"{name}; give --clock PATH{hint}",
        )


def _likeness(target: Target) -> int:
    return len(_telling(target)) + len(target.match.differences)


def _telling(target: Target) -> list[str]:
    """The ports that are there, without those that no rule reads: a clock is in every scope."""
    ports = target.match.table.ports(target.match.config)
    unread = {p.name for p in ports if p.direction == "in" and not p.read}
    return [name for name in target.match.present if name not in unread]


def _related(a: Target, b: Target) -> bool:
    """One scope in the other, and a signal of theirs is the same."""
    nested = a.scope.is_inside(b.scope) or b.scope.is_inside(a.scope)
    return nested and bool(set(a.handles().values()) & set(b.handles().values()))


def _groups(found: Sequence[Target]) -> list[list[Target]]:
    """Scopes in which a parameter is the same hardware: one, and those inside it.

    Two instances of a block side by side may differ, so that nothing is known of these.
    """
    groups = []
    for outer in found:
        if not any(outer.scope.is_inside(other.scope) for other in found):
            inside = [t for t in found if t.scope.is_inside(outer.scope)]
            twins = any(_are_twins(a, b) for a, b in itertools.combinations(inside, 2))
            groups += [[t] for t in (outer, *inside)] if twins else [[outer, *inside]]
    return groups


def _are_twins(a: Target, b: Target) -> bool:
    nested = a.scope.is_inside(b.scope) or b.scope.is_inside(a.scope)
    return a.table is b.table and not nested


def _told(target: Target, group: Sequence[Target]) -> list[match.Told]:
    """What the other scopes of its group tell about its parameters; the most telling first."""
    told = []
    for other in (t for t in group if t is not target):
        for name in target.table.params.keys() & other.match.params.keys():
            legal = len(other.table.params[name].legal)
            item = other.match.params[name]
            for values, weak in ((item.shown, False), (item.possible, True)):
                if len(values) < legal:
                    told.append(match.Told(name, values, other.scope.path, weak))
    return sorted(told, key=lambda t: (len(t.values), t.scope, t.name))


def _without_aliases(found: Sequence[Target]) -> list[Target]:
    """Of nested scopes that show the pins of one instance the deepest.

    They share the signals of every input; simulators make copies of an outer scope's outputs.
    """
    return [
        a
        for a in found
        if not any(
            b.table is a.table
            and b.scope.is_inside(a.scope)
            and b.inputs().items() <= a.handles().items()
            for b in found
        )
    ]


def _by_name(found: Sequence[Target]) -> list[Target]:
    """Of blocks with equal ports that fit one scope the one whose module it is named after; else
    those that the ports leave a legal configuration."""
    return rivals.likeliest(
        found,
        _are_rivals,
        lambda t: t.scope.path.rpartition(".")[2] == t.table.module,
        lambda t: rivals.is_legal(t.match),
    )


def _are_rivals(a: Target, b: Target) -> bool:
    """Different blocks of which the scope shows the same ports."""
    return a.scope is b.scope and rivals.are_rivals(a.match, b.match)


def _reason(target: Target) -> str:
    try:
        target.match.require(target.scope.path)
    except WlkError as error:
        return error.message
    return target.scope.path


def _near(path: str, known: Sequence[str] | set[str] | Mapping[str, Any]) -> str:
    """; did you mean ...? - by the last part of the path, and by spelling."""
    last = path.rpartition(".")[2]
    same = sorted(k for k in known if k and k.rpartition(".")[2] == last)
    near = [*same, *difflib.get_close_matches(path, list(known), 3)]
    near = list(dict.fromkeys(near))[:3]
    if near:
        return f"; did you mean {' or '.join(near)}?"
    some = sorted(k for k in known if k)[:3]
    return f"; there are {', '.join(some)}{', ...' if len(known) > 4 else ''}" if some else ""


# ---- the answer ---------------------------------------------------------------------------------


@dataclass
class Checked:
    """What is said about one scope."""

    target: Target
    answer: dict[str, Any]
    text: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> Status:
        name = self.answer["verdict"]
        return Status.OK if name == "PASS" else Status[name]

    def result(self) -> report.Result:
        return report.Result(block=self.target.table.name, verdict=self.verdict)


def _checked(target: Target, group: Sequence[Subject]) -> Checked:
    """What the trial that was chosen says."""
    subject = target.subject
    trial, answer = subject.chosen, subject.chosen.answer.item
    told = {p.name: search.how(subject, p, group) for p in target.match.params.values()}
    config = dict(trial.config)
    for name, (value, scope) in search.adopted(subject, group).items():
        config[name] = value
        told[name] = f"behaviour of {scope}"
    answer["config"] = target.match.shown(config)
    answer["inferred"] = target.table.fold(told, config)
    few = _few_samples(target, answer)
    if few:
        answer["verdict"] = report.verdict_name(Status.VACUOUS)
    checked = Checked(target, answer, notes=few)
    answer |= search.said(subject) if subject.open else {}
    if not trial.passed:
        checked.text = search.doubts(subject) + target.table.name_lists(
            trial.answer.text(), answer["config"]
        )
    checked.notes += [f"warning: {text}" for text in target.table.warnings(trial.config)]
    checked.notes += search.notes(subject, group)
    checked.notes += _port_notes(answer)
    return checked


def _few_samples(target: Target, answer: Mapping[str, Any]) -> list[str]:
    """Why a PASS of a block without a clock means little: what samples it leaves out the most."""
    moves, cycles = answer.get("port_changes", 0), answer["cycles"]
    if answer["verdict"] != "PASS" or target.clock is None or moves <= FEW * cycles:
        return []
    what = f"{target.clock} samples {cycles:,} vectors, the ports changed at {moves:,} times"
    return [f"{what}; name what samples them with --clock PATH"]


def _likeliest(checked: Sequence[Checked]) -> list[Checked]:
    """Of blocks with equal ports that fit one scope those that pass; if none does, the one that
    explains most."""
    kept = []
    for one in checked:
        others = [c for c in checked if _are_rivals(c.target, one.target)]
        better = [c for c in others if _rank(c) > _rank(one)]
        kept += [] if better else [one]
        one.notes += [
            f"its ports are those of {c.target.table.name} too, which differs in cycle "
            f"{c.answer['first']['cycle']}"
            for c in others
            if not better and "first" in c.answer
        ]
    return kept


def _rank(checked: Checked) -> tuple[bool, int]:
    return rivals.rank(checked.target.table, checked.answer)


def _port_notes(answer: Mapping[str, Any]) -> list[str]:
    notes = []
    if answer["not_compared"]:
        names = ", ".join(answer["not_compared"])
        notes.append(f"outputs that are not in the dump, not compared: {names}")
    if answer["tied_off"]:
        names = ", ".join(answer["tied_off"])
        notes.append(f"inputs that are not in the dump, which no rule reads: {names}")
    return notes


def _refused(target: Target) -> Checked:
    """A scope with the names of a block that does not fit it, beside others that do."""
    answer = {
        "block": target.table.name,
        "scope": target.scope.path,
        "config": target.match.shown(target.match.config),
        **dict.fromkeys(("cycles", "skipped", "compared_bits", "masked_bits"), 0),
        "verdict": report.verdict_name(Status.IFACE_CHANGED),
        "why": _reason(target),
    }
    text = f"{answer['why']}\n{match.render_differences(target.match)}\n"
    return Checked(target, answer, text)


def _show(checked: Sequence[Checked], args: argparse.Namespace) -> None:
    stream = sys.stderr if args.json else sys.stdout
    names = "block scope config cycles skipped compared masked verdict"
    units = {"compared": "compared [bits]", "masked": "masked [bits]"}
    table = report.Table(*(units.get(name, name) for name in names.split()))
    for c in checked:
        numbers = [c.answer[k] for k in ("cycles", "skipped", "compared_bits", "masked_bits")]
        summary = _not_default(c.target.table, c.answer["config"]) or "default"
        verdict = report.verdict_cell(c.verdict, c.answer.get("inferred_behaviour", {}))
        table.add(c.answer["block"], c.answer["scope"], summary, *numbers, verdict)
    table.print(stream)
    for c in checked:
        if "inferred" in c.answer:
            print(f"{c.target.scope.path}: {_config_line(c)}", file=stream)
        for note in c.notes:
            print(f"{c.target.scope.path}: {note}", file=stream)
    for c in checked:
        if c.text:
            print(f"\n{c.text.rstrip()}\n  repeat: {_repeat(c, args)}", file=stream)
    for c in checked if args.json else ():
        report.json_line(c.answer)


def _not_default(table: Table, config: Mapping[str, Any]) -> str:
    defaults = table.show(table.defaults())
    return report.config_text({k: v for k, v in config.items() if v != defaults[k]})


def _config_line(checked: Checked) -> str:
    """The whole configuration, by how the values were found."""
    groups: dict[str, list[str]] = {}
    for name, how in checked.answer["inferred"].items():
        groups.setdefault(how, []).append(f"{name}={checked.answer['config'][name]}")
    return "; ".join(f"{how}: {' '.join(values)}" for how, values in groups.items())


def _repeat(checked: Checked, args: argparse.Namespace) -> str:
    """The command that checks this scope alone in this configuration."""
    target = checked.target
    words = ["scripts/warplock", "check", args.dump, "--block", target.table.name]
    words += ["--scope", target.scope.path]
    words += ["--clock", args.clock] if args.clock else []
    words += ["--power-up", args.power_up] if args.power_up != "unknown" else []
    for text in search.pinned(target.match, checked.answer["config"]):
        words += ["--config", text]
    return shlex.join(words)
