/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file check.h
 * Counting checks for unit tests in plain C: CASE(name) { ... } for each test, with CHECK() as
 * often as wanted in it, and `return check_cases();` in main.
 */
#ifndef WARPLOCK_CHECK_H
#define WARPLOCK_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/** Elements of an array. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

/** What the test cannot go on without: the end of the program when it is false. */
#define REQUIRE(condition, ...)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)check_that(false, __FILE__, __LINE__, #condition, __VA_ARGS__);                  \
            exit(check_done());                                                                    \
        }                                                                                          \
    } while (0)

/** A test that check_cases() runs; those of a file in their order. */
#define CASE(name)                                                                                 \
    static void name(void);                                                                        \
    __attribute__((constructor)) static void add_##name(void) {                                    \
        check_add(name);                                                                           \
    }                                                                                              \
    static void name(void)

enum { CHECK_MAX_CASES = 64 };
static void (*check_list[CHECK_MAX_CASES])(void);
static unsigned check_count;

static inline void check_add(void (*test)(void)) {
    if (check_count == CHECK_MAX_CASES) {
        abort();
    }
    check_list[check_count++] = test;
}

/** Run the tests, each between @p before and @p after, and print the closing line; the exit code.
 */
static inline int check_cases_in(void (*before)(void), void (*after)(void)) {
    for (unsigned i = 0; i < check_count; i++) {
        before();
        check_list[i]();
        after();
    }
    return check_done();
}

static inline void check_nothing(void) {}

/** Run the tests, and print the closing line; the exit code. */
static inline int check_cases(void) {
    return check_cases_in(check_nothing, check_nothing);
}

#endif
