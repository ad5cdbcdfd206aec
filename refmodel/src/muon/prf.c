// SPDX-License-Identifier: Apache-2.0
#include "warplock/prf.h"

uint32_t wlk_prf_bank(const wlk_prf_shape *shape, uint32_t preg) {
    if (shape->bank_select == WLK_PRF_MODULO) {
        return preg % shape->reg_banks;
    }
    return preg / (shape->num_pregs / shape->reg_banks);
}

uint32_t wlk_prf_row(const wlk_prf_shape *shape, uint32_t preg) {
    if (shape->bank_select == WLK_PRF_MODULO) {
        return preg / shape->reg_banks;
    }
    return preg % (shape->num_pregs / shape->reg_banks);
}

bool wlk_prf_conflict(const wlk_prf_shape *shape, uint32_t a, uint32_t b) {
    return a != b && wlk_prf_bank(shape, a) == wlk_prf_bank(shape, b);
}
