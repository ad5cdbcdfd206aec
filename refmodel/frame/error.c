// SPDX-License-Identifier: Apache-2.0
#include "warplock/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

wlk_status wlk_fail(wlk_error *err, wlk_status status, const char *format, ...) {
    if (err != NULL) {
        va_list args;
        va_start(args, format);
        err->status = status;
        (void)vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

#define NAME(status) [WLK_##status] = #status

static const char *const names[] = {
    [WLK_OK] = "PASS",
    NAME(FUNCTIONAL_MISMATCH),
    NAME(USAGE),
    NAME(TIMING_DIVERGENCE),
    NAME(PROTOCOL_VIOLATION),
    NAME(HANG),
    NAME(VACUOUS),
    NAME(IFACE_CHANGED),
    NAME(BUILD_FAIL),
    NAME(MODEL_ERROR),
    NAME(NO_FILE),
    NAME(TRUNCATED),
    NAME(CORRUPT),
    NAME(BAD_VERSION),
    NAME(BAD_SCHEMA),
    NAME(BAD_PARAMS),
    NAME(NO_SCOPE),
    NAME(NO_CLOCK),
    NAME(BAD_WIDTH),
    NAME(NO_RESET),
    NAME(BAD_RTL),
    NAME(NO_MODULE),
    NAME(AMBIGUOUS),
    NAME(BAD_CONFIG),
    NAME(BAD_CSV),
    NAME(NO_SPACE),
    NAME(NO_TOOL),
    NAME(NO_MEMORY),
    NAME(RTL_ASSERTION),
    NAME(REFUTED),
    NAME(BOUNDED),
    NAME(UNUSED_WAIVER),
    NAME(EXPIRED_WAIVER),
    NAME(SIMULATOR),
    NAME(INTERRUPTED),
};

const char *wlk_status_name(wlk_status status) {
    const size_t n = sizeof names / sizeof names[0];
    return (size_t)status < n && names[status] != NULL ? names[status] : "UNKNOWN";
}
