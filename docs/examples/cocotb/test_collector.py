# SPDX-License-Identifier: Apache-2.0
"""Tests of a collector in cocotb: docs/python.md. The stimulus is warplock's, the monitor too."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from warplock import Model
from warplock.cocotb import Lockstep


@cocotb.test()
async def collector_equals_its_model(dut):
    """Random requests, each cycle compared."""
    Clock(dut.clock, 10, "ns").start()
    lockstep = Lockstep(dut.u_collector)
    model = Model("collector", num_lanes=4)
    for words in model.stimulus(seed=1, cycles=300):
        await FallingEdge(dut.clock)
        for port, value in model.inputs.unpack(words).items():
            getattr(dut, port).value = value
    await FallingEdge(dut.clock)
    assert lockstep.result().cycles >= 300


@cocotb.test()
async def value_that_was_written_is_read(dut):
    """A test of one's own: what it does not look at, the monitor does."""
    Clock(dut.clock, 10, "ns").start()
    Lockstep(dut.u_collector)
    for port in Model("collector", num_lanes=4).inputs:
        getattr(dut, port).value = 0
    await FallingEdge(dut.clock)
    await cycle(dut, reset=1)
    write = {"valid": 1, "bits_regs_0_enable": 1, "bits_regs_0_pReg": 5, "bits_regs_0_tmask": 0xF}
    data = {f"bits_regs_0_data_{lane}": 100 + lane for lane in range(4)}
    await cycle(dut, **{f"io_writeReq_{name}": value for name, value in (write | data).items()})
    read = {"valid": 1, "bits_regs_0_enable": 1, "bits_regs_0_pReg": 5}
    await cycle(dut, **{f"io_readReq_{name}": value for name, value in read.items()})
    entry = int(dut.io_readResp_bits_collEntry.value)
    take = {"valid": 1, "bits_collEntry": entry, "bits_regs_0_enable": 1}
    await cycle(dut, **{f"io_readData_req_{name}": value for name, value in take.items()})
    found = [int(getattr(dut, f"io_readData_resp_bits_0_data_{n}").value) for n in range(4)]
    assert found == [100, 101, 102, 103]


async def cycle(dut, **ports):
    """One cycle with these inputs, and 0 at them from then on."""
    for port, value in ports.items():
        getattr(dut, port).value = value
    await FallingEdge(dut.clock)
    for port in ports:
        getattr(dut, port).value = 0
