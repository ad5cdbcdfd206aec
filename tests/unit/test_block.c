// SPDX-License-Identifier: Apache-2.0
// Configurations, and the places of ports in a record.
#include "check.h"
#include "warplock/block.h"
#include "warplock/stimulus.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PORTS = 32768, MAX_WORDS = 16384, CONFIGURATIONS = 400 };

static wlk_port ports[MAX_PORTS];

/* ---- configurations ---- */

CASE(config_set_answers) {
    static const struct {
        const char *key, *value;
        wlk_status status;
        const char *message; // part of the message
    } cases[] = {
        {"num_lanes", "64", WLK_OK, ""},
        {"num_lanes", "0x10", WLK_OK, ""},
        {"num_lanes", "0", WLK_BAD_CONFIG, "num_lanes=1..64"},
        {"num_lanes", "65", WLK_BAD_CONFIG, "num_lanes=65 is not legal"},
        {"num_lanes", "-1", WLK_BAD_CONFIG, "num_lanes=-1"},
        {"num_lanes", "", WLK_BAD_CONFIG, "num_lanes= is"},
        {"num_lanes", "8x", WLK_BAD_CONFIG, "num_lanes=8x"},
        {"num_lanes", " 8", WLK_BAD_CONFIG, "num_lanes= 8"},
        {"num_lanes", "4294967304", WLK_BAD_CONFIG, "num_lanes=4294967304"},
        {"num_pregs", "1024", WLK_OK, ""},
        {"num_pregs", "100", WLK_BAD_CONFIG, "2, 4, 8"},
        {"lane_bits", "48", WLK_BAD_CONFIG, "32, 64"},
        {"bank_select", "modulo", WLK_OK, ""},
        {"bank_select", "lower", WLK_BAD_CONFIG, "upper | modulo"},
        {"bank_select", "1", WLK_BAD_CONFIG, "upper | modulo"},
        {"lanes", "4", WLK_BAD_CONFIG, "no parameter 'lanes'"},
    };
    const wlk_table *table = wlk_block_find("collector")->table;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t cfg[WLK_MAX_PARAMS], before[WLK_MAX_PARAMS];
        wlk_error err = {WLK_OK, ""};
        wlk_config_defaults(table, cfg);
        memcpy(before, cfg, sizeof before);
        const wlk_status status = wlk_config_set(table, cfg, cases[i].key, cases[i].value, &err);
        CHECK_MSG(status == cases[i].status && err.status == status, "case %zu: %d", i, status);
        CHECK_MSG(strstr(err.text, cases[i].message) != NULL, "case %zu: %s", i, err.text);
        if (status != WLK_OK) {
            CHECK(memcmp(before, cfg, table->n_params * sizeof *cfg) == 0);
        }
    }
}

CASE(config_set_stores) {
    const wlk_table *table = wlk_block_find("collector")->table;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_error err;
    wlk_config_defaults(table, cfg);
    CHECK(wlk_config_set(table, cfg, "read_during_write", "undefined", &err) == WLK_OK);
    for (uint32_t i = 0; i < table->n_params; i++) {
        const bool set = strcmp(table->params[i].name, "read_during_write") == 0;
        CHECK(cfg[i] == (set ? 2u : table->params[i].default_value));
    }
    CHECK(wlk_config_set(table, cfg, "num_lanes", "99", NULL) == WLK_BAD_CONFIG);
}

CASE(config_check_names_the_value) {
    const wlk_table *table = wlk_block_find("collector")->table;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_error err;
    wlk_config_defaults(table, cfg);
    CHECK(wlk_config_check(table, cfg, &err) == WLK_OK);
    cfg[3] = 77;
    CHECK(wlk_config_check(table, cfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "num_pregs=77") != NULL, "%s", err.text);
}

/* ---- records ---- */

static void random_config(const wlk_table *table, uint64_t *random, uint32_t *cfg) {
    for (uint32_t i = 0; i < table->n_params; i++) {
        const wlk_param *p = &table->params[i];
        cfg[i] = p->legal[wlk_random(random) % p->n_legal];
    }
}

