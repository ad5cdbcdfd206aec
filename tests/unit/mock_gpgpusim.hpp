/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file mock_gpgpusim.hpp
 * As much of GPGPU-Sim as an operand collector sees, with its names and signatures: V40's, or with
 * MOCK_V42 defined V42's. Types are complete in the order in which shader.h completes them. A
 * user's collector is put where shader.h defines its own: MOCK_OPNDCOLL names a file that is
 * included there.
 *
 * mock::collector is the simulator's own collector, V40, from gpgpusim-opndcoll, which can be made
 * to misbehave. It is written as a simulator would, lists and maps and the whole square of the
 * arbiter, so that the model's speed is compared with its (tests/bench).
 */
#ifndef WARPLOCK_MOCK_GPGPUSIM_HPP
#define WARPLOCK_MOCK_GPGPUSIM_HPP

#include "warplock/opndcoll_gpgpusim.hpp"

#include <algorithm>
#include <bitset>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

/* ---- what is complete where the collector is defined ---- */

class gpgpu_sim;
class shader_core_config;
class shader_core_ctx;

class core_config {
  public:
    unsigned warp_size = 32;
};

typedef std::bitset<32> active_mask_t;
constexpr unsigned MAX_REG_OPERANDS = 32;

/** An instruction on its way through the core; empty: a place for one. */
class warp_inst_t {
  public:
    struct {
        int dst[MAX_REG_OPERANDS];
        int src[MAX_REG_OPERANDS];
    } arch_reg;

    warp_inst_t() : m_config(nullptr) {}
    explicit warp_inst_t(const core_config *config) : m_config(config) {}

    bool empty() const {
        return m_empty;
    }
    void clear() {
        m_empty = true;
    }
    unsigned get_uid() const {
        return m_uid;
    }
    unsigned warp_id() const {
        assert(!m_empty);
        return m_warp_id;
    }
    unsigned get_schd_id() const {
        return m_scheduler_id;
    }
    const active_mask_t &get_active_mask() const {
        return m_warp_active_mask;
    }
    unsigned get_num_operands() const {
        return num_operands;
    }
    unsigned get_num_regs() const {
        return num_regs;
    }
    const core_config *get_config() const {
        return m_config;
    }

    // Tests set them.
    bool m_empty = true;
    unsigned m_uid = 0, m_warp_id = 0, m_scheduler_id = 0;
    unsigned num_operands = 0, num_regs = 0;
    active_mask_t m_warp_active_mask;

  private:
    const core_config *m_config;
};

inline void move_warp(warp_inst_t *&dst, warp_inst_t *&src) {
    assert(dst->empty());
    warp_inst_t *temp = dst;
    dst = src;
    src = temp;
    src->clear();
}

/** Slots of a pipeline register; each points to an instruction, empty ones among them. */
class register_set {
  public:
    register_set(unsigned num, const char *name) : m_name(name) {
        for (unsigned i = 0; i < num; i++) {
            regs.push_back(new warp_inst_t());
        }
    }
    register_set(const register_set &from) : m_name(from.m_name) {
        for (const warp_inst_t *inst : from.regs) {
            regs.push_back(new warp_inst_t(*inst));
        }
    }
    register_set &operator=(const register_set &) = delete;
    ~register_set() {
        for (warp_inst_t *inst : regs) {
            delete inst;
        }
    }

