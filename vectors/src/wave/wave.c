// SPDX-License-Identifier: Apache-2.0
// Opens a waveform and lists its scopes and signals; wave_run.c samples it. Which signal is the
// clock, the command decides (scripts/wlk/fit/scopes.py).
#define _GNU_SOURCE // asprintf, tdestroy
#include "wave_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_INDEX = 1 << 30,
    MAX_PATH_BYTES = 1 << 30 /* of all scopes: nested ones repeat the names around them */
};

void *wlk_wave_grow(void *array, size_t item, size_t count, size_t *cap) {
    if (count < *cap) {
        return array;
    }
    size_t more = *cap == 0 ? 64 : 2 * *cap;
    void *grown = realloc(array, more * item);
    if (grown == NULL) {
        return array;
    }
    *cap = more;
    return grown;
}

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct split_name {
    const char *leaf;
    size_t len;
    int32_t lsb;
    bool ascending;
} split_name;

/* A whole number at *text that ends with @p last; moves *text past it. */
static bool parse_index(const char **text, char last, int32_t *value) {
    char *after;
    long number = strtol(*text, &after, 10);
    if (after == *text || *after != last || number < -MAX_INDEX || number > MAX_INDEX) {
        return false;
    }
    *value = (int32_t)number;
    *text = after + 1;
    return true;
}

typedef struct split_range {
    int32_t low;
    bool pair, ascending;
} split_range;

/* Parse "[msb:lsb]" or "[index]" from @p text to @p end; false if it is anything else. */
static bool parse_range(const char *text, const char *end, split_range *range) {
    const char *at = text + 1; /* after the bracket */
    int32_t first = 0, second = 0;
    range->pair = parse_index(&at, ':', &first);
    if (!parse_index(&at, ']', &second) || at != end) {
        return false;
    }
    range->ascending = range->pair && first < second;
    range->low = range->ascending ? first : second;
    return true;
}

/* Take the range off a name; the rules are at wlk_wave_signal. */
static split_name split(const char *raw, uint32_t width) {
    bool escaped = raw[0] == '\\';
    split_name name = {.leaf = raw + (escaped ? 1 : 0)};
    const char *end = raw + strlen(raw);
    for (int ranges = 0;; ranges++) {
        const char *start = end;
        split_range range;
        do {
            start--;
        } while (start > name.leaf && *start != '[');
        if (start <= name.leaf || !parse_range(start, end, &range)) {
            break;
        }
        bool blank = start[-1] == ' ';
        if (!(blank || (!escaped && (range.pair || width == 1))) || (ranges > 0 && !range.pair)) {
            break;
        }
        name.lsb = ranges == 0 ? range.low : 0;
        name.ascending = ranges == 0 && range.ascending;
        end = start;
        while (end > name.leaf + 1 && end[-1] == ' ') {
            end--;
        }
    }
    while (end > name.leaf + 1 && end[-1] == ' ') {
        end--;
    }
    name.len = (size_t)(end - name.leaf);
    return name;
}

/* ---- hierarchy ------------------------------------------------------------------------------- */

/* How a scope is found again. */
typedef struct scope_key {
    size_t parent, self;
    const char *name; /* of the scope's path, but for what is looked up */
} scope_key;

