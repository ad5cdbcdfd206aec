# SPDX-License-Identifier: Apache-2.0
"""What a run of the operand collector has reached, from its stimulus and what the naive one prints.

The points are the situations of the spec's section 11, which a reimplementation gets wrong, and
those of its section 12 for the other revisions.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from naive_opndcoll import Config, Line

# The least total of each point over all quick runs: at most half of what seeds 0..3 reach.
# Q1.. are the facts of section 11.
FLOORS = {
    "grants_one_unit": 2_000,  # Q1: steps in which a unit got several operands
    "grants_many_banks": 1_900,  # Q2: steps in which four banks or more were read
    "queue_of_units": 9_400,  # Q3: queues with requests of several units
    "queue_long": 2_400,  # Q3: queues of eight requests and more
    "dispatch_at_once": 5_000,  # Q4: a dispatch in the step after the last operand
    "younger_first": 9_500,  # Q5: a dispatch past an older one that was ready, of the same set
    "dispatches_of_set": 660,  # Q6: steps in which a set dispatched several
    "target_full_skipped": 5_900,  # Q7: a unit kept by its full target, not so another of its set
    "kind_starved": 3_500,  # Q8: a kind waited while ports took others and units were idle
    "no_unit_idle": 840,  # Q8: instructions waited and no port took any
    "oldest_in_higher_slot": 2_500,  # Q9: the instruction taken stood behind a younger one
    "target_slot_shared": 690,  # Q10: V40, sub-core: dispatch into another scheduler's slot number
    "dead_option": 4_000,  # Q11: grants with reg_bank_use_warp_id
    "second_step_reads": 850,  # Q12: a written bank read in the next step without another command
    "write_after_read": 2_700,  # Q13: a write accepted by a bank read in the step before
    "write_refused": 6_500,  # Q14: refused destinations
    "write_lost": 1_300,  # Q14: an instruction written once, in vain
    "held_again": 590,  # Q14: the load/store unit kept a result
    "write_resumed": 490,  # Q14, Q17: a success after a failure of the same result
    "default_tensor": 2_000,  # Q15: steps with tensor units and no tensor cores
    "tensor_port": 480,  # Q16: allocations by tensor ports, beside SFU ports
    "taken_in_cycle": 780,  # Q19: MEM taken in the core cycle of its dispatch
    "no_sources": 2_500,  # Q20: an allocation that reads nothing
    "repeated_source": 2_500,  # Q21: an allocation with one register twice
    # Configurations and sizes
    "gap": 780,  # an allocation with an empty slot before a source
    "sources_beyond_8": 330,  # an allocation with a source in slot 8 or beyond
    "destinations_beyond_8": 230,  # destinations in slot 8 or beyond
    "written_bank_waits": 3_100,  # a bank with requests that was written and so not read
    "freed_and_refilled": 6_400,  # a unit dispatched and allocated in one step
    "generic_unit": 360,  # a port of another set took a generic unit
    "spec_unit": 260,  # allocations of SPEC kinds
    "one_lane_v40": 1_400,  # grants where the warp is one lane wide
    "one_lane_v32": 300,
    "one_lane_v42": 1_000,
    "issue_refused": 26_000,  # instructions without a slot
    "unknown_result": 190,  # retries of a result that there is not
    # Section 12
    "v32_withheld": 620,  # V32: a second operand of a unit withheld
    "v32_retry_in_vain": 350,  # V32: a retry that meets what it has written itself
    "v42_kinds_of_port": 260,  # V42: a port took several kinds in a step
    "v42_repeat_dropped": 1_000,  # V42: an allocation with fewer requests than sources
    "v42_group_busy": 540,  # V42, sub-core: instructions waited while units were idle
    "v42_slot_full": 1_000,  # V42, sub-core: a unit waited for its slot while another was empty
    "v42_slot_taken": 140,  # V42: drained by slot number
}

# The same of the configurations with policies.
POLICY_FLOORS = {
    "passed_over": 1_800,  # pass_full_sub_core: an older one of the kind stayed, its sub-core full
    "passed_to_second_set": 50,  # the same, and the unit is of the port's second set
    "earlier_kind_waits": 700,  # rotate_kinds: a port took a kind and left one that it lists before
    "kinds_turned": 110,  # rotate_kinds, V42: a port took several, not in the order of its list
    "repeat_read_once": 1_000,  # read_duplicates_once, V40 and V32: fewer requests than sources
}

IN_STEP = frozenset("SDGAcqupkr")


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
    """Reads the lines of one run; `count` has what it reached."""

    def __init__(self, config: Config, stimulus: str) -> None:
        self.config = config
        self.count: Counter = Counter()
        self.sources = _sources(stimulus)
        self.source_of: dict[int, list[int]] = {}
        self.sched_of: dict[int, int] = {}
        self.set_of_unit = [name for name, sizes in config.sets.items() for _ in range(sizes.units)]
        self.set_of_port = config.port_sets
        self.drops = config.options.get("-warplock_read_duplicates_once") == "1"
        self.state = self.before = State()
        self.step: Step | None = None  # the one whose lines are being read
        self.written: set[int] = set()  # banks, since the last step
        self.barred: set[int] = set()  # banks that the last step did not read for that
        self.read_banks: set[int] = set()  # by the last step
        self.satisfied: set[int] = set()  # units whose last operand the last step read
        self.failed: set[str] = set()  # results, by what the event calls them
        self.in_cycle: set[int] = set()  # uids dispatched in this core cycle
        self.commands = 0  # since the last step

    def read(self, lines: Iterable[Line]) -> Counter:
        for line in lines:
            if line[0] in IN_STEP:
                self._in_step(line)
            else:
                self._end_step()
                self._outside(line)
        self._end_step()
        return self.count

    def _outside(self, line: Line) -> None:
        self.commands += line[0] not in ("C", "L<")
        match line:
            case ("#", "set", kind, "id", id_width, "ex", ex_width):
                self.state.ids[kind], self.state.exs[kind] = [0] * id_width, [0] * ex_width
            case ("C", _):
                self.in_cycle = set()
            case ("I", _, "-"):
                self.count["issue_refused"] += 1
                next(self.sources)
            case ("I", kind, uid, slot):
                self.sched_of[uid], self.source_of[uid] = next(self.sources)
                self.state.ids[kind][slot] = uid
            case ("E", kind, int(uid)):
                self._take(kind, uid)
            case ("w", slot, _, bank, answer):
                self._write(slot, bank, answer == "+")
            case ("W" | "R" | "V" | "L", *_):
                self._result(line)

    def _write(self, slot: int, bank: int, accepted: bool) -> None:
        self.count["destinations_beyond_8"] += slot >= 8
        self.count["write_refused"] += not accepted
        if accepted:
            self.count["write_after_read"] += bank in self.read_banks
            self.written.add(bank)

    def _result(self, line: Line) -> None:
        match line:
            case ("R", _, "-"):
                self.count["unknown_result"] += 1
            case ("W", key, done):
                self.failed.discard(f"key {key}")
                self._written_back("W", f"key {key}", done)
            case ("R", key, done):
                self._written_back("R", f"key {key}", done)
            case ("V", _, uid, done) | ("L", uid, done):
                self._written_back(line[0], f"uid {uid}", done)

    def _take(self, kind: str, uid: int) -> None:
        slots = self.state.exs[kind]
        self.count["v42_slot_taken"] += min(filter(None, slots)) != uid
        slots[slots.index(uid)] = 0
        self.count["taken_in_cycle"] += kind == "MEM" and uid in self.in_cycle

    def _written_back(self, what: str, name: str, done: int) -> None:
        if done:
            self.count["write_resumed"] += name in self.failed
            self.failed.discard(name)
            return
        self.count["write_lost"] += what == "V"
        self.count["held_again"] += what == "L"
        retried = name in self.failed and what in "RL"
        self.count["v32_retry_in_vain"] += self.config.revision == "v32" and retried
        self.failed.add(name)

    def _in_step(self, line: Line) -> None:
        step, state = self.step, self.state
        match line:
            case ("S", _):
                self._end_step()
                self.step, self.before = Step(), state
                self.state = State(ids=_empty(state.ids), exs=_empty(state.exs))
            case ("D", _, unit, _, uid, slot):
                step.dispatched[unit] = uid, slot
            case ("G", bank, unit, *_):
                step.grants.append((bank, unit))
            case ("A", port, kind, unit, uid):
                step.allocated.append((port, kind, unit, uid))
            case ("c", unit, uid, kind, mask):
                state.units[unit] = uid, kind, int(mask, 16)
            case ("q", bank, *requests):
                state.queues[bank] = [int(request.partition(":")[0]) for request in requests]
            case ("r", name, *uids):
                stage, _, kind = name.partition("_")
                (state.ids if stage == "ID" else state.exs)[kind] = uids

    # What a step was

    def _end_step(self) -> None:
        if self.step is None:
            return
        for look in (self._dispatches, self._grants, self._allocations, self._waiting, self._v42,
                     self._policies):  # fmt: skip
            look()
        idle = "tensor_core" in self.set_of_unit and not self.config.has["TENSOR"]
        self.count["default_tensor"] += idle
        read = {bank for bank, _ in self.step.grants}
        self.count["second_step_reads"] += not self.commands and bool(read & self.barred)
        self.barred = {bank for bank in self.before.queues if bank in self.written}
        self.count["written_bank_waits"] += len(self.barred)
        self.read_banks, self.written, self.commands = read, set(), 0
        granted = {unit for _, unit in self.step.grants}
        units = self.state.units
        self.satisfied = {unit for unit in granted if units[unit][2] == 0}
        self.step = None

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
        add["dead_option"] += count * int(config.options.get("-gpgpu_reg_bank_use_warp_id", 0))
        if config.warp_size == 1:
            add[f"one_lane_{config.revision}"] += count
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
            fewer = pending.bit_count() < len(regs)
            is_v42 = self.config.revision == "v42"
            add["v42_repeat_dropped"] += fewer and is_v42
            add["repeat_read_once"] += fewer and self.drops and not is_v42
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

    def _policies(self) -> None:
        add, taken = self.count, {}
        for port, kind, unit, uid in self.step.allocated:
            taken.setdefault(port, []).append(kind)
            passed = any(other and other < uid for other in self.state.ids[kind])
            add["passed_over"] += passed
            second = self.set_of_unit[unit] != self.set_of_port[port]
            add["passed_to_second_set"] += passed and second
        for port, kinds in taken.items():
            listed = self.config.port_kinds(self.set_of_port[port])
            places = [listed.index(kind) for kind in kinds]
            add["kinds_turned"] += places != sorted(places)
            if self.config.revision != "v42":
                add["earlier_kind_waits"] += any(
                    any(self.state.ids[kind]) for kind in listed[: places[0]]
                )

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


def _sources(stimulus: str) -> Iterator[tuple[int, list[int]]]:
    """The scheduler and the sources of each `I` command."""
    for line in stimulus.splitlines():
        if line.startswith("I "):
            _, _, sched, _, sources, _ = line.split(" ")
            yield int(sched), [] if sources == "-" else [int(reg) for reg in sources.split(",")]


def _empty(sets: dict[str, list[int]]) -> dict[str, list[int]]:
    return {kind: [0] * len(slots) for kind, slots in sets.items()}
