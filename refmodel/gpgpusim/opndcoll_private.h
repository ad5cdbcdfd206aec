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
    uint32_t wid, sched, non_rf;
    uint32_t lanes; /* only with clock gating */
    uint32_t reads; /* operand slots that need a read */
    int32_t src[WLK_OPNDCOLL_OPERANDS];
    uint8_t bank[WLK_OPNDCOLL_OPERANDS]; /* of src */
} oc_inst;

/* A register set: a key for each slot, see oc_key_at(). */
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

/* One of the sets of units of ports that are alike: in the order of the ports, then in theirs. */
typedef struct oc_feed {
    uint64_t mask; /* of the set, as in oc_set */
    uint32_t set, kinds;
    uint32_t first, end; /* ports */
    uint32_t goes_on;    /* 1: the ports are those of the feed before it */
} oc_feed;

/* What a step is compiled for: see opndcoll.c. Revisions are in ascending order. */
typedef enum oc_path {
    OC_PATH_ANY,
    OC_PATH_V32,
    OC_PATH_V40,
    OC_PATH_V42,
    OC_PATH_V42_BY_SLOT,
} oc_path;

struct wlk_opndcoll {
    uint32_t takable; /* bit: kind whose OC_EX is not empty, or that does not exist. The first word,
                         as wlk_opndcoll_take() says */
    wlk_opndcoll_shape shape;
    uint32_t revision;
    uint32_t by_slot; /* V42 in the sub-core model: units are tied to slots of OC_EX */
    bool passes, rotates,
        reads_once;    /* pass_full_sub_core, rotate_kinds; a register is read once */
    uint32_t per_slot; /* units that go to one slot, then */
    uint32_t path;     /* oc_path */

    /* Bank of a register (§4): base + (reg + (wid & wid_mask)) mod (top + 1). */
    uint32_t top;
    uint32_t base_step; /* base of scheduler 1: 0 but in the sub-core model */
    uint32_t wid_mask;
    uint32_t max_sched; /* the highest scheduler: any, where none is looked at */
    /* A counter counts registers and is multiplied by the lanes of a warp when it is shown; with
     * clock gating it counts lanes. */
    uint32_t gating_group; /* 0: no clock gating */
    uint32_t scale;

    uint32_t n_sets, n_ports, n_feeds;
    oc_set sets[OC_SETS];
    oc_ports ports[OC_SETS];
    oc_feed feeds[2 * OC_SETS];

    uint32_t waiting; /* bit: kind whose ID_OC is not empty */
    uint32_t blocked; /* bit: kind whose ID_OC has no free slot */
    uint32_t full;    /* bit: kind whose OC_EX has no free slot */
    oc_slots id[WLK_OPNDCOLL_KINDS], ex[WLK_OPNDCOLL_KINDS];

    uint32_t pri;
    uint32_t free; /* where the stack of free instructions ends; see oc_free_end() */
    uint32_t bank_words, unit_words;
    wlk_opndcoll_counters counters;

    uint64_t filled[OC_BANK_WORDS];  /* banks with a request */
    uint64_t written[OC_BANK_WORDS]; /* banks */
    uint64_t idle[OC_UNIT_WORDS];    /* units */
    uint64_t ready[OC_UNIT_WORDS];   /* units that are busy and wait for nothing */

    /* By unit: its instruction as a key of slot 0, the reads it waits for, its kind. */
    uint64_t held[WLK_OPNDCOLL_MAX_UNITS];
    uint8_t left[WLK_OPNDCOLL_MAX_UNITS], kind[WLK_OPNDCOLL_MAX_UNITS];
    /* Constant, by unit: in V42's sub-core model the slot of OC_EX that it goes to; the unit at
     * which a DU begins to look that dispatched this one last. */
    uint8_t group[WLK_OPNDCOLL_MAX_UNITS];
    uint16_t after[WLK_OPNDCOLL_MAX_UNITS];
    /* By DU: the unit it dispatched last. */
    uint16_t last[WLK_OPNDCOLL_MAX_PORTS];

    uint32_t at_insts; /* oc_inst: distance from the head [bytes] */
    uint32_t at_first; /* with rotate_kinds, by port: see oc_first_kind() */
    uint32_t size;     /* of everything [bytes] */

    /* A bank's queue is a list of requests, and link n, oc_link(), is the member after n: n is a
     * bank, for its front, or a request. A unit's slot has at most one, so that no more memory is
     * needed. back[bank] is the last request, and of an empty queue the bank itself. */
    _Alignas(8) int16_t back[WLK_OPNDCOLL_MAX_BANKS];
    int16_t links[]; /* of all banks and of the requests of the units there are */
};

enum { OC_LINKS = offsetof(struct wlk_opndcoll, links) };
_Static_assert(OC_LINKS % 8 == 0, "what follows the links is aligned");

