// SPDX-License-Identifier: Apache-2.0
#include "frame/map.h"

#include <stdio.h>
#include <string.h>

// A configuration, worked out.
typedef struct shape {
    uint32_t value[MAP_VALUES];
    uint32_t first[MAP_FIELDS];  // of a payload: word of its first element
    uint32_t control[2], end[2]; // words of a side, opaque fields included; of all of it
} shape;

static bool is_control(const wlk_field *f) {
    return !f->is_payload && !f->is_opaque;
}

static uint32_t copies(const shape *s, const map_field *f) {
    uint32_t n = 1;
    for (uint32_t d = 0; d < f->n_index; d++) {
        n *= s->value[f->count[d]];
    }
    return n;
}

// Bits from one element of a control field to the next.
static uint32_t step_of(const shape *s, const map_field *f, uint32_t dimension) {
    const uint32_t step = f->step[dimension];
    return step != MAP_BEYOND ? step : f->step[0] * s->value[f->count[0]];
}

// Words of one element of a payload.
static uint32_t payload_words(const shape *s, const map_field *f) {
    return (s->value[f->lanes] * wlk_lane_step(s->value[f->width]) + 63u) / 64u;
}

// Words for the fields that are opaque or for the other payloads, side by side.
static void place_payloads(const map *m, bool opaque, shape *s) {
    for (uint32_t n = 0; n < m->table->n_fields; n++) {
        const wlk_field *field = &m->table->fields[n];
        if (!is_control(field) && field->is_opaque == opaque) {
            s->first[n] = s->end[field->is_out];
            s->end[field->is_out] += copies(s, &m->fields[n]) * payload_words(s, &m->fields[n]);
        }
    }
}

static void work_out(const map *m, const uint32_t *cfg, shape *s) {
    m->values(cfg, s->value);
    s->end[0] = s->value[MAP_IN_CONTROL];
    s->end[1] = s->value[MAP_OUT_CONTROL];
    place_payloads(m, true, s);
    s->control[0] = s->end[0];
    s->control[1] = s->end[1];
    place_payloads(m, false, s);
}

/* ---- layout, ports ---- */

static void add_payloads(const shape *s, const map_field *f, uint32_t word, wlk_payload *list,
                         uint32_t *n) {
    const uint32_t words = payload_words(s, f);
    for (uint32_t i = 0; i < copies(s, f) && *n < WLK_MAX_PAYLOADS; i++) {
        list[*n] = (wlk_payload){(uint16_t)(word + i * words), (uint16_t)words};
        *n += 1u;
    }
}

void wlk_map_layout(const map *m, const uint32_t *cfg, wlk_layout *l) {
    shape s;
    work_out(m, cfg, &s);
    memset(l, 0, sizeof *l);
    l->in_control = s.control[0];
    l->out_control = s.control[1];
    l->in_words = s.end[0];
    l->out_words = s.end[1];
    for (uint32_t n = 0; n < m->table->n_fields; n++) {
        const map_field *f = &m->fields[n];
        const wlk_field *field = &m->table->fields[n];
        l->n_ports += copies(&s, f) * s.value[f->lanes];
        if (field->is_payload && !field->is_opaque) {
            add_payloads(&s, f, s.first[n], field->is_out ? l->out_payload : l->in_payload,
                         field->is_out ? &l->n_out_payloads : &l->n_in_payloads);
        }
    }
}

// Builds the list of ports; `next` is the one being described.
typedef struct builder {
    const map *m;
    const shape *s;
    const wlk_members *members;
    wlk_port *list;
    uint32_t capacity, count;
    uint32_t index[MAP_DIMENSIONS];
    wlk_port next;
} builder;

static void append(builder *b, uint32_t word, uint32_t lsb, uint32_t width) {
    b->next.word = (uint16_t)word;
    b->next.lsb = (uint8_t)lsb;
    b->next.width = (uint8_t)width;
    if (b->count < b->capacity) {
        b->list[b->count] = b->next;
    }
    b->count++;
}

static void append_lanes(builder *b, uint32_t word, uint32_t lanes, uint32_t width) {
    char stem[WLK_MAX_NAME];
    memcpy(stem, b->next.name, sizeof stem);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint32_t bit = lane * wlk_lane_step(width);
        (void)snprintf(b->next.name, sizeof b->next.name, "%.84s_%u", stem, lane);
        b->next.lane = (int16_t)lane;
        append(b, word + bit / 64u, bit % 64u, width);
    }
}

