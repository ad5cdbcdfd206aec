# SPDX-License-Identifier: Apache-2.0
"""What a point costs: the formulas of muon-designs §10. Areas in µm²."""

from dataclasses import dataclass

from .points import Point

FLOP = 12_000 / 1536  # µm² a flip-flop: the upper end of the document's 9 to 12 k for 1536
MACRO_BITS = 256  # of the document's macros, two ports
LEAST_DEPTH = 8  # of a macro
_BASE, _SLOPE = 3229.779, 27.12959
ID_BITS = 7 + 32  # of a row: opcode and pc


def macro(depth: float) -> float:
    """A(d): a macro of that depth, by the line on which the document's three lie."""
    return _BASE + _SLOPE * max(depth, LEAST_DEPTH)


def bits_of(count: int) -> int:
    """ceil(log2 count): bits that number so many things."""
    return max(0, (count - 1).bit_length())


@dataclass(frozen=True)
class Cost:
    """The cost of a point. Each property is a row of §10."""

    point: Point

    # ---- what the formulas are made of ----------------------------------------------------------

    @property
    def organisation(self) -> str:
        return self.point.word("collector")

    @property
    def width(self) -> int:
        """W, bits of a register."""
        return self.point["num_lanes"] * self.point["lane_bits"]

    @property
    def macros(self) -> int:
        """Macros side by side that make a bank of width W."""
        return -(-self.width // MACRO_BITS)

    @property
    def preg(self) -> int:
        return bits_of(self.point["num_pregs"])

    @property
    def entries(self) -> int:
        """E (§1); of a caching collector the slots of a bank."""
        banks, depth = self.point["coll_banks"], self.point["coll_depth"]
        shares = {"src_banked": max(1, banks * depth // 3), "inst_banked": banks * depth}
        return shares.get(self.organisation, depth)

    @property
    def _slots(self) -> int:
        """Registers that the collector holds."""
        banks, depth = self.point["coll_banks"], self.point["coll_depth"]
        shares = {"src_banked": banks * depth, "inst_banked": 3 * banks * depth}
        return shares.get(self.organisation, 3 * depth)

    # ---- storage --------------------------------------------------------------------------------

    @property
    def copies(self) -> int:
        return 3 if self.organisation == "duplicated" else 1

    @property
    def prf_bits(self) -> int:
        return self.copies * self.point["num_pregs"] * self.width

    @property
    def prf_area(self) -> float:
        banks = self.point["reg_banks"]
        return self.copies * banks * self.macros * macro(self.point["num_pregs"] / banks)

    @property
    def collector_bits(self) -> int:
        return self._slots * self.width

    @property
    def collector_area(self) -> float:
        """In macros, but flip-flops where it is one deep, or duplicated."""
        depth = self.point["coll_depth"]
        if depth == 1 or self.organisation == "duplicated":
            return self.collector_bits * FLOP
        wide = 3 if self.organisation == "inst_banked" else 1
        return wide * self.point["coll_banks"] * self.macros * macro(depth)

    # ---- wires ----------------------------------------------------------------------------------

    @property
    def crossbar(self) -> int:
        """Crosspoints between register file and collector."""
        banks = self.point["reg_banks"]
        if self.organisation == "duplicated":
            return 3 * banks * self.width if banks > 1 else 0
        return banks * self.point["coll_banks"] * self.width

    @property
    def fu_crossbar(self) -> int:
        """Crosspoints before the functional units."""
        banks = self.point["coll_banks"]
        if self.organisation != "src_banked" or banks == 3:
            return 0
        return banks * 3 * self.width * self.point["issue_ports"]

    @property
    def crosspoints(self) -> int:
        return self.crossbar + self.fu_crossbar

    @property
    def forward_cam(self) -> int:
        """Comparators of `preg` bits, shared with those that clear busy."""
        return 3 * self.point["rs_entries"]

    @property
    def window_comparators(self) -> int:
        """Of a warp's window (§7)."""
        window = self.point["ibuf_window"]
        return 7 * window * (window - 1) // 2

    # ---- flip-flops -----------------------------------------------------------------------------

    @property
    def tags(self) -> int:
        if self.organisation != "caching":
            return 0
        depth, users = self.point["coll_depth"], self.point["rs_entries"]
        refs = bits_of(users + self.point["issue_ports"] + 1)
        return 3 * depth * (1 + self.preg + refs) + 3 * bits_of(depth)

    @property
    def scoreboard(self) -> int:
        reads = bits_of(self.point["max_pending_reads"] + 1)
        each = 2 + 2 * reads if self.point.word("war") == "epoch" else 1 + reads
        return self.point["num_pregs"] * each

    @property
    def row_metadata(self) -> int:
        return 1 + 3 * (self.preg + 2)

    @property
    def row_fields(self) -> int:
        """What a row has beside its metadata and its operands."""
        return bits_of(self.point["num_warps"]) + ID_BITS + self.point["num_lanes"]

    @property
    def row_data(self) -> int:
        """As the document counts it: the operands in the row."""
        return self.row_fields + 3 * self.width

    @property
    def row_added(self) -> int:
        """What the collectors without RTL add to the metadata of a row."""
        caching = self.organisation == "caching"
        ids = 3 * bits_of(self.point["coll_depth"]) if caching else bits_of(self.entries)
        return 3 + 1 + ids + (3 if self.point.word("war") == "epoch" else 0)

    @property
    def age(self) -> int:
        rows = self.point["rs_entries"]
        return rows * (rows - 1) // 2 if self.point.word("alloc_order") == "age" else 0

    @property
    def wb_buffer(self) -> int:
        return self.point["wb_buffer"] * (self.preg + self.point["num_lanes"] + self.width + 1)

    @property
    def flops(self) -> int:
        """All of them; operands are in the collector only (§4.4)."""
        row = self.row_metadata + self.row_fields + self.row_added
        rows = self.point["rs_entries"] * row
        return self.scoreboard + rows + self.age + self.tags + self.wb_buffer

    # ---- together -------------------------------------------------------------------------------

    @property
    def storage(self) -> float:
        """Register file and collector, which the document adds up."""
        return self.prf_area + self.collector_area

    @property
    def overhead(self) -> float:
        """Of the collector over the register file."""
        return self.collector_area / self.prf_area

    @property
    def area(self) -> float:
        """The area proxy of §11: storage and flip-flops; crosspoints stand apart."""
        return self.storage + self.flops * FLOP


# Rows that are shown: name, unit, property, formula
ROWS = (
    ("PRF bits", "bit", "prf_bits", "C·num_pregs·W; C = 3 duplicated, else 1"),
    ("PRF area", "µm²", "prf_area", "C·N·ceil(W/256)·A(num_pregs/N), A(d) = 3229.779 + 27.12959·d"),
    ("collector bits", "bit", "collector_bits",
     "duplicated, caching 3·D·W; src K·D·W; inst 3·K·D·W"),
    ("collector area", "µm²", "collector_area",
     "K·ceil(W/256)·A(max(D, 8)), inst three times that; D = 1 or duplicated: bits × 7.81"),
    ("PRF to collector crossbar", "crosspoints", "crossbar", "N·K·W; duplicated 3·N·W if N > 1"),
    ("FU crossbar", "crosspoints", "fu_crossbar", "src with K > 3: K·3·W·P; else 0"),
    ("tags", "flops", "tags", "caching: 3·D·(1 + preg + ceil(log2(R+P+1))) + 3·ceil(log2 D)"),
    ("scoreboard", "flops", "scoreboard", "num_pregs·(1 + r); epoch: num_pregs·(2 + 2r); "
     "r = ceil(log2(max_pending_reads+1))"),
    ("RS metadata a row", "flops", "row_metadata", "1 + 3·(preg + 2)"),
    ("RS data a row", "bit", "row_data", "warp + 32 + 7 + num_lanes + 3·W"),
    ("added to the metadata a row", "flops", "row_added", "3 collFired + hasEntry + entry or slots "
     "+ 3 if epoch"),
    ("age of the rows", "flops", "age", "R(R−1)/2 where rows are walked by age"),
    ("forward CAM", "comparators", "forward_cam", "3·R, shared with the busy CAM"),
    ("window", "comparators a warp", "window_comparators", "7·w(w−1)/2"),
    ("writeback buffer", "flops", "wb_buffer", "B·(preg + num_lanes + W + 1)"),
    ("flip-flops", "flops", "flops", "scoreboard + R·(metadata + added + fields without operands) "
     "+ age + tags + buffer"),
    ("area proxy", "µm²", "area", "PRF + collector area + 7.81·flops; crosspoints apart"),
)  # fmt: skip
