# SPDX-License-Identifier: Apache-2.0
"""Naive second implementation of the document's issue stage at its ports (muon-designs §2, §11,
muon-issue §0 to §6): the stage of values with counters, reset, and what power-up leaves unknown."""

from __future__ import annotations

import copy
from dataclasses import fields, is_dataclass

import naive_common as common
from naive_arbiter import Arbiter
from naive_common import HAS_RD, HAS_RS, OPERANDS, RD, RS, WID, Entry, Known, Reading, Row
from naive_ports import behind, ports
from naive_stage_x import Cycle, Inst, StageX, Word, Write


def instruction(entry: Entry) -> Inst:
    rs = tuple(entry[RS[i]] if entry[HAS_RS[i]] else None for i in OPERANDS)
    rd = entry[RD] if entry[HAS_RD] else None
    return Inst(rd, rs, entry[WID], entry.get("uop_fuSel", 0), entry)


def plain(value: object) -> object:
    """Without identities, so that two states can be compared."""
    if is_dataclass(value):
        return [plain(getattr(value, each.name)) for each in fields(value)]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


class IssueX(Reading):
    """While `control_known` is false what reset reaches means nothing."""

    def __init__(self, params: dict) -> None:
        self.p = params
        listed = ports("issue_x", params)
        self.shown = [port.name for port in listed if port.direction == "o"]
        self.fields = behind(listed, "io_ibuf_0_bits_")
        self.counters: dict = dict.fromkeys(
            (name for name in self.shown if name.startswith("io_perf")), 0
        )
        zero = params["power_up"] == "zero"
        self.stage = StageX(params, (0, 0) if zero else None)
        if zero:
            self.stage.never_written = dict.fromkeys(self.stage.all_words(), 0)
            nothing = instruction(dict.fromkeys(self.fields, 0))
            self.stage.contents = dict.fromkeys(self.stage.ports, nothing)
        self.control_known = zero

    # Readings

    def arbiters(self) -> list[Arbiter]:
        return self.stage.arbiters

    def facts(self) -> object:
        known = {k: v for k, v in vars(self.stage).items() if k not in ("p", "arbiters")}
        return self.control_known, self.counters, plain(known)

    def split(self, x: Row) -> list[Reading]:
        if not self.control_known or all(len(a.lasts) == 1 for a in self.arbiters()):
            return [self]
        c = self._combined(x)
        found = [self]
        for at, valid in enumerate(self.stage.inputs_of_arbiters(c)):
            kinds = self.arbiters()[at].split(valid, False) if any(valid) else []
            found = [part for one in found for part in one._with(at, kinds)]
        return found

    def _with(self, at: int, kinds: list[Arbiter]) -> list[IssueX]:
        if len(kinds) < 2:
            return [self]
        found = []
        for arbiter in kinds:
            found.append(copy.deepcopy(self))
            found[-1].stage.arbiters[at] = arbiter
        return found

    # Inputs

    def _slot(self, x: Row, at: str) -> Inst | None:
        if not x[f"{at}_valid"]:
            return None
        return instruction(common.take_entry(x, f"{at}_bits", self.fields))

    def _at(self, warp: int, position: int) -> str:
        return f"io_ibuf_{warp}" + (f"_window_{position}" if position else "")

    def _windows(self, x: Row) -> list[list[Inst | None]]:
        return [
            [self._slot(x, self._at(warp, j)) for j in range(self.p["ibuf_window"])]
            for warp in range(self.p["num_warps"])
        ]

    def _offered(self, x: Row) -> Write | None:
        if not x["io_writeback_valid"]:
            return None
        at = "io_writeback_bits_"
        mask = x[f"{at}tmask"]
        words = {n: x[f"{at}data_{n}"] for n in self.stage.all_words() if mask >> n & 1}
        return Write(x[f"{at}rd"], words)

    def _port(self, port: int, what: str = "issue") -> str:
        """What the names of an issue port begin with; a single one has no number."""
        return f"io_{what}_{port}" if len(self.stage.ports) > 1 else f"io_{what}"

    def _combined(self, x: Row) -> Cycle:
        ready = [bool(x[f"{self._port(port)}_ready"]) for port in self.stage.ports]
        return self.stage.combine(self._windows(x), self._offered(x), ready)

    def _cycle(self, x: Row) -> Cycle:
        c = self._combined(x)
        self.stage.choose(c)
        return c

    # Outputs

    def outputs(self, x: Row) -> Known:
        out = self._given_by_inputs(x)
        if self.control_known:
            c = self._cycle(x)
            out |= self._admissions(c)
            out |= self.counters
            out["io_writeback_ready"] = int(c.ready)
            for port in self.stage.ports:
                out |= self._issued(c, port)
        return out

    def _commits_any(self) -> bool:
        """Is every write taken at once, whatever the state?"""
        p = self.p
        return p["war"] == "gate" and p["forwarding"] != "must" and not p["wb_buffer"]

    def _given_by_inputs(self, x: Row) -> Known:
        """Every output, None where it takes the state to know it."""
        out: Known = dict.fromkeys(self.shown)
        for warp in range(self.p["num_warps"]):
            valid = True
            for j in range(self.p["ibuf_window"]):
                valid = valid and x[f"{self._at(warp, j)}_valid"]
                if not valid:
                    out[f"{self._at(warp, j)}_ready"] = 0
        for port in self.stage.ports:
            if not x[f"{self._port(port)}_ready"]:
                out |= self._operands(port, [{}] * 3, [None] * 3)
        if not self.p["wb_buffer"]:
            offered = self._offered(x)
            if offered is None or self._commits_any() or offered.rd == 0:
                out["io_writeback_ready"] = 1
        return out

    def _admissions(self, c: Cycle) -> Known:
        out = {}
        for warp in range(self.p["num_warps"]):
            taken = c.positions[warp] if c.admitted is not None and c.chosen == warp else None
            for j in range(self.p["ibuf_window"]):
                out[f"{self._at(warp, j)}_ready"] = int(taken == j)
        return out

    def _issued(self, c: Cycle, port: int) -> Known:
        out: Known = {f"{self._port(port)}_valid": int(port in self.stage.stage)}
        contents = self.stage.contents.get(port)
        if contents is not None:
            out |= {f"{self._port(port)}_bits_{name}": v for name, v in contents.tag.items()}
        sources = c.issued[port].rs if port in c.issued else [None] * 3
        return out | self._operands(port, c.operands.get(port, [{}] * 3), sources)

    def _operands(self, port: int, words: list[Word], sources: list[int | None]) -> Known:
        """0 where there is no such source."""
        return {
            f"{self._port(port, 'operands')}_{i}_{n}": 0 if rs is None else words[i].get(n)
            for i, rs in enumerate(sources)
            for n in self.stage.all_words()
        }

    # Clock edge

    def edge(self, x: Row) -> None:
        if self.control_known:
            c = self._cycle(x)
            self._count(x, c)
            self.stage.edge(c, self._offered(x))
        elif self._commits_any() and x["io_writeback_valid"]:
            self.stage.write(self._offered(x))
        if x["reset"]:
            self.stage.reset()
            self.control_known = True

    def _count(self, x: Row, c: Cycle) -> None:
        """§11, and those of Hazard and of the reservation station."""
        added = self._station_steps(c) | self._hazard_steps(x, c) | self._design_steps(x, c)
        clear = bool(x["reset"] or x["io_softReset"])
        self.counters = common.counted(self.counters, clear, added.__getitem__)

    def _station_steps(self, c: Cycle) -> dict[str, int]:
        rows = [row for row in self.stage.rows if row.valid]
        eligible = [row for row in rows if self.stage.eligible(c, row)]
        found = {
            "cyclesDispatched": bool(rows),
            "cyclesEligible": bool(eligible),
            "accRsOccupancy": len(rows),
        }
        for warp in range(self.p["num_warps"]):
            at = f"perWarp_{warp}_"
            found[f"{at}cyclesDispatched"] = any(row.inst.warp == warp for row in rows)
            found[f"{at}cyclesEligible"] = any(row.inst.warp == warp for row in eligible)
            found[f"{at}stallsRSFull"] = 0
        return {f"io_perfRS_{name}": int(value) for name, value in found.items()}

    def _hazard_steps(self, x: Row, c: Cycle) -> dict[str, int]:
        found = {}
        refused = c.heads[c.chosen] is not None and c.admitted is None
        for warp, (head, *_) in enumerate(self._windows(x)):
            waw = head is not None and self.stage.has_waw(c, head)
            war = head is not None and self.stage.has_war(c, head)
            waits = head is not None and not waw and not war
            held = waits and self.stage.is_held(c, head)
            full = waits and not held and self.stage.lacks_room(c, head)
            hazard, design = f"io_perfHazard_{warp}_", f"io_perfDesign_perWarp_{warp}_"
            found |= {f"{hazard}stallsWAW": waw, f"{hazard}stallsWAR": war}
            found[f"{hazard}stallsScoreboard"] = refused and c.chosen == warp
            found |= {f"{design}stallsHold": held, f"{design}stallsRoom": full}
        return {name: int(value) for name, value in found.items()}

    def _design_steps(self, x: Row, c: Cycle) -> dict[str, int]:
        stage = self.stage
        waiting = stage.buffer if self.p["wb_buffer"] else x["io_writeback_valid"]
        found = {
            "prfReads": c.denials.reads,
            "prfConflicts": c.denials.by_bank,
            "laneConflicts": c.denials.by_lane,
            "noEntry": len(c.without_room),
            "lostReads": len(c.lost),
            "forwards": len(c.forwards),
            "cacheLookups": len(c.found),
            "cacheHits": sum(how == "hit" for _, how in c.found.values()),
            "wbStallsWAR": bool(waiting) and c.write is None,
            "wbStallsFwd": c.write is not None and not c.commit,
            "accEntryOccupancy": len(stage.taken) + sum(n > 0 for n in stage.users.values()),
        }
        return {f"io_perfDesign_{name}": int(value) for name, value in found.items()}


BLOCKS = {"issue_x": IssueX}
