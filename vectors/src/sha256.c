// SPDX-License-Identifier: Apache-2.0
#include "sha256.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 64, WORDS = 8 /* of 64 bits in a block */ };

// Fractions of the cube roots of the first 64 primes.
static const uint32_t constants[ROUNDS] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u,
    0xab1c5ed5u, 0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu,
    0x9bdc06a7u, 0xc19bf174u, 0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu,
    0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau, 0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u,
    0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u, 0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu,
    0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u, 0xa2bfe8a1u, 0xa81a664bu,
    0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u, 0x19a4c116u,
    0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u,
    0xc67178f2u};

void wlk_sha256_init(wlk_sha256 *sha) {
    *sha = (wlk_sha256){.state = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu,
                                  0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u}};
}

static uint32_t rotated(uint32_t word, uint32_t by) {
    return word >> by | word << (32u - by);
}

static void take_block(wlk_sha256 *sha) {
    uint32_t w[ROUNDS], s[8];
    memcpy(w, sha->block, sizeof sha->block);
    memcpy(s, sha->state, sizeof s);
    for (uint32_t i = 16; i < ROUNDS; i++) {
        const uint32_t a = w[i - 15u], b = w[i - 2u];
        w[i] = w[i - 16u] + w[i - 7u] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) +
               (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint32_t e = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25);
        const uint32_t chosen = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t one = s[7] + e + chosen + constants[i] + w[i];
        const uint32_t a = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22);
        const uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        memmove(s + 1, s, 7u * sizeof *s);
        s[4] += one;
        s[0] = one + a + most;
    }
    for (uint32_t i = 0; i < 8; i++) {
        sha->state[i] += s[i];
    }
}

static void take(wlk_sha256 *sha, uint64_t word) {
    const uint32_t at = 2u * (uint32_t)(sha->words++ % WORDS);
    sha->block[at] = __builtin_bswap32((uint32_t)word);
    sha->block[at + 1u] = __builtin_bswap32((uint32_t)(word >> 32));
    if (at == 14) {
        take_block(sha);
    }
}

void wlk_sha256_add(wlk_sha256 *sha, const uint64_t *words, size_t n) {
    for (size_t i = 0; i < n; i++) {
        take(sha, words[i]);
    }
}

void wlk_sha256_text(wlk_sha256 *sha, char text[WLK_SHA256_TEXT]) {
    const uint64_t bits = 64u * sha->words;
    take(sha, 0x80u);
    while (sha->words % WORDS != WORDS - 1u) {
        take(sha, 0);
    }
    take(sha, __builtin_bswap64(bits));
    for (uint32_t i = 0; i < 8; i++) {
        (void)snprintf(text + 8u * i, 9, "%08" PRIx32, sha->state[i]);
    }
}
