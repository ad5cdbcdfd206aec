# SPDX-License-Identifier: Apache-2.0
"""What `warplock prove` does: RTL against the model or the stub of a block, or two versions of a
module.

docs/proof.md says what an answer means. Nothing is assumed of the inputs at first; only when that
is refuted by inputs that break a rule of the block is it proved again with the rules assumed.
"""

import contextlib
import dataclasses
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import tables
from ..base import options, progress, report, reports
from ..base.errors import Status, WlkError
from ..base.options import operand, option
from ..base.published import Reported
from ..base.seeds import Seeds
from ..fit import readings
from ..fit.search import Subject
from ..gen import rules, stubs
from ..model import netlist as model
from ..prove import netlist
from ..prove.engines import Answer, Limits, Values
from ..prove.netlist import Netlist, Source
from . import (
    counterexample,
    crosscheck,
    jobs,
    lockstep,
    own_blocks,
    parts,
    probe,
    verilate,
    versions,
)
from . import right as right_side
from .proof import Proof
from .question import Question, compared_ports, decide, rules_of

TIMEOUT = 600
BESIDE = 20.0  # seconds after which lockstep runs beside the engines
SEEDS, CYCLES = 20, 20_000  # of it
LEAST = 1.0  # seconds that the engines have
FLAT = 5_000  # lines of the netlist of a composed block that is proved flat at once
SHARE = 0.4  # of the time, for parts
PARTS = 2  # of a composed block that are proved at a time
POWER_UPS = ("zero", "any")
START = "registers and memories are 0 at the start, or what the RTL gives them"
FREE = "registers and memories hold any value at the start, alike where they correspond"
RESET = "then comes a cycle of reset, in which other inputs are 0 and nothing is compared"
UNCOUNTED = "lockstep found a difference that rests on other values at power-up"
OTHER_START = "from other values at power-up a simulation differs"
LEGAL_SEEDS = Seeds.of([range(1, 3)])


def _refuse_waivers(given: Sequence[Path]) -> None:
    if given:
        why = "a proof compares every output in every cycle"
        hint = "leave it out, or run `lockstep --waive`"
        raise WlkError(Status.USAGE, f"--waive {given[0]}: {why}; {hint}")


