# SPDX-License-Identifier: Apache-2.0
"""Naive second implementation of the collector (muon-issue §0, §2), for the property tests.

Plain and slow on purpose. A word of lanes is a dictionary {lane: value} that holds the known
lanes only: a lane that is absent is unknown and is reported with care 0.
"""

from naive_common import OPERANDS, Known, Reading, Row

Word = dict[int, int]
"""The known lanes of one register: {lane: value}."""


class CollectorState(Reading):
    """While `control_known` is false the registers that reset reaches mean nothing."""

    def __init__(self, params: dict) -> None:
        self.params = params
        self.entries = range(self.params["coll_entries"])
        self.lanes = range(self.params["num_lanes"])
        zero = self.params["power_up"] == "zero"
        self.rf: list[dict[tuple[int, int], Word]] = [{}, {}, {}]
        self.never_written: Word = self._zeros() if zero else {}
        self.write_resp_valid: int | None = 0 if zero else None
        self._reset_registers()
        self.control_known = zero

    # Combinational

    def _free_now(self, x: Row) -> bool:
        enables = [x[f"io_readData_req_bits_regs_{i}_enable"] for i in OPERANDS]
        return bool(x["io_readData_req_valid"] and any(enables))

    def _ready(self, x: Row) -> bool | None:
        """readReq.ready; None = unknown. freeNow alone is enough to know it."""
        if self._free_now(x):
            return True
        if not self.control_known:
            return None
        return not all(self.alloc_valid)

    def _shown_entry(self, x: Row) -> int:
        """The entry readData shows: out of range reads entry 0 (§2)."""
        entry = x["io_readData_req_bits_collEntry"]
        return entry if entry in self.entries else 0

    def _register(self, value: int | bool) -> int | bool | None:
        """What is known of a register that reset reaches."""
        return value if self.control_known else None

    def outputs(self, x: Row) -> Known:
        entry = self._shown_entry(x)
        out: dict[str, int | bool | None] = {
            "io_readReq_ready": self._ready(x),
            "io_readResp_valid": self._register(self.resp_valid),
            "io_readResp_bits_collEntry": self._register(self.next_alloc_id),
            "io_writeReq_ready": 1,
            "io_writeResp_valid": self.write_resp_valid,
            "io_writeResp_bits_collEntry": 0,
            "io_writeResp_bits_regs_0_enable": 1,
            "io_readData_resp_valid": self._register(self.alloc_valid[entry]),
        }
        valid = x["io_readData_req_valid"]
        for i in OPERANDS:
            out[f"io_readResp_bits_regs_{i}_enable"] = self._register(self.resp_enable[i])
            enable = valid and x[f"io_readData_req_bits_regs_{i}_enable"]
            out[f"io_readData_resp_bits_{i}_enable"] = enable
            shown = self.bank[i][entry] if self.control_known else {}
            for lane in self.lanes:
                out[f"io_readData_resp_bits_{i}_data_{lane}"] = shown.get(lane)
        return {name: None if value is None else int(value) for name, value in out.items()}

    def violations(self, x: Row) -> set[str]:
        """The protocol rules that the inputs break, after the first reset."""
        if x["reset"] or not x["io_readData_req_valid"]:
            return set()
        entry = x["io_readData_req_bits_collEntry"]
        allocated = entry in self.entries and self.alloc_valid[entry]
        return set() if allocated else {"readData_unallocated"}

    # Clock edge

    def edge(self, x: Row) -> None:
        written_preg, written = self._write_port(x)
        if x["reset"]:
            self._reset_registers()
            self.control_known = True
        elif self.control_known:
            sram_out = [self._sram_read(i, x, written_preg, written) for i in OPERANDS]
            self._land()
            self._issue(x, sram_out)
        # The two things no reset reaches; they also work before the first reset.
        self._sram_write(written_preg, written)
        self.write_resp_valid = int(x["io_writeReq_valid"] and x["io_writeReq_bits_regs_0_enable"])

    def _reset_registers(self) -> None:
        self.alloc_valid = [False for _ in self.entries]
        self.bank = [[self._zeros() for _ in self.entries] for _ in OPERANDS]
        self.next_alloc_id = 0
        self.next_en = [False for _ in OPERANDS]
        self.next_preg = [0 for _ in OPERANDS]
        self.sram_out: list[Word] = [{} for _ in OPERANDS]
        self.resp_valid = False
        self.resp_enable = [False for _ in OPERANDS]

    def _land(self) -> None:
        """The reads issued one cycle ago arrive in the entry they were issued for."""
        for i in OPERANDS:
            if self.next_en[i] and self.next_alloc_id in self.entries:
                word = self.sram_out[i] if self.next_preg[i] != 0 else self._zeros()
                self.bank[i][self.next_alloc_id] = word

    def _issue(self, x: Row, sram_out: list[Word]) -> None:
        fire = bool(x["io_readReq_valid"] and self._ready(x))
        self._allocate(x, fire)
        for i in OPERANDS:
            enable = bool(x[f"io_readReq_bits_regs_{i}_enable"])
            self.next_en[i] = fire and enable
            self.next_preg[i] = x[f"io_readReq_bits_regs_{i}_pReg"]
            self.resp_enable[i] = fire and enable
        self.sram_out = sram_out
        self.resp_valid = fire

    def _allocate(self, x: Row, fire: bool) -> None:
        free_now = self._free_now(x)
        freed = x["io_readData_req_bits_collEntry"]
        if fire and free_now:
            self.next_alloc_id = freed
        elif fire:
            self.next_alloc_id = self.alloc_valid.index(False)
            self.alloc_valid[self.next_alloc_id] = True
        elif free_now and freed in self.entries:
            self.alloc_valid[freed] = False

    # Register file

    def _zeros(self) -> Word:
        return dict.fromkeys(self.lanes, 0)

    def _place(self, preg: int) -> tuple[int, int]:
        """(bank, row) of a register. Which of the two rules holds shows on no port (§2)."""
        rows = self.params["num_pregs"] // self.params["reg_banks"]
        if self.params["bank_select"] == "upper":
            return preg // rows, preg % rows
        return preg % self.params["reg_banks"], preg // self.params["reg_banks"]

    def _write_port(self, x: Row) -> tuple[int, Word]:
        """(register, lanes written) of this cycle; (0, {}) when nothing is written."""
        preg = x["io_writeReq_bits_regs_0_pReg"]
        if not (x["io_writeReq_valid"] and x["io_writeReq_bits_regs_0_enable"] and preg != 0):
            return 0, {}
        tmask = x["io_writeReq_bits_regs_0_tmask"]
        data = {n: x[f"io_writeReq_bits_regs_0_data_{n}"] for n in self.lanes if tmask >> n & 1}
        return preg, data

    def _sram_write(self, preg: int, written: Word) -> None:
        if preg == 0:
            return
        for copy in OPERANDS:
            old = self.rf[copy].get(self._place(preg), self.never_written)
            self.rf[copy][self._place(preg)] = {**old, **written}

    def _sram_read(self, copy: int, x: Row, written_preg: int, written: Word) -> Word:
        """What copy's SRAM gives for this cycle's request, seen against this cycle's write."""
        preg = x[f"io_readReq_bits_regs_{copy}_pReg"]
        word = dict(self.rf[copy].get(self._place(preg), self.never_written))
        if preg != written_preg or preg == 0:
            return word
        if self.params["read_during_write"] == "new":
            word.update(written)
        elif self.params["read_during_write"] == "undefined":
            for lane in written:
                word.pop(lane, None)
        return word


BLOCKS = {"collector": CollectorState}
