/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The block `opndcoll` from a start without its reset; part of model.c. A step leaves
 * nothing in ID_OC that an idle unit could take (§6.3). So in a cycle in which no unit is busy, no
 * port moves anything and no OC_EX set holds anything, all is empty, and the model follows from
 * there. What that leaves open: the number of the last instruction, where rotating registers point,
 * the register file.
 */
#ifndef WLK_OPNDCOLL_RTL_LATE_H
#define WLK_OPNDCOLL_RTL_LATE_H

/* Registers that rotate, in an order in which none decides what one before it does in a step. */
enum {
    PRI,
    LAST,
    FIRST = LAST + (int)WLK_OPNDCOLL_RTL_MAX_OUT_PORTS,
    POINTERS = (int)WLK_OPNDCOLL_RTL_POINTERS
};

/* ---- what is known ---- */

/* Of late.uid_known. */
enum { UID_OPEN, UID_ASSUMED, UID_SHOWN };

/* Instructions after which it is no longer followed where the counter may wrap. */
enum { MAX_OPEN_UIDS = 64 };

static bool knows_uid(const state_t *st) {
    return st->reset_seen != 0 || st->late.uid_known != UID_OPEN;
}

/* How many values a register has that rotates; 1: it decides nothing. */
static uint32_t pointer_values(const cfg_t *cfg, uint32_t i) {
    const bool is_v32 = cfg->revision == WLK_OPNDCOLL_RTL_REVISION_V32;
    if (i < LAST) {
        return is_v32 ? cfg->num_units : 1u;
    }
    if (i < FIRST) {
        return i - LAST < cfg->out_ports ? cfg->num_units : 1u;
    }
    return cfg->rotate_kinds != 0 && i - FIRST < cfg->in_ports ? cfg->num_kinds : 1u;
}

static uint32_t pointer_get(const wlk_opndcoll *s, uint32_t i) {
    if (i < LAST) {
        return s->pri;
    }
    return i < FIRST ? s->last[i - LAST] : *oc_first_kind(s, i - FIRST);
}

static void pointer_set(wlk_opndcoll *s, uint32_t i, uint32_t value) {
    if (i < LAST) {
        s->pri = value;
    } else if (i < FIRST) {
        s->last[i - LAST] = (uint16_t)value;
    } else {
        *oc_first_kind(s, i - FIRST) = (uint8_t)value;
    }
}

static bool is_one(uint64_t set) {
    return (set & (set - 1u)) == 0;
}

static bool knows_pointer(const cfg_t *cfg, const state_t *st, uint32_t i) {
    const bool counts = i != PRI || pointer_values(cfg, PRI) > 1;
    return st->reset_seen != 0 || (counts && is_live(st) && is_one(st->late.possible[i]));
}

/* The model has the lowest value. */
static void pointer_keep(state_t *st, uint32_t i, uint64_t values) {
    st->late.possible[i] = values;
    pointer_set(model_part(st), i, oc_lowest(values));
}

/* ---- ways that a step can go ---- */

/* Values of a register that rotates, by what it does in a step, in the order of the lowest. */
typedef struct ways {
    uint64_t values[64], after[64]; /* before the step and behind it */
    uint64_t key[64];
    uint32_t n;
} ways;

/* What a register that rotates decided: of `pri` the banks that are read, else a byte a kind, the
 * unit that was emptied or filled, plus 1. Units of one scheduler are filled in ascending order and
 * banks belong to schedulers, so that in whichever order a port takes several kinds, the same units
 * for them are the same state. */
static uint64_t key_of(uint32_t i, const cycle_t *c) {
    const uint32_t what = i < FIRST ? WLK_OPNDCOLL_DISPATCH : WLK_OPNDCOLL_ALLOCATE;
    const uint32_t at = i < FIRST ? i - LAST : i - FIRST;
    uint64_t key = 0;
    for (uint32_t k = 0; k < c->n_events; k++) {
        const wlk_opndcoll_event *e = &c->event[k];
        if (i == PRI) {
            key |= e->what == WLK_OPNDCOLL_GRANT ? oc_bit(e->at) : 0u;
        } else if (e->what == what && e->at == at) {
            key |= (e->unit + UINT64_C(1)) << 8u * e->kind;
        }
    }
    return key;
}

