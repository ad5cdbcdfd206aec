# SPDX-License-Identifier: Apache-2.0
"""Naive second implementation of BOOM's dispatchers and Compactor (boom-dispatch).

It walks the inputs one by one, as a person would hand them out, and works on ports by their emitted
names. Which ports there are follows from the parameters and the fields of a uop.
"""

from dataclasses import dataclass

from naive_ports import Port

Row = dict[str, int]
Bits = dict[str, int]
"""What stands behind `bits` in the names of one position or place: {field: value}."""

NUMBERS = {"v3": {"INT": 1, "MEM": 2, "FP": 4}, "v4": {"MEM": 0, "UNQ": 1, "ALU": 2, "FP": 3}}
TARGETS = {"v3": {"iq_type": 3}, "v4": {f"iq_type_{n}": 1 for n in range(4)}}


@dataclass(frozen=True)
class Queue:
    """An issue queue."""

    kind: int
    width: int


@dataclass
class Place:
    """An output of a compactor: the input that stands there, None without one."""

    ready: bool
    holds: int | None = None


def hand_out(wanting: list[bool], ready: list[bool]) -> tuple[list[Place], list[bool]]:
    """Who gets which output, and which inputs are ready."""
    places = [Place(is_ready) for is_ready in ready]
    if len(wanting) == len(places):  # nothing moves
        for number, place in enumerate(places):
            place.holds = number if wanting[number] else None
        return places, list(ready)
    answers = []
    free = iter(places)
    following = next(free, None)
    for number, wants in enumerate(wanting):
        answers.append(following is not None and following.ready)
        if wants and following is not None:
            following.holds = number
            following = next(free, None)
    return places, answers


def wires(n: int, k: int) -> bool:
    """Do the outputs show their own inputs whatever is valid?"""
    return n == k


class Block:
    """A block with its parameters and the fields of a uop beside its target."""

    def __init__(self, params: dict, fields: dict[str, int]) -> None:
        self.params, self.fields = params, dict(fields)

    def inputs(self) -> list[str]:
        """What stands before `ready`, `valid` and `bits` of each input."""
        raise NotImplementedError

    def places(self) -> list[str]:
        """The same of each output, in the order of the module."""
        raise NotImplementedError

    @property
    def ports(self) -> list[Port]:
        """Every port but the clock, in the order of the module."""
        found = [Port("reset", "i", 1)]
        for stems, into in ((self.inputs(), True), (self.places(), False)):
            for stem in stems:
                found.append(Port(f"{stem}_ready", "o" if into else "i", 1))
                found.append(Port(f"{stem}_valid", "i" if into else "o", 1))
                side = "i" if into else "o"
                found += [Port(f"{stem}_bits_{f}", side, w) for f, w in self.fields.items()]
        return found

    def step(self, row: Row) -> dict[str, tuple[int, int]]:
        """The outputs {port: (value, care)} of a cycle: all is known."""
        out = self.outputs(row)
        return {p.name: (out[p.name], (1 << p.width) - 1) for p in self.ports if p.name in out}

    def bits(self, row: Row, stem: str) -> Bits:
        return {name: row[f"{stem}_bits_{name}"] for name in self.fields}

    def show(self, out: Row, stem: str, valid: bool, bits: Bits | None) -> None:
        """An output's valid and bits; without bits they are 0."""
        out[f"{stem}_valid"] = int(valid)
        for name in self.fields:
            out[f"{stem}_bits_{name}"] = bits[name] if bits else 0


class NaiveCompactor(Block):
    """The Compactor alone."""

    def inputs(self) -> list[str]:
        return [f"io_in_{i}" for i in range(self.params["n"])]

    def places(self) -> list[str]:
        return [f"io_out_{j}" for j in range(self.params["k"])]

    def outputs(self, row: Row) -> Row:
        out: Row = {}
        stems = self.inputs()
        wanting = [bool(row[f"{stem}_valid"]) for stem in stems]
        ready = [bool(row[f"{stem}_ready"]) for stem in self.places()]
        places, answers = hand_out(wanting, ready)
        for stem, answer in zip(stems, answers, strict=True):
            out[f"{stem}_ready"] = int(answer)
        for number, (stem, place) in enumerate(zip(self.places(), places, strict=True)):
            shown = number if wires(len(stems), len(places)) else place.holds
            bits = None if shown is None else self.bits(row, stems[shown])
            self.show(out, stem, place.holds is not None, bits)
        return out


