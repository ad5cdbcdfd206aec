// SPDX-License-Identifier: Apache-2.0
// Vector files: what is written is read again, and damage is reported, not decoded.
#define _DEFAULT_SOURCE
#include "check.h"
#include "container.h"
#include "pack.h"
#include "warplock/vectors.h"

#include <dirent.h>
#include <libdeflate.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[256];
static const char *const header_text = "{\"block\": \"test\", \"seed\": 7}";

static uint64_t random_state;

static uint64_t random_word(void) { // xorshift64*
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1du;
}

static const char *file_in_folder(const char *name) {
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

/** Files in the folder whose name begins so. */
static unsigned files(const char *prefix) {
    unsigned n = 0;
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        n += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return n;
}

/* ---- records to write: a function of (seed, cycle), made again to compare ---- */

enum { STORE = 64, PAYLOAD = 8 };

typedef struct source {
    wlk_vec_shape shape;
    unsigned change;                /* a word changes in one of so many records; 1 = always */
    uint64_t store[STORE][PAYLOAD]; /* earlier inputs, which come back as outputs */
    uint64_t *in, *out, *care;
} source;

static void source_start(source *s, wlk_vec_shape shape, unsigned change) {
    random_state = 0x9e3779b97f4a7c15u + change;
    *s = (source){.shape = shape, .change = change};
    s->in = calloc(shape.in_words + 1, sizeof *s->in);
    s->out = calloc(shape.out_words + 1, sizeof *s->out);
    s->care = calloc(shape.out_words + 1, sizeof *s->care);
    if (s->in == NULL || s->out == NULL || s->care == NULL) {
        abort();
    }
}

static void source_end(source *s) {
    free(s->in);
    free(s->out);
    free(s->care);
}

static void source_next(source *s) {
    for (uint32_t i = 0; i < s->shape.in_words; i++) {
        if (random_word() % s->change == 0) {
            s->in[i] = random_word();
        }
    }
    uint32_t payload = s->shape.in_words < PAYLOAD ? s->shape.in_words : PAYLOAD;
    memcpy(s->store[random_word() % STORE], s->in, payload * sizeof *s->in);
    for (uint32_t i = 0; i < s->shape.out_words; i += PAYLOAD) {
        uint32_t words = s->shape.out_words - i < PAYLOAD ? s->shape.out_words - i : PAYLOAD;
        if (random_word() % s->change == 0) {
            memcpy(s->out + i, s->store[random_word() % STORE], words * sizeof *s->out);
        }
    }
    if (s->shape.out_words != 0 && random_word() % 16 == 0) {
        s->care[random_word() % s->shape.out_words] ^= ~UINT64_C(0) << (random_word() % 64);
    }
}

static void write_file(const char *path, wlk_vec_shape shape, unsigned change, uint64_t cycles,
                       bool compact) {
    wlk_vec_writer *writer;
    wlk_error err = {0};
    source s;
    if (!CHECK_MSG(wlk_vec_replace(&writer, path, &shape, header_text, &err) == WLK_OK, "%s",
                   err.text)) {
        return;
    }
    if (compact) {
        wlk_vec_compact(writer);
    }
    source_start(&s, shape, change);
    bool ok = true;
    for (uint64_t cycle = 0; cycle < cycles && ok; cycle++) {
        source_next(&s);
        ok = wlk_vec_write(writer, s.in, s.out, s.care, &err) == WLK_OK;
    }
    CHECK_MSG(ok, "%s", err.text);
    source_end(&s);
    CHECK_MSG(wlk_vec_finish(writer, &err) == WLK_OK, "%s", err.text);
}

static bool same_record(const source *s, const uint64_t *in, const uint64_t *out,
                        const uint64_t *care) {
    return memcmp(in, s->in, s->shape.in_words * sizeof *in) == 0 &&
           memcmp(out, s->out, s->shape.out_words * sizeof *out) == 0 &&
           memcmp(care, s->care, s->shape.out_words * sizeof *care) == 0;
}

/** Read @p path to its end. WLK_OK: all of it is what write_file() wrote. */
static wlk_status read_file(const char *path, wlk_vec_shape shape, unsigned change, uint64_t cycles,
                            bool *same, wlk_error *err) {
    wlk_vec_reader *reader;
    const uint64_t *in, *out, *care;
    *same = false;
    wlk_status status = wlk_vec_open(&reader, path, err);
    if (status != WLK_OK) {
        return status;
    }
    wlk_vec_shape got = wlk_vec_get_shape(reader);
    bool equal = got.in_words == shape.in_words && got.out_words == shape.out_words &&
                 wlk_vec_cycles(reader) == cycles && !strcmp(wlk_vec_header(reader), header_text);
    source s;
    source_start(&s, got, change);
    uint64_t cycle = 0;
    while ((status = wlk_vec_read(reader, &in, &out, &care, err)) == WLK_OK && in != NULL) {
        source_next(&s);
        equal = equal && same_record(&s, in, out, care);
        cycle++;
    }
    *same = equal && cycle == cycles;
    source_end(&s);
    wlk_vec_close(reader);
    return status;
}

static void check_round_trip(wlk_vec_shape shape, unsigned change, uint64_t cycles, bool compact) {
    const char *path = file_in_folder("round.wlv");
    wlk_error err = {0};
    bool same;
    write_file(path, shape, change, cycles, compact);
    wlk_status status = read_file(path, shape, change, cycles, &same, &err);
    CHECK_MSG(status == WLK_OK && same, "%u+2*%u words, change 1/%u, %llu cycles, compact %d: %s",
              shape.in_words, shape.out_words, change, (unsigned long long)cycles, compact,
              err.text);
    CHECK_MSG(files("round.wlv") == 1, "the partial file is left");
}

static void container_round_trips(void) {
    static const struct {
        wlk_vec_shape shape;
        uint64_t cycles;
    } cases[] = {
        {{11, 25}, 0},    {{11, 25}, 1},   {{11, 25}, 4096},   {{11, 25}, 4097},
        {{11, 25}, 9000}, {{2, 0}, 5000},  {{0, 1}, 5000},     {{1, 0}, 300},
        {{8, 8}, 3000},   {{7, 9}, 3000},  {{1000, 1500}, 90}, {{16, 24}, 300},
        {{32766, 1}, 9},  {{0, 16384}, 9}, {{100, 0}, 1400},   {{5000, 0}, 700},
    };
    static const unsigned changes[] = {1, 3, 100};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t j = 0; j < sizeof changes / sizeof *changes; j++) {
            check_round_trip(cases[i].shape, changes[j], cases[i].cycles, false);
        }
        check_round_trip(cases[i].shape, 3, cases[i].cycles < 600 ? cases[i].cycles : 600, true);
    }
}

