// SPDX-License-Identifier: Apache-2.0
// Coverage points of a step of the operand collector.
#include "opndcoll_cover.h"

#include <string.h>

typedef wlk_opndcoll_rtl_cfg cfg_t;

#define EVENT(point) (UINT64_C(1) << WLK_OPNDCOLL_RTL_EV_##point)

uint32_t wlk_opndcoll_oldest_slot(const wlk_opndcoll *s, const oc_slots *set) {
    const uint64_t *keys = oc_keys(s, set);
    uint32_t best = oc_lowest(set->occupied);
    for (uint64_t left = set->occupied & (set->occupied - 1u); left != 0; left &= left - 1u) {
        const uint32_t slot = oc_lowest(left);
        best = keys[slot] < keys[best] ? slot : best;
    }
    return best;
}

/* ---- before the step ---- */

static uint32_t queue_length(const wlk_opndcoll *s, uint32_t bank) {
    uint32_t n = 1;
    for (int32_t at = oc_front(s, bank); at != s->back[bank]; at = oc_behind(s, at)) {
        n++;
    }
    return n;
}

void wlk_opndcoll_look_sets(const wlk_opndcoll *s, uint32_t kinds, oc_before *b) {
    for (uint32_t kind = 0; kind < kinds; kind++) {
        b->untaken[kind] = s->ex[kind].occupied;
    }
}

static void look_banks(const wlk_opndcoll *s, oc_before *b) {
    b->filled = s->filled[0];
    b->written = s->written[0];
    b->longest = 0;
    for (uint64_t left = b->filled; left != 0; left &= left - 1u) {
        const uint32_t bank = oc_lowest(left), length = queue_length(s, bank);
        b->front[bank] = (uint8_t)oc_request_unit(oc_front(s, bank));
        b->longest = length > b->longest ? length : b->longest;
    }
}

void wlk_opndcoll_look(const wlk_opndcoll *s, uint32_t kinds, oc_before *b) {
    b->full = s->full;
    b->waiting = s->waiting;
    b->out_of_order = 0;
    for (uint32_t kind = 0; kind < kinds; kind++) {
        const oc_slots *id = &s->id[kind];
        b->ex[kind] = s->ex[kind].occupied;
        b->id[kind] = id->occupied;
        if (id->occupied != 0 && wlk_opndcoll_oldest_slot(s, id) != oc_lowest(id->occupied)) {
            b->out_of_order |= 1u << kind;
        }
    }
    b->ready = s->ready[0];
    for (uint64_t left = b->ready; left != 0; left &= left - 1u) {
        const uint32_t unit = oc_lowest(left);
        b->uid[unit] = oc_key_uid(s->held[unit]);
        b->kind[unit] = s->kind[unit];
    }
    look_banks(s, b);
    memcpy(b->last, s->last, sizeof b->last);
}

/* ---- allocate ---- */

// An instruction as a unit holds it.
static uint64_t sources(const oc_inst *inst) {
    const uint32_t reads = inst->reads;
    uint64_t e = reads == 0 ? EVENT(NO_SOURCE) : 0u;
    e |= (reads & (reads + 1u)) != 0 ? EVENT(SOURCE_GAP) : 0u;
    for (uint32_t left = reads; left != 0; left &= left - 1u) {
        for (uint32_t other = left & (left - 1u); other != 0; other &= other - 1u) {
            const bool same = inst->src[oc_lowest(left)] == inst->src[oc_lowest(other)];
            e |= same ? EVENT(REPEATED_SOURCE) : 0u;
        }
    }
    return e;
}

// Ports try the lowest kind that waits, so that the last port tries the highest of all.
static uint64_t starved(const cfg_t *cfg, const oc_before *b, uint32_t ports, uint32_t last_kind) {
    const bool stopped = ports < cfg->in_ports && b->waiting_after != 0;
    const uint32_t tried = stopped ? oc_lowest(b->waiting_after) : last_kind;
    const bool higher = (b->waiting >> tried >> 1) != 0;
    return (stopped ? EVENT(PORT_WITHOUT_UNIT) : 0u) |
           (higher && b->waiting_after != 0 ? EVENT(KIND_STARVED) : 0u);
}

static uint64_t allocations(const cfg_t *cfg, const wlk_opndcoll *s, const oc_before *b,
                            const wlk_opndcoll_event *e, uint32_t n) {
    uint64_t found = b->out_of_order != 0 ? EVENT(OLDEST_NOT_FIRST_SLOT) : 0u;
    uint64_t emptied = 0;
    uint32_t ports = 0, last_kind = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (e[i].what == WLK_OPNDCOLL_DISPATCH) {
            emptied |= oc_bit(e[i].unit);
        } else if (e[i].what == WLK_OPNDCOLL_ALLOCATE) {
            found |= (emptied & oc_bit(e[i].unit)) != 0 ? EVENT(REFILL) : 0u;
            found |= sources(oc_inst_of(s, s->held[e[i].unit]));
            last_kind = e[i].kind;
            ports++;
        }
    }
    return found | starved(cfg, b, ports, last_kind) |
           (ports > 1 ? EVENT(SEVERAL_ALLOCATIONS) : 0u);
}

