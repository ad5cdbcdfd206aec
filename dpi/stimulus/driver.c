// SPDX-License-Identifier: Apache-2.0
// The generic driver: inputs for any block, from its table alone. A value comes with its `valid`
// and changes with it; a channel is dense for a while, idle for a while; a value is a corner, one
// of few or any. What the driver cannot know is which inputs a rule of the block forbids, or what
// is of interest in a state: a block that needs it has profiles and a hook in NAME.c.
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { NOBODY = -1, LONGEST_MOOD = 24, MOST_FEW = 8 };

// Kept between cycles, of each bank: a mood, which is the cycles that it still lasts, the elements
// that are on in it and those that are each on its own; the elements whose value waits. Behind the
// banks, the inputs as they were before the block's hook changed them.
enum { MEMORY_BANKS = STIM_FIRST + 1, LEFT = 0, ON, FREE, WAITING, BANK_MEMORY };

typedef enum role {
    VALUE, // goes with its `valid`, or is anything in each cycle
    BITS,  // the same of what no rule reads
    RESET,
    VALID, // of a channel that the driver fills
    LEVEL, // `ready` of a channel that the block fills, or a bit that is in no channel
} role;

// Bits of a value in one word of the inputs.
typedef struct part {
    uint32_t word;
    uint64_t bits;
} part;

// What goes with an element of a bank, and the output that takes it (NULL: nothing waits for one).
typedef struct element {
    const wlk_port *ready;
    uint32_t first_part, n_parts;
} element;

// Elements of one field that lie side by side in a word of the inputs: kept as a set.
typedef struct bank {
    role role;
    uint16_t field, word;
    uint8_t lsb; // of the first
    uint64_t all;
    uint32_t first, n;
} bank;

// What lies in a word of the inputs.
typedef struct word {
    uint64_t loose;               // goes with no `valid`: new in each cycle
    uint64_t renewed;             // new in this cycle
    uint64_t flags;               // values of one bit
    uint64_t numbers, lows, tops; // values of more bits; their lowest and their highest bits
    uint64_t few[MOST_FEW + 1];   // the lowest so many bits of each
} word;

// A number that may be the same as the first of its width in its value.
typedef struct repeat {
    uint64_t bits; // the number's width
    uint16_t word, first_word;
    uint8_t lsb, first_lsb;
} repeat;

// While the plan is made: an input, and the element that it is a value of; NOBODY: of none.
typedef struct input {
    wlk_port port;
    role role;
    int32_t valid;
} input;

struct wlk_driver {
    const wlk_block *block;
    wlk_layout layout;
    wlk_port *ports; // all, outputs too
    const wlk_port *reset;
    input *inputs;
    word *words;
    bank *banks;
    element *elements;
    part *parts;
    repeat *repeats;
    uint64_t *out, *care; // of a cycle
    uint32_t n_inputs, n_banks, n_elements, n_parts, n_repeats;
    uint32_t n_often; // behind these words are lanes that go with no `valid`: new now and then
};

static const stim_weights profiles[] = {
    // hold, valid, ready, stuck, full, edge, fresh, corner, few, few_bits, repeat, bit, reset, own
    /* mixed */ {STIM_FREE, 160, 112, 16, 32, 48, 96, 32, 96, 2, 32, 128, 4, {0}},
    /* dense */ {STIM_FREE, 240, 224, 16, 160, 24, 96, 32, 32, 2, 32, 32, 4, {0}},
    /* sparse */ {STIM_FREE, 64, 112, 64, 8, 32, 128, 32, 64, 2, 32, 128, 8, {0}},
    /* held */ {STIM_HELD, 192, 144, 32, 112, 64, 64, 32, 64, 2, 32, 96, 4, {0}},
    /* gated */ {STIM_GATED, 192, 160, 32, 112, 64, 64, 32, 64, 2, 32, 64, 4, {0}},
    /* stuck */ {STIM_HELD, 224, 128, 80, 32, 16, 64, 32, 64, 2, 32, 128, 4, {0}},
    /* partly */ {STIM_FREE, 240, 128, 0, 0, 64, 64, 32, 64, 2, 32, 160, 4, {0}},
    /* corners */ {STIM_FREE, 176, 128, 16, 32, 48, 128, 160, 32, 2, 32, 224, 4, {0}},
    /* few */ {STIM_HELD, 176, 192, 16, 112, 48, 64, 16, 192, 2, 64, 64, 4, {0}},
    /* resets */ {STIM_HELD, 160, 160, 32, 96, 48, 64, 32, 96, 2, 32, 128, 200, {0}},
};

