# SPDX-License-Identifier: Apache-2.0
"""Known differences of RTL: what a waiver hides, what it does not, what docs/waivers.md shows."""

import os
import re
import shlex
import subprocess
from xml.etree import ElementTree

import programs
import pytest
import rtl_under_test as rut
from wlk.base.errors import Status
from wlk.run import vectors

pytestmark = [pytest.mark.slow, pytest.mark.needs("rtl")]
PAGE = (programs.ROOT / "docs" / "waivers.md").read_text("utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLE, PASSES, MORE, FAILS = (
    text for _, text in FENCE.findall(PAGE.partition("\n## The file\n")[0])
)
# Ready is low in reset, and data shows a wrong bit in some cycles.
PICKED, END = "g_entry[CollEntries-1].picked;\n", "  assign writeReq_ready_o = 1'b1;\n"
TEXT = (programs.ROOT / "rtl_stub" / "collector" / rut.CORE).read_text("utf-8")
RIGHT = TEXT[TEXT.index(PICKED) : TEXT.index(END) + len(END)]
WRONG = RIGHT.replace("1'b1", "!rst_i").replace(
    ".picked", ".picked ^ RegBits'(writeReq_valid_i && (&writeReq_bits_regs_tmask_i))"
)
WORDS = ("--seeds", "1..4", "--cycles", "3000", *rut.PINNED)
READY, DATA = "io_writeReq_ready", "io_readData_resp_bits_0_data_0"


def waivers(folder, *texts):
    path = folder / "waivers.toml"
    path.write_text("\n".join(texts))
    return path


def one(port, **keys):
    """A waiver of the collector."""
    values = {"block": "collector", "port": port, "reason": "known", "owner": "ada"}
    values |= {"until": "2099-12-31"} | keys
    rows = (f"{key} = {value!r}\n" for key, value in values.items())
    return "[[waiver]]\n" + "".join(rows).replace("'", '"')


@pytest.fixture(scope="module")
def rtl():
    return rut.stub("waivers", edit={rut.CORE: (RIGHT, WRONG)})


@pytest.fixture(scope="module")
def run(rtl):
    """lockstep --json with a file of waivers."""

    def run(path, *words, code=0):
        return rut.run_lockstep("--rtl", rtl, *WORDS, "--waive", path, *words, code=code)

    return run


