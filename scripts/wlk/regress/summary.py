# SPDX-License-Identifier: Apache-2.0
"""Verdicts of commits for people and their tools: text, Markdown for a comment, JUnit XML."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import entries, outputs, report
from ..base import junit as xml
from ..base.junit import Case
from . import git
from .store import STEPS

ABSENT = "NO_MODULE"
SUBJECT = 50  # letters of a commit's subject in a table
BROKEN = "BUILD_FAIL"
UNCHANGED = "### warplock: no block has changed\n"
Row = Mapping[str, Any]
Rows = Sequence[Row]


@dataclass(frozen=True)
class Change:
    """A commit whose verdict is another than those of its parents."""

    commit: git.Commit
    row: Row
    was: Row | None  # the verdict there; None where none is known


def title(row: Row) -> str:
    """Block and configuration."""
    return f"{row['block']} {row['config']}".strip()


def is_good(row: Row) -> bool:
    """Is nothing wrong with it?"""
    return row["verdict"] in ("PASS", ABSENT)


def changes(rows: Rows, commits: Sequence[git.Commit]) -> list[Change]:
    """Where a verdict goes bad and where it is mended, by the parents of commits: what does not
    build counts, and what comes behind it is compared with what was before it."""
    by_id = {commit.id: commit for commit in commits}
    known = {(row["commit"], title(row)): row for row in rows}

    def before(commit: git.Commit, name: str) -> Iterator[Row]:
        for parent in (by_id[each] for each in commit.parents if each in by_id):
            row = known.get((parent.id, name))
            if row is None or row["verdict"] == BROKEN:
                yield from before(parent, name)
            else:
                yield row

    found = []
    for row in rows:
        earlier = list(before(by_id[row["commit"]], title(row)))
        alike = [each for each in earlier if each["verdict"] == row["verdict"]]
        bad = [each for each in earlier if not is_good(each)]
        if (bad and is_good(row)) or (not alike and not is_good(row)):
            was = (bad or earlier or [None])[0]
            found.append(Change(by_id[row["commit"]], row, was))
    return found


def settled(rows: Rows) -> str:
    """How many verdicts which step has settled, and at what cost."""
    counts = Counter(row["settled_by"] for row in rows)
    seconds = {step: sum(r["seconds"] for r in rows if r["settled_by"] == step) for step in STEPS}
    words = {"same": "as a commit before", "proved": "proved equal", "simulated": "simulated"}
    words["none"] = "without RTL to judge"
    parts = []
    for step in (each for each in STEPS if counts[each]):
        cost = f" ({seconds[step]:.0f} s)" if seconds[step] >= 1 else ""
        parts.append(f"{counts[step]} {words[step]}{cost}")
    return f"{len(rows)} verdicts: " + ", ".join(parts)


def first(row: Row) -> str:
    """The first difference, or why there is no verdict, in one line."""
    if "first" in row:
        return entries.difference(row["first"], row.get("seed"))
    return row.get("message", "")


def shrunk(row: Row) -> str:
    """How short the stimulus is that shows the failure."""
    cycles = row["shrunk"]["cycles"]
    return f"shrunk to {cycles} cycle{'s' if cycles != 1 else ''}"


def columns(titles: Sequence[str]) -> dict[str, str]:
    """Short names of blocks and configurations: the block's, as far as one has one."""
    blocks = [name.split()[0] for name in titles]
    return {
        name: b if blocks.count(b) == 1 else name for name, b in zip(titles, blocks, strict=True)
    }


def text(rows: Rows, commits: Sequence[git.Commit]) -> str:
    """A row a commit, a column a block and configuration; then what went bad, and until when."""
    names = columns(list(dict.fromkeys(map(title, rows))))
    table = report.Table("commit", "subject", *names.values())
    cells = {(row["commit"], title(row)): _cell(row) for row in rows}
    for commit in commits:
        subject = commit.subject[:SUBJECT]
        table.add(commit.short, subject, *(cells.get((commit.id, each)) for each in names))
    lines = [table.render(), ""]
    for each in changes(rows, commits):
        word = "mended" if is_good(each.row) else each.row["verdict"]
        lines.append(f"{names[title(each.row)]}: {word} in {each.commit.title}")
        if not is_good(each.row):
            lines += [f"  {first(each.row)}"] if first(each.row) else []
            lines += [f"  repeat: {each.row['repro']}"] if "repro" in each.row else []
    return "\n".join([*lines, settled(rows)])


def _cell(row: Row) -> str:
    if row["verdict"] == ABSENT:
        return "-"
    step = "" if row["settled_by"] == "none" else f" ({row['settled_by']})"
    named = f" [{row['profile']}]" if "profile" in row else ""
    return f"{report.with_gaps(row['verdict'], row)}{step}{named}"


def markdown(rows: Rows, commits: Sequence[git.Commit]) -> str:
    """For a comment on a pull request."""
    last = {title(row): row for row in rows}
    bad = [each for each in last.values() if not is_good(each)]
    head = f"{len(bad)} of {len(last)} fail" if bad else f"all {len(last)} pass"
    lines = [f"### warplock: {head} at `{commits[-1].short}`", ""]
    lines += ["| block | verdict | settled by | since |", "|---|---|---|---|"]
    begun = [each for each in changes(rows, commits) if not is_good(each.row)]
    since = {title(each.row): each.commit for each in begun}
    for name, row in last.items():
        commit = since.get(name) if not is_good(row) else None
        when = f"`{commit.short}` {_escaped(commit.subject)}" if commit is not None else ""
        verdict = report.with_gaps(row["verdict"], row)
        lines.append(f"| {name} | {verdict} | {row['settled_by']} | {when} |")
    for row in bad:
        lines += ["", f"**{title(row)}**: {_escaped(first(row))}"]
        lines += ["", "```", row["repro"], "```"] if "repro" in row else []
    return "\n".join([*lines, "", settled(rows)]) + "\n"


def _escaped(text: str) -> str:
    """Text that Markdown takes as it is, in a cell of a table."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in text)


def junit(rows: Rows, commits: Sequence[git.Commit], began: str = "") -> str:
    """JUnit XML: a suite a block and configuration, a case a commit."""
    by_id = {commit.id: commit for commit in commits}
    suites: dict[str, list[Case]] = {}
    for row in rows:
        suites.setdefault(title(row), []).append(_case(row, by_id[row["commit"]].title))
    return xml.render("warplock regress", suites, began)


def _case(row: Row, name: str) -> Case:
    if row["verdict"] == ABSENT:
        return Case(name, row["seconds"], xml.SKIPPED, message=row.get("message", ""))
    if is_good(row):
        verdict = report.with_gaps(row["verdict"], row)
        return Case(name, row["seconds"], out=f"{verdict}, settled by: {row['settled_by']}")
    seed = f"seed {row['seed']}\n" if "seed" in row else ""
    text = f"{first(row)}\n{seed}{row.get('repro', '')}"
    kind = xml.FAILURE if row["verdict"] in entries.COMPARED else xml.ERROR
    return Case(name, row["seconds"], kind, row["verdict"], first(row), text)


def write(path: Path, content: str) -> None:
    """A report where the user wants it."""
    with outputs.atomic_write(path) as file:
        file.write(content)
