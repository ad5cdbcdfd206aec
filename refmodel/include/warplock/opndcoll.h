/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file opndcoll.h
 * GPGPU-Sim's operand collector: issue and execute register sets, collector units, banks with
 * their queues of reads, dispatch units, ports, and write-back into the banks.
 * Spec: gpgpusim-opndcoll, whose section numbers are given as §n.
 *
 * The calls are those of the original, in the order in which the simulator makes them: it issues
 * into ID_OC (wlk_opndcoll_issue()), steps (wlk_opndcoll_step(), §6), takes what was dispatched out
 * of OC_EX (wlk_opndcoll_take()) and writes results back (wlk_opndcoll_writeback(), §7). Nothing
 * carries data; instruction objects stay the caller's, who hands in what the collector looks at and
 * a word of its own (`user`) that comes back with every event.
 *
 * A model is a value: it lives in wlk_opndcoll_state_size() bytes of the caller's, at an address
 * that is a multiple of 8, and holds no pointer. A copy of the bytes is a snapshot. No call
 * allocates, prints or fails but wlk_opndcoll_check(). Two threads may use two models; one model
 * has one user at a time.
 *
 * Numbers: units (CU), dispatch units (DU), ports and banks count from 0 in the order of §3.
 */
#ifndef WARPLOCK_OPNDCOLL_H
#define WARPLOCK_OPNDCOLL_H

#include "warplock/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

WLK_BEGIN_DECLS

#define WLK_OPNDCOLL_MAX_BANKS    256u /**< banks */
#define WLK_OPNDCOLL_MAX_UNITS    256u /**< collector units, all sets together */
#define WLK_OPNDCOLL_MAX_PORTS    256u /**< input ports, and dispatch units, of all sets together */
#define WLK_OPNDCOLL_MAX_WIDTH    64u  /**< slots of a register set, schedulers */
#define WLK_OPNDCOLL_OPERANDS     32u /**< operand slots of an instruction, sources or destinations */
#define WLK_OPNDCOLL_OPERANDS_V32 8u  /**< those of V32 */
#define WLK_OPNDCOLL_SPECIALIZED  8u  /**< specialised pipes */
#define WLK_OPNDCOLL_WIDTHS       13u /**< numbers of pipeline_widths */

#define WLK_OPNDCOLL_FULL (-1) /**< there is no free slot */
#define WLK_OPNDCOLL_BAD                                                                           \
    (-2) /**< the caller's mistake, where the original stops; nothing is done */

/** Which GPGPU-Sim. §12 */
typedef enum wlk_opndcoll_revision {
    WLK_OPNDCOLL_V40 = 0, /**< 4.0.0 */
    WLK_OPNDCOLL_V42 = 1, /**< accel-sim's 4.2.0 */
    WLK_OPNDCOLL_V32 = 2, /**< 3.2.2 */
} wlk_opndcoll_revision;

/** Pipe kinds, each with an ID_OC and an OC_EX set, in the order a generic port tries them (§3). */
enum {
    WLK_OPNDCOLL_SP,
    WLK_OPNDCOLL_SFU,
    WLK_OPNDCOLL_MEM,
    WLK_OPNDCOLL_TENSOR,
    WLK_OPNDCOLL_DP,
    WLK_OPNDCOLL_INT,
    WLK_OPNDCOLL_SPEC1,                                                      /**< to SPEC8 */
    WLK_OPNDCOLL_KINDS = WLK_OPNDCOLL_SPEC1 + (int)WLK_OPNDCOLL_SPECIALIZED, /**< how many */
};

/** `-specialized_unit_N en,units,latency,idw,exw,name`. */
typedef struct wlk_opndcoll_specialized {
    uint32_t enabled;   /**< 0 or 1 */
    uint32_t num_units; /**< not used here */
    uint32_t latency;   /**< not used here */
    uint32_t id_width;  /**< slots of ID_OC */
    uint32_t ex_width;  /**< slots of OC_EX */
    char name[16];      /**< not used here */
} wlk_opndcoll_specialized;

/**
 * A configuration: the options that matter, by their names without `-gpgpu_`. §2
 * wlk_opndcoll_defaults() fills it, wlk_opndcoll_check() refuses what is not legal.
 */
