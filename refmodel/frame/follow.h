/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of the members that a model's .follow assigns, while some bits of its state are
 * unknown: part of open.h. A set of values has a bit for each.
 */
#ifndef WLK_FRAME_FOLLOW_H
#define WLK_FRAME_FOLLOW_H

#include "frame/unknowns.h"

extern const wlk_unknowns NAMED(unknowns);

#define CALLED(call) NAMED(unknowns).call

enum { MOST_VALUES = 64, MOST_FOLLOWED = 32 };

/* A set without its first member. */
#define REST(set) ((set) & ((set)-1u))

/* The values of .follow: of each number that it assigns. */
typedef struct followed {
    uint32_t n, numbers;
    uint32_t at[MOST_FOLLOWED];
    wlk_num value[MOST_VALUES][MOST_FOLLOWED];
} followed;

/* Which numbers has it assigned? @p st: those of a start, and then value 0. */
static void open_find_followed(const wlk_num *st, followed *f) {
    wlk_num start[WLK_UNKNOWNS];
    CALLED(start)(start);
    f->numbers = 0;
    for (uint32_t i = 0; i < WLK_UNKNOWNS && f->numbers <= MOST_FOLLOWED; i++) {
        if (st[i].known != start[i].known) {
            f->at[f->numbers < MOST_FOLLOWED ? f->numbers : 0] = i;
            f->numbers++;
        }
    }
}

/* None if the set of those that are @p wanted is empty, or if there are more than fit. */
static void open_values(const uint32_t *params, uint64_t wanted, followed *f) {
    wlk_num st[WLK_UNKNOWNS];
    f->n = 0;
    f->numbers = 0;
    if (wanted == 0) {
        return;
    }
    CALLED(start)(st);
    while (CALLED(follow)(params, st, f->n)) {
        if (f->n == 0) {
            open_find_followed(st, f);
        }
        if (f->n == MOST_VALUES || f->numbers > MOST_FOLLOWED) {
            f->n = 0;
            f->numbers = 0;
            return;
        }
        for (uint32_t i = 0; i < f->numbers; i++) {
            f->value[f->n][i] = st[f->at[i]];
        }
        f->n++;
    }
}

/* The members that are followed have value @p k. */
static void open_put(wlk_num *st, const followed *f, uint32_t k) {
    for (uint32_t i = 0; i < f->numbers; i++) {
        st[f->at[i]] = f->value[k][i];
    }
}

/* Can they have it? */
static bool open_may_be(const wlk_num *st, const followed *f, uint32_t k) {
    uint64_t differs = 0;
    for (uint32_t i = 0; i < f->numbers; i++) {
        const wlk_num a = st[f->at[i]], b = f->value[k][i];
        differs |= (a.value ^ b.value) & a.known & b.known;
    }
    return differs == 0;
}

#ifdef WLK_FOLLOWS
/* Do they have it? */
static bool open_is(const wlk_num *st, const followed *f, uint32_t k) {
    uint64_t differs = 0;
    for (uint32_t i = 0; i < f->numbers; i++) {
        const wlk_num a = st[f->at[i]], b = f->value[k][i];
        differs |= (a.value ^ b.value) | (a.known ^ b.known);
    }
    return differs == 0;
}
#endif

static uint64_t open_may_be_any(const wlk_num *st, const followed *f) {
    uint64_t possible = 0;
    for (uint32_t k = 0; k < f->n; k++) {
        possible |= (uint64_t)open_may_be(st, f, k) << k;
    }
    return possible;
}

#endif
