# SPDX-License-Identifier: Apache-2.0
"""`warplock check`: recordings of the real blocks, dumps made by hand, and bad input."""

import gzip
import itertools
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import programs
import pytest
from programs import Done
from wlk import tables
from wlk.base.errors import Status
from wlk.fit import dump as dumps
from wlk.fit import wave as dump
from wlk.run import build

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "prop"))
import adapter
import naive

pytestmark = pytest.mark.needs("gtkwave")

FAILS = Status.FUNCTIONAL_MISMATCH
STAGE = "TOP.IssueStage"
ACCEPT = "--accept-inferred"
# Bits compared from the first reset edge on: those of the CSV (tests/prop). What is masked and the
# parameters are in recordings.toml.
RECORDINGS = {
    "collector_A": 5_362_578,
    "collector_B": 818_512,
    "collector_D": 2_834_640,
    "hazard_C": 3_415_146,
    "scoreboard_A": 523_869,
    "reservation_station_A": 8_081_805,
    "reservation_station_C": 3_347_018,
    "issue_B": 8_272_153,
    "issue_E": 3_645_824,
}
# The blocks inside issue_B: bits compared and masked.
INSIDE = {
    "collector": ("collector", 801_426, 22_368),
    "hazard": ("hazard", 4_178_955, 0),
    "reservStation": ("reservation_station", 4_634_695, 146),
    "scoreboard": ("scoreboard", 203_949, 0),
}
SMALL = {"num_lanes": 2, "num_pregs": 16, "coll_entries": 2, "rs_entries": 4}
CYCLES = 200


@pytest.fixture
def check(monkeypatch):
    """Runs the command in this process, with --json."""
    folder = programs.folder()
    monkeypatch.setattr(build, "meson_build", lambda: folder)
    return lambda *words, code=None: programs.warplock("check", "--json", *words, code=code)


@pytest.fixture
def play(check, tmp_path):
    """Checks a dump of these collectors."""

    def call(*made: Block, words: Sequence[str] = (), code: int | None = None, **how) -> Done:
        return check(write_vcd(tmp_path / "made.vcd", *made, **how), *words, code=code)

    return call


# ---- dumps by hand ------------------------------------------------------------------------------


@dataclass
class Block:
    """A collector in a dump: what each of its ports shows in each cycle."""

    params: Mapping
    scope: str = "TOP.c"
    rows: list[dict[str, int | str]] = field(default_factory=list)
    widths: dict[str, int] = field(default_factory=dict)

    def put(self, cycle: int, port: str, value: int | str) -> int:
        """Change one value; returns what was there."""
        was = self.rows[cycle][port]
        self.rows[cycle][port] = value
        return was

    def set_all(self, port: str, value: int | str) -> None:
        for cycle in range(len(self.rows)):
            self.put(cycle, port, value)

    def cycle(self, **wanted: int) -> int:
        """The first cycle well after reset with these values; names without `io_`."""
        return next(
            number
            for number, row in enumerate(self.rows)
            if number > 20
            and not row["reset"]
            and all(row[f"io_{name}"] == value for name, value in wanted.items())
        )

    def named(self, pattern: str) -> list[str]:
        """The ports whose names begin so."""
        return [name for name in self.widths if re.match(pattern, name)]

    @property
    def first_reset(self) -> int:
        return next(i for i, row in enumerate(self.rows) if row["reset"])


def block(
    params: Mapping = SMALL, scope: str = "TOP.c", seed: int = 1, cycles: int = CYCLES
) -> Block:
    """The naive model as the RTL: a mixed run with a reset at its start."""
    table, model = tables.load("collector"), naive.model("collector", dict(params))
    rows, _ = adapter.stimulus(table, table.config(params), "mixed", seed, cycles)
    made = Block(params, scope, widths={p.name: p.width for p in model.ports})
    for row in rows:
        shown = {name: value for name, (value, _) in model.step(row).items()}
        made.rows.append({**row, **shown})
    return made


def hide_idle_entry(made: Block) -> list[int]:
    """X on collEntry where readData is idle, and on what shows it; answers these cycles."""
    idle = [i for i, row in enumerate(made.rows) if not row["io_readData_req_valid"]]
    shown = made.named(r"io_readData_resp_(valid|.*_data_)")
    for cycle, name in itertools.product(idle, ["io_readData_req_bits_collEntry", *shown]):
        made.put(cycle, name, "x")
    return idle


def write_vcd(
    path: Path, *blocks: Block, clock: str | None = "TOP.clock", drop: Sequence[str] = ()
) -> Path:
    """A VCD with ten units a cycle, the clock rising at +5."""
    widths = {f"{b.scope}.{n}": w for b in blocks for n, w in b.widths.items() if n not in drop}
    steps: list[tuple[int, dict]] = []
    for cycle in range(max(len(each.rows) for each in blocks)):
        values = {f"{b.scope}.{n}": value for b in blocks for n, value in b.rows[cycle].items()}
        steps += [(10 * cycle, {clock: 0} | values), (10 * cycle + 5, {clock: 1})]
    text = programs.vcd(({clock: 1} if clock else {}) | widths, steps)
    path.write_text(text, encoding="ascii")
    return path


def as_vcd(name: str) -> str:
    recording = programs.recording(f"muon/{name}.fst")
    return subprocess.run(["fst2vcd", recording], capture_output=True, text=True, check=True).stdout


