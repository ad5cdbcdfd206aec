# SPDX-License-Identifier: Apache-2.0
"""Long work: a progress line, child processes that end when we do."""

import atexit
import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TextIO, TypeVar

from . import outputs
from .errors import Status, WlkError

Item = TypeVar("Item")
Answer = TypeVar("Answer")

TTY_PERIOD = 0.1  # seconds between two redraws of the line on a terminal
LOG_PERIOD = 10.0  # seconds between two lines elsewhere
GRACE = 3.0  # seconds a child has to end before it is killed
LOCALE = "C"  # of children: their messages are read, and perl prints more where one is not there


class Progress:
    """One line on stderr about long work: rewritten on a terminal, repeated every 10 s elsewhere.

    Use as a context manager; nothing is printed elsewhere about work that ends within 10 s.
    """

    def __init__(self, label: str, total: int | None = None, stream: TextIO | None = None) -> None:
        self.label = label
        self.total = total
        self.stream = stream if stream is not None else sys.stderr
        self.tty = self.stream.isatty()
        self.start = time.monotonic()
        self._last = self.start - TTY_PERIOD if self.tty else self.start
        self._shown = False
        self._lock = threading.Lock()

    def update(self, done: int | None = None, note: str = "") -> None:
        """Show how far it is. Cheap to call often: most calls print nothing."""
        now = time.monotonic()
        with self._lock:
            if now - self._last < (TTY_PERIOD if self.tty else LOG_PERIOD):
                return
            self._last = now
            line = self._line(done, note, now)
            if self.tty:
                columns = 80
                with contextlib.suppress(OSError, ValueError):
                    columns = os.get_terminal_size(self.stream.fileno()).columns or columns
                self.stream.write("\r\x1b[K" + line[: columns - 1])
                self._shown = True
            else:
                self.stream.write(line + "\n")
            self.stream.flush()

    def _line(self, done: int | None, note: str, now: float) -> str:
        parts = [f"{self.label} ..."]
        if done is not None and self.total:
            parts.append(f"{done:,} of {self.total:,} ({100 * done // self.total} %)")
        elif done is not None:
            parts.append(f"{done:,}")
        parts.append(f"{now - self.start:.0f} s")
        return "  ".join([*parts, note] if note else parts)

    def close(self) -> None:
        """Clear the line."""
        with self._lock:
            if self._shown:
                self.stream.write("\r\x1b[K")
                self.stream.flush()
                self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def watched(label: str, note: Callable[[], str]) -> Iterator[None]:
    """A progress line about the block of code inside, which does not look after it itself."""
    over = threading.Event()

    def tick(line: Progress) -> None:
        while not over.wait(TTY_PERIOD):
            line.update(note=note())

    with Progress(label) as line:
        thread = threading.Thread(target=tick, args=(line,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


@dataclass(frozen=True)
class Done:
    """How a child process ended."""

    code: int  # negative: the signal that ended it
    output: str  # of stdout and stderr; empty when that went to a log


_children: set[subprocess.Popen[Any]] = set()
_children_lock = threading.Lock()
_stopping = threading.Event()

# What ends the children of a command that was killed and could not: it waits for the command's end
# of the pipe to be closed, and ends whatever has the command's mark in its environment. A child has
# it from its first moment, so none is too young to be found; one that is between fork and exec is
# found the second time. Then it removes the temporary folders whose names begin with SCRATCH.
_WATCH = """
marked() { grep -Flsa -e "$1" /proc/[0-9]*/environ | cut -d / -f 3; }
read -r word && exit 0
for pid in $(marked "$1"); do kill -s TERM "$pid"; done
sleep "$2"
for pid in $(marked "$1"); do kill -s KILL "$pid"; done
rm -rf "${3:?}"*
"""
_MARK = "WARPLOCK_CHILD_OF"
_mark = f"{os.getpid()}-{time.time_ns()}"
SCRATCH = f"warplock-{_mark}-"
_watch: subprocess.Popen[Any] | None = None


def _start_watch() -> None:
    """Start it, once. Without a shell nothing watches."""
    global _watch
    if _watch is not None:
        return
    words = ["/bin/sh", "-c", _WATCH, "sh", f"{_MARK}={_mark}", str(int(GRACE))]
    quiet = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
    with contextlib.suppress(OSError):
        words.append(os.path.join(tempfile.gettempdir(), SCRATCH))
        _watch = subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True, **quiet)
        atexit.register(_end_watch, _watch)


def _end_watch(watch: subprocess.Popen[Any]) -> None:
    with contextlib.suppress(OSError):
        os.write(watch.stdin.fileno(), b"done\n")


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM, which come to the main thread only, to the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {n: signal.signal(n, lambda number, _: held.append(number)) for n in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        for number in held:
            signal.raise_signal(number)


def _start(command: Sequence[str], options: Mapping[str, Any]) -> subprocess.Popen[Any]:
    """A child that terminate_children() knows, whatever comes in between."""
    environment = {**(options.get("env") or os.environ), "LC_ALL": LOCALE}
    try:
        with _uninterrupted(), _children_lock:
            if _stopping.is_set():
                raise WlkError(Status.INTERRUPTED, "interrupted")
            if options["process_group"] == 0:
                _start_watch()
                environment[_MARK] = _mark
            process = subprocess.Popen(command, **{**options, "env": environment})
            _children.add(process)
    except FileNotFoundError as error:
        raise WlkError(Status.NO_TOOL, f"{error.filename}: no such program or folder") from error
    return process


@contextlib.contextmanager
def child(command: Sequence[str | Path], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A child process in a group of its own, which ends with the `with` block at the latest.

    `options` are those of `subprocess.Popen`; stdin is empty unless given. The own group makes
    one Ctrl-C end a whole tree of make and compilers, however the signal reached us.
    """
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("process_group", 0)
    process = _start([str(word) for word in command], options)
    try:
        yield process
    finally:
        _end([process])
        with _children_lock:
            _children.discard(process)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _signal(process: subprocess.Popen[Any], number: int) -> None:
    """Signal the child's group, or the child alone where it shares ours."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)


def _end(processes: Iterable[subprocess.Popen[Any]]) -> None:
    """Make the children end: first politely, then not. One that runs as root may stay."""
    alive = [process for process in processes if process.poll() is None]
    for process in alive:
        _signal(process, signal.SIGTERM)
    limit = time.monotonic() + GRACE
    for process in alive:
        try:
            process.wait(max(0.0, limit - time.monotonic()))
        except subprocess.TimeoutExpired:
            _signal(process, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)


def terminate_children() -> None:
    """End every child of this process."""
    with _children_lock:
        processes = list(_children)
    _end(processes)


def run(
    command: Sequence[str | Path],
    *,
    label: str = "",
    log: Path | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    foreground: bool = False,
    note: Callable[[], str] = str,
    pass_fds: Sequence[int] = (),
) -> Done:
    """Run a command to its end, with a progress line if it has a `label`.

    stdout and stderr go to the end of `log` if given, else into `Done.output`. `foreground` leaves
    the child in our process group, which it needs to ask for a password on the terminal. `note`:
    what the progress line ends with.
    """
    options: dict[str, Any] = {"cwd": cwd, "env": env, "pass_fds": pass_fds}
    if foreground:
        options.update(process_group=None, stdin=None)
    with contextlib.ExitStack() as stack:
        progress = stack.enter_context(Progress(label)) if label else None
        output: list[str] = []

        def read() -> None:
            with contextlib.suppress(ValueError):  # closed under us on the way out
                output.append(process.stdout.read())

        if log is not None:
            log.parent.mkdir(parents=True, exist_ok=True)
            options["stdout"] = stack.enter_context(log.open("ab"))
        else:
            options.update(stdout=subprocess.PIPE, encoding="utf-8", errors="replace")
        process = stack.enter_context(child(command, stderr=subprocess.STDOUT, **options))
        if log is None:
            reader = threading.Thread(target=read, daemon=True)
            reader.start()
        while True:
            try:
                process.wait(TTY_PERIOD)
                break
            except subprocess.TimeoutExpired:
                if progress is not None:
                    progress.update(note=note())
        if log is None:
            reader.join()
    return Done(process.returncode, "".join(output))


class Slots:
    """So many compilers and simulations at a time, whatever starts them: GNU make's jobserver.

    A thread holds a slot while it works; the makes that it starts take free ones for more.
    """

    def __init__(self, count: int) -> None:
        self.fds = os.pipe()
        os.write(self.fds[1], b"+" * count)

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Hold one slot; wait for it. WlkError INTERRUPTED when all work is to end."""
        token = b""
        os.set_blocking(self.fds[0], False)
        while not token:
            if _stopping.is_set():
                raise WlkError(Status.INTERRUPTED, "interrupted")
            select.select([self.fds[0]], [], [], TTY_PERIOD)
            with contextlib.suppress(BlockingIOError):  # another one was quicker
                token = os.read(self.fds[0], 1)
        try:
            yield
        finally:
            os.write(self.fds[1], token)

    def close(self) -> None:
        """No work is left."""
        for fd in self.fds:
            os.close(fd)


_slots: Slots | None = None


def processors() -> int:
    """Those that this process may use: how many things run at a time where nobody says."""
    return len(os.sched_getaffinity(0))


def make_options(environment: Mapping[str, str]) -> dict[str, Any]:
    """Options of `run` for a make: a compiler for each free slot, or for each processor."""
    if _slots is None:
        return {"env": {**environment, "MAKEFLAGS": f"-j{processors()}"}}
    words = f"-j --jobserver-auth={_slots.fds[0]},{_slots.fds[1]}"
    return {"env": {**environment, "MAKEFLAGS": words}, "pass_fds": _slots.fds}


def parallel(
    function: Callable[[Item], Answer],
    items: Iterable[Item],
    jobs: int,
    tick: Callable[[], None] = lambda: None,
) -> Iterator[tuple[Item, Answer]]:
    """Call `function` on each item in up to `jobs` threads; yield (item, answer) as they finish.
    No more than `jobs` processes work at a time, the compilers of their makes included.

    `tick` is called about twice a second, for a progress line. An exception in a call, or Ctrl-C,
    ends the children of all of them and comes out here.
    """
    global _slots
    slots, before = Slots(max(1, jobs)), _slots

    def work(item: Item) -> Answer:
        with slots.taken():
            return function(item)

    try:
        _slots = slots
        with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
            try:
                pending = {pool.submit(work, item): item for item in items}
                while pending:
                    done, _ = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
                    tick()
                    for future in done:
                        yield pending.pop(future), future.result()
            except BaseException:
                _stopping.set()  # no thread starts another child
                pool.shutdown(wait=False, cancel_futures=True)
                terminate_children()
                raise
    finally:
        _stopping.clear()
        _slots = before
        slots.close()


def tail(log: Path, lines: int = 8) -> list[str]:
    """The last lines of a log that are not blank."""
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            return list(deque((line.rstrip() for line in file if line.strip()), maxlen=lines))
    except OSError:
        return []


def fail_with_log(status: Status, message: str, log: Path, *, show: bool = True) -> WlkError:
    """The error of a tool that failed: shows the end of its log, and names it."""
    for line in tail(log) if show else ():
        print(f"  | {line}", file=sys.stderr)
    if full := outputs.no_room(log, log.parent):
        return WlkError(Status.NO_SPACE, f"{message}: {full}")
    return WlkError(status, f"{message}; the whole output is in {log}")
