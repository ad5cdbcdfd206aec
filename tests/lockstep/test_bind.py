# SPDX-License-Identifier: Apache-2.0
"""Checkers bound into a simulation of the user's own: pair.sv, with two collectors in it."""

import re
import subprocess
from pathlib import Path

import programs
import pytest
import rtl_under_test as rut
from rtl_under_test import PINNED
from wlk.base.errors import Status
from wlk.gen import sv
from wlk.run import bind_folder

# Builds of a user's kind, outside of the cache; and no sanitizer can be linked into them.
pytestmark = pytest.mark.slow
PAIR = Path(__file__).with_name("pair.sv")
PASS = re.compile(
    r"^warplock: collector (?:TOP\.)?pair\.(u_.)\.u_collector: PASS, 2001 cycles", re.M
)
# Outputs that never change: the collector takes every write, and has no entry for one.
ALWAYS = [
    "io_writeReq_ready were 1",
    "io_writeResp_bits_collEntry were 0",
    "io_writeResp_bits_regs_0_enable were 1",
]
DEBUG = rut.SMALL | {"debug": 1, "reg_banks": 2}
READ = ["io_readReq_ready", "io_readResp_valid", "io_readResp_bits_collEntry"]  # by the driver
OMITTED = ["debug_coreId", "io_writeReq_ready", "io_writeResp_bits_collEntry"]
OMITTED += ["io_readData_resp_bits_1_data_0", "io_readReq_bits_rsEntryId"]


WAIVER = """[[waiver]]
block = "collector"
port = "io_writeResp_valid"
when = "io_readReq_valid"
reason = 'the "late" answer'
owner = "ada"
until = 2099-12-31
"""


def ports_of_pair():
    """The collector's ports, all but the outputs that nobody reads: as macros for pair.sv."""
    ports = rut.TABLE.ports(rut.TABLE.config(rut.SMALL))
    ports = [p for p in ports if p.name in READ or p.direction == "in" and p.name != "reset"]
    wires = {p.name: f"logic [{p.width - 1}:0] {p.name}" for p in ports}
    driver = [f"{'in' if name in READ else 'out'}put {wire}" for name, wire in wires.items()]
    pins = [f".{name}" for name in wires if name not in OMITTED]
    macros = {"DRIVER": ", ".join(driver), "WIRES": "; ".join(wires.values())}
    macros["PINS"] = ", ".join(pins)
    return "".join(f"`define {name} {text}\n" for name, text in macros.items())


def simulate(name, out, *rtl, define="", tool=None):
    """Build pair.sv with this RTL and the checkers of a folder, as a user does; the program."""
    place = rut.folder(name)
    (place / "ports.svh").write_text(ports_of_pair())
    files = [path for folder in rtl for path in sorted(folder.glob("*.sv"))]
    sources = ["-f", out / "warplock.f", *files, PAIR, f"+incdir+{place}", f"+define+{define}"]
    return programs.simulation(place, "pair", *sources, tool=tool)


def run(program, *words, passes=True):
    """What the checkers print in a simulation."""
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode == 0) == passes, done.stderr
    return done.stderr


def bind(out, rtl, *words, code=0):
    return rut.warplock("bind", "collector", "--rtl", rtl, "--out", out, *words, code=code)


def named(place, suffix):
    """Give all modules of a stub names of their own."""
    for path in place.glob("*.sv"):
        text = path.read_text()
        for module in ("DuplicatedCollector", "duplicated_collector_core", "prf_bank"):
            text = text.replace(f"{module} ", f"{module}{suffix} ")
        path.write_text(text)
    return place


@pytest.fixture(scope="module")
def good():
    """Two good collectors of one module."""
    rtl = rut.stub("pair_good")
    out = rut.folder("pair_good_wlk")
    bind(out, rtl, *PINNED)
    return simulate("pair_good_sim", out, rtl)


