// SPDX-License-Identifier: Apache-2.0
// What the issue stage means, apart from cycles: an instruction reads what those admitted before it
// have written, as if each were done before the next begins, and is issued once, each warp's in
// order where the configuration says so. In every named configuration of
// refmodel/muon/issue/block.toml, in order and not, forwarding and not, under the stimulus of the
// stage.
#include "check.h"
#include "rig.h"
#include "warplock/issue.h"
#include "warplock/muon.h"

enum { MAX_PREGS = 1024, MAX_WORDS = 64, MAX_FLIGHTS = 64, CYCLES = 2000 };

// All lanes of a register.
typedef struct value {
    uint64_t words[MAX_WORDS];
} value;

// An instruction that is admitted and not yet issued.
typedef struct flight {
    uint64_t entry[WLK_ENTRY_WORDS];
    uint32_t waits; // bit k: what source k reads is not written yet
    value want[3];
} flight;

static rig r;
static value registers[MAX_PREGS];
static bool pending[MAX_PREGS]; // one that is admitted writes it
static flight flights[MAX_FLIGHTS];
static uint32_t n_flights; // in the order of their admission
static uint64_t hits[64], issued;
static uint32_t strangers, wrong_values, unknown_values, out_of_order; // of a run

static const wlk_issue_cfg *config(void) {
    return (const wlk_issue_cfg *)r.cfg;
}

static void admit(const uint64_t *entry) {
    const uint32_t has = wlk_entry_has_rs(entry), rd = wlk_entry_get_rd(entry);
    flight *f = &flights[n_flights++];
    REQUIRE(n_flights <= MAX_FLIGHTS, "more instructions than rows");
    memset(f, 0, sizeof *f);
    memcpy(f->entry, entry, sizeof f->entry);
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t preg = wlk_entry_rs(entry, k);
        if ((has >> k & 1u) != 0 && preg != 0) {
            f->waits |= (uint32_t)pending[preg] << k;
            f->want[k] = registers[preg];
        }
    }
    pending[rd] = pending[rd] || (wlk_entry_get_hasRd(entry) && rd != 0);
}

static void write_back(uint32_t preg, uint64_t tmask, const uint64_t *data) {
    for (uint32_t lane = 0; preg != 0 && lane < config()->num_lanes; lane++) {
        const uint32_t bit = lane * config()->lane_bits;
        const uint64_t mask = wlk_mask(config()->lane_bits) << bit % 64u;
        uint64_t *word = &registers[preg].words[bit / 64u];
        if (tmask >> lane & 1u) {
            *word = (*word & ~mask) | (data[bit / 64u] & mask);
        }
    }
    pending[preg] = false;
    for (flight *f = flights; f < flights + n_flights; f++) {
        for (uint32_t k = 0; k < 3; k++) {
            if ((f->waits >> k & 1u) != 0 && wlk_entry_rs(f->entry, k) == preg) {
                f->want[k] = registers[preg];
                f->waits &= ~(1u << k);
            }
        }
    }
}

static void issue(const uint64_t *entry) {
    flight *f = flights;
    while (f < flights + n_flights && memcmp(f->entry, entry, sizeof f->entry) != 0) {
        out_of_order += wlk_entry_get_wid(f->entry) == wlk_entry_get_wid(entry);
        f++;
    }
    if (f == flights + n_flights) {
        strangers++;
        return;
    }
    for (uint32_t k = 0; k < 3; k++) {
        const wlk_payload *shown = &r.layout.out_payload[k];
        const size_t bytes = shown->words * sizeof(uint64_t);
        wrong_values += f->waits != 0 || memcmp(r.out + shown->word, f->want[k].words, bytes) != 0;
        unknown_values += memcmp(r.care + shown->word, r.all + shown->word, bytes) != 0;
    }
    issued++;
    n_flights--;
    memmove(f, f + 1, (size_t)(flights + n_flights - f) * sizeof *f);
}

// The cycle of the inputs at hand.
static void cycle(void) {
    rig_record(&r);
    const bool reset = wlk_issue_in_get_reset(r.in);
    for (uint64_t events = r.info.events; events != 0; events &= events - 1u) {
        hits[__builtin_ctzll(events)]++;
    }
    if (!reset && wlk_issue_out_get_issue_valid(r.out) && wlk_issue_in_get_issue_ready(r.in)) {
        issue(r.out + WLK_ISSUE_OUT_ISSUE_BITS);
    }
    if (wlk_issue_in_get_writeback_valid(r.in)) {
        write_back(wlk_issue_in_get_writeback_bits_rd(r.in),
                   wlk_issue_in_get_writeback_bits_tmask(r.in), r.in + r.layout.in_payload[0].word);
    }
    const uint32_t taken = wlk_issue_out_get_ibuf_ready(r.out) & wlk_issue_in_get_ibuf_valid(r.in);
    for (uint32_t w = 0; w < config()->num_warps; w++) {
        if (!reset && (taken >> w & 1u) != 0) {
            admit(wlk_issue_in_element(r.in, w) + WLK_ISSUE_IN_IBUF_BITS);
        }
    }
    if (reset) {
        n_flights = 0;
        memset(pending, 0, sizeof pending);
    }
}