typedef struct wlk_opndcoll_cfg {
    uint32_t revision;                             /**< a @ref wlk_opndcoll_revision */
    uint32_t num_reg_banks;                        /**< 1..WLK_OPNDCOLL_MAX_BANKS */
    uint32_t num_sched_per_core;                   /**< 1..WLK_OPNDCOLL_MAX_WIDTH */
    uint32_t sub_core_model;                       /**< 0 or 1; V32 ignores it */
    uint32_t reg_file_port_throughput;             /**< [steps] at each call site, >= 1 */
    uint32_t enable_specialized_operand_collector; /**< 0 or 1; V32: always 1 */
    uint32_t operand_collector_num_units_sp;       /**< collector units of a set */
    uint32_t operand_collector_num_units_dp;       /**< not in V32 */
    uint32_t operand_collector_num_units_sfu;
    uint32_t operand_collector_num_units_int;         /**< not in V32 */
    uint32_t operand_collector_num_units_tensor_core; /**< not in V32 */
    uint32_t operand_collector_num_units_mem;
    uint32_t operand_collector_num_units_gen;
    uint32_t operand_collector_num_in_ports_sp; /**< input ports of a set */
    uint32_t operand_collector_num_in_ports_dp;
    uint32_t operand_collector_num_in_ports_sfu;
    uint32_t operand_collector_num_in_ports_int;
    uint32_t operand_collector_num_in_ports_tensor_core;
    uint32_t operand_collector_num_in_ports_mem;
    uint32_t operand_collector_num_in_ports_gen;
    uint32_t operand_collector_num_out_ports_sp; /**< dispatch units of a set */
    uint32_t operand_collector_num_out_ports_dp;
    uint32_t operand_collector_num_out_ports_sfu;
    uint32_t operand_collector_num_out_ports_int;
    uint32_t operand_collector_num_out_ports_tensor_core;
    uint32_t operand_collector_num_out_ports_mem;
    uint32_t operand_collector_num_out_ports_gen;
    uint32_t pipeline_widths[WLK_OPNDCOLL_WIDTHS]; /**< in the order of the revision's list */
    uint32_t tensor_core_avail;                    /**< 0 or 1 */
    uint32_t num_dp_units;
    uint32_t num_int_units;
    uint32_t shader_core_pipeline[2]; /**< threads, and lanes of a warp 1..32 */
    uint32_t reg_bank_use_warp_id;    /**< read and not used, as in the original */
    uint32_t mem_unit_ports;          /**< V40: steps a core cycle, see §8 */
    uint32_t shmem_warp_parts;        /**< the same, where mem_unit_ports is 0; V32 */
    uint32_t clock_gated_reg_file;    /**< 0 or 1 */
    uint32_t n_regfile_gating_group;  /**< [lanes], divides those of a warp */
    wlk_opndcoll_specialized specialized_unit[WLK_OPNDCOLL_SPECIALIZED]; /**< SPEC1 is [0] */
    /* Policies that the original does not have: docs/opndcoll-policies.md. Their options begin with
     * `-warplock_`. */
    uint32_t pass_full_sub_core;   /**< 0 or 1; V42 with sub_core_model: a port's turn for a kind
                                        takes the oldest instruction for which a unit is idle */
    uint32_t rotate_kinds;         /**< 0 or 1: a port tries its kinds from the one behind that
                                        which it took first in the last step in which it took one */
    uint32_t read_duplicates_once; /**< 0 or 1: V40 and V32 read a register once that an
                                        instruction names several times, as V42 always does */
} wlk_opndcoll_cfg;

/** What a configuration makes: counts and widths. */
typedef struct wlk_opndcoll_shape {
    uint32_t banks, units, dispatch_units, ports;
    uint32_t schedulers;
    uint32_t sub_core;                     /**< 0 or 1; V32: 0 */
    uint32_t kinds;                        /**< kinds that exist, WLK_OPNDCOLL_SPEC1 or more */
    uint32_t id_width[WLK_OPNDCOLL_KINDS]; /**< slots of ID_OC */
    uint32_t ex_width[WLK_OPNDCOLL_KINDS]; /**< slots of OC_EX */
    uint32_t operands;                     /**< slots of an instruction */
    uint32_t lanes;                        /**< of a warp */
    uint32_t steps_per_cycle;              /**< §8 */
} wlk_opndcoll_shape;

/** A set of collector units and their dispatch units. */
typedef struct wlk_opndcoll_set {
    uint32_t first_unit, units;
    uint32_t first_dispatch_unit, dispatch_units;
    uint32_t kind; /**< of the pipe it is for; WLK_OPNDCOLL_KINDS: the generic set */
} wlk_opndcoll_set;

