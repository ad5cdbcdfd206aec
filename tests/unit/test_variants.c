// SPDX-License-Identifier: Apache-2.0
// One model, several ways to run it, for every block: instruction sets, step() against eval() and
// tick(), structs against words, a snapshot against its original.
#include "check.h"
#include "rig.h"
#include "warplock/collector.h"
#include "warplock/collector_x.h"
#include "warplock/compactor_ports.h"
#include "warplock/dispatch_basic_ports.h"
#include "warplock/dispatch_compacting_ports.h"
#include "warplock/hazard.h"
#include "warplock/issue.h"
#include "warplock/issue_x.h"
#include "warplock/opndcoll_rtl.h"
#include "warplock/reservation_station.h"
#include "warplock/scoreboard.h"
#include "warplock/vortex_opc_unit.h"
#include "warplock/vortex_operands.h"
#include "warplock/vortex_scoreboard.h"

typedef struct shape {
    const char *block, *settings;
    wlk_power_up power_up;
    uint32_t cycles;
} shape;

static const shape shapes[] = {
    {"collector", "", WLK_POWER_UNKNOWN, 50000},
    {"collector", "num_pregs=8", WLK_POWER_UNKNOWN, 10000}, // all rows are known soon
    {"collector", "num_pregs=4 coll_entries=3 read_during_write=old", WLK_POWER_ZERO, 5000},
    {"collector", "num_lanes=1 num_pregs=16 coll_entries=1", WLK_POWER_UNKNOWN, 10000},
    {"collector", "num_lanes=1 lane_bits=64 num_pregs=16 coll_entries=3 read_during_write=old",
     WLK_POWER_ZERO, 10000},
    {"collector", "num_lanes=2 num_pregs=2 read_during_write=undefined", WLK_POWER_UNKNOWN, 10000},
    {"collector", "num_lanes=3 lane_bits=64 num_pregs=16 coll_entries=5", WLK_POWER_UNKNOWN, 10000},
    {"collector", "num_lanes=5 num_pregs=64 coll_entries=4 read_during_write=old debug=1",
     WLK_POWER_UNKNOWN, 10000},
    {"collector", "num_lanes=17 num_pregs=16", WLK_POWER_ZERO, 10000},
    {"collector", "lane_bits=64 num_pregs=16 coll_entries=8 read_during_write=undefined",
     WLK_POWER_UNKNOWN, 10000},
    {"collector", "num_lanes=63 num_pregs=16", WLK_POWER_UNKNOWN, 5000},
    {"collector", "num_lanes=64 lane_bits=64 num_pregs=1024 coll_entries=32", WLK_POWER_UNKNOWN,
     5000},
    {"scoreboard", "", WLK_POWER_UNKNOWN, 10000},
    {"scoreboard", "num_warps=1 num_pregs=2 max_pending_reads=1", WLK_POWER_UNKNOWN, 10000},
    {"scoreboard", "num_warps=3 num_pregs=16 max_pending_reads=255 debug=1", WLK_POWER_ZERO, 10000},
    {"scoreboard", "num_warps=32 num_pregs=1024 max_pending_reads=5", WLK_POWER_UNKNOWN, 3000},
    {"hazard", "", WLK_POWER_UNKNOWN, 5000},
    {"hazard", "num_warps=1 num_lanes=1 num_pregs=2 max_pending_reads=1", WLK_POWER_UNKNOWN, 5000},
    {"hazard", "num_warps=3 num_lanes=64 num_pregs=16 count_forwarded_reads=0 debug=1",
     WLK_POWER_UNKNOWN, 5000},
    {"hazard", "num_warps=6 num_pregs=32", WLK_POWER_UNKNOWN, 3000},
    {"hazard", "num_warps=32 num_pregs=1024", WLK_POWER_ZERO, 2000},
    {"reservation_station", "", WLK_POWER_UNKNOWN, 10000},
    {"reservation_station",
     "num_warps=1 num_lanes=1 num_pregs=2 rs_entries=1 coll_entries=1 in_order_per_warp=1",
     WLK_POWER_UNKNOWN, 10000},
    {"reservation_station", "num_warps=4 num_pregs=16 rs_entries=5 in_order_per_warp=1 debug=1",
     WLK_POWER_UNKNOWN, 10000},
    {"reservation_station",
     "num_warps=8 num_lanes=64 lane_bits=64 num_pregs=1024 rs_entries=32 coll_entries=32 "
     "forward_coll_issue=0 allow_partial_collect=1",
     WLK_POWER_ZERO, 5000},
    {"issue", "", WLK_POWER_UNKNOWN, 5000},
    {"issue", "num_warps=1 num_lanes=1 num_pregs=16 rs_entries=1 coll_entries=1", WLK_POWER_UNKNOWN,
     3000},
    {"issue",
     "num_warps=4 num_lanes=3 lane_bits=64 num_pregs=16 rs_entries=5 coll_entries=3 "
     "in_order_per_warp=1 forward_coll_issue=0 max_pending_reads=3",
     WLK_POWER_UNKNOWN, 3000},
    {"issue",
     "num_warps=32 num_lanes=64 num_pregs=32 rs_entries=32 coll_entries=32 "
     "read_during_write=undefined debug=1",
     WLK_POWER_ZERO, 2000},
    {"issue", "num_warps=4 num_pregs=16 read_during_write=old count_forwarded_reads=0",
     WLK_POWER_ZERO, 3000},
    {"opndcoll", "", WLK_POWER_UNKNOWN, 5000},
    {"opndcoll",
     "num_reg_banks=1 num_sched_per_core=1 num_units=1 in_ports=1 out_ports=1 num_kinds=1 "
     "id_width=1 ex_width=1 src_slots=1 dst_slots=1 num_wb=1 num_warps=1 num_regs=2 data=on",
     WLK_POWER_UNKNOWN, 5000},
    {"opndcoll",
     "num_reg_banks=7 num_sched_per_core=3 sub_core_model=0 num_units=5 in_ports=3 out_ports=2 "
     "num_kinds=3 id_width=2 ex_width=3 src_slots=5 dst_slots=3 num_wb=3 num_warps=5 num_regs=4 "
     "data=on data_bits=19",
     WLK_POWER_UNKNOWN, 5000},
    {"opndcoll",
     "revision=v32 num_reg_banks=5 num_sched_per_core=2 sub_core_model=0 num_units=7 in_ports=3 "
     "out_ports=2 num_kinds=3 id_width=2 ex_width=2 src_slots=8 dst_slots=4 num_wb=4 num_warps=4 "
     "num_regs=2 data=on data_bits=64",
     WLK_POWER_ZERO, 5000},
    {"opndcoll",
     "num_reg_banks=64 num_sched_per_core=8 num_units=64 in_ports=16 out_ports=16 num_kinds=8 "
     "id_width=8 ex_width=8 src_slots=8 dst_slots=4 num_wb=4 data=on data_bits=64",
     WLK_POWER_ZERO, 1000},
    {"opndcoll",
     "revision=v42 num_reg_banks=6 num_sched_per_core=3 id_width=3 num_units=9 in_ports=2 "
     "out_ports=3 num_kinds=4 ex_width=5 src_slots=5 num_warps=9 num_regs=4 data=on",
     WLK_POWER_UNKNOWN, 5000},
    {"opndcoll",
     "revision=v42 num_reg_banks=64 num_sched_per_core=8 num_units=64 in_ports=16 out_ports=16 "
     "num_kinds=8 id_width=8 ex_width=8 src_slots=8 dst_slots=4 num_wb=4 data=on data_bits=64",
     WLK_POWER_ZERO, 1000},
    {"opndcoll",
     "revision=v42 sub_core_model=0 num_reg_banks=5 num_sched_per_core=2 num_units=7 in_ports=3 "
     "out_ports=2 num_kinds=5 id_width=3 ex_width=2 src_slots=8 num_wb=3 num_warps=7 num_regs=8",
     WLK_POWER_UNKNOWN, 5000},
    {"opndcoll",
     "revision=v42 num_reg_banks=6 num_sched_per_core=2 id_width=2 num_units=6 in_ports=3 "
     "out_ports=3 num_kinds=3 ex_width=2 num_warps=9 num_regs=8 pass_full_sub_core=on "
     "rotate_kinds=on",
     WLK_POWER_UNKNOWN, 5000},
    {"opndcoll",
     "sub_core_model=0 num_units=5 in_ports=3 num_kinds=4 src_slots=8 num_warps=5 num_regs=4 "
     "rotate_kinds=on read_duplicates_once=on data=on",
     WLK_POWER_ZERO, 5000},
    {"compactor", "", WLK_POWER_UNKNOWN, 10000},
    {"compactor", "n=8 k=8 payload_words=16", WLK_POWER_UNKNOWN, 5000},
    {"compactor", "n=8 k=3 payload_words=1", WLK_POWER_UNKNOWN, 10000},
    {"compactor", "n=3 k=2 payload_words=5", WLK_POWER_ZERO, 10000},
    {"issue_x", "", WLK_POWER_UNKNOWN, 5000},
    {"issue_x",
     "num_warps=3 num_lanes=3 num_pregs=32 rs_entries=5 collector=src_banked coll_banks=4 "
     "coll_depth=3 reg_banks=2 coll_alloc=admit alloc_order=age alloc_rows=5 forwarding=must "
     "war=stall count_forwarded_reads=0 ibuf_window=3 wb_buffer=3 debug=1",
     WLK_POWER_UNKNOWN, 5000},
    {"issue_x",
     "num_warps=4 num_lanes=2 lane_bits=64 num_pregs=32 collector=inst_banked coll_banks=4 "
     "coll_depth=4 reg_banks=4 bank_map=mod coll_alloc=eager alloc_order=age alloc_rows=8 "
     "forwarding=egress war=epoch issue_ports=4",
     WLK_POWER_UNKNOWN, 5000},
    {"issue_x",
     "num_warps=2 num_lanes=5 num_pregs=16 rs_entries=4 collector=caching coll_depth=3 "
     "coll_alloc=eager alloc_order=age read_broadcast=1 forwarding=egress",
     WLK_POWER_ZERO, 5000},
    {"issue_x",
     "num_warps=32 num_lanes=1 num_pregs=1024 rs_entries=32 collector=inst_banked coll_banks=16 "
     "coll_depth=32 coll_alloc=eager alloc_order=age alloc_rows=32 ibuf_window=16 wb_buffer=127 "
     "war=epoch",
     WLK_POWER_UNKNOWN, 500},
    {"collector_x", "", WLK_POWER_UNKNOWN, 10000},
    {"collector_x",
     "num_lanes=64 lane_bits=64 num_pregs=1024 rs_entries=32 collector=src_banked coll_banks=16 "
     "coll_depth=32 forwarding=egress",
     WLK_POWER_UNKNOWN, 1000},
    {"collector_x",
     "num_lanes=3 num_pregs=16 rs_entries=3 collector=inst_banked coll_banks=16 coll_depth=32 "
     "forwarding=must",
     WLK_POWER_UNKNOWN, 2000},
    {"collector_x",
     "num_lanes=64 lane_bits=64 num_pregs=32 collector=inst_banked coll_banks=4 coll_depth=32 "
     "issue_ports=4 forwarding=must",
     WLK_POWER_UNKNOWN, 2000},
    {"collector_x",
     "num_lanes=1 num_pregs=4 rs_entries=32 collector=caching coll_depth=32 forwarding=egress",
     WLK_POWER_ZERO, 5000},
    {"dispatch_basic", "", WLK_POWER_UNKNOWN, 10000},
    {"dispatch_basic",
     "core_width=8 encoding=v4 payload_words=2 queues_0_type=0 queues_0_dispatch_width=8 "
     "queues_1_dispatch_width=8 queues_2_type=3 queues_2_dispatch_width=8",
     WLK_POWER_UNKNOWN, 5000},
    {"dispatch_compacting", "", WLK_POWER_UNKNOWN, 10000},
    {"dispatch_compacting",
     "core_width=8 encoding=v4 payload_words=4 queues_0_type=0 queues_0_dispatch_width=5 "
     "queues_1_dispatch_width=8 queues_2_type=3 queues_2_dispatch_width=3",
     WLK_POWER_UNKNOWN, 5000},
    {"dispatch_compacting", "core_width=7 payload_words=1 queues_0_type=7", WLK_POWER_ZERO, 10000},
    {"vortex_scoreboard", "", WLK_POWER_UNKNOWN, 10000},
    {"vortex_scoreboard", "num_warps=17 num_threads=32 xlen=64 perf_enable=1", WLK_POWER_ZERO,
     5000},
    {"vortex_scoreboard", "num_warps=64 ext_f_enable=0 ndebug=1", WLK_POWER_UNKNOWN, 2000},
    {"vortex_scoreboard", "num_warps=1 ext_tcu_enable=1 perf_enable=1", WLK_POWER_ZERO, 5000},
    {"vortex_opc_unit", "", WLK_POWER_UNKNOWN, 10000},
    {"vortex_opc_unit", "num_threads=8 simd_width=1 num_gpr_banks=1 xlen=64 out_buf=5",
     WLK_POWER_UNKNOWN, 5000},
    {"vortex_opc_unit", "num_threads=32 simd_width=32 xlen=64 num_gpr_banks=32 out_buf=0",
     WLK_POWER_ZERO, 3000},
    {"vortex_opc_unit",
     "num_threads=6 simd_width=2 ndebug=1 ext_f_enable=0 out_buf=2 perf_enable=1",
     WLK_POWER_UNKNOWN, 5000},
    {"vortex_operands", "", WLK_POWER_UNKNOWN, 10000},
    {"vortex_operands", "num_warps=16 num_opcs=16 num_threads=8 simd_width=4 perf_enable=1",
     WLK_POWER_UNKNOWN, 3000},
    {"vortex_operands", "num_warps=8 num_opcs=2 num_threads=4 simd_width=1 simulation=0",
     WLK_POWER_ZERO, 5000},
};

