# SPDX-License-Identifier: Apache-2.0
"""The folder that `bind` writes: it may be moved, and each of its Makefiles finds what it names.

Simulators that are not there are played by scripts that look at what they are told.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import programs
import pytest
import rtl_under_test as rut
from rtl_under_test import PINNED
from wlk.run import bind_folder, verilate

pytestmark = pytest.mark.slow
BENCH = """
module tb;
  logic clock = 0, reset = 1;
  always #5 clock = ~clock;
  initial begin
    #20 reset = 0;
  end
  initial #{time} $finish;
  {module} dut (.clock(clock), .reset(reset){pins});
{more}
endmodule
"""
# Records how it was called; `vlog` and the like need no more.
RECORDER = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case $(basename "$0") in {last}) cat "$HOME/printed"; exit "$(cat "$HOME/code")"; esac
"""
PASSES = "warplock: collector top.a: PASS, 9 cycles, 1648 bits compared, 0 masked\n"
DIFFERS = "# warplock: collector top.b: FUNCTIONAL_MISMATCH, 7 cycles, 90 bits compared, 0 masked\n"
NEVER_FULL = ("assign readReq_ready_o = read_ready;", "assign readReq_ready_o = 1'b1;")
RUN = {  # the files that each must read, the package before what uses it
    "questa": ("vlib", "vlog", "vsim"),
    "vcs": ("vcs",),
    "xcelium": ("xrun",),
}


LAST = {"questa": "vsim", "vcs": "simv", "xcelium": "xrun"}  # what runs the simulation


def bench(place: Path, time: int = 220, more: str = "") -> Path:
    """A test bench that asks for an entry in each cycle."""
    ports = rut.TABLE.ports(rut.TABLE.config(rut.SMALL))
    held = {"io_readReq_valid": "1'b1", "io_readReq_bits_regs_0_enable": "1'b1"}
    drive = [p for p in ports if p.direction == "in" and p.name != "reset"]
    pins = "".join(f",\n    .{p.name}({held.get(p.name, chr(39) + '0')})" for p in drive)
    path = place / "tb.sv"
    path.write_text(BENCH.format(time=time, module=rut.TABLE.module, pins=pins, more=more))
    return path


def moved(place: Path, *words: object) -> tuple[Path, Path]:
    """The RTL, and the folder of its checker behind a move."""
    rtl = rut.stub("folder", rut.SMALL)
    written = place / "written"
    rut.warplock("bind", "collector", "--rtl", rtl, *PINNED, "--out", written, *words)
    shutil.move(written, place / "elsewhere")
    return rtl, place / "elsewhere"


def make(folder: Path, name: str, cwd: Path, *words: object, path: str = "", code: int = 0) -> str:
    """Run one of its Makefiles in another folder, where nothing knows the checkout."""
    env = {"PATH": path + os.environ["PATH"], "HOME": str(cwd), "CALLS": str(cwd / "calls")}
    command = ["make", "-f", folder / f"Makefile.{name}", *words]
    done = subprocess.run(
        [str(w) for w in command], cwd=cwd, env=env, capture_output=True, text=True
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_moved_folder_simulates_in_verilator(tmp_path):
    rtl, folder = moved(tmp_path, "--sva")
    assert str(rut.ROOT) not in (folder / "files.f").read_text()
    files = " ".join(map(str, [*sorted(rtl.glob("*.sv")), bench(tmp_path)]))
    flags = "-Wno-fatal -MAKEFLAGS OPT_FAST=-O0"
    printed = make(folder, "verilator", tmp_path, f"RTL={files}", "TOP=tb", f"FLAGS={flags}")
    assert re.search(r"warplock: collector TOP\.tb\.dut: PASS, \d+ cycles", printed)
    library = re.escape(bind_folder.LIBRARY[1])
    (linked,) = re.findall(rf"{library} => (\S+)", _linked(tmp_path / "obj_dir/Vtb"))
    assert Path(linked).samefile(folder / bind_folder.LIBRARY[1])


def _linked(program: Path) -> str:
    return subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True).stdout


@pytest.mark.needs("iverilog")
@pytest.mark.parametrize(
    ("edit", "time", "verdict"),
    [
        (None, 220, r"PASS, \d\d cycles compared"),
        ({rut.CORE: NEVER_FULL}, 220, "FUNCTIONAL_MISMATCH in cycle"),
        (None, 3, "VACUOUS, no cycle compared"),  # ends before the first edge
    ],
)
def test_moved_folder_simulates_in_icarus(tmp_path, edit, time, verdict):
    """And make fails unless every cycle is equal and there is one."""
    rtl, folder = moved(tmp_path, "--synthesizable")
    rtl = rtl if edit is None else rut.stub("folder_faulty", rut.SMALL, edit=edit)
    more = "`define WLK_IN_DESIGN(NAME) dut.NAME\n"
    more += '`include "wlk_collector_hw_checker_instance.svh"'
    files = [*sorted(rtl.glob("*.sv")), bench(tmp_path, time, more=more)]
    words = (f"RTL={' '.join(map(str, files))}", "TOP=tb")
    code = 0 if verdict.startswith("PASS") else 2
    printed = make(folder, "icarus", tmp_path, *words, code=code)
    assert re.search(rf"warplock: collector tb\.u_wlk_hw_checker(\.show)?: {verdict}", printed)
    assert ("PASS" in printed) == (code == 0)


