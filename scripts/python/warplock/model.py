# SPDX-License-Identifier: Apache-2.0
"""Models, stepped from Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .errors import Error
from .instance import POWER_UP, Instance, Place, pointer
from .library import call, ffi, library, system, text
from .records import WORD, Record


class Element(NamedTuple):
    """An element of a state."""

    value: int | None  # None: unknown
    known: int  # of words of lanes a bit a lane; else 0, or all ones


@dataclass(frozen=True)
class Snapshot:
    """A model's state, for restore()."""

    block: str
    config: tuple[tuple[str, int | str], ...]
    states: bytes  # one behind the other: all that are possible
    count: int


class Model(Instance):
    """A block's model, a state that starts at power-up.

    `parameters`: those of the spec, numbers or the names of values; the others have their defaults.
    `power_up`: "unknown", where what no reset reaches is not known, or "zero". `blocks`: where a
    block of one's own is, its library or the folder of its sources. `members`: of a block with
    opaque fields, the ports in these, as the header of a vector file has them.
    """

    def __init__(
        self,
        block: str,
        /,
        *,
        power_up: str = "unknown",
        blocks: Place = None,
        members: str = "",
        **parameters: int | str,
    ) -> None:
        super().__init__(block, blocks, members, parameters)
        if power_up not in ("unknown", "zero"):
            raise Error("USAGE", f'power_up: "unknown" or "zero" is wanted, not {power_up!r}')
        self.power_up = power_up
        self._states = _opened(self)
        self._owns(library().wlk_candidates_close, self._states)
        self._scratch = ffi.gc(library().wlk_state_new(self.block, self.cfg), system.free)
        self._other = np.zeros(2 * self.layout.out_words + 1, WORD)
        self._info = ffi.new("wlk_step_info *")

    # -- a cycle ---------------------------------------------------------------------------
    def eval(self, inputs: Any = None, /, **ports: int) -> tuple[Record, Record]:
        """The outputs of a cycle with these inputs, and their care: a bit that is 0 there is one
        that the RTL is free to choose. Changes nothing.

        `inputs`: words, a dictionary, a Record or a structured record; `ports` are set on top. What
        is not named is 0.
        """
        words = self.inputs.record(inputs, ports)
        out, care = self.out_array(), self.out_array()
        with self._call("eval"):
            for number, state in enumerate(self._ways(pointer(words))):
                self._look(state, words, out, care, first=number == 0)
        return Record(self.outputs, out), Record(self.outputs, care)

    def tick(self, inputs: Any = None, /, **ports: int) -> list[str]:
        """The clock edge; returns the protocol rules that the inputs break."""
        words = self.inputs.record(inputs, ports)
        with self._call("tick"):
            library().wlk_candidates_fork(self._states, pointer(words))
            library().wlk_candidates_tick(self._states, pointer(words), self._info)
            broken = self._info.violated
        return self.rule_names(broken) if broken else []

    def step(self, inputs: Any = None, /, **ports: int) -> tuple[Record, Record, list[str]]:
        """eval() and tick() in one."""
        words = self.inputs.record(inputs, ports)
        out, care = self.out_array(), self.out_array()
        with self._call("step"):
            places = (pointer(each) for each in (words, out, care))
            room = self.layout.out_words, pointer(self._other)
            library().wlk_candidates_record(self._states, *places, *room, self._info)
            broken = self._info.violated
        names = self.rule_names(broken) if broken else []
        return Record(self.outputs, out), Record(self.outputs, care), names

    def run(self, inputs: Any, broken: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Many cycles: words of outputs and care, a row a cycle. `inputs`: rows of words, a
        dictionary of arrays, or a structured array. `broken`, uint32: filled with a bitmap of rules
        a cycle."""
        words = self.inputs.rows(inputs)
        if broken is not None:
            _require_broken(broken, len(words))
        out, care = self.out_array(len(words)), self.out_array(len(words))
        with self._call("run"):
            places = (pointer(each) for each in (words, out, care))
            rules = pointer(broken, "uint32_t[]")
            rows = self.layout, len(words)
            library().wlk_candidates_run(self._states, *rows, *places, rules, pointer(self._other))
        return out, care

    # -- records ---------------------------------------------------------------------------
    def pack(self, values: Any = None, /, **ports: Any) -> np.ndarray:
        """Words of inputs, as `inputs.pack`."""
        return self.inputs.pack(values, **ports)

    def unpack(self, words: Any) -> dict[str, Any]:
        """The value of each output, as `outputs.unpack`."""
        return self.outputs.unpack(words)

    # -- the state -------------------------------------------------------------------------
    def reset(self) -> None:
        """Back to power-up. The RTL's reset is an input."""
        with self._call("reset"):
            library().wlk_candidates_init(self._states, POWER_UP[self.power_up])

    def snapshot(self) -> Snapshot:
        """The state now."""
        with self._call("snapshot"):
            size, count = self._states.size, self._states.n
            states = [ffi.buffer(self._states.states[i], size)[:] for i in range(count)]
        return Snapshot(self.name, tuple(self.config.items()), b"".join(states), count)

    def restore(self, taken: Snapshot) -> None:
        """The state of a snapshot, of this model or of another one of equal configuration."""
        if not isinstance(taken, Snapshot):
            raise TypeError(f"restore: what snapshot() returned, not {type(taken).__name__}")
        if (taken.block, dict(taken.config)) != (self.name, self.config):
            message = f"restore: the snapshot is of {taken.block} in another configuration"
            raise Error("BAD_PARAMS", f"{self.name}: {message}")
        with self._call("restore"):
            states = ffi.from_buffer(taken.states)
            if not library().wlk_candidates_take(self._states, states, taken.count):
                raise MemoryError

    @property
    def candidates(self) -> int:
        """How many states are possible, because of what no reset reaches; mostly 1."""
        with self._call("candidates"):
            return self._states.n

    @property
    def state(self) -> dict[str, Element]:
        """Each element, by the name that a report has. Of several states that are possible, the
        first."""
        found: dict[str, Element] = {}

        @ffi.callback("wlk_state_visitor")
        def visit(_: Any, name: Any, index: int, words: Any, n: int, known: int, __: int) -> None:
            key = text(name) if index < 0 else f"{text(name)}[{index}]"
            value = sum(words[i] << 64 * i for i in range(n))
            found[key] = Element(value if known else None, known)

        with self._call("state"):
            if self.block.visit:
                self.block.visit(self.cfg, self._states.states[0], visit, ffi.NULL)
        return found

    # -- stimulus --------------------------------------------------------------------------
    def stimulus(self, seed: int = 1, cycles: int = 1000, profile: str = "mix") -> np.ndarray:
        """Random inputs that are legal, rows of words: those of `warplock vectors gen` with this
        seed. They begin with a reset, from power-up on; the state of this model has no part in
        them."""
        if seed < 0 or cycles < 0:
            raise ValueError("seed, cycles: at least 0")
        calls = library()
        generator = calls.wlk_stimulus_find(self.name.encode())
        number, driver = ffi.new("uint32_t *"), ffi.new("wlk_driver **")
        if not calls.wlk_stimulus_profile(generator, profile.encode(), number):
            known = ", ".join(["mix", *_texts(generator.profiles)])
            message = f"block {self.name} has no profile {profile!r}; it has {known}"
            raise Error("USAGE", message)
        words = np.zeros((cycles, self.layout.in_words), WORD)
        out, care = self.out_array(), self.out_array()
        room = pointer(out), pointer(care), self.layout.out_words, pointer(self._other)
        with self._call("stimulus"):
            call(calls.wlk_driver_open, driver, self.block, self.cfg)
            states, stimulus = _opened(self), ffi.new("wlk_stimulus_state *")
            calls.wlk_stimulus_init(stimulus, seed, number[0])
            stimulus.driver = driver[0]
            for cycle in range(cycles):
                row = pointer(words) + cycle * self.layout.in_words
                calls.wlk_stimulus_next(generator, self.cfg, states.states[0], stimulus, row)
                calls.wlk_candidates_record(states, row, *room, self._info)
            calls.wlk_driver_close(driver[0])
            calls.wlk_candidates_close(states)
        return words

    # -- inside ----------------------------------------------------------------------------
    def _ways(self, inputs: Any) -> Iterator[Any]:
        """Each state that is possible in this cycle; all but the usual one are copies. A block that
        joins its outcomes shows what they have in common."""
        parts = self.block.outcomes and not self.block.joins
        for i in range(self._states.n):
            state = self._states.states[i]
            ways = self.block.outcomes(self.cfg, state, inputs) if parts else 1
            for k in range(ways):
                if ways > 1:
                    ffi.memmove(self._scratch, state, self._states.size)
                    self.block.assume(self.cfg, self._scratch, inputs, k)
                yield self._scratch if ways > 1 else state

    def _look(
        self, state: Any, words: np.ndarray, out: np.ndarray, care: np.ndarray, *, first: bool
    ) -> None:
        """What a state shows; of several, what they agree on is known."""
        here, sure = (out, care) if first else (self.out_array(), self.out_array())
        self.block.eval(self.cfg, state, *(pointer(each) for each in (words, here, sure)))
        if not first:
            care &= sure & ~(out ^ here)
            out &= care


def _opened(model: Model) -> Any:
    """The states of a model, at power-up; for wlk_candidates_close."""
    states = ffi.new("wlk_candidates *")
    if library().wlk_candidates_open(states, model.block, model.cfg):
        raise MemoryError
    library().wlk_candidates_init(states, POWER_UP[model.power_up])
    return states


def _texts(chars: Any) -> Iterator[str]:
    """Strings up to a NULL."""
    while chars[0]:
        yield text(chars[0])
        chars += 1


def _require_broken(broken: Any, cycles: int) -> None:
    if not isinstance(broken, np.ndarray) or broken.dtype != np.uint32:
        raise TypeError("broken: an array of uint32 is wanted")
    if broken.shape != (cycles,) or not broken.flags.c_contiguous or not broken.flags.writeable:
        raise ValueError(f"broken: an array of shape ({cycles},) to write to is wanted")
