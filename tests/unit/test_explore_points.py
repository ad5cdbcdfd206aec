# SPDX-License-Identifier: Apache-2.0
"""Points, workloads and sweeps of `explore`: what is asked, and what is refused."""

import json
import subprocess
from pathlib import Path

import pytest
from programs import error
from wlk import tables
from wlk.base.errors import Status
from wlk.base.seeds import Seeds
from wlk.explore import points, reference, sweep, workloads
from wlk.explore.sweep import Asked


def point(text):
    return points.parse(text, "--point")


def make(**asked):
    return sweep.make(Asked(**asked), None)


# ---- points -------------------------------------------------------------------------------------


def test_explore_has_the_named_points():
    names = "muon_rtl src src3 inst minimal caching".split()
    assert list(points.space()["point"])[: len(names)] == names
    assert len(points.named()) == 6 * len(points.space()["point"])
    assert point("muon_rtl").words == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("src+option1", "war=gate forwarding=must coll_alloc=admit count_forwarded_reads=0"),
        ("src+option2", "war=stall forwarding=none coll_alloc=eager count_forwarded_reads=1"),
        ("inst+option2_1", "war=stall forwarding=must coll_alloc=admit count_forwarded_reads=0"),
        ("src+option2_2", "war=epoch forwarding=egress coll_alloc=admit wb_buffer=0"),
        ("minimal+option2_2", "war=epoch forwarding=none coll_alloc=request wb_buffer=25"),
        ("caching+option2_2", "war=epoch forwarding=egress coll_alloc=eager wb_buffer=25"),
        ("muon_rtl", "alloc_order=index alloc_rows=1 bank_map=high reg_banks=1"),
        ("minimal", "alloc_order=age alloc_rows=8 bank_map=mod reg_banks=8 coll_depth=1"),
        ("src rs_entries=4", "alloc_rows=4 rs_entries=4"),
        ("muon_rtl+option2_2 rs_entries=16", "wb_buffer=49"),
        ("src +option2_2 ibuf_window=4", "war=epoch ibuf_window=4"),
    ],
)
def test_explore_point_has_the_parameters_of_the_spec(text, words):
    found = point(text)
    assert {w: found.word(w.split("=")[0]) for w in words.split()} == {
        w: w.split("=")[1] for w in words.split()
    }


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("srk", ["--point", "no point 'srk'", "muon_rtl", "caching"]),
        ("src+option3", ["no option 'option3'", "option2_1"]),
        ("src coll_deep=4", ["no parameter 'coll_deep'", "coll_depth"]),
        ("src coll_depth=99", ["coll_depth=99 is not legal", "1..32"]),
        ("src war=never", ["war=never is not legal", "gate | stall | epoch"]),
        ("src coll_depth", ["'coll_depth' is not KEY=VALUE"]),
    ],
)
def test_explore_point_that_is_none_is_refused(text, parts):
    with error(Status.BAD_CONFIG, *parts):
        point(text)


@pytest.mark.parametrize(
    "name",
    "src src3 inst minimal caching src+option1 src+option2 src+option2_1 src+option2_2".split(),
)
def test_explore_points_are_those_of_the_block(name):
    table = tables.load(points.BLOCK)
    assert point(name).values == table.config(table.configs[name.replace("+", "_")])


# ---- sweeps -------------------------------------------------------------------------------------


def test_explore_asks_the_useful_when_nobody_says():
    found = make()
    assert len(found.points) == len(points.named())
    kernels = [load.title for load in found.workloads if load.group == "kernels"]
    assert kernels == workloads.kernels() != []
    assert [load.title for load in found.workloads if load.is_stream] == reference.data()["streams"]


def test_explore_crosses_parameters():
    found = make(points=["src"], sets={"coll_depth": "1,2,4", "reg_banks": "1..8"})
    assert len(found.points) == 3 * 4  # of 1..8 only powers of two are legal
    assert found.points[0].title == "src coll_depth=1 reg_banks=1"


def test_explore_runs_equal_configurations_once():
    found = make(points=["src", "src coll_depth=8", "src3", "src coll_banks=3"])
    assert [each.title for each in found.points] == ["src", "src3"]


def test_explore_reference_points_are_26_and_known():
    assert len({points.parse(text, "test").words for text in reference.points()}) == 26


