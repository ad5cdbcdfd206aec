# SPDX-License-Identifier: Apache-2.0
"""Naive second implementation of the reservation station (muon-issue §0, §1, §5)."""

from dataclasses import dataclass, field

import naive_common as common
from naive_arbiter import Arbiter
from naive_common import HAS_RS, OPERANDS, PC, RS, WID, Entry, Known, Reading, Row
from naive_ports import behind, ports


def _no_operand() -> list[bool]:
    return [False for _ in OPERANDS]


@dataclass
class RsRow:
    """One row; as it is made, a row after reset."""

    entry: Entry
    valid: bool = False
    op_ready: list[bool] = field(default_factory=_no_operand)
    busy: list[bool] = field(default_factory=_no_operand)
    coll_fired: list[bool] = field(default_factory=_no_operand)
    coll_ptr: int = 0
    sequence: int = 0

    def need(self, i: int) -> bool:
        return not self.op_ready[i] and not self.busy[i] and not self.coll_fired[i]


@dataclass
class Stage:
    """What the output stage holds; only `full` is reset."""

    entry: Entry
    coll_fired: list[bool]
    coll_entry: int


class ReservationStationState(Reading):
    """`stage` is None as long as nobody knows its contents.

    While `control_known` is false the registers that reset reaches mean nothing.
    """

    def __init__(self, params: dict) -> None:
        self.params = params
        listed = ports("reservation_station", params)
        self.shown = tuple(port.name for port in listed if port.direction == "o")
        self.fields = behind(listed, "io_issue_bits_")
        self.counter_names = behind(listed, "io_perf_")
        zero = self.params["power_up"] == "zero"
        self.arbiter = Arbiter(self.params["rs_entries"], {0} if zero else None)
        self.stage = Stage(self._no_entry(), _no_operand(), 0) if zero else None
        self._reset_registers()
        self.control_known = zero

    def _no_entry(self) -> Entry:
        return dict.fromkeys(self.fields, 0)

    def _reset_registers(self) -> None:
        self.rows = [RsRow(self._no_entry()) for _ in range(self.params["rs_entries"])]
        self.full = False
        self.next_sequence = [0 for _ in range(self.params["num_warps"])]
        self.counters: dict = dict.fromkeys(self.counter_names, 0)

    def split(self, x: Row) -> list[Reading]:
        if not self.control_known or not self._accepts(x):
            return [self]
        return self.with_arbiter("arbiter", self.arbiter.split(self._candidates(x), False))

    # Combinational

    def outputs(self, x: Row) -> Known:
        out = self._given_by_inputs(x)
        if self.control_known:
            out.update(self._admit_and_issue(x))
            out.update(self._read_request())
            out.update(self._update_coll_reads(x))
            out.update({f"io_perf_{name}": value for name, value in self.counters.items()})
        return out

    def _given_by_inputs(self, x: Row) -> Known:
        """Every output, None where it takes the state to know it."""
        out: Known = dict.fromkeys(self.shown)
        for update in ("io_scb_updateColl", "io_scb_updateWB"):
            for one in ("write", *(f"reads_{i}" for i in OPERANDS)):
                out.update({f"{update}_{one}_{name}": 0 for name in ("pReg", "incr", "decr")})
        valid = x["io_writeback_valid"]
        out["io_scb_updateWB_enable"] = valid
        out["io_scb_updateWB_write_pReg"] = x["io_writeback_bits_rd"] if valid else 0
        out["io_scb_updateWB_write_decr"] = valid
        out["io_scb_updateColl_enable"] = int(any(self._answered(x, i) for i in OPERANDS))
        for i in OPERANDS:
            if self._answered(x, i):
                out[f"io_scb_updateColl_reads_{i}_pReg"] = None
                out[f"io_scb_updateColl_reads_{i}_decr"] = None
        if not x["io_issue_ready"]:
            out["io_collector_readData_req_valid"] = 0
            for i in OPERANDS:
                out[f"io_collector_readData_req_bits_regs_{i}_enable"] = 0
        if len(self.rows) == 1:
            out["io_collector_readReq_bits_rsEntryId"] = 0
        return out

    def _admit_and_issue(self, x: Row) -> Known:
        out: Known = {
            "io_admit_ready": int(not all(row.valid for row in self.rows)),
            "io_issue_valid": int(self.full),
        }
        fire = bool(self.full and x["io_issue_ready"])
        data = "io_collector_readData_req"
        out[f"{data}_valid"] = int(fire and any(self.stage.coll_fired))
        for i in OPERANDS:
            enable = fire and self.stage.entry[HAS_RS[i]]
            out[f"{data}_bits_regs_{i}_enable"] = int(enable)
        if self.stage is not None:
            out[f"{data}_bits_collEntry"] = self.stage.coll_entry
            out.update({f"io_issue_bits_{f}": value for f, value in self.stage.entry.items()})
        return out

    def _read_request(self) -> Known:
        asks = [self._asks(row) for row in self.rows]
        valid, number = any(asks), self._collect_row()
        row, request = self.rows[number], "io_collector_readReq"
        out: Known = {
            f"{request}_valid": int(valid),
            f"{request}_bits_rsEntryId": number,
        }
        for i in OPERANDS:
            out[f"{request}_bits_regs_{i}_enable"] = int(valid and row.need(i))
            out[f"{request}_bits_regs_{i}_pReg"] = row.entry[RS[i]] if row.need(i) else 0
        if self.params["debug"]:
            out[f"{request}_bits_pc"] = row.entry[PC]
        return out

    def _update_coll_reads(self, x: Row) -> Known:
        out: Known = {}
        for i in OPERANDS:
            taken = [row.entry[RS[i]] for row in self.rows if self._takes(x, row, i)]
            preg = taken[-1] if taken else 0
            out[f"io_scb_updateColl_reads_{i}_pReg"] = preg
            out[f"io_scb_updateColl_reads_{i}_decr"] = int(preg != 0)
        return out

    def _asks(self, row: RsRow) -> bool:
        """Whether a row is all-ready; with allow_partial_collect, whether it needs anything."""
        need = [row.need(i) for i in OPERANDS]
        whole = need == [not ready for ready in row.op_ready]
        if not row.valid or not any(need) or self._waits_to_collect(row):
            return False
        return whole or self.params["allow_partial_collect"]

    def _collect_row(self) -> int:
        asks = [self._asks(row) for row in self.rows]
        return asks.index(True) if True in asks else len(asks) - 1

    def _answered(self, x: Row, i: int) -> bool:
        response = "io_collector_readResp"
        return bool(x[f"{response}_valid"] and x[f"{response}_bits_regs_{i}_enable"])

    def _takes(self, x: Row, row: RsRow, i: int) -> bool:
        """Whether this cycle's response is for operand i of the row."""
        waits = row.valid and not row.op_ready[i] and row.coll_fired[i]
        return waits and self._answered(x, i)

    def _takes_any(self, x: Row, row: RsRow) -> bool:
        return any(self._takes(x, row, i) for i in OPERANDS)

    def _candidate(self, x: Row, row: RsRow) -> bool:
        forward = self.params["forward_coll_issue"]
        ready = [row.op_ready[i] or (forward and self._takes(x, row, i)) for i in OPERANDS]
        return row.valid and all(ready) and not self._older(row)

    def _candidates(self, x: Row) -> list[bool]:
        return [self._candidate(x, row) for row in self.rows]

    def _accepts(self, x: Row) -> bool:
        return bool(not self.full or x["io_issue_ready"])

    # in_order_per_warp

    def _sequence_bits(self) -> int:
        return (self.params["rs_entries"] - 1).bit_length() + 1

    def _older(self, row: RsRow) -> list[RsRow]:
        """The valid rows of the row's warp that came before it; none when order is free."""
        if not self.params["in_order_per_warp"]:
            return []
        bits = self._sequence_bits()
        found = []
        for other in self.rows:
            distance = (row.sequence - other.sequence) % (1 << bits)
            same_warp = other.valid and other.entry[WID] == row.entry[WID]
            if same_warp and distance != 0 and distance >> (bits - 1) == 0:
                found.append(other)
        return found

    def _waits_to_collect(self, row: RsRow) -> bool:
        return any(
            not other.op_ready[i] and not other.coll_fired[i]
            for other in self._older(row)
            for i in OPERANDS
        )

    # Clock edge

    def edge(self, x: Row) -> None:
        if not self.control_known:
            # Whether something is dispatched is unknown: so stay `last` and the stage's contents.
            self.control_known = bool(x["reset"])
            return
        candidates = self._candidates(x)
        freed = self.arbiter.choice(candidates) if any(candidates) and self._accepts(x) else None
        if freed is not None:
            self.arbiter.fire(freed)
            self.stage = self._dispatched(x, self.rows[freed])
        if x["reset"]:
            self._reset_registers()
            return
        self._count(x, candidates)
        asking = self._fired_request(x)
        admitted = self._admitted_row(x)
        for row in self.rows:
            self._respond(x, row)
            self._write_back(x, row)
        if asking is not None:
            row, enables = asking
            row.coll_fired = [a or b for a, b in zip(row.coll_fired, enables, strict=True)]
        if freed is not None:
            self.rows[freed].valid = False
        if admitted is not None:
            self._admit(x, admitted)
        self.full = freed is not None or (self.full and not x["io_issue_ready"])

    def _dispatched(self, x: Row, row: RsRow) -> Stage:
        forwarded = self.params["forward_coll_issue"] and self._takes_any(x, row)
        entry = x["io_collector_readResp_bits_collEntry"] if forwarded else row.coll_ptr
        return Stage(dict(row.entry), list(row.coll_fired), entry)

    def _fired_request(self, x: Row) -> tuple[RsRow, list[bool]] | None:
        row = self.rows[self._collect_row()]
        if not (x["io_collector_readReq_ready"] and self._asks(row)):
            return None
        return row, [row.need(i) for i in OPERANDS]

    def _admitted_row(self, x: Row) -> int | None:
        invalid = [k for k, row in enumerate(self.rows) if not row.valid]
        return invalid[0] if x["io_admit_valid"] and invalid else None

    def _respond(self, x: Row, row: RsRow) -> None:
        taken = [self._takes(x, row, i) for i in OPERANDS]
        if any(taken):
            row.op_ready = [a or b for a, b in zip(row.op_ready, taken, strict=True)]
            row.coll_ptr = x["io_collector_readResp_bits_collEntry"]

    def _write_back(self, x: Row, row: RsRow) -> None:
        if not (x["io_writeback_valid"] and row.valid):
            return
        for i in OPERANDS:
            rs = row.entry[RS[i]]
            if row.entry[HAS_RS[i]] and rs != 0 and rs == x["io_writeback_bits_rd"]:
                row.busy[i] = False

    def _admit(self, x: Row, number: int) -> None:
        entry = common.take_entry(x, "io_admit_bits_ibufEntry", self.fields)
        self.rows[number] = RsRow(
            entry=entry,
            valid=True,
            op_ready=[bool(x[f"io_admit_bits_valid_{i}"]) for i in OPERANDS],
            busy=[bool(x[f"io_admit_bits_busy_{i}"]) for i in OPERANDS],
        )
        if self.params["in_order_per_warp"]:
            warp = entry[WID]
            self.rows[number].sequence = self.next_sequence[warp]
            self.next_sequence[warp] = (self.next_sequence[warp] + 1) % (1 << self._sequence_bits())

    def _count(self, x: Row, candidates: list[bool]) -> None:
        """The counters, from the state before the edge."""
        valid = [row.entry[WID] for row in self.rows if row.valid]
        eligible = [row.entry[WID] for row, can in zip(self.rows, candidates, strict=True) if can]
        refused = x["io_admit_valid"] and all(row.valid for row in self.rows)
        offered = x[f"io_admit_bits_ibufEntry_{WID}"]
        steps = {
            "cyclesDispatched": int(any(row.valid for row in self.rows)),
            "cyclesEligible": int(any(candidates)),
            "accRsOccupancy": len(valid),
        }
        for warp in range(self.params["num_warps"]):
            steps[f"perWarp_{warp}_cyclesDispatched"] = int(warp in valid)
            steps[f"perWarp_{warp}_cyclesEligible"] = int(warp in eligible)
            steps[f"perWarp_{warp}_stallsRSFull"] = int(refused and offered == warp)
        self.counters = common.counted(self.counters, bool(x["io_softReset"]), steps.get)


BLOCKS = {"reservation_station": ReservationStationState}
