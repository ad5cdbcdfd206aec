# SPDX-License-Identifier: Apache-2.0
"""The command line: options that all subcommands share, and the types of their values."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from .errors import Status, WlkError


class Parser(argparse.ArgumentParser):
    """An argument parser that answers a mistake in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the whole usage."""
        raise WlkError(Status.USAGE, f"{message}; see `{self.prog} --help`")


STRICT = "refuse a result that rests on parameters inferred from the behaviour: pin them"


def add_parser(subparsers: Any, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    """A subcommand with the common options; `example` is shown at the end of its help."""
    parser = subparsers.add_parser(
        name,
        help=summary,
        description=summary[:1].upper() + summary[1:] + ".",
        epilog="example:\n" + "\n".join(f"  {line}" for line in example.splitlines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    group = parser.add_argument_group("common options")
    group.add_argument("--json", action="store_true", help="print JSON objects, one a line")
    group.add_argument(
        "--no-setup", action="store_true", help="install nothing; refuse if something is missing"
    )
    return parser


def add_force(parser: Any) -> None:
    """The option of what writes files that a user names."""
    text = "replace files that are there (default: refuse, before any work is done)"
    parser.add_argument("--force", action="store_true", help=text)


def number(low: int = 0, high: int | None = None) -> Any:
    """Type of an option: an integer (0x..., 1_000 and 1e6 work too) within low..high."""

    def convert(text: str) -> int:
        try:
            value = int(text, 0)
        except ValueError:
            value = _scientific(text)
        if value < low or (high is not None and value > high):
            limit = f"{low} or more" if high is None else f"within {low}..{high}"
            raise argparse.ArgumentTypeError(f"{text}: must be {limit}")
        return value

    return convert


def _scientific(text: str) -> int:
    """1e6 as an integer."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not value.is_integer():
        raise argparse.ArgumentTypeError(f"{text} is not a whole number")
    return int(value)


def seeds(text: str) -> range:
    """Type of --seeds: `A..B`, both included, or one seed."""
    first, dots, last = text.partition("..")
    low = number()(first)
    high = number()(last) if dots else low
    if high < low:
        raise argparse.ArgumentTypeError(f"{text}: the last seed is below the first")
    return range(low, high + 1)


class Settings(argparse.Action):
    """Action of --config KEY=VALUE: a dict. One key with two values is a mistake."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Any, values: Any, _: Any = None
    ) -> None:
        key, value = values
        given = dict(getattr(namespace, self.dest))
        if given.setdefault(key, value) != value:
            parser.error(twice(f"{key}={given[key]}", f"{key}={value}"))
        setattr(namespace, self.dest, given)


def add_settings(parser: Any, text: str) -> None:
    """--config KEY=VALUE, which may be given several times."""
    parser.add_argument(
        "--config",
        action=Settings,
        type=key_value,
        default={},
        metavar="KEY=VALUE",
        help=text,
    )


def twice(first: str, second: str) -> str:
    """What is said of two values for one key."""
    return f"--config {first} and --config {second}: give one of them"


def add_tie(parser: Any) -> None:
    """The option --tie; `args.tie` is a list of (port, value)."""
    parser.add_argument(
        "--tie",
        action="append",
        type=tie,
        default=[],
        metavar="PORT=VALUE",
        help="an input that the RTL lacks because it is constant; may be repeated",
    )


def tie(text: str) -> tuple[str, int]:
    """Type of --tie: `port=value`."""
    port, equals, value = text.partition("=")
    if not (equals and port and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not PORT=VALUE")
    return port, number(0)(value)


def key_value(text: str) -> tuple[str, str]:
    """Type of --config: `key=value`."""
    key, equals, value = text.partition("=")
    if not (equals and key and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not key=value")
    return key, value
