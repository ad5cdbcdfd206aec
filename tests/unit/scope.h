/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file scope.h
 * The two calls of svdpi.h that the library makes, for a program that is no simulator: each call
 * comes from the scope SCOPE, a string, which is defined before.
 */
#ifndef WARPLOCK_TEST_SCOPE_H
#define WARPLOCK_TEST_SCOPE_H

#include <stddef.h>

void *svGetScope(void);
const char *svGetNameFromScope(const void *scope);

void *svGetScope(void) {
    return NULL;
}

const char *svGetNameFromScope(const void *scope) {
    (void)scope;
    return SCOPE;
}

#endif
