// SPDX-License-Identifier: Apache-2.0
#include "warplock/dpi.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checker_private.h"
#include "ports.h"
#include "warplock/blocks.h"

// From svdpi.h, which comes with the simulator: declared here so that the library builds alone.
extern void *svGetScope(void);
extern const char *svGetNameFromScope(const void *scope);

enum {
    MAX_HANDLES = 1024,
    DEFERRED = 64 // cycles: enough to pay for a cold model, few enough for the second-level cache
};

struct wlk_dpi {
    const wlk_block *block;
    uint32_t bound[WLK_MAX_PARAMS]; // as the checker has them
    uint32_t cfg[WLK_MAX_PARAMS];   // ... or what overrides them
    uint32_t given;                 // bit i: parameter i
    char scope[256];
    wlk_member *members;
    uint32_t n_members;
    uint64_t *compare; // NULL: all
    wlk_layout layout;
    uint64_t *records; // of cycles that the model has not been stepped over
    uint64_t *next;    // behind the last of them; NULL before the start
    size_t record_words;
    uint32_t n_records, batch; // batch: cycles that are stepped over together
    bool async_reset;
    struct {
        char *name, *text; // owned
    } * waivers;           // owned
    uint32_t n_waivers;
    wlk_checker *checker;
    wlk_checker **beside; // of each of the registry's sets, NULL: refused; owned
    uint32_t n_beside;
};

static struct {
    wlk_dpi *handles[MAX_HANDLES];
    uint32_t count;
    wlk_dpi_mode mode;
    wlk_power_up power_up;
    bool defer;
    wlk_dpi_set overrides;
    const wlk_dpi_set *sets;
    uint32_t n_sets;
    const char *const *waivers;
    uint32_t n_waivers;
} registry;

uint32_t wlk_dpi_failures;

void wlk_dpi_configure(wlk_dpi_mode mode, wlk_power_up power_up) {
    registry.mode = mode;
    registry.defer = false;
    registry.power_up = power_up;
    wlk_dpi_failures = 0;
}

void wlk_dpi_override(const char *name, uint32_t value) {
    wlk_dpi_set *set = &registry.overrides;
    if (name == NULL) {
        set->n = 0;
    } else if (set->n < WLK_MAX_PARAMS) {
        set->values[set->n].name = name;
        set->values[set->n++].value = value;
    }
}

void wlk_dpi_beside(const wlk_dpi_set *sets, uint32_t n) {
    registry.sets = sets;
    registry.n_sets = n;
}

void wlk_dpi_waive(const char *const *texts, uint32_t n) {
    registry.waivers = texts;
    registry.n_waivers = n;
}

static uint32_t value_of(const wlk_param *param, const wlk_dpi_set *set, uint32_t given) {
    for (uint32_t i = 0; i < set->n; i++) {
        if (strcmp(set->values[i].name, param->name) == 0) {
            return set->values[i].value;
        }
    }
    return given;
}

// The instance the checker is bound into: its own scope without the last part.
static void scope_name(char *text, size_t size) {
    const char *name = svGetNameFromScope(svGetScope());
    (void)snprintf(text, size, "%s", name != NULL ? name : "?");
    char *dot = strrchr(text, '.');
    if (dot != NULL) {
        *dot = '\0';
    }
}

void *wlk_dpi_open(unsigned long long abi_version, unsigned long long schema_hash) {
    char scope[256];
    scope_name(scope, sizeof scope);
    return wlk_dpi_open_at(scope, abi_version, schema_hash);
}

void *wlk_dpi_open_at(const char *scope, unsigned long long abi_version,
                      unsigned long long schema_hash) {
    if (abi_version != WLK_ABI_VERSION) {
        fprintf(stderr,
                "warplock: %s: the checker was generated for ABI version %llu, the library has %u; "
                "generate it again with `warplock bind`\n",
                scope, abi_version, WLK_ABI_VERSION);
        return NULL;
    }
    wlk_error err = {WLK_OK, ""};
    const wlk_block *block = wlk_blocks_of_schema(schema_hash, &err);
    if (block == NULL) {
        fprintf(stderr,
                "warplock: %s: the library has no block with schema %016llx; generate the checker "
                "again with `warplock bind`%s%s\n",
                scope, schema_hash, err.text[0] != '\0' ? ": " : "", err.text);
        return NULL;
    }
    wlk_dpi *h = calloc(1, sizeof *h);
    if (h == NULL || registry.count == MAX_HANDLES) {
        fprintf(stderr, "warplock: %s: no memory for one more checker\n", scope);
        free(h);
        return NULL;
    }
    h->block = block;
    (void)snprintf(h->scope, sizeof h->scope, "%s", scope);
    registry.handles[registry.count++] = h;
    return h;
}

