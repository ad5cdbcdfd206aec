# SPDX-License-Identifier: Apache-2.0
"""`warplock check`: a waveform of any simulator's run against the model, no rebuild.

The tool `wlk-check` opens the dump once: it tells what is in it, this module finds the scopes
that fit a block's table, and the tool runs all of them in one pass. A parameter that the ports
leave open and that the block shows in its behaviour gets one instance a possible value.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import itertools
import json
import math
import queue
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from . import build, match, options, progress, report, tables
from .errors import Status, WlkError
from .tables import Config, Table

NEEDS = "run"
EXAMPLE = """warplock check run.fst
warplock check run.vcd --block collector --scope TOP.Core.collector --config coll_entries=2"""
TOOL = "wlk-check"
MAX_HYPOTHESES = 64  # of one scope
MAX_INSTANCES = 256  # of one pass
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
    parser.add_argument("dump", metavar="DUMP", help="the waveform: VCD or FST")
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
    parser.add_argument(
        "--config",
        action="append",
        type=options.key_value,
        default=[],
        metavar="KEY=VALUE",
        help="a parameter of the spec, for every block that has it; may be repeated",
    )
    parser.add_argument(
        "--power-up",
        choices=("unknown", "zero"),
        default="unknown",
        help="what no reset reaches: unknown (default), or zero, which needs no reset",
    )


def run(args: argparse.Namespace) -> int:
    """Check; the exit code is that of the worst verdict."""
    blocks = [tables.load(name) for name in dict.fromkeys(args.block or tables.names())]
    checked = check(args, blocks)
    _show(checked, args)
    return int(report.exit_code([c.result() for c in checked]))


def check(args: argparse.Namespace, blocks: Sequence[Table]) -> list[Checked]:
    """Check every scope asked for, or every one that fits one of `blocks`, in one pass."""
    _refuse_packed(args.dump)
    given = dict(args.config)
    _check_given(blocks, given)
    tool = build.meson_build() / "vectors" / TOOL
    with Session(tool, args.dump) as session, tempfile.TemporaryDirectory() as folder:
        scopes = session.scopes()
        found = Finder(scopes, blocks, given, args).targets()
        answers = enumerate(session.run(_words(found, args.power_up, folder)))
        checked = [
            _choose(target, list(itertools.islice(answers, len(target.hypotheses))), folder)
            for target in found
            if target.match.ok
        ]
    return checked + [_refused(t) for t in found if not t.match.ok]


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
        owners = [table for table in blocks if key in table.params]
        if not owners:
            names = ", ".join(dict.fromkeys(p for table in blocks for p in table.params))
            which = ", ".join(table.name for table in blocks)
            message = f"config: no block ({which}) has a parameter '{key}'; there are {names}"
            raise WlkError(Status.BAD_CONFIG, message)
        for table in owners:
            table.config({key: value})


# ---- what is in the dump ------------------------------------------------------------------------


@dataclass
class Scope:
    """A scope of the dump and its own signals."""

    path: str
    parent: Scope | None
    signals: dict[str, tuple[int, int]]
    """name -> width, handle; signals with one handle are one signal"""

    @property
    def shapes(self) -> list[match.PortShape]:
        return [(name, None, width) for name, (width, _) in self.signals.items()]

    def signal_path(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def around(self) -> Iterator[Scope]:
        """This scope, then those it is in."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def is_inside(self, other: Scope) -> bool:
        return self is not other and any(scope is other for scope in self.around())


@dataclass
class Target:
    """A scope to check as an instance of a block."""

    table: Table
    scope: Scope
    match: match.Match
    clock: str | None = None
    hypotheses: list[Config] = field(default_factory=list)

    @property
    def open(self) -> list[match.ParamValue]:
        """Parameters that only the behaviour tells."""
        return [p for p in self.match.params.values() if p.ambiguous]

    def handles(self) -> dict[str, int]:
        return {name: self.scope.signals[name][1] for name in self.match.present}


