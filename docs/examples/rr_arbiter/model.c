// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter whose grant can be locked. Rules: README.md.
#include "warplock/rr_arbiter_ports.h"

#define MODEL      rr_arbiter
#define MODEL_CAPS RR_ARBITER
#include "frame/model.h"

struct wlk_rr_arbiter_state {
    uint32_t last, locked;
};

#include "frame/structs.h"

static bool asks(const in_t *in, uint32_t id) {
    return (in->req >> id & 1u) != 0;
}

// Who is granted, if anybody asks.
static uint32_t choose(const cfg_t *cfg, const state_t *st, const in_t *in) {
    uint32_t id = st->last;
    if (st->locked && asks(in, id)) {
        return id;
    }
    do {
        id = id + 1u == cfg->num ? 0u : id + 1u;
    } while (!asks(in, id) && id != st->last);
    return id;
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, out_t *care) {
    const uint32_t id = choose(cfg, st, in);
    SHOW(gnt_valid, in->req != 0);
    SHOW(gnt, in->req != 0 ? UINT64_C(1) << id : 0u);
    SHOW(gnt_id, id);
}

static void edge(const cfg_t *cfg, state_t *st, const in_t *in) {
    if (in->req != 0 && in->accept) {
        st->last = choose(cfg, st, in);
        st->locked = in->lock;
    } else if (!asks(in, st->last)) {
        st->locked = 0;
    }
}

static void clear(const cfg_t *cfg, state_t *st) {
    st->last = cfg->num - 1u;
    st->locked = 0;
}

static uint64_t points(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    const uint64_t own = UINT64_C(1) << st->last;
    uint64_t events = 0;
    (void)cfg;
    events |= st->locked && asks(in, st->last) && (in->req & ~own) != 0 ? EVENT(KEPT) : 0u;
    events |= out->gnt_valid && out->gnt_id < st->last ? EVENT(WRAPPED) : 0u;
    events |= st->locked && !asks(in, st->last) ? EVENT(LOCK_LOST) : 0u;
    return events;
}

static void show(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    const flop list[] = {{"last", st->last, ~UINT64_C(0), WLK_DECIMAL},
                         {"locked", st->locked, 1, WLK_DECIMAL}};
    (void)cfg;
    VISIT_FLOPS(list, -1);
}

// What is unknown while no reset was seen: whose turn it was, and the lock.
static bool follow(const cfg_t *cfg, state_t *st, uint32_t k) {
    st->last = k / 2u;
    st->locked = k % 2u;
    return st->last < cfg->num;
}

WLK_STRUCTS_MODEL(.unknown_start = true, .events = points, .show = show, .follow = follow);
