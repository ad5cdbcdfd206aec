# SPDX-License-Identifier: Apache-2.0
"""What a configuration is: parameters, lists, and values that are refused together."""

import contextlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from ..base.errors import Status, WlkError
from .expr import Config, Expr


@dataclass(frozen=True)
class Param:
    """A parameter of a block. A value is an int; a named value is its position in `names`."""

    name: str
    default: int
    legal: tuple[int, ...]
    names: tuple[str, ...] = ()
    behavioural: bool = False
    doc: str = ""
    list_of: str = ""  # the list it is an item of
    derived: bool = False  # follows from the ports that an opaque field has: nobody gives it

    def show(self, value: int) -> str:
        """The value as a person writes it."""
        return self.names[value] if self.names else str(value)

    def describe(self) -> str:
        """The legal values in words."""
        if self.names:
            return " | ".join(self.names)
        if len(self.legal) <= 2:
            return " or ".join(map(str, self.legal))
        if self.legal[-1] - self.legal[0] + 1 != len(self.legal):
            return "one of " + ", ".join(map(str, self.legal))
        return f"{self.legal[0]}..{self.legal[-1]}"

    def parse(self, text: str | int | bool) -> int:
        """A value from what a person wrote; WlkError BAD_CONFIG when it is not legal."""
        if self.names:
            if str(text) in self.names:
                return self.names.index(str(text))
        else:
            words = {"true": 1, "on": 1, "false": 0, "off": 0}
            with contextlib.suppress(ValueError):
                lowered = str(text).lower()
                value = words[lowered] if lowered in words else int(lowered, 0)
                if value in self.legal:
                    return value
        message = f"config: {self.name}={text} is not legal; give {self.name}={self.describe()}"
        raise WlkError(Status.BAD_CONFIG, message)


@dataclass(frozen=True)
class Words:
    """Names of some values of a list's item, in configurations in which `when` holds."""

    when: Expr
    values: Mapping[str, int]


@dataclass(frozen=True)
class Item:
    """What an entry of a list holds of one thing."""

    name: str
    legal: tuple[int, ...]  # of an entry that is there
    words: tuple[Words, ...] = ()
    doc: str = ""
    behavioural: bool = False
    # Entries usually have its words in their order, each word once. Another configuration is legal
    # where it is given, and never inferred.
    once: bool = False

    def usual(self, entry: int, cfg: Config) -> int | None:
        """The word of an entry where each stands once; None: there is none."""
        words = list(self.named(cfg).values()) if self.once else []
        return words[entry] if entry < len(words) else None

    def parse(self, text: str, cfg: Config, where: str) -> int:
        """A value from its name, or from a number; WlkError BAD_CONFIG."""
        named = self.named(cfg)
        with contextlib.suppress(ValueError):
            value = named[text] if text in named else int(text, 0)
            if value in self.legal:
                return value
        legal = " | ".join([*named, f"{self.legal[0]}..{self.legal[-1]}"])
        message = f"config: {where}: {self.name}={text} is not legal; give {legal}"
        raise WlkError(Status.BAD_CONFIG, message)

    def named(self, cfg: Config) -> Mapping[str, int]:
        """The names there are in a configuration."""
        return next((w.values for w in self.words if w.when(cfg)), {})

    def show(self, value: int, cfg: Config) -> str:
        """The value by its name, where it has one."""
        return next((n for n, v in self.named(cfg).items() if v == value), str(value))


@dataclass(frozen=True)
class ListParam:
    """A parameter that is a list, `A:2:1,B:1:1`: an item of an entry is a parameter `NAME_0_ITEM`.

    Those of an entry that is not there are 0; the key of one that is there is not.
    """

    name: str
    most: int
    items: tuple[Item, ...]
    key: str  # the item that is 0 where there is no entry
    doc: str

    def param(self, entry: int, item: Item) -> str:
        return f"{self.name}_{entry}_{item.name}"

    def params(self) -> Iterator[tuple[int, Item, str]]:
        """(entry, item, parameter) in the order of the configuration."""
        for entry in range(self.most):
            for item in self.items:
                yield entry, item, self.param(entry, item)

    def items_of(self, names: Collection[str]) -> list[str]:
        """The items of which these parameters are values."""
        return list(dict.fromkeys(item.name for _, item, name in self.params() if name in names))

    def is_named(self, name: str, cfg: Config) -> bool:
        """Has the item that this parameter is a value with a name?"""
        return cfg[name] in self.item_of(name).named(cfg).values()

    def form(self) -> str:
        """What an entry looks like: `type:dispatch_width:issue_width`."""
        return ":".join(item.name for item in self.items)

    def parse(self, text: str, cfg: Config, partial: bool = False) -> Config:
        """The parameters of a list as a person wrote it; WlkError BAD_CONFIG. `partial`: an entry
        may lack its last items, which ports show."""
        entries = text.split(",") if text else []
        if len(entries) > self.most:
            message = f"config: {self.name}={text}: {len(entries)} entries; at most {self.most}"
            raise WlkError(Status.BAD_CONFIG, message)
        found = {name: 0 for _, _, name in self.params()}
        for number, entry in enumerate(entries):
            where, words = f"{self.name}: entry {number} '{entry}'", entry.split(":")
            if len(words) > len(self.items) or (len(words) < len(self.items) and not partial):
                message = f"config: {where}: give {self.form()}"
                raise WlkError(Status.BAD_CONFIG, message)
            for item, word in zip(self.items, words, strict=False):
                found[self.param(number, item)] = item.parse(word, cfg, where)
            for item in self.items[len(words) :]:
                del found[self.param(number, item)]
        return found

    def item_of(self, name: str) -> Item:
        """The item that a parameter is a value of."""
        return next(item for _, item, param in self.params() if param == name)

    def usual(self, name: str, cfg: Config) -> int | None:
        """The usual value of a parameter where its words stand once; None: it has none."""
        entry = next(entry for entry, _, param in self.params() if param == name)
        return self.item_of(name).usual(entry, cfg)

    def is_usual(self, cfg: Config, given: Collection[str]) -> bool:
        """Does each word stand once, where that is usual? What is given may be any."""
        for item in (item for item in self.items if item.once):
            names = [self.param(entry, item) for entry in range(self.length(cfg))]
            values = [cfg[name] for name in names if name not in given]
            if len({*values}) < len(values) or not {*values} <= {*item.named(cfg).values()}:
                return False
        return True

    def length(self, cfg: Config) -> int:
        """Entries that are there."""
        return sum(cfg[f"{self.name}_{n}_{self.key}"] != 0 for n in range(self.most))

    def show(self, cfg: Config, unknown: Collection[str] = ()) -> str:
        """The list as a person writes it, without the last items that are `unknown` of each entry:
        nothing shows these parameters."""
        entries, items = range(self.length(cfg)), list(self.items)
        while len(items) > 1 and all(self.param(n, items[-1]) in unknown for n in entries):
            items.pop()
        return ",".join(
            ":".join(item.show(cfg[self.param(n, item)], cfg) for item in items) for n in entries
        )


@dataclass(frozen=True)
class Condition:
    """Configurations that are refused, or warned of, and the message for one."""

    when: Expr
    text: str  # {name} stands for the value of a parameter
    entry: int | None = None  # of one that each entry of a list has: whose it is

    def message(self, cfg: Config) -> str | None:
        """The text for a configuration of this kind, None for another."""
        return self.text.format_map(cfg) if self.when(cfg) else None
