# SPDX-License-Identifier: Apache-2.0
"""Widths and counts of a module's ports as expressions of its parameters: it is elaborated with a
few other values of each, and what they show is compared with the forms that widths have."""

from __future__ import annotations

import itertools
import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyslang

from ..base.errors import WlkError
from ..gen.block_folder import Parameter
from ..tables import WORD, Expr
from . import rtl
from .names import is_reserved

TRIED = (1, 2, 3, 4, 5, 6, 8, 16)  # values of a parameter, beside those around its default
LARGE = (256, 128, 64, 32, 24, 16, 12, 10, 8)  # where a range may end
FUNCTIONS = ("clog2", "idw", "min", "max")
MOST_UNUSED = 3  # samples that a form must explain more of
Values = dict[str, int]  # of parameters
Sample = tuple[Values, int]  # parameters, and a number of the ports
Numbers = tuple[int, ...]  # widths and counts, in the order of the ports


@dataclass
class Fit:
    """What widths are."""

    texts: list[str]  # an expression for each number
    parameters: list[Parameter] = field(default_factory=list)
    others: Values = field(default_factory=dict)  # numbers that stay at their defaults


def parameters_of(module: rtl.Module) -> Values:
    """Those that are numbers and may be given, with their values."""
    found = {}
    for each in module.design.elaborate(module.name).parameters:
        number = getattr(getattr(each, "value", None), "value", None)
        if each.isLocalParam or not isinstance(number, pyslang.SVInt):
            continue
        if not number.hasUnknown and number.bitWidth <= WORD:
            found[each.name] = int(number)
    return found


class Sampler:
    """Elaborates a module with other values of its parameters."""

    def __init__(
        self,
        module: rtl.Module,
        look: Callable[[], tuple[object, Numbers]],
        given: Mapping[str, str],
    ) -> None:
        self.module, self.look, self.given = module, look, given
        self.usual = {k: v for k, v in parameters_of(module).items() if k not in given}
        self.structure, self.numbers = look()
        self._errors = self._count_errors()
        self._known: dict[tuple, Numbers | None] = {}
        self.free = self._independent()

    def _count_errors(self) -> int:
        compilation = self.module.design.compilation(self.module.name)
        return sum(each.isError() for each in compilation.getAllDiagnostics())

    def _independent(self) -> list[str]:
        """Parameters whose default follows from no other one."""
        follow = set()
        for name, value in self.usual.items():
            for other in (value + 1, value * 2):
                if self._set({name: other}):
                    now = parameters_of(self.module)
                    follow |= {n for n, v in self.usual.items() if n != name and now.get(n) != v}
        self._set({})
        return [name for name in self.usual if name not in follow]

    def _set(self, values: Values) -> bool:
        design = self.module.design
        try:
            design.override(self.module, {**self.given, **{k: str(v) for k, v in values.items()}})
            now = parameters_of(self.module)
            return all(now.get(name) == value for name, value in values.items())
        except WlkError:
            return False

    def at(self, values: Values) -> Numbers | None:
        """The numbers with these parameters; None where the module has other ports then, or is not
        legal."""
        key = tuple(sorted(values.items()))
        if key not in self._known:
            self._known[key] = self._look(values)
            self._set({})
        return self._known[key]

    def _look(self, values: Values) -> Numbers | None:
        try:
            if not self._set(values) or self._count_errors() > self._errors:
                return None
            structure, numbers = self.look()
        except WlkError:
            return None
        return numbers if structure == self.structure and min(numbers, default=1) > 0 else None


def fit(sampler: Sampler) -> Fit:
    """Expressions for all numbers of the ports; parameters that explain none stay as they are."""
    names = _names(sampler.free)
    single = {name: {sampler.usual[name]: sampler.numbers} for name in sampler.free}
    for name in sampler.free:
        for value in _around(sampler.usual[name]):
            if (found := sampler.at({name: value})) is not None:
                single[name][value] = found
    taken = [n for n in sampler.free if len({*single[n].values()}) > 1]
    while True:
        texts, bad = _texts(sampler, taken, single, names)
        ranges = {n: _range(sampler, n, texts, names, single[n]) for n in taken} if not bad else {}
        bad |= {name for name, found in ranges.items() if found is None}
        if not bad:
            break
        taken = [name for name in taken if name not in bad]
    used = [*ranges.values()]
    others = {k: v for k, v in sampler.usual.items() if k not in taken}
    return Fit(texts, used, others)


