# SPDX-License-Identifier: Apache-2.0
"""Blocks of users: what is wrong with a folder, its table or its model is one line that says so, in
every command, also where the runs are processes of their own."""

import shutil
import subprocess

import programs
import pytest
from programs import typed
from wlk.base import setup
from wlk.base.errors import Status

pytestmark = [pytest.mark.slow, pytest.mark.needs("rtl")]
EXAMPLE = programs.ROOT / "docs" / "examples" / "fifo"
NAME = "own_fifo"


@pytest.fixture
def folder(tmp_path):
    """The example under another name, so that nothing else builds it."""
    place = tmp_path / "blocks" / "mine"
    shutil.copytree(EXAMPLE, place)
    edit(place / "block.toml", 'block.name = "fifo"', f'block.name = "{NAME}"')
    edit(place / "map.toml", 'block = "fifo"', f'block = "{NAME}"')
    text = (place / "model.c").read_text()
    text = text.replace("warplock/fifo_", f"warplock/{NAME}_").replace(
        "MODEL      fifo", f"MODEL {NAME}"
    )
    text = text.replace("MODEL_CAPS FIFO", f"MODEL_CAPS {NAME.upper()}")
    text = text.replace("struct wlk_fifo_", f"struct wlk_{NAME}_")
    (place / "model.c").write_text(text.replace("WLK_FIFO_", f"WLK_{NAME.upper()}_"))
    return place


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1, f"{path}: {old}"
    path.write_text(text.replace(old, new))


def lockstep(folder, *words, code):
    reports = folder.parent.parent / "reports"
    few = ["--seeds", "1..4", "--cycles", "2000", "--reports", reports]
    return typed("lockstep", NAME, "--blocks", folder, *few, *words, code=code, WLK_BLOCKS="")


# ---- folders ------------------------------------------------------------------------------------


def test_own_block_without_a_model_is_refused(folder):
    (folder / "model.c").unlink()
    done = lockstep(folder, code=Status.NO_FILE)
    assert "no model.c, the block's model in C; `warplock new` writes a first one" in done.line


@pytest.mark.parametrize("command", [["lockstep"], ["vectors", "gen"], ["check"]])
def test_own_block_folder_that_is_none_is_refused(tmp_path, command):
    words = {"lockstep": ["x"], "vectors": ["x", "x.wlv"], "check": ["x.fst"]}[command[0]]
    done = typed(*command, *words, "--blocks", tmp_path, code=Status.NO_FILE, WLK_BLOCKS="")
    assert "no block.toml in it or in a folder of it" in done.line
    done = typed(*command, *words, "--blocks", tmp_path / "no", code=Status.NO_FILE, WLK_BLOCKS="")
    assert "no such folder" in done.line


def test_own_block_with_a_name_of_ours_is_refused(folder):
    edit(folder / "block.toml", NAME, "collector")
    done = lockstep(folder, code=Status.USAGE)
    assert "mine/block.toml:2: warplock has a block 'collector' itself" in done.line


def test_own_block_with_a_name_that_another_has_is_refused(folder):
    shutil.copytree(folder, folder.parent / "other")
    done = lockstep(folder, "--blocks", folder.parent / "other", code=Status.USAGE)
    assert f"other/block.toml:2: block '{NAME}' is in {folder} too" in done.line


# ---- tables -------------------------------------------------------------------------------------

TYPOS = {
    "top": ("channel = [", "chanel = [", 29, "unknown key chanel; did you mean channel?"),
    "block": ("block.clock", "block.clok", 5, "block: unknown key clok; did you mean clock?"),
    "param": ('name = "depth", default = 4', 'name = "depth", defualt = 4', 14,
              "unknown key defualt; did you mean default?"),
    "field": ('timing = "registered", doc = "there is room"', "timng = 1", 21,
              "unknown key timng; did you mean timing?"),
    "cover": ("floor = 2000,", "flor = 2000,", 37, "unknown key flor; did you mean floor?"),
    "channel": ('valid = "pop_valid_o",', 'vaild = "x",', 31,
                "unknown key vaild; did you mean valid?"),
    "config": ("depth=1 width=1", "depht=1", 41, "unknown key depht; did you mean depth?"),
    "name of a field": ('valid_when = "push_valid_i"', 'valid_when = "push_vald_i"', 22,
                        "no field 'push_vald_i'"),
    "expression": ("clog2(depth + 1)", "clog2(depht + 1)", 26, "names no parameter: depht"),
    "toml": ('config.default = ""', "config.default = ", None, "block.toml: "),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "message"), TYPOS.values(), ids=TYPOS)
