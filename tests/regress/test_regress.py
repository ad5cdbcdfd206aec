# SPDX-License-Identifier: Apache-2.0
"""Verdicts over the commits of a repository: as planned, each module judged once, nothing lost."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from programs import FULL, Done, error, refused, started, warplock
from wlk.base import progress, setup
from wlk.base.errors import Status, WlkError
from wlk.regress import git as repositories
from wlk.regress import store as database
from wlk.regress import subjects
from wlk.regress.settings import Block
from wlk.run import verilate

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(setup.ROOT / "tests" / "lockstep"))
import full_disk  # noqa: E402
import history  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.needs("prove", "git")]
PLACE = setup.BUILD / "test" / "regress"  # the same each time, as builds are kept by path
SEED = 1


def title(row: dict) -> str:
    """Block and configuration."""
    return f"{row['block']} {row['config']}"


def regress(repo: Path, *words: object, store: Path, code: int | None = None) -> Done:
    """A run over a whole history."""
    span = ["--range", f"{root(repo)}.."] if "--range" not in words else []
    return warplock("regress", "--repo", repo, *span, "--store", store, "--json", *words, code=code)


def root(repo: Path) -> str:
    """The first commit."""
    return git(repo, "rev-list", "--max-parents=0", "HEAD").strip()


def git(repo: Path, *words: object) -> str:
    """What git answers."""
    names = ["-c", "user.name=A. Designer", "-c", "user.email=a@example.org"]
    command = ["git", "-C", repo, *names, *words]
    return subprocess.run(map(str, command), check=True, capture_output=True, text=True).stdout


def files(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def past() -> history.History:
    """The history; only a part of it but with `test --full`."""
    shutil.rmtree(PLACE, ignore_errors=True)
    found = history.History(PLACE / "chip", short=not FULL)
    found.make()
    return found


@pytest.fixture(scope="module")
def judged(past) -> Done:
    """A run over it."""
    before = files(past.place)
    words = ("--junit", PLACE / "junit.xml", "--summary", PLACE / "summary.md")
    words += ("--html", PLACE / "page.html")
    done = regress(past.place, *words, store=PLACE / "store", code=Status.FUNCTIONAL_MISMATCH)
    assert files(past.place) == before  # the user's repository is only read
    return done


# ---- verdicts -----------------------------------------------------------------------------------


def test_verdicts_are_as_planned(past, judged):
    wrong = []
    for row in judged.objects:
        word = row["verdict"]
        short = word if word in ("PASS", "BUILD_FAIL", "IFACE_CHANGED") else "FAIL"
        if short != past.planned[row["commit"], title(row)]:
            wrong.append((past.subject(row["commit"]), title(row), word))
    assert wrong == []
    assert len(judged.objects) == len(past.planned) == 3 * len(past.steps)


def test_verdicts_are_in_the_order_of_commits(past, judged):
    order = git(past.place, "rev-list", "--topo-order", "--reverse", f"{root(past.place)}..HEAD")
    shown = list(dict.fromkeys(row["commit"] for row in judged.objects))
    assert shown == order.split()


def test_comments_cost_nothing(past, judged):
    """But for the first commit, before which nothing is known."""
    first = judged.objects[0]["commit"]
    found = [row for row in judged.objects if past.subject(row["commit"]).startswith("Comment")]
    assert {row["settled_by"] for row in found if row["commit"] != first} == {"same"}
    assert len(found) > 6


def test_refactorings_are_proved(past, judged):
    found = {(row["commit"], title(row)): row["settled_by"] for row in judged.objects}
    assert {found[each] for each in past.refactored} == {"proved"}
    assert len(past.refactored) >= 3


def test_failure_has_what_repeats_it(judged):
    row = next(row for row in judged.objects if row["verdict"] == "FUNCTIONAL_MISMATCH")
    assert row["first"].keys() == {"cycle", "port", "expected", "got", "care"}
    assert Path(row["report"], "output.txt").read_text().count(row["first"]["port"])
    again = warplock(*row["repro"].split()[1:], "--json", "--reports", PLACE / "reports", code=1)
    assert again.json["first"] == row["first"]


def test_reports_name_the_failures(past, judged):
    suites = ElementTree.parse(PLACE / "junit.xml").getroot()
    wrong = {each for each in suites.iter() if each.tag in ("failure", "error")}
    cases = [each for each in suites.iter("testcase") if wrong & set(each)]
    failed = {each.get("name").split(" ", 1)[1] for each in cases}
    wanted = {past.subject(row["commit"]) for row in judged.objects if row["verdict"] != "PASS"}
    assert failed == wanted
    text = next(suites.iter("failure")).text
    assert "scripts/warplock lockstep" in text
    assert "seed" in text
    summary = (PLACE / "summary.md").read_text()
    assert summary.startswith("### warplock: 1 of 3 fail")
    assert history.LOWER in summary


class Page(HTMLParser):
    """What a page shows: block and verdict of each cell, and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[tuple] = []
        self.links: list[str] = []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if "data-verdict" in values:
            self.cells.append((values["data-block"], values["data-verdict"]))
        self.links += [values["href"]] if tag == "a" else []


