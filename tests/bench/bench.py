#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the figures of docs/performance.md; those of one table come from one run.

  python3 tests/bench/bench.py [--block B] [--config NAME] [--cycles N] [--series N]
  python3 tests/bench/bench.py --block B --scaling       the model by num_warps and by rs_entries
  python3 tests/bench/bench.py --plain [--scaling]       opndcoll.h against a plain collector
  python3 tests/bench/bench.py --adapter                 its C++ class within a simulation
  python3 tests/bench/bench.py --write [BLOCK...]        docs/performance.json, of which
                                                         wlk.gen.docs makes the table of lockstep
  python3 tests/bench/bench.py --gate                    instructions a step of every block

Model, RTL alone and lockstep run in turn, so that a change of the machine's speed meets all of
them; a ratio is the median of the series. CPU time of the process, precomputed stimulus, and the
RTL alone has its outputs read. Units: ns a cycle.
"""

import argparse
import functools
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import adapter  # noqa: E402
import opndcoll  # noqa: E402
from wlk import tables  # noqa: E402
from wlk.base import report
from wlk.fit import inside
from wlk.gen import stubs
from wlk.gen.sv import Harness  # noqa: E402
from wlk.run import build, verilate

PROFILES = ("saturate", "mixed")
DENSE = ("dense", "mixed")  # of a block that has no profile "saturate"
# As a block a step of this one copies the model, and how many instructions that takes depends on
# the processor. So the bench of the calls is counted, which inlines them, and all that it runs.
CALLS = "opndcoll"
FILE = ROOT / "docs" / "performance.json"
# What is in that file: cycles of a run, some 30 ms to 100 ms of it.
MEASURED = (
    dict.fromkeys(("collector", "vortex_opc_unit", "vortex_operands", "vortex_scoreboard"), 300_000)
    | dict.fromkeys(("hazard", "reservation_station", "compactor", "dispatch_basic"), 80_000)
    | dict.fromkeys(("scoreboard", "issue", "dispatch_compacting"), 30_000)
)
UNWRITTEN = ("record", "record + write", "model, base")
SIZES = (1, 2, 4, 8, 16, 32)
SCALED = ("num_warps", "rs_entries")


def measure(command: list[str]) -> float:
    """ns a cycle, as the program reports."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["ns_per_cycle"]


def commands(
    block: str, given: tables.Config, cycles: int, profile: str, folder: Path
) -> dict[str, list[str]]:
    """What is run in turn, by name."""
    table = tables.load(block)
    config = table.config(given)
    rtl = verilate.Rtl(stubs.write_stub(table, config), table.module)
    present = [p.name for p in table.ports(config)] + [table.clock] * bool(table.clock)
    harness = Harness(table, config, present, table.module)
    inner = [part.harness(config) for part in inside.of_stub(table, config)]
    rest = [f"profile={profile}", f"time={cycles}", "power_up=zero"]
    direct = functools.partial(verilate.harness_program, harness, rtl, is_direct=True)
    dpi = [str(verilate.harness_program(harness, rtl)), *rest, "exact=1"]
    bound = {}
    if inner:
        bound = {
            "lockstep, inside": [str(direct(bound=inner, has_own=False)), *rest],
            "lockstep, all": [str(direct(bound=inner)), *rest],
        }
    model = [str(build.folder() / "tests/bench/model_bench"), block, profile, str(cycles * 4)]
    model += [f"{name}={value}" for name, value in given.items()]
    return {
        "RTL alone": [str(verilate.harness_program(harness, rtl, bound=[])), *rest],
        "lockstep": [str(direct(bound=[])), *rest],
        "lockstep by DPI": dpi,
        **bound,
        "model, best": model,
        "model, base": [*model, "isa=base"],
        "compare": [*model, "compare="],
        "record": [*model, "record="],
        "record + write": [*model, f"write={folder / 'bench.wlv'}"],
    }


def series(
    block: str, given: tables.Config, cycles: int, count: int
) -> dict[str, dict[str, list[float]]]:
    """Times by profile and name, one a series."""
    times: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        profiles = PROFILES if "saturate" in tables.load(block).profiles else DENSE
        for profile in profiles:
            todo = commands(block, given, cycles, profile, Path(folder))
            rows = times.setdefault(profile, {name: [] for name in todo})
            for _ in range(count):
                for name, command in todo.items():
                    rows[name].append(measure(command))
    return times


def write(blocks: Sequence[str], count: int) -> None:
    """Measure the lockstep of blocks and put it into docs/performance.json, where others stay."""
    known = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    for block in blocks or MEASURED:
        cycles = MEASURED[block]
        profiles = {}
        for profile, rows in series(block, {}, cycles, count).items():
            alone = rows["RTL alone"]
            profiles[profile] = {
                name: {
                    "ns": round(min(values), 2),
                    "ratio": round(_ratio(values, alone), 3),
                }
                for name, values in rows.items()
                if name not in UNWRITTEN
            }
        known[block] = {"cycles": cycles, "series": count, "profiles": profiles}
        text = json.dumps({name: known[name] for name in sorted(known)}, indent=1) + "\n"
        FILE.write_text(text, encoding="utf-8")
        print(f"{block}: {FILE.relative_to(ROOT)}", flush=True)


