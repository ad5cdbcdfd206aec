# SPDX-License-Identifier: Apache-2.0
"""Each page that a command writes, in a browser: nothing is wrong with it, and it shows the
configuration that was used."""

import dataclasses
import shutil
import subprocess

import programs
import pytest
from programs import warplock
from wlk.base import page as runs
from wlk.base.entries import Entry, Whole
from wlk.base.errors import Status
from wlk.regress import git
from wlk.regress import page as regress

pytestmark = [pytest.mark.slow, pytest.mark.needs("browser", "page", "prove", "git", "gtkwave")]
GOLDEN = programs.ROOT / "vectors/golden"
RIGHT, WRONG = "ready_o[i] = ready_i[j];", "ready_o[i] = ready_i[0];"
CONFIG = "n=3 k=2"
SETTINGS = f"""\
rtl = ["rtl"]
seeds = "1..2"
cycles = 2000

[[block]]
name = "compactor"
configs = ["{CONFIG}"]
"""
# Kinds of instructions in eight pipes, two of them of the configuration's own.
OPTIONS = """\
-gpgpu_num_reg_banks 8 -gpgpu_operand_collector_num_units_gen 4
-gpgpu_enable_specialized_operand_collector 0
-gpgpu_operand_collector_num_in_ports_gen 4
-gpgpu_operand_collector_num_out_ports_gen 4
-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4
-gpgpu_tensor_core_avail 1
-gpgpu_num_dp_units 4
-gpgpu_num_int_units 4
-specialized_unit_1 1,4,4,4,4,BRA
-specialized_unit_2 1,4,4,4,4,TEX
"""
KINDS = ("SP", "DP", "SFU", "INT", "MEM", "TENSOR", "SPEC1", "SPEC2")
STEPS = "".join(f"C\nE SP\nI {KINDS[n % 8]} {n % 4} {n % 4} 0,8,16 4\nX 2\n" for n in range(80))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def right(place):
    """The RTL of a small block."""
    words = [word for pair in CONFIG.split() for word in ("--config", pair)]
    warplock("stub", "compactor", *words, "--out", place / "right")
    return place / "right"


@pytest.fixture(scope="module")
def wrong(place, right):
    """The same with a fault."""
    shutil.copytree(right, place / "wrong")
    path = place / "wrong" / "compact.sv"
    assert RIGHT in path.read_text()
    path.write_text(path.read_text().replace(RIGHT, WRONG))
    return place / "wrong"


