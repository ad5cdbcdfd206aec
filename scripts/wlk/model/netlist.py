# SPDX-License-Identifier: Apache-2.0
"""A model in model C as a Verilog module with the ports of its block, for one configuration.

Registers are the leaves of the state; a cycle of reset is `edge`, then `clear`. Beside the block's
outputs there are, each of one bit:
  wlk_care_PORT     1 where that output means something (SHOW, and the table's `valid_when`)
  wlk_fault_N       1 where what the model does is undefined in C; `Made.faults` says what it is
  wlk_point_NAME    in place of those: 1 where the cycle hits a coverage point (`points`)
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..base import keep, outputs, setup
from ..base.errors import Status, WlkError
from ..gen import c
from ..gen.sv import HARNESS_CLOCK
from ..tables import Config, Port, Table, own
from ..tables.expr import lane_step
from ..tables.files import MODEL, is_by_structs
from . import EDGE, OUTPUTS
from .values import Column, Fault, Leaf, Node, Ram, Rows, Type, leaves
from .words import FALSE, TRUE, Logic, Word, constant, ones, variable

PASSES = 12  # after which a register that still grows has all bits of its type
LARGE = 4  # bits of the indices of a memory; the rows of a smaller one are registers
CARE, FAULT, POINT = "wlk_care_", "wlk_fault_", "wlk_point_"


@dataclass(frozen=True)
class Made:
    """The file of the module. `care`: of an output that does not always mean something, the port
    that says when; `lacking`: outputs that the model never shows."""

    path: Path
    care: Mapping[str, str]
    lacking: Sequence[str]
    faults: Sequence[Fault]
    total: Path  # a module of the same name in which nothing is undefined

    @staticmethod
    def fault(number: int) -> str:
        """The output that says that something undefined happens."""
        return f"{FAULT}{number}"


def is_modelled(table: Table) -> bool:
    """Is the model of a block in model C? A user's is taken to be."""
    return table.name in own() or is_by_structs(_source(table))


def _source(table: Table) -> Path:
    return own().get(table.name, table.path.parent) / MODEL


@dataclass(frozen=True)
class Shown:
    """The module without what tells of faults; `care` and `lacking` as in Made."""

    text: str
    care: Mapping[str, str]
    lacking: Sequence[str]


def shown(table: Table, config: Config) -> Shown:
    """Execute the model. BUILD_FAIL names what is not in model C."""
    module = _module(table, config)
    care, bits = module.care()
    return Shown(module.text(bits, table.clock is not None), care, module.lacking)


def make(table: Table, config: Config) -> Made:
    """The same, and write the module."""
    return _module(table, config).write()


@dataclass(frozen=True)
class Points:
    """The module with the coverage points as outputs, and one of the same ports in which no cycle
    hits a point."""

    path: Path
    never: Path

    @staticmethod
    def port(name: str) -> str:
        """The output of a point."""
        return POINT + name


def points(table: Table, config: Config) -> Points:
    """The same, written. BUILD_FAIL where the model has no coverage points, too."""
    function = source_of(table, "events")
    if function is None:
        raise WlkError(Status.BUILD_FAIL, f"{_source(table)}: no .events in WLK_STRUCTS_MODEL")
    return _module(table, config, function).write_points()


def source_of(table: Table, member: str) -> str | None:
    """The function that a model gives for a member of WLK_STRUCTS_MODEL."""
    from . import source

    return source.member(_source(table), member)


def _module(table: Table, config: Config, events: str = "") -> "_Module":
    """`events`: the function that says which coverage points a cycle hits."""
    from . import source
    from .execute import Executor

    path = _source(table)
    tree = source.parse(table, path)
    rounds = max(config.values(), default=0) + 1
    known = Known()
    number = 0
    while True:
        module = _Module(table, config, Executor(tree, rounds, path), known, events)
        found = module.known()
        if found == known:
            return module
        if number >= PASSES:  # counters would gain a bit a pass
            grown = {name for name, bits in found.ones.items() if bits != known.ones.get(name)}
            found = replace(found, ones=dict(found.ones) | module.full(grown))
        known, number = found, number + 1


@dataclass(frozen=True)
class Known:
    """What earlier passes say of the state. `ones`: bits of registers that may be 1. A register
    begins as 0; a bit that no edge sets where only these may be 1 stays 0. `rams`:
    arrays that are memories; None: not known yet. `rows`: bits of their indices. `cleared`: columns
    of which all rows are cleared at once."""

    ones: Mapping[str, int] = field(default_factory=dict)
    rams: frozenset[str] | None = None
    rows: Mapping[str, int] = field(default_factory=dict)
    cleared: frozenset[str] = frozenset()


