// SPDX-License-Identifier: Apache-2.0
// The operand collectors of the Muon document as a block: record words in and out around
// rules.h. Spec sections are those of muon-designs.
#include "warplock/collector_x.h"
#include "warplock/muon.h"

#define MODEL      collector_x
#define MODEL_CAPS COLLECTOR_X
#include "frame/model.h"

#include "slots_late.h"

_Static_assert((int)WLK_COLLECTOR_X_COLLECTOR_CACHING == CX_CACHING, "values of `collector`");
_Static_assert((int)WLK_COLLECTOR_X_FORWARDING_MUST == CX_MUST, "values of `forwarding`");

typedef struct cycle {
    cx_shape s;
    cx_inputs in;
    cx_cycle cx;
} cycle_t;

// ---- records ----------------------------------------------------------------------------------

static void take_reads(const cx_shape *s, const uint64_t *in, cx_reads *r) {
    const uint64_t operands = GET(readReq_regs_opIdx, in);
    memset(r, 0, sizeof *r);
    r->lanes = GET(readReq_regs_enable, in) & set_below(s->lanes);
    for (uint32_t left = r->lanes; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left);
        const uint64_t *element = wlk_collector_x_in_element(in, lane);
        r->preg[lane] = (uint16_t)GET(readReq_regs_pReg, element);
        r->row[lane] = (uint8_t)GET(readReq_regs_rsEntryId, element);
        r->entry[lane] = (uint16_t)GET(readReq_regs_collEntry, element);
        r->operand[lane] = operands >> 2u * lane & 3u;
    }
}

static void take_write(const cfg_t *cfg, const cx_shape *s, const uint64_t *in, cx_inputs *to) {
    const uint64_t operands = GET(writeReq_fwd_opIdx, in);
    to->write_valid = GET(writeReq_valid, in);
    to->commit = GET(writeReq_commit, in);
    to->merge = GET(writeReq_merge, in);
    to->write_preg = GET(writeReq_regs_pReg, in);
    to->write_mask = GET(writeReq_regs_tmask, in);
    to->fwd = cfg->forwarding != 0 ? GET(writeReq_fwd_enable, in) & set_below(s->lanes) : 0u;
    for (uint32_t left = to->fwd; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left);
        const uint64_t *element = wlk_collector_x_in_element(in, lane);
        to->fwd_operand[lane] = operands >> 2u * lane & 3u;
        to->fwd_entry[lane] = (uint16_t)GET(writeReq_fwd_collEntry, element);
    }
}

// One port has the RTL's names, several are an array.
static void take_ports(const cx_shape *s, const uint64_t *in, cx_inputs *to) {
    if (s->ports == 1) {
        const uint32_t slots = (uint32_t)GET(readData_req_slot, in);
        to->data_valid = GET(readData_req_valid, in);
        to->data_enable = GET(readData_req_regs_enable, in);
        to->data_entry[0] = (uint32_t)GET(readData_req_collEntry, in);
        for (uint32_t i = 0; i < CX_OPERANDS; i++) {
            to->data_slot[i] = slots >> 5u * i & 31u;
        }
        return;
    }
    const uint64_t entries = GET(readPort_req_collEntry, in);
    to->data_valid = (uint32_t)GET(readPort_req_valid, in);
    to->data_enable = (uint32_t)GET(readPort_req_regs_enable, in);
    for (uint32_t p = 0; p < CX_PORTS; p++) {
        to->data_entry[p] = (uint32_t)(entries >> 9u * p & 511u);
    }
}

static void take(const cfg_t *cfg, const cx_shape *s, const uint64_t *in, cx_inputs *to) {
    const uint32_t pregs = (uint32_t)GET(bind_regs_pReg, in);
    to->reset = GET(reset, in);
    to->alloc_valid = GET(alloc_valid, in);
    to->alloc_group = GET(alloc_group, in);
    to->bind_valid = GET(bind_valid, in);
    to->bind_enable = GET(bind_regs_enable, in);
    to->bind_busy = GET(bind_regs_busy, in);
    take_reads(s, in, &to->reads);
    take_write(cfg, s, in, to);
    take_ports(s, in, to);
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        to->bind_preg[i] = wlk_preg_at(pregs, i);
    }
}

