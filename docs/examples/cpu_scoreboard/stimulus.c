// SPDX-License-Identifier: Apache-2.0
// A result comes of an instruction that is on its way; in the drain, of each.
#include "cpu_scoreboard.h"

#include "legalise.h"

static void legalise(const cfg_t *cfg, const state_t *st, in_t *in, bool draining) {
    if (draining) {
        in->wb_valid_i = 1;
    }
    if (st->used == 0) {
        in->wb_valid_i = 0;
    }
    while (in->wb_valid_i && (st->used >> in->wb_tag_i & 1u) == 0) {
        in->wb_tag_i = (uint8_t)((in->wb_tag_i + 1u) % cfg->num_tags);
    }
}

WLK_LEGALISE(legalise);
