// SPDX-License-Identifier: Apache-2.0
// BOOM's dispatchers and Compactor, point by point, through their structs. Spec: boom-dispatch.
#include "check.h"
#include "warplock/compactor_ports.h"
#include "warplock/dispatch_basic_ports.h"
#include "warplock/dispatch_compacting_ports.h"

#include <string.h>

enum { INT = 1, MEM = 2, FP = 4 }; // v3

/* ---- the Compactor ---- */

static wlk_compactor_cfg ccfg;
static wlk_compactor_in cin;
static wlk_compactor_out cout, ccare;

static void compactor(uint32_t n, uint32_t k) {
    wlk_error err;
    wlk_config_defaults(&wlk_compactor_table, (uint32_t *)&ccfg);
    ccfg.n = n;
    ccfg.k = k;
    CHECK(wlk_compactor_check(&ccfg, &err) == WLK_OK);
    memset(&cin, 0, sizeof cin);
    for (uint32_t i = 0; i < n; i++) {
        cin.in[i].bits.payload[0] = 0x100u + i;
        cin.in[i].bits.payload[ccfg.payload_words - 1u] = 0x900u + i;
    }
}

// Valid inputs and ready outputs as sets, then what comes out.
static void compact(uint32_t valid, uint32_t ready) {
    for (uint32_t i = 0; i < ccfg.n; i++) {
        cin.in[i].valid = valid >> i & 1u;
    }
    for (uint32_t j = 0; j < ccfg.k; j++) {
        cin.out[j].ready = ready >> j & 1u;
    }
    wlk_compactor_eval(&ccfg, NULL, &cin, &cout, &ccare);
}

static uint32_t in_ready(void) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < ccfg.n; i++) {
        set |= (uint32_t)cout.in[i].ready << i;
    }
    return set;
}

static uint32_t out_valid(void) {
    uint32_t set = 0;
    for (uint32_t j = 0; j < ccfg.k; j++) {
        set |= (uint32_t)cout.out[j].valid << j;
    }
    return set;
}

// The input that output j shows, by both ends of its payload.
static bool shows(uint32_t j, uint32_t input) {
    const uint64_t *bits = cout.out[j].bits.payload;
    return bits[0] == 0x100u + input && bits[ccfg.payload_words - 1u] == 0x900u + input;
}

static void compactor_moves_valid_inputs_together(void) {
    compactor(4, 2);
    compact(0xa, 3); // inputs 1 and 3
    CHECK(out_valid() == 3 && shows(0, 1) && shows(1, 3));
    compact(0x8, 3);
    CHECK(out_valid() == 1 && shows(0, 3));
}

static void compactor_shows_zeros_without_an_input(void) {
    compactor(4, 2);
    compact(0x4, 3);
    CHECK(out_valid() == 1 && cout.out[1].bits.payload[0] == 0);
    CHECK(cout.out[1].bits.payload[ccfg.payload_words - 1u] == 0);
    CHECK(ccare.out[1].bits.payload[0] == ~UINT64_C(0)); // and is compared
}

static void compactor_pointer_moves_on_valid_not_on_fire(void) {
    compactor(4, 2);
    compact(0x3, 2); // output 0 is full: input 0 stays, input 1 goes on
    CHECK(out_valid() == 3 && shows(0, 0) && shows(1, 1));
    CHECK(in_ready() == 2);
}

static void compactor_full_output_blocks_its_input_only(void) {
    compactor(4, 3);
    compact(0xf, 5);
    CHECK(in_ready() == 5 && out_valid() == 7);
}

static void compactor_idle_input_has_the_ready_of_the_output_it_would_get(void) {
    compactor(4, 2);
    compact(0x0, 1);
    CHECK(in_ready() == 0xf);
    compact(0x1, 1);
    CHECK(in_ready() == 1); // the others would get output 1
    compact(0x1, 2);
    CHECK(in_ready() == 0xe);
}

static void compactor_nothing_is_ready_behind_the_last_output(void) {
    compactor(4, 2);
    compact(0x3, 3);
    CHECK(in_ready() == 3);
    compact(0x5, 3);
    CHECK(in_ready() == 7);
}

static void compactor_of_equal_size_is_wires(void) {
    compactor(3, 3);
    compact(0x4, 2);
    CHECK(out_valid() == 4 && in_ready() == 2);
    CHECK(shows(0, 0) && shows(1, 1) && shows(2, 2)); // valid or not
}