def test_page_shows_every_verdict(past, judged):
    found = Page()
    found.feed((PLACE / "page.html").read_text())
    assert sorted(found.cells) == sorted((title(row), row["verdict"]) for row in judged.objects)
    points = next(row["points"] for row in judged.objects if row["block"] == "scoreboard")
    text = (PLACE / "page.html").read_text()
    assert [name for name in points if f"<td>{name}</td>" not in text] == []
    assert found.links
    assert all((PLACE / each).is_file() for each in found.links)


def test_repeat_is_answered_from_the_store(past, judged):
    start = time.monotonic()
    before = (PLACE / "page.html").read_text()
    words = ("--html", PLACE / "page.html")
    done = regress(past.place, *words, store=PLACE / "store", code=Status.FUNCTIONAL_MISMATCH)
    assert (PLACE / "page.html").read_text() == before
    assert done.objects == judged.objects
    assert not [line for line in done.err.splitlines() if "judging" in line]
    assert time.monotonic() - start < 10


def test_profile_makes_a_legal_change_pass(past, judged):
    """Commits before the profile's are judged by the old parameters still."""
    profile = f"""
[[profile]]
name = "two reads"
block = "scoreboard"
since = "{past.ids[history.LOWER]}"
config = "max_pending_reads=2"
"""
    path = PLACE / "profile.toml"
    path.write_text(history.SETTINGS + profile)
    words = ("--settings", path, "--block", "scoreboard", "--tip")
    done = regress(past.place, *words, store=PLACE / "store", code=0)
    found = {past.subject(row["commit"]): row for row in done.objects}
    assert found[history.LOWER]["verdict"] == "PASS"
    assert found[history.LOWER]["profile"] == "two reads"
    assert "profile" not in found["Rename a port"]
    assert found["Commit without a look at success"]["verdict"] == "FUNCTIONAL_MISMATCH"


def test_ports_of_a_range_may_have_other_names(past, judged):
    """Only where the profile holds; a commit that has no such port is shown as one that differs."""
    renamed, back = past.ids["Rename a port"], past.ids["Give it back"]
    profile = f"""
[[profile]]
name = "other names"
block = "scoreboard"
since = "{renamed}"
until = "UNTIL"
ports = ["io_updateWB_success=io_wb_success"]
"""
    verdicts = {}
    for until in (back, past.ids["Only six inputs go wrong"]):
        path = PLACE / "ports.toml"
        path.write_text(history.SETTINGS + profile.replace("UNTIL", until))
        span = ("--range", f"{renamed}~1..{back}")
        words = ("--settings", path, "--block", "scoreboard", *span)
        for row in regress(past.place, *words, store=PLACE / "store").objects:
            verdicts[until, row["commit"]] = row
    assert verdicts[back, renamed]["verdict"] == verdicts[back, back]["verdict"] == "PASS"
    assert verdicts[back, renamed]["profile"] == "other names"
    wrong = verdicts[until, back]
    assert wrong["verdict"] == "IFACE_CHANGED"
    assert "has no port io_wb_success" in wrong["message"]


# ---- bisect -------------------------------------------------------------------------------------


def bisect(past: history.History, title: str, span: str, *words: object) -> Done:
    """Look for the first bad commit of a block in a configuration."""
    block, *config = title.split()
    options = [word for each in config for word in ("--config", each)]
    options += ["--store", PLACE / "store", "--range", span, *words]
    return warplock("bisect", block, "--repo", past.place, *options)