def symbols(head: str) -> dict[str, tuple[str, bool]]:
    """Path of a signal below TOP -> its symbol, and whether it is a vector."""
    found, path = {}, []
    for words in map(str.split, head.splitlines()):
        if words[:1] == ["$scope"]:
            path.append(words[2])
        elif words[:1] == ["$upscope"]:
            path.pop()
        elif words[:1] == ["$var"]:
            found[".".join([*path[1:], words[4]])] = (words[3], words[5] != "$end")
    return found


def edited(tmp_path: Path, name: str, port: str, cycle: int, scope: str = "") -> tuple[Path, int]:
    """A recording as VCD with bit 0 of a port flipped in one cycle; and the value before."""
    head, _, body = as_vcd(name).partition("$enddefinitions $end\n")
    symbol, wide = symbols(head)[f"{scope}.{port}" if scope else port]
    lines, value, old = [], 0, None
    for line in body.splitlines():
        if line.startswith("#") and old is None and int(line[1:]) >= 10 * cycle + 5:
            old = value  # what the edge of the cycle samples
            lines += [f"#{10 * cycle + 4}", _change(old ^ 1, symbol, wide)]
            lines += [line, _change(old, symbol, wide)]
            continue
        if line.endswith(f" {symbol}") or (line[1:] == symbol and line[0] in "01"):
            value = int(line[1:].split()[0], 2) if line[0] == "b" else int(line[0])
        lines.append(line)
    path = tmp_path / "edited.vcd"
    path.write_text(head + "$enddefinitions $end\n" + "\n".join(lines) + "\n", encoding="ascii")
    return path, old


def _change(value: int, symbol: str, wide: bool) -> str:
    return f"b{value:b} {symbol}" if wide else f"{value}{symbol}"


# ---- recordings of the real collector -----------------------------------------------------------


def expected(name: str) -> list[dict]:
    """What a recording's answers hold, of its block and of those inside."""
    (one,) = [each for each in programs.recordings() if each.name == name]
    if one.block == "collector":  # alone it shows neither
        hidden = ("num_warps", "reg_banks")
        one = one._replace(params={k: v for k, v in one.params.items() if k not in hidden})
    rows = [("", one.block, RECORDINGS[name], one.unseen)]
    rows += [(scope, *known) for scope, known in INSIDE.items()] if name == "issue_B" else []
    return [
        {"scope": scope, "block": block, "compared_bits": compared, "masked_bits": masked}
        | {"config": shown(tables.load(block), one.params), "verdict": "PASS"}
        | {"cycles": 4000, "skipped": 1}
        for scope, block, compared, masked in rows
    ]


def shown(table: tables.Table, params: Mapping) -> dict:
    return table.show(table.defaults()) | {k: v for k, v in params.items() if k in table.params}


@pytest.mark.parametrize("name", RECORDINGS)
def test_recording_passes(check, name):
    """What only its behaviour shows is found, and accepted."""
    answers = check(programs.recording(f"muon/{name}.fst"), ACCEPT, code=0).objects
    for answer, known in zip(answers, expected(name), strict=True):
        top = f"TOP.{tables.load(answers[0]['block']).module}"
        known["scope"] = f"{top}.{known['scope']}".removesuffix(".")
        assert {key: answer[key] for key in known} == known


def inner(run: Done, name: str) -> dict:
    """The answer of a scope inside the stage, or of the stage itself."""
    scope = f"{STAGE}.{name}" if name else STAGE
    return next(a for a in run.objects if a["scope"] == scope)


def test_five_blocks_take_one_pass(check, monkeypatch):
    passes = []
    once = dump.Session.run

    def counted(self, words):
        passes.append(words)
        return once(self, words)

    monkeypatch.setattr(dump.Session, "run", counted)
    assert len(check(programs.recording("muon/issue_B.fst")).objects) == 5
    assert len(passes) == 1


def test_nested_scopes_tell_each_other_the_parameters(check):
    run = check(programs.recording("muon/issue_B.fst"))
    how = {name: inner(run, name)["inferred"] for name in ("", "collector", "reservStation")}
    assert how[""]["rs_entries"] == f"behaviour: 4 of 3|4 (ports of {STAGE}.collector)"
    assert how[""]["coll_entries"] == f"behaviour: 1 of 1|2 (ports of {STAGE}.collector)"
    assert how[""]["max_pending_reads"] == f"behaviour: 3 of 2|3 (ports of {STAGE}.hazard)"
    assert how["reservStation"]["lane_bits"] == "ports"  # of its pc
    assert how["reservStation"]["coll_entries"] == f"behaviour of {STAGE}.collector"


PASS = {"verdict": "PASS"}
COLLECTOR = ("--block", "collector")
# A recording, options, what the answer has, what is printed.
ANSWERS = {
    "alone_a_block_does_not_hear_its_relatives": (
        "issue_B", (*COLLECTOR, ACCEPT), PASS | {"inferred.rs_entries": "largest"}, []
    ),
    "choice_by_behaviour": (
        "issue_B", (*COLLECTOR, ACCEPT),
        PASS | {"inferred.coll_entries": "behaviour: 1 of 1|2", "inferred.num_lanes": "ports"},
        ["coll_entries=1 is inferred (coll_entries=2 fails: ",
         "pin it with --config coll_entries=1"],
    ),
    "choice_by_behaviour_that_is_not_accepted": (
        "issue_B", COLLECTOR,
        {"verdict": "AMBIGUOUS", "inferred.coll_entries": "behaviour: 1 of 1|2"},
        ["two readings of this RTL", "pin it with --config coll_entries=1"],
    ),
    "choice_pinned_wrongly": (
        "issue_B", (*COLLECTOR, "--config", "coll_entries=2"),
        {"inferred.coll_entries": "given", "first.port": "io_readReq_ready"}, []
    ),
    "parameters_without_a_port_are_searched": (
        "issue_E", (ACCEPT,),
        {"inferred.rs_entries": "search: 2 of 1..32",
         "inferred.max_pending_reads": "search: 1 of 1..255"},
        ["rs_entries=2", "is inferred (", "--config max_pending_reads=1"],
    ),
    "scope_that_is_named": ("collector_A", (*COLLECTOR, "--scope", "TOP"), PASS, []),
}  # fmt: skip