/** An input port. */
typedef struct wlk_opndcoll_port {
    uint32_t kinds;   /**< of the ID_OC sets it tries, as bits, the lowest first but for
                           rotate_kinds */
    uint32_t sets[2]; /**< of units that it fills, in this order */
    uint32_t n_sets;  /**< entries of sets */
} wlk_opndcoll_port;

/** An instruction as it is issued. */
typedef struct wlk_opndcoll_inst {
    uint64_t user;      /**< the caller's */
    uint32_t uid;       /**< age: the smaller, the older */
    uint32_t wid;       /**< hardware warp */
    uint32_t sched;     /**< scheduler; only the sub-core model looks at it */
    uint32_t lanes;     /**< active lanes, bit 0 = lane 0; only clock gating looks at it */
    uint32_t non_rf;    /**< operands less register operands, §9 */
    uint32_t n_src;     /**< entries of src, at most shape.operands */
    const int32_t *src; /**< registers; negative: no operand in that slot. Not kept */
} wlk_opndcoll_inst;

/** What a slot or a unit holds. */
typedef struct wlk_opndcoll_held {
    uint64_t user;
    uint32_t uid, wid, sched;
    uint32_t kind;    /**< of the pipe it goes to */
    uint32_t pending; /**< operand slots that wait for their read; 0 but in a collector unit */
} wlk_opndcoll_held;

/** A read that waits in a bank's queue. */
typedef struct wlk_opndcoll_request {
    uint32_t unit, slot, reg;
} wlk_opndcoll_request;

/** Kinds of events. */
enum {
    WLK_OPNDCOLL_DISPATCH, /**< a DU moved a unit's instruction to a slot of OC_EX */
    WLK_OPNDCOLL_GRANT,    /**< a bank was read for an operand slot of a unit */
    WLK_OPNDCOLL_ALLOCATE, /**< a port moved an instruction from a slot of ID_OC to a unit */
    WLK_OPNDCOLL_WRITE,    /**< a bank took a result */
    WLK_OPNDCOLL_REFUSE,   /**< a bank was busy with another result */
};

/** Something that happened. Fields that a kind of event does not name are 0. */
typedef struct wlk_opndcoll_event {
    uint64_t user; /**< DISPATCH, GRANT, ALLOCATE */
    uint32_t what; /**< WLK_OPNDCOLL_DISPATCH ... */
    uint32_t at;   /**< DISPATCH: DU; GRANT, WRITE, REFUSE: bank; ALLOCATE: port */
    uint32_t unit; /**< DISPATCH, GRANT, ALLOCATE */
    uint32_t kind; /**< pipe: DISPATCH, GRANT, ALLOCATE */
    uint32_t slot; /**< DISPATCH, ALLOCATE: of the register set; else operand slot, which V32 counts
                        for WRITE and REFUSE over the destinations that are there */
    uint32_t uid;  /**< DISPATCH, GRANT, ALLOCATE */
    uint32_t reg;  /**< GRANT, WRITE, REFUSE */
    uint32_t wid;  /**< DISPATCH, GRANT, ALLOCATE, WRITE, REFUSE */
} wlk_opndcoll_event;

/** Where events go: the caller's buffer. Events beyond `room` are counted and not stored. */
typedef struct wlk_opndcoll_events {
    wlk_opndcoll_event *at;
    uint32_t room;  /**< wlk_opndcoll_max_events() is enough for one call */
    uint32_t count; /**< raised by each call; the caller sets it to 0 */
} wlk_opndcoll_events;

/** GPGPU-Sim's statistics. §9 */
typedef struct wlk_opndcoll_counters {
    uint64_t reads;  /**< lanes read from the register file */
    uint64_t writes; /**< lanes written to it */
    uint64_t non_rf; /**< lanes of operands from elsewhere */
} wlk_opndcoll_counters;

/** A model; its fields are private. */
typedef struct wlk_opndcoll wlk_opndcoll;

/* ---- configuration ---- */

/** The original's defaults, V40. */
void wlk_opndcoll_defaults(wlk_opndcoll_cfg *cfg);

/**
 * Is the configuration legal? What the original stops at (its assertions, a division by zero, a
 * dead lock) and what is beyond the limits above is not. §2, §10, §12
 *
 * @param[out] option the option at fault, as in `-gpgpu_num_reg_banks`; NULL when all is well. May
 *                    be NULL itself.
 * @param err may be NULL; its text begins with that name.
 * @return WLK_OK or WLK_BAD_CONFIG.
 */
wlk_status wlk_opndcoll_check(const wlk_opndcoll_cfg *cfg, const char **option, wlk_error *err);

