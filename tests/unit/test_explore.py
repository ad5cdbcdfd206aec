# SPDX-License-Identifier: Apache-2.0
"""The command `explore` around its runner: rows for all that can happen to a run, a database that
goes on, the answers, the page. The runner is explore_runner.py."""

import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from programs import python, refused, wait_for, warplock
from wlk import cli
from wlk.base import published, svg
from wlk.base.errors import Status
from wlk.explore import explore, store, summary
from wlk.explore.summary import Result

RUNNER = Path(__file__).with_name("explore_runner.py")
SMALL = ("--point", "src,minimal", "--workload", "mixed", "--seeds", "1..3")


@pytest.fixture(autouse=True)
def runner(monkeypatch, tmp_path):
    """A runner of ours, in an empty folder."""
    monkeypatch.setattr(explore, "runner", lambda: RUNNER)
    monkeypatch.chdir(tmp_path)


def program(name):
    Path(name).write_text("warplock-program 1\n")
    return name


def rows(path, columns="*"):
    """What the database holds."""
    base = sqlite3.connect(path)
    tables = [f"SELECT {columns} FROM run ORDER BY point, workload, seed"]
    tables += ["SELECT * FROM point ORDER BY title"] if columns == "*" else []
    found = [row for query in tables for row in base.execute(query)]
    base.close()
    return found


def statuses(path):
    return {row[0]: row[1] for row in rows(path, "point, status")}


# ---- what can happen to a run -------------------------------------------------------------------


def test_explore_writes_a_row_a_run():
    done = warplock("explore", *SMALL, "--db", "a.sqlite")
    assert "6 DONE" in done.out
    found = rows("a.sqlite", "point, workload, seed, status, cycles, issued, stallsWAW, warps")
    assert [row[:4] for row in found] == [
        (point, "mixed", seed, "DONE") for point in ("minimal", "src") for seed in (1, 2, 3)
    ]
    for row in found:
        assert row[4] >= row[5] == 8000
        assert row[6] == sum(warp["stallsWAW"] for warp in json.loads(row[7]))


def test_explore_refused_point_is_a_row():
    words = ("--point", "caching+option1,src", "--workload", "mixed", "--seeds", "1")
    done = warplock("explore", *words, "--db", "a.sqlite")
    assert statuses("a.sqlite") == {"caching+option1": "REFUSED", "src": "DONE"}
    assert "forwarding=must with collector=caching" in done.out


def test_explore_point_that_can_deadlock_is_unsafe_though_it_did_not():
    words = ("--point", "muon_rtl war=epoch,src", "--workload", "mixed", "--seeds", "1", "--json")
    done = warplock("explore", *words)
    assert done.objects[-1]["unsafe"] == {"muon_rtl war=epoch": "is able to deadlock"}
    warned, free = done.objects[:2]
    assert warned["status"] == free["status"] == "DONE"
    assert "can deadlock here" in warned["warning"][0]
    assert "warning" not in free


def test_explore_deadlock_is_a_row_with_cycle_and_state():
    words = ("--point", "src+option2,src", "--workload", program("my.prog"))
    done = warplock("explore", *words, "--db", "a.sqlite", "--json")
    assert statuses("a.sqlite") == {"src+option2": "HANG", "src": "DONE"}
    (hang,) = [each for each in done.objects if each.get("status") == "HANG"]
    assert hang["hang"]["cycle"] == 1010
    assert hang["hang"]["state"] == ["row 0 warp 0 waits for r5"]
    assert done.objects[-1]["unsafe"] == {"src+option2": "deadlocks on my.prog"}


def test_explore_runner_that_dies_is_a_row_and_the_rest_goes_on():
    loads = f"{program('die.prog')},mixed"
    words = ("--point", "src,minimal", "--workload", loads, "--seeds", "1..9")
    done = warplock("explore", *words, "--db", "a.sqlite", "--json", code=Status.MODEL_ERROR)
    (dead,) = {each["message"] for each in done.objects if each.get("status") == "ERROR"}
    assert dead == "the runner ended by SIGSEGV: wlk-explore: no luck today"
    found = [row[0] for row in rows("a.sqlite", "status")]
    assert sorted(found) == ["DONE"] * 18 + ["ERROR"] * 2


