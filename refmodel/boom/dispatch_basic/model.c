// SPDX-License-Identifier: Apache-2.0
// BOOM's BasicDispatcher as a block. Spec: boom-dispatch, BasicDispatcher.
#include "warplock/dispatch_basic_ports.h"

#define MODEL      dispatch_basic
#define MODEL_CAPS DISPATCH_BASIC
#include "frame/model.h"

#include "boom/dispatch_body.h"

// Position by position; a queue holds up also the uops that it does not get.
static inline void route(const cfg_t *cfg, const uops *u, queue *q) {
    (void)cfg;
    q->c.wires = true;
    q->c.out_valid = u->valid & q->uses;
    q->rdy = q->ready;
}

#include "cover.h"

WLK_MODEL();
