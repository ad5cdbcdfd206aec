// SPDX-License-Identifier: Apache-2.0
// Muon's reservation station. Rules: README.md (muon-issue §5; its arbiter is §1).
#include "muon/sets.h"
#include "warplock/reservation_station.h"
#include "warplock/reservation_station_open.h"
#include "warplock/reservation_station_view.h"

#define MODEL      reservation_station
#define MODEL_CAPS RESERVATION_STATION

enum { ROWS = WLK_RESERVATION_STATION_ROWS };

// Values derived from inputs and state, once a cycle.
typedef struct cycle {
    uint32_t free_rows;
    uint32_t answered[OPERANDS], any_answered; // rows of which the response has operand i, or any
    uint32_t may_ask, requests;                // sets of rows, before and after §5.12
    uint32_t request_row;                      // the row that shows on readReq
    uint8_t request_needs;                     // its set of operands
    uint32_t all_ready, candidates;            // sets of rows, before and after §5.12
    uint32_t choice;                           // a row
    bool dispatches, issues;
} cycle;

#define CYCLE cycle
#include "frame/structs.h"

static void copy_entry(uint64_t *to, const uint64_t *from) {
    for (uint32_t word = 0; word < WLK_ENTRY_WORDS; word++) {
        to[word] = from[word];
    }
}

#include "order.h"
#include "perf.h"

// §5.5
static void find_answered(const state_t *st, const in_t *in, cycle *c) {
    const uint32_t enables =
        in->collector.readResp.valid ? IN_SET(collector_readResp_bits_regs_enable) : 0;
    c->any_answered = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t waiting = st->valid & st->collFired[i] & ~st->opReady[i];
        c->answered[i] = (enables >> i & 1u) != 0 ? waiting : 0;
        c->any_answered |= c->answered[i];
    }
}

// §5.2 to §5.4, §5.12
static void find_request(const cfg_t *cfg, const state_t *st, cycle *c) {
    uint32_t needs[OPERANDS]; // rows that need the operand, valid or not
    uint32_t any = 0, all = ~UINT32_C(0), unasked = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        needs[i] = ~(st->opReady[i] | st->busy[i] | st->collFired[i]); // §5.2
        any |= needs[i];
        all &= needs[i] | st->opReady[i];
        unasked |= ~(st->opReady[i] | st->collFired[i]);
    }
    c->may_ask = st->valid & any & (cfg->allow_partial_collect != 0 ? ~UINT32_C(0) : all); // §5.3
    c->requests = in_order(cfg, st, c->may_ask, st->valid & unasked);                      // §5.12
    // The remainder is always the number itself: it says that the index is within its arrays.
    c->request_row = c->requests != 0 ? lowest(c->requests) : (cfg->rs_entries - 1u) % ROWS;
    c->request_needs = operands_of(c->request_row, needs);
}

// §5.7, §5.8, §5.12
static void find_dispatch(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    c->all_ready = st->valid;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        c->all_ready &= st->opReady[i] | (cfg->forward_coll_issue != 0 ? c->answered[i] : 0);
    }
    c->candidates = in_order(cfg, st, c->all_ready, st->valid); // §5.12
    c->choice = round_robin(c->candidates, st->last, 0); // without a candidate it is not used
    c->issues = st->stage.full & in->issue.ready;
    c->dispatches = (c->candidates != 0) & (c->issues | !st->stage.full);
}

static void see(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    c->free_rows = ~st->valid & (uint32_t)wlk_mask(cfg->rs_entries);
    find_answered(st, in, c);
    find_request(cfg, st, c);
    find_dispatch(cfg, st, in, c);
}

// §5.4
static void request(const cfg_t *cfg, const state_t *st, const cycle *c, out_t *out, care_t *care) {
    const uint64_t *entry = st->entry[c->request_row];
    SHOW(collector.readReq.valid, c->requests != 0);
    SHOW_SET(collector_readReq_bits_regs_enable, c->requests != 0 ? c->request_needs : 0);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const bool is_needed = (c->request_needs >> i & 1u) != 0;
        SHOW(collector.readReq.bits.regs[i].pReg, is_needed ? wlk_entry_rs(entry, i) : 0);
    }
    SHOW(collector.readReq.bits.rsEntryId, c->request_row);
    if (cfg->debug != 0) {
        SHOW(collector.readReq.bits.pc, wlk_entry_get_pc(entry));
    }
}

// §5.5, §5.6; of several rows that take one operand the highest shows. `| 1u`: a set that is not
// empty.
static void show_collected(const state_t *st, const in_t *in, const cycle *c, out_t *out,
                           care_t *care) {
    SHOW(scb.updateColl.enable,
         in->collector.readResp.valid & (IN_SET(collector_readResp_bits_regs_enable) != 0));
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t row = highest(c->answered[i] | 1u);
        const uint32_t preg = c->answered[i] != 0 ? wlk_entry_rs(st->entry[row], i) : 0;
        SHOW(scb.updateColl.reads[i].pReg, preg);
        SHOW(scb.updateColl.reads[i].decr, preg != 0);
    }
    SHOW(scb.updateColl.write.pReg, 0);
    SHOW(scb.updateColl.write.incr, 0);
    SHOW(scb.updateColl.write.decr, 0);
    SHOW_SET(scb_updateColl_reads_incr, 0);
}

