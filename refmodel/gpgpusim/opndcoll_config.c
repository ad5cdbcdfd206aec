// SPDX-License-Identifier: Apache-2.0
// Configurations of the operand collector: defaults, what is legal, what is built from them.
#include "opndcoll_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- sets of units ---- */

// Sets of units by the kind that they are for, and GEN.
enum {
    SP = WLK_OPNDCOLL_SP,
    SFU = WLK_OPNDCOLL_SFU,
    MEM = WLK_OPNDCOLL_MEM,
    TENSOR = WLK_OPNDCOLL_TENSOR,
    DP = WLK_OPNDCOLL_DP,
    INT = WLK_OPNDCOLL_INT,
    SPEC1 = WLK_OPNDCOLL_SPEC1,
    GEN = SPEC1,
    NAMES,
};

static const char *const unit_options[NAMES] = {
    "-gpgpu_operand_collector_num_units_sp",  "-gpgpu_operand_collector_num_units_sfu",
    "-gpgpu_operand_collector_num_units_mem", "-gpgpu_operand_collector_num_units_tensor_core",
    "-gpgpu_operand_collector_num_units_dp",  "-gpgpu_operand_collector_num_units_int",
    "-gpgpu_operand_collector_num_units_gen",
};

typedef struct counts {
    uint32_t units, in_ports, out_ports;
} counts;

static counts set_counts(const wlk_opndcoll_cfg *c, uint32_t name) {
#define COUNTS(k)                                                                                  \
    {                                                                                              \
        c->operand_collector_num_units_##k, c->operand_collector_num_in_ports_##k,                 \
            c->operand_collector_num_out_ports_##k                                                 \
    }
    const counts all[NAMES] = {COUNTS(sp), COUNTS(sfu), COUNTS(mem), COUNTS(tensor_core),
                               COUNTS(dp), COUNTS(int), COUNTS(gen)};
#undef COUNTS
    return all[name];
}

// Names of the sets there are, in the order in which units and dispatch units are numbered (§3).
static uint32_t set_order(const wlk_opndcoll_cfg *c, uint32_t order[NAMES]) {
    static const uint32_t v40[NAMES] = {GEN, SP, DP, TENSOR, SFU, MEM, INT};
    static const uint32_t v32[NAMES] = {SP, SFU, MEM, GEN};
    const bool is_v32 = c->revision == WLK_OPNDCOLL_V32;
    memcpy(order, is_v32 ? v32 : v40, sizeof v40);
    if (is_v32) {
        return 4;
    }
    return c->enable_specialized_operand_collector != 0 ? NAMES : 1u;
}

// The same for ports.
static uint32_t port_order(const wlk_opndcoll_cfg *c, uint32_t order[NAMES]) {
    static const uint32_t v40[NAMES] = {GEN, SP, DP, SFU, TENSOR, MEM, INT};
    const uint32_t n = set_order(c, order);
    if (c->revision != WLK_OPNDCOLL_V32) {
        memcpy(order, v40, sizeof v40);
    }
    return n;
}

static bool is_sub_core(const wlk_opndcoll_cfg *c) {
    return c->sub_core_model != 0 && c->revision != WLK_OPNDCOLL_V32;
}

static uint32_t specialized(const wlk_opndcoll_cfg *c) {
    uint32_t n = 0;
    while (c->revision != WLK_OPNDCOLL_V32 && n < WLK_OPNDCOLL_SPECIALIZED &&
           c->specialized_unit[n].enabled != 0) {
        n++;
    }
    return n;
}

// Kinds that the ports of a set try.
static uint32_t kinds_of(const wlk_opndcoll_cfg *c, uint32_t name) {
    if (name != GEN) {
        return 1u << name;
    }
    const uint32_t kinds = 1u << SP | 1u << SFU | 1u << MEM;
    if (c->revision == WLK_OPNDCOLL_V32) {
        return kinds;
    }
    return kinds | (uint32_t)(c->tensor_core_avail != 0) << TENSOR |
           (uint32_t)(c->num_dp_units != 0) << DP | (uint32_t)(c->num_int_units != 0) << INT |
           ((1u << specialized(c)) - 1u) << SPEC1;
}

