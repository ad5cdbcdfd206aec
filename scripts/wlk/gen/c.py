# SPDX-License-Identifier: Apache-2.0
"""C of a block's port table: structs, packing, and the run-time table.

  python3 -m wlk.gen.c BLOCK OUT.h OUT.c
  python3 -m wlk.gen.c --models OUT.h BLOCK...    the list of models

OUT.h has the configuration struct, one struct a side with the RTL's names, and accessors of the
control words as inline functions (the models' hot path). OUT.c has `wlk_BLOCK_table` and the rows
that frame/map.h works with: where each field lies, floors, constraints. Run by Meson; never edit
what it writes.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterable
from pathlib import Path

from ..base.errors import Status, WlkError
from ..tables import (
    WORD,
    Expr,
    Field,
    Param,
    Table,
    element_name,
    lane_step,
    load,
    names,
    opaque_stem,
)

NOTE = "/* Generated from refmodel/blocks/{0}.toml by scripts/wlk/gen/c.py. Do not edit. */"


def c_type(width: int) -> str:
    """The smallest unsigned type of that width."""
    return next(f"uint{n}_t" for n in (8, 16, 32, 64) if width <= n)


def c_string(text: str) -> str:
    """The text as a C string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def c_list(items: Iterable[object]) -> str:
    """An initialiser of an array."""
    return "{" + (", ".join(map(str, items)) or "0") + "}"


