/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file checker.h
 * A checker follows one instance of a block: a model, what it was compared with, and the story
 * of the first difference. Lockstep (DPI), offline check and vector replay all go through it.
 */
#ifndef WARPLOCK_CHECKER_H
#define WARPLOCK_CHECKER_H

#include <stdio.h>

#include "warplock/block.h"
#include "warplock/json.h"

WLK_BEGIN_DECLS

#define WLK_HISTORY      16u  /**< cycles shown before a mismatch */
#define WLK_AFTERMATH    512u /**< cycles watched after a mismatch to decide its kind */
#define WLK_MAX_CHANNELS 256u /**< handshakes of an instance, array elements counted singly */
#define WLK_MAX_COVERS   64u

typedef struct wlk_checker wlk_checker;

/** How to open a checker. Zero is a good value for each field but `scope`. */
typedef struct wlk_checker_options {
    const char *scope;       /**< instance name for reports; copied */
    wlk_power_up power_up;   /**< WLK_POWER_ZERO compares from the first cycle on */
    const uint64_t *compare; /**< output bits that exist in the RTL, or NULL for all */
    bool count_events;       /**< count coverage points (costs some speed) */
    /**
     * The RTL's reset is asynchronous: while it is asserted the model is in its reset state. From
     * the first edge in reset on; with WLK_POWER_ZERO always.
     */
    bool async_reset;
    /**
     * The record starts some time after the reset: nothing is known of the state, and only
     * wlk_checker_step_late may be called. A block that cannot start so waits for a reset.
     */
    bool late;
    wlk_members members; /**< ports in opaque fields; only read by wlk_checker_open */
} wlk_checker_options;

/** One output that differs. */
typedef struct wlk_difference {
    uint32_t port;
    uint64_t expected, got, care, x; /**< x: bits that are X or Z in the RTL */
} wlk_difference;

/** Numbers of a run. */
typedef struct wlk_checker_result {
    wlk_status verdict;
    uint64_t cycles;  /**< sampled edges */
    uint64_t skipped; /**< of these: before the first reset edge; without a clock: with an X */
    uint64_t compared_bits;   /**< output bits compared */
    uint64_t masked_bits;     /**< output bits not compared because unknown */
    uint64_t mismatches;      /**< cycles that differ, up to the end of the aftermath */
    uint64_t mismatched_bits; /**< output bits that differ in these cycles */
    uint64_t first_cycle;     /**< cycle of the first mismatch or violation */
    bool reset_seen;
    bool transfer_seen;
    uint32_t violated; /**< rules broken so far */
    /* Of a late start: */
    bool late;           /**< it was one, which the block can do */
    bool known;          /**< in some cycle nine tenths of the output bits were compared: */
    uint64_t known_from; /**< the first one; and, from it on, */
    uint64_t known_bits; /**< output bits compared, */
    uint64_t known_of;   /**< ... of so many */
    uint64_t forgotten;  /**< times at which all that was known was lost */
    /* How well the configuration explains what the RTL shows: */
    uint64_t explained_bits;  /**< output bits compared up to the first mismatch or violation */
    uint32_t differing_ports; /**< outputs that differ in any cycle, and */
    uint32_t differing_bits;  /**< ... bits of them that do */
} wlk_checker_result;

/** Open for a checked-or-not configuration; BAD_CONFIG, NO_MEMORY. */
wlk_status wlk_checker_open(wlk_checker **checker, const wlk_block *block, const uint32_t *cfg,
                            const wlk_checker_options *options, wlk_error *err);
void wlk_checker_close(wlk_checker *checker);

/**
 * Before the first cycle: waive bits of an output, in cycles in which a condition holds (each if
 * there is none). A difference of such bits is a hit and counts as masked bits; bits that agree are
 * compared. @p text: "BLOCK NUMBER PORT BITS CONDITION...", nothing if the checker is of another
 * block; words of the condition in postfix order: numbers, "PORT" or "PORT@LSB:WIDTH", "~WIDTH" and
 * the other operators of docs/waivers.md. What is X, or not there, makes no condition hold.
 * BAD_PARAMS, NO_MEMORY.
 */
