# SPDX-License-Identifier: Apache-2.0
"""Naive second implementation of Hazard (muon-issue §0, §1, §4), for the property tests."""

import naive_common as common
from naive_arbiter import Arbiter
from naive_common import HAS_RD, HAS_RS, OPERANDS, RD, RS, Entry, Known, Reading, Row
from naive_ports import behind, ports


class HazardState(Reading):
    """The counters are the only registers that reset reaches."""

    def __init__(self, params: dict) -> None:
        self.params = params
        self.warps = range(self.params["num_warps"])
        listed = ports("hazard", params)
        self.fields = behind(listed, "io_ibuf_0_bits_")
        zero = self.params["power_up"] == "zero"
        self.arbiter = Arbiter(len(self.warps), {0} if zero else None)
        names = behind(listed, "io_perf_")
        self.counters: dict[str, int | None] = dict.fromkeys(names, 0 if zero else None)

    def split(self, x: Row) -> list[Reading]:
        return self.with_arbiter("arbiter", self.arbiter.split(self._candidates(x), True))

    def outputs(self, x: Row) -> Known:
        valid = self._candidates(x)
        chosen = self.arbiter.choice(valid)
        grants = self.arbiter.grants(valid)
        ready = x["io_rsAdmit_ready"] and x["io_scb_updateRS_success"]
        out: Known = {
            f"io_ibuf_{w}_ready": int(grants[w] and ready and valid[w]) for w in self.warps
        }
        out["io_rsAdmit_valid"] = int(valid[chosen] and x["io_scb_updateRS_success"])
        out.update(self._admitted(x, chosen))
        out.update(self._update_rs(x, chosen, bool(valid[chosen] and x["io_rsAdmit_ready"])))
        for w in self.warps:
            out.update(self._scoreboard_reads(x, w))
        out.update({f"io_perf_{name}": value for name, value in self.counters.items()})
        return out

    def edge(self, x: Row) -> None:
        valid = self._candidates(x)
        chosen = self.arbiter.choice(valid)
        success = x["io_scb_updateRS_success"]

        def added(name: str) -> int:
            warp, counter = name.split("_")
            w = int(warp)
            head = x[f"io_ibuf_{w}_valid"]
            if counter == "stallsWAW":
                return int(head and self._has_waw(x, w))
            if counter == "stallsWAR":
                return int(head and self._has_war(x, w))
            return int(valid[w] and chosen == w and not success)

        clear = bool(x["reset"] or x["io_softReset"] and self._counters_known())
        self.counters = common.counted(self.counters, clear, added)
        if valid[chosen] and success and x["io_rsAdmit_ready"]:
            self.arbiter.fire(chosen)

    def _counters_known(self) -> bool:
        """Before the first reset softReset is no help: all that reset reaches is unknown."""
        return None not in self.counters.values()

    def _head(self, x: Row, w: int) -> Entry:
        return common.take_entry(x, f"io_ibuf_{w}_bits", self.fields)

    def _has_waw(self, x: Row, w: int) -> bool:
        writes = x[f"io_scb_warps_{w}_readRd_pendingWrites"]
        return bool(self._head(x, w)[HAS_RD] and writes != 0)

    def _has_war(self, x: Row, w: int) -> bool:
        reads = x[f"io_scb_warps_{w}_readRd_pendingReads"]
        return bool(self._head(x, w)[HAS_RD] and reads != 0)

    def _candidates(self, x: Row) -> list[bool]:
        return [
            bool(x[f"io_ibuf_{w}_valid"]) and not self._has_waw(x, w) and not self._has_war(x, w)
            for w in self.warps
        ]

    def _busy(self, x: Row, w: int, i: int) -> int:
        writes = x[f"io_scb_warps_{w}_readRs{i + 1}_pendingWrites"]
        return int(self._head(x, w)[HAS_RS[i]] and writes != 0)

    def _admitted(self, x: Row, w: int) -> Known:
        head = self._head(x, w)
        out: Known = {f"io_rsAdmit_bits_ibufEntry_{f}": value for f, value in head.items()}
        for i in OPERANDS:
            out[f"io_rsAdmit_bits_valid_{i}"] = int(not head[HAS_RS[i]])
            out[f"io_rsAdmit_bits_busy_{i}"] = self._busy(x, w, i)
        return out

    def _update_rs(self, x: Row, w: int, driven: bool) -> Known:
        head = self._head(x, w)
        enable = head[HAS_RD] or any(head[has] for has in HAS_RS)
        out: Known = {
            "enable": int(enable),
            "write_pReg": head[RD],
            "write_incr": head[HAS_RD],
            "write_decr": 0,
        }
        for i in OPERANDS:
            counts = self.params["count_forwarded_reads"] or not self._busy(x, w, i)
            out[f"reads_{i}_pReg"] = head[RS[i]]
            out[f"reads_{i}_incr"] = int(head[HAS_RS[i]] and counts)
            out[f"reads_{i}_decr"] = 0
        return {f"io_scb_updateRS_{name}": v if driven else 0 for name, v in out.items()}

    def _scoreboard_reads(self, x: Row, w: int) -> Known:
        head, valid = self._head(x, w), x[f"io_ibuf_{w}_valid"]
        out: Known = {}
        sources = [(f"readRs{i + 1}", HAS_RS[i], RS[i]) for i in OPERANDS]
        for port, has, preg in [*sources, ("readRd", HAS_RD, RD)]:
            out[f"io_scb_warps_{w}_{port}_enable"] = int(valid and head[has])
            out[f"io_scb_warps_{w}_{port}_pReg"] = head[preg]
        return out


BLOCKS = {"hazard": HazardState}
