// SPDX-License-Identifier: Apache-2.0
// What the issue stage means, apart from cycles: random programs through the composed model read
// the values that a plain interpreter reads, which runs each warp's instructions one after the
// other. In every named configuration of refmodel/blocks/issue.toml, in order and not, forwarding
// and not.
#include "check.h"
#include "muon.h"
#include "warplock/issue.h"
#include "warplock/stimulus.h"

#include <stdlib.h>
#include <string.h>

enum {
    WARPS = 32,
    LANES = 64,
    PREGS = 1024,
    PER_WARP = 60, // instructions
    PROGRAM = WARPS * PER_WARP,
    SEEDS = 12,
    PATIENCE = 3000, // cycles without an issue that are a hang
    MAX_CONFIGS = 32,
};

/* ---- programs ---- */

// How a program is made and run, drawn once a program.
typedef struct rates {
    uint32_t window;       // registers of a warp that are in use
    uint32_t latency;      // 1..latency cycles from issue to write-back
    uint32_t ready;        // issue.ready in so many of 8 cycles
    uint32_t write;        // a due write-back goes in so many of 8 cycles
    uint32_t offer[WARPS]; // a head comes in so many of 8 cycles
} rates;

typedef struct step {
    inst i;
    uint64_t tmask;
    uint64_t want[3][LANES]; // what the interpreter reads
} step;

static wlk_issue_cfg cfg;
static rates rate;
static step program[WARPS][PER_WARP]; // pc = 1 + warp * PER_WARP + place
static uint64_t registers[PREGS][LANES];
static uint64_t random_state;

static uint32_t below(uint32_t n) {
    return (uint32_t)(wlk_random(&random_state) >> 33) % n;
}

static bool one_in(uint32_t n) {
    return below(n) == 0;
}

// A register of the warp's own, seldom register 0, which all share.
static int pick(uint32_t warp) {
    const uint32_t own = (cfg.num_pregs - 1u) / cfg.num_warps;
    return one_in(12) ? 0 : (int)(1u + warp * own + below(wlk_min(own, rate.window)));
}

static bool admissible(const inst *i) {
    for (uint32_t a = 0; a < 3; a++) {
        uint32_t times = 0;
        for (uint32_t b = 0; b < 3; b++) {
            times += i->rs[b] == i->rs[a];
        }
        if (i->rs[a] > 0 && times > cfg.max_pending_reads) {
            return false;
        }
    }
    return i->rd >= 0 || sources_of(i) != 0;
}

static inst invent(uint32_t warp, uint32_t pc) {
    inst i;
    do {
        const uint32_t has = below(8);
        i = op(warp, pc, one_in(5) ? NONE : pick(warp), has & 1u ? pick(warp) : NONE,
               has & 2u ? pick(warp) : NONE, has & 4u ? pick(warp) : NONE);
    } while (!admissible(&i));
    return i;
}

static void draw_rates(void) {
    static const uint32_t latencies[] = {1, 3, 12, 40};
    rate.window = 1u + below(8);
    rate.latency = latencies[below(4)];
    rate.ready = 1u + below(8);
    rate.write = 2u + below(7);
    for (uint32_t w = 0; w < WARPS; w++) {
        rate.offer[w] = 1u + below(8);
    }
}

static uint64_t all_lanes(void) {
    return wlk_mask(cfg.num_lanes);
}

/* ---- the interpreter ---- */

static uint64_t result_of(uint64_t a, uint64_t b, uint64_t c, uint32_t pc, uint32_t lane) {
    uint64_t mixed = a + 3u * b + 5u * c + ((uint64_t)pc << 8) + lane;
    return wlk_random(&mixed) & wlk_mask(cfg.lane_bits);
}

static uint64_t initial_value(uint32_t preg, uint32_t lane) {
    return result_of(preg, 1, 2, 0, lane);
}

