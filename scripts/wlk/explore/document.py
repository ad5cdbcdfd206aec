# SPDX-License-Identifier: Apache-2.0
"""The document's figures beside those that its formulas give, and what in it is wrong, unclear or
not as in the RTL (muon-designs, [doc error], [doc unclear], [doc≠rtl])."""

from collections.abc import Sequence
from dataclasses import dataclass

from . import chances, points
from .cost import LEAST_DEPTH, Cost, macro

ROUNDED = 0.02  # by which the document's figures are rounded at most
INSTRUCTION_BITS = 173  # of the RTL's opaque instruction, at the defaults (muon-designs §10)


@dataclass(frozen=True)
class Figure:
    """A figure of the document, and the same by the formulas."""

    heading: str  # of the document
    what: str
    says: str
    reproduced: str
    agrees: bool


@dataclass(frozen=True)
class Finding:
    """Something in the document that does not hold, or not of the RTL."""

    kind: str  # "error", "unclear", "rtl"
    heading: str
    says: str
    corrected: str
    why: str


def _cost(text: str) -> Cost:
    return Cost(points.parse(text, "document"))


def _area(value: float) -> str:
    return f"{value:,.1f} µm²"


def _percent(value: float) -> str:
    return f"{100 * value:.4g} %"


def figures() -> Sequence[Figure]:
    """Tables and sums of the document, in its order."""
    return [*_scoreboard(), *_rows(), *_storage(), *_crossbar(), *_chances()]


def _scoreboard() -> list[Figure]:
    bits = _cost("muon_rtl max_pending_reads=3").scoreboard
    return [Figure("Hardware requirements (scoreboard)", "bits, two counter bits", "768",
                   str(bits), bits == 768)]  # fmt: skip


def _rows() -> list[Figure]:
    cost, place = _cost("muon_rtl rs_entries=16"), "Hardware requirements (RS)"
    metadata, data = cost.row_metadata, cost.row_data
    rows = [
        ("metadata of a row, bits", 31, metadata),
        ("data of a row, bits", 1594, data),
        ("a row, bits", 1625, metadata + data),
        ("metadata of 16 rows, bits", 496, 16 * metadata),
        ("data of 16 rows, bits", 25504, 16 * data),
    ]
    return [Figure(place, what, f"{says:,}", f"{is_:,}", says == is_) for what, says, is_ in rows]


def _storage() -> list[Figure]:
    src, inst, minimal = _cost("src"), _cost("inst"), _cost("minimal")
    banks = "Source-register-banked collectors"
    wide, least = "Instruction-banked collectors", "Minimally-banked collectors"
    rows = [  # area in thousands, or a share in percent
        (banks, "PRF area", "39.7k", 39.7, src.prf_area),
        (banks, "collector area", "27.5k", 27.5, src.collector_area),
        (banks, "sum", "67.2k", 67.2, src.storage),
        (banks, "overhead", "69 %", 69, src.overhead),
        (wide, "collector area", "310k", 310, inst.collector_area),
        (wide, "sum", "350k", 350, inst.storage),
        (wide, "overhead", "780 %", 780, inst.overhead),
        (least, "PRF area", "65.6k", 65.6, minimal.prf_area),
        (least, "collector area", "9~12k", 12, minimal.collector_area),
        (least, "sum", "78k", 78, minimal.storage),
        (least, "overhead", "18 %", 18, minimal.overhead),
    ]
    found = []
    for heading, what, says, number, value in rows:
        is_share = "%" in says
        shown = _percent(value) if is_share else _area(value)
        scaled = 100 * value if is_share else value / 1000
        agrees = abs(scaled - number) <= ROUNDED * number
        found.append(Figure(heading, what, says, shown, agrees))
    return found


def _crossbar() -> list[Figure]:
    cost = _cost("src reg_banks=8").crossbar
    return [Figure("Crossbar cost", "crosspoints, B = 8, C = 4", "8·4·(16·32)", f"{cost:,}",
                   cost == 8 * 4 * 16 * 32)]  # fmt: skip


def _chances() -> list[Figure]:
    printed = {4: ("37.5", "90.8", "98.8", "99.9"), 8: ("65.6", "99.3", "100.0", "100.0")}
    found = []
    for banks, texts in printed.items():
        for entries, text in enumerate(texts, 1):
            chance = 100 * chances.three_distinct(banks, entries)
            agrees = abs(chance - float(text)) <= 0.05 + 1e-9
            what = f"P of 3 distinct banks, N = {banks}, C = {entries}"
            found.append(Figure("Analytical model", what, f"{text} %", f"{chance:.6g} %", agrees))
    return found


def findings() -> Sequence[Finding]:
    """What does not hold, with what does, and why."""
    return [*_costs_wrong(), *_rules_wrong(), *_unclear(), *_unlike_rtl()]