static int order(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int by_parent_and_name(const void *left, const void *right) {
    const scope_key *a = left, *b = right;
    return a->parent != b->parent ? (a->parent < b->parent ? -1 : 1) : strcmp(a->name, b->name);
}

static bool add_scope(wlk_wave *wave, size_t parent, const char *name) {
    const char *above = wave->num_scopes == 0 ? "" : wave->scopes[parent].path;
    const char *dot = *above != '\0' ? "." : "";
    char *path = NULL;
    wave->scopes =
        wlk_wave_grow(wave->scopes, sizeof *wave->scopes, wave->num_scopes, &wave->cap_scopes);
    if (wave->num_scopes == wave->cap_scopes || asprintf(&path, "%s%s%s", above, dot, name) < 0) {
        return false;
    }
    const size_t self = wave->num_scopes++;
    const char *last = path + strlen(path) - strlen(name);
    wave->scopes[self] = (wlk_wave_scope){.path = path, .name = last, .parent = parent};
    wave->open_scope = self;
    wave->path_bytes += strlen(path);
    scope_key *key = malloc(sizeof *key);
    if (key != NULL) {
        *key = (scope_key){parent, self, last};
    }
    if (key == NULL || tsearch(key, &wave->scope_tree, by_parent_and_name) == NULL) {
        free(key);
        return false;
    }
    return wave->path_bytes <= MAX_PATH_BYTES;
}

/* A scope may be opened again later in the file; it stays one scope. */
static bool on_scope(void *ctx, const char *name) {
    wlk_wave *wave = ctx;
    const scope_key wanted = {.parent = wave->open_scope, .name = name + (*name == '\\')};
    scope_key *const *known = tfind(&wanted, &wave->scope_tree, by_parent_and_name);
    if (known != NULL) {
        wave->open_scope = (*known)->self;
        return true;
    }
    return add_scope(wave, wave->open_scope, wanted.name);
}

static void on_upscope(void *ctx) {
    wlk_wave *wave = ctx;
    wave->open_scope = wave->scopes[wave->open_scope].parent;
}

static bool on_signal(void *ctx, const char *raw, uint32_t handle, uint64_t place) {
    wlk_wave *wave = ctx;
    uint32_t width = wlk_wave_bits(wave, handle);
    split_name name = split(raw, width);
    wave->signals =
        wlk_wave_grow(wave->signals, sizeof *wave->signals, wave->num_signals, &wave->cap_signals);
    char *leaf = wave->num_signals < wave->cap_signals ? strndup(name.leaf, name.len) : NULL;
    if (leaf == NULL) {
        return false;
    }
    wave->signals[wave->num_signals++] = (wlk_wave_signal){
        .leaf = leaf,
        .scope = wave->open_scope,
        .width = width,
        .lsb = name.lsb,
        .ascending = name.ascending,
        .handle = handle,
        .place = place,
    };
    return true;
}

static int by_place(const void *left, const void *right) {
    const wlk_wave_signal *a = left, *b = right;
    int found = order((int64_t)a->scope, (int64_t)b->scope);
    found = found != 0 ? found : strcmp(a->leaf, b->leaf);
    found = found != 0 ? found : order(b->lsb, a->lsb);
    found = found != 0 ? found : order((int64_t)a->place, (int64_t)b->place);
    return found != 0 ? found : order(a->handle, b->handle);
}

/* The same bits again? */
static bool is_again(const wlk_wave_signal *signal, const wlk_wave_signal *last) {
    return last->scope == signal->scope && last->lsb == signal->lsb &&
           strcmp(last->leaf, signal->leaf) == 0;
}

/* Sort, keep one of what is declared twice, and give each scope the place of its signals. */
static void index_signals(wlk_wave *wave) {
    size_t kept = 0;
    if (wave->num_signals > 0) {
        qsort(wave->signals, wave->num_signals, sizeof *wave->signals, by_place);
    }
    for (size_t i = 0; i < wave->num_signals; i++) {
        wlk_wave_signal *signal = &wave->signals[i];
        wlk_wave_signal *last = kept > 0 ? &wave->signals[kept - 1] : NULL;
        if (last != NULL && is_again(signal, last)) {
            if (last->handle != signal->handle && !last->is_twice) {
                last->is_twice = true;
                last->again = signal->place;
            }
            free((void *)(uintptr_t)signal->leaf);
            continue;
        }
        wlk_wave_scope *scope = &wave->scopes[signal->scope];
        if (scope->num_signals++ == 0) {
            scope->first_signal = kept;
        }
        wave->signals[kept++] = *signal;
    }
    wave->num_signals = kept;
}

static wlk_status read_hierarchy(wlk_wave *wave, wlk_error *err) {
    wlk_visitor visitor = {
        .scope = on_scope, .upscope = on_upscope, .signal = on_signal, .ctx = wave};
    if (!add_scope(wave, 0, "")) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory for the scopes", wave->name);
    }
    wlk_status status = wave->source.kind->visit(&wave->source, &visitor, err);
    if (status == WLK_OK) {
        index_signals(wave);
    } else if (wave->path_bytes > MAX_PATH_BYTES) {
        status =
            wlk_fail(err, WLK_CORRUPT, "%s: scopes inside scopes have too many names", wave->name);
    }
    return status;
}

/* ---- open, close ----------------------------------------------------------------------------- */

/* Its kind, by the first byte that is no white space. */
static wlk_status choose_kind(wlk_wave *wave, const char *path, wlk_error *err) {
    char head[4096];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t got = fd >= 0 ? read(fd, head, sizeof head - 1u) : -1;
    const int why = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (got < 0) {
        return wlk_fail(err, WLK_NO_FILE, "%s: cannot be read: %s", wave->name, strerror(why));
    }
    if (got == 0) {
        return wlk_fail(err, WLK_TRUNCATED, "%s: the waveform is empty", wave->name);
    }
    head[got] = '\0';
    const char first = head[strspn(head, " \t\n\f\r")];
    if (first != '$' && head[0] != '\0') {
        return wlk_fail(err, WLK_CORRUPT, "%s: neither FST nor VCD: dump one of these", wave->name);
    }
    wave->source.kind = first == '$' ? &wlk_vcd_kind : &wlk_fst_kind;
    return WLK_OK;
}

static wlk_status open_source(wlk_wave *wave, const char *path, wlk_error *err) {
    wave->source.name = wave->name;
    wlk_status status = choose_kind(wave, path, err);
    if (status == WLK_OK) {
        status = wave->source.kind->open(&wave->source, path, err);
    }
    return status == WLK_OK ? read_hierarchy(wave, err) : status;
}

