// SPDX-License-Identifier: Apache-2.0
// Programs: what a line holds is what comes out, and each mistake is reported with its place.
#define _DEFAULT_SOURCE
#include "check.h"
#include "warplock/program.h"
#include "warplock/stimulus.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NUM_WARPS = 8, NUM_PREGS = 256, NUM_LANES = 16 }; // the default configuration
#define HEAD "warplock-program 1\n"
#define LINE "0 0x0 x1 - - - * 1 alu\n"

static char folder[256];
static char path[288];

static void write_bytes(const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static wlk_status load(wlk_program **program, const char *text, wlk_error *err) {
    write_bytes(text, strlen(text));
    return wlk_program_load(program, path, NUM_WARPS, NUM_PREGS, NUM_LANES, 32, err);
}

/** A program that must load, or NULL after a failed check. */
static wlk_program *loaded(const char *text) {
    wlk_program *program;
    wlk_error err = {0};
    CHECK_MSG(load(&program, text, &err) == WLK_OK, "%s", err.text);
    return program;
}

/* ---- what is read ---- */

static void program_reads_each_column(void) {
    wlk_program *program = loaded(HEAD "# comment\n\n3 0x80000abC x255 x1 - x0 0x80f1 65535 sfu\n");
    size_t count = 0;
    if (program == NULL) {
        return;
    }
    const wlk_instruction *i = wlk_program_warp(program, 3, &count);
    if (CHECK(count == 1)) {
        CHECK(i->warp == 3 && i->pc == 0x80000abcu && i->line == 4);
        CHECK(i->has_rd && i->rd == 255);
        CHECK(i->has_rs[0] && !i->has_rs[1] && i->has_rs[2]);
        CHECK(i->rs[0] == 1 && i->rs[1] == 0 && i->rs[2] == 0);
        CHECK(i->mask == 0x80f1 && i->latency == 65535 && i->unit == WLK_UNIT_SFU);
    }
    wlk_program_free(program);
}

static void program_reads_each_unit(void) {
    static const char *const names[WLK_UNITS] = {"alu", "mul", "fpu", "sfu", "lsu"};
    for (uint32_t unit = 0; unit < WLK_UNITS; unit++) {
        char text[64];
        size_t count;
        (void)snprintf(text, sizeof text, HEAD "0 0x0 x1 - - - * 1 %s\n", names[unit]);
        wlk_program *program = loaded(text);
        CHECK(program != NULL && wlk_program_warp(program, 0, &count)->unit == unit);
        CHECK(strcmp(wlk_unit_name(unit), names[unit]) == 0);
        wlk_program_free(program);
    }
}

static void program_star_is_all_lanes(void) {
    static const uint32_t lanes[] = {1, 16, 63, 64};
    for (size_t k = 0; k < sizeof lanes / sizeof lanes[0]; k++) {
        wlk_program *program;
        wlk_error err = {0};
        size_t count;
        write_bytes(HEAD LINE, strlen(HEAD LINE));
        if (CHECK(wlk_program_load(&program, path, 1, 2, lanes[k], 32, &err) == WLK_OK)) {
            CHECK(wlk_program_warp(program, 0, &count)->mask == UINT64_MAX >> (64 - lanes[k]));
        }
        wlk_program_free(program);
    }
}

static void program_takes_a_pc_as_wide_as_a_lane(void) {
    wlk_program *program = NULL;
    wlk_error err = {0};
    size_t count;
    write_bytes(HEAD "0 0xffffffff80000abc x1 - - - * 1 alu\n",
                strlen(HEAD "0 0xffffffff80000abc x1 - - - * 1 alu\n"));
    if (CHECK(wlk_program_load(&program, path, 1, 2, 1, 64, &err) == WLK_OK)) {
        CHECK(wlk_program_warp(program, 0, &count)->pc == UINT64_C(0xffffffff80000abc));
    }
    wlk_program_free(program);
}

static void program_keeps_the_order_of_each_warp(void) {
    wlk_program *program = loaded(HEAD "1 0x10 x1 - - - * 1 alu\n"
                                       "0 0x20 x1 - - - * 1 alu\n"
                                       "1 0x8 x1 - - - * 1 alu\n"
                                       "1 0xc x1 - - - * 1 alu\n");
    size_t count = 0;
    if (program == NULL) {
        return;
    }
    const wlk_instruction *i = wlk_program_warp(program, 1, &count);
    CHECK(count == 3 && i[0].pc == 0x10 && i[1].pc == 0x8 && i[2].pc == 0xc);
    CHECK(wlk_program_warp(program, 0, &count)->pc == 0x20 && count == 1);
    (void)wlk_program_warp(program, 7, &count);
    CHECK(count == 0);
    CHECK(wlk_program_total(program) == 4);
    wlk_program_free(program);
}

/** Spellings that are allowed, each with one instruction of warp 0. */
static void program_accepts(void) {
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
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        wlk_program *program = loaded(texts[k]);
        CHECK_MSG(program != NULL && wlk_program_total(program) == 1, "text %zu", k);
        wlk_program_free(program);
    }
}

