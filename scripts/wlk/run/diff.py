# SPDX-License-Identifier: Apache-2.0
"""`vectors diff`: where two vector files of one block differ."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import options, report
from ..base.errors import Status, WlkError
from ..base.options import Command, operand, option
from ..tables import Config, Table
from . import tools, vectors
from .vectors import Header

SIDES = {"in": "inputs", "out": "expected values", "care": "care"}


@dataclass
class Diff(Command):
    """Compare two files: what they are, and their records port by port."""

    NAME = "diff"
    EXAMPLE = "warplock vectors diff yesterday.wlv today.wlv"

    first: Path = operand("A", type=Path)
    second: Path = operand("B", type=Path)
    lines: int = option(
        10, "cycles shown of those that differ (default: 10)", type=options.number(), metavar="N"
    )

    def run(self) -> int:
        """0 when all records are equal, FUNCTIONAL_MISMATCH when they are not."""
        headers = [vectors.read_header(path) for path in (self.first, self.second)]
        table, config = _common(*headers)
        differing = _headers(table, *headers)
        words = ["diff", table.name, *(each.path for each in headers), self.lines]
        label = f"comparing {self.first} and {self.second}"
        answer = tools.run(vectors.PROGRAM, [*words, *table.words(config)], label=label)
        *shown, found = map(json.loads, answer.output.splitlines())
        cycles = [each.cycles for each in headers]
        is_equal = cycles[0] == cycles[1] and not any(found["differ"].values())
        verdict = Status.OK if is_equal else Status.FUNCTIONAL_MISMATCH
        names = [str(each.path) for each in headers]
        result = {"files": names, "block": table.name, "header": differing, "cycles": cycles}
        result |= found | {"shown": shown, "verdict": report.verdict_name(verdict)}
        if self.json:
            report.json_line(result)
        else:
            _print(result)
        return int(verdict)


def _common(a: Header, b: Header) -> tuple[Table, Config]:
    """The table and a configuration that both files' records have; BAD_SCHEMA or BAD_PARAMS when
    they have none, so that there is nothing to compare."""
    if a.block != b.block:
        message = f"{a.path} has records of block {a.block}, {b.path} of {b.block}"
        raise WlkError(Status.BAD_SCHEMA, f"{message}; give two files of one block")
    mine, other = a.text["schema"], b.text["schema"]
    if mine != other:
        message = f"the port table of {a.block} is {mine} in {a.path} and {other} in {b.path}"
        raise WlkError(Status.BAD_SCHEMA, f"{message}; {_older(a, b)}")
    tables = [vectors.check_schema(each) for each in (a, b)]
    configs = [vectors.check_config(*pair) for pair in zip((a, b), tables, strict=True)]
    both = [*zip(tables, configs, strict=True)]
    shapes = [[(p.name, p.width, p.word, p.lsb) for p in t.ports(c)] for t, c in both]
    if shapes[0] != shapes[1]:
        changed = _changed(*(table.show(config) for table, config in both))
        names = ", ".join(f"{key}: {x} and {y}" for key, (x, y) in changed.items())
        message = f"{a.path} and {b.path} have other ports ({names or 'of their payloads'})"
        raise WlkError(Status.BAD_PARAMS, f"{message}; give two files of one configuration")
    return both[0]


def _older(a: Header, b: Header) -> str:
    """What to do about files of two tables."""
    for each in (a, b):
        try:
            vectors.check_schema(each)
        except WlkError as error:
            return f"of {each.path}: {error.message.rpartition('; ')[2]}"
    return "make both again"


def _changed(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, list[Any]]:
    """What two mappings have by the same key, where it differs."""
    keys = dict.fromkeys([*a, *b])
    return {key: [a.get(key), b.get(key)] for key in keys if a.get(key) != b.get(key)}


def _headers(table: Table, a: Header, b: Header) -> dict[str, list[Any]]:
    """Where the headers differ; parameters each by itself."""
    texts = [{k: v for k, v in each.text.items() if k != "config"} for each in (a, b)]
    shown = [table.show(table.config(dict(each.config))) for each in (a, b)]
    return _changed(*texts) | {f"config.{k}": v for k, v in _changed(*shown).items()}


def _print(result: Mapping[str, Any]) -> None:
    first, second = result["files"]
    print(f"A: {first}\nB: {second}")
    table = report.Table("header", "A", "B")
    for key, values in result["header"].items():
        table.add(key, *("-" if value is None else str(value) for value in values))
    if result["cycles"][0] != result["cycles"][1]:
        table.add("cycles", *result["cycles"])
    if table.rows:
        table.print()
    table = report.Table("cycle", *(f"{name} A|B" for name in SIDES.values()))
    for record in result["shown"]:
        table.add(record["cycle"], *(_cell(record[side]) for side in SIDES))
    if table.rows:
        table.print()
    counts = [f"{count:,} in {SIDES[side]}" for side, count in result["differ"].items() if count]
    cycles = f"{result['compared']:,} cycles"
    print(f"of {cycles} differ {', '.join(counts)}" if counts else f"{cycles} are equal")


def _cell(ports: Mapping[str, list[str]]) -> str | None:
    """The first port that differs, and how many more do."""
    if not ports:
        return None
    (name, values), *more = ports.items()
    text = f"{name} {'|'.join(value.removeprefix('0x') for value in values)}"
    return f"{text} (+{len(more)})" if more else text
