// SPDX-License-Identifier: Apache-2.0
#include "warplock/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Beside the number a text by which it is found in a library's file, without running it.
static const char version[] = "warplock library " WLK_VERSION;

const char *wlk_version(void) {
    return version + sizeof "warplock library " - 1u;
}

// A number after a colon, and where it ends; NULL when there is none.
static const char *parse_number(const char *text, unsigned long most, unsigned long *value) {
    char *end = NULL;
    if (text == NULL || text[0] != ':' || text[1] < '0' || text[1] > '9') {
        return NULL;
    }
    *value = strtoul(text + 1, &end, 10);
    return *value <= most ? end : NULL;
}

// One member; returns where its text ends, NULL when it is malformed.
static const char *parse_member(const char *text, wlk_member *member) {
    unsigned long width = 0, word = 0, lsb = 0;
    size_t length = 0;
    while (text[length] != '\0' && text[length] != ':' && text[length] != ',') {
        length++;
    }
    memset(member, 0, sizeof *member);
    if (length == 0 || length >= sizeof member->name) {
        return NULL;
    }
    memcpy(member->name, text, length);
    text = parse_number(text + length, 64u, &width);
    text = parse_number(text, UINT16_MAX, &word);
    text = parse_number(text, 64u, &lsb);
    if (text == NULL || (*text != '\0' && *text != ',') || width == 0 || lsb + width > 64) {
        return NULL;
    }
    member->width = (uint8_t)width;
    member->word = (uint16_t)word;
    member->lsb = (uint8_t)lsb;
    return text;
}

wlk_status wlk_members_parse(const char *text, wlk_member *list, uint32_t capacity, uint32_t *n,
                             wlk_error *err) {
    *n = 0;
    while (*text != '\0') {
        wlk_member member;
        const char *end = parse_member(text, &member);
        if (end == NULL) {
            return wlk_fail(err, WLK_BAD_CONFIG, "config: '%.64s' is not name:width:word:lsb",
                            text);
        }
        if (*n < capacity) {
            list[*n] = member;
        }
        *n += 1u;
        text = *end == ',' ? end + 1 : end;
    }
    return WLK_OK;
}

void wlk_config_defaults(const wlk_table *table, uint32_t *cfg) {
    for (uint32_t i = 0; i < table->n_params; i++) {
        cfg[i] = table->params[i].default_value;
    }
}

static bool is_legal(const wlk_param *param, uint32_t value) {
    for (uint32_t i = 0; i < param->n_legal; i++) {
        if (param->legal[i] == value) {
            return true;
        }
    }
    return false;
}

/** "a | b", "1..64" or "one of 2, 4, 8" in @p text. */
static void describe(const wlk_param *param, char *text, size_t size) {
    const uint32_t low = param->legal[0];
    const uint32_t high = param->legal[param->n_legal - 1u];
    size_t used = 0;
    if (param->names == NULL && high - low + 1u == param->n_legal) {
        (void)snprintf(text, size, "%u..%u", low, high);
        return;
    }
    text[0] = '\0';
    for (uint32_t i = 0; i < param->n_legal && used < size; i++) {
        const char *glue = i == 0 ? "" : param->names != NULL ? " | " : ", ";
        const int n = param->names != NULL
                          ? snprintf(text + used, size - used, "%s%s", glue, param->names[i])
                          : snprintf(text + used, size - used, "%s%u", glue, param->legal[i]);
        used += n > 0 ? (size_t)n : 0u;
    }
}

static wlk_status illegal(const wlk_param *param, const char *value, wlk_error *err) {
    char legal[256];
    describe(param, legal, sizeof legal);
    return wlk_fail(err, WLK_BAD_CONFIG, "config: %s=%.64s is not legal; give %s=%s", param->name,
                    value, param->name, legal);
}

/** Position of @p text among the names, or its number; false when it is neither. */
static bool parse(const wlk_param *param, const char *text, uint32_t *value) {
    char *end = NULL;
    unsigned long number = 0;
    for (uint32_t i = 0; param->names != NULL && i < param->n_legal; i++) {
        if (strcmp(text, param->names[i]) == 0) {
            *value = i;
            return true;
        }
    }
    if (param->names != NULL || text[0] < '0' || text[0] > '9') {
        return false;
    }
    number = strtoul(text, &end, 0);
    *value = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
    return *end == '\0';
}

wlk_status wlk_config_set(const wlk_table *table, uint32_t *cfg, const char *key, const char *value,
                          wlk_error *err) {
    for (uint32_t i = 0; i < table->n_params; i++) {
        const wlk_param *param = &table->params[i];
        uint32_t number = 0;
        if (strcmp(param->name, key) != 0) {
            continue;
        }
        if (!parse(param, value, &number) || !is_legal(param, number)) {
            return illegal(param, value, err);
        }
        cfg[i] = number;
        return WLK_OK;
    }
    return wlk_fail(err, WLK_BAD_CONFIG, "config: block %s has no parameter '%.64s'", table->name,
                    key);
}

wlk_status wlk_config_check(const wlk_table *table, const uint32_t *cfg, wlk_error *err) {
    for (uint32_t i = 0; i < table->n_params; i++) {
        if (!is_legal(&table->params[i], cfg[i])) {
            char value[16];
            (void)snprintf(value, sizeof value, "%u", cfg[i]);
            return illegal(&table->params[i], value, err);
        }
    }
    return table->together != NULL ? table->together(cfg, err) : WLK_OK;
}
