// SPDX-License-Identifier: Apache-2.0
// A run: the model between its instruction windows and the execution side, cycle by cycle.
#include "explore.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { CYCLES_PER_LOOK = 4096 }; // at a signal

static void fail(explore_run *r, explore_end end, const char *text) {
    r->end = end;
    (void)wlk_fail(&r->err, WLK_MODEL_ERROR, "%s", text);
}

static uint64_t *operands_of(const explore_run *r, uint32_t flight) {
    return r->operands + (size_t)flight * EXPLORE_OPERANDS * r->interpreter.words;
}

// ---- windows ----------------------------------------------------------------------------------

// The flight travels in the widest opaque field of its instruction.
#define GET_FLIGHT wlk_entry_get_uop_inst_essentials_30
#define PUT_FLIGHT wlk_entry_put_uop_inst_essentials_30

static void put_entry(const explore_run *r, uint32_t flight, uint64_t *to) {
    const wlk_instruction *it = &r->flights[flight].it;
    memset(to, 0, WLK_ENTRY_WORDS * sizeof *to);
    PUT_FLIGHT(to, flight);
    wlk_entry_put_hasRd(to, it->has_rd);
    wlk_entry_put_hasRs1(to, it->has_rs[0]);
    wlk_entry_put_hasRs2(to, it->has_rs[1]);
    wlk_entry_put_hasRs3(to, it->has_rs[2]);
    wlk_entry_put_rd(to, it->rd);
    wlk_entry_put_rs1(to, it->rs[0]);
    wlk_entry_put_rs2(to, it->rs[1]);
    wlk_entry_put_rs3(to, it->rs[2]);
    wlk_entry_put_tmask(to, it->mask);
    wlk_entry_put_pc(to, it->pc);
    wlk_entry_put_wid(to, it->warp);
    wlk_entry_put_token_warpId(to, it->warp);
}

// A bank for each unit; those beyond the banks share.
static uint32_t bank_of(const explore_run *r, uint32_t flight) {
    return r->cfg->collector == WLK_ISSUE_X_COLLECTOR_INST_BANKED
               ? r->flights[flight].it.unit % r->cfg->coll_banks
               : 0;
}

static void show_head(explore_run *r, uint32_t warp) {
    uint64_t *to = wlk_issue_x_in_element_mut(r->in, warp);
    const uint32_t heads = wlk_issue_x_in_get_ibuf_valid(r->in) & ~(UINT32_C(1) << warp);
    const bool there = r->n_window[warp] != 0;
    wlk_issue_x_in_set_ibuf_valid(r->in, heads | (uint32_t)there << warp);
    if (there) {
        put_entry(r, r->window[warp][0], to + WLK_ISSUE_X_IN_IBUF_BITS);
        wlk_issue_x_in_set_ibuf_bits_uop_fuSel(to, bank_of(r, r->window[warp][0]));
    }
}

// Position j >= 1. The group's elements lie by j first, then by warp.
static void show_behind(explore_run *r, uint32_t warp, uint32_t j) {
    uint64_t *to = wlk_issue_x_in_element_mut(r->in, warp + r->cfg->num_warps * (j - 1u));
    const bool there = j < r->n_window[warp];
    wlk_issue_x_in_set_ibuf_window_valid(to, there);
    if (there) {
        put_entry(r, r->window[warp][j], to + WLK_ISSUE_X_IN_IBUF_WINDOW_BITS);
        wlk_issue_x_in_set_ibuf_window_bits_uop_fuSel(to, bank_of(r, r->window[warp][j]));
    }
}

static void show_from(explore_run *r, uint32_t warp, uint32_t from) {
    if (from == 0) {
        show_head(r, warp);
    }
    for (uint32_t j = from != 0 ? from : 1u; j < r->cfg->ibuf_window; j++) {
        show_behind(r, warp, j);
    }
}

