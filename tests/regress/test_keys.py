# SPDX-License-Identifier: Apache-2.0
"""By what a module is known again over commits: all that the compiler reads, and nothing else."""

import subprocess
from pathlib import Path

import pytest
from programs import typed, warplock
from wlk.base import junit
from wlk.base.entries import Whole
from wlk.base.errors import Status, WlkError
from wlk.regress import git, judge, page, settings, subjects, summary
from wlk.regress.regress import entry
from wlk.regress.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.needs("prove", "git")]
# A module of the ports of the block `compactor`, n=2 and k=1, without data.
MODULE = """module Compactor(
  input io_in_0_valid, io_in_1_valid, io_out_0_ready, output logic io_in_0_ready, io_in_1_ready,
  output logic io_out_0_valid);
  {}
  assign io_in_0_ready = io_out_0_ready;
endmodule
"""
CHECKER = """module chk(input io_in_0_valid);
  always_comb assert (io_in_0_valid == {});
endmodule
"""
FLOP = """module flop(input clk, d, output logic q);
  always_ff @(posedge clk) q <= d;
endmodule
"""
NEWEST = ("--verilator", "newest")
INCLUDED = "`timescale 1ns/1ns\n"
PLAIN = {"rtl/m.sv": MODULE.format("")}
ROM = MODULE.format("logic [7:0] rom[1]; initial $readmemh({}, rom);")
# Two commits, and whether they are the same module.
PAIRS = {
    "comment": (PLAIN, {"rtl/m.sv": MODULE.format("// more")}, True),
    "another_file": (PLAIN, PLAIN | {"rtl/n.sv": "module n; endmodule\n"}, True),
    "name_of_the_file": (
        {"rtl/m.sv": MODULE.format("initial $display(`__FILE__);")},
        {"rtl/m.sv": MODULE.format("initial $display(`__FILE__); // more")},
        True,
    ),
    "bound_checker": (
        PLAIN | {"rtl/b.sv": "bind Compactor chk c(.*);\n", "rtl/c.sv": CHECKER.format("0")},
        {"rtl/c.sv": CHECKER.format("1")},
        False,
    ),
    "bind_statement": (PLAIN, {"rtl/b.sv": f"bind Compactor chk c(.*);\n{CHECKER}"}, False),
    "bind_elsewhere": (PLAIN, {"rtl/b.sv": f"bind other chk c(.*);\n{CHECKER}"}, True),
    "data": (
        {"rtl/m.sv": ROM.format('"d.hex"'), "rtl/d.hex": "0\n"},
        {"rtl/d.hex": "1\n"},
        False,
    ),
    "data_from_the_root": (
        {"rtl/m.sv": ROM.format('"rtl/data/d.hex"'), "rtl/data/d.hex": "0\n"},
        {"rtl/data/d.hex": "1\n"},
        False,
    ),
    "data_of_a_computed_name": (
        {"rtl/m.sv": ROM.format('{"d", ".hex"}'), "rtl/d.hex": "0\n"},
        {"rtl/d.hex": "1\n"},
        False,
    ),
    "comment_for_a_tool": (
        PLAIN,
        {"rtl/m.sv": MODULE.format("/* verilator public_module */")},
        False,
    ),
    "comment_for_a_tool_that_moves": (
        {"rtl/m.sv": MODULE.format("/* synopsys translate_off */ logic x; logic y;")},
        {"rtl/m.sv": MODULE.format("logic x; /* synopsys translate_off */ logic y;")},
        False,
    ),
    "include_of_another_module": (
        PLAIN | {"rtl/n.sv": '`include "i.svh"\nmodule n; endmodule\n', "rtl/i.svh": INCLUDED},
        {"rtl/i.svh": INCLUDED.replace("ns", "ps")},
        True,
    ),
}  # fmt: skip


