// SPDX-License-Identifier: Apache-2.0
/* Waveform reader: a hand-written dump, written FSTs, damaged files, and the recordings. */
#include "check.h"
#include "warplock/wave.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <fstapi.h>

static char dir[256];     /* scratch folder */
static size_t effort = 1; /* WLK_TEST_LONG=1 damages ten times as many files */

static const char *in_dir(const char *name) {
    static char paths[4][512];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", dir, name);
    return path;
}

static void write_file(const char *path, const void *bytes, size_t len) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, len, file) == len);
    if (file != NULL) {
        (void)fclose(file);
    }
}

static void write_text(const char *path, const char *text) {
    write_file(path, text, strlen(text));
}

static unsigned char *read_all(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    (void)fseek(file, 0, SEEK_END);
    *len = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*len + 1);
    if (bytes != NULL && fread(bytes, 1, *len, file) != *len) {
        *len = 0;
    }
    (void)fclose(file);
    return bytes;
}

static wlk_status open_status(const char *path) {
    wlk_wave *wave;
    wlk_error err = {.status = WLK_OK};
    wlk_status status = wlk_wave_open(&wave, path, NULL, &err);
    CHECK((status == WLK_OK) == (wave != NULL));
    CHECK(status == err.status);
    CHECK(status == WLK_OK || strlen(err.text) > 20);
    CHECK(strchr(err.text, '\n') == NULL);
    wlk_wave_close(wave);
    return status;
}

static wlk_wave_handle handle_of(const wlk_wave *wave, const char *path) {
    size_t count, i = wlk_wave_find_path(wave, path);
    CHECK(i != WLK_WAVE_NONE);
    return i == WLK_WAVE_NONE ? 0 : wlk_wave_signals(wave, &count)[i].handle;
}

/* ---- a small VCD: everything that is easy to get wrong --------------------------------------- */

static const char small_vcd[] =
    "$date today $end\n$timescale 1ns $end\n$scope module top $end\n"
    "$var wire 1 ! clk $end\n$var wire 1 @ clk2 $end\n"
    "$var wire 8 d data [7:0] $end\n"
    "$var wire 1 0 bits [0] $end\n$var wire 1 2 bits [2] $end\n$var wire 1 1 bits [1] $end\n"
    "$var wire 1 3 gap[3] $end\n$var wire 1 4 gap[1] $end\n"
    "$var real 64 r analog $end\n$var wire 80 w wide[79:0] $end\n"
    "$var wire 1 o always1 $end\n$var wire 32 m mem[3] [31:0] $end\n"
    "$scope module sub $end\n$var wire 8 d in [7:0] $end\n$var wire 4 q late [3:0] $end\n"
    "$upscope $end\n$upscope $end\n"
    "$scope module top $end\n$var wire 1 e \\esc[2] $end\n$upscope $end\n"
    "$enddefinitions $end\n"
    "#0\n$dumpvars\n0!\n1@\nb1 d\n10\n02\nx1\n03\n14\nr1.5 r\n1o\n"
    "b1z w\n1e\nb11 m\nbx q\n$end\n"
    /* edge of clk with data before and after the clock in the file, and twice */
    "#5\nb10 d\n1!\nb11 d\n11\n1o\n"
    "#7\n1!\nb100 d\n"      /* no edge: stays 1 */
    "#9\n0!\n0@\n0o\n"      /* clk2 was 1 from the start: no edge yet */
    "#10\n1!\n0!\nb101 d\n" /* a pulse of zero width is no edge */
    /* X -> 1 is none, and a value given again is no change */
    "#12\nx!\n#13\n1!\nb101 d\n11\n#14\n0!\n"
    "#15\n1@\n1!\nb1111 d\nb1010z01x q\n1o\n"
    "b10000000000000000000000000000000000000000000000000000000000000000000000000000111 w\n"
    "#16\n0!\n0@\n#18\n1@\n"
    "#20\n1!\n";

typedef struct seen {
    uint64_t time, data, x, bits, bits_x, wide[2], wide_x[2];
} seen;

typedef struct probe {
    seen now; /* the bound words */
    seen log[32];
    uint64_t count;
    int answer;
} probe;

static int on_probe(void *ctx, uint64_t time, uint64_t sample) {
    probe *p = ctx;
    CHECK(sample == p->count);
    if (p->count < 32) {
        p->log[p->count] = p->now;
        p->log[p->count].time = time;
    }
    p->count++;
    return p->answer;
}

