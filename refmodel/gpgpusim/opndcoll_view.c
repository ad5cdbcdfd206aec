// SPDX-License-Identifier: Apache-2.0
// Looking into an operand collector, and at where its arbiters point.
#include "opndcoll_private.h"

const char *wlk_opndcoll_kind_name(uint32_t kind) {
    static const char *const names[WLK_OPNDCOLL_KINDS] = {
        "SP",    "SFU",   "MEM",   "TENSOR", "DP",    "INT",   "SPEC1",
        "SPEC2", "SPEC3", "SPEC4", "SPEC5",  "SPEC6", "SPEC7", "SPEC8"};
    return kind < WLK_OPNDCOLL_KINDS ? names[kind] : NULL;
}

const char *wlk_opndcoll_revision_name(uint32_t revision) {
    static const char *const names[] = {"v40", "v42", "v32"};
    return revision < sizeof names / sizeof names[0] ? names[revision] : NULL;
}

void wlk_opndcoll_counted(const wlk_opndcoll *s, wlk_opndcoll_counters *counters) {
    counters->reads = s->counters.reads * s->scale;
    counters->writes = s->counters.writes * s->scale;
    counters->non_rf = s->counters.non_rf * s->scale;
}

static void show(const wlk_opndcoll *s, uint64_t key, uint32_t kind, uint32_t pending,
                 wlk_opndcoll_held *held) {
    if (held != NULL) {
        const oc_inst *inst = oc_inst_of(s, key);
        *held =
            (wlk_opndcoll_held){inst->user, oc_key_uid(key), inst->wid, inst->sched, kind, pending};
    }
}

static bool show_slot(const wlk_opndcoll *s, const oc_slots *sets, uint32_t kind, uint32_t slot,
                      wlk_opndcoll_held *held) {
    if (kind >= s->shape.kinds || slot >= sets[kind].width ||
        (sets[kind].occupied & oc_bit(slot)) == 0) {
        return false;
    }
    show(s, oc_keys(s, &sets[kind])[slot], kind, 0, held);
    return true;
}

uint32_t wlk_opndcoll_id_open(const wlk_opndcoll *s) {
    return ~s->blocked & ((1u << s->shape.kinds) - 1u);
}

uint32_t wlk_opndcoll_ex_filled(const wlk_opndcoll *s) {
    return oc_leaving(s);
}

uint64_t wlk_opndcoll_id_free(const wlk_opndcoll *s, uint32_t kind) {
    return kind < s->shape.kinds ? s->id[kind].all & ~s->id[kind].occupied : 0u;
}

uint64_t wlk_opndcoll_ex_occupied(const wlk_opndcoll *s, uint32_t kind) {
    return kind < s->shape.kinds ? s->ex[kind].occupied : 0u;
}

bool wlk_opndcoll_id_slot(const wlk_opndcoll *s, uint32_t kind, uint32_t slot,
                          wlk_opndcoll_held *held) {
    return show_slot(s, s->id, kind, slot, held);
}

bool wlk_opndcoll_ex_slot(const wlk_opndcoll *s, uint32_t kind, uint32_t slot,
                          wlk_opndcoll_held *held) {
    return show_slot(s, s->ex, kind, slot, held);
}

static bool is_queued(const wlk_opndcoll *s, uint32_t bank, int32_t request) {
    if (!oc_has(s->filled, bank)) {
        return false;
    }
    int32_t at = oc_front(s, bank);
    while (at != request && at != s->back[bank]) {
        at = oc_behind(s, at);
    }
    return at == request;
}

// A slot is pending as long as its request is in the bank's queue.
static uint32_t pending(const wlk_opndcoll *s, uint32_t unit, const oc_inst *inst) {
    uint32_t slots = 0;
    for (uint32_t left = inst->reads; left != 0; left &= left - 1u) {
        const uint32_t slot = oc_lowest(left);
        if (is_queued(s, inst->bank[slot], oc_request(unit, slot))) {
            slots |= 1u << slot;
        }
    }
    return slots;
}

