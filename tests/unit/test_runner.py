# SPDX-License-Identifier: Apache-2.0
"""`warplock test` counts the results of Meson and pytest, and a C build answers in one line."""

import json
from pathlib import Path

import programs
import pytest
from wlk.base import setup
from wlk.base.errors import Status, WlkError
from wlk.run import build, tools
from wlk.run import tests as runner

MESON = [
    {"name": "warplock:unit / errors", "result": "OK", "duration": 0.5, "stdout": "fine"},
    {"name": "warplock:prop / rows", "result": "FAIL", "duration": 1, "stdout": "a\nx.c:3: 1 != 2"},
    {"name": "warplock / odd", "result": "TIMEOUT", "duration": 30},
    {"name": "warplock:unit / later", "result": "SKIP", "duration": 0},
]
SUITE = {
    "test_good.py": "def test_a(): pass\ndef test_b(): pass\n",
    "test_bad.py": "import pytest\ndef test_c(): assert 1 == 2, 'c differs'\n"
    "def test_d(): pytest.skip('no recordings')\n",
}


def test_runner_reads_meson(tmp_path):
    log = tmp_path / "testlog.json"
    log.write_text("".join(json.dumps(test) + "\n" for test in MESON))
    outcomes = list(runner.read_meson(log))
    assert [(o.folder, o.name, o.result) for o in outcomes] == [
        ("unit", "errors", "passed"),
        ("prop", "rows", "failed"),
        ("unit", "odd", "failed"),
        ("unit", "later", "skipped"),
    ]
    assert outcomes[1].message == "x.c:3: 1 != 2"
    assert runner.counts(outcomes) == (1, 2, 1)


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """A tests/ folder of our own."""
    folder = tmp_path / "tests" / "unit"
    folder.mkdir(parents=True)
    for name, text in SUITE.items():
        (folder / name).write_text(text)
    monkeypatch.setattr(runner, "TESTS", tmp_path / "tests")
    monkeypatch.setattr(runner, "OUTPUT", tmp_path / "out")
    monkeypatch.setattr(setup, "BUILD", tmp_path / "build")
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    monkeypatch.setattr(build, "meson_build", lambda **_: tmp_path / "build")
    monkeypatch.setattr(runner, "run_meson", lambda *_: [])
    return folder


@pytest.fixture
def run(suite, capsys):
    """Runs the suite; what is printed, of which the last line counts."""

    def call(code=0, **options):
        assert runner.Tests(**{"jobs": 1} | options).run() == code
        return capsys.readouterr()

    return call


def last(printed):
    return printed.out.splitlines()[-1]


def test_runner_counts_pytest(run):
    printed = run(1)
    lines = printed.out.splitlines()
    assert lines[-1] == "2 passed, 1 failed"
    assert any(line.startswith("FAILED ") and "c differs" in line for line in lines)
    assert any(line.startswith("SKIPPED ") and "no recordings" in line for line in lines)


def test_runner_retry_lists_what_passes_at_the_second_try(run, suite, tmp_path):
    seen = tmp_path / "seen"
    once = f"import pathlib\ndef test_once():\n    seen = pathlib.Path({str(seen)!r})\n"
    once += "    first = not seen.exists()\n    seen.touch()\n    assert not first, 'only once'\n"
    (suite / "test_once.py").write_text(once)
    printed = run(1, retry=True)  # test_c fails again
    lines = printed.out.splitlines()
    assert lines[-1] == "3 passed, 1 failed"
    assert [line.split()[0] for line in lines if "test_once" in line] == ["UNSTABLE"]
    seen.unlink()
    assert last(run(1)) == "2 passed, 2 failed"


def test_runner_all_passed(run, suite):
    (suite / "test_bad.py").unlink()
    printed = run(json=True)
    assert json.loads(printed.out)["passed"] == 2
    assert printed.err.splitlines()[-1] == "2 passed, 0 failed"


@pytest.mark.parametrize(
    "text", ["import no_such_module", "import os\ndef test_c(): os._exit(0)\n"]
)
def test_runner_file_that_cannot_be_run_fails(run, suite, text):
    (suite / "test_bad.py").write_text(text)
    run(1)


def test_runner_crash_while_it_writes_fails(run, suite, tmp_path):
    xml = tmp_path / "out" / "unit.xml"  # a full disk leaves it empty
    text = f"import os\ndef test_c():\n    open({str(xml)!r}, 'w').close()\n    os._exit(1)\n"
    (suite / "test_bad.py").write_text(text)
    printed = run(1)
    assert "pytest ended with 1, see " in printed.out


