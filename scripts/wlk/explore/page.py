# SPDX-License-Identifier: Apache-2.0
"""A sweep as one HTML page that needs nothing else: which point to take, plots, tables."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from ..base import style, svg
from ..base.table import cell, table
from . import parts, show
from .summary import MEASURED, NAMES, WITHIN, Choice, Result, Summary, reasons

TEMPLATE = Path(__file__).with_name("page.html")
ORGANISATIONS = ("duplicated", "src_banked", "inst_banked", "caching")
STALLS = ("stallsWAW", "stallsWAR", "stallsScoreboard", "stallsHold", "stallsRoom")
RTL = "muon_rtl"
BARS = 40  # points that a chart of bars has
ARTICLES = {"cycle": "a cycle", "instruction": "an instruction"}
CONFLICTS = (  # heading, counter, for each
    *(("reads", "prfReads", "instruction"), ("bank conflicts", "prfConflicts", "instruction")),
    ("lane conflicts", "laneConflicts", "instruction"),
    *(("no entry", "noEntry", "cycle"), ("lost reads", "lostReads", "instruction")),
    *(("forwards", "forwards", "instruction"), ("writes held: WAR", "wbStallsWAR", "cycle")),
    *(("writes held: forwards", "wbStallsFwd", "cycle"), ("entries", "accEntryOccupancy", "cycle")),
    ("rows", "accRsOccupancy", "cycle"),
)


def render(summary: Summary) -> str:
    """The page."""
    choices = summary.choices()
    left = reasons(summary.rows)
    values = {
        "title": "warplock explore: which collector?",
        "answer": _answer(summary, choices),
        "choices": _choices(choices),
        "about": _about(summary),
        "left_short": _left_short(summary, left),
        "key": _key([(f"k{n}", name) for n, name in enumerate(ORGANISATIONS)]),
        "plots": "".join(_plot(summary, each) for each in _heads(choices)),
        "more_plots": _more_plots(summary, choices),
        "stalls": "".join(_stalls(each) for each in _heads(choices)),
        "conflicts": "".join(_conflicts(each) for each in _heads(choices)),
        "points": _points(summary),
        "reference": parts.reference_table(summary),
        "costs": parts.costs(summary),
        "synth": parts.synthesis(summary),
        "chances": parts.chances_tables(summary),
        "document": parts.document_tables(),
        "left": _left(summary, left),
    }
    return style.fill(TEMPLATE, values)


def _heads(choices: Sequence[Choice]) -> list[Choice]:
    """The groups; of a group with one workload that."""
    groups = {each.group: each for each in reversed(choices)}
    return [groups[name] for name in NAMES if name in groups]


# ---- the answer ---------------------------------------------------------------------------------


def _answer(summary: Summary, choices: Sequence[Choice]) -> str:
    """What to take for each group, and what that is."""
    if not choices:
        return '<p class="answer none">No point came to its end on any workload.</p>'
    found = []
    for each in _heads(choices):
        point = summary.costs[each.enough.point].point
        words = f"<small>{escape(show.described(point))}. {_rtl(each)}</small>"
        found.append(f'<p class="answer">{_sentence(each)}<br>{words}</p>')
    return "".join(found)


def _sentence(choice: Choice) -> str:
    take, best = choice.enough, choice.best
    article = "the " if choice.name in NAMES.values() else ""
    text = f"For {article}{escape(choice.name)} take <b>{escape(take.point)}</b>: "
    text += f"IPC {take.ipc:.3f}, {take.area:,.0f} µm²."
    if take.point == best.point:
        return f"{text} It has the best IPC, and none within {100 * WITHIN:.0f} % of it is smaller."
    less = f"{100 * (1 - take.ipc / best.ipc):.1f} % below the best"
    saved = f"{100 * (1 - take.area / best.area):.0f} % less area"
    return f"{text} That is {less}, {escape(best.point)} ({best.ipc:.3f}), with {saved}."


def _rtl(choice: Choice) -> str:
    """The RTL's own point beside it."""
    found = [each for each in choice.results if each.point == RTL]
    if not found or choice.enough.point == RTL:
        return ""
    return f"The RTL ({RTL}) has IPC {found[0].ipc:.3f} with {found[0].area:,.0f} µm²."


def _choices(choices: Sequence[Choice]) -> str:
    rows = []
    for each in choices:
        take, best, dense = each.enough, each.best, each.dense
        name = f"<b>{escape(each.name)}</b>" if each.name in NAMES.values() else escape(each.name)
        rows.append([
            name, f"<b>{escape(take.point)}</b>", cell(f"{take.ipc:.3f}"),
            cell(svg.number(take.area)),
            f"{escape(best.point)} <small>{best.ipc:.3f}</small>",
            f"{escape(dense.point)} <small>{dense.ipc:.3f}, {svg.number(dense.area)}</small>",
        ])  # fmt: skip
    heads = ["workload", f"cheapest within {100 * WITHIN:.0f} %", cell("IPC"), cell("µm²"),
             "best IPC", "most IPC per area"]  # fmt: skip
    return table(heads, rows) if rows else ""


def _about(summary: Summary) -> str:
    sweep = summary.sweep
    text = f"{len(sweep.points)} points, {len(sweep.workloads)} workloads; {show.counts(summary)}. "
    text += f"Streams: seeds {sweep.seeds}, "
    text += f"{sweep.instructions:,} instructions each. "
    text += "A group's IPC is the geometric mean. Points that can deadlock are not chosen"
    return (
        escape(text)
        + ("" if not summary.unsafe else f": {escape(', '.join(summary.unsafe))}")
        + "."
    )


