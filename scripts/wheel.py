# SPDX-License-Identifier: Apache-2.0
"""The package in a wheel, with the command below it: pip writes a program that calls main()."""

import runpy
import sys
from pathlib import Path


def main() -> None:
    """Run the command beside this file."""
    program = str(Path(__file__).resolve().parent / "scripts" / "warplock")
    sys.argv[0] = program
    runpy.run_path(program, run_name="__main__")
