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

/* Reports an error in the model of a user's block, and ends the program. */
static void follow_require(bool right, const char *else_it) {
#ifdef WLK_OWN_BLOCK
    if (!right && wlk_plugin_damage != NULL) {
        wlk_plugin_damage(else_it);
    }
#else
    (void)right;
    (void)else_it;
#endif
}

/* Value @p k: is there one? The others assign what the first one does. */
static bool follow_value(const uint32_t *params, const wlk_num *start, followed *f, uint32_t k) {
    wlk_num st[WLK_UNKNOWNS];
    uint32_t numbers = 0;
    memcpy(st, start, sizeof st);
    if (!CALLED(follow)(params, st, NULL, k)) {
        return false;
    }
    follow_require(k < MOST_VALUES, "has a .follow with more than 64 values");
    for (uint32_t i = 0; i < WLK_UNKNOWNS && k < MOST_VALUES; i++) {
        if (st[i].known != start[i].known) {
            if (numbers == MOST_FOLLOWED) {
                follow_require(false, "has a .follow that assigns over 32 numbers");
                return false;
            }
            follow_require(wlk_is_known(st[i]) && (k == 0 || f->at[numbers] == i),
                           "has a .follow that reads the state, or assigns other members");
            f->at[numbers] = i;
            f->value[k][numbers++] = st[i];
        }
    }
    follow_require(numbers != 0 && (k == 0 || f->numbers == numbers),
                   "has a .follow that assigns other members, or none");
    f->numbers = numbers;
    return true;
}

/* None if the set of those that are @p wanted is empty. */
static void follow_values(const uint32_t *params, uint64_t wanted, followed *f) {
    wlk_num start[WLK_UNKNOWNS];
    f->n = 0;
    f->numbers = 0;
    if (wanted != 0) {
        CALLED(start)(start);
        while (f->n < MOST_VALUES && follow_value(params, start, f, f->n)) {
            f->n++;
        }
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
static void follow_narrow_to(opened *o, const followed *f) {
    o->possible &= follow_may_be(o->known, f);
    if (o->possible == 0) {
        return;
    }
    follow_put(o->known, f, (uint32_t)__builtin_ctzll(o->possible));
    for (uint64_t rest = REST(o->possible); rest != 0; rest = REST(rest)) {
        for (uint32_t i = 0; i < f->numbers; i++) {
            wlk_num *number = &o->known[f->at[i]];
            *number = wlk_num_join(*number, f->value[__builtin_ctzll(rest)][i]);
        }
    }
}

static void follow_narrow(const uint32_t *params, opened *o) {
    followed f;
    follow_values(params, o->possible, &f);
    follow_narrow_to(o, &f);
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
    wlk_num start[WLK_UNKNOWNS];
    followed f;
    CALLED(start)(start);
    follow_values(params, 1, &f);
    follow_require(f.n != 0, "has a .follow without a value 0");
    for (uint32_t k = f.n; k <= MOST_VALUES; k++) {
        follow_require(!follow_value(params, start, &f, k),
                       "has a .follow with a value behind a number that has none");
    }
    o->possible = ~UINT64_C(0) >> (MOST_VALUES - f.n);
    follow_narrow(params, o);
}

/* Bits that all possible values have in common. */
static void follow_outputs(const uint32_t *params, const opened *o, const uint64_t *in,
                           uint64_t *out, uint64_t *care) {
    uint64_t other[CAPS(OUT_WORDS)], other_care[CAPS(OUT_WORDS)];
    wlk_num st[WLK_UNKNOWNS];
    followed f;
    follow_values(params, o->possible, &f);
    follow_take(o, &f, o->possible, st);
    open_outputs_of(params, st, in, out, care);
    for (uint64_t rest = REST(o->possible); rest != 0; rest = REST(rest)) {
        follow_take(o, &f, rest, st);
        open_outputs_of(params, st, in, other, other_care);
        for (uint32_t w = 0; w < out_words((const cfg_t *)params); w++) {
            care[w] &= other_care[w] & ~(out[w] ^ other[w]);
        }
    }
}

/* Should a value become none of them, no more are followed. */
static void follow_edge(const uint32_t *params, opened *o, const uint64_t *in, bool reset) {
    wlk_num st[WLK_UNKNOWNS], joined[WLK_UNKNOWNS];
    uint64_t possible = 0, rest = o->possible;
    bool stay = true;
    followed f;
    follow_values(params, o->possible, &f);
    do {
        follow_take(o, &f, rest, st);
        open_edge_of(params, st, in, reset);
        for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
            joined[i] = rest == o->possible ? st[i] : wlk_num_join(joined[i], st[i]);
        }
        stay = stay && follow_may_be(st, &f) != 0;
        possible |= follow_may_be(st, &f);
        rest = REST(rest);
    } while (rest != 0);
    memcpy(o->known, joined, sizeof joined);
    o->possible = stay ? possible : 0u;
    follow_narrow_to(o, &f);
}

/* Rules that each possible value breaks. */
static uint32_t follow_broken(const uint32_t *params, const opened *o, const in_t *given) {
    wlk_num st[WLK_UNKNOWNS];
    followed f;
    uint32_t broken;
    follow_values(params, o->possible, &f);
    follow_take(o, &f, o->possible, st);
    broken = CALLED(broken)(params, st, NULL, given);
    for (uint64_t rest = REST(o->possible); rest != 0; rest = REST(rest)) {
        follow_take(o, &f, rest, st);
        broken &= CALLED(broken)(params, st, NULL, given);
    }
    return broken;
}

static inline uint64_t mixed(uint64_t sum, uint64_t word) {
    const uint64_t product = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return product ^ product >> 29;
}

/* What a cycle shows and leaves, if the members that are followed have a value. `stays`: the edge
 * leaves them as they were; then `other` is the same but for these. */
typedef struct effect {
    uint64_t all, other;
    bool stays;
} effect;

static uint64_t mixed_state(uint64_t sum, const wlk_num *st) {
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        sum = mixed(mixed(sum, st[i].value), st[i].known);
    }
    return sum;
}