def _around(value: int) -> list[int]:
    near = (value - 1, value + 1, value + 2, value + 3, 2 * value, value // 2, 2 * value + 1)
    return sorted({each for each in (*near, *TRIED) if each > 0 and each != value})


def _names(verilog: Iterable[str]) -> dict[str, str]:
    """Names for the block's parameters: `DATA_WIDTH` and `DataWidth` as `data_width`."""
    found: dict[str, str] = {}
    for each in verilog:
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\W", "_", each).lower().strip("_")
        while words in found.values() or words in FUNCTIONS or _is_word(words):
            words += "_"
        found[each] = words
    return found


def _is_word(name: str) -> bool:
    return keyword.iskeyword(name) or is_reserved(name) or not name.isidentifier()


# ---- expressions --------------------------------------------------------------------------------


def _texts(
    sampler: Sampler,
    taken: Sequence[str],
    single: Mapping[str, Mapping[int, Numbers]],
    names: Mapping[str, str],
) -> tuple[list[str], set[str]]:
    """An expression for each number, and the parameters of those that have none."""
    texts, bad = [], set()
    for at, usual in enumerate(sampler.numbers):
        by = [n for n in taken if any(found[at] != usual for found in single[n].values())]
        samples = [({}, usual)]  # first
        samples += [({n: v}, found[at]) for n in by for v, found in single[n].items()]
        if len(by) > 1:
            samples += _joint(sampler, by, at)
        usual_of = {names[n]: sampler.usual[n] for n in by}
        full = [(usual_of | {names[n]: v for n, v in some.items()}, k) for some, k in samples]
        text = _expression(sorted(names[n] for n in by), usual, full)
        if text is None:
            bad |= set(by)
        texts.append(text or str(usual))
    return texts, bad


def _joint(sampler: Sampler, by: Sequence[str], at: int) -> Iterator[Sample]:
    """Samples with other values of several parameters."""
    values = [[sampler.usual[n] + 1, *(v for v in (2, 3, 4) if v != sampler.usual[n])] for n in by]
    for some in itertools.islice(itertools.product(*values), 27):
        chosen = dict(zip(by, some, strict=True))
        if (found := sampler.at(chosen)) is not None:
            yield chosen, found[at]


def _expression(names: list[str], usual: int, samples: list[Sample]) -> str | None:
    """The first form that explains all samples, or else all but those of small values."""
    if not names:
        return str(usual)
    default = samples[0][0]
    for known in _without_small(names, samples):
        if not any(values == default for values, _ in known):
            break
        for text in _forms(names, known):
            if all(_value(text, values) == k for values, k in known):
                return text
    return None


def _value(text: str, values: Values) -> int | None:
    """An expression's; None where it divides by zero."""
    try:
        return Expr(text, "a width")(values)
    except ZeroDivisionError:
        return None


def _without_small(names: list[str], samples: list[Sample]) -> Iterator[list[Sample]]:
    """All samples, then those without the smallest values: there widths of 0 become others."""
    known, least = samples, 0
    while len({k for _, k in known}) > 1 and len(known) > MOST_UNUSED:
        yield known
        least = min(min(values[name] for name in names) for values, _ in known)
        known = [(values, k) for values, k in known if min(values[n] for n in names) > least]


def _forms(names: list[str], samples: list[Sample]) -> Iterator[str]:
    """Widths as people write them."""
    if len(names) == 1:
        (p,) = names
        yield from _linear(p, samples)
        for part in (f"clog2({p})", f"idw({p})", f"clog2({p} + 1)", f"idw({p} + 1)"):
            yield from _linear(part, samples)
        for n in (2, 4, 8, 16, 32):
            yield from _linear(f"{p} // {n}", samples)
            yield from (f"({p} + {n - 1}) // {n}", f"clog2({n} * {p})", f"clog2({p} // {n})")
            yield f"clog2({n} * {p} + 1)"
        return
    yield from _linear(" * ".join(names), samples)
    yield from _linear(" + ".join(names), samples)
    yield from (f"clog2({' * '.join(names)})", f"clog2({' + '.join(names)})")
    yield from (f"idw({' * '.join(names)})", f"clog2({' * '.join(names)} + 1)")
    if len(names) > 2:
        return
    for p, q in itertools.permutations(names):
        logs = (f"clog2({q})", f"idw({q})", f"clog2({q} + 1)", f"({q} + 1)", f"({q} - 1)")
        for log in logs:
            yield from _linear(f"{p} * {log}", samples)
            yield from _linear(f"{p} + {log}", samples)
        yield from (f"{p} - {q}", f"{p} // {q}", f"({p} + {q} - 1) // {q}", f"clog2({p} // {q})")
        yield from (f"{p} - clog2({q})", f"clog2({p}) + clog2({q})", f"idw({p}) + idw({q})")
        yield from (f"max({p}, {q})", f"min({p}, {q})")
        for n in (2, 4, 8):
            yield from (f"{n} * {p} + {q}", f"{p} * ({q} + {n})")


def _linear(part: str, samples: list[Sample]) -> Iterator[str]:
    """a * part + b, through two of the samples."""
    points = {_value(part, values): k for values, k in samples}
    if len(points) < 2 or None in points:
        return
    (x0, y0), (x1, y1) = sorted(points.items())[:: len(points) - 1]
    a, rest = divmod(y1 - y0, x1 - x0)
    b = y0 - a * x0
    if rest or a < 1:
        return
    inner = part if a == 1 or re.fullmatch(r"\w+|\w+\([^()]*\)|[\w *]+", part) else f"({part})"
    text = inner if a == 1 else f"{a} * {inner}"
    yield text if b == 0 else f"{text} {'+' if b > 0 else '-'} {abs(b)}"


# ---- ranges -------------------------------------------------------------------------------------


def _range(
    sampler: Sampler,
    name: str,
    texts: Sequence[str],
    names: Mapping[str, str],
    known: Mapping[int, Numbers],
) -> Parameter | None:
    """Where the expressions hold and the module can be elaborated; None where that is at its
    default alone."""
    usual = sampler.usual[name]
    fixed = {own: sampler.usual[n] for n, own in names.items()}
    widest = max(sampler.numbers, default=1)

    def holds(value: int) -> bool:
        found = sampler.at({name: value}) if value != usual else sampler.numbers
        values = fixed | {names[name]: value}
        if found is None or max(found, default=1) > max(WORD, widest):
            return False
        return all(_value(text, values) == k for text, k in zip(texts, found, strict=True))

    def spread(step: Callable[[int], int]) -> list[int]:
        values, value = [], step(usual)
        while 0 < value <= LARGE[0] and holds(value):
            values.append(value)
            value = step(value)
        return values

    is_pow2 = usual & (usual - 1) == 0 and not any(
        holds(v) for v in (3, 5, 6, usual + 1) if v != usual
    )
    if is_pow2:
        down, up = spread(lambda v: v // 2), spread(lambda v: 2 * v)
        low, high = min([usual, *down]), max([usual, *up])
    else:
        low = min([usual, *spread(lambda v: v - 1)])
        ends = [v for v in LARGE if v > usual] + [v for v in (2 * usual, usual + 1) if v > usual]
        high = next((v for v in sorted({*ends}, reverse=True) if _reaches(holds, usual, v)), usual)
    return Parameter(names[name], name, usual, low, high, is_pow2) if low < high else None


def _reaches(holds: Callable[[int], bool], usual: int, high: int) -> bool:
    """Does it hold at the end, and at values on the way there?"""
    between = {usual + 1, (usual + high) // 2, high - 1, high}
    return all(holds(value) for value in sorted(between, reverse=True) if value > usual)


def beyond(text: str, parameters: Sequence[Parameter], bits: int = WORD) -> bool:
    """Can an expression be more than so many bits?"""
    expr, named = Expr(text, "a width"), {p.name: p for p in parameters}
    ends = [(named[n].low, named[n].high) for n in sorted(expr.names)]
    pairs = itertools.product(*ends)
    return any(expr(dict(zip(sorted(expr.names), each, strict=True))) > bits for each in pairs)
