/* SPDX-License-Identifier: Apache-2.0 */
/* Which values .follow lists, and which of them the members that it assigns may have: part of
 * follow.h. */
#ifndef WLK_FRAME_FOLLOWED_H
#define WLK_FRAME_FOLLOWED_H

enum { MOST_FOLLOWED = 32, MOST_STORED = 8192 };

/* The values of .follow: the numbers that it assigns, of one value after another. */
typedef struct followed {
    uint32_t n, numbers;
    uint32_t at[MOST_FOLLOWED];
    uint64_t value[MOST_STORED];
} followed;

/* For each member of a set of values: a name for it. */
// NOLINTBEGIN(bugprone-macro-parentheses): a name has none.
#define EACH_VALUE(k, set)                                                                         \
    for (uint32_t k = value_set_first(set); k < MOST_VALUES; k = value_set_next(set, k + 1u))
// NOLINTEND(bugprone-macro-parentheses)

/* The same bytes, those between members among them? */
static inline bool follow_same(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size) == 0;
}

static inline const uint64_t *follow_numbers(const followed *f, uint32_t k) {
    return &f->value[(size_t)k * f->numbers];
}

/* The numbers that are known of state @p st, where nothing was before: how many; `at` has room for
 * MOST_FOLLOWED. */
static uint32_t follow_members(const wlk_num *st, uint32_t *at) {
    uint32_t numbers = 0;
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        if (wlk_is_known(st[i])) {
            if (numbers < MOST_FOLLOWED) {
                at[numbers] = i;
            }
            numbers++;
        }
    }
    return numbers;
}

/* How many there are room for. */
static uint32_t follow_most(const followed *f) {
    const uint32_t stored = MOST_STORED / f->numbers;
    return stored < MOST_VALUES ? stored : MOST_VALUES;
}

/* None if they are not wanted, or if they are more than there is room for. */
static void follow_values(const uint32_t *params, bool wanted, followed *f) {
    wlk_num st[WLK_UNKNOWNS];
    bool more = wanted;
    f->n = 0;
    f->numbers = 0;
    if (wanted) {
        CALLED(start)(st);
        more = CALLED(follow)(params, st, NULL, 0);
        f->numbers = follow_members(st, f->at);
    }
    if (f->numbers == 0 || f->numbers > MOST_FOLLOWED) {
        return;
    }
    for (; more && f->n < follow_most(f); more = CALLED(follow)(params, st, NULL, f->n)) {
        for (uint32_t i = 0; i < f->numbers; i++) {
            f->value[(size_t)f->n * f->numbers + i] = st[f->at[i]].value;
        }
        f->n++;
    }
    f->n = more ? 0 : f->n;
}

#ifdef WLK_OWN_BLOCK

/* Reports an error in the model of a user's block, and ends the program. */
static void follow_require(bool right, const char *else_it) {
    if (!right && wlk_plugin_damage != NULL) {
        wlk_plugin_damage(else_it);
    }
}

/* Value @p k assigns what value 0 does. */
static void follow_check_value(const uint32_t *params, const wlk_num *start, const uint32_t *first,
                               uint32_t numbers, uint32_t k) {
    uint32_t at[MOST_FOLLOWED] = {0};
    wlk_num st[WLK_UNKNOWNS];
    bool whole = true;
    memcpy(st, start, sizeof st);
    (void)CALLED(follow)(params, st, NULL, k);
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        whole = whole && (wlk_is_known(st[i]) || st[i].known == start[i].known);
    }
    follow_require(whole && follow_members(st, at) == numbers &&
                       memcmp(at, first, numbers * sizeof *at) == 0,
                   "has a .follow that reads the state, or assigns other members");
}