/** Words from all over the history: a sequence each, more than a chunk may have. */
static void container_splits_at_sequences(void) {
    enum { WORDS = 40, CYCLES = 2000, KNOWN = 200 };
    const char *path = file_in_folder("round.wlv");
    const wlk_vec_shape shape = {0, WORDS};
    const uint64_t care[WORDS] = {0};
    static uint64_t words[CYCLES][WORDS];
    wlk_vec_writer *writer;
    wlk_vec_reader *reader;
    wlk_error err = {0};
    CHECK_MSG(!wlk_vec_replace(&writer, path, &shape, header_text, &err), "%s", err.text);
    for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
        for (unsigned i = 0; i < WORDS; i++) {
            words[cycle][i] = random_word() % KNOWN * 0x100000001u;
        }
        CHECK_MSG(!wlk_vec_write(writer, care, words[cycle], care, &err), "%s", err.text);
    }
    CHECK_MSG(!wlk_vec_finish(writer, &err), "%s", err.text);
    if (!CHECK_MSG(!wlk_vec_open(&reader, path, &err), "%s", err.text)) {
        return;
    }
    for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
        const uint64_t *in, *out, *care_read;
        bool ok = wlk_vec_read(reader, &in, &out, &care_read, &err) == WLK_OK && out != NULL;
        if (!CHECK_MSG(ok && !memcmp(out, words[cycle], sizeof words[cycle]), "cycle %u: %s", cycle,
                       err.text)) {
            break;
        }
    }
    wlk_vec_close(reader);
}

