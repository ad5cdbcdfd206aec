# SPDX-License-Identifier: Apache-2.0
"""What is to be judged of a repository: the options, and what warplock.toml says where they are
silent (docs/regression.md)."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import tables
from ..base import seeds
from ..base.errors import Status, WlkError
from ..base.settings import LISTS, NAME, load
from ..run import verilate
from . import cache, git

SEEDS, CYCLES, ELABORATION, PROOF = "1..5", 20_000, 1800, 120


@dataclass(frozen=True)
class Block:
    """A block, and where and how it is looked at."""

    name: str
    module: str | None = None
    configs: tuple[str, ...] = ("",)  # words of --config
    ties: tuple[str, ...] = ()  # PORT=VALUE
    rtl: tuple[str, ...] = ()  # where that of the repository is not meant
    ports: tuple[str, ...] = ()  # NAME=OWN: the table's name, and that in the RTL
    is_named: bool = True  # else it is judged only where its module is


@dataclass(frozen=True)
class Profile:
    """From `since` on, and up to but without `until`, a block is judged with other parameters."""

    name: str
    block: str
    since: str  # ids of commits
    until: str | None
    module: str | None = None
    config: str = ""
    ties: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()

    def of(self, block: Block) -> Block:
        """The block as it is looked at where this holds."""
        module, ports = self.module or block.module, (*block.ports, *self.ports)
        ties = (*block.ties, *self.ties)
        return dataclasses.replace(block, module=module, ports=ports, ties=ties)


@dataclass(frozen=True)
class Settings:
    """What is asked: all that verdicts rest on but for the versions of model and simulator, and how
    it is done."""

    range: str = ""
    elaborate: str = ""
    elaborate_timeout: int = ELABORATION
    rtl: tuple[str, ...] = ()  # below the root of the repository
    define: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    seeds: str = SEEDS
    cycles: int = CYCLES
    proof_timeout: int = PROOF
    verilator: str = verilate.WHICH[0]
    cache_limit: str = cache.LIMIT
    slurm_options: str = ""  # words of sbatch
    blocks: tuple[Block, ...] = ()
    profiles: tuple[Profile, ...] = field(default=())

    def profile(self, repository: git.Repository, commit: str, block: str) -> Profile | None:
        """That by which a block is judged at a commit: the last one listed that holds there."""

        def holds(one: Profile) -> bool:
            begun = repository.is_ancestor(one.since, commit)
            return begun and not (one.until and repository.is_ancestor(one.until, commit))

        own = [each for each in self.profiles if each.block == block and holds(each)]
        return own[-1] if own else None


def read(repository: git.Repository, path: Path | None, given: Mapping[str, Any]) -> Settings:
    """Options (`given`, by the names of the file) go before the file's values."""
    place, text = _text(repository, path)
    found = load(place, text)
    found.pop("run", None)  # of lockstep
    blocks = [_block(place, each) for each in found.pop("block", [])]
    profiles = found.pop("profile", [])
    values = {k: tuple(v) if k in LISTS else v for k, v in found.items()}
    values |= {key: value for key, value in given.items() if value}
    asked = values.pop("blocks", None)
    cache.bytes_of(values.get("cache_limit", cache.LIMIT))
    if values.get("verilator", verilate.WHICH[0]) not in verilate.WHICH:
        message = f"{place}: verilator: {values['verilator']!r} must be one of "
        raise WlkError(Status.USAGE, message + ", ".join(verilate.WHICH))
    if "seeds" in found and not given.get("seeds"):
        folder = path.parent if path is not None else repository.work_tree or Path()
        values["seeds"] = str(seeds.kept(values["seeds"], f"{place}: seeds", folder))
    settings = Settings(**values, blocks=tuple(_chosen(blocks, asked)))
    _require_distinct(settings.blocks)
    if not settings.rtl and not all(each.rtl for each in settings.blocks):
        message = f"which files hold the RTL? give --rtl PATH, or `rtl` in {NAME}"
        raise WlkError(Status.USAGE, f"{message}, below the root of the repository")
    for name in {*settings.rtl, *(name for each in settings.blocks for name in each.rtl)}:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            message = f"--rtl {name}: must be a path below the root of the repository"
            raise WlkError(Status.USAGE, message)
    rows = tuple(_profile(place, repository, each) for each in profiles)
    return Settings(**{**vars(settings), "profiles": rows})


def _text(repository: git.Repository, path: Path | None) -> tuple[str, str]:
    """Name and text of the file: that given, or else that of the work tree, or of HEAD."""
    if path is not None:
        try:
            return str(path), path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise WlkError(Status.NO_FILE, f"--settings {path}: {error}") from error
    top = repository.work_tree
    if top is not None and (top / NAME).is_file():
        return str(top / NAME), (top / NAME).read_text(encoding="utf-8", errors="replace")
    return f"HEAD:{NAME}", repository.ask("show", f"HEAD:{NAME}") or ""


def _block(place: str, found: Mapping[str, Any]) -> Block:
    tables.load(found["name"])
    configs = tuple(found.get("configs", [""])) or ("",)
    lists = [tuple(found.get(key, [])) for key in ("tie", "rtl", "ports")]
    _require_names(f"{place}: [[block]] {found['name']}", lists[-1])
    return Block(found["name"], found.get("module"), configs, *lists)


def _require_names(head: str, ports: Sequence[str]) -> None:
    """USAGE for what does not name two ports, or one twice."""
    pairs = [each.partition("=")[::2] for each in ports]
    for each, (name, own) in zip(ports, pairs, strict=True):
        if not (name.isidentifier() and own.isidentifier()):
            message = f"{head}: ports: {each!r} must be NAME=OWN"
            raise WlkError(Status.USAGE, f"{message}: the name in the table, and that in your RTL")
        if [*zip(*pairs, strict=True)][0].count(name) > 1 or [p[1] for p in pairs].count(own) > 1:
            raise WlkError(Status.USAGE, f"{head}: ports: {each} names a port that another names")


def _chosen(listed: Sequence[Block], asked: Sequence[Block] | None) -> list[Block]:
    """The blocks asked for, with what the file says of them; without any, all that are there."""
    if not asked:
        return [*listed] or [Block(name, is_named=False) for name in tables.names()]
    chosen = []
    for each in asked:
        own = [one for one in listed if one.name == each.name] or [each]
        own = [one for one in own if {*each.configs} <= {*one.configs}] or own
        changed = {"module": each.module} if each.module else {}
        changed |= {"configs": each.configs} if each.configs != ("",) else {}
        chosen += [dataclasses.replace(one, **changed) for one in own]
    return chosen


def _require_distinct(blocks: Sequence[Block]) -> None:
    """USAGE when two blocks would have the same name in the answer."""
    names = [f"{each.name} {config}".strip() for each in blocks for config in each.configs]
    for name in names:
        if names.count(name) > 1:
            message = f"block {name} is asked for twice; give one of them another configuration"
            raise WlkError(Status.USAGE, message)


def _profile(place: str, repository: git.Repository, found: Mapping[str, Any]) -> Profile:
    head = f"{place}: [[profile]] {found['name']}"
    tables.load(found["block"])
    since = repository.resolve(found["since"], f"{head}: since")
    until = repository.resolve(found["until"], f"{head}: until") if "until" in found else None
    more = (found.get("module"), found.get("config", ""), tuple(found.get("tie", [])))
    more += (tuple(found.get("ports", [])),)
    _require_names(head, more[-1])
    return Profile(found["name"], found["block"], since, until, *more)
