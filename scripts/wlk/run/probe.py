# SPDX-License-Identifier: Apache-2.0
"""Which parameters a user's RTL has where its ports leave them open, by lockstep runs.

The search of fit/search.py names configurations; the harness runs many of them in one process.
"""

from collections.abc import Sequence
from pathlib import Path

from ..base.seeds import Seeds
from ..fit import search
from ..fit.search import Subject, Trial
from . import harness
from .jobs import Job

CYCLES = 4000  # of a seed
MOST = 512  # configurations at first: none costs a process
JUDGED = 64  # of these by more seeds
SEEDS = 8  # with which configurations are judged of which none passes


def explore(job: Job, program: Path) -> Subject | None:
    """Settle what the ports leave open, and the job's configuration; None: they leave
    nothing, or it is not to be inferred."""
    if job.matched is None or job.args.no_infer:
        return None
    subject = Subject(job.matched, job.title)
    if not subject.open:
        return None
    search.explore([[subject]], lambda wanted: _probe(job, program, [t for _, t in wanted]), MOST)
    if not subject.chosen.passed:
        judge(job, program, subject)
    job.config = subject.chosen.config
    return subject


def judge(job: Job, program: Path, subject: Subject, seed: int | None = None) -> None:
    """Choose anew by more seeds. `seed`: in which the one chosen failed behind the probe's end."""
    trials = sorted(subject.judged, key=lambda t: (t.passed, -t.failing, t.score), reverse=True)
    most = trials[0].failing + trials[0].passed  # that it passed a short run may be chance
    known = [t for t in trials if t.failing <= most][:JUDGED]
    known += [t for t in subject.trials[:1] if t not in known]
    for trial in trials:
        trial.dropped = trial not in known
    _probe(job, program, known, seed)
    search.settle([subject])


def _probe(job: Job, program: Path, trials: Sequence[Trial], seed: int | None = None) -> None:
    """Run each trial with the first seed; those that were tried before, with more of them."""
    first = job.args.seeds.first
    again = any(t.verdict for t in trials)
    span = Seeds.of([range(first, first + (SEEDS if again else 1))])
    runs = _runs(job, program, trials, span, CYCLES)
    if seed is not None and job.args.cycles:
        more = _runs(job, program, trials, Seeds.one(seed), job.args.cycles)
        runs = [a + b for a, b in zip(runs, more, strict=True)]
    for trial, answers in zip(trials, runs, strict=True):
        trial.note(answers, alone=job.table.clock is None)


def _runs(
    job: Job, program: Path, trials: Sequence[Trial], span: Seeds, cycles: int
) -> list[list[dict]]:
    """The harness's answers of each trial, a seed each."""
    words = harness.words(job, span, cycles=cycles, program=None)
    probes = [f"probe={harness.overrides(job, trial.config)}" for trial in trials]
    answer = harness.run(job, program, [*words, *probes])
    for each in (run for runs in answer["probes"] for run in runs if "first" in run):
        each["first"]["seed"] = each["seed"]
    return answer["probes"]