/* ---- defaults and shape ---- */

void wlk_opndcoll_defaults(wlk_opndcoll_cfg *cfg) {
    memset(cfg, 0, sizeof *cfg);
    cfg->revision = WLK_OPNDCOLL_V40;
    cfg->num_reg_banks = 8;
    cfg->num_sched_per_core = 1;
    cfg->reg_file_port_throughput = 1;
    cfg->enable_specialized_operand_collector = 1;
    cfg->operand_collector_num_units_sp = 4;
    cfg->operand_collector_num_units_sfu = 4;
    cfg->operand_collector_num_units_tensor_core = 4;
    cfg->operand_collector_num_units_mem = 2;
    cfg->operand_collector_num_in_ports_sp = 1;
    cfg->operand_collector_num_in_ports_sfu = 1;
    cfg->operand_collector_num_in_ports_tensor_core = 1;
    cfg->operand_collector_num_in_ports_mem = 1;
    cfg->operand_collector_num_out_ports_sp = 1;
    cfg->operand_collector_num_out_ports_sfu = 1;
    cfg->operand_collector_num_out_ports_tensor_core = 1;
    cfg->operand_collector_num_out_ports_mem = 1;
    for (uint32_t i = 0; i < WLK_OPNDCOLL_WIDTHS; i++) {
        cfg->pipeline_widths[i] = 1;
    }
    cfg->shader_core_pipeline[0] = 1024;
    cfg->shader_core_pipeline[1] = 32;
    cfg->mem_unit_ports = 1;
    cfg->shmem_warp_parts = 2;
    cfg->n_regfile_gating_group = 4;
}

static void widths(const wlk_opndcoll_cfg *c, wlk_opndcoll_shape *shape) {
    static const uint8_t v40[] = {SP, DP, INT, SFU, MEM}, v32[] = {SP, SFU, MEM};
    const bool is_v32 = c->revision == WLK_OPNDCOLL_V32;
    const uint8_t *kinds = is_v32 ? v32 : v40;
    const uint32_t n = is_v32 ? 3u : 5u, *w = c->pipeline_widths;
    for (uint32_t i = 0; i < n; i++) {
        shape->id_width[kinds[i]] = w[i];
        shape->ex_width[kinds[i]] = w[n + i];
    }
    if (!is_v32 && c->tensor_core_avail != 0) {
        shape->id_width[TENSOR] = w[11];
        shape->ex_width[TENSOR] = w[12];
    }
    for (uint32_t i = 0; i < specialized(c); i++) {
        shape->id_width[SPEC1 + i] = c->specialized_unit[i].id_width;
        shape->ex_width[SPEC1 + i] = c->specialized_unit[i].ex_width;
    }
}

static uint32_t steps_per_cycle(const wlk_opndcoll_cfg *c) {
    const uint32_t parts = c->mem_unit_ports != 0 ? c->mem_unit_ports : c->shmem_warp_parts;
    switch (c->revision) {
    case WLK_OPNDCOLL_V32:
        return c->shmem_warp_parts;
    case WLK_OPNDCOLL_V42:
        return c->reg_file_port_throughput;
    default:
        return c->reg_file_port_throughput * parts;
    }
}

