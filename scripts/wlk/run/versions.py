# SPDX-License-Identifier: Apache-2.0
"""Two versions of any module: what of their ports is compared, and a counterexample in simulation.

Each version is Verilated by itself, since names of modules are the same in both, behind a wrapper
whose ports are two vectors; dpi/harness/vectors.cpp plays lines of numbers into it.
"""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..base import keep, outputs, progress, report, setup
from ..base.errors import Status, WlkError
from ..base.report import Mismatch
from ..prove.engines import Answer, Values
from ..prove.miter import Compared
from ..prove.netlist import Netlist, Port, Source
from . import jobs, tools, verilate
from .counterexample import Example

PLAYER = verilate.HARNESS / "vectors.cpp"
LEAST = 96  # bits of a vector: narrower ones are no arrays in C++
WRAPPER = "wlk_vectors"


def source(asked: jobs.RtlSource, paths: Sequence[Path], config: Sequence[str]) -> Source:
    """The module of one version, with parameters; NO_MODULE, BAD_RTL."""
    from ..fit import alike, binds, data, rtl  # need slang

    design = rtl.load(paths, defines=asked.define, include_dirs=asked.include)
    module = design.find(asked.module)
    module.require_complete()
    alike.require(module)
    files = design.files_for(module)
    folders, defines = design.include_dirs, design.defines
    left_out = [*binds.left_out(module)]
    content = [*design.included, *data.files(module)]
    given = (folders, defines, content, tuple(config))
    wrappers = design.wrappers(module.name)
    return Source(files, module.name, *given, wrappers=wrappers, binds_left_out=left_out)


def compared(old: Netlist, new: Netlist) -> tuple[list[Compared], list[str]]:
    """The outputs of both, and notes on inputs that only one has; IFACE_CHANGED where outputs or
    widths differ."""
    sides = [{port.name: port for port in side.ports} for side in (old, new)]
    table = report.Table("port", "old", "new")
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        one, other = (side.get(name) for side in sides)
        is_more = None in (one, other) and (one or other).direction == "in"
        if one != other and not is_more:
            table.add(name, _shape(one), _shape(other))
    if table.rows:
        name, before, after = table.rows[0]
        rest = f" (and {len(table.rows) - 1} more)" if len(table.rows) > 1 else ""
        table.print()
        message = f"the ports of module {new.source.top} have changed: {name}: {before} in the old"
        raise WlkError(Status.IFACE_CHANGED, f"{message}, {after} in the new one{rest}")
    if None not in (old.clock, new.clock) and [*old.clocks] != [*new.clocks]:
        message = f"module {new.source.top} is clocked by {_edge(old)} in the old version"
        raise WlkError(Status.IFACE_CHANGED, f"{message}, by {_edge(new)} in the new one")
    notes = [
        f"input {name} is in the {which} version only; equal whatever it is"
        for which, own, other in (("old", *sides), ("new", *reversed(sides)))
        for name in own
        if name not in other
    ]
    return [Compared(port) for port in old.ports if port.direction == "out"], notes


def _shape(port: Port | None) -> str:
    return f"{port.direction} {port.width} bits" if port is not None else "not there"


def _edge(side: Netlist) -> str:
    ((net, rising),) = side.clocks
    return f"the {'rising' if rising else 'falling'} edge of {net}"


# ---- a counterexample ---------------------------------------------------------------------------


def example(
    old: Netlist,
    new: Netlist,
    answer: Answer,
    ports: Sequence[Compared],
    place: Path,
    excused: str,
) -> Example:
    """Write the inputs with the old version's outputs as a recording, and play them into both."""
    values = answer.values
    before, after = (_play(side, values) for side in (old, new))
    path = place / "counterexample.csv"
    with outputs.atomic_write(path) as file:
        file.write(_csv(old, new, values, before))
    first, lines = None, []
    for cycle, (one, other) in enumerate(zip(before, after, strict=True)):
        for each in ports:
            name, care = each.port.name, (1 << each.port.width) - 1
            if one[name] != other[name]:
                lines.append(f"  cycle {cycle}: {name} is {other[name]:#x}, was {one[name]:#x}")
                first = first or Mismatch(cycle, name, one[name], other[name], care)
        if first is not None:
            break
    excused = "" if first is not None else excused
    return Example(path, len(values), first is not None, first, "\n".join(lines), excused)


def _csv(old: Netlist, new: Netlist, values: Values, outs: Values) -> str:
    inputs = {p.name: p for side in (new, old) for p in side.ports if p.direction == "in"}
    inputs = {name: p for name, p in inputs.items() if name not in (old.clock, new.clock)}
    out = [port for port in old.ports if port.direction == "out"]
    kinds = [f"i{p.width}" for p in inputs.values()] + [f"o{p.width}" for p in out]
    rows = [["cycle", *inputs, *(port.name for port in out)], ["#dir", *kinds]]
    for cycle, (given, seen) in enumerate(zip(values, outs, strict=True)):
        cells = [given.get(name, 0) for name in inputs] + [seen[port.name] for port in out]
        rows.append([str(cycle), *(f"{cell:x}" for cell in cells)])
    return "".join(",".join(row) + "\n" for row in rows)