    bool has_free() {
        return find_free() < regs.size();
    }
    bool has_free(bool sub_core_model, unsigned reg_id) {
        if (!sub_core_model) {
            return has_free();
        }
        assert(reg_id < regs.size());
        return regs[reg_id]->empty();
    }
    bool has_ready() {
        return get_ready() != nullptr;
    }
    void move_in(warp_inst_t *&src) {
        move_warp(*get_free(), src);
    }
    void move_out_to(warp_inst_t *&dest) {
        move_warp(dest, *get_ready());
    }
#ifdef MOCK_V42
    bool has_ready(bool sub_core_model, unsigned reg_id) {
        return sub_core_model ? !regs[reg_id]->empty() : has_ready();
    }
    void move_in(bool sub_core_model, unsigned reg_id, warp_inst_t *&src) {
        move_warp(*get_free(sub_core_model, reg_id), src);
    }
    void move_out_to(bool sub_core_model, unsigned reg_id, warp_inst_t *&dest) {
        move_warp(dest, *get_ready(sub_core_model, reg_id));
    }
    warp_inst_t **get_ready(bool sub_core_model, unsigned reg_id) {
        if (!sub_core_model) {
            return get_ready();
        }
        assert(reg_id < regs.size());
        return regs[reg_id]->empty() ? nullptr : &regs[reg_id];
    }
#else
    void move_in(bool, warp_inst_t *&src) {
        move_in(src);
    }
    void move_out_to(bool, warp_inst_t *&dest) {
        move_out_to(dest);
    }
#endif
    /** The oldest; on equal uids the higher slot. */
    warp_inst_t **get_ready() {
        warp_inst_t **ready = nullptr;
        for (warp_inst_t *&inst : regs) {
            if (!inst->empty() && (ready == nullptr || inst->get_uid() <= (*ready)->get_uid())) {
                ready = &inst;
            }
        }
        return ready;
    }
    warp_inst_t **get_free() {
        const std::size_t slot = find_free();
        assert(slot < regs.size());
        return &regs[slot];
    }
    warp_inst_t **get_free(bool sub_core_model, unsigned reg_id) {
        if (!sub_core_model) {
            return get_free();
        }
        assert(reg_id < regs.size());
        return regs[reg_id]->empty() ? &regs[reg_id] : nullptr;
    }
    unsigned get_size() {
        return static_cast<unsigned>(regs.size());
    }
    const char *get_name() {
        return m_name;
    }
    /** The tests' own: a slot too many. */
    void widen() {
        regs.push_back(new warp_inst_t());
    }

    // The two lines of docs/gpgpusim.md.
    unsigned slots() const {
        return static_cast<unsigned>(regs.size());
    }
    warp_inst_t *&slot(unsigned i) {
        return regs[i];
    }

  private:
    std::size_t find_free() const {
        std::size_t slot = 0;
        while (slot < regs.size() && !regs[slot]->empty()) {
            slot++;
        }
        return slot;
    }

    std::vector<warp_inst_t *> regs;
    const char *m_name;
};

/* ---- where the collector is defined ---- */

#ifdef MOCK_OPNDCOLL
#include MOCK_OPNDCOLL
#endif

/* ---- what is complete after it ---- */

struct specialized_unit_params {
    unsigned latency;
    unsigned num_units;
    unsigned id_oc_spec_reg_width;
    unsigned oc_ex_spec_reg_width;
    char name[20];
    unsigned ID_OC_SPEC_ID;
    unsigned OC_EX_SPEC_ID;
};

/** The options as parsed; here from the model's configuration. */
class shader_core_config : public core_config {
  public:
    bool gpgpu_clock_gated_reg_file;
    unsigned n_thread_per_shader;
    unsigned n_regfile_gating_group;
    int pipe_widths[WLK_OPNDCOLL_WIDTHS];
    unsigned gpgpu_num_sched_per_core;
    bool enable_specialized_operand_collector;
    int gpgpu_operand_collector_num_units_sp, gpgpu_operand_collector_num_units_dp,
        gpgpu_operand_collector_num_units_sfu, gpgpu_operand_collector_num_units_tensor_core,
        gpgpu_operand_collector_num_units_mem, gpgpu_operand_collector_num_units_gen,
        gpgpu_operand_collector_num_units_int;
    unsigned gpgpu_operand_collector_num_in_ports_sp, gpgpu_operand_collector_num_in_ports_dp,
        gpgpu_operand_collector_num_in_ports_sfu, gpgpu_operand_collector_num_in_ports_tensor_core,
        gpgpu_operand_collector_num_in_ports_mem, gpgpu_operand_collector_num_in_ports_gen,
        gpgpu_operand_collector_num_in_ports_int;
    unsigned gpgpu_operand_collector_num_out_ports_sp, gpgpu_operand_collector_num_out_ports_dp,
        gpgpu_operand_collector_num_out_ports_sfu,
        gpgpu_operand_collector_num_out_ports_tensor_core,
        gpgpu_operand_collector_num_out_ports_mem, gpgpu_operand_collector_num_out_ports_gen,
        gpgpu_operand_collector_num_out_ports_int;
    bool gpgpu_tensor_core_avail;
    int gpgpu_num_dp_units, gpgpu_num_int_units;
    unsigned gpgpu_num_reg_banks;
    bool gpgpu_reg_bank_use_warp_id;
    bool sub_core_model;
    unsigned reg_file_port_throughput;
    mutable std::vector<specialized_unit_params> m_specialized_unit;