void wlk_opndcoll_shape_of(const wlk_opndcoll_cfg *cfg, wlk_opndcoll_shape *shape) {
    uint32_t order[NAMES];
    const uint32_t n = set_order(cfg, order);
    memset(shape, 0, sizeof *shape);
    for (uint32_t i = 0; i < n; i++) {
        const counts of = set_counts(cfg, order[i]);
        shape->units += of.units;
        shape->dispatch_units += of.out_ports;
        shape->ports += of.in_ports;
    }
    shape->banks = cfg->num_reg_banks;
    shape->schedulers = cfg->num_sched_per_core;
    shape->sub_core = is_sub_core(cfg) ? 1u : 0u;
    shape->kinds = SPEC1 + specialized(cfg);
    shape->operands =
        cfg->revision == WLK_OPNDCOLL_V32 ? WLK_OPNDCOLL_OPERANDS_V32 : WLK_OPNDCOLL_OPERANDS;
    shape->lanes = cfg->shader_core_pipeline[1];
    shape->steps_per_cycle = steps_per_cycle(cfg);
    widths(cfg, shape);
}

/* ---- sets and ports ---- */

bool wlk_opndcoll_set_of(const wlk_opndcoll_cfg *cfg, uint32_t set, wlk_opndcoll_set *out) {
    uint32_t order[NAMES];
    const uint32_t n = set_order(cfg, order);
    if (set >= n) {
        return false;
    }
    *out = (wlk_opndcoll_set){0, 0, 0, 0, 0};
    for (uint32_t i = 0; i <= set; i++) {
        const counts of = set_counts(cfg, order[i]);
        out->first_unit += out->units;
        out->first_dispatch_unit += out->dispatch_units;
        out->units = of.units;
        out->dispatch_units = of.out_ports;
    }
    out->kind = order[set] == GEN ? (uint32_t)WLK_OPNDCOLL_KINDS : order[set];
    return true;
}

// What the ports of a set try and fill: its own units, then the generic ones.
static wlk_opndcoll_port port_named(const wlk_opndcoll_cfg *c, uint32_t name) {
    uint32_t order[NAMES];
    const uint32_t n = set_order(c, order);
    wlk_opndcoll_port port = {kinds_of(c, name), {0, 0}, name == GEN ? 1u : 2u};
    for (uint32_t i = 0; i < n; i++) {
        if (order[i] == GEN) {
            port.sets[port.n_sets - 1u] = i;
        } else if (order[i] == name) {
            port.sets[0] = i;
        }
    }
    return port;
}

bool wlk_opndcoll_port_of(const wlk_opndcoll_cfg *cfg, uint32_t port, wlk_opndcoll_port *out) {
    uint32_t order[NAMES];
    const uint32_t n = port_order(cfg, order);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t in_ports = set_counts(cfg, order[i]).in_ports;
        if (port < in_ports) {
            *out = port_named(cfg, order[i]);
            return true;
        }
        port -= in_ports;
    }
    return false;
}

/* ---- what is legal ---- */

typedef struct finding {
    const char **option;
    wlk_error *err;
} finding;

// The option's name, then what is wrong with it.
__attribute__((format(printf, 3, 4))) static wlk_status refuse(const finding *f, const char *name,
                                                               const char *format, ...) {
    char what[192];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (f->option != NULL) {
        *f->option = name;
    }
    return wlk_fail(f->err, WLK_BAD_CONFIG, "%s%s", name, what);
}

typedef struct limit {
    const char *name;
    uint32_t value, low, high;
} limit;

