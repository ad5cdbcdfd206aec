# SPDX-License-Identifier: Apache-2.0
"""The user's repository, which is only read: its commits, and checkouts of them in a repository of
our own that borrows its objects."""

import contextlib
import functools
import os
import queue
import shutil
import stat
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base import outputs
from ..base.errors import Status, WlkError

EMPTY_CONFIG = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
# Hooks, and what watches a work tree, are for the user's work: here they cost, or refuse.
OWN_CONFIG = [
    *("-c", "safe.directory=*", "-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.fsmonitor=false", "-c", "i18n.logOutputEncoding=UTF-8"),
]
# What is kept of git's variables: how it reaches other machines, and whose settings are read. The
# rest leads it to another repository, as a hook of that one has it.
KEPT = ("GIT_SSH", "GIT_ASKPASS", "GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_")
KEPT += ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
KEPT += ("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
# What git itself calls for what a partial clone lacks.
FETCH = ("-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags", "--stdin")
FETCH += ("--no-write-fetch-head", "--recurse-submodules=no", "--filter=blob:none")
# Names and subjects may have any sign but these two: a NUL, and the end of a line.
SHOWN = "%H%x00%T%x00%P%x00%an%x00%as%x00%s"


@dataclass(frozen=True)
class Commit:
    """One commit."""

    id: str
    tree: str
    parents: tuple[str, ...]
    author: str
    date: str  # year-month-day
    subject: str

    @property
    def short(self) -> str:
        """As it is shown."""
        return self.id[:10]

    @property
    def title(self) -> str:
        """For a person."""
        return f"{self.short} {self.subject}"


def environment() -> dict[str, str]:
    """The environment without what leads git to another repository."""
    named = os.environ.items()
    kept = {k: v for k, v in named if not k.startswith("GIT_") or k.startswith(KEPT)}
    return kept | EMPTY_CONFIG


def call(
    words: Sequence[object], *, failing: bool = False, where: Path | None = None,
    disk: Path | None = None, stdin: str = "",
) -> str | None:  # fmt: skip
    """What git answers; None where it fails and `failing` allows it. `disk`: what it writes to;
    git often says only that it could not write, so NO_SPACE where that one is full."""
    command = ["git", *OWN_CONFIG, *map(str, words)]
    try:
        done = subprocess.run(
            command, cwd=where, env=environment(), capture_output=True, input=stdin,
            encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
    except FileNotFoundError as error:
        raise WlkError(Status.NO_TOOL, "git is missing; install Debian's package git") from error
    if done.returncode == 0:
        return done.stdout
    if failing:
        return None
    lines = done.stderr.strip().splitlines() or ["no message"]
    why = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1])
    full = disk is not None and outputs.no_room(Path(os.devnull), disk)
    if full or any(text in done.stderr for text in outputs.FULL_WORDS):
        raise WlkError(Status.NO_SPACE, f"git: {why}; free some space")
    shown = " ".join(_verb([*map(str, words)])[:3])
    raise WlkError(Status.NO_FILE, f"`git {shown} ...` failed: {why}")


def _verb(words: list[str]) -> list[str]:
    """Without the options of git itself, which have a value each."""
    return _verb(words[2:]) if words[0] in ("--git-dir", "-c", "-C") else words


