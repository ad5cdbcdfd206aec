# SPDX-License-Identifier: Apache-2.0
"""Faults of the machine in every command that writes: a disk that fails or fills, calls that are
cut short or interrupted, kill -9, memory that runs out, a clock that jumps, a process that is
stopped and continued, two of the same at once.

  scripts/warplock test --campaign machine --minutes N

Nothing with a final name may be damaged, the message names the cause, and the same command then
does all of its work.
"""

import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("scripts", "tests", "tests/lockstep")
sys.path[:0] = [str(ROOT / part) for part in PARTS]

import full_disk
import ledger
import programs
from wlk.base import setup
from wlk.base.errors import Status

SECONDS = 120.0  # after which a command hangs
MEMORY = (40 << 20, 3 << 30)  # bytes of address space
CAUSES = {"EIO": "Input/output error", "ENOSPC": "No space left"}
# What a fault may leave beside: names that nobody takes for a result.
UNFINISHED = (".partial", ".lock", ".tmp")
# A refusal, a difference, or what could not be kept beside an answer that was given.
MESSAGES = ("warplock: ", "MISMATCH", "cannot write", "\n  no ")
CODES = {int(status) for status in Status} | {143}


@dataclass
class Ended:
    """One run of a command."""

    code: int
    text: str
    seconds: float

    def troubles(self) -> Iterator[str]:
        """What no fault excuses."""
        if self.code not in CODES and self.code != -signal.SIGKILL:
            yield f"exit code {self.code}"
        for words in ("Traceback", "a bug in warplock"):
            if words in self.text:
                yield f"printed: {words}"
        if self.code > 0 and not any(words in self.text for words in MESSAGES):
            yield "no message"


Act = Callable[[subprocess.Popen], None]


