# SPDX-License-Identifier: Apache-2.0
"""What `vectors export --readmemh` writes beside the memories: the bench, a Makefile for Icarus and
Verilator, and what it is."""

from collections.abc import Mapping
from pathlib import Path

from ..base import outputs
from ..gen.player import LINES, MEMORIES, Player
from ..gen.sv import Harness
from . import vectors
from .vectors import Header

MAKEFILE, README = "Makefile", "README.md"


def write(
    folder: Path, header: Header, harness: Harness, more: Mapping[str, str], *, force: bool
) -> list[Path]:
    """Write the folder, and name its files. `more`: name and text of what stands between the bench
    and the design."""
    player = Player(
        harness,
        header.cycles,
        from_reset=header.power_up != "zero",
        vectors=header.path.name,
        skips_reset=harness.async_reset != (header.reset == "async"),
        more=[*more],
    )
    memories = [f"{name}.hex" for name in MEMORIES]
    names = [*memories, f"{player.module}.sv", MAKEFILE, README, *more]
    outputs.make_folder(folder)
    with outputs.locked(folder):
        for name in names:
            outputs.refuse(folder / name, force)
        table, config = harness.table, harness.cfg
        answer = vectors.export(header, table, config, "hex", folder, force=force)
        bench = player.text(int(answer["mark"], 16))
        texts = [bench, _makefile(player), _readme(player, header), *more.values()]
        contents = zip(names[len(memories) :], texts, strict=True)
        outputs.save(folder, {name: text.encode() for name, text in contents}, force=force)
    return [folder / name for name in names]


def _makefile(player: Player) -> str:
    dut = player.harness.module
    own = "".join(f"$(WLK)/{name} " for name in player.more)
    return f"""# SPDX-License-Identifier: Apache-2.0
# Written by warplock vectors export: plays the vectors of this folder on your RTL.
#   make -f bench/Makefile RTL="my_rtl/*.sv"
# RTL    files of the design
# SIM    icarus or verilator
# DUT    the module, if its name differs; with parameters: DUT='{dut} #(.N(4))'
# SHOWN  differences that are printed
# FLAGS  more for the compiler
WLK := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
TOP := {player.module}
RTL ?=
SIM ?= icarus
DUT ?= {dut}
SHOWN ?= {LINES}
FLAGS ?=
IVERILOG ?= iverilog
VVP ?= vvp
VERILATOR ?= verilator
MDIR ?= obj_dir
SOURCES = $(RTL) {own}$(WLK)/$(TOP).sv
MACROS = '-DWLK_DIR="$(WLK)"' '-DWLK_DUT=$(DUT)'
# Whoever ends the simulation: without PASS it has failed.
VERDICT = > $(TOP).log 2>&1; cat $(TOP).log; grep -q '^PASS ' $(TOP).log
$(if $(RTL),,$(error RTL is empty; give the files of the design: RTL="my_rtl/*.sv"))

.PHONY: run icarus verilator
run: $(SIM)

icarus:
\t$(IVERILOG) -g2012 $(FLAGS) $(MACROS) -P$(TOP).Lines=$(SHOWN) -s $(TOP) -o $(TOP).vvp $(SOURCES)
\t$(VVP) -n $(TOP).vvp $(VERDICT)

verilator:
\t$(VERILATOR) --binary --timing $(FLAGS) $(MACROS) -GLines=$(SHOWN) --top-module $(TOP) \\
\t  --Mdir $(MDIR) $(SOURCES)
\t$(MDIR)/V$(TOP) $(VERDICT)
"""


def _readme(player: Player, header: Header) -> str:
    table, dut = player.harness.table, player.harness.module
    own = "".join(
        f"| `{name}` | `{dut}`: the design behind the table's ports |\n" for name in player.more
    )
    if table.reset is None:
        begin = "Every cycle is compared."
    elif player.from_reset:
        begin = "Cycles are compared behind the first edge in reset."
    else:
        begin = """Cycles are compared from the first one on: by the file (`power_up`)
registers that no reset reaches power up as 0, so in a simulator with four states yours must, too.
Make the file with `--power-up unknown` if they do not."""
    return f"""# Vectors of `{table.name}` in plain Verilog

{player.cycles:,} cycles of `{header.path.name}` for the module `{dut}`.
Configuration: {table.text(player.harness.cfg)}.
No C and no DPI: any simulator that has `$readmemh` and `$fatal` plays them.

    make -f Makefile RTL="my_rtl/*.sv"                  # in Icarus
    make -f Makefile RTL="my_rtl/*.sv" SIM=verilator

| file | what |
|---|---|
| `{player.module}.sv` | the bench: drives `{dut}`, compares before each rising edge |
| `in.hex`, `expect.hex`, `care.hex` | a word a cycle: inputs, expected outputs, bits that count |
{own}
It ends with `PASS` and the cycles, or with the first {LINES} differences, `FAIL`, and a code that
is not 0:

    cycle 12: io_readReq_ready: expected 1, got x, care 1

`cycle` counts rising edges of the clock from 0, `care` has a 1 for each bit that counts. X and Z in
a bit that counts differ. {begin}{" Those in reset are not." if player.skips_reset else ""}

Elsewhere compile the bench with the RTL. `+define+WLK_DIR="path"` names the folder of the memories
(default: where the simulation runs), `+define+WLK_DUT=name` another module.
"""
