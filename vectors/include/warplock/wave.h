/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file wave.h
 * Waveform reader: VCD or FST of any simulator, sampled into record words in one pass. An FST that
 * is packed as a whole is unpacked first (scripts/wlk/fit/dump.py).
 *
 * Use: open, look up scopes and signals, add samplers, bind signals to bits of 64-bit words, run.
 *
 * **Sampling.** Clocked: the callback comes for every rising edge of the clock, and the bound
 * words hold the values just before the edge; what changes at the time stamp of the edge is not
 * yet visible. An edge is 0 -> 1 between the settled values of two time stamps: X -> 1 and Z -> 1
 * are none (so a clock that is 1 from the start has no edge at the first time stamp), nor is a
 * pulse of zero width inside one time stamp. Without a clock (combinational blocks): the callback
 * comes once for each time stamp at whose end a bound bit of the sampler has another value.
 * Before its first change a signal is X. Where a VCD says $dumpoff, its clocks become X.
 *
 * **Levels.** 0 and L are 0, 1 and H are 1, all others (X Z U W -) are X: value bit 0, X bit 1.
 *
 * **Memory.** What grows with the declarations, and of an FST one block at a time (fstapi writers
 * flush at about 128 MB of changes), of a VCD one value.
 * **Threads.** A wlk_wave belongs to one thread; only wlk_wave_stop() may be called from elsewhere.
 */
#ifndef WARPLOCK_WAVE_H
#define WARPLOCK_WAVE_H

#include "warplock/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

WLK_BEGIN_DECLS

/** An open waveform; opaque. */
typedef struct wlk_wave wlk_wave;

/** A stored value sequence, 1..number of handles. Aliases share it. */
typedef uint32_t wlk_wave_handle;

#define WLK_WAVE_NO_CLOCK   ((wlk_wave_handle)0)
#define WLK_WAVE_NO_SAMPLER UINT32_MAX
#define WLK_WAVE_NONE       SIZE_MAX

/** One scope, opened once or several times. Scope 0 is the root, with an empty path; few VCD files
 * have signals in it. */
typedef struct wlk_wave_scope {
    const char *path;    /**< full path with dots: "TOP.IssueStage.collector" */
    const char *name;    /**< last part of the path */
    size_t parent;       /**< index of the enclosing scope; the root is its own parent */
    size_t first_signal; /**< its own signals are first_signal .. first_signal+num_signals-1 */
    size_t num_signals;
} wlk_wave_scope;

/**
 * One signal, or one part of a signal that the simulator wrote in parts.
 * Reals, strings and events are not listed. Sorted by scope, then name, then lsb from high to low,
 * so that the parts of a bit-blasted bus ("data [3]", "data [2]", ...) stand together, MSB first.
 *
 * The leaf is the name without its range: "bus [7:0]", "bus[7:0]" and "bus" all have leaf "bus".
 * A lone index is a range after a blank ("data [3]") or on a 1-bit signal ("data[3]"); otherwise
 * it is part of the name ("mem[3]", 32 bits wide). Of an escaped name the leading backslash goes,
 * and only a range after a blank is one.
 */
typedef struct wlk_wave_signal {
    const char *leaf;
    size_t scope;           /**< index of its scope */
    uint32_t width;         /**< [bits], >= 1 */
    int32_t lsb;            /**< smallest index of its range, 0 without one */
    bool ascending;         /**< a range as [0:7], whose last bit has the largest index */
    wlk_wave_handle handle; /**< where its values are; aliases have the same */
    bool is_twice;          /**< declared again with other values, so not to be used */
    uint64_t place, again;  /**< of the declarations in the file */
} wlk_wave_signal;

