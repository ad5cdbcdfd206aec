# SPDX-License-Identifier: Apache-2.0
"""Models, checkers and record files from Python, against what the command makes."""

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time

import numpy as np
import programs
import pytest
import warplock
from warplock import Checker, Error, Model, Record, read_vectors, write_vectors
from wlk import tables

ROOT = programs.ROOT
GOLDEN = sorted((ROOT / "vectors/golden").glob("*_default.wlv"))
SMALL = {"num_lanes": 2, "num_pregs": 16}


@pytest.fixture
def model():
    with Model("collector", **SMALL) as made:
        yield made


def raises(kind, *parts):
    return pytest.raises(kind, match="(?s)" + ".*".join(map(re.escape, parts)))


# ---- against record files -----------------------------------------------------------------------


def test_every_block_is_there():
    own = set(tables.own())
    assert sorted(warplock.blocks()) == sorted(set(tables.names()) - own)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_model_gives_the_golden_records(path):
    file = read_vectors(path)
    with file.model() as model:
        out, care = model.run(file.inputs)
    assert len(file) > 100 and file.care.any()
    assert np.array_equal(care, file.care)
    assert np.array_equal(out & care, file.outputs & file.care)


def test_there_are_golden_records_of_most_blocks():
    assert len(GOLDEN) >= 9


@pytest.mark.parametrize("block", ["collector", "opndcoll", "vortex_scoreboard", "compactor"])
def test_stimulus_is_that_of_the_command(tmp_path, block):
    path = tmp_path / "v.wlv"
    programs.warplock("vectors", "gen", block, path, "--seed", "5", "--cycles", "300")
    file = read_vectors(path)
    with file.model() as model:
        model.tick(model.stimulus(1, 2)[1])  # its state has no part in it
        assert np.array_equal(model.stimulus(seed=5, cycles=300), file.inputs)


@pytest.mark.parametrize("block", ["collector", "issue", "opndcoll", "compactor"])
def test_step_is_eval_and_tick_and_run_is_many_steps(block):
    one, two, three = (Model(block) for _ in range(3))
    inputs = one.stimulus(seed=3, cycles=200)
    broken = np.zeros(len(inputs), np.uint32)
    out, care = three.run(inputs, broken)
    assert care.any()
    for cycle, words in enumerate(inputs):
        here, sure, rules = one.step(words)
        shown, known = two.eval(words)
        assert here == shown and sure == known
        assert rules == two.tick(words) == three.rule_names(int(broken[cycle]))
        assert np.array_equal(here.words, out[cycle]) and np.array_equal(sure.words, care[cycle])


def test_eval_knows_what_all_possible_states_agree_on():
    """After power-up the hazard unit's arbiter may grant any; seeds of which some show it."""
    forks = 0
    for seed in range(1, 9):
        with Model("hazard") as model:
            for words in model.stimulus(seed, cycles=40):
                before = model.candidates
                out, care = model.eval(words)
                assert model.candidates == before
                here, sure, _ = model.step(words)
                assert out == here and care == sure
                forks += model.candidates > 1
    assert forks > 20


def test_broken_rules_are_named(model):
    rule, doc = next(iter(model.rules.items()))
    assert doc
    model.tick(reset=1)
    names = model.tick(readData_req_valid=1, readData_req_bits_regs_0_enable=1)
    assert names and set(names) <= model.rules.keys()
    broken = np.zeros(2, np.uint32)
    words = model.inputs.pack(reset=[1, 0], readData_req_valid=[0, 1],
                              readData_req_bits_regs_0_enable=[0, 1])  # fmt: skip
    with Model("collector", **SMALL) as other:
        other.run(words, broken)
    assert broken[0] == 0 and model.rule_names(int(broken[1])) == names, rule


# ---- state --------------------------------------------------------------------------------------


