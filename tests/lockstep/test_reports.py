# SPDX-License-Identifier: Apache-2.0
"""What a mismatch leaves: report, command that repeats it, shrunk stimulus, waveform."""

import json
import re
import shlex

import pytest
import rtl_under_test as rut
from wlk.base.errors import Status
from wlk.run import verilate

PINNED = ("--config", "coll_entries=2")
ZERO = ("--power-up", "zero")
# Shows as soon as a write meets a reset / only after a table in use was reset.
EARLY = ("assign writeReq_ready_o = 1'b1", "assign writeReq_ready_o = !rst_i")
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


def json_of(done):
    """The last of several objects: `play --rtl` reports on the model first, then on the RTL."""
    return json.loads(done.out.splitlines()[-1])


class Failure:
    """A faulty copy, run once, with what it left."""

    def __init__(self, name, fault, folder, *words):
        self.rtl = rut.stub(f"report_{name}", edit={rut.CORE: fault})
        self.reports = folder
        self.done = rut.run_lockstep("--rtl", self.rtl, *words, *PINNED, "--reports", folder)
        self.json = self.done.json
        self.first = self.json["first"]
        (self.report,) = (folder / "latest").resolve().rglob("report.txt")
        self.text = self.report.read_text()

    def file(self, name):
        return self.report.with_name(name)

    @property
    def command(self):
        (line,) = re.findall(r"^  repeat: (.*)$", self.text, re.MULTILINE)
        return shlex.split(line)


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    return Failure("late", LATE, tmp_path_factory.mktemp("late"), "--seeds", "3..5")


@pytest.fixture(scope="module")
def early(tmp_path_factory):
    words = ("--seeds", "2", "--cycles", "3000", "--profile", "mixed")
    return Failure("early", EARLY, tmp_path_factory.mktemp("early"), *words)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return Failure("data", DATA, tmp_path_factory.mktemp("data"), *rut.QUICK, *ZERO)


def test_report_names_everything(late):
    assert late.done.code == Status.FUNCTIONAL_MISMATCH
    at, port = late.first["cycle"], late.first["port"]
    assert at > 60
    assert late.text.startswith("seed 3\n")
    instance = f"collector TOP.DuplicatedCollector: FUNCTIONAL_MISMATCH in cycle {at}\n"
    assert instance in late.text
    assert "num_lanes=2 lane_bits=32 num_pregs=16" in late.text
    rows = [line.split() for line in late.text.splitlines()]
    assert ["port", "RTL", "model", "care"] in rows
    row = next(cells for cells in rows if cells[0] == port)
    values = [int(late.first[key], 16) for key in ("got", "expected", "care")]
    assert [int(cell, 0) for cell in row[1:]] == values
    assert "model state before the edge:" in late.text
    assert re.search(r"^    alloc_valid = 0x\d", late.text, re.MULTILINE)
    cycles = [int(n) for n in re.findall(r"^ +(\d+):", late.text, re.MULTILINE)]
    assert cycles == list(range(at - 15, at + 1))
    assert "readReq regs_0_enable=" in late.text
    assert " resp_bits_0_enable=" in late.text  # io_readData_resp_bits_0_enable
    # What is on the screen is the report.
    assert late.text.rstrip() in late.done.err
    assert str(late.report) in late.done.err


def test_report_lists_every_differing_field(data):
    got, expected = (int(data.first[k], 16) for k in ("got", "expected"))
    care = int(data.first["care"], 16)
    assert (got ^ expected) & care
    assert data.first["port"].startswith("io_readData_resp_bits_")
    table = data.text.partition("care\n")[2].partition("  handshakes")[0]
    ports = [line.split()[0] for line in table.splitlines()]
    assert ports[0] == data.first["port"]
    assert len(ports) == len(set(ports))


