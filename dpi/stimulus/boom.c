// SPDX-License-Identifier: Apache-2.0
// Stimulus of BOOM's dispatchers and of its Compactor. The blocks have no state and forbid nothing
// (boom-dispatch); what drives them holds a uop until it is ready, or shows it only when it is, as
// BOOM does. Other profiles change everything in every cycle.
#include <string.h>

#include "common.h"
#include "warplock/compactor_ports.h"
#include "warplock/dispatch_basic_ports.h"
#include "warplock/dispatch_compacting_ports.h"

enum { MOST = 8, OUT_WORDS = 64 + MOST * MOST * 16 }; // of the largest output record

enum { MEMORY_FIRST = 0, MEMORY_FAVOUR, MEMORY_SLOTS = 8, MEMORY_QUEUES = 32 };

// How uops come: all anew; each until it is ready; only those that are ready, up to the first that
// is not.
typedef enum hold { FREE, HELD, GATED } hold;

// What a profile turns; chances are out of 256.
typedef struct dials {
    hold hold;
    uint8_t density; // a position has a uop
    uint8_t several; // it is for any set of queues
    uint8_t none;    // for no queue
    uint8_t favour;  // for one queue, the same for a while
    uint8_t fresh;   // an idle position shows something else than before
    uint8_t stuck;   // a queue takes nothing for a while
    uint8_t full;    // a queue takes all for a while
    uint8_t edge;    // a queue takes the first or the last few for a while
    uint8_t ready;   // else: each place takes something
} dials;

static const char *const profile_names[] = {WLK_COMPACTOR_PROFILES, NULL};

static const dials profiles[] = {
    /* mixed */ {FREE, 128, 64, 24, 0, 96, 32, 64, 48, 160},
    /* dense */ {FREE, 255, 48, 8, 64, 96, 16, 96, 64, 192},
    /* held */ {HELD, 200, 64, 16, 48, 64, 48, 64, 64, 144},
    /* gated */ {GATED, 220, 64, 16, 48, 64, 32, 96, 64, 176},
    /* several */ {FREE, 176, 230, 8, 0, 96, 48, 48, 48, 160},
    /* none */ {FREE, 160, 16, 200, 0, 96, 64, 48, 32, 128},
    /* stuck */ {HELD, 200, 96, 24, 32, 64, 160, 48, 16, 128},
    /* partly */ {FREE, 230, 48, 8, 128, 64, 0, 0, 200, 128},
    /* sparse */ {FREE, 40, 64, 32, 32, 128, 32, 64, 32, 128},
};

enum { PROFILES = sizeof profiles / sizeof profiles[0] };

_Static_assert(sizeof profile_names / sizeof profile_names[0] == PROFILES + 1, "one name each");
_Static_assert((int)PROFILES <= (int)STIM_MAX_PROFILES, "a round is so long");

// The block at hand: n positions, and queues by their types, each a set of target bits.
typedef struct shape {
    uint32_t n, words, n_queues, target_bits;
    uint32_t type[MOST], k[MOST];
} shape;

// A position: what it shows, whether that is a uop, and where its payload comes from.
typedef struct slot {
    uint64_t payload;
    uint32_t target;
    bool valid;
} slot;

typedef struct cycle {
    shape s;
    const dials *d;
    wlk_stimulus_state *stim;
    uint64_t *random;
    slot slots[MOST];
    uint32_t valid, ready[MOST];
    uint32_t clock, reset; // nobody reads them
} cycle;

// ---- uops -------------------------------------------------------------------------------------

// One bit of a queue's type; none when it has none.
static uint32_t one_target(const cycle *c, uint32_t queue) {
    const uint32_t type = c->s.type[queue];
    return type != 0u ? 1u << stim_member(type, wlk_random(c->random)) : 0u;
}

static uint32_t make_target(const cycle *c) {
    const uint32_t any = (uint32_t)(wlk_random(c->random) & wlk_mask(c->s.target_bits));
    if (c->s.n_queues == 0u || stim_chance(c->random, c->d->none)) {
        return 0;
    }
    if (stim_chance(c->random, c->d->several)) {
        return any;
    }
    const bool same = stim_chance(c->random, c->d->favour);
    const uint64_t r = same ? c->stim->memory[MEMORY_FAVOUR] : wlk_random(c->random);
    return one_target(c, stim_below(r, c->s.n_queues));
}

static void renew(const cycle *c, slot *s, bool valid) {
    s->payload = wlk_random(c->random);
    s->target = make_target(c);
    s->valid = valid;
}

// An idle position may go on to show what it had.
static void make_slot(cycle *c, uint32_t w) {
    slot *s = &c->slots[w];
    const bool wanted = c->stim->drain == 0u && stim_chance(c->random, c->d->density);
    if (c->d->hold != FREE && s->valid) {
        return;
    }
    if (wanted || stim_chance(c->random, c->d->fresh)) {
        renew(c, s, wanted);
    } else {
        s->valid = false;
    }
}

// ---- queues -----------------------------------------------------------------------------------

