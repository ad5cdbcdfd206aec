# SPDX-License-Identifier: Apache-2.0
"""The command line: options that all subcommands share, and the types of their values."""

from __future__ import annotations

import argparse
import os
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from .errors import Status, WlkError

Kind = TypeVar("Kind")


class Parser(argparse.ArgumentParser):
    """An argument parser that answers a mistake in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the whole usage."""
        raise WlkError(Status.USAGE, f"{message}; see `{self.prog} --help`")


def add_parser(subparsers: Any, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    """A subcommand with the common options; `example` is shown at the end of its help."""
    parser = _add_parser(subparsers, name, summary, example)
    group = parser.add_argument_group("common options")
    group.add_argument("--json", action="store_true", help="print JSON objects, one a line")
    group.add_argument(
        "--no-setup", action="store_true", help="install nothing; refuse if something is missing"
    )
    return parser


def add_action(
    command: str, actions: Any, name: str, summary: str, example: str
) -> argparse.ArgumentParser:
    """An action of a subcommand; the common options work behind its name too."""
    parser = _add_parser(actions, name, summary, f"warplock {command} {name} {example}")
    for option in ("--json", "--no-setup"):
        text = f"as in `warplock {command} --help`"
        parser.add_argument(option, action="store_true", default=argparse.SUPPRESS, help=text)
    return parser


def _add_parser(actions: Any, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    return actions.add_parser(
        name,
        help=summary,
        description=summary[:1].upper() + summary[1:] + ".",
        epilog="example:\n" + "\n".join(f"  {line}" for line in example.splitlines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_force(parser: Any) -> None:
    """The option of what writes files that a user names."""
    text = "replace files that are there (default: refuse, before any work is done)"
    parser.add_argument("--force", action="store_true", help=text)


def add_strict(parser: Any) -> None:
    """The option of what infers parameters."""
    text = "refuse a result that rests on parameters inferred from the behaviour: pin them"
    parser.add_argument("--strict", action="store_true", help=text)


def add_seeds(parser: Any, usual: range) -> None:
    """--seeds A..B."""
    text = f"seeds, both ends included (default: {usual[0]}..{usual[-1]})"
    parser.add_argument("--seeds", type=seeds, default=usual, metavar="A..B", help=text)


def add_jobs(parser: Any) -> None:
    """The option of what works in parallel."""
    default = os.cpu_count() or 1
    parser.add_argument("--jobs", type=number(1), default=default, help="runs at a time")


def add_power_up(parser: Any, otherwise: str, text: str) -> None:
    """--power-up: zero, or `otherwise`, which is the default: "random" in RTL, "unknown" where
    nothing runs."""
    parser.add_argument("--power-up", choices=(otherwise, "zero"), default=otherwise, help=text)


def add_named_config(parser: Any) -> None:
    """--config with the names of configurations and with parameters: a list of words."""
    text = "a named configuration or a parameter; may be given several times"
    metavar = "NAME|KEY=VALUE"
    parser.add_argument("--config", action="append", default=[], metavar=metavar, help=text)


def add_rtl(parser: Any, *, required: bool = False, several: bool = True) -> None:
    """The options that name the RTL: the fields of run.jobs.RtlSource. `several`: behind one
    --rtl, which can then not stand before what the command takes without a name."""
    parser.add_argument(
        "--rtl",
        **({"nargs": "+", "action": "extend"} if several else {"action": "append"}),
        type=Path,
        required=required,
        default=[],
        metavar="PATH",
        help="files, folders or .f lists with the RTL",
    )
    parser.add_argument("--module", metavar="NAME", help="module to check, if its name differs")
    for name, kind, metavar, text in (
        ("--define", str, "NAME[=VALUE]", "macro for the RTL"),
        ("--include", Path, "DIR", "include folder"),
    ):
        parser.add_argument(
            name, action="append", type=kind, default=[], metavar=metavar, help=text
        )
    add_tie(parser)


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
    """Action of KEY=VALUE: a dict. One key with two values is a mistake."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option: Any = None
    ) -> None:
        key, value = values
        given = dict(getattr(namespace, self.dest))
        if given.setdefault(key, value) != value:
            parser.error(twice(f"{key}={given[key]}", f"{key}={value}", option))
        setattr(namespace, self.dest, given)


def add_settings(parser: Any, text: str) -> None:
    """--config KEY=VALUE, which may be given several times."""
    _add_settings(parser, "--config", key_value, "KEY=VALUE", text)


def add_tie(parser: Any) -> None:
    """--tie PORT=VALUE, which may be given several times."""
    text = "an input that the RTL lacks because it is constant; may be repeated"
    _add_settings(parser, "--tie", tie, "PORT=VALUE", text)


def _add_settings(parser: Any, name: str, kind: Any, form: str, text: str) -> None:
    parser.add_argument(name, action=Settings, type=kind, default={}, metavar=form, help=text)


def twice(first: str, second: str, option: str = "--config") -> str:
    """The message for two values of one key."""
    return f"{option} {first} and {option} {second}: give one of them"


def tie(text: str) -> tuple[str, int]:
    """Type of --tie: `port=value`."""
    port, value = key_value(text, "PORT=VALUE")
    return port, number(0)(value)


def key_value(text: str, form: str = "key=value") -> tuple[str, str]:
    """Type of --config: `key=value`."""
    key, equals, value = text.partition("=")
    if not (equals and key and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not {form}")
    return key, value


def of(kind: type[Kind], args: argparse.Namespace) -> Kind:
    """A dataclass with the options that have the names of its fields."""
    names = [each.name for each in fields(kind)]
    return kind(**{name: getattr(args, name) for name in names if hasattr(args, name)})
