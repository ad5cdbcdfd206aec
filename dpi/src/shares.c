// SPDX-License-Identifier: Apache-2.0
// Which part of each output was compared, and which bits never changed: a PASS says little of an
// output that was hardly ever compared, or that was constant.
#include <inttypes.h>
#include <stdlib.h>

#include "checker_private.h"

enum { MOST_NAMES = 6, WHOLE = 99 }; // per cent: from there on an output is not listed

uint32_t wlk_checker_shares(const wlk_checker *c, wlk_share *to) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->layout.n_ports; i++) {
        const uint64_t bits = wlk_checker_port_bits(c, i);
        if (bits != 0) {
            const uint64_t all = bits * c->compared_cycles;
            wlk_share *s = &to[n++];
            *s = (wlk_share){
                c->ports[i].name, (uint32_t)bits, wlk_checker_compared(c, i), all, 0, 0};
            s->constant = wlk_checker_constant(c, i, &s->value);
        }
    }
    return n;
}

void wlk_share_add(wlk_share *to, const wlk_share *more) {
    if (to->compared == 0) {
        to->constant = more->constant;
        to->value = more->value;
    } else if (more->compared != 0) {
        to->constant &= more->constant & ~(to->value ^ more->value);
        to->value &= to->constant;
    }
    to->compared += more->compared;
    to->all += more->all;
}

void wlk_shares_json(const wlk_share *shares, uint32_t n, wlk_json *to) {
    wlk_json_open(to, "shares", '{');
    for (uint32_t i = 0; i < n; i++) {
        wlk_json_share(to, shares[i].name, shares[i].compared, shares[i].all);
    }
    wlk_json_close(to, '}');
}

void wlk_constants_json(const wlk_share *shares, uint32_t n, wlk_json *to) {
    wlk_json_open(to, "constants", '{');
    for (uint32_t i = 0; i < n; i++) {
        const wlk_share *s = &shares[i];
        if (s->constant != 0) {
            wlk_json_open(to, s->name, '{');
            wlk_json_number(to, "width", s->width);
            wlk_json_number(to, "constant_bits", (uint64_t)__builtin_popcountll(s->constant));
            wlk_json_hex(to, "constant_mask", s->constant);
            wlk_json_hex(to, "constant_value", s->value);
            wlk_json_close(to, '}');
        }
    }
    wlk_json_close(to, '}');
}

static uint32_t per_cent(const wlk_share *s) {
    return s->all != 0 ? (uint32_t)(s->compared * 100u / s->all) : 0u;
}

static void report(const wlk_share *shares, uint32_t n, FILE *to) {
    const char *before = "  compared in part of the cycles: ";
    uint32_t left = 0, room = MOST_NAMES;
    for (uint32_t i = 0; i < n; i++) {
        left += per_cent(&shares[i]) < WHOLE;
    }
    if (left == 0) {
        return;
    }
    for (uint32_t share = 0; share < WHOLE; share++) {
        for (uint32_t i = 0; i < n && room != 0; i++) {
            if (per_cent(&shares[i]) == share) {
                fprintf(to, "%s%s %" PRIu32 " %%", before, shares[i].name, share);
                before = ", ";
                room--;
                left--;
            }
        }
    }
    if (left != 0) {
        fprintf(to, ", and %" PRIu32 " more in less than %d %%", left, WHOLE);
    }
    fputc('\n', to);
}

// Those of a checker; none without memory.
static wlk_share *shares_of(const wlk_checker *c, uint32_t *n) {
    wlk_share *shares = calloc(c->layout.n_ports, sizeof *shares);
    *n = shares != NULL ? wlk_checker_shares(c, shares) : 0u;
    return shares;
}

void wlk_checker_json_shares(const wlk_checker *c, wlk_json *to) {
    uint32_t n;
    wlk_share *shares = shares_of(c, &n);
    wlk_shares_json(shares, n, to);
    wlk_constants_json(shares, n, to);
    free(shares);
}

void wlk_checker_report_outputs(const wlk_checker *c, FILE *to) {
    uint32_t n;
    wlk_share *shares = shares_of(c, &n);
    report(shares, n, to);
    free(shares);
}
