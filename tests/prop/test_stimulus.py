# SPDX-License-Identifier: Apache-2.0
"""The stimulus keeps the protocol, and tells wrong collectors from the right one."""

from __future__ import annotations

from itertools import product

import pytest
from naive_collector import OPERANDS, NaiveCollector, Word
from stimulus import PROFILES, Outputs, Row, Stimulus
from test_model import first_difference

CYCLES = 300
ENTRIES = (1, 2, 3)


def params_of(entries: int, mode: str) -> dict:
    """A small collector."""
    return {
        "num_lanes": 2,
        "num_pregs": 16,
        "coll_entries": entries,
        "read_during_write": mode,
    }


@pytest.mark.parametrize("profile", PROFILES)
def test_only_illegal_breaks_the_protocol(profile: str) -> None:
    """A legal profile never does; 'illegal' does often enough to test the rule."""
    broken = 0
    for entries in (1, 2, 3, 8):
        params = params_of(entries, "new")
        rows, _, _ = Stimulus(params, profile, 1).run(CYCLES)
        model = NaiveCollector(params)
        for row in rows:
            model.step(row)
            broken += "readData_unallocated" in model.violations
            assert not (model.violations and row["reset"])
    assert broken == 0 if PROFILES[profile].legal else broken > 100


def test_same_seed_same_rows() -> None:
    """The stimulus is a function of parameters, profile and seed."""
    one, same, other = (Stimulus({}, "mixed", seed).run(50)[0] for seed in (1, 1, 2))
    assert one == same
    assert one != other


class FreeEntryBeforeReuse(NaiveCollector):
    """Takes another free entry although one is being freed."""

    def _allocate(self, x: Row, fire: bool) -> None:
        if fire and self._free_now(x) and not all(self.alloc_valid):
            super()._allocate({**x, "io_readData_req_valid": 0}, fire)
            super()._allocate(x, False)
        else:
            super()._allocate(x, fire)


class HighestEntryFirst(NaiveCollector):
    """prio picks the highest free entry."""

    def _allocate(self, x: Row, fire: bool) -> None:
        if not fire or self._free_now(x):
            super()._allocate(x, fire)
            return
        self.next_alloc_id = max(e for e in self.entries if not self.alloc_valid[e])
        self.alloc_valid[self.next_alloc_id] = True


class IdNotHeld(NaiveCollector):
    """nextAllocId goes to 0 in a cycle without a request."""

    def _allocate(self, x: Row, fire: bool) -> None:
        super()._allocate(x, fire)
        self.next_alloc_id = self.next_alloc_id if fire else 0


class OutOfRangeFreesEntry0(NaiveCollector):
    """A free of an entry that does not exist frees entry 0."""

    def _allocate(self, x: Row, fire: bool) -> None:
        super()._allocate(x, fire)
        if not fire and self._free_now(x):
            self.alloc_valid[self._shown_entry(x)] = False


class OutOfRangeReadsLast(NaiveCollector):
    """An entry that does not exist shows the last one."""

    def _shown_entry(self, x: Row) -> int:
        return min(x["io_readData_req_bits_collEntry"], self.entries[-1])


class OutOfRangeLands(NaiveCollector):
    """A read for an entry that does not exist lands in entry 0."""

    def _land(self) -> None:
        held = self.next_alloc_id
        self.next_alloc_id = held if held in self.entries else 0
        super()._land()
        self.next_alloc_id = held


class FullIsNotReady(NaiveCollector):
    """readReq.ready ignores freeNow."""

    def _ready(self, x: Row) -> bool | None:
        return not all(self.alloc_valid) if self.control_known else None


class ReadyAlwaysKnown(NaiveCollector):
    """readReq.ready is reported as known before the first reset."""

    def _ready(self, x: Row) -> bool | None:
        return self._free_now(x) or not all(self.alloc_valid)


class NothingStale(NaiveCollector):
    """An operand that is not enabled reads 0 instead of what its predecessor left."""

    def _land(self) -> None:
        super()._land()
        for i in OPERANDS:
            if self.resp_valid and not self.next_en[i] and self.next_alloc_id in self.entries:
                self.bank[i][self.next_alloc_id] = self._zeros()


class ZeroRegisterFromSram(NaiveCollector):
    """A read of x0 lands what the SRAM holds."""

    def _land(self) -> None:
        self.next_preg = [1 for _ in OPERANDS]
        super()._land()


