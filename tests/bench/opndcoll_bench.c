// SPDX-License-Identifier: Apache-2.0
// CPU time of the operand collector:
//   opndcoll_bench [STEPS [NAME]]
// Saturated: 64 registers, 64 warps, 3 sources, 4 write-backs a core cycle, every slot of ID_OC
// filled again and OC_EX emptied once a core cycle. All calls are counted, those that issue, take
// and write back too; the instructions are made before. Several points in one run, or the one of
// that name; one JSON object a line, the median of 5 runs.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/gpgpusim_configs.h"
#include "warplock/opndcoll.h"

enum { RUNS = 5, STREAM = 1 << 12, WRITES = 4 };

typedef struct instruction {
    int32_t src[3], dst;
    uint32_t warp;  // of scheduler 0; the next ones are the other schedulers'
    uint32_t sched; // of the result that is written
} instruction;

static instruction stream[STREAM];

static uint64_t random_bits(void) {
    static uint64_t state = 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> 11;
}

static void make_stream(uint32_t schedulers) {
    for (uint32_t i = 0; i < STREAM; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            stream[i].src[k] = (int32_t)(random_bits() % 64u);
        }
        stream[i].dst = (int32_t)(random_bits() % 64u);
        const uint32_t wid = (uint32_t)(random_bits() % 64u);
        stream[i].sched = wid % schedulers;
        stream[i].warp = wid - wid % schedulers;
    }
}

