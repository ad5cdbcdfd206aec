# SPDX-License-Identifier: Apache-2.0
"""Verdicts of commits as one HTML page that needs nothing else: commits by blocks, with filters."""

import html
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..base import report, style
from ..base.table import cell, table
from . import git, summary
from .summary import Row, Rows

TEMPLATE = Path(__file__).with_name("page.html")
MARKS = {"simulated": "s", "proved": "p", "same": "=", "none": ""}
WARNED = {"BUILD_FAIL", "IFACE_CHANGED", "VACUOUS", "AMBIGUOUS"}


def render(rows: Rows, commits: Sequence[git.Commit], place: Path) -> str:
    """The page; `place`: where it will be, for links to reports."""
    titles = list(dict.fromkeys(map(summary.title, rows)))
    names = summary.columns(titles)
    cells = {(row["commit"], summary.title(row)): row for row in rows}
    changed = {(c.commit.id, summary.title(c.row)) for c in summary.changes(rows, commits)}
    lines = []
    for commit in reversed(commits):
        found = []
        for name in titles:
            row = cells.get((commit.id, name))
            found.append(
                _cell(row, name, (commit.id, name) in changed, place) if row else "<td></td>"
            )
        lines.append(_row(commit, found))
    heads = "".join(f"<th data-block='{_text(t)}'>{_head(t)}</th>" for t in titles)
    words = sorted({row["verdict"] for row in rows})
    values = {
        "title": _text(f"warplock regress {commits[0].short}..{commits[-1].short}"),
        "settled": _text(summary.settled(rows)),
        "buckets": "\n".join(_buckets(rows, commits, names)),
        "blocks": _options(titles, names.values()),
        "verdicts": _options(words, words),
        "heads": heads,
        "rows": "\n".join(lines),
        "coverage": "\n".join(_coverage(rows, commits, names)),
    }
    return style.fill(TEMPLATE, values)


def _text(text: object) -> str:
    return html.escape(str(text), quote=True)


def _head(title: str) -> str:
    """A block, and its configuration below."""
    block, _, config = title.partition(" ")
    return f"{_text(block)}<br><small>{_text(config)}</small>" if config else _text(block)


def _options(values: Iterable[str], names: Iterable[str]) -> str:
    pairs = zip(values, names, strict=True)
    return "".join(f'<option value="{_text(v)}">{_text(n)}</option>' for v, n in pairs)


def _row(commit: git.Commit, cells: Sequence[str]) -> str:
    subject = _text(commit.subject)
    return (
        f'<tr data-subject="{subject.lower()}"><td class="id">{commit.short}</td>'
        f'<td class="date">{_text(commit.date)}</td>'
        f'<td class="subject" title="{subject}, {_text(commit.author)}">{subject}</td>'
        f"{''.join(cells)}</tr>"
    )


def _cell(row: Row, name: str, is_change: bool, place: Path) -> str:
    """A verdict; what is known of it stands behind a click."""
    verdict = row["verdict"]
    kind = "warn" if verdict in WARNED else "" if verdict == summary.ABSENT else "bad"
    kind = "good" if verdict == "PASS" else kind
    shown = "not there" if verdict == summary.ABSENT else report.with_gaps(verdict, row)
    head = f'{_text(shown)} <span class="step">{MARKS[row["settled_by"]]}</span>'
    lines = list(_details(row, place))
    body = f"<details><summary>{head}</summary>{''.join(lines)}</details>" if lines else head
    mark = " data-change" if is_change else ""
    data = f'data-block="{_text(name)}" data-verdict="{verdict}"{mark}'
    return f'<td class="cell {kind}" {data}>{body}</td>'


def _details(row: Row, place: Path) -> Iterable[str]:
    if first := summary.first(row):
        yield f"<p>{_text(first)}</p>"
    if "repro" in row:
        yield f"<pre>{_text(row['repro'])}</pre>"
    if "report" in row:
        where = os.path.relpath(Path(row["report"]).absolute(), place.absolute().parent)
        yield f'<p><a href="{_text(where)}/output.txt">report</a></p>'
    for key, what in (("same_as", "as"), ("proved_equal_to", "proved equal to")):
        if key in row:
            yield f"<p>{what} <span class='id'>{row[key][:10]}</span></p>"
    if "profile" in row:
        yield f"<p>profile: {_text(row['profile'])}</p>"
    if "shrunk" in row:
        yield f"<p>{summary.shrunk(row)}</p>"
    if "floors" in row:
        yield f"<p>coverage points: {row['coverage']} of {row['floors']}</p>"


def _coverage(rows: Rows, commits: Sequence[git.Commit], names: dict[str, str]) -> Iterable[str]:
    """How often the last simulation of each block came to each point, and what is asked of it."""
    by_id = {commit.id: commit for commit in commits}
    last = {names[summary.title(row)]: row for row in rows if "points" in row}
    for name, row in last.items():
        commit = by_id.get(row.get("same_as") or row["commit"], by_id[row["commit"]])
        lines = []
        for point, (hits, floor) in row["points"].items():
            colour = "n bad" if hits < floor else "n"
            lines.append([_text(point), cell(f"{hits:,}", colour), cell(f"{floor:,}")])
        head = f"{_text(name)}: {row['coverage']} of {row['floors']} at {_text(commit.title)}"
        body = table(["point", cell("cycles"), cell("floor")], lines)
        yield f"<details><summary>{head}</summary>{body}</details>"
    if not last:
        yield "<p>nothing was simulated</p>"


def _buckets(rows: Rows, commits: Sequence[git.Commit], names: dict[str, str]) -> Iterable[str]:
    """Failures that are alike: block, verdict, and port or broken rule."""
    by_id = {commit.id: commit for commit in commits}
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if not summary.is_good(row):
            first = row.get("first", {})
            what = first.get("rule") or first.get("port") or row.get("message", "")[:80]
            found.setdefault((names[summary.title(row)], row["verdict"], what), []).append(row)
    for key, alike in found.items():
        cells = "".join(f"<td>{_text(each)}</td>" for each in key)
        begun = by_id[alike[0]["commit"]]
        yield f"<tr>{cells}<td>{len(alike)}</td><td>{_text(begun.title)}</td></tr>"
    if not found:
        yield "<tr><td colspan='5'>none</td></tr>"