    explicit shader_core_config(const wlk_opndcoll_cfg &from);

  private:
    void set_collectors(const wlk_opndcoll_cfg &from);
    void set_specialized(const wlk_opndcoll_cfg &from);
};

class gpgpu_sim {
  public:
    unsigned long long gpu_sim_cycle = 0;
    unsigned long long gpu_tot_sim_cycle = 0;
};

/** A core: its pipeline registers, and its statistics. */
class shader_core_ctx {
  public:
    explicit shader_core_ctx(const wlk_opndcoll_cfg &options, unsigned sid = 0,
                             gpgpu_sim *gpu = nullptr);

    const shader_core_config *get_config() const {
        return &m_config;
    }
    unsigned get_sid() const {
        return m_sid;
    }
    class gpgpu_sim *get_gpu() {
        return m_gpu;
    }
    void incregfile_reads(unsigned active_count) {
        counted.reads += active_count;
    }
    void incregfile_writes(unsigned active_count) {
        counted.writes += active_count;
    }
    void incnon_rf_operands(unsigned active_count) {
        counted.non_rf += active_count;
    }

    // The tests' own: the configuration once more, register sets by kind, statistics.
    wlk_opndcoll_cfg cfg;
    wlk_opndcoll_shape shape;
    std::vector<register_set> id, ex;
    wlk_opndcoll_counters counted = {0, 0, 0};

  private:
    shader_core_config m_config;
    gpgpu_sim m_own_gpu;
    gpgpu_sim *m_gpu;
    unsigned m_sid;
};

inline shader_core_config::shader_core_config(const wlk_opndcoll_cfg &from) {
    warp_size = from.shader_core_pipeline[1];
    n_thread_per_shader = from.shader_core_pipeline[0];
    gpgpu_clock_gated_reg_file = from.clock_gated_reg_file != 0u;
    n_regfile_gating_group = from.n_regfile_gating_group;
    for (unsigned i = 0; i < WLK_OPNDCOLL_WIDTHS; i++) {
        pipe_widths[i] = static_cast<int>(from.pipeline_widths[i]);
    }
    gpgpu_num_sched_per_core = from.num_sched_per_core;
    gpgpu_tensor_core_avail = from.tensor_core_avail != 0u;
    gpgpu_num_dp_units = static_cast<int>(from.num_dp_units);
    gpgpu_num_int_units = static_cast<int>(from.num_int_units);
    gpgpu_num_reg_banks = from.num_reg_banks;
    gpgpu_reg_bank_use_warp_id = from.reg_bank_use_warp_id != 0u;
    sub_core_model = from.sub_core_model != 0u;
    reg_file_port_throughput = from.reg_file_port_throughput;
    set_collectors(from);
    set_specialized(from);
}

