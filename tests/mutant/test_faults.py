# SPDX-License-Identifier: Apache-2.0
"""Faults injected into the stub are reported, where they show; the stub itself is not.

WARPLOCK_FULL=1 runs the whole list; else every few faults, as `mutate --short` does.
"""

import json
import os

import pytest
from wlk import cli, cmd_mutate, lockstep, tables
from wlk.errors import Status

FULL = bool(os.environ.get("WARPLOCK_FULL"))
COLLECTOR = cmd_mutate.load("collector")
CONFIG = "{ num_lanes = 2, num_pregs = 32, coll_entries = 2, reg_banks = 2 }"
FAULT = """
[[fault]]
id = "{id}"
doc = "made by a test"
file = "{file}"
config = {config}
find = "{find}"
replace = "{replace}"
expect = ["{expect}"]
"""
# A fault of the real list, so that its build is shared.
READY = {
    "id": "ready",
    "file": "duplicated_collector_core.sv",
    "config": CONFIG,
    "find": "read_ready = (alloc_valid_q != '1) || free_now;",
    "replace": "read_ready = 1'b1;",
    "expect": "io_readReq_ready",
}


def mutate(capfd, *words):
    """Run `mutate --json`; (exit code, objects, stderr)."""
    code = cli.main(["mutate", "--no-setup", "--json", *words])
    said = capfd.readouterr()
    return code, [json.loads(line) for line in said.out.splitlines()], said.err


def list_of(monkeypatch, folder, *faults):
    """Make these faults the collector's list."""
    text = "".join(FAULT.format(**(READY | fault)) for fault in faults)
    (folder / "collector_faults.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(cmd_mutate, "FAULTS", folder)
    monkeypatch.setattr(cmd_mutate, "WORK", cmd_mutate.WORK / "tests")


def test_every_fault_is_reported_and_no_false_alarm(capfd):
    code, answers, said = mutate(capfd, *([] if FULL else ["--short"]))
    total = answers.pop()
    assert code == 0, said
    assert total["false_alarms"] == 0
    assert total["reported"] == total["faults"] == len([a for a in answers if a["fault"]])
    assert total["faults"] >= (50 if FULL else 12)
    wanted = {fault.name: fault.expect for fault in COLLECTOR}
    for answer in answers:
        assert answer["caught"]
        if answer["fault"]:
            assert answer["first"]["port"] in wanted[answer["fault"]]
            assert answer["verdict"] != "PASS"


def test_list_is_long_and_each_fault_stands_alone():
    table = tables.load("collector")
    assert len(COLLECTOR) >= 50
    for fault in COLLECTOR:
        config = table.config(fault.config)
        ports = {p.name for p in table.ports(config) if p.direction == "out"}
        assert set(fault.expect) <= ports, fault.name
        text = (lockstep.setup.ROOT / "rtl_stub" / "collector" / fault.file).read_text()
        assert text.count(fault.find) == 1, fault.name
        assert fault.find != fault.replace, fault.name


def test_fault_that_changes_nothing_is_a_hole(capfd, monkeypatch, tmp_path):
    nothing = "read_ready = free_now || (alloc_valid_q != '1);"
    list_of(monkeypatch, tmp_path, {"id": "nothing", "replace": nothing}, {})
    code, answers, _ = mutate(capfd, "--cycles", "6000")
    caught = {answer.get("fault"): answer.get("caught") for answer in answers[:-1]}
    assert code == 1
    assert caught == {None: True, "nothing": False, "ready": True}
    assert answers[-1] == {"faults": 2, "reported": 1, "false_alarms": 0}


def test_fault_at_another_port_is_not_caught(capfd, monkeypatch, tmp_path):
    list_of(monkeypatch, tmp_path, {"expect": "io_readResp_valid"})
    code = cli.main(["mutate", "--no-setup"])
    said = capfd.readouterr().out
    assert code == 1
    assert "wrong port: ready: io_readReq_ready is not in its `expect`" in said
    assert said.endswith("0 of 1 faults reported, 0 false alarms\n")


def test_stub_that_does_not_pass_is_a_false_alarm(capfd, monkeypatch, tmp_path):
    # The stub reads the new value while the model is told to expect the old one.
    other = CONFIG.replace(" }", ', read_during_write = "old" }')
    list_of(monkeypatch, tmp_path, {"config": other})
    code = cli.main(["mutate", "--no-setup"])
    said = capfd.readouterr().out
    assert code == 1
    assert "false alarm: the stub with" in said
    assert said.endswith("1 of 1 faults reported, 1 false alarms\n")


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"find": "read_ready"}, Status.USAGE, "fault ready: `find` stands"),
        ({"find": "no such text"}, Status.USAGE, "fault ready: `find` stands 0 times"),
        ({"file": "other.sv"}, Status.NO_FILE, "fault ready: the stub has no file other.sv"),
        ({"config": "{ num_lanes = 0 }"}, Status.BAD_CONFIG, "num_lanes"),
    ],
)
def test_bad_entry_is_named(capfd, monkeypatch, tmp_path, change, status, words):
    list_of(monkeypatch, tmp_path, change)
    code, answers, said = mutate(capfd)
    assert code == status
    assert not answers
    assert words in said
    assert len(said.splitlines()) == 1


def test_unknown_names_are_refused(capfd):
    assert mutate(capfd, "--only", "nope")[0] == Status.USAGE
    code, _, said = mutate(capfd, "zork")
    assert code == Status.USAGE
    assert "zork" in said
