/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverage of the block `opndcoll`: from the model's state before a step and the
 * events of the step. Only blocks within the limits of their table: one set of units, 64 units and
 * banks.
 */
#ifndef WLK_OPNDCOLL_COVER_H
#define WLK_OPNDCOLL_COVER_H

#include "opndcoll_private.h"
#include "warplock/opndcoll_ports.h"

enum {
    OC_KINDS = WLK_OPNDCOLL_RTL_MAX_NUM_KINDS,
    /* Events of a step: a dispatch unit, a bank and a unit that is filled have one each. */
    OC_BLOCK_EVENTS = WLK_OPNDCOLL_RTL_MAX_OUT_PORTS + WLK_OPNDCOLL_RTL_MAX_NUM_REG_BANKS +
                      WLK_OPNDCOLL_RTL_MAX_NUM_UNITS,
};

/* What the block keeps of an instruction's sources as its `user`: by slot the lowest slot that
 * names the same register, and OC_SOURCE; 0 without a source. */
enum { OC_SOURCE = 8, OC_SOURCE_BITS = 4 };

static inline uint32_t oc_source(uint64_t user, uint32_t slot) {
    return (uint32_t)(user >> slot * OC_SOURCE_BITS) & (2u * OC_SOURCE - 1u);
}

/* Does a slot that repeats a register make no request of its own? */
static inline bool oc_reads_once(const wlk_opndcoll_rtl_cfg *cfg) {
    return cfg->revision == WLK_OPNDCOLL_RTL_REVISION_V42 || cfg->read_duplicates_once != 0;
}

/* Before a step, after write-backs and takes. */
typedef struct oc_before {
    uint64_t untaken[OC_KINDS]; /* occupied slots of OC_EX before the takes */
    uint64_t ex[OC_KINDS], id[OC_KINDS];
    uint32_t full;          /* kinds whose OC_EX has no free slot */
    uint32_t waiting;       /* kinds with an instruction in ID_OC */
    uint32_t waiting_after; /* the same after the step, before issues */
    uint64_t id_after[OC_KINDS];
    uint64_t oldest_ex[OC_KINDS]; /* before the takes: slot of the oldest, as a bit */
    uint32_t out_of_order; /* kinds whose oldest in ID_OC is not in the lowest occupied slot */
    uint32_t longest;      /* queue */
    uint64_t ready, filled, written;
    uint32_t uid[WLK_OPNDCOLL_RTL_MAX_NUM_UNITS]; /* of busy units */
    uint8_t kind[WLK_OPNDCOLL_RTL_MAX_NUM_UNITS];
    uint8_t front[WLK_OPNDCOLL_RTL_MAX_NUM_REG_BANKS]; /* unit that a filled bank reads for next */
    uint16_t last[WLK_OPNDCOLL_RTL_MAX_OUT_PORTS];
    uint8_t
        first_kind[WLK_OPNDCOLL_RTL_MAX_IN_PORTS]; /* with rotate_kinds: that a port tries first */
} oc_before;

/* Slot of the oldest instruction of a register set that is not empty. */
uint32_t wlk_opndcoll_oldest_slot(const wlk_opndcoll *s, const oc_slots *set);

/* Note OC_EX as it is before the takes. */
void wlk_opndcoll_look_sets(const wlk_opndcoll *s, uint32_t kinds, oc_before *b);

/* Note the rest after them. */
void wlk_opndcoll_look(const wlk_opndcoll *s, uint32_t kinds, oc_before *b);

/* Note what still waits after the step, before issues. */
void wlk_opndcoll_look_behind(const wlk_opndcoll *s, uint32_t kinds, oc_before *b);

/* Coverage points of a step. @p s: the model after it, @p e: the events it emitted. */
uint64_t wlk_opndcoll_cover_step(const wlk_opndcoll_rtl_cfg *cfg, const wlk_opndcoll *s,
                                 const oc_before *b, const wlk_opndcoll_event *e, uint32_t n);

#endif
