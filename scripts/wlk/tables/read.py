# SPDX-License-Identifier: Apache-2.0
"""A table from its file."""

import functools
import itertools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..base.errors import Status, WlkError, nearest
from . import keys
from .fields import Field
from .files import (
    RTL,
    completed,
    decode,
    family_of,
    guesses,
    label,
    names,
    need,
    placed,
    table_path,
)
from .layout import lay_out
from .params import ListParam, Param
from .read_fields import expand, read_field
from .read_params import (
    check_parameters,
    conditions,
    entries,
    list_constraints,
    list_params,
    read_list,
    read_param,
)
from .rules import Change, Memory, Reader, read_changes, read_memory
from .table import DRIVER_PROFILES, FORMAT, Table


def parse(raw: dict, path: Path) -> Table:
    """A table from its decoded TOML; WlkError MODEL_ERROR names what is wrong and where."""
    where = label(path)
    if raw.get("format") != FORMAT:
        raise WlkError(Status.MODEL_ERROR, f"{where}: format {raw.get('format')} is not {FORMAT}")
    keys.check(raw, path)
    need(raw, where, "block", "param", "field")
    block = raw["block"]
    need(block, f"{where}: block", "name", "module", "model_version", "spec", "doc")
    family = family_of(block.get("family"), where)
    raw = completed(raw, where)
    params, lists = _parameters(raw, where)
    fields = _fields(raw, params, path)
    rules, memories = _rules(raw, fields, params, where)
    table = Table(
        name=block["name"],
        c_name=block.get("c_name", block["name"]),
        module=block["module"],
        model_version=block["model_version"],
        clock=block.get("clock"),
        reset=block.get("reset"),
        spec=block["spec"],
        doc=block["doc"],
        params=params,
        fields=fields,
        channels=entries(raw.get("channel", []), lists, where),
        rules=rules,
        memories=memories,
        covers=raw.get("cover", []),
        configs=_configs(raw.get("config", {}), where),
        lets=raw.get("let", {}),
        path=path,
        units=tuple(unit["name"] for unit in raw.get("unit", [])),
        instances=tuple(raw.get("instance", [])),
        constraints=(
            *itertools.chain.from_iterable(map(list_constraints, lists.values())),
            *conditions("constraint", raw, family, set(params), where, lists),
        ),
        cautions=tuple(conditions("warning", raw, family, set(params), where, lists)),
        lists=lists,
        status=block.get("status", ""),
        profiles=tuple(block.get("profiles", DRIVER_PROFILES)),
        core=block.get("core", ""),
        vectors=tuple(block["vectors"]) if "vectors" in block else None,
        interfaces=block.get("interfaces", {}),
        core_set=block.get("core_set", {}),
        guesses=tuple(guesses(path)),
        rtl=tuple(block.get("rtl", [RTL])),
        verilog={key: str(text) for key, text in block.get("verilog", {}).items()},
        **_test(raw, where),
    )
    _check_fields(table)
    _check_covers(table)
    lay_out(table)
    return _open(table, block.get("members", family.get("members", "")))


def _parameters(raw: dict, where: str) -> tuple[dict[str, Param], dict[str, ListParam]]:
    """Parameters, those that lists stand for last, and the lists."""
    params = {p.name: p for p in (read_param(each, where) for each in raw["param"])}
    lists = {}
    for each in raw.get("list", []):
        found, default = read_list(each, where)
        lists[found.name] = found
        base = {p.name: p.default for p in params.values()}
        params |= {p.name: p for p in list_params(found, default, base)}
    return params, lists


def _configs(raw: object, where: str) -> dict[str, dict[str, int | str]]:
    if not isinstance(raw, dict) or not all(isinstance(text, str) for text in raw.values()):
        how = 'write config.NAME = "KEY=VALUE KEY=VALUE" for each, as tables do since 0.5'
        raise WlkError(Status.MODEL_ERROR, f"{where}: config: {how}")
    return {name: settings(text, f"{where}: config {name}") for name, text in raw.items()}


def settings(text: str, where: str) -> dict[str, int | str]:
    """A configuration from `KEY=VALUE KEY=VALUE`; WlkError MODEL_ERROR."""
    found: dict[str, int | str] = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals or key in found:
            why = f"{key} is given twice" if equals else f"'{word}' is not KEY=VALUE"
            raise WlkError(Status.MODEL_ERROR, f"{where}: {why}")
        found[key] = int(value) if value.isdecimal() else value
    return found


def _fields(raw: dict, params: Mapping[str, Param], path: Path) -> list[Field]:
    legal = {p.name: p.legal for p in params.values()}
    prefix = raw["block"].get("prefix", "io_")
    fields = [
        replace(read_field(each, label(path), legal), prefix=prefix) for each in expand(raw, path)
    ]
    for item in fields:
        for expr in (item.when, item.group):
            if expr is not None:
                check_parameters(expr, set(params))
    for one, other in itertools.pairwise(fields):
        _check_counts(one, other, label(path))
    return fields


