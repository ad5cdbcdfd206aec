# SPDX-License-Identifier: Apache-2.0
"""`warplock opndcoll --summary`: worked examples, and all recordings counted again.

The examples are those of the spec (§13). The second count reads the recorded text alone: events and
states as the original printed them.
"""

import json
import lzma
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import programs
import pytest
from wlk.base.errors import Status
from wlk.run import opndcoll_summary

TOOL = "dpi/wlk-opndcoll"


def counted(*words: object, stdin: str | None = None) -> dict:
    done = programs.run(
        TOOL, *words, "--summary", *(["-"] if stdin is not None else []), stdin=stdin
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def example(commands: str, config: str = "qv100", revision: str = "v40", more: Path | None = None):
    """The counts of commands, written with `;` between them."""
    path = more or programs.recording(f"gpgpusim/{config}.cfg")
    words = ["--config", path, "--revision", revision]
    return counted(*words, stdin=commands.replace(";", "\n"))


def configured(folder: Path, *lines: str) -> Path:
    """QV100 with other options."""
    path = folder / "a.cfg"
    text = programs.recording("gpgpusim/qv100.cfg").read_text("ascii")
    path.write_text(text + "\n" + "\n".join(lines) + "\n", "ascii")
    return path


def of_kind(counts: dict, kind: str) -> dict:
    return next(row for row in counts["kinds"] if row["kind"] == kind)


def has(row: dict, **expected: object) -> None:
    assert {name: row[name] for name in expected} == expected


# Worked examples.


def test_summary_one_instruction():
    counts = example("C;I SP 1 5 1,2,3 4;C;X 2;C;X 2;C;E SP;X 2;C;V SP;X 2")
    has(counts, steps=8, cycles=5, busy_units=[6, 2, 0, 0, 0, 0, 0, 0, 0], queue_lengths=[125, 3])
    has(counts["totals"], reads=96, writes=32, non_rf=0, conflicts=0, queued=3, stalled_ex_full=0)
    has(of_kind(counts, "SP"), issued=1, allocated=1, dispatched=1, taken=1, waiting=1, busy=2)
    assert [row["granted"] for row in counts["banks"]] == [0, 0, 0, 0, 1, 0, 1, 1] + [0] * 8
    has(counts["banks"][5], written=1, write_refused=0)


def test_summary_reads_of_one_bank_wait():
    counts = example("C;I SP 0 0 0,4,8 -;C;X 2;I SP 0 0 1,12 -;C;X 2;C;X 2")
    has(counts, busy_units=[1, 3, 2, 0, 0, 0, 0, 0, 0], queue_lengths=[91, 2, 2, 1])
    has(counts["banks"][0], granted=4, waited_read=4, waited_write=0, conflicts=3, queued=8)
    has(counts["banks"][1], granted=1, waited_read=0, conflicts=0, queued=1)
    has(counts["totals"], reads=160, waiting=2, busy=7, stalled_no_du=0)


def test_summary_writes_stop_reads_and_writes():
    counts = example("C;I SP 0 0 0,1 -;X;W 1 0 0 0,1,4;W 2 0 0 5;X;X;R 1;X")
    has(counts["banks"][0], written=2, write_refused=1, waited_write=1, waited_read=0, conflicts=1)
    has(counts["banks"][1], written=1, write_refused=1, waited_write=1, granted=1, queued=2)
    has(counts["totals"], writes=32, reads=64, queued=4)  # writes of a failed call are not counted


def test_summary_full_target_stalls(tmp_path):
    more = configured(
        tmp_path,
        "-gpgpu_operand_collector_num_units_gen 4",
        "-gpgpu_operand_collector_num_out_ports_gen 2",
        "-gpgpu_pipeline_widths 4,4,4,4,4,1,4,4,4,4,8,4,4",
    )
    commands = "I SP 0 0 - -;I SP 1 1 - -;I SP 2 2 - -;I SP 3 3 - -;X;X;E SP;X;E SP;X"
    counts = example(commands + ";I SP 0 0 - -;E SP;X;E SP;X", more=more)
    has(counts, cycles=0, busy_units=[1, 2, 1, 1, 1])
    has(of_kind(counts, "SP"), dispatched=5, taken=4, stalled_ex_full=6, stalled_no_du=0)


def test_summary_too_few_dispatch_units_stall(tmp_path):
    more = configured(tmp_path, "-gpgpu_operand_collector_num_out_ports_gen 1")
    commands = "I SP 0 0 - -;I SP 1 1 - -;I SP 2 2 - -;I SP 3 3 - -;X 5"
    has(of_kind(example(commands, more=more), "SP"), stalled_ex_full=0, stalled_no_du=6)


def test_summary_place_of_another_scheduler_stalls_in_v42():
    """Units 0 and 1 both go to slot 0 of OC_EX, and its neighbours do not help."""
    commands = "I SP 0 0 1 -;X;I SP 0 4 - -;X 2"
    has(of_kind(example(commands, revision="v42"), "SP"), dispatched=1, stalled_ex_full=1)
    has(of_kind(example(commands), "SP"), dispatched=2, stalled_ex_full=0)


def test_summary_starvation(tmp_path):
    more = configured(
        tmp_path,
        "-gpgpu_operand_collector_num_units_gen 3",
        "-gpgpu_operand_collector_num_in_ports_gen 2",
    )
    issues = "C;I INT 0 0 1 -;I MEM 1 1 2 -;I SP 3 3 3 -;I SP 2 2 4 -"
    counts = example(issues + ";C;X;I SP 0 4 5 -;X;C;X;X", more=more)
    has(of_kind(counts, "SP"), waiting=2, starved_other=0, starved_unit=0, starved_cycles=0)
    has(of_kind(counts, "MEM"), waiting=3, starved_other=1, starved_unit=1, starved_cycles=1)
    has(of_kind(counts, "INT"), waiting=3, starved_other=2, starved_unit=0, starved_cycles=1)


def test_summary_second_port_reaches_the_next_kind(tmp_path):
    """It finds no unit, although the first one's kind stands before it."""
    more = configured(tmp_path, "-gpgpu_operand_collector_num_units_gen 1")
    has(of_kind(example("I SP 0 0 - -;I MEM 0 0 - -;X", more=more), "MEM"), starved_unit=1)
    counts = example("I SP 0 0 - -;I SP 1 1 - -;I MEM 0 0 - -;X", more=more)
    has(of_kind(counts, "MEM"), starved_unit=0, starved_other=1)


def test_summary_starvation_follows_rotating_kinds(tmp_path):
    """The port that took SP turns to MEM, which finds no unit, and no more to SP."""
    narrow = [f"-gpgpu_operand_collector_num_{what}_gen 1" for what in ("units", "in_ports")]
    commands = "I SP 0 0 0 -;X;I SP 1 1 - -;I MEM 2 2 - -;X;X"
    for more, other, starved in (([], "MEM", "SP"), (["-warplock_rotate_kinds 1"], "SP", "MEM")):
        counts = example(commands, more=configured(tmp_path, *narrow, *more))
        has(of_kind(counts, starved), starved_unit=1, starved_other=0)
        has(of_kind(counts, other), starved_unit=0, starved_other=2)


def test_summary_starvation_ends_where_a_full_sub_core_is_passed(tmp_path):
    """Scheduler 0 has no unit, scheduler 1 has; in the third step both wait, then one."""
    commands = "I SP 0 0 0,4 -;I MEM 0 0 8 -;X;I SP 0 0 - -;I SP 1 1 - -;X;X"
    for more, unit in (([], 2), (["-warplock_pass_full_sub_core 1"], 1)):
        counts = example(commands, more=configured(tmp_path, *more), revision="v42")
        has(of_kind(counts, "SP"), waiting=3, starved_unit=unit, starved_other=0)


def test_summary_starved_cycles(tmp_path):
    """Each cycle stands alone, the last one counts, and what is before the first does not."""
    more = configured(tmp_path, "-gpgpu_operand_collector_num_units_gen 1")
    busy = "I SP 0 0 1,1,1,1 -;X;I SP 0 0 - -"
    counts = example(f"C;C;{busy};C;X;C;X", more=more)
    has(of_kind(counts, "SP"), waiting=3, starved_unit=2, starved_cycles=2)
    counts = example("I SP 0 0 - -;I MEM 0 0 - -;X;C", more=more)
    has(of_kind(counts, "MEM"), waiting=1, starved_unit=1, starved_cycles=0)


def test_summary_kind_without_a_port(tmp_path):
    path = tmp_path / "a.cfg"
    path.write_text("-specialized_unit_1 1,1,1,1,1,BRA\n", "ascii")
    counts = example("I SPEC1 0 0 - -;X 3;I SPEC1 0 0 - -", more=path)
    has(of_kind(counts, "SPEC1"), issued=1, issue_refused=1, waiting=3, starved_port=3)


def test_summary_one_read_a_unit_in_v32():
    counts = example("I SP 0 0 1,2,3 -;I SP 1 1 4,5 -;X 5", "gtx480", "v32")
    has(counts["totals"], granted=5, waited_unit=4, waited_read=0, queued=9, conflicts=4)
    has(counts["banks"][1], waited_unit=2)


def test_summary_of_nothing():
    counts = example("")
    has(counts, steps=0, cycles=0, queue_lengths=[0])
    assert "mean" in opndcoll_summary.render(opndcoll_summary.with_rates(counts), "nothing")


# The recordings.


def parts_of(lines: list[str]) -> Iterator[list[list[str]]]:
    """The lines of each step, states included and `S` first; each other line by itself."""
    part: list[list[str]] = []
    for words in (line.split() for line in lines if not line.startswith("#")):
        if part and words[0] in "DGAcqupr":
            part.append(words)
            continue
        if part:
            yield part
        part = [words] if words[0] == "S" else []
        if not part:
            yield [words]
    if part:
        yield part


class Recount:
    """Counts of a recording's text, by (kind or bank, name)."""

    def __init__(self, lines: list[str]) -> None:
        self.sum: dict[tuple[str, str], int] = defaultdict(int)
        self.busy: Counter[int] = Counter()
        self.queues: Counter[int] = Counter()
        self.waiting: Counter[str] = Counter()
        self.ready: dict[str, str] = {}
        self.last = 0
        for part in parts_of(lines):
            if part[0][0] == "S":
                self.step(part[1:])
            else:
                self.outside(part[0])

    def outside(self, words: list[str]) -> None:
        if words[0] == "I":
            self.sum[words[1], "issue_refused" if words[2] == "-" else "issued"] += 1
            self.waiting[words[1]] += words[2] != "-"
        elif words[0] == "E":
            self.sum[words[1], "taken"] += words[2] != "-"
        elif words[0] == "w":
            self.sum[words[3], "written" if words[4] == "+" else "write_refused"] += 1

    def step(self, lines: list[list[str]]) -> None:
        by = defaultdict(list)
        for words in lines:
            by[words[0]].append(words)
        served = {words[2] for words in by["A"]}
        for kind in self.waiting:
            self.sum[kind, "waiting"] += self.waiting[kind] > 0
            self.sum[kind, "starved"] += self.waiting[kind] > 0 and kind not in served
        for words in by["A"]:
            self.sum[words[2], "allocated"] += 1
            self.waiting[words[2]] -= 1
        for words in by["D"]:
            self.sum[words[3], "dispatched"] += 1
            self.ready.pop(words[2], None)
        for kind in self.ready.values():
            self.sum[kind, "stalled"] += 1
        self.ready = {words[1]: words[3] for words in by["c"] if words[4] == "0"}
        for words in by["c"]:
            self.sum[words[3], "busy"] += 1
        for words in by["G"]:
            self.sum[words[1], "granted"] += 1
        for words in by["q"]:
            self.sum[words[1], "queued"] += len(words) - 2
            self.queues[len(words) - 2] += 1
        self.last = sum(len(words) - 2 for words in by["q"])
        self.busy[len(by["c"])] += 1


OF_KIND = ("issued", "issue_refused", "taken", "allocated", "dispatched", "waiting", "busy")
OF_BANK = ("granted", "written", "write_refused", "queued")


@pytest.mark.parametrize("name", programs.OPNDCOLL)
def test_summary_of_a_recording_equals_that_of_its_text(name, tmp_path):
    revision, config, _ = name.split("-")
    packed = programs.recording(f"gpgpusim/{name}.stim.xz")
    stimulus = tmp_path / "a.stim"
    stimulus.write_bytes(lzma.decompress(packed.read_bytes()))
    words = ["--revision", revision, "--config", packed.with_name(f"{config}.cfg"), stimulus]
    counts = counted(*words)
    events = lzma.decompress(packed.with_name(f"{name}.events.xz").read_bytes()).decode()
    lines = events.splitlines()
    again = Recount(lines)
    for row in counts["kinds"]:
        kind = row["kind"]
        has(row, **{n: again.sum[kind, n] for n in OF_KIND})
        starved = row["starved_other"] + row["starved_unit"] + row["starved_port"]
        assert starved == again.sum[kind, "starved"]
        assert row["stalled_ex_full"] + row["stalled_no_du"] == again.sum[kind, "stalled"]
        assert row["starved_cycles"] <= starved
        assert revision != "v42" or row["starved_other"] == 0  # its ports try every kind
    for row in counts["banks"]:
        has(row, **{n: again.sum[str(row["bank"]), n] for n in OF_BANK})
        assert revision == "v32" or row["waited_unit"] == 0
    total = counts["totals"]
    waited = total["waited_read"] + total["waited_write"] + total["waited_unit"]
    assert total["granted"] + waited == total["queued"] - again.last
    assert Counter(dict(enumerate(counts["busy_units"]))) == again.busy
    assert Counter(dict(enumerate(counts["queue_lengths"][1:], 1))) == again.queues
    assert sum(counts["queue_lengths"]) == counts["steps"] * len(counts["banks"])
    footer = f"# stats reads {total['reads']} writes {total['writes']} nonrf {total['non_rf']}"
    assert lines[-1] == footer
    assert counts["cycles"] == 400


# The subcommand.


def opndcoll(*words, code=0):
    return programs.warplock("opndcoll", *words, code=code)


@pytest.fixture
def stimulus(tmp_path):
    path = tmp_path / "a.stim"
    path.write_text("C\nI SP 0 0 1,9 2\nX 2\nC\nX 2\nE SP\nV SP\n", "ascii")
    return path


def test_summary_has_the_options_that_were_used(stimulus, tmp_path):
    first, last, again = (tmp_path / name for name in ("first.cfg", "last.cfg", "again.cfg"))
    first.write_text("-gpgpu_num_reg_banks 8 -gpgpu_mem_unit_ports 3\n")
    last.write_text("-gpgpu_num_reg_banks 4 # wins\n")
    words = ("--config", first, "--config", last)
    options = json.loads(opndcoll(stimulus, *words, "--summary", "--json").out)["options"]
    assert options.startswith("# revision v40\n")
    assert {"-gpgpu_num_reg_banks 4", "-gpgpu_mem_unit_ports 3"} < set(options.splitlines())
    again.write_text(options)
    words = ("--config", again, "--summary", "--json")
    assert json.loads(opndcoll(stimulus, *words).out)["options"] == options


def test_summary_as_json_has_rates(stimulus):
    counts = opndcoll(stimulus, "--summary", "--json").json
    has(counts, revision="v40", steps=4, cycles=2)
    has(counts["per_step"], reads=16.0, waited_read=0.25)
    has(counts["per_cycle"], reads=32.0, granted=1.0)


def test_summary_as_tables(stimulus):
    lines = [line.split() for line in opndcoll(stimulus, "--summary").out.splitlines()]
    assert lines[0][-7:] == "v40: 4 steps in 2 core cycles".split()
    assert "waited_read 1 0.25 0.5".split() in lines
    assert "1 2 0 0 1 0 0 1 0.75".split() in lines  # bank 1
    assert "2 1 3.1%".split() in lines  # requests in a bank
    assert "busy units steps share".split() in lines


def test_summary_goes_with_no_events(stimulus):
    for words in (["--state"], ["--stats"], ["--diff", stimulus]):
        opndcoll(stimulus, "--summary", *words, code=Status.USAGE)
        done = programs.run(TOOL, "--summary", *words, stimulus)
        assert (done.returncode, done.stdout) == (Status.USAGE, "")


def test_summary_of_a_bad_stimulus_is_an_error(tmp_path):
    path = tmp_path / "a.stim"
    path.write_text("C\nQ\n", "ascii")
    done = opndcoll(path, "--summary", code=Status.CORRUPT)
    assert done.line.startswith(f"warplock: {path}:2: no command")
