# SPDX-License-Identifier: Apache-2.0
"""Executes model C on words of logic instead of numbers: what a call computes becomes wires.

An `if` on a word runs both branches, and what they leave differently is chosen by it; so do loops,
`switch` and what follows a `return`. An element at a computed index is a choice of all. Integers
are promoted and converted as C does it. What C leaves undefined is collected as `Fault`s: bits
that must never be 1.
"""

import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pycparser import c_ast as ast

from ..base.errors import Status, WlkError
from .source import SHOW, SHOW_WORDS
from .values import Cell, Fault, Leaf, Node, Places, Ram, Type, Value, leaves, row
from .words import FALSE, TRUE, Logic, Word, constant

DEPTH = 100_000  # of Python's calls: a statement behind another one, and a round, are in it
ROUNDS = 4_096  # of a loop that the configuration bounds
INT = 32
POINTERS = (ast.PtrDecl, ast.ArrayDecl)  # of parameters
ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip
COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
DIVISIONS: Mapping[str, Callable[[int, int], int]] = {
    "/": lambda a, b: a // b if b else 0, "%": lambda a, b: a % b if b else 0,
}  # fmt: skip


BOOL, INT32, U32, U64 = Type(1), Type(INT, signed=True), Type(INT), Type(64)
TYPES = {
    ("_Bool",): BOOL,
    ("unsigned", "char"): Type(8),
    ("unsigned", "short"): Type(16),
    ("int",): INT32,
    ("unsigned", "int"): U32,
    ("unsigned",): U32,
    ("unsigned", "long"): U64,
}


@dataclass
class Frame:
    """A call: its names, and why the rest of it is not run."""

    names: dict[str, Places]
    result: Leaf | None = None
    pointers: set[str] = field(default_factory=set)
    ended: dict[str, Leaf] = field(
        default_factory=lambda: {x: Leaf(BOOL) for x in ("return", "break", "continue")}
    )


