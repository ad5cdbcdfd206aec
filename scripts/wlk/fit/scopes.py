# SPDX-License-Identifier: Apache-2.0
"""Which scopes of a waveform are instances of a block, with which clock and parameters.

A block and the blocks inside it are the same hardware: what the ports of one show holds for all.
"""

import difflib
import itertools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from .. import tables
from ..base import options
from ..base.errors import Status, WlkError
from ..base.options import operand, option
from ..base.published import Reported
from ..gen.sv import HARNESS_CLOCK
from ..tables import Config, Table
from . import mapped_scope, match, portmap, rivals, search, waivers
from .search import Subject, Trial
from .wave import Scope


@dataclass(kw_only=True)
class Named:
    """By which names the ports are looked for: options."""

    map: Path | None = options.path(
        "where the ports are among signals of other names and shapes (docs/port-maps.md)",
        "FILE.toml",
    )
    reset: tuple[str, str | None, str | None] | None = option(
        None,
        "the reset, if its name, its level (high) or its style (sync) differ",
        type=options.reset,
        metavar="NAME[:low][:async]",
    )
    prefix: str | None = option(None, "what names of signals have, or lack, before the table's")

    def port_map(self) -> portmap.PortMap | None:
        """What the map and the flags say of a block's ports; None: nothing."""
        if self.map is None and self.reset is None and self.prefix is None:
            return None
        told = portmap.read(self.map)
        return portmap.with_flags(told, reset=self.reset, prefix=self.prefix)


@dataclass
class Check(Named, waivers.Waiving, Reported):
    """What is asked about a waveform: the options of `check`."""

    dump: str = operand(
        "DUMP", "the waveform, VCD or FST; or a folder of recordings, CSV among them"
    )
    block: Sequence[str] = option([], "only this block; may be repeated", metavar="B")
    scope: Sequence[str] = option(
        [],
        "the scope that holds the ports; may be repeated (default: all that fit)",
        metavar="PATH",
    )
    clock: str | None = option(
        None,
        "the clock, a path, or a name in the scope or around it (default: the block's)",
        metavar="PATH",
    )
    config: Mapping[str, str] = options.settings(
        "a parameter of the spec, for every block that has it; may be repeated"
    )
    power_up: str = options.power_up(
        "what no reset reaches: unknown (default), or zero, which needs no reset"
    )
    from_unknown: bool = option(
        False, "the dump starts late, or has gaps: start with nothing known, and learn the state"
    )
    tie: Mapping[str, int] = options.ties()
    cover: Path | None = options.cover()
    strict: bool = options.strict()
    accept_inferred: bool = options.accept_inferred()

    def with_map(self, told: portmap.PortMap) -> Self:
        """The same, with what a map says of the block, the scope and the configuration; USAGE
        without a block."""
        blocks = self.block or ([told.block] if told.block else [])
        if len(set(blocks)) != 1:
            message = 'a port map is of one block; give --block B, or block = "B" in it'
            raise WlkError(Status.USAGE, f"{told.where}: {message}")
        told.require_block(tables.load(blocks[0]))
        return replace(
            self,
            block=blocks[:1],
            scope=self.scope or ([told.scope] if told.scope else []),
            config={**told.config, **self.config},
            tie={**told.tie, **self.tie},
        )

    @property
    def start(self) -> str:
        """What the tool is told of the state at the start."""
        return "late" if self.from_unknown else self.power_up


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
        shown = {name: self.match.slices.get(name, (name, 0))[0] for name in self.match.present}
        return {name: self.scope.signals[signal][1] for name, signal in shown.items()}

    def inputs(self) -> dict[str, int]:
        ports = self.match.table.ports(self.match.config)
        inputs = {p.name for p in ports if p.direction == "in"}
        return {name: handle for name, handle in self.handles().items() if name in inputs}

    def unbound(self, config: Config) -> dict[str, list[str]]:
        """The ports of a configuration that are not sampled, by why: `unused`, that no rule reads,
        are there, but would be samples, or work that a clock leaves out."""
        names: dict[str, list[str]] = {"not_compared": [], "tied_off": [], "unused": []}
        for port in self.match.table.ports(config):
            width, _ = self.scope.signals.get(port.name, (0, 0))
            width = port.width if port.name in self.match.slices else width
            if port.lack == "not_compared" and not width:
                names["not_compared"].append(port.name)
            elif port.lack == "tied_off" and port.name not in self.match.tied:
                fits = width == port.width
                if not fits or self.table.clock is None:
                    names["unused" if fits else "tied_off"].append(port.name)
        return names

    def words(self, trial: Trial, start: str) -> list[str]:
        """An instance as the tool takes it: binds every port but those skipped."""
        words = [f"block={self.table.name}", f"scope={self.scope.path}", f"power_up={start}"]
        words += [f"clock={self.clock}"] if self.clock else []
        words += [f"tie={place}" for place in match.tie_places(self.match)]
        words += self.scope.reset_words()
        slices = self.match.slices
        parts = {name: (name, 0) for name in self.match.present if self.scope.is_placed(name)}
        words += [f"part={port}:{self.scope.part(*at)}" for port, at in (parts | slices).items()]
        skipped = self.unbound(trial.config).values()
        words.append(f"skip={','.join(itertools.chain(self.match.tied, *skipped))}")
        return words + self.match.table.words(trial.config)


