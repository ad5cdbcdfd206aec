# SPDX-License-Identifier: Apache-2.0
"""A replay of the operand collector as one HTML page that needs nothing else: what limits the
kernel, plots over time, tables, the configuration."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from ..base import style, svg
from ..base.table import cell, table
from . import opndcoll_compare, opndcoll_limits, opndcoll_plots
from .opndcoll_plots import Layer, Time

TEMPLATE = Path(__file__).with_name("opndcoll_page.html")
WAITS = {
    "starved_other": "an earlier pipe was served",
    "starved_unit": "no idle unit",
    "starved_port": "no port",
    "stalled_ex_full": "OC_EX full",
    "stalled_no_du": "no dispatch unit",
}


def render(
    counts: dict[str, Any], name: str, configs: Sequence[Path], compared: dict[str, Any] | None
) -> str:
    """The page. `counts` has windows; `configs`: the files its options are from; `compared`: the
    answer of a comparison, with differences."""
    windows = counts["windows"]
    time = Time(windows["width"], windows["last"], len(windows["cycles"]))
    limit, *more = opndcoll_limits.sentences(counts)
    has_time = counts["steps"] > 0
    files = ", ".join(path.name for path in configs) or "the simulator's defaults"
    values = {
        "title": escape(f"operand collector: {Path(name).name}"),
        "name": escape(name),
        "revision": counts["revision"],
        "files": escape(files),
        "limit": escape(limit),
        "more": "".join(f"<li>{escape(text)}</li>" for text in more),
        "losses": _losses(counts),
        "compared": _compared(compared),
        "banks": _banks(counts, time) if has_time else "",
        "units": _units(counts, time) if has_time else "",
        "pipes": _pipes(counts, time) if has_time else "",
        "window": f"{time.width:,} step{'s' if time.width != 1 else ''}",
        "tables": _tables(counts),
        "config": _config(counts, files, compared),
    }
    return style.fill(TEMPLATE, values)


# ---- the answer ---------------------------------------------------------------------------------


def _losses(counts: dict[str, Any]) -> str:
    found = [loss for loss in opndcoll_limits.losses(counts) if loss.steps >= 0.005]
    most = max((loss.steps for loss in found), default=0.0)
    rows = []
    for loss in found:
        bar = svg.bar([("k0", loss.steps, loss.means)], most)
        label = f'{escape(loss.name)} <small class="why">{escape(loss.means)}</small>'
        rows.append(
            f'<span class="label">{label}</span>{bar}<span class="n">{loss.steps:.2f}</span>'
        )
    return f'<div class="bars">{"".join(rows)}</div>' if rows else '<p class="quiet">None.</p>'


def _compared(answer: dict[str, Any] | None) -> str:
    if answer is None:
        return ""
    rows = []
    for each in answer["configurations"]:
        totals, waited = each["summary"]["totals"], each["waited"]
        saved = each["saved_steps"]
        colour = "n" if not saved else "n good" if saved > 0 else "n bad"
        rows.append([
            escape(opndcoll_compare.short(each["name"])), each["revision"],
            cell(f"{each['cycles']:,}"),
            cell(f"{waited['mean'] or 0:.2f}"), cell(f"{waited['p95']:,}"),
            cell("HANG" if saved is None else f"{saved:+,}" if saved else "0", colour),
            cell(f"{totals['conflicts']:,}"), cell(f"{totals['starved_other']:,}"),
            cell(f"{totals['starved_unit']:,}"), cell(f"{totals['stalled_ex_full']:,}"),
        ])  # fmt: skip
    heads = ["configuration", "revision", *map(cell, (
        "core cycles", "steps, mean", "p95", "steps saved", "conflicts", "starved: pipe",
        "starved: unit", "OC_EX full"))]  # fmt: skip
    text = "Steps of an instruction from its arrival to OC_EX, everything around being as recorded."
    return f'<h2>Other configurations</h2><p class="quiet">{text}</p>{table(heads, rows)}'


# ---- plots --------------------------------------------------------------------------------------


def _figure(caption: str, plot: str, key: str = "") -> str:
    return f"<figure><figcaption>{escape(caption)}</figcaption>{key}{plot}</figure>"


def _key(items: Sequence[tuple[str, str]]) -> str:
    box = '<svg viewBox="0 0 9 9" aria-hidden="true"><rect class="{}" width="9" height="9"/></svg>'
    shown = "".join(f"<span>{box.format(kind)} {escape(name)}</span>" for kind, name in items)
    return f'<div class="key">{shown}</div>'


def _banks(counts: dict[str, Any], time: Time) -> str:
    """Heat maps of conflicts and queues, and the traffic."""
    banks = counts["windows"]["banks"]
    waits = [time.rates(bank["conflicts"]) for bank in banks]
    queues = [time.rates(bank["queued"]) for bank in banks]
    percent = [[100 * value for value in row] for row in waits]
    steps = counts["steps"]
    shown = [
        _heat("Conflicts by bank", time, percent, "% of steps with a request that waits",
              [f"bank {b['bank']}: {100 * b['conflicts'] / steps:.1f} % of all steps"
               for b in counts["banks"]]),
        _heat("Queue by bank", time, queues, "requests, mean",
              [f"bank {b['bank']}: {b['queued'] / steps:.2f} requests on average"
               for b in counts["banks"]]),
        _traffic(counts, time),
    ]  # fmt: skip
    return "".join(shown)


def _heat(
    caption: str, time: Time, rows: list[list[float]], unit: str, titles: Sequence[str]
) -> str:
    most = max(map(max, rows))
    plot = opndcoll_plots.heat(time, rows, "bank", titles)
    return _figure(caption, plot, opndcoll_plots.scale(most, unit))


def _traffic(counts: dict[str, Any], time: Time) -> str:
    time = time.coarse(opndcoll_plots.STACKED)
    layers = []
    for n, (name, count) in enumerate((("reads", "granted"), ("writes", "written"))):
        sums = [
            sum(values)
            for values in zip(*(b[count] for b in counts["windows"]["banks"]), strict=True)
        ]
        layers.append(Layer(f"k{n}", f"{name} of banks", time.rates(sums)))
    key = _key([(layer.kind, layer.name) for layer in layers])
    return _figure("Reads and writes a step", opndcoll_plots.stack(time, layers, "a step"), key)


def _used(counts: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """The pipes with instructions, numbered, and their windows."""
    pairs = zip(counts["kinds"], counts["windows"]["kinds"], strict=True)
    return [(n, windows) for n, (row, windows) in enumerate(pairs) if row["issued"] or row["busy"]]


def _units(counts: dict[str, Any], time: Time) -> str:
    """Occupancy over time, and how often which."""
    time = time.coarse(opndcoll_plots.STACKED)
    layers = [
        Layer(f"k{n % 8}", windows["kind"], time.rates(windows["busy"]))
        for n, windows in _used(counts)
    ]
    units = len(counts["busy_units"]) - 1
    key = _key([(layer.kind, layer.name) for layer in layers])
    plot = opndcoll_plots.stack(time, layers, "busy units", units) if layers else ""
    return (
        _figure(f"Busy collector units of {units}, by pipe", plot, key)
        + _figure("Steps by busy units", _histogram(counts["busy_units"]))
        + _figure("Banks × steps by length of queue", _histogram(counts["queue_lengths"]))
    )


def _histogram(numbers: Sequence[int]) -> str:
    """Shares as bars; many values go together."""
    total = sum(numbers) or 1
    size = -(-len(numbers) // 17)
    groups = [numbers[at : at + size] for at in range(0, len(numbers), size)]
    most = max(map(sum, groups)) or 1
    rows = []
    for n, group in enumerate(groups):
        first, last = n * size, n * size + len(group) - 1
        label = str(first) if first == last else f"{first}–{last}"
        share = f"{100 * sum(group) / total:.1f} %"
        bar = svg.bar([("k0", sum(group), share)], most)
        rows.append(f'<span class="label">{label}</span>{bar}<span class="n">{share}</span>')
    return f'<div class="bars short">{"".join(rows)}</div>'


def _pipes(counts: dict[str, Any], time: Time) -> str:
    """For each pipe what keeps its instructions."""
    time = time.coarse(opndcoll_plots.STACKED)
    stacks = {}
    for _, windows in _used(counts):
        layers = [
            Layer(f"k{n}", name, time.rates(windows[count]))
            for n, (count, name) in enumerate(WAITS.items())
        ]
        stacks[windows["kind"]] = layers
    every = [layer.values for layers in stacks.values() for layer in layers]
    if not any(map(any, every)):
        return '<p class="quiet">No pipe ever waits or stalls.</p>'
    most = max(
        max(map(sum, zip(*(layer.values for layer in layers), strict=True)))
        for layers in stacks.values()
    )
    key = _key([(f"k{n}", name) for n, name in enumerate(WAITS.values())])
    shown = "".join(
        _figure(kind, opndcoll_plots.stack(time, layers, "a step", most))
        for kind, layers in stacks.items()
    )
    return f'{key}<div class="plots">{shown}</div>'


# ---- tables -------------------------------------------------------------------------------------


def _tables(counts: dict[str, Any]) -> str:
    totals = [[name, cell(f"{total:,}")] for name, total in counts["totals"].items()]
    used = [row for row in counts["kinds"] if row["issued"] or row["issue_refused"] or row["busy"]]
    parts = [("totals", table(["count", cell("total")], totals))]
    for title, key, rows in (("pipes", "kind", used), ("banks", "bank", counts["banks"])):
        names = [name for name in counts["banks" if key == "bank" else "kinds"][0] if name != key]
        heads = [key, *(cell(name.replace("_", " ")) for name in names)]
        lines = [[str(row[key]), *(cell(f"{row[name]:,}") for name in names)] for row in rows]
        parts.append((title, table(heads, lines)))
    return "".join(f"<details><summary>{t}</summary>{body}</details>" for t, body in parts)


def _config(counts: dict[str, Any], files: str, compared: dict[str, Any] | None) -> str:
    """All options that were used, of each configuration."""
    others = compared["configurations"][1:] if compared else []
    parts = [f"<h3>{escape(files)}</h3>{_options(counts)}"]
    parts += [
        f"<details><summary>{escape(opndcoll_compare.short(each['name']))}</summary>"
        f"{_options(each['summary'])}</details>"
        for each in others
    ]
    return "".join(parts)


def _options(counts: dict[str, Any]) -> str:
    return f'<pre class="options">{escape(counts["options"])}</pre>'