class Executor:
    """The functions of a parsed model. `rounds`: of a loop whose end depends on a word."""

    def __init__(self, tree: ast.FileAST, rounds: int) -> None:
        self.logic, self.rounds = Logic(), rounds
        self.faults: list[Fault] = []
        self.path = TRUE  # what is run, is run where it is 1
        self.types: dict[str, ast.Node] = {}
        self.structs: dict[str, ast.Struct] = {}
        self.functions: dict[str, ast.FuncDef] = {}
        self.constants: dict[str, int] = {}
        self.globals = Frame({})
        self._running: list[str] = []
        # By an array's id: bits of its indices; 0 where one of them is a constant.
        self.indexed: dict[int, int] = {}
        self._log: dict[Leaf, tuple[Word, Word, Word | None]] = {}
        sys.setrecursionlimit(DEPTH)
        for each in tree.ext:
            self._declare(each)

    # -- declarations ----------------------------------------------------------------------

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

    def error(self, node: ast.Node | None, what: str) -> WlkError:
        """BUILD_FAIL: it is not in the subset."""
        message = f"{where(node)}: {what}; model C is what docs/model-c.md lists"
        return WlkError(Status.BUILD_FAIL, message)

    def new(self, node: ast.Node, unset: Word = FALSE) -> Node:
        """A variable of this type, all of it 0."""
        if isinstance(node, ast.TypeDecl):
            return self.new(node.type, unset)
        if isinstance(node, ast.IdentifierType):
            if tuple(node.names) in TYPES:
                return Leaf(TYPES[tuple(node.names)], FALSE, unset)
            if node.names[-1] in self.types:
                return self.new(self.types[node.names[-1]], unset)
            raise self.error(node, f"the type {' '.join(node.names)} has no fixed unsigned width")
        if isinstance(node, ast.Struct):
            known = node if node.decls is not None else self.structs.get(node.name)
            if known is None:
                raise self.error(node, f"struct {node.name} is not defined")
            if odd := next((each for each in known.decls if each.bitsize is not None), None):
                raise self.error(odd, f"{odd.name} is a bit-field; give it a type of fixed width")
            return {each.name: self.new(each.type, unset) for each in known.decls}
        if isinstance(node, ast.ArrayDecl) and node.dim is not None:
            size = self.number(node.dim)
            return [self.new(node.type, unset) for _ in range(size)]
        if isinstance(node, ast.Enum):
            return Leaf(U32, FALSE, unset)
        raise self.error(node, f"a {type(node).__name__} cannot be a variable")

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

    # -- calls -----------------------------------------------------------------------------

    def call(self, name: str, given: Mapping[str, Node]) -> None:
        """Call a function of the model with nodes for its parameters, in their order."""
        self._enter(self.functions[name], [[(TRUE, node)] for node in given.values()])

    def _enter(self, function: ast.FuncDef, given: Sequence[Places]) -> Value | None:
        declared, name = function.decl.type, function.decl.name
        if name in self._running:
            raise self.error(function.decl, f"{name}() calls itself")
        self._running.append(name)
        frame = Frame({})
        params = declared.args.params if declared.args is not None else []
        for param, places in zip(params, given, strict=False):
            frame.names[param.name] = places
            frame.pointers |= {param.name} if isinstance(param.type, POINTERS) else set()
        kind = declared.type
        if not (isinstance(kind, ast.TypeDecl) and _names(kind) == ["void"]):
            made = self.new(kind, TRUE)
            if not isinstance(made, Leaf):
                raise self.error(function.decl, "a function returns a number or nothing")
            frame.result = made
        self._block(function.body.block_items or [], frame)
        self._running.pop()
        if frame.result is None:
            return None
        self._fault(function.decl, "a function ends without return", frame.result.unset)
        return Value(frame.result.word, frame.result.type)

    def _called(self, node: ast.FuncCall, frame: Frame) -> Value | None:
        name, given = node.name.name, node.args.exprs if node.args is not None else []
        if name == SHOW:
            return self._show(given[0], self.value(given[1], frame), frame)
        if name == SHOW_WORDS:
            return self._show_words(given, frame)
        if name in BUILTINS:
            return BUILTINS[name](self, node, self.value(given[0], frame))
        if name not in self.functions:
            raise self.error(node, f"{name}() is not a function of this model")
        function = self.functions[name]
        params = function.decl.type.args.params if function.decl.type.args is not None else []
        places: list[Places] = []
        for param, each in zip(params, given, strict=True):
            if isinstance(param.type, POINTERS):
                places.append(self.places(each, frame))
            else:
                made = self.new(param.type)
                self._initialize(each, made, frame)
                places.append([(TRUE, made)])
        return self._enter(function, places)

    def _show(self, port: ast.Node, value: Value, frame: Frame) -> None:
        for when, leaf in self.places(port, frame):
            self._keep(leaf)
            leaf.word = self.logic.choose(when, self._converted(value, leaf.type), leaf.word)
            leaf.shown = self.logic.choose(when, TRUE, leaf.shown or FALSE)

    def _show_words(self, given: Sequence[ast.Node], frame: Frame) -> None:
        (_, to), *more = self.places(given[0], frame)
        source = self.places(given[1], frame)
        if more or not isinstance(to, list):
            raise self.error(given[0], "SHOW_WORDS takes one payload")
        for number, leaf in enumerate(to):
            self._keep(leaf)
            leaf.word = self._read(given[1], [(when, node[number]) for when, node in source]).word
            leaf.shown = TRUE

    # -- statements ------------------------------------------------------------------------

    def _block(self, items: Sequence[ast.Node], frame: Frame) -> None:
        """Statements; those behind one that may end the block run where it did not."""
        for number, each in enumerate(items):
            self._statement(each, frame)
            over = self.logic.any_of(leaf.word for leaf in frame.ended.values())
            if over == TRUE:
                return
            if over != FALSE:
                rest = partial(self._block, items[number + 1 :], frame)
                self.branch(self.logic.no(over), rest)
                return

    def _statement(self, node: ast.Node, frame: Frame) -> None:
        kind = type(node).__name__
        handler = getattr(self, f"_do_{kind.lower()}", None)
        if handler is not None:
            handler(node, frame)
        elif isinstance(node, ast.Assignment | ast.UnaryOp | ast.FuncCall):
            self._effect(node, frame)
        elif isinstance(node, ast.Cast):  # (void)x
            pass
        else:
            raise self.error(node, f"{kind} is no statement of model C")

    def _do_emptystatement(self, node: ast.Node, frame: Frame) -> None:
        pass

    def _do_compound(self, node: ast.Compound, frame: Frame) -> None:
        names = dict(frame.names)
        self._block(node.block_items or [], frame)
        frame.names = names

    def _do_decl(self, node: ast.Decl, frame: Frame) -> None:
        self.note(node.type)
        if node.name:
            self._variable(node, frame)

    def _do_decllist(self, node: ast.DeclList, frame: Frame) -> None:
        for each in node.decls:
            self._do_decl(each, frame)

    def _do_exprlist(self, node: ast.ExprList, frame: Frame) -> None:
        for each in node.exprs:
            self._statement(each, frame)

    def _do_if(self, node: ast.If, frame: Frame) -> None:
        def one(part: ast.Node | None) -> Callable[[], None]:
            return lambda: self._block([part] if part is not None else [], frame)

        self.branch(self._truth(node.cond, frame), one(node.iftrue), one(node.iffalse))

    def _do_return(self, node: ast.Return, frame: Frame) -> None:
        if node.expr is not None and frame.result is not None:
            self._store(frame.result, self.value(node.expr, frame))
        self._store(frame.ended["return"], Value(TRUE, BOOL))

    def _do_break(self, node: ast.Break, frame: Frame) -> None:
        self._store(frame.ended["break"], Value(TRUE, BOOL))

    def _do_continue(self, node: ast.Continue, frame: Frame) -> None:
        self._store(frame.ended["continue"], Value(TRUE, BOOL))

    def _do_for(self, node: ast.For, frame: Frame) -> None:
        names = dict(frame.names)
        if node.init is not None:
            self._statement(node.init, frame)
        self._loop(node, node.cond, node.stmt, node.next, frame)
        frame.names = names

    def _do_while(self, node: ast.While, frame: Frame) -> None:
        self._loop(node, node.cond, node.stmt, None, frame)

    def _do_dowhile(self, node: ast.DoWhile, frame: Frame) -> None:
        self._loop(node, node.cond, node.stmt, None, frame, first=True)

    def _loop(
        self, node: ast.Node, cond: ast.Node | None, body: ast.Node, following: ast.Node | None,
        frame: Frame, *, first: bool = False,
    ) -> None:  # fmt: skip
        outer, frame.ended = frame.ended, dict(frame.ended)
        frame.ended["break"], frame.ended["continue"] = Leaf(BOOL), Leaf(BOOL)

        def rounds(count: int, free: int, *, is_run: bool) -> None:
            go_on = TRUE if is_run or cond is None else self._truth(cond, frame)
            free += go_on.value is None
            if go_on == FALSE:
                return
            if count > ROUNDS:
                raise self.error(node, f"a loop of more than {ROUNDS:,} rounds")
            if free > self.rounds:
                self._fault(node, f"a loop takes more than {self.rounds} rounds", go_on)
                return
            self.branch(go_on, lambda: one(count, free))

        def one(count: int, free: int) -> None:
            self._block([body], frame)
            self._store(frame.ended["continue"], Value(FALSE, BOOL))
            over = self.logic.either(frame.ended["return"].word, frame.ended["break"].word)
            self.branch(self.logic.no(over), lambda: go_on(count, free))

        def go_on(count: int, free: int) -> None:
            if following is not None:
                self._statement(following, frame)
            rounds(count + 1, free, is_run=False)

        rounds(0, 0, is_run=first)
        frame.ended = outer

    def _do_switch(self, node: ast.Switch, frame: Frame) -> None:
        outer, frame.ended = frame.ended, dict(frame.ended)
        frame.ended["break"] = Leaf(BOOL)
        value, logic = self.value(node.cond, frame).word, self.logic
        cases = [each for each in node.stmt.block_items or [] if isinstance(each, ast.Case)]
        hits = {each: logic.equal(value, constant(self.number(each.expr, frame))) for each in cases}
        other, entered = logic.no(logic.any_of(hits.values())), FALSE
        for each in node.stmt.block_items or []:
            if not isinstance(each, ast.Case | ast.Default):
                raise self.error(each, "a statement of switch before its first case")
            entered = logic.either(entered, hits.get(each, other))
            over = logic.any_of(leaf.word for leaf in frame.ended.values())
            run = logic.both(entered, logic.no(over))
            self.branch(run, partial(self._block, each.stmts or [], frame))
        frame.ended = outer

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
        if not isinstance(of, dict) or node.field.name not in of:
            raise self.error(node, f"no member {node.field.name} that a model sees")
        return of[node.field.name]

    def _elements(self, node: ast.ArrayRef, frame: Frame) -> Places:
        index = self.value(node.subscript, frame)
        logic, found = self.logic, []
        for when, array in self.places(node.name, frame):
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
        self._fault(node, f"an index beyond the {size} elements", self.logic.both(when, beyond))

    def _row(self, cell: Cell) -> Word:
        """What a row holds after the writes up to here."""
        logic, column = self.logic, cell.column
        word = logic.wire(column.width, f"{column.name}[{logic.padded(cell.index, column.rows)}]")
        for when, index, value in column.writes:
            hit = logic.both(when, logic.equal(index, cell.index))
            word = logic.choose(hit, value, word)
        return word

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
        self._fault(node, "a variable is read before it is written", unset)
        return Value(word, kind)

    def _write(self, node: ast.Node, value: Value, target: Places) -> None:
        for when, leaf in target:
            if not isinstance(leaf, Leaf | Cell):
                raise self.error(node, "an array or a struct, where a number is wanted")
            self._put(leaf, when, self._converted(value, leaf.type))

    def _put(self, leaf: Leaf | Cell, when: Word, word: Word) -> None:
        """A number is written where the bit is 1."""
        if isinstance(leaf, Cell):
            run = self.logic.both(self.path, when)
            leaf.column.writes.append((run, leaf.index, word))
            return
        self._keep(leaf)
        leaf.word = self.logic.choose(when, word, leaf.word)
        leaf.unset = self.logic.choose(when, FALSE, leaf.unset)

    def _store(self, leaf: Leaf, value: Value) -> None:
        self._keep(leaf)
        leaf.word, leaf.unset = self._converted(value, leaf.type), FALSE

    def _copy(self, node: ast.Node, source: Places, to: Places) -> None:
        """A struct or an array, or a part of it."""
        for when, target in to:
            rows = [(at, list(leaves(each))) for at, each in source]
            for number, leaf in enumerate(leaves(target)):
                value = self._read(node, [(at, each[number]) for at, each in rows])
                self._put(leaf, when, value.word)

    def _fault(self, node: ast.Node, what: str, bit: Word) -> None:
        happens = self.logic.both(self.path, bit)
        if happens != FALSE:
            self.faults.append(Fault(where(node), what, happens))

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
        handler = {
            ast.Assignment: self._assignment,
            ast.BinaryOp: self._binary,
            ast.TernaryOp: self._choice,
            ast.UnaryOp: self._unary,
            ast.FuncCall: self._called,
            ast.Cast: self._cast,
        }.get(type(node))
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
        return Value(self._converted(self.value(node.expr, frame), made.type), made.type)

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
            value = self._operate(node, node.op[:-1], self._read(node, target), value)
        self._write(node, value, target)
        kind = target[0][1].type
        return Value(self._converted(value, kind), kind)

    def _choice(self, node: ast.TernaryOp, frame: Frame) -> Value:
        bit = self._truth(node.cond, frame)
        if bit.value is not None:
            run, dead = (node.iftrue, node.iffalse) if bit.value else (node.iffalse, node.iftrue)
            other = self._unused(dead, frame)  # for its type
            word, _, kind = self._balanced(self.value(run, frame), other)
            return Value(word, kind)
        found: list[Value] = []
        for part, when in ((node.iftrue, bit), (node.iffalse, self.logic.no(bit))):
            self.branch(when, lambda part=part: found.append(self.value(part, frame)))
        one, other, kind = self._balanced(*found)
        return Value(self.logic.choose(bit, one, other), kind)

    def _unused(self, node: ast.Node, frame: Frame) -> Value:
        """The value of what is not run."""
        with self._apart(FALSE) as changed:
            found = self.value(node, frame)
        for leaf, held in changed.items():
            leaf.word, leaf.unset, leaf.shown = held
        return found

    def _binary(self, node: ast.BinaryOp, frame: Frame) -> Value:
        if node.op not in ("&&", "||"):
            one, other = self.value(node.left, frame), self.value(node.right, frame)
            return self._operate(node, node.op, one, other)
        is_and, bit = node.op == "&&", self._truth(node.left, frame)
        if bit.value is not None and bool(bit.value) != is_and:
            return Value(bit, INT32)
        found: list[Word] = []
        when = bit if is_and else self.logic.no(bit)
        self.branch(when, lambda: found.append(self._truth(node.right, frame)))
        join = self.logic.both if is_and else self.logic.either
        return Value(join(bit, found[0]), INT32)

    def _unary(self, node: ast.UnaryOp, frame: Frame) -> Value:
        if node.op in ("++", "--", "p++", "p--"):
            self._require_number(node.expr, frame)
            target = self.places(node.expr, frame)
            old = self._read(node, target)
            new = self._operate(node, node.op[-1], old, Value(TRUE, INT32))
            self._write(node, new, target)
            kind = target[0][1].type
            if node.op.startswith("p"):
                return old
            return Value(self._converted(new, kind), kind)
        if node.op in "*&":
            return self._read(node, self.places(node, frame))
        if node.op == "sizeof":
            raise self.error(node, "sizeof: count elements by the parameters")
        if node.op == "!":
            return Value(self.logic.no(self._truth(node.expr, frame)), INT32)
        value = self._promoted(self.value(node.expr, frame))
        if node.op == "~":
            return Value(self.logic.inverse(value.word, value.type.bits), value.type)
        if node.op == "-":
            return self._operate(node, "-", Value(FALSE, value.type), value)
        return value

    def _operate(self, node: ast.Node, op: str, one: Value, other: Value) -> Value:
        logic = self.logic
        if op in ("<<", ">>"):
            return self._shifted(node, op, self._promoted(one), self._promoted(other))
        a, b, kind = self._balanced(one, other)
        negative = kind.signed and INT in (a.width, b.width)  # may be
        if op in COMPARISONS:
            signed = kind.bits if negative else 0
            return Value(logic.compare(op, a, b, COMPARISONS[op], signed), INT32)
        if op in DIVISIONS:
            self._fault(node, "a division by 0", logic.no(logic.true(b)))
            if negative:
                raise self.error(node, "a division of what may be negative; make it unsigned")
            width = max(a.width, b.width)
            found = logic.compute(op, a, b, width, DIVISIONS[op])
            return Value(logic.fit(found, _quotient(op, a, b)), kind)
        if op in "&|^":
            width = min(a.width, b.width) if op == "&" else max(a.width, b.width)
            return Value(logic.compute(op, a, b, width, ARITHMETIC[op]), kind)
        if op not in ARITHMETIC:
            raise self.error(node, f"{op} is no operator of model C")
        return self._sum(node, op, a, b, kind)

    def _sum(self, node: ast.Node, op: str, a: Word, b: Word, kind: Type) -> Value:
        """+, - and *: of so many bits as the result can have."""
        logic, width = self.logic, kind.bits
        if op == "+":
            width = min(width, max(a.width, b.width) + 1)
        elif op == "*":
            width = min(width, a.width + b.width)
        found = logic.compute(op, a, b, width, ARITHMETIC[op])
        if kind.signed and (INT in (a.width, b.width) or (op != "-" and width == INT)):
            self._fault(node, f"an int overflows in {op}", self._overflow(op, a, b))
        return Value(found, kind)

    def _overflow(self, op: str, a: Word, b: Word) -> Word:
        """Does a signed result differ from that of twice the bits?"""
        logic, wide = self.logic, 2 * INT
        long = [logic.join([(INT, x), *[(1, self._bit(x, INT - 1))] * INT]) for x in (a, b)]
        exact = logic.compute(op, *long, wide, ARITHMETIC[op])
        high = logic.shift(exact, False, constant(INT - 1), wide)
        ones = constant((1 << INT + 1) - 1)
        same = logic.either(logic.no(logic.true(high)), logic.equal(high, ones))
        return logic.no(same)

    def _bit(self, word: Word, number: int) -> Word:
        return self.logic.fit(self.logic.shift(word, False, constant(number), INT), 1)

    def _shifted(self, node: ast.Node, op: str, one: Value, other: Value) -> Value:
        logic, bits = self.logic, one.type.bits
        over = logic.compare(">=", other.word, constant(bits), operator.ge)
        self._fault(node, f"a shift by {bits} or more", over)
        found = logic.shift(one.word, op == "<<", other.word, bits)
        if one.type.signed:
            self._fault(node, "a shift of what may be negative", self._bit(one.word, INT - 1))
            if op == "<<":
                wide = logic.shift(one.word, True, other.word, 2 * bits)
                lost = logic.shift(wide, False, constant(bits - 1), 2 * bits)
                self._fault(node, "an int overflows in <<", logic.true(lost))
        return Value(found, one.type)

    # -- conversions -----------------------------------------------------------------------

    def _promoted(self, value: Value) -> Value:
        return Value(value.word, INT32) if value.type.bits < INT else value

    def _balanced(self, one: Value, other: Value) -> tuple[Word, Word, Type]:
        """Two operands, converted to one type."""
        one, other = self._promoted(one), self._promoted(other)
        kinds = {one.type, other.type}
        kind = U64 if U64 in kinds else U32 if U32 in kinds else INT32
        return self._converted(one, kind), self._converted(other, kind), kind

    def _converted(self, value: Value, kind: Type) -> Word:
        if kind == BOOL:
            return self.logic.true(value.word)
        if value.type.signed and kind.bits > INT and value.word.width == INT:
            sign = self._bit(value.word, INT - 1)
            return self.logic.join([(INT, value.word), *[(1, sign)] * (kind.bits - INT)])
        return self.logic.fit(value.word, kind.bits)


