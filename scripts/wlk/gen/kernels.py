# SPDX-License-Identifier: Apache-2.0
"""Small kernels as programs (docs/program-format.md), for the stimulus of the block `issue`.

`PYTHONPATH=scripts python3 -m wlk.gen.kernels` writes those in vectors/kernels, with `--check` it
names the stale ones; `... -m wlk.gen.kernels dot warps=4 unroll=2 > my.prog` prints one with other
parameters. A kernel is a trace: loops are run, branches taken, registers physical. Each warp has
registers of its own and reads none that it has not written, and no instruction names a register
twice, so that a kernel runs with max_pending_reads=1 too.
"""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..base import options, outputs, setup
from ..base.errors import Status, WlkError
from ..base.guard import guard

FOLDER = setup.ROOT / "vectors" / "kernels"
COMMAND = "PYTHONPATH=scripts python3 -m wlk.gen.kernels"
_HEAD = """warplock-program 1
# SPDX-License-Identifier: Apache-2.0
"""
ENTRY = 0x8000_0000
# Cycles from issue to writeback. A load from memory misses the near cache, one from a tile hits.
LATENCY = {"alu": 1, "mul": 4, "fpu": 4, "sfu": 16, "lsu": 8}
FAR = 40
ZERO = 0


@dataclass
class Trace:
    """What one warp runs, in program order."""

    warp: int
    free: list[int]
    """Registers that hold nothing, in the order of use."""
    full: int
    """Mask of all lanes."""
    pc: int = ENTRY
    mask: int | None = None
    """Lanes of the next instructions; None is all."""
    masked: bool = False
    """Some instruction names lanes, so that it fits no other number of them."""
    lines: list[str] = field(default_factory=list)

    def take(self, count: int = 1) -> list[int]:
        """Registers to hold something from now on."""
        if count > len(self.free):
            raise WlkError(
                Status.BAD_PARAMS, f"warp {self.warp} is out of registers; registers=N gives more"
            )
        taken, self.free = self.free[:count], self.free[count:]
        return taken

    def op(
        self, unit: str, rd: int | None, sources: Sequence[int] = (), latency: int | None = None
    ) -> None:
        """One instruction at the pc, which moves on."""
        registers = [rd, *sources, *[None] * (3 - len(sources))]
        names = " ".join("-" if r is None else f"x{r}" for r in registers)
        mask = "*" if self.mask in (None, self.full) else f"{self.mask:#x}"
        self.masked |= mask != "*"
        cycles = LATENCY[unit] if latency is None else latency
        self.lines.append(f"{self.warp} {self.pc:#x} {names} {mask} {cycles} {unit}")
        self.pc += 4

    def constant(self, *registers: int) -> None:
        """Write what needs no operand but x0."""
        for register in registers:
            self.op("alu", register, [ZERO])

    def load(self, rd: int, address: int, latency: int = FAR) -> None:
        """Load a word for each lane."""
        self.op("lsu", rd, [address], latency)

    def store(self, address: int, value: int) -> None:
        """Store a word of each lane."""
        self.op("lsu", None, [address, value])

    def fma(self, total: int, a: int, b: int) -> None:
        """Add a * b to the total."""
        self.op("fpu", total, [a, b, total])

    def advance(self, *pointers: int) -> None:
        """Add an immediate to each pointer."""
        for pointer in pointers:
            self.op("alu", pointer, [pointer])

    def branch(self, condition: int) -> None:
        """Branch on a register; what is run next goes on behind it."""
        self.op("alu", None, [condition, ZERO])

    def loop(self, turns: int) -> Iterator[int]:
        """Run what is in the loop so often, from the same pc each time."""
        top = self.pc
        for turn in range(turns):
            self.pc = top
            yield turn


@dataclass(frozen=True)
class Machine:
    """What a kernel is made for."""

    warps: int
    registers: int
    lanes: int

    def traces(self) -> list[Trace]:
        """An empty trace a warp; the warps share the registers evenly, but for x0."""
        share = self.registers // self.warps
        full = (1 << self.lanes) - 1
        pools = [range(share * w + 1, share * (w + 1)) for w in range(self.warps)]
        return [Trace(w, list(pool), full) for w, pool in enumerate(pools)]


