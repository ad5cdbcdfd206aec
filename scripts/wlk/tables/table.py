# SPDX-License-Identifier: Apache-2.0
"""A block's port table (refmodel/FAMILY/NAME/block.toml), and what follows from it for a
configuration: its ports, their places in a record, how its parameters are read and shown."""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from ..base.errors import Status, WlkError, nearest
from .expr import Config, Expr, lane_step
from .fields import (
    WORD,
    Field,
    Layout,
    Member,
    Payload,
    Port,
    Slot,
    element_name,
    opaque_stem,
    place_members,
    walk,
)
from .files import DOUBT, Guess, label
from .params import Condition, ListParam, Param
from .rules import Change, Memory

FORMAT = 1
# WLK_DRIVER_PROFILES
DRIVER_PROFILES = (
    "mixed", "dense", "sparse", "held", "gated", "stuck", "partly", "corners", "few", "resets",
)  # fmt: skip


@dataclass(eq=False)
class Table:
    """A block's port table. Hashed by identity: what follows from one is made once."""

    name: str
    c_name: str
    module: str
    model_version: int
    clock: str | None
    reset: str | None
    spec: str
    doc: str
    params: dict[str, Param]
    fields: list[Field]
    channels: list[dict]
    rules: list[dict]
    covers: list[dict]
    configs: dict[str, dict]
    path: Path
    memories: dict[Memory, tuple[Change, ...]] = field(default_factory=dict)  # of the rules
    lets: dict[str, str] = field(default_factory=dict)  # names of expressions
    units: tuple[str, ...] = ()  # units that this table defines
    instances: tuple[dict, ...] = ()  # blocks inside a composed one
    constraints: tuple[Condition, ...] = ()  # legal values that are illegal together
    cautions: tuple[Condition, ...] = ()  # legal, but to be warned of
    lists: dict[str, ListParam] = field(default_factory=dict)
    members: tuple[Member, ...] = ()  # ports of its opaque fields
    profiles: tuple[str, ...] = DRIVER_PROFILES  # kinds of stimulus
    status: str = ""  # how far the model is confirmed
    small: str = ""  # a configuration that is built in seconds
    chosen: tuple[str, ...] = ()  # configurations in which parts of it come and go
    instructions: int = 0  # of a model step, at most
    core: str = ""  # the stub's core in rtl_stub/common, where blocks share one
    rtl: tuple[str, ...] = ()  # of a user's block: files and folders
    verilog: dict[str, str] = field(default_factory=dict)  # and parameters of its module
    core_set: dict[str, int] = field(default_factory=dict)  # parameters of it
    # Parts of a path that the name of a vector leaves out; None: no port may be a vector.
    vectors: tuple[str, ...] | None = None
    interfaces: dict[str, str] = field(default_factory=dict)  # first part of a path -> port
    slots: dict[tuple[str, tuple[int, ...]], Slot] = field(default_factory=dict)
    control: dict[str, int] = field(default_factory=dict)
    groups: dict[str, list[tuple[str, Expr, int]]] = field(default_factory=dict)
    guesses: tuple[Guess, ...] = ()
    whole: Self | None = None  # the table as it was before its opaque fields were opened

    # -- configurations --------------------------------------------------------------------
    def defaults(self) -> Config:
        return {p.name: p.default for p in self.params.values()}

    def config(self, given: dict[str, str | int]) -> Config:
        """Defaults overlaid with `given`; WlkError BAD_CONFIG names what is wrong."""
        return self.defaults() | self.values(given, self.defaults())

    def values(self, given: Mapping[str, str | int], base: Config, partial: bool = False) -> Config:
        """The parameters that `given` sets; lists depend on further ones of `given`, then `base`.
        `partial`: their entries may lack what ports show."""
        found: Config = {}
        for key, value in given.items():
            if not self.knows(key):
                hint = nearest(key, self.settings())
                message = f"config: block {self.name} has no parameter '{key}'{hint}"
                raise WlkError(Status.BAD_CONFIG, message)
            if key in self.params:
                found[key] = self.params[key].parse(value)
        for key in given.keys() & self.lists.keys():
            found = self.lists[key].parse(str(given[key]), base | found, partial) | found
        return found

    def knows(self, key: str) -> bool:
        """Is this a parameter, or a list?"""
        return key in self.params or key in self.lists

    def list_of(self, name: str) -> ListParam | None:
        """The list that a parameter is an item of, or None."""
        return self.lists.get(self.params[name].list_of)

    def settings(self) -> list[str]:
        """The parameters that a user gives."""
        plain = [p.name for p in self.params.values() if not p.list_of and not p.derived]
        return [*plain, *self.lists]

    def settings_of(self, names: Iterable[str]) -> list[str]:
        """The settings that these parameters belong to."""
        wanted = {self.params[name].list_of or name for name in names}
        return [key for key in self.settings() if key in wanted]

    def describe(self, key: str) -> tuple[str, str, str]:
        """Default, legal values and meaning of one of the keys, in words."""
        if key in self.lists:
            each = self.lists[key]
            legal = f"1..{each.most} of {each.form()}"
            return each.show(self.defaults()), legal, each.doc
        param = self.params[key]
        return param.show(param.default), param.describe(), param.doc

    def refusal(self, cfg: Config) -> str | None:
        """Why legal values are not legal together, in one line; None when they are."""
        return next(filter(None, (c.message(cfg) for c in self.constraints)), None)

    def require(self, cfg: Config) -> None:
        """WlkError BAD_CONFIG when legal values are not legal together."""
        if (why := self.refusal(cfg)) is not None:
            raise WlkError(Status.BAD_CONFIG, f"config: {self.name}: {why}")

    def warnings(self, cfg: Config) -> list[str]:
        """What a user of a legal configuration should know, a line each."""
        return [*self._unconfirmed(), *filter(None, (c.message(cfg) for c in self.cautions))]

    def _unconfirmed(self) -> Iterator[str]:
        """The guesses in its file, those of one text together."""
        by_text: dict[str, list[Guess]] = {}
        for each in self.guesses:
            by_text.setdefault(each.text, []).append(each)
        for text, alike in by_text.items():
            names = ", ".join(each.name for each in alike)
            where = f"{label(self.path)}:{alike[0].line}"
            where += f" to {alike[-1].line}" if len(alike) > 1 else ""
            how = f"remove the mark {DOUBT} where it is right, else correct the row"
            yield f"{where}: a guess: {text}: {names}; {how}"

    def show(self, cfg: Config, unknown: Collection[str] = ()) -> dict[str, int | str]:
        """A configuration as a person writes it (named values by name). `unknown`: parameters of
        lists that nothing shows."""
        return {
            k: self.lists[k].show(cfg, unknown) if k in self.lists else self._shown(k, cfg)
            for k in self.settings()
        }

    def _shown(self, name: str, cfg: Config) -> int | str:
        param = self.params[name]
        return param.names[cfg[name]] if param.names else cfg[name]

    def words(self, cfg: Config) -> list[str]:
        """A configuration as the programs in C take it: every parameter, and the opaque ports."""
        words = [f"{name}={value}" for name, value in self.plain(cfg).items()]
        return [*words, f"members={self.members_text()}"] if self.members else words

    def plain(self, cfg: Config) -> dict[str, int | str]:
        """Every parameter by itself, as vector files have them."""
        return {name: self._shown(name, cfg) for name in self.params}

    def members_text(self) -> str:
        """The ports of the opaque fields, as the programs in C take them."""
        return ",".join(member.text() for member in self.members)

    def fold(self, how: Mapping[str, str], cfg: Config) -> dict[str, str]:
        """How each parameter was found, by the keys that a user gives."""
        folded = {key: how[key] for key in self.settings() if key in how}
        for key, each in self.lists.items():
            names = [name for n, _, name in each.params() if n < each.length(cfg)]
            words = dict.fromkeys(how[name].partition(":")[0] for name in names if name in how)
            folded[key] = " and ".join(words)
        return folded

    # -- opaque fields ---------------------------------------------------------------------
    @property
    def opaque(self) -> list[Field]:
        return [item for item in self.fields if item.opaque]

    def opened(self, ports: Iterable[tuple[str, str | None, int]]) -> Self:
        """This table with the ports that its opaque fields have among those found."""
        if not self.opaque:
            return self
        largest = {p.name: max(p.legal) for p in self.params.values()}
        stems = {opaque_stem(item, i) for item in self.opaque for _, i in walk([item], largest)}
        known = {element_name(f, i) for f, i in self.elements(largest) if not f.opaque}
        found: dict[str, int] = {}
        for name, _, width in ports:
            heads = (name[: at + 1] for at, letter in enumerate(name) if letter == "_")
            stem = next((head for head in heads if head in stems), None)
            if stem is not None and name not in known:
                found.setdefault(name.removeprefix(stem), width)
        return self.with_members(found.items())

    def with_members(self, ports: Iterable[tuple[str, int]]) -> Self:
        """This table with these ports, (name, width), in its opaque fields; WlkError BAD_CONFIG."""
        whole, members = self.whole or self, place_members(ports)
        derived = next(p for p in whole.params.values() if p.derived)
        words = max((m.word + 1 for m in members), default=1)
        wide = [m.name for m in members if m.width > WORD]
        if wide or words > max(derived.legal):
            most = f"at most {WORD}" if wide else f"at most {max(derived.legal)}"
            what = f"port {wide[0]} has more bits: {most}" if wide else f"{words} words: {most}"
            raise WlkError(Status.IFACE_CHANGED, f"block {self.name}: opaque ports: {what}")
        only = replace(derived, legal=(words,), default=words)
        return replace(whole, members=members, params=whole.params | {only.name: only}, whole=whole)

    def text(self, cfg: Config) -> str:
        """`key=value key=value` in table order."""
        return " ".join(f"{k}={v}" for k, v in self.show(cfg).items())

    def name_lists(self, report: str, shown: Mapping[str, int | str]) -> str:
        """A report of the programs in C, which know no names, with its lists as in `shown`."""
        for key in self.lists:
            report = re.sub(rf"(?<= ){key}=[\d:,]+", f"{key}={shown[key]}", report)
        return report

    def unit_members(self, unit: str) -> list[Field]:
        """The fields of a unit, as one of its uses has them."""
        first = next(f for f in self.fields if f.unit == unit)
        return [f for f in self.fields if f.unit and f.unit_head == first.unit_head]

    # -- expansion -------------------------------------------------------------------------
    def present(self, item: Field, cfg: Config) -> bool:
        return item.when is None or bool(item.when(cfg))

    def elements(self, cfg: Config) -> Iterator[tuple[Field, tuple[int, ...]]]:
        """Every element in the order of the module: array index before member."""
        yield from walk(self.fields, cfg)

    def ports(self, cfg: Config, absent: bool = False) -> list[Port]:
        """Every port but the clock, in the order of the module.

        `absent`: also those whose `when` is false (they have a place in the record, always 0).
        """
        result = []
        layout = self.layout(cfg)
        payload_word = {(p.field.name, p.index): p.word for p in layout.payloads}
        for item, index in self.elements(cfg):
            if not absent and not self.present(item, cfg):
                continue
            if item.opaque:
                stem, first = opaque_stem(item, index), layout.opaque[item.name, index]
                result += [
                    Port(stem + m.name, item, index, None, m.width, first + m.word, m.lsb)
                    for m in self.members
                ]
                continue
            width = item.width(cfg)
            if item.lanes is None:
                word, lsb = self.place(item, index, cfg)
                name = element_name(item, index)
                result.append(Port(name, item, index, None, width, word, lsb))
                continue
            for lane in range(item.lanes(cfg)):
                bit = lane * lane_step(width)
                word = payload_word[item.name, index] + bit // WORD
                name = element_name(item, index, lane)
                result.append(Port(name, item, index, lane, width, word, bit % WORD))
        return result

    def valids(self, cfg: Config) -> dict[str, str]:
        """Ports that mean something while another one is 1 (`valid_when`), and that port."""
        ports = self.ports(cfg)
        places = {(port.field.flat, port.index): port.name for port in ports}
        depths = {port.field.flat: len(port.index) for port in ports}
        return {
            port.name: places[valid, port.index[: depths[valid]]]
            for port in ports
            if (valid := port.field.valid_when) in depths
        }

    def meaning(self, cfg: Config) -> dict[str, str]:
        """Outputs that mean nothing but while another port is 1, and that port."""
        exact = {
            port.name for port in self.ports(cfg) if port.direction == "in" or port.field.exact
        }
        return {name: valid for name, valid in self.valids(cfg).items() if name not in exact}

    def pins(self, clock: bool) -> list[Port]:
        """The reset, and the clock if it is wanted, as ports without a place in a record."""
        names = filter(None, (self.clock if clock else None, self.reset))
        plain = {"direction": "in", "width": Expr("1", self.name), "lanes": None, "when": None}
        plain |= {"read": True, "loose_width": False, "opaque": False}
        return [
            Port(name, replace(self.fields[0], name=name, **plain), (), None, 1, 0, 0)
            for name in names
        ]

    def clocked(self, names: Iterable[str]) -> list[str]:
        """Names of ports, and the clock's if the block has one."""
        return [*names, *([self.clock] if self.clock else [])]

    def place(self, item: Field, index: tuple[int, ...], cfg: Config) -> tuple[int, int]:
        """(word, lsb) of a control element in its record."""
        if item.packed:
            slot = self.slots[item.name, (0,) * len(index)]
            steps = zip(index, item.steps(), strict=True)
            return slot.word, slot.lsb + sum(i * step for i, step in steps)
        fixed, rest, instance, before = [], list(index), 0, 1
        for _, count in item.path:
            if count is None:
                continue
            position = rest.pop(0)
            if count.names:
                instance += position * before
                before *= count(cfg)
            else:
                fixed.append(position)
        slot = self.slots[item.name, tuple(fixed)]
        if slot.group is None:
            return slot.word, slot.lsb
        base = self.control[item.direction]
        for text, count, stride in self.groups[item.direction]:
            if text == slot.group:
                return base + instance * stride + slot.word, slot.lsb
            base += count(cfg) * stride
        raise AssertionError(item.name)

    def layout(self, cfg: Config) -> Layout:
        words = {}
        for side in ("in", "out"):
            words[side] = self.control[side] + sum(
                count(cfg) * stride for _, count, stride in self.groups[side]
            )
        opaque = {}
        for item in self.opaque:
            for _, index in walk([item], cfg):
                opaque[item.name, index] = words[item.direction]
                words[item.direction] += item.lanes(cfg)
        control = dict(words)
        payloads = []
        for item in self.fields:
            if item.lanes is None or item.opaque:
                continue
            bits = item.lanes(cfg) * lane_step(item.width(cfg))
            count = -(-bits // WORD)
            for _, index in walk([item], cfg):
                first = words[item.direction]
                payloads.append(Payload(item, index, item.direction, first, count, bits))
                words[item.direction] += count
        sizes = control["in"], control["out"], words["in"], words["out"]
        return Layout(*sizes, tuple(payloads), opaque)

    # -- vectors ---------------------------------------------------------------------------
    def vector(self, item: Field) -> str | None:
        """The name of the port that has all elements and lanes of a field side by side."""
        if self.vectors is None or item.port is not None:
            return None
        *head, leaf = (part for part, _ in item.path)
        kept = [part for part in head if part not in self.vectors]
        return item.prefix + "_".join([*kept, item.vector or leaf])

    def slices(self, cfg: Config) -> Iterator[tuple[str, int, Port]]:
        """Each port that may be a part of a vector: the vector, the port's lowest bit in it. They
        lie in the order of the ports, the first lowest."""
        used: dict[str, int] = {}
        for port in self.ports(cfg):
            name = self.vector(port.field)
            if name is not None:
                yield name, used.get(name, 0), port
                used[name] = used.get(name, 0) + port.width

    # -- identity --------------------------------------------------------------------------
    def schema(self) -> dict:
        """What a record means, without prose: the hashed identity of the table."""
        if self.whole is not None:  # whichever ports lie in its opaque words
            return self.whole.schema()
        return {
            "block": self.name,
            "format": FORMAT,
            "params": {p.name: [p.default, list(p.names)] for p in self.params.values()},
            "fields": [
                [f.name, f.direction, f.width.text, f.lanes.text if f.lanes else ""]
                for f in self.fields
            ],
            "slots": [[k[0], list(k[1]), s.group, s.word, s.lsb] for k, s in self.slots.items()],
            "groups": {d: [[t, n] for t, _, n in g] for d, g in self.groups.items()},
            "control": self.control,
        }

    def schema_hash(self) -> int:
        """64-bit identity of the record layout."""
        text = json.dumps(self.schema(), sort_keys=True, separators=(",", ":"))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")

    def require_profile(self, name: str) -> None:
        """WlkError USAGE when the block's stimulus has no profile of that name."""
        known = ("mix", *self.profiles)
        if name not in known:
            message = f"block {self.name} has no profile '{name}'{nearest(name, known)}"
            raise WlkError(Status.USAGE, message)
