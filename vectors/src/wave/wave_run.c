// SPDX-License-Identifier: Apache-2.0
/*
 * Samplers, bindings and the run.
 *
 * The changes of one time stamp come in any order, so whether a clock rises is known only when the
 * time stamp is complete. Changes are therefore cut into bits at once, and the last one of each
 * binding waits; at the next time stamp the clocked samplers see the words without them, then they
 * are applied.
 */
#include "wave_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LEVEL_0, LEVEL_1, LEVEL_X };
enum { WORD_BITS = 64 };

/* ---- samplers and bindings ------------------------------------------------------------------- */

static wlk_status no_memory(const wlk_wave *wave, wlk_error *err) {
    return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory for the waveform's bindings",
                    wave->name);
}

/* 1 + index of the clock; 0 = out of memory. */
static uint32_t add_clock(wlk_wave *wave, wlk_wave_handle handle) {
    for (size_t i = 0; i < wave->num_clocks; i++) {
        if (wave->clocks[i].handle == handle) {
            return (uint32_t)i + 1;
        }
    }
    wave->clocks =
        wlk_wave_grow(wave->clocks, sizeof *wave->clocks, wave->num_clocks, &wave->cap_clocks);
    if (wave->num_clocks == wave->cap_clocks) {
        return 0;
    }
    wave->clocks[wave->num_clocks++] = (wlk_wave_clock){.handle = handle};
    return (uint32_t)wave->num_clocks;
}

wlk_status wlk_wave_add_sampler(wlk_wave *wave, wlk_wave_handle clock, wlk_wave_sample_fn fn,
                                void *ctx, uint32_t *sampler, wlk_error *err) {
    uint32_t index = 0;
    if (clock != WLK_WAVE_NO_CLOCK) {
        if (wlk_wave_bits(wave, clock) != 1) {
            return wlk_fail(err, WLK_NO_CLOCK,
                            "%s: the clock must be a signal of 1 bit (handle %" PRIu32
                            " has %" PRIu32 "): name another with the clock option",
                            wave->name, clock, wlk_wave_bits(wave, clock));
        }
        index = add_clock(wave, clock);
        if (index == 0) {
            return no_memory(wave, err);
        }
    }
    wave->samplers = wlk_wave_grow(wave->samplers, sizeof *wave->samplers, wave->num_samplers,
                                   &wave->cap_samplers);
    if (wave->num_samplers == wave->cap_samplers || wave->num_samplers >= WLK_WAVE_NO_SAMPLER) {
        return no_memory(wave, err);
    }
    *sampler = (uint32_t)wave->num_samplers;
    wave->samplers[wave->num_samplers++] = (wlk_wave_sampler){.fn = fn, .ctx = ctx, .clock = index};
    return WLK_OK;
}

wlk_status wlk_wave_bind(wlk_wave *wave, uint32_t sampler, wlk_wave_handle handle,
                         const wlk_wave_dest *dest, wlk_error *err) {
    uint32_t bits = wlk_wave_bits(wave, handle);
    if (bits == 0 || (sampler != WLK_WAVE_NO_SAMPLER && sampler >= wave->num_samplers) ||
        dest->value == NULL) {
        return wlk_fail(err, WLK_MODEL_ERROR,
                        "%s: no such waveform handle or sampler (%" PRIu32 ", %" PRIu32 ")",
                        wave->name, handle, sampler);
    }
    if (dest->width == 0 || dest->width > WORD_BITS || dest->lsb > WORD_BITS - dest->width ||
        dest->width > bits || dest->source_lsb > bits - dest->width) {
        return wlk_fail(err, WLK_BAD_WIDTH,
                        "%s: %" PRIu32 " bits from bit %" PRIu32 " of a signal of %" PRIu32
                        " bits do not go to bit %" PRIu32 " of a 64-bit word",
                        wave->name, dest->width, dest->source_lsb, bits, dest->lsb);
    }
    wave->bindings = wlk_wave_grow(wave->bindings, sizeof *wave->bindings, wave->num_bindings,
                                   &wave->cap_bindings);
    if (wave->num_bindings == wave->cap_bindings) {
        return no_memory(wave, err);
    }
    wave->bindings[wave->num_bindings++] =
        (wlk_wave_binding){.dest = *dest,
                           .mask = UINT64_MAX >> (WORD_BITS - dest->width),
                           .handle = handle,
                           .sampler = sampler};
    return WLK_OK;
}

