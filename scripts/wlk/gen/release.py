# SPDX-License-Identifier: Apache-2.0
"""Makes and tries the files of a version: the steps of docs/release.md.

`PYTHONPATH=scripts python3 -m wlk.gen.release` writes the source archive, the wheel and their
checksums to build/dist, and prints the command that tags the commit. It changes nothing else.
`--check` stops before anything is built.
"""

import argparse
import datetime
import hashlib
import os
import re
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..base import installed, outputs, progress, setup
from ..base.errors import ROOT, Status, WlkError
from ..base.guard import guard

COMMAND = "PYTHONPATH=scripts python3 -m wlk.gen.release"
DIST = setup.BUILD / "dist"
LOG = setup.BUILD / "release.log"
SUMS = "SHA256SUMS"
CHANGELOG, TABLE = "CHANGELOG.md", "| interface |"
HEADING = re.compile(r"^## (\S+)(?: \((.*)\))?$")
FOUND_BY_CMAKE = re.compile(r"find_package\(warplock ([\d.]+)")
# What a person has set for the checkout or for a compiler does not reach the builds.
OURS = re.compile(r"WARPLOCK_|WLK_|PYTHON|(C|CPP|CXX|LD)FLAGS$")
# Nor do these of his settings for git.
AS_COMMITTED = ("-c", "core.autocrlf=false", "-c", "core.eol=lf")


# ---- what the files say of the version ----------------------------------------------------------


def contradictions(root: Path, version: str, *, dated: bool) -> Iterator[str]:
    """Each place below `root` that is not of this version, with the remedy; `dated`: also a section
    of the changelog without its day."""
    minor = version.rpartition(".")[0]
    lines = (root / CHANGELOG).read_text("utf-8").splitlines()
    yield from _of_table(lines, minor)
    yield from _of_sections(lines, version, dated)
    for page in [*root.glob("*.md"), *root.glob("docs/**/*.md")]:
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
            for found in FOUND_BY_CMAKE.findall(line):
                if found != minor:
                    where = f"{page.relative_to(root)}:{number}"
                    yield f"{where}: find_package asks for {found}; write {minor}"


def _of_table(lines: Sequence[str], minor: str) -> Iterator[str]:
    """Of the table of interfaces, which has a column per minor version."""
    at = next((number for number, line in enumerate(lines, 1) if line.startswith(TABLE)), 0)
    if not at:
        yield f"{CHANGELOG}: has no table that begins with `{TABLE}`; add it"
    elif (newest := lines[at - 1].rstrip(" |").rpartition("| ")[2]) != minor:
        yield f"{CHANGELOG}:{at}: the last column is {newest}; add one of {minor}"


def _of_sections(lines: Sequence[str], version: str, dated: bool) -> Iterator[str]:
    """Of the sections, the newest of which is the version's."""
    headings = [(n, found) for n, line in enumerate(lines, 1) if (found := HEADING.match(line))]
    if not headings:
        yield f"{CHANGELOG}: has no section `## {version} (YEAR-MONTH-DAY)`; add it"
        return
    (at, first), *older = headings
    if first[1] != version:
        message = f"the first section is of {first[1]}, and meson.build has version {version}"
        yield f"{CHANGELOG}:{at}: {message}; make them equal"
    end = older[0][0] if older else len(lines) + 1
    if not any(line.startswith("- ") for line in lines[at : end - 1]):
        yield f"{CHANGELOG}:{at}: the section names no change; write what is new"
    wanted = [] if first[2] == "unreleased" and not dated else [(at, first)]
    for number, each in wanted + [(number, each) for number, each in older if each[2]]:
        if not _is_day(each[2]):
            yield f"{CHANGELOG}:{number}: {each[1]} has no date; write (YEAR-MONTH-DAY) after it"


def _is_day(text: str | None) -> bool:
    try:
        return bool(text) and datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def ready(version: str) -> str:
    """The commit to release. USAGE, with the first reason, when this checkout cannot be one."""
    commit = _git("rev-parse", "--verify", "HEAD")
    if changed := [line[3:] for line in _git("status", "--porcelain").splitlines()]:
        more = f" and {len(changed) - 1} more" if changed[1:] else ""
        message = f"{ROOT}: not as committed: {changed[0]}{more}; commit or remove what differs"
        raise WlkError(Status.USAGE, message)
    for contradiction in contradictions(ROOT, version, dated=True):
        raise WlkError(Status.USAGE, contradiction)
    if _git("tag", "--list", f"v{version}"):
        message = f"meson.build: version {version} has a tag already; raise the version"
        raise WlkError(Status.USAGE, message)
    return commit


def _git(*words: str) -> str:
    done = progress.run(["git", "-C", ROOT, *words])
    if done.code:
        message = f"{ROOT}: git {words[0]} failed: {done.output.strip()}; releases need a git clone"
        raise WlkError(Status.USAGE, message)
    return done.output.rstrip()


# ---- the files ----------------------------------------------------------------------------------


def environment(epoch: int) -> dict[str, str]:
    """For programs that build: as a stranger has it, with the time of the commit."""
    kept = {name: value for name, value in os.environ.items() if not OURS.match(name)}
    return kept | {"SOURCE_DATE_EPOCH": str(epoch)}


