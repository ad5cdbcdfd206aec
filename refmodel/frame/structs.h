/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model by structs with the RTL's names. Clarity goes before speed. Its source defines MODEL and
 * MODEL_CAPS, and has `struct wlk_MODEL_state`: a block of this tree in warplock/MODEL.h, beside
 * which it includes MODEL_view.h, and MODEL_open.h if it has a state; a block of your own after
 * frame/model.h. It includes this, and then defines
 *   outputs(cfg, st, in, out, care)    SHOW for each output that is modelled
 *   edge(cfg, st, in)                  the clock edge
 *   clear(cfg, st)                     what a reset sets; the rest keeps what edge has made of it
 *   WLK_STRUCTS_MODEL(...)             at its end, with members of own_calls
 *
 * If outputs and edge need the same derived values, the model declares a struct for them, names it
 * with `#define CYCLE` before it includes this, and defines
 *   see(cfg, st, in, c)                assigns every member of *c, from the state before the edge
 *   outputs(cfg, st, in, c, out, care) and edge(cfg, st, in, c) in place of those above
 * Each call of the frame runs see first, then outputs and edge with its c. The other functions have
 * no c, and may call see.
 *
 * Nothing is compared before the first edge in reset; of a block without a reset all is, from the
 * first cycle on. An edge in reset is edge, then clear. State starts as zeros, or, where the model
 * says unknown_start, unknown: then an output bit is compared where it is known whatever is not.
 *
 * A block that is a library of its own (WLK_OWN_BLOCK) sees the public structs of its ports. One of
 * this tree sees views of the record, with the same members (scripts/wlk/gen/view.py).
 */
#ifdef PART
#include "frame/of_part.h"
#elif !defined(WLK_FRAME_STRUCTS_H)
#define WLK_FRAME_STRUCTS_H

#include "frame/model.h"
#ifndef WHOLE
typedef state_t whole_t;
#endif
#undef WHOLE_OF
#undef SHOWN_WORDS
#define WHOLE_OF(st) (st)
#define SHOWN_WORDS  CAPS(OUT_WORDS)
#include "frame/rams.h"

#ifdef WLK_OWN_BLOCK
typedef NAMED(in) in_t;
typedef NAMED(out) out_t;
typedef out_t care_t;
#else
typedef NAMED(in_view) in_t;
typedef NAMED(out_view) out_t;

/*
 * What becomes of the values that are shown: those of ports go into the view. RECORD: payloads go
 * into the record, and the care of all; LOOK: payloads go nowhere; COMPARE: they are compared with
 * those of the record.
 */
typedef struct care_t {
    enum { RECORD, LOOK, COMPARE } does;
    bool is_blind;    /* rows of memories are not shown */
    uint64_t differs; /* COMPARE: bits in which payloads are others */
    out_t *bits;      /* RECORD */
} care_t;
#endif

/* What a model may have besides; NULL: nothing. */
typedef struct own_calls {
    /* Bits WLK_MODEL_RULE that the inputs break. */
    uint32_t (*broken)(const cfg_t *cfg, const state_t *st, const in_t *in);
    /* Bits EVENT(POINT) of this cycle. It may read what `outputs` has shown, but no payloads. */
    uint64_t (*events)(const cfg_t *cfg, const state_t *st, const in_t *in, const out_t *out);
    /* Is no work in flight? */
    bool (*drained)(const cfg_t *cfg, const state_t *st);
    /* VISIT_FLOPS for reports. */
    void (*show)(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor, void *ctx);
    /* While state is unknown: assigns members of it from the outputs of a cycle, `learn` before the
     * edge and `learn_next` after it. */
    void (*learn)(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out);
    void (*learn_next)(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out);
    /* As `learn`, after it, from the outputs of the next cycle too: where a dump is checked. */
    void (*learn_by_next)(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out,
                          const out_t *next);
    /* Of a model with RAMS: called in each cycle after a start without its reset, while some bits
     * of memories are unknown. It only calls row_learn, for rows that the outputs show, and sees
     * only known bits. note_rows is called after it once all else is known, and stores in the state
     * what later calls need. */
    void (*learn_rows)(const cfg_t *cfg, state_t *st, const in_t *in, const out_t *out);
    void (*note_rows)(const cfg_t *cfg, state_t *st, const in_t *in);
    /* Of such a model: can it call row_forget in this configuration? */
    bool (*forgets)(const cfg_t *cfg);
    /* Assigns value number k, from 0 on, of the members that decide what happens, and returns true;
     * false where the list has ended. It assigns the same members for each k and reads none of
     * them, and the list has every value that they can have, at the start and later. While they are
     * unknown the frame runs each value by itself. At most 1,024 values, of 32 numbers each and of
     * 8,192 in all. Of a model with RAMS each runs without them. */
    bool (*follow)(const cfg_t *cfg, state_t *st, uint32_t k);
    /* Before the edge of a cycle, while state is unknown: assigns supposition number k, from 0 on,
     * of members that decide what the cycle does, and returns true; false where the list has ended.
     * It assigns the same members for each k, and the list has every value that they may have. Each
     * that is possible is an outcome. */
    bool (*suppose)(const cfg_t *cfg, state_t *st, const in_t *in, uint32_t k);
    /* State that no reset and no edge has set is unknown. */
    bool unknown_start;
} own_calls;

static const own_calls own;
#ifdef CYCLE
typedef CYCLE cycle_t;
static void see(const cfg_t *cfg, const state_t *st, const in_t *in, cycle_t *c);
static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, const cycle_t *c,
                    out_t *out, care_t *care);
static void edge(const cfg_t *cfg, state_t *st, const in_t *in, const cycle_t *c);
#define SEE     see
#define OUTPUTS outputs
#define EDGE    edge
#else
typedef char cycle_t; /* never read */
static void outputs(const cfg_t *cfg, const state_t *st, const in_t *in, out_t *out, care_t *care);
static void edge(const cfg_t *cfg, state_t *st, const in_t *in);
#define SEE(cfg, st, in, c)                ((void)(c))
#define OUTPUTS(cfg, st, in, c, out, care) ((void)(c), outputs(cfg, st, in, out, care))
#define EDGE(cfg, st, in, c)               ((void)(c), edge(cfg, st, in))
#endif
static void clear(const cfg_t *cfg, state_t *st);

#ifdef WLK_OWN_BLOCK
#include "frame/by_structs.h"
#else
#include "frame/by_views.h"
#endif

#endif
