# SPDX-License-Identifier: Apache-2.0
"""`warplock model`: modules in place of RTL, alone, beside stubs, and inside the stage; and what a
simulation must refuse. The predictor is in test_predict.py."""

import re
import shutil
import subprocess

import programs
import pytest
import rtl_under_test as rut
import test_bind
import test_predict
from wlk import tables
from wlk.base.errors import Status
from wlk.gen import kernels, sv
from wlk.run import bind_folder

pytestmark = pytest.mark.slow
SMALL = {name: tables.load(name).small for name in tables.names()}
CASES = [(name, next(iter(tables.load(name).configs))) for name in SMALL]  # what `lockstep` runs
CASES += [each for each in SMALL.items() if each not in CASES]
ISSUE = tables.load("issue")
INSIDE = [each["block"] for each in ISSUE.instances]
RUNS = [(block, kernel) for block in INSIDE for kernel in sorted(kernels.KERNELS)]
MANY = rut.ROOT / "tests" / "lockstep" / "many.sv"
CONFIG = programs.config_options(rut.SMALL)


def model(block, out, *words, code=0):
    return rut.warplock("model", block, "--out", out, *words, code=code)


# ---- lockstep ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("block", "name"), programs.part(CASES, 24))
def test_model_is_its_own_rtl(block, name):
    """The checker asks the model too, but by other calls: what the module does to words, ports,
    edges and state is compared."""
    pinned = programs.config_options(tables.load(block).configs[name])
    place = rut.folder(f"model_{block}_{name}")
    model(block, place, *pinned)
    words = ("--seeds", "1..2", "--cycles", "3000", *pinned)
    answer = rut.run_lockstep("--rtl", place, *words, block=block).json
    assert (answer["match"], answer["not_compared"]) == ("equal", [])


def test_vectors_play_on_a_model(tmp_path):
    """Outputs that a file of the model expects are those of the module, from zeros on."""
    place, vectors = rut.folder("model_vectors"), tmp_path / "c.wlv"
    model("collector", place, *CONFIG)
    rut.warplock("vectors", "gen", "collector", vectors, *CONFIG, "--seed", "7", "--cycles", "2000")
    answer = rut.play(vectors, "--rtl", place)
    assert (answer["verdict"], answer["cycles"]) == ("PASS", 2000)


def stage(config, blocks):
    """The stub of the stage with models of these blocks inside, and its parameters as options."""
    shown = ISSUE.show(ISSUE.config(ISSUE.configs[config]))
    place = rut.folder(f"model_stage_{config}_{'_'.join(blocks)}")
    for path in rut.stub(f"model_stage_{config}", shown, block="issue").iterdir():
        shutil.copyfile(path, place / path.name)
    for block in blocks:
        pinned = {key: shown[key] for key in tables.load(block).settings() if key in shown}
        model(block, place, *programs.config_options(pinned), "--force")
    return place, programs.config_options(shown)


@pytest.mark.parametrize(("config", "blocks"), [("rows2", INSIDE), ("rows1", ["scoreboard"])])
def test_stage_settles(config, blocks):
    """Blocks inside hang on each other without a register between them: models among themselves,
    and one that RTL asks twice in a cycle."""
    place, pinned = stage(config, blocks)
    words = ("--rtl", place, *pinned, "--seeds", "1..2", "--cycles", "4000")
    answer = rut.run_lockstep(*words, block="issue").json
    assert answer["verdict"] == "PASS"
    assert sorted(answer["checkers"]) == sorted(["issue", *INSIDE])


@pytest.mark.parametrize(("block", "kernel"), programs.part(RUNS, len(RUNS)))
def test_stage_runs_kernels_with_a_model_inside(block, kernel):
    place, pinned = stage("default", [block])
    path = rut.ROOT / "vectors" / "kernels" / f"{kernel}.prog"
    words = ("--rtl", place, *pinned, "--seeds", "1", "--program", path)
    answer = rut.run_lockstep(*words, block="issue").json
    assert answer["verdict"] == "PASS"
    assert answer["coverage"]["issue"]["hits"] > 500
    assert sorted(answer["checkers"]) == sorted(["issue", *INSIDE])


