# SPDX-License-Identifier: Apache-2.0
"""How a program ends: whatever goes wrong is one line on stderr and an exit code."""

import contextlib
import errno
import os
import signal
import sys
import traceback
from collections.abc import Callable

from . import outputs, progress, report
from .errors import Status, WlkError

NAME = "warplock"
# What the system has against a place that a user names, or against what lies below it.
PLACES = {
    *(errno.EACCES, errno.EIO, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG),
    *(errno.ENOTDIR, errno.EPERM, errno.EROFS, errno.ESTALE),
}


def guard(work: Callable[[], int], as_json: bool = False) -> int:
    """Call `work`; turn whatever it raises into one line on stderr and an exit code.

    `as_json`: and into an object on stdout. WARPLOCK_DEBUG=1 shows the traceback of an error that
    nobody foresaw. Output that cannot be written is an error of its own, which does not hide what
    came out.
    """
    signal.signal(signal.SIGTERM, _terminated)
    stdout, stderr = outputs.Stream(sys.stdout), outputs.Stream(sys.stderr)
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            code, complained = _call(work, as_json)
            stdout.flush()
        except SystemExit as stop:  # --help, SIGTERM
            stdout.flush()
            if stop.code or stdout.error is None:
                raise
            code, complained = 0, False
        except BrokenPipeError:
            # The reader of our output has gone (`| head`): no message, as other tools do it.
            stdout.drop()
            return 128 + signal.SIGPIPE
        finally:
            progress.terminate_children()
        if complained or stdout.error is None:
            return code
        # stdout was full; a failure that is known goes before.
        name = report.verdict_name(Status(code)) if code in iter(Status) else str(code)
        why = f"cannot write the output: {stdout.error.strerror}; free some space"
        return _complain(f"{why}; the answer was {name}", code or Status.NO_SPACE, as_json=False)


def _call(work: Callable[[], int], as_json: bool) -> tuple[int, bool]:
    """The exit code, and whether an error has had its line."""
    try:
        return int(work()), False
    except WlkError as error:
        return _complain(error.message, error.status, as_json), True
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not cut this short
        progress.terminate_children()
        return _complain("interrupted", Status.INTERRUPTED, as_json), True
    except BrokenPipeError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in outputs.FULL:
            failed = outputs.failure(error, error.filename or "a file")
            return _complain(failed.message, failed.status, as_json), True
        if lack := _lack(error):
            return _complain(f"{lack}, then run again", Status.NO_MEMORY, as_json), True
        if isinstance(error, OSError) and error.filename and error.errno in PLACES:
            message = f"{error.filename}: {error.strerror}; check the name, and who may use it"
            return _complain(message, Status.NO_FILE, as_json), True
        if isinstance(error, UnicodeEncodeError) and (name := _undecoded(error.object)):
            message = f"{name}: a name that is no UTF-8 is not taken here; rename it"
            return _complain(message, Status.NO_FILE, as_json), True
        if os.environ.get("WARPLOCK_DEBUG"):
            traceback.print_exc()
        what = " ".join(f"{type(error).__name__}: {error}".split())
        hint = "this is a bug in warplock; WARPLOCK_DEBUG=1 shows where"
        return _complain(f"unexpected {what}; {hint}", Status.MODEL_ERROR, as_json), True


def _lack(error: Exception) -> str:
    """What the system does not give, and the remedy; '' for another error. Python says so in many
    ways of memory for itself, a thread or a library."""
    number = error.errno if isinstance(error, OSError) else None
    if number in (errno.EMFILE, errno.ENFILE):
        return "too many open files; raise the limit (ulimit -n 1024)"
    words = ("can't start new thread", "failed to map segment", "cannot allocate memory")
    said = any(each in str(error).lower() for each in words)
    if not (isinstance(error, MemoryError) or number == errno.ENOMEM or said):
        return ""
    hint = "close other programs or take fewer processes (--jobs 1)"
    return f"out of memory ({type(error).__name__}: {error}); {hint}"


def _undecoded(text: str) -> str:
    """The word of a text with bytes of a name that are no UTF-8, as they are shown; or ''."""

    def is_one(word: str) -> bool:
        return any("\udc80" <= sign <= "\udcff" for sign in word)

    word = next(filter(is_one, text.split()), "").strip(";,:'\"")
    return word.encode(errors="surrogateescape").decode(errors="replace")


def _terminated(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _complain(message: str, status: int, as_json: bool) -> int:
    print(f"{NAME}: {message}", file=sys.stderr, flush=True)
    if as_json:
        with contextlib.suppress(OSError, ValueError):  # the line and the exit code report it
            report.json_line({"error": WlkError(Status(status), message).json()})
    return int(status)
