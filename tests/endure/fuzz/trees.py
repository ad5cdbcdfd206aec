# SPDX-License-Identifier: Apache-2.0
"""Mutations that keep a file's form: of what a TOML or JSON file says, and of SQLite databases."""

import contextlib
import json
import random
import re
import sqlite3
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

VALUES = (
    *(None, True, 0, 1, -1, 2**31, 2**63, 10**19, 0.5, "", "x", "*", "..", "1..4", "=", "a=b"),
    *("9" * 5000, "\u0661", "é", "\n", "/", [], [[]], [""], [None], [{}], {}, {"": {}}, "x" * 400),
)


PARTS = ("", "(", "*", "9", "-", " ", "[0]", "[1:0]", ".x", "{i}", "_")  # of texts


def toml(data: bytes, dice: random.Random) -> bytes:
    """A TOML file that says something else."""
    return written(_changed(tomllib.loads(data.decode()), dice)).encode()


def text_json(data: bytes, dice: random.Random) -> bytes:
    """A JSON file that says something else."""
    return json.dumps(_changed(json.loads(data), dice)).encode()


def _nodes(tree: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of every value."""
    for key in [*tree] if isinstance(tree, dict) else range(len(tree)):
        yield tree, key
        if isinstance(tree[key], (dict, list)):
            yield from _nodes(tree[key])


def _changed(tree: Any, dice: random.Random) -> Any:
    for _ in range(dice.randint(1, 3)):
        nodes = [*_nodes(tree)]
        if not nodes:
            return tree
        inside, key = dice.choice(nodes)
        other, other_key = dice.choice(nodes)
        how = dice.randrange(6)
        if how == 0:
            del inside[key]
        elif how == 1:
            inside[key] = json.loads(json.dumps(other[other_key], default=str))
        elif how == 2 and isinstance(inside, dict):
            inside[str(other_key)] = inside.pop(key)
        elif how == 3 and isinstance(inside, list):
            inside.append(inside[key])
        elif how == 4 and isinstance(inside[key], str) and inside[key]:
            text = inside[key]
            at = dice.randrange(len(text) + 1)
            put = dice.choice((*PARTS, text))
            inside[key] = text[:at] + put + text[at + dice.randrange(2) :]
        else:
            inside[key] = dice.choice(VALUES)
    return tree


def written(tree: dict[str, Any]) -> str:
    """A tree as TOML: tables of the first level and rows of lists of them as one writes them."""
    plain, tables = [], []
    for key, value in tree.items():
        rows = value if isinstance(value, list) and value else [value]
        if not all(isinstance(row, dict) for row in rows):
            plain.append(f"{json.dumps(key)} = {_inline(value)}")
            continue
        head = f"[[{json.dumps(key)}]]" if isinstance(value, list) else f"[{json.dumps(key)}]"
        for row in rows:
            tables += [head, *(f"{json.dumps(k)} = {_inline(v)}" for k, v in row.items())]
    return "\n".join([*plain, *tables]) + "\n"


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        items = (f"{json.dumps(key)} = {_inline(each)}" for key, each in value.items())
        return f"{{ {', '.join(items)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, (str, bool)) or value is None:
        return json.dumps(value or "") if value is None else json.dumps(value)
    return str(value)


def database(data: bytes, dice: random.Random) -> bytes:
    """An SQLite database with another value, row, column or table."""
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(data)
        names = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE sql NOTNULL")]
        table = dice.choice(names)
        columns = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
        column = dice.choice(columns)
        value: Any = dice.choice((*(v for v in VALUES if not isinstance(v, (list, dict))), b"\xff"))
        value = 2**63 - 1 if isinstance(value, int) and value >= 2**63 else value
        some = "abs(random() % 2) = 0"
        for query, values in dice.sample(
            [
                *[(f"UPDATE {table} SET {column} = ? WHERE {some}", (value,))] * 4,
                (f"UPDATE {table} SET {column} = {dice.choice(columns)}", ()),
                (f"DELETE FROM {table} WHERE {some}", ()),
                (f"ALTER TABLE {table} DROP COLUMN {column}", ()),
                (f"DROP TABLE {table}", ()),
            ],
            dice.randint(1, 2),
        ):
            base.execute(query, values)
        base.commit()
        return base.serialize()


def lines(data: bytes, dice: random.Random) -> bytes:
    """A text with lines in other places."""
    rows = data.splitlines(keepends=True) or [b""]
    at, to = dice.randrange(len(rows)), dice.randrange(len(rows))
    rows.insert(to, rows[at] if dice.randrange(2) else rows.pop(at))
    return b"".join(rows)


WORDS = re.compile(rb"(\s+|[,;()=.:@\"\'])")


def words(data: bytes, dice: random.Random) -> bytes:
    """A text with another word in place of one: one of the text, or a value."""
    parts = WORDS.split(data)
    at = dice.randrange(len(parts))
    value = str(dice.choice(VALUES)).encode(errors="replace")
    parts[at] = dice.choice((parts[dice.randrange(len(parts))], value))
    return b"".join(parts)


def sql(data: bytes, dice: random.Random) -> bytes:
    """SQL with other statements, or other words in them."""
    parts = data.split(b";")
    for _ in range(dice.randint(1, 4)):
        at, to = dice.randrange(len(parts)), dice.randrange(len(parts))
        how = dice.randrange(5)
        if how == 0 and len(parts) > 1:
            del parts[at]
        elif how == 1:
            parts.insert(to, parts[at])
        elif how == 2:
            value = dice.choice(("0", "2", "-1", "NULL", "'x'", "x'ff'", "1.5", "TEXT", "REAL"))
            spots = WORDS.split(parts[at])
            spots[dice.randrange(len(spots))] = value.encode()
            parts[at] = b"".join(spots)
        else:
            parts[at] = words(parts[at], dice)
    return b";".join(parts)


SIGNS = ("||", "&&", "|", "^", "&", "==", "!=", "<", ">=", "and", "or")
OPERANDS = (
    *("reset", "io_out_*_valid", "io_in_0_bits_1[7:3]", "io_in_1_valid", "io_out_*_bits_0[0]"),
    *("1", "0x1f", "5'h1f", "64'hffff_ffff_ffff_ffff", "3'b101", "0", "*", "io_no", "99'd1"),
)


def condition(dice: random.Random, deep: int = 0) -> str:
    """A condition of a waiver, mostly a legal one."""
    if deep > 4 or dice.randrange(3) == 0:
        return dice.choice(OPERANDS)
    inner = condition(dice, deep + 1)
    if dice.randrange(3) == 0:
        return f"{dice.choice('!~')}({inner})"
    return f"({inner}) {dice.choice(SIGNS)} {condition(dice, deep + 1)}"


def waivers(data: bytes, dice: random.Random) -> bytes:
    """A TOML file of waivers; mostly one with another condition."""
    if dice.randrange(3) == 0:
        return toml(data, dice)
    tree = tomllib.loads(data.decode())
    row = dice.choice(tree["waiver"])
    old, at = str(row.get("when", "")), dice.randrange(8)
    row["when"] = condition(dice)
    if at < 3:
        row["when"] = f"{old} {dice.choice(SIGNS)} {row['when']}"
    elif at == 3:
        row["when"] = words(old.encode(), dice).decode(errors="replace")
    return written(tree).encode()


Mutation = Callable[[bytes, random.Random], bytes]
