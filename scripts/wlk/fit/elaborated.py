# SPDX-License-Identifier: Apache-2.0
"""What slang has elaborated, as terms and steps: expressions, statements, places of assignments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyslang
from pyslang import ast

from . import steps, terms
from .steps import Step, Target
from .terms import Term, ones

Kind = ast.ExpressionKind
Does = ast.StatementKind
Symbol = ast.SymbolKind
CONSTANT = (Symbol.Parameter, Symbol.EnumValue, Symbol.Genvar, Symbol.Specparam)
TAKES_ITS_ARGUMENT = ("$signed", "$unsigned")
COUNTS: dict[str, Callable[[int], object]] = {
    "$countones": int.bit_count,
    "$onehot": lambda value: value.bit_count() == 1,
    "$onehot0": lambda value: value.bit_count() <= 1,
}


class UnreadableError(Exception):
    """Something that has no place among bits."""


def width_of(kind: Any) -> int:
    """Bits of a type, arrays and structs laid flat; at least one."""
    return max(1, int(kind.bitWidth if kind.isIntegral else kind.bitstreamWidth))


def element_width(kind: Any) -> int:
    """Bits of an element of an unpacked array, 0 of what is none."""
    kind = kind.canonicalType
    return width_of(kind.arrayElementType) if kind.isUnpackedArray else 0


def extent(node: Any) -> Any:
    """The source of a statement, an expression or a symbol."""
    found = getattr(node, "sourceRange", None)
    return found if found is not None else node.syntax.sourceRange


def signal_of(symbol: Any) -> Any:
    """The signal behind a name: that of an interface behind a modport's."""
    while symbol.kind == Symbol.ModportPort and symbol.internalSymbol is not None:
        symbol = symbol.internalSymbol
    return symbol


def number_of(value: Any) -> tuple[int, int] | None:
    """A constant's bits, and which of them are 0 or 1."""
    value = getattr(value, "value", value)
    if isinstance(value, bool | int):
        return int(value), -1
    if not isinstance(value, pyslang.SVInt):
        return None
    if not value.hasUnknown:
        return int(value) & ones(value.bitWidth), ones(value.bitWidth)
    digits = value.toString(pyslang.LiteralBase.Binary, False, 1 << 20).rjust(value.bitWidth, "0")
    known = int("".join("1" if each in "01" else "0" for each in digits), 2)
    return int("".join("1" if each == "1" else "0" for each in digits), 2), known


class Call:
    """A call of a function: its body, where its arguments go, and what it answers."""

    def __init__(self, body: Step, formals: Sequence[Target], answer: Target | None) -> None:
        self.body, self.formals, self.answer = body, formals, answer


class Called(Term):
    """The answer of a function, which is run as a process with its arguments."""

    def __init__(self, width: int, node: Any, call: Call, actuals: Sequence[Term]) -> None:
        self.width, self.node, self.call, self.actuals = width, node, call, actuals

    def run(self, at: Any) -> steps.Run:
        """Its body with its arguments."""
        run = steps.Run(at)
        for formal, actual in zip(self.call.formals, self.actuals, strict=False):
            run.write(None, formal, actual, 0, actual.value(at), False)
        self.call.body.run(run)
        return run

    def value(self, at: Any) -> terms.Value:
        if self.call.answer is None or _depth(at) > MOST_CALLS:
            return None
        return self.run(at).frame.read(self.call.answer.signal)

    def need(self, at: Any, mask: int, want: Any) -> None:
        if self.call.answer is None or _depth(at) > MOST_CALLS:
            for actual in self.actuals:
                actual.whole(at, want)
        else:
            want.inside(self, at, mask)


MOST_CALLS = 16


def _depth(at: Any) -> int:
    depth = 0
    while at is not None:
        at, depth = getattr(at, "outside", None), depth + 1
    return depth