class LandsLate(NaiveCollector):
    """A write in the cycle in which a read lands is seen by it."""

    def _sram_write(self, preg: int, written: Word) -> None:
        for i in OPERANDS:
            if self.control_known and self.last_preg[i] == preg != 0 and self.last_landed[i]:
                self.last_landed[i].update(written)
        super()._sram_write(preg, written)

    def _land(self) -> None:
        self.last_preg = list(self.next_preg)
        self.last_landed = [self.sram_out[i] if self.next_en[i] else {} for i in OPERANDS]
        super()._land()

    def _reset_registers(self) -> None:
        super()._reset_registers()
        self.last_preg, self.last_landed = [0, 0, 0], [{}, {}, {}]


class OtherReadDuringWrite(NaiveCollector):
    """new and old are exchanged, and undefined does what new does."""

    def _sram_read(self, copy: int, x: Row, written_preg: int, written: Word) -> Word:
        mode = self.params["read_during_write"]
        self.params["read_during_write"] = "old" if mode == "new" else "new"
        word = super()._sram_read(copy, x, written_preg, written)
        self.params["read_during_write"] = mode
        return word


class UndefinedIsWholeWord(NaiveCollector):
    """Read-during-write 'undefined' also loses the lanes that are not written."""

    def _sram_read(self, copy: int, x: Row, written_preg: int, written: Word) -> Word:
        word = super()._sram_read(copy, x, written_preg, written)
        same = written_preg != 0 and x[f"io_readReq_bits_regs_{copy}_pReg"] == written_preg
        return {} if same and self.params["read_during_write"] == "undefined" else word


class MaskIgnored(NaiveCollector):
    """Every lane is written."""

    def _write_port(self, x: Row) -> tuple[int, Word]:
        return super()._write_port({**x, "io_writeReq_bits_regs_0_tmask": 3})


class ResetStopsWrites(NaiveCollector):
    """A write in a reset cycle is lost."""

    def _write_port(self, x: Row) -> tuple[int, Word]:
        return (0, {}) if x["reset"] else super()._write_port(x)


class WriteAnswerReset(NaiveCollector):
    """writeResp.valid is reset."""

    def _edge(self, x: Row) -> None:
        super()._edge(x)
        self.write_resp_valid = 0 if x["reset"] else self.write_resp_valid


class NoAnswerForX0(NaiveCollector):
    """A write of x0 is not answered."""

    def _edge(self, x: Row) -> None:
        super()._edge(x)
        self.write_resp_valid &= int(x["io_writeReq_bits_regs_0_pReg"] != 0)


class BankNotReset(NaiveCollector):
    """A reset in mid-run keeps the banks."""

    def _reset_registers(self) -> None:
        kept = getattr(self, "bank", None) if getattr(self, "control_known", False) else None
        super()._reset_registers()
        self.bank = kept or self.bank


class EntriesNotReset(NaiveCollector):
    """A reset in mid-run keeps the table."""

    def _reset_registers(self) -> None:
        kept = self.alloc_valid if getattr(self, "control_known", False) else None
        super()._reset_registers()
        self.alloc_valid = kept or self.alloc_valid


class UnwrittenIsZero(NaiveCollector):
    """A register that was never written is reported as a known 0."""

    def _sram_read(self, copy: int, x: Row, written_preg: int, written: Word) -> Word:
        return {**self._zeros(), **super()._sram_read(copy, x, written_preg, written)}


class UnwrittenIsWholeWord(NaiveCollector):
    """A register is known only when all its lanes are."""

    def _sram_read(self, copy: int, x: Row, written_preg: int, written: Word) -> Word:
        word = super()._sram_read(copy, x, written_preg, written)
        return word if len(word) == len(self.lanes) else {}


class AnswerValidGated(NaiveCollector):
    """readData.resp.valid needs req.valid."""

    def _outputs(self, x: Row) -> Outputs:
        out = super()._outputs(x)
        if not x["io_readData_req_valid"]:
            out["io_readData_resp_valid"] = (0, out["io_readData_resp_valid"][1])
        return out


@pytest.mark.parametrize("wrong", NaiveCollector.__subclasses__(), ids=lambda c: c.__name__)
def test_wrong_collector_is_told(wrong: type[NaiveCollector]) -> None:
    """Some run of the stimulus shows it."""
    for mode, entries, profile in product(("new", "old", "undefined"), ENTRIES, PROFILES):
        params = params_of(entries, mode)
        rows, expected, _ = Stimulus(params, profile, 1).run(CYCLES)
        model = wrong(params)
        if first_difference(params, expected, [model.step(row) for row in rows]):
            return
    pytest.fail(f"no profile tells {wrong.__name__} from the right collector")