/** Where some bits of a signal go: @p width bits from bit @p source_lsb on, to bit @p lsb on. */
typedef struct wlk_wave_dest {
    uint64_t *value;     /**< this word; other bits of it stay untouched */
    uint64_t *x;         /**< gets 1 for each bit that is X; may be NULL */
    uint32_t lsb;        /**< lowest bit in the word */
    uint32_t width;      /**< [bits], 1..64, lsb + width <= 64 */
    uint32_t source_lsb; /**< lowest bit of the signal, counted by position: the last bit is 0 */
} wlk_wave_dest;

/** What a sample callback may return. */
enum {
    WLK_WAVE_CONTINUE = 0,
    WLK_WAVE_STOP = 1, /**< (or anything not listed) end the run; other samplers of this time stamp
                            are still called, so that all have seen the same time */
    WLK_WAVE_DONE = 2, /**< call this sampler no more; the run ends when all samplers are done */
};

/** @param sample counts the calls of this sampler from 0. */
typedef int (*wlk_wave_sample_fn)(void *ctx, uint64_t time, uint64_t sample);

/** Where a run stands; also valid inside a callback. */
typedef struct wlk_wave_progress {
    uint64_t now;         /**< time stamp being processed, in units of the file */
    uint64_t done, total; /**< of the file: bytes of a VCD, units of time of an FST */
    uint64_t changes;     /**< value changes of bound signals seen so far */
} wlk_wave_progress;

/** Time stamps at which a clock became X, as it does where a dump is off. */
typedef struct wlk_wave_gaps {
    uint64_t count;
    uint64_t first; /**< if there is one */
} wlk_wave_gaps;

/**
 * Open the VCD or FST @p path and read its hierarchy; its content says which it is. @p name: what
 * messages call it, NULL = @p path.
 *
 * On success *out is owned by the caller; on failure it is NULL. WLK_NO_FILE: absent, unreadable
 * or no regular file. WLK_TRUNCATED: it ends too early, or its simulator never closed it.
 * WLK_CORRUPT: neither FST nor VCD, extended VCD, or its structure is wrong. WLK_NO_MEMORY.
 */
wlk_status wlk_wave_open(wlk_wave **out, const char *path, const char *name, wlk_error *err);

/** Release everything; NULL is allowed. */
void wlk_wave_close(wlk_wave *wave);

/** Is it a VCD, not an FST? */
bool wlk_wave_is_vcd(const wlk_wave *wave);

/** All scopes, parents before children; valid until close. */
const wlk_wave_scope *wlk_wave_scopes(const wlk_wave *wave, size_t *count);

/** All signals; valid until close. */
const wlk_wave_signal *wlk_wave_signals(const wlk_wave *wave, size_t *count);

/** Bits of each stored value of a handle; 0: a real, a string, or there is no such handle. */
uint32_t wlk_wave_bits(const wlk_wave *wave, wlk_wave_handle handle);

/** The unit of time is 10^exponent seconds. */
int wlk_wave_exponent(const wlk_wave *wave);

/** Index of the scope with this full path, or WLK_WAVE_NONE. */
size_t wlk_wave_find_scope(const wlk_wave *wave, const char *path);

/**
 * The parts of the signal called @p leaf in @p scope: returns the first index and puts their
 * number into *parts (1 for a bus in one piece) and their summed width into *width [bits] (each
 * may be NULL). WLK_WAVE_NONE: no such signal.
 */
size_t wlk_wave_find_signal(const wlk_wave *wave, size_t scope, const char *leaf, size_t *parts,
                            uint32_t *width);

/** The signal with this full path ("TOP.Top.clock", for a clock option), or WLK_WAVE_NONE. */
size_t wlk_wave_find_path(const wlk_wave *wave, const char *path);

/** WLK_CORRUPT, with the lines of a VCD, if the signal is declared twice with different values. */
wlk_status wlk_wave_require_once(const wlk_wave *wave, size_t signal, wlk_error *err);

/**
 * Add a sampler. @p clock is the handle of a 1-bit signal, or WLK_WAVE_NO_CLOCK.
 * Samplers of one time stamp are called in the order in which they were added (clocked ones
 * before the changes, the others after them). *sampler is its number for the bind calls.
 * WLK_NO_CLOCK: no such handle, or not 1 bit wide. WLK_NO_MEMORY.
 */
