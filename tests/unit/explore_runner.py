#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for wlk-explore where a test is about what is around it: answers jobs by a hash,
refuses, hangs and dies where it is asked to.

A program whose name begins with `die` ends it; one named `once-...` does so the first time, and a
`wrong-...` has a wrong value; `stuck-...` hangs where banks are by source. With words, it is the
command `warplock` with itself as the runner.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

COUNTERS = (
    "prfReads prfConflicts laneConflicts noEntry lostReads forwards cacheLookups cacheHits "
    "wbStallsWAR wbStallsFwd accEntryOccupancy accRsOccupancy cyclesDispatched cyclesEligible"
).split()
STALLS = "stallsWAW stallsWAR stallsScoreboard stallsHold stallsRoom".split()
BASE = {"duplicated": 0.9, "src_banked": 0.88, "inst_banked": 0.7, "caching": 0.87}


def answer(cells):
    config = dict(word.split("=") for word in cells["config"].split())
    program = Path(cells.get("program", ""))
    if program.name.startswith("once-") and not program.with_suffix(".met").exists():
        program.with_suffix(".met").touch()
        sys.exit(9)
    if program.name.startswith("die"):
        print("wlk-explore: no luck today", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if program.name.startswith("wrong"):
        return {"status": "WRONG_VALUE", "message": "i3, operand 1, lane 0: 5, not 7"}
    forwarding, caching = config.get("forwarding"), config.get("collector") == "caching"
    if caching and forwarding == "must":
        return {"status": "REFUSED", "message": "forwarding=must with collector=caching"}
    is_stuck = program.name.startswith("stuck") and config.get("collector") == "src_banked"
    if is_stuck or (config.get("war") == "stall" and forwarding != "must"):
        hang = {
            "cycle": 1010,
            "state": ["row 0 warp 0 waits for r5"],
            "program": ["warp 0: write r5"],
        }
        return {"status": "HANG", "message": "no progress from cycle 10 on", "hang": hang}
    limited = "LIMIT" if int(cells["max_cycles"]) else "DONE"
    return {"status": limited, "message": ""} | done(config, cells)


def done(config, cells):
    dice = random.Random(f"{cells['config']} {cells.get('mix', 0)} {cells['seed']}")
    issued = int(cells.get("instructions", 800))
    ipc = BASE[config.get("collector", "duplicated")] - dice.random() / 100
    ipc *= min(1.0, 0.4 + int(config.get("coll_depth", 2)) / 8)
    cycles = int(issued / ipc)
    counters = {name: dice.randrange(cycles) for name in COUNTERS}
    warps = [{name: dice.randrange(cycles) // 4 for name in STALLS} for _ in range(8)]
    counters |= {name: sum(warp[name] for warp in warps) for name in STALLS}
    values = {"cycles": cycles, "issued": issued, "admitted": issued, "ipc": issued / cycles}
    return values | {"counters": counters, "warps": warps}


def main():
    pause = float(os.environ.get("EXPLORE_PAUSE", 0))
    for line in sys.stdin:
        cells = dict(cell.split("=", 1) for cell in line.rstrip("\n").split("\t"))
        time.sleep(pause)
        print(json.dumps({"id": cells["id"]} | answer(cells)), flush=True)


def command(words):
    sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "scripts")]
    from wlk import cli
    from wlk.explore import explore

    explore.runner = lambda: Path(__file__).resolve()
    return cli.main(words)


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]) if sys.argv[1:] else main())