def test_own_block_typo_in_its_table_names_line_and_remedy(folder, old, new, line, message):
    edit(folder / "block.toml", old, new)
    done = lockstep(folder, code=Status.MODEL_ERROR)
    assert message in done.line
    assert line is None or f"mine/block.toml:{line}: " in done.line


# ---- models -------------------------------------------------------------------------------------

EDGE = "    const bool push = in->push_valid_i && st->count < cfg->depth;\n"
COUNT = "    static uint32_t edges; if (edges++ > 500) { "
BROKEN = {
    "null": ("*(volatile int *)0 = 1;", "reads or writes where nothing is (SIGSEGV)"),
    "zero": ("raise(SIGFPE);", "divides by zero (SIGFPE)"),
    "abort": ("abort();", "calls abort (SIGABRT)"),
    "stack": (
        "volatile char big[64 << 20]; big[0] = 1;",
        "reads or writes where nothing is (SIGSEGV)",
    ),
    "state": ("memset(st + 1, 1, 16);", "writes behind its state in"),
}
JOBS = (["--jobs", "1"], ["--jobs", "2"])


def broken(folder, body):
    edit(folder / "model.c", EDGE, f"{COUNT}{body} }}\n{EDGE}")
    edit(
        folder / "model.c",
        '#include "frame/model.h"',
        '#include "frame/model.h"\n#include <signal.h>\n#include <stdlib.h>',
    )


@pytest.mark.parametrize("words", JOBS, ids=" ".join)
@pytest.mark.parametrize(("body", "message"), BROKEN.values(), ids=BROKEN)
def test_own_block_model_that_breaks_is_named(folder, body, message, words):
    broken(folder, body)
    done = lockstep(folder, *words, code=Status.MODEL_ERROR)
    assert f"block {NAME}: its model {message}" in done.last
    assert "after 50" in done.last


@pytest.mark.parametrize(("body", "message"), BROKEN.values(), ids=BROKEN)
def test_own_block_model_that_breaks_is_named_by_vectors(folder, body, message):
    broken(folder, body)
    words = ["vectors", "gen", NAME, folder.parent / "v.wlv", "--cycles", 2000, "--blocks", folder]
    done = typed(*words, code=Status.MODEL_ERROR, WLK_BLOCKS="")
    assert f"block {NAME}: its model {message}" in done.last
    assert not (folder.parent / "v.wlv").exists()


def test_own_block_model_that_breaks_is_named_by_check(folder):
    lockstep(folder, "--waves", code=Status.OK)
    (wave,) = (folder.parent.parent / "reports").glob("2*/*/wave.fst")
    words = ["check", wave, "--block", NAME, "--blocks", folder, "--reset", "reset:async"]
    assert "PASS" in typed(*words, code=Status.OK, WLK_BLOCKS="").out
    broken(folder, BROKEN["null"][0])
    done = typed(*words, code=Status.MODEL_ERROR, WLK_BLOCKS="")
    assert f"block {NAME}: its model {BROKEN['null'][1]}" in done.last


def test_own_block_model_that_does_not_compile_is_named(folder):
    edit(folder / "model.c", "st->count = 0;\n        return;", "st->cuont = 0;\n        return;")
    done = lockstep(folder, code=Status.BUILD_FAIL)
    assert "model.c does not compile" in done.err
    assert "cuont" in done.err


def test_own_block_output_record_that_is_left_is_found(folder):
    text = "memset((char *)out + sizeof *out, 0xff, 64);"
    edit(folder / "model.c", "    (void)in;\n    SHOW", f"    {text}\n    SHOW")
    done = lockstep(folder, code=Status.MODEL_ERROR)
    assert f"block {NAME}: its model writes behind its output" in done.last


# ---- libraries ----------------------------------------------------------------------------------

OTHER_ABI = """
#include "warplock/plugin.h"
__attribute__((visibility("default"))) extern const wlk_plugin wlk_plugin_entry;
const wlk_plugin wlk_plugin_entry = {WLK_ABI_VERSION + 1u, "x", 0, 0, 0};
"""
LIBRARIES = {
    "other ABI": (OTHER_ABI, Status.BAD_VERSION, "is of ABI version", "build it again"),
    "no entry": ("int x;", Status.NO_FILE, "has no wlk_plugin"),
}