wlk_status wlk_wave_open(wlk_wave **out, const char *path, const char *name, wlk_error *err) {
    *out = NULL;
    name = name != NULL ? name : path;
    wlk_wave *wave = calloc(1, sizeof *wave);
    if (wave != NULL) {
        wave->name = strdup(name);
    }
    if (wave == NULL || wave->name == NULL) {
        wlk_wave_close(wave);
        return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory while opening the waveform", name);
    }
    atomic_init(&wave->stop, false);
    const wlk_status status = open_source(wave, path, err);
    if (status == WLK_OK) {
        *out = wave;
    } else {
        wlk_wave_close(wave);
    }
    return status;
}

void wlk_wave_close(wlk_wave *wave) {
    if (wave == NULL) {
        return;
    }
    if (wave->source.kind != NULL) {
        wave->source.kind->close(&wave->source);
    }
    free(wave->source.bits);
    tdestroy(wave->scope_tree, free);
    for (size_t i = 0; i < wave->num_scopes; i++) {
        free((void *)(uintptr_t)wave->scopes[i].path);
    }
    for (size_t i = 0; i < wave->num_signals; i++) {
        free((void *)(uintptr_t)wave->signals[i].leaf);
    }
    free(wave->scopes);
    free(wave->signals);
    free(wave->bindings);
    free(wave->samplers);
    free(wave->clocks);
    free(wave->first_binding);
    free(wave->clock_of);
    free(wave->waiting);
    free(wave->name);
    free(wave);
}

/* ---- lookup ---------------------------------------------------------------------------------- */

const wlk_wave_scope *wlk_wave_scopes(const wlk_wave *wave, size_t *count) {
    *count = wave->num_scopes;
    return wave->scopes;
}

const wlk_wave_signal *wlk_wave_signals(const wlk_wave *wave, size_t *count) {
    *count = wave->num_signals;
    return wave->signals;
}

uint32_t wlk_wave_bits(const wlk_wave *wave, wlk_wave_handle handle) {
    return handle == 0 || handle > wave->source.max_handle ? 0 : wave->source.bits[handle];
}

int wlk_wave_exponent(const wlk_wave *wave) {
    return wave->source.exponent;
}

bool wlk_wave_is_vcd(const wlk_wave *wave) {
    return wave->source.kind == &wlk_vcd_kind;
}

wlk_status wlk_wave_require_once(const wlk_wave *wave, size_t signal, wlk_error *err) {
    const wlk_wave_signal *s = &wave->signals[signal];
    if (!s->is_twice) {
        return WLK_OK;
    }
    char where[32] = "", before[48] = "";
    const uint64_t line = wave->source.kind->line(&wave->source, s->again);
    if (line != 0) {
        (void)snprintf(where, sizeof where, ":%" PRIu64, line);
        (void)snprintf(before, sizeof before, ", first in line %" PRIu64,
                       wave->source.kind->line(&wave->source, s->place));
    }
    return wlk_fail(err, WLK_CORRUPT,
                    "%s%s: %s.%s is declared twice with different values%s: give the dump of one "
                    "run",
                    wave->name, where, wave->scopes[s->scope].path, s->leaf, before);
}

size_t wlk_wave_find_scope(const wlk_wave *wave, const char *path) {
    for (size_t i = 0; i < wave->num_scopes; i++) {
        if (strcmp(wave->scopes[i].path, path) == 0) {
            return i;
        }
    }
    return WLK_WAVE_NONE;
}

size_t wlk_wave_find_signal(const wlk_wave *wave, size_t scope, const char *leaf, size_t *parts,
                            uint32_t *width) {
    if (scope >= wave->num_scopes) {
        return WLK_WAVE_NONE;
    }
    size_t low = wave->scopes[scope].first_signal;
    const size_t end = low + wave->scopes[scope].num_signals;
    for (size_t high = end; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(wave->signals[middle].leaf, leaf) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    size_t last = low;
    uint32_t bits = 0;
    for (; last < end && strcmp(wave->signals[last].leaf, leaf) == 0; last++) {
        bits += wave->signals[last].width;
    }
    if (parts != NULL) {
        *parts = last - low;
    }
    if (width != NULL) {
        *width = bits;
    }
    return last > low ? low : WLK_WAVE_NONE;
}

/* A leaf or a scope may hold dots itself, so no splitting: each scope that is a prefix is searched.
 */
size_t wlk_wave_find_path(const wlk_wave *wave, const char *path) {
    for (size_t i = 0; i < wave->num_scopes; i++) {
        size_t length = strlen(wave->scopes[i].path);
        if (strncmp(wave->scopes[i].path, path, length) != 0) {
            continue;
        }
        if (length > 0 && path[length] != '.') {
            continue;
        }
        const char *leaf = path + length + (length > 0 ? 1 : 0);
        size_t signal = wlk_wave_find_signal(wave, i, leaf, NULL, NULL);
        if (signal != WLK_WAVE_NONE) {
            return signal;
        }
    }
    return WLK_WAVE_NONE;
}
