# SPDX-License-Identifier: Apache-2.0
"""--cover of real runs: each seed's own counts, whichever process ran it, also of runs that fail,
are killed or run side by side; and the page of the documents."""

import dataclasses
import re
import shlex
import shutil
import signal
from pathlib import Path

import full_disk
import programs
import pytest
import rtl_under_test as rut
from wlk.base.errors import Status
from wlk.run import cover_store, cover_view

SHORT = ("--cycles", "2500")
PAGE = rut.ROOT / "docs" / "coverage.md"


def lockstep(*words, block="scoreboard", code=0, cover="a", **more):
    """A run of the stub, or of RTL."""
    return rut.run_lockstep(*words, "--cover", cover, block=block, code=code, **more)


def read(name="a"):
    """The only space, and its runs but for the time when they were added."""
    ((space, runs),) = cover_store.read(Path(name)).items()
    return space, [dataclasses.replace(run, added="") for run in runs]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_seeds_sum_up_to_the_run_with_its_floors():
    """Also the goals of what was run are the floors of the harness."""
    for cycles in ("700", "2500", "7001"):
        answer = lockstep("--seeds", "3..6", "--cycles", cycles, code=None, cover=cycles).json
        (group,) = cover_view.groups(cover_store.read(Path(cycles)))
        assert [run.seed for run in group.runs] == [3, 4, 5, 6]
        assert group.cycles == answer["cycles"]
        assert [seen.point.name for seen in group.seen] == [*answer["coverage"]]
        for seen, whole in zip(group.seen, answer["coverage"].values(), strict=True):
            assert (seen.hits, seen.goal) == (whole["hits"], max(1, whole["floor"]))


def test_seeds_are_the_same_from_several_processes_and_alone():
    lockstep("--seeds", "1..6", *SHORT, "--jobs", "1", code=None)
    lockstep("--seeds", "1..6", *SHORT, "--jobs", "4", cover="b", code=None)
    lockstep("--seeds", "5", *SHORT, cover="c", code=None)
    assert read("a") == read("b")
    assert read("c")[1] == [run for run in read("a")[1] if run.seed == 5]
    assert len({run.hits for run in read("a")[1]}) == 6
    before = read("a")
    lockstep("--seeds", "2..3", *SHORT, code=None)  # once more: it counts once
    assert read("a") == before


def test_failing_seeds_are_kept_and_do_not_count():
    """Each of them with --keep-going, the first one without; once the RTL is right, they count."""
    wrong = ("--rtl", rut.stub("wrong_ready", edit=rut.READY), *rut.PINNED)
    words = ("--seeds", "1..4", "--cycles", "3000", "--jobs", "2")
    lockstep(*wrong, *words, "--keep-going", block="collector", code=rut.FAILS)
    _, runs = read()
    assert {run.seed: run.verdict for run in runs} == dict.fromkeys(range(1, 5), rut.FAILS.name)
    done = programs.warplock("coverage", "a", "--json", code=Status.VACUOUS).json
    assert (done["runs"], done["failed"], done["cycles"], done["reached"]) == (0, 4, 0, 0)
    right = ("--rtl", rut.stub("plain"), *rut.PINNED)
    lockstep(*right, *words, block="collector")
    after = read()[1]
    assert {run.verdict for run in after} == {"PASS"}
    assert {run.rtl for run in after}.isdisjoint(run.rtl for run in runs)
    assert programs.warplock("coverage", "a", "--json").json["runs"] == 4


def test_inferred_parameters_are_those_of_the_row():
    """The ports leave coll_entries open, and runs in other values leave no row."""
    lockstep("--rtl", rut.stub("plain"), "--seeds", "1..2", *SHORT, block="collector", code=None)
    space, runs = read()
    assert "coll_entries=2" in space.config.split()
    assert [run.seed for run in runs] == [1, 2]


