# SPDX-License-Identifier: Apache-2.0
"""Do the fuzzers see anything? Checks of planted.toml are left out, one at a time.

  build/venv/bin/python tests/endure/planted.py [--seconds N] [--reader NAME]

In a copy of the checkout, below build/endure/planted, the reader of each runs on the files that are
kept, for so long at most. The exit code is 1 if one is not found.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "scripts"), str(HERE)]

import fuzz  # noqa: E402
from wlk.base import options, progress, report, setup, toml  # noqa: E402
from wlk.base.errors import Status, WlkError  # noqa: E402
from wlk.base.guard import guard  # noqa: E402

LIST = HERE / "planted.toml"
KEYS = {"reader", "what", "file", "was", "now"}
PLACE = setup.BUILD / "endure" / "planted"
# In the copy: a reader is built, and runs until it finds something.
RUN = """\
import json, sys
sys.path[:0] = ["tests/endure"]
import fuzz
reader, seconds = sys.argv[1], int(sys.argv[2])
if reader in (*fuzz.IN_C, "dumps"):
    fuzz.build.meson_build("fuzz", target="fuzz")
if reader == "package":
    fuzz.build.meson_build()
found, text = fuzz.fuzz(reader, ["-seed=1", f"-max_total_time={seconds}"], seconds)
print(json.dumps([found.seconds, found.executions, found.crashes]))
"""


def planted(path: Path = LIST) -> list[dict[str, str]]:
    """The list; NO_FILE for an entry that is not whole, or whose text is not there once."""
    try:
        found = toml.load(path)["planted"]
    except (toml.BadTomlError, KeyError) as error:
        raise WlkError(Status.NO_FILE, f"{path}: {error}; write [[planted]] tables") from error
    for number, each in enumerate(found, 1):
        if each.keys() != KEYS or each["reader"] not in fuzz.READERS:
            message = f"{path}: entry {number}: wants {', '.join(sorted(KEYS))}, of a reader"
            raise WlkError(Status.NO_FILE, f"{message} that fuzz.py has")
        count = (setup.ROOT / each["file"]).read_text(encoding="utf-8").count(each["was"])
        if count != 1:
            message = f"{path}: {each['file']}: '{each['was']}' is there {count} times, not once"
            raise WlkError(Status.NO_FILE, f"{message}; write what the code says now")
    return found


def copy() -> Path:
    """The checkout as it is, with our environment."""
    tree = PLACE / "tree"
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=setup.ROOT, capture_output=True, text=True, check=True)
    sources = {name: setup.ROOT / name for name in listed.stdout.splitlines()}
    for name, source in sources.items():
        to = tree / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if source.is_file() and not (to.is_file() and to.read_bytes() == source.read_bytes()):
            shutil.copy(source, to)
    for part in (each for each in tree.iterdir() if each.name != "build"):
        for old in [part, *part.rglob("*")]:
            if old.is_file() and str(old.relative_to(tree)) not in sources:
                old.unlink()
    (tree / "build").mkdir(exist_ok=True)
    for made in (setup.BUILD / "venv", *setup.BUILD.glob("setup-*.stamp")):
        if not (to := tree / "build" / made.name).exists():
            to.symlink_to(made)
    return tree


@contextmanager
def changed(path: Path, was: str, now: str) -> Iterator[None]:
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(was, now), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")


def run(tree: Path, each: dict[str, str], seconds: int) -> dict[str, Any]:
    """Of one: seconds and executions, and whether it was found."""
    shutil.rmtree(tree / "build" / "endure", ignore_errors=True)
    words = [sys.executable, "-c", RUN, each["reader"], str(seconds)]
    with changed(tree / each["file"], each["was"], each["now"]):
        done = subprocess.run(words, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"{each['file']} without '{each['was']}': {done.stderr.strip()[-1000:]}"
        raise WlkError(Status.BUILD_FAIL, f"{message}; mend `now` in {LIST}")
    took, executions, crashes = json.loads(done.stdout.splitlines()[-1])
    return {"seconds": took, "executions": executions, "found": bool(crashes)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=options.number(1), default=120, help="of each, at most")
    parser.add_argument("--reader", action="append", choices=fuzz.READERS, help="only its")
    asked = parser.parse_args()
    setup.ensure(["build", "clang", "fuzz", "python", "rtl"])
    chosen = [each for each in planted() if each["reader"] in (asked.reader or fuzz.READERS)]
    table = report.Table("reader", "left out", "found", "seconds", "executions")
    tree, seen, start = copy(), 0, time.monotonic()
    with progress.Progress("checks left out", len(chosen)) as line:
        for number, each in enumerate(chosen, 1):
            one = run(tree, each, asked.seconds)
            seen += one["found"]
            text = "found" if one["found"] else "NOT FOUND"
            table.add(each["reader"], each["what"], text, round(one["seconds"]), one["executions"])
            line.update(number, each["reader"])
    table.print()
    print(f"{seen} of {len(chosen)} found, in {time.monotonic() - start:.0f} s")
    return int(seen < len(chosen))


if __name__ == "__main__":
    sys.exit(guard(main))