def test_snapshot_goes_back_and_into_a_twin(model):
    inputs = model.stimulus(seed=4, cycles=300)
    model.run(inputs[:100])
    taken = model.snapshot()
    out, care = model.run(inputs[100:])
    model.restore(taken)
    again = model.run(inputs[100:])
    assert np.array_equal(out, again[0]) and np.array_equal(care, again[1])
    with Model("collector", **SMALL) as twin:
        twin.restore(taken)
        assert np.array_equal(twin.run(inputs[100:])[0], out)
    with Model("collector", num_lanes=4) as other, raises(Error, "BAD_PARAMS", "configuration"):
        other.restore(taken)
    with raises(TypeError, "snapshot()"):
        model.restore(b"")


def test_state_has_names_values_and_what_is_unknown(model):
    assert model.state["nextAllocId"].value is None
    model.tick(reset=1)
    write = {"bits_regs_0_enable": 1, "bits_regs_0_pReg": 3, "bits_regs_0_tmask": 1}
    write |= {"valid": 1, "bits_regs_0_data_0": 77}
    model.tick({f"writeReq_{name}": value for name, value in write.items()})
    model.tick()
    state = model.state
    assert state["alloc_valid"].value == 0
    assert state["rf[0][3]"] == state["rf[2][3]"] == (77, 1)
    assert state["rf[0][4]"].value is None
    model.reset()
    assert model.state["rf[0][3]"].value is None


def test_power_up_zero_knows_everything():
    with Model("collector", power_up="zero", **SMALL) as model:
        _, care = model.eval()
        assert np.array_equal(care.words, model.outputs.mask)
        assert all(each.value == 0 for each in model.state.values())


# ---- records ------------------------------------------------------------------------------------


def test_records_are_words_dictionaries_and_fields(model):
    inputs = model.stimulus(seed=9, cycles=50)
    named = model.inputs.unpack(inputs)
    assert list(named) == list(model.inputs) and named["io_readReq_valid"].dtype == np.uint8
    assert np.array_equal(model.inputs.pack(named), inputs)
    fields = model.inputs.fields(inputs)
    assert fields.dtype == model.inputs.dtype and np.array_equal(model.pack(fields), inputs)
    out, _ = model.run(fields)
    model.reset()
    for row, words, expected in zip(fields, inputs, out, strict=True):
        assert (
            model.eval(row)[0] == model.eval(words)[0] == model.eval(model.inputs.unpack(words))[0]
        )
        assert np.array_equal(np.asarray(model.step(Record(model.inputs, words))[0]), expected)
        assert model.unpack(expected) == Record(model.outputs, expected).unpack()


def test_record_is_a_view(model):
    words = model.inputs.pack(reset=[0, 0, 0])
    view = Record(model.inputs, words)
    view["readReq_bits_regs_1_pReg"] = [1, 2, 15]
    view["io_writeReq_bits_regs_0_data_1"] = 0xFFFF_FFFF
    assert list(model.inputs.get(words, "io_readReq_bits_regs_1_pReg")) == [1, 2, 15]
    port = model.inputs["io_writeReq_bits_regs_0_data_1"]
    assert port.width == 32 and port.direction == "in" and port.doc
    assert list(words[:, port.word] >> np.uint64(port.lsb)) == [0xFFFF_FFFF] * 3
    view["readReq_bits_regs_1_pReg"] = 0
    assert not view["io_readReq_bits_regs_1_pReg"].any()


def test_ports_are_those_of_the_table(model):
    table = tables.load("collector")
    for port in table.ports(table.config(SMALL)):
        side = model.inputs if port.direction == "in" else model.outputs
        mine = side[port.name]
        assert (mine.width, mine.word, mine.lsb) == (port.width, port.word, port.lsb)
    assert len(model.inputs) + len(model.outputs) == len(table.ports(table.config(SMALL)))


# ---- record files -------------------------------------------------------------------------------


