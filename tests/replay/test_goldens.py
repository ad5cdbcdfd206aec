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


def test_golden_check_passes(folder, capsys):
    code, found = troubles(folder, capsys)
    assert code == 0
    assert set(found.values()) == {"PASS"}


def test_golden_changed_file_is_found(folder, capsys):
    name = ENTRIES[0]["file"]
    shutil.copy(folder / ENTRIES[1]["file"], folder / name)
    code, found = troubles(folder, capsys)
    assert code == Status.CORRUPT
    assert found == {name: "CORRUPT", ENTRIES[1]["file"]: "PASS"}


def test_golden_missing_file_is_found(folder, capsys):
    (folder / ENTRIES[1]["file"]).unlink()
    assert troubles(folder, capsys)[0] == Status.NO_FILE


def test_golden_stranger_is_found(folder, capsys):
    shutil.copy(folder / ENTRIES[1]["file"], folder / "other.wlv")
    code, found = troubles(folder, capsys)
    assert code == Status.CORRUPT
    assert found["other.wlv"] == "CORRUPT"


def test_golden_of_another_seed_is_found(folder, capsys):
    entry = dict(ENTRIES[0], seed=99)
    write_manifest(folder, [entry, ENTRIES[1]])
    code, found = troubles(folder, capsys)
    assert code == Status.BAD_PARAMS
    assert found[entry["file"]] == "BAD_PARAMS"


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