@pytest.mark.parametrize(("name", "words", "shown", "parts"), ANSWERS.values(), ids=ANSWERS)
def test_answer_of_a_recording(check, name, words, shown, parts):
    run = check(programs.recording(f"muon/{name}.fst"), *words)
    answer = run.json
    assert run.code == Status[answer["verdict"].replace("PASS", "OK")]
    for key in ("inferred", "first"):
        answer |= {f"{key}.{each}": value for each, value in answer.get(key, {}).items()}
    assert {key: answer[key] for key in shown} == shown
    assert [part for part in parts if part not in run.err] == []


@pytest.mark.parametrize(
    ("scope", "port", "cycle"),
    [
        ("collector", "io_readReq_ready", 900),
        ("collector", "io_readData_resp_bits_0_data_0", 3000),
        ("hazard", "io_rsAdmit_bits_ibufEntry_uop_pc", 1200),
        ("reservStation", "io_collector_readReq_bits_rsEntryId", 700),
        ("scoreboard", "io_updateColl_success", 2500),
        ("scoreboard", "io_hazard_warps_2_readRd_pendingReads", 1800),
    ],
)
def test_damaged_wire_inside_names_its_block(check, tmp_path, scope, port, cycle):
    """Whoever reads the wire may then differ, too, but later."""
    dumped, _ = edited(tmp_path, "issue_B", port, cycle, f"IssueStage.{scope}")
    run = check(dumped, ACCEPT, code=FAILS)
    assert inner(run, "")["verdict"] == "PASS"
    assert {"cycle": cycle, "port": port}.items() <= inner(run, scope)["first"].items()
    failed = [a for a in run.objects if a["verdict"] != "PASS"]
    assert [a["scope"] for a in failed if a["first"]["cycle"] <= cycle] == [f"{STAGE}.{scope}"]
    (known,) = [each for each in expected("issue_B") if each["scope"] == scope]
    assert inner(run, scope)["config"] == known["config"]


def test_damaged_wire_of_the_stage_fails_the_stage(check, tmp_path):
    dumped, _ = edited(tmp_path, "issue_B", "io_operands_1_0", 2000, "IssueStage")
    run = check(dumped, ACCEPT)
    assert [a["block"] for a in run.objects if a["verdict"] != "PASS"] == ["issue"]
    assert inner(run, "")["first"]["port"] == "io_operands_1_0"
    assert inner(run, "")["config"]["rs_entries"] == 4  # those inside still show it


def test_mismatch_names_what_was_only_a_default(check):
    run = check(programs.recording("muon/issue_E.fst"), "--config", "rs_entries=3")
    assert (run.code, run.json["first"]["cycle"]) == (1, 82)
    assert run.json["inferred"]["max_pending_reads"] == "default: 7 of 1..255"
    above, _, report = run.err.partition(f"\nissue {STAGE}: FUNCTIONAL_MISMATCH in cycle 82")
    *_, line, advice = above.splitlines()
    assert line.startswith(
        "only defaults, no port shows them: coll_entries=2 of 1..32, max_pending_reads=7 of 1..255;"
        " a search along single parameters found"
    )
    assert "--config" in advice and report


def test_defaults_that_pass_are_listed_in_one_line(check, tmp_path):
    """The first 40 cycles of the stage do not need more than the defaults offer."""
    text = as_vcd("issue_E")
    dumped = tmp_path / "short.vcd"
    dumped.write_text(text[: text.index("#400\n")], encoding="ascii")
    run = check(dumped, "--block", "issue")
    assert run.json["verdict"] == "PASS"
    warned = [line for line in run.err.splitlines() if "no port shows them" in line]
    assert len(warned) == 1 and len(warned[0]) < 200
    assert "rs_entries=8 of 1..32" in warned[0] and "--config KEY=VALUE" in warned[0]


def test_configuration_that_is_illegal_together_is_refused(check):
    words = ["--config", "rs_entries=3", "--config", "in_order_per_warp=1"]
    run = check(programs.recording("muon/issue_B.fst"), *words)
    refused(run, Status.BAD_CONFIG, "rs_entries=3 is less than num_warps=4", STAGE)


def test_warning_is_printed_once_for_a_scope(check):
    run = check(programs.recording("muon/scoreboard_B.fst"))
    for part in (
        "warning: max_pending_reads=1: an instruction that names one",
        "is never admitted",
    ):
        assert run.err.count(part) == 1
    assert "warning" not in check(programs.recording("muon/scoreboard_A.fst")).err


def test_many_instances_take_several_passes(play, monkeypatch):
    monkeypatch.setattr(dump, "MAX_INSTANCES", 3)
    made = [block(scope=f"TOP.c{n}", seed=n) for n in range(3)]
    answers = play(*made, code=0).objects
    assert [a["scope"] for a in answers] == [f"TOP.c{n}" for n in range(3)]


