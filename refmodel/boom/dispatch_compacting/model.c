// SPDX-License-Identifier: Apache-2.0
// BOOM's CompactingDispatcher. Rules: README.md.
#include "warplock/dispatch_compacting_view.h"

#define MODEL      dispatch_compacting
#define MODEL_CAPS DISPATCH_COMPACTING
#include "frame/no_state.h"

#include "boom/dispatch.h"

// The Compactor of queue q. Rules 1, 5 and 6.
static void give(const cfg_t *cfg, const in_t *in, uint32_t q, compaction *c) {
    bool wants[MOST];
    for (uint32_t w = 0; w < cfg->core_width; w++) {
        wants[w] = in->ren_uops[w].valid && uses(cfg, in, w, q);
    }
    compact(cfg->core_width, cfg->queues[q].dispatch_width, wants, c);
}

// Is the Compactor of queue q ready at input w?
static bool has_room(const in_t *in, uint32_t q, uint32_t w, const compaction *c) {
    const uint32_t j = c->output_of[w];
    return j != NONE && in->dis_uops[q][j].ready;
}

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, care_t *care) {
    bool ready[MOST];
    (void)st;
    for (uint32_t w = 0; w < cfg->core_width; w++) {
        ready[w] = true;
    }
    for (uint32_t q = 0; is_queue(cfg, q); q++) {
        compaction c;
        give(cfg, in, q, &c);
        for (uint32_t w = 0; w < cfg->core_width; w++) { // rules 3 to 5
            ready[w] = ready[w] && (has_room(in, q, w, &c) || !uses(cfg, in, w, q));
        }
        for (uint32_t j = 0; j < cfg->queues[q].dispatch_width; j++) { // rules 1 and 2
            const uint32_t w = c.input_of[j];
            const bool is_uop = w != NONE && in->ren_uops[w].valid && uses(cfg, in, w, q);
            SHOW(dis_uops[q][j].valid, is_uop);
            show_bits(cfg, in, out, care, q, j, w);
        }
    }
    for (uint32_t w = 0; w < cfg->core_width; w++) {
        SHOW(ren_uops[w].ready, ready[w]);
    }
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    uint8_t from[CAPS(QUEUES_MOST)][MOST] = {{0}};
    uint32_t some = 0, every = ~0u, idle = 0, wanting = 0; // sets of positions
    bool moved = false;
    (void)st;
    for (uint32_t q = 0; is_queue(cfg, q); q++) {
        uint32_t room = 0;
        compaction c;
        give(cfg, in, q, &c);
        for (uint32_t w = 0; w < cfg->core_width; w++) {
            room |= (uint32_t)has_room(in, q, w, &c) << w;
        }
        for (uint32_t j = 0; j < cfg->queues[q].dispatch_width; j++) {
            from[q][j] = c.input_of[j];
            moved = moved || (q == 0 && out->dis_uops[q][j].valid && c.input_of[j] != j);
        }
        some |= room;
        every &= room;
    }
    for (uint32_t w = 0; w < cfg->core_width; w++) {
        idle |= (uint32_t)!in->ren_uops[w].valid << w;
        wanting += in->ren_uops[w].valid && uses(cfg, in, w, 0);
    }
    return common_events(cfg, in, out, from) |
           (wanting > cfg->queues[0].dispatch_width ? EVENT(FULL) : 0u) |
           (moved ? EVENT(COMPACTED) : 0u) |
           ((idle & some & ~every) != 0 ? EVENT(IDLE_BY_TARGET) : 0u);
}

WLK_STRUCTS_MODEL(.events = events);
