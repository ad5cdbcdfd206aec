# SPDX-License-Identifier: Apache-2.0
"""Parts of the page: tables of costs, synthesis, chances, the document and the specification."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from ..base.installed import COMMAND
from ..base.table import cell, table
from . import chances, cost, document, points, reference, show
from .points import Point
from .summary import Result, Summary

NONE = '<p class="quiet">{}</p>'
ROUNDED = 0.002  # what figures of other random numbers may differ by without any noise
# Student's t, 99.9 %, by the number of seeds
STUDENT = {2: 637.0, 3: 31.6, 4: 12.9, 5: 8.6, 6: 6.9, 7: 6.0, 8: 5.4, 9: 5.0, 10: 4.8}


def hang(row: Mapping[str, Any]) -> str:
    """A deadlock: its cycle, what waits for what, and the program."""
    about = json.loads(row["hang"] or "{}")
    title = f"{row['point']} on {row['workload']}, seed {row['seed']}: {row['message']}"
    lines = [*about.get("state", ()), *about.get("program", ())]
    text = "\n".join([f"cycle {about.get('cycle', '?')}", *lines])
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"


# ---- the specification --------------------------------------------------------------------------


def reference_table(summary: Summary) -> str:
    """IPC beside that of §11, where the sweep has the point."""
    streams = reference.data()["streams"]
    pairs = _pairs(summary)
    if not pairs:
        hint = "The sweep has none of its points on its streams: <code>--point reference</code>."
        return NONE.format(hint)
    rows = []
    for title, known, results in pairs:
        cells = [_compared(result, ipc) for result, ipc in zip(results, known, strict=True)]
        rows.append([escape(title), *cells])
    text = (
        "<p class='quiet'>IPC, below it the difference from the specification's figure ± standard "
    )
    text += "error over seeds. Its random numbers are others; red is more than both explain.</p>"
    return text + table(["point", *(cell(escape(stream)) for stream in streams)], rows)


def _pairs(summary: Summary) -> list[tuple[str, Sequence[float], list[Result | None]]]:
    by_words = {cost.point.words: title for title, cost in summary.costs.items()}
    found = []
    for row in reference.data()["row"]:
        title = by_words.get(points.parse(row["point"], reference.FILE.name).words)
        if title is not None:
            results = [
                summary.results.get((title, stream)) for stream in reference.data()["streams"]
            ]
            if any(each is not None for each in results):
                found.append((row["point"], row["ipc"], results))
    return found


def _compared(result: Result | None, ipc: float) -> str:
    if result is None or not result.is_done:
        return cell(f"–<br><small>{ipc:.3f}</small>")
    error = "" if result.error is None else f" ±{result.error:.3f}"
    factor = STUDENT.get(len(result.ipcs), 4.0)
    noise = factor * 2**0.5 * (result.error or 0)  # of both figures
    kind = "bad" if abs(result.ipc - ipc) > ROUNDED + noise else "quiet"
    difference = f"{result.ipc - ipc:+.3f}{error}"
    return cell(f'{result.ipc:.3f}<br><small class="{kind}">{difference}</small>')


# ---- costs --------------------------------------------------------------------------------------


def _plain(summary: Summary) -> list[Point]:
    """The named points without options, as far as the sweep has them, or its first ones."""
    named = [p for p in summary.sweep.points if p.title in points.space()["point"]]
    return named or list(summary.sweep.points[:6])


def costs(summary: Summary) -> str:
    """Formulas and their values."""
    shown = _plain(summary)
    columns = [show.costs_of(point) for point in shown]
    rows = []
    for n, (name, unit, _, formula) in enumerate(cost.ROWS):
        values = [cell(f"{column[n][2]:,.0f}") for column in columns]
        rows.append([escape(name), *values, unit, f"<small>{escape(formula)}</small>"])
    return table(["quantity", *(cell(escape(p.title)) for p in shown), "unit", "formula"], rows)


def synthesis(summary: Summary) -> str:
    """What the stub becomes, beside the formulas."""
    rows = []
    for row in summary.synth:
        costs = summary.costs.get(row["point"])
        if costs is None:
            continue
        if row["status"] != "DONE":
            rows.append([escape(row["point"]), escape(row["block"]), row["status"],
                         escape(row["message"])])  # fmt: skip
            continue
        memories = ", ".join(json.loads(row["memories"]))
        numbers = [row["gates"], row["flops"], costs.flops, row["memory_bits"],
                   costs.prf_bits + costs.collector_bits]  # fmt: skip
        rows.append(
            [
                escape(row["point"]),
                escape(row["block"]),
                *(cell(f"{n:,}") for n in numbers),
                f"<small>{escape(memories)}</small>",
            ]
        )
    if not rows:
        return ""
    heads = ["point", "block", cell("gates"), cell("flip-flops"), cell("by the formulas"),
             cell("memory bits"), cell("storage bits by the formulas"), "memories"]  # fmt: skip
    return "<h3>Synthesis of the stub</h3>" + table(heads, rows)


# ---- chances ------------------------------------------------------------------------------------


def chances_tables(summary: Summary) -> str:
    """The document's model, and what was simulated."""
    model = [
        [
            f"N = {banks}",
            *(cell(f"{100 * chances.three_distinct(banks, c):.4f} %") for c in range(1, 5)),
        ]
        for banks in (4, 8)
    ]
    text = "<h3>At least three distinct banks among the operands of C instructions</h3>"
    text += table(["", *(cell(f"C = {c}") for c in range(1, 5))], model)
    heads = ["banks N", cell("E[k]"), cell("IPC by the model"), cell("simulated"),
             cell("specification's simulation"), cell("distinct banks of 3 draws")]  # fmt: skip
    text += "<h3>Throughput of minimal with three random sources</h3>"
    text += table(heads, _minimal(summary))
    hint = f"{COMMAND} explore --point minimal --set reg_banks=1..16 --workload three"
    text += NONE.format(f"Simulated where the sweep has it: <code>{hint}</code>")
    return text + _denied(summary)


