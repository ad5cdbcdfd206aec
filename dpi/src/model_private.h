/* SPDX-License-Identifier: Apache-2.0 */
/* What model.c and predict.c know of a handle. */
#ifndef WLK_MODEL_PRIVATE_H
#define WLK_MODEL_PRIVATE_H

#include "warplock/candidates.h"
#include "warplock/model.h"

/* What a handle points at, since all kinds of them are chandles: "warplock" and a number. */
#define WLK_TAG_MODEL    UINT64_C(0x77617270006c6b01)
#define WLK_TAG_SNAPSHOT UINT64_C(0x77617270006c6b02)

typedef struct model {
    uint64_t tag;
    const wlk_block *block;
    uint32_t cfg[WLK_MAX_PARAMS];
    uint32_t given; /* bit i: parameter i */
    bool started;
    char name[256];
    wlk_layout layout;
    uint64_t *words[WLK_MODEL_SIDES];
    wlk_candidates now; /* of a module one state */
    void *other;        /* of a module the state before `now`, of a predictor scratch */
    uint64_t version;   /* of a module: that of `now` */
    wlk_port *ports;
    int32_t *when;      /* for each port the port that makes it meaningful, or -1 */
    uint64_t *more;     /* of a module the outputs that it shows, of a predictor scratch for two */
    int turn, turned;   /* of a module: what eval returned, and did when these were shown */
    int32_t reset_port; /* or -1 */
    bool has_inexact;
    bool reset_seen;
} model;

/* The handle, if it is that of a model; else NULL. */
static inline model *wlk_model_any(void *handle) {
    model *m = (model *)handle;
    return m != NULL && m->tag == WLK_TAG_MODEL ? m : NULL;
}

/* The same, if it has started. */
static inline model *wlk_model_of(void *handle) {
    model *m = wlk_model_any(handle);
    return m != NULL && m->started ? m : NULL;
}

#endif
