# SPDX-License-Identifier: Apache-2.0
"""Coverage databases: what is added once, merged, ranked, shown, and refused. Runs are made up;
those of RTL are in tests/lockstep/test_coverage_runs.py."""

import dataclasses
import itertools
import math
import random
import signal
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from programs import error, python, refused, warplock
from wlk import tables
from wlk.base import database
from wlk.base.errors import Status
from wlk.run import cover_holes, cover_store, cover_view, covered
from wlk.run.cover_store import Point, Run, Space

TABLE = tables.load("scoreboard")
POINTS = (Point("alloc", 100_000, "taken"), Point("free", 50, "freed"), Point("never", 0, "no"))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def space(config="num_warps=8", points=POINTS, block="scoreboard"):
    digest = "-".join(f"{p.name}{p.rate}" for p in points)
    return Space(block, config, "", digest, points)


def run(seed=1, hits=(9, 1, 0), **more):
    usual = {"verdict": "PASS", "cycles": 20_000, "added": f"2026-11-26T08:00:{seed:02}.000000Z"}
    return Run("lockstep", "mix", seed, 20_000, "unknown", hits=hits, **(usual | more))


def real(config=None, **more):
    """A space of the scoreboard as it is, and a run that hits all of its points."""
    values = TABLE.config(config or {})
    where = covered.space(TABLE, values, TABLE.show(values), {})
    return where, run(hits=(10**6,) * len(where.points), **more)


def written(name, *runs, where=None):
    cover_store.add(Path(name), {where or space(): runs})
    return Path(name)


def only(found):
    """The group of all runs."""
    (group,) = cover_view.groups(found)
    return group


# ---- adding -------------------------------------------------------------------------------------


def test_coverage_reads_what_was_added():
    runs = [run(1, (5, 0, 2), module="M", rtl="d", source="--rtl x", version="0.5"), run(2)]
    assert cover_store.read(written("a", *runs)) == {space(): runs}


def test_coverage_same_run_again_replaces_it():
    written("a", run(1, (5, 5, 5)), run(2, (1, 1, 1)))
    written("a", run(1, (7, 0, 0), verdict="HANG", cycles=12))
    assert cover_store.read(Path("a"))[space()] == [
        run(1, (7, 0, 0), verdict="HANG", cycles=12),
        run(2, (1, 1, 1)),
    ]


@pytest.mark.parametrize("key", ["kind", "stimulus", "seed", "asked", "power_up"])
def test_coverage_another_run_is_kept_beside_it(key):
    other = {"kind": "check", "stimulus": "x", "seed": 7, "asked": 1, "power_up": "zero"}[key]
    written("a", run(), dataclasses.replace(run(), **{key: other}))
    assert len(cover_store.read(Path("a"))[space()]) == 2