/* ---- a run ---- */

typedef struct record {
    uint64_t *out, *care;
    wlk_step_info info;
} record;

// Two models beside each other.
typedef struct run {
    rig g;
    const shape *s;
    record want, have;
    void *a, *b; // their states
} run;

static void new_record(run *r, record *to) {
    to->out = rig_words(&r->g, r->g.layout.out_words);
    to->care = rig_words(&r->g, r->g.layout.out_words);
}

static void run_start(run *r, const shape *s, uint64_t seed, const wlk_block *a,
                      const wlk_block *b) {
    memset(r, 0, sizeof *r);
    r->s = s;
    rig_open(&r->g, s->block, s->settings, s->power_up);
    rig_noise(&r->g, seed);
    new_record(r, &r->want);
    new_record(r, &r->have);
    r->a = rig_state(&r->g, a, s->power_up);
    r->b = rig_state(&r->g, b, s->power_up);
}

// Two of the model that runs here.
static void run_start_twice(run *r, const shape *s, uint64_t seed) {
    const wlk_block *block = wlk_block_find(s->block);
    run_start(r, s, seed, block, block);
}

// The first reset comes late: what is unknown before it counts too.
static void next(run *r, const void *state, uint64_t cycle) {
    rig_next_noise(&r->g, state, cycle == 3);
}

