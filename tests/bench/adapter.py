# SPDX-License-Identifier: Apache-2.0
"""Instructions of a core cycle in the collector's class, in a mock simulation, under callgrind.

What is spent below collector_step() and collector_writeback() is the collector's: the model's is
what runs in functions of C, the class's all else.
"""

import re
import subprocess
import tempfile
from pathlib import Path

from wlk.base import report
from wlk.run import build

MIXES = {"idle": 0, "light": 5, "usual": 30, "saturated": 100}
"""Chances to issue, of a hundred; four a core cycle."""
LINE = re.compile(r"^\s*([\d,]+) \([ \d.]+%\)\s+\S+?:(.+?)(?: \[.*)?$", re.MULTILINE)
ENTRIES = ("collector_step", "collector_writeback")


def table(cycles: int) -> None:
    """Print the instructions of a core cycle by mix."""
    shown = report.Table("mix", "issue, %", "the mock's own", "in place", "of it model", "class")
    for name, percent in MIXES.items():
        own, _ = _of_a_cycle("own", percent, cycles)
        place, model = _of_a_cycle("place", percent, cycles)
        shown.add(name, percent, round(own), round(place), round(model), round(place - model))
    shown.print()
    print("\ninstructions a core cycle of two steps, write-backs included (callgrind)")


def _of_a_cycle(which: str, percent: int, cycles: int) -> tuple[float, float]:
    """Below the collector's entries, and of these the model's."""
    few, many = (_counted(which, percent, n) for n in (cycles // 10, cycles))
    collector, model = (b - a for a, b in zip(few, many, strict=True))
    return collector / (cycles - cycles // 10), model / (cycles - cycles // 10)


def _counted(which: str, percent: int, cycles: int) -> tuple[int, int]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        program = str(build.folder() / "tests/bench/adapter_bench")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
        command += [f"--toggle-collect=*{name}*" for name in ENTRIES]
        command += [program, which, str(percent), str(cycles)]
        subprocess.run(command, capture_output=True, check=True)
        words = ["callgrind_annotate", "--threshold=100", str(out)]
        text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    counts = [(int(n.replace(",", "")), what) for n, what in LINE.findall(text)]
    model = sum(
        n for n, what in counts if "(" not in what and not what.startswith(("mem", "__mem"))
    )
    return sum(n for n, _ in counts), model
