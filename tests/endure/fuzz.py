# SPDX-License-Identifier: Apache-2.0
"""Broken files for every reader that takes a stranger's: `warplock test --fuzz MINUTES`.

Readers in C are tests/endure/fuzz/NAME.c under libFuzzer, with ASan and UBSan; those in Python
are in tests/endure/fuzz/readers.py, under atheris, which is libFuzzer too. They begin with
tests/endure/corpus/NAME, and with what earlier runs have found: that, files that crash, and sums
over all runs lie in build/endure/fuzz. What is interrupted loses at most a slice of a reader.
"""

import argparse
import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))

import ledger  # noqa: E402
from wlk.base import options, outputs, progress, report, setup  # noqa: E402
from wlk.base.guard import guard  # noqa: E402
from wlk.run import build  # noqa: E402

IN_C = (
    *("beside", "harness", "jobs", "opndcoll", "programs", "records", "rows", "vcd", "vectors"),
    *("waves", "words"),
)
IN_PYTHON = (
    *("answers", "coverage", "csv", "dumps", "explore", "faults", "headers", "lists", "maps"),
    *("package", "packed", "regress", "rtl", "settings", "sweeps", "tables", "versions"),
    "waivers",
)
READERS = (*IN_C, *IN_PYTHON)
CORPUS = HERE / "corpus"
FOUND = setup.BUILD / "endure" / "fuzz"
SUMS = setup.BUILD / "endure" / "fuzz.json"
SLICE = 60  # seconds of a reader, then the next one
LARGEST = 8192  # bytes of a file
# An FST may announce 4 GB, which are asked for, and not touched without values for them.
OPTIONS = ("-timeout=20", "-rss_limit_mb=2560", "-malloc_limit_mb=4100", f"-max_len={LARGEST}")
OPTIONS += ("-print_final_stats=1",)
MOST_CRASHES = 20  # of a reader in one run
INTERRUPTED = (72, -signal.SIGINT, -signal.SIGTERM)  # libFuzzer's code, or before it is ready
ATHERIS_STOPS = "KeyboardInterrupt: stopping."
stopping = threading.Event()  # nothing more is begun
_LINE = re.compile(r"^#(\d+)\s.*?cov: (\d+) ft: (\d+)", re.MULTILINE)
_ENDED = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)
_WRITTEN = re.compile(r"Test unit written to (\S+)")


@dataclass
class Sum:
    """What a reader has had, over all runs."""

    executions: int = 0
    seconds: float = 0  # of the clock
    cpu: float = 0  # seconds of processors, those of programs that the reader started too
    cov: int = 0  # edges, and below, with how often each was taken
    ft: int = 0
    crashes: list[str] = field(default_factory=list)  # files that still crash


class InterruptError(Exception):
    """A reader was ended by a signal, as all are that belong to a terminal."""


def command(reader: str) -> list[str]:
    """The program of a reader; libFuzzer's options and files follow."""
    if reader in IN_PYTHON:
        return [str(setup.PYTHON), str(HERE / "fuzz" / "readers.py"), reader]
    return [str(build.folder("fuzz") / "tests" / "endure" / "fuzz" / f"fuzz_{reader}")]


