/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the stimulus of Muon's issue stages share: the stage as they see it, the
 * generator's memory, the execution side.
 */
#ifndef WLK_STIMULUS_ISSUE_PRIVATE_H
#define WLK_STIMULUS_ISSUE_PRIVATE_H

#include "common.h"
#include "warplock/issue_x.h"
#include "warplock/muon.h"

enum {
    OPERANDS = 3,
    MAX_WARPS = WLK_ISSUE_X_MAX_NUM_WARPS,
    MAX_WINDOW = WLK_ISSUE_X_MAX_IBUF_WINDOW,
    MAX_PORTS = WLK_ISSUE_X_MAX_ISSUE_PORTS,
    MAX_RESULTS = 256,
    RECENT = 2,
};

/* ---- a stage ---- */

/* An issue port. */
typedef struct issue_port {
    const uint64_t *entry; /* the instruction that waits there, or NULL */
    bool known;            /* is the `last` of its arbiter? */
} issue_port;

/*
 * A block's configuration and state, as far as the generator looks at them. No reset reaches an
 * arbiter's `last`: where the power-up is unknown, the RTL may have another one than the state
 * until the first grant, and it is not known.
 */
typedef struct stage {
    uint32_t num_warps, num_lanes, lane_bits, num_pregs, rs_entries, max_pending_reads;
    bool in_order, debug;
    uint32_t window; /* instructions of a warp that are shown */
    uint32_t banks;  /* that fuSel names one of; 0: there is none */
    uint32_t n_ports;
    uint32_t reg_banks; /* of which each takes one read a cycle; 0: they do not matter */
    bool mod_banks;     /* the bank is the register's lower bits, not the upper ones */
    issue_port ports[MAX_PORTS];
    uint32_t last; /* warp that was admitted last */
    bool last_known;
    /* Sets of rows: the valid ones; then of each operand those where it is there, where it waits
     * for a write, where it was asked for. */
    uint32_t valid;
    const uint32_t *op_ready, *busy, *coll_fired;
    const uint64_t (*entry)[WLK_ENTRY_WORDS]; /* of each row */
    const uint8_t *sequence;                  /* of each row, counted for each warp */
    const uint8_t *pending_writes;
    const uint8_t *pending_reads; /* of epoch 0; those of epoch 1 behind all others */
    /* Of issue: the operands that the collector reads, a bit each, and their registers. */
    uint32_t next_en;
    const uint16_t *next_preg;
    /* Of issue_x, else NULL. */
    const wlk_issue_x_cfg *x_cfg;
    const wlk_issue_x_state *x;
    /* Register of a write that belongs to no instruction, or NO_REGISTER. */
    uint32_t (*stray)(const struct stage *s, const wlk_stimulus_state *stim, uint64_t random);
} stage;

/* Those that both stages have in configuration and state under the same names. */
#define STAGE_MEMBERS(cfg, st)                                                                     \
    .num_warps = (cfg)->num_warps, .num_lanes = (cfg)->num_lanes, .lane_bits = (cfg)->lane_bits,   \
    .num_pregs = (cfg)->num_pregs, .rs_entries = (cfg)->rs_entries,                                \
    .max_pending_reads = (cfg)->max_pending_reads, .in_order = (cfg)->in_order_per_warp != 0,      \
    .debug = (cfg)->debug != 0, .valid = (st)->reservStation.valid,                                \
    .op_ready = (st)->reservStation.opReady, .busy = (st)->reservStation.busy,                     \
    .coll_fired = (st)->reservStation.collFired, .entry = (st)->reservStation.entry,               \
    .sequence = (st)->reservStation.sequence, .pending_writes = (st)->scoreboard.pendingWrites,    \
    .pending_reads = (st)->scoreboard.pendingReads

#define NO_REGISTER UINT32_MAX

static inline bool pending_write(const stage *s, uint32_t preg) {
    return s->pending_writes[preg] != 0;
}

/* Is that row in a set of rows? */
static inline bool has_row(uint32_t rows, uint32_t row) {
    return (rows >> row & 1u) != 0;
}

/* ---- the generator's memory ---- */

/* A result on its way to write-back. */
typedef struct result {
    uint64_t order; /* due cycle, then age: lower goes first */
    uint64_t mask;
    uint32_t rd;
} result;