class _Module:
    def __init__(
        self, table: Table, config: Config, run: Any, known: Known, events: str = ""
    ) -> None:
        self.table, self.config, self.run, self.logic = table, config, run, run.logic
        self.clock = table.clock or HARNESS_CLOCK
        self.ports = table.ports(config)
        self.opaque = table.layout(config).opaque
        generated, self.in_view = c.CTable(table), table.name not in own()
        self.units = generated.unit_paths()
        sets = (x for side in c.SIDES for x in generated.sets(side)) if self.in_view else ()
        self.sets = {item.name: c.flat_name(item) for item in sets}
        self.firsts: dict[tuple[str, tuple[int, ...]], int] = {}  # word of each use of a unit
        for port in self.ports:
            if (unit := self._unit(port)) is not None:
                self.firsts[unit] = min(port.word, self.firsts.get(unit, port.word))
        cfg, self.state = run.struct("cfg_t"), run.struct("state_t")
        for name, node in cfg.items():
            if isinstance(node, Leaf):
                node.word = constant(config[name])
                continue
            for (entry, item), leaf in _entries(node):
                leaf.word = constant(config[f"{name}_{entry}_{item}"])
        self.given, self.shown = run.struct("in_t"), run.struct("out_t")
        self._take_inputs()
        self.before, self.arrays = known, dict[str, list[Node]]()
        self.columns: dict[str, Column] = {}
        self.state = self._remembered(self.state, "")
        memories = {name: self._ram(name, cfg) for name in run.rams}
        run.memories = self._remembered(memories, "")
        self.registers = [*_named(self.state, ""), *_named(run.memories, "")]
        written = ((_join(n, "written"), x.written) for n, x in self.columns.items())
        self.registers += [(name, leaf) for name, leaf in written if leaf is not None]
        for name, leaf in self.registers:
            leaf.word = variable(name, known.ones.get(name, 0))
        common = {"cfg": cfg, "st": self.state, "in": self.given}
        run.call(OUTPUTS, common | {"out": self.shown, "care": {}})
        self.answers = {p.name: self._answer(p) for p in self.ports if p.direction == "out"}
        hit = run.call(events, common | {"out": self.shown}) if events else None
        self.hits = FALSE if hit is None else hit.word
        run.call(EDGE, common)
        reset = next((p for p in self.ports if p.name == table.reset), None)
        if reset is not None:
            run.branch(
                Word(1, None, reset.name), lambda: run.call("clear", {"cfg": cfg, "st": self.state})
            )

    def _remembered(self, node: Node, name: str) -> Node:
        """The state, with memories in place of the arrays that are such."""
        if isinstance(node, Leaf):
            return node
        if isinstance(node, dict):
            return {key: self._remembered(each, _join(name, key)) for key, each in node.items()}
        if self.before.rams is not None and name in self.before.rams:
            first = node.first if isinstance(node, Rows) else 0
            return Ram(len(node), self._column(node[0], name, len(node)), first)
        self.arrays[name] = node
        for number, each in enumerate(node):
            node[number] = self._remembered(each, _join(name, number))
        return node

    def _ram(self, name: str, cfg: Node) -> Node:
        """A memory of the model: copies of rows of lanes."""
        copies, first, end, lanes, width = self.run.ram(name, cfg)
        made = []
        for _ in range(copies):
            rows = Rows([Leaf(Type(width)) for _ in range(lanes)] for _ in range(end))
            rows.first = first
            made.append(rows)
        return made

    def _column(self, node: Node, name: str, size: int) -> Node:
        if isinstance(node, Leaf):
            known = self.before
            column = Column(name, node.type, known.ones.get(name, 0))
            column.rows = known.rows.get(name, 1)
            column.written = Leaf(Type(size)) if name in known.cleared else None
            self.columns[name] = column
            return column
        items = node.items() if isinstance(node, dict) else enumerate(node)
        made = {key: self._column(each, _join(name, key), size) for key, each in items}
        return made if isinstance(node, dict) else [*made.values()]

    def known(self) -> Known:
        """What this pass says."""
        bits = dict(self.before.ones)
        held = [(name, [leaf.word]) for name, leaf in self.registers]
        held += [(n, [value for _, _, value in x.writes]) for n, x in self.columns.items()]
        for name, words in held:
            for word in words:
                bits[name] = bits.get(name, 0) | word.ones
        rows = {name: column.rows for name, column in self.columns.items()}
        rams = self.before.rams
        if rams is None and bits == self.before.ones:
            indexed = self.run.indexed
            wide = (n for n, array in self.arrays.items() if indexed.get(id(array), 0) >= LARGE)
            rams = frozenset(wide)
        return Known(bits, rams, rows, self.before.cleared | self.run.cleared)

    def full(self, names: Collection[str]) -> dict[str, int]:
        """All bits of these registers."""
        types = {name: leaf.type for name, leaf in self.registers}
        types |= {name: column.type for name, column in self.columns.items()}
        return {name: ones(types[name].bits) for name in names}

    def _unit(self, port: Port) -> tuple[str, tuple[int, ...]] | None:
        """The use of a unit in whose words a port is: its path, and the indices of its arrays."""
        if port.field.name not in self.units:
            return None
        arrays = sum(count is not None for _, count in port.field.path[: port.field.unit_at])
        return port.field.unit_head, port.index[:arrays]

    def _leaf(self, side: Node, port: Port) -> Node:
        indices, node = iter(port.index), side
        unit = self.units.get(port.field.name, ())
        ends = port.field.unit_at if unit else None
        for part, entry, count in port.field.members[:ends]:
            node = node[part] if entry is None else node[part][entry]
            if count is not None:
                node = node[next(indices)]
        return node[unit[-1]] if len(unit) > port.field.unit_at else node

    def _spot(self, port: Port) -> tuple[int, int] | None:
        """The word of a payload or a unit in which a port is, and its lowest bit there."""
        if (unit := self._unit(port)) is not None:
            return port.word - self.firsts[unit], port.lsb
        if port.field.opaque:
            return port.word - self.opaque[port.field.name, port.index], port.lsb
        if port.lane is None:
            return None
        return divmod(port.lane * lane_step(port.width), 64)

    def _take_inputs(self) -> None:
        for leaf in leaves(self.given):
            leaf.word = FALSE
        words: dict[int, tuple[Leaf, list[tuple[int, Word]]]] = {}
        for port in self.ports:
            is_seen = port.field.read or not self.in_view or self._unit(port) is not None
            if port.direction == "out" or not is_seen:
                continue
            node, word = self._leaf(self.given, port), Word(port.width, None, port.name)
            if port.field.name in self.sets:
                leaf = self.given["sets"][self.sets[port.field.name]]
                words.setdefault(id(leaf), (leaf, []))[1].append((port.index[0], word))
            if (spot := self._spot(port)) is None:
                node.word = word
                continue
            leaf = node[spot[0]]
            words.setdefault(id(leaf), (leaf, []))[1].append((spot[1], word))
        for leaf, parts in words.values():
            parts.sort(key=lambda part: part[0])
            parts = [(0, FALSE), *parts] if parts[0][0] != 0 else parts
            ends = [*(lsb for lsb, _ in parts[1:]), parts[-1][0] + parts[-1][1].width]
            steps = [end - lsb for (lsb, _), end in zip(parts, ends, strict=True)]
            leaf.word = self.logic.join(
                [(step, word) for step, (_, word) in zip(steps, parts, strict=True)]
            )

    def _answer(self, port: Port) -> tuple[Word, Word]:
        """The value of an output, and whether it is shown."""
        node, logic = self._leaf(self.shown, port), self.logic
        if (spot := self._spot(port)) is not None:
            return self._part(node[spot[0]], spot[1], port.width)
        word, shown = logic.fit(node.word, port.width), node.shown or FALSE
        if port.field.name not in self.sets:
            return word, shown
        whole = self.shown["sets"][self.sets[port.field.name]]
        bit, in_set = self._part(whole, port.index[0], 1)
        return logic.either(word, bit), logic.either(shown, in_set)

    def _part(self, leaf: Leaf, lsb: int, width: int) -> tuple[Word, Word]:
        """Bits of a number that is shown, and whether it is."""
        word = self.logic.shift(leaf.word, False, constant(lsb), 64)
        return self.logic.fit(word, width), leaf.shown or FALSE

    def care(self) -> tuple[dict[str, str], dict[str, Word]]:
        """The ports that say when an output means something, and their bits."""
        meaning, care = self.table.meaning(self.config), {}
        bits: dict[str, Word] = {}
        for name, (_, shown) in self.answers.items():
            valid = self._valid(meaning.get(name, ""))
            if (when := self.logic.both(shown, valid)) != TRUE:
                care[name] = CARE + name
                bits[care[name]] = when
        return care, bits

    @property
    def lacking(self) -> list[str]:
        """Outputs that the model never shows."""
        return [name for name, (_, shown) in self.answers.items() if shown == FALSE]

    def write(self) -> Made:
        """The files of it."""
        care, bits = self.care()
        faults = _distinct(self.logic, self.run.faults)
        bits |= {Made.fault(n): fault.bit for n, fault in enumerate(faults)}
        made, total = self._kept(self.text(bits), [Made.fault(n) for n in range(len(faults))])
        return Made(made, care, self.lacking, faults, total)

    def write_points(self) -> Points:
        """The files with the coverage points."""
        names = [Points.port(each["name"]) for each in self.table.covers]
        parts = (self.logic.shift(self.hits, False, constant(n), 64) for n in range(len(names)))
        bits = {name: self.logic.fit(part, 1) for name, part in zip(names, parts, strict=True)}
        return Points(*self._kept(self.text(bits), names))

    def _kept(self, text: str, names: Sequence[str]) -> tuple[Path, Path]:
        """The file of a module, and that of one whose outputs are 0; `names`: those that the block
        has not."""
        texts = text, self._zeros(names)
        place = setup.BUILD / "models" / keep.digest(texts)
        made, zeros = (each / f"{self.table.module}.sv" for each in (place, place / "total"))
        with setup.locked(f"model-{place.name}"):
            outputs.make_folder(zeros.parent)
            for file, each in zip((made, zeros), texts, strict=True):
                with outputs.atomic_write(file) as out:
                    out.write(each)
            keep.touch(place, "model")
        return made, zeros

    def _valid(self, name: str) -> Word:
        if not name:
            return TRUE
        if name in self.answers:
            return self.logic.true(self.answers[name][0])
        return Word(1, None, name)

    def _header(self, more: Sequence[str], has_clock: bool = True) -> str:
        ports = [f"input {self.clock}"] if has_clock else []
        for port in self.ports:
            kind = "output" if port.direction == "out" else "input"
            ports.append(f"{kind} [{port.width - 1}:0] {port.name}")
        ports += [f"output {name}" for name in more]
        listed = ",\n  ".join(ports)
        return f"module {self.table.module} (\n  {listed}\n);\n"

    def text(self, bits: Mapping[str, Word], has_clock: bool = True) -> str:
        """The module, with these outputs of one bit beside the block's. A proof gives a clock to
        each, whether it has state or not."""
        logic = self.logic
        widths = {
            name: width
            for name, _ in self.registers
            if (width := self.before.ones.get(name, 0).bit_length())
        }
        lines = [f"  reg [{width - 1}:0] {name};" for name, width in widths.items()]
        lines += [
            f"  reg [{x.width - 1}:0] {x.name} [0:{(1 << x.rows) - 1}];"
            for x in self.columns.values()
        ]
        body = list(_assigned(logic, self.ports, self.answers))
        body += [f"  assign {name} = {logic.padded(bit, 1)};" for name, bit in bits.items()]
        nexts = [
            f"    {name} <= {logic.padded(leaf.word, widths[name])};"
            for name, leaf in self.registers
            if name in widths
        ]
        for column in self.columns.values():
            for when, index, value in column.writes:
                target = f"{column.name}[{logic.padded(index, column.rows)}]"
                data = logic.padded(value, column.width)
                nexts.append(f"    if ({logic.padded(when, 1)}) {target} <= {data};")
        if nexts:
            body += [f"  always @(posedge {self.clock}) begin", *nexts, "  end"]
        note = "// Generated from model.c by scripts/wlk/model/netlist.py. Do not edit.\n"
        rest = "\n".join([*lines, *logic.lines, *body])
        off, on = (f"// verilator lint_{each} UNUSEDSIGNAL\n" for each in ("off", "on"))
        return f"{note}{off}{self._header([*bits], has_clock)}{rest}\nendmodule\n{on}"

    def _zeros(self, names: Sequence[str]) -> str:
        zeros = [f"  assign {p.name} = 0;" for p in self.ports if p.direction == "out"]
        zeros += [f"  assign {name} = 0;" for name in names]
        body = "\n".join(zeros)
        return f"{self._header(names)}{body}\nendmodule\n"