@dataclass
class Prove(jobs.Simulated, Reported):
    """Prove RTL equal to a block's model or stub, or two versions of a module, for all inputs."""

    NAME = "prove"
    WORDS = {0: "PROVED"}
    NEEDS = ("build", "rtl", "prove")
    EXAMPLE = """warplock prove my_block --blocks my_block
warplock prove collector --rtl build/DuplicatedCollector.sv --config coll_entries=2
warplock prove --rtl new/ --against old/ --module rr_arbiter --config N=8"""

    block: str | None = operand("BLOCK", "the block; none with --against", nargs="?")
    rtl: list[Path] = jobs.rtl_option()
    against: list[Path] = options.path(
        "the other version: files, folders or .f lists; no block is needed", "PATH", [], nargs="+",
        action="extend",
    )  # fmt: skip
    config: list[str] = option(
        [],
        "a named configuration or a parameter; with --against a parameter of the module; may be "
        "given several times",
        metavar="NAME|KEY=VALUE",
    )
    timeout: int = option(
        TIMEOUT,
        f"seconds to look for an answer (default: {TIMEOUT})",
        type=options.number(1),
        metavar="S",
    )
    depth: int = option(
        0,
        "cycles without a difference that are enough: then the answer is BOUNDED (default: none)",
        type=options.number(0),
        metavar="N",
    )
    no_assume: bool = option(False, "assume no rule of the block: every input is legal")
    no_reset: bool = option(
        False, "begin with power-up alone: registers are 0, and no reset need come (default: begin "
        "behind one cycle of reset)"
    )  # fmt: skip
    power_up: str = option(
        "zero",
        "values of registers and memories at power-up: zero, or any, those of both sides that "
        "correspond alike (default: zero)",
        choices=POWER_UPS,
    )
    strict: bool = options.strict()
    accept_inferred: bool = options.accept_inferred()
    no_example: bool = option(
        False, "with --against: neither write a counterexample nor play it into both versions"
    )
    waive: list[Path] = options.path(
        "refused: a proof compares every output in every cycle; `lockstep` takes waivers",
        "FILE.toml",
        [],
    )
    fresh: bool = option(False, "prove again what was proved before (build/proofs)")
    reports: Path = options.path(
        "where a counterexample is written, in a folder of its own (default: reports)",
        "DIR",
        reports.DEFAULT,
    )

    def needs(self) -> tuple[str, ...]:
        return (*self.NEEDS, *(("model",) if self.block is not None else ()), *self.tools)

    @property
    def free(self) -> bool:
        """Any value at power-up."""
        return self.power_up == "any"

    def refuse(self) -> None:
        """What does not go together, and names that nothing has."""
        _refuse_waivers(self.waive)
        if bool(self.against) == (self.block is not None):
            message = "give a BLOCK, or --against PATH with --module NAME"
            raise WlkError(Status.USAGE, f"{message}, not both" if self.against else message)
        if self.against and self.module is None:
            raise WlkError(Status.USAGE, "--against needs --module NAME: which module of both")
        for text in self.config if self.against else ():
            if "=" not in text:
                raise WlkError(Status.USAGE, f"--config {text}: with --against it is KEY=VALUE")
        if self.no_example and not self.against:
            raise WlkError(Status.USAGE, "--no-example goes with --against")
        if self.against:
            self._refuse_of_blocks()
        self._refuse_no_rtl()
        for path in (*self.rtl, *self.against):
            if not path.exists():
                raise WlkError(Status.NO_FILE, f"{path}: no such file or folder; check --rtl")
        reports.refuse(self.reports)

    def _refuse_no_rtl(self) -> None:
        """USAGE where RTL is lacking; an unknown block is named."""
        table = tables.load(self.block) if self.block is not None else None
        if self.rtl or (table is not None and model.is_modelled(table)):
            return
        what = "--against needs --rtl PATH: the new version"
        if table is not None:
            what = f"{self.block} is proved against its stub; give --rtl PATH"
        raise WlkError(Status.USAGE, what)

    def _refuse_of_blocks(self) -> None:
        """USAGE for options that mean nothing without a block."""
        self.refuse_ports("a BLOCK")
        for name in ("strict", "accept_inferred"):
            if getattr(self, name):
                flag = name.replace("_", "-")
                raise WlkError(
                    Status.USAGE, f"--{flag} goes with a BLOCK: nothing is inferred here"
                )

    def run(self) -> int:
        """Prove, and print the answer; 0 only for PROVED."""
        folder = reports.Folder(self.reports)
        proof = _of_versions(self, folder) if self.against else _of_block(self, folder)
        if self.json:
            report.json_line(proof.json())
        else:
            print(proof.text(), flush=True)
        self.entries.append(proof.entry())
        if proof.example is not None:
            with contextlib.suppress(WlkError):
                folder.finish(self.words, int(proof.verdict), [proof.json()])
        return int(proof.verdict)


Found = tuple[Answer, counterexample.Example]
Simulated = Callable[[], Found | None]  # what lockstep beside the engines has found


def _limits(asked: Prove, proof: Proof) -> Limits:
    """What is left of the time."""
    return Limits(max(LEAST, asked.timeout - proof.spent), asked.depth)


# ---- a block ------------------------------------------------------------------------------------