static wlk_status check_limits(const wlk_opndcoll_cfg *c, const finding *f) {
    const limit limits[] = {
        {"-gpgpu_num_reg_banks", c->num_reg_banks, 1, WLK_OPNDCOLL_MAX_BANKS},
        {"-gpgpu_num_sched_per_core", c->num_sched_per_core, 1, WLK_OPNDCOLL_MAX_WIDTH},
        {"-gpgpu_sub_core_model", c->sub_core_model, 0, 1},
        {"-gpgpu_reg_file_port_throughput", c->reg_file_port_throughput, 1, 1u << 16},
        {"-gpgpu_enable_specialized_operand_collector", c->enable_specialized_operand_collector, 0,
         1},
        {"-gpgpu_tensor_core_avail", c->tensor_core_avail, 0, 1},
        {"-gpgpu_shader_core_pipeline", c->shader_core_pipeline[1], 1, 32},
        {"-gpgpu_reg_bank_use_warp_id", c->reg_bank_use_warp_id, 0, 1},
        {"-gpgpu_mem_unit_ports", c->mem_unit_ports, 0, 1u << 15},
        {"-gpgpu_shmem_warp_parts", c->shmem_warp_parts, 0, 1u << 15},
        {"-gpgpu_clock_gated_reg_file", c->clock_gated_reg_file, 0, 1},
        {"-warplock_pass_full_sub_core", c->pass_full_sub_core, 0, 1},
        {"-warplock_rotate_kinds", c->rotate_kinds, 0, 1},
        {"-warplock_read_duplicates_once", c->read_duplicates_once, 0, 1},
    };
    if (c->revision > WLK_OPNDCOLL_V32) {
        return refuse(f, "revision", " %u: it is V40, V42 or V32", c->revision);
    }
    for (uint32_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        const limit *l = &limits[i];
        if (l->value < l->low || l->value > l->high) {
            return refuse(f, l->name, " %u: must be within %u..%u", l->value, l->low, l->high);
        }
    }
    return WLK_OK;
}

static wlk_status check_steps(const wlk_opndcoll_cfg *c, const finding *f) {
    if (steps_per_cycle(c) == 0) {
        return refuse(f, "-gpgpu_shmem_warp_parts",
                      " 0: the collector would never step; make it 1 or more");
    }
    return WLK_OK;
}

// A group that does not divide the warp runs off the lane mask (§9).
static wlk_status check_gating(const wlk_opndcoll_cfg *c, const finding *f) {
    const uint32_t group = c->n_regfile_gating_group, lanes = c->shader_core_pipeline[1];
    if (c->clock_gated_reg_file != 0 && (group == 0 || lanes % group != 0)) {
        return refuse(f, "-gpgpu_n_regfile_gating_group", " %u: must divide the %u lanes of a warp",
                      group, lanes);
    }
    return WLK_OK;
}

// Sums over sets, within the limits; every addend is checked first, so that nothing wraps.
static wlk_status check_counts(const wlk_opndcoll_cfg *c, const finding *f) {
    uint32_t order[NAMES];
    const uint32_t n = set_order(c, order);
    counts sum = {0, 0, 0};
    for (uint32_t i = 0; i < n; i++) {
        const counts of = set_counts(c, order[i]);
        const char *name = unit_options[order[i]];
        if (of.units > WLK_OPNDCOLL_MAX_UNITS - sum.units) {
            return refuse(f, name, " %u: at most %u units in all sets together", of.units,
                          WLK_OPNDCOLL_MAX_UNITS);
        }
        if (of.in_ports > WLK_OPNDCOLL_MAX_PORTS - sum.in_ports ||
            of.out_ports > WLK_OPNDCOLL_MAX_PORTS - sum.out_ports) {
            return refuse(f, name,
                          ": its set has %u in_ports and %u out_ports; at most %u of each in all "
                          "sets together",
                          of.in_ports, of.out_ports, WLK_OPNDCOLL_MAX_PORTS);
        }
        sum.units += of.units;
        sum.in_ports += of.in_ports;
        sum.out_ports += of.out_ports;
    }
    if (sum.units == 0) {
        return refuse(f, unit_options[GEN], ": there is no collector unit in any set");
    }
    if (c->revision == WLK_OPNDCOLL_V32 && c->num_reg_banks > sum.units) {
        return refuse(f, "-gpgpu_num_reg_banks",
                      " %u: V32's arbiter needs at least as many collector "
                      "units; there are %u",
                      c->num_reg_banks, sum.units);
    }
    return WLK_OK;
}

