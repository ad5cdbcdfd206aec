// SPDX-License-Identifier: Apache-2.0
// GPGPU-Sim's operand collector as a block. compute() makes the calls of a clock on the model and
// keeps what they answer; eval, record and step report it, tick, record and step commit it.
// Coverage is in opndcoll_cover.h, the start without a reset in late.h.
#include "gpgpusim/opndcoll_cover.h"
#include "gpgpusim/opndcoll_private.h"
#include "warplock/opndcoll_rtl.h"

#define MODEL      opndcoll_rtl
#define MODEL_CAPS OPNDCOLL_RTL
#include "frame/model.h"

enum {
    MAX_SCHEDS = WLK_OPNDCOLL_RTL_MAX_NUM_SCHED_PER_CORE,
    MAX_SLOTS = WLK_OPNDCOLL_RTL_MAX_SRC_SLOTS,
    MAX_DST = WLK_OPNDCOLL_RTL_MAX_DST_SLOTS,
    MAX_WB = WLK_OPNDCOLL_RTL_MAX_NUM_WB,
    MAX_UNITS = WLK_OPNDCOLL_RTL_MAX_NUM_UNITS,
    MAX_BANKS = WLK_OPNDCOLL_RTL_MAX_NUM_REG_BANKS,
    MAX_LANES = 64, // of a payload
    // Places of an element in control fields.
    WARP_STEP = 6,
    SCHED_STEP = 3,
    KIND_STEP = 3,
    EX_STEP = 3,
    // A record: control, the group, payloads of at most so many words.
    MAX_IN = WLK_OPNDCOLL_RTL_IN_CONTROL + MAX_SCHEDS + MAX_WB * (1 + MAX_DST),
    MAX_OUT = WLK_OPNDCOLL_RTL_OUT_GROUP + OC_KINDS * (WLK_OPNDCOLL_RTL_OUT_STRIDE + MAX_SLOTS) +
              8 + 4 + 2 * 4 + 4 * 2,
    // The largest model of a block; see plan() in opndcoll_config.c.
    MAX_INSTS = 2 * OC_KINDS * 8 + MAX_UNITS,
    MAX_MODEL = (int)sizeof(struct wlk_opndcoll) + 4096 +
                WLK_OPNDCOLL_OPERANDS * MAX_UNITS * (int)sizeof(uint16_t) +
                MAX_INSTS * (int)(sizeof(oc_inst) + sizeof(uint64_t) + sizeof(uint16_t)),
};

/* ---- payloads: lanes side by side ---- */

// A payload in a record, and those of its array, which follow it.
typedef struct lanes {
    uint32_t first, words; // of the record
    uint32_t step, width;  // bits from one lane to the next, and of a lane
} lanes;

static lanes lanes_of(const wlk_payload *first, uint32_t width) {
    return (lanes){first->word, first->words, wlk_lane_step(width), width};
}

static uint64_t lane_get(const lanes *l, const uint64_t *record, uint32_t element, uint32_t lane) {
    const uint32_t bit = lane * l->step;
    return record[l->first + element * l->words + bit / 64u] >> bit % 64u & wlk_mask(l->width);
}

static uint64_t *lane_word(const lanes *l, uint64_t *record, uint32_t element, uint32_t lane) {
    return record + l->first + element * l->words + lane * l->step / 64u;
}

// Into words that are 0 there.
static void lane_put(const lanes *l, uint64_t *record, uint32_t element, uint32_t lane,
                     uint64_t value) {
    *lane_word(l, record, element, lane) |= value << lane * l->step % 64u;
}

static void lane_clear(const lanes *l, uint64_t *record, uint32_t element, uint32_t lane) {
    *lane_word(l, record, element, lane) &= ~(wlk_mask(l->width) << lane * l->step % 64u);
}

/* ---- parts of the state ---- */

#define PART(type, name)                                                                           \
    static type *name##_part(const state_t *st) {                                                  \
        return (type *)(void *)((char *)(uintptr_t)st + st->at_##name);                            \
    }
PART(wlk_opndcoll, model)
PART(uint64_t, units)
PART(uint64_t, ex)
PART(uint64_t, file)
PART(uint8_t, units_known)
PART(uint8_t, ex_known)
PART(uint8_t, file_known)
PART(uint16_t, units_from)
PART(uint16_t, ex_from)
#undef PART

// Index of an operand slot of OC_EX, in units of operands.
static uint32_t ex_index(const cfg_t *cfg, uint32_t kind, uint32_t slot) {
    return (kind * cfg->ex_width + slot) * cfg->src_slots;
}

