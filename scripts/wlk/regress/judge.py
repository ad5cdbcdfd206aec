# SPDX-License-Identifier: Apache-2.0
"""The verdict of a module: that of the same module before, that of one proved equal, or a run.

Modules are judged by content. Each has one commit that stands for it, the first in the range that
has it; there it is proved equal to what was there before, or simulated. Which step settles what is
so a matter of the history alone, and not of the order in which the work is done.
"""

import functools
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from .. import tables
from ..base import keep, outputs, progress, report, setup
from ..base.errors import Status, WlkError
from ..base.installed import COMMAND, INSTALLED
from ..run import failures, jobs, own_blocks, vectors, verilate
from . import git, subjects
from .settings import Block, Profile, Settings
from .store import Row

PROGRAM = setup.ROOT / "scripts" / "warplock"
# What a verdict rests on besides RTL and settings: models, harness, stimulus, what calls them.
VERSIONED = (
    *("refmodel", "dpi", "vectors/src", "rtl_stub"),
    *(f"scripts/wlk/{room}" for room in ("tables", "gen", "fit", "prove", "model", "run")),
)
SETTLED = {
    *(Status.OK, Status.FUNCTIONAL_MISMATCH, Status.TIMING_DIVERGENCE, Status.PROTOCOL_VIOLATION),
    *(Status.HANG, Status.VACUOUS, Status.IFACE_CHANGED, Status.BUILD_FAIL, Status.MODEL_ERROR),
    *(Status.RTL_ASSERTION, Status.REFUTED, Status.BOUNDED, Status.BAD_RTL, Status.AMBIGUOUS),
    Status.SIMULATOR,
}
PORTS = {Status.BAD_CONFIG, Status.BAD_PARAMS, Status.BAD_WIDTH}  # what the ports contradict


@functools.cache
def version(verilator: str) -> str:
    """A digest of model and simulator."""
    tool = verilate.find_tool(verilator)
    files = sorted(p for top in VERSIONED for p in (setup.ROOT / top).rglob("*") if p.is_file())
    known = [p for p in files if p.suffix in (".c", ".h", ".cpp", ".toml", ".sv", ".py")]
    if INSTALLED:  # without their sources
        known += sorted(INSTALLED.compiled.glob("dpi/*"))
    parts = (part for p in known for part in (str(p.relative_to(setup.ROOT)), p.read_bytes()))
    simulator = [setup.pinned(["newest"])["verilator"]]  # that of second opinions
    simulator += [(tool.root / "include" / each).read_bytes() for each in verilate.RUNTIME_VERSION]
    return keep.digest([*simulator, *parts])


@dataclass(frozen=True)
class Case:
    """A block in a configuration at a commit."""

    commit: git.Commit
    block: Block
    config: str  # as it is named in the answer
    profile: Profile | None = None

    @functools.cached_property
    def target(self) -> Block:
        """The block as it is looked at here."""
        return self.profile.of(self.block) if self.profile else self.block

    @functools.cached_property
    def words(self) -> str:
        """The parameters that hold: the profile's before those of the configuration."""
        over = self.profile.config.split() if self.profile else []
        keys = {word.partition("=")[0] for word in over if "=" in word}
        kept = [w for w in self.config.split() if w.partition("=")[0] not in keys]
        return " ".join([*kept, *over])

    @property
    def ties(self) -> tuple[str, ...]:
        """Inputs that are tied."""
        return self.target.ties

    @property
    def title(self) -> str:
        """For a person."""
        return f"{self.block.name} {self.config}".strip()


@dataclass
class Group:
    """A module by content with the parameters that hold: what is judged once."""

    key: str
    module: str
    unproved: str | None  # what no proof is about; None: it can end a run
    case: Case  # that stands for it
    before: "Group | None" = None  # what was there before, if parameters are the same
    result: Row | None = None
    waiting: list[Case] = field(default_factory=list)


class Keeper(Protocol):
    """Where rows are kept: a store, or what takes its place on another machine."""

    folder: Path

    def get(self, table: str, **where: str) -> Row | None:
        """The row with these values."""

    def add(self, table: str, **values: Any) -> None:
        """Write a row."""


class Sources(Protocol):
    """Where the RTL of modules is found."""

    def asked(self, block: Block) -> str:
        """A digest of what a subject rests on."""

    def source(self, commit: git.Commit, block: Block, key: str) -> Path:
        """The list of the files of a module."""


