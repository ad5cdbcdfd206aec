# SPDX-License-Identifier: Apache-2.0
"""A block without a clock, and with opaque fields: each time step in which a port changes."""

import random

import cocotb
from cocotb.triggers import Timer
from warplock.cocotb import Lockstep


@cocotb.test()
async def each_change_is_compared(dut):
    lockstep = Lockstep(dut)
    dice = random.Random(1)
    inputs = [each for each in dut if "_in_" in each._name or each._name.endswith("ready")]
    inputs = [each for each in inputs if not ("_in_" in each._name and "ready" in each._name)]
    for _ in range(200):
        for port in inputs:
            port.value = dice.getrandbits(len(str(port.value)))
        await Timer(1, "ns")
    result = lockstep.result()
    assert result.passed and result.cycles - result.skipped > 150, result
