# SPDX-License-Identifier: Apache-2.0
"""What a mismatch leaves: report, command that repeats it, shrunk stimulus, waveform."""

import html
import json
import pathlib
import re
import shlex
import subprocess
from xml.etree import ElementTree

import programs
import pytest
import rtl_under_test as rut
from rtl_under_test import FAILS, PINNED
from wlk import tables
from wlk.base.errors import Status
from wlk.fit import traced
from wlk.run import verilate

ZERO = ("--power-up", "zero")
EARLY = rut.READY[rut.CORE]
# Shows only after a table in use was reset, if the registers power up with zeros.
LATE = (
    "      alloc_valid_q   <= '0;\n      next_alloc_id_q <= '0;",
    "      alloc_valid_q   <= alloc_valid_q & {CollEntries{next_alloc_id_q != '0}};\n"
    "      next_alloc_id_q <= '0;",
)
DATA = ("(writeReq_bits_regs_pReg_i != '0)", "(writeReq_bits_regs_pReg_i != PregW'(1))")
# The whole response, one cycle later.
DELAYED = (
    """\
  assign readResp_valid_o = read_valid_q;
  assign readResp_bits_collEntry_o = next_alloc_id_q;
  assign readResp_bits_regs_enable_o = read_en_q;
""",
    """\
  logic late_valid_q;
  logic [CollIdW-1:0] late_entry_q;
  logic [NumOps-1:0] late_en_q;
  always_ff @(posedge clk_i) begin
    late_valid_q <= read_valid_q && !rst_i;
    late_entry_q <= next_alloc_id_q;
    late_en_q <= rst_i ? '0 : read_en_q;
  end
  assign readResp_valid_o = late_valid_q;
  assign readResp_bits_collEntry_o = late_entry_q;
  assign readResp_bits_regs_enable_o = late_en_q;
""",
)


READS_OLD = (
    """\
  assign read_data_o = mem[read_addr_q];

  always_ff @(posedge clk_i) begin
    if (read_en_i) begin
""",
    """\
  always_ff @(posedge clk_i) begin
    if (read_en_i) begin
      read_data_o <= mem[read_addr_i];
""",
)


def failure(name, fault, folder, *words, code=FAILS):
    return rut.Failure(
        rut.stub(f"report_{name}", edit={rut.CORE: fault}), folder, *words, code=code
    )


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    return failure("late", LATE, tmp_path_factory.mktemp("late"), "--seeds", "3..5", *ZERO)


@pytest.fixture(scope="module")
def early(tmp_path_factory):
    words = ("--seeds", "2", "--cycles", "3000", "--profile", "mixed")
    place = tmp_path_factory.mktemp("early")
    pages = tmp_path_factory.mktemp("pages")
    words += ("--html", pages / "page.html", "--junit", pages / "junit.xml")
    found = failure("early", EARLY, place, *words)
    found.pages = pages
    return found


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return failure("data", DATA, tmp_path_factory.mktemp("data"), *rut.QUICK, *ZERO)


def test_report_names_everything(late):
    at, port = late.first["cycle"], late.first["port"]
    assert at > 60
    shrunk = late.json["shrunk"]
    last = shrunk["cycles"] - 1
    instance = f"collector TOP.DuplicatedCollector: FUNCTIONAL_MISMATCH in cycle {at} of seed 3\n"
    size = (
        f"  shrunk from {at + 1} to {last + 1} cycles; the first wrong output is in cycle {last}\n"
    )
    assert late.text.startswith(instance + size)
    assert shrunk["from"] == at + 1 > 4 * shrunk["cycles"]
    assert "num_lanes=2 lane_bits=32 num_pregs=16" in late.text
    rows = [line.split() for line in late.text.splitlines()]
    assert ["port", "RTL", "model", "care"] in rows
    row = next(cells for cells in rows if cells[0] == port)
    values = [int(late.first[key], 16) for key in ("got", "expected", "care")]
    assert [int(cell, 0) for cell in row[1:]] == values
    assert "model state before the edge:" in late.text
    assert re.search(r"^    alloc_valid = 0x\d", late.text, re.MULTILINE)
    table = late.text.partition("a line a cycle:\n")[2].partition("  model state")[0].splitlines()
    assert "readReq" in table[0].split()
    assert table[1].split()[:2] == ["regs.enable", "regs.pReg"]
    assert [int(line.split()[0].rstrip("*")) for line in table[2:]] == list(range(last + 1))
    assert [line.split()[0].endswith("*") for line in table[2:]] == [False] * last + [True]
    assert f"\n  rule (muon-issue §2): {port.removeprefix('io_').partition('_')[0]}." in late.text
    # What is on the screen is the report.
    assert late.text.rstrip() in late.done.err
    assert str(late.report) in late.done.err


