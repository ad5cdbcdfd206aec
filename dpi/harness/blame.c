// SPDX-License-Identifier: Apache-2.0
// Who is at fault: which checker's failure explains those of the others, and which block that is.
#include <inttypes.h>
#include <string.h>

#include "harness_private.h"

typedef struct suspect {
    char port[WLK_MAX_NAME];  // output of the composed block
    char block[WLK_MAX_NAME]; // inside, that the output depends on
    char lacks[WLK_MAX_NAME]; // its output that is not compared; empty: it has no checker
} suspect;

bool blame_is_stage(const harness *b, const wlk_checker *checker) {
    return wlk_checker_facts_get(checker).block == b->block;
}

uint64_t blame_rank(const harness *b, const wlk_checker *checker, const wlk_checker_result *r) {
    const uint64_t kind =
        (r->verdict == WLK_PROTOCOL_VIOLATION ? 2u : 0u) + blame_is_stage(b, checker);
    const bool has_cycle = r->mismatches != 0 || r->violated != 0;
    return has_cycle ? r->first_cycle * 4u + kind : UINT64_MAX;
}

// "PORT:BLOCK:LACKS"
static bool read_suspect(const char *word, suspect *s) {
    char *const parts[] = {s->port, s->block, s->lacks};
    for (uint32_t i = 0; i < 3; i++) {
        const size_t n = strcspn(word, ":");
        if (n >= WLK_MAX_NAME || (word[n] == ':') != (i < 2)) {
            return false;
        }
        memcpy(parts[i], word, n);
        parts[i][n] = '\0';
        word += n + (word[n] == ':');
    }
    return true;
}

bool blame_suspect(harness *b, const char *word) {
    suspect s;
    if (b->n_suspects == MAX_SUSPECTS || !read_suspect(word, &s)) {
        return false;
    }
    b->suspects[b->n_suspects++] = word;
    return true;
}

// The one that the first differing port depends on.
static bool find_suspect(const harness *b, suspect *found) {
    const wlk_checker_facts f = wlk_checker_facts_get(b->failing);
    for (uint32_t d = 0; d < f.n_differences; d++) {
        for (uint32_t i = 0; i < b->n_suspects; i++) {
            if (read_suspect(b->suspects[i], found) &&
                strcmp(found->port, f.ports[f.differences[d].port].name) == 0) {
                return true;
            }
        }
    }
    return false;
}

// Where the block inside is, or as near as is known.
static const char *scope_of(const harness *b, const char *block) {
    for (uint32_t i = 0; i < wlk_dpi_count(); i++) {
        const wlk_checker_facts f = wlk_checker_facts_get(wlk_dpi_checker(i));
        if (strcmp(f.block->table->name, block) == 0) {
            return f.scope;
        }
    }
    return wlk_checker_facts_get(b->failing).scope;
}

static void name_suspect(const suspect *s, fault *f) {
    (void)snprintf(f->block, sizeof f->block, "%s", s->block);
    if (s->lacks[0] == '\0') {
        (void)snprintf(f->why, sizeof f->why,
                       "it has no checker of its own, so the root cause may be in it");
        return;
    }
    (void)snprintf(f->lacks, sizeof f->lacks, "%s", s->lacks);
    (void)snprintf(f->why, sizeof f->why,
                   "its checker lacks port %s, which the compiler dropped, so the root cause may "
                   "be there",
                   s->lacks);
}

bool blame(const harness *b, fault *f) {
    const wlk_checker *c = b->failing;
    suspect s;
    memset(f, 0, sizeof *f);
    if (c == NULL) {
        return false;
    }
    const wlk_checker_result r = wlk_checker_result_get(c, false);
    const wlk_checker_facts facts = wlk_checker_facts_get(c);
    (void)snprintf(f->block, sizeof f->block, "%s", facts.block->table->name);
    (void)snprintf(f->scope, sizeof f->scope, "%s", facts.scope);
    if (!blame_is_stage(b, c)) {
        // Inputs that break a rule before anything differs: wired wrong, by what is around it.
        char *dot = strrchr(f->scope, '.');
        if (r.verdict == WLK_PROTOCOL_VIOLATION && dot != NULL) {
            *dot = '\0';
            (void)snprintf(f->block, sizeof f->block, "%s", b->block->table->name);
        }
        return true;
    }
    if (r.verdict == WLK_PROTOCOL_VIOLATION || !find_suspect(b, &s)) {
        return false;
    }
    name_suspect(&s, f);
    (void)snprintf(f->scope, sizeof f->scope, "%s", scope_of(b, s.block));
    return true;
}

void blame_json(const harness *b, wlk_json *to) {
    fault f;
    if (!blame(b, &f)) {
        return;
    }
    wlk_json_open(to, "at_fault", '{');
    wlk_json_text(to, "block", f.block);
    wlk_json_text(to, "scope", f.scope);
    if (f.lacks[0] != '\0') {
        wlk_json_open(to, "not_compared", '[');
        wlk_json_text(to, NULL, f.lacks);
        wlk_json_close(to, ']');
    }
    if (f.why[0] != '\0') {
        wlk_json_text(to, "why", f.why);
    }
    wlk_json_close(to, '}');
}

void blame_report(const harness *b, FILE *to) {
    fault f;
    if (blame(b, &f) && f.why[0] != '\0') {
        fprintf(to, "  at fault: %s in %s: %s\n", f.block, f.scope, f.why);
    }
}
