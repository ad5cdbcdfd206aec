# SPDX-License-Identifier: Apache-2.0
"""The source of a model over state of which only some bits are known (frame/unknowns.h).

It rests on model.c alone: which bits of an output are compared follows from what the functions of
the model read. The build makes that of a block of this tree:

python3 -m wlk.model.open_state BLOCK OUT.h OUT.c OUT.d    how many numbers it has, the source, and
                                                           what it is made from
"""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pycparser import c_ast as ast
from pycparser.c_generator import CGenerator

from ..base.errors import ROOT, Status, WlkError
from ..gen import specialised
from ..gen.c import CTable
from ..tables import Table, load, own, shipped
from ..tables.files import MODEL
from . import EDGE, OUTPUTS, source
from .layout import Shape, walk
from .partly import Writer

LEARNS = ("learn", "learn_next", "learn_by_next", "learn_rows")
WRITES = ("edge", "clear", *LEARNS, "follow", "suppose")
MOST, MOST_FOLLOWING = 100_000, 20_000  # numbers of a state: copies of it lie on the stack
CALLS = ("broken", *LEARNS, "follow", "suppose")  # of WLK_STRUCTS_MODEL


@dataclass(frozen=True)
class OpenState:
    """The C of it. `numbers`: of the state."""

    text: str
    numbers: int
    follows: bool

    @property
    def macros(self) -> dict[str, int]:
        """What frame/open.h asks for."""
        return {"WLK_UNKNOWNS": self.numbers} | ({"WLK_FOLLOWS": 1} if self.follows else {})


def make(table: Table, path: Path) -> OpenState:
    """Write the model of a block again. BUILD_FAIL names what is not in model C."""
    tree = source.parse(table, path)
    rounds = max((max(each.legal) for each in table.params.values()), default=0) + 1
    writer = Writer(tree, rounds)
    known = writer.known
    entries = [
        _entry(writer, "outputs", OUTPUTS),
        _entry(writer, "edge", EDGE),
        _entry(writer, "clear"),
    ]
    members = [".start = start", ".lower = lower", ".raise = raise"]
    members += [".outputs = call_outputs", ".edge = call_edge", ".clear = call_clear"]
    for call in CALLS:
        if (function := source.member(path, call)) is None:
            continue
        entries.append(_entry(writer, call, function))
        members.append(f".{call} = call_{call}")
    types = {side: writer.shape(known.types[f"{side}_t"]) for side in ("cfg", "state", "in", "out")}
    follows = ".follow = call_follow" in members
    most = MOST_FOLLOWING if follows else MOST
    if types["state"].size > most:
        message = f"{path}: a state of {types['state'].size:,} numbers; at most {most:,} can be"
        message += " unknown where .follow is used" if follows else " unknown"
        raise WlkError(Status.BUILD_FAIL, message)
    name, view = table.c_name, "" if table.name in own() else "_view"
    sizes = ", ".join(f"{side.upper()} = {each.size}" for side, each in types.items())
    text = f"""\
// Generated from model.c by scripts/wlk/model/open_state.py. Do not edit.
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

#include "warplock/{table.name}{view or "_ports"}.h"

#define MODEL      {name}
#define MODEL_CAPS {name.upper()}
#include "frame/model.h"

{_definitions(tree, path)}
#include "frame/unknowns.h"

typedef NAMED(in{view}) in_t;
typedef NAMED(out{view}) out_t;

enum {{ {sizes} }};

{"".join(writer.texts)}
{_visits(types, _counts(table))}
{"".join(entries)}
const wlk_unknowns NAMED(unknowns) = {{{", ".join(members)}}};
"""
    return OpenState(text, types["state"].size, follows)


def is_wanted(path: Path) -> bool:
    """Does a model say unknown_start?"""
    return (
        re.search(r"\.unknown_start\s*=", path.read_text(encoding="utf-8", errors="replace"))
        is not None
    )


