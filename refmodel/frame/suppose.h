/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suppositions of .suppose, while some bits of the state are unknown: part of framed.h. One that
 * contradicts what is known is left out, and of those that say the same all but one.
 */
#ifndef WLK_FRAME_SUPPOSE_H
#define WLK_FRAME_SUPPOSE_H

#if defined(WLK_UNKNOWNS) && defined(WLK_FOLLOWS)

enum { MOST_SUPPOSED = 64 };

/* Does it say anything that is not known? */
static bool suppose_is_new(const wlk_num *known, const wlk_num *supposed) {
    uint64_t more = 0;
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        more |= supposed[i].known & ~known[i].known;
    }
    return more != 0;
}

/* What is known, and what is supposed; false: both exclude each other. */
static bool suppose_meet(const wlk_num *known, wlk_num *supposed) {
    uint64_t differs = 0;
    for (uint32_t i = 0; i < WLK_UNKNOWNS; i++) {
        const wlk_num a = known[i], b = supposed[i];
        differs |= (a.value ^ b.value) & a.known & b.known;
        supposed[i] = wlk_num_meet(a, b);
    }
    return differs == 0;
}

/* How many there are; `found`: number @p wanted of them. */
static uint32_t suppose_find(const uint32_t *params, const opened *o, const uint64_t *in,
                             uint32_t wanted, wlk_num *found) {
    uint64_t seen[MOST_SUPPOSED];
    wlk_num st[WLK_UNKNOWNS];
    uint32_t n = 0;
    in_t given;
    TAKE_IN((const cfg_t *)params, in, &given);
    for (uint32_t k = 0; k < MOST_SUPPOSED; k++) {
        bool is_new = true;
        memcpy(st, o->known, sizeof st);
        if (!CALLED(suppose)(params, st, RAMS_OF(params, NULL), &given, k)) {
            break;
        }
        if (k == 0 && !suppose_is_new(o->known, st)) {
            memcpy(found, o->known, sizeof o->known);
            return 1; /* nor do the others */
        }
        if (!suppose_meet(o->known, st)) {
            continue;
        }
        const uint64_t sum = mixed_state(st);
        for (uint32_t i = 0; i < n; i++) {
            is_new = is_new && seen[i] != sum;
        }
        if (is_new && n == wanted) {
            memcpy(found, st, sizeof st);
        }
        if (is_new) {
            seen[n++] = sum;
        }
    }
    return n;
}

static uint32_t suppose_count(const uint32_t *params, const opened *o, const uint64_t *in) {
    wlk_num found[WLK_UNKNOWNS];
    const uint32_t n =
        CALLED(suppose) != NULL ? suppose_find(params, o, in, MOST_SUPPOSED, found) : 1u;
    return n > 1 ? n : 1u;
}

static void suppose_assume(const uint32_t *params, opened *o, state_t *st, const uint64_t *in,
                           uint32_t k) {
    wlk_num found[WLK_UNKNOWNS];
    if (CALLED(suppose) != NULL && k < suppose_find(params, o, in, k, found)) {
        open_know(params, o, st, found);
        open_settle(o);
    }
}

#endif

#endif
