# SPDX-License-Identifier: Apache-2.0
"""An FST with nothing packed but long changes: as the fuzzer's mutations know its parts.

  python3 tests/endure/fuzz/plain_fst.py IN OUT

IN may begin with text up to a zero byte, as files of tests/endure/corpus do. Files of
tests/endure/corpus named plain were made so.
"""

import struct
import sys
import zlib
from pathlib import Path

HEADER, VALUES, GEOMETRY, GZIP, LZ4, LZ4_TWICE = 0, (1, 5, 8), 3, 4, 6, 7


def u64(data: bytes, at: int) -> int:
    return struct.unpack_from(">Q", data, at)[0]


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends."""
    value = shift = 0
    while data[at] & 0x80:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def to_varint(value: int) -> bytes:
    text = bytearray()
    while value > 0x7F:
        text.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*text, value])


def unpacked(data: bytes, size: int) -> bytes:
    """zlib, unless it is plain already."""
    return data if len(data) == size else zlib.decompress(data)


def _long(data: bytes, at: int, nibble: int) -> tuple[int, int]:
    """A length that goes on in bytes behind its nibble."""
    more = 255 if nibble == 15 else 0
    while more == 255:
        more = data[at]
        nibble, at = nibble + more, at + 1
    return nibble, at


def from_lz4(data: bytes) -> bytes:
    out, at = bytearray(), 0
    while at < len(data):
        token = data[at]
        literals, at = _long(data, at + 1, token >> 4)
        out += data[at : at + literals]
        at += literals
        if at >= len(data):
            break
        distance = data[at] | data[at + 1] << 8
        length, at = _long(data, at + 2, token & 15)
        for _ in range(length + 4):
            out.append(out[-distance])
    return bytes(out)


def to_lz4(data: bytes) -> bytes:
    """Literals alone."""
    if len(data) < 15:
        return bytes([len(data) << 4]) + data
    left = len(data) - 15
    return bytes([0xF0, *[255] * (left // 255), left % 255]) + data


def hierarchy(kind: int, body: bytes) -> bytes:
    size, packed = body[:8], body[8:]
    if kind == GZIP:
        text = zlib.decompress(packed, 47)
    elif kind == LZ4:
        text = from_lz4(packed)
    else:
        text = from_lz4(from_lz4(packed[varint(packed, 0)[1] :]))
    return size + to_lz4(text)


def values(body: bytes) -> bytes:
    """Behind times and memory: first values, changes with their index, times."""
    size, at = varint(body, 24)
    packed, at = varint(body, at)
    handles, at = varint(body, at)
    first = unpacked(body[at : at + packed], size)
    lengths = to_varint(len(first)) * 2 + to_varint(handles)
    rest = body[at + packed : -24]
    size, packed, count = struct.unpack(">3Q", body[-24:])
    times = unpacked(rest[len(rest) - packed :], size)
    changes = rest[: len(rest) - packed]
    tail = struct.pack(">3Q", len(times), len(times), count)
    return body[:24] + lengths + first + changes + times + tail


def plain(data: bytes) -> bytes:
    at = data.index(0)
    out = data[:at]
    while at < len(data):
        kind, length = data[at], u64(data, at + 1)
        body = data[at + 9 : at + 1 + length]
        if kind == GEOMETRY:
            body = body[:16] + unpacked(body[16:], u64(body, 0))
        elif kind in (GZIP, LZ4, LZ4_TWICE):
            kind, body = LZ4, hierarchy(kind, body)
        elif kind in VALUES:
            body = values(body)
        out += bytes([kind]) + struct.pack(">Q", len(body) + 8) + body
        at += 1 + length
    return out


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(plain(Path(sys.argv[1]).read_bytes()))
