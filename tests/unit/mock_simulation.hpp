/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file mock_simulation.hpp
 * A core of mock_gpgpusim.hpp that runs: what happens in a core cycle, in its order (§8, §12.2),
 * around any collector. Equal collectors make equal runs. Instructions come from a stream, at so
 * many of a hundred chances to issue.
 */
#ifndef WARPLOCK_MOCK_SIMULATION_HPP
#define WARPLOCK_MOCK_SIMULATION_HPP

#include "mock_gpgpusim.hpp"

#include <random>

namespace mock {

/** What a simulation prints at its end, in one line each. */
struct statistics {
    unsigned long long cycles, issued, written, lost, retried;
    wlk_opndcoll_counters counted;

    std::string text() const {
        char line[200];
        std::snprintf(line, sizeof line,
                      "cycles %llu\nissued %llu\nwritten %llu\nlost %llu\nretried %llu\n"
                      "reads %llu\nwrites %llu\nnon_rf %llu\n",
                      cycles, issued, written, lost, retried,
                      static_cast<unsigned long long>(counted.reads),
                      static_cast<unsigned long long>(counted.writes),
                      static_cast<unsigned long long>(counted.non_rf));
        return line;
    }
};

template <class Collector> class simulation {
  public:
    simulation(const wlk_opndcoll_cfg &cfg, unsigned sm, unsigned percent, unsigned seed)
        : core(cfg, sm, &gpu), percent_(percent), random_(seed), stream_(stream_size) {
        for (warp_inst_t &i : stream_) {
            draw(i);
        }
        connect(m_operand_collector, core);
    }

    /** A core cycle. */
    void cycle() {
        write_back();
        for (unsigned kind = 0; kind < core.shape.kinds; kind++) {
            if (kind != WLK_OPNDCOLL_MEM) {
                drain(kind);
            }
        }
        load_store();
        issue();
        gpu.gpu_sim_cycle++;
    }

    /** As display_pipeline() does, which is const. */
    void display_pipeline(FILE *fout) const {
        m_operand_collector.dump(fout);
    }

    statistics results() const {
        return {gpu.gpu_sim_cycle, uid_, written_, lost_, retried_, core.counted};
    }

    gpgpu_sim gpu;
    shader_core_ctx core;
    Collector m_operand_collector;

  private:
    static constexpr unsigned stream_size = 4096, units = 4, latency = 4;

    struct result {
        warp_inst_t inst;
        unsigned long long ready;
    };

    unsigned below(unsigned n) {
        return static_cast<unsigned>(random_() % n);
    }

    // About as traces are: up to three sources, one destination, few others.
    void draw(warp_inst_t &i) {
        std::fill(std::begin(i.arch_reg.src), std::end(i.arch_reg.src), -1);
        std::fill(std::begin(i.arch_reg.dst), std::end(i.arch_reg.dst), -1);
        i.m_empty = false;
        i.num_regs = 0;
        for (unsigned k = 0; k < below(4); k++) {
            i.arch_reg.src[k] = static_cast<int>(1u + below(64));
            i.num_regs++;
        }
        if (below(8) != 0u) {
            i.arch_reg.dst[0] = static_cast<int>(1u + below(64));
            i.num_regs++;
        }
        i.num_operands = i.num_regs + below(2);
        i.m_warp_active_mask = active_mask_t(UINT32_MAX);
    }

    void write_back() {
        while (!results_.empty() && results_.front().ready <= gpu.gpu_sim_cycle) {
            (m_operand_collector.writeback(results_.front().inst) ? written_ : lost_)++;
            results_.pop_front();
        }
    }

    // A unit takes at most one; V42's of the sub-core model only what is in its slot.
    void drain(unsigned kind) {
        register_set &set = core.ex[kind];
        if (!set.has_ready()) {
            return;
        }
        for (unsigned unit = 0; unit < units; unit++) {
#ifdef MOCK_V42
            const bool sub_core = core.shape.sub_core != 0u;
            warp_inst_t **ready =
                sub_core && unit >= set.slots() ? nullptr : set.get_ready(sub_core, unit);
#else
            warp_inst_t **ready = set.get_ready();
#endif
            if (ready != nullptr) {
                results_.push_back({**ready, gpu.gpu_sim_cycle + latency});
                (*ready)->clear();
            }
        }
    }

    // V40 steps within the LD/ST unit, V42 when all units have drained.
    void load_store() {
#ifdef MOCK_V42
        write_loaded();
        take_memory();
        step();
#else
        write_loaded();
        step();
        take_memory();
#endif
    }

    void step() {
        for (unsigned i = 0; i < core.get_config()->reg_file_port_throughput; i++) {
            m_operand_collector.step();
        }
    }

    void write_loaded() {
        if (!loaded_.empty()) {
            if (m_operand_collector.writeback(loaded_.front())) {
                loaded_.pop_front();
                written_++;
            } else {
                retried_++;
            }
        }
    }

    void take_memory() {
        if (core.ex[WLK_OPNDCOLL_MEM].has_ready()) {
            warp_inst_t **ready = core.ex[WLK_OPNDCOLL_MEM].get_ready();
            loaded_.push_back(**ready);
            (*ready)->clear();
        }
    }

    // Each scheduler one, the start rotates.
    void issue() {
        const unsigned n = core.shape.schedulers;
        for (unsigned i = 0; i < n; i++) {
            if (below(100) < percent_) {
                issue_from(static_cast<unsigned>((gpu.gpu_sim_cycle + i) % n));
            }
        }
    }

    void issue_from(unsigned sched) {
        const unsigned at = below(stream_size);
        register_set &set = core.id[at % core.shape.kinds];
        const bool sub_core = core.shape.sub_core != 0u;
        if ((sub_core && sched >= set.slots()) || !set.has_free(sub_core, sched)) {
            return;
        }
        warp_inst_t &to = **set.get_free(sub_core, sched);
        to = stream_[at];
        to.m_uid = ++uid_;
        to.m_scheduler_id = sched;
        to.m_warp_id = sched + core.shape.schedulers * below(64 / core.shape.schedulers);
    }

    unsigned percent_, uid_ = 0;
    std::mt19937 random_;
    std::vector<warp_inst_t> stream_;
    std::deque<result> results_;
    std::deque<warp_inst_t> loaded_;
    unsigned long long written_ = 0, lost_ = 0, retried_ = 0;
};

} // namespace mock
#endif
