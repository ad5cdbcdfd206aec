# SPDX-License-Identifier: Apache-2.0
"""The keys of warplock.toml, which `regress`, `bisect` and `lockstep --run` share."""

from collections.abc import Iterator, Mapping
from typing import Any

from . import toml
from .errors import Status, WlkError, nearest

NAME = "warplock.toml"
LISTS = {"rtl", "define", "include", "tie", "configs", "ports", "blocks", "waive"}
KEYS = {
    "": {
        "range", "elaborate", "elaborate_timeout", "rtl", "define", "include", "seeds", "cycles",
        "proof_timeout", "cache_limit", "slurm_options", "verilator", "block", "profile", "run",
    },
    "block": {"name", "module", "configs", "tie", "rtl", "ports"},
    "profile": {"name", "block", "since", "until", "module", "config", "tie", "ports"},
    "run": {
        "blocks", "configs", "all", "seeds", "cycles", "waive", "profile", "power_up",
        "keep_going", "rtl", "define", "include", "verilator",
    },
}  # fmt: skip
NEEDED = {"block": {"name"}, "profile": {"name", "block", "since"}}
TABLES = {"block": list, "profile": list, "run": dict}  # at the top
NUMBERS = {"elaborate_timeout", "cycles", "proof_timeout"}
FLAGS = {"all", "keep_going"}
WORDS = {int: "a number", bool: "true or false", list: "a list", str: "a string", dict: "a table"}


def load(place: str, text: str) -> dict[str, Any]:
    """A file's keys and tables, each known and of its type; USAGE names the file and the key."""
    try:
        found = toml.loads(text)
    except toml.BadTomlError as error:
        raise WlkError(Status.USAGE, f"{place}: {error}") from error
    _check(place, "", found)
    for kind, head, table in _tables(found):
        _check(f"{place}: {head}", kind, table)
    return found


def _tables(found: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Kind, heading and content of each table."""
    for kind in ("block", "profile"):
        yield from ((kind, f"[[{kind}]]", each) for each in found.get(kind, []))
    yield from (("run", f"[run.{name}]", each) for name, each in found.get("run", {}).items())


def _check(head: str, kind: str, found: Any) -> None:
    """USAGE for a key that does not exist, or is of another type."""
    if not isinstance(found, dict):
        raise WlkError(Status.USAGE, f"{head}: must be a table, and not {found!r}")
    for key, value in found.items():
        if key not in KEYS[kind]:
            hint = nearest(key, sorted(KEYS[kind]), "there are")
            raise WlkError(Status.USAGE, f"{head}: no key {key}{hint}")
        wanted = _type(kind, key)
        items = value if type(value) is list and key in LISTS else []
        if type(value) is not wanted or not all(isinstance(each, str) for each in items):
            raise WlkError(Status.USAGE, f"{head}: {key} must be {WORDS[wanted]}")
    for key in NEEDED.get(kind, set()) - found.keys():
        raise WlkError(Status.USAGE, f"{head}: {key} is missing")


def _type(kind: str, key: str) -> type:
    """The type of a key's value in a kind of table."""
    if not kind and key in TABLES:
        return TABLES[key]
    if key in LISTS:
        return list
    return int if key in NUMBERS else bool if key in FLAGS else str
