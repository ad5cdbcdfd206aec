# SPDX-License-Identifier: Apache-2.0
"""Seeds as options and files have them: each in one place, ascending, and repeatable."""

import argparse
import json
import os
import re
import threading

import programs
import pytest
from wlk import cli
from wlk.base import options, seeds
from wlk.base.errors import Status
from wlk.base.seeds import MOST
from wlk.explore import sweep

COMMANDS = ("lockstep", "mutate", "regress", "explore")


@pytest.mark.parametrize(
    ("text", "all_of_them", "again"),
    [
        ("7", [7], "7"),
        ("0x10", [16], "16"),
        ("3..5", [3, 4, 5], "3..5"),
        ("9, 3..5", [3, 4, 5, 9], "3..5,9"),
        ("5,4,3", [3, 4, 5], "3..5"),
        ("1..4,2..3,4..6", [1, 2, 3, 4, 5, 6], "1..6"),
        ("1,1,1", [1], "1"),
        ("1,3", [1, 3], "1,3"),
    ],
)
def test_seeds_are_ascending_and_each_once(text, all_of_them, again):
    found = seeds.parse(text)
    assert (list(found), str(found), found.count) == (all_of_them, again, len(all_of_them))
    assert (found.first, found.last) == (all_of_them[0], all_of_them[-1])
    assert seeds.parse(again) == found
    for count in range(1, len(all_of_them) + 1):
        assert list(found.upto(count)) == all_of_them[:count]
    assert seeds.parse(f"0..{2**64 - 2}").count == 2**64 - 1


@pytest.mark.parametrize("text", ["", "x", "5..3", "1..", "1,,2", "-1", f"{2**64}", "random x",
                                  "random 0", f"random {MOST + 1}", "from", "form x"])  # fmt: skip
def test_seeds_that_are_none_are_refused(text):
    with pytest.raises(argparse.ArgumentTypeError):
        seeds.parse(text)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_the_same_forms(command, tmp_path):
    place = tmp_path / "failing seeds"
    place.write_text("# a comment\n\n7 # FUNCTIONAL_MISMATCH\n  20..22\n3\n")
    for words, wanted in (
        (("--seeds", "3,7,20..22"), "3,7,20..22"),
        (("--seeds=3,7,20..22",), "3,7,20..22"),
        (("--seeds", "from", place), "3,7,20..22"),
        (("--seeds=from", place), "3,7,20..22"),
        (("--seeds", f"from {place}"), "3,7,20..22"),
    ):
        asked = cli.parse([command, *map(str, words), "--json"])
        assert (str(asked.seeds), asked.json) == (wanted, True)


def test_seeds_take_no_word_of_others():
    for value in ("random", "1"):
        asked = cli.parse(["lockstep", "--seeds", value, "collector", "hazard"])
        assert asked.blocks == ["collector", "hazard"]
    assert options.joined(["--seeds", "random", "x"]) == ["--seeds", "random", "x"]
    assert options.joined(["--module", "from", "x"]) == ["--module", "from", "x"]


@pytest.mark.parametrize(("words", "count"), [((), 5), (("12",), 12), (("1",), 1)])
@pytest.mark.parametrize("command", COMMANDS)
def test_random_seeds_are_told_and_repeated(command, words, count, capsys):
    for how in (["--seeds", "random", *words], [" ".join(["--seeds=random", *words])]):
        asked = cli.parse([command, "--json", *how, "--no-setup"])
        assert asked.seeds.count == count and asked.seeds.last < 2**31
        assert asked.seeds != cli.parse([command, *how]).seeds
        seeds.announce(asked)
        out, err = capsys.readouterr()
        assert json.loads(out) == {"random_seeds": str(asked.seeds)}
        again = re.fullmatch(r"random seeds; repeat with (--seeds \S+)\n", err)[1].split()
        assert asked.words == [command, "--json", "--no-setup", *again]
        repeated = cli.parse(asked.words)
        assert list(repeated.seeds) == list(asked.seeds)
        seeds.announce(repeated)
        assert capsys.readouterr() == ("", "")


def piped(place, text):
    """A pipe with a name that somebody writes a text into, once."""
    os.mkfifo(place / "pipe")
    threading.Thread(target=(place / "pipe").write_text, args=[text], daemon=True).start()
    return place / "pipe"


