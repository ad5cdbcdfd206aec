// SPDX-License-Identifier: Apache-2.0
// Model of module arbiter. Rules: README.md.
#include "warplock/arbiter_ports.h"

#define MODEL      arbiter
#define MODEL_CAPS ARBITER
#include "frame/model.h"

// What the module remembers from one cycle to the next: its registers and memories.
struct wlk_arbiter_state {
    uint32_t next; // who is asked first
};

#include "frame/structs.h"

// The first request from the next one on.
static uint32_t chosen(const cfg_t *cfg, const state_t *st, const in_t *in) {
    uint32_t i = st->next;
    while ((in->req_i >> i & 1) == 0) {
        i = (i + 1) % cfg->n;
    }
    return i;
}

// The outputs of a cycle. One that a register drives follows from the state alone; one that is
// combinational may read `in`. SHOW says a value, and that each bit of the output must match it.
static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, out_t *care) {
    SHOW(valid_o, in->req_i != 0);
    SHOW(gnt_o, 0);
    if (in->req_i != 0) {
        const uint32_t i = chosen(cfg, st, in);
        SHOW(idx_o, i);
        SHOW(gnt_o, in->ready_i ? UINT64_C(1) << i : 0);
    }
}

// The clock edge: the next state, from the state and the inputs of the cycle that ends.
static void edge(const cfg_t *cfg, state_t *st, const in_t *in) {
    if (in->req_i != 0 && in->ready_i) {
        st->next = (chosen(cfg, st, in) + 1) % cfg->n;
    }
}

// What the reset sets. At an edge in reset, `edge` runs, then this.
static void clear(const cfg_t *cfg, state_t *st) {
    (void)cfg;
    st->next = 0;
}

WLK_STRUCTS_MODEL();
