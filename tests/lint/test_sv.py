# SPDX-License-Identifier: Apache-2.0
"""Every SystemVerilog file, written or generated, is clean for every tool that reads it.

Stub: Verilator -Wall (both versions), slang, Yosys, verible format and lint. Checker, package and
bind file: Verilator -Wall, slang, verible.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import programs
import pytest
from wlk import tables
from wlk.base import setup
from wlk.gen import stubs
from wlk.gen.sv import Harness
from wlk.run import verilate

TABLES = {name: tables.load(name) for name in tables.names()}
STUBS = [(name, config) for name, table in TABLES.items() for config in table.chosen]
HARNESSES = [
    (name, config)
    for name, table in TABLES.items()
    for config in ("default", "debug", "lane64")
    if config in table.configs
]
# Read by Yosys for long because of their size alone: their modules stand in other configurations.
LONG = ("collector-wide", "opndcoll-qv100")
VERIBLE = setup.VENV / "bin"
NEWEST = pytest.param("newest", marks=pytest.mark.needs("newest"))


def run(*words, **options):
    """A tool's exit code and everything it prints."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **options)
    return done.returncode, done.stdout + done.stderr


@dataclass(frozen=True)
class Design:
    """Files in order, and the module that is the top."""

    files: list[Path]
    top: str
    generated: list[Path]


def stub_of(block: str, config: str) -> Design:
    """A block's stub in a named configuration."""
    table = TABLES[block]
    files = stubs.write_stub(table, table.config(table.configs[config]))
    return Design(files, table.module, [])


@pytest.fixture(params=STUBS, ids="-".join)
def stub(request):
    """A stub alone."""
    return stub_of(*request.param)


@pytest.fixture(params=HARNESSES, ids="-".join)
def harness(request, tmp_path):
    """A stub and its checker, package first."""
    inner, table = stub_of(*request.param), TABLES[request.param[0]]
    config = table.config(table.configs[request.param[1]])
    present = [p.name for p in table.ports(config)] + [table.clock] * bool(table.clock)
    made = Harness(table, config, present, table.module)
    texts = {
        "wlk_pkg.sv": made.package_sv(),
        f"{made.checker}.sv": made.checker_sv(),
        f"{made.checker}_bind.sv": made.bind_sv(),
    }
    if made.top != table.module:
        texts[f"{made.top}.sv"] = made.top_sv()
    generated = []
    for name, text in texts.items():
        generated.append(tmp_path / name)
        generated[-1].write_text(text, encoding="utf-8")
    return Design([*generated, *inner.files], made.top, generated)


def complaints(tool: verilate.Tool, design: Design) -> list[str]:
    """Warnings and errors of Verilator; the newest also prints statistics."""
    words = [tool.program, "--lint-only", "-Wall", "--top-module", design.top, *design.files]
    code, text = run(*words, env=tool.environment())
    found = [line for line in text.splitlines() if line.startswith("%")]
    return found or ([] if code == 0 else [text])


@pytest.mark.parametrize("which", ["system", NEWEST])
def test_verilator_is_silent_about_the_stub(stub, which):
    assert complaints(verilate.find_tool(which), stub) == []


@pytest.mark.parametrize("which", ["system", NEWEST])
def test_verilator_is_silent_about_the_checker(harness, which):
    assert complaints(verilate.find_tool(which), harness) == []


def slang_errors(design: Design) -> list[str]:
    """What slang calls an error in the elaborated design."""
    import pyslang

    compilation = pyslang.ast.Compilation()
    for path in design.files:
        compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromFile(str(path)))
    found = [d for d in compilation.getAllDiagnostics() if d.isError()]
    return [pyslang.DiagnosticEngine.reportAll(compilation.sourceManager, [d]) for d in found]


def test_slang_elaborates_the_stub(stub):
    assert slang_errors(stub) == []


def test_slang_elaborates_the_checker(harness):
    assert slang_errors(harness) == []


@pytest.mark.needs("yosys")
def test_yosys_reads_the_stub(stub, request):
    if not programs.FULL and set(LONG) & set(request.node.callspec.id.split()):
        pytest.skip("its size takes Yosys half a minute; `warplock test --full` runs it")
    script = (
        f"read_verilog -sv {' '.join(map(str, stub.files))}; "
        f"hierarchy -check -top {stub.top}; proc; check -assert; select -assert-none t:$dlatch"
    )
    # An implicit wire is only a warning to Yosys, and silently wrong.
    code, text = run("yosys", "-q", "-e", "implicitly declared", "-p", script)
    assert code == 0, text


def verible_complaints(files: list[Path]) -> str:
    """What verible's formatter and its linter find."""
    tools = [("verible-verilog-format", "--inplace", "--verify")]
    tools += [("verible-verilog-lint", "--rules_config_search")]
    answers = [run(VERIBLE / program, *options, *files) for program, *options in tools]
    return "".join(text for code, text in answers if (code, text) != (0, ""))


@pytest.mark.needs("lint")
def test_verible_finds_nothing_in_the_stub(stub):
    assert verible_complaints(stub.files) == ""


@pytest.mark.needs("lint")
def test_verible_finds_nothing_in_the_checker(harness):
    assert verible_complaints(harness.generated) == ""