/* In wlk_stimulus_state::memory. */
typedef struct __attribute__((may_alias)) memory {
    uint64_t unit_free[WLK_UNITS];     /* first cycle in which it takes an instruction */
    uint64_t blocked_until[MAX_PORTS]; /* back-pressure up to this cycle */
    uint64_t give_up; /* cycle of the reset that ends what never moves again, or 0 */
    uint64_t moved;   /* last cycle with an offer, an admission, an issue or a write-back */
    uint64_t opaque[WLK_ENTRY_WORDS]; /* bits of an instruction that no rule reads */
    result results[MAX_RESULTS];      /* a heap, next one first */
    result offered_result;            /* what the write-back port shows */
    uint64_t data;                    /* seed of what it writes */
    uint32_t n_results, age;
    uint32_t offered;                      /* bit w: warp w has a head */
    uint32_t rows;                         /* valid ones before the last edge */
    uint32_t stray;                        /* register of a stray write that is not done, or 0 */
    uint32_t position[MAX_WARPS];          /* next instruction of the program */
    uint64_t pc[MAX_WARPS];                /* next one of a random stream */
    uint16_t recent_rd[MAX_WARPS][RECENT]; /* registers written last, and read last */
    uint16_t recent_rs[MAX_WARPS][RECENT];
    uint32_t first_phase;
    bool was_reset;                       /* in the last cycle */
    bool last_known, port_known;          /* of issue: stage::last_known, issue_port::known */
    bool holds_write;                     /* the write that was offered is not taken */
    uint8_t count[MAX_WARPS];             /* instructions that are shown */
    uint8_t unit[MAX_WARPS * MAX_WINDOW]; /* fuSel of each of these */
    uint64_t shown[MAX_WARPS * MAX_WINDOW][WLK_ENTRY_WORDS];
} memory;

_Static_assert(sizeof(memory) <= sizeof(uint64_t[WLK_STIMULUS_WORDS]), "fits");

static inline memory *memory_of(wlk_stimulus_state *stim) {
    return (memory *)stim->memory;
}

static inline const memory *memory_at(const wlk_stimulus_state *stim) {
    return (const memory *)stim->memory;
}

/* Where an instruction of a warp is in `shown`; 0 is the head. */
static inline uint32_t place_of(const stage *s, uint32_t warp, uint32_t number) {
    return warp * s->window + number;
}

/* ---- fields of an instruction ---- */

/* Its place in its warp's stream travels in the widest opaque field. */
#define GET_POSITION wlk_entry_get_uop_inst_essentials_30
#define PUT_POSITION wlk_entry_put_uop_inst_essentials_30

/* The instruction of the program that @p entry carries, or NULL: a random one. */
static inline const wlk_instruction *instruction_of(const wlk_stimulus_state *stim,
                                                    const uint64_t *entry) {
    size_t count = 0;
    if (stim->program == NULL) {
        return NULL;
    }
    return wlk_program_warp(stim->program, wlk_entry_get_wid(entry), &count) + GET_POSITION(entry);
}

/* Functional unit of an instruction; a random one has it in an opaque field. */
static inline uint32_t unit_of(const wlk_stimulus_state *stim, const uint64_t *entry) {
    const wlk_instruction *instruction = instruction_of(stim, entry);
    return instruction != NULL ? instruction->unit
                               : wlk_entry_get_uop_inst_essentials_1(entry) % WLK_UNITS;
}

/* The largest number of sources of @p entry that name one register other than 0; which in @p preg.
 */
uint32_t wlk_stim_issue_most_named(const uint64_t *entry, uint32_t *preg);

/* Does @p entry read or write @p preg? */
bool wlk_stim_issue_names(const uint64_t *entry, uint32_t preg);

/* ---- random streams ---- */

enum { ISSUE_PHASE_CYCLES = 144, ISSUE_PROFILES = 13 };