static inline void compute(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    c->s = cx_shape_of(cfg);
    take(cfg, &c->s, in, &c->in);
    cx_observe(st, &c->s, &c->in, &c->cx);
}

static uint32_t in_control(const cx_shape *s) {
    return WLK_COLLECTOR_X_IN_GROUP + s->lanes * WLK_COLLECTOR_X_IN_STRIDE;
}

static uint32_t out_control(const cx_shape *s) {
    const uint32_t elements = wlk_max(s->lanes, s->groups);
    return WLK_COLLECTOR_X_OUT_GROUP + elements * WLK_COLLECTOR_X_OUT_STRIDE;
}

// Control words of the outputs: those that are 0 beside a low valid or enable are not put.
static uint32_t control(const state_t *st, const cycle_t *c, uint64_t *out) {
    const cx_reads *r = &st->reads;
    const uint32_t words = out_control(&c->s);
    uint64_t operands = 0;
    memset(out, 0, words * sizeof *out);
    for (uint32_t left = c->cx.room; left != 0; left &= left - 1u) {
        const uint32_t g = set_lowest(left);
        PUT(room_collEntry, wlk_collector_x_out_element_mut(out, g), c->cx.room_entry[g]);
    }
    for (uint32_t left = r->lanes; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left);
        uint64_t *element = wlk_collector_x_out_element_mut(out, lane);
        PUT(readResp_regs_rsEntryId, element, r->row[lane]);
        PUT(readResp_regs_collEntry, element, r->entry[lane]);
        operands |= (uint64_t)r->operand[lane] << 2u * lane;
    }
    PUT(room_valid, out, (uint64_t)c->cx.room);
    PUT(readResp_regs_enable, out, (uint64_t)r->lanes);
    PUT(readResp_regs_lost, out, (uint64_t)c->cx.lost);
    PUT(readResp_regs_opIdx, out, operands);
    PUT(writeResp_valid, out, st->writeRespValid);
    if (c->s.collector == CX_CACHING) {
        const uint32_t *slot = c->cx.slot;
        PUT(bind_ready, out, (uint64_t)c->cx.bind_ready);
        PUT(bind_regs_hit, out, (uint64_t)c->cx.hit);
        PUT(bind_regs_slot, out, (uint64_t)(slot[0] | slot[1] << 5 | slot[2] << 10));
    }
    return words;
}

#define CARE(field, words, value) wlk_collector_x_out_set_##field(words, value)

static void hide_rooms(const state_t *st, const cycle_t *c, uint64_t *care) {
    uint32_t valid = 0;
    for (uint32_t g = 0; g < c->s.groups; g++) {
        const cx_room known = cx_room_known(st, &c->s, &c->in, &c->cx, g);
        valid |= (uint32_t)known.valid << g;
        if (!known.entry) {
            CARE(room_collEntry, wlk_collector_x_out_element_mut(care, g), 0u);
        }
    }
    CARE(room_valid, care, valid);
}

// Bits that the slots which may be found have alike; none is found: 0.
static uint32_t alike(const cx_lookup *l, uint32_t care) {
    uint32_t ones = l->none != 0 ? 0u : ~0u, some = 0;
    for (uint32_t left = cx_found(l); left != 0; left &= left - 1u) {
        ones &= set_lowest(left);
        some |= set_lowest(left);
    }
    return care & ~(some & ~ones);
}

static void hide_slots(const state_t *st, const cycle_t *c, uint64_t *care) {
    const uint32_t slots = wlk_collector_x_out_get_bind_regs_slot(care);
    uint32_t hit = 0, slot = 0;
    cx_lookup found[CX_OPERANDS];
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        found[i] = (cx_lookup){0, 0, 0, 1};
        if (set_has(cx_wanted(&c->in), i)) {
            found[i] = cx_look(st, &c->s, &c->in, i);
        }
        const uint32_t missed = found[i].empty | found[i].evicted | found[i].none;
        hit |= (uint32_t)(found[i].hit == 0 || missed == 0) << i;
        slot |= alike(&found[i], slots >> 5u * i & 31u) << 5u * i;
    }
    CARE(bind_regs_hit, care, hit);
    CARE(bind_regs_slot, care, slot);
    CARE(bind_ready, care, cx_binds(&c->in, found) != CX_OPEN);
}

