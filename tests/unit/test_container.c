// SPDX-License-Identifier: Apache-2.0
// Vector files: what is written is read again, and damage is reported, not decoded.
#define _DEFAULT_SOURCE
#include "check.h"
#include "container.h"
#include "pack.h"
#include "scratch.h"
#include "warplock/vectors.h"

#include <libdeflate.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char *const header_text = "{\"block\": \"test\", \"seed\": 7}";

static wlk_error err; // of the call at last
static uint64_t random_state = 1;

static uint64_t random_word(void) { // xorshift64*
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1du;
}

static off_t file_size(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 ? info.st_size : -1;
}

/* ---- records to write: a function of (seed, cycle), made again to compare ---- */

enum { STORE = 64, PAYLOAD = 8 };

/** What a file is made of. */
typedef struct recipe {
    wlk_vec_shape shape;
    unsigned change; /* a word changes in one of so many records; 1 = always */
    uint64_t cycles;
} recipe;

typedef struct source {
    wlk_vec_shape shape;
    unsigned change;
    uint64_t store[STORE][PAYLOAD]; /* earlier inputs, which come back as outputs */
    uint64_t *in, *out, *care;
} source;

static void source_start(source *s, wlk_vec_shape shape, unsigned change) {
    random_state = 0x9e3779b97f4a7c15u + change;
    *s = (source){.shape = shape, .change = change};
    s->in = calloc(shape.in_words + 1, sizeof *s->in);
    s->out = calloc(shape.out_words + 1, sizeof *s->out);
    s->care = calloc(shape.out_words + 1, sizeof *s->care);
    REQUIRE(s->in != NULL && s->out != NULL && s->care != NULL, "no memory");
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

static wlk_status write_next(source *s, wlk_vec_writer *writer) {
    source_next(s);
    return wlk_vec_write(writer, s->in, s->out, s->care, &err);
}

/** A writer that replaces what has the name. */
static wlk_vec_writer *writer_of(const char *path, const wlk_vec_shape *shape) {
    wlk_vec_writer *writer;
    REQUIRE(!wlk_vec_create(&writer, path, shape, header_text, true, &err), "%s", err.text);
    return writer;
}

static void finish(wlk_vec_writer *writer) {
    CHECK_MSG(wlk_vec_finish(writer, &err) == WLK_OK, "%s", err.text);
}

static const char *write_file(const char *name, recipe r, bool compact) {
    const char *path = scratch(name);
    wlk_vec_writer *writer = writer_of(path, &r.shape);
    source s;
    if (compact) {
        wlk_vec_compact(writer);
    }
    source_start(&s, r.shape, r.change);
    bool ok = true;
    for (uint64_t cycle = 0; cycle < r.cycles && ok; cycle++) {
        ok = write_next(&s, writer) == WLK_OK;
    }
    CHECK_MSG(ok, "%s", err.text);
    source_end(&s);
    finish(writer);
    return path;
}

static bool same_record(const source *s, const uint64_t *in, const uint64_t *out,
                        const uint64_t *care) {
    return memcmp(in, s->in, s->shape.in_words * sizeof *in) == 0 &&
           memcmp(out, s->out, s->shape.out_words * sizeof *out) == 0 &&
           memcmp(care, s->care, s->shape.out_words * sizeof *care) == 0;
}

/** Read to the end. WLK_OK: all of it is what write_file() wrote; FUNCTIONAL_MISMATCH: it is not.
 */
static wlk_status read_file(const char *path, recipe r) {
    wlk_vec_reader *reader;
    const uint64_t *in, *out, *care;
    err = (wlk_error){0};
    wlk_status status = wlk_vec_open(&reader, path, &err);
    if (status != WLK_OK) {
        return status;
    }
    wlk_vec_shape got = wlk_vec_get_shape(reader);
    bool equal = got.in_words == r.shape.in_words && got.out_words == r.shape.out_words &&
                 wlk_vec_cycles(reader) == r.cycles && !strcmp(wlk_vec_header(reader), header_text);
    source s;
    source_start(&s, got, r.change);
    uint64_t cycle = 0;
    while ((status = wlk_vec_read(reader, &in, &out, &care, &err)) == WLK_OK && in != NULL) {
        source_next(&s);
        equal = equal && same_record(&s, in, out, care);
        cycle++;
    }
    source_end(&s);
    wlk_vec_close(reader);
    return status != WLK_OK || (equal && cycle == r.cycles) ? status : WLK_FUNCTIONAL_MISMATCH;
}

static void check_round_trip(recipe r, bool compact) {
    const wlk_status status = read_file(write_file("round.wlv", r, compact), r);
    CHECK_MSG(status == WLK_OK, "%u+2*%u words, change 1/%u, %llu cycles, compact %d: %s",
              r.shape.in_words, r.shape.out_words, r.change, (unsigned long long)r.cycles, compact,
              err.text);
    CHECK_MSG(scratch_files("round.wlv") == 1, "the partial file is left");
}

CASE(container_round_trips) {
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
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t j = 0; j < COUNT(changes); j++) {
            check_round_trip((recipe){cases[i].shape, changes[j], cases[i].cycles}, false);
        }
        const uint64_t fewer = cases[i].cycles < 600 ? cases[i].cycles : 600;
        check_round_trip((recipe){cases[i].shape, 3, fewer}, true);
    }
}

