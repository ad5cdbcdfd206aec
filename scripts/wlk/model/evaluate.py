# SPDX-License-Identifier: Apache-2.0
"""Variables and expressions of model C on words of logic instead of numbers.

An element at a computed index is a choice of all.
"""

import operator
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pycparser import c_ast as ast

from .arithmetic import Arithmetic, literal
from .layout import Array, Number, Shape, struct_of
from .source import RAM
from .values import BOOL, INT32, TYPES, U32, Cell, Leaf, Node, Places, Ram, Rows, Value, leaves, row
from .words import FALSE, TRUE, Word, constant

UNSET = "a variable is read before it is written"


@dataclass
class Frame:
    """A call: its names, and why the rest of it is not run."""

    names: dict[str, Places]
    result: Leaf | None = None
    pointers: set[str] = field(default_factory=set)
    ended: dict[str, Leaf] = field(
        default_factory=lambda: {x: Leaf(BOOL) for x in ("return", "break", "continue")}
    )


class Evaluator(Arithmetic):
    """The types, the variables and the expressions of a parsed model."""

    def __init__(self, tree: ast.FileAST) -> None:
        super().__init__()
        self.types: dict[str, ast.Node] = {}
        self.structs: dict[str, ast.Struct] = {}
        self.functions: dict[str, ast.FuncDef] = {}
        self.constants: dict[str, int] = {}
        self.globals = Frame({})
        self.memories: dict[str, Node] = {}  # of the state, beside its struct
        self.cleared: set[str] = set()  # columns of which all rows are cleared at once
        # By an array's id: bits of its indices; 0 where one of them is a constant.
        self.indexed: dict[int, int] = {}
        self._log: dict[Leaf, tuple[Word, Word, Word | None]] = {}
        for each in tree.ext:
            self._declare(each)

    # -- declarations ----------------------------------------------------------------------

    @property
    def rams(self) -> list[str]:
        """The memories of the model, in the order of its RAMS."""
        return re.findall(rf"\b{RAM}_(\w+)_end\b", " ".join(self.functions))

    def _declare(self, each: ast.Node) -> None:
        if isinstance(each, ast.FuncDef):
            self.functions[each.decl.name] = each
        elif isinstance(each, ast.Typedef):
            self.types[each.name] = each.type
            self.note(each.type)
        elif isinstance(each, ast.Decl):
            self.note(each.type)
            if each.name and not isinstance(each.type, ast.FuncDecl):
                if "const" not in each.quals:
                    raise self.error(each, f"{each.name} is a global variable; give it const")
                self._variable(each, self.globals)

    def note(self, node: ast.Node) -> None:
        """Remember the structs and numbers that a type defines."""
        if isinstance(node, ast.Struct) and node.decls is not None and node.name:
            self.structs[node.name] = node
        if isinstance(node, ast.Enum) and node.values is not None:
            following = 0
            for each in node.values.enumerators:
                if each.value is not None:
                    following = self.number(each.value)
                self.constants[each.name] = following
                following += 1
        for _, child in node.children():
            if isinstance(child, ast.TypeDecl | ast.Struct | ast.Enum):
                self.note(child)

    def shape(self, node: ast.Node) -> Shape:
        """The type that a node declares. BUILD_FAIL: it is none of model C."""
        if isinstance(node, ast.TypeDecl | ast.Typename):
            return self.shape(node.type)
        if isinstance(node, ast.IdentifierType):
            if tuple(node.names) in TYPES:
                return Number(TYPES[tuple(node.names)])
            if node.names[-1] in self.types:
                return self.shape(self.types[node.names[-1]])
            raise self.error(node, f"the type {' '.join(node.names)} has no fixed unsigned width")
        if isinstance(node, ast.Struct):
            known = node if node.decls is not None else self.structs.get(node.name)
            if known is None:
                raise self.error(node, f"struct {node.name} is not defined")
            if odd := next((each for each in known.decls if each.bitsize is not None), None):
                raise self.error(odd, f"{odd.name} is a bit-field; give it a type of fixed width")
            return struct_of((each.name, self.shape(each.type)) for each in known.decls)
        if isinstance(node, ast.ArrayDecl) and node.dim is not None:
            size = self.number(node.dim)
            return Array(self.shape(node.type), size)
        if isinstance(node, ast.Enum):
            return Number(U32)
        raise self.error(node, f"a {type(node).__name__} cannot be a variable")

    def new(self, node: ast.Node, unset: Word = FALSE) -> Node:
        """A variable of this type, all of it 0."""
        return _made(self.shape(node), unset)

    def struct(self, name: str) -> Node:
        """A variable of a named type."""
        return self.new(self.types[name])

    def number(self, node: ast.Node, frame: Frame | None = None) -> int:
        """A number that does not depend on inputs or state."""
        value = self.value(node, frame or self.globals).word.value
        if value is None:
            raise self.error(node, "a number is wanted that does not depend on inputs or state")
        return value

    def _variable(self, node: ast.Decl, frame: Frame) -> None:
        if "static" in (node.storage or []) and "const" not in node.quals:
            raise self.error(node, f"{node.name} is static; state is in the struct of the state")
        if isinstance(node.type, ast.PtrDecl):
            if node.init is None:
                raise self.error(node, f"pointer {node.name} has no place")
            frame.names[node.name] = self.places(node.init, frame)
            frame.pointers.add(node.name)
            return
        made = self.new(self.sized(node.type, node.init), TRUE if node.init is None else FALSE)
        frame.names[node.name] = [(TRUE, made)]
        if node.init is not None:
            self._initialize(node.init, made, frame)

    def sized(self, kind: ast.Node, init: ast.Node | None) -> ast.Node:
        """A type; an array without a size has that of its values."""
        if not (isinstance(kind, ast.ArrayDecl) and kind.dim is None):
            return kind
        if not isinstance(init, ast.InitList):
            raise self.error(kind, "an array has no size")
        size = ast.Constant("int", str(len(init.exprs)), kind.coord)
        return ast.ArrayDecl(kind.type, size, [], kind.coord)

    def _initialize(self, init: ast.Node, made: Node, frame: Frame) -> None:
        if not isinstance(init, ast.InitList):
            if isinstance(made, Leaf):
                self._store(made, self.value(init, frame))
            else:
                self._copy(init, self.places(init, frame), [(TRUE, made)])
            return
        if isinstance(made, Leaf):
            raise self.error(init, "a list of values for a number")
        nodes = list(made.values()) if isinstance(made, dict) else made
        for number, each in enumerate(init.exprs):
            if isinstance(each, ast.NamedInitializer):
                name = each.name[0]
                target = made[name.name if isinstance(name, ast.ID) else self.number(name, frame)]
                self._initialize(each.expr, target, frame)
            else:
                self._initialize(each, nodes[number], frame)

    def _funccall(self, node: ast.FuncCall, frame: Frame) -> Value | None:
        """The result of a call."""
        raise NotImplementedError

    # -- decisions -------------------------------------------------------------------------

    def branch(
        self, bit: Word, then: Callable[[], None], other: Callable[[], None] = lambda: None
    ) -> None:
        """Run one of both, or both where the bit is a wire, and choose what they leave."""
        if bit.value is not None:
            (then if bit.value else other)()
            return
        with self._apart(bit) as one:
            then()
        after = {leaf: _held(leaf) for leaf in one}
        for leaf, held in one.items():
            leaf.word, leaf.unset, leaf.shown = held
        with self._apart(self.logic.no(bit)) as two:
            other()
        choose = self.logic.choose
        for leaf in {**one, **two}:
            before = one.get(leaf, two.get(leaf))
            left, right = after.get(leaf, before), _held(leaf)
            leaf.word, leaf.unset, leaf.shown = before
            self._keep(leaf)
            leaf.word = choose(bit, left[0], right[0])
            leaf.unset = choose(bit, left[1], right[1])
            if left[2] is not None or right[2] is not None:
                leaf.shown = choose(bit, left[2] or FALSE, right[2] or FALSE)

    @contextmanager
    def _apart(self, bit: Word) -> Iterator[dict[Leaf, tuple[Word, Word, Word | None]]]:
        """What is written inside, and what it was before."""
        outer, path = self._log, self.path
        self._log, self.path = {}, self.logic.both(path, bit)
        yield self._log
        self._log, self.path = outer, path

    def _keep(self, leaf: Leaf) -> None:
        """It is about to be written."""
        self._log.setdefault(leaf, _held(leaf))

    # -- places ----------------------------------------------------------------------------

    def places(self, node: ast.Node, frame: Frame) -> Places:
        """What an expression may name."""
        if isinstance(node, ast.ID):
            for names in (frame.names, self.globals.names):
                if node.name in names:
                    return names[node.name]
            raise self.error(node, f"{node.name} is not known here")
        if isinstance(node, ast.StructRef):
            found = self.places(node.name, frame)
            return [(when, self._member(node, each)) for when, each in found]
        if isinstance(node, ast.ArrayRef):
            return self._elements(node, frame)
        if isinstance(node, ast.UnaryOp) and node.op in "*&":
            return self.places(node.expr, frame)
        if isinstance(node, ast.CompoundLiteral):
            made = self.new(self.sized(node.type.type, node.init))
            self._initialize(node.init, made, frame)
            return [(TRUE, made)]
        raise self.error(node, "a variable, a member or an element is wanted")

    def _member(self, node: ast.StructRef, of: Node) -> Node:
        if node.field.name in self.memories:
            return self.memories[node.field.name]
        if not isinstance(of, dict) or node.field.name not in of:
            raise self.error(node, f"no member {node.field.name} that a model sees")
        return of[node.field.name]

    def _elements(self, node: ast.ArrayRef, frame: Frame) -> Places:
        index = self.value(node.subscript, frame)
        logic, found = self.logic, []
        for when, array in self.places(node.name, frame):
            first = array.first if isinstance(array, Ram | Rows) else 0
            if first:
                below = logic.compare("<", index.word, constant(first), operator.lt)
                self.fault(node, f"an index below row {first}", logic.both(when, below))
            if isinstance(array, Ram):
                self._within(node, when, index, array.size)
                found.append((when, row(array.row, index.word)))
                continue
            if not isinstance(array, list):
                raise self.error(node, "an index, and no array; pointers are to structs alone")
            width, known = index.word.width, self.indexed.get(id(array), 1)
            self.indexed[id(array)] = (
                0 if index.word.value is not None or not known else max(width, known)
            )
            self._within(node, when, index, len(array))
            if index.word.value is not None:
                found += [(when, array[index.word.value])] if index.word.value < len(array) else []
                continue
            for number, each in enumerate(array):
                if number < 1 << index.word.width:
                    here = logic.equal(index.word, constant(number))
                    found.append((logic.both(when, here), each))
        return found or [(FALSE, _first(array))]

    def _within(self, node: ast.Node, when: Word, index: Value, size: int) -> None:
        beyond = self.logic.compare(">=", index.word, constant(size), operator.ge)
        self.fault(node, f"an index beyond the {size} elements", self.logic.both(when, beyond))

    def _row(self, cell: Cell) -> Word:
        """What a row holds after the writes up to here."""
        logic, column = self.logic, cell.column
        held = f"{column.name}[{logic.padded(cell.index, column.rows)}]"
        word = logic.wire(column.width, held, column.ones)
        for when, index, value in column.writes:
            hit = logic.both(when, logic.equal(index, cell.index))
            word = logic.choose(hit, value, word)
        if column.written is None:
            return word
        held = logic.shift(column.written.word, False, cell.index, column.written.type.bits)
        return logic.choose(logic.fit(held, 1), word, FALSE)

    def _read(self, node: ast.Node, places: Places) -> Value:
        logic, word, unset, kind = self.logic, None, FALSE, None
        for when, leaf in places:
            if not isinstance(leaf, Leaf | Cell):
                raise self.error(node, "an array or a struct, where a number is wanted")
            held = self._row(leaf) if isinstance(leaf, Cell) else leaf.word
            word = held if word is None else logic.choose(when, held, word)
            kind = leaf.type
            if isinstance(leaf, Leaf):
                unset = logic.either(unset, logic.both(when, leaf.unset))
        self.fault(node, UNSET, unset)
        return Value(word, kind)

    def _write(self, node: ast.Node, value: Value, target: Places) -> None:
        for when, leaf in target:
            if not isinstance(leaf, Leaf | Cell):
                raise self.error(node, "an array or a struct, where a number is wanted")
            self._put(leaf, when, self.converted(value, leaf.type))

    def _put(self, leaf: Leaf | Cell, when: Word, word: Word) -> None:
        """A number is written where the bit is 1."""
        if isinstance(leaf, Cell):
            run = self.logic.both(self.path, when)
            leaf.column.writes.append((run, leaf.index, word))
            if (written := leaf.column.written) is not None:
                bits = written.type.bits
                row = self.logic.shift(TRUE, True, leaf.index, bits)
                more = self.logic.compute("|", written.word, row, bits, operator.or_)
                self._keep(written)
                written.word = self.logic.choose(when, more, written.word)
            return
        self._keep(leaf)
        leaf.word = self.logic.choose(when, word, leaf.word)
        leaf.unset = self.logic.choose(when, FALSE, leaf.unset)

    def _store(self, leaf: Leaf, value: Value) -> None:
        self._keep(leaf)
        leaf.word, leaf.unset = self.converted(value, leaf.type), FALSE

    def _copy(self, node: ast.Node, source: Places, to: Places) -> None:
        """A struct or an array, or a part of it."""
        for _, each in (*source, *to):
            for array in _arrays(each):
                self.indexed[id(array)] = 0  # all of it is named
        rows = [(at, list(leaves(each))) for at, each in source]
        parts = zip(*([(at, leaf) for leaf in each] for at, each in rows), strict=True)
        values = [self._read(node, list(part)) for part in parts]
        for when, target in to:
            for leaf, value in zip(leaves(target), values, strict=True):
                self._put(leaf, when, value.word)

    # -- expressions -----------------------------------------------------------------------

    def value(self, node: ast.Node, frame: Frame) -> Value:
        """The value of an expression."""
        found = self._effect(node, frame)
        if found is None:
            raise self.error(node, "a call without a result, where a number is wanted")
        return found

    def _truth(self, node: ast.Node, frame: Frame) -> Word:
        return self.logic.true(self.value(node, frame).word)

    def _effect(self, node: ast.Node, frame: Frame) -> Value | None:
        if isinstance(node, ast.Constant):
            return literal(node) or self._refuse_constant(node)
        if isinstance(node, ast.ID | ast.StructRef | ast.ArrayRef):
            return self._named(node, frame)
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is None:
            raise self.error(node, f"{type(node).__name__} is no expression of model C")
        return handler(node, frame)

    def _named(self, node: ast.Node, frame: Frame) -> Value:
        self._require_number(node, frame)
        is_name = isinstance(node, ast.ID) and node.name not in frame.names
        if is_name and node.name in self.constants:
            return Value(constant(self.constants[node.name]), INT32)
        return self._read(node, self.places(node, frame))

    def _require_number(self, node: ast.Node, frame: Frame) -> None:
        if isinstance(node, ast.ID) and node.name in frame.pointers:
            raise self.error(node, f"{node.name} is a pointer, which is set where it is declared")

    def _cast(self, node: ast.Cast, frame: Frame) -> Value:
        made = self.new(node.to_type.type)
        return Value(self.converted(self.value(node.expr, frame), made.type), made.type)

    def _refuse_constant(self, node: ast.Constant) -> Value:
        raise self.error(node, f"{node.value} is no number of 32 or 64 bits")

    def _assignment(self, node: ast.Assignment, frame: Frame) -> Value | None:
        self._require_number(node.lvalue, frame)
        target = self.places(node.lvalue, frame)
        if node.op == "=" and not all(isinstance(leaf, Leaf | Cell) for _, leaf in target):
            self._copy(node, self.places(node.rvalue, frame), target)
            return None
        value = self.value(node.rvalue, frame)
        if node.op != "=":
            value = self.operate(node, node.op[:-1], self._read(node, target), value)
        self._write(node, value, target)
        kind = target[0][1].type
        return Value(self.converted(value, kind), kind)

    def _ternaryop(self, node: ast.TernaryOp, frame: Frame) -> Value:
        bit = self._truth(node.cond, frame)
        if bit.value is not None:
            run, dead = (node.iftrue, node.iffalse) if bit.value else (node.iffalse, node.iftrue)
            other = self._unused(dead, frame)  # for its type
            word, _, kind = self.balanced(self.value(run, frame), other)
            return Value(word, kind)
        found: list[Value] = []
        for part, when in ((node.iftrue, bit), (node.iffalse, self.logic.no(bit))):
            self.branch(when, lambda part=part: found.append(self.value(part, frame)))
        one, other, kind = self.balanced(*found)
        return Value(self.logic.choose(bit, one, other), kind)

    def _unused(self, node: ast.Node, frame: Frame) -> Value:
        """The value of what is not run."""
        with self._apart(FALSE) as changed:
            found = self.value(node, frame)
        for leaf, held in changed.items():
            leaf.word, leaf.unset, leaf.shown = held
        return found

    def _binaryop(self, node: ast.BinaryOp, frame: Frame) -> Value:
        if node.op not in ("&&", "||"):
            one, other = self.value(node.left, frame), self.value(node.right, frame)
            return self.operate(node, node.op, one, other)
        is_and, bit = node.op == "&&", self._truth(node.left, frame)
        if bit.value is not None and bool(bit.value) != is_and:
            return Value(bit, INT32)
        found: list[Word] = []
        when = bit if is_and else self.logic.no(bit)
        self.branch(when, lambda: found.append(self._truth(node.right, frame)))
        join = self.logic.both if is_and else self.logic.either
        return Value(join(bit, found[0]), INT32)

    def _unaryop(self, node: ast.UnaryOp, frame: Frame) -> Value:
        if node.op in ("++", "--", "p++", "p--"):
            self._require_number(node.expr, frame)
            target = self.places(node.expr, frame)
            old = self._read(node, target)
            new = self.operate(node, node.op[-1], old, Value(TRUE, INT32))
            self._write(node, new, target)
            kind = target[0][1].type
            if node.op.startswith("p"):
                return old
            return Value(self.converted(new, kind), kind)
        if node.op in "*&":
            return self._read(node, self.places(node, frame))
        if node.op == "sizeof":
            raise self.error(node, "sizeof: count elements by the parameters")
        if node.op == "!":
            return Value(self.logic.no(self._truth(node.expr, frame)), INT32)
        value = self.promoted(self.value(node.expr, frame))
        if node.op == "~":
            return Value(self.logic.inverse(value.word, value.type.bits), value.type)
        if node.op == "-":
            return self.operate(node, "-", Value(FALSE, value.type), value)
        return value


def _held(leaf: Leaf) -> tuple[Word, Word, Word | None]:
    return leaf.word, leaf.unset, leaf.shown


def _arrays(node: Node) -> Iterator[list]:
    """All arrays in it."""
    if isinstance(node, list):
        yield node
    if isinstance(node, list | dict):
        for each in node.values() if isinstance(node, dict) else node:
            yield from _arrays(each)


def _first(node: Node) -> Node:
    return node[0] if isinstance(node, list) else node


def _made(of: Shape, unset: Word) -> Node:
    if isinstance(of, Number):
        return Leaf(of.type, FALSE, unset)
    if isinstance(of, Array):
        return [_made(of.of, unset) for _ in range(of.count)]
    return {name: _made(each, unset) for name, (_, each) in of.members.items()}
