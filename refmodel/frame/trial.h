/* SPDX-License-Identifier: Apache-2.0 */
/* One value of .follow after another: part of follow.h. */
#ifndef WLK_FRAME_TRIAL_H
#define WLK_FRAME_TRIAL_H

/* Few values are tried however much is unknown. A state of which more numbers than MANY_UNKNOWN are
 * unknown is not plain (trial). */
enum {
    FEW_VALUES = HAS_RAMS ? 1 : 32,
    FEW_TRIALS = 8, /* of a plain state: they take less time than one run of `known` */
    EIGHTH = WLK_UNKNOWNS / 8,
    MANY_UNKNOWN = !HAS_RAMS && (int)EIGHTH > (int)MOST_FOLLOWED ? (int)EIGHTH : (int)MOST_FOLLOWED
};

static bool follow_knows_little(const opened *o) {
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        unknown += !wlk_is_known(o->known[i]);
    }
    return unknown > MANY_UNKNOWN;
}

/* Is each value tried? If not, `known` runs alone: it covers all of them. So it is too with many
 * values of a state of which little is known: trying them would take long, and tell little. */
static bool follow_tries(const opened *o) {
    return value_set_has_more(&o->possible) &&
           (value_set_size(&o->possible) <= FEW_VALUES || !follow_knows_little(o));
}

#ifdef RAMS
/* A state behind which lie memories that nobody looks at. */
static state_t *open_scratch(const opened *o);

/* What merges states compares all their words. */
static void follow_wipe(const uint32_t *params, state_t *st) {
    memset(ram_area(st), 0, ram_start((const cfg_t *)params, RAM_COUNT) * sizeof(uint64_t));
}
#else
#define follow_wipe(params, st) ((void)(params), (void)(st))
#endif

/* A state that has one of the values, and no memories. The plain model runs where all is known but
 * what is followed: it is much faster. */
typedef struct trial {
    const uint32_t *params;
    const opened *o;
    const followed *f;
    bool is_plain, has_edge;
    uint32_t found;     /* is_plain: the value that the last edge to another one led to */
    wlk_rams *rams;     /* of this and of `st`: if not is_plain */
    state_t base;       /* is_plain: the state without its value, */
    state_t room, *now; /* and with it */
    wlk_num st[WLK_UNKNOWNS];
} trial;

/* Is all of a state known but what is followed? `rest` becomes the state with value 0. */
static bool follow_rest(const wlk_num *st, const followed *f, wlk_num *rest) {
    bool known = true;
    memcpy(rest, st, WLK_UNKNOWNS * sizeof *rest);
    follow_put(rest, f, 0);
    for (uint32_t i = 0; i < WLK_UNKNOWNS && known; i++) {
        known = wlk_is_known(rest[i]);
    }
    return known;
}

static void trial_open(trial *t, const uint32_t *params, const opened *o, const followed *f,
                       wlk_rams *blind) {
    t->params = params;
    t->o = o;
    t->f = f;
    t->has_edge = false;
    t->found = 0;
    t->rams = blind;
    t->is_plain = follow_rest(o->known, f, t->st);
#ifdef RAMS
    t->now = open_scratch(o);
#else
    t->now = &t->room;
#endif
    if (t->is_plain) {
        memset(&t->base, 0, sizeof t->base);
        CALLED(lower)(t->st, FILL_ZEROS, &t->base);
    }
}

static void trial_close(const trial *t) {
#ifdef RAMS
    if (t->is_plain) {
        memset(t->now, 0, sizeof *t->now);
    }
    if (t->is_plain && t->has_edge) {
        follow_wipe(t->params, t->now);
    }
#else
    (void)t;
#endif
}

/* It has value @p k. */
static void trial_take(trial *t, uint32_t k) {
    if (t->is_plain) {
        memcpy(t->now, &t->base, sizeof t->base);
        (void)own.follow((const cfg_t *)t->params, t->now, k);
    } else {
        memcpy(t->st, t->o->known, sizeof t->o->known);
        follow_put(t->st, t->f, k);
    }
}

static void trial_outputs(const trial *t, const uint64_t *in, uint64_t *out, uint64_t *care) {
    if (t->is_plain) {
        plain_outputs(t->params, t->now, HAS_RAMS, in, out, care);
    } else {
        open_outputs_of(t->params, t->st, t->rams, in, out, care);
    }
}

static void trial_edge(trial *t, const uint64_t *in, bool reset) {
    t->has_edge = true;
    if (t->is_plain) {
        plain_edge(t->params, t->now, in, reset);
    } else {
        open_edge_of(t->params, t->st, t->rams, in, NULL, reset);
    }
}

static uint32_t trial_broken(const trial *t, const in_t *given) {
    return t->is_plain ? own.broken((const cfg_t *)t->params, t->now, given)
                       : CALLED(broken)(t->params, t->st, t->rams, given);
}

/* is_plain: has it value @p k now? If it is padded otherwise, the answer is no. */
static bool trial_is(const trial *t, uint32_t k) {
    state_t other;
    memcpy(&other, t->now, sizeof other);
    (void)own.follow((const cfg_t *)t->params, &other, k);
    return follow_same(&other, t->now, sizeof other);
}

/* Adds the values that it may have now to a set: it had @p k before. False: there are none. */
static bool trial_add(trial *t, uint32_t k, value_set *set) {
    value_set one = {{0}};
    if (!t->is_plain) {
        return follow_add(t->st, t->f, set);
    }
    if (trial_is(t, k) || trial_is(t, t->found)) {
        value_set_add(set, trial_is(t, k) ? k : t->found);
        return true;
    }
    CALLED(raise)(t->now, t->st);
    if (!follow_add(t->st, t->f, &one)) {
        return false;
    }
    t->found = value_set_first(&one);
    value_set_add(set, t->found);
    return true;
}

/* What several states have in common; of the plain ones, which bits all have and which any has. */
typedef struct joint {
    bool any;
    state_t every, some;
    wlk_num st[WLK_UNKNOWNS];
} joint;

static void trial_join(const trial *t, joint *j) {
    const unsigned char *now = (const unsigned char *)t->now;
    unsigned char *every = (unsigned char *)&j->every, *some = (unsigned char *)&j->some;
    for (size_t i = 0; t->is_plain && i < sizeof j->every; i++) {
        every[i] = j->any ? every[i] & now[i] : now[i];
        some[i] = j->any ? some[i] | now[i] : now[i];
    }
    for (uint32_t i = 0; !t->is_plain && i < WLK_UNKNOWNS; i++) {
        j->st[i] = j->any ? wlk_num_join(j->st[i], t->st[i]) : t->st[i];
    }
    j->any = true;
}

static void trial_joined(trial *t, joint *j) {
    if (t->is_plain) {
        CALLED(raise)(&j->every, j->st);
        CALLED(raise)(&j->some, t->st);
        for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
            j->st[i] = wlk_num_join(j->st[i], t->st[i]);
        }
    }
}

#endif
