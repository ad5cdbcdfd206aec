# SPDX-License-Identifier: Apache-2.0
"""Second versions of the stubs: the same behaviour from other RTL.

`recoded`: the stub with its state in another code, by the changes of second/recodings.toml.
`rewritten`: modules of second/*.sv in place of the stub's of the same names, and changes too.
`renamed`: neither. In all of them every name is another, but for the modules and ports of blocks.
"""

import re
import tomllib
import zlib
from collections.abc import Collection
from pathlib import Path

import rtl_under_test as rut
from pyslang import parsing, syntax
from wlk.gen import stubs
from wlk.tables import Config, Table

PARTS = Path(__file__).with_name("second")
STYLES = ("recoded", "rewritten")  # that are other RTL by more than names
CHANGES = tomllib.loads((PARTS / "recodings.toml").read_text(encoding="utf-8"))


def write(table: Table, config: Config, style: str, fault: tuple[str, str] = ("", "")) -> Path:
    """A folder with the second version of a block's stub; `fault`: what stands once in its core,
    and what it becomes."""
    place = rut.folder(f"second_{table.name}_{style}")
    files = stubs.write_stub(table, config)
    shells = [path for path in files if not path.is_relative_to(stubs.STUBS)]
    kept = {name for path in shells for name in _interface(path.read_text(encoding="utf-8"))}
    for path in files:
        text = path.read_text(encoding="utf-8")
        if path not in shells:
            text = _other(path.stem, text, style)
            if fault[0] and fault[0] in text:
                text = rut.changed(text, *fault, path)
        (place / path.name).write_text(_renamed(text, kept), encoding="utf-8")
    return place


def _other(module: str, text: str, style: str) -> str:
    """Another text of a hand-written module."""
    by_hand = PARTS / f"{module}.sv"
    if style == "rewritten" and by_hand.is_file():
        return by_hand.read_text(encoding="utf-8")
    for old, new in CHANGES.get(style, {}).get(module, ()):
        text = rut.changed(text, old, new, f"{module}, {style}")
    return text


def _interface(shell: str) -> list[str]:
    """The module and its ports."""
    return re.findall(r"\w+(?=,?\n| \()", shell.partition(");")[0])


def _renamed(text: str, kept: Collection[str]) -> str:
    """The text with other names; one name becomes the same other one in every file."""
    names = []

    def take(node: object) -> None:
        if isinstance(node, parsing.Token) and node.kind == parsing.TokenKind.Identifier:
            names.append((node.location.offset, node.rawText.encode()))

    syntax.SyntaxTree.fromText(text).root.visit(take)
    code = text.encode()
    for at, name in reversed(names):
        if name.decode() not in kept:
            code = code[:at] + b"n%08x" % zlib.crc32(name) + code[at + len(name) :]
    return code.decode()