// The configuration of the model: the generic set alone, of all kinds there are (§3).
static void model_cfg(const cfg_t *cfg, wlk_opndcoll_cfg *m) {
    static const uint32_t v40_id[] = {0, 1, 2, 3, 4, 11}, v40_ex[] = {5, 6, 7, 8, 9, 12};
    static const wlk_opndcoll_revision revisions[] = {
        [WLK_OPNDCOLL_RTL_REVISION_V40] = WLK_OPNDCOLL_V40,
        [WLK_OPNDCOLL_RTL_REVISION_V32] = WLK_OPNDCOLL_V32,
        [WLK_OPNDCOLL_RTL_REVISION_V42] = WLK_OPNDCOLL_V42,
    };
    const bool is_v32 = cfg->revision == WLK_OPNDCOLL_RTL_REVISION_V32;
    const uint32_t n = cfg->num_kinds;
    memset(m, 0, sizeof *m);
    m->revision = revisions[cfg->revision];
    m->num_reg_banks = cfg->num_reg_banks;
    m->num_sched_per_core = cfg->num_sched_per_core;
    m->sub_core_model = cfg->sub_core_model;
    m->pass_full_sub_core = cfg->pass_full_sub_core;
    m->rotate_kinds = cfg->rotate_kinds;
    m->read_duplicates_once = cfg->read_duplicates_once;
    m->reg_file_port_throughput = 1;
    m->mem_unit_ports = 1;
    m->shmem_warp_parts = 1;
    m->operand_collector_num_units_gen = cfg->num_units;
    m->operand_collector_num_in_ports_gen = cfg->in_ports;
    m->operand_collector_num_out_ports_gen = cfg->out_ports;
    m->tensor_core_avail = n > WLK_OPNDCOLL_TENSOR;
    m->num_dp_units = n > WLK_OPNDCOLL_DP;
    m->num_int_units = n > WLK_OPNDCOLL_INT;
    m->shader_core_pipeline[0] = 1024;
    m->shader_core_pipeline[1] = 32;
    for (uint32_t i = 0; i < 6; i++) {
        m->pipeline_widths[is_v32 ? i % 3u : v40_id[i]] = cfg->id_width;
        m->pipeline_widths[is_v32 ? 3u + i % 3u : v40_ex[i]] = cfg->ex_width;
    }
    for (uint32_t i = 0; i + WLK_OPNDCOLL_SPEC1 < n; i++) {
        m->specialized_unit[i].enabled = 1;
        m->specialized_unit[i].id_width = cfg->id_width;
        m->specialized_unit[i].ex_width = cfg->ex_width;
    }
}

/* ---- a clock ---- */

typedef struct cycle_t {
    const uint64_t *in;
    lanes src, dst, value; // payloads of the inputs
    uint32_t reset;
    uint32_t success;                  // write-backs
    uint32_t accepted[MAX_WB];         // their destinations
    bool skipped;                      // one after a refused one could have been written
    uint32_t shown_slot[OC_KINDS];     // of OC_EX
    wlk_opndcoll_held shown[OC_KINDS]; // what it holds
    uint32_t by_slot;                  // kinds for which the inputs name that slot
    uint32_t take_valid, ready, fired; // kinds; issue ports
    uint32_t room;                     // issue ports: there was one after the step
    int32_t issued_slot[MAX_SCHEDS];   // of ID_OC, of those that fired
    uint64_t busy;                     // units
    uint32_t pri;
    wlk_opndcoll_event event[OC_BLOCK_EVENTS]; // of the step
    uint32_t n_events;
} cycle_t;

// What a control field has for a port or a call.
#define ELEMENT(name, field, step, mask)                                                           \
    static uint32_t name(const cycle_t *c, uint32_t index) {                                       \
        return (uint32_t)(GET(field, c->in) >> index * (step)) & (mask);                           \
    }
ELEMENT(issue_kind, issue_bits_kind, KIND_STEP, 7u)
ELEMENT(issue_sched, issue_bits_sched, SCHED_STEP, 7u)
ELEMENT(issue_wid, issue_bits_wid, WARP_STEP, 63u)
ELEMENT(issue_enable, issue_bits_enable, MAX_SLOTS, 0xffu)
ELEMENT(take_slot, take_slot, EX_STEP, 7u)
ELEMENT(wb_wid, wb_bits_wid, WARP_STEP, 63u)
ELEMENT(wb_sched, wb_bits_sched, SCHED_STEP, 7u)
ELEMENT(wb_enable, wb_bits_enable, MAX_DST, 15u)
#undef ELEMENT

static uint32_t wb_reg(const cycle_t *c, uint32_t call, uint32_t slot) {
    return (uint32_t)lane_get(&c->dst, c->in, call, slot);
}

static void find_inputs(const cfg_t *cfg, const state_t *st, const uint64_t *in, cycle_t *c) {
    const wlk_payload *issue = st->layout.in_payload, *wb = issue + cfg->num_sched_per_core;
    c->in = in;
    c->src = lanes_of(issue, wlk_clog2(cfg->num_regs));
    c->dst = lanes_of(wb, wlk_clog2(cfg->num_regs));
    c->value = lanes_of(wb + cfg->num_wb, cfg->data_bits);
    c->reset = GET(reset, in);
}

// The lowest n members of a set.
static uint32_t lowest_of(uint32_t set, uint32_t n) {
    uint32_t some = 0;
    for (; n != 0 && set != 0; n--) {
        some |= set & (0u - set);
        set &= set - 1u;
    }
    return some;
}