// Inside its record and its part of it, apart from all others, named once.
static void port_is_well_placed(const wlk_layout *l, uint32_t i, uint64_t *taken[2]) {
    const wlk_port *p = &ports[i];
    const uint32_t control = p->is_out ? l->out_control : l->in_control;
    const uint32_t words = p->is_out ? l->out_words : l->in_words;
    const uint64_t mask = wlk_mask(p->width) << p->lsb;
    CHECK_MSG(p->width >= 1 && p->width <= 64 && p->lsb + p->width <= 64, "%s", p->name);
    CHECK_MSG(p->lane < 0 ? p->word < control : p->word >= control && p->word < words, "%s",
              p->name);
    if (p->word < words) {
        CHECK_MSG((taken[p->is_out][p->word] & mask) == 0, "%s overlaps", p->name);
        taken[p->is_out][p->word] |= mask;
    }
    CHECK_MSG(strlen(p->name) + 1 < WLK_MAX_NAME, "%s", p->name);
}

static void payloads_are_well_placed(const wlk_layout *l) {
    uint32_t at = l->in_control;
    for (uint32_t i = 0; i < l->n_in_payloads; i++) {
        CHECK(l->in_payload[i].word == at);
        at += l->in_payload[i].words;
    }
    CHECK(at == l->in_words);
    at = l->out_control;
    for (uint32_t i = 0; i < l->n_out_payloads; i++) {
        CHECK(l->out_payload[i].word == at);
        at += l->out_payload[i].words;
    }
    CHECK(at == l->out_words);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const wlk_port *)a)->name, ((const wlk_port *)b)->name);
}

static void layout_holds_every_port(const wlk_table *table, const uint32_t *cfg) {
    static uint64_t in[MAX_WORDS], out[MAX_WORDS];
    uint64_t *taken[2] = {in, out};
    wlk_layout l;
    table->layout(cfg, &l);
    const uint32_t n = table->ports(cfg, NULL, ports, MAX_PORTS);
    if (!CHECK(n == l.n_ports && n <= MAX_PORTS) ||
        !CHECK(l.in_words <= MAX_WORDS && l.out_words <= MAX_WORDS)) {
        return;
    }
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    for (uint32_t i = 0; i < n; i++) {
        port_is_well_placed(&l, i, taken);
    }
    payloads_are_well_placed(&l);
    qsort(ports, n, sizeof *ports, by_name);
    for (uint32_t i = 1; i < n; i++) {
        CHECK_MSG(strcmp(ports[i - 1].name, ports[i].name) != 0, "%s", ports[i].name);
    }
}

static void layouts_of_random_configurations(const char *name) {
    const wlk_table *table = wlk_block_find(name)->table;
    uint64_t random = 1;
    for (uint32_t i = 0; i < CONFIGURATIONS; i++) {
        uint32_t cfg[WLK_MAX_PARAMS];
        random_config(table, &random, cfg);
        layout_holds_every_port(table, cfg);
    }
}

CASE(ports_stops_at_capacity) {
    const wlk_table *table = wlk_block_find("collector")->table;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_config_defaults(table, cfg);
    const uint32_t n = table->ports(cfg, NULL, NULL, 0);
    memset(ports, 0, sizeof ports);
    CHECK(table->ports(cfg, NULL, ports, 3) == n);
    CHECK(strcmp(ports[0].name, "reset") == 0 && ports[3].name[0] == '\0');
}

CASE(port_value_keeps_its_neighbours) {
    for (uint32_t lsb = 0; lsb < 64; lsb += 7) {
        for (uint32_t width = 1; lsb + width <= 64; width++) {
            const wlk_port port = {.word = 1, .lsb = (uint8_t)lsb, .width = (uint8_t)width};
            uint64_t words[3] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
            const uint64_t value = UINT64_C(0xa5a5a5a5a5a5a5a5) & wlk_mask(width);
            wlk_port_set(&port, words, ~UINT64_C(0x5a5a5a5a5a5a5a5a));
            CHECK(wlk_port_get(&port, words) == value);
            CHECK(words[0] == ~UINT64_C(0) && words[2] == ~UINT64_C(0));
            CHECK((words[1] | wlk_mask(width) << lsb) == ~UINT64_C(0));
        }
    }
}