void wlk_dpi_param(void *handle, unsigned long long index, unsigned long long value) {
    wlk_dpi *h = (wlk_dpi *)handle;
    if (h != NULL && index < h->block->table->n_params) {
        const wlk_param *param = &h->block->table->params[index];
        h->bound[index] = (uint32_t)value;
        h->cfg[index] = value_of(param, &registry.overrides, (uint32_t)value);
        h->given |= UINT32_C(1) << index;
    }
}

void wlk_dpi_member(void *handle, const char *name, unsigned long long width,
                    unsigned long long word, unsigned long long lsb) {
    wlk_dpi *h = (wlk_dpi *)handle;
    wlk_member *more = h != NULL ? realloc(h->members, (h->n_members + 1u) * sizeof *more) : NULL;
    if (more == NULL) {
        return; // its port is then reported by another name: nothing else depends on it
    }
    wlk_member *next = &more[h->n_members++];
    h->members = more;
    (void)snprintf(next->name, sizeof next->name, "%s", name);
    next->width = (uint8_t)width;
    next->word = (uint16_t)word;
    next->lsb = (uint8_t)lsb;
}

static bool make_compare(wlk_dpi *h) {
    h->block->table->layout(h->cfg, &h->layout);
    h->compare = malloc(h->layout.out_words * sizeof *h->compare);
    if (h->compare != NULL) {
        memset(h->compare, 0xff, h->layout.out_words * sizeof *h->compare);
    }
    return h->compare != NULL;
}

void wlk_dpi_compare(void *handle, unsigned long long word, unsigned long long mask) {
    wlk_dpi *h = (wlk_dpi *)handle;
    if (h != NULL && (h->compare != NULL || make_compare(h)) && word < h->layout.out_words) {
        h->compare[word] = mask;
    }
}

void wlk_dpi_async_reset(void *handle) {
    wlk_dpi *h = (wlk_dpi *)handle;
    if (h != NULL) {
        h->async_reset = true;
    }
}

static bool make_records(wlk_dpi *h) {
    h->block->table->layout(h->cfg, &h->layout);
    h->record_words = (size_t)h->layout.in_words + h->layout.out_words;
    h->batch = registry.defer || h->n_beside != 0 ? DEFERRED : 1u;
    h->records = h->next = calloc(h->batch, h->record_words * sizeof *h->records);
    return h->records != NULL;
}

static const uint64_t *record_at(const wlk_dpi *h, uint32_t number) {
    return h->records + number * h->record_words;
}

void wlk_dpi_waiver(void *handle, const char *name, const char *text) {
    wlk_dpi *h = (wlk_dpi *)handle;
    void *more = h != NULL ? realloc(h->waivers, (h->n_waivers + 1u) * sizeof *h->waivers) : NULL;
    if (more == NULL) {
        return; // what it waives is then reported
    }
    h->waivers = more;
    h->waivers[h->n_waivers].name = strdup(name);
    h->waivers[h->n_waivers].text = strdup(text);
    h->n_waivers++;
}

// Those that came with the checker, and those of the host.
static wlk_status waive(const wlk_dpi *h, wlk_checker *checker, wlk_error *err) {
    wlk_status status = WLK_OK;
    for (uint32_t i = 0; status == WLK_OK && i < h->n_waivers; i++) {
        status = h->waivers[i].text != NULL ? wlk_checker_waive(checker, h->waivers[i].text, err)
                                            : wlk_fail(err, WLK_NO_MEMORY, "out of memory");
    }
    for (uint32_t i = 0; status == WLK_OK && i < registry.n_waivers; i++) {
        status = wlk_checker_waive(checker, registry.waivers[i], err);
    }
    return status;
}

