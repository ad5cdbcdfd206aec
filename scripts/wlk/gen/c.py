# SPDX-License-Identifier: Apache-2.0
"""C of a block's port table: structs, packing, and the run-time table.

  python3 -m wlk.gen.c BLOCK OUT.h OUT.c

OUT.h has the configuration struct, one struct a side with the RTL's names, and the packing of
the control words as inline functions (the models' hot path). OUT.c has the packing of whole
records and `wlk_BLOCK_table`. Run by Meson; never edit what it writes.
"""

from __future__ import annotations

import math
import string
import sys
from pathlib import Path

from ..base.errors import WlkError
from ..tables import (
    WORD,
    Expr,
    Field,
    Param,
    Slot,
    Table,
    element_name,
    lane_step,
    load,
    names,
    opaque_stem,
    walk,
)

NOTE = "/* Generated from refmodel/blocks/{0}.toml by scripts/wlk/gen/c.py. Do not edit. */"


def c_type(width: int) -> str:
    """The smallest unsigned type of that width."""
    return next(f"uint{n}_t" for n in (8, 16, 32, 64) if width <= n)


def c_string(text: str) -> str:
    """The text as a C string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Writer:
    """Lines with indentation."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def __call__(self, text: str = "") -> None:
        if text.startswith("}"):
            self.depth -= 1
        self.lines.append("    " * self.depth + text if text else "")
        if text.endswith("{"):
            self.depth += 1

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