def _assigned(
    logic: Logic, ports: Sequence[Port], answers: Mapping[str, tuple[Word, Word]]
) -> Iterator[str]:
    for port in ports:
        if port.direction == "out":
            text = logic.padded(answers[port.name][0], port.width)
            yield f"  assign {port.name} = {text};"


def _named(node: Node, name: str) -> Iterator[tuple[str, Leaf]]:
    """The leaves of the state with names of registers."""
    if isinstance(node, Ram):
        return
    if isinstance(node, Leaf):
        yield name, node
        return
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, each in items:
        yield from _named(each, _join(name, key))


def _entries(node: Node) -> Iterator[tuple[tuple[int, str], Leaf]]:
    """The items of a list's entries."""
    for number, entry in enumerate(node):
        for name, leaf in entry.items():
            yield (number, name), leaf


def _join(name: str, key: str | int) -> str:
    """The name of a part of the state."""
    return f"{name}_{key}" if name else f"wlk_st_{key}"


def _distinct(logic: Logic, faults: Sequence[Fault]) -> list[Fault]:
    """One for each place and kind."""
    bits: dict[tuple[str, str], Word] = {}
    for each in faults:
        key = each.where, each.what
        bits[key] = logic.either(bits.get(key, FALSE), each.bit)
    return [Fault(where, what, bit) for (where, what), bit in bits.items()]
