# SPDX-License-Identifier: Apache-2.0
"""Protocol rules: their conditions in the tables, as SystemVerilog, against the C models.

Inputs are random, so that they keep each rule and break it; outputs are the C model's.
"""

import random
import subprocess
from pathlib import Path
from typing import NamedTuple

import adapter
import programs
import pytest
from wlk import tables
from wlk.gen import rules

SEED = 20261123
CYCLES = 400
LEAST = 8  # cycles that break a rule, and that keep it
UNREACHED = ("stalled_too_long",)  # which has a test of its own below
CASES = [
    ("collector", "tiny"), ("collector", "three_entries"), ("collector", "one_entry"),
    ("collector_x", "one_entry"), ("collector_x", "cache_one"), ("collector_x", "minimal"),
    ("collector_x", "inst_must"), ("collector_x", "tiny"), ("collector_x", "inst_two"),
    ("issue_x", "inst_option2_1"),
    ("opndcoll", "tiny"), ("opndcoll", "odd"), ("opndcoll", "data"), ("opndcoll", "data_flat"),
    ("opndcoll", "v42_data"),
    ("reservation_station", "tiny"), ("reservation_station", "rows2"),
    ("vortex_scoreboard", "two_warps"), ("vortex_scoreboard", "no_float"),
    ("vortex_scoreboard", "twelve"), ("vortex_scoreboard", "tree"),
    ("vortex_opc_unit", "one_bank"), ("vortex_opc_unit", "sixteen_banks"),
    ("vortex_operands", "sixteen"),
]  # fmt: skip


class Pin(NamedTuple):
    """A port as the adapter takes it."""

    name: str
    direction: str
    width: int


class Case:
    """A configuration with its ports and rules; `name` is one in SystemVerilog too."""

    def __init__(self, block: str, config: str) -> None:
        self.name, self.table = f"{block}_{config}", tables.load(block)
        self.config = self.table.config(self.table.configs[config])
        self.rules = rules.rules_of(self.table, self.config)
        self.pins = [Pin(p.name, p.direction[0], p.width) for p in self.table.ports(self.config)]
        self.rows, self.broken = self._play()

    def _play(self) -> tuple[list[adapter.Row], list[int]]:
        """Each cycle's ports, and the bitmap of the rules that the C model finds broken."""
        dice = random.Random(f"{SEED} {self.name}")
        inputs = [pin for pin in self.pins if pin.direction == "i"]
        rows = [{pin.name: dice.getrandbits(pin.width) for pin in inputs} for _ in range(CYCLES)]
        for cycle, row in enumerate(rows):
            row["reset"] = int(cycle == 0 or dice.random() < 0.05)
        got = adapter.model_cycles(self.table, self.config, self.pins, rows)
        values = [{name: value for name, (value, _) in outputs.items()} for outputs, _ in got]
        both = [row | value for row, value in zip(rows, values, strict=True)]
        return both, [broken for _, broken in got]

    def want(self) -> list[set[str]]:
        """The rules that are broken, by the C model."""
        names = [rule["name"] for rule in self.table.rules]
        return [{n for bit, n in enumerate(names) if bits >> bit & 1} for bits in self.broken]

    def module(self, place: Path) -> str:
        """The rules by a name of their own, and a player, which shows them a row after another."""
        text = rules.module_sv(self.table, self.config)
        assert text is not None
        own = f"wlk_{self.name}_rules"
        read = {port.name for rule in self.rules for port in rule.ports}
        remembers = any(rule.registers for rule in self.rules)
        read |= {self.table.reset} if remembers else set()
        pins = [pin for pin in self.pins if pin.name in read]
        clock = self.table.clock if remembers else "no_clock"
        lines = (self._hex(pins, row) for row in self.rows)
        (place / f"{self.name}.hex").write_text("".join(lines))
        wires = "".join(f"  logic [{pin.width - 1}:0] {pin.name};\n" for pin in pins)
        outputs = [rule.output for rule in self.rules]
        return f"""{text.replace(f"wlk_{self.table.name}_rules", own)}
module play_{self.name};
{wires}  logic {", ".join([*outputs, clock])};
  {own} u_rules (.*);
  bit [{sum(pin.width for pin in pins) - 1}:0] rows[{CYCLES}];
  initial begin
    {clock} = 1'b0;
    $readmemh("{place}/{self.name}.hex", rows);
    for (int i = 0; i < {CYCLES}; i++) begin
      {{{", ".join(pin.name for pin in pins)}}} = rows[i];
      #1;
      $display("{self.name} %0d %b", i, {{{", ".join(outputs)}}});
      {clock} = 1'b1;
      #1;
      {clock} = 1'b0;
    end
  end
endmodule
"""

    def _hex(self, pins: list[Pin], row: adapter.Row) -> str:
        value = 0
        for pin in pins:
            value = value << pin.width | row[pin.name]
        return f"{value:x}\n"

    def got(self, printed: list[list[str]]) -> list[set[str]]:
        """The same by the modules."""
        names = [rule.name for rule in self.rules]
        return [
            {name for name, bit in zip(names, bits, strict=True) if bit == "1"}
            for case, _, bits in printed
            if case == self.name
        ]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [Case(*each) for each in CASES]


