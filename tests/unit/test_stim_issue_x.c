// SPDX-License-Identifier: Apache-2.0
// The stimulus of the Muon document's issue stage on the model alone: what is held, what moves up,
// what ends a deadlock, and what is reported of one (muon-designs §2, §6, §9.2).
#include "check.h"
#include "rig.h"
#include "scratch.h"
#include "warplock/issue_x.h"
#include "warplock/muon.h"

enum { WARPS = 4, WINDOW = 4, PREGS = 64, TEXT = 4096 };

#define COMMON "num_warps=4 num_lanes=3 num_pregs=64 rs_entries=6 alloc_rows=3 "
#define SRC    COMMON "collector=src_banked coll_banks=4 coll_depth=4 reg_banks=4 bank_map=mod "
#define NAIVE  SRC "coll_alloc=eager alloc_order=age war=stall"
#define MUST                                                                                       \
    SRC "coll_alloc=admit alloc_order=age forwarding=must war=stall count_forwarded_reads=0"
#define EPOCH SRC "coll_alloc=admit alloc_order=age forwarding=egress war=epoch"
#define PORTS                                                                                      \
    COMMON "collector=inst_banked coll_banks=3 coll_depth=3 coll_alloc=eager alloc_order=age "     \
           "issue_ports=3 ibuf_window=4"

static rig r;

static void open_stage(const char *settings) {
    rig_close(&r);
    rig_open(&r, "issue_x", settings, WLK_POWER_UNKNOWN);
}

static void load(const char *settings, const char *instructions) {
    char text[1024];
    (void)snprintf(text, sizeof text, "warplock-program 1\n%s", instructions);
    open_stage(settings);
    rig_program(&r, scratch_text("x.prog", text));
}

static void step(void) {
    rig_next(&r, r.state);
    rig_record(&r);
}

static void run(uint32_t cycles) {
    for (uint32_t c = 0; c < cycles; c++) {
        step();
    }
}

static const wlk_issue_x_cfg *cfg(void) {
    return (const wlk_issue_x_cfg *)r.cfg;
}

static bool in_reset(void) {
    return wlk_issue_x_in_get_reset(r.in);
}

/* ---- what is held ---- */

typedef struct offer {
    bool waits;
    uint32_t rd;
    uint64_t mask, data[WLK_ISSUE_X_MAX_NUM_LANES];
} offer;

static offer write_of_cycle(void) {
    offer w = {.rd = wlk_issue_x_in_get_writeback_bits_rd(r.in),
               .mask = wlk_issue_x_in_get_writeback_bits_tmask(r.in)};
    w.waits = wlk_issue_x_in_get_writeback_valid(r.in) &&
              !wlk_issue_x_out_get_writeback_ready(r.out) && !in_reset();
    const uint32_t elements = cfg()->num_warps; // no window here
    memcpy(w.data, wlk_issue_x_in_element(r.in, elements), 12);
    return w;
}

CASE(stim_issue_x_holds_a_write_until_it_is_taken) {
    static const char *const settings[] = {NAIVE, MUST, MUST " wb_buffer=2", EPOCH " wb_buffer=1"};
    for (size_t i = 0; i < COUNT(settings); i++) {
        offer before = {.waits = false};
        uint32_t held = 0;
        open_stage(settings[i]);
        rig_stimulus(&r, 3, "mix");
        for (uint32_t c = 0; c < 20000; c++) {
            step();
            const offer now = write_of_cycle();
            if (before.waits) {
                CHECK(wlk_issue_x_in_get_writeback_valid(r.in));
                CHECK(now.rd == before.rd && now.mask == before.mask);
                CHECK(memcmp(now.data, before.data, sizeof now.data) == 0);
                held++;
            }
            before = now;
        }
        CHECK_MSG(held > 200, "%s: %u", settings[i], held);
    }
}

/* ---- instructions ---- */

// What a warp shows.
typedef struct shown {
    uint32_t n;
    uint64_t entry[WINDOW][WLK_ENTRY_WORDS];
    uint32_t unit[WINDOW];
} shown;

