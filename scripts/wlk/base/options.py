# SPDX-License-Identifier: Apache-2.0
"""The command line: fields of a dataclass as the options of a command, and types of their values.

What a command is asked is a dataclass (Command); a field made by `option` or `operand` is declared
there and nowhere else: its name, default, type and help. `add` makes the parser of it, and `of` the
object from what was parsed.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, NoReturn, TypeVar

from . import progress
from .errors import Status, WlkError, closest, nearest

Kind = TypeVar("Kind")
COMMON = "common options"
HIGHEST = 2**64 - 2  # of a span: the harness counts beyond it
# What may stand behind the name of a reset, by the keys of a port map; the first is the default.
RESET_WORDS = {"active": ("high", "low"), "style": ("sync", "async")}


class Parser(argparse.ArgumentParser):
    """An argument parser that answers a mistake in one line, and names the option nearest to one
    that it does not have."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.renamed: dict[str, str] = {}  # old names of options -> their names

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown words here, where the options are known, and not in the parser above."""
        words, notes = self._current(sys.argv[1:] if args is None else args)
        if "--seeds" in self._option_string_actions:
            words = joined(words)
        found, unknown = super().parse_known_args(words, namespace)
        if notes:
            found.deprecated = notes
        if unknown and self._subparsers is None:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._nearest(unknown)}")
        return found, unknown

    def _current(self, words: Sequence[str]) -> tuple[list[str], list[str]]:
        """The words with today's names of options, and a line for each old one."""
        new, notes = list(words), []
        for n, word in enumerate(words[: words.index("--")] if "--" in words else words):
            name, equals, value = word.partition("=")
            if name in self.renamed:
                new[n] = f"{self.renamed[name]}{equals}{value}"
                notes.append(deprecated(name, self.renamed[name]))
        return new, notes

    def _nearest(self, words: Sequence[str]) -> str:
        """A question for the first option among unknown words, if one here resembles it."""
        names = [word.partition("=")[0] for word in words if word.startswith("-")]
        near = closest(names[0], self._option_string_actions) if names else ""
        return f" (did you mean {near}?)" if near else ""

    def _check_value(self, action: Any, value: Any) -> None:
        """Refuse a subcommand, an action or a value of an option that does not exist."""
        if action.choices is not None and value not in action.choices:
            hint = nearest(str(value), map(str, action.choices), "choose from")
            raise argparse.ArgumentError(action, f"there is no {value!r}{hint}")

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the whole usage."""
        raise WlkError(Status.USAGE, f"{message}; see `{self.prog} --help`")


def deprecated(old: str, new: str) -> str:
    """The line for a name that the next version will not accept."""
    return f"{old} is deprecated, and the next version will not accept it; write {new}"


def joined(words: Sequence[str]) -> list[str]:
    """The words, with the value of `--seeds from FILE` and `--seeds random N` in one."""
    made: list[str] = []
    for word in words:
        before = " ".join(made[-2:]).replace("--seeds=", "--seeds ")
        is_file = before.endswith("--seeds from") and not word.startswith("-")
        if is_file or (before.endswith("--seeds random") and word.isdecimal()):
            made[-1] += f" {word}"
        else:
            made.append(word)
    return made


# ---- fields that are options --------------------------------------------------------------------


def option(
    default: Any,
    text: str,
    name: str = "",
    *,
    group: str = "",
    alone: bool = False,
    old: str = "",
    **how: Any,
) -> Any:
    """An option `--FIELD`, or `name`. With the default False it is a flag; with a list or a dict it
    may be given several times. `group`: the heading in the help. `alone`: it excludes the others of
    its command that are alone. `old`: its name of the version before, which is still accepted.
    `how`: for add_argument."""
    if default is False:
        how["action"] = "store_true"
    elif isinstance(default, list):
        how.setdefault("action", "append")
    # A default in the parser too would be declared twice.
    how = {"help": text, "default": argparse.SUPPRESS} | how
    more = {"name": name, "old": old, "group": group, "alone": alone, "how": how}
    return _field(default, more)


def operand(metavar: str, text: str | None = None, default: Any = None, **how: Any) -> Any:
    """What a command takes without a name."""
    how = {"metavar": metavar, "help": text, "default": default} | how
    return _field(default, {"group": "", "alone": False, "how": how})


def _field(default: Any, metadata: dict[str, Any]) -> Any:
    if isinstance(default, (list, dict)):
        return field(default_factory=lambda: type(default)(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def path(text: str, metavar: str = "FILE", default: Any = None, **how: Any) -> Any:
    """An option that names a file, or a folder."""
    return option(default, text, type=Path, metavar=metavar, **how)


def add_fields(parser: Parser, kind: type) -> None:
    """The options that the fields of a dataclass declare."""
    groups: dict[str, Any] = {"": parser}
    for each in (each for each in fields(kind) if "how" in each.metadata):
        if each.name in getattr(kind, "WITHOUT", ()):
            continue
        group, how = each.metadata["group"], dict(each.metadata["how"])
        takes_a_word = "action" not in how or how["action"] in ("append", "extend")
        if takes_a_word and how.get("type") is not str:  # to be given is to allow an empty one
            how["type"] = _not_empty(how.get("type", str))
        if each.metadata["alone"] and "alone" not in groups:
            groups["alone"] = parser.add_mutually_exclusive_group()
        if group not in groups:
            groups[group] = parser.add_argument_group(group)
        place = groups["alone" if each.metadata["alone"] else group]
        if "name" in each.metadata:
            name = each.metadata["name"] or f"--{each.name.replace('_', '-')}"
            place.add_argument(name, dest=each.name, **how)
            if each.metadata["old"]:
                parser.renamed[each.metadata["old"]] = name
        else:
            place.add_argument(each.name, **how)


# ---- commands -----------------------------------------------------------------------------------


@dataclass
class Command:
    """What a command is asked. Each is a subclass: its fields are the options, its docstring the
    summary; it is given the words of the whole command line too."""

    NAME: ClassVar[str]
    EXAMPLE: ClassVar[str]  # shown at the end of the help
    NEEDS: ClassVar[tuple[str, ...]] = ("build",)  # what set-up provides before it runs
    OFFERS: ClassVar[tuple[str, ...]] = ()  # and if it can: the answer is the same without
    ACTIONS: ClassVar[tuple[type[Command], ...]] = ()
    WITHOUT: ClassVar[tuple[str, ...]] = ()  # fields of a base class that are no options here

    _: KW_ONLY
    json: bool = option(False, "print JSON objects, one a line", group=COMMON)
    block_folders: list[Path] = option(
        [],
        "folder of a block of your own, or of several (docs/own-blocks.md); may be repeated",
        "--blocks",
        type=Path,
        metavar="DIR",
        group=COMMON,
    )
    no_setup: bool = option(False, "install nothing; refuse if something is missing", group=COMMON)
    words: Sequence[str] = ()
    deprecated: Sequence[str] = ()  # a line for each old name among them
    given: frozenset[str] = frozenset()  # fields whose options are among the words

    def refuse(self) -> None:
        """Raise for what no work can make good, before any is done."""

    def own_folders(self) -> list[Path]:
        """Folders of users' blocks."""
        return self.block_folders

    def needs(self) -> tuple[str, ...]:
        """The features that set-up provides before it runs (setup.FEATURES)."""
        return self.NEEDS

    def offers(self) -> tuple[str, ...]:
        """The features that set-up provides if it can; without them the answer looks plainer."""
        return self.OFFERS

    def run(self) -> int:
        """Do the work; the exit code."""
        raise NotImplementedError

    @classmethod
    def add(cls, subparsers: Any) -> None:
        """Add its parser."""
        summary = inspect.getdoc(cls).partition("\n")[0]
        parser = subparsers.add_parser(
            cls.NAME,
            help=summary[:1].lower() + summary[1:].rstrip("."),
            description=summary,
            epilog="example:\n" + "\n".join(f"  {line}" for line in cls.EXAMPLE.splitlines()),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        parser.set_defaults(asked=cls)
        add_fields(parser, cls)
        if cls.ACTIONS:
            actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
            for each in cls.ACTIONS:
                each.add(actions)


def of(kind: type[Kind], args: object) -> Kind:
    """A dataclass with the attributes that have the names of its fields."""
    names = [each.name for each in fields(kind)]
    return kind(**{name: getattr(args, name) for name in names if hasattr(args, name)})


# ---- options of several commands ----------------------------------------------------------------


def blocks(text: str) -> Any:
    """Names of blocks, or none."""
    return operand("BLOCK", text, [], nargs="*")


def force() -> Any:
    """Of what writes files that a user names."""
    return option(False, "replace files that are there (default: refuse, before any work is done)")


def strict() -> Any:
    """Of what infers parameters."""
    text = "refuse a result that rests on parameters inferred from the behaviour: pin them"
    return option(False, text)


def accept_inferred() -> Any:
    """Of what infers parameters."""
    text = "take a PASS with other values than the defaults, which fail: else it is AMBIGUOUS"
    return option(False, text)


def jobs(text: str = "runs at a time") -> Any:
    """Of what works in parallel."""
    return option(progress.processors(), text, type=number(1), metavar="N")


def power_up(
    text: str = "what no reset reaches, at the start: unknown (not compared) or zero",
) -> Any:
    """--power-up. Unknown is random in RTL."""
    return option("unknown", text, choices=("unknown", "zero"))


def named_config(group: str = "") -> Any:
    """--config with the names of configurations and with parameters: a list of words."""
    text = "a named configuration or a parameter; may be given several times"
    return option([], text, metavar="NAME|KEY=VALUE", group=group)


def settings(text: str) -> Any:
    """--config KEY=VALUE, which may be given several times."""
    return option({}, text, action=Settings, type=key_value, metavar="KEY=VALUE")


def cover() -> Any:
    """--cover, of what compares and counts coverage points."""
    return path("add what is covered to a database (docs/coverage.md)")


def ties(group: str = "") -> Any:
    """--tie PORT=VALUE, which may be given several times."""
    text = "an input that the RTL lacks because it is constant; may be repeated"
    return option({}, text, group=group, action=Settings, type=tie, metavar="PORT=VALUE")


# ---- types of values ----------------------------------------------------------------------------


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


def _not_empty(kind: Any) -> Any:
    """The same type for words that are not empty. To Path an empty one is the current folder."""

    def convert(text: str) -> Any:
        if not text:
            raise argparse.ArgumentTypeError("its value is empty; is a variable not set?")
        return kind(text)

    # What argparse calls a kind of value that does not convert.
    convert.__name__ = getattr(kind, "__name__", "value")
    return convert


def span(text: str) -> range:
    """Type of numbers `A..B`, both ends included, or of one."""
    first, dots, last = text.partition("..")
    low = number(0, HIGHEST)(first)
    high = number(0, HIGHEST)(last) if dots else low
    if high < low:
        raise argparse.ArgumentTypeError(f"{text}: the last seed is below the first")
    return range(low, high + 1)


class Settings(argparse.Action):
    """Action of KEY=VALUE: a dict. One key with two values is a mistake."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option: Any = None
    ) -> None:
        key, value = values
        given = dict(getattr(namespace, self.dest, {}))
        if given.setdefault(key, value) != value:
            parser.error(twice(f"{key}={given[key]}", f"{key}={value}", option))
        setattr(namespace, self.dest, given)


def twice(first: str, second: str, option: str = "--config") -> str:
    """The message for two values of one key."""
    return f"{option} {first} and {option} {second}: give one of them"


def tie(text: str) -> tuple[str, int]:
    """Type of --tie: `port=value`."""
    port, value = key_value(text, "PORT=VALUE")
    return port, number(0)(value)


def reset(text: str) -> tuple[str, str | None, str | None]:
    """Type of --reset: `NAME[:low|high][:sync|async]`, in that order; None where it is silent."""
    port, *words = text.split(":")
    found: dict[str, str] = {}
    for word in words:
        key = next((key for key, legal in RESET_WORDS.items() if word in legal), None)
        if key is None:
            message = f"{text!r}: {word!r} is none of low, high, sync, async"
            raise argparse.ArgumentTypeError(message)
        if found.setdefault(key, word) != word:
            message = f"{text!r} has both {found[key]} and {word}; give one of them"
            raise argparse.ArgumentTypeError(message)
    if not port:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME[:low][:async]")
    return port, found.get("active"), found.get("style")


def key_value(text: str, form: str = "key=value") -> tuple[str, str]:
    """Type of --config: `key=value`."""
    key, equals, value = text.partition("=")
    if not (equals and key and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not {form}")
    return key, value
