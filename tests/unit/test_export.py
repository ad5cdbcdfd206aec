# SPDX-License-Identifier: Apache-2.0
"""`vectors export` and `vectors diff`: what they write and say, and what they refuse.

The bench that `--readmemh` writes is simulated in tests/lockstep/test_player.py.
"""

import os
import resource
import shutil
from pathlib import Path

import programs
import pytest
from test_vectors import edited, with_member
from wlk.base.errors import Status
from wlk.run import goldens, vectors

GOLDENS = sorted(goldens.FOLDER.glob("*.wlv"))
HAZARD = goldens.FOLDER / "hazard_default.wlv"  # whose first grants an unknown arbiter gives
PART = sorted({*programs.part(GOLDENS, 8), HAZARD})
SMALL = goldens.FOLDER / "scoreboard_default.wlv"


def command(*words, code=0):
    return programs.warplock("vectors", *words, code=code)


def facts(path):
    """Its header, and the options that pin its configuration."""
    header = vectors.read_header(path)
    table = vectors.check_schema(header)
    return header, programs.config_options(table.show(vectors.check_config(header, table)))


# Formats.


@pytest.mark.parametrize("path", PART, ids=lambda path: path.stem)
def test_csv_gives_the_records_again(path, tmp_path):
    header, config = facts(path)
    csv, again = tmp_path / "r.csv", tmp_path / "r.wlv"
    command("export", path, "--csv", csv)
    words = ("--block", header.block, "--power-up", header.power_up, *config)
    command("import", "--csv", csv, again, *words)
    found = command("diff", path, again, "--json").json
    assert found["compared"] == header.cycles
    assert found["differ"] == {"in": 0, "out": 0, "care": 0}
    command("play", again)


@pytest.mark.parametrize("form", ["vcd", "fst"])
@pytest.mark.parametrize("path", PART, ids=lambda path: path.stem)
def test_waveform_passes_check(path, form, tmp_path):
    header, config = facts(path)
    wave = tmp_path / f"w.{form}"
    command("export", path, f"--{form}", wave)
    words = ("--block", header.block, "--power-up", header.power_up, *config, "--json")
    found = programs.warplock("check", wave, *words).json
    assert (found["cycles"], found["verdict"]) == (header.cycles, "PASS")
    played = command("play", path, "--json").json
    assert found["compared_bits"] >= played["compared_bits"]  # where it shows one of the states


def test_waveform_shows_inputs_expected_values_and_care(tmp_path):
    """Imported again they are the same, where care is 1."""
    path = HAZARD
    header, config = facts(path)
    wave, again = tmp_path / "w.fst", tmp_path / "w.wlv"
    command("export", path, "--fst", wave)
    command("import", "--dump", wave, again, "--block", header.block, *config)
    differ = command("diff", path, again, "--json", code=1).json["differ"]
    assert (differ["in"], differ["out"]) == (0, 0)
    assert differ["care"] > 0
    text = tmp_path / "w.vcd"
    command("export", path, "--vcd", text)
    lines = text.read_text().splitlines()
    names = [line.split()[4] for line in lines if line.startswith("$var")]
    outputs = [name for name in names if f"{name}__care" in names]
    table = vectors.check_schema(header)
    ports = {p.name: p.direction for p in table.ports(table.config(header.config))}
    assert {*ports} <= {*names}
    assert outputs == [name for name in names if ports.get(name) == "out"]


def test_waveform_of_a_part_of_the_outputs_has_no_others(tmp_path):
    """What was no column is none; so `check` has nothing to find X in."""
    header, config = facts(SMALL)
    csv, part, wave = tmp_path / "p.csv", tmp_path / "p.wlv", tmp_path / "p.vcd"
    table = vectors.check_schema(header)
    found = table.config(header.config)
    names = [p.name for p in table.ports(found) if p.direction == "in"] + ["io_updateColl_success"]
    records = [*vectors.records(header, table, found)]
    csv.write_text(programs.as_csv(records, table.ports(found), names))
    command("import", "--csv", csv, part, "--block", header.block, *config)
    command("export", part, "--vcd", wave)
    assert wave.read_text().count("__care") == 1
    found = programs.warplock("check", wave, "--block", header.block, *config, "--json").json
    assert found["compared_bits"] > 0


def test_waveform_of_another_model_is_refused(tmp_path):
    old = edited(SMALL, tmp_path / "old.wlv", with_member("model_version", 999))
    done = command("export", old, "--fst", tmp_path / "o.fst", code=None)
    programs.refused(done, Status.BAD_VERSION, "old.wlv", "version 999")
    command("export", old, "--csv", tmp_path / "o.csv")  # what the file says, whoever made it


def test_export_is_a_function_of_the_file(tmp_path):
    for form in ("csv", "vcd", "fst"):
        texts = []
        for name in ("a", "b"):
            command("export", SMALL, f"--{form}", tmp_path / name, "--force")
            texts.append((tmp_path / name).read_bytes())
        assert texts[0] == texts[1]