static void bind_probe(wlk_wave *wave, probe *p, const char *clock) {
    wlk_error err;
    uint32_t s;
    size_t top = wlk_wave_find_scope(wave, "top");
    wlk_wave_handle handle = clock == NULL ? WLK_WAVE_NO_CLOCK : handle_of(wave, clock);
    CHECK(wlk_wave_add_sampler(wave, handle, on_probe, p, &s, &err) == WLK_OK);
    p->now.data = UINT64_C(0xabcd) << 48;
    CHECK(wlk_wave_bind_signal(wave, s, top, "data", 8, &p->now.data, &p->now.x, 4, &err) == 0);
    CHECK(wlk_wave_bind_signal(wave, s, top, "bits", 3, &p->now.bits, &p->now.bits_x, 0, &err) ==
          0);
    CHECK(wlk_wave_bind_signal(wave, s, top, "wide", 80, p->now.wide, p->now.wide_x, 0, &err) == 0);
}

static void check_small_names(const wlk_wave *wave) {
    size_t parts, count, scopes;
    uint32_t width;
    size_t top = wlk_wave_find_scope(wave, "top"), sub = wlk_wave_find_scope(wave, "top.sub");
    const wlk_wave_signal *signals = wlk_wave_signals(wave, &count);
    const wlk_wave_scope *all = wlk_wave_scopes(wave, &scopes);
    CHECK(scopes == 3 && strcmp(all[0].path, "") == 0); /* root, top (opened twice), sub */
    CHECK(all[sub].parent == top && strcmp(all[sub].name, "sub") == 0);
    CHECK(all[top].num_signals == 12 && all[sub].num_signals == 2 && count == 14);
    CHECK(wlk_wave_find_signal(wave, top, "analog", NULL, NULL) == WLK_WAVE_NONE);
    size_t i = wlk_wave_find_signal(wave, top, "bits", &parts, &width);
    CHECK(i != WLK_WAVE_NONE && parts == 3 && width == 3 && signals[i].lsb == 2);
    i = wlk_wave_find_signal(wave, top, "wide", &parts, &width);
    CHECK(i != WLK_WAVE_NONE && parts == 1 && width == 80);
    CHECK(wlk_wave_find_path(wave, "top.wide") == i);
    CHECK(wlk_wave_find_signal(wave, top, "mem[3]", NULL, &width) != WLK_WAVE_NONE && width == 32);
    CHECK(wlk_wave_find_signal(wave, top, "esc[2]", NULL, &width) != WLK_WAVE_NONE && width == 1);
    CHECK(handle_of(wave, "top.data") == handle_of(wave, "top.sub.in"));
    CHECK(wlk_wave_find_path(wave, "top.sub.data") == WLK_WAVE_NONE);
    CHECK(wlk_wave_find_scope(wave, "top.su") == WLK_WAVE_NONE);
}

static void check_small_errors(wlk_wave *wave) {
    wlk_error err;
    uint32_t s;
    uint64_t word = 0;
    size_t top = wlk_wave_find_scope(wave, "top");
    wlk_wave_handle data = handle_of(wave, "top.data");
    CHECK(wlk_wave_add_sampler(wave, data, on_probe, NULL, &s, &err) == WLK_NO_CLOCK);
    CHECK(wlk_wave_add_sampler(wave, 999, on_probe, NULL, &s, &err) == WLK_NO_CLOCK);
    s = WLK_WAVE_NO_SAMPLER;
    CHECK(wlk_wave_bind_signal(wave, s, top, "data", 9, &word, NULL, 0, &err) == WLK_BAD_WIDTH);
    CHECK(wlk_wave_bind_signal(wave, s, top, "dat", 8, &word, NULL, 0, &err) == WLK_IFACE_CHANGED);
    CHECK(wlk_wave_bind_signal(wave, s, top, "gap", 2, &word, NULL, 0, &err) == WLK_BAD_WIDTH);
    wlk_wave_dest dest = {.value = &word, .lsb = 57, .width = 8};
    CHECK(wlk_wave_bind(wave, s, data, &dest, &err) == WLK_BAD_WIDTH);
    dest = (wlk_wave_dest){.value = &word, .width = 4, .source_lsb = 5};
    CHECK(wlk_wave_bind(wave, s, data, &dest, &err) == WLK_BAD_WIDTH);
    dest.width = 0;
    CHECK(wlk_wave_bind(wave, s, data, &dest, &err) == WLK_BAD_WIDTH);
    dest.width = 1;
    CHECK(wlk_wave_bind(wave, s, 999, &dest, &err) == WLK_MODEL_ERROR);
    CHECK(wlk_wave_bind(wave, 7, data, &dest, &err) == WLK_MODEL_ERROR);
}

