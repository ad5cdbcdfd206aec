/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a table: which port of a configuration belongs to another, and which
 * mean nothing in a cycle; where a record's words are. */
#ifndef WLK_PORTS_H
#define WLK_PORTS_H

#include "warplock/block.h"

/* Is @p b of the array element that @p a is of? */
bool wlk_port_same_index(const wlk_port *a, const wlk_port *b);

/* The port of a field: of the array element that @p like is of or in (NULL: the first one); -1:
 * none. */
int32_t wlk_port_find(const wlk_port *ports, uint32_t n, int16_t field, const wlk_port *like);

/* For each port the port that makes it meaningful, or -1. True when some output is compared only
 * while it means something. */
bool wlk_ports_when(const wlk_table *table, const wlk_port *ports, uint32_t n, int32_t *when);

/* Outputs that mean nothing in this cycle lose their care, unless the table calls them exact. */
void wlk_ports_narrow(const wlk_table *table, const wlk_port *ports, uint32_t n,
                      const int32_t *when, const uint64_t *in, const uint64_t *out, uint64_t *care);

/* A side of a record in one piece: @p control words, and payloads where they are. */
void wlk_view_copy(uint64_t *to, const wlk_view *view, uint32_t control, const wlk_payload *payload,
                   uint32_t n);

#endif