static void make_record(const run *r, const wlk_block *block, void *state, record *to) {
    block->record(r->g.cfg, state, r->g.in, to->out, to->care, &to->info);
}

static size_t out_bytes(const run *r) {
    return r->g.layout.out_words * sizeof(uint64_t);
}

static bool same_outputs(const run *r) {
    return memcmp(r->want.out, r->have.out, out_bytes(r)) == 0 &&
           memcmp(r->want.care, r->have.care, out_bytes(r)) == 0;
}

static bool same_record(const run *r) {
    const wlk_step_info *a = &r->want.info, *b = &r->have.info;
    return same_outputs(r) && a->events == b->events && a->violated == b->violated;
}

/* ---- instruction sets ---- */

// Ways that the cycle can go, the same in both; both take the same one.
static bool same_ways(run *r, const wlk_block *base, const wlk_block *other) {
    if (base->outcomes == NULL) {
        return true;
    }
    const uint32_t ways = base->outcomes(r->g.cfg, r->a, r->g.in);
    if (other->outcomes(r->g.cfg, r->b, r->g.in) != ways) {
        return false;
    }
    if (ways > 1) {
        const uint32_t k = (uint32_t)(wlk_random(&r->g.stim.random) % ways);
        base->assume(r->g.cfg, r->a, r->g.in, k);
        other->assume(r->g.cfg, r->b, r->g.in, k);
    }
    return true;
}

