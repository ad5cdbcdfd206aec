# SPDX-License-Identifier: Apache-2.0
"""The command: runs a sweep, and shows what it says (docs/explore.md)."""

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base import options, outputs, progress, report, seeds
from ..base.entries import Whole
from ..base.errors import Status, WlkError
from ..base.options import operand, option
from ..base.published import Reported
from ..base.seeds import Seeds
from ..run import build, cluster
from . import page, remote, show, summary, sweep, synth
from .cost import Cost
from .pool import Answer, Pool
from .store import Store
from .sweep import Job, Sweep
from .synth import BLOCK

FOLDER = Path("reports") / "explore"
RUNNER = "dpi/wlk-explore"
FAILURES = {"WRONG_VALUE": Status.FUNCTIONAL_MISMATCH, "ERROR": Status.MODEL_ERROR}


def runner() -> Path:
    """The program that runs jobs, up to date."""
    return build.brought_up() / RUNNER


@dataclass
class Explore(Reported):
    """Sweep the collector design space: IPC, conflicts, stalls, area, and which point to take."""

    NAME = "explore"
    EXAMPLE = """warplock explore --html explore.html
warplock explore --point src,minimal --set coll_depth=1..8 --workload mixed,fma
warplock explore --point src+option2_2 --workload my.prog
warplock explore --cost"""
    WITHOUT = ("junit",)

    file: Path | None = operand("SWEEP.toml", "a sweep file; options replace what it says",
                                nargs="?", type=Path)  # fmt: skip
    point: Sequence[str] = option(
        [], "points, NAME[+OPTION] [KEY=VALUE ...], `all` the named ones (default) or `reference`; "
        "a list, may be repeated", metavar="POINT,...",
    )  # fmt: skip
    set: dict[str, str] = option(
        {}, "values of a parameter, as a list or A..B; may be repeated: the cross product",
        action=options.Settings, type=options.key_value, metavar="KEY=V1,V2",
    )  # fmt: skip
    workload: Sequence[str] = option(
        [], "streams, kernels, paths of programs (default: six streams and the shipped kernels); "
        "a list, may be repeated", metavar="NAME|FILE.prog,...",
    )  # fmt: skip
    seeds: Seeds | None = seeds.option(None, "1..5")
    instructions: int | None = option(
        None, f"of a stream (default: {sweep.INSTRUCTIONS:,})", type=options.number(1), metavar="N"
    )
    cycles: int | None = option(
        None, "end a run after so many (default: when it has drained)", type=options.number(1),
        metavar="N",
    )  # fmt: skip
    idle: int | None = option(
        None, "cycles without progress that are a deadlock; more than the longest latency "
        f"(default: {sweep.IDLE:,})", type=options.number(1), metavar="N",
    )  # fmt: skip
    db: Path | None = options.path(
        f"the sweep's database: the same sweep goes on there (default: in {FOLDER})"
    )
    html: Path | None = options.path("write a page of the answers, plots and tables", old="--page")
    cost: bool = option(False, "run nothing: print cost formulas and the document's figures")
    synth: bool = option(False, "also synthesize the stub at each point: gates, flip-flops")
    synth_block: str = option(
        BLOCK, f"block that --synth takes (default: {BLOCK})", metavar="BLOCK"
    )
    jobs: int | None = option(
        None, "processes (default: as many as processors), or tasks of Slurm",
        type=options.number(1), metavar="N",
    )  # fmt: skip
    launcher: str = option(
        "local", "where it runs: here (default), or on the machines of a Slurm cluster",
        choices=("local", "slurm"),
    )  # fmt: skip
    slurm_options: str = option("", "words for sbatch", metavar="WORDS")
    found: summary.Summary | None = None

    def needs(self) -> tuple[str, ...]:
        if self.cost:
            return ()
        return ("build", "prove") if self.synth else ("build",)

    def refuse(self) -> None:
        """What no work can make good."""
        if self.launcher == "slurm":
            cluster.require()
        elif self.slurm_options:
            raise WlkError(Status.USAGE, "--slurm-options go with --launcher slurm")
        if self.cost and self.html is not None:
            raise WlkError(Status.USAGE, "--cost runs nothing to show on a page; leave out --html")
        if self.db is not None:
            outputs.refuse(self.db, force=True)
        self.asked()

    def asked(self) -> Sweep:
        """The sweep."""
        texts = [name.strip() for text in self.point for name in text.split(",")]
        loads = [name for text in self.workload for name in _listed(text)]
        numbers = (self.seeds, self.instructions, self.cycles, self.idle)
        return sweep.make(sweep.Asked(texts, loads, self.set, *numbers), self.file)

    def run(self) -> int:
        """Run what is missing; 0 unless a value was wrong, a runner died or nothing was run."""
        asked = self.asked()
        if self.cost:
            return self._costs(asked)
        program = runner()
        store = Store(self.db or _place(asked, program))
        areas = [_area(Cost(point)) for point in asked.points]
        with store.opened(asked, _model(program), areas):
            self._fill(asked, store, program)
            if self.synth:
                synth.fill(asked.points, self.synth_block, store, self._processes)
            self.found = summary.of(asked, store.rows(), store.rows("synth"))
        return self._answer(self.found, store.path)

    def page_of(self, whole: Whole) -> str:
        """The answers, once there are some."""
        return super().page_of(whole) if self.found is None else page.render(self.found)

    @property
    def _processes(self) -> int:
        return self.jobs or progress.processors()

    def _costs(self, asked: Sweep) -> int:
        if self.json:
            for each in show.costs_objects(asked.points):
                report.json_line(each)
        else:
            print(show.costs_text(asked.points))
        return 0

    def _fill(self, asked: Sweep, store: Store, program: Path) -> None:
        """Run what the database lacks."""
        done = store.done()
        jobs = [job for job in asked.jobs() if job.key not in done]
        if not jobs:
            return
        total = len(jobs) + len(done)
        count = len(done)
        with (
            progress.Progress("exploring", total) as line,
            contextlib.closing(self._runs(asked, store, program, jobs)) as found,
        ):
            for answers in found:
                if answers:
                    store.add(answers)
                count += len(answers)
                line.update(count)

    def _runs(
        self, asked: Sweep, store: Store, program: Path, jobs: Sequence[Job]
    ) -> Iterator[list[Answer]]:
        if self.launcher == "slurm":
            words = cluster.words(self.slurm_options)
            return remote.run(store.path, program, asked, jobs, self.jobs, words)
        return Pool([program], asked, jobs).run(self._processes)

    def _answer(self, found: summary.Summary, path: Path) -> int:
        if self.json:
            for each in show.objects(found):
                report.json_line(each)
        else:
            print(show.text(found))
            print(f"database: {path}")
        failed = [status for word, status in FAILURES.items() if found.statuses[word]]
        measured = any(found.statuses[word] for word in summary.MEASURED)
        return int(failed[0] if failed else Status.OK if measured else Status.VACUOUS)


def _listed(text: str) -> list[str]:
    """The workloads of an option: a list, unless it is the path of a file."""
    return [text] if Path(text).is_file() else [name.strip() for name in text.split(",")]


def _area(cost: Cost) -> tuple[str, str, float, int, int]:
    return cost.point.title, cost.point.words, cost.area, cost.flops, cost.crosspoints


def _model(program: Path) -> str:
    """What tells two models apart."""
    try:
        with program.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError as error:
        message = f"{program}: {error.strerror}; build it with `warplock setup`, then repeat"
        raise WlkError(Status.NO_TOOL, message) from error


def _place(asked: Sweep, program: Path) -> Path:
    """Where a sweep is kept when nobody says."""
    outputs.make_folder(FOLDER)
    return FOLDER / f"{asked.digest[:12]}-{_model(program)[:8]}.sqlite"
