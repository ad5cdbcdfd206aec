# SPDX-License-Identifier: Apache-2.0
"""C of a block's port table: structs, packing, and the run-time table.

  python3 -m wlk.gen.c BLOCK OUT.h OUT.c VIEW.h
  python3 -m wlk.gen.c --models OUT.h    the list of models
  python3 -m wlk.gen.c --stimuli OUT.h   the blocks that have a stimulus of their own
  python3 -m wlk.gen.c --folders         the folders of the blocks in refmodel/, for Meson

OUT.h has the configuration struct, one struct a side with the RTL's names, and accessors of the
control words as inline functions (the models' hot path). OUT.c has `wlk_BLOCK_table` and the rows
that frame/map.h works with: where each field lies, floors, constraints. VIEW.h is that of view.py.
Run by Meson; never edit what it writes.
"""

import itertools
import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..base.errors import Status, WlkError
from ..tables import (
    WORD,
    Expr,
    Field,
    ListParam,
    Param,
    Table,
    element_name,
    label,
    lane_step,
    load,
    most,
    names,
    opaque_stem,
    own,
    shipped,
    source,
)
from ..tables.files import MODEL, MODELS, decode, is_by_structs, table_path

NOTE = "/* Generated from {0} by scripts/wlk/gen/c.py. Do not edit. */"
SIDES = ("in", "out")
MAP_BEYOND = "MAP_BEYOND"  # frame/map.h
# Structs of ports: what callers see; words in place of units; pointers to words (view.py).
PUBLIC, WORDS, VIEW = "public", "words", "view"


def c_type(width: int) -> str:
    """The smallest unsigned type of that width."""
    return next(f"uint{n}_t" for n in (8, 16, 32, 64) if width <= n)


def c_string(text: str | None) -> str:
    """The text as a C string; NULL without one."""
    if text is None:
        return "NULL"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def c_list(items: Iterable[object]) -> str:
    """An initialiser of an array."""
    return "{" + (", ".join(map(str, items)) or "0") + "}"


def c_bool(value: bool) -> str:
    """The word of C."""
    return str(value).lower()


def lines(items: Iterable[str], indent: int = 1) -> str:
    """The items, one a line."""
    return "".join(f"{'    ' * indent}{item}\n" for item in items)


def rows(kind: str, items: Iterable[str], end: str = "") -> str:
    """A table, an item a line; `end`: what stands behind the last one."""
    return f"static const {kind}[] = {{\n{lines(items)}{lines([end] if end else [])}}};\n"


def enum(items: Iterable[str]) -> str:
    """An enum without a name, an item a line."""
    return f"enum {{\n{lines(items)}}};\n"


