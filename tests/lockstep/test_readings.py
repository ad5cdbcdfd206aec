# SPDX-License-Identifier: Apache-2.0
"""RTL that passes only with another value than the first choice has two readings: AMBIGUOUS in
every command, unless the value is given or what was inferred is accepted."""

import json
from pathlib import Path
from xml.etree import ElementTree

import programs
import pytest
import rtl_under_test as rut
from wlk.base.errors import Status

pytestmark = [pytest.mark.slow, pytest.mark.needs("rtl", "prove")]
FIVE = {"num_warps": 1, "num_pregs": 8, "max_pending_reads": 5}
SEEDS = ("--seeds", "1..1", "--cycles", "3000")
ACCEPT, STRICT = "--accept-inferred", "--strict"
GIVEN = ("--config", "max_pending_reads=5")
# What three commands are asked of RTL.
COMMANDS = {"lockstep": SEEDS, "prove": (), "check": ()}


@pytest.fixture(scope="module")
def rtl() -> Path:
    """A scoreboard that counts five reads; no port shows how many."""
    return rut.stub("readings", FIVE, block="scoreboard")


@pytest.fixture(scope="module")
def usual() -> Path:
    """One that counts seven, the default."""
    return rut.stub("readings_usual", FIVE | {"max_pending_reads": 7}, block="scoreboard")


@pytest.fixture(scope="module")
def waves(rtl, usual, tmp_path_factory) -> dict[Path, Path]:
    """A waveform of each."""
    found = {}
    for place in (rtl, usual):
        reports = tmp_path_factory.mktemp(place.name)
        words = ("scoreboard", "--rtl", place, *SEEDS, ACCEPT, "--waves", "--reports", reports)
        programs.warplock("lockstep", *words)
        (found[place],) = reports.rglob("wave.fst")
    return found


def ask(command: str, place: Path, waves: dict[Path, Path], *words: object, code: int = 0):
    reports = rut.PLACE.parent / "reports"
    if command == "check":
        subject = (waves[place], "--block", "scoreboard")
    else:
        subject = ("scoreboard", "--rtl", place, "--reports", reports)
    return programs.warplock(command, *subject, "--json", *COMMANDS[command], *words, code=code)


@pytest.mark.parametrize("command", COMMANDS)
def test_second_reading_is_ambiguous(command, rtl, waves):
    done = ask(command, rtl, waves, code=Status.AMBIGUOUS)
    assert done.json["verdict"] == "AMBIGUOUS"
    first, second = done.json["readings"]
    assert (first["config"], second["config"]) == (
        {"max_pending_reads": 7},
        {"max_pending_reads": 5},
    )
    assert first["verdict"] == "FUNCTIONAL_MISMATCH" and "port" in first["first"]
    assert second["verdict"] == "PASS"
    text = done.err if command != "prove" else ask(command, rtl, waves, code=None).err
    assert command == "prove" or "pin it with --config max_pending_reads=5" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_second_reading_is_taken_where_that_is_accepted(command, rtl, waves):
    done = ask(command, rtl, waves, ACCEPT)
    assert done.json["verdict"] in ("PASS", "PROVED")
    assert done.json["readings"][1]["config"] == {"max_pending_reads": 5}


@pytest.mark.parametrize("command", COMMANDS)
def test_given_value_is_no_reading(command, rtl, waves):
    done = ask(command, rtl, waves, *GIVEN, STRICT)
    assert done.json["verdict"] in ("PASS", "PROVED")
    assert "readings" not in done.json


@pytest.mark.parametrize("command", COMMANDS)
def test_default_passes_and_strict_refuses_it(command, usual, waves):
    assert "readings" not in ask(command, usual, waves).json
    refused = ask(command, usual, waves, STRICT, code=Status.AMBIGUOUS)
    assert "--config max_pending_reads=7" in refused.last


def test_junit_has_a_failure(rtl, tmp_path):
    report = tmp_path / "report.xml"
    words = ("scoreboard", "--rtl", rtl, *SEEDS, "--junit", report)
    programs.warplock("lockstep", *words, code=Status.AMBIGUOUS)
    (failure,) = ElementTree.parse(report).getroot().iter("failure")
    assert "max_pending_reads=7" in failure.text and "max_pending_reads=5" in failure.text


def test_proof_says_what_it_inferred(rtl):
    words = ("scoreboard", "--rtl", rtl, "--reports", rut.PLACE.parent / "reports")
    done = programs.warplock("prove", *words, code=Status.AMBIGUOUS)
    assert done.out.startswith("AMBIGUOUS: module Scoreboard")
    assert "(default); pin it with --config max_pending_reads=7" in done.out


@pytest.mark.parametrize("flag", [ACCEPT, STRICT])
def test_versions_have_nothing_to_infer(flag, rtl):
    words = ("--rtl", rtl, "--against", rtl, "--module", "Scoreboard", flag)
    done = programs.warplock("prove", *words, code=Status.USAGE)
    assert f"{flag} goes with a BLOCK" in done.line


def test_recording_is_imported_only_where_the_reading_is_accepted(waves, rtl, tmp_path):
    out = tmp_path / "out.wlv"
    words = ("vectors", "import", "--dump", waves[rtl], out, "--block", "scoreboard")
    refused = programs.warplock(*words, code=Status.AMBIGUOUS)
    assert "--accept-inferred" in refused.last and not out.exists()
    programs.warplock(*words, ACCEPT)
    assert rut.info(out)["config"]["max_pending_reads"] == 5


def test_recordings_of_a_folder_are_ambiguous(waves, rtl, tmp_path):
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "one.fst").write_bytes(waves[rtl].read_bytes())
    done = programs.warplock("check", folder, "--json", code=Status.AMBIGUOUS)
    assert done.json["verdict"] == "AMBIGUOUS"
    programs.warplock("check", folder, ACCEPT)
    (folder / "one.toml").write_text("max_pending_reads = 5\n")
    assert json.loads(programs.warplock("check", folder, "--json").out)["verdict"] == "PASS"