static effect follow_effect(const uint32_t *params, const opened *o, const followed *f, uint32_t k,
                            const uint64_t *in) {
    const uint32_t words = out_words((const cfg_t *)params);
    uint64_t out[CAPS(OUT_WORDS)], care[CAPS(OUT_WORDS)], sum = 0;
    wlk_num st[WLK_UNKNOWNS];
    effect e;
    follow_take(o, f, UINT64_C(1) << k, st);
    open_outputs_of(params, st, in, out, care);
    for (uint32_t w = 0; w < words; w++) {
        sum = mixed(mixed(sum, out[w] & care[w]), care[w]);
    }
    open_edge_of(params, st, in, CAPS(IN_RESET)(in));
    e.stays = follow_is(st, f, k);
    e.all = mixed_state(sum, st);
    follow_put(st, f, 0);
    e.other = mixed_state(mixed(sum, 1), st);
    return e;
}

/* Which of the outcomes so far has it; @p n: none. */
static uint32_t follow_find(const uint64_t *effects, uint32_t n, uint64_t wanted) {
    uint32_t i = 0;
    while (i < n && effects[i] != wanted) {
        i++;
    }
    return i;
}

/* How many outcomes the cycle has, and the values that lead to each. A value that stays is one of
 * those that become it, if there are any, else of those that stay too. */
static uint32_t follow_outcomes(const uint32_t *params, const opened *o, const uint64_t *in,
                                uint64_t *values) {
    effect of[MOST_VALUES];
    uint64_t effects[MOST_VALUES];
    uint32_t n = 0;
    followed f;
    values[0] = o->possible;
    if (REST(o->possible) == 0) {
        return 1;
    }
    follow_values(params, o->possible, &f);
    for (uint64_t rest = o->possible; rest != 0; rest = REST(rest)) {
        const uint32_t k = (uint32_t)__builtin_ctzll(rest);
        of[k] = follow_effect(params, o, &f, k, in);
    }
    for (uint32_t round = 0; round < 2; round++) { /* those that stay come second */
        for (uint64_t rest = o->possible; rest != 0; rest = REST(rest)) {
            const effect *e = &of[__builtin_ctzll(rest)];
            uint32_t i = follow_find(effects, n, e->all);
            if (e->stays != (round == 1)) {
                continue;
            }
            i = i == n && e->stays ? follow_find(effects, n, e->other) : i;
            if (i == n) {
                effects[n] = e->stays ? e->other : e->all;
                values[n++] = 0;
            }
            values[i] |= rest & ~REST(rest);
        }
    }
    return n;
}

static uint32_t follow_count(const uint32_t *params, const opened *o, const uint64_t *in) {
    uint64_t values[MOST_VALUES];
    return open_pauses(params, o, in) ? 1u : follow_outcomes(params, o, in, values);
}

/* The cycle has outcome @p k. */
static void follow_assume(const uint32_t *params, opened *o, state_t *st, const uint64_t *in,
                          uint32_t k) {
    uint64_t values[MOST_VALUES];
    if (k < follow_outcomes(params, o, in, values)) {
        o->possible = values[k];
        memset(&o->pause, 0, sizeof o->pause);
        follow_narrow(params, o);
        follow_state(params, o, st);
        open_settle(o);
    }
}

#else

#define follow_start(params, o)                  ((void)(params))
#define follow_state(params, o, st)              ((void)(st))
#define follow_narrow(params, o)                 ((void)(params))
#define follow_outputs(params, o, in, out, care) open_outputs_of(params, (o)->known, in, out, care)
#define follow_edge(params, o, in, reset)        open_edge_of(params, (o)->known, in, reset)
#define follow_count(params, o, in)              1u
#define follow_broken(params, o, given)                                                            \
    CALLED(broken)(params, (o)->known, RAMS_OF(params, (o)->known), given)

#endif

#endif
