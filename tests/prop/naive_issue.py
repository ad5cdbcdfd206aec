# SPDX-License-Identifier: Apache-2.0
"""Naive second implementation of the composed issue stage (muon-issue §6): four blocks, wired.

It has no rule of its own: ports are joined by name, and the blocks are asked again and again, in
an order in which every answer ends up right.
"""

from __future__ import annotations

import copy

from naive_arbiter import Arbiter
from naive_collector import CollectorState
from naive_common import OPERANDS, Known, Reading, Row
from naive_hazard import HazardState
from naive_ports import ports
from naive_reservation_station import ReservationStationState
from naive_scoreboard import ScoreboardState

INSIDE = ("collector", "scoreboard", "hazard", "reservation_station")

# (block, start of its input's name) -> (block that drives it, start of the output's name).
WIRES = {
    ("hazard", "io_scb_"): ("scoreboard", "io_hazard_"),
    ("hazard", "io_rsAdmit_"): ("reservation_station", "io_admit_"),
    ("scoreboard", "io_hazard_"): ("hazard", "io_scb_"),
    ("scoreboard", "io_update"): ("reservation_station", "io_scb_update"),
    ("reservation_station", "io_admit_"): ("hazard", "io_rsAdmit_"),
    ("reservation_station", "io_scb_"): ("scoreboard", "io_"),
    ("reservation_station", "io_collector_"): ("collector", "io_"),
    ("collector", "io_readReq_"): ("reservation_station", "io_collector_readReq_"),
    ("collector", "io_readData_"): ("reservation_station", "io_collector_readData_"),
}

STAGE, NOTHING = "stage", "nothing"  # drivers of an input, beside the blocks

# Each is asked as often as something it answers hangs on an answer that came after its own.
ORDER = (
    "collector",  # readResp: registers only
    "reservation_station",  # all but what it does at the edge: nothing else goes in
    "collector",  # readReq.ready, readData
    "hazard",  # the scoreboard's read ports
    "scoreboard",  # counts
    "hazard",  # candidates, choice, updateRS
    "scoreboard",  # success
    "hazard",  # ready, rsAdmit
)


class IssueState(Reading):
    """The four blocks' states. Before the first reset only the collector's writes are followed."""

    def __init__(self, params: dict) -> None:
        self.params = p = params
        self.shown = [port.name for port in ports("issue", p) if port.direction == "o"]
        self.blocks: dict[str, Reading] = {
            "collector": CollectorState(p),
            "scoreboard": ScoreboardState(p),
            "hazard": HazardState(p),
            "reservation_station": ReservationStationState(p),
        }
        self.sources = {
            block: {
                port.name: _source(block, port.name)
                for port in ports(block, p)
                if port.direction == "i"
            }
            for block in INSIDE
        }
        self.control_known = p["power_up"] == "zero"
        self.wires = _idle()  # of the cycle of `outputs`, for its `edge`

    def arbiters(self) -> list[Arbiter]:
        return [arbiter for block in self.blocks.values() for arbiter in block.arbiters()]

    def facts(self) -> object:
        return [block.facts() for block in self.blocks.values()]

    def split(self, x: Row) -> list[Reading]:
        if not self.control_known or all(len(a.lasts) == 1 for a in self.arbiters()):
            return [self]
        # What an arbiter chooses from hangs on no arbiter's choice in this cycle.
        wires = self._settle(x)
        found = [self]
        for name in ("hazard", "reservation_station"):
            found = [part for one in found for part in one._split_block(name, x, wires)]
        return found

    def _split_block(self, name: str, x: Row, wires: dict[str, Known]) -> list[IssueState]:
        parts = self.blocks[name].split(self._inputs_of(name, x, wires))
        if len(parts) == 1:
            return [self]
        found = []
        for part in parts:
            found.append(copy.deepcopy(self))
            found[-1].blocks[name] = part
        return found

    def outputs(self, x: Row) -> Known:
        if not self.control_known:
            return self._given_by_inputs(x)
        self.wires = wires = self._settle(x)
        hazard, rs = wires["hazard"], wires["reservation_station"]
        out: Known = {}
        for name, value in hazard.items():
            if name.startswith(("io_ibuf_", "io_perf_")):
                out[name.replace("io_perf_", "io_perfHazard_")] = value
        for name, value in rs.items():
            if name.startswith(("io_issue_", "io_perf_")):
                out[name.replace("io_perf_", "io_perfRS_")] = value
        fire = rs["io_issue_valid"] and x["io_issue_ready"]
        shown = wires["collector"]
        for i in OPERANDS:
            driven = fire and rs[f"io_collector_readData_req_bits_regs_{i}_enable"]
            for lane in range(self.params["num_lanes"]):
                data = shown[f"io_readData_resp_bits_{i}_data_{lane}"]
                out[f"io_operands_{i}_{lane}"] = data if driven else 0
        return out

    def _given_by_inputs(self, x: Row) -> Known:
        """Before the first reset: every output, None where it takes the state to know it."""
        out: Known = dict.fromkeys(self.shown)
        for name in out:
            if name.startswith("io_ibuf_") and not x[name.replace("_ready", "_valid")]:
                out[name] = 0
            if name.startswith("io_operands_") and not x["io_issue_ready"]:
                out[name] = 0
        return out

    def edge(self, x: Row) -> None:
        # With idle wires a reset resets, the collector's write lands, and nothing else happens.
        wires = self.wires if self.control_known else _idle()
        for name, block in self.blocks.items():
            block.edge(self._inputs_of(name, x, wires))
        self.control_known = self.control_known or bool(x["reset"])

    # Wires

    def _settle(self, x: Row) -> dict[str, Known]:
        """What every block puts out in this cycle."""
        wires = _idle()
        for name in ORDER:
            wires[name] = self.blocks[name].outputs(self._inputs_of(name, x, wires))
        return wires

    def _inputs_of(self, block: str, x: Row, wires: dict[str, Known]) -> Row:
        """0 where the block that drives an input has not been asked.

        0 also where it does not know: after the first reset that is readData's collEntry while
        readData.req.valid is low, and then nothing comes of it.
        """
        found = {}
        for name, (driver, output) in self.sources[block].items():
            if driver == STAGE:
                found[name] = x[output]
            else:
                found[name] = wires[driver].get(output) or 0
        return found


def _idle() -> dict[str, Known]:
    """The blocks' outputs while none has been asked."""
    return {name: {} for name in (*INSIDE, NOTHING)}


def _source(block: str, name: str) -> tuple[str, str]:
    """(block, its output) or (STAGE, its input): what drives an input of a block."""
    if block == "collector" and name.startswith("io_writeReq_"):
        return _write_request(name.removeprefix("io_writeReq_"))
    for (reader, start), (driver, other) in WIRES.items():
        if reader == block and name.startswith(start):
            return driver, other + name.removeprefix(start)
    return STAGE, name


def _write_request(name: str) -> tuple[str, str]:
    """What drives the collector's writeReq (§6); rsEntryId and pc are not used."""
    if name in ("valid", "bits_regs_0_enable"):
        return STAGE, "io_writeback_valid"
    if not name.startswith("bits_regs_0_"):
        return NOTHING, ""
    field = name.removeprefix("bits_regs_0_")
    return STAGE, f"io_writeback_bits_{'rd' if field == 'pReg' else field}"


BLOCKS = {"issue": IssueState}
