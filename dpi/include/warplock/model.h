/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file model.h
 * A model in place of RTL, and a model as predictor: what the modules and packages call that
 * `warplock model` writes (docs/model-module.md). All arguments are `chandle`, `string` and words,
 * so the calls are the same for every block and configuration, and no C is generated.
 *
 * A handle is one instance: it shares nothing with others, and is not for two threads at a time.
 * Records go in and out in pieces of WLK_MODEL_PIECE words; of the last piece what is beyond the
 * record is ignored, and 0. For a null handle, or one of another kind, nothing is done, and what
 * comes out is 0.
 *
 * Life: open, every parameter, start, then cycles, close. What is refused is one line on stderr.
 */
#ifndef WARPLOCK_MODEL_H
#define WARPLOCK_MODEL_H

#include "warplock/block.h"

WLK_BEGIN_DECLS

#define WLK_MODEL_PIECE 8u /**< words that one call moves */

/** The words of a handle: what is put in, and what comes out. */
typedef enum wlk_model_side {
    WLK_MODEL_IN = 0,    /**< inputs of the cycle */
    WLK_MODEL_GOT = 1,   /**< outputs that the RTL shows; for wlk_predict_settle */
    WLK_MODEL_THERE = 2, /**< the bits of these that it does show */
    WLK_MODEL_OUT = 3,   /**< outputs of the cycle; where care is 0 they are 0 */
    WLK_MODEL_CARE = 4   /**< 1 = the bit is defined */
} wlk_model_side;

enum { WLK_MODEL_SIDES = 5 };

/**
 * A handle for the block with that table; @p name stands in messages and is copied. NULL when ABI
 * version or schema are not this library's, or there is no memory.
 */
void *wlk_model_open(unsigned long long abi_version, unsigned long long schema_hash,
                     const char *name);

/** Set parameter @p index; every parameter of the table must be given before the start. */
void wlk_model_param(void *handle, unsigned long long index, unsigned long long value);

/**
 * Verify the parameters and power up, @p power_up as wlk_power_up: unknown is for predictors. 0, or
 * the wlk_status why not.
 */
int wlk_model_start(void *handle, unsigned long long power_up);

/** Words @p first and the seven that follow of a side that is put in. Bits that no port has are 0.
 */
void wlk_model_put(void *handle, unsigned long long side, unsigned long long first,
                   unsigned long long w0, unsigned long long w1, unsigned long long w2,
                   unsigned long long w3, unsigned long long w4, unsigned long long w5,
                   unsigned long long w6, unsigned long long w7);

/** The same of a side that comes out. */
void wlk_model_get(void *handle, unsigned long long side, unsigned long long first,
                   unsigned long long *w0, unsigned long long *w1, unsigned long long *w2,
                   unsigned long long *w3, unsigned long long *w4, unsigned long long *w5,
                   unsigned long long *w6, unsigned long long *w7);

/**
 * Of a module: outputs for the inputs that were put, in state number @p version. The state is held
 * twice, so that before and after an edge can be asked for as long as the module's own register,
 * the version, has not changed: 1 at the start, one more after each edge. Returns 0 or 1, which
 * turns when these outputs are not those of the last wlk_model_show, and turns back when they are.
 */
int wlk_model_eval(void *handle, unsigned long long version);

/** Of a module: the outputs of the last wlk_model_eval are those that it shows from now on. */
void wlk_model_show(void *handle);

/** Of a module: state number @p version + 1 from @p version and the inputs that were put. */
void wlk_model_tick(void *handle, unsigned long long version);

/** Free; NULL is allowed. */
void wlk_model_close(void *handle);

/**
 * Of a predictor: outputs and care for the inputs that were put; the state stays. Care is 0 where
 * the states that are possible differ, where `valid_when` is 0 and the output is not exact, and,
 * with unknown power-up, before the first edge in reset. 0, or nonzero after one line: no
 * predictor.
 */
int wlk_predict_eval(void *handle);

/** Of a predictor: the edge. @p broken: the protocol rules that the inputs break, as a bitmap. As
 * of wlk_predict_eval. */
int wlk_predict_tick(void *handle, unsigned int *broken);

/**
 * Of a predictor, before the edge: drop the possible states that contradict the outputs that were
 * put (WLK_MODEL_GOT in the bits WLK_MODEL_THERE). 1; 0 where none is left: then nothing changes.
 * No predictor: 0 after one line.
 */
int wlk_predict_settle(void *handle);

/** Of a predictor: its state now, for restore into it or another one of equal parameters. NULL: no
 * memory, or no predictor. */
void *wlk_predict_snapshot(void *handle);

/** As it was at the snapshot, which stays. 0, or a wlk_status after one line. */
int wlk_predict_restore(void *handle, void *taken);

/** Free a snapshot; NULL is allowed. */
void wlk_predict_release(void *taken);

WLK_END_DECLS
#endif