def _costs_wrong() -> list[Finding]:
    src, inst, minimal = _cost("src"), _cost("inst"), _cost("minimal")
    one, fewer = 3 * macro(LEAST_DEPTH), minimal.collector_area + minimal.prf_area - src.prf_area
    return [
        Finding("error", "Instruction-banked collectors: hardware cost",
                "collector 310k µm², sum 350k µm², overhead 780 %",
                f"{inst.collector_area:,.0f}, {inst.storage:,.0f} µm², {_percent(inst.overhead)}",
                "4 banks × 3 operands × 2 macros are 24 macros; 310k would be 90 of them"),
        Finding("error", "Instruction-banked collectors: hardware cost",
                f"1 bank: {one:,.0f} µm²", f"{2 * one:,.0f} µm²",
                "512 bits need two macros of 256, as in the document's other tables"),
        Finding("error", "Minimally-banked collectors: pros, hardware cost",
                "cheaper area; overhead 18 %",
                f"{minimal.storage:,.0f} µm² against {src.storage:,.0f} of src; overhead "
                f"{_percent(fewer / src.prf_area)} of the 4-bank PRF",
                "18 % compares with its own PRF of 8 banks, which is the dearer part"),
        Finding("error", "Hardware requirements (RS): data fields",
                f"{src.row_fields} bits beside the operands", f"{INSTRUCTION_BITS} bits",
                "rd, immediates and has-bits are left out; the RTL carries the whole instruction"),
    ]  # fmt: skip


def _rules_wrong() -> list[Finding]:
    place = "Allow past-WAW admission"
    return [
        Finding("error", "WAR hazards, Option 1", "count a read only if pendingWrite is 0",
                "that, and forwarding=must",
                "a busy reader that is not counted is later read from the PRF unprotected: wrong "
                "values in 59 of 60 random streams; check refuses it without must"),
        Finding("error", "Potential deadlock problem in Option 2", "needs a leading reader, i0",
                "two instructions deadlock: write r5, read r5",
                "the busy reader counts, so the write that it waits for is never acceptable: every "
                "RAW pair closer than the producer's latency"),
        Finding("error", "WAR hazards, Option 2-2", "no deadlock is named",
                "coll_alloc=admit, or a write buffer of 3R + 1, or eager with R + P entries",
                "a refused write at the port can block the write that an older reader waits for"),
        Finding("error", place, "... AND pendingWrites[rd]", "... AND pendingWrites[rd] = 0",
                "the printed condition admits exactly what it must not"),
        Finding("error", place, "fence rd of a skipped instruction", "fence its sources too",
                "a later writer overwrites what the skipped one still has to read: a wrong value "
                "in 1,759 of 2,000 random streams"),
        Finding("error", place, "a Fence bit, cleared when the older write completes",
                "sets that are made anew from the window in each cycle",
                "a younger reader passes the skipped writer while that is blocked otherwise"),
    ]  # fmt: skip


def _unclear() -> list[Finding]:
    shared = _cost("muon_rtl").row_data
    return [
        Finding("unclear", "Minimally-banked collectors: cons", "fetch/decode throughput is 1 IPC",
                "at most 0.5 IPC",
                "the entry is taken again in the cycle of issue at best: k read cycles cost k + 1; "
                f"with three random sources {chances.minimal_ipc(8):.3f} at 8 banks"),
        Finding("unclear", "Unified handling; Hardware requirements (RS)",
                f"3 × 512 bits of data in each row ({shared:,} bits)",
                "metadata in the row, operands in the collector only",
                "the section on the collector stores them in its own banks; both would be double"),
        Finding("unclear", "Operand Forwarding", "lane masks are not mentioned",
                "a write that lacks a word forwards nothing (egress), or merges first (must)",
                "a forwarded value must be a whole register"),
        Finding("unclear", "Analytical model", "3 distinct banks of 3C uniform draws",
                "holds for request only: about 99 % at C = 2 or 3",
                "draws are neither uniform nor independent, instructions have fewer than 3 "
                "sources, and lanes do not occur; eager needs about as many entries as rows"),
    ]  # fmt: skip


def _unlike_rtl() -> list[Finding]:
    rtl, doc = _cost("muon_rtl"), _cost("muon_rtl max_pending_reads=3 rs_entries=16")
    return [
        Finding("rtl", "PRF banks", "bank = register mod N (bank_map=mod)",
                "bank = upper bits of the register (bank_map=high)",
                "neighbours of a warp then share a bank"),
        Finding("rtl", "Hardware requirements",
                f"2 counter bits, 16 rows: scoreboard {doc.scoreboard} bits",
                f"3 counter bits, 8 rows: scoreboard {rtl.scoreboard:,} bits",
                "max_pending_reads is 7, rs_entries 8"),
        Finding("error", "Reservation Station: no renaming", "WAR hazard is a non-issue",
                "a gate, a stall or an epoch",
                "the document's own section on WAR hazards says why"),
        Finding("error", "Reservation Station: wiring", "data broadcast to all rows",
                "the forward bus adds no data wires at the egress",
                "it holds for data in the RS only; see the document's own Wiring cost"),
    ]  # fmt: skip
