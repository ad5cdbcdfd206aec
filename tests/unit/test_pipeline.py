# SPDX-License-Identifier: Apache-2.0
"""The pipeline picture: random programs against what the model counts, and the strict reader."""

import json
import random
from collections import Counter
from dataclasses import dataclass

import programs
import pytest
from wlk.base.errors import Status, WlkError
from wlk.gen import kernels
from wlk.run import kanata

CYCLES = 3000
UNITS = ("alu", "alu", "alu", "fpu", "mul", "sfu")  # the last two block now and then
PICTURE = programs.ROOT / "docs" / "images" / "pipeline.svg"
MACHINES = {
    "default": {"num_warps": 8, "num_pregs": 64, "rs_entries": 8},
    "no_forwarding": {"num_warps": 3, "num_pregs": 32, "rs_entries": 5, "forward_coll_issue": 0},
    "in_order": {"num_warps": 4, "num_pregs": 32, "rs_entries": 8, "in_order_per_warp": 1},
    "one_row": {"num_warps": 2, "num_pregs": 32, "rs_entries": 1},
    "one_read": {"num_warps": 4, "num_pregs": 16, "rs_entries": 4, "max_pending_reads": 1},
    "few_entries": {"num_warps": 4, "num_pregs": 128, "rs_entries": 32, "coll_entries": 1},
}


@dataclass(frozen=True)
class Instruction:
    warp: int
    pc: int
    rd: int | None
    rs: tuple[int | None, ...]
    latency: int
    unit: str

    @property
    def sources(self):
        return [r for r in self.rs if r is not None]

    def line(self):
        names = ["-" if r is None else f"x{r}" for r in (self.rd, *self.rs)]
        return f"{self.warp} {self.pc:#x} {' '.join(names)} * {self.latency} {self.unit}\n"

    def label(self):
        to = "" if self.rd is None else f"x{self.rd} "
        return f"w{self.warp} {self.pc:08x}: {to}<-" + "".join(f" x{r}" for r in self.sources)


def random_instruction(rng, warp, pc, registers):
    """One that is admitted some time: an operand at least, no register twice."""
    names = rng.sample(range(registers), 4)
    kept = [name if rng.random() < 0.6 else None for name in names]
    if not any(name is not None for name in kept):
        kept[0] = names[0]
    latency = rng.choice([1, 1, 2, 5, 20])
    return Instruction(warp, pc, kept[0], tuple(kept[1:]), latency, rng.choice(UNITS))


@dataclass
class Run:
    config: dict
    program: list
    counts: dict
    log: kanata.Log

    def of(self, op):
        """The instruction that a line of the picture shows."""
        own = [i for i in self.program if i.warp == op.thread]
        return own[op.in_sim]


def play(folder, config, seed, *words):
    rng = random.Random(seed)
    program = [
        random_instruction(rng, warp, 4 * k, config["num_pregs"])
        for warp in range(config["num_warps"])
        for k in range(150)
    ]
    text = "warplock-program 1\n" + "".join(i.line() for i in program)
    config = {"num_lanes": 1} | config
    counts, log = play_text(folder, text, config, f"cycles={CYCLES}", *words)
    return Run(config, program, counts, log)


def play_text(folder, program, config, *words):
    """What the model counts, and the picture."""
    (folder / "p.prog").write_text(program)
    log = folder / "p.kanata"
    done = programs.run(
        "tests/unit/test_pipeline",
        *(log, f"program={folder / 'p.prog'}", *words, *programs.config_words(config)),
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), kanata.read(log)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return {
        name: play(tmp_path_factory.mktemp(name), config, 11) for name, config in MACHINES.items()
    }


@pytest.fixture(params=MACHINES)
def run(request, runs):
    return runs[request.param]


def names(op):
    return [stage.name for stage in op.lane(kanata.MAIN)]


# ---- random programs ----------------------------------------------------------------------------


def test_pipeline_stages_follow_each_other(run):
    kanata.check(run.log)


def test_pipeline_shows_each_instruction_of_the_program(run):
    of_warp = Counter()
    for op in run.log.instructions:
        assert op.in_sim == of_warp[op.thread]
        of_warp[op.thread] += 1
        assert op.label == run.of(op).label()


def test_pipeline_shows_as_much_as_the_model_did(run):
    """Admissions, issues and write-backs; those to x0 are not shown."""
    ops = run.log.instructions
    assert run.counts["admitted"] == sum(names(op)[-1] != "ibuf" for op in ops) > 200
    assert run.counts["issued"] == sum(kanata.EXECUTE in names(op) for op in ops) > 200
    to_x0 = sum(run.of(op).rd == 0 and kanata.EXECUTE in names(op) for op in ops)
    shown = sum("writeback" in names(op) for op in ops)
    assert shown > 100
    assert shown <= run.counts["written"] <= shown + to_x0