static uint64_t shown(uint64_t data) {
    return UINT64_C(0xabcd) << 48 | data << 4;
}

static void check_clocked(const probe *p) {
    static const uint64_t times[] = {5, 15, 20};
    CHECK(p->count == 3);
    for (size_t i = 0; i < 3; i++) {
        CHECK(p->log[i].time == times[i]);
    }
    CHECK(p->log[0].data == shown(1) && p->log[0].x == 0); /* before the edge at 5 */
    CHECK(p->log[0].bits == 1 && p->log[0].bits_x == 2);
    CHECK(p->log[0].wide[0] == 2 && p->log[0].wide_x[0] == 1);
    CHECK(p->log[0].wide[1] == 0 && p->log[0].wide_x[1] == 0);
    CHECK(p->log[1].data == shown(5)); /* not yet the 15 of time 15 */
    CHECK(p->log[1].bits == 3 && p->log[1].bits_x == 0);
    CHECK(p->log[2].data == shown(15));
    CHECK(p->log[2].wide[0] == 7 && p->log[2].wide[1] == 0x8000 && p->log[2].wide_x[0] == 0);
}

static void check_clockless(const probe *p) {
    /* only bound bits count: nothing at 9, 12 .. 14, 16 .. 20; settled values of each time */
    static const uint64_t times[] = {0, 5, 7, 10, 15}, data[] = {1, 3, 4, 5, 15};
    CHECK(p->count == 5);
    for (size_t i = 0; i < 5; i++) {
        CHECK(p->log[i].time == times[i] && p->log[i].data == shown(data[i]));
    }
    CHECK(p->log[1].bits == 3 && p->log[0].bits_x == 2);
}

static void check_stops(wlk_wave *wave, probe *clocked, probe *second, probe *third) {
    wlk_error err;
    clocked->count = second->count = third->count = 0;
    clocked->answer = WLK_WAVE_DONE;
    CHECK(wlk_wave_run(wave, &err) == WLK_OK);
    CHECK(clocked->count == 1 && second->count == 2);
    clocked->count = second->count = third->count = 0;
    clocked->answer = WLK_WAVE_STOP;
    CHECK(wlk_wave_run(wave, &err) == WLK_OK);
    CHECK(clocked->count == 1 && second->count == 0);
    CHECK(wlk_wave_get_progress(wave).now == 5 && wlk_wave_get_progress(wave).end == 20);
    clocked->count = 0;
    wlk_wave_stop(wave);
    CHECK(wlk_wave_run(wave, &err) == WLK_INTERRUPTED);
    CHECK(clocked->count == 0);
}

static void test_small(const char *path) {
    wlk_error err = {.text = ""};
    wlk_wave *wave;
    probe clocked = {0}, second = {0}, free_running = {0};
    if (!CHECK(wlk_wave_open(&wave, path, NULL, &err) == WLK_OK)) {
        printf("%s\n", err.text);
        return;
    }
    uint64_t start, end;
    int exponent;
    wlk_wave_times(wave, &start, &end, &exponent);
    CHECK(start == 0 && end == 20 && exponent == -9);
    check_small_names(wave);
    check_small_errors(wave);
    bind_probe(wave, &clocked, "top.clk");
    bind_probe(wave, &second, "top.clk2");
    bind_probe(wave, &free_running, NULL);
    CHECK(wlk_wave_run(wave, &err) == WLK_OK);
    check_clocked(&clocked);
    check_clockless(&free_running);
    CHECK(second.count == 2 && second.log[0].time == 15 && second.log[1].time == 18);
    CHECK(second.log[0].data == shown(5) && second.log[1].data == shown(15));
    clocked.now.x = free_running.now.x = 0;
    clocked.count = free_running.count = second.count = 0;
    CHECK(wlk_wave_run(wave, &err) == WLK_OK); /* the same again */
    check_clocked(&clocked);
    check_clockless(&free_running);
    check_stops(wave, &clocked, &second, &free_running);
    wlk_wave_close(wave);
}