static wlk_status check_widths(const wlk_opndcoll_cfg *c, const finding *f) {
    static const char *const names[] = {
        "-specialized_unit_1", "-specialized_unit_2", "-specialized_unit_3", "-specialized_unit_4",
        "-specialized_unit_5", "-specialized_unit_6", "-specialized_unit_7", "-specialized_unit_8"};
    const uint32_t max = WLK_OPNDCOLL_MAX_WIDTH;
    for (uint32_t i = 0; i < WLK_OPNDCOLL_WIDTHS; i++) {
        if (c->pipeline_widths[i] > max) {
            return refuse(f, "-gpgpu_pipeline_widths", ": number %u is %u; at most %u slots",
                          i + 1u, c->pipeline_widths[i], max);
        }
    }
    for (uint32_t i = 0; i < WLK_OPNDCOLL_SPECIALIZED; i++) {
        const wlk_opndcoll_specialized *u = &c->specialized_unit[i];
        if (u->enabled > 1 || u->id_width > max || u->ex_width > max) {
            return refuse(f, names[i], ": enabled is 0 or 1, widths are at most %u", max);
        }
        if (i > 0 && u->enabled != 0 && c->specialized_unit[i - 1u].enabled == 0) {
            return refuse(f, names[i], ": the one before it is not enabled");
        }
        if (is_sub_core(c) && u->enabled != 0 && u->id_width < c->num_sched_per_core) {
            return refuse(f, names[i],
                          ": the sub-core model needs a slot of ID_OC for each of the %u "
                          "schedulers",
                          c->num_sched_per_core);
        }
    }
    return WLK_OK;
}

// What the sub-core model requires of V40 and V42 alike (§2).
static wlk_status check_sub_core(const wlk_opndcoll_cfg *c, const finding *f) {
    const uint32_t scheds = c->num_sched_per_core;
    wlk_opndcoll_shape shape;
    wlk_opndcoll_shape_of(c, &shape);
    if (shape.sub_core == 0) {
        return WLK_OK;
    }
    if (c->num_reg_banks % scheds != 0) {
        return refuse(f, "-gpgpu_num_reg_banks",
                      " %u: the sub-core model needs a multiple of "
                      "-gpgpu_num_sched_per_core %u",
                      c->num_reg_banks, scheds);
    }
    const uint32_t kinds = kinds_of(c, GEN) & ((1u << SPEC1) - 1u);
    for (uint32_t k = 0; k < SPEC1; k++) {
        if ((kinds >> k & 1u) != 0 && shape.id_width[k] != scheds) {
            return refuse(f, "-gpgpu_pipeline_widths",
                          ": ID_OC of %s has %u slots; the sub-core model "
                          "needs one for each of the %u schedulers",
                          wlk_opndcoll_kind_name(k), shape.id_width[k], scheds);
        }
    }
    return WLK_OK;
}

// A set that ports fill or dispatch units scan, in V42's sub-core model (§12.2).
static wlk_status check_part(const wlk_opndcoll_cfg *c, uint32_t name, bool filled,
                             const finding *f) {
    const counts of = set_counts(c, name);
    const uint32_t scheds = c->num_sched_per_core;
    const char *option = unit_options[name];
    if (of.out_ports != 0 && of.units < scheds) {
        return refuse(f, option,
                      " %u: V42's sub-core model divides by zero in its dispatch units; at least "
                      "one unit for each of the %u schedulers",
                      of.units, scheds);
    }
    if (filled && (of.units == 0 || of.units % scheds != 0)) {
        return refuse(f, option,
                      " %u: V42's sub-core model fills this set from a port; a positive multiple "
                      "of the %u schedulers",
                      of.units, scheds);
    }
    return WLK_OK;
}