@pytest.mark.parametrize("name", ["late", "early", "data"])
def test_command_repeats_it(name, request, tmp_path):
    failure = request.getfixturevalue(name)
    program, *words = failure.command
    assert program == "scripts/warplock"
    assert "coll_entries=2" in words  # which the ports alone leave open
    again = rut.warplock(*words, "--json", "--reports", tmp_path)
    assert again.code == failure.done.code
    assert again.json["first"] == failure.first
    assert again.json["seed"] == failure.json["seed"]
    assert again.json["config"] == failure.json["config"]


def test_a_failure_and_all_that_follows_is_one_build(tmp_path, monkeypatch):
    """Waveform, the candidates of a parameter, the pinned run that repeats it, and its stimulus in
    the RTL: nothing is built again."""
    rtl = rut.stub("report_once", edit={rut.CORE: DATA})
    programs = []
    build = verilate.harness_program
    monkeypatch.setattr(
        verilate,
        "harness_program",
        lambda *args, **how: programs.append(build(*args, **how)) or programs[-1],
    )
    done = rut.run_lockstep("--rtl", rtl, *rut.QUICK, "--reports", tmp_path / "reports")
    assert done.code == Status.FUNCTIONAL_MISMATCH
    (stimulus,) = (tmp_path / "reports").rglob("stimulus.wlv")
    assert stimulus.with_name("wave.fst").is_file()
    pinned = ("--config", f"coll_entries={done.json['config']['coll_entries']}")
    rut.run_lockstep("--rtl", rtl, *rut.QUICK, *pinned, "--reports", tmp_path / "again")
    rut.warplock("vectors", "play", stimulus, "--rtl", rtl)
    assert len(programs) >= 4
    assert len(set(programs)) == 1


@pytest.mark.parametrize("name", ["late", "data"])
def test_shrunk_stimulus_is_short_and_fails(name, request):
    failure = request.getfixturevalue(name)
    stimulus = failure.file("stimulus.wlv")
    info = rut.warplock("vectors", "info", stimulus, "--json").json
    assert info["cycles"] < failure.first["cycle"] // 2
    assert info["source"] == "shrink"
    assert info["seed"] == failure.json["seed"]
    # The model plays it clean, the good RTL too; the faulty RTL fails in its last cycle.
    assert rut.warplock("vectors", "play", stimulus).code == 0
    good = rut.warplock("vectors", "play", stimulus, "--rtl", rut.stub("plain"), "--json")
    assert good.code in (0, Status.VACUOUS), good.err
    assert "first" not in json_of(good)
    bad = rut.warplock("vectors", "play", stimulus, "--rtl", failure.rtl, "--json")
    assert bad.code == Status.FUNCTIONAL_MISMATCH
    assert json_of(bad)["first"]["cycle"] == info["cycles"] - 1


def test_waveform_from_the_start_can_be_checked(early):
    """Offline lockstep on the waveform sees the same."""
    assert early.first["cycle"] < 50
    done = rut.warplock("check", early.file("wave.fst"), "--block", "collector", *PINNED, "--json")
    assert done.code == early.done.code, done.err
    assert done.json["first"] == early.first
    assert done.json["cycles"] == early.first["cycle"] + 11


def test_waveform_of_the_middle_is_61_cycles(late):
    """It has no reset at its start in general; the cycles around the mismatch are there."""
    done = rut.warplock("check", late.file("wave.fst"), "--block", "collector", *PINNED, "--json")
    assert done.code in (Status.NO_RESET, late.done.code), done.err
    if done.out:
        assert done.json["cycles"] == 61


def test_nothing_half_written_is_left(late, early, data):
    for failure in (late, early, data):
        names = {path.name for path in failure.report.parent.iterdir()}
        assert names == {"report.txt", "stimulus.wlv", "wave.fst"}


def results(folder):
    """What the last run left of itself."""
    return json.loads((folder / "latest" / "results.json").read_text())


