// SPDX-License-Identifier: Apache-2.0
/* What follows the definitions of a VCD: times, changes and commands around them. */
#include "vcd.h"

#include <inttypes.h>

typedef struct changes {
    const vcd *v;
    vcd_text *text;
    const uint32_t *bits; /* [handle] */
    const uint8_t *wanted;
    const wlk_changes *to; /* may be NULL */
    uint64_t time;
    const char *open;   /* the command whose $end is to come, or NULL */
    uint64_t opened_at; /* its time */
    bool ended;         /* the receiver wants no more */
} changes;

/* 1: a level of 21.7.2 or of VHDL; value changes begin with one, or hold them */
static const uint8_t is_level[256] = {
    ['0'] = 1, ['1'] = 1, ['x'] = 1, ['X'] = 1, ['z'] = 1, ['Z'] = 1, ['u'] = 1, ['U'] = 1,
    ['w'] = 1, ['W'] = 1, ['l'] = 1, ['L'] = 1, ['h'] = 1, ['H'] = 1, ['-'] = 1,
};

/* The handle of the code in the last token from its byte @p from on; 0: there is none. */
static uint32_t find(changes *c, uint32_t from) {
    vcd_text *text = c->text;
    const uint8_t *code = text->token + from;
    const uint32_t length = text->length - from;
    const uint32_t handle = wlk_vcd_find(c->v, code, length);
    if (handle == 0 &&
        (length == 0 || (vcd_is_last(text) && wlk_vcd_is_cut_code(c->v, code, length)))) {
        (void)wlk_vcd_unexpected(text, "an identifier code right after the value");
    } else if (handle == 0) {
        (void)wlk_vcd_fail(text, WLK_CORRUPT,
                           "no $var has the identifier code '%.*s': dump all signals, or record it "
                           "again",
                           (int)(length < VCD_SHOWN ? length : VCD_SHOWN), (const char *)code);
    }
    return handle;
}

static bool give(changes *c, uint32_t handle, const uint8_t *value, uint32_t length) {
    if (c->to != NULL && c->wanted[handle] != 0) {
        c->ended = !c->to->change(c->to->ctx, c->time, handle, value, length);
    }
    return !c->ended;
}

/* "0!" */
static bool scalar(changes *c) {
    const uint32_t handle = find(c, 1);
    return handle != 0 && (c->bits[handle] == 0 || give(c, handle, c->text->token, 1));
}

/* Levels alone? */
static bool are_levels(const uint8_t *at, const uint8_t *end) {
    for (; end - at >= 8; at += 8) {
        uint64_t eight;
        memcpy(&eight, at, sizeof eight);
        if ((eight & UINT64_C(0xfefefefefefefefe)) != UINT64_C(0x3030303030303030)) {
            break; /* not all of them are 0 or 1 */
        }
    }
    while (at < end && is_level[*at]) {
        at++;
    }
    return at == end;
}

/* The code that belongs to the last token, which stays in memory from `held` on. */
static uint32_t next_code(changes *c) {
    vcd_text *text = c->text;
    text->held = (uint8_t *)(uintptr_t)text->token;
    if (!vcd_next(text)) {
        if (text->status == WLK_OK && text->whole) {
            (void)wlk_vcd_unexpected(text, "an identifier code");
        }
        return 0;
    }
    return find(c, 0);
}

/* "b0101 !" */
static bool vector(changes *c) {
    vcd_text *text = c->text;
    const uint32_t length = text->length - 1;
    if (!are_levels(text->token + 1, text->token + text->length)) {
        return wlk_vcd_unexpected(text, "a binary value");
    }
    const uint32_t handle = next_code(c);
    const uint32_t bits = handle != 0 ? c->bits[handle] : 0;
    const uint8_t *value = text->held + 1;
    text->held = NULL;
    if (handle == 0) {
        return false;
    }
    if (bits != 0 && length == 0) {
        return wlk_vcd_fail(text, WLK_CORRUPT, "a value of no bits for '%.*s': record it again",
                            VCD_TOKEN(text));
    }
    if (bits != 0 && length > bits) {
        return wlk_vcd_fail(text, WLK_CORRUPT,
                            "a value of %" PRIu32 " bits for '%.*s', which has %" PRIu32
                            ": record it again",
                            length, VCD_TOKEN(text), bits);
    }
    return bits == 0 || give(c, handle, value, length);
}