/* ---- small functions ---- */

CASE(widths_of_counts) {
    static const struct {
        uint32_t n, clog2, idw;
    } cases[] = {{0, 0, 1},
                 {1, 0, 1},
                 {2, 1, 1},
                 {3, 2, 2},
                 {4, 2, 2},
                 {5, 3, 3},
                 {32, 5, 5},
                 {33, 6, 6},
                 {1024, 10, 10},
                 {1025, 11, 11},
                 {UINT32_MAX, 32, 32},
                 {1u << 31, 31, 31}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_MSG(wlk_clog2(cases[i].n) == cases[i].clog2, "clog2(%u)", cases[i].n);
        CHECK_MSG(wlk_idw(cases[i].n) == cases[i].idw, "idw(%u)", cases[i].n);
    }
    CHECK(wlk_mask(0) == 0 && wlk_mask(1) == 1 && wlk_mask(63) == UINT64_MAX >> 1);
    CHECK(wlk_mask(64) == UINT64_MAX);
    CHECK(wlk_min(3, 4) == 3 && wlk_min(4, 3) == 3);
}

CASE(blocks_are_listed) {
    uint32_t n = 0;
    for (; wlk_block_name(n) != NULL; n++) {
        const wlk_block *block = wlk_block_find(wlk_block_name(n));
        CHECK(block != NULL);
        if (block != NULL) {
            CHECK(strcmp(block->table->name, wlk_block_name(n)) == 0);
            layouts_of_random_configurations(block->table->name);
        }
    }
    CHECK(n > 0);
}

CASE(statuses_have_names) {
    CHECK(strcmp(wlk_status_name(WLK_OK), "PASS") == 0);
    CHECK(strcmp(wlk_status_name(WLK_TIMING_DIVERGENCE), "TIMING_DIVERGENCE") == 0);
    for (int i = 0; i <= WLK_SIMULATOR; i++) {
        CHECK_MSG(strcmp(wlk_status_name((wlk_status)i), "UNKNOWN") != 0, "%d", i);
    }
}

CASE(error_cuts_what_is_too_long) {
    wlk_error err;
    char text[1024];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    CHECK(wlk_fail(&err, WLK_USAGE, "%s", text) == WLK_USAGE);
    CHECK(strlen(err.text) == sizeof err.text - 1 && err.status == WLK_USAGE);
    CHECK(wlk_fail(NULL, WLK_USAGE, "%s", text) == WLK_USAGE);
}

CASE(compactor_member_beyond_its_words_is_left_out) {
    const wlk_member list[] = {
        {.name = "pc", .word = 6, .lsb = 24, .width = 40},
        {.name = "word_7", .word = 7, .width = 1},
        {.name = "bit_64", .word = 0, .lsb = 60, .width = 5},
    };
    const wlk_members members = {list, 3};
    uint32_t cfg[WLK_MAX_PARAMS], opaque = 0;
    const wlk_table *table = wlk_block_find("compactor")->table;
    wlk_config_defaults(table, cfg);
    CHECK(wlk_config_set(table, cfg, "n", "4", NULL) == WLK_OK);
    CHECK(wlk_config_set(table, cfg, "k", "2", NULL) == WLK_OK);
    const uint32_t n = table->ports(cfg, &members, ports, MAX_PORTS);
    for (uint32_t i = 0; i < n; i++) {
        opaque += table->fields[ports[i].field].is_opaque;
        CHECK_MSG(strstr(ports[i].name, "_7") == NULL && strstr(ports[i].name, "64") == NULL, "%s",
                  ports[i].name);
    }
    CHECK(opaque == 6); // pc of four inputs and two outputs
}

int main(void) {
    return check_cases();
}
