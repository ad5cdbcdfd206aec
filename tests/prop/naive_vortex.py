# SPDX-License-Identifier: Apache-2.0
"""Naive second implementation of Vortex's operand collectors (vortex-issue).

Plain and slow on purpose: lists of registers, one object for each module of the library. None is
unknown: what no reset reaches, until something known is loaded. Before the first edge in reset
nothing is followed but what is written into the register files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from naive_common import Known, Reading, Row
from naive_ports import ports

COUNTER = (1 << 44) - 1


def idle_index(n: int) -> int:
    """IDX0 of §1."""
    if n == 2:
        return 1
    return n - 1 if n >= 4 and n & (n - 1) == 0 else 0


# ---- library (§4) --------------------------------------------------------------------------------


class Wires:
    """Code 0."""

    def ready(self, ready_out: int) -> int:
        return ready_out

    def shown(self, valid: int, data: Any) -> tuple[int, Any]:
        return valid, data

    def edge(self, valid: int, data: Any, ready_out: int, reset: int) -> None:
        pass

    def clear(self) -> None:
        """What reset does."""


class Pipe:
    """A stage (§4.1)."""

    def __init__(self, data: Any) -> None:
        self.valid, self.data = 0, data

    def ready(self, ready_out: int) -> int:
        return int(ready_out or not self.valid)

    def shown(self, valid: int, data: Any) -> tuple[int, Any]:
        return self.valid, self.data

    def edge(self, valid: int, data: Any, ready_out: int, reset: int) -> None:
        if self.ready(ready_out):
            self.valid, self.data = valid, data
        if reset:
            self.clear()

    def clear(self) -> None:
        self.valid = 0


class Stream:
    """Two entries (§4.2), with or without output register."""

    def __init__(self, data: Any, registered: bool) -> None:
        self.registered = registered
        self.can, self.valid, self.first, self.spare = 0, 0, data, data

    def ready(self, ready_out: int) -> int:
        return self.can

    def shown(self, valid: int, data: Any) -> tuple[int, Any]:
        direct = self.registered or self.can
        return self.valid, self.first if direct else self.spare

    def edge(self, valid: int, data: Any, ready_out: int, reset: int) -> None:
        fire, flow = valid and self.can, ready_out or not self.valid
        if self.registered:
            self.first = (data if self.can else self.spare) if flow else self.first
            self.spare = data if fire else self.spare
        elif fire:
            self.first, self.spare = data, self.first
        can = int(bool(flow)) if valid or flow else self.can
        self.valid = int(valid or not self.can) if flow else self.valid
        self.can = can
        if reset:
            self.clear()

    def clear(self) -> None:
        self.can, self.valid = 1, 0


class Chain:
    """Buffers one behind the other, as an OUT_BUF code makes them (§4.4)."""

    def __init__(self, code: int, data: Any) -> None:
        made: dict[int, Callable[[], list]] = {
            0: lambda: [Wires()],
            1: lambda: [Pipe(data)],
            2: lambda: [Stream(data, False)],
            3: lambda: [Stream(data, True)],
            4: lambda: [Stream(data, False), Pipe(data)],
            5: lambda: [Stream(data, False), Pipe(data), Pipe(data)],
        }
        self.parts = made[code]()

    def ready(self, ready_out: int) -> int:
        for part in reversed(self.parts):
            ready_out = part.ready(ready_out)
        return ready_out

    def shown(self, valid: int, data: Any) -> tuple[int, Any]:
        for part in self.parts:
            valid, data = part.shown(valid, data)
        return valid, data

    def edge(self, valid: int, data: Any, ready_out: int, reset: int) -> None:
        steps = []
        for place, part in enumerate(self.parts):
            ready = ready_out
            for behind_it in reversed(self.parts[place + 1 :]):
                ready = behind_it.ready(ready)
            steps.append((part, valid, data, ready))
            valid, data = part.shown(valid, data)
        for part, given, what, ready in steps:
            part.edge(given, what, ready, reset)

    def clear(self) -> None:
        for part in self.parts:
            part.clear()


class StreamArb:
    """A stream arbiter (§4.6) by priority, perhaps sticky; a tree above twelve.

    What it shows is (input chosen, data); in a tree the data is what its slice shows.
    """

    def __init__(self, n: int, sticky: bool, code: int, data: Any) -> None:
        self.n, self.sticky, self.owner = n, sticky, None
        first = None if data is None else 0
        self.buffer = Chain(code, (0 if n == 1 else first, data))
        self.slices: list[StreamArb] = []
        if n > 12:
            sizes = [min(8, n - first) for first in range(0, n, 8)]
            self.slices = [StreamArb(size, sticky, 3, data) for size in sizes]
            self.join = StreamArb(len(sizes), sticky, code, (first, data))

    def _choice(self, valid: list[int]) -> int:
        asking = [i for i, v in enumerate(valid) if v]
        if self.sticky and self.owner in asking:
            return self.owner
        return asking[0] if asking else idle_index(self.n)

    def _inner(self, valid: list[int], data: list) -> tuple[list[int], list]:
        """What the slices show."""
        cut = [(valid[8 * k : 8 * k + 8], data[8 * k : 8 * k + 8]) for k in range(len(self.slices))]
        pairs = [part.shown(*given) for part, given in zip(self.slices, cut, strict=True)]
        return [v for v, _ in pairs], [d for _, d in pairs]

    def ready(self, valid: list[int], data: list, ready_out: int) -> list[int]:
        """The ready of each input."""
        if self.slices:
            ready = self.join.ready(*self._inner(valid, data), ready_out)
            pieces = [
                part.ready(valid[8 * k : 8 * k + 8], data[8 * k : 8 * k + 8], ready[k])
                for k, part in enumerate(self.slices)
            ]
            return [bit for piece in pieces for bit in piece]
        can = self.buffer.ready(ready_out)
        if self.n == 1:
            return [can]
        choice = self._choice(valid)
        return [int(can and bool(valid[i]) and i == choice) for i in range(self.n)]

    def shown(self, valid: list[int], data: list) -> tuple[int, Any]:
        if self.slices:
            return self.join.shown(*self._inner(valid, data))
        choice = self._choice(valid) if self.n > 1 else 0
        return self.buffer.shown(int(any(valid)), (choice, data[choice]))

    def edge(self, valid: list[int], data: list, ready_out: int, reset: int) -> None:
        if self.slices:
            inner = self._inner(valid, data)
            ready = self.join.ready(*inner, ready_out)
            self.join.edge(*inner, ready_out, reset)
            for k, part in enumerate(self.slices):
                cut = valid[8 * k : 8 * k + 8], data[8 * k : 8 * k + 8]
                part.edge(*cut, ready[k], reset)
            return
        choice = self._choice(valid) if self.n > 1 else 0
        fires = any(valid) and self.buffer.ready(ready_out)
        self.buffer.edge(int(any(valid)), (choice, data[choice]), ready_out, reset)
        if fires:
            self.owner = choice
        if reset:
            self.owner = None

    def clear(self) -> None:
        """What reset does."""
        self.owner = None
        for part in (*self.slices, *([self.join] if self.slices else ()), self.buffer):
            part.clear()


class Live(Reading):
    """A block of which nothing is shown before the first reset."""

    def __init__(self, params: dict, block: str) -> None:
        self.p, self.zero = params, params["power_up"] == "zero"
        self.live = self.zero
        self.listed = ports(block, params)
        self.outs = [port.name for port in self.listed if port.direction == "o"]
        self.warps = params["num_warps"] // params["issue_width"]
        self.perf = bool(params["perf_enable"])

    def shows(self, x: Row) -> Known:
        raise NotImplementedError

    def outputs(self, x: Row) -> Known:
        return self.shows(x) if self.live else dict.fromkeys(self.outs)


def register(params: dict, field: int) -> int | None:
    """R of §3; None where the type does not exist."""
    if params["ext_f_enable"]:
        return field
    return field if field < 32 else None


# ---- collector (§6) ------------------------------------------------------------------------------

META = "uuid wis sid tmask PC ex_type op_type op_args op_args_high wb rd sop eop".split()
Lanes = list[int | None]


class Collector:
    """One of them; `live` is its block's business."""

    def __init__(self, params: dict, code: int) -> None:
        self.p = params
        self.zero = params["power_up"] == "zero"
        self.banks, self.simd = params["num_gpr_banks"], params["simd_width"]
        self.packets = params["num_threads"] // self.simd
        warps = params["num_warps"] // params["issue_width"]
        self.own_warps = warps // params["num_opcs"]
        self.wis_bits = max(1, (warps - 1).bit_length())
        self.clears = bool(params["simulation"]) and not params["ndebug"]
        some = 0 if self.zero else None
        self.ram: dict[tuple[int, ...], Lanes] = {}
        self.unwritten: Lanes = [some] * self.simd
        meta = dict.fromkeys(META, 0) if self.zero else None
        self.fetched, self.sent, self.first = [False] * 3, set(), not self.zero
        self.v1 = self.v2 = 0
        self.one = self.two = (meta, [some] * self.banks, [0] * self.banks)
        self.rows1, self.coll1 = [(0, 0, 0)] * self.banks, 0
        self.rdata: list[Lanes] = [[some] * self.simd for _ in range(self.banks)]
        self.obuf: list[Lanes] = [[0] * self.simd for _ in range(3)]
        self.out = Chain(code, (meta, [[some] * self.simd for _ in range(3)]))
        self.stalls = 0

    # What follows from the inputs

    def place(self, reg: int, sid: int, wis: int) -> tuple[int, ...]:
        """(bank, packet, warp, row) of a register."""
        bits = (self.own_warps - 1).bit_length()
        warp = wis >> (self.wis_bits - bits) if bits else 0
        return reg % self.banks, sid if self.packets > 1 else 0, warp, reg // self.banks

    def sources(self, x: Row) -> list[int | None]:
        """The registers yet to be fetched."""
        mask = 63 if self.p["ext_f_enable"] else 31
        regs = [x[f"sb_data_rs{i + 1}"] & mask for i in range(3)]
        wanted = [x["sb_data_used_rs"] >> i & 1 and r and not self.fetched[i] for i, r in
                  enumerate(regs)]  # fmt: skip
        return [r if want else None for r, want in zip(regs, wanted, strict=True)]

    def collides(self, x: Row) -> bool:
        banks = [r % self.banks for r in self.sources(x) if r is not None]
        return len(set(banks)) < len(banks)

    def packet(self, x: Row) -> tuple[int, int, int, int]:
        """(number, mask, sop, eop) of the packet whose turn it is (§4.9)."""
        if self.packets == 1:
            return 0, x["sb_data_tmask"], 1, 1
        cut = [
            x["sb_data_tmask"] >> (k * self.simd) & ((1 << self.simd) - 1)
            for k in range(self.packets)
        ]
        full = [k for k, part in enumerate(cut) if part]
        left = [k for k in full if k not in self.sent]
        number = left[0] if left else idle_index(self.packets)
        return number, cut[number], int(self.first), int(number == (full[-1] if full else 0))

    def readies(self, ready_out: int) -> tuple[int, int, int]:
        """Of the request stage, stage 1, stage 2."""
        two = self.out.ready(ready_out)
        one = int(two or not self.v2)
        return int(one or not self.v1), one, two

    def ready(self, x: Row, ready_out: int) -> int:
        last = self.readies(ready_out)[0] and not self.collides(x)
        return int(last and self.packet(x)[3])

    def merged(self) -> list[Lanes]:
        _, reads, operands = self.two
        if None in reads:
            return [[None] * self.simd for _ in range(3)]
        rows = [list(row) for row in self.obuf]
        for bank, delivers in enumerate(reads):
            if delivers:
                rows[operands[bank]] = list(self.rdata[bank])
        return rows

    def shown(self) -> tuple[int, Any]:
        return self.out.shown(self.v2, (self.two[0], self.merged()))

    # The edge

    def edge(self, x: Row, valid: int, writes: int, ready_out: int) -> None:
        reset = x["reset"]
        rdy0, rdy1, rdy2 = self.readies(ready_out)
        number, mask, sop, eop = self.packet(x)
        sources, collides = self.sources(x), self.collides(x)
        last = rdy0 and not collides
        self.stalls = 0 if reset else (self.stalls + (valid and rdy0 and collides)) & COUNTER
        merged = self.merged()
        self.out.edge(self.v2, (self.two[0], merged), ready_out, reset)
        cleared = reset or (self.v2 and rdy2)
        self.obuf = [[0] * self.simd for _ in range(3)] if cleared else merged
        if self.v1 and rdy1:
            self._read()
        winners: list[int | None] = [None] * self.banks
        for i in (2, 1, 0):
            if valid and sources[i] is not None:
                winners[sources[i] % self.banks] = i
        if rdy1:
            self.two, self.v2 = self.one, int(self.v1 and not self.coll1)
        if rdy0:
            names = [x[f"sb_data_rs{i + 1}"] & (63 if self.p["ext_f_enable"] else 31) for i in
                     range(3)]  # fmt: skip
            meta = {name: x.get(f"sb_data_{name}") for name in META}
            meta |= {"sid": number, "tmask": mask, "sop": sop, "eop": eop}
            meta["rd"] &= 63 if self.p["ext_f_enable"] else 31
            operands = [0 if i is None else i for i in winners]
            self.one = (meta, [int(i is not None) for i in winners], operands)
            self.rows1 = [
                self.place(names[i], number, x["sb_data_wis"])[1:] for i in operands
            ]  # in the bank that reads it
            self.v1, self.coll1 = valid, collides
        self._advance(reset, valid, last, number, eop, winners if rdy0 else [])
        if reset:
            self.reset()
        self._write(x, writes)

    def reset(self) -> None:
        """The registers that reset reaches: of what goes with a stage, that of the last bank."""
        self.v1 = self.v2 = 0
        for stage in ("one", "two"):
            meta, reads, operands = getattr(self, stage)
            setattr(self, stage, (meta, [*reads[:-1], 0], operands))
        self.fetched, self.sent, self.first = [False] * 3, set(), True
        self.obuf = [[0] * self.simd for _ in range(3)]
        self.stalls = 0

    def _advance(
        self, reset: int, valid: int, last: int, number: int, eop: int, winners: list
    ) -> None:
        if last:
            self.fetched = [False] * 3
        else:
            self.fetched = [done or i in winners for i, done in enumerate(self.fetched)]
        if valid and last and self.packets > 1:
            self.sent, self.first = (set(), True) if eop else (self.sent | {number}, False)

    def _read(self) -> None:
        for bank, row in enumerate(self.rows1):
            there = row[1] < self.own_warps
            unknown = self.unwritten if there else [None] * self.simd
            self.rdata[bank] = list(self.ram.get((bank, *row), unknown))

    def _write(self, x: Row, writes: int) -> None:
        if x["reset"] and self.clears:
            self.ram, self.unwritten = {}, [0] * self.simd
        elif writes:
            where = self.place(x["wb_data_rd"], x["wb_data_sid"], x["wb_data_wis"])
            word = list(self.ram.get(where, self.unwritten))
            for lane in range(self.simd):
                if x["wb_data_tmask"] >> lane & 1:
                    word[lane] = x[f"wb_data_data_{lane}"]
            if where[2] < self.own_warps:
                self.ram[where] = word


