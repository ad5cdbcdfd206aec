# SPDX-License-Identifier: Apache-2.0
"""A dump without its reset: what is compared of it, and that no cut of a clean run is reported.

Runs of the models and recordings of the real designs, each cut at random cycles. WLK_PROP_SEED
changes the configurations, the stimulus and the cuts.
"""

import csv
import json
import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import naive
import programs
import pytest
from adapter import Row
from naive_ports import Port
from programs import FULL
from test_collector_x_recordings import translated
from test_issue_x_recordings import parameters
from wlk import tables
from wlk.base.errors import Status
from wlk.run import build, vectors
from wlk.tables import Config, Table

SEED = int(os.environ.get("WLK_PROP_SEED", "20240229"))
CYCLES = 1500
CUTS = 10
AFTER_RESET = 2700  # the recordings are reset once more a little after the middle
SETTLE = 200  # cycles behind a cut that do not count, as in late_run.c
SHARE = 0.9  # of what the whole run compares, where it drains
FAULTS = 20  # behind each of two cuts
FOUND = 0.85  # of the faults that the whole run reports
BLOCKS = tables.names()
PACKETS = {"num_warps": 8, "num_threads": 8, "simd_width": 2, "num_gpr_banks": 2, "num_opcs": 2}
# Of those that are not Muon's: block and parameters.
OTHERS = {
    "vortex/sb_A": ("vortex_scoreboard", {"perf_enable": 1}),
    "vortex/sb_C": ("vortex_scoreboard", {"num_warps": 8, "num_threads": 8, "perf_enable": 1}),
    "vortex/opc_A": ("vortex_opc_unit", {"perf_enable": 1}),
    "vortex/opc_C": ("vortex_opc_unit", PACKETS | {"perf_enable": 1}),
    "vortex/operands_C": ("vortex_operands", PACKETS | {"perf_enable": 1}),
}
RECORDINGS = {f"muon/{r.name}": (r.block, r.params) for r in programs.recordings()} | OTHERS
# Of those without a recording of their ports: the profile of the stimulus that drains them.
DRAINING = {"opndcoll": "sparse"}
USUAL = (
    "muon/scoreboard_B",
    "muon/hazard_C",
    "muon/collector_B",
    "muon/collector_C",
    "muon/reservation_station_B",
    "muon/issue_E",
    "vortex/sb_A",
    "vortex/opc_A",
)


@pytest.fixture
def built(monkeypatch) -> None:
    place = programs.folder()
    monkeypatch.setattr(build, "meson_build", lambda **_: place)


def late_run(file: Path, table: Table, config: Config, cuts: Sequence[int], *words: str) -> list:
    """An answer for each cut; `words`: what stands before the cuts."""
    at = ",".join(map(str, cuts))
    every = (table.name, file, *words, at, *table.words(config))
    done = programs.run("tests/prop/late_run", *every)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def draw_cuts(rng: random.Random, cycles: int, n: int = CUTS) -> list[int]:
    return sorted(rng.sample(range(10, cycles - 2 * SETTLE), n))


def require_clean(answers: Sequence[dict]) -> None:
    """No cut of a run that passes is reported."""
    for answer in answers:
        assert answer["whole"] in ("PASS", "VACUOUS")
        assert answer["late"] in ("PASS", "VACUOUS"), answer


def require_found(answers: Sequence[dict]) -> None:
    """Nearly all faults that the whole run reports."""
    whole, late = (sum(a[key] for a in answers) for key in ("whole", "late"))
    assert whole >= FAULTS
    assert late >= FOUND * whole


def configs(table: Table, rng: random.Random) -> Iterator[Config]:
    """The default, and some of the named ones."""
    yield table.defaults()
    named = sorted(table.configs)
    for name in named if FULL else rng.sample(named, 2):
        yield table.config(table.configs[name])


def generated(out: Path, table: Table, config: Config, seed: int, profile: str = "mix") -> Path:
    words = (seed, profile, CYCLES, "zero", *table.words(config))
    done = programs.run("dpi/wlk-vec", "gen", table.name, out, *words)
    assert done.returncode == 0, done.stderr
    return out


def recorded(out: Path, name: str) -> tuple[Table, Config]:
    block, params = RECORDINGS[name]
    table = tables.load(block)
    pinned = {key: str(value) for key, value in table.show(table.config(params)).items()}
    vectors.Import(programs.recording(f"{name}.csv.xz"), out, block, config=pinned).make()
    return table, table.config(params)