static off_t file_size(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 ? info.st_size : -1;
}

/** Unchanged words cost nothing, and outputs that repeat inputs next to nothing. */
static void container_is_small(void) {
    const char *path = file_in_folder("small.wlv");
    const wlk_vec_shape shape = {11, 25};
    write_file(path, shape, 1, 8000, false);
    CHECK_MSG(file_size(path) < 8000 * 130, "saturated: %lld bytes", (long long)file_size(path));
    write_file(path, shape, 1000000, 8000, false);
    CHECK_MSG(file_size(path) < 8000 * 3, "idle: %lld bytes", (long long)file_size(path));
    write_file(path, shape, 3, 2000, false);
    off_t fast = file_size(path);
    write_file(path, shape, 3, 2000, true);
    CHECK_MSG(file_size(path) < fast, "compact %lld, fast %lld", (long long)file_size(path),
              (long long)fast);
}

static void container_memory_is_constant(void) {
    const char *path = file_in_folder("long.wlv");
    const wlk_vec_shape shape = {11, 25};
    struct rusage before, after;
    wlk_error err;
    bool same;
    check_round_trip(shape, 1, 9000, false);
    getrusage(RUSAGE_SELF, &before);
    write_file(path, shape, 1, 150000, false); // 73 MB of records, 15 MB of file
    CHECK_MSG(read_file(path, shape, 1, 150000, &same, &err) == WLK_OK && same, "%s", err.text);
    getrusage(RUSAGE_SELF, &after);
    CHECK_MSG(after.ru_maxrss - before.ru_maxrss < 4096, "%ld KiB more than for a short file",
              after.ru_maxrss - before.ru_maxrss);
    unlink(path);
}

/* ---- seek ---- */

static void container_seeks(void) {
    enum { CYCLES = 13000, WORDS = 3 };
    const char *path = file_in_folder("seek.wlv");
    const wlk_vec_shape shape = {1, 1};
    wlk_vec_writer *writer;
    wlk_vec_reader *reader;
    wlk_error err = {0};
    const uint64_t *in, *out, *care;
    CHECK_MSG(wlk_vec_replace(&writer, path, &shape, header_text, &err) == WLK_OK, "%s", err.text);
    for (uint64_t cycle = 0; cycle < CYCLES; cycle++) {
        const uint64_t words[WORDS] = {cycle, cycle / 100, ~UINT64_C(0)};
        CHECK_MSG(!wlk_vec_write(writer, words, words + 1, words + 2, &err), "%s", err.text);
    }
    CHECK_MSG(wlk_vec_finish(writer, &err) == WLK_OK, "%s", err.text);
    if (!CHECK_MSG(wlk_vec_open(&reader, path, &err) == WLK_OK, "%s", err.text)) {
        return;
    }
    static const uint64_t edges[] = {0, 1, 4095, 4096, 4095, 8192, CYCLES - 1, 0, 5, 7, 6};
    for (unsigned i = 0; i < 200; i++) {
        uint64_t to = i < sizeof edges / sizeof *edges ? edges[i] : random_word() % CYCLES;
        bool ok = wlk_vec_seek(reader, to, &err) == WLK_OK &&
                  wlk_vec_read(reader, &in, &out, &care, &err) == WLK_OK && in != NULL;
        if (CHECK_MSG(ok, "cycle %llu: %s", (unsigned long long)to, err.text)) {
            CHECK_MSG(*in == to && *out == to / 100 && *care == ~UINT64_C(0),
                      "cycle %llu: got %llu", (unsigned long long)to, (unsigned long long)*in);
        }
    }
    CHECK_MSG(wlk_vec_seek(reader, CYCLES, &err) == WLK_OK, "%s", err.text);
    CHECK_MSG(wlk_vec_read(reader, &in, &out, &care, &err) == WLK_OK && in == NULL,
              "not at the end");
    CHECK_MSG(wlk_vec_seek(reader, CYCLES + 1, &err) == WLK_USAGE, "beyond the end");
    wlk_vec_close(reader);
}

