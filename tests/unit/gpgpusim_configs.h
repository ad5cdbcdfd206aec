/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file gpgpusim_configs.h
 * Configurations that GPGPU-Sim ships, as tests and benchmarks of the operand collector use them.
 * Values: gpgpusim-opndcoll §2.
 */
#ifndef WARPLOCK_TEST_GPGPUSIM_CONFIGS_H
#define WARPLOCK_TEST_GPGPUSIM_CONFIGS_H

#include "warplock/opndcoll.h"

#include <string.h>

enum { V40 = WLK_OPNDCOLL_V40, V42 = WLK_OPNDCOLL_V42, V32 = WLK_OPNDCOLL_V32 };

/** QV100: sub-core, one generic set of so many units, ports and dispatch units. It has 16 banks and
 * 8 units, TITANV 8 banks. */
static inline wlk_opndcoll_cfg qv100_of(uint32_t revision, uint32_t banks, uint32_t units) {
    wlk_opndcoll_cfg cfg;
    wlk_opndcoll_defaults(&cfg);
    cfg.revision = revision;
    cfg.num_reg_banks = banks;
    cfg.reg_file_port_throughput = 2;
    cfg.num_sched_per_core = 4;
    cfg.sub_core_model = 1;
    cfg.enable_specialized_operand_collector = 0;
    cfg.operand_collector_num_units_gen = units;
    cfg.operand_collector_num_in_ports_gen = units;
    cfg.operand_collector_num_out_ports_gen = units;
    for (uint32_t i = 0; i < WLK_OPNDCOLL_WIDTHS; i++) {
        cfg.pipeline_widths[i] = 4;
    }
    cfg.tensor_core_avail = 1;
    cfg.num_dp_units = 4;
    cfg.num_int_units = 4;
    return cfg;
}

static inline wlk_opndcoll_cfg qv100(uint32_t revision) {
    return qv100_of(revision, 16, 8);
}

/** GTX480: flat, with specialised sets; V32 lists its widths in another order. */
static inline wlk_opndcoll_cfg gtx480(uint32_t revision) {
    static const uint32_t v40[11] = {2, 0, 0, 1, 1, 2, 0, 0, 1, 1, 2};
    static const uint32_t v32[7] = {2, 1, 1, 2, 1, 1, 2};
    wlk_opndcoll_cfg cfg;
    wlk_opndcoll_defaults(&cfg);
    cfg.revision = revision;
    cfg.num_reg_banks = 16;
    cfg.num_sched_per_core = 2;
    cfg.operand_collector_num_units_sp = 6;
    cfg.operand_collector_num_units_sfu = 8;
    cfg.operand_collector_num_in_ports_sp = 2;
    cfg.operand_collector_num_out_ports_sp = 2;
    if (revision == V32) {
        memcpy(cfg.pipeline_widths, v32, sizeof v32);
    } else {
        memcpy(cfg.pipeline_widths, v40, sizeof v40);
    }
    return cfg;
}

#endif