@pytest.fixture(scope="module")
def commits(place, right, wrong):
    """A repository of both, one after the other and back."""
    repo = place / "repo"
    shutil.copytree(right, repo / "rtl")
    (repo / "warplock.toml").write_text(SETTINGS)
    git = ["git", "-C", repo, "-c", "user.name=A. Designer", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    for source, subject in ((right, "Add it"), (wrong, "Save <a> gate"), (right, "Put it back")):
        shutil.copytree(source, repo / "rtl", copy_function=shutil.copy, dirs_exist_ok=True)
        subprocess.run([*git, "add", "--all"], check=True)
        subprocess.run([*git, "commit", "--quiet", "--allow-empty", "-m", subject], check=True)
    return repo


def seen(look, path, *shown, legends=0):
    """Nothing is wrong with the page, and it shows these texts."""
    found = look(path)
    assert found.faults == []
    assert [text for text in shown if text not in found.text] == []
    assert found.legends >= legends


def test_page_of_vectors(look, tmp_path):
    page = tmp_path / "page.html"
    warplock("vectors", "play", GOLDEN / "collector_lanes2.wlv", "--html", page)
    seen(look, page, "warplock vectors play PASS", "num_lanes=2", "Coverage")


def test_page_of_a_command_that_failed(look, tmp_path):
    page = tmp_path / "page.html"
    code = Status.NO_FILE
    warplock("vectors", "play", tmp_path / ("long" * 20), "--html", page, code=code)
    seen(look, page, "longlong", f"exit code {code:d}")


def test_page_of_coverage(look, tmp_path):
    cover, page = tmp_path / "a.cover", tmp_path / "page.html"
    for name in ("collector_lanes2", "hazard_default"):
        warplock("vectors", "play", GOLDEN / f"{name}.wlv", "--cover", cover)
    warplock("coverage", cover, "--rank", "--holes", "--html", page, code=None)
    seen(look, page, "num_lanes=2", "Few runs that reach all", "hazard", "goals met")


def test_page_of_a_waveform(look, tmp_path):
    dump, page = tmp_path / "a.fst", tmp_path / "page.html"
    warplock("vectors", "export", GOLDEN / "compactor_wires.wlv", "--fst", dump)
    warplock("check", dump, "--html", page)
    seen(look, page, "warplock check PASS", "compactor", "n=")


def test_page_of_a_failure(chromium, look, wrong, tmp_path):
    """With its picture, which is a page's own document."""
    page = tmp_path / "page.html"
    words = ("--seeds", "1..3", "--cycles", 500, "--keep-going", "--reports", tmp_path)
    warplock("lockstep", "compactor", "--rtl", wrong, *words, "--html", page, code=None)
    shown = (WRONG, "Failures that are alike", *CONFIG.split(), "3 seeds fail")
    seen(look, page, "FUNCTIONAL_MISMATCH", *shown)
    (picture,) = tmp_path.rglob("picture.svg")
    drawn = picture.read_text("utf-8").partition("<svg")
    framed = tmp_path / "picture.html"
    framed.write_text(
        '<!DOCTYPE html><h1>Picture</h1><div style="background: #fff; overflow-x: auto">'
        + "".join(drawn[1:])
    )
    seen(look, framed, "io_in_1_ready (RTL)")
    for width in (650, 820):  # where the list is stacked, and where it is a narrow table
        assert lines_of_a_block(chromium, page, width) == 1


def lines_of_a_block(chromium, path, width):
    """In how many lines the name of the first block that fails stands; the page is not wider."""
    page = chromium.new_page(viewport={"width": width, "height": 900})
    try:
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == width
        return page.evaluate("""() => {
            const text = document.createRange();
            text.selectNodeContents(document.querySelector(".alike td:nth-child(2)"));
            return text.getClientRects().length;
        }""")
    finally:
        page.close()


def test_page_of_a_proof(look, wrong, tmp_path):
    page = tmp_path / "page.html"
    code = Status.REFUTED
    warplock("prove", "compactor", "--rtl", wrong, "--html", page, "--reports", tmp_path, code=code)
    seen(look, page, "warplock prove REFUTED", *CONFIG.split(), "counterexample")


def test_page_of_mutants(look, tmp_path):
    page = tmp_path / "page.html"
    warplock("mutate", "compactor", "--generate", 2, "--html", page)
    seen(look, page, "warplock mutate", "REPORTED", "n=4")


def test_page_of_commits(look, commits, tmp_path):
    page, store = tmp_path / "page.html", tmp_path / "store"
    words = ("--repo", commits, "--settings", commits / "warplock.toml", "--store", store)
    warplock("regress", *words, "--range", "HEAD~2..HEAD", "--html", page, code=None)
    seen(look, page, f"compactor {CONFIG}", "Save <a> gate", "FUNCTIONAL_MISMATCH", "io_in_1_ready")


# Texts that have no place to break.
LONG, WIDE = "x" * 300, "b" * 90
FIRST = {"cycle": 7, "port": f"io_{LONG}", "expected": "0x1", "got": "0x0", "care": "0x1"}
RUN = {
    "block": WIDE,
    "verdict": "HANG",
    "config": {"k" * 60: "v" * 80},
    "module": LONG,
    "first": FIRST,
    "coverage": {WIDE: {"hits": 1, "floor": 2}, "free": {"hits": 3, "floor": 0}},
    "rtl_lines": [{"file": LONG, "line": 3, "text": LONG, "why": LONG}],
    "failures": [{"seed": 1, "verdict": "HANG", "port": LONG, "rule": ""}] * 2,
}


@pytest.mark.parametrize(
    ("code", "message", "listed"), [(1, "", 3), (None, "", 0), (2, LONG, 1), (3, "", 0)]
)
def test_page_of_long_texts(look, code, message, listed, tmp_path):
    entry = Entry(RUN, LONG, text=f"{LONG} a line", repeat=f"warplock {LONG}", notes=[LONG])
    whole = Whole("lockstep", f"warplock {LONG}", "2026-11-22T07:45:00Z", 1.5, code, message)
    whole = dataclasses.replace(whole, entries=(entry,) * listed)
    path = tmp_path / "page.html"
    path.write_text(runs.render(whole))
    seen(look, path, LONG)


def test_page_of_many_commits_and_blocks(look, tmp_path):
    config = f"num_warps=8 a_parameter_with_a_long_name={WIDE}"
    commits = [git.Commit(f"{n:040x}", "", (), "A. Designer", "2026-01-01", LONG) for n in range(3)]
    row = {"config": config, "settled_by": "simulated", "repro": LONG, "message": LONG}
    row |= {"coverage": 1, "floors": 2, "points": {LONG: [1, 2], "free": [3, 0]}, "seconds": 2.5}
    row |= {"first": FIRST, "report": str(tmp_path)}
    verdicts = ("PASS", "HANG", "BUILD_FAIL", "AMBIGUOUS")
    rows = [
        row | {"commit": commit.id, "block": f"vortex_scoreboard_{n}", "verdict": verdicts[n % 4]}
        for commit in commits
        for n in range(12)
    ]
    path = tmp_path / "page.html"
    path.write_text(regress.render(rows, commits, path))
    seen(look, path, "vortex_scoreboard_11", config)


def test_page_of_a_sweep(look, tmp_path):
    page = tmp_path / "page.html"
    words = ("--point", "src,inst,caching,muon_rtl", "--seeds", "3..4", "--instructions", 500)
    warplock("explore", *words, "--db", tmp_path / "a.sqlite", "--html", page)
    shown = ("seeds 3..4, 500 instructions each", "collector=caching")
    seen(look, page, "Which collector should my core have?", *shown, legends=3)


@pytest.mark.parametrize("compared", [False, True])
def test_page_of_the_operand_collector(look, compared, tmp_path):
    stimulus, options, other, page = (tmp_path / n for n in ("a.stim", "a.cfg", "b.cfg", "p.html"))
    stimulus.write_text(STEPS)
    options.write_text(OPTIONS)
    other.write_text("-gpgpu_num_reg_banks 32\n")
    words = ("--compare", f"+{other}") if compared else ()
    warplock("opndcoll", stimulus, "--config", options, *words, "--html", page)
    shown = ["-gpgpu_num_reg_banks 8", "-gpgpu_operand_collector_num_units_gen 4", "SPEC2", "a.cfg"]
    shown += ["-gpgpu_num_reg_banks 32", "b.cfg"] if compared else []
    seen(look, page, *shown, legends=3)


def test_page_of_the_operand_collector_in_a_simulation(look, tmp_path):
    """The recording names its options."""
    stimulus, page = tmp_path / "a.stim", tmp_path / "page.html"
    stimulus.write_text(f"# warplock recording 1\n# revision v42\n# config own.cfg\n{STEPS}# end\n")
    (tmp_path / "own.cfg").write_text(OPTIONS)
    warplock("opndcoll", stimulus, "--html", page)
    seen(look, page, "own.cfg", "revision v42", "-gpgpu_num_reg_banks 8")
