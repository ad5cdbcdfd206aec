# SPDX-License-Identifier: Apache-2.0
"""The one command: mistakes, Ctrl-C and bugs each end in one line and an exit code of their own."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import programs
import pytest
from wlk import cli, tables
from wlk.base import options
from wlk.base.errors import Status
from wlk.base.setup import ROOT
from wlk.run import jobs

WARPLOCK = ROOT / "scripts" / "warplock"


def warplock(*words, **environment):
    """Run the command as a person does, but with this Python."""
    env = os.environ | {key: str(value) for key, value in environment.items()}
    command = [sys.executable, str(WARPLOCK), *words]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)


def one_line(stderr):
    """The message, which must be all there is."""
    assert re.fullmatch(r"warplock: [^\n]+\n", stderr), stderr
    return stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "SUBCOMMAND"),
        (["tset"], "'tset'"),
        (["--frobnicate"], "SUBCOMMAND"),
        (["test", "--frobnicate"], "--frobnicate"),
        (["test", "--qui"], "--qui"),
        (["test", "--jobs", "0"], "0: must be 1 or more"),
        (["test", "--jobs", "many"], "'many' is not a number"),
        (["test", "--jobs"], "--jobs"),
    ],
)
def test_cli_mistake_is_one_line_and_usage(words, message):
    done = warplock(*words)
    assert done.returncode == Status.USAGE
    assert message in one_line(done.stderr)
    assert "--help" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--json"], Status.USAGE),
        (["tset", "--json"], Status.USAGE),
        (["lockstep", "--json", "--frobnicate"], Status.USAGE),
        (["lockstep", "nosuch", "--json"], Status.USAGE),
        (["vectors", "play", "nosuch.wlv", "--json"], Status.NO_FILE),
        (["check", "--json", "nosuch.fst"], Status.NO_FILE),
        (["bind", "collector", "--json", "--rtl", "nosuch", "--out", "x"], Status.NO_FILE),
        (["opndcoll", "nosuch.stim", "--json", "--config", "nosuch.cfg"], None),
        (["stub", "nosuch", "--json", "--out", "x"], Status.USAGE),
        (["mutate", "nosuch", "--json"], Status.USAGE),
        (["setup", "nosuch", "--json"], Status.USAGE),
        (["test", "--json", "--jobs", "0"], Status.USAGE),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_cli_error_is_an_object_too(words, status):
    done = warplock(*words)
    error = json.loads(done.stdout)["error"]
    assert done.returncode == error["code"] == Status[error["status"]] != 0
    assert error["code"] == status or status is None
    assert one_line(done.stderr) == f"warplock: {error['message']}\n"


def test_cli_unforeseen_error_is_an_object_too():
    child = driver("raise ValueError('odd')", as_json=True)
    output, message = child.communicate(timeout=60)
    assert json.loads(output)["error"]["status"] == "MODEL_ERROR"
    assert child.returncode == Status.MODEL_ERROR
    assert "odd" in one_line(message)


def test_cli_error_object_that_cannot_be_written_changes_no_exit_code():
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, str(WARPLOCK), "tset", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == Status.USAGE
    assert "'tset'" in one_line(done.stderr)


def test_cli_no_setup_with_empty_path_names_what_is_missing(tmp_path):
    done = warplock("test", "--no-setup", PATH=tmp_path)
    assert done.returncode == Status.NO_TOOL
    message = one_line(done.stderr)
    for tool in ("verilator", "meson", "xz"):
        assert tool in message


def test_cli_no_python_and_no_setup_names_the_command(tmp_path):
    for tool in ("sh", "dirname", "readlink", "id"):
        (tmp_path / tool).symlink_to(f"/usr/bin/{tool}")
    for words, env in ((["--no-setup"], {}), ([], {"WARPLOCK_NO_SETUP": "1"})):
        done = subprocess.run(
            ["/bin/sh", WARPLOCK, "test", *words],
            capture_output=True,
            text=True,
            env={"PATH": str(tmp_path)} | env,
        )
        assert done.returncode == Status.NO_TOOL
        assert "apt-get install python3 python3-venv" in one_line(done.stderr)


def test_cli_script_is_shell_and_python():
    for interpreter in ("/bin/sh", sys.executable):
        done = subprocess.run([interpreter, WARPLOCK, "--help"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "SUBCOMMAND" in done.stdout


@pytest.mark.parametrize("name", [command.NAME for command in cli.COMMANDS])
def test_cli_every_subcommand_has_help_with_an_example(name, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main([name, "--help"])
    text = capsys.readouterr().out
    assert stop.value.code == 0
    for part in (f"\nexample:\n  warplock {name}", "--json", "--no-setup"):
        assert part in text


@pytest.mark.parametrize(
    ("words", "features"),
    [
        ("lockstep --list", ""),
        ("lockstep collector", "build verilate"),
        ("lockstep collector --rtl x.sv", "build verilate rtl"),
        ("lockstep --verilator newest", "build verilate newest"),
        ("stub collector --out x", ""),
        ("vectors gen collector x.wlv", "build"),
        ("vectors play x.wlv --rtl x.sv", "build verilate rtl"),
        ("bind collector --rtl x.sv --out x", "build rtl"),
        ("check run.fst", "build"),
        ("check run.vcd", "build vcd"),
        ("check vcd_of_no_name", "build vcd"),
        ("check empty", "build"),
    ],
)
def test_cli_asks_set_up_for_what_the_work_needs(words, features, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.vcd").write_text("$date\n")
    (tmp_path / "vcd_of_no_name").write_text("\n$date\n")
    (tmp_path / "empty").write_text("")
    (tmp_path / "run.fst").write_bytes(b"\0\0")
    assert list(cli.parse(words.split()).needs()) == features.split()


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("lockstep collector --profile fast", Status.USAGE, "no profile 'fast'; it has mix, mixed"),
        ("lockstep nosuch", Status.USAGE, "no block 'nosuch'"),
        ("lockstep collector --config nosuch", Status.BAD_CONFIG, "no configuration 'nosuch'"),
        ("lockstep collector --rtl nosuch.sv", Status.NO_FILE, "nosuch.sv: no such file"),
        ("lockstep --rtl .", Status.USAGE, "--rtl goes with one block"),
        ("lockstep collector --tie a=1", Status.USAGE, "--tie goes with --rtl"),
        ("vectors play x.wlv --tie a=1", Status.USAGE, "--tie goes with --rtl"),
        ("check x.fst --tie a=1 --tie a=2", Status.USAGE, "--tie a=1 and --tie a=2: give one"),
        ("lockstep --program x.prog", Status.USAGE, "--program goes with one block"),
        ("vectors gen compactor o.wlv --profile fast", Status.USAGE, "it has mix, mixed, dense"),
    ],
)
def test_cli_refuses_before_anything_is_installed_or_built(words, status, message, tmp_path):
    """There is nothing on PATH, so that set-up and builds would end with NO_TOOL."""
    done = warplock(*words.split(), "--no-setup", PATH=tmp_path)
    assert done.returncode == status
    assert message in one_line(done.stderr)


# What a subcommand may raise.

DRIVER = """
import sys
sys.path.insert(0, {scripts!r})
from pathlib import Path
from wlk import cli
from wlk.base import outputs, progress
from wlk.base.errors import Status, WlkError

