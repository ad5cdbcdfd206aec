# SPDX-License-Identifier: Apache-2.0
"""Plots over time as inline SVG: heat maps and stacked areas; colours are classes of the page's
style sheet. They are as wide as a phone, so that their text is as large there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from ..base import svg

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 380, 44, 8, 8, 34
HEIGHT = 190
LEVELS = 10  # shades of a heat map
STACKED = 64  # windows of a stack; more are noise


@dataclass(frozen=True)
class Time:
    """Windows of steps, side by side; the last one may be shorter. Each is `merged` of those that
    were counted."""

    width: int
    last: int
    windows: int
    merged: int = 1

    def coarse(self, most: int) -> "Time":
        """At most so many windows."""
        merged = max(1, -(-self.windows // most))
        windows = -(-self.windows // merged)
        last = self.steps - (windows - 1) * merged * self.width
        return Time(self.width * merged, last, windows, merged)

    @property
    def steps(self) -> int:
        return self.width * (self.windows - 1) + self.last

    def lengths(self) -> list[int]:
        """Steps of each window."""
        return [self.width] * (self.windows - 1) + [self.last]

    def rates(self, counts: Sequence[float]) -> list[float]:
        """What was counted, for each step of a window."""
        sums = [sum(counts[n : n + self.merged]) for n in range(0, len(counts), self.merged)]
        return [count / steps for count, steps in zip(sums, self.lengths(), strict=True)]

    def x(self, window: int) -> float:
        """Where a window begins."""
        step = min(window * self.width, self.steps)
        return LEFT + step / self.steps * (WIDTH - LEFT - RIGHT)


@dataclass(frozen=True)
class Layer:
    """Of a stack: its class, its name, a value for each window."""

    kind: str
    name: str
    values: Sequence[float]


def stack(time: Time, layers: Sequence[Layer], y_name: str, most: float = 0.0) -> str:
    """Areas on top of each other; `most`: what the axis reaches at least."""
    totals = [sum(values) for values in zip(*(layer.values for layer in layers), strict=True)]
    up = svg.axis([0.0, max(*totals, most) or 1.0], 5)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - up.share(value) * (HEIGHT - TOP - BOTTOM)

    parts = [_head(HEIGHT, f"{y_name} over steps")]
    for tick in up.ticks:
        parts.append(f'<path class="grid" d="M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(LEFT - 4, y(tick) + 4, f"{tick:.3g}", "end"))
    floor = [0.0] * time.windows
    for layer in layers:
        top = [low + value for low, value in zip(floor, layer.values, strict=True)]
        if any(layer.values):
            path = _area(time, [y(v) for v in floor], [y(v) for v in top])
            title = f"<title>{escape(layer.name)}</title>"
            parts.append(f'<path class="{layer.kind}" d="{path}">{title}</path>')
        floor = top
    return "".join([*parts, *_steps(time, HEIGHT), "</svg>"])


def _area(time: Time, low: Sequence[float], high: Sequence[float]) -> str:
    """Up along the tops of the windows, and back along their bottoms."""
    there = [f"L{time.x(n):.1f} {y:.1f}H{time.x(n + 1):.1f}" for n, y in enumerate(high)]
    back = [f"L{time.x(n + 1):.1f} {y:.1f}H{time.x(n):.1f}" for n, y in enumerate(low)]
    return f"M{LEFT} {low[0]:.1f}" + "".join(there) + "".join(reversed(back)) + "Z"


def heat(time: Time, rows: Sequence[Sequence[float]], y_name: str, titles: Sequence[str]) -> str:
    """A row of windows for each of `rows`, row 0 on top; the darker, the more. `titles`: shown over
    the rows."""
    most = max((max(row) for row in rows), default=0.0)
    tall = max(2.0, min(14.0, 224 / len(rows)))
    height = round(TOP + tall * len(rows) + BOTTOM)
    boxes: dict[int, list[str]] = {}
    for n, row in enumerate(rows):
        for level, path in _runs(time, row, most, TOP + n * tall, tall):
            boxes.setdefault(level, []).append(path)
    parts = [_head(height, f"a heat map, {y_name} by steps")]
    parts += [
        f'<path class="heat" fill-opacity="{level / LEVELS:.2f}" d="{"".join(paths)}"/>'
        for level, paths in sorted(boxes.items())
    ]
    every = -(-len(rows) // 16)
    for n, title in enumerate(titles):
        place = f'x="{LEFT}" y="{TOP + n * tall:.1f}" width="{WIDTH - LEFT - RIGHT}"'
        over = f"<title>{escape(title)}</title>"
        parts.append(f'<rect class="over" {place} height="{tall:.1f}">{over}</rect>')
        if n % every == 0:
            parts.append(_text(LEFT - 4, TOP + (n + 0.5) * tall + 4, str(n), "end"))
    parts.append(f'<path class="grid" d="M{LEFT} {TOP}V{height - BOTTOM}H{WIDTH - RIGHT}V{TOP}Z"/>')
    return "".join([*parts, *_steps(time, height), "</svg>"])


def _runs(
    time: Time, row: Sequence[float], most: float, y: float, tall: float
) -> Iterator[tuple[int, str]]:
    """Neighbours of one shade as one box."""
    shades = [-(-value * LEVELS // most) if most else 0 for value in row]
    at = 0
    for shade, group in groupby(shades):
        end = at + len(list(group))
        if shade:
            left, right = time.x(at), time.x(end)
            yield int(shade), f"M{left:.1f} {y:.1f}H{right:.1f}v{tall:.1f}H{left:.1f}Z"
        at = end


def scale(most: float, unit: str) -> str:
    """The shades of a heat map, from 0 to the most."""
    boxes = "".join(
        f'<rect class="heat" fill-opacity="{n / LEVELS:.2f}" x="{n * 10}" width="10" height="10"/>'
        for n in range(LEVELS + 1)
    )
    bar = (
        f'<svg class="scale" viewBox="0 0 {10 * (LEVELS + 1)} 10" aria-hidden="true">{boxes}</svg>'
    )
    return f'<div class="key"><span>0 {bar} {most:.3g} {escape(unit)}</span></div>'


def _head(height: float, label: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}">'


def _steps(time: Time, height: float) -> Iterator[str]:
    """The axis of steps."""
    for tick in svg.axis([0, time.steps]).ticks:
        if tick <= time.steps:
            x = LEFT + tick / time.steps * (WIDTH - LEFT - RIGHT)
            anchor = "end" if x > WIDTH - RIGHT - 12 else "middle"
            yield f'<path class="grid" d="M{x:.1f} {height - BOTTOM}v4"/>'
            yield _text(x, height - BOTTOM + 15, _number(tick), anchor)
    yield _text(WIDTH - RIGHT, height - 4, "step", "end")


def _number(value: float) -> str:
    return f"{value / 1e6:.4g}M" if value >= 1e6 else svg.number(value)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
