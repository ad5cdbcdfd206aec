# SPDX-License-Identifier: Apache-2.0
"""What `warplock vectors` does, an action each, and prints."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from .. import tables
from ..base import options, report
from ..base.errors import Status, WlkError
from . import goldens, harness, lockstep, vectors
from .jobs import RtlSource


def refuse(args: argparse.Namespace) -> None:
    """Names that nothing has."""

    if args.action in ("gen", "import"):
        vectors.refuse(args.out, args.force)
    if args.action == "gen":
        table = tables.load(args.block)
        table.require_profile(args.profile)
        table.config(dict(args.config))
    if args.action == "play" and args.tie and not args.rtl:
        raise WlkError(Status.USAGE, "--tie goes with --rtl: the file lacks no input")


def _say_file(header: Any, as_json: bool, **more: Any) -> None:
    if as_json:
        report.json_line(header.json() | more)
        return
    size = header.json()["bytes"]
    print(f"{header.path}: {header.cycles:,} cycles of {header.block}, {size:,} bytes")


def _warn(header: Any) -> None:
    table = vectors.check_schema(header)
    report.warn(table.warnings(table.config(dict(header.config))))


def _gen(args: argparse.Namespace) -> int:
    header = vectors.gen(
        args.block,
        args.out,
        config=args.config,
        seed=args.seed,
        profile=args.profile,
        cycles=args.cycles,
        power_up=args.power_up,
        small=args.small,
        force=args.force,
    )
    _warn(header)
    _say_file(header, args.json)
    return 0


def _play(args: argparse.Namespace) -> int:
    table = report.Table("file", "block", "cycles", "compared bits", "masked bits", "verdict")
    verdicts: list[Status] = []
    for path in args.files:
        header = vectors.read_header(path)
        port_table = vectors.check_schema(header)
        config = vectors.check_config(header, port_table, args.config)
        vectors.check_model(header, port_table)
        report.warn(port_table.warnings(config))
        played = vectors.play(header, port_table, config)
        verdicts.append(played.verdict)
        sys.stderr.write(played.report)
        if args.json:
            report.json_line(played.result)
        numbers = [played.result[key] for key in ("cycles", "compared_bits", "masked_bits")]
        table.add(str(path), header.block, *numbers, played.verdict)
        if args.rtl:
            verdicts.append(_play_rtl(header, port_table, config, args, table))
    if not args.json:
        table.print()
    return int(report.worst(verdicts))


def _play_rtl(
    header: Any, port_table: Any, config: Any, args: argparse.Namespace, table: report.Table
) -> Status:
    """The file's inputs into the RTL; the bound checker compares it with the model."""
    path = header.path
    result = lockstep.replay(port_table, config, path, header.power_up, options.of(RtlSource, args))
    if args.json:
        report.json_line(result.json())
    numbers = (result.cycles, result.compared_bits, result.masked_bits)
    table.add(f"{path} -> {result.module}", result.block, *numbers, result.verdict)
    if result.first is not None:
        print(f"{path}: first difference {json.dumps(result.first.json())}", file=sys.stderr)
    for note in harness.notes(str(path), result.extra):
        print(note, file=sys.stderr)
    return result.verdict


def _dump(args: argparse.Namespace) -> int:
    vectors.dump(vectors.read_header(args.file), args.first, args.last)
    return 0


def _import(args: argparse.Namespace) -> int:
    given = (args.csv, args.out, args.block, args.config, args.power_up)
    done = vectors.import_csv(*given, force=args.force, strict=args.strict)
    for note in done.notes:
        print(f"  {note}", file=sys.stderr if args.json else sys.stdout)
    _warn(done.header)
    _say_file(done.header, args.json, notes=done.notes, **done.search)
    return 0


def _info(args: argparse.Namespace) -> int:
    for path in args.files:
        header = vectors.read_header(path)
        _say_file(header, args.json)
        if not args.json:
            shown = header.text | {"config": report.config_text(_config(header))}
            for key, value in shown.items():
                print(f"  {key}: {value}")
    return 0


def _config(header: Any) -> Mapping[str, Any]:
    """The file's configuration as one gives it; as the file has it where its table is not ours."""
    try:
        table = vectors.check_schema(header)
        return table.show(vectors.check_config(header, table, {}))
    except WlkError:
        return header.config


def _golden(args: argparse.Namespace) -> int:
    return goldens.write() if args.write else goldens.check(args.json)


ACTIONS = {
    "gen": _gen,
    "play": _play,
    "dump": _dump,
    "import": _import,
    "info": _info,
    "golden": _golden,
}
