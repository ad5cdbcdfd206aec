// SPDX-License-Identifier: Apache-2.0
// Which blocks there are (models.h is generated), and which processor this is. WLK_X86_ISAS: the
// build has each model for each instruction set (meson.build).
#include <string.h>

#include "models.h"
#include "warplock/block.h"

#define DECLARE(block)                                                                             \
    extern const wlk_block wlk_##block##_block;                                                    \
    extern const wlk_block wlk_##block##_block_v3;

WLK_MODELS(DECLARE)

enum isa { ISA_BASE, ISA_V3, ISA_COUNT };

#ifdef WLK_X86_ISAS
#define VARIANTS(block) {&wlk_##block##_block, &wlk_##block##_block_v3},
#else
#define VARIANTS(block) {&wlk_##block##_block, NULL},
#endif

typedef const wlk_block *variants[ISA_COUNT];

static const variants all[] = {WLK_MODELS(VARIANTS)};

static const char *const isa_names[ISA_COUNT] = {"base", "x86-64-v3"};

/**
 * The widest set this processor runs. There is none of 512-bit vectors: lockstep with it is a tenth
 * slower, since wide loads wait for the narrow words that the RTL writes (docs/performance.md).
 */
static enum isa widest(void) {
#ifdef WLK_X86_ISAS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma")) {
        return ISA_V3;
    }
#endif
    return ISA_BASE;
}

static const wlk_block *find(const char *name, enum isa isa) {
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i][ISA_BASE]->table->name, name) != 0) {
            continue;
        }
        return all[i][isa] != NULL ? all[i][isa] : all[i][ISA_BASE];
    }
    return NULL;
}

const wlk_block *wlk_block_find(const char *name) {
    return find(name, widest());
}

const wlk_block *wlk_block_find_isa(const char *name, const char *isa) {
    const enum isa most = widest();
    for (int i = ISA_BASE; i <= (int)most; i++) {
        if (strcmp(isa_names[i], isa) == 0) {
            return find(name, (enum isa)i);
        }
    }
    return NULL;
}

const char *wlk_block_name(uint32_t index) {
    return index < sizeof all / sizeof all[0] ? all[index][ISA_BASE]->table->name : NULL;
}