def _left_short(summary: Summary, left: Sequence[tuple]) -> str:
    points = {row[0] for row in left}
    if not points:
        return ""
    return (
        f'<p class="quiet"><a href="#left">{len(points)} points did not come to their end</a></p>'
    )


# ---- plots --------------------------------------------------------------------------------------


def _key(items: Iterable[tuple[str, str]]) -> str:
    box = '<svg viewBox="0 0 9 9" aria-hidden="true"><rect class="{}" width="9" height="9"/></svg>'
    shown = "".join(f"<span>{box.format(kind)} {escape(name)}</span>" for kind, name in items)
    return f'<div class="key">{shown}</div>'


def _plot(summary: Summary, choice: Choice) -> str:
    marks = {each.point: str(n) for n, each in enumerate(choice.front, 1)}
    dots = [
        svg.Dot(r.area, r.ipc, f"k{ORGANISATIONS.index(summary.costs[r.point].organisation)}",
                f"{r.point}: IPC {r.ipc:.3f}, {r.area:,.0f} µm²", marks.get(r.point, ""))
        for r in choice.results
    ]  # fmt: skip
    listed = "".join(
        f"<li>{escape(each.point)} <small>{each.ipc:.3f}, {each.area:,.0f} µm²</small></li>"
        for each in choice.front
    )
    plot = svg.scatter(dots, "area proxy [µm²]", "IPC")
    name = f"<figcaption>{escape(choice.name)}</figcaption>"
    return f"<figure>{name}{plot}<ol>{listed}</ol></figure>"


def _more_plots(summary: Summary, choices: Sequence[Choice]) -> str:
    heads = _heads(choices)
    rest = [_plot(summary, each) for each in choices if each not in heads]
    if not rest:
        return ""
    plots = f'<div class="plots">{"".join(rest)}</div>'
    return f"<details><summary>each workload</summary>{plots}</details>"


def _bars(results: Sequence[Result]) -> list[Result]:
    """The points of a chart, the best first."""
    return sorted(results, key=lambda r: -r.ipc)[:BARS]


def _stalls(choice: Choice) -> str:
    shown = _bars(choice.results)
    most = max((sum(r.per_instruction(s) for s in STALLS) for r in shown), default=0.0)
    rows = []
    for result in shown:
        values = [(name, result.per_instruction(name)) for name in STALLS]
        pieces = [(f"k{n}", v, f"{name} {v:.2f}") for n, (name, v) in enumerate(values)]
        total = sum(value for _, value in values)
        rows.append(f'<span class="label">{escape(result.point)}</span>{svg.bar(pieces, most)}'
                    f'<span class="n">{total:.2f}</span>')  # fmt: skip
    names = [(f"k{n}", name.removeprefix("stalls")) for n, name in enumerate(STALLS)]
    note = _note(choice)
    return (
        f'<h3>{escape(choice.name)}</h3>{_key(names)}{note}<div class="bars">{"".join(rows)}</div>'
    )


def _note(choice: Choice) -> str:
    if len(choice.results) <= BARS:
        return ""
    return f'<p class="quiet">the {BARS} points with the highest IPC of {len(choice.results)}</p>'


def _conflicts(choice: Choice) -> str:
    """For each instruction, or a mean over cycles."""
    heads = [
        "point",
        *(cell(f"{name} <small>{ARTICLES[each]}</small>") for name, _, each in CONFLICTS),
    ]
    rows = []
    for result in _bars(choice.results):
        values = [
            result.per_cycle(key) if each == "cycle" else result.per_instruction(key)
            for _, key, each in CONFLICTS
        ]
        hit = result.hit_rate
        shown = [cell(f"{value:.2f}") for value in values]
        rows.append(
            [escape(result.point), *shown, cell("–" if hit is None else f"{100 * hit:.0f} %")]
        )
    return f"<h3>{escape(choice.name)}</h3>{_note(choice)}" + table([*heads, cell("hits")], rows)


# ---- tables -------------------------------------------------------------------------------------


def _points(summary: Summary) -> str:
    loads = [load.title for load in summary.sweep.workloads]
    heads = ["point", cell("area"), *(cell(escape(load)) for load in loads), "configuration"]
    rows = []
    for title, cost in summary.costs.items():
        cells = [_ipc(summary.results[title, load]) for load in loads]
        words = f"<code>{escape(cost.point.words) or 'the defaults'}</code>"
        rows.append([escape(title), cell(svg.number(cost.area)), *cells, words])
    return table(heads, rows)


def _ipc(result: Result) -> str:
    """IPC and its standard error, or how it ended."""
    if not result.is_done:
        words = [status for status in result.statuses if status not in MEASURED]
        return cell(escape(", ".join(words) or "–"), "n bad" if words else "n")
    error = "" if result.error is None else f" <small>±{result.error:.3f}</small>"
    return cell(f"{result.ipc:.3f}{error}")


def _left(summary: Summary, left: Sequence[tuple[str, str, str, str, int]]) -> str:
    if not left:
        return '<p id="left">Every run did.</p>'
    every = ", ".join(sorted(load.title for load in summary.sweep.workloads))
    rows = [
        [
            escape(point),
            f'<span class="bad">{status}</span>',
            cell(str(runs)),
            escape(why),
            "all workloads" if where == every else escape(where),
        ]
        for point, status, why, where, runs in left
    ]
    heads = ["point", "status", cell("runs"), "why", "on"]
    return f'<div id="left">{table(heads, rows)}</div>' + "".join(_hangs(summary))


def _hangs(summary: Summary) -> Iterator[str]:
    """Of each point that hangs, where the first one stands."""
    seen: set[str] = set()
    for row in summary.rows:
        if row["status"] == "HANG" and row["point"] not in seen:
            seen.add(row["point"])
            yield parts.hang(row)
