/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of the members that .follow assigns, while some bits of the state are unknown: part of
 * open.h.
 */
#ifndef WLK_FRAME_FOLLOW_H
#define WLK_FRAME_FOLLOW_H

#ifdef WLK_FOLLOWS

#include "frame/followed.h"
#include "frame/trial.h"

/* ---- a cycle -------------------------------------------------------------------------------- */

/* The outcomes of a cycle, and the one that each possible value leads to. */
typedef struct outcomes {
    uint32_t n;
    uint16_t of[MOST_VALUES];
} outcomes;

/* What the edge of all possible values leads to. `stay`: none became none of them; else no value is
 * possible any more. */
typedef struct passed {
    bool stay;
    value_set possible;
    wlk_num known[WLK_UNKNOWNS];
} passed;

#ifdef RAMS
/* The last outcomes that were looked for, and of what: each of them is assumed in turn in a copy of
 * the state. `passed`: what the edge leads to, if there is one outcome. Zeros: there are none. What
 * changes the state forgets them: what merges states compares all their words. */
typedef struct sorted {
    uint64_t is_one, in[CAPS(IN_WORDS)];
    value_set possible;
    outcomes found;
    passed passed;
} sorted;

static sorted *open_sorted(const uint32_t *params, const opened *o);

static void follow_forget(const uint32_t *params, const opened *o) {
    sorted *s = open_sorted(params, o);
    if (s->is_one) {
        memset(s, 0, sizeof *s);
    }
}

/* Those of a cycle with these inputs, or NULL. */
static sorted *follow_sorted(const uint32_t *params, const opened *o, const uint64_t *in) {
    const size_t bytes = NAMED(in_words)((const cfg_t *)params) * sizeof *in;
    sorted *s = open_sorted(params, o);
    const bool is_same = s->is_one && memcmp(in, s->in, bytes) == 0 &&
                         memcmp(&o->possible, &s->possible, sizeof s->possible) == 0;
    return is_same ? s : NULL;
}
#else
#define follow_forget(params, o) ((void)(params), (void)(o))
#endif

/* Words of one record in place of another's bits that are not known. */
static void follow_fill(const uint32_t *params, const uint64_t *from, const uint64_t *known,
                        uint64_t *out, uint64_t *care) {
    for (uint32_t w = 0; w < out_words((const cfg_t *)params); w++) {
        out[w] = (out[w] & care[w]) | (from[w] & known[w] & ~care[w]);
        care[w] |= known[w];
    }
}

/* Are there bits in some words that are not in others? */
static bool follow_lacks(const uint32_t *params, const uint64_t *bits, const uint64_t *others) {
    uint64_t lacks = 0;
    for (uint32_t w = 0; w < out_words((const cfg_t *)params); w++) {
        lacks |= bits[w] & ~others[w];
    }
    return lacks != 0;
}

/* Bits that all possible values have in common; rows of memories, from `known`. A bit that is known
 * from that is the same for each value: the rest is tried only while they might have more. */
static void follow_outputs(const uint32_t *params, const opened *o, const uint64_t *in,
                           uint64_t *out, uint64_t *care) {
    uint64_t other[CAPS(OUT_WORDS)], other_care[CAPS(OUT_WORDS)];
    uint64_t sure[CAPS(OUT_WORDS)] = {0}, sure_care[CAPS(OUT_WORDS)] = {0};
    const uint32_t first = value_set_first(&o->possible);
    followed f;
    trial t;
    if (!follow_tries(o)) {
        open_outputs_of(params, o->known, RAMS_OF(params, o), in, out, care);
        return;
    }
    if (HAS_RAMS) {
        open_outputs_of(params, o->known, RAMS_OF(params, o), in, sure, sure_care);
    }
    follow_values(params, true, &f);
    trial_open(&t, params, o, &f, RAMS_OF(params, NULL));
    trial_take(&t, first);
    trial_outputs(&t, in, out, care);
    for (uint32_t k = first; follow_lacks(params, care, sure_care) &&
                             (k = value_set_next(&o->possible, k + 1u)) < MOST_VALUES;) {
        trial_take(&t, k);
        trial_outputs(&t, in, other, other_care);
        for (uint32_t w = 0; w < out_words((const cfg_t *)params); w++) {
            care[w] &= other_care[w] & ~(out[w] ^ other[w]);
        }
    }
    trial_close(&t);
    follow_fill(params, sure, sure_care, out, care);
}

/* The edge of each possible value. `after`: the state after it, where only what is followed is
 * unknown, and then `to` is right only if they stay; NULL: more is unknown. */
