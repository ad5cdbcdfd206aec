/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file check.h
 * Counting checks for unit tests in plain C: CHECK() as often as wanted, `return check_done();`.
 */
#ifndef WARPLOCK_CHECK_H
#define WARPLOCK_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned long check_passed, check_failed;

/** Count @p condition; when it is false, print where. Its value. */
#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition, NULL)

/** CHECK() with a printf-like explanation. */
#define CHECK_MSG(condition, ...)                                                                  \
    check_that((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)

#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
static inline bool
check_that(bool ok, const char *file, int line, const char *condition, const char *why, ...) {
    if (ok) {
        check_passed++;
        return true;
    }
    check_failed++;
    printf("%s:%d: failed: %s", file, line, condition);
    if (why != NULL) {
        va_list args;
        va_start(args, why);
        printf(": ");
        vprintf(why, args);
        va_end(args);
    }
    printf("\n");
    return false;
}

/** Print the closing line. The exit code: 1 when a check failed or there was none. */
static inline int check_done(void) {
    printf("%lu passed, %lu failed\n", check_passed, check_failed);
    return check_failed != 0 || check_passed == 0;
}

#endif