static void instruction_sets_agree(const shape *s, const char *isa) {
    run r;
    const wlk_block *base = wlk_block_find_isa(s->block, "base");
    const wlk_block *other = wlk_block_find_isa(s->block, isa);
    if (!CHECK(base != NULL) || other == NULL) {
        return; // this processor does not run it
    }
    CHECK(strcmp(isa, "base") == 0 ? other == base : other != base);
    run_start(&r, s, 7, base, other);
    uint32_t same = 0;
    for (uint32_t c = 0; c < s->cycles; c++) {
        next(&r, r.a, c);
        const bool ways = same_ways(&r, base, other);
        make_record(&r, base, r.a, &r.want);
        make_record(&r, other, r.b, &r.have);
        same += ways && same_record(&r);
    }
    CHECK_MSG(same == s->cycles, "%s %s, %s: %u cycles differ", s->block, s->settings, isa,
              s->cycles - same);
    rig_close(&r.g);
}

/* ---- record, eval, tick, step ---- */

static void record_is_eval_and_tick(const shape *s) {
    run r;
    uint32_t same = 0;
    run_start_twice(&r, s, 9);
    const uint32_t cycles = wlk_min(s->cycles, 4000);
    for (uint32_t c = 0; c < cycles; c++) {
        next(&r, r.a, c);
        make_record(&r, r.g.block, r.a, &r.want);
        r.g.block->eval(r.g.cfg, r.b, r.g.in, r.have.out, r.have.care);
        r.g.block->tick(r.g.cfg, r.b, r.g.in, &r.have.info);
        same += same_record(&r);
    }
    CHECK_MSG(same == cycles, "%s %s", s->block, s->settings);
    rig_close(&r.g);
}

