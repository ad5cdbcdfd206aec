# SPDX-License-Identifier: Apache-2.0
"""Recordings that are packed, and vector files in the package for Python."""

import contextlib
import json
import lzma
import os
import random
import struct
import sys
import zlib
from pathlib import Path

import atheris
import trees

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts" / "python"))

# ---- packed -------------------------------------------------------------------------------------


def recording(path: Path) -> None:
    """As CSV, and as stimulus of GPGPU-Sim's collector: what is done before a program has it."""
    from wlk import tables
    from wlk.base.errors import WlkError
    from wlk.fit import csv, match
    from wlk.run import opndcoll_replay, recordings

    with contextlib.suppress(WlkError):
        shapes = csv.read_ports(path)
        for name in ("compactor", "scoreboard"):
            table = tables.load(name)
            if match.fits(table, shapes, clock=False):
                match.match(table, shapes, clock=False)
        name = shapes[-1][0] if shapes else ""
        for _ in shapes and csv.split_lines(path, {"part": (name, 1)}, {"part": 2}):
            pass
    with contextlib.suppress(WlkError):
        b"".join(csv.lines(path))
    stimulus = path.with_name("v40-a-x.stim.xz")
    path.replace(stimulus)
    stimulus.with_name("v40-a-x.events.xz").write_bytes(b"")
    for each in opndcoll_replay.recordings(stimulus.parent):
        assert each.replay.revision
    with opndcoll_replay._plain(stimulus) as plain:
        beside = path.with_name("a.toml")
        beside.write_bytes(plain.read_bytes())
        with contextlib.suppress(WlkError):
            recordings._beside(path)
        opndcoll_replay._require_command(plain, stimulus)


def repacked(data: bytes, dice: random.Random) -> bytes:
    """Other lines in a packed file, or another end of it."""
    plain = lzma.decompress(data)
    how = dice.randrange(6)
    if how == 0:
        return data[: dice.randrange(len(data))]
    if how == 1:
        return data + lzma.compress(plain[dice.randrange(len(plain) + 1) :], preset=0)
    for _ in range(dice.randint(1, 3)):
        plain = trees.lines(plain, dice)
        plain = trees.words(plain, dice) if dice.randrange(2) else plain
    if how == 2:
        plain = atheris.Mutate(plain, 4096)
    form = lzma.FORMAT_ALONE if how == 3 else lzma.FORMAT_XZ
    return lzma.compress(plain, format=form, preset=0)


# ---- the package --------------------------------------------------------------------------------

HEAD, CRC = "<8sIIIIII", 28  # docs/record-format.md
ENTRY, TRAILER = 16, 24


def package(path: Path) -> None:
    """Read, and compared by model and checker of the header's block."""
    from wlk.base.errors import Status, WlkError
    from wlk.run import build

    os.environ["WARPLOCK_LIBRARY"] = str(build.folder() / "dpi/package/libwarplock.so")
    import warplock.checker
    import warplock.vectors

    try:
        whole = warplock.read_vectors(path)
        part = warplock.read_vectors(path, len(whole) // 2, 3)
        assert (part.inputs == whole.inputs[len(whole) // 2 :][:3]).all()
        with whole.model() as model:
            model.run(whole.inputs)
            named = {"members": model.members} if model.members else {}
            config = model.config
        with warplock.Checker(whole.header["block"], **named, **config) as checker:
            checker.run(whole.inputs, whole.outputs)
            checker.result()
            checker.report()
    except warplock.Error as error:
        raise WlkError(Status[error.status], error.message) from error


def other_header(data: bytes, dice: random.Random) -> bytes:
    """A vector file whose header says something else; all else is mended."""
    size = struct.unpack_from("<I", data, 12)[0]
    body = 32 + size
    text = trees.text_json(data[32:body], dice) if dice.randrange(8) else b"\xff"
    if dice.randrange(4) == 0:
        named = json.loads(text)
        named["config"] = {**named["config"], dice.choice(("blocks", "power_up", "x", "")): 1}
        text = json.dumps(named).encode()
    moved = len(text) - size
    at = struct.unpack_from("<Q", data, len(data) - TRAILER)[0]
    index = bytearray(data[at : len(data) - TRAILER])
    for entry in range(24, len(index), ENTRY):
        struct.pack_into("<Q", index, entry, struct.unpack_from("<Q", index, entry)[0] + moved)
    head = data[:12] + struct.pack("<I", len(text)) + data[16:CRC]
    head += struct.pack("<I", zlib.crc32(text, zlib.crc32(head)))
    end = struct.pack("<QII", at + moved, zlib.crc32(bytes(index)), 0) + data[-8:]
    return head + text + data[body:at] + bytes(index) + end
