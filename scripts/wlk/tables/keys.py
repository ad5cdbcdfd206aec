# SPDX-License-Identifier: Apache-2.0
"""The keys that a table may have, and what is said of others: file, line and the nearest key."""

import difflib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..base.errors import Status, WlkError
from .files import line_of
from .read_fields import FIELD_KEYS, MIRROR_KEYS

_ROWS = {
    "param": "name default min max pow2 values behavioural derived doc each",
    "list": "name default most key item doc",
    "channel": "name valid ready bits each",
    "rule": "name spec doc broken",
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
ITEM = frozenset("name min max words doc behavioural".split())
TEST = frozenset("small chosen instructions".split())
TOP = frozenset(["format", "block", "test", "field", "let", "config", *ROWS])


def check(raw: Mapping[str, Any], path: Path) -> None:
    """MODEL_ERROR for the first key that no table has."""
    _require_kinds(raw, path)
    for where, key, known, texts in _unknown(raw):
        near = difflib.get_close_matches(key, sorted(known), 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}"
        at = line_of(path, *texts, key)
        raise WlkError(Status.MODEL_ERROR, f"{at}: {where}unknown key {key}; {hint}")


Finding = tuple[str, str, Collection[str], tuple[str, ...]]


def _unknown(raw: Mapping[str, Any]) -> Iterator[Finding]:
    """Where, which, what there is instead, and texts that lead to its line."""
    yield from _of(raw, TOP, "", ())
    for name, known in (("block", BLOCK), ("test", TEST)):
        yield from _of(raw.get(name, {}), known, f"{name}: ", (name,))
    for kind in ROWS:
        for row in _rows(raw, kind):
            yield from _of_row(row, ROWS[kind], kind)
            for item in _rows(row, "item") if kind == "list" else ():
                yield from _of_row(item, ITEM, "item")
    settings = [row["name"] for kind in ("param", "list") for row in _rows(raw, kind)
                if isinstance(row.get("name"), str)]  # fmt: skip
    for name, text in raw.get("config", {}).items() if isinstance(raw.get("config"), dict) else ():
        given = dict.fromkeys((w.partition("=")[0] for w in str(text).split() if "=" in w), 0)
        yield from _of(given, settings, f"config {name}: ", ("config", name))
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
    yield from ((where, key, known, texts) for key in values if key not in known)


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
