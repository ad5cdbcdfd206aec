// SPDX-License-Identifier: Apache-2.0
// The generic driver: inputs for any block, from its table alone. A value comes with its `valid`
// and changes with it; a channel is dense for a while, idle for a while; a value is a corner, one
// of few or any. What the driver cannot know is which inputs a rule of the block forbids: such a
// block has a stimulus of its own, which may start from these inputs.
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { NOBODY = -1, LONGEST_MOOD = 12 };

// What the driver keeps: a mood for each field that has them, a value for each `valid`.
enum { MEMORY_MOODS = STIM_FIRST + 1 };
#define PROFILE_BITS 4u
#define PROFILE_MASK ((UINT64_C(1) << PROFILE_BITS) - 1u)

typedef enum role {
    VALUE, // goes with its `valid`, or is anything in each cycle
    RESET,
    VALID, // of a channel that the driver fills
    LEVEL, // `ready` of a channel that the block fills, or a bit that is in no channel
} role;

typedef struct input {
    wlk_port port;
    role role;
    uint32_t element, elements; // which of the ports of its field, of how many
    uint32_t mood;              // VALID, LEVEL: where it is kept
    uint32_t value;             // where the value that it is part of is kept; 0: nowhere
    int32_t ready;              // VALID: the output that takes it, or NOBODY
} input;

struct wlk_driver {
    const wlk_block *block;
    wlk_layout layout;
    wlk_port *ports; // all, outputs too
    input *inputs;
    uint64_t *out, *care;
    uint32_t n_inputs, n_memory, first_value;
};

// How values come: all anew; each until it is taken; only those that are taken, up to the first
// that is not.
typedef enum hold { FREE, HELD, GATED } hold;

// What a profile turns; chances are out of 256.
typedef struct weights {
    hold hold;
    uint8_t valid, ready;      // in a mood in which each element is on its own
    uint8_t stuck, full, edge; // for a while: none; all; only the first or the last few
    uint8_t fresh;             // what an idle element shows changes
    uint8_t corner, few;       // a value is a corner, or one of the lowest four
    uint8_t bit;               // a value of one bit is 1
    uint16_t reset;            // out of 4096
} weights;

static const weights profiles[] = {
    /* mixed */ {FREE, 128, 160, 32, 64, 48, 96, 32, 96, 128, 4},
    /* dense */ {FREE, 248, 240, 4, 200, 24, 96, 32, 32, 40, 4},
    /* sparse */ {FREE, 40, 128, 64, 16, 32, 128, 32, 64, 128, 8},
    /* held */ {HELD, 200, 144, 48, 64, 64, 64, 32, 64, 96, 4},
    /* gated */ {GATED, 220, 176, 32, 96, 64, 64, 32, 64, 64, 4},
    /* stuck */ {HELD, 200, 128, 160, 48, 16, 64, 32, 64, 128, 4},
    /* partly */ {FREE, 230, 128, 0, 0, 200, 64, 32, 64, 160, 4},
    /* corners */ {FREE, 160, 160, 32, 64, 48, 128, 160, 32, 224, 4},
    /* few */ {HELD, 200, 176, 16, 64, 48, 64, 16, 200, 48, 4},
    /* resets */ {HELD, 176, 160, 32, 64, 48, 64, 32, 96, 128, 200},
};

STIM_PROFILE_NAMES(WLK_DRIVER_PROFILES, STIM_PHASE_CYCLES);
_Static_assert(PROFILES <= (1 << PROFILE_BITS), "a value names its profile");

// ---- the plan of a configuration --------------------------------------------------------------

static bool same_element(const wlk_port *a, const wlk_port *b) {
    const uint32_t n = wlk_min(a->n_index, b->n_index);
    return memcmp(a->index, b->index, n) == 0;
}

// The port of a field that belongs to the element that @p like is, or is part of.
static int32_t port_beside(const wlk_driver *d, int32_t field, const wlk_port *like) {
    for (uint32_t i = 0; field >= 0 && i < d->layout.n_ports; i++) {
        if (d->ports[i].present && d->ports[i].field == field && same_element(&d->ports[i], like)) {
            return (int32_t)i;
        }
    }
    return NOBODY;
}

