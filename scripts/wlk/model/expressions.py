# SPDX-License-Identifier: Apache-2.0
"""Expressions of model C, written as expressions over numbers of which only some bits are known.

Each is text whose value is a `wlk_num` (partly.h). What it needs before it, calls and choices among
them, is written as statements first.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from pycparser import c_ast as ast

from .arithmetic import literal
from .evaluate import Evaluator
from .layout import Array, Number, Pointer, Shape, Struct, depth, mask, struct_of
from .places import Extent, Function, Place, Text, Variable, count, listed
from .source import ROW_CALLS, ROWS_CLEAR, SHOW, SHOW_ROW, SHOW_WORDS
from .values import BOOL, INT, INT32, U32, U64, Leaf, Node, Type, common_type, leaves

OPERATORS = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo",
    "&": "and", "|": "or", "^": "xor",
}  # fmt: skip
COUNTS = {"ctz": "trailing", "clz": "leading", "popcount": "ones"}
MOST_OPEN = 4  # of partly.h


class Expressions:
    """What is written so far of a function, and the expressions in it. `apart`: from an output to
    its care [numbers]; `rounds`: of a loop whose end is not known."""

    def __init__(self, tree: ast.FileAST, rounds: int) -> None:
        self.known, self.rounds = Evaluator(tree), rounds
        self.functions: dict[str, Function] = {}
        self.texts: list[str] = []  # of whole functions
        self.apart = self.shape(self.known.types["out_t"]).size
        self._count = 0
        self._running: list[str] = []
        self._lines: list[str] = []
        self._changed: set[Extent] = set()
        self._now: Function | None = None
        self._globals = {name: self._table(name) for name in self.known.globals.names}
        self.rams = self.known.rams
        named = self.known.types.items()  # those of parts too
        sides = [of for name, of in named if re.fullmatch(r"(\w+_)?in_t", name)]
        self.inputs = [Pointer(self.shape(of)) for of in sides]

    def shape(self, node: ast.Node) -> Shape:
        """The type that a node declares."""
        found = self.known.shape(node)
        if depth(found) > MOST_OPEN:
            raise self.known.error(node, f"arrays in arrays, more than {MOST_OPEN} deep")
        return found

    def _new(self, stem: str) -> str:
        self._count += 1
        return f"{stem}_{self._count}"

    def _emit(self, line: str) -> None:
        self._lines.append(line)

    @property
    def _function(self) -> Function:
        assert self._now is not None
        return self._now

    @contextmanager
    def _apart(self) -> Iterator[tuple[list[str], set[Extent]]]:
        """Lines of a part, and the variables that it changes."""
        lines, changed = self._lines, self._changed
        self._lines, self._changed = [], set()
        yield self._lines, self._changed
        changed |= self._changed
        self._lines, self._changed = lines, changed

    def function(self, name: str) -> Function:
        """The function, written if it has not been."""
        raise NotImplementedError

    def _number_type(self, node: ast.Node) -> Type:
        found = self.shape(node)
        if not isinstance(found, Number):
            raise self.known.error(node, "a function returns a number or nothing")
        return found.type

    # -- variables -------------------------------------------------------------------------

    def _local(self, stem: str, of: Shape, value: str = "") -> Variable:
        made = Variable(self._new(stem), of)
        first = f" = {{{value}}}" if value else ""
        self._emit(f"wlk_num {made.name}[{of.size}]{first};")
        return made

    def _table(self, name: str) -> Variable:
        """A table of the model's file."""
        ((_, node),) = self.known.globals.names[name]
        of, numbers = _measured(node), [_known(leaf) for leaf in leaves(node)]
        made = Variable(self._new(name), of)
        self.texts.append(f"static wlk_num {made.name}[{of.size}] = {{{', '.join(numbers)}}};\n")
        return made

    def _find(self, node: ast.ID) -> Variable | None:
        for names in reversed(self._function.names):
            if node.name in names:
                return names[node.name]
        return self._globals.get(node.name)

    def _initialize(self, init: ast.Node, to: Place) -> None:
        if not isinstance(init, ast.InitList):
            if isinstance(to.type, Number):
                self._store(to, self.value(init))
            else:
                self._copy(self._lvalue(init), to)
            return
        if isinstance(to.type, Number):
            raise self.known.error(init, "a list of values for a number")
        self._clear(to)
        following = 0
        for each in init.exprs:
            value = each
            if isinstance(each, ast.NamedInitializer):
                if len(each.name) != 1:
                    raise self.known.error(each.expr, "a value of a member of a member")
                name, value = each.name[0], each.expr
                if isinstance(to.type, Struct):
                    following = list(to.type.members).index(name.name)
                else:
                    following = self.known.number(name)
            self._initialize(value, self._part(to, following))
            following += 1

    def _clear(self, to: Place) -> None:
        self._emit(f"for (uint32_t i = 0; i < {to.type.size}; i++) {{ ({to.text})[i] = WLK_NO; }}")

    def _part(self, of: Place, number: int) -> Place:
        if isinstance(of.type, Array):
            offset, kind = number * of.type.of.size, of.type.of
        else:
            offset, kind = list(of.type.members.values())[number]
        return of.part(f"{of.text} + {offset}", offset, kind)

    # -- places ----------------------------------------------------------------------------

    def _lvalue(self, node: ast.Node) -> Place:
        """What an expression names."""
        if isinstance(node, ast.ID):
            found = self._find(node)
            if found is None:
                raise self.known.error(node, f"{node.name} is not known here")
            if found.to is not None:
                return replace(found.to, text=found.name, type=found.type)
            return Place(found.name, found.type, found.whole(), direct=not found.is_place)
        if isinstance(node, ast.StructRef):
            of = self._pointer(node.name) if node.type == "->" else self._lvalue(node.name)
            return self._member(node, of)
        if isinstance(node, ast.ArrayRef):
            return self._element(node)
        if isinstance(node, ast.UnaryOp) and node.op == "*":
            return self._pointer(node.expr)
        if isinstance(node, ast.CompoundLiteral):
            of = self.shape(self.known.sized(node.type.type, node.init))
            made = self._local("literal", of)
            to = Place(made.name, of, made.whole(), direct=True)
            self._initialize(node.init, to)
            return to
        raise self.known.error(node, "a variable, a member or an element is wanted")

    def _member(self, node: ast.StructRef, of: Place) -> Place:
        if not isinstance(of.type, Struct) or node.field.name not in of.type.members:
            raise self.known.error(node, f"no member {node.field.name} that a model sees")
        offset, kind = of.type.members[node.field.name]
        if of.direct:
            return of.part(f"{of.text} + {offset}", offset, kind)
        return of.part(f"wlk_place_member({of.text}, {offset}, {count(kind)})", offset, kind)

    def _element(self, node: ast.ArrayRef) -> Place:
        array, index = self._lvalue(node.name), self.value(node.subscript)
        if not isinstance(array.type, Array | Pointer):
            raise self.known.error(node, "an index, and no array")
        of = array.type.of
        text = f"wlk_place_element({array.place()}, {index.text}, {count(of)}, {of.size})"
        return Place(text, of, array.extent, is_all=False)

    def _pointer(self, node: ast.Node) -> Place:
        """What an expression points to."""
        if isinstance(node, ast.UnaryOp) and node.op == "&":
            found = self._lvalue(node.expr)
            return replace(found, text=found.place(), direct=False)
        found = self._lvalue(node)
        if isinstance(found.type, Pointer):
            return replace(found, type=found.type.of)
        if isinstance(found.type, Array):
            return Place(found.place(), found.type.of, found.extent, is_all=False)
        raise self.known.error(node, "a pointer is wanted")

    def _load(self, node: ast.Node, at: Place) -> Text:
        if not isinstance(at.type, Number):
            raise self.known.error(node, "an array or a struct, where a number is wanted")
        if self.rams and self._is_payload(node):
            raise self.known.error(node, "a payload; in a model with RAMS row_write alone reads it")
        text = f"({at.text})[0]" if at.direct else f"wlk_load({at.text}, {mask(at.type.type)})"
        return Text(text, at.type.type)

    def _is_payload(self, node: ast.Node) -> bool:
        """A word of one? What is unknown of payloads must not decide anything."""
        match node:
            case ast.ArrayRef(name=ast.StructRef()):
                of, root = self._lvalue(node.name).type, node.name
                while isinstance(root, ast.StructRef | ast.ArrayRef):
                    root = root.name
                found = self._find(root) if isinstance(root, ast.ID) else None
                is_in = found is not None and found.type in self.inputs
                return is_in and isinstance(of, Array) and of.of == Number(U64)
        return False

    def _store(self, to: Place, value: Text) -> None:
        assert isinstance(to.type, Number)
        text = self._converted(value, to.type.type).text
        self._emit(f"({to.text})[0] = {text};" if to.direct else f"wlk_store({to.text}, {text});")
        self._changed.add(to.extent)

    def _copy(self, source: Place, to: Place) -> None:
        if isinstance(to.type, Pointer):
            raise self.known.error(ast.ID(to.text), "a pointer is set where it is declared")
        self._emit(f"wlk_copy({to.place()}, {source.place()}, {to.type.size});")
        self._changed.add(to.extent)

    # -- decisions -------------------------------------------------------------------------

    def _decide(self, cond: str, then: Callable[[], None], other: Callable[[], None]) -> None:
        """Run one of both, or both where the condition is not known."""
        visible = self._visible()
        with self._apart() as (one, changed):
            then()
        with self._apart() as (two, more):
            other()
        roots = [each for each in listed(changed | more) if each.of in visible]
        c, both = self._new("c"), self._new("both")
        self._emit(f"{{ const wlk_num {c} = {cond};")
        if self.rams:
            self._emit(f"rams->open += wlk_is_open({c});")
        regions, kept = self._regions(roots, f"wlk_is_open({c})", both)
        self._lines += [f"if (!wlk_is_no({c})) {{", *one, "}"]
        if two:
            if roots:
                self._emit(f"if ({both}) {{ wlk_exchange({regions}, {kept}); }}")
            self._lines += [f"if (!wlk_is_yes({c})) {{", *two, "}"]
        if roots:
            self._emit(f"if ({both}) {{ wlk_join({regions}, {kept}); }}")
        if self.rams:
            self._emit(f"rams->open -= wlk_is_open({c});")
        self._emit("}")

    def _visible(self) -> set[Variable]:
        """Variables that are there before what comes next."""
        function = self._function
        found = {each for names in function.names for each in names.values()}
        found |= {*function.flags.values(), *self._temporaries}
        return found | ({function.value} if function.value is not None else set())

    _temporaries: tuple[Variable, ...] = ()

    def _regions(self, roots: Sequence[Extent], is_open: str, both: str) -> tuple[str, str]:
        """Keep variables if a bit is not known; the arguments of what goes on with them."""
        if not roots:
            return "", ""
        r, kept = self._new("r"), self._new("kept")
        regions = f"{r}, {len(roots)}"
        self._emit(f"const bool {both} = {is_open};")
        self._emit(f"const wlk_region {r}[] = {{{', '.join(each.region for each in roots)}}};")
        self._emit(f"wlk_num {kept}[1 + ({both} ? wlk_region_sizes({regions}) : 0)];")
        self._emit(f"if ({both}) {{ wlk_keep({regions}, {kept}); }}")
        return regions, kept

    def _set(self, variable: Variable, text: str) -> None:
        self._emit(f"{variable.name}[0] = {text};")
        self._changed.add(variable.whole())

    # -- expressions -----------------------------------------------------------------------

    def _temporary(self, stem: str, value: Text) -> Text:
        name = self._new(stem)
        self._emit(f"const wlk_num {name} = {value.text};")
        return Text(name, value.type)

    def value(self, node: ast.Node) -> Text:
        """The value of an expression."""
        found = self._effect(node)
        if found is None:
            raise self.known.error(node, "a call without a result, where a number is wanted")
        return found

    def _truth(self, node: ast.Node) -> str:
        return self._converted(self.value(node), BOOL).text

    def _effect(self, node: ast.Node) -> Text | None:
        if isinstance(node, ast.ID | ast.StructRef | ast.ArrayRef):
            return self._named(node)
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is None:
            raise self.known.error(node, f"{type(node).__name__} is no expression of model C")
        return handler(node)

    def _constant(self, node: ast.Constant) -> Text:
        found = literal(node)
        if found is None:
            raise self.known.error(node, f"{node.value} is no number of 32 or 64 bits")
        return Text(f"wlk_num_of(UINT64_C({found.word.value}))", found.type)

    def _cast(self, node: ast.Cast) -> Text:
        return self._converted(self.value(node.expr), self._number_type(node.to_type.type))

    def _named(self, node: ast.Node) -> Text:
        if isinstance(node, ast.ID) and self._find(node) is None:
            if node.name not in self.known.constants:
                raise self.known.error(node, f"{node.name} is not known here")
            return Text(f"wlk_num_of(UINT64_C({self.known.constants[node.name]}))", INT32)
        return self._load(node, self._lvalue(node))

    def _assignment(self, node: ast.Assignment) -> Text | None:
        to = self._lvalue(node.lvalue)
        if not isinstance(to.type, Number):
            self._copy(self._lvalue(node.rvalue), to)
            return None
        value = self.value(node.rvalue)
        if node.op != "=":
            value = self._operate(node, node.op[:-1], self._load(node, to), value)
        value = self._temporary("set", self._converted(value, to.type.type))
        self._store(to, value)
        return value

    def _ternaryop(self, node: ast.TernaryOp) -> Text:
        cond, parts = self._truth(node.cond), []
        for each in (node.iftrue, node.iffalse):
            with self._apart() as (lines, changed):
                value = self.value(each)
            parts.append((lines, changed, value))
        kind = common_type(*(value.type for _, _, value in parts))

        def run(lines: list[str], changed: set[Extent], value: Text) -> str:
            self._lines += lines
            self._changed |= changed
            return self._converted(value, kind).text

        one, other = (partial(run, *part) for part in parts)
        return self._chosen(cond, kind, one, other)

    def _chosen(
        self, cond: str, kind: Type, one: Callable[[], str], other: Callable[[], str]
    ) -> Text:
        made = self._local("chosen", Number(kind))
        outer, self._temporaries = self._temporaries, (*self._temporaries, made)
        self._emit(f"{made.name}[0] = wlk_num_unknown({mask(kind)});")
        self._decide(cond, lambda: self._set(made, one()), lambda: self._set(made, other()))
        self._temporaries = outer
        return Text(f"{made.name}[0]", kind)

    def _binaryop(self, node: ast.BinaryOp) -> Text:
        if node.op not in ("&&", "||"):
            one = self._temporary("left", self.value(node.left))
            return self._operate(node, node.op, one, self.value(node.right))
        right = lambda: self._truth(node.right)  # noqa: E731
        both = (right, lambda: "WLK_NO") if node.op == "&&" else (lambda: "WLK_YES", right)
        found = self._chosen(self._truth(node.left), BOOL, *both)
        return Text(found.text, INT32)

    def _unaryop(self, node: ast.UnaryOp) -> Text:
        if node.op in ("++", "--", "p++", "p--"):
            to = self._lvalue(node.expr)
            old = self._temporary("old", self._load(node, to))
            new = self._operate(node, node.op[-1], old, Text("WLK_YES", INT32))
            new = self._temporary("new", self._converted(new, old.type))
            self._store(to, new)
            return old if node.op.startswith("p") else new
        if node.op == "*":
            return self._load(node, self._lvalue(node))
        if node.op == "!":
            return Text(f"wlk_num_not({self.value(node.expr).text})", INT32)
        if node.op not in "~-+":
            raise self.known.error(node, f"{node.op} is no operator of model C")
        value = self._promoted(self.value(node.expr))
        if node.op == "~":
            return Text(f"wlk_num_inverse({value.text}, {mask(value.type)})", value.type)
        if node.op == "-":
            return self._operate(node, "-", Text("WLK_NO", value.type), value)
        return value

    def _operate(self, node: ast.Node, op: str, one: Text, other: Text) -> Text:
        if op in ("<<", ">>"):
            one, other = self._promoted(one), self._promoted(other)
            left = "true" if op == "<<" else "false"
            text = f"wlk_num_shift({one.text}, {other.text}, {left}, {mask(one.type)})"
            if one.type.signed:
                text = f"wlk_num_unless_negative({one.text}, {text})"
            return Text(text, one.type)
        kind = common_type(one.type, other.type)
        a, b = self._converted(one, kind).text, self._converted(other, kind).text
        if op in ("==", "!="):
            text = f"wlk_num_equal({a}, {b})"
            return Text(text if op == "==" else f"wlk_num_not({text})", INT32)
        if op in ("<", ">", "<=", ">="):
            return Text(_compared(op, a, b, kind), INT32)
        if op not in OPERATORS:
            raise self.known.error(node, f"{op} is no operator of model C")
        last = "" if op in "&|^" else f", {mask(kind)}"
        text = f"wlk_num_{OPERATORS[op]}({a}, {b}{last})"
        if op in "/%" and kind.signed:  # model C has no division of what may be negative
            text = f"wlk_num_unless_negative(wlk_num_or({a}, {b}), {text})"
        return Text(text, kind)

    def _promoted(self, value: Text) -> Text:
        return Text(value.text, INT32) if value.type.bits < INT else value

    def _converted(self, value: Text, kind: Type) -> Text:
        if kind == value.type:
            return value
        if kind == BOOL:
            return Text(f"wlk_num_truth({value.text})", kind)
        if value.type.signed and kind.bits > INT:
            return Text(f"wlk_num_extend({value.text})", kind)
        if kind.bits < value.type.bits:
            return Text(f"wlk_num_fit({value.text}, {mask(kind)})", kind)
        return Text(value.text, kind)

    # -- calls -----------------------------------------------------------------------------

    def _funccall(self, node: ast.FuncCall) -> Text | None:
        if not isinstance(node.name, ast.ID):
            raise self.known.error(node, "a call by a pointer")
        name, given = node.name.name, node.args.exprs if node.args is not None else []
        if name == SHOW:
            return self._show(given)
        if name == SHOW_WORDS:
            return self._show_words(given)
        if name == SHOW_ROW:
            return self._show_row(given)
        if name in ROW_CALLS:
            return self._call_row(name, given)
        if name.startswith("__builtin_"):
            return self._counted(node, name.removeprefix("__builtin_"), given[0])
        if name not in self.known.functions:
            raise self.known.error(node, f"{name}() is not a function of this model")
        function = self.function(name)
        if len(function.params) != len(given):
            raise self.known.error(node, f"{name}() has {len(function.params)} parameters")
        words = [self._given(function, *each) for each in zip(function.params, given, strict=True)]
        text = f"{function.name}({', '.join(['rams', *words])})"
        if function.result is None:
            self._emit(f"{text};")
            return None
        return self._temporary("called", Text(text, function.result))

    def _given(self, function: Function, param: Variable, node: ast.Node) -> str:
        """An argument; what the function changes through a pointer, the call changes."""
        if not param.is_place:
            return self._converted(self.value(node), param.type.type).text
        to = self._pointer(node)
        parts = [each for each in function.changed if each.of is param]
        self._changed |= {
            to.extent.part(each.offset, each.size) if to.is_all else to.extent for each in parts
        }
        return to.text

    def _show(self, given: Sequence[ast.Node]) -> None:
        value, to = self.value(given[1]), self._lvalue(given[0])
        if not isinstance(to.type, Number):
            raise self.known.error(given[0], "SHOW takes a port; SHOW_WORDS a payload")
        kind = to.type.type
        text = self._converted(value, kind).text
        self._emit(f"wlk_show({to.place()}, {self.apart}, {text}, {mask(kind)});")
        self._changed.add(to.extent)

    def _show_words(self, given: Sequence[ast.Node]) -> None:
        to, source = self._lvalue(given[0]), self._pointer(given[1])
        if not isinstance(to.type, Array):
            raise self.known.error(given[0], "SHOW_WORDS takes one payload or unit")
        self._emit(f"wlk_show_words({to.place()}, {self.apart}, {source.text}, {to.type.size});")
        self._changed.add(to.extent)

    def _row(self, node: ast.Node) -> str:
        """A row of a memory: what ROW gives."""
        match node:
            case ast.ArrayRef(
                name=ast.ArrayRef(name=ast.StructRef(field=ast.ID(name=name)), subscript=copy),
                subscript=row,
            ) if name in self.rams:
                numbers = ", ".join(self.value(each).text for each in (copy, row))
                return f"wlk_row_of(rams, {self.rams.index(name)}, {numbers})"
        raise self.known.error(node, "ROW(memory, copy, row) is wanted")

    def _copy_of(self, node: ast.Node) -> str:
        """A copy of a memory: what ROWS_CLEAR names."""
        match node:
            case ast.ArrayRef(name=ast.StructRef(field=ast.ID(name=name)), subscript=copy) if (
                name in self.rams
            ):
                return f"rams, {self.rams.index(name)}, {self.value(copy).text}"
        raise self.known.error(node, "ROWS_CLEAR(memory, copy) is wanted")

    def _call_row(self, name: str, given: Sequence[ast.Node]) -> None:
        if name == ROWS_CLEAR:
            self._emit(f"wlk_{name}({self._copy_of(given[0])});")
            return
        words = [self._row(given[0])]
        if name == "row_copy":
            words.append(self._row(given[1]))
        elif name in ("row_write", "row_learn"):
            words.append(self._pointer(given[1]).text)
        if name in ("row_write", "row_forget"):
            words.append(self._converted(self.value(given[-1]), U64).text)
        self._emit(f"wlk_{name}({', '.join(words)});")

    def _show_row(self, given: Sequence[ast.Node]) -> None:
        to = self._lvalue(given[0])
        if not isinstance(to.type, Array):
            raise self.known.error(given[0], "SHOW_ROW takes one payload")
        row, is_shown = self._row(given[1]), self._truth(given[2])
        self._emit(f"wlk_show_row({to.place()}, {self.apart}, {row}, {is_shown});")
        self._changed.add(to.extent)

    def _counted(self, node: ast.FuncCall, name: str, given: ast.Node) -> Text:
        stem = name.rstrip("l")
        if stem not in COUNTS:
            raise self.known.error(node, f"{node.name.name}() is not a function of model C")
        kind = U64 if name != stem else U32
        value = self._converted(self.value(given), kind).text
        bits = "" if stem == "popcount" else f", {kind.bits}"
        return Text(f"wlk_num_{COUNTS[stem]}({value}{bits})", INT32)


def _compared(op: str, a: str, b: str, kind: Type) -> str:
    if kind.signed:
        a, b = f"wlk_num_ordered({a})", f"wlk_num_ordered({b})"
    if op in (">", "<="):
        a, b = b, a
    text = f"wlk_num_less({a}, {b})"
    return text if op in "<>" else f"wlk_num_not({text})"


def _known(leaf: Leaf) -> str:
    return f"{{UINT64_C({leaf.word.value}), ~UINT64_C(0)}}"


def _measured(node: Node) -> Shape:
    """The shape of a table."""
    if isinstance(node, Leaf):
        return Number(node.type)
    if isinstance(node, list):
        return Array(_measured(node[0]), len(node))
    return struct_of((name, _measured(each)) for name, each in node.items())
