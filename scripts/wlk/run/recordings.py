# SPDX-License-Identifier: Apache-2.0
"""Recordings of the real designs, checked in one go: CSV files played, waveforms checked.

Which block a recording belongs to is decided by its ports, not by its name; recordings of designs
that have no table yet are counted and left alone. Parameters are inferred as `check` does. A file
NAME.toml beside NAME.csv.xz or NAME.fst, lines `parameter = value`, names those that it holds.
Recordings of GPGPU-Sim's operand collector are text (opndcoll_replay.py), and have a table apart.
"""

import functools
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .. import tables
from ..base import folders, progress, report, setup, toml
from ..base.entries import Entry
from ..base.errors import Status, WlkError
from ..base.installed import COMMAND, INSTALLED
from ..base.report import Mismatch, Result, broken_rule
from ..fit import csv, match, rivals
from ..fit.scopes import Check
from . import check, opndcoll_replay, vectors

PATTERNS = ("*.csv.xz", "*.csv", "*.fst", "*.vcd")
WAVES = (".fst", ".vcd")
_ENDING = re.compile(r"\.(csv(\.xz)?|fst|vcd)$")
_NOT_ITS_OWN = {
    Status.INTERRUPTED,
    Status.NO_TOOL,
    Status.NO_SPACE,
    Status.NO_MEMORY,
    Status.BAD_CONFIG,  # of the file beside it
}

# Of an answer.
KEPT = ("inferred_behaviour", "candidates", "readings", "outputs", "not_compared")
KEPT += ("shares", "constants", "masked_bits_from_zero")


def folder(given: Path | None) -> Path | None:
    """Where recordings are: as given, $WLK_TRACES, or shared/traces beside the checkout."""
    if named := given or os.environ.get("WLK_TRACES"):
        if not Path(named).is_dir():
            hint = "check --recordings" if given else "correct WLK_TRACES, or unset it"
            raise WlkError(Status.NO_FILE, f"{named}: no such folder; {hint}")
        return Path(named)
    place = setup.ROOT.parent / "shared" / "traces"
    return place if place.is_dir() and not INSTALLED else None


def require(given: Path | None) -> None:
    """NO_FILE, or VACUOUS, when the folder that somebody named is not one of recordings."""
    place, named = folder(given), given or os.environ.get("WLK_TRACES")
    if place and named and not _files(place) and not any(opndcoll_replay.recordings(place)):
        message = f"{place}: no recording in it (NAME.fst, NAME.vcd, NAME.csv[.xz])"
        by = "--recordings" if given is not None else "WLK_TRACES"
        raise WlkError(Status.VACUOUS, f"{message}; correct {by}")


def _files(place: Path) -> list[Path]:
    return [path for path in folders.below(place) if any(map(path.match, PATTERNS))]


def _once(files: Sequence[Path]) -> list[Path]:
    """Those of different recordings: a CSV file beside a waveform of its name is left out."""
    stem = lambda path: path.with_name(_ENDING.sub("", path.name))  # noqa: E731
    waves = {stem(path) for path in files if path.suffix in WAVES}
    return [path for path in files if path.suffix in WAVES or stem(path) not in waves]


def entries(results: Sequence[Result]) -> list[Entry]:
    """As others see them."""
    return [
        Entry(
            r.json(),
            " ".join(x for x in (r.extra["recording"], r.scope) if x and x != "-"),
            r.extra.get("report", ""),
        )
        for r in results
    ]


def check_folder(place: Path, asked: Check) -> int:
    """Check every recording in a folder; the exit code is that of the worst verdict."""
    results = check_all(place, asked.json, accept=asked.accept_inferred, power_up=asked.power_up)
    asked.entries += entries(results)
    if not results:
        message = f"{place}: no recording of a block in it (NAME.fst, NAME.vcd, NAME.csv[.xz])"
        raise WlkError(Status.VACUOUS, message)
    return int(report.exit_code(results))


