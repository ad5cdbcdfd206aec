/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Vortex's scoreboard; part of model.c. */
#ifndef WLK_VORTEX_SCOREBOARD_COVER_H
#define WLK_VORTEX_SCOREBOARD_COVER_H

/* What a staged instruction waits for, and what a write-back does for it. */
static uint64_t warp_events(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c,
                            uint32_t w) {
    const uint64_t *instr = st->warp[w].instr;
    const uint64_t rd = written_by(cfg, instr), free = released(in, w);
    const uint64_t blocked = st->warp[w].inuse & need_of(cfg, instr);
    const bool waits = !has(c->requests, w), leaves = has(c->sends, w);
    const bool accepts = leaves && in->ib[w].valid;
    return (waits && (blocked & ~rd) != 0 ? EVENT(BLOCKED_RAW) : 0u) |
           (waits && (blocked & rd) != 0 ? EVENT(BLOCKED_WAW) : 0u) |
           (waits && blocked != 0 && (blocked & ~free) == 0 ? EVENT(WAKES) : 0u) |
           (accepts ? EVENT(BACK_TO_BACK) : 0u) |
           (leaves && rd != 0 && free != 0 ? EVENT(RELEASE_AND_RESERVE) : 0u) |
           (accepts && (need_of(cfg, in->ib[w].data) & rd) != 0 ? EVENT(CHECKS_NEW) : 0u);
}

static uint64_t choice_events(const cfg_t *cfg, const state_t *st, const cycle *c) {
    const uint64_t from = c->requests >> st->pointer[LAST];
    const bool is_tree = slices_of(warps_of(cfg)) != 0, moves = c->last.fires && !is_tree;
    const bool several = (c->requests & (c->requests - 1u)) != 0;
    return (c->last.fires ? EVENT(ISSUE) : 0u) |
           (c->requests != 0 && !st->out.s.ready ? EVENT(OUTPUT_FULL) : 0u) |
           (moves && several && has(from, 0) ? EVENT(POINTER_HIT) : 0u) |
           (moves && several && !has(from, 0) && from != 0 ? EVENT(POINTER_MISSED) : 0u) |
           (st->staged != 0 && c->requests == 0 ? EVENT(NOTHING_READY) : 0u);
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    uint64_t any = 0, found = 0;
    cycle c;
    (void)out;
    see(cfg, st, in, &c);
    for (uint32_t w = 0; w < warps_of(cfg); w++) {
        found |= has(st->staged, w) ? warp_events(cfg, st, in, &c, w) : 0u;
        found |= (st->warp[w].inuse & released(in, w)) != 0 ? EVENT(RELEASE) : 0u;
        any |= st->warp[w].inuse;
    }
    found |= in->wb.valid && !in->wb.data.eop ? EVENT(PACKET_IGNORED) : 0u;
    found |= in->reset && any != 0 ? EVENT(RESET_IN_USE) : 0u;
    return found | choice_events(cfg, st, &c);
}

#endif
