// SPDX-License-Identifier: Apache-2.0
// Handles of models in place of RTL, and of predictors: each against the model itself.
#include "check.h"
#include "rig.h"
#include "warplock/candidates.h"
#include "warplock/model.h"

enum { CYCLES = 400, RESET_CYCLES = 3, MANY = 60 };

static const struct subject {
    const char *block, *settings;
} SUBJECTS[] = {
    {"collector", "num_lanes=2 num_pregs=16"},
    {"collector_x", ""},
    {"compactor", ""},
    {"dispatch_basic", ""},
    {"dispatch_compacting", ""},
    {"hazard", "num_warps=3"},
    {"issue", "num_warps=2 num_lanes=2 num_pregs=16 rs_entries=4"},
    {"issue_x", ""},
    {"opndcoll", ""},
    {"reservation_station", ""},
    {"scoreboard", "num_pregs=16"},
    {"vortex_opc_unit", ""},
    {"vortex_operands", ""},
    {"vortex_scoreboard", ""},
};

typedef unsigned long long word;

// The model itself, and a handle that must do the same.
static struct {
    rig r;
    void *model;
    uint64_t *out, *care; // of the handle
    uint64_t *shown;      // and what it shows
    int turn;
} s;

static void *handle_for(const rig *r, word power_up) {
    void *model = wlk_model_open(WLK_ABI_VERSION, r->block->table->schema_hash, "test");
    for (uint32_t i = 0; i < r->block->table->n_params; i++) {
        wlk_model_param(model, i, r->cfg[i]);
    }
    CHECK(wlk_model_start(model, power_up) == 0);
    return model;
}

static void open_subject(const struct subject *subject, wlk_power_up power_up) {
    memset(&s, 0, sizeof s);
    rig_open(&s.r, subject->block, subject->settings, power_up);
    rig_noise(&s.r, 7);
    s.model = handle_for(&s.r, power_up);
    s.out = rig_words(&s.r, s.r.layout.out_words);
    s.care = rig_words(&s.r, s.r.layout.out_words);
    s.shown = rig_words(&s.r, s.r.layout.out_words);
}

static void close_subject(void) {
    wlk_model_close(s.model);
    rig_close(&s.r);
}

