# SPDX-License-Identifier: Apache-2.0
"""Tests of sampled.sv in cocotb, run by test_cocotb.py, which knows which of them must fail."""

from pathlib import Path

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge, Timer
from warplock import Error
from warplock.cocotb import Lockstep

FIFO = {
    "blocks": Path(__file__).parents[2] / "docs/examples",
    "map": Path(__file__).parents[2] / "docs/examples/fifo/map.toml",
}
PORTS = {  # of `seen`, the highest bits first; the map turns the reset
    "in": {"reset": 1, "flush_i": 1, "push_valid_i": 1, "push_data_i": 8, "pop_ready_i": 1},
    "out": {"push_ready_o": 1, "pop_valid_o": 1, "pop_data_o": 8, "count_o": 3},
}


async def started(dut, reset=3):
    dut.poison.value = 0
    dut.rst.value = 1 if reset else 0
    Clock(dut.clock, 10, "ns").start()
    for _ in range(reset or 3):
        await FallingEdge(dut.clock)
    dut.rst.value = 0


@cocotb.test()
async def passes_and_compares_what_the_edge_sees(dut):
    await started(dut)
    lockstep = Lockstep(dut.u_fifo, depth=4, **FIFO)
    checker, compared = lockstep.checker, []

    def spy(inputs, outputs, *, inputs_x, outputs_x):
        assert lockstep._clock.value == 1, "it is the time step of the edge"
        unknown = inputs_x.any() or outputs_x.any()
        values = checker.inputs.unpack(inputs) | checker.outputs.unpack(outputs)
        values["reset"] = 1 - values["reset"]
        text = "".join(f"{values[n]:0{w}b}" for side in PORTS.values() for n, w in side.items())
        seen = str(dut.seen.value)
        compared.append("?" if unknown else text)
        assert unknown or text == seen, f"edge {len(compared)}"
        return type(checker).step(checker, inputs, outputs, inputs_x=inputs_x, outputs_x=outputs_x)

    checker.step = spy
    before = int(dut.edges.value)
    dut.rst.value = 1
    await FallingEdge(dut.clock)
    dut.rst.value = 0
    for _ in range(300):
        await RisingEdge(dut.clock)
    await ReadOnly()
    result = lockstep.result()
    assert result.verdict == "PASS" and result.cycles == 301, result
    assert len(compared) == 301 and len(set(compared)) > 200 and compared.count("?") < 10
    assert int(dut.edges.value) - before == 301


@cocotb.test()
async def fails_where_the_model_has_another_depth(dut):
    await started(dut)
    dut.rst.value = 1
    Lockstep(dut.u_fifo, depth=5, **FIFO)
    await FallingEdge(dut.clock)
    dut.rst.value = 0
    await Timer(3, "us")
    raise RuntimeError("the monitor has not ended the test")


@cocotb.test()
async def log_goes_on_and_leaves_it_to_the_test(dut):
    await started(dut)
    lockstep = Lockstep(dut.u_fifo, depth=5, on_mismatch="log", **FIFO)
    dut.rst.value = 1
    await FallingEdge(dut.clock)
    dut.rst.value = 0
    await Timer(3, "us")
    result = lockstep.result()
    assert result.verdict == "FUNCTIONAL_MISMATCH" and result.cycles > 200
    assert result.first["port"] == "push_ready_o" and "push_ready_o" in lockstep.report()


@cocotb.test()
async def fails_without_a_reset(dut):
    await started(dut, reset=0)
    Lockstep(dut.u_fifo, **FIFO)
    await Timer(1, "us")


@cocotb.test()
async def fails_without_an_edge(dut):
    dut.clock.value = 0
    Lockstep(dut.u_fifo, **FIFO)
    await Timer(1, "us")


@cocotb.test()
async def fails_where_the_test_ends_at_once(dut):
    Lockstep(dut.u_fifo, **FIFO)


@cocotb.test()
async def fails_at_an_input_that_is_x(dut):
    await started(dut)
    Lockstep(dut.u_fifo, **FIFO)
    dut.rst.value = 1
    await FallingEdge(dut.clock)
    dut.rst.value = 0
    for _ in range(20):
        await FallingEdge(dut.clock)
    dut.poison.value = 1
    await Timer(1, "us")
    assert cocotb.SIM_NAME == "Verilator", "the monitor has not ended the test"


@cocotb.test()
async def many_ways_to_say_it(dut):
    """A clock by its handle, a start in the read-only phase, several monitors."""
    await started(dut)
    dut.rst.value = 1
    await ReadOnly()
    monitors = [Lockstep(dut.u_fifo, clock=dut.clock, depth=4, **FIFO)]
    plain = {"block": "fifo", "blocks": FIFO["blocks"], "depth": 4}
    monitors += [Lockstep(dut.u_fifo, blocks=FIFO["blocks"])]  # by the map in its folder
    monitors += [Lockstep(dut.u_fifo, clock="clk_i", reset="rst_ni:low:async", **plain)]
    await FallingEdge(dut.clock)
    dut.rst.value = 0
    for _ in range(100):
        await FallingEdge(dut.clock)
    for each in monitors:
        assert each.result().passed and each.result().cycles >= 99


@cocotb.test()
async def refuses_what_does_not_fit(dut):
    await started(dut)
    with pytest.raises(Error, match="IFACE_CHANGED: .*sampled"):
        Lockstep(dut, "collector")
    with pytest.raises(Error, match="NO_CLOCK: .*clk_i; give clock="):
        Lockstep(dut, "fifo", blocks=FIFO["blocks"])
    with pytest.raises(Error, match="BAD_CONFIG: .*parameter 'deep'"):
        Lockstep(dut.u_fifo, deep=3, **FIFO)
    with pytest.raises(Error, match="NO_CLOCK: .*clk"):
        Lockstep(dut.u_fifo, clock="clk", **FIFO)
    with pytest.raises(Error, match="USAGE: on_mismatch"):
        Lockstep(dut.u_fifo, on_mismatch="ignore", **FIFO)
    with pytest.raises(Error, match="NO_FILE|none.toml"):
        Lockstep(dut.u_fifo, blocks=FIFO["blocks"], map="none.toml")
