# SPDX-License-Identifier: Apache-2.0
"""What a module is, apart from how it is written: a digest of its text as slang reads it.

Two texts with the same digest behave alike. It is made of the tokens behind the preprocessor, so
without comments, white space, and names of files: of each definition that the module needs, and of
all that stands outside of modules. What else can matter joins in: directives that last beyond
their line, macros given, and the contents of C and of data files that a string names. Places in
Chisel's sources that compilers write into messages are left out.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pyslang import parsing

from ..base import keep
from ..base.errors import WlkError
from . import data, rtl

_LASTING = re.compile(
    r"`(?:default_nettype\s+\w+|(?:no)?unconnected_drive\b.*|timescale\b.*|resetall)"
)
# A comment that is meant for a tool, and all that a text may have between its words.
_SPOKEN = re.compile(
    r"(?://|/\*)\s*(?:verilator|synopsys|synthesis|synth|pragma|cadence|ambit|xilinx|altera)\b"
)
_REMARK = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
# Words that can end a run, or fail it.
_ENDS = {"assert", "assume", "expect", "$fatal", "$error", "$stop", "$finish", "$exit"}
_STRING = parsing.TokenKind.StringLiteral
_SOURCE = re.compile(r'/[^/\s]*\.s?vh?"$')
_LOCATOR = re.compile(r"\b[\w./-]+\.(?:scala|fir|sv|v):\d+(?::\d+)?")


def of(module: rtl.Module) -> str:
    """The digest of a module and all that it instantiates."""
    design = module.design
    closure = design.closure(module.name)
    texts = [f"{name}\n{' '.join(_words(closure[name].tokens))}" for name in sorted(closure)]
    texts += ["shared", *(_written(node) for node in design.shared(module))]
    texts_of = [_text(path) for path in sources(module)]
    lasting = [found for text in texts_of for found in _LASTING.findall(text)]
    lasting += [_without_remarks(text) for text in texts_of if _SPOKEN.search(text)]
    files = (*data.files(module), *design.foreign_for(module))
    contents = [path.read_bytes() for path in files]
    parts = (*design.defines, "text", *texts, "lasting", *lasting)
    return keep.digest([module.name, *parts, "data", *contents])


def sources(module: rtl.Module) -> list[Path]:
    """The files that a module needs, those that they include among them."""
    design = module.design
    return list(dict.fromkeys([*design.files_for(module), *design.included_for(module)]))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _without_remarks(text: str) -> str:
    """A text without white space and the comments that are for people."""

    def put(found: re.Match[str]) -> str:
        return found[0] if found[0][0] == '"' or _SPOKEN.match(found[0]) else " "

    return " ".join(_REMARK.sub(put, text).split())


def simulated_only(module: rtl.Module) -> str | None:
    """A digest of what a simulator reads of a module and a synthesis tool does not. None where a
    proof of the rest is not enough: an assertion may end a run, or the two read other logic."""
    design = module.design
    own = design.closure(module.name)
    if any(not _ENDS.isdisjoint(_words(each.tokens)) for each in own.values()):
        return None
    if any("translate_off" in _text(path) for path in sources(module)):
        return None
    try:
        read = design.synthesized
        other = read.closure(read.find(module.name).name)
    except WlkError:
        return None
    pairs = [(_members(own, name), _members(other, name)) for name in sorted({*own, *other})]
    both = (module, read.find(module.name))
    pairs.append(tuple(Counter(map(_written, m.design.shared(m))) for m in both))
    extra = [text for one, two in pairs for text in sorted((one - two).elements())]
    if any(two - one for one, two in pairs) or not all(map(_is_idle, extra)):
        return None
    return keep.digest(["simulated", *extra])


def _members(closure: Mapping[str, rtl.Module], name: str) -> Counter[str]:
    return Counter(map(_written, closure[name].node.members)) if name in closure else Counter()


def _is_idle(text: str) -> bool:
    """Is it start values, or a print?"""
    words = text.split()
    prints = words[0].startswith("always") and not {"=", "<="} & set(words)
    return words[0] in ("initial", "final") or prints


def _written(node: Any) -> str:
    return " ".join(_words(rtl.tokens(node)))


def _words(tokens: Iterable[Any]) -> Iterator[str]:
    """What a compiler sees of them, without the folder of `__FILE__, which a checkout decides."""
    for token in tokens:
        text = token.rawText
        if token.kind == _STRING:
            text = Path(text).name if _SOURCE.search(text) else _LOCATOR.sub("", text)
        yield text
