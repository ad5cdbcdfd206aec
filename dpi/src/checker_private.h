/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder know of a checker. */
#ifndef WLK_CHECKER_PRIVATE_H
#define WLK_CHECKER_PRIVATE_H

#include "constants.h"
#include "waivers.h"
#include "warplock/candidates.h"
#include "warplock/checker.h"

/* A handshake of one array element, resolved to places in the record. */
typedef struct channel {
    uint16_t table;      /* index in wlk_table::channels */
    int32_t valid;       /* port, -1: none */
    int32_t ready;       /* port, -1: none */
    uint32_t n_bits;     /* ports of a transferred value */
    uint64_t *values[3]; /* the last transfers since the mismatch: the model's, the RTL's, and the
                            model's care; owned, NULL before it */
    uint64_t when[2][8]; /* their cycles */
    uint32_t count[2];
    uint32_t
        changes; /* transfers of the RTL, while it lags, of another value than the one before */
    int64_t least, most; /* by how many cycles the RTL's transfers come later than the model's */
    uint64_t since;      /* the first cycle in which one side fires alone */
    bool shifted;        /* since the mismatch one side has fired where the other has not */
    bool differs;        /* a transfer has another value, or cannot be compared any more */
} channel;

enum { CHECKER_PARTS = 13 };

struct wlk_checker {
    const wlk_block *block;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_layout layout;
    wlk_port *ports;
    char scope[256];
    wlk_candidates candidates; /* the first one is shown */
    void *before;              /* state before the first mismatch */
    uint64_t *compare;
    const uint64_t *judged; /* of this cycle: `compare`, `partial`, or what waivers leave of it */
    uint64_t *partial;      /* `compare` without what is missing in this cycle alone */
    uint64_t *sure;         /* late: care of what followed from the cycles before */
    uint64_t *got_known, *next_known;
    bool fast;                 /* nothing to note in this cycle but a difference */
    const uint64_t *fast_mask; /* of the fast step: `compare` where an output that is missing is
                                  not always 0 in the model, or NULL */
    bool compares_all;
    bool step_masked; /* else, outputs are missing that the block's step can leave out */
    bool has_inexact; /* some output is compared only while it means something */
    bool count_events;
    bool async_reset;
    bool failed; /* a mismatch was seen */
    bool violated_seen;
    bool frozen;          /* one of the two: the history stays as it is */
    bool violation_after; /* `before` is the state after the edge that broke the rule */
    bool caught_up; /* after a shift, both sides have done the same number of transfers again */
    int32_t reset_port;
    int32_t *when;          /* for each port the port that makes it meaningful, or -1 */
    int32_t violation_port; /* the input that is X, or -1 */
    int32_t reset_x_port;   /* an input that is X in a reset cycle that could not be used, or -1 */
    uint64_t resets_with_x; /* how many such cycles */
    wlk_checker_result sum; /* without what wlk_checker_result_get makes of it */
    uint64_t compared_cycles, violation_cycle, kept_cycle;
    uint64_t *wrong; /* output bits that have differed in any cycle */
    char violation_text[160];
    uint64_t events[WLK_MAX_COVERS];
    uint64_t *masked;  /* bits not compared, per port */
    uint64_t out_bits; /* compared output bits of a cycle */
    channel *channels;
    uint32_t n_channels;
    /* scratch and history: whole records */
    uint64_t *expect, *care;
    uint64_t *in, *got, *no_x;
    uint64_t *history;              /* WLK_HISTORY slots: cycle + 1, control words of in and got */
    uint64_t *owned[CHECKER_PARTS]; /* all words above, each part alone */
    wlk_difference *differences;
    uint32_t n_differences;
    waivers waivers;
    constants constants;
    uint64_t *watched; /* owned: the words of a wlk_look one behind the other, or NULL */
};

static inline const void *state_now(const wlk_checker *c) {
    return c->candidates.states[0];
}

/* Words of a slot of the history. */
static inline uint32_t history_words(const wlk_checker *c) {
    return 1u + c->layout.in_control + c->layout.out_control;
}

static inline uint64_t *history_slot(const wlk_checker *c, uint64_t cycle) {
    return c->history + (size_t)(cycle % WLK_HISTORY) * history_words(c);
}

static inline uint64_t port_value(const wlk_port *port, const uint64_t *in, const uint64_t *out) {
    return wlk_port_get(port, port->is_out ? out : in);
}

/*
 * wlk_checker_step over records that lie one behind the other, @p n > 0 of them, inputs and then
 * outputs: as long as nothing is to be noted, and over one cycle in which something is. Returns
 * over how many; @p first is what the last of them returned.
 */
uint32_t wlk_checker_run(wlk_checker *c, const uint64_t *records, uint32_t n, int *first);

/* Classify: do both sides transfer the same values in the same order? */
bool wlk_same_order(const wlk_checker *c);
void wlk_follow_channels(wlk_checker *c, const uint64_t *in, const uint64_t *expect,
                         const uint64_t *got);
/* The channel's value of this cycle as the @p out side shows it; false when it does not fire. */
bool wlk_channel_fires(const wlk_checker *c, const channel *ch, const uint64_t *in,
                       const uint64_t *out);
/* Does the port mean something with the channel's valid: only then, or always as part of it? */
bool wlk_channel_shows(const wlk_checker *c, const channel *ch, const wlk_port *port);
wlk_status wlk_channels_resolve(wlk_checker *c);
void wlk_channels_free(wlk_checker *c);

/* Its name with the number of its element: "ibuf[3]". */
void wlk_channel_name(const wlk_checker *c, const channel *ch, char *to, size_t room);

/* In which channels, by how much and since when: a line for each that is shifted. */
void wlk_report_timing(const wlk_checker *c, FILE *to);
void wlk_json_timing(const wlk_checker *c, wlk_json *to);

/* Which values the fields of the channels had in the cycles up to @p until. */
void wlk_report_transactions(const wlk_checker *c, uint64_t until, FILE *to);

#endif