static shown shown_by(uint32_t warp) {
    shown s = {.n = wlk_issue_x_in_get_ibuf_valid(r.in) >> warp & 1u};
    const uint64_t *head = wlk_issue_x_in_element(r.in, warp);
    memcpy(s.entry[0], head + WLK_ISSUE_X_IN_IBUF_BITS, sizeof s.entry[0]);
    s.unit[0] = wlk_issue_x_in_get_ibuf_bits_uop_fuSel(head);
    for (uint32_t n = 1; n < WINDOW; n++) {
        const uint64_t *at = wlk_issue_x_in_element(r.in, warp + WARPS * (n - 1u));
        memcpy(s.entry[n], at + WLK_ISSUE_X_IN_IBUF_WINDOW_BITS, sizeof s.entry[0]);
        s.unit[n] = wlk_issue_x_in_get_ibuf_window_bits_uop_fuSel(at);
        const bool valid = wlk_issue_x_in_get_ibuf_window_valid(at);
        CHECK_MSG(!valid || s.n == n, "warp %u has a gap before %u", warp, n);
        s.n += valid;
    }
    return s;
}

static bool goes(uint32_t warp, uint32_t n) {
    return n == 0 ? wlk_issue_x_out_get_ibuf_ready(r.out) >> warp & 1u
                  : wlk_issue_x_out_get_ibuf_window_ready(
                        wlk_issue_x_out_element(r.out, warp + WARPS * (n - 1u)));
}

// Those that stay come next, in order; how many went past the head.
static uint32_t expect(uint32_t warp, const shown *s, shown *next) {
    uint32_t passed = 0;
    *next = (shown){.n = 0};
    for (uint32_t n = 0; n < s->n && !in_reset(); n++) {
        if (goes(warp, n)) {
            passed += n > 0;
            continue;
        }
        memcpy(next->entry[next->n], s->entry[n], sizeof s->entry[n]);
        next->unit[next->n++] = s->unit[n];
    }
    return passed;
}

CASE(stim_issue_x_moves_a_window_up) {
    shown wanted[WARPS] = {{.n = 0}};
    uint32_t passed = 0;
    open_stage(PORTS);
    rig_stimulus(&r, 5, "mix");
    for (uint32_t c = 0; c < 20000; c++) {
        step();
        for (uint32_t warp = 0; warp < WARPS; warp++) {
            const shown now = shown_by(warp);
            CHECK(now.n >= wanted[warp].n);
            for (uint32_t n = 0; n < wanted[warp].n; n++) {
                CHECK(memcmp(now.entry[n], wanted[warp].entry[n], sizeof now.entry[n]) == 0);
                CHECK(now.unit[n] == wanted[warp].unit[n]);
            }
            passed += expect(warp, &now, &wanted[warp]);
        }
    }
    CHECK_MSG(passed > 500, "%u", passed);
}

/* ---- results ---- */

// Takes the instructions that are issued; a bit a port.
static uint32_t issued(const uint64_t **entry) {
    uint32_t ports = 0;
    if (cfg()->issue_ports == 1) {
        entry[0] = r.out + WLK_ISSUE_X_OUT_ISSUE_BITS;
        return wlk_issue_x_out_get_issue_valid(r.out) & wlk_issue_x_in_get_issue_ready(r.in);
    }
    ports = wlk_issue_x_out_get_issuePort_valid(r.out) & wlk_issue_x_in_get_issuePort_ready(r.in);
    for (uint32_t p = 0; p < cfg()->issue_ports; p++) {
        entry[p] = wlk_issue_x_out_element(r.out, p) + WLK_ISSUE_X_OUT_ISSUEPORT_BITS;
    }
    return ports;
}

