/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file dpi.h
 * The C side of the bound checkers. Only `chandle`, `longint unsigned` words and 2-state payload
 * vectors cross DPI. The step function itself is generated with each checker
 * (scripts/wlk/gen/sv.py), because its arguments are the words of that configuration's record.
 *
 * A checker opens a handle in `initial`, gives every parameter, starts it, steps once a clock and
 * closes it in `final`. The scope that opens gives the name in reports. Handles are listed here,
 * process-wide, because a DPI call brings no other context; the list is the only global.
 */
#ifndef WARPLOCK_DPI_H
#define WARPLOCK_DPI_H

#include "warplock/checker.h"

WLK_BEGIN_DECLS

typedef struct wlk_dpi wlk_dpi;

/** Who runs the simulation. */
typedef enum wlk_dpi_mode {
    WLK_DPI_SIMULATOR = 0, /**< a user's simulation: report at once, ask the checker to stop */
    WLK_DPI_HOST = 1       /**< a harness: keep quiet, the host asks for results */
} wlk_dpi_mode;

/** Before the handles open. The default is WLK_DPI_SIMULATOR, power-up unknown. */
void wlk_dpi_configure(wlk_dpi_mode mode, wlk_power_up power_up);

/**
 * Give the parameter of that name another value than its checker has, in every handle whose block
 * has it (host only). @p name must stay; NULL: forget all of these.
 */
void wlk_dpi_override(const char *name, uint32_t value);

/** Values of parameters, as wlk_dpi_override gives them one by one. */
typedef struct wlk_dpi_set {
    uint32_t n;
    struct {
        const char *name; /**< must stay */
        uint32_t value;
    } values[WLK_MAX_PARAMS];
} wlk_dpi_set;

/**
 * Before the handles open: in each handle a checker more for each of @p n sets (0: none), which
 * must stay (host only). They see what the handle's own one sees, and wlk_dpi_failures does not
 * count them. All are stepped over some dozens of cycles together, as by wlk_dpi_defer().
 */
void wlk_dpi_beside(const wlk_dpi_set *sets, uint32_t n);

/**
 * Give each checker that starts from now on these @p n waivers, which must stay (host only):
 * wlk_checker_waive.
 */
void wlk_dpi_waive(const char *const *texts, uint32_t n);

/**
 * Open a handle for the block with that table. NULL after one line on stderr when the ABI version
 * or the schema is not this library's. Must be called from the checker's scope (context import).
 */
void *wlk_dpi_open(unsigned long long abi_version, unsigned long long schema_hash);

/** The same without a simulator's scope, for a host that calls the step itself. */
void *wlk_dpi_open_at(const char *scope, unsigned long long abi_version,
                      unsigned long long schema_hash);

/** Set parameter @p index; every parameter of the table must be given before the start. */
void wlk_dpi_param(void *handle, unsigned long long index, unsigned long long value);

/** A port in the block's opaque fields: the last part of its name, and its place in their words. */
void wlk_dpi_member(void *handle, const char *name, unsigned long long width,
                    unsigned long long word, unsigned long long lsb);

/** Output bits of word @p word that the RTL has; words never named are compared whole. */
void wlk_dpi_compare(void *handle, unsigned long long word, unsigned long long mask);

/** The RTL's reset is asynchronous (wlk_checker_options::async_reset). */
void wlk_dpi_async_reset(void *handle);

/**
 * A waiver, as wlk_checker_waive takes it. @p name is what it is called at the end, when what it
 * has masked is printed: one for each number.
 */
void wlk_dpi_waiver(void *handle, const char *name, const char *text);

/** Verify the parameters and start; nonzero after one line on stderr when they are refused. */
int wlk_dpi_start(void *handle);

/** One cycle; called by the generated step function. 1 = the simulation should stop. */
int wlk_dpi_step(void *handle, const wlk_view *in, const wlk_view *got);

/**
 * The same for a host without DPI, which writes the record itself: where the next one goes, inputs
 * and then outputs as wlk_layout has them; NULL when the handle was refused.
 */
uint64_t *wlk_dpi_next(void *handle);

/** What wlk_dpi_next() gave is written: one cycle. */
void wlk_dpi_took(void *handle);

/**
 * Before the handles open: keep the records of some dozens of cycles and step the models over them
 * together, which is faster than in turn with the RTL. `wlk_dpi_failures` then counts late, and the
 * checkers have seen all cycles only after wlk_dpi_flush(). What calls wlk_dpi_step() is stepped at
 * once all the same.
 */
void wlk_dpi_defer(bool defer);
void wlk_dpi_flush(void);

/** End: in a simulator prints the verdict. Nonzero unless it is PASS; frees the handle. */
int wlk_dpi_close(void *handle);

/** For the host: how many handles are open, and the checker behind one (NULL before its start). */
uint32_t wlk_dpi_count(void);
wlk_checker *wlk_dpi_checker(uint32_t index);

/** The checker of a set in that handle; NULL where its block refuses the values. */
wlk_checker *wlk_dpi_checker_beside(uint32_t index, uint32_t set);

/** Mismatches and violations seen by any handle since the last configure. Cheap. */
extern uint32_t wlk_dpi_failures;

WLK_END_DECLS
#endif