static wlk_status check_v42_sub_core(const wlk_opndcoll_cfg *c, const finding *f) {
    uint32_t order[NAMES], kinds = 0;
    const uint32_t n = set_order(c, order), scheds = c->num_sched_per_core;
    wlk_opndcoll_shape shape;
    wlk_opndcoll_shape_of(c, &shape);
    if (shape.sub_core == 0 || c->revision != WLK_OPNDCOLL_V42) {
        return WLK_OK;
    }
    if (shape.units < scheds || shape.units % scheds != 0) {
        return refuse(f, unit_options[GEN],
                      ": V42's sub-core model needs a multiple of the %u schedulers as the sum "
                      "over all sets, which is %u",
                      scheds, shape.units);
    }
    for (uint32_t i = 0; i < n; i++) {
        const bool has_ports = set_counts(c, order[i]).in_ports != 0;
        // Every port turns to GEN when its own set is busy.
        const wlk_status status =
            check_part(c, order[i], order[i] == GEN ? shape.ports != 0 : has_ports, f);
        if (status != WLK_OK) {
            return status;
        }
        kinds |= has_ports ? kinds_of(c, order[i]) : 0u;
    }
    for (uint32_t k = 0; k < shape.kinds; k++) {
        if ((kinds >> k & 1u) != 0 && shape.id_width[k] != 0 && shape.ex_width[k] < scheds) {
            return refuse(f, "-gpgpu_pipeline_widths",
                          ": OC_EX of %s has %u slots; V42's sub-core model "
                          "needs one for each of the %u schedulers",
                          wlk_opndcoll_kind_name(k), shape.ex_width[k], scheds);
        }
    }
    return WLK_OK;
}

// Elsewhere a unit belongs to no scheduler, so that no instruction can pass one that waits for it.
static wlk_status check_policies(const wlk_opndcoll_cfg *c, const finding *f) {
    if (c->pass_full_sub_core != 0 && !(is_sub_core(c) && c->revision == WLK_OPNDCOLL_V42)) {
        return refuse(f, "-warplock_pass_full_sub_core",
                      " 1: only V42's sub-core model gives units to schedulers; leave it out, or "
                      "take revision V42 with -gpgpu_sub_core_model 1");
    }
    return WLK_OK;
}

wlk_status wlk_opndcoll_check(const wlk_opndcoll_cfg *cfg, const char **option, wlk_error *err) {
    static wlk_status (*const rules[])(const wlk_opndcoll_cfg *, const finding *) = {
        check_limits, check_steps,    check_gating,       check_counts,
        check_widths, check_sub_core, check_v42_sub_core, check_policies};
    const finding f = {option, err};
    wlk_status status = WLK_OK;
    if (option != NULL) {
        *option = NULL;
    }
    for (uint32_t i = 0; i < sizeof rules / sizeof rules[0] && status == WLK_OK; i++) {
        status = rules[i](cfg, &f);
    }
    return status;
}

/* ---- building ---- */

static void plan_sets(const wlk_opndcoll_cfg *c, wlk_opndcoll *s) {
    wlk_opndcoll_set set;
    for (; wlk_opndcoll_set_of(c, s->n_sets, &set); s->n_sets++) {
        const uint32_t part = set.units / c->num_sched_per_core;
        s->sets[s->n_sets] = (oc_set){set.first_unit,
                                      set.units,
                                      set.first_dispatch_unit,
                                      set.dispatch_units,
                                      s->by_slot != 0 && part != 0 ? part : 1u,
                                      0};
    }
}

static void plan_ports(const wlk_opndcoll_cfg *c, wlk_opndcoll *s) {
    uint32_t order[NAMES], port = 0;
    const uint32_t n = port_order(c, order);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t in_ports = set_counts(c, order[i]).in_ports;
        if (in_ports != 0) {
            oc_ports *p = &s->ports[s->n_ports++];
            const wlk_opndcoll_port alike = port_named(c, order[i]);
            *p = (oc_ports){
                alike.kinds, port, in_ports, {alike.sets[0], alike.sets[1]}, alike.n_sets};
        }
        port += in_ports;
    }
}

