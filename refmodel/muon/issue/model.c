// SPDX-License-Identifier: Apache-2.0
// Muon's issue stage: the wires between four blocks, and nothing else. Rules: README.md (muon-issue
// §6).
#include "muon/sets.h"
#include "warplock/collector_view.h"
#include "warplock/hazard_view.h"
#include "warplock/issue.h"
#include "warplock/issue_view.h"
#include "warplock/reservation_station_view.h"
#include "warplock/scoreboard_view.h"

#define WHOLE      issue
#define WHOLE_CAPS ISSUE

// The order of these includes counts, and each part includes a model.c.
// clang-format off
// NOLINTBEGIN(bugprone-suspicious-include)
#define PART hazard
#include "frame/part.h"
#include "muon/hazard/model.c"
#include "frame/part_end.h"

#define PART scoreboard
#include "frame/part.h"
#include "muon/scoreboard/model.c"
#include "frame/part_end.h"

#define PART reservStation
#include "frame/part.h"
#include "muon/reservation_station/model.c"
#include "frame/part_end.h"

#define PART collector
#include "frame/part.h"
#include "muon/collector/model.c"
#include "frame/part_end.h"

// NOLINTEND(bugprone-suspicious-include)
// clang-format on
#include "warplock/issue_open.h"

#define MODEL      issue
#define MODEL_CAPS ISSUE

// What a block gets in this cycle, what it derives from that, and what it shows. Functions of parts
// that have no prefix are of
//   collector: response
//   scoreboard: see_returns, see_booking, answers, successes, READ_PORTS (each read port of a warp)
//   hazard: see_heads, see_choice, see_answer, questions, booking, admission
typedef struct cycle {
    hazard_in_t to_hazard;
    hazard_cycle hazard;
    hazard_out_t of_hazard;
    scoreboard_in_t to_scoreboard;
    scoreboard_cycle scoreboard;
    scoreboard_out_t of_scoreboard;
    reservStation_in_t to_station;
    reservStation_cycle station;
    reservStation_out_t of_station;
    collector_in_t to_collector;
    collector_cycle collector;
    collector_out_t of_collector;
} cycle;

#define CYCLE cycle
#include "frame/structs.h"

// The station's requests follow from registers alone: the collector's response is one.
static void see_station(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    reservStation_in_t *to = &c->to_station;
    response(&st->collector, &c->of_collector, &no_care);
    to->reset = in->reset;
    to->softReset = in->softReset; // §6.4
    to->issue.ready = in->issue.ready;
    to->writeback.valid = in->writeback.valid; // §6.2
    to->writeback.bits.rd = in->writeback.bits.rd;
    to->collector.readResp.valid = c->of_collector.readResp.valid;
    to->collector.readResp.bits.collEntry = c->of_collector.readResp.bits.collEntry;
    to->sets.collector_readResp_bits_regs_enable = c->of_collector.sets.readResp_bits_regs_enable;
    reservStation_see(cfg, &st->reservStation, to, &c->station);
    reservStation_outputs(cfg, &st->reservStation, to, &c->station, &c->of_station, &no_care);
}

static void see_collector(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    const reservStation_out_t *from = &c->of_station;
    collector_in_t *to = &c->to_collector;
    to->reset = in->reset;
    to->readReq.valid = from->collector.readReq.valid;
    to->sets.readReq_bits_regs_enable = from->sets.collector_readReq_bits_regs_enable;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        to->readReq.bits.regs[i].pReg = from->collector.readReq.bits.regs[i].pReg;
    }
    to->readData.req.valid = from->collector.readData.req.valid;
    to->readData.req.bits.collEntry = from->collector.readData.req.bits.collEntry;
    to->sets.readData_req_bits_regs_enable = from->sets.collector_readData_req_bits_regs_enable;
    to->writeReq.valid = in->writeback.valid; // §6.2
    to->writeReq.bits.regs[0].enable = in->writeback.valid;
    to->writeReq.bits.regs[0].pReg = in->writeback.bits.rd;
    to->writeReq.bits.regs[0].tmask = in->writeback.bits.tmask;
    to->writeReq.bits.regs[0].data = in->writeback.bits.data;
    collector_see(cfg, &st->collector, to, &c->collector);
    collector_outputs(cfg, &st->collector, to, &c->collector, &c->of_collector, &no_care);
    c->to_station.collector.readReq.ready = c->of_collector.readReq.ready;
}