// Care of what shows state that is not known, where a reset was, but was not seen.
static void hide(const state_t *st, const cycle_t *c, uint64_t *care) {
    if (c->s.collector == CX_CACHING) {
        hide_slots(st, c, care);
    } else {
        hide_rooms(st, c, care);
    }
    if (st->late.reads_known == 0) {
        CARE(readResp_regs_enable, care, 0u);
        CARE(readResp_regs_lost, care, 0u);
        CARE(readResp_regs_opIdx, care, 0u);
        for (uint32_t lane = 0; lane < c->s.lanes; lane++) {
            uint64_t *element = wlk_collector_x_out_element_mut(care, lane);
            CARE(readResp_regs_rsEntryId, element, 0u);
            CARE(readResp_regs_collEntry, element, 0u);
        }
    }
}

static void fill(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out,
                 uint64_t *care) {
    const cx_shape *s = &c->s;
    const uint32_t words = control(st, c, out);
    const bool live = (st->reset_seen | st->late.late) != 0;
    wlk_collector_x_out_mask(cfg, care);
    if (!live) {
        memset(care, 0, words * sizeof *care);
    } else if (cx_is_hiding(st)) {
        hide(st, c, care);
    }
    wlk_collector_x_out_set_writeResp_valid(care, st->writeResp_known);
    for (uint32_t w = 0; w < words; w++) {
        out[w] &= care[w];
    }
    out += words;
    care += words;
    for (uint32_t n = 0; n < s->ports * CX_OPERANDS; n++, out += s->words, care += s->words) {
        const uint64_t known = live ? st->known[c->cx.row[n]] : 0u;
        prf_fill(st->rows + (size_t)c->cx.row[n] * s->stride, known, cfg->num_lanes, cfg->lane_bits,
                 out, care, s->words);
    }
}

static __attribute__((noinline)) void commit_late(state_t *st, const uint64_t *in,
                                                  const cycle_t *c) {
    const cx_shape *s = &c->s;
    const uint64_t *data = in + in_control(s);
    if (!cx_is_hiding(st)) {
        cx_commit_late(st, s, &c->in, &c->cx, data);
    } else if (s->collector == CX_CACHING) {
        cx_commit_slots_late(st, s, &c->in, &c->cx, data);
        st->reset_seen |= cx_knows_slots(st, s);
    } else {
        cx_know_entries(st, s, &c->in, &c->cx);
        cx_commit_late(st, s, &c->in, &c->cx, data);
        st->reset_seen |= cx_knows_entries(st, s);
    }
}

static inline void commit(const cfg_t *cfg, state_t *st, const uint64_t *in, const cycle_t *c) {
    (void)cfg;
    if (st->late.late) {
        commit_late(st, in, c);
    } else {
        cx_commit(st, &c->s, &c->in, &c->cx, in + in_control(&c->s));
    }
}

// ---- protocol rules ---------------------------------------------------------------------------

// Lanes of a set whose operand does not exist, or is stored by another lane.
static uint32_t wrong_lanes(const cx_shape *s, uint32_t lanes, const uint16_t *entry,
                            const uint8_t *operand) {
    uint32_t wrong = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left), e = entry[lane], i = operand[lane];
        wrong |= (uint32_t)(i >= CX_OPERANDS || e >= s->entries || cx_lane(s, e, i) != lane)
                 << lane;
    }
    return wrong;
}

static bool reads_beyond(const cx_shape *s, const cx_inputs *in) {
    bool beyond = false;
    if (s->collector != CX_CACHING) {
        for (uint32_t left = in->data_valid; left != 0; left &= left - 1u) {
            beyond |= in->data_entry[set_lowest(left)] >= s->entries;
        }
        return beyond;
    }
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        beyond |= (in->data_enable >> i & 1u) != 0 && in->data_slot[i] >= s->depth;
    }
    return in->data_valid != 0 && beyond;
}