@pytest.fixture(scope="module")
def mixed():
    """A good collector, and one of another module: debug ports, some ports removed, a fault that
    a plusarg switches on. Checkers of both come from one folder."""
    waived = "!(fault == 2 && readReq_valid_i)"
    fault = f"assign writeResp_valid_o = write_valid_q && (fault != 1) && {waived};\n"
    fault += '  int fault = 0;\n  initial void\'($value$plusargs("FAULT=%d", fault));'
    edit = {rut.CORE: ("assign writeResp_valid_o = write_valid_q;", fault)}
    first = rut.stub("pair_first")
    second = named(rut.stub("pair_second", DEBUG, omit=OMITTED, edit=edit), "Other")
    out = rut.folder("pair_mixed_wlk")
    bind(out, first, *PINNED)
    waivers = out.with_suffix(".toml")
    waivers.write_text(WAIVER)
    words = ("--module", "DuplicatedCollectorOther", *PINNED, "--waive", waivers, "--json")
    done = bind(out, second, *words)
    assert done.json["match"] == "subset"
    assert done.json["config"]["debug"] == 1
    assert "io_writeReq_ready" in done.json["not_compared"]
    define = "SECOND=DuplicatedCollectorOther"
    return simulate("pair_mixed_sim", out, first, second, define=define)


def test_good_pair_passes(good):
    printed = run(good)
    assert sorted(PASS.findall(printed)) == ["u_a", "u_b"]
    lines = [line for line in printed.splitlines() if not PASS.match(line)]
    partly = re.compile(r"  compared in part of the cycles: io_readData_resp_bits_\d_data_\d 9")
    assert [bool(partly.match(line)) for line in lines].count(True) == 2  # never written: unknown
    constant = "warplock: collector TOP.pair.u_{}.u_collector: 1 of 1 bits of {} in all 2000 cycles"
    rest = [line for line in lines if not partly.match(line)]
    assert rest == [constant.format(instance, port) for instance in "ab" for port in ALWAYS]


def test_right_instance_is_reported(good):
    printed = run(good, "+UPSET=300", passes=False)
    assert "collector TOP.pair.u_b.u_collector: FUNCTIONAL_MISMATCH in cycle 300\n" in printed
    assert "io_readResp_bits_collEntry" in printed
    assert "u_a" not in printed
    assert not PASS.search(printed)


def test_nothing_compared_does_not_pass(good):
    printed = run(good, "+BUSY=0", passes=False)
    assert "u_collector: VACUOUS" in printed


def test_two_modules_with_other_parameters_and_ports(mixed):
    printed = run(mixed)
    assert sorted(PASS.findall(printed)) == ["u_a", "u_b"]
    bits = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+) bits compared", printed)]
    assert min(bits) > 2001 * 90


def test_faulty_module_is_reported(mixed):
    printed = run(mixed, "+FAULT=1", passes=False)
    assert re.search(r"TOP\.pair\.u_b\.u_collector: FUNCTIONAL_MISMATCH in cycle \d+\n", printed)
    assert re.search(r"^  io_writeResp_valid +0 +1 +0x1", printed, re.M)
    assert "debug=1" in printed
    assert "u_a" not in printed


def test_waived_fault_of_a_module_is_named_at_the_end(mixed):
    name = r'waived \(\S+\.toml:1\) io_writeResp_valid: the "late" answer: '
    printed = run(mixed, "+FAULT=2")
    assert sorted(PASS.findall(printed)) == ["u_a", "u_b"]
    assert re.search(
        rf"u_b\.u_collector: {name}[\d]+ cycles, from cycle \d+ to cycle \d+\n", printed
    )
    assert re.search(rf"u_b\.u_collector: {name}no difference\n", run(mixed))


def test_waivers_need_the_checker_with_dpi():
    words = ("--waive", "w.toml", "--synthesizable")
    done = bind("wlk", "rtl", *PINNED, *words, code=Status.USAGE)
    programs.refused(done, Status.USAGE, "--waive goes with the checker that has DPI")