static void follow_edges(const uint32_t *params, const opened *o, const followed *f,
                         const uint64_t *in, bool reset, const wlk_num *after, passed *to) {
    joint j;
    trial t;
    j.any = false;
    memset(&to->possible, 0, sizeof to->possible);
    to->stay = true;
    trial_open(&t, params, o, f, RAMS_OF(params, NULL));
    EACH_VALUE(k, &o->possible) {
        trial_take(&t, k);
        trial_edge(&t, in, reset);
        if (after == NULL) {
            trial_join(&t, &j);
        }
        to->stay = trial_add(&t, k, &to->possible) && to->stay;
    }
    trial_close(&t);
    if (after == NULL) {
        trial_joined(&t, &j);
    }
    memcpy(to->known, after != NULL ? after : j.st, sizeof to->known);
}

/* The edge where values are tried. Memories go with `known`, which covers all values. */
static void follow_try_edges(const uint32_t *params, const opened *o, const followed *f,
                             const uint64_t *in, bool reset, passed *to) {
    bool is_known = false;
#ifdef RAMS
    wlk_num st[WLK_UNKNOWNS], rest[WLK_UNKNOWNS];
    const sorted *s = in != NULL ? follow_sorted(params, o, in) : NULL;
    memcpy(st, o->known, sizeof st);
    open_edge_of(params, st, RAMS_OF(params, o), in, o->x, reset);
    if (s != NULL && s->found.n == 1) {
        *to = s->passed;
        return;
    }
    is_known = follow_rest(o->known, f, rest) && follow_rest(st, f, rest);
    if (is_known) {
        follow_edges(params, o, f, in, reset, st, to);
    }
#endif
    if (!is_known || !to->stay) {
        follow_edges(params, o, f, in, reset, NULL, to);
    }
}

/* Should a value become none of them, no more are followed. */
static void follow_edge(const uint32_t *params, opened *o, const uint64_t *in, bool reset) {
    const bool tries = follow_tries(o);
    const bool follows = !value_set_is_empty(&o->possible);
    bool stay = false;
    followed f;
    follow_values(params, follows, &f);
    if (tries) {
        passed to;
        follow_try_edges(params, o, &f, in, reset, &to);
        memcpy(o->known, to.known, sizeof o->known);
        o->possible = to.possible;
        stay = to.stay;
    } else {
        open_edge_of(params, o->known, RAMS_OF(params, o), in, o->x, reset);
        memset(&o->possible, 0, sizeof o->possible);
        stay = follows && follow_add(o->known, &f, &o->possible);
    }
    if (stay) {
        follow_narrow_to(o, &f);
    } else {
        memset(&o->possible, 0, sizeof o->possible);
    }
}

/* Rules that each possible value breaks. */
static uint32_t follow_broken(const uint32_t *params, const opened *o, const in_t *given) {
    uint32_t broken = ~UINT32_C(0);
    followed f;
    trial t;
    if (!follow_tries(o)) {
        return CALLED(broken)(params, o->known, RAMS_OF(params, NULL), given);
    }
    follow_values(params, true, &f);
    trial_open(&t, params, o, &f, RAMS_OF(params, NULL));
    for (uint32_t k = value_set_first(&o->possible); k < MOST_VALUES && broken != 0;) {
        trial_take(&t, k);
        broken &= trial_broken(&t, given);
        k = value_set_next(&o->possible, k + 1u);
    }
    trial_close(&t);
    return broken;
}

/* ---- its outcomes --------------------------------------------------------------------------- */

/* What a cycle shows and leaves, if the members that are followed have a value. `stays`: the edge
 * leaves them as they were; then `other` is the same but for these. */
typedef struct effect {
    uint64_t all, other;
    bool stays;
} effect;

/* Four sums, which a processor makes at the same time. */
static uint64_t mixed_state(const wlk_num *st) {
    uint64_t sums[4] = {0, 1, 2, 3};
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        sums[i % 4u] = mixed(mixed(sums[i % 4u], st[i].value), st[i].known);
    }
    return mixed(mixed(mixed(sums[0], sums[1]), sums[2]), sums[3]);
}

/* A sum of what is followed, and one of the rest. Of a plain state the second is that of the last
 * one, if both are the same. */
typedef struct sums {
    bool any;
    uint64_t followed, rest;
    state_t last;
} sums;

static void trial_sum_followed(const trial *t, sums *s) {
    s->followed = 0;
    for (uint32_t i = 0; i < t->f->numbers; i++) {
        const wlk_num number = t->st[t->f->at[i]];
        s->followed = mixed(mixed(s->followed, number.value), number.known);
    }
}