/** What a legal configuration makes. */
void wlk_opndcoll_shape_of(const wlk_opndcoll_cfg *cfg, wlk_opndcoll_shape *shape);

/** A set of units of a legal configuration, in the order of creation (§3); false: no such set. */
bool wlk_opndcoll_set_of(const wlk_opndcoll_cfg *cfg, uint32_t set, wlk_opndcoll_set *out);

/** A port of a legal configuration, in the order of creation (§3); false: no such port. */
bool wlk_opndcoll_port_of(const wlk_opndcoll_cfg *cfg, uint32_t port, wlk_opndcoll_port *out);

/** Bytes of a model of a legal configuration. */
size_t wlk_opndcoll_state_size(const wlk_opndcoll_cfg *cfg);

/** Most events of one wlk_opndcoll_step() or wlk_opndcoll_writeback(). */
uint32_t wlk_opndcoll_max_events(const wlk_opndcoll_cfg *cfg);

/**
 * Make a model in reset: all empty, all idle. §1
 *
 * @param cfg legal; not kept.
 * @param memory wlk_opndcoll_state_size() bytes, aligned to 8.
 * @return @p memory as a model.
 */
wlk_opndcoll *wlk_opndcoll_init(const wlk_opndcoll_cfg *cfg, void *memory);

/**
 * Let the arbiters of a model in reset point where they did in another run. What else a run leaves
 * behind is gone when the collector and its register sets are empty.
 *
 * @param pri below shape.units; see wlk_opndcoll_pri().
 * @param last for each of @p n dispatch units, all there are: an index inside its set, 0 in an
 * empty set; see wlk_opndcoll_last().
 * @return false: a value is out of range, and nothing is done.
 */
bool wlk_opndcoll_resume(wlk_opndcoll *s, uint32_t pri, const uint32_t *last, uint32_t n);

/* ---- what the simulator calls ---- */

/**
 * Issue into the ID_OC set of a pipe: its lowest empty slot, or in the sub-core model the slot of
 * the instruction's scheduler. §5
 *
 * @return the slot; WLK_OPNDCOLL_FULL; WLK_OPNDCOLL_BAD for a kind that does not exist, too many
 *         sources, or in the sub-core model a scheduler that does not exist or has no slot.
 */
int32_t wlk_opndcoll_issue(wlk_opndcoll *s, uint32_t kind, const wlk_opndcoll_inst *inst);

/** wlk_opndcoll_issue() into a slot of the caller's choice; FULL when it is occupied. */
int32_t wlk_opndcoll_put(wlk_opndcoll *s, uint32_t kind, uint32_t slot,
                         const wlk_opndcoll_inst *inst);

/**
 * Take the oldest instruction out of the OC_EX set of a pipe (on equal uids the one in the higher
 * slot, §5).
 *
 * Most of a simulator's units find nothing when they look. So a look costs no call: this is inline,
 * and the first word of a model tells the kinds that wlk_opndcoll_take_oldest() need not be called
 * for, as bits that are clear. All else of a model stays private.
 *
 * @param[out] held what was taken; may be NULL.
 * @return its slot; WLK_OPNDCOLL_FULL when the set is empty; WLK_OPNDCOLL_BAD for a kind that does
 *         not exist.
 */
inline int32_t wlk_opndcoll_take(wlk_opndcoll *s, uint32_t kind, wlk_opndcoll_held *held);

/** wlk_opndcoll_take() without the look: the same for every set, an empty one too. */
int32_t wlk_opndcoll_take_oldest(wlk_opndcoll *s, uint32_t kind, wlk_opndcoll_held *held);

inline int32_t wlk_opndcoll_take(wlk_opndcoll *s, uint32_t kind, wlk_opndcoll_held *held) {
    const uint32_t *const first = (const uint32_t *)(const void *)s;
    if (kind < (uint32_t)WLK_OPNDCOLL_KINDS && (*first >> kind & 1u) == 0) {
        return WLK_OPNDCOLL_FULL;
    }
    return wlk_opndcoll_take_oldest(s, kind, held);
}

/** Take what one slot of OC_EX holds, as units of V42 do in the sub-core model. §12.2 */
int32_t wlk_opndcoll_take_slot(wlk_opndcoll *s, uint32_t kind, uint32_t slot,
                               wlk_opndcoll_held *held);