// Coverage: is the bank of one of these destinations free?
static bool any_free(const wlk_opndcoll *s, uint32_t call, uint32_t slots, const cycle_t *c) {
    for (; slots != 0; slots &= slots - 1u) {
        const uint32_t reg = wb_reg(c, call, oc_lowest(slots));
        if (!wlk_opndcoll_written(s,
                                  wlk_opndcoll_bank(s, reg, wb_wid(c, call), wb_sched(c, call)))) {
            return true;
        }
    }
    return false;
}

// §7. Slots are tried in order, so the accepted ones are the first of those that are enabled.
static void write_back(const cfg_t *cfg, wlk_opndcoll *s, uint32_t call, cycle_t *c) {
    wlk_opndcoll_event written[MAX_DST];
    wlk_opndcoll_events events = {written, MAX_DST, 0};
    int32_t dst[MAX_DST];
    const uint32_t enable = wb_enable(c, call);
    for (uint32_t d = 0; d < cfg->dst_slots; d++) {
        dst[d] = (enable >> d & 1u) != 0 ? (int32_t)wb_reg(c, call, d) : -1;
    }
    const int32_t answer = wlk_opndcoll_writeback(s, dst, cfg->dst_slots, wb_wid(c, call),
                                                  wb_sched(c, call), UINT32_MAX, &events);
    c->accepted[call] = lowest_of(enable, events.count - (answer == 0 ? 1u : 0u));
    c->success |= (uint32_t)(answer == 1) << call;
    if (answer == 0) {
        const uint32_t left = enable & ~c->accepted[call], behind = left & (left - 1u);
        c->skipped = c->skipped || any_free(s, call, behind, c);
    }
}

// §5, §12.2. The oldest of each kind shows, or what is in the slot that is named; where it is taken
// it goes.
static void take(const cfg_t *cfg, wlk_opndcoll *s, cycle_t *c) {
    const uint32_t wanted = GET(take_ready, c->in);
    c->by_slot = s->by_slot != 0 ? GET(take_by_slot, c->in) : 0u;
    for (uint32_t kind = 0; kind < cfg->num_kinds; kind++) {
        const oc_slots *ex = &s->ex[kind];
        if (ex->occupied == 0) {
            continue;
        }
        const bool is_named = (c->by_slot >> kind & 1u) != 0;
        const uint32_t slot = is_named ? take_slot(c, kind) : wlk_opndcoll_oldest_slot(s, ex);
        if (!wlk_opndcoll_ex_slot(s, kind, slot, &c->shown[kind])) {
            continue;
        }
        c->shown_slot[kind] = slot;
        c->take_valid |= 1u << kind;
        if ((wanted >> kind & 1u) != 0) {
            (void)wlk_opndcoll_take_slot(s, kind, slot, NULL);
        }
    }
}

// A kind that does not exist, and in the sub-core model such a scheduler, finds no room.
static bool has_room(const cfg_t *cfg, const wlk_opndcoll *s, uint32_t kind, uint32_t sched) {
    const uint64_t empty = kind < cfg->num_kinds ? wlk_opndcoll_id_free(s, kind) : 0u;
    return cfg->sub_core_model != 0 ? (empty >> sched & 1u) != 0 : empty != 0;
}

// How the slots of an instruction share registers, see oc_source().
static uint64_t sources_of(const int32_t *src, uint32_t n) {
    uint64_t sources = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t first = 0;
        while (src[first] != src[k]) {
            first++;
        }
        sources |= (uint64_t)(src[k] >= 0 ? OC_SOURCE | first : 0u) << k * OC_SOURCE_BITS;
    }
    return sources;
}

static void issue(const cfg_t *cfg, wlk_opndcoll *s, uint32_t port, uint32_t uid, cycle_t *c) {
    int32_t src[MAX_SLOTS];
    const uint32_t enable = issue_enable(c, port);
    for (uint32_t k = 0; k < cfg->src_slots; k++) {
        src[k] = (enable >> k & 1u) != 0 ? (int32_t)lane_get(&c->src, c->in, port, k) : -1;
    }
    const wlk_opndcoll_inst inst = {
        .user = sources_of(src, cfg->src_slots),
        .uid = uid,
        .wid = issue_wid(c, port),
        .sched = issue_sched(c, port),
        .n_src = cfg->src_slots,
        .src = src,
    };
    c->issued_slot[port] = wlk_opndcoll_issue(s, issue_kind(c, port), &inst);
}

// Ports issue in their order; ready does not look at valid.
static void issue_all(const cfg_t *cfg, wlk_opndcoll *s, uint32_t uid, cycle_t *c) {
    const uint32_t valid = GET(issue_valid, c->in);
    for (uint32_t port = 0; port < cfg->num_sched_per_core; port++) {
        c->room |= (uint32_t)has_room(cfg, s, issue_kind(c, port), issue_sched(c, port)) << port;
    }
    for (uint32_t port = 0; port < cfg->num_sched_per_core; port++) {
        const uint32_t bit = 1u << port;
        if (!has_room(cfg, s, issue_kind(c, port), issue_sched(c, port))) {
            continue;
        }
        c->ready |= bit;
        if ((valid & bit) != 0) {
            c->fired |= bit;
            issue(cfg, s, port, ++uid, c);
        }
    }
}

