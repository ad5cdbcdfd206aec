# SPDX-License-Identifier: Apache-2.0
"""Models that are compiled for the configuration of a harness: they are what compares there, they
answer as the library's models do, and another configuration has those."""

import json
import shutil

import programs
import pytest
import rtl_under_test as rut
from wlk import tables
from wlk.base.errors import Status
from wlk.gen import specialised
from wlk.run import verilate

pytestmark = pytest.mark.slow
BLOCKS = [name for name in tables.shipped() if specialised.is_possible(tables.load(name))]
TIMES = {"seconds", "cycles_per_second"}


def lockstep(block, *words, code=0):
    place = programs.ROOT / "build" / "test" / "reports"
    given = ("--config", tables.load(block).small, "--seeds", "1..3", "--reports", place, *words)
    return programs.warplock("lockstep", block, "--json", *given, code=code)


def changed(monkeypatch, tmp_path, new):
    """The Compactor with a fault in `valid`, which only the specialised model has."""
    old = "SHOW(out[j].valid, i != NONE &&"
    text = (tables.shipped()["compactor"] / "model.c").read_text()
    assert text.count(old) == 1
    model = tmp_path / "model.c"
    model.write_text(text.replace(old, f"SHOW(out[j].valid, i != NONE && {new}"))
    write = specialised.sources

    def sources(table, config, name):
        files = write(table, config, name)
        source = f"{name}{specialised.SUFFIX}"
        return files | {source: files[source].replace("boom/compactor/model.c", str(model))}

    monkeypatch.setattr(specialised, "sources", sources)


@pytest.fixture(scope="module")
def faulty():
    """RTL with the fault SAME."""
    table = tables.load("compactor")
    edit = {"compact.sv": ("valid_o[j] = 1'b1;", "valid_o[j] = ready_i[j] || valid_i != '1;")}
    return rut.stub(
        "special", table.config(table.configs[table.small]), edit=edit, block=table.name
    )


# In the first cycle, which the library's model judges, not all inputs are valid.
SAME = "(in->out[j].ready || !in->in[0].valid || !in->in[1].valid || !in->in[2].valid) &&"


def test_which_blocks_have_such_models():
    named = "collector compactor dispatch_basic dispatch_compacting hazard issue"
    named += " reservation_station scoreboard vortex_opc_unit vortex_operands vortex_scoreboard"
    assert named.split() == BLOCKS


@pytest.mark.parametrize("way", [[], ["--via", "dpi"]])
@pytest.mark.parametrize("block", BLOCKS)
def test_answer_is_that_of_the_library(block, way, monkeypatch):
    special = lockstep(block, *way).json
    monkeypatch.setattr(specialised, "is_possible", lambda _: False)
    general = lockstep(block, *way).json
    for key in TIMES:
        special.pop(key, None)
        general.pop(key, None)
    assert json.dumps(special, sort_keys=True) == json.dumps(general, sort_keys=True)
    assert special["verdict"] == "PASS"


@pytest.mark.parametrize("way", [[], ["--via", "dpi"]])
def test_it_is_what_compares(way, monkeypatch, tmp_path, faulty):
    """With the RTL's fault it finds none."""
    answer = lockstep("compactor", "--rtl", faulty, *way, code=None).json
    assert answer["verdict"] == "FUNCTIONAL_MISMATCH"
    assert answer["first"]["port"].startswith("io_out_")
    changed(monkeypatch, tmp_path, SAME)
    assert lockstep("compactor", "--rtl", faulty, *way, code=None).json.get("first") is None


def test_another_configuration_has_the_library(monkeypatch, tmp_path, faulty):
    """A harness of numbers that it is not run with."""
    changed(monkeypatch, tmp_path, SAME)
    write = specialised.sources
    other = lambda table, config, name: write(table, config | {"n": 8, "k": 8}, name)  # noqa: E731
    monkeypatch.setattr(specialised, "sources", other)
    answer = lockstep("compactor", "--rtl", faulty, code=None).json
    assert answer["verdict"] == "FUNCTIONAL_MISMATCH"


@pytest.mark.skipif(not shutil.which("clang"), reason="no clang")
def test_clang_compiles_it(monkeypatch, tmp_path, faulty):
    monkeypatch.setenv("CC", "clang")
    assert lockstep("compactor").json["verdict"] == "PASS"
    changed(monkeypatch, tmp_path, SAME)
    assert lockstep("compactor", "--rtl", faulty, code=None).json.get("first") is None


def test_model_that_does_not_compile_is_named(monkeypatch, tmp_path):
    changed(monkeypatch, tmp_path, "nothing &&")
    done = lockstep("compactor", code=Status.BUILD_FAIL)
    assert "the model does not compile" in done.out + done.err


def test_change_of_a_header_makes_another_harness(monkeypatch, tmp_path):
    """What a model is compiled from is in the name of its harness."""
    header, made = tmp_path / "compact.h", []
    harness = verilate.harness_program

    def noted(*given, **more):
        made.append(harness(*given, **more).parent.name)
        return verilate.folder() / made[-1] / "harness"

    monkeypatch.setattr(specialised, "read", lambda _: [header])
    monkeypatch.setattr(verilate, "harness_program", noted)
    for text in ("", "// more"):
        header.write_text(text)
        lockstep("compactor")
    assert len(made) == len({*made}) == 2