def test_explore_runner_that_died_once_is_tried_again():
    words = ("--point", "src", "--workload", program("once-x.prog"))
    warplock("explore", *words, "--db", "a.sqlite")
    assert Path("once-x.met").exists()


def test_explore_wrong_value_fails():
    loads = f"{program('wrong.prog')},mixed"
    words = ("--point", "src", "--workload", loads, "--db", "a.sqlite")
    done = warplock("explore", *words, code=Status.FUNCTIONAL_MISMATCH)
    assert "i3, operand 1, lane 0: 5, not 7" in done.out


def test_explore_without_a_run_that_ended_is_vacuous():
    words = ("--point", "caching+option1", "--workload", "mixed", "--db", "a.sqlite")
    assert "no point came" in warplock("explore", *words, code=Status.VACUOUS).out


def test_explore_runner_with_other_answers_is_an_error(monkeypatch):
    script = Path("odd.sh")
    script.write_text('#!/bin/sh\nwhile read x; do echo \'{"id": "other"}\'; done\n')
    script.chmod(0o755)
    monkeypatch.setattr(explore, "runner", script.absolute)
    done = warplock("explore", *SMALL, "--db", "a.sqlite", code=Status.MODEL_ERROR)
    assert "wlk-explore answers job 0.0.1 with" in done.last


# ---- the database -------------------------------------------------------------------------------


def test_explore_runs_nothing_twice(monkeypatch):
    warplock("explore", *SMALL, "--db", "a.sqlite")
    before = rows("a.sqlite")
    monkeypatch.setattr(explore, "Pool", None)
    warplock("explore", *SMALL, "--db", "a.sqlite")
    assert rows("a.sqlite") == before


def test_explore_database_of_another_sweep_is_refused():
    warplock("explore", *SMALL, "--db", "a.sqlite")
    before = Path("a.sqlite").read_bytes()
    words = ("--point", "src", *SMALL[2:], "--db", "a.sqlite")
    done = warplock("explore", *words, code=None)
    refused(done, Status.USAGE, "a.sqlite", "another sweep", "src, minimal, not src", "--db")
    assert Path("a.sqlite").read_bytes() == before


def test_explore_database_of_another_model_is_refused(monkeypatch):
    warplock("explore", *SMALL, "--db", "a.sqlite")
    other = Path("other.py")
    other.write_bytes(RUNNER.read_bytes() + b"# newer\n")
    monkeypatch.setattr(explore, "runner", lambda: other)
    done = warplock("explore", *SMALL, "--db", "a.sqlite", code=None)
    refused(done, Status.BAD_VERSION, "a.sqlite", "another model", "--db")


def test_explore_database_of_another_version_is_refused():
    warplock("explore", *SMALL, "--db", "a.sqlite")
    base = sqlite3.connect("a.sqlite")
    base.execute("UPDATE about SET version = 2")
    base.commit()
    base.close()
    done = warplock("explore", *SMALL, "--db", "a.sqlite", code=None)
    refused(done, Status.BAD_VERSION, "version 2 of the database", "version 1", "--db")


@pytest.mark.parametrize("kind", ["text", "tables"])
def test_explore_database_of_something_else_is_refused(kind):
    if kind == "text":
        Path("a.sqlite").write_text("not a database at all, but longer than a header is" * 9)
    else:
        base = sqlite3.connect("a.sqlite")
        base.execute("CREATE TABLE other (x)")
        base.commit()
        base.close()
    done = warplock("explore", *SMALL, "--db", "a.sqlite", code=None)
    refused(done, Status.CORRUPT, "a.sqlite", "no database of explore", "--db")