class Numbered:
    """Texts and the number of each, the same for equal ones."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)

    def __call__(self, text: str) -> int:
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)


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
            name = item.label or item.member.replace(".", "_")
            self._accessor(w, f"wlk_{unit}", name, slot.word - first, slot.lsb, item.max_width)
        w()

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

    def _accessor(self, w: Writer, stem: str, name: str, *place: int, note: str = "") -> None:
        """Getter and putter of a word, lowest bit and width."""
        numbers = ", ".join(map(str, place))
        kind = c_type(max(place[-1], 32))
        w(
            f"WLK_ACCESSORS({kind}, {stem}, {name}, {numbers})"
            + (f" /**< {note} */" if note else "")
        )

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

    def _accessors(self, w: Writer, side: str) -> None:
        """Getters and putters of fields: a whole small array at a time.

        Those of a group take the words of one element. A unit has one that returns its words.
        """
        for item in self.t.fields:
            if item.direction != side or item.lanes is not None or item.unit:
                continue
            slots = [s for (name, _), s in self.t.slots.items() if name == item.name]
            if len({s.word for s in slots}) > 1:
                continue
            first, width = slots[0], len(slots) * item.max_width
            notes = [f"{len(slots)} side by side"] * (len(slots) > 1)
            notes += ["of a group's element"] * (item.group is not None)
            name, note = item.flat.replace(".", "_"), ", ".join(notes)
            self._accessor(w, f"{self.p}_{side}", name, first.word, first.lsb, width, note=note)
        w()
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

    # -- source ----------------------------------------------------------------------------
    def source(self) -> str:
        w = Writer()
        w("// SPDX-License-Identifier: Apache-2.0")
        w(NOTE.format(self.t.name))
        w(f'#include "warplock/{self.t.name}_ports.h"')
        w()
        w("#include <string.h>")
        w()
        w('#include "frame/map.h"')
        w()
        self._map(w)
        self._packing(w)
        self._mask(w)
        self._api_source(w)
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

    # -- where fields lie --------------------------------------------------------------------
    def _map(self, w: Writer) -> None:
        """The rows of frame/map.h, and the functions of the table that walk them."""
        values = Numbered(self._fixed_count("in"), self._fixed_count("out"), "1u")
        conditions = Numbered()
        w("static const map_field map_fields[] = {")
        for before, item in itertools.pairwise([None, *self.t.fields]):
            self._map_field(w, before, item, values)
        w("};")
        w()
        w("static const map_constraint constraints[] = {")
        for each in self.t.constraints:
            w(f"{{{conditions(_holds(each.when))}, {c_string(each.text)}}},")
        w("{0, NULL}};")
        w.depth -= 1
        w()
        w("static const map_floor floors[] = {")
        for point in self.t.covers:
            when = point.get("when")
            number = -1 if when is None else conditions(_holds(Expr(when, self.t.name)))
            w(f"{{{point['floor']}u, {number}}},")
        w("};")
        w()
        self._numbered(w, "values", "uint32_t", values, "MAP_VALUES")
        self._numbered(w, "conditions", "bool", conditions, "MAP_CONDITIONS")
        w("static const map rows = {")
        w(f"&{self.p}_table, map_fields, constraints, floors,")
        w(f"{len(self.t.constraints)}u, values, conditions")
        w("};")
        w()
        self._table_calls(w)

    def _numbered(self, w: Writer, name: str, kind: str, numbered: Numbered, most: str) -> None:
        """A function that fills an array with what each number stands for."""
        w(f'_Static_assert({len(numbered.texts)} <= {most}, "too many {name}");')
        w(f"static void {name}(const uint32_t *words, {kind} *v) {{")
        self._head(w)
        w("(void)cfg;")
        w("(void)v;")
        for number, text in enumerate(numbered.texts):
            w(f"v[{number}] = {text};")
        w("}")
        w()

    def _map_field(self, w: Writer, before: Field | None, item: Field, values: Numbered) -> None:
        """One row: name, bit; values; dimensions, counts, steps; place in the struct."""
        dims = [n for n, (_, count) in enumerate(item.path) if count is not None]
        same = 0
        if before is not None:
            pairs = zip(item.path, before.path, strict=False)
            same = sum(1 for _ in itertools.takewhile(lambda p: p[0][0] == p[1][0], pairs))
        shared = sum(n < same for n in dims)
        name = opaque_stem(item, ("%u",) * len(dims))[:-1] if item.opaque else None
        name = name or element_name(item, ("%u",) * len(dims))
        numbers = [
            values(item.width.c()),
            values(item.lanes.c() if item.lanes is not None else "1u"),
            values(_holds(item.when) if item.when is not None else "1u"),
        ]
        counts = [values(count.c()) for _, count in item.path if count is not None]
        bit, steps = (0, []) if item.lanes is not None else self._steps(item)
        place, access, strides = f"{self.p}_{item.direction}", "", []
        for part, count in item.path:
            access += f".{part}" if access else part
            if count is not None:
                strides.append(f"MAP_STRIDE({place}, {access})")
                access += "[0]"
        w(
            f"{{{c_string(name)}, {bit}, {', '.join(map(str, numbers))}, {len(dims)}, {shared}, "
            f"{c_list(counts)}, {c_list(steps)}, {item.max_width},"
        )
        w(f"    {c_list(strides)}, MAP_AT({place}, {access})}},")

    def _steps(self, item: Field) -> tuple[int, list[int]]:
        """First bit of a control field, and bits from an element to the next in each dimension."""
        if item.packed:
            slot = self.t.slots[item.name, (0,) * len(item.counts)]
            return slot.word * WORD + slot.lsb, list(item.steps())
        counts = [count for _, count in item.path if count is not None]
        literal = [n for n, count in enumerate(counts) if not count.names]
        bits = {
            index: slot.word * WORD + slot.lsb
            for (name, index), slot in self.t.slots.items()
            if name == item.name
        }
        first = bits[(0,) * len(literal)]
        steps = [sum(n for _, _, n in self.t.groups[item.direction]) * WORD for _ in counts]
        for at, dimension in enumerate(literal):
            ahead = tuple(int(n == at) for n in range(len(literal)))
            steps[dimension] = bits.get(ahead, first) - first
        for index, bit in bits.items():
            pairs = zip(index, (steps[n] for n in literal), strict=True)
            if bit != first + sum(i * step for i, step in pairs):
                message = f"{self.t.path.name}: {item.name}: elements at uneven distances"
                raise WlkError(Status.MODEL_ERROR, message)
        group = item.group is not None
        return first + group * self.t.control[item.direction] * WORD, steps

    def _table_calls(self, w: Writer) -> None:
        """The functions of the table."""
        w("static void layout(const uint32_t *cfg, wlk_layout *l) {")
        w("wlk_map_layout(&rows, cfg, l);")
        w("}")
        w()
        w("static uint32_t ports(const uint32_t *cfg, const wlk_members *members,")
        w("    wlk_port *list, uint32_t capacity) {")
        w("return wlk_map_ports(&rows, cfg, members, list, capacity);")
        w("}")
        w()
        w("static uint32_t cover_floor(const uint32_t *cfg, uint32_t point) {")
        w("return wlk_map_floor_of(&rows, cfg, point);")
        w("}")
        w()
        w("static wlk_status together(const uint32_t *cfg, wlk_error *err) {")
        w("return wlk_map_together(&rows, cfg, err);")
        w("}")
        w()

    def _packing(self, w: Writer) -> None:
        """Whole records to structs and back."""
        p, cfg = self.p, f"const {self.p}_cfg *cfg"
        for side in ("in", "out"):
            is_out = str(side == "out").lower()
            w(f"void {p}_{side}_unpack({cfg}, const uint64_t *words, {p}_{side} *v) {{")
            w("memset(v, 0, sizeof *v);")
            w(f"wlk_map_unpack(&rows, {is_out}, (const uint32_t *)cfg, words, v);")
            w("}")
            w()
            w(f"void {p}_{side}_pack({cfg}, const {p}_{side} *v, uint64_t *words) {{")
            w(f"wlk_map_pack(&rows, {is_out}, (const uint32_t *)cfg, v, words);")
            w("}")
            w()

    def _mask(self, w: Writer) -> None:
        """Ones in the bits that exist. Written out, as every record of a model asks for it."""
        w(f"void {self.p}_out_mask(const {self.p}_cfg *cfg, uint64_t *words) {{")
        w(f"memset(words, 0, {self.p}_out_words(cfg) * sizeof *words);")
        control = [f for f in self.t.fields if f.direction == "out" and f.lanes is None]
        for item in control:
            if item.group is None:
                self._mask_field(w, item, "words")
        for _, count, stride in self.t.groups["out"]:
            w(f"for (uint32_t i = 0; i < {count.c()}; i++) {{")
            w(f"uint64_t *g = words + {self.t.control['out']}u + i * {stride}u;")
            for item in control:
                if item.group is not None:
                    self._mask_field(w, item, "g")
            w("}")
        if self._payloads("out"):
            w(f"words += {self._fixed_count('out')};")
        for item in self._payloads("out"):
            w(f"for (uint32_t n = 0; n < {self._copies(item)}; n++) {{")
            lanes = item.lanes.c()
            if item.when is not None:
                lanes = f"{_holds(item.when)} ? {lanes} : 0u"
            w(f"wlk_mask_lanes(words, {lanes}, {item.width.c()});")
            w(f"words += {self._payload_words(item)};")
            w("}")
        w("}")
        w()

    def _mask_field(self, w: Writer, item: Field, words: str) -> None:
        """The elements of a control field, in the words of the record or of its group's element."""
        mask, when = f"wlk_mask({item.width.c()})", ""
        if item.when is not None:
            when = f"{_holds(item.when)} ? "
        slots = [s for (name, _), s in self.t.slots.items() if name == item.name]
        if item.packed:
            counts = [count.c() for _, count in item.path if count is not None]
            for count, step in reversed(list(zip(counts, item.steps(), strict=True))):
                mask = f"wlk_repeat({mask}, {step}u, {count})"
            slots = slots[:1]
        for slot in slots:
            value = f"{mask} << {slot.lsb}"
            w(f"{words}[{slot.word}] |= " + (f"{when}{value} : 0u;" if when else f"{value};"))

    def _copies(self, item: Field) -> str:
        """How many elements a field has, as C."""
        counts = [count.c() for _, count in item.path if count is not None]
        return " * ".join(counts) or "1u"

    def _payload_words(self, item: Field) -> str:
        """Words of one element of a payload, as C."""
        return f"(({item.lanes.c()} * wlk_lane_step({item.width.c()}) + 63u) / 64u)"

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


def _holds(condition: Expr) -> str:
    return f"({condition.c()}) != 0u"


def model_list(blocks: Iterable[str]) -> str:
    """The models, by the names of their symbols."""
    each = "".join(f" X({load(name).c_name})" for name in blocks)
    return f"/* Generated by scripts/wlk/gen/c.py. */\n#define WLK_MODELS(X){each}\n"


def main(argv: list[str]) -> int:
    """Write the files."""
    if len(argv) < 4:
        print("usage: python3 -m wlk.gen.c BLOCK OUT.h OUT.c", file=sys.stderr)
        return 2
    try:
        if argv[1] == "--models":
            Path(argv[2]).write_text(model_list(argv[3:]), encoding="utf-8")
            return 0
        generated = CTable(load(argv[1]))
        Path(argv[2]).write_text(generated.header(), encoding="utf-8")
        Path(argv[3]).write_text(generated.source(), encoding="utf-8")
    except WlkError as exc:
        print(f"wlk.gen.c: {exc}", file=sys.stderr)
        return int(exc.status)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
