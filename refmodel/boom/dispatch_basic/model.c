// SPDX-License-Identifier: Apache-2.0
// BOOM's BasicDispatcher. Rules: README.md.
#include "warplock/dispatch_basic_view.h"

#define MODEL      dispatch_basic
#define MODEL_CAPS DISPATCH_BASIC
#include "frame/no_state.h"

#include "boom/dispatch.h"

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, care_t *care) {
    (void)st;
    for (uint32_t w = 0; w < cfg->core_width; w++) {
        bool ready = true;
        for (uint32_t q = 0; is_queue(cfg, q); q++) {
            SHOW(dis_uops[q][w].valid, in->ren_uops[w].valid && uses(cfg, in, w, q)); // rule 1
            show_bits(cfg, in, out, care, q, w, w);                                   // rule 2
            ready = ready && in->dis_uops[q][w].ready;                                // rule 3
        }
        SHOW(ren_uops[w].ready, ready);
    }
}

static uint64_t events(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out) {
    uint8_t from[CAPS(QUEUES_MOST)][MOST] = {{0}};
    uint32_t wanted = 0, held_up = 0, waits = 0; // sets of positions
    (void)st;
    for (uint32_t q = 0; is_queue(cfg, q); q++) {
        queue seen;
        see_queue(cfg, in, out, q, &seen);
        wanted |= seen.uses;
        held_up |= seen.uses & ~seen.ready;
        for (uint32_t j = 0; j < cfg->core_width; j++) {
            from[q][j] = (uint8_t)j;
        }
    }
    for (uint32_t w = 0; w < cfg->core_width; w++) {
        waits |= (uint32_t)(in->ren_uops[w].valid && !out->ren_uops[w].ready) << w;
    }
    const uint32_t stalled = waits & ~held_up;
    return common_events(cfg, in, out, from) |
           ((stalled & wanted) != 0 ? EVENT(UNUSED_QUEUE_STALLS) : 0u) |
           ((stalled & ~wanted) != 0 ? EVENT(NO_QUEUE_STALLS) : 0u);
}

WLK_STRUCTS_MODEL(.events = events);