/* ---- both ways to pack ---- */

static bool same_packing(const packer *a, const packer *b) {
    return a->history_len == b->history_len && a->sequences == b->sequences &&
           a->source_count == b->source_count && a->literal_len == b->literal_len &&
           !memcmp(a->history, b->history, a->history_len * sizeof *a->history) &&
           !memcmp(a->runs, b->runs, a->sequences * sizeof *a->runs) &&
           !memcmp(a->sources, b->sources, a->source_count * sizeof *a->sources) &&
           !memcmp(a->before, b->before, record_words(&a->shape) * sizeof *a->before);
}

/** The file must not depend on the processor. */
static void packers_agree(void) {
    wlk_vec_pack *const pack[2] = {wlk_vec_pack_any, wlk_vec_best_pack()};
    if (pack[0] == pack[1]) {
        printf("packers_agree: skipped, this processor has one way only\n");
        return;
    }
    for (unsigned round = 0; round < 60; round++) {
        wlk_vec_shape shape = {round % 20, 1 + round % 27};
        packer p[2];
        uint8_t map[2][16];
        source s;
        for (int i = 0; i < 2; i++) {
            CHECK(wlk_vec_pack_open(&p[i], &shape));
            wlk_vec_pack_start(&p[i]);
        }
        p[0].search_inputs = p[1].search_inputs = round % 2 != 0;
        source_start(&s, shape, 1 + round % 4);
        bool same = true;
        for (unsigned cycle = 0; cycle < 200 && same; cycle++) {
            source_next(&s);
            for (int i = 0; i < 2; i++) {
                memset(map[i], 0, sizeof map[i]);
                pack[i](&p[i], s.in, s.out, s.care, map[i]);
            }
            same = same_packing(&p[0], &p[1]) && !memcmp(map[0], map[1], sizeof map[0]);
        }
        CHECK_MSG(same, "%u+2*%u words", shape.in_words, shape.out_words);
        source_end(&s);
        wlk_vec_pack_close(&p[0]);
        wlk_vec_pack_close(&p[1]);
    }
}

/* ---- the writer's bad days ---- */

static void expect_text(const wlk_error *err, wlk_status status, const char *part) {
    CHECK_MSG(err->status == status, "%s, not %s: %s", wlk_status_name(err->status),
              wlk_status_name(status), err->text);
    CHECK_MSG(strstr(err->text, part) != NULL, "\"%s\" is not in: %s", part, err->text);
}

static void create_refuses(void) {
    static const wlk_vec_shape bad[] = {{0, 0}, {32769, 0}, {1, 16384}, {0, 0x80000000u}};
    const wlk_vec_shape shape = {1, 1};
    wlk_vec_writer *writer;
    wlk_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (wlk_error){0};
        CHECK_MSG(wlk_vec_create(&writer, file_in_folder("x.wlv"), &bad[i], "{}", &err) ==
                          WLK_USAGE &&
                      writer == NULL,
                  "shape %zu accepted", i);
        expect_text(&err, WLK_USAGE, "x.wlv");
    }
    CHECK_MSG(wlk_vec_create(&writer, file_in_folder("x.wlv"), &shape, "", &err) == WLK_USAGE,
              "text");
    CHECK_MSG(wlk_vec_create(&writer, file_in_folder("no/x.wlv"), &shape, "{}", &err) ==
                  WLK_NO_FILE,
              "folder");
    expect_text(&err, WLK_NO_FILE, "no/x.wlv");
}

static void put_text(const char *path, const void *text, size_t bytes) {
    (void)unlink(path); // or a file system that is careful with rewritten files waits for the disk
    FILE *file = fopen(path, "wb");
    bool ok = file != NULL && fwrite(text, 1, bytes, file) == bytes;
    ok = file != NULL && fclose(file) == 0 && ok;
    CHECK_MSG(ok, "%s: cannot be written", path);
}

