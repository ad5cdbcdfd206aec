# SPDX-License-Identifier: Apache-2.0
"""Plan and execute lockstep runs: which RTL, which parameters, which seeds, and what came out."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import hashlib
import itertools
import json
import re
import shlex
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import gen_stage, inside, match, progress, report, setup, tables, verilate
from .errors import Status, WlkError
from .gen_sv import Harness
from .inside import Inside
from .report import Mismatch, Result
from .tables import Config, Table

STUBS = setup.ROOT / "rtl_stub"
PROBE_CYCLES = 4000
MAX_CANDIDATES = 256  # configurations that are tried
WAVE_BEFORE, WAVE_AFTER = 50, 10
KEPT_LINES, SHOWN_LINES = 200, 10  # of what the RTL prints; kept: from both ends
WAVE_FILE = "wave.fst"
LONGEST_NAME = 100  # of a configuration, in the name of a folder
FAILED = re.compile("%(?:Error|Fatal): ")
VERDICTS = {report.verdict_name(s): s for s in report.VERDICTS}


@dataclass
class Job:
    """One configuration of one block against one module."""

    table: Table
    config: Config
    name: str  # of the configuration
    rtl: verilate.Rtl
    args: argparse.Namespace
    present: list[str]
    matched: match.Match | None = None
    candidates: list[Config] = field(default_factory=list)
    inside: list[Inside] = field(default_factory=list)  # whose checkers are bound too
    notes: list[str] = field(default_factory=list)
    done: int = 0
    keep: bool = True  # write report, shrunk stimulus and waveform of a failure

    @property
    def title(self) -> str:
        return f"{self.table.name} {self.name}"

    @property
    def total(self) -> int:
        return len(self.args.seeds) * self.args.cycles


@dataclass
class Outcome:
    """A run's result and what a person should read."""

    result: Result
    messages: list[str] = field(default_factory=list)
    seconds: float = 0.0


# ---- planning -----------------------------------------------------------------------------------


def list_blocks(as_json: bool) -> int:
    """Every block with its parameters, the source of its rules, and how far it is confirmed."""
    table = report.Table("block", "module", "spec", "status", "parameters")
    for name in tables.names():
        block = tables.load(name)
        said = {key: block.describe(key) for key in block.settings()}
        params = ", ".join(f"{key}={default}" for key, (default, _, _) in said.items())
        if as_json:
            values = {key: legal for key, (_, legal, _) in said.items()}
            report.json_line(
                {
                    "block": name,
                    "module": block.module,
                    "spec": block.spec,
                    "status": block.status,
                    "params": values,
                    "configs": block.configs,
                }
            )
        table.add(name, block.module, block.spec, block.status, params)
    if not as_json:
        table.print()
    return 0


def plan(args: argparse.Namespace) -> list[Job]:
    """The jobs asked for. Fails with one line that names what is wrong."""
    names = args.blocks or tables.names()
    if args.rtl and len(names) > 1:
        raise WlkError(Status.USAGE, "--rtl goes with one block; name it: lockstep BLOCK --rtl ...")
    jobs: list[Job] = []
    for name in names:
        table = tables.load(name)
        jobs += [_rtl_job(table, args)] if args.rtl else _stub_jobs(table, args)
    return jobs


def given_config(table: Table, words: Sequence[str]) -> dict[str, str | int]:
    """--config words: names of the table's configurations and key=value, later ones win."""
    given: dict[str, str | int] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if equals:
            given[key] = value
        elif word in table.configs:
            given |= table.configs[word]
        else:
            known = ", ".join(table.configs)
            raise WlkError(
                Status.BAD_CONFIG,
                f"config: {table.name} has no configuration '{word}'; it has {known}, "
                "or give KEY=VALUE",
            )
    table.config(given)  # says what is not legal
    return given


def _stub_jobs(table: Table, args: argparse.Namespace) -> list[Job]:
    chosen = {" ".join(args.config): given_config(table, args.config)} if args.config else {}
    if args.program is not None or args.pipeline is not None:  # of one configuration
        chosen = chosen or dict([next(iter(table.configs.items()))])
    jobs = []
    for name, given in (chosen or table.configs).items():
        config = table.config(given)
        files = write_stub(table, config)
        present = [p.name for p in table.ports(config)]
        job = Job(
            table,
            config,
            name,
            verilate.Rtl(files, table.module),
            args,
            _clocked(table, present),
        )
        if args.bind == "all":
            job.inside = inside.of_stub(table, config)
        jobs.append(job)
    return jobs