def _of_block(asked: Prove, folder: reports.Folder) -> Proof:
    from ..fit import alike, identity  # need slang

    start = time.monotonic()
    job, subject = _job(asked)
    table, config, found = job.table, job.config, job.matched
    report.warn(table.warnings(config))
    suspects = alike.require(job.fit.module)
    right = right_side.of(table, config)
    gold = netlist.read(Source(right.files, table.module))
    if job.is_async and table.reset is not None:
        gold = dataclasses.replace(gold, async_reset=table.reset)
    gate = netlist.read(source(job))
    compared = right.compared(compared_ports(table, config, set(found.present)))
    what = f"module {gate.source.top} and the {right.name} of {table.name} ({table.text(config)})"
    proof = Proof(what, gate.source.top, job.shown, Answer(Status.BOUNDED), table.name)
    proof.began = start
    proof.outputs, proof.missing, proof.assumptions = (
        len(compared),
        found.missing_outputs,
        _start(asked, gold, gate),
    )
    proof.notes += [f"tied: {port}={value}" for port, value in found.tied.items()]
    proof.notes += job.fit.notes
    proof.against, proof.unshown = right.kind, right.unshown
    proof.binds_left_out = job.binds_left_out
    proof.apart = identity.read_apart(job.fit.module)
    proof.suspects = suspects
    if subject is not None:
        proof.searched, proof.readings = readings.as_json(subject), readings.ambiguous(subject)
    reset = {table.reset: 1} if table.reset and gold.clock and not asked.no_reset else {}
    proof.assumptions += [RESET] if reset else []
    question = Question(gold, gate, compared, found.tied, reset, free=asked.free)
    job.args.folder = folder
    pair = question.pair(asked.verilator)
    beside = None if job.is_async else crosscheck.Beside(pair)
    place = folder.of(table.name, job.name)
    large = max(side.size for side in (gold, gate)) > FLAT
    by_parts = large and not job.is_async
    pieces = parts.of(job, source(job), compared, right) if by_parts else []
    joined = parts.joined(table, compared, right) if pieces else None
    job.fit = None  # slang complains of what is left of it at the end
    with _beside(job, bool(reset), proof.notes) as simulated:
        if not pieces or not _by_parts(asked, proof, pieces, joined, reset, simulated):
            _whole(asked, proof, question, job, simulated)
    right.require_total(proof, question, lambda: _limits(asked, proof), asked)
    may_be_illegal = beside is None or proof.rules or right.kind == "model"
    if proof.answer.verdict == Status.OK and may_be_illegal:
        _legal_opinion(proof, job, bool(reset))
    if beside is not None and not proof.rules and proof.disputed is None:
        _second_opinion(proof, pair, beside, place, free=asked.free)
    if proof.verdict == Status.OK and proof.readings and not asked.accept_inferred:
        proof.disputed = Status.AMBIGUOUS
    if asked.strict:
        found = proof.searched.get("inferred_behaviour", {})
        readings.require_pinned([(what, proof.verdict == Status.OK, found)])
    proof.close()
    return proof


def _whole(
    asked: Prove, proof: Proof, question: Question, job: jobs.Job, simulated: Simulated
) -> None:
    """Prove a block as one; where illegal inputs refute it, once more for legal ones."""
    _settle(asked, proof, question, job, simulated)
    broken = proof.example is not None and proof.example.illegal
    if broken and not asked.no_assume:
        question.rules = rules_of(job.table, job.config)
        proof.example = None
        proof.rules = [rule.name for rule in rules.rules_of(job.table, job.config)]
        _settle(asked, proof, question, job, simulated)


def _start(asked: Prove, gold: Netlist, gate: Netlist) -> list[str]:
    """What is said of the start, where there are registers."""
    return [FREE if asked.free else START] if gold.clock or gate.clock else []


def _resets(asked: Prove, gold: Netlist, gate: Netlist) -> dict[str, int]:
    """The inputs that reset both, and their values then."""
    return {} if asked.no_reset else gate.resets | gold.resets


def _by_parts(
    asked: Prove, proof: Proof, pieces: Sequence[parts.Part], joined: parts.Part | None,
    reset: Mapping[str, int], simulated: Simulated,
) -> bool:  # fmt: skip
    """Is it proved part by part? What is not is noted, and says nothing yet of the whole."""
    seen = lambda: simulated() is not None  # noqa: E731
    share = asked.timeout * SHARE
    parts.require_no_loop(pieces)
    starts = parts.starts(pieces, reset) if reset and not asked.free else {}
    if starts is None:
        return False

    def one(part: parts.Part) -> tuple[Answer, bool]:
        gold, gate = part.sides
        left = min(share, _limits(asked, proof).seconds)
        question = Question(gold, gate, part.compared, free=asked.free)
        if reset:
            question.reset = {part.reset: 1}
            question.starts = starts.get(part.name, ({}, {}))
        return decide(question, Limits(left, 0), seen, fresh=asked.fresh)

    answers = {}
    pieces = [*pieces, *([joined] if joined is not None else [])]
    for part, (answer, known) in progress.parallel(one, pieces, PARTS, lambda: None):
        answers[part.name] = (answer, known)
        if answer.verdict == Status.REFUTED:
            port = part.compared[answer.output].port.name
            proof.notes.append(f"{part.name} by itself differs in cycle {answer.depth - 1}: {port}")
        elif answer.verdict != Status.OK and not seen():
            proof.notes.append(f"{part.name} by itself is equal for {answer.depth} cycles")
    if any(answer.verdict != Status.OK for answer, _ in answers.values()):
        return False
    depth = min(answer.depth for answer, _ in answers.values())
    proof.answer = Answer(Status.OK, depth)
    proof.kept = all(known for _, known in answers.values())
    proof.notes.append(f"proved part by part: {', '.join(part.name for part in pieces)}")
    return True


