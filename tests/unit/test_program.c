// SPDX-License-Identifier: Apache-2.0
// Programs: what a line holds is what comes out, and each mistake is reported with its place.
#define _DEFAULT_SOURCE
#include "check.h"
#include "scratch.h"
#include "warplock/program.h"
#include "warplock/stimulus.h"

#include <sys/resource.h>

#define HEAD "warplock-program 1\n"
#define LINE "0 0x0 x1 - - - * 1 alu\n"

typedef struct shape {
    uint32_t warps, pregs, lanes, lane_bits;
} shape;

static const shape usual = {8, 256, 16, 32}; // the default configuration

// What the last load left.
static wlk_program *program;
static wlk_error err;

static wlk_status load_file(const char *path, shape s) {
    wlk_program_free(program);
    err = (wlk_error){0};
    return wlk_program_load(&program, path, s.warps, s.pregs, s.lanes, s.lane_bits, &err);
}

static wlk_status load(const char *text, shape s) {
    return load_file(scratch_text("p.prog", text), s);
}

/** A program that must load. */
static bool loads(const char *text, shape s) {
    return CHECK_MSG(load(text, s) == WLK_OK, "%s", err.text);
}

/** Instructions of a warp, and how many there are. */
static const wlk_instruction *warp(uint32_t number, size_t *count) {
    return wlk_program_warp(program, number, count);
}

/* ---- what is read ---- */

CASE(program_reads_each_column) {
    size_t count = 0;
    if (!loads(HEAD "# comment\n\n3 0x80000abC x255 x1 - x0 0x80f1 65535 sfu\n", usual)) {
        return;
    }
    const wlk_instruction *i = warp(3, &count);
    if (CHECK(count == 1)) {
        CHECK(i->warp == 3 && i->pc == 0x80000abcu && i->line == 4);
        CHECK(i->has_rd && i->rd == 255);
        CHECK(i->has_rs[0] && !i->has_rs[1] && i->has_rs[2]);
        CHECK(i->rs[0] == 1 && i->rs[1] == 0 && i->rs[2] == 0);
        CHECK(i->mask == 0x80f1 && i->latency == 65535 && i->unit == WLK_UNIT_SFU);
    }
}

CASE(program_reads_each_unit) {
    static const char *const names[WLK_UNITS] = {"alu", "mul", "fpu", "sfu", "lsu"};
    for (uint32_t unit = 0; unit < WLK_UNITS; unit++) {
        char text[64];
        size_t count;
        (void)snprintf(text, sizeof text, HEAD "0 0x0 x1 - - - * 1 %s\n", names[unit]);
        CHECK(loads(text, usual) && warp(0, &count)->unit == unit);
        CHECK(strcmp(wlk_unit_name(unit), names[unit]) == 0);
    }
}

CASE(program_star_is_all_lanes) {
    static const uint32_t lanes[] = {1, 16, 63, 64};
    for (size_t k = 0; k < COUNT(lanes); k++) {
        size_t count;
        CHECK(loads(HEAD LINE, (shape){1, 2, lanes[k], 32}) &&
              warp(0, &count)->mask == UINT64_MAX >> (64 - lanes[k]));
    }
}

CASE(program_takes_a_pc_as_wide_as_a_lane) {
    size_t count;
    CHECK(loads(HEAD "0 0xffffffff80000abc x1 - - - * 1 alu\n", (shape){1, 2, 1, 64}) &&
          warp(0, &count)->pc == UINT64_C(0xffffffff80000abc));
}

CASE(program_keeps_the_order_of_each_warp) {
    size_t count = 0;
    if (!loads(HEAD "1 0x10 x1 - - - * 1 alu\n0 0x20 x1 - - - * 1 alu\n"
                    "1 0x8 x1 - - - * 1 alu\n1 0xc x1 - - - * 1 alu\n",
               usual)) {
        return;
    }
    const wlk_instruction *i = warp(1, &count);
    CHECK(count == 3 && i[0].pc == 0x10 && i[1].pc == 0x8 && i[2].pc == 0xc);
    CHECK(warp(0, &count)->pc == 0x20 && count == 1);
    (void)warp(7, &count);
    CHECK(count == 0);
    CHECK(wlk_program_total(program) == 4);
}