def test_explore_database_in_use_is_refused():
    words = ("explore", "--no-setup", *SMALL, "--db", "a.sqlite")
    process = python(RUNNER, *words, env={"EXPLORE_PAUSE": 0.3})
    wait_for(lambda: Path("a.sqlite").exists() and Path("a.sqlite").stat().st_size)
    done = warplock(words[0], *words[2:], code=None)
    refused(done, Status.USAGE, "a.sqlite", "another explore works there", "wait for it")
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_explore_database_locked_by_another_program_is_refused(monkeypatch):
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *w, **more: connect(*w, timeout=0.2, **more))
    warplock("explore", *SMALL, "--db", "a.sqlite")
    base = connect("a.sqlite", isolation_level=None)
    base.execute("DELETE FROM run")
    base.execute("BEGIN IMMEDIATE")
    done = warplock("explore", *SMALL, "--db", "a.sqlite", code=None)
    base.close()
    refused(done, Status.USAGE, "a.sqlite", "another program has the database")


def test_explore_database_in_no_folder_is_refused():
    done = warplock("explore", *SMALL, "--db", "none/a.sqlite", code=None)
    refused(done, Status.NO_FILE, "none/a.sqlite")


LONG = ("--point", "src,minimal,inst,caching", "--workload", "mixed,fma", "--seeds", "1..20")


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (90_000, 90_000))


def test_explore_goes_on_after_a_full_disk():
    words = [RUNNER, "explore", "--no-setup", *LONG, "--db", "a.sqlite"]
    environment = os.environ | {"EXPLORE_PAUSE": "0.01"}
    done = subprocess.run(
        [sys.executable, *map(str, words)], preexec_fn=limited, capture_output=True, text=True,
        env=environment,
    )  # fmt: skip
    assert done.returncode == Status.NO_SPACE, done.stderr
    assert "repeat the command: it goes on" in done.stderr
    assert 0 < len(rows("a.sqlite", "seed")) < 160
    warplock("explore", *LONG, "--db", "a.sqlite")
    warplock("explore", *LONG, "--db", "b.sqlite")
    assert rows("a.sqlite") == rows("b.sqlite")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_explore_goes_on_where_it_was_ended(number):
    words = ("explore", "--no-setup", *LONG, "--db", "a.sqlite")
    process = python(RUNNER, *words, env={"EXPLORE_PAUSE": 0.05}, start_new_session=True)

    def count():
        try:
            return len(rows("a.sqlite", "seed"))
        except sqlite3.Error:
            return 0

    wait_for(lambda: count() > 10)
    process.send_signal(number)
    process.communicate(timeout=60)
    codes = {signal.SIGKILL: -9, signal.SIGINT: Status.INTERRUPTED, signal.SIGTERM: 143}
    assert process.returncode == codes[number]
    assert 10 < count() < 160
    assert {row[0] for row in rows("a.sqlite", "status")} == {"DONE"}
    warplock("explore", *LONG, "--db", "a.sqlite")
    warplock("explore", *LONG, "--db", "b.sqlite")
    assert rows("a.sqlite") == rows("b.sqlite")


def test_explore_keeps_a_sweep_where_it_finds_it():
    done = warplock("explore", *SMALL)
    path = re.search(r"database: (\S+)", done.out)[1]
    assert Path(path).is_file()
    assert re.search(r"database: (\S+)", warplock("explore", *SMALL).out)[1] == path


# ---- answers ------------------------------------------------------------------------------------


def result(point, ipc, area):
    return Result(point, "mixed", area, ipcs=[ipc])


def test_summary_front_has_what_nothing_beats():
    results = [result("a", 0.5, 10), result("b", 0.6, 20), result("c", 0.55, 30)]
    results += [result("d", 0.7, 30), result("e", 0.7, 40), result("f", 0.4, 10)]
    assert [each.point for each in summary.pareto(results)] == ["a", "b", "d"]