@pytest.mark.parametrize("case", LIBRARIES)
def test_own_block_library_of_another_kind_is_refused(tmp_path, case):
    text, status, *parts = LIBRARIES[case]
    source, library = tmp_path / "x.c", tmp_path / "x.so"
    source.write_text(text)
    folders = [f"-I{setup.ROOT / name}" for name in ("refmodel/include", "dpi/include")]
    subprocess.run(["cc", "-shared", "-fPIC", *folders, source, "-o", library], check=True)
    env = {"WLK_BLOCK_LIBRARIES": str(library)}
    done = programs.run("dpi/wlk-vec", "layout", "collector", env=env)
    assert done.returncode == status
    assert all(part in done.stderr for part in parts), done.stderr


# ---- a checker without C ------------------------------------------------------------------------

ARBITER = programs.ROOT / "docs" / "examples" / "rr_arbiter"
BENCH = """`define WLK_IN_DESIGN(NAME) bench.dut.NAME
module beside;
  `include "INSTANCE"
endmodule
module bench;
  logic clk = 1'b0, rst = 1'b1, lock = 1'b0, accept = 1'b0, gnt_valid;
  logic [3:0] req = '0, gnt;
  logic [1:0] gnt_id;
  rr_arbiter dut (.*);
  initial forever #5 clk = !clk;
  initial begin
    repeat (2) @(negedge clk);
    rst = 1'b0;
    repeat (500) begin
      @(negedge clk);
      {lock, accept, req} = 6'($urandom);
    end
    $finish;
  end
endmodule
"""
DIFFERS = "FUNCTIONAL_MISMATCH in cycle"


def without_c(place, *, model=("", ""), rtl=("", "")):
    """What the checker of an arbiter's folder prints of its RTL; texts are replaced in either."""
    folder = place / "arbiter"
    shutil.copytree(ARBITER, folder)
    for path, (old, new) in ((folder / "model.c", model), (folder / "rtl/rr_arbiter.sv", rtl)):
        if old:
            edit(path, old, new)
    words = ("--rtl", folder / "rtl", "--synthesizable", "--out", place / "out")
    typed("bind", "rr_arbiter", "--blocks", folder, *words, code=0, WLK_BLOCKS="")
    files = sorted((place / "out").glob("*.sv"), reverse=True)  # the package first
    (instance,) = (place / "out").glob("*.svh")
    (place / "bench.sv").write_text(BENCH.replace("INSTANCE", str(instance)))
    files = [*(file for file in files if "_bind" not in file.name), place / "bench.sv"]
    files.append(folder / "rtl/rr_arbiter.sv")
    command = ["iverilog", "-g2012", "-s", "bench", "-s", "beside", "-o", place / "a"]
    done = subprocess.run([*command, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return subprocess.run(["vvp", "-n", place / "a"], capture_output=True, text=True).stdout


@pytest.mark.needs("iverilog")
def test_checker_without_c_compares_with_the_model(tmp_path):
    """Not with the RTL of the folder, which would agree with itself."""
    assert ": PASS, 501 cycles" in without_c(tmp_path / "right")
    rtl = ("last_q   <= gnt_id;", "last_q   <= gnt_id ^ 1'b1;")
    assert DIFFERS in without_c(tmp_path / "rtl", rtl=rtl)
    model = ("st->locked = in->lock;", "st->locked = 0;")
    assert DIFFERS in without_c(tmp_path / "model", model=model)


def test_checker_without_c_needs_model_c(tmp_path):
    folder = tmp_path / "arbiter"
    shutil.copytree(ARBITER, folder)
    edit(folder / "model.c", "do {\n", "goto next;\n    next: do {\n")
    words = ("--rtl", folder / "rtl", "--synthesizable", "--out", tmp_path / "out")
    done = typed(
        "bind", "rr_arbiter", "--blocks", folder, *words, code=Status.BUILD_FAIL, WLK_BLOCKS=""
    )
    assert "arbiter/model.c:25: Goto is no statement of model C" in done.err
    assert done.err.endswith("leave --synthesizable out\n")