/** Spellings that are allowed, each with one instruction of warp 0. */
CASE(program_accepts) {
    static const char *const texts[] = {
        "warplock-program 1\r\n0 0x0 x1 - - - * 1 alu\r\n", /* line ends of Windows */
        "warplock-program 1\n0 0x0 x1 - - - * 1 alu",       /* no end of the last line */
        "warplock-program 1\r\n0 0x0 x1 - - - * 1 alu\r",   /* half an end */
        " warplock-program\t1 # c\n\t0  0x0 x1 - -\t- * 1 alu#comment", /* blanks, comments */
        HEAD "warps 8\nregisters 256\nlanes 16\n" LINE,                 /* just enough */
        HEAD "lanes 1\nregisters 2\nwarps 1\n" LINE,                    /* any order, less */
        HEAD "0 0x0 - - - - 0x0 1 alu\n",        /* never admitted, and no lane: legal in a file */
        HEAD "0 0x0 x1 x1 x1 x1 0xFfFf 1 alu\n", /* one register everywhere */
        HEAD "0 0xffffffff x0 x0 - - 0x000000000000ffff 0001 alu\n", /* zeros in front */
    };
    for (size_t k = 0; k < COUNT(texts); k++) {
        CHECK_MSG(loads(texts[k], usual) && wlk_program_total(program) == 1, "text %zu", k);
    }
}

CASE(program_line_may_have_255_bytes) {
    static const char mistake[] = ":2: more than 255 bytes in the line";
    for (int size = 255; size <= 256; size++) {
        char text[400];
        (void)snprintf(text, sizeof text, HEAD "#%*s\n" LINE, size - 1, "");
        CHECK(load(text, usual) == (size == 255 ? WLK_OK : WLK_CORRUPT));
        CHECK(size == 255 || strstr(err.text, mistake) != NULL);
    }
}

CASE(program_may_be_long) {
    enum { LINES = 100000, LINE_BYTES = 40 };
    static char text[sizeof HEAD + LINES * LINE_BYTES] = HEAD;
    char *end = text + strlen(HEAD);
    for (uint32_t k = 0; k < LINES; k++) {
        end += snprintf(end, LINE_BYTES, "%u 0x%x x%u x%u - - * 4 fpu\n", k % 7, k, k % 256,
                        (k + 1) % 256);
    }
    if (!loads(text, usual)) {
        return;
    }
    CHECK(wlk_program_total(program) == LINES);
    uint32_t wrong = 0;
    for (uint32_t w = 0; w < usual.warps; w++) {
        size_t count;
        const wlk_instruction *i = warp(w, &count);
        for (uint32_t n = 0; n < count; n++) {
            const uint32_t k = 7 * n + w;
            wrong += i[n].pc != k || i[n].rd != k % 256 || i[n].line != k + 2 || i[n].warp != w;
        }
    }
    CHECK(wrong == 0);
}

/* ---- what is refused ---- */

typedef struct mistake {
    const char *text;
    wlk_status status;
    const char *message; /* behind the path */
} mistake;

/** Check that each is refused with its message, in one line with a remedy behind a ; or as a
 * question. */
static void check_refused(const mistake *list, size_t n) {
    for (size_t k = 0; k < n; k++) {
        const char *path = scratch_text("p.prog", list[k].text);
        const wlk_status status = load_file(path, usual);
        const size_t length = strlen(path);
        CHECK_MSG(status == list[k].status, "%s: %s", list[k].message, wlk_status_name(status));
        CHECK(err.status == status && program == NULL);
        CHECK_MSG(strncmp(err.text, path, length) == 0 &&
                      strncmp(err.text + length, list[k].message, strlen(list[k].message)) == 0,
                  "'%s' instead of '%s'", err.text, list[k].message);
        CHECK_MSG(strpbrk(err.text, ";?") != NULL, "%s", err.text);
        CHECK(wlk_program_load(&program, path, 8, 256, 16, 32, NULL) == list[k].status);
    }
}
#define CHECK_REFUSED(list) check_refused(list, COUNT(list))