def _settle(
    asked: Prove,
    proof: Proof,
    question: Question,
    job: jobs.Job,
    simulated: Simulated,
) -> None:
    """Decide it, and play the counterexample if there is one."""
    seen = lambda: simulated() is not None  # noqa: E731
    proof.answer, proof.kept = decide(question, _limits(asked, proof), seen, fresh=asked.fresh)
    if proof.answer.verdict == Status.REFUTED:
        place = job.args.folder.of(job.table.name, job.name)
        proof.example = counterexample.of_block(
            job, proof.answer, place, question.excuse, bool(question.reset)
        )
        proof.answer = dataclasses.replace(proof.answer, depth=proof.example.cycles)
    elif proof.answer.verdict != Status.OK and seen():
        proof.answer, proof.example = simulated()


def _job(asked: Prove) -> tuple[jobs.Job, Subject | None]:
    """The module with its parameters; what its ports leave open is settled by lockstep."""
    table, words = tables.load(asked.block), asked.config
    given = options.of(jobs.Simulated, asked)
    if not asked.rtl:  # its own, in place of a stub
        config = table.config(jobs.given_config(table, words))
        words = [f"{key}={value}" for key, value in table.show(config).items()]
        given = dataclasses.replace(given, rtl=stubs.write_stub(table, config), module=table.module)
    run = jobs.Run(
        **vars(given),
        blocks=[asked.block],
        config=words,
        seeds=Seeds.of([range(1, SEEDS + 1)]),
        cycles=CYCLES,
        power_up="unknown",  # with zeros, RTL may differ before the reset
        reports=asked.reports,
    )
    job, subject = jobs.rtl_job(table, run), None
    job.is_async = job.is_async or (not asked.rtl and own_blocks.is_async(table))
    if Subject(job.matched, job.title).open:
        with progress.watched("trying parameters", lambda: job.stage):
            subject = probe.explore(job, lockstep.builder(job)())
    return job, subject


def source(job: jobs.Job) -> Source:
    """The RTL of a job, to be read."""
    from ..fit.rtl import SLANG_DEFINES  # needs slang

    rtl = job.rtl
    how = {"included": [*rtl.included, *rtl.data], "undefined": SLANG_DEFINES}
    how["wrappers"] = rtl.wrappers
    return Source(rtl.files, rtl.top, rtl.include_dirs, rtl.defines, **how)


@contextlib.contextmanager
def _beside(job: jobs.Job, behind_reset: bool, notes: list[str]) -> Iterator[Simulated]:
    """Lockstep in a thread, begun after a while; what it has found, once it has. What does not show
    from the proof's start is noted, and that start is taken from then on. The outputs of the block
    alone are judged: the checkers of blocks inside would end a run before they differ."""
    seen: list[Found] = []
    outside = dataclasses.replace(job, inside=[])

    def run() -> None:
        if over.wait(BESIDE):
            return
        seed, power_up = 1, job.args.power_up
        start = "reset" if behind_reset else "zero"
        # The engines decide; at the end of the command its simulation is ended as by Ctrl-C.
        with contextlib.suppress(WlkError, KeyboardInterrupt):
            while seed <= SEEDS and not over.is_set():
                seeds = Seeds.one(seed)
                more = {"seeds": seeds, "power_up": power_up, "bind": "stage"}
                args = dataclasses.replace(job.args, **more)
                outcome = lockstep.execute(dataclasses.replace(outside, args=args, spent={}))
                if outcome.result.verdict not in jobs.FAILURES:
                    seed += 1
                    continue
                found = counterexample.of_lockstep(job, outcome, behind_reset)
                if found is not None:
                    seen.append(found)
                elif (first := outcome.result.first) is not None and not over.is_set():
                    where = f"cycle {first.cycle}, {first.port} (seed {seed})"
                    notes.append(f"{UNCOUNTED}: {where}")
                if seen or power_up == start:
                    return
                power_up = start

    over = threading.Event()
    threading.Thread(target=run, daemon=True).start()
    try:
        yield lambda: seen[0] if seen else None
    finally:
        over.set()


# ---- the second opinion -------------------------------------------------------------------------


