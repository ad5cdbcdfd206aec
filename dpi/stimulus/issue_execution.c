// SPDX-License-Identifier: Apache-2.0
// The execution side behind the issue stage: units that are busy, results that come back.
#include "issue_private.h"

enum { AGE_BITS = 20 }; // low bits of an order, so that results due together come back by age

// Cycles from one instruction of a unit to its next one; docs/program-format.md has them too.
static const uint8_t busy_cycles[WLK_UNITS] = {
    [WLK_UNIT_ALU] = 1, [WLK_UNIT_MUL] = 2, [WLK_UNIT_FPU] = 1,
    [WLK_UNIT_SFU] = 8, [WLK_UNIT_LSU] = 2,
};

bool wlk_stim_issue_execution_takes(const memory *mem, uint32_t unit, uint64_t cycle) {
    return cycle >= mem->unit_free[unit] && mem->n_results < MAX_RESULTS;
}

// mem->results is a binary heap on `order`.
static void add_result(memory *mem, const result *added) {
    uint32_t at = mem->n_results++;
    for (; at > 0 && mem->results[(at - 1u) / 2u].order > added->order; at = (at - 1u) / 2u) {
        mem->results[at] = mem->results[(at - 1u) / 2u];
    }
    mem->results[at] = *added;
}

static void remove_first(memory *mem) {
    const result moved = mem->results[--mem->n_results];
    uint32_t at = 0;
    for (uint32_t child = 1; child < mem->n_results; child = 2u * at + 1u) {
        child += child + 1u < mem->n_results &&
                 mem->results[child + 1u].order < mem->results[child].order;
        if (moved.order <= mem->results[child].order) {
            break;
        }
        mem->results[at] = mem->results[child];
        at = child;
    }
    mem->results[at] = moved;
}

void wlk_stim_issue_execution_take(memory *mem, const uint64_t *entry, uint32_t unit,
                                   uint64_t cycle, uint32_t latency) {
    mem->unit_free[unit] = cycle + busy_cycles[unit];
    if (wlk_entry_get_hasRd(entry)) {
        const uint64_t age = mem->age++ & wlk_mask(AGE_BITS);
        const result r = {(cycle + latency) << AGE_BITS | age, wlk_entry_get_tmask(entry),
                          wlk_entry_get_rd(entry)};
        add_result(mem, &r);
    }
}

bool wlk_stim_issue_execution_result(memory *mem, uint64_t cycle, result *to) {
    if (mem->n_results == 0 || mem->results[0].order >> AGE_BITS > cycle) {
        return false;
    }
    *to = mem->results[0];
    remove_first(mem);
    return true;
}
