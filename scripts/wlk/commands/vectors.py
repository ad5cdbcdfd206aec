# SPDX-License-Identifier: Apache-2.0
"""`warplock vectors`: files of stimulus and expected values, made once and played anywhere."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..base import options, report
from ..base.errors import Status, WlkError

EXAMPLE = """warplock vectors gen collector saturate.wlv --profile saturate --cycles 100000
warplock vectors play saturate.wlv"""
HIGHEST = 2**64 - 1
CYCLES = 10_000


def add(subparsers: Any) -> None:
    """Add the subcommand's parser, and those of its own subcommands."""
    summary = "make, play, print and import vector files (stimulus with expected values)"
    parser = options.add_parser(subparsers, "vectors", summary, EXAMPLE)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _add_gen(actions)
    _add_play(actions)
    _add_dump(actions)
    _add_import(actions)
    _add_info(actions)
    _add_golden(actions)


def _action(actions: Any, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    """An action; the common options work behind its name too."""
    parser = actions.add_parser(
        name,
        help=summary,
        description=summary[:1].upper() + summary[1:] + ".",
        epilog=f"example:\n  warplock vectors {name} {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    for option in ("--json", "--no-setup"):
        text = "as in `warplock vectors --help`"
        parser.add_argument(option, action="store_true", default=argparse.SUPPRESS, help=text)
    return parser


def _add_power_up(parser: argparse.ArgumentParser) -> None:
    text = "what no reset reaches, at the start: unknown (not compared) or zero"
    parser.add_argument("--power-up", choices=("unknown", "zero"), default="unknown", help=text)


def _add_gen(actions: Any) -> None:
    example = "collector c.wlv --config num_lanes=4 --seed 7 --cycles 1e5"
    parser = _action(actions, "gen", "generate a file from a seed", example)
    parser.add_argument("block", metavar="BLOCK")
    parser.add_argument("out", metavar="OUT", type=Path)
    parser.add_argument("--seed", type=options.number(0, HIGHEST), default=1, metavar="S")
    parser.add_argument(
        "--profile", default="mix", help="kind of stimulus (default: mix, phases of all)"
    )
    parser.add_argument("--cycles", type=options.number(1, HIGHEST), default=CYCLES, metavar="N")
    parser.add_argument(
        "--small", action="store_true", help="smallest file instead of fastest writing"
    )
    options.add_force(parser)
    _add_power_up(parser)
    options.add_settings(parser, "a parameter; may be given several times")


def _add_play(actions: Any) -> None:
    parser = _action(actions, "play", "run the model on files and compare", "c.wlv")
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    options.add_settings(parser, "refuse a file that was made with another value")
    rtl = parser.add_argument_group("drive RTL, too")
    rtl.add_argument("--rtl", action="append", type=Path, default=[], metavar="PATH")
    rtl.add_argument("--module", metavar="NAME", help="module to drive, if its name differs")
    rtl.add_argument("--define", action="append", default=[], metavar="NAME[=VALUE]")
    rtl.add_argument("--include", action="append", type=Path, default=[], metavar="DIR")
    options.add_tie(rtl)


def _add_dump(actions: Any) -> None:
    summary = "print records as JSON lines; values in hexadecimal"
    parser = _action(actions, "dump", summary, "c.wlv --from 10 --to 12")
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--from", dest="first", type=options.number(), default=0, metavar="A")
    parser.add_argument(
        "--to", dest="last", type=options.number(), metavar="B", help="last cycle (default: all)"
    )


def _add_import(actions: Any) -> None:
    example = "--csv collector_A.csv.xz a.wlv --block collector"
    parser = _action(actions, "import", "make a file from a recording", example)
    parser.add_argument("--csv", metavar="FILE[.xz]", type=Path, required=True)
    parser.add_argument("out", metavar="OUT", type=Path)
    parser.add_argument("--block", required=True)
    options.add_force(parser)
    _add_power_up(parser)
    options.add_settings(parser, "a parameter that the ports do not show")
    parser.add_argument("--strict", action="store_true", help=options.STRICT)


def _add_info(actions: Any) -> None:
    parser = _action(actions, "info", "print what files say of themselves", "c.wlv")
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)


def _add_golden(actions: Any) -> None:
    summary = "check the golden files of this checkout against the model, or write them"
    parser = _action(actions, "golden", summary, "--write")
    parser.add_argument("--write", action="store_true", help="write the files and their manifest")


def refuse(args: argparse.Namespace) -> None:
    """Names that nothing has."""
    from .. import tables
    from ..run import vectors

    if args.action in ("gen", "import"):
        vectors.refuse(args.out, args.force)
    if args.action == "gen":
        table = tables.load(args.block)
        table.require_profile(args.profile)
        table.config(dict(args.config))
    if args.action == "play" and args.tie and not args.rtl:
        raise WlkError(Status.USAGE, "--tie goes with --rtl: the file lacks no input")


def needs(args: argparse.Namespace) -> tuple[str, ...]:
    """What is to be there before it runs."""
    return ("build", "verilate", "rtl") if getattr(args, "rtl", None) else ("build",)


def run(args: argparse.Namespace) -> int:
    """Do one action."""
    actions = {
        "gen": _gen,
        "play": _play,
        "dump": _dump,
        "import": _import,
        "info": _info,
        "golden": _golden,
    }
    return actions[args.action](args)


def _say_file(header: Any, as_json: bool, **more: Any) -> None:
    if as_json:
        report.json_line(header.json() | more)
        return
    size = header.json()["bytes"]
    print(f"{header.path}: {header.cycles:,} cycles of {header.block}, {size:,} bytes")


def _warn(header: Any) -> None:
    from ..run import vectors

    table = vectors.check_schema(header)
    report.warn(table.warnings(table.config(dict(header.config))))


def _gen(args: argparse.Namespace) -> int:
    from ..run import vectors

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
    from ..run import vectors

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
    from ..run import harness, lockstep

    path = header.path
    result = lockstep.replay(port_table, config, path, header.power_up, args)
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
    from ..run import vectors

    vectors.dump(vectors.read_header(args.file), args.first, args.last)
    return 0


def _import(args: argparse.Namespace) -> int:
    from ..run import vectors

    given = (args.csv, args.out, args.block, args.config, args.power_up)
    done = vectors.import_csv(*given, force=args.force, strict=args.strict)
    for note in done.notes:
        print(f"  {note}", file=sys.stderr if args.json else sys.stdout)
    _warn(done.header)
    _say_file(done.header, args.json, notes=done.notes, **done.search)
    return 0


def _info(args: argparse.Namespace) -> int:
    from ..run import vectors

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
    from ..run import vectors

    try:
        table = vectors.check_schema(header)
        return table.show(vectors.check_config(header, table, {}))
    except WlkError:
        return header.config


def _golden(args: argparse.Namespace) -> int:
    from ..run import goldens

    return goldens.write() if args.write else goldens.check(args.json)