static void abort_leaves_nothing(void) {
    const wlk_vec_shape shape = {1, 1};
    const uint64_t words[3] = {1, 2, 3};
    wlk_vec_writer *writer;
    wlk_error err;
    CHECK_MSG(!wlk_vec_create(&writer, file_in_folder("a.wlv"), &shape, "{}", &err), "%s",
              err.text);
    CHECK_MSG(!wlk_vec_write(writer, words, words + 1, words + 2, &err), "%s", err.text);
    CHECK_MSG(files("a.wlv") == 1 && !exists(file_in_folder("a.wlv")), "names");
    wlk_vec_abort(writer);
    CHECK_MSG(files("a.wlv") == 0, "left");
    wlk_vec_abort(NULL);
}

/** Only one of two writers gets the name; the loser leaves nothing and replaces nothing. */
static void the_first_writer_has_the_name(void) {
    const wlk_vec_shape shape = {1, 1};
    const uint64_t words[3] = {1, 2, 3};
    wlk_vec_writer *first = NULL, *second = NULL;
    wlk_error err;
    wlk_status status = wlk_vec_create(&first, file_in_folder("b.wlv"), &shape, "{}", &err);
    CHECK_MSG(!status && !wlk_vec_create(&second, file_in_folder("b.wlv"), &shape, "{}", &err),
              "%s", err.text);
    CHECK_MSG(!wlk_vec_write(first, words, words + 1, words + 2, &err), "%s", err.text);
    CHECK_MSG(files("b.wlv") == 2, "one partial file for two");
    CHECK_MSG(!wlk_vec_finish(first, &err), "%s", err.text);
    off_t size = file_size(file_in_folder("b.wlv"));
    CHECK_MSG(wlk_vec_finish(second, &err) == WLK_USAGE, "replaced");
    expect_text(&err, WLK_USAGE, "exists already");
    CHECK_MSG(file_size(file_in_folder("b.wlv")) == size && files("b.wlv") == 1, "left");
    CHECK_MSG(wlk_vec_create(&second, file_in_folder("b.wlv"), &shape, "{}", &err) == WLK_USAGE,
              "made");
    CHECK_MSG(!wlk_vec_replace(&second, file_in_folder("b.wlv"), &shape, "{}", &err) &&
                  !wlk_vec_finish(second, &err),
              "%s", err.text);
    CHECK_MSG(file_size(file_in_folder("b.wlv")) != size && files("b.wlv") == 1, "not replaced");
}

/** Write until it fails, then finish: both report it, the partial file goes, the old file stays. */
static void expect_no_space(unsigned records, const char *cause) {
    const char *const old = "old";
    const wlk_vec_shape shape = {11, 25};
    wlk_vec_writer *writer;
    wlk_error err = {0};
    source s;
    put_text(file_in_folder("full.wlv"), old, strlen(old));
    wlk_status status =
        wlk_vec_replace(&writer, file_in_folder("full.wlv"), &shape, header_text, &err);
    if (status == WLK_OK) {
        source_start(&s, shape, 1);
        for (unsigned i = 0; i < records && status == WLK_OK; i++) {
            source_next(&s);
            status = wlk_vec_write(writer, s.in, s.out, s.care, &err);
        }
        if (status != WLK_OK) {
            wlk_error again = {0};
            CHECK_MSG(wlk_vec_write(writer, s.in, s.out, s.care, &again) == status, "not again");
            expect_text(&again, WLK_NO_SPACE, cause);
        }
        source_end(&s);
        status = wlk_vec_finish(writer, &err);
    }
    CHECK_MSG(status == WLK_NO_SPACE, "%s", wlk_status_name(status));
    expect_text(&err, WLK_NO_SPACE, "full.wlv: cannot write");
    expect_text(&err, WLK_NO_SPACE, cause);
    CHECK_MSG(files("full.wlv") == 1, "the partial file is left");
    CHECK_MSG(file_size(file_in_folder("full.wlv")) == (off_t)strlen(old), "the old file is gone");
}