def test_written_file_plays(tmp_path, model):
    inputs = model.stimulus(seed=6, cycles=500)
    model.tick(reset=1)
    write_vectors(tmp_path / "own.wlv", model, inputs)
    done = programs.warplock("vectors", "play", tmp_path / "own.wlv", "--json")
    assert (done.json["verdict"], done.json["cycles"]) == ("PASS", 500)
    file = read_vectors(tmp_path / "own.wlv", start=100, cycles=50)
    assert len(file) == 50 and np.array_equal(file.inputs, inputs[100:150])
    with raises(Error, "USAGE", "own.wlv", "with replace=True"):
        write_vectors(tmp_path / "own.wlv", model, inputs)
    bad = file.outputs.copy()
    model.outputs.set(bad[40], "readReq_ready", 1 - model.outputs.get(bad[40], "readReq_ready"))
    path = tmp_path / "bad.wlv"
    write_vectors(path, model, inputs[:50], bad, replace=True)
    done = programs.warplock("vectors", "play", path, "--json", code=None)
    assert done.json["verdict"] != "PASS"


def test_what_is_no_file_is_refused(tmp_path, model):
    with raises(Error, "NO_FILE", "none.wlv"):
        read_vectors(tmp_path / "none.wlv")
    (tmp_path / "cut.wlv").write_bytes(GOLDEN[0].read_bytes()[:-9])
    with raises(Error, "TRUNCATED", "cut.wlv"):
        read_vectors(tmp_path / "cut.wlv")
    with raises(ValueError, "cycles 0..600"):
        read_vectors(ROOT / "vectors/golden/collector_default.wlv", start=601)
    with raises(ValueError, "of one length"):
        write_vectors(tmp_path / "v.wlv", model, model.stimulus(1, 3), model.out_array(2))
    assert not (tmp_path / "v.wlv").exists()


# ---- checkers -----------------------------------------------------------------------------------


def test_checker_passes_and_counts(model):
    inputs = model.stimulus(seed=8, cycles=1000)
    out, _ = model.run(inputs)
    with Checker("collector", scope="tb.u", **SMALL) as checker:
        assert checker.run(inputs, out) and not checker.done
        result = checker.result()
        assert result.passed and result.cycles == 1000 and result.first is None
        assert result.skipped + result.compared_bits // result.masked_bits > 0
        assert checker.report().startswith("collector tb.u: PASS, 1000 cycles")


def test_checker_finds_a_fault_and_an_x(model):
    inputs = model.stimulus(seed=8, cycles=200)
    out, care = model.run(inputs)
    port = model.outputs["readReq_ready"]
    x = model.out_array()
    model.outputs.set(x, port.name, 1)
    for how in ("flip", "x"):
        with Checker("collector", **SMALL) as checker:
            for cycle in range(200):
                shown = out[cycle].copy()
                if cycle == 50 and how == "flip":
                    model.outputs.set(shown, port.name, 1 - model.outputs.get(shown, port.name))
                unknown = x if cycle == 50 and how == "x" else None
                good = checker.step(inputs[cycle], shown, outputs_x=unknown)
                assert good == (cycle != 50)
            result = checker.result()
            assert result.first["port"] == port.name and result.first["cycle"] == 50
            assert port.name in checker.report() and "in cycle 50" in checker.report()
    assert model.outputs.get(care[50], port.name) == 1


def test_checker_says_when_nothing_was_compared(model):
    with Checker("collector", **SMALL) as checker:
        assert checker.result().verdict == "VACUOUS"
        checker.step(model.pack(), model.out_array())
        assert checker.result().verdict == "NO_RESET"


def test_checker_leaves_out_what_is_not_there(model):
    inputs = model.stimulus(seed=8, cycles=200)
    out, _ = model.run(inputs)
    compare = model.outputs.mask.copy()
    model.outputs.set(compare, "readReq_ready", 0)
    model.outputs.set(out, "readReq_ready", 0)
    with Checker("collector", compare=compare, **SMALL) as checker:
        assert checker.run(inputs, out) and checker.result().passed
    with Checker("collector", **SMALL) as checker:
        assert not checker.run(inputs, out)


# ---- what is refused ----------------------------------------------------------------------------


