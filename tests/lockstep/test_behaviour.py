# SPDX-License-Identifier: Apache-2.0
"""The JSON of a fixed list of commands, as it was recorded: what a restructuring must not change.

Each line of behaviour.jsonl is a command, its exit code and the objects it printed, without times
and places. `PYTHONPATH=scripts:tests python3 tests/lockstep/test_behaviour.py` records the same
commands anew; a change of behaviour that is meant does so, with the reason in its commit.
"""

import json
from pathlib import Path

import programs
import pytest
import rtl_under_test as rut

RECORD = Path(__file__).with_name("behaviour.jsonl")
ENTRIES = [json.loads(line) for line in RECORD.read_text(encoding="utf-8").splitlines()]
REPORTS = rut.PLACE.parent / "behaviour"
# Of a time or a place, and what a ranking that is improved finds.
UNSTABLE = {"cycles_per_second", "seconds", "version", "rtl_lines"}
# Faults of the scoreboard's stub that a command may name as its RTL: text, what it becomes.
FAULTS = {
    "no_writeback": ("_write_pReg_i] <= wb_new;", "_write_pReg_i] <= wb_old;"),
    "no_collect": ("CountW] <= coll_new[op", "CountW] <= coll_old[op"),
}


def places():
    """What stands for a place in a command: the word -> the path."""
    return {"{traces}": str(programs.TRACES), "{root}": str(rut.ROOT)}


def answer(words):
    """The exit code and the objects of a command, without what differs from run to run."""
    known = places()
    for name in (name for name in FAULTS if f"{{{name}}}" in words):
        config, edit = {"num_warps": 1, "num_pregs": 16}, {"scoreboard_core.sv": FAULTS[name]}
        place = rut.stub(f"behaviour_{name}", config, edit=edit, block="scoreboard")
        known[f"{{{name}}}"] = str(place)
    given = []
    for word in words:
        for name, path in known.items():
            word = word.replace(name, path)
        given.append(word)
    if words[0] == "lockstep":
        given += ["--reports", REPORTS]
    done = rut.warplock(*given, "--json", code=None)
    return done.code, [stable(each, known) for each in done.objects]


def stable(value, known):
    """The value without times, and with words for places."""
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k not in UNSTABLE}
        if shares := kept.pop("shares", {}):
            kept["shares"] = {k: v for k, v in shares.items() if v != 1}  # most are whole
        return {k: stable(v, known) for k, v in kept.items()}
    if isinstance(value, list):
        return [stable(each, known) for each in value]
    if isinstance(value, str):
        if str(REPORTS) in value:
            return "a file of the report"
        for name, path in known.items():
            value = value.replace(path, name)
    return value


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: " ".join(entry["run"]))
def test_command_answers_as_recorded(entry):
    for word in entry["run"]:
        if word.startswith("{traces}/"):
            programs.recording(word.removeprefix("{traces}/"))
    code, objects = answer(entry["run"])
    assert (code, objects) == (entry["code"], entry["json"])


def write():
    """Record the commands of the list anew."""
    lines = []
    for entry in ENTRIES:
        code, objects = answer(entry["run"])
        made = {"run": entry["run"], "code": code, "json": objects}
        lines.append(json.dumps(made, separators=(",", ":")) + "\n")
        print(code, len(objects), *entry["run"], flush=True)
    RECORD.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write()