def packet_ports(outs: list[str], valid: int, data: Any) -> Known:
    """The output's ports for what is shown."""
    meta, rows = data
    known = {f"op_data_{name}": None if meta is None else meta[name] for name in META}
    for i, row in enumerate(rows):
        known |= {f"op_data_rs{i + 1}_data_{lane}": value for lane, value in enumerate(row)}
    known["op_valid"] = valid
    return {name: known[name] for name in outs if name in known}


class OpcUnitState(Live):
    def __init__(self, params: dict) -> None:
        super().__init__(params, "vortex_opc_unit")
        self.opc = Collector(params, params["out_buf"])

    def shows(self, x: Row) -> Known:
        out = packet_ports(self.outs, *self.opc.shown())
        out["sb_ready"] = self.opc.ready(x, x["op_ready"])
        return out | ({"perf_stalls": self.opc.stalls} if self.perf else {})

    def violations(self, x: Row) -> set[str]:
        return broken_rules(self.p, x)

    def edge(self, x: Row) -> None:
        if self.live:
            self.opc.edge(x, x["sb_valid"], x["wb_valid"], x["op_ready"])
            return
        start(self.opc, x, x["wb_valid"])
        self.live = bool(x["reset"])


def broken_rules(params: dict, x: Row) -> set[str]:
    """What breaks a rule of the blocks with collectors, outside reset."""
    warps = params["num_warps"] // params["issue_width"]
    packets = params["num_threads"] // params["simd_width"]
    if x["reset"]:
        return set()
    found = {
        f"{port}_warp_out_of_range"
        for port in ("sb", "wb")
        if x[f"{port}_valid"] and 1 < warps <= x[f"{port}_data_wis"]
    }
    if packets > 1 and x["sb_valid"] and not x["sb_data_tmask"]:
        found.add("no_thread")
    if 1 < packets <= x["wb_data_sid"] and x["wb_valid"]:
        found.add("wb_packet_out_of_range")
    return found