CASE(program_refuses_a_bad_file) {
    static const mistake list[] = {
        {"", WLK_TRUNCATED, ":1: the file is empty"},
        {"\n", WLK_CORRUPT, ":1: not a program"},
        {LINE, WLK_CORRUPT, ":1: not a program"},
        {"warplock-program\n" LINE, WLK_CORRUPT, ":1: not a program"},
        {"warplock-program 1 1\n" LINE, WLK_CORRUPT, ":1: not a program"},
        {"# first\n" HEAD LINE, WLK_CORRUPT, ":1: not a program"},
        {"warplock-program 2\n" LINE, WLK_BAD_VERSION, ":1: format version '2'"},
        {"warplock-program 1.0\n" LINE, WLK_BAD_VERSION, ":1: format version '1.0'"},
        {HEAD, WLK_TRUNCATED, ":2: no instruction in the file"},
        {HEAD "warps 2\n# only this\n", WLK_TRUNCATED, ":4: no instruction in the file"},
        {"\xef\xbb\xbf" HEAD LINE, WLK_CORRUPT, ":1: byte 1 of the line is 0xef"},
        {HEAD LINE "# caf\xc3\xa9\n", WLK_CORRUPT, ":3: byte 6 of the line is 0xc3"},
        {HEAD "0 0x0\x01\n", WLK_CORRUPT, ":2: byte 6 of the line is 0x01"},
        {HEAD "#\x7f\n", WLK_CORRUPT, ":2: byte 2 of the line is 0x7f"},
        {HEAD "#\r#\n" LINE, WLK_CORRUPT, ":2: byte 2 of the line is 0x0d"},
    };
    CHECK_REFUSED(list);
}

CASE(program_refuses_a_bad_header) {
    static const mistake list[] = {
        {HEAD "wraps 4\n" LINE, WLK_CORRUPT, ":2: 'wraps' is neither a warp nor a header"},
        {HEAD "W0 0x0 x1 - - - * 1 alu\n", WLK_CORRUPT, ":2: 'W0' is neither"},
        {HEAD "warps\n" LINE, WLK_CORRUPT, ":2: header 'warps' takes one number"},
        {HEAD "warps 0\n" LINE, WLK_CORRUPT, ":2: header 'warps' takes one number"},
        {HEAD "lanes -4\n" LINE, WLK_CORRUPT, ":2: header 'lanes' takes one number"},
        {HEAD "lanes 4 4\n" LINE, WLK_CORRUPT, ":2: header 'lanes' takes one number"},
        {HEAD "warps 2\nwarps 2\n" LINE, WLK_CORRUPT, ":3: header 'warps' too late or twice"},
        {HEAD LINE "registers 2\n", WLK_CORRUPT, ":3: header 'registers' too late or twice"},
        {HEAD "warps 9\n" LINE, WLK_BAD_PARAMS, ":2: the program needs warps 9, but num_warps is"},
        {HEAD "registers 257\n" LINE, WLK_BAD_PARAMS, ":2: the program needs registers 257, but"},
        {HEAD "lanes 17\n" LINE, WLK_BAD_PARAMS, ":2: the program needs lanes 17, but num_lanes"},
        {HEAD "lanes 4294967297\n" LINE, WLK_CORRUPT, ":2: header 'lanes' takes one number"},
    };
    CHECK_REFUSED(list);
}

