// SPDX-License-Identifier: Apache-2.0
// Words of a block, one a line behind its name: parameters, members, waivers, and constant inputs
// (tie=). The checker runs for some cycles, so that conditions of waivers are asked.
#include "lines_mended.h"
#include "tool.h"

#define EIGHT(text) text text text text text text text text
// 258 values and their operators: more than a condition may have at a time.
#define DEEP EIGHT(EIGHT("1 1 1 1 ")) "1 1 & & " EIGHT(EIGHT("& & & & "))
// Behind an operand an operand with its operator leaves a condition whole.
const char *const fuzz_words[] = {"0x1 &",
                                  "0x0 ||",
                                  "reset ==",
                                  "reset &&",
                                  "0xffffffffffffffff ^",
                                  "18446744073709551615 <",
                                  "0x1f >=",
                                  "0x3 |",
                                  "0x2 !=",
                                  "0x7 >",
                                  "0x8 <=",
                                  "io_out_0_valid &&",
                                  "io_in_0_valid@0:1 ||",
                                  "io_in_0_bits_1@3:5 ==",
                                  "io_out_0_bits_0 &",
                                  "!",
                                  "~1",
                                  "~8",
                                  "~64",
                                  "~0",
                                  "@0:64",
                                  "@63:1",
                                  "@1:18446744073709551615",
                                  "waive=compactor 0 io_out_1_valid 0x1",
                                  "tie=0:0:1:1",
                                  DEEP,
                                  NULL};

enum { CYCLES = 20, WORDS = 64 };

static void step(const tool_block *b, wlk_checker *checker, uint32_t seed) {
    const wlk_layout *l = &b->layout;
    uint64_t *words = calloc(l->in_words + 2u * l->out_words + 1u, sizeof *words);
    tool_bits bits;
    wlk_error err;
    const bool ready = tool_bits_open(&bits, b->block, b->cfg, &err) == WLK_OK && words != NULL;
    for (uint32_t c = 0; c < CYCLES && ready; c++) {
        for (uint32_t w = 0; w < l->in_words + l->out_words; w++) {
            seed = seed * 1664525u + 1013904223u;
            words[w] = ((uint64_t)seed << 32 | (seed ^ c)) & bits.words[w];
        }
        (void)wlk_checker_step_x(checker, words, NULL, words + l->in_words, NULL);
    }
    wlk_json to = wlk_json_line(stdout);
    wlk_checker_json(checker, false, &to);
    wlk_json_line_end(&to);
    wlk_checker_report(checker, stdout);
    tool_bits_close(&bits);
    free(words);
}

static void check(const tool_block *b, uint32_t seed) {
    const wlk_checker_options options = {.scope = "fuzz", .members = b->members};
    wlk_checker *checker = NULL;
    wlk_error err;
    if (wlk_checker_open(&checker, b->block, b->cfg, &options, &err) == WLK_OK &&
        tool_block_waive(b, checker, &err) == WLK_OK) {
        step(b, checker, seed);
    }
    wlk_checker_close(checker);
}

static void apply(const tool_block *b, const char **ties, int n) {
    uint64_t *in = calloc(b->layout.in_words + 1u, sizeof *in);
    tool_bits bits;
    wlk_error err;
    const bool opened = tool_bits_open(&bits, b->block, b->cfg, &err) == WLK_OK && in != NULL;
    for (int i = 0; i < n && opened; i++) {
        tool_tie tie;
        if (tool_tie_read(ties[i], &bits, &tie)) {
            tool_tie_apply(&tie, 1, in);
        }
    }
    tool_bits_close(&bits);
    free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size), *rest = NULL, *words[WORDS];
    const char *name = strtok_r(text, "\n", &rest), *ties[WORDS];
    int n = 0, n_ties = 0;
    for (char *word = strtok_r(NULL, "\n", &rest); word != NULL && n < WORDS && n_ties < WORDS;
         word = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(word, "tie=", 4) == 0) {
            ties[n_ties++] = word + 4;
        } else {
            words[n++] = word;
        }
    }
    tool_block b;
    wlk_error err;
    if (name != NULL) {
        if (tool_block_open(&b, name, words, n, &err) == WLK_OK) {
            apply(&b, ties, n_ties);
            check(&b, (uint32_t)size);
        }
        tool_block_close(&b);
    }
    free(text);
    return 0;
}