def _second_opinion(
    proof: Proof, pair: crosscheck.Pair, beside: crosscheck.Beside, place: Path, *, free: bool
) -> None:
    """Nothing is PROVED that a simulation of the sources tells apart, and a counterexample that no
    simulation shows refutes nothing: the two readings disagree, and neither is believed. Where the
    other Verilator agrees with the netlist, it is the simulator's fault."""
    example, values = proof.example, proof.answer.values
    if proof.answer.verdict == Status.OK:
        found, pair = beside.result(), beside.pair
        if free:
            first = pair.settled() if found else None
        else:
            first = next((each for each in found if not each.ones), None)
        if first is None:
            proof.notes += [f"{OTHER_START}: {each.text()}" for each in found]
            proof.simulated = crosscheck.CYCLES * crosscheck.STARTS
            return
        values, ones = pair.stimulus(first), first.ones
        proof.example = versions.example(pair, values, place, ones=ones)
        is_alone = _shows(pair, values, ones) is False
    elif example is not None and not example.confirmed and not example.excuse:
        if pair.play(values)[0]:
            return  # the stub is not what the model is
        is_alone = _shows(pair, values) is True
    else:
        return
    proof.disputed = Status.SIMULATOR if is_alone else Status.BAD_RTL
    if is_alone:
        proof.simulators = verilate.both(pair.verilator)


def _shows(pair: crosscheck.Pair, values: Values, ones: bool = False) -> bool | None:
    """Does the other Verilator show a difference? None: it cannot be asked."""
    try:
        return bool(pair.elsewhere().play(values, ones)[0])
    except WlkError as error:
        if error.status not in (Status.NO_TOOL, Status.BUILD_FAIL):
            raise
        return None


def _legal_opinion(proof: Proof, job: jobs.Job, behind_reset: bool) -> None:
    """The same where a simulation must be of legal inputs, or has a reset that the stub has not:
    lockstep of the RTL and the model, from the proof's start. State in another code starts
    otherwise there, which shows until something is loaded: a difference counts if it is there from
    unknown state too."""
    outcomes = []
    for power_up in ("reset" if behind_reset else "zero", "unknown"):
        more = {"power_up": power_up, "bind": "stage", "seeds": LEGAL_SEEDS}
        args = dataclasses.replace(job.args, cycles=crosscheck.CYCLES, **more)
        outcome = lockstep.execute(dataclasses.replace(job, inside=[], args=args, spent={}))
        proof.simulated = outcome.result.cycles
        verdict = outcome.result.verdict
        # Where an assertion of the RTL fails all cycles are simulated, and no output differs.
        if verdict not in {Status.SIMULATOR, *jobs.FAILURES} - {Status.RTL_ASSERTION}:
            if outcomes and (first := outcomes[0].result.first) is not None:
                proof.notes.append(f"{UNCOUNTED}: cycle {first.cycle}, {first.port}")
            return
        outcomes.append(outcome)
    found = counterexample.of_lockstep(job, outcomes[0], behind_reset)
    proof.example = found[1] if found is not None else None
    is_simulator = outcomes[0].result.verdict == Status.SIMULATOR
    proof.disputed = Status.SIMULATOR if is_simulator else Status.BAD_RTL
    proof.simulators = verilate.both(job.args.verilator)


# ---- two versions -------------------------------------------------------------------------------


def _of_versions(asked: Prove, folder: reports.Folder) -> Proof:
    start = time.monotonic()
    new, old = (
        versions.version(asked, paths, asked.config) for paths in (asked.rtl, asked.against)
    )
    gate, gold = netlist.read(new.source), netlist.read(old.source)
    compared, notes = versions.compared(gold, gate)
    what = f"module {gate.source.top} of {_names(asked.rtl)} and of {_names(asked.against)}"
    config = dict(new.source.given())
    proof = Proof(what, new.source.top, config, Answer(Status.BOUNDED), notes=notes)
    proof.apart = list(dict.fromkeys([*new.apart, *old.apart]))
    proof.suspects = list(dict.fromkeys([*new.suspects, *old.suspects]))
    proof.outputs, proof.assumptions = len(compared), _start(asked, gold, gate)
    proof.binds_left_out = [
        *old.source.binds_left_out,
        *new.source.binds_left_out,
    ]
    proof.began = start
    question = Question(gold, gate, compared, reset=_resets(asked, gold, gate), free=asked.free)
    proof.assumptions += [RESET] if question.reset else []
    pair = question.pair(asked.verilator)
    beside = crosscheck.Beside(pair)
    proof.answer, proof.kept = decide(question, _limits(asked, proof), fresh=asked.fresh)
    place = folder.of("versions", asked.module)
    if proof.answer.verdict == Status.REFUTED and not asked.no_example:
        proof.example = versions.example(pair, proof.answer.values, place, question.excuse)
    _second_opinion(proof, pair, beside, place, free=asked.free)
    proof.close()
    return proof


def _names(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths))
