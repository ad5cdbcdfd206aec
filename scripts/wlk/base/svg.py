# SPDX-License-Identifier: Apache-2.0
"""Plots as inline SVG; colours are classes of the page's style sheet."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 380, 290  # as wide as a phone, so that the text is as large there
LEFT, RIGHT, TOP, BOTTOM = 44, 20, 24, 40


@dataclass(frozen=True)
class Dot:
    """A point of a plot."""

    x: float
    y: float
    kind: str  # its class
    title: str  # shown over it
    mark: str = ""  # written beside it


@dataclass(frozen=True)
class Axis:
    """Values from the edge to the other, and where they are marked."""

    low: float
    high: float
    ticks: Sequence[float]

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)


def axis(values: Sequence[float], most: int = 6) -> Axis:
    """An axis that holds all values, marked at round ones."""
    low, high = min(values), max(values)
    span = (high - low) or abs(high) or 1.0
    rough = span / (most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= rough * 0.999)
    first, last = math.floor(low / step), math.ceil(high / step)
    last += last == first
    return Axis(first * step, last * step, [n * step for n in range(first, last + 1)])


def scatter(dots: Sequence[Dot], x_name: str, y_name: str) -> str:
    """Dots, and a line of steps through those that are marked, by x."""
    across, up = axis([dot.x for dot in dots]), axis([dot.y for dot in dots])

    def place(x: float, y: float) -> tuple[float, float]:
        wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        return LEFT + across.share(x) * wide, HEIGHT - BOTTOM - up.share(y) * high

    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(y_name)} against '
             f'{escape(x_name)}">']  # fmt: skip
    parts += _grid(across, up, place)
    parts.append(_text(WIDTH - RIGHT, HEIGHT - 6, x_name, "end"))
    parts.append(_text(4, 11, y_name, "start"))
    front = sorted((dot for dot in dots if dot.mark), key=lambda dot: dot.x)
    parts.append(_steps([place(dot.x, dot.y) for dot in front]))
    for dot in sorted(dots, key=lambda dot: bool(dot.mark)):
        parts += _dot(dot, *place(dot.x, dot.y))
    return "".join([*parts, "</svg>"])


def _grid(across: Axis, up: Axis, place: object) -> list[str]:
    parts = []
    for x in across.ticks:
        at, low = place(x, up.low)
        parts.append(f'<path class="grid" d="M{at:.1f} {TOP}V{low:.1f}"/>')
        parts.append(_text(at, low + 14, number(x), "middle"))
    for y in up.ticks:
        left, at = place(across.low, y)
        parts.append(f'<path class="grid" d="M{left:.1f} {at:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(left - 4, at + 4, f"{y:.3g}", "end"))
    return parts


def number(value: float) -> str:
    """Thousands with a k."""
    return f"{value / 1000:,.4g}k" if abs(value) >= 1000 else f"{value:.4g}"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _steps(places: Sequence[tuple[float, float]]) -> str:
    if not places:
        return ""
    (x, y), *rest = places
    path = f"M{x:.1f} {y:.1f}" + "".join(f"H{a:.1f}V{b:.1f}" for a, b in rest)
    return f'<path class="front" d="{path}H{WIDTH - RIGHT}"/>'


def _dot(dot: Dot, x: float, y: float) -> list[str]:
    radius = 5 if dot.mark else 3.5
    shown = f'<circle class="{dot.kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}">'
    parts = [f"{shown}<title>{escape(dot.title)}</title></circle>"]
    if dot.mark:
        right = x < WIDTH - RIGHT - 20
        anchor = "start" if right else "end"
        parts.append(_text(x + (7 if right else -7), y - 5, dot.mark, anchor))
    return parts


def bar(parts: Sequence[tuple[str, float, str]], most: float) -> str:
    """A stacked bar: class, value and title of each part; `most` is the whole width."""
    shown, at = [], 0.0
    for kind, value, title in parts:
        wide = 100 * value / most if most else 0.0
        if wide > 0.05:
            box = f'<rect class="{kind}" x="{at:.2f}" y="0" width="{wide:.2f}" height="10">'
            shown.append(f"{box}<title>{escape(title)}</title></rect>")
        at += wide
    head = '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
    return head + "".join(shown) + "</svg>"