// One clock on a model, which it changes. @p before, when not NULL, learns what stood before.
static void compute(const cfg_t *cfg, const state_t *st, wlk_opndcoll *s, const uint64_t *in,
                    cycle_t *c, oc_before *before) {
    const uint32_t calls = GET(wb_valid, in);
    find_inputs(cfg, st, in, c);
    c->skipped = false;
    c->success = c->take_valid = c->ready = c->fired = c->room = 0;
    c->busy = ~s->idle[0] & wlk_mask(cfg->num_units);
    c->pri = s->pri;
    for (uint32_t call = 0; call < cfg->num_wb; call++) {
        c->accepted[call] = 0;
        if ((calls >> call & 1u) != 0) {
            write_back(cfg, s, call, c);
        }
    }
    if (before != NULL) {
        wlk_opndcoll_look_sets(s, cfg->num_kinds, before);
    }
    take(cfg, s, c);
    if (before != NULL) {
        wlk_opndcoll_look(s, cfg->num_kinds, before);
    }
    wlk_opndcoll_events events = {c->event, OC_BLOCK_EVENTS, 0};
    wlk_opndcoll_step(s, &events);
    c->n_events = events.count;
    if (before != NULL) {
        wlk_opndcoll_look_behind(s, cfg->num_kinds, before);
    }
    issue_all(cfg, s, st->uid, c);
}

/* ---- outputs ---- */

// Payloads of the outputs, in their order.
typedef struct places {
    lanes data, grant_unit, grant_slot, alloc_kind, alloc_unit, alloc_port;
    lanes dispatch_unit, dispatch_kind, dispatch_slot;
} places;

static places places_of(const cfg_t *cfg, const state_t *st) {
    const uint32_t unit = wlk_idw(cfg->num_units), kind = wlk_idw(cfg->num_kinds);
    const wlk_payload *take = st->layout.out_payload, *step = take + cfg->num_kinds;
    return (places){
        .data = lanes_of(take, cfg->data_bits),
        .grant_unit = lanes_of(&step[0], unit),
        .grant_slot = lanes_of(&step[1], wlk_idw(cfg->src_slots)),
        .alloc_kind = lanes_of(&step[2], kind),
        .alloc_unit = lanes_of(&step[3], unit),
        .alloc_port = lanes_of(&step[4], wlk_idw(cfg->in_ports)),
        .dispatch_unit = lanes_of(&step[5], unit),
        .dispatch_kind = lanes_of(&step[6], kind),
        .dispatch_slot = lanes_of(&step[7], wlk_idw(cfg->ex_width)),
    };
}

static void put_take(const cfg_t *cfg, const state_t *st, const places *p, const cycle_t *c,
                     uint64_t *out) {
    PUT(take_valid, out, c->take_valid);
    for (uint32_t left = c->take_valid; left != 0; left &= left - 1u) {
        const uint32_t kind = oc_lowest(left);
        const wlk_opndcoll_held *held = &c->shown[kind];
        PUT(take_bits_uid, wlk_opndcoll_rtl_out_element_mut(out, kind), held->uid);
        PUT(take_bits_wid, out, (uint64_t)held->wid << kind * WARP_STEP);
        PUT(take_bits_sched, out, (uint64_t)held->sched << kind * SCHED_STEP);
        for (uint32_t k = 0; cfg->data != 0 && k < cfg->src_slots; k++) {
            const uint32_t at = ex_index(cfg, kind, c->shown_slot[kind]) + k;
            lane_put(&p->data, out, kind, k, ex_part(st)[at]);
        }
    }
}

// V42 shows by unit what is allocated, as a port may move several instructions.
static void put_alloc(const cfg_t *cfg, const places *p, const wlk_opndcoll_event *e,
                      uint64_t *out) {
    const bool by_unit = cfg->revision == WLK_OPNDCOLL_RTL_REVISION_V42;
    const uint32_t lane = by_unit ? e->unit : e->at;
    PUT(alloc_valid, out, oc_bit(lane));
    lane_put(&p->alloc_kind, out, 0, lane, e->kind);
    lane_put(by_unit ? &p->alloc_port : &p->alloc_unit, out, 0, lane, by_unit ? e->at : e->unit);
}

// What the step did.
static void put_step(const cfg_t *cfg, const places *p, const cycle_t *c, uint64_t *out) {
    for (uint32_t i = 0; i < c->n_events; i++) {
        const wlk_opndcoll_event *e = &c->event[i];
        if (e->what == WLK_OPNDCOLL_GRANT) {
            PUT(grant_valid, out, oc_bit(e->at));
            lane_put(&p->grant_unit, out, 0, e->at, e->unit);
            lane_put(&p->grant_slot, out, 0, e->at, e->slot);
        } else if (e->what == WLK_OPNDCOLL_ALLOCATE) {
            put_alloc(cfg, p, e, out);
        } else {
            PUT(dispatch_valid, out, oc_bit(e->at));
            lane_put(&p->dispatch_unit, out, 0, e->at, e->unit);
            lane_put(&p->dispatch_kind, out, 0, e->at, e->kind);
            lane_put(&p->dispatch_slot, out, 0, e->at, e->slot);
        }
    }
}