static int step_on(const run *r, const wlk_block *block, void *state, const uint64_t *got,
                   wlk_step_info *info) {
    const wlk_view in = rig_view(&r->g, r->g.in, false), seen = rig_view(&r->g, got, true);
    return block->step(r->g.cfg, state, &in, &seen, info);
}

// Every output bit flipped alone must make step look closer and change nothing. Flips that did not;
// @p before is room for a state.
static uint64_t flips_missed(const run *r, const wlk_block *block, void *before) {
    const size_t bytes = block->state_size(r->g.cfg);
    uint64_t missed = 0, *out = r->want.out;
    wlk_step_info info = {0, 0};
    memcpy(before, r->b, bytes);
    for (uint32_t w = 0; w < r->g.layout.out_words; w++) {
        for (uint64_t left = r->g.all[w]; left != 0; left &= left - 1u) {
            out[w] ^= left & (0u - left);
            missed += step_on(r, block, r->b, out, &info) != 1;
            out[w] ^= left & (0u - left);
        }
    }
    return missed + (memcmp(before, r->b, bytes) != 0);
}

// Now and then a bit of a payload is unknown.
static void forget_some(const run *r, const wlk_block *block, uint64_t *x, uint32_t cycle) {
    if (block->forget != NULL && r->g.layout.n_in_payloads != 0 && cycle % 61u == 7) {
        x[r->g.layout.in_payload[0].word] = 1;
        block->forget(r->g.cfg, r->a, r->g.in, x);
        block->forget(r->g.cfg, r->b, r->g.in, x);
    }
}