def test_tool_refuses_more_words_than_it_takes(tmp_path):
    words = "".join("--instance\nblock=collector\n" for _ in range(99_999))
    done = programs.run("dpi/wlk-check", "session", small_fst(tmp_path), stdin=words)
    assert done.returncode == Status.USAGE
    assert "more than" in done.stderr


def test_recording_as_vcd_compares_the_same(check, tmp_path):
    dump = programs.recording("muon/collector_B.fst")
    vcd = tmp_path / "b.vcd"
    with vcd.open("wb") as file:
        subprocess.run(["fst2vcd", dump], stdout=file, check=True)
    assert check(vcd).json["compared_bits"] == RECORDINGS["collector_B"]


def test_zero_power_up_masks_nothing(check):
    """collector_A starts with every register and memory word zero."""
    answer = check(programs.recording("muon/collector_A.fst"), "--power-up", "zero").json
    assert (answer["verdict"], answer["masked_bits"], answer["skipped"]) == ("PASS", 0, 0)


def test_choice_that_the_dump_leaves_open_is_reported(play):
    made = block({**SMALL, "coll_entries": 4}, cycles=30)
    rows = enumerate(made.rows)
    third = next(i for i, row in rows if i > 4 and row["io_readResp_bits_collEntry"] >= 2)
    del made.rows[third:]  # from here on three entries are taken
    hide_idle_entry(made)  # an idle collEntry of 3 would show it
    run = play(made)
    assert run.json["inferred"]["coll_entries"] == "largest: 4 of 3|4, 3 would pass too"
    assert "2 of them pass: this run does not decide" in run.err


@pytest.mark.parametrize(
    ("port", "cycle"),
    [
        ("io_readReq_ready", 1000),
        ("io_readResp_valid", 2222),
        ("io_readResp_bits_collEntry", 700),
        ("io_writeResp_valid", 5),
        ("io_writeResp_bits_regs_0_enable", 1500),
        ("io_readData_resp_valid", 3000),
        ("io_readData_resp_bits_1_enable", 3998),
        ("io_readData_resp_bits_2_data_1", 3500),
    ],
)
def test_flipped_bit_is_reported_exactly(check, tmp_path, port, cycle):
    dump, was = edited(tmp_path, "collector_B", port, cycle)
    run = check(dump)
    assert (run.code, run.json["verdict"]) == (1, "FUNCTIONAL_MISMATCH")
    care = 0xFFFFFFFF if "_data_1" in port else 3 if "collEntry" in port else 1
    first = {"cycle": cycle, "port": port, "expected": hex(was), "got": hex(was ^ 1)}
    assert run.json["first"] == {**first, "care": hex(care)}
    assert len(run.json["differences"]) == 1
    assert run.json["inferred"]["coll_entries"] == "closest, none passes: 4 of 3|4"
    assert f"in cycle {cycle}" in run.err
    assert "repeat: scripts/warplock check" in run.err


# ---- dumps by hand ------------------------------------------------------------------------------


def test_hand_made_dump_passes(play):
    answer = play(block(), code=0).json
    assert answer["cycles"] == CYCLES
    assert answer["config"]["num_lanes"] == 2


def test_two_collectors_in_one_dump(play):
    good, bad = block(scope="TOP.a"), block(scope="TOP.b", seed=2)
    cycle = bad.cycle(readReq_valid=0)
    ready = bad.put(cycle, "io_readReq_ready", 1 - bad.rows[cycle]["io_readReq_ready"])
    answers = play(good, bad, code=FAILS).objects
    verdicts = {a["scope"]: a["verdict"] for a in answers}
    assert verdicts == {"TOP.a": "PASS", "TOP.b": "FUNCTIONAL_MISMATCH"}
    wanted = {"cycle": cycle, "port": "io_readReq_ready", "expected": hex(ready)}
    assert wanted.items() <= answers[1]["first"].items()


def test_scope_with_the_names_but_other_widths_is_not_passed_over(play):
    good, odd = block(scope="TOP.a"), block(scope="TOP.b")
    odd.widths["io_readReq_bits_regs_1_pReg"] = 5
    run = play(good, odd, code=Status.IFACE_CHANGED)
    assert [a["verdict"] for a in run.objects] == ["PASS", "IFACE_CHANGED"]
    assert "io_readReq_bits_regs_1_pReg" in run.objects[1]["why"]


def test_lanes_of_64_bits(play):
    made = block({**SMALL, "lane_bits": 64, "num_lanes": 3})
    answer = play(made, code=0).json
    assert answer["config"]["lane_bits"] == 64


def test_missing_ports_are_named_and_not_compared(play):
    lost = ["io_writeResp_valid", "io_readReq_bits_rsEntryId", "io_writeReq_bits_rsEntryId"]
    whole = play(block()).json
    answer = play(block(), drop=lost, code=0).json
    assert (answer["not_compared"], sorted(answer["tied_off"])) == (lost[:1], sorted(lost[1:]))
    total = [a["compared_bits"] + a["masked_bits"] for a in (whole, answer)]
    assert total[0] - total[1] == whole["cycles"] - whole["skipped"]


def test_clock_of_another_name(check, tmp_path):
    dump = write_vcd(tmp_path / "clk.vcd", block(), clock="TOP.sub.core_clk")
    run = check(dump, code=Status.NO_CLOCK)
    assert "--clock" in run.last and "TOP.sub.core_clk" in run.last
    check(dump, "--clock", "TOP.sub.core_clk", code=0)


