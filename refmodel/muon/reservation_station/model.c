// SPDX-License-Identifier: Apache-2.0
// Muon's reservation station. Rules: README.md (muon-issue §5; its arbiter is §1). The stages have
// the same rules in muon/issue/reservation_station_rules.h.
#include "muon/sets.h"
#include "warplock/reservation_station.h"
#include "warplock/reservation_station_open.h"
#include "warplock/reservation_station_view.h"

#define MODEL      reservation_station
#define MODEL_CAPS RESERVATION_STATION

enum { ROWS = WLK_RESERVATION_STATION_ROWS };

// Values derived from inputs and state, once a cycle.
typedef struct cycle {
    bool has_room;
    uint32_t taken[OPERANDS], completed; // sets of rows that the response completes an operand of
    uint32_t ready_to_ask, asking;       // sets of rows, before and after §5.12
    uint32_t asks;                       // the row that shows on readReq
    uint8_t needs;                       // its set of operands
    uint32_t complete, candidates;       // sets of rows, before and after §5.12
    uint32_t choice;                     // a row
    bool dispatches, issues;
} cycle;

#define CYCLE cycle
#include "frame/structs.h"

static uint32_t set_of_rows(const cfg_t *cfg) {
    return (uint32_t)wlk_mask(cfg->rs_entries);
}

// §5.2
static uint32_t needed(const state_t *st, uint32_t operand) {
    return ~(st->opReady[operand] | st->busy[operand] | st->collFired[operand]);
}

#include "order.h"

// §5.5
static void find_taken(const state_t *st, const in_t *in, cycle *c) {
    const uint32_t enables =
        in->collector.readResp.valid ? IN_SET(collector_readResp_bits_regs_enable) : 0;
    c->completed = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t waiting = st->valid & st->collFired[i] & ~st->opReady[i];
        c->taken[i] = (enables >> i & 1u) != 0 ? waiting : 0;
        c->completed |= c->taken[i];
    }
}

// §5.3, §5.4
static void find_request(const cfg_t *cfg, const state_t *st, cycle *c) {
    uint32_t any = 0, all = ~UINT32_C(0), unasked = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        any |= needed(st, i);
        all &= needed(st, i) | st->opReady[i];
        unasked |= ~(st->opReady[i] | st->collFired[i]);
    }
    c->ready_to_ask = st->valid & any & (cfg->allow_partial_collect != 0 ? any : all);
    c->asking = in_order(cfg, st, c->ready_to_ask, st->valid & unasked);
    c->asks = c->asking != 0 ? (uint32_t)__builtin_ctz(c->asking) : (cfg->rs_entries - 1u) % ROWS;
    c->needs = operands_with(c->asks, needed(st, 0), needed(st, 1), needed(st, 2));
}

// §5.7, §5.8
static void find_dispatch(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    c->complete = st->valid;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        c->complete &= st->opReady[i] | (cfg->forward_coll_issue != 0 ? c->taken[i] : 0);
    }
    c->candidates = in_order(cfg, st, c->complete, st->valid);
    c->choice = round_robin(c->candidates, st->last, 0);
    c->issues = st->stage.full & in->issue.ready;
    c->dispatches = (c->candidates != 0) & (c->issues | !st->stage.full);
}

static void see(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    c->has_room = st->valid != set_of_rows(cfg); // §5.1
    find_taken(st, in, c);
    find_request(cfg, st, c);
    find_dispatch(cfg, st, in, c);
}

// §5.4
static void request(const cfg_t *cfg, const state_t *st, const cycle *c, out_t *out, care_t *care) {
    const uint64_t *entry = st->entry[c->asks];
    SHOW(collector.readReq.valid, c->asking != 0);
    SHOW_SET(collector_readReq_bits_regs_enable, c->asking != 0 ? c->needs : 0);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const bool needs = (c->needs >> i & 1u) != 0;
        SHOW(collector.readReq.bits.regs[i].pReg, needs ? wlk_entry_rs(entry, i) : 0);
    }
    SHOW(collector.readReq.bits.rsEntryId, c->asks);
    if (cfg->debug != 0) {
        SHOW(collector.readReq.bits.pc, wlk_entry_get_pc(entry));
    }
}