// `a` runs by record, `b` by step where step knows all outputs, else by tick.
static void step_agrees(const shape *s, const wlk_block *block) {
    run r;
    uint32_t known = 0, wrong = 0, moved = 0, violated = 0;
    uint64_t missed = 0;
    run_start(&r, s, 11, block, block);
    void *before = rig_state(&r.g, block, s->power_up);
    uint64_t *x = rig_words(&r.g, r.g.layout.in_words);
    const uint32_t cycles = wlk_min(s->cycles, 3000);
    for (uint32_t c = 0; c < cycles; c++) {
        next(&r, r.a, c);
        CHECK(same_ways(&r, block, block));
        make_record(&r, block, r.a, &r.want);
        if (c % 97u == 50) {
            missed += flips_missed(&r, block, before);
        }
        block->eval(r.g.cfg, r.b, r.g.in, r.have.out, r.have.care); // b is where it should be
        moved += !same_outputs(&r);
        const bool full = memcmp(r.want.care, r.g.all, out_bytes(&r)) == 0;
        r.have.info.violated = 0;
        const int closer = step_on(&r, block, r.b, r.want.out, &r.have.info);
        if (closer) {
            block->tick(r.g.cfg, r.b, r.g.in, &r.have.info);
        }
        known += !closer;
        // What power-up leaves open may make it look closer although this cycle shows none of it.
        wrong += closer ? full && block->outcomes == NULL && !block->always_learns : !full;
        violated += r.have.info.violated != r.want.info.violated;
        forget_some(&r, block, x, c);
    }
    CHECK_MSG(wrong == 0, "%s %s: step is wrong in %u cycles", s->block, s->settings, wrong);
    CHECK_MSG(missed == 0, "%s %s: %u flips missed", s->block, s->settings, (unsigned)missed);
    CHECK_MSG(moved == 0 && violated == 0, "%s %s: step does not what tick does", s->block,
              s->settings);
    CHECK_MSG(known > cycles / 50u, "%s %s: only %u cycles all known", s->block, s->settings,
              known);
    rig_close(&r.g);
}

/* ---- a snapshot is a copy ---- */

static void snapshot_is_a_copy(const shape *s) {
    enum { BEFORE = 200, AFTER = 100 };
    run r;
    uint32_t same = 0;
    run_start_twice(&r, s, 13);
    for (uint32_t c = 0; c < BEFORE; c++) {
        next(&r, r.a, c);
        make_record(&r, r.g.block, r.a, &r.want);
    }
    memcpy(r.b, r.a, r.g.block->state_size(r.g.cfg));
    const wlk_stimulus_state stim = r.g.stim;
    uint64_t *records = rig_words(&r.g, (size_t)AFTER * r.g.layout.out_words);
    for (uint32_t pass = 0; pass < 2; pass++) { // the copy first, then the original
        void *state = pass == 0 ? r.b : r.a;
        r.g.stim = stim;
        for (uint32_t c = 0; c < AFTER; c++) {
            uint64_t *saved = records + (size_t)c * r.g.layout.out_words;
            next(&r, state, BEFORE);
            make_record(&r, r.g.block, state, &r.have);
            same += pass == 1 && memcmp(saved, r.have.out, out_bytes(&r)) == 0;
            memcpy(saved, r.have.out, out_bytes(&r));
        }
    }
    CHECK_MSG(same == AFTER, "%s %s", s->block, s->settings);
    rig_close(&r.g);
}

/* ---- an asynchronous reset ---- */

// What a byte of the state was in all samples so far.
typedef struct byte_facts {
    unsigned char after; // behind an edge in reset, in the first sample
    bool open;           // it was different in another one
    bool missed;         // clear() left another value in a sample
    uint8_t moved;       // samples in which it was different before the edge
} byte_facts;

static void note_bytes(byte_facts *facts, size_t n, const run *r, const unsigned char *kept,
                       bool first) {
    const unsigned char *after = r->b, *before = kept, *cleared = kept + n;
    for (size_t i = 0; i < n; i++) {
        byte_facts *f = &facts[i];
        f->after = first ? after[i] : f->after;
        f->moved = (uint8_t)(f->moved + (before[i] != f->after));
        f->open = f->open || after[i] != f->after;
        f->missed = f->missed || cleared[i] != f->after;
    }
}