def test_report_lists_every_differing_field(data):
    got, expected = (int(data.first[k], 16) for k in ("got", "expected"))
    care = int(data.first["care"], 16)
    assert (got ^ expected) & care
    assert data.first["port"].startswith("io_readData_resp_bits_")
    table = data.text.partition("care\n")[2].partition("  rule")[0]
    ports = [line.split()[0] for line in table.splitlines()]
    assert ports[0] in (data.first["port"], f"{data.first['port']}..1")  # both lanes are one line
    assert len(ports) == len(set(ports))


@pytest.mark.parametrize("name", ["late", "early", "data"])
def test_command_repeats_it(name, request, tmp_path):
    failure = request.getfixturevalue(name)
    (line,) = re.findall(r"^  repeat: (.*)$", failure.text, re.MULTILINE)
    program, *words = shlex.split(line)
    assert program == "scripts/warplock"
    assert "coll_entries=2" in words  # which the ports alone leave open
    again = rut.warplock(*words, "--json", "--reports", tmp_path, code=failure.done.code)
    for key in ("first", "seed", "config"):
        assert again.json[key] == failure.json[key]


def test_parameter_that_explains_is_said_first(tmp_path):
    """RTL of another kind of memory than is pinned."""
    rtl = rut.stub("reads_old", edit={rut.BANK: READS_OLD})
    failed = rut.Failure(rtl, tmp_path, *rut.QUICK, "--config", "read_during_write=new")
    assert failed.json["shrunk"]["passes_with"] == ["read_during_write=old"]
    assert failed.text.startswith("passes with read_during_write=old\ncollector TOP.")


def test_cause_is_guessed(late):
    """The table that the reset leaves as it is, at the edge before it shows."""
    shrunk = late.json["shrunk"]
    guess = shrunk["guesses"][0]
    assert guess["cycle"] == shrunk["cycles"] - 2
    assert re.fullmatch(r"state alloc_valid stays 0x[1-3], the model has 0x0", guess["text"])
    line = f"  guess, it fits if in cycle {guess['cycle']}: {guess['text']}\n"
    assert line in late.text
    assert shrunk["passes_with"] == []


def test_guesses_are_distinct(tmp_path):
    """Of the inputs of a bundle one is told, as `decr` of a write and not its `incr`."""
    fault = ("if (commit) begin", "if (commit && !commit_rs) begin")
    edit = {"scoreboard_core.sv": fault}
    config = tables.load("scoreboard").configs["default"]
    rtl = rut.stub("overwrites", config, edit=edit, block="scoreboard")
    words = ("--rtl", rtl, *rut.QUICK, "--no-infer", "--reports", tmp_path)
    done = rut.run_lockstep(*words, block="scoreboard", code=FAILS)
    guesses = [guess["text"] for guess in done.json["shrunk"]["guesses"]]
    bundles = [text.split()[1].rpartition("_")[0] for text in guesses]
    assert len(bundles) > 1
    assert len(set(bundles)) == len(bundles)
    assert re.search(r"^    and \d+ more$", done.err, re.MULTILINE)


def test_wrong_value_is_found_among_the_inputs(data):
    """Where the RTL has it from, and where the model has."""
    assert re.search(
        r"^  io_readData_resp_bits_\d_data_\d: .*(RTL|model).* of cycle \d+$", data.text, re.M
    )
    assert data.json["shrunk"]["sources"]


def test_command_replays_what_was_shrunk(data):
    """The same port differs in the last cycle, and the waveform is that of the file."""
    (line,) = re.findall(r"^  replay: (.*)$", data.text, re.MULTILINE)
    program, *words = shlex.split(line)
    assert program == "scripts/warplock"
    again = rut.warplock(*words, "--json", code=FAILS)
    last = data.json["shrunk"]["cycles"] - 1
    assert again.objects[-1]["first"] == data.first | {"cycle": last} | {
        key: again.objects[-1]["first"][key] for key in ("expected", "got")
    }
    wave = data.stimulus.with_suffix(".fst")
    assert again.objects[-1]["waves"]["file"] == str(wave)
    assert f"*-5.321928 {10 * last} " in wave.with_suffix(".gtkw").read_text()
    checked = rut.warplock("check", wave, "--block", "collector", *PINNED, "--json", code=None)
    assert checked.json["cycles"] == last + 1
    for end in (".fst", ".gtkw", ".sucl"):
        wave.with_suffix(end).unlink()