@dataclass(frozen=True)
class Cell:
    """What an instruction shows in a cycle."""

    op: kanata.Instruction
    stage: str
    stall: str | None
    is_last: bool  # of its stage

    def is_older(self, other):
        return (self.op.thread, self.op.in_sim < other.op.in_sim) == (other.op.thread, True)


def columns(log):
    """The cells of each cycle."""
    found = {}
    for op in log.instructions:
        stalls = {c: s.name for s in op.lane(kanata.STALLS) for c in range(s.start, s.end)}
        for s in op.lane(kanata.MAIN):
            for c in range(s.start, s.end):
                cell = Cell(op, s.name, stalls.get(c), c == s.end - 1)
                found.setdefault(c, []).append(cell)
    return found


ROWS = ("admit", "collect", "ready")
HAZARDS = ("WAW", "WAR", "WAW+WAR")


def is_in_order(config):
    return bool(config.get("in_order_per_warp"))


def cause_of_head(cell, column, config):
    rows = sum(other.stage in ROWS for other in column)
    heads = [other for other in column if other.stage == "ibuf" and other.stall not in HAZARDS]
    chosen = [other for other in heads if other.stall != "turn"]
    if cell.stall in HAZARDS:
        return True
    if cell.stall == "turn":
        return len(chosen) == 1
    return chosen == [cell] and (rows == config["rs_entries"]) == (cell.stall == "rs_full")


def cause_of_request(cell, column, config):
    older = any(o.stage == "admit" and o.is_older(cell) for o in column) and is_in_order(config)
    asks = any(o.stage == "admit" and o.stall is None for o in column)
    if cell.stall == "RAW":
        return True
    if cell.stall == "in_order":
        return older
    return asks == (cell.stall == "coll_port") and not older


def cause_of_dispatch(cell, column, config):
    if cell.stage == "issue":
        return cell.stall == "blocked"
    older = any(o.stage in ROWS and o.is_older(cell) for o in column) and is_in_order(config)
    stuck = any(o.stage == "issue" and o.stall == "blocked" for o in column)
    if cell.stall == "in_order":
        return older
    return stuck == (cell.stall == "blocked") and not older


CAUSES = {"ibuf": cause_of_head, "admit": cause_of_request}


def test_pipeline_stalls_have_their_cause_in_the_same_cycle(run):
    """What an instruction waits for is seen in what the others show."""
    end = run.log.end
    for cycle, column in columns(run.log).items():
        for cell in column if cycle < end - 1 else []:
            if cell.stall:
                cause = CAUSES.get(cell.stage, cause_of_dispatch)
                assert cause(cell, column, run.config), (cycle, cell)


def test_pipeline_instructions_move_on_where_nothing_stalls_them(run):
    """The last cell of a stage, and no other, shows no stall; execution takes its time."""
    for cycle, column in columns(run.log).items():
        for cell in column if cycle < run.log.end - 1 else []:
            if cell.stage in ("ibuf", "admit", "ready", "issue"):
                assert cell.is_last == (cell.stall is None), (cycle, cell)


@pytest.mark.parametrize(
    ("counter", "stalls"),
    [
        ("waw", ["WAW", "WAW+WAR"]),
        ("war", ["WAR", "WAW+WAR"]),
        ("scoreboard", ["rs_full", "refused"]),
    ],
)
def test_pipeline_stalls_add_up_to_the_counters(run, counter, stalls):
    shown = [0] * run.config["num_warps"]
    for op in run.log.instructions:
        shown[op.thread] += sum(s.end - s.start for s in op.stages if s.name in stalls)
    assert shown == run.counts[counter]


def test_pipeline_unstalled_instructions_take_the_shortest_path(run):
    """muon-issue §6: from the admission 3 cycles to issue, 4 without forwarding, 2 without source.

    The request is in the last cycle of `admit`, the response in `collect`.
    """
    seen = Counter()
    for op in run.log.instructions:
        at = {stage.name: stage for stage in op.lane(kanata.MAIN)}
        fire = at["ibuf"].end - 1
        if kanata.EXECUTE not in at or any(s.end > fire for s in op.lane(kanata.STALLS)):
            continue
        if run.of(op).sources:
            wanted = 3 if run.config.get("forward_coll_issue", 1) else 4
            assert (at["admit"].end - 1, at["collect"].start) == (fire + 1, fire + 2), op
        else:
            wanted = 2
        assert at["issue"].start == fire + wanted, op
        assert at["issue"].end == at["issue"].start + 1, op
        seen[wanted] += 1
    assert len(seen) == 2
    assert max(seen.values()) >= 20, seen