class CTable:
    """Generates the C of one table."""

    def __init__(self, table: Table) -> None:
        table = table.whole or table
        self.t = table
        self.p = f"wlk_{table.c_name}"
        self.largest = {p.name: max(p.legal) for p in table.params.values()}

    # -- header ----------------------------------------------------------------------------
    def header(self) -> str:
        w = Writer()
        guard = f"WARPLOCK_{self.t.name.upper()}_PORTS_H"
        w("/* SPDX-License-Identifier: Apache-2.0 */")
        w(NOTE.format(self.t.name))
        w(f"#ifndef {guard}")
        w(f"#define {guard}")
        w()
        w('#include "warplock/block.h"')
        for name in self._unit_headers():
            w(f'#include "warplock/{name}_ports.h"')
        w()
        w("#ifdef __cplusplus")
        w('extern "C" {')
        w.depth = 0
        w("#endif")
        w()
        self._cfg(w)
        for unit in self.t.units:
            self._unit(w, unit)
        for side in ("in", "out"):
            self._sizes(w, side)
            self._struct(w, side)
            self._control(w, side, unpack=True)
            self._control(w, side, unpack=False)
            self._accessors(w, side)
        for side in ("in", "out"):
            w("/** Whole record words to struct and back; absent ports are 0. */")
            w(f"void {self.p}_{side}_unpack(const {self.p}_cfg *cfg, const uint64_t *words,")
            w(f"    {self.p}_{side} *v);")
            w(f"void {self.p}_{side}_pack(const {self.p}_cfg *cfg, const {self.p}_{side} *v,")
            w("    uint64_t *words);")
        w()
        for side in ("in", "out"):
            w(f"/** Words of a whole {side}put record. */")
            w(f"static inline uint32_t {self.p}_{side}_words(const {self.p}_cfg *cfg) {{")
            w("(void)cfg;")
            payloads = [f for f in self._payloads(side) if not f.opaque]
            terms = [f"{self._copies(f)} * {self._payload_words(f)}" for f in payloads]
            w(f"return {' + '.join([self._control_count(side), *terms])};")
            w("}")
            w()
        w("/** Ones in every output bit that exists. */")
        w(f"void {self.p}_out_mask(const {self.p}_cfg *cfg, uint64_t *words);")
        w()
        self._points(w)
        self._api(w)
        w(f"extern const wlk_table {self.p}_table;")
        w()
        w("#ifdef __cplusplus")
        w.lines.append("}")
        w("#endif")
        w("#endif")
        return w.text()

    def _unit_headers(self) -> list[str]:
        """Tables, other than this one, that define the units used here."""
        used = {f.unit for f in self.t.fields if f.unit} - set(self.t.units)
        return sorted(n for n in names() if used & set(load(n).units)) if used else []

    def _unit(self, w: Writer, unit: str) -> None:
        """Accessors of a unit's words, which are the same in every record that has it."""
        members = self.t.unit_members(unit)
        slots = [self.t.slots[f.name, ()] for f in members]
        first = min(s.word for s in slots)
        w(f"/** Words of an `{unit}`. */")
        w(f"#define WLK_{unit.upper()}_WORDS {max(s.word for s in slots) - first + 1}u")
        w()
        for item, slot in zip(members, slots, strict=True):
            name = f"wlk_{unit}_%s_{item.member.replace('.', '_')}"
            what = f"{unit} {item.member}: {item.doc}"
            self._getter(w, name % "get", slot.word - first, slot.lsb, item.max_width, what)
            self._putter(w, name % "put", slot.word - first, slot.lsb, item.max_width, what)

    def _sizes(self, w: Writer, side: str) -> None:
        stem = f"WLK_{self.t.c_name.upper()}_{side.upper()}"
        if not self.t.groups[side]:
            w("/** Control words of the record; payloads follow. */")
            w(f"#define {stem}_CONTROL {self.t.control[side]}u")
            w()
            return
        text, _, stride = self.t.groups[side][0]
        w(f"/** Control words before the group, and words of each of its `{text}` elements. */")
        w(f"#define {stem}_GROUP  {self.t.control[side]}u")
        w(f"#define {stem}_STRIDE {stride}u")
        w()

    def _getter(self, w: Writer, name: str, word: int, lsb: int, width: int, what: str) -> None:
        kind = c_type(max(width, 32))
        mask = f"UINT64_C(0x{(1 << width) - 1:x})"
        w(f"/** {what} [{width} bits]. */")
        w(f"static inline {kind} {name}(const uint64_t *words) {{")
        w(f"return ({kind})(words[{word}] >> {lsb} & {mask});")
        w("}")
        w()

    def _putter(self, w: Writer, name: str, word: int, lsb: int, width: int, what: str) -> None:
        w(f"/** {what} [{width} bits], into words that are 0 there. */")
        w(f"static inline void {name}(uint64_t *words, uint64_t value) {{")
        w(f"words[{word}] |= value << {lsb};")
        w("}")
        w()

    def _points(self, w: Writer) -> None:
        """Protocol rules as bits, coverage points as bit numbers."""
        stem = f"WLK_{self.t.c_name.upper()}"
        if self.t.rules:
            w("/** Protocol rules, bits of what tick returns. */")
            w("enum {")
            for n, rule in enumerate(self.t.rules):
                w(f"{stem}_{rule['name'].upper()} = 1 << {n}, /**< {rule['doc']} */")
            w("};")
            w()
        w("/** Profiles of the stimulus, initialisers of an array of names. */")
        names = ", ".join(f'"{name}"' for name in self.t.profiles)
        w(f"#define {stem}_PROFILES {names}")
        w()
        w("/** Coverage points, bit numbers of the event bitmap. */")
        w("enum {")
        for n, point in enumerate(self.t.covers):
            w(f"{stem}_EV_{point['name'].upper()} = {n}, /**< {point['doc']} */")
        w("};")
        w()

    def _api(self, w: Writer) -> None:
        """The model by structs; the block itself works on record words."""
        p = self.p
        has = self.t.clock is not None
        where = f"its members: warplock/{self.t.c_name}.h" if has else "it has none: NULL will do"
        w(f"/** State of the model; {where}. */")
        w(f"typedef struct {p}_state {p}_state;")
        w()
        w("/** Legal alone and together? On failure @p err names the parameter and the remedy. */")
        w(f"wlk_status {p}_check(const {p}_cfg *cfg, wlk_error *err);")
        w()
        w("/** Bytes of the state that this configuration uses; the rest is never touched. */")
        w(f"size_t {p}_state_size(const {p}_cfg *cfg);")
        w()
        w("/** Power-up: everything unknown, or every bit zero and known. */")
        w(f"void {p}_init(const {p}_cfg *cfg, {p}_state *state, wlk_power_up power_up);")
        w()
        w("/** Outputs of this cycle, and care (all ones = must match, per bit); pure. */")
        w(f"void {p}_eval(const {p}_cfg *cfg, const {p}_state *state, const {p}_in *in,")
        w(f"    {p}_out *out, {p}_out *care);")
        w()
        w("/** The clock edge. Returns the protocol rules broken; the state stays defined. */")
        w(f"uint32_t {p}_tick(const {p}_cfg *cfg, {p}_state *state, const {p}_in *in);")
        w()
        w("/** The block as the shared parts see it. */")
        w(f"extern const wlk_block {p}_block;")
        w()

    def _record_words(self, side: str) -> int:
        """Words of the largest record: array bounds."""
        words = self.t.control[side] + sum(c(self.largest) * n for _, c, n in self.t.groups[side])
        for item in self.t.fields:
            if item.direction == side and item.lanes is not None:
                bits = item.lanes(self.largest) * lane_step(item.width(self.largest))
                words += math.prod(item.counts) * -(-bits // WORD)
        return words

    def _api_source(self, w: Writer) -> None:
        p = self.p
        w("// A configuration is the array of its parameters.")
        w(f'_Static_assert(sizeof({p}_cfg) % sizeof(uint32_t) == 0, "configuration of words");')
        w()
        sizes = [f"{s.upper()}_WORDS = {self._record_words(s)}" for s in ("in", "out")]
        w("enum { " + ", ".join(sizes) + " };")
        w()
        w(f"wlk_status {p}_check(const {p}_cfg *cfg, wlk_error *err) {{")
        w(f"return {p}_block.check((const uint32_t *)cfg, err);")
        w("}")
        w()
        w(f"size_t {p}_state_size(const {p}_cfg *cfg) {{")
        w(f"return {p}_block.state_size((const uint32_t *)cfg);")
        w("}")
        w()
        w(f"void {p}_init(const {p}_cfg *cfg, {p}_state *state, wlk_power_up power_up) {{")
        w(f"{p}_block.init((const uint32_t *)cfg, state, power_up);")
        w("}")
        w()
        w(f"void {p}_eval(const {p}_cfg *cfg, const {p}_state *state, const {p}_in *in,")
        w(f"    {p}_out *out, {p}_out *care) {{")
        w("uint64_t in_words[IN_WORDS], out_words[OUT_WORDS], care_words[OUT_WORDS];")
        w(f"{p}_in_pack(cfg, in, in_words);")
        w(f"{p}_block.eval((const uint32_t *)cfg, state, in_words, out_words, care_words);")
        w(f"{p}_out_unpack(cfg, out_words, out);")
        w(f"{p}_out_unpack(cfg, care_words, care);")
        w("}")
        w()
        w(f"uint32_t {p}_tick(const {p}_cfg *cfg, {p}_state *state, const {p}_in *in) {{")
        w("uint64_t in_words[IN_WORDS];")
        w("wlk_step_info info;")
        w(f"{p}_in_pack(cfg, in, in_words);")
        w(f"{p}_block.tick((const uint32_t *)cfg, state, in_words, &info);")
        w("return info.violated;")
        w("}")
        w()

    def _cfg(self, w: Writer) -> None:
        w(f"/** Configuration of `{self.t.name}`; spec: {self.t.spec}. */")
        w(f"typedef struct {self.p}_cfg {{")
        for p in self.t.params.values():
            w(f"uint32_t {p.name}; /**< {p.doc}; {p.describe()}, default {p.show(p.default)} */")
        w(f"}} {self.p}_cfg;")
        w()
        for p in self.t.params.values():
            if not p.names:
                name = f"WLK_{self.t.c_name.upper()}_MAX_{p.name.upper()}"
                w(f"#define {name} {max(p.legal)}u")
                continue
            w(f"/** Values of `{p.name}`. */")
            w("enum {")
            for position, value in enumerate(p.names):
                w(f"WLK_{self.t.c_name.upper()}_{p.name.upper()}_{value.upper()} = {position},")
            w("};")
        for each in self.t.lists.values():
            stem = f"WLK_{self.t.c_name.upper()}_{each.name.upper()}"
            first = list(self.t.params).index(each.param(0, each.items[0]))
            w(f"/** `{each.name}`: entries at most, parameters of one, the first of them all. */")
            w(f"#define {stem}_MOST   {each.most}u")
            w(f"#define {stem}_STRIDE {len(each.items)}u")
            w(f"#define {stem}_FIRST  {first}u")
        w()

    def _struct(self, w: Writer, side: str) -> None:
        word = "Inputs" if side == "in" else "Outputs"
        w(f"/** {word} of a cycle, by the RTL's names. Payloads: record words, lane 0 lowest. */")
        w(f"typedef struct {self.p}_{side} {{")
        self._members(w, [f for f in self.t.fields if f.direction == side], 0)
        w(f"}} {self.p}_{side};")
        w()

    def _count(self, item: Field, depth: int) -> str:
        count = item.path[depth][1]
        return "" if count is None else f"[{count(self.largest)}]"

    def _members(self, w: Writer, fields: list[Field], depth: int) -> None:
        position = 0
        while position < len(fields):
            part = fields[position].path[depth][0]
            end = position
            while end < len(fields) and fields[end].path[depth][0] == part:
                end += 1
            item = fields[position]
            dims = self._count(item, depth)
            if len(item.path) == depth + 1:
                if item.lanes is not None:
                    bits = item.lanes(self.largest) * lane_step(item.width(self.largest))
                    w(f"uint64_t {part}{dims}[{-(-bits // WORD)}]; /**< {item.doc} */")
                else:
                    w(f"{c_type(item.max_width)} {part}{dims}; /**< {item.doc} */")
            else:
                w("struct {")
                self._members(w, fields[position:end], depth + 1)
                w(f"}} {part}{dims};")
            position = end

    def _access(self, item: Field, index: tuple) -> str:
        rest = list(index)
        parts = []
        for part, count in item.path:
            parts.append(part if count is None else f"{part}[{rest.pop(0)}]")
        return "v->" + ".".join(parts)

    def _control(self, w: Writer, side: str, unpack: bool) -> None:
        """Inline packing of the control words that hold no group."""
        fields = [f for f in self.t.fields if f.direction == side and f.lanes is None]
        plain = [f for f in fields if f.group is None]
        const = "const " if unpack else ""
        verb = "unpack" if unpack else "pack"
        other = "" if unpack else "const "
        w(f"static inline void {self.p}_{side}_{verb}_control({const}uint64_t *words,")
        w(f"    {other}{self.p}_{side} *v) {{")
        single = [f for f in plain if not _loops(f)]
        elements = [(f, i, self.t.slots[f.name, i]) for f, i in walk(single, None)]
        if unpack:
            for item, index, slot in elements:
                w(
                    f"{self._access(item, index)} = "
                    f"{self._take('words', str(slot.word), slot, item)};"
                )
        else:
            for word in range(self.t.control[side]):
                terms = [
                    f"((uint64_t){self._access(f, i)} << {s.lsb})"
                    for f, i, s in elements
                    if s.word == word
                ]
                w(f"words[{word}] = " + ("\n        | ".join(terms) or "0") + ";")
        for item in plain:
            if _loops(item):
                self._packed_loop(w, item, unpack)
        w("}")
        w()

    def _packed_loop(self, w: Writer, item: Field, unpack: bool) -> None:
        """Pack or unpack an array that lies side by side in a word, all its places."""
        index = tuple(f"i{n}" for n in range(len(item.counts)))
        for name, count in zip(index, item.counts, strict=True):
            w(f"for (uint32_t {name} = 0; {name} < {count}u; {name}++) {{")
        slot = self.t.slots[item.name, (0,) * len(index)]
        steps = zip(index, item.steps(), strict=True)
        shift = " + ".join([f"{slot.lsb}u", *(f"{i} * {step}u" for i, step in steps)])
        place = self._access(item, index)
        if unpack:
            mask, cast = (1 << item.max_width) - 1, c_type(item.max_width)
            w(f"{place} = ({cast})(words[{slot.word}] >> ({shift}) & UINT64_C(0x{mask:x}));")
        else:
            w(f"words[{slot.word}] |= (uint64_t){place} << ({shift});")
        for _ in index:
            w("}")

    def _accessors(self, w: Writer, side: str) -> None:
        """Getters of input fields, putters of output fields: a whole small array at a time.

        Those of a group take the words of one element. A unit has one that tells its words.
        """
        for item in self.t.fields:
            if item.direction != side or item.lanes is not None or item.unit:
                continue
            slots = [s for (name, _), s in self.t.slots.items() if name == item.name]
            if len({s.word for s in slots}) > 1:
                continue
            first, width = slots[0], len(slots) * item.max_width
            name = f"{self.p}_{side}_%s_{item.flat.replace('.', '_')}"
            what = item.flat + ("" if len(slots) == 1 else f", {len(slots)} side by side")
            what += ", of a group's element" if item.group is not None else ""
            self._getter(w, name % "get", first.word, first.lsb, width, what)
            self._putter(w, name % "put", first.word, first.lsb, width, what)
        self._group_place(w, side)
        self._unit_places(w, side)

    def _group_place(self, w: Writer, side: str) -> None:
        if not self.t.groups[side]:
            return
        stem = f"WLK_{self.t.c_name.upper()}_{side.upper()}"
        for const in ("const ", ""):
            name = f"{self.p}_{side}_{'element' if const else 'element_mut'}"
            w(f"/** Words of element @p i of the group of `{self.t.groups[side][0][0]}`. */")
            w(f"static inline {const}uint64_t *{name}({const}uint64_t *words, uint32_t i) {{")
            w(f"return words + {stem}_GROUP + i * {stem}_STRIDE;")
            w("}")
            w()

    def _unit_places(self, w: Writer, side: str) -> None:
        """Where each use of a unit starts, in the record or in its group's element."""
        starts: dict[str, tuple[Field, int]] = {}
        for item in self.t.fields:
            if item.unit and item.direction == side:
                root = "_".join(p for p, _ in item.path[: item.unit_at])
                word = self.t.slots[item.name, ()].word
                if root not in starts or word < starts[root][1]:
                    starts[root] = (item, word)
        for root, (item, word) in starts.items():
            where = "its group's element" if item.group is not None else "the record"
            w(f"/** First word of {root.replace('_', '.')} in {where}. */")
            w(f"#define {self.p.upper()}_{side.upper()}_{root.upper()} {word}u")
            w()

    def _take(self, words: str, word: str, slot: Slot, item: Field) -> str:
        mask = (1 << item.max_width) - 1
        cast = c_type(item.max_width)
        return f"({cast})(({words}[{word}] >> {slot.lsb}) & UINT64_C(0x{mask:x}))"

    # -- source ----------------------------------------------------------------------------
    def source(self) -> str:
        w = Writer()
        w("// SPDX-License-Identifier: Apache-2.0")
        w(NOTE.format(self.t.name))
        w(f'#include "warplock/{self.t.name}_ports.h"')
        w()
        w("#include <string.h>")
        w()
        w('#include "warplock/table_build.h"')
        w()
        self._ports(w)
        self._layout(w)
        for side in ("in", "out"):
            for unpack in (True, False):
                self._whole(w, side, unpack)
        self._mask(w)
        self._api_source(w)
        self._floors(w)
        self._together(w)
        self._tables(w)
        return w.text()

    def _head(self, w: Writer) -> None:
        w(f"const {self.p}_cfg *cfg = (const {self.p}_cfg *)words;")

    def _payloads(self, side: str) -> list[Field]:
        """Fields in whole words of their own, in the order of these words."""
        fields = [f for f in self.t.fields if f.direction == side and f.lanes is not None]
        return sorted(fields, key=lambda f: not f.opaque)

    def _fixed_count(self, side: str) -> str:
        """Control words of a side, groups included and opaque fields not, as C."""
        groups = [f"({c.c()} * {n}u)" for _, c, n in self.t.groups[side]]
        return " + ".join([f"{self.t.control[side]}u", *groups])

    def _control_count(self, side: str) -> str:
        """Control words of a side, groups and opaque fields included, as C."""
        opaque = [f for f in self._payloads(side) if f.opaque]
        words = [f"({self._copies(f)} * {self._payload_words(f)})" for f in opaque]
        return " + ".join([self._fixed_count(side), *words])

    def _layout(self, w: Writer) -> None:
        w("static void layout(const uint32_t *words, wlk_layout *l) {")
        self._head(w)
        w("(void)cfg;")
        w("memset(l, 0, sizeof *l);")
        for side in ("in", "out"):
            w(f"l->{side}_control = {self._control_count(side)};")
            w(f"l->{side}_words = l->{side}_control;")
        for item in self.t.fields:
            if item.lanes is None or item.opaque:
                continue
            side = item.direction
            bits = f"{item.lanes.c()} * wlk_lane_step({item.width.c()})"
            w(f"wlk_layout_payloads(l->{side}_payload, &l->n_{side}_payloads, &l->{side}_words,")
            w(f"    {self._copies(item)}, {bits});")
        for item in self.t.fields:
            lanes = f" * {item.lanes.c()}" if item.lanes is not None else ""
            w(f"l->n_ports += {self._copies(item)}{lanes};")
        w("}")
        w()

    def _ports(self, w: Writer) -> None:
        w("static uint32_t ports(const uint32_t *words, const wlk_members *members,")
        w("    wlk_port *list, uint32_t capacity) {")
        self._head(w)
        w("(void)cfg;")
        w("(void)members;")
        w("wlk_port_builder b = {.list = list, .capacity = capacity, .count = 0};")
        for side in ("in", "out"):
            at = self._fixed_count(side)
            for item in self._payloads(side):
                w(f"const uint32_t {self._first(item)} = {at};")
                at = f"{self._first(item)} + {self._copies(item)} * {self._payload_words(item)}"
        self._port_tree(w, self.t.fields, 0, ())
        w("return b.count;")
        w("}")
        w()

    def _port_tree(self, w: Writer, fields: list[Field], depth: int, index: tuple) -> None:
        """Mirrors tables.walk; counts that are parameters become loops."""
        position = 0
        while position < len(fields):
            part, count = fields[position].path[depth]
            end = position
            while end < len(fields) and fields[end].path[depth][0] == part:
                end += 1
            members = fields[position:end]
            if count is None:
                indices: list[tuple] = [index]
            elif count.names:
                var = f"i{len(index)}"
                w(f"for (uint32_t {var} = 0; {var} < {count.c()}; {var}++) {{")
                indices = [(*index, var)]
            else:
                indices = [(*index, i) for i in range(count({}))]
            for ahead in indices:
                for item in members:
                    if len(item.path) == depth + 1:
                        self._port_add(w, item, ahead)
                deeper = [m for m in members if len(m.path) > depth + 1]
                if deeper:
                    self._port_tree(w, deeper, depth + 1, ahead)
            if count is not None and count.names:
                w("}")
            position = end

    def _place(self, item: Field, index: tuple) -> tuple[str, int | str]:
        """Word and lowest bit of an element as C; loop variables stand for parameter counts."""
        if item.packed:
            slot = self.t.slots[item.name, (0,) * len(index)]
            literal, loops = slot.lsb, []
            for i, step in zip(index, item.steps(), strict=True):
                if isinstance(i, str):
                    loops.append(f"{i} * {step}u")
                else:
                    literal += i * step
            return f"{slot.word}u", " + ".join([f"{literal}u", *loops]) if loops else literal
        fixed = tuple(i for i in index if not isinstance(i, str))
        slot = self.t.slots[item.name, fixed]
        if slot.group is None:
            return f"{slot.word}u", slot.lsb
        loop = next(i for i in index if isinstance(i, str))
        base = [f"{self.t.control[item.direction]}u"]
        for text, count, stride in self.t.groups[item.direction]:
            if text == slot.group:
                return " + ".join([*base, f"{loop} * {stride}u", f"{slot.word}u"]), slot.lsb
            base.append(f"{count.c()} * {stride}u")
        raise AssertionError(item.name)

    def _port_add(self, w: Writer, item: Field, index: tuple) -> None:
        marks = [f"@{n}@" if isinstance(i, str) else i for n, i in enumerate(index)]
        name = (
            opaque_stem(item, tuple(marks))[:-1]
            if item.opaque
            else element_name(item, tuple(marks))
        )
        for n in range(len(index)):
            name = name.replace(f"@{n}@", "%u")
        field_id = self.t.fields.index(item)
        out = "true" if item.direction == "out" else "false"
        present = "true" if item.when is None else f"({item.when.c()}) != 0u"
        width = item.width.c()
        loops = [i for i in index if isinstance(i, str)]
        args = "".join(f", {i}" for i in loops)
        w("wlk_ports_name(&b, " + c_string(name) + args + ");")
        for n, i in enumerate(index):
            w(f"b.next.index[{n}] = (uint8_t){i};")
        w(f"b.next.n_index = {len(index)};")
        w(f"b.next.field = {field_id};")
        w(f"b.next.is_out = {out};")
        w(f"b.next.present = {present};")
        if item.lanes is not None:
            word = f"{self._first(item)} + {self._nth(item, index)} * {self._payload_words(item)}"
            if item.opaque:
                w(f"wlk_ports_opaque(&b, members, {word}, {item.lanes.c()});")
            else:
                w(f"wlk_ports_lanes(&b, {word}, {item.lanes.c()}, {width});")
        else:
            word, lsb = self._place(item, index)
            w(f"wlk_ports_add(&b, {word}, {lsb}, {width});")

    def _whole(self, w: Writer, side: str, unpack: bool) -> None:
        verb = "unpack" if unpack else "pack"
        name = f"{self.p}_{side}_{verb}"
        if unpack:
            w(f"void {name}(const {self.p}_cfg *cfg, const uint64_t *words,")
            w(f"    {self.p}_{side} *v) {{")
            w("memset(v, 0, sizeof *v);")
        else:
            w(f"void {name}(const {self.p}_cfg *cfg, const {self.p}_{side} *v,")
            w("    uint64_t *words) {")
        w("(void)cfg;")
        w(f"{self.p}_{side}_{verb}_control(words, v);")
        base = f"{self.t.control[side]}u"
        for text, count, stride in self.t.groups[side]:
            w(f"for (uint32_t i = 0; i < {count.c()}; i++) {{")
            target = "const uint64_t" if unpack else "uint64_t"
            w(f"{target} *g = words + {base} + i * {stride}u;")
            if not unpack:
                w(f"memset(g, 0, {stride}u * sizeof *g);")
            self._group(w, side, text, unpack)
            w("}")
            base += f" + ({count.c()} * {stride}u)"
        payloads = self._payloads(side)
        if payloads:
            w(f"uint32_t at = {base};")
        for item in payloads:
            n = f"n{self.t.fields.index(item)}"
            w(f"const uint32_t {n} = {self._payload_words(item)};")
            for literal in _literal_indices(item):
                index = self._open_loops(w, item, literal)
                place = self._access(item, index)
                a, b = (place, "words + at") if unpack else ("words + at", place)
                w(f"memcpy({a}, {b}, {n} * sizeof *words);")
                w(f"at += {n};")
                self._close_loops(w, index)
        w("}")
        w()

    def _mask(self, w: Writer) -> None:
        """Ones in the bits that exist: a port's width is an expression, its place is not."""
        w(f"void {self.p}_out_mask(const {self.p}_cfg *cfg, uint64_t *words) {{")
        w(f"memset(words, 0, {self.p}_out_words(cfg) * sizeof *words);")
        for item in self.t.fields:
            if item.direction != "out" or item.lanes is not None:
                continue
            if item.when is not None:
                w(f"if (({item.when.c()}) != 0u) {{")
            for index in _literal_indices(item):
                self._mask_element(w, item, index)
            if item.when is not None:
                w("}")
        if self._payloads("out"):
            w(f"words += {self._fixed_count('out')};")
        for item in self._payloads("out"):
            w(f"for (uint32_t n = 0; n < {self._copies(item)}; n++) {{")
            lanes = item.lanes.c()
            if item.when is not None:
                lanes = f"({item.when.c()}) != 0u ? {lanes} : 0u"
            w(f"wlk_mask_lanes(words, {lanes}, {item.width.c()});")
            w(f"words += {self._payload_words(item)};")
            w("}")
        w("}")
        w()

    def _copies(self, item: Field) -> str:
        """How many elements a field has, as C."""
        counts = [count.c() for _, count in item.path if count is not None]
        return " * ".join(counts) or "1u"

    def _payload_words(self, item: Field) -> str:
        """Words of one element of a payload, as C."""
        return f"(({item.lanes.c()} * wlk_lane_step({item.width.c()}) + 63u) / 64u)"

    def _first(self, item: Field) -> str:
        """C variable with the first word of a field's payloads."""
        return f"first_{self.t.fields.index(item)}"

    def _nth(self, item: Field, index: tuple) -> str:
        """Position of an element among those of its field, as C."""
        place, rest = "0u", list(index)
        for _, count in item.path:
            if count is not None:
                place = f"({place} * {count.c()} + {rest.pop(0)})"
        return place

    def _open_loops(self, w: Writer, item: Field, literal: tuple) -> tuple:
        """Loops over the parameter counts of an element's arrays; its index in them."""
        index, rest = [], list(literal)
        for _, count in item.path:
            if count is None:
                continue
            if count.names:
                index.append(f"i{len(index)}")
                w(f"for (uint32_t {index[-1]} = 0; {index[-1]} < {count.c()}; {index[-1]}++) {{")
            else:
                index.append(rest.pop(0))
        return tuple(index)

    @staticmethod
    def _close_loops(w: Writer, index: tuple) -> None:
        for name in index:
            if isinstance(name, str):
                w("}")

    def _mask_element(self, w: Writer, item: Field, literal: tuple) -> None:
        """One literal element, over the parameter counts of its arrays."""
        index = self._open_loops(w, item, literal)
        word, lsb = self._place(item, index)
        w(f"words[{word}] |= wlk_mask({item.width.c()}) << ({lsb});")
        self._close_loops(w, index)

    def _group(self, w: Writer, side: str, text: str, unpack: bool) -> None:
        members = [
            f
            for f in self.t.fields
            if f.direction == side and f.lanes is None and f.group and f.group.text == text
        ]
        for item, fixed in walk(members, None):
            slot = self.t.slots[item.name, fixed]
            index, rest = [], list(fixed)
            for _, count in item.path:
                if count is not None:
                    index.append("i" if count.names else rest.pop(0))
            place = self._access(item, tuple(index))
            if unpack:
                w(f"{place} = {self._take('g', str(slot.word), slot, item)};")
            else:
                w(f"g[{slot.word}] |= (uint64_t){place} << {slot.lsb};")

    def _floors(self, w: Writer) -> None:
        w("static uint32_t cover_floor(const uint32_t *words, uint32_t point) {")
        self._head(w)
        w("(void)cfg;")
        w("switch (point) {")
        for number, point in enumerate(self.t.covers):
            when = point.get("when")
            value = f"{point['floor']}u"
            if when is not None:
                value = f"({Expr(when, self.t.name).c()}) != 0u ? {value} : 0u"
            w(f"case {number}:")
            w(f"    return {value};")
        w("default:")
        w("    return 0;")
        w("}")
        w("}")
        w()

    def _together(self, w: Writer) -> None:
        """The constraints; {name} in a text becomes the parameter's value."""
        w("static wlk_status together(const uint32_t *words, wlk_error *err) {")
        self._head(w)
        w("(void)cfg;")
        w("(void)err;")
        for each in self.t.constraints:
            parts = list(string.Formatter().parse(each.text))
            text = "".join(t.replace("%", "%%") + ("%u" if name else "") for t, name, _, _ in parts)
            values = "".join(f", cfg->{name}" for _, name, _, _ in parts if name)
            w(f"if (({each.when.c()}) != 0u) {{")
            w(f"return wlk_fail(err, WLK_BAD_CONFIG, {c_string('config: ' + text)}{values});")
            w("}")
        w("return WLK_OK;")
        w("}")
        w()

    def _field_id(self, flat: str) -> int:
        for number, item in enumerate(self.t.fields):
            if item.flat == flat:
                return number
        raise KeyError(f"{self.t.path.name}: no field '{flat}'")

    def _tables(self, w: Writer) -> None:
        self._params_table(w)
        self._fields_table(w)
        self._channels_table(w)
        for kind, points in (("rules", self.t.rules), ("covers", self.t.covers)):
            w(f"static const wlk_point {kind}[] = {{")
            for point in points:
                w(f"{{{c_string(point['name'])}, {c_string(point['doc'])}}},")
            w("{NULL, NULL}};")
            w.depth -= 1
        self._whole_table(w)

    def _params_table(self, w: Writer) -> None:
        for p in self.t.params.values():
            values = ", ".join(f"{v}u" for v in p.legal)
            w(f"static const uint32_t legal_{p.name}[] = {{{values}}};")
            if p.names:
                values = ", ".join(c_string(v) for v in p.names)
                w(f"static const char *const names_{p.name}[] = {{{values}}};")
        w("static const wlk_param params[] = {")
        for p in self.t.params.values():
            names = f"names_{p.name}" if p.names else "NULL"
            w(
                f"{{{c_string(p.name)}, {p.default}u, legal_{p.name}, {len(p.legal)}u, {names}, "
                f"{str(p.behavioural).lower()}, {c_string(p.doc)}, {self._list_of(p)}}},"
            )
        w("};")

    def _list_of(self, param: Param) -> str:
        """The list that a parameter is an item of, and how many an entry has, as C."""
        if not param.list_of:
            return "NULL, 0u"
        return f"{c_string(param.list_of)}, {len(self.t.lists[param.list_of].items)}u"

    def _fields_table(self, w: Writer) -> None:
        for number, f in enumerate(self.t.fields):
            if f.x_hides:
                hidden = [*(self._field_id(name) for name in f.x_hides), -1]
                w(f"static const int16_t x_hides_{number}[] = {{{', '.join(map(str, hidden))}}};")
        w("static const wlk_field fields[] = {")
        for number, f in enumerate(self.t.fields):
            hides = f"x_hides_{number}" if f.x_hides else "NULL"
            when = self._field_id(f.valid_when) if f.valid_when else -1
            marks = (f.direction == "out", f.lanes is not None, f.read, f.exact)
            flags = ", ".join(str(v).lower() for v in (*marks, f.timing == "registered", f.opaque))
            count = next((n for _, n in f.path if n is not None and n.names), None)
            array = c_string(count.text) if count is not None else "NULL"
            label = c_string(f.label) if f.label else "NULL"
            texts = f"{c_string(f.doc)}, {array}, {hides}, {label}, WLK_{f.notation.upper()}"
            w(f"{{{c_string(f.flat)}, {when}, {flags}, {texts}}},")
        w("};")

    def _channels_table(self, w: Writer) -> None:
        for number, channel in enumerate(self.t.channels):
            bits = [self._field_id(b) for b in channel.get("bits", [])]
            w(f"static const int16_t bits_{number}[] = {{{', '.join(map(str, [*bits, -1]))}}};")
        w("static const wlk_channel channels[] = {")
        for number, channel in enumerate(self.t.channels):
            valid = self._field_id(channel["valid"])
            ready = self._field_id(channel["ready"]) if "ready" in channel else -1
            w(f"{{{c_string(channel['name'])}, {valid}, {ready}, bits_{number}}},")
        w("{NULL, -1, -1, NULL}};")
        w.depth -= 1

    def _whole_table(self, w: Writer) -> None:
        t = self.t
        w(f"const wlk_table {self.p}_table = {{")
        w(f".name = {c_string(t.name)},")
        w(f".module = {c_string(t.module)},")
        w(f".schema_hash = UINT64_C(0x{t.schema_hash():016x}),")
        w(f".model_version = {t.model_version}u,")
        w(f".has_clock = {str(t.clock is not None).lower()},")
        w(f".reset = {self._field_id(t.reset) if t.reset else -1},")
        parts = {"params": t.params, "fields": t.fields, "channels": t.channels}
        for name, items in (parts | {"rules": t.rules, "covers": t.covers}).items():
            w(f".{name} = {name},")
            w(f".n_{name} = {len(items)}u,")
        for name in ("layout", "ports", "cover_floor", "together"):
            w(f".{name} = {name},")
        w("};")


def _loops(item: Field) -> bool:
    """Is some count of this field a parameter?"""
    return any(count is not None and count.names for _, count in item.path)


def _literal_indices(item: Field) -> list[tuple]:
    indices: list[tuple] = [()]
    for _, count in item.path:
        if count is not None and not count.names:
            indices = [(*i, n) for i in indices for n in range(count({}))]
    return indices


def main(argv: list[str]) -> int:
    """Write the two files."""
    if len(argv) != 4:
        print("usage: python3 -m wlk.gen.c BLOCK OUT.h OUT.c", file=sys.stderr)
        return 2
    try:
        generated = CTable(load(argv[1]))
        Path(argv[2]).write_text(generated.header(), encoding="utf-8")
        Path(argv[3]).write_text(generated.source(), encoding="utf-8")
    except WlkError as exc:
        print(f"wlk.gen.c: {exc}", file=sys.stderr)
        return int(exc.status)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