# ---- in a simulation of the user's own --------------------------------------------------------


def macros():
    """The collector's ports as many.sv wants them."""
    ports = rut.TABLE.ports(rut.TABLE.config(rut.SMALL))
    outs = [p.name for p in ports if p.direction == "out"]
    read = set(test_bind.READ)
    driven = [p for p in ports if p.name in read or p.direction == "in" and p.name != "reset"]
    wires = {p.name: f"logic [{p.width - 1}:0] " for p in ports if p.name != "reset"}
    pins = ", ".join(f".{name}" for name in wires)
    texts = {
        "DRIVER": ", ".join(
            f"{'in' if p.name in read else 'out'}put {wires[p.name]}{p.name}" for p in driven
        ),
        "WIRES": "; ".join(kind + name for name, kind in wires.items()),
        "PINS": pins,
        "STUB_WIRES": "; ".join(f"{wires[name]}stub_{name}" for name in outs),
        "STUB_PINS": ", ".join(f".{n}(stub_{n})" if n in outs else f".{n}" for n in wires),
        "OUTPUTS": "{" + ", ".join(outs) + "}",
        "STUB_OUTPUTS": "{" + ", ".join(f"stub_{name}" for name in outs) + "}",
    }
    return "".join(f"`define {name} {text}\n" for name, text in texts.items())


@pytest.fixture(scope="module")
def many():
    """Ten instances; the last one is a module that another version of the tool wrote beside a
    library of its own, if plusargs say so."""
    first, second, place = (rut.folder(f"model_many_{n}") for n in ("wlk", "other", "sim"))
    model("collector", first, *CONFIG, "--module", "CollectorModel")
    model("collector", second, *CONFIG, "--module", "CollectorOther")
    text = second / "CollectorOther.sv"
    opened = re.search(r"wlk_model_open\((64'd\d+), (64'h\w+), ", text.read_text())
    index = list(rut.TABLE.params).index("coll_entries")
    flags = "".join(
        f'    void\'($value$plusargs("{name}=%d", add[{n}]));\n'
        for n, name in enumerate(("ABI", "SCHEMA", "ENTRIES"))
    )
    start = "  initial begin\n"
    new = f"  longint unsigned add[3];\n{start}    add = '{{0, 0, 0}};\n{flags}"
    rut.change(text, start, new)
    rut.change(text, opened[0], f"wlk_model_open({opened[1]} + add[0], {opened[2]} + add[1], ")
    rut.change(text, f"64'd{index}, 64'd2);", f"64'd{index}, 64'd2 + add[2]);")
    (place / "ports.svh").write_text(macros())
    lists = ["-f", first / "warplock.f", "-f", second / "warplock.f"]
    files = [*sorted(rut.stub("model_stub").glob("*.sv")), test_bind.PAIR, MANY]
    words = [f"+incdir+{place}", "+define+SECOND=CollectorOther"]
    return programs.simulation(place, "many", *lists, *files, *words)


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=120)


def test_ten_instances_are_ten_stubs(many):
    """Two clocks, gated ones, two resets."""
    done = run(many)
    assert done.returncode == 0, done.stderr
    assert "all equal\n" in done.stdout, done.stdout
    gated, free = map(int, re.search(r"compared (\d+) bits.*, (\d+) of", done.stdout).groups())
    assert 50_000 < gated < free / 2
    assert done.stderr == ""
    test_predict.prototypes_agree(many)


def test_difference_is_seen(many):
    done = run(many, "+UPSET=300")
    assert "lane 7 differs in cycle 300\n" in done.stdout


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("+ABI=97", f"written for ABI version {sv.ABI_VERSION + 97}, the library has"),
        ("+SCHEMA=1", "the library has no block with schema"),
        ("+ENTRIES=200", "coll_entries=202"),
    ],
)
def test_module_of_another_version_is_refused(many, word, part):
    """Of two copies of the library one is loaded, and refuses the modules that it does not fit."""
    done = run(many, word)
    assert done.returncode != 0
    (line,) = [x for x in done.stderr.splitlines() if x.startswith("warplock: ")]
    assert re.match(r"warplock: (TOP\.)?many\.g_lane\[9\]\.u_lane\.g_model\.u_model: ", line), line
    assert part in line


