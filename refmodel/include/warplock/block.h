/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file block.h
 * What every block offers to the shared parts: its table (generated) and its model (written).
 *
 * A *record* is one cycle of one block: input words, expected output words and care words
 * (1 = must match). All words are 64 bits, little endian; where a field lies is written in the
 * table (@ref wlk_port). Nothing here allocates, prints or stops the process.
 */
#ifndef WARPLOCK_BLOCK_H
#define WARPLOCK_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warplock/error.h"

WLK_BEGIN_DECLS

/** Version of this interface and of the DPI entry points; a checker built for another is refused.
 */
#define WLK_ABI_VERSION 6u

/** Version of the library, for example "0.5.0". It never changes and is never freed. */
const char *wlk_version(void);

/** Rows that vector code moves start on a cache line. */
#define WLK_ALIGN64 __attribute__((aligned(64)))

#define WLK_MAX_PARAMS   32u /**< parameters of a block */
#define WLK_MAX_PAYLOADS 16u /**< payloads of one side of a record */
#define WLK_MAX_NAME     96u /**< bytes of an emitted port name, with the terminator */
#define WLK_MAX_MEMBER   57u /**< the same for the last part of a name in an opaque field */
#define WLK_MAX_INDEX    3u  /**< array dimensions of a field */

/** A parameter. A configuration is an array of uint32_t in the order of the table. */
typedef struct wlk_param {
    const char *name;
    uint32_t default_value;
    const uint32_t *legal;    /**< legal values, ascending; positions when `names` is set */
    uint32_t n_legal;         /**< how many */
    const char *const *names; /**< names of the values 0.., or NULL for plain numbers */
    bool behavioural;         /**< a rule reads it, and port widths may not determine it */
    const char *doc;
    const char *list; /**< that it is an item of, or NULL; the list's parameters lie together */
    uint32_t items;   /**< of an entry of the list */
} wlk_param;

/** How a value is written for a person. */
typedef enum wlk_notation {
    WLK_HEX = 0,     /**< masks, pcs, data: 0x and hexadecimal digits */
    WLK_DECIMAL = 1, /**< what people count: registers, warps, entries, counts; flags */
    WLK_OPAQUE = 2,  /**< hexadecimal; means nothing to a reader, so handshakes leave it out */
} wlk_notation;

/** A field of the table: a port or an array of ports. */
typedef struct wlk_field {
    const char *name;   /**< path without counts, e.g. "readReq.bits.regs.pReg" */
    int16_t valid_when; /**< field whose 1 makes this one meaningful, or -1 */
    bool is_out;        /**< output of the block */
    bool is_payload;    /**< lanes in whole words of their own */
    bool read;          /**< input: a rule reads it */
    bool exact;         /**< output: compared also while `valid_when` is 0 */
    bool is_registered; /**< output: straight from flip-flops */
    bool is_opaque;     /**< words that no rule reads; wlk_members lists the ports in them */
    const char *doc;
    const char
        *array; /**< the count of its array, where that is a parameter: the first index; or NULL */
    /**
     * Input: the outputs that show it in the same cycle though `valid_when` is 0. An X on it then
     * makes these unknown and nothing else. Fields, ends with -1; NULL = none.
     */
    const int16_t *x_hides;
    const char *as; /**< its name in a report, "rd"; NULL: that of the port */
    wlk_notation notation;
} wlk_field;

/** A port of the RTL in the words of an opaque field: the last part of its name, and its place. */
typedef struct wlk_member {
    char name[WLK_MAX_MEMBER];
    uint16_t word;
    uint8_t lsb;
    uint8_t width; /**< [bits] 1..64 */
} wlk_member;

/** The ports of a block's opaque fields, the same in each. None: each word is a port. */
typedef struct wlk_members {
    const wlk_member *list;
    uint32_t n;
} wlk_members;

/** An emitted port in one configuration and its place in the record. */
typedef struct wlk_port {
    char name[WLK_MAX_NAME]; /**< emitted name */
    uint16_t field;          /**< index in wlk_table::fields */
    uint8_t index[WLK_MAX_INDEX];
    uint8_t n_index;
    int16_t lane;  /**< lane of a payload, or -1 */
    uint16_t word; /**< word of the input or output record */
    uint8_t lsb;   /**< lowest bit in that word */
    uint8_t width; /**< [bits] 1..64 */
    bool is_out;
    bool present; /**< exists in this configuration (debug ports) */
} wlk_port;