wlk_status wlk_checker_waive(wlk_checker *checker, const char *text, wlk_error *err);

/** Cycles in which the waivers of a number have masked a difference, up to the first failure. */
typedef struct wlk_waiver_hits {
    uint32_t waiver; /**< the number */
    uint64_t cycles, first, last;
} wlk_waiver_hits;

/** Those of each number, @p n of them. */
const wlk_waiver_hits *wlk_checker_waived(const wlk_checker *checker, uint32_t *n);

/**
 * One cycle: inputs and what the RTL shows, sampled before the edge. 0 = goes on well (or the
 * first mismatch is past); 1 = this cycle is the first with a mismatch or a broken rule.
 */
int wlk_checker_step(wlk_checker *checker, const wlk_view *in, const wlk_view *got);

/**
 * As wlk_checker_step on whole records, with X bits (each may be NULL = none; their value bits
 * must be 0). An X on an output where care is 1 is a mismatch. An X on an input that no rule
 * reads, or that is meaningless in this cycle, is ignored, but outputs that show it all the same
 * (x_hides) are unknown; on a payload, the model forgets what it stores; on another input that a
 * rule reads it breaks the protocol, and before the first edge in reset it makes the checker wait
 * for the next one. A block without a clock has no state
 * to spoil: such a vector is skipped.
 */
int wlk_checker_step_x(wlk_checker *checker, const uint64_t *in, const uint64_t *in_x,
                       const uint64_t *got, const uint64_t *got_x);

/**
 * As wlk_checker_step_x where only the output bits in @p mask are there in this cycle: the others
 * are neither compared nor do they decide between the states that are possible. They count as
 * masked bits.
 */
int wlk_checker_step_masked(wlk_checker *checker, const uint64_t *in, const uint64_t *in_x,
                            const uint64_t *got, const uint64_t *got_x, const uint64_t *mask);

/**
 * As wlk_checker_step_x, of a checker that is late. @p next: the outputs of the next cycle, which
 * tell of this one; NULL at the end, and where an asynchronous reset acts on them. A bit is
 * compared where its value follows from what was seen before this cycle; where nothing explains
 * what is seen, that is a mismatch.
 */
int wlk_checker_step_late(wlk_checker *checker, const uint64_t *in, const uint64_t *in_x,
                          const uint64_t *got, const uint64_t *got_x, const uint64_t *next,
                          const uint64_t *next_x);

/** Cycles are missing here: a checker that is late starts anew. */
void wlk_checker_gap(wlk_checker *checker);

/**
 * What a step has compared, each as words of the output record. A bit without care was not: it is
 * unknown, and 0.
 */
typedef struct wlk_look {
    uint32_t words;                          /**< of the record */
    const uint64_t *expected, *care, *wrong; /**< wrong: bits that differ */
    const uint64_t *next_expected;           /**< behind the edge, with the inputs before it, */
    const uint64_t *next_care;               /**< ... which is not compared */
} wlk_look;

/** Before a step that wlk_checker_look is to show; such a step is slow. False: no memory. */
bool wlk_checker_watch(wlk_checker *checker);

/** What was compared since wlk_checker_watch, which was called; nothing, if there was no step. */
wlk_look wlk_checker_look(const wlk_checker *checker);

/** Nothing more to learn: a rule is broken, or the aftermath of a mismatch is over. */
bool wlk_checker_done(const wlk_checker *checker);

/**
 * Decide the verdict. Cycles without a usable edge in reset are NO_RESET; no transfer after it is
 * VACUOUS; with @p strict, so is an output that was hardly ever compared.
 */
wlk_checker_result wlk_checker_result_get(const wlk_checker *checker, bool strict);

