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
from programs import Done
from wlk import cli, tables
from wlk.base import options, setup
from wlk.base.errors import Status
from wlk.base.setup import ROOT
from wlk.run import jobs


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("--json", Status.USAGE),
        ("tset --json", Status.USAGE),
        ("lockstep --json --frobnicate", Status.USAGE),
        ("lockstep nosuch --json", Status.USAGE),
        ("vectors play nosuch.wlv --json", Status.NO_FILE),
        ("check --json nosuch.fst", Status.NO_FILE),
        ("bind collector --json --rtl nosuch --out x", Status.NO_FILE),
        ("opndcoll nosuch.stim --json --config nosuch.cfg", None),
        ("stub nosuch --json --out x", Status.USAGE),
        ("mutate nosuch --json", Status.USAGE),
        ("setup nosuch --json", Status.USAGE),
        ("test --json --jobs 0", Status.USAGE),
    ],
)
def test_cli_error_is_an_object_too(words, status):
    done = programs.typed(*words.split(), code=status)
    error = done.json["error"]
    assert done.code == error["code"] == Status[error["status"]] != 0
    assert done.line == f"warplock: {error['message']}"


def one_line(stderr):
    """The message, which must be all there is."""
    assert re.fullmatch(r"warplock: [^\n]+\n", stderr), stderr
    return stderr


def test_cli_unforeseen_error_is_an_object_too():
    child = driver("raise ValueError('odd')", as_json=True)
    output, message = child.communicate(timeout=60)
    assert json.loads(output)["error"]["status"] == "MODEL_ERROR"
    assert child.returncode == Status.MODEL_ERROR
    assert "odd" in one_line(message)


def test_cli_error_object_that_cannot_be_written_changes_no_exit_code():
    with Path("/dev/full").open("w") as full:
        process = programs.started("tset", "--json", stdout=full)
        message = process.communicate(timeout=60)[1]
    programs.refused(Done(process.returncode, "", message), Status.USAGE, "'tset'")


def test_cli_no_setup_with_empty_path_names_what_is_missing(tmp_path):
    done = programs.typed("test", "--no-setup", PATH=tmp_path, code=None)
    programs.refused(done, Status.NO_TOOL, "verilator", "meson", "xz")


def test_cli_no_python_and_no_setup_names_the_command(tmp_path):
    for tool in ("sh", "dirname", "readlink", "id"):
        (tmp_path / tool).symlink_to(f"/usr/bin/{tool}")
    for words, env in ((["--no-setup"], {}), ([], {"WARPLOCK_NO_SETUP": "1"})):
        command = ["/bin/sh", programs.WARPLOCK, "test", *words]
        where = {"PATH": str(tmp_path)} | env
        done = subprocess.run(command, capture_output=True, text=True, env=where)
        assert done.returncode == Status.NO_TOOL
        command = one_line(done.stderr).partition("install all that is needed with: ")[2]
        assert "apt-get install -y --no-install-recommends python3 python3-venv " in command
        packages = command.partition("recommends ")[2].partition(" && ")[0].split()
        assert set(packages) - {"python3"} == {"python3-venv"} | packages_of("run")
        assert command.endswith(f" {'WARPLOCK_NO_SETUP= ' * bool(env)}{programs.WARPLOCK} setup\n")


def packages_of(kind):
    """All packages of the distribution for a kind of set-up."""
    features = [setup.FEATURES[name] for name in setup.KINDS[kind]]
    return {name for each in features for name in (*each.tools.values(), *each.libraries.values())}


@pytest.mark.parametrize("interpreter", ["/bin/sh", sys.executable])
def test_cli_script_is_shell_and_python(interpreter):
    command = [interpreter, programs.WARPLOCK, "--help"]
    assert "SUBCOMMAND" in subprocess.check_output(command, text=True)


def test_cli_alone_prints_the_overview():
    done = programs.typed()
    assert "SUBCOMMAND" in done.out and "lockstep" in done.out and not done.err