def call(reader: str, words: Sequence[object], seconds: float) -> tuple[int, str, float]:
    """Exit code, output and seconds of processors; what takes far too long is ended."""
    path = os.pathsep.join([str(setup.ROOT / "scripts"), str(HERE / "fuzz")])
    environment = dict(os.environ) | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    quiet = ["-close_fd_mask=3"] if reader in IN_C else []
    with progress.child(
        [*command(reader), *quiet, *OPTIONS, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
    ) as process:
        late = threading.Timer(seconds, process.kill)
        late.start()
        text = process.stdout.read().decode(errors="replace") if process.stdout else ""
        late.cancel()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except ChildProcessError:  # whoever ends this process has ended that one too
            return -signal.SIGTERM, text, 0
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode == -signal.SIGKILL:
        text += "\nit does not end, or was killed\n"
    return process.returncode, text, usage.ru_utime + usage.ru_stime


def crashes(reader: str, files: Sequence[Path]) -> list[Path]:
    """Those of the files that crash the reader; where all pass it is called once."""
    if not files or not call(reader, files, 300)[0]:
        return []
    if len(files) == 1:
        return list(files)
    half = len(files) // 2
    return crashes(reader, files[:half]) + crashes(reader, files[half:])


def fuzz(reader: str, limits: Sequence[str], seconds: float) -> tuple[Sum, str]:
    """One process: what it did, its crash if it found one, and its output."""
    place = FOUND / reader
    for name in ("corpus", "crashes"):
        (place / name).mkdir(parents=True, exist_ok=True)
    words = [*limits, f"-artifact_prefix={place / 'crashes'}/", place / "corpus", CORPUS / reader]
    start = time.monotonic()
    code, text, cpu = call(reader, words, 2 * seconds + 120)
    if code in INTERRUPTED or text.rstrip().endswith(ATHERIS_STOPS):
        stopping.set()
        raise InterruptError
    found = Sum(seconds=time.monotonic() - start, cpu=cpu)
    if seen := _LINE.findall(text):
        found.executions, found.cov, found.ft = map(int, seen[-1])
    if ended := _ENDED.search(text):
        found.executions = int(ended[1])
    if code:
        log = place / "crash.log"
        log.write_text(text, encoding="utf-8")
        written = _WRITTEN.findall(text)
        found.crashes = written[-1:] or [str(log)]
    return found, text


def read_sums() -> dict[str, Sum]:
    """Those of earlier runs."""
    known = json.loads(SUMS.read_text(encoding="utf-8")) if SUMS.is_file() else {}
    return {name: Sum(**known.get(name, {})) for name in READERS}


def add(reader: str, found: Sum) -> None:
    """Add a slice to what is kept, beside other runs too."""
    with setup.locked("endure-fuzz-sums"):
        sums = read_sums()
        whole = sums[reader]
        whole.executions += found.executions
        whole.seconds += found.seconds
        whole.cpu += found.cpu
        whole.cov, whole.ft = max(whole.cov, found.cov), max(whole.ft, found.ft)
        whole.crashes = sorted({*whole.crashes, *found.crashes})
        write_sums(sums)


def write_sums(sums: dict[str, Sum]) -> None:
    SUMS.parent.mkdir(parents=True, exist_ok=True)
    with outputs.atomic_write(SUMS) as file:
        file.write(json.dumps({name: asdict(each) for name, each in sums.items()}, indent=1))


def forget_mended(readers: Sequence[str]) -> None:
    """Crashes of earlier runs whose files pass by now."""
    kept = {name: [Path(path) for path in read_sums()[name].crashes] for name in readers}
    left = {name: crashes(name, [p for p in paths if p.is_file()]) for name, paths in kept.items()}
    with setup.locked("endure-fuzz-sums"):
        sums = read_sums()
        for name, paths in left.items():
            new = set(sums[name].crashes) - {str(path) for path in kept[name]}
            sums[name].crashes = sorted({*new, *(str(path) for path in paths)})
        write_sums(sums)


def run(reader: str, minutes: float, tell: Callable[[str, float], None]) -> None:
    """So long for a reader, in slices; each crash begins a new one. `tell`: of the seconds done."""
    left, met = minutes * 60, 0
    while left > 0 and met < MOST_CRASHES and not stopping.is_set():
        seconds = min(SLICE, left)
        found, text = fuzz(reader, [f"-max_total_time={seconds:.0f}"], seconds)
        if found.crashes:  # it ended before its time
            met += 1
            last = re.findall(r"^#\d+.*$", text, re.MULTILINE)
            print(f"{reader}: crash {met}, {found.crashes[0]}; {last[-1] if last else ''}")
        left -= max(found.seconds, 1)
        add(reader, found)
        tell(reader, seconds)


def show(sums: dict[str, Sum], readers: Sequence[str]) -> int:
    """The table, and how to repeat each crash; the number of crashes."""
    table = report.Table("reader", "executions", "CPU minutes", "a second", "cov", "ft", "crashes")
    for name in readers:
        each = sums[name]
        rate = round(each.executions / each.cpu) if each.cpu else 0
        counts = (each.cov, each.ft, len(each.crashes))
        table.add(name, each.executions, round(each.cpu / 60, 1), rate, *counts)
    for name in readers:
        for path in sums[name].crashes:
            words = [*command(name), path]
            path_words = f"PYTHONPATH=scripts:{HERE / 'fuzz'} " if name in IN_PYTHON else ""
            print(f"{name}: {path}\n  {path_words}{shlex.join(words)}")
    table.print()
    return sum(len(sums[name].crashes) for name in readers)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=ledger.minutes, default=1, help="of each reader")
    parser.add_argument("--jobs", type=options.number(1), default=os.cpu_count() or 1)
    parser.add_argument("--reader", action="append", choices=READERS, help="only this one")
    asked = parser.parse_args()
    setup.ensure(["build", "clang", "fuzz", "python", "rtl"])
    build.meson_build("fuzz", target="fuzz", jobs=asked.jobs)
    build.meson_build()
    readers = asked.reader or READERS
    forget_mended(readers)
    before = read_sums()
    readers = sorted(readers, key=lambda name: before[name].seconds)  # the least tried one first
    done = [0.0]
    pool = ThreadPoolExecutor(asked.jobs)
    with (
        progress.Progress("seconds of fuzzing", round(60 * asked.minutes * len(readers))) as line,
        contextlib.ExitStack() as stack,
    ):
        stack.callback(pool.shutdown, cancel_futures=True)
        stack.callback(progress.terminate_children)
        stack.callback(stopping.set)

        def tell(reader: str, seconds: float) -> None:
            done[0] += seconds
            line.update(round(done[0]), reader)

        try:
            for each in [pool.submit(run, name, asked.minutes, tell) for name in readers]:
                each.result()
        except InterruptError:
            raise KeyboardInterrupt from None
    sums = read_sums()
    return 1 if show(sums, sorted(readers)) else 0


if __name__ == "__main__":
    sys.exit(guard(main))