@pytest.fixture(scope="module")
def edited():
    """As `good`, with versions and parameters in the checker that plusargs change."""
    rtl = rut.stub("pair_edited")
    out = rut.folder("pair_edited_wlk")
    bind(out, rtl, *PINNED)
    checker = out / "wlk_collector_checker.sv"
    opened = checker.read_text().partition("wlk_dpi_open")[2]
    schema = re.search(r"64'h[0-9a-f]{16}(?=\);)", opened)[0]
    index = list(rut.TABLE.params).index("coll_entries")
    flags = "".join(
        f'    void\'($value$plusargs("{name}=%d", add[{n}]));\n'
        for n, name in enumerate(("ABI", "SCHEMA", "ENTRIES"))
    )
    start = "  initial begin\n"
    add = f"  longint unsigned add[3];\n{start}    add = '{{0, 0, 0}};\n{flags}"
    rut.change(checker, start, add)
    rut.change(checker, "(wlk_pkg::WlkAbiVersion, ", "(wlk_pkg::WlkAbiVersion + add[0], ")
    rut.change(checker, f"{schema});", f"{schema} + add[1]);")
    rut.change(checker, f"64'd{index}, 64'd2);", f"64'd{index}, 64'd2 + add[2]);")
    return simulate("pair_edited_sim", out, rtl)


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("+ABI=97", f"generated for ABI version {sv.ABI_VERSION + 97}, the library has"),
        ("+SCHEMA=1", "the library has no block with schema"),
        ("+ENTRIES=200", "coll_entries=202"),
    ],
)
def test_wrong_checker_is_refused(edited, word, part):
    printed = run(edited, word, passes=False)
    lines = [line for line in printed.splitlines() if line.startswith("warplock: ")]
    assert len(lines) == 1, printed
    assert lines[0].startswith("warplock: TOP.pair.u_")
    assert part in lines[0]


def test_checker_of_another_number_of_entries_fails(edited):
    """Within the ports' width a wrong parameter is found by what it does."""
    run(edited)
    printed = run(edited, "+ENTRIES=-1", passes=False)
    assert "FUNCTIONAL_MISMATCH" in printed


def test_open_parameter_must_be_given():
    """Nothing can be tried out in a user's simulation; a default is taken and reported."""
    out = rut.folder("pair_open_wlk")
    three = rut.stub("plain_three", rut.SMALL | {"coll_entries": 3})
    done = bind(out, three, code=Status.BAD_CONFIG)
    assert "the ports allow 3 or 4; give --config coll_entries=VALUE" in done.line
    assert not list(out.iterdir())
    done = bind(out, rut.stub("plain"))
    assert "the ports allow 1 or 2; give --config coll_entries=VALUE (2 is taken)" in done.out


def test_module_that_does_not_fit_writes_nothing():
    place = rut.stub("pair_no_valid")
    rut.redeclare(place / rut.SHELL, "io_readReq_valid", None)
    out = rut.folder("pair_unfit_wlk")
    done = bind(out, place, *PINNED, code=Status.IFACE_CHANGED)
    assert "io_readReq_valid is missing" in done.err
    assert not list(out.iterdir())


def test_files_written_are_whole():
    out = rut.folder("pair_files_wlk")
    for _ in range(2):  # once more over what is there
        bind(out, rut.stub("plain"), *PINNED)
    names = {path.name for path in out.iterdir()}
    assert names == {
        "wlk_verdict_pkg.sv", "wlk_pkg.sv", "wlk_collector_checker.sv",
        "wlk_collector_checker_bind.sv",
        "wlk_collector_step.c", *bind_folder.LIBRARY, "warplock.f", "files.f", "include",
        "Makefile.verilator", "Makefile.questa", "Makefile.vcs", "Makefile.xcelium",
    }  # fmt: skip
    lines = (out / "warplock.f").read_text().splitlines()
    assert len(lines) == len(set(lines))
    listed = [Path(line) for line in lines if not line.startswith(("-", "//"))]
    assert [path.name for path in listed[:2]] == ["wlk_verdict_pkg.sv", "wlk_pkg.sv"]
    assert all(path.is_file() for path in listed)
