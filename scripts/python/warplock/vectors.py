# SPDX-License-Identifier: Apache-2.0
"""Record files: docs/record-format.md."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import Error
from .instance import Place, pointer
from .library import call, ffi, library, text
from .model import Model
from .records import WORD, Record
from .wlk.base.shape import decoded, odd

_HEADER = {"block": str, "config": {"*": (int, str)}, "power_up?": str, "members?": str}


@dataclass(frozen=True)
class Vectors:
    """What a file holds: its header, and words, a row a cycle."""

    path: str
    header: dict[str, Any]
    inputs: np.ndarray
    outputs: np.ndarray  # expected
    care: np.ndarray  # 1: must match

    def __len__(self) -> int:
        return len(self.inputs)

    def model(self, blocks: Place = None) -> Model:
        """A model of the block and the configuration that the header names."""
        if why := odd(self.header, _HEADER, "its header"):
            raise Error("CORRUPT", f"{self.path}: {why}; make the file again")
        named = {"members": self.header["members"]} if "members" in self.header else {}
        power_up = "unknown" if self.header.get("power_up") == "unknown" else "zero"
        own = {"power_up": power_up, "blocks": blocks}
        block, config = self.header["block"], self.header["config"]
        if taken := sorted({*own, "members"} & config.keys()):
            message = f"{self.path}: block {block} has no parameter '{taken[0]}'"
            raise Error("BAD_CONFIG", f"{message}; make the file again")
        try:
            made = Model(block, **own, **named, **config)
        except Error as error:
            raise Error(error.status, f"{self.path}: {error.message}") from error
        try:
            self._require(made)
        except Error:
            made.close()
            raise
        return made

    def _require(self, model: Model) -> None:
        """BAD_SCHEMA, BAD_PARAMS or CORRUPT when the records are not those of a model."""
        ours, theirs = f"{model.table.schema_hash:016x}", self.header.get("schema")
        if theirs not in (None, ours):
            message = f"{self.path}: its port table of {model.name} (schema) is {theirs}"
            raise Error("BAD_SCHEMA", f"{message}, ours is {ours}; make the file again")
        words = self.inputs.shape[1], self.outputs.shape[1]
        wanted = model.inputs.words, model.outputs.words
        if words != wanted:
            message = f"{self.path}: its records have {words[0]} + {words[1]} words"
            message += f", but its configuration needs {wanted[0]} + {wanted[1]}"
            raise Error("BAD_PARAMS", f"{message}; make the file again")
        try:
            for ports, side in ((model.inputs, self.inputs), (model.outputs, self.outputs)):
                ports.check(side, many=True)
        except ValueError as error:
            raise Error("CORRUPT", f"{self.path}: {error}; make the file again") from error


def read_vectors(
    path: str | os.PathLike[str], start: int = 0, cycles: int | None = None
) -> Vectors:
    """A file, or so many cycles of it from `start` on. Error NO_FILE, TRUNCATED, CORRUPT,
    BAD_VERSION."""
    calls, reader = library(), ffi.new("wlk_vec_reader **")
    call(calls.wlk_vec_open, reader, os.fsencode(path))
    try:
        there, shape = calls.wlk_vec_cycles(reader[0]), calls.wlk_vec_get_shape(reader[0])
        if not 0 <= start <= there or (cycles is not None and cycles < 0):
            raise ValueError(f"{os.fspath(path)}: has cycles 0..{there}, not {start} and on")
        count = there - start if cycles is None else min(cycles, there - start)
        header = _decoded(os.fspath(path), ffi.string(calls.wlk_vec_header(reader[0])))
        widths = shape.in_words, shape.out_words, shape.out_words
        sides = [np.empty((count, width), WORD) for width in widths]
        call(calls.wlk_vec_seek, reader[0], start)
        places = [ffi.new("uint64_t **") for _ in sides]
        for cycle in range(count):
            call(calls.wlk_vec_read, reader[0], *places)
            for side, place, width in zip(sides, places, widths, strict=True):
                ffi.memmove(pointer(side) + cycle * width, place[0], 8 * width)
    finally:
        calls.wlk_vec_close(reader[0])
    return Vectors(os.fspath(path), header, *sides)


def _decoded(path: Any, header: bytes) -> dict[str, Any]:
    """The header's text; CORRUPT when it is no JSON object."""
    try:
        found = decoded(header.decode(), {}, "its header")
        json.dumps(found, ensure_ascii=False).encode()  # halves of letters are no text
    except ValueError as error:
        message = f"{os.fsdecode(path)}: the header's text is damaged or not ours: {error}"
        raise Error("CORRUPT", f"{message}; make the file again") from error
    return found


def write_vectors(
    path: str | os.PathLike[str],
    model: Model,
    inputs: Any,
    outputs: Any = None,
    care: Any = None,
    *,
    replace: bool = False,
) -> None:
    """A file of these cycles, rows of words. Without outputs those that the model's block has from
    power-up on. `care`: None is all bits. `replace`: a file of the name may be replaced. Error
    USAGE, NO_FILE, NO_SPACE."""
    ins, by_model = model.inputs.rows(inputs), outputs is None
    if by_model:
        outs, cares = _from_power_up(model, ins)
    else:
        outs = model.outputs.rows(outputs)
        cares = np.broadcast_to(model.outputs.mask, outs.shape) if care is None else care
    if not len(ins) == len(outs) == len(cares):
        raise ValueError(f"{os.fspath(path)}: inputs, outputs and care of one length are wanted")
    sides = ins, outs, model.outputs.check(np.ascontiguousarray(_words(cares)), many=True)
    calls, writer = library(), ffi.new("wlk_vec_writer **")
    shape = ffi.new("wlk_vec_shape *", [model.layout.in_words, model.layout.out_words])
    header = json.dumps(_header(model, by_model)).encode()
    try:
        call(calls.wlk_vec_create, writer, os.fsencode(path), shape, header, replace)
    except Error as error:
        raise Error(error.status, error.message.replace("--force", "replace=True")) from error
    try:
        for cycle in range(len(ins)):
            rows = (pointer(side) + cycle * side.shape[1] for side in sides)
            call(calls.wlk_vec_write, writer[0], *rows)
    except BaseException:
        calls.wlk_vec_abort(writer[0])
        raise
    call(calls.wlk_vec_finish, writer[0])


def _words(given: Any) -> Any:
    return given.words if isinstance(given, Record) else given


def _from_power_up(model: Model, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    taken = model.snapshot()
    model.reset()
    try:
        return model.run(inputs)
    finally:
        model.restore(taken)


def _header(model: Model, by_model: bool) -> dict[str, Any]:
    """docs/record-format.md, "Header text"."""
    made = {
        "tool": f"warplock {text(library().wlk_version())}",
        "block": model.name,
        "schema": f"{model.table.schema_hash:016x}",
        "model_version": model.table.model_version,
        "config": model.config,
        "power_up": model.power_up,
        "source": "gen" if by_model else "csv",
        "recording": "Python",
    }
    return made | ({"members": model.members} if model.members else {})