def _check_counts(one: Field, other: Field, where: str) -> None:
    """Elements of one array stand side by side: it has one count in both."""
    for (part, count), (again, other_count) in zip(one.path, other.path, strict=False):
        if part != again:
            return
        texts = [each.text if each else "none" for each in (count, other_count)]
        if texts[0] != texts[1]:
            how = f"{part} has the count {texts[1]}, and in {one.name} {texts[0]}; write one"
            raise WlkError(Status.MODEL_ERROR, f"{where}: field {other.name}: {how}")


def _rules(
    raw: dict, fields: list[Field], params: Mapping[str, Param], where: str
) -> tuple[list[dict], dict[Memory, tuple[Change, ...]]]:
    """The protocol rules, with their conditions read, and what they remember."""
    rows = [(row, f"{where}: memory {row.get('name', '?')}") for row in raw.get("memory", [])]
    memories = [read_memory(row, at, set(params)) for row, at in rows]
    known = {item.flat: item for item in fields}
    if twice := [each.flat for each in memories if each.flat in known]:
        raise WlkError(Status.MODEL_ERROR, f"{where}: memory {twice[0]}: a field has this name")
    reader = Reader(known, {each.flat: each for each in memories}, set(params))
    changes = [read_changes(row, at, reader) for row, at in rows]
    found = []
    for rule in raw.get("rule", []):
        at = f"{where}: rule {rule.get('name', '?')}"
        need(rule, at, "name", "doc", "broken")
        texts = rule["broken"] if isinstance(rule["broken"], list) else [rule["broken"]]
        found.append(rule | {"broken": [reader.condition(text, at) for text in texts]})
    return found, dict(zip(memories, changes, strict=True))


def _test(raw: dict, where: str) -> dict:
    """What tests have of this block; the first configuration, and all of them, by default."""
    test, names = raw.get("test", {}), list(raw.get("config", {}))
    if unknown := test.keys() - {"small", "chosen", "instructions"}:
        raise WlkError(Status.MODEL_ERROR, f"{where}: test: unknown key {min(unknown)}")
    made = {"small": next(iter(names), ""), "chosen": names} | test
    for name in (made["small"], *made["chosen"]):
        if name and name not in names:
            raise WlkError(Status.MODEL_ERROR, f"{where}: test: no configuration '{name}'")
    return made | {"chosen": tuple(made["chosen"])}


def _open(table: Table, text: str) -> Table:
    """The table with the ports of its opaque fields, `name:width name:width`."""
    if not table.opaque:
        return table
    parts = (each.partition(":") for each in text.split())
    opened = table.with_members((name, int(width)) for name, _, width in parts)
    if opened.defaults() != table.defaults():
        derived = next(p for p in opened.params.values() if p.derived)
        where = f"{label(table.path)}: members"
        message = f"{where}: {derived.name} must be {derived.default}, by default too"
        raise WlkError(Status.MODEL_ERROR, message)
    return opened


def _check_fields(table: Table) -> None:
    """MODEL_ERROR when something refers to a field that is not there."""
    known = {item.flat for item in table.fields}
    uses = [(f"field {f.name}", n) for f in table.fields for n in (f.valid_when, *f.x_hides) if n]
    for channel in table.channels:
        where = f"channel {channel.get('name', '?')}"
        need(channel, f"{label(table.path)}: {where}", "name", "valid")
        names = [channel["valid"], channel.get("ready"), *channel.get("bits", [])]
        uses += [(where, name) for name in names if name is not None]
    for where, name in uses:
        if name not in known:
            raise WlkError(Status.MODEL_ERROR, f"{label(table.path)}: {where}: no field '{name}'")


def _check_covers(table: Table) -> None:
    """MODEL_ERROR when a coverage point lacks what the table or its family must give."""
    for point in table.covers:
        where = f"{label(table.path)}: cover {point.get('name', '?')}"
        need(point, where, "name", "doc", "floor")


# What comes of a list, say, where a text is wanted.
WRONG_TYPE = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError)


def load(name: str) -> Table:
    """The table of block `name`; WlkError USAGE lists the blocks when there is none."""
    path = table_path(name)
    if path is None or not path.is_file():
        hint = nearest(name, names(), "the blocks are")
        raise WlkError(Status.USAGE, f"no block '{name}'{hint}")
    return _loaded(path)


@functools.cache
def _loaded(path: Path) -> Table:
    """The table of a file, which many ask for; nobody may change it."""
    try:
        return parse(decode(path), path)
    except WlkError as error:
        raise WlkError(error.status, placed(path, error.message)) from error
    except WRONG_TYPE as error:
        what = f"a value is of another type than its key has ({type(error).__name__}: {error})"
        message = f"{label(path)}: {what}; docs/port-tables.md lists the keys"
        raise WlkError(Status.MODEL_ERROR, message) from error