static void plan_banks(const wlk_opndcoll_cfg *c, wlk_opndcoll *s) {
    uint32_t modulus = s->shape.banks;
    s->max_sched = UINT32_MAX;
    if (s->shape.sub_core != 0) {
        s->max_sched = s->shape.schedulers - 1u;
        modulus /= s->shape.schedulers;
        s->base_step = modulus;
    }
    s->top = modulus - 1u;
    // A warp of one lane has no shift, and then V40 and V32 leave the warp out (§4, §12.1).
    s->wid_mask = c->revision == WLK_OPNDCOLL_V42 || s->shape.lanes > 1 ? UINT32_MAX : 0u;
}

// The distance of the next array, which then lies before `size`.
static uint32_t reserve(wlk_opndcoll *s, uint32_t n, size_t bytes) {
    const uint32_t at = s->size;
    s->size += (uint32_t)((n * bytes + 7u) / 8u * 8u);
    return at;
}

static uint32_t plan_slots(wlk_opndcoll *s, oc_slots *slots, const uint32_t *width) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < WLK_OPNDCOLL_KINDS; k++) {
        const uint32_t strides = (width[k] + OC_STRIDE - 1u) / OC_STRIDE;
        slots[k].at = reserve(s, strides * OC_STRIDE, sizeof(uint64_t));
        slots[k].width = width[k];
        slots[k].all = width[k] == 0 ? 0u : UINT64_MAX >> (64u - width[k]);
        sum += width[k];
    }
    return sum;
}

static oc_path path_of(const wlk_opndcoll *s) {
    const bool is_power = (s->top & (s->top + 1u)) == 0;
    const bool has_policy =
        s->passes || s->rotates || (s->reads_once && s->revision != WLK_OPNDCOLL_V42);
    if (s->bank_words > 1 || s->unit_words > 1 || s->gating_group != 0 || !is_power || has_policy) {
        return OC_PATH_ANY;
    }
    switch (s->revision) {
    case WLK_OPNDCOLL_V32:
        return OC_PATH_V32;
    case WLK_OPNDCOLL_V42:
        return s->by_slot != 0 ? OC_PATH_V42_BY_SLOT : OC_PATH_V42;
    default:
        return OC_PATH_V40;
    }
}

// The head but for what changes, and where the arrays are. How many instructions there can be.
static uint32_t plan(const wlk_opndcoll_cfg *c, wlk_opndcoll *s) {
    memset(s, 0, sizeof *s);
    wlk_opndcoll_shape_of(c, &s->shape);
    const uint32_t units = s->shape.units, banks = s->shape.banks;
    s->revision = c->revision;
    s->by_slot = s->shape.sub_core != 0 && c->revision == WLK_OPNDCOLL_V42 ? 1u : 0u;
    s->passes = c->pass_full_sub_core != 0;
    s->rotates = c->rotate_kinds != 0;
    s->reads_once = c->read_duplicates_once != 0 || c->revision == WLK_OPNDCOLL_V42;
    s->per_slot = units / s->shape.schedulers; // over all sets, §12.2
    s->gating_group = c->clock_gated_reg_file != 0 ? c->n_regfile_gating_group : 0u;
    s->scale = s->gating_group != 0 ? 1u : s->shape.lanes;
    s->bank_words = (banks + 63u) / 64u;
    s->unit_words = (units + 63u) / 64u;
    plan_sets(c, s);
    plan_ports(c, s);
    plan_banks(c, s);
    s->path = path_of(s);
    s->size = 0;
    (void)reserve(s, WLK_OPNDCOLL_MAX_BANKS + (uint32_t)oc_request(units, 0), sizeof s->links[0]);
    s->size += OC_LINKS;
    const uint32_t id = plan_slots(s, s->id, s->shape.id_width);
    const uint32_t insts = id + units + plan_slots(s, s->ex, s->shape.ex_width);
    s->at_insts = reserve(s, insts, sizeof(oc_inst));
    s->free = reserve(s, insts, sizeof(uint16_t)) / (uint32_t)sizeof(uint16_t);
    s->at_first = reserve(s, s->rotates ? s->shape.ports : 0u, sizeof(uint8_t));
    return insts;
}