def test_reports_of_a_former_run_stay_apart(tmp_path):
    """A folder a run; a PASS leaves nothing stale behind `latest`."""
    first = Failure("former", DATA, tmp_path, *rut.QUICK)
    before = {p: p.read_bytes() for p in first.report.parent.iterdir()}
    again = Failure("former", EARLY, tmp_path, *rut.QUICK)
    assert again.first["port"] == "io_writeReq_ready"
    assert again.text.count("  repeat: ") == 1
    info = rut.warplock("vectors", "info", again.file("stimulus.wlv"), "--json").json
    assert info["cycles"] <= again.first["cycle"] + 1
    assert {p: p.read_bytes() for p in first.report.parent.iterdir()} == before
    assert results(tmp_path)["exit_code"] == again.done.code
    assert results(tmp_path)["results"] == [again.json]
    words = ("--rtl", rut.stub("plain"), *rut.QUICK, *PINNED, "--reports", tmp_path)
    passed = rut.run_lockstep(*words)
    assert passed.code == 0, passed.err
    latest = (tmp_path / "latest").resolve()
    assert [path.name for path in latest.iterdir()] == ["results.json"]
    assert results(tmp_path)["results"] == [passed.json]
    assert results(tmp_path)["command"].startswith("scripts/warplock lockstep --no-setup collector")
    folders = [path for path in tmp_path.iterdir() if not path.is_symlink()]
    assert len(folders) == 3
    assert max(folders) == latest  # sorts by time


def test_delayed_response_is_a_timing_divergence(tmp_path):
    failure = Failure("delayed", DELAYED, tmp_path, *rut.QUICK)
    assert failure.done.code == Status.TIMING_DIVERGENCE
    assert failure.json["verdict"] == "TIMING_DIVERGENCE"
    assert failure.first["port"] == "io_readResp_valid"


def test_lost_response_is_functional(tmp_path):
    lost = ("assign readResp_valid_o = read_valid_q;",
            "assign readResp_valid_o = read_valid_q && (next_alloc_id_q == '0);")  # fmt: skip
    failure = Failure("lost", lost, tmp_path, *rut.QUICK)
    assert failure.done.code == Status.FUNCTIONAL_MISMATCH
    assert failure.first["port"] == "io_readResp_valid"


def test_records_are_the_same_without_rtl(data, tmp_path):
    """A vector file of the seed drives the RTL into the same mismatch as the harness does."""
    vectors = tmp_path / "seed.wlv"
    config = [w for k, v in rut.SMALL.items() for w in ("--config", f"{k}={v}")]
    words = ("--seed", data.json["seed"], "--cycles", "5000", *ZERO, *config)
    made = rut.warplock("vectors", "gen", "collector", vectors, *words)
    assert made.code == 0, made.err
    played = rut.warplock("vectors", "play", vectors, "--rtl", data.rtl, "--json")
    assert played.code == data.done.code
    assert json_of(played)["first"] == data.first


def test_records_and_harness_meet_the_same_coverage(tmp_path):
    """The seed's coverage in a vector file and in the harness, which drains behind it."""
    vectors = tmp_path / "seed.wlv"
    config = [w for k, v in rut.SMALL.items() for w in ("--config", f"{k}={v}")]
    words = ("--seed", "11", "--cycles", "5000", *config)
    assert rut.warplock("vectors", "gen", "collector", vectors, *words).code == 0
    played = rut.warplock("vectors", "play", vectors, "--json").json
    run = rut.run_lockstep(
        "--rtl", rut.stub("plain"), "--seeds", "11", "--cycles", "5000", *PINNED
    ).json
    drain = run["cycles"] - played["cycles"]
    assert 0 <= drain <= 4
    for point, hits in played["coverage"].items():
        assert hits <= run["coverage"][point]["hits"] <= hits + drain, point


def test_named_configurations_of_the_stub():
    done = rut.run_lockstep("--config", "tiny", "--cycles", "3000", "--seeds", "1")
    assert done.code == 0
    assert done.json["verdict"] == "PASS"