class Count(Term):
    """$countones and its like."""

    def __init__(self, width: int, of: Term, count: Callable[[int], object]) -> None:
        self.width, self.of, self.count = width, of, count

    def value(self, at: Any) -> terms.Value:
        value = self.of.value(at)
        return None if value is None else int(self.count(value))  # type: ignore[call-overload]

    def need(self, at: Any, mask: int, want: terms.Want) -> None:
        self.of.whole(at, want)


# ---- expressions --------------------------------------------------------------------------------


class Reader:
    """Reads expressions and statements; a function is read once."""

    def __init__(self) -> None:
        self.functions: dict[Any, Call] = {}

    def term(self, expr: Any) -> Term:
        """An expression as a term."""
        width = width_of(expr.type)
        constant = expr.constant
        if constant is not None and (found := number_of(constant)) is not None:
            return terms.Number(width, found[0] & ones(width))
        read = TERMS.get(expr.kind)
        if read is None:
            return terms.Other(width)
        return read(self, expr, width)

    def _named(self, expr: Any, width: int) -> Term:
        symbol = signal_of(expr.symbol)
        if symbol.kind in CONSTANT:
            value = getattr(symbol, "value", None)
            found = None if value is None else number_of(value)
            return terms.Number(width, None if found is None else found[0] & ones(width))
        return terms.Signal(width, symbol)

    def _literal(self, expr: Any, width: int) -> Term:
        found = number_of(expr.value)
        return terms.Number(width, None if found is None else found[0] & ones(width))

    def _unary(self, expr: Any, width: int) -> Term:
        op = expr.op.name
        of = self.term(expr.operand)
        if op.startswith(("Pre", "Post")):
            return terms.Other(width, [of])
        return terms.Unary(width, of, op)

    def _binary(self, expr: Any, width: int) -> Term:
        left, right, op = self.term(expr.left), self.term(expr.right), expr.op.name
        is_signed = expr.left.type.isSigned and (expr.right.type.isSigned or op in terms.SHIFTS)
        if op in ("LogicalShiftRight",):
            is_signed = False
        if op.startswith("Wildcard"):
            same = terms.Matches(1, left, [self._pattern(expr.right)])
            return same if op == "WildcardEquality" else terms.Unary(1, same, "LogicalNot")
        return terms.Binary(width, left, right, op, is_signed)

    def _pattern(self, expr: Any) -> tuple[Term, int]:
        """A case item or the like, whose x and z bits are not compared."""
        found = None if expr.constant is None else number_of(expr.constant)
        if found is None:
            literal = getattr(expr, "value", None)
            found = None if literal is None else number_of(literal)
        while found is None and expr.kind == Kind.Conversion:
            expr = expr.operand
            found = None if expr.constant is None else number_of(expr.constant)
            if found is None and expr.kind == Kind.IntegerLiteral:
                found = number_of(expr.value)
        if found is not None:
            return terms.Number(width_of(expr.type), found[0]), found[1]
        return self.term(expr), -1

    def _choice(self, expr: Any, width: int) -> Term:
        condition = self.term(expr.conditions[0].expr)
        return terms.Choice(width, condition, self.term(expr.left), self.term(expr.right))

    def _joined(self, expr: Any, width: int) -> Term:
        parts = [self.term(each) for each in reversed(list(expr.operands)) if _has_bits(each)]
        return terms.Joined(width, parts)

    def _repeated(self, expr: Any, width: int) -> Term:
        inner = self.term(expr.concat)
        return terms.Joined(width, [inner] * (width // inner.width))

    def _conversion(self, expr: Any, width: int) -> Term:
        operand = self.term(expr.operand)
        if expr.conversionKind == ast.ConversionKind.Propagated:
            is_signed = expr.type.isSigned
        else:
            is_signed = expr.operand.type.isSigned
        return operand if operand.width == width else terms.Resized(width, operand, is_signed)

    def _select(self, expr: Any, width: int) -> Term:
        scale, base = _element(expr.value.type)
        index, is_signed = self.term(expr.selector), expr.selector.type.isSigned
        return terms.Part(width, self.term(expr.value), index, scale, base, is_signed)

    def _range(self, expr: Any, width: int) -> Term:
        index, scale, base, is_signed = self._ranged(expr, width)
        return terms.Part(width, self.term(expr.value), index, scale, base, is_signed)

    def _ranged(self, expr: Any, width: int) -> tuple[Term, int, int, bool]:
        """Index, scale and base of the lowest bit of a range."""
        scale, base = _element(expr.value.type)
        count = width // abs(scale)
        left, right = self.term(expr.left), self.term(expr.right)
        how = expr.selectionKind
        if how == ast.RangeSelectionKind.Simple:
            one, two = left.value(NOWHERE), right.value(NOWHERE)
            if one is None or two is None:
                raise UnreadableError
            one = terms.signed(one, left.width) if expr.left.type.isSigned else one
            two = terms.signed(two, right.width) if expr.right.type.isSigned else two
            lowest = min(scale * one + base, scale * two + base)
            return terms.Number(32, 0), 0, lowest, False
        is_up = how == ast.RangeSelectionKind.IndexedUp
        # v[i+:n] has indices i to i+n-1; where the range ascends, the largest is the lowest bit.
        first = 0 if is_up else -(count - 1)
        last = first + count - 1
        low = first if scale > 0 else last
        return left, scale, base + scale * low, expr.left.type.isSigned

    def _member(self, expr: Any, width: int) -> Term:
        offset = _field(expr.value.type, expr.member)
        return terms.Part(width, self.term(expr.value), terms.Number(1, 0), 0, offset)

    def _call(self, expr: Any, width: int) -> Term:
        arguments = [each for each in expr.arguments if _has_bits(each)]
        if expr.isSystemCall:
            parts = [self.term(each) for each in arguments]
            name = expr.subroutineName
            if name in TAKES_ITS_ARGUMENT and parts:
                return parts[0]
            if name in COUNTS and parts:
                return Count(width, parts[0], COUNTS[name])
            return terms.Other(width, parts)
        call = self._function(expr.subroutine)
        return Called(width, expr, call, [self.term(each) for each in arguments])

    def _function(self, symbol: Any) -> Call:
        if symbol not in self.functions:
            answer = symbol.returnValVar
            formals = [whole(each) for each in symbol.arguments]
            call = Call(steps.Nothing(), formals, None if answer is None else whole(answer))
            self.functions[symbol] = call  # before its body, which may call it
            call.body = self.step(symbol.body, answer)
        return self.functions[symbol]

    def _pattern_of(self, expr: Any, width: int) -> Term:
        """'{a, b}: the first element is the left one."""
        parts = [self.term(each) for each in expr.elements]
        kind = expr.type.canonicalType
        if not parts:
            return terms.Other(width)
        if not kind.isIntegral and not kind.isUnpackedStruct and kind.isUnpackedArray:
            scale, _ = _element(kind)
            parts = parts if _is_left_low(kind) else parts[::-1]
        elif kind.isUnpackedStruct:
            pass  # fields in their order, the first one lowest
        else:
            parts = parts[::-1]
        whole = terms.Joined(sum(part.width for part in parts), parts)
        times = max(1, width // whole.width)
        return whole if times == 1 else terms.Joined(width, [whole] * times)

    def _inside(self, expr: Any, width: int) -> Term:
        return self._among(self.term(expr.left), expr.rangeList)

    def _among(self, of: Term, items: Sequence[Any]) -> Term:
        ranges = [each for each in items if each.kind == Kind.ValueRange]
        others = [self._pattern(each) for each in items if each.kind != Kind.ValueRange]
        ends = [(self.term(each.left), self.term(each.right)) for each in ranges]
        return terms.Matches(1, of, others, ends)

    def _assigned(self, expr: Any, width: int) -> Term:
        return self.term(expr.right)

    def _typical(self, expr: Any, width: int) -> Term:
        return self.term(expr.selected)

    # -- places of assignments ------------------------------------------------------------------
    def targets(self, expr: Any) -> list[Target]:
        """What an assignment writes, the lowest bits first; nothing of what is no signal."""
        if expr.kind == Kind.Concatenation:
            return [t for each in reversed(list(expr.operands)) for t in self.targets(each)]
        if expr.kind == Kind.Conversion:
            return self.targets(expr.operand)
        if expr.kind == Kind.SimpleAssignmentPattern:
            return [t for each in reversed(list(expr.elements)) for t in self.targets(each)]
        found = self._target(expr, width_of(expr.type))
        return [] if found is None else [found]

    def _target(self, expr: Any, width: int) -> Target | None:
        base, chosen = 0, []
        while True:
            if expr.kind in (Kind.NamedValue, Kind.HierarchicalValue):
                signal = signal_of(expr.symbol)
                size = width_of(signal.type)
                return Target(signal, size, width, base, tuple(chosen))
            if expr.kind == Kind.ElementSelect:
                scale, start = _element(expr.value.type)
                index, is_signed = self.term(expr.selector), expr.selector.type.isSigned
            elif expr.kind == Kind.RangeSelect:
                own = width_of(expr.type)
                index, scale, start, is_signed = self._ranged(expr, own)
            elif expr.kind == Kind.MemberAccess:
                index, scale, is_signed = terms.Number(1, 0), 0, False
                start = _field(expr.value.type, expr.member)
            else:
                return None
            base += start
            if isinstance(index, terms.Number) and index.number is not None:
                number = index.number
                base += scale * (terms.signed(number, index.width) if is_signed else number)
            elif scale:
                chosen.append((index, scale, is_signed))
            expr = expr.value

    # -- statements -----------------------------------------------------------------------------
    def step(self, statement: Any, answer: Any = None) -> Step:
        """A statement as a step; `answer`: the variable of a function's result."""
        read = STEPS.get(statement.kind) if statement is not None else None
        return steps.Nothing() if read is None else read(self, statement, answer)

    def _list(self, statement: Any, answer: Any) -> Step:
        return steps.Block([self.step(each, answer) for each in statement.list])

    def _block(self, statement: Any, answer: Any) -> Step:
        return self.step(statement.body, answer)

    def _timed(self, statement: Any, answer: Any) -> Step:
        return self.step(statement.stmt, answer)

    def _plain(self, statement: Any, answer: Any) -> Step:
        return self._expression(statement.expr, statement)

    def _declaration(self, statement: Any, answer: Any) -> Step:
        symbol = statement.symbol
        source = None if symbol.initializer is None else self.term(symbol.initializer)
        return steps.Declare(statement, whole(symbol), source)

    def _while(self, statement: Any, answer: Any) -> Step:
        condition, body = self.term(statement.cond), self.step(statement.body, answer)
        return steps.Loop(statement.cond, steps.Nothing(), condition, steps.Nothing(), body)

    def _repeat(self, statement: Any, answer: Any) -> Step:
        count = self.term(statement.count).value(NOWHERE)
        body = self.step(statement.body, answer)
        return steps.Block([body] * min(count or 1, steps.MOST_TURNS))

    def _return(self, statement: Any, answer: Any) -> Step:
        found: list[Step] = []
        if statement.expr is not None and answer is not None:
            found.append(steps.Assign(statement, [whole(answer)], self.term(statement.expr)))
        return steps.Block([*found, steps.Leave("return")])

    def _break(self, statement: Any, answer: Any) -> Step:
        return steps.Leave("break" if statement.kind == Does.Break else "continue")

    def _expression(self, expr: Any, node: Any) -> Step:
        if expr.kind == Kind.Assignment:
            return self.assign(expr, node)
        if expr.kind == Kind.UnaryOp and expr.op.name.startswith(("Pre", "Post")):
            operand = self.term(expr.operand)
            op = "Add" if "increment" in expr.op.name else "Subtract"
            one = terms.Number(operand.width, 1)
            source = terms.Binary(operand.width, operand, one, op)
            return steps.Assign(node, self.targets(expr.operand), source)
        if expr.kind == Kind.Call and not expr.isSystemCall:
            return self._task(expr, node)
        return steps.Nothing()

    def _task(self, expr: Any, node: Any) -> Step:
        """A call for its effects: arguments in, its body, arguments out."""
        call = self._function(expr.subroutine)
        into: list[Step] = []
        out: list[Step] = []
        for formal, actual, target in zip(
            expr.subroutine.arguments, expr.arguments, call.formals, strict=False
        ):
            source = terms.Signal(target.size, target.signal)
            if formal.direction == ast.ArgumentDirection.In:
                into.append(steps.Assign(node, [target], self.term(actual)))
            elif actual.kind == Kind.Assignment:
                out.append(steps.Assign(node, self.targets(actual.left), source))
        return steps.Block([*into, call.body, *out])

    def assign(self, expr: Any, node: Any) -> Step:
        """An assignment; of `a += b` the source has been made `a + b`."""
        try:
            targets = self.targets(expr.left)
        except UnreadableError:
            return steps.Nothing()
        source = self.term(expr.right)
        if expr.isCompound:
            left = self.term(expr.left)
            if isinstance(source, terms.Binary):
                source = terms.Binary(source.width, left, source.right, source.op, source.is_signed)
            else:
                source = terms.Other(left.width, [left, source])
        return steps.Assign(node, targets, source, expr.isNonBlocking)

    def _if(self, statement: Any, answer: Any) -> Step:
        condition = self.term(statement.conditions[0].expr)
        yes = self.step(statement.ifTrue, answer)
        no = self.step(statement.ifFalse, answer)
        node = statement.conditions[0].expr
        return steps.Branch([(node, condition, [condition], yes)], no)

    def _case(self, statement: Any, answer: Any) -> Step:
        of = self.term(statement.expr)
        exact = statement.condition.name == "Normal"
        branches = []
        for item in statement.items:
            if exact:
                test: Term = terms.Matches(1, of, [(self.term(e), -1) for e in item.expressions])
            else:
                test = self._among(of, list(item.expressions))
            branches.append((item.expressions[0], test, [test], self.step(item.stmt, answer)))
        last = self.step(statement.defaultCase, answer)
        return steps.Branch(branches, last)

    def _for(self, statement: Any, answer: Any) -> Step:
        first: list[Step] = [
            steps.Declare(
                None, whole(v), None if v.initializer is None else self.term(v.initializer)
            )
            for v in statement.loopVars
        ]
        first += [self._expression(each, each) for each in statement.initializers]
        goes_on = None if statement.stopExpr is None else self.term(statement.stopExpr)
        after = steps.Block([self._expression(each, None) for each in statement.steps])
        body = self.step(statement.body, answer)
        node = statement.stopExpr or statement
        return steps.Loop(node, steps.Block(first), goes_on, after, body)

    def _foreach(self, statement: Any, answer: Any) -> Step:
        step = self.step(statement.body, answer)
        for dim in reversed(list(statement.loopDims)):
            if dim.loopVar is None or dim.range is None:
                continue
            variable, size = whole(dim.loopVar), width_of(dim.loopVar.type)
            low, high = sorted((dim.range.left, dim.range.right))
            turns = []
            for number in range(low, min(high, low + steps.MOST_TURNS) + 1):
                now = terms.Number(size, number & ones(size))
                turns += [steps.Declare(None, variable, now), step]
            step = steps.Block(turns)
        return step


class _Nowhere:
    def read(self, signal: Any) -> terms.Value:
        return None


NOWHERE = _Nowhere()


def _has_bits(expr: Any) -> bool:
    return not expr.type.isVoid


def signal_term(symbol: Any) -> Term:
    """All of a signal."""
    return terms.Signal(width_of(symbol.type), signal_of(symbol))


def whole(symbol: Any) -> Target:
    """All of a signal as what is assigned."""
    size = width_of(symbol.type)
    return Target(symbol, size, size)


def _is_left_low(kind: Any) -> bool:
    return kind.fixedRange.left <= kind.fixedRange.right


def _element(kind: Any) -> tuple[int, int]:
    """Where element i of an array is: scale * i + base. Of a packed one the right index is the
    lowest, of an unpacked one the smallest."""
    kind = kind.canonicalType
    if not kind.hasFixedRange:
        raise UnreadableError
    left, right = kind.fixedRange.left, kind.fixedRange.right
    if kind.isIntegral:
        inner = kind.arrayElementType
        size = 1 if inner is None else width_of(inner)
        return (size, -size * right) if left >= right else (-size, size * right)
    size = width_of(kind.arrayElementType)
    return size, -size * min(left, right)


def _field(kind: Any, member: Any) -> int:
    """The lowest bit of a field: in an unpacked struct the fields follow one another."""
    kind = kind.canonicalType
    if kind.isIntegral:
        return int(member.bitOffset)
    if kind.isUnpackedStruct:
        offset = 0
        for each in kind:
            if each.kind == Symbol.Field:
                if each.name == member.name:
                    return offset
                offset += width_of(each.type)
    return 0


TERMS: dict[Any, Callable[[Reader, Any, int], Term]] = {
    Kind.NamedValue: Reader._named,
    Kind.HierarchicalValue: Reader._named,
    Kind.IntegerLiteral: Reader._literal,
    Kind.UnbasedUnsizedIntegerLiteral: Reader._literal,
    Kind.UnaryOp: Reader._unary,
    Kind.BinaryOp: Reader._binary,
    Kind.ConditionalOp: Reader._choice,
    Kind.Concatenation: Reader._joined,
    Kind.Replication: Reader._repeated,
    Kind.Conversion: Reader._conversion,
    Kind.ElementSelect: Reader._select,
    Kind.RangeSelect: Reader._range,
    Kind.MemberAccess: Reader._member,
    Kind.Call: Reader._call,
    Kind.SimpleAssignmentPattern: Reader._pattern_of,
    Kind.ReplicatedAssignmentPattern: Reader._pattern_of,
    Kind.StructuredAssignmentPattern: Reader._pattern_of,
    Kind.Inside: Reader._inside,
    Kind.Assignment: Reader._assigned,
    Kind.MinTypMax: Reader._typical,
}


STEPS: dict[Any, Callable[[Reader, Any, Any], Step]] = {
    Does.List: Reader._list,
    Does.Block: Reader._block,
    Does.ExpressionStatement: Reader._plain,
    Does.Timed: Reader._timed,
    Does.VariableDeclaration: Reader._declaration,
    Does.Conditional: Reader._if,
    Does.Case: Reader._case,
    Does.ForLoop: Reader._for,
    Does.ForeachLoop: Reader._foreach,
    Does.WhileLoop: Reader._while,
    Does.DoWhileLoop: Reader._while,
    Does.RepeatLoop: Reader._repeat,
    Does.Return: Reader._return,
    Does.Break: Reader._break,
    Does.Continue: Reader._break,
}


def members(scope: Any) -> Iterator[Any]:
    """What stands in a body, through the generate blocks that are taken, not in instances."""
    for member in scope:
        if member.kind in (Symbol.GenerateBlock, Symbol.GenerateBlockArray, Symbol.InstanceArray):
            if not getattr(member, "isUninstantiated", False):
                yield from members(member)
        else:
            yield member
