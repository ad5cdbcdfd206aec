// SPDX-License-Identifier: Apache-2.0
// One model, several ways to run it: instruction sets, and step() against eval() and tick().
#include "check.h"
#include "warplock/collector.h"
#include "warplock/stimulus.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 + 3 * WLK_COLLECTOR_ROW_WORDS, IN_WORDS = 5 + WLK_COLLECTOR_ROW_WORDS };

typedef struct shape {
    uint32_t lanes, lane_bits, pregs, entries, read_during_write, power_up;
} shape;

static const shape shapes[] = {
    {16, 32, 256, 2, WLK_COLLECTOR_READ_DURING_WRITE_NEW, WLK_POWER_UNKNOWN},
    {1, 32, 16, 1, WLK_COLLECTOR_READ_DURING_WRITE_NEW, WLK_POWER_UNKNOWN},
    {1, 64, 16, 3, WLK_COLLECTOR_READ_DURING_WRITE_OLD, WLK_POWER_ZERO},
    {2, 32, 2, 2, WLK_COLLECTOR_READ_DURING_WRITE_UNDEFINED, WLK_POWER_UNKNOWN},
    {3, 64, 16, 5, WLK_COLLECTOR_READ_DURING_WRITE_NEW, WLK_POWER_UNKNOWN},
    {5, 32, 64, 4, WLK_COLLECTOR_READ_DURING_WRITE_OLD, WLK_POWER_UNKNOWN},
    {17, 32, 16, 2, WLK_COLLECTOR_READ_DURING_WRITE_NEW, WLK_POWER_ZERO},
    {16, 64, 16, 8, WLK_COLLECTOR_READ_DURING_WRITE_UNDEFINED, WLK_POWER_UNKNOWN},
    {63, 32, 16, 2, WLK_COLLECTOR_READ_DURING_WRITE_NEW, WLK_POWER_UNKNOWN},
    {64, 64, 1024, 32, WLK_COLLECTOR_READ_DURING_WRITE_NEW, WLK_POWER_UNKNOWN},
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* ---- a run: a configuration, and inputs that need not be legal ---- */

typedef struct run {
    wlk_collector_cfg cfg;
    wlk_layout layout;
    uint64_t usable[IN_WORDS]; // bits of the inputs that exist
    uint64_t all[WORDS];       // bits of the outputs that exist
    uint64_t random;
    uint64_t in[IN_WORDS];
} run;

static const uint32_t *words_of(const run *r) {
    return (const uint32_t *)&r->cfg;
}

static void run_start(run *r, const shape *s, uint64_t seed) {
    static wlk_port ports[1024];
    wlk_error err;
    memset(r, 0, sizeof *r);
    wlk_config_defaults(&wlk_collector_table, (uint32_t *)&r->cfg);
    r->cfg.num_lanes = s->lanes;
    r->cfg.lane_bits = s->lane_bits;
    r->cfg.num_pregs = s->pregs;
    r->cfg.coll_entries = s->entries;
    r->cfg.read_during_write = s->read_during_write;
    r->random = seed;
    CHECK(wlk_collector_check(&r->cfg, &err) == WLK_OK);
    wlk_collector_table.layout(words_of(r), &r->layout);
    const uint32_t n = wlk_collector_table.ports(words_of(r), ports, 1024);
    for (uint32_t i = 0; i < n && n <= 1024; i++) {
        if (ports[i].present) {
            wlk_port_set(&ports[i], ports[i].is_out ? r->all : r->usable, ~UINT64_C(0));
        }
    }
}

// Anything, but resets are rare and registers are often few.
static void run_inputs(run *r, uint64_t cycle) {
    const uint64_t kind = wlk_random(&r->random);
    for (uint32_t w = 0; w < r->layout.in_words; w++) {
        r->in[w] = wlk_random(&r->random) & r->usable[w];
    }
    wlk_collector_in in;
    wlk_collector_in_unpack_control(r->in, &in);
    in.reset = cycle == 3 || (kind & 255u) == 0u;
    if (kind & 256u) {
        for (uint32_t i = 0; i < 3; i++) {
            in.readReq.bits.regs[i].pReg &= 3u;
        }
        in.writeReq.bits.regs[0].pReg &= 3u;
    }
    if (kind & 512u) {
        in.writeReq.bits.regs[0].tmask = r->usable[1];
    }
    wlk_collector_in_pack_control(r->in, &in);
}

static void *new_state(const run *r, const wlk_block *block, const shape *s) {
    const size_t bytes = (block->state_size(words_of(r)) + 63u) / 64u * 64u;
    void *state = aligned_alloc(64, bytes);
    if (state == NULL) {
        abort();
    }
    block->init(words_of(r), state, (wlk_power_up)s->power_up);
    return state;
}

/* ---- instruction sets ---- */

typedef struct record {
    uint64_t out[WORDS], care[WORDS];
    wlk_step_info info;
} record;

static bool same_record(const run *r, const record *a, const record *b) {
    const size_t bytes = r->layout.out_words * sizeof(uint64_t);
    return memcmp(a->out, b->out, bytes) == 0 && memcmp(a->care, b->care, bytes) == 0 &&
           a->info.events == b->info.events && a->info.violated == b->info.violated;
}

static void instruction_sets_agree(const shape *s, const char *isa, uint64_t cycles) {
    static run r;
    static record want, have;
    const wlk_block *base = wlk_block_find_isa("collector", "base");
    const wlk_block *other = wlk_block_find_isa("collector", isa);
    if (!CHECK(base == &wlk_collector_block) || other == NULL) {
        return; // this processor does not run it
    }
    run_start(&r, s, 7);
    void *a = new_state(&r, base, s), *b = new_state(&r, other, s);
    uint64_t same = 0;
    for (uint64_t c = 0; c < cycles; c++) {
        run_inputs(&r, c);
        base->record(words_of(&r), a, r.in, want.out, want.care, &want.info);
        other->record(words_of(&r), b, r.in, have.out, have.care, &have.info);
        same += same_record(&r, &want, &have);
    }
    CHECK_MSG(same == cycles, "%s, %u lanes of %u: %llu cycles differ", isa, s->lanes, s->lane_bits,
              (unsigned long long)(cycles - same));
    free(a);
    free(b);
}

static void record_is_eval_and_tick(const shape *s, uint64_t cycles) {
    static run r;
    static record want, have;
    const wlk_block *block = wlk_block_find("collector");
    run_start(&r, s, 9);
    void *a = new_state(&r, block, s), *b = new_state(&r, block, s);
    uint64_t same = 0;
    for (uint64_t c = 0; c < cycles; c++) {
        run_inputs(&r, c);
        block->record(words_of(&r), a, r.in, want.out, want.care, &want.info);
        block->eval(words_of(&r), b, r.in, have.out, have.care);
        block->tick(words_of(&r), b, r.in, &have.info);
        same += same_record(&r, &want, &have);
    }
    CHECK_MSG(same == cycles, "%u lanes of %u", s->lanes, s->lane_bits);
    free(a);
    free(b);
}

/* ---- step ---- */

static int step_on(const run *r, const wlk_block *block, void *state, const uint64_t *got,
                   wlk_step_info *info) {
    wlk_view in = {.control = r->in}, seen = {.control = got};
    for (uint32_t i = 0; i < r->layout.n_in_payloads; i++) {
        in.payload[i] = r->in + r->layout.in_payload[i].word;
    }
    for (uint32_t i = 0; i < r->layout.n_out_payloads; i++) {
        seen.payload[i] = got + r->layout.out_payload[i].word;
    }
    return block->step(words_of(r), state, &in, &seen, info);
}

// Every output bit flipped alone must make step look closer. Flips that it let pass.
static uint64_t flips_missed(const run *r, const wlk_block *block, void *state, uint64_t *out) {
    wlk_step_info info = {0, 0};
    uint64_t missed = 0;
    for (uint32_t w = 0; w < r->layout.out_words; w++) {
        for (uint64_t left = r->all[w]; left != 0u; left &= left - 1u) {
            out[w] ^= left & (0u - left);
            missed += step_on(r, block, state, out, &info) != 1;
            out[w] ^= left & (0u - left);
        }
    }
    return missed;
}

// `a` runs by record, `b` by step where step knows all outputs, else by tick.
static void step_agrees(const shape *s, const wlk_block *block, uint64_t cycles) {
    static run r;
    static record want, have;
    uint64_t known = 0, wrong = 0, missed = 0, moved = 0, violated = 0;
    run_start(&r, s, 11);
    void *a = new_state(&r, block, s), *b = new_state(&r, block, s);
    for (uint64_t c = 0; c < cycles; c++) {
        const size_t bytes = r.layout.out_words * sizeof(uint64_t);
        run_inputs(&r, c);
        block->record(words_of(&r), a, r.in, want.out, want.care, &want.info);
        if (c % 97u == 50u) {
            missed += flips_missed(&r, block, b, want.out);
        }
        block->eval(words_of(&r), b, r.in, have.out, have.care); // b is where it should be
        moved += memcmp(want.out, have.out, bytes) != 0 || memcmp(want.care, have.care, bytes) != 0;
        const bool full = memcmp(want.care, r.all, bytes) == 0;
        have.info.violated = 0;
        const int closer = step_on(&r, block, b, want.out, &have.info);
        if (closer) {
            block->tick(words_of(&r), b, r.in, &have.info);
        }
        known += full;
        wrong += closer != !full;
        violated += have.info.violated != want.info.violated;
    }
    CHECK_MSG(wrong == 0, "%u lanes: step is wrong in %llu cycles", s->lanes,
              (unsigned long long)wrong);
    CHECK_MSG(missed == 0, "%u lanes: %llu flips missed", s->lanes, (unsigned long long)missed);
    CHECK_MSG(moved == 0 && violated == 0, "%u lanes: step does not what tick does", s->lanes);
    CHECK_MSG(known > cycles / 50u, "%u lanes: only %llu cycles all known", s->lanes,
              (unsigned long long)known);
    free(a);
    free(b);
}

// Long rows take longer.
static uint64_t cycles_of(const shape *s) {
    return s->lanes == 16 && s->lane_bits == 32 ? 100000 : 20000;
}

int main(void) {
    static const char *const isas[] = {"base", "x86-64-v3", "x86-64-v4"};
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        const wlk_block *block = wlk_block_find_isa("collector", isas[i]);
        if (block == NULL) {
            printf("%s: not on this processor\n", isas[i]);
            continue;
        }
        found++;
        for (size_t k = 0; k < SHAPES; k++) {
            instruction_sets_agree(&shapes[k], isas[i], cycles_of(&shapes[k]));
            step_agrees(&shapes[k], block, 4000);
        }
    }
    for (size_t k = 0; k < SHAPES; k++) {
        record_is_eval_and_tick(&shapes[k], 4000);
    }
    CHECK(found > 0);
    CHECK(wlk_block_find_isa("collector", "z80") == NULL);
    CHECK(wlk_block_find("none") == NULL);
    return check_done();
}
