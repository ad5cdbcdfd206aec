# SPDX-License-Identifier: Apache-2.0
"""A comparison of what some RTL shows with the model, cycle by cycle."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .errors import Error
from .instance import POWER_UP, Instance, Place, pointer
from .library import call, ffi, library, printed
from .records import Ports


@dataclass(frozen=True)
class Result:
    """How it went, so far or at the end: docs/exit-codes.md."""

    verdict: str
    cycles: int
    skipped: int  # of these: before the first reset
    compared_bits: int
    masked_bits: int
    first: dict[str, Any] | None  # the first difference: cycle, port, expected, got, care
    json: dict[str, Any] = field(repr=False)  # all that `check --json` says

    @property
    def passed(self) -> bool:
        return self.verdict == "PASS"


class Checker(Instance):
    """Follows one instance of a block. Compares each output bit that is in `compare` (words; None:
    all) and that the model knows, from the first reset on; with power_up="zero" at once.
    """

    def __init__(
        self,
        block: str,
        /,
        *,
        scope: str = "",
        power_up: str = "unknown",
        async_reset: bool = False,
        compare: np.ndarray | None = None,
        blocks: Place = None,
        members: str = "",
        **parameters: int | str,
    ) -> None:
        super().__init__(block, blocks, members, parameters)
        if power_up not in POWER_UP:
            raise Error("USAGE", f"power_up: one of {', '.join(POWER_UP)} is wanted")
        bits = None if compare is None else self.outputs.check(compare, strict=False)
        options = ffi.new("wlk_checker_options *")
        name = ffi.new("char[]", scope.encode())
        options.scope = name if scope else ffi.NULL
        options.power_up = POWER_UP[power_up]
        options.compare = pointer(bits)
        options.async_reset = async_reset
        if self._member_list:
            options.members = self._member_list[0]
        made = ffi.new("wlk_checker **")
        call(library().wlk_checker_open, made, self.block, self.cfg, options)
        self._checker = made[0]
        self._owns(library().wlk_checker_close, self._checker)

    def step(
        self,
        inputs: Any,
        outputs: Any,
        *,
        inputs_x: np.ndarray | None = None,
        outputs_x: np.ndarray | None = None,
    ) -> bool:
        """One cycle: the values just before the clock edge. False: this is the first cycle that
        differs, or that breaks a rule; report() tells of it.

        `inputs_x`, `outputs_x`: words whose bits are 1 where a value is X or Z; it counts as 0.
        """
        sides = (self.inputs, inputs, inputs_x), (self.outputs, outputs, outputs_x)
        words = [each for side in sides for each in _known(*side)]
        with self._call("step"):
            return not library().wlk_checker_step_x(self._checker, *map(pointer, words))

    def run(self, inputs: Any, outputs: Any) -> bool:
        """Many cycles, up to the first that differs; are all well?"""
        rows = self.inputs.rows(inputs), self.outputs.rows(outputs)
        if len(rows[0]) != len(rows[1]):
            message = f"as many outputs as inputs are wanted, not {len(rows[1])} and {len(rows[0])}"
            raise ValueError(f"{self.name}: {message}")
        step, none = library().wlk_checker_step_x, ffi.NULL
        widths = self.layout.in_words, self.layout.out_words
        with self._call("run"):
            places = [pointer(each) for each in rows]
            for cycle in range(len(rows[0])):
                here = [at + cycle * width for at, width in zip(places, widths, strict=True)]
                if step(self._checker, here[0], none, here[1], none):
                    return False
        return True

    @property
    def done(self) -> bool:
        """Is there nothing more to learn? After a difference further cycles tell its kind."""
        with self._call("done"):
            return library().wlk_checker_done(self._checker)

    def result(self, *, strict: bool = False) -> Result:
        """The verdict of the cycles so far. `strict`: an output that was hardly ever compared is
        VACUOUS."""
        with self._call("result"):
            answer = json.loads(printed(lambda to: self._json(to, strict)))
        numbers = (answer[k] for k in ("cycles", "skipped", "compared_bits", "masked_bits"))
        return Result(answer["verdict"], *numbers, answer.get("first"), answer)

    def _json(self, to: Any, strict: bool) -> None:
        line = ffi.new("wlk_json *", [to, False])
        library().wlk_json_open(line, ffi.NULL, b"{")
        library().wlk_checker_json(self._checker, strict, line)
        library().wlk_json_close(line, b"}")

    def report(self) -> str:
        """For a person: the first difference, the handshakes before it, the state of the model."""
        with self._call("report"):
            return printed(lambda to: library().wlk_checker_report(self._checker, to))


def _known(ports: Ports, given: Any, unknown: np.ndarray | None) -> tuple[Any, Any]:
    """Words, which are 0 where they are unknown, and where that is."""
    words = ports.record(given, {})
    if unknown is None:
        return words, None
    bits = ports.check(unknown)
    return words & ~bits, bits
