# SPDX-License-Identifier: Apache-2.0
"""Run the cocotb tests of a module here: simulator, folder to build in, top, module, sources."""

import sys
from pathlib import Path

from cocotb_tools.runner import get_runner

simulator, place, top, module, *sources = sys.argv[1:]
runner = get_runner(simulator)
runner.build(
    sources=[Path(source) for source in sources],
    hdl_toplevel=top,
    timescale=("1ns", "1ps"),
    build_args=["-Wno-fatal"] if simulator == "verilator" else [],
    build_dir=place,
)
runner.test(
    test_module=module,
    hdl_toplevel=top,
    test_dir=Path(__file__).resolve().parent,
    build_dir=place,
    results_xml=f"{place}/results.xml",
)