def test_a_failure_and_all_that_follows_is_one_build(tmp_path, monkeypatch):
    """Waveform, the candidates of a parameter, the pinned run that repeats it, and its stimulus in
    the RTL: nothing is built again. The second opinion is a build of the other Verilator."""
    rtl = rut.stub("report_once", edit={rut.CORE: DATA})
    built = []
    build = verilate.harness_program

    def program(*args, **how):
        built.append(build(*args, **how))
        return built[-1]

    monkeypatch.setattr(verilate, "harness_program", program)
    done = rut.run_lockstep("--rtl", rtl, *rut.QUICK, "--reports", tmp_path / "reports", code=FAILS)
    (stimulus,) = (tmp_path / "reports").rglob("stimulus.wlv")
    assert stimulus.with_name("wave.fst").is_file()
    pinned = ("--config", f"coll_entries={done.json['config']['coll_entries']}")
    rut.run_rtl(rtl, *pinned, "--reports", tmp_path / "again", code=FAILS)
    rut.play(stimulus, "--rtl", rtl, code=FAILS)
    assert len(built) >= 4
    assert len(set(built)) == 2


@pytest.mark.parametrize("name", ["late", "data"])
def test_shrunk_stimulus_is_short_and_fails(name, request):
    failure = request.getfixturevalue(name)
    info = rut.info(failure.stimulus)
    assert info["cycles"] < failure.first["cycle"] // 2
    assert info["source"] == "shrink"
    assert info["seed"] == failure.json["seed"]
    # The model plays it clean, the good RTL too; the faulty RTL fails in its last cycle.
    rut.play(failure.stimulus)
    good = ("vectors", "play", failure.stimulus, "--rtl", rut.stub("plain"), "--json")
    played = rut.warplock(*good, code=None)
    assert played.code in (0, Status.VACUOUS), played.err
    assert "first" not in played.objects[-1]
    bad = rut.play(failure.stimulus, "--rtl", failure.rtl, code=FAILS)
    assert bad["first"]["cycle"] == info["cycles"] - 1


def test_waveform_from_the_start_can_be_checked(early):
    """Offline lockstep on the waveform sees the same."""
    assert early.first["cycle"] < 50
    answer = early.check_wave(early.done.code).json
    assert (answer["first"], answer["cycles"]) == (early.first, early.first["cycle"] + 11)


def test_waveform_of_the_middle_is_61_cycles(late):
    """It has no reset at its start in general; the cycles around the mismatch are there."""
    done = late.check_wave(None)
    assert done.code in (Status.NO_RESET, late.done.code), done.err
    if done.out:
        assert done.json["cycles"] == 61


def signals(wave):
    """Of a waveform: the RTL's, and what was expected beside them."""
    tool = programs.folder() / "dpi" / "wlk-check"
    return traced.read(tool, wave, rut.TABLE.module), traced.read(tool, wave, "warplock")


def outputs():
    """Outputs of the RTL with their widths."""
    ports = rut.TABLE.ports(rut.TABLE.config(rut.SMALL))
    return {p.name: p.width for p in ports if p.direction == "out"}


@pytest.mark.parametrize("name", ["late", "data"])
def test_waveform_has_what_was_expected_in_the_cycle(name, request):
    """As the report has it, and before the first difference nothing differs."""
    failure = request.getfixturevalue(name)
    rtl, beside = signals(failure.file("wave.fst"))
    at = failure.first["cycle"]
    for cycle in range(beside.first, at + 1):
        assert beside.at("cycle", cycle, 64, 0) == cycle
        assert beside.at("mismatch", cycle, 1, 0) == (cycle == at)
    table = failure.text.partition("care\n")[2].partition("  rule")[0]
    rows = {row.split()[0]: row.split()[1:] for row in table.splitlines()}
    place = rut.TABLE.module
    wrong = [n for n in outputs() if beside.at(f"{place}.mismatch.{n}", at, 1, 0)]
    assert wrong[0] == failure.first["port"]
    for port in wrong:
        seen = [rtl.at(port, at, outputs()[port], 0)]
        seen += [beside.at(f"{place}.{k}.{port}", at, outputs()[port], 0)
                 for k in ("expected", "care")]  # fmt: skip
        if port in rows:  # lanes that are alike are one line
            assert seen == [int(text, 0) for text in rows[port]]
        assert (seen[0] ^ seen[1]) & seen[2]


