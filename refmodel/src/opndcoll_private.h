/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of GPGPU-Sim's operand collector as it lies in the caller's memory: this head, then
 * arrays of run-time length, found by their distance from the head.
 *
 * The original's loops over all units and banks are sets here, held as bit masks that change with
 * each event, so that a step costs what happens in it.
 */
#ifndef WLK_OPNDCOLL_PRIVATE_H
#define WLK_OPNDCOLL_PRIVATE_H

#include "warplock/opndcoll.h"

enum {
    OC_SETS = 7, /* GEN and one a kind that is not specialised */
    OC_BANK_WORDS = WLK_OPNDCOLL_MAX_BANKS / 64,
    OC_UNIT_WORDS = WLK_OPNDCOLL_MAX_UNITS / 64,
    OC_STRIDE = 4, /* the keys of a register set fill up whole strides */
    OC_NONE = 0xffff,
};

#define OC_EMPTY UINT64_MAX /* the key of an empty slot */

/* An instruction, from ID_OC to OC_EX. */
typedef struct oc_inst {
    uint64_t user;
    uint32_t uid, wid, sched, lanes, non_rf;
    uint32_t reads; /* operand slots that need a read */
    int32_t src[WLK_OPNDCOLL_OPERANDS];
} oc_inst;

/* A register set: a key for each slot, see oc_key(). */
typedef struct oc_slots {
    uint64_t occupied;
    uint64_t all; /* occupied, when every slot is */
    uint32_t at;  /* distance of its keys from the head [bytes] */
    uint32_t width;
    uint64_t pad;
} oc_slots;

/* A set of units and its dispatch units. */
typedef struct oc_set {
    uint32_t first_unit, units;
    uint32_t first_du, dus;
    uint32_t part; /* V42, sub-core: units a scheduler has, else 1 */
    uint64_t mask; /* its units, where all units fit into a word */
} oc_set;

/* Ports that are alike; they stand side by side. */
typedef struct oc_ports {
    uint32_t kinds; /* bit: pipe kind. The lowest is tried first */
    uint32_t first, count;
    uint32_t sets[2], n_sets;
} oc_ports;

/* What a step is compiled for: see opndcoll.c. */
typedef enum oc_path {
    OC_PATH_ANY,
    OC_PATH_V40,
    OC_PATH_V42,
    OC_PATH_V42_BY_SLOT,
    OC_PATH_V32,
} oc_path;

struct wlk_opndcoll {
    wlk_opndcoll_shape shape;
    uint32_t revision;
    uint32_t by_slot;  /* V42 in the sub-core model: units are tied to slots of OC_EX */
    uint32_t per_slot; /* units that go to one slot, then */
    uint32_t path;     /* oc_path */

    /* Bank of a register (§4): base + (reg + (wid & wid_mask)) mod modulus. */
    uint32_t modulus;
    uint32_t base_step; /* base of scheduler 1: 0 but in the sub-core model */
    uint32_t wid_mask;
    uint32_t max_sched; /* the highest scheduler: any, where none is looked at */
    /* A counter counts registers and is multiplied by the lanes of a warp when it is shown; with
     * clock gating it counts lanes. */
    uint32_t gating_group; /* 0: no clock gating */
    uint32_t scale;

    uint32_t n_sets, n_ports;
    oc_set sets[OC_SETS];
    oc_ports ports[OC_SETS];

    uint32_t waiting; /* bit: kind whose ID_OC is not empty */
    uint32_t blocked; /* bit: kind whose ID_OC has no free slot */
    uint32_t leaving; /* bit: kind whose OC_EX is not empty */
    uint32_t full;    /* bit: kind whose OC_EX has no free slot */
    oc_slots id[WLK_OPNDCOLL_KINDS], ex[WLK_OPNDCOLL_KINDS];

    uint32_t pri;
    uint32_t n_free; /* entries of `free` */
    uint32_t bank_words, unit_words;
    wlk_opndcoll_counters counters;