/** What a checker follows, and the first difference. */
typedef struct wlk_checker_facts {
    const wlk_block *block;
    const char *scope;
    const wlk_port *ports;
    const wlk_difference *differences; /**< of the first mismatch, in table order */
    uint32_t n_ports, n_differences;
    const char *rule; /**< the rule that was broken first; empty: none was */
} wlk_checker_facts;
wlk_checker_facts wlk_checker_facts_get(const wlk_checker *checker);

/** The model's state now. */
const void *wlk_checker_state(const wlk_checker *checker);

/** Forget any failure and go on from this state, to see where it leads. False: no memory. */
bool wlk_checker_retry(wlk_checker *checker, const void *state);

/** Hits of coverage point @p i; 0 when events are not counted. */
uint64_t wlk_checker_events(const wlk_checker *checker, uint32_t i);

/** Bits of output port @p i compared so far. */
uint64_t wlk_checker_compared(const wlk_checker *checker, uint32_t port);

/** Bits of output port @p port that exist in the RTL at hand; 0 = it is not compared. */
uint32_t wlk_checker_port_bits(const wlk_checker *checker, uint32_t port);

/** An output that is compared, and how much of it was. */
typedef struct wlk_share {
    const char *name;
    uint32_t width;           /**< bits of it that the RTL has */
    uint64_t compared;        /**< bits compared, ... */
    uint64_t all;             /**< ... of those of all cycles from the first reset on */
    uint64_t constant, value; /**< bits that had one value in all cycles compared; these values */
} wlk_share;

/** Each of them, in table order; @p to has room for as many as there are ports. How many. */
uint32_t wlk_checker_shares(const wlk_checker *checker, wlk_share *to);

/** Add what another run has compared of the same output. */
void wlk_share_add(wlk_share *to, const wlk_share *more);

/** The object `shares`: of each output the part of its bits that was compared. */
void wlk_shares_json(const wlk_share *shares, uint32_t n, wlk_json *to);

/** The object `constants`: of each output that has such bits which they are. */
void wlk_constants_json(const wlk_share *shares, uint32_t n, wlk_json *to);

/** For a person: lines about outputs that were not compared in nearly every cycle, if there are. */
void wlk_checker_report_outputs(const wlk_checker *checker, FILE *to);

/**
 * Bits of output port @p port that the RTL showed with the same value, which is put into *value, in
 * all cycles that were compared, at least two. X does not count as a value.
 */
uint64_t wlk_checker_constant(const wlk_checker *checker, uint32_t port, uint64_t *value);

/** For a person: such bits, a line for each field that has some, which begins with @p head. */
void wlk_checker_report_constants(const wlk_checker *checker, const char *head, FILE *to);

/** For a person: the first mismatch or violation with history and model state. */
void wlk_checker_report(const wlk_checker *checker, FILE *to);

/** The same without its first line, of a failure: what differs, or the rule that was broken ... */
void wlk_checker_report_what(const wlk_checker *checker, FILE *to);
/** ... and the handshakes and the state that led to it. */
void wlk_checker_report_how(const wlk_checker *checker, FILE *to);

/**
 * Before a cycle: keep the model's state and the cycle's number, for a failure that no output shows
 * and that wlk_checker_report_kept describes once the cycle is over.
 */
void wlk_checker_keep(wlk_checker *checker);
/** As wlk_checker_report of that cycle; @p what stands where differing ports would, in whole lines.
 */
void wlk_checker_report_kept(const wlk_checker *checker, wlk_status verdict, const char *what,
                             FILE *to);

/**
 * The members of a JSON object (docs/exit-codes.md): block, scope, config, counts, verdict, and of
 * a failure the first difference. The caller opens and closes the object, and may add its own.
 */
void wlk_checker_json(const wlk_checker *checker, bool strict, wlk_json *to);

/** Of a whole run its members `shares` and `constants` as well, by the functions above. */
void wlk_checker_json_shares(const wlk_checker *checker, wlk_json *to);

WLK_END_DECLS
#endif