static void compactor_refuses_more_outputs_than_inputs(void) {
    wlk_error err;
    compactor(2, 2);
    ccfg.k = 3;
    CHECK(wlk_compactor_check(&ccfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "k=3 is more than n=2") != NULL, "%s", err.text);
    ccfg.k = 0;
    CHECK(wlk_compactor_check(&ccfg, &err) == WLK_BAD_CONFIG);
}

static void compactor_member_beyond_its_words_is_left_out(void) {
    const wlk_member list[] = {
        {.name = "pc", .word = 6, .lsb = 24, .width = 40},
        {.name = "word_7", .word = 7, .width = 1},
        {.name = "bit_64", .word = 0, .lsb = 60, .width = 5},
    };
    const wlk_members members = {list, 3};
    wlk_port ports[64];
    uint32_t opaque = 0;
    compactor(4, 2);
    const uint32_t n = wlk_compactor_table.ports((const uint32_t *)&ccfg, &members, ports, 64);
    for (uint32_t i = 0; i < n; i++) {
        opaque += wlk_compactor_table.fields[ports[i].field].is_opaque;
        CHECK_MSG(strstr(ports[i].name, "_7") == NULL && strstr(ports[i].name, "64") == NULL, "%s",
                  ports[i].name);
    }
    CHECK(opaque == 6u); // pc of four inputs and two outputs
}

/* ---- the dispatchers; core_width 3, queues MEM, INT, FP ---- */

static wlk_dispatch_basic_cfg bcfg;
static wlk_dispatch_basic_in bin;
static wlk_dispatch_basic_out bout, bcare;

static void basic(void) {
    wlk_error err;
    wlk_config_defaults(&wlk_dispatch_basic_table, (uint32_t *)&bcfg);
    CHECK(wlk_dispatch_basic_check(&bcfg, &err) == WLK_OK);
    memset(&bin, 0, sizeof bin);
    for (uint32_t w = 0; w < 3; w++) {
        bin.dis_uops_0[w].ready = bin.dis_uops_1[w].ready = bin.dis_uops_2[w].ready = 1;
        bin.ren_uops[w].bits.payload[0] = 0x700u + w;
    }
}

static void basic_look(void) {
    wlk_dispatch_basic_eval(&bcfg, NULL, &bin, &bout, &bcare);
}

static void basic_sends_a_uop_to_each_queue_of_its_target(void) {
    basic();
    bin.ren_uops[1].valid = 1;
    bin.ren_uops[1].bits.iq_type = MEM | FP;
    basic_look();
    CHECK(bout.dis_uops_0[1].valid == 1 && bout.dis_uops_2[1].valid == 1);
    CHECK(bout.dis_uops_1[1].valid == 0 && bout.dis_uops_0[0].valid == 0);
    CHECK(bout.ren_uops[1].ready == 1);
}

static void basic_shows_bits_whatever_valid_is(void) {
    basic();
    bin.ren_uops[2].bits.iq_type = 5;
    basic_look();
    CHECK(bout.dis_uops_1[2].valid == 0 && bout.dis_uops_1[2].bits.iq_type == 5);
    CHECK(bout.dis_uops_1[2].bits.payload[0] == 0x702);
}

static void basic_stalls_on_a_queue_that_the_uop_does_not_use(void) {
    basic();
    bin.ren_uops[0].valid = 1;
    bin.ren_uops[0].bits.iq_type = INT;
    bin.dis_uops_2[0].ready = 0;
    basic_look();
    CHECK(bout.dis_uops_1[0].valid == 1 && bout.ren_uops[0].ready == 0);
    CHECK(bout.ren_uops[1].ready == 1); // only its own position counts
}

static void basic_stalls_a_uop_for_no_queue_and_an_idle_position(void) {
    basic();
    bin.ren_uops[0].valid = 1;
    bin.dis_uops_1[0].ready = bin.dis_uops_1[2].ready = 0;
    basic_look();
    CHECK(bout.ren_uops[0].ready == 0 && bout.ren_uops[2].ready == 0);
}

static void basic_half_of_a_uop_leaves_while_the_other_waits(void) {
    basic();
    bin.ren_uops[0].valid = 1;
    bin.ren_uops[0].bits.iq_type = MEM | FP;
    bin.dis_uops_2[0].ready = 0;
    basic_look();
    CHECK(bout.dis_uops_0[0].valid == 1 && bin.dis_uops_0[0].ready == 1); // taken
    CHECK(bout.dis_uops_2[0].valid == 1 && bout.ren_uops[0].ready == 0);
}

