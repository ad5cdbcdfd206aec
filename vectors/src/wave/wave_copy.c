// SPDX-License-Identifier: Apache-2.0
/* A waveform of any kind as a VCD that is easy to read: a definition, a time or a change a line. */
#include "wave_private.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CODES = 94, LONGEST_CODE = 8 };

typedef struct copy {
    const wlk_wave *wave;
    FILE *to;
    uint8_t *named; /* [handle]: events have values, but no name */
    uint64_t time;
    bool any_time;
} copy;

/* The identifier code of a handle; codes are in the order in which vcd.c gives handles. */
static const char *code_of(uint32_t handle, char room[LONGEST_CODE]) {
    char *code = room + LONGEST_CODE - 1;
    for (*code = '\0'; handle != 0; handle = (handle - 1) / CODES) {
        *--code = (char)('!' + (handle - 1) % CODES);
    }
    return code;
}

/* "$timescale 10ns" */
static void put_timescale(const copy *c) {
    static const char *const units[] = {"s", "ms", "us", "ns", "ps", "fs", "as", "zs"};
    const int thousands = (2 - c->wave->source.exponent) / 3;
    if (thousands >= 0 && thousands < (int)(sizeof units / sizeof units[0])) {
        const int zeros = c->wave->source.exponent + 3 * thousands;
        (void)fprintf(c->to, "$timescale 1%.*s%s $end\n", zeros, "000", units[thousands]);
    }
}

static bool put_scope(void *ctx, const char *name) {
    const copy *c = ctx;
    (void)fprintf(c->to, "$scope module %s $end\n", name);
    return true;
}

static void put_upscope(void *ctx) {
    const copy *c = ctx;
    (void)fputs("$upscope $end\n", c->to);
}

static bool put_signal(void *ctx, const char *name, uint32_t handle, uint64_t place) {
    const copy *c = ctx;
    char code[LONGEST_CODE];
    (void)place;
    c->named[handle] = 1;
    (void)fprintf(c->to, "$var wire %" PRIu32 " %s %s $end\n", c->wave->source.bits[handle],
                  code_of(handle, code), name);
    return true;
}

static bool put_change(void *ctx, uint64_t time, uint32_t handle, const uint8_t *value,
                       uint32_t length) {
    copy *c = ctx;
    char code[LONGEST_CODE];
    if (time != c->time || !c->any_time) {
        (void)fprintf(c->to, "#%" PRIu64 "\n", time);
        c->time = time;
        c->any_time = true;
    }
    const bool is_vector = c->wave->source.bits[handle] > 1;
    (void)fputs(is_vector ? "b" : "", c->to);
    (void)fwrite(value, 1, length, c->to);
    (void)fprintf(c->to, "%s%s\n", is_vector ? " " : "", code_of(handle, code));
    return ferror(c->to) == 0;
}

static bool put_off(void *ctx, uint64_t time) {
    (void)ctx;
    (void)time;
    return true;
}

wlk_status wlk_wave_copy(wlk_wave *wave, FILE *to, wlk_error *err) {
    copy c = {.wave = wave, .to = to};
    const wlk_visitor visitor = {put_scope, put_upscope, put_signal, &c};
    const wlk_changes changes = {put_change, put_off, &c};
    c.named = calloc((size_t)wave->source.max_handle + 1, sizeof *c.named);
    if (c.named == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory for the waveform's copy",
                        wave->name);
    }
    put_timescale(&c);
    wlk_status status = wave->source.kind->visit(&wave->source, &visitor, err);
    if (status == WLK_OK) {
        (void)fputs("$enddefinitions $end\n", to);
        status = wlk_wave_pass(wave, c.named, &changes, err);
    }
    free(c.named);
    return status;
}