def step(label: str, *command: object, cwd: Path, env: Mapping[str, str]) -> None:
    """A program that must succeed, in a folder."""
    if progress.run([*map(str, command)], label=label, log=LOG, cwd=cwd, env=env).code:
        raise progress.fail_with_log(Status.BUILD_FAIL, f"{label} failed", LOG)


def archive(place: Path, version: str, commit: str, env: Mapping[str, str]) -> Path:
    """The source archive, made of a clone in `place`. Meson puts the user, the umask and the time
    into it, which would differ each time."""
    clone, build = place / "clone", place / "configured"
    clone.mkdir(parents=True)
    git_clone = ("git", "clone", "--quiet", "--no-checkout", *AS_COMMITTED)
    step("git clone", *git_clone, ROOT, ".", cwd=clone, env=env)
    step("git checkout", "git", "checkout", "--quiet", "--detach", commit, cwd=clone, env=env)
    step("meson setup", "meson", "setup", build, cwd=clone, env=env)
    step("meson dist", "meson", "dist", "--no-tests", "-C", build, cwd=clone, env=env)
    path = place / f"warplock-{version}.tar.xz"
    with (
        tarfile.open(build / "meson-dist" / path.name) as made,
        tarfile.open(path, "w:xz", preset=9) as plain,
    ):
        for member in sorted(made.getmembers(), key=lambda each: each.name):
            data = made.extractfile(member) if member.isfile() else None
            plain.addfile(_plain(member, int(env["SOURCE_DATE_EPOCH"])), data)
    return path


def _plain(member: tarfile.TarInfo, epoch: int) -> tarfile.TarInfo:
    """The same file, of nobody and of the time of the commit."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = epoch
    member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
    member.pax_headers = {}
    return member


def wheel(place: Path, source: Path, env: Mapping[str, str]) -> Path:
    """The wheel, made of the source archive unpacked in `place`."""
    unpacked = unpack(place, source)
    pip = (setup.PYTHON, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input")
    step("pip wheel", *pip, "wheel", "--no-deps", "-w", place, unpacked, cwd=place, env=env)
    (made,) = place.glob("*.whl")
    return made


def unpack(place: Path, source: Path) -> Path:
    """The folder in the archive."""
    place.mkdir(parents=True)
    shutil.unpack_archive(source, place)
    return place / source.name.removesuffix(".tar.xz")


def same(one: Path, other: Path) -> None:
    """Both builds have made the same bytes."""
    if one.name != other.name or one.read_bytes() != other.read_bytes():
        kept = [
            shutil.copy(path, LOG.with_name(f"{n}-{path.name}"))
            for n, path in ((1, one), (2, other))
        ]
        message = f"two builds differ: {kept[0]} and {kept[1]}; find out why and make them equal"
        raise WlkError(Status.BUILD_FAIL, message)


def try_source(place: Path, source: Path, env: Mapping[str, str]) -> None:
    """The archive works as README.md promises of a clone."""
    command = ("scripts/warplock", "lockstep")
    step("the first command", *command, cwd=unpack(place, source), env=env)


def try_wheel(place: Path, made: Path, env: Mapping[str, str]) -> None:
    """The command in the wheel runs, in an environment of its own."""
    place.mkdir()
    venv, cache = place / "venv", {"XDG_CACHE_HOME": str(place / "cache")}
    step("python3 -m venv", setup.PYTHON, "-I", "-m", "venv", venv, cwd=place, env=env)
    pip = (venv / "bin/python", "-I", "-m", "pip", "--disable-pip-version-check", "--no-input")
    step("pip install", *pip, "install", "--no-deps", made, cwd=place, env=env)
    command = (venv / "bin/warplock", "vectors", "golden", "--no-setup")
    step("the command of the wheel", *command, cwd=place, env=env | cache)


def build(place: Path, version: str, commit: str) -> list[Path]:
    """The files of the version, each built twice and tried."""
    env = environment(int(_git("show", "--no-patch", "--format=%ct", commit)))
    source = archive(place / "first", version, commit, env)
    same(source, archive(place / "in another place", version, commit, env))
    try_source(place / "tried", source, env)
    made = wheel(place / "wheel", source, env)
    same(made, wheel(place / "a second wheel", source, env))
    try_wheel(place / "installed", made, env)
    return [source, made]


def main() -> int:
    """Make a release, but for the tag."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="stop before anything is built")
    options = parser.parse_args()
    version = installed.version()
    commit = ready(version)
    if options.check:
        return 0
    setup.ensure(("build", "verilate", "rtl", "page", "git"))
    os.umask(0o022)  # which the wheel has in its modes
    LOG.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="warplock-release-") as name:
        contents = {path.name: path.read_bytes() for path in build(Path(name), version, commit)}
    sums = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in contents.items()]
    outputs.save(DIST, contents | {SUMS: "".join(sums).encode()}, force=True)
    print(*(DIST / name for name in (*contents, SUMS)), sep="\n")
    print(f"To release them: git tag -a v{version} -m 'warplock {version}' {commit}")
    return 0


if __name__ == "__main__":
    sys.exit(guard(main))
