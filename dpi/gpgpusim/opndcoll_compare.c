// SPDX-License-Identifier: Apache-2.0
// Compares configurations of the operand collector over one recording.
#include "opndcoll_compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "opndcoll_elastic.h"
#include "tool.h"

// What has been played, as JSON.
typedef struct answer {
    char *text;
    size_t size;
    FILE *to;
} answer;

static void print_wait(wlk_json *to, const char *name, const elastic_wait *wait) {
    wlk_json_open(to, name, '{');
    wlk_json_number(to, "instructions", wait->instructions);
    wlk_json_number(to, "total", wait->total);
    wlk_json_number(to, "p95", wait->p95);
    wlk_json_number(to, "most", wait->most);
    wlk_json_close(to, '}');
}

// The summary's line as a value.
static bool print_summary(wlk_json *to, elastic *e) {
    answer a = {0};
    a.to = open_memstream(&a.text, &a.size);
    if (a.to == NULL) {
        return false;
    }
    wlk_opndcoll_summary_print(elastic_summary(e), a.to);
    const bool good = fclose(a.to) == 0;
    if (good) {
        a.text[strcspn(a.text, "\n")] = '\0';
        wlk_json_raw(to, "summary", a.text);
    }
    free(a.text);
    return good;
}

static bool print_result(wlk_json *to, const compare_config *config, elastic *e,
                         const elastic_result *r) {
    const wlk_status verdict = r->left != 0 ? WLK_HANG : WLK_OK;
    wlk_json_open(to, NULL, '{');
    wlk_json_text(to, "name", config->name);
    wlk_json_text(to, "revision", wlk_opndcoll_revision_name(config->cfg.revision));
    wlk_json_text(to, "verdict", wlk_status_name(verdict));
    wlk_json_number(to, "steps_a_cycle", r->steps_a_cycle);
    wlk_json_number(to, "cycles", r->cycles);
    wlk_json_number(to, "left", r->left);
    wlk_json_number(to, "same", r->same);
    wlk_json_number(to, "delayed", r->delayed);
    print_wait(to, "waited", &r->wait);
    const bool good = print_summary(to, e);
    wlk_json_close(to, '}');
    return good;
}

static wlk_status play(const trace *t, const compare_config *first, const compare_config *config,
                       wlk_json *to, bool *hangs, wlk_error *err) {
    elastic *e;
    elastic_result result;
    wlk_status status = elastic_open(&e, t, &first->cfg, &config->cfg, err);
    status = status == WLK_OK ? elastic_run(e, err) : status;
    if (status == WLK_OK) {
        elastic_result_of(e, &result);
        *hangs |= result.left != 0;
        status = print_result(to, config, e, &result) ? WLK_OK : tool_no_memory(err);
    } else if (status == WLK_BAD_PARAMS) {
        const wlk_error reason = *err;
        (void)wlk_fail(err, status, "%s: %s", config->name, reason.text);
    }
    elastic_close(e);
    return status;
}

static wlk_status play_all(const trace *t, const compare_config *configs, uint32_t n, FILE *stream,
                           bool *hangs, wlk_error *err) {
    elastic_wait recorded;
    wlk_status status = elastic_recorded(t, &recorded, err);
    wlk_json to = wlk_json_line(stream);
    wlk_json_number(&to, "instructions", t->n_insts);
    wlk_json_number(&to, "cycles", t->cycles);
    print_wait(&to, "recorded", &recorded);
    wlk_json_open(&to, "configurations", '[');
    for (uint32_t i = 0; i < n && status == WLK_OK; i++) {
        status = play(t, &configs[0], &configs[i], &to, hangs, err);
    }
    wlk_json_close(&to, ']');
    wlk_json_line_end(&to);
    return status;
}

// Nothing is printed of what was not finished.
wlk_status compare_all(const trace *t, const compare_config *configs, uint32_t n, wlk_error *err) {
    answer a = {0};
    bool hangs = false;
    a.to = open_memstream(&a.text, &a.size);
    if (a.to == NULL) {
        return tool_no_memory(err);
    }
    wlk_status status = play_all(t, configs, n, a.to, &hangs, err);
    if (fclose(a.to) != 0 && status == WLK_OK) {
        status = tool_no_memory(err);
    }
    if (status == WLK_OK) {
        fputs(a.text, stdout);
        status = hangs ? WLK_HANG : WLK_OK;
    }
    free(a.text);
    return status;
}