def check_all(
    given: Path | None,
    as_json: bool,
    *,
    accept: bool,
    jobs: int | None = None,
    brief: bool = False,
    power_up: str = "unknown",
) -> list[Result]:
    """Check every recording found and print a table. `accept`: parameters that only the behaviour
    shows. `jobs`: at a time. `brief`: each recording once, a row for each block, and what fails."""
    stream = sys.stderr if as_json else sys.stdout
    place = folder(given)
    if place is None:
        message = "no recordings of real designs found; name their folder with --recordings"
        print(f"\n{message}", file=stream)
        return []
    files = _once(_files(place)) if brief else _files(place)
    checked: dict[Path, list[Result]] = {}
    with progress.Progress("recordings", len(files)) as line:
        jobs = jobs or progress.processors()
        tick = lambda: line.update(len(checked))  # noqa: E731
        ask = lambda path: list(_checked(path, accept, power_up))  # noqa: E731
        checked |= progress.parallel(ask, files, jobs, tick)
    results = [result for path in files for result in checked[path]]
    others = sum(not checked[path] for path in files)
    if brief:
        each = f"each file by itself: {COMMAND} check {place}"
        print(f"\nrecordings of the real designs ({each})", file=stream)
    else:
        print(f"\nrecordings of the real designs in {place}", file=stream)
        _table(results).print(stream)
    for r in results:
        if "error" in r.extra:
            print(f"{r.extra['recording']}: {r.extra['error']['message']}", file=stream)
        elif r.verdict != Status.OK:
            print(r.extra.get("report", ""), file=stream)
    for result in results if as_json else ():
        report.json_line(result.json())
    results += _replays(place, as_json, stream, brief)
    if brief:
        _summary(results).print(stream)
    _say_masked(results, stream)
    if others:
        print(f"{others} recordings are of designs without a table here", file=stream)
    return results


def _say_masked(results: Sequence[Result], stream: Any) -> None:
    """For each block: recordings of which another initial state compares more."""
    found = [r for r in results if "masked_bits_from_zero" in r.extra]
    for block in sorted({r.block for r in found}):
        own = [r for r in found if r.block == block]
        masked = sum(r.masked_bits for r in own)
        bits = masked + sum(r.compared_bits for r in own)
        then = sum(r.extra["masked_bits_from_zero"] for r in own)
        names = ", ".join(sorted({r.extra["recording"] for r in own}))
        print(f"{block}: {names}: {check.masked_from_zero(bits, masked, then)}", file=stream)


def _summary(results: Sequence[Result]) -> report.Table:
    """A row a block. Replays are compared by line, not by bit."""
    table = report.Table("block", "recordings", "cycles", "compares", "masked", "verdict")
    for block in sorted({r.block for r in results}):
        own = [r for r in results if r.block == block]
        bits = [sum(r.compared_bits for r in own), sum(r.masked_bits for r in own)]
        bits = bits if any(bits) else [None, None]
        verdict = report.exit_code(own)
        lacking = sum(bool(report.gaps(r.extra)) for r in own)
        if lacking and verdict == Status.OK:
            verdict = f"PASS ({lacking} without some outputs)"
        table.add(block, len(own), sum(r.cycles for r in own), *bits, verdict)
    return table


def _table(results: Sequence[Result]) -> report.Table:
    """A row a recording and block."""
    table = report.Table("recording", "block", "scope", "cycles", "compares", "masked", "verdict")
    for r in results:
        name = r.extra["recording"]
        verdict = report.verdict_cell(r.verdict, r.extra)
        table.add(name, r.block, r.scope, r.cycles, r.compared_bits, r.masked_bits, verdict)
    return table


def _replays(place: Path, as_json: bool, stream: Any, brief: bool) -> list[Result]:
    """Replay every recording of GPGPU-Sim's collector; print a table, or an object each."""
    found = list(opndcoll_replay.recordings(place))
    if not found:
        return []
    table = report.Table("recording", "revision", "options", "steps", "lines", "verdict")
    results, differences = [], []
    with progress.Progress("replays", len(found)) as line:
        for number, each in enumerate(found):
            line.update(number, each.events.name)
            try:
                verdict, answer = each.check()
            except WlkError as error:
                verdict, answer = _kept(error).status, {"steps": 0, "lines": 0}
                answer |= {"verdict": error.status.name, "error": error.json()}
            name, replay = each.events.name, each.replay
            row = {"recording": name, "revision": replay.revision}
            row |= {"options": replay.configs[0].name}
            table.add(*row.values(), answer["steps"], answer["lines"], verdict)
            extra = {"recording": name}
            if "error" in answer:
                extra["error"] = answer["error"]
                differences.append(f"{name}: {answer['error']['message']}")
            elif verdict != Status.OK:
                where = (replay.stimulus, each.events)
                extra["report"] = opndcoll_replay.difference(answer, *where)
                differences.append(extra["report"])
            results.append(
                Result(block="opndcoll", cycles=answer["steps"], verdict=verdict, extra=extra)
            )
            if as_json:
                report.json_line({"block": "opndcoll"} | row | answer)
    if not brief:
        print("\nrecordings of GPGPU-Sim's operand collector, line by line", file=stream)
        table.print(stream)
    for text in differences:
        print(text, file=stream)
    return results