def test_bisect_finds_each_fault(past, judged):
    """The modules are judged already, so that nothing is simulated again."""
    count, known = 0, rows(PLACE / "store")
    for subject, name, good, bad in past.faults():
        done = bisect(past, name, f"{good}..{bad}", "--json").json
        assert past.subject(done["first_bad"]) == subject
        assert done["last_good"] in {each["commit"] for each in done["tested"]}
        assert rows(PLACE / "store") == known
        count += 1
    assert count >= 4


def test_bisect_skips_what_does_not_build(past, judged):
    """The commits around it are looked at, it is not the answer."""
    name, broken = history.TITLES[0], past.ids["Shorten the sum"]
    behind = past.steps[[step.subject for step in past.steps].index("Shorten the sum") + 1 :]
    bad = next(s for s in behind if past.planned[past.ids[s.subject], name] != "PASS")
    span = f"{past.git('rev-parse', f'{broken}~2').strip()}..{past.ids[bad.subject]}"
    done = bisect(past, name, span, "--json").json
    assert past.subject(done["first_bad"]) == bad.subject
    assert "maybe" not in done


def test_bisect_shows_the_change(past, judged, tmp_path):
    span = f"{root(past.place)}..{past.ids['Merge the branch']}"
    page, junit = tmp_path / "bisect.html", tmp_path / "bisect.xml"
    done = bisect(past, history.SMALL, span, "--html", page, "--junit", junit)
    assert history.BRANCH in done.out.splitlines()[0]
    text = page.read_text()
    assert '<span class="badge good">FOUND</span>' in text
    assert text.count("the first bad commit") == 1
    cases = [*ElementTree.parse(junit).getroot().iter("testcase")]
    bad = [case for case in cases if case.find("failure") is not None]
    assert 2 <= len(cases) > len(bad) >= 1
    assert sum("ready_i[0];" in case.find("failure").text for case in bad) == 1
    assert "+            ready_o[i] = ready_i[0];" in done.out
    assert "A. Designer" in done.out
    assert "repeat: scripts/warplock lockstep compactor" in done.out
    play = done.out.partition("shrunk to 1 cycle: scripts/warplock ")[2].splitlines()[0]
    assert warplock(*play.split(), "--json", code=1).objects[-1]["verdict"] == "FUNCTIONAL_MISMATCH"


def test_bisect_refuses_ends_that_are_not_good_and_bad(past, judged):
    first = past.ids[past.steps[0].subject]
    good = f"{first}..{past.ids['Rename ahead']}"
    words = ["--store", PLACE / "store", "--config", "n=4", "--config", "k=2", "--repo", past.place]
    done = warplock("bisect", "compactor", *words, "--range", good, code=None)
    refused(done, Status.USAGE, "BAD is", "Rename ahead", "PASS; it must be bad")


# ---- interruption -------------------------------------------------------------------------------

QUICK = ("--block", "compactor", "--proof-timeout", "0")


def rows(store: Path) -> list[tuple]:
    """What is in a database, without times."""
    base = sqlite3.connect(store / database.NAME)
    found = base.execute("SELECT commit_id, block, config, verdict, settled_by FROM verdict")
    more = base.execute("SELECT key, block, config, commit_id, verdict FROM result")
    subjects = base.execute("SELECT tree, block, status, module, key FROM subject")
    return sorted(map(str, [*found, *more, *subjects]))


def test_killed_run_goes_on(past, judged):
    whole, killed = PLACE / "whole", PLACE / "killed"
    regress(past.place, *QUICK, store=whole)
    rng = random.Random(SEED)
    span = f"{root(past.place)}.."
    for _ in range(10 if FULL else 3):
        words = ["--repo", past.place, "--range", span, "--store", killed, *QUICK]
        process = started("regress", *words, start_new_session=True)
        time.sleep(rng.uniform(0.3, 3.0))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    regress(past.place, *QUICK, store=killed)
    assert rows(killed) == rows(whole)


def test_what_was_judged_before_the_range_is_compared_with(past, judged):
    """A commit at a time, as a nightly run does it: refactorings are proved all the same."""
    store = PLACE / "nightly"
    for step in past.steps[:2]:
        name = past.ids[step.subject]
        words = ("--range", f"{name}~1..{name}", "--block", "scoreboard")
        done = regress(past.place, *words, store=store, code=0)
    assert done.json["settled_by"] == "proved"
    assert done.json["proved_equal_to"] == past.ids[past.steps[0].subject]


