# SPDX-License-Identifier: Apache-2.0
"""The issue stage with the collectors of the Muon document (muon-designs), a rule a method.

Values, not ports: a cycle takes the heads of the instruction buffers and the write that is offered,
and answers what is admitted, issued, read and written. Sections are those of muon-designs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from naive_arbiter import Arbiter

OPERANDS = range(3)
Word = dict[int, int]


class Inst(NamedTuple):
    rd: int | None
    rs: tuple[int | None, ...]
    warp: int = 0
    fu: int = 0
    tag: Any = None

    @property
    def has_source(self) -> bool:
        return any(r is not None for r in self.rs)


class Write(NamedTuple):
    rd: int
    words: Word  # of the lanes of its mask


@dataclass(eq=False)
class StationRow:
    index: int
    valid: bool = False
    age: int = 0
    inst: Inst = Inst(None, (None, None, None))
    ready: list[bool] = field(default_factory=lambda: [False] * 3)
    busy: list[bool] = field(default_factory=lambda: [False] * 3)
    fired: list[bool] = field(default_factory=lambda: [False] * 3)
    epoch: list[int] = field(default_factory=lambda: [0] * 3)
    entry: int | None = None
    slots: dict[int, int] | None = None  # of a caching collector, by operand

    @property
    def has_place(self) -> bool:
        return self.entry is not None or self.slots is not None

    def need(self, i: int) -> bool:
        return self.valid and not (self.ready[i] or self.busy[i] or self.fired[i])


class Read(NamedTuple):
    """A granted read: it lands in the next cycle."""

    row: StationRow
    operand: int
    preg: int
    entry: int


@dataclass
class Denials:
    """§4.2: reads that use their bank first, and operands that are denied."""

    reads: int = 0
    by_bank: int = 0
    by_lane: int = 0


@dataclass
class Cycle:
    """What happens in one cycle."""

    write: Write | None = None
    commit: bool = False
    merge: bool = False
    forwards: list[tuple[StationRow, int]] = field(default_factory=list)
    landed: list[Read] = field(default_factory=list)
    lost: list[Read] = field(default_factory=list)
    may_enter: dict[int, list[bool]] = field(default_factory=dict)  # the output stage of a port
    dispatched: dict[int, StationRow] = field(default_factory=dict)
    issued: dict[int, Inst] = field(default_factory=dict)
    operands: dict[int, list[Word]] = field(default_factory=dict)
    freed: list[int] = field(default_factory=list)
    released: Counter = field(default_factory=Counter)  # (operand, slot)
    taken: tuple[StationRow, int] | None = None
    without_room: set[int] = field(default_factory=set)  # groups; 0 also where binding fails
    bound: StationRow | None = None
    found: dict[int, tuple[int, str]] = field(default_factory=dict)  # of that row: slot, how
    grants: dict[int, Read] = field(default_factory=dict)  # by lane
    denials: Denials = field(default_factory=Denials)
    pending_reads: Counter = field(default_factory=Counter)  # bypassed
    pending_writes: set[int] = field(default_factory=set)
    heads: list[Inst | None] = field(default_factory=list)  # candidates
    positions: list[int] = field(default_factory=list)  # of them in the window
    chosen: int = 0
    admitted: Inst | None = None
    admitted_entry: int | None = None
    ready: bool = True  # of the write that is offered


class StageX:
    """The stage. `lasts`: what power-up leaves in the arbiters of admission and of dispatch; None
    is not known. Nor are the registers then."""

    def __init__(self, params: dict, lasts: tuple[int, int] | None = (0, 0)) -> None:
        self.p = params
        self.kind, self.depth = params["collector"], params["coll_depth"]
        banks = params["coll_banks"]
        self.groups = banks if self.kind == "inst_banked" else 1
        self.n_entries = {
            "inst_banked": banks * self.depth, "src_banked": max(1, banks * self.depth // 3)
        }.get(self.kind, self.depth)  # fmt: skip
        self.rf: dict[int, Word] = {}
        self.never_written: Word = {}
        self.ports = range(params["issue_ports"])
        of_warps, of_rows = (None, None) if lasts is None else ({last} for last in lasts)
        # That of admission, then those of the issue ports.
        self.arbiters = [Arbiter(params["num_warps"], of_warps)]
        self.arbiters += [Arbiter(params["rs_entries"], of_rows) for _ in self.ports]
        self.contents: dict[int, Inst] = {}  # of the output stages: reset leaves them
        self.reset()

    def reset(self) -> None:
        p = self.p
        self.rows = [StationRow(i) for i in range(p["rs_entries"])]
        self.reads: dict[int, Read] = {}
        self.taken: set[int] = set()
        self.data: dict[tuple[int, int], Word] = {}
        self.stage: dict[int, StationRow] = {}  # by issue port
        self.tags: dict[tuple[int, int], int] = {}  # (operand, slot)
        self.users: Counter = Counter()
        self.victim = [0, 0, 0]
        self.buffer: list[Write] = []
        self.serving: Write | None = None
        self.pending_reads: Counter = Counter()  # of (epoch, register)
        self.pending_writes: set[int] = set()
        self.epoch: Counter = Counter()
        self.merged: Word | None = None
        self.admissions = 0

    # §1, §3

    def all_words(self) -> set[int]:
        return set(range(self.p["num_lanes"]))

    def register(self, preg: int) -> Word:
        zero = dict.fromkeys(self.all_words(), 0)
        return zero if preg == 0 else self.rf.get(preg, self.never_written)

    def bank(self, preg: int) -> int:
        banks = self.p["reg_banks"]
        mod = self.p["bank_map"] == "mod"
        return preg % banks if mod else preg // (self.p["num_pregs"] // banks)

    def place(self, row: StationRow, i: int) -> int | None:
        """The entry or slot of an operand."""
        return row.slots.get(i) if row.slots is not None else row.entry

    def lane(self, entry: int, i: int) -> int:
        if self.kind == "src_banked":
            return (3 * entry + i) % self.p["coll_banks"]
        return entry // self.depth if self.kind == "inst_banked" else i

    def resource(self, preg: int, i: int) -> tuple[int, int]:
        return (i if self.kind == "duplicated" else 0, self.bank(preg))

    def group(self, inst: Inst) -> int:
        return inst.fu if self.groups > 1 else 0

    def by_age(self) -> list[StationRow]:
        return sorted((row for row in self.rows if row.valid), key=lambda row: row.age)

    def walk(self) -> list[StationRow]:
        """Rows in the order of every walk."""
        by_index = [row for row in self.rows if row.valid]
        return self.by_age() if self.p["alloc_order"] == "age" else by_index

    def older(self, row: StationRow) -> Iterator[StationRow]:
        for other in self.rows:
            if other.valid and other.inst.warp == row.inst.warp and other.age < row.age:
                yield other

    def may_collect(self, row: StationRow) -> bool:
        if not self.p["in_order_per_warp"]:
            return True
        return all(o.ready[i] or o.fired[i] for o in self.older(row) for i in OPERANDS)

    # §5, §6: the write in service

    def acceptable(self, write: Write) -> bool:
        war, rd = self.p["war"], write.rd
        if war == "gate" or rd == 0:
            return True
        epoch = 1 - self.epoch[rd] if war == "epoch" else 0
        return self.pending_reads[epoch, rd] == 0

    def choose_write(self, c: Cycle, offered: Write | None) -> Write | None:
        """§6.3: what is in service."""
        if not self.p["wb_buffer"]:
            c.ready = offered is None
            return offered if offered is not None and self.acceptable(offered) else None
        c.ready = len(self.buffer) < self.p["wb_buffer"]
        waiting = [write for write in self.buffer if self.acceptable(write)]
        return self.serving or next(iter(waiting), None)

    def serve(self, c: Cycle, offered: Write | None) -> None:
        c.write = offered = self.choose_write(c, offered)
        if offered is None:
            return
        waiters = [
            (row, i) for row in self.walk() for i in OPERANDS
            if offered.rd != 0 and row.busy[i] and row.inst.rs[i] == offered.rd
        ]  # fmt: skip
        whole = set(offered.words) == self.all_words()
        must = self.p["forwarding"] == "must"
        c.merge = must and bool(waiters) and not whole and self.merged is None
        if self.p["forwarding"] != "none" and not c.merge and (whole or must):
            lanes: set[int] = set()
            for row, i in waiters:
                if row.has_place and self.lane(self.place(row, i), i) not in lanes:
                    lanes.add(self.lane(self.place(row, i), i))
                    c.forwards.append((row, i))
        c.commit = not must or len(c.forwards) == len(waiters)
        if not self.p["wb_buffer"]:
            c.ready = c.commit

    def land(self, c: Cycle) -> None:
        """§4.3, §5.2."""
        lanes = {self.lane(self.place(row, i), i) for row, i in c.forwards}
        for lane, read in self.reads.items():
            in_bank = (
                self.kind != "duplicated" and read.preg != 0 and c.write is not None
                and self.bank(read.preg) == self.bank(c.write.rd)
            )  # fmt: skip
            lost = bool(lanes) and (lane in lanes or in_bank)
            (c.lost if lost else c.landed).append(read)

    # §4.4

    def eligible(self, c: Cycle, row: StationRow) -> bool:
        now = {(r.row, r.operand) for r in c.landed} | set(c.forwards)
        seen = now if self.p["forward_coll_issue"] else set()
        ready = all(row.ready[i] or (row, i) in seen for i in OPERANDS)
        in_order = not self.p["in_order_per_warp"] or not any(self.older(row))
        return row.valid and ready and in_order

    def is_of_port(self, row: StationRow, port: int) -> bool:
        return len(self.ports) == 1 or row.inst.fu == port

    def issue(self, c: Cycle, port: int, issue_ready: bool) -> None:
        row = self.stage.get(port)
        if row is not None and issue_ready:
            c.issued[port] = row.inst
            if row.entry is not None:
                c.freed.append(row.entry)
            c.released.update((row.slots or {}).items())
            zero = self.register(0)
            c.operands[port] = [
                zero if r is None else self.data[self.place(row, i), i]
                for i, r in enumerate(row.inst.rs)
            ]
        accepts = row is None or issue_ready
        c.may_enter[port] = [
            accepts and self.eligible(c, each) and self.is_of_port(each, port) for each in self.rows
        ]

    # §4.1, §4.2

    def room(self, c: Cycle, group: int) -> int | None:
        mine = range(self.n_entries)
        if self.groups > 1:
            mine = range(group * self.depth, (group + 1) * self.depth)
        for entry in c.freed:
            if entry in mine:
                return entry
        return next((e for e in mine if e not in self.taken), None)

    def find_slot(self, c: Cycle, row: StationRow, i: int) -> tuple[int | None, str]:
        """§3.4."""
        slots = range(self.depth)
        if not row.busy[i]:
            for slot in slots:
                if self.tags.get((i, slot)) == row.inst.rs[i]:
                    return slot, "hit"
        unused = [s for s in slots if self.users[i, s] == c.released[i, s]]
        for slot in unused:
            if (i, slot) not in self.tags:
                return slot, "empty"
        turn = [(self.victim[i] + n) % self.depth for n in slots]
        return next((s for s in turn if s in unused), None), "victim"

    def bind(self, c: Cycle) -> None:
        waiting = [row for row in self.by_age() if row.inst.has_source and not row.has_place]
        if waiting:
            row = waiting[0]
            wanted = [i for i in OPERANDS if row.inst.rs[i] is not None]
            found = {i: self.find_slot(c, row, i) for i in wanted}
            if all(slot is not None for slot, _ in found.values()):
                c.bound, c.found = row, found
            else:
                c.without_room = {0}

    def take_entry(self, c: Cycle) -> None:
        kind = self.p["coll_alloc"]
        if self.kind == "caching":
            self.bind(c)
            return
        if kind == "admit":
            return
        for row in self.walk() if kind == "request" else self.by_age():
            if row.entry is not None or not row.inst.has_source:
                continue
            needs = [row.need(i) for i in OPERANDS]
            whole = any(needs) and all(n or r for n, r in zip(needs, row.ready, strict=True))
            if kind == "request" and not (whole and self.may_collect(row)):
                continue
            entry = self.room(c, self.group(row.inst))
            if entry is not None:
                c.taken = row, entry
                return
            c.without_room.add(self.group(row.inst))

    def grant(self, c: Cycle) -> None:
        used: dict[tuple[int, int], int] = {}
        granted = 0
        for row in self.walk():
            places = self._places(c, row)
            hits = [i for i, (_, how) in c.found.items() if c.bound is row and how == "hit"]
            needs = [i for i in OPERANDS if row.need(i) and i not in hits]
            if not places or not needs or not self.may_collect(row):
                continue
            if granted == self.p["alloc_rows"]:
                return
            before = len(c.grants)
            for i in needs:
                self._grant_operand(c, used, row, i, places[i])
            granted += len(c.grants) > before

    def _grant_operand(
        self, c: Cycle, used: dict[tuple[int, int], int], row: StationRow, i: int, place: int
    ) -> None:
        preg, lane = row.inst.rs[i], self.lane(place, i)
        at = self.resource(preg, i)
        shares = at in used and self.p["read_broadcast"] and used[at] == preg
        if preg != 0 and (self._is_reserved(c, preg) or (at in used and not shares)):
            c.denials.by_bank += 1
            return
        if lane in c.grants:
            c.denials.by_lane += 1
            return
        if preg != 0:
            c.denials.reads += not shares
            used[at] = preg
        c.grants[lane] = Read(row, i, preg, place)

    def _is_reserved(self, c: Cycle, preg: int) -> bool:
        """§5.3."""
        merging = c.merge or self.merged is not None
        return merging and c.write is not None and self.bank(preg) == self.bank(c.write.rd)

    def _places(self, c: Cycle, row: StationRow) -> dict[int, int]:
        """Where the operands of a row are stored, also if that is decided in this cycle."""
        if c.bound is row:
            return {i: slot for i, (slot, _) in c.found.items()}
        if c.taken is not None and c.taken[0] is row:
            return dict.fromkeys(OPERANDS, c.taken[1])
        return {i: self.place(row, i) for i in OPERANDS} if row.has_place else {}

    # §6.1, §7

    def settle_counts(self, c: Cycle) -> None:
        """The bypass: decrements and the committed write."""
        reads = c.pending_reads = self.pending_reads.copy()
        for read in c.landed:
            if read.preg != 0:
                reads[read.row.epoch[read.operand], read.preg] -= 1
        for i, (_, how) in c.found.items():
            if how == "hit" and c.bound.inst.rs[i] != 0:
                reads[c.bound.epoch[i], c.bound.inst.rs[i]] -= 1
        if self.p["count_forwarded_reads"]:
            for row, i in c.forwards:
                reads[row.epoch[i], row.inst.rs[i]] -= 1
        assert not any(count < 0 for count in reads.values())
        done = {c.write.rd} if c.commit else set()
        c.pending_writes = self.pending_writes - done

    def has_waw(self, c: Cycle, inst: Inst) -> bool:
        return inst.rd in c.pending_writes

    def has_war(self, c: Cycle, inst: Inst) -> bool:
        return self.p["war"] == "gate" and bool(inst.rd) and c.pending_reads[0, inst.rd] != 0

    def is_held(self, c: Cycle, inst: Inst) -> bool:
        """§5.3."""
        return c.write is not None and not c.commit and c.write.rd in {r for r in inst.rs if r}

    def lacks_room(self, c: Cycle, inst: Inst) -> bool:
        """§4.1, admit."""
        needs = self.p["coll_alloc"] == "admit" and inst.has_source
        return needs and self.room(c, self.group(inst)) is None

    def candidate(self, c: Cycle, window: list[Inst | None]) -> tuple[int, Inst | None]:
        """And where it is in the window."""
        fenced, read = set(), set()
        for position, inst in enumerate(window[: self.p["ibuf_window"]]):
            if inst is None:
                break
            sources = {r for r in inst.rs if r}
            rd = {inst.rd} if inst.rd else set()
            passed = sources & fenced or rd & (fenced | read)
            if not (passed or self.has_waw(c, inst) or self.has_war(c, inst)):
                stopped = self.is_held(c, inst) or self.lacks_room(c, inst)
                return position, None if stopped else inst
            fenced |= rd
            read |= sources
        return 0, None

    def counted(self, c: Cycle, inst: Inst) -> Counter:
        """What an admission adds to pendingReads."""
        by_epoch = self.p["war"] == "epoch"
        counts = self.p["count_forwarded_reads"]
        return Counter(
            (self.epoch[r] if by_epoch else 0, r)
            for r in inst.rs if r and (counts or r not in c.pending_writes)
        )  # fmt: skip

    def admit(self, c: Cycle) -> None:
        inst = c.heads[c.chosen]
        if inst is None or all(row.valid for row in self.rows):
            return
        added, limit = self.counted(c, inst), self.p["max_pending_reads"]
        fits = all(c.pending_reads[key] + n <= limit for key, n in added.items())
        if fits and (inst.rd is not None or inst.has_source):
            c.admitted = inst
            if self.p["coll_alloc"] == "admit" and inst.has_source:
                c.admitted_entry = self.room(c, self.group(inst))

    # §8

    def combine(
        self, windows: list[list[Inst | None]], offered: Write | None, issue_ready: list[bool]
    ) -> Cycle:
        """All of a cycle that comes before the arbiters."""
        c = Cycle()
        self.serve(c, offered)
        self.land(c)
        for port in self.ports:
            self.issue(c, port, issue_ready[port])
        self.take_entry(c)
        self.grant(c)
        self.settle_counts(c)
        found = [self.candidate(c, window) for window in windows]
        c.positions, c.heads = [at for at, _ in found], [inst for _, inst in found]
        return c

    def inputs_of_arbiters(self, c: Cycle) -> list[list[bool]]:
        """What each chooses from."""
        return [[head is not None for head in c.heads], *(c.may_enter[port] for port in self.ports)]

    def choose(self, c: Cycle) -> None:
        """The rest of the cycle; the arbiters must all know whom."""
        admission, *dispatch = zip(self.arbiters, self.inputs_of_arbiters(c), strict=True)
        for port, (arbiter, valid) in enumerate(dispatch):
            if any(valid):
                c.dispatched[port] = self.rows[arbiter.choice(valid)]
        c.chosen = admission[0].choice(admission[1])
        self.admit(c)

    def cycle(
        self, windows: list[list[Inst | None]], offered: Write | None, issue_ready: list[bool]
    ) -> Cycle:
        """One cycle and its edge."""
        c = self.combine(windows, offered, issue_ready)
        self.choose(c)
        self.edge(c, offered)
        return c

    def _buffer_edge(self, c: Cycle, offered: Write | None) -> None:
        self.serving = None if c.commit else c.write
        if c.commit:
            self.buffer = [write for write in self.buffer if write is not c.write]
        if offered is not None and c.ready:
            self.buffer.append(offered)

    def edge(self, c: Cycle, offered: Write | None) -> None:
        self.pending_reads, self.pending_writes = c.pending_reads, c.pending_writes
        self._store(c)
        if self.kind == "caching":
            self._slots_edge(c)
        if c.merge:
            self.merged = dict(self.register(c.write.rd))
        if c.commit:
            self._commit(c.write)
        for read in c.grants.values():
            read.row.fired[read.operand] = True
        self.reads = c.grants
        self.taken -= set(c.freed)
        if c.taken is not None:
            c.taken[0].entry = c.taken[1]
            self.taken.add(c.taken[1])
        self._stage_edge(c)
        self._admission_edge(c)
        if self.p["wb_buffer"]:
            self._buffer_edge(c, offered)

    def _store(self, c: Cycle) -> None:
        """What lands comes from the registers before this edge's write."""
        for read in c.landed:
            self.data[read.entry, read.operand] = dict(self.register(read.preg))
            read.row.ready[read.operand] = True
        for row, i in c.forwards:
            self.data[self.place(row, i), i] = {**(self.merged or {}), **c.write.words}
            row.ready[i], row.busy[i], row.fired[i] = True, False, True
        for read in c.lost:
            read.row.fired[read.operand] = False

    def _commit(self, write: Write) -> None:
        self.merged = None
        self.write(write)
        for row in self.rows:
            for i in OPERANDS:
                if row.valid and row.inst.rs[i] == write.rd:
                    row.busy[i] = False

    def write(self, write: Write) -> None:
        if write.rd != 0:
            self.rf[write.rd] = {**self.register(write.rd), **write.words}

    def _slots_edge(self, c: Cycle) -> None:
        self.tags |= {(read.operand, read.entry): read.preg for read in c.landed}
        forwarded = {(i, self.place(row, i)): c.write.rd for row, i in c.forwards}
        self.tags |= forwarded
        gone = c.write.rd if c.commit and c.write.rd != 0 else None
        self.tags = {at: r for at, r in self.tags.items() if r != gone or at in forwarded}
        self.users -= c.released
        for i, (slot, how) in c.found.items():
            self.users[i, slot] += 1
            if how == "hit":
                c.bound.ready[i] = c.bound.fired[i] = True
            else:
                self.tags.pop((i, slot), None)
            if how == "victim":
                self.victim[i] = (slot + 1) % self.depth
        if c.bound is not None:
            c.bound.slots = {i: slot for i, (slot, _) in c.found.items()}

    def _stage_edge(self, c: Cycle) -> None:
        for port in c.issued:
            del self.stage[port]
        for port, row in c.dispatched.items():
            self.arbiters[1 + port].fire(row.index)
            self.stage[port] = row
            self.contents[port] = row.inst
            row.valid = False

    def _admission_edge(self, c: Cycle) -> None:
        inst = c.admitted
        if inst is None:
            return
        self.arbiters[0].fire(c.chosen)
        left = {row.index for row in c.dispatched.values()}  # free from the next cycle on
        row = next(r for r in self.rows if not r.valid and r.index not in left)
        at = self.rows.index(row)
        row = self.rows[at] = StationRow(at, True, self.admissions, inst, entry=c.admitted_entry)
        self.admissions += 1
        row.ready = [r is None for r in inst.rs]
        row.busy = [r is not None and r in c.pending_writes for r in inst.rs]
        if self.p["war"] == "epoch":
            row.epoch = [self.epoch[r] if r else 0 for r in inst.rs]
        self.pending_reads += self.counted(c, inst)
        if c.admitted_entry is not None:
            self.taken.add(c.admitted_entry)
        if inst.rd:
            self.pending_writes.add(inst.rd)
            if self.p["war"] == "epoch":
                self.epoch[inst.rd] ^= 1