def require_known(blocks: Sequence[Table], given: Mapping[str, str]) -> None:
    """BAD_CONFIG unless every key belongs to a block, and its value is legal there."""
    for key, value in given.items():
        owners = [table for table in blocks if table.knows(key)]
        if not owners:
            names = ", ".join(dict.fromkeys(p for table in blocks for p in table.settings()))
            which = ", ".join(table.name for table in blocks)
            message = f"config: no block ({which}) has a parameter '{key}'; there are {names}"
            raise WlkError(Status.BAD_CONFIG, message)
        for table in (table for table in owners if key in table.params):
            table.config({key: value})


class Finder:
    """Finds what to check."""

    def __init__(
        self,
        scopes: Sequence[Scope],
        blocks: Sequence[Table],
        wanted: Check,
        told: portmap.PortMap | None = None,
    ) -> None:
        self.paths = {s.signal_path(leaf) for s in scopes for leaf in s.signals}
        if told is not None:
            how = {"config": wanted.config, "named": wanted.scope, "dump": wanted.dump}
            scopes = mapped_scope.views(scopes, blocks[0], told, **how)
        self.scopes = {scope.path: scope for scope in scopes}
        self.blocks = blocks
        self.wanted = wanted
        self.own_clock = told.clock if told is not None else None

    def targets(self) -> list[Target]:
        """The instances to check, clocks and possible configurations included. BAD_CONFIG when one
        has no legal configuration."""
        found = self._named() if self.wanted.scope else self._all()
        match.require_ties(self.wanted.tie, [t.match for t in found], self.wanted.dump)
        for target in found:
            if target.match.ok:
                target.clock_is_optional = target.table.clock is None and self.wanted.clock is None
                target.clock = self._choose_clock(target)
                search.require_first(target.match, f"{self.wanted.dump}: scope {target.scope.path}")
                target.subject = Subject(target.match, target.scope.path)
        return found

    def _match(
        self, table: Table, scope: Scope, given: bool = True, shared: Sequence[match.Shared] = ()
    ) -> match.Match:
        """Without the clock, which may be in a scope around this one."""
        mine = {k: v for k, v in self.wanted.config.items() if given and table.knows(k)}
        return match.match(
            table, scope.shapes, mine, clock=False, shared=shared, ties=self.wanted.tie
        )

    def _named(self) -> list[Target]:
        """The scopes of the command line; each must fit a block."""
        found = []
        for path in dict.fromkeys(self.wanted.scope):
            if path not in self.scopes:
                near = _near(path, self.scopes)
                raise WlkError(Status.NO_SCOPE, f"{self.wanted.dump}: no scope {path}{near}")
            scope = self.scopes[path]
            tried = [Target(table, scope, self._match(table, scope)) for table in self.blocks]
            fitting = [target for target in tried if target.match.ok]
            if not fitting:
                likeness = lambda t: len(_telling(t)) + len(t.match.differences)  # noqa: E731
                raise self._refuse(max(tried, key=likeness))
            found += fitting
        found = _by_name(found)
        self._share(found)
        return found

    def _all(self) -> list[Target]:
        """Every scope that fits a block, and those that have the names but do not fit."""
        found, odd = [], []
        for scope, table in itertools.product(self.scopes.values(), self.blocks):
            if not match.may_fit(table, {*scope.signals, *self.wanted.tie}, clock=False):
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
        """Match again with what the user gave, and with what the scopes of a group show."""
        shared = groups(found)
        pairs = [(target, _shared(target, group)) for group in shared for target in group]
        for target, others in pairs:
            if others or self.wanted.config:
                target.match = self._match(target.table, target.scope, shared=others)
            if not target.match.ok:
                raise self._refuse(target)

    def _refuse(self, target: Target) -> WlkError:
        """Why a scope cannot be checked; shows the table of differences."""
        found, where = target.match, f"{self.wanted.dump}: scope {target.scope.path}"
        if not _telling(target) and not found.differences:
            inside = [
                scope.path
                for scope, table in itertools.product(self.scopes.values(), self.blocks)
                if scope.is_inside(target.scope)
                and match.may_fit(table, scope.signals, clock=False)
                and self._match(table, scope).ok
            ]
            hint = f"; {', '.join(inside)} inside it does" if inside else ""
            names = ", ".join(table.name for table in self.blocks)
            return WlkError(Status.IFACE_CHANGED, f"{where} has no port of block {names}{hint}")
        if len(found.differences) + len(found.missing_inputs) > 1:
            print(match.render_differences(found), file=sys.stderr)
        error = found.refusal(where)
        widths = [d.expected.endswith(("bit", "bits", ")")) for d in found.differences]
        if found.kind == "conflict" and all(widths):
            return WlkError(Status.BAD_WIDTH, error.message)
        return error

    def _none_fits(self, odd: Sequence[Target]) -> WlkError:
        names = ", ".join(table.name for table in self.blocks)
        head = f"{self.wanted.dump}: no scope fits a block ({names})"
        near = list(odd) or self._best_guess()
        reasons = [t.match.refusal(t.scope.path).message for t in near[:3]]
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

    def _choose_clock(self, target: Target) -> str | None:
        # The harness drives the ports of a block without a clock at random, also one of that name.
        own = self.own_clock or target.table.clock
        names = [own] if own else [HARNESS_CLOCK, match.SAMPLER]
        name = names[-1]
        if (wanted := self.wanted.clock) is not None:
            around = (s.signal_path(wanted) for s in target.scope.around() if wanted in s.signals)
            if (path := wanted if wanted in self.paths else next(around, None)) is not None:
                return path
            message = f"no signal {wanted}{_near(wanted, self.paths)}"
            raise WlkError(Status.NO_CLOCK, f"{self.wanted.dump}: {message}")
        for each, scope in itertools.product(names, target.scope.around()):
            if each in scope.signals:
                return scope.signal_path(each)
        if target.clock_is_optional:
            return None
        likely = sorted(
            p for p in self.paths if any(w in p.lower() for w in ("clk", "clock", "ck"))
        )
        hint = f"; perhaps {', '.join(likely[:3])}" if likely else ""
        message = f"neither scope {target.scope.path} nor one around it has a signal {name}"
        raise WlkError(Status.NO_CLOCK, f"{self.wanted.dump}: {message}; give --clock PATH{hint}")