/* ---- FST made by other settings of the converter -----------------------------------------------
 */

static bool shell(const char *command) {
    return system(command) == 0;
}

static void test_packings(void) {
    static const char *const options[] = {"-4", "-F", "-Z", "-Z -p"};
    char command[1200];
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        (void)snprintf(command, sizeof command, "vcd2fst %s %s %s >/dev/null 2>&1", options[i],
                       in_dir("small.vcd"), in_dir("small.fst"));
        CHECK(shell(command));
        test_small(in_dir("small.fst"));
    }
}

/* ---- FST written here: many blocks, aliases, wide signals, X -----------------------------------
 */

enum { SIGNALS = 24, STEPS = 600, MAX_BITS = 200 };

typedef struct random_wave {
    uint32_t width[SIGNALS];
    fstHandle handle[SIGNALS];
    char text[SIGNALS][MAX_BITS + 1]; /* current value */
    uint64_t value[SIGNALS][4], x[SIGNALS][4];
    uint64_t *hashes; /* of all values before each edge */
    size_t edges;
    size_t bad;
} random_wave;

static uint64_t seed;

static uint32_t rnd(uint32_t below) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

static uint64_t hash_text(const random_wave *r) {
    uint64_t hash = 1469598103934665603u;
    for (size_t s = 0; s < SIGNALS; s++) {
        for (const char *c = r->text[s]; *c != '\0'; c++) {
            hash = (hash ^ (*c == '1' ? 1u : *c == '0' ? 0u : 2u)) * 1099511628211u;
        }
    }
    return hash;
}

static uint64_t hash_words(const random_wave *r) {
    uint64_t hash = 1469598103934665603u;
    for (size_t s = 0; s < SIGNALS; s++) {
        for (uint32_t bit = r->width[s]; bit-- > 0;) {
            uint64_t value = r->value[s][bit / 64] >> bit % 64 & 1;
            uint64_t x = r->x[s][bit / 64] >> bit % 64 & 1;
            hash = (hash ^ (x != 0 ? 2u : value)) * 1099511628211u;
        }
    }
    return hash;
}

static void write_random(random_wave *r, const char *path, enum fstWriterPackType pack) {
    void *out = fstWriterCreate(path, 1);
    fstWriterSetPackType(out, pack);
    fstWriterSetScope(out, FST_ST_VCD_MODULE, "top", NULL);
    fstHandle clock = fstWriterCreateVar(out, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 1, "clk", 0);
    for (size_t s = 0; s < SIGNALS; s++) {
        char name[32];
        bool alias = s % 5 == 4; /* same handle as the one before */
        r->width[s] = alias ? r->width[s - 1] : rnd(3) == 0 ? 1 : 1 + rnd(MAX_BITS);
        memset(r->text[s], 'x', r->width[s]);
        (void)snprintf(name, sizeof name, "s%zu [%u:0]", s, r->width[s] - 1);
        r->handle[s] = fstWriterCreateVar(out, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, r->width[s], name,
                                          alias ? r->handle[s - 1] : 0);
    }
    fstWriterSetUpscope(out);
    for (uint64_t t = 0; t < STEPS; t++) {
        bool edge = t % 2 == 1;
        fstWriterEmitTimeChange(out, 3 * t);
        if (t % 97 == 50) {
            fstWriterFlushContext(out);
        }
        if (edge) {
            r->hashes[r->edges++] = hash_text(r);
        }
        if (rnd(2) == 0) {
            fstWriterEmitValueChange(out, clock, edge ? "1" : "0");
        }
        for (uint32_t n = rnd(2 * SIGNALS); n > 0; n--) {
            uint32_t s = rnd(SIGNALS), levels = rnd(3) == 0 ? 4 : 2;
            for (uint32_t b = 0; b < r->width[s]; b++) {
                r->text[s][b] = "01xz"[rnd(levels)];
            }
            fstWriterEmitValueChange(out, r->handle[s], r->text[s]);
            for (size_t o = 0; o < SIGNALS; o++) {
                if (r->handle[o] == r->handle[s]) {
                    memcpy(r->text[o], r->text[s], sizeof r->text[s]);
                }
            }
        }
        fstWriterEmitValueChange(out, clock, edge ? "1" : "0");
    }
    fstWriterClose(out);
}

