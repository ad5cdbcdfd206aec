/* SPDX-License-Identifier: Apache-2.0 */
/* What vcd.c (definitions) and vcd_changes.c (what follows them) share. */
#ifndef WARPLOCK_VCD_H
#define WARPLOCK_VCD_H

#include "source.h"
#include "vcd_text.h"

#include <stddef.h>

/* An identifier code, and what all variables that have it are. */
typedef struct vcd_code {
    uint64_t text;  /* where it is in `codes_text` */
    uint64_t place; /* of the first declaration in the file */
    uint32_t length;
    uint32_t bits;
    bool has_bits; /* no real, string or event */
} vcd_code;

typedef struct vcd {
    vcd_text text;
    uint64_t body;       /* where in the file the changes begin */
    uint8_t *codes_text; /* of all codes, one after the other */
    uint64_t codes_size, codes_text_room;
    vcd_code *codes; /* sorted; the handle of one is its index + 1 */
    uint64_t num_codes, codes_room;
    uint32_t *table; /* [vcd_number()]: handle or 0; NULL: the codes are not dense enough */
    uint64_t table_size;
} vcd;

/* What a refusal of extended VCD says. */
#define VCD_EXTENDED                                                                               \
    "this is extended VCD ($dumpports), which has strengths in place of values: dump with "        \
    "$dumpvars"

/* Is the last token a command that stands before $enddefinitions, or ends them? */
bool wlk_vcd_is_definition(const vcd_text *text);

/* The text of a command up to its $end. */
bool wlk_vcd_skip_text(vcd_text *text, const char *command);

/* The handle of a code, 0 if no variable has it. */
uint32_t wlk_vcd_find(const vcd *v, const uint8_t *code, uint32_t length);

/* Does a longer code begin with these bytes? */
bool wlk_vcd_is_cut_code(const vcd *v, const uint8_t *code, uint32_t length);

wlk_status wlk_vcd_run(wlk_source *source, const uint8_t *wanted, const wlk_changes *to,
                       atomic_bool *stop, wlk_error *err);

#endif