def test_waveform_changes_on_both_sides_at_the_same_times(late):
    """Also behind the edge, where the registers have changed and the inputs have not."""
    rtl, beside = signals(late.file("wave.fst"))
    compared = 0
    for half in range(2 * beside.first, 2 * late.first["cycle"] - 1):
        for port, width in outputs().items():
            got = rtl.at(port, half / 2, width, 0)
            expected, care = (beside.at(f"{rut.TABLE.module}.{kind}.{port}", half / 2, width, 0)
                              for kind in ("expected", "care"))  # fmt: skip
            assert (got ^ expected) & care == 0, (port, half / 2)
            compared += care.bit_count()
    assert compared > 10_000


def test_waveform_shows_nothing_expected_before_the_reset(early):
    """With unknown power-up: X without care, up to the first edge in reset."""
    _, beside = signals(early.file("wave.fst"))
    cares = [f"{rut.TABLE.module}.care.{port}" for port in outputs()]
    assert [beside.at(care, 0, 64, 0) for care in cares] == [0] * len(cares)
    assert any(beside.at(care, early.first["cycle"], 64, 0) for care in cares)
    dump = subprocess.run(["fst2vcd", early.file("wave.fst")], capture_output=True, check=True)
    assert b"\nbx" in dump.stdout.partition(b"#5\n")[0]


def paths(wave):
    """The signals of a waveform, without and with their ranges."""
    dump = subprocess.run(["fst2vcd", wave], capture_output=True, check=True, text=True).stdout
    scopes, found = [], set()
    for line in dump.partition("$enddefinitions")[0].splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scopes.append(words[2])
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            found |= {".".join([*scopes, name]) for name in (words[4], "".join(words[4:-1]))}
    return found


@pytest.mark.parametrize("name", ["late", "early", "data"])
def test_waveform_opens_at_the_difference(name, request):
    """Both files name signals that it has, those of a port that differs one below the other."""
    failure = request.getfixturevalue(name)
    there, time = paths(failure.file("wave.fst")), 10 * failure.first["cycle"]
    gtkwave, surfer = (failure.file(f"wave.{end}").read_text() for end in ("gtkw", "sucl"))
    assert re.findall(r"^\*-[\d.]+ (\d+) (\d+) -1", gtkwave, re.MULTILINE) == [(str(time),) * 2]
    (left,) = re.findall(r"^\[timestart\] (\d+)$", gtkwave, re.MULTILINE)
    assert max(0, time - 140) == int(left)
    shown = re.findall(r"^(?:\+\{\w+\} )?((?:TOP|warplock)\.\S+)$", gtkwave, re.MULTILINE)
    added = re.findall(r"^variable_add (\S+)$", surfer, re.MULTILINE)
    assert [re.sub(r"\[\d+:\d+\]$", "", path) for path in shown] == added
    assert set(shown) | set(added) <= there
    place, port = rut.TABLE.module, failure.first["port"]
    at = added.index(f"TOP.{place}.{port}")
    kinds = [f"warplock.{place}.{kind}.{port}" for kind in ("expected", "care", "mismatch")]
    assert added[at + 1 : at + 4] == kinds
    assert f"cursor_set {time}\n" in surfer
    waves = failure.json["waves"]
    assert list(waves) == ["file", "gtkwave", "surfer"]
    assert [failure.file(f"wave.{end}") for end in ("fst", "gtkw", "sucl")] == [
        *map(pathlib.Path, waves.values())
    ]
    assert f"open it with: gtkwave {waves['gtkwave']}\n" in failure.done.err


