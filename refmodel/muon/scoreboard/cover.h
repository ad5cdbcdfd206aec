/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage points of Muon's scoreboard; part of model.c. */
#ifndef WLK_SCOREBOARD_COVER_H
#define WLK_SCOREBOARD_COVER_H

static uint32_t failed(const sb_change *change) {
    return (uint32_t)(change->delta != 0 && change->to == change->from);
}

static uint32_t changed(const sb_change *change) {
    return (uint32_t)(change->to != change->from);
}

static uint32_t any_of(const sb_change *group, uint32_t (*is)(const sb_change *)) {
    return is(&group[0]) | is(&group[1]) | is(&group[2]);
}

// A group that names a register, other than 0, twice.
static uint32_t repeats(uint32_t pregs) {
    const uint32_t a = wlk_preg_at(pregs, 0), b = wlk_preg_at(pregs, 1), c = wlk_preg_at(pregs, 2);
    return (uint32_t)((a != 0 && (a == b || a == c)) || (b != 0 && b == c));
}

static uint32_t names_0(uint32_t pregs, uint32_t used) {
    uint32_t hit = 0;
    for (uint32_t i = 0; i < 3; i++) {
        hit |= (used >> i & 1u) & (uint32_t)(wlk_preg_at(pregs, i) == 0);
    }
    return hit;
}

static uint64_t admission_events(const cfg_t *cfg, const sb_cycle *c) {
    const uint32_t over = any_of(c->rs, failed), refused = c->rs_enable & bit_not(c->rs_success);
    const uint32_t others = any_of(c->coll, changed) | changed(&c->wb);
    const uint32_t change = any_of(c->rs, changed) | changed(&c->rs_write);
    uint32_t both = 0;
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            both |= (uint32_t)(c->rs[i].preg == c->coll[k].preg && c->rs[i].delta > 0 &&
                               c->coll[k].delta < 0 &&
                               c->coll[k].from == (int32_t)cfg->max_pending_reads);
        }
    }
    return ((c->rs_enable & c->rs_success & change) ? EVENT(ADMIT) : 0u) |
           (refused ? EVENT(ADMIT_REFUSED) : 0u) |
           ((c->rs_enable & over) ? EVENT(READ_OVERFLOW) : 0u) |
           ((c->rs_enable & failed(&c->rs_write)) ? EVENT(WRITE_OVERFLOW) : 0u) |
           ((refused & others) ? EVENT(ROLLBACK_WITH_UPDATES) : 0u) |
           ((c->rs_enable & both) ? EVENT(SATURATED_BOTH) : 0u);
}

static uint64_t update_events(const uint64_t *in, const sb_cycle *c) {
    const uint32_t coll = GET(updateColl_enable, in), wb = GET(updateWB_enable, in);
    const uint32_t coll_changes = any_of(c->coll, changed), wb_changes = changed(&c->wb);
    const uint32_t loose = (bit_not(coll) & coll_changes) | (bit_not(wb) & wb_changes);
    const uint32_t coll_fails = any_of(c->coll, failed);
    const uint32_t moved = GET(updateColl_reads_incr, in) | GET(updateColl_reads_decr, in);
    return ((coll & coll_changes) ? EVENT(COLLECT) : 0u) |
           ((wb & wb_changes) ? EVENT(WRITEBACK) : 0u) |
           ((coll & wb & c->rs_enable) ? EVENT(ALL_THREE) : 0u) |
           (repeats(GET(updateColl_reads_pReg, in)) | repeats(GET(hazard_updateRS_reads_pReg, in))
                ? EVENT(REPEATED_REGISTER)
                : 0u) |
           (coll_fails | failed(&c->wb) ? EVENT(UNDERFLOW) : 0u) |
           ((coll_fails & coll_changes) ? EVENT(PARTIAL_GROUP) : 0u) |
           ((loose & c->any_enable) ? EVENT(DELTA_WITHOUT_ENABLE) : 0u) |
           ((loose & bit_not(c->any_enable)) ? EVENT(DELTA_UNCOMMITTED) : 0u) |
           (names_0(GET(updateColl_reads_pReg, in), moved) |
                    names_0(GET(hazard_updateRS_reads_pReg, in),
                            GET(hazard_updateRS_reads_incr, in))
                ? EVENT(REGISTER_0)
                : 0u);
}

static uint32_t in_group(const sb_change *group, uint32_t preg) {
    uint32_t hit = 0;
    for (uint32_t i = 0; i < 3; i++) {
        hit |= (uint32_t)(group[i].preg == preg) & changed(&group[i]);
    }
    return hit;
}

static uint64_t read_events(const cfg_t *cfg, const uint64_t *in, const sb_cycle *c) {
    uint64_t e = 0;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        const uint64_t *element = wlk_scoreboard_in_element(in, w);
        const uint32_t preg = GET(hazard_warps_readRd_pReg, element);
        if ((GET(hazard_warps_readRd_enable, in) >> w & 1u) == 0 || preg == 0) {
            continue;
        }
        e |= in_group(c->coll, preg) ? EVENT(BYPASS_COLLECTOR) : 0u;
        e |= c->wb.preg == preg && changed(&c->wb) ? EVENT(BYPASS_WRITEBACK) : 0u;
        e |= c->rs_enable & c->rs_success & in_group(c->rs, preg) ? EVENT(NO_BYPASS_ADMISSION) : 0u;
    }
    return e;
}

static uint32_t any_pending(const cfg_t *cfg, const state_t *st) {
    uint32_t any = 0;
    for (uint32_t r = 0; r < cfg->num_pregs; r++) {
        any |= (uint32_t)st->pendingReads[r] | st->pendingWrites[r];
    }
    return (uint32_t)(any != 0);
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const uint64_t *in, const cycle_t *c) {
    if (c->reset) {
        return any_pending(cfg, st) ? EVENT(RESET_PENDING) : 0u;
    }
    return admission_events(cfg, &c->sb) | update_events(in, &c->sb) | read_events(cfg, in, &c->sb);
}

#endif