static int on_random(void *ctx, uint64_t time, uint64_t sample) {
    random_wave *r = ctx;
    if (sample >= r->edges || time != 3 * (2 * sample + 1) || r->hashes[sample] != hash_words(r)) {
        r->bad++;
    }
    r->edges -= sample + 1 == r->edges ? r->edges : 0; /* 0 when all have come */
    return WLK_WAVE_CONTINUE;
}

static void test_random(enum fstWriterPackType pack) {
    random_wave *r = calloc(1, sizeof *r);
    wlk_wave *wave;
    wlk_error err = {.text = ""};
    uint32_t s;
    r->hashes = calloc(STEPS, sizeof *r->hashes);
    write_random(r, in_dir("random.fst"), pack);
    if (CHECK(wlk_wave_open(&wave, in_dir("random.fst"), NULL, &err) == WLK_OK)) {
        char name[16];
        CHECK(wlk_wave_add_sampler(wave, handle_of(wave, "top.clk"), on_random, r, &s, &err) == 0);
        for (size_t i = 0; i < SIGNALS; i++) {
            (void)snprintf(name, sizeof name, "s%zu", i);
            CHECK(wlk_wave_bind_signal(wave, s, wlk_wave_find_scope(wave, "top"), name, r->width[i],
                                       r->value[i], r->x[i], 0, &err) == WLK_OK);
        }
        CHECK(wlk_wave_run(wave, &err) == WLK_OK);
        CHECK(r->bad == 0 && r->edges == 0);
        wlk_wave_close(wave);
    }
    if (err.text[0] != '\0') {
        printf("%s\n", err.text);
    }
    free(r->hashes);
    free(r);
}

/* ---- damaged files -----------------------------------------------------------------------------
 */

static int count_samples(void *ctx, uint64_t time, uint64_t sample) {
    (void)time;
    (void)sample;
    ++*(uint64_t *)ctx;
    return WLK_WAVE_CONTINUE;
}

static wlk_error last_error; /* of read_whole */

