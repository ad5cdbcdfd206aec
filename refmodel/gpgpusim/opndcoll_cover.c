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
        const oc_slots *ex = &s->ex[kind];
        b->untaken[kind] = ex->occupied;
        b->oldest_ex[kind] = ex->occupied != 0 ? oc_bit(wlk_opndcoll_oldest_slot(s, ex)) : 0u;
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
    for (uint32_t port = 0; s->rotates && port < s->shape.ports; port++) {
        b->first_kind[port] = *oc_first_kind(s, port);
    }
}

void wlk_opndcoll_look_behind(const wlk_opndcoll *s, uint32_t kinds, oc_before *b) {
    b->waiting_after = s->waiting;
    for (uint32_t kind = 0; kind < kinds; kind++) {
        b->id_after[kind] = s->id[kind].occupied;
    }
}

/* ---- allocate ---- */

// What an instruction reads; see oc_source().
static uint64_t sources(const cfg_t *cfg, uint64_t user) {
    uint32_t named = 0;
    bool repeats = false;
    for (uint32_t k = 0; k < cfg->src_slots; k++) {
        const uint32_t source = oc_source(user, k);
        named |= (uint32_t)(source != 0) << k;
        repeats = repeats || (source != 0 && source != (OC_SOURCE | k));
    }
    return (named == 0 ? EVENT(NO_SOURCE) : 0u) |
           ((named & (named + 1u)) != 0 ? EVENT(SOURCE_GAP) : 0u) |
           (repeats ? EVENT(REPEATED_SOURCE) : 0u) |
           (repeats && oc_reads_once(cfg) ? EVENT(REPEAT_NOT_READ) : 0u);
}

// What the ports did in a step.
typedef struct ports_done {
    uint32_t taken[OC_KINDS];                      // instructions
    uint32_t waiting[OC_KINDS];                    // those left in ID_OC
    uint32_t kinds[WLK_OPNDCOLL_RTL_MAX_IN_PORTS]; // bit: kind of which the port took one
    uint32_t active, last_kind;                    // ports that took one; of the last taken
} ports_done;

static void note_port(ports_done *d, const wlk_opndcoll_event *e) {
    d->active += d->kinds[e->at] == 0;
    d->kinds[e->at] |= 1u << e->kind;
    d->taken[e->kind]++;
    d->waiting[e->kind]--;
    d->last_kind = e->kind;
}

// rotate_kinds: the first kind that a port takes in a step.
static uint64_t rotated(const cfg_t *cfg, const oc_before *b, const ports_done *d,
                        const wlk_opndcoll_event *e) {
    const uint32_t first = b->first_kind[e->at];
    bool lower = false;
    if (cfg->rotate_kinds == 0 || d->kinds[e->at] != 0) {
        return 0;
    }
    for (uint32_t kind = 0; kind < first; kind++) {
        lower = lower || d->waiting[kind] != 0;
    }
    return (e->kind < first ? EVENT(ROTATION_WRAPS) : 0u) |
           (e->kind >= first && lower ? EVENT(ROTATION_DECIDES) : 0u);
}

// Does an older instruction of its kind still wait?
static bool passes(const wlk_opndcoll *s, const oc_before *b, const wlk_opndcoll_event *e) {
    const uint64_t *keys = oc_keys(s, &s->id[e->kind]);
    bool found = false;
    for (uint64_t left = b->id_after[e->kind]; left != 0; left &= left - 1u) {
        found = found || oc_key_uid(keys[oc_lowest(left)]) < e->uid;
    }
    return found;
}

// V40, V32: ports try the lowest kind that waits, so that the last port tries the highest of all.
static uint64_t starved(const cfg_t *cfg, const oc_before *b, const ports_done *d) {
    const bool stopped = d->active < cfg->in_ports && b->waiting_after != 0;
    const uint32_t tried = stopped ? oc_lowest(b->waiting_after) : d->last_kind;
    const bool higher = (b->waiting >> tried >> 1) != 0;
    return (stopped ? EVENT(PORT_WITHOUT_UNIT) : 0u) |
           (higher && b->waiting_after != 0 && cfg->rotate_kinds == 0 ? EVENT(KIND_STARVED) : 0u);
}