def played(name: str, place: Path, printed: str, simulator: int = 0, code: int = 0) -> str:
    """Run a Makefile where the simulator prints this and exits with `simulator`."""
    _, folder = moved(place)
    tools = place / "tools"
    tools.mkdir()
    for tool in (*RUN[name], "xmroot", "../simv"):
        (tools / tool).write_text(RECORDER.format(last=LAST[name]))
        (tools / tool).chmod(0o755)
    (place / "printed").write_text(printed)
    (place / "code").write_text(f"{simulator}\n")
    svdpi = "SVDPI=/usr/share/verilator/include/vltstd"
    path = f"{tools}:"
    return make(folder, name, place, "RTL=tb.sv", "TOP=tb", svdpi, path=path, code=code)


@pytest.mark.parametrize(
    "name", ["verilator", pytest.param("icarus", marks=pytest.mark.needs("iverilog"))]
)
def test_make_fails_without_a_checker_in_the_design(name, tmp_path):
    """Icarus knows no bind, and the bench does not include it; in Verilator another module runs."""
    rtl, folder = moved(tmp_path, *(["--synthesizable"] if name == "icarus" else []))
    path = bench(tmp_path)
    if name == "verilator":
        path.write_text(path.read_text().replace(f"  {rut.TABLE.module} dut", "  mine dut"))
        text = (rtl / rut.SHELL).read_text().replace(f"module {rut.TABLE.module}", "module mine")
        (tmp_path / "mine.sv").write_text(text)
        path.write_text(path.read_text() + (tmp_path / "mine.sv").read_text())
    files = " ".join(map(str, [*sorted(rtl.glob("*.sv")), path]))
    flags = "FLAGS=" + ("-Wno-fatal -MAKEFLAGS OPT_FAST=-O0" if name == "verilator" else "")
    printed = make(folder, name, tmp_path, f"RTL={files}", "TOP=tb", flags, code=2)
    assert "no checker has passed" in printed


@pytest.mark.parametrize("name", RUN)
def test_other_simulators_are_told_of_files_that_exist(name, tmp_path):
    played(name, tmp_path, PASSES)
    calls = (tmp_path / "calls").read_text()
    words = [line.split()[0] for line in calls.splitlines()]
    assert words == list(dict.fromkeys([*RUN[name], LAST[name]]))
    assert f"-F {tmp_path}/elsewhere/files.f tb.sv" in calls
    assert "wlk_dpi_collector_step_" in _symbols(tmp_path / "wlk_steps.so")


@pytest.mark.parametrize("name", RUN)
@pytest.mark.parametrize(
    ("printed", "simulator"),
    [
        (PASSES + DIFFERS, 0),  # $fatal need not be an exit code
        (PASSES + "collector top.b: FUNCTIONAL_MISMATCH in cycle 30\n", 0),
        (PASSES + DIFFERS.replace("FUNCTIONAL_MISMATCH, 7", "VACUOUS, 0"), 0),
        (PASSES + "warplock: collector top.b: VACUOUS, no cycle compared\n", 0),
        ("the simulation has ended\n", 0),
        (PASSES, 3),
    ],
)
def test_other_simulators_make_fails_unless_all_passes(name, printed, simulator, tmp_path):
    assert printed.splitlines()[-1] in played(name, tmp_path, printed, simulator, code=2)


def _symbols(library: Path) -> str:
    return subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout


def test_list_has_every_file_package_first_and_bind_last(tmp_path):
    _, folder = moved(tmp_path, "--sva")
    lines = (folder / bind_folder.FILES).read_text().splitlines()
    files = [line for line in lines if not line.startswith("//")]
    assert sorted(files) == sorted(path.name for path in folder.glob("*.sv"))
    assert files[:2] == ["wlk_verdict_pkg.sv", "wlk_pkg.sv"]
    assert files[-1] == "wlk_collector_checker_bind.sv"


def test_makefile_asks_for_what_it_needs(tmp_path):
    _, folder = moved(tmp_path)
    assert 'give the files of the design: RTL="' in make(folder, "verilator", tmp_path, code=2)
    assert "give the module on top: TOP=tb" in make(folder, "vcs", tmp_path, "RTL=x.sv", code=2)


@pytest.mark.needs("newest")
def test_makefile_runs_the_verilator_that_is_chosen(tmp_path):
    rtl, folder = moved(tmp_path, "--verilator", "newest")
    files = " ".join(map(str, [*sorted(rtl.glob("*.sv")), bench(tmp_path)]))
    flags = "-Wno-fatal -MAKEFLAGS OPT_FAST=-O0"
    printed = make(folder, "verilator", tmp_path, f"RTL={files}", "TOP=tb", f"FLAGS={flags}")
    assert re.search(r"warplock: collector (?:TOP\.)?tb\.dut: PASS, \d+ cycles", printed)
    made = (tmp_path / "obj_dir" / "Vtb.mk").read_text()
    assert f"VERILATOR_ROOT = {verilate.find_tool('newest').root}" in made


def test_verilator_of_a_checker_without_c_is_refused(tmp_path):
    words = ("--synthesizable", "--verilator", "newest", "--out", tmp_path / "out")
    command = ("bind", "collector", "--rtl", rut.stub("folder", rut.SMALL), *PINNED, *words)
    done = programs.warplock(*command, code=rut.Status.USAGE)
    assert "--verilator newest goes with the checker that has DPI" in done.line


def test_behaviour_that_the_stub_lacks_is_refused(tmp_path):
    rtl, words = rut.stub("folder", rut.SMALL), ("--config", "read_during_write=old")
    command = ("bind", "collector", "--rtl", rtl, *PINNED, *words, "--synthesizable")
    done = programs.warplock(*command, "--out", tmp_path / "out", code=None)
    assert done.code == rut.Status.BAD_CONFIG
    assert "read_during_write=old" in done.line
    assert "bind one with DPI" in done.line
    assert not (tmp_path / "out").exists()
