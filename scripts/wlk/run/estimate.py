# SPDX-License-Identifier: Apache-2.0
"""How far a set of lockstep runs is, and how long the rest may take.

Builds and runs of a block take as long as the last ones did, which build/durations.json keeps; a
block that was never run is guessed by its size.
"""

import contextlib
import json
import time
from collections.abc import Sequence

from ..base import outputs, setup
from ..base.errors import WlkError
from .jobs import RUNNING, WAITING, Job

FILE = "durations.json"
BUILD_START, BUILD_LINES = 3.0, 3000.0  # seconds of any build; lines of RTL that add one more
CYCLE = 5e-6  # seconds of a cycle of a block that was never run
SHOWN = 3  # runs that the line names


class Estimate:
    """Of the runs of one command. `jobs`: how many work at a time. `names`: what the line calls
    them, if not by their titles."""

    def __init__(self, plan: Sequence[Job], jobs: int, names: Sequence[str] = ()) -> None:
        self.plan, self.jobs = plan, jobs
        self.names = names or [job.title for job in plan]
        self.path = setup.BUILD / FILE
        self.known: dict[str, float] = {}
        with contextlib.suppress(OSError, ValueError):
            self.known = dict(json.loads(self.path.read_text(encoding="utf-8")))
        self.builds = {job.title: self._build(job) for job in plan}

    def _build(self, job: Job) -> float:
        """Seconds of a build: as the last one, or by the size of its RTL."""
        lines = sum(path.read_bytes().count(b"\n") for path in job.rtl.files)
        return self.known.get(f"build {job.table.name}") or BUILD_START + lines / BUILD_LINES

    def note(self) -> str:
        """What is being done, and the time left."""
        named = zip(self.plan, self.names, strict=True)
        busy = [(job, name) for job, name in named if job.stage not in (WAITING, "")]
        words = [self._words(job, name) for job, name in busy[:SHOWN]]
        words += [f"{len(busy) - SHOWN} more"] if len(busy) > SHOWN else []
        return f"{', '.join(words)}; about {self.left():.0f} s left" if words else ""

    def _words(self, job: Job, name: str) -> str:
        share = f" {100 * job.done // job.total} %" if job.stage == RUNNING and job.total else ""
        return f"{job.stage} {name}{share}"

    def left(self) -> float:
        """Seconds that the rest may take."""
        each = [self.of(job) for job in self.plan]
        return max(sum(each) / max(1, self.jobs), max(each, default=0.0))

    def of(self, job: Job) -> float:
        """Seconds that the rest of a job may take, if it had the machine for itself."""
        if not job.stage:
            return 0.0
        now = time.monotonic() - job.since
        run = job.total * self.known.get(f"cycle {job.table.name}", CYCLE)
        if job.stage == RUNNING:
            share = job.done / job.total if job.total else 0.0
            run = now / share if share > 0.1 else run
            return max(0.0, run - now)
        build = self.builds[job.title]
        if job.stage == WAITING:
            return build + run
        return max(build - now, now / 3) + run  # late already: it may well become later

    def keep(self) -> None:
        """For the next command. That it cannot be kept harms nobody."""
        for job in self.plan:
            build = sum(s for stage, s in job.spent.items() if stage != RUNNING)
            if build > 1.0:  # else it was there already
                self.known[f"build {job.table.name}"] = round(build, 1)
            if job.done and job.spent.get(RUNNING, 0.0) > 0.1:
                self.known[f"cycle {job.table.name}"] = job.spent[RUNNING] / job.done
        with contextlib.suppress(OSError, WlkError), outputs.atomic_write(self.path) as f:
            json.dump(self.known, f)
