// SPDX-License-Identifier: Apache-2.0
// Each output is the input of the cycle before plus a constant that no other output has, so that
// bits or elements in the wrong order differ.
#include "warplock/shapes_ports.h"

#define MODEL      shapes
#define MODEL_CAPS SHAPES
#include "frame/model.h"

struct wlk_shapes_state {
    wlk_shapes_in last;
};

#include "frame/structs.h"

static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, out_t *care) {
    const in_t *last = &st->last;
    (void)cfg;
    (void)in;
    SHOW(ovalid, last->valid);
    SHOW(os, !last->s);
    SHOW(ob, last->b + 1u);
    SHOW(ow, last->w + 2u);
    SHOW(ot, last->t + 3u);
    SHOW(oi, last->i + 4u);
    SHOW(bus.r, last->bus.k + 5u);
    SHOW(bus.q.x, last->bus.p.x + 6u);
    SHOW(bus.q.y, last->bus.p.y + 7u);
    for (uint32_t n = 0; n < 3; n++) {
        SHOW(oe[n], last->e[n] + 8u + n);
        SHOW(od[n], last->d[n] + 11u + n);
    }
    for (uint32_t n = 0; n < 2; n++) {
        for (uint32_t m = 0; m < 3; m++) {
            SHOW(og[n].oh[m], last->g[n].h[m] + 14u + 3u * n + m);
        }
        SHOW(lane[n].r, last->lane[n].k + 20u + n);
        SHOW(lane[n].q.z, last->lane[n].p.z + 22u + n);
    }
}

static void edge(const cfg_t *cfg, state_t *st, const in_t *in) {
    (void)cfg;
    st->last = *in;
}

static void clear(const cfg_t *cfg, state_t *st) {
    (void)cfg;
    memset(&st->last, 0, sizeof st->last);
}

WLK_STRUCTS_MODEL();
