# SPDX-License-Identifier: Apache-2.0
"""Faults that operators make of a netlist: which ones, and where none is made."""

import pytest
from wlk.prove import netlist
from wlk.prove.netlist import CLOCK_PINS, Source
from wlk.run import mutants

pytestmark = pytest.mark.needs("prove")
COUNTER = """
module counter(input clock, input reset, input step, input [31:0] data,
               output reg [31:0] count, output reg [31:0] held);
  always @(posedge clock)
    if (reset) count <= 0;
    else if (step) count <= count + 1;
  always @(posedge clock) held <= data;
endmodule
"""
GATE = "module gate(input a, input b, output c); assign c = a && !b; endmodule\n"


def made(folder, text, top, count=120, seed=1):
    """The faults of a module."""
    path = folder / f"{top}.sv"
    path.write_text(text, encoding="utf-8")
    return mutants.make(netlist.read(Source([path], top)), count, seed, folder / str(seed))


def test_faults_are_numbered_and_each_is_another(tmp_path):
    each = made(tmp_path, COUNTER, "counter").each
    assert [mutant.number for mutant in each] == list(range(1, len(each) + 1))
    assert len(each) > 60
    assert len({(m.line, m.port, m.bit, m.kind) for m in each}) == len(each)
    assert {m.kind for m in each if m.port} == set(mutants.KINDS)


def test_no_clock_is_at_fault_and_no_bit_out_of_reach(tmp_path):
    each = made(tmp_path, COUNTER, "counter", 2000).each
    pins = {mutants._of(m.line, "-port") for m in each if m.line}
    assert pins and pins.isdisjoint(CLOCK_PINS)
    bits = {name: set() for name in ("count", "held")}
    for m in each:
        if m.line and mutants._of(m.line, "-wire") in bits:
            bits[mutants._of(m.line, "-wire")].add(int(mutants._of(m.line, "-wirebit")))
        if m.port:
            bits[m.port.name].add(m.bit)
    assert max(bits["count"]) == mutants.REACH - 1
    assert max(bits["held"]) > 2 * mutants.REACH


def test_seed_chooses(tmp_path):
    names = {
        seed: [m.name for m in made(tmp_path, COUNTER, "counter", 20, seed).each] for seed in (1, 2)
    }
    assert [m.name for m in made(tmp_path, COUNTER, "counter", 20, 1).each] == names[1]
    assert names[1] != names[2]


def test_nothing_is_late_without_a_clock(tmp_path):
    each = made(tmp_path, GATE, "gate").each
    assert {m.kind for m in each if m.port} == set(mutants.KINDS[:-1])