def test_waveforms_and_vector_files_count_once():
    place, rtl = Path("reports"), ("--rtl", rut.stub("plain"), *rut.PINNED)
    words = ("--seeds", "1", *SHORT, "--waves", "--reports", place)
    lockstep(*rtl, *words, block="collector", code=None)
    (wave,) = place.glob("2*/*/wave.fst")
    for _ in range(2):
        programs.warplock("check", wave, "--block", "collector", *rut.PINNED, "--cover", "a")
    kinds = {run.kind: run for run in read()[1]}
    assert sorted(kinds) == ["check", "lockstep"]
    assert sum(kinds["check"].hits) > 1000
    words = ("--seed", "1", *SHORT)
    programs.warplock("vectors", "gen", "scoreboard", "s.wlv", *words)
    for _ in range(2):
        done = programs.warplock("vectors", "play", "s.wlv", "--cover", "b", "--json").json
    assert read("b")[1][0].hits == tuple(done["coverage"].values())


KILLED = """
import sys
sys.path.insert(0, {scripts!r})
from wlk import cli
from wlk.run import covered
covered.PERIOD = 0.0
sys.exit(cli.main({words!r}))
"""
MANY = ("--seeds", "1..500", "--cycles", "20000", "--jobs", "2")


def start_many(cover):
    """A run of minutes, which writes each seed at once."""
    words = ["lockstep", "scoreboard", "--no-setup", *MANY, "--cover", cover, "--reports", "r"]
    return programs.python("-c", KILLED.format(scripts=str(rut.ROOT / "scripts"), words=words))


def test_runs_that_end_early_leave_their_seeds():
    """One is killed, one interrupted, and both work in one file. Each seed is as in a whole run."""
    ended = {signal.SIGKILL: start_many("a"), signal.SIGINT: start_many("a")}
    programs.wait_for(lambda: Path("a").exists() and len(cover_store.read(Path("a"))) == 1, 60)
    programs.wait_for(lambda: len(read()[1]) >= 6, 60)
    for number, process in ended.items():
        process.send_signal(number)
    for process in ended.values():
        process.communicate(timeout=60)
    assert [process.returncode for process in ended.values()] == [-signal.SIGKILL, 130]
    _, runs = read()
    assert len(runs) < 500
    seeds = sorted(run.seed for run in runs)[:3]
    lockstep("--seeds", f"{seeds[0]}..{seeds[-1]}", "--cycles", "20000", cover="b", code=None)
    whole = {run.seed: run for run in read("b")[1]}
    assert {run.seed: run for run in runs if run.seed in seeds} == {n: whole[n] for n in seeds}


@pytest.mark.skipif(bool(full_disk.can_mount()), reason=full_disk.can_mount())
def test_full_disk_costs_no_verdict():
    with full_disk.disk(Path("disk"), 4 * full_disk.PAGE) as disk:
        (disk / full_disk.FILLER).write_bytes(b"x" * 3 * full_disk.PAGE)
        done = lockstep("--seeds", "1..3", "--cycles", "20000", cover=disk / "a", code=None)
        assert done.code == Status.NO_SPACE
        assert done.json["verdict"] == "PASS"
        assert "no coverage: cannot write disk/a" in done.err
        assert "free some space" in done.err