def test_only_changed_blocks_are_judged(past, judged):
    """Of a pull request; nothing is known of the commits before it."""
    name, store = past.ids["Rename ahead"], PLACE / "changed"
    words = ("--range", f"{name}~1..{name}", "--changed")
    done = regress(past.place, *words, store=store, code=0)
    assert {title(row) for row in done.objects} == {history.SMALL, history.WIDE}
    comment = past.ids[past.steps[0].subject]
    words = ("--range", f"{comment}~1..{comment}", "--changed", "--summary", PLACE / "none.md")
    words += ("--html", PLACE / "none.html", "--junit", PLACE / "none.xml")
    done = regress(past.place, *words, store=store, code=0)
    assert done.objects == []
    assert "no block has changed" in done.err
    assert "no block has changed" in (PLACE / "none.md").read_text()
    assert '<span class="badge good">PASS</span>' in (PLACE / "none.html").read_text()
    assert ElementTree.parse(PLACE / "none.xml").getroot().get("tests") == "0"
    broken = past.ids["Shorten the sum"]
    tree = git(past.place, "rev-parse", f"{broken}^{{tree}}").strip()
    again = git(past.place, "commit-tree", tree, "-p", broken, "-m", "Still broken").strip()
    done = regress(past.place, "--range", f"{broken}..{again}", "--changed", store=store)
    assert done.code == Status.BUILD_FAIL


def test_assertion_is_simulated_though_outputs_are_equal():
    """A proof does not see it."""
    place = PLACE / "asserted"
    warplock("stub", "compactor", "--config", "n=3", "--config", "k=3", "--out", place / "rtl")
    git(PLACE, "init", "--quiet", place)
    git(place, "commit", "--quiet", "--allow-empty", "-m", "Begin")
    path = place / "rtl" / "Compactor.sv"
    for text in ("", "  always @(posedge clock) assert (!io_in_0_valid);\n"):
        path.write_text(path.read_text().replace("endmodule", f"{text}endmodule"))
        git(place, "add", "--all")
        git(place, "commit", "--quiet", "-m", f"A commit {text}")
    words = ("--rtl", "rtl", "--block", "compactor", "--seeds", "1")
    done = regress(place, *words, store=PLACE / "store", code=Status.RTL_ASSERTION)
    found = [(row["verdict"], row["settled_by"]) for row in done.objects]
    assert found == [("PASS", "simulated"), ("RTL_ASSERTION", "simulated")]


def test_two_runs_on_one_store_are_refused(past, judged):
    with database.Store(PLACE / "store").opened():
        done = regress(past.place, store=PLACE / "store")
    assert done.code == Status.USAGE
    assert "another regress or bisect works there" in done.last


# ---- caches -------------------------------------------------------------------------------------


def aged(place: Path) -> Path:
    """Make all entries of a cache old."""
    for entry in place.iterdir():
        os.utime(entry, (1, 1))
    return place


def test_cache_is_shown_and_keeps_to_its_limit(past, judged, tmp_path):
    store = shutil.copytree(PLACE / "store", tmp_path / "store")
    words = ("regress", "cache", "--store", store, "--json")
    before = {row["cache"]: row for row in warplock(*words).objects}
    assert before.keys() == {"RTL", "builds"}
    assert before["RTL"]["entries"] == len(list((store / "sources").iterdir()))
    after = {row["cache"]: row for row in warplock(*words, "--cache-limit", "0").objects}
    with database.Store(store).opened() as opened:
        failing = opened.failing()
    assert {
        Path(row["repro"].split()[4]).parent.name for row in judged.objects if "repro" in row
    } <= failing
    assert {entry.name for entry in (store / "sources").iterdir()} == failing
    assert after["RTL"]["entries"] == len(failing)
    assert after["builds"]["entries"] > 0  # used within the hour


def test_builds_in_use_are_not_forgotten(tmp_path, monkeypatch):
    builds = tmp_path / "rtl"
    for name in ("runs", "idle", "used"):
        (builds / name).mkdir(parents=True)
        (builds / name / "harness").write_text(name)
    aged(builds)
    os.utime(builds / "used")
    monkeypatch.setattr(verilate, "folder", lambda: builds)
    with verilate.in_use(builds / "runs" / "harness"):
        assert verilate.shrink(0)[0] == 2
        assert sorted(path.name for path in builds.iterdir()) == ["runs", "used"]
    assert verilate.shrink(0)[0] == 1