/* One part of a signal, cut at the words' boundaries; its bit 0 goes to bit @p lsb of the array. */
static wlk_status bind_part(wlk_wave *wave, uint32_t sampler, const wlk_wave_signal *part,
                            uint64_t *value, uint64_t *x, uint32_t lsb, wlk_error *err) {
    for (uint32_t done = 0; done < part->width;) {
        uint32_t word = (lsb + done) / WORD_BITS, bit = (lsb + done) % WORD_BITS;
        uint32_t room = WORD_BITS - bit, rest = part->width - done;
        wlk_wave_dest dest = {.lsb = bit, .width = rest < room ? rest : room, .source_lsb = done};
        dest.value = &value[word];
        dest.x = x == NULL ? NULL : &x[word];
        wlk_status status = wlk_wave_bind(wave, sampler, part->handle, &dest, err);
        if (status != WLK_OK) {
            return status;
        }
        done += dest.width;
    }
    return WLK_OK;
}

/* Parts stand MSB first; the highest bit goes below bit @p above of the array. */
static wlk_status bind_parts(wlk_wave *wave, uint32_t sampler, size_t first, size_t count,
                             uint64_t *value, uint64_t *x, uint32_t above, wlk_error *err) {
    for (size_t i = first; i < first + count; i++) {
        const wlk_wave_signal *part = &wave->signals[i];
        wlk_status status = wlk_wave_require_once(wave, i, err);
        if (status != WLK_OK) {
            return status;
        }
        if (i > first && wave->signals[i - 1].lsb - (int64_t)part->lsb != (int64_t)part->width) {
            return wlk_fail(err, WLK_BAD_WIDTH,
                            "%s: parts of %s.%s are missing or overlap: dump the whole bus",
                            wave->name, wave->scopes[part->scope].path, part->leaf);
        }
        above -= part->width;
        status = bind_part(wave, sampler, part, value, x, above, err);
        if (status != WLK_OK) {
            return status;
        }
    }
    return WLK_OK;
}

wlk_status wlk_wave_bind_signal(wlk_wave *wave, uint32_t sampler, size_t scope, const char *leaf,
                                uint32_t width, uint64_t *value, uint64_t *x, uint32_t lsb,
                                wlk_error *err) {
    size_t parts;
    uint32_t bits;
    const char *where = scope < wave->num_scopes ? wave->scopes[scope].path : "(no scope)";
    size_t first = wlk_wave_find_signal(wave, scope, leaf, &parts, &bits);
    if (first == WLK_WAVE_NONE) {
        return wlk_fail(err, WLK_IFACE_CHANGED,
                        "%s: scope %s has no signal %s: name another scope, or dump its ports",
                        wave->name, where, leaf);
    }
    if (bits != width) {
        return wlk_fail(err, WLK_BAD_WIDTH,
                        "%s: %s.%s has %" PRIu32 " bits where the port table has %" PRIu32
                        ": give the parameters of this design",
                        wave->name, where, leaf, bits, width);
    }
    const size_t before = wave->num_bindings;
    wlk_status status = bind_parts(wave, sampler, first, parts, value, x, lsb + width, err);
    if (status != WLK_OK) {
        wave->num_bindings = before;
    }
    return status;
}

/* The bits of a part of a signal that lie in the slice from bit @p from of the signal on. */
static wlk_status bind_overlap(wlk_wave *wave, uint32_t sampler, const wlk_wave_signal *part,
                               uint32_t part_lsb, uint32_t from, const wlk_wave_dest *slice,
                               wlk_error *err) {
    const uint32_t first = from > part_lsb ? from : part_lsb;
    const uint32_t end = from + slice->width, part_end = part_lsb + part->width;
    const uint32_t last = end < part_end ? end : part_end;
    if (first >= last) {
        return WLK_OK;
    }
    wlk_wave_dest dest = *slice;
    dest.lsb = slice->lsb + (first - from);
    dest.width = last - first;
    dest.source_lsb = first - part_lsb;
    return wlk_wave_bind(wave, sampler, part->handle, &dest, err);
}