def test_page_of_the_documents_is_what_comes_out():
    """Its two commands, their output, and those that they print for the holes."""
    blocks = re.findall(r"^```\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    typed, shown = blocks[0].splitlines(), blocks[1]
    run(typed[0])
    assert run(typed[1], Status.VACUOUS).out == shown
    for line in re.findall(r"^  (scripts/warplock .*)$", shown, re.M):
        run(line)
    assert "19/19  PASS" in run("scripts/warplock coverage night.cover").out


# ---- what cannot be reached ---------------------------------------------------------------------

# `never`: no state has it; `code`: eight cycles in a row that no profile has.
POINTS = """cover = [
  { name = "never", floor = 1, doc = "a number that no requester has" },
  { name = "code", floor = 1, doc = "eight times the same request, locked and taken" },
"""
STATE = "uint32_t last, locked, code;"
EVENTS = """events |= st->last >= cfg->num ? EVENT(NEVER) : 0u;
    events |= st->code == 8 ? EVENT(CODE) : 0u;
    events |= st->locked && asks(in, st->last) && (in->req"""
EDGE = """    const bool next = in->req == 5 && in->lock && in->accept;
    st->code = next && st->code < 8 ? st->code + 1u : 0u;
    if (in->req != 0 && in->accept) {"""


@pytest.fixture
def arbiter(tmp_path):
    """The example, with two points more and what one of them needs."""
    place = tmp_path / "rr_arbiter"
    shutil.copytree(rut.ROOT / "docs" / "examples" / "rr_arbiter", place)
    for name, old, new in (
        ("block.toml", "cover = [\n", POINTS),
        ("model.c", "uint32_t last, locked;", STATE),
        ("model.c", "events |= st->locked && asks(in, st->last) && (in->req", EVENTS),
        ("model.c", "    if (in->req != 0 && in->accept) {", EDGE),
        ("model.c", "    st->locked = 0;\n}\n\nstatic uint64_t", CLEARED),
    ):
        text = (place / name).read_text()
        assert text.count(old) == 1, old
        (place / name).write_text(text.replace(old, new))
    return place


CLEARED = "    st->locked = 0;\n    st->code = 0;\n}\n\nstatic uint64_t"


@pytest.mark.needs("rtl", "model", "prove")
def test_holes_are_proved_unreachable_or_reached(arbiter):
    own = {"WLK_BLOCKS": ""}
    words = ("--blocks", arbiter, "--seeds", "1..2", "--cycles", "3000", "--cover", "a")
    programs.typed("lockstep", "rr_arbiter", *words, code=None, **own)
    words = ("coverage", "a", "--prove", "--json", "--blocks", arbiter)
    done = programs.typed(*words, code=Status.VACUOUS, **own).json
    never, code = done["holes"]
    assert (never["name"], never["unreachable"]) == ("never", True)
    assert never["known"] == "unreachable: proved for all legal inputs after a reset"
    assert (code["name"], code.get("unreachable")) == ("code", None)
    assert re.fullmatch(r"inputs of \d+ cycles reach it", code["known"])
    assert (done["goals"], done["goals_met"]) == (4, 3)
    again, *given = shlex.split(code["command"])
    programs.typed(*given, code=0, **own)
    done = programs.typed(*words, code=0, **own).json
    assert (done["goals"], done["goals_met"]) == (4, 4)
    (point,) = (each for each in done["points"] if each["name"] == "never")
    assert (point["goal"], point["unreachable"]) == (0, True)


@pytest.mark.parametrize(
    ("text", "other", "why", "count"),
    [
        ("do {\n", "goto next;\n    next: do {\n", "Goto is no statement of model C", 2),
        (".events = points, ", "", "model.c: no .events in WLK_STRUCTS_MODEL", 5),
    ],
)
def test_hole_of_a_model_that_cannot_be_read_is_left(arbiter, text, other, why, count):
    model = (arbiter / "model.c").read_text()
    (arbiter / "model.c").write_text(model.replace(text, other))
    words = ("--blocks", arbiter, "--seeds", "1..2", "--cycles", "3000", "--cover", "a")
    programs.typed("lockstep", "rr_arbiter", *words, code=None, WLK_BLOCKS="")
    words = ("coverage", "a", "--prove", "--blocks", arbiter)
    done = programs.typed(*words, code=Status.VACUOUS, WLK_BLOCKS="")
    assert done.out.count("  no proof: ") == count
    assert why in done.out


def run(line, code=0):
    program, *words = shlex.split(line)
    assert program == "scripts/warplock"
    return programs.warplock(*words, code=code)