static void append_opaque(builder *b, uint32_t word, uint32_t words) {
    char stem[WLK_MAX_NAME];
    const bool given = b->members != NULL && b->members->n != 0;
    memcpy(stem, b->next.name, sizeof stem);
    for (uint32_t i = 0; i < (given ? b->members->n : words); i++) {
        wlk_member each = {.word = (uint16_t)i, .lsb = 0, .width = 64};
        (void)snprintf(each.name, sizeof each.name, "%u", i);
        if (given) {
            each = b->members->list[i];
        }
        if (each.word < words && (uint32_t)each.lsb + each.width <= 64) {
            (void)snprintf(b->next.name, sizeof b->next.name, "%.38s_%.56s", stem, each.name);
            append(b, word + each.word, each.lsb, each.width);
        }
    }
}

// The name with the indices in place of each %u, counted from 1 in place of %1.
static void put_name(const char *pattern, const uint32_t *index, char *name, size_t size) {
    size_t used = 0;
    while (*pattern != '\0' && used + 1u < size) {
        if (pattern[0] == '%') {
            const uint32_t first = pattern[1] == '1';
            used += (size_t)snprintf(name + used, size - used, "%u", first + *index++);
            pattern += 2;
        } else {
            name[used++] = *pattern++;
        }
    }
    name[used < size ? used : size - 1u] = '\0';
}

static void append_element(builder *b, uint32_t n) {
    const map_field *f = &b->m->fields[n];
    const wlk_field *field = &b->m->table->fields[n];
    const uint32_t width = b->s->value[f->width], lanes = b->s->value[f->lanes];
    uint32_t bit = f->bit, nth = 0;
    memset(&b->next, 0, sizeof b->next);
    put_name(f->name, b->index, b->next.name, sizeof b->next.name);
    for (uint32_t d = 0; d < f->n_index; d++) {
        b->next.index[d] = (uint8_t)b->index[d];
        bit += b->index[d] * step_of(b->s, f, d);
        nth = nth * b->s->value[f->count[d]] + b->index[d];
    }
    b->next.n_index = f->n_index;
    b->next.field = (uint16_t)n;
    b->next.is_out = field->is_out;
    b->next.present = b->s->value[f->present] != 0;
    b->next.lane = -1;
    const uint32_t word = b->s->first[n] + nth * payload_words(b->s, f);
    if (field->is_opaque) {
        append_opaque(b, word, lanes);
    } else if (field->is_payload) {
        append_lanes(b, word, lanes, width);
    } else {
        append(b, bit / 64u, bit % 64u, width);
    }
}

// Fields of [from, to) that are equal in their first dimensions: fields that share the next one
// are repeated together.
static void append_fields(builder *b, uint32_t from, uint32_t to, uint32_t depth) {
    while (from < to) {
        const map_field *f = &b->m->fields[from];
        uint32_t end = from + 1u;
        if (f->n_index == depth || depth == MAP_DIMENSIONS) { // the second one tells compilers
            append_element(b, from);
        } else {
            while (end < to && b->m->fields[end].shared > depth) {
                end++;
            }
            for (uint32_t i = 0; i < b->s->value[f->count[depth]]; i++) {
                b->index[depth] = i;
                append_fields(b, from, end, depth + 1u);
            }
        }
        from = end;
    }
}

uint32_t wlk_map_ports(const map *m, const uint32_t *cfg, const wlk_members *members,
                       wlk_port *ports, uint32_t capacity) {
    shape s;
    builder b = {.m = m, .s = &s, .members = members, .list = ports, .capacity = capacity};
    work_out(m, cfg, &s);
    append_fields(&b, 0, m->table->n_fields, 0);
    return b.count;
}

/* ---- the elements of a field ---- */

// An element of a control field: its bit in the record and its byte in the struct.
typedef struct element {
    uint32_t bit, byte;
    uint32_t index[MAP_DIMENSIONS];
} element;

// From one element to the next, the last dimension fastest; false after the last one.
static bool next_element(const shape *s, const map_field *f, element *e) {
    for (uint32_t d = f->n_index; d-- > 0;) {
        const uint32_t step = step_of(s, f, d);
        e->bit += step;
        e->byte += f->stride[d];
        if (++e->index[d] < s->value[f->count[d]]) {
            return true;
        }
        e->bit -= e->index[d] * step;
        e->byte -= e->index[d] * f->stride[d];
        e->index[d] = 0;
    }
    return false;
}

void wlk_mask_lanes(uint64_t *words, uint32_t lanes, uint32_t width) {
    const uint32_t step = wlk_lane_step(width);
    for (uint32_t bit = 0; bit < lanes * step; bit += step) {
        words[bit / 64u] |= wlk_mask(width) << bit % 64u;
    }
}

