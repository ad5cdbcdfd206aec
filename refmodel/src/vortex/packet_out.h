/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output records of a model that shows packets, from what its source defines before including this:
 *   cycle_t with a shape `s`, shown(cfg, st, c)    the packet at the output
 *   control(cfg, st, c, out)                       control words of the outputs
 */
#ifndef WLK_VORTEX_PACKET_OUT_H
#define WLK_VORTEX_PACKET_OUT_H

static void fill(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out,
                 uint64_t *care) {
    const uint32_t control_words = CAPS(OUT_CONTROL);
    const wlk_vx_packet *p = shown(cfg, st, c);
    NAMED(out_mask)(cfg, care);
    if (p->known == 0 || st->reset_seen == 0) {
        memset(care, 0, control_words * sizeof *care);
    }
    if (st->reset_seen != 0) {
        NAMED(out_put_sb_ready)(care, 1u);
        NAMED(out_put_op_valid)(care, 1u);
        NAMED(out_set_perf_stalls)
        (care, cfg->perf_enable != 0 && STALLS_KNOWN(cfg, st) ? COUNTER_MASK : 0u);
    }
    control(cfg, st, c, out);
    for (uint32_t w = 0; w < control_words; w++) {
        out[w] &= care[w];
    }
    out += control_words;
    care += control_words;
    memcpy(out, p->rows, (size_t)OPERANDS * c->s.words * sizeof *out);
    for (uint32_t i = 0; i < OPERANDS; i++, out += c->s.words, care += c->s.words) {
        const uint32_t lanes = st->reset_seen != 0 ? p->lanes[i] : 0u;
        opc_care_row(&c->s, cfg->xlen, lanes, out, care);
    }
}

#endif