static void full_disk_is_reported(void) {
    const wlk_vec_shape shape = {1, 1};
    wlk_vec_writer *writer;
    wlk_error err = {0};
    CHECK_MSG(wlk_vec_create(&writer, "/dev/full", &shape, "{}", &err) == WLK_NO_SPACE, "device");
    expect_text(&err, WLK_NO_SPACE, "No space left");
    // A limit of the file's size stands for a disk that fills up, at several places of the file.
    static const rlim_t limits[] = {10, 70, 1000, 100000, 300000, 700000};
    struct rlimit old, limit;
    (void)signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        limit = (struct rlimit){.rlim_cur = limits[i], .rlim_max = old.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        expect_no_space(i < 3 ? 20 : 9000, "File too large");
        setrlimit(RLIMIT_FSIZE, &old);
    }
}

/* ---- the reader's bad days ---- */

static wlk_status open_status(const char *path, wlk_error *err) {
    wlk_vec_reader *reader;
    *err = (wlk_error){0};
    wlk_status status = wlk_vec_open(&reader, path, err);
    CHECK_MSG((status == WLK_OK) == (reader != NULL), "reader and status differ");
    wlk_vec_close(reader);
    return status;
}

static void open_names_the_fault(void) {
    wlk_error err;
    CHECK_MSG(open_status(file_in_folder("none.wlv"), &err) == WLK_NO_FILE, "none");
    expect_text(&err, WLK_NO_FILE, "none.wlv");
    CHECK_MSG(open_status(folder, &err) == WLK_NO_FILE, "folder");
    CHECK_MSG(open_status("/dev/zero", &err) == WLK_NO_FILE, "device");
    put_text(file_in_folder("bad.wlv"), "cycle,in\n0,1\n", 13);
    CHECK_MSG(open_status(file_in_folder("bad.wlv"), &err) == WLK_CORRUPT, "CSV");
    expect_text(&err, WLK_CORRUPT, "not a warplock vector file");
    put_text(file_in_folder("bad.wlv"), "", 0);
    CHECK_MSG(open_status(file_in_folder("bad.wlv"), &err) == WLK_TRUNCATED, "empty");
    put_text(file_in_folder("bad.wlv"), FILE_MAGIC "\2\0\0\0", 12);
    CHECK_MSG(open_status(file_in_folder("bad.wlv"), &err) == WLK_BAD_VERSION, "version");
    expect_text(&err, WLK_BAD_VERSION, "format 2");
}

enum { FUZZ_CYCLES = 60, FUZZ_CHANGE = 3 };
static const wlk_vec_shape fuzz_shape = {3, 10};

/** A damaged file is refused, or holds what the whole one holds. */
static void expect_refused(const char *path, const char *damage, size_t at, bool cut) {
    wlk_error err = {0};
    bool same;
    wlk_status status = read_file(path, fuzz_shape, FUZZ_CHANGE, FUZZ_CYCLES, &same, &err);
    bool refused = status == WLK_CORRUPT || status == WLK_TRUNCATED || status == WLK_BAD_VERSION;
    if (cut) {
        CHECK_MSG(status == WLK_TRUNCATED, "%s %zu: %s", damage, at, wlk_status_name(status));
    } else {
        CHECK_MSG(refused || (status == WLK_OK && same), "%s %zu: %s, same %d", damage, at,
                  wlk_status_name(status), same);
    }
    CHECK_MSG(status == WLK_OK || strstr(err.text, path) != NULL, "no file name in: %s", err.text);
}

static size_t load(const char *path, uint8_t **bytes) {
    off_t size = file_size(path);
    FILE *file = fopen(path, "rb");
    *bytes = malloc(size > 0 ? (size_t)size : 1);
    if (size <= 0 || file == NULL || *bytes == NULL ||
        fread(*bytes, 1, (size_t)size, file) != (size_t)size) {
        abort();
    }
    (void)fclose(file);
    return (size_t)size;
}