class Dispatcher(Block):
    """What both dispatchers have: uops, queues, who is for whom."""

    def __init__(self, params: dict, fields: dict[str, int]) -> None:
        self.numbers = NUMBERS[params["encoding"]]
        # The target stands among the other fields, wherever the RTL has it.
        super().__init__(params, TARGETS[params["encoding"]] | fields)
        self.queues = [self._queue(text) for text in params["queues"].split(",")]

    def _queue(self, text: str) -> Queue:
        kind, width, _ = text.split(":")
        return Queue(self.numbers[kind] if kind in self.numbers else int(kind), int(width))

    def inputs(self) -> list[str]:
        return [f"io_ren_uops_{w}" for w in range(self.params["core_width"])]

    def places(self) -> list[str]:
        return [stem for q in reversed(range(len(self.queues))) for stem in self.of_queue(q)]

    def of_queue(self, q: int) -> list[str]:
        return [f"io_dis_uops_{q}_{j}" for j in range(self.queues[q].width)]

    def is_for(self, bits: Bits, queue: Queue) -> bool:
        """Is a uop, or what an idle position shows, for this queue?"""
        if self.params["encoding"] == "v4":
            return bool(bits[f"iq_type_{queue.kind}"])
        named = [number for number in (1, 2, 4) if bits["iq_type"] & number]
        return any(queue.kind & number for number in named)

    def outputs(self, row: Row) -> Row:
        uops = [(bool(row[f"{s}_valid"]), self.bits(row, s)) for s in self.inputs()]
        out: Row = {}
        verdicts = [True] * len(uops)
        for q in range(len(self.queues)):
            for w, fine in enumerate(self.serve(q, uops, row, out)):
                verdicts[w] = verdicts[w] and fine
        for stem, fine in zip(self.inputs(), verdicts, strict=True):
            out[f"{stem}_ready"] = int(fine)
        return out

    def serve(self, q: int, uops: list[tuple[bool, Bits]], row: Row, out: Row) -> list[bool]:
        """What queue `q` is given, into `out`; the positions that it does not hold up."""
        raise NotImplementedError


class NaiveBasic(Dispatcher):
    """The BasicDispatcher: position w of the core is place w of each queue."""

    def serve(self, q: int, uops: list[tuple[bool, Bits]], row: Row, out: Row) -> list[bool]:
        for stem, (valid, bits) in zip(self.of_queue(q), uops, strict=True):
            self.show(out, stem, valid and self.is_for(bits, self.queues[q]), bits)
        return [bool(row[f"{stem}_ready"]) for stem in self.of_queue(q)]


class NaiveCompacting(Dispatcher):
    """The CompactingDispatcher: each queue is handed the uops for it."""

    def serve(self, q: int, uops: list[tuple[bool, Bits]], row: Row, out: Row) -> list[bool]:
        mine = [self.is_for(bits, self.queues[q]) for _, bits in uops]
        wanting = [valid and for_me for (valid, _), for_me in zip(uops, mine, strict=True)]
        ready = [bool(row[f"{stem}_ready"]) for stem in self.of_queue(q)]
        places, answers = hand_out(wanting, ready)
        for number, (stem, place) in enumerate(zip(self.of_queue(q), places, strict=True)):
            shown = number if wires(len(uops), len(places)) else place.holds
            self.show(out, stem, place.holds is not None, None if shown is None else uops[shown][1])
        return [answer or not for_me for answer, for_me in zip(answers, mine, strict=True)]


BLOCKS: dict[str, type[Block]] = {
    "compactor": NaiveCompactor,
    "dispatch_basic": NaiveBasic,
    "dispatch_compacting": NaiveCompacting,
}