@pytest.mark.parametrize("words", [[], ["lockstep"], ["vectors"], ["vectors", "play"], ["help"]])
def test_cli_help_is_that_of_the_option(words):
    assert programs.typed("help", *words).out == programs.typed(*words, "--help").out


@pytest.mark.parametrize(
    ("words", "near"),
    [
        ("lockstpe", "lockstep"),
        ("chekc run.fst", "check"),
        ("help lockstpe", "lockstep"),
        ("help vectors plya", "play"),
        ("vectors exprot", "export"),
        ("lockstep colector", "collector"),
        ("lockstep collector hazrd", "hazard"),
        ("stub scorebord --out x", "scoreboard"),
        ("vectors gen colector x.wlv", "collector"),
        ("check run.fst --block issu", "issue"),
        ("lockstep --cylces 3", "--cycles"),
        ("lockstep collector --power-up zreo", "zero"),
        ("lockstep collector --config defualt", "default"),
        ("lockstep collector --config num_lans=4", "num_lanes"),
        ("lockstep collector --profile mixd", "mixed"),
        ("setup tset", "test"),
    ],
)
def test_cli_mistyped_word_gets_its_nearest(words, near):
    done = programs.warplock(*words.split(), code=None)
    assert f"did you mean {near}?" in one_line(done.err) and done.code != 0


def test_cli_word_that_is_like_none_gets_all():
    for words, first in (("zzz", "bind, bisect"), ("lockstep zzz", "collector, collector_x")):
        line = one_line(programs.warplock(*words.split(), code=None).err)
        assert first in line and "did you mean" not in line


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
        ("check run.vcd", "build"),
        ("check vcd_of_no_name", "build"),
        ("check empty", "build"),
        ("coverage a.cover --rank", ""),
        ("coverage a.cover --holes --ucis a.xml", "build ucis"),
    ],
)
def test_cli_asks_set_up_for_what_the_work_needs(words, features, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.vcd").write_text("$date\n")
    (tmp_path / "vcd_of_no_name").write_text("\n$date\n")
    (tmp_path / "empty").write_text("")
    (tmp_path / "run.fst").write_bytes(b"\0\0")
    assert list(cli.parse(words.split()).needs()) == features.split()


@pytest.mark.parametrize("words", ["regress --range a..b", "bisect collector --range a..b"])
def test_cli_asks_set_up_for_what_its_lockstep_needs(words):
    """It is a process of its own, which installs nothing."""
    lockstep = cli.parse("lockstep collector --rtl x.sv".split()).needs()
    assert set(lockstep) <= set(cli.parse(words.split()).needs())


MISTAKES = {
    "": "SUBCOMMAND",
    "tset": "'tset'",
    "--frobnicate": "SUBCOMMAND",
    "test --frobnicate": "--frobnicate",
    "test --qui": "--qui",
    "test --jobs 0": "0: must be 1 or more",
    "test --jobs many": "'many' is not a number",
    "test --jobs": "--jobs",
}


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        *((words, Status.USAGE, f"{message}|--help") for words, message in MISTAKES.items()),
        ("lockstep collector --profile fast", Status.USAGE, "no profile 'fast'; it has mix, mixed"),
        ("lockstep nosuch", Status.USAGE, "no block 'nosuch'"),
        ("lockstep collector --config nosuch", Status.BAD_CONFIG, "no configuration 'nosuch'"),
        ("lockstep collector --rtl nosuch.sv", Status.NO_FILE, "nosuch.sv: no such file"),
        ("lockstep collector --rtl=", Status.USAGE, "--rtl: its value is empty"),
        ("lockstep collector --rtl x --clock=", Status.USAGE, "--clock: its value is empty"),
        ("regress --range a..b --rtl=", Status.USAGE, "--rtl: its value is empty"),
        ("test --fuzz 1 -k csv", Status.USAGE, "-k chooses among tests, and --fuzz runs none"),
        ("test --campaign same --retry", Status.USAGE, "and --campaign same runs none"),
        ("test --minutes 5", Status.USAGE, "--minutes is of a campaign"),
        ("test --campaign same --minutes 0", Status.USAGE, "0: must be 1 or more"),
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
    done = programs.typed(*words.split(), "--no-setup", PATH=tmp_path, code=None)
    programs.refused(done, status, *message.split("|"))


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


def driver(body, as_json=False, **environment):
    """Start Python on a `work` with this body, under the guard."""
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    program = DRIVER.format(scripts=str(ROOT / "scripts"), body=indented, as_json=as_json)
    return programs.python("-c", program, env=environment)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("opndcoll a.stim --confg b.cfg", "--confg b.cfg (did you mean --config?)"),
        ("opndcoll a.stim --allow-unknwon", "(did you mean --allow-unknown?)"),
        ("vectors play a.wlv --jsn", "(did you mean --json?)"),
        ("opndcoll a.stim b.stim", "unrecognized arguments: b.stim; see `warplock opndcoll"),
    ],
)
def test_cli_names_the_option_that_is_near(words, message):
    assert message in programs.typed(*words.split(), code=Status.USAGE).line


