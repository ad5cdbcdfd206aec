// SPDX-License-Identifier: Apache-2.0
// CPU time of a plain operand collector, which does what GPGPU-Sim's does:
//   plain_bench BANKS STEPS [heavy]
// QV100 with that many banks and traffic as in opndcoll_bench.c, of its heavy points with the third
// word; prints one JSON object.
#include "../unit/gpgpusim_configs.h"
#include "../unit/mock_gpgpusim.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

namespace {

constexpr unsigned stream_size = 4096, write_backs = 4, warps = 64, registers = 64;

class traffic {
  public:
    explicit traffic(unsigned banks) : core_(qv100_of(V40, banks, 8)), stream_(stream_size) {
        std::mt19937 random(1);
        mock::connect(collector, core_);
        for (mock::inst &i : stream_) {
            std::fill(std::begin(i.arch_reg.src), std::end(i.arch_reg.src), -1);
            std::fill(std::begin(i.arch_reg.dst), std::end(i.arch_reg.dst), -1);
            std::generate_n(i.arch_reg.src, 3,
                            [&] { return static_cast<int>(random() % registers); });
            i.arch_reg.dst[0] = static_cast<int>(random() % registers);
            i.m_empty = false;
            i.m_warp_id = static_cast<unsigned>(random() % warps);
            i.m_scheduler_id = i.m_warp_id % core_.shape.schedulers;
        }
    }

    void core_cycle() {
        write_back();
        for (unsigned kind = 0; kind < core_.shape.kinds; kind++) {
            for (unsigned slot = 0; slot < core_.ex[kind].slots(); slot++) {
                core_.ex[kind].slot(slot)->clear();
            }
        }
        step();
        refill_all();
    }

    // Four units a kind take before the steps, and one LD/ST unit behind them.
    void heavy_core_cycle() {
        write_back();
        for (unsigned kind : {WLK_OPNDCOLL_SP, WLK_OPNDCOLL_DP, WLK_OPNDCOLL_INT, WLK_OPNDCOLL_SFU,
                              WLK_OPNDCOLL_TENSOR}) {
            for (unsigned unit = 0; unit < 4; unit++) {
                unit_takes(kind);
            }
        }
        step();
        unit_takes(WLK_OPNDCOLL_MEM);
        refill_all();
    }

    unsigned steps_per_cycle() const {
        return core_.shape.steps_per_cycle;
    }

    mock::collector collector;

  private:
    const mock::inst &next() {
        return stream_[next_++ % stream_size];
    }

    void write_back() {
        for (unsigned i = 0; i < write_backs; i++) {
            mock::inst result = next();
            collector.writeback(result);
        }
    }

    void step() {
        for (unsigned i = 0; i < steps_per_cycle(); i++) {
            collector.step();
        }
    }

    void unit_takes(unsigned kind) {
        if (mock::inst **oldest = core_.ex[kind].get_ready()) {
            (*oldest)->clear();
        }
    }

    void refill_all() {
        for (unsigned kind = 0; kind < core_.shape.kinds; kind++) {
            for (unsigned sched = 0; sched < core_.shape.schedulers; sched++) {
                mock::inst &slot = *core_.id[kind].slot(sched);
                if (slot.empty()) {
                    refill(slot, sched);
                }
            }
        }
    }

    // A slot of ID_OC is a scheduler's.
    void refill(mock::inst &slot, unsigned sched) {
        slot = next();
        slot.m_uid = ++uid_;
        slot.m_warp_id += sched - slot.m_scheduler_id;
        slot.m_scheduler_id = sched;
    }

    mock::core core_;
    std::vector<mock::inst> stream_;
    std::size_t next_ = 0;
    unsigned uid_ = 0;
};

} // namespace

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) {
        std::fputs("usage: plain_bench BANKS STEPS [heavy]\n", stderr);
        return 2;
    }
    const bool is_heavy = argc == 4;
    traffic t(static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)));
    const unsigned steps = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
    const std::clock_t start = std::clock();
    for (unsigned i = 0; i < steps; i += t.steps_per_cycle()) {
        is_heavy ? t.heavy_core_cycle() : t.core_cycle();
    }
    const double ns = static_cast<double>(std::clock() - start) * 1e9 / CLOCKS_PER_SEC;
    std::printf("{\"ns_per_step\": %.1f, \"reads_per_step\": %.3f}\n", ns / steps,
                static_cast<double>(t.collector.reads) / steps);
    return 0;
}
