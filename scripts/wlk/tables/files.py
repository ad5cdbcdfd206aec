# SPDX-License-Identifier: Apache-2.0
"""The files of the tables, decoded; which blocks there are, shipped ones and those of users."""

import functools
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..base import toml
from ..base.errors import ROOT, Status, WlkError

MODELS = ROOT / "refmodel"  # in it MODELS/FAMILY/BLOCK, the folder of a shipped block
# What may use names of `let`, and in which keys.
LETTING = set("field memory rule cover constraint warning".split())
EXPRESSIONS = set("name width lanes when broken value size count add remove".split())
SHARED = {"param", "list", "field", "channel", "cover"}  # keys that a family's file may have


# What is in a block's folder, shipped or a user's (docs/own-blocks.md), and in that of a family.
BY_STRUCTS = "WLK_STRUCTS_MODEL"  # in the source of a model by structs (frame/structs.h)
TABLE, MODEL, FAULTS = "block.toml", "model.c", "faults.toml"
STIMULUS = "stimulus.c"
PORT_MAP, RTL = "map.toml", "rtl"
FAMILY = "family.toml"
DOUBT = "# ?"  # a comment that marks a guess; whoever has confirmed it removes the comment
FOLDERS = "WLK_BLOCKS"  # variable that names them, as PATH does
NAME = re.compile(r"[a-z][a-z0-9_]*")
_ROW = "field|param|list|memory|rule|cover|channel|config|unit"
_ABOUT_ROW = re.compile(rf"(\S+): (?:{_ROW}) (\S+?):? ")
_WRONG_KEY = re.compile(r"unknown key (\w+)")
_own: dict[str, Path] = {}  # folders by the names of their blocks


def use(folders: Iterable[Path]) -> None:
    """From now on there are the blocks of these folders too, here and in child processes: each is
    the folder of a block, or holds such folders. WlkError names a folder that cannot be used."""
    for folder in folders:
        for place in _block_folders(folder):
            _add(place)
    if _own:
        os.environ[FOLDERS] = os.pathsep.join(map(str, _own.values()))


def _block_folders(folder: Path) -> list[Path]:
    if (folder / TABLE).is_file():
        return [folder.resolve()]
    found = sorted(each.parent.resolve() for each in folder.glob(f"*/{TABLE}"))
    if not found:
        why = f"no {TABLE} in it or in a folder of it" if folder.is_dir() else "no such folder"
        message = f"--blocks {folder}: {why}; `warplock new` makes a block's folder"
        raise WlkError(Status.NO_FILE, message)
    return found


