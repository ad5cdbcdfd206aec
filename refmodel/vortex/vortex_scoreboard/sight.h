/* SPDX-License-Identifier: Apache-2.0 */
/* What reports show of the state of Vortex's scoreboard, and what outputs tell of it; part of
 * model.c. */
#ifndef WLK_VORTEX_SCOREBOARD_SIGHT_H
#define WLK_VORTEX_SCOREBOARD_SIGHT_H

static void show(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    const flop flops[] = {
        {"staging.valid", st->staged, 1, WLK_HEX},
        {"operands_ready", st->ready & st->staged, 1, WLK_HEX},
        {"arbiter.ptr", st->pointer[LAST], 1, WLK_DECIMAL},
        {"out_buf.ready_in", st->out.s.ready, 1, WLK_DECIMAL},
        {"out_buf.valid_out", st->out.s.valid, 1, WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, -1);
    for (uint32_t w = 0; w < warps_of(cfg); w++) {
        const flop inuse[] = {{"inuse_regs", st->warp[w].inuse, 1, WLK_HEX}};
        if (st->warp[w].inuse != 0) {
            VISIT_FLOPS(inuse, (int32_t)w);
        }
    }
}

static void learn_outputs(const cfg_t *cfg, state_t *st, const out_t *out) {
    st->out.s.valid = out->sb.valid;
    st->out.out.wis = out->sb.data.wis;
    copy_instr(st->out.out.instr, out->sb.data.instr);
    if (!out->sb.valid) { /* it is empty */
        st->out.s.ready = true;
    }
    if (cfg->perf_enable != 0) {
        st->stalls = out->perf.stalls;
        st->uses[USES_CSR] = out->perf.sfu_uses_0;
        st->uses[USES_OTHER] = out->perf.sfu_uses_1;
        for (uint32_t u = 0; u < units_of(cfg); u++) {
            st->uses[u] = out->perf.units_uses[u];
        }
    }
}

/* An arbiter of warps grants the one that sends, into a buffer that has room; if it has room and
 * none sends, none is ready. Another pointer that would grant it too, or other warps that are
 * ready, would change nothing: the edge sets the pointer and looks at all registers again. */
static void learn_choice(state_t *st, uint32_t which, wlk_vxsb_buffer *buffer, uint32_t first,
                         uint32_t n, uint64_t sends) {
    const uint64_t inputs = wlk_mask(n) << first;
    if ((sends & inputs) != 0) {
        st->pointer[which] = (uint8_t)lowest((sends & inputs) >> first);
        st->ready = (st->ready & ~inputs) | (sends & inputs);
        buffer->s.ready = true;
    } else if (buffer->s.ready) {
        st->ready &= ~inputs;
    }
}

/* A warp that is not ready has an instruction. One that is ready and has one sends it: none of its
 * registers is in use. */
static void learn(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    const uint32_t warps = warps_of(cfg), slices = slices_of(warps);
    const uint64_t sends = st->staged & out->sets.ib_ready;
    (void)in;
    clear_absent(cfg, st);
    learn_outputs(cfg, st, out);
    st->staged |= ~out->sets.ib_ready & wlk_mask(warps);
    for (uint32_t w = 0; w < warps; w++) {
        const uint64_t need = need_of(cfg, st->warp[w].instr);
        st->warp[w].inuse &= has(sends, w) ? ~need : ~UINT64_C(0);
        st->warp[w].waited = 0; /* it counts from here on */
    }
    if (slices == 0) {
        learn_choice(st, LAST, &st->out, 0, warps, sends);
    }
    for (uint32_t s = 0; s < slices; s++) {
        learn_choice(st, s, &st->slice[s], s * FANOUT, slice_inputs(warps, s), sends);
    }
}

/* A warp that is ready takes what it is offered, the others keep what they have. */
static void learn_next(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out) {
    st->staged = IN_SET(ib_valid) | (~out->sets.ib_ready & wlk_mask(warps_of(cfg)));
    for (uint32_t w = 0; w < warps_of(cfg); w++) {
        if (out->ib[w].ready) {
            copy_instr(st->warp[w].instr, in->ib[w].data);
        }
    }
}

#endif
