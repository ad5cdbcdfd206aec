# SPDX-License-Identifier: Apache-2.0
"""The V32 arbiter of the `opndcoll` stub against recordings of GPGPU-Sim 3.2.2.

The stub has the generic set alone, and V32's configurations divide their units among sets; but one
arbiter serves all units. The fronts of the queues that a recording shows behind a step are what the
arbiter sees in the next one.
"""

import lzma
import subprocess
from pathlib import Path

import programs
import pytest
from wlk.gen import stubs
from wlk.run import verilate

BANKS = 16
LIMIT = 300  # [s]
MAIN = Path(__file__).with_name("arbiter_main.cpp")


def steps(path: Path) -> list[tuple[dict[int, int], set[int], set[int], int]]:
    """Of each step: the unit at each bank's front, banks written, banks granted, pri before it."""
    found = []
    fronts: dict[int, int] = {}
    written: set[int] = set()
    pri = 0
    for line in lzma.decompress(path.read_bytes()).decode().splitlines():
        match line.split():
            case ["w", _, _, bank, "+"]:
                written.add(int(bank))
            case ["S", _]:
                found.append((fronts, written, set(), pri))
                fronts, written = {}, set()
            case ["G", bank, *_]:
                found[-1][2].add(int(bank))
            case ["q", bank, front, *_]:
                fronts[int(bank)] = int(front.partition(":")[0])
            case ["p", value]:
                pri = int(value)
    return found


@pytest.fixture(scope="module")
def arbiter(tmp_path_factory):
    """The program around the Verilated arbiter."""
    folder = tmp_path_factory.mktemp("arbiter")
    tool = verilate.find_tool("system")
    words = [tool.program, "--cc", "--exe", "--build", "-O3", "--Mdir", folder]
    words += ["-MAKEFLAGS", "OBJCACHE=ccache"]
    words += ["-GNumRegBanks=16", "-GNumUnits=16", "-GRevision=1"]
    words += [stubs.STUBS / "opndcoll" / "opndcoll_arbiter.sv", MAIN]
    subprocess.run([str(w) for w in words], env=tool.environment(), check=True, timeout=LIMIT)
    return folder / "Vopndcoll_arbiter"


@pytest.mark.parametrize("profile", ["core", "conflict"])
def test_arbiter_grants_as_recorded(arbiter, profile):
    recorded = steps(programs.recording(f"gpgpusim/v32-gtx480-{profile}.events.xz"))
    lines = []
    for fronts, written, _, _ in recorded:
        asking = sum(1 << bank for bank in fronts if bank not in written)
        lines.append(f"{asking:x} " + " ".join(str(fronts.get(b, 0)) for b in range(BANKS)))
    done = subprocess.run(
        [arbiter], input="\n".join(lines), capture_output=True, text=True, timeout=LIMIT
    )
    want = [f"{sum(1 << bank for bank in granted):x} {pri}" for _, _, granted, pri in recorded]
    assert done.stdout.splitlines() == want
    # A unit at two fronts, of which one waits, distinguishes V32 from V40.
    assert sum(len(set(f.values())) < len(f) for f, _, _, _ in recorded) > len(recorded) // 2
