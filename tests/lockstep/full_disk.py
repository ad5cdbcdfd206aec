# SPDX-License-Identifier: Apache-2.0
"""Commands on a disk that fills up, a small tmpfs, and what must hold of what they leave there.

`test_full_disk.py` runs a few moments of some; with `warplock test --full` 50 of every command that
writes, each on a disk of another size.
"""

import contextlib
import hashlib
import json
import lzma
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import programs
import rtl_under_test as rut
from rtl_under_test import PINNED
from wlk.base import seeds, setup
from wlk.base.errors import Status
from wlk.run import build, kanata

AMPLE = 256 << 20  # bytes
BUILT, BUILDS = 64 << 20, 5  # bytes of a build; moments with one, which take long
FILLER = "filler"  # what takes the only page of a disk of none
PAGE = 4096  # of a tmpfs: its sizes are multiples
SEED = ("--seeds", "1..1", "--cycles", "3000")


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
    bad, good = rut.stub("wrong_ready", edit=rut.READY), rut.stub("plain")
    quick = [*SEED, *PINNED, "--reports", "{disk}/reports", "--waves"]
    pages = ["--html", "{disk}/page.html", "--junit", "{disk}/junit.xml"]
    fails = {"verdict": Status.FUNCTIONAL_MISMATCH, "shows": "FUNCTIONAL_MISMATCH"}
    lockstep = ["lockstep", "collector", "--rtl"]
    passing, failing = [*lockstep, str(good), *quick], [*lockstep, str(bad), *quick]
    wave, clean = (_wave(work, rtl, code) for rtl, code in ((bad, fails["verdict"]), (good, 0)))
    vcd, packed = work / "clean.vcd", work / "packed.fst"
    csv, made = work / "small.csv", work / "c.wlv"
    subprocess.run(["fst2vcd", "-f", clean, "-o", vcd], check=True, capture_output=True)
    subprocess.run(["vcd2fst", "-c", "-v", vcd, "-f", packed], check=True, capture_output=True)
    config = programs.config_options(rut.SMALL)
    words = ("vectors", "gen", "collector", made, "--force")
    rut.warplock(*words, "--cycles", "2000", *config)
    ports = rut.TABLE.ports(rut.TABLE.config(rut.SMALL))
    csv.write_text(programs.as_csv(programs.typed("vectors", "dump", made).objects, ports))
    rut.warplock(*words, "--config", "num_lanes=2")
    # Many events of the operand collector.
    stim, options = work / "s.stim.xz", work / "o.cfg"
    stim.write_bytes(lzma.compress(b"X 1\n" * 30_000))
    options.write_text("")
    check = ["check", "--block", "collector", *PINNED]
    export = ["vectors", "export", str(made)]
    gen = ["vectors", "gen", "collector", "{disk}/c.wlv", "--config", "num_lanes=2"]
    return [
        Command("lockstep, fails", [*failing, *pages], **fails),
        Command("lockstep, fails, /tmp full", failing, **fails, small_tmp=True),
        Command("lockstep, fails, output", failing, **fails, to_disk="out.txt"),
        Command("lockstep, passes", [*passing, *pages], shows="PASS"),
        Command("lockstep --pipeline", _pipeline(), shows="PASS"),
        Command("vectors gen", [*gen, "--cycles", "3000"]),
        Command("vectors gen, large", [*gen, "--cycles", "200000"]),
        Command(
            "vectors import",
            ["vectors", "import", "--csv", str(csv), "{disk}/i.wlv", "--block", "collector"],
        ),
        *(
            Command(f"vectors export {form}", [*export, form, f"{{disk}}/{to}"])
            for form, to in (("--csv", "e.csv"), ("--vcd", "e.vcd"), ("--fst", "e.fst"))
        ),
        Command(
            "vectors export, /tmp full",
            [*export, "--fst", str(work / "e.fst"), "--force"],
            small_tmp=True,
        ),
        Command("vectors export --readmemh", [*export, "--readmemh", "{disk}/bench"]),
        Command("vectors dump", ["vectors", "dump", str(made), "--to", "800"], to_disk="d.jsonl"),
        Command("bind", ["bind", "collector", "--rtl", str(good), *PINNED, "--out", "{disk}/wlk"]),
        Command("stub", ["stub", "collector", "--out", "{disk}/rtl"]),
        Command("model", ["model", "collector", "--out", "{disk}/model"]),
        Command("check", [*check, str(wave)], **fails, to_disk="out.txt"),
        Command("check, packed FST", [*check, str(packed), "--json"]),
        Command("opndcoll", ["opndcoll", str(stim), "--config", str(options)], to_disk="e.txt"),
        Command("lockstep --list", ["lockstep", "--list"], to_disk="out.txt"),
        Command("vectors golden", ["vectors", "golden"]),
        Command("lockstep, builds", passing[:-1], small_build=True),
    ]


def _pipeline() -> list[str]:
    program = setup.ROOT / "vectors" / "kernels" / "divergent_reduction.prog"
    words = ["lockstep", "issue", "--program", str(program), "--pipeline", "{disk}/p.kanata"]
    return [*words, "--bind", "stage", "--reports", "{disk}/reports"]