// Does a port, of several, read another one's bank?
static bool reads_wrong_bank(const cx_shape *s, const cx_inputs *in) {
    bool wrong = false;
    for (uint32_t left = s->ports > 1 ? in->data_valid : 0u; left != 0; left &= left - 1u) {
        const uint32_t p = set_lowest(left);
        wrong |= in->data_entry[p] / s->depth != p;
    }
    return wrong;
}

static uint32_t violations(const state_t *st, const cycle_t *c) {
    const cx_inputs *in = &c->in;
    const cx_reads *r = &in->reads;
    const uint32_t fwd = in->write_valid != 0 ? in->fwd : 0u;
    (void)st;
    if (in->reset != 0) {
        return 0;
    }
    return (in->alloc_valid & bit_not(c->cx.taken)) * (uint32_t)WLK_COLLECTOR_X_ALLOC_WITHOUT_ROOM |
           (wrong_lanes(&c->s, r->lanes, r->entry, r->operand) != 0) *
               (uint32_t)WLK_COLLECTOR_X_READREQ_WRONG_LANE |
           (wrong_lanes(&c->s, fwd, in->fwd_entry, in->fwd_operand) != 0) *
               (uint32_t)WLK_COLLECTOR_X_FWD_WRONG_LANE |
           reads_beyond(&c->s, in) * (uint32_t)WLK_COLLECTOR_X_READDATA_OUT_OF_RANGE |
           reads_wrong_bank(&c->s, in) * (uint32_t)WLK_COLLECTOR_X_READDATA_WRONG_BANK;
}

#include "cover.h"

#define VIOLATIONS violations
#include "frame/calls.h"

// ---- compare and commit -----------------------------------------------------------------------

static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    uint64_t out[WLK_COLLECTOR_X_OUT_GROUP + CX_LANES * WLK_COLLECTOR_X_OUT_STRIDE];
    uint64_t differs = 0, known = ~UINT64_C(0);
    prf_vec rows_differ = {0};
    cycle_t c;
    if ((st->reset_seen & st->writeResp_known) <= st->late.late || got->mask != NULL) {
        return 1; // a late state learns
    }
    compute(cfg, st, in->control, &c);
    const uint32_t words = control(st, &c, out);
    for (uint32_t w = 0; w < words; w++) {
        differs |= out[w] ^ got->control[w];
    }
    for (uint32_t n = 0; n < c.s.ports * CX_OPERANDS; n++) {
        const uint32_t row = c.cx.row[n];
        known &= st->known[row];
        rows_differ |= prf_differ(st->rows + (size_t)row * c.s.stride, got->payload[n], c.s.words);
    }
    if (differs != 0 || prf_any(rows_differ) != 0 || (~known & wlk_mask(cfg->num_lanes)) != 0) {
        return 1;
    }
    info->violated = violations(st, &c);
    cx_commit(st, &c.s, &c.in, &c.cx, in->payload[0]);
    return 0;
}

static size_t state_size(const uint32_t *params) {
    const cx_shape s = cx_shape_of((const cfg_t *)params);
    return offsetof(state_t, rows) + (size_t)cx_rows(&s) * s.stride * sizeof(uint64_t);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    const cx_shape s = cx_shape_of((const cfg_t *)params);
    state_t *st = (state_t *)state;
    memset(st, 0, state_size(params));
    st->known[cx_register_row(&s, 0)] = ~UINT64_C(0); // register 0 is hardwired zero
    if (power_up == WLK_POWER_ZERO) {
        st->reset_seen = st->writeResp_known = 1;
        memset(st->known, 0xff, sizeof st->known);
    }
    if (((const cfg_t *)params)->forwarding != CX_MUST) {
        st->known[cx_old_row(&s)] = 0; // no register keeps an old value
    }
}