// Every result comes back once, and nothing else but in the profile that is made for it.
static uint32_t strays(const char *settings, const char *profile, uint32_t *written) {
    uint32_t running[PREGS] = {0}, stray = 0;
    open_stage(settings);
    rig_stimulus(&r, 5, profile);
    for (uint32_t c = 0; c < 6000; c++) {
        const uint64_t *entry[WLK_ISSUE_X_MAX_ISSUE_PORTS];
        r.stim.drain = c >= 5000;
        step();
        const uint32_t rd = wlk_issue_x_in_get_writeback_bits_rd(r.in);
        const bool taken =
            wlk_issue_x_in_get_writeback_valid(r.in) && wlk_issue_x_out_get_writeback_ready(r.out);
        *written += taken;
        stray += taken && running[rd] == 0;
        running[rd] -= taken && running[rd] != 0;
        if (in_reset()) {
            memset(running, 0, sizeof running);
            continue;
        }
        for (uint32_t rest = issued(entry); rest != 0; rest &= rest - 1u) {
            const uint64_t *leaves = entry[__builtin_ctz(rest)];
            running[wlk_entry_get_rd(leaves)] += wlk_entry_get_hasRd(leaves);
        }
    }
    for (uint32_t preg = 0; preg < PREGS; preg++) {
        CHECK_MSG(running[preg] == 0, "%s: x%u is not written back", profile, preg);
    }
    CHECK(r.gen->idle(r.cfg, r.state, &r.stim));
    return stray;
}

CASE(stim_issue_x_writes_each_result_back_once) {
    static const char *const settings[] = {MUST, EPOCH " wb_buffer=2", PORTS};
    const wlk_stimulus *gen = wlk_stimulus_find("issue_x");
    for (size_t i = 0; i < COUNT(settings); i++) {
        for (uint32_t p = 0; gen->profiles[p] != NULL; p++) {
            uint32_t written = 0;
            const uint32_t stray = strays(settings[i], gen->profiles[p], &written);
            const bool wanted = strcmp(gen->profiles[p], "stray") == 0;
            CHECK_MSG(wanted ? stray > 50 : stray == 0, "%s: %u", gen->profiles[p], stray);
            CHECK_MSG(written > 100, "%s: %u", gen->profiles[p], written);
        }
    }
}

// A write that belongs to no instruction is of a register that none names until it is done.
CASE(stim_issue_x_strays_where_nobody_looks) {
    uint32_t seen = 0;
    open_stage(MUST " wb_buffer=2");
    rig_stimulus(&r, 9, "stray");
    for (uint32_t c = 0; c < 20000; c++) {
        const wlk_issue_x_state *st = (const wlk_issue_x_state *)r.state;
        rig_next(&r, r.state);
        const uint32_t rd = wlk_issue_x_in_get_writeback_bits_rd(r.in);
        const bool pending = st->scoreboard.pendingWrites[rd] != 0;
        if (c > 4 && wlk_issue_x_in_get_writeback_valid(r.in) && rd != 0 && !pending) {
            CHECK_MSG(st->scoreboard.pendingReads[rd] == 0, "cycle %u: x%u", c, rd);
            for (uint32_t w = 0; w < WARPS; w++) {
                const uint64_t *head = wlk_issue_x_in_element(r.in, w) + WLK_ISSUE_X_IN_IBUF_BITS;
                const bool valid = wlk_issue_x_in_get_ibuf_valid(r.in) >> w & 1u;
                CHECK(!valid || !wlk_entry_get_hasRd(head) || wlk_entry_get_rd(head) != rd);
            }
            seen++;
        }
        rig_record(&r);
    }
    CHECK_MSG(seen > 500, "%u", seen);
}

/* ---- deadlocks ---- */

// This profile has no resets of its own.
static uint32_t resets(const char *settings) {
    uint32_t n = 0;
    open_stage(settings);
    rig_stimulus(&r, 1, "saturate");
    for (uint32_t c = 0; c < 20000; c++) {
        step();
        n += c >= 8 && in_reset();
    }
    return n;
}

CASE(stim_issue_x_ends_a_deadlock_where_one_is_known) {
    CHECK(resets(NAIVE) > 20);
    CHECK(resets(MUST) == 0);
    CHECK(resets(EPOCH) == 0);
    CHECK(resets(PORTS) == 0);
}

