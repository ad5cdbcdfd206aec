# SPDX-License-Identifier: Apache-2.0
"""Blocks outside the tree: the examples through each command, and a shipped one that was moved."""

import os
import re
import shlex
import shutil
import subprocess

import programs
import pytest
import rtl_under_test as rut
from wlk import tables
from wlk.base.errors import Status
from wlk.gen import c

pytestmark = [pytest.mark.slow, pytest.mark.needs("rtl")]
EXAMPLES = rut.ROOT / "docs" / "examples"
NAMES = ("cpu_scoreboard", "fifo", "rr_arbiter")
SHORT = ("--seeds", "1..2", "--cycles", "20000")
LINES = 150  # hand-written, beside the RTL


def warplock(*words, code=0, blocks=EXAMPLES):
    """In a process of its own: blocks stay known to one."""
    command = [rut.ROOT / "scripts" / "warplock", *words, "--blocks", blocks, "--no-setup"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert code is None or done.returncode == code, done.stderr
    return programs.Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


def test_example_is_short(name):
    files = [p for p in (EXAMPLES / name).iterdir() if p.suffix in (".c", ".h", ".toml", ".md")]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    assert 0 < lines <= LINES


def test_example_passes_and_its_wave_too(name, tmp_path):
    """Every configuration; the waveform of one goes through `check` with the map of the folder."""
    done = warplock("lockstep", name, "--all", *SHORT, "--json", "--reports", tmp_path / "all")
    assert len(done.objects) >= 3
    assert {answer["verdict"] for answer in done.objects} == {"PASS"}
    words = ("--seeds", "1", "--cycles", "2000", "--waves", "--reports", tmp_path / "waves")
    warplock("lockstep", name, *words, code=None)
    (wave,) = (tmp_path / "waves").glob("2*/*/wave.fst")
    answer = warplock("check", wave, "--json").json
    assert (answer["block"], answer["verdict"]) == (name, "PASS")


def test_faults_of_an_example_are_reported(name):
    done = warplock("mutate", name, "--json", *SHORT)
    counts = done.objects[-1]
    assert counts["faults"] - counts["skipped"] > 5
    assert counts["reported"] == counts["faults"] - counts["skipped"]
    assert counts["false_alarms"] == 0


def typed_in(name, place):
    """The command of the example's README, in a folder with a copy of the examples: its code, and
    what it prints."""
    readme = (place / "docs" / "examples" / name / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^```\n(scripts/warplock .*)\n```", readme, re.MULTILINE)
    words = shlex.split(line)
    env = os.environ | {"WARPLOCK_NO_SETUP": "1"}
    done = subprocess.run(words, cwd=place, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


FAULTS = {
    "cpu_scoreboard": ("any_free && !hazard", "any_free"),
    "fifo": ("count_q != CountW'(Depth)", "count_q != CountW'(Depth - 1)"),
    "rr_arbiter": ("locked_q <= lock", "locked_q <= 1'b0"),
}


def test_command_of_the_page_fails_on_faulty_rtl(name, tmp_path):
    (tmp_path / "scripts").symlink_to(rut.ROOT / "scripts")
    shutil.copytree(EXAMPLES, tmp_path / "docs" / "examples")
    (rtl,) = (tmp_path / "docs" / "examples" / name / "rtl").glob("*.sv")
    rut.change(rtl, *FAULTS[name])
    code, printed = typed_in(name, tmp_path)
    assert code == Status.FUNCTIONAL_MISMATCH, printed
    assert "FUNCTIONAL_MISMATCH" in printed and "PASS" not in printed


def test_faulty_rtl_differs(tmp_path):
    """As a user's own, by the map and the parameters of the block's folder."""
    rtl = tmp_path / "fifo.sv"
    good = (EXAMPLES / "fifo" / "rtl" / "fifo.sv").read_text(encoding="utf-8")
    rtl.write_text(good, encoding="utf-8")
    words = ("lockstep", "fifo", "--rtl", rtl, "-G", "Depth=7", *SHORT, "--json")
    answer = warplock(*words).json
    assert (answer["verdict"], answer["config"]["depth"]) == ("PASS", 7)
    rtl.write_text(good.replace("else if (flush_i)", "else if (flush_i && !push)"))
    answer = warplock(*words, code=Status.FUNCTIONAL_MISMATCH).json
    assert answer["first"]["port"] in ("count_o", "pop_valid_o", "push_ready_o")


def test_rtl_of_an_example_is_proved(name):
    warplock("prove", name, "--rtl", EXAMPLES / name / "rtl", "--fresh")


def test_second_version_of_an_example_is_proved_or_refuted(tmp_path):
    """An arbiter written anew, whose `gnt_id` is another while nobody asks; then a fault."""
    second = rut.ROOT / "tests" / "lockstep" / "one_hot_arbiter.sv"
    words = ("prove", "rr_arbiter", "--fresh", "--json", "--rtl")
    assert warplock(*words, second).json["verdict"] == "PROVED"
    faulty = tmp_path / second.name
    text = second.read_text(encoding="utf-8")
    faulty.write_text(rut.changed(text, "<= !lock", "<= !(lock && req[0])", faulty), "utf-8")
    answer = warplock(*words, faulty, code=Status.REFUTED).json
    assert answer["first"]["port"] in ("gnt", "gnt_id")
    assert answer["counterexample"]["confirmed"]


def test_bound_checker_finds_its_library(tmp_path):
    """The folder holds the block's library beside ours."""
    source = EXAMPLES / "fifo" / "rtl" / "fifo.sv"
    warplock("bind", "fifo", "--rtl", source, "--out", tmp_path / "wlk")
    answers = []
    for number, text in enumerate((source.read_text(), source.read_text().replace("!= '0", "> 1"))):
        rtl = tmp_path / f"{number}.sv"
        rtl.write_text(text, encoding="utf-8")
        place = tmp_path / f"obj{number}"
        command = ["verilator", "--binary", "--timing", "-Wno-fatal", "-f"]
        command += [tmp_path / "wlk" / "warplock.f", rtl, TESTBENCH, "--top-module", "tb"]
        subprocess.run([*command, "--Mdir", place], check=True, capture_output=True)
        done = subprocess.run([place / "Vtb"], capture_output=True, text=True, check=False)
        answers.append(done.returncode == 0 and "PASS" in done.stderr)
    assert answers == [True, False]


TESTBENCH = rut.ROOT / "tests" / "lockstep" / "fifo_tb.sv"


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    """The scoreboard with all that belongs to it, under another name."""
    folder = tmp_path_factory.mktemp("blocks") / "moved"
    shutil.copytree(tables.folder("scoreboard"), folder)
    shutil.copytree(rut.ROOT / "rtl_stub/scoreboard", folder / "rtl")
    table = (folder / "block.toml").read_text(encoding="utf-8")
    new = 'block.name = "moved"\nblock.c_name = "scoreboard"'
    assert 'block.name = "scoreboard"' in table
    text = table.replace('block.name = "scoreboard"', new)
    (folder / "block.toml").write_text(text, encoding="utf-8")
    include = folder / "include" / "warplock"
    include.mkdir(parents=True)
    for kind in ("ports", "view"):  # a block of one's own sees the public structs
        (include / f"scoreboard_{kind}.h").write_text('#include "warplock/moved_ports.h"\n')
    (include / "scoreboard_open.h").touch()
    (include / "hazard_ports.h").write_text(c.CTable(tables.load("hazard")).header())
    return folder


def same(answers):
    """What must be equal of two runs, but for the block's name and times."""
    keys = ("verdict", "cycles", "compared_bits", "masked_bits", "coverage", "first", "config")
    return [{key: each[key] for key in keys if key in each} for each in answers]


def test_moved_block_behaves_the_same(moved):
    config = programs.config_options(tables.load("scoreboard").configs["tiny"])
    words = ("--seeds", "1..3", "--cycles", "5000", *config, "--json")
    here = warplock("lockstep", "moved", *words, blocks=moved, code=None).objects
    there = rut.warplock("lockstep", "scoreboard", *words, code=None).objects
    assert same(here) == same(there)


def test_moved_block_finds_the_same_faults(moved):
    words = ("--short", "--slice", str(programs.SLICE), "--json", "--cycles", "5000")
    here = warplock("mutate", "moved", *words, blocks=moved).objects
    there = rut.warplock("mutate", "scoreboard", *words).objects
    # They come as they end.
    found, wanted = ({each.get("fault"): each for each in all_} for all_ in (here, there))
    assert len(found) > 5
    assert found.keys() == wanted.keys()
    assert same(found.values()) == same(wanted[name] for name in found)


def test_moved_block_checks_the_recordings(moved):
    recording = programs.recording("muon/scoreboard_B.fst")
    answer = warplock("check", recording, "--block", "moved", "--json", blocks=moved).json
    there = rut.warplock("check", recording, "--block", "scoreboard", "--json").json
    assert same([answer]) == same([there])


@pytest.mark.needs("git")
def test_regress_judges_an_example_and_again_when_its_model_changes(tmp_path):
    blocks = tmp_path / "blocks"
    shutil.copytree(EXAMPLES / "fifo", blocks / "fifo")
    chip = tmp_path / "chip"
    chip.mkdir()
    rtl = (EXAMPLES / "fifo" / "rtl" / "fifo.sv").read_text(encoding="utf-8")
    git = ("git", "-C", chip, "-c", "user.name=a", "-c", "user.email=a@b.example")
    subprocess.run([*git, "init", "-q"], check=True)
    for subject, text in {
        "begin": "",
        "first": rtl,
        "broken": rtl.replace("else if (flush_i)", "else if (flush_i && !push)"),
    }.items():
        (chip / "fifo.sv").write_text(text, encoding="utf-8")
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", subject], check=True)

    def judge():
        words = ("--repo", chip, "--rtl", "fifo.sv", "--range", "HEAD~2..HEAD", "--json")
        seeds = ("--seeds", "1", "--cycles", "3000", "--proof-timeout", "0")
        command = [rut.ROOT / "scripts" / "warplock", "regress", *words, *seeds]
        command += ["--store", tmp_path / "store", "--block", "fifo", "--blocks", blocks]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
        rows = programs.Done(done.returncode, done.stdout, done.stderr).objects
        return [row["verdict"] for row in rows if "commit" in row]

    assert judge() == ["PASS", "FUNCTIONAL_MISMATCH"]
    model = blocks / "fifo" / "model.c"
    wrong = model.read_text(encoding="utf-8").replace("st->count > 0)", "st->count > 1)")
    model.write_text(wrong, encoding="utf-8")
    assert judge() == ["FUNCTIONAL_MISMATCH", "FUNCTIONAL_MISMATCH"]  # and not what is kept
