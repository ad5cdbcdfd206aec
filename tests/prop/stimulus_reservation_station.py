# SPDX-License-Identifier: Apache-2.0
"""Seeded random stimulus for the reservation station.

Lawful profiles admit operands that are ready exactly where they are not needed, and answer each
request one cycle later; the others drive anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from naive_collector import OPERANDS
from naive_common import HAS_RS, RS, WID, Row
from naive_reservation_station import ReservationStationState, RsRow
from stimulus_common import COMMON_POINTS, SOURCES, Stimulus

REQUEST, RESPONSE = "io_collector_readReq", "io_collector_readResp"
ADMIT, WRITEBACK = "io_admit", "io_writeback"


@dataclass(frozen=True)
class Profile:
    """Probabilities a cycle, unless said otherwise."""

    admit: float = 0.7  # admit.valid
    has_rd: float = 0.6
    has_rs: float = 0.6  # of each source
    repeat: float = 0.1
    busy: float = 0.3  # a source waits for a write-back
    ready: float = 0.6  # issue.ready
    request_ready: float = 0.8
    writeback: float = 0.5
    aim: float = 0.6  # a write-back names a register of some row, freed ones included
    answer: float = 1.0  # a request is answered as §2 says; otherwise with anything
    lawful_admit: float = 1.0  # admitted bits are those of §4; otherwise anything
    zero: float = 0.08  # a register number is 0
    hot: int = 8
    soft_reset: float = 0.01
    reset: float = 0.004
    uniform: bool = False  # random bits on every port


PROFILES = {
    "mixed": Profile(),
    "full": Profile(admit=0.95, ready=0.25),
    "waiting": Profile(admit=0.95, busy=0.7, writeback=0.3, ready=0.9),
    "streaming": Profile(admit=0.95, busy=0.05, ready=0.95, request_ready=0.95, has_rs=0.4),
    "few_sources": Profile(admit=0.95, has_rs=0.25, busy=0.1, request_ready=0.95),
    "zeros": Profile(zero=0.6, busy=0.6, hot=2),
    "resets": Profile(admit=0.9, reset=0.08, soft_reset=0.05, has_rs=0.3, ready=0.8),
    "wild_admits": Profile(lawful_admit=0.3, busy=0.5),
    "wild_answers": Profile(answer=0.4, admit=0.9),
    "wild": Profile(answer=0, lawful_admit=0, writeback=0.8, reset=0.02),
    "uniform": Profile(uniform=True, hot=1, reset=0.02, soft_reset=0.05),
}

POINTS = (
    *COMMON_POINTS,
    "admitted",
    "admit_refused",
    "ready_and_busy",
    "requested",
    "request_waits",
    "partial_request",
    "second_request",
    "stale_request",
    "answer_taken",
    "answer_lost",
    "answer_taken_twice",
    "forwarded",
    "dispatched",
    "dispatched_in_reset",
    "wrapped",
    "held_back",
    "in_and_out",
    "woken",
    "writeback_of_0",
    "writeback_without_operand",
    "admitted_in_its_writeback",
    "dispatch_in_order",
    "collect_in_order",
    "sequence_wrapped",
    "order_across_wrap",
    "rows_in_reset",
)


class ReservationStationStimulus(Stimulus):
    """Drives one naive reservation station."""

    BLOCK = "reservation_station"
    PROFILES = PROFILES

    def drive(self, row: Row, reading: ReservationStationState) -> None:
        entry = f"{ADMIT}_bits_ibufEntry"
        if self.profile.uniform:
            self.warp_number(row, entry)
            return
        row[f"{ADMIT}_valid"] = self.chance(self.profile.admit)
        self.instruction(row, entry)
        if self.chance(self.profile.lawful_admit):
            for i in OPERANDS:
                has = row[f"{entry}_{HAS_RS[i]}"]
                row[f"{ADMIT}_bits_valid_{i}"] = 1 - has
                row[f"{ADMIT}_bits_busy_{i}"] = has and self.chance(self.profile.busy)
        row["io_issue_ready"] = self.chance(self.profile.ready)
        row[f"{REQUEST}_ready"] = self.chance(self.profile.request_ready)
        self._writeback(row, reading)
        if self.chance(self.profile.answer):
            row[f"{RESPONSE}_valid"] = self.asked
            for i in OPERANDS:
                row[f"{RESPONSE}_bits_regs_{i}_enable"] = self.asked and self.enables[i]

    asked: int = 0
    """The request of the cycle before fired; `enables` are its operands."""
    enables: tuple[int, ...] = (0, 0, 0)

    def _writeback(self, row: Row, reading: ReservationStationState) -> None:
        row[f"{WRITEBACK}_valid"] = self.chance(self.profile.writeback)
        row[f"{WRITEBACK}_bits_rd"] = self.register()
        if self.chance(self.profile.aim):
            some = self.rng.choice(reading.rows).entry
            row[f"{WRITEBACK}_bits_rd"] = some[self.rng.choice(RS)]

    def before(self, row: Row, reading: ReservationStationState) -> dict[str, int]:
        rows = reading.rows
        candidates = reading._candidates(row)
        dispatched = any(candidates) and reading._accepts(row)
        freed = reading.arbiter.choice(candidates)
        answered = any(reading._answered(row, i) for i in OPERANDS)
        takers = sum(reading._takes_any(row, one) for one in rows)
        forwarded = reading.params["forward_coll_issue"] and reading._takes_any(row, rows[freed])
        return {
            "answer_taken": int(takers > 0),
            "answer_lost": int(answered and not takers),
            "answer_taken_twice": int(takers > 1),
            "forwarded": int(dispatched and forwarded),
            "dispatched": int(dispatched),
            "dispatched_in_reset": int(dispatched and row["reset"]),
            "wrapped": int(dispatched and freed <= min(reading.arbiter.lasts)),
            "held_back": int(any(candidates) and not dispatched),
            "in_and_out": int(dispatched and reading.full),
            "rows_in_reset": int(row["reset"] and any(one.valid for one in rows)),
            **self._admission(row, reading),
            **self._requests(row, reading),
            **self._wakeups(row, reading),
            **self._order(row, reading),
        }

    def _admission(self, row: Row, reading: ReservationStationState) -> dict[str, int]:
        valid = row[f"{ADMIT}_valid"]
        admitted = valid and not all(one.valid for one in reading.rows) and not row["reset"]
        entry = f"{ADMIT}_bits_ibufEntry"
        pairs = [(row[f"{ADMIT}_bits_valid_{i}"], row[f"{ADMIT}_bits_busy_{i}"]) for i in OPERANDS]
        rd = row[f"{WRITEBACK}_bits_rd"] if row[f"{WRITEBACK}_valid"] else 0
        named = any(row[f"{entry}_{HAS_RS[i]}"] and row[f"{entry}_{RS[i]}"] == rd for i in OPERANDS)
        last = (1 << reading._sequence_bits()) - 1
        ordered = admitted and reading.params["in_order_per_warp"]
        wraps = ordered and reading.next_sequence[row[f"{entry}_{WID}"]] == last
        return {
            "admitted": int(admitted),
            "admit_refused": int(valid and all(one.valid for one in reading.rows)),
            "ready_and_busy": int(admitted and (1, 1) in pairs),
            "admitted_in_its_writeback": int(admitted and rd != 0 and named),
            "sequence_wrapped": int(wraps),
        }

    def _requests(self, row: Row, reading: ReservationStationState) -> dict[str, int]:
        asks = [reading._asks(one) for one in reading.rows]
        number = asks.index(True) if any(asks) else len(asks) - 1
        one, fires = reading.rows[number], bool(any(asks) and row[f"{REQUEST}_ready"])
        need = [one.need(i) for i in OPERANDS]
        self.asked = int(fires and not row["reset"])
        self.enables = tuple(int(fires and wanted) for wanted in need)
        stale = [one.need(i) and one.entry[RS[i]] for i in OPERANDS]
        return {
            "requested": int(fires),
            "request_waits": int(any(asks) and not fires),
            "partial_request": int(fires and need != [not ready for ready in one.op_ready]),
            "second_request": int(fires and any(one.coll_fired)),
            "stale_request": int(not any(asks) and any(stale)),
        }

    def _wakeups(self, row: Row, reading: ReservationStationState) -> dict[str, int]:
        rd, valid = row[f"{WRITEBACK}_bits_rd"], row[f"{WRITEBACK}_valid"]
        waiting = [
            bool(one.entry[has])
            for one in reading.rows
            for i, (has, rs) in enumerate(SOURCES)
            if valid and one.valid and one.busy[i] and one.entry[rs] == rd
        ]
        return {
            "woken": waiting.count(True) if rd else 0,
            "writeback_of_0": waiting.count(True) if rd == 0 else 0,
            "writeback_without_operand": waiting.count(False),
        }

    def _order(self, row: Row, reading: ReservationStationState) -> dict[str, int]:
        if not reading.params["in_order_per_warp"]:
            return {}
        valid = [one for one in reading.rows if one.valid]
        held = [one for one in valid if all(one.op_ready) and reading._older(one)]
        return {
            "dispatch_in_order": len(held),
            "collect_in_order": sum(
                _could_ask(one) and reading._waits_to_collect(one) for one in valid
            ),
            "order_across_wrap": sum(
                other.sequence > one.sequence for one in held for other in reading._older(one)
            ),
        }

    def after(self, row: Row, reading: ReservationStationState) -> dict[str, int]:
        return {}


def _could_ask(one: RsRow) -> bool:
    need = [one.need(i) for i in OPERANDS]
    return any(need) and need == [not ready for ready in one.op_ready]