def test_coverage_is_added_whole_or_not_at_all(monkeypatch):
    written("a", run(1))
    before = cover_store.read(Path("a"))
    with pytest.raises(ZeroDivisionError):
        cover_store.add(Path("a"), {space(): (run(1 // (3 - n)) for n in range(4))})
    assert cover_store.read(Path("a")) == before


WRITER = """
import sys
sys.path[:0] = {path!r}
from pathlib import Path
from test_coverage import run, space
from wlk.run import cover_store
for seed in range({first}, {first} + 12):
    cover_store.add(Path("a"), {{space(): [run(seed % 18), run(seed)]}})
"""


def test_coverage_several_commands_add_at_the_same_time():
    """Three make the file and add to it; half of what they add is the same."""
    path = [str(Path(__file__).parent), *map(str, __import__("sys").path)]
    writers = [python("-c", WRITER.format(path=path, first=6 * n)) for n in range(3)]
    texts = [each.communicate(timeout=60)[1] for each in writers]
    assert [each.returncode for each in writers] == [0, 0, 0], texts
    seeds = sorted(each.seed for each in cover_store.read(Path("a"))[space()])
    assert seeds == list(range(24))


def test_coverage_command_waits_for_one_that_is_adding():
    """And reads nothing before it has its turn, which would keep the other one from its end."""
    base = sqlite3.connect(written("a", run(1)), isolation_level=None)
    base.execute("BEGIN IMMEDIATE")
    base.execute("UPDATE run SET cycles = 7")
    with ThreadPoolExecutor(1) as thread:
        other = thread.submit(written, "a", run(2))
        time.sleep(0.2)  # it is under way; if it is not, the test is easier
        base.execute("COMMIT")
        other.result()
    base.close()
    assert [each.cycles for each in cover_store.read(Path("a"))[space()]] == [7, 20_000]


def test_coverage_seeds_in_other_parameters_are_forgotten():
    """A run whose parameters pass the probe and fail later on is made once more, in others."""
    rtl = SimpleNamespace(top="M", content=[])
    words = {"cover": Path("a"), "profile": "mix", "program": None, "cycles": 9, "power_up": "zero"}
    args = SimpleNamespace(**words, as_options=list)
    job = SimpleNamespace(table=TABLE, config=TABLE.defaults(), args=args, rtl=rtl, matched=None)
    seeds = covered.Seeds(job, waits=True)
    for pending in (1, 3):
        job.config = TABLE.config({"max_pending_reads": pending})
        job.shown = TABLE.show(job.config)
        seeds.begin()
        seeds.take([str(pending), "9", "PASS", ",".join("1" * len(TABLE.covers))])
    assert not Path("a").exists()  # what may be forgotten still
    seeds.write()
    ((where, (only_one,)),) = cover_store.read(Path("a")).items()
    assert (only_one.seed, "max_pending_reads=3" in where.config) == (3, True)


KILLED = """
import os, signal, sqlite3, sys
base = sqlite3.connect("a", isolation_level=None)
base.execute("PRAGMA cache_size = 1")
base.execute("BEGIN IMMEDIATE")
base.execute("DELETE FROM hit")
base.execute("CREATE TABLE much (x)")
base.executemany("INSERT INTO much VALUES (?)", [("y" * 900,)] * 2000)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_coverage_writer_killed_in_the_middle_leaves_what_was_there():
    written("a", run(1), run(2))
    killed = python("-c", KILLED)
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert Path("a-journal").stat().st_size > 0  # it was in the middle
    assert cover_store.read(Path("a")) == {space(): [run(1), run(2)]}


# ---- merging ------------------------------------------------------------------------------------


def random_database(dice):
    spaces = [space(), space("num_warps=4"), space(points=POINTS[:2])]
    found = {}
    for where in dice.sample(spaces, dice.randint(1, 3)):
        runs = {}
        for _ in range(dice.randint(0, 6)):
            hits = tuple(dice.randint(0, 3) for _ in where.points)
            made = run(dice.randint(1, 4), hits, added=f"T{dice.randint(0, 3)}")
            runs[made.key] = made
        found[where] = sorted(runs.values())
    return found


def test_coverage_merge_does_not_depend_on_the_order():
    dice = random.Random(1)
    clashes = 0
    for _ in range(300):
        parts = [random_database(dice) for _ in range(3)]
        whole = cover_store.merged(parts)
        for order in itertools.permutations(parts):
            assert cover_store.merged(order) == whole
        pairs = cover_store.merged([cover_store.merged(parts[:2]), parts[2]])
        assert pairs == whole == cover_store.merged([whole, *parts, whole])
        clashes += sum(map(len, whole.values())) < sum(len(r) for p in parts for r in p.values())
    assert clashes > 100


def test_coverage_merge_writes_one_database():
    written("a", run(1, (1, 0, 0)), run(2, (5, 0, 0)))
    written("b", run(2, (7, 0, 0), added="2027"), run(3, (9, 0, 0)))
    done = warplock("coverage", "a", "b", "b", "--merge", "c", code=Status.VACUOUS)
    assert "c: 3 runs" in done.out
    assert [r.hits[0] for r in cover_store.read(Path("c"))[space()]] == [1, 7, 9]
    one = warplock("coverage", "c", "--json", code=Status.VACUOUS).json
    assert one == warplock("coverage", "b", "a", "--json", code=Status.VACUOUS).json
    done = warplock("coverage", "a", "--merge", "c", code=None)
    refused(done, Status.USAGE, "c: exists already", "--force")
    warplock("coverage", "a", "--merge", "c", "--force", code=Status.VACUOUS)
    assert len(cover_store.read(Path("c"))[space()]) == 2


def test_coverage_points_of_another_version_are_not_summed():
    written("a", run(1, (3, 3, 3)), run(2, (3, 3, 3)))
    newer = space(points=(*POINTS, Point("more", 1, "new")))
    written("a", run(3, (1, 1, 1, 1)), where=newer)
    done = warplock("coverage", "a", "--json", code=None)
    shown = {each.get("old", False): each for each in done.objects}
    assert [p["hits"] for p in shown[False]["points"]] == [1, 1, 1, 1]
    assert shown[True]["runs"] == 2
    text = warplock("coverage", "a", code=None).out
    assert "2 runs have points of another version and are not counted" in text
    assert text.splitlines()[2].split()[-1] == "old" or text.splitlines()[3].split()[-1] == "old"


def test_coverage_space_is_that_of_points_floors_and_model():
    """Each of these makes another digest; prose does not."""
    values = TABLE.defaults()

    def digest(table):
        return covered.space(table, values, table.show(values), {}).digest

    def with_point(**more):
        return dataclasses.replace(TABLE, covers=[TABLE.covers[0] | more, *TABLE.covers[1:]])

    usual = digest(TABLE)
    assert digest(with_point(doc="other words")) == usual
    for other in (
        *(with_point(name="renamed"), with_point(floor=1), with_point(when="num_pregs > 4096")),
        dataclasses.replace(TABLE, covers=TABLE.covers[1:]),
        dataclasses.replace(TABLE, model_version=TABLE.model_version + 1),
        dataclasses.replace(TABLE, fields=TABLE.fields[1:]),
    ):
        assert digest(other) != usual


# ---- goals --------------------------------------------------------------------------------------


def test_coverage_run_that_fails_does_not_count():
    group = only({space(): [run(1, (2, 0, 0)), run(2, (9, 9, 9), verdict="HANG")]})
    assert [seen.hits for seen in group.seen] == [2, 0, 0]
    assert (group.failed, group.cycles, group.seen[0].runs) == (1, 20_000, 1)
    assert only({space(): [run(1, verdict="HANG")]}).verdict == Status.VACUOUS


def test_coverage_goal_is_of_the_mix_alone_and_one_hit_at_least():
    goals = lambda *runs: [seen.goal for seen in only({space(): runs}).seen]  # noqa: E731
    assert goals(run(1)) == [cover_view.goal(100_000, 20_000), 1, 0]
    assert goals(run(1), run(2, cycles=10_000)) == [cover_view.goal(100_000, 30_000), 1, 0]
    other = dataclasses.replace(run(2), stimulus="sparse")
    assert goals(run(1), other, dataclasses.replace(run(3), kind="check")) == goals(run(1))
    assert goals(other) == [1, 1, 0]


@pytest.mark.parametrize("cycles", [1, 1999, 2000, 10**6, 10**9])
def test_coverage_goal_lacks_three_standard_deviations(cycles):
    for rate in (1, 50, 100_000, 10**6):
        mean = math.ceil(rate * cycles / 10**6)
        off = math.ceil(math.sqrt(9 * mean)) if cycles >= 2000 else 0
        assert cover_view.goal(rate, cycles) == max(1, mean - off)
    assert cover_view.goal(0, cycles) == 0


def test_coverage_tied_inputs_have_no_goals():
    values = TABLE.defaults()
    tied = covered.space(TABLE, values, TABLE.show(values), {"io_x": 1})
    assert {point.rate for point in tied.points} == {0}
    assert tied.place != covered.space(TABLE, values, TABLE.show(values), {}).place


def test_coverage_floors_are_those_of_the_configuration():
    rates = [
        {p.name: p.rate for p in covered.points(TABLE, TABLE.config({"num_pregs": n}))}
        for n in (2, 4)
    ]
    assert [rate["partial_group"] > 0 for rate in rates] == [False, True]


# ---- ranking ------------------------------------------------------------------------------------


def reached(runs):
    return {n for each in runs for n, hits in enumerate(each.hits) if hits}


def fewest(runs):
    """So many runs are enough at least: by trying all."""
    for size in range(len(runs) + 1):
        for chosen in itertools.combinations(runs, size):
            if reached(chosen) == reached(runs):
                return size
    raise AssertionError


def random_runs(dice):
    points, density = dice.randint(1, 9), dice.random()
    return [
        run(seed, tuple(int(dice.random() < density) for _ in range(points)),
            cycles=dice.choice((100, 200)))
        for seed in range(1, dice.randint(2, 9))
    ]  # fmt: skip


def test_coverage_ranking_against_all_subsets():
    dice = random.Random(2)
    best = 0
    for _ in range(400):
        runs = random_runs(dice)
        found = cover_view.rank(runs)
        chosen = [each.run for each in found]
        assert reached(chosen) == reached(runs)
        for left_out in chosen:  # none is superfluous
            assert reached(r for r in chosen if r != left_out) != reached(runs)
        least = fewest(runs)
        largest = max((len(reached([each])) for each in runs), default=0)
        assert len(chosen) <= least * sum(1 / n for n in range(1, largest + 1)) + 1e-9
        best += len(chosen) == least
        assert cover_view.rank(dice.sample(runs, len(runs))) == found
    assert best > 350


def test_coverage_ranking_is_greedy():
    """Two rows of seven would do; columns that take more of both rows are chosen first."""
    rows = [(1,) * 7 + (0,) * 7, (0,) * 7 + (1,) * 7]
    columns = [(1, 1, 1, 1, 0, 0, 0), (0, 0, 0, 0, 1, 1, 0), (0, 0, 0, 0, 0, 0, 1)]
    runs = [run(n, hits) for n, hits in enumerate([*rows, *(column * 2 for column in columns)])]
    assert [each.run.seed for each in cover_view.rank(runs)] == [2, 3, 4]
    assert fewest(runs) == 2


def test_coverage_ranking_says_what_each_adds():
    runs = [run(1, (1, 1, 0), cycles=50), run(2, (0, 1, 1), cycles=20), run(3, (1, 1, 0), cycles=9)]
    found = cover_view.rank(runs)
    assert [(r.run.seed, r.new, r.reached, r.cycles) for r in found] == [
        (3, 2, 2, 9),
        (2, 1, 3, 29),
    ]
    assert cover_view.rank([run(1, (0, 0, 0))]) == []


# ---- what is shown ------------------------------------------------------------------------------


def test_coverage_all_goals_met_is_pass():
    where, good = real()
    written("a", good, where=where)
    assert warplock("coverage", "a").out.splitlines()[2].split() == [
        *("scoreboard", "default", "1", "20,000", "19", "19", "19/19", "PASS")
    ]
    listed = warplock("coverage", "a", "--points").out
    assert all(point.name in listed for point in where.points)


def test_coverage_names_configurations():
    for config, name in (({"max_pending_reads": 9}, "max_pending_reads=9"), ({}, "default")):
        where, good = real(config)
        assert only({where: [good]}).name == name
    pending = TABLE.configs["pending1"]
    where, good = real(pending)
    assert only({where: [good]}).name == "pending1"
    assert only({space(block="of_another"): [run()]}).name == "num_warps=8"


def test_coverage_json_has_all_of_it():
    written("a", run(1, (9000, 1, 0)), run(2, (0, 0, 0), verdict="HANG"))
    answer = warplock("coverage", "a", "--json", "--rank").json
    assert answer["verdict"] == "PASS"
    assert (answer["runs"], answer["failed"], answer["cycles"]) == (1, 1, 20_000)
    assert (answer["reached"], answer["goals"], answer["goals_met"]) == (2, 2, 2)
    assert answer["points"][0] == {
        "name": "alloc",
        "hits": 9000,
        "goal": cover_view.goal(100_000, 20_000),
        "runs": 1,
        "doc": "taken",
    }
    (best,) = answer["rank"]
    assert best["command"].endswith("warplock lockstep scoreboard --seeds 1..1 --cycles 20000")
    assert (best["seed"], best["stimulus"], best["new"], best["cycles_so_far"]) == (
        1,
        "mix",
        2,
        20_000,
    )


def test_coverage_hole_has_a_command_that_continues():
    """The rarest profile was run; another one is known to hit more often."""
    where, good = real()
    names = [point.name for point in where.points]
    hits = [hits * (name != "register_0") for hits, name in zip(good.hits, names, strict=True)]
    runs = [dataclasses.replace(run(seed, tuple(hits)), stimulus="both") for seed in (1, 2)]
    group = only({where: runs})
    (hole,) = group.holes
    way = cover_holes.Way("quirks", 500, "unknown", 25, 1000, "of the model alone")
    found = cover_holes._hole(group, hole, [(way, lambda name: 25)], [group], Path("a"))
    assert found.known == "profile quirks: 25 hits in 1,000 cycles of the model alone"
    words = "lockstep scoreboard --profile quirks --seeds 1..1 --cycles 500 --cover a"
    assert found.command.partition("warplock ")[2] == words
    slow = dataclasses.replace(way, profile="both", asked=20_000, cycles=10**6)
    found = cover_holes._hole(group, hole, [(slow, lambda name: 1)], [group], Path("a"))
    assert "--profile both --seeds 3..77 " in found.command  # 1.5 hits at 0.02 a seed
    none = cover_holes._hole(group, hole, [(way, lambda name: 0)], [group], Path("a"))
    assert none.command == ""


def test_coverage_hole_that_another_configuration_reaches():
    where, good = real()
    other, better = real(TABLE.configs["pending1"])
    empty = run(hits=(0,) * len(where.points))
    groups = cover_view.groups({where: [empty], other: [better]})
    first = next(group for group in groups if group.space == where)
    found = cover_holes._hole(first, first.holes[0], [], groups, Path("a"))
    assert "configuration pending1, profile mix" in found.known
    assert "--config max_pending_reads=1" in found.command


def test_coverage_page_has_holes_bars_and_nothing_else():
    where, _ = real()
    hits = (5,) * (len(where.points) - 1) + (0,)
    written("a", dataclasses.replace(run(1, hits), stimulus="both"), where=where)
    done = warplock("coverage", "a", "--html", "a.html", "--rank", code=Status.VACUOUS)
    text = Path("a.html").read_text()
    last = where.points[-1]
    for part in (last.name, last.doc, "0 of 1", "18 of 19 goals", "seed 1, both", "VACUOUS"):
        assert part in text, part
    assert text.count('class="bar bad"') == 1
    assert "http" not in text
    assert "<script" not in text
    assert done.out
    warplock("coverage", "nothing", "--html", "a.html", code=Status.NO_FILE)
    assert Path("a.html").read_text() == text


@pytest.mark.needs("ucis")
def test_coverage_ucis_reads_back():
    from ucis import UCIS_TESTSTATUS_OK
    from ucis.cover_type_t import CoverTypeT
    from ucis.history_node_kind import HistoryNodeKind
    from ucis.scope_type_t import ScopeTypeT
    from ucis.xml.xml_factory import XmlFactory

    written("a", run(1, (7000, 0, 3)), run(2, (2, 0, 0)), run(3, verdict="HANG"))
    other = run(9, (1, 1, 1), source="--rtl 'a <&> \udc80b'")
    written("a", other, where=space("num_warps=4"))
    warplock("coverage", "a", "--ucis", "a.xml", code=Status.VACUOUS)
    read = XmlFactory.read("a.xml")  # checks it against the schema of UCIS
    found = {}
    for instance in read.scopes(ScopeTypeT.INSTANCE):
        (group,) = instance.scopes(ScopeTypeT.COVERGROUP)
        for point in group.scopes(ScopeTypeT.COVERPOINT):
            (bin_,) = point.coverItems(CoverTypeT.CVGBIN)
            assert bin_.getName() == point.getScopeName()
            counts = (bin_.getCoverData().data, point.getAtLeast(), point.getWeight())
            found[instance.getScopeName(), point.getScopeName()] = counts
    goal = cover_view.goal(100_000, 40_000)
    half = cover_view.goal(100_000, 20_000)
    assert found == {
        ("scoreboard_default", "alloc"): (7002, goal, 1),
        ("scoreboard_default", "free"): (0, 1, 1),
        ("scoreboard_default", "never"): (3, 1, 0),
        ("scoreboard_num_warps=4", "alloc"): (1, half, 1),
        ("scoreboard_num_warps=4", "free"): (1, 1, 1),
        ("scoreboard_num_warps=4", "never"): (1, 1, 0),
    }
    nodes = [*read.historyNodes(HistoryNodeKind.ALL)]
    assert sorted(node.getSeed() for node in nodes) == ["1", "2", "9"]
    assert {node.getTestStatus() for node in nodes} == {UCIS_TESTSTATUS_OK}
    refused(warplock("coverage", "a", "--ucis", "a.xml", code=None), Status.USAGE, "a.xml: exists")


# ---- what is refused ----------------------------------------------------------------------------


def damage(kind):
    if kind == "text":
        Path("a").write_text("no database at all, but longer than a header is " * 9)
    elif kind == "other":
        base = sqlite3.connect("a")
        base.execute("CREATE TABLE other (x)")
        base.commit()
        base.close()
    elif kind == "empty":
        Path("a").touch()
    else:
        written("a", run())
        base = sqlite3.connect("a")
        base.execute("UPDATE about SET version = 2")
        base.commit()
        base.close()


@pytest.mark.parametrize(
    ("kind", "status", "parts"),
    [
        ("text", Status.CORRUPT, ("a: is no coverage database", "--cover")),
        ("other", Status.CORRUPT, ("a: is no coverage database", "--cover")),
        ("version", Status.BAD_VERSION, ("version 2 of the database", "version 1", "--cover")),
    ],
)
def test_coverage_refuses_what_it_cannot_read(kind, status, parts):
    damage(kind)
    before = Path("a").read_bytes()
    refused(warplock("coverage", "a", code=None), status, *parts)
    for words in (("lockstep", "scoreboard"), ("vectors", "play", "x.wlv"), ("check", "x.fst")):
        refused(warplock(*words, "--cover", "a", code=None), status, *parts)
    assert Path("a").read_bytes() == before


def test_coverage_refuses_files_that_are_none():
    refused(warplock("coverage", "none", code=None), Status.NO_FILE, "none: no such file")
    refused(warplock("coverage", ".", code=None), Status.NO_FILE, ".: is a folder; check the name")
    done = warplock("lockstep", "scoreboard", "--cover", "no/a", code=None)
    refused(done, Status.NO_FILE, "cannot write no/a")
    Path("folder").mkdir()
    for words in (("lockstep", "scoreboard", "--cover", "folder"), ("coverage", "folder")):
        refused(warplock(*words, code=None), Status.NO_FILE, "folder")
    done = warplock("check", "folder", "--cover", "a", code=None)
    refused(done, Status.USAGE, "--cover goes with one dump")
    written("a", run())
    refused(warplock("coverage", "a", "--merge", "no/b", code=None), Status.NO_FILE, "no/b")


def test_coverage_without_a_run_is_vacuous():
    cover_store.add(Path("a"), {})
    refused(warplock("coverage", "a", code=None), Status.VACUOUS, "a: has no run", "--cover FILE")


def test_coverage_unknown_block_is_named():
    written("a", run())
    done = warplock("coverage", "a", "--block", "colector", code=None)
    refused(done, Status.USAGE, "colector", "a has no run of it; it has scoreboard")


def test_coverage_database_that_another_program_holds(monkeypatch):
    monkeypatch.setattr(cover_store, "WAIT", 50)
    base = sqlite3.connect(written("a", run(1)), isolation_level=None)
    base.execute("BEGIN EXCLUSIVE")
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *w, **more: connect(*w, timeout=0.1, **more))
    with error(Status.USAGE, "a: another program has the database", "wait for it"):
        cover_store.add(Path("a"), {space(): [run(2)]})
    base.execute("ROLLBACK")
    assert cover_store.read(Path("a")) == {space(): [run(1)]}
    base.close()


def test_coverage_disk_that_is_full(monkeypatch):
    """As SQLite says it; a disk that is full: tests/lockstep/test_coverage_runs.py."""
    path = written("a", run(1))
    before = cover_store.read(path)

    connect = database.connect

    def limited(place, kind, **more):
        base = connect(place, kind, **more)
        base.execute("PRAGMA max_page_count = 1")  # no page more than there are
        return base

    monkeypatch.setattr(database, "connect", limited)
    with error(Status.NO_SPACE, "cannot write a: ", "free some space", "nothing counts twice"):
        cover_store.add(path, {space(): [run(seed) for seed in range(2, 3000)]})
    assert cover_store.read(path) == before
