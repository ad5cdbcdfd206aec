# SPDX-License-Identifier: Apache-2.0
"""A block in one configuration: what a model and a checker have in common."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from .declarations import CONSTANTS
from .errors import Error, translated
from .library import call, ffi, library, load, text
from .records import WORD, Port, Ports
from .wlk import tables

POWER_UP = {name: CONSTANTS[f"WLK_POWER_{name.upper()}"] for name in ("unknown", "zero", "reset")}
Place = str | os.PathLike[str] | None


def pointer(words: np.ndarray | None, kind: str = "uint64_t[]") -> Any:
    """The elements of an array that lies in one piece, as an argument."""
    return ffi.NULL if words is None else ffi.from_buffer(kind, words)


class Instance:
    """A block in one configuration, with what the library holds for it. One thread at a time; a
    second one in a call, and a call after close(), are refused."""

    def __init__(
        self, block: str, place: Place, members: str, parameters: Mapping[str, int | str]
    ) -> None:
        self._lock = threading.Lock()
        self._finalizer: weakref.finalize | None = None
        self._closed = False
        self.block = load(block, place)
        self.table = self.block.table
        self.members = members
        self._member_list = _members(members)
        self.cfg = _configuration(block, self.table, parameters)
        call(self.block.check, self.cfg)
        self.layout = ffi.new("wlk_layout *")
        self.table.layout(self.cfg, self.layout)
        self.inputs = self._side("in", self.layout.in_words)
        """The input ports, by name."""
        self.outputs = self._side("out", self.layout.out_words)
        """The output ports, by name."""

    def _side(self, way: str, words: int) -> Ports:
        ports = _ports(self.table, self.cfg, self._member_list)[way]
        # Of an opaque field all bits are stored, also those that are no port here.
        every = _ports(self.table, self.cfg, ffi.NULL)[way]
        return Ports(f"{self.name}: {way}puts", ports, words, every)

    @property
    def name(self) -> str:
        """The block's name."""
        return text(self.table.name)

    @property
    def config(self) -> dict[str, int | str]:
        """Every parameter, named values by their names."""
        found: dict[str, int | str] = {}
        for i in range(self.table.n_params):
            param, value = self.table.params[i], int(self.cfg[i])
            found[text(param.name)] = text(param.names[value]) if param.names else value
        return found

    @property
    def rules(self) -> dict[str, str]:
        """The protocol rules of the inputs, and what they say."""
        points = (self.table.rules[i] for i in range(self.table.n_rules))
        return {text(point.name): text(point.doc) for point in points}

    def rule_names(self, broken: int) -> list[str]:
        """The rules of a bitmap."""
        return [name for bit, name in enumerate(self.rules) if broken >> bit & 1]

    def out_array(self, rows: int | None = None) -> np.ndarray:
        """Room for outputs."""
        return np.zeros((*([] if rows is None else [rows]), self.layout.out_words), WORD)

    # -- life ------------------------------------------------------------------------------
    def _owns(self, free: Callable[[Any], None], what: Any) -> None:
        """To be freed at close(), or when nobody has this object any more."""
        self._finalizer = weakref.finalize(self, free, what)

    @contextmanager
    def _call(self, name: str) -> Iterator[None]:
        """Around what touches the library's part. Error USAGE."""
        if not self._lock.acquire(blocking=False):
            who = f"{type(self).__name__} {self.name}"
            message = f"{name}() while another call is in it, of another thread or in a callback"
            raise Error("USAGE", f"{who}: {message}; give each thread one of its own")
        try:
            if self._closed:
                raise Error("USAGE", f"{type(self).__name__} {self.name}: {name}() after close()")
            yield
        finally:
            self._lock.release()

    def close(self) -> None:
        """Free what the library holds; again: nothing. Error USAGE during another call."""
        if self._closed:
            return
        with self._call("close"):
            self._closed = True
            if self._finalizer is not None:
                self._finalizer()

    @property
    def closed(self) -> bool:
        return self._closed

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        shown = "".join(f", {name}={value}" for name, value in self.config.items())
        return f"{type(self).__name__}({self.name!r}{shown})"


def _configuration(block: str, table: Any, parameters: Mapping[str, int | str]) -> Any:
    """A configuration. Error BAD_CONFIG names the parameter and what is legal."""
    cfg = ffi.new("uint32_t[]", CONSTANTS["WLK_MAX_PARAMS"])
    library().wlk_config_defaults(table, cfg)
    places = {text(table.params[i].name): i for i in range(table.n_params)}
    lists = {text(table.params[i].list) for i in range(table.n_params)} - {""}
    if any(name in lists for name in parameters):  # what their words mean, the tables know
        with translated():
            given = tables.load(block).config({k: _plain(k, v) for k, v in parameters.items()})
        for name, value in given.items():
            cfg[places[name]] = value
        return cfg
    for name, value in parameters.items():
        if name not in places:
            known = ", ".join([*(n for n in places if not _is_item(table, places[n])), *lists])
            message = f"config: block {block} has no parameter '{name}'; it has {known}"
            raise Error("BAD_CONFIG", message)
        words = name.encode(), str(_plain(name, value)).encode()
        call(library().wlk_config_set, table, cfg, *words)
    return cfg


def _is_item(table: Any, i: int) -> bool:
    return bool(table.params[i].list)


def _plain(name: str, value: Any) -> int | str:
    """A parameter's value; TypeError."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | np.integer | np.bool_):
        return int(value)
    raise TypeError(f"{name}: a number or the name of a value is wanted, not {value!r}")


def _members(members: str) -> Any:
    """The ports of opaque fields, from their text."""
    if not members:
        return ffi.NULL
    capacity = members.count(",") + 1
    listed, count = ffi.new("wlk_member[]", capacity), ffi.new("uint32_t *")
    call(library().wlk_members_parse, members.encode(), listed, capacity, count)
    made = ffi.new("wlk_members *", [listed, count[0]])
    _kept[made] = listed
    return made


_kept: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # what pointers lead to


def _ports(table: Any, cfg: Any, members: Any) -> dict[str, list[Port]]:
    count = table.ports(cfg, members, ffi.NULL, 0)
    found = ffi.new("wlk_port[]", count)
    table.ports(cfg, members, found, count)
    sides: dict[str, list[Port]] = {"in": [], "out": []}
    for port in found:
        if port.present:
            way = "out" if port.is_out else "in"
            doc = text(table.fields[port.field].doc)
            place = port.width, port.word, port.lsb
            sides[way].append(Port(text(port.name), way, *place, doc))
    return sides