static void program_line_may_have_255_bytes(void) {
    static const char mistake[] = ":2: more than 255 bytes in the line";
    for (int size = 255; size <= 256; size++) {
        char text[400];
        wlk_program *program;
        wlk_error err = {0};
        (void)snprintf(text, sizeof text, HEAD "#%*s\n" LINE, size - 1, "");
        const wlk_status status = load(&program, text, &err);
        CHECK(status == (size == 255 ? WLK_OK : WLK_CORRUPT));
        CHECK(size == 255 || strstr(err.text, mistake) != NULL);
        wlk_program_free(program);
    }
}

static void program_may_be_long(void) {
    enum { LINES = 100000 };
    FILE *file = fopen(path, "w");
    wlk_program *program;
    wlk_error err = {0};
    if (!CHECK(file != NULL)) {
        return;
    }
    (void)fputs(HEAD, file);
    for (uint32_t k = 0; k < LINES; k++) {
        (void)fprintf(file, "%u 0x%x x%u x%u - - * 4 fpu\n", k % 7, k, k % 256, (k + 1) % 256);
    }
    (void)fclose(file);
    const wlk_status status =
        wlk_program_load(&program, path, NUM_WARPS, NUM_PREGS, NUM_LANES, 32, &err);
    if (!CHECK_MSG(status == WLK_OK, "%s", err.text)) {
        return;
    }
    CHECK(wlk_program_total(program) == LINES);
    uint32_t wrong = 0;
    for (uint32_t warp = 0; warp < NUM_WARPS; warp++) {
        size_t count;
        const wlk_instruction *i = wlk_program_warp(program, warp, &count);
        for (uint32_t n = 0; n < count; n++) {
            const uint32_t k = 7 * n + warp;
            wrong += i[n].pc != k || i[n].rd != k % 256 || i[n].line != k + 2 || i[n].warp != warp;
        }
    }
    CHECK(wrong == 0);
    wlk_program_free(program);
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
        wlk_program *program;
        wlk_error err = {0};
        const wlk_status status = load(&program, list[k].text, &err);
        const size_t length = strlen(path);
        CHECK_MSG(status == list[k].status, "%s: %s", list[k].message, wlk_status_name(status));
        CHECK(err.status == status && program == NULL);
        CHECK_MSG(strncmp(err.text, path, length) == 0 &&
                      strncmp(err.text + length, list[k].message, strlen(list[k].message)) == 0,
                  "'%s' instead of '%s'", err.text, list[k].message);
        CHECK_MSG(strpbrk(err.text, ";?") != NULL, "%s", err.text);
        CHECK(load(&program, list[k].text, NULL) == list[k].status);
    }
}
#define CHECK_REFUSED(list) check_refused(list, sizeof(list) / sizeof(list)[0])