static void add_way(ways *w, uint64_t key, uint32_t value, uint32_t after) {
    uint32_t k = 0;
    while (k < w->n && w->key[k] != key) {
        k++;
    }
    if (k == w->n) {
        w->n++;
        w->key[k] = key;
        w->values[k] = w->after[k] = 0;
    }
    w->values[k] |= oc_bit(value);
    w->after[k] |= oc_bit(after);
}

/* A clock on a copy of the model in which a register has that value; the value behind it. */
static uint32_t try_value(const cfg_t *cfg, const state_t *st, const uint64_t *in, uint32_t i,
                          uint32_t value, cycle_t *c) {
    _Alignas(8) unsigned char scratch[MAX_MODEL];
    wlk_opndcoll *s = (wlk_opndcoll *)(void *)scratch;
    memcpy(scratch, model_part(st), st->model_size);
    pointer_set(s, i, value);
    compute(cfg, st, s, in, c, NULL);
    return pointer_get(s, i);
}

/* A dispatch unit or port that does nothing does so wherever it points. @p key: what it does. */
static void find_ways(const cfg_t *cfg, const state_t *st, const uint64_t *in, uint32_t i,
                      uint64_t key, ways *w) {
    const uint64_t possible = st->late.possible[i];
    w->n = 0;
    if (key == 0 && i != PRI) {
        *w = (ways){.values = {possible}, .after = {possible}, .n = 1};
        return;
    }
    for (uint64_t left = possible; left != 0; left &= left - 1u) {
        cycle_t c;
        const uint32_t value = oc_lowest(left);
        const uint32_t after = try_value(cfg, st, in, i, value, &c);
        add_way(w, key_of(i, &c), value, after);
    }
}

/* The first register from one on whose value makes a difference; POINTERS: none. */
static uint32_t first_open(const cfg_t *cfg, const state_t *st, const uint64_t *in, uint32_t from,
                           ways *w) {
    bool is_run = false;
    cycle_t c;
    for (uint32_t i = from; i < POINTERS; i++) {
        const uint64_t possible = st->late.possible[i];
        if (is_one(possible)) {
            continue;
        }
        if (!is_run) { /* the clock with the lowest value of each */
            (void)try_value(cfg, st, in, i, oc_lowest(possible), &c);
            is_run = true;
        }
        find_ways(cfg, st, in, i, key_of(i, &c), w);
        if (w->n > 1) {
            return i;
        }
    }
    return POINTERS;
}

/* Adds to the uids of a register set's instructions. */
static void shift_set(const wlk_opndcoll *s, const oc_slots *set, uint64_t by) {
    for (uint64_t left = set->occupied; left != 0; left &= left - 1u) {
        oc_keys(s, set)[oc_lowest(left)] += by << 32;
    }
}

static void shift_uids(const cfg_t *cfg, state_t *st, uint32_t by) {
    wlk_opndcoll *s = model_part(st);
    for (uint32_t kind = 0; kind < cfg->num_kinds; kind++) {
        shift_set(s, &s->id[kind], by);
        shift_set(s, &s->ex[kind], by);
    }
    for (uint64_t left = ~s->idle[0] & wlk_mask(cfg->num_units); left != 0; left &= left - 1u) {
        s->held[oc_lowest(left)] += (uint64_t)by << 32;
    }
    st->uid += by;
}

/* Instructions that are issued in this clock as if they were younger than those before, and are
 * older if the counter wraps at them (§5). At the first one since the start it may. */
static uint32_t wraps(const cfg_t *cfg, const state_t *st, const uint64_t *in) {
    cycle_t c;
    if (st->late.uid_known != UID_OPEN || st->late.straight != 0) {
        return 0;
    }
    (void)try_value(cfg, st, in, PRI, pointer_get(model_part(st), PRI), &c);
    const uint32_t fired = (uint32_t)__builtin_popcount(c.fired);
    return fired - (uint32_t)(st->uid == 0 && fired != 0);
}

static uint32_t outcomes(const uint32_t *params, const void *state, const uint64_t *in) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    ways w;
    if (st->late.stage != LATE_FOLLOWED) {
        return 1;
    }
    return first_open(cfg, st, in, PRI, &w) < POINTERS ? w.n : 1u + wraps(cfg, st, in);
}

