// SPDX-License-Identifier: Apache-2.0
// Outputs that mean nothing are compared only where the table calls them exact. No block has such
// an output yet, so the test brings a block of its own: valid and data, both copies of inputs.
#include <string.h>

#include "check.h"
#include "warplock/checker.h"

enum { VALID = 1u, DATA_LSB = 1 };

static void layout(const uint32_t *cfg, wlk_layout *l) {
    (void)cfg;
    memset(l, 0, sizeof *l);
    l->in_control = l->in_words = 1;
    l->out_control = l->out_words = 1;
    l->n_ports = 4;
}

static uint32_t ports(const uint32_t *cfg, const wlk_members *members, wlk_port *list,
                      uint32_t capacity) {
    static const wlk_port all[] = {
        {"in_valid", 0, {0}, 0, -1, 0, 0, 1, false, true},
        {"in_data", 1, {0}, 0, -1, 0, DATA_LSB, 8, false, true},
        {"out_valid", 2, {0}, 0, -1, 0, 0, 1, true, true},
        {"out_data", 3, {0}, 0, -1, 0, DATA_LSB, 8, true, true},
    };
    (void)cfg;
    (void)members;
    for (uint32_t i = 0; i < 4 && i < capacity; i++) {
        list[i] = all[i];
    }
    return 4;
}

static wlk_status check(const uint32_t *cfg, wlk_error *err) {
    (void)cfg;
    (void)err;
    return WLK_OK;
}

static size_t state_size(const uint32_t *cfg) {
    (void)cfg;
    return 64;
}

static void init(const uint32_t *cfg, void *state, wlk_power_up power_up) {
    (void)cfg;
    (void)power_up;
    memset(state, 0, 64);
}

static void eval(const uint32_t *cfg, const void *state, const uint64_t *in, uint64_t *out,
                 uint64_t *care) {
    (void)cfg;
    (void)state;
    out[0] = in[0];
    care[0] = 0x1ff;
}

static void tick(const uint32_t *cfg, void *state, const uint64_t *in, wlk_step_info *info) {
    (void)cfg;
    (void)state;
    (void)in;
    memset(info, 0, sizeof *info);
}

// Compares everything: the checker must not rely on it when an output is inexact.
static int step(const uint32_t *cfg, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info) {
    tick(cfg, state, in->control, info);
    return in->control[0] != got->control[0];
}

/** Mismatching cycles when data differs in every cycle and is valid in @p valid of 4. */
static uint64_t mismatches(bool exact, uint32_t valid) {
    static const int16_t no_bits[] = {-1};
    const wlk_field fields[] = {
        {"in.valid", -1, false, false, true, true, false, false, "", NULL, NULL, NULL, WLK_HEX},
        {"in.data", 0, false, false, true, true, false, false, "", NULL, NULL, NULL, WLK_HEX},
        {"out.valid", -1, true, false, true, true, false, false, "", NULL, NULL, NULL, WLK_HEX},
        {"out.data", 2, true, false, true, exact, false, false, "", NULL, NULL, NULL, WLK_HEX},
    };
    const wlk_channel channels[] = {{"out", 2, -1, no_bits}};
    const wlk_table table = {.name = "wires",
                             .module = "Wires",
                             .reset = -1,
                             .fields = fields,
                             .channels = channels,
                             .n_fields = 4,
                             .n_channels = 1,
                             .layout = layout,
                             .ports = ports};
    const wlk_block block = {.table = &table,
                             .check = check,
                             .state_size = state_size,
                             .init = init,
                             .eval = eval,
                             .tick = tick,
                             .step = step};
    const uint32_t cfg[1] = {0};
    const wlk_checker_options options = {.scope = "t"};
    wlk_checker *c = NULL;
    wlk_error err;
    CHECK(wlk_checker_open(&c, &block, cfg, &options, &err) == WLK_OK);
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t in = (uint64_t)(i < valid) | 0x5u << DATA_LSB;
        const uint64_t got = (uint64_t)(i < valid) | 0xau << DATA_LSB;
        (void)wlk_checker_step_x(c, &in, NULL, &got, NULL);
    }
    const wlk_checker_result r = wlk_checker_result_get(c, false);
    wlk_checker_close(c);
    return r.mismatches;
}

int main(void) {
    CHECK(mismatches(true, 0) == 4);
    CHECK(mismatches(true, 3) == 4);
    CHECK(mismatches(false, 0) == 0);
    CHECK(mismatches(false, 3) == 3);
    return check_done();
}