// §5.5, §5.6; of several rows that take one operand the highest shows.
static void collected(const state_t *st, const in_t *in, const cycle *c, out_t *out, care_t *care) {
    SHOW(scb.updateColl.enable,
         in->collector.readResp.valid & (IN_SET(collector_readResp_bits_regs_enable) != 0));
    SHOW(scb.updateColl.write.pReg, 0);
    SHOW(scb.updateColl.write.incr, 0);
    SHOW(scb.updateColl.write.decr, 0);
    SHOW_SET(scb_updateColl_reads_incr, 0);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t row = 31u - (uint32_t)__builtin_clz(c->taken[i] | 1u);
        const uint32_t preg = c->taken[i] != 0 ? wlk_entry_rs(st->entry[row], i) : 0;
        SHOW(scb.updateColl.reads[i].pReg, preg);
        SHOW(scb.updateColl.reads[i].decr, preg != 0);
    }
}

// §5.11
static void written(const in_t *in, out_t *out, care_t *care) {
    SHOW(scb.updateWB.enable, in->writeback.valid);
    SHOW(scb.updateWB.write.pReg, in->writeback.valid ? in->writeback.bits.rd : 0);
    SHOW(scb.updateWB.write.incr, 0);
    SHOW(scb.updateWB.write.decr, in->writeback.valid);
    SHOW_SET(scb_updateWB_reads_incr, 0);
    SHOW_SET(scb_updateWB_reads_decr, 0);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        SHOW(scb.updateWB.reads[i].pReg, 0);
    }
}

// §5.13
static void counters(const cfg_t *cfg, const state_t *st, out_t *out, care_t *care) {
    SHOW(perf.cyclesDispatched, st->perf.cyclesDispatched);
    SHOW(perf.cyclesEligible, st->perf.cyclesEligible);
    SHOW(perf.accRsOccupancy, st->perf.accRsOccupancy);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        SHOW(perf.perWarp[w].cyclesDispatched, st->perf.perWarp.cyclesDispatched[w]);
        SHOW(perf.perWarp[w].cyclesEligible, st->perf.perWarp.cyclesEligible[w]);
        SHOW(perf.perWarp[w].stallsRSFull, st->perf.perWarp.stallsRSFull[w]);
    }
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c, out_t *out,
                    care_t *care) {
    const uint32_t has_rs = wlk_entry_has_rs(st->stage.entry);
    SHOW(admit.ready, c->has_room); // §5.1
    request(cfg, st, c, out, care);
    collected(st, in, c, out, care);
    written(in, out, care);
    SHOW(issue.valid, st->stage.full); // §5.9
    SHOW_WORDS(issue.bits, st->stage.entry);
    SHOW(collector.readData.req.valid, c->issues & st->stage.collected); // §5.10
    SHOW(collector.readData.req.bits.collEntry, st->stage.collEntry);
    SHOW_SET(collector_readData_req_bits_regs_enable, c->issues ? has_rs : 0);
    counters(cfg, st, out, care);
}

static void clear_counters(state_t *st) {
    const wlk_reservation_station_perf zeros = {0};
    st->perf = zeros;
}

// What the output stage holds, and `last`, no reset reaches.
static void clear(const cfg_t *cfg, state_t *st) {
    const state_t before = *st, zeros = {0};
    (void)cfg;
    *st = zeros;
    st->last = before.last;
    st->stage = before.stage;
    st->stage.full = false;
}

// §5.13
static void count_all(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    const uint32_t warp = wlk_entry_get_wid(in->admit.bits.ibufEntry);
    uint32_t with_row = 0, with_candidate = 0; // sets of warps
    for (uint32_t row = 0; row < cfg->rs_entries; row++) {
        const uint32_t of_row = wlk_entry_get_wid(st->entry[row]);
        with_row |= (st->valid >> row & 1u) << of_row;
        with_candidate |= (c->candidates >> row & 1u) << of_row;
    }
    st->perf.cyclesDispatched += st->valid != 0;
    st->perf.cyclesEligible += c->candidates != 0;
    st->perf.accRsOccupancy += (uint32_t)__builtin_popcount(st->valid);
    count_warps(st->perf.perWarp.cyclesDispatched, cfg->num_warps, with_row);
    count_warps(st->perf.perWarp.cyclesEligible, cfg->num_warps, with_candidate);
    count_warps(st->perf.perWarp.stallsRSFull, cfg->num_warps,
                (uint32_t)(in->admit.valid & !c->has_room) << warp);
}