def test_explore_job_line_is_that_of_the_contract():
    found = make(points=["src3"], workloads=["hot regs=16", "dot"], seeds=Seeds.of([range(3, 5)]))
    lines = [found.line(job) for job in found.jobs()]
    cells = [dict(cell.split("=", 1) for cell in line[:-1].split("\t")) for line in lines]
    assert [cell["workload"] for cell in cells] == ["stream", "stream", "program"]
    assert [cell["seed"] for cell in cells] == ["3", "4", "1"]
    assert cells[0]["config"] == found.points[0].words
    assert (cells[0]["regs"], cells[0]["reuse"], cells[0]["warps"]) == ("16", "80", "8")
    assert cells[0]["instructions"] == "8000"
    assert cells[2]["program"].endswith("vectors/kernels/dot.prog")
    assert all(line.count("\n") == 1 for line in lines)


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ({"sets": {"coll_deep": "1"}}, ["--set coll_deep", "no parameter 'coll_deep'"]),
        ({"sets": {"reg_banks": "3"}}, ["--set reg_banks", "reg_banks=3 is not legal", "1, 2, 4"]),
        ({"sets": {"reg_banks": "5..7"}}, ["reg_banks=5..7 is not legal"]),
        ({"sets": {"collector": "0..3"}}, ["collector=0..3 is not legal", "src_banked"]),
        ({"workloads": ["mixt"]}, ["no workload 'mixt'", "mixed", "matmul", ".prog"]),
        ({"workloads": ["mixed reg=3"]}, ["a stream has no 'reg'", "regs"]),
        ({"workloads": ["mixed masks=half"]}, ["give masks as full or 30random"]),
        ({"workloads": ["mixed mix=60/20/5/14"]}, ["must add up to 100"]),
    ],
)
def test_explore_refuses_what_it_does_not_know(asked, parts):
    with error(Status.BAD_CONFIG, *parts):
        make(**asked)


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        (
            {"sets": {"num_pregs": "2..1024", "max_pending_reads": "1..255"}},
            ["--set: 42 x 10 x 255"],
        ),
        (
            {"seeds": Seeds.of([range(1, 10**30)])},
            ["runs; a sweep has at most 1,000,000: take fewer seeds"],
        ),
    ],
)
def test_explore_refuses_a_sweep_without_an_end(asked, parts):
    with error(Status.USAGE, *parts):
        sweep.make(Asked(**asked), None)


def test_explore_refuses_a_program_that_is_not_there(tmp_path):
    with error(Status.NO_FILE, "gone.prog", "No such file"):
        make(workloads=[str(tmp_path / "gone.prog")])


def test_explore_reads_the_beginning_of_a_program_only(tmp_path, monkeypatch):
    """A program of 64 GiB, most of it a hole in the file, goes by its path."""
    path = tmp_path / "large.prog"
    path.write_text("warplock-program 1\nwarps 1\n0 0x0 x1 - - - * 1 alu\n")
    subprocess.run(["truncate", "--size=64G", path], check=True)
    sizes = []
    read = Path.open

    class Counted:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def read(self, size=-1):
            sizes.append(size)
            return self.file.read(size)

    monkeypatch.setattr(Path, "open", lambda self, *words, **more: Counted(read(self, *words)))
    found = make(points=["src"], workloads=[str(path)])
    assert sizes == [workloads.HEAD]
    assert f"program={path}" in found.line(next(found.jobs()))


def test_explore_sweep_is_another_when_its_program_is(tmp_path):
    path = tmp_path / "my.prog"
    path.write_text("warplock-program 1\n")
    first = make(points=["src"], workloads=[str(path)]).digest
    assert make(points=["src"], workloads=[str(path)]).digest == first
    path.write_text("warplock-program 1 \n")
    assert make(points=["src"], workloads=[str(path)]).digest != first


# ---- sweep files --------------------------------------------------------------------------------

FILE = """
points = ["src", "inst+option2_1"]
workloads = ["mixed", "my.prog"]
seeds = "2..3"
instructions = 500
max_cycles = 9000
idle = 70

[set]
coll_depth = [4, 8]
rs_entries = "4,8"
"""


def write(folder, text):
    path = folder / "sweep.toml"
    path.write_text(text)
    (folder / "my.prog").write_text("warplock-program 1\n")
    return path


def test_explore_reads_a_sweep_file(tmp_path):
    found = sweep.make(Asked(), write(tmp_path, FILE))
    assert len(found.points) == 2 * 4
    assert (found.seeds, found.instructions) == (Seeds.of([range(2, 4)]), 500)
    assert (found.max_cycles, found.idle) == (9000, 70)
    program = dict(found.workloads[1].cells)["program"]
    assert program == str(tmp_path / "my.prog")  # beside the sweep file
    json.loads(found.text)


def test_explore_options_replace_the_file(tmp_path):
    asked = Asked(points=["minimal"], sets={"coll_depth": "2"}, seeds=Seeds.one(7))
    found = sweep.make(asked, write(tmp_path, FILE))
    assert [each.title for each in found.points] == ["minimal coll_depth=2"]
    assert found.seeds == Seeds.one(7)
    assert found.instructions == 500


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("points = [", ["sweep.toml", "is no TOML"]),
        ("point = ['src']", ["sweep.toml", "no key 'point'", "points"]),
        ("points = [3]", ["sweep.toml: points", "a list of texts"]),
        ("points = ['nope']", ["sweep.toml: points", "no point 'nope'"]),
        ("seeds = '5..1'", ["sweep.toml: seeds", "the last seed is below the first"]),
        ("instructions = 0", ["sweep.toml: instructions", "1 or more"]),
        ("set = 3", ["sweep.toml: set", "give a table"]),
        ("[set]\ncoll_depth = [0]", ["sweep.toml: set coll_depth", "1..32"]),
        ("[set]\ndepth = [1]", ["sweep.toml: set depth", "no parameter 'depth'"]),
        ("workloads = ['mixd']", ["sweep.toml: workloads", "no workload 'mixd'"]),
    ],
)
def test_explore_names_what_is_wrong_in_a_sweep_file(tmp_path, text, parts):
    with error(Status.BAD_CONFIG, *parts):
        sweep.make(Asked(), write(tmp_path, text))


def test_explore_names_a_sweep_file_that_is_not_there(tmp_path):
    with error(Status.NO_FILE, "none.toml"):
        sweep.make(Asked(), tmp_path / "none.toml")