// V42, sub-core: an instruction of a kind waits in the slot of its scheduler, and so does an older
// one, for which there is no unit.
static uint64_t kept_waiting(const wlk_opndcoll *s, const oc_before *b, uint32_t kind) {
    const uint64_t idle = s->idle[0];
    uint64_t found = idle != 0 ? EVENT(UNITS_OF_SCHEDULER_BUSY) : 0u;
    for (uint64_t left = b->id_after[kind]; left != 0; left &= left - 1u) {
        const uint32_t first = oc_lowest(left) * s->per_slot;
        const bool has_unit = (idle >> first & wlk_mask(s->per_slot)) != 0;
        found |= has_unit ? EVENT(YOUNGER_KEPT_WAITING) : 0u;
    }
    return found;
}

// V42: every port tries every kind.
static uint64_t without_unit(const cfg_t *cfg, const wlk_opndcoll *s, const oc_before *b,
                             const ports_done *d) {
    uint64_t found = 0;
    for (uint32_t left = b->waiting_after; left != 0; left &= left - 1u) {
        const uint32_t kind = oc_lowest(left);
        if (d->taken[kind] < cfg->in_ports) {
            found |= EVENT(PORT_WITHOUT_UNIT);
            found |= s->by_slot != 0 ? kept_waiting(s, b, kind) : 0u;
        }
    }
    for (uint32_t port = 0; port < cfg->in_ports; port++) {
        const uint32_t kinds = d->kinds[port];
        found |= (kinds & (kinds - 1u)) != 0 ? EVENT(SEVERAL_KINDS_OF_PORT) : 0u;
    }
    return found;
}