def test_waveform_of_a_pass_opens_with_its_handshakes(tmp_path):
    """Of a block without a clock, which runs inside a module of ours."""
    words = ("--seeds", "1", "--cycles", "3000", "--waves", "--reports", tmp_path)
    wave = pathlib.Path(rut.run_lockstep(*words, block="compactor").json["waves"]["file"])
    gtkwave = wave.with_suffix(".gtkw").read_text()
    shown = re.findall(r"^(TOP\.\S+)$", gtkwave, re.MULTILINE)
    assert "TOP.wlk_harness_top.dut.io_in_0_valid" in shown
    assert set(shown) <= paths(wave)
    assert re.search(r"^\*-[\d.]+ -1 -1 ", gtkwave, re.MULTILINE)
    assert "cursor_set" not in wave.with_suffix(".sucl").read_text()


def test_registers_behind_the_difference_are_shown(late):
    assert "TOP.DuplicatedCollector.u_core.alloc_valid_q" in late.file("wave.gtkw").read_text()


def test_what_opens_a_waveform_cannot_be_written(data, tmp_path):
    """The verdict stands, and what is missing is named."""
    played = tmp_path / "played.wlv"
    played.write_bytes(data.stimulus.read_bytes())
    (tmp_path / "played.gtkw").mkdir()
    words = ("--rtl", data.rtl, "--waves")
    done = rut.warplock("vectors", "play", played, *words, "--json", code=FAILS)
    assert f"no files that open the waveform: cannot write {tmp_path / 'played.gtkw'}" in done.err
    assert (tmp_path / "played.fst").is_file()
    assert "waves" not in done.objects[-1]


def test_page_and_junit_have_the_report(early):
    """What lockstep printed of the failure."""
    (line,) = re.findall(r"^  repeat: (.*)$", early.text, re.MULTILINE)
    page = html.unescape((early.pages / "page.html").read_text())
    for part in (early.text.rstrip(), f'"repeat">{line}</pre>', early.first["port"], *PINNED):
        assert part in page, part
    (failed,) = ElementTree.parse(early.pages / "junit.xml").getroot().iter("failure")
    assert failed.text.startswith(early.text.rstrip())
    assert failed.get("message").startswith("FUNCTIONAL_MISMATCH: cycle ")


def test_nothing_half_written_is_left(late, early, data):
    for failure in (late, early, data):
        names = {path.name for path in failure.report.parent.iterdir()}
        waves = {"wave.fst", "wave.gtkw", "wave.sucl"}
        assert names == {"report.txt", "stimulus.wlv", "picture.json", "picture.svg"} | waves


def results(folder):
    """What the last run left of itself."""
    return json.loads((folder / "latest" / "results.json").read_text())


def test_reports_of_a_former_run_stay_apart(tmp_path):
    """A folder a run; a PASS leaves nothing stale behind `latest`."""
    first = failure("former", DATA, tmp_path, *rut.QUICK)
    before = {p: p.read_bytes() for p in first.report.parent.iterdir()}
    again = failure("former", EARLY, tmp_path, *rut.QUICK)
    assert again.first["port"] == "io_writeReq_ready"
    assert again.text.count("  repeat: ") == 1
    assert rut.info(again.stimulus)["cycles"] <= again.first["cycle"] + 1
    assert {p: p.read_bytes() for p in first.report.parent.iterdir()} == before
    assert results(tmp_path)["format"] == 1
    assert results(tmp_path)["exit_code"] == again.done.code
    assert results(tmp_path)["results"] == [again.json]
    words = ("--rtl", rut.stub("plain"), *rut.QUICK, *PINNED, "--reports", tmp_path)
    passed = rut.run_lockstep(*words)
    latest = (tmp_path / "latest").resolve()
    assert [path.name for path in latest.iterdir()] == ["results.json"]
    assert results(tmp_path)["results"] == [passed.json]
    assert results(tmp_path)["command"].startswith("scripts/warplock lockstep --no-setup collector")
    folders = [path for path in tmp_path.iterdir() if not path.is_symlink()]
    assert len(folders) == 3
    assert max(folders) == latest  # sorts by time


LOST = (
    "assign readResp_valid_o = read_valid_q;",
    """\
  logic lost_q;  // every second one
  always_ff @(posedge clk_i) lost_q <= !rst_i && (lost_q ^ read_valid_q);
  assign readResp_valid_o = read_valid_q && !lost_q;""",
)