def test_unknown_blocks_and_parameters_are_refused():
    with raises(Error, "USAGE", "no block 'colector'", "collector, "):
        Model("colector")
    with raises(Error, "BAD_CONFIG", "num_lanes=0", "1..64") as caught:
        Model("collector", num_lanes=0)
    assert (caught.value.status, caught.value.code) == ("BAD_CONFIG", 23)
    with raises(Error, "BAD_CONFIG", "no parameter 'lanes'", "num_lanes"):
        Model("collector", lanes=3)
    with raises(Error, "BAD_CONFIG", "bank_select", "upper"):
        Model("collector", bank_select="middle")
    with raises(TypeError, "num_lanes"):
        Model("collector", num_lanes=2.0)
    with raises(Error, "USAGE", "power_up"):
        Model("collector", power_up="reset")
    with raises(TypeError, "block"):
        Model(7)


def test_parameters_are_numbers_names_and_lists():
    with Model("collector", bank_select="modulo", num_lanes=np.uint32(8)) as model:
        assert model.config["bank_select"] == "modulo" and model.config["num_lanes"] == 8
        assert list(model.config) == list(tables.load("collector").params)
    table = tables.load("dispatch_basic")
    words = table.lists["queues"].show(table.defaults())
    with Model("dispatch_basic", queues=words, encoding="v3") as model:
        given = {"queues": words, "encoding": "v3"}
        assert model.config == table.plain(table.config(given))
    with raises(Error, "BAD_CONFIG", "queues"):
        Model("dispatch_basic", queues="many")


def test_wrong_dtypes_and_shapes_are_refused(model):
    words = model.pack()
    n = len(words)
    with raises(TypeError, "uint64", "int64"):
        model.eval(words.astype(np.int64))
    with raises(TypeError, "uint64", "list"):
        model.inputs.unpack(list(words))
    with raises(ValueError, f"({n},)", f"({n + 1},)"):
        model.eval(np.zeros(n + 1, np.uint64))
    with raises(ValueError, f"(cycles, {n})", f"({n},)"):
        model.run(words)
    with raises(ValueError, f"({n},)", f"(2, {n})"):
        model.step(np.zeros((2, n), np.uint64))
    with raises(ValueError, "one cycle"):
        model.step(reset=[1, 0])
    with raises(ValueError, "one value a cycle"):
        model.run({"reset": 1})
    with raises(ValueError, "of one length"):
        model.run({"reset": [1, 0], "readReq_valid": [1, 0, 1]})
    with raises(TypeError, "uint32"):
        model.run(np.zeros((2, n), np.uint64), np.zeros(2, np.int32))
    with raises(ValueError, "(2,)"):
        model.run(np.zeros((2, n), np.uint64), np.zeros(3, np.uint32))
    odd = words.copy()
    odd[0] = 1 << 63
    with raises(ValueError, "bits that are none of a port"):
        model.eval(odd)


def test_wrong_values_and_names_are_refused(model):
    with raises(ValueError, "io_readReq_valid", "1 bits", "not 2"):
        model.eval(readReq_valid=2)
    with raises(ValueError, "not -1"):
        model.eval(readReq_valid=-1)
    with raises(ValueError, "32 bits"):
        model.eval(writeReq_bits_regs_0_data_0=1 << 70)
    with raises(TypeError, "whole numbers"):
        model.eval(readReq_valid=1.0)
    with raises(TypeError, "whole numbers"):
        model.eval(readReq_valid="1")
    with raises(KeyError, "readReq_vald", "io_readReq_valid"):
        model.eval(readReq_vald=1)
    with raises(ValueError, "given twice"):
        model.eval({"readReq_valid": 1, "io_readReq_valid": 1})
    with raises(Error, "USAGE", "no profile 'dull'; it has mix, "):
        model.stimulus(profile="dull")


def test_closed_handles_are_refused():
    model, checker = Model("collector"), Checker("collector")
    words = model.pack()
    checker.close()
    with model:
        pass
    model.close()
    assert model.closed and checker.closed
    for call in (model.eval, model.tick, model.step, model.snapshot, model.reset, model.stimulus,
                 lambda: model.run(words[None]), lambda: model.state, lambda: model.candidates,
                 checker.result, checker.report, lambda: checker.step(words, model.out_array()),
                 lambda: checker.done):  # fmt: skip
        with raises(Error, "USAGE", "after close()"):
            call()