size_t wlk_opndcoll_state_size(const wlk_opndcoll_cfg *cfg) {
    wlk_opndcoll s;
    (void)plan(cfg, &s);
    return s.size;
}

uint32_t wlk_opndcoll_max_events(const wlk_opndcoll_cfg *cfg) {
    wlk_opndcoll_shape shape;
    wlk_opndcoll_shape_of(cfg, &shape);
    // V42's ports take one instruction of each kind; no more than there are units.
    const uint32_t step = shape.dispatch_units + shape.banks + shape.units;
    return step > shape.operands ? step : shape.operands;
}

static void init_units(wlk_opndcoll *s) {
    for (uint32_t i = 0; i < s->n_sets; i++) {
        oc_set *set = &s->sets[i];
        for (uint32_t k = 0; k < set->units; k++) {
            const uint32_t unit = set->first_unit + k;
            const uint32_t after = (k + set->part - k % set->part) % set->units;
            s->idle[unit / 64u] |= oc_bit(unit);
            set->mask |= oc_bit(unit);
            s->after[unit] = (uint16_t)(set->first_unit + after);
            s->group[unit] = (uint8_t)(s->by_slot != 0 ? unit / s->per_slot : 0u);
        }
        for (uint32_t du = 0; du < set->dus; du++) {
            s->last[set->first_du + du] = (uint16_t)set->first_unit;
        }
    }
}

// After init_units(), which sets the masks.
static void init_feeds(wlk_opndcoll *s) {
    for (uint32_t i = 0; i < s->n_ports; i++) {
        const oc_ports *p = &s->ports[i];
        for (uint32_t k = 0; k < p->n_sets; k++) {
            s->feeds[s->n_feeds++] = (oc_feed){
                .mask = s->sets[p->sets[k]].mask,
                .set = p->sets[k],
                .kinds = p->kinds,
                .first = p->first,
                .end = p->first + p->count,
                .goes_on = k,
            };
        }
    }
}

static void init_first_kinds(wlk_opndcoll *s) {
    for (uint32_t port = 0; s->rotates && port < s->shape.ports; port++) {
        *oc_first_kind(s, port) = (uint8_t)oc_kind_from(wlk_opndcoll_port_kinds(s, port), 0);
    }
}

static void init_slots(wlk_opndcoll *s) {
    s->takable = ~((1u << s->shape.kinds) - 1u);
    for (uint32_t k = 0; k < s->shape.kinds; k++) {
        s->full |= (uint32_t)(s->ex[k].width == 0) << k;
        s->blocked |= (uint32_t)(s->id[k].width == 0) << k;
    }
    // The keys of all sets lie side by side, the first ones being those of ID_OC's first kind.
    memset(oc_keys(s, &s->id[0]), 0xff, s->at_insts - s->id[0].at); // OC_EMPTY
}

static void init_insts(wlk_opndcoll *s, uint32_t n) {
    for (uint32_t i = n; i-- != 0; s->free++) {
        *oc_free_end(s) = (uint16_t)((s->at_insts + i * sizeof(oc_inst)) / sizeof(uint64_t));
    }
}

wlk_opndcoll *wlk_opndcoll_init(const wlk_opndcoll_cfg *cfg, void *memory) {
    wlk_opndcoll *s = (wlk_opndcoll *)memory;
    const uint32_t insts = plan(cfg, s);
    memset(s->links, 0, s->size - offsetof(wlk_opndcoll, links));
    init_slots(s);
    init_units(s);
    init_feeds(s);
    init_first_kinds(s);
    for (uint32_t i = 0; i < s->shape.banks; i++) {
        s->back[i] = (int16_t)oc_bank_member(i);
    }
    init_insts(s, insts);
    return s;
}
