# SPDX-License-Identifier: Apache-2.0
"""Checkers of the blocks inside a composed one, bound together with its own."""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..base.errors import Status, WlkError
from ..gen import composed
from ..gen.sv import Harness
from ..tables import Config, Table
from . import match
from .match import Match, ParamValue

Modules = Mapping[str, Collection[str]]  # block inside -> emitted names of its module's ports


@dataclass(frozen=True)
class Inside:
    """A block inside: its module and the ports that the module really has."""

    table: Table
    module: str
    present: Sequence[str]

    def harness(self, cfg: Config, async_reset: bool = False) -> Harness:
        """What binds its checker; `cfg`: of the block around it."""
        config = composed.inner_config(self.table, cfg)
        return Harness(self.table, config, self.present, self.module, async_reset=async_reset)


def of_stub(table: Table, cfg: Config) -> list[Inside]:
    """Those of a block's stub."""
    return [
        Inside(part.table, part.table.module, part.table.clocked(p.name for p in ports))
        for part in composed.inner_parts(table, cfg)
        if (ports := part.ports.values())
    ]


def suspects(table: Table, cfg: Config, bound: Sequence[Inside], modules: Modules) -> list[str]:
    """PORT:BLOCK:LACKS for each output of a composed block that depends on what no checker inside
    compares. `modules`: the ports of the modules that are there, bound or not. Looked for is the
    nearest port that the compiler dropped, behind blocks without a checker only: one that has a
    checker and shows no difference got what is right. Else it is the block that drives the output,
    if that has no checker."""
    if not table.instances:
        return []
    lacking = {
        (part.table.name, port.name)
        for part in composed.inner_parts(table, cfg)
        if part.table.name in modules
        for port in part.ports.values()
        if port.direction == "out" and port.name not in modules[part.table.name]
    }
    bare = {raw["block"] for raw in table.instances} - {each.table.name for each in bound}
    if not lacking and not bare:
        return []
    found = []
    for output, levels in composed.drivers(table, cfg, bare).items():
        dropped = next(filter(None, ([d for d in ds if d in lacking] for ds in levels)), [])
        driving = [(block, "") for block, _ in levels[0] if block in bare]
        found += [f"{output}:{block}:{port}" for block, port in (dropped or driving)[:1]]
    return found


def of_rtl(
    design: object, top: object, found: Match, given: Mapping[str, str | int]
) -> tuple[list[Inside], list[str]]:
    """Those of a user's RTL (rtl.Design, rtl.Module), found by the names of their modules, and a
    note for each that is left out. Their ports show parameters that `found`, the match of the block
    around them, leaves open: it is narrowed."""
    inside, notes = [], []
    for table in composed.blocks(found.table)[1:]:
        try:
            inside.append(_of_module(design, top, table, found, given))
        except WlkError as error:
            notes.append(f"no checker for {table.name} inside: {error.message}")
    return inside, notes


def _of_module(
    design: object, top: object, table: Table, found: Match, given: Mapping[str, str | int]
) -> Inside:
    module = design.find(table.module)
    if not top.instances_of(module.name):
        raise WlkError(Status.NO_MODULE, f"{top.name} has no instance of {module.name}")
    words = {name: value for name, value in given.items() if name in table.params}
    own = match.match(table, module.ports(), words)
    own.require(f"{module.where}: module {module.name}")
    _narrow(found, own.params, module.name)
    return Inside(table, module.name, table.clocked(own.present))


def modules(design: object, top: object, table: Table) -> Modules:
    """The modules of the blocks inside that the RTL has by their names."""
    return {
        inner.name: [port.name for port in design.find(inner.module).ports()]
        for inner in composed.blocks(table)[1:]
        if top.instances_of(inner.module)
    }


def _narrow(found: Match, params: Mapping[str, ParamValue], module: str) -> None:
    """Keep the values that both allow; WlkError IFACE_CHANGED when a parameter has none."""
    narrowed: dict[str, ParamValue] = {}
    for name in params.keys() & found.params.keys():
        mine, other = found.params[name], params[name]
        both = tuple(value for value in mine.possible if value in other.possible)
        if mine.value not in both and mine.how == "given" or not both:
            param = found.table.params[name]
            allowed = " or ".join(param.show(v) for v in other.possible)
            message = f"{module}: {name}={param.show(mine.value)}, but its ports allow {allowed}"
            raise WlkError(Status.IFACE_CHANGED, message)
        if mine.how != "given" and both != mine.possible:
            default = found.table.params[name].default
            value = mine.value if mine.value in both else both[-1]
            narrowed[name] = dataclasses.replace(
                mine,
                value=default if default in both else value,
                possible=both,
                how="ports" if len(both) == 1 else mine.how,
                ambiguous=mine.ambiguous and len(both) > 1,
            )
    found.params.update(narrowed)
    found.config.update({name: item.value for name, item in narrowed.items()})