wlk_status wlk_wave_bind_slice(wlk_wave *wave, uint32_t sampler, size_t scope, const char *leaf,
                               uint32_t from, uint32_t width, uint64_t *value, uint64_t *x,
                               uint32_t lsb, wlk_error *err) {
    size_t parts = 0;
    uint32_t above = 0;
    const size_t first = wlk_wave_find_signal(wave, scope, leaf, &parts, &above);
    if (first == WLK_WAVE_NONE || from + width > above) {
        return wlk_fail(err, WLK_BAD_WIDTH,
                        "%s: signal %s does not have bits %" PRIu32 " to %" PRIu32
                        ": give the parameters of this design",
                        wave->name, leaf, from, from + width - 1u);
    }
    wlk_wave_dest slice = {.lsb = lsb, .width = width};
    slice.value = value;
    slice.x = x;
    const size_t before = wave->num_bindings;
    wlk_status status = WLK_OK;
    for (size_t i = first; i < first + parts && status == WLK_OK; i++) {
        above -= wave->signals[i].width; // parts stand MSB first
        status = wlk_wave_require_once(wave, i, err);
        if (status == WLK_OK) {
            status = bind_overlap(wave, sampler, &wave->signals[i], above, from, &slice, err);
        }
    }
    if (status != WLK_OK) {
        wave->num_bindings = before;
    }
    return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int level(unsigned char c) {
    if (c == '0' || c == 'l' || c == 'L') {
        return LEVEL_0;
    }
    return c == '1' || c == 'h' || c == 'H' ? LEVEL_1 : LEVEL_X;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first character is the lowest byte");

/* Eight characters that are all 0 or 1, first one highest; false if another is among them. */
static bool eight_bits(const unsigned char *text, uint64_t *bits) {
    uint64_t chars;
    memcpy(&chars, text, sizeof chars);
    if ((chars & UINT64_C(0xfefefefefefefefe)) != UINT64_C(0x3030303030303030)) {
        return false;
    }
    /* moves bit 8i to bit 63-i, without carries */
    *bits = ((chars & UINT64_C(0x0101010101010101)) * UINT64_C(0x8040201008040201)) >> 56;
    return true;
}

/* @p width characters, highest bit first. */
static void decode(const unsigned char *text, uint32_t width, uint64_t *bits, uint64_t *x) {
    uint64_t value = 0, unknown = 0, eight;
    while (width > 0) {
        if (width >= 8 && eight_bits(text, &eight)) {
            value = value << 8 | eight;
            unknown <<= 8;
            text += 8;
            width -= 8;
            continue;
        }
        int got = level(*text++);
        value = value << 1 | (got == LEVEL_1 ? 1u : 0u);
        unknown = unknown << 1 | (got == LEVEL_X ? 1u : 0u);
        width--;
    }
    *bits = value;
    *x = unknown;
}

/* The bits of a value that a binding takes; what the value lacks in front is 0, or X after an X. */
static void cut(wlk_wave_binding *to, const uint8_t *value, uint32_t length) {
    const uint32_t from = to->dest.source_lsb, above = from + to->dest.width;
    const uint32_t there = length < above ? length : above;
    to->bits = to->x = 0;
    if (there > from) {
        decode(value + (length - there), there - from, &to->bits, &to->x);
    }
    if (above > length && level(value[0]) == LEVEL_X) {
        to->x |= to->mask & (length > from ? ~UINT64_C(0) << (length - from) : ~UINT64_C(0));
    }
}

/* ---- one time stamp -------------------------------------------------------------------------- */

static void call(wlk_wave *wave, wlk_wave_sampler *sampler) {
    int answer = sampler->fn(sampler->ctx, wave->progress.now, sampler->samples++);
    if (answer == WLK_WAVE_DONE) {
        sampler->done = true;
    } else if (answer != WLK_WAVE_CONTINUE) {
        wave->ended = true;
    }
}

static void end_if_all_done(wlk_wave *wave) {
    for (size_t i = 0; i < wave->num_samplers; i++) {
        if (!wave->samplers[i].done) {
            return;
        }
    }
    wave->ended = true;
}

static void sample_edges(wlk_wave *wave) {
    bool any = false;
    for (size_t i = 0; i < wave->num_clocks; i++) {
        wlk_wave_clock *clock = &wave->clocks[i];
        clock->rising = clock->settled == LEVEL_0 && clock->latest == LEVEL_1;
        if (clock->settled != LEVEL_X && clock->latest == LEVEL_X && clock->gaps.count++ == 0) {
            clock->gaps.first = wave->progress.now;
        }
        clock->settled = clock->latest;
        any = any || clock->rising;
    }
    for (size_t i = 0; any && i < wave->num_samplers; i++) {
        wlk_wave_sampler *sampler = &wave->samplers[i];
        if (sampler->clock != 0 && !sampler->done && wave->clocks[sampler->clock - 1].rising) {
            call(wave, sampler);
        }
    }
    if (any) {
        end_if_all_done(wave);
    }
}

/* True when the change is one that a sampler without clock must see. */
static bool apply_change(wlk_wave *wave, wlk_wave_binding *to) {
    uint64_t mask = to->mask << to->dest.lsb;
    uint64_t value = (*to->dest.value & ~mask) | to->bits << to->dest.lsb;
    bool moved = value != *to->dest.value;
    to->waits = false;
    *to->dest.value = value;
    if (to->dest.x != NULL) {
        uint64_t x = (*to->dest.x & ~mask) | to->x << to->dest.lsb;
        moved = moved || x != *to->dest.x;
        *to->dest.x = x;
    }
    if (!moved || to->sampler == WLK_WAVE_NO_SAMPLER) {
        return false;
    }
    wlk_wave_sampler *sampler = &wave->samplers[to->sampler];
    sampler->moves += sampler->moved_at != wave->progress.now + 1;
    sampler->moved_at = wave->progress.now + 1;
    sampler->dirty = sampler->clock == 0;
    return sampler->dirty;
}

static void apply_changes(wlk_wave *wave) {
    bool any = false;
    for (size_t i = 0; i < wave->num_waiting; i++) {
        any |= apply_change(wave, &wave->bindings[wave->waiting[i]]);
    }
    wave->num_waiting = 0;
    for (size_t i = 0; any && i < wave->num_samplers; i++) {
        wlk_wave_sampler *sampler = &wave->samplers[i];
        if (sampler->dirty && !sampler->done) {
            call(wave, sampler);
        }
        sampler->dirty = false;
    }
    if (any) {
        end_if_all_done(wave);
    }
}

/* All changes of the time stamp are known. */
static void finish_time(wlk_wave *wave) {
    if (!wave->any_time || wave->ended) {
        return;
    }
    if (wave->clock_touched) {
        sample_edges(wave);
    }
    wave->clock_touched = false;
    apply_changes(wave);
    if (atomic_load_explicit(&wave->stop, memory_order_relaxed)) {
        wave->ended = true;
    }
}

/* false: the run ends. */
static bool reach(wlk_wave *wave, uint64_t time) {
    if (time != wave->progress.now || !wave->any_time) {
        finish_time(wave);
        if (!wave->ended) {
            wave->progress.now = time;
            wave->any_time = true;
        }
    }
    return !wave->ended;
}

static bool on_change(void *ctx, uint64_t time, uint32_t handle, const uint8_t *value,
                      uint32_t length) {
    wlk_wave *wave = ctx;
    if (!reach(wave, time)) {
        return false;
    }
    wave->progress.changes++;
    if (wave->clock_of[handle] != 0) {
        wave->clocks[wave->clock_of[handle] - 1].latest = (uint8_t)level(value[0]);
        wave->clock_touched = true;
    }
    for (size_t i = wave->first_binding[handle]; i < wave->first_binding[handle + 1]; i++) {
        wlk_wave_binding *to = &wave->bindings[i];
        if (!to->waits) {
            to->waits = true;
            wave->waiting[wave->num_waiting++] = i;
        }
        cut(to, value, length);
    }
    return true;
}

static bool on_off(void *ctx, uint64_t time) {
    wlk_wave *wave = ctx;
    if (!reach(wave, time)) {
        return false;
    }
    for (size_t i = 0; i < wave->num_clocks; i++) {
        wave->clocks[i].latest = LEVEL_X;
        wave->clock_touched = true;
    }
    return true;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Sort the bindings by handle, in the order in which they were made, and index them. */
static bool index_bindings(wlk_wave *wave) {
    size_t handles = (size_t)wave->source.max_handle + 2;
    size_t *first = calloc(handles + 1, sizeof *first);
    wlk_wave_binding *sorted = calloc(wave->num_bindings + 1, sizeof *sorted);
    if (first == NULL || sorted == NULL) {
        free(first);
        free(sorted);
        return false;
    }
    for (size_t i = 0; i < wave->num_bindings; i++) {
        first[wave->bindings[i].handle + 2]++;
    }
    for (size_t i = 1; i <= handles; i++) {
        first[i] += first[i - 1];
    }
    /* first[handle + 1] is now where the handle starts, and moves to where it ends */
    for (size_t i = 0; i < wave->num_bindings; i++) {
        sorted[first[wave->bindings[i].handle + 1]++] = wave->bindings[i];
    }
    free(wave->bindings);
    free(wave->first_binding);
    wave->bindings = sorted;
    wave->cap_bindings = wave->num_bindings + 1;
    wave->first_binding = first;
    return true;
}

/* Which handles the run reads: wanted[handle], owned by the caller; NULL = out of memory. */
static uint8_t *index_handles(wlk_wave *wave) {
    size_t handles = (size_t)wave->source.max_handle + 1;
    uint8_t *wanted = calloc(handles, sizeof *wanted);
    uint32_t *clock_of = calloc(handles, sizeof *clock_of);
    size_t *waiting = calloc(wave->num_bindings + 1, sizeof *waiting);
    if (wanted == NULL || clock_of == NULL || waiting == NULL || !index_bindings(wave)) {
        free(wanted);
        free(clock_of);
        free(waiting);
        return NULL;
    }
    free(wave->clock_of);
    free(wave->waiting);
    wave->clock_of = clock_of;
    wave->waiting = waiting;
    for (size_t i = 0; i < wave->num_bindings; i++) {
        wanted[wave->bindings[i].handle] = 1;
    }
    for (size_t i = 0; i < wave->num_clocks; i++) {
        wanted[wave->clocks[i].handle] = 1;
        clock_of[wave->clocks[i].handle] = (uint32_t)i + 1;
    }
    return wanted;
}

static void reset_run(wlk_wave *wave) {
    for (size_t i = 0; i < wave->num_bindings; i++) {
        wlk_wave_binding *to = &wave->bindings[i];
        to->waits = false;
        *to->dest.value &= ~(to->mask << to->dest.lsb);
        if (to->dest.x != NULL) {
            *to->dest.x |= to->mask << to->dest.lsb;
        }
    }
    for (size_t i = 0; i < wave->num_samplers; i++) {
        const wlk_wave_sampler *old = &wave->samplers[i];
        wave->samplers[i] = (wlk_wave_sampler){.fn = old->fn, .ctx = old->ctx, .clock = old->clock};
    }
    for (size_t i = 0; i < wave->num_clocks; i++) {
        wave->clocks[i].settled = wave->clocks[i].latest = LEVEL_X;
        wave->clocks[i].gaps = (wlk_wave_gaps){0, 0};
    }
    wave->progress = (wlk_wave_progress){0};
    wave->source.done = 0;
    wave->num_waiting = 0;
    wave->any_time = wave->clock_touched = wave->ended = false;
}

wlk_status wlk_wave_pass(wlk_wave *wave, const uint8_t *wanted, const wlk_changes *to,
                         wlk_error *err) {
    const wlk_status status = wave->source.kind->run(&wave->source, wanted, to, &wave->stop, err);
    if (status == WLK_OK && atomic_load(&wave->stop)) {
        return wlk_fail(err, WLK_INTERRUPTED, "%s: interrupted at time %" PRIu64, wave->name,
                        wave->progress.now);
    }
    return status;
}

wlk_status wlk_wave_run(wlk_wave *wave, wlk_error *err) {
    if (wave->running) {
        return wlk_fail(err, WLK_MODEL_ERROR, "%s: run called inside a run", wave->name);
    }
    uint8_t *wanted = index_handles(wave);
    if (wanted == NULL) {
        return no_memory(wave, err);
    }
    reset_run(wave);
    const wlk_changes to = {.change = on_change, .off = on_off, .ctx = wave};
    wave->running = true;
    const wlk_status status = wlk_wave_pass(wave, wanted, wave->num_samplers > 0 ? &to : NULL, err);
    if (status == WLK_OK) {
        finish_time(wave);
    }
    wave->running = false;
    free(wanted);
    return status;
}

wlk_status wlk_wave_verify(wlk_wave *wave, wlk_error *err) {
    uint8_t *wanted = malloc((size_t)wave->source.max_handle + 1);
    if (wanted == NULL) {
        return no_memory(wave, err);
    }
    memset(wanted, 1, (size_t)wave->source.max_handle + 1);
    const wlk_status status = wlk_wave_pass(wave, wanted, NULL, err);
    free(wanted);
    return status;
}

uint64_t wlk_wave_moves(const wlk_wave *wave, uint32_t sampler) {
    return sampler < wave->num_samplers ? wave->samplers[sampler].moves : 0;
}

wlk_wave_gaps wlk_wave_get_gaps(const wlk_wave *wave, uint32_t sampler) {
    const uint32_t clock = sampler < wave->num_samplers ? wave->samplers[sampler].clock : 0;
    return clock != 0 ? wave->clocks[clock - 1].gaps : (wlk_wave_gaps){0, 0};
}

void wlk_wave_stop(wlk_wave *wave) {
    atomic_store(&wave->stop, true);
}

wlk_wave_progress wlk_wave_get_progress(const wlk_wave *wave) {
    wlk_wave_progress progress = wave->progress;
    progress.done = wave->source.done;
    progress.total = wave->source.total;
    return progress;
}
