// SPDX-License-Identifier: Apache-2.0
// BOOM's CompactingDispatcher as a block. Spec: boom-dispatch, CompactingDispatcher.
#include "warplock/dispatch_compacting_ports.h"

#define MODEL      dispatch_compacting
#define MODEL_CAPS DISPATCH_COMPACTING
#include "frame/model.h"

#include "boom/dispatch_body.h"

// A queue holds up only the uops that it gets, by the place that each has or would have.
static inline void route(const cfg_t *cfg, const uops *u, queue *q) {
    compactor_route(cfg->core_width, q->k, u->valid & q->uses, q->ready, &q->c);
    q->rdy = q->c.in_ready | ~q->uses;
}

#include "cover.h"

WLK_MODEL();
