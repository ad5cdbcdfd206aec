/* SPDX-License-Identifier: Apache-2.0 */
/* Elastic buffers of packets, by their OUT_BUF code. Rules: README.md (vortex-issue §4.1, §4.2,
 * §4.4). Entries of a buffer are counted from `first`. */
#ifndef WLK_VORTEX_BUFFER_H
#define WLK_VORTEX_BUFFER_H

/* Codes; 4 and 5 are code 2 with one and two pipe stages. */
enum { WIRES, ONE_STAGE, TWO_ENTRIES, TWO_REGISTERED };

static inline uint32_t stages_of(uint32_t code) {
    return code == ONE_STAGE ? 1 : code > TWO_REGISTERED ? code - TWO_REGISTERED : 0;
}

/* §4.1: the ready of pipe stage k, or of what comes after the last one. */
static inline bool stage_ready(const wlk_vx_buffer *b, uint32_t code, uint32_t k, bool ready_out) {
    bool is_ready = ready_out;
    for (uint32_t stage = stages_of(code); stage > k; stage--) {
        is_ready |= !b->valid[stage - 1];
    }
    return is_ready;
}

static inline bool buffer_ready(const wlk_vx_buffer *b, uint32_t code, bool ready_out) {
    return code < TWO_ENTRIES ? stage_ready(b, code, 0, ready_out) : b->s.ready != 0;
}

static inline bool buffer_valid(const wlk_vx_buffer *b, uint32_t code, bool valid_in) {
    const uint32_t stages = stages_of(code);
    const bool first = code < TWO_ENTRIES ? valid_in : b->s.valid != 0;
    return stages != 0 ? b->valid[stages - 1] : first;
}

/* §4.2: the entry that the stream buffer shows. */
static inline uint32_t stream_shows(const wlk_vx_buffer *b, uint32_t code) {
    return code == TWO_REGISTERED || b->s.ready ? SHOWN : SPARE;
}

/* The first pipe stage. */
static inline uint32_t pipe_of(uint32_t code) {
    return code < TWO_ENTRIES ? SHOWN : PIPE;
}

/* The entry that is at the output; of wires what comes in, @p from. */
static inline uint32_t buffer_shows(const wlk_vx_buffer *b, uint32_t code, uint32_t first,
                                    uint32_t from) {
    const uint32_t stages = stages_of(code);
    if (stages != 0) {
        return first + pipe_of(code) + stages - 1;
    }
    return code == WIRES ? from : first + stream_shows(b, code);
}

static inline void move(const cfg_t *cfg, state_t *st, uint32_t to, uint32_t from) {
    st->packet[to] = st->packet[from];
    for (uint32_t k = 0; k < OPERANDS; k++) {
        row_copy(ROW(operand, k, to), ROW(operand, k, from));
    }
}

/* §4.1, the last stage first: a stage that is ready loads, also what is not valid. */
static inline void stages_edge(const cfg_t *cfg, state_t *st, wlk_vx_buffer *b, uint32_t code,
                               uint32_t first, bool valid, uint32_t from, bool ready_out) {
    const uint32_t pipe = first + pipe_of(code);
    const bool ready0 = stage_ready(b, code, 0, ready_out);
    const bool ready1 = stage_ready(b, code, 1, ready_out);
    for (uint32_t stage = stages_of(code); stage > 0; stage--) {
        const uint32_t k = stage - 1;
        if (k > 0 ? ready1 : ready0) {
            move(cfg, st, pipe + k, k > 0 ? pipe + k - 1 : from);
            b->valid[k] = k > 0 ? b->valid[k - 1] : valid;
        }
    }
}

/* §4.2 */
static inline void entries_edge(const cfg_t *cfg, state_t *st, wlk_vx_buffer *b, uint32_t code,
                                uint32_t first, bool valid, uint32_t from, bool ready_out) {
    const bool moves = stream_moves(&b->s, ready_out), fires = valid & b->s.ready;
    if (code == TWO_REGISTERED) {
        if (moves) {
            move(cfg, st, first + SHOWN, b->s.ready ? from : first + SPARE);
        }
        if (fires) {
            move(cfg, st, first + SPARE, from);
        }
    } else if (fires) {
        move(cfg, st, first + SPARE, first + SHOWN);
        move(cfg, st, first + SHOWN, from);
    }
    stream_edge(&b->s, valid, moves);
}

static inline void buffer_edge(const cfg_t *cfg, state_t *st, wlk_vx_buffer *b, uint32_t code,
                               uint32_t first, bool valid, uint32_t from, bool ready_out) {
    if (code < TWO_ENTRIES) {
        stages_edge(cfg, st, b, code, first, valid, from, ready_out);
        return;
    }
    const uint32_t shown = first + stream_shows(b, code);
    const bool is_taken = stage_ready(b, code, 0, ready_out);
    stages_edge(cfg, st, b, code, first, b->s.valid, shown, ready_out);
    entries_edge(cfg, st, b, code, first, valid, from, is_taken);
}

static inline void buffer_clear(wlk_vx_buffer *b) {
    stream_clear(&b->s);
    b->valid[0] = false;
    b->valid[1] = false;
}

static inline bool buffer_holds(const wlk_vx_buffer *b) {
    return b->s.valid | b->valid[0] | b->valid[1];
}

#endif