class Past:
    """A repository, and a store."""

    def __init__(self, place: Path) -> None:
        self.place, self.store = place / "chip", place / "store"
        self.call("init", "--quiet", "--initial-branch=main", self.place, folder=place)

    def call(self, *words: object, folder: Path | None = None) -> None:
        names = ["-c", "user.name=A. Designer", "-c", "user.email=a@example.org"]
        command = ["git", "-C", folder or self.place, *names, *words]
        subprocess.run(map(str, command), check=True, capture_output=True)

    def commit(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.call("add", "--all")
        self.call("commit", "--quiet", "--allow-empty", "-m", "A commit")

    def rows(self, **given: object) -> list:
        """What is found of the block at each commit, oldest first."""
        repository = git.Repository(self.place)
        block = settings.Block("compactor")
        found = settings.Settings(rtl=("rtl",), blocks=(block,), **given)
        commits = repository._listed("--reverse", "HEAD")
        with Store(self.store).opened() as store:
            checkouts = git.Checkouts(repository, store.folder / "checkouts", 1)
            finder = subjects.Finder(store, checkouts, found)
            for each in commits:
                finder.find(each, [block])
            return [finder.known(each, block) for each in commits]


@pytest.fixture
def past(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Past(tmp_path)


@pytest.mark.parametrize("name", PAIRS)
def test_key_is_of_all_that_the_compiler_reads(past, name):
    first, second, is_same = PAIRS[name]
    past.commit(first)
    past.commit(second)
    one, other = past.rows()
    assert (one["status"], other["status"]) == ("OK", "OK"), (one["message"], other["message"])
    assert (one["key"] == other["key"]) == is_same


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_kept_has_the_same_key(past, name):
    """So that it is what is judged."""
    past.commit(PAIRS[name][0])
    past.commit(PAIRS[name][1])
    kept = {row["key"]: row for row in past.rows()}
    for key, row in kept.items():
        finder = subjects.Finder(Store(past.store), None, None)
        assert finder._is_sound(key, row["module"], (row["module"], ""))


def test_what_is_kept_and_is_another_is_not_taken(past):
    past.commit(PLAIN)
    (first,) = past.rows()
    kept = subjects.source(past.store, first["key"]).parent / "rtl" / "m.sv"
    kept.write_text(kept.read_text().replace("= io_out_0_ready", "= 0"))
    past.commit({"rtl/m.sv": MODULE.format("// more")})
    _, second = past.rows()
    assert second["key"] != first["key"]
    own = subjects.source(past.store, second["key"]).parent / "rtl" / "m.sv"
    assert own.read_text() == MODULE.format("// more")


def test_data_by_a_whole_path_into_the_checkout_is_refused(past):
    made = """mkdir -p out && sed "s,d.hex,$PWD/rtl/d.hex," rtl/m.sv >out/m.sv"""
    past.commit({"rtl/m.sv": ROM.format('"d.hex"'), "rtl/d.hex": "0\n"})
    past.call("mv", "rtl/m.sv", "m.sv")
    past.commit({})
    made = made.replace("rtl/m.sv", "m.sv").replace("out", "rtl")
    row = past.rows(elaborate=made)[-1]
    assert row["status"] == "BUILD_FAIL" and "by its whole path" in row["message"]


def test_module_of_another_block_is_not_taken(past):
    """BOOM's dispatchers have the same ports."""
    warplock("stub", "dispatch_basic", "--out", past.place / "rtl")
    past.commit({})
    words = ("--repo", past.place, "--rtl", "rtl", "--store", past.store, "--json")
    past.commit({"README": "one"})
    span = ("--range", "HEAD~1..HEAD", "--block", "dispatch_compacting")
    done = warplock("regress", *words, *span, code=Status.NO_MODULE)
    assert done.objects[0]["verdict"] == "NO_MODULE"
    done = warplock("lockstep", "dispatch_compacting", "--rtl", past.place / "rtl", code=None)
    assert done.code == Status.NO_MODULE
    assert "it has the name of block dispatch_basic's module" in done.err


def test_bound_checker_that_changes_is_judged_again(past):
    warplock("stub", "compactor", "--config", "n=3", "--config", "k=3", "--out", past.place / "rtl")
    bound = "bind Compactor chk c(.*);\nmodule chk(input io_in_0_valid, io_out_0_valid);\n"
    for text in ("1", "io_in_0_valid == io_out_0_valid", "!io_in_0_valid"):
        past.commit({"rtl/chk.sv": f"{bound}always_comb assert ({text});\nendmodule\n"})
    words = ("--repo", past.place, "--range", "HEAD~2..HEAD", "--rtl", "rtl", "--seeds", "1")
    words += ("--block", "compactor", "--cycles", "3000", "--store", past.store, "--json")
    done = warplock("regress", *words, code=Status.RTL_ASSERTION)
    found = [(row["verdict"], row["settled_by"]) for row in done.objects]
    assert found == [("PASS", "simulated"), ("RTL_ASSERTION", "simulated")]


def test_own_block_and_store_may_be_named_from_the_current_folder(past, tmp_path):
    past.commit({"rtl/flop.sv": FLOP})
    past.commit({"rtl/flop.sv": FLOP + "// more\n"})
    warplock("new", "flop", "--rtl", past.place / "rtl", "--out", tmp_path)
    words = ("--repo", "chip", "--range", "HEAD~1..HEAD", "--rtl", "rtl", "--store", "store")
    words += ("--seeds", "1", "--cycles", "200", "--blocks", "./flop", "--json")
    done = typed("regress", *words, cwd=tmp_path, code=Status.VACUOUS)
    (row,) = (each for each in done.objects if each["block"] == "flop")
    assert row["settled_by"] == "simulated" and "--blocks flop " in row["repro"]


@pytest.mark.needs("newest")
def test_verdict_is_that_of_the_verilator_that_is_chosen(past):
    past.commit(PLAIN)
    past.commit({"README": "one"})
    words = ("--repo", past.place, "--range", "HEAD~1..HEAD", "--rtl", "rtl", "--seeds", "1")
    words += ("--block", "compactor", "--cycles", "500", "--store", past.store, "--json")
    rows = [warplock("regress", *words, *more, code=None).json for more in ((), NEWEST)]
    assert [" ".join(NEWEST) in row["repro"] for row in rows] == [False, True]


def test_include_folder_may_be_an_option(past):
    past.commit({"rtl/m.sv": MODULE.format('`include "w.svh"'), "inc/w.svh": "logic w;\n"})
    past.commit({"README": "one"})
    words = ("--repo", past.place, "--range", "HEAD~1..HEAD", "--rtl", "rtl", "--seeds", "1")
    words += ("--block", "compactor", "--cycles", "500", "--store", past.store, "--json")
    assert warplock("regress", *words, code=Status.BUILD_FAIL).json["verdict"] == "BUILD_FAIL"
    done = warplock("regress", *words, "--include", "inc", code=None)
    assert done.json["verdict"] != "BUILD_FAIL", done.json


# ---- what a verdict does not cover ---------------------------------------------------------------


def test_every_report_says_what_a_pass_does_not_cover(tmp_path):
    commit = git.Commit("a" * 40, "b" * 40, (), "A. Designer", "2026-01-01", "A commit")
    row = {"commit": commit.id, "block": "collector", "config": "", "verdict": "PASS"}
    row |= {"settled_by": "simulated", "seconds": 1.0, "outputs": 38, "not_compared": ["a", "b"]}
    said = "PASS (2 of 40 outputs not compared)"
    assert f"{said} (simulated)" in summary.text([row], [commit])
    assert f"| {said} |" in summary.markdown([row], [commit])
    assert f"{said}, settled by: simulated" in summary.junit([row], [commit])
    assert said in page.render([row], [commit], tmp_path / "page.html")
    assert junit.of_runs(Whole("regress", "", "", entries=[entry(row)])).count(said) == 1


# ---- an exit code alone is no verdict ----------------------------------------------------------

AGREE = [(0, "PASS"), (0, "PROVED"), (1, "FUNCTIONAL_MISMATCH"), (28, "RTL_ASSERTION")]


@pytest.mark.parametrize(("code", "word"), AGREE)
def test_code_that_is_the_verdict_is_taken(code, word):
    judge._require_agreement(code, {"verdict": word}, "a run")


@pytest.mark.parametrize(("code", "word"), [(1, "PASS"), (0, "FUNCTIONAL_MISMATCH"), (28, "PASS")])
def test_code_that_is_not_the_verdict_is_an_error(code, word):
    with pytest.raises(WlkError, match=f"answered {word} and ended with {code}") as caught:
        judge._require_agreement(code, {"verdict": word}, "a run")
    assert caught.value.status == Status.MODEL_ERROR