def start(opc: Collector, x: Row, writes: int) -> None:
    """An edge before which nothing is known."""
    if x["reset"]:
        opc.reset()
        opc.out.clear()
    opc._write(x, writes)


# ---- operands (§7) -------------------------------------------------------------------------------


class OperandsState(Live):
    def __init__(self, params: dict) -> None:
        super().__init__(params, "vortex_operands")
        n = params["num_opcs"]
        self.opcs = [Collector(params, 3) for _ in range(n)]
        packets = params["num_threads"] // params["simd_width"]
        first = self.opcs[0].out.parts[0].first
        self.arb = StreamArb(n, n > 1 and packets > 1, 3 if n > 1 else 0, first)
        self.select = (1 << (n - 1).bit_length()) - 1
        self.stalls = 0

    def _requests(self) -> tuple[list[int], list]:
        pairs = [opc.shown() for opc in self.opcs]
        return [v for v, _ in pairs], [d for _, d in pairs]

    def shows(self, x: Row) -> Known:
        requests = self._requests()
        ready = self.arb.ready(*requests, x["op_ready"])
        valid, (_, packet) = self.arb.shown(*requests)
        out = packet_ports(self.outs, valid, packet[1] if self.arb.slices else packet)
        chosen = x["sb_data_wis"] & self.select
        serves = chosen < len(self.opcs)
        out["sb_ready"] = self.opcs[chosen].ready(x, ready[chosen]) if serves else 0
        return out | ({"perf_stalls": self.stalls} if self.perf else {})

    def violations(self, x: Row) -> set[str]:
        return broken_rules(self.p, x)

    def edge(self, x: Row) -> None:
        writes = [int(x["wb_valid"] and x["wb_data_wis"] & self.select == i) for i in
                  range(len(self.opcs))]  # fmt: skip
        if not self.live:
            for opc, write in zip(self.opcs, writes, strict=True):
                start(opc, x, write)
            if x["reset"]:
                self.arb.clear()
            self.live = bool(x["reset"])
            return
        requests = self._requests()
        ready = self.arb.ready(*requests, x["op_ready"])
        self.stalls = 0 if x["reset"] else sum(opc.stalls for opc in self.opcs) & COUNTER
        self.arb.edge(*requests, x["op_ready"], x["reset"])
        for i, opc in enumerate(self.opcs):
            valid = int(x["sb_valid"] and x["sb_data_wis"] & self.select == i)
            opc.edge(x, valid, writes[i], ready[i])


BLOCKS = {
    "vortex_opc_unit": OpcUnitState,
    "vortex_operands": OperandsState,
}