// Unknown operands show as they are stored, which is 0.
static void outputs(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out) {
    const places p = places_of(cfg, st);
    memset(out, 0, wlk_opndcoll_rtl_out_words(cfg) * sizeof *out);
    PUT(issue_ready, out, c->ready);
    PUT(wb_success, out, c->success);
    for (uint32_t call = 0; call < cfg->num_wb; call++) {
        PUT(wb_accepted, out, (uint64_t)c->accepted[call] << call * MAX_DST);
    }
    PUT(busy, out, c->busy);
    if (cfg->revision == WLK_OPNDCOLL_RTL_REVISION_V32) {
        PUT(pri, out, c->pri);
    }
    put_take(cfg, st, &p, c, out);
    put_step(cfg, &p, c, out);
}

// Are all operands that show known?
static bool known(const cfg_t *cfg, const state_t *st, const cycle_t *c) {
    uint32_t all = st->reset_seen;
    for (uint32_t left = cfg->data != 0 ? c->take_valid : 0u; left != 0; left &= left - 1u) {
        const uint32_t kind = oc_lowest(left);
        const uint8_t *is_known = ex_known_part(st) + ex_index(cfg, kind, c->shown_slot[kind]);
        for (uint32_t k = 0; k < cfg->src_slots; k++) {
            all &= is_known[k];
        }
    }
    return all != 0;
}

// Before the first reset only what inputs alone decide is known: a bank's write mark never outlives
// its clock (§6.4).
static void narrow_all(const cfg_t *cfg, uint64_t *care) {
    uint64_t known_bits[MAX_OUT] = {0};
    PUT(wb_success, known_bits, wlk_mask(cfg->num_wb));
    PUT(wb_accepted, known_bits, wlk_mask(MAX_WB * MAX_DST));
    for (uint32_t w = 0; w < wlk_opndcoll_rtl_out_words(cfg); w++) {
        care[w] &= known_bits[w];
    }
}

// How much is known from a start without the reset.
enum {
    LATE_NONE,     // there was no such start
    LATE_UNKNOWN,  // nothing but registers
    LATE_FOLLOWED, // it was empty since, or reset: the model has what came in
};

// Does the model stand for the state?
static bool is_live(const state_t *st) {
    return st->reset_seen != 0 || st->late.stage == LATE_FOLLOWED;
}

static void hide(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *care);

static void cares(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *care) {
    const lanes data = lanes_of(st->layout.out_payload, cfg->data_bits);
    wlk_opndcoll_rtl_out_mask(cfg, care);
    if (!is_live(st)) {
        narrow_all(cfg, care);
    }
    for (uint32_t left = cfg->data != 0 ? c->take_valid : 0u; left != 0; left &= left - 1u) {
        const uint32_t kind = oc_lowest(left);
        const uint8_t *is_known = ex_known_part(st) + ex_index(cfg, kind, c->shown_slot[kind]);
        for (uint32_t k = 0; k < cfg->src_slots; k++) {
            if (is_known[k] == 0) {
                lane_clear(&data, care, kind, k);
            }
        }
    }
    if (st->late.stage != LATE_NONE) {
        hide(cfg, st, c, care);
    }
}

static void fill(const cfg_t *cfg, const state_t *st, const cycle_t *c, uint64_t *out,
                 uint64_t *care) {
    cares(cfg, st, c, care);
    outputs(cfg, st, c, out);
    for (uint32_t w = 0; w < wlk_opndcoll_rtl_out_words(cfg); w++) {
        out[w] &= care[w];
    }
}

/* ---- the edge ---- */

// A word, and whether it is known, from one place to another.
static void move_operands(uint64_t *to, uint8_t *to_known, const uint64_t *from,
                          const uint8_t *from_known, uint32_t n) {
    memcpy(to, from, n * sizeof *to);
    memcpy(to_known, from_known, n);
}

// A register that is read once goes to every slot that names it (§12.2).
static uint32_t slots_served(const cfg_t *cfg, const wlk_opndcoll_event *e) {
    uint32_t slots = 1u << e->slot;
    for (uint32_t k = 0; oc_reads_once(cfg) && k < cfg->src_slots; k++) {
        slots |= (uint32_t)(oc_source(e->user, k) == oc_source(e->user, e->slot)) << k;
    }
    return slots;
}

static void read_operand(const cfg_t *cfg, state_t *st, const wlk_opndcoll_event *e) {
    const uint32_t reg = e->wid * cfg->num_regs + e->reg;
    for (uint32_t left = slots_served(cfg, e); left != 0; left &= left - 1u) {
        const uint32_t to = e->unit * cfg->src_slots + oc_lowest(left);
        if (e->wid < cfg->num_warps) {
            move_operands(units_part(st) + to, units_known_part(st) + to, file_part(st) + reg,
                          file_known_part(st) + reg, 1);
        }
    }
}