def test_cli_error_exits_with_its_status():
    process = driver("raise WlkError(Status.BAD_CSV, 'x.csv:3: short\\n row')")
    assert process.communicate()[1] == "warplock: x.csv:3: short row\n"
    assert process.returncode == Status.BAD_CSV


def test_cli_unexpected_exception_is_one_line():
    process = driver("return {}['a']", WARPLOCK_DEBUG="")
    message = one_line(process.communicate()[1])
    assert "KeyError" in message
    assert "WARPLOCK_DEBUG=1" in message
    assert process.returncode == Status.MODEL_ERROR


@pytest.mark.parametrize(
    "error",
    [
        "MemoryError()",
        'RuntimeError("can\'t start new thread")',
        "ImportError('a.so: failed to map segment from shared object')",
        "OSError(12, 'Cannot allocate memory')",
    ],
)
def test_cli_lack_of_memory_is_named(error):
    process = driver(f"raise {error}")
    message = one_line(process.communicate()[1])
    assert "out of memory" in message
    assert "--jobs 1" in message
    assert process.returncode == Status.NO_MEMORY


def test_cli_too_many_open_files_is_named():
    process = driver("raise OSError(24, 'Too many open files')")
    assert "too many open files; raise the limit" in one_line(process.communicate()[1])
    assert process.returncode == Status.NO_MEMORY