// The input whose 1 makes the field meaningful, and that field itself if no other does.
static int32_t valid_of(const wlk_table *t, int32_t field) {
    while (t->fields[field].valid_when >= 0 && !t->fields[t->fields[field].valid_when].is_out) {
        field = t->fields[field].valid_when;
    }
    return field;
}

static const wlk_channel *channel_filled_by(const wlk_table *t, int32_t valid) {
    for (uint32_t i = 0; i < t->n_channels; i++) {
        if (t->channels[i].valid == valid) {
            return &t->channels[i];
        }
    }
    return NULL;
}

static bool makes_valid(const wlk_table *t, int32_t field) {
    for (uint32_t i = 0; i < t->n_fields; i++) {
        if (!t->fields[i].is_out && (int32_t)i != field && valid_of(t, (int32_t)i) == field) {
            return true;
        }
    }
    return channel_filled_by(t, field) != NULL;
}

static role role_of(const wlk_table *t, const wlk_port *port) {
    if (port->field == t->reset) {
        return RESET;
    }
    if (port->width != 1 || valid_of(t, port->field) != port->field) {
        return VALUE;
    }
    return makes_valid(t, port->field) ? VALID : LEVEL;
}

static void plan_input(wlk_driver *d, const wlk_port *port) {
    const wlk_table *t = d->block->table;
    input *i = &d->inputs[d->n_inputs++];
    const bool again = d->n_inputs > 1 && i[-1].port.field == port->field;
    *i = (input){.port = *port, .role = role_of(t, port), .ready = NOBODY};
    i->element = again ? i[-1].element + 1u : 0u;
    if (i->role == VALID || i->role == LEVEL) {
        i->mood = again ? i[-1].mood : d->n_memory++;
    }
    const wlk_channel *channel = i->role == VALID ? channel_filled_by(t, port->field) : NULL;
    if (channel != NULL) {
        i->ready = port_beside(d, channel->ready, port);
    }
}

// The ports of a field follow each other in the module or lie an element apart; number them all.
static int by_field(const void *a, const void *b) {
    const wlk_port *x = (const wlk_port *)a, *y = (const wlk_port *)b;
    if (x->field != y->field) {
        return x->field < y->field ? -1 : 1;
    }
    const int order = memcmp(x->index, y->index, sizeof x->index);
    return order != 0 ? order : (x->lane > y->lane) - (x->lane < y->lane);
}

static void plan_values(wlk_driver *d) {
    d->first_value = d->n_memory;
    for (uint32_t i = 0; i < d->n_inputs; i++) {
        if (d->inputs[i].role == VALID) {
            d->inputs[i].value = d->n_memory++;
        }
    }
    for (uint32_t i = 0; i < d->n_inputs; i++) {
        const int32_t field = valid_of(d->block->table, d->inputs[i].port.field);
        for (uint32_t k = 0; d->inputs[i].role == VALUE && k < d->n_inputs; k++) {
            const input *valid = &d->inputs[k];
            if (valid->role == VALID && valid->port.field == field &&
                same_element(&valid->port, &d->inputs[i].port)) {
                d->inputs[i].value = valid->value;
            }
        }
    }
}

static void plan(wlk_driver *d, const uint32_t *cfg) {
    (void)d->block->table->ports(cfg, NULL, d->ports, d->layout.n_ports);
    qsort(d->ports, d->layout.n_ports, sizeof *d->ports, by_field);
    d->n_memory = MEMORY_MOODS;
    for (uint32_t i = 0; i < d->layout.n_ports; i++) {
        if (d->ports[i].present && !d->ports[i].is_out) {
            plan_input(d, &d->ports[i]);
        }
    }
    for (uint32_t i = d->n_inputs; i > 0; i--) {
        input *one = &d->inputs[i - 1u];
        const bool last = i == d->n_inputs || one[1].port.field != one->port.field;
        one->elements = last ? one->element + 1u : one[1].elements;
    }
    plan_values(d);
}