def _add(folder: Path) -> None:
    path = folder / TABLE
    block = decode(path).get("block", {})
    name = block.get("name") if isinstance(block, dict) else None
    where = line_of(path, "block.name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        message = f"{where}: block.name: a word of small letters, digits and _ is wanted"
        raise WlkError(Status.MODEL_ERROR, message)
    if name in _own and _own[name] != folder:
        message = f"{where}: block '{name}' is in {_own[name]} too; give one of them another name"
        raise WlkError(Status.USAGE, message)
    if name in shipped():
        message = f"{where}: warplock has a block '{name}' itself; give yours another name"
        raise WlkError(Status.USAGE, message)
    if not (folder / MODEL).is_file():
        message = f"{folder}: no {MODEL}, the block's model in C; `warplock new` writes a first one"
        raise WlkError(Status.NO_FILE, message)
    _own[name] = folder


@functools.cache
def shipped() -> dict[str, Path]:
    """The folders of the blocks of this tree, by their names."""
    found = {path.parent.name: path.parent for path in MODELS.glob(f"*/*/{TABLE}")}
    return dict(sorted(found.items()))


def own() -> dict[str, Path]:
    """The folders of users' blocks, by their names."""
    return dict(_own)


def is_by_structs(model: Path) -> bool:
    """Is the model in this source by structs, in model C?"""
    return model.is_file() and BY_STRUCTS in model.read_text(encoding="utf-8")


def read_by_model(place: Path) -> list[Path]:
    """The files of the tree that are a model in model C, but for the frame: its source, the headers
    of its block's folder and of the family's, and both public headers."""
    headers = (file for each in (place, place.parent) for file in sorted(each.glob("*.h")))
    public = (MODELS / "include/warplock" / f"{each.name}.h" for each in (place, place.parent))
    return [place / MODEL, *headers, *filter(Path.is_file, public)]


def folder(name: str) -> Path | None:
    """The folder of a block; None when there is no such block."""
    return _own.get(name) or shipped().get(name)


def table_path(name: str) -> Path | None:
    """The table of a block; None when there is no such block."""
    place = folder(name)
    return place / TABLE if place is not None else None


def map_path(name: str) -> Path | None:
    """The port map beside the table of a user's block, if there is one."""
    path = _own[name] / PORT_MAP if name in _own else None
    return path if path is not None and path.is_file() else None


def names() -> list[str]:
    """Every block that has a table."""
    return sorted([*shipped(), *_own])


def source(name: str) -> str:
    """A block's table as generated files name it: from the root, or its folder."""
    if name in shipped():
        return str((shipped()[name] / TABLE).relative_to(ROOT))
    return label(_own.get(name, Path(name)) / TABLE)


def label(path: Path) -> str:
    """A file as messages name it, with its folder where all folders have one of this name."""
    return f"{path.parent.name}/{path.name}" if path.name in (TABLE, FAMILY, FAULTS) else path.name


def line_of(path: Path, *texts: str) -> str:
    """The file, and the first line that has the first text; or the first one from there on that has
    the next, and so on."""
    if not path.is_file():  # one that is still to be written
        return label(path)
    lines = path.read_text(encoding="utf-8").split("\n")
    found, start = 0, 0
    for text in texts:
        found = next((n for n, line in enumerate(lines[start:], start + 1) if text in line), found)
        start = max(found - 1, 0)
    return f"{label(path)}:{found}" if found else label(path)


def placed(path: Path, message: str) -> str:
    """The message about a row of a table with the line in which the row is, or what is wrong in
    it."""
    found = _ABOUT_ROW.match(message)
    if found is None or found[1] != label(path):
        return message
    name, wrong = found[2], _WRONG_KEY.search(message)
    where = line_of(path, f'"{name}"', *([wrong[1]] if wrong else []))
    return where + message[len(found[1]) :]


class Guess(NamedTuple):
    """A line of a first table that is a guess, and that nobody has confirmed yet."""

    line: int
    name: str  # of the row
    text: str  # what is guessed


def guesses(path: Path) -> Iterator[Guess]:
    """The lines of a table that end in a comment with DOUBT."""
    lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
    for number, line in enumerate(lines, 1):
        row, doubt, text = line.rpartition(f" {DOUBT}")
        if doubt and row.count('"') % 2 == 0:
            name = re.search(r'name *= *"([^"]*)"', row)
            yield Guess(number, name[1] if name else row.strip(), text.strip())


def decode(path: Path) -> dict:
    """A decoded TOML file; WlkError MODEL_ERROR names the file."""
    try:
        return toml.load(path)
    except toml.BadTomlError as exc:
        raise WlkError(Status.MODEL_ERROR, f"{label(path)}: {exc}") from exc


def family_of(name: str | None, where: str) -> dict:
    """What the blocks of a family share: items by name, constraints, warnings and members."""
    if name is None:
        return {}
    known = {path.parent.name: path for path in sorted(MODELS.glob(f"*/{FAMILY}"))}
    if name not in known:
        message = f"{where}: block: there is no family '{str(name)[:100]}'"
        raise WlkError(Status.MODEL_ERROR, f"{message}; there is {', '.join(known)}")
    return decode(known[name])


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
