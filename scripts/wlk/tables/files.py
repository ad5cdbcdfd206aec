# SPDX-License-Identifier: Apache-2.0
"""The files of the tables, decoded."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..base.errors import ROOT, Status, WlkError

BLOCKS = ROOT / "refmodel" / "blocks"
FAMILIES = BLOCKS / "family"
LETTING = {"field", "rule", "cover", "constraint", "warning"}  # what may use names of `let`,
EXPRESSIONS = {"name", "width", "lanes", "when", "broken"}  # in these keys
SHARED = {"param", "list", "field", "channel", "cover"}  # keys that a family's file may have


def decode(path: Path) -> dict:
    """A decoded TOML file; WlkError MODEL_ERROR names the file."""
    with path.open("rb") as stream:
        try:
            return tomllib.load(stream)
        except tomllib.TOMLDecodeError as exc:
            raise WlkError(Status.MODEL_ERROR, f"{path.name}: {exc}") from exc


def family_of(name: str | None, where: str) -> dict:
    """What the blocks of a family share: items by name, constraints, warnings and members."""
    if name is None:
        return {}
    path = FAMILIES / f"{name}.toml"
    if not path.is_file():
        raise WlkError(Status.MODEL_ERROR, f"{where}: block: there is no family '{name}'")
    return decode(path)


def completed(raw: dict, where: str) -> dict:
    """A decoded table whose items have the keys that they leave to their family's of that name,
    and its bundles taken apart."""
    family = family_of(raw["block"].get("family"), where)
    made = _spelled_out(raw, where)
    for key in SHARED & raw.keys():
        known = {each["name"]: each for each in _unbundled(family.get(key, []), where)}
        rows = _unbundled(made[key], where)
        made[key] = [known.get(each.get("name"), {}) | each for each in rows]
    return made


def _spelled_out(raw: dict, where: str) -> dict:
    """A decoded table with the expressions that `let` names in place of the names."""
    names = raw.get("let", {})
    for name, text in names.items():
        if not isinstance(text, str):
            raise WlkError(Status.MODEL_ERROR, f'{where}: let.{name} = "EXPRESSION" is wanted')
        if any(row.get("name") == name for row in raw.get("param", [])):
            raise WlkError(Status.MODEL_ERROR, f"{where}: let.{name}: a parameter has this name")
    if not names:
        return dict(raw)
    word = re.compile(rf"\b({'|'.join(names)})\b")

    def put(value: Any, is_expression: bool) -> Any:
        match value:
            case dict():
                return {k: put(v, k in EXPRESSIONS) for k, v in value.items()}
            case list():
                return [put(each, is_expression) for each in value]
            case str() if is_expression:
                return word.sub(lambda found: f"({names[found[0]]})", value)
        return value

    return {key: put(value, False) if key in LETTING else value for key, value in raw.items()}


def _unbundled(rows: list[dict], where: str) -> Iterator[dict]:
    """Rows of `field`; one with `fields` stands for these, below its path and with its keys."""
    for row in rows:
        for each in row.get("fields", [{}]):
            made = {key: value for key, value in (row | each).items() if key != "fields"}
            if "fields" in row:
                need(each, f"{where}: field {row.get('name', '?')}: a row of it", "name")
                made["name"] = f"{row['name']}.{each['name']}"
                shared = [name.replace("*", each["name"]) for name in row.get("x_hides", [])]
                made["x_hides"] = shared + each.get("x_hides", [])
            yield made


def need(raw: dict, where: str, *keys: str) -> None:
    """MODEL_ERROR names the first of the keys that is not there."""
    for key in keys:
        if key not in raw:
            raise WlkError(Status.MODEL_ERROR, f"{where}: lacks '{key}'")