def _definitions(tree: ast.FileAST, path: Path) -> str:
    """The numbers that files of the model name, and the types that the state has."""
    printed, found = CGenerator(), list[str]()
    types = {name: each for each in tree.ext if (name := _defined(each))}
    folders, needed = (path.parent, *source.SHARED), set[str]()
    state = next(
        x for x in reversed(tree.ext) if isinstance(x, ast.Typedef) and x.name == "state_t"
    )
    wanted = list(_names(state.type))
    while wanted:
        name = wanted.pop()
        if name in types and name not in needed:
            needed.add(name)
            wanted += _names(types[name].type)
    for each in tree.ext:
        name = _defined(each)
        is_here = each.coord is not None and any(
            Path(each.coord.file).is_relative_to(folder) for folder in folders
        )
        is_enum = isinstance(each, ast.Decl) and isinstance(each.type, ast.Enum)
        if is_here and (is_enum or name in needed):
            found.append(printed.visit(each) + ";")
    return "\n".join(found)


def _defined(node: ast.Node) -> str:
    """The type that it defines, if it does."""
    if isinstance(node, ast.Typedef):
        return node.name
    is_struct = isinstance(node, ast.Decl) and isinstance(node.type, ast.Struct)
    return node.type.name or "" if is_struct and node.type.decls is not None else ""


def _names(node: ast.Node) -> Iterator[str]:
    """The types that a type names."""
    if isinstance(node, ast.IdentifierType):
        yield node.names[-1]
    if isinstance(node, ast.Struct) and node.name:
        yield node.name
    for _, child in node.children():
        yield from _names(child)


def _entry(writer: Writer, call: str, name: str = "") -> str:
    """What a simulation calls: it makes numbers of the structs."""
    function = writer.function(name or call)
    takes = {"in": "const void *in", "out": "void *out", "care": "void *care"}
    given = {"outputs": ("in", "out", "care"), "edge": ("in",), "clear": (), "follow": ()}
    sees = call in LEARNS
    names = given.get(call, ("in",))
    state = "wlk_num *st" if call in WRITES else "const wlk_num *st"
    params = ["const uint32_t *params", state, "wlk_rams *rams", *(takes[each] for each in names)]
    params += ["const wlk_seen *seen"] if sees else []
    params += ["const void *x"] if call == "edge" else []
    is_listed = call in ("follow", "suppose")
    params += ["uint32_t k"] if is_listed else []
    lines = ["wlk_num cfg[CFG];", "take_cfg((const cfg_t *)params, cfg);"]
    arguments = ["rams", "wlk_place_of(cfg, 1)", "wlk_place_of((wlk_num *)st, 1)"]
    if "in" in names:
        unknown = "(const in_t *)x" if call == "edge" else "NULL"
        lines.append("wlk_num given[IN];")
        lines.append(f"take_in((const cfg_t *)params, (const in_t *)in, {unknown}, given);")
        arguments.append("wlk_place_of(given, 1)")
    if call == "outputs":
        lines.append("wlk_num seen[3 * OUT];")
        lines.append("for (uint32_t i = 0; i < 3 * OUT; i++) { seen[i] = WLK_NO; }")
        arguments += ["wlk_place_of(seen, 1)", "wlk_place_of(seen + OUT, 1)"]
    if sees:
        cycles = [("out", "known"), *[("next", "next_known")] * (call == "learn_by_next")]
        for cycle, known in cycles:
            taken = ", ".join(f"seen->{each}" for each in (cycle, known, "there"))
            lines.append(f"wlk_num {cycle}[OUT];")
            lines.append(f"take_out((const cfg_t *)params, {taken}, {cycle});")
            arguments.append(f"wlk_place_of({cycle}, 1)")
    if is_listed:
        arguments.append("wlk_num_of(k)")
    made = f"{function.name}({', '.join(arguments[: 1 + len(function.params)])})"
    kind = {"broken": "uint32_t", "follow": "bool", "suppose": "bool"}.get(call, "void")
    lines.append(f"return ({kind}){made}.value;" if kind != "void" else f"{made};")
    if call == "outputs":
        lines.append("give_out((const cfg_t *)params, seen, (out_t *)out, (out_t *)care);")
    body = "\n".join(f"    {line}" for line in lines)
    return f"static {kind} call_{call}({', '.join(params)}) {{\n{body}\n}}\n"