def test_late_transfer_is_a_matter_of_time(play):
    """Every response comes, one of them a cycle late; without it, it is a functional mismatch."""
    made = block()
    valid = [row["io_writeResp_valid"] for row in made.rows]
    cycle = next(c for c in range(30, CYCLES) if valid[c : c + 2] == [1, 0])
    made.put(cycle, "io_writeResp_valid", 0)
    assert play(made).json["verdict"] == "FUNCTIONAL_MISMATCH"
    made.put(cycle + 1, "io_writeResp_valid", 1)
    run = play(made, code=Status.TIMING_DIVERGENCE)
    assert run.json["verdict"] == "TIMING_DIVERGENCE"
    assert run.json["first"]["cycle"] == cycle


def test_broken_rule_is_a_violation(play):
    made = block()
    cycle = made.cycle(readData_resp_valid=0, readData_req_valid=0)
    made.put(cycle, "io_readData_req_valid", 1)
    for i in range(3):
        enable = made.rows[cycle][f"io_readData_req_bits_regs_{i}_enable"]
        made.put(cycle, f"io_readData_resp_bits_{i}_enable", enable)
    made.put(cycle, "io_readReq_ready", 1)
    words = ["--config", "coll_entries=2"]
    run = play(made, words=words, code=Status.PROTOCOL_VIOLATION)
    assert run.json["first"]["cycle"] == cycle
    assert "needs an allocated collEntry" in run.json["first"]["rule"]
    assert f" {cycle}*" in run.err.partition("handshakes")[2]
    assert "model state after the edge" in run.err


# ---- X ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("expected", [0, 1])
def test_x_on_a_cared_output_is_a_mismatch(play, expected):
    made = block()
    cycle = made.cycle(readResp_valid=expected)
    made.put(cycle, "io_readResp_valid", "x")
    first = play(made, code=FAILS).json["first"]
    assert (first["cycle"], first["port"]) == (cycle, "io_readResp_valid")
    assert (first["expected"], first["care"], first["x"]) == (hex(expected), "0x1", "0x1")


def test_x_on_outputs_before_the_reset_is_skipped(play):
    made = block()
    first = made.first_reset
    for row in made.rows[: first + 1]:
        row.update(dict.fromkeys(made.named(r".*([Rr]esp|ready$)"), "x"))
    answer = play(made, code=0).json
    assert answer["skipped"] == first + 1


@pytest.mark.parametrize("port", ["io_readReq_bits_rsEntryId", "io_writeReq_bits_rsEntryId"])
def test_x_on_an_unread_input_is_ignored(play, port):
    made = block()
    made.set_all(port, "x")
    play(made, code=0)


def test_x_on_meaningless_inputs_is_ignored(play):
    made = block()
    for row, channel in itertools.product(made.rows, ("readReq", "writeReq")):
        if not row[f"io_{channel}_valid"]:
            row.update(dict.fromkeys(made.named(f"io_{channel}_bits"), "x"))
    play(made, code=0)


def test_x_on_an_idle_entry_hides_only_what_shows_it(play):
    plain = play(block()).json
    made = block()
    idle = hide_idle_entry(made)
    answer = play(made, code=0).json
    hidden = sum(made.widths[n] for n in made.named(r"io_readData_resp_.*_data_"))
    cycles = len([i for i in idle if i >= answer["skipped"]])
    assert answer["masked_bits"] >= (hidden + 1) * cycles
    assert plain["masked_bits"] < answer["masked_bits"]
    made.put(idle[-1], "io_readReq_ready", "x")
    assert play(made).port == "io_readReq_ready"


@pytest.mark.parametrize(
    "port", ["io_readData_req_bits_collEntry", "io_readData_req_bits_regs_1_enable"]
)
def test_x_on_a_control_input_that_is_read_breaks_the_protocol(play, port):
    made = block()
    cycle = made.cycle(readData_req_valid=1)
    made.put(cycle, port, "x")
    made.put(cycle, "io_readReq_ready", "x")  # what a simulator would make of it
    first = play(made, code=Status.PROTOCOL_VIOLATION).json["first"]
    assert (first["cycle"], first["port"]) == (cycle, port)
    assert "is X where a rule reads it" in first["rule"]


def test_x_written_is_unknown_when_read(play):
    """Every lane 1 ever written is X: reads of it are masked, lane 0 is compared as before."""
    made = block()
    made.set_all("io_writeReq_bits_regs_0_data_1", "x")
    for row, port in itertools.product(made.rows, made.named("io_readData_resp_bits_._data_1")):
        row[port] = "x" if row[port] else 0
    plain = play(block()).json
    answer = play(made, code=0).json
    assert answer["masked_bits"] > plain["masked_bits"]


def test_reset_edge_with_x_inputs_is_not_the_first(play):
    """What such an edge stores is unknown, so the run starts with the next edge in reset."""
    made = block()
    first = made.first_reset
    head = [dict(made.rows[first]) for _ in range(2)]
    for row in head:
        row["io_writeReq_valid"] = "x"
    made.rows[first:first] = head
    for row in made.rows[: first + 3]:
        row["io_writeResp_valid"] = "x"
    answer = play(made, code=0).json
    assert answer["skipped"] == first + 3