@pytest.mark.parametrize("profile", ["mix", "saturate"])  # which always asks for something
@pytest.mark.parametrize(
    ("name", "fault", "verdict"),
    [("delayed", DELAYED, Status.TIMING_DIVERGENCE), ("lost", LOST, FAILS)],
)
def test_response_that_is_late_is_a_timing_divergence(tmp_path, name, fault, verdict, profile):
    """Where it begins, and by how much, is said of the whole run and of the shrunk one."""
    words = (*rut.QUICK, "--profile", profile)
    failed = failure(name, fault, tmp_path, *words, code=verdict)
    answer = failed.json
    assert (answer["verdict"], answer["first"]["port"]) == (verdict.name, "io_readResp_valid")
    late = {"channel": "readResp", "since": answer["first"]["cycle"]}
    late |= {"least_late": 1, "most_late": 1}
    assert answer.get("timing") == (None if verdict == FAILS else [late])
    begins = r"^  timing: readResp of the RTL comes 1 cycle late from cycle \d+ on; (.*) since"
    said = re.findall(begins, failed.text, re.MULTILINE)
    assert len(said) == (verdict != FAILS)
    assert all(re.fullmatch(r"1 transfer|(\d\d+|[02-9]) transfers", count) for count in said)


# By what a register is at power-up, which nothing changes: late, or an entry's number inverted.
EITHER = (
    DELAYED[0],
    DELAYED[1].replace(
        "assign readResp_bits_collEntry_o = late_entry_q;",
        """\
  logic kind_q;
  always_ff @(posedge clk_i) kind_q <= kind_q;
  assign readResp_bits_collEntry_o = late_entry_q ^ CollIdW'(kind_q);""",
    ),
)


def test_seed_that_shows_values_is_reported_before_one_that_shows_time(tmp_path):
    """--keep-going lists the seeds in their order; a run of one seed has no other to look at."""
    rtl = rut.stub("report_either", edit={rut.CORE: EITHER})
    words = ("--rtl", rtl, "--cycles", "2000", *PINNED, "--reports", tmp_path)
    all_ = rut.run_lockstep(*words, "--seeds", "1..12", "--keep-going", code=None).json
    kinds = {each["seed"]: each["verdict"] for each in all_["failures"]}
    assert set(kinds.values()) == {"TIMING_DIVERGENCE", "FUNCTIONAL_MISMATCH"}
    first = next(n for n, kind in kinds.items() if kind == "TIMING_DIVERGENCE")
    better = next(n for n in range(first, 13) if kinds[n] == "FUNCTIONAL_MISMATCH")
    for last, seed, verdict in (
        (better, better, "FUNCTIONAL_MISMATCH"),
        (better - 1, first, "TIMING_DIVERGENCE"),
    ):
        seeds = ("--seeds", f"{first}..{last}")
        answer = rut.run_lockstep(*words, *seeds, "--jobs", "1", code=None).json
        alone = rut.run_lockstep(*words, "--seeds", f"{seed}..{seed}", code=None).json
        for each in (answer, alone):
            del each["cycles_per_second"], each["seeds"], each["shrunk"], each["failing_seeds"]
        assert (answer["seed"], answer["verdict"]) == (seed, verdict)
        assert strip(answer) == strip(alone)


def strip(answer):
    """Without the names of files."""
    return {key: value for key, value in answer.items() if key not in ("waves", "picture")}


def generated(folder, seed, *words):
    """The records of a seed."""
    vectors = folder / "seed.wlv"
    words = ("--seed", seed, "--cycles", "5000", *words, *programs.config_options(rut.SMALL))
    rut.warplock("vectors", "gen", "collector", vectors, *words)
    return vectors


def test_records_are_the_same_without_rtl(data, tmp_path):
    """A vector file of the seed drives the RTL into the same mismatch as the harness does."""
    vectors = generated(tmp_path, data.json["seed"], *ZERO)
    assert rut.play(vectors, "--rtl", data.rtl, code=data.done.code)["first"] == data.first


def test_records_and_harness_meet_the_same_coverage(tmp_path):
    """The seed's coverage in a vector file and in the harness, which drains behind it."""
    played = rut.play(generated(tmp_path, 11))
    words = ("--seeds", "11", "--cycles", "5000", *PINNED)
    run = rut.run_lockstep("--rtl", rut.stub("plain"), *words).json
    drain = run["cycles"] - played["cycles"]
    assert 0 <= drain <= 4
    for point, hits in played["coverage"].items():
        assert hits <= run["coverage"][point]["hits"] <= hits + drain, point