TAKE = "to[at] = wlk_num_of((uint64_t)((*v) member))"
TAKE_IN = """\
to[at] = wlk_num_but((uint64_t)((*v) member), x != NULL ? (uint64_t)((*x) member) : 0u)"""
# Bits beyond a port's width, which are not `there`, are known to be 0.
TAKE_KNOWN = """\
to[at] = (wlk_num){(uint64_t)((*v) member & (*k) member), \\
                       (uint64_t)((*k) member) | ~(uint64_t)((*there) member)}"""
GIVE = """\
(*v) member = (__typeof__((*v) member))from[at].value; \\
    (*k) member = (__typeof__((*k) member))(from[OUT + (at)].value & from[OUT + (at)].known & \\
                                            from[at].known)"""
RAISE = TAKE.replace("to[at]", "st[at]")
START = "st[at] = wlk_num_unknown(bits)"
LOWER = """\
(*v) member = (__typeof__((*v) member))( \\
        st[at].value | \\
        (~st[at].known & \\
         (fill == FILL_KEEP ? (uint64_t)(*v) member : fill == FILL_ONES ? ~UINT64_C(0) : 0u)))"""


def _counts(table: Table) -> dict[str, str]:
    """Elements of the arrays of a view, of which there are no more."""
    counts, generated = dict[str, str](), CTable(table)
    for item in table.fields if table.name not in own() else ():
        path = ""
        for part, entry, count in item.members:
            path += f".{part}" + ("[]" if entry is not None else "")
            if count is not None and item.entry is None and entry is None:
                counts[path] = count.c()
            path += "[]" if count is not None else ""
        if item.lanes is not None:
            counts[path] = generated.payload_words(item)
    return counts


def _visits(types: Mapping[str, Shape], counts: Mapping[str, str]) -> str:
    """Functions between structs and rows of numbers."""

    def each(side: str, what: str) -> str:
        lines = "\n".join(walk(types[side], counts if side in ("in", "out") else {}))
        return f"#define EACH(member, at, bits) {what}\n{lines}\n#undef EACH\n"

    return f"""\
static void take_cfg(const cfg_t *v, wlk_num *to) {{
{each("cfg", TAKE)}}}

static void take_in(const cfg_t *cfg, const in_t *v, const in_t *x, wlk_num *to) {{
for (uint32_t i = 0; i < IN; i++) {{ to[i] = WLK_NO; }}
{each("in", TAKE_IN)}}}

static void take_out(const cfg_t *cfg, const out_t *v, const out_t *k, const out_t *there,
                     wlk_num *to) {{
for (uint32_t i = 0; i < OUT; i++) {{ to[i] = WLK_NO; }}
{each("out", TAKE_KNOWN)}}}

static void give_out(const cfg_t *cfg, const wlk_num *from, out_t *v, out_t *k) {{
{each("out", GIVE)}}}

static void start(wlk_num *st) {{
{each("state", START)}}}

static void raise(const void *state, wlk_num *st) {{
    const state_t *v = (const state_t *)state;
{each("state", RAISE)}}}

static void lower(const wlk_num *st, wlk_fill fill, void *state) {{
    state_t *v = (state_t *)state;
{each("state", LOWER)}}}
"""


def main(argv: list[str]) -> int:
    """Write the files."""
    if len(argv) != 5:
        print("usage: python3 -m wlk.model.open_state BLOCK OUT.h OUT.c OUT.d", file=sys.stderr)
        return 2
    try:
        table = load(argv[1])
        made = make(table, shipped()[argv[1]] / MODEL)
    except WlkError as exc:
        print(f"wlk.model.open_state: {exc}", file=sys.stderr)
        return int(exc.status)
    note = "/* Generated by scripts/wlk/model/open_state.py. Do not edit. */"
    macros = "".join(f"#define {name} {value}\n" for name, value in made.macros.items())
    Path(argv[2]).write_text(f"{note}\n{macros}", encoding="utf-8")
    Path(argv[3]).write_text(made.text, encoding="utf-8")
    modules = (getattr(each, "__file__", None) for each in tuple(sys.modules.values()))
    read = [*specialised.read(table), *(x for x in modules if x and Path(x).is_relative_to(ROOT))]
    names = (re.sub(r"([ #\\])", r"\\\1", str(each)).replace("$", "$$") for each in read)
    Path(argv[4]).write_text(f"{argv[2]}: {' '.join(names)}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
