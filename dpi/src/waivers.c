// SPDX-License-Identifier: Apache-2.0
// Waivers: scripts/wlk/fit/waivers.py reads them from a file and writes conditions in postfix
// order.
#define _GNU_SOURCE
#include "waivers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 256 }; // of a condition at a time

typedef enum kind {
    PORT,
    NUMBER,
    NOT,
    INVERT,
    ALL,
    ANY,
    EQUAL,
    DIFFERENT,
    LESS,
    AT_MOST,
    MORE,
    AT_LEAST,
    AND,
    OR,
    XOR,
} kind;

static const char *const signs[] = {
    [NOT] = "!",        [INVERT] = "~", [ALL] = "&&",     [ANY] = "||", [EQUAL] = "==",
    [DIFFERENT] = "!=", [LESS] = "<",   [AT_MOST] = "<=", [MORE] = ">", [AT_LEAST] = ">=",
    [AND] = "&",        [OR] = "|",     [XOR] = "^",
};

typedef struct step {
    kind what;
    uint32_t port, lsb;
    uint64_t value; // the number; of a port, and of INVERT, the mask of its width
} step;

struct waiver {
    uint32_t hits; // index
    uint32_t port;
    uint64_t bits;
    step *steps; // owned; none: it always holds
    uint32_t n;
    bool holds; // in this cycle
};

// All of it known or nothing.
struct waiver_value {
    uint64_t bits;
    bool known;
};
typedef waiver_value value;

// ---- reading ------------------------------------------------------------------------------------

static bool find(const wlk_port *ports, uint32_t n, const char *name, size_t length, uint32_t *at) {
    for (uint32_t i = 0; i < n; i++) {
        if (ports[i].present && strncmp(ports[i].name, name, length) == 0 &&
            ports[i].name[length] == '\0') {
            *at = i;
            return true;
        }
    }
    return false;
}

static bool number(const char *text, int base, uint64_t *to) {
    char *end = NULL;
    *to = strtoull(text, &end, base);
    return end != text && *end == '\0';
}

static bool read_sign(const char *word, step *s) {
    for (uint32_t i = NOT; i < sizeof signs / sizeof signs[0]; i++) {
        if (strcmp(signs[i], word) == 0) {
            s->what = (kind)i;
            return true;
        }
    }
    return false;
}

// "0x1f", "~8", an operator, "PORT" or "PORT@LSB:WIDTH".
static bool read_step(const wlk_port *ports, uint32_t n, const char *word, step *s) {
    uint64_t lsb = 0, width = 0;
    char range[32];
    if (word[0] >= '0' && word[0] <= '9') {
        s->what = NUMBER;
        return number(word, 0, &s->value);
    }
    if (word[0] == '~') {
        s->what = INVERT;
        const bool good = number(word + 1, 10, &width);
        s->value = wlk_mask((uint32_t)width);
        return good;
    }
    if (read_sign(word, s)) {
        return true;
    }
    const size_t length = strcspn(word, "@");
    if (!find(ports, n, word, length, &s->port)) {
        return false;
    }
    s->what = PORT;
    width = ports[s->port].width;
    if (word[length] == '@') {
        (void)snprintf(range, sizeof range, "%s", word + length + 1u);
        char *colon = strchr(range, ':');
        if (colon == NULL) {
            return false;
        }
        *colon = '\0';
        if (!number(range, 10, &lsb) || !number(colon + 1, 10, &width)) {
            return false;
        }
    }
    s->lsb = (uint32_t)lsb;
    s->value = wlk_mask((uint32_t)width);
    return lsb < ports[s->port].width && width != 0 && lsb + width <= ports[s->port].width;
}

// Does the stack hold, and is one value left?
static bool is_whole(const waiver *w) {
    uint32_t values = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        const kind what = w->steps[i].what;
        const uint32_t taken = what <= NUMBER ? 0 : what <= INVERT ? 1 : 2;
        if (values < taken) {
            return false;
        }
        values += 1u - taken;
        if (values > MOST_VALUES) {
            return false;
        }
    }
    return w->n == 0 || values == 1;
}