typedef enum mood { EACH, STUCK, ALL, LOW, HIGH, MOODS } mood;

static mood next_mood(const cycle *c) {
    const uint32_t r = (uint32_t)(wlk_random(c->random) & 255u);
    uint32_t limit = c->d->stuck;
    if (r < limit) {
        return STUCK;
    }
    if (r < (limit += c->d->full)) {
        return ALL;
    }
    if (r < limit + c->d->edge) {
        return (r & 1u) != 0u ? LOW : HIGH;
    }
    return EACH;
}

// A queue keeps its mood for a while.
static uint32_t make_ready(const cycle *c, uint32_t q) {
    uint64_t *memory = &c->stim->memory[MEMORY_QUEUES + q];
    uint32_t left = (uint32_t)(*memory >> 8), how = (uint32_t)(*memory & 7u);
    const uint32_t k = c->s.k[q], all = (uint32_t)wlk_mask(k);
    const uint64_t r = wlk_random(c->random);
    if (left == 0u) {
        how = (uint32_t)next_mood(c);
        left = 1u + stim_below(r, 12);
    }
    *memory = (uint64_t)(left - 1u) << 8 | how;
    switch ((mood)how) {
    case STUCK:
        return 0;
    case ALL:
        return all;
    case LOW:
        return all >> stim_below(r << 16, k);
    case HIGH:
        return all << stim_below(r << 16, k) & all;
    default:
        return stim_set(c->random, c->d->ready) & all;
    }
}

// ---- a cycle ----------------------------------------------------------------------------------

static void load_slots(cycle *c) {
    for (uint32_t w = 0; w < c->s.n; w++) {
        const uint64_t *memory = &c->stim->memory[MEMORY_SLOTS + 2u * w];
        c->slots[w] = (slot){memory[1], (uint32_t)memory[0] >> 1, (memory[0] & 1u) != 0u};
    }
}

static void store_slots(const cycle *c) {
    for (uint32_t w = 0; w < c->s.n; w++) {
        uint64_t *memory = &c->stim->memory[MEMORY_SLOTS + 2u * w];
        memory[0] = (uint64_t)c->slots[w].target << 1 | c->slots[w].valid;
        memory[1] = c->slots[w].payload;
    }
}

static void make(cycle *c) {
    if (c->stim->cycle == 0u) {
        c->stim->memory[MEMORY_FIRST] = wlk_random(c->random);
    }
    c->d = &profiles[wlk_stim_profile(c->stim, PROFILES, c->stim->memory[MEMORY_FIRST])];
    if (c->stim->cycle % 16u == 0u) {
        c->stim->memory[MEMORY_FAVOUR] = wlk_random(c->random);
    }
    c->clock = (uint32_t)(wlk_random(c->random) & 1u);
    c->reset = (uint32_t)(wlk_random(c->random) & 1u);
    load_slots(c);
    c->valid = 0;
    for (uint32_t w = 0; w < c->s.n; w++) {
        make_slot(c, w);
        c->valid |= (uint32_t)c->slots[w].valid << w;
    }
    for (uint32_t q = 0; q < MOST; q++) {
        c->ready[q] = c->s.k[q] != 0u ? make_ready(c, q) : 0u;
    }
}

// The uops that are taken leave; with GATED only those before the first one that is not ready are
// shown at all. @p ready: what the block answers when all are.
static void settle(cycle *c, uint32_t ready) {
    const uint32_t stalled = c->valid & ~ready;
    if (c->d->hold == GATED && stalled != 0u) {
        c->valid &= (stalled & (0u - stalled)) - 1u;
    }
    for (uint32_t w = 0; w < c->s.n; w++) {
        c->slots[w].valid = c->slots[w].valid && ((c->valid & ready) >> w & 1u) == 0u;
    }
    store_slots(c);
    c->stim->cycle++;
}

static void put_payload(const cycle *c, uint64_t *to) {
    for (uint32_t w = 0; w < c->s.n; w++) {
        uint64_t random = c->slots[w].payload;
        for (uint32_t i = 0; i < c->s.words; i++) {
            *to++ = wlk_random(&random);
        }
    }
}

// Bit @p bit of the targets, a bit for each position.
static uint64_t plane(const cycle *c, uint32_t bit) {
    uint64_t set = 0;
    for (uint32_t w = 0; w < c->s.n; w++) {
        set |= (uint64_t)(c->slots[w].target >> bit & 1u) << w;
    }
    return set;
}

static uint64_t masks(const cycle *c) {
    uint64_t all = 0;
    for (uint32_t w = 0; w < c->s.n; w++) {
        all |= (uint64_t)(c->slots[w].target & 7u) << (3u * w);
    }
    return all;
}

// ---- the blocks -------------------------------------------------------------------------------

typedef void putter(const cycle *c, uint64_t *in);
typedef uint32_t getter(const uint64_t *out);