_Static_assert(offsetof(struct wlk_opndcoll, takable) == 0, "a caller's code reads it there");

static inline uint64_t *oc_keys(const wlk_opndcoll *s, const oc_slots *set) {
    return (uint64_t *)(void *)((char *)(uintptr_t)s + set->at);
}

/* What a slot holds, such that the smallest key is the oldest instruction: on equal uids the one in
 * the higher slot (§5). An instruction's name is its distance from the head [8 bytes]. */
static inline uint64_t oc_key0(uint32_t uid, uint32_t name) {
    return (uint64_t)uid << 32 | 63u << 16 | name;
}

enum {
    OC_MAX_INSTS =
        2 * (int)WLK_OPNDCOLL_KINDS * (int)WLK_OPNDCOLL_MAX_WIDTH + (int)WLK_OPNDCOLL_MAX_UNITS,
    OC_MAX_LINKS = (int)(WLK_OPNDCOLL_MAX_BANKS + WLK_OPNDCOLL_MAX_UNITS * WLK_OPNDCOLL_OPERANDS),
};
_Static_assert((OC_LINKS + OC_MAX_LINKS * sizeof(int16_t) + OC_MAX_INSTS * sizeof(uint64_t) +
                OC_MAX_INSTS * sizeof(oc_inst)) /
                       sizeof(uint64_t) <=
                   0x10000,
               "a name fits into 16 bits");

/* From the key in slot 0 to that in another slot, and back. */
static inline uint64_t oc_key_at(uint64_t key0, uint32_t slot) {
    return key0 ^ slot << 16;
}

static inline uint64_t oc_key_at0(uint64_t key) {
    return key | 63u << 16;
}

static inline uint32_t oc_key_slot(uint64_t key) {
    return ~((uint32_t)key >> 16) & 63u;
}

static inline uint32_t oc_key_uid(uint64_t key) {
    return (uint32_t)(key >> 32);
}

static inline uint32_t oc_key_name(uint64_t key) {
    return (uint32_t)key & 0xffffu;
}

static inline oc_inst *oc_inst_of(const wlk_opndcoll *s, uint64_t key) {
    return (oc_inst *)(void *)((uint64_t *)(uintptr_t)s + oc_key_name(key));
}

/* With rotate_kinds: the kind that a port tries first. */
static inline uint8_t *oc_first_kind(const wlk_opndcoll *s, uint32_t port) {
    return (uint8_t *)(uintptr_t)s + s->at_first + port;
}

/* The first member of a set of kinds that is not empty, from one on around the end. */
static inline uint32_t oc_kind_from(uint32_t kinds, uint32_t first) {
    const uint32_t behind = kinds & UINT32_MAX << first;
    return (uint32_t)__builtin_ctz(behind != 0 ? behind : kinds);
}

/* One past the last name of those that are free. */
static inline uint16_t *oc_free_end(wlk_opndcoll *s) {
    return (uint16_t *)(void *)s + s->free;
}

/* Members of queues: a bank is negative, requests count from 0. */
static inline int32_t oc_bank_member(uint32_t bank) {
    return (int32_t)bank - (int32_t)WLK_OPNDCOLL_MAX_BANKS;
}

static inline int32_t oc_request(uint32_t unit, uint32_t slot) {
    return (int32_t)(unit * WLK_OPNDCOLL_OPERANDS + slot);
}

static inline uint32_t oc_request_unit(int32_t request) {
    return (uint32_t)request / WLK_OPNDCOLL_OPERANDS;
}

static inline uint32_t oc_request_slot(int32_t request) {
    return (uint32_t)request % WLK_OPNDCOLL_OPERANDS;
}

static inline int16_t *oc_link(wlk_opndcoll *s, ptrdiff_t member) {
    return &s->links[(ptrdiff_t)WLK_OPNDCOLL_MAX_BANKS + member];
}

static inline int32_t oc_behind(const wlk_opndcoll *s, ptrdiff_t member) {
    return s->links[(ptrdiff_t)WLK_OPNDCOLL_MAX_BANKS + member];
}

static inline int32_t oc_front(const wlk_opndcoll *s, uint32_t bank) {
    return s->links[bank];
}

static inline uint64_t oc_bit(uint32_t n) {
    return UINT64_C(1) << (n & 63u);
}

/* Kinds whose OC_EX is not empty, as bits. */
static inline uint32_t oc_leaving(const wlk_opndcoll *s) {
    return s->takable & ((1u << s->shape.kinds) - 1u);
}

static inline uint32_t oc_lowest(uint64_t set) {
    return (uint32_t)__builtin_ctzll(set);
}

static inline bool oc_has(const uint64_t *set, uint32_t n) {
    return (set[n / 64u] & oc_bit(n)) != 0;
}

#endif