def test_page_shows_what_is_printed(rtl, tmp_path):
    (tmp_path / "rtl").symlink_to(rtl)
    env = os.environ | {"WARPLOCK_NO_SETUP": "1"}
    codes, texts = [], []
    for text, shown in ((EXAMPLE, PASSES), (MORE, FAILS)):
        texts.append(text)
        waivers(tmp_path, *texts)
        command, *lines = shown.removeprefix("$ ").splitlines()
        words = [str(programs.WARPLOCK), *shlex.split(command)[1:]]
        done = subprocess.run(
            words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        printed = (done.stdout + done.stderr).splitlines()
        assert [line for line in lines if line not in printed] == [], done.stdout + done.stderr
        codes.append(done.returncode)
    assert codes == [Status.OK, Status.UNUSED_WAIVER]


@pytest.fixture(scope="module")
def passed(run, tmp_path_factory):
    place = tmp_path_factory.mktemp("passed")
    words = ("--waves", "--html", place / "page.html", "--reports", place)
    done = run(waivers(place, EXAMPLE), *words)
    return place, done


def test_hits_of_all_seeds_do_not_depend_on_jobs(run, passed):
    place, done = passed
    hits = {hit["port"]: hit for hit in done.objects[0]["waived"]}
    assert hits[READY]["cycles"] == 80 and hits[READY]["first"] == {"seed": 1, "cycle": 1}
    assert hits[READY]["last"]["seed"] == 4 and "nobody writes" in hits[READY]["reason"]
    assert [hit["cycles"] > 1000 for port, hit in hits.items() if port != READY] == [True]
    assert [each["state"] for each in done.objects[1]["waivers"]] == ["hit", "hit"]
    assert done.objects[1]["verdict"] == "PASS"
    alone = run(place / "waivers.toml", "--jobs", 1).objects[0]
    assert alone["waived"] == done.objects[0]["waived"]
    assert alone["masked_bits"] == done.objects[0]["masked_bits"]
    page = (place / "page.html").read_text("utf-8")
    assert "waived (" in page and "ready is low in reset; nobody writes then" in page


def test_check_of_the_wave_waives_the_same(run, passed, tmp_path):
    place, _ = passed
    (wave,) = place.rglob("wave.fst")
    words = ("check", wave, "--block", "collector", *rut.PINNED, "--json")
    file = place / "waivers.toml"
    checked = programs.warplock(*words, "--waive", file).objects
    (first, seed) = checked[0], run(file, "--seeds", "1").objects[0]
    ends = ("waiver", "cycles")
    assert [[hit[k] for k in ends] for hit in first["waived"]] == [
        [hit[k] for k in ends] for hit in seed["waived"]
    ]
    alone = waivers(tmp_path, one(READY))
    failed = programs.warplock(*words, "--waive", alone, code=rut.FAILS).objects
    assert failed[0]["first"]["port"] == DATA
    assert failed[1]["waivers"][0]["state"] == "hit"
    done = programs.warplock("check", place, "--waive", file, code=Status.USAGE)
    programs.refused(done, Status.USAGE, "--waive goes with one dump")


def test_difference_beside_a_waived_one_is_reported_and_played(rtl, run, tmp_path):
    file = waivers(tmp_path, one("io_readData_resp_bits_*", bits="0"), one("io_readReq_ready"))
    words = ("--keep-going", "--reports", tmp_path / "reports", "--power-up", "zero")
    # Enables have no wrong bit, and lane 1 has none; ready differs in a cycle of its own.
    done = run(file, *words, code=rut.FAILS)
    result = done.objects[0]
    assert {each["port"] for each in result["failures"]} == {READY}
    assert [each["seed"] for each in result["failures"]] == [1, 2, 3, 4]
    assert result["first"]["port"] == READY
    states = [each["state"] for each in done.objects[1]["waivers"]]
    assert states[1] == "not judged" and done.objects[1]["verdict"] == "PASS"
    (shrunk,) = (tmp_path / "reports" / "latest").resolve().rglob("stimulus.wlv")
    again = ["--rtl", rtl, "--waive", file, "--unused-waivers", "note"]
    played = programs.warplock("vectors", "play", shrunk, *again, "--json", code=rut.FAILS)
    assert played.objects[1]["first"]["port"] == READY
    (report,) = (tmp_path / "reports" / "latest").resolve().rglob("report.txt")
    for name in ("replay: ", "repeat: "):
        line = report.read_text().partition(name)[2].partition("\n")[0]
        assert f"--waive {file} --unused-waivers note" in line


def test_shrunk_stimulus_shows_what_is_not_waived(rtl, run, tmp_path):
    file = waivers(tmp_path, one(READY, when="reset"), one("io_readData_*_data_0", when="reset"))
    words = ("--reports", tmp_path / "reports", "--keep-going")
    found = run(file, *words, code=rut.FAILS).objects[0]
    assert found["first"]["port"] == DATA and len(found["failures"]) == 4
    (hit,) = [each for each in found["waived"] if each["port"] == READY]
    seeds = [run(file, "--seeds", n, code=rut.FAILS).objects[0] for n in range(1, 5)]
    alone = [each["cycles"] for one in seeds for each in one["waived"] if each["port"] == READY]
    assert len(alone) == 4 and hit["cycles"] == sum(alone)
    assert (hit["first"]["seed"], hit["last"]["seed"]) == (1, 4)
    (shrunk,) = (tmp_path / "reports" / "latest").resolve().rglob("stimulus.wlv")
    words = ("vectors", "play", shrunk, "--rtl", rtl, "--json")
    first = programs.warplock(*words, code=rut.FAILS).objects[1]["first"]
    assert first["port"] == READY  # which is waived
    played = programs.warplock(*words, "--waive", file, code=rut.FAILS).objects[1]
    assert played["first"]["port"] == DATA
    assert [hit["port"] for hit in played["waived"]] == [READY]


def test_unused_waiver_is_a_failure_for_others(run, tmp_path):
    texts = (EXAMPLE, one("io_readReq_ready"), one("io_ibuf_*_ready", block="hazard"))
    file = waivers(tmp_path, *texts)
    junit = tmp_path / "junit.xml"
    done = run(file, "--junit", junit, code=Status.UNUSED_WAIVER)
    states = ["hit", "hit", "unused", "not in this run"]
    assert [each["state"] for each in done.objects[1]["waivers"]] == states
    assert done.objects[1]["verdict"] == "UNUSED_WAIVER"
    (failure,) = ElementTree.parse(junit).getroot().iter("failure")
    assert failure.get("type") == "UNUSED_WAIVER"
    assert "it masks no difference; remove it" in failure.get("message")
    assert run(file, "--unused-waivers", "note").objects[1]["verdict"] == "PASS"


@pytest.fixture
def no_build(monkeypatch):
    def build(*_, **__):
        raise AssertionError("built")

    for name in ("build.meson_build", "verilate.harness_program"):
        monkeypatch.setattr(f"wlk.run.{name}", build)


@pytest.mark.parametrize(
    ("keys", "status", "part"),
    [
        ({"until": "2020-01-01"}, Status.EXPIRED_WAIVER, "expired on 2020-01-01 (owner ada; rea"),
        ({"port": "io_writeReq_redy"}, Status.USAGE, "did you mean io_writeReq_ready?"),
        ({"when": "io_writeReq_vald"}, Status.USAGE, "did you mean io_writeReq_valid?"),
        ({"bits": "4"}, Status.USAGE, "has the bits 0:0"),
    ],
)
def test_file_that_is_wrong_ends_the_command_before_a_build(
    keys, status, part, rtl, no_build, tmp_path
):
    file = waivers(tmp_path, one(**({"port": READY} | keys)))
    for words in (["--rtl", rtl], []):
        done = programs.warplock("lockstep", "collector", *words, "--waive", file, code=status)
        programs.refused(done, status, f"{file}:1: waiver 1", part)


def test_proof_refuses_waivers(rtl, tmp_path):
    words = ("prove", "collector", "--rtl", rtl, "--waive", tmp_path / "w.toml")
    done = programs.warplock(*words, code=Status.USAGE)
    programs.refused(done, Status.USAGE, "--waive", "run `lockstep --waive`")


def test_record_file_is_played_with_waivers(tmp_path):
    table = rut.TABLE
    config = table.config(rut.SMALL)
    made, wrong = tmp_path / "a.wlv", tmp_path / "b.wlv"
    words = programs.config_options(rut.SMALL)
    programs.warplock("vectors", "gen", "collector", made, "--cycles", 300, *words)
    rows = list(vectors.records(vectors.read_header(made), table, config))
    for row in rows[100:]:
        flipped = row["in"]["io_readReq_valid"] == "1"
        row["out"][READY] = "0" if flipped else row["out"][READY]
    (tmp_path / "a.csv").write_text(programs.as_csv(rows, table.ports(config)))
    source = ("--csv", tmp_path / "a.csv", wrong, "--block", "collector")
    programs.warplock("vectors", "import", *source, *words, code=None)
    file = waivers(tmp_path, one(READY, when="io_readReq_valid"))
    play = ("vectors", "play", wrong, "--json")
    assert programs.warplock(*play, code=rut.FAILS).json["first"]["port"] == READY
    result, whole = programs.warplock(*play, "--waive", file).objects
    hits = sum(row["in"]["io_readReq_valid"] == "1" for row in rows[100:])
    assert result["waived"][0]["cycles"] == hits > 50
    assert whole["waivers"][0]["state"] == "hit"
    programs.warplock(*("vectors", "play", made, "--waive", file), code=Status.UNUSED_WAIVER)