// Operands follow the step's events, in their order.
static void follow(const cfg_t *cfg, state_t *st, const cycle_t *c) {
    const uint32_t n = cfg->src_slots;
    for (uint32_t i = 0; i < c->n_events; i++) {
        const wlk_opndcoll_event *e = &c->event[i];
        const uint32_t unit = e->unit * n;
        if (e->what == WLK_OPNDCOLL_GRANT) {
            read_operand(cfg, st, e);
        } else if (e->what == WLK_OPNDCOLL_DISPATCH) {
            const uint32_t ex = ex_index(cfg, e->kind, e->slot);
            move_operands(ex_part(st) + ex, ex_known_part(st) + ex, units_part(st) + unit,
                          units_known_part(st) + unit, n);
        } else { // slots without a source stay 0
            memset(units_part(st) + unit, 0, n * sizeof(uint64_t));
            memset(units_known_part(st) + unit, 1, n);
        }
    }
}

// V32 stores nothing of a call that fails (§12.1).
static void store(const cfg_t *cfg, state_t *st, uint32_t call, const cycle_t *c) {
    const bool is_v32 = cfg->revision == WLK_OPNDCOLL_RTL_REVISION_V32;
    const uint32_t wid = wb_wid(c, call);
    const bool stores = wid < cfg->num_warps && (!is_v32 || (c->success >> call & 1u) != 0);
    st->stored[call] = (uint8_t)(stores ? c->accepted[call] : 0u);
    for (uint32_t left = st->stored[call]; left != 0; left &= left - 1u) {
        const uint32_t slot = oc_lowest(left);
        const uint32_t reg = wid * cfg->num_regs + wb_reg(c, call, slot);
        file_part(st)[reg] = lane_get(&c->value, c->in, call, slot);
        file_known_part(st)[reg] = 1;
    }
}

static void reset_model(const cfg_t *cfg, state_t *st) {
    wlk_opndcoll_cfg m;
    model_cfg(cfg, &m);
    (void)wlk_opndcoll_init(&m, model_part(st));
    st->uid = 0;
}

// After compute() on the state's own model. No reset reaches the register file.
static void commit(const cfg_t *cfg, state_t *st, const cycle_t *c) {
    if (cfg->data != 0) {
        follow(cfg, st, c);
        for (uint32_t call = 0; call < cfg->num_wb; call++) {
            store(cfg, st, call, c);
        }
    }
    st->uid += (uint32_t)__builtin_popcount(c->fired);
    if (c->reset != 0) {
        reset_model(cfg, st);
        st->reset_seen = 1;
    }
}

/* ---- rules ---- */

// Rules that issues and write-backs share: the warp and the scheduler that the inputs name.
static uint32_t origin_violations(const cfg_t *cfg, uint32_t wid, uint32_t sched,
                                  uint32_t warp_rule, uint32_t sched_rule) {
    const uint32_t scheds = cfg->num_sched_per_core, sub_core = cfg->sub_core_model;
    return (wid >= cfg->num_warps) * warp_rule | (sub_core & (sched >= scheds)) * sched_rule |
           (sub_core & cfg->data & (sched != wid % scheds)) *
               (uint32_t)WLK_OPNDCOLL_RTL_REGISTER_IN_TWO_BANKS;
}

static uint32_t issue_violations(const cfg_t *cfg, const cycle_t *c) {
    uint32_t broken = 0;
    for (uint32_t left = GET(issue_valid, c->in); left != 0; left &= left - 1u) {
        const uint32_t port = oc_lowest(left);
        broken |= origin_violations(cfg, issue_wid(c, port), issue_sched(c, port),
                                    WLK_OPNDCOLL_RTL_ISSUE_WARP_OUT_OF_RANGE,
                                    WLK_OPNDCOLL_RTL_ISSUE_SCHED_OUT_OF_RANGE) |
                  (issue_kind(c, port) >= cfg->num_kinds) *
                      (uint32_t)WLK_OPNDCOLL_RTL_ISSUE_KIND_OUT_OF_RANGE;
    }
    return broken;
}

static uint32_t wb_violations(const cfg_t *cfg, const cycle_t *c) {
    uint32_t broken = 0;
    for (uint32_t left = GET(wb_valid, c->in); left != 0; left &= left - 1u) {
        const uint32_t call = oc_lowest(left);
        broken |= origin_violations(cfg, wb_wid(c, call), wb_sched(c, call),
                                    WLK_OPNDCOLL_RTL_WB_WARP_OUT_OF_RANGE,
                                    WLK_OPNDCOLL_RTL_WB_SCHED_OUT_OF_RANGE);
    }
    return broken;
}

// In reset anything may be on the ports, but the register file stores all the same.
static uint32_t violations(const cfg_t *cfg, const state_t *st, const cycle_t *c) {
    if (!is_live(st)) {
        return 0;
    }
    const bool stores = c->reset == 0 || cfg->data != 0;
    return (c->reset == 0 ? issue_violations(cfg, c) : 0u) | (stores ? wb_violations(cfg, c) : 0u);
}

#include "cover.h"

static void init(const uint32_t *params, void *state, wlk_power_up power_up);
static void eval(const uint32_t *params, const void *state, const uint64_t *in, uint64_t *out,
                 uint64_t *care);
static bool drained(const uint32_t *params, const void *state);

#include "late.h"

/* ---- the block ---- */

