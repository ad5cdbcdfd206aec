/* SPDX-License-Identifier: Apache-2.0 */
/* Elastic buffer of packets, by its OUT_BUF code. Spec: vortex-issue §4.1, §4.2, §4.4. */
#ifndef WLK_VORTEX_BUFFER_H
#define WLK_VORTEX_BUFFER_H

#include <stddef.h>

#include "stream.h"

/* Codes: wires, a pipe stage, two entries without and with output register, and those without with
 * one and two pipe stages behind. */
enum { VX_WIRES, VX_PIPE, VX_TWO, VX_TWO_REGISTERED, VX_TWO_PIPE, VX_TWO_TWO_PIPES };

/* Its entries: the output register, the spare entry, the pipe stages. */
enum { VX_SHOWN, VX_SPARE, VX_STAGE };

/* Pipe stages behind what takes packets. */
static inline uint32_t vx_pipes(uint32_t code) {
    return code == VX_PIPE ? 1u : code > VX_TWO_REGISTERED ? code - VX_TWO_REGISTERED : 0u;
}

/* Rows are few words mostly, for which a call costs more than the copy. The three rows of a packet
 * begin with a chunk of fixed length, which their array always has room for; a single row, whose
 * neighbours must stay, is copied without a call where it has two words, as by default. */
enum { VX_CHUNK = 8 };
_Static_assert(3u * WLK_VX_ROW_WORDS % VX_CHUNK == 0, "whole chunks");

static inline void vx_rows_copy(uint64_t *to, const uint64_t *from, uint32_t words) {
    memcpy(to, from, VX_CHUNK * sizeof *to);
    if (3u * words > VX_CHUNK) {
        memcpy(to + VX_CHUNK, from + VX_CHUNK, (3u * words - VX_CHUNK) * sizeof *to);
    }
}

static inline void vx_row_copy(uint64_t *to, const uint64_t *from, uint32_t words) {
    if (words == 2) {
        memcpy(to, from, 2u * sizeof *to);
    } else {
        memcpy(to, from, words * sizeof *to);
    }
}

/* Half a head, as which it is written: what is read across two writes waits until they are in the
 * cache. */
typedef uint64_t vx_half __attribute__((vector_size(32)));
typedef uint64_t vx_half_any __attribute__((vector_size(32), aligned(8), may_alias));
_Static_assert(sizeof(wlk_vx_head) == 2 * sizeof(vx_half), "two halves");

VX_INLINE vx_half half_of(const uint64_t *words) {
    return *(const vx_half_any *)(const void *)words;
}

VX_INLINE void vx_half_put(uint64_t *words, vx_half half) {
    *(vx_half_any *)(void *)words = half;
}

VX_INLINE void vx_head_put(wlk_vx_head *head, vx_half low, vx_half high) {
    vx_half_put(head->meta, low);
    vx_half_put(head->meta + 4, high); /* and what is known */
}

VX_INLINE void vx_head_copy(wlk_vx_head *to, const wlk_vx_head *from) {
    vx_head_put(to, half_of(from->meta), half_of(from->meta + 4));
}

static inline void vx_packet_copy(wlk_vx_packet *to, const wlk_vx_packet *from, uint32_t words) {
    vx_head_copy(&to->head, &from->head);
    vx_rows_copy(to->rows, from->rows, words);
}

/* The ready of pipe stage k of the buffer, or of what is behind the last one. */
static inline uint32_t vx_pipe_ready(const wlk_vx_buffer *b, uint32_t code, uint32_t k,
                                     uint32_t ready_out) {
    uint32_t ready = ready_out;
    for (uint32_t stage = vx_pipes(code); stage > k; stage--) {
        ready |= bit_not(b->valid[stage - 1u]);
    }
    return ready;
}

static inline uint32_t vx_buffer_ready(const wlk_vx_buffer *b, uint32_t code, uint32_t ready_out) {
    return code < VX_TWO ? vx_pipe_ready(b, code, 0, ready_out) : b->s.ready;
}

