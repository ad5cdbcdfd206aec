/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file table_build.h
 * Helpers that the generated tables are written with. Not for users of the library.
 */
#ifndef WARPLOCK_TABLE_BUILD_H
#define WARPLOCK_TABLE_BUILD_H

#include "warplock/block.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Builds the list of ports; `next` is the one being described. */
typedef struct wlk_port_builder {
    wlk_port *list;
    uint32_t capacity;
    uint32_t count;
    wlk_port next;
} wlk_port_builder;

/** Name of the next port, printf-like. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void wlk_ports_name(wlk_port_builder *b, const char *format, ...);

/** Append the next port as a control field. */
void wlk_ports_add(wlk_port_builder *b, uint32_t word, uint32_t lsb, uint32_t width);

/** Append the next port once a lane, in whole words of its own from @p word on. */
void wlk_ports_lanes(wlk_port_builder *b, uint32_t word, uint32_t lanes, uint32_t width);

/** Append the ports in an element of an opaque field, @p words from @p word on. */
void wlk_ports_opaque(wlk_port_builder *b, const wlk_members *members, uint32_t word,
                      uint32_t words);

/** Append @p copies payloads of @p bits each to a side of a layout. */
void wlk_layout_payloads(wlk_payload *list, uint32_t *n, uint32_t *words, uint32_t copies,
                         uint32_t bits);

/** Set the bits of each lane of a payload in words that are 0. */
void wlk_mask_lanes(uint64_t *words, uint32_t lanes, uint32_t width);

#ifdef __cplusplus
}
#endif
#endif
