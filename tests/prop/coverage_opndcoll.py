# SPDX-License-Identifier: Apache-2.0
"""What a run of the operand collector has reached, from its stimulus and its events (`--state`).

The points are the situations of the spec's section 11, which a reimplementation gets wrong, and
those of its section 12 for the other revisions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from stimulus_opndcoll import V32_SETS, Config

PORT_ORDER = ("gen", "sp", "dp", "sfu", "tensor_core", "mem", "int")

# The point and what it counts. Q1.. are the facts of section 11.
POINTS = {
    "grants_one_unit": "Q1: steps in which a unit got several operands",
    "grants_many_banks": "Q2: steps in which four banks or more were read",
    "queue_of_units": "Q3: queues with requests of several units",
    "queue_long": "Q3: queues of eight requests and more",
    "dispatch_at_once": "Q4: a dispatch in the step after the last operand",
    "younger_first": "Q5: a dispatch past an older one that was ready, of the same set",
    "dispatches_of_set": "Q6: steps in which a set dispatched several",
    "target_full_skipped": "Q7: a unit kept by its full target while its set dispatched another",
    "kind_starved": "Q8: a kind waited while ports took others and units were idle",
    "no_unit_idle": "Q8: instructions waited and no port took any",
    "oldest_in_higher_slot": "Q9: the instruction taken stood behind a younger one",
    "target_slot_shared": "Q10: V40, sub-core: dispatch into another scheduler's slot number",
    "dead_option": "Q11: grants with reg_bank_use_warp_id",
    "second_step_reads": "Q12: a written bank read in the next step without another command",
    "write_after_read": "Q13: a write accepted by a bank read in the step before",
    "write_refused": "Q14: refused destinations",
    "write_lost": "Q14: an instruction written once, in vain",
    "held_again": "Q14: the load/store unit kept a result",
    "write_resumed": "Q14, Q17: a success after a failure of the same result",
    "default_tensor": "Q15: steps with tensor units and no tensor cores",
    "tensor_port": "Q16: allocations by tensor ports, beside SFU ports",
    "taken_in_cycle": "Q19: MEM taken in the core cycle of its dispatch",
    "no_sources": "Q20: an allocation that reads nothing",
    "repeated_source": "Q21: an allocation with one register twice",
    # Configurations and sizes
    "gap": "an allocation with an empty slot before a source",
    "sources_beyond_8": "an allocation with a source in slot 8 or beyond",
    "destinations_beyond_8": "destinations in slot 8 or beyond",
    "written_bank_waits": "a bank with requests that was written and so not read",
    "freed_and_refilled": "a unit dispatched and allocated in one step",
    "generic_unit": "a port of another set took a generic unit",
    "spec_unit": "allocations of SPEC kinds",
    "one_lane": "V40: grants where the warp is one lane wide",
    "issue_refused": "instructions without a slot",
    "unknown_result": "retries of a result that there is not",
    # Section 12
    "v32_withheld": "V32: a second operand of a unit withheld",
    "v32_retry_in_vain": "V32: a retry that meets what it has written itself",
    "v42_kinds_of_port": "V42: a port took several kinds in a step",
    "v42_repeat_dropped": "V42: an allocation with fewer requests than sources",
    "v42_group_busy": "V42, sub-core: instructions waited while units were idle",
    "v42_slot_full": "V42, sub-core: a unit waited for its slot while another was empty",
    "v42_slot_taken": "V42: drained by slot number",
}


@dataclass
class State:
    """What `--state` prints after a step, kept up to date by `I` and `E`."""

    units: dict[int, tuple[int, str, int]] = field(default_factory=dict)  # uid, kind, pending
    queues: dict[int, list[int]] = field(default_factory=dict)  # units, front first
    ids: dict[str, list[int]] = field(default_factory=dict)  # uids of the slots, 0 for none
    exs: dict[str, list[int]] = field(default_factory=dict)


@dataclass
class Step:
    """What happened in a step."""

    dispatched: dict[int, tuple[int, int]] = field(default_factory=dict)  # unit: uid, slot
    grants: list[tuple[int, int]] = field(default_factory=list)  # bank, unit
    allocated: list[tuple[int, str, int, int]] = field(default_factory=list)  # port, kind, ...


class Coverage:
    """Reads the events of one run; `count` has what it reached."""

    def __init__(self, config: Config, stimulus: str) -> None:
        self.config = config
        self.count: Counter = Counter()
        self.sources = _sources(stimulus)
        self.source_of: dict[int, list[int]] = {}
        self.sched_of: dict[int, int] = {}
        self.set_of_unit = [name for name in config.existing for _ in range(config.sets[name][0])]
        self.set_of_port = _port_sets(config)
        self.state, self.step = State(), Step()
        self.before = self.state
        self.written: set[int] = set()  # banks, since the last step
        self.barred: set[int] = set()  # banks that the last step did not read for that
        self.read: set[int] = set()  # banks, by the last step
        self.satisfied: set[int] = set()  # units whose last operand the last step read
        self.failed: set[str] = set()  # results, by what the event calls them
        self.in_cycle: set[int] = set()  # uids dispatched in this core cycle
        self.commands = 0  # since the last step
        self.in_step = False

    def read_events(self, events: str) -> Counter:
        for line in events.splitlines():
            word, *words = line.split(" ")
            if word in self.OUTSIDE and self.in_step:
                self._end_step()
            self.HANDLERS[word](self, words)
        if self.in_step:
            self._end_step()
        return self.count

    # Lines outside a step

    def _header(self, words: list[str]) -> None:
        if words[0] == "set":
            self.state.ids[words[1]] = [0] * int(words[3])
            self.state.exs[words[1]] = [0] * int(words[5])

    def _cycle(self, _words: list[str]) -> None:
        self.in_cycle = set()

    def _issue(self, words: list[str]) -> None:
        sched, sources = next(self.sources)
        self.commands += 1
        if words[1] == "-":
            self.count["issue_refused"] += 1
            return
        uid, slot = int(words[1]), int(words[2])
        self.source_of[uid], self.sched_of[uid] = sources, sched
        self.state.ids[words[0]][slot] = uid

    def _take(self, words: list[str]) -> None:
        self.commands += 1
        if words[1] == "-":
            return
        slots, uid = self.state.exs[words[0]], int(words[1])
        if min(uid_ for uid_ in slots if uid_) != uid:
            self.count["v42_slot_taken"] += 1
        slots[slots.index(uid)] = 0
        self.count["taken_in_cycle"] += words[0] == "MEM" and uid in self.in_cycle

    def _write(self, words: list[str]) -> None:
        slot, bank = int(words[0]), int(words[2])
        self.commands += 1
        self.count["destinations_beyond_8"] += slot >= 8
        if words[3] == "+":
            self.count["write_after_read"] += bank in self.read
            self.written.add(bank)
        else:
            self.count["write_refused"] += 1

    def _written_back(self, what: str, name: str, result: str) -> None:
        self.commands += 1
        old = self.config.revision == "v32"
        if result == "0":
            self.count["write_lost"] += what == "V"
            self.count["held_again"] += what == "L"
            retried = name in self.failed and what in "RL"
            self.count["v32_retry_in_vain"] += old and retried
            self.failed.add(name)
        elif name in self.failed:
            self.count["write_resumed"] += 1
            self.failed.discard(name)

    def _result(self, words: list[str]) -> None:
        self.failed.discard(f"key {words[0]}")
        self._written_back("W", f"key {words[0]}", words[1])

    def _retry(self, words: list[str]) -> None:
        self.count["unknown_result"] += words[1] == "-"
        if words[1] != "-":
            self._written_back("R", f"key {words[0]}", words[1])

    def _write_drained(self, words: list[str]) -> None:
        if words[1] != "-":
            self._written_back("V", f"uid {words[1]}", words[2])

    def _load_store(self, words: list[str]) -> None:
        self._written_back("L", f"uid {words[0]}", words[1])

    def _ignore(self, _words: list[str]) -> None:
        pass

    # Lines of a step

    def _begin_step(self, _words: list[str]) -> None:
        self.in_step, self.step = True, Step()
        self.before = self.state
        self.state = State(ids=_empty(self.before.ids), exs=_empty(self.before.exs))

    def _dispatch(self, words: list[str]) -> None:
        self.step.dispatched[int(words[1])] = int(words[3]), int(words[4])

    def _grant(self, words: list[str]) -> None:
        self.step.grants.append((int(words[0]), int(words[1])))

    def _allocate(self, words: list[str]) -> None:
        self.step.allocated.append((int(words[0]), words[1], int(words[2]), int(words[3])))

    def _unit(self, words: list[str]) -> None:
        self.state.units[int(words[0])] = int(words[1]), words[2], int(words[3], 16)

    def _queue(self, words: list[str]) -> None:
        self.state.queues[int(words[0])] = [int(word.split(":")[0]) for word in words[1:]]

    def _registers(self, words: list[str]) -> None:
        where, kind = words[0].split("_")
        sets = self.state.ids if where == "ID" else self.state.exs
        sets[kind] = [int(uid) for uid in words[1:]]

    # What a step was

    def _end_step(self) -> None:
        self.in_step = False
        for look in (self._dispatches, self._grants, self._allocations, self._waiting, self._v42):
            look()
        tensor = "tensor_core" in self.config.existing and not self.config.present["TENSOR"]
        self.count["default_tensor"] += tensor and self.config.sets["tensor_core"][0] > 0
        read = {bank for bank, _ in self.step.grants}
        self.count["second_step_reads"] += not self.commands and bool(read & self.barred)
        self.barred = {bank for bank in self.before.queues if bank in self.written}
        self.count["written_bank_waits"] += len(self.barred)
        self.read, self.written, self.commands = read, set(), 0
        granted = {unit for _, unit in self.step.grants}
        units = self.state.units
        self.satisfied = {unit for unit in granted if units[unit][2] == 0}

    def _kept(self) -> Iterator[tuple[str, int, str]]:
        """(set, uid, kind) of the units that were ready but for their target."""
        for unit, (uid, kind, pending) in self.before.units.items():
            if pending == 0 and unit not in self.step.dispatched:
                yield self.set_of_unit[unit], uid, kind

    def _dispatches(self) -> None:
        add, done = self.count, self.step.dispatched
        if not done:
            return
        uids = [uid for uid, _ in done.values()]
        self.in_cycle.update(uids)
        sets = Counter(self.set_of_unit[unit] for unit in done)
        add["dispatches_of_set"] += max(sets.values()) > 1
        add["dispatch_at_once"] += len(self.satisfied & set(done))
        for name, uid, kind in self._kept():
            add["younger_first"] += any(
                uid < other for unit, (other, _) in done.items() if self.set_of_unit[unit] == name
            )
            add["target_full_skipped"] += name in sets and 0 not in self.state.exs[kind]
        if self.config.revision == "v40" and self.config.sub_core:
            add["target_slot_shared"] += any(
                slot != self.sched_of[uid] for uid, slot in done.values()
            )

    def _grants(self) -> None:
        add, config = self.count, self.config
        units = Counter(unit for _, unit in self.step.grants)
        count = sum(units.values())
        add["grants_one_unit"] += count > len(units)
        add["grants_many_banks"] += count > 3
        add["dead_option"] += count if config.dead.get("gpgpu_reg_bank_use_warp_id") else 0
        add["one_lane"] += count if config.warp_size == 1 and config.revision == "v40" else 0
        for queue in self.before.queues.values():
            add["queue_of_units"] += len(set(queue)) > 1
            add["queue_long"] += len(queue) >= 8
        if config.revision == "v32":
            fronts = Counter(
                queue[0] for bank, queue in self.before.queues.items() if bank not in self.written
            )
            add["v32_withheld"] += any(count > 1 for count in fronts.values())

    def _allocations(self) -> None:
        add = self.count
        for port, kind, unit, uid in self.step.allocated:
            sources, (_, _, pending) = self.source_of[uid], self.state.units[unit]
            slots = self.before.ids[kind]
            add["oldest_in_higher_slot"] += any(
                other > uid for other in slots[: slots.index(uid)] if other
            )
            add["no_sources"] += pending == 0
            add["sources_beyond_8"] += pending > 0xFF
            regs = [reg for reg in sources if reg >= 0]
            add["repeated_source"] += len(set(regs)) < len(regs)
            add["v42_repeat_dropped"] += pending.bit_count() < len(regs)
            add["gap"] += any(reg < 0 <= after for reg, after in pairwise(sources))
            own = self.set_of_port[port]
            add["generic_unit"] += own != "gen" and self.set_of_unit[unit] == "gen"
            add["tensor_port"] += own == "tensor_core" and "sfu" in self.set_of_port
            add["spec_unit"] += kind.startswith("SPEC")
            add["freed_and_refilled"] += unit in self.step.dispatched

    def _waiting(self) -> None:
        taken = {kind for _, kind, _, _ in self.step.allocated}
        waiting = {kind for kind, slots in self.state.ids.items() if any(slots)}
        idle = len(self.state.units) < len(self.set_of_unit)
        self.count["kind_starved"] += bool(taken and waiting - taken and idle)
        self.count["no_unit_idle"] += bool(waiting and not taken and not idle)

    def _v42(self) -> None:
        if self.config.revision != "v42":
            return
        ports = Counter(port for port, *_ in self.step.allocated)
        self.count["v42_kinds_of_port"] += any(count > 1 for count in ports.values())
        if self.config.sub_core:
            idle = len(self.state.units) < len(self.set_of_unit)
            waiting = any(any(slots) for slots in self.state.ids.values())
            self.count["v42_group_busy"] += idle and waiting and not self.step.allocated
            self.count["v42_slot_full"] += any(
                0 in self.state.exs[kind] and any(self.state.exs[kind])
                for _, _, kind in self._kept()
            )

    OUTSIDE = frozenset("C I E w W R V L L< S #".split())
    HANDLERS = {
        "#": _header,
        "C": _cycle,
        "I": _issue,
        "E": _take,
        "w": _write,
        "W": _result,
        "R": _retry,
        "V": _write_drained,
        "L": _load_store,
        "L<": _ignore,
        "S": _begin_step,
        "D": _dispatch,
        "G": _grant,
        "A": _allocate,
        "c": _unit,
        "q": _queue,
        "u": _ignore,
        "p": _ignore,
        "r": _registers,
    }


def _sources(stimulus: str) -> Iterator[tuple[int, list[int]]]:
    """The scheduler and the sources of each `I` command."""
    for line in stimulus.splitlines():
        if line.startswith("I "):
            _, _, sched, _, sources, _ = line.split(" ")
            yield int(sched), [] if sources == "-" else [int(reg) for reg in sources.split(",")]


def _port_sets(config: Config) -> list[str]:
    """The set that each port was made for: their order is not that of the sets."""
    order = V32_SETS if config.revision == "v32" else PORT_ORDER
    return [name for name in order if name in config.existing for _ in range(config.sets[name][1])]


def _empty(sets: dict[str, list[int]]) -> dict[str, list[int]]:
    return {kind: [0] * len(slots) for kind, slots in sets.items()}