def test_x_edge_before_the_reset_forgets_what_was_written(play):
    """Every register is written, then perhaps written again: reads of them are unknown."""
    made = block()
    first = made.first_reset
    write = {"reset": 0, "io_writeReq_valid": 1, "io_writeReq_bits_regs_0_enable": 1}
    write |= {"io_writeReq_bits_regs_0_tmask": 3, "io_readReq_valid": 0, "io_readData_req_valid": 0}
    write |= {f"io_writeReq_bits_regs_0_data_{lane}": 0x5A for lane in range(2)}
    head = [{**made.rows[first], **write, "io_writeReq_bits_regs_0_pReg": r} for r in range(16)]
    known = Block(made.params, made.scope, head + made.rows[first:], made.widths)
    run = play(known)
    assert run.json["first"]["expected"] == "0x5a"  # the naive model shows 0 where it knows nothing
    known.rows.insert(16, {**head[0], "io_writeReq_valid": "x"})
    play(known, code=0)


def test_reset_with_x_inputs_only_is_refused(play):
    made = block()
    for cycle, row in enumerate(made.rows):
        if row["reset"]:
            made.put(cycle, "io_readReq_valid", "x")
    run = play(made, code=Status.NO_RESET)
    assert run.json["verdict"] == "NO_RESET"
    assert "io_readReq_valid is X in each of the" in run.err


# ---- runs that show nothing ----------------------------------------------------------------------


def test_dump_without_reset_is_refused(play):
    made = block()
    made.set_all("reset", 0)
    run = play(made, code=Status.NO_RESET)
    assert run.json["verdict"] == "NO_RESET"
    assert run.json["skipped"] == CYCLES and run.json["compared_bits"] == 0
    assert "reset is never high" in run.err


@pytest.mark.parametrize("always_in_reset", [False, True])
def test_dump_without_a_transfer_is_vacuous(play, always_in_reset):
    made = block()
    made.rows = [dict(made.rows[0]) for _ in range(30)]
    quiet = dict.fromkeys(made.widths, 0)
    quiet |= {"io_readReq_ready": 1, "io_writeReq_ready": 1, "io_writeResp_bits_regs_0_enable": 1}
    for cycle, row in enumerate(made.rows):
        row.update(quiet, reset=int(always_in_reset or cycle < 3))
        if always_in_reset:
            row["io_writeReq_valid"] = 1
    run = play(made, code=Status.VACUOUS)
    assert run.json["verdict"] == "VACUOUS"


def test_dump_whose_clock_never_rises_is_vacuous(check, tmp_path):
    dump = write_vcd(tmp_path / "still.vcd", block())
    high = f"b1 {symbols(dump.read_text())['clock'][0]}"
    still = [line for line in dump.read_text().splitlines() if line != high]
    dump.write_text("\n".join(still) + "\n", encoding="ascii")
    assert "VACUOUS: no rising clock edge, 0 cycles" in check(dump, code=Status.VACUOUS).err


# ---- bad input ----------------------------------------------------------------------------------


def small(tmp_path: Path, made: Block | None = None, **how) -> Path:
    return write_vcd(tmp_path / "small.vcd", made or block(), **how)


def small_fst(tmp_path: Path, *options: str) -> Path:
    """The same as FST; `options` of vcd2fst."""
    fst = tmp_path / "small.fst"
    words = ["vcd2fst", *options, "-v", small(tmp_path), "-f", fst]
    subprocess.run(words, check=True, capture_output=True)
    return fst


def refused(run: Done, status: Status, *words: str) -> None:
    """One clear line, the exit code, and nothing on stdout but the error."""
    assert (run.code, run.objects[0].keys()) == (status, {"error"})
    assert run.last.startswith("warplock: ")
    assert [each for each in words if each not in run.last] == []


REGISTER = "io_readReq_bits_regs_1_pReg"


def wide() -> Block:
    """One port has a bit too many."""
    made = block()
    made.widths[REGISTER] = 5
    return made


# How the small dump is written (None: not at all), options, exit code, parts of the line.
BAD_INPUT = {
    "no such file": (None, "", Status.NO_FILE, "small.vcd"),
    "no such scope": ({}, "--scope TOP.d.c", Status.NO_SCOPE, "TOP.d.c|did you mean TOP.c or TOP?"),
    "scope of no block": ({}, "--scope TOP", Status.IFACE_CHANGED, "TOP|TOP.c inside it does"),
    "no scope fits": (
        {"drop": ["io_writeReq_valid"]}, "", Status.NO_SCOPE, "TOP.c|io_writeReq_valid is missing"
    ),
    "missing input": ({"drop": [REGISTER]}, "--scope TOP.c", Status.IFACE_CHANGED, REGISTER),
    "no clock": ({"clock": None}, "", Status.NO_CLOCK, "clock|--clock PATH"),
    "no such clock": (
        {}, "--clock TOP.c.clock", Status.NO_CLOCK, "TOP.c.clock|did you mean TOP.clock?"
    ),
    "clock of several bits": (
        {}, "--clock TOP.c.io_writeReq_bits_regs_0_data_0", Status.NO_CLOCK, "1 bit"
    ),
    "wrong width": (
        {"made": wide()}, "--scope TOP.c", Status.BAD_WIDTH,
        f"{REGISTER}|expected 4 bits|found 5 bits",
    ),
    "no such parameter": ({}, "--config entries=2", Status.BAD_CONFIG, "entries"),
    "value too large": ({}, "--config coll_entries=33", Status.BAD_CONFIG, "coll_entries"),
    "value of letters": ({}, "--config coll_entries=two", Status.BAD_CONFIG, "coll_entries"),
    "unknown block": ({}, "--block alu", Status.USAGE, "no block 'alu'|collector"),
}  # fmt: skip