def test_rtl_that_was_forgotten_is_found_again(past, judged, tmp_path):
    """By the run with other seeds, and by the proofs of what comes next."""
    store = shutil.copytree(PLACE / "store", tmp_path / "store")
    warplock("regress", "cache", "--store", store, "--cache-limit", "0")
    words = ("--cycles", "3000", "--seeds", "1", "--range", "HEAD~3..")
    again = regress(past.place, *words, store=store, code=Status.FUNCTIONAL_MISMATCH).objects
    known = {(row["commit"], title(row)): row["verdict"] for row in judged.objects}
    assert {(row["commit"], title(row)): row["verdict"] for row in again}.items() <= known.items()
    assert [row["settled_by"] for row in again].count("simulated") >= 1


@pytest.mark.parametrize("size", ["much", "-1", "5X"])
def test_limit_that_is_no_size_is_refused(size, tmp_path):
    (tmp_path / "regress.sqlite").touch()
    done = warplock("regress", "cache", "--store", tmp_path, f"--cache-limit={size}", code=None)
    refused(done, Status.USAGE, "must be a size", "20G")


# ---- bad input ----------------------------------------------------------------------------------

MODULE = (
    "module m(input clk, input d, output logic q); always_ff @(posedge clk) q <= d; endmodule\n"
)


@pytest.fixture
def chip(tmp_path) -> Path:
    """A repository of two commits with a module that is no block's."""
    place = tmp_path / "chip"
    (place / "rtl").mkdir(parents=True)
    git(place.parent, "init", "--quiet", "--initial-branch=main", place)
    for text in (MODULE, MODULE + "// more\n"):
        (place / "rtl" / "m.sv").write_text(text)
        git(place, "add", "--all")
        git(place, "commit", "--quiet", "-m", "A commit")
    return place


RTL = ("--rtl", "rtl")
# Includes a file beside its checkout.
OUTSIDE = """\
mkdir out && echo 'typedef int t;' >../t.svh &&
(echo "\\`include \\"$PWD/../t.svh\\""; sed 's/ m(/ Scoreboard(/' rtl/m.sv) >out/m.sv"""
BLOCK = ("--block", "scoreboard")


@pytest.mark.parametrize(
    ("span", "parts"),
    [
        ("HEAD..HEAD", ("no commits",)),
        ("HEAD..HEAD~1", ("reversed", "HEAD~1..HEAD")),
        ("HEAD~1...HEAD", ("merge-base",)),
        ("HEAD", ("A..B",)),
        ("nowhere..HEAD", ("nowhere is no commit",)),
    ],
)
def test_range_that_is_none_is_refused(chip, tmp_path, span, parts):
    done = regress(chip, *RTL, "--range", span, store=tmp_path / "store")
    assert done.code == Status.USAGE
    assert [part for part in parts if part not in done.last] == []


def test_folder_without_a_repository_is_refused(tmp_path):
    done = regress(tmp_path, *RTL, "--range", "A..B", store=tmp_path / "store")
    assert done.code == Status.NO_FILE
    assert "no git repository" in done.last


def test_shallow_repository_is_refused(chip, tmp_path):
    (chip / "rtl" / "m.sv").write_text(MODULE + "// last\n")
    git(chip, "commit", "--quiet", "-am", "Last")
    git(tmp_path, "clone", "--quiet", "--depth", "2", f"file://{chip}", "shallow")
    shallow = tmp_path / "shallow"
    done = regress(shallow, *RTL, "--range", "HEAD~2..HEAD", store=tmp_path / "store")
    assert done.code == Status.USAGE
    assert "fetch --unshallow" in done.last


def test_block_that_is_nowhere_is_refused(chip, tmp_path):
    for more in ((), ("--changed",)):
        done = regress(chip, *RTL, *BLOCK, *more, store=tmp_path / "store")
        assert done.code == Status.NO_MODULE
        assert "block scoreboard is at no commit" in done.last