static void assume(const uint32_t *params, void *state, const uint64_t *in, uint32_t k) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    ways w;
    const uint32_t i = first_open(cfg, st, in, PRI, &w);
    if (i < POINTERS) {
        pointer_keep(st, i, w.values[k]);
    } else if (k == 0) {
        st->late.straight = 1;
    } else { /* the counter becomes 0 */
        const uint32_t at = k + (uint32_t)(st->uid == 0);
        shift_uids(cfg, st, 0u - at - st->uid);
        st->late.uid_known = UID_ASSUMED;
    }
}

/* ---- outputs ---- */

static void hide_lanes(const lanes *l, uint64_t *care) {
    memset(care + l->first, 0, l->words * sizeof *care);
}

static void hide_grants(const places *p, uint64_t *care) {
    wlk_opndcoll_rtl_out_set_grant_valid(care, 0);
    hide_lanes(&p->grant_unit, care);
    hide_lanes(&p->grant_slot, care);
}

static void hide_allocations(const places *p, uint64_t *care) {
    wlk_opndcoll_rtl_out_set_alloc_valid(care, 0);
    wlk_opndcoll_rtl_out_set_issue_ready(care, 0);
    hide_lanes(&p->alloc_kind, care);
    hide_lanes(&p->alloc_unit, care);
    hide_lanes(&p->alloc_port, care);
}

static void hide_dispatches(const places *p, uint64_t *care) {
    wlk_opndcoll_rtl_out_set_dispatch_valid(care, 0);
    hide_lanes(&p->dispatch_unit, care);
    hide_lanes(&p->dispatch_kind, care);
    hide_lanes(&p->dispatch_slot, care);
}

static void hide_uids(const cycle_t *c, uint64_t *care) {
    for (uint32_t left = c->take_valid; left != 0; left &= left - 1u) {
        uint64_t *element = wlk_opndcoll_rtl_out_element_mut(care, oc_lowest(left));
        wlk_opndcoll_rtl_out_set_take_bits_uid(element, 0);
    }
}

/* @p c: computed on a copy of the model. */
static void hide(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *care) {
    const places p = places_of(cfg, st);
    ways w;
    if (!is_live(st)) {
        narrow_all(cfg, care);
        return;
    }
    if (!knows_uid(st)) {
        hide_uids(c, care);
    }
    if (!is_one(st->late.possible[PRI])) {
        wlk_opndcoll_rtl_out_set_pri(care, 0);
    }
    uint32_t i = first_open(cfg, st, c->in, PRI, &w);
    if (i == PRI) {
        hide_grants(&p, care);
        i = first_open(cfg, st, c->in, LAST, &w);
    }
    if (i < FIRST) {
        hide_dispatches(&p, care);
    }
    if (i < POINTERS) {
        hide_allocations(&p, care);
    }
}

/* ---- what is seen ---- */

/* Slots of OC_EX of a kind that are ever filled: in V42's sub-core model one a scheduler. */
static uint32_t used_slots(const cfg_t *cfg, const state_t *st) {
    return (uint32_t)wlk_mask(model_part(st)->by_slot != 0 ? cfg->num_sched_per_core
                                                           : cfg->ex_width);
}

/* Slots that takes show to be empty, or in V42's sub-core model the one that the inputs name. */
static void watch_takes(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    const uint32_t valid = wlk_opndcoll_rtl_out_get_take_valid(seen->out);
    const uint32_t known = wlk_opndcoll_rtl_out_get_take_valid(seen->out_known);
    const uint32_t named = model_part(st)->by_slot != 0 ? GET(take_by_slot, seen->in) : 0u;
    const cycle_t c = {.in = seen->in};
    for (uint32_t left = known & ~valid; left != 0; left &= left - 1u) {
        const uint32_t kind = oc_lowest(left), slot = take_slot(&c, kind);
        st->late.empty[kind] |=
            (uint8_t)((named >> kind & 1u) != 0 ? 1u << slot : used_slots(cfg, st));
    }
}