/**
 * Write results back into their banks, until a bank is busy with another result of this window.
 * §7, V32: §12.1
 *
 * @param dst registers, negative: none. V40, V42: what was written is set to -1, so that a retry
 *            goes on where this call stopped. V32 leaves it alone.
 * @param n at most shape.operands.
 * @param sched only the sub-core model looks at it.
 * @param lanes only clock gating looks at it.
 * @param events WRITE and REFUSE; NULL: none are wanted.
 * @return 1 when all are written, 0 when one was refused, WLK_OPNDCOLL_BAD for too many
 *         destinations or in the sub-core model a scheduler that does not exist.
 */
int32_t wlk_opndcoll_writeback(wlk_opndcoll *s, int32_t *dst, uint32_t n, uint32_t wid,
                               uint32_t sched, uint32_t lanes, wlk_opndcoll_events *events);

/**
 * One step: dispatch, read, allocate, release. §6
 *
 * @param events DISPATCH, GRANT (by bank) and ALLOCATE in this order; NULL, which is faster: none.
 */
void wlk_opndcoll_step(wlk_opndcoll *s, wlk_opndcoll_events *events);

/* ---- looking inside ---- */

/** Counters since init. */
void wlk_opndcoll_counted(const wlk_opndcoll *s, wlk_opndcoll_counters *counters);

/** Kinds with an empty slot in ID_OC, as bits. */
uint32_t wlk_opndcoll_id_open(const wlk_opndcoll *s);

/** Kinds with an instruction in OC_EX, as bits. */
uint32_t wlk_opndcoll_ex_filled(const wlk_opndcoll *s);

/** Empty slots of ID_OC as bits, slot 0 lowest; 0 for a kind that does not exist. */
uint64_t wlk_opndcoll_id_free(const wlk_opndcoll *s, uint32_t kind);

/** Occupied slots of OC_EX as bits, slot 0 lowest; 0 for a kind that does not exist. */
uint64_t wlk_opndcoll_ex_occupied(const wlk_opndcoll *s, uint32_t kind);

/** What a slot of ID_OC holds; false: nothing, or no such slot. @p held may be NULL. */
bool wlk_opndcoll_id_slot(const wlk_opndcoll *s, uint32_t kind, uint32_t slot,
                          wlk_opndcoll_held *held);

/** What a slot of OC_EX holds; as wlk_opndcoll_id_slot(). */
bool wlk_opndcoll_ex_slot(const wlk_opndcoll *s, uint32_t kind, uint32_t slot,
                          wlk_opndcoll_held *held);

/** What a collector unit holds; false: it is idle, or there is none. @p held may be NULL. */
bool wlk_opndcoll_unit(const wlk_opndcoll *s, uint32_t unit, wlk_opndcoll_held *held);

/**
 * The queue of a bank, front first.
 *
 * @param room entries of @p requests; at most shape.units * shape.operands are ever needed.
 * @return its length, also where that is more than @p room.
 */
uint32_t wlk_opndcoll_queue(const wlk_opndcoll *s, uint32_t bank, wlk_opndcoll_request *requests,
                            uint32_t room);

/** Was the bank written since the last step? */
bool wlk_opndcoll_written(const wlk_opndcoll *s, uint32_t bank);

/** Kinds that a port tries, as bits; 0: there is no such port. §3 */
uint32_t wlk_opndcoll_port_kinds(const wlk_opndcoll *s, uint32_t port);

/** The kind that a port tries first in the next step, the others following in their cyclic order:
 * the lowest but for rotate_kinds. WLK_OPNDCOLL_KINDS: there is no such port. */
uint32_t wlk_opndcoll_first_kind(const wlk_opndcoll *s, uint32_t port);

/** With rotate_kinds, the same to be @p kind; false: there is no such port, it does not try that
 * kind, or kinds do not rotate. */
bool wlk_opndcoll_set_first_kind(wlk_opndcoll *s, uint32_t port, uint32_t kind);

/** Index inside its set of the unit that a DU dispatched last. */
uint32_t wlk_opndcoll_last(const wlk_opndcoll *s, uint32_t dispatch_unit);

/** The arbiter's rotating pointer, which decides nothing but in V32. */
uint32_t wlk_opndcoll_pri(const wlk_opndcoll *s);

/** Bank of a register. §4 */
uint32_t wlk_opndcoll_bank(const wlk_opndcoll *s, uint32_t reg, uint32_t wid, uint32_t sched);

/** "SP", "SPEC3", ...; NULL beyond the kinds. */
const char *wlk_opndcoll_kind_name(uint32_t kind);

/** "v40", "v42", "v32"; NULL beyond the revisions. */
const char *wlk_opndcoll_revision_name(uint32_t revision);

WLK_END_DECLS
#endif
