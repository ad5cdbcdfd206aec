# SPDX-License-Identifier: Apache-2.0
"""The folder that `warplock bind` writes: complete, so that it may be moved or packed.

Beside the checkers lie the library, the headers that the step calls include, `files.f` with names
relative to itself, and a Makefile for each family of simulators. `warplock.f` alone has absolute
paths: it is for Verilator's -f where the folder was written.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from .. import tables
from ..base import outputs, setup
from ..gen.sv import ABI_VERSION
from . import build, own_blocks
from .verilate import Tool

LIBRARY = ("libwarplock_dpi.so", f"libwarplock_dpi.so.{ABI_VERSION}")
HEADERS = (
    "dpi/include/warplock/dpi.h",
    "dpi/include/warplock/checker.h",
    "dpi/include/warplock/json.h",
    "refmodel/include/warplock/block.h",
    "refmodel/include/warplock/error.h",
)
LIST, FILES = "warplock.f", "files.f"
ICARUS, VERILATOR = "Makefile.icarus", "Makefile.verilator"
ON_PATH = "VERILATOR ?= verilator\n"


def write(
    out: Path, texts: Mapping[str, str], block: str, *, force: bool, sva: bool,
    verilator: Tool | None = None,
) -> None:  # fmt: skip
    """Write the files of a block's checker, or add them to a folder with others; NO_FILE when one
    would change that is there, without `force`. Texts in C need the library. `verilator`: that of
    its makefile, if not the one on PATH."""
    contents = {name: text.encode() for name, text in texts.items()}
    steps = [name for name in texts if name.endswith(".c")]
    if steps:
        contents |= _library(block)
    outputs.make_folder(out)
    with outputs.locked(out):
        outputs.save(out, contents, force=force)
        if steps:
            include = out / "include" / "warplock"
            headers = {Path(name).name: (setup.ROOT / name).read_bytes() for name in HEADERS}
            outputs.make_folder(include)
            outputs.save(include, headers, force=force)
        sources = [name for name in texts if name.endswith(".sv")]
        files = _added(out / FILES, ["// Relative to this file: give it with -F.", *sources])
        _save(out / FILES, files)
        _save(out / LIST, _added(out / LIST, _absolute(out, sources, steps, sva)))
        for name, text in MAKEFILES.items():
            if bool(steps) == (name != ICARUS):
                if name == VERILATOR and verilator is not None:
                    text = text.replace(ON_PATH, _chosen(verilator))
                _save(out / name, text.splitlines())


def _chosen(tool: Tool) -> str:
    """The lines of a makefile that choose a Verilator."""
    made = "".join(f" -MAKEFLAGS {word}" for word in tool.make_args)
    made += " -CFLAGS -std=gnu++20" if tool.is_packaged else ""  # it knows no option for --timing
    root = f"export VERILATOR_ROOT ?= {tool.root}\n" if tool.is_packaged else ""
    return f"VERILATOR ?= {tool.program}{made}\n{root}"


def write_model(out: Path, name: str, text: str, block: str, *, force: bool) -> None:
    """Write a file that calls the library and needs no step call, the library, and the list for
    Verilator; as write()."""
    outputs.make_folder(out)
    with outputs.locked(out):
        outputs.save(out, {name: text.encode()} | _library(block), force=force)
        lines = [f"// For -f, of {out.resolve()}.", *_linked(out), str(out.resolve() / name)]
        _save(out / LIST, _added(out / LIST, lines))


def _library(block: str) -> dict[str, bytes]:
    """Copies of the library by the names that a simulator asks for, and of the library of a user's
    block, which it finds beside itself."""
    built = build.brought_up() / "dpi" / "libwarplock_dpi.so"
    found = dict.fromkeys(LIBRARY, built.read_bytes())
    if block in tables.own():
        path = own_blocks.library(block)
        found[path.name] = path.read_bytes()
    return found


def _order(line: str) -> tuple[bool, bool, bool]:
    return not line.startswith("//"), not line.endswith("_pkg.sv"), line.endswith("_bind.sv")


def _added(path: Path, wanted: Sequence[str]) -> list[str]:
    """The lines of a list, and those that it lacks. Packages are first, and what binds is last:
    a list may grow by another checker."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return sorted(dict.fromkeys([*lines, *wanted]), key=_order)


def _save(path: Path, lines: Sequence[str]) -> None:
    with outputs.atomic_write(path) as file:
        file.write("\n".join(lines) + "\n")


def _absolute(out: Path, sources: Sequence[str], steps: Sequence[str], sva: bool) -> list[str]:
    """The list that Verilator reads with -f; `sva`: with assertions, which it ignores unless it is
    told."""
    place = out.resolve()
    fixed = [f"// For -f, of {place}; when the folder moves: Makefile.verilator."]
    if steps:
        fixed += [f"-CFLAGS -I{place / 'include'}", *_linked(out)]
    if sva:
        fixed.append("--assert")
    return [*fixed, *(str(place / name) for name in (*sources, *steps))]


def _linked(out: Path) -> list[str]:
    """What links the library."""
    place = out.resolve()
    words = [f"-L{place}", "-lwarplock_dpi", f"-Wl,-rpath,{place}"]
    if build.folder().name == "asan":  # our own sanitized runs: its runtime comes first
        words.append("-fsanitize=address,undefined")
    return [f"-LDFLAGS {word}" for word in words]


