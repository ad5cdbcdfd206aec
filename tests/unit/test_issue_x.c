// SPDX-License-Identifier: Apache-2.0
// By default `issue_x` is the stage that exists as RTL (muon-designs §1): the ports that it shares
// with `issue` are equal in every cycle, for the stimulus of `issue` and for noise.
#include "rig.h"

enum { CYCLES = 20000, SLOW = 2000 };

// The ports of the second rig that have the name of one of the first, or NULL, by the first's.
static const wlk_port **shared(rig *a, const rig *b) {
    const wlk_port **same = rig_words(a, a->layout.n_ports);
    for (uint32_t i = 0; i < a->layout.n_ports; i++) {
        for (uint32_t j = 0; j < b->layout.n_ports; j++) {
            if (strcmp(a->ports[i].name, b->ports[j].name) == 0 &&
                a->ports[i].present == b->ports[j].present) {
                same[i] = &b->ports[j];
            }
        }
        REQUIRE(same[i] != NULL, "issue_x has no %s", a->ports[i].name);
    }
    return same;
}

static void take_inputs(const rig *a, rig *b, const wlk_port **same) {
    rig_idle(b);
    for (uint32_t i = 0; i < a->layout.n_ports; i++) {
        if (!a->ports[i].is_out) {
            wlk_port_set(same[i], b->in, wlk_port_get(&a->ports[i], a->in));
        }
    }
}

// Value and care of every output of the first.
static bool equal(const rig *a, const rig *b, const wlk_port **same, uint32_t cycle) {
    for (uint32_t i = 0; i < a->layout.n_ports; i++) {
        const wlk_port *p = &a->ports[i], *q = same[i];
        if (!p->is_out || !p->present) {
            continue;
        }
        const uint64_t care[2] = {wlk_port_get(p, a->care), wlk_port_get(q, b->care)};
        const uint64_t value[2] = {wlk_port_get(p, a->out), wlk_port_get(q, b->out)};
        if (!CHECK_MSG(care[0] == care[1] && ((value[0] ^ value[1]) & care[0]) == 0,
                       "cycle %u: %s: %llx, care %llx; issue_x %llx, care %llx", cycle, p->name,
                       (unsigned long long)value[0], (unsigned long long)care[0],
                       (unsigned long long)value[1], (unsigned long long)care[1])) {
            return false;
        }
    }
    return true;
}

// Both with these settings and that many entries, and zeros at power-up.
static void run(const char *settings, uint32_t entries, const char *profile, uint32_t cycles) {
    char text[RIG_TEXT];
    rig a, b;
    (void)snprintf(text, sizeof text, "%s coll_entries=%u", settings, entries);
    rig_open(&a, "issue", text, WLK_POWER_ZERO);
    (void)snprintf(text, sizeof text, "%s coll_depth=%u", settings, entries);
    rig_open(&b, "issue_x", text, WLK_POWER_ZERO);
    const wlk_port **same = shared(&a, &b);
    if (profile != NULL) {
        rig_stimulus(&a, 7, profile);
    } else {
        rig_noise(&a, 7);
    }
    for (uint32_t cycle = 0; cycle < cycles; cycle++) {
        rig_next(&a, a.state);
        take_inputs(&a, &b, same);
        rig_record(&a);
        rig_record(&b);
        if (!equal(&a, &b, same, cycle)) {
            break;
        }
        // What `issue` takes in any case must be taken here too.
        CHECK(rig_get(&b, "writeback_ready") || !a.care[0]);
    }
    rig_close(&a);
    rig_close(&b);
}

CASE(default_equals_issue) {
    run("num_warps=8", 2, "mix", SLOW);
    run("num_warps=4 num_lanes=2 num_pregs=32 rs_entries=4 max_pending_reads=3", 2, "mix", CYCLES);
}

CASE(sizes_equal_issue) {
    run("num_warps=3 num_lanes=2 num_pregs=32 rs_entries=1", 1, "mix", CYCLES);
    run("num_warps=4 num_lanes=4 num_pregs=64 rs_entries=32 reg_banks=4 forward_coll_issue=0", 4,
        "mix", CYCLES);
    run("num_warps=3 num_lanes=1 num_pregs=16 rs_entries=8 in_order_per_warp=1", 3, "mix", CYCLES);
}

CASE(stray_equals_issue) {
    run("num_warps=4 num_lanes=2 num_pregs=16 rs_entries=4", 2, "stray", CYCLES);
    run("num_warps=4 num_lanes=2 num_pregs=8 rs_entries=4", 2, NULL, CYCLES);
}

int main(void) {
    return check_cases();
}
