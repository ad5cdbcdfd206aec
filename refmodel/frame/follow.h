/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of the members that .follow assigns, while some bits of the state are unknown: part of
 * open.h. A set of values has a bit for each.
 */
#ifndef WLK_FRAME_FOLLOW_H
#define WLK_FRAME_FOLLOW_H

#ifdef WLK_FOLLOWS

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
static void follow_find(const wlk_num *st, followed *f) {
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
static void follow_values(const uint32_t *params, uint64_t wanted, followed *f) {
    wlk_num st[WLK_UNKNOWNS];
    f->n = 0;
    f->numbers = 0;
    if (wanted == 0) {
        return;
    }
    CALLED(start)(st);
    while (CALLED(follow)(params, st, f->n)) {
        if (f->n == 0) {
            follow_find(st, f);
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
static void follow_put(wlk_num *st, const followed *f, uint32_t k) {
    for (uint32_t i = 0; i < f->numbers; i++) {
        st[f->at[i]] = f->value[k][i];
    }
}

/* Do they have it? */
static bool follow_is(const wlk_num *st, const followed *f, uint32_t k) {
    uint64_t differs = 0;
    for (uint32_t i = 0; i < f->numbers; i++) {
        const wlk_num a = st[f->at[i]], b = f->value[k][i];
        differs |= (a.value ^ b.value) | (a.known ^ b.known);
    }
    return differs == 0;
}

/* The values that they can have. */
static uint64_t follow_may_be(const wlk_num *st, const followed *f) {
    uint64_t possible = 0;
    for (uint32_t k = 0; k < f->n; k++) {
        uint64_t differs = 0;
        for (uint32_t i = 0; i < f->numbers; i++) {
            const wlk_num a = st[f->at[i]], b = f->value[k][i];
            differs |= (a.value ^ b.value) & a.known & b.known;
        }
        possible |= (uint64_t)(differs == 0) << k;
    }
    return possible;
}

/* Drop values that `known` excludes; it has what the others have in common. */
static void follow_narrow(const uint32_t *params, opened *o) {
    followed f;
    follow_values(params, o->possible, &f);
    o->possible &= follow_may_be(o->known, &f);
    if (o->possible == 0) {
        return;
    }
    follow_put(o->known, &f, (uint32_t)__builtin_ctzll(o->possible));
    for (uint64_t rest = REST(o->possible); rest != 0; rest = REST(rest)) {
        for (uint32_t i = 0; i < f.numbers; i++) {
            wlk_num *number = &o->known[f.at[i]];
            *number = wlk_num_join(*number, f.value[__builtin_ctzll(rest)][i]);
        }
    }
}

/* The possible state has the first of the possible values. */
static void follow_state(const uint32_t *params, const opened *o, state_t *st) {
    if (o->possible != 0) {
        (void)own.follow((const cfg_t *)params, st, (uint32_t)__builtin_ctzll(o->possible));
    }
}

/* What is known if the members that are followed have the first value of @p possible; of none, what
 * is known already. */
static void follow_take(const opened *o, const followed *f, uint64_t possible, wlk_num *st) {
    memcpy(st, o->known, sizeof o->known);
    if (possible != 0) {
        follow_put(st, f, (uint32_t)__builtin_ctzll(possible));
    }
}

static void follow_start(const uint32_t *params, opened *o) {
    followed f;
    follow_values(params, 1, &f);
    o->possible = f.n != 0 ? ~UINT64_C(0) >> (MOST_VALUES - f.n) : 0u;
    follow_narrow(params, o);
}

/* Bits that all possible values have in common. */
static void follow_outputs(const uint32_t *params, const opened *o, const NAMED(in) * given,
                           uint64_t *out, uint64_t *care) {
    uint64_t other[CAPS(OUT_WORDS)], other_care[CAPS(OUT_WORDS)];
    wlk_num st[WLK_UNKNOWNS];
    followed f;
    follow_values(params, o->possible, &f);
    follow_take(o, &f, o->possible, st);
    open_outputs_of(params, st, given, out, care);
    for (uint64_t rest = REST(o->possible); rest != 0; rest = REST(rest)) {
        follow_take(o, &f, rest, st);
        open_outputs_of(params, st, given, other, other_care);
        for (uint32_t w = 0; w < out_words((const cfg_t *)params); w++) {
            care[w] &= other_care[w] & ~(out[w] ^ other[w]);
        }
    }
}

static void follow_edge(const uint32_t *params, opened *o, const NAMED(in) * given, bool reset) {
    wlk_num st[WLK_UNKNOWNS], joined[WLK_UNKNOWNS];
    uint64_t possible;
    followed f;
    follow_values(params, o->possible, &f);
    follow_take(o, &f, o->possible, joined);
    open_edge_of(params, joined, given, reset);
    possible = follow_may_be(joined, &f);
    for (uint64_t rest = REST(o->possible); rest != 0; rest = REST(rest)) {
        follow_take(o, &f, rest, st);
        open_edge_of(params, st, given, reset);
        possible |= follow_may_be(st, &f);
        for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
            joined[i] = wlk_num_join(joined[i], st[i]);
        }
    }
    memcpy(o->known, joined, sizeof joined);
    o->possible = possible;
    follow_narrow(params, o);
}

/* Rules that each possible value breaks. */
static uint32_t follow_broken(const uint32_t *params, const opened *o, const NAMED(in) * given) {
    wlk_num st[WLK_UNKNOWNS];
    followed f;
    uint32_t broken;
    follow_values(params, o->possible, &f);
    follow_take(o, &f, o->possible, st);
    broken = CALLED(broken)(params, st, given);
    for (uint64_t rest = REST(o->possible); rest != 0; rest = REST(rest)) {
        follow_take(o, &f, rest, st);
        broken &= CALLED(broken)(params, st, given);
    }
    return broken;
}

static inline uint64_t mixed(uint64_t sum, uint64_t word) {
    const uint64_t product = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return product ^ product >> 29;
}

/* What a cycle shows and leaves, if the members that are followed have a value. Of those that the
 * edge leaves as they were it says nothing. */
static uint64_t follow_effect(const uint32_t *params, const opened *o, const followed *f,
                              uint32_t k, const uint64_t *in) {
    const uint32_t words = out_words((const cfg_t *)params);
    uint64_t out[CAPS(OUT_WORDS)], care[CAPS(OUT_WORDS)], sum = 0;
    wlk_num st[WLK_UNKNOWNS];
    NAMED(in) given;
    NAMED(in_unpack)((const cfg_t *)params, in, &given);
    follow_take(o, f, UINT64_C(1) << k, st);
    open_outputs_of(params, st, &given, out, care);
    for (uint32_t w = 0; w < words; w++) {
        sum = mixed(mixed(sum, out[w] & care[w]), care[w]);
    }
    open_edge_of(params, st, &given, CAPS(IN_RESET)(in));
    if (follow_is(st, f, k)) {
        follow_put(st, f, 0);
    } else {
        sum = mixed(sum, 1);
    }
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        sum = mixed(mixed(sum, st[i].value), st[i].known);
    }
    return sum;
}

/* How many outcomes the cycle has, and the values that lead to each. */
static uint32_t follow_outcomes(const uint32_t *params, const opened *o, const uint64_t *in,
                                uint64_t *values) {
    uint64_t effects[MOST_VALUES];
    uint32_t n = 0;
    followed f;
    follow_values(params, o->possible, &f);
    for (uint64_t rest = o->possible; rest != 0; rest = REST(rest)) {
        const uint32_t k = (uint32_t)__builtin_ctzll(rest);
        const uint64_t effect = follow_effect(params, o, &f, k, in);
        uint32_t i = 0;
        while (i < n && effects[i] != effect) {
            i++;
        }
        if (i == n) {
            effects[n] = effect;
            values[n++] = 0;
        }
        values[i] |= UINT64_C(1) << k;
    }
    return n > 1 ? n : 1u;
}

/* The cycle has outcome @p k. */
static void follow_assume(const uint32_t *params, opened *o, state_t *st, const uint64_t *in,
                          uint32_t k) {
    uint64_t values[MOST_VALUES];
    if (k < follow_outcomes(params, o, in, values) && o->possible != 0) {
        o->possible = values[k];
        follow_narrow(params, o);
        follow_state(params, o, st);
        open_settle(o);
    }
}

#else

#define follow_start(params, o)     ((void)(params))
#define follow_state(params, o, st) ((void)(st))
#define follow_narrow(params, o)    ((void)(params))
#define follow_outputs(params, o, given, out, care)                                                \
    open_outputs_of(params, (o)->known, given, out, care)
#define follow_edge(params, o, given, reset) open_edge_of(params, (o)->known, given, reset)
#define follow_broken(params, o, given)      CALLED(broken)(params, (o)->known, given)

#endif

#endif
