# SPDX-License-Identifier: Apache-2.0
"""Run the tests of this folder: `python run.py icarus|verilator RTL_FOLDER`."""

import sys
from pathlib import Path

from cocotb_tools.runner import get_results, get_runner

HERE = Path(__file__).resolve().parent
simulator, rtl = sys.argv[1], Path(sys.argv[2])
build = Path("sim_build") / simulator
runner = get_runner(simulator)
runner.build(
    sources=[*sorted(rtl.glob("*.sv")), HERE / "tb.sv"],
    hdl_toplevel="tb",
    timescale=("1ns", "1ps"),
    build_args=["-Wno-fatal"] if simulator == "verilator" else [],
    build_dir=build,
)
results = runner.test(
    test_module="test_collector", hdl_toplevel="tb", test_dir=HERE, build_dir=build.resolve(),
    results_xml=str(build.resolve() / "results.xml"),
)  # fmt: skip
tests, failed = get_results(results)
sys.exit(tests == 0 or failed > 0)
