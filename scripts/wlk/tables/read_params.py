# SPDX-License-Identifier: Apache-2.0
"""Configurations in a table: parameters, lists, what is refused or warned of.

Also what a list does to the rest of a table: items that each of its entries has.
"""

import itertools
import string
from collections.abc import Iterator, Mapping

from ..base.errors import Status, WlkError
from .expr import Config, Expr
from .files import need
from .params import Condition, Item, ListParam, Param, Words

MOST_VALUES = 1 << 16  # of a parameter: each stands in the generated C


def _span(raw: dict, where: str) -> tuple[int, ...]:
    """All values from min to max."""
    found = range(raw["min"], raw["max"] + 1)
    if len(found[: MOST_VALUES + 1]) > MOST_VALUES:
        message = f"{where}: max = {raw['max']}: a parameter has at most {MOST_VALUES} values"
        raise WlkError(Status.MODEL_ERROR, f"{message}; give a smaller max, or pow2 or values")
    return tuple(found)


def read_param(raw: dict, table: str) -> Param:
    """A parameter; `table`: the file, for error messages."""
    where = f"{table}: param {raw.get('name', '?')}"
    values = raw.get("values")
    names: tuple[str, ...] = ()
    need(raw, where, "name", "default", *(() if values else ("min", "max")))
    if values and isinstance(values[0], str):
        names = tuple(values)
        legal = tuple(range(len(names)))
        default = names.index(raw["default"]) if raw["default"] in names else -1
    else:
        if values:
            legal = tuple(values)
        elif raw.get("pow2"):
            legal = tuple(1 << i for i in range(64) if raw["min"] <= 1 << i <= raw["max"])
        else:
            legal = _span(raw, where)
        default = raw["default"]
    if default not in legal:
        raise WlkError(Status.MODEL_ERROR, f"{where}: the default is not legal")
    rest = {key: raw[key] for key in ("behavioural", "doc", "derived") if key in raw}
    return Param(raw["name"], default, legal, names, **rest)


def read_list(raw: dict, table: str) -> tuple[ListParam, str]:
    """A list and the text of its default."""
    where = f"{table}: list {raw.get('name', '?')}"
    need(raw, where, "name", "most", "default", "key", "item")
    items = []
    for each in raw["item"]:
        need(each, f"{where}: item {each.get('name', '?')}", "name", "min", "max")
        words = [
            Words(Expr(w["when"], where), {k: v for k, v in w.items() if k != "when"})
            for w in each.get("words", [])
        ]
        legal = _span(each, where)
        rest = {key: each[key] for key in ("doc", "behavioural", "once") if key in each}
        items.append(Item(each["name"], legal, tuple(words), **rest))
    found = ListParam(raw["name"], raw["most"], tuple(items), raw["key"], raw.get("doc", ""))
    return found, raw["default"]


def list_params(each: ListParam, default: str, base: Config) -> Iterator[Param]:
    """The parameters that a list stands for; 0 is legal in each: there is no such entry."""
    values = each.parse(default, base)
    for entry, item, name in each.params():
        yield Param(
            name,
            values[name],
            tuple(sorted({0, *item.legal})),
            behavioural=item.behavioural,
            doc=f"{item.doc or item.name}, of entry {entry}",
            list_of=each.name,
        )


def list_constraints(each: ListParam) -> Iterator[Condition]:
    """Entries stand side by side from 0 on, and what is not there is 0."""
    for entry, item, name in each.params():
        key, where = f"{each.name}_{entry}_{each.key}", f"list {each.name}"
        if item.name != each.key:
            text = f"{each.name}: entry {entry} is not there, but its {item.name} is not 0"
            yield Condition(Expr(f"{key} == 0 and {name} != 0", where), text, entry)
            if 0 not in item.legal:
                text = f"{each.name}: entry {entry} lacks its {item.name}"
                yield Condition(Expr(f"{key} != 0 and {name} == 0", where), text, entry)
        elif entry:
            before = f"{each.name}_{entry - 1}_{each.key}"
            text = f"{each.name}: entry {entry} is there, but entry {entry - 1} is not"
            yield Condition(Expr(f"{key} != 0 and {before} == 0", where), text, entry)