@pytest.fixture(scope="module")
def printed(cases: list[Case], tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """What all the modules say, from one simulation."""
    place = tmp_path_factory.mktemp("rules")
    players = [case.module(place) for case in cases]
    top = "".join(f"  play_{case.name} u_{case.name} ();\n" for case in cases)
    source = place / "all.sv"
    source.write_text("".join(players) + f"module all;\n{top}endmodule\n")
    program = programs.simulation(place, "all", source)
    done = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60)
    return [line.split() for line in done.stdout.splitlines() if line.count(" ") == 2]


@pytest.mark.parametrize("number", range(len(CASES)), ids=["-".join(each) for each in CASES])
def test_table_and_model_find_the_same_rules_broken(
    cases: list[Case], printed: list[list[str]], number: int
) -> None:
    case = cases[number]
    want, got = case.want(), case.got(printed)
    assert len(got) == len(want) == CYCLES
    # In the first cycle, before the first reset edge, no rule holds.
    wrong = [i for i in range(1, CYCLES) if want[i] != got[i]]
    assert not wrong, f"cycle {wrong[0]}: model {want[wrong[0]]}, table {got[wrong[0]]}"
    names = [rule.name for rule in case.rules if rule.name not in UNREACHED]
    hits = {name: sum(name in each for each in want) for name in names}
    assert [name for name, n in hits.items() if not LEAST <= n <= CYCLES - LEAST] == [], hits


@pytest.mark.parametrize("block", tables.names())
def test_block_without_rules_has_no_module(block: str) -> None:
    table = tables.load(block)
    texts = [rules.module_sv(table, table.config(each)) for each in table.configs.values()]
    assert any(texts) == bool(table.rules)


STALLED = """module stalled;
  logic clk, reset, wb_valid, wb_data_wis, wb_data_eop;
  logic ib_0_valid, ib_0_ready, ib_0_data_wb, ib_1_valid, ib_1_ready, ib_1_data_wb;
  logic [5:0] wb_data_rd, ib_0_data_rd, ib_1_data_rd;
  logic wlk_rule_writeback_not_in_use, wlk_rule_stalled_too_long;
  wlk_vortex_scoreboard_rules u_rules (.*);
  initial begin
    {reset, ib_0_ready, ib_1_ready, clk, wb_valid, ib_0_valid, ib_1_valid} = 7'b1110000;
    for (int i = 0; i < 100010; i++) begin
      #1;
      if (wlk_rule_stalled_too_long) $display("%0d", i);
      clk = 1'b1;
      #1;
      {clk, reset} = 2'b00;
      ib_0_ready = (i < 3) || (i == 100006);
    end
  end
endmodule
"""


def test_table_counts_the_cycles_that_an_instruction_waits(tmp_path: Path) -> None:
    """It waits from cycle 4 on, 100,000 cycles up to 100,003, and leaves in cycle 100,007."""
    table = tables.load("vortex_scoreboard")
    text = rules.module_sv(table, table.config(table.configs["two_warps"]))
    (tmp_path / "stalled.sv").write_text(text + STALLED)
    program = programs.simulation(tmp_path, "stalled", tmp_path / "stalled.sv")
    done = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60)
    assert [*map(int, done.stdout.split())] == [*range(100_004, 100_008)]
