/* SPDX-License-Identifier: Apache-2.0 */
/* Program order of the rows of each warp (muon-issue §5.12); part of model.c. */
#ifndef WLK_RESERVATION_STATION_ORDER_H
#define WLK_RESERVATION_STATION_ORDER_H

/* Is row @p row older than row @p than, by their numbers? Only valid rows have an order. */
static bool is_older(const cfg_t *cfg, const state_t *st, uint32_t row, uint32_t than) {
    const uint32_t half = UINT32_C(1) << wlk_clog2(cfg->rs_entries); /* of the range of numbers */
    const uint32_t distance = (uint32_t)(st->sequence[than] - st->sequence[row]) & (2u * half - 1u);
    return (distance != 0) & (distance < half) &
           (wlk_entry_get_wid(st->entry[row]) == wlk_entry_get_wid(st->entry[than]));
}

/* The rows of @p set for which no older row of the same warp is in @p holding. */
static uint32_t in_order(const cfg_t *cfg, const state_t *st, uint32_t set, uint32_t holding) {
    uint32_t held = 0;
    if (cfg->in_order_per_warp == 0) {
        return set;
    }
    for (uint32_t row = 0; row < cfg->rs_entries; row++) {
        uint32_t waits = 0;
        for (uint32_t other = 0; other < cfg->rs_entries && (set >> row & 1u) != 0; other++) {
            waits |= holding >> other & is_older(cfg, st, other, row);
        }
        held |= waits << row;
    }
    return set & ~held;
}

#endif
