# SPDX-License-Identifier: Apache-2.0
"""Faults injected into the stubs are reported, where they show; the stubs themselves are not.

`warplock test --full` runs all of every list, else a few: `mutate --short --slice $WARPLOCK_SLICE`.
"""

import dataclasses
import tomllib

import programs
import pytest
from wlk import tables
from wlk.base.errors import Status
from wlk.gen import composed, port_faults, stubs
from wlk.run import mutate as injector

PART = ["--short", "--slice", str(programs.SLICE)]
BLOCKS = tables.names()
INSIDE = [table.name for table in composed.blocks(tables.load("issue"))[1:]]
LOOP = "scoreboard/read_behind_admission"  # in a composed block no simulation ends
KEYS = {"id", "doc", "block", "expect", "config", "change"}
# Of each block inside one, some in a file that blocks share, and one wire of the stage itself.
NAMED = [
    "scoreboard/no_rollback",
    "hazard/last_stuck",
    "reservation_station/fixed_priority",
    "collector/write_mask_ignored",
    "operand_lanes_crossed",
]
LIST = """
config = "num_lanes=2 num_pregs=32 coll_entries=2 reg_banks=2"
fault = [{rows}]
"""
FAULT = """
  {{ id = "{id}", doc = "by a test", config = "{config}", expect = "{expect}"{more}, change = [
    ["{find}", "{replace}"{third}] ] }},
"""
# A fault of the real list, so that its build is shared.
READY = {
    "id": "ready",
    "config": "",
    "find": "read_ready = (alloc_valid_q != '1) || free_now;",
    "replace": "read_ready = 1'b1;",
    "expect": "readReq_ready",
    "more": "",
    "third": "",
}


def mutate(*words):
    """Run `mutate --json`; (exit code, objects, stderr)."""
    done = programs.warplock("mutate", "--json", *words, code=None)
    return done.code, done.objects, done.err