def _ratio(values: Sequence[float], alone: Sequence[float]) -> float:
    """To the RTL alone of the same series."""
    return statistics.median(v / a for a, v in zip(alone, values, strict=True))


def instructions(block: str) -> int | None:
    """Instructions of a model step under callgrind: repeatable whatever the machine does."""
    counts = [_counted(block, cycles) for cycles in (2000, 12000)]
    if None in counts:
        return None
    (few, at_first), (many, at_last) = counts
    return round((many - few) / (at_last - at_first))


def _counted(block: str, cycles: int) -> tuple[int, int] | None:
    """Instructions, and steps that took them."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    if block == CALLS:
        command += [build.folder() / "tests/bench/opndcoll_bench", str(cycles), "qv100"]
    else:
        command += ["--toggle-collect=step", build.folder() / "tests/bench/model_bench", block]
        command += ["mixed", str(cycles)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [line.split() for line in done.stderr.splitlines() if "Collected" in line]
    if not found:
        return None
    return int(found[0][-1]), json.loads(done.stdout).get("steps", cycles)


def gate() -> int:
    """Compare the instruction count of each block with what its table allows: as callgrind counts
    (which shows no AVX-512, so x86-64-v3 code runs) in a build by gcc 12."""
    over = 0
    for block in tables.names():
        known, found = tables.load(block).instructions, instructions(block)
        if found is None:
            print("no count: valgrind is missing or failed")
            return 1
        verdict = "more than 3 % over" if found > known * 1.03 else "within 3 % of"
        print(f"{block}: {found} instructions a model step, {verdict} the {known} of its table")
        over |= found > known * 1.03
    return int(over)


def scaling(block: str, cycles: int, count: int) -> None:
    """Time of a model step by the size of each dimension, the others at their defaults."""
    program = str(build.folder() / "tests/bench/model_bench")
    sizes = [(name, n) for name in SCALED if name in tables.load(block).params for n in SIZES]
    times: dict[tuple[str, int], list[float]] = {size: [] for size in sizes}
    for _ in range(count):
        for name, n in sizes:
            times[name, n].append(measure([program, block, "mixed", str(cycles), f"{name}={n}"]))
    table = report.Table("parameter", "value", "ns/step, min", "ns/step, median")
    for (name, n), values in times.items():
        table.add(name, n, min(values), statistics.median(values))
    table.print()


def configuration(block: str, name: str) -> tables.Config:
    """A named configuration of the block's table; ends the program when there is none."""
    known = tables.load(block).configs
    if name not in known:
        sys.exit(f"bench.py: {block} has no configuration '{name}'; it has {', '.join(known)}")
    return known[name]


def other(args: argparse.Namespace) -> None:
    """Measure for the file, or opndcoll.h, alone or in its C++ class."""
    if args.write is not None:
        write(args.write, args.series)
    elif args.adapter:
        adapter.table(min(args.cycles, 20_000))
    else:
        (opndcoll.scaling if args.scaling else opndcoll.compare)(args.cycles, args.series)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--block", default="collector")
    parser.add_argument("--config", metavar="NAME", default="default", help="of the block's table")
    parser.add_argument("--cycles", type=int, default=400_000)
    parser.add_argument("--series", type=int, default=7)
    parser.add_argument(
        "--write", nargs="*", metavar="BLOCK", help="bring docs/performance.json up to date"
    )
    parser.add_argument("--gate", action="store_true", help="fail if they are 3 %% too many")
    parser.add_argument("--scaling", action="store_true", help="only the model, by size")
    parser.add_argument("--plain", action="store_true", help="the calls of opndcoll.h, no RTL")
    parser.add_argument("--adapter", action="store_true", help="instructions of the C++ class")
    args = parser.parse_args()
    build.meson_build(whole=True)
    if args.gate:
        return gate()
    if args.plain or args.adapter or args.write is not None:
        other(args)
        return 0
    if args.scaling:
        scaling(args.block, args.cycles, args.series)
        return 0
    start = time.monotonic()
    given = configuration(args.block, args.config)
    times = series(args.block, given, args.cycles, args.series)
    table = report.Table("profile", "what", "ns/cycle, min", "ns/cycle, median", "ratio, median")
    for profile, rows in times.items():
        alone = rows["RTL alone"]
        for name, values in rows.items():
            if name.startswith("model"):
                ratio = statistics.median(a / v for a, v in zip(alone, values, strict=True))
                text = f"RTL / model {ratio:.1f}"
            elif name.startswith("lockstep"):
                text = f"lockstep / RTL {_ratio(values, alone):.2f}"
            elif name == "record + write":
                both = zip(values, rows["record"], strict=True)
                text = f"write alone {statistics.median(v - r for v, r in both):.0f} ns"
            else:
                text = "-"
            table.add(profile, name, min(values), statistics.median(values), text)
    table.print()
    print(f"\n{platform.processor() or platform.machine()}, {args.series} series in turn, ", end="")
    print(f"{args.cycles:,} RTL cycles each, {time.monotonic() - start:.0f} s")
    if not given:
        print(f"instructions a model step (callgrind): {instructions(args.block)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
