/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file error.h
 * What a warplock call can return, and the exit code of a command for it.
 *
 * Every public call that can fail returns a @ref wlk_status and, where it takes a
 * @ref wlk_error, fills one clear line: what is wrong, where, and what to do.
 * The values are the exit codes of every command (docs/exit-codes.md); they are stable.
 */
#ifndef WARPLOCK_ERROR_H
#define WARPLOCK_ERROR_H

/** Around the declarations of a header, for C++. */
#ifdef __cplusplus
#define WLK_BEGIN_DECLS extern "C" {
#define WLK_END_DECLS   }
#else
#define WLK_BEGIN_DECLS
#define WLK_END_DECLS
#endif

WLK_BEGIN_DECLS

/** Status of a call and exit code of a command. */
typedef enum wlk_status {
    WLK_OK = 0,                  /**< all is well; verdict PASS */
    WLK_FUNCTIONAL_MISMATCH = 1, /**< verdict: an output differs */
    WLK_USAGE = 2,               /**< bad command line */
    WLK_TIMING_DIVERGENCE = 3,   /**< verdict: same transfers in the same order, other cycles */
    WLK_PROTOCOL_VIOLATION = 4,  /**< verdict: an input breaks a protocol rule */
    WLK_HANG = 5,                /**< verdict: work is left that never ends */
    WLK_VACUOUS = 6,             /**< verdict: compared too little to mean anything */
    WLK_IFACE_CHANGED = 7,       /**< verdict: ports differ from the block's table */
    WLK_BUILD_FAIL = 8,          /**< verdict: the RTL or its harness does not build */
    WLK_MODEL_ERROR = 9,         /**< verdict: the model or the harness itself is wrong */
    WLK_NO_FILE = 10,            /**< a file cannot be opened or read */
    WLK_TRUNCATED = 11,          /**< a file ends too early */
    WLK_CORRUPT = 12,            /**< a checksum or a structure is wrong */
    WLK_BAD_VERSION = 13,        /**< a file or a caller of another format or ABI version */
    WLK_BAD_SCHEMA = 14,         /**< a file or a caller with another port table */
    WLK_BAD_PARAMS = 15,         /**< parameters differ from those recorded or opened */
    WLK_NO_SCOPE = 16,           /**< a waveform has no such scope, or none that fits */
    WLK_NO_CLOCK = 17,           /**< a waveform has no such clock */
    WLK_BAD_WIDTH = 18,          /**< a waveform signal has the wrong width */
    WLK_NO_RESET = 19,           /**< a waveform without an edge in reset */
    WLK_BAD_RTL = 20,            /**< RTL that does not parse */
    WLK_NO_MODULE = 21,          /**< no module of that name */
    WLK_AMBIGUOUS = 22,          /**< verdict: RTL has two readings; or two modules or scopes fit */
    WLK_BAD_CONFIG = 23,         /**< a parameter unknown, out of range or not a number */
    WLK_BAD_CSV = 24,            /**< a row short, missing or twice, an unknown column */
    WLK_NO_SPACE = 25,           /**< writing failed: disk full or similar */
    WLK_NO_TOOL = 26,            /**< a tool is missing and set-up is refused */
    WLK_NO_MEMORY = 27,          /**< an allocation failed */
    WLK_RTL_ASSERTION = 28,      /**< verdict: an assertion of the RTL fired, or it ended itself */
    WLK_REFUTED = 29,            /**< verdict of a proof: a difference, with a counterexample */
    WLK_BOUNDED = 30,            /**< verdict of a proof: none found within a depth or the time */
    WLK_UNUSED_WAIVER = 31,      /**< verdict: a waiver that masks no difference */
    WLK_EXPIRED_WAIVER = 32,     /**< a waiver whose day is over */
    WLK_SIMULATOR = 33,          /**< verdict: two simulators run the RTL differently */
    WLK_INTERRUPTED = 130,       /**< Ctrl-C */
} wlk_status;

/** One line for a person. `text` is always terminated. */
typedef struct wlk_error {
    wlk_status status;
    char text[512];
} wlk_error;

/** Fill @p err (which may be NULL) and return @p status. printf-like; cuts what is too long. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
wlk_status
wlk_fail(wlk_error *err, wlk_status status, const char *format, ...);

/** Name of a status or verdict, e.g. "FUNCTIONAL_MISMATCH"; never NULL. */
const char *wlk_status_name(wlk_status status);

WLK_END_DECLS
#endif
