# SPDX-License-Identifier: Apache-2.0
"""Mutations that keep a file's form: of what a TOML or JSON file says, and of SQLite databases."""

import contextlib
import json
import random
import sqlite3
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

VALUES = (
    *(None, True, 0, 1, -1, 2**31, 2**63, 10**19, 0.5, "", "x", "*", "..", "1..4", "=", "a=b"),
    *("9" * 5000, "\u0661", "é", "\n", "/", [], [[]], [""], [None], [{}], {}, {"": {}}, "x" * 400),
)


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
            at = dice.randrange(len(text))
            put = dice.choice(("", text, "(", "*", "9", "-", " "))
            inside[key] = text[:at] + put + text[at + 1 :]
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


Mutation = Callable[[bytes, random.Random], bytes]