def conditions(
    key: str, own: dict, family: dict, params: set[str], where: str, lists: Mapping[str, ListParam]
) -> Iterator[Condition]:
    """Those of the family that speak of no other parameters, and the table's own; one with
    `each = LIST` holds for each entry, whose number stands for @."""
    for source, shared in ((family, True), (own, False)):
        for raw in _each_condition(source.get(key, []), lists):
            need(raw, f"{where}: {key}", "when", "text")
            when = Expr(raw["when"], f"{where}: {key}")
            if shared and not when.names <= params:
                continue
            check_parameters(when, params)
            named = _named(raw["text"], f"{where}: {key}")
            if not named <= params:
                strangers = ", ".join(sorted(named - params))
                message = f"{where}: {key}: the text names no parameter: {strangers or '{}'}"
                raise WlkError(Status.MODEL_ERROR, message)
            yield Condition(when, raw["text"], raw.get("entry"))


def _named(text: str, where: str) -> set[str]:
    """What stands in braces in a text; MODEL_ERROR for braces that hold more than a name."""
    try:
        parts = [part[1:] for part in string.Formatter().parse(text) if part[1] is not None]
    except ValueError as error:
        message = f"{where}: the text: {error}; write {{NAME}} of a parameter, or {{{{ for a brace"
        raise WlkError(Status.MODEL_ERROR, message) from error
    if any(spec or conversion for _, spec, conversion in parts):
        raise WlkError(
            Status.MODEL_ERROR, f"{where}: the text: write {{NAME}} of a parameter alone"
        )
    return {name for name, _, _ in parts}


def _each_condition(raws: list[dict], lists: Mapping[str, ListParam]) -> Iterator[dict]:
    for raw in raws:
        if "each" not in raw:
            yield raw
            continue
        each = lists.get(raw["each"])  # none: a family's, of blocks that have the list
        for entry in range(each.most if each else 0):
            made = _numbered(raw, entry) | {"entry": entry}
            made["when"] = f"{each.name}_{entry}_{each.key} != 0 and ({made['when']})"
            yield made


def entries(raw: list[dict], lists: Mapping[str, ListParam], where: str) -> list[dict]:
    """Runs of items with `each = LIST` once an entry, the highest first; @ is its number."""
    result: list[dict] = []
    for name, run in itertools.groupby(raw, lambda item: item.get("each")):
        items = list(run)
        if name is None:
            result += items
            continue
        if name not in lists:
            raise WlkError(Status.MODEL_ERROR, f"{where}: each: there is no list '{name}'")
        for entry in reversed(range(lists[name].most)):
            result += [
                _numbered(x, entry) | {"entry": entry, "stem": x.get("name", "")} for x in items
            ]
    return result


def spread(lists: Mapping[str, ListParam], raw: dict) -> dict:
    """A field whose `x_hides` name with @ what each entry of the list has."""
    numbers = range(max((each.most for each in lists.values()), default=0))
    names = [
        name.replace("@", str(entry))
        for name in raw.get("x_hides", [])
        for entry in (numbers if "@" in name else [0])
    ]
    return raw | {"x_hides": names} if names else raw


def _numbered(raw: dict, entry: int) -> dict:
    """A table's item with the number of an entry in place of @."""

    def put(value: object) -> object:
        if isinstance(value, str):
            return value.replace("@", str(entry))
        return [put(each) for each in value] if isinstance(value, list) else value

    return {key: put(value) for key, value in raw.items() if key != "each"}


def check_parameters(expr: Expr, known: set[str]) -> None:
    """MODEL_ERROR when an expression names what is no parameter."""
    if not expr.names <= known:
        strangers = ", ".join(sorted(expr.names - known))
        message = f"{expr.where}: '{expr.text}' names no parameter: {strangers}"
        raise WlkError(Status.MODEL_ERROR, message)
