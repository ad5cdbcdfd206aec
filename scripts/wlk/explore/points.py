# SPDX-License-Identifier: Apache-2.0
"""Points of the design space: names, options and single parameters, as configurations.

A point is written `NAME[+OPTION] [KEY=VALUE ...]`: a point of muon-designs §1, changed by one of
its options, then by parameters.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import tables
from ..base.errors import Status, WlkError
from ..tables.files import decode
from ..tables.params import Param

SPACE = Path(__file__).with_name("space.toml")
BLOCK = "issue_x"
ROWS, BUFFER = "rows", "buffer"  # values that follow from rs_entries


@functools.cache
def space() -> Mapping[str, Any]:
    """The decoded space.toml."""
    return decode(SPACE)


@functools.cache
def params() -> Mapping[str, Param]:
    """The parameters of the stage, in the order in which they are shown."""
    return tables.load(BLOCK).params


@dataclass(frozen=True)
class Point:
    """A configuration of the stage."""

    title: str  # as it is written
    values: Mapping[str, int]  # of all parameters; one with names by the position of its name

    def __getitem__(self, name: str) -> int:
        return self.values[name]

    def word(self, name: str) -> str:
        """A value by its name."""
        return params()[name].show(self.values[name])

    @property
    def words(self) -> str:
        """What differs from the defaults, as `KEY=VALUE ...`."""
        usual = {name: param.default for name, param in params().items()}
        return " ".join(f"{k}={self.word(k)}" for k, v in self.values.items() if v != usual[k])

    @property
    def warnings(self) -> list[str]:
        """What the table says of a configuration that is legal."""
        return tables.load(BLOCK).warnings(dict(self.values))

    def changed(self, key: str, text: str, where: str) -> "Point":
        """The same with another value, which its title shows."""
        words = [word for word in self.title.split() if not word.startswith(f"{key}=")]
        return parse(" ".join([*words, f"{key}={text}"]), where)


def parse(text: str, where: str) -> Point:
    """A point as a person writes it; BAD_CONFIG names `where` it stands."""
    words = text.split()
    head, *options = words[0].split("+") if words else [""]
    rest = words[1:]
    while rest and rest[0].startswith("+"):  # "src +option2_1"
        options += rest.pop(0).removeprefix("+").split("+")
    _known("point", head, space()["point"], where)
    given = dict(_pairs(rest, where))
    rows = {key: value for key, value in given.items() if key == "rs_entries"}
    config = _with(_defaults(), rows, where)
    config = _with(config, _settings(space()["point"][head], where), where)
    for option in options:
        _known("option", option, space()["option"], where)
        config = _with(config, _option(option, config, where), where)
    config = _with(config, given, where)
    title = "+".join([head, *options])
    return Point(" ".join([title, *(f"{k}={v}" for k, v in given.items())]), config)


def named() -> list[str]:
    """The named points, each as it is and with each option."""
    return [
        name + suffix
        for name in space()["point"]
        for suffix in ("", *(f"+{option}" for option in space()["option"]))
    ]


def parse_value(key: str, text: str, where: str) -> int:
    """A value of a parameter; BAD_CONFIG names `where` it stands, and what is legal."""
    if key not in params():
        message = f"{where}: there is no parameter '{key}'; there are {', '.join(params())}"
        raise WlkError(Status.BAD_CONFIG, message)
    try:
        return params()[key].parse(text)
    except WlkError as error:
        message = error.message.removeprefix("config: ")
        raise WlkError(Status.BAD_CONFIG, f"{where}: {message}") from None


def block_config(point: Point, table: tables.Table) -> tables.Config:
    """The configuration of a block that has some of the parameters."""
    return table.config({k: point.word(k) for k in table.params if k in point.values})


def _defaults() -> dict[str, int]:
    return {name: param.default for name, param in params().items()}


def _with(config: Mapping[str, int], given: Mapping[str, str], where: str) -> dict[str, int]:
    """A configuration with other values, `rows` and `buffer` among them."""
    found = dict(config)
    rows = config["rs_entries"]
    derived = {ROWS: rows, BUFFER: 3 * rows + 1}
    for key, text in given.items():
        found[key] = parse_value(key, str(derived.get(text, text)), where)
    return found


def _option(name: str, config: Mapping[str, int], where: str) -> Mapping[str, str]:
    """What an option sets at a point."""
    for case in space()["option"][name]:
        needs = _settings(case.get("where", ""), where)
        if all(config[key] == parse_value(key, text, where) for key, text in needs.items()):
            return _settings(case["set"], where)
    raise WlkError(Status.MODEL_ERROR, f"{SPACE.name}: option {name} has no case without `where`")


def _settings(text: str, where: str) -> dict[str, str]:
    return dict(_pairs(text.split(), where))


def _pairs(words: Sequence[str], where: str) -> Iterator[tuple[str, str]]:
    for word in words:
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise WlkError(Status.BAD_CONFIG, f"{where}: '{word}' is not KEY=VALUE")
        yield key, value


def _known(kind: str, name: str, legal: Mapping[str, Any], where: str) -> None:
    if name not in legal:
        message = f"{where}: there is no {kind} '{name}'; there are {', '.join(legal)}"
        raise WlkError(Status.BAD_CONFIG, message)
