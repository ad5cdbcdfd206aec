# SPDX-License-Identifier: Apache-2.0
"""Digests of vectors that are too many for a repository: what each named configuration of each
block makes of a few seeds, pinned as SHA-256 in vectors/golden/DIGESTS.jsonl.

A line is a configuration: `block`, `config` (its name), `cycles` of each seed, `model_version`, and
`sha256`, by seed. What is digested: docs/record-format.md.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .. import tables
from ..base import outputs, progress, report
from ..base.entries import Entry as Run
from ..base.errors import Status
from . import goldens, tools, vectors

MANIFEST = "DIGESTS.jsonl"
CYCLES = 20_000
SEEDS = (1, 2)
PROFILE, POWER_UP = "mix", "unknown"
REPEAT = f"{goldens.REPEAT} --digests"
KEYS = ("block", "config", "cycles", "model_version", "sha256")

Entry = dict[str, Any]


def read(folder: Path = goldens.FOLDER) -> list[Entry]:
    """The entries; CORRUPT names the line that is none, NO_FILE when there is no manifest."""
    return goldens.read_lines(folder / MANIFEST, KEYS)


def wanted() -> Iterator[Entry]:
    """An entry for each named configuration, without its digests."""
    for name in tables.names():
        table = tables.load(name)
        for config in table.configs:
            version = {"model_version": table.model_version}
            yield {"block": name, "config": config, "cycles": CYCLES, **version, "sha256": {}}


def make(entry: Entry) -> dict[str, str]:
    """The digests of an entry, by seed, as the model makes them now."""
    table = tables.load(entry["block"])
    words = table.words(table.config(table.configs[entry["config"]]))
    made = {}
    for seed in SEEDS:
        given = ["records", table.name, seed, PROFILE, entry["cycles"], POWER_UP, *words]
        made[str(seed)] = tools.digest(vectors.PROGRAM, given)
    return made


def examine(entry: Entry) -> str:
    """What is wrong with an entry, or nothing."""
    name = entry["config"]
    if entry["block"] not in tables.names() or name not in tables.load(entry["block"]).configs:
        return "there is no such configuration"
    found = make(entry)
    wrong = [seed for seed in found if found[seed] != entry["sha256"].get(seed)]
    if not wrong:
        return ""
    version = tables.load(entry["block"]).model_version
    text = f"other records with seed {' and '.join(wrong)}"
    if version != entry["model_version"]:
        text += f"; made by version {entry['model_version']} of the model, this is {version}"
    return text


def _each(function: Callable[[Entry], Any], entries: Sequence[Entry], jobs: int) -> list[Any]:
    """What a function answers for each entry, with a progress line."""
    answers: dict[int, Any] = {}
    with progress.Progress("digests of configurations", len(entries)) as line:
        calls = progress.parallel(
            lambda n: function(entries[n]),
            range(len(entries)),
            jobs,
            lambda: line.update(len(answers)),
        )
        answers.update(calls)
    return [answers[n] for n in range(len(entries))]


def check(
    as_json: bool, jobs: int, folder: Path | None = None, runs: list[Run] | None = None
) -> int:
    """Check every entry, each a run for a report, and that each named configuration has one; 0 when
    all is as it was."""
    entries = read(folder or goldens.FOLDER)
    known = {(entry["block"], entry["config"]) for entry in entries}
    lacking = [e for e in wanted() if (e["block"], e["config"]) not in known]
    troubles = [*_each(examine, entries, jobs), *(f"not in {MANIFEST}" for _ in lacking)]
    return _show([*entries, *lacking], troubles, as_json, [] if runs is None else runs)


def _show(entries: Iterable[Entry], troubles: Iterable[str], as_json: bool, runs: list[Run]) -> int:
    table = report.Table("block", "config", "cycles", "trouble")
    pairs = [*zip(entries, troubles, strict=True)]
    for entry, trouble in pairs:
        status = Status.FUNCTIONAL_MISMATCH if trouble else Status.OK
        line = {"block": entry["block"], "config": entry["config"]}
        line |= {"verdict": report.verdict_name(status)}
        line |= {"trouble": trouble} if trouble else {}
        told = line | {"config": None}
        runs.append(Run(told, entry["config"], trouble, REPEAT if trouble else ""))
        if as_json:
            report.json_line(line)
        elif trouble:
            table.add(entry["block"], entry["config"], entry["cycles"], trouble)
    wrong = sum(bool(trouble) for _, trouble in pairs)
    if not as_json:
        if table.rows:
            table.print()
        digests = len(SEEDS) * (len(pairs) - wrong)
        print(f"{digests:,} digests are as pinned, {wrong} configurations are not")
    return int(Status.FUNCTIONAL_MISMATCH if wrong else Status.OK)


def write(jobs: int, folder: Path = goldens.FOLDER) -> int:
    """Write the manifest anew."""
    entries = [*wanted()]
    for entry, made in zip(entries, _each(make, entries, jobs), strict=True):
        entry["sha256"] = made
    with outputs.atomic_write(folder / MANIFEST) as file:
        file.writelines(json.dumps(entry) + "\n" for entry in entries)
    print(f"{folder / MANIFEST}: {len(SEEDS) * len(entries):,} digests")
    return 0