static void forget(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x) {
    const cfg_t *cfg = (const cfg_t *)params;
    const cx_shape s = cx_shape_of(cfg);
    state_t *st = (state_t *)state;
    cx_inputs to;
    take(cfg, &s, in, &to);
    const uint64_t unknown =
        prf_unknown(x + in_control(&s), to.write_mask, cfg->num_lanes, cfg->lane_bits);
    if ((to.write_valid & to.commit) != 0 && to.write_preg != 0) {
        st->known[cx_register_row(&s, to.write_preg)] &= ~unknown;
        cx_forget_late(st, &s, to.write_preg, unknown);
    }
    for (uint32_t left = to.write_valid != 0 && to.write_preg != 0 ? to.fwd : 0u;
         left != 0 && to.reset == 0; left &= left - 1u) {
        const uint32_t lane = set_lowest(left);
        st->known[cx_row(&s, to.fwd_entry[lane], to.fwd_operand[lane])] &= ~unknown;
    }
}

static void clear(const uint32_t *params, void *state) {
    const cx_shape s = cx_shape_of((const cfg_t *)params);
    cx_reset((state_t *)state, &s);
    cx_part_rows((state_t *)state, &s);
}

// Nothing is allocated, nor used, nor under way.
static bool drained(const uint32_t *params, const void *state) {
    const state_t *st = (const state_t *)state;
    uint64_t busy = st->reads.lanes;
    (void)params;
    for (size_t i = 0; i < sizeof st->taken / sizeof *st->taken; i++) {
        busy |= st->taken[i];
    }
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        for (uint32_t slot = 0; slot < WLK_COLLECTOR_X_SLOTS; slot++) {
            busy |= st->refs[i][slot];
        }
    }
    return busy == 0;
}

// ---- a start without the reset ----------------------------------------------------------------

static void late(const uint32_t *params, void *state) {
    const cx_shape s = cx_shape_of((const cfg_t *)params);
    state_t *st = (state_t *)state;
    init(params, state, WLK_POWER_UNKNOWN);
    st->late.late = 1;
    cx_late_rows(st, &s);
    cx_late_slots(st, &s);
}

#define SEEN(field, words) wlk_collector_x_out_get_##field(words)

static void learn_rooms(state_t *st, const cycle_t *c, const wlk_sight *seen) {
    const cx_shape *s = &c->s;
    const uint32_t id = (uint32_t)wlk_mask(wlk_idw(s->entries));
    for (uint32_t g = 0; g < s->groups; g++) {
        const uint64_t *there = wlk_collector_x_out_element(seen->out_known, g);
        const uint64_t *element = wlk_collector_x_out_element(seen->out, g);
        const bool valid = set_has(SEEN(room_valid, seen->out), g);
        const bool shown = set_has(SEEN(room_valid, seen->out_known), g) &&
                           (!valid || SEEN(room_collEntry, there) == id);
        if (shown && cx_freed_in(s, &c->in, c->cx.freed, g) == s->entries) {
            cx_learn_room(st, s, g, valid ? SEEN(room_collEntry, element) : s->entries);
        }
    }
}

static void learn_slots(const cfg_t *cfg, state_t *st, const cycle_t *c, const wlk_sight *seen) {
    const uint32_t id = (uint32_t)wlk_mask(wlk_idw(cfg->coll_depth));
    const uint32_t hit = SEEN(bind_regs_hit, seen->out), slot = SEEN(bind_regs_slot, seen->out);
    const uint32_t hits = SEEN(bind_regs_hit, seen->out_known);
    const uint32_t slots = SEEN(bind_regs_slot, seen->out_known);
    cx_unsee(&st->late);
    if (SEEN(bind_ready, seen->out_known)) {
        st->late.seen_ready = (uint8_t)SEEN(bind_ready, seen->out);
    }
    for (uint32_t left = cx_wanted(&c->in); left != 0; left &= left - 1u) {
        const uint32_t i = set_lowest(left);
        if (set_has(hits, i)) {
            st->late.seen_hit[i] = hit >> i & 1u;
        }
        if ((slots >> 5u * i & id) == id) {
            st->late.seen_slot[i] = (uint8_t)(slot >> 5u * i & id);
        }
        cx_learn_slot(st, &c->s, &c->in, i);
    }
}

