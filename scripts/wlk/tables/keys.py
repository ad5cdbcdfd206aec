# SPDX-License-Identifier: Apache-2.0
"""The keys that a table may have, and the types of their values; what is said of others: file,
line, and the nearest key or the type that is wanted."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..base.errors import Status, WlkError, nearest
from .files import line_of
from .read_fields import FIELD_KEYS, MIRROR_KEYS

_ROWS = {
    "param": "name default min max pow2 values behavioural derived doc each",
    "list": "name default most key item doc",
    "channel": "name valid ready bits each",
    "rule": "name spec doc broken",
    "memory": "name value when size change count most doc",
    "cover": "name doc floor when",
    "constraint": "when text each",
    "warning": "when text each",
    "unit": "name of",
    "instance": "name block wires lost gated",
}
ROWS = {key: frozenset(names.split()) for key, names in _ROWS.items()}
BLOCK = frozenset(
    """name c_name module model_version clock reset profiles spec doc status prefix vectors
    interfaces core core_set members family rtl verilog""".split()
)
CHANGE = frozenset("when add remove".split())
ITEM = frozenset("name min max words doc behavioural once".split())
TEST = frozenset("small chosen instructions".split())
# Other values than a text.
_KINDS = {
    "a number": "model_version most min max first max_width floor instructions",
    "true or false": "pow2 behavioural once derived opaque read loose_width exact flip",
    "a list of texts": "profiles vectors rtl bits x_hides unread lost chosen",
    "a table": "interfaces core_set verilog wires gated",
    "a list": "values item words fields change",
    "a number or a text": "width lanes default when size",
    "a text, or a list of texts": "broken",
}
KINDS = {key: kind for kind, keys in _KINDS.items() for key in keys.split()}
TOP = frozenset(["format", "block", "test", "field", "let", "config", *ROWS])


def check(raw: Mapping[str, Any], path: Path) -> None:
    """MODEL_ERROR for the first key that no table has, or whose value is of another type."""
    _require_kinds(raw, path)
    for where, texts, why in _wrong(raw):
        raise WlkError(Status.MODEL_ERROR, f"{line_of(path, *texts)}: {where}{why}")


# Where, texts that lead to its line, and what is wrong with it.
Finding = tuple[str, tuple[str, ...], str]


def _wrong(raw: Mapping[str, Any]) -> Iterator[Finding]:
    yield from _unknown(raw, TOP, "", ())
    for name, known in (("block", BLOCK), ("test", TEST)):
        yield from _of(raw.get(name, {}), known, f"{name}: ", (name,))
    for kind in ROWS:
        for row in _rows(raw, kind):
            yield from _of_row(row, ROWS[kind], kind)
            for item in _rows(row, "item") if kind == "list" else ():
                yield from _of_row(item, ITEM, "item")
            for change in _rows(row, "change") if kind == "memory" else ():
                yield from _of_row(change, CHANGE, f"memory {row.get('name')}: change")
    settings = [row["name"] for kind in ("param", "list") for row in _rows(raw, kind)
                if isinstance(row.get("name"), str)]  # fmt: skip
    for name, text in raw.get("config", {}).items() if isinstance(raw.get("config"), dict) else ():
        given = [w.partition("=")[0] for w in str(text).split() if "=" in w]
        yield from _unknown(given, settings, f"config {name}: ", ("config", name))
    for row in _rows(raw, "field"):
        yield from _of_row(row, _keys_of_field(row), "field")
        for inner in _rows(row, "fields"):
            yield from _of_row(inner, FIELD_KEYS, "field")


def _keys_of_field(row: Mapping[str, Any]) -> Collection[str]:
    if "mirror" in row:
        return MIRROR_KEYS | {"each"}
    return FIELD_KEYS | {"each", "fields"}


def _of_row(row: Mapping[str, Any], known: Collection[str], kind: str) -> Iterator[Finding]:
    name = row.get("name")
    texts = (kind, f'"{name}"') if isinstance(name, str) else (kind,)
    yield from _of(row, known, f"{kind} {name}: " if name else f"{kind}: ", texts)


def _of(
    values: Mapping[str, Any], known: Collection[str], where: str, texts: tuple[str, ...]
) -> Iterator[Finding]:
    yield from _unknown(values, known, where, texts)
    for key, value in values.items():
        kind = KINDS.get(key, "a text")
        if not _is(kind, value):
            yield where, (*texts, key), f"{key}: found {value!r:.40}; {kind} is wanted"


def _unknown(
    keys: Iterable[str], known: Collection[str], where: str, texts: tuple[str, ...]
) -> Iterator[Finding]:
    for key in keys:
        if key not in known:
            hint = nearest(key, sorted(known), "there are")
            yield where, (*texts, key), f"unknown key {key}{hint}"


def _is(kind: str, value: Any) -> bool:
    match value:
        case bool():
            return kind == "true or false"
        case str() | int():
            return ("a text" if isinstance(value, str) else "a number") in kind
        case list():
            is_texts = all(isinstance(each, str) for each in value)
            return kind == "a list" or ("list of texts" in kind and is_texts)
        case Mapping():
            return kind == "a table"
    return False


def _require_kinds(raw: Mapping[str, Any], path: Path) -> None:
    """MODEL_ERROR where rows, or keys, are something else."""
    for key, value in raw.items():
        is_rows = isinstance(value, list) and all(isinstance(row, Mapping) for row in value)
        if key in ("field", *ROWS) and not is_rows:
            form = f"a list of rows is wanted, as {key} = [{{ name = … }}]"
        elif key in ("block", "test", "let") and not isinstance(value, Mapping):
            form = f"keys are wanted, as {key}.KEY = VALUE"
        else:
            continue
        raise WlkError(Status.MODEL_ERROR, f"{line_of(path, key)}: {key}: {form}")


def _rows(raw: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    return [row for row in raw.get(kind, []) if isinstance(row, Mapping)]