def test_pipeline_execution_lasts_from_issue_to_writeback(run):
    """At least the latency; one that nobody waits for ends with its issue."""
    for op in run.log.instructions:
        if kanata.EXECUTE not in names(op) or op.is_flushed:
            continue
        [execute] = [s for s in op.stages if s.name == kanata.EXECUTE]
        if run.of(op).rd:
            assert execute.end - execute.start >= run.of(op).latency - 1
            assert names(op)[-1] == "writeback"
        else:
            assert execute.start == execute.end == op.end


def test_pipeline_raw_stalls_end_with_a_wake_up(run):
    """A producer writes a source of its consumer in the last cycle that this one waits for it."""
    wakes = 0
    for op in run.log.instructions:
        waits = [s for s in op.lane(kanata.STALLS) if s.name == "RAW"]
        ends = set()
        for number in op.producers:
            producer = run.log.instructions[number]
            [written] = [s for s in producer.stages if s.name == "writeback"]
            assert run.of(producer).rd in run.of(op).sources
            ends.add(written.end)
            wakes += 1
            assert any(s.start <= written.start < s.end for s in waits), op
        assert op.is_flushed or ends.issuperset(s.end for s in waits), op
    assert wakes >= 10


def test_pipeline_responses_come_after_a_cycle(run):
    for op in run.log.instructions:
        assert {s.end - s.start for s in op.stages if s.name == "collect"} <= {1}, op


def test_pipeline_shows_each_request_of_a_partial_collect(tmp_path):
    """Operands come as they are written; the entries of all requests but one are lost."""
    config = {"num_warps": 2, "num_pregs": 16, "coll_entries": 32, "allow_partial_collect": 1}
    log = play(tmp_path, config, 3).log
    kanata.check(log)
    again = ["ibuf", "admit", "collect", "admit", "collect"]
    assert sum(names(op)[:5] == again for op in log.instructions) >= 2


@pytest.mark.parametrize("machine", MACHINES)
def test_pipeline_reset_flushes_what_is_in_flight(tmp_path, machine):
    run = play(tmp_path, MACHINES[machine], 5, "reset_at=100")
    kanata.check(run.log)
    before = [op for op in run.log.instructions if op.start < 100]
    after = run.log.instructions[len(before) :]
    assert after
    assert min(op.start for op in after) == 101
    assert all(op.end <= 100 for op in before)
    assert {op.is_flushed for op in before if op.end < 100} == {False}
    # In the reset cycle there ends what was written back in the cycle before, too.
    flushed = [op for op in before if op.end == 100 and op.is_flushed]
    assert {"ibuf", "admit"} <= {names(op)[-1] for op in flushed}


def test_pipeline_random_programs_reach_every_stage_and_stall(runs):
    seen = Counter(
        s.name for run in runs.values() for op in run.log.instructions for s in op.stages
    )
    rare = {name: seen[name] for name in [*kanata.COLOURS, *kanata.BESIDE] if seen[name] < 20}
    assert not rare


# ---- the strict reader --------------------------------------------------------------------------

GOOD = (
    "Kanata\t0004\nC=\t0\nC\t1\nI\t0\t0\t0\nL\t0\t0\tw0 0: x1 <-\nS\t0\t0\tibuf\n"
    "C\t1\nE\t0\t0\tibuf\nS\t0\t0\tready\nS\t0\t1\tturn\n"
    "C\t1\nE\t0\t1\tturn\n"
    "C\t1\nE\t0\t0\tready\nS\t0\t0\tissue\n"
    "C\t1\nE\t0\t0\tissue\nS\t0\t0\texec\nE\t0\t0\texec\nR\t0\t0\t0\n"
)


