# SPDX-License-Identifier: Apache-2.0
"""Naive second implementation of the document's operand collectors (muon-designs §2 to §5), for
the property tests.

Plain and slow on purpose. A word of lanes is a dictionary {lane: value} that holds the known lanes
only: a lane that is absent is unknown and is reported with care 0.
"""

from naive_common import OPERANDS, Known, Reading, Row

Word = dict[int, int]
"""The known lanes of one register: {lane: value}."""
Place = tuple[int, int]
"""An operand's place: (operand, entry or slot)."""


class Read:
    """One read under way."""

    def __init__(self, x: Row, lane: int) -> None:
        self.preg, self.row, self.operand, self.entry = (
            x[f"io_readReq_regs_{lane}_{name}"]
            for name in ("pReg", "rsEntryId", "opIdx", "collEntry")
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Read) and vars(self) == vars(other)


class CollectorX(Reading):
    """While `control_known` is false what reset reaches means nothing."""

    def __init__(self, params: dict) -> None:
        self.p = params
        self.kind = params["collector"]
        self.lanes = range(params["coll_banks"])
        banks, depth = params["coll_banks"], params["coll_depth"]
        self.depth = depth
        self.group_count = banks if self.kind == "inst_banked" else 1
        self.ports = params["issue_ports"]
        self.entries = {"inst_banked": banks * depth, "src_banked": max(1, banks * depth // 3)}.get(
            self.kind, depth
        )
        zero = params["power_up"] == "zero"
        self.never_written: Word = self._zeros() if zero else {}
        self.rf: dict[int, Word] = {}
        self.old: Word = dict(self.never_written) if params["forwarding"] == "must" else {}
        self.written: int | None = 0 if zero else None
        self._reset()
        self.control_known = zero

    def _zeros(self) -> Word:
        return dict.fromkeys(range(self.p["num_lanes"]), 0)

    def _reset(self) -> None:
        self.allocated: set[int] = set()
        self.reads: dict[int, Read] = {}
        self.data: dict[Place, Word] = {}
        self.tags: dict[Place, int] = {}
        self.refs: dict[Place, int] = {}
        self.victim = [0, 0, 0]

    # Register file

    def _register(self, preg: int) -> Word:
        return self._zeros() if preg == 0 else self.rf.get(preg, self.never_written)

    def _bank(self, preg: int) -> int:
        """§1, bank_map."""
        banks = self.p["reg_banks"]
        if self.p["bank_map"] == "mod":
            return preg % banks
        return preg // (self.p["num_pregs"] // banks)

    # What the inputs ask

    def _group(self, entry: int) -> int:
        return entry // self.depth if self.kind == "inst_banked" else 0

    def _at(self, port: int) -> str:
        """What the names of an issue port begin with; a single one has no number."""
        return f"io_readData_{port}" if self.ports > 1 else "io_readData"

    def _freed(self, x: Row) -> list[int]:
        """Entries that are freed, the lowest port's first."""
        freed = []
        for port in range(self.ports):
            at = f"{self._at(port)}_req"
            enables = [x[f"{at}_regs_{i}_enable"] for i in OPERANDS]
            entry = x[f"{at}_collEntry"]
            if x[f"{at}_valid"] and any(enables) and entry < self.entries:
                freed.append(entry)
        return freed

    def _room(self, x: Row, group: int) -> int | None:
        """§4.1."""
        for freed in self._freed(x):
            if self._group(freed) == group:
                return freed
        mine = [e for e in range(self.entries) if self._group(e) == group]
        return next((e for e in mine if e not in self.allocated), None)

    def _users(self, x: Row, operand: int, slot: int) -> int:
        """refsNow of §3.4; a count of so many bits as R+P needs."""
        released = (
            x["io_readData_req_valid"]
            and x[f"io_readData_req_regs_{operand}_enable"]
            and x[f"io_readData_req_slot_{operand}"] == slot
        )
        limit = 1 << (self.p["rs_entries"] + 1).bit_length()
        return (self.refs.get((operand, slot), 0) - bool(released)) % limit

    def _slot(self, x: Row, i: int) -> tuple[int | None, str]:
        """The slot that an operand finds, and whether it is a hit, empty or the victim's."""
        slots = range(self.depth)
        if not x[f"io_bind_regs_{i}_busy"]:
            for slot in slots:
                if self.tags.get((i, slot)) == x[f"io_bind_regs_{i}_pReg"]:
                    return slot, "hit"
        unused = [slot for slot in slots if self._users(x, i, slot) == 0]
        for slot in unused:
            if (i, slot) not in self.tags:
                return slot, "empty"
        for slot in (*slots[self.victim[i] :], *slots[: self.victim[i]]):
            if slot in unused:
                return slot, "victim"
        return None, ""

    def _bind(self, x: Row) -> dict[int, tuple[int | None, str]]:
        """What each operand that is wanted finds."""
        if not x["io_bind_valid"]:
            return {}
        return {i: self._slot(x, i) for i in OPERANDS if x[f"io_bind_regs_{i}_enable"]}

    def _forwards(self, x: Row) -> dict[int, Place]:
        """Where each lane stores what is written."""
        if self.p["forwarding"] == "none" or not x["io_writeReq_valid"]:
            return {}
        if x["io_writeReq_regs_0_pReg"] == 0:
            return {}
        at = "io_writeReq_fwd"
        return {
            c: (x[f"{at}_{c}_opIdx"], x[f"{at}_{c}_collEntry"])
            for c in self.lanes
            if x[f"{at}_{c}_enable"]
        }

    def _lost(self, x: Row) -> set[int]:
        """§5.2."""
        forwards = self._forwards(x)
        lost = set()
        for c, read in self.reads.items():
            same = self._bank(read.preg) == self._bank(x["io_writeReq_regs_0_pReg"])
            in_bank = self.kind != "duplicated" and read.preg != 0 and same
            if forwards and (c in forwards or in_bank):
                lost.add(c)
        return lost

    def _writes(self, x: Row) -> int | None:
        done = x["io_writeReq_valid"] and x["io_writeReq_commit"]
        return x["io_writeReq_regs_0_pReg"] or None if done else None

    # Combinational

    def outputs(self, x: Row) -> Known:
        out: dict[str, int | bool | None] = self._responses(x)
        out |= self._slots_shown(x) if self.kind == "caching" else self._room_shown(x)
        for port in range(self.ports):
            for i in OPERANDS:
                shown = self.data.get((i, self._shown(x, port, i)), self._zeros())
                for lane in range(self.p["num_lanes"]):
                    out[f"{self._at(port)}_resp_{i}_data_{lane}"] = shown.get(lane)
        if not self.control_known:
            out = dict.fromkeys(out)
        out["io_writeResp_valid"] = self.written
        return {name: None if value is None else int(value) for name, value in out.items()}

    def _shown(self, x: Row, port: int, operand: int) -> int:
        caching = self.kind == "caching"
        at = x[f"{self._at(port)}_req_" + (f"slot_{operand}" if caching else "collEntry")]
        return at if at < self.entries else 0

    def _responses(self, x: Row) -> dict:
        out, lost = {}, self._lost(x)
        for c in self.lanes:
            read = self.reads.get(c)
            at = f"io_readResp_regs_{c}"
            out[f"{at}_enable"] = read is not None
            out[f"{at}_lost"] = c in lost
            out[f"{at}_rsEntryId"] = read.row if read else 0
            out[f"{at}_opIdx"] = read.operand if read else 0
            out[f"{at}_collEntry"] = read.entry if read else 0
        return out

    def _room_shown(self, x: Row) -> dict:
        out = {}
        for g in range(self.group_count):
            entry = self._room(x, g)
            out[f"io_room_{g}_valid"] = entry is not None
            out[f"io_room_{g}_collEntry"] = entry or 0
        return out

    def _slots_shown(self, x: Row) -> dict:
        found = self._bind(x)
        fits = all(slot is not None for slot, _ in found.values())
        out = {"io_bind_ready": x["io_bind_valid"] and fits}
        for i in OPERANDS:
            slot, how = found.get(i, (None, ""))
            out[f"io_bind_regs_{i}_hit"] = how == "hit"
            out[f"io_bind_regs_{i}_slot"] = slot or 0
        return out

    def violations(self, x: Row) -> set[str]:
        if x["reset"]:
            return set()
        broken = set()
        caching = self.kind == "caching"
        if not caching and x["io_alloc_valid"]:
            group = x["io_alloc_group"]
            if group >= self.group_count or self._room(x, group) is None:
                broken.add("alloc_without_room")
        reads = {c: Read(x, c) for c in self.lanes if x[f"io_readReq_regs_{c}_enable"]}
        if any(not self._fits(c, one.operand, one.entry) for c, one in reads.items()):
            broken.add("readReq_wrong_lane")
        forwarding = self.p["forwarding"] != "none" and x["io_writeReq_valid"]
        for c in self.lanes if forwarding else ():
            at = f"io_writeReq_fwd_{c}"
            place = x[f"{at}_opIdx"], x[f"{at}_collEntry"]
            if x[f"{at}_enable"] and not self._fits(c, *place):
                broken.add("fwd_wrong_lane")
        for port in range(self.ports):
            if x[f"{self._at(port)}_req_valid"]:
                broken |= self._misread(x, port)
        return broken

    def _fits(self, lane: int, operand: int, entry: int) -> bool:
        """§3: is this the lane of that operand?"""
        if operand > 2 or entry >= self.entries:
            return False
        if self.kind == "src_banked":
            return (3 * entry + operand) % len(self.lanes) == lane
        return lane == (entry // self.depth if self.kind == "inst_banked" else operand)

    def _misread(self, x: Row, port: int) -> set[str]:
        """What an issue port that reads does wrong."""
        broken = set()
        if self.kind == "caching":
            beyond = any(
                x[f"io_readData_req_regs_{i}_enable"]
                and x[f"io_readData_req_slot_{i}"] >= self.depth
                for i in OPERANDS
            )
        else:
            entry = x[f"{self._at(port)}_req_collEntry"]
            beyond = entry >= self.entries
            if self.ports > 1 and entry // self.depth != port:
                broken.add("readData_wrong_bank")
        return broken | ({"readData_out_of_range"} if beyond else set())

    # Clock edge

    def edge(self, x: Row) -> None:
        forwards, lost = self._forwards(x), self._lost(x)
        landing = [one for c, one in self.reads.items() if c not in lost]
        binds = self._bind(x) if self.kind == "caching" else {}
        if self.kind == "caching":
            counts = {
                (i, slot): self._users(x, i, slot) for i in OPERANDS for slot in range(self.depth)
            }
        else:
            self._entries_edge(x)
        for one in landing:
            self._store((one.operand, one.entry), one.preg, self._register(one.preg))
        preg, value = x["io_writeReq_regs_0_pReg"], self._value(x)
        for place in forwards.values():
            self._store(place, preg, self.old | value if self._partial(x) else value)
        if self.kind == "caching":
            gone = self._writes(x)
            for place in [p for p, tag in self.tags.items() if tag == gone]:
                if place not in forwards.values():
                    del self.tags[place]
            self.refs = counts
            self._bind_edge(binds)
        if x.get("io_writeReq_merge") and x["io_writeReq_valid"]:
            self.old = dict(self._register(preg))
        if self._writes(x):
            self.rf[preg] = self._register(preg) | value
        lanes = [c for c in self.lanes if x[f"io_readReq_regs_{c}_enable"]]
        self.reads = {c: Read(x, c) for c in lanes}
        self.written = int(bool(x["io_writeReq_valid"] and x["io_writeReq_commit"]))
        if x["reset"]:
            self._reset()
            self.control_known = True

    def _partial(self, x: Row) -> bool:
        return x["io_writeReq_regs_0_tmask"] != (1 << self.p["num_lanes"]) - 1

    def _value(self, x: Row) -> Word:
        mask = x["io_writeReq_regs_0_tmask"]
        return {
            lane: x[f"io_writeReq_regs_0_data_{lane}"]
            for lane in range(self.p["num_lanes"])
            if mask >> lane & 1
        }

    def _store(self, place: Place, preg: int, value: Word) -> None:
        if place[0] > 2 or place[1] >= self.entries:
            return
        self.data[place] = dict(value)
        if self.kind == "caching":
            self.tags[place] = preg

    def _entries_edge(self, x: Row) -> None:
        group = x["io_alloc_group"]
        taken = None
        if x["io_alloc_valid"] and group < self.group_count:
            taken = self._room(x, group)
        self.allocated -= set(self._freed(x))
        if taken is not None:
            self.allocated.add(taken)

    def _bind_edge(self, found: dict[int, tuple[int | None, str]]) -> None:
        if any(slot is None for slot, _ in found.values()):
            return
        limit = 1 << (self.p["rs_entries"] + 1).bit_length()
        for i, (slot, how) in found.items():
            self.refs[i, slot] = (self.refs[i, slot] + 1) % limit
            if how != "hit":
                self.tags.pop((i, slot), None)
            if how == "victim":
                self.victim[i] = (slot + 1) % self.depth


BLOCKS = {"collector_x": CollectorX}