static void damage_is_refused(bool compact) {
    char good[300], bad[300];
    uint8_t *bytes;
    (void)snprintf(good, sizeof good, "%s/good.wlv", folder);
    (void)snprintf(bad, sizeof bad, "%s/bad.wlv", folder);
    write_file(good, fuzz_shape, FUZZ_CHANGE, FUZZ_CYCLES, compact);
    size_t size = load(good, &bytes);
    for (size_t at = 0; at < size; at++) {
        put_text(bad, bytes, at);
        expect_refused(bad, "cut at", at, true);
        uint8_t old = bytes[at];
        bytes[at] ^= (uint8_t)(1u << (random_word() % 8));
        put_text(bad, bytes, size);
        expect_refused(bad, "bit flipped at", at, false);
        bytes[at] = (uint8_t)random_word();
        put_text(bad, bytes, size);
        expect_refused(bad, "byte changed at", at, false);
        bytes[at] = old;
    }
    free(bytes);
}

static uint64_t get64(const uint8_t *from) {
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static void put32(uint8_t *to, uint32_t value) {
    memcpy(to, &value, sizeof value);
}

/** Make the checksums of header, chunk and index right again. One chunk, as in fuzz files. */
static void repair(uint8_t *bytes, size_t size, size_t json, size_t index) {
    size_t chunk = sizeof(file_header) + json;
    put32(bytes + 28,
          libdeflate_crc32(libdeflate_crc32(0, bytes, 28), bytes + sizeof(file_header), json));
    put32(bytes + chunk + 4, libdeflate_crc32(0, bytes + chunk + 8, index - chunk - 8));
    put32(bytes + size - 16, libdeflate_crc32(0, bytes + index, size - sizeof(trailer) - index));
}

/** Hostile files: right checksums around wrong contents. Any answer will do but a crash. */
static void hostile_files_do_no_harm(bool compact) {
    char good[300], bad[300];
    uint8_t *bytes, *work;
    (void)snprintf(good, sizeof good, "%s/good.wlv", folder);
    (void)snprintf(bad, sizeof bad, "%s/bad.wlv", folder);
    write_file(good, fuzz_shape, FUZZ_CHANGE, FUZZ_CYCLES, compact);
    size_t size = load(good, &bytes);
    work = malloc(size);
    if (work == NULL) {
        abort();
    }
    const size_t json = strlen(header_text);
    const size_t index = (size_t)get64(bytes + size - sizeof(trailer));
    unsigned refused = 0, read = 0;
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    for (unsigned round = 0; round < 6000; round++) {
        memcpy(work, bytes, size);
        for (unsigned i = 0; i <= round % 3; i++) {
            size_t at = round < size ? round : random_word() % size;
            work[at] = round % 2 != 0 ? values[random_word() % 5] : (uint8_t)random_word();
        }
        repair(work, size, json, index);
        put_text(bad, work, size);
        wlk_error err = {0};
        bool same;
        wlk_status status = read_file(bad, fuzz_shape, FUZZ_CHANGE, FUZZ_CYCLES, &same, &err);
        refused += status != WLK_OK;
        read += status == WLK_OK;
        CHECK_MSG(status == WLK_OK || err.text[0] != '\0', "no text");
    }
    CHECK_MSG(refused > 500 && read > 500, "%u refused, %u read", refused, read);
    free(bytes);
    free(work);
}

/** Offset of a plane that is stored raw in the first chunk. */
static size_t raw_plane(const uint8_t *bytes, enum plane plane) {
    size_t chunk = sizeof(file_header) + strlen(header_text);
    size_t at = chunk + sizeof(chunk_header);
    chunk_header header;
    memcpy(&header, bytes + chunk, sizeof header);
    CHECK_MSG(header.codec[plane] == CODEC_RAW, "plane %d is not raw", (int)plane);
    for (size_t i = 0; i < (size_t)plane; i++) {
        at += header.stored[i];
    }
    return at;
}

/** Contents that would lead outside the buffers, under right checksums. */
static void bounds_are_checked(void) {
    char path[300];
    uint8_t *bytes;
    wlk_error err = {0};
    bool same;
    (void)snprintf(path, sizeof path, "%s/bad.wlv", folder);
    write_file(path, fuzz_shape, FUZZ_CHANGE, FUZZ_CYCLES, false);
    size_t size = load(path, &bytes);
    size_t index = (size_t)get64(bytes + size - sizeof(trailer));
    size_t place = raw_plane(bytes, PLANE_SOURCES);
    uint8_t old = bytes[place + 1];
    bytes[place + 1] = 0xff; // a repeat of word 0xff00 and up
    repair(bytes, size, strlen(header_text), index);
    put_text(path, bytes, size);
    CHECK_MSG(read_file(path, fuzz_shape, FUZZ_CHANGE, FUZZ_CYCLES, &same, &err) == WLK_CORRUPT,
              "a source beyond the history is taken");
    expect_text(&err, WLK_CORRUPT, "chunk 0");
    bytes[place + 1] = old;
    uint8_t *map = bytes + raw_plane(bytes, PLANE_MAPS);
    while (map[0] == 0) {
        map += map_bytes(&fuzz_shape);
    }
    map[0] &= (uint8_t)(map[0] - 1); // instead of an input, a care word behind the last
    map[map_bytes(&fuzz_shape) - 1] |= 0x80;
    repair(bytes, size, strlen(header_text), index);
    put_text(path, bytes, size);
    free(bytes);
    CHECK_MSG(read_file(path, fuzz_shape, FUZZ_CHANGE, FUZZ_CYCLES, &same, &err) == WLK_CORRUPT,
              "a word beyond the record is taken");
}

static void corrupt_chunk_is_named(void) {
    char path[300];
    const wlk_vec_shape shape = {11, 25};
    uint8_t *bytes;
    wlk_error err;
    bool same;
    (void)snprintf(path, sizeof path, "%s/chunk.wlv", folder);
    write_file(path, shape, 1, 9000, false);
    size_t size = load(path, &bytes);
    size_t index = (size_t)get64(bytes + size - sizeof(trailer));
    uint64_t chunk = get64(bytes + index + sizeof(index_header) + sizeof(index_entry));
    bytes[chunk + 1000] ^= 4;
    put_text(path, bytes, size);
    free(bytes);
    char where[64];
    (void)snprintf(where, sizeof where, "chunk 1 at byte %llu", (unsigned long long)chunk);
    CHECK_MSG(read_file(path, shape, 1, 9000, &same, &err) == WLK_CORRUPT, "not refused");
    expect_text(&err, WLK_CORRUPT, where);
}

/** An index that does not fit its checksum is refused at once, not at the chunk it misplaces. */
static void corrupt_index_is_named(void) {
    char path[300];
    uint8_t *bytes;
    wlk_error err;
    (void)snprintf(path, sizeof path, "%s/chunk.wlv", folder);
    write_file(path, (wlk_vec_shape){40, 4}, 1, 4000, false); // chunks of fewer than 4096 records
    size_t size = load(path, &bytes);
    size_t index = (size_t)get64(bytes + size - sizeof(trailer));
    bytes[index + sizeof(index_header) + sizeof(index_entry) + 8] ^= 1; // first cycle of chunk 1
    put_text(path, bytes, size);
    free(bytes);
    CHECK_MSG(open_status(path, &err) == WLK_CORRUPT, "not refused");
    expect_text(&err, WLK_CORRUPT, "index at byte");
}

static void make_folder(void) {
    const char *base = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/wlk_container_XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        exit(1);
    }
}

static void remove_folder(void) {
    static const char *const names[] = {"round.wlv", "small.wlv", "seek.wlv", "full.wlv",
                                        "b.wlv",     "bad.wlv",   "good.wlv", "chunk.wlv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)unlink(file_in_folder(names[i]));
    }
    CHECK_MSG(rmdir(folder) == 0, "%s: something is left in it", folder);
}

int main(void) {
    random_state = 1;
    make_folder();
    container_round_trips();
    container_splits_at_sequences();
    container_is_small();
    container_memory_is_constant();
    container_seeks();
    packers_agree();
    create_refuses();
    abort_leaves_nothing();
    the_first_writer_has_the_name();
    full_disk_is_reported();
    open_names_the_fault();
    damage_is_refused(false);
    damage_is_refused(true);
    hostile_files_do_no_harm(false);
    hostile_files_do_no_harm(true);
    bounds_are_checked();
    corrupt_chunk_is_named();
    corrupt_index_is_named();
    remove_folder();
    return check_done();
}
