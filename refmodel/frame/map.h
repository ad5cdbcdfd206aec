/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the ports of a block lie, as rows that are generated from its table (scripts/wlk/gen/c.py),
 * and what follows from them: ports and layout of a configuration, the bits that exist, packing,
 * floors and constraints. Nothing here is on the path of a step.
 *
 * Widths and counts depend on the configuration. map::values computes those of a block into an
 * array, and a field has indices into it; in the same way constraints and floors have indices into
 * what map::conditions computes.
 */
#ifndef WLK_MAP_H
#define WLK_MAP_H

#include "warplock/block.h"

enum {
    MAP_DIMENSIONS = 2,
    MAP_VALUES = 64,
    MAP_FIELDS = 256,
    MAP_CONDITIONS = 128,
    /* Values that every block has: control words of a side without opaque fields, and 1. */
    MAP_IN_CONTROL = 0,
    MAP_OUT_CONTROL = 1,
    MAP_ONE = 2,
    /* As a step: an element of this dimension lies behind all elements of the one before. */
    MAP_BEYOND = 0xffff,
};

/* A field's ports: their name, their place in the record and that in the struct of their side. */
typedef struct map_field {
    /* Emitted, with %u for each index, %1 for one that is counted from 1; of an opaque field its
     * first part. */
    const char *name;
    uint32_t bit;                  /* control field: the first element's place in the record */
    uint8_t width, lanes, present; /* indices of values */
    uint8_t n_index, shared;       /* dimensions, and how many the field before it has too */
    uint8_t count[MAP_DIMENSIONS]; /* indices of values */
    uint16_t step[MAP_DIMENSIONS]; /* bits from one element to the next */
    uint8_t max_width;             /* [bits] */
    /* The first element in the struct, and from one to the next [bytes]. */
    uint16_t stride[MAP_DIMENSIONS], size;
    uint32_t offset;
} map_field;

#define MAP_STRIDE(type, array) sizeof((type *)0)->array[0]
#define MAP_AT(type, member)    sizeof(((type *)0)->member), offsetof(type, member)

/* Refused where the condition holds; {name} in the text is replaced with the parameter's value. */
typedef struct map_constraint {
    uint16_t condition; /* index */
    const char *text;
} map_constraint;

/* Floor of a coverage point where the condition holds, else 0. */
typedef struct map_floor {
    uint32_t floor;
    int16_t condition; /* index; -1: always */
} map_floor;

typedef struct map {
    const wlk_table *table;
    const map_field *fields; /* those of the table */
    const map_constraint *constraints;
    const map_floor *floors; /* of the coverage points */
    uint32_t n_constraints;
    void (*values)(const uint32_t *cfg, uint32_t *values);
    void (*conditions)(const uint32_t *cfg, bool *conditions);
} map;

void wlk_map_layout(const map *m, const uint32_t *cfg, wlk_layout *layout);
uint32_t wlk_map_ports(const map *m, const uint32_t *cfg, const wlk_members *members,
                       wlk_port *ports, uint32_t capacity);
uint32_t wlk_map_floor_of(const map *m, const uint32_t *cfg, uint32_t point);
wlk_status wlk_map_together(const map *m, const uint32_t *cfg, wlk_error *err);

/* Whole records to the struct of a side, which is all 0 before, and back. */
void wlk_map_unpack(const map *m, bool is_out, const uint32_t *cfg, const uint64_t *words, void *v);
void wlk_map_pack(const map *m, bool is_out, const uint32_t *cfg, const void *v, uint64_t *words);

/* Set the bits of each lane of a payload in words that are 0. */
void wlk_mask_lanes(uint64_t *words, uint32_t lanes, uint32_t width);

/* A mask @p count times, each @p step bits above the one before. */
static inline uint64_t wlk_repeat(uint64_t mask, uint32_t step, uint32_t count) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        all |= mask << (i * step);
    }
    return all;
}

#endif
