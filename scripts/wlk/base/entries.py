# SPDX-License-Identifier: Apache-2.0
"""The runs of a command as they are shown outside of the terminal: on a page, in a CI system."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import report
from .errors import Status

GOOD, BAD, ERROR, SKIPPED = "good", "bad", "error", "skipped"
PASSES = {"PASS", "PROVED"}
# Verdicts of a comparison; any other word is an error that kept a run from one.
COMPARED = {
    *("FUNCTIONAL_MISMATCH", "TIMING_DIVERGENCE", "PROTOCOL_VIOLATION", "HANG", "RTL_ASSERTION"),
    *("VACUOUS", "IFACE_CHANGED", "NO_RESET", "AMBIGUOUS"),
    *("REFUTED", "BOUNDED", "UNUSED_WAIVER"),
}
UNFINISHED = "NOT_FINISHED"
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Entry:
    """A run."""

    answer: Mapping[str, Any]  # its JSON object
    name: str  # configuration, scope or file
    text: str = ""  # the report of a failure
    repeat: str = ""  # the command that shows it again
    notes: Sequence[str] = ()
    seconds: float = 0.0
    word: str = ""  # in place of the verdict
    fate: str = ""  # where the verdict alone does not tell it
    first: Mapping[str, Any] = field(default_factory=dict)  # where the answer does not have it

    @property
    def block(self) -> str:
        return str(self.answer.get("block") or self.answer.get("module") or "-")

    @property
    def verdict(self) -> str:
        return self.word or self.answer["verdict"]

    @property
    def shown(self) -> str:
        """The verdict, and what it does not cover."""
        return report.with_gaps(self.verdict, self.answer)

    @property
    def kind(self) -> str:
        """GOOD, BAD, ERROR or SKIPPED."""
        usual = BAD if self.verdict in COMPARED else ERROR
        return self.fate or (GOOD if self.verdict in PASSES else usual)

    @property
    def is_failure(self) -> bool:
        return self.kind in (BAD, ERROR)

    @property
    def message(self) -> str:
        """The first difference, or else what is wrong, in one line; of a good run nothing."""
        if not self.is_failure:
            return ""
        answer, first = self.answer, self.answer.get("first") or self.first
        texts = (
            difference(first, answer.get("seed")) if first else "",
            assertion(answer["assertion"]) if "assertion" in answer else "",
            *(answer.get(key, "") for key in ("stuck", "why", "message", "trouble", "note")),
            answer.get("error", {}).get("message", ""),
            lacking(answer),
            *self.notes,
        )
        return next((line for text in texts for line in text.splitlines() if line), "")


def difference(first: Mapping[str, Any], seed: int | None = None) -> str:
    """The first difference of a run, or the rule that was broken first, in one line."""
    where = f"cycle {first['cycle']}" + (f" of seed {seed}" if seed is not None else "")
    if "rule" in first:
        return f"{where}: rule {first['rule']} is broken"
    if "got" not in first:
        return f"{where}: {first.get('port', 'no port named')}"
    return f"{where}: {first['port']} is {first['got']}, expected {first['expected']}"


def assertion(fired: Mapping[str, Any]) -> str:
    """What fired in the RTL, in one line."""
    place = f"{fired['file']}:{fired['line']}"
    return f"cycle {fired['cycle']}: {fired['kind']} in {place}: {fired['message']}"


def lacking(answer: Mapping[str, Any]) -> str:
    """What a run that is VACUOUS has not come to, in one line."""
    points = answer.get("coverage", {}).items()
    low = [name for name, p in points if isinstance(p, Mapping) and p["hits"] < p["floor"]]
    never = answer.get("never_compared", [])
    texts = [f"under their floors: {', '.join(low)}"] if low else []
    texts += [f"never compared: {report.named(never)}"] if never else []
    return "; ".join(texts)


@dataclass(frozen=True)
class Whole:
    """A command with its runs."""

    name: str  # lockstep
    command: str  # as it was typed
    began: str  # UTC
    seconds: float = 0.0
    code: int | None = None  # None: it has not ended
    message: str = ""  # of what ended it
    entries: Sequence[Entry] = ()
    words: Mapping[int, str] = field(default_factory=dict)  # of exit codes that mean another thing

    @property
    def word(self) -> str:
        """What its exit code means."""
        if self.code is None:
            return UNFINISHED
        known = self.code in iter(Status)
        usual = report.verdict_name(Status(self.code)) if known else "FAILED"
        return self.words.get(self.code, usual)

    @property
    def unexplained(self) -> bool:
        """It failed, and none of its runs says so."""
        return self.code != 0 and not any(entry.is_failure for entry in self.entries)


def counts(entries: Iterable[Entry]) -> dict[str, int]:
    """How many have each verdict: failures first, the most frequent first."""
    found: dict[tuple[str, str], int] = {}
    for entry in entries:
        key = (entry.kind, entry.verdict)
        found[key] = found.get(key, 0) + 1
    order = (ERROR, BAD, GOOD, SKIPPED)
    ranked = sorted(found.items(), key=lambda each: (order.index(each[0][0]), -each[1]))
    return {verdict: number for (_, verdict), number in ranked}


def legal(text: str) -> str:
    r"""Text without what neither XML nor UTF-8 can hold: that is written as \x1b, \udc80."""
    return _FORBIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