// §5.11
static void show_written(const in_t *in, out_t *out, care_t *care) {
    SHOW(scb.updateWB.enable, in->writeback.valid);
    SHOW(scb.updateWB.write.pReg, in->writeback.valid ? in->writeback.bits.rd : 0);
    SHOW(scb.updateWB.write.decr, in->writeback.valid);
    SHOW(scb.updateWB.write.incr, 0);
    SHOW_SET(scb_updateWB_reads_incr, 0);
    SHOW_SET(scb_updateWB_reads_decr, 0);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        SHOW(scb.updateWB.reads[i].pReg, 0);
    }
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c, out_t *out,
                    care_t *care) {
    const uint32_t has_rs = wlk_entry_has_rs(st->stage.entry);
    SHOW(admit.ready, c->free_rows != 0); // §5.1
    request(cfg, st, c, out, care);
    show_collected(st, in, c, out, care);
    SHOW(issue.valid, st->stage.full); // §5.9
    SHOW_WORDS(issue.bits, st->stage.entry);
    SHOW(collector.readData.req.valid, c->issues & st->stage.collected); // §5.10
    SHOW(collector.readData.req.bits.collEntry, st->stage.collEntry);
    SHOW_SET(collector_readData_req_bits_regs_enable, c->issues ? has_rs : 0);
    show_written(in, out, care);
    counters(cfg, st, out, care);
}

// No reset reaches `last` and the contents of the output stage.
static void clear(const cfg_t *cfg, state_t *st) {
    const state_t reset = {.last = st->last, .stage = st->stage};
    (void)cfg;
    *st = reset;
    st->stage.full = false;
}

// §5.11: rows in which the write-back clears `busy` of the operand.
static uint32_t woken(const cfg_t *cfg, const state_t *st, const in_t *in, uint32_t operand) {
    const uint32_t rd = in->writeback.valid ? in->writeback.bits.rd : 0;
    const uint32_t waiting = st->valid & st->busy[operand];
    uint32_t named = 0; // rows that have rd as this source
    if (rd == 0 || waiting == 0) {
        return 0;
    }
    for (uint32_t row = 0; row < cfg->rs_entries; row++) {
        const uint32_t has = wlk_entry_has_rs(st->entry[row]) >> operand & 1u;
        named |= (has & (wlk_entry_rs(st->entry[row], operand) == rd)) << row;
    }
    return waiting & named;
}

// §5.8: the chosen row leaves, with the collector's entry that this cycle has given it.
static void dispatch(state_t *st, const cycle *c) {
    const uint32_t row = c->choice;
    copy_entry(st->stage.entry, st->entry[row]);
    st->stage.collected = operands_of(row, st->collFired) != 0;
    st->stage.collEntry = st->collPtr[row];
    st->last = (uint8_t)row; // §1
    st->valid = with(st->valid, row, false);
}

// §5.1
static void admit(const cfg_t *cfg, state_t *st, const in_t *in, uint32_t row) {
    const uint64_t *entry = in->admit.bits.ibufEntry;
    const uint32_t warp = wlk_entry_get_wid(entry);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        st->opReady[i] = with(st->opReady[i], row, IN_SET(admit_bits_valid) >> i & 1u);
        st->busy[i] = with(st->busy[i], row, IN_SET(admit_bits_busy) >> i & 1u);
        st->collFired[i] = with(st->collFired[i], row, false);
    }
    copy_entry(st->entry[row], entry);
    st->collPtr[row] = 0;
    st->valid = with(st->valid, row, true);
    st->sequence[row] = warp < cfg->num_warps ? st->nextSequence[warp] : 0; // §5.12
    st->nextSequence[warp]++;
}

static void edge(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    const bool request_fires = (c->requests != 0) & in->collector.readReq.ready;
    count(cfg, st, in, c); // of the rows before the edge
    for (uint32_t i = 0; i < OPERANDS; i++) {
        const uint32_t fires = request_fires & (c->request_needs >> i & 1u);
        st->busy[i] &= ~woken(cfg, st, in, i);       // §5.11
        st->opReady[i] |= c->answered[i];            // §5.5
        st->collFired[i] |= fires << c->request_row; // §5.4
    }
    for (uint32_t row = 0; row < cfg->rs_entries; row++) { // §5.5
        const bool is_answered = (c->any_answered >> row & 1u) != 0;
        st->collPtr[row] = is_answered ? in->collector.readResp.bits.collEntry : st->collPtr[row];
    }
    st->stage.full = c->dispatches | (st->stage.full & !c->issues); // §5.8
    if (c->dispatches) {
        dispatch(st, c);
    }
    if (in->admit.valid & (c->free_rows != 0)) {
        admit(cfg, st, in, lowest(c->free_rows)); // §5.1
    }
    if (in->softReset) { // Power-up and reset, rule 4
        clear_counters(st);
    }
}

// collected_operand_busy: an operand that is ready waits for no write-back.
static uint32_t broken(const cfg_t *cfg, const state_t *st, const in_t *in) {
    const bool both = (IN_SET(admit_bits_valid) & IN_SET(admit_bits_busy)) != 0;
    (void)cfg;
    (void)st;
    return in->admit.valid && both && !in->reset
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