// What is shown may depend on what the block answers when every uop is shown.
static void drive(const wlk_block *block, const uint32_t *cfg, cycle *c, putter *put,
                  getter *get_ready, uint64_t *in) {
    uint64_t out[OUT_WORDS], care[OUT_WORDS];
    uint32_t ready = 0;
    make(c);
    put(c, in);
    if (c->d->hold != FREE) {
        block->eval(cfg, NULL, in, out, care);
        ready = get_ready(out);
    }
    settle(c, ready);
    put(c, in);
}

// Types as sets of target bits: of v4 a type is the number of one.
static void read_queues(const uint32_t *list, uint32_t stride, uint32_t encoding, shape *s) {
    s->target_bits = encoding == 0u ? 3u : 4u;
    for (; s->n_queues < MOST && list[1] != 0u; list += stride) {
        s->type[s->n_queues] = encoding == 0u ? list[0] & 7u : 1u << list[0];
        s->k[s->n_queues++] = list[1];
    }
}

#define PUT_READY(name, q) wlk_##name##_in_put_dis_uops_##q##_ready(in, c->ready[q]);
#define EACH_READY(name)                                                                           \
    PUT_READY(name, 0)                                                                             \
    PUT_READY(name, 1)                                                                             \
    PUT_READY(name, 2)                                                                             \
    PUT_READY(name, 3)                                                                             \
    PUT_READY(name, 4)                                                                             \
    PUT_READY(name, 5)                                                                             \
    PUT_READY(name, 6)                                                                             \
    PUT_READY(name, 7)

// A dispatcher; NAME is the block's in the defines.
#define DISPATCHER(name, NAME)                                                                     \
    static void put_##name(const cycle *c, uint64_t *in) {                                         \
        memset(in, 0, WLK_##NAME##_IN_CONTROL * sizeof *in);                                       \
        wlk_##name##_in_put_clock(in, c->clock);                                                   \
        wlk_##name##_in_put_reset(in, c->reset);                                                   \
        wlk_##name##_in_put_ren_uops_valid(in, c->valid);                                          \
        if (c->s.target_bits == 3u) {                                                              \
            wlk_##name##_in_put_ren_uops_bits_iq_type(in, masks(c));                               \
        } else {                                                                                   \
            wlk_##name##_in_put_ren_uops_bits_iq_type_0(in, plane(c, 0));                          \
            wlk_##name##_in_put_ren_uops_bits_iq_type_1(in, plane(c, 1));                          \
            wlk_##name##_in_put_ren_uops_bits_iq_type_2(in, plane(c, 2));                          \
            wlk_##name##_in_put_ren_uops_bits_iq_type_3(in, plane(c, 3));                          \
        }                                                                                          \
        EACH_READY(name)                                                                           \
        put_payload(c, in + WLK_##NAME##_IN_CONTROL);                                              \
    }                                                                                              \
    static void next_##name(const uint32_t *words, const void *state, wlk_stimulus_state *stim,    \
                            uint64_t *in) {                                                        \
        const wlk_##name##_cfg *cfg = (const wlk_##name##_cfg *)words;                             \
        cycle c = {.stim = stim, .random = &stim->random};                                         \
        (void)state;                                                                               \
        c.s.n = cfg->core_width;                                                                   \
        c.s.words = cfg->payload_words;                                                            \
        read_queues(words + WLK_##NAME##_QUEUES_FIRST, WLK_##NAME##_QUEUES_STRIDE, cfg->encoding,  \
                    &c.s);                                                                         \
        drive(&wlk_##name##_block, words, &c, put_##name, wlk_##name##_out_get_ren_uops_ready,     \
              in);                                                                                 \
    }                                                                                              \
    const wlk_stimulus wlk_##name##_stimulus = {                                                   \
        .block = #name, .profiles = profile_names, .next = next_##name};

DISPATCHER(dispatch_basic, DISPATCH_BASIC)
DISPATCHER(dispatch_compacting, DISPATCH_COMPACTING)

// The Compactor: one queue that gets every uop.
static void put_compactor(const cycle *c, uint64_t *in) {
    memset(in, 0, WLK_COMPACTOR_IN_CONTROL * sizeof *in);
    wlk_compactor_in_put_clock(in, c->clock);
    wlk_compactor_in_put_reset(in, c->reset);
    wlk_compactor_in_put_in_valid(in, c->valid);
    wlk_compactor_in_put_out_ready(in, c->ready[0]);
    put_payload(c, in + WLK_COMPACTOR_IN_CONTROL);
}

static void next_compactor(const uint32_t *words, const void *state, wlk_stimulus_state *stim,
                           uint64_t *in) {
    const wlk_compactor_cfg *cfg = (const wlk_compactor_cfg *)words;
    cycle c = {.stim = stim, .random = &stim->random};
    (void)state;
    c.s.n = cfg->n;
    c.s.words = cfg->payload_words;
    c.s.k[0] = cfg->k;
    drive(&wlk_compactor_block, words, &c, put_compactor, wlk_compactor_out_get_in_ready, in);
}

const wlk_stimulus wlk_compactor_stimulus = {
    .block = "compactor", .profiles = profile_names, .next = next_compactor};
