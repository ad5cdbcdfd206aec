# SPDX-License-Identifier: Apache-2.0
"""The golden files: named by their manifest, played clean, and what the model makes today."""

import hashlib
import json
import shutil
import struct
from xml.etree import ElementTree

import programs
import pytest
from wlk import cli, tables
from wlk.base import published
from wlk.base.errors import Status, WlkError
from wlk.run import digests, goldens, tools, vectors

ENTRIES = goldens.read_manifest()


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["file"] for entry in ENTRIES])
def test_golden_is_as_the_manifest_states(entry):
    status, trouble = goldens.examine(entry)
    assert (status, trouble) == (Status.OK, "")


def test_golden_folder_holds_nothing_else():
    names = {path.name for path in goldens.FOLDER.iterdir()}
    assert names == {entry["file"] for entry in ENTRIES} | {goldens.MANIFEST, digests.MANIFEST}


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


# Digests of many cycles.

PINNED = digests.read()


@pytest.mark.parametrize(
    "entry", programs.part(PINNED, 30), ids=lambda entry: f"{entry['block']}-{entry['config']}"
)
def test_digests_are_as_pinned(entry):
    assert digests.examine(entry) == ""


def test_digests_are_of_every_named_configuration():
    assert [entry | {"sha256": {}} for entry in PINNED] == [*digests.wanted()]
    assert {(*entry["sha256"],) for entry in PINNED} == {tuple(map(str, digests.SEEDS))}


def test_digest_is_that_of_the_documents(tmp_path):
    """Inputs, expected values where they count, and care: SHA-256 of the words of all records."""
    table = tables.load("scoreboard")
    config = table.config({})
    layout = table.layout(config)
    header = vectors.Gen("scoreboard", tmp_path / "s.wlv", seed=3, cycles=300).make()
    total = hashlib.sha256()
    for record in vectors.records(header, table, config):
        words = {"in": [0] * layout.in_words}
        words |= {side: [0] * layout.out_words for side in ("out", "care")}
        for port in table.ports(config):
            sides = ("in",) if port.direction == "in" else ("out", "care")
            for side in sides:
                words[side][port.word] |= int(record[side][port.name], 16) << port.lsb
        words["out"] = [o & c for o, c in zip(words["out"], words["care"], strict=True)]
        for side in words.values():
            total.update(struct.pack(f"<{len(side)}Q", *side))
    words = ["records", "scoreboard", 3, "mix", 300, "unknown"]
    assert tools.digest("dpi/wlk-vec", words) == total.hexdigest()
    with pytest.raises(WlkError, match="no profile 'none'"):
        tools.digest("dpi/wlk-vec", [*words[:3], "none", *words[4:]])


def few(folder, change):
    """A manifest of two entries, the second of them changed."""
    entries = [json.loads(json.dumps(entry)) for entry in PINNED[:2]]
    for entry in entries:
        entry["cycles"] = 50
        entry["sha256"] = digests.make(entry)
    change(entries[1])
    text = "".join(json.dumps(entry) + "\n" for entry in entries)
    (folder / digests.MANIFEST).write_text(text)
    return entries


@pytest.mark.parametrize(
    ("change", "trouble"),
    [
        (lambda entry: None, None),
        (lambda entry: entry["sha256"].update({"2": "0" * 64}), "other records with seed 2"),
        (lambda entry: entry["sha256"].pop("1"), "other records with seed 1"),
        (lambda entry: entry.update(cycles=51), "other records with seed 1 and 2"),
        (lambda entry: entry.update(config="none"), "there is no such configuration"),
        (
            lambda entry: entry.update(cycles=51, model_version=999),
            "made by version 999 of the model",
        ),
    ],
)
def test_digest_that_differs_is_named(tmp_path, capsys, monkeypatch, change, trouble):
    entries = few(tmp_path, change)
    monkeypatch.setattr(digests, "wanted", lambda: iter([*PINNED[:2]]))
    code = digests.check(True, 1, tmp_path)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    bad = [line for line in lines if line["verdict"] != "PASS"]
    assert code == (Status.FUNCTIONAL_MISMATCH if trouble else Status.OK)
    assert (trouble is None) == (bad == [])
    if trouble:
        assert bad[0]["config"] == entries[1]["config"]
        assert trouble in bad[0]["trouble"]


@pytest.mark.parametrize("words", [(), ("--digests",)])
def test_goldens_are_runs_of_a_report(tmp_path, monkeypatch, words):
    """The command on a folder with one that is right and one that is not."""
    few(tmp_path, lambda entry: entry.update(cycles=51))
    shutil.copy(goldens.FOLDER / FIRST, tmp_path)
    write_manifest(tmp_path, ENTRIES[:2])
    monkeypatch.setattr(digests, "wanted", lambda: iter([*PINNED[:2]]))
    monkeypatch.setattr(goldens, "FOLDER", tmp_path)
    junit, page = tmp_path / "junit.xml", tmp_path / "page.html"
    asked = cli.parse(["vectors", "golden", *words, "--junit", str(junit), "--html", str(page)])
    assert published.run(asked) != 0
    cases = [*ElementTree.parse(junit).getroot().iter("testcase")]
    wrong = [case for case in cases if len(case)]
    assert (len(cases), len(wrong)) == (2, 1)
    assert wrong[0].get("name") == (PINNED[1]["config"] if words else SECOND)
    assert "scripts/warplock vectors golden" in page.read_text()


def test_configuration_without_a_digest_is_named(tmp_path, capsys):
    few(tmp_path, lambda entry: None)
    assert digests.check(False, 1, tmp_path) == Status.FUNCTIONAL_MISMATCH
    assert f"not in {digests.MANIFEST}" in capsys.readouterr().out


def test_digests_are_written_as_they_are(tmp_path, capsys, monkeypatch):
    entries = [entry | {"cycles": 50, "sha256": {}} for entry in PINNED[:2]]
    monkeypatch.setattr(digests, "wanted", lambda: iter(entries))
    digests.write(2, tmp_path)
    assert digests.check(False, 1, tmp_path) == 0
    assert capsys.readouterr().out.endswith("4 digests are as pinned, 0 configurations are not\n")
