# SPDX-License-Identifier: Apache-2.0
"""The words of a record by the names of the RTL's ports.

A record's side is a row of 64-bit words (docs/port-tables.md, "Record layout"); many cycles are an
array of such rows. Nothing here calls the library.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

WORD = np.dtype(np.uint64)
_SIZES = ((8, np.uint8), (16, np.uint16), (32, np.uint32), (64, np.uint64))


@dataclass(frozen=True)
class Port:
    """A port of the RTL in one configuration."""

    name: str
    direction: str  # "in" or "out"
    width: int  # [bits] 1..64
    word: int  # of its side of the record
    lsb: int
    doc: str = ""

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1

    @property
    def dtype(self) -> type[np.unsignedinteger]:
        """The smallest that holds it."""
        return next(kind for bits, kind in _SIZES if self.width <= bits)


class Ports(Mapping[str, Port]):
    """One side of a record: its ports in the order of the module, by name. What all names but the
    reset's begin with, such as `io_`, may be left out."""

    def __init__(self, what: str, ports: Iterable[Port], words: int, every: Iterable[Port]) -> None:
        self.what, self.words = what, words
        self._ports = {port.name: port for port in ports}
        self.prefix = _prefix(self._ports)
        masks = [0] * words
        for port in every:
            masks[port.word] |= port.mask << port.lsb
        self.mask = np.array(masks, WORD)
        """The bits that there are."""

    def __getitem__(self, name: str) -> Port:
        port = self._ports.get(name) or self._ports.get(f"{self.prefix}{name}")
        if port is None:
            near = difflib.get_close_matches(str(name), self._ports, 1)
            near = near or difflib.get_close_matches(f"{self.prefix}{name}", self._ports, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; `{self.what}` lists them"
            raise KeyError(f"{self.what}: there is no port {name!r}{hint}")
        return port

    def __iter__(self) -> Iterator[str]:
        return iter(self._ports)

    def __len__(self) -> int:
        return len(self._ports)

    def __repr__(self) -> str:
        return f"<{self.what}: {', '.join(f'{p.name}[{p.width}]' for p in self._ports.values())}>"

    @property
    def dtype(self) -> np.dtype:
        """A structured type: a field for each port, of the smallest unsigned type that holds it."""
        return np.dtype([(port.name, port.dtype) for port in self._ports.values()])

    # -- words of values -------------------------------------------------------------------
    def pack(self, values: Mapping[str, Any] | np.ndarray | None = None, /, **more: Any) -> Any:
        """Words of named values, numbers or arrays of one value a cycle; ports that are not named
        are 0. `values`: a dictionary, or an array of type `dtype`."""
        named: dict[str, Any] = {}
        if isinstance(values, np.ndarray):
            if values.dtype.names is None:
                raise TypeError(f"{self.what}: an array with named fields is wanted, as `dtype`")
            named = {name: values[name] for name in values.dtype.names}
        elif values is not None:
            named = dict(values)
        found = {}
        for name, value in (named | more).items():
            port = self[name]
            if port.name in found:
                raise ValueError(f"{self.what}: {port.name} is given twice")
            found[port.name] = _checked(port, value)
        shapes = {name: value.shape for name, value in found.items() if value.ndim}
        if len(set(shapes.values())) > 1:
            raise ValueError(f"{self.what}: arrays of one length are wanted, not {shapes}")
        rows = next(iter(shapes.values()), ())
        words = np.zeros((*rows, self.words), WORD)
        for name, value in found.items():
            self._put(words, self._ports[name], value)
        return words

    def unpack(self, words: Any) -> dict[str, Any]:
        """The value of each port: numbers of one record, arrays of many."""
        words = self.check(words, many=None)
        return {name: self.get(words, name) for name in self._ports}

    def fields(self, words: Any) -> np.ndarray:
        """A copy as an array with a field for each port, of type `dtype`."""
        words = self.check(words, many=None)
        made = np.empty(words.shape[:-1], self.dtype)
        for name in self._ports:
            made[name] = self.get(words, name)
        return made

    def get(self, words: np.ndarray, name: str) -> Any:
        """The value of one port."""
        port = self[name]
        found = words[..., port.word] >> np.uint64(port.lsb) & np.uint64(port.mask)
        return found.astype(port.dtype) if words.ndim > 1 else int(found)

    def set(self, words: np.ndarray, name: str, value: Any) -> None:
        """Change the value of one port in place."""
        port = self[name]
        self._put(words, port, _checked(port, value))

    def _put(self, words: np.ndarray, port: Port, value: np.ndarray) -> None:
        keep = np.uint64(~(port.mask << port.lsb) & 0xFFFF_FFFF_FFFF_FFFF)
        words[..., port.word] = words[..., port.word] & keep | value << np.uint64(port.lsb)

    # -- what a call is given --------------------------------------------------------------
    def check(self, words: Any, *, many: bool | None = False, strict: bool = True) -> np.ndarray:
        """Words as the library takes them. TypeError, ValueError. `many`: rows, or one; None:
        either. `strict`: bits that no port has are refused."""
        if isinstance(words, Record):
            words = words.words
        if not isinstance(words, np.ndarray):
            wanted = "an array of uint64 is wanted"
            raise TypeError(f"{self.what}: {wanted}, not {type(words).__name__}; pack() makes one")
        if words.dtype != WORD:
            raise TypeError(f"{self.what}: words of uint64 are wanted, not {words.dtype}")
        shape = {True: (2,), False: (1,), None: (1, 2)}[many]
        if words.ndim not in shape or words.shape[-1] != self.words:
            wanted = f"(cycles, {self.words})" if many else f"({self.words},)"
            raise ValueError(f"{self.what}: shape {wanted} is wanted, not {words.shape}")
        if strict and (odd := words & ~self.mask).any():
            at = np.argwhere(odd)[0]
            raise ValueError(
                f"{self.what}: word {at[-1]}{f' of cycle {at[0]}' if words.ndim > 1 else ''} "
                f"has bits that are none of a port: {int(odd[tuple(at)]):#x}"
            )
        return np.ascontiguousarray(words)

    def record(self, given: Any, named: Mapping[str, Any]) -> np.ndarray:
        """One record, of whatever a call was given."""
        if isinstance(given, Record) or (isinstance(given, np.ndarray) and not given.dtype.names):
            words = self.check(given)
            return self._with(words, named) if named else words
        words = self.pack(_single(given), **named)
        if words.ndim != 1:
            raise ValueError(
                f"{self.what}: one cycle is wanted, not {len(words)}; run() takes many"
            )
        return words

    def _with(self, words: np.ndarray, named: Mapping[str, Any]) -> np.ndarray:
        words = words.copy()
        for name, value in named.items():
            self.set(words, name, value)
        return words

    def rows(self, given: Any) -> np.ndarray:
        """Many records, of whatever a call was given."""
        if isinstance(given, Record) or (isinstance(given, np.ndarray) and not given.dtype.names):
            return self.check(given, many=True)
        words = self.pack(given)
        if words.ndim != 2:
            raise ValueError(f"{self.what}: arrays of one value a cycle are wanted")
        return words


class Record:
    """One side of a record, or of many, by the names of its ports: a view of `words`, which it
    reads and writes. NumPy takes it as the words."""

    def __init__(self, ports: Ports, words: np.ndarray) -> None:
        self.ports, self.words = ports, words

    def __getitem__(self, name: str) -> Any:
        return self.ports.get(self.words, name)

    def __setitem__(self, name: str, value: Any) -> None:
        self.ports.set(self.words, name, value)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ports)

    def __len__(self) -> int:
        return len(self.ports)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.words, dtype) if copy else np.asarray(self.words, dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and np.array_equal(self.words, other.words)

    __hash__ = None

    def unpack(self) -> dict[str, Any]:
        """The value of each port."""
        return self.ports.unpack(self.words)

    def fields(self) -> np.ndarray:
        """A copy as an array with a field for each port."""
        return self.ports.fields(self.words)

    def __repr__(self) -> str:
        if self.words.ndim > 1:
            return f"<{self.ports.what}: {len(self.words)} cycles>"
        shown = {name: value for name, value in self.unpack().items() if value}
        return f"<{self.ports.what}: {shown or 'all 0'}>"


def _single(given: Any) -> Any:
    """A record of a structured array is an array of no dimension."""
    return np.asarray(given) if isinstance(given, np.void) else given


def _checked(port: Port, value: Any) -> np.ndarray:
    """Values of a port as words. TypeError, ValueError."""
    found = np.asarray(value)
    whole = found.dtype == object and all(isinstance(v, int) for v in found.flat)  # from 2**64 on
    if found.dtype.kind not in "biu" and not whole:
        raise TypeError(f"{port.name}: whole numbers are wanted, not {found.dtype}")
    if found.ndim > 1:
        raise ValueError(f"{port.name}: one value a cycle is wanted, not shape {found.shape}")
    least, most = (found.min(), found.max()) if found.size else (0, 0)
    if least < 0 or most > port.mask:
        wrong = least if least < 0 else most
        raise ValueError(f"{port.name}: has {port.width} bits: 0..{port.mask}, not {wrong}")
    return found.astype(WORD)


def _prefix(names: Sequence[str] | Mapping[str, Port]) -> str:
    """What all names begin with, up to a `_`; a name without one, as `reset`, does not count."""
    heads = {name.partition("_")[0] for name in names if "_" in name}
    return f"{heads.pop()}_" if len(heads) == 1 else ""