static void put(void *model, word side, const uint64_t *words, uint32_t n) {
    for (uint32_t at = 0; at < n; at += WLK_MODEL_PIECE) {
        uint64_t w[WLK_MODEL_PIECE] = {0};
        memcpy(w, words + at, wlk_min(n - at, WLK_MODEL_PIECE) * sizeof *w);
        wlk_model_put(model, side, at, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
    }
}

static void get(void *model, word side, uint64_t *words, uint32_t n) {
    for (uint32_t at = 0; at < n; at += WLK_MODEL_PIECE) {
        word w[WLK_MODEL_PIECE];
        wlk_model_get(model, side, at, &w[0], &w[1], &w[2], &w[3], &w[4], &w[5], &w[6], &w[7]);
        for (uint32_t i = 0; i < WLK_MODEL_PIECE && at + i < n; i++) {
            words[at + i] = w[i];
        }
    }
}

static void put_inputs(void *model) {
    put(model, WLK_MODEL_IN, s.r.in, s.r.layout.in_words);
}

static void get_outputs(void *model) {
    get(model, WLK_MODEL_OUT, s.out, s.r.layout.out_words);
    get(model, WLK_MODEL_CARE, s.care, s.r.layout.out_words);
}

static bool same(const uint64_t *a, const uint64_t *b) {
    return memcmp(a, b, s.r.layout.out_words * sizeof *a) == 0;
}

static uint64_t bits(const uint64_t *words) {
    uint64_t n = 0;
    for (uint32_t w = 0; w < s.r.layout.out_words; w++) {
        n += (uint64_t)__builtin_popcountll(words[w] & s.r.all[w]);
    }
    return n;
}

static void next_inputs(uint32_t cycle) {
    rig_next_noise(&s.r, s.r.state, cycle < RESET_CYCLES);
}

/* ---- in place of RTL ---- */

static void module_cycle(word version) {
    uint64_t *before = rig_words(&s.r, s.r.layout.out_words);
    put_inputs(s.model);
    s.r.block->eval(s.r.cfg, s.r.state, s.r.in, s.r.out, s.r.care);
    for (uint32_t w = 0; w < s.r.layout.out_words; w++) {
        before[w] = s.r.out[w];
    }
    const int turn = wlk_model_eval(s.model, version);
    CHECK((turn != s.turn) == !same(s.r.out, s.shown)); // as often as it is asked
    CHECK(wlk_model_eval(s.model, version) == turn);
    wlk_model_show(s.model);
    CHECK(wlk_model_eval(s.model, version) == turn);
    get_outputs(s.model);
    CHECK_MSG(same(s.out, s.r.out), "%s", s.r.block->table->name);
    memcpy(s.shown, s.out, s.r.layout.out_words * sizeof *s.out);
    s.turn = turn;
    wlk_model_tick(s.model, version);
    (void)wlk_model_eval(s.model, version); // the module's register has not changed yet
    get_outputs(s.model);
    CHECK_MSG(same(s.out, before), "%s before the edge", s.r.block->table->name);
    s.r.block->tick(s.r.cfg, s.r.state, s.r.in, &s.r.info);
    s.r.n_memory--;
    free(before);
}

CASE(module_shows_what_the_model_shows) {
    for (uint32_t i = 0; i < COUNT(SUBJECTS); i++) {
        open_subject(&SUBJECTS[i], WLK_POWER_ZERO);
        for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
            next_inputs(cycle);
            module_cycle(cycle + 1u);
        }
        close_subject();
    }
}

// As with registers: of two edges at a time the last one counts.
CASE(module_takes_one_edge_a_version) {
    open_subject(&SUBJECTS[0], WLK_POWER_ZERO);
    for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
        for (uint32_t edge = 0; edge < 2; edge++) {
            next_inputs(cycle);
            put_inputs(s.model);
            wlk_model_tick(s.model, cycle + 1u);
        }
        rig_record(&s.r);
        s.r.block->eval(s.r.cfg, s.r.state, s.r.in, s.r.out, s.r.care);
        (void)wlk_model_eval(s.model, cycle + 2u);
        get_outputs(s.model);
        CHECK(same(s.out, s.r.out));
    }
    close_subject();
}

/* ---- predictors ---- */

// What is known is what a record of the same cycles has.
static void predict_like_records(const struct subject *subject) {
    wlk_candidates all;
    uint64_t known = 0;
    open_subject(subject, WLK_POWER_UNKNOWN);
    uint64_t *more = rig_words(&s.r, 2u * (size_t)s.r.layout.out_words);
    REQUIRE(wlk_candidates_open(&all, s.r.block, s.r.cfg) == WLK_OK, "no memory");
    wlk_candidates_init(&all, WLK_POWER_UNKNOWN);
    for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
        const bool reset_seen = cycle > 0 || s.r.block->table->reset < 0;
        next_inputs(cycle);
        put_inputs(s.model);
        for (uint32_t again = 0; again < 2; again++) { // the second time changes nothing
            CHECK(wlk_predict_eval(s.model) == 0);
        }
        get_outputs(s.model);
        wlk_candidates_record(&all, s.r.in, s.r.out, s.r.care, s.r.layout.out_words, more,
                              &s.r.info);
        unsigned broken = 99;
        CHECK(wlk_predict_tick(s.model, &broken) == 0);
        CHECK(broken == s.r.info.violated);
        for (uint32_t w = 0; w < s.r.layout.out_words; w++) {
            CHECK(s.care[w] == (reset_seen ? s.r.care[w] : 0u));
            CHECK(s.out[w] == (s.r.out[w] & s.care[w]));
        }
        known += bits(s.care);
        s.r.block->tick(s.r.cfg, s.r.state, s.r.in, &s.r.info); // the stimulus looks at it
    }
    CHECK_MSG(known > bits(s.r.all) * CYCLES / 8u, "%s: %llu", subject->block, (word)known);
    wlk_candidates_close(&all);
    close_subject();
}