/* "r1.5 !", "sIDLE !": not sampled */
static bool other_value(changes *c) {
    vcd_text *text = c->text;
    const uint32_t handle = next_code(c);
    text->held = NULL;
    if (handle == 0) {
        return false;
    }
    return c->bits[handle] == 0 ||
           wlk_vcd_fail(text, WLK_CORRUPT,
                        "a real or a string for '%.*s', which has bits: record it again",
                        VCD_TOKEN(text));
}

/* "#10", and "#10.0" of some tools */
static bool read_time(const vcd_text *text, uint64_t *time) {
    const uint8_t *at = text->token + 1, *end = text->token + text->length;
    *time = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        if (*time > (UINT64_MAX - 1u - digit) / 10) {
            return false;
        }
        *time = *time * 10 + digit;
    }
    if (at < end && at > text->token + 1 && *at == '.') {
        for (at++; at < end && *at == '0';) {
            at++;
        }
    }
    return at == end && text->length > 1;
}

static bool new_time(changes *c) {
    vcd_text *text = c->text;
    uint64_t time = 0;
    if (!read_time(text, &time)) {
        return wlk_vcd_unexpected(text, "a whole number after '#'");
    }
    if (time < c->time) {
        return vcd_is_last(text)
                   ? wlk_vcd_unexpected(text, "a later time")
                   : wlk_vcd_fail(text, WLK_CORRUPT,
                                  "time goes back from %" PRIu64 " to %" PRIu64
                                  ": two runs, or a damaged dump; give the dump of one run",
                                  c->time, time);
    }
    c->time = time;
    return true;
}

static bool command(changes *c) {
    static const char *const holders[] = {"$dumpvars", "$dumpall", "$dumpon", "$dumpoff"};
    vcd_text *text = c->text;
    if (vcd_is(text, "$end")) {
        const bool good = c->open != NULL;
        c->open = NULL;
        return good || wlk_vcd_fail(text, WLK_CORRUPT, "$end without a command: record it again");
    }
    if (vcd_is(text, "$comment")) {
        return wlk_vcd_skip_text(text, "$comment");
    }
    for (size_t i = 0; i < sizeof holders / sizeof holders[0]; i++) {
        if (vcd_is(text, holders[i])) {
            c->open = holders[i];
            c->opened_at = c->time;
            c->ended = i == 3 && c->to != NULL && !c->to->off(c->to->ctx, c->time);
            return !c->ended;
        }
    }
    if (wlk_vcd_is_definition(text)) {
        return wlk_vcd_fail(
            text, WLK_CORRUPT,
            "%.*s after $enddefinitions: a second dump begins here; give the dump of "
            "one run",
            VCD_TOKEN(text));
    }
    if (text->length >= 10 && memcmp(text->token, "$dumpports", 10) == 0) {
        return wlk_vcd_fail(text, WLK_CORRUPT, VCD_EXTENDED);
    }
    return wlk_vcd_unexpected(text, "a time, a value change or a command of VCD");
}

static bool change(changes *c) {
    const uint8_t first = c->text->token[0];
    if (is_level[first]) {
        return scalar(c);
    }
    switch (first) {
    case '#':
        return new_time(c);
    case 'b':
    case 'B':
        return vector(c);
    case 'r':
    case 'R':
    case 's':
    case 'S':
        return other_value(c);
    case '$':
        return command(c);
    default:
        return wlk_vcd_unexpected(c->text, "a time or a value change");
    }
}

/* Where the file ends, or the receiver. */
static wlk_status finish(changes *c, atomic_bool *stop) {
    const bool whole = c->text->status == WLK_OK && !c->ended && !atomic_load(stop);
    if (whole && c->open != NULL && c->opened_at == c->time) {
        (void)wlk_vcd_fail(
            c->text, WLK_TRUNCATED,
            "the VCD ends inside %s: let the simulator end normally or copy it again", c->open);
    }
    return c->text->status;
}

wlk_status wlk_vcd_run(wlk_source *source, const uint8_t *wanted, const wlk_changes *to,
                       atomic_bool *stop, wlk_error *err) {
    vcd *v = source->own;
    changes c = {.v = v, .text = &v->text, .bits = source->bits, .wanted = wanted, .to = to};
    v->text.err = err;
    v->text.stop = stop;
    wlk_vcd_text_seek(&v->text, v->body);
    while (vcd_next(&v->text) && change(&c)) {
        source->done = vcd_text_place(&v->text, v->text.at);
    }
    return finish(&c, stop);
}
