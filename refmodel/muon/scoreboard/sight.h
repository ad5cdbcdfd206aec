/* SPDX-License-Identifier: Apache-2.0 */
/* What reports show of the state of Muon's scoreboard, and what outputs tell of it; part of
 * model.c. */
#ifndef WLK_SCOREBOARD_SIGHT_H
#define WLK_SCOREBOARD_SIGHT_H

static void show(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    for (uint32_t r = 1; r < cfg->num_pregs; r++) {
        const flop counts[] = {{"pendingReads", st->pendingReads[r], 1, WLK_DECIMAL},
                               {"pendingWrites", st->pendingWrites[r], 1, WLK_DECIMAL}};
        for (uint32_t i = 0; i < 2; i++) {
            if (counts[i].value != 0) {
                visit_flops(&counts[i], 1, (int32_t)r, visitor, ctx);
            }
        }
    }
}

static bool is_moved(const cycle *c, uint32_t preg) {
    bool moved = c->wb.preg == preg && c->wb.delta != 0;
    for (uint32_t i = 0; i < READS; i++) {
        moved |= c->coll[i].preg == preg && c->coll[i].delta != 0;
    }
    return moved;
}

/* A read port shows the counts of a register that neither collector nor write-back moves. */
#define LEARN(port)                                                                                \
    do {                                                                                           \
        const uint32_t preg = in->hazard.warps[w].port.pReg;                                       \
        if (in->hazard.warps[w].port.enable && !is_moved(&c, preg)) {                              \
            st->pendingReads[preg] = out->hazard.warps[w].port.pendingReads;                       \
            st->pendingWrites[preg] = out->hazard.warps[w].port.pendingWrites;                     \
        }                                                                                          \
    } while (0)

static void learn(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    cycle c;
    see(cfg, st, in, &c);
    /* Register 0 always counts 0 (§3.6), whatever the outputs show. */
    st->pendingReads[0] = 0;
    st->pendingWrites[0] = 0;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        READ_PORTS(LEARN);
    }
}

#endif