// What an edge in reset always sets to one value, clear() does; behind such an edge it finds
// nothing to do.
static void clear_is_what_a_reset_reaches(const shape *s) {
    enum { SAMPLES = 150, BETWEEN = 13, OFTEN = 15 }; // what moves seldom may be data
    run r;
    uint32_t changed = 0, reached = 0, missed = 0;
    run_start_twice(&r, s, 19);
    if (!CHECK_MSG((r.g.block->clear != NULL) == r.g.block->table->has_clock, "%s", s->block) ||
        r.g.block->clear == NULL) {
        rig_close(&r.g);
        return;
    }
    const size_t n = r.g.block->state_size(r.g.cfg);
    byte_facts *facts = (byte_facts *)rig_words(&r.g, n * sizeof *facts / sizeof(uint64_t) + 1u);
    unsigned char *kept = (unsigned char *)rig_words(&r.g, 2u * n / sizeof(uint64_t) + 16u);
    for (uint32_t c = 0; c < SAMPLES * BETWEEN; c++) {
        next(&r, r.a, c);
        if (c > BETWEEN && c % BETWEEN == 0) {
            memcpy(kept, r.a, n);
            memcpy(r.b, r.a, n);
            r.g.block->clear(r.g.cfg, r.b);
            memcpy(kept + n, r.b, n);
            memcpy(r.b, r.a, n);
            rig_set(&r.g, "reset", 1);
            r.g.block->tick(r.g.cfg, r.b, r.g.in, &r.have.info);
            rig_set(&r.g, "reset", 0);
            note_bytes(facts, n, &r, kept, c == 2 * BETWEEN);
            memcpy(kept, r.b, n);
            r.g.block->clear(r.g.cfg, r.b);
            changed += memcmp(kept, r.b, n) != 0;
        }
        make_record(&r, r.g.block, r.a, &r.want);
    }
    for (size_t i = 0; i < n; i++) {
        const bool is_reached = facts[i].moved >= OFTEN && !facts[i].open;
        reached += is_reached;
        missed += is_reached && facts[i].missed;
    }
    CHECK_MSG(changed == 0, "%s %s: clear() changes what reset left", s->block, s->settings);
    CHECK_MSG(missed == 0, "%s %s: %u bytes are not cleared", s->block, s->settings, missed);
    CHECK_MSG(reached > 0, "%s %s: nothing to clear", s->block, s->settings);
    rig_close(&r.g);
}

/* ---- structs ---- */

// Random words through the structs and back; eval and tick by structs and by words.
#define DEFINE_STRUCTS(name)                                                                       \
    static void name##_structs(const shape *s) {                                                   \
        static wlk_##name##_in in;                                                                 \
        static wlk_##name##_out out, care;                                                         \
        run r;                                                                                     \
        uint32_t same = 0;                                                                         \
        run_start_twice(&r, s, 17);                                                                \
        const wlk_##name##_cfg *cfg = (const wlk_##name##_cfg *)r.g.cfg;                           \
        uint64_t *words = rig_words(&r.g, r.g.layout.in_words + r.g.layout.out_words);             \
        CHECK(wlk_##name##_state_size(cfg) == r.g.block->state_size(r.g.cfg));                     \
        wlk_##name##_init(cfg, r.b, s->power_up);                                                  \
        for (uint32_t c = 0; c < 500; c++) {                                                       \
            next(&r, r.a, c);                                                                      \
            wlk_##name##_in_unpack(cfg, r.g.in, &in);                                              \
            wlk_##name##_in_pack(cfg, &in, words);                                                 \
            bool ok = memcmp(words, r.g.in, r.g.layout.in_words * sizeof *words) == 0;             \
            make_record(&r, r.g.block, r.a, &r.want);                                              \
            wlk_##name##_eval(cfg, r.b, &in, &out, &care);                                         \
            wlk_##name##_out_pack(cfg, &out, r.have.out);                                          \
            wlk_##name##_out_pack(cfg, &care, r.have.care);                                        \
            r.have.info = r.want.info;                                                             \
            r.have.info.violated = wlk_##name##_tick(cfg, r.b, &in);                               \
            ok = ok && same_record(&r);                                                            \
            for (uint32_t w = 0; w < r.g.layout.out_words; w++) {                                  \
                r.have.out[w] = wlk_random(&r.g.stim.random) & r.g.all[w];                         \
            }                                                                                      \
            wlk_##name##_out_unpack(cfg, r.have.out, &out);                                        \
            wlk_##name##_out_pack(cfg, &out, words);                                               \
            same += ok && memcmp(words, r.have.out, out_bytes(&r)) == 0;                           \
        }                                                                                          \
        wlk_##name##_out_mask(cfg, words);                                                         \
        for (uint32_t w = 0; w < r.g.layout.out_control; w++) {                                    \
            CHECK_MSG(words[w] == r.g.all[w], "%s word %u", s->settings, w);                       \
        }                                                                                          \
        CHECK_MSG(same == 500, "%s %s: %u cycles differ", s->block, s->settings, 500 - same);      \
        rig_close(&r.g);                                                                           \
    }