/** Words of a payload in a record. */
typedef struct wlk_payload {
    uint16_t word;  /**< first word in the record */
    uint16_t words; /**< how many */
} wlk_payload;

/** Sizes of a record in one configuration [words]. */
typedef struct wlk_layout {
    uint32_t in_control, out_control; /**< control words come first */
    uint32_t in_words, out_words;     /**< with payloads */
    uint32_t n_in_payloads, n_out_payloads;
    wlk_payload in_payload[WLK_MAX_PAYLOADS], out_payload[WLK_MAX_PAYLOADS];
    uint32_t n_ports; /**< ports, absent ones included, and each word of an opaque field */
} wlk_layout;

/** A handshake: what counts as a transfer. Fields as indices; -1 = none. */
typedef struct wlk_channel {
    const char *name;
    int16_t valid, ready;
    const int16_t *bits; /**< fields that make the transferred value, ends with -1 */
} wlk_channel;

/** A protocol rule (bit of the bitmap of tick) or a coverage point (bit of the event bitmap). */
typedef struct wlk_point {
    const char *name;
    const char *doc;
} wlk_point;

/** The table of a block, generated from refmodel/FAMILY/NAME/block.toml. */
typedef struct wlk_table {
    const char *name;   /**< "collector" */
    const char *module; /**< "DuplicatedCollector" */
    uint64_t schema_hash;
    uint32_t model_version;
    bool has_clock;
    int16_t reset; /**< field of the reset input, or -1 */
    const wlk_param *params;
    const wlk_field *fields;
    const wlk_channel *channels;
    const wlk_point *rules;
    const wlk_point *covers;
    uint32_t n_params, n_fields, n_channels, n_rules, n_covers;
    void (*layout)(const uint32_t *cfg, wlk_layout *layout);
    /**
     * Fill up to @p capacity ports in module order; returns how many there are.
     * @p members: the ports in opaque fields, of which those beyond its words are left out; NULL:
     * each word is one.
     */
    uint32_t (*ports)(const uint32_t *cfg, const wlk_members *members, wlk_port *ports,
                      uint32_t capacity);
    /** Floor of a coverage point [hits a million cycles]; 0 = cannot be reached. */
    uint32_t (*cover_floor)(const uint32_t *cfg, uint32_t point);
    /** Are values that are legal alone legal together? BAD_CONFIG. NULL: always. */
    wlk_status (*together)(const uint32_t *cfg, wlk_error *err);
    const char *spec; /**< where its rules are written: "muon-issue §2" */
} wlk_table;

/**
 * Accessors of a place in a record: STEM_get_NAME(words), STEM_set_NAME(words, value), and
 * STEM_put_NAME(words, value) into words that are 0 there; for code that looks at several records
 * at once its word and lowest bit, STEM_word_NAME and STEM_lsb_NAME.
 */
#define WLK_ACCESSORS(type, stem, name, word, lsb, width)                                          \
    enum { stem##_word_##name = (word), stem##_lsb_##name = (lsb) };                               \
    static inline type stem##_get_##name(const uint64_t *words) {                                  \
        return (type)(words[word] >> (lsb) & ~UINT64_C(0) >> (64 - (width)));                      \
    }                                                                                              \
    static inline void stem##_put_##name(uint64_t *words, uint64_t value) {                        \
        words[word] |= value * (UINT64_C(1) << (lsb));                                             \
    }                                                                                              \
    static inline void stem##_set_##name(uint64_t *words, uint64_t value) {                        \
        words[word] &= ~(~UINT64_C(0) >> (64 - (width)) << (lsb));                                 \
        words[word] |= value * (UINT64_C(1) << (lsb));                                             \
    }

/** One side of a record as it lies in memory or crosses DPI. */
typedef struct wlk_view {
    const uint64_t *control;               /**< control words */
    const void *payload[WLK_MAX_PAYLOADS]; /**< little-endian words, 4-byte aligned at least */
    /** Outputs given to a step: the control bits that are there. NULL: all. */
    const uint64_t *mask;
} wlk_view;