static wlk_status open_checker(const wlk_dpi *h, const uint32_t *cfg, wlk_checker **checker,
                               wlk_error *err) {
    const wlk_checker_options options = {
        .scope = h->scope,
        .power_up = registry.power_up,
        .compare = h->compare,
        .async_reset = h->async_reset,
        .members = {h->members, h->n_members},
    };
    wlk_status status = wlk_checker_open(checker, h->block, cfg, &options, err);
    if (status == WLK_OK) {
        status = waive(h, *checker, err);
    }
    if (status != WLK_OK) {
        wlk_checker_close(*checker);
        *checker = NULL;
    }
    return status;
}

static bool same_ports(const wlk_dpi *h, const uint32_t *cfg) {
    wlk_layout bound, other;
    h->block->table->layout(h->cfg, &bound);
    h->block->table->layout(cfg, &other);
    return bound.in_words == other.in_words && bound.out_words == other.out_words &&
           bound.in_control == other.in_control && bound.out_control == other.out_control;
}

// A set that a block refuses, or that has other ports, has no checker.
static wlk_status open_beside(wlk_dpi *h, wlk_error *err) {
    const wlk_table *t = h->block->table;
    uint32_t cfg[WLK_MAX_PARAMS];
    wlk_error refused = {WLK_OK, ""};
    if (registry.n_sets == 0) {
        return WLK_OK;
    }
    // NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are what it holds.
    h->beside = calloc(registry.n_sets, sizeof *h->beside);
    if (h->beside == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "no memory for more checkers");
    }
    h->n_beside = registry.n_sets;
    for (uint32_t i = 0; i < h->n_beside; i++) {
        for (uint32_t p = 0; p < t->n_params; p++) {
            cfg[p] = value_of(&t->params[p], &registry.sets[i], h->bound[p]);
        }
        if (same_ports(h, cfg)) {
            (void)open_checker(h, cfg, &h->beside[i], &refused);
        }
    }
    return WLK_OK;
}

int wlk_dpi_start(void *handle) {
    wlk_dpi *h = (wlk_dpi *)handle;
    wlk_error err = {WLK_OK, ""};
    if (h == NULL) {
        return (int)WLK_BAD_VERSION;
    }
    wlk_status status = WLK_BAD_PARAMS;
    if (h->given == (uint32_t)wlk_mask(h->block->table->n_params)) {
        status = open_checker(h, h->cfg, &h->checker, &err);
    } else {
        (void)wlk_fail(&err, status, "not every parameter was given");
    }
    if (status == WLK_OK) {
        status = open_beside(h, &err);
    }
    if (status == WLK_OK && !make_records(h)) {
        status = wlk_fail(&err, WLK_NO_MEMORY, "no memory for its records");
    }
    if (status != WLK_OK) {
        wlk_checker_close(h->checker);
        h->checker = NULL;
        fprintf(stderr, "warplock: %s: %s\n", h->scope, err.text);
    }
    return (int)status;
}

// A checker has something to say. Returns whether the simulation should stop.
static int tell(const wlk_dpi *h) {
    wlk_dpi_failures++;
    if (registry.mode == WLK_DPI_HOST) {
        return 0;
    }
    // A simulator may end without flushing: print it now.
    wlk_checker_report(h->checker, stderr);
    (void)fflush(stderr);
    return 1;
}

static void step_beside(const wlk_dpi *h) {
    int first;
    for (uint32_t i = 0; i < h->n_beside; i++) {
        wlk_checker *c = h->beside[i];
        for (uint32_t n = 0; c != NULL && !wlk_checker_done(c) && n < h->n_records;) {
            n += wlk_checker_run(c, record_at(h, n), h->n_records - n, &first);
        }
    }
}

// The models over what was kept. After a failure the rest is of no use: the host runs it again.
static void step_kept(wlk_dpi *h) {
    int first = 0, stops = 0;
    for (uint32_t n = 0; n < h->n_records && !stops;) {
        n += wlk_checker_run(h->checker, record_at(h, n), h->n_records - n, &first);
        stops = first != 0 && tell(h) != 0;
    }
    step_beside(h);
    h->n_records = 0;
    h->next = h->records;
}

uint64_t *wlk_dpi_next(void *handle) {
    return handle != NULL ? ((wlk_dpi *)handle)->next : NULL;
}

void wlk_dpi_took(void *handle) {
    wlk_dpi *h = (wlk_dpi *)handle;
    h->next += h->record_words;
    if (++h->n_records == h->batch) {
        step_kept(h);
    }
}