def _result(answer: dict[str, Any], path: Path, verdict: Status, text: str) -> Result:
    return Result(
        block=answer["block"],
        scope=answer["scope"],
        config=answer["config"],
        cycles=answer["cycles"],
        compared_bits=answer["compared_bits"],
        masked_bits=answer["masked_bits"],
        verdict=verdict,
        first=Mismatch.of(answer.get("first", {})),
        rule=broken_rule(answer.get("first", {})),
        extra={"recording": path.name}
        | {k: answer[k] for k in KEPT if k in answer}
        | ({"report": text} if text else {}),
    )


def _beside(path: Path) -> dict[str, str]:
    """The parameters in NAME.toml beside the recording."""
    beside = path.with_name(path.name.partition(".")[0] + ".toml")
    if not beside.is_file():
        return {}
    try:
        values = toml.load(beside)
    except toml.BadTomlError as error:
        raise WlkError(Status.BAD_CONFIG, f"{beside}: {error}") from error
    return {key: str(value) for key, value in values.items()}


def _kept(error: WlkError) -> WlkError:
    """An error of one recording, which the others outlive; raises those that are not its own."""
    if error.status in _NOT_ITS_OWN:
        raise error
    return error


def _checked(path: Path, accept: bool, power_up: str) -> Iterator[Result]:
    """What a recording answers; one that cannot be read has a row of its own with the reason."""
    try:
        one = _wave if path.suffix in WAVES else _csv
        yield from one(path, accept, power_up)
    except WlkError as error:
        extra = {"recording": path.name, "error": _kept(error).json()}
        yield Result(block="-", scope="-", verdict=error.status, extra=extra)


def _csv(path: Path, accept: bool, power_up: str) -> Iterator[Result]:
    shapes = csv.read_ports(path)
    given = _beside(path)
    known = [tables.load(name) for name in tables.names()]
    fitting = [t for t in known if match.fits(t, shapes, clock=False)]
    found = [match.match(table, shapes, clock=False) for table in fitting]
    found = rivals.unbeaten(found, rivals.explains_more)
    found = rivals.likeliest(found, rivals.are_rivals, rivals.is_legal)
    ask = functools.partial(_csv_result, path, given=given, accept=accept, power_up=power_up)
    played = [(m, *ask(m.table.name)) for m in found]
    compete = lambda a, b: rivals.are_rivals(a[0], b[0])  # noqa: E731
    yield from (result for _, _, result in rivals.best(played, compete, lambda each: each[1]))


def _csv_result(
    path: Path, name: str, given: dict[str, str], accept: bool, power_up: str
) -> tuple[tuple, Result]:
    """A recording played as one block, and how well that explains it."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / (path.name + ".wlv")
        asked = vectors.Import(
            path, out, name, config=given, accept_inferred=True, power_up=power_up
        )
        done = asked.make()
        header = done.header
        table = vectors.check_schema(header)
        config = vectors.check_config(header, table)
        played = vectors.play(header, table, config)
        answer = played.result | {"scope": "-", "config": done.config} | done.search
        answer |= done.compared
        verdict, text = played.verdict, played.report
        if verdict == Status.OK and "readings" in done.search and not accept:
            verdict, text = Status.AMBIGUOUS, "\n".join([f"{path.name}: AMBIGUOUS", *done.readings])
        result = _result(answer, path, verdict, text)
        return rivals.rank(table, answer), result


def _wave(path: Path, accept: bool, power_up: str) -> Iterator[Result]:
    blocks = [tables.load(name) for name in tables.names()]
    try:
        asked = Check(str(path), config=_beside(path), accept_inferred=accept, power_up=power_up)
        for item in check.check(asked, blocks):
            yield _result(item.answer, path, item.verdict, item.text)
    except WlkError as error:
        if error.status != Status.NO_SCOPE:
            raise
