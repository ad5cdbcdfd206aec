// SPDX-License-Identifier: Apache-2.0
/* Waveform reader: a hand-written dump, written FSTs, damaged files, and the recordings. What is
 * legal in a VCD, and what is wrong with one: test_vcd.c. */
#include "check.h"
#include "scratch.h"
#include "warplock/wave.h"

#include <inttypes.h>
#include <sys/stat.h>

#include <fstapi.h>

// WLK_TEST_LONG=1 damages ten times as many files.
static size_t effort(void) {
    return getenv("WLK_TEST_LONG") != NULL ? 10 : 1;
}

static wlk_wave *opened(const char *path) {
    wlk_wave *wave;
    wlk_error err = {.text = ""};
    REQUIRE(wlk_wave_open(&wave, path, NULL, &err) == WLK_OK, "%s", err.text);
    return wave;
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

// NULL: no clock.
static wlk_wave_handle handle_of(const wlk_wave *wave, const char *path) {
    size_t count, i = path != NULL ? wlk_wave_find_path(wave, path) : 0;
    CHECK(i != WLK_WAVE_NONE);
    return path == NULL         ? WLK_WAVE_NO_CLOCK
           : i == WLK_WAVE_NONE ? 0
                                : wlk_wave_signals(wave, &count)[i].handle;
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
    "#15\n1@\n1!\nb1111 d\nbz01x q\n1o\n"
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
    CHECK(wlk_wave_add_sampler(wave, handle_of(wave, clock), on_probe, p, &s, &err) == WLK_OK);
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
    CHECK(wlk_wave_get_progress(wave).now == 5);
    CHECK(wlk_wave_get_progress(wave).done <= wlk_wave_get_progress(wave).total);
    clocked->count = 0;
    wlk_wave_stop(wave);
    CHECK(wlk_wave_run(wave, &err) == WLK_INTERRUPTED);
    CHECK(clocked->count == 0);
}

static void test_small(const char *path) {
    wlk_error err = {.text = ""};
    wlk_wave *wave = opened(path);
    probe clocked = {0}, second = {0}, free_running = {0};
    CHECK(wlk_wave_exponent(wave) == -9);
    check_small_names(wave);
    check_small_errors(wave);
    bind_probe(wave, &clocked, "top.clk");
    bind_probe(wave, &second, "top.clk2");
    bind_probe(wave, &free_running, NULL);
    CHECK_MSG(wlk_wave_run(wave, &err) == WLK_OK, "%s", err.text);
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

CASE(wave_reads_a_vcd) {
    test_small(scratch_text("small.vcd", small_vcd));
}

/* FST made by other settings of the converter. */
CASE(wave_reads_every_packing) {
    static const char *const options[] = {"-4", "-F", "-Z", "-Z -p"};
    char command[1200];
    for (size_t i = 0; i < COUNT(options); i++) {
        (void)snprintf(command, sizeof command, "vcd2fst %s %s %s >/dev/null 2>&1", options[i],
                       scratch("small.vcd"), scratch("small.fst"));
        CHECK(system(command) == 0);
        test_small(scratch("small.fst"));
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

static uint64_t seed = 1;

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
    wlk_error err = {.text = ""};
    uint32_t s;
    char name[16];
    r->hashes = calloc(STEPS, sizeof *r->hashes);
    write_random(r, scratch("random.fst"), pack);
    wlk_wave *wave = opened(scratch("random.fst"));
    CHECK(wlk_wave_add_sampler(wave, handle_of(wave, "top.clk"), on_random, r, &s, &err) == 0);
    for (size_t i = 0; i < SIGNALS; i++) {
        (void)snprintf(name, sizeof name, "s%zu", i);
        CHECK_MSG(wlk_wave_bind_signal(wave, s, wlk_wave_find_scope(wave, "top"), name, r->width[i],
                                       r->value[i], r->x[i], 0, &err) == WLK_OK,
                  "%s", err.text);
    }
    CHECK_MSG(wlk_wave_run(wave, &err) == WLK_OK, "%s", err.text);
    CHECK(r->bad == 0 && r->edges == 0);
    wlk_wave_close(wave);
    free(r->hashes);
    free(r);
}

CASE(wave_reads_what_was_written_at_random) {
    test_random(FST_WR_PT_LZ4);
    test_random(FST_WR_PT_ZLIB);
    test_random(FST_WR_PT_FASTLZ);
}

/* An FST has no lines, so that the message has none. */
CASE(wave_refuses_a_signal_that_an_fst_has_twice) {
    wlk_error err = {.text = ""};
    uint64_t value = 0;
    void *out = fstWriterCreate(scratch("twice.fst"), 1);
    fstWriterSetScope(out, FST_ST_VCD_MODULE, "top", NULL);
    (void)fstWriterCreateVar(out, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 1, "a", 0);
    const fstHandle other = fstWriterCreateVar(out, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, 1, "a", 0);
    fstWriterSetUpscope(out);
    for (uint64_t time = 0; time < 20; time += 10) {
        fstWriterEmitTimeChange(out, time);
        fstWriterEmitValueChange(out, other, time == 0 ? "0" : "1");
    }
    fstWriterClose(out);
    wlk_wave *wave = opened(scratch("twice.fst"));
    const size_t top = wlk_wave_find_scope(wave, "top");
    CHECK(wlk_wave_bind_signal(wave, WLK_WAVE_NO_SAMPLER, top, "a", 1, &value, NULL, 0, &err) ==
          WLK_CORRUPT);
    CHECK_MSG(strstr(err.text, "twice.fst: top.a is declared twice with different values: ") !=
                  NULL,
              "%s", err.text);
    wlk_wave_close(wave);
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
    void *out = fstWriterCreate(scratch("stale.fst"), 1);
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
    wlk_status status = read_whole(scratch("stale.fst"), &changes);
    CHECK(status == WLK_OK ? changes == 7 : strstr(last_error.text, "misread") != NULL);
    return status;
}

CASE(wave_passes_no_stale_value) {
    size_t stale = 0;
    for (size_t late = 1; late < 8; late++) { /* fstapi errs for some */
        stale += test_stale_index(late) == WLK_CORRUPT ? 1 : 0;
    }
    CHECK(stale < 7);
}

static bool is_damage(wlk_status status) {
    return status == WLK_TRUNCATED || status == WLK_CORRUPT;
}

static wlk_status read_bytes(const void *bytes, size_t size) {
    return read_whole(scratch_write("damaged.fst", bytes, size), NULL);
}

/* Cut a file everywhere (or at @p cuts places): each must be refused. */
static void test_cuts(const char *path, size_t cuts) {
    size_t len = 0, accepted = 0;
    unsigned char *bytes = scratch_read(path, &len);
    size_t step = cuts > 0 && cuts < len ? len / cuts : 1;
    for (size_t at = 0; at < len; at += step) {
        accepted += is_damage(read_bytes(bytes, at)) ? 0 : 1;
    }
    CHECK(accepted == 0);
    free(bytes);
}

/* Change bytes: refused or read, but no crash, hang or exit. */
static void test_flips(const char *path, size_t trials) {
    size_t len = 0, refused = 0, odd = 0;
    unsigned char *bytes = scratch_read(path, &len);
    for (size_t i = 0; i < trials && len > 0; i++) {
        size_t at = trials >= len ? i % len : ((size_t)rnd(1u << 30) << 1 | rnd(2)) % len;
        unsigned char old = bytes[at];
        bytes[at] = (unsigned char)(rnd(2) == 0 ? old ^ 1u << rnd(8) : rnd(256));
        wlk_status status = read_bytes(bytes, len);
        refused += is_damage(status) ? 1 : 0;
        odd += status != WLK_OK && !is_damage(status) ? 1 : 0;
        bytes[at] = old;
    }
    CHECK(odd == 0);
    CHECK(refused > 0);
    free(bytes);
}

CASE(wave_refuses_damage) {
    test_cuts(scratch("small.fst"), 100000);
    test_flips(scratch("small.fst"), 1000 * effort());
    test_cuts(scratch("random.fst"), 40 * effort());
    test_flips(scratch("random.fst"), 150 * effort());
}

/* What a killed simulator leaves: the last block still marked as unfinished. */
CASE(wave_refuses_an_unfinished_block) {
    enum { SECOND_BLOCK = 330 };
    size_t len = 0;
    unsigned char *bytes = scratch_read(scratch("small.fst"), &len);
    bytes[SECOND_BLOCK] = 255;
    CHECK(open_status(scratch_write("bad", bytes, len)) == WLK_TRUNCATED);
    free(bytes);
}

CASE(wave_refuses_bad_files) {
    char bytes[1000] = {0};
    CHECK(open_status(scratch("absent.fst")) == WLK_NO_FILE);
    CHECK(open_status(scratch("")) == WLK_NO_FILE);
    CHECK(open_status(scratch_text("bad", "")) == WLK_TRUNCATED);
    CHECK(is_damage(open_status(scratch_write("bad", bytes, sizeof bytes))));
    memset(bytes, 'a', sizeof bytes);
    CHECK(open_status(scratch_write("bad", bytes, sizeof bytes)) == WLK_CORRUPT);
}

/* ---- the recordings against their CSV -----------------------------------------------------------
 */

enum { COLUMNS = 1024, WORDS = 16, LINE = 1 << 16 };

typedef struct bound { /* a signal and the column that it must equal */
    size_t column;
    uint64_t value[WORDS], x[WORDS];
    uint32_t width;
} bound;

typedef struct csv {
    FILE *pipe;
    char head[LINE], line[LINE], last[LINE];
    char *names[COLUMNS], *cells[COLUMNS]; /* in head and line */
    size_t columns;
    bound *bounds;
    size_t n_bounds;
    uint64_t rows, compared, bad;
    bool clockless, changed; /* the row differs from the one before */
} csv;

static size_t split(char *line, char **cells) {
    size_t n = 0;
    for (char *at = strtok(line, ",\r\n"); at != NULL && n < COLUMNS; at = strtok(NULL, ",\r\n")) {
        cells[n++] = at;
    }
    return n;
}

static bool csv_row(csv *c) {
    char text[LINE];
    if (fgets(text, sizeof text, c->pipe) == NULL) {
        return false;
    }
    const char *values = strchr(text, ',');
    c->changed = c->rows == 0 || strcmp(values, c->last) != 0;
    c->rows++;
    (void)snprintf(c->last, sizeof c->last, "%s", values);
    (void)snprintf(c->line, sizeof c->line, "%s", text);
    c->bad += split(c->line, c->cells) != c->columns;
    return true;
}

/* As the CSV writes it; an X is in no row. */
static const char *hex_of(const bound *b) {
    static char text[WORDS * 16 + 1];
    const uint32_t digits = (b->width + 3) / 4;
    for (uint32_t i = 0; i < digits; i++) {
        const uint32_t bit = 4 * (digits - 1 - i);
        const bool known = (b->x[bit / 64] >> bit % 64 & 15) == 0;
        text[i] = known ? "0123456789abcdef"[b->value[bit / 64] >> bit % 64 & 15] : 'x';
    }
    text[digits] = '\0';
    return text;
}

static int on_row(void *ctx, uint64_t time, uint64_t sample) {
    csv *c = ctx;
    (void)sample;
    do { /* a block without clock has no sample for a row that equals the one before */
        if (!csv_row(c)) {
            c->bad++;
            return WLK_WAVE_STOP;
        }
        c->bad += c->clockless && c->rows - 1 < time / 10 && c->changed;
    } while (c->clockless && c->rows - 1 < time / 10);
    CHECK(c->rows - 1 == time / 10);
    for (const bound *b = c->bounds; b < c->bounds + c->n_bounds; b++) {
        c->compared++;
        if (strcmp(c->cells[b->column], hex_of(b)) != 0 && c->bad++ == 0) {
            printf("row %" PRIu64 ": %s\n", c->rows - 1, c->names[b->column]);
        }
    }
    return WLK_WAVE_CONTINUE;
}

/* The column of a signal: of the same name in TOP, or of a TOP signal with the same values. */
static size_t column_of(const csv *c, const wlk_wave *wave, const wlk_wave_signal *signal) {
    size_t count;
    const wlk_wave_signal *signals = wlk_wave_signals(wave, &count);
    size_t top = wlk_wave_find_scope(wave, "TOP");
    for (size_t i = 0; i < count; i++) {
        for (size_t n = 1; signals[i].scope == top && n < c->columns; n++) {
            if (signals[i].handle == signal->handle && !strcmp(c->names[n], signals[i].leaf)) {
                return n;
            }
        }
    }
    return 0;
}

/* Bind what has a column; of these, the signals in scopes below the module. */
static size_t bind_columns(csv *c, wlk_wave *wave, const char *clock) {
    size_t count, scopes, inner = 0;
    const wlk_wave_signal *signals = wlk_wave_signals(wave, &count);
    const wlk_wave_scope *scope = wlk_wave_scopes(wave, &scopes);
    wlk_error err = {.text = ""};
    uint32_t s;
    CHECK(wlk_wave_add_sampler(wave, handle_of(wave, clock), on_row, c, &s, &err) == WLK_OK);
    c->bounds = calloc(count, sizeof *c->bounds);
    for (const wlk_wave_signal *signal = signals; signal < signals + count; signal++) {
        bound *b = &c->bounds[c->n_bounds];
        b->column = column_of(c, wave, signal);
        b->width = signal->width;
        if (b->column == 0 || !CHECK(b->width <= 64 * WORDS)) {
            continue;
        }
        CHECK(wlk_wave_bind_signal(wave, s, signal->scope, signal->leaf, b->width, b->value, b->x,
                                   0, &err) == WLK_OK);
        c->n_bounds++;
        const char *dot = strchr(scope[signal->scope].path, '.');
        inner += dot != NULL && strchr(dot + 1, '.') != NULL;
    }
    return inner;
}

static const char *trace(const char *name) {
    static char path[500];
    const char *given = getenv("WLK_TRACES");
    (void)snprintf(path, sizeof path, "%s/%s", given != NULL ? given : "../shared/traces", name);
    return path;
}

/* @p least signals at least must be compared, @p inner of them in scopes below the module. */
static void test_recording(const char *name, const char *clock, size_t least, size_t inner) {
    csv *c = calloc(1, sizeof *c);
    wlk_error err = {.text = ""};
    char command[600];
    (void)snprintf(command, sizeof command, "xz -dc '%s.csv.xz'", trace(name));
    c->pipe = popen(command, "r");
    c->clockless = clock == NULL;
    REQUIRE(fgets(c->head, LINE, c->pipe) != NULL && fgets(c->line, LINE, c->pipe) != NULL, "%s",
            command);
    c->columns = split(c->head, c->names);
    (void)snprintf(command, sizeof command, "%s.fst", trace(name));
    wlk_wave *wave = opened(command);
    const size_t in_inner = bind_columns(c, wave, clock);
    CHECK(c->n_bounds >= least && in_inner >= inner);
    CHECK(wlk_wave_run(wave, &err) == WLK_OK);
    while (csv_row(c)) { /* nothing may be left, or only rows without a change */
        c->bad += !c->clockless || c->changed;
    }
    CHECK(c->bad == 0 && c->rows >= 3000 && c->compared > 100000);
    wlk_wave_close(wave);
    (void)pclose(c->pipe);
    free(c->bounds);
    free(c);
}

CASE(wave_reads_the_recordings) {
    struct stat info;
    if (stat(trace(""), &info) != 0) {
        printf("SKIPPED: no recordings in %s (set WLK_TRACES)\n", trace(""));
        return;
    }
    test_recording("muon/collector_A", "TOP.DuplicatedCollector.clock", 190, 0);
    test_recording("muon/collector_B", "TOP.clock", 50, 0);
    test_recording("muon/issue_B", "TOP.IssueStage.collector.clock", 600, 100);
    test_recording("boom/basic_n2", NULL, 200, 0);
    test_recording("vortex/opc_C", "TOP.clk", 20, 0);
    test_cuts(trace("muon/collector_B.fst"), 12 * effort());
    test_flips(trace("muon/collector_B.fst"), 12 * effort());
}

int main(void) {
    return check_cases();
}