def _clocked(table: Table, present: Iterable[str]) -> list[str]:
    return [*present, *([table.clock] if table.clock else [])]


def stub_files(table: Table) -> list[Path]:
    """The hand-written files of a block's stub and of the blocks inside it."""
    blocks = gen_stage.blocks(table)
    found = [path for block in blocks for path in sorted((STUBS / block.name).glob("*.sv"))]
    shared = {path.stem: path for path in (STUBS / "common").glob("*.sv")}
    found += [shared.pop(core) for core in dict.fromkeys(b.core for b in blocks if b.core)]
    for path in found:  # grows: a shared module may use others
        used = set(re.findall(r"\w+", path.read_text(encoding="utf-8"))) & shared.keys()
        found += [shared.pop(name) for name in sorted(used)]
    return found


def write_stub(table: Table, config: Config) -> list[Path]:
    """The stub of a configuration: the generated modules, then the hand-written files."""
    shown, usual = table.show(config), table.show(table.defaults())
    changed = [f"{k}-{shown[k]}" for k in shown if shown[k] != usual[k]]
    place = setup.BUILD / "stubs" / table.name / (_file_name(",".join(changed)) or "default")
    files = []
    for module, text in gen_stage.module_texts(table, config).items():
        files.append(place / f"{module}.sv")
        if not files[-1].is_file() or files[-1].read_text(encoding="utf-8") != text:
            place.mkdir(parents=True, exist_ok=True)
            with setup.locked("stubs"), progress.atomic_write(files[-1]) as file:
                file.write(text)
    return [*files, *stub_files(table)]


def _rtl_job(table: Table, args: argparse.Namespace) -> Job:
    from . import rtl  # needs slang, which the stub does not

    design = rtl.load(args.rtl, defines=args.define, include_dirs=args.include)
    module = design.find(args.module, table)
    module.require_complete()
    ports = [(p.name, p.direction, p.width) for p in module.ports()]
    given = given_config(table, args.config)
    found = match.match(table, ports, given)
    table = found.table
    if not found.ok:
        print(match.render_differences(found), file=sys.stderr)
        found.require(f"{module.where}: module {module.name}")
    source = verilate.Rtl(
        list(design.files_for(module)),
        module.name,
        [Path(p) for p in design.include_dirs],
        list(design.defines),
        list(design.included),
    )
    name = " ".join(args.config) or module.name
    job = Job(table, found.config, name, source, args, _clocked(table, found.present), found)
    if args.bind == "all":
        job.inside, job.notes = inside.of_rtl(design, module, found, given)
    job.candidates = _candidates(found)
    job.config = job.candidates[0]
    return job


def _candidates(found: match.Match) -> list[Config]:
    """Configurations the ports leave open in parameters a rule reads; the likeliest first. Those of
    lists are too many: they follow one by one."""
    loose = [item for item in found.params.values() if item.ambiguous]
    loose = [item for item in loose if not found.table.params[item.name].list_of]
    values = [sorted(item.possible, key=lambda v, i=item: v != i.value) for item in loose]
    names = [item.name for item in loose]
    each = (found.config | dict(zip(names, v, strict=True)) for v in itertools.product(*values))
    chosen = list(itertools.islice(each, MAX_CANDIDATES))
    legal = [config for config in chosen if found.table.refusal(config) is None]
    if not legal:
        found.table.require(found.config)
    return legal


def total_cycles(jobs: Iterable[Job]) -> int:
    """Cycles the jobs will run."""
    return sum(job.total for job in jobs)


def done_cycles(jobs: Iterable[Job]) -> int:
    """Cycles the jobs have run."""
    return sum(job.done for job in jobs)


# ---- executing ----------------------------------------------------------------------------------