def _telling(target: Target) -> list[str]:
    """The ports that are there, without those that no rule reads: a clock is in every scope."""
    ports = target.match.table.ports(target.match.config)
    unread = {p.name for p in ports if p.direction == "in" and not p.read}
    return [name for name in target.match.present if name not in unread]


def _related(a: Target, b: Target) -> bool:
    """One scope in the other, and a signal of theirs is the same."""
    return _nested(a, b) and bool(set(a.handles().values()) & set(b.handles().values()))


def groups(found: Sequence[Target]) -> list[list[Target]]:
    """Scopes in which a parameter is the same hardware: one, and those inside it.

    Two instances of a block side by side may differ, so that nothing is known of these.
    """
    shared = []
    for outer in found:
        if not any(outer.scope.is_inside(other.scope) for other in found):
            inside = [t for t in found if t.scope.is_inside(outer.scope)]
            twins = any(
                a.table is b.table and not _nested(a, b)
                for a, b in itertools.combinations(inside, 2)
            )
            shared += [[t] for t in (outer, *inside)] if twins else [[outer, *inside]]
    return shared


def _nested(a: Target, b: Target) -> bool:
    return a.scope.is_inside(b.scope) or b.scope.is_inside(a.scope)


def _shared(target: Target, group: Sequence[Target]) -> list[match.Shared]:
    """What the other scopes of its group show of its parameters; the most specific first."""
    shared = []
    for other in (t for t in group if t is not target):
        for name in target.table.params.keys() & other.match.params.keys():
            legal = len(other.table.params[name].legal)
            item = other.match.params[name]
            for values, weak in ((item.shown, False), (item.possible, True)):
                if len(values) < legal:
                    shared.append(match.Shared(name, values, other.scope.path, weak))
    return sorted(shared, key=lambda t: (len(t.values), t.scope, t.name))


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
    """Of blocks that fit one scope those that explain most of its ports; of those with equal ports
    the one whose module it is named after, else those that the ports leave a legal one."""
    found = rivals.unbeaten(
        found, lambda o, t: o.scope is t.scope and rivals.explains_more(o.match, t.match)
    )
    return rivals.likeliest(
        found,
        are_rivals,
        lambda t: t.scope.path.rpartition(".")[2] == t.table.module,
        lambda t: rivals.is_legal(t.match),
    )


def are_rivals(a: Target, b: Target) -> bool:
    """Different blocks of which the scope shows the same ports."""
    return a.scope is b.scope and rivals.are_rivals(a.match, b.match)


def _near(path: str, known: Sequence[str] | set[str] | Mapping[str, Any]) -> str:
    """; did you mean ...? - by the last part of the path, and by spelling."""
    last = path.rpartition(".")[2]
    same = sorted(k for k in known if k and k.rpartition(".")[2] == last)
    near = dict.fromkeys([*same, *difflib.get_close_matches(path, list(known), 3)])
    if near := list(near)[:3]:
        return f"; did you mean {' or '.join(near)}?"
    some = sorted(k for k in known if k)[:3]
    return f"; there are {', '.join(some)}{', ...' if len(known) > 4 else ''}" if some else ""