#define ASK(port)                                                                                  \
    do {                                                                                           \
        to->hazard.warps[w].port.enable = has(c->of_hazard.sets.scb_warps_##port##_enable, w);     \
        to->hazard.warps[w].port.pReg = c->of_hazard.scb.warps[w].port.pReg;                       \
    } while (0)

// What returns from collector and write-back, and the counts that hazard asks for.
static void see_counts(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    scoreboard_in_t *to = &c->to_scoreboard;
    to->reset = in->reset;
    to->updateColl.enable = c->of_station.scb.updateColl.enable;
    to->updateWB.enable = c->of_station.scb.updateWB.enable;
    to->updateWB.write.pReg = c->of_station.scb.updateWB.write.pReg;
    to->updateWB.write.incr = c->of_station.scb.updateWB.write.incr;
    to->updateWB.write.decr = c->of_station.scb.updateWB.write.decr;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        to->updateColl.reads[i].pReg = c->of_station.scb.updateColl.reads[i].pReg;
        to->updateColl.reads[i].incr = has(c->of_station.sets.scb_updateColl_reads_incr, i);
        to->updateColl.reads[i].decr = c->of_station.scb.updateColl.reads[i].decr;
    }
    see_returns(cfg, &st->scoreboard, to, &c->scoreboard);
    c->to_hazard.reset = in->reset;
    c->to_hazard.softReset = in->softReset; // §6.4
    c->to_hazard.sets.ibuf_valid = IN_SET(ibuf_valid);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        c->to_hazard.ibuf[w].bits = in->ibuf[w].bits;
    }
    see_heads(cfg, &c->to_hazard, &c->hazard);
    questions(cfg, &c->to_hazard, &c->hazard, &c->of_hazard, &no_care);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        READ_PORTS(ASK);
    }
    answers(cfg, &st->scoreboard, to, &c->scoreboard, &c->of_scoreboard, &no_care);
}

#define COUNT(port)                                                                                \
    c->to_hazard.sets.scb_warps_##port##_pendingWrites |=                                          \
        (uint32_t)c->of_scoreboard.hazard.warps[w].port.pendingWrites << w

// Hazard's choice.
static void see_hazard(const cfg_t *cfg, const state_t *st, cycle *c) {
    hazard_in_t *to = &c->to_hazard;
    to->rsAdmit.ready = c->of_station.admit.ready;
    to->sets.scb_warps_readRs1_pendingWrites = to->sets.scb_warps_readRs2_pendingWrites = 0;
    to->sets.scb_warps_readRs3_pendingWrites = to->sets.scb_warps_readRd_pendingWrites = 0;
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        READ_PORTS(COUNT);
        to->scb.warps[w].readRd.pendingReads = c->of_scoreboard.hazard.warps[w].readRd.pendingReads;
    }
    see_choice(cfg, &st->hazard, to, &c->hazard);
    booking(cfg, to, &c->hazard, &c->of_hazard, &no_care);
}

// The scoreboard's answer to the booking, and with it the admission.
static void see_admission(const cfg_t *cfg, const state_t *st, cycle *c) {
    const hazard_out_t *from = &c->of_hazard;
    scoreboard_in_t *to = &c->to_scoreboard;
    to->hazard.updateRS.enable = from->scb.updateRS.enable;
    to->hazard.updateRS.write.pReg = from->scb.updateRS.write.pReg;
    to->hazard.updateRS.write.incr = from->scb.updateRS.write.incr;
    to->hazard.updateRS.write.decr = from->scb.updateRS.write.decr;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        to->hazard.updateRS.reads[i].pReg = from->scb.updateRS.reads[i].pReg;
        to->hazard.updateRS.reads[i].incr = has(from->sets.scb_updateRS_reads_incr, i);
        to->hazard.updateRS.reads[i].decr = has(from->sets.scb_updateRS_reads_decr, i);
    }
    see_booking(cfg, &st->scoreboard, to, &c->scoreboard);
    successes(&c->scoreboard, &c->of_scoreboard, &no_care);
    c->to_hazard.scb.updateRS.success = c->of_scoreboard.hazard.updateRS.success;
    see_answer(&c->to_hazard, &c->hazard);
    admission(&c->to_hazard, &c->hazard, &c->of_hazard, &no_care);
    c->to_station.admit.valid = from->rsAdmit.valid;
    c->to_station.sets.admit_bits_valid = from->sets.rsAdmit_bits_valid;
    c->to_station.sets.admit_bits_busy = from->sets.rsAdmit_bits_busy;
    c->to_station.admit.bits.ibufEntry = from->rsAdmit.bits.ibufEntry;
}

