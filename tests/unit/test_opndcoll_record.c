// SPDX-License-Identifier: Apache-2.0
// The recorder's calls where the class of a simulator does not show them, and the options that a
// recording holds. What it writes: tests/replay/test_opndcoll_record.py.
#include "check.h"
#include "gpgpusim_configs.h"
#include "scratch.h"
#include "warplock/opndcoll_options.h"
#include "warplock/opndcoll_record.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static wlk_opndcoll_cfg read_back(const wlk_opndcoll_cfg *cfg) {
    wlk_opndcoll_cfg read;
    wlk_error err = {WLK_OK, ""};
    char *unknown = NULL;
    FILE *to = fopen(scratch("a.cfg"), "w");
    wlk_opndcoll_write_options(cfg, to);
    (void)fclose(to);
    wlk_opndcoll_defaults(&read);
    read.revision = cfg->revision;
    CHECK_MSG(wlk_opndcoll_read_options(&read, scratch("a.cfg"), &unknown, &err) == WLK_OK, "%s",
              err.text);
    CHECK(unknown == NULL);
    return read;
}

// Every number is another one than the default where that is legal.
static wlk_opndcoll_cfg all_set(uint32_t revision) {
    wlk_opndcoll_cfg c = gtx480(revision);
    uint32_t *const counts = &c.operand_collector_num_units_sp;
    for (uint32_t i = 0; i < 21; i++) {
        counts[i] = 5u + i % 3u;
    }
    for (uint32_t i = 0; i < WLK_OPNDCOLL_WIDTHS && revision != V32; i++) {
        c.pipeline_widths[i] = 2u + i;
    }
    c.num_reg_banks = 12;
    c.num_sched_per_core = 3;
    c.reg_file_port_throughput = 4;
    c.tensor_core_avail = 1;
    c.num_dp_units = 6;
    c.num_int_units = 7;
    c.shader_core_pipeline[0] = 512;
    c.shader_core_pipeline[1] = 16;
    c.reg_bank_use_warp_id = 1;
    c.mem_unit_ports = 3;
    c.shmem_warp_parts = 5;
    c.clock_gated_reg_file = 1;
    c.n_regfile_gating_group = 8;
    for (uint32_t i = 0; i < 2 && revision != V32; i++) {
        c.specialized_unit[i] = (wlk_opndcoll_specialized){1, 2 + i, 3, 4, 5 + i, "BRA"};
    }
    return c;
}

CASE(opndcoll_record_options_read_back_are_the_same) {
    for (uint32_t revision = V40; revision <= V32; revision++) {
        const wlk_opndcoll_cfg cfgs[] = {all_set(revision), gtx480(revision),
                                         qv100(revision == V32 ? V40 : revision)};
        for (size_t i = 0; i < sizeof cfgs / sizeof cfgs[0]; i++) {
            const wlk_opndcoll_cfg read = read_back(&cfgs[i]);
            CHECK_MSG(memcmp(&read, &cfgs[i], sizeof read) == 0, "revision %u, %zu", revision, i);
        }
    }
}

CASE(opndcoll_record_options_hold_policies_that_are_on) {
    wlk_opndcoll_cfg cfg = qv100(V42);
    cfg.rotate_kinds = 1;
    cfg.pass_full_sub_core = 1;
    const wlk_opndcoll_cfg read = read_back(&cfg);
    CHECK(memcmp(&read, &cfg, sizeof read) == 0);
}

CASE(opndcoll_record_options_have_names_of_one_word) {
    wlk_opndcoll_cfg cfg = gtx480(V40);
    cfg.specialized_unit[0] = (wlk_opndcoll_specialized){1, 1, 1, 1, 1, "A B#\"\t"};
    CHECK(strcmp(read_back(&cfg).specialized_unit[0].name, "A_B___") == 0);
}

/* ---- calls ---- */

typedef struct rig {
    wlk_opndcoll_cfg cfg;
    wlk_opndcoll *model;
    wlk_opndcoll_record_options options;
    wlk_opndcoll_recorder *recorder;
    wlk_opndcoll_events events;
    wlk_error err;
    char told[512];
    uint32_t messages;
} rig;

static void hear(void *user, const char *text) {
    rig *r = user;
    (void)snprintf(r->told, sizeof r->told, "%s", text);
    r->messages++;
}

static rig *make_rig(void) {
    rig *r = calloc(1, sizeof *r);
    r->cfg = qv100(V40);
    r->model = wlk_opndcoll_init(&r->cfg, malloc(wlk_opndcoll_state_size(&r->cfg)));
    r->events.room = wlk_opndcoll_max_events(&r->cfg);
    r->events.at = calloc(r->events.room, sizeof *r->events.at);
    wlk_opndcoll_record_defaults(&r->options);
    r->options.report = hear;
    r->options.user = r;
    return r;
}

static wlk_status open_rig(rig *r) {
    return wlk_opndcoll_record_open(&r->recorder, &r->cfg, r->model, &r->options, &r->err);
}

static wlk_status close_rig(rig *r) {
    return wlk_opndcoll_record_close(r->recorder, &r->err);
}