def test_summary_takes_the_cheapest_within_two_percent():
    found = warplock("explore", *SMALL, "--point", "duplicated", "--json").objects[-1]["answers"]
    (answer,) = found
    assert answer["best"]["point"] == "duplicated"
    assert answer["within_2_percent"]["point"] == "duplicated"
    points = warplock("explore", *SMALL, "--point", "src3", "--json").objects[-1]["answers"]
    assert points[0]["within_2_percent"]["point"] == "src3"


def test_summary_never_takes_what_deadlocks_elsewhere():
    loads = f"mixed,{program('stuck.prog')}"
    words = ("--point", "src,muon_rtl", "--workload", loads, "--seeds", "1", "--json")
    mixed, stuck = warplock("explore", *words).objects[-1]["answers"]
    for answer in (mixed, stuck):
        assert [each["point"] for each in answer["front"]] == ["muon_rtl"]


def test_summary_never_takes_what_is_able_to_deadlock():
    words = ("--point", "src war=epoch coll_depth=4,muon_rtl", *SMALL[2:], "--json")
    last = warplock("explore", *words).objects[-1]
    assert last["unsafe"] == {"src war=epoch coll_depth=4": "is able to deadlock"}
    assert last["answers"][0]["best"]["point"] == "muon_rtl"


def test_summary_counts_runs_up_to_a_limit():
    words = ("--point", "minimal", "--workload", "mixed", "--seeds", "1", "--cycles", "9000")
    done = warplock("explore", *words, "--json")
    assert done.objects[0]["status"] == "LIMIT"
    assert done.objects[-1]["answers"][0]["best"]["point"] == "minimal"


def test_summary_group_is_the_geometric_mean():
    parts = [result("a", 0.4, 1), result("a", 0.9, 1)]
    assert summary.merged("a", "streams", parts).ipc == pytest.approx(0.6)


def test_summary_error_is_that_of_the_mean():
    found = Result("a", "mixed", 1, ipcs=[0.1, 0.2, 0.3])
    assert found.error == pytest.approx(0.1 / 3**0.5)
    assert result("a", 0.5, 1).error is None


# ---- the page -----------------------------------------------------------------------------------


class Reader(HTMLParser):
    """Open tags must be closed; text and links are kept."""

    EMPTY = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.links, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.EMPTY:
            self.open.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}>"

    def handle_data(self, data):
        self.text.append(data)


def read(path):
    reader = Reader()
    reader.feed(Path(path).read_text(encoding="utf-8"))
    assert reader.open == []
    return reader


def test_page_answers_first_for_the_kernels():
    words = ("--point", "src,src3,src+option2", "--seeds", "1..2", "--db", "a.sqlite")
    warplock("explore", *words, "--html", "page.html")
    text = " ".join(read("page.html").text)
    first, kernels = (
        text.index("Which collector should my core have?"),
        text.index("For the shipped"),
    )
    streams = text.index("For the streams")
    assert first < kernels < streams < text.index("IPC against area")
    assert re.search(r"For the shipped kernels take\s+src", text)
    for part in ("Pareto", "Stalls", "Conflicts, occupancy", "82,724", "no more progress"):
        assert part in text, part


def test_page_needs_nothing_else():
    warplock("explore", *SMALL, "--html", "page.html")
    assert all(link.startswith("#") for link in read("page.html").links)
    text = Path("page.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(|<script", text)
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text


def test_page_is_whole_without_any_answer():
    words = ("--point", "caching+option1", "--workload", "mixed", "--html", "page.html")
    warplock("explore", *words, code=Status.VACUOUS)
    assert "No point came to its end" in " ".join(read("page.html").text)


def test_page_shows_what_a_user_wrote_as_text():
    name = program("a<b>&c.prog")
    warplock("explore", "--point", "src", "--workload", name, "--html", "page.html")
    assert "a<b>&c.prog" in "".join(read("page.html").text)


def test_page_compares_with_the_specification():
    words = ("--point", "src,inst", "--workload", "mixed", "--seeds", "1..3", "--html", "page.html")
    warplock("explore", *words)
    text = Path("page.html").read_text(encoding="utf-8")
    assert re.search(r"<small class=\"\w+\">[+-]0\.\d{3} ±0\.\d{3}</small>", text)


