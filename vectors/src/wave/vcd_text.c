// SPDX-License-Identifier: Apache-2.0
#include "vcd_text.h"

#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef VCD_ROOM
#define VCD_ROOM (1 << 18) /* bytes to begin with; the fuzzer has fewer */
#endif
enum {
    PAD = 16, /* what vcd_token_end() may read beyond */
    MOST = WLK_MAX_BITS + 4096
};

wlk_status wlk_vcd_text_open(vcd_text *text, const char *path, const char *name, wlk_error *err) {
    struct stat info;
    *text = (vcd_text){.name = name, .err = err, .room = VCD_ROOM};
    text->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (text->fd < 0 || fstat(text->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        const char *why = text->fd < 0 ? strerror(errno) : "not a regular file";
        return wlk_fail(err, WLK_NO_FILE, "%s: cannot be read: %s", name, why);
    }
    text->size = (uint64_t)info.st_size;
    text->bytes = calloc(1, (size_t)text->room + PAD);
    if (text->bytes == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory while opening the waveform", name);
    }
    text->at = text->end = text->bytes;
    return WLK_OK;
}

void wlk_vcd_text_close(vcd_text *text) {
    if (text->fd >= 0) {
        (void)close(text->fd);
    }
    free(text->bytes);
}

void wlk_vcd_text_seek(vcd_text *text, uint64_t place) {
    text->base = place;
    text->at = text->end = text->bytes;
    text->bytes[0] = 0;
    text->held = NULL;
    text->whole = false;
}

/* Move what must stay to the front, and make room after it. */
static bool make_room(vcd_text *text) {
    uint8_t *from = text->held != NULL ? text->held : text->at;
    const uint64_t kept = (uint64_t)(text->end - from), read = (uint64_t)(text->at - from);
    if (kept > MOST) {
        return wlk_vcd_fail(text, WLK_CORRUPT,
                            "a value of more than %d characters: record it again", MOST);
    }
    memmove(text->bytes, from, (size_t)kept);
    text->base += (uint64_t)(from - text->bytes);
    if (kept > text->room / 2) {
        uint8_t *grown = realloc(text->bytes, 2 * (size_t)text->room + PAD);
        if (grown == NULL) {
            text->status = wlk_fail(text->err, WLK_NO_MEMORY,
                                    "%s: out of memory for a value of the waveform", text->name);
            return false;
        }
        text->bytes = grown;
        text->room *= 2;
    }
    text->held = text->held != NULL ? text->bytes : NULL;
    text->token = text->held; /* what is held begins with the last token */
    text->at = text->bytes + read;
    text->end = text->bytes + kept;
    return true;
}

bool wlk_vcd_text_more(vcd_text *text, const uint8_t *odd) {
    if (odd != text->end) {
        text->token = odd;
        text->length = 1;
        return wlk_vcd_fail(
            text, WLK_CORRUPT,
            "byte 0x%02x, which is neither printable nor white space: record it again", *odd);
    }
    if (text->whole || text->status != WLK_OK || (text->stop != NULL && atomic_load(text->stop)) ||
        !make_room(text)) {
        return false;
    }
    const uint64_t place = vcd_text_place(text, text->end);
    ssize_t got;
    do {
        got = pread(text->fd, text->end, text->room - (uint64_t)(text->end - text->bytes),
                    (off_t)place);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        text->status =
            wlk_fail(text->err, WLK_NO_FILE, "%s: cannot be read: %s", text->name, strerror(errno));
        return false;
    }
    text->end += got;
    text->whole = got == 0;
    memset(text->end, 0, PAD);
    return true;
}

uint64_t wlk_vcd_text_line(const vcd_text *text, uint64_t place) {
    char part[1 << 14];
    uint64_t line = 1, at = 0;
    while (at < place) {
        const uint64_t rest = place - at;
        const ssize_t got =
            pread(text->fd, part, rest < sizeof part ? (size_t)rest : sizeof part, (off_t)at);
        if (got <= 0) {
            break;
        }
        for (ssize_t i = 0; i < got; i++) {
            line += part[i] == '\n';
        }
        at += (uint64_t)got;
    }
    return line;
}

bool wlk_vcd_fail(vcd_text *text, wlk_status status, const char *format, ...) {
    char message[sizeof text->err->text];
    va_list rest;
    va_start(rest, format);
    (void)vsnprintf(message, sizeof message, format, rest);
    va_end(rest);
    const uint8_t *at = text->token != NULL ? text->token : text->at;
    text->status = wlk_fail(text->err, status, "%s:%" PRIu64 ": %s", text->name,
                            wlk_vcd_text_line(text, vcd_text_place(text, at)), message);
    return false;
}

bool wlk_vcd_unexpected(vcd_text *text, const char *expected) {
    if (vcd_is_last(text)) {
        return wlk_vcd_fail(text, WLK_TRUNCATED,
                            "the VCD ends inside '%.*s': let the simulator end normally or copy it "
                            "again",
                            VCD_TOKEN(text));
    }
    return wlk_vcd_fail(text, WLK_CORRUPT, "expected %s, found '%.*s': record it again", expected,
                        VCD_TOKEN(text));
}
