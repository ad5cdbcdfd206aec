# SPDX-License-Identifier: Apache-2.0
"""What the class records of a live simulation (the mock's, record_main.cpp) is replayed line by
line; what it cannot record, and files that fail, are told and stop nothing."""

import fcntl
import json
import lzma
import os
import re
import subprocess
from pathlib import Path

import programs
import pytest
from wlk.base.errors import Status

SIMULATOR = "tests/replay/record_sim"
CORES = [("qv100", "v40"), ("qv100", "v42"), ("gtx480", "v42"), ("gtx480", "v32")]


def simulate(
    *words: object, code: int = 0, path: str = os.environ["PATH"], **variables: object
) -> subprocess.CompletedProcess:
    """Run a simulation, with WARPLOCK_<variable> set."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("WARPLOCK_")}
    env |= {f"WARPLOCK_{key}": str(value) for key, value in variables.items()}
    done = programs.run(SIMULATOR, *words, env=env | {"PATH": path})
    assert done.returncode == code, done.stderr
    return done


def text_of(path: Path) -> str:
    data = path.read_bytes()
    return (lzma.decompress(data) if path.suffix == ".xz" else data).decode("ascii")


def compare(stem: Path, code: int = 0, end: str = ".xz", **changed: Path) -> programs.Done:
    """Replay a recording as a user does, by its name."""
    stimulus = changed.get("stimulus", Path(f"{stem}.stim{end}"))
    events = changed.get("events", Path(f"{stem}.events{end}"))
    return programs.warplock("opndcoll", stimulus, "--diff", events, "--json", code=code)


def cycles_of(text: str) -> list[int]:
    return [int(cycle) for cycle in re.findall(r"^C (\d+)$", text, re.MULTILINE)]


@pytest.mark.parametrize("state", [0, 1])
@pytest.mark.parametrize(("config", "revision"), CORES)
def test_record_in_place_replays(tmp_path, config, revision, state):
    stem = tmp_path / "run"
    words = (config, revision, "place", 400, "--sms", 3)
    done = simulate(*words, RECORD=stem, RECORD_SM="1-2", RECORD_STATE=state)
    assert done.stderr == ""
    assert not Path(f"{stem}.sm0.stim.xz").exists()
    lines = {}
    for sm in (1, 2):
        answer = compare(Path(f"{stem}.sm{sm}")).json
        assert (answer["verdict"], answer["steps"], "cut" in answer) == ("PASS", 800, False)
        text = text_of(Path(f"{stem}.sm{sm}.events.xz"))
        lines[sm] = text
        assert answer["lines"] == sum(not re.match("# (war|SM|end)", x) for x in text.splitlines())
        assert cycles_of(text) == list(range(1000, 1400))
        for kind in "IEWRSDGAw" + "cup" * state:
            assert len(re.findall(f"^{kind} ", text, re.MULTILINE)) > 10, kind
        assert ("\np " in text) == bool(state)
    assert lines[1] != lines[2]


def test_record_is_played_with_the_options_that_are_given(tmp_path):
    """What the recording names holds where nothing else is."""
    simulate("qv100", "v42", "place", 50, RECORD=tmp_path)
    words = ("opndcoll", tmp_path / "sm0.stim.xz", "--diff", tmp_path / "sm0.events.xz", "--json")
    for more, found in {
        ("--revision", "v40"): "# variant 4.0 banks 16 cus 8",
        ("--config", programs.recording("gpgpusim/titanv.cfg")): "# variant 4.2 banks 8 cus 8",
    }.items():
        assert programs.warplock(*words, *more, code=1).json["got"].startswith(found)
    (tmp_path / "sm0.cfg").unlink()
    assert programs.warplock(*words, code=Status.NO_FILE).line.endswith("No such file or directory")


@pytest.mark.parametrize(("config", "revision"), CORES)
def test_record_beside_replays(tmp_path, config, revision):
    done = simulate(config, revision, "beside", 400, "--stem", tmp_path / "run", "--destroy")
    assert (done.stdout, done.stderr) == ("", "")
    assert compare(tmp_path / "run.sm0").json["steps"] == 800


def test_record_from_the_environment_beside(tmp_path):
    simulate("qv100", "v40", "beside", 200, "--sms", 2, RECORD=f"{tmp_path}/", RECORD_SM="all")
    for sm in (0, 1):
        assert compare(tmp_path / f"sm{sm}").json["steps"] == 400


@pytest.mark.parametrize(("config", "revision"), [*CORES, ("rotating", "v40")])
def test_record_of_a_window_replays(tmp_path, config, revision):
    """It begins where nothing is in flight, and with the arbiters where they point."""
    stem = tmp_path / "run"
    window = {"RECORD": stem, "RECORD_CYCLES": "1070-1250"}
    simulate(config, revision, "place", 400, RECORD_STATE=1, **window)
    assert compare(tmp_path / "run.sm0").json["steps"] > 150
    stimulus = text_of(tmp_path / "run.sm0.stim.xz")
    cycles = cycles_of(stimulus)
    assert 1070 < cycles[0] <= 1095  # issue pauses from 1080 on
    assert cycles == list(range(cycles[0], 1251))
    # Without the arbiters the replay goes another way.
    lines = [line for line in stimulus.splitlines() if not line.startswith("Z")]
    assert len(lines) == len(stimulus.splitlines()) - 1
    changed = tmp_path / "run.changed.stim"
    changed.write_text("\n".join(lines) + "\n", "ascii")
    compare(tmp_path / "run.sm0", code=Status.FUNCTIONAL_MISMATCH, stimulus=changed)


@pytest.mark.parametrize(
    ("head", "new"), [("G ", "G 0 0 9 9 9"), ("I ", "I SP 0 0 - -"), ("X", "")]
)
def test_record_that_was_changed_does_not_replay(tmp_path, head, new):
    simulate("qv100", "v42", "place", 200, RECORD=tmp_path)
    name = "events" if head == "G " else "stim"
    lines = text_of(tmp_path / f"sm0.{name}.xz").splitlines()
    at = [n for n, line in enumerate(lines) if line.startswith(head)][30]
    lines[at] = new
    changed = tmp_path / f"changed.{name}"
    changed.write_text("\n".join(lines) + "\n", "ascii")
    which = {"events": {"events": changed}, "stim": {"stimulus": changed}}[name]
    compare(tmp_path / "sm0", code=Status.FUNCTIONAL_MISMATCH, **which)


@pytest.mark.parametrize("end", ["", ".stim"])
def test_record_of_a_killed_simulation_replays_up_to_there(tmp_path, end):
    words = ("qv100", "v40", "place", 3000, "--kill", 2500)
    simulate(*words, code=-9, RECORD=f"{tmp_path}/run{end}")
    answer = compare(tmp_path / "run.sm0", end="" if end else ".xz").json
    assert (answer["verdict"], answer["cut"]) == ("PASS", True)
    assert 1000 < answer["steps"] < 5000
    plain = programs.warplock(
        "opndcoll", tmp_path / f"run.sm0.stim{'' if end else '.xz'}", "--summary", "--json"
    )
    assert plain.json["steps"] == answer["steps"]


def test_record_is_off_by_default(tmp_path):
    done = programs.run(SIMULATOR, "qv100", "v40", "place", "50", cwd=tmp_path)
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (0, "", [])


# Windows without a beginning.


def nothing(tmp_path, *words, window: str, message: str) -> None:
    done = simulate("qv100", "v40", "place", 300, *words, RECORD=tmp_path, RECORD_CYCLES=window)
    [line] = done.stderr.splitlines()
    assert line.startswith("warplock: recording of SM 0: nothing was recorded: ")
    assert message in line
    done = programs.warplock("opndcoll", tmp_path / "sm0.stim.xz", code=None)
    programs.refused(done, Status.VACUOUS, "no command in it")
    assert message in text_of(tmp_path / "sm0.stim.xz")


def test_record_of_a_collector_that_is_never_empty(tmp_path):
    message = "the collector was never empty from core cycle 1100 on; begin earlier: it was empty"
    nothing(tmp_path, "--busy", window="1100-", message=message)
    nothing(tmp_path, "--busy", window="1100-1200", message=message)
    found = re.search(r"empty in core cycle (\d+)", text_of(tmp_path / "sm0.stim.xz"))
    words = ("qv100", "v40", "place", 300, "--busy")
    done = simulate(*words, RECORD=tmp_path, RECORD_CYCLES=f"{found[1]}-1200")
    assert done.stderr == ""
    assert compare(tmp_path / "sm0").json["steps"] > 300
    assert cycles_of(text_of(tmp_path / "sm0.stim.xz"))[0] == int(found[1])


def test_record_of_a_window_behind_the_end(tmp_path):
    nothing(tmp_path, window="2000-", message="ended in core cycle 1299, before the window, which")


# What cannot be recorded.

WRONG = [
    ("gtx480", "slot", r"#\d+ was issued into slot 1 of ID_OC SP, and not 0"),
    ("gtx480", "young", r"#\d+ was taken out of OC_EX SP, and not the oldest there, #\d+"),
    ("qv100", "uid", r"#3 was issued behind #\d+"),
    ("qv100", "cycle", r"the core cycle went back to 1001"),
]


@pytest.mark.parametrize(("config", "wrong", "message"), WRONG)
def test_record_ends_at_what_cannot_be_recorded(tmp_path, config, wrong, message):
    words = (config, "v40", "place", 400, "--busy", "--wrong", wrong)
    done = simulate(*words, RECORD=tmp_path)
    [line] = done.stderr.splitlines()
    assert re.search(rf"recording of SM 0: it ends in core cycle \d+: {message}$", line)
    for name in ("stim", "events"):
        assert re.search(
            rf"# stopped in core cycle \d+: {message}\n# end\n$",
            text_of(tmp_path / f"sm0.{name}.xz"),
        )
    answer = compare(tmp_path / "sm0").json
    assert 190 < answer["steps"] < 700


def test_record_ends_at_the_first_difference(tmp_path):
    words = ("qv100", "v40", "beside", 400, "--wrong", "collector")
    done = simulate(*words, RECORD=tmp_path)
    what = re.match(r"difference: (.*)\n$", done.stdout)[1]
    assert re.search(rf"ends in core cycle 10\d\d: {what}: model #\d+, simulator #", done.stderr)
    assert compare(tmp_path / "sm0").json["verdict"] == "PASS"


# Files.


def test_record_of_two_cores_with_one_number(tmp_path):
    done = simulate("qv100", "v40", "place", 100, "--sms", 2, "--wrong", "sm", RECORD=tmp_path)
    [line] = done.stderr.splitlines()
    assert line.endswith("another recording writes it; have two cores the same number?")
    assert compare(tmp_path / "sm0").json["steps"] == 200


def test_record_into_no_folder(tmp_path):
    done = simulate("qv100", "v40", "place", 100, RECORD=tmp_path / "absent" / "run")
    [line] = done.stderr.splitlines()
    assert f"{tmp_path}/absent/run.sm0.stim.xz: cannot be made: No such file" in line


@pytest.mark.parametrize("name", ["run.sm0.stim.xz", "run.sm0.events.xz", "run.sm0.events"])
def test_record_on_a_full_disk_is_told_once(tmp_path, name):
    (tmp_path / name).symlink_to("/dev/full")
    stem = tmp_path / ("run" if name.endswith("xz") else "run.stim")
    done = simulate("qv100", "v40", "place", 3000, RECORD=stem)
    [line] = done.stderr.splitlines()
    assert line.startswith("warplock: recording of SM 0: ")
    assert re.search(rf"{name}: .*(is the disk full|No space left)", line)


def test_record_into_a_file_that_cannot_be_emptied(tmp_path):
    file = os.memfd_create("sealed", os.MFD_ALLOW_SEALING)
    try:
        os.write(file, b"an earlier recording")
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
        (tmp_path / "run.sm0.stim.xz").symlink_to(f"/proc/{os.getpid()}/fd/{file}")
        done = simulate("qv100", "v40", "place", 100, RECORD=tmp_path / "run")
    finally:
        os.close(file)
    [line] = done.stderr.splitlines()
    assert f"{tmp_path}/run.sm0.stim.xz: cannot be emptied: Operation not permitted" in line


def test_record_without_xz_is_plain(tmp_path):
    done = simulate("qv100", "v40", "place", 100, RECORD=tmp_path, path="/nowhere")
    assert done.stderr.count("the program xz was not found; ") == 2
    assert compare(tmp_path / "sm0", end="").json["steps"] == 200
    assert list(tmp_path.glob("*.xz")) == []


BAD = [
    ({"RECORD_SM": "x"}, "WARPLOCK_RECORD_SM 'x': it is a number, as 3, a range, as 0-3, or all"),
    ({"RECORD_SM": "3-1"}, "WARPLOCK_RECORD_SM '3-1'"),
    ({"RECORD_SM": "1-"}, "WARPLOCK_RECORD_SM '1-'"),
    ({"RECORD_CYCLES": "7"}, "WARPLOCK_RECORD_CYCLES '7': it is core cycles, as 1000-5000"),
    ({"RECORD_CYCLES": "9-7"}, "WARPLOCK_RECORD_CYCLES '9-7'"),
    ({"RECORD_CYCLES": "-7"}, "WARPLOCK_RECORD_CYCLES '-7'"),
    ({"RECORD_CYCLES": "1-99999999999999999999"}, "WARPLOCK_RECORD_CYCLES '1-9999"),
    ({"RECORD_STATE": "yes"}, "WARPLOCK_RECORD_STATE 'yes': it is 0 or 1"),
]


@pytest.mark.parametrize(("variables", "message"), BAD)
def test_record_refuses_a_bad_variable(tmp_path, variables, message):
    done = simulate("qv100", "v40", "place", 10, code=1, RECORD=tmp_path, **variables)
    assert done.stderr.startswith(message)


# Statistics.


def test_record_summary_is_that_of_the_replay(tmp_path):
    words = ("qv100", "v42", "place", 400, "--sms", 2, "--print")
    done = simulate(*words, RECORD=tmp_path, SUMMARY=tmp_path / "counts", RECORD_SM="all")
    for sm, printed in enumerate(done.stdout.splitlines()):
        written = json.loads((tmp_path / f"counts.sm{sm}.json").read_text())
        assert written == json.loads(printed)
        stimulus = tmp_path / f"sm{sm}.stim.xz"
        counted = programs.warplock("opndcoll", stimulus, "--summary", "--json").json
        assert written == {key: counted[key] for key in written}
        assert written["steps"] == 800
        assert written["totals"]["conflicts"] > 100


def test_record_summary_that_is_not_counted():
    assert simulate("qv100", "v40", "place", 10, "--print").stdout == "no summary\n"


# The page.

PAGE = (programs.ROOT / "docs" / "gpgpusim.md").read_text("utf-8")
SECTION = PAGE.partition("\n## Record a live simulation\n")[2].partition("\n## ")[0]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INCLUDES = ("dpi/include", "refmodel/include", "tests/unit")


def test_record_page_commands_run(tmp_path):
    [commands] = [text for kind, text in FENCE.findall(SECTION) if kind == ""]
    simulator = f"{programs.folder() / SIMULATOR} qv100 v42 place 400 --sms 2"
    (tmp_path / "rec").mkdir()
    for command in commands.splitlines():
        line = command.replace("./simulator", simulator)
        line = line.replace("scripts/warplock opndcoll", f"{programs.WARPLOCK} opndcoll --no-setup")
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, command + done.stderr
        assert done.stderr == "" or "opndcoll" in command
    recorded = {path.name for path in (tmp_path / "rec").iterdir()}
    ends = ("stim.xz", "events.xz", "cfg")
    assert recorded == {f"vectoradd.sm{sm}.{end}" for sm in (0, 1) for end in ends}


def test_record_page_code_records(tmp_path):
    """It compiles in the oldest dialect, and records what it says."""
    [code] = [text for kind, text in FENCE.findall(SECTION) if kind == "cpp"]
    program = f"""#include "mock_gpgpusim.hpp"