class Repository:
    """A repository of hardware, bare or not; what is not committed in it is not seen."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise WlkError(Status.NO_FILE, f"--repo {path}: no such folder")
        found = call(["-C", path, "rev-parse", "--absolute-git-dir"], failing=True)
        if found is None:
            raise WlkError(Status.NO_FILE, f"--repo {path}: no git repository")
        self.path, self.folder = path, Path(found.strip())
        self._own, self._fetching = ["--git-dir", self.folder], threading.Lock()

    def ask(self, *words: object) -> str | None:
        """What git answers there; None where it fails."""
        return call([*self._own, *words], failing=True)

    @property
    def work_tree(self) -> Path | None:
        """Where its files are; None when it is bare."""
        found = call(["-C", self.path, "rev-parse", "--show-toplevel"], failing=True)
        return Path(found.strip()) if found and found.strip() else None

    @property
    def objects(self) -> Path:
        """Its objects, which a work tree of it shares with others."""
        found = call([*self._own, "rev-parse", "--git-path", "objects"])
        return (Path.cwd() / found.strip()).resolve()

    def resolve(self, name: str, what: str = "--range") -> str:
        """The id of a commit."""
        found = self.ask(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
        )
        if found is None:
            message = f"{what}: {name} is no commit of {self.path}"
            hint = "it is shallow: `git fetch --unshallow` first" if self._shallow() else "check it"
            raise WlkError(Status.USAGE, f"{message}; {hint}")
        return found.strip()

    def is_ancestor(self, one: str, other: str) -> bool:
        """Is a commit the other or behind it? Both must be known."""
        return self.ask("merge-base", "--is-ancestor", one, other) is not None

    def ends(self, text: str) -> tuple[str, str]:
        """The ids of A and B of `A..B`; an empty one is HEAD."""
        if "..." in text:
            first, _, last = text.partition("...")
            hint = f"give $(git merge-base {first or 'HEAD'} {last or 'HEAD'})..{last or 'HEAD'}"
            raise WlkError(Status.USAGE, f"--range {text}: three dots are two sides; {hint}")
        first, dots, last = text.partition("..")
        if not dots:
            raise WlkError(Status.USAGE, f"--range {text}: give A..B, the commits behind A up to B")
        return self.resolve(first or "HEAD"), self.resolve(last or "HEAD")

    def commits(self, text: str) -> list[Commit]:
        """Those of `A..B`, parents first; USAGE when there are none, or history is cut."""
        first, last = self.ends(text)
        found = self._listed("--topo-order", "--reverse", last, f"^{first}")
        if not found:
            reversed_ = first != last and self.is_ancestor(last, first)
            a, _, b = text.partition("..")
            hint = f"it is reversed: give {b or 'HEAD'}..{a or 'HEAD'}" if reversed_ else "A is B"
            raise WlkError(Status.USAGE, f"--range {text}: no commits; {hint}")
        cut = self._shallow() & {commit.id for commit in found}
        if cut:
            message = f"--range {text}: the repository is shallow and ends at {min(cut)[:10]}"
            raise WlkError(Status.USAGE, f"{message}; `git fetch --unshallow` first")
        return found

    def commit(self, name: str) -> Commit:
        """One commit."""
        return self._listed("--max-count=1", self.resolve(name))[0]

    def _listed(self, *words: str) -> list[Commit]:
        lines = self.ask("rev-list", f"--format={SHOWN}", *words) or ""
        fields = [line.split("\0") for line in lines.split("\n") if "\0" in line]
        return [Commit(name, tree, tuple(up.split()), *rest) for name, tree, up, *rest in fields]

    def halves(self, bad: str, good: Sequence[str]) -> list[str]:
        """The commits that may be the first bad one, that which halves them best first."""
        excluded = [f"^{each}" for each in good]
        lines = self.ask("rev-list", "--bisect-all", bad, *excluded) or ""
        return [line.split()[0] for line in lines.split("\n") if line]

    def diff(self, commit: Commit, paths: Sequence[str]) -> str:
        """What a commit changes of some files, against its first parent."""
        before = commit.parents[:1] or ("--root", "--no-commit-id")
        words = ["diff-tree", "--patch", "-M", *before, commit.id, "--", *paths]
        return self.ask(*words) or ""

    def complete(self, commit: Commit) -> None:
        """Fetch what a partial clone lacks of a commit's files, as git does when it checks out:
        that in a repository that borrows the objects cannot."""
        where = f"--repo {self.path}: a partial clone without files of {commit.short}"
        with self._fetching:
            if (remote := self._promisor) is None:
                return
            last: set[str] = set()
            while (missing := self._missing(commit)) and missing != last:  # trees, then files
                last = missing
                wanted = "\n".join(sorted(missing)) + "\n"
                try:
                    call([*self._own, *FETCH, remote], stdin=wanted)
                except WlkError as error:
                    raise WlkError(error.status, f"{where}: {error.message}") from error
        if missing:
            hint = f"{remote} has none either: clone it without --filter"
            raise WlkError(Status.NO_FILE, f"{where}; {hint}")

    def _missing(self, commit: Commit) -> set[str]:
        words = ("rev-list", "--objects", "--missing=print", "--no-walk", commit.id)
        listed = call([*self._own, *words]) or ""
        return {line[1:] for line in listed.split("\n") if line.startswith("?")}

    @functools.cached_property
    def _promisor(self) -> str | None:
        """The remote that a partial clone fetches from later on; None: it is whole."""
        pattern = r"^remote\..*\.promisor$"
        found = self.ask("config", "--type=bool", "--get-regexp", pattern) or ""
        names = [line.rpartition(" ") for line in found.split("\n")]
        remotes = [name for name, _, value in names if value == "true"]
        return remotes[0].removeprefix("remote.").removesuffix(".promisor") if remotes else None

    def _shallow(self) -> set[str]:
        """The commits where a shallow repository ends."""
        found = self.ask("rev-parse", "--git-path", "shallow") or ""
        path = Path.cwd() / found.strip()
        return set(path.read_text(encoding="ascii").split()) if path.is_file() else set()


def _unlock(folder: Path) -> bool:
    """Let its folders be changed that what makes RTL has left read-only; were there any?"""
    found = int(_opened(folder))
    for top, names, _ in os.walk(folder):  # a folder before those in it
        found += sum(_opened(Path(top, name)) for name in names)
    return found > 0


def _opened(folder: Path) -> bool:
    """Was it closed to its owner?"""
    if folder.is_symlink() or not folder.is_dir():
        return False
    mode = folder.stat().st_mode
    folder.chmod(mode | stat.S_IRWXU)
    return mode & stat.S_IRWXU != stat.S_IRWXU


class Checkouts:
    """Folders in which commits are checked out, `count` at a time, below `place`."""

    def __init__(self, repository: Repository, place: Path, count: int) -> None:
        self.repository, self.place = repository, place
        self.own = place / "repository"
        self._lock, self._is_open = threading.Lock(), False
        self._free: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in range(count):
            self._free.put(number)

    def _open(self) -> None:
        """Make the repository of our own, once."""
        outputs.make_folder(self.place)
        if not (self.own / "HEAD").is_file():
            shutil.rmtree(self.own, ignore_errors=True)
            like = self.repository.ask("rev-parse", "--show-object-format") or ""
            other = ["--object-format=sha256"] if like.strip() == "sha256" else []
            call(["init", "--quiet", "--bare", "--template=", *other, self.own], disk=self.place)
        borrowed = self.own / "objects" / "info" / "alternates"
        outputs.make_folder(borrowed.parent)
        borrowed.write_text(f"{self.repository.objects}\n", encoding="utf-8")
        url = self.repository.ask("config", "--get", "remote.origin.url")
        self._git("config", "remote.origin.url", url.strip() if url else self.repository.folder)

    def _git(self, *words: object, where: Path | None = None) -> str:
        place = [] if where is not None else ["--git-dir", self.own]
        return call([*place, *words], where=where, disk=self.place) or ""

    @contextlib.contextmanager
    def of(self, commit: Commit) -> Iterator[Path]:
        """The folder with a commit; it holds nothing else, and is another's behind the block."""
        with self._lock:
            if not self._is_open:
                self._open()
                self._is_open = True
        number = self._free.get()
        try:
            folder = self.place / f"work-{number}"
            self.repository.complete(commit)
            try:
                self._fill(folder, commit)
            except (WlkError, PermissionError):
                if not _unlock(folder):
                    raise
                self._fill(folder, commit)
            yield folder
        finally:
            self._free.put(number)

    def _fill(self, folder: Path, commit: Commit) -> None:
        if not self._is_whole(folder):
            shutil.rmtree(folder, ignore_errors=True)
            with self._lock:  # git prunes a folder that another git is about to fill
                self._git("worktree", "prune")
                words = ("worktree", "add", "--quiet", "--detach", "--no-checkout")
                self._git(*words, folder, commit.id)
        lock = Path(self._git("rev-parse", "--git-path", "index.lock", where=folder).strip())
        (folder / lock).unlink(missing_ok=True)
        self._git("checkout", "--quiet", "--force", "--detach", commit.id, where=folder)
        self._git("clean", "-ffdxq", where=folder)
        if (folder / ".gitmodules").is_file():
            self._submodules(folder)

    def _is_whole(self, folder: Path) -> bool:
        """Is it a work tree of our repository that git can go on with? One that was copied with the
        store is of another."""
        if not (folder / ".git").is_file():
            return False
        known = call(["rev-parse", "--git-common-dir", "HEAD"], failing=True, where=folder)
        return known is not None and Path(folder, known.split("\n")[0]).samefile(self.own)

    def _submodules(self, folder: Path) -> None:
        """Fill in submodules, from the user's own copies where there are some."""
        pattern = r"^submodule\..*\.path$"
        listed = self._git("config", "-f", ".gitmodules", "--get-regexp", pattern, where=folder)
        self._git("submodule", "--quiet", "init", where=folder)
        for line in filter(None, listed.split("\n")):
            name = line.split()[0].removeprefix("submodule.").removesuffix(".path")
            copy = self.repository.folder / "modules" / name
            if copy.is_dir():
                self._git("config", f"submodule.{name}.url", copy, where=folder)
        allowed = ["-c", "protocol.file.allow=always"]
        self._git(*allowed, "submodule", "--quiet", "update", "--init", "--recursive", "--force",
                  where=folder)  # fmt: skip