def test_repository_without_rtl_named_is_refused(chip, tmp_path):
    done = regress(chip, *BLOCK, store=tmp_path / "store")
    assert done.code == Status.USAGE
    assert "--rtl" in done.last


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("echo no tool; exit 3", "ended with 3: no tool"),
        ("sleep 60", "did not end within 1 s"),
        ("true", "out is not there behind `true`; does it write elsewhere?"),
        ("mkdir out", "no .sv or .v file"),
        (OUTSIDE, "the RTL needs a file outside of its repository"),
    ],
)
def test_elaboration_that_fails_is_a_verdict(chip, tmp_path, command, part):
    words = ("--rtl", "out", "--elaborate", command, "--elaborate-timeout", "1", "--junit")
    span = ("--range", "HEAD~1..HEAD")
    done = regress(chip, *words, tmp_path / "j.xml", *span, *BLOCK, store=tmp_path / "store")
    assert done.code == Status.BUILD_FAIL
    assert done.json["verdict"] == "BUILD_FAIL"
    assert part in done.json["message"]


def test_rtl_that_may_not_be_read_is_a_verdict(tmp_path):
    """Root may read all: as another user sees what a command has made unreadable."""

    def closed(_names):
        raise PermissionError(13, "Permission denied", f"{tmp_path}/out")

    block = Block("scoreboard", rtl=("out",))
    found = subjects.Finder(None, None, None)._look(tmp_path, closed, block)
    what = "out: Permission denied; check who may read what is made"
    assert found == (Status.BUILD_FAIL, what)


def test_checkouts_of_a_copied_store_are_its_own(chip, past, tmp_path):
    """Though the store that it was copied from works for another repository by now."""
    places = [tmp_path / name for name in ("first", "copy")]
    for repo, place in ((chip, places[0]), (past.place, places[0]), (chip, places[1])):
        repository = repositories.Repository(repo)
        commit = repository.commit("HEAD")
        with repositories.Checkouts(repository, place, 1).of(commit) as folder:
            assert git(folder, "rev-parse", "HEAD").strip() == commit.id
        if not places[1].exists():
            shutil.copytree(*places)


def test_checkouts_are_made_one_at_a_time(chip, tmp_path, monkeypatch):
    """git prunes a folder that another git is about to fill."""
    real, script = shutil.which("git"), tmp_path / "git"
    body = (
        f"mkdir {tmp_path}/adding || touch {tmp_path}/overlap; sleep 0.1; rmdir {tmp_path}/adding"
    )
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *"worktree add"*) {body} ;; esac\nexec {real} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    repository = repositories.Repository(chip)
    places = repositories.Checkouts(repository, tmp_path / "checkouts", 3)

    def fill(_: int) -> bool:
        with places.of(repository.commit("HEAD")) as place:
            time.sleep(0.3)  # so that the next one needs another folder
            return (place / "rtl").is_dir()

    found = progress.parallel(fill, range(3), 3)
    assert [is_there for _, is_there in found] == [True] * 3
    assert not (tmp_path / "overlap").exists()


def test_what_is_not_committed_is_not_judged(past, judged, tmp_path):
    """Nor does it matter; and a bare repository is as good."""
    bare = tmp_path / "bare"
    git(tmp_path, "clone", "--quiet", "--bare", past.place, bare)
    path = PLACE / "settings.toml"
    path.write_text(history.SETTINGS)
    done = regress(bare, "--settings", path, store=PLACE / "store")
    assert done.objects == judged.objects


ODD_SIGNS = "\x0b\x0c\x1c\x1e\x1f\x85\u2028"  # some of which end a line for Python


def test_a_subject_may_have_any_sign(tmp_path):
    git(tmp_path, "init", "--quiet")
    for number in range(3):
        words = ("commit", "--quiet", "--allow-empty", "-m", f"a{ODD_SIGNS}b {number}")
        git(tmp_path, "-c", f"user.name=A{ODD_SIGNS}B", *words)
    found = repositories.Repository(tmp_path).commits("HEAD~2..HEAD")
    assert [each.subject for each in found] == [f"a{ODD_SIGNS}b 1", f"a{ODD_SIGNS}b 2"]
    assert {each.author for each in found} == {f"A{ODD_SIGNS}B"}


GIT_CONFIG = """\
[core]
    hooksPath = {hooks}
    fsmonitor = {hooks}/post-checkout
[color]
    ui = always
[diff]
    noprefix = true
[log]
    showSignature = true
[i18n]
    logOutputEncoding = latin1
"""