static const struct {
    const char *settings, *program;
    uint32_t cycles;
    const char *report; // all of it
} stuck[] = {
    // §6.4: two instructions suffice.
    {NAIVE, "0 0x40 x5 - - - * 4 alu\n0 0x44 x6 x5 - - * 4 alu\n", 5000,
     "the write of x5 is refused while 1 read of its old value is pending (muon-designs, section "
     "6.2): row 0\n"
     "that is a deadlock (muon-designs, section 6.4): the write waits for a read, and the read for "
     "the write, of row 0\n"
     "row 0: warp 0's pc=0x00000044 (line 3) waits for the write of x5, which is not taken"},
    {NAIVE " wb_buffer=2", "0 0x40 x5 - - - * 4 alu\n0 0x44 x6 x5 - - * 4 alu\n", 5000,
     "the stored write of x5 is refused while 1 read of its old value is pending (muon-designs, "
     "section 6.2): row 0\n"
     "that is a deadlock (muon-designs, section 6.4): the write waits for a read, and the read for "
     "the write, of row 0\n"
     "row 0: warp 0's pc=0x00000044 (line 3) waits for the write of x5, which is stored"},
    // §9.2: head of line.
    {SRC "war=epoch",
     "0 0x40 x9 - - - * 40 sfu\n0 0x44 x11 x5 x9 - * 1 alu\n0 0x48 x5 - - - * 1 alu\n", 5000,
     "the write of x5 is refused while 1 read of its old value is pending (muon-designs, section "
     "6.2): row 0\n"
     "row 0: warp 0's pc=0x00000044 (line 3) waits for the write of x9, which is behind that of "
     "x5\n"
     "in execution: 1 results"},
    // The head waits for a write, and the one that may pass it is never admitted.
    {SRC "ibuf_window=4 max_pending_reads=2",
     "0 0x40 x1 - - - * 900 lsu\n0 0x44 x1 - - - * 1 alu\n0 0x48 x2 x3 x3 x3 * 1 alu\n", 100,
     "warp 0's instruction pc=0x00000048 (line 4) names x3 in 3 sources and max_pending_reads is "
     "2, so the scoreboard never admits it (muon-issue, section 4)\n"
     "warp 0's head pc=0x00000044 (line 3) waits for the write of x1\n"
     "in execution: 1 results"},
    // One that is fenced is no candidate: it writes what the head reads.
    {SRC "ibuf_window=4",
     "0 0x40 x1 - - - * 900 lsu\n0 0x44 x1 x2 - - * 1 alu\n0 0x48 x2 - - - * 1 alu\n", 100,
     "warp 0's head pc=0x00000044 (line 3) waits for the write of x1\n"
     "in execution: 1 results"},
};

CASE(stim_issue_x_reports_what_is_stuck) {
    for (size_t i = 0; i < COUNT(stuck); i++) {
        char text[TEXT];
        load(stuck[i].settings, stuck[i].program);
        run(stuck[i].cycles);
        r.gen->stuck(r.cfg, r.state, &r.stim, text, sizeof text);
        CHECK_MSG(strcmp(text, stuck[i].report) == 0, "%zu: it reports\n%s", i, text);
    }
    // The runner takes a program for stuck after so long, results in execution or not.
    load(stuck[2].settings, stuck[2].program);
    run(WLK_STIMULUS_DRAIN + 200);
    CHECK(r.gen->still(&r.stim) > WLK_STIMULUS_DRAIN);
}

// Its unit is the instruction's, modulo the banks.
CASE(stim_issue_x_gives_a_program_its_units) {
    uint32_t seen = 0;
    load(PORTS, "0 0x0 x1 - - - * 1 alu\n0 0x4 x2 - - - * 1 mul\n0 0x8 x3 - - - * 1 fpu\n"
                "0 0xc x4 - - - * 1 sfu\n0 0x10 x5 - - - * 1 lsu\n");
    for (uint32_t c = 0; c < 200; c++) {
        const uint64_t *entry[WLK_ISSUE_X_MAX_ISSUE_PORTS];
        step();
        for (uint32_t rest = issued(entry); rest != 0; rest &= rest - 1u) {
            const uint32_t port = (uint32_t)__builtin_ctz(rest);
            const uint32_t unit = (uint32_t)wlk_entry_get_pc(entry[port]) / 4u;
            CHECK_MSG(port == unit % 3u, "unit %u at port %u", unit, port);
            seen++;
        }
    }
    CHECK(seen == 5);
    CHECK(r.gen->idle(r.cfg, r.state, &r.stim));
}

int main(void) {
    const int code = check_cases();
    rig_close(&r);
    return code;
}