static void free_rig(rig *r) {
    free(r->model);
    free(r->events.at);
    free(r);
}

static int32_t put(rig *r, uint32_t uid, uint32_t wid, uint32_t sched) {
    const int32_t regs[] = {1, 2};
    const wlk_opndcoll_inst inst = {
        .uid = uid, .wid = wid, .sched = sched, .lanes = UINT32_MAX, .n_src = 2, .src = regs};
    return wlk_opndcoll_record_put(r->recorder, WLK_OPNDCOLL_SP, sched, &inst, regs, 2);
}

static void step(rig *r) {
    r->events.count = 0;
    wlk_opndcoll_record_step(r->recorder, &r->events);
}

CASE(opndcoll_record_calls_answer_as_the_model) {
    rig *r = make_rig();
    wlk_opndcoll_held held;
    int32_t dst[33] = {1, 1};
    CHECK(open_rig(r) == WLK_OK && !wlk_opndcoll_record_summary(r->recorder, stdout));
    CHECK(put(r, 1, 0, 0) == 0 && put(r, 2, 0, 0) == WLK_OPNDCOLL_FULL);
    CHECK(put(r, 3, 0, 4) == WLK_OPNDCOLL_BAD);
    CHECK(wlk_opndcoll_record_writeback(r->recorder, 9, dst, 33, 0, 0, 1) == WLK_OPNDCOLL_BAD);
    CHECK(wlk_opndcoll_record_writeback(r->recorder, 9, dst, 2, 0, 0, 1) == 0 && dst[0] == -1);
    for (uint32_t i = 0; i < 4; i++) {
        step(r);
    }
    CHECK(wlk_opndcoll_record_take_slot(r->recorder, WLK_OPNDCOLL_SP, 0, &held) == 0);
    CHECK(held.uid == 1);
    CHECK(wlk_opndcoll_record_take_slot(r->recorder, WLK_OPNDCOLL_SP, 0, NULL) ==
          WLK_OPNDCOLL_FULL);
    wlk_opndcoll_record_stop(r->recorder, "of nothing");
    CHECK(close_rig(r) == WLK_OK && r->messages == 0);
    free_rig(r);
}

CASE(opndcoll_record_window_that_ends_before_it_begins) {
    rig *r = make_rig();
    r->options.first = 7;
    r->options.last = 6;
    CHECK(open_rig(r) == WLK_BAD_PARAMS && r->recorder == NULL);
    CHECK_MSG(strstr(r->err.text, "ends with core cycle 6 and begins with 7") != NULL, "%s",
              r->err.text);
    CHECK(close_rig(r) == WLK_OK);
    free_rig(r);
}

// A record of one step, without which there is nothing; the status is that of the close.
static wlk_status record(rig *r, const char *name, uint32_t steps) {
    r->options.stem = scratch(name);
    CHECK(open_rig(r) == WLK_OK);
    for (uint32_t i = 0; i < steps; i++) {
        wlk_opndcoll_record_cycle(r->recorder, i);
        (void)put(r, 10u + i, 70000, 0);
        step(r);
    }
    return close_rig(r);
}

CASE(opndcoll_record_close_tells_what_was_reported) {
    rig *r = make_rig();
    CHECK(record(r, "a.stim", 0) == WLK_VACUOUS && r->messages == 1);
    CHECK(strstr(r->told, "the collector made no step") != NULL);
    CHECK(strcmp(r->told, r->err.text) == 0);
    CHECK(record(r, "absent/a.stim", 1) == WLK_NO_FILE && r->messages == 2);
    free_rig(r);
    r = make_rig();
    CHECK(record(r, "a.stim", 2) == WLK_TRUNCATED && r->messages == 1);
    CHECK_MSG(strstr(r->told, "#10 is of warp 70000, which is beyond 65535") != NULL, "%s",
              r->told);
    free_rig(r);
}

// A bank that was written before the window is busy in its first step, and no command says so.
CASE(opndcoll_record_begins_behind_a_write_that_it_does_not_have) {
    rig *r = make_rig();
    char text[512] = "";
    int32_t dst[] = {1};
    r->options.stem = scratch("late.stim");
    r->options.first = 6;
    CHECK(open_rig(r) == WLK_OK);
    wlk_opndcoll_record_cycle(r->recorder, 5);
    CHECK(wlk_opndcoll_record_writeback(r->recorder, 9, dst, 1, 0, 0, 1) == 1);
    for (uint32_t cycle = 6; cycle < 8; cycle++) {
        wlk_opndcoll_record_cycle(r->recorder, cycle);
        step(r);
    }
    CHECK(close_rig(r) == WLK_OK && r->messages == 0);
    FILE *from = fopen(scratch("late.sm0.stim"), "r");
    text[fread(text, 1, sizeof text - 1u, from)] = '\0';
    (void)fclose(from);
    CHECK_MSG(strstr(text, "\nC 7\nX\n# end\n") != NULL && strstr(text, "C 6") == NULL, "%s", text);
    free_rig(r);
}

int main(void) {
    scratch_make();
    return check_cases();
}