static void interpret(step *s) {
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t lane = 0; lane < cfg.num_lanes; lane++) {
            s->want[k][lane] = s->i.rs[k] > 0 ? registers[s->i.rs[k]][lane] : 0u;
        }
    }
    for (uint32_t lane = 0; s->i.rd > 0 && lane < cfg.num_lanes; lane++) {
        if (s->tmask >> lane & 1u) {
            registers[s->i.rd][lane] =
                result_of(s->want[0][lane], s->want[1][lane], s->want[2][lane], s->i.pc, lane);
        }
    }
}

// A program, and what its instructions read.
static void write_program(void) {
    draw_rates();
    for (uint32_t r = 0; r < cfg.num_pregs; r++) {
        for (uint32_t lane = 0; lane < cfg.num_lanes; lane++) {
            registers[r][lane] = initial_value(r, lane);
        }
    }
    for (uint32_t w = 0; w < cfg.num_warps; w++) {
        for (uint32_t n = 0; n < PER_WARP; n++) {
            step *s = &program[w][n];
            s->i = invent(w, 1u + w * PER_WARP + n);
            s->tmask = one_in(3) ? all_lanes() : wlk_random(&random_state) & all_lanes();
            interpret(s);
        }
    }
}

/* ---- the composed model, instruction buffers before it and execution behind it ---- */

typedef struct result {
    uint64_t due; // earliest cycle
    const step *of;
    uint64_t value[LANES];
} result;

static wlk_issue_in in;
static wlk_issue_out out, care;
static result results[PROGRAM + 1]; // those that are not written yet, in no order
static uint32_t n_results;
static uint32_t times_issued[PROGRAM];
static uint32_t next_of[WARPS];   // place of the warp's head
static bool offered[WARPS];       // it stays until it is taken
static uint32_t issued_of[WARPS]; // instructions of the warp that have been issued
static uint64_t cycles, last_issue, hits[64];
static uint32_t issued, wrong_values, unknown_values, out_of_order;

static uint64_t lane_of(const uint64_t *row, uint32_t lane) {
    const uint32_t bit = lane * cfg.lane_bits;
    return row[bit / 64u] >> bit % 64u & wlk_mask(cfg.lane_bits);
}

static void put_lane(uint64_t *row, uint32_t lane, uint64_t value) {
    const uint32_t bit = lane * cfg.lane_bits;
    row[bit / 64u] |= value << bit % 64u;
}

static void offer_heads(void) {
    for (uint32_t w = 0; w < cfg.num_warps; w++) {
        const uint32_t n = next_of[w];
        offered[w] = n < PER_WARP && (offered[w] || below(8) < rate.offer[w]);
        in.ibuf[w].valid = offered[w];
        if (offered[w]) {
            PUT_INST(in.ibuf[w].bits, program[w][n].i);
            in.ibuf[w].bits.uop.tmask = program[w][n].tmask;
        }
    }
}

// One of the results that are due.
static void write_back(void) {
    uint32_t due = 0;
    result *chosen = NULL;
    if (below(8) >= rate.write) {
        return;
    }
    for (uint32_t i = 0; i < n_results; i++) {
        if (results[i].due <= cycles && one_in(++due)) {
            chosen = &results[i];
        }
    }
    if (chosen == NULL) {
        return;
    }
    in.writeback.valid = 1;
    in.writeback.bits.rd = (uint16_t)chosen->of->i.rd;
    in.writeback.bits.tmask = chosen->of->tmask;
    for (uint32_t lane = 0; lane < cfg.num_lanes; lane++) {
        put_lane(in.writeback.bits.data, lane, chosen->value[lane]);
    }
    *chosen = results[--n_results];
}

// What was read is judged, and worked on whether right or wrong.
static void execute(const step *s) {
    result *r = &results[n_results];
    for (uint32_t lane = 0; lane < cfg.num_lanes; lane++) {
        uint64_t read[3];
        for (uint32_t k = 0; k < 3; k++) {
            read[k] = lane_of(out.operands[k], lane);
            wrong_values += read[k] != s->want[k][lane];
            unknown_values += lane_of(care.operands[k], lane) != wlk_mask(cfg.lane_bits);
        }
        r->value[lane] = result_of(read[0], read[1], read[2], s->i.pc, lane);
    }
    r->of = s;
    r->due = cycles + 1u + below(rate.latency);
    n_results += s->i.rd >= 0;
}

