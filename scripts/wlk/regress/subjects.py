# SPDX-License-Identifier: Apache-2.0
"""What there is to judge at a commit: its RTL, built where it must be, and each block's module in
it by content."""

import functools
import os
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .. import tables
from ..base import keep, outputs, progress, setup
from ..base.errors import Status, WlkError
from . import git
from .settings import Block, Settings
from .store import Row, Store

LIST = "rtl.f"
LOG_LINES = 3
READS = [
    setup.ROOT / "scripts/wlk/fit" / f"{name}.py"
    for name in ("rtl", "binds", "data", "legal", "identity", "renamed")
]


def source(store: Path, key: str) -> Path:
    """The list of the files of a module, by its digest: they are kept below the store."""
    return store.absolute() / "sources" / key / LIST


@functools.cache
def _reader() -> str:
    """A digest of what finds the module of a block in RTL, and what it is."""
    return keep.digest(path.read_bytes() for path in READS)


class Finder:
    """Finds what there is to judge at commits, and notes it in the store."""

    def __init__(self, store: Store, checkouts: git.Checkouts, settings: Settings) -> None:
        self.store, self.checkouts, self.settings = store, checkouts, settings
        self._slang = threading.Lock()

    def asked(self, block: Block) -> str:
        """A digest of what a subject rests on, its tree apart."""
        own = self.settings
        lists = [*(block.rtl or own.rtl), "define", *own.define, "include", *own.include]
        more = [own.elaborate, str(own.elaborate_timeout), *lists, block.name, block.module or ""]
        return keep.digest([_reader(), *more, *block.ports])

    def known(self, commit: git.Commit, block: Block) -> Row | None:
        """What is known of it."""
        where = {"asked": self.asked(block), "tree": commit.tree, "block": block.name}
        return self.store.get("subject", **where)

    def find(self, commit: git.Commit, wanted: Sequence[Block]) -> None:
        """Note the modules of a commit that are not known."""
        lacking = [each for each in wanted if self.known(commit, each) is None]
        if lacking:
            self._find(commit, lacking)

    def source(self, commit: git.Commit, block: Block, key: str) -> Path:
        """The list of the files of a module. Found anew where the cache has forgotten it: BAD_RTL
        when the commit no longer has it, since what makes it depends on more than the commit."""
        listed = source(self.store.folder, key)
        if not listed.is_file():
            self._find(commit, [block])
        if not listed.is_file():
            message = f"{commit.title}: the RTL of block {block.name} is not what it was before"
            hint = "make the elaboration repeatable, or choose another --store"
            raise WlkError(Status.BAD_RTL, f"{message}; {hint}")
        os.utime(listed.parent)  # in use
        return listed

    def _find(self, commit: git.Commit, lacking: Sequence[Block]) -> None:
        start = time.monotonic()
        with self.checkouts.of(commit) as checkout:
            folder = checkout.resolve()
            failed = self._elaborate(folder)
            read = functools.cache(functools.partial(self._read, folder))
            for block in lacking:
                found = failed or self._look(folder, read, block)
                row = {"status": found[0].name, "message": found[1]}
                row |= dict(
                    zip(("module", "key", "unproved"), found[2:] or ("", "", ""), strict=True)
                )
                row |= {"asked": self.asked(block), "tree": commit.tree}
                self.store.add("subject", **row, block=block.name, seconds=time.monotonic() - start)

    def _elaborate(self, folder: Path) -> tuple[Status, str] | None:
        """Run the user's command; why there is no RTL, or None."""
        own = self.settings
        if own.elaborate:
            log = folder.with_suffix(".log")
            with log.open("wb") as file:
                command = ["timeout", "--kill-after=5", str(own.elaborate_timeout)]
                command += ["sh", "-c", own.elaborate]
                options = {"stdout": file, "stderr": subprocess.STDOUT, "cwd": folder}
                options["env"] = git.environment()
                with progress.child(command, **options) as process:
                    code = process.wait()
            if code:
                what = (
                    f"did not end within {own.elaborate_timeout} s"
                    if code in (124, 137)
                    else (f"ended with {code}")
                )
                last = " / ".join(progress.tail(log, LOG_LINES)) or "it printed nothing"
                if full := outputs.no_room(log, folder):
                    raise WlkError(Status.NO_SPACE, f"`{own.elaborate}`: {full}")
                return Status.BUILD_FAIL, f"`{own.elaborate}` {what}: {last}"
        return None

    def _look(self, folder: Path, read: Callable[[tuple], Any], block: Block) -> tuple:
        """The module of a block: status, message, and where there is one its name, its digest and
        that of what no proof is about. `read`: as `_read`, but once."""
        from ..fit import identity, renamed  # needs slang

        with self._slang:
            try:
                design = read(block.rtl or self.settings.rtl)
                # One of another name whose ports fit may be another block's.
                found = design.find(block.module or tables.load(block.name).module)
                found.require_complete()
                unproved = identity.simulated_only(found)
                names = dict(each.split("=", 1) for each in block.ports)
                shell = renamed.wrapper(found, names) if names else (found.name, "")
                key = self._keep(folder, _digest(found, unproved, shell), found, shell)
            except WlkError as error:
                return self._refused(error, folder)
            except PermissionError as error:
                message = f"{error.filename}: {error.strerror}; check who may read what is made"
                return self._refused(WlkError(Status.NO_FILE, message), folder)
        return Status.OK, "", shell[0], key, unproved

    def _read(self, folder: Path, names: tuple[str, ...]) -> Any:
        """The RTL of a commit."""
        from ..fit import rtl

        own = self.settings
        paths = [self._place(folder, name) for name in names]
        return rtl.load(paths, own.define, [folder / name for name in own.include], folder)

    def _place(self, folder: Path, name: str) -> Path:
        """A file or folder of RTL; BAD_RTL when the command has not made it, NO_MODULE when there
        is none."""
        made = self.settings.elaborate
        if (folder / name).exists():
            return folder / name
        if made:
            message = f"{name} is not there behind `{made}`; does it write elsewhere?"
            raise WlkError(Status.BAD_RTL, message)
        raise WlkError(Status.NO_MODULE, f"{name} is not there")

    def _refused(self, error: WlkError, folder: Path) -> tuple[Status, str]:
        """Why a commit has no module to judge; what is not its fault goes on as an error."""
        text = error.message.replace(f"{folder}/", "").replace(str(folder), ".")
        if error.status == Status.NO_MODULE and " is missing, " not in text:
            return Status.NO_MODULE, text
        if error.status in (Status.NO_MODULE, Status.BAD_RTL, Status.NO_FILE):
            return Status.BUILD_FAIL, text
        if error.status in (Status.AMBIGUOUS, Status.IFACE_CHANGED):
            return error.status, text
        raise error

    def _keep(self, folder: Path, key: str, module: Any, shell: tuple[str, str]) -> str:
        """Copy the files of a module to a folder by its digest, each at its place; the digest. What
        is there already may be written otherwise; where it is no longer what it was, this module
        has a digest of its own. `shell`: name and text of what gives its ports other names."""
        texts = _texts(folder, module, shell)
        place = source(self.store.folder, key).parent
        if not (place / LIST).is_file():
            for name in (name for name in texts if name != LIST):
                outputs.make_folder((place / name).parent)
                (place / name).write_bytes(texts[name])
            with outputs.atomic_write(place / LIST, "wb") as file:  # last: then it is whole
                file.write(texts[LIST])
            return key
        if all(_holds(place / name, text) for name, text in texts.items()):
            return key
        if self._is_sound(key, module.name, shell):
            return key
        other = keep.digest([key, *(part for item in texts.items() for part in item)])
        return self._keep(folder, other, module, shell)

    @functools.cache  # noqa: B019  one Finder is one run
    def _is_sound(self, key: str, name: str, shell: tuple[str, str]) -> bool:
        """Has what is kept by a digest that digest?"""
        from ..fit import identity, rtl

        listed = source(self.store.folder, key)
        try:
            module = rtl.load([listed], base=listed.parent).find(name)
            return _digest(module, identity.simulated_only(module), shell) == key
        except WlkError:
            return False


