/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of a VCD: what stands between white space (IEEE 1800-2017, 21.7). A part of the file
 * at a time is in memory, so lines are counted only for a message.
 */
#ifndef WARPLOCK_VCD_TEXT_H
#define WARPLOCK_VCD_TEXT_H

#include "warplock/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct vcd_text {
    const char *name; /* as the user knows the file, for messages */
    int fd;
    uint64_t size;           /* of the file; 0: not a regular one */
    uint64_t base;           /* place in the file of bytes[0] */
    uint8_t *bytes;          /* a zero byte follows them, and room to read eight at once */
    uint8_t *at, *end;       /* what is not read yet */
    uint8_t *held;           /* first byte that must stay in memory; NULL: those from `at` on */
    uint64_t room;           /* of bytes */
    bool whole;              /* nothing of the file follows `end` */
    const atomic_bool *stop; /* give up early; may be NULL */
    const uint8_t *token;    /* the last one, until the next is read */
    uint32_t length;         /* of the token [bytes] */
    wlk_error *err;
    wlk_status status; /* of what went wrong, in `err` too */
} vcd_text;

/* WLK_NO_FILE, WLK_NO_MEMORY. wlk_vcd_text_close() in any case. */
wlk_status wlk_vcd_text_open(vcd_text *text, const char *path, const char *name, wlk_error *err);
void wlk_vcd_text_close(vcd_text *text);

/* Go on at a place of the file. */
void wlk_vcd_text_seek(vcd_text *text, uint64_t place);

/* The slow cases of vcd_next(): the memory ends, or a byte is neither printable nor white space.
 * true: try again. */
bool wlk_vcd_text_more(vcd_text *text, const uint8_t *odd);

/* Line of a place in the file, from 1. */
uint64_t wlk_vcd_text_line(const vcd_text *text, uint64_t place);

static inline uint64_t vcd_text_place(const vcd_text *text, const uint8_t *at) {
    return text->base + (uint64_t)(at - text->bytes);
}

/* Fill the error with "FILE:LINE: " and the message, which is about the last token; false. */
__attribute__((format(printf, 3, 4))) bool wlk_vcd_fail(vcd_text *text, wlk_status status,
                                                        const char *format, ...);

/* The token for "%.*s" of a message. */
enum { VCD_SHOWN = 40 };
#define VCD_TOKEN(text)                                                                            \
    (int)((text)->length < VCD_SHOWN ? (text)->length : VCD_SHOWN), (const char *)(text)->token

/* The last token is not what it could be; where the file ends with it, it may be cut. false. */
bool wlk_vcd_unexpected(vcd_text *text, const char *expected);

/* Is the token the last of the file, with nothing after it? */
static inline bool vcd_is_last(const vcd_text *text) {
    return text->whole && text->at == text->end;
}

static inline bool vcd_is(const vcd_text *text, const char *word) {
    return text->length == strlen(word) && memcmp(text->token, word, text->length) == 0;
}

static inline bool vcd_is_white(uint8_t byte) {
    return byte == ' ' || ((uint8_t)(byte - '\t') < 5 && byte != '\v');
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest one");

/* The first byte from @p at on that is no part of a token. */
static inline const uint8_t *vcd_token_end(const uint8_t *at) {
    for (;; at += 8) {
        uint64_t bytes;
        memcpy(&bytes, at, sizeof bytes);
        /* the high bit of each byte below 0x21, and perhaps of some after the first of these */
        const uint64_t ends =
            (bytes - UINT64_C(0x2121212121212121)) & ~bytes & UINT64_C(0x8080808080808080);
        if (ends != 0) {
            return at + (__builtin_ctzll(ends) >> 3);
        }
    }
}

/* The next token; false at the end of the file, and where `status` is not WLK_OK. */
static inline bool vcd_next(vcd_text *text) {
    for (;;) {
        uint8_t *start = text->at;
        while (vcd_is_white(*start)) {
            start++;
        }
        text->at = start;
        const uint8_t *end = vcd_token_end(start);
        if (end != start && (vcd_is_white(*end) || (end == text->end && text->whole))) {
            text->token = start;
            text->length = (uint32_t)(end - start);
            text->at = text->bytes + (end - text->bytes);
            return true;
        }
        if (!wlk_vcd_text_more(text, end)) {
            return false;
        }
    }
}

#endif
