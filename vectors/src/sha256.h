/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4) of 64-bit words, each as eight bytes, the lowest first. */
#ifndef WLK_SHA256_H
#define WLK_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define WLK_SHA256_TEXT 65u /* bytes of a digest as text, with its end */

typedef struct wlk_sha256 {
    uint32_t state[8];
    uint32_t block[16];
    uint64_t words; /* taken so far */
} wlk_sha256;

void wlk_sha256_init(wlk_sha256 *sha);
void wlk_sha256_add(wlk_sha256 *sha, const uint64_t *words, size_t n);

/* The digest in hexadecimal, as sha256sum prints it. Ends @p sha. */
void wlk_sha256_text(wlk_sha256 *sha, char text[WLK_SHA256_TEXT]);

#endif