def _minimal(summary: Summary) -> Iterator[list[str]]:
    known = reference.data()["minimal"]
    by_words = {cost.point.words: title for title, cost in summary.costs.items()}
    for banks, ipc in zip(known["banks"], known["ipc"], strict=True):
        title = by_words.get(points.parse(f"minimal reg_banks={banks}", "model").words)
        result = summary.results.get((title, known["workload"]))
        done = result is not None and result.is_done
        values = [f"{chances.minimal_cycles(banks):.3f}", f"{chances.minimal_ipc(banks):.3f}",
                  f"{result.ipc:.3f}" if done else "–", f"{ipc:.3f}",
                  f"{chances.distinct(banks, 3):.3f}"]  # fmt: skip
        yield [str(banks), *map(cell, values)]


def _denied(summary: Summary) -> str:
    """How often a read was denied for its bank, beside the share that uniform draws would lose."""
    loads = [load.title for load in summary.sweep.workloads if load.is_stream]
    if not loads:
        return ""
    rows = []
    for point in _plain(summary):
        merged = summary.grouped(loads, "streams")[list(summary.costs).index(point.title)]
        reads, denied = merged.counters["prfReads"], merged.counters["prfConflicts"]
        if merged.is_done and reads:
            banks = point["reg_banks"]
            lost = 1 - chances.distinct(banks, 3) / 3
            rows.append([escape(point.title), cell(str(banks)), cell(f"{denied / reads:.2f}"),
                         cell(f"{lost:.2f}")])  # fmt: skip
    text = "<h3>Bank conflicts on the streams</h3>"
    heads = ["point", cell("banks N"), cell("denials a read, simulated"),
             cell("share of 3 uniform draws that meet a taken bank")]  # fmt: skip
    return text + table(heads, rows) if rows else ""


# ---- the document -------------------------------------------------------------------------------


def document_tables() -> str:
    """Its figures beside the reproduced ones, and what does not hold."""
    rows = [
        [escape(f.heading), escape(f.what), cell(escape(f.says)), cell(escape(f.reproduced)),
         '<span class="good">yes</span>' if f.agrees else '<span class="bad">no</span>']
        for f in document.figures()
    ]  # fmt: skip
    text = table(["heading", "figure", cell("document"), cell("reproduced"), "agrees"], rows)
    return text + "<h3>What does not hold</h3>" + "".join(map(_finding, document.findings()))


def _finding(found: document.Finding) -> str:
    kind = f"<small>[{escape(show.KINDS[found.kind])}]</small>"
    says = f"{escape(found.says)} → <b>{escape(found.corrected)}</b>"
    head = f"<b>{escape(found.heading)}</b> {kind}"
    return f'<p class="finding">{head}<br>{says}<br><small>{escape(found.why)}</small></p>'
