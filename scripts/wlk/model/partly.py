# SPDX-License-Identifier: Apache-2.0
"""A model in model C as C that computes with numbers of which only some bits are known (partly.h).

The functions of the model are written again, statement by statement. A decision that rests on an
unknown bit is taken both ways, one after the other, and what the variables have in common then is
what is known of them. What `return`, `break` and `continue` skip is a decision too. A loop whose
end is unknown keeps what it may end with, and ends after as many rounds as model C has.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from pycparser import c_ast as ast

from .execute import POINTERS
from .expressions import Expressions
from .layout import Number, Pointer, Shape, Struct, mask
from .places import Extent, Function, Place, Text, Variable, listed
from .values import BOOL

FLAGS = ("returned", "broke", "continued")
ROUNDS = 65_536  # of a loop; after more, nothing is known of what it changes


class Writer(Expressions):
    """Writes functions."""

    # -- functions -------------------------------------------------------------------------

    def function(self, name: str) -> Function:
        """The function, written if it has not been."""
        if name in self.functions:
            return self.functions[name]
        if name not in self.known.functions:
            raise self.known.error(None, f"{name}() is not a function of this model")
        node = self.known.functions[name]
        if name in self._running:
            raise self.known.error(node.decl, f"{name}() calls itself")
        self._running.append(name)
        outer = self._lines, self._changed, self._now
        declared = node.decl.type
        params = declared.args.params if declared.args is not None else []
        is_void = isinstance(declared.type, ast.TypeDecl) and self.is_void(declared.type)
        result = None if is_void else self._number_type(declared.type)
        made = Function(self._new(f"partly_{name}"), result, [])
        self._lines, self._changed, self._now = [], set(), made
        made.names.append({})
        params = [self._param(each) for each in params if each.name is not None]
        made.params = params
        heads = [f"wlk_place {p.name}" if p.is_place else f"wlk_num given_{p.name}" for p in params]
        heads.insert(0, "wlk_rams *rams")
        for p in params:
            if not p.is_place:
                self._emit(f"wlk_num {p.name}[1] = {{given_{p.name}}};")
        if result is not None:
            made.value = self._local("result", Number(result), f"wlk_num_unknown({mask(result)})")
        made.flags = {"returned": self._local("returned", Number(BOOL), "WLK_NO")}
        self._block(node.body.block_items or [])
        if made.value is not None:
            self._emit(f"return {made.value.name}[0];")
        made.changed = [each for each in listed(self._changed) if each.of in params]
        kind = "void" if result is None else "wlk_num"
        body = "\n".join(self._lines)
        head = f"static {kind} {made.name}({', '.join(heads)})"
        self.texts.append(f"{head} {{\n{body}\n}}\n")
        self._lines, self._changed, self._now = outer
        self.functions[self._running.pop()] = made
        return made

    @staticmethod
    def is_void(node: ast.TypeDecl) -> bool:
        """Is it the type of a function without a result?"""
        return isinstance(node.type, ast.IdentifierType) and node.type.names == ["void"]

    def _param(self, node: ast.Decl) -> Variable:
        name = self._new(node.name)
        if isinstance(node.type, POINTERS):
            made = Variable(name, Pointer(self._pointee(node.type.type)), is_place=True)
        else:
            of = self.shape(node.type)
            if not isinstance(of, Number):
                raise self.known.error(node, "a struct as a parameter; give a pointer to it")
            made = Variable(name, of)
        self._function.names[-1][node.name] = made
        return made

    def _pointee(self, node: ast.Node) -> Shape:
        found = self.shape(node)
        outs = (["out_t"], self.known.types["out_t"].type.names)
        if node.type is not None and getattr(node.type, "names", None) in outs:
            return _with_care(found)
        return found

    def _do_decl(self, node: ast.Decl) -> None:
        names = self._function.names[-1]
        if isinstance(node.type, ast.PtrDecl):
            if node.init is None:
                raise self.known.error(node, f"pointer {node.name} has no place")
            to = self._pointer(node.init)
            name = self._new(node.name)
            self._emit(f"const wlk_place {name} = {to.text};")
            names[node.name] = Variable(name, Pointer(to.type), is_place=True, to=to)
            return
        self.known.note(node.type)
        if not node.name:
            return
        of = self.shape(self.known.sized(node.type, node.init))
        made = self._local(node.name, of)
        names[node.name] = made
        to = Place(made.name, of, made.whole(), direct=True)
        if node.init is not None:
            self._initialize(node.init, to)
        else:  # a model writes it before it reads it
            self._clear(to)

    # -- statements ------------------------------------------------------------------------

    def _block(self, items: Sequence[ast.Node]) -> None:
        """Statements; those after one that may end the block run where it did not."""
        for number, each in enumerate(items):
            with self._apart() as (lines, changed):
                self._statement(each)
            self._lines += lines
            if isinstance(each, ast.Return | ast.Break | ast.Continue):
                return
            flags = [name for name in FLAGS if self._ends(name, changed)]
            rest = items[number + 1 :]
            if flags and rest:
                self._unless_ended(flags, lambda rest=rest: self._block(rest))
                return

    def _ends(self, name: str, changed: Iterable[Extent]) -> bool:
        return any(each.of is self._function.flags.get(name) for each in changed)

    @contextmanager
    def _scope(self) -> Iterator[None]:
        self._function.names.append({})
        self._emit("{")
        yield
        self._emit("}")
        self._function.names.pop()

    def _statement(self, node: ast.Node) -> None:
        handler = getattr(self, f"_do_{type(node).__name__.lower()}", None)
        if handler is not None:
            handler(node)
        elif isinstance(node, ast.Assignment | ast.UnaryOp | ast.FuncCall):
            self._effect(node)
        elif isinstance(node, ast.Cast):  # (void)x, (void)f()
            if not isinstance(node.expr, ast.ID):
                self._statement(node.expr)
        elif not isinstance(node, ast.EmptyStatement):
            raise self.known.error(node, f"{type(node).__name__} is no statement of model C")

    def _do_compound(self, node: ast.Compound) -> None:
        with self._scope():
            self._block(node.block_items or [])

    def _do_decllist(self, node: ast.DeclList) -> None:
        for each in node.decls:
            self._do_decl(each)

    def _do_exprlist(self, node: ast.ExprList) -> None:
        for each in node.exprs:
            self._statement(each)

    def _do_return(self, node: ast.Return) -> None:
        to = self._function.value
        if node.expr is not None and to is not None:
            place = Place(to.name, to.type, to.whole(), direct=True)
            self._store(place, self.value(node.expr))
        self._set(self._function.flags["returned"], "WLK_YES")

    def _do_break(self, node: ast.Break) -> None:
        self._set(self._function.flags["broke"], "WLK_YES")

    def _do_continue(self, node: ast.Continue) -> None:
        self._set(self._function.flags["continued"], "WLK_YES")

    def _part_of(self, node: ast.Node | None) -> Callable[[], None]:
        return lambda: self._block([node] if node is not None else [])

    def _do_if(self, node: ast.If) -> None:
        self._decide(
            self._truth(node.cond), self._part_of(node.iftrue), self._part_of(node.iffalse)
        )

    @contextmanager
    def _flags(self, *names: str) -> Iterator[None]:
        """Flags of a loop or a switch."""
        function, outer = self._function, dict(self._function.flags)
        function.flags |= {name: self._local(name, Number(BOOL), "WLK_NO") for name in names}
        yield
        function.flags = outer

    def _do_for(self, node: ast.For) -> None:
        self._loop(node)

    def _do_while(self, node: ast.While) -> None:
        self._loop(node)

    def _do_dowhile(self, node: ast.DoWhile) -> None:
        self._loop(node)

    def _loop(self, node: ast.Node) -> None:
        with self._scope(), self._flags("broke", "continued"):
            if isinstance(node, ast.For) and node.init is not None:
                self._statement(node.init)
            visible = self._visible()
            with self._apart() as (head, changed):
                cond = self._cond(node)
            with self._apart() as (body, more):
                self._round(node)
            roots = [each for each in listed(changed | more) if each.of in visible]
            first = isinstance(node, ast.DoWhile)
            self._rounds(cond, first, head, body, roots)

    def _cond(self, node: ast.Node) -> str:
        """Whether a loop goes on."""
        cond = self._truth(node.cond) if node.cond is not None else "WLK_YES"
        return f"wlk_num_and(wlk_num_not({self._ended(('returned', 'broke'))}), {cond})"

    def _rounds(
        self, cond: str, first: bool, head: Sequence[str], body: Sequence[str],
        roots: Sequence[Extent],
    ) -> None:  # fmt: skip
        r, kept, split, free = (self._new(x) for x in ("r", "kept", "split", "free"))
        regions, go_on, number = f"{r}, {len(roots)}", self._new("c"), self._new("round")
        if roots:
            self._emit(f"const wlk_region {r}[] = {{{', '.join(each.region for each in roots)}}};")
            self._emit(f"wlk_num {kept}[1 + wlk_region_sizes({regions})];")
        self._emit(f"bool {split} = false; uint32_t {free} = 0;")
        self._emit(f"for (uint32_t {number} = 0;; {number}++) {{")
        ask = [*head, f"const wlk_num {go_on} = {cond};", f"if (wlk_is_no({go_on})) {{ break; }}"]
        forget = f"wlk_forget({regions});" if roots else ""
        over = f"{number} > {ROUNDS} || {free} > {self.rounds}"
        ask.append(f"{free} += wlk_is_open({go_on});")
        ask.append(f"if ({over}) {{ {forget} break; }}")
        ask.append(f"if (wlk_is_open({go_on})) {{")
        if roots:
            ask.append(f"({split} ? wlk_join_kept : wlk_keep)({regions}, {kept});")
        if self.rams:
            ask.append(f"rams->open += !{split};")
        ask.append(f"{split} = true;")
        flags = self._function.flags
        ask += [
            f"{flags[x].name}[0] = WLK_NO;" for x in ("returned", "broke") if self._ends(x, roots)
        ]
        ask.append("}")
        if first:
            self._emit(f"if ({number} != 0) {{")
            self._lines += [*ask, "}"]
        else:
            self._lines += ask
        self._lines += body
        self._emit("}")
        if roots:
            self._emit(f"if ({split}) {{ wlk_join({regions}, {kept}); }}")
        if self.rams:
            self._emit(f"rams->open -= {split};")

    def _round(self, node: ast.Node) -> None:
        flags = self._function.flags
        self._set(flags["continued"], "WLK_NO")
        with self._apart() as (lines, changed):
            self._block([node.stmt])
        self._lines += lines
        if not isinstance(node, ast.For) or node.next is None:
            return
        ended = [name for name in ("returned", "broke") if self._ends(name, changed)]
        if ended:
            self._unless_ended(ended, self._part_of(node.next))
        else:
            self._statement(node.next)

    def _do_switch(self, node: ast.Switch) -> None:
        with self._scope(), self._flags("broke"):
            items = node.stmt.block_items or []
            value = self._temporary("value", self.value(node.cond))
            other, hits = "WLK_NO", {}
            for each in items:
                if isinstance(each, ast.Case):
                    hit = f"wlk_num_equal({value.text}, wlk_num_of({self.known.number(each.expr)}))"
                    hits[each] = self._temporary("hit", Text(hit, BOOL)).text
                    other = f"wlk_num_or({other}, {hits[each]})"
                elif not isinstance(each, ast.Default):
                    raise self.known.error(each, "a statement of switch before its first case")
            entered = self._local("entered", Number(BOOL), "WLK_NO")
            for each in items:
                hit = hits.get(each, f"wlk_num_not({other})")
                self._emit(f"{entered.name}[0] = wlk_num_or({entered.name}[0], {hit});")
                run = f"wlk_num_and({entered.name}[0], wlk_num_not({self._ended(FLAGS)}))"
                self._decide(run, lambda each=each: self._block(each.stmts or []), lambda: None)

    def _ended(self, flags: Iterable[str]) -> str:
        text = "WLK_NO"
        for name in flags:
            if name in self._function.flags:
                text = f"wlk_num_or({text}, {self._function.flags[name].name}[0])"
        return text

    def _unless_ended(self, flags: Sequence[str], run: Callable[[], None]) -> None:
        def then() -> None:
            for name in flags:
                if name in self._function.flags:
                    self._set(self._function.flags[name], "WLK_NO")
            run()

        self._decide(f"wlk_num_not({self._ended(flags)})", then, lambda: None)


def _with_care(of: Shape) -> Struct:
    """An output struct and the care of each number after it."""
    assert isinstance(of, Struct)
    return Struct({**of.members, "": (of.size, of)}, 2 * of.size)
