# SPDX-License-Identifier: Apache-2.0
"""Counterexamples of proofs against a block: a record file, played at once into RTL and model."""

import dataclasses
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.errors import Status
from ..base.report import Mismatch
from ..prove.engines import Answer, Values
from ..tables import Config, Table
from . import jobs, lockstep, tools, vectors
from .lockstep import Outcome

FROM_ZERO = """\
from another power-up of what no reset reaches, registers or memories, the model shows this too.
  If the RTL is right, give its register, by `initial`, the value that means 0 in the model"""


@dataclass
class Example:
    """A counterexample, and what simulation says of it."""

    file: Path
    cycles: int
    confirmed: bool
    first: Mismatch | None = None
    report: str = ""
    excuse: str = ""  # why simulation cannot confirm it, where that is no fault
    by: str = "the engines"
    illegal: Sequence[str] = ()  # rules of the block that it breaks
    from_zero: bool = False  # from another power-up of the model there is no difference

    def json(self) -> dict[str, Any]:
        """The key `counterexample` of the answer."""
        known = {"cycles": self.cycles, "file": str(self.file), "confirmed": self.confirmed}
        known |= {"excuse": self.excuse} if self.excuse else {}
        return known | ({"from_zero": True} if self.from_zero else {}) | {"by": self.by}

    def lines(self) -> list[str]:
        """For a person."""
        sure = "confirmed by simulation" if self.confirmed else "not confirmed by simulation"
        lines = [f"  counterexample: {self.file}, {self.cycles} cycles, {sure}"]
        lines += [f"  {self.excuse}"] if self.excuse else []
        lines += [f"  {FROM_ZERO}"] if self.from_zero else []
        return [*lines, *self.report.splitlines()]


def excuse(unknowns: int, free: bool) -> str:
    """Why simulation need not show a difference; empty: it must."""
    if free:
        return "it rests on values at power-up: simulation has others"
    if unknowns:
        text = f"it rests on values that are x in the RTL ({unknowns} of them): simulation has "
        return text + "one value for each, the proof all"
    return ""


def of_block(
    job: jobs.Job, answer: Answer, place: Path, excused: str, behind_reset: bool
) -> Example:
    """Write and play the counterexample of a proof; it is confirmed where lockstep fails too. What
    an engine leaves out of it, as not needed, is 0; where that shows a difference sooner, it is cut
    there."""
    path = place / "counterexample.wlv"
    # Without zeros, what rests on them does not count.
    for power_up in ("unknown", "reset" if behind_reset else "zero"):
        broken = write(job.table, job.config, answer.values, path, power_up)
        outcome = lockstep.replay(job.table, job.config, path, power_up, job.args)
        result = outcome.result
        at = result.first.cycle if result.first is not None else -1
        fails = result.verdict in jobs.FAILURES
        found = fails and at + 1 >= answer.depth
        if found:
            break
    if fails and not found and not broken and at >= 0:
        sooner = dataclasses.replace(answer, depth=at + 1, values=answer.values[: at + 1])
        return of_block(job, sooner, place, excused, behind_reset)
    text = "\n".join(outcome.messages)
    if text:
        (place / "report.txt").write_text(text + "\n", encoding="utf-8")
    if broken:
        excused = f"it breaks {', '.join(broken)}, where simulation stops"
    excused = "" if found else excused
    more = {"illegal": broken, "from_zero": found and power_up == "reset"}
    return Example(path, answer.depth, found, result.first, text, excused, **more)


def of_lockstep(
    job: jobs.Job, outcome: Outcome, behind_reset: bool
) -> tuple[Answer, Example] | None:
    """What lockstep has found beside the engines: its shrunk stimulus. None: it does not show
    from the start that the proof is about, in which all registers power up as 0."""
    files = [line.partition(": ")[2] for line in outcome.left.lines if "stimulus" in line]
    if not files:
        return None
    path = Path(files[0])
    header = vectors.read_header(path)
    power_up = "reset" if behind_reset else "zero"
    again = lockstep.replay(job.table, job.config, path, power_up, job.args)
    first = again.result.first
    if first is None:
        return None
    by = f"lockstep, seed {outcome.result.extra.get('seed')}, shortened"
    text = "\n".join(again.messages)
    return (
        Answer(Status.REFUTED, first.cycle + 1),
        Example(path, header.cycles, True, first, text, by=by),
    )


def write(
    table: Table, config: Config, values: Values, path: Path, power_up: str = "zero"
) -> list[str]:
    """A record file with these inputs, the expected values are the model's; the names of the rules
    that they break."""
    rows = list(_csv(table, config, values))
    words = ["import", "--force", table.name, path, "counterexample", power_up]
    words += table.words(config)
    tools.run(vectors.PROGRAM, words, label=f"writing {path}", feed=rows)
    return _broken(table, config, rows)


def _broken(table: Table, config: Config, rows: Sequence[bytes]) -> list[str]:
    """Names of the rules that these inputs break, as the model has it."""
    words = ["model", table.name, "zero", *table.words(config)]
    answer = tools.run(vectors.PROGRAM, words, label="looking for broken rules", feed=rows)
    broken = 0
    for line in answer.output.splitlines():
        broken |= json.loads(line)["violated"]
    return [rule["name"] for bit, rule in enumerate(table.rules) if broken >> bit & 1]


def _csv(table: Table, config: Config, values: Values) -> Iterator[bytes]:
    """A recording of inputs; absent ones are 0."""
    ports = [port for port in table.ports(config) if port.direction == "in"]
    yield ("cycle," + ",".join(port.name for port in ports) + "\n").encode()
    yield ("#dir," + ",".join(f"i{port.width}" for port in ports) + "\n").encode()
    for cycle, row in enumerate(values):
        cells = (f"{row.get(port.name, 0):x}" for port in ports)
        yield (f"{cycle}," + ",".join(cells) + "\n").encode()
    yield b"#end\n"