def work():
{body}

sys.exit(cli.guard(work, as_json={as_json}))
"""


def driver(body, as_json=False, **popen):
    """Start Python on a `work` with this body, under the guard."""
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    program = DRIVER.format(scripts=str(ROOT / "scripts"), body=indented, as_json=as_json)
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # pytest may itself run in the background of a shell, where Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **popen,
    )


def test_cli_error_exits_with_its_status():
    process = driver("raise WlkError(Status.BAD_CSV, 'x.csv:3: short\\n row')")
    assert process.communicate()[1] == "warplock: x.csv:3: short row\n"
    assert process.returncode == Status.BAD_CSV


def test_cli_unexpected_exception_is_one_line():
    process = driver("return {}['a']", env=os.environ | {"WARPLOCK_DEBUG": ""})
    message = one_line(process.communicate()[1])
    assert "KeyError" in message
    assert "WARPLOCK_DEBUG=1" in message
    assert process.returncode == Status.MODEL_ERROR


def test_cli_unexpected_exception_shows_traceback_on_request():
    process = driver("return {}['a']", env=os.environ | {"WARPLOCK_DEBUG": "1"})
    assert "Traceback" in process.communicate()[1]
    assert process.returncode == Status.MODEL_ERROR


LONG_WORK = """
with outputs.atomic_write({path!r}) as file:
    file.write('half')
    command = "trap '' INT; echo $$ >> {pid}; sleep 60 & wait"
    {run}