    uint64_t filled[OC_BANK_WORDS];  /* banks with a request */
    uint64_t written[OC_BANK_WORDS]; /* banks */
    uint64_t idle[OC_UNIT_WORDS];    /* units */
    uint64_t ready[OC_UNIT_WORDS];   /* units that are busy and wait for nothing */

    /* By unit: its instruction as a key of slot 63, the reads it waits for, its kind. */
    uint64_t held[WLK_OPNDCOLL_MAX_UNITS];
    uint32_t non_rf[WLK_OPNDCOLL_MAX_UNITS];
    uint8_t left[WLK_OPNDCOLL_MAX_UNITS], kind[WLK_OPNDCOLL_MAX_UNITS];
    /* Constant, by unit: in V42's sub-core model the slot of OC_EX that it goes to; the unit at
     * which a DU begins to look that dispatched this one last. */
    uint8_t group[WLK_OPNDCOLL_MAX_UNITS];
    uint16_t after[WLK_OPNDCOLL_MAX_UNITS];
    /* By DU: the unit it dispatched last. */
    uint16_t last[WLK_OPNDCOLL_MAX_PORTS];

    /* Distances from the head [bytes]. */
    uint32_t at_free;  /* uint16_t, a stack */
    uint32_t at_insts; /* oc_inst */
    uint32_t size;     /* of everything */

    /* A bank's queue is a list of requests, and links[n] stands behind n: n is a bank, for its
     * front, or a request. The request of a unit's slot is oc_request(); a slot has at most one, so
     * that no more memory is needed. back[bank] is the last one, and of an empty queue the bank
     * itself. */
    _Alignas(8) uint16_t back[WLK_OPNDCOLL_MAX_BANKS];
    uint16_t links[]; /* for all requests of the units there are */
};

enum { OC_LINKS = offsetof(struct wlk_opndcoll, links) };
_Static_assert(OC_LINKS % 8 == 0, "what stands behind the links is aligned");

#define OC_ARRAY(type, name)                                                                       \
    static inline type *oc_##name(const wlk_opndcoll *s) {                                         \
        return (type *)(void *)((char *)(uintptr_t)s + s->at_##name);                              \
    }

OC_ARRAY(uint16_t, free)
OC_ARRAY(oc_inst, insts)
#undef OC_ARRAY

static inline uint64_t *oc_keys(const wlk_opndcoll *s, const oc_slots *set) {
    return (uint64_t *)(void *)((char *)(uintptr_t)s + set->at);
}

/* What a slot holds, such that the smallest key is the oldest instruction: on equal uids the one in
 * the higher slot (§5). The key of slot 63 is less than that of any other. */
static inline uint64_t oc_key(uint32_t uid, uint32_t inst) {
    return (uint64_t)uid << 32 | inst;
}

static inline uint64_t oc_key_at(uint64_t key63, uint32_t slot) {
    return key63 | (63u ^ slot) << 16;
}

static inline uint64_t oc_key63(uint64_t key) {
    return key & ~(UINT64_C(63) << 16);
}

static inline uint32_t oc_key_slot(uint64_t key) {
    return 63u ^ ((uint32_t)key >> 16 & 63u);
}

static inline uint32_t oc_key_inst(uint64_t key) {
    return (uint32_t)key & 0xffffu;
}

static inline uint32_t oc_request(uint32_t unit, uint32_t slot) {
    return WLK_OPNDCOLL_MAX_BANKS + unit * WLK_OPNDCOLL_OPERANDS + slot;
}

static inline uint32_t oc_request_unit(uint32_t request) {
    return request / WLK_OPNDCOLL_OPERANDS - WLK_OPNDCOLL_MAX_BANKS / WLK_OPNDCOLL_OPERANDS;
}

static inline uint32_t oc_request_slot(uint32_t request) {
    return request % WLK_OPNDCOLL_OPERANDS;
}

static inline uint64_t oc_bit(uint32_t n) {
    return UINT64_C(1) << (n & 63u);
}

static inline uint32_t oc_lowest(uint64_t set) {
    return (uint32_t)__builtin_ctzll(set);
}

static inline bool oc_has(const uint64_t *set, uint32_t n) {
    return (set[n / 64u] & oc_bit(n)) != 0u;
}

#endif
