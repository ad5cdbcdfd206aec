/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file stimulus.h
 * Stimulus of a block as a function of (seed, model state): legal by construction, so it needs
 * nothing from the RTL, and the same seed gives the same records with or without RTL.
 */
#ifndef WARPLOCK_STIMULUS_H
#define WARPLOCK_STIMULUS_H

#include "warplock/block.h"
#include "warplock/program.h"

WLK_BEGIN_DECLS

/**
 * Words a generator may keep between cycles: enough for 256 results in execution, sixteen
 * instructions of each of 32 warps, or of the driver for all inputs of these.
 */
#define WLK_STIMULUS_WORDS 8192u

/** A mix shows each profile once in at most so many cycles. */
#define WLK_STIMULUS_ROUND 2000u

/** What is in flight when the new work ends is finished in at most so many cycles. */
#define WLK_STIMULUS_DRAIN 4096u

/** Profiles of the generic driver. */
#define WLK_DRIVER_PROFILES                                                                        \
    "mixed", "dense", "sparse", "held", "gated", "stuck", "partly", "corners", "few", "resets"

/** What the generic driver knows of a block in one configuration; constant while it runs. */
typedef struct wlk_driver wlk_driver;

/** A running generator. A value: copy it to fork the stimulus. */
typedef struct wlk_stimulus_state {
    uint64_t random;  /**< generator of random words */
    uint64_t cycle;   /**< cycles made so far */
    uint64_t worked;  /**< the last cycle that might have new work */
    uint32_t profile; /**< fixed profile, or the number of profiles for a mix of phases */
    uint32_t drain;   /**< nonzero: no new work, finish what is in flight */
    /** What to run instead of random work, NULL = random; the caller's, set after the start. */
    const wlk_program *program;
    /** Of the block and the configuration; the caller's, set after the start. */
    const wlk_driver *driver;
    uint64_t memory[WLK_STIMULUS_WORDS]; /**< the block's own */
} wlk_stimulus_state;

/** What a block adds to the generic driver: weights of its profiles, and a hook. */
struct wlk_driven;

/** Generator of one block. */
typedef struct wlk_stimulus {
    const char *block;           /**< NULL: any */
    const char *const *profiles; /**< names, NULL at the end */
    /** The generic driver makes the inputs, so `next` and `idle` are NULL; or NULL. */
    const struct wlk_driven *driven;
    /** Inputs of the next cycle, a whole input record. */
    void (*next)(const uint32_t *cfg, const void *model_state, wlk_stimulus_state *stim,
                 uint64_t *in);
    /**
     * Nothing offered, nothing in flight outside the block, nothing left of the program? Asked
     * after the edge that followed next. NULL: what the model calls drained is all there is.
     */
    bool (*idle)(const uint32_t *cfg, const void *model_state, const wlk_stimulus_state *stim);
    /**
     * Cycles in a row in which nothing went in or out of the block and nothing outside it was on
     * its way: what distinguishes a program that is stuck from a slow one. NULL: programs is false.
     */
    uint64_t (*still)(const wlk_stimulus_state *stim);
    /**
     * For a person, when the work does not come to its end: what is stuck and why, a line each,
     * what holds up the rest first. Asked as `idle` is. NULL: no reasons are known.
     *
     * @param[out] text up to @p size bytes with the terminator; longer text is cut at a line.
     */
    void (*stuck)(const uint32_t *cfg, const void *model_state, const wlk_stimulus_state *stim,
                  char *text, size_t size);
    bool programs; /**< runs a wlk_stimulus_state::program */
} wlk_stimulus;

/** Generator for a block: its own, or the generic driver; NULL when there is no such block, loaded
 * ones (blocks.h) included. */
const wlk_stimulus *wlk_stimulus_find(const char *block);

/**
 * The generic driver: random inputs from a block's table alone, legal for a block without rules.
 */
extern const wlk_stimulus wlk_driver_stimulus;

/**
 * What the driver needs of @p block in a checked configuration. It holds room for a cycle: not for
 * two threads at a time.
 *
 * @param[out] driver the caller's, to give to wlk_driver_close(); NULL on failure.
 * @return WLK_OK; WLK_NO_MEMORY; WLK_BAD_CONFIG for more inputs than it has memory for.
 */
wlk_status wlk_driver_open(wlk_driver **driver, const wlk_block *block, const uint32_t *cfg,
                           wlk_error *err);

/** Free @p driver (NULL: nothing). */
void wlk_driver_close(wlk_driver *driver);

/** Number of profiles. */
uint32_t wlk_stimulus_profiles(const wlk_stimulus *gen);

/** Profile by name ("mix" = phases of all); false when there is none of that name. */
bool wlk_stimulus_profile(const wlk_stimulus *gen, const char *name, uint32_t *profile);

/** Inputs of the next cycle, a whole input record. */
void wlk_stimulus_next(const wlk_stimulus *gen, const uint32_t *cfg, const void *model_state,
                       wlk_stimulus_state *stim, uint64_t *in);

/**
 * Make inputs legal in a state, which are not of the generator's own making.
 *
 * @return false when the generator has no function that does only that (WLK_LEGALISE).
 */
bool wlk_stimulus_legalise(const wlk_stimulus *gen, const uint32_t *cfg, const void *model_state,
                           uint64_t *in);

/** Start: the first cycles are a reset. */
void wlk_stimulus_init(wlk_stimulus_state *stim, uint64_t seed, uint32_t profile);

/** Is no work left, in the model or outside it? Asked after the edge that followed next. */
bool wlk_stimulus_finished(const wlk_stimulus *gen, const wlk_block *block, const uint32_t *cfg,
                           const void *model_state, const wlk_stimulus_state *stim);

/**
 * Load a program for a generator, as wlk_program_load does; USAGE when it runs none. In a
 * checked configuration of @p table.
 */
wlk_status wlk_stimulus_load(const wlk_stimulus *gen, const wlk_table *table, const uint32_t *cfg,
                             const char *path, wlk_program **program, wlk_error *err);

/** Next random word (splitmix64). */
static inline uint64_t wlk_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

WLK_END_DECLS
#endif