class Session:
    """The tool on one dump: a context manager around its process."""

    def __init__(self, tool: Path, dump: str) -> None:
        self.dump = dump
        self._stack = contextlib.ExitStack()
        self._command = [tool, "session", dump]
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._errors: list[str] = []
        self._done: int | None = None

    def __enter__(self) -> Session:
        pipe = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        text = {"encoding": "utf-8", "errors": "replace"}
        self._progress = self._stack.enter_context(progress.Progress(f"checking {self.dump}"))
        self._process = self._stack.enter_context(progress.child(self._command, **pipe, **text))
        self._threads = [
            threading.Thread(target=self._read_out, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._read_err, args=(self._process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _read_out(self, pipe: IO[str]) -> None:
        with contextlib.suppress(ValueError):  # closed under us on the way out
            for line in pipe:
                self._lines.put(line)
        self._lines.put(None)

    def _read_err(self, pipe: IO[str]) -> None:
        with contextlib.suppress(ValueError):
            for line in pipe:
                words = line.split()
                if words[:1] == ["progress"] and len(words) == 3:
                    self._done, self._progress.total = int(words[1]), int(words[2])
                else:
                    self._errors.append(line.strip().removeprefix(f"{TOOL}: "))

    def _line(self) -> str | None:
        """The next line of the tool, None at the end; shows progress meanwhile."""
        while True:
            try:
                return self._lines.get(timeout=progress.TTY_PERIOD)
            except queue.Empty:
                self._progress.update(self._done)

    def _fail(self) -> WlkError:
        """What the tool died of."""
        code = self._process.wait()
        for thread in self._threads:
            thread.join()
        if code not in set(Status) or code == Status.OK:
            said = f": {self._errors[-1]}" if self._errors else ""
            return WlkError(Status.MODEL_ERROR, f"{TOOL} {self.dump} ended with {code}{said}")
        message = self._errors[-1] if self._errors else "no reason given"
        where = "" if self.dump in message else f"{self.dump}: "
        return WlkError(Status(code), where + message)

    def scopes(self) -> list[Scope]:
        """Every scope, parents before children."""
        line = self._line()
        if line is None:
            raise self._fail()
        scopes: list[Scope] = []
        for raw in json.loads(line)["scopes"]:
            parent = scopes[raw["parent"]] if scopes else None
            signals = {name: (width, handle) for name, width, handle in raw["signals"]}
            scopes.append(Scope(raw["path"], parent, signals))
        return scopes

    def run(self, words: Sequence[str]) -> list[dict[str, Any]]:
        """One pass over the dump; an object an instance."""
        instances = words.count("--instance")
        if not instances:
            return []
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write("".join(f"{word}\n" for word in words))
            self._process.stdin.close()
        answers = []
        while (line := self._line()) is not None:
            answers.append(json.loads(line))
        if len(answers) != instances:
            raise self._fail()
        return answers


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
        for target in found:
            if target.match.ok:
                target.clock = self._clock(target)
                target.hypotheses = _hypotheses(target)
        return found

    def _match(self, table: Table, scope: Scope, given: bool = True) -> match.Match:
        """Without the clock, which may be in a scope around this one."""
        mine = {k: v for k, v in self.given.items() if given and k in table.params}
        return match.match(table, scope.shapes, mine, clock=False)

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
        return found

    def _all(self) -> list[Target]:
        """Every scope that fits a block, and those that have the names but do not fit."""
        found, odd = [], []
        for scope, table in itertools.product(self.scopes.values(), self.blocks):
            if not match.may_fit(table, scope.signals, clock=False):
                continue
            target = Target(table, scope, self._match(table, scope, given=False))
            (found if target.match.ok else odd).append(target)
        found = _without_aliases(found)
        odd = [o for o in _without_aliases(odd) if not any(_related(o, f) for f in found)]
        if not found:
            raise self._none_fits(odd)
        for target in found:
            target.match = self._match(target.table, target.scope)
            if not target.match.ok:
                raise self._refuse(target)
        return found + odd

    def _refuse(self, target: Target) -> WlkError:
        """Why a scope cannot be checked; shows the table of differences."""
        found, where = target.match, f"{self.args.dump}: scope {target.scope.path}"
        if not found.present and not found.differences:
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
        name = target.table.clock
        if name is None:
            return None
        paths = {s.signal_path(leaf) for s in self.scopes.values() for leaf in s.signals}
        if self.args.clock is not None:
            if self.args.clock in paths:
                return self.args.clock
            near = _near(self.args.clock, paths)
            raise WlkError(Status.NO_CLOCK, f"{self.args.dump}: no signal {self.args.clock}{near}")
        for scope in target.scope.around():
            if name in scope.signals:
                return scope.signal_path(name)
        likely = sorted(p for p in paths if any(w in p.lower() for w in ("clk", "clock", "ck")))
        hint = f"; perhaps {', '.join(likely[:3])}" if likely else ""
        raise WlkError(
            Status.NO_CLOCK,
            f"{self.args.dump}: neither scope {target.scope.path} nor one around it has a signal "
            f"{name}; give --clock PATH{hint}",
        )


def _likeness(target: Target) -> int:
    return len(target.match.present) + len(target.match.differences)


def _related(a: Target, b: Target) -> bool:
    """One scope in the other, and a signal of theirs is the same."""
    nested = a.scope.is_inside(b.scope) or b.scope.is_inside(a.scope)
    return nested and bool(set(a.handles().values()) & set(b.handles().values()))


def _without_aliases(found: Sequence[Target]) -> list[Target]:
    """Of nested scopes with the very same signals the deepest."""
    return [
        a
        for a in found
        if not any(
            b.table is a.table and b.scope.is_inside(a.scope) and a.handles() == b.handles()
            for b in found
        )
    ]


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


def _hypotheses(target: Target) -> list[Config]:
    """The configurations to try; the first has the defaults."""
    base = target.match.config
    values = [(p.value, *(v for v in p.possible if v != p.value)) for p in target.open]
    if math.prod(map(len, values)) > MAX_HYPOTHESES:
        return [base]
    names = [p.name for p in target.open]
    return [{**base, **dict(zip(names, c, strict=True))} for c in itertools.product(*values)]


def _words(targets: Sequence[Target], power_up: str, folder: str) -> list[str]:
    words = ["--report-dir", folder]
    for target in targets:
        for config in target.hypotheses:
            words += ["--instance", f"block={target.table.name}", f"scope={target.scope.path}"]
            words += [f"clock={target.clock}"] if target.clock else []
            words += [f"power_up={power_up}"]
            words += [f"{k}={v}" for k, v in target.table.show(config).items()]
    if words.count("--instance") > MAX_INSTANCES:
        message = f"more than {MAX_INSTANCES} instances to check; name some with --scope"
        raise WlkError(Status.USAGE, message)
    return words


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


def _choose(target: Target, mine: Sequence[tuple[int, dict[str, Any]]], folder: str) -> Checked:
    """Of the answers of one scope, with their numbers: the head of the module says which."""
    order = range(len(mine))
    clean = [i for i in order if mine[i][1]["verdict"] == "PASS"]
    # The first has the defaults; the others come in ascending order.
    best = max(clean or order, key=lambda i: (_reach(mine[i][1]), i == 0, i))
    number, answer = mine[best]
    checked = Checked(target, answer)
    if best not in clean:
        checked.text = (Path(folder) / f"{number}.txt").read_text(encoding="utf-8")
    answer["inferred"] = {
        p.name: _inferred(target, p, best, clean) for p in target.match.params.values()
    }
    checked.notes += _choice_notes(target, [a for _, a in mine], best, clean)
    checked.notes += _port_notes(answer)
    return checked


def _reach(answer: Mapping[str, Any]) -> float:
    """How far it went without a difference [cycles]."""
    if answer["verdict"] == "PASS":
        return math.inf
    return answer["first"]["cycle"] if "first" in answer else answer["cycles"]


def _inferred(target: Target, param: match.ParamValue, best: int, clean: Sequence[int]) -> str:
    """How the value of a parameter was found."""
    if not param.ambiguous:
        return param.how
    show = target.table.params[param.name].show
    value = target.hypotheses[best][param.name]
    what = f"{show(value)} of {'|'.join(map(show, param.possible))}"
    others = sorted({target.hypotheses[i][param.name] for i in clean} - {value})
    if others:
        return f"{param.how}: {what}, {'|'.join(map(show, others))} would pass too"
    if len(target.hypotheses) == 1:
        return f"{param.how}: {what}"
    return f"behaviour: {what}" if clean else f"furthest: {what}"


def _choice_notes(
    target: Target, answers: Sequence[Mapping[str, Any]], best: int, clean: Sequence[int]
) -> list[str]:
    """What to say about parameters that the ports leave open."""
    notes = []
    for param in target.open:
        show = target.table.params[param.name].show
        value = show(target.hypotheses[best][param.name])
        among = f"{param.name}={value} was taken of {'|'.join(map(show, param.possible))}"
        pin = f"pin it with --config {param.name}={value}"
        passing = {target.hypotheses[i][param.name] for i in clean}
        if len(target.hypotheses) == 1:
            notes.append(f"{among}, without trying the others; {pin}")
        elif not clean:
            notes.append(f"{among} because it went furthest: none of them passes; {pin}")
        elif len(passing) > 1:
            notes.append(f"{among} ({len(passing)} of them pass: this dump cannot tell); {pin}")
        elif best != 0:
            cycle = int(_reach(answers[0]))
            first = f"{show(target.hypotheses[0][param.name])} fails in cycle {cycle}"
            notes.append(f"{among} by the behaviour, not by the ports ({first}); {pin}")
    return notes


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
        "config": target.table.show(target.match.config),
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
        table.add(c.answer["block"], c.answer["scope"], summary, *numbers, c.verdict)
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
    for param in target.match.params.values():
        if param.how == "given" or param.ambiguous:
            words += ["--config", f"{param.name}={checked.answer['config'][param.name]}"]
    return shlex.join(words)
