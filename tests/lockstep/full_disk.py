# SPDX-License-Identifier: Apache-2.0
"""Commands on a disk that fills up, a small tmpfs: the campaign behind test_full_disk.py.

PYTHONPATH=scripts:tests build/venv/bin/python tests/lockstep/full_disk.py --moments 50
runs every command that writes that often, each time on a disk of another size. Needs root.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import rtl_under_test as rut
from wlk import cli
from wlk.base import report, setup
from wlk.base.errors import Status
from wlk.run import build, kanata

AMPLE = 256 << 20  # bytes
BUILT, BUILDS = 64 << 20, 5  # bytes of a build; moments with one, which take long
FILLER = "filler"  # what takes the only page of a disk of none
PAGE = 4096  # of a tmpfs: its sizes are multiples
FAULT = {rut.CORE: ("assign writeReq_ready_o = 1'b1", "assign writeReq_ready_o = !rst_i")}
PINNED = ("--config", "coll_entries=2")


@dataclass
class Command:
    """What is run on the small disk. `{disk}` in a word is its place."""

    name: str
    words: list[str]
    verdict: Status = Status.OK
    shows: str = ""  # word of the verdict, printed whatever happens
    to_disk: str = ""  # stdout goes to this file of the disk
    small_tmp: bool = False  # /tmp is the disk, as it is for Verilator's writer of waveforms
    small_build: bool = False  # the folder of RTL builds is the disk

    @property
    def codes(self) -> set[int]:
        """Those of the documents: the verdict, or NO_SPACE after a PASS."""
        return {self.verdict} if self.verdict else {Status.OK, Status.NO_SPACE}


@dataclass
class Moment:
    """A command on a disk of some size."""

    command: Command
    size: int
    code: int = 0
    text: str = ""
    used: int = 0  # bytes of the disk, at the end
    files: dict[str, bytes] = field(default_factory=dict)  # that are as they must be
    troubles: list[str] = field(default_factory=list)

    @property
    def speaks_of_space(self) -> bool:
        return any(w in self.text for w in ("No space left", "no space left", "no room", "is full"))

    def __str__(self) -> str:
        head = f"{self.command.name} on {self.size:,} bytes: exit code {self.code}"
        return "\n  ".join([head, *self.troubles, *self.text.splitlines()[-6:]])


def commands(work: Path) -> list[Command]:
    """Every command that writes. `work`: a folder for what they read."""
    bad, good = rut.stub("wrong_ready", edit=FAULT), rut.stub("plain")
    quick = ["--seeds", "1..1", "--cycles", "3000", *PINNED, "--reports", "{disk}/reports"]
    fails = {"verdict": Status.FUNCTIONAL_MISMATCH, "shows": "FUNCTIONAL_MISMATCH"}
    lockstep = ["lockstep", "collector", "--rtl"]
    passing = [*lockstep, str(good), *quick, "--waves"]
    failing = [*lockstep, str(bad), *quick, "--waves"]
    wave, vcd, csv = _recordings(work, bad)
    stim, options = _stimulus(work)
    check = ["check", "--block", "collector", *PINNED]
    gen = ["vectors", "gen", "collector", "{disk}/c.wlv", "--config", "num_lanes=2"]
    made = work / "c.wlv"
    _must(["vectors", "gen", "collector", str(made), "--config", "num_lanes=2", "--force"])
    return [
        Command("lockstep, fails", failing, **fails),
        Command("lockstep, fails, /tmp full", failing, **fails, small_tmp=True),
        Command("lockstep, fails, output", failing, **fails, to_disk="out.txt"),
        Command("lockstep, passes", passing, shows="PASS"),
        Command("lockstep --pipeline", _pipeline(), shows="PASS"),
        Command("vectors gen", [*gen, "--cycles", "3000"]),
        Command("vectors gen, large", [*gen, "--cycles", "200000"]),
        Command(
            "vectors import",
            ["vectors", "import", "--csv", str(csv), "{disk}/i.wlv", "--block", "collector"],
        ),
        Command("vectors dump", ["vectors", "dump", str(made), "--to", "800"], to_disk="d.jsonl"),
        Command("bind", ["bind", "collector", "--rtl", str(good), *PINNED, "--out", "{disk}/wlk"]),
        Command("stub", ["stub", "collector", "--out", "{disk}/rtl"]),
        Command("check", [*check, str(wave)], **fails, to_disk="out.txt"),
        Command("check, VCD", [*check, str(vcd), "--json"]),
        Command("opndcoll", ["opndcoll", str(stim), "--config", str(options)], to_disk="e.txt"),
        Command("lockstep --list", ["lockstep", "--list"], to_disk="out.txt"),
        Command("vectors golden", ["vectors", "golden"]),
        Command("lockstep, builds", [w for w in passing if w != "--waves"], small_build=True),
    ]


def _pipeline() -> list[str]:
    program = setup.ROOT / "vectors" / "kernels" / "divergent_reduction.prog"
    words = ["lockstep", "issue", "--program", str(program), "--pipeline", "{disk}/p.kanata"]
    return [*words, "--bind", "stage", "--reports", "{disk}/reports"]


def _must(words: list[str], code: int = 0) -> None:
    done = subprocess.run(_line(words), capture_output=True, text=True)
    assert done.returncode == code, done.stderr


def _line(words: list[str]) -> list[str]:
    return [sys.executable, str(setup.ROOT / "scripts" / "warplock"), *words]


def _recordings(work: Path, bad: Path) -> tuple[Path, Path, Path]:
    """An FST of a failure, a VCD without one, a CSV."""
    reports = work / "reports"
    words = ["lockstep", "collector", "--rtl", str(bad), *PINNED, "--seeds", "1..1"]
    _must([*words, "--cycles", "3000", "--reports", str(reports)], Status.FUNCTIONAL_MISMATCH)
    (wave,) = (reports / "latest").resolve().rglob("wave.fst")
    words = ["lockstep", "collector", "--rtl", str(rut.stub("plain")), *PINNED, "--seeds", "1..1"]
    _must([*words, "--cycles", "3000", "--waves", "--reports", str(reports)])
    (clean,) = (reports / "latest").resolve().rglob("wave.fst")
    vcd = work / "clean.vcd"
    subprocess.run(["fst2vcd", "-f", clean, "-o", vcd], check=True, capture_output=True)
    return wave, vcd, _csv(work)


def _csv(work: Path) -> Path:
    """A recording: the cycles of a vector file, column by column."""
    table = rut.TABLE
    config = table.config({**rut.SMALL})
    made, path = work / "small.wlv", work / "small.csv"
    words = ["vectors", "gen", "collector", str(made), "--cycles", "2000", "--force"]
    _must(words + [w for k, v in rut.SMALL.items() for w in ("--config", f"{k}={v}")])
    dumped = subprocess.run(
        _line(["vectors", "dump", str(made)]), capture_output=True, text=True, check=True
    )
    ports = [port for port in table.ports(config) if port.name != table.clock]
    kinds = [f"{port.direction[0]}{port.width}" for port in ports]
    rows = [["cycle", *(port.name for port in ports)], ["#dir", *kinds]]
    for line in dumped.stdout.splitlines():
        record = json.loads(line)
        values = record["in"] | record["out"]
        cells = [values[port.name].removeprefix("0x") for port in ports]
        rows.append([str(record["cycle"]), *cells])
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    return path


def _stimulus(work: Path) -> tuple[Path, Path]:
    """Packed commands for the operand collector, whose events are many."""
    import lzma

    options, stim = work / "o.cfg", work / "s.stim.xz"
    options.write_text("")
    stim.write_bytes(lzma.compress(b"X 1\n" * 30_000))
    return stim, options


# ---- the disk -----------------------------------------------------------------------------------


def can_mount() -> str:
    """Why no tmpfs can be mounted here; '' if one can."""
    if os.geteuid() != 0:
        return "needs root to mount a tmpfs"
    with tempfile.TemporaryDirectory() as place:
        try:
            with disk(Path(place), PAGE):
                return ""
        except (OSError, subprocess.CalledProcessError) as error:
            return f"cannot mount a tmpfs: {error}"


@contextlib.contextmanager
def disk(place: Path, size: int) -> Iterator[Path]:
    """A tmpfs of so many bytes."""
    place.mkdir(exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "warplock-test", str(place)]
    subprocess.run(words, check=True, capture_output=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


# In a mount namespace of its own: the disk is /tmp, what lies there and is needed shows through.
SMALL_TMP = """
set -e
disk=$1 keep=$2
shift 2
mount --make-rprivate /
mount --rbind /tmp "$keep"
mount --bind "$disk" /tmp
cd "$keep"
for name in *; do
    if [ -d "$name" ]; then mkdir "/tmp/$name" && mount --rbind "$name" "/tmp/$name"; fi