static void program_refuses_a_bad_file(void) {
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

static void program_refuses_a_bad_header(void) {
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

static void program_refuses_a_bad_cell(void) {
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

static void program_refuses_what_the_configuration_lacks(void) {
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
         ":3: column warp: there is no warp 2: the header says 'warps 2'"},
        {HEAD "registers 32\n0 0x0 x1 - - x32 * 1 alu\n", WLK_CORRUPT,
         ":3: column rs3: there is no register 32: the header says 'registers 32'"},
        {HEAD "lanes 4\n0 0x0 x1 - - - 0x1f 1 alu\n", WLK_CORRUPT,
         ":3: column mask: there is no lane 4: the header says 'lanes 4'"},
    };
    CHECK_REFUSED(list);
}

static void program_refuses_a_zero_byte(void) {
    static const char text[] = HEAD "0 0x0 x1 - - - * 1\0 alu\n";
    wlk_program *program;
    wlk_error err = {0};
    write_bytes(text, sizeof text - 1);
    CHECK(wlk_program_load(&program, path, 1, 2, 1, 32, &err) == WLK_CORRUPT);
    CHECK_MSG(strstr(err.text, ":2: byte 19 of the line is 0x00") != NULL, "%s", err.text);
}

static void program_refuses_what_is_no_file(void) {
    wlk_program *program;
    wlk_error err = {0};
    CHECK(wlk_program_load(&program, "no/such/file", 1, 2, 1, 32, &err) == WLK_NO_FILE);
    CHECK(program == NULL && strstr(err.text, "no/such/file: cannot be opened: No such") != NULL);
    CHECK(wlk_program_load(&program, folder, 1, 2, 1, 32, &err) == WLK_NO_FILE);
    CHECK(program == NULL && strstr(err.text, ": cannot be read: Is a directory") != NULL);
}

/** Damaged files load or are refused with a line, and never anything else. */
static void program_survives_damage(void) {
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
        write_bytes(text, size);
        wlk_program *program;
        wlk_error err = {0};
        const wlk_status status =
            wlk_program_load(&program, path, NUM_WARPS, NUM_PREGS, NUM_LANES, 32, &err);
        if (status == WLK_OK ? program == NULL || wlk_program_total(program) > 3
                             : program != NULL || strncmp(err.text, path, strlen(path)) != 0) {
            CHECK_MSG(false, "seed %llu, round %u", (unsigned long long)seed, round);
        }
        accepted += status == WLK_OK;
        refused += status != WLK_OK;
        wlk_program_free(program);
    }
    CHECK_MSG(accepted >= 50 && refused >= 1500, "%u accepted, %u refused", accepted, refused);
}

/* ---- the kernels ---- */

static void program_loads_the_kernels(void) {
    static const char *const names[] = {"dot", "matmul", "divergent_reduction"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char kernel[64];
        wlk_program *program;
        wlk_error err = {0};
        (void)snprintf(kernel, sizeof kernel, "vectors/kernels/%s.prog", names[k]);
        const wlk_status status =
            wlk_program_load(&program, kernel, NUM_WARPS, NUM_PREGS, NUM_LANES, 32, &err);
        if (!CHECK_MSG(status == WLK_OK, "%s", err.text)) {
            continue;
        }
        for (uint32_t warp = 0; warp < NUM_WARPS; warp++) {
            size_t count;
            (void)wlk_program_warp(program, warp, &count);
            CHECK_MSG(count >= 30, "%s: warp %u has %zu instructions", kernel, warp, count);
        }
        CHECK(wlk_program_total(program) >= 300 && wlk_program_total(program) <= 2000);
        wlk_program_free(program);
    }
}

int main(void) {
    const struct rlimit few = {.rlim_cur = 64, .rlim_max = 64}; // a file left open shows soon
    if (setrlimit(RLIMIT_NOFILE, &few) != 0) {
        perror("setrlimit");
        return 1;
    }
    const char *base = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/wlk_program_XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return 1;
    }
    (void)snprintf(path, sizeof path, "%s/p.prog", folder);
    program_reads_each_column();
    program_reads_each_unit();
    program_star_is_all_lanes();
    program_takes_a_pc_as_wide_as_a_lane();
    program_keeps_the_order_of_each_warp();
    program_accepts();
    program_line_may_have_255_bytes();
    program_may_be_long();
    program_refuses_a_bad_file();
    program_refuses_a_bad_header();
    program_refuses_a_bad_cell();
    program_refuses_what_the_configuration_lacks();
    program_refuses_a_zero_byte();
    program_refuses_what_is_no_file();
    program_survives_damage();
    program_loads_the_kernels();
    (void)unlink(path);
    (void)rmdir(folder);
    return check_done();
}
