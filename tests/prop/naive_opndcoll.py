# SPDX-License-Identifier: Apache-2.0
"""GPGPU-Sim's operand collector a second time: plain, slow, and written from the spec alone.

Spec: gpgpusim-opndcoll, whose sections are given as §n; of the policies docs/opndcoll-policies.md.
`Player` executes the commands of a
stimulus; a line that it prints is a tuple of words.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

KINDS = ("SP", "DP", "INT", "SFU", "MEM", "TENSOR")  # in the order of the text formats
V32_KINDS = ("SP", "SFU", "MEM")
VERSIONS = {"v40": "4.0", "v42": "4.2", "v32": "3.2"}
MAX_DRAINED = 4096  # drained instructions of a kind that are kept

Line = tuple[int | str, ...]

# Configuration (§2, §3)


class Sizes(NamedTuple):
    """Of a set of collector units."""

    units: int
    in_ports: int
    out_ports: int

    def options(self, name: str) -> dict[str, int]:
        """The options that make a set of this name so."""
        prefix = "-gpgpu_operand_collector_num"
        return {f"{prefix}_{what}_{name}": value for what, value in self._asdict().items()}


DEFAULT_SIZES = {  # in the order of construction
    "gen": Sizes(0, 0, 0),
    "sp": Sizes(4, 1, 1),
    "dp": Sizes(0, 0, 0),
    "tensor_core": Sizes(4, 1, 1),
    "sfu": Sizes(4, 1, 1),
    "mem": Sizes(2, 1, 1),
    "int": Sizes(0, 0, 0),
}
DEFAULTS = {
    "-gpgpu_num_reg_banks": 8,
    "-gpgpu_num_sched_per_core": 1,
    "-gpgpu_sub_core_model": 0,
    "-gpgpu_reg_file_port_throughput": 1,
    "-gpgpu_enable_specialized_operand_collector": 1,
    "-gpgpu_tensor_core_avail": 0,
    "-gpgpu_num_dp_units": 0,
    "-gpgpu_num_int_units": 0,
    "-warplock_pass_full_sub_core": 0,
    "-warplock_rotate_kinds": 0,
    "-warplock_read_duplicates_once": 0,
}
for _name, _sizes in DEFAULT_SIZES.items():
    DEFAULTS |= _sizes.options(_name)
PORT_ORDER = ("gen", "sp", "dp", "sfu", "tensor_core", "mem", "int")
V32_ORDER = ("sp", "sfu", "mem", "gen")  # of units and of ports
KIND_OF_SET = {set_: set_.upper() for set_ in PORT_ORDER} | {"tensor_core": "TENSOR"}


def set_names(revision: str, specialized: bool) -> Iterable[str]:
    """The sets that exist, in the order that numbers units and dispatch units."""
    if revision == "v32":
        return V32_ORDER
    return DEFAULT_SIZES if specialized else ("gen",)


def read_options(text: str) -> dict[str, str]:
    """An option file: `-name value` in any layout, `#` begins a comment."""
    words = [word for line in text.splitlines() for word in line.partition("#")[0].split()]
    return dict(zip(words[::2], words[1::2], strict=True))


class Config:
    """What the options make."""

    def __init__(self, revision: str, options: dict[str, str]) -> None:
        number = {name: int(options.get(name, default)) for name, default in DEFAULTS.items()}
        old = revision == "v32"
        self.revision, self.options = revision, options
        self.banks = number["-gpgpu_num_reg_banks"]
        self.schedulers = number["-gpgpu_num_sched_per_core"]
        self.sub_core = bool(number["-gpgpu_sub_core_model"]) and not old
        self.throughput = number["-gpgpu_reg_file_port_throughput"]
        self.passes = bool(number["-warplock_pass_full_sub_core"])
        self.rotates = bool(number["-warplock_rotate_kinds"])
        self.reads_once = revision == "v42" or bool(number["-warplock_read_duplicates_once"])
        pipeline = options.get("-gpgpu_shader_core_pipeline", "1024:32")
        self.warp_size = int(pipeline.partition(":")[2])
        self.has = {  # what a generic port tries behind the others, where it is there
            "TENSOR": bool(number["-gpgpu_tensor_core_avail"]) and not old,
            "DP": bool(number["-gpgpu_num_dp_units"]) and not old,
            "INT": bool(number["-gpgpu_num_int_units"]) and not old,
        }
        specialized = bool(number["-gpgpu_enable_specialized_operand_collector"])
        self.sets = {
            name: Sizes(*(number[option] for option in DEFAULT_SIZES[name].options(name)))
            for name in set_names(revision, specialized)
        }
        self.units = sum(sizes.units for sizes in self.sets.values())
        self.id_width: dict[str, int] = {}
        self.ex_width: dict[str, int] = {}
        self._read_widths()
        self.specialized = [] if old else list(self._read_specialized())
        self.kinds = [*KINDS, *self.specialized]

    def _read_widths(self) -> None:
        text = self.options.get("-gpgpu_pipeline_widths", ",".join(["1"] * 13))
        widths = [int(width) for width in text.split(",")]
        kinds = V32_KINDS if self.revision == "v32" else KINDS[:5]
        self.id_width = dict.fromkeys(KINDS, 0) | dict(zip(kinds, widths, strict=False))
        behind = widths[len(kinds) :]
        self.ex_width = dict.fromkeys(KINDS, 0) | dict(zip(kinds, behind, strict=False))
        if self.has["TENSOR"]:
            self.id_width["TENSOR"], self.ex_width["TENSOR"] = widths[11:13]

    def _read_specialized(self) -> Iterator[str]:
        for n in range(1, 9):
            enabled, *numbers = self.options.get(f"-specialized_unit_{n}", "0").split(",")
            if enabled == "0":
                return
            kind = f"SPEC{n}"
            self.id_width[kind], self.ex_width[kind] = int(numbers[2]), int(numbers[3])
            yield kind

    @property
    def by_slot(self) -> bool:
        """Units, dispatch units and slots of OC_EX are shared out among schedulers (§12.2)."""
        return self.sub_core and self.revision == "v42"

    @property
    def operands(self) -> int:
        return 8 if self.revision == "v32" else 32

    @property
    def port_sets(self) -> list[str]:
        """The set that each port is made for, in the order that numbers ports."""
        order = V32_ORDER if self.revision == "v32" else PORT_ORDER
        return [name for name in order if name in self.sets
                for _ in range(self.sets[name].in_ports)]  # fmt: skip

    def port_kinds(self, name: str) -> list[str]:
        """The pipe kinds that a port of this set tries."""
        if name != "gen":
            return [KIND_OF_SET[name]]
        there = [kind for kind, has in self.has.items() if has]
        return ["SP", "SFU", "MEM", *there, *self.specialized]

    def bank(self, reg: int, wid: int, sched: int) -> int:
        """§4, §12.1."""
        x = reg if self.revision != "v42" and self.warp_size == 1 else reg + wid
        if not self.sub_core:
            return x % self.banks
        each = self.banks // self.schedulers
        assert sched < self.schedulers
        return x % each + sched * each


# The collector (§1)


@dataclass
class Instruction:
    """Registers by operand slot; -1 is none."""

    uid: int
    wid: int
    sched: int
    src: list[int]
    dst: list[int]


Slots = list[Instruction | None]


def by_age(slots: Slots) -> list[int]:
    """Slots of instructions, the oldest first; of equal uids the higher slot (§5)."""
    there = [slot for slot, inst in enumerate(slots) if inst]
    return sorted(there, key=lambda slot: (slots[slot].uid, -slot))


def oldest(slots: Slots) -> int:
    return by_age(slots)[0]


@dataclass
class Unit:
    """A collector unit. It is idle without an instruction."""

    number: int
    inst: Instruction | None = None
    kind: str = ""
    pending: set[int] = field(default_factory=set)


@dataclass
class DispatchUnit:
    units: list[Unit]
    last: int = 0  # index in `units`


@dataclass
class Port:
    kinds: list[str]
    sets: list[list[Unit]]
    first: int = 0  # index in `kinds` of the one that it tries first

    def order(self) -> list[str]:
        """Its kinds as it tries them."""
        return self.kinds[self.first :] + self.kinds[: self.first]


class Collector:
    """Every method that does something yields the lines of what happens."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.id: dict[str, Slots] = {kind: [None] * config.id_width[kind] for kind in config.kinds}
        self.ex: dict[str, Slots] = {kind: [None] * config.ex_width[kind] for kind in config.kinds}
        self.units = [Unit(number) for number in range(config.units)]
        sets: dict[str, list[Unit]] = {}
        self.dispatch_units = []
        first = 0
        for name, sizes in config.sets.items():
            sets[name] = self.units[first : first + sizes.units]
            first += sizes.units
            self.dispatch_units += [DispatchUnit(sets[name]) for _ in range(sizes.out_ports)]
        self.ports = [
            Port(config.port_kinds(name), [sets[name], *([sets["gen"]] if name != "gen" else [])])
            for name in config.port_sets
        ]
        self.queues: list[deque[tuple[Unit, int]]] = [deque() for _ in range(config.banks)]
        self.written: set[int] = set()  # banks, since the last step
        self.pri = 0
        self.reads = self.writes = 0  # lanes

    def issue(self, kind: str, inst: Instruction) -> int | None:
        """The slot of ID_OC; None: there is none (§5)."""
        slots = self.id[kind]
        tried = [inst.sched] if self.config.sub_core else range(len(slots))
        for slot in tried:
            if slots[slot] is None:
                slots[slot] = inst
                return slot
        return None

    def step(self) -> Iterator[Line]:
        """§6."""
        yield from self._dispatch()
        yield from self._read()
        yield from self._allocate()
        self.written.clear()

    # Dispatch (§6.1)

    def _dispatch(self) -> Iterator[Line]:
        for number, du in enumerate(self.dispatch_units):
            for index in self._candidates(du):
                unit = du.units[index]
                slot = self._target(unit)
                if slot is not None:
                    du.last = index
                    yield "D", number, unit.number, unit.kind, unit.inst.uid, slot
                    self.ex[unit.kind][slot], unit.inst = unit.inst, None
                    break

    def _candidates(self, du: DispatchUnit) -> Iterator[int]:
        count, first = len(du.units), du.last + 1
        if self.config.by_slot:
            each = count // self.config.schedulers
            first = du.last + each - du.last % each
        for offset in range(count):
            yield (first + offset) % count

    def _target(self, unit: Unit) -> int | None:
        """The slot of OC_EX that a unit can be dispatched to; None: it is not ready."""
        if unit.inst is None or unit.pending:
            return None
        slots = self.ex[unit.kind]
        if self.config.by_slot:
            slot = unit.number // (len(self.units) // self.config.schedulers)
            return slot if slots[slot] is None else None
        return slots.index(None) if None in slots else None

    # Read (§6.2)

    def _read(self) -> Iterator[Line]:
        for bank in sorted(self._granted()):
            unit, slot = self.queues[bank].popleft()
            unit.pending.discard(slot)
            self.reads += self.config.warp_size
            yield "G", bank, unit.number, slot, unit.inst.src[slot], unit.inst.wid
        self.pri = (self.pri + 1) % len(self.units)

    def _granted(self) -> Iterable[int]:
        """The banks that are read: in V32 one for each unit, the first on the diagonals (§12.1)."""
        unit_of = {
            bank: queue[0][0].number
            for bank, queue in enumerate(self.queues)
            if queue and bank not in self.written
        }
        if self.config.revision != "v32":
            return unit_of

        def diagonal(bank: int) -> int:
            return (unit_of[bank] - self.pri - bank) % len(self.units)

        bank_of: dict[int, int] = {}
        for bank in sorted(unit_of, key=diagonal):
            bank_of.setdefault(unit_of[bank], bank)
        return bank_of.values()

    # Allocate (§6.3, §12.2)

    def _allocate(self) -> Iterator[Line]:
        for number, port in enumerate(self.ports):
            taken = []
            for kind in port.order():
                if not any(self.id[kind]):
                    continue
                unit = self._take_in(port, kind)
                if unit is not None:
                    taken.append(kind)
                    yield "A", number, kind, unit.number, unit.inst.uid
                if self.config.revision != "v42":
                    break  # whether or not there was a unit
            if self.config.rotates and taken:
                port.first = (port.kinds.index(taken[0]) + 1) % len(port.kinds)

    def _take_in(self, port: Port, kind: str) -> Unit | None:
        """A port's turn for a kind that waits: the unit that it has filled."""
        slots = by_age(self.id[kind])
        for slot in slots if self.config.passes else slots[:1]:
            unit = self._idle(port, self.id[kind][slot])
            if unit is not None:
                self._fill(unit, kind, slot)
                return unit
        return None

    def _idle(self, port: Port, inst: Instruction) -> Unit | None:
        for units in port.sets:
            part = units
            if self.config.by_slot:
                each = len(units) // self.config.schedulers
                part = units[inst.sched * each : (inst.sched + 1) * each]
            for unit in part:
                if unit.inst is None:
                    return unit
        return None

    def _fill(self, unit: Unit, kind: str, slot: int) -> None:
        unit.inst, unit.kind, self.id[kind][slot] = self.id[kind][slot], kind, None
        src = unit.inst.src
        for operand, reg in enumerate(src):
            repeated = self.config.reads_once and reg in src[:operand]
            if reg >= 0 and not repeated:
                unit.pending.add(operand)
                bank = self.config.bank(reg, unit.inst.wid, unit.inst.sched)
                self.queues[bank].append((unit, operand))

    # Write-back (§7, §12.1)

    def write_back(self, inst: Instruction) -> Iterator[Line]:
        """Returns whether all is written. What has been written leaves the instruction, so that a
        retry goes on from there; not in V32."""
        old = self.config.revision == "v32"
        present = [slot for slot, reg in enumerate(inst.dst) if reg >= 0]
        for index, slot in enumerate(present):
            reg = inst.dst[slot]
            bank = self.config.bank(reg, inst.wid, inst.sched)
            busy = bank in self.written
            yield "w", index if old else slot, reg, bank, "-" if busy else "+"
            if busy:
                return False
            self.written.add(bank)
            inst.dst[slot] = reg if old else -1
        self.writes += len(present) * self.config.warp_size
        return True

    # Views

    def state(self) -> Iterator[Line]:
        """What `--state` prints after a step."""
        for unit in self.units:
            if unit.inst:
                mask = sum(1 << slot for slot in unit.pending)
                yield "c", unit.number, unit.inst.uid, unit.kind, f"{mask:x}"
        for bank, queue in enumerate(self.queues):
            if queue:
                yield "q", bank, *(f"{unit.number}:{slot}" for unit, slot in queue)
        yield "u", *(du.last for du in self.dispatch_units)
        yield "p", self.pri
        if self.config.rotates:
            yield "k", *(port.order()[0] for port in self.ports)
        for stage, sets in (("ID", self.id), ("EX", self.ex)):
            for kind, slots in sets.items():
                if any(slots):
                    yield "r", f"{stage}_{kind}", *(inst.uid if inst else 0 for inst in slots)