/* Bind everything with the first 1-bit signal as clock and run. */
static wlk_status read_whole(const char *path, uint64_t *changes) {
    static uint64_t sink, samples;
    wlk_wave *wave;
    wlk_error *err = &last_error;
    uint32_t s = WLK_WAVE_NO_SAMPLER;
    size_t count;
    *err = (wlk_error){.status = WLK_OK};
    if (wlk_wave_open(&wave, path, NULL, err) != WLK_OK) {
        return err->status;
    }
    const wlk_wave_signal *signals = wlk_wave_signals(wave, &count);
    for (size_t i = 0; i < count && s == WLK_WAVE_NO_SAMPLER; i++) {
        if (signals[i].width == 1) {
            (void)wlk_wave_add_sampler(wave, signals[i].handle, count_samples, &samples, &s, err);
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (uint32_t bit = 0; bit < signals[i].width; bit += 64) {
            uint32_t rest = signals[i].width - bit;
            wlk_wave_dest dest = {
                .value = &sink, .width = rest < 64 ? rest : 64, .source_lsb = bit};
            CHECK(wlk_wave_bind(wave, s, signals[i].handle, &dest, err) == WLK_OK);
        }
    }
    wlk_status status = wlk_wave_run(wave, err);
    if (changes != NULL) {
        *changes = wlk_wave_get_progress(wave).changes;
    }
    wlk_wave_close(wave);
    return status;
}

/*
 * Few changes among many signals in flushed blocks: fstapi takes the second block's place of the
 * last signal from the first one's. It must not come through as a value.
 */
static wlk_status test_stale_index(size_t late) {
    enum { MANY = 2000 };
    fstHandle handle[MANY];
    char name[32];
    void *out = fstWriterCreate(in_dir("stale.fst"), 1);
    for (size_t s = 0; s < MANY; s++) {
        (void)snprintf(name, sizeof name, "s%zu", s);
        handle[s] = fstWriterCreateVar(out, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 1, name, 0);
    }
    fstWriterEmitTimeChange(out, 0);
    fstWriterEmitValueChange(out, handle[3], "0");
    fstWriterEmitValueChange(out, handle[MANY - 1], "0");
    fstWriterFlushContext(out);
    for (uint64_t time = 10; time < 60; time += 10) {
        fstWriterEmitTimeChange(out, time);
        fstWriterEmitValueChange(out, handle[late], time % 20 == 0 ? "0" : "1");
        fstWriterFlushContext(out);
    }
    fstWriterClose(out);
    uint64_t changes = 0;
    wlk_status status = read_whole(in_dir("stale.fst"), &changes);
    CHECK(status == WLK_OK ? changes == 7 : strstr(last_error.text, "misread") != NULL);
    return status;
}

static bool is_damage(wlk_status status) {
    return status == WLK_TRUNCATED || status == WLK_CORRUPT;
}

/* Cut a file everywhere (or at @p cuts places): each must be refused. */
static void test_cuts(const char *path, size_t cuts) {
    size_t len = 0, accepted = 0;
    unsigned char *bytes = read_all(path, &len);
    size_t step = cuts > 0 && cuts < len ? len / cuts : 1;
    for (size_t at = 0; at < len; at += step) {
        write_file(in_dir("cut.fst"), bytes, at);
        accepted += is_damage(read_whole(in_dir("cut.fst"), NULL)) ? 0 : 1;
    }
    CHECK(accepted == 0);
    free(bytes);
}

/* Change bytes: refused or read, but no crash, hang or exit. */
static void test_flips(const char *path, size_t trials) {
    size_t len = 0, refused = 0, odd = 0;
    unsigned char *bytes = read_all(path, &len);
    for (size_t i = 0; i < trials && len > 0; i++) {
        size_t at = trials >= len ? i % len : ((size_t)rnd(1u << 30) << 1 | rnd(2)) % len;
        unsigned char old = bytes[at];
        bytes[at] = (unsigned char)(rnd(2) == 0 ? old ^ 1u << rnd(8) : rnd(256));
        write_file(in_dir("flip.fst"), bytes, len);
        wlk_status status = read_whole(in_dir("flip.fst"), NULL);
        refused += is_damage(status) ? 1 : 0;
        odd += status != WLK_OK && !is_damage(status) ? 1 : 0;
        bytes[at] = old;
    }
    CHECK(odd == 0);
    CHECK(refused > 0);
    free(bytes);
}

/* What a killed simulator leaves: the last block still marked as unfinished. */
static void test_unfinished(void) {
    enum { SECOND_BLOCK = 330 };
    size_t len = 0;
    unsigned char *bytes = read_all(in_dir("small.fst"), &len);
    bytes[SECOND_BLOCK] = 255;
    write_file(in_dir("bad"), bytes, len);
    CHECK(open_status(in_dir("bad")) == WLK_TRUNCATED);
    free(bytes);
}

static void test_bad_files(void) {
    unsigned char bytes[1000] = {0};
    CHECK(open_status(in_dir("absent.fst")) == WLK_NO_FILE);
    CHECK(open_status(dir) == WLK_NO_FILE);
    write_file(in_dir("bad"), "", 0);
    CHECK(open_status(in_dir("bad")) == WLK_TRUNCATED);
    write_file(in_dir("bad"), bytes, sizeof bytes);
    CHECK(is_damage(open_status(in_dir("bad"))));
    memset(bytes, 'a', sizeof bytes);
    write_file(in_dir("bad"), bytes, sizeof bytes);
    CHECK(open_status(in_dir("bad")) == WLK_CORRUPT);
}

/* ---- the recordings against their CSV -----------------------------------------------------------
 */

enum { COLUMNS = 1024, WORDS = 16, LINE = 1 << 16 };

typedef struct column {
    char name[160];
} column;

typedef struct bound { /* a signal and the column that it must equal */
    size_t column;
    uint64_t value[WORDS], x[WORDS];
    uint32_t width;
} bound;

typedef struct csv {
    FILE *pipe;
    column *columns;
    size_t num_columns;
    bound *bounds;
    size_t num_bounds;
    char line[LINE], last[LINE];
    uint64_t rows, compared, bad;
    bool clockless;
} csv;

static char traces[400];

static bool csv_row(csv *c) {
    memcpy(c->last, c->line, sizeof c->last);
    if (fgets(c->line, sizeof c->line, c->pipe) == NULL) {
        return false;
    }
    c->line[strcspn(c->line, "\r\n")] = '\0';
    c->rows++;
    return true;
}

/* Whether hexadecimal @p text of @p len digits equals the words. */
static bool hex_equals(const char *text, size_t len, const bound *b) {
    uint64_t words[WORDS] = {0};
    for (size_t i = 0; i < len && (len - 1 - i) / 16 < WORDS; i++) {
        const char *digits = "0123456789abcdef", *at = strchr(digits, text[i]);
        if (at == NULL) {
            return false;
        }
        words[(len - 1 - i) / 16] |= (uint64_t)(at - digits) << 4 * ((len - 1 - i) % 16);
    }
    for (size_t w = 0; w < WORDS; w++) {
        if (words[w] != b->value[w] || b->x[w] != 0) {
            return false;
        }
    }
    return true;
}

static void compare_row(csv *c) {
    static const char *fields[COLUMNS];
    static size_t lengths[COLUMNS];
    size_t count = 0;
    for (const char *at = c->line; count < COLUMNS; at++) {
        lengths[count] = strcspn(at, ",");
        fields[count] = at;
        at += lengths[count++];
        if (*at == '\0') {
            break;
        }
    }
    if (count != c->num_columns) {
        c->bad++;
    }
    for (size_t i = 0; i < c->num_bounds; i++) {
        const bound *b = &c->bounds[i];
        c->compared++;
        if (!hex_equals(fields[b->column], lengths[b->column], b) && c->bad++ == 0) {
            printf("row %" PRIu64 ": %s\n", c->rows - 1, c->columns[b->column].name);
        }
    }
}

static int on_row(void *ctx, uint64_t time, uint64_t sample) {
    csv *c = ctx;
    (void)sample;
    do { /* a block without clock has no sample for a row that equals the one before */
        if (!csv_row(c)) {
            return c->bad++, WLK_WAVE_STOP;
        }
        if (c->clockless && c->rows - 1 < time / 10 &&
            strcmp(strchr(c->line, ','), strchr(c->last, ',')) != 0) {
            c->bad++;
        }
    } while (c->clockless && c->rows - 1 < time / 10);
    CHECK(c->rows - 1 == time / 10);
    compare_row(c);
    return WLK_WAVE_CONTINUE;
}

static void csv_header(csv *c) {
    c->columns = calloc(COLUMNS, sizeof *c->columns);
    if (!CHECK(fgets(c->line, sizeof c->line, c->pipe) != NULL)) {
        return;
    }
    for (char *name = strtok(c->line, ",\r\n"); name != NULL && c->num_columns < COLUMNS;
         name = strtok(NULL, ",\r\n")) {
        (void)snprintf(c->columns[c->num_columns++].name, sizeof c->columns[0].name, "%s", name);
    }
    CHECK(fgets(c->line, sizeof c->line, c->pipe) != NULL); /* directions */
    c->line[0] = '\0';
}

/* The column of a signal: of the same name in TOP, or of a TOP signal with the same values. */
static size_t column_of(const csv *c, const wlk_wave *wave, const wlk_wave_signal *signal) {
    size_t count;
    const wlk_wave_signal *signals = wlk_wave_signals(wave, &count);
    size_t top = wlk_wave_find_scope(wave, "TOP");
    for (size_t i = 0; i < count; i++) {
        if (signals[i].scope == top && signals[i].handle == signal->handle) {
            for (size_t n = 1; n < c->num_columns; n++) {
                if (strcmp(c->columns[n].name, signals[i].leaf) == 0) {
                    return n;
                }
            }
        }
    }
    return 0;
}

static void bind_columns(csv *c, wlk_wave *wave, const char *clock, size_t *per_scope) {
    size_t count, scopes;
    const wlk_wave_signal *signals = wlk_wave_signals(wave, &count);
    const wlk_wave_scope *scope = wlk_wave_scopes(wave, &scopes);
    wlk_error err = {.text = ""};
    uint32_t s;
    wlk_wave_handle handle = clock == NULL ? WLK_WAVE_NO_CLOCK : handle_of(wave, clock);
    CHECK(wlk_wave_add_sampler(wave, handle, on_row, c, &s, &err) == WLK_OK);
    c->bounds = calloc(count, sizeof *c->bounds);
    for (size_t i = 0; i < count; i++) {
        bound *b = &c->bounds[c->num_bounds];
        b->column = column_of(c, wave, &signals[i]);
        b->width = signals[i].width;
        if (b->column == 0 || !CHECK(b->width <= 64 * WORDS)) {
            continue;
        }
        if (CHECK(wlk_wave_bind_signal(wave, s, signals[i].scope, signals[i].leaf, b->width,
                                       b->value, b->x, 0, &err) == WLK_OK)) {
            c->num_bounds++;
        }
        if (scope[signals[i].scope].parent != 0 &&
            strchr(strchr(scope[signals[i].scope].path, '.') + 1, '.') != NULL) {
            ++*per_scope;
        }
    }
}

/* @p least signals at least must be compared, @p inner of them in scopes below the module. */
static void test_recording(const char *name, const char *clock, size_t least, size_t inner) {
    csv *c = calloc(1, sizeof *c);
    wlk_wave *wave;
    wlk_error err = {.text = ""};
    char path[500], command[600];
    size_t in_inner = 0;
    (void)snprintf(path, sizeof path, "%s/%s.fst", traces, name);
    (void)snprintf(command, sizeof command, "xz -dc '%s/%s.csv.xz'", traces, name);
    c->pipe = popen(command, "r");
    c->clockless = clock == NULL;
    if (CHECK(wlk_wave_open(&wave, path, NULL, &err) == WLK_OK)) {
        csv_header(c);
        bind_columns(c, wave, clock, &in_inner);
        CHECK(c->num_bounds >= least && in_inner >= inner);
        CHECK(wlk_wave_run(wave, &err) == WLK_OK);
        while (csv_row(c)) { /* nothing may be left, or only rows without a change */
            if (!c->clockless || strcmp(strchr(c->line, ','), strchr(c->last, ',')) != 0) {
                c->bad++;
            }
        }
        CHECK(c->bad == 0 && c->rows >= 3000 && c->compared > 100000);
        printf("%s: %zu signals (%zu in inner scopes), %" PRIu64 " rows, %" PRIu64 " compared\n",
               name, c->num_bounds, in_inner, c->rows, c->compared);
        wlk_wave_close(wave);
    } else {
        printf("%s\n", err.text);
    }
    (void)pclose(c->pipe);
    free(c->columns);
    free(c->bounds);
    free(c);
}

static void print_speed(const char *name) {
    char path[500];
    struct timespec from, to;
    uint64_t changes = 0;
    (void)snprintf(path, sizeof path, "%s/%s.fst", traces, name);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    CHECK(read_whole(path, &changes) == WLK_OK);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    double ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
    printf("%s: %" PRIu64 " value changes, %.1f ns each (open, check and run; information only)\n",
           name, changes, ns / (double)(changes > 0 ? changes : 1));
}

static bool find_traces(void) {
    const char *given = getenv("WLK_TRACES");
    struct stat info;
    (void)snprintf(traces, sizeof traces, "%s", given != NULL ? given : "../shared/traces");
    return stat(traces, &info) == 0;
}

static void test_recordings(void) {
    if (!find_traces()) {
        printf("SKIPPED: no recordings in %s (set WLK_TRACES)\n", traces);
        return;
    }
    test_recording("muon/collector_A", "TOP.DuplicatedCollector.clock", 190, 0);
    test_recording("muon/collector_B", "TOP.clock", 50, 0);
    test_recording("muon/issue_B", "TOP.IssueStage.collector.clock", 600, 100);
    test_recording("boom/basic_n2", NULL, 200, 0);
    test_recording("vortex/opc_C", "TOP.clk", 20, 0);
    char path[500];
    (void)snprintf(path, sizeof path, "%s/muon/collector_B.fst", traces);
    test_cuts(path, 12 * effort);
    test_flips(path, 12 * effort);
    print_speed("muon/collector_A");
    print_speed("muon/issue_B");
}

int main(void) {
    size_t stale = 0;
    const char *base = getenv("TMPDIR");
    (void)snprintf(dir, sizeof dir, "%s/test_wave-XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(dir) == NULL) {
        return 1;
    }
    effort = getenv("WLK_TEST_LONG") != NULL ? 10 : 1;
    seed = 1;
    write_text(in_dir("small.vcd"), small_vcd);
    test_packings();
    test_bad_files();
    test_unfinished();
    test_random(FST_WR_PT_LZ4);
    test_random(FST_WR_PT_ZLIB);
    test_random(FST_WR_PT_FASTLZ);
    for (size_t late = 1; late < 8; late++) { /* fstapi errs for some */
        stale += test_stale_index(late) == WLK_CORRUPT ? 1 : 0;
    }
    CHECK(stale < 7);
    test_cuts(in_dir("small.fst"), 100000);
    test_flips(in_dir("small.fst"), 1000 * effort);
    test_cuts(in_dir("random.fst"), 40 * effort);
    test_flips(in_dir("random.fst"), 150 * effort);
    test_recordings();
    char command[600];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
    CHECK(shell(command));
    return check_done();
}