STIM_PROFILE_NAMES(WLK_DRIVER_PROFILES, STIM_PHASE_CYCLES);

// ---- the plan of a configuration --------------------------------------------------------------

static bool same_element(const wlk_port *a, const wlk_port *b) {
    const uint32_t n = wlk_min(a->n_index, b->n_index);
    return memcmp(a->index, b->index, n) == 0;
}

// The port of a field that belongs to the element that @p like is, or is part of.
static const wlk_port *port_beside(const wlk_driver *d, int32_t field, const wlk_port *like) {
    for (const wlk_port *p = d->ports; field >= 0 && p < d->ports + d->layout.n_ports; p++) {
        if (p->present && p->field == field && same_element(p, like)) {
            return p;
        }
    }
    return NULL;
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
    if (port->width == 1 && makes_valid(t, port->field)) {
        return VALID;
    }
    const wlk_field *field = &t->fields[port->field];
    if (!field->read || field->is_payload || field->notation == WLK_OPAQUE) {
        return BITS;
    }
    return port->width == 1 && valid_of(t, port->field) == port->field ? LEVEL : VALUE;
}

// The ports of a field follow each other in the module or lie an element apart.
static int by_field(const void *a, const void *b) {
    const wlk_port *x = (const wlk_port *)a, *y = (const wlk_port *)b;
    if (x->field != y->field) {
        return x->field < y->field ? -1 : 1;
    }
    const int order = memcmp(x->index, y->index, sizeof x->index);
    return order != 0 ? order : (x->lane > y->lane) - (x->lane < y->lane);
}

static bool goes_on(const bank *b, const wlk_port *port) {
    return b->field == port->field && b->word == port->word && b->lsb + b->n == port->lsb;
}

static void plan_element(wlk_driver *d, const input *one) {
    const wlk_port *port = &one->port;
    const wlk_channel *channel = channel_filled_by(d->block->table, port->field);
    element *e = &d->elements[d->n_elements++];
    if (d->n_banks == 0 || !goes_on(&d->banks[d->n_banks - 1u], port)) {
        d->banks[d->n_banks++] =
            (bank){one->role, port->field, port->word, port->lsb, .first = d->n_elements - 1u};
    }
    bank *last = &d->banks[d->n_banks - 1u];
    last->n++;
    last->all = wlk_mask(last->n);
    if (one->role == VALID && channel != NULL) {
        e->ready = port_beside(d, channel->ready, port);
    }
}

static void add_part(wlk_driver *d, element *e, const wlk_port *port) {
    const uint64_t bits = wlk_mask(port->width) << port->lsb;
    uint32_t n = e->first_part;
    while (n < d->n_parts && d->parts[n].word != port->word) {
        n++;
    }
    d->parts[n] = (part){port->word, d->parts[n].bits | bits};
    d->n_parts += n == d->n_parts;
    e->n_parts = d->n_parts - e->first_part;
}

static bool goes_with_valid(const input *one) {
    return one->role == VALUE || one->role == BITS;
}

// What goes with the element of @p valid, which has that number.
static void plan_parts(wlk_driver *d, const input *valid, int32_t number) {
    element *e = &d->elements[number];
    e->first_part = d->n_parts;
    for (uint32_t i = 0; i < d->n_inputs; i++) {
        input *one = &d->inputs[i];
        if (goes_with_valid(one) && same_element(&one->port, &valid->port) &&
            valid_of(d->block->table, one->port.field) == valid->port.field) {
            one->valid = number;
            add_part(d, e, &one->port);
        }
    }
}

