# SPDX-License-Identifier: Apache-2.0
"""Jobs for wlk-explore, and its answers."""

import json
from collections.abc import Iterable

import programs

POINT = "alloc_order=age alloc_rows=8 bank_map=mod"
SRC = f"collector=src_banked coll_banks=4 coll_depth=8 reg_banks=4 coll_alloc=eager {POINT}"
OPTION1 = "coll_alloc=admit forwarding=must count_forwarded_reads=0"
OPTION2_1 = f"{OPTION1} war=stall"
OPTION2_2 = "coll_alloc=admit forwarding=egress war=epoch"


def job(**cells: object) -> str:
    return "\t".join(f"{key}={value}" for key, value in cells.items())


def answers(lines: Iterable[str]) -> list[dict]:
    """An answer for each line, in their order."""
    lines = list(lines)
    done = programs.run("dpi/wlk-explore", stdin="".join(f"{line}\n" for line in lines))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(lines)
    return found


def answer(**cells: object) -> dict:
    return answers([job(**cells)])[0]
