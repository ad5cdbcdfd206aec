# SPDX-License-Identifier: Apache-2.0
"""`warplock check --map`: waveforms whose signals have names and shapes of their own."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import programs
import pytest
import test_check as made_by_hand
from test_check import check  # noqa: F401 - a fixture
from wlk.base.errors import Status

OWN = Path(__file__).parents[1] / "lockstep"
MAP = OWN / "mapped_collector.toml"
TOP = """module dumper;
  initial begin
    $dumpfile("own.vcd");
    $dumpvars(0, bench);
  end
endmodule
"""
# Icarus wants constant indices of packed arrays in processes: the same registers as vectors.
FOR_ICARUS = (
    ("logic [ENTRIES-1:0][2:0][LANES-1:0][31:0] held;", "logic [ENTRIES*3*LANES*32-1:0] held;"),
    ("= held[get_entry];", "= held[get_entry*3*LANES*32+:3*LANES*32];"),
    ("held[resp_entry][r] <=", "held[(resp_entry*3+r)*LANES*32+:LANES*32] <="),
    ("regs[3][PREGS]", "regs[3*PREGS]"),
    ("regs[r][row[r]]", "regs[r*PREGS+row[r]]"),
    ("regs[r][wr_preg][l]", "regs[r*PREGS+wr_preg][l]"),
)
FAULTY = 500  # the cycle
FAULT = (
    "assign rd_ready = !(&busy) || frees;",
    f"""reg fault = 0;
  initial begin #{10 * FAULTY} fault = 1; #10 fault = 0; end
  assign rd_ready = (!(&busy) || frees) ^ fault;""",
)


# ---- a simulation of the user's own -------------------------------------------------------------


def changed(path: Path, text: str, *edits: tuple[str, str]) -> Path:
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text)
    return path


def simulated(folder: Path, *edits: tuple[str, str]) -> Path:
    """The dump of mapped_collector.sv in its bench by Icarus."""
    if shutil.which("iverilog") is None:
        pytest.skip("needs iverilog")
    rtl = changed(folder / "own.sv", (OWN / "mapped_collector.sv").read_text(), *FOR_ICARUS, *edits)
    (folder / "dumper.sv").write_text(TOP)
    sources = [OWN / "mapped_bench.sv", rtl, "dumper.sv"]
    tops = ["-s", "bench", "-s", "dumper"]
    for words in (["iverilog", "-g2012", *tops, "-o", "own", *sources], ["vvp", "-n", "own"]):
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "own.vcd"


@pytest.fixture(scope="module")
def simulation(tmp_path_factory):
    return simulated(tmp_path_factory.mktemp("own"))


def test_simulation_of_mapped_ports_passes(check, simulation):  # noqa: F811
    answer = check(simulation, "--map", MAP).json
    assert (answer["scope"], answer["verdict"]) == ("bench.u_opc", "PASS")
    config = {"num_lanes": 2, "num_pregs": 16, "coll_entries": 2}
    assert config.items() <= answer["config"].items()
    assert answer["inferred"]["num_lanes"] == answer["inferred"]["num_pregs"] == "ports"
    assert answer["compared_bits"] > 500_000


def test_fault_of_mapped_ports_has_its_cycle_and_port(check, tmp_path):  # noqa: F811
    run = check(simulated(tmp_path, FAULT), "--map", MAP, code=None)
    assert run.json["verdict"] != "PASS"
    first = {"cycle": FAULTY, "port": "io_readReq_ready"}
    assert first.items() <= run.json["first"].items()
    assert f"--map {MAP}" in run.err  # how to repeat it


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('style = "async"', 'style = "sync"'),
        ('active = "low"', 'active = "high"'),
        ('"rd_preg[{i}]"', '"rd_preg[{2-i}]"'),
        ('"got_data[{i}][{l}]"', '"got_data[{2-i}][{l}]"'),
        ('"rd_en[{i}]"', '"rd_en[{2-i}]"'),
    ],
)
def test_wrong_line_of_a_map_does_not_pass(check, simulation, tmp_path, old, new):  # noqa: F811
    told = changed(tmp_path / "own.toml", MAP.read_text(), (old, new))
    answer = check(simulation, "--map", told, code=None).json
    assert answer["verdict"] in ("FUNCTIONAL_MISMATCH", "TIMING_DIVERGENCE", "NO_RESET")


def test_tie_of_a_map_is_taken(check, simulation, tmp_path):  # noqa: F811
    text = MAP.read_text()
    unread = mapped(tmp_path / "unread.toml", "[tie]\nio_readReq_bits_rsEntryId = 5\n", text)
    assert check(simulation, "--map", unread).json["verdict"] == "PASS"
    line = 'io_writeReq_valid = "wr_valid"\n'
    wrong = changed(tmp_path / "wrong.toml", text, (line, ""))
    refused = check(simulation, "--map", wrong, code=Status.NO_SCOPE)
    assert "input io_writeReq_valid is missing" in refused.line
    wrong.write_text(wrong.read_text() + "[tie]\nio_writeReq_valid = 0\n")
    answer = check(simulation, "--map", wrong, code=None).json
    assert answer["verdict"] == "FUNCTIONAL_MISMATCH"


def imported(dump: Path, out: Path, *words: object, code: int | None = 0) -> programs.Done:
    words = ("--dump", dump, out, "--block", "collector", *words, "--json")
    return programs.warplock("vectors", "import", *words, code=code)


def test_simulation_of_mapped_ports_is_imported(check, simulation, tmp_path):  # noqa: F811
    out = tmp_path / "own.wlv"
    made = imported(simulation, out, "--map", MAP).json
    assert (made["config"]["num_lanes"], made["cycles"]) == (
        2,
        check(simulation, "--map", MAP).json["cycles"],
    )
    assert "io_writeResp_bits_collEntry" in "".join(made["notes"])
    played = programs.warplock("vectors", "play", out, "--json").json
    assert (played["verdict"], played["compared_bits"] > 500_000) == ("PASS", True)
    again = imported(simulation, out, "--map", MAP, code=None)
    assert (again.code, "--force" in again.line) == (Status.USAGE, True)


def test_fault_of_mapped_ports_is_imported(check, tmp_path):  # noqa: F811
    out = tmp_path / "own.wlv"
    made = imported(simulated(tmp_path, FAULT), out, "--map", MAP).json
    assert "does not pass" in "".join(made["notes"])
    played = programs.warplock("vectors", "play", out, "--json", code=None).json
    first = {"cycle": FAULTY, "port": "io_readReq_ready"}
    assert first.items() <= played["first"].items()


def test_x_of_a_waveform_is_not_compared_in_its_file(check, tmp_path):  # noqa: F811
    made = made_by_hand.block()
    idle = made_by_hand.hide_idle_entry(made)
    dump = made_by_hand.write_vcd(tmp_path / "made.vcd", made)
    assert len(idle) > 10
    imported(dump, tmp_path / "own.wlv", "--config", "coll_entries=2")
    played = programs.warplock("vectors", "play", tmp_path / "own.wlv", "--json").json
    checked = check(dump, "--block", "collector", "--config", "coll_entries=2").json
    assert played["verdict"] == checked["verdict"] == "PASS"
    assert 0 <= played["compared_bits"] - checked["compared_bits"] < 1000


@pytest.mark.slow
@pytest.mark.needs("verilate", "rtl")
def test_verilator_s_dump_of_mapped_ports_passes(check, tmp_path):  # noqa: F811
    """Its arrays are signals, an element each."""
    rtl = (OWN / "mapped_collector.sv").read_text()
    sources = [changed(tmp_path / "own.sv", rtl), OWN / "mapped_bench.sv", tmp_path / "dumper.sv"]
    bench = "bench i_bench ();"
    sources[2].write_text(TOP.replace("initial", f"{bench}\n  initial").replace(", bench", ""))
    words = ("--trace", "--trace-structs", *sources)
    program = programs.simulation(tmp_path / "build", "dumper", *words)
    subprocess.run([program], cwd=tmp_path, check=True, capture_output=True)
    assert "got_data[2][1]" in (tmp_path / "own.vcd").read_text()
    answer = check(tmp_path / "own.vcd", "--map", MAP).json
    assert answer["scope"].endswith("bench.u_opc")
    assert (answer["verdict"], answer["config"]["num_lanes"]) == ("PASS", 2)


# ---- shapes -------------------------------------------------------------------------------------


PREGS = [f"io_readReq_bits_regs_{i}_pReg" for i in range(3)]
ENABLES = [f"io_readReq_bits_regs_{i}_enable" for i in range(3)]
DATA = [f"io_readData_resp_bits_{i}_data_{lane}" for i in range(3) for lane in range(2)]
PREG, ENABLE = '"io_readReq_bits_regs_{i}_pReg"', '"io_readReq_bits_regs_{i}_enable"'
VALID = "io_readReq_valid"
HEAD = 'block = "collector"\n'
# What of the dump is how: signal -> the ports in it, the lowest first; lines of the map.
SHAPES = {
    "vector": ({"pregs [11:0]": PREGS}, f'[ports]\n{PREG} = "pregs[{{i}}]"'),
    "vector_of_vectors": (
        {"data [191:0]": DATA},
        '[ports]\n"io_readData_resp_bits_{i}_data_{l}" = "data[{i}][{l}]"',
    ),
    "vector_by_numbers": ({"pregs": PREGS}, f'[ports]\n{PREG} = "pregs[{{4*i+3}}:{{4*i}}]"'),
    "rows_of_a_vector": (
        {"row [11:0]": PREGS},
        '[ports]\nio_readReq_bits_regs_0_pReg = "row[0][3:0]"\n'
        'io_readReq_bits_regs_1_pReg = "row[1][3:0]"\nio_readReq_bits_regs_2_pReg = "row[2][3:0]"',
    ),
    "bits": ({"en [2:0]": ENABLES}, f'[ports]\n{ENABLE} = "en[{{i}}]"'),
    "bits_upwards": ({"en [0:2]": ENABLES[::-1]}, f'[ports]\n{ENABLE} = "en[{{i}}]"'),
    "bits_from_4_on": ({"en [6:4]": ENABLES}, f'[ports]\n{ENABLE} = "en[{{i+4}}]"'),
    "bits_of_one_vector": (
        {"flags [3:0]": [*ENABLES, VALID]},
        f'[ports]\n{ENABLE} = "flags[{{i}}]"\n{VALID} = "flags[3]"',
    ),
    "signals": (
        {f"pregs[{i}] [3:0]": [name] for i, name in enumerate(PREGS)},
        f'[ports]\n{PREG} = "pregs[{{i}}]"',
    ),
    "signals_of_one_bit": (
        {f"en[{i}]": [name] for i, name in enumerate(ENABLES)},
        f'[ports]\n{ENABLE} = "en[{{i}}]"',
    ),
    "signals_in_parentheses": (
        {f"pregs({i}) [3:0]": [name] for i, name in enumerate(PREGS)},
        f'[ports]\n{PREG} = "pregs[{{i}}]"',
    ),
    "members": (
        {"req.valid": [VALID], "req.pregs [11:0]": PREGS},
        f'[ports]\n{VALID} = "req.valid"\n{PREG} = "req.pregs[{{i}}]"',
    ),
    "scopes_of_an_array": (
        {f"regs[{i}].preg [3:0]": [name] for i, name in enumerate(PREGS)},
        f'[ports]\n{PREG} = "regs[{{i}}].preg"',
    ),
    "elements_in_a_scope": (
        {f"pregs.[{i}] [3:0]": [name] for i, name in enumerate(PREGS)},
        f'[ports]\n{PREG} = "pregs[{{i}}]"',
    ),
    "prefix": (
        {name.removeprefix("io_"): [name] for name in [*PREGS, VALID]},
        '[names]\nprefix = "io_"',
    ),
    "names": ({"clk": ["clock"], "rst": ["reset"]}, '[clock]\nport = "clk"\n[reset]\nport = "rst"'),
}  # fmt: skip


def shaped(path: Path, signals: dict[str, Sequence[str]], scopes: Sequence[str] = ("",)) -> Path:
    """A dump of the naive collector whose ports are in these signals."""
    made = made_by_hand.block()
    widths = {"clock": 1} | made.widths
    rows = [{"clock": 0} | row for row in made.rows]
    gone = {name for ports in signals.values() for name in ports}
    places = {name: [name] for name in widths if name not in gone} | signals
    full = {f"TOP.c{scope}.{signal}": ports for signal, ports in places.items() for scope in scopes}
    clocks = [name for name, ports in full.items() if ports == ["clock"]]
    steps = []
    for cycle, row in enumerate(rows):
        values = {}
        for name, ports in full.items():
            values[name] = "".join(f"{row[port]:0{widths[port]}b}" for port in ports[::-1])
        steps += [(10 * cycle, values), (10 * cycle + 5, dict.fromkeys(clocks, 1))]
    sizes = {name: sum(map(widths.get, ports)) for name, ports in sorted(full.items())}
    path.write_text(programs.vcd(sizes, steps), encoding="ascii")
    return path


def mapped(path: Path, text: str, head: str = HEAD) -> Path:
    path.write_text(head + text)
    return path


@pytest.mark.parametrize(("signals", "text"), SHAPES.values(), ids=SHAPES)
def test_shape_of_a_dump_is_understood(check, tmp_path, signals, text):  # noqa: F811
    dump, told = shaped(tmp_path / "own.vcd", signals), mapped(tmp_path / "own.toml", text)
    words = ("--config", "coll_entries=2", "--block", "collector")
    answer = check(dump, "--map", told, *words).json
    assert (answer["verdict"], answer["cycles"]) == ("PASS", made_by_hand.CYCLES)
    plain = check(shaped(tmp_path / "plain.vcd", {}), *words).json
    assert answer["compared_bits"] == plain["compared_bits"]
    assert answer["config"] == plain["config"]


# ---- bad input ----------------------------------------------------------------------------------


PORTS = f'[ports]\n{PREG} = "pregs[{{i}}]"\n'
MISTAKES = {
    "no_such_signal": (
        HEAD + '[ports]\nio_readReq_valid = "io_readReq_valud"', (), Status.NO_SCOPE,
        "no scope has io_readReq_valud", "did you mean io_readReq_valid?",
    ),
    "one_signal_of_several": (
        HEAD + PORTS[:-1] + '\nio_readReq_valid = "io_readReq_valud"', (), Status.NO_SCOPE,
        "scope TOP.c does not fit", "[ports] io_readReq_valid: io_readReq_valud: no such signal",
        "did you mean io_readReq_valid?",
    ),
    "elements_that_do_not_fit": (
        HEAD + '[ports]\n"io_readData_resp_bits_{i}_data_{l}" = "pregs[{i}][{l}]"', (),
        Status.NO_SCOPE, "expected 32 bits, found 2 bits (and 5 more)",
    ),
    "no_elements": (
        HEAD + f'[ports]\n{PREG} = "io_writeReq_bits_regs_0_data_0[{{i}}]"', (), Status.USAGE,
        "has 32 bits, which are not 3 elements of one width",
    ),
    "no_such_signal_of_a_scope": (
        HEAD + '[ports]\nio_readReq_valid = "io_readReq_valud"', ("--scope", "TOP.c"), Status.USAGE,
        "scope TOP.c does not fit", "did you mean io_readReq_valid?",
    ),
    "no_such_scope": (HEAD + PORTS, ("--scope", "TOP.d"), Status.NO_SCOPE, "did you mean TOP.c "),
    "no_such_element": (
        HEAD + '[ports]\nio_readReq_bits_regs_0_pReg = "pregs[9]"', (), Status.USAGE,
        "pregs[9]", "12 bits",
    ),
    "no_such_bit": (
        HEAD + '[ports]\nio_readReq_bits_regs_0_pReg = "pregs[13:10]"', (), Status.USAGE, "12 bits",
    ),
    "width": (
        HEAD + '[ports]\nio_readReq_bits_regs_0_pReg = "pregs[4:0]"\n'
        'io_readReq_bits_regs_1_pReg = "pregs[9:6]"\nio_readReq_bits_regs_2_pReg = "pregs[8:5]"',
        ("--scope", "TOP.c"), Status.BAD_WIDTH, "port io_readReq_bits_regs_0_pReg", "found 5 bits",
    ),
    "member_of_a_vector": (
        HEAD + '[ports]\nio_readReq_valid = "pregs.valid"', (), Status.USAGE,
        "TOP.c.pregs is one vector of 12 bits", "--trace-structs",
    ),
    "no_block": (PORTS, (), Status.USAGE, "give --block"),
    "another_block": ('block = "hazard"\n', ("--block", "collector"), Status.USAGE, "hazard"),
    "no_such_port": (HEAD + '[ports]\nio_readReq_valit = "v"', (), Status.USAGE, "did you mean"),
    "no_clock": (HEAD + PORTS + '[clock]\nport = "clk_i"', (), Status.NO_CLOCK, "clk_i"),
    "two_resets": (
        HEAD + PORTS + '[reset]\nport = "reset"\n', ("--reset", "rst_n:low"), Status.USAGE,
        "--reset says rst_n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "words", "code", "parts"), [
    (text, words, code, parts) for text, words, code, *parts in MISTAKES.values()
], ids=MISTAKES)  # fmt: skip
def test_mistake_in_a_map_is_one_line(check, tmp_path, text, words, code, parts):  # noqa: F811
    dump = shaped(tmp_path / "own.vcd", {"pregs [11:0]": PREGS})
    told = mapped(tmp_path / "own.toml", text, "")
    run = check(dump, "--map", told, *words, code=code)
    assert [part for part in parts if part not in run.line] == [], run.line


def test_import_of_a_waveform_wants_one_scope(check, tmp_path):  # noqa: F811
    dump = shaped(tmp_path / "two.vcd", {"pregs [11:0]": PREGS}, (".a", ".b"))
    told, out = mapped(tmp_path / "own.toml", PORTS), tmp_path / "own.wlv"
    assert len(check(dump, "--map", told, "--config", "coll_entries=2").objects) == 2
    line = imported(dump, out, "--map", told, code=Status.NO_SCOPE).line
    assert "2 scopes fit block collector (TOP.c.a, TOP.c.b); name one with --scope PATH" in line
    imported(dump, out, "--map", told, "--scope", "TOP.c.b", "--config", "coll_entries=2")
    for words in ((), ("--csv", "a.csv", "--dump", dump), ("--csv", "a.csv", "--map", told)):
        done = programs.warplock(
            "vectors", "import", *words, tmp_path / "b.wlv", "--block", "collector", code=None
        )
        programs.refused(done, Status.USAGE, "--dump")