@pytest.mark.parametrize(("how", "words", "status", "parts"), BAD_INPUT.values(), ids=BAD_INPUT)
def test_bad_input(check, tmp_path, how, words, status, parts):
    dump = tmp_path / "small.vcd" if how is None else small(tmp_path, **how)
    refused(check(dump, *words.split()), status, *parts.split("|"))


def test_nothing_of_a_block(check):
    run = check(programs.recording("muon/scoreboard_B.fst"), "--block", "collector")
    refused(run, Status.NO_SCOPE, "no scope fits a block (collector")


def test_tool_itself_names_a_wrong_width(tmp_path):
    words = ["--instance", "block=collector", "scope=TOP.c", "clock=TOP.clock", "num_lanes=2"]
    done = programs.run("dpi/wlk-check", "session", small_fst(tmp_path), stdin="\n".join(words))
    assert done.returncode == Status.BAD_WIDTH
    assert "pReg has 4 bits where the port table has 8" in done.stderr


@pytest.mark.parametrize("tie", ["4294967296:0:1:0", "0:4294967296:1:0", "0:0:4294967297:0"])
def test_tool_refuses_a_tie_beyond_the_record(tmp_path, tie):
    words = ["--instance", "block=collector", "scope=TOP.c", f"tie={tie}"]
    done = programs.run("dpi/wlk-check", "session", small_fst(tmp_path), stdin="\n".join(words))
    assert (done.returncode, f"tie={tie}" in done.stderr) == (Status.USAGE, True)


def test_config_that_contradicts_the_ports(check):
    run = check(programs.recording("muon/collector_A.fst"), "--config", "coll_entries=4")
    refused(run, Status.BAD_WIDTH, "coll_entries=4 was given", "1 or 2")


