/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the Muon document's issue stage, element by element; part of model.c. */
#ifndef WLK_ISSUE_X_VISIT_H
#define WLK_ISSUE_X_VISIT_H

#include <stdio.h>

static void visit_row(const cfg_t *cfg, const state_t *st, uint32_t row, wlk_state_visitor *visitor,
                      void *ctx) {
    const rs_state *rs = &st->reservStation;
    const uint64_t seen = bit_all(is_defined(st));
    const uint64_t placed = seen & bit_all(st->rows.placed >> row & 1u);
    const flop flops[] = {
        {"row.warp", rs->warp[row], seen, WLK_DECIMAL},
        {"row.pc", wlk_entry_get_pc(rs->entry[row]), seen, WLK_HEX},
        {"row.sources", wlk_entry_has_rs(rs->entry[row]), seen, WLK_HEX},
        {"row.rs1", rs->rs[0][row], seen, WLK_DECIMAL},
        {"row.rs2", rs->rs[1][row], seen, WLK_DECIMAL},
        {"row.rs3", rs->rs[2][row], seen, WLK_DECIMAL},
        {"row.opReady", rs_operands(rs->opReady, row), seen, WLK_HEX},
        {"row.busy", rs_operands(rs->busy, row), seen, WLK_HEX},
        {"row.collFired", rs_operands(rs->collFired, row), seen, WLK_HEX},
        {"row.hasEntry", st->rows.placed >> row & 1u, seen, WLK_DECIMAL},
    };
    const flop entry[] = {{"row.entry", st->rows.entry[row], placed, WLK_DECIMAL}};
    const flop slots[] = {
        {"row.slot1", st->rows.slot[0][row], placed, WLK_DECIMAL},
        {"row.slot2", st->rows.slot[1][row], placed, WLK_DECIMAL},
        {"row.slot3", st->rows.slot[2][row], placed, WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, (int32_t)row);
    if (cfg->collector == CX_CACHING) {
        VISIT_FLOPS(slots, (int32_t)row);
    } else {
        VISIT_FLOPS(entry, (int32_t)row);
    }
}

static void visit_stage(const state_t *st, uint32_t port, wlk_state_visitor *visitor, void *ctx) {
    const wlk_issue_x_stage *stage = &st->stage[port];
    const uint64_t seen = bit_all(is_defined(st)), known = bit_all(stage->known);
    const flop flops[] = {
        {"stage.full", stage->full, seen, WLK_DECIMAL},
        {"stage.last", set_lowest(stage->last), bit_all(set_is_single(stage->last)), WLK_DECIMAL},
        {"stage.pc", wlk_entry_get_pc(stage->words), known, WLK_HEX},
        {"stage.hasEntry", stage->placed, known, WLK_DECIMAL},
        {"stage.entry", stage->entry, known, WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, (int32_t)port);
}

static void visit_scoreboard(const cfg_t *cfg, const state_t *st, wlk_state_visitor *visitor,
                             void *ctx) {
    const wlk_issue_x_scoreboard *sb = &st->scoreboard;
    const uint64_t seen = bit_all(is_defined(st));
    for (uint32_t r = 1; r < cfg->num_pregs && seen != 0; r++) {
        const uint64_t written = bit_all(st->hazard.reset_seen | ix_bit(st->late.writes_known, r));
        const flop flops[] = {
            {"pendingReads", sb->pendingReads[ix_key(0, r)], seen, WLK_DECIMAL},
            {"pendingReads of epoch 1", sb->pendingReads[ix_key(1, r)], seen, WLK_DECIMAL},
            {"pendingWrites", sb->pendingWrites[r], written, WLK_DECIMAL},
            {"epoch", ix_bit(sb->epoch, r), seen, WLK_DECIMAL},
        };
        for (const flop *f = flops; f < flops + sizeof flops / sizeof *flops; f++) {
            if (f->value != 0 || f->known == 0) {
                visitor(ctx, f->name, (int32_t)r, &f->value, 1u, f->known, f->notation);
            }
        }
    }
}

static void visit_writes(const state_t *st, wlk_state_visitor *visitor, void *ctx) {
    for (uint32_t n = 0; n < st->n_writes; n++) {
        const flop flops[] = {
            {"stored.rd", st->writes[n].rd, ~UINT64_C(0), WLK_DECIMAL},
            {"stored.tmask", st->writes[n].mask, ~UINT64_C(0), WLK_HEX},
        };
        VISIT_FLOPS(flops, (int32_t)n);
    }
}

/* Puts the instance before the name. */
typedef struct named {
    wlk_state_visitor *visitor;
    void *ctx;
    bool slots; /* which registers they hold is not known */
} named;

static void visit_collector(void *ctx, const char *name, int32_t index, const uint64_t *words,
                            uint32_t n_words, uint64_t known, wlk_notation notation) {
    const named *n = (const named *)ctx;
    const bool hidden = n->slots && (strncmp(name, "tag", 3) == 0 || strcmp(name, "victim") == 0);
    char full[64];
    (void)snprintf(full, sizeof full, "collector.%s", name);
    n->visitor(n->ctx, full, index, words, n_words, hidden ? 0u : known, notation);
}

static void visit(const uint32_t *params, const void *state, wlk_state_visitor *visitor,
                  void *ctx) {
    const cfg_t *cfg = (const cfg_t *)params;
    const wlk_collector_x_cfg inner = inner_collector(cfg);
    const state_t *st = (const state_t *)state;
    const uint64_t seen = bit_all(is_defined(st));
    named n = {visitor, ctx, st->late.slots != 0};
    const flop flops[] = {
        {"hazard.last", set_lowest(st->hazard.last), bit_all(set_is_single(st->hazard.last)),
         WLK_DECIMAL},
        {"valid", st->reservStation.valid, seen, WLK_HEX},
        {"merged", st->merged, seen, WLK_DECIMAL},
        {"serving", st->serving, seen, WLK_DECIMAL},
    };
    VISIT_FLOPS(flops, -1);
    for (uint32_t left = st->reservStation.valid; left != 0; left &= left - 1u) {
        visit_row(cfg, st, set_lowest(left), visitor, ctx);
    }
    for (uint32_t p = 0; p < cfg->issue_ports; p++) {
        visit_stage(st, p, visitor, ctx);
    }
    visit_scoreboard(cfg, st, visitor, ctx);
    visit_writes(st, visitor, ctx);
    wlk_collector_x_block.visit((const uint32_t *)&inner, &st->collector, visit_collector, &n);
}

#endif