def where(node: ast.Node | None) -> str:
    """File and line of a node."""
    coord = node.coord if node is not None else None
    return f"{Path(coord.file)}:{coord.line}" if coord is not None else "the model"


def _held(leaf: Leaf) -> tuple[Word, Word, Word | None]:
    return leaf.word, leaf.unset, leaf.shown


def _quotient(op: str, a: Word, b: Word) -> int:
    """Bits of a quotient or a rest."""
    if op == "/":
        return a.width
    return min(a.width, b.width if b.value is None else max(1, (b.value - 1).bit_length()))


def _first(node: Node) -> Node:
    return node[0] if isinstance(node, list) else node


def _names(node: ast.TypeDecl) -> list[str]:
    return node.type.names if isinstance(node.type, ast.IdentifierType) else []


def literal(node: ast.Constant) -> Value | None:
    """The number that a constant is; None where it is none, or of a type that model C lacks."""
    if node.type == "char" or "string" in node.type or "float" in node.type:
        return None
    digits = node.value.rstrip("uUlL")
    suffix = node.value[len(digits) :].lower()
    value = int(digits, 8 if digits.startswith("0") and digits.isdigit() else 0)
    if "u" in suffix:
        kind = U64 if "l" in suffix or value >> INT else U32
    elif not suffix and value >> INT - 1 == 0:
        kind = INT32
    elif not suffix and digits.lower().startswith("0x") and value >> INT == 0:
        kind = U32
    else:
        return None
    return Value(constant(value), kind)