def test_hooks_and_colors_of_the_user_are_none_of_ours(chip, tmp_path, monkeypatch):
    hook = tmp_path / "hooks" / "post-checkout"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    (tmp_path / ".gitconfig").write_text(GIT_CONFIG.format(hooks=hook.parent))
    git(chip, "commit", "--quiet", "--allow-empty", "-m", "Grüße")
    monkeypatch.setenv("HOME", str(tmp_path))
    repository = repositories.Repository(chip)
    assert repository.commit("HEAD").subject == "Grüße"
    with repositories.Checkouts(repository, tmp_path / "checkouts", 1).of(
        repository.commit("HEAD")
    ) as place:
        (path,) = [str(each.relative_to(place)) for each in (place / "rtl").iterdir()]
    for name in ("HEAD~", "HEAD"):
        text = repository.diff(repository.commit(name), [path])
        assert "\x1b" not in text
        assert text.startswith(f"diff --git a/{path} b/{path}") or name == "HEAD"


def checked_out(repo: Path, place: Path) -> dict[str, str]:
    """The RTL of each commit, as a checkout has it."""
    repository = repositories.Repository(repo)
    checkouts = repositories.Checkouts(repository, place, 1)
    texts = {}
    for name in ("HEAD~", "HEAD"):
        with checkouts.of(repository.commit(name)) as folder:
            texts[name] = (folder / "rtl" / "m.sv").read_text()
    return texts


OF_CHIP = {"HEAD~": MODULE, "HEAD": MODULE + "// more\n"}


@pytest.mark.parametrize("left_out", ["blob:none", "tree:0"])
def test_a_partial_clone_fetches_what_it_lacks(chip, tmp_path, left_out):
    git(chip, "config", "uploadpack.allowFilter", "true")
    words = ("clone", "--quiet", "--no-checkout", f"--filter={left_out}", f"file://{chip}")
    git(tmp_path, *words, tmp_path / "partial")
    chip.rename(tmp_path / "away")
    with error(Status.NO_FILE, "partial clone without files of", "does not appear to be a git"):
        checked_out(tmp_path / "partial", tmp_path / "checkouts")
    (tmp_path / "away").rename(chip)
    assert checked_out(tmp_path / "partial", tmp_path / "checkouts") == OF_CHIP
    chip.rename(tmp_path / "away")  # and it has them now
    assert checked_out(tmp_path / "partial", tmp_path / "others") == OF_CHIP


def test_a_repository_may_name_objects_by_sha256(chip, tmp_path):
    git(tmp_path, "init", "--quiet", "--object-format=sha256", "long")
    for text in OF_CHIP.values():
        (tmp_path / "long" / "rtl").mkdir(exist_ok=True)
        (tmp_path / "long" / "rtl" / "m.sv").write_text(text)
        git(tmp_path / "long", "add", "--all")
        git(tmp_path / "long", "commit", "--quiet", "-m", "A commit")
    assert checked_out(tmp_path / "long", tmp_path / "checkouts") == OF_CHIP


def test_variables_of_git_that_lead_elsewhere_are_left_out(chip, tmp_path, monkeypatch):
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE"):
        monkeypatch.setenv(name, str(tmp_path / "nowhere"))
    config = {"COUNT": "1", "KEY_0": "core.abbrev", "VALUE_0": "17"}
    for name, value in config.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert checked_out(chip, tmp_path / "checkouts") == OF_CHIP
    assert repositories.Repository(chip).ask("config", "core.abbrev") == "17\n"


def test_folders_that_are_left_read_only_are_filled_again(chip, tmp_path, monkeypatch):
    """As some builds leave them. Root may change them all the same: here it may not."""
    fill = repositories.Checkouts._fill

    def strict(checkouts, folder, commit):
        if any(not each.stat().st_mode & 0o200 for each in (folder, *folder.rglob("*/"))):
            raise WlkError(Status.NO_FILE, "Permission denied")
        fill(checkouts, folder, commit)

    repository = repositories.Repository(chip)
    checkouts = repositories.Checkouts(repository, tmp_path / "checkouts", 1)
    with checkouts.of(repository.commit("HEAD")) as folder:
        (folder / "out" / "deep").mkdir(parents=True)
        (folder / "out" / "link").symlink_to("/")
        for each in (folder / "out" / "deep", folder / "out"):
            each.chmod(0o555)
    monkeypatch.setattr(repositories.Checkouts, "_fill", strict)
    with checkouts.of(repository.commit("HEAD~")) as folder:
        assert {each.name for each in folder.iterdir()} == {".git", "rtl"}