#include "gpgpusim_configs.h"
int main() {{
    mock::core core(qv100(V40));
    warplock::opndcoll<mock::traits> collector;
    mock::connect(collector, core);
    {code}
    core.get_gpu()->gpu_sim_cycle = 1000;
    collector.step();
    return collector.summary(stdout) && collector.finish_recording() == WLK_OK ? 0 : 1;
}}
"""
    (tmp_path / "main.cpp").write_text(program, "ascii")
    (tmp_path / "rec").mkdir()
    built = programs.folder()
    words = ["c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", "main"]
    words += [f"-I{programs.ROOT / name}" for name in INCLUDES]
    words += ["-fsanitize=address,undefined"] if built.name == "asan" else []
    libraries = ("dpi/libwarplock_check.a", "refmodel/libwarplock.a")
    words += [str(built / name) for name in libraries]
    subprocess.run(words, cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout)["steps"] == 1
    assert "\nC 1000\nX\n# end\n" in text_of(tmp_path / "rec/vectoradd.sm0.stim.xz")
    assert "# SM 0, core cycles 1000 to 5000\n" in text_of(tmp_path / "rec/vectoradd.sm0.stim.xz")


def test_record_page_names_every_variable():
    text = (programs.ROOT / "dpi/gpgpusim/opndcoll_record.c").read_text("utf-8")
    assert set(re.findall(r'"(WARPLOCK_\w+)"', text)) == set(
        re.findall(r"^\| `(WARPLOCK_\w+)`", SECTION, re.M)
    )