static void follow_check(const uint32_t *params) {
    uint32_t at[MOST_FOLLOWED] = {0}, n = 0;
    wlk_num start[WLK_UNKNOWNS], st[WLK_UNKNOWNS];
    CALLED(start)(start);
    CALLED(start)(st);
    follow_require(CALLED(follow)(params, st, NULL, 0), "has a .follow without a value 0");
    const uint32_t numbers = follow_members(st, at);
    follow_require(numbers <= MOST_FOLLOWED, "has a .follow that assigns over 32 numbers");
    while (n < MOST_VALUES && numbers <= MOST_FOLLOWED && CALLED(follow)(params, st, NULL, n)) {
        follow_check_value(params, start, at, numbers, n++);
    }
    follow_require(numbers != 0, "has a .follow that assigns other members, or none");
    for (uint32_t k = n + (n < MOST_VALUES); k < MOST_VALUES; k++) {
        follow_require(!CALLED(follow)(params, st, NULL, k),
                       "has a .follow with a value behind a number that has none");
    }
    follow_require(!CALLED(follow)(params, st, NULL, MOST_VALUES),
                   "has a .follow with more than 1,024 values");
    follow_require(n * numbers <= MOST_STORED, "has a .follow of more than 8,192 numbers in all");
}

#else
#define follow_check(params) ((void)(params))
#endif

/* The members that are followed have value @p k. */
static void follow_put(wlk_num *st, const followed *f, uint32_t k) {
    for (uint32_t i = 0; i < f->numbers; i++) {
        st[f->at[i]] = wlk_num_of(follow_numbers(f, k)[i]);
    }
}

/* May they have it? */
static bool follow_may_be(const wlk_num *st, const followed *f, uint32_t k) {
    uint64_t differs = 0;
    for (uint32_t i = 0; i < f->numbers; i++) {
        const wlk_num a = st[f->at[i]];
        differs |= (a.value ^ follow_numbers(f, k)[i]) & a.known;
    }
    return differs == 0;
}

static bool follow_is_known(const wlk_num *st, const followed *f) {
    bool known = true;
    for (uint32_t i = 0; i < f->numbers; i++) {
        known = known && wlk_is_known(st[f->at[i]]);
    }
    return known;
}

/* Adds the values that they may have to a set; false: there are none. */
static bool follow_add(const wlk_num *st, const followed *f, value_set *set) {
    const bool is_one = follow_is_known(st, f);
    bool any = false;
    for (uint32_t k = 0; k < f->n && !(any && is_one); k++) {
        if (follow_may_be(st, f, k)) {
            value_set_add(set, k);
            any = true;
        }
    }
    return any;
}

/* Drop values that `known` excludes; it has what the others have in common. */
static void follow_narrow_to(opened *o, const followed *f) {
    value_set left = {{0}};
    bool any = false;
    EACH_VALUE(k, &o->possible) {
        if (!follow_may_be(o->known, f, k)) {
            continue;
        }
        value_set_add(&left, k);
    }
    o->possible = left;
    EACH_VALUE(k, &left) {
        for (uint32_t i = 0; i < f->numbers; i++) {
            const wlk_num number = wlk_num_of(follow_numbers(f, k)[i]);
            wlk_num *known = &o->known[f->at[i]];
            *known = any ? wlk_num_join(*known, number) : number;
        }
        any = true;
    }
}

static void follow_narrow(const uint32_t *params, opened *o) {
    followed f;
    if (!value_set_is_empty(&o->possible)) {
        follow_values(params, true, &f);
        follow_narrow_to(o, &f);
    }
}

/* The possible state has the first of the possible values. */
static void follow_state(const uint32_t *params, const opened *o, state_t *st) {
    if (!value_set_is_empty(&o->possible)) {
        (void)own.follow((const cfg_t *)params, st, value_set_first(&o->possible));
    }
}

static void follow_start(const uint32_t *params, opened *o) {
    followed f;
    follow_check(params);
    follow_values(params, true, &f);
    memset(&o->possible, 0, sizeof o->possible);
    for (uint32_t k = 0; k < f.n; k++) {
        value_set_add(&o->possible, k);
    }
    follow_narrow_to(o, &f);
}

#endif
