# SPDX-License-Identifier: Apache-2.0
"""The golden files: named by their manifest, played clean, and what the model makes today."""

import json
import shutil

import programs
import pytest
from wlk.base.errors import Status
from wlk.run import goldens, vectors

ENTRIES = goldens.read_manifest()


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["file"] for entry in ENTRIES])
def test_golden_is_as_the_manifest_states(entry):
    status, trouble = goldens.examine(entry)
    assert (status, trouble) == (Status.OK, "")


def test_golden_folder_holds_nothing_else():
    names = {path.name for path in goldens.FOLDER.iterdir()}
    assert names == {entry["file"] for entry in ENTRIES} | {goldens.MANIFEST}


def test_goldens_reach_every_value_of_the_named_parameters():
    configs = [vectors.read_header(goldens.FOLDER / entry["file"]).config for entry in ENTRIES]
    for name, values in {
        "read_during_write": {"new", "old", "undefined"},
        "bank_select": {"upper", "modulo"},
        "lane_bits": {32, 64},
        "debug": {0, 1},
        "in_order_per_warp": {0, 1},
        "forward_coll_issue": {0, 1},
        "allow_partial_collect": {0, 1},
        "count_forwarded_reads": {0, 1},
    }.items():
        assert {config[name] for config in configs if name in config} == values


# The check can fail.


@pytest.fixture
def folder(tmp_path):
    """Two of the files with their manifest."""
    for entry in ENTRIES[:2]:
        shutil.copy(goldens.FOLDER / entry["file"], tmp_path)
    write_manifest(tmp_path, ENTRIES[:2])
    return tmp_path


def write_manifest(folder, entries):
    (folder / goldens.MANIFEST).write_text("".join(json.dumps(e) + "\n" for e in entries))


def troubles(folder, capsys):
    code = goldens.check(as_json=True, folder=folder)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return code, {line["file"]: line["verdict"] for line in lines}


FIRST, SECOND = (entry["file"] for entry in ENTRIES[:2])


def copied(name):
    return lambda folder: shutil.copy(folder / SECOND, folder / name)


def of_another_seed(folder):
    write_manifest(folder, [dict(ENTRIES[0], seed=99), ENTRIES[1]])


@pytest.mark.parametrize(
    ("damage", "code", "found"),
    [
        (lambda folder: None, Status.OK, {FIRST: "PASS", SECOND: "PASS"}),
        (copied(FIRST), Status.CORRUPT, {FIRST: "CORRUPT", SECOND: "PASS"}),
        (copied("other.wlv"), Status.CORRUPT, {"other.wlv": "CORRUPT"}),
        (lambda folder: (folder / SECOND).unlink(), Status.NO_FILE, {}),
        (of_another_seed, Status.BAD_PARAMS, {FIRST: "BAD_PARAMS"}),
    ],
    ids=["whole", "changed", "stranger", "missing", "another seed"],
)
def test_golden_check_finds_what_is_wrong(folder, capsys, damage, code, found):
    damage(folder)
    ended, shown = troubles(folder, capsys)
    assert ended == code
    assert found.items() <= shown.items()


def test_golden_write_makes_what_check_accepts(folder, capsys):
    entries = [{k: v for k, v in dict(e, seed=5).items() if k != "sha256"} for e in ENTRIES[:2]]
    write_manifest(folder, entries)
    assert troubles(folder, capsys)[0] == Status.CORRUPT
    goldens.write(folder)
    capsys.readouterr()
    assert troubles(folder, capsys)[0] == 0


@pytest.mark.parametrize(
    ("line", "message"), [("{", "MANIFEST.jsonl:1: no JSON"), ('{"file": "a"}', "lacks block")]
)
def test_golden_bad_manifest_names_the_line(tmp_path, line, message):
    (tmp_path / goldens.MANIFEST).write_text(line + "\n")
    with programs.error(Status.CORRUPT, message):
        goldens.check(folder=tmp_path)