@pytest.mark.parametrize("block", BLOCKS)
def test_late_starts_of_a_model_are_clean(block, tmp_path):
    table, rng = tables.load(block), random.Random(f"{SEED} {block}")
    known = 0
    for n, config in enumerate(configs(table, rng)):
        file = generated(tmp_path / f"{n}.wlv", table, config, rng.randrange(1, 2**32))
        answers = late_run(file, table, config, draw_cuts(rng, CYCLES))
        require_clean(answers)
        known += sum("known_from" in a for a in answers)
        drop = f"drop={rng.randrange(1, 2**32)}"
        require_clean(late_run(file, table, config, draw_cuts(rng, CYCLES), drop))
    assert known > 0


def shares(answers: Sequence[dict]) -> list[float]:
    """Where it drains: what is compared of what the whole run compares."""
    return [a["late_bits"] / a["whole_bits"] for a in answers if a["drained"]]


@pytest.mark.parametrize("block", DRAINING)
def test_late_starts_of_a_model_that_drains_compare_most(block, tmp_path):
    table, rng = tables.load(block), random.Random(f"{SEED} {block} drains")
    for n, config in enumerate(configs(table, rng)):
        for profile in (DRAINING[block], "mix"):
            file = tmp_path / f"{n}_{profile}.wlv"
            generated(file, table, config, rng.randrange(1, 2**32), profile)
            answers = late_run(file, table, config, draw_cuts(rng, CYCLES))
            require_clean(answers)
            if profile == "mix":  # a short drain may not show where takes name slots
                named = any("_by_slot" in port.name for port in table.ports(config))
                assert named or all(share >= SHARE for share in shares(answers)), answers
                continue
            assert all(share >= SHARE for share in shares(answers)), answers
            assert len(shares(answers)) >= CUTS // 2
            answers = late_run(file, table, config, draw_cuts(rng, CYCLES, 2), f"faults={FAULTS}")
            whole, late = (sum(a[key] for a in answers) for key in ("whole", "late"))
            assert whole >= FAULTS
            assert late >= FOUND * whole


@pytest.mark.parametrize("name", RECORDINGS if FULL else USUAL)
def test_late_starts_of_a_recording_are_clean(built, name, tmp_path):
    table, config = recorded(tmp_path / "a.wlv", name)
    cuts = draw_cuts(random.Random(f"{SEED} {name}"), 3000)
    answers = late_run(tmp_path / "a.wlv", table, config, cuts)
    require_clean(answers)
    assert all(share >= SHARE for share in shares(answers)), answers


ORGANISATIONS = ("copies_must", "must", "inst_ports", "cache_egress")


@pytest.mark.parametrize("name", ORGANISATIONS)
def test_late_starts_of_collector_x_are_nearly_whole(name, tmp_path):
    """Each organisation is learned piece by piece, and what is known is compared."""
    table, rng = tables.load("collector_x"), random.Random(f"{SEED} {name}")
    config = table.config(table.configs[name])
    file = generated(tmp_path / "a.wlv", table, config, rng.randrange(1, 2**32))
    cuts = draw_cuts(rng, CYCLES)
    answers = late_run(file, table, config, cuts)
    require_clean(answers)
    assert all(a["late_bits"] >= SHARE * a["whole_bits"] for a in answers), answers
    require_found(late_run(file, table, config, cuts[:2], f"faults={FAULTS}"))


def as_document_has_it(one: programs.Recording) -> tuple[Config, list[Port], list[Row]]:
    """A recording of the collector as one of `collector_x`, without the ports that it lacks."""
    played = translated(one)
    rows = [a | b for a, b in zip(played.inputs, played.outputs, strict=True)]
    names = set.intersection(*map(set, rows))
    ports = [p for p in naive.model("collector_x", played.params).ports if p.name in names]
    return played.params, ports, rows


def write_csv(path: Path, ports: Sequence[Port], rows: Sequence[Row]) -> Path:
    with path.open("w", newline="", encoding="ascii") as text:
        lines = csv.writer(text)
        lines.writerow(["cycle", *(p.name for p in ports)])
        lines.writerow(["#dir", *(f"{p.direction}{p.width}" for p in ports)])
        lines.writerows([n, *(f"{row[p.name]:x}" for p in ports)] for n, row in enumerate(rows))
    return path


