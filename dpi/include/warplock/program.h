/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file program.h
 * Instruction streams from a file: for each warp the instructions it runs, in program order.
 *
 * The format is docs/program-format.md. A program that loads fits the configuration it was loaded
 * for; that each of its instructions can be admitted is not checked (muon-issue §4: one without a
 * register operand never is).
 */
#ifndef WARPLOCK_PROGRAM_H
#define WARPLOCK_PROGRAM_H

#include "warplock/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

WLK_BEGIN_DECLS

/** Version of the format that this library reads, the only one. */
#define WLK_PROGRAM_VERSION 1u
/** Most bytes in a line, without its end. */
#define WLK_PROGRAM_MAX_LINE 255u
/** Most cycles from issue to writeback. */
#define WLK_PROGRAM_MAX_LATENCY 65535u

/** Functional units. The order is not part of the format. */
enum {
    WLK_UNIT_ALU,
    WLK_UNIT_MUL,
    WLK_UNIT_FPU,
    WLK_UNIT_SFU,
    WLK_UNIT_LSU,
    WLK_UNITS, /**< how many there are */
};

/** One instruction. Registers are physical; one that is not there is 0 and its `has` false. */
typedef struct wlk_instruction {
    uint64_t mask; /**< lanes, bit 0 = lane 0; no bit beyond the lanes */
    uint64_t pc;
    uint32_t latency; /**< [cycles] from issue to writeback, 1..WLK_PROGRAM_MAX_LATENCY */
    uint32_t line;    /**< in the file, from 1 */
    uint16_t rd, rs[3];
    bool has_rd, has_rs[3];
    uint8_t warp;
    uint8_t unit; /**< WLK_UNIT_... */
} wlk_instruction;

/** A loaded program; opaque, constant: threads may share it. */
typedef struct wlk_program wlk_program;

/**
 * Load @p path for a configuration.
 *
 * @param[out] program the caller's, to give to wlk_program_free(); NULL on failure.
 * @param num_warps,num_pregs,num_lanes,lane_bits those of the configuration, legal by its check.
 * @param err may be NULL; names file, line and column.
 * @return WLK_OK, or what docs/program-format.md has under "What a reader answers".
 */
wlk_status wlk_program_load(wlk_program **program, const char *path, uint32_t num_warps,
                            uint32_t num_pregs, uint32_t num_lanes, uint32_t lane_bits,
                            wlk_error *err);

/**
 * The instructions of @p warp (below num_warps) in program order.
 *
 * @param[out] count how many; 0 for a warp without work, where the result may be NULL.
 * @return the program's, valid until it is freed.
 */
const wlk_instruction *wlk_program_warp(const wlk_program *program, uint32_t warp, size_t *count);

/** Instructions of all warps, at least 1. */
size_t wlk_program_total(const wlk_program *program);

/** Free @p program (NULL: nothing). */
void wlk_program_free(wlk_program *program);

/** Name of a unit (below WLK_UNITS) as it stands in a file, e.g. "fpu". */
const char *wlk_unit_name(uint32_t unit);

WLK_END_DECLS
#endif