/** What a step reports besides its result. */
typedef struct wlk_step_info {
    uint64_t events;   /**< coverage points of the cycle */
    uint32_t violated; /**< protocol rules broken by the inputs */
} wlk_step_info;

/** Power-up of what no reset reaches. */
typedef enum wlk_power_up {
    WLK_POWER_UNKNOWN = 0, /**< marked unknown; care is 0 until defined */
    WLK_POWER_ZERO = 1,    /**< every flip-flop and memory word starts at 0 */
    WLK_POWER_RESET = 2    /**< the same; only for checkers, which compare from the reset on */
} wlk_power_up;

/** What is seen of a cycle: the inputs, and the outputs of it and of the next one. */
typedef struct wlk_sight {
    const uint64_t *in;
    const uint64_t *out, *out_known;   /**< output bits, and which of them are there */
    const uint64_t *next, *next_known; /**< the same a cycle later; nothing is known at the end */
} wlk_sight;

/** Receives one element of a state; @p name and @p words for this call only. @p known 0 = value
 * unknown. */
typedef void wlk_state_visitor(void *ctx, const char *name, int32_t index, const uint64_t *words,
                               uint32_t n_words, uint64_t known, wlk_notation notation);

/**
 * A model as the shared parts see it. `cfg` is the block's configuration struct as words
 * (checked), `state` points at `state_size(cfg)` bytes, 64-byte aligned; a snapshot is a copy.
 */
typedef struct wlk_block {
    const wlk_table *table;
    /** Legal alone and together? The only call that fails. */
    wlk_status (*check)(const uint32_t *cfg, wlk_error *err);
    size_t (*state_size)(const uint32_t *cfg);
    void (*init)(const uint32_t *cfg, void *state, wlk_power_up power_up);
    /** Outputs and care of this cycle; changes nothing. */
    void (*eval)(const uint32_t *cfg, const void *state, const uint64_t *in, uint64_t *out,
                 uint64_t *care);
    /** The clock edge. */
    void (*tick)(const uint32_t *cfg, void *state, const uint64_t *in, wlk_step_info *info);
    /** eval and tick in one. */
    void (*record)(const uint32_t *cfg, void *state, const uint64_t *in, uint64_t *out,
                   uint64_t *care, wlk_step_info *info);
    /**
     * Compare and tick in one, for speed: 0 = every output known and equal, state advanced;
     * 1 = look closer with eval, then tick: nothing was changed. Fills `violated` only:
     * counting events is the business of tick and record. A block may return 1 for any masked view.
     */
    int (*step)(const uint32_t *cfg, void *state, const wlk_view *in, const wlk_view *got,
                wlk_step_info *info);
    /**
     * In how many ways can this cycle go, because state that no reset reaches is unknown? 1 = one.
     * eval, tick and record of such a state report the first. NULL: always one.
     */
    uint32_t (*outcomes)(const uint32_t *cfg, const void *state, const uint64_t *in);
    /** Drop the values of unknown state that do not lead to outcome @p k of them. */
    void (*assume)(const uint32_t *cfg, void *state, const uint64_t *in, uint32_t k);
    /**
     * Payload bits in @p x are unknown: after tick, forget what the edge stored from them. NULL:
     * the block stores no payload.
     */
    void (*forget)(const uint32_t *cfg, void *state, const uint64_t *in, const uint64_t *x);
    /**
     * An asynchronous reset is asserted: each register that the reset reaches gets the value it has
     * after an edge in reset, all others keep theirs. NULL: the block has no state.
     */
    void (*clear)(const uint32_t *cfg, void *state);
    /** Is no work in flight? NULL: there never is any. */
    bool (*drained)(const uint32_t *cfg, const void *state);
    /** Each element of the state. NULL: it has none. */
    void (*visit)(const uint32_t *cfg, const void *state, wlk_state_visitor *visitor, void *ctx);
    /**
     * A state of which nothing is known but that a reset was some time ago. eval hides what
     * depends on it. NULL with `visit`: the block cannot start so; without state it always can.
     */
    void (*late)(const uint32_t *cfg, void *state);
    /**
     * Before the tick of such a state: know what follows from what is seen, and nothing else. The
     * outputs agree with those of eval where it cares. Works on every state.
     */
    void (*learn)(const uint32_t *cfg, void *state, const wlk_sight *seen);
    /** `learn` is also called in cycles after a reset, in which it did not see `next`. */
    bool always_learns;
    /** eval, tick and record report what all outcomes have in common, not the first. */
    bool joins;
    /** tick where payload bits in @p x are unknown, in place of tick, then forget. NULL: those. */
    void (*tick_unknown)(const uint32_t *cfg, void *state, const uint64_t *in, const uint64_t *x,
                         wlk_step_info *info);
} wlk_block;

