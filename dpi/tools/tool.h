/* SPDX-License-Identifier: Apache-2.0 */
/* What the command-line tools share: configurations from words, errors, Ctrl-C, progress. */
#ifndef WLK_TOOL_H
#define WLK_TOOL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "warplock/checker.h"

/* Set by SIGINT and SIGTERM. */
extern volatile sig_atomic_t tool_stop;

/* Called by the handler of these, or NULL. */
extern void (*tool_on_stop)(void);

/* Where errors and progress go; NULL: stderr. */
extern FILE *tool_console;

/* Catch Ctrl-C; ignore SIGPIPE and SIGXFSZ, so that a full disk is an error and not a death. */
void tool_signals(void);

/*
 * Load the blocks of $WLK_BLOCK_LIBRARIES, paths with ':' between them. From then on a crash of the
 * model of one is an error of the program @p name, MODEL_ERROR.
 */
wlk_status tool_own_blocks(const char *name, wlk_error *err);

/* Print the error and return its status as the exit code. */
int tool_fail(const char *tool, const wlk_error *err);

wlk_status tool_no_memory(wlk_error *err);

/*
 * The number at *text, decimal or 0x. It ends with @p end or with the text; *text moves behind it.
 * False when there is none, or one of more than 64 bits.
 */
bool tool_take_number(const char **text, char end, uint64_t *value);

/* The same of a whole text. */
bool tool_number(const char *text, uint64_t *value);

/* "zero", "reset", or else unknown. */
wlk_power_up tool_power_up(const char *text);

/* A block in a configuration. */
typedef struct tool_block {
    const wlk_block *block;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_layout layout;
    wlk_members members;      /* ports in opaque fields; owned */
    const char *members_text; /* as it was given, or NULL */
    const char **waivers;     /* as they were given; owned, their texts are not */
    uint32_t n_waivers;
    wlk_port *ports; /* layout.n_ports of them; owned */
} tool_block;

/*
 * Find a block by name, set the defaults, then key=value words: parameters, members=TEXT, and
 * waive=TEXT as wlk_checker_waive takes it. What it allocates is tool_block_close's to free, also
 * after a failure.
 */
wlk_status tool_block_open(tool_block *b, const char *name, char **words, int n, wlk_error *err);
void tool_block_close(tool_block *b);

/* Give a checker that was opened for the block what is waived. */
wlk_status tool_block_waive(const tool_block *b, wlk_checker *checker, wlk_error *err);

/* The bits of a record that are of a port: in_words, out_words and the latter again for care. */
typedef struct tool_bits {
    uint64_t *words; /* owned */
    uint32_t in_words, out_words;
} tool_bits;

/* Those of a legal configuration. NO_MEMORY. tool_bits_close is due in any case. */
wlk_status tool_bits_open(tool_bits *bits, const wlk_block *block, const uint32_t *cfg,
                          wlk_error *err);
void tool_bits_close(tool_bits *bits);

/*
 * A model takes it that bits of no port are 0, and reads beyond the record where they are not: so
 * each record of a file is looked at first. CORRUPT names @p path and @p cycle.
 */
wlk_status tool_bits_check(const tool_bits *bits, const char *path, uint64_t cycle,
                           const uint64_t *in, const uint64_t *out, const uint64_t *care,
                           wlk_error *err);

/* An input that the RTL lacks because it is constant: bits lsb.. of a word of the input record. */
typedef struct tool_tie {
    uint32_t word, lsb, width;
    uint64_t value;
} tool_tie;

/* "WORD:LSB:WIDTH:VALUE"; false when it is none, or has bits that are of no input. */
bool tool_tie_read(const char *text, const tool_bits *bits, tool_tie *tie);

/* Put the constants into an input record. */
void tool_tie_apply(const tool_tie *ties, uint32_t n, uint64_t *in);

/* Every 0.2 s at most: "progress DONE TOTAL" on stderr, read by scripts/warplock. */
void tool_progress(uint64_t done, uint64_t total);

/* In a loop, @p done counting its rounds: progress now and then, and whether to end it. */
bool tool_stopped(uint64_t done, uint64_t total);

/* End of output on stdout: NO_SPACE when it could not be written, 141 when its reader has gone. */
int tool_close_output(const char *tool);

#endif
