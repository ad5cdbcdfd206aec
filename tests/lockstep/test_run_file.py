# SPDX-License-Identifier: Apache-2.0
"""`lockstep --run NAME`: the blocks, configurations, seeds and waivers of a table in a file."""

import json

import programs
import pytest
import rtl_under_test as rut
from wlk import tables
from wlk.base import report, settings
from wlk.base.errors import Status
from wlk.run import run_file, runs
from wlk.run.runs import Lockstep

WRONG = {rut.CORE: ("assign writeReq_ready_o = 1'b1", "assign writeReq_ready_o = !rst_i")}
WAIVER = """[[waiver]]
block = "collector"
port = "io_writeReq_ready"
when = "reset"
reason = "low in reset"
owner = "a test"
until = 2099-01-01
"""
SMALL = "num_lanes=2 num_pregs=16 coll_entries=2"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Writes warplock.toml to the current folder, which has it in a folder above."""
    place = tmp_path / "project"
    (place / "below").mkdir(parents=True)
    monkeypatch.chdir(place / "below")

    def write(text):
        (place / settings.NAME).write_text(text)
        return place / settings.NAME

    return write


def rows(*words, code=0):
    done = programs.warplock("lockstep", *words, "--json", code=code)
    return [json.loads(line) for line in done.out.splitlines()]


def test_blocks_by_configurations_by_seeds(file):
    file(
        'seeds = "1..9"\ncycles = 9\n[run.night]\nblocks = ["scoreboard", "hazard"]\n'
        'configs = ["default", "num_warps=4"]\nseeds = "2,4"\ncycles = 1500\n'
    )
    found = rows("--run", "night", code=None)
    wanted = [(b, c) for b in ("scoreboard", "hazard") for c in ("default", "num_warps=4")]
    assert sorted((each["block"], each["name"]) for each in found) == sorted(wanted)
    assert {each["all_seeds"] for each in found} == {"2,4"}
    assert {each["cycles"] // 3000 for each in found} == {1}
    (one,) = rows("hazard", "--run", "night", "--config", "num_warps=2", "--seeds", "7", code=None)
    assert (one["block"], one["config"]["num_warps"], one["seeds"]) == ("hazard", 2, [7, 7])
    assert one["cycles"] // 1500 == 1


def test_rtl_of_each_block_with_waivers(file):
    place = rut.stub("run_file", edit=WRONG)
    top = file(
        f'rtl = ["no-such-folder"]\n[[block]]\nname = "collector"\nconfigs = ["{SMALL}"]\n'
        f'rtl = ["{place}"]\n[run.strict]\nseeds = "1..2"\ncycles = 4000\n'
        '[run.waived]\nseeds = "1..2"\ncycles = 4000\nwaive = ["known.toml"]\n'
        '[run.stubs]\nrtl = []\nseeds = "3"\ncycles = 4000\n'
    )
    (top.parent / "known.toml").write_text(WAIVER)
    assert rows("--run", "strict", code=rut.FAILS)[0]["first"]["port"] == "io_writeReq_ready"
    one, waivers = rows("--run", "waived", code=None)
    assert one["verdict"] in ("PASS", "VACUOUS") and one["waived"]
    assert waivers["waivers"][0]["state"] == "hit"
    (one,) = rows("--run", "stubs", "--settings", top, code=None)
    assert one["verdict"] in ("PASS", "VACUOUS") and "match" not in one
    assert one["config"]["num_lanes"] == 2


def planned(name, path, *words):
    """The runs that a table means."""
    asked = programs.cli.parse(["lockstep", "--run", name, "--settings", str(path), *words])
    asked.refuse()
    return asked.parts


def test_table_without_blocks_is_lockstep_without_one(file, monkeypatch, capsys):
    """All blocks, then the recordings and the line that sums up; no commands to try next."""
    path = file("[run.all]\ncycles = 9\n")
    (path.parent / "a.csv").touch()
    words = ("--recordings", str(path.parent))
    parts = planned("all", path, *words)
    assert [part.blocks for part in parts] == [[name] for name in tables.names()]
    checked = []
    passed = report.Result("scoreboard", Status.OK, extra={"name": "default"})
    monkeypatch.setattr(runs, "_run_all", lambda *_: ([passed], []))
    monkeypatch.setattr(runs.build, "meson_build", lambda **_: None)
    monkeypatch.setattr(runs, "_table", lambda *_: report.Table())
    monkeypatch.setattr(runs.recordings, "check_all", lambda *a, **_: checked.append(a[0]) or [])
    programs.cli.main(["lockstep", "--run", "all", "--settings", str(path), *words])
    assert checked == [path.parent]
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == "1 configuration PASS" and "next:" not in said


def test_what_a_table_does_not_say_comes_from_the_top(file):
    place = rut.stub("plain")
    path = file(
        f'rtl = ["{place}"]\ndefine = ["A=1"]\nseeds = "from night.seeds"\ncycles = 7\n'
        '[[block]]\nname = "collector"\nmodule = "M"\ntie = ["clock_en=1"]\n'
        '[[block]]\nname = "hazard"\n'
        '[run.all]\nkeep_going = true\npower_up = "zero"\n[run.one]\nblocks = ["issue"]\n'
    )
    (path.parent / "night.seeds").write_text("5 # why\n8..9\n")
    one, other = planned("all", path)
    assert (one.blocks, one.module, one.tie) == (["collector"], "M", {"clock_en": 1})
    assert (other.blocks, other.module, other.tie) == (["hazard"], None, {})
    for each in (one, other):
        assert (str(each.seeds), each.cycles, each.define) == ("5,8..9", 7, ["A=1"])
        assert (each.keep_going, each.power_up, each.rtl) == (True, "zero", [place])
        assert each.folder is one.folder and each.waivers is one.waivers
    (one,) = planned("one", path, "--power-up", "unknown", "--seeds", "1..5")
    assert (one.blocks, str(one.seeds), one.power_up) == (["issue"], "1..5", "unknown")
    assert [each.blocks for each in planned("all", path, "hazard")] == [["hazard"]]


def test_random_seeds_of_a_table_are_printed(file):
    file('[run.r]\nblocks = ["hazard"]\nseeds = "random 3"\ncycles = 1500\n')
    drawn, one = rows("--run", "r", code=None)
    assert drawn["random_seeds"] == one["all_seeds"]
    (again,) = rows("--run", "r", "--seeds", drawn["random_seeds"], code=None)
    assert again["compared_bits"] == one["compared_bits"]


def test_every_key_is_taken(file):
    """Each key of a table is an option of lockstep, or split into runs of their own."""
    options = {each.name for each in run_file.dataclasses.fields(Lockstep)}
    assert settings.KEYS["run"] - options == {"configs"}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[run.x]\nseed = '1'\n", ("[run.x]: no key seed; did you mean seeds?",)),
        ("[run.x]\ncolour = 1\n", ("[run.x]: no key colour; there are all, blocks, configs",)),
        ("[run.other]\ncycle = 1\n[run.x]\n", ("[run.other]: no key cycle; did you mean",)),
        ("run = 1\n", ("run must be a table",)),
        ("[run]\nx = 1\n", ("[run.x]: must be a table",)),
        ("[[run]]\nname = 'x'\n", ("run must be a table",)),
        ("[run.x]\nseeds = 3\n", ("[run.x]: seeds must be a string",)),
        ("[run.x]\nseeds = '5..1'\n", ("[run.x]: seeds: 5..1: the last seed is below", "random N")),
        ("[run.x]\nseeds = 'from none'\n", ("--seeds from ", "none: No such file")),
        ("[run.x]\ncycles = 0\n", ("[run.x]: cycles: 0 must be 1 or more",)),
        ("[run.x]\ncycles = true\n", ("[run.x]: cycles must be a number",)),
        ("[run.x]\nkeep_going = 1\n", ("[run.x]: keep_going must be true or false",)),
        ("[run.x]\nblocks = 'collector'\n", ("[run.x]: blocks must be a list",)),
        ("[run.x]\nblocks = [1]\n", ("[run.x]: blocks must be a list",)),
        ("[run.x]\nblocks = ['colector']\n", ("no block 'colector'; did you mean collector?",)),
        ("[run.x]\nblocks = ['hazard', 'hazard']\n", ("block hazard is asked for twice",)),
        ("[run.x]\npower_up = 'on'\n", ("power_up: 'on' must be one of unknown, zero",)),
        ("[run.x]\nverilator = 'old'\n", ("verilator: 'old' must be one of system, newest",)),
        ("[run.x]\nprofile = 'no'\nblocks = ['hazard']\n", ("has no profile 'no'",)),
        ("[run.x]\nblocks = ['hazard']\nconfigs = ['defualt']\n", ("did you mean default?",)),
        ("[run.x]\nwaive = ['none.toml']\n", ("none.toml: No such file",)),
        ("[run.x]\nblocks = ['hazard']\nrtl = ['none']\n", ("--rtl", "none: no such file")),
        ("[run.y]\n[run.z]\n", ("no table [run.x]; there are y, z",)),
        ("seeds = '1'\n", ("no table [run.x]; write one",)),
        ("[run.x\n", ("warplock.toml: ", "line 1")),
        ("[run.x]\n[run.x]\n", ("warplock.toml: ", "line 2")),
        (
            "rtl = ['.']\n[[block]]\nname = 'hazard'\nports = ['a=b']\n[run.x]\n",
            ("[[block]] hazard: ports: only regress", "lockstep BLOCK --map"),
        ),
        (
            "rtl = ['.']\n[[block]]\nname = 'hazard'\ntie = ['a']\n[run.x]\n",
            ("[[block]] hazard: tie: 'a' is not PORT=VALUE",),
        ),
    ],
)
def test_mistakes_are_named(file, text, parts):
    file(text)
    done = programs.warplock("lockstep", "--run", "x", code=None)
    assert done.code in (Status.USAGE, Status.NO_FILE, Status.BAD_CONFIG)
    programs.refused(done, Status(done.code), *parts)


def test_no_file_is_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = programs.warplock("lockstep", "--run", "x", code=None)
    programs.refused(done, Status.NO_FILE, "--run x: no warplock.toml in", "--settings FILE")
    done = programs.warplock("lockstep", "--run", "x", "--settings", "no.toml", code=None)
    programs.refused(done, Status.NO_FILE, "--settings no.toml: No such file")
    done = programs.warplock("lockstep", "--settings", "no.toml", code=None)
    programs.refused(done, Status.USAGE, "--settings goes with --run NAME")