inline void shader_core_config::set_collectors(const wlk_opndcoll_cfg &from) {
    enable_specialized_operand_collector = from.enable_specialized_operand_collector != 0u;
#define MOCK_COLLECTORS(kind)                                                                      \
    gpgpu_operand_collector_num_units_##kind =                                                     \
        static_cast<int>(from.operand_collector_num_units_##kind);                                 \
    gpgpu_operand_collector_num_in_ports_##kind = from.operand_collector_num_in_ports_##kind;      \
    gpgpu_operand_collector_num_out_ports_##kind = from.operand_collector_num_out_ports_##kind
    MOCK_COLLECTORS(sp);
    MOCK_COLLECTORS(dp);
    MOCK_COLLECTORS(sfu);
    MOCK_COLLECTORS(int);
    MOCK_COLLECTORS(tensor_core);
    MOCK_COLLECTORS(mem);
    MOCK_COLLECTORS(gen);
#undef MOCK_COLLECTORS
}

inline void shader_core_config::set_specialized(const wlk_opndcoll_cfg &from) {
    for (const wlk_opndcoll_specialized &unit : from.specialized_unit) {
        if (unit.enabled != 0u) {
            specialized_unit_params to = {
                unit.latency, unit.num_units, unit.id_width, unit.ex_width, "", 0, 0};
            std::memcpy(to.name, unit.name, sizeof unit.name);
            m_specialized_unit.push_back(to);
        }
    }
}

inline const char *mock_set_name(bool ex, unsigned kind) {
    static const char *const names[][2] = {
        {"ID_OC_SP", "OC_EX_SP"},    {"ID_OC_SFU", "OC_EX_SFU"},
        {"ID_OC_MEM", "OC_EX_MEM"},  {"ID_OC_TENSOR_CORE", "OC_EX_TENSOR_CORE"},
        {"ID_OC_DP", "OC_EX_DP"},    {"ID_OC_INT", "OC_EX_INT"},
        {"ID_OC_SPEC", "OC_EX_SPEC"}};
    return names[kind < 6u ? kind : 6u][ex ? 1 : 0];
}

inline shader_core_ctx::shader_core_ctx(const wlk_opndcoll_cfg &options, unsigned sid,
                                        gpgpu_sim *gpu)
    : cfg(options), m_config(options), m_gpu(gpu != nullptr ? gpu : &m_own_gpu), m_sid(sid) {
    wlk_opndcoll_shape_of(&cfg, &shape);
    for (unsigned kind = 0; kind < shape.kinds; kind++) {
        id.push_back(register_set(shape.id_width[kind], mock_set_name(false, kind)));
        ex.push_back(register_set(shape.ex_width[kind], mock_set_name(true, kind)));
    }
}

namespace mock {

typedef warp_inst_t inst;
typedef register_set reg_set;
typedef shader_core_ctx core;
constexpr unsigned operands = MAX_REG_OPERANDS;

/** What a slot holds; NULL: it is empty. */
inline inst *at(reg_set &set, unsigned slot) {
    inst *there = set.slot(slot);
    return there->empty() ? nullptr : there;
}

/** The lowest empty slot; the width: none. */
inline unsigned empty_slot(reg_set &set) {
    unsigned slot = 0;
    while (slot < set.slots() && !set.slot(slot)->empty()) {
        slot++;
    }
    return slot;
}

/** The oldest instruction's slot; the width: none. */
inline unsigned oldest(reg_set &set) {
    unsigned best = set.slots();
    for (unsigned slot = 0; slot < set.slots(); slot++) {
        if (at(set, slot) != nullptr &&
            (best == set.slots() || set.slot(slot)->get_uid() < set.slot(best)->get_uid())) {
            best = slot;
        }
    }
    return best;
}

typedef warplock::gpgpusim_traits<inst, reg_set, core, WLK_OPNDCOLL_V40> v40_traits;
typedef warplock::gpgpusim_traits<inst, reg_set, core, WLK_OPNDCOLL_V42> v42_traits;

/** For a core of any revision: all that its configuration says. */
struct traits : v40_traits {
    static void configure(core &c, wlk_opndcoll_cfg &cfg) {
        cfg = c.cfg;
        cfg.num_reg_banks = 0; // is init()'s
    }
    static bool looks_once_a_cycle() {
        return false; // tests issue and drain between any two steps
    }
};

/* ---- the calls that build a collector, §3 ---- */

/** A call of add_port(), as kinds and set ids. */
struct port_call {
    std::vector<unsigned> kinds, cu_sets;
};

struct cu_set_call {
    unsigned id, units, dispatch_units;
};

struct calls {
    std::vector<cu_set_call> cu_sets;
    std::vector<port_call> ports;
};

/** The simulator's number of the n-th CU set: an order of its own. */
inline unsigned cu_set_id(unsigned n) {
    return (n + 6u) % 7u;
}

inline calls calls_of(const wlk_opndcoll_cfg &c) {
    calls to;
    wlk_opndcoll_set set;
    for (unsigned n = 0; wlk_opndcoll_set_of(&c, n, &set); n++) {
        to.cu_sets.push_back({cu_set_id(n), set.units, set.dispatch_units});
    }
    wlk_opndcoll_port port;
    for (unsigned n = 0; wlk_opndcoll_port_of(&c, n, &port); n++) {
        port_call call;
        for (unsigned kind = 0; kind < WLK_OPNDCOLL_KINDS; kind++) {
            if ((port.kinds >> kind & 1u) != 0u) {
                call.kinds.push_back(kind);
            }
        }
        std::transform(port.sets, port.sets + port.n_sets, std::back_inserter(call.cu_sets),
                       cu_set_id);
        to.ports.push_back(call);
    }
    return to;
}

/** Make the calls, but for init(). */
template <class Collector> void build(Collector &to, core &c, const calls &from) {
    for (const cu_set_call &set : from.cu_sets) {
        to.add_cu_set(set.id, set.units, set.dispatch_units);
    }
    for (const port_call &port : from.ports) {
        std::vector<reg_set *> in, out;
        for (unsigned kind : port.kinds) {
            in.push_back(&c.id[kind]);
            out.push_back(&c.ex[kind]);
        }
        to.add_port(in, out, port.cu_sets);
    }
}

template <class Collector> void connect(Collector &to, core &c) {
    build(to, c, calls_of(c.cfg));
    to.init(c.cfg.num_reg_banks, &c);
}

/* ---- a collector of the simulator's own ---- */

enum fault {
    NO_FAULT,
    SCAN_FROM_LAST,    /**< a DU begins at `last` */
    YOUNGEST_FIRST,    /**< a port takes the youngest */
    READ_WRITTEN,      /**< a written bank is read */
    HIGHEST_SLOT,      /**< OC_EX is filled from its highest slot */
    READ_ONE_A_UNIT,   /**< as V32 */
    ALLOCATE_EARLY,    /**< allocate before read */
    KEEP_DESTINATIONS, /**< a result keeps what was written */
    WRITE_TWICE,       /**< a bank takes two results */
    HIDE_REFUSAL,      /**< a refused result is reported as accepted */
    NO_RELEASE,        /**< in every 16th step */
};

class collector {
  public:
    fault wrong = NO_FAULT;
    std::uint64_t reads = 0;

    void add_cu_set(unsigned id, unsigned num_cu, unsigned num_dispatch) {
        sets_[id];
        for (unsigned i = 0; i < num_cu; i++) {
            cus_.emplace_back(static_cast<unsigned>(cus_.size()));
            sets_[id].push_back(&cus_.back());
        }
        for (unsigned i = 0; i < num_dispatch; i++) {
            dus_.push_back({id, 0});
        }
    }
    void add_port(std::vector<reg_set *> &in, std::vector<reg_set *> &out,
                  std::vector<unsigned> cu_sets) {
        ports_.push_back({in, out, cu_sets});
    }
    void init(unsigned num_banks, core *c) {
        core_ = c;
        banks_.resize(num_banks);
        for (bank &b : banks_) {
            b.request.resize(cus_.size());
        }
    }
    void step() {
        for (du &d : dus_) {
            dispatch(d);
        }
        if (wrong == ALLOCATE_EARLY) {
            allocate();
        }
        read();
        if (wrong != ALLOCATE_EARLY) {
            allocate();
        }
        steps_++;
        for (bank &b : banks_) {
            b.written = b.written && wrong == NO_RELEASE && steps_ % 16u == 0u;
        }
    }
    bool writeback(inst &i) {
        for (int &reg : i.arch_reg.dst) {
            if (reg < 0) {
                continue;
            }
            bank &b = banks_[bank_of(reg, i)];
            if (b.written && wrong != WRITE_TWICE) {
                return wrong == HIDE_REFUSAL;
            }
            b.written = true;
            reg = wrong == KEEP_DESTINATIONS ? reg : -1;
        }
        return true;
    }
    void dump(std::FILE *) const {}

  private:
    struct cu;
    /** A source operand of the instruction in a unit; a request is a copy of it. */
    struct operand {
        bool valid;
        cu *unit;
        unsigned slot;
        int reg;
    };
    struct cu {
        unsigned number;
        operand source[operands] = {};
        std::unique_ptr<inst> held{new inst()};
        reg_set *out = nullptr;
        std::uint32_t pending = 0;
        bool granted = false;

        explicit cu(unsigned n) : number(n) {}
    };
    struct du {
        unsigned set, last;
    };
    struct port {
        std::vector<reg_set *> in, out;
        std::vector<unsigned> cu_sets;
    };
    struct bank {
        std::list<operand> queue;
        std::vector<int> request; // by unit: does the front ask for it?
        bool matched = false;
        bool written = false;
    };

    unsigned bank_of(int reg, const inst &i) const {
        const unsigned x = static_cast<unsigned>(reg) + i.warp_id();
        const unsigned all = static_cast<unsigned>(banks_.size());
        if (core_->shape.sub_core == 0u) {
            return x % all;
        }
        const unsigned share = all / core_->shape.schedulers;
        return x % share + i.get_schd_id() * share;
    }

    void dispatch(du &d) {
        const std::vector<cu *> &set = sets_[d.set];
        const unsigned n = static_cast<unsigned>(set.size());
        for (unsigned k = wrong == SCAN_FROM_LAST ? 0 : 1; k <= n; k++) {
            const unsigned at = (d.last + k) % n;
            cu &c = *set[at];
            if (!c.held->empty() && c.pending == 0u && empty_slot(*c.out) < c.out->slots()) {
                unsigned slot = empty_slot(*c.out);
                for (unsigned s = slot; wrong == HIGHEST_SLOT && s < c.out->slots(); s++) {
                    slot = mock::at(*c.out, s) == nullptr ? s : slot;
                }
                inst *moved = c.held.release();
                std::swap(c.out->slot(slot), moved);
                c.held.reset(moved);
                for (operand &o : c.source) {
                    o.valid = false;
                }
                d.last = at;
                return;
            }
        }
    }

    void raise_requests() {
        for (cu &c : cus_) {
            c.granted = false;
        }
        for (bank &b : banks_) {
            std::fill(b.request.begin(), b.request.end(), 0);
            b.matched = b.queue.empty() || (b.written && wrong != READ_WRITTEN);
            if (!b.matched) {
                b.request[b.queue.front().unit->number] = 1;
            }
        }
    }

    // The square of banks and units along its diagonals. It decides nothing in V40 (§6.2).
    std::list<operand> granted() {
        const unsigned banks = static_cast<unsigned>(banks_.size());
        const unsigned units = static_cast<unsigned>(cus_.size());
        std::list<operand> found;
        raise_requests();
        for (unsigned d = 0; d < std::max(banks, units); d++) {
            for (unsigned n = 0; n < banks; n++) {
                bank &b = banks_[n];
                const unsigned unit = (pri_ + d + n) % units;
                if (!b.matched && b.request[unit] != 0 &&
                    !(wrong == READ_ONE_A_UNIT && cus_[unit].granted)) {
                    b.matched = cus_[unit].granted = true;
                    found.push_back(b.queue.front());
                    b.queue.pop_front();
                }
            }
        }
        pri_ = (pri_ + 1u) % units;
        return found;
    }

    void read() {
        std::map<unsigned, operand> by_bank;
        for (const operand &o : granted()) {
            by_bank[bank_of(o.reg, *o.unit->held)] = o;
        }
        for (const auto &of_bank : by_bank) {
            of_bank.second.unit->pending &= ~(1u << of_bank.second.slot);
            reads++;
        }
    }

    void allocate() {
        for (port &p : ports_) {
            std::size_t kind = 0;
            while (kind < p.in.size() && !p.in[kind]->has_ready()) {
                kind++;
            }
            cu *found = kind < p.in.size() ? idle_unit(p) : nullptr;
            if (found != nullptr) {
                fill(*found, *p.in[kind], p.out[kind]);
            }
        }
    }

    cu *idle_unit(const port &p) {
        for (unsigned id : p.cu_sets) {
            for (cu *c : sets_[id]) {
                if (c->held->empty()) {
                    return c;
                }
            }
        }
        return nullptr;
    }

    void fill(cu &c, reg_set &from, reg_set *out) {
        unsigned slot = oldest(from);
        for (unsigned s = 0; wrong == YOUNGEST_FIRST && s < from.slots(); s++) {
            slot = at(from, s) != nullptr && at(from, s)->m_uid > at(from, slot)->m_uid ? s : slot;
        }
        inst *moved = c.held.release();
        std::swap(from.slot(slot), moved);
        c.held.reset(moved);
        c.out = out;
        for (unsigned k = 0; k < operands; k++) {
            if (moved->arch_reg.src[k] >= 0) {
                c.pending |= 1u << k;
                c.source[k] = operand{true, &c, k, moved->arch_reg.src[k]};
                banks_[bank_of(moved->arch_reg.src[k], *moved)].queue.push_back(c.source[k]);
            }
        }
    }

    core *core_ = nullptr;
    std::deque<cu> cus_;
    std::map<unsigned, std::vector<cu *>> sets_;
    std::vector<du> dus_;
    std::vector<port> ports_;
    std::vector<bank> banks_;
    unsigned steps_ = 0, pri_ = 0;
};

} // namespace mock
#endif