def test_pipeline_reader_takes_a_good_log():
    log = kanata.parse(GOOD)
    kanata.check(log)
    [op] = log.instructions
    assert (op.start, op.end, log.end, op.label) == (1, 5, 5, "w0 0: x1 <-")
    assert [(s.name, s.start, s.end) for s in op.lane(kanata.STALLS)] == [("turn", 2, 3)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Kanata\t0004", "Kanata\t0003", ":1: version 0003"),
        ("Kanata\t0004", "kanata\t0004", ":1: the first line"),
        ("C=\t0", "C\t0", ":2: the second line"),
        ("C\t1\nI", "C\t0\nI", ":3: C must pass"),
        ("C\t1\nI", "C\t1\t\nI", ":3: C has 1 columns"),
        ("C\t1\nI", "C\t01\nI", ":3: '01' is not a decimal"),
        ("C\t1\nI", "C\t-1\nI", ":3: '-1' is not a decimal"),
        ("C\t1\nI", "\nI", ":3: no command ''"),
        ("I\t0\t0\t0", "I\t1\t0\t0", ":4: the next instruction is 0"),
        ("I\t0\t0\t0", "I\t0\t0", ":4: I has 3 columns"),
        ("I\t0\t0\t0\n", "", ":4: instruction 0 has not begun"),
        ("L\t0\t0", "L\t0\t3", ":5: 3 is not one of 0, 1"),
        ("S\t0\t0\tibuf", "S\t0\t0\t ibuf", ":6: ' ibuf' is no name"),
        ("S\t0\t0\tibuf", "S\t0\tmain\tibuf", ":6: 'main' is not a decimal"),
        ("S\t0\t0\tibuf", "S 0 0 ibuf", ":6: no command 'S 0 0 ibuf'"),
        ("E\t0\t0\tibuf\n", "", ":8: ibuf has not ended"),
        ("E\t0\t1\tturn", "E\t0\t1\tRAW", ":12: RAW has not started"),
        ("E\t0\t1\tturn\n", "", ": instruction 0 ends within a stage"),
        ("R\t0\t0\t0", "R\t0\t1\t0", ":20: the next to retire is 0"),
        ("R\t0\t0\t0", "R\t0\t0\t2", ":20: 2 is not one of 0, 1"),
        ("R\t0\t0\t0", "R\t0\t0\t0\nS\t0\t0\tibuf", ":21: instruction 0 has ended"),
        ("R\t0\t0\t0", "W\t0\t0\t0", ":20: instruction 0 waits for itself"),
        ("R\t0\t0\t0", "W\t0\t1\t0", ":20: instruction 1 has not begun"),
        ("R\t0\t0\t0\n", "", "instruction 0 has no R"),
        ("R\t0\t0\t0\n", "R\t0\t0\t0", "the last line does not end"),
    ],
)
def test_pipeline_reader_refuses(old, new, message):
    assert GOOD.count(old) == 1
    with pytest.raises(WlkError, match=message):
        kanata.parse(GOOD.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ready", "admit", "issue follows admit"),
        ("exec", "eXec", "eXec follows issue"),
        ("turn", "WAW", "WAW stands beside"),
        ("0\t1\tturn", "0\t2\tturn", "a lane that is neither"),
        ("E\t0\t0\tready\nS\t0\t0\tissue", "S\t0\t1\tturn\nE\t0\t1\tturn\nE\t0\t0\tready\nC\t1"
         "\nS\t0\t0\tissue", "issue does not start where ready ends"),
        ("C\t1\nE\t0\t0\tissue", "E\t0\t0\tissue", "issue is of no length"),
        ("S\t0\t0\texec\nE\t0\t0\texec\n", "", "the end follows issue"),
        ("R\t0", "C\t1\nR\t0", "no stage in its first cycle or its last"),
    ],
)  # fmt: skip
def test_pipeline_check_refuses_what_the_stage_does_not_do(old, new, message):
    assert old in GOOD
    log = kanata.parse(GOOD.replace(old, new))
    with pytest.raises(WlkError, match=message):
        kanata.check(log)


def test_pipeline_command_checks_and_draws(tmp_path, capsys):
    log, drawing = tmp_path / "p.kanata", tmp_path / "p.svg"
    log.write_text(GOOD)
    assert kanata.main([str(log), "--svg", str(drawing), "--cycles", "1..4"]) == 0
    assert "1 instructions, 0 of them flushed, 5 cycles" in capsys.readouterr().out
    text = drawing.read_text()
    assert "w0 0: x1 &lt;-" in text
    assert kanata.COLOURS["ready"] in text
    for words in ([tmp_path / "none.kanata"], [log, "--svg", tmp_path / "none" / "p.svg"]):
        with programs.error(Status.NO_FILE):
            kanata.main(list(map(str, words)))


def test_pipeline_picture_of_the_documents_is_up_to_date(tmp_path):
    program = kernels.text("divergent_reduction", {"warps": 2, "registers": 64})
    _, log = play_text(tmp_path, program, {"num_warps": 2, "num_pregs": 64})
    drawing = tmp_path / "pipeline.svg"
    drawing.write_text(kanata.svg(log, range(6, 26), range(53, 102)))
    assert PICTURE.read_text() == drawing.read_text(), f"cp {drawing} {PICTURE}"