# ---- kernels ------------------------------------------------------------------------------------


def dot(machine: Machine, unroll: int = 4, turns: int = 8) -> list[Trace]:
    """Dot product.

    Each lane of each warp adds up turns * unroll products, in as many chains as the loop is
    unrolled, then the warp adds up the chains and stores.
    """
    traces = machine.traces()
    for t in traces:
        thread, a, b, left = t.take(4)
        totals, xs, ys = t.take(unroll), t.take(unroll), t.take(unroll)
        t.op("alu", thread)
        t.constant(left, *totals)
        t.op("mul", a, [thread])
        t.op("alu", b, [a])
        for _ in t.loop(turns):
            for x, y in zip(xs, ys, strict=True):
                t.load(x, a)
                t.load(y, b)
            t.advance(a, b, left)
            for total, x, y in zip(totals, xs, ys, strict=True):
                t.fma(total, x, y)
            t.branch(left)
        _fold(t, totals)
        t.store(a, totals[0])
    return traces


def _fold(t: Trace, values: list[int]) -> None:
    """Add the values up in a tree, into the first."""
    while len(values) > 1:
        half = (len(values) + 1) // 2
        for to, other in zip(values, values[half:], strict=False):
            t.op("fpu", to, [to, other])
        values = values[:half]


def matmul(
    machine: Machine, rows: int = 4, columns: int = 3, depth: int = 4, tiles: int = 2
) -> list[Trace]:
    """Matrix multiply, in tiles.

    Each warp copies its part of a tile into near memory, then multiplies along the unrolled depth
    of the tile into a block of rows * columns registers, each loaded value used in a whole row or
    column. The loads of a step go ahead of the products of the step before it. Barriers name no
    register and are left out.
    """
    traces = machine.traces()
    for t in traces:
        thread, far, near, left = t.take(4)
        block = [t.take(columns) for _ in range(rows)]
        steps = [(t.take(rows), t.take(columns)) for _ in range(2)]
        t.op("alu", thread)
        t.op("mul", far, [thread])
        t.op("alu", near, [thread])
        t.constant(left, *sum(block, []))
        for _ in t.loop(tiles):
            _copy_tile(t, far, near, sum(steps[0], []))
            _load_step(t, near, steps[0])
            for step in range(depth):
                if step + 1 < depth:
                    _load_step(t, near, steps[(step + 1) % 2])
                _multiply_step(t, block, steps[step % 2])
            t.advance(far, left)
            t.branch(left)
        for value in sum(block, []):
            t.store(far, value)
    return traces


def _copy_tile(t: Trace, far: int, near: int, words: list[int]) -> None:
    for word in words:
        t.load(word, far)
    for word in words:
        t.store(near, word)


def _load_step(t: Trace, near: int, step: tuple[list[int], list[int]]) -> None:
    for word in sum(step, []):
        t.load(word, near, LATENCY["lsu"])


def _multiply_step(t: Trace, block: list[list[int]], step: tuple[list[int], list[int]]) -> None:
    for totals, a in zip(block, step[0], strict=True):
        for total, b in zip(totals, step[1], strict=True):
            t.fma(total, a, b)


def divergent_reduction(machine: Machine, rounds: int = 6) -> list[Trace]:
    """Reduction with divergent branches.

    Each round branches on the data, with other lanes in each warp and round: some take a long
    side, the rest a short one, and a side without a lane is not run. Then a tree adds up the
    lanes, half as many in each level, and lane 0 of warp 0 adds up the warps.
    """
    traces = machine.traces()
    for t in traces:
        thread, address, total, value, test, scale = t.take(6)
        t.op("alu", thread)
        t.op("mul", address, [thread])
        t.constant(total, scale)
        for turn in t.loop(rounds):
            t.load(value, address)
            t.op("fpu", test, [value, scale])
            t.branch(test)
            _sides(t, _scatter(t.warp, turn) & t.full, total, value, scale)
            t.advance(address)
            t.branch(address)
        t.store(address, total)
        _tree(t, machine.lanes, address, total, value, test)
        if t.warp == 0:
            t.mask = 1
            for _ in t.loop(machine.warps - 1):
                t.advance(address)
                t.load(value, address)
                t.op("fpu", total, [total, value])
                t.branch(address)
            t.store(address, total)
    return traces