wlk_status wlk_driver_open(wlk_driver **driver, const wlk_block *block, const uint32_t *cfg,
                           wlk_error *err) {
    wlk_driver *d = calloc(1, sizeof *d);
    *driver = d;
    if (d != NULL) {
        d->block = block;
        block->table->layout(cfg, &d->layout);
        d->ports = calloc(d->layout.n_ports + 1u, sizeof *d->ports);
        d->inputs = calloc(d->layout.n_ports + 1u, sizeof *d->inputs);
        d->out = calloc(d->layout.out_words + 1u, sizeof *d->out);
        d->care = calloc(d->layout.out_words + 1u, sizeof *d->care);
    }
    if (d == NULL || d->ports == NULL || d->inputs == NULL || d->out == NULL || d->care == NULL) {
        wlk_driver_close(d);
        *driver = NULL;
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    plan(d, cfg);
    if (d->n_memory > WLK_STIMULUS_WORDS) {
        wlk_driver_close(d);
        *driver = NULL;
        return wlk_fail(err, WLK_BAD_CONFIG, "block %s has too many channels for the driver",
                        block->table->name);
    }
    return WLK_OK;
}

void wlk_driver_close(wlk_driver *driver) {
    if (driver != NULL) {
        free(driver->ports);
        free(driver->inputs);
        free(driver->out);
        free(driver->care);
        free(driver);
    }
}

// ---- a cycle ----------------------------------------------------------------------------------

typedef struct cycle {
    const wlk_driver *d;
    const weights *w;
    wlk_stimulus_state *stim;
    uint64_t *memory;
    uint32_t profile;
    bool reset;
    uint64_t free; // seed of what goes with no `valid`
} cycle;

typedef enum mood { EACH, NONE, ALL, LOW, HIGH } mood;

// A mood: what it is, the element where it ends or begins, and the cycles that it still lasts.
static uint64_t next_mood(const cycle *c, uint32_t elements) {
    const uint64_t r = wlk_random(&c->stim->random);
    const uint32_t kind = r & 255u, edge = stim_below(r << 8, elements + 1u);
    const uint32_t left = stim_below(r << 20, LONGEST_MOOD);
    const uint32_t full = c->w->stuck + c->w->full;
    const mood how = kind < c->w->stuck          ? NONE
                     : kind < full               ? ALL
                     : kind >= full + c->w->edge ? EACH
                     : (r >> 8 & 1u) != 0        ? LOW
                                                 : HIGH;
    return (uint64_t)left << 32 | (uint64_t)edge << 8 | how;
}

static void move_moods(const cycle *c) {
    for (uint32_t i = 0; i < c->d->n_inputs; i++) {
        const input *one = &c->d->inputs[i];
        if (one->mood != 0 && one->element == 0) {
            uint64_t *m = &c->memory[one->mood];
            *m = *m >> 32 != 0 ? *m - (UINT64_C(1) << 32) : next_mood(c, one->elements);
        }
    }
}

// Is an element of a field on in this cycle?
static bool is_on(const cycle *c, const input *one, uint32_t chance) {
    const uint64_t m = c->memory[one->mood];
    const uint32_t edge = (uint32_t)(m >> 8) & 0xffffu;
    switch ((mood)(m & 7u)) {
    case NONE:
        return false;
    case ALL:
        return true;
    case LOW:
        return one->element < edge;
    case HIGH:
        return one->element >= edge;
    default:
        return stim_chance(&c->stim->random, chance);
    }
}

// A value is kept as the seed that it is made from: bit 0, it is valid; then the profile.
static void renew_values(const cycle *c) {
    for (uint32_t i = 0; i < c->d->n_inputs; i++) {
        const input *one = &c->d->inputs[i];
        uint64_t *value = &c->memory[one->value];
        if (one->role != VALID || (c->w->hold != FREE && (*value & 1u) != 0)) {
            continue;
        }
        const bool wanted = c->stim->drain == 0 && is_on(c, one, c->w->valid);
        if (wanted || stim_chance(&c->stim->random, c->w->fresh)) {
            *value = wlk_random(&c->stim->random) & ~(PROFILE_MASK << 1);
            *value |= (uint64_t)c->profile << 1;
        }
        *value = (*value & ~UINT64_C(1)) | wanted;
    }
}

static uint64_t make_value(uint64_t seed, uint32_t number, uint32_t width) {
    const weights *w = &profiles[seed >> 1 & PROFILE_MASK];
    uint64_t random = (seed | 1u) + number * UINT64_C(0xd1342543de82ef95);
    const uint64_t any = wlk_random(&random), r = wlk_random(&random);
    const uint32_t kind = r & 255u;
    if (width == 1) {
        return kind < w->bit;
    }
    if (kind < w->corner) {
        switch (r >> 8 & 3u) {
        case 0:
            return 0;
        case 1:
            return ~UINT64_C(0);
        default:
            return UINT64_C(1) << stim_below(r, width);
        }
    }
    return kind < (uint32_t)w->corner + w->few ? any & 3u : any;
}

static uint64_t make_input(const cycle *c, uint32_t number) {
    const input *one = &c->d->inputs[number];
    switch (one->role) {
    case RESET:
        return c->reset;
    case VALID:
        return c->memory[one->value] & 1u;
    case LEVEL:
        return c->stim->drain != 0 || is_on(c, one, c->w->ready);
    default:
        return make_value(one->value != 0 ? c->memory[one->value] : c->free, number,
                          one->port.width);
    }
}

// Values that are taken go; gated, those from the first of a field that is not are not shown. A
// reset takes all.
static void settle(const cycle *c, const uint32_t *cfg, const void *state, uint64_t *in) {
    bool stalled = false;
    if (c->w->hold != FREE) {
        c->d->block->eval(cfg, state, in, c->d->out, c->d->care);
    }
    for (uint32_t i = 0; i < c->d->n_inputs; i++) {
        const input *one = &c->d->inputs[i];
        const bool valid = one->role == VALID && (c->memory[one->value] & 1u) != 0;
        const bool taken = one->ready == NOBODY || c->w->hold == FREE || c->reset ||
                           wlk_port_get(&c->d->ports[one->ready], c->d->out) != 0;
        stalled = one->element != 0 && stalled;
        stalled = stalled || (valid && !taken);
        if (valid && stalled && c->w->hold == GATED) {
            wlk_port_set(&one->port, in, 0);
        } else if (valid && taken) {
            c->memory[one->value] &= ~UINT64_C(1);
        }
    }
}

static void next(const uint32_t *cfg, const void *state, wlk_stimulus_state *stim, uint64_t *in) {
    cycle c = {.d = stim->driver, .stim = stim, .memory = stim->memory};
    c.profile = wlk_stim_begin(stim, PROFILES);
    c.w = &profiles[c.profile];
    c.reset = wlk_stim_reset(stim, c.w->reset) && c.d->block->table->reset >= 0;
    c.free = (wlk_random(&stim->random) & ~(PROFILE_MASK << 1)) | (uint64_t)c.profile << 1;
    memset(in, 0, c.d->layout.in_words * sizeof *in);
    move_moods(&c);
    renew_values(&c);
    for (uint32_t i = 0; i < c.d->n_inputs; i++) {
        wlk_port_set(&c.d->inputs[i].port, in, make_input(&c, i));
    }
    settle(&c, cfg, state, in);
    stim->cycle++;
}

// Nothing waits to be taken?
static bool idle(const uint32_t *cfg, const void *state, const wlk_stimulus_state *stim) {
    (void)cfg;
    (void)state;
    for (uint32_t i = stim->driver->first_value; i < stim->driver->n_memory; i++) {
        if ((stim->memory[i] & 1u) != 0) {
            return false;
        }
    }
    return true;
}

const wlk_stimulus wlk_driver_stimulus = {.profiles = profile_names, .next = next, .idle = idle};
