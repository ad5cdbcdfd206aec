# SPDX-License-Identifier: Apache-2.0
"""Words in names of ports: how a name is split into them, and how like two of them are."""

from __future__ import annotations

import difflib
import functools
import itertools
import re
from collections.abc import Sequence

# Words that are others, shortened.
SAME = {
    "rd": "read", "wr": "write", "w": "write", "rsp": "resp", "response": "resp",
    "request": "req", "rq": "req", "rp": "resp", "ena": "enable", "en": "enable",
    "vld": "valid", "v": "valid", "val": "valid", "rdy": "ready", "addr": "address",
    "idx": "index", "wb": "writeback", "wback": "writeback", "instr": "inst", "msk": "mask",
    "tmsk": "tmask", "dat": "data", "warp": "wid", "counter": "count", "cnt": "count",
    "register": "preg", "reg": "preg", "areg": "preg", "kind": "type", "inc": "incr", "dec": "decr",
    "opnd": "operand", "oprnd": "operand", "succ": "success", "pend": "pending", "gnt": "grant",
    "acc": "accept", "coll": "collector", "col": "collector", "collect": "collector",
    "dest": "dst", "opcode": "op", "opc": "op", "dis": "dispatch", "disp": "dispatch",
    "q": "queue", "ret": "retire", "upd": "update", "dn": "down",
}  # fmt: skip
# Words that may stand for one another: how like they are then.
KIN = (
    (0.8, "valid strobe stb"),
    (0.6, "valid req start fire go ok done hit ack"),
    (0.8, "ready grant accept"),
    (0.65, "ready ack r stall"),
    (0.8, "enable use used uses need needed want wanted select sel"),
    (0.6, "enable mask keep valid we wen has active"),
    (0.85, "tmask mask lanes strb strobe be bwe keep lane"),
    (0.5, "tmask enable we active thread threads"),
    (0.85, "preg address index num name"),
    (0.65, "preg src rs rd ra rb rc dst tag id ids read operand"),
    (0.5, "preg r"),
    (0.8, "entry slot id index tag tid cid ptr row handle"),
    (0.8, "data word words value values result operand payload"),
    (0.8, "resp alloc reply answer granted"),
    (0.7, "resp ack done result"),
    (0.5, "resp rs"),
    (0.7, "read fetch get take gather collector src operand issue"),
    (0.8, "write writeback result retire commit"),
    (0.6, "req ask"),
    (0.7, "data operand fetch get got give take pop deq"),
    (0.8, "incr up add plus"),
    (0.8, "decr down dn sub minus"),
    (0.8, "success ok pass accepted done"),
    (0.5, "success grant ready"),
    (0.7, "writes busy dirty write"),
    (0.7, "reads count read"),
    (0.7, "pending outstanding inflight busy"),
    (0.7, "hazard look lookup check query probe"),
    (0.7, "rs admit adm issue dispatch station"),
    (0.8, "uuid uid id"),
    (0.8, "type unit class fu"),
    (0.7, "args imm"),
    (0.6, "writeback wen"),
    (0.8, "rs1 ra s1 src1 opa rsa srca"),
    (0.8, "rs2 rb s2 src2 opb rsb srcb"),
    (0.8, "rs3 rc s3 src3 opc rsc srcc"),
    (0.8, "read dst rdst"),
    (0.8, "eop last end tlast"),
    (0.8, "wis wid slot"),
    (0.7, "ren dec decode rename enq in"),
    (0.7, "dispatch issue deq out"),
    (0.7, "ibuf fetch in"),
)
EMPTY = {"io", "bits", "i", "o", "in", "out", "s", "m", "axis", "axi", "p"}  # say nothing
# What a port is called that has to do with test, debugging or power, and not with the block.
APART = {
    "scan", "test", "dft", "bist", "mbist", "dbg", "debug", "se", "si", "so", "tm", "mode", "trace",
    "perf", "status", "state", "idle", "cg", "bypass", "cfg", "spare", "ecc", "parity", "error",
    "err", "irq", "pwr", "sleep", "full", "empty", "busy", "level", "occ", "occupancy", "probe",
}  # fmt: skip
_KIN: dict[str, list[tuple[float, int]]] = {}
for _number, (_weight, _text) in enumerate(KIN):
    for _word in _text.split():
        _KIN.setdefault(SAME.get(_word, _word), []).append((_weight, _number))
KNOWN = {*SAME, *SAME.values(), *_KIN, *APART}
SHORT = {"w": "write", "r": "read", "d": "data", "t": "", "i": "", "o": ""}  # before a known word


def tokens(name: str) -> tuple[str, ...]:
    """`io_readReq_bits_regs_pReg` as (io, read, req, bits, regs, preg): lower case, glued words
    apart, and what only says the direction left out at both ends."""
    # `pReg` is one word, `collEntry` two.
    joined = re.sub(r"(?<![A-Za-z])([a-z])([A-Z])", lambda each: each[0].lower(), name)
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", joined)
    members = [_plain(part) for part in re.sub(r"[\[\]@]+", "_", spaced.lower()).split(".")]
    return tuple(part for word in itertools.chain(*members) for part in _unglued(word))


def _plain(text: str) -> list[str]:
    found = [word for word in text.split("_") if word]
    if len(found) > 1 and found[-1] in ("i", "o", "in", "out"):
        found = found[:-1]
    return found[1:] if len(found) > 1 and found[0] in ("i", "o", "io") else found


@functools.cache
def _unglued(word: str) -> tuple[str, ...]:
    """`rdreq` as (read, req), where both are known."""
    stem = word.rstrip("0123456789")
    if word not in KNOWN and stem and stem != word:
        return (*_unglued(stem), word[len(stem) :])
    if word in KNOWN or len(word) < 4:
        return (SAME.get(word, word),)
    best: tuple[str, ...] | None = None
    for cut in range(len(word) - 2, 1, -1):
        head, tail = word[:cut], word[cut:]
        if head in KNOWN and (rest := _unglued(tail)) and all(part in KNOWN for part in rest):
            found = (SAME.get(head, head), *rest)
            best = found if best is None or len(found) < len(best) else best
    if best is None and word[0] in SHORT and word[1:] in KNOWN:
        best = tuple(filter(None, (SHORT[word[0]], SAME.get(word[1:], word[1:]))))
    return best or (word,)


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name that say something."""
    found = tokens(name)
    kept = tuple(word for word in found if word not in EMPTY and not word.isdigit())
    return kept or found or (name,)


@functools.cache
def alike(a: str, b: str) -> float:
    """Likeness of two words, 0 to 1."""
    if a == b:
        return 1.0
    shared = [w for w, n in _KIN.get(a, ()) if any(n == m for _, m in _KIN.get(b, ()))]
    if shared:
        return max(shared)
    if a in KNOWN and b in KNOWN:
        return 0.0
    short, long = sorted((a, b), key=len)
    if len(short) > 1 and (long.startswith(short) or long.endswith(short)):
        return 0.85
    rest = iter(long)
    if len(short) > 1 and short[0] == long[0] and all(letter in rest for letter in short):
        return 0.7
    ratio = difflib.SequenceMatcher(None, a, b).ratio()
    return ratio * 0.6 if ratio > 0.6 else 0.0


@functools.cache
def phrase(a: Sequence[str], b: Sequence[str]) -> float:
    """Likeness of two lists of words: how much of the first one is in the second, mostly."""
    if not a or not b:
        return 0.0
    forth = sum(max(alike(x, y) for y in b) for x in a) / len(a)
    back = sum(max(alike(x, y) for x in a) for y in b) / len(b)
    return 0.6 * forth + 0.4 * back