/* Of what its edge has made of value @p k, `to` (trial_add): did that stay? */
static bool trial_sum(trial *t, uint32_t k, const value_set *to, sums *s) {
    bool stays;
    if (!t->is_plain) {
        trial_sum_followed(t, s);
        stays = follow_is_known(t->st, t->f) && follow_may_be(t->st, t->f, k);
        follow_put(t->st, t->f, 0);
        s->rest = mixed_state(t->st);
        return stays;
    }
    if (!value_set_is_empty(to)) { /* else trial_add has raised `st` */
        follow_put(t->st, t->f, value_set_first(to));
    }
    trial_sum_followed(t, s);
    (void)own.follow((const cfg_t *)t->params, t->now, 0);
    if (!s->any || !follow_same(&s->last, t->now, sizeof s->last)) {
        CALLED(raise)(t->now, t->st);
        s->rest = mixed_state(t->st);
        memcpy(&s->last, t->now, sizeof s->last);
        s->any = true;
    }
    return value_set_first(to) == k;
}

/* `j` gets the state after it too; `to`: the values that it may have then, of which there may be
 * none. */
static effect follow_effect(trial *t, uint32_t k, const uint64_t *in, sums *s, joint *j,
                            value_set *to) {
    uint64_t out[CAPS(OUT_WORDS)], care[CAPS(OUT_WORDS)], sum = 0;
    effect e;
    trial_take(t, k);
    trial_outputs(t, in, out, care);
    for (uint32_t w = 0; w < out_words((const cfg_t *)t->params); w++) {
        sum = mixed(mixed(sum, out[w] & care[w]), care[w]);
    }
    trial_edge(t, in, CAPS(IN_RESET)(in));
    if (HAS_RAMS) {
        trial_join(t, j);
    }
    (void)trial_add(t, k, to);
    e.stays = trial_sum(t, k, to, s);
    e.other = mixed(mixed(sum, 1), s->rest);
    e.all = mixed(mixed(mixed(sum, 2), s->followed), s->rest);
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

/* A value that stays is one of those that become it, if there are any, else of those that stay
 * too. */
static void follow_sort(const opened *o, const effect *of, outcomes *found) {
    uint64_t effects[MOST_VALUES];
    found->n = 0;
    for (uint32_t round = 0; round < 2; round++) { /* those that stay come second */
        EACH_VALUE(k, &o->possible) {
            const effect *e = &of[k];
            uint32_t i = follow_find(effects, found->n, e->all);
            if (e->stays != (round == 1)) {
                continue;
            }
            i = i == found->n && e->stays ? follow_find(effects, found->n, e->other) : i;
            if (i == found->n) {
                effects[found->n++] = e->stays ? e->other : e->all;
            }
            found->of[k] = (uint16_t)i;
        }
    }
}

/*
 * Do all values of a plain state show the same, and lead to the same but for what is followed,
 * `after`? A run of `known` tells: its bits that are known are the same for each value. An output
 * of a model with RAMS is shown in each cycle or in none.
 */
static bool follow_are_alike(trial *t, const uint64_t *in, wlk_num *after) {
    uint64_t out[CAPS(OUT_WORDS)], care[CAPS(OUT_WORDS)], sure_care[CAPS(OUT_WORDS)];
    wlk_num rest[WLK_UNKNOWNS];
    if (!HAS_RAMS || !t->is_plain || value_set_size(&t->o->possible) <= FEW_TRIALS) {
        return false;
    }
    open_outputs_of(t->params, t->o->known, t->rams, in, out, sure_care);
    trial_take(t, value_set_first(&t->o->possible));
    trial_outputs(t, in, out, care);
    if (follow_lacks(t->params, care, sure_care)) {
        return false;
    }
    memcpy(after, t->o->known, sizeof t->o->known);
    open_edge_of(t->params, after, t->rams, in, NULL, CAPS(IN_RESET)(in));
    return follow_rest(after, t->f, rest);
}

/* follow_effect where all values are alike: only what is followed may differ. */
static effect follow_effect_alike(trial *t, uint32_t k, const uint64_t *in, value_set *to) {
    effect e = {0, 1, false};
    sums s;
    trial_take(t, k);
    trial_edge(t, in, CAPS(IN_RESET)(in));
    if (trial_add(t, k, to)) {
        follow_put(t->st, t->f, value_set_first(to));
        trial_sum_followed(t, &s);
        e.stays = value_set_first(to) == k;
        e.all = mixed(2, s.followed);
    }
    return e;
}

/* The effects of all values if they are alike, and none becomes none of them. */
static bool follow_effects_alike(trial *t, const uint64_t *in, effect *of, passed *all) {
    bool stay = follow_are_alike(t, in, all->known);
    for (uint32_t k = value_set_first(&t->o->possible); stay && k < MOST_VALUES;) {
        value_set to = {{0}};
        of[k] = follow_effect_alike(t, k, in, &to);
        stay = !value_set_is_empty(&to);
        value_set_join(&all->possible, &to);
        k = value_set_next(&t->o->possible, k + 1u);
    }
    return stay;
}

static void follow_effects(const uint32_t *params, const opened *o, const uint64_t *in, effect *of,
                           passed *all) {
    followed f;
    trial t;
    joint j;
    sums s;
    s.any = false;
    j.any = false;
    memset(&all->possible, 0, sizeof all->possible);
    all->stay = true;
    follow_values(params, true, &f);
    trial_open(&t, params, o, &f, RAMS_OF(params, NULL));
    if (follow_effects_alike(&t, in, of, all)) {
        trial_close(&t);
        return;
    }
    memset(&all->possible, 0, sizeof all->possible);
    EACH_VALUE(k, &o->possible) {
        value_set to = {{0}};
        of[k] = follow_effect(&t, k, in, &s, &j, &to);
        all->stay = all->stay && !value_set_is_empty(&to);
        value_set_join(&all->possible, &to);
    }
    trial_close(&t);
    if (HAS_RAMS) {
        trial_joined(&t, &j);
        memcpy(all->known, j.st, sizeof all->known);
    }
}

#ifdef RAMS
static const outcomes *follow_outcomes(const uint32_t *params, const opened *o, const uint64_t *in,
                                       outcomes *room) {
    effect of[MOST_VALUES];
    sorted *s = follow_sorted(params, o, in);
    (void)room;
    if (s == NULL) {
        s = open_sorted(params, o);
        memset(s, 0, sizeof *s);
        follow_effects(params, o, in, of, &s->passed);
        follow_sort(o, of, &s->found);
        memcpy(s->in, in, NAMED(in_words)((const cfg_t *)params) * sizeof *in);
        s->possible = o->possible;
        s->is_one = 1;
    }
    return &s->found;
}
#else
static const outcomes *follow_outcomes(const uint32_t *params, const opened *o, const uint64_t *in,
                                       outcomes *room) {
    effect of[MOST_VALUES];
    passed all;
    follow_effects(params, o, in, of, &all);
    follow_sort(o, of, room);
    return room;
}
#endif

static uint32_t follow_count(const uint32_t *params, const opened *o, const uint64_t *in) {
    outcomes room;
    if (open_pauses(params, o, in) || !follow_tries(o)) {
        return 1;
    }
    return follow_outcomes(params, o, in, &room)->n;
}

/* The cycle has outcome @p outcome; false: it has no other one. */
static bool follow_assume(const uint32_t *params, opened *o, state_t *st, const uint64_t *in,
                          uint32_t outcome) {
    value_set left = {{0}};
    outcomes room;
    if (open_pauses(params, o, in) || !follow_tries(o)) {
        return false;
    }
    const outcomes *found = follow_outcomes(params, o, in, &room);
    if (found->n == 1) {
        return false;
    }
    EACH_VALUE(k, &o->possible) {
        if (found->of[k] == outcome) {
            value_set_add(&left, k);
        }
    }
    follow_forget(params, o);
    if (!value_set_is_empty(&left)) {
        o->possible = left;
        memset(&o->pause, 0, sizeof o->pause);
        follow_narrow(params, o);
        follow_state(params, o, st);
        open_settle(o);
    }
    return true;
}

#else

#define follow_start(params, o)     ((void)(params))
#define follow_state(params, o, st) ((void)(st))
#define follow_narrow(params, o)    ((void)(params))
#define follow_wipe(params, st)     ((void)(params))
#define follow_forget(params, o)    ((void)(params))
#define follow_outputs(params, o, in, out, care)                                                   \
    open_outputs_of(params, (o)->known, RAMS_OF(params, o), in, out, care)
#define follow_edge(params, o, in, reset)                                                          \
    open_edge_of(params, (o)->known, RAMS_OF(params, o), in, (o)->x, reset)
#define follow_count(params, o, in) 1u
#define follow_broken(params, o, given)                                                            \
    CALLED(broken)(params, (o)->known, RAMS_OF(params, o), given)

#endif

#endif