static void fetch(explore_run *r, uint32_t warp) {
    wlk_instruction it;
    while (r->n_window[warp] < r->cfg->ibuf_window && explore_workload_next(&r->work, warp, &it)) {
        const uint32_t flight = r->unused[--r->n_unused];
        const uint64_t number = r->numbers[warp]++;
        r->flights[flight] = (explore_flight){it, explore_value(warp, number), number, true};
        r->window[warp][r->n_window[warp]++] = flight;
    }
}

// In program order up to position @p j: one that is passed comes before the one that passes it.
static void interpret_up_to(explore_run *r, uint32_t warp, uint32_t j) {
    for (; r->n_interpreted[warp] <= j; r->n_interpreted[warp]++) {
        const uint32_t flight = r->window[warp][r->n_interpreted[warp]];
        const explore_flight *f = &r->flights[flight];
        explore_interpret(&r->interpreter, &f->it, f->value, operands_of(r, flight));
    }
}

// Position @p j is admitted: it leaves, and later ones move up.
static void leave(explore_run *r, uint32_t warp, uint32_t j) {
    uint32_t *window = r->window[warp];
    interpret_up_to(r, warp, j);
    memmove(window + j, window + j + 1u, (r->n_window[warp] - j - 1u) * sizeof *window);
    r->n_window[warp]--;
    r->n_interpreted[warp]--;
    fetch(r, warp);
    show_from(r, warp, j);
    r->admitted++;
    r->moved = r->cycle;
}

// At most one instruction a cycle: there is one arbiter.
static void admit(explore_run *r) {
    const uint32_t warps = r->cfg->num_warps;
    const uint32_t heads =
        wlk_issue_x_out_get_ibuf_ready(r->out) & wlk_issue_x_in_get_ibuf_valid(r->in);
    if (heads != 0) {
        leave(r, (uint32_t)__builtin_ctz(heads), 0);
        return;
    }
    for (uint32_t e = 0; e < warps * (r->cfg->ibuf_window - 1u); e++) {
        if (wlk_issue_x_out_get_ibuf_window_ready(wlk_issue_x_out_element(r->out, e)) &&
            wlk_issue_x_in_get_ibuf_window_valid(wlk_issue_x_in_element(r->in, e))) {
            leave(r, e % warps, 1u + e / warps);
            return;
        }
    }
}

// ---- issue ------------------------------------------------------------------------------------

static void say_wrong(explore_run *r, const explore_flight *f, uint32_t i, uint32_t lane,
                      const uint64_t *want, const uint64_t *got) {
    r->end = EXPLORE_WRONG_VALUE;
    (void)wlk_fail(
        &r->err, WLK_FUNCTIONAL_MISMATCH,
        "cycle %" PRIu64 ": instruction %" PRIu64
        " of warp %u: operand %u (r%u), lane %u is 0x%" PRIx64 " and should be 0x%" PRIx64,
        r->cycle, f->number, f->it.warp, i, f->it.rs[i], lane,
        explore_lane(&r->interpreter, got, lane), explore_lane(&r->interpreter, want, lane));
}

static void check_operands(explore_run *r, uint32_t port, uint32_t flight) {
    const uint64_t *want = operands_of(r, flight);
    for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++, want += r->interpreter.words) {
        const uint64_t *got = r->out + r->layout.out_payload[port * EXPLORE_OPERANDS + i].word;
        const int32_t lane = explore_wrong_lane(&r->interpreter, want, got);
        if (lane >= 0) {
            say_wrong(r, &r->flights[flight], i, (uint32_t)lane, want, got);
            return;
        }
    }
}

static void execute(explore_run *r, const explore_flight *f) {
    const explore_result result = {.due = r->cycle + f->it.latency,
                                   .age = r->issued,
                                   .mask = f->it.mask,
                                   .value = f->value,
                                   .line = f->it.line,
                                   .rd = f->it.rd,
                                   .warp = f->it.warp};
    if (f->it.has_rd) {
        explore_execution_take(&r->ex, &result);
    }
}