def run(line: list[str], place: Path, act: Act = lambda _: None, **how: Any) -> Ended:
    """A command in a group of its own, to whose process `act` does something."""
    start = time.monotonic()
    out = place.with_suffix(".out")
    with out.open("w") as to:
        options = {"stdout": to, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
        process = subprocess.Popen(line, start_new_session=True, **options, **how)
        try:
            act(process)
            code = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            code = 99
        finally:
            kill(process, signal.SIGKILL)
            process.wait()
    return Ended(code, out.read_text(errors="replace"), time.monotonic() - start)


def kill(process: subprocess.Popen, number: int) -> None:
    """The whole group; nothing if it has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


class Trial:
    """A command in a folder of its own."""

    def __init__(self, number: int, dice: random.Random) -> None:
        self.dice = dice
        self.work = ledger.PLACE / "machine" / str(number)
        shutil.rmtree(self.work, ignore_errors=True)
        self.disk = self.work / "disk"
        self.disk.mkdir(parents=True)
        known = full_disk.commands(self.work)
        usable = [c for c in known if not c.small_tmp and not c.small_build]
        self.command = dice.choice(usable)
        words = [word.replace("{disk}", str(self.disk)) for word in self.command.words]
        self.line = [sys.executable, str(programs.WARPLOCK), *words]
        self.environment = os.environ | {"WARPLOCK_NO_SETUP": "1"}

    def wiped(self) -> None:
        shutil.rmtree(self.disk)
        self.disk.mkdir()

    def run(
        self, act: Act = lambda _: None, env: dict[str, str] | None = None, **how: Any
    ) -> Ended:
        return run(self.line, self.disk, act, env=self.environment | (env or {}), **how)

    def damaged(self, like: full_disk.Moment | None = None) -> tuple[full_disk.Moment, list[str]]:
        moment = full_disk.Moment(self.command, 0)
        found = full_disk.damaged(self.disk, moment, like)
        return moment, [t for t in found if not any(end in t for end in UNFINISHED)]

    # Each a fault: how the command ended, and what is wrong with that.

    def killed(self, usual: float) -> tuple[Ended, list[str]]:
        at = self.dice.random() * usual

        def act(process: subprocess.Popen) -> None:
            time.sleep(at)
            kill(process, signal.SIGKILL)

        return self.run(act), []

    def stopped(self, usual: float) -> tuple[Ended, list[str]]:
        at = self.dice.random() * usual

        def act(process: subprocess.Popen) -> None:
            time.sleep(at)
            kill(process, signal.SIGSTOP)
            time.sleep(0.5)
            kill(process, signal.SIGCONT)

        return self._unharmed(self.run(act))

    def short_of_memory(self, _: float) -> tuple[Ended, list[str]]:
        low, high = MEMORY
        most = int(low * (high / low) ** self.dice.random())
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))  # noqa: E731
        ended = self.run(preexec_fn=limit)
        if "MemoryError" in ended.text or ended.code in (-signal.SIGABRT, -signal.SIGSEGV, 127):
            # Python itself, or the loader, before it reached us.
            ended = Ended(int(Status.NO_MEMORY), "warplock: memory", ended.seconds)
        return ended, []

    def jumping_clock(self, _: float) -> tuple[Ended, list[str]]:
        jump = self.dice.choice((-(10**9), -3600, 3600, 10**9))
        env = {"FAULT_CLOCK": str(jump), "FAULT_FROM": str(self.dice.randrange(50))}
        return self._unharmed(self.run(env=env | preloaded()))

    def failing_disk(self, _: float) -> tuple[Ended, list[str]]:
        kind = self.dice.choice(("EIO", "ENOSPC", "EINTR", "SHORT"))
        calls = int(40 ** self.dice.random()) - 1
        env = {"FAULT_PLACE": f"{self.disk}/", "FAULT_ERROR": kind, "FAULT_FROM": str(calls)}
        ended = self.run(env=env | preloaded())
        if kind not in CAUSES:
            return self._unharmed(ended)
        failed = ended.code in (Status.NO_SPACE, Status.NO_FILE)
        return ended, ["the cause is not named"] if failed and CAUSES[
            kind
        ] not in ended.text else []

    def unreadable(self, _: float) -> tuple[Ended, list[str]]:
        calls = int(12 ** self.dice.random()) - 1
        env = {"FAULT_PLACE": f"{self.work}/", "FAULT_ERROR": "EIO", "FAULT_READ": "1"}
        ended = self.run(env=env | {"FAULT_FROM": str(calls)} | preloaded())
        named = ended.code == self.command.verdict or CAUSES["EIO"] in ended.text
        return ended, [] if named else ["the cause is not named"]

    def twice(self, _: float) -> tuple[Ended, list[str]]:
        other: list[Ended] = []
        again = self.disk.with_name("other")

        def act(_: subprocess.Popen) -> None:
            other.append(run(self.line, again, env=self.environment))

        ended = self.run(act)
        codes = sorted((ended.code, other[0].code))
        fine = (int(self.command.verdict), int(Status.USAGE))
        return ended, [] if set(codes) <= set(fine) and codes[0] == fine[0] else [f"ended {codes}"]

    def _unharmed(self, ended: Ended) -> tuple[Ended, list[str]]:
        right = ended.code == self.command.verdict
        return ended, [] if right else [f"exit code {ended.code}, not {self.command.verdict}"]


FAULTS = {
    "kill -9": Trial.killed,
    "stopped, continued": Trial.stopped,
    "out of memory": Trial.short_of_memory,
    "clock": Trial.jumping_clock,
    "disk": Trial.failing_disk,
    "disk, reading": Trial.unreadable,
    "two at once": Trial.twice,
}


def preloaded() -> dict[str, str]:
    """The library that makes calls fail, compiled when it is first needed."""
    source = Path(__file__).with_name("faulty_io.c")
    library = ledger.PLACE / "faulty_io.so"
    with setup.locked("faulty-io"):
        if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
            library.parent.mkdir(parents=True, exist_ok=True)
            words = ["cc", "-std=c11", "-O1", "-shared", "-fPIC", source, "-o", library, "-ldl"]
            subprocess.run(words, check=True)
    return {"LD_PRELOAD": str(library)}


def draw(number: int, dice: random.Random) -> dict[str, Any]:
    trial = Trial(number, dice)
    name = dice.choice([*FAULTS])
    usual = trial.run()
    assert usual.code == trial.command.verdict, usual.text
    like, troubles = trial.damaged()
    assert not troubles, troubles
    trial.wiped()
    ended, troubles = FAULTS[name](trial, usual.seconds)
    troubles += ended.troubles()
    troubles += trial.damaged(like)[1]
    if not trial.command.to_disk:
        trial.wiped()  # most refuse to replace what is whole
    after = trial.run()
    if after.code != trial.command.verdict:
        troubles.append(f"run again without a fault: {after.code}: {after.text[-500:]}")
    troubles += trial.damaged(like)[1]
    said = ended.text[-800:]
    assert not troubles, f"{trial.command.name}, {name}: {'; '.join(troubles)}\n{said}"
    shutil.rmtree(trial.work)
    return {"what": name, "why": trial.command.name}


if __name__ == "__main__":
    sys.exit(ledger.campaign(__file__, __doc__, draw))