done
cd /
exec "$@"
"""


# The folder of RTL builds is a disk of so many bytes. With more room it must work: what was built
# by half is not taken for whole.
SMALL_BUILD = """
folder=$1 size=$2
shift 2
mkdir -p "$folder" && mount --make-rprivate / || exit 99
mount -t tmpfs -o "size=$size" warplock-test "$folder" || exit 99
"$@"
code=$?
mount -o remount,size=1g "$folder" || exit 99
"$@" >&2 || exit 98
exit $code
"""


def _with_small_build(line: list[str], size: int) -> list[str]:
    words = ["unshare", "--mount", "sh", "-c", SMALL_BUILD, "sh", str(setup.BUILD / "rtl")]
    return [*words, str(size), *line]


def _wrapped(line: list[str], place: Path) -> list[str]:
    keep = Path("/mnt")
    return ["unshare", "--mount", "sh", "-c", SMALL_TMP, "sh", str(place), str(keep), *line]


def _spawn(line: list[str], environment: dict[str, str], out: Path, err: Path) -> int:
    """The command as a process of its own."""
    with out.open("w") as to, err.open("w") as errors:
        env = dict(os.environ) | environment
        return subprocess.run(line, stdout=to, stderr=errors, env=env, timeout=300).returncode


def _fork(words: list[str], environment: dict[str, str], out: Path, err: Path) -> int:
    """The command in a copy of this process, which has read all modules."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 120
    try:
        os.environ.update(environment)
        tempfile.tempdir = None
        for number, path in ((1, out), (2, err)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
        try:
            code = cli.main(words)
        except SystemExit as stop:
            code = int(stop.code or 0)
    finally:
        os._exit(code)


def run(command: Command, place: Path, size: int, like: Moment | None = None) -> Moment:
    """One moment: the command on a disk of `size` bytes, and what is wrong with what it left.
    `like`: a moment on a large disk, whose texts are what texts must be."""
    moment = Moment(command, size)
    with disk(place, AMPLE if command.small_build else max(size, PAGE)) as at:
        (at / FILLER).write_bytes(b"x" * PAGE if size == 0 else b"")
        words = [word.replace("{disk}", str(at)) for word in command.words]
        environment = {"TMPDIR": str(at), "WARPLOCK_NO_SETUP": "1"}
        out, err = Path(f"{at}.out"), Path(f"{at}.err")
        if command.to_disk:
            out = at / command.to_disk
        if command.small_tmp:
            words = [w.replace(str(at), f"{at}-reports") for w in words]
            environment = {"WARPLOCK_NO_SETUP": "1"}
            moment.code = _spawn(_wrapped(_line(words), at), environment, out, err)
        elif command.small_build:
            moment.code = _spawn(_with_small_build(_line(words), size), environment, out, err)
        else:
            moment.code = _fork(words, environment, out, err)
        stderr = err.read_text(errors="replace")
        moment.text = out.read_text(errors="replace") + stderr
        room = os.statvfs(at)
        moment.used = (room.f_blocks - room.f_bfree) * room.f_frsize
        moment.troubles += _judge(moment, stderr)
        for root in (at, Path(f"{at}-reports")):
            moment.troubles += _damaged(root, moment, like)
        shutil.rmtree(f"{at}-reports", ignore_errors=True)
    return moment


# ---- what must hold -----------------------------------------------------------------------------


def _judge(moment: Moment, stderr: str) -> list[str]:
    command = moment.command
    troubles = []
    if moment.code not in command.codes:
        troubles.append(f"exit code {moment.code}, not one of {sorted(map(int, command.codes))}")
    if command.shows and command.shows not in moment.text:
        troubles.append(f"the verdict {command.shows} is not printed")
    if moment.code == Status.NO_SPACE and not moment.speaks_of_space:
        troubles.append("the space is not mentioned")
    troubles += [f"printed: {w}" for w in ("a bug in warplock", "Traceback") if w in stderr]
    return troubles


def _damaged(root: Path, moment: Moment, like: Moment | None) -> list[str]:
    """Files that are not whole, or should not be there."""
    troubles = []
    if not root.is_dir():
        return troubles
    for path in sorted(root.rglob("*")):
        if path.is_symlink() and not path.exists():
            troubles.append(f"{path}: leads nowhere")
        if path.is_symlink() or not path.is_file():
            continue
        if path.name in (moment.command.to_disk, FILLER):
            continue
        name = str(path.relative_to(root))
        if path.suffix in TEXTS:
            moment.files[name] = path.read_bytes()
            trouble = "differs" if like and like.files.get(name) != moment.files[name] else ""
        else:
            reader = READERS.get(path.suffix)
            trouble = "is left" if reader is None else reader(path)
        troubles += [f"{path}: {trouble}"] if trouble else []
    return troubles


def _program(*words: str) -> str:
    done = subprocess.run([build.folder() / words[0], *words[1:]], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"is damaged: {done.stderr.strip()}"


def _vectors(path: Path) -> str:
    """Played, or one that is known."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest not in PLAYED:
        done = subprocess.run(_line(["vectors", "play", str(path)]), capture_output=True, text=True)
        good = done.returncode in (0, Status.VACUOUS)
        PLAYED[digest] = "" if good else f"is damaged: {done.stderr.strip()}"
    return PLAYED[digest]


def _json(path: Path) -> str:
    try:
        return "" if json.loads(path.read_text())["results"] else "has no result"
    except (ValueError, KeyError) as error:
        return f"is damaged: {error}"


def _ends(*ends: str) -> Callable[[Path], str]:
    def read(path: Path) -> str:
        lines = path.read_text().splitlines()
        return "" if lines and lines[-1].startswith(ends) else "is cut"

    return read


def _kanata(path: Path) -> str:
    try:
        kanata.check(kanata.read(path))
    except Exception as error:
        return f"is damaged: {error}"
    return ""


TEXTS = {".so", ".1", ".sv", ".c", ".f"}  # always the same
PLAYED: dict[str, str] = {}  # digest -> what is wrong
READERS: dict[str, Callable[[Path], str]] = {
    ".wlv": _vectors,
    ".fst": lambda path: _program("dpi/wlk-check", "verify", str(path)),
    ".json": _json,
    ".txt": _ends("  repeat: "),
    ".kanata": _kanata,
}


# ---- moments ------------------------------------------------------------------------------------


def moments(command: Command, place: Path, count: int, seed: int) -> Iterator[Moment]:
    """The command on a large disk, and on disks of random sizes, from none to what it needs."""
    chance = random.Random(f"{seed} {command.name}")
    like = run(command, place, AMPLE)
    if like.code != command.verdict:
        like.troubles.append("fails on a large disk")
    yield like
    most = max(8, 3 * like.used // PAGE // 2)  # temporary files have gone
    if command.small_build:
        most, count = BUILT // PAGE, min(count, BUILDS)
    for _ in range(count):
        pages = chance.choice((chance.randint(0, most), int(most ** chance.random()) - 1))
        yield run(command, place, pages * PAGE, like)


def main() -> int:
    """Run all; print what is wrong, and how many moments there were."""
    parser = argparse.ArgumentParser(description="Commands on disks that fill up.")
    parser.add_argument("--moments", type=int, default=50, help="of each command (default: 50)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="commands whose name holds this")
    args = parser.parse_args()
    if why := can_mount():
        sys.exit(why)
    table = report.Table("command", "moments", "with a full disk", "wrong")
    wrong = 0
    with tempfile.TemporaryDirectory() as work:
        for command in commands(Path(work)):
            if args.only and args.only not in command.name:
                continue
            found = list(moments(command, Path(work) / "disk", args.moments, args.seed))
            bad = [moment for moment in found if moment.troubles]
            wrong += len(bad)
            for moment in bad:
                print(moment, flush=True)
            full = sum(moment.speaks_of_space for moment in found)
            table.add(command.name, len(found), full, len(bad))
            print(f"{command.name}: {len(found)} moments", file=sys.stderr, flush=True)
    table.print()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