static double cpu_ns(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

typedef struct traffic {
    wlk_opndcoll *s;
    wlk_opndcoll_shape shape;
    wlk_opndcoll_inst inst;
    uint32_t next, written;
    uint64_t taken, checksum;
} traffic;

static uint32_t lowest(uint64_t set) {
    return (uint32_t)__builtin_ctzll(set);
}

static void refill(traffic *t, uint32_t kind) {
    for (uint64_t free = wlk_opndcoll_id_free(t->s, kind); free != 0; free &= free - 1u) {
        const uint32_t slot = lowest(free);
        const uint32_t sched = t->shape.sub_core != 0 ? slot : 0u;
        const instruction *from = &stream[t->next++ % STREAM];
        t->inst.uid++;
        t->inst.user = t->inst.uid;
        t->inst.wid = from->warp + sched;
        t->inst.sched = sched;
        t->inst.src = from->src;
        (void)wlk_opndcoll_issue(t->s, kind, &t->inst);
    }
}

static void write_back(traffic *t) {
    for (uint32_t i = 0; i < WRITES; i++) {
        const instruction *from = &stream[t->written++ % STREAM];
        int32_t dst = from->dst;
        (void)wlk_opndcoll_writeback(t->s, &dst, 1, from->warp + from->sched, from->sched,
                                     UINT32_MAX, NULL);
    }
}

static void refill_all(traffic *t) {
    for (uint32_t kinds = wlk_opndcoll_id_open(t->s); kinds != 0; kinds &= kinds - 1u) {
        refill(t, lowest(kinds));
    }
}

static void core_cycle(traffic *t, uint32_t steps) {
    write_back(t);
    for (uint32_t kinds; (kinds = wlk_opndcoll_ex_filled(t->s)) != 0; t->taken++) {
        (void)wlk_opndcoll_take(t->s, lowest(kinds), NULL);
    }
    for (uint32_t i = 0; i < steps; i++) {
        wlk_opndcoll_step(t->s, NULL);
    }
    refill_all(t);
}

// A unit takes what there is, and the instruction's pointer is its own again.
static void unit_takes(traffic *t, uint32_t kind) {
    wlk_opndcoll_held held;
    if (wlk_opndcoll_take(t->s, kind, &held) >= 0) {
        t->taken++;
        t->checksum += held.user;
    }
}

// The core cycle of §8: four units a kind before the steps, and one LD/ST unit behind them.
static void heavy_core_cycle(traffic *t, uint32_t steps) {
    static const uint8_t kinds[] = {WLK_OPNDCOLL_SP, WLK_OPNDCOLL_DP, WLK_OPNDCOLL_INT,
                                    WLK_OPNDCOLL_SFU, WLK_OPNDCOLL_TENSOR};
    write_back(t);
    for (uint32_t i = 0; i < sizeof kinds; i++) {
        for (uint32_t unit = 0; unit < 4; unit++) {
            unit_takes(t, kinds[i]);
        }
    }
    for (uint32_t i = 0; i < steps; i++) {
        wlk_opndcoll_step(t->s, NULL);
    }
    unit_takes(t, WLK_OPNDCOLL_MEM);
    refill_all(t);
}

typedef enum mix { LIGHT, HEAVY, IDLE } mix;

static void run_steps(traffic *t, mix how, uint64_t steps, uint32_t each) {
    for (uint64_t i = 0; i < steps; i += how == IDLE ? 1u : each) {
        switch (how) {
        case IDLE:
            wlk_opndcoll_step(t->s, NULL);
            break;
        case HEAVY:
            heavy_core_cycle(t, each);
            break;
        default:
            core_cycle(t, each);
        }
    }
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct point {
    const char *name;
    wlk_opndcoll_cfg cfg;
    mix how;
} point;

static void measure(const point *p, uint64_t steps) {
    wlk_error err;
    traffic t;
    double ns[RUNS];
    memset(&t, 0, sizeof t);
    t.inst.n_src = 3;
    if (wlk_opndcoll_check(&p->cfg, NULL, &err) != WLK_OK) {
        fprintf(stderr, "%s: %s\n", p->name, err.text);
        exit(1);
    }
    void *memory = malloc(wlk_opndcoll_state_size(&p->cfg));
    if (memory == NULL) {
        exit(1);
    }
    t.s = wlk_opndcoll_init(&p->cfg, memory);
    wlk_opndcoll_shape_of(&p->cfg, &t.shape);
    make_stream(t.shape.schedulers);
    const uint32_t each = t.shape.steps_per_cycle;
    run_steps(&t, p->how, steps / 10u, each);
    for (uint32_t run = 0; run < RUNS; run++) {
        const double start = cpu_ns();
        run_steps(&t, p->how, steps, each);
        ns[run] = (cpu_ns() - start) / (double)steps;
    }
    qsort(ns, RUNS, sizeof ns[0], compare);
    wlk_opndcoll_counters counters;
    wlk_opndcoll_counted(t.s, &counters);
    const uint64_t made = steps / 10u + steps * RUNS;
    const double done = (double)made;
    printf("{\"point\": \"%s\", \"banks\": %" PRIu32 ", \"units\": %" PRIu32 ", \"steps\": %" PRIu64
           ", \"ns_per_step\": %.1f, \"reads_per_step\": %.2f"
           ", \"dispatched_per_step\": %.2f}\n",
           p->name, t.shape.banks, t.shape.units, made, ns[RUNS / 2],
           (double)counters.reads / t.shape.lanes / done, (double)t.taken / done);
    free(memory);
}

/* ---- configurations (§2) ---- */

// One step a core cycle.
static wlk_opndcoll_cfg one_step(wlk_opndcoll_cfg cfg) {
    cfg.shmem_warp_parts = 1;
    return cfg;
}

static wlk_opndcoll_cfg kepler(void) {
    static const uint32_t widths[11] = {6, 4, 0, 2, 1, 6, 4, 0, 2, 1, 12};
    wlk_opndcoll_cfg cfg;
    wlk_opndcoll_defaults(&cfg);
    cfg.num_reg_banks = 16;
    cfg.reg_file_port_throughput = 2;
    cfg.num_sched_per_core = 4;
    cfg.operand_collector_num_units_sp = 12;
    cfg.operand_collector_num_units_dp = 6;
    cfg.operand_collector_num_units_sfu = 6;
    cfg.operand_collector_num_units_mem = 8;
    cfg.operand_collector_num_in_ports_sp = cfg.operand_collector_num_out_ports_sp = 2;
    cfg.operand_collector_num_in_ports_dp = cfg.operand_collector_num_out_ports_dp = 1;
    cfg.operand_collector_num_in_ports_sfu = cfg.operand_collector_num_out_ports_sfu = 2;
    memcpy(cfg.pipeline_widths, widths, sizeof widths);
    cfg.num_dp_units = 2;
    return cfg;
}

// V32 with all its traffic in one set: as many units as wanted, ports for all of them.
static wlk_opndcoll_cfg square_v32(uint32_t n) {
    wlk_opndcoll_cfg cfg = one_step(gtx480(V32));
    cfg.num_reg_banks = n;
    cfg.operand_collector_num_units_sp = n;
    cfg.operand_collector_num_units_sfu = cfg.operand_collector_num_units_mem = 0;
    cfg.operand_collector_num_in_ports_sp = cfg.operand_collector_num_out_ports_sp = n;
    for (uint32_t i = 0; i < 7; i++) {
        cfg.pipeline_widths[i] = n < 32 ? n : 32u;
    }
    return cfg;
}

int main(int argc, char **argv) {
    const uint64_t steps = argc > 1 ? strtoull(argv[1], NULL, 0) : 600000u;
    const point points[] = {
        {"qv100", qv100_of(V40, 16, 8), LIGHT},
        {"qv100_8", qv100_of(V40, 8, 8), LIGHT},
        {"heavy", qv100_of(V40, 16, 8), HEAVY},
        {"heavy_8", qv100_of(V40, 8, 8), HEAVY},
        {"v42_qv100", qv100_of(V42, 16, 8), LIGHT},
        {"v42_qv100_8", qv100_of(V42, 8, 8), LIGHT},
        {"kepler", kepler(), LIGHT},
        {"gtx480_v40", one_step(gtx480(V40)), LIGHT},
        {"gtx480_v32", one_step(gtx480(V32)), LIGHT},
        {"idle", qv100_of(V40, 16, 8), IDLE},
        {"banks_4", qv100_of(V40, 4, 8), LIGHT},
        {"banks_32", qv100_of(V40, 32, 8), LIGHT},
        {"banks_64", qv100_of(V40, 64, 8), LIGHT},
        {"units_4", qv100_of(V40, 16, 4), LIGHT},
        {"units_16", qv100_of(V40, 16, 16), LIGHT},
        {"units_32", qv100_of(V40, 16, 32), LIGHT},
        {"units_64", qv100_of(V40, 16, 64), LIGHT},
        {"both_4", qv100_of(V40, 4, 4), LIGHT},
        {"both_16", qv100_of(V40, 16, 16), LIGHT},
        {"both_32", qv100_of(V40, 32, 32), LIGHT},
        {"both_64", qv100_of(V40, 64, 64), LIGHT},
        {"v42_both_64", qv100_of(V42, 64, 64), LIGHT},
        {"v32_both_4", square_v32(4), LIGHT},
        {"v32_both_8", square_v32(8), LIGHT},
        {"v32_both_16", square_v32(16), LIGHT},
        {"v32_both_32", square_v32(32), LIGHT},
        {"v32_both_64", square_v32(64), LIGHT},
    };
    for (uint32_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        if (argc < 3 || strcmp(argv[2], points[i].name) == 0) {
            measure(&points[i], steps);
        }
    }
    return 0;
}