static void basic_refuses_queues_of_another_width(void) {
    wlk_error err;
    basic();
    bcfg.queues_1_dispatch_width = 2;
    CHECK(wlk_dispatch_basic_check(&bcfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "entry 1 has dispatch_width 2, core_width is 3") != NULL, "%s",
              err.text);
    bcfg.queues_1_dispatch_width = 3;
    bcfg.queues_1_issue_width = 9; // nobody looks
    CHECK(wlk_dispatch_basic_check(&bcfg, &err) == WLK_OK);
}

static wlk_dispatch_compacting_cfg dcfg;
static wlk_dispatch_compacting_in din;
static wlk_dispatch_compacting_out dout, dcare;

// MEM:2, INT:1, FP:2.
static void compacting(void) {
    wlk_error err;
    wlk_config_defaults(&wlk_dispatch_compacting_table, (uint32_t *)&dcfg);
    CHECK(wlk_dispatch_compacting_check(&dcfg, &err) == WLK_OK);
    memset(&din, 0, sizeof din);
    din.dis_uops_0[0].ready = din.dis_uops_0[1].ready = 1;
    din.dis_uops_1[0].ready = 1;
    din.dis_uops_2[0].ready = din.dis_uops_2[1].ready = 1;
    for (uint32_t w = 0; w < 3; w++) {
        din.ren_uops[w].bits.payload[0] = 0x700u + w;
    }
}

static void uop(uint32_t w, uint8_t target) {
    din.ren_uops[w].valid = 1;
    din.ren_uops[w].bits.iq_type = target;
}

static void compacting_look(void) {
    wlk_dispatch_compacting_eval(&dcfg, NULL, &din, &dout, &dcare);
}

static uint32_t ren_ready(void) {
    return (uint32_t)dout.ren_uops[0].ready | (uint32_t)dout.ren_uops[1].ready << 1 |
           (uint32_t)dout.ren_uops[2].ready << 2;
}

static void compacting_packs_each_queue_by_itself(void) {
    compacting();
    uop(0, INT);
    uop(1, MEM);
    uop(2, MEM | FP);
    compacting_look();
    CHECK(dout.dis_uops_0[0].valid == 1 && dout.dis_uops_0[0].bits.payload[0] == 0x701);
    CHECK(dout.dis_uops_0[1].valid == 1 && dout.dis_uops_0[1].bits.payload[0] == 0x702);
    CHECK(dout.dis_uops_0[1].bits.iq_type == (MEM | FP));
    CHECK(dout.dis_uops_2[0].valid == 1 && dout.dis_uops_2[0].bits.payload[0] == 0x702);
    CHECK(dout.dis_uops_2[1].valid == 0 && dout.dis_uops_2[1].bits.payload[0] == 0);
    CHECK(ren_ready() == 7);
}

static void compacting_stalls_what_finds_no_place(void) {
    compacting();
    uop(0, INT);
    uop(1, INT);
    uop(2, FP);
    compacting_look();
    CHECK(ren_ready() == 5);
    CHECK(dout.dis_uops_1[0].bits.payload[0] == 0x700);
}

static void compacting_waits_only_for_its_own_queues(void) {
    compacting();
    uop(0, INT);
    din.dis_uops_0[0].ready = din.dis_uops_0[1].ready = 0;
    compacting_look();
    CHECK(ren_ready() == 7); // idle positions show no target
}

static void compacting_uop_for_no_queue_is_ready_and_appears_nowhere(void) {
    compacting();
    uop(1, 0);
    memset(din.dis_uops_0, 0, sizeof din.dis_uops_0);
    memset(din.dis_uops_1, 0, sizeof din.dis_uops_1);
    compacting_look();
    CHECK(ren_ready() == 7);
    CHECK(dout.dis_uops_0[0].valid == 0 && dout.dis_uops_1[0].valid == 0);
    CHECK(dout.dis_uops_2[0].valid == 0);
}

static void compacting_idle_ready_depends_on_the_stale_target(void) {
    compacting();
    din.dis_uops_1[0].ready = 0;
    din.ren_uops[2].bits.iq_type = INT; // not valid
    compacting_look();
    CHECK(ren_ready() == 3);
}