CASE(program_refuses_a_bad_cell) {
    static const mistake list[] = {
        {HEAD "0 0x0 x1 - - - * 1\n", WLK_CORRUPT, ":2: 8 columns; write 9: warp pc rd"},
        {HEAD "0\n", WLK_CORRUPT, ":2: 1 columns"},
        {HEAD LINE "0 0x0 x1 - - - * 1 alu 7\n", WLK_CORRUPT, ":3: 10 columns"},
        {HEAD "0 0x0 x1 - - - * 1 #alu\n", WLK_CORRUPT, ":2: 8 columns"},
        {HEAD "-1 0x0 x1 - - - * 1 alu\n", WLK_CORRUPT, ":2: column warp: '-1' is not a warp"},
        {HEAD "0x1 0x0 x1 - - - * 1 alu\n", WLK_CORRUPT, ":2: column warp: '0x1' is not a warp"},
        {HEAD "0 80 x1 - - - * 1 alu\n", WLK_CORRUPT, ":2: column pc: '80' is not a pc"},
        {HEAD "0 0x x1 - - - * 1 alu\n", WLK_CORRUPT, ":2: column pc: '0x' is not a pc"},
        {HEAD "0 0x123456789 x1 - - - * 1 alu\n", WLK_BAD_PARAMS,
         ":2: column pc: 0x123456789 has more than 32 bits: lane_bits is 32"},
        {HEAD "0 0x12345678912345678 x1 - - - * 1 alu\n", WLK_CORRUPT,
         ":2: column pc: '0x12345678912345678' is not a pc"},
        {HEAD "0 0x1g x1 - - - * 1 alu\n", WLK_CORRUPT, ":2: column pc: '0x1g' is not a pc"},
        {HEAD "0 0x0 r1 - - - * 1 alu\n", WLK_CORRUPT, ":2: column rd: 'r1' is not a register"},
        {HEAD "0 0x0 1 - - - * 1 alu\n", WLK_CORRUPT, ":2: column rd: '1' is not a register"},
        {HEAD "0 0x0 x1 x - - * 1 alu\n", WLK_CORRUPT, ":2: column rs1: 'x' is not a register"},
        {HEAD "0 0x0 x1 - x1, - * 1 alu\n", WLK_CORRUPT, ":2: column rs2: 'x1,' is not a reg"},
        {HEAD "0 0x0 x1 - - -- * 1 alu\n", WLK_CORRUPT, ":2: column rs3: '--' is not a register"},
        {HEAD "0 0x0 x1 - - - ** 1 alu\n", WLK_CORRUPT, ":2: column mask: '**' is not a mask"},
        {HEAD "0 0x0 x1 - - - 1 1 alu\n", WLK_CORRUPT, ":2: column mask: '1' is not a mask"},
        {HEAD "0 0x0 x1 - - - 0x10000000000000000 1 alu\n", WLK_CORRUPT, ":2: column mask: '0x1"},
        {HEAD "0 0x0 x1 - - - * 0 alu\n", WLK_CORRUPT, ":2: column latency: '0' is not a number"},
        {HEAD "0 0x0 x1 - - - * -3 alu\n", WLK_CORRUPT, ":2: column latency: '-3' is not a num"},
        {HEAD "0 0x0 x1 - - - * 65536 alu\n", WLK_CORRUPT, ":2: column latency: '65536' is not"},
        {HEAD "0 0x0 x1 - - - * 4294967297 alu\n", WLK_CORRUPT, ":2: column latency: '42949672"},
        {HEAD "0 0x0 x1 - - - * 1.5 alu\n", WLK_CORRUPT, ":2: column latency: '1.5' is not a"},
        {HEAD "0 0x0 x1 - - - * 1 div\n", WLK_CORRUPT, ":2: column unit: 'div' is not a unit"},
        {HEAD "0 0x0 x1 - - - * 1 ALU\n", WLK_CORRUPT, ":2: column unit: 'ALU' is not a unit"},
    };
    CHECK_REFUSED(list);
}

CASE(program_refuses_what_the_configuration_lacks) {
    static const mistake list[] = {
        {HEAD "8 0x0 x1 - - - * 1 alu\n", WLK_BAD_PARAMS,
         ":2: column warp: there is no warp 8: num_warps is 8"},
        {HEAD "256 0x0 x1 - - - * 1 alu\n", WLK_BAD_PARAMS, ":2: column warp: there is no warp 2"},
        {HEAD "0 0x0 x256 - - - * 1 alu\n", WLK_BAD_PARAMS,
         ":2: column rd: there is no register 256: num_pregs is 256"},
        {HEAD "0 0x0 x1 - x65536 - * 1 alu\n", WLK_BAD_PARAMS,
         ":2: column rs2: there is no register 65536"},
        {HEAD "0 0x0 x1 - - - 0x10000 1 alu\n", WLK_BAD_PARAMS,
         ":2: column mask: there is no lane 16: num_lanes is 16"},
        {HEAD "warps 2\n2 0x0 x1 - - - * 1 alu\n", WLK_CORRUPT,
         ":3: column warp: there is no warp 2: the header has 'warps 2'"},
        {HEAD "registers 32\n0 0x0 x1 - - x32 * 1 alu\n", WLK_CORRUPT,
         ":3: column rs3: there is no register 32: the header has 'registers 32'"},
        {HEAD "lanes 4\n0 0x0 x1 - - - 0x1f 1 alu\n", WLK_CORRUPT,
         ":3: column mask: there is no lane 4: the header has 'lanes 4'"},
    };
    CHECK_REFUSED(list);
}