bool wlk_opndcoll_unit(const wlk_opndcoll *s, uint32_t unit, wlk_opndcoll_held *held) {
    if (unit >= s->shape.units || oc_has(s->idle, unit)) {
        return false;
    }
    if (held != NULL) {
        const uint64_t key = s->held[unit];
        show(s, key, s->kind[unit], pending(s, unit, oc_inst_of(s, key)), held);
    }
    return true;
}

uint32_t wlk_opndcoll_queue(const wlk_opndcoll *s, uint32_t bank, wlk_opndcoll_request *requests,
                            uint32_t room) {
    if (bank >= s->shape.banks || !oc_has(s->filled, bank)) {
        return 0;
    }
    uint32_t n = 0;
    for (int32_t at = oc_front(s, bank);; at = oc_behind(s, at)) {
        if (n < room) {
            const uint32_t unit = oc_request_unit(at), slot = oc_request_slot(at);
            const int32_t reg = oc_inst_of(s, s->held[unit])->src[slot];
            requests[n] = (wlk_opndcoll_request){unit, slot, (uint32_t)reg};
        }
        n++;
        if (at == s->back[bank]) {
            return n;
        }
    }
}

bool wlk_opndcoll_written(const wlk_opndcoll *s, uint32_t bank) {
    return bank < s->shape.banks && oc_has(s->written, bank);
}

uint32_t wlk_opndcoll_port_kinds(const wlk_opndcoll *s, uint32_t port) {
    for (uint32_t i = 0; i < s->n_ports; i++) {
        if (port - s->ports[i].first < s->ports[i].count) {
            return s->ports[i].kinds;
        }
    }
    return 0;
}

uint32_t wlk_opndcoll_first_kind(const wlk_opndcoll *s, uint32_t port) {
    const uint32_t kinds = wlk_opndcoll_port_kinds(s, port);
    if (kinds == 0) {
        return WLK_OPNDCOLL_KINDS;
    }
    return s->rotates ? *oc_first_kind(s, port) : oc_kind_from(kinds, 0);
}

bool wlk_opndcoll_set_first_kind(wlk_opndcoll *s, uint32_t port, uint32_t kind) {
    const uint32_t kinds = wlk_opndcoll_port_kinds(s, port);
    if (!s->rotates || kind >= WLK_OPNDCOLL_KINDS || (kinds >> kind & 1u) == 0) {
        return false;
    }
    *oc_first_kind(s, port) = (uint8_t)kind;
    return true;
}

uint32_t wlk_opndcoll_last(const wlk_opndcoll *s, uint32_t dispatch_unit) {
    for (uint32_t i = 0; i < s->n_sets; i++) {
        const oc_set *set = &s->sets[i];
        if (dispatch_unit - set->first_du < set->dus) {
            return s->last[dispatch_unit] - set->first_unit;
        }
    }
    return 0;
}

// The unit that a DU is to have dispatched last; OC_NONE: its set has no such unit.
static uint32_t unit_of(const wlk_opndcoll *s, uint32_t du, uint32_t last) {
    for (uint32_t i = 0; i < s->n_sets; i++) {
        const oc_set *set = &s->sets[i];
        if (du - set->first_du < set->dus) {
            const bool is_there = last < set->units || (set->units == 0 && last == 0);
            return is_there ? set->first_unit + last : (uint32_t)OC_NONE;
        }
    }
    return OC_NONE;
}

bool wlk_opndcoll_resume(wlk_opndcoll *s, uint32_t pri, const uint32_t *last, uint32_t n) {
    bool legal = pri < s->shape.units && n == s->shape.dispatch_units;
    for (uint32_t du = 0; du < n && legal; du++) {
        legal = unit_of(s, du, last[du]) != OC_NONE;
    }
    for (uint32_t du = 0; du < n && legal; du++) {
        s->last[du] = (uint16_t)unit_of(s, du, last[du]);
    }
    s->pri = legal ? pri : s->pri;
    return legal;
}

uint32_t wlk_opndcoll_pri(const wlk_opndcoll *s) {
    return s->pri;
}
