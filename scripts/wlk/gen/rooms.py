# SPDX-License-Identifier: Apache-2.0
"""Which folders of the source use which others, by their imports and includes.

A folder is a room; the rooms of a part stand in an order, and none uses one behind it. What a room
uses is read from the files as they are, so that the picture in docs/architecture.md cannot be old.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ..tables import ROOT
from ..tables.files import STIMULUS

PYTHON = "scripts/wlk"
ORDER = {
    "python": (
        *("base", "tables", "gen", "fit", "prove", "model", "run", "regress", "explore"),
        *("commands", "cli"),
    ),
    "c": (
        *("refmodel/frame", "refmodel/muon", "refmodel/boom", "refmodel/gpgpusim"),
        "refmodel/vortex",
        *("vectors", "dpi/src", "dpi/stimulus", "dpi/tools", "dpi/gpgpusim", "dpi/explore"),
        "dpi/harness",
    ),
}
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
Arrow = tuple[str, str]  # a room, and one that it uses


def arrows(part: str) -> set[Arrow]:
    """Every use of another room by a room of a part."""
    found = _imports() if part == "python" else _includes()
    return {(one, other) for one, other, _ in found if one != other}


def wrong(part: str) -> list[str]:
    """The files that use a room behind their own."""
    order = ORDER[part]
    found = _imports() if part == "python" else _includes()
    return sorted({where for a, b, where in found if order.index(a) < order.index(b)})


def _imports() -> Iterator[tuple[str, str, str]]:
    """Room, room that it uses, and the file with its line."""
    top = ROOT / PYTHON
    for path in sorted(top.rglob("*.py")):
        package = path.relative_to(top).parent.parts
        room = package[0] if package else path.stem
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = package[: len(package) - node.level + 1]
                used = [*base, *(node.module or "").split(".")] if node.module else [*base]
                for name in [used[0]] if used else [each.name for each in node.names]:
                    yield room, name, f"{path.relative_to(ROOT)}:{node.lineno} uses {name}"


@cache
def _sources() -> dict[str, Path]:
    """Sources and headers in C and C++ by their paths."""
    found = {}
    for top in ("refmodel", "vectors", "dpi"):
        for path in (ROOT / top).rglob("*"):
            if path.suffix in (".c", ".h", ".cpp"):
                found[str(path.relative_to(ROOT))] = path
    return found


def _includes() -> Iterator[tuple[str, str, str]]:
    for name, path in sorted(_sources().items()):
        for wanted in _INCLUDE.findall(path.read_text(encoding="utf-8")):
            used = _found(name, wanted)
            if used is not None:
                yield _room(name), _room(used), f"{name} uses {used}"


def _found(name: str, wanted: str) -> str | None:
    """The file that an include means: beside the one that has it, or the only one of the name."""
    beside = str(Path(name).parent / wanted)
    ending = [other for other in _sources() if other.endswith(f"/{wanted}")]
    return beside if beside in _sources() else ending[0] if ending else None


def _room(name: str) -> str:
    """The folder to which a file belongs: of a block's files that of its family, of its stimulus
    that of the stimuli, with which it is built, of a public header the one that has its name or a
    source of its name, or one of the first word of its name."""
    path = Path(name)
    if path.parts[0] == "vectors":
        return "vectors"
    if path.name == STIMULUS and path.parts[0] == "refmodel":
        return "dpi/stimulus"
    if "include" not in path.parts:
        return "/".join(path.parts[:2])
    mine = [Path(other) for other in _sources() if other.startswith(path.parts[0])]
    mine = [other for other in mine if "include" not in other.parts]
    same = [other for other in mine if path.stem in (other.stem, other.parent.name)]
    first = path.stem.split("_")[0]
    akin = [other for other in mine if first in (other.stem.split("_")[0], other.parent.name)]
    return _room(str((same or akin)[0]))


def picture(part: str) -> str:
    """The rooms of a part in their order: a row a room, a mark in the column of each it uses."""
    order, found = ORDER[part], arrows(part)
    width = max(map(len, order))
    rows = []
    for number, room in enumerate(order):
        marks = ["x" if (room, other) in found else "." for other in order[:number]]
        rows.append(f"{room:{width}}  {number:2}  {'  '.join(marks)}".rstrip())
    head = f"{'':{width}}      {' '.join(f'{n:<2}' for n in range(len(order) - 1))}".rstrip()
    return "```\n" + "\n".join([head, *rows]) + "\n```\n"