/** The block of that name with the code that is fastest on this processor, or NULL. */
const wlk_block *wlk_block_find(const char *name);

/** As @ref wlk_block_find, limited to an instruction set: "base", "x86-64-v3". */
const wlk_block *wlk_block_find_isa(const char *name, const char *isa);

/** Name of the block at @p index; NULL past the last. */
const char *wlk_block_name(uint32_t index);

/** Set every parameter to its default. */
void wlk_config_defaults(const wlk_table *table, uint32_t *cfg);

/** Set one parameter from text; BAD_CONFIG names the key and what is legal. */
wlk_status wlk_config_set(const wlk_table *table, uint32_t *cfg, const char *key, const char *value,
                          wlk_error *err);

/** Each parameter legal by itself? Blocks call it first in their check. */
wlk_status wlk_config_check(const wlk_table *table, const uint32_t *cfg, wlk_error *err);

/**
 * Members from text, "name:width:word:lsb" with commas between: up to @p capacity; *n is how many
 * there are. BAD_CONFIG: malformed.
 */
wlk_status wlk_members_parse(const char *text, wlk_member *list, uint32_t capacity, uint32_t *n,
                             wlk_error *err);

/** ceil(log2 n); 0 for n <= 1. */
static inline uint32_t wlk_clog2(uint32_t n) {
    return n > 1 ? 32u - (uint32_t)__builtin_clz(n - 1u) : 0u;
}

/** Bits from one lane of a payload to the next, for lanes of @p width: none straddles a word. */
static inline uint32_t wlk_lane_step(uint32_t width) {
    return UINT32_C(1) << wlk_clog2(width);
}

/**
 * A lane of a payload, as its words lie in the member of a block's struct or in a record.
 *
 * @param data the payload's words, lane 0 in the low bits of the first: two lanes of 32 bits a word
 * @param lane 0 .. lanes - 1; not checked
 * @param width of a lane [bits] 1..64
 */
static inline uint64_t wlk_lane_get(const uint64_t *data, uint32_t lane, uint32_t width) {
    const uint32_t bit = lane * wlk_lane_step(width);
    return (data[bit / 64u] >> (bit % 64u)) & (~UINT64_C(0) >> (64u - width));
}

/** Set a lane, as @ref wlk_lane_get reads it; bits of @p value beyond @p width are ignored. */
static inline void wlk_lane_set(uint64_t *data, uint32_t lane, uint32_t width, uint64_t value) {
    const uint32_t bit = lane * wlk_lane_step(width);
    const uint64_t mask = (~UINT64_C(0) >> (64u - width)) << (bit % 64u);
    data[bit / 64u] = (data[bit / 64u] & ~mask) | ((value << (bit % 64u)) & mask);
}

/** Width of an index below n [bits]: at least 1. */
static inline uint32_t wlk_idw(uint32_t n) {
    return n <= 2 ? 1u : wlk_clog2(n);
}

static inline uint32_t wlk_max(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static inline uint32_t wlk_min(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/** The low @p width bits set; width 0..64. */
static inline uint64_t wlk_mask(uint32_t width) {
    return width >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1u;
}

/** A port's value in its record words. */
static inline uint64_t wlk_port_get(const wlk_port *port, const uint64_t *words) {
    return (words[port->word] >> port->lsb) & wlk_mask(port->width);
}

/** Set a port's value in its record words. */
static inline void wlk_port_set(const wlk_port *port, uint64_t *words, uint64_t value) {
    const uint64_t mask = wlk_mask(port->width) << port->lsb;
    words[port->word] = (words[port->word] & ~mask) | ((value << port->lsb) & mask);
}

WLK_END_DECLS
#endif
