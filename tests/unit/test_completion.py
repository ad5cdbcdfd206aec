# SPDX-License-Identifier: Apache-2.0
"""Completion of shells and the manual page: they are correct, and have what the command has."""

import argparse
import shutil
import subprocess
from dataclasses import dataclass

import programs
import pytest
from wlk import cli
from wlk.base.errors import Status
from wlk.base.options import Command, option
from wlk.run import completion
from wlk.run.completion import MAKERS

pytestmark = pytest.mark.needs("completion")
CHECKS = {
    "bash": (["bash", "-n", "{}"],),
    "zsh": (["zsh", "-n", "{}"],),
    "man": (
        ["groff", "-ww", "-man", "-Tutf8", "-z", "{}"],
        ["mandoc", "-Tlint", "-Werror", "{}"],
    ),
}


def made(kind):
    return completion.made(kind, cli.parser())


@pytest.fixture(autouse=True)
def keep_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def leaves(parser, path=()):
    """The words that lead to each subcommand and action, with its parser."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, each in action.choices.items():
                yield (*path, name), each
                yield from leaves(each, (*path, name))


LEAVES = dict(leaves(cli.parser()))


@pytest.mark.parametrize("kind", MAKERS)
def test_syntax_is_right(kind, tmp_path):
    place = tmp_path / kind
    place.write_text(made(kind))
    run = [command for command in CHECKS[kind] if shutil.which(command[0])]
    if not run:
        pytest.skip(f"none of {', '.join(command[0] for command in CHECKS[kind])} is here")
    for command in run:
        words = [word.format(place) for word in command]
        done = subprocess.run(words, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def completed(tmp_path_factory):
    """What bash completes a command line to, of which the last word is not complete."""
    place = tmp_path_factory.mktemp("bash") / "warplock"
    place.write_text(made("bash"))
    program = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_warplock; '
    program += 'printf "%s\\n" "${COMPREPLY[@]}"'

    def complete(*words):
        command = ["bash", "-c", program, place, "warplock", *words]
        return subprocess.run(command, capture_output=True, text=True).stdout.split()

    return complete


def test_bash_completes_words(completed):
    assert completed("lockst") == ["lockstep"]
    assert completed("lockstep", "scoreb") == ["scoreboard"]
    assert completed("lockstep", "scoreboard", "haz") == ["hazard"]
    assert completed("lockstep", "--keep") == ["--keep-going"]
    assert completed("lockstep", "--power-up", "z") == ["zero"]
    assert completed("vectors", "pl") == ["play"]
    assert completed("vectors", "play", "--ver") == ["--verilator"]
    assert completed("lockstep", "nosuch") == []


def test_bash_completes_files(completed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "waivers.toml").touch()
    (tmp_path / "work").mkdir()
    assert completed("lockstep", "--waive", "wa") == ["waivers.toml"]
    assert completed("lockstep", "--reports", "w") == ["work"]


@pytest.fixture(scope="module")
def others():
    return made("man").replace("\\-", "-"), made("zsh")


@pytest.mark.parametrize("path", LEAVES, ids="-".join)
def test_every_subcommand_and_option_is_there(completed, others, path):
    assert path[-1] in completed(*path)
    options = {name for action in LEAVES[path]._actions for name in action.option_strings}
    assert set(completed(*path, "-")) == options
    page, zsh = others
    assert f"{' '.join(path)}'" in page
    assert all(name in zsh and f"\\fB{name}\\fR" in page for name in options - {"-h", "--help"})


@dataclass
class Extra(Command):
    """Do a thing that is new."""

    NAME = "extra"
    EXAMPLE = "warplock extra"
    brand_new: bool = option(False, "an option that is new")


@pytest.mark.parametrize("kind", MAKERS)
def test_new_options_appear_by_themselves(kind, monkeypatch):
    assert "brand-new" not in made(kind)
    monkeypatch.setattr(cli, "COMMANDS", (*cli.COMMANDS, Extra))
    assert "--brand-new" in made(kind).replace("\\-", "-")


@pytest.mark.parametrize("kind", MAKERS)
def test_command_prints_them(kind):
    done = programs.typed("completion", kind, COLUMNS="40")
    assert done.out == made(kind)
    assert str(programs.ROOT) not in done.out


def test_another_shell_is_refused():
    done = programs.typed("completion", "bahs", code=None)
    programs.refused(done, Status.USAGE, "there is no 'bahs'; did you mean bash?")