static wlk_vec_reader *reader_of(const char *path) {
    wlk_vec_reader *reader;
    REQUIRE(!wlk_vec_open(&reader, path, &err), "%s", err.text);
    return reader;
}

/** The next record; NULL in its parts behind the last. */
static void read_next(wlk_vec_reader *reader, const uint64_t **in, const uint64_t **out,
                      const uint64_t **care) {
    REQUIRE(!wlk_vec_read(reader, in, out, care, &err), "%s", err.text);
}

/** Words from all over the history: a sequence each, more than a chunk may have. */
CASE(container_splits_at_sequences) {
    enum { WORDS = 40, CYCLES = 2000, KNOWN = 200 };
    const wlk_vec_shape shape = {0, WORDS};
    const uint64_t care[WORDS] = {0}, *in, *out, *care_read;
    static uint64_t words[CYCLES][WORDS];
    wlk_vec_writer *writer = writer_of(scratch("round.wlv"), &shape);
    for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
        for (unsigned i = 0; i < WORDS; i++) {
            words[cycle][i] = random_word() % KNOWN * 0x100000001u;
        }
        CHECK_MSG(!wlk_vec_write(writer, care, words[cycle], care, &err), "%s", err.text);
    }
    finish(writer);
    wlk_vec_reader *reader = reader_of(scratch("round.wlv"));
    for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
        read_next(reader, &in, &out, &care_read);
        REQUIRE(out != NULL && !memcmp(out, words[cycle], sizeof words[cycle]), "cycle %u", cycle);
    }
    wlk_vec_close(reader);
}

/** Unchanged words cost nothing, and outputs that repeat inputs next to nothing. */
CASE(container_is_small) {
    static const struct {
        unsigned change;
        uint64_t cycles, bytes;
    } cases[] = {{1, 8000, 130}, {1000000, 8000, 3}}; // saturated, idle
    for (size_t i = 0; i < COUNT(cases); i++) {
        const recipe r = {{11, 25}, cases[i].change, cases[i].cycles};
        const off_t size = file_size(write_file("small.wlv", r, false));
        CHECK_MSG(size < (off_t)(r.cycles * cases[i].bytes), "%lld bytes", (long long)size);
    }
    const recipe r = {{11, 25}, 3, 2000};
    const off_t fast = file_size(write_file("small.wlv", r, false));
    const off_t compact = file_size(write_file("small.wlv", r, true));
    CHECK_MSG(compact < fast, "compact %lld, fast %lld", (long long)compact, (long long)fast);
}

