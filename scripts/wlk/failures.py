# SPDX-License-Identifier: Apache-2.0
"""What a failing run leaves: the report, the shrunk stimulus, the waveform, the command."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable
from pathlib import Path

from . import harness, outputs, report
from .errors import Status, WlkError
from .jobs import Job

WAVE_BEFORE, WAVE_AFTER = 50, 10
WAVE_FILE = "wave.fst"
LONGEST_NAME = 100  # of a configuration, in the name of a folder


def command_line(job: Job, seed: int) -> str:
    """The command that repeats one seed."""
    args = job.args
    words = ["scripts/warplock", "lockstep", job.table.name]
    for path in args.rtl:
        words += ["--rtl", str(path)]
    if args.module:
        words += ["--module", args.module]
    words += [w for d in args.define for w in ("--define", d)]
    words += [w for d in args.include for w in ("--include", str(d))]
    words += [w for text in _pinned(job) for w in ("--config", text)]
    words += ["--seeds", f"{seed}..{seed}"]
    words += ["--cycles", str(args.cycles)] if args.cycles else []
    words += ["--program", str(args.program)] if args.program is not None else []
    words += ["--bind", "stage"] if job.table.instances and args.bind == "stage" else []
    words += ["--waves"]
    if args.profile != "mix":
        words += ["--profile", args.profile]
    if args.power_up != "random":
        words += ["--power-up", args.power_up]
    if args.verilator != "system":
        words += ["--verilator", args.verilator]
    return shlex.join(words)


def _pinned(job: Job) -> list[str]:
    """key=value of each parameter that is no default, or that the ports do not settle."""
    usual = job.table.show(job.table.defaults())
    params = job.matched.params.values() if job.matched is not None else ()
    loose = {item.name for item in params if item.how == "given" or item.ambiguous}
    shown = job.table.show(job.config).items()
    return [f"{key}={value}" for key, value in shown if value != usual[key] or key in loose]


def _folder(job: Job) -> Path:
    name = report.file_name(job.name)
    if len(name) > LONGEST_NAME:
        name = f"{name[:LONGEST_NAME]}-{hashlib.sha256(job.name.encode()).hexdigest()[:8]}"
    place = job.args.reports / f"{job.table.name}-{name}"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot make {place}: {error.strerror}; name another folder with --reports"
        raise WlkError(Status.NO_FILE, message) from error
    return place


def _header(job: Job, seed: int) -> str:
    return json.dumps(
        {
            "block": job.table.name,
            "schema": f"{job.table.schema_hash():016x}",
            "model_version": job.table.model_version,
            "config": job.table.plain(job.config),
            **({"members": job.table.members_text()} if job.table.members else {}),
            "source": "shrink",
            "power_up": "zero" if job.args.power_up == "zero" else "unknown",
            "seed": seed,
            "profile": job.args.profile,
        }
    )


def write(job: Job, build: Callable[..., Path], answer: dict) -> list[str]:
    """Report, shrunk stimulus and waveform of the first failing seed."""
    seed = answer.get("seed", job.args.seeds[0])
    place = _folder(job)
    text = place / "report.txt"
    stimulus = place / "stimulus.wlv"
    for old in (text, stimulus, place / WAVE_FILE):  # of a run before this one
        old.unlink(missing_ok=True)
    words = harness.words(job, first=seed, last=seed, shrink=stimulus)
    harness.run(job, build(), [*words, f"header={_header(job, seed)}"])
    told = answer["report"].rstrip()
    told += f"\n  repeat: {command_line(job, seed)}"
    with outputs.atomic_write(text) as file:
        print(told, file=file)
    first = answer.get("failure", {}).get("first") or answer.get("assertion", {})
    waves = write_waves(job, build, seed, first.get("cycle"))
    messages = [told, f"  report: {text}"]
    if stimulus.is_file():
        messages.append(f"  shrunk stimulus: {stimulus}")
    return messages + waves


def write_waves(job: Job, build: Callable[..., Path], seed: int, cycle: int | None) -> list[str]:
    """An FST of cycles [-50, +10] around `cycle`, or of the whole seed, by running it again."""
    place = _folder(job) / WAVE_FILE
    draft = place.with_name(WAVE_FILE + ".partial")
    try:
        program = build(trace=True)
    except WlkError as error:  # must not hide the verdict
        return [f"  no waveform: {error.message}"]
    around = {}
    if cycle is not None:
        around = {"from": max(0, cycle - WAVE_BEFORE), "to": cycle + WAVE_AFTER}
    harness.run(job, program, harness.words(job, first=seed, last=seed, waves=draft, **around))
    draft.replace(place)
    return [f"  waveform: {place}"]