_HEAD = """# SPDX-License-Identifier: Apache-2.0
# Written by warplock bind: your RTL with the checkers of this folder, in {simulator}.
#   make -f {folder}/Makefile.{name} RTL="my_rtl/*.sv tb.sv" TOP=tb
# RTL    files of the design and its test bench
# TOP    the module on top
# FLAGS  more for the compiler
{notes}WLK := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
RTL ?=
TOP ?=
FLAGS ?=
$(if $(RTL),,$(error RTL is empty; give the files of the design: RTL="my_rtl/*.sv tb.sv"))
$(if $(TOP),,$(error TOP is empty; give the module on top: TOP=tb))

# $(call judged,COMMAND): its output is in wlk.log too. Not every simulator exits non-zero after
# $fatal, and a checker may not be in the design: one verdict must be PASS, and none another.
define judged
{{ $(1); echo $$? >wlk.code; }} 2>&1 | tee wlk.log
@test "$$(cat wlk.code)" = 0
@grep -q ': PASS, [0-9]* cycles' wlk.log || {{ echo "no checker has passed" >&2; exit 1; }}
@! grep -E ': [A-Z_]+(, ([0-9]+|no) cycle| in cycle)' wlk.log | grep -v ': PASS, ' >&2
endef
"""
_UNTRIED = """# Not run with {simulator}: its options are those of its manual. {more}
"""
# The step calls and the library as one object for a simulator.
_STEPS = """SVDPI ?= {svdpi}
STEPS := wlk_steps.so

.PHONY: run
{rule}
$(STEPS): $(wildcard $(WLK)/wlk_*_step.c)
\t$(CC) -shared -fPIC -I$(SVDPI) -I$(WLK)/include -o $@ $^ \\
\t  -L$(WLK) -lwarplock_dpi -Wl,-rpath,$(WLK)
"""
_VERILATOR = (
    ON_PATH
    + """MDIR ?= obj_dir

.PHONY: run
run: $(MDIR)/V$(TOP)
\t$(call judged,./$<)

$(MDIR)/V$(TOP): $(wildcard $(RTL) $(WLK)/*.sv $(WLK)/*.c)
\t$(VERILATOR) --binary --timing $(FLAGS) --Mdir $(MDIR) --top-module $(TOP) \\
\t  $(if $(wildcard $(WLK)/wlk_*_assertions*.sv),--assert) -CFLAGS -I$(WLK)/include \\
\t  -LDFLAGS "-L$(WLK) -lwarplock_dpi -Wl,-rpath,$(WLK)" \\
\t  -F $(WLK)/files.f $(wildcard $(WLK)/wlk_*_step.c) $(RTL)
"""
)
_ICARUS = """IVERILOG ?= iverilog

.PHONY: run
run: $(TOP).vvp
\t$(call judged,vvp -n $<)

# Icarus knows no `bind`: the design or its bench includes wlk_*_hw_checker_instance.svh.
$(TOP).vvp: $(wildcard $(RTL) $(WLK)/*.sv $(WLK)/*.svh)
\t$(IVERILOG) -g2012 $(FLAGS) -I $(WLK) -s $(TOP) -o $@ \\
\t  $(WLK)/wlk_verdict_pkg.sv \\
\t  $(filter-out %_bind.sv,$(wildcard $(WLK)/wlk_*_hw_checker*.sv)) $(RTL)
"""
_QUESTA = """run: $(STEPS)
\tvlib work
\tvlog -sv -mfcu -cuname wlk_unit $(FLAGS) -F $(WLK)/files.f $(RTL)
\t$(call judged,vsim -c $(TOP) wlk_unit -sv_lib $(basename $(STEPS)) -do "run -all; quit -f")
"""
_VCS = """run: $(STEPS)
\tvcs -full64 -sverilog $(FLAGS) -F $(WLK)/files.f $(RTL) -top $(TOP) -o simv
\t$(call judged,./simv -sv_lib ./$(basename $(STEPS)))
"""
_XCELIUM = """run: $(STEPS)
\t$(call judged,xrun -64bit -sv $(FLAGS) -F $(WLK)/files.f $(RTL) -top $(TOP) -sv_lib ./$(STEPS))
"""
_SIMULATORS = {  # name: (simulator, where its svdpi.h is, how it runs, what to know)
    "questa": (
        "Questa",
        "$(or $(QUESTA_HOME),$(MTI_HOME))/include",
        _QUESTA,
        "QUESTA_HOME\n"
        "# names its folder. The bind statements are a unit, wlk_unit, loaded beside TOP.",
    ),
    "vcs": ("VCS", "$(VCS_HOME)/include", _VCS, "VCS_HOME names its folder."),
    "xcelium": (
        "Xcelium",
        "$(shell xmroot 2>/dev/null)/tools/include",
        _XCELIUM,
        "Its xmroot is in the PATH.",
    ),
}


def _makefile(name: str, simulator: str, body: str, notes: str = "") -> str:
    return _HEAD.format(simulator=simulator, folder="wlk", name=name, notes=notes) + body


MAKEFILES = {
    VERILATOR: _makefile("verilator", "Verilator", _VERILATOR),
    ICARUS: _makefile("icarus", "Icarus", _ICARUS),
    **{
        f"Makefile.{name}": _makefile(
            name,
            simulator,
            _STEPS.format(svdpi=svdpi, rule=rule),
            _UNTRIED.format(simulator=simulator, more=more),
        )
        for name, (simulator, svdpi, rule, more) in _SIMULATORS.items()
    },
}
