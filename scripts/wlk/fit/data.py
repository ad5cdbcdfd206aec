# SPDX-License-Identifier: Apache-2.0
"""The files that RTL reads when it runs, as by $readmemh: their names, and where they are.

A name without a leading / is looked for in the folders of the RTL's files and in its include
folders, and only if it is in none of them in the current folder. dpi/harness/data.h does the same
when the RTL runs.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pyslang import ast, parsing, syntax

from ..base import folders
from . import rtl

READERS = {"$readmemh", "$readmemb", "$sreadmemh", "$sreadmemb", "$fopen"}
_LITERAL = syntax.SyntaxKind.StringLiteralExpression


def files(module: rtl.Module) -> list[Path]:
    """The files that a module and those inside it name, all that are found by one name."""
    return list(dict.fromkeys(path for found in named(module).values() for path in found))


def named(module: rtl.Module) -> dict[str, list[Path]]:
    """The same by the names."""
    design = module.design
    places = folders.beside(design.files_for(module), design.include_dirs)
    names = sorted({*_written(module), *_evaluated(module)})
    found = {name: _found(name, places, design.base) for name in names}
    known = {*design.files, *design.included}  # as `__FILE__ names them
    return {name: paths for name, paths in found.items() if paths and not known & {*paths}}


def _found(name: str, places: Iterable[Path], base: Path) -> list[Path]:
    if not name or len(name) > 255 or "\0" in name:
        return []
    near = [place / name for place in places if (place / name).is_file()]
    return [path.resolve() for path in near or [base / name] if path.is_file()]


def _written(module: rtl.Module) -> Iterator[str]:
    """All strings: what a parameter names is written where it is set."""
    design = module.design
    pieces = [each.tokens for each in design.closure(module.name).values()]
    for tokens in (*pieces, *map(rtl.tokens, design.shared(module))):
        for token in tokens:
            if token.kind == parsing.TokenKind.StringLiteral:
                yield token.valueText


def _evaluated(module: rtl.Module) -> list[str]:
    """The names that are computed of constants."""
    design, found = module.design, []
    calls: list[Any] = []
    for node in design.nodes_for(module):
        node.visit(lookup_table={syntax.SyntaxKind.InvocationExpression: calls.append})
    if not any(map(_computes, calls)):
        return []

    def take(node: Any) -> None:
        is_call = isinstance(node, ast.CallExpression) and node.isSystemCall
        if is_call and node.subroutineName in READERS and node.arguments:
            value = node.arguments[0].eval(ast.EvalContext(body))
            found.extend([str(value.convertToStr().value)] if value else [])

    body = design.elaborate(module.name)
    body.visit(take)
    return found


def _computes(call: Any) -> bool:
    """Does it read a file whose name is no literal?"""
    if call.left.getFirstToken().valueText not in READERS or call.arguments is None:
        return False
    first = next(iter(call.arguments.parameters), None)
    return first is not None and getattr(first, "expr", first).kind != _LITERAL
