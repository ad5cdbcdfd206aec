# SPDX-License-Identifier: Apache-2.0
"""Rows of `field`: those of a table, of each entry of a list, and mirrors of others."""

import functools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..base.errors import Status, WlkError
from .expr import Expr, most
from .fields import NOTATIONS, WORD, Field
from .files import completed, decode, label, need, table_path
from .read_params import check_parameters, entries, read_list, spread

MOST_PORTS = 1 << 14  # of a field: each stands in the record, and in what is generated
# Keys that are taken as they are, and all.
_PLAIN_KEYS = frozenset(
    "port read loose_width timing valid_when doc unit unit_at opaque entry stem show vector head "
    "first".split()
)
FIELD_KEYS = _PLAIN_KEYS | set("name dir width max_width lanes when exact x_hides as".split())


def read_field(raw: dict, table: str, legal: Mapping[str, Sequence[int]]) -> Field:
    """A field; `legal`: the values of each parameter."""
    where = f"{table}: field {raw.get('name', '?')}"
    if unknown := ", ".join(sorted(set(raw) - FIELD_KEYS)):
        raise WlkError(Status.MODEL_ERROR, f"{where}: unknown key {unknown}")
    need(raw, where, "name", "dir", "width")
    width = Expr(raw["width"], where)
    lanes = Expr(raw["lanes"], where) if "lanes" in raw else None
    check_parameters(width, set(legal))
    max_width = raw.get("max_width", most(width, legal))
    if max_width > WORD:
        raise WlkError(Status.MODEL_ERROR, f"{where}: wider than {WORD} bits; use lanes")
    if raw["dir"] not in ("in", "out"):
        raise WlkError(Status.MODEL_ERROR, f"{where}: dir must be in or out")
    if raw.get("show", "hex") not in NOTATIONS:
        raise WlkError(Status.MODEL_ERROR, f"{where}: show must be one of {', '.join(NOTATIONS)}")
    path = _path(raw["name"], where)
    if raw.get("opaque"):
        _require_opaque(lanes, path, f"{where}: opaque")
    for _, count in path:
        if count is not None:
            check_parameters(count, set(legal))
    counts = tuple(most(count, legal) for _, count in path if count is not None)
    _require_few(math.prod(counts), lanes, legal, where)
    return Field(
        name=raw["name"],
        path=path,
        direction=raw["dir"],
        width=width,
        max_width=max_width,
        lanes=lanes,
        when=Expr(raw["when"], where) if "when" in raw else None,
        exact=raw.get("exact", "valid_when" not in raw),
        x_hides=tuple(raw.get("x_hides", ())),
        label=raw.get("as", ""),
        counts=counts,
        **{key: raw[key] for key in _PLAIN_KEYS & raw.keys()},
    )


def _require_opaque(lanes: Expr | None, path: Sequence[object], where: str) -> None:
    """What is found in the RTL has words, and names of ports that begin with a path."""
    if lanes is None:
        raise WlkError(
            Status.MODEL_ERROR, f"{where}: lanes are missing; write how many words it has"
        )
    if len(path) < 2:
        how = "the last part of the name stands for its ports; write PATH.NAME"
        raise WlkError(Status.MODEL_ERROR, f"{where}: {how}")


def _require_few(
    elements: int, lanes: Expr | None, legal: Mapping[str, Sequence[int]], where: str
) -> None:
    if lanes is not None:
        check_parameters(lanes, set(legal))
        elements *= most(lanes, legal)
    if elements > MOST_PORTS:
        message = f"{where}: has up to {elements} ports; a field has at most {MOST_PORTS}"
        raise WlkError(Status.MODEL_ERROR, message)


def _path(name: str, where: str) -> tuple[tuple[str, Expr | None], ...]:
    parts: list[tuple[str, Expr | None]] = []
    for part in name.split("."):
        head, bracket, count = part.partition("[")
        parts.append((head, Expr(count.rstrip("]"), where) if bracket else None))
    return tuple(parts)