CASE(program_refuses_a_zero_byte) {
    static const char text[] = HEAD "0 0x0 x1 - - - * 1\0 alu\n";
    CHECK(load_file(scratch_write("p.prog", text, sizeof text - 1), usual) == WLK_CORRUPT);
    CHECK_MSG(strstr(err.text, ":2: byte 19 of the line is 0x00") != NULL, "%s", err.text);
}

CASE(program_refuses_what_is_no_file) {
    CHECK(load_file("no/such/file", usual) == WLK_NO_FILE);
    CHECK(program == NULL && strstr(err.text, "no/such/file: cannot be opened: No such") != NULL);
    CHECK(load_file(scratch(""), usual) == WLK_NO_FILE);
    CHECK(program == NULL && strstr(err.text, ": cannot be read: Is a directory") != NULL);
}

/** Damaged files load or are refused with a line, and never anything else. */
CASE(program_survives_damage) {
    static const char good[] = HEAD "warps 8\nregisters 256\r\nlanes 16 # all\n"
                                    "0 0x80000000 x1 - - - * 20 lsu\n"
                                    "7 0x80000004 x255 x1 x0 x17 0xf0f0 4 fpu\n"
                                    "1 0x80000008 - x1 - - 0x1 1 alu\n";
    static const char bytes[] = "\n\r\t #*-x09aflsu\0\xff";
    const uint64_t seed = 1;
    uint64_t random = seed;
    uint32_t accepted = 0, refused = 0;
    for (uint32_t round = 0; round < 3000; round++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        size_t size = sizeof good - 1;
        for (uint64_t edits = 1 + wlk_random(&random) % 3; edits > 0; edits--) {
            text[wlk_random(&random) % size] = bytes[wlk_random(&random) % sizeof bytes];
        }
        size -= wlk_random(&random) % 4 == 0 ? wlk_random(&random) % size : 0;
        const char *path = scratch_write("p.prog", text, size);
        const wlk_status status = load_file(path, usual);
        if (status == WLK_OK ? program == NULL || wlk_program_total(program) > 3
                             : program != NULL || strncmp(err.text, path, strlen(path)) != 0) {
            CHECK_MSG(false, "seed %llu, round %u", (unsigned long long)seed, round);
        }
        accepted += status == WLK_OK;
        refused += status != WLK_OK;
    }
    CHECK_MSG(accepted >= 50 && refused >= 1500, "%u accepted, %u refused", accepted, refused);
}

/* ---- the kernels ---- */

CASE(program_loads_the_kernels) {
    static const char *const names[] = {"dot", "matmul", "divergent_reduction"};
    for (size_t k = 0; k < COUNT(names); k++) {
        char kernel[64];
        (void)snprintf(kernel, sizeof kernel, "vectors/kernels/%s.prog", names[k]);
        if (!CHECK_MSG(load_file(kernel, usual) == WLK_OK, "%s", err.text)) {
            continue;
        }
        for (uint32_t w = 0; w < usual.warps; w++) {
            size_t count;
            (void)warp(w, &count);
            CHECK_MSG(count >= 30, "%s: warp %u has %zu instructions", kernel, w, count);
        }
        CHECK(wlk_program_total(program) >= 300 && wlk_program_total(program) <= 2000);
    }
}

int main(void) {
    const struct rlimit few = {.rlim_cur = 64, .rlim_max = 64}; // a file left open shows soon
    if (setrlimit(RLIMIT_NOFILE, &few) != 0) {
        perror("setrlimit");
        return 1;
    }
    return check_cases();
}