static void take_issue(void) {
    const uint32_t pc = (uint32_t)out.issue.bits.uop.pc - 1u, w = pc / PER_WARP;
    if (!CHECK_MSG(w < cfg.num_warps && out.issue.bits.uop.wid == w, "pc %u of warp %u", pc + 1u,
                   out.issue.bits.uop.wid)) {
        return;
    }
    const step *s = &program[w][pc % PER_WARP];
    CHECK_MSG(out.issue.bits.uop.tmask == s->tmask, "pc %u", pc + 1u);
    out_of_order += issued_of[w] != pc % PER_WARP;
    issued_of[w]++;
    times_issued[pc]++;
    issued++;
    last_issue = cycles;
    execute(s);
}

static void note_events(uint64_t events) {
    for (; events != 0; events &= events - 1u) {
        hits[__builtin_ctzll(events)]++;
    }
}

static void cycle(const wlk_block *block, void *state) {
    static uint64_t words[512], shown[1024], cared[1024];
    wlk_step_info info;
    wlk_issue_in_pack(&cfg, &in, words);
    block->record((const uint32_t *)&cfg, state, words, shown, cared, &info);
    note_events(info.events);
    wlk_issue_out_unpack(&cfg, shown, &out);
    wlk_issue_out_unpack(&cfg, cared, &care);
    if (out.issue.valid && in.issue.ready) {
        take_issue();
    }
    for (uint32_t w = 0; w < cfg.num_warps; w++) {
        const bool taken = out.ibuf[w].ready && in.ibuf[w].valid;
        next_of[w] += taken;
        offered[w] = offered[w] && !taken;
    }
    memset(&in, 0, sizeof in);
    cycles++;
}

// Reset, and a value in each register.
static void prepare(const wlk_block *block, void *state) {
    memset(&in, 0, sizeof in);
    n_results = 0;
    memset(times_issued, 0, sizeof times_issued);
    memset(next_of, 0, sizeof next_of);
    memset(offered, 0, sizeof offered);
    memset(issued_of, 0, sizeof issued_of);
    cycles = 0;
    last_issue = 0;
    issued = 0;
    wrong_values = 0;
    unknown_values = 0;
    out_of_order = 0;
    block->init((const uint32_t *)&cfg, state, WLK_POWER_UNKNOWN);
    in.reset = 1;
    cycle(block, state);
    for (uint32_t r = 0; r < cfg.num_pregs; r++) {
        in.writeback.valid = 1;
        in.writeback.bits.rd = (uint16_t)r;
        in.writeback.bits.tmask = all_lanes();
        for (uint32_t lane = 0; lane < cfg.num_lanes; lane++) {
            put_lane(in.writeback.bits.data, lane, initial_value(r, lane));
        }
        cycle(block, state);
    }
    last_issue = cycles;
}

static void run(const char *name) {
    const wlk_block *block = wlk_block_find("issue");
    static _Alignas(64) wlk_issue_state state;
    const uint32_t total = cfg.num_warps * PER_WARP;
    write_program();
    prepare(block, &state);
    while (issued < total && cycles < last_issue + PATIENCE) {
        offer_heads();
        write_back();
        in.issue.ready = below(8) < rate.ready;
        cycle(block, &state);
    }
    uint32_t once = 0;
    for (uint32_t pc = 0; pc < total; pc++) {
        once += times_issued[pc] == 1;
    }
    CHECK_MSG(once == total, "%s: %u of %u instructions issued once", name, once, total);
    CHECK_MSG(wrong_values == 0, "%s: %u values differ", name, wrong_values);
    CHECK_MSG(unknown_values == 0, "%s: %u values unknown", name, unknown_values);
    if (cfg.in_order_per_warp) {
        CHECK_MSG(out_of_order == 0, "%s: %u out of order", name, out_of_order);
    }
}

/* ---- configurations ---- */

typedef struct named {
    char name[64], set[512];
} named;

static named configs[MAX_CONFIGS];