/* ---- packing ---- */

static uint64_t get_value(const void *from, uint32_t size) {
    uint64_t value = 0;
    memcpy(&value, from, size); // little endian
    return value;
}

// One field to the struct or, `pack`, from it.
static void move_field(const shape *s, const map_field *f, bool pack, uint64_t *words, char *v) {
    element e = {.bit = f->bit, .byte = f->offset};
    do {
        uint64_t *word = &words[e.bit / 64u];
        if (pack) {
            const uint64_t bits = wlk_mask(s->value[f->width]);
            *word |= (get_value(v + e.byte, f->size) & bits) << e.bit % 64u;
        } else {
            const uint64_t value = *word >> e.bit % 64u & wlk_mask(f->max_width);
            memcpy(v + e.byte, &value, f->size);
        }
    } while (next_element(s, f, &e));
}

static void move_payloads(const shape *s, const map_field *f, bool pack, uint64_t *words, char *v) {
    const uint32_t each = payload_words(s, f);
    element e = {.byte = f->offset};
    do {
        void *to = pack ? (void *)words : v + e.byte;
        const void *from = pack ? v + e.byte : (const void *)words;
        memcpy(to, from, each * sizeof *words);
        words += each;
    } while (next_element(s, f, &e));
}

static void move(const map *m, bool is_out, const shape *s, bool pack, uint64_t *words, char *v) {
    for (uint32_t n = 0; n < m->table->n_fields; n++) {
        const map_field *f = &m->fields[n];
        if (m->table->fields[n].is_out != is_out || copies(s, f) == 0) {
            continue;
        }
        if (is_control(&m->table->fields[n])) {
            move_field(s, f, pack, words, v);
        } else {
            move_payloads(s, f, pack, words + s->first[n], v);
        }
    }
}

// Neither writes what it reads.
void wlk_map_unpack(const map *m, bool is_out, const uint32_t *cfg, const uint64_t *words,
                    void *v) {
    shape s;
    work_out(m, cfg, &s);
    move(m, is_out, &s, false, (uint64_t *)(uintptr_t)words, v);
}

void wlk_map_pack(const map *m, bool is_out, const uint32_t *cfg, const void *v, uint64_t *words) {
    shape s;
    work_out(m, cfg, &s);
    memset(words, 0, s.control[is_out] * sizeof *words);
    move(m, is_out, &s, true, words, (char *)(uintptr_t)v);
}

/* ---- conditions ---- */

uint32_t wlk_map_floor_of(const map *m, const uint32_t *cfg, uint32_t point) {
    bool conditions[MAP_CONDITIONS];
    if (point >= m->table->n_covers) {
        return 0;
    }
    const map_floor *f = &m->floors[point];
    m->conditions(cfg, conditions);
    return f->condition < 0 || conditions[f->condition] ? f->floor : 0u;
}

// Value of the parameter whose name ends at the next '}'; *text moves past that.
static uint32_t value_of(const wlk_table *t, const uint32_t *cfg, const char **text) {
    const char *name = *text;
    size_t length = 0;
    while (name[length] != '}') {
        length++;
    }
    *text += length + 1u;
    for (uint32_t i = 0; i < t->n_params; i++) {
        if (strlen(t->params[i].name) == length && memcmp(t->params[i].name, name, length) == 0) {
            return cfg[i];
        }
    }
    return 0;
}

static wlk_status refuse(const wlk_table *t, const uint32_t *cfg, const char *text,
                         wlk_error *err) {
    char reason[sizeof err->text];
    size_t used = 0;
    while (*text != '\0' && used + 1u < sizeof reason) {
        if (*text == '{') {
            text++;
            const uint32_t value = value_of(t, cfg, &text);
            used += (size_t)snprintf(reason + used, sizeof reason - used, "%u", value);
        } else {
            reason[used++] = *text++;
        }
    }
    reason[used < sizeof reason ? used : sizeof reason - 1u] = '\0';
    return wlk_fail(err, WLK_BAD_CONFIG, "config: %s", reason);
}

wlk_status wlk_map_together(const map *m, const uint32_t *cfg, wlk_error *err) {
    bool conditions[MAP_CONDITIONS];
    m->conditions(cfg, conditions);
    for (uint32_t i = 0; i < m->n_constraints; i++) {
        if (conditions[m->constraints[i].condition]) {
            return refuse(m->table, cfg, m->constraints[i].text, err);
        }
    }
    return WLK_OK;
}
