// SPDX-License-Identifier: Apache-2.0
// The collector by structs, on top of the block that works on record words.
#include "warplock/collector.h"

#include <string.h>

enum {
    IN_WORDS = WLK_COLLECTOR_IN_CONTROL + WLK_COLLECTOR_ROW_WORDS,
    OUT_WORDS = WLK_COLLECTOR_OUT_CONTROL + 3 * WLK_COLLECTOR_ROW_WORDS
};

// A configuration is the array of its parameters.
_Static_assert(sizeof(wlk_collector_cfg) % sizeof(uint32_t) == 0, "configuration of words");

wlk_status wlk_collector_check(const wlk_collector_cfg *cfg, wlk_error *err) {
    return wlk_collector_block.check((const uint32_t *)cfg, err);
}

size_t wlk_collector_state_size(const wlk_collector_cfg *cfg) {
    return wlk_collector_block.state_size((const uint32_t *)cfg);
}

void wlk_collector_init(const wlk_collector_cfg *cfg, wlk_collector_state *state,
                        wlk_power_up power_up) {
    wlk_collector_block.init((const uint32_t *)cfg, state, power_up);
}

void wlk_collector_eval(const wlk_collector_cfg *cfg, const wlk_collector_state *state,
                        const wlk_collector_in *in, wlk_collector_out *out,
                        wlk_collector_out *care) {
    uint64_t in_words[IN_WORDS], out_words[OUT_WORDS], care_words[OUT_WORDS];
    wlk_collector_in_pack(cfg, in, in_words);
    wlk_collector_block.eval((const uint32_t *)cfg, state, in_words, out_words, care_words);
    wlk_collector_out_unpack(cfg, out_words, out);
    wlk_collector_out_unpack(cfg, care_words, care);
}

uint32_t wlk_collector_tick(const wlk_collector_cfg *cfg, wlk_collector_state *state,
                            const wlk_collector_in *in) {
    uint64_t in_words[IN_WORDS];
    wlk_step_info info;
    wlk_collector_in_pack(cfg, in, in_words);
    wlk_collector_block.tick((const uint32_t *)cfg, state, in_words, &info);
    return info.violated;
}