static void learn(const uint32_t *params, void *state, const wlk_sight *seen) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    cycle_t c;
    if (st->late.late == 0) {
        return;
    }
    compute(cfg, st, seen->in, &c);
    if (cx_is_hiding(st) && c.s.collector == CX_CACHING) {
        learn_slots(cfg, st, &c, seen);
    } else if (cx_is_hiding(st)) {
        learn_rooms(st, &c, seen);
    }
    const uint32_t words = out_control(&c.s);
    for (uint32_t n = 0; n < c.s.ports * CX_OPERANDS; n++) {
        const uint32_t at = words + n * c.s.words;
        cx_learn_row(st, &c.s, c.cx.row[n], seen->out + at, seen->out_known + at);
    }
}

// ---- for reports ------------------------------------------------------------------------------

// Are all values of bit @p n known?
static uint64_t knows(const state_t *st, uint32_t set, uint32_t n) {
    return (uint64_t)0 - (cx_is_hiding(st) ? set >> n & 1u : st->reset_seen);
}

static void visit_slots(const cx_shape *s, const state_t *st, wlk_state_visitor *visitor,
                        void *ctx) {
    for (uint32_t i = 0; i < CX_OPERANDS; i++) {
        const cx_facts *f = &st->late;
        const uint64_t tags = knows(st, f->tags[i] == set_below(s->depth), 0);
        const flop flops[] = {
            {"victim", st->victim[i], knows(st, set_is_single(f->victims[i]), 0), WLK_DECIMAL},
            {"tagValid", st->tagValid[i], tags, WLK_HEX},
        };
        VISIT_FLOPS(flops, (int32_t)i);
        for (uint32_t slot = 0; slot < s->depth; slot++) {
            const uint64_t has = (uint64_t)0 - (st->tagValid[i] >> slot & 1u);
            const flop each[] = {
                {"tag", st->tag[i][slot], knows(st, f->tags[i], slot) & has, WLK_DECIMAL},
                {"refs", st->refs[i][slot], knows(st, f->refs[i], slot), WLK_DECIMAL},
            };
            VISIT_FLOPS(each, (int32_t)(i * s->depth + slot));
        }
    }
}

static void visit_rows(const cfg_t *cfg, const cx_shape *s, const state_t *st,
                       wlk_state_visitor *visitor, void *ctx) {
    const uint64_t lanes = wlk_mask(cfg->num_lanes);
    for (uint32_t row = 0; row < cx_rows(s); row++) {
        const uint64_t known = st->known[row] & lanes;
        const uint64_t *words = st->rows + (size_t)row * s->stride;
        uint64_t any = known ^ lanes;
        for (uint32_t w = 0; w < s->words; w++) {
            any |= words[w];
        }
        if (row == cx_sink(s) || any == 0 || (known == 0 && st->late.late == 0)) {
            continue;
        }
        const bool entry = row < cx_sink(s), old = row == cx_old_row(s);
        const uint32_t index = entry ? row : row - cx_register_row(s, 0);
        visitor(ctx,
                entry ? "data"
                : old ? "old"
                      : "rf",
                old ? -1 : (int32_t)index, words, s->words, known, WLK_HEX);
    }
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    const cx_shape s = cx_shape_of(cfg);
    const flop flops[] = {
        {"readResp.enable", st->reads.lanes, knows(st, st->late.reads_known, 0), WLK_HEX},
        {"writeResp.valid", st->writeRespValid, (uint64_t)0 - st->writeResp_known, WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, -1);
    if (s.collector == CX_CACHING) {
        visit_slots(&s, st, visitor, ctx);
    } else {
        visitor(ctx, "alloc_valid", -1, st->taken, (s.entries + 63u) / 64u,
                knows(st, cx_knows_entries(st, &s), 0), WLK_HEX);
    }
    visit_rows(cfg, &s, st, visitor, ctx);
}

WLK_MODEL(.forget = forget, .drained = drained, .clear = clear, .visit = visit, .late = late,
          .learn = learn);