// §5.11: rows of which the write-back wakes an operand.
static uint32_t woken(const cfg_t *cfg, const state_t *st, const in_t *in, uint32_t operand) {
    const uint32_t rd = in->writeback.valid ? in->writeback.bits.rd : 0;
    const uint32_t waiting = st->valid & st->busy[operand];
    uint32_t set = 0;
    if (rd == 0 || waiting == 0) {
        return 0;
    }
    for (uint32_t row = 0; row < cfg->rs_entries; row++) {
        const uint32_t has = wlk_entry_has_rs(st->entry[row]) >> operand & 1u;
        set |= (has & (wlk_entry_rs(st->entry[row], operand) == rd)) << row;
    }
    return set & waiting;
}

// §5.8: the chosen row leaves, with the collector's entry that it has after this cycle.
static void dispatch(state_t *st, const cycle *c) {
    const uint32_t row = c->choice;
    for (uint32_t word = 0; word < WLK_ENTRY_WORDS; word++) {
        st->stage.entry[word] = st->entry[row][word];
    }
    st->stage.collected =
        operands_with(row, st->collFired[0], st->collFired[1], st->collFired[2]) != 0;
    st->stage.collEntry = st->collPtr[row];
    st->last = (uint8_t)row; // §1
    st->valid &= ~(UINT32_C(1) << row);
}

// §5.1, §5.12
static void admit(const cfg_t *cfg, state_t *st, const in_t *in, uint32_t row) {
    const uint64_t *entry = in->admit.bits.ibufEntry;
    const uint32_t warp = wlk_entry_get_wid(entry);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        st->opReady[i] = with(st->opReady[i], row, IN_SET(admit_bits_valid) >> i & 1u);
        st->busy[i] = with(st->busy[i], row, IN_SET(admit_bits_busy) >> i & 1u);
        st->collFired[i] = with(st->collFired[i], row, 0);
    }
    for (uint32_t word = 0; word < WLK_ENTRY_WORDS; word++) {
        st->entry[row][word] = entry[word];
    }
    st->collPtr[row] = 0;
    st->valid |= UINT32_C(1) << row;
    st->sequence[row] = warp < cfg->num_warps ? st->nextSequence[warp] : 0;
    st->nextSequence[warp]++;
}

static void edge(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    const bool asks = (c->asking != 0) & in->collector.readReq.ready;
    const uint32_t free_rows = ~st->valid & set_of_rows(cfg); // before the edge
    count_all(cfg, st, in, c);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        st->busy[i] &= ~woken(cfg, st, in, i);
    }
    for (uint32_t row = 0; row < cfg->rs_entries; row++) { // §5.5
        const bool completes = (c->completed >> row & 1u) != 0;
        st->collPtr[row] = completes ? in->collector.readResp.bits.collEntry : st->collPtr[row];
    }
    st->stage.full = c->dispatches | (st->stage.full & !c->issues);
    if (c->dispatches) {
        dispatch(st, c);
    }
    for (uint32_t i = 0; i < OPERANDS; i++) {
        st->opReady[i] |= c->taken[i];
        st->collFired[i] |= (uint32_t)(asks & (c->needs >> i & 1u)) << c->asks; // §5.4
    }
    if (in->admit.valid & c->has_room) {
        admit(cfg, st, in, (uint32_t)__builtin_ctz(free_rows));
    }
    if (in->softReset) {
        clear_counters(st);
    }
}

// An operand that is ready waits for no write-back, so that the RTL's assertion on rows holds.
static uint32_t broken(const cfg_t *cfg, const state_t *st, const in_t *in) {
    const bool both = (IN_SET(admit_bits_valid) & IN_SET(admit_bits_busy)) != 0;
    (void)cfg;
    (void)st;
    return !in->reset && in->admit.valid && both
               ? (uint32_t)WLK_RESERVATION_STATION_COLLECTED_OPERAND_BUSY
               : 0;
}

static bool drained(const cfg_t *cfg, const state_t *st) {
    (void)cfg;
    return st->valid == 0 && !st->stage.full;
}

#include "cover.h"
#include "sight.h"

WLK_STRUCTS_MODEL(.broken = broken, .events = events, .drained = drained, .show = show,
                  .learn = learn, .learn_by_next = learn_by_next, .follow = follow,
                  .unknown_start = true);