static void eval(const uint32_t *params, const void *state, const uint64_t *in, uint64_t *out,
                 uint64_t *care) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    _Alignas(8) unsigned char scratch[MAX_MODEL];
    cycle_t c;
    memcpy(scratch, model_part(st), st->model_size);
    compute(cfg, st, (wlk_opndcoll *)(void *)scratch, in, &c, NULL);
    fill(cfg, st, &c, out, care);
}

// compute() and commit(); in between the outputs, when they are wanted.
static void run(const cfg_t *cfg, state_t *st, const uint64_t *in, uint64_t *out, uint64_t *care,
                wlk_step_info *info) {
    oc_before before;
    cycle_t c;
    if (st->late.stage != LATE_NONE) {
        run_late(cfg, st, in, out, care, info);
        return;
    }
    compute(cfg, st, model_part(st), in, &c, &before);
    info->events = events(cfg, st, &before, &c);
    info->violated = violations(cfg, st, &c);
    if (out != NULL) {
        fill(cfg, st, &c, out, care);
    }
    commit(cfg, st, &c);
}

static void tick(const uint32_t *params, void *state, const uint64_t *in, wlk_step_info *info) {
    run((const cfg_t *)params, (state_t *)state, in, NULL, NULL, info);
}

static void record(const uint32_t *params, void *state, const uint64_t *in, uint64_t *out,
                   uint64_t *care, wlk_step_info *info) {
    run((const cfg_t *)params, (state_t *)state, in, out, care, info);
}

// A view's inputs as a record.
static void gather(const wlk_layout *l, const wlk_view *view, uint64_t *in) {
    memcpy(in, view->control, l->in_control * sizeof *in);
    for (uint32_t i = 0; i < l->n_in_payloads; i++) {
        const wlk_payload *p = &l->in_payload[i];
        memcpy(in + p->word, view->payload[i], p->words * sizeof *in);
    }
}

// Does a view show these outputs?
static bool shows(const wlk_layout *l, const wlk_view *view, const uint64_t *out) {
    bool same = memcmp(out, view->control, l->out_control * sizeof *out) == 0;
    for (uint32_t i = 0; same && i < l->n_out_payloads; i++) {
        const wlk_payload *p = &l->out_payload[i];
        same = memcmp(out + p->word, view->payload[i], p->words * sizeof *out) == 0;
    }
    return same;
}

// The model is changed in place, and put back where the outputs differ.
static int step(const uint32_t *params, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    _Alignas(8) unsigned char saved[MAX_MODEL];
    uint64_t words[MAX_IN], out[MAX_OUT];
    cycle_t c;
    if (st->reset_seen == 0 || got->mask != NULL) {
        return 1;
    }
    gather(&st->layout, in, words);
    memcpy(saved, model_part(st), st->model_size);
    compute(cfg, st, model_part(st), words, &c, NULL);
    outputs(cfg, st, &c, out);
    if (!known(cfg, st, &c) || !shows(&st->layout, got, out)) {
        memcpy(model_part(st), saved, st->model_size);
        return 1;
    }
    info->violated = violations(cfg, st, &c);
    commit(cfg, st, &c);
    return 0;
}

static void forget(const uint32_t *params, void *state, const uint64_t *in, const uint64_t *x) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    cycle_t c;
    find_inputs(cfg, st, in, &c);
    for (uint32_t call = 0; cfg->data != 0 && call < cfg->num_wb; call++) {
        for (uint32_t left = st->stored[call]; left != 0; left &= left - 1u) {
            const uint32_t slot = oc_lowest(left);
            const uint32_t reg = wb_wid(&c, call) * cfg->num_regs + wb_reg(&c, call, slot);
            if (lane_get(&c.value, x, call, slot) != 0) {
                file_part(st)[reg] = 0;
                file_known_part(st)[reg] = 0;
            }
        }
    }
}

// Where the parts lie; bytes of all.
static uint32_t plan(const cfg_t *cfg, state_t *head) {
    wlk_opndcoll_cfg m;
    const uint32_t units = cfg->data * cfg->num_units * cfg->src_slots;
    const uint32_t ex = cfg->data * ex_index(cfg, cfg->num_kinds, 0);
    const uint32_t file = cfg->data * cfg->num_warps * cfg->num_regs;
    model_cfg(cfg, &m);
    memset(head, 0, sizeof *head);
    wlk_opndcoll_rtl_table.layout((const uint32_t *)cfg, &head->layout);
    head->model_size = (uint32_t)wlk_opndcoll_state_size(&m);
    head->at_model = (sizeof *head + 7u) / 8u * 8u;
    head->at_units = head->at_model + (head->model_size + 7u) / 8u * 8u;
    head->at_ex = head->at_units + units * 8u;
    head->at_file = head->at_ex + ex * 8u;
    head->at_units_known = head->at_file + file * 8u;
    head->at_ex_known = head->at_units_known + units;
    head->at_file_known = head->at_ex_known + ex;
    head->at_units_from = (head->at_file_known + file + 1u) / 2u * 2u;
    head->at_ex_from = head->at_units_from + units * 2u;
    return head->at_ex_from + ex * 2u;
}

static size_t state_size(const uint32_t *params) {
    state_t head;
    return plan((const cfg_t *)params, &head);
}