/* In V42's sub-core model: slots that takes empty. One that is not named is the scheduler's. */
static void watch_taken(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    const uint32_t valid = wlk_opndcoll_rtl_out_get_take_valid(seen->out) &
                           wlk_opndcoll_rtl_out_get_take_valid(seen->out_known);
    const uint32_t named = GET(take_by_slot, seen->in), all = (uint32_t)wlk_mask(SCHED_STEP);
    const uint32_t width = (uint32_t)wlk_mask(wlk_idw(cfg->num_sched_per_core));
    const cycle_t c = {.in = seen->in};
    uint32_t left = model_part(st)->by_slot != 0 ? valid & GET(take_ready, seen->in) : 0u;
    for (; left != 0; left &= left - 1u) {
        const uint32_t kind = oc_lowest(left), at = kind * SCHED_STEP;
        const uint32_t sched = wlk_opndcoll_rtl_out_get_take_bits_sched(seen->out) >> at & all;
        const uint32_t known = wlk_opndcoll_rtl_out_get_take_bits_sched(seen->out_known) >> at;
        if ((named >> kind & 1u) != 0) {
            st->late.empty[kind] |= (uint8_t)(1u << take_slot(&c, kind));
        } else if ((known & all) == width) {
            st->late.empty[kind] |= (uint8_t)(1u << sched);
        }
    }
}

/* The lane of a payload that is one element, as it is shown; false: some of it is not there. */
static bool lane_seen(const lanes *l, uint32_t lane, const wlk_sight *seen, uint32_t *value) {
    *value = (uint32_t)lane_get(l, seen->out, 0, lane);
    return lane_get(l, seen->out_known, 0, lane) == wlk_mask(l->width);
}

/* Slots that dispatches fill. */
static void watch_dispatches(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    const places p = places_of(cfg, st);
    const uint32_t valid = wlk_opndcoll_rtl_out_get_dispatch_valid(seen->out);
    const uint32_t known = wlk_opndcoll_rtl_out_get_dispatch_valid(seen->out_known);
    const uint32_t maybe = (valid | ~known) & (uint32_t)wlk_mask(cfg->out_ports);
    for (uint32_t left = maybe; left != 0; left &= left - 1u) {
        const uint32_t du = oc_lowest(left);
        uint32_t kind = 0, slot = 0;
        if (lane_seen(&p.dispatch_kind, du, seen, &kind) &&
            lane_seen(&p.dispatch_slot, du, seen, &slot) && kind < OC_KINDS) {
            st->late.empty[kind] &= (uint8_t) ~(1u << slot);
        } else {
            memset(st->late.empty, 0, sizeof st->late.empty);
        }
    }
}

/* Was all empty before this cycle? */
static bool is_empty(const cfg_t *cfg, const state_t *st, const wlk_sight *seen) {
    const bool by_unit = cfg->revision == WLK_OPNDCOLL_RTL_REVISION_V42;
    const uint64_t units = wlk_mask(cfg->num_units);
    const uint64_t moves = by_unit ? units : wlk_mask(cfg->in_ports);
    const uint64_t quiet = wlk_opndcoll_rtl_out_get_alloc_valid(seen->out_known) &
                           ~wlk_opndcoll_rtl_out_get_alloc_valid(seen->out);
    const uint64_t idle =
        wlk_opndcoll_rtl_out_get_busy(seen->out_known) & ~wlk_opndcoll_rtl_out_get_busy(seen->out);
    const uint32_t used = used_slots(cfg, st);
    bool empty = (quiet & moves) == moves && (idle & units) == units;
    for (uint32_t kind = 0; kind < cfg->num_kinds; kind++) {
        empty = empty && (st->late.empty[kind] & used) == used;
    }
    return empty;
}

/* Nothing is known but registers. */
static void lose(const cfg_t *cfg, state_t *st) {
    reset_model(cfg, st);
    st->late.stage = LATE_UNKNOWN;
    st->late.uid_known = UID_OPEN;
    memset(st->late.possible, 0, sizeof st->late.possible);
}

/* All is empty. What was known of the rotating registers still is; numbers count anew. */
static void start(const cfg_t *cfg, state_t *st) {
    const bool was_live = is_live(st);
    reset_model(cfg, st);
    st->late.uid_known = UID_OPEN;
    for (uint32_t i = 0; i < POINTERS; i++) {
        const uint64_t all = wlk_mask(pointer_values(cfg, i));
        st->late.possible[i] = was_live ? st->late.possible[i] : all;
        if (pointer_values(cfg, i) > 1) {
            pointer_keep(st, i, st->late.possible[i]);
        }
    }
    st->late.stage = LATE_FOLLOWED;
}