CASE(predictor_knows_what_records_know) {
    for (uint32_t i = 0; i < COUNT(SUBJECTS); i++) {
        predict_like_records(&SUBJECTS[i]);
    }
}

static void predict(void *model, const uint64_t *in, uint64_t *out) {
    put(model, WLK_MODEL_IN, in, s.r.layout.in_words);
    CHECK(wlk_predict_eval(model) == 0);
    get(model, WLK_MODEL_OUT, out, s.r.layout.out_words);
    unsigned broken = 0;
    CHECK(wlk_predict_tick(model, &broken) == 0);
}

CASE(snapshot_gives_the_same_again) {
    for (uint32_t i = 0; i < COUNT(SUBJECTS); i++) {
        void *taken = NULL;
        open_subject(&SUBJECTS[i], WLK_POWER_UNKNOWN);
        const size_t in = s.r.layout.in_words, out = s.r.layout.out_words;
        uint64_t *inputs = rig_words(&s.r, in * MANY), *first = rig_words(&s.r, out * MANY);
        void *other = handle_for(&s.r, WLK_POWER_UNKNOWN); // which has seen no reset
        for (uint32_t cycle = 0; cycle < 2u * MANY; cycle++) {
            next_inputs(cycle);
            taken = cycle == MANY ? wlk_predict_snapshot(s.model) : taken;
            predict(s.model, s.r.in, s.out);
            if (cycle >= MANY) {
                memcpy(inputs + (cycle - MANY) * in, s.r.in, in * sizeof *inputs);
                memcpy(first + (cycle - MANY) * out, s.out, out * sizeof *first);
            }
            s.r.block->tick(s.r.cfg, s.r.state, s.r.in, &s.r.info);
        }
        void *const models[] = {s.model, other, s.model};
        for (uint32_t m = 0; m < COUNT(models); m++) {
            CHECK(wlk_predict_restore(models[m], taken) == 0);
            for (uint32_t cycle = 0; cycle < MANY; cycle++) {
                predict(models[m], inputs + cycle * in, s.out);
                CHECK_MSG(same(s.out, first + cycle * out), "%s", SUBJECTS[i].block);
            }
        }
        wlk_predict_release(taken);
        wlk_model_close(other);
        close_subject();
    }
}

// A stage whose arbiters' state is unknown: told what the design shows, it knows more, all of it
// right; told what no state can show, it says so.
CASE(settle_drops_what_is_contradicted) {
    const struct subject hazard = {"hazard", "num_warps=4 num_lanes=1 num_pregs=16"};
    uint64_t told = 0, alone = 0;
    open_subject(&hazard, WLK_POWER_UNKNOWN);
    void *guess = handle_for(&s.r, WLK_POWER_UNKNOWN);
    s.r.block->init(s.r.cfg, s.r.state, WLK_POWER_ZERO); // the design
    for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
        next_inputs(cycle);
        predict(guess, s.r.in, s.out);
        get(guess, WLK_MODEL_CARE, s.care, s.r.layout.out_words);
        alone += bits(s.care);
        rig_record(&s.r);
        put_inputs(s.model);
        put(s.model, WLK_MODEL_GOT, s.r.out, s.r.layout.out_words);
        put(s.model, WLK_MODEL_THERE, s.r.all, s.r.layout.out_words);
        CHECK(wlk_predict_settle(s.model) == 1);
        predict(s.model, s.r.in, s.out);
        get(s.model, WLK_MODEL_CARE, s.care, s.r.layout.out_words);
        for (uint32_t w = 0; w < s.r.layout.out_words; w++) {
            CHECK(((s.out[w] ^ s.r.out[w]) & s.care[w] & s.r.care[w]) == 0);
            s.out[w] = ~s.r.out[w];
        }
        told += bits(s.care);
    }
    CHECK_MSG(told > alone, "%llu, %llu", (word)told, (word)alone);
    put(s.model, WLK_MODEL_GOT, s.out, s.r.layout.out_words);
    CHECK(wlk_predict_settle(s.model) == 0);
    CHECK(wlk_predict_eval(s.model) == 0);
    wlk_model_close(guess);
    close_subject();
}