def execute(job: Job) -> Outcome:
    """Build and run a job."""
    harness = Harness(job.table, job.config, job.present, job.rtl.top)
    bound = [harness, *(each.harness(job.config) for each in job.inside)]
    tool = verilate.find_tool(job.args.verilator)
    build = functools.partial(verilate.bench, harness, job.rtl, bound=bound, tool=tool)
    try:
        program = build()
    except WlkError as error:
        if error.status != Status.BUILD_FAIL:
            raise
        return Outcome(_result(job, Status.BUILD_FAIL, {}), [f"{job.title}: {error.message}"])
    inferred = _infer(job, program)
    start = time.monotonic()
    answer, words = _run_bench(job, program, _words(job, pipeline=job.args.pipeline))
    seconds = time.monotonic() - start
    status = VERDICTS[answer["verdict"]]
    result = _result(job, status, answer, inferred, seconds)
    outcome = Outcome(result, _notes(job, answer, inferred), seconds)
    if job.keep and status in (
        Status.FUNCTIONAL_MISMATCH,
        Status.TIMING_DIVERGENCE,
        Status.PROTOCOL_VIOLATION,
        Status.HANG,
    ):
        outcome.messages += _write_failure(job, build, answer)
    elif job.args.waves:
        outcome.messages += _write_waves(job, build, job.args.seeds[0], None)
    outcome.messages += _rtl_words(words)
    return outcome


def replay(
    table: Table, config: Config, path: Path, power_up: str, args: argparse.Namespace
) -> Result:
    """Drive RTL with the inputs of a record file. `args`: rtl, module, define, include."""
    words = [f"{key}={value}" for key, value in table.show(config).items()]
    settings = argparse.Namespace(
        rtl=args.rtl,
        module=args.module,
        define=args.define,
        include=args.include,
        config=words,
        seeds=range(1, 2),
        cycles=1,
        profile="mix",
        power_up="zero" if power_up == "zero" else "random",
        verilator="system",
        bind="stage",
        program=None,
        pipeline=None,
    )
    job = _rtl_job(table, settings)
    harness = Harness(table, job.config, job.present, job.rtl.top)
    program = verilate.bench(harness, job.rtl)
    answer, _ = _run_bench(job, program, _words(job, replay=path))
    result = _result(job, VERDICTS[answer["verdict"]], answer)
    return dataclasses.replace(result, extra={"file": str(path), "match": job.matched.kind})


def _words(job: Job, **more: object) -> list[str]:
    args = job.args
    words = {
        "first": args.seeds[0],
        "last": args.seeds[-1],
        "cycles": args.cycles,
        "profile": args.profile,
        "power_up": args.power_up,
    }
    words |= {"program": args.program} | more
    given = [f"{key}={value}" for key, value in words.items() if value is not None]
    return given + _overrides(job)


def _overrides(job: Job) -> list[str]:
    """Parameters that differ from those the bench was built with."""
    if job.matched is None:
        return []
    built = job.candidates[0]
    names = list(job.table.params)
    return [
        f"param={names.index(name)}:{value}"
        for name, value in job.config.items()
        if value != built[name]
    ]