static void issue(explore_run *r, uint32_t port, const uint64_t *entry) {
    const uint32_t flight = GET_FLIGHT(entry);
    if (flight >= r->n_flights || !r->flights[flight].busy) {
        fail(r, EXPLORE_ERROR, "the model issues an instruction that is not in flight");
        return;
    }
    check_operands(r, port, flight);
    execute(r, &r->flights[flight]);
    r->flights[flight].busy = false;
    r->unused[r->n_unused++] = flight;
    r->issued++;
    r->moved = r->cycle;
}

static void issue_all(explore_run *r) {
    if (r->cfg->issue_ports == 1) {
        if (wlk_issue_x_out_get_issue_valid(r->out)) {
            issue(r, 0, r->out + WLK_ISSUE_X_OUT_ISSUE_BITS);
        }
        return;
    }
    for (uint32_t rest = wlk_issue_x_out_get_issuePort_valid(r->out); rest != 0;
         rest &= rest - 1u) {
        const uint32_t port = (uint32_t)__builtin_ctz(rest);
        issue(r, port, wlk_issue_x_out_element(r->out, port) + WLK_ISSUE_X_OUT_ISSUEPORT_BITS);
    }
}

// ---- write-back -------------------------------------------------------------------------------

// What is offered stays until it is taken.
static void offer(explore_run *r) {
    if (r->offered != NULL) {
        return;
    }
    r->offered = explore_execution_offer(&r->ex, r->cycle);
    wlk_issue_x_in_set_writeback_valid(r->in, r->offered != NULL);
    if (r->offered != NULL) {
        wlk_issue_x_in_set_writeback_bits_rd(r->in, r->offered->rd);
        wlk_issue_x_in_set_writeback_bits_tmask(r->in, r->offered->mask);
        explore_words(&r->interpreter, r->offered->value, r->in + r->layout.in_payload[0].word);
    }
}

static void take_write(explore_run *r) {
    if (r->offered == NULL || !wlk_issue_x_out_get_writeback_ready(r->out)) {
        return;
    }
    explore_execution_done(&r->ex);
    r->offered = NULL;
    r->written++;
    r->moved = r->cycle;
}

// ---- cycles -----------------------------------------------------------------------------------

static bool drained(const explore_run *r) {
    return r->issued == r->work.total && r->ex.n_coming == 0 && r->ex.n_ready == 0 &&
           r->block->drained(r->job->cfg, r->state);
}

static bool over(explore_run *r) {
    if (r->end != EXPLORE_DONE || (r->issued == r->work.total && drained(r))) {
        return true;
    }
    if (r->cycle - r->moved > r->job->idle) {
        r->end = EXPLORE_HANG;
    } else if (r->job->max_cycles != 0 && r->cycle == r->job->max_cycles) {
        r->end = EXPLORE_LIMIT;
    } else if (r->cycle % CYCLES_PER_LOOK == 0 && tool_stop) {
        r->end = EXPLORE_INTERRUPTED;
    }
    return r->end != EXPLORE_DONE;
}

bool explore_run_cycle(explore_run *r) {
    wlk_step_info info;
    if (over(r)) {
        return false;
    }
    offer(r);
    r->block->record(r->job->cfg, r->state, r->in, r->out, r->care, &info);
    take_write(r);
    issue_all(r);
    admit(r);
    // A result that is to come may move the rest.
    r->moved = r->ex.last_due > r->cycle ? r->cycle : r->moved;
    r->cycle++;
    return true;
}

static void say_end(explore_run *r) {
    if (r->end == EXPLORE_HANG) {
        (void)wlk_fail(&r->err, WLK_HANG,
                       "nothing moves from cycle %" PRIu64 " on: %" PRIu64 " of %" PRIu64
                       " instructions issued",
                       r->moved + 1u, r->issued, r->work.total);
    } else if (r->end == EXPLORE_LIMIT) {
        (void)wlk_fail(&r->err, WLK_VACUOUS,
                       "stopped after %" PRIu64 " cycles: %" PRIu64 " of %" PRIu64
                       " instructions issued",
                       r->cycle, r->issued, r->work.total);
    }
}