def words_of(path, ports):
    """Each word of a memory, but the last, as the values of the ports that lie in it."""
    for line in path.read_text().splitlines()[:-1]:
        word, values = int(line, 16), {}
        for port in reversed(ports):
            values[port.name] = word & (1 << port.width) - 1
            word >>= port.width
        assert word == 0
        yield values


def test_memories_are_the_records(tmp_path):
    header, _ = facts(HAZARD)
    table = vectors.check_schema(header)
    config = table.config(header.config)
    command("export", HAZARD, "--readmemh", tmp_path)
    sides = {"in": ("in", "in"), "expect": ("out", "out"), "care": ("out", "care")}
    memories = {
        name: words_of(
            tmp_path / f"{name}.hex", [p for p in table.ports(config) if p.direction == direction]
        )
        for name, (direction, _) in sides.items()
    }
    for record in vectors.records(header, table, config):
        for name, (_, side) in sides.items():
            assert next(memories[name]) == {n: int(x, 16) for n, x in record[side].items()}
    assert [next(memory, None) for memory in memories.values()] == [None] * 3


# What is refused.


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ((), Status.USAGE, "give one of --csv, --vcd, --fst, --readmemh"),
        (("--csv", "a", "--vcd", "b"), Status.USAGE, "not allowed with"),
        (("--csv", "none/a"), Status.NO_FILE, "none is no folder"),
        (("--csv", "there"), Status.USAGE, "there: exists already"),
        (("--fst", "there"), Status.USAGE, "there: exists already"),
        (("--readmemh", "there"), Status.NO_FILE, "there: is no folder"),
        (("--readmemh", "there/below"), Status.NO_FILE, "there/below"),
        (("--fst", "/dev/null"), Status.NO_FILE, "is no regular file"),
        (("--csv", "a", "--rtl", "x.sv"), Status.USAGE, "go with --readmemh"),
        (("--csv", "a", "--module", "m"), Status.USAGE, "go with --readmemh"),
        (("--readmemh", "d", "--clock", "c"), Status.USAGE, "--clock goes with --rtl"),
        (("--readmemh", "d", "--rtl", "x.sv", "--tie", "p=1"), Status.USAGE, "--tie"),
    ],
)
def test_export_mistake_is_one_line(tmp_path, monkeypatch, words, status, message):
    monkeypatch.chdir(tmp_path)
    Path("there").write_text("mine")
    programs.refused(command("export", SMALL, *words, code=None), status, message)
    assert os.listdir() == ["there"]
    assert Path("there").read_text() == "mine"