/* A reset: all is known but registers of the register file. */
static void know_reset(state_t *st) {
    st->late.stage = LATE_FOLLOWED;
    st->late.uid_known = UID_SHOWN;
    for (uint32_t i = 0; i < POINTERS; i++) {
        st->late.possible[i] = 1;
    }
}

/* ---- learning: uids ---- */

/* One instruction that is shown tells the numbers of all. */
static void learn_uid(const cfg_t *cfg, state_t *st, const cycle_t *c, const wlk_sight *seen) {
    const uint32_t open = st->late.uid_known != UID_SHOWN ? c->take_valid : 0u;
    for (uint32_t left = open; left != 0; left &= left - 1u) {
        const uint32_t kind = oc_lowest(left), bit = 1u << kind;
        const uint64_t *shown = wlk_opndcoll_rtl_out_element(seen->out, kind);
        const uint64_t *known = wlk_opndcoll_rtl_out_element(seen->out_known, kind);
        const uint32_t valid = wlk_opndcoll_rtl_out_get_take_valid(seen->out) &
                               wlk_opndcoll_rtl_out_get_take_valid(seen->out_known);
        if (wlk_opndcoll_rtl_out_get_take_bits_uid(known) == UINT32_MAX && (valid & bit) != 0) {
            const uint32_t uid = wlk_opndcoll_rtl_out_get_take_bits_uid(shown);
            if (st->late.uid_known == UID_OPEN) {
                shift_uids(cfg, st, uid - c->shown[kind].uid);
            }
            st->late.uid_known = UID_SHOWN;
            return;
        }
    }
}

/* ---- learning: registers that rotate ---- */

static bool lane_agrees(const lanes *l, uint32_t lane, uint32_t value, const wlk_sight *seen) {
    const uint64_t known = lane_get(l, seen->out_known, 0, lane);
    return ((lane_get(l, seen->out, 0, lane) ^ value) & known) == 0;
}

/* Is that what is seen of a unit that is emptied or filled? @p i: by that dispatch unit or port. */
static bool unit_agrees(const cfg_t *cfg, const places *p, uint32_t i, uint32_t kind, uint32_t unit,
                        const wlk_sight *seen) {
    const bool by_unit = cfg->revision == WLK_OPNDCOLL_RTL_REVISION_V42;
    if (i < FIRST) {
        return lane_agrees(&p->dispatch_unit, i - LAST, unit, seen) &&
               lane_agrees(&p->dispatch_kind, i - LAST, kind, seen);
    }
    const uint32_t lane = by_unit ? unit : i - FIRST;
    const uint64_t quiet = wlk_opndcoll_rtl_out_get_alloc_valid(seen->out_known) &
                           ~wlk_opndcoll_rtl_out_get_alloc_valid(seen->out);
    return (quiet >> lane & 1u) == 0 && lane_agrees(&p->alloc_kind, lane, kind, seen) &&
           (by_unit ? lane_agrees(&p->alloc_port, lane, i - FIRST, seen)
                    : lane_agrees(&p->alloc_unit, lane, unit, seen));
}

static bool agrees(const cfg_t *cfg, const state_t *st, uint32_t i, uint64_t key,
                   const wlk_sight *seen) {
    const places p = places_of(cfg, st);
    bool same = true;
    if (i == PRI) {
        return ((wlk_opndcoll_rtl_out_get_grant_valid(seen->out) ^ key) &
                wlk_opndcoll_rtl_out_get_grant_valid(seen->out_known)) == 0;
    }
    for (uint32_t kind = 0; kind < OC_KINDS; kind++) {
        const uint32_t unit = (uint32_t)(key >> 8u * kind) & 0xffu;
        same = same && (unit == 0 || unit_agrees(cfg, &p, i, kind, unit - 1u, seen));
    }
    return same;
}