/* ---- read ---- */

// V32: banks that wait for a unit which was granted another one.
static uint64_t refused_grants(const oc_before *b, uint64_t granted) {
    uint64_t found = 0;
    for (uint64_t left = b->filled & ~b->written & ~granted; left != 0; left &= left - 1u) {
        const uint32_t bank = oc_lowest(left);
        found |= EVENT(SECOND_GRANT_REFUSED);
        for (uint64_t other = granted & ~(oc_bit(bank) - 1u); other != 0; other &= other - 1u) {
            const bool same = b->front[oc_lowest(other)] == b->front[bank];
            found |= same ? EVENT(GRANT_AGAINST_BANK_ORDER) : 0u;
        }
    }
    return found;
}

static uint64_t grants(const oc_before *b, const wlk_opndcoll_event *e, uint32_t n) {
    uint64_t granted = 0, units = 0;
    uint64_t found = (b->longest > 1 ? EVENT(BANK_CONFLICT) : 0u) |
                     (b->longest > 4 ? EVENT(LONG_QUEUE) : 0u) |
                     ((b->filled & b->written) != 0 ? EVENT(READ_BLOCKED_BY_WRITE) : 0u);
    for (uint32_t i = 0; i < n; i++) {
        if (e[i].what == WLK_OPNDCOLL_GRANT) {
            found |= (units & oc_bit(e[i].unit)) != 0 ? EVENT(SEVERAL_GRANTS_TO_UNIT) : 0u;
            units |= oc_bit(e[i].unit);
            granted |= oc_bit(e[i].at);
        }
    }
    return found | refused_grants(b, granted);
}

/* ---- dispatch ---- */

// Dispatch units have their turns one after the other: what is complete, and full, by then.
typedef struct turns {
    uint64_t ready;
    uint32_t full;
    uint64_t ex[OC_KINDS];
} turns;

static bool is_full(const turns *t, const oc_before *b, uint32_t unit) {
    return (t->full >> b->kind[unit] & 1u) != 0;
}

// What a dispatch unit passes on its way from the one after @p last to its choice, around the end.
static uint64_t passed(const turns *t, const oc_before *b, uint32_t last, uint32_t choice) {
    uint64_t found = choice <= last ? EVENT(DISPATCH_WRAPS) : 0u;
    for (uint64_t left = t->ready & ~oc_bit(choice); left != 0; left &= left - 1u) {
        const uint32_t unit = oc_lowest(left);
        const bool between =
            choice > last ? unit > last && unit < choice : unit > last || unit < choice;
        const bool full = is_full(t, b, unit);
        found |= between && full ? EVENT(DISPATCH_SKIPS_FULL) : 0u;
        found |= !full && b->uid[unit] < b->uid[choice] ? EVENT(DISPATCH_PASSES_OLDER) : 0u;
    }
    return found;
}

static uint64_t leave(const cfg_t *cfg, const oc_before *b, turns *t, const wlk_opndcoll_event *e) {
    const uint64_t slots = wlk_mask(cfg->ex_width);
    t->ready &= ~oc_bit(e->unit);
    t->ex[e->kind] |= oc_bit(e->slot);
    t->full |= (uint32_t)(t->ex[e->kind] == slots) << e->kind;
    return b->untaken[e->kind] == slots ? EVENT(DISPATCH_INTO_TAKEN_SLOT) : 0u;
}

// Complete units that stay: their set was full from the start, or a lower dispatch unit filled it.
static uint64_t staying(const cfg_t *cfg, const turns *t, const oc_before *b, uint32_t turns_had) {
    uint64_t found = 0;
    for (uint64_t left = t->ready; left != 0; left &= left - 1u) {
        const uint32_t kind = b->kind[oc_lowest(left)];
        const bool full = (t->full >> kind & 1u) != 0, was_full = (b->full >> kind & 1u) != 0;
        const bool had_turn = turns_had < cfg->out_ports;
        found |= was_full ? EVENT(DISPATCH_BLOCKED) : 0u;
        found |= full && !was_full && had_turn ? EVENT(DISPATCH_FILLED_SET) : 0u;
    }
    return found;
}

static uint64_t dispatches(const cfg_t *cfg, const oc_before *b, const wlk_opndcoll_event *e,
                           uint32_t n) {
    turns t = {.ready = b->ready, .full = b->full};
    uint64_t found = 0;
    uint32_t count = 0;
    memcpy(t.ex, b->ex, sizeof t.ex);
    for (uint32_t i = 0; i < n; i++) {
        if (e[i].what == WLK_OPNDCOLL_DISPATCH) {
            found |= passed(&t, b, b->last[e[i].at], e[i].unit);
            found |= leave(cfg, b, &t, &e[i]);
            count++;
        }
    }
    return found | staying(cfg, &t, b, count) | (count > 1 ? EVENT(SEVERAL_DISPATCHES) : 0u);
}

uint64_t wlk_opndcoll_cover_step(const cfg_t *cfg, const wlk_opndcoll *s, const oc_before *b,
                                 const wlk_opndcoll_event *e, uint32_t n) {
    return dispatches(cfg, b, e, n) | grants(b, e, n) | allocations(cfg, s, b, e, n);
}