def _scatter(warp: int, turn: int) -> int:
    """Lanes that take the long side: 64 bits that look random (two steps of splitmix64)."""
    word = (warp * 64 + turn + 1) * 0x9E3779B97F4A7C15 % 2**64
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    return word ^ word >> 27


def _sides(t: Trace, long: int, total: int, value: int, scale: int) -> None:
    """Both sides of a branch, one behind the other, and back to all lanes."""
    top = t.pc
    if long:
        t.mask = long
        t.op("sfu", value, [value])
        t.fma(total, value, scale)
    t.pc = top + 8
    if long != t.full:
        t.mask = t.full & ~long
        t.op("fpu", total, [total, value])
    t.pc, t.mask = top + 12, None


def _tree(t: Trace, left: int, address: int, total: int, value: int, test: int) -> None:
    """Add up the lanes that are left, through memory, into lane 0."""
    while left > 1:
        half = (left + 1) // 2
        t.op("alu", test, [address])
        t.branch(test)
        t.mask = (1 << left - half) - 1
        t.load(value, address, LATENCY["lsu"])
        t.op("fpu", total, [total, value])
        t.store(address, total)
        t.mask = None
        left = half


# ---- text ---------------------------------------------------------------------------------------

Kernel = Callable[..., list[Trace]]
KERNELS: dict[str, Kernel] = {f.__name__: f for f in (dot, matmul, divergent_reduction)}
MACHINE = {"warps": 8, "registers": 256, "lanes": 16}


def text(name: str, settings: Mapping[str, int] | None = None) -> str:
    """A kernel as a program; `settings` are those of its machine and its own."""
    kernel = KERNELS[name]
    own = {k: p.default for k, p in inspect.signature(kernel).parameters.items() if k != "machine"}
    values = MACHINE | own | dict(settings or {})
    strangers = values.keys() - MACHINE.keys() - own.keys()
    if strangers:
        known = ", ".join([*MACHINE, *own])
        raise WlkError(Status.USAGE, f"{name} has no {min(strangers)}; it has {known}")
    machine = Machine(**{key: values[key] for key in MACHINE})
    traces = kernel(machine, **{key: values[key] for key in own})
    words = " ".join(f"{key}={value}" for key, value in values.items())
    lines = [line for trace in traces for line in trace.lines]
    head = [
        *_HEAD.splitlines(),
        *(f"# {line}".rstrip() for line in inspect.getdoc(kernel).splitlines()),
        f"# Made by: {COMMAND} {name} {words}",
        f"warps {machine.warps}",
        f"registers {machine.registers}",
        *([f"lanes {machine.lanes}"] if any(trace.masked for trace in traces) else []),
        "# warp pc rd rs1 rs2 rs3 mask latency unit",
    ]
    return "\n".join([*head, *lines, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check vectors/kernels, or print one kernel."""
    parser = options.Parser(prog=COMMAND, description="Write or print kernels.")
    parser.add_argument("kernel", nargs="?", choices=KERNELS, help="print this one")
    parser.add_argument("settings", nargs="*", type=_setting, metavar="KEY=VALUE")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when stale")
    args = parser.parse_args(arguments)
    if args.kernel is None:
        failure = WlkError(Status.CORRUPT, f"kernels are stale; run `{COMMAND}`")
        files = ((FOLDER / f"{name}.prog", text(name)) for name in KERNELS)
        return outputs.update(files, args.check, failure)
    if args.check:
        raise WlkError(Status.USAGE, "--check is for the files in vectors/kernels; name no kernel")
    sys.stdout.write(text(args.kernel, dict(args.settings)))
    return 0


def _setting(word: str) -> tuple[str, int]:
    key, value = options.key_value(word)
    return key, options.number(1)(value)


if __name__ == "__main__":
    sys.exit(guard(main))