int wlk_dpi_step(void *handle, const wlk_view *in, const wlk_view *got) {
    wlk_dpi *h = (wlk_dpi *)handle;
    if (h == NULL || h->checker == NULL) {
        return 1; // refused at the start, and the simulation goes on all the same
    }
    if (h->n_beside == 0) {
        return wlk_checker_step(h->checker, in, got) != 0 && tell(h) != 0;
    }
    const wlk_layout *l = &h->layout;
    wlk_view_copy(h->next, in, l->in_control, l->in_payload, l->n_in_payloads);
    wlk_view_copy(h->next + l->in_words, got, l->out_control, l->out_payload, l->n_out_payloads);
    wlk_dpi_took(h);
    return 0;
}

void wlk_dpi_defer(bool defer) {
    registry.defer = defer;
}

void wlk_dpi_flush(void) {
    for (uint32_t i = 0; i < registry.count; i++) {
        step_kept(registry.handles[i]);
    }
}

// The name of the first waiver with that number, which stands behind the block in its text.
static const char *waiver_name(const wlk_dpi *h, uint32_t number) {
    for (uint32_t i = 0; i < h->n_waivers; i++) {
        const char *text = strchr(h->waivers[i].text, ' ');
        if (text != NULL && strtoul(text, NULL, 10) == number && h->waivers[i].name != NULL) {
            return h->waivers[i].name;
        }
    }
    return "?";
}

static void print_waived(const wlk_dpi *h) {
    uint32_t n = 0;
    const wlk_waiver_hits *hits = wlk_checker_waived(h->checker, &n);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(stderr, "warplock: %s %s: waived %s: ", h->block->table->name, h->scope,
                waiver_name(h, hits[i].waiver));
        if (hits[i].cycles == 0) {
            fputs("no difference\n", stderr);
        } else {
            fprintf(stderr, "%" PRIu64 " cycles, from cycle %" PRIu64 " to cycle %" PRIu64 "\n",
                    hits[i].cycles, hits[i].first, hits[i].last);
        }
    }
}

static void print_constants(const wlk_dpi *h) {
    char head[512];
    (void)snprintf(head, sizeof head, "warplock: %s %s: ", h->block->table->name, h->scope);
    wlk_checker_report_constants(h->checker, head, stderr);
}

static void forget(const wlk_dpi *h) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < registry.count; i++) {
        if (registry.handles[i] != h) {
            registry.handles[kept++] = registry.handles[i];
        }
    }
    registry.count = kept;
}

int wlk_dpi_close(void *handle) {
    wlk_dpi *h = (wlk_dpi *)handle;
    int code = 0;
    if (h == NULL) {
        return (int)WLK_BAD_VERSION;
    }
    if (h->checker != NULL && registry.mode == WLK_DPI_SIMULATOR) {
        const wlk_checker_result r = wlk_checker_result_get(h->checker, false);
        code = (int)r.verdict;
        fprintf(stderr,
                "warplock: %s %s: %s, %" PRIu64 " cycles, %" PRIu64 " bits compared, %" PRIu64
                " masked\n",
                h->block->table->name, h->scope, wlk_status_name(r.verdict), r.cycles,
                r.compared_bits, r.masked_bits);
        if (r.verdict == WLK_OK || r.verdict == WLK_VACUOUS) {
            wlk_checker_report_outputs(h->checker, stderr);
            print_constants(h);
        }
        print_waived(h);
    }
    wlk_checker_close(h->checker);
    for (uint32_t i = 0; i < h->n_beside; i++) {
        wlk_checker_close(h->beside[i]);
    }
    free(h->beside);
    forget(h);
    for (uint32_t i = 0; i < h->n_waivers; i++) {
        free(h->waivers[i].name);
        free(h->waivers[i].text);
    }
    free(h->waivers);
    free(h->compare);
    free(h->records);
    free(h->members);
    free(h);
    return code;
}

uint32_t wlk_dpi_count(void) {
    return registry.count;
}

wlk_checker *wlk_dpi_checker(uint32_t index) {
    return index < registry.count ? registry.handles[index]->checker : NULL;
}

wlk_checker *wlk_dpi_checker_beside(uint32_t index, uint32_t set) {
    const wlk_dpi *h = index < registry.count ? registry.handles[index] : NULL;
    return h != NULL && set < h->n_beside ? h->beside[set] : NULL;
}