def test_a_second_thread_is_refused_and_models_of_their_own_are_not():
    model, other = Model("collector"), Model("collector")
    many = np.tile(model.stimulus(seed=1, cycles=3000), (40, 1))
    refused = threading.Event()

    def work():
        while not refused.is_set():
            with contextlib.suppress(Error):  # the other thread may be the first one
                model.run(many)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    limit = time.monotonic() + 60
    while not refused.is_set() and time.monotonic() < limit:
        try:
            model.snapshot()
        except Error as error:
            assert "another thread" in str(error) and error.status == "USAGE"
            refused.set()
        other.step()
    assert refused.is_set()
    thread.join()
    model.step()


def test_close_waits_for_nobody_but_refuses():
    model = Model("collector")
    with model._call("run"), raises(Error, "close() while another call"):
        model.close()
    model.close()


def test_a_library_of_another_version_is_refused(tmp_path, library):
    mark = f"{warplock.__version__}".encode()
    other = b"9" + mark[1:]
    (tmp_path / "lib.so").write_bytes(library.read_bytes().replace(mark + b"\0", other + b"\0"))
    for path, status in ((tmp_path / "lib.so", "BAD_VERSION"), (tmp_path / "none.so", "NO_FILE")):
        text = "import warplock\ntry: warplock.blocks()\nexcept warplock.Error as e: print(e)"
        process = programs.python(
            "-c", text, env={"WARPLOCK_LIBRARY": path, "PYTHONPATH": ROOT / "scripts/python"}
        )
        out, err = process.communicate(timeout=60)
        assert out.startswith(f"{status}: {path}"), out + err


# ---- blocks of one's own, the package -----------------------------------------------------------


def test_block_of_a_user_by_folder_and_by_library(tmp_path):
    """In processes of their own: what is loaded stays."""
    text = """
import sys, warplock
from warplock.wlk.run import own_blocks
model = warplock.Model("fifo", blocks=sys.argv[1], depth=2)
inputs = model.stimulus(seed=1, cycles=500)
out, care = model.run(inputs)
checker = warplock.Checker("fifo", depth=2)
print(model, checker.run(inputs, out), checker.result().verdict)
checker = warplock.Checker("fifo", depth=2)  # an X of an output is none of an input
for cycle in range(len(inputs)):
    checker.step(inputs[cycle], out[cycle], inputs_x=inputs[0] * 0,
                 outputs_x=(cycle < 400) * (model.outputs.mask & ~care[cycle]))
print(checker.result().passed, checker.result().compared_bits > 2000)
if not sys.argv[1].endswith(".so"):
    print(own_blocks.library("fifo"))
"""
    environment = {"PYTHONPATH": ROOT / "scripts/python"}
    lines = []
    for place in (ROOT / "docs/examples", None):
        process = programs.python("-c", text, place or lines[-1], env=environment)
        out, err = process.communicate(timeout=300)
        lines = out.splitlines()
        assert lines[:2] == ["Model('fifo', width=8, depth=2) True PASS", "True True"], out + err


def test_command_needs_no_package():
    """What a wheel's command imports of the package: neither NumPy nor cffi."""
    text = "import sys, warplock; warplock.main; print(sorted({'numpy', 'cffi'} & {*sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT / "scripts/python")},
    )
    assert done.stdout == "[]\n", done.stderr


def test_every_name_is_importable():
    for name in warplock.__all__:
        assert getattr(warplock, name) is not None
    assert {"Model", "Checker"} <= {*dir(warplock)}
    with pytest.raises(AttributeError, match="no attribute 'Modell'"):
        warplock.Modell  # noqa: B018


def test_page_prints_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    found = re.findall(
        r"^```python\n(.*?)^```\n(?:prints\n```text\n(.*?)^```$)?", page, re.M | re.S
    )
    codes = [pair for pair in found if pair[1]]
    assert len(codes) == 2
    for code, printed in codes:
        exec(compile(code, "docs/python.md", "exec"), {})
        assert capsys.readouterr().out == printed


