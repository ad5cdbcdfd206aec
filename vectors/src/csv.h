/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of the recordings' CSV: row 1 "cycle" and port names, row 2 "#dir" and i<width> or
 * o<width>, then a row for each cycle: its number, one more than that of the row before, and values
 * in hex. Of a block without a clock numbers may be left out. Streams; a line may have any length.
 * Rows of a waveform have `VALUE:X` where bits are X: those of X, in hex, which are 0 in VALUE.
 */
#ifndef WLK_CSV_H
#define WLK_CSV_H

#include <stdio.h>

#include "warplock/block.h"

typedef struct csv csv;

/*
 * Read the two head rows and map columns to ports by name. @p name is for messages. BAD_CSV: a
 * column is no port. That nothing else is wrong with these rows, scripts/wlk/fit/csv.py has seen.
 */
wlk_status csv_open(csv **out, FILE *from, const char *name, const wlk_port *ports,
                    uint32_t n_ports, const wlk_table *table, wlk_error *err);

/* The next row into record words; *more = false at the end or at a line "#end". BAD_CSV names the
 * line. @p out_x: bits of outputs that are X, added; NULL: no cell may have any. */
wlk_status csv_row(csv *c, uint64_t *in, uint64_t *out, uint64_t *out_x, bool *more,
                   wlk_error *err);

/* After the last row: TRUNCATED unless a line "#end" was there, the sign of a writer on the other
 * side of a pipe that it has sent everything. */
wlk_status csv_ended(const csv *c, wlk_error *err);

/* Care words: 1 for the outputs that are columns. */
void csv_care(const csv *c, uint64_t *care);

void csv_close(csv *c);

#endif