def list_of(monkeypatch, folder, *faults, block="collector"):
    """Make these faults a block's list, and the only ones."""
    rows = "".join(FAULT.format(**(READY | fault)) for fault in faults)
    for name in INSIDE if block == "issue" else ():
        (folder / f"{name}_faults.toml").write_text("fault = []\n", encoding="utf-8")
    text = LIST.format(rows=rows)
    (folder / f"{block}_faults.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(injector, "fault_list", lambda name: folder / f"{name}_faults.toml")
    monkeypatch.setattr(injector, "WORK", injector.WORK / "tests")
    monkeypatch.setattr(port_faults, "of", lambda *_: [])


@pytest.mark.slow
@pytest.mark.parametrize("block", BLOCKS)
def test_every_fault_is_reported_and_no_false_alarm(block):
    code, answers, printed = mutate(block, *([] if programs.FULL else PART))
    total = answers.pop()
    wanted = {fault.name: fault.expect for fault in injector.faults_of(tables.load(block))}
    assert code == 0, printed
    assert total["false_alarms"] == 0
    skipped = [a["fault"] for a in answers if "skipped" in a]
    answers = [a for a in answers if "skipped" not in a]
    assert total["skipped"] == len(skipped)
    assert total["reported"] == total["faults"] == len([a for a in answers if a["fault"]])
    found = total["faults"] + total["skipped"]
    assert found == len(wanted) if programs.FULL else found >= injector.SHORT - 1
    for answer in answers:
        assert answer["caught"]
        if answer["fault"]:
            assert injector.is_expected(answer["first"]["port"], wanted[answer["fault"]])
            assert answer["verdict"] != "PASS"


@pytest.mark.slow
def test_block_at_fault_is_named_first():
    only = [word for name in NAMED for word in ("--only", name)]
    code, answers, printed = mutate("issue", "--bind", "all", *only)
    named = {a["fault"]: a.get("at_fault", {"block": a["block"]})["block"] for a in answers[:-1]}
    assert code == 0, printed
    count = len(NAMED)
    assert answers[-1] == {
        "faults": count,
        "reported": count,
        "false_alarms": 0,
        "vacuous": 0,
        "skipped": 0,
    }
    named.pop(None)
    assert named == {name: name.partition("/")[0] if "/" in name else "issue" for name in NAMED}


@pytest.mark.slow
@pytest.mark.skipif(not programs.FULL, reason="takes minutes; `warplock test --full` runs it")
def test_faults_left_out_of_a_composed_block_do_not_show(monkeypatch):
    hidden = injector.faults_of(tables.load("issue"), hidden=True)
    found = [fault for fault in hidden if fault.name != LOOP]
    assert len(found) == len(hidden) - 1
    monkeypatch.setattr(injector, "faults_of", lambda _: found)
    code, answers, printed = mutate("issue")
    assert code == 1, printed
    counts = {"reported": 0, "false_alarms": 0, "vacuous": 0, "skipped": 0}
    assert answers.pop() == {"faults": len(found)} | counts
    assert {a["fault"]: a["verdict"] for a in answers if a["verdict"] != "PASS"} == {}


@pytest.mark.parametrize("block", BLOCKS)
def test_list_is_long_and_complete(block):
    table = tables.load(block)
    raw = tomllib.loads(injector.fault_list(block).read_text(encoding="utf-8"))
    assert raw.keys() - {"generate"} == {"config", "fault"}
    assert len(raw["fault"]) >= 25
    for entry, fault in zip(raw["fault"], injector.load(block), strict=True):
        ports = table.ports(table.config(fault.config))
        outputs = [p.name for p in ports if p.direction == "out"]
        for pattern in fault.expect:
            assert any(injector.is_expected(name, [pattern]) for name in outputs), fault.name
        assert entry["doc"]
        assert entry.keys() <= KEYS | ({"hidden"} if block in INSIDE else set())
        assert fault.why or "hidden" not in entry, fault.name
        assert fault.block in (block, *(INSIDE if block == "issue" else ())), fault.name


@pytest.mark.parametrize("block", BLOCKS)
def test_each_fault_stands_once_in_its_file(block, monkeypatch, tmp_path):
    monkeypatch.setattr(injector, "WORK", tmp_path)
    table = tables.load(block)
    written = {}
    for fault in injector.faults_of(table):
        config = table.config(fault.config)
        key = tuple(config.values())
        written[key] = written.get(key) or stubs.write_stub(table, config)
        good = {path.name: path.read_text() for path in written[key]}
        if fault.number > 1:  # of one text with all faults of ports
            continue
        made = {path.name: path.read_text() for path in injector.mutant(table, fault, written[key])}
        assert made != good, fault.name


@pytest.mark.parametrize("block", BLOCKS)
def test_parts_of_a_list_make_up_the_whole(block):
    faults = injector.faults_of(tables.load(block))
    path = injector.fault_list(block)
    parts = [injector._sample(faults, path, number) for number in range(len(faults))]
    assert {fault.name for part in parts for fault in part} == {fault.name for fault in faults}
    assert all(part and len(part) < len(faults) for part in parts)


def test_fault_of_a_port_is_skipped_only_where_nothing_differs():
    table = tables.load("compactor")
    config = table.config({"n": 1, "k": 1})
    table = table.with_members([])
    names = [port.name for port in table.ports(config) if port.direction == "out"]
    rows = [(1, 1), (1, 1), (0, 0), (1, 1)]  # value and care of each output

    def record(value, care):
        return {
            "out": dict.fromkeys(names, f"{value:x}"),
            "care": dict.fromkeys(names, f"{care:x}"),
        }

    known = dataclasses.replace(table, clock="clock")  # so that a port can be late
    found = {
        zero: port_faults.visible(known, config, [record(*row) for row in rows], zero)[:3]
        for zero in (False, True)
    }
    assert found == {False: [0, 0, None], True: [0, 0, 0]}
    assert port_faults.visible(table, config, [record(0, 1)], True)[:2] == [None, 0]


def test_list_of_the_stage_has_faulty_wires():
    table, faults = tables.load("issue"), injector.load("issue")
    stub = stubs.write_stub(table, table.config(faults[0].config))
    stage = next(path for path in stub if path.stem == table.module).read_text()
    assert len([fault for fault in faults if fault.changes[0][0] in stage]) >= 8
    assert {fault.block for fault in faults} == {"issue", *INSIDE}
    assert {name.partition("/")[0] for name in NAMED if "/" in name} == set(INSIDE)


def test_shared_file_is_changed_for_one_block(monkeypatch, tmp_path):
    monkeypatch.setattr(injector, "WORK", tmp_path)
    table = tables.load("issue")
    faults = {fault.name: fault for fault in injector.faults_of(table)}
    fault = faults["hazard/last_stuck"]
    stub = stubs.write_stub(table, table.config(fault.config))
    good = {path.name: path.read_text() for path in stub}
    made = {path.name: path.read_text() for path in injector.mutant(table, fault, stub)}
    changed = {name for name, text in made.items() if good.get(name) != text}
    assert changed == {"hazard_core.sv", "hazard_rr_arbiter.sv"}
    assert "hazard_rr_arbiter #(" in made["hazard_core.sv"]
    assert fault.changes[0][1] in made["hazard_rr_arbiter.sv"]


def test_fault_that_changes_nothing_is_a_hole(monkeypatch, tmp_path):
    nothing = "read_ready = free_now || (alloc_valid_q != '1);"
    list_of(monkeypatch, tmp_path, {"id": "nothing", "replace": nothing}, {})
    code, answers, _ = mutate("--cycles", "6000")
    caught = {answer.get("fault"): answer.get("caught") for answer in answers[:-1]}
    assert code == 1
    assert caught == {None: True, "nothing": False, "ready": True}
    assert answers[-1] == {
        "faults": 2,
        "reported": 1,
        "false_alarms": 0,
        "vacuous": 0,
        "skipped": 0,
    }


def test_stub_that_is_not_covered_is_vacuous_and_no_false_alarm(monkeypatch, tmp_path):
    """The fault is reported all the same; the run says nothing of the stub."""
    list_of(monkeypatch, tmp_path, {})
    few = ("--cycles", "60", "--seeds", "1")
    junit = tmp_path / "junit.xml"
    done = programs.warplock("mutate", *few, "--junit", junit, code=Status.VACUOUS)
    assert "\nVACUOUS: the stub with " in done.out
    assert done.out.endswith("1 of 1 faults reported, 0 false alarms, 1 vacuous\n")
    assert 'type="VACUOUS"' in junit.read_text() and "FALSE_ALARM" not in junit.read_text()
    code, answers, _ = mutate(*few)
    counts = {"faults": 1, "reported": 1, "false_alarms": 0, "vacuous": 1, "skipped": 0}
    assert (code, answers[-1]) == (Status.VACUOUS, counts)


def test_fault_that_is_not_reported_counts_before_a_stub_that_is_not_covered(monkeypatch, tmp_path):
    nothing = "read_ready = free_now || (alloc_valid_q != '1);"
    list_of(monkeypatch, tmp_path, {"replace": nothing})
    code, answers, _ = mutate("--cycles", "60", "--seeds", "1")
    counts = {"faults": 1, "reported": 0, "false_alarms": 0, "vacuous": 1, "skipped": 0}
    assert (code, answers[-1]) == (1, counts)


def test_stub_that_differs_is_a_false_alarm(monkeypatch, tmp_path):
    """The model is configured to expect the old value."""
    list_of(monkeypatch, tmp_path, {"config": "read_during_write=old"})
    done = programs.warplock("mutate", "--cycles", "6000", code=1)
    assert "\nfalse alarm: the stub with " in done.out
    assert ", 1 false alarms\n" in done.out


def test_fault_at_another_port_is_not_caught(monkeypatch, tmp_path):
    list_of(monkeypatch, tmp_path, {"expect": "readResp_valid"})
    printed = programs.warplock("mutate", code=1).out
    assert "wrong port: ready: io_readReq_ready is not in its `expect`" in printed
    assert printed.endswith("0 of 1 faults reported, 0 false alarms\n")


def test_fault_of_another_block_is_not_caught(monkeypatch, tmp_path):
    small = "num_warps=2 num_lanes=1 num_pregs=4 rs_entries=2 coll_entries=1 reg_banks=1"
    list_of(monkeypatch, tmp_path, {"config": small}, block="issue")
    printed = programs.warplock("mutate", "issue", "--bind", "all", code=1).out
    assert "wrong block: ready: collector is named; issue holds it" in printed
    assert printed.endswith("0 of 1 faults reported, 0 false alarms\n")


def test_stub_that_does_not_pass_is_a_false_alarm(monkeypatch, tmp_path):
    # The stub reads the new value while the model is configured to expect the old one.
    list_of(monkeypatch, tmp_path, {"config": "read_during_write=old"})
    printed = programs.warplock("mutate", code=1).out
    assert "false alarm: the stub with" in printed
    assert printed.endswith("1 of 1 faults reported, 1 false alarms\n")


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"find": "read_ready"}, Status.USAGE, "fault ready: 'read_ready' stands"),
        ({"find": "endmodule"}, Status.USAGE, "times in DuplicatedCollector.sv, dup"),
        ({"find": "no such text"}, Status.USAGE, "'no such text' stands 0 times in the stub"),
        ({"config": "num_lanes=0"}, Status.BAD_CONFIG, "num_lanes"),
        ({"config": "num_lanes"}, Status.MODEL_ERROR, "config: 'num_lanes' is not KEY=VALUE"),
        ({"id": 'x", id = "ready'}, Status.USAGE, "cannot be read: Duplicate"),
        ({"third": ', "x"'}, Status.USAGE, "cannot be read: too many values to unpack"),
    ],
)
def test_bad_entry_is_named(monkeypatch, tmp_path, change, status, words):
    list_of(monkeypatch, tmp_path, change)
    code, answers, printed = mutate()
    assert code == status
    assert [answer["error"]["code"] for answer in answers] == [status]
    assert words in printed
    assert len(printed.splitlines()) == 1


def test_unknown_names_are_refused():
    assert mutate("--only", "nope")[0] == Status.USAGE
    code, _, printed = mutate("zork")
    assert code == Status.USAGE
    assert "zork" in printed