def test_seeds_of_a_pipe_are_read_once(tmp_path, monkeypatch):
    """A command whose packages are in build/venv starts again by what _enter_venv is given."""
    started = []

    def start(words):
        started.extend(words)
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_enter_venv", start)
    (tmp_path / "a.sv").touch()
    rtl = ["lockstep", "collector", "--rtl", str(tmp_path / "a.sv")]
    for given in (["--seeds", "from", "PIPE"], ["--seeds=from", "PIPE"]):
        pipe = piped(tmp_path, "5\n3..4 # two\n")
        started.clear()
        cli.main([*rtl, *(word.replace("PIPE", str(pipe)) for word in given)])
        assert started == [*rtl, "--seeds", "3..5"]
        pipe.unlink()


def test_seeds_of_a_pipe_that_no_command_line_holds_are_refused(tmp_path):
    pipe = piped(tmp_path, "".join(f"{10**10 + 2 * n}\n" for n in range(MOST)))
    asked = cli.parse(["lockstep", "--seeds", "from", str(pipe)])
    with programs.error(Status.USAGE, "--seeds from a pipe", "name a file"):
        seeds.settle(asked)


def test_seeds_of_a_pipe_are_not_kept(tmp_path):
    pipe = piped(tmp_path, "1\n")
    with programs.error(Status.USAGE, "a: seeds: a pipe can be read once"):
        seeds.kept(f"from {pipe}", "a: seeds", tmp_path)


@pytest.mark.parametrize(
    ("text", "status", "parts"),
    [
        ("1\n2..\n", Status.USAGE, (":2: ", "'' is not a number", "write a seed")),
        ("# all\n\nx\n", Status.USAGE, (":3: ", "'x' is not a number")),
        ("9..3 # why\n", Status.USAGE, (":1: 9..3: the last seed is below",)),
        ("1, 2\n", Status.USAGE, (":1: ", "write a seed, or a range A..B")),
        (f"{2**64}\n", Status.USAGE, (":1: ", "must be within")),
        ("# nothing\n", Status.USAGE, ("has no seed",)),
        ("", Status.USAGE, ("has no seed",)),
        ("\n".join(map(str, range(0, 2 * MOST + 2, 2))), Status.USAGE, ("more than 10,000",)),
        (None, Status.NO_FILE, ("No such file", "name a file of seeds")),
        (b"\xff\xfe1\n", Status.USAGE, ("UTF-8",)),
    ],
)
def test_file_with_a_mistake_is_named(text, status, parts, tmp_path):
    place = tmp_path / "bad.seeds"
    if text is not None:
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
    for command in COMMANDS:
        done = programs.warplock(command, "--seeds", "from", place, code=None)
        programs.refused(done, status, str(place)[:40], *parts)


def test_file_that_is_not_named_is_asked_for():
    for words in (("--seeds", "from"), ("--seeds", "from", "--waves"), ("--seeds=from",)):
        done = programs.warplock("lockstep", *words, code=None)
        programs.refused(done, Status.USAGE, "which file? give --seeds from FILE")


def test_a_folder_is_no_file_of_seeds(tmp_path):
    done = programs.warplock("lockstep", "--seeds", "from", tmp_path, code=None)
    programs.refused(done, Status.NO_FILE, f"--seeds from {tmp_path}: Is a directory")


# ---- sweeps, which go on where they were --------------------------------------------------------


def sweep_of(place, text):
    place.write_text(f'points = ["src"]\nworkloads = ["mixed"]\nseeds = "{text}"\n')
    return sweep.make(sweep.Asked(), place)


def test_sweep_file_has_all_forms_but_random(tmp_path):
    place = tmp_path / "s.toml"
    (tmp_path / "few").write_text("4\n9\n")
    assert list(sweep_of(place, "from few").seeds) == [4, 9]  # beside the sweep file
    assert len(list(sweep_of(place, "2,5..6").jobs())) == 3
    for text, part in (("random", "give --seeds random with"), ("5..", "give A..B, a list")):
        with programs.error(Status.BAD_CONFIG, f"{place}: seeds: ", part):
            sweep_of(place, text)


def test_sweeps_of_other_seeds_are_others(tmp_path):
    place = tmp_path / "s.toml"
    texts = ("1..9", "1,9", "1,5,9", "1..8,9", "9,1")
    digests = {text: sweep_of(place, text).digest for text in texts}
    assert digests["1..9"] == digests["1..8,9"] and digests["1,9"] == digests["9,1"]
    assert len(set(digests.values())) == 3