static bool take_words(waivers *w, uint32_t out_words) {
    uint64_t **const parts[] = {&w->now, &w->ever, &w->left, &w->agreed};
    w->stack = w->stack != NULL ? w->stack : calloc(MOST_VALUES + 1, sizeof *w->stack);
    bool all = w->stack != NULL;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        *parts[i] = *parts[i] != NULL ? *parts[i] : calloc(out_words, sizeof(uint64_t));
        all = all && *parts[i] != NULL;
    }
    return all;
}

// Where hits of the waiver with that number are counted.
static bool take_hits(waivers *w, uint32_t which, uint32_t *at) {
    for (*at = 0; *at < w->n_hits; (*at)++) {
        if (w->hits[*at].waiver == which) {
            return true;
        }
    }
    wlk_waiver_hits *more = realloc(w->hits, (w->n_hits + 1u) * sizeof *more);
    if (more == NULL) {
        return false;
    }
    w->hits = more;
    more[w->n_hits++] = (wlk_waiver_hits){.waiver = which};
    return true;
}

// The words behind the block. @p copy may be written to.
static bool read_waiver(char *copy, const wlk_port *ports, uint32_t n, waiver *one,
                        uint32_t *which) {
    char *rest = copy;
    uint64_t number_of = 0;
    const char *first = strtok_r(copy, " ", &rest);
    const char *port = strtok_r(NULL, " ", &rest), *bits = strtok_r(NULL, " ", &rest);
    bool good = bits != NULL && number(first, 10, &number_of) && number(bits, 0, &one->bits) &&
                find(ports, n, port, strlen(port), &one->port) && ports[one->port].is_out;
    const char *word;
    while (good && (word = strtok_r(NULL, " ", &rest)) != NULL) {
        good = read_step(ports, n, word, &one->steps[one->n++]);
    }
    *which = (uint32_t)number_of;
    return good && is_whole(one);
}

static bool add(waivers *w, const waiver *one) {
    waiver *more = realloc(w->list, (w->n + 1u) * sizeof *more);
    if (more != NULL) {
        w->list = more;
        more[w->n++] = *one;
    }
    return more != NULL;
}

wlk_status wlk_waivers_add(waivers *w, const wlk_block *block, const wlk_port *ports,
                           const wlk_layout *layout, const char *text, wlk_error *err) {
    const size_t length = strcspn(text, " ");
    uint32_t which = 0;
    if (length != 0 &&
        (strncmp(text, block->table->name, length) != 0 || block->table->name[length] != '\0')) {
        return WLK_OK; // of another block
    }
    char *copy = strdup(text + length);
    waiver one = {.steps = calloc(strlen(text) + 1u, sizeof(step))};
    const bool room = copy != NULL && one.steps != NULL && take_words(w, layout->out_words);
    const bool good = room && read_waiver(copy, ports, layout->n_ports, &one, &which);
    const bool added = good && take_hits(w, which, &one.hits) && add(w, &one);
    free(copy);
    if (!added) {
        free(one.steps);
        return room && !good ? wlk_fail(err, WLK_BAD_PARAMS,
                                        "the waiver '%.300s' does not fit the ports of %s", text,
                                        block->table->name)
                             : wlk_fail(err, WLK_NO_MEMORY, "waivers: out of memory");
    }
    wlk_port_set(&ports[one.port], w->ever, wlk_port_get(&ports[one.port], w->ever) | one.bits);
    return WLK_OK;
}

void wlk_waivers_free(waivers *w) {
    for (uint32_t i = 0; i < w->n; i++) {
        free(w->list[i].steps);
    }
    free(w->list);
    free(w->hits);
    free(w->now);
    free(w->ever);
    free(w->left);
    free(w->agreed);
    free(w->stack);
}

// ---- a cycle ------------------------------------------------------------------------------------