/* What the stream buffer shows: without output register the spare entry first. */
static inline const wlk_vx_packet *vx_stream_shown(const wlk_vx_buffer *b, uint32_t code) {
    return code == VX_TWO_REGISTERED || b->s.ready != 0 ? &b->entry[VX_SHOWN] : &b->entry[VX_SPARE];
}

static inline uint32_t vx_buffer_valid(const wlk_vx_buffer *b, uint32_t code, uint32_t valid_in) {
    const uint32_t pipes = vx_pipes(code);
    if (pipes != 0) {
        return b->valid[pipes - 1u];
    }
    return code == VX_WIRES ? valid_in : b->s.valid;
}

static inline const wlk_vx_packet *vx_buffer_shown(const wlk_vx_buffer *b, uint32_t code,
                                                   const wlk_vx_packet *in) {
    const uint32_t pipes = vx_pipes(code);
    if (pipes != 0) {
        return &b->entry[VX_STAGE + pipes - 1u];
    }
    return code == VX_WIRES ? in : vx_stream_shown(b, code);
}

/* A stage loads whenever it is ready, also without valid and in reset. */
static inline void vx_pipes_edge(wlk_vx_buffer *b, uint32_t code, uint32_t valid,
                                 const wlk_vx_packet *in, uint32_t ready_out, uint32_t reset,
                                 uint32_t words) {
    const uint32_t last = vx_pipe_ready(b, code, 1, ready_out); // of what is behind the first
    if (vx_pipes(code) == 2 && last != 0) {
        vx_packet_copy(&b->entry[VX_STAGE + 1], &b->entry[VX_STAGE], words);
        b->valid[1] = b->valid[0];
    }
    if (vx_pipes(code) != 0 && (last | bit_not(b->valid[0])) != 0) {
        vx_packet_copy(&b->entry[VX_STAGE], in, words);
        b->valid[0] = (uint8_t)valid;
    }
    if (reset != 0) {
        memset(b->valid, 0, sizeof b->valid);
    }
}

static inline void vx_buffer_edge(wlk_vx_buffer *b, uint32_t code, uint32_t valid,
                                  const wlk_vx_packet *in, uint32_t ready_out, uint32_t reset,
                                  uint32_t words) {
    if (code < VX_TWO) {
        vx_pipes_edge(b, code, valid, in, ready_out, reset, words);
        return;
    }
    const uint32_t taken = vx_pipe_ready(b, code, 0, ready_out);
    const vx_flow f = vx_stream_flow(&b->s, valid, taken);
    vx_pipes_edge(b, code, b->s.valid, vx_stream_shown(b, code), ready_out, reset, words);
    if (code == VX_TWO_REGISTERED) {
        if (f.flow != 0) {
            vx_packet_copy(&b->entry[VX_SHOWN], b->s.ready != 0 ? in : &b->entry[VX_SPARE], words);
        }
        if (f.fire != 0 && f.flow == 0) { /* what flows on is in the output register */
            vx_packet_copy(&b->entry[VX_SPARE], in, words);
        }
    } else if (f.fire != 0) {
        vx_packet_copy(&b->entry[VX_SPARE], &b->entry[VX_SHOWN], words);
        vx_packet_copy(&b->entry[VX_SHOWN], in, words);
    }
    vx_stream_edge(&b->s, valid, f, reset);
}

/* What reset reaches: an entry keeps its packet. */
static inline void vx_buffer_reset(wlk_vx_buffer *b, uint32_t code) {
    memset(b->valid, 0, sizeof b->valid);
    if (code >= VX_TWO) {
        b->s = (wlk_vx_stream){.ready = 1};
    }
}

static inline uint32_t vx_buffer_empty(const wlk_vx_buffer *b) {
    return bit_not(b->s.valid | b->valid[0] | b->valid[1]);
}

/* All of it is known to be zero. */
static inline void vx_packet_known(wlk_vx_packet *p) {
    memset(p->head.lanes, 0xff, sizeof p->head.lanes);
    p->head.known = 1;
}

static inline void vx_buffer_known(wlk_vx_buffer *b) {
    for (uint32_t i = 0; i < sizeof b->entry / sizeof *b->entry; i++) {
        vx_packet_known(&b->entry[i]);
    }
}

#endif