def write_vcd(path: Path, ports: Sequence[Port], rows: Sequence[Row]) -> Path:
    """Two time units a cycle."""
    lines = ["$timescale 1ns $end", "$scope module dut $end", "$var wire 1 c clock $end"]
    lines += [f"$var wire {p.width} v{n} {p.name} $end" for n, p in enumerate(ports)]
    lines += ["$upscope $end", "$enddefinitions $end"]
    for cycle, row in enumerate(rows):
        lines += [f"#{2 * cycle}", "0c", *(f"b{row[p.name]:b} v{n}" for n, p in enumerate(ports))]
        lines += [f"#{2 * cycle + 1}", "1c"]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


COLLECTORS = programs.recordings("collector")


@pytest.mark.parametrize("one", COLLECTORS if FULL else COLLECTORS[1:2], ids=lambda one: one.name)
def test_late_starts_of_a_recorded_collector_as_the_document_has_it(built, one, tmp_path):
    params, ports, rows = as_document_has_it(one)
    table, file = tables.load("collector_x"), tmp_path / "a.wlv"
    pinned = {key: str(value) for key, value in params.items()}
    recording = write_csv(tmp_path / "a.csv", ports, rows)
    vectors.Import(recording, file, table.name, config=pinned).make()
    cuts = draw_cuts(random.Random(f"{SEED} {one.name}"), 3000)
    answers = late_run(file, table, table.config(params), cuts)
    require_clean(answers)
    assert all(a["late_bits"] >= SHARE * a["whole_bits"] for a in answers), answers
    require_found(late_run(file, table, table.config(params), cuts[:2], f"faults={FAULTS}"))


def test_late_dump_of_a_collector_as_the_document_has_it(built, tmp_path):
    params, ports, rows = as_document_has_it(COLLECTORS[1])
    pinned = [word for key, value in params.items() for word in ("--config", f"{key}={value}")]
    dump = write_vcd(tmp_path / "late.vcd", ports, rows[AFTER_RESET:])
    words = ("check", "--json", dump, "--block", "collector_x", *pinned)
    programs.warplock(*words, code=Status.NO_RESET)
    answer = programs.warplock(*words, "--from-unknown").json
    known = answer["from_unknown"]
    assert answer["verdict"] == "PASS"
    assert known["known_from"] < SETTLE
    assert known["share"] > SHARE


@pytest.mark.parametrize("name", RECORDINGS if FULL else ("muon/issue_E", "muon/collector_B"))
def test_late_start_reports_faults(built, name, tmp_path):
    table, config = recorded(tmp_path / "a.wlv", name)
    cuts = draw_cuts(random.Random(f"{SEED} {name}"), 3000, 2)
    require_found(late_run(tmp_path / "a.wlv", table, config, cuts, f"faults={FAULTS}"))


STAGES = programs.recordings("issue")


@pytest.mark.parametrize("one", STAGES if FULL else STAGES[-1:], ids=lambda one: one.name)
def test_late_starts_of_a_recorded_stage_as_the_document_has_it(built, one, tmp_path):
    table, file = tables.load("issue_x"), tmp_path / "a.wlv"
    config = table.config(parameters(one))
    pinned = {key: str(value) for key, value in table.show(config).items()}
    recording = programs.recording(f"muon/{one.name}.csv.xz")
    vectors.Import(recording, file, table.name, config=pinned).make()
    answers = late_run(file, table, config, draw_cuts(random.Random(f"{SEED} {one.name}"), 3000))
    require_clean(answers)
    shares = [a["late_bits"] / a["whole_bits"] for a in answers if a["drained"]]
    assert all(share >= SHARE for share in shares), answers


@pytest.mark.parametrize("name", ("default", "src_option2_1", "caching_egress", "window_stall"))
def test_late_start_of_issue_x_reports_faults(name, tmp_path):
    """Where little work comes, so that the stage is empty soon."""
    table, rng = tables.load("issue_x"), random.Random(f"{SEED} {name}")
    config = table.config(table.configs[name])
    file, seed = tmp_path / "a.wlv", rng.randrange(1, 2**32)
    words = (seed, "sparse", CYCLES, "zero", *table.words(config))
    done = programs.run("dpi/wlk-vec", "gen", table.name, file, *words)
    assert done.returncode == 0, done.stderr
    require_found(late_run(file, table, config, draw_cuts(rng, CYCLES, 2), f"faults={FAULTS}"))