@pytest.mark.parametrize("option", ["--csv", "--vcd", "--fst", "--readmemh"])
def test_export_of_a_cut_file_leaves_nothing(tmp_path, option):
    cut = tmp_path / "cut.wlv"
    data = bytearray(SMALL.read_bytes())
    data[len(data) // 2] ^= 1  # in the only chunk, which is looked at last
    cut.write_bytes(data)
    out = tmp_path / "out"
    done = command("export", cut, option, out, code=None)
    programs.refused(done, Status.CORRUPT, "cut.wlv", "chunk")
    assert not out.exists() or os.listdir(out) == []


@pytest.mark.parametrize("form", ["csv", "vcd", "fst", "hex"])
def test_export_to_a_full_disk_leaves_nothing(tmp_path, form):
    out = tmp_path / "out"
    out.mkdir()
    path = goldens.FOLDER / "collector_default.wlv"
    header, config = facts(path)
    words = ["export", header.block, path, header.power_up, "gen", form]
    words += [out if form == "hex" else out / "w", "clock", *config[1::2]]

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = programs.run("dpi/wlk-vec", *words, preexec_fn=limit)
    assert done.returncode == Status.NO_SPACE, done.stderr
    assert "free some space" in done.stderr
    assert os.listdir(out) == []


def test_bench_replaces_nothing_unasked(tmp_path):
    bench = tmp_path / "bench"
    command("export", SMALL, "--readmemh", bench)
    before = {path.name: path.read_bytes() for path in bench.iterdir()}
    assert set(before) == {
        *("in.hex", "expect.hex", "care.hex", "wlk_scoreboard_player.sv", "Makefile", "README.md")
    }
    for name in before:
        shutil.rmtree(bench)
        bench.mkdir()
        (bench / name).write_text("mine")
        done = command("export", SMALL, "--readmemh", bench, code=None)
        programs.refused(done, Status.USAGE, f"{name}: exists already")
        assert {path.name: path.read_text() for path in bench.iterdir()} == {name: "mine"}
    command("export", SMALL, "--readmemh", bench, "--force")
    assert {path.name: path.read_bytes() for path in bench.iterdir()} == before


# Two files.


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A file, and the same with another expected value in one cycle, and two cycles less."""
    folder = tmp_path_factory.mktemp("two")
    a, b, csv = folder / "a.wlv", folder / "b.wlv", folder / "b.csv"
    command("gen", "scoreboard", a, "--cycles", 40, "--power-up", "zero")
    command("export", a, "--csv", csv)
    names, kinds, *rows = (line.split(",") for line in csv.read_text().splitlines())
    column = names.index("io_updateColl_success")
    assert ":" not in rows[30][column]
    rows[30][column] = f"{int(rows[30][column], 16) ^ 1:x}"
    csv.write_text("".join(",".join(row) + "\n" for row in (names, kinds, *rows[:-2])))
    config = programs.config_options(command("info", a, "--json").json["config"])
    command("import", "--csv", csv, b, "--block", "scoreboard", "--power-up", "zero", *config)
    return a, b


def test_diff_names_the_first_cycle_and_port(two):
    found = command("diff", *two, "--json", code=Status.FUNCTIONAL_MISMATCH).json
    assert found["verdict"] == "FUNCTIONAL_MISMATCH"
    assert (found["cycles"], found["compared"]) == ([40, 38], 38)
    assert found["differ"] == {"in": 0, "out": 1, "care": 0}
    first = found["first"]["out"]
    assert (first["cycle"], first["port"]) == (30, "io_updateColl_success")
    assert sorted(first["values"]) == ["0x0", "0x1"]
    assert found["shown"] == [
        {"cycle": 30, "in": {}, "out": {first["port"]: first["values"]}, "care": {}}
    ]
    assert found["header"]["source"] == ["gen", "csv"]
    assert "block" not in found["header"]


def test_diff_prints_a_line_a_cycle(two):
    printed = command("diff", *two, code=Status.FUNCTIONAL_MISMATCH).out.splitlines()
    (line,) = [line for line in printed if "io_updateColl_success" in line]
    assert line.split()[0] == "30"
    assert [line.split() for line in printed if line.startswith("cycles")] == [
        ["cycles", "40", "38"]
    ]
    assert printed[-1] == "of 38 cycles differ 1 in expected values"
    hidden = command("diff", *two, "--lines", 0, code=Status.FUNCTIONAL_MISMATCH).out
    assert "io_updateColl_success" not in hidden


def test_diff_of_equal_records_is_0_whatever_made_them(two, tmp_path):
    same = edited(two[0], tmp_path / "same.wlv", with_member("seed", 9))
    found = command("diff", two[0], same, "--json").json
    assert (found["verdict"], found["first"], found["header"]) == ("PASS", {}, {"seed": [1, 9]})
    assert command("diff", two[0], two[0]).out.endswith("40 cycles are equal\n")


def test_diff_of_fewer_cycles_is_a_difference(two, tmp_path):
    short = tmp_path / "short.wlv"
    command("gen", "scoreboard", short, "--cycles", 20, "--power-up", "zero")
    found = command("diff", two[0], short, "--json", code=Status.FUNCTIONAL_MISMATCH).json
    assert found["differ"] == {"in": 0, "out": 0, "care": 0}
    assert found["compared"] == 20


def test_diff_of_files_that_cannot_be_compared_names_both(two, tmp_path):
    a = two[0]
    done = command("diff", a, HAZARD, code=None)
    programs.refused(done, Status.BAD_SCHEMA, "a.wlv", "scoreboard", "hazard", "of one block")
    old = edited(a, tmp_path / "old.wlv", with_member("schema", "0123456789abcdef"))
    for pair in ((a, old), (old, a)):
        done = command("diff", *pair, code=None)
        ours = f"{vectors.tables.load('scoreboard').schema_hash():016x}"
        parts = (ours, "0123456789abcdef", f"of {old}: make the file again with")
        programs.refused(done, Status.BAD_SCHEMA, "a.wlv", "old.wlv", *parts)
    wide = tmp_path / "wide.wlv"
    command("gen", "scoreboard", wide, "--config", "num_pregs=16", "--cycles", 9)
    done = command("diff", a, wide, code=None)
    programs.refused(
        done, Status.BAD_PARAMS, "a.wlv", "wide.wlv", "num_pregs: ", "one configuration"
    )
    programs.refused(command("diff", a, tmp_path / "none", code=None), Status.NO_FILE, "none")


# Two writers.


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
def test_one_of_two_writers_of_a_file_has_it_whole(tmp_path, force):
    alone = []
    for seed in (1, 2):
        command("gen", "scoreboard", tmp_path / f"{seed}", "--seed", seed, "--cycles", 10_000)
        alone.append((tmp_path / f"{seed}").read_bytes())
    out = tmp_path / "o.wlv"
    words = ("vectors", "gen", "scoreboard", out, "--cycles", 10_000, *force)
    running = [programs.started(*words, "--seed", seed) for seed in (1, 2)]
    texts = [process.communicate(timeout=60) for process in running]
    codes = [process.returncode for process in running]
    if force:
        assert codes == [0, 0], texts
        assert out.read_bytes() in alone
    else:
        assert sorted(codes) == [0, Status.USAGE], texts
        assert out.read_bytes() == alone[codes.index(0)]
        assert "exists already" in texts[1 - codes.index(0)][1]
    command("play", out)
    assert sorted(os.listdir(tmp_path)) == ["1", "2", "o.wlv"]