// §6.1, in the order of §6.6
static void see(const cfg_t *cfg, const state_t *st, const in_t *in, cycle *c) {
    see_station(cfg, st, in, c);
    see_collector(cfg, st, in, c);
    see_counts(cfg, st, in, c);
    see_hazard(cfg, st, c);
    see_admission(cfg, st, c);
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle *c, out_t *out,
                    care_t *care) {
    (void)in;
    SHOW_SET(ibuf_ready, c->of_hazard.sets.ibuf_ready);
    SHOW(issue.valid, c->of_station.issue.valid);
    SHOW_WORDS(issue.bits, c->of_station.issue.bits);
    for (uint32_t i = 0; i < OPERANDS; i++) { // §6.3
        SHOW_ROW_IF(operands[i], has(c->of_collector.sets.readData_resp_bits_enable, i),
                    ROW(bank, i, c->collector.entry));
    }
    SHOW(perfRS.cyclesDispatched, c->of_station.perf.cyclesDispatched); // §6.5
    SHOW(perfRS.cyclesEligible, c->of_station.perf.cyclesEligible);
    SHOW(perfRS.accRsOccupancy, c->of_station.perf.accRsOccupancy);
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        SHOW(perfRS.perWarp[w].cyclesDispatched, c->of_station.perf.perWarp[w].cyclesDispatched);
        SHOW(perfRS.perWarp[w].cyclesEligible, c->of_station.perf.perWarp[w].cyclesEligible);
        SHOW(perfRS.perWarp[w].stallsRSFull, c->of_station.perf.perWarp[w].stallsRSFull);
        // §6.5: hazard_outputs is not called as a whole
        SHOW(perfHazard[w].stallsWAW, st->hazard.perf.stallsWAW[w]);
        SHOW(perfHazard[w].stallsWAR, st->hazard.perf.stallsWAR[w]);
        SHOW(perfHazard[w].stallsScoreboard, st->hazard.perf.stallsScoreboard[w]);
    }
}

static void edge(const cfg_t *cfg, state_t *st, const in_t *in, const cycle *c) {
    (void)in;
    hazard_edge(cfg, &st->hazard, &c->to_hazard, &c->hazard);
    scoreboard_edge(cfg, &st->scoreboard, &c->to_scoreboard, &c->scoreboard);
    reservStation_edge(cfg, &st->reservStation, &c->to_station, &c->station);
    collector_edge(cfg, &st->collector, &c->to_collector, &c->collector);
}

static void clear(const cfg_t *cfg, state_t *st) {
    hazard_clear(cfg, &st->hazard);
    scoreboard_clear(cfg, &st->scoreboard);
    reservStation_clear(cfg, &st->reservStation);
    collector_clear(cfg, &st->collector);
}

static bool drained(const cfg_t *cfg, const state_t *st) {
    return scoreboard_drained(cfg, &st->scoreboard) &&
           reservStation_drained(cfg, &st->reservStation) && collector_drained(cfg, &st->collector);
}

static bool forgets(const cfg_t *cfg) {
    return collector_forgets(cfg);
}

#include "cover.h"
#include "sight.h"

WLK_STRUCTS_MODEL(.events = events, .drained = drained, .show = show, .forgets = forgets,
                  .learn = learn, .learn_next = learn_next, .learn_by_next = learn_by_next,
                  .learn_rows = learn_rows, .note_rows = note_rows, .follow = follow,
                  .suppose = suppose, .unknown_start = true);