class Judge:
    """Settles groups, and notes what it finds in the store."""

    def __init__(self, store: Keeper, settings: Settings, finder: Sources) -> None:
        self.store, self.settings, self.finder = store, settings, finder
        self.workers = 1  # processes for the seeds of a simulation

    @property
    def version(self) -> str:
        """A digest of model and simulator."""
        return version(self.settings.verilator)

    def asked(self, case: Case) -> str:
        """A digest of what a result rests on, module and configuration apart."""
        own = self.settings
        block = own_blocks.digest(case.block.name)
        return keep.digest([self.version, own.seeds, str(own.cycles), *case.ties, *block])

    def asked_of_commit(self, case: Case) -> str:
        """A digest of what a verdict rests on, commit and name of the configuration apart."""
        own = self.finder.asked(case.target)
        return keep.digest([self.asked(case), own, case.words, str(self.settings.proof_timeout)])

    def result(self, group: Group) -> Row | None:
        """What is known of a group."""
        where = {"asked": self.asked(group.case), "key": group.key}
        where |= {"block": group.case.block.name, "config": group.case.words}
        return self.store.get("result", **where)

    def settle(self, group: Group) -> None:
        """Prove a group equal to what was there before, or simulate it."""
        start = time.monotonic()
        if group.before is not None and self.is_equal(group.before, group):
            return
        answer = self.simulate(group)
        self._note(group, answer, time.monotonic() - start)

    def inherit(self, group: Group) -> None:
        """Give a group the verdict of what it was proved equal to."""
        answer = json.loads(group.before.result["answer"])
        answer["proved_equal_to"] = answer.get("proved_equal_to", group.before.result["commit_id"])
        answer["settled_by"] = "proved"
        proof = self.proof(group.before, group)
        self._note(group, answer, proof["seconds"])

    def _note(self, group: Group, answer: Mapping[str, Any], seconds: float) -> None:
        case = group.case
        row = {"asked": self.asked(case), "key": group.key, "block": case.block.name}
        row |= {"config": case.words, "commit_id": case.commit.id, "verdict": answer["verdict"]}
        self.store.add("result", **row, seconds=seconds, answer=dict(answer))
        group.result = self.result(group)

    # ---- proof --------------------------------------------------------------------------------

    def _proof_asked(self) -> str:
        return keep.digest([self.version, str(self.settings.proof_timeout)])

    def proof(self, old: Group, new: Group) -> Row | None:
        """What is known of two modules."""
        return self.store.get("proof", asked=self._proof_asked(), old=old.key, new=new.key)

    def is_equal(self, old: Group, new: Group) -> bool:
        """Are two modules proved equal? Tries to, once. Power-up is free: what only a reset makes
        equal is not, since lockstep begins with random values. What a simulator alone reads must
        be the same, and have no assertions, which a change elsewhere could make fail."""
        if (
            not self.settings.proof_timeout
            or new.unproved in (None, "")
            or old.unproved != new.unproved
        ):
            return False
        if self.proof(old, new) is None:
            start = time.monotonic()
            sides = [self.source(each) for each in (old, new)]
            words = ["prove", "--rtl", sides[1], "--against", sides[0], "--module", new.module]
            words += ["--power-up", "any", "--no-example"]
            words += verilate.words(self.settings.verilator)
            words += ["--timeout", self.settings.proof_timeout]
            code, answer = Status.IFACE_CHANGED, {}
            if old.module == new.module:
                code, answer, _ = self._ask(new, *words)
            _refuse_unsettled(code, answer)
            verdict = "PROVED" if code == Status.OK else Status(code).name
            row = {"asked": self._proof_asked(), "old": old.key, "new": new.key}
            row |= {"verdict": verdict, "seconds": time.monotonic() - start}
            self.store.add("proof", **row, answer=answer)
        return self.was_proved(old, new)

    def was_proved(self, old: Group, new: Group) -> bool:
        """Is it known already that two modules are equal?"""
        known = self.proof(old, new)
        return known is not None and known["verdict"] == "PROVED"

    # ---- simulation ---------------------------------------------------------------------------

    def simulate(self, group: Group) -> dict[str, Any]:
        """Run a group in lockstep; the answer as it is kept."""
        own = tables.own().get(group.case.block.name)
        words = self._lockstep(group, ["--blocks", own] if own is not None else [])
        words += ["--seeds", self.settings.seeds, "--jobs", self.workers]
        code, found, text = self._ask(group, *words)
        _refuse_unsettled(code, found)
        status = Status.IFACE_CHANGED if code in PORTS else Status(code)
        if status == Status.BAD_RTL:
            status = Status.BUILD_FAIL
        how = "simulated" if "compared_bits" in found else "none"
        answer = {"verdict": report.verdict_name(status), "settled_by": how}
        answer |= {k: found[k] for k in ("first", "seed", "at_fault", "cycles") if k in found}
        if "compared_bits" in found:
            answer |= {"coverage": found["floors_met"], "floors": found["floors"]}
            answer["points"] = {k: [c["hits"], c["floor"]] for k, c in found["coverage"].items()}
            gaps = ("outputs", "not_compared", "binds_left_out")
            answer |= {key: found[key] for key in gaps if key in found}
        if status != Status.OK:
            seed = f"{found['seed']}" if "seed" in found else self.settings.seeds
            again = self._lockstep(group, failures.own_folder(group.case.block.name))
            again += ["--seeds", seed]
            answer["repro"] = " ".join([COMMAND, *map(str, again)])
            folder = str(subjects.source(self.store.folder, group.key).parent)
            answer["message"] = found.get("message", "").replace(f"{folder}/", "")
            place = self._report(group, text)
            answer["report"] = str(place)
            for path in place.glob("latest/*/stimulus.wlv"):
                cycles = vectors.read_header(path).cycles
                answer["shrunk"] = {"file": str(path.resolve()), "cycles": cycles}
        return answer

    def _lockstep(self, group: Group, own: Sequence[object]) -> list[object]:
        """The words of a run; `own`: where the block is, if it is a user's."""
        case = group.case
        words = ["lockstep", case.block.name, *own, "--rtl", self.source(group)]
        words += ["--module", group.module, "--no-infer", "--cycles", self.settings.cycles]
        words += verilate.words(self.settings.verilator)
        words += [word for each in case.words.split() for word in ("--config", each)]
        return words + [word for each in case.ties for word in ("--tie", each)]

    def source(self, group: Group) -> Path:
        """The list of files of a group's module, found anew when the cache has forgotten it."""
        case = group.case
        return self.finder.source(case.commit, case.target, group.key)

    def _place(self, group: Group) -> Path:
        case = group.case
        name = report.file_name(f"{case.block.name}-{case.words}")[:80]
        return self.store.folder / "reports" / f"{name}-{group.key[:10]}"

    def _report(self, group: Group, text: str) -> Path:
        place = self._place(group)
        outputs.make_folder(place)
        with outputs.atomic_write(place / "output.txt") as file:
            file.write(text)
        return place

    def _ask(self, group: Group, *words: object) -> tuple[int, dict[str, Any], str]:
        """Run a subcommand: exit code, its object, and what it prints for a person."""
        place = self._place(group).absolute()
        command = [setup.PYTHON, PROGRAM, *words, "--json", "--no-setup", "--reports", place]
        outputs.make_folder(self.store.folder / "logs")
        name = f"{os.uname().nodename}-{os.getpid()}-{id(group):x}.txt"
        log = self.store.folder / "logs" / name
        source = subjects.source(self.store.folder, group.key).parent
        try:
            with log.open("w+", encoding="utf-8", errors="replace") as file:
                options = {"stderr": file, "cwd": source, "encoding": "utf-8"}
                with progress.child(map(str, command), stdout=-1, **options) as process:
                    text = process.stdout.read()
                    code = process.wait()
                file.seek(0)
                said = file.read()
        finally:
            log.unlink(missing_ok=True)
        lines = [line for line in text.splitlines() if line.startswith("{")]
        if code not in set(Status) or not lines:
            last = (said.strip().splitlines() or ["no message"])[-1]
            message = f"{group.case.title} at {group.case.commit.short}: {words[0]}"
            was_killed = code < 0 or code > 128
            status = Status.INTERRUPTED if was_killed else Status.MODEL_ERROR
            raise WlkError(status, f"{message} ended with {code}: {last}")
        answer = json.loads(lines[-1])
        _require_agreement(code, answer, f"{group.case.title} at {group.case.commit.short}")
        return code, answer.get("error", answer), said


def _require_agreement(code: int, answer: Mapping[str, Any], title: str) -> None:
    """MODEL_ERROR for an exit code that is a verdict, and not that of the answer: the process died
    of something else."""
    word = answer["verdict"] if "verdict" in answer else answer["error"]["status"]
    named = Status.OK if word in ("PASS", "PROVED") else Status[word]
    if code in SETTLED and code != named:
        message = f"{title}: a run answered {word} and ended with {code}"
        raise WlkError(Status.MODEL_ERROR, f"{message}; run it again")


def _refuse_unsettled(code: int, answer: Mapping[str, Any]) -> None:
    """What says nothing of the RTL is no verdict."""
    if code not in SETTLED | PORTS:
        raise WlkError(Status(code), answer.get("message", "a run failed"))


def require_configs(settings: Settings) -> None:
    """BAD_CONFIG for parameters that no block has, before any work is done."""
    for block in settings.blocks:
        table = tables.load(block.name)
        over = [each.config for each in settings.profiles if each.block == block.name]
        for words in [*block.configs, *over]:
            jobs.given_config(table, words.split(), partial=True)