/* Drops the values that lead to what is not seen. Behind one that stays open nothing is sure. */
static void learn_pointers(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    ways w;
    for (uint32_t i = first_open(cfg, st, seen->in, PRI, &w); i < POINTERS;
         i = first_open(cfg, st, seen->in, i + 1u, &w)) {
        uint64_t kept = 0;
        uint32_t n = 0;
        for (uint32_t k = 0; k < w.n; k++) {
            const bool keeps = agrees(cfg, st, i, w.key[k], seen);
            kept |= keeps ? w.values[k] : 0u;
            n += keeps;
        }
        if (kept != 0) {
            pointer_keep(st, i, kept);
        }
        if (n != 1 && i != PRI) {
            return;
        }
    }
}

/* A port shows it. */
static void learn_pri(const cfg_t *cfg, state_t *st, const wlk_sight *seen) {
    const uint32_t known = wlk_opndcoll_rtl_out_get_pri(seen->out_known);
    const uint64_t shown = oc_bit(wlk_opndcoll_rtl_out_get_pri(seen->out));
    if (known == wlk_mask(wlk_idw(cfg->num_units)) && (st->late.possible[PRI] & shown) != 0) {
        pointer_keep(st, PRI, shown);
    }
}

/* ---- learning: operands ---- */

/* An operand from a register that was not written since: all others from there are the same. */
static void learn_register(const cfg_t *cfg, const state_t *st, uint32_t from, uint64_t value) {
    const uint32_t units = cfg->num_units * cfg->src_slots;
    const uint32_t ex = ex_index(cfg, cfg->num_kinds, 0);
    file_part(st)[from - 1u] = value;
    file_known_part(st)[from - 1u] = 1;
    for (uint32_t n = 0; n < units; n++) {
        if (units_from_part(st)[n] == from) {
            units_part(st)[n] = value;
            units_known_part(st)[n] = 1;
        }
    }
    for (uint32_t n = 0; n < ex; n++) {
        if (ex_from_part(st)[n] == from) {
            ex_part(st)[n] = value;
            ex_known_part(st)[n] = 1;
        }
    }
}

static void learn_operands(const cfg_t *cfg, const state_t *st, const cycle_t *c,
                           const wlk_sight *seen) {
    const lanes data = lanes_of(st->layout.out_payload, cfg->data_bits);
    for (uint32_t left = c->take_valid; left != 0; left &= left - 1u) {
        const uint32_t kind = oc_lowest(left), at = ex_index(cfg, kind, c->shown_slot[kind]);
        for (uint32_t k = 0; k < cfg->src_slots; k++) {
            const uint64_t value = lane_get(&data, seen->out, kind, k);
            const uint32_t from = ex_from_part(st)[at + k];
            if (ex_known_part(st)[at + k] != 0 ||
                lane_get(&data, seen->out_known, kind, k) != wlk_mask(cfg->data_bits)) {
                continue;
            }
            ex_part(st)[at + k] = value;
            ex_known_part(st)[at + k] = 1;
            if (from != 0) {
                learn_register(cfg, st, from, value);
            }
        }
    }
}

static void learn(const uint32_t *params, void *state, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    _Alignas(8) unsigned char scratch[MAX_MODEL];
    cycle_t c;
    if (st->late.stage == LATE_NONE) {
        return;
    }
    watch_takes(cfg, st, seen);
    const bool is_open = !is_live(st) || (st->late.uid_known != UID_SHOWN && drained(params, st));
    if (is_open && is_empty(cfg, st, seen)) {
        start(cfg, st);
    }
    watch_taken(cfg, st, seen);
    watch_dispatches(cfg, st, seen);
    if (st->late.stage != LATE_FOLLOWED) {
        return;
    }
    memcpy(scratch, model_part(st), st->model_size);
    compute(cfg, st, (wlk_opndcoll *)(void *)scratch, seen->in, &c, NULL);
    learn_uid(cfg, st, &c, seen);
    learn_pri(cfg, st, seen);
    learn_pointers(cfg, st, seen);
    if (cfg->data != 0) {
        learn_operands(cfg, st, &c, seen);
    }
}

static void late(const uint32_t *params, void *state) {
    state_t *st = (state_t *)state;
    init(params, state, WLK_POWER_UNKNOWN);
    st->late.stage = LATE_UNKNOWN;
}

/* ---- the clock edge ---- */