static uint64_t allocations(const cfg_t *cfg, const wlk_opndcoll *s, const oc_before *b,
                            const wlk_opndcoll_event *e, uint32_t n) {
    uint64_t found = b->out_of_order != 0 ? EVENT(OLDEST_NOT_FIRST_SLOT) : 0u;
    uint64_t emptied = 0;
    ports_done done = {0};
    for (uint32_t kind = 0; kind < cfg->num_kinds; kind++) {
        done.waiting[kind] = (uint32_t)__builtin_popcountll(b->id[kind]);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (e[i].what == WLK_OPNDCOLL_DISPATCH) {
            emptied |= oc_bit(e[i].unit);
        } else if (e[i].what == WLK_OPNDCOLL_ALLOCATE) {
            found |= (emptied & oc_bit(e[i].unit)) != 0 ? EVENT(REFILL) : 0u;
            found |= sources(cfg, e[i].user);
            found |= rotated(cfg, b, &done, &e[i]);
            found |= passes(s, b, &e[i]) ? EVENT(YOUNGER_PASSES) : 0u;
            note_port(&done, &e[i]);
        }
    }
    found |= done.active > 1 ? EVENT(SEVERAL_ALLOCATIONS) : 0u;
    return found | (cfg->revision == WLK_OPNDCOLL_RTL_REVISION_V42 ? without_unit(cfg, s, b, &done)
                                                                   : starved(cfg, b, &done));
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

// Dispatch units have their turns one after the other: what is complete, and occupied, by then.
typedef struct turns {
    uint64_t ready;
    uint64_t ex[OC_KINDS];
} turns;

// Has a unit no place in its OC_EX set? In V42's sub-core model only one slot will do.
static bool is_full(const wlk_opndcoll *s, const uint64_t *occupied, const oc_before *b,
                    uint32_t unit) {
    const oc_slots *ex = &s->ex[b->kind[unit]];
    const uint64_t slots = s->by_slot != 0 ? oc_bit(s->group[unit]) : wlk_mask(ex->width);
    return (slots & ~occupied[b->kind[unit]]) == 0;
}

// The unit before the one at which a dispatch unit begins that dispatched @p last.
static uint32_t scan_end(const cfg_t *cfg, const wlk_opndcoll *s, uint32_t last) {
    const uint32_t start = s->after[last];
    return s->by_slot == 0 ? last : (start == 0 ? cfg->num_units : start) - 1u;
}

// What a dispatch unit passes on its way from the unit behind @p end to its choice, around the end.
static uint64_t passed(const wlk_opndcoll *s, const turns *t, const oc_before *b, uint32_t last,
                       uint32_t end, uint32_t choice) {
    uint64_t found = choice <= end ? EVENT(DISPATCH_WRAPS) : 0u;
    for (uint64_t left = t->ready & ~oc_bit(choice); left != 0; left &= left - 1u) {
        const uint32_t unit = oc_lowest(left);
        const bool between =
            choice > end ? unit > end && unit < choice : unit > end || unit < choice;
        const bool full = is_full(s, t->ex, b, unit);
        found |= between && full ? EVENT(DISPATCH_SKIPS_FULL) : 0u;
        found |= !full && b->uid[unit] < b->uid[choice] ? EVENT(DISPATCH_PASSES_OLDER) : 0u;
        found |= !full && unit > last && unit <= end ? EVENT(DISPATCH_PASSES_SCHEDULER) : 0u;
    }
    return found;
}

static uint64_t leave(const wlk_opndcoll *s, const oc_before *b, turns *t,
                      const wlk_opndcoll_event *e) {
    const bool was_full = is_full(s, b->untaken, b, e->unit);
    t->ready &= ~oc_bit(e->unit);
    t->ex[e->kind] |= oc_bit(e->slot);
    return was_full ? EVENT(DISPATCH_INTO_TAKEN_SLOT) : 0u;
}

// Complete units that stay: their set was full from the start, or a lower dispatch unit filled it.
static uint64_t staying(const cfg_t *cfg, const wlk_opndcoll *s, const turns *t, const oc_before *b,
                        uint32_t turns_had) {
    uint64_t found = 0;
    for (uint64_t left = t->ready; left != 0; left &= left - 1u) {
        const uint32_t unit = oc_lowest(left);
        const uint64_t slots = wlk_mask(cfg->ex_width);
        const bool full = is_full(s, t->ex, b, unit), was_full = is_full(s, b->ex, b, unit);
        const bool had_turn = turns_had < cfg->out_ports;
        found |= was_full ? EVENT(DISPATCH_BLOCKED) : 0u;
        found |= full && !was_full && had_turn ? EVENT(DISPATCH_FILLED_SET) : 0u;
        found |= full && t->ex[b->kind[unit]] != slots ? EVENT(DISPATCH_SLOT_OCCUPIED) : 0u;
    }
    return found;
}

static uint64_t dispatches(const cfg_t *cfg, const wlk_opndcoll *s, const oc_before *b,
                           const wlk_opndcoll_event *e, uint32_t n) {
    turns t = {.ready = b->ready};
    uint64_t found = 0;
    uint32_t count = 0;
    memcpy(t.ex, b->ex, sizeof t.ex);
    for (uint32_t i = 0; i < n; i++) {
        if (e[i].what == WLK_OPNDCOLL_DISPATCH) {
            const uint32_t last = b->last[e[i].at];
            found |= passed(s, &t, b, last, scan_end(cfg, s, last), e[i].unit);
            found |= leave(s, b, &t, &e[i]);
            count++;
        }
    }
    return found | staying(cfg, s, &t, b, count) | (count > 1 ? EVENT(SEVERAL_DISPATCHES) : 0u);
}

uint64_t wlk_opndcoll_cover_step(const cfg_t *cfg, const wlk_opndcoll *s, const oc_before *b,
                                 const wlk_opndcoll_event *e, uint32_t n) {
    return dispatches(cfg, s, b, e, n) | grants(b, e, n) | allocations(cfg, s, b, e, n);
}