def test_submodules_are_checked_out(chip, tmp_path):
    outer = tmp_path / "outer"
    git(tmp_path, "init", "--quiet", outer)
    allowed = ("-c", "protocol.file.allow=always")
    git(outer, "commit", "--quiet", "--allow-empty", "-m", "Begin")
    git(outer, *allowed, "submodule", "--quiet", "add", chip, "sub")
    git(outer, "commit", "--quiet", "-m", "Add a submodule")
    words = ("--rtl", "sub/rtl", "--elaborate", "test -f sub/rtl/m.sv && cp -r sub/rtl out")
    done = regress(outer, *words, *BLOCK, store=tmp_path / "store")
    assert done.code == Status.NO_MODULE
    assert "no module Scoreboard" in done.last


@pytest.mark.parametrize("text", ["No space left on device", "write error. Out of diskspace"])
def test_full_disk_of_git_is_named(tmp_path, monkeypatch, text):
    (tmp_path / "git").write_text(f"#!/bin/sh\necho 'fatal: {text}' >&2\nexit 128\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with error(Status.NO_SPACE, "free some space"):
        repositories.call(["checkout"])


@pytest.mark.parametrize("size", [8, 100, 400])
def test_full_disk_loses_nothing(past, judged, tmp_path, size):
    """The store's disk is full at some moment; with more room the same command goes on."""
    if why := full_disk.can_mount():
        pytest.skip(why)
    words = ("--range", f"{root(past.place)}..{past.ids[past.steps[1].subject]}", *QUICK)
    with full_disk.disk(PLACE / "disk", size << 10) as disk:
        done = regress(past.place, *words, store=disk)
        assert done.code in (0, Status.NO_SPACE), done.last
        assert done.code == 0 or "free some space" in done.last
        subprocess.run(["mount", "-o", "remount,size=256m", disk], check=True)
        regress(past.place, *words, store=disk, code=0)
        found = rows(disk)
    regress(past.place, *words, store=PLACE / "disk", code=0)
    assert found == rows(PLACE / "disk")
    assert size > 100 or done.code == Status.NO_SPACE


def test_database_of_another_version_is_refused(chip, tmp_path):
    with database.Store(tmp_path / "store").opened():
        pass
    base = sqlite3.connect(tmp_path / "store" / database.NAME)
    base.execute("UPDATE about SET version = 99")
    base.commit()
    done = regress(chip, *RTL, *BLOCK, store=tmp_path / "store")
    assert done.code == Status.BAD_VERSION
    assert "version 99" in done.last


def test_file_that_is_no_database_is_refused(chip, tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / database.NAME).write_text("no database, but long enough to be one" * 99)
    done = regress(chip, *RTL, *BLOCK, store=tmp_path / "store")
    assert done.code == Status.CORRUPT


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("rtl = 3", "rtl must be a list"),
        ("colour = 'red'", "no key colour"),
        ("[[block]]\nmodule = 'M'", "[[block]]: name is missing"),
        ("[[block]]\nname = 'nothing'", "nothing"),
        ("block = ['collector']", "must be a table"),
        ("rtl = [", "warplock.toml"),
        ("rtl = ['/tmp']", "below the root"),
        ("[[block]]\nname = 'hazard'\nports = ['a']", "must be NAME=OWN"),
        ("[[block]]\nname = 'hazard'\nports = ['a=b', 'c=b']", "names a port that another names"),
        ("cache_limit = 'much'", "must be a size"),
        ("rtl = ['rtl']\nseeds = '5..x'", "seeds: 'x' is not a number; give A..B"),
        ("rtl = ['rtl']\nseeds = 'random'", "answers are kept by their seeds; give --seeds random"),
        ("rtl = ['rtl']\nseeds = 'from none'", "none: No such file"),
        ("rtl = ['rtl']\n[run.night]\nseed = '1'", "[run.night]: no key seed; did you mean seeds?"),
        ("cycels = 3", "no key cycels; did you mean cycles?"),
        ("rtl = ['rtl']\nverilator = 'best'", "verilator: 'best' must be one of system, newest"),
    ],
)
def test_settings_that_are_wrong_are_refused(chip, tmp_path, text, part):
    (chip / "warplock.toml").write_text(text)
    done = regress(chip, store=tmp_path / "store")
    assert done.code not in (0, Status.MODEL_ERROR)
    assert part in done.last