// Reset, and a value in each register. The instructions before it are not checked: with them the
// arbiters become known, and a cycle takes microseconds.
static void prepare(void) {
    uint64_t random = 1;
    rig_stimulus(&r, 1, "mixed");
    for (uint32_t c = 0; c < CYCLES; c++) {
        rig_next(&r, r.state);
        cycle();
    }
    n_flights = 0;
    memset(registers, 0, sizeof registers);
    rig_idle(&r);
    wlk_issue_in_put_reset(r.in, 1);
    cycle();
    for (uint32_t preg = 0; preg < config()->num_pregs; preg++) {
        rig_idle(&r);
        wlk_issue_in_put_writeback_valid(r.in, 1);
        wlk_issue_in_put_writeback_bits_rd(r.in, preg);
        wlk_issue_in_put_writeback_bits_tmask(r.in, wlk_mask(config()->num_lanes));
        for (uint32_t i = 0; i < r.layout.n_ports; i++) {
            if (!r.ports[i].is_out && r.ports[i].lane >= 0) {
                wlk_port_set(&r.ports[i], r.in, wlk_random(&random));
            }
        }
        cycle();
    }
}

static bool finished(void) {
    return wlk_stimulus_finished(r.gen, r.block, r.cfg, r.state, &r.stim);
}

static void run(const char *name, const char *profile) {
    strangers = wrong_values = unknown_values = out_of_order = 0;
    rig_stimulus(&r, 1, profile);
    for (uint32_t c = 0; c < CYCLES || (!finished() && c < CYCLES + WLK_STIMULUS_DRAIN); c++) {
        r.stim.drain = c >= CYCLES;
        rig_next(&r, r.state);
        cycle();
    }
    CHECK_MSG(strangers == 0 && n_flights == 0, "%s %s: %u issued unasked, %u not", name, profile,
              strangers, n_flights);
    CHECK_MSG(wrong_values == 0, "%s %s: %u values differ", name, profile, wrong_values);
    CHECK_MSG(unknown_values == 0, "%s %s: %u values unknown", name, profile, unknown_values);
    if (config()->in_order_per_warp) {
        CHECK_MSG(out_of_order == 0, "%s %s: %u out of order", name, profile, out_of_order);
    }
}

// All profiles in a configuration, in order and not, forwarding and not. A stray write-back is of
// no instruction, so none can say what is read then.
static void run_all(const char *settings) {
    static const char *const profiles[] = {WLK_ISSUE_PROFILES};
    for (uint32_t variation = 0; variation < 4; variation++) {
        char name[RIG_TEXT];
        // §2: the stage never reads a register in the cycle in which it is written.
        (void)snprintf(name, sizeof name,
                       "%s read_during_write=undefined in_order_per_warp=%u forward_coll_issue=%u",
                       settings, variation & 1u, variation >> 1);
        wlk_error err;
        if (rig_refuses("issue", name, &err)) {
            CHECK_MSG(strstr(err.text, "in_order_per_warp") != NULL, "%s: %s", name, err.text);
            continue;
        }
        rig_open(&r, "issue", name, WLK_POWER_UNKNOWN);
        prepare();
        for (size_t i = 0; i < COUNT(profiles); i++) {
            if (strcmp(profiles[i], "stray") != 0) {
                run(name, profiles[i]);
            }
        }
        rig_close(&r);
    }
}

// Lines of the table: config.NAME = "SETTINGS".
CASE(meaning_of_named_configurations) {
    char line[1024];
    uint32_t n = 0;
    FILE *file = fopen("refmodel/muon/issue/block.toml", "r");
    REQUIRE(file != NULL, "no table");
    while (fgets(line, sizeof line, file) != NULL) {
        int at = 0;
        (void)sscanf(line, "config.%*s = \"%n", &at);
        if (at > 0) {
            line[strcspn(line + at, "\"") + (size_t)at] = '\0';
            run_all(line + at);
            n++;
        }
    }
    (void)fclose(file);
    CHECK_MSG(n >= 12, "%u configurations", n);
}

CASE(meaning_of_other_shapes) {
    run_all("lane_bits=64 num_lanes=3 num_warps=4 num_pregs=32 coll_entries=3");
    run_all("num_lanes=64 num_warps=2 num_pregs=16 rs_entries=32 coll_entries=32");
    run_all("num_warps=32 num_lanes=1 num_pregs=256 rs_entries=32 coll_entries=5");
    run_all("num_warps=1 num_lanes=2 num_pregs=2 rs_entries=3 max_pending_reads=2");
    run_all("num_warps=5 num_lanes=2 num_pregs=64 rs_entries=7 bank_select=modulo");
}

// The programs must have met what makes the stage hard.
CASE(meaning_met_the_hazards) {
    CHECK_MSG(issued >= 500000, "%u issued", (unsigned)issued);
    for (uint32_t i = 0; i < wlk_issue_table.n_covers; i++) {
        const char *name = wlk_issue_table.covers[i].name;
        // A register that is being read is never written (§4, WAR).
        const bool never = strcmp(name, "write_while_landing") == 0;
        CHECK_MSG(never ? hits[i] == 0 : hits[i] >= 100, "%s: %u times", name, (unsigned)hits[i]);
    }
}

int main(void) {
    return check_cases();
}
