# SPDX-License-Identifier: Apache-2.0
"""Executes model C on words of logic instead of numbers: what a call computes becomes wires.

An `if` on a word runs both branches, and what they leave differently is chosen by it; so do loops,
`switch` and what follows a `return`. An element at a computed index is a choice of all. Integers
are promoted and converted as C does it. What C leaves undefined is collected as `Fault`s: bits
that must never be 1.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from pycparser import c_ast as ast

from ..tables.expr import lane_step
from ..tables.files import MODEL
from .arithmetic import BUILTINS
from .evaluate import UNSET, Evaluator, Frame
from .source import RAM, RAM_NUMBERS, ROW_CALLS, ROWS_CLEAR, SHOW, SHOW_ROW, SHOW_WORDS
from .values import BOOL, U64, Leaf, Node, Places, Ram, Value, leaves
from .words import FALSE, TRUE, Word, constant

DEPTH = 100_000  # of Python's calls: a statement behind another one, and a round, are in it
ROUNDS = 4_096  # of a loop that the configuration bounds
POINTERS = (ast.PtrDecl, ast.ArrayDecl)  # of parameters


class Executor(Evaluator):
    """The functions of a parsed model. `rounds`: of a loop whose end depends on a word."""

    def __init__(self, tree: ast.FileAST, rounds: int, path: Path) -> None:
        self._running: list[str] = []
        super().__init__(tree)
        self.rounds, self.path_of_model = rounds, path
        sys.setrecursionlimit(DEPTH)

    # -- calls -----------------------------------------------------------------------------

    def call(self, name: str, given: Mapping[str, Node]) -> Value | None:
        """Call a function of the model with nodes for its parameters, in their order; what it
        returns."""
        return self._enter(self.functions[name], [[(TRUE, node)] for node in given.values()])

    def ram(self, name: str, cfg: Node) -> list[int]:
        """The numbers of a memory, as in RAM_NUMBERS."""
        calls = (self.functions[f"{RAM}_{name}_{each}"] for each in RAM_NUMBERS)
        return [self._enter(call, [[(TRUE, cfg)]]).word.value for call in calls]

    def fault(self, node: ast.Node, what: str, bit: Word) -> None:
        """Those in a part of a composed model are left to the proof of the part, where all inputs
        have values: here a wire may lack one."""
        if what == UNSET or not any(self._is_of_part(self.functions[x]) for x in self._running):
            super().fault(node, what, bit)

    def _is_of_part(self, function: ast.FuncDef) -> bool:
        place = Path(function.decl.coord.file)
        return place.name == MODEL and place != self.path_of_model

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
        self.fault(function.decl, "a function ends without return", frame.result.unset)
        return Value(frame.result.word, frame.result.type)

    def _funccall(self, node: ast.FuncCall, frame: Frame) -> Value | None:
        name, given = node.name.name, node.args.exprs if node.args is not None else []
        if name == SHOW:
            return self._show(given[0], self.value(given[1], frame), frame)
        if name == SHOW_WORDS:
            return self._show_words(given, frame)
        if name == SHOW_ROW:
            return self._show_row(given, frame)
        if name in ROW_CALLS:
            return self._call_row(node, name, frame)
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
            leaf.word = self.logic.choose(when, self.converted(value, leaf.type), leaf.word)
            leaf.shown = self.logic.choose(when, TRUE, leaf.shown or FALSE)

    def _show_words(self, given: Sequence[ast.Node], frame: Frame) -> None:
        (_, to), *more = self.places(given[0], frame)
        source = self.places(given[1], frame)
        if more or not isinstance(to, list):
            raise self.error(given[0], "SHOW_WORDS takes one payload or unit")
        for number, leaf in enumerate(to):
            self._keep(leaf)
            leaf.word = self._read(given[1], [(when, node[number]) for when, node in source]).word
            leaf.shown = TRUE

    # A row of a memory is a list of its lanes.

    def _call_row(self, node: ast.FuncCall, name: str, frame: Frame) -> None:
        target, *given = node.args.exprs
        to = self.places(target, frame)
        if name == ROWS_CLEAR:
            for when, rows in to:
                self._clear_rows(rows, when)
            return
        if name == "row_copy":
            self._copy(node, self.places(given[0], frame), to)
        elif name == "row_clear":
            for when, row in to:
                for leaf in row:
                    self._put(leaf, when, FALSE)
        elif name == "row_write":
            ((_, words),) = self.places(given[0], frame)
            self._write_lanes(to, words, self.value(given[1], frame).word)
        else:
            self.fault(node, "bits of a memory become unknown", self.logic.any_of(x for x, _ in to))

    def _clear_rows(self, rows: Node, when: Word) -> None:
        """A memory does not change: a lane of a row that was not written since is 0."""
        if not isinstance(rows, Ram):
            for leaf in leaves(rows):
                self._put(leaf, when, FALSE)
            return
        run = self.logic.both(self.path, when)
        stays = self.logic.no(run)
        for column in rows.row:
            self.cleared.add(column.name)
            if column.written is None:
                continue
            column.writes = [(self.logic.both(on, stays), *x) for on, *x in column.writes]
            self._keep(column.written)
            column.written.word = self.logic.choose(when, FALSE, column.written.word)

    def _write_lanes(self, to: Places, words: Sequence[Leaf], lanes: Word) -> None:
        logic = self.logic
        for when, row in to:
            step = lane_step(row[0].type.bits)
            for lane, leaf in enumerate(row):
                word, lsb = divmod(lane * step, U64.bits)
                moved = logic.shift(words[word].word, False, constant(lsb), U64.bits)
                bit = logic.fit(logic.shift(lanes, False, constant(lane), U64.bits), 1)
                self._put(leaf, logic.both(when, bit), logic.fit(moved, leaf.type.bits))

    def _show_row(self, given: Sequence[ast.Node], frame: Frame) -> None:
        ((_, to),) = self.places(given[0], frame)
        rows = self.places(given[1], frame)
        is_shown = self._truth(given[2], frame)
        step = lane_step(rows[0][1][0].type.bits)
        lanes = [
            self._read(given[1], [(when, row[lane]) for when, row in rows]).word
            for lane in range(len(rows[0][1]))
        ]
        for number, leaf in enumerate(to):
            part = lanes[number * U64.bits // step : (number + 1) * U64.bits // step]
            self._keep(leaf)
            word = self.logic.join([(step, word) for word in part]) if part else FALSE
            leaf.word = self.logic.choose(is_shown, word, FALSE)
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
        elif isinstance(node, ast.Cast):  # (void)x, (void)f()
            if not isinstance(node.expr, ast.ID):
                self._statement(node.expr, frame)
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
                self.fault(node, f"a loop takes more than {self.rounds} rounds", go_on)
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


def _names(node: ast.TypeDecl) -> list[str]:
    return node.type.names if isinstance(node.type, ast.IdentifierType) else []
