// SPDX-License-Identifier: Apache-2.0
// A simulation to be recorded: cores of the mock, with the order of calls of a core cycle
// (gpgpusim-opndcoll §8), phases without issue, and uids that all cores share. The environment asks
// for the recording, or --stem.
//
//   record_sim CONFIG REVISION place|beside CYCLES [--sms N] [--busy] [--stem STEM] [--wrong WHAT]
//              [--kill CYCLE] [--destroy] [--print]
#include "../unit/mock_gpgpusim.hpp"

#include "../unit/gpgpusim_configs.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>

namespace {

struct asked {
    wlk_opndcoll_cfg cfg;
    bool beside = false, busy = false, destroy = false, print = false;
    unsigned sms = 1, cycles = 0, kill = 0;
    std::string stem, wrong;
};

typedef warplock::opndcoll<mock::traits> in_place;
typedef warplock::opndcoll_beside<mock::collector, mock::traits> beside_own; // a V40
typedef warplock::opndcoll_beside<in_place, mock::traits> beside_model;      // any revision

/** What all cores share. */
struct machine {
    const asked &job;
    gpgpu_sim gpu;
    std::mt19937 random{7};
    unsigned uid = 5000;

    explicit machine(const asked &what) : job(what) {
        gpu.gpu_tot_sim_cycle = 1000;
    }
    unsigned below(unsigned n) {
        return static_cast<unsigned>(random() % n);
    }
};

template <class Collector> class simulated_core {
  public:
    simulated_core(machine &all, unsigned sm) : m_(all), core_(all.job.cfg, sm, &all.gpu) {
        if (!all.job.stem.empty()) {
            collector_.record_to(warplock::opndcoll_recording(all.job.stem));
        }
        mock::connect(collector_, core_);
    }

    Collector &collector() {
        return collector_;
    }

    void cycle(unsigned number) {
        const bool step_behind = m_.job.cfg.revision == V42;
        write_back();
        drain_all();
        load();
        if (step_behind) {
            drain_kind(WLK_OPNDCOLL_MEM);
        }
        for (unsigned i = 0; i < 2u; i++) {
            collector_.step();
        }
        if (!step_behind) {
            drain_kind(WLK_OPNDCOLL_MEM);
        }
        if (m_.job.busy || number / 40u % 3u != 2u) {
            issue_all();
        }
    }

  private:
    // What EX_WB is refused is lost.
    void write_back() {
        for (mock::inst &result : done_) {
            (void)collector_.writeback(result);
        }
        done_.clear();
    }
    // LD/ST tries again.
    void load() {
        if (!loads_.empty() && collector_.writeback(loads_.front())) {
            loads_.pop_front();
        }
    }

    void drain_all() {
        for (unsigned kind = 0; kind < core_.shape.kinds; kind++) {
            if (kind != WLK_OPNDCOLL_MEM) {
                drain_kind(kind);
            }
        }
    }
    void drain_kind(unsigned kind) {
        mock::reg_set &set = core_.ex[kind];
        const bool by_slot = m_.job.cfg.revision == V42 && core_.shape.sub_core != 0u;
        if (by_slot && kind != WLK_OPNDCOLL_MEM) {
            for (unsigned slot = 0; slot < set.slots(); slot++) {
                drain(kind, slot);
            }
        } else {
            const bool wrong = m_.job.wrong == "young" && m_.gpu.gpu_sim_cycle > 100u;
            drain(kind, wrong ? youngest(set) : mock::oldest(set));
        }
    }
    void drain(unsigned kind, unsigned slot) {
        mock::reg_set &set = core_.ex[kind];
        if (slot < set.slots() && mock::at(set, slot) != nullptr && m_.below(8) != 0u) {
            (kind == WLK_OPNDCOLL_MEM ? loads_ : done_).push_back(*set.slot(slot));
            set.slot(slot)->clear();
        }
    }
    static unsigned youngest(mock::reg_set &set) {
        unsigned best = mock::oldest(set);
        for (unsigned slot = 0; slot < set.slots(); slot++) {
            if (mock::at(set, slot) != nullptr &&
                set.slot(slot)->get_uid() > set.slot(best)->get_uid()) {
                best = slot;
            }
        }
        return best;
    }

    void issue_all() {
        for (unsigned sched = 0; sched < core_.shape.schedulers; sched++) {
            const unsigned kind = m_.below(core_.shape.kinds);
            mock::reg_set &set = core_.id[kind];
            const bool sub_core = core_.shape.sub_core != 0u;
            unsigned slot = sub_core ? sched : mock::empty_slot(set);
            if (m_.job.wrong == "slot" && m_.gpu.gpu_sim_cycle > 100u) {
                slot = set.slots() - 1u;
            }
            if (slot < set.slots() && mock::at(set, slot) == nullptr && m_.below(4) != 0u) {
                fill(*set.slot(slot), sched);
            }
        }
    }
    void fill(mock::inst &i, unsigned sched) {
        const bool back = m_.job.wrong == "uid" && m_.gpu.gpu_sim_cycle == 100u;
        const unsigned slots = core_.shape.operands;
        i.m_empty = false;
        i.m_uid = back ? 3u : ++m_.uid;
        i.m_scheduler_id = sched;
        i.m_warp_id = sched + core_.shape.schedulers * m_.below(8);
        i.m_warp_active_mask = active_mask_t(0xffffffffu);
        for (unsigned k = 0; k < mock::operands; k++) {
            const bool source = k < slots && m_.below(k < 3u ? 2u : 12u) == 0u;
            const bool result = k < slots && m_.below(k < 2u ? 2u : 16u) == 0u;
            i.arch_reg.src[k] = source ? static_cast<int>(m_.below(40)) : -1;
            i.arch_reg.dst[k] = result ? static_cast<int>(m_.below(40)) : -1;
        }
    }

    machine &m_;
    mock::core core_;
    Collector collector_;
    std::deque<mock::inst> done_, loads_;
};

void break_own(const asked &job, mock::collector &own) {
    own.wrong = job.wrong == "collector" ? mock::SCAN_FROM_LAST : mock::NO_FAULT;
}
void break_own(const asked &, in_place &) {}

template <class Collector> void set_up(const asked &, Collector &) {}
template <class Own>
void set_up(const asked &job, warplock::opndcoll_beside<Own, mock::traits> &collector) {
    break_own(job, collector.own());
    collector.on_difference([](const warplock::opndcoll_difference &d) {
        std::printf("difference: %s\n", d.what.c_str());
    });
}

template <class Collector> int simulate(const asked &job) {
    machine *const all = new machine(job); // as a simulator that ends by exit()
    std::vector<simulated_core<Collector> *> cores;
    for (unsigned sm = 0; sm < job.sms; sm++) {
        cores.push_back(new simulated_core<Collector>(*all, job.wrong == "sm" ? 0u : sm));
        set_up(job, cores.back()->collector());
    }
    for (unsigned cycle = 0; cycle < job.cycles; cycle++) {
        const bool back = job.wrong == "cycle" && cycle == 100u;
        all->gpu.gpu_sim_cycle = back ? 1u : cycle;
        for (simulated_core<Collector> *core : cores) {
            core->cycle(cycle);
        }
        if (job.kill != 0u && cycle == job.kill) {
            (void)std::raise(SIGKILL);
        }
    }
    for (simulated_core<Collector> *core : cores) {
        if (job.print && !core->collector().summary(stdout)) {
            std::puts("no summary");
        }
        if (job.destroy) {
            delete core;
        }
    }
    std::exit(EXIT_SUCCESS);
}

unsigned number(const char *text) {
    return static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

bool parse(int argc, char **argv, asked &to) {
    if (argc < 5) {
        return false;
    }
    const unsigned revision = std::strcmp(argv[2], "v42") == 0   ? V42
                              : std::strcmp(argv[2], "v32") == 0 ? V32
                                                                 : V40;
    to.cfg = std::strcmp(argv[1], "qv100") == 0 ? qv100(revision) : gtx480(revision);
    to.cfg.rotate_kinds = std::strcmp(argv[1], "rotating") == 0 ? 1u : 0u;
    to.beside = std::strcmp(argv[3], "beside") == 0;
    to.cycles = number(argv[4]);
    for (int i = 5; i < argc; i++) {
        const std::string word = argv[i];
        const char *const value = i + 1 < argc ? argv[i + 1] : "";
        to.busy = to.busy || word == "--busy";
        to.destroy = to.destroy || word == "--destroy";
        to.print = to.print || word == "--print";
        if (word == "--sms") {
            to.sms = number(value);
        } else if (word == "--kill") {
            to.kill = number(value);
        } else if (word == "--stem") {
            to.stem = value;
        } else if (word == "--wrong") {
            to.wrong = value;
        }
    }
    return true;
}

} // namespace

int main(int argc, char **argv) try {
    asked job;
    if (!parse(argc, argv, job)) {
        return 2;
    }
    return !job.beside               ? simulate<in_place>(job)
           : job.cfg.revision == V40 ? simulate<beside_own>(job)
                                     : simulate<beside_model>(job);
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
}