wlk_status wlk_wave_add_sampler(wlk_wave *wave, wlk_wave_handle clock, wlk_wave_sample_fn fn,
                                void *ctx, uint32_t *sampler, wlk_error *err);

/** Time stamps of the last run at which a signal bound to @p sampler changed. */
uint64_t wlk_wave_moves(const wlk_wave *wave, uint32_t sampler);

/** The gaps of the clock of @p sampler in the last run. */
wlk_wave_gaps wlk_wave_get_gaps(const wlk_wave *wave, uint32_t sampler);

/**
 * Send bits of a handle to a word. Any number of bindings a handle. @p sampler owns the binding
 * (it matters only for one without clock); WLK_WAVE_NO_SAMPLER if none does.
 * The words must live until the last run ends.
 * WLK_BAD_WIDTH: bits outside the signal or the word. WLK_MODEL_ERROR: no such handle or sampler.
 * WLK_NO_MEMORY.
 */
wlk_status wlk_wave_bind(wlk_wave *wave, uint32_t sampler, wlk_wave_handle handle,
                         const wlk_wave_dest *dest, wlk_error *err);

/**
 * Send a whole signal, by name, to bits lsb .. lsb+width-1 of a word array: bit i goes to bit
 * (lsb+i)%64 of word (lsb+i)/64. Takes care of wide buses and of signals in parts.
 * WLK_IFACE_CHANGED: the scope has no such signal. WLK_BAD_WIDTH: another width, or parts missing
 * in its middle. Else as wlk_wave_require_once() and wlk_wave_bind(). On failure nothing of it is
 * bound.
 */
wlk_status wlk_wave_bind_signal(wlk_wave *wave, uint32_t sampler, size_t scope, const char *leaf,
                                uint32_t width, uint64_t *value, uint64_t *x, uint32_t lsb,
                                wlk_error *err);

/**
 * The same with bits @p from .. @p from + width - 1 of the signal, 1 to 64 of them, which go into
 * one word. WLK_BAD_WIDTH: the signal has fewer.
 */
wlk_status wlk_wave_bind_slice(wlk_wave *wave, uint32_t sampler, size_t scope, const char *leaf,
                               uint32_t from, uint32_t width, uint64_t *value, uint64_t *x,
                               uint32_t lsb, wlk_error *err);

/**
 * One pass over the file. Of an FST the values of the bound signals are checked first, so that no
 * callback comes from a file with damage that shows; a VCD is checked on the way, up to where the
 * run ends. FST has checksums only over parts, and VCD none, so a changed value bit can go
 * unnoticed. May be called again: it starts anew, all bound bits X. WLK_OK: the end, or a
 * callback's stop. WLK_INTERRUPTED: wlk_wave_stop(). WLK_CORRUPT, WLK_TRUNCATED: see open.
 * WLK_NO_FILE: it cannot be read any more. WLK_NO_MEMORY.
 */
wlk_status wlk_wave_run(wlk_wave *wave, wlk_error *err);

/** Check the values of all signals, as wlk_wave_run() does those of the bound ones; same errors.
 */
wlk_status wlk_wave_verify(wlk_wave *wave, wlk_error *err);

/**
 * Write all signals as a VCD in which each definition, time and change is a line, with the names of
 * the file; a value is as long as in the file. Errors as wlk_wave_verify(); those of @p to it
 * keeps.
 */
wlk_status wlk_wave_copy(wlk_wave *wave, FILE *to, wlk_error *err);

/** End the run soon, also from a signal handler or another thread. Holds for later runs as well. */
void wlk_wave_stop(wlk_wave *wave);

/** Where the run stands. */
wlk_wave_progress wlk_wave_get_progress(const wlk_wave *wave);

WLK_END_DECLS
#endif
