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

from pyslang import parsing, syntax

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
_HIDES = re.compile(r"(?://|/\*).*\b(?:translate|synthesis)_off\b", re.IGNORECASE)
Syntax = syntax.SyntaxKind
_ASSIGNMENTS = [kind for name, kind in Syntax.__members__.items() if "AssignmentExpr" in name]
_ASSIGNS = {"=", "<=", "++", "--", "assign"}
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
    try:
        simulated, synthesized = _apart(module)
    except WlkError:
        return None
    texts = [_written(node) for node in simulated]
    if any(pragmas(module)) or synthesized or not all(map(_is_idle, texts)):
        return None
    return keep.digest(["simulated", *sorted(texts)])


def read_apart(module: rtl.Module) -> list[str]:
    """The places at which a simulator reads other logic than a synthesis tool: by a macro that one
    of them has, or by a comment that hides text from synthesis."""
    places = [f"{place}: a comment hides text from synthesis" for place in pragmas(module)]
    try:
        simulated, synthesized = _apart(module)
        read = module.design.synthesized
        common = {
            word for each in read.closure(module.name).values() for word in _words(each.tokens)
        }
    except WlkError:  # it is refused with its reason where it is synthesised
        return places
    for nodes, others, who in (
        (simulated, synthesized, "a simulator"),
        (synthesized, simulated, "synthesis"),
    ):
        used = {word for each in others for word in _written(each).split()} | common
        logic = [each for each in nodes if not _is_idle(_written(each)) and _drives(each) & used]
        logic = [x for x in logic if not any(_prints_more(x, y) for y in others)]
        where = [module.design.place(each.getFirstToken().location) for each in logic]
        places += [f"{each}: logic that only {who} reads, by a macro" for each in where]
    return places


def _drives(node: Any) -> set[str]:
    """Names that a member declares or assigns, or that an instance is connected to."""
    names: set[str] = set()

    def assigned(each: Any) -> None:
        names.update(_words(rtl.tokens(each.left)))

    table = dict.fromkeys(_ASSIGNMENTS, assigned)
    table[Syntax.Declarator] = lambda each: names.add(each.name.valueText)
    for kind in (Syntax.HierarchyInstantiation, Syntax.PrimitiveInstantiation):
        table[kind] = lambda each: names.update(_words(rtl.tokens(each)))
    node.visit(lookup_table=table)
    return names


def _prints_more(one: Any, other: Any) -> bool:
    """Is one of two members the other with statements that assign nothing, as assertions?"""
    short, long = sorted((_written(each).split() for each in (one, other)), key=len)
    rest, extra = iter(short), []
    wanted = next(rest, None)
    for word in long:
        if word == wanted:
            wanted = next(rest, None)
        else:
            extra.append(word)
    acts = any(word in _ENDS or word.startswith("$") for word in extra)
    return wanted is None and acts and not _ASSIGNS & set(extra)


def pragmas(module: rtl.Module) -> list[str]:
    """The comments that hide text from synthesis."""
    return [
        f"{path}:{number}"
        for path in sources(module)
        for number, line in enumerate(_text(path).splitlines(), 1)
        if _HIDES.search(line)
    ]


def _apart(module: rtl.Module) -> tuple[list[Any], list[Any]]:
    """The members of modules, and what stands outside of any, that a simulator reads and a
    synthesis tool does not, and the other way round."""
    design, read = module.design, module.design.synthesized
    own = design.closure(module.name)
    other = read.closure(read.find(module.name).name)
    pairs = [(_members(own, name), _members(other, name)) for name in sorted({*own, *other})]
    pairs.append((design.shared(module), read.shared(read.find(module.name))))
    simulated = [node for one, two in pairs for node in _lacking(one, two)]
    return simulated, [node for one, two in pairs for node in _lacking(two, one)]


def _members(closure: Mapping[str, rtl.Module], name: str) -> list[Any]:
    return list(closure[name].node.members) if name in closure else []


def _lacking(nodes: Iterable[Any], others: Iterable[Any]) -> Iterator[Any]:
    """The nodes that are not among the others, by their texts."""
    there = Counter(map(_written, others))
    for node in nodes:
        text = _written(node)
        if not there[text]:
            yield node
        there[text] -= 1


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