// The rows of `config` in the table: a name, and perhaps a set of values, in one line.
static uint32_t read_configs(const char *path) {
    char line[1024];
    uint32_t n = 0;
    bool inside = false;
    FILE *file = fopen(path, "r");
    if (!CHECK_MSG(file != NULL, "%s", path)) {
        return 0;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        const char *set = strstr(line, "set = {");
        if (line[0] != ' ') {
            inside = strncmp(line, "config = [", 10) == 0;
        } else if (inside && n < MAX_CONFIGS &&
                   sscanf(line, "  { name = \"%63[^\"]", configs[n].name) == 1) {
            (void)sscanf(set != NULL ? set : "", "set = { %511[^}]", configs[n].set);
            n++;
        }
    }
    (void)fclose(file);
    return n;
}

static void configure(const char *set) {
    char text[512], key[64], value[64];
    int used = 0;
    wlk_error err;
    wlk_config_defaults(&wlk_issue_table, (uint32_t *)&cfg);
    (void)snprintf(text, sizeof text, "%s", set);
    for (const char *at = text; sscanf(at, " %63[a-z_] = %63[a-z0-9]%n", key, value, &used) == 2;) {
        CHECK_MSG(wlk_config_set(&wlk_issue_table, (uint32_t *)&cfg, key, value, &err) == WLK_OK,
                  "%s", err.text);
        at += used;
        at += strspn(at, ", ");
    }
    // §2: the stage never reads a register in the cycle in which it is written.
    cfg.read_during_write = WLK_ISSUE_READ_DURING_WRITE_UNDEFINED;
}

// All programs of a configuration, in order and not, forwarding and not.
static void run_all(const char *name, const char *set) {
    for (uint32_t variation = 0; variation < 4; variation++) {
        wlk_error err;
        configure(set);
        cfg.in_order_per_warp = variation & 1u;
        cfg.forward_coll_issue = variation >> 1;
        if (wlk_issue_check(&cfg, &err) != WLK_OK) {
            CHECK_MSG(cfg.in_order_per_warp && cfg.rs_entries < cfg.num_warps, "%s: %s", name,
                      err.text);
            continue;
        }
        for (uint32_t seed = 1; seed <= SEEDS; seed++) {
            char label[160];
            (void)snprintf(label, sizeof label, "%s in_order=%u forward=%u seed %u", name,
                           cfg.in_order_per_warp, cfg.forward_coll_issue, seed);
            random_state = seed;
            run(label);
        }
    }
}

CASE(meaning_of_named_configurations) {
    const uint32_t n = read_configs("refmodel/blocks/issue.toml");
    CHECK_MSG(n >= 12, "%u configurations", n);
    for (uint32_t i = 0; i < n; i++) {
        run_all(configs[i].name, configs[i].set);
    }
}

CASE(meaning_of_other_shapes) {
    static const char *const sets[] = {
        "lane_bits = 64, num_lanes = 3, num_warps = 4, num_pregs = 32, coll_entries = 3",
        "num_lanes = 64, num_warps = 2, num_pregs = 16, rs_entries = 32, coll_entries = 32",
        "num_warps = 32, num_lanes = 1, num_pregs = 256, rs_entries = 32, coll_entries = 5",
        "num_warps = 1, num_lanes = 2, num_pregs = 2, rs_entries = 3, max_pending_reads = 2",
        "num_warps = 5, num_lanes = 2, num_pregs = 64, rs_entries = 7, bank_select = modulo",
    };
    for (size_t i = 0; i < COUNT(sets); i++) {
        run_all(sets[i], sets[i]);
    }
}

// The programs must have met what makes the stage hard.
CASE(meaning_met_the_hazards) {
    for (uint32_t i = 0; i < wlk_issue_table.n_covers; i++) {
        const char *name = wlk_issue_table.covers[i].name;
        // No reset but the first; a register that is being read is never written (§4, WAR).
        const bool never =
            strstr(name, "reset") != NULL || strcmp(name, "write_while_landing") == 0;
        CHECK_MSG(never ? hits[i] == 0 : hits[i] >= 100, "%s: %u times", name, (unsigned)hits[i]);
    }
}

int main(void) {
    return check_cases();
}
