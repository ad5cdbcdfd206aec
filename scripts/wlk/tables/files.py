# SPDX-License-Identifier: Apache-2.0
"""The files of the tables, decoded."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from ..base.errors import ROOT, Status, WlkError

BLOCKS = ROOT / "refmodel" / "blocks"
FAMILIES = BLOCKS / "family"
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
    made = dict(raw)
    for key in SHARED & raw.keys():
        known = {each["name"]: each for each in _unbundled(family.get(key, []), where)}
        rows = _unbundled(raw[key], where)
        made[key] = [known.get(each.get("name"), {}) | each for each in rows]
    return made


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
