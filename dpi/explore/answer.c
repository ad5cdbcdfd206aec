// SPDX-License-Identifier: Apache-2.0
// Answers: an object a line.
#include "explore.h"

#include <stdio.h>

#include "warplock/json.h"

static const char *const end_names[] = {
    [EXPLORE_DONE] = "DONE",   [EXPLORE_REFUSED] = "REFUSED", [EXPLORE_HANG] = "HANG",
    [EXPLORE_LIMIT] = "LIMIT", [EXPLORE_ERROR] = "ERROR",     [EXPLORE_WRONG_VALUE] = "WRONG_VALUE",
};

enum { STALLS = 5, COUNTERS = 14 };
static const char *const stall_names[STALLS] = {"stallsWAW", "stallsWAR", "stallsScoreboard",
                                                "stallsHold", "stallsRoom"};
static const char *const counter_names[COUNTERS] = {
    "prfReads",          "prfConflicts",   "laneConflicts",    "noEntry",        "lostReads",
    "forwards",          "cacheLookups",   "cacheHits",        "wbStallsWAR",    "wbStallsFwd",
    "accEntryOccupancy", "accRsOccupancy", "cyclesDispatched", "cyclesEligible",
};

static void counters_of(const uint64_t *out, uint64_t *to) {
    const uint64_t values[COUNTERS] = {
        wlk_issue_x_out_get_perfDesign_prfReads(out),
        wlk_issue_x_out_get_perfDesign_prfConflicts(out),
        wlk_issue_x_out_get_perfDesign_laneConflicts(out),
        wlk_issue_x_out_get_perfDesign_noEntry(out),
        wlk_issue_x_out_get_perfDesign_lostReads(out),
        wlk_issue_x_out_get_perfDesign_forwards(out),
        wlk_issue_x_out_get_perfDesign_cacheLookups(out),
        wlk_issue_x_out_get_perfDesign_cacheHits(out),
        wlk_issue_x_out_get_perfDesign_wbStallsWAR(out),
        wlk_issue_x_out_get_perfDesign_wbStallsFwd(out),
        wlk_issue_x_out_get_perfDesign_accEntryOccupancy(out),
        wlk_issue_x_out_get_perfRS_accRsOccupancy(out),
        wlk_issue_x_out_get_perfRS_cyclesDispatched(out),
        wlk_issue_x_out_get_perfRS_cyclesEligible(out),
    };
    for (uint32_t i = 0; i < COUNTERS; i++) {
        to[i] = values[i];
    }
}

static void stalls_of(const uint64_t *out, uint32_t warp, uint64_t *to) {
    const uint64_t *of = wlk_issue_x_out_element(out, warp);
    to[0] = wlk_issue_x_out_get_perfHazard_stallsWAW(of);
    to[1] = wlk_issue_x_out_get_perfHazard_stallsWAR(of);
    to[2] = wlk_issue_x_out_get_perfHazard_stallsScoreboard(of);
    to[3] = wlk_issue_x_out_get_perfDesign_perWarp_stallsHold(of);
    to[4] = wlk_issue_x_out_get_perfDesign_perWarp_stallsRoom(of);
}

static void print_counters(const explore_run *r, wlk_json *j) {
    uint64_t counters[COUNTERS], stalls[STALLS], sums[STALLS] = {0};
    for (uint32_t w = 0; w < r->cfg->num_warps; w++) {
        stalls_of(r->out, w, stalls);
        for (uint32_t i = 0; i < STALLS; i++) {
            sums[i] += stalls[i];
        }
    }
    counters_of(r->out, counters);
    wlk_json_open(j, "counters", '{');
    wlk_json_numbers(j, counter_names, counters, COUNTERS);
    wlk_json_numbers(j, stall_names, sums, STALLS);
    wlk_json_close(j, '}');
}

static void print_warps(const explore_run *r, wlk_json *j) {
    wlk_json_open(j, "warps", '[');
    for (uint32_t w = 0; w < r->cfg->num_warps; w++) {
        uint64_t stalls[STALLS];
        stalls_of(r->out, w, stalls);
        wlk_json_open(j, NULL, '{');
        wlk_json_numbers(j, stall_names, stalls, STALLS);
        wlk_json_close(j, '}');
    }
    wlk_json_close(j, ']');
}

static void print_figures(const explore_run *r, wlk_json *j) {
    char ipc[32];
    (void)snprintf(ipc, sizeof ipc, "%.6f",
                   r->cycle != 0 ? (double)r->issued / (double)r->cycle : 0.0);
    wlk_json_number(j, "cycles", r->cycle);
    wlk_json_number(j, "issued", r->issued);
    wlk_json_number(j, "admitted", r->admitted);
    wlk_json_raw(j, "ipc", ipc);
    print_counters(r, j);
    print_warps(r, j);
}

void explore_answer_print(const explore_run *r, FILE *to) {
    wlk_json j = wlk_json_line(to);
    wlk_json_text(&j, "id", r->job->id);
    wlk_json_text(&j, "status", end_names[r->end]);
    wlk_json_text(&j, "message", r->end == EXPLORE_DONE ? "" : r->err.text);
    if (r->end != EXPLORE_REFUSED && r->end != EXPLORE_ERROR) {
        print_figures(r, &j);
    }
    if (r->end == EXPLORE_HANG) {
        explore_hang_print(r, &j);
    }
    wlk_json_line_end(&j);
}