def _run_bench(job: Job, program: Path, words: Sequence[str]) -> tuple[dict, list[str]]:
    """The bench's answer and what the RTL printed."""
    import subprocess

    said: list[str] = []
    last: deque[str] = deque(maxlen=KEPT_LINES)
    with progress.child(
        [program, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stderr:
            word, _, rest = line.partition(" ")
            if word == "progress":
                job.done = int(rest.split()[0])
            else:
                (said if len(said) < KEPT_LINES else last).append(line.rstrip())
        text = process.stdout.read()
        code = process.wait()
    if code == Status.INTERRUPTED:
        raise KeyboardInterrupt
    said += last
    try:
        answer = json.loads(text)
    except json.JSONDecodeError:
        raise _no_answer(job, code, said) from None
    if "assertion" in answer:
        answer["assertion"] += f": {_assertion_text(said)}"
    return answer, said


def _no_answer(job: Job, code: int, said: Sequence[str]) -> WlkError:
    """The bench's own complaint, or that it broke down."""
    last = said[-1] if said else f"exit code {code}"
    if last.startswith("bench: ") and code in iter(Status):
        return WlkError(Status(code), f"{job.title}: {last.removeprefix('bench: ')}")
    return WlkError(Status.MODEL_ERROR, f"{job.title}: the bench ended without an answer: {last}")


def _assertion_text(said: Sequence[str]) -> str:
    """What Verilator prints at a failed assertion: a line so marked, and indented ones."""
    start = next((n for n, line in enumerate(said) if FAILED.search(line)), None)
    if start is None:
        return "assertion failed"
    more = itertools.takewhile(lambda line: line.startswith(" "), said[start + 1 :])
    # Behind the file and the line, which the bench tells whole.
    text = " ".join([FAILED.split(said[start])[1], *more])
    return " ".join(text.partition(": ")[2].split())


def _rtl_words(said: Sequence[str]) -> list[str]:
    """What the RTL printed, or the start of it."""
    lines = [f"  the RTL says: {line}" for line in said[:SHOWN_LINES]]
    return [*lines, "  ... and more"] if len(said) > SHOWN_LINES else lines


def _infer(job: Job, program: Path) -> dict[str, str]:
    """Settle what the ports leave open by trying each candidate; says how each was found."""
    if job.matched is None:
        return {}
    how = {p.name: p.how for p in job.matched.params.values() if p.how not in ("ports", "given")}
    if not any(item.ambiguous for item in job.matched.params.values()):
        return job.table.fold(how, job.config)
    passes, job.config = _probe(job, program)
    found = "behaviour" if passes else "closest, none passes"
    for item in job.matched.params.values():
        if item.ambiguous:
            show = job.table.params[item.name].show
            values = "|".join(map(show, item.possible))
            how[item.name] = f"{found}: {show(job.config[item.name])} of {values}"
    return job.table.fold(how, job.config)


def _probe(job: Job, program: Path) -> tuple[bool, Config]:
    """The first candidate that passes a short run; if none does, the one that came furthest."""
    furthest, best = None, job.candidates[0]
    wanted, known = job.candidates, []
    while wanted:
        before = furthest
        for config in wanted:
            score = _score(job, program, config)
            if score is None:
                return True, config
            if furthest is None or score > furthest:
                furthest, best = score, config
        known += wanted
        near = _near(job, best) if furthest != before else []
        wanted = [config for config in near if config not in known]
    return False, best


def _near(job: Job, config: Config) -> list[Config]:
    """Legal configurations with another value of one of the lists' open parameters: each entry can
    be found alone, the one that differs first before the others."""
    loose = [p for p in job.matched.params.values() if p.ambiguous]
    loose = [p for p in loose if job.table.params[p.name].list_of]
    changed = [config | {item.name: value} for item in loose for value in item.possible]
    return [each for each in changed if job.table.refusal(each) is None]


def _score(job: Job, program: Path, config: Config) -> int | None:
    """How near to right a configuration is, by a short run; None: there is no difference."""
    job.config = config
    words = _words(job, last=job.args.seeds[0], cycles=PROBE_CYCLES, program=None)
    answer, _ = _run_bench(job, program, words)
    if answer["verdict"] in ("PASS", "VACUOUS"):
        return None
    failure = answer.get("failure", {})
    if job.table.clock is None:  # a first difference early on says nothing
        return -failure.get("mismatched_bits", 0)
    return failure.get("first", {}).get("cycle", 0)


# ---- what came out ------------------------------------------------------------------------------


def _first(answer: dict) -> Mismatch | None:
    first = answer.get("failure", {}).get("first")
    if first is None or "port" not in first:
        return None
    values = {k: int(first[k], 16) for k in ("expected", "got", "care")}
    return Mismatch(first["cycle"], first["port"], **values)


def _result(
    job: Job,
    status: Status,
    answer: dict,
    inferred: dict[str, str] | None = None,
    seconds: float = 0.0,
) -> Result:
    cycles = answer.get("cycles", 0)
    coverage = answer.get("coverage", {})
    wanted = [c for c in coverage.values() if c["floor"]]
    extra = {
        "name": job.name,
        "seeds": [job.args.seeds[0], job.args.seeds[-1]],
        "cycles_per_second": round(cycles / seconds) if seconds else 0,
        "coverage": coverage,
        "floors_met": sum(c["hits"] >= c["floor"] for c in wanted),
        "floors": len(wanted),
    }
    if job.matched is not None:
        extra["inferred"] = inferred or {}
        extra["match"] = job.matched.kind
        extra["not_compared"] = job.matched.missing_outputs
        extra["tied_off"] = job.matched.tied_off
    return Result(
        block=job.table.name,
        module=job.rtl.top,
        config=job.table.show(job.config),
        cycles=cycles,
        compared_bits=answer.get("compared_bits", 0),
        masked_bits=answer.get("masked_bits", 0),
        verdict=status,
        first=_first(answer),
        extra=extra | _told(job, answer),
    )


def _told(job: Job, answer: dict) -> dict:
    """What the bench tells of a failure, and the checkers it had."""
    told = {}
    fault = answer.get("failure", {})
    if fault.get("block", job.table.name) != job.table.name:
        told["at_fault"] = _at_fault(job, answer["verdict"], fault)
    if job.table.instances:
        told["checkers"] = [job.table.name, *(each.table.name for each in job.inside)]
    for key in ("seed", "assertion", "assertion_cycle", "barely_compared", "stuck"):
        if answer.get(key):
            told[key] = answer[key]
    return told


def _at_fault(job: Job, verdict: str, fault: dict) -> dict[str, str]:
    """The block that a fault is in. One inside whose inputs break a rule, before any other block
    differs, is wired wrong: that is the fault of the stage around it."""
    if verdict == Status.PROTOCOL_VIOLATION.name:
        return {"block": job.table.name, "scope": fault["scope"].rpartition(".")[0]}
    return {"block": fault["block"], "scope": fault["scope"]}


def rows(results: Iterable[Result]) -> list[tuple]:
    """Rows of the summary table; the first cell is the job's title."""
    return [
        (
            f"{r.block} {r.extra['name']}",
            r.block,
            r.extra["name"],
            r.cycles,
            r.compared_bits,
            r.masked_bits,
            f"{r.extra['floors_met']}/{r.extra['floors']}",
            r.extra["cycles_per_second"],
            r.verdict,
        )
        for r in results
    ]


def _notes(job: Job, answer: dict, inferred: dict[str, str]) -> list[str]:
    notes = [f"{job.title}: warning: {text}" for text in job.table.warnings(job.config)]
    if job.matched is not None:
        notes.append(f"{job.title}: config {job.table.text(job.config)}")
        notes += [f"  {note}" for note in job.notes]
        for name, how in inferred.items():
            if how.startswith(("behaviour", "closest")):
                notes.append(f"  {name} found by {how}; pin it with --config {name}=VALUE")
        if job.matched.missing_outputs:
            notes.append(
                "  not compared (not in the RTL): " + ", ".join(job.matched.missing_outputs)
            )
        if job.matched.tied_off:
            notes.append("  tied off (no rule reads them): " + ", ".join(job.matched.tied_off))
    low = [n for n, c in answer.get("coverage", {}).items() if c["hits"] < c["floor"]]
    if low and answer["verdict"] == "VACUOUS":
        notes.append(
            f"{job.title}: under their floors: {', '.join(low)}; run more cycles or profile mix"
        )
    if answer.get("barely_compared") and answer["verdict"] == "VACUOUS":
        notes.append(f"{job.title}: barely compared: {', '.join(answer['barely_compared'])}")
    if answer.get("assertion"):
        notes.append(f"{job.title}: an assertion of the RTL failed: {answer['assertion']}")
    return notes


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


def _file_name(text: str) -> str:
    """The text with nothing that make or a shell takes for something else."""
    return "".join(c if c.isalnum() or c in "-_=.," else "_" for c in text)


def _folder(job: Job) -> Path:
    name = _file_name(job.name)
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


def _write_failure(job: Job, build: Callable[..., Path], answer: dict) -> list[str]:
    """Report, shrunk stimulus and waveform of the first failing seed."""
    seed = answer.get("seed", job.args.seeds[0])
    place = _folder(job)
    text, draft = place / "report.txt", place / "report.txt.partial"
    stimulus = place / "stimulus.wlv"
    for old in (text, stimulus, place / WAVE_FILE):  # of a run before this one
        old.unlink(missing_ok=True)
    words = _words(job, first=seed, last=seed, report=draft, shrink=stimulus)
    _run_bench(job, build(), [*words, f"header={_header(job, seed)}"])
    told = draft.read_text(encoding="utf-8").rstrip() if draft.is_file() else f"seed {seed}"
    draft.unlink(missing_ok=True)
    if "assertion" in answer:
        told += f"\n  RTL assertion: {answer['assertion']}"
    told += f"\n  repeat: {command_line(job, seed)}"
    with progress.atomic_write(text) as file:
        print(told, file=file)
    cycle = answer.get("failure", {}).get("first", {}).get("cycle", answer.get("assertion_cycle"))
    waves = _write_waves(job, build, seed, cycle)
    messages = [told, f"  report: {text}"]
    if stimulus.is_file():
        messages.append(f"  shrunk stimulus: {stimulus}")
    return messages + waves


def _write_waves(job: Job, build: Callable[..., Path], seed: int, cycle: int | None) -> list[str]:
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
    _run_bench(job, program, _words(job, first=seed, last=seed, waves=draft, **around))
    draft.replace(place)
    return [f"  waveform: {place}"]
