# SPDX-License-Identifier: Apache-2.0
"""Module of a composed block: the modules of the blocks inside, and the wires between them.

A table lists with `[[instance]]` which blocks are inside and how they are connected; what the keys
mean stands in refmodel/muon/issue/block.toml. The blocks inside have the same parameters by name.
Their modules lose the ports that the table calls lost, as the Chisel compiler has it: a lost output
that somebody reads is 0.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from .. import tables
from ..base.errors import Status, WlkError
from ..tables import Config, Port, Table
from . import shell

Path = tuple[str, ...]  # components of a port, indices among them
End = tuple[str, Path]  # instance ("": the stage itself) and port
Output = tuple[str, str]  # block inside and emitted name of its port
STAGE = ""


@dataclass
class Part:
    """The stage itself, or a block inside: the ports it has, and all it could have."""

    name: str
    table: Table
    cfg: Config
    ports: dict[Path, Port]
    every: dict[Path, Port]
    omitted: list[str]  # emitted names of the ports left out


@dataclass
class Stage:
    """Parts by name, and what is connected with what."""

    parts: dict[str, Part]
    links: dict[End, list[End]] = field(default_factory=dict)
    zeros: set[End] = field(default_factory=set)
    gates: dict[Path, tuple[End, End]] = field(default_factory=dict)  # (data, enable)

    def has(self, end: End) -> bool:
        """The port is there in this configuration, and not left out."""
        return end[1] in self.parts[end[0]].ports

    def drives(self, end: End) -> bool:
        """The port is an output of a block inside or an input of the stage."""
        direction = self.parts[end[0]].every[end[1]].direction
        return (direction == "out") == (end[0] != STAGE)


def module_texts(table: Table, cfg: Config, omit: Collection[str] = ()) -> dict[str, str]:
    """Text of each generated module of the stub, the block's own first; WlkError BAD_CONFIG."""
    table.require(cfg)
    if not table.instances:
        return {table.module: shell.shell_sv(table, cfg, omit=omit)}
    stage = _stage(table, cfg, omit)
    texts = {table.module: _stage_sv(stage)}
    for part in _inside(stage):
        texts[part.table.module] = shell.shell_sv(part.table, part.cfg, omit=part.omitted)
    return texts


def blocks(table: Table) -> list[Table]:
    """The tables of a block and of the blocks inside."""
    return [table, *(tables.load(each["block"]) for each in table.instances)]


def inner_parts(table: Table, cfg: Config) -> list[Part]:
    """The blocks inside, each with the ports that its module has."""
    return _inside(_stage(table, cfg, ())) if table.instances else []


def inner_config(inner: Table, cfg: Config) -> Config:
    """The configuration of a block inside: parameters of equal names."""
    return inner.defaults() | {name: cfg[name] for name in inner.params if name in cfg}


def drivers(table: Table, cfg: Config, through: Collection[str]) -> dict[str, list[list[Output]]]:
    """What each output of a composed block depends on: outputs of the blocks inside, those that
    drive it first, then those that drive the inputs of such of these as are in `through`, and so
    on."""
    stage = _stage(table, cfg, ())
    outputs = {end: port.name for end, port in stage.parts[STAGE].ports.items()
               if port.direction == "out"}  # fmt: skip
    return {name: _levels(stage, (STAGE, path), through) for path, name in outputs.items()}


def _levels(stage: Stage, end: End, through: Collection[str]) -> list[list[Output]]:
    levels, seen, wanted = [], set(), [end]
    while wanted:
        found = [d for each in wanted for d in _drivers(stage, each)]
        tables = [stage.parts[part].table.name for part, _ in found]
        ports = [stage.parts[part].ports[path].name for part, path in found]
        levels.append(list(zip(tables, ports, strict=True)))
        parts = {part for part, _ in found if stage.parts[part].table.name in through} - seen
        seen |= parts
        wanted = [
            (name, path)
            for name in sorted(parts)
            for path, port in stage.parts[name].every.items()
            if port.direction == "in"
        ]
    return levels


def _drivers(stage: Stage, end: End) -> list[End]:
    """Outputs of blocks inside that drive a port."""
    linked = [other for other in stage.links.get(end, []) if stage.drives(other)]
    if end[0] == STAGE:
        linked += stage.gates.get(end[1], ())
    return [other for other in linked if other[0] != STAGE and stage.has(other)]


# ---- what is connected with what ----------------------------------------------------------------


def _path(port: Port) -> Path:
    parts, rest = [], list(port.index)
    for name, count in port.field.path:
        parts.append(name)
        if count is not None:
            parts.append(str(rest.pop(0)))
    return (*parts, *([str(port.lane)] if port.lane is not None else []))


def _part(name: str, table: Table, cfg: Config, omitted: Collection[str]) -> Part:
    left = {_path(p): p for p in table.ports(cfg) if p.name not in omitted}
    every = {_path(p): p for p in table.ports(cfg, absent=True)}
    return Part(name, table, cfg, left, every, list(omitted))


def _lost(raw: dict, table: Table, cfg: Config) -> list[str]:
    """Emitted names of the ports that the module loses inside; MODEL_ERROR: there is none."""
    found: list[str] = []
    for lost in raw.get("lost", []):
        names = [p.name for p in table.ports(cfg) if f"{p.field.flat}.".startswith(f"{lost}.")]
        if not names:
            raise WlkError(Status.MODEL_ERROR, f"{raw['name']}: no port '{lost}' to lose")
        found += names
    return found