def test_runner_hands_on_whether_all_is_run(run, suite, monkeypatch):
    monkeypatch.setenv("WARPLOCK_FULL", "1")  # the option alone decides
    text = "import os\ndef test_c(): assert os.environ['WARPLOCK_FULL']"
    (suite / "test_bad.py").write_text(text)
    run(1)
    run(full=True)


def test_runner_runs_only_the_folders_asked_for(run, suite):
    other = suite.with_name("lint")
    other.mkdir()
    (other / "test_other.py").write_text("def test_e(): pass\n")
    assert last(run(folder=["lint"])) == "1 passed, 0 failed"
    assert last(run(1)) == "3 passed, 1 failed"


def test_runner_runs_the_longest_folder_by_file(run, suite):
    other = suite.with_name("lockstep")
    other.mkdir()
    for name in ("a", "b"):
        (other / f"test_{name}.py").write_text(f"def test_{name}(): pass\n")
    ordered = [suite, *sorted(other.iterdir())]  # unit is longer than any of its files
    assert runner._parts(["lockstep", "unit"]) == ordered
    printed = run(1).out.splitlines()
    assert printed[-1] == "4 passed, 1 failed"
    assert any(line.split()[:3] == ["lockstep", "2", "0"] for line in printed)


def test_runner_nothing_ran_fails(run, suite):
    with programs.error(Status.VACUOUS, "no test matches 'zebra'"):
        run(k="zebra")


def project(folder, text, monkeypatch):
    """A Meson project of one C file."""
    (folder / "meson.build").write_text("project('p', 'c')\nexecutable('p', 'p.c')\n")
    (folder / "p.c").write_text(text)
    monkeypatch.setattr(setup, "ROOT", folder)
    monkeypatch.setattr(setup, "BUILD", folder / "build")
    monkeypatch.delenv(build.VARIABLE, raising=False)


def test_build_release_is_optimised(tmp_path, monkeypatch):
    project(tmp_path, "int main(void) { return 0; }\n", monkeypatch)
    folder = build.meson_build(whole=True)
    assert folder == tmp_path / "build" / "release"
    assert (folder / "p").exists()
    command = (folder / "compile_commands.json").read_text()
    assert " -O2 " in command
    assert "-DNDEBUG" in command


def test_build_failure_names_first_error_and_log(tmp_path, monkeypatch, capsys):
    project(tmp_path, "int main(void) { return x; }\n", monkeypatch)
    log = tmp_path / "build" / "release.log"
    with programs.error(Status.BUILD_FAIL, "p.c:1:25: error:", log):
        build.meson_build(whole=True)
    assert "  | " in capsys.readouterr().err


def test_build_other_options_start_afresh(tmp_path, monkeypatch):
    project(tmp_path, "int main(void) { return N - 1; }\n", monkeypatch)
    for flags in ("-DN=1", "-DN=2 -DM"):
        monkeypatch.setenv("CFLAGS", flags)
        command = (build.meson_build(whole=True) / "compile_commands.json").read_text()
        assert flags.split()[-1] in command


def test_build_unknown_kind(monkeypatch):
    monkeypatch.setenv(build.VARIABLE, "fast")
    with pytest.raises(WlkError, match="WARPLOCK_BUILD=fast: no such build; it is one of release"):
        build.folder()


@pytest.mark.parametrize("code", [1, 3, 28, -11, 77])
def test_program_that_dies_is_no_verdict(code):
    """A traceback of Python, or a linker that fails, ends with 1."""
    with programs.error(Status.MODEL_ERROR, "ended with"):
        tools._check(Path("wlk-x"), tools.Answer(code, "", "wlk-x: something broke"), True)


def test_error_of_a_program_keeps_its_code():
    with programs.error(Status.NO_FILE, "no such file"):
        tools._check(Path("wlk-x"), tools.Answer(10, "", "wlk-x: no such file"), True)


def test_only_builds_of_ci_take_warnings_for_errors():
    """A user's compiler may warn of what ours do not know."""
    strict = {name for name, kind in build.KINDS.items() if "--werror" in kind.options}
    assert strict == {"gcc", "clang", "asan"}
    files = [*programs.ROOT.glob("*/meson.build"), *programs.ROOT.glob("*/*/meson.build")]
    assert len(files) > 8
    assert [path for path in files if "-Werror" in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize(("kind", "strict"), [("gcc", True), ("release", False)])
def test_step_call_is_strict_in_ci_alone(monkeypatch, kind, strict):
    monkeypatch.setenv(build.VARIABLE, kind)
    assert build.is_strict() == strict