static void compacting_stalled_uop_keeps_its_place_elsewhere(void) {
    compacting();
    uop(0, MEM | INT);
    uop(1, MEM);
    din.dis_uops_1[0].ready = 0; // uop 0 waits for INT
    compacting_look();
    CHECK(dout.dis_uops_0[0].valid == 1 && dout.dis_uops_0[0].bits.payload[0] == 0x700);
    CHECK(dout.dis_uops_0[1].valid == 1 && dout.dis_uops_0[1].bits.payload[0] == 0x701);
    CHECK(ren_ready() == 6); // the younger one passes, and half of the older one is taken
}

static void compacting_type_of_several_bits_takes_any_of_them(void) {
    compacting();
    dcfg.queues_1_type = INT | FP;
    uop(0, FP);
    compacting_look();
    CHECK(dout.dis_uops_1[0].valid == 1 && dout.dis_uops_2[0].valid == 1);
    dcfg.queues_1_type = 8; // of no bit that there is
    din.ren_uops[0].bits.iq_type = 7;
    compacting_look();
    CHECK(dout.dis_uops_1[0].valid == 0 && dout.dis_uops_2[0].valid == 1);
}

static void compacting_v4_type_is_the_number_of_a_bit(void) {
    compacting();
    dcfg.encoding = WLK_DISPATCH_COMPACTING_ENCODING_V4;
    dcfg.queues_0_type = 0;
    dcfg.queues_1_type = 2;
    dcfg.queues_2_type = 3;
    din.ren_uops[0].valid = 1;
    din.ren_uops[0].bits.iq_type_2 = 1;
    din.ren_uops[0].bits.iq_type_3 = 1;
    compacting_look();
    CHECK(dout.dis_uops_0[0].valid == 0 && dout.dis_uops_1[0].valid == 1);
    CHECK(dout.dis_uops_2[0].valid == 1 && dout.dis_uops_2[0].bits.iq_type_2 == 1);
}

// What BOOM calls an elaboration error is a configuration error.
static void compacting_refuses_what_does_not_elaborate(void) {
    wlk_error err;
    compacting();
    dcfg.queues_0_issue_width = 3;
    CHECK(wlk_dispatch_compacting_check(&dcfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "less than its issue_width 3") != NULL, "%s", err.text);
    compacting();
    dcfg.queues_2_dispatch_width = 4;
    CHECK(wlk_dispatch_compacting_check(&dcfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "more than core_width=3") != NULL, "%s", err.text);
    compacting();
    memset(&dcfg.queues_0_type, 0, sizeof(uint32_t) * 9);
    CHECK(wlk_dispatch_compacting_check(&dcfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "queues is empty") != NULL, "%s", err.text);
    compacting();
    dcfg.encoding = WLK_DISPATCH_COMPACTING_ENCODING_V4; // FP is 4 there no more
    CHECK(wlk_dispatch_compacting_check(&dcfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "entry 2 has type 4") != NULL, "%s", err.text);
    compacting();
    dcfg.queues_1_type = dcfg.queues_1_dispatch_width = dcfg.queues_1_issue_width = 0;
    CHECK(wlk_dispatch_compacting_check(&dcfg, &err) == WLK_BAD_CONFIG);
    CHECK_MSG(strstr(err.text, "entry 2 is there, but entry 1 is not") != NULL, "%s", err.text);
}

int main(void) {
    compactor_moves_valid_inputs_together();
    compactor_shows_zeros_without_an_input();
    compactor_pointer_moves_on_valid_not_on_fire();
    compactor_full_output_blocks_its_input_only();
    compactor_idle_input_has_the_ready_of_the_output_it_would_get();
    compactor_nothing_is_ready_behind_the_last_output();
    compactor_of_equal_size_is_wires();
    compactor_refuses_more_outputs_than_inputs();
    compactor_member_beyond_its_words_is_left_out();
    basic_sends_a_uop_to_each_queue_of_its_target();
    basic_shows_bits_whatever_valid_is();
    basic_stalls_on_a_queue_that_the_uop_does_not_use();
    basic_stalls_a_uop_for_no_queue_and_an_idle_position();
    basic_half_of_a_uop_leaves_while_the_other_waits();
    basic_refuses_queues_of_another_width();
    compacting_packs_each_queue_by_itself();
    compacting_stalls_what_finds_no_place();
    compacting_waits_only_for_its_own_queues();
    compacting_uop_for_no_queue_is_ready_and_appears_nowhere();
    compacting_idle_ready_depends_on_the_stale_target();
    compacting_stalled_uop_keeps_its_place_elsewhere();
    compacting_type_of_several_bits_takes_any_of_them();
    compacting_v4_type_is_the_number_of_a_bit();
    compacting_refuses_what_does_not_elaborate();
    return check_done();
}