def _digest(module: Any, unproved: str | None, shell: tuple[str, str]) -> str:
    """What a module is. `unproved`: what no proof is about."""
    from ..fit import identity

    return keep.digest([identity.of(module), unproved or "", *shell[1:]])


def _holds(path: Path, text: bytes) -> bool:
    try:
        return path.read_bytes() == text
    except OSError:
        return False


def _texts(folder: Path, module: Any, shell: tuple[str, str]) -> dict[str, bytes]:
    """What is kept of a module, by names below the commit, the list of its files among them."""
    from ..fit import data, rtl

    design = module.design
    for name in data.named(module):
        if Path(name).is_absolute() and Path(name).is_relative_to(folder):
            what = f"{name}: a file of the checkout by its whole path, which is another each time"
            raise WlkError(Status.BAD_RTL, f"{what}; name it from its folder on")
    files = [_inside(path, folder) for path in design.files_for(module)]
    foreign = [_inside(path, folder) for path in design.foreign_for(module)]
    more = [_inside(path, folder) for path in (*design.included_for(module), *data.files(module))]
    texts = {name: (folder / name).read_bytes() for name in (*files, *more, *foreign)}
    if shell[1]:
        files.append(f"{shell[0]}.sv")
        texts[files[-1]] = shell[1].encode()
    words = [f"+define+{each}" for each in design.defines]
    kept = [folder / name for name in texts]
    include = [path for path in design.include_dirs if any(k.is_relative_to(path) for k in kept)]
    words += [f"+incdir+{_inside(path, folder)}" for path in include]
    compiled = [name for name in foreign if name.endswith(rtl.FOREIGN)]
    texts[LIST] = "".join(f"{line}\n" for line in (*words, *files, *compiled)).encode()
    return texts


def _inside(path: Path, folder: Path) -> str:
    """Where a file lies in its commit, as a list of files has it; BAD_RTL where it has no such
    name."""
    try:
        name = str(path.resolve().relative_to(folder))
    except ValueError:
        message = f"{path}: the RTL needs a file outside of its repository"
        raise WlkError(Status.BAD_RTL, message) from None
    if name.split() != [name]:
        raise WlkError(
            Status.BAD_RTL, f"{name}: a list of files cannot hold white space; rename it"
        )
    return name