static void init(const uint32_t *params, void *state, wlk_power_up power_up) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state, head;
    const uint32_t size = plan(cfg, &head);
    memset(state, 0, size);
    *st = head;
    reset_model(cfg, st);
    if (power_up == WLK_POWER_ZERO) {
        st->reset_seen = 1;
        memset(units_known_part(st), 1, st->at_units_from - st->at_units_known);
    }
}

static void clear(const uint32_t *params, void *state) {
    const cfg_t *cfg = (const cfg_t *)params;
    state_t *st = (state_t *)state;
    reset_model(cfg, st);
    if (st->late.stage != LATE_NONE) {
        know_reset(st);
        return;
    }
    st->reset_seen = 1;
}

static bool drained(const uint32_t *params, const void *state) {
    const cfg_t *cfg = (const cfg_t *)params;
    const wlk_opndcoll *s = wlk_opndcoll_rtl_model((const state_t *)state);
    return s->waiting == 0 && oc_leaving(s) == 0 && s->idle[0] == wlk_mask(cfg->num_units);
}

// Instructions of a register set, as uid; other facts of it are in the events.
static void visit_set(const cfg_t *cfg, const state_t *st, uint32_t kind,
                      wlk_state_visitor *visitor, void *ctx) {
    const wlk_opndcoll *s = wlk_opndcoll_rtl_model(st);
    static const char *const ids[OC_KINDS] = {"ID_OC[0]", "ID_OC[1]", "ID_OC[2]", "ID_OC[3]",
                                              "ID_OC[4]", "ID_OC[5]", "ID_OC[6]", "ID_OC[7]"};
    static const char *const exs[OC_KINDS] = {"OC_EX[0]", "OC_EX[1]", "OC_EX[2]", "OC_EX[3]",
                                              "OC_EX[4]", "OC_EX[5]", "OC_EX[6]", "OC_EX[7]"};
    wlk_opndcoll_held held;
    for (uint32_t slot = 0; slot < cfg->id_width; slot++) {
        const uint64_t uid = wlk_opndcoll_id_slot(s, kind, slot, &held) ? held.uid : 0u;
        visitor(ctx, ids[kind], (int32_t)slot, &uid, 1u, is_live(st), WLK_DECIMAL);
    }
    for (uint32_t slot = 0; slot < cfg->ex_width; slot++) {
        const uint64_t uid = wlk_opndcoll_ex_slot(s, kind, slot, &held) ? held.uid : 0u;
        visitor(ctx, exs[kind], (int32_t)slot, &uid, 1u, is_live(st), WLK_DECIMAL);
    }
}

static void visit_units(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor,
                        void *ctx) {
    const wlk_opndcoll *s = wlk_opndcoll_rtl_model(st);
    for (uint32_t unit = 0; unit < cfg->num_units; unit++) {
        wlk_opndcoll_held held = {0};
        (void)wlk_opndcoll_unit(s, unit, &held);
        const flop flops[] = {{"unit uid", held.uid, is_live(st), WLK_DECIMAL},
                              {"unit pending", held.pending, is_live(st), WLK_HEX}};
        VISIT_FLOPS(flops, (int32_t)unit);
    }
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const cfg_t *cfg = (const cfg_t *)params;
    const state_t *st = (const state_t *)state;
    const wlk_opndcoll *s = wlk_opndcoll_rtl_model(st);
    const flop flops[] = {{"uid", st->uid, knows_uid(st), WLK_DECIMAL},
                          {"pri", s->pri, knows_pointer(cfg, st, PRI), WLK_DECIMAL}};
    VISIT_FLOPS(flops, -1);
    for (uint32_t kind = 0; kind < cfg->num_kinds; kind++) {
        visit_set(cfg, st, kind, visitor, ctx);
    }
    visit_units(cfg, st, visitor, ctx);
    for (uint32_t bank = 0; bank < cfg->num_reg_banks; bank++) {
        const uint64_t length = wlk_opndcoll_queue(s, bank, NULL, 0);
        visitor(ctx, "queue length", (int32_t)bank, &length, 1u, is_live(st), WLK_DECIMAL);
    }
    for (uint32_t du = 0; du < cfg->out_ports; du++) {
        const uint64_t last = wlk_opndcoll_last(s, du);
        visitor(ctx, "last", (int32_t)du, &last, 1u, knows_pointer(cfg, st, LAST + du),
                WLK_DECIMAL);
    }
    for (uint32_t port = 0; cfg->rotate_kinds != 0 && port < cfg->in_ports; port++) {
        const uint64_t first = wlk_opndcoll_first_kind(s, port);
        visitor(ctx, "first kind", (int32_t)port, &first, 1u, knows_pointer(cfg, st, FIRST + port),
                WLK_DECIMAL);
    }
    for (uint32_t r = 0; cfg->data != 0 && r < cfg->num_warps * cfg->num_regs; r++) {
        visitor(ctx, "register", (int32_t)r, file_part(st) + r, 1u, file_known_part(st)[r],
                WLK_HEX);
    }
}

WLK_MODEL(.outcomes = outcomes, .assume = assume, .forget = forget, .drained = drained,
          .clear = clear, .visit = visit, .late = late, .learn = learn);