def test_cli_that_is_not_whole_ends_with_no_verdict(tmp_path):
    """Python itself would end with 1, which is one."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "meson.build").touch()
    program = tmp_path / "scripts" / "warplock"
    program.write_bytes(programs.WARPLOCK.read_bytes())
    process = programs.python(program, "lockstep")
    assert "ModuleNotFoundError" in process.communicate()[1]
    assert process.returncode == Status.MODEL_ERROR


LONG = "a" * 300  # more than a file's name may have


@pytest.mark.parametrize(
    "words",
    [
        *("check {}", "coverage {}", "lockstep --blocks {}", "lockstep collector --rtl {}"),
        *("lockstep issue --program {}", "lockstep collector --reports {}", "map --rtl {}"),
        *("new x --rtl docs/examples/fifo/rtl --out {}", "vectors gen collector {} --cycles 9"),
    ],
)
def test_cli_a_name_that_the_system_refuses_is_no_bug(words):
    done = programs.warplock(*words.format(LONG).split(), code=Status.NO_FILE)
    assert f"{LONG}" in done.line
    assert "File name too long" in done.line


def test_cli_a_name_that_is_no_utf8_is_no_bug(tmp_path):
    rtl, out = tmp_path / "rtl", tmp_path / "a\udcffb"
    programs.warplock("stub", "compactor", "--out", rtl)
    done = programs.warplock("bind", "compactor", "--rtl", rtl, "--out", out, code=Status.NO_FILE)
    assert "a\ufffdb: a name that is no UTF-8 is not taken here" in done.line


@pytest.mark.parametrize("words", [("--page", "a.html"), ("--page=a.html",)])
def test_cli_old_name_of_an_option_is_accepted(words):
    asked = cli.parse(["explore", *words])
    assert asked.html == Path("a.html")
    assert asked.deprecated == [options.deprecated("--page", "--html")]
    assert cli.parse(["explore", "--html", "a.html"]).deprecated == ()


def test_cli_old_name_of_an_option_is_not_in_the_help(capsys):
    with pytest.raises(SystemExit):
        cli.parse(["explore", "--help"])
    assert "--page" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "block", "folders", "is_old"),
    [
        ("--block compactor --block hazard", ["compactor", "hazard"], [], False),
        ("--blocks docs/examples --block fifo", ["fifo"], ["docs/examples"], False),
        ("--blocks compactor hazard", ["compactor", "hazard"], [], True),
        ("--blocks fifo docs/examples/", ["fifo"], ["docs/examples"], True),
        ("--blocks docs", [], ["docs"], False),
        ("--blocks nosuch", ["nosuch"], [], True),
    ],
)
def test_cli_blocks_of_regress_are_folders(words, block, folders, is_old, monkeypatch):
    """As of every command; names of blocks are accepted as in the version before."""
    monkeypatch.chdir(ROOT)
    asked = cli.parse(["regress", *words.split()])
    assert [str(path) for path in asked.own_folders()] == folders
    assert asked.block == block
    new = " ".join(f"--block {name}" for name in block)
    old = f"--blocks {' '.join(block)}"
    assert list(asked.deprecated) == ([options.deprecated(old, new)] if is_old else [])


@pytest.mark.parametrize("interpreter", [sys.executable, sys._base_executable])
def test_cli_old_name_is_one_line(interpreter):
    """Also if the command starts again in the Python of build/venv; stdout is as without it."""
    words = ("regress", "--repo", "nosuch", "--range", "a..b", "--blocks", "compactor", "--json")
    command = [interpreter, programs.WARPLOCK, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    note, error = done.stderr.splitlines()
    line = options.deprecated("--blocks compactor", "--block compactor")
    assert note == f"warplock: {line}"
    assert "no such folder" in error and "no such folder" in done.stdout


def test_cli_words_for_another_program_may_be_none():
    words = ("regress", "--range", "a..b", "--repo", "nosuch", "--slurm-options=")
    assert "no such folder" in programs.warplock(*words, code=Status.NO_FILE).line


@pytest.mark.parametrize("number", ["EACCES", "EIO", "ENAMETOOLONG", "EROFS"])
def test_cli_what_the_system_has_against_a_place_is_no_bug(number):
    process = driver(f"import errno; raise OSError(errno.{number}, 'It says why', 'some/place')")
    line = "warplock: some/place: It says why; check the name, and who may use it\n"
    assert process.communicate()[1] == line
    assert process.returncode == Status.NO_FILE


@pytest.mark.parametrize(
    "words", ["check {}", "map collector --rtl {}", "lockstep scoreboard --recordings {}"]
)
def test_cli_a_folder_that_cannot_be_read_is_not_empty(words, tmp_path, monkeypatch):
    def walk(top, onerror):
        onerror(PermissionError(13, "Permission denied", str(top)))

    monkeypatch.setattr("os.walk", walk)
    done = programs.warplock(*words.format(tmp_path).split(), code=Status.NO_FILE)
    assert done.line.startswith(f"warplock: {tmp_path}: Permission denied")


def test_cli_unexpected_exception_shows_traceback_on_request():
    process = driver("return {}['a']", WARPLOCK_DEBUG=1)
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
    [
        (signal.SIGINT, 130, "warplock: interrupted\n"),
        (signal.SIGTERM, 143, ""),
        (signal.SIGKILL, -9, ""),  # nobody is left to end the children but what watches
    ],
    ids=["ctrl-c", "sigterm", "sigkill"],
)
def test_cli_signal_ends_children_and_removes_partial_files(tmp_path, run, number, code, message):
    path, pid, children = tmp_path / "out", tmp_path / "pid", 1 if run == RUN else 2
    process = driver(LONG_WORK.format(path=str(path), pid=pid, run=run))
    programs.wait_for(lambda: pid.exists() and len(pid.read_text().split()) == children)
    assert list(tmp_path.glob("out.*.partial"))
    process.send_signal(number)
    _, stderr = process.communicate(timeout=20)
    assert (process.returncode, stderr) == (code, message)
    if number != signal.SIGKILL:
        assert sorted(tmp_path.iterdir()) == [pid]
    groups = [int(line) for line in pid.read_text().split()]
    # each shell leads its group: nobody of it may be left
    left = group_runs if number == signal.SIGKILL else group_exists
    programs.wait_for(lambda: not any(map(left, groups)))


def group_runs(group):
    """Is one of the group left that is no zombie?"""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, of = stat.read_text().rpartition(")")[2].split()[:3]
            if int(of) == group and state != "Z":
                return True
    return False


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


NUMBER, ONE_TO_8 = options.number(), options.number(1, 8)


@pytest.mark.parametrize(
    ("convert", "text", "value"),
    [
        (NUMBER, "1e6", 1_000_000),
        (NUMBER, "0x10", 16),
        (ONE_TO_8, "8", 8),
        (options.span, "3", range(3, 4)),
        (options.span, "1..8", range(1, 9)),
        (options.key_value, "a=b=c", ("a", "b=c")),
    ],
)
def test_options_value(convert, text, value):
    assert convert(text) == value


REFUSED = [
    *((NUMBER, text) for text in ("-1", "1.5", "inf", "nan", "")),
    (ONE_TO_8, "9"),
    *((options.span, text) for text in ("8..1", "1..", "a..b")),
    *((options.key_value, text) for text in ("a", "=1", "a=")),
]


@pytest.mark.parametrize(("convert", "text"), REFUSED)
def test_options_refuse(convert, text):
    parser = options.Parser(prog="warplock")
    parser.add_argument("--x", type=convert)
    with programs.error(Status.USAGE, "argument --x"):
        parser.parse_args([f"--x={text}"])


# What would be left out in silence.


@pytest.mark.parametrize(("named", "status"), [("nosuch", Status.NO_FILE), (".", Status.VACUOUS)])
@pytest.mark.parametrize("how", ["--recordings", "WLK_TRACES"])
def test_lockstep_refuses_folders_without_recordings_before_it_works(tmp_path, how, named, status):
    place = tmp_path / named
    words = (how, place) if how.startswith("-") else ()
    environment = {} if words else {how: place}
    done = programs.typed("lockstep", *words, code=None, **environment)
    programs.refused(done, status, place, how)


def test_lockstep_of_a_block_takes_no_recordings(tmp_path):
    words = ("lockstep", "collector", "--recordings")
    programs.typed(*words, tmp_path / "nosuch", code=Status.NO_FILE)
    done = programs.typed(*words, tmp_path, code=None)
    assert done.code != 0
    assert done.line


@pytest.mark.parametrize(
    ("words", "both"),
    [
        (["num_lanes=2", "num_lanes=4"], ["num_lanes=2", "num_lanes=4"]),
        (["debug", "lane64"], ["debug", "lane64", "num_pregs"]),
    ],
)
@pytest.mark.parametrize("command", ["lockstep collector", "stub collector --out x"])
def test_config_of_two_values_names_both(command, words, both):
    settings = [word for value in words for word in ("--config", value)]
    programs.refused(programs.typed(*command.split(), *settings, code=None), Status.USAGE, *both)


def test_config_key_overrides_a_named_configuration():
    table = tables.load("collector")
    lanes = table.configs["debug"]["num_lanes"]
    assert jobs.given_config(table, ["debug"])["num_lanes"] == lanes
    for words in (["debug", "num_lanes=1"], ["num_lanes=1", "debug"], ["num_lanes=1"] * 2):
        assert int(jobs.given_config(table, words)["num_lanes"]) == 1