def _stage(table: Table, cfg: Config, omit: Collection[str]) -> Stage:
    """The parts and their connections; MODEL_ERROR names what does not fit."""
    shell.check_omitted(table, omit, table.ports(cfg))
    stage = Stage({STAGE: _part(STAGE, table, cfg, omit)})
    for raw in table.instances:
        inner = tables.load(raw["block"])
        config = inner_config(inner, cfg)
        stage.parts[raw["name"]] = _part(raw["name"], inner, config, _lost(raw, inner, config))
    for raw in table.instances:
        _link(stage, raw)
    return stage


def _end(text: str, instance: str = STAGE) -> End:
    name, colon, path = text.rpartition(":")
    return (name if colon else instance, tuple(path.split(".")))


def _link(stage: Stage, raw: dict) -> None:
    """Take the wires and gates of one instance."""
    name, unused = raw["name"], set(raw["wires"])
    rules = {tuple(key.split(".")): key for key in raw["wires"]}
    for path in stage.parts[name].every:
        fitting = [rule for rule in rules if path[: len(rule)] == rule]
        if not fitting:
            continue
        rule = max(fitting, key=len)
        unused.discard(rules[rule])
        target = raw["wires"][rules[rule]]
        if target == "0":
            stage.zeros.add((name, path))
            continue
        part, head = _end(target)
        _connect(stage, (name, path), (part, head + path[len(rule) :]))
    for rule in unused:
        raise WlkError(Status.MODEL_ERROR, f"{name}: no port '{rule}' to wire")
    for port, gate in raw.get("gated", {}).items():
        head, data = tuple(port.split(".")), _end(gate["data"], name)
        for path in stage.parts[STAGE].every:
            if path[: len(head)] == head:
                source = (data[0], data[1] + path[len(head) :])
                stage.gates[path] = (source, _end(gate["enable"], name))


def _connect(stage: Stage, one: End, other: End) -> None:
    for end in (one, other):
        if end[0] not in stage.parts or end[1] not in stage.parts[end[0]].every:
            message = f"{_say(one)} is wired to {_say(other)}: no such port"
            raise WlkError(Status.MODEL_ERROR, message)
    widths = [stage.parts[part].every[path].width for part, path in (one, other)]
    if widths[0] != widths[1] or stage.drives(one) == stage.drives(other):
        raise WlkError(Status.MODEL_ERROR, f"{_say(one)} and {_say(other)} do not fit together")
    stage.links.setdefault(one, []).append(other)
    stage.links.setdefault(other, []).append(one)


def _say(end: End) -> str:
    return ":".join(filter(None, (end[0], ".".join(end[1]))))


# ---- SystemVerilog ------------------------------------------------------------------------------


def _inside(stage: Stage) -> list[Part]:
    return [part for name, part in stage.parts.items() if name != STAGE]


def _net(stage: Stage, end: End) -> str:
    """What carries a driver's value: the stage's port when it has one, else a wire."""
    part, path = end
    if part == STAGE:
        return stage.parts[STAGE].ports[path].name
    ports = [other for other in stage.links.get(end, []) if other[0] == STAGE]
    if ports and stage.has(ports[0]):
        return stage.parts[STAGE].ports[ports[0][1]].name
    gated = [source for gate in stage.gates.values() for source in gate]
    is_read = end in gated or any(stage.has(other) for other in stage.links.get(end, []))
    wire = f"{part}_{stage.parts[part].ports[path].name}"
    return wire if is_read else f"unused_{wire}"


def _source(stage: Stage, end: End) -> str:
    """What drives an input of a block inside; MODEL_ERROR: nothing, or more than one."""
    drivers = stage.links.get(end, [])
    if len(drivers) + (end in stage.zeros) != 1:
        count = len(drivers)
        raise WlkError(Status.MODEL_ERROR, f"{_say(end)} has {count} drivers; it must have one")
    return _net(stage, drivers[0]) if drivers and stage.has(drivers[0]) else "'0"


def _stage_sv(stage: Stage) -> str:
    own = stage.parts[STAGE]
    _require_wired(stage)
    shown = {port.name for port in own.ports.values()}
    wires, instances = [], []
    for part in _inside(stage):
        pins = [f".{part.table.clock}({own.table.clock})"]
        for path, port in part.ports.items():
            net = _pin(stage, (part.name, path))
            # Broken where verible-verilog-format would leave the line too long.
            fits = 6 + len(f".{port.name}({net}),") <= shell.LINE
            pins.append(f".{port.name}({net})" if fits else f".{port.name}(\n          {net})")
            if port.direction == "out" and net not in shown:
                wires.append(shell.wire(port.width, net))
        text = shell.listed(pins, 6)
        instances.append(f"  {part.table.module} {part.name} (\n{text}\n  );\n")
    body = "\n".join(["".join(wires), *instances, "".join(_gates_sv(stage))])
    ports = shell.declarations(own.table.clock, list(own.ports.values()))
    return shell.module_text(own.table, ports, body)


def _pin(stage: Stage, end: End) -> str:
    """What a port of a block inside is connected with."""
    part, own = stage.parts[end[0]], stage.parts[STAGE]
    port = part.ports[end[1]]
    if port.field.name == part.table.reset:
        return own.table.reset
    return _source(stage, end) if port.direction == "in" else _net(stage, end)


def _require_wired(stage: Stage) -> None:
    """MODEL_ERROR when a port of the stage is connected with nothing."""
    own = stage.parts[STAGE]
    for path, port in own.ports.items():
        wired = (STAGE, path) in stage.links or path in stage.gates
        if not wired and port.field.name != own.table.reset:
            raise WlkError(Status.MODEL_ERROR, f"{port.name} is wired to nothing inside")


def _gates_sv(stage: Stage) -> list[str]:
    ports = stage.parts[STAGE].ports
    return [
        f"  assign {ports[path].name} =\n      {_net(stage, enable)} ? {_net(stage, data)} : '0;\n"
        for path, (data, enable) in stage.gates.items()
        if path in ports
    ]