MIRROR_KEYS = frozenset(
    "name mirror flip unread valid_when x_hides timing entry stem when head first".split()
)


def expand(raw: dict, path: Path) -> list[dict]:
    """Every field of a completed table, mirrors replaced by what they stand for, units marked."""
    units = [(unit["name"], unit["of"].split(".")) for unit in raw.get("unit", [])]
    fields: list[dict] = []
    lists = {each["name"]: read_list(each, label(path))[0] for each in raw.get("list", [])}
    for item in map(functools.partial(spread, lists), entries(raw["field"], lists, label(path))):
        if "mirror" in item:
            fields += _mirror(item, fields, path)
            continue
        parts = _parts(item.get("name", ""))
        for name, of in units:
            if parts[: len(of)] == of:
                item = item | {"unit": name, "unit_at": len(of)}
        fields.append(item)
    return fields


@functools.cache
def _expanded(path: Path) -> list[dict]:
    """The fields of another table, which many mirrors ask for; nobody may change them."""
    return expand(completed(decode(path), label(path)), path)


def _parts(name: str) -> list[str]:
    """The components of a path without their counts."""
    return [part.partition("[")[0] for part in name.split(".")]


def _mirror(item: dict, known: list[dict], path: Path) -> list[dict]:
    """The fields under a path of another table, or of this one above, under another name.

    They keep width, count, presence and text; direction turns with `flip`. What they mean here
    (valid_when, x_hides, timing, and `unread`, members that no rule reads) stands with the use.
    """
    where = f"{label(path)}: field {item.get('name', '?')}"
    need(item, where, "name")
    if unknown := ", ".join(sorted(set(item) - MIRROR_KEYS)):
        raise WlkError(Status.MODEL_ERROR, f"{where}: unknown key {unknown} of a mirror")
    block, _, of = item["mirror"].rpartition(":")
    if block:
        other = table_path(block)
        if other is None:
            raise WlkError(Status.MODEL_ERROR, f"{where}: there is no block '{block}'")
        known = _expanded(other)
    root = of.split(".")
    result = [
        _mirrored(item, source, len(root), source["name"].split(".")[len(root) :])
        for source in known
        if _parts(source["name"])[: len(root)] == root
    ]
    if not result:
        raise WlkError(Status.MODEL_ERROR, f"{where}: '{item['mirror']}' names no field")
    return result


def _mirrored(item: dict, source: dict, depth: int, rest: list[str]) -> dict:
    """One field of a mirror; `rest`: its path below the mirrored one."""
    kept = "dir width max_width lanes loose_width doc opaque as show vector".split()
    made = {key: source[key] for key in kept if key in source}
    made["name"] = ".".join([item["name"], *rest])
    made |= {key: item[key] for key in ("entry", "head", "first") if key in item}
    if "stem" in item:
        made["stem"] = ".".join([item["stem"], *rest])
    conditions = [each["when"] for each in (source, item) if "when" in each]
    if conditions:
        both = " and ".join(f"({each})" for each in conditions)
        made["when"] = both if len(conditions) > 1 else conditions[0]
    if "port" in source and not rest:
        made["port"] = source["port"]
    if item.get("flip"):
        made["dir"] = "out" if source["dir"] == "in" else "in"
    if made["dir"] == "out":
        made |= {"exact": True} | {k: item[k] for k in ("valid_when", "timing") if k in item}
    else:
        made |= {k: item[k] for k in ("valid_when", "x_hides") if k in item}
        member = ".".join(_parts(".".join(rest)))
        unread = item.get("unread", [])
        made["read"] = not any(name == "" or f"{member}.".startswith(f"{name}.") for name in unread)
    if made.get("valid_when") == ".".join(_parts(made["name"])):
        del made["valid_when"]
    if source.get("unit_at", 0) >= depth:
        made["unit"] = source["unit"]
        made["unit_at"] = len(item["name"].split(".")) + source["unit_at"] - depth
    return made