def _count_zeros(lowest: bool, self: Executor, node: ast.Node, value: Value) -> Value:
    """__builtin_ctz and __builtin_clz of 32 bits, ctzl and clzl of 64."""
    bits = 64 if node.name.name.endswith("l") else INT
    word, logic = self._converted(value, Type(bits)), self.logic
    self._fault(node, f"{node.name.name}() of 0", logic.no(logic.true(word)))
    found = FALSE
    order = range(word.width)
    for number in reversed(order) if lowest else order:
        bit = logic.fit(logic.shift(word, False, constant(number), bits), 1)
        found = logic.choose(bit, constant(number if lowest else bits - 1 - number), found)
    return Value(found, INT32)


def _count_ones(self: Executor, node: ast.Node, value: Value) -> Value:
    bits = 64 if node.name.name.endswith("l") else INT
    word, total = self._converted(value, Type(bits)), FALSE
    for number in range(word.width):
        bit = self.logic.fit(self.logic.shift(word, False, constant(number), bits), 1)
        total = self._sum(node, "+", total, bit, U32).word
    return Value(total, INT32)


BUILTINS: Mapping[str, Callable[[Executor, ast.Node, Value], Value]] = {
    **{f"__builtin_ctz{x}": partial(_count_zeros, True) for x in ("", "l", "ll")},
    **{f"__builtin_clz{x}": partial(_count_zeros, False) for x in ("", "l", "ll")},
    **{f"__builtin_popcount{x}": _count_ones for x in ("", "l", "ll")},
}