class Numbered:
    """Texts and the number of each, the same for equal ones."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)

    def __call__(self, text: str) -> int:
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)


class CTable:
    """Generates the C of one table."""

    def __init__(self, table: Table) -> None:
        table = table.whole or table
        self.t = table
        self.p = f"wlk_{table.c_name}"
        self.stem = self.p.upper()
        self.cfg = f"const {self.p}_cfg *cfg"
        self.legal = {p.name: p.legal for p in table.params.values()}

    def _of(self, side: str) -> list[Field]:
        return [f for f in self.t.fields if f.direction == side]

    def _slots(self, item: Field) -> dict:
        """Places of a control field's elements, by their indices."""
        return {index: slot for (name, index), slot in self.t.slots.items() if name == item.name}

    # -- header ----------------------------------------------------------------------------
    def header(self) -> str:
        guard = f"WARPLOCK_{self.t.name.upper()}_PORTS_H"
        units = [f'#include "warplock/{name}_ports.h"' for name in self.unit_headers()]
        sides = [
            self._sizes(s) + self._struct(s) + self._lanes(s) + self._accessors(s) for s in SIDES
        ]
        return f"""\
/* SPDX-License-Identifier: Apache-2.0 */
{NOTE.format(source(self.t.name))}
#ifndef {guard}
#define {guard}

#include "warplock/block.h"
{lines(units, 0)}
#ifdef __cplusplus
extern "C" {{
#endif

{self._cfg()}{"".join(map(self._unit, self.t.units))}{"".join(sides)}
{"".join(map(self._packers, SIDES))}
{"".join(map(self._words, SIDES))}
/** Ones in every output bit that exists. */
void {self.p}_out_mask({self.cfg}, uint64_t *words);

{self._points()}
{self._api()}
extern const wlk_table {self.p}_table;

/** Set every parameter to its default, which is legal. */
static inline void {self.p}_defaults({self.p}_cfg *cfg) {{
    wlk_config_defaults(&{self.p}_table, (uint32_t *)cfg);
}}

#ifdef __cplusplus
}}
#endif
#endif
"""

    def model_header(self) -> str:
        """What of the header a model in model C sees: structs, limits, rules and points. In this
        tree the structs are like views (view.py), with payloads and units that lie in them."""
        is_own = self.t.name in own()
        structs = "".join(self._struct(side, in_view=not is_own) for side in SIDES)
        units = "".join(map(self._unit, self.t.units))
        state = f"typedef struct {self.p}_state {self.p}_state;"
        cfg = self._cfg(in_union=False)
        parts = (cfg, units, structs, self._points(), state)
        return "\n".join(["#pragma once", '#include "warplock/block.h"', *parts, ""])

    def sets(self, side: str) -> list[Field]:
        """Fields of a view that are one array of single bits in one word: each is a set too."""
        seen = filter(is_seen, self._of(side))
        fields = (f for f in seen if f.lanes is None and f.entry is None)
        return [f for f in fields if f.packed and len(f.counts) == 1 and f.max_width == 1]

    def set_members(self, side: str) -> str:
        """The member of a view that has the sets."""
        sets = [f"{c_type(f.counts[0])} {flat_name(f)};" for f in self.sets(side)]
        return f"    struct {{\n{lines(sets, 2)}    }} sets;\n" if sets else ""

    def _packers(self, side: str) -> str:
        p = f"{self.p}_{side}"
        return f"""\
/** Whole record words to struct and back; absent ports are 0. */
void {p}_unpack({self.cfg}, const uint64_t *words,
    {p} *v);
void {p}_pack({self.cfg}, const {p} *v,
    uint64_t *words);
"""

    def _words(self, side: str) -> str:
        payloads = [f for f in self.payloads(side) if not f.opaque]
        terms = [f"{self._copies(f)} * {self.payload_words(f)}" for f in payloads]
        return f"""\
/** Words of a whole {side}put record. */
static inline uint32_t {self.p}_{side}_words({self.cfg}) {{
    (void)cfg;
    return {" + ".join([self._control_count(side), *terms])};
}}

"""

    def unit_headers(self) -> list[str]:
        """Tables, other than this one, that define the units used here."""
        used = {f.unit for f in self.t.fields if f.unit} - set(self.t.units)
        return sorted(n for n in names() if used & set(load(n).units)) if used else []

    def _unit(self, unit: str) -> str:
        """Accessors of a unit's words, which are the same in every record that has it."""
        members = self.t.unit_members(unit)
        slots = [self.t.slots[f.name, ()] for f in members]
        first = min(s.word for s in slots)
        accessors = []
        for item, slot in zip(members, slots, strict=True):
            place = slot.word - first, slot.lsb, item.max_width
            accessors.append(_accessor(f"wlk_{unit}", unit_name(item), place))
        return f"""\
/** Words of an `{unit}`. */
#define WLK_{unit.upper()}_WORDS {max(s.word for s in slots) - first + 1}u

{lines(accessors, 0)}
"""

    def _sizes(self, side: str) -> str:
        return self._most(side) + self._places(side)

    def _most(self, side: str) -> str:
        """Array bounds; of the inputs also where the reset is."""
        text = f"""\
/** Words of the largest record, and fields whose words lie behind the others. */
#define {self.stem}_{side.upper()}_WORDS    {self._record_words(side)}u
#define {self.stem}_{side.upper()}_PAYLOADS {len(self.payloads(side))}u

"""
        if side == "out":
            return text
        reset = f"{self.p}_in_get_{self.t.reset}(words)" if self.t.reset else "((void)(words), 0)"
        return f"""\
{text}/** Is this cycle one in reset? */
#define {self.stem}_IN_RESET(words) {reset}

"""

    def _places(self, side: str) -> str:
        stem, control = f"{self.stem}_{side.upper()}", self.t.control[side]
        if not self.t.groups[side]:
            return f"""\
/** Control words of the record; payloads follow. */
#define {stem}_CONTROL {control}u

"""
        text, _, stride = self.t.groups[side][0]
        return f"""\
/** Control words before the group, and words of each of its `{text}` elements. */
#define {stem}_GROUP  {control}u
#define {stem}_STRIDE {stride}u

"""

    def _points(self) -> str:
        """Protocol rules as bits, coverage points as bit numbers."""
        rules = [
            f"{self.stem}_{rule['name'].upper()} = 1 << {n}, /**< {rule['doc']} */"
            for n, rule in enumerate(self.t.rules)
        ]
        covers = [
            f"{self.stem}_EV_{point['name'].upper()} = {n}, /**< {point['doc']} */"
            for n, point in enumerate(self.t.covers)
        ]
        broken = f"/** Protocol rules, bits of what tick returns. */\n{enum(rules)}\n"
        coverage = f"/** Coverage points, bit numbers of the event bitmap. */\n{enum(covers)}"
        return f"""\
{broken if rules else ""}/** Profiles of the stimulus, initialisers of an array of names. */
#define {self.stem}_PROFILES {", ".join(map(c_string, self.t.profiles))}

{coverage if covers else ""}"""

    def _api(self) -> str:
        """The model by structs; the block itself works on record words."""
        p = self.p
        has = self.t.clock is not None
        where = f"its members: warplock/{self.t.c_name}.h" if has else "it has none: NULL will do"
        return f"""\
/** State of the model; {where}. */
typedef struct {p}_state {p}_state;

/** Legal alone and together? On failure @p err names the parameter and the remedy. */
wlk_status {p}_check({self.cfg}, wlk_error *err);

/** Bytes of the state that this configuration uses; the rest is never touched. */
size_t {p}_state_size({self.cfg});

/** Power-up: everything unknown, or every bit zero and known. */
void {p}_init({self.cfg}, {p}_state *state, wlk_power_up power_up);

/** Outputs of this cycle, and care (all ones = must match, per bit); pure. */
void {p}_eval({self.cfg}, const {p}_state *state, const {p}_in *in,
    {p}_out *out, {p}_out *care);

/** The clock edge. Returns the protocol rules broken; the state stays defined. */
uint32_t {p}_tick({self.cfg}, {p}_state *state, const {p}_in *in);

/** The block as the shared parts see it. */
extern const wlk_block {p}_block;
"""

    def _cfg(self, *, in_union: bool = True) -> str:
        params = self.t.params.values()
        limits = "".join(map(self._limits, params))
        return f"""\
/** Configuration of `{self.t.name}`; spec: {self.t.spec}. */
typedef struct {self.p}_cfg {{
{self._cfg_members(in_union=in_union)}}} {self.p}_cfg;

{limits}{"".join(map(self._list_sizes, self.t.lists.values()))}
"""

    def _cfg_members(self, *, in_union: bool) -> str:
        """Parameters in their order; those of a list also as an array of its entries."""
        text = ""
        groups = itertools.groupby(self.t.params.values(), lambda param: param.list_of)
        for name, group in groups:
            params = lines(
                f"uint32_t {p.name}; /**< {p.doc}; {p.describe()}, default {p.show(p.default)} */"
                for p in group
            )
            if not name:
                text += params
                continue
            each = self.t.lists[name]
            items = "".join(f" uint32_t {item.name};" for item in each.items)
            array = f"struct {{{items} }} {name}[{each.most}]; /**< the entries of `{name}` */\n"
            text += f"union {{ struct {{\n{params}}};\n{array}}};\n" if in_union else params + array
        return text

    def _limits(self, param: Param) -> str:
        """The largest value of a parameter, or its named values."""
        name = param.name.upper()
        if not param.names:
            return f"#define {self.stem}_MAX_{name} {max(param.legal)}u\n"
        values = (f"{self.stem}_{name}_{v.upper()} = {n}," for n, v in enumerate(param.names))
        return f"/** Values of `{param.name}`. */\n{enum(values)}"

    def _list_sizes(self, each: ListParam) -> str:
        stem = f"{self.stem}_{each.name.upper()}"
        return f"""\
/** `{each.name}`: entries at most, parameters of one, the first of them all. */
#define {stem}_MOST   {each.most}u
#define {stem}_STRIDE {len(each.items)}u
#define {stem}_FIRST  {list(self.t.params).index(each.param(0, each.items[0]))}u
"""

    def _struct(self, side: str, *, in_view: bool = False) -> str:
        word = "Inputs" if side == "in" else "Outputs"
        fields = [f for f in self._of(side) if not in_view or is_seen(f)]
        members = self.members(fields, kind=WORDS if in_view else PUBLIC)
        members += self.set_members(side) if in_view else ""
        return f"""\
/** {word} of a cycle, by the RTL's names. Payloads: words in which lanes lie side by side. */
typedef struct {self.p}_{side} {{
{members}}} {self.p}_{side};

"""

    def members(self, fields: list[Field], depth: int = 0, *, kind: str = PUBLIC) -> str:
        """Those of a struct; fields that share a part of their paths are a struct in it."""
        text, pad = "", "    " * (depth + 1)
        parts: dict[str, list[Field]] = {}
        for item in fields:
            unit = self.unit_path(item) if kind != PUBLIC else ()
            part = unit[depth] if len(unit) == depth + 1 else item.members[depth][0]
            parts.setdefault(part, []).append(item)
        for part, inside in parts.items():
            item = inside[0]
            unit = self.unit_path(item) if kind != PUBLIC else ()
            name = part if len(unit) > item.unit_at == depth else part + self._bounds(inside, depth)
            inside = [each for each in inside if each.entry == item.entry]
            is_unit = len(unit) == depth + 1
            has_words = is_unit or (
                not unit and item.lanes is not None and len(item.path) == depth + 1
            )
            if kind == VIEW and has_words:
                size = f"{pad}uint32_t {part}_n;\n" if item.direction == "out" else ""
                text += f"{pad}uint64_t *{name};\n{size}"
                continue
            if is_unit:
                text += f"{pad}uint64_t {name}[WLK_{item.unit.upper()}_WORDS];\n"
                continue
            if len(item.path) > depth + 1:
                inner = self.members(inside, depth + 1, kind=kind)
                text += f"{pad}struct {{\n{inner}{pad}}} {name};\n"
                continue
            doc = item.doc if item.entry is None else item.doc.replace(str(item.entry), "@")
            if item.lanes is not None:
                text += f"{pad}uint64_t {name}[{self._most_words(item)}]; /**< {doc} */\n"
            else:
                text += f"{pad}{c_type(item.max_width)} {name}; /**< {doc} */\n"
        return text

    def unit_path(self, item: Field) -> Sequence[str]:
        """Where a view has the words of the unit that a field is in: at the path of the unit, or in
        a member with the unit's name where other fields of the path are beside it."""
        if not item.unit:
            return ()
        head = f"{item.unit_head}."
        beside = (f for f in self._of(item.direction) if f.flat.startswith(head))
        parts = [part for part, _ in item.path[: item.unit_at]]
        return parts if all(f.unit for f in beside) else [*parts, item.unit]

    def unit_paths(self) -> dict[str, Sequence[str]]:
        """The same of each field that model C sees as words of a unit."""
        if self.t.name in own():
            return {}
        return {f.name: self.unit_path(f) for f in self.t.fields if f.unit}

    def _bounds(self, fields: list[Field], depth: int) -> str:
        """Array bounds of the member of which these fields are."""
        _, entry, count = fields[0].members[depth]
        entries = "" if entry is None else f"[{1 + max(each.entry or 0 for each in fields)}]"
        return entries + ("" if count is None else f"[{most(count, self.legal)}]")

    def _lanes(self, side: str) -> str:
        """A lane of each payload by its number, since several lie in a word of the struct."""
        return "".join(self._lane(side, f) for f in self.payloads(side) if not f.opaque)

    def _lane(self, side: str, item: Field) -> str:
        place, indices = "v", []
        for depth, (part, entry, count) in enumerate(item.members):
            place += ("." if depth else "->") + _member(part, entry)
            if count is not None:
                indices.append(f"i{len(indices)}" if len(item.counts) > 1 else "i")
                place += f"[{indices[-1]}]"
        name, width = flat_name(item), item.width.c()
        inside = "".join(f"uint32_t {index}, " for index in indices)
        struct = f"{self.p}_{side}"
        text = f"""\
/** A lane, below {item.lanes.text}, of {item.flat}. */
static inline uint64_t {struct}_lane_get_{name}({self.cfg},
    const {struct} *v, {inside}uint32_t lane) {{
    (void)cfg;
    return wlk_lane_get({place}, lane, {width});
}}

"""
        if side == "out":
            return text
        return f"""\
{text}/** Set that lane; bits of @p value beyond its width are ignored. */
static inline void {struct}_lane_set_{name}({self.cfg},
    {struct} *v, {inside}uint32_t lane, uint64_t value) {{
    (void)cfg;
    wlk_lane_set({place}, lane, {width}, value);
}}

"""

    def _most_words(self, item: Field) -> int:
        """Words of an element of the largest payload."""
        lanes, width = (most(expr, self.legal) for expr in (item.lanes, item.width))
        return -(-lanes * lane_step(width) // WORD)

    def _accessors(self, side: str) -> str:
        """Getters and putters of fields: a whole small array at a time.

        Those of a group take the words of one element. A unit has one that returns its words.
        """
        accessors = []
        for item in self._of(side):
            slots = list(self._slots(item).values())
            if item.lanes is not None or item.unit or len({s.word for s in slots}) > 1:
                continue
            notes = [f"{len(slots)} side by side"] * (len(slots) > 1)
            notes += ["of a group's element"] * (item.group is not None)
            place = (slots[0].word, slots[0].lsb, len(slots) * item.max_width)
            name = flat_name(item)
            accessors.append(_accessor(f"{self.p}_{side}", name, place, ", ".join(notes)))
        return f"{lines(accessors, 0)}\n{self._group_place(side)}{self._unit_places(side)}"

    def _group_place(self, side: str) -> str:
        if not self.t.groups[side]:
            return ""
        stem, text = f"{self.stem}_{side.upper()}", ""
        for const, name in (("const ", "element"), ("", "element_mut")):
            text += f"""\
/** Words of element @p i of the group of `{self.t.groups[side][0][0]}`. */
static inline {const}uint64_t *{self.p}_{side}_{name}({const}uint64_t *words, uint32_t i) {{
    return words + {stem}_GROUP + i * {stem}_STRIDE;
}}

"""
        return text

    def _unit_places(self, side: str) -> str:
        """Where each use of a unit starts, in the record or in its group's element."""
        starts: dict[str, tuple[int, bool]] = {}
        for item in self._of(side):
            if item.unit:
                root = "_".join(p for p, _ in item.path[: item.unit_at])
                here = self.t.slots[item.name, ()].word, item.group is not None
                starts[root] = min(starts.get(root, here), here)
        return "".join(
            f"/** First word of {root.replace('_', '.')} in "
            f"{'its group' + chr(39) + 's element' if in_group else 'the record'}. */\n"
            f"#define {self.stem}_{side.upper()}_{root.upper()} {word}u\n\n"
            for root, (word, in_group) in starts.items()
        )

    # -- source ----------------------------------------------------------------------------
    def source(self) -> str:
        return f"""\
// SPDX-License-Identifier: Apache-2.0
{NOTE.format(source(self.t.name))}
#include "warplock/{self.t.name}_ports.h"

#include <string.h>

#include "frame/map.h"

{self._map()}
{self._table_calls()}
{"".join(map(self._packing, SIDES))}
{self._mask()}
{self._api_source()}
{self._tables()}"""

    def payloads(self, side: str) -> list[Field]:
        """Fields in whole words of their own, in the order of these words."""
        fields = [f for f in self._of(side) if f.lanes is not None]
        return sorted(fields, key=lambda f: not f.opaque)

    def fixed_count(self, side: str) -> str:
        """Control words of a side, groups included and opaque fields not, as C."""
        groups = [f"({c.c()} * {n}u)" for _, c, n in self.t.groups[side]]
        return " + ".join([f"{self.t.control[side]}u", *groups])

    def _control_count(self, side: str) -> str:
        """Control words of a side, groups and opaque fields included, as C."""
        opaque = [f for f in self.payloads(side) if f.opaque]
        words = [f"({self._copies(f)} * {self.payload_words(f)})" for f in opaque]
        return " + ".join([self.fixed_count(side), *words])

    # -- where fields lie --------------------------------------------------------------------
    def _map(self) -> str:
        """The rows of frame/map.h, and the functions that compute what these number."""
        values = Numbered(self.fixed_count("in"), self.fixed_count("out"), "1u")
        conditions = Numbered()
        pairs = itertools.pairwise([None, *self.t.fields])
        fields = [self._map_field(before, item, values) for before, item in pairs]
        constraints = [
            f"{{{conditions(_holds(each.when))}, {c_string(each.text)}}},"
            for each in self.t.constraints
        ]
        floors = []
        for point in self.t.covers:
            when = point.get("when")
            number = -1 if when is None else conditions(_holds(Expr(when, self.t.name)))
            floors.append(f"{{{point['floor']}u, {number}}},")
        return f"""\
{rows("map_field map_fields", fields)}
{rows("map_constraint constraints", constraints, "{0, NULL}")}
{rows("map_floor floors", floors)}
{self._numbered("values", "uint32_t", values)}
{self._numbered("conditions", "bool", conditions)}
static const map rows = {{
    &{self.p}_table, map_fields, constraints, floors,
    {len(self.t.constraints)}u, values, conditions
}};
"""

    def _numbered(self, name: str, kind: str, numbered: Numbered) -> str:
        """A function that fills an array with what each number stands for."""
        texts = [f"v[{number}] = {text};" for number, text in enumerate(numbered.texts)]
        return f"""\
_Static_assert({len(texts)} <= MAP_{name.upper()}, "too many {name}");
static void {name}(const uint32_t *words, {kind} *v) {{
    {self.cfg} = ({self.cfg.removesuffix("cfg")})words;
    (void)cfg;
    (void)v;
{lines(texts)}}}
"""

    def _map_field(self, before: Field | None, item: Field, values: Numbered) -> str:
        """One row: name, bit; values; dimensions, counts, steps; place in the struct."""
        dims = [n for n, (_, count) in enumerate(item.path) if count is not None]
        same = 0
        if before is not None:
            pairs = zip(item.path, before.path, strict=False)
            same = sum(1 for _ in itertools.takewhile(lambda p: p[0][0] == p[1][0], pairs))
        index = ("%u",) * len(dims)
        name = opaque_stem(item, index)[:-1] if item.opaque else element_name(item, index)
        numbers = [
            values(item.width.c()),
            values(item.lanes.c() if item.lanes is not None else "1u"),
            values(_holds(item.when) if item.when is not None else "1u"),
        ]
        counts = [values(count.c()) for _, count in item.path if count is not None]
        bit, steps = (0, []) if item.lanes is not None else self.steps(item)
        place, access, strides = f"{self.p}_{item.direction}", "", []
        for part, entry, count in item.members:
            access += ("." if access else "") + _member(part, entry)
            if count is not None:
                strides.append(f"MAP_STRIDE({place}, {access})")
                access += "[0]"
        numbers += [len(dims), sum(n < same for n in dims)]
        return (
            f"{{{c_string(name)}, {bit}, {', '.join(map(str, numbers))}, {c_list(counts)}, "
            f"{c_list(steps)}, {item.max_width}, {c_list(strides)}, MAP_AT({place}, {access})}},"
        )

    def steps(self, item: Field) -> tuple[int, list[int | str]]:
        """First bit of a control field, and bits from an element to the next in each dimension."""
        bits = {index: slot.word * WORD + slot.lsb for index, slot in self._slots(item).items()}
        if item.packed:
            return bits[(0,) * len(item.counts)], list(item.steps())
        counts = [count for _, count in item.path if count is not None]
        literal = [n for n, count in enumerate(counts) if not count.names]
        first = bits[(0,) * len(literal)]
        stride = sum(n for _, _, n in self.t.groups[item.direction]) * WORD
        grouped = [n for n in range(len(counts)) if n not in literal]
        steps = [stride if n in grouped[:1] else MAP_BEYOND for n in range(len(counts))]
        for at, dimension in enumerate(literal):
            ahead = tuple(int(n == at) for n in range(len(literal)))
            steps[dimension] = bits.get(ahead, first) - first
        for index, bit in bits.items():
            pairs = zip(index, (steps[n] for n in literal), strict=True)
            require_even(self.t, item, bit == first + sum(i * step for i, step in pairs))
        group = item.group is not None
        return first + group * self.t.control[item.direction] * WORD, steps

    # -- functions ---------------------------------------------------------------------------
    def _table_calls(self) -> str:
        """The functions of the table."""
        return """\
static void layout(const uint32_t *cfg, wlk_layout *l) {
    wlk_map_layout(&rows, cfg, l);
}

static uint32_t ports(const uint32_t *cfg, const wlk_members *members,
    wlk_port *list, uint32_t capacity) {
    return wlk_map_ports(&rows, cfg, members, list, capacity);
}

static uint32_t cover_floor(const uint32_t *cfg, uint32_t point) {
    return wlk_map_floor_of(&rows, cfg, point);
}

static wlk_status together(const uint32_t *cfg, wlk_error *err) {
    return wlk_map_together(&rows, cfg, err);
}
"""

    def _packing(self, side: str) -> str:
        """Whole records to structs and back."""
        p, is_out = f"{self.p}_{side}", c_bool(side == "out")
        return f"""\
void {p}_unpack({self.cfg}, const uint64_t *words, {p} *v) {{
    memset(v, 0, sizeof *v);
    wlk_map_unpack(&rows, {is_out}, (const uint32_t *)cfg, words, v);
}}

void {p}_pack({self.cfg}, const {p} *v, uint64_t *words) {{
    wlk_map_pack(&rows, {is_out}, (const uint32_t *)cfg, v, words);
}}

"""

    def _mask(self) -> str:
        """Ones in the bits that exist. Written out, as every record of a model asks for it."""
        control = [f for f in self._of("out") if f.lanes is None]
        plain = [text for f in control if f.group is None for text in self._mask_field(f, "words")]
        counts = dict.fromkeys(f.group.text for f in control if f.group is not None)
        grouped = {
            text: [
                part
                for f in control
                if f.group and f.group.text == text
                for part in self._mask_field(f, "g")
            ]
            for text in counts
        }
        text = lines(plain)
        for count, parts in grouped.items():
            stride = self.t.groups["out"][0][2]
            text += f"""\
    for (uint32_t i = 0; i < {Expr(count, self.t.name).c()}; i++) {{
        uint64_t *g = words + {self.t.control["out"]}u + i * {stride}u;
{lines(parts, 2)}    }}
"""
        if self.payloads("out"):
            text += f"    words += {self.fixed_count('out')};\n"
        for item in self.payloads("out"):
            lanes = item.lanes.c()
            if item.when is not None:
                lanes = f"{_holds(item.when)} ? {lanes} : 0u"
            text += f"""\
    for (uint32_t n = 0; n < {self._copies(item)}; n++) {{
        wlk_mask_lanes(words, {lanes}, {item.width.c()});
        words += {self.payload_words(item)};
    }}
"""
        return f"""\
void {self.p}_out_mask({self.cfg}, uint64_t *words) {{
    memset(words, 0, {self.p}_out_words(cfg) * sizeof *words);
{text}}}
"""

    def _mask_field(self, item: Field, words: str) -> list[str]:
        """The elements of a control field, in the words of the record or of its group's element."""
        mask = f"wlk_mask({item.width.c()})"
        slots = list(self._slots(item).values())
        if item.packed:
            counts = [count.c() for _, count in item.path if count is not None]
            for count, step in reversed(list(zip(counts, item.steps(), strict=True))):
                mask = f"wlk_repeat({mask}, {step}u, {count})"
            slots = slots[:1]
        when, rest = (f"{_holds(item.when)} ? ", " : 0u") if item.when is not None else ("", "")
        return [f"{words}[{s.word}] |= {when}{mask} << {s.lsb}{rest};" for s in slots]

    def _copies(self, item: Field) -> str:
        """How many elements a field has, as C."""
        counts = [count.c() for _, count in item.path if count is not None]
        return " * ".join(counts) or "1u"

    def payload_words(self, item: Field) -> str:
        """Words of one element of a payload, as C."""
        return f"(({item.lanes.c()} * wlk_lane_step({item.width.c()}) + 63u) / 64u)"

    def _record_words(self, side: str) -> int:
        """Words of the largest record: array bounds."""
        groups = self.t.groups[side]
        words = self.t.control[side] + sum(most(c, self.legal) * n for _, c, n in groups)
        return words + sum(math.prod(f.counts) * self._most_words(f) for f in self.payloads(side))

    def _api_source(self) -> str:
        p, block = self.p, f"{self.p}_block"
        return f"""\
// A configuration is the array of its parameters.
_Static_assert(sizeof({p}_cfg) % sizeof(uint32_t) == 0, "configuration of words");

wlk_status {p}_check({self.cfg}, wlk_error *err) {{
    return {block}.check((const uint32_t *)cfg, err);
}}

size_t {p}_state_size({self.cfg}) {{
    return {block}.state_size((const uint32_t *)cfg);
}}

void {p}_init({self.cfg}, {p}_state *state, wlk_power_up power_up) {{
    {block}.init((const uint32_t *)cfg, state, power_up);
}}

void {p}_eval({self.cfg}, const {p}_state *state, const {p}_in *in,
    {p}_out *out, {p}_out *care) {{
    uint64_t in_words[{self.stem}_IN_WORDS];
    uint64_t out_words[{self.stem}_OUT_WORDS], care_words[{self.stem}_OUT_WORDS];
    {p}_in_pack(cfg, in, in_words);
    {block}.eval((const uint32_t *)cfg, state, in_words, out_words, care_words);
    {p}_out_unpack(cfg, out_words, out);
    {p}_out_unpack(cfg, care_words, care);
}}

uint32_t {p}_tick({self.cfg}, {p}_state *state, const {p}_in *in) {{
    uint64_t in_words[{self.stem}_IN_WORDS];
    wlk_step_info info;
    {p}_in_pack(cfg, in, in_words);
    {block}.tick((const uint32_t *)cfg, state, in_words, &info);
    return info.violated;
}}
"""

    # -- tables ------------------------------------------------------------------------------
    def _field_id(self, flat: str | None) -> int:
        """The number of a field; -1 without one."""
        return [item.flat for item in self.t.fields].index(flat) if flat else -1

    def _ids(self, name: str, flats: Sequence[str]) -> str:
        """An array of fields, which -1 ends."""
        ids = [*map(self._field_id, flats), -1]
        return f"static const int16_t {name}[] = {c_list(ids)};\n"

    def _tables(self) -> str:
        t = self.t
        parts = {"params": t.params, "fields": t.fields, "channels": t.channels}
        parts |= {"rules": t.rules, "covers": t.covers}
        members = [f".{name} = {name}, .n_{name} = {len(items)}u," for name, items in parts.items()]
        points = [
            rows(
                f"wlk_point {kind}",
                (f"{{{c_string(p['name'])}, {c_string(p['doc'])}}}," for p in parts[kind]),
                "{NULL, NULL}",
            )
            for kind in ("rules", "covers")
        ]
        return f"""\
{self._params_table()}{self._fields_table()}{self._channels_table()}{"".join(points)}
const wlk_table {self.p}_table = {{
    .name = {c_string(t.name)},
    .module = {c_string(t.module)},
    .schema_hash = UINT64_C(0x{t.schema_hash():016x}),
    .model_version = {t.model_version}u,
    .has_clock = {c_bool(t.clock is not None)},
    .reset = {self._field_id(t.reset)},
{lines(members)}    .layout = layout,
    .ports = ports,
    .cover_floor = cover_floor,
    .together = together,
    .spec = {c_string(t.spec)},
}};
"""

    def _params_table(self) -> str:
        text, params = "", []
        for p in self.t.params.values():
            legal = c_list(f"{v}u" for v in p.legal)
            text += f"static const uint32_t legal_{p.name}[] = {legal};\n"
            if p.names:
                shown = c_list(map(c_string, p.names))
                text += f"static const char *const names_{p.name}[] = {shown};\n"
            names = f"names_{p.name}" if p.names else "NULL"
            items = len(self.t.lists[p.list_of].items) if p.list_of else 0
            params.append(
                f"{{{c_string(p.name)}, {p.default}u, legal_{p.name}, {len(p.legal)}u, {names}, "
                f"{c_bool(p.behavioural)}, {c_string(p.doc)}, "
                f"{c_string(p.list_of or None)}, {items}u}},"
            )
        return text + rows("wlk_param params", params)

    def _fields_table(self) -> str:
        text, fields = "", []
        for number, f in enumerate(self.t.fields):
            hides = f"x_hides_{number}" if f.x_hides else "NULL"
            text += self._ids(hides, f.x_hides) if f.x_hides else ""
            marks = (f.direction == "out", f.lanes is not None, f.read, f.exact)
            flags = ", ".join(map(c_bool, (*marks, f.timing == "registered", f.opaque)))
            count = next((n.text for _, n in f.path if n is not None and n.names), None)
            fields.append(
                f"{{{c_string(f.flat)}, {self._field_id(f.valid_when)}, {flags}, "
                f"{c_string(f.doc)}, {c_string(count)}, {hides}, {c_string(f.label or None)}, "
                f"WLK_{f.notation.upper()}}},"
            )
        return text + rows("wlk_field fields", fields)

    def _channels_table(self) -> str:
        text, channels = "", []
        for number, channel in enumerate(self.t.channels):
            text += self._ids(f"bits_{number}", channel.get("bits", []))
            ends = ", ".join(str(self._field_id(channel.get(key))) for key in ("valid", "ready"))
            channels.append(f"{{{c_string(channel['name'])}, {ends}, bits_{number}}},")
        return text + rows("wlk_channel channels", channels, "{NULL, -1, -1, NULL}")


def _accessor(stem: str, name: str, place: tuple[int, int, int], note: str = "") -> str:
    """Getter and putter of a word, lowest bit and width."""
    numbers = ", ".join(map(str, place))
    text = f"WLK_ACCESSORS({c_type(max(place[-1], 32))}, {stem}, {name}, {numbers})"
    return f"{text} /**< {note} */" if note else text


def require_even(table: Table, item: Field, is_even: bool) -> None:
    """MODEL_ERROR where elements of a field do not lie one like the other."""
    if not is_even:
        message = f"{label(table.path)}: {item.name}: elements at uneven distances"
        raise WlkError(Status.MODEL_ERROR, message)


def flat_name(item: Field) -> str:
    """A field in the names of what takes all of it."""
    return item.flat.replace(".", "_")


def is_seen(item: Field) -> bool:
    """Has a view this port?"""
    return item.read or item.direction == "out"


def set_size(item: Field) -> str:
    """How many elements an array of one dimension has, as C."""
    (count,) = (n for _, n in item.path if n is not None)
    return count.c()


def unit_name(item: Field) -> str:
    """A field of a unit in the names of its accessors."""
    return (item.label or item.member).replace(".", "_")


def _member(name: str, entry: int | None) -> str:
    """A part of the path of a struct's member."""
    return name if entry is None else f"{name}[{entry}]"


def _holds(condition: Expr) -> str:
    return f"({condition.c()}) != 0u"


def model_list() -> str:
    """The models, by the names of their symbols."""
    each = "".join(f" X({load(name).c_name})" for name in shipped())
    return f"/* Generated by scripts/wlk/gen/c.py. */\n#define WLK_MODELS(X){each}\n"


def stimulus_list() -> str:
    """The blocks with profiles of their own, by the names of their symbols."""
    own = (name for name in shipped() if "profiles" in decode(table_path(name))["block"])
    each = "".join(f" X({name})" for name in own)
    return f"/* Generated by scripts/wlk/gen/c.py. */\n#define WLK_STIMULI(X){each}\n"


def folders() -> list[str]:
    """Of each block its folder below refmodel/, then words of its model: `plain` is in model C,
    `open` is written again for a state that is partly unknown."""
    lines = []
    for name, folder in shipped().items():
        words = [str(folder.relative_to(MODELS))]
        if is_by_structs(folder / MODEL):
            words.append("plain")
            if f"{name}_open.h" in (folder / MODEL).read_text(encoding="utf-8"):
                words.append("open")
        lines.append(" ".join(words))
    return lines


def main(argv: list[str]) -> int:
    """Write the files."""
    from . import view  # which imports this

    try:
        if argv[1:] == ["--folders"]:
            print("\n".join(folders()))
            return 0
        if len(argv) == 3 and argv[1] == "--models":
            Path(argv[2]).write_text(model_list(), encoding="utf-8")
            return 0
        if len(argv) == 3 and argv[1] == "--stimuli":
            Path(argv[2]).write_text(stimulus_list(), encoding="utf-8")
            return 0
        if len(argv) != 5:
            print("usage: python3 -m wlk.gen.c BLOCK OUT.h OUT.c VIEW.h", file=sys.stderr)
            return 2
        generated = CTable(load(argv[1]))
        Path(argv[2]).write_text(generated.header(), encoding="utf-8")
        Path(argv[3]).write_text(generated.source(), encoding="utf-8")
        Path(argv[4]).write_text(view.View(generated).header(), encoding="utf-8")
    except WlkError as exc:
        print(f"wlk.gen.c: {exc}", file=sys.stderr)
        return int(exc.status)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