def test_truncated_fst(check, tmp_path):
    whole = programs.recording("muon/collector_B.fst").read_bytes()
    dump = tmp_path / "cut.fst"
    dump.write_bytes(whole[: len(whole) // 2])
    refused(check(dump), Status.TRUNCATED, "cut.fst")


@pytest.mark.parametrize(
    ("content", "status"), [(b"garbage\n" * 99, Status.CORRUPT), (b"", Status.TRUNCATED)]
)
def test_garbage(check, tmp_path, content, status):
    dump = tmp_path / "a.fst"
    dump.write_bytes(content)
    refused(check(dump), status, "a.fst")


# What an edit of the small VCD leaves, exit code, part of the line.
BAD_VCD = {
    "cut in the definitions": (lambda text: text[:200], Status.TRUNCATED, "before $enddefinitions"),
    "cut in a token": (lambda text: text[:-4], Status.TRUNCATED, "ends inside 'b1'"),
    "definitions alone": (
        lambda _: b"$enddefinitions $end\n", Status.TRUNCATED, "after its definitions"
    ),
    "two runs": (lambda text: 2 * text, Status.CORRUPT, "a second dump begins here"),
    "time that goes back": (
        lambda text: text.replace(b"#100\n", b"#90\n"), Status.CORRUPT, "goes back from 95 to 90"
    ),
    "a scope again with other codes": (
        lambda text: text.replace(b"$enddefinitions", again(text) + b"$enddefinitions"),
        Status.CORRUPT,
        "TOP.c.io_readReq_ready is declared twice with different values, first in line",
    ),
    "the clock again": (
        lambda text: text.replace(
            b"$enddefinitions",
            b"$scope module TOP $end $var wire 1 other clock $end $upscope $end $enddefinitions",
        ),
        Status.CORRUPT,
        "TOP.clock is declared twice",
    ),
    "extended VCD": (
        lambda text: re.sub(rb"var wire 1 (\w+)", rb"var port 1 <\1", text),
        Status.CORRUPT,
        "extended VCD ($dumpports)",
    ),
}  # fmt: skip


def again(text: bytes) -> bytes:
    """The scope of the block with one of its ports under another code."""
    (port,) = re.findall(rb"\$var wire 1 \w+ io_readReq_ready \$end", text)
    port = re.sub(rb"wire 1 \w+", b"wire 1 other", port)
    return b"$scope module TOP $end $scope module c $end %s $upscope $end $upscope $end " % port


@pytest.mark.parametrize(("edit", "status", "part"), BAD_VCD.values(), ids=BAD_VCD)
def test_bad_vcd(check, tmp_path, edit, status, part):
    dump = small(tmp_path)
    text = edit(dump.read_bytes())
    assert text != dump.read_bytes()
    dump.write_bytes(text)
    run = check(dump)
    refused(run, status, "small.vcd:", part)
    assert "FST" not in run.last


# The same dump as others may write it.
LEGAL_VCD = {
    "all on one line": lambda text: text.replace("\n", " "),
    "a token a line": lambda text: text.replace(" ", "\n"),
    "two changes on a line": lambda text: re.sub(r"\n(b.*)\n(b.*)", r"\n\1 \2", text),
    "time and change on a line": lambda text: re.sub(r"(#\d+)\n", r"\1 ", text),
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "tabs, form feeds, trailing blanks": lambda text: text.replace(" ", "\t").replace(
        "\n", " \f\n"
    ),
    "no newline at the end": lambda text: text[:-1],
    "comments that look like changes": lambda text: re.sub(
        r"(#\d+)\n", r"\1\n$comment #99999999\nb0 s0\nb1 s1 $end\n", text
    ),
    "a dump of all values": lambda text: re.sub(
        r"#0\n(.*?)#5\n", r"#0\n$dumpvars\n\1$end\n#5\n", text, flags=re.DOTALL
    ),
    "scalars as such": lambda text: re.sub(r"\nb([01]) (s\d+)(?=\n)", r"\n\1\2", text),
    "scopes that are opened again": lambda text: re.sub(
        r"(\$var wire \d+ s\d+ io_writeReq_valid \$end\n)",
        r"\1$upscope $end\n$upscope $end\n$scope module TOP $end\n$scope module c $end\n",
        text,
    ),
    "identifier codes that look like something else": lambda text: re.sub(
        r"\bs(\d+)\b", lambda code: ("$end", "#10", "b1", "0")[int(code[1]) % 4] + code[1], text
    ),
    "other commands of the head": lambda text: (
        "$date $var #1 $end $version 1! $end $attrbegin misc 02 $end\n" + text
    ),
}


@pytest.mark.parametrize("edit", LEGAL_VCD.values(), ids=LEGAL_VCD)
def test_legal_vcd(check, tmp_path, edit):
    """It passes as it was written first, and with a wrong value it fails at the same place."""
    made = block()
    plain = check(small(tmp_path, made)).json
    cycle = made.cycle(readResp_valid=1)
    for wrong in (False, True):
        made.rows[cycle]["io_readResp_valid"] = int(not wrong)
        dump = small(tmp_path, made)
        text = edit(dump.read_text())
        assert text != dump.read_text()
        dump.write_text(text, newline="")
        answer = check(dump, code=FAILS if wrong else 0).json
        if wrong:
            assert (answer["first"]["cycle"], answer["first"]["port"]) == (
                cycle,
                "io_readResp_valid",
            )
        else:
            assert answer == plain


@pytest.mark.parametrize("kind", ["vcd", "fst"])
def test_gap_has_its_time(check, tmp_path, kind):
    """The clock is x for as long as the dump is off: the note has the time, and the remedy."""
    head, _, body = write_vcd(tmp_path / "off.vcd", block()).read_text().partition("#500\n")
    clock = symbols(head)["clock"][0]
    text = f"{head}#500\n$dumpoff\nbx {clock}\n$end\n{body[body.index('#700') :]}"
    dump = tmp_path / "off.vcd"
    dump.write_text(text)
    if kind == "fst":
        subprocess.run(["vcd2fst", dump, tmp_path / "off.fst"], check=True, capture_output=True)
        dump = tmp_path / "off.fst"
    run = check(dump)
    assert run.json["gaps"] == {"count": 1, "first_time": 500}
    note = "TOP.c: the clock TOP.clock is x from time 500 on: cycles are missing there; "
    assert f"{note}--from-unknown learns the state after them" in run.err
    assert "is x from" not in check(dump, "--from-unknown").err


def test_content_decides_what_a_dump_is(check, tmp_path):
    dump = tmp_path / "wave.fst"
    small(tmp_path).rename(dump)
    assert check(dump).json["verdict"] == "PASS"


def test_fst_that_is_gzipped_as_a_whole(check, tmp_path):
    plain = check(small_fst(tmp_path)).json
    wrapped = small_fst(tmp_path, "-c")
    data = wrapped.read_bytes()
    assert data[0] == dumps.WRAPPED
    assert check(wrapped).json == plain
    for damaged in (data[:-100], data[:100] + b"????" + data[104:], data[:1] + bytes(16), data[:9]):
        wrapped.write_bytes(damaged)
        run = check(wrapped)
        refused(run, Status(run.code), "small.fst", "the packed FST")
        assert run.code in (Status.TRUNCATED, Status.CORRUPT)


def test_packed_fst_without_a_temporary_folder(check, tmp_path, monkeypatch):
    packed = small_fst(tmp_path, "-c")
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")
    refused(check(packed), Status.NO_SPACE, "small.fst", "TMPDIR")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted_check_leaves_nothing(tmp_path, monkeypatch, number):
    folder = tmp_path / "tmp"
    folder.mkdir()
    packed = small_fst(tmp_path, "-c")
    data = packed.read_bytes()
    with packed.open("r+b") as file:  # longer than it can be unpacked in that time
        file.write(data[: dumps.WRAPPING.size])
        with gzip.GzipFile(fileobj=file, mode="wb") as long:
            for _ in range(1 << 11):
                long.write(bytes(1 << 20))
    monkeypatch.setenv("TMPDIR", str(folder))
    process = programs.started("check", packed)
    programs.wait_for(lambda: list(folder.glob("warplock-*/wave.fst")))
    process.send_signal(number)
    process.communicate(timeout=10)
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
    if number == signal.SIGKILL:  # what it left is removed a little later
        programs.wait_for(lambda: not list(folder.iterdir()))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("tool", ["gzip", "xz"])
def test_packed_dump_error_shows_how_to_unpack(check, tmp_path, tool):
    if not shutil.which(tool):
        pytest.skip(f"no {tool}")
    dump = small(tmp_path)
    subprocess.run([tool, dump], check=True)
    (packed,) = tmp_path.glob("small.vcd.*")
    refused(check(packed), Status.CORRUPT, "unpack it first")


def test_interrupt(tmp_path):
    command = [programs.folder() / "dpi" / "wlk-check", "session", small_fst(tmp_path)]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout.readline().startswith("{")
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate(timeout=10)
    assert process.returncode == Status.INTERRUPTED
    assert printed.strip().endswith("interrupted")