/* ---- wrong uses ---- */

CASE(wrong_versions_and_parameters_are_refused) {
    open_subject(&SUBJECTS[0], WLK_POWER_ZERO);
    const word schema = s.r.block->table->schema_hash;
    CHECK(wlk_model_open(WLK_ABI_VERSION + 1u, schema, "other ABI") == NULL);
    CHECK(wlk_model_open(WLK_ABI_VERSION, schema + 1u, "other schema") == NULL);
    void *model = wlk_model_open(WLK_ABI_VERSION, schema, "too few");
    CHECK(wlk_model_start(model, WLK_POWER_ZERO) == WLK_BAD_PARAMS);
    for (uint32_t i = 0; i < s.r.block->table->n_params; i++) {
        wlk_model_param(model, i, 1234567u);
    }
    CHECK(wlk_model_start(model, WLK_POWER_ZERO) == WLK_BAD_CONFIG);
    CHECK(wlk_predict_eval(model) != 0);
    wlk_model_close(model);
    CHECK(wlk_model_start(NULL, WLK_POWER_ZERO) != 0);
    close_subject();
}

CASE(handles_of_another_kind_do_nothing) {
    open_subject(&SUBJECTS[0], WLK_POWER_ZERO);
    void *taken = wlk_predict_snapshot(s.model);
    void *const wrong[] = {NULL, taken};
    for (uint32_t i = 0; i < COUNT(wrong); i++) {
        word w[WLK_MODEL_PIECE] = {1, 2, 3};
        wlk_model_put(wrong[i], WLK_MODEL_IN, 0, 1, 1, 1, 1, 1, 1, 1, 1);
        CHECK(wlk_model_eval(wrong[i], 1) == 0);
        wlk_model_show(wrong[i]);
        wlk_model_tick(wrong[i], 1);
        wlk_model_get(wrong[i], WLK_MODEL_OUT, 0, &w[0], &w[1], &w[2], &w[3], &w[4], &w[5], &w[6],
                      &w[7]);
        CHECK(w[0] == 0 && w[1] == 0 && w[2] == 0);
        unsigned broken = 99;
        CHECK(wlk_predict_eval(wrong[i]) != 0);
        CHECK(wlk_predict_tick(wrong[i], &broken) != 0 && broken == 0);
        CHECK(wlk_predict_settle(wrong[i]) == 0);
        CHECK(wlk_predict_snapshot(wrong[i]) == NULL);
        CHECK(wlk_predict_restore(wrong[i], taken) != 0);
        wlk_model_close(wrong[i]);
    }
    CHECK(wlk_predict_restore(s.model, s.model) != 0);
    CHECK(wlk_predict_restore(s.model, NULL) != 0);
    CHECK(wlk_predict_restore(s.model, taken) == 0);
    wlk_predict_release(s.model); // no snapshot: it lives on
    CHECK(wlk_predict_eval(s.model) == 0);
    wlk_predict_release(taken);
    close_subject();
}

CASE(snapshots_of_other_parameters_are_refused) {
    const struct subject larger = {"collector", "num_lanes=4 num_pregs=16"};
    open_subject(&larger, WLK_POWER_ZERO);
    void *taken = wlk_predict_snapshot(s.model);
    close_subject();
    open_subject(&SUBJECTS[0], WLK_POWER_ZERO);
    CHECK(wlk_predict_restore(s.model, taken) == WLK_BAD_PARAMS);
    wlk_predict_release(taken);
    close_subject();
}

int main(void) {
    return check_cases();
}