DEFINE_STRUCTS(collector)
DEFINE_STRUCTS(collector_x)
DEFINE_STRUCTS(compactor)
DEFINE_STRUCTS(dispatch_basic)
DEFINE_STRUCTS(dispatch_compacting)
DEFINE_STRUCTS(hazard)
DEFINE_STRUCTS(issue)
DEFINE_STRUCTS(issue_x)
DEFINE_STRUCTS(opndcoll_rtl)
DEFINE_STRUCTS(reservation_station)
DEFINE_STRUCTS(scoreboard)
DEFINE_STRUCTS(vortex_opc_unit)
DEFINE_STRUCTS(vortex_operands)
DEFINE_STRUCTS(vortex_scoreboard)

static const struct {
    const char *block;
    void (*structs)(const shape *s);
} blocks[] = {
    {"collector", collector_structs},
    {"collector_x", collector_x_structs},
    {"compactor", compactor_structs},
    {"dispatch_basic", dispatch_basic_structs},
    {"dispatch_compacting", dispatch_compacting_structs},
    {"hazard", hazard_structs},
    {"issue", issue_structs},
    {"issue_x", issue_x_structs},
    {"opndcoll", opndcoll_rtl_structs},
    {"reservation_station", reservation_station_structs},
    {"scoreboard", scoreboard_structs},
    {"vortex_opc_unit", vortex_opc_unit_structs},
    {"vortex_operands", vortex_operands_structs},
    {"vortex_scoreboard", vortex_scoreboard_structs},
};

static void structs_are_words(const shape *s) {
    for (size_t i = 0; i < COUNT(blocks); i++) {
        if (strcmp(blocks[i].block, s->block) == 0) {
            blocks[i].structs(s);
        }
    }
}

// Every block of the library is in the lists above.
CASE(every_block_is_here) {
    for (uint32_t i = 0; wlk_block_name(i) != NULL; i++) {
        uint32_t listed = 0, shaped = 0;
        for (size_t k = 0; k < COUNT(blocks); k++) {
            listed += strcmp(blocks[k].block, wlk_block_name(i)) == 0;
        }
        for (size_t k = 0; k < COUNT(shapes); k++) {
            shaped += strcmp(shapes[k].block, wlk_block_name(i)) == 0;
        }
        CHECK_MSG(listed == 1 && shaped > 0, "%s", wlk_block_name(i));
    }
}

CASE(variants_agree) {
    static const char *const isas[] = {"base", "x86-64-v3"};
    uint32_t found = 0;
    for (size_t i = 0; i < COUNT(isas); i++) {
        if (wlk_block_find_isa("collector", isas[i]) == NULL) {
            printf("%s: not on this processor\n", isas[i]);
            continue;
        }
        found++;
        for (size_t k = 0; k < COUNT(shapes); k++) {
            instruction_sets_agree(&shapes[k], isas[i]);
            step_agrees(&shapes[k], wlk_block_find_isa(shapes[k].block, isas[i]));
        }
    }
    for (size_t k = 0; k < COUNT(shapes); k++) {
        record_is_eval_and_tick(&shapes[k]);
        snapshot_is_a_copy(&shapes[k]);
        structs_are_words(&shapes[k]);
    }
    CHECK(found > 0);
}

CASE(clear_is_an_asynchronous_reset) {
    for (size_t k = 0; k < COUNT(shapes); k++) {
        clear_is_what_a_reset_reaches(&shapes[k]);
    }
}

CASE(names_that_are_none_are_not_found) {
    CHECK(wlk_block_find_isa("collector", "z80") == NULL);
    CHECK(wlk_block_find("none") == NULL);
}

int main(void) {
    return check_cases();
}