CASE(container_memory_is_constant) {
    recipe r = {{11, 25}, 1, 9000};
    struct rusage before, after;
    check_round_trip(r, false);
    getrusage(RUSAGE_SELF, &before);
    r.cycles = 150000; // 73 MB of records, 15 MB of file
    CHECK_MSG(read_file(write_file("long.wlv", r, false), r) == WLK_OK, "%s", err.text);
    getrusage(RUSAGE_SELF, &after);
    CHECK_MSG(after.ru_maxrss - before.ru_maxrss < 4096, "%ld KiB more than for a short file",
              after.ru_maxrss - before.ru_maxrss);
    (void)unlink(scratch("long.wlv"));
}

/* ---- seek ---- */

CASE(container_seeks) {
    enum { CYCLES = 13000, WORDS = 3 };
    static const uint64_t edges[] = {0, 1, 4095, 4096, 4095, 8192, CYCLES - 1, 0, 5, 7, 6};
    const wlk_vec_shape shape = {1, 1};
    const uint64_t *in, *out, *care;
    wlk_vec_writer *writer = writer_of(scratch("seek.wlv"), &shape);
    for (uint64_t cycle = 0; cycle < CYCLES; cycle++) {
        const uint64_t words[WORDS] = {cycle, cycle / 100, ~UINT64_C(0)};
        CHECK_MSG(!wlk_vec_write(writer, words, words + 1, words + 2, &err), "%s", err.text);
    }
    finish(writer);
    wlk_vec_reader *reader = reader_of(scratch("seek.wlv"));
    for (unsigned i = 0; i < 200; i++) {
        const uint64_t to = i < COUNT(edges) ? edges[i] : random_word() % CYCLES;
        CHECK_MSG(wlk_vec_seek(reader, to, &err) == WLK_OK, "%s", err.text);
        read_next(reader, &in, &out, &care);
        CHECK_MSG(in != NULL && *in == to && *out == to / 100 && *care == ~UINT64_C(0),
                  "not cycle %llu", (unsigned long long)to);
    }
    CHECK_MSG(wlk_vec_seek(reader, CYCLES, &err) == WLK_OK, "%s", err.text);
    read_next(reader, &in, &out, &care);
    CHECK_MSG(in == NULL, "not at the end");
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
CASE(packers_agree) {
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

static const wlk_vec_shape one_word = {1, 1};
static const uint64_t record[3] = {1, 2, 3};

/** The call must have answered so, with @p part in its message. */
static void expect(wlk_status got, wlk_status status, const char *part) {
    CHECK_MSG(got == status && err.status == status, "%s, not %s: %s", wlk_status_name(got),
              wlk_status_name(status), err.text);
    CHECK_MSG(strstr(err.text, part) != NULL, "\"%s\" is not in: %s", part, err.text);
}

static wlk_status create(wlk_vec_writer **writer, const char *path, const wlk_vec_shape *shape,
                         const char *header) {
    err = (wlk_error){0};
    return wlk_vec_create(writer, path, shape, header, false, &err);
}

static void write_record(wlk_vec_writer *writer) {
    CHECK_MSG(!wlk_vec_write(writer, record, record + 1, record + 2, &err), "%s", err.text);
}

CASE(create_refuses) {
    static const wlk_vec_shape bad[] = {{0, 0}, {32769, 0}, {1, 16384}, {0, 0x80000000u}};
    wlk_vec_writer *writer;
    for (size_t i = 0; i < COUNT(bad); i++) {
        expect(create(&writer, scratch("x.wlv"), &bad[i], "{}"), WLK_USAGE, "x.wlv");
        CHECK(writer == NULL);
    }
    expect(create(&writer, scratch("x.wlv"), &one_word, ""), WLK_USAGE, "");
    expect(create(&writer, scratch("no/x.wlv"), &one_word, "{}"), WLK_NO_FILE, "no/x.wlv");
    expect(create(&writer, "/dev/full", &one_word, "{}"), WLK_NO_SPACE, "No space left");
}

CASE(abort_leaves_nothing) {
    wlk_vec_writer *writer;
    CHECK_MSG(!create(&writer, scratch("a.wlv"), &one_word, "{}"), "%s", err.text);
    write_record(writer);
    CHECK_MSG(scratch_files("a.wlv") == 1 && file_size(scratch("a.wlv")) < 0, "names");
    wlk_vec_abort(writer);
    CHECK_MSG(scratch_files("a.wlv") == 0, "left");
    wlk_vec_abort(NULL);
}

/** Only one of two writers gets the name; the loser leaves nothing and replaces nothing. */
CASE(the_first_writer_has_the_name) {
    const char *path = scratch("b.wlv");
    wlk_vec_writer *first = NULL, *second = NULL;
    CHECK_MSG(!create(&first, path, &one_word, "{}"), "%s", err.text);
    CHECK_MSG(!create(&second, path, &one_word, "{}"), "%s", err.text);
    write_record(first);
    CHECK_MSG(scratch_files("b.wlv") == 2, "one partial file for two");
    finish(first);
    const off_t size = file_size(path);
    expect(wlk_vec_finish(second, &err), WLK_USAGE, "exists already");
    CHECK_MSG(file_size(path) == size && scratch_files("b.wlv") == 1, "left");
    CHECK_MSG(create(&second, path, &one_word, "{}") == WLK_USAGE, "made");
    finish(writer_of(path, &one_word));
    CHECK_MSG(file_size(path) != size && scratch_files("b.wlv") == 1, "not replaced");
}

/** Write until it fails, then finish: both report it, the partial file goes, the old file stays. */
static void expect_no_space(unsigned records, const char *cause) {
    const char *path = scratch_text("full.wlv", "old");
    const wlk_vec_shape shape = {11, 25};
    wlk_vec_writer *writer;
    source s;
    wlk_status status = wlk_vec_create(&writer, path, &shape, header_text, true, &err);
    if (status == WLK_OK) {
        source_start(&s, shape, 1);
        for (unsigned i = 0; i < records && status == WLK_OK; i++) {
            status = write_next(&s, writer);
        }
        if (status != WLK_OK) {
            expect(wlk_vec_write(writer, s.in, s.out, s.care, &err), status, cause);
        }
        source_end(&s);
        status = wlk_vec_finish(writer, &err);
    }
    expect(status, WLK_NO_SPACE, "full.wlv: cannot write");
    expect(status, WLK_NO_SPACE, cause);
    CHECK_MSG(scratch_files("full.wlv") == 1, "the partial file is left");
    CHECK_MSG(file_size(path) == (off_t)strlen("old"), "the old file is gone");
}

CASE(full_disk_is_reported) {
    // A limit of the file's size stands for a disk that fills up, at several places of the file.
    static const rlim_t limits[] = {10, 70, 1000, 100000, 300000, 700000};
    struct rlimit old, limit;
    (void)signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    for (size_t i = 0; i < COUNT(limits); i++) {
        limit = (struct rlimit){.rlim_cur = limits[i], .rlim_max = old.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        expect_no_space(i < 3 ? 20 : 9000, "File too large");
        setrlimit(RLIMIT_FSIZE, &old);
    }
}

/* ---- the reader's bad days ---- */

static wlk_status open_status(const char *path) {
    wlk_vec_reader *reader;
    err = (wlk_error){0};
    wlk_status status = wlk_vec_open(&reader, path, &err);
    CHECK_MSG((status == WLK_OK) == (reader != NULL), "reader and status differ");
    wlk_vec_close(reader);
    return status;
}

CASE(open_names_the_fault) {
    static const struct {
        const char *bytes;
        size_t size;
        wlk_status status;
        const char *part;
    } files[] = {
        {"cycle,in\n0,1\n", 13, WLK_CORRUPT, "not a warplock vector file"},
        {"", 0, WLK_TRUNCATED, ""},
        {FILE_MAGIC "\2\0\0\0", 12, WLK_BAD_VERSION, "format 2"},
    };
    expect(open_status(scratch("none.wlv")), WLK_NO_FILE, "none.wlv");
    expect(open_status(scratch("")), WLK_NO_FILE, "");
    expect(open_status("/dev/zero"), WLK_NO_FILE, "");
    for (size_t i = 0; i < COUNT(files); i++) {
        const char *path = scratch_write("bad.wlv", files[i].bytes, files[i].size);
        expect(open_status(path), files[i].status, files[i].part);
    }
}

static const recipe fuzzed = {{3, 10}, 3, 60};

/** The bytes of a file that are to be damaged, and the places in it. */
typedef struct victim {
    uint8_t *bytes;
    size_t size, chunk, index, end; /* end: the trailer */
} victim;

static victim victim_of(recipe r, bool compact) {
    victim v = {.chunk = sizeof(file_header) + strlen(header_text)};
    trailer last;
    v.bytes = scratch_read(write_file("good.wlv", r, compact), &v.size);
    v.end = v.size - sizeof last;
    memcpy(&last, v.bytes + v.end, sizeof last);
    v.index = last.index_offset;
    return v;
}

static wlk_status read_bytes(const uint8_t *bytes, size_t size, recipe r) {
    return read_file(scratch_write("bad.wlv", bytes, size), r);
}

/** A damaged file is refused, or holds what the whole one holds. */
static void expect_refused(const victim *v, const char *damage, size_t at) {
    const wlk_status status = read_bytes(v->bytes, v->size, fuzzed);
    CHECK_MSG(status == WLK_OK || status == WLK_CORRUPT || status == WLK_TRUNCATED ||
                  status == WLK_BAD_VERSION,
              "%s at %zu: %s", damage, at, wlk_status_name(status));
    CHECK_MSG(status == WLK_OK || strstr(err.text, "bad.wlv") != NULL, "no file name in: %s",
              err.text);
}

static void damage_is_refused(bool compact) {
    const victim v = victim_of(fuzzed, compact);
    for (size_t at = 0; at < v.size; at++) {
        expect(read_bytes(v.bytes, at, fuzzed), WLK_TRUNCATED, "bad.wlv");
        const uint8_t old = v.bytes[at];
        v.bytes[at] ^= (uint8_t)(1u << (random_word() % 8));
        expect_refused(&v, "bit flipped", at);
        v.bytes[at] = (uint8_t)random_word();
        expect_refused(&v, "byte changed", at);
        v.bytes[at] = old;
    }
    free(v.bytes);
}

CASE(damage_is_refused_fast_and_compact) {
    damage_is_refused(false);
    damage_is_refused(true);
}

static void put32(uint8_t *to, uint32_t value) {
    memcpy(to, &value, sizeof value);
}

/** Read a file whose checksums of header, chunk and index are right again. It has one chunk. */
static wlk_status read_repaired(const victim *v, uint8_t *bytes) {
    const size_t text = sizeof(file_header), in_chunk = v->chunk + offsetof(chunk_header, first);
    const uint32_t head = libdeflate_crc32(0, bytes, offsetof(file_header, crc));
    put32(bytes + offsetof(file_header, crc),
          libdeflate_crc32(head, bytes + text, v->chunk - text));
    put32(bytes + v->chunk + offsetof(chunk_header, crc),
          libdeflate_crc32(0, bytes + in_chunk, v->index - in_chunk));
    put32(bytes + v->end + offsetof(trailer, index_crc),
          libdeflate_crc32(0, bytes + v->index, v->end - v->index));
    return read_bytes(bytes, v->size, fuzzed);
}

/** Hostile files: right checksums around wrong contents. Any answer will do but a crash. */
static void hostile_files_do_no_harm(bool compact) {
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    const victim v = victim_of(fuzzed, compact);
    uint8_t *work = malloc(v.size);
    unsigned refused = 0, read = 0;
    for (unsigned round = 0; round < 6000 && work != NULL; round++) {
        memcpy(work, v.bytes, v.size);
        for (unsigned i = 0; i <= round % 3; i++) {
            const size_t at = round < v.size ? round : random_word() % v.size;
            work[at] = round % 2 != 0 ? values[random_word() % 5] : (uint8_t)random_word();
        }
        const wlk_status status = read_repaired(&v, work);
        const bool whole = status == WLK_OK || status == WLK_FUNCTIONAL_MISMATCH;
        refused += !whole;
        read += whole;
        CHECK_MSG(whole || err.text[0] != '\0', "no text");
    }
    CHECK_MSG(refused > 500 && read > 500, "%u refused, %u read", refused, read);
    free(v.bytes);
    free(work);
}

CASE(hostile_files_do_no_harm_fast_and_compact) {
    hostile_files_do_no_harm(false);
    hostile_files_do_no_harm(true);
}

/** Offset of a plane that is stored raw in the first chunk. */
static size_t raw_plane(const victim *v, enum plane plane) {
    size_t at = v->chunk + sizeof(chunk_header);
    chunk_header header;
    memcpy(&header, v->bytes + v->chunk, sizeof header);
    CHECK_MSG(header.codec[plane] == CODEC_RAW, "plane %d is not raw", (int)plane);
    for (size_t i = 0; i < (size_t)plane; i++) {
        at += header.stored[i];
    }
    return at;
}

/** Contents that would lead outside the buffers, under right checksums. */
CASE(bounds_are_checked) {
    const victim v = victim_of(fuzzed, false);
    const size_t place = raw_plane(&v, PLANE_SOURCES);
    const uint8_t old = v.bytes[place + 1];
    v.bytes[place + 1] = 0xff; // a repeat of word 0xff00 and up, beyond the history
    expect(read_repaired(&v, v.bytes), WLK_CORRUPT, "chunk 0");
    v.bytes[place + 1] = old;
    uint8_t *map = v.bytes + raw_plane(&v, PLANE_MAPS);
    while (map[0] == 0) {
        map += map_bytes(&fuzzed.shape);
    }
    map[0] &= (uint8_t)(map[0] - 1); // instead of an input, a care word behind the last
    map[map_bytes(&fuzzed.shape) - 1] |= 0x80;
    expect(read_repaired(&v, v.bytes), WLK_CORRUPT, "");
    free(v.bytes);
}

CASE(corrupt_chunk_is_named) {
    const recipe r = {{11, 25}, 1, 9000};
    const victim v = victim_of(r, false);
    index_entry second;
    memcpy(&second, v.bytes + v.index + sizeof(index_header) + sizeof second, sizeof second);
    char where[64];
    (void)snprintf(where, sizeof where, "chunk 1 at byte %llu", (unsigned long long)second.offset);
    v.bytes[second.offset + 1000] ^= 4;
    expect(read_bytes(v.bytes, v.size, r), WLK_CORRUPT, where);
    free(v.bytes);
}

/** An index that does not fit its checksum is refused at once, not at the chunk it misplaces. */
CASE(corrupt_index_is_named) {
    const recipe r = {{40, 4}, 1, 4000}; // chunks of fewer than 4096 records
    const victim v = victim_of(r, false);
    const size_t second = v.index + sizeof(index_header) + sizeof(index_entry);
    v.bytes[second + offsetof(index_entry, first)] ^= 1;
    expect(open_status(scratch_write("bad.wlv", v.bytes, v.size)), WLK_CORRUPT, "index at byte");
    free(v.bytes);
}

CASE(nothing_else_is_left) {
    CHECK(scratch_files("") == 7); // round, small, seek, b, full, good, bad
}

int main(void) {
    return check_cases();
}