static void plan_word(wlk_driver *d, const input *one) {
    const wlk_port *port = &one->port;
    word *w = &d->words[port->word];
    const uint64_t bits = wlk_mask(port->width) << port->lsb;
    if (one->valid == NOBODY) {
        w->loose |= bits;
    }
    if (one->valid != NOBODY || !d->block->table->fields[port->field].is_payload) {
        d->n_often = port->word < d->n_often ? d->n_often : port->word + 1u;
    }
    if (one->role == VALUE && port->width == 1) {
        w->flags |= bits;
    } else if (one->role == VALUE) {
        w->numbers |= bits;
        w->lows |= bits & -bits;
        w->tops |= bits & ~(bits >> 1);
        for (uint32_t n = 0; n <= MOST_FEW; n++) {
            w->few[n] |= wlk_mask(wlk_min(n, port->width)) << port->lsb;
        }
    }
}

static bool is_number(const wlk_driver *d, const input *one) {
    return one->role == VALUE && one->port.width > 1 &&
           d->block->table->fields[one->port.field].notation == WLK_DECIMAL;
}

static void plan_repeat(wlk_driver *d, const input *one) {
    for (const input *first = d->inputs; is_number(d, one) && first < one; first++) {
        if (is_number(d, first) && first->valid == one->valid &&
            first->port.width == one->port.width) {
            const wlk_port *from = &first->port, *to = &one->port;
            d->repeats[d->n_repeats++] =
                (repeat){wlk_mask(to->width), to->word, from->word, to->lsb, from->lsb};
            return;
        }
    }
}

static void plan(wlk_driver *d, const uint32_t *cfg) {
    (void)d->block->table->ports(cfg, NULL, d->ports, d->layout.n_ports);
    qsort(d->ports, d->layout.n_ports, sizeof *d->ports, by_field);
    for (const wlk_port *p = d->ports; p < d->ports + d->layout.n_ports; p++) {
        if (p->present && !p->is_out) {
            d->inputs[d->n_inputs++] = (input){*p, role_of(d->block->table, p), NOBODY};
        }
    }
    for (const input *one = d->inputs; one < d->inputs + d->n_inputs; one++) {
        if (one->role == RESET) {
            d->reset = &one->port;
        } else if (!goes_with_valid(one)) {
            plan_element(d, one);
            plan_parts(d, one, (int32_t)d->n_elements - 1);
        }
    }
    for (const input *one = d->inputs; one < d->inputs + d->n_inputs; one++) {
        if (goes_with_valid(one)) {
            plan_word(d, one);
            plan_repeat(d, one);
        }
    }
}

