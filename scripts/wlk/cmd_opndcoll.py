# SPDX-License-Identifier: Apache-2.0
"""`warplock opndcoll`: stimulus of GPGPU-Sim's operand collector, replayed on the model."""

from __future__ import annotations

import argparse
import contextlib
import json
import lzma
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import opndcoll_summary, options, report
from .errors import Status, WlkError

NEEDS = "run"
EXAMPLE = """warplock opndcoll core.stim.xz --config qv100.cfg --state --stats
warplock opndcoll core.stim.xz --config qv100.cfg --diff core.events.xz
warplock opndcoll core.stim.xz --config qv100.cfg --summary"""


def add(subparsers: Any) -> None:
    """Add the subcommand's parser."""
    summary = "replay stimulus of GPGPU-Sim's operand collector and print the events"
    parser = options.add_parser(subparsers, "opndcoll", summary, EXAMPLE)
    parser.add_argument(
        "stimulus", metavar="STIM", type=Path, help="commands, one a line; plain or .xz"
    )
    parser.add_argument(
        "--config",
        metavar="FILE.cfg",
        type=Path,
        help="options in GPGPU-Sim's own syntax (default: the simulator's defaults)",
    )
    parser.add_argument(
        "--revision",
        choices=("v40", "v42", "v32"),
        default="v40",
        help="GPGPU-Sim 4.0.0 (default), accel-sim's 4.2.0, or 3.2.2",
    )
    parser.add_argument("--state", action="store_true", help="print the state after each step")
    parser.add_argument("--stats", action="store_true", help="print the counters at the end")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--diff",
        metavar="EVENTS",
        type=Path,
        help="compare with a recording, plain or .xz, with states and counters if it has them",
    )
    instead.add_argument(
        "--summary",
        action="store_true",
        help="print statistics and no events: bank conflicts, occupancy, starvation, stalls",
    )


def run(args: argparse.Namespace) -> int:
    """Replay; print, compare, or count."""
    from . import tools

    _check(args)
    with contextlib.ExitStack() as stack:
        words: list[object] = ["--revision", args.revision, "--name", args.stimulus]
        words += ["--config", args.config] if args.config else []
        words += ["--state"] if args.state else []
        words += ["--stats"] if args.stats else []
        words += ["--summary"] if args.summary else []
        if args.diff is not None:
            words += ["--diff", stack.enter_context(_plain(args.diff))]
        words.append(stack.enter_context(_plain(args.stimulus)))
        capture = args.summary or args.diff is not None
        label = f"replaying {args.stimulus}"
        answer = tools.run("vectors/wlk-opndcoll", words, label=label, capture=capture)
    for line in answer.report.splitlines():
        print(line, file=sys.stderr)
    if args.summary:
        _summarize(json.loads(answer.output), args)
    elif capture:
        _say(json.loads(answer.output), args)
    return answer.code


def _check(args: argparse.Namespace) -> None:
    """Words that do not go together."""
    if args.json and args.diff is None and not args.summary:
        message = "--json: events are lines of text; it goes with --diff or --summary"
        raise WlkError(Status.USAGE, message)
    if args.summary and (args.state or args.stats):
        raise WlkError(Status.USAGE, "--summary prints no events; --state and --stats add to them")


@contextlib.contextmanager
def _plain(path: Path) -> Iterator[Path]:
    """The file itself, or what is packed in it in a file of its own."""
    if path.suffix != ".xz":
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="wlk-opndcoll-") as plain:
        _unpack(path, plain)
        plain.flush()
        yield Path(plain.name)


def _unpack(path: Path, to: Any) -> None:
    line = 1
    try:
        with lzma.open(path) as packed:
            while piece := packed.read1():  # read() would lose what stands before a bad end
                to.write(piece)
                line += piece.count(b"\n")
    except EOFError as error:
        message = f"{path}:{line}: the xz stream ends too early; copy the file again"
        raise WlkError(Status.TRUNCATED, message) from error
    except lzma.LZMAError as error:
        message = f"{path}:{line}: no sound xz file: {error}; copy the file again"
        raise WlkError(Status.CORRUPT, message) from error
    except OSError as error:
        message = f"{path}: cannot be unpacked: {error.strerror or error}"
        raise WlkError(Status.NO_FILE, message) from error


def _summarize(counts: dict[str, Any], args: argparse.Namespace) -> None:
    """The statistics of a run."""
    counts = opndcoll_summary.with_rates(counts)
    if args.json:
        report.json_line(counts)
    else:
        print(opndcoll_summary.render(counts, str(args.stimulus)))


def _say(answer: dict[str, Any], args: argparse.Namespace) -> None:
    """What the comparison found."""
    if args.json:
        report.json_line(answer)
        return
    if answer["verdict"] == "PASS":
        print(f"{args.diff}: {answer['lines']:,} lines of {answer['steps']:,} steps, all identical")
        return
    print(f"{args.diff}:{answer['line']}: the first line that differs")
    print(f"  expected  {answer.get('expected', '(the recording ends)')}")
    print(f"  got       {answer.get('got', '(the stimulus ends)')}")
    if answer["stimulus_line"]:
        print(f"  stimulus  {args.stimulus}:{answer['stimulus_line']}")