static value port_bits(const waiver_sight *sight, const step *s) {
    const wlk_port *port = &sight->ports[s->port];
    const uint64_t *x = port->is_out ? sight->out_x : sight->in_x;
    uint64_t unknown = x != NULL ? wlk_port_get(port, x) : 0u;
    if (port->is_out) {
        unknown |= ~wlk_port_get(port, sight->there);
    }
    return (value){(wlk_port_get(port, port->is_out ? sight->out : sight->in) >> s->lsb) & s->value,
                   ((unknown >> s->lsb) & s->value) == 0};
}

static uint64_t combined(kind what, uint64_t a, uint64_t b) {
    switch (what) {
    case EQUAL:
        return a == b;
    case DIFFERENT:
        return a != b;
    case LESS:
        return a < b;
    case AT_MOST:
        return a <= b;
    case MORE:
        return a > b;
    case AT_LEAST:
        return a >= b;
    case AND:
        return a & b;
    case OR:
        return a | b;
    default:
        return a ^ b;
    }
}

// One side may decide alone.
static value logical(kind what, value a, value b) {
    const bool decides = what == ANY;
    if ((a.known && (a.bits != 0) == decides) || (b.known && (b.bits != 0) == decides)) {
        return (value){decides, true};
    }
    return (value){!decides, a.known && b.known};
}

// What cannot be told does not hold. @p top: of the stack, behind its last value.
static bool holds(const waiver *w, const waiver_sight *sight, value *top) {
    *top++ = (value){1, true};
    for (uint32_t i = 0; i < w->n; i++) {
        const step *s = &w->steps[i];
        switch (s->what) {
        case PORT:
            *top++ = port_bits(sight, s);
            break;
        case NUMBER:
            *top++ = (value){s->value, true};
            break;
        case NOT:
            top[-1].bits = top[-1].bits == 0;
            break;
        case INVERT:
            top[-1].bits = ~top[-1].bits & s->value;
            break;
        case ALL:
        case ANY:
            top--;
            top[-1] = logical(s->what, top[-1], top[0]);
            break;
        default:
            top--;
            top[-1] = (value){combined(s->what, top[-1].bits, top[0].bits),
                              top[-1].known && top[0].known};
            break;
        }
    }
    return top[-1].known && top[-1].bits != 0;
}

void wlk_waivers_look(waivers *w, const waiver_sight *sight, uint32_t out_words) {
    memset(w->now, 0, out_words * sizeof *w->now);
    for (uint32_t i = 0; i < w->n; i++) {
        waiver *one = &w->list[i];
        const wlk_port *port = &sight->ports[one->port];
        one->holds = holds(one, sight, w->stack);
        if (one->holds) {
            wlk_port_set(port, w->now, wlk_port_get(port, w->now) | one->bits);
        }
    }
}

void wlk_waivers_hit(waivers *w, const wlk_port *ports, uint64_t cycle) {
    for (uint32_t i = 0; i < w->n; i++) {
        const waiver *one = &w->list[i];
        wlk_waiver_hits *hits = &w->hits[one->hits];
        const bool counted = hits->cycles != 0 && hits->last == cycle; // at another port
        if (one->holds && !counted && (wlk_port_get(&ports[one->port], w->now) & one->bits) != 0) {
            hits->first = hits->cycles == 0 ? cycle : hits->first;
            hits->last = cycle;
            hits->cycles++;
        }
    }
}

void wlk_waivers_json(const waivers *w, wlk_json *to) {
    wlk_json_open(to, "waived", '[');
    for (uint32_t i = 0; i < w->n_hits; i++) {
        if (w->hits[i].cycles != 0) {
            wlk_json_open(to, NULL, '{');
            wlk_json_number(to, "waiver", w->hits[i].waiver);
            wlk_json_number(to, "cycles", w->hits[i].cycles);
            wlk_json_number(to, "first_cycle", w->hits[i].first);
            wlk_json_number(to, "last_cycle", w->hits[i].last);
            wlk_json_close(to, '}');
        }
    }
    wlk_json_close(to, ']');
}