def test_answer_is_given_where_the_page_cannot_be(monkeypatch):
    """Jinja2 is offered, and not needed: without it the page of a former run is removed."""
    asked = cli.parse(["explore", *SMALL, "--html", "page.html"])
    assert asked.needs() == ("build",) and published.offers(asked) == ("page",)
    warplock("explore", *SMALL, "--html", "page.html")
    monkeypatch.setitem(sys.modules, "jinja2", None)
    done = warplock("explore", *SMALL, "--html", "page.html", code=Status.NO_TOOL)
    assert "6 DONE" in done.out
    assert done.last == "no --html report: Python's package jinja2 is missing"
    assert not Path("page.html").exists()


def test_page_says_that_the_sweep_has_not_ended(monkeypatch):
    monkeypatch.setattr(explore.Explore, "_fill", lambda *_: sys.exit(143))
    with pytest.raises(SystemExit):
        cli.main(["explore", *SMALL, "--html", "page.html"])
    assert "ended by SIGTERM" in " ".join(read("page.html").text)


def test_page_replaces_no_other_file():
    Path("page.html").write_text("mine")
    done = warplock("explore", *SMALL, "--html", "page.html", code=None)
    refused(done, Status.USAGE, "page.html: is there and no report of warplock")
    assert Path("page.html").read_text() == "mine"
    done = warplock("explore", "--cost", "--html", "new.html", code=None)
    refused(done, Status.USAGE, "--cost runs nothing")


def test_page_that_cannot_be_written_is_refused_first():
    done = warplock("explore", *SMALL, "--html", "none/page.html", "--db", "a.sqlite", code=None)
    refused(done, Status.NO_FILE, "none/page.html")
    assert not Path("a.sqlite").exists()


@pytest.mark.parametrize("values", [[0.5], [0.0], [1, 2, 3], [66_000, 171_000], [0.38, 0.99]])
def test_page_axis_holds_all_values(values):
    found = svg.axis(values)
    assert found.low <= min(values) <= max(values) <= found.high
    assert found.low < found.high
    assert 2 <= len(found.ticks) <= 9


# ---- synthesis ----------------------------------------------------------------------------------

TINY = ("--set", "num_lanes=1", "--set", "num_pregs=16", "--workload", "mixed", "--seeds", "1")


@pytest.mark.slow
@pytest.mark.needs("prove")
def test_synth_counts_the_stub():
    words = ("--point", "minimal,src", *TINY, "--synth", "--synth-block", "collector_x", "--json")
    found = [each["synth"] for each in warplock("explore", *words, "--html", "p.html").objects
             if "synth" in each]  # fmt: skip
    assert [each["status"] for each in found] == ["DONE", "DONE"]
    small, large = sorted(found, key=lambda each: each["flops"])
    assert small["point"].startswith("minimal")
    for each in found:
        assert each["memory_bits"] == 16 * 32  # the register file
        assert each["gates"] > each["flops"] > 3 * 32
    assert "Synthesis of the stub" in "".join(read("p.html").text)


@pytest.mark.slow
@pytest.mark.needs("prove")
def test_synth_that_fails_is_a_row():
    words = (
        "--point",
        "src,minimal reg_banks=16",
        *TINY,
        "--synth",
        "--synth-block",
        "collector_x",
    )
    done = warplock("explore", *words, "--json")
    found = {each["synth"]["point"]: each["synth"] for each in done.objects if "synth" in each}
    statuses = [each["status"] for each in found.values()]
    assert sorted(statuses) == ["BAD_CONFIG", "DONE"]


def test_synth_of_no_block_is_refused():
    done = warplock("explore", *SMALL, "--synth", "--synth-block", "nothing", code=Status.USAGE)
    assert "there is no such block" in done.last


def test_store_columns_are_the_counters_of_the_contract():
    assert len(store.COUNTERS) == 19