@pytest.mark.parametrize(
    ("header", "status", "part"),
    [
        ([1], "CORRUPT", "its header is [1]"),
        ({"block": "\ud800"}, "CORRUPT", "damaged or not ours"),
        ({}, "CORRUPT", "its header has no block"),
        ({"block": "hazard", "config": []}, "CORRUPT", "its header.config is []"),
        ({"block": "hazard", "config": {"blocks": 1}}, "BAD_CONFIG", "no parameter 'blocks'"),
        ({"block": "hazard", "config": {"x": 1}}, "BAD_CONFIG", "no parameter 'x'"),
        ({"block": "hazard", "config": {}, "schema": "0"}, "BAD_SCHEMA", "(schema) is 0, ours is"),
        ({"block": "hazard", "config": {}}, "BAD_PARAMS", "words, but its configuration needs"),
    ],
)
def test_header_that_is_not_of_the_records_is_refused(
    tmp_path, model, monkeypatch, header, status, part
):
    path = tmp_path / "odd.wlv"
    monkeypatch.setattr("warplock.vectors._header", lambda *_: header)
    write_vectors(path, model, model.stimulus(1, 200))
    with raises(Error, f"{status}: {path}", part):
        read_vectors(path).model()


def test_bits_of_no_port_in_a_file_are_refused(tmp_path, model, monkeypatch):
    path = tmp_path / "wide.wlv"
    config = model.config | {"num_pregs": model.config["num_pregs"] // 2}
    monkeypatch.setattr(
        "warplock.vectors._header", lambda *_: {"block": "collector", "config": config}
    )
    write_vectors(path, model, model.stimulus(1, 200))
    with raises(Error, f"CORRUPT: {path}", "none of a port"):
        read_vectors(path).model()


def test_file_whose_name_is_no_text_is_named(tmp_path):
    with raises(Error, "NO_FILE", "none.wlv"):
        read_vectors(os.fsencode(tmp_path) + b"/\xffnone.wlv")


def test_header_of_a_written_file_is_that_of_the_page(tmp_path, model):
    write_vectors(tmp_path / "h.wlv", model, model.stimulus(1, 5))
    page = (ROOT / "docs/record-format.md").read_text(encoding="utf-8")
    members = set(json.loads(json.dumps(read_vectors(tmp_path / "h.wlv").header)))
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)?) \|", page.split("## Header text")[1], re.M)
    known = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert members <= known and {"block", "schema", "config"} <= members


def test_counter_that_an_asynchronous_reset_clears_says_nothing(tmp_path):
    """A row enters in the cycle before the dump, and asks in its first cycle. The counters of rows
    are 0 in that one, and in the next one, in which the reset clears them."""
    table = tables.load("reservation_station")
    ports = table.ports(table.defaults())
    admit = dict.fromkeys(("admit_valid", "admit_bits_valid_1", "admit_bits_valid_2"), 1)
    ready, rows = {"io_collector_readReq_ready": 1}, []
    with Model(table.name, power_up="zero") as model:
        for values in ({"reset": 1}, {f"io_{name}": 1 for name in admit}, ready):
            rows.append(model.step(values)[0].unpack() | values)
        model.reset()
        rows.append(model.step({"reset": 1})[0].unpack() | {"reset": 1})
    steps = []
    for number, row in enumerate([*rows[2:], *4 * rows[3:]]):
        values = {f"TOP.{port.name}": int(row.get(port.name, 0)) for port in ports}
        steps += [(10 * number, values | {"TOP.clock": 0}), (10 * number + 5, {"TOP.clock": 1})]
    widths = {"TOP.clock": 1} | {f"TOP.{port.name}": port.width for port in ports}
    dump = tmp_path / "late.vcd"
    dump.write_text(programs.vcd(widths, steps))
    words = ("check", dump, "--block", table.name, "--from-unknown", "--json")
    assert rows[2]["io_collector_readReq_valid"] == 1
    assert rows[2]["io_perf_accRsOccupancy"] == rows[3]["io_perf_accRsOccupancy"] == 0
    answer = programs.warplock(*words, "--reset", "reset:async", code=None)
    assert answer.json["verdict"] == "PASS"