# ---- files ------------------------------------------------------------------------------------


def test_files_written_are_whole(tmp_path):
    for _ in range(2):  # once more over what is there
        answer = model("collector", tmp_path, *CONFIG, "--json").json
    assert answer["module"] == "DuplicatedCollector"
    assert answer["config"]["num_pregs"] == 16
    assert {path.name for path in tmp_path.iterdir()} == {
        "DuplicatedCollector.sv", *bind_folder.LIBRARY, "warplock.f"
    }  # fmt: skip
    done = model("collector", tmp_path, code=Status.USAGE)
    assert "DuplicatedCollector.sv: exists already" in done.line
    model("collector", tmp_path, "--force")


def test_package_has_the_name_that_is_given(tmp_path):
    for words, name in (((), "wlk_predict_collector_pkg"), (("--module", "other"), "other")):
        answer = model("collector", tmp_path, "--predict", *words, "--json").json
        assert answer["package"] == name
        assert f"\npackage {name};\n" in (tmp_path / f"{name}.sv").read_text()
    lines = (tmp_path / "warplock.f").read_text().splitlines()
    assert [line for line in lines if line.endswith(".sv")] == [
        f"{tmp_path}/wlk_predict_collector_pkg.sv",
        f"{tmp_path}/other.sv",
    ]


@pytest.mark.parametrize(
    ("words", "status", "part"),
    [
        (["--config", "coll_entries=99"], Status.BAD_CONFIG, "coll_entries"),
        (["--config", "nothing"], Status.BAD_CONFIG, "nothing"),
        (["--omit", "io_nothing"], Status.USAGE, "no port 'io_nothing' to leave out"),
        (["--omit", "io_readReq_valid"], Status.USAGE, "it is read"),
        (["--module", "2nd"], Status.USAGE, "no name of a module"),
    ],
)
def test_wrong_words_are_refused(tmp_path, words, status, part):
    done = model("collector", tmp_path / "out", *words, code=status)
    assert part in done.line
    assert not (tmp_path / "out").exists()


def test_ports_are_those_of_the_rtl(tmp_path):
    """A module that lost ports inside a stage is replaced by one that has the same ones."""
    omit = ["io_writeReq_ready", "io_readReq_bits_rsEntryId", "io_readData_resp_bits_1_data_0"]
    rtl = rut.stub("model_omitted", omit=omit)
    model("collector", tmp_path, "--rtl", rtl, *rut.PINNED)
    ports, shell = (
        re.findall(r"^    (?:in|out)put.* (\w+),?$", text.partition("\n);")[0], re.M)
        for text in ((folder / rut.SHELL).read_text() for folder in (tmp_path, rtl))
    )
    assert len(ports) > 30
    assert ports == shell
    three = rut.stub("plain_three", rut.SMALL | {"coll_entries": 3})
    done = model("collector", tmp_path / "open", "--rtl", three, code=Status.BAD_CONFIG)
    assert "the ports allow 3 or 4; give --config coll_entries=VALUE" in done.line


def test_rtl_without_such_ports_is_refused(tmp_path):
    rtl = rut.ROOT / "tests" / "lockstep" / "vortex_interfaces.sv"
    done = model("vortex_scoreboard", tmp_path / "out", "--rtl", rtl, code=Status.IFACE_CHANGED)
    assert "VX_scoreboard: its ports are interfaces; leave --rtl out" in done.line
    both = ("--rtl", rut.stub("plain"), "--omit", "io_writeReq_ready")
    done = model("collector", tmp_path / "out", *both, code=Status.USAGE)
    assert "--omit and --rtl: give one of them" in done.line
    assert not (tmp_path / "out").exists()