// ---- start and end ----------------------------------------------------------------------------

static uint32_t flights_needed(const wlk_issue_x_cfg *cfg) {
    return cfg->num_warps * cfg->ibuf_window + cfg->rs_entries + cfg->issue_ports;
}

static bool allocate(explore_run *r) {
    const size_t in = r->layout.in_words, out = r->layout.out_words;
    const size_t state = (r->block->state_size(r->job->cfg) + 63u) / 64u * 64u;
    const size_t n = r->n_flights = flights_needed(r->cfg);
    r->state = aligned_alloc(64, state);
    r->records = calloc(in + 2u * out, sizeof *r->records);
    r->flights = calloc(n, sizeof *r->flights);
    r->unused = calloc(n, sizeof *r->unused);
    if (r->state == NULL || r->records == NULL || r->flights == NULL || r->unused == NULL ||
        !explore_interpreter_open(&r->interpreter, r->cfg) ||
        !explore_execution_open(&r->ex, r->work.most_results)) {
        return false;
    }
    r->operands = calloc(n * EXPLORE_OPERANDS * r->interpreter.words, sizeof *r->operands);
    r->in = r->records;
    r->out = r->in + in;
    r->care = r->out + out;
    return r->operands != NULL;
}

static void power_up(explore_run *r) {
    // Registers that nothing has written read 0, as the interpreter's.
    r->block->init(r->job->cfg, r->state, WLK_POWER_ZERO);
    for (uint32_t i = 0; i < r->n_flights; i++) {
        r->unused[r->n_unused++] = r->n_flights - 1u - i;
    }
    wlk_issue_x_in_set_issue_ready(r->in, r->cfg->issue_ports == 1);
    wlk_issue_x_in_set_issuePort_ready(r->in,
                                       r->cfg->issue_ports > 1 ? wlk_mask(r->cfg->issue_ports) : 0);
    for (uint32_t w = 0; w < r->cfg->num_warps; w++) {
        fetch(r, w);
        show_from(r, w, 0);
    }
}

static bool open_run(explore_run *r, explore_programs *programs) {
    wlk_status status = r->block->check(r->job->cfg, &r->err);
    if (status == WLK_OK) {
        status = explore_workload_open(&r->work, r->job, programs, &r->err);
    }
    if (status == WLK_OK) {
        r->block->table->layout(r->job->cfg, &r->layout);
        status = allocate(r) ? WLK_OK : tool_no_memory(&r->err);
    }
    if (status != WLK_OK) {
        r->end =
            status == WLK_BAD_CONFIG || status == WLK_BAD_PARAMS ? EXPLORE_REFUSED : EXPLORE_ERROR;
    }
    return status == WLK_OK;
}

bool explore_run_start(explore_run *r, const explore_job *job, explore_programs *programs) {
    *r = (explore_run){.job = job, .cfg = explore_cfg(job), .block = wlk_block_find("issue_x")};
    if (!open_run(r, programs)) {
        return false;
    }
    power_up(r);
    return true;
}

void explore_run_end(explore_run *r) {
    say_end(r);
    // The counters, as they stand after the last cycle.
    r->block->eval(r->job->cfg, r->state, r->in, r->out, r->care);
}

void explore_run_job(explore_run *r, const explore_job *job, explore_programs *programs) {
    if (!explore_run_start(r, job, programs)) {
        return;
    }
    while (explore_run_cycle(r)) {
    }
    explore_run_end(r);
}

void explore_run_close(explore_run *r) {
    explore_execution_close(&r->ex);
    explore_interpreter_close(&r->interpreter);
    free(r->state);
    free(r->records);
    free(r->flights);
    free(r->operands);
    free(r->unused);
}