wlk_status wlk_driver_open(wlk_driver **driver, const wlk_block *block, const uint32_t *cfg,
                           wlk_error *err) {
    wlk_driver *d = calloc(1, sizeof *d);
    *driver = d;
    if (d != NULL) {
        d->block = block;
        block->table->layout(cfg, &d->layout);
        const size_t ports = d->layout.n_ports + 1u, outs = d->layout.out_words + 1u;
        d->ports = calloc(ports, sizeof *d->ports);
        d->inputs = calloc(ports, sizeof *d->inputs);
        d->words = calloc(d->layout.in_words + 1u, sizeof *d->words);
        d->banks = calloc(ports, sizeof *d->banks);
        d->elements = calloc(ports, sizeof *d->elements);
        d->parts = calloc(ports, sizeof *d->parts);
        d->repeats = calloc(ports, sizeof *d->repeats);
        d->out = calloc(outs, 2 * sizeof *d->out);
        d->care = d->out != NULL ? d->out + outs : NULL;
    }
    if (d == NULL || d->ports == NULL || d->inputs == NULL || d->words == NULL ||
        d->banks == NULL || d->elements == NULL || d->parts == NULL || d->repeats == NULL ||
        d->out == NULL) {
        wlk_driver_close(d);
        *driver = NULL;
        return wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    plan(d, cfg);
    if (MEMORY_BANKS + BANK_MEMORY * d->n_banks + d->layout.in_words > STIM_OWN) {
        wlk_driver_close(d);
        *driver = NULL;
        return wlk_fail(err, WLK_BAD_CONFIG, "block %s has too many inputs for the driver",
                        block->table->name);
    }
    return WLK_OK;
}

void wlk_driver_close(wlk_driver *driver) {
    if (driver != NULL) {
        free(driver->ports);
        free(driver->inputs);
        free(driver->words);
        free(driver->banks);
        free(driver->elements);
        free(driver->parts);
        free(driver->repeats);
        free(driver->out);
        free(driver);
    }
}

// ---- a cycle ----------------------------------------------------------------------------------

// Bits that are 1 at a weight's chance: made once a cycle, as that takes up to eight random words,
// and rotated by another number for each use.
typedef struct chances {
    uint64_t valid, ready, fresh, few, corner, repeat, flag;
} chances;

typedef struct cycle {
    const wlk_driver *d;
    const stim_weights *w;
    wlk_stimulus_state *stim;
    uint64_t *kept;   // the inputs before the hook
    uint32_t n_words; // that may be new
    bool reset;
    chances of;
    uint64_t turns; // by how much: cheap random numbers, from a new seed in each cycle
} cycle;

static uint64_t *memory_of(const cycle *c, uint32_t number) {
    return &c->stim->memory[MEMORY_BANKS + BANK_MEMORY * number];
}

static uint64_t some(cycle *c, uint64_t bits) {
    c->turns = c->turns * UINT64_C(6364136223846793005) + 1u;
    const uint64_t by = c->turns >> 58;
    return bits >> by | bits << (-by & 63u);
}

static void draw_chances(cycle *c) {
    uint64_t *random = &c->stim->random;
    c->turns = wlk_random(random);
    c->of.valid = stim_bits(random, c->w->valid);
    c->of.ready = stim_bits(random, c->w->ready);
    c->of.fresh = stim_bits(random, c->w->fresh);
    c->of.few = stim_bits(random, c->w->few);
    c->of.corner = stim_bits(random, c->w->corner);
    c->of.repeat = stim_bits(random, c->w->repeat);
    c->of.flag = stim_bits(random, c->w->bit);
}

// None, all, the first or the last few, or each on its own.
static void change_mood(const cycle *c, const bank *b, uint64_t *memory) {
    const uint64_t r = wlk_random(&c->stim->random);
    const uint64_t low = wlk_mask(stim_below(r << 8, b->n + 1u));
    const uint32_t kind = r & 255u, full = c->w->stuck + c->w->full;
    memory[LEFT] = stim_below(r << 20, LONGEST_MOOD);
    memory[FREE] = kind >= full + c->w->edge ? b->all : 0u;
    memory[ON] = kind < c->w->stuck || memory[FREE] != 0 ? 0u
                 : kind < full                           ? b->all
                 : (r >> 8 & 1u) != 0                    ? low
                                                         : b->all & ~low;
}

// The elements of a bank that are on in this cycle.
static uint64_t are_on(cycle *c, const bank *b, uint64_t *memory, uint64_t chance) {
    if (memory[LEFT] == 0) {
        change_mood(c, b, memory);
    } else {
        memory[LEFT]--;
    }
    return memory[ON] | (memory[FREE] & some(c, chance));
}

static void renew(const cycle *c, const element *e) {
    const part *end = &c->d->parts[e->first_part + e->n_parts];
    for (const part *p = &c->d->parts[e->first_part]; p < end; p++) {
        c->d->words[p->word].renewed |= p->bits;
    }
}

// A value that waits to be taken stays; what comes is new, and what an idle element shows may be.
// All is new in the first cycle.
static uint64_t move_values(cycle *c, const bank *b, uint64_t *memory) {
    const uint64_t kept = c->w->hold != STIM_FREE ? memory[WAITING] : 0u;
    const uint64_t on = are_on(c, b, memory, c->of.valid);
    const uint64_t come = c->stim->drain == 0 ? on & ~kept : 0u;
    const uint64_t fresh = c->stim->cycle == 0 ? ~UINT64_C(0) : some(c, c->of.fresh);
    const uint64_t changed = (come | fresh) & ~kept & b->all;
    for (uint64_t rest = changed; rest != 0; rest &= rest - 1u) {
        renew(c, &c->d->elements[b->first + (uint32_t)__builtin_ctzll(rest)]);
    }
    memory[WAITING] = kept | come;
    return memory[WAITING];
}

static void move_banks(cycle *c) {
    for (uint32_t i = 0; i < c->d->n_banks; i++) {
        const bank *b = &c->d->banks[i];
        const bool draining = c->stim->drain != 0;
        uint64_t *memory = memory_of(c, i);
        const uint64_t on = b->role == VALID ? move_values(c, b, memory)
                            : draining       ? b->all
                                             : are_on(c, b, memory, c->of.ready);
        uint64_t *place = &c->kept[b->word];
        *place = (*place & ~(b->all << b->lsb)) | on << b->lsb;
    }
}

// All bits of those numbers of a word whose lowest bits are given: added to ones below each
// number's highest bit, a lowest bit is carried up to the highest.
static uint64_t whole(const word *w, uint64_t lows) {
    const uint64_t tops = ((w->numbers & ~w->tops) + lows) & w->tops;
    return (tops << 1) - lows;
}

static uint64_t corner(const word *w, uint64_t r) {
    const uint64_t one = w->lows << (r >> 2 & 7u);
    const uint64_t corners[4] = {0, 0, ~UINT64_C(0), one};
    return corners[r & 3u];
}

static uint64_t make_word(cycle *c, const word *w) {
    uint64_t bits = wlk_random(&c->stim->random);
    if ((w->flags | w->numbers) == 0) {
        return bits;
    }
    if (w->flags != 0) {
        bits = (bits & ~w->flags) | (some(c, c->of.flag) & w->flags);
    }
    if (w->numbers != 0) {
        const uint64_t few = whole(w, w->lows & some(c, c->of.few));
        const uint64_t corners = whole(w, w->lows & some(c, c->of.corner));
        bits &= ~few | w->few[c->w->few_bits];
        bits = (bits & ~corners) | (corner(w, c->turns >> 32) & corners);
    }
    return bits;
}

static void put_values(cycle *c) {
    for (uint32_t i = 0; i < c->n_words; i++) {
        const word *w = &c->d->words[i];
        if (w->renewed != 0) {
            c->kept[i] = (c->kept[i] & ~w->renewed) | (make_word(c, w) & w->renewed);
        }
    }
}

static void repeat_numbers(cycle *c) {
    const wlk_driver *d = c->d;
    for (uint32_t i = 0; i < d->n_repeats; i += 64u) {
        uint64_t hits = some(c, c->of.repeat) & wlk_mask(d->n_repeats - i);
        for (; hits != 0; hits &= hits - 1u) {
            const repeat *r = &d->repeats[i + (uint32_t)__builtin_ctzll(hits)];
            const uint64_t renewed = d->words[r->word].renewed >> r->lsb;
            const uint64_t from = c->kept[r->first_word] >> r->first_lsb;
            const uint64_t to = c->kept[r->word] >> r->lsb;
            c->kept[r->word] ^= ((from ^ to) & r->bits & (0u - (renewed & 1u))) << r->lsb;
        }
    }
}

// The elements of a bank whose value is not taken in this cycle. A ready that the model does not
// know takes it: waiting for one that nobody models would never end.
static uint64_t stuck(const cycle *c, const bank *b, uint64_t valid) {
    uint64_t set = 0;
    for (uint64_t rest = valid; rest != 0; rest &= rest - 1u) {
        const element *e = &c->d->elements[b->first + (uint32_t)__builtin_ctzll(rest)];
        const bool taken = e->ready == NULL || wlk_port_get(e->ready, c->d->out) != 0 ||
                           wlk_port_get(e->ready, c->d->care) == 0;
        set |= taken ? 0u : rest & -rest;
    }
    return set;
}

const uint64_t *wlk_stim_outputs(const wlk_driver *d, const uint32_t *cfg, const void *state,
                                 const uint64_t *in) {
    d->block->eval(cfg, state, in, d->out, d->care);
    return d->out;
}

bool wlk_stim_knows(const wlk_driver *d, const uint32_t *cfg, const void *state,
                    const uint64_t *in) {
    bool known = true;
    (void)wlk_stim_outputs(d, cfg, state, in);
    for (const wlk_port *p = d->ports; p < d->ports + d->layout.n_ports; p++) {
        const bool is_shown = p->is_out && p->present;
        known = known && (!is_shown || wlk_port_get(p, d->care) == wlk_mask(p->width));
    }
    return known;
}

// Values that are taken go; gated, those from the first of a field that is not are not shown. A
// reset takes all.
static void settle(const cycle *c, const uint32_t *cfg, const void *state, uint64_t *in) {
    if (c->w->hold == STIM_FREE) {
        return;
    }
    (void)wlk_stim_outputs(c->d, cfg, state, in);
    for (uint32_t i = 0; i < c->d->n_banks; i++) {
        const bank *b = &c->d->banks[i];
        uint64_t *waiting = &memory_of(c, i)[WAITING];
        uint64_t left = c->reset ? 0u : stuck(c, b, *waiting);
        if (left != 0 && c->w->hold == STIM_GATED) {
            left = *waiting & ~((left & -left) - 1u);
            in[b->word] &= ~(left << b->lsb);
        }
        *waiting = left;
    }
}

void wlk_stim_drive(const wlk_driven *g, const uint32_t *cfg, const void *state,
                    wlk_stimulus_state *stim, uint64_t *in) {
    const wlk_driver *d = stim->driver;
    cycle c = {.d = d, .stim = stim};
    const stim_weights *rows = g->profiles != NULL ? g->profiles : profiles;
    const uint32_t n_rows = g->profiles != NULL ? g->n_profiles : (uint32_t)PROFILES;
    c.w = &rows[wlk_stim_begin(stim, n_rows)];
    c.kept = memory_of(&c, d->n_banks);
    c.reset = wlk_stim_reset(stim, c.w->reset) && d->reset != NULL;
    draw_chances(&c);
    c.n_words = stim->cycle == 0 || (c.of.fresh & 1u) != 0 ? d->layout.in_words : d->n_often;
    for (uint32_t i = 0; i < c.n_words; i++) {
        d->words[i].renewed = d->words[i].loose;
    }
    move_banks(&c);
    put_values(&c);
    repeat_numbers(&c);
    if (d->reset != NULL) {
        wlk_port_set(d->reset, c.kept, c.reset);
    }
    memcpy(in, c.kept, d->layout.in_words * sizeof *in);
    if (g->hook != NULL) {
        g->hook(&(stim_cycle){cfg, state, c.w, stim, c.reset}, in);
    }
    settle(&c, cfg, state, in);
    stim->cycle++;
}

bool wlk_stim_idle(const wlk_stimulus_state *stim) {
    for (uint32_t i = 0; i < stim->driver->n_banks; i++) {
        if (stim->memory[MEMORY_BANKS + BANK_MEMORY * i + WAITING] != 0) {
            return false;
        }
    }
    return true;
}

static const wlk_driven any_block;

const wlk_stimulus wlk_driver_stimulus = {.profiles = profile_names, .driven = &any_block};