def _play(side: Netlist, values: Values) -> Values:
    """The outputs of a version in each cycle."""
    inputs = [p for p in side.ports if p.direction == "in" and p.name != side.clock]
    outs = [p for p in side.ports if p.direction == "out"]
    words = -(-max(LEAST, sum(p.width for p in inputs)) // 32)
    lines = []
    for row in values:
        total = _packed((row.get(p.name, 0), p.width) for p in inputs)
        lines.append(" ".join(f"{total >> 32 * n & 0xFFFFFFFF:x}" for n in range(words)) + "\n")
    program = _program(side, inputs, outs)
    feed = (line.encode() for line in lines)
    done = tools.ask([program], lambda *_: None, feed=feed)
    if done.code:
        message = f"{program} ended with {done.code}: {done.report.strip()}"
        raise WlkError(Status.MODEL_ERROR, message)
    rows = []
    for line in done.output.splitlines():
        total = sum(int(word, 16) << 32 * n for n, word in enumerate(line.split()))
        row, at = {}, 0
        for port in outs:
            row[port.name] = total >> at & (1 << port.width) - 1
            at += port.width
        rows.append(row)
    return rows


def _packed(fields: Iterable[tuple[int, int]]) -> int:
    """(value, width) of each, the first lowest."""
    total, at = 0, 0
    for value, width in fields:
        total |= value << at
        at += width
    return total


def _wrapper(side: Netlist, inputs: Sequence[Port], outs: Sequence[Port]) -> str:
    """The module between vectors and the ports of a version."""
    pins = [f".{side.clock}(clock)"] if side.clock else []
    for vector, ports in (("in", inputs), ("out", outs)):
        at = 0
        for port in ports:
            pins.append(f".{port.name}({vector}[{at + port.width - 1}:{at}])")
            at += port.width
    given = ", ".join(f".{name}({value})" for name, value in side.source.given())
    sizes = [max(LEAST, sum(p.width for p in ports)) for ports in (inputs, outs)]
    text = f"module {WRAPPER}(input clock, input [{sizes[0] - 1}:0] in,\n"
    text += f"    output [{sizes[1] - 1}:0] out);\n  {side.source.top} #({given}) dut(\n    "
    return text + ",\n    ".join(pins) + ");\nendmodule\n"


def _program(side: Netlist, inputs: Sequence[Port], outs: Sequence[Port]) -> Path:
    """The simulation of a version, kept by content; everything powers up as 0."""
    of, tool = side.source, verilate.find_tool("system")
    text = _wrapper(side, inputs, outs)
    read = (*of.files, *of.included, PLAYER, verilate.DATA)
    contents = [path.read_bytes() for path in read]
    key = keep.digest([text, of.listed(), tool.program, *contents])
    place = verilate.folder() / key
    program = place / "player"
    with setup.locked(f"rtl-{key}"):
        if program.is_file():
            os.utime(place)  # in use: not to be forgotten
            return program
        shutil.rmtree(place, ignore_errors=True)
        outputs.make_folder(place)
        (place / f"{WRAPPER}.sv").write_text(text, encoding="utf-8")
        shutil.copyfile(verilate.DATA, place / verilate.DATA.name)
        data = verilate.data_header(of.files, of.include_dirs)
        (place / "wlk_data.h").write_text(data, encoding="utf-8")
        main = shutil.copyfile(PLAYER, place / PLAYER.name)
        command = [tool.program, "--cc", "--exe", "--build", "--prefix", "Vwlk", "-O3"]
        command += ["--top-module", WRAPPER, "--x-assign", "0", "--x-initial", "unique"]
        command += ["--no-timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-MODDUP"]
        command += ["-CFLAGS", "-DVL_USER_WARN", "-LDFLAGS", verilate.FOPEN]
        command += [f"+define+{each}" for each in of.defines]
        command += [f"+incdir+{path}" for path in of.include_dirs]
        command += ["-Mdir", place / "obj", "-o", "../player", place / f"{WRAPPER}.sv"]
        log = place / "build.log"
        cached = {"OBJCACHE": "ccache"} if shutil.which("ccache") else {}
        options = progress.make_options(tool.environment() | cached)
        if progress.run([*command, *of.files, main], log=log, label="Verilating", **options).code:
            message = f"the counterexample cannot be simulated: see {log}"
            raise WlkError(Status.BUILD_FAIL, message)
        shutil.rmtree(place / "obj", ignore_errors=True)
    return program