"""
RUN = "progress.run(['sh', '-c', command], label='long')"
PARALLEL = "list(progress.parallel(lambda c: progress.run(['sh', '-c', c]), [command] * 3, 2))"


@pytest.mark.parametrize("run", [RUN, PARALLEL], ids=["run", "parallel"])
@pytest.mark.parametrize(
    ("number", "code", "message"),
    [(signal.SIGINT, 130, "warplock: interrupted\n"), (signal.SIGTERM, 143, "")],
    ids=["ctrl-c", "sigterm"],
)
def test_cli_signal_ends_children_and_removes_partial_files(tmp_path, run, number, code, message):
    path, pid = tmp_path / "out", tmp_path / "pid"
    process = driver(LONG_WORK.format(path=str(path), pid=pid, run=run))
    wait_for(lambda: pid.exists() and pid.read_text().strip())
    assert list(tmp_path.glob("out.*.partial"))
    process.send_signal(number)
    _, stderr = process.communicate(timeout=20)
    assert (process.returncode, stderr) == (code, message)
    assert sorted(tmp_path.iterdir()) == [pid]
    groups = [int(line) for line in pid.read_text().split()]
    # each shell leads its group: nobody of it may be left
    wait_for(lambda: not any(map(group_exists, groups)))


@pytest.mark.parametrize("run", [RUN, PARALLEL], ids=["run", "parallel"])
def test_cli_killed_command_leaves_no_child_running(tmp_path, run):
    """Nobody is left to end them but what watches."""
    path, pid = tmp_path / "out", tmp_path / "pid"
    process = driver(LONG_WORK.format(path=str(path), pid=pid, run=run))
    wait_for(lambda: pid.exists() and len(pid.read_text().split()) == (1 if run == RUN else 2))
    process.kill()
    process.communicate(timeout=20)
    groups = [int(line) for line in pid.read_text().split()]
    wait_for(lambda: not any(map(group_runs, groups)))


def group_runs(group):
    """Is one of the group left that is no zombie?"""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, of = stat.read_text().rpartition(")")[2].split()[:3]
            if int(of) == group and state != "Z":
                return True
    return False


def wait_for(condition):
    """Poll for 20 s at most."""
    import time

    limit = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < limit, "waited 20 s in vain"
        time.sleep(0.02)


def group_exists(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_cli_reader_gone_is_silent():
    process = driver("for _ in range(99999): print('x' * 80)")
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(10) == 128 + signal.SIGPIPE


# Types of option values.


@pytest.mark.parametrize(
    ("convert", "text", "value"),
    [
        (options.number(), "1e6", 1_000_000),
        (options.number(), "0x10", 16),
        (options.number(1, 8), "8", 8),
        (options.seeds, "3", range(3, 4)),
        (options.seeds, "1..8", range(1, 9)),
        (options.key_value, "a=b=c", ("a", "b=c")),
    ],
)
def test_options_value(convert, text, value):
    assert convert(text) == value


@pytest.mark.parametrize(
    ("convert", "text"),
    [
        (options.number(), "-1"),
        (options.number(), "1.5"),
        (options.number(), "inf"),
        (options.number(), "nan"),
        (options.number(), ""),
        (options.number(1, 8), "9"),
        (options.seeds, "8..1"),
        (options.seeds, "1.."),
        (options.seeds, "a..b"),
        (options.key_value, "a"),
        (options.key_value, "=1"),
        (options.key_value, "a="),
    ],
)
def test_options_refuse(convert, text):
    parser = options.Parser(prog="warplock")
    parser.add_argument("--x", type=convert)
    with programs.error(Status.USAGE, "argument --x"):
        parser.parse_args([f"--x={text}"])


# What would be left out in silence.


@pytest.mark.parametrize("named", ["nosuch", "."])
@pytest.mark.parametrize("how", ["option", "variable"])
def test_lockstep_refuses_folders_without_recordings_before_it_works(tmp_path, how, named):
    place = tmp_path / named
    words = ["--recordings", str(place)] if how == "option" else []
    done = warplock("lockstep", *words, **({} if words else {"WLK_TRACES": place}))
    assert done.returncode == (Status.NO_FILE if named == "nosuch" else Status.VACUOUS)
    assert str(place) in one_line(done.stderr)
    assert ("--recordings" if words else "WLK_TRACES") in done.stderr
    assert done.stdout == ""


def test_lockstep_of_a_block_takes_no_recordings(tmp_path):
    done = warplock("lockstep", "collector", "--recordings", str(tmp_path / "nosuch"))
    assert done.returncode == Status.NO_FILE
    done = warplock("lockstep", "collector", "--recordings", str(tmp_path))
    assert done.returncode != 0
    one_line(done.stderr)


@pytest.mark.parametrize(
    ("words", "both"),
    [
        (["num_lanes=2", "num_lanes=4"], ["num_lanes=2", "num_lanes=4"]),
        (["debug", "lane64"], ["debug", "lane64", "num_pregs"]),
    ],
)
@pytest.mark.parametrize(
    "command", [["lockstep", "collector"], ["stub", "collector", "--out", "x"]]
)
def test_config_of_two_values_names_both(tmp_path, command, words, both):
    settings = [word for value in words for word in ("--config", value)]
    done = warplock(*command, *settings)
    assert done.returncode == Status.USAGE
    message = one_line(done.stderr)
    assert all(part in message for part in both), message


def test_config_key_overrides_a_named_configuration():
    table = tables.load("collector")
    lanes = table.configs["debug"]["num_lanes"]
    assert jobs.given_config(table, ["debug"])["num_lanes"] == lanes
    for words in (["debug", "num_lanes=1"], ["num_lanes=1", "debug"], ["num_lanes=1"] * 2):
        assert int(jobs.given_config(table, words)["num_lanes"]) == 1
