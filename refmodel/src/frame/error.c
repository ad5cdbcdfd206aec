// SPDX-License-Identifier: Apache-2.0
#include "warplock/error.h"

#include <stdarg.h>
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

const char *wlk_status_name(wlk_status status) {
    switch (status) {
    case WLK_OK:
        return "PASS";
    case WLK_FUNCTIONAL_MISMATCH:
        return "FUNCTIONAL_MISMATCH";
    case WLK_USAGE:
        return "USAGE";
    case WLK_TIMING_DIVERGENCE:
        return "TIMING_DIVERGENCE";
    case WLK_PROTOCOL_VIOLATION:
        return "PROTOCOL_VIOLATION";
    case WLK_HANG:
        return "HANG";
    case WLK_VACUOUS:
        return "VACUOUS";
    case WLK_IFACE_CHANGED:
        return "IFACE_CHANGED";
    case WLK_BUILD_FAIL:
        return "BUILD_FAIL";
    case WLK_MODEL_ERROR:
        return "MODEL_ERROR";
    case WLK_NO_FILE:
        return "NO_FILE";
    case WLK_TRUNCATED:
        return "TRUNCATED";
    case WLK_CORRUPT:
        return "CORRUPT";
    case WLK_BAD_VERSION:
        return "BAD_VERSION";
    case WLK_BAD_SCHEMA:
        return "BAD_SCHEMA";
    case WLK_BAD_PARAMS:
        return "BAD_PARAMS";
    case WLK_NO_SCOPE:
        return "NO_SCOPE";
    case WLK_NO_CLOCK:
        return "NO_CLOCK";
    case WLK_BAD_WIDTH:
        return "BAD_WIDTH";
    case WLK_NO_RESET:
        return "NO_RESET";
    case WLK_BAD_RTL:
        return "BAD_RTL";
    case WLK_NO_MODULE:
        return "NO_MODULE";
    case WLK_AMBIGUOUS:
        return "AMBIGUOUS";
    case WLK_BAD_CONFIG:
        return "BAD_CONFIG";
    case WLK_BAD_CSV:
        return "BAD_CSV";
    case WLK_NO_SPACE:
        return "NO_SPACE";
    case WLK_NO_TOOL:
        return "NO_TOOL";
    case WLK_NO_MEMORY:
        return "NO_MEMORY";
    case WLK_RTL_ASSERTION:
        return "RTL_ASSERTION";
    case WLK_INTERRUPTED:
        return "INTERRUPTED";
    }
    return "UNKNOWN";
}