/* Registers that the step's operands come from, as follow() moves them. */
static void follow_from(const cfg_t *cfg, const state_t *st, const cycle_t *c) {
    const uint32_t n = cfg->src_slots;
    for (uint32_t i = 0; i < c->n_events; i++) {
        const wlk_opndcoll_event *e = &c->event[i];
        uint16_t *unit = units_from_part(st) + (size_t)e->unit * n;
        if (e->what == WLK_OPNDCOLL_GRANT) {
            const uint32_t from =
                e->wid < cfg->num_warps ? e->wid * cfg->num_regs + e->reg + 1u : 0;
            for (uint32_t left = slots_served(cfg, e); left != 0; left &= left - 1u) {
                unit[oc_lowest(left)] = (uint16_t)from;
            }
        } else if (e->what == WLK_OPNDCOLL_DISPATCH) {
            memcpy(ex_from_part(st) + ex_index(cfg, e->kind, e->slot), unit, n * sizeof *unit);
        } else {
            memset(unit, 0, n * sizeof *unit);
        }
    }
}

/* What a write-back stored is no longer what was read. */
static void drop_from(const cfg_t *cfg, const state_t *st, const cycle_t *c) {
    const uint32_t n = cfg->num_units * cfg->src_slots + ex_index(cfg, cfg->num_kinds, 0);
    uint16_t *from = units_from_part(st); /* those of OC_EX lie behind them */
    for (uint32_t call = 0; call < cfg->num_wb; call++) {
        for (uint32_t left = st->stored[call]; left != 0; left &= left - 1u) {
            const uint32_t reg = wb_wid(c, call) * cfg->num_regs + wb_reg(c, call, oc_lowest(left));
            for (uint32_t k = 0; k < n; k++) {
                from[k] = from[k] == reg + 1u ? 0 : from[k];
            }
        }
    }
}

/* Of ways that are open it goes the first; @p after: what that leaves possible, 0: the model knows.
 */
static void choose(const cfg_t *cfg, state_t *st, const uint64_t *in, uint64_t *after) {
    ways w;
    for (uint32_t i = first_open(cfg, st, in, PRI, &w); i < POINTERS;
         i = first_open(cfg, st, in, i, &w)) {
        pointer_keep(st, i, w.values[0]);
    }
    for (uint32_t i = 0; i < POINTERS; i++) {
        const uint64_t possible = st->late.possible[i];
        if (!is_one(possible)) {
            cycle_t c;
            (void)try_value(cfg, st, in, i, oc_lowest(possible), &c);
            find_ways(cfg, st, in, i, key_of(i, &c), &w);
            after[i] = w.after[0];
        }
    }
}

/* Behind the edge: @p after as choose() left it. */
static void know_pointers(const cfg_t *cfg, state_t *st, const uint64_t *after) {
    for (uint32_t i = 0; i < POINTERS; i++) {
        if (pointer_values(cfg, i) > 1) {
            const uint64_t value = oc_bit(pointer_get(model_part(st), i));
            pointer_keep(st, i, after[i] != 0 ? after[i] : value);
        }
    }
}

static void run_late(const cfg_t *cfg, state_t *st, const uint64_t *in, uint64_t *out,
                     uint64_t *care, wlk_step_info *info) {
    uint64_t after[POINTERS] = {0};
    cycle_t c;
    if (out != NULL) {
        eval((const uint32_t *)cfg, st, in, out, care);
    }
    if (st->late.stage == LATE_FOLLOWED) {
        choose(cfg, st, in, after);
    }
    compute(cfg, st, model_part(st), in, &c, NULL);
    info->events = 0;
    info->violated = violations(cfg, st, &c);
    if (cfg->data != 0) {
        follow_from(cfg, st, &c);
    }
    commit(cfg, st, &c);
    st->reset_seen = 0; /* step() leaves such a state alone */
    st->late.straight = 0;
    if (cfg->data != 0) {
        drop_from(cfg, st, &c);
    }
    if (c.reset != 0) {
        know_reset(st);
    } else if (!is_live(st) || (st->late.uid_known == UID_OPEN && st->uid > MAX_OPEN_UIDS)) {
        lose(cfg, st);
    } else {
        know_pointers(cfg, st, after);
    }
}

#endif