/* What a profile sets; chances are out of 256. */
typedef struct weights {
    uint8_t offer;                /* a warp with room for an instruction gets one */
    uint8_t skew;                 /* halvings of that from the first warp to the last one */
    uint8_t source, rd;           /* an operand is there */
    uint8_t source_bits, rd_bits; /* registers used: 2^n */
    uint8_t shared;               /* a register that other warps use too */
    uint8_t raw, war, waw;        /* one that was written or read just before */
    uint8_t repeat;               /* a source names the first one's register */
    uint8_t x0;                   /* a register is 0 */
    uint8_t partial;              /* some lanes */
    uint8_t latency;              /* usual: 1..n cycles */
    uint8_t slow;                 /* 1..MAX_LATENCY cycles */
    uint8_t ready;                /* issue.ready, if the unit is free */
    uint8_t block;                /* longest time without issue.ready */
    uint8_t stray;                /* a write-back that no row waits for */
    uint8_t soft_reset;           /* out of 4096 */
    uint8_t reset;                /* out of 4096 */
    uint8_t inadmissible;         /* an instruction that may never be admitted */
    uint8_t other_warp;           /* a head that names another warp */
    uint8_t crowd;                /* a register of the last bank, where banks have one port */
} weights;

/* Those of this cycle. */
const weights *wlk_stim_issue_weights(const wlk_stimulus_state *stim);

void wlk_stim_issue_start(const stage *s, wlk_stimulus_state *stim);

/* Of the bits that an instruction has, those that no rule reads. */
void wlk_stim_issue_opaque(const uint64_t *exist, uint64_t *opaque);

/* The next instruction of @p warp, random or of the program, in memory::shown[place]. */
void wlk_stim_issue_make(const stage *s, const weights *w, wlk_stimulus_state *stim, uint32_t warp,
                         uint32_t place);

/* A random one, whatever is to be run. */
void wlk_stim_issue_any(const stage *s, wlk_stimulus_state *stim, uint32_t warp, uint32_t place);

/* Lanes that are written. */
uint64_t wlk_stim_issue_mask(const stage *s, const weights *w, uint64_t *random);

/* Issue port of the next instruction that is made for @p warp. */
uint32_t wlk_stim_issue_next_port(const stage *s, const wlk_stimulus_state *stim, uint32_t warp);

/* ---- a cycle ---- */

/* Inputs of a cycle; the instructions are in the memory. */
typedef struct inputs {
    bool reset, soft_reset;
    bool shows;     /* instructions */
    uint32_t heads; /* warps with a valid one */
    uint32_t ready; /* issue ports */
    bool writes;    /* memory::offered_result */
    uint32_t cluster, core;
} inputs;

/* Inputs of the next cycle. */
inputs wlk_stim_issue_cycle(const stage *s, wlk_stimulus_state *stim);

/* Data of the write-back port, @p bits wide, 0 beyond them. */
void wlk_stim_issue_row(const wlk_stimulus_state *stim, uint32_t bits, uint64_t *row);

/* wlk_stimulus::idle and ::still. */
bool wlk_stim_issue_idle(const stage *s, const wlk_stimulus_state *stim);
uint64_t wlk_stim_issue_still(const wlk_stimulus_state *stim);

/* The instruction that the last edge admitted. */
typedef struct admitted {
    bool any;
    uint32_t warp, number; /* 0: the head */
} admitted;

admitted wlk_stim_issue_admitted(const stage *s, const memory *mem);

/* Warps whose instructions wait after the last edge. */
uint32_t wlk_stim_issue_waiting(const stage *s, const memory *mem);

/* Warps that have not offered all of the program. */
uint32_t wlk_stim_issue_unfinished(const stage *s, const wlk_stimulus_state *stim);

/* ---- execution side ---- */

/* Does @p unit take an instruction in @p cycle? */
bool wlk_stim_issue_execution_takes(const memory *mem, uint32_t unit, uint64_t cycle);

/* The instruction is issued in @p cycle; its result, if it has one, is due after @p latency. */
void wlk_stim_issue_execution_take(memory *mem, const uint64_t *entry, uint32_t unit,
                                   uint64_t cycle, uint32_t latency);

/* The result to write back in @p cycle, if one is due: the one that is due longest. */
bool wlk_stim_issue_execution_result(memory *mem, uint64_t cycle, result *to);

/* wlk_stimulus::stuck. */
void wlk_stim_issue_stuck(const stage *s, const wlk_stimulus_state *stim, char *to, size_t size);

#endif
