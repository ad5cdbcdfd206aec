/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the stimulus of the issue stage share: its memory and the execution side. */
#ifndef WLK_STIMULUS_ISSUE_PRIVATE_H
#define WLK_STIMULUS_ISSUE_PRIVATE_H

#include "common.h"
#include "warplock/issue.h"

enum { OPERANDS = 3, MAX_WARPS = WLK_ISSUE_MAX_NUM_WARPS, MAX_RESULTS = 256, RECENT = 2 };

/* A result on its way to write-back. */
typedef struct result {
    uint64_t order; /* due cycle, then age: lower goes first */
    uint64_t mask;
    uint32_t rd;
} result;

/* The generator's memory, in wlk_stimulus_state::memory. */
typedef struct __attribute__((may_alias)) memory {
    uint64_t unit_free[WLK_UNITS]; /* first cycle in which it takes an instruction */
    uint64_t blocked_until;        /* back-pressure up to this cycle */
    uint64_t give_up; /* cycle of the reset that ends a head that is never admitted, or 0 */
    uint64_t moved;   /* last cycle with an admission, an issue or a write-back */
    uint64_t head[MAX_WARPS][WLK_ENTRY_WORDS];
    uint64_t opaque[WLK_ENTRY_WORDS]; /* bits of an instruction that no rule reads */
    result results[MAX_RESULTS];      /* a heap, next one first */
    uint32_t n_results, age;
    uint32_t offered;                      /* bit w: warp w has a head */
    uint32_t rows;                         /* valid ones before the last edge */
    uint32_t position[MAX_WARPS];          /* next instruction of the program */
    uint64_t pc[MAX_WARPS];                /* next one of a random stream */
    uint16_t recent_rd[MAX_WARPS][RECENT]; /* registers written last, and read last */
    uint16_t recent_rs[MAX_WARPS][RECENT];
    uint32_t first_phase;
    bool was_reset; /* in the last cycle */
} memory;

_Static_assert(sizeof(memory) <= sizeof(uint64_t[WLK_STIMULUS_WORDS]), "fits");

static inline memory *memory_of(wlk_stimulus_state *stim) {
    return (memory *)stim->memory;
}

static inline const memory *memory_at(const wlk_stimulus_state *stim) {
    return (const memory *)stim->memory;
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

/* Warps whose head waits after the last edge: those offered but the one that was admitted. */
uint32_t wlk_stim_issue_waiting_heads(const wlk_issue_cfg *cfg, const wlk_issue_state *st,
                                      const memory *mem);

/* Warps that have not offered all of the program. */
uint32_t wlk_stim_issue_unfinished_warps(const wlk_issue_cfg *cfg, const wlk_stimulus_state *stim);

/* ---- execution side ---- */

/* Does @p unit take an instruction in @p cycle? */
bool wlk_stim_issue_execution_takes(const memory *mem, uint32_t unit, uint64_t cycle);

/* The instruction is issued in @p cycle; its result, if it has one, is due after @p latency. */
void wlk_stim_issue_execution_take(memory *mem, const uint64_t *entry, uint32_t unit,
                                   uint64_t cycle, uint32_t latency);

/* The result to write back in @p cycle, if one is due: the one that is due longest. */
bool wlk_stim_issue_execution_result(memory *mem, uint64_t cycle, result *to);

/* wlk_stimulus::stuck. */
void wlk_stim_issue_stuck(const uint32_t *words, const void *model_state,
                          const wlk_stimulus_state *stim, char *to, size_t size);

#endif