# The stimulus


class Player:
    """Executes commands."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.collector = Collector(config)
        self.cycles = self.steps = self.uid = 0
        self.drained: defaultdict[str, deque[Instruction]] = defaultdict(
            lambda: deque(maxlen=MAX_DRAINED)
        )
        self.results: dict[str, Instruction] = {}
        self.held: Instruction | None = None  # by the load/store unit

    def play(self, stimulus: str) -> Iterator[Line]:
        """All that the simulator prints of a stimulus."""
        yield from self._header()
        for line in stimulus.splitlines():
            words = line.split()
            if words and not words[0].startswith("#"):
                yield from self.COMMANDS[words[0]](self, *words[1:])
        reads, writes = self.collector.reads, self.collector.writes
        yield "#", "stats", "reads", reads, "writes", writes, "nonrf", 0

    def _header(self) -> Iterator[Line]:
        config, made = self.config, self.collector
        counts = {"banks": config.banks, "cus": config.units, "dus": len(made.dispatch_units)}
        counts |= {"ports": len(made.ports), "sched": config.schedulers}
        counts |= {"sub": int(config.sub_core)}
        words = [word for count in counts.items() for word in count]
        yield "#", "variant", VERSIONS[config.revision], *words
        for kind in config.kinds:
            yield "#", "set", kind, "id", config.id_width[kind], "ex", config.ex_width[kind]

    def _instruction(self, uid: int, sched: str, wid: str, src: str, dst: str) -> Instruction:
        sources, destinations = (
            # What V32 has no place for, the recorder left out.
            [int(reg) for reg in regs.split(",")][: self.config.operands] if regs != "-" else []
            for regs in (src, dst)
        )
        return Instruction(uid, int(wid), int(sched), sources, destinations)

    def _core_cycle(self) -> Iterator[Line]:
        yield "C", self.cycles
        self.cycles += 1

    def _issue(self, kind: str, sched: str, wid: str, src: str, dst: str) -> Iterator[Line]:
        inst = self._instruction(self.uid + 1, sched, wid, src, dst)
        slot = self.collector.issue(kind, inst)
        if slot is None:
            yield "I", kind, "-"
        else:
            self.uid += 1
            yield "I", kind, self.uid, slot

    def _take(self, kind: str, wanted: str = "") -> Iterator[Line]:
        slots = self.collector.ex[kind]
        by_slot = wanted and self.config.revision == "v42"
        if by_slot and self.config.sub_core:
            slot = int(wanted) if slots[int(wanted)] else None
        elif any(slots) and not (by_slot and int(wanted) >= len(slots)):
            slot = oldest(slots)
        else:
            slot = None
        if slot is None:
            yield "E", kind, "-"
        else:
            self.drained[kind].append(slots[slot])
            yield "E", kind, slots[slot].uid
            slots[slot] = None

    def _new_result(self, key: str, sched: str, wid: str, dst: str) -> Iterator[Line]:
        self.results[key] = self._instruction(0, sched, wid, "-", dst)
        done = yield from self.collector.write_back(self.results[key])
        yield "W", key, int(done)

    def _retry(self, key: str) -> Iterator[Line]:
        if key not in self.results:
            yield "R", key, "-"
            return
        done = yield from self.collector.write_back(self.results[key])
        yield "R", key, int(done)

    def _write_drained(self, kind: str) -> Iterator[Line]:
        if not self.drained[kind]:
            yield "V", kind, "-"
            return
        inst = self.drained[kind].popleft()
        done = yield from self.collector.write_back(inst)
        yield "V", kind, inst.uid, int(done)

    def _load_store(self) -> Iterator[Line]:
        if self.held:
            done = yield from self.collector.write_back(self.held)
            yield "L", self.held.uid, int(done)
            self.held = None if done else self.held
        if not self.held and self.drained["MEM"]:
            self.held = self.drained["MEM"].popleft()
            yield "L<", self.held.uid

    def _make_steps(self, count: str = "1") -> Iterator[Line]:
        for _ in range(int(count)):
            yield "S", self.steps
            self.steps += 1
            yield from self.collector.step()
            yield from self.collector.state()

    COMMANDS: ClassVar = {
        "C": _core_cycle,
        "I": _issue,
        "E": _take,
        "W": _new_result,
        "R": _retry,
        "V": _write_drained,
        "L": _load_store,
        "X": _make_steps,
    }