def _line(words: list[str]) -> list[str]:
    return [sys.executable, str(programs.WARPLOCK), *words]


def _wave(work: Path, rtl: Path, code: int) -> Path:
    """The waveform of a run."""
    words = ("--rtl", rtl, *PINNED, *SEED, "--waves", "--reports", work / "reports")
    rut.run_lockstep(*words, code=code)
    (wave,) = (work / "reports" / "latest").resolve().rglob("wave.fst")
    return wave


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


def mounted(script: str, *words: object) -> list[str]:
    """A command in a mount namespace of its own, behind what a script mounts in it."""
    return ["unshare", "--mount", "sh", "-c", script, "sh", *map(str, words)]


def run(command: Command, place: Path, size: int, like: Moment | None = None) -> Moment:
    """One moment: the command on a disk of `size` bytes, and what is wrong with what it left.
    `like`: a moment on a large disk, whose texts are what texts must be."""
    moment = Moment(command, size)
    with disk(place, AMPLE if command.small_build else max(size, PAGE)) as at:
        (at / FILLER).write_bytes(b"x" * PAGE if size == 0 else b"")
        words = [word.replace("{disk}", str(at)) for word in command.words]
        environment = os.environ | {"WARPLOCK_NO_SETUP": "1"}
        out, err = Path(f"{at}.out"), Path(f"{at}.err")
        if command.to_disk:
            out = at / command.to_disk
        if command.small_tmp:
            words = [w.replace(str(at), f"{at}-reports") for w in words]
            line = mounted(SMALL_TMP, at, "/mnt", *_line(words))
        else:
            environment["TMPDIR"] = str(at)
            line = _line(words)
            if command.small_build:
                line = mounted(SMALL_BUILD, setup.BUILD / "rtl", size, *line)
        with out.open("w") as to, err.open("w") as errors:
            done = subprocess.run(line, stdout=to, stderr=errors, env=environment, timeout=300)
        moment.code = done.returncode
        stderr = err.read_text(errors="replace")
        moment.text = out.read_text(errors="replace") + stderr
        room = os.statvfs(at)
        moment.used = (room.f_blocks - room.f_bfree) * room.f_frsize
        moment.troubles += _judge(moment, stderr)
        for root in (at, Path(f"{at}-reports")):
            moment.troubles += damaged(root, moment, like)
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


def damaged(root: Path, moment: Moment, like: Moment | None) -> list[str]:
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
        if path.suffix in TEXTS or ".so." in path.name:
            moment.files[name] = path.read_bytes()
            trouble = "differs" if like and like.files.get(name) != moment.files[name] else ""
        else:
            trouble = _read(path)
        troubles += [f"{path}: {trouble}"] if trouble else []
    return troubles


def _read(path: Path) -> str:
    """What is wrong with a file that a command may leave."""
    if path.suffix not in READERS:
        return "is left"
    try:
        READERS[path.suffix](path)
    except Exception as error:
        return f"is damaged: {error}"
    return ""


def _play(path: Path) -> None:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest not in PLAYED:
        done = rut.warplock("vectors", "play", path, code=None)
        assert done.code in (0, Status.VACUOUS), done.err
        PLAYED.add(digest)


def _verify(path: Path) -> None:
    subprocess.run([build.folder() / "dpi/wlk-check", "verify", path], check=True)


def _has_results(path: Path) -> None:
    key = "signal" if path.name == "picture.json" else "results"
    assert json.loads(path.read_text())[key], f"no {key}"


def _ends_with_the_command(path: Path) -> None:
    assert path.read_text().splitlines()[-1].startswith("  repeat: "), "it is cut"


def _ends_with_a_group(path: Path) -> None:
    assert path.read_text().splitlines()[-2].startswith("@1000200"), "it is cut"


def _ends_with_a_zoom(path: Path) -> None:
    assert path.read_text().splitlines()[-1].startswith("zoom_to "), "it is cut"


def _ends_as_a_page(path: Path) -> None:
    assert path.read_text().endswith("</html>"), "it is cut"


TEXTS = {".so", ".sv", ".c", ".h", ".f", ".csv", ".vcd", ".hex", ".md", ""}  # always the same
TEXTS |= {".questa", ".vcs", ".verilator", ".xcelium"}
PLAYED: set[str] = set()  # digests
READERS: dict[str, Callable[[Path], Any]] = {
    ".wlv": _play,
    ".fst": _verify,
    ".gtkw": _ends_with_a_group,
    ".sucl": _ends_with_a_zoom,
    ".json": _has_results,
    ".txt": _ends_with_the_command,
    ".html": _ends_as_a_page,
    ".xml": ElementTree.parse,
    ".svg": ElementTree.parse,
    ".seeds": seeds.read,
    ".kanata": lambda path: kanata.check(kanata.read(path)),
}


# ---- moments ------------------------------------------------------------------------------------


def moments(command: Command, place: Path, count: int = 50) -> Iterator[Moment]:
    """The command on a large disk, and on disks of random sizes, from none to what it needs."""
    chance = random.Random(command.name)
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
