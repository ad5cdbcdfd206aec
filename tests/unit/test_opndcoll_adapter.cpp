// SPDX-License-Identifier: Apache-2.0
// The operand collector as a simulator's class, against a mock of the pipeline registers: in place
// it does what the model does when driven by its own calls; beside another collector it is silent
// as long as that one is right, and then names the very first difference.
#include "mock_gpgpusim.hpp"

#include "check.h"
#include "gpgpusim_configs.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>

namespace {

enum { STEPS = 4000 };

/* ---- configurations ---- */

struct named_cfg {
    const char *name;
    wlk_opndcoll_cfg cfg;
};

// Everything that is rare: generic and specialised sets together, all kinds, SPEC units, gating.
wlk_opndcoll_cfg all_kinds(unsigned revision) {
    wlk_opndcoll_cfg c = gtx480(revision);
    std::fill(c.pipeline_widths, c.pipeline_widths + WLK_OPNDCOLL_WIDTHS, 3u);
    c.tensor_core_avail = 1;
    c.num_dp_units = 1;
    c.num_int_units = 1;
    c.operand_collector_num_units_gen = 3;
    c.operand_collector_num_in_ports_gen = 2;
    c.operand_collector_num_out_ports_gen = 2;
    c.operand_collector_num_units_int = 2;
    c.operand_collector_num_in_ports_int = 1;
    c.operand_collector_num_out_ports_int = 1;
    for (unsigned i = 0; i < 2; i++) {
        c.specialized_unit[i].enabled = 1;
        c.specialized_unit[i].id_width = 2 + i;
        c.specialized_unit[i].ex_width = 1;
    }
    c.clock_gated_reg_file = 1;
    return c;
}

std::vector<named_cfg> configurations() {
    return {
        {"V40 QV100", qv100(V40)},         {"V42 QV100", qv100(V42)},
        {"V40 GTX480", gtx480(V40)},       {"V42 GTX480", gtx480(V42)},
        {"V32 GTX480", gtx480(V32)},       {"V40 all kinds", all_kinds(V40)},
        {"V42 all kinds", all_kinds(V42)},
    };
}

// Those that the simulator does not have; they come from the traits.
std::vector<named_cfg> policies() {
    std::vector<named_cfg> all = {
        {"V42 QV100 passing", qv100(V42)},          {"V40 QV100 rotating", qv100(V40)},
        {"V42 all kinds rotating", all_kinds(V42)}, {"V40 all kinds once", all_kinds(V40)},
        {"V32 GTX480 once", gtx480(V32)},           {"V42 QV100 passing, rotating", qv100(V42)},
    };
    all[0].cfg.pass_full_sub_core = all[5].cfg.pass_full_sub_core = 1;
    all[1].cfg.rotate_kinds = all[2].cfg.rotate_kinds = all[5].cfg.rotate_kinds = 1;
    all[3].cfg.read_duplicates_once = all[4].cfg.read_duplicates_once = 1;
    return all;
}

/* ---- random work ---- */

class source {
  public:
    explicit source(unsigned seed) : random_(seed) {}

    unsigned below(unsigned n) {
        return static_cast<unsigned>(random_() % n);
    }
    bool one_in(unsigned n) {
        return below(n) == 0;
    }
    // An instruction of a warp; few registers, so that banks collide, and gaps among the slots.
    mock::inst instruction(const mock::core &c, unsigned uid) {
        mock::inst i;
        i.m_empty = false;
        i.m_uid = uid;
        i.m_warp_id = below(64);
        i.m_scheduler_id = i.m_warp_id % c.shape.schedulers;
        i.m_warp_active_mask = active_mask_t(static_cast<std::uint32_t>(random_()) &
                                             static_cast<std::uint32_t>(random_()));
        i.num_regs = below(8);
        i.num_operands = i.num_regs + below(3);
        for (unsigned k = 0; k < mock::operands; k++) {
            const unsigned slots = c.shape.operands;
            i.arch_reg.src[k] =
                k < slots && one_in(k < 4 ? 2 : slots) ? static_cast<int>(below(32)) : -1;
            i.arch_reg.dst[k] =
                k < slots && one_in(k < 2 ? 2 : slots) ? static_cast<int>(below(32)) : -1;
        }
        return i;
    }

  private:
    std::mt19937 random_;
};

/** The simulator around a collector. The same source makes it do the same with equal registers. */
template <class Collector> struct simulator {
    gpgpu_sim gpu;
    mock::core core;
    Collector collector;
    source random;
    unsigned uid = 0;
    std::deque<mock::inst> results; // refused ones

    simulator(const wlk_opndcoll_cfg &cfg, unsigned seed) : core(cfg, 2, &gpu), random(seed) {
        gpu.gpu_tot_sim_cycle = 1000;
        mock::connect(collector, core);
    }

    // The slot; < 0: there is none, and nothing is issued.
    int issue(unsigned kind, const mock::inst &from) {
        mock::reg_set &set = core.id[kind];
        const unsigned slot =
            core.shape.sub_core != 0u ? from.get_schd_id() : mock::empty_slot(set);
        if (slot >= set.slots() || mock::at(set, slot) != nullptr) {
            return -1;
        }
        *set.slot(slot) = from;
        return static_cast<int>(slot);
    }

    // What was drained; its slot in @p slot.
    mock::inst drain(unsigned kind, unsigned slot) {
        mock::inst &there = *core.ex[kind].slot(slot);
        const mock::inst taken = there;
        there.clear();
        return taken;
    }

    /** What happens between two steps: results, drains, issue. */
    void between_steps() {
        gpu.gpu_sim_cycle++;
        for (std::size_t n = results.size(); n != 0u; n--) {
            mock::inst result = results.front();
            results.pop_front();
            if (!collector.writeback(result) && random.one_in(2)) {
                results.push_back(result);
            }
        }
        for (unsigned kind = 0; kind < core.shape.kinds; kind++) {
            const unsigned slot = mock::oldest(core.ex[kind]);
            if (slot < core.ex[kind].slots() && !random.one_in(4)) {
                results.push_back(drain(kind, slot));
            }
            const mock::inst fresh = random.instruction(core, uid + 1u);
            uid += issue(kind, fresh) >= 0 ? 1u : 0u;
        }
    }
};

/* ---- in place ---- */

template <class Call> std::string error_of(Call call) {
    try {
        call();
    } catch (const warplock::opndcoll_error &error) {
        return error.what();
    }
    return "";
}

std::string holds(mock::inst *inst) {
    return inst != nullptr ? "#" + std::to_string(inst->get_uid()) : "empty";
}

/** The first slot in which two cores differ, as the shadow must name it; empty: they do not. */
std::string first_difference(mock::core &good, mock::core &bad) {
    for (int ex = 1; ex >= 0; ex--) {
        for (unsigned kind = 0; kind < good.shape.kinds; kind++) {
            mock::reg_set &a = ex != 0 ? good.ex[kind] : good.id[kind];
            mock::reg_set &b = ex != 0 ? bad.ex[kind] : bad.id[kind];
            for (unsigned slot = 0; slot < a.slots(); slot++) {
                if (holds(mock::at(a, slot)) != holds(mock::at(b, slot))) {
                    return std::string(ex != 0 ? "OC_EX " : "ID_OC ") +
                           wlk_opndcoll_kind_name(kind) + " slot " + std::to_string(slot) +
                           " after the step: model " + holds(mock::at(a, slot)) + ", simulator " +
                           holds(mock::at(b, slot));
                }
            }
        }
    }
    return "";
}

typedef warplock::opndcoll<mock::traits> in_place;

/** The model alone, driven by its own calls. */
class plain {
  public:
    explicit plain(const wlk_opndcoll_cfg &cfg)
        : memory_((wlk_opndcoll_state_size(&cfg) + 7u) / 8u), events(wlk_opndcoll_max_events(&cfg)),
          model(wlk_opndcoll_init(&cfg, memory_.data())) {
        wlk_opndcoll_shape_of(&cfg, &shape_);
    }

    int issue(unsigned kind, const mock::inst &from) {
        const wlk_opndcoll_inst inst = {0,
                                        from.get_uid(),
                                        from.warp_id(),
                                        from.get_schd_id(),
                                        lanes(from),
                                        from.num_operands - from.num_regs,
                                        shape_.operands,
                                        from.arch_reg.src};
        return wlk_opndcoll_issue(model, kind, &inst);
    }
    bool writeback(mock::inst &i) {
        return wlk_opndcoll_writeback(model, i.arch_reg.dst, shape_.operands, i.warp_id(),
                                      i.get_schd_id(), lanes(i), nullptr) == 1;
    }
    void step() {
        reported = {events.data(), static_cast<std::uint32_t>(events.size()), 0};
        wlk_opndcoll_step(model, &reported);
    }

  private:
    static std::uint32_t lanes(const mock::inst &i) {
        return static_cast<std::uint32_t>(i.get_active_mask().to_ulong());
    }

    std::vector<std::uint64_t> memory_;
    wlk_opndcoll_shape shape_;

  public:
    std::vector<wlk_opndcoll_event> events;
    wlk_opndcoll_events reported{nullptr, 0, 0};
    wlk_opndcoll *model;
};

bool same_event(const wlk_opndcoll_event &a, const wlk_opndcoll_event &b) {
    return a.what == b.what && a.at == b.at && a.unit == b.unit && a.kind == b.kind &&
           a.slot == b.slot && a.uid == b.uid && a.reg == b.reg && a.wid == b.wid;
}

bool same_events(const in_place &a, const plain &b) {
    return a.events_end() - a.events_begin() == static_cast<std::ptrdiff_t>(b.reported.count) &&
           std::equal(a.events_begin(), a.events_end(), b.events.data(), same_event);
}

bool same_registers(mock::core &c, const plain &b) {
    bool same = true;
    for (unsigned kind = 0; kind < c.shape.kinds; kind++) {
        for (bool ex : {false, true}) {
            mock::reg_set &set = ex ? c.ex[kind] : c.id[kind];
            for (unsigned slot = 0; slot < set.slots(); slot++) {
                wlk_opndcoll_held held;
                const mock::inst *inst = mock::at(set, slot);
                const bool there = ex ? wlk_opndcoll_ex_slot(b.model, kind, slot, &held)
                                      : wlk_opndcoll_id_slot(b.model, kind, slot, &held);
                same = there == (inst != nullptr) &&
                       (!there || (inst->get_uid() == held.uid && inst->warp_id() == held.wid)) &&
                       same;
            }
        }
    }
    return same;
}

bool same_units(const in_place &a, const plain &b, unsigned units) {
    bool same = true;
    for (unsigned n = 0; n < units; n++) {
        wlk_opndcoll_held held;
        const bool busy = wlk_opndcoll_unit(b.model, n, &held);
        const mock::inst *unit = a.unit(n);
        same = busy == (unit != nullptr) && (!busy || unit->get_uid() == held.uid) && same;
    }
    return same;
}

/** Both do the same between two steps; false where one of them answered otherwise. */
bool drive_both(simulator<in_place> &w, plain &p, std::map<unsigned, mock::inst> &issued) {
    bool same = true;
    for (std::size_t n = w.results.size(); n != 0u; n--) {
        mock::inst ours = w.results.front(), theirs = ours;
        w.results.pop_front();
        const bool done = w.collector.writeback(ours);
        same = done == p.writeback(theirs) && same;
        same = std::memcmp(ours.arch_reg.dst, theirs.arch_reg.dst, sizeof ours.arch_reg.dst) == 0 &&
               same;
        if (!done && w.random.one_in(2)) {
            w.results.push_back(ours);
        }
    }
    for (unsigned kind = 0; kind < w.core.shape.kinds; kind++) {
        mock::reg_set &ex = w.core.ex[kind];
        const bool by_slot = w.core.cfg.revision == V42 && ex.slots() != 0u;
        const unsigned slot = by_slot ? w.random.below(ex.slots()) : mock::oldest(ex);
        if (slot < ex.slots() && mock::at(ex, slot) != nullptr && !w.random.one_in(4)) {
            const mock::inst taken = w.drain(kind, slot);
            const int theirs = by_slot ? wlk_opndcoll_take_slot(p.model, kind, slot, nullptr)
                                       : wlk_opndcoll_take(p.model, kind, nullptr);
            same = theirs == static_cast<int>(slot) && same;
            // It is the very instruction that was issued, with all it carries.
            const mock::inst &was = issued[taken.get_uid()];
            same =
                std::memcmp(was.arch_reg.src, taken.arch_reg.src, sizeof was.arch_reg.src) == 0 &&
                same;
            w.results.push_back(taken);
            issued.erase(taken.get_uid());
        }
        const mock::inst fresh = w.random.instruction(w.core, w.uid + 1u);
        const int at = w.issue(kind, fresh);
        const int theirs = p.issue(kind, fresh);
        same = (at >= 0 ? at == theirs : theirs < 0) && same;
        if (at >= 0) {
            issued[++w.uid] = fresh;
        }
    }
    return same;
}

bool same_counters(const mock::core &c, const plain &b) {
    wlk_opndcoll_counters counted;
    wlk_opndcoll_counted(b.model, &counted);
    return counted.reads == c.counted.reads && counted.writes == c.counted.writes &&
           counted.non_rf == c.counted.non_rf;
}

void check_is_the_model(const named_cfg &c, bool keep_events) {
    simulator<in_place> w(c.cfg, 1);
    plain p(c.cfg);
    std::map<unsigned, mock::inst> issued;
    unsigned long seen[3] = {0, 0, 0}; // DISPATCH, GRANT, ALLOCATE
    bool same = true;
    w.collector.keep_events(keep_events);
    for (unsigned step = 0; step < STEPS && same; step++) {
        same = CHECK_MSG(drive_both(w, p, issued), "%s before step %u", c.name, step);
        w.collector.step();
        p.step();
        same = CHECK_MSG(keep_events ? same_events(w.collector, p)
                                     : w.collector.events_begin() == w.collector.events_end(),
                         "%s step %u", c.name, step) &&
               same;
        same = CHECK_MSG(same_registers(w.core, p), "%s step %u", c.name, step) && same;
        same = CHECK_MSG(same_units(w.collector, p, w.core.shape.units), "%s", c.name) && same;
        same = CHECK_MSG(same_counters(w.core, p), "%s step %u", c.name, step) && same;
        for (unsigned i = 0; i < p.reported.count; i++) {
            seen[p.events[i].what]++;
        }
    }
    CHECK_MSG(seen[0] > STEPS / 4 && seen[1] > STEPS / 4 && seen[2] > STEPS / 4,
              "%s: too little happened: %lu D, %lu G, %lu A", c.name, seen[0], seen[1], seen[2]);
}

CASE(opndcoll_adapter_in_place_is_the_model) {
    for (const named_cfg &c : configurations()) {
        check_is_the_model(c, false);
        check_is_the_model(c, true);
    }
}

CASE(opndcoll_adapter_in_place_has_the_policies) {
    for (const named_cfg &c : policies()) {
        check_is_the_model(c, false);
        check_is_the_model(c, true);
    }
}

/* ---- ready-made traits ---- */

wlk_opndcoll_cfg configured(void (*by)(mock::core &, wlk_opndcoll_cfg &), mock::core &core) {
    wlk_opndcoll_cfg cfg;
    wlk_opndcoll_defaults(&cfg);
    by(core, cfg);
    cfg.num_reg_banks = core.cfg.num_reg_banks; // is init()'s
    return cfg;
}

CASE(opndcoll_adapter_options_are_the_simulators) {
    unsigned seen = 0;
    for (named_cfg &c : configurations()) {
        if (c.cfg.revision != V32) {
            std::strcpy(c.cfg.specialized_unit[0].name, "BRA");
            c.cfg.specialized_unit[0].latency = 4;
            mock::core core(c.cfg);
            const wlk_opndcoll_cfg cfg = configured(
                c.cfg.revision == V40 ? mock::v40_traits::configure : mock::v42_traits::configure,
                core);
            if (core.shape.kinds == WLK_OPNDCOLL_SPEC1) {
                std::memset(c.cfg.specialized_unit, 0, sizeof c.cfg.specialized_unit);
            }
            if (c.cfg.tensor_core_avail == 0u) { // what the simulator did not read
                c.cfg.pipeline_widths[11] = c.cfg.pipeline_widths[12] = 1;
            }
            CHECK_MSG(std::memcmp(&cfg, &c.cfg, sizeof cfg) == 0, "%s", c.name);
            seen++;
        }
    }
    CHECK(seen == 6);
}

CASE(opndcoll_adapter_ninth_specialized_unit_is_refused) {
    mock::core core(all_kinds(V40));
    while (core.get_config()->m_specialized_unit.size() <= WLK_OPNDCOLL_SPECIALIZED) {
        core.get_config()->m_specialized_unit.push_back(core.get_config()->m_specialized_unit[0]);
    }
    CHECK(error_of([&] { configured(mock::v40_traits::configure, core); }) ==
          "-specialized_unit_9: there are at most 8");
}

/** Steps of a core cycle follow each other. */
template <class Simulator> void core_cycle(Simulator &w) {
    w.between_steps();
    for (unsigned i = 0; i < 2; i++) {
        w.collector.step();
    }
}

template <class Traits> void check_ready_made(const named_cfg &c) {
    simulator<warplock::opndcoll<Traits>> ours(c.cfg, 2);
    simulator<in_place> theirs(c.cfg, 2);
    std::string found;
    for (unsigned cycle = 0; cycle < STEPS / 2 && found.empty(); cycle++) {
        core_cycle(ours);
        core_cycle(theirs);
        found = first_difference(ours.core, theirs.core);
    }
    CHECK_MSG(found.empty(), "%s: %s", c.name, found.c_str());
    CHECK_MSG(std::memcmp(&ours.core.counted, &theirs.core.counted, sizeof ours.core.counted) == 0,
              "%s", c.name);
    CHECK_MSG(ours.core.counted.reads > STEPS && ours.core.counted.writes > STEPS &&
                  ours.core.counted.non_rf > STEPS,
              "%s: too little happened", c.name);
}

CASE(opndcoll_adapter_ready_made_traits_do_the_same) {
    for (const named_cfg &c : configurations()) {
        if (c.cfg.revision == V40) {
            check_ready_made<mock::v40_traits>(c);
        } else if (c.cfg.revision == V42) {
            check_ready_made<mock::v42_traits>(c);
        }
    }
}

// As docs/opndcoll-policies.md switches them on.
template <class Base> struct with_policies : Base {
    static void configure(mock::core &core, wlk_opndcoll_cfg &cfg) {
        Base::configure(core, cfg);
        cfg.pass_full_sub_core = core.cfg.pass_full_sub_core;
        cfg.rotate_kinds = core.cfg.rotate_kinds;
        cfg.read_duplicates_once = core.cfg.read_duplicates_once;
    }
};

CASE(opndcoll_adapter_ready_made_traits_take_policies) {
    for (const named_cfg &c : policies()) {
        if (c.cfg.revision == V40) {
            check_ready_made<with_policies<mock::v40_traits>>(c);
        } else if (c.cfg.revision == V42) {
            check_ready_made<with_policies<mock::v42_traits>>(c);
        }
    }
}

// Who looks once a cycle does not see what is issued between two steps: that is found out.
CASE(opndcoll_adapter_change_within_a_cycle_is_found) {
    simulator<warplock::opndcoll<mock::v40_traits>> w(qv100(V40), 3);
    const std::string text = error_of([&] {
        for (unsigned cycle = 0; cycle < WARPLOCK_OPNDCOLL_CHECK_EVERY + 1u; cycle++) {
            w.between_steps();
            w.collector.step();
            w.gpu.gpu_sim_cycle--;
            w.between_steps();
            w.collector.step();
        }
    });
    CHECK_MSG(text.find("let looks_once_a_cycle() of the traits return false") != std::string::npos,
              "%s", text.c_str());
}

// Against a collector that knows nothing of the model.
CASE(opndcoll_adapter_in_place_is_another_collector) {
    for (const named_cfg &c : configurations()) {
        if (c.cfg.revision != V40) {
            continue;
        }
        simulator<in_place> ours(c.cfg, 2);
        simulator<mock::collector> theirs(c.cfg, 2);
        std::string found;
        for (unsigned step = 0; step < STEPS && found.empty(); step++) {
            ours.between_steps();
            theirs.between_steps();
            ours.collector.step();
            theirs.collector.step();
            found = first_difference(ours.core, theirs.core);
        }
        CHECK_MSG(found.empty(), "%s: %s", c.name, found.c_str());
        CHECK_MSG(ours.uid == theirs.uid && ours.uid > STEPS / 4, "%s: issued %u and %u", c.name,
                  ours.uid, theirs.uid);
    }
}

/* ---- beside ---- */

typedef warplock::opndcoll_beside<mock::collector, mock::traits> beside;

template <class Beside> void check_silent(const named_cfg &c) {
    simulator<Beside> w(c.cfg, 3);
    for (unsigned step = 0; step < STEPS; step++) {
        w.between_steps();
        w.collector.step();
    }
    const warplock::opndcoll_difference *found = w.collector.difference();
    CHECK_MSG(found == nullptr, "%s: %s", c.name, found ? found->text().c_str() : "");
    CHECK_MSG(w.uid > STEPS / 4, "%s: issued %u", c.name, w.uid);
}

// The mock's own collector is a V40.
CASE(opndcoll_adapter_beside_has_the_policies) {
    for (const named_cfg &c : policies()) {
        check_silent<warplock::opndcoll_beside<in_place, mock::traits>>(c);
    }
}

CASE(opndcoll_adapter_beside_finds_that_a_policy_is_missing) {
    named_cfg c = {"V40 all kinds, the model reads once", all_kinds(V40)};
    c.cfg.read_duplicates_once = 1;
    simulator<beside> w(c.cfg, 3);
    for (unsigned step = 0; step < STEPS && w.collector.difference() == nullptr; step++) {
        w.between_steps();
        w.collector.step();
    }
    CHECK(w.collector.difference() != nullptr);
}

CASE(opndcoll_adapter_beside_is_silent_on_equals) {
    for (const named_cfg &c : configurations()) {
        if (c.cfg.revision == V40) {
            check_silent<beside>(c);
        }
        check_silent<warplock::opndcoll_beside<in_place, mock::traits>>(c);
    }
}

/** Run a faulty collector and a good one side by side, until the registers differ. */
void check_fault_in_registers(const named_cfg &c, mock::fault wrong) {
    simulator<mock::collector> good(c.cfg, 4);
    simulator<beside> bad(c.cfg, 4);
    std::string reported, expected;
    unsigned reports = 0, step = 0;
    bad.collector.own().wrong = wrong;
    bad.collector.on_difference([&](const warplock::opndcoll_difference &d) {
        reports++;
        reported = d.text();
    });
    for (; step < STEPS && expected.empty(); step++) {
        good.between_steps();
        bad.between_steps();
        if (!CHECK_MSG(reports == 0, "%s fault %d: early: %s", c.name, wrong, reported.c_str())) {
            return;
        }
        good.collector.step();
        bad.collector.step();
        expected = first_difference(good.core, bad.core);
    }
    expected = "SM 2, cycle " + std::to_string(1000u + step) + ", step " +
               std::to_string(step - 1u) + ": " + expected + "\nthe model's last step:\n";
    CHECK_MSG(reported.compare(0, expected.size(), expected) == 0,
              "%s fault %d\nexpected %s\nreported %s", c.name, wrong, expected.c_str(),
              reported.c_str());
    for (unsigned more = 0; more < 100; more++) {
        bad.between_steps();
        bad.collector.step();
    }
    CHECK_MSG(reports == 1, "%s fault %d: %u reports", c.name, wrong, reports);
}

CASE(opndcoll_adapter_beside_names_the_first_difference) {
    const named_cfg all = {"V40 all kinds", all_kinds(V40)};
    const named_cfg sub_core = {"V40 QV100", qv100(V40)};
    static const mock::fault faults[] = {mock::SCAN_FROM_LAST,  mock::YOUNGEST_FIRST,
                                         mock::READ_WRITTEN,    mock::HIGHEST_SLOT,
                                         mock::READ_ONE_A_UNIT, mock::ALLOCATE_EARLY};
    for (mock::fault wrong : faults) {
        check_fault_in_registers(all, wrong);
        check_fault_in_registers(sub_core, wrong);
    }
}

// A result with destinations R0, R1 and another one in the bank of R0, as a simulator's first
// calls.
std::string difference_of_writebacks(mock::fault wrong) {
    mock::core core(gtx480(V40));
    beside collector;
    mock::connect(collector, core);
    collector.own().wrong = wrong;
    source random(5);
    mock::inst result = random.instruction(core, 7);
    result.m_warp_id = 0;
    std::fill(std::begin(result.arch_reg.dst), std::end(result.arch_reg.dst), -1);
    result.arch_reg.dst[0] = 0;
    result.arch_reg.dst[2] = 1;
    result.arch_reg.dst[3] = 16; // 16 banks: that of R0
    for (unsigned step = 0; step < 40 && collector.difference() == nullptr; step++) {
        mock::inst again = result;
        collector.writeback(again);
        collector.step();
    }
    return collector.difference() != nullptr ? collector.difference()->text() : "";
}

CASE(opndcoll_adapter_beside_compares_writebacks) {
    const std::string where = "SM 0, cycle 0, step ";
    const std::string what = ": writeback of #7: model refused, left 3:R16, simulator ";
    const std::string state = "\nthe model's state; pipeline registers of the simulator where they "
                              "differ:\nbank 0: written\nbank 1: written\n";
    CHECK(difference_of_writebacks(mock::NO_FAULT).empty());
    CHECK(difference_of_writebacks(mock::WRITE_TWICE) == where + "0" + what + "accepted" + state);
    CHECK(difference_of_writebacks(mock::HIDE_REFUSAL) ==
          where + "0" + what + "accepted, left 3:R16" + state);
    CHECK(difference_of_writebacks(mock::KEEP_DESTINATIONS) ==
          where + "0" + what + "refused, left 0:R0,2:R1,3:R16" + state);
    CHECK(difference_of_writebacks(mock::NO_RELEASE) ==
          where + "16" + what + "refused, left 0:R0,2:R1,3:R16" + state);
}

/* ---- pipeline registers that somebody else changed ---- */

/** After a step: the one port of SP has taken #1 and left #2 in slot 1. */
template <class Collector> struct stage {
    mock::core core;
    Collector collector;

    static wlk_opndcoll_cfg one_port() {
        wlk_opndcoll_cfg cfg = gtx480(V40);
        cfg.operand_collector_num_in_ports_sp = 1;
        return cfg;
    }
    stage() : core(one_port()) {
        mock::connect(collector, core);
        source random(6);
        for (unsigned uid = 1; uid <= 2; uid++) {
            *core.id[WLK_OPNDCOLL_SP].slot(uid - 1u) = random.instruction(core, uid);
        }
        collector.step();
    }
};

/** Behind the first line of a difference before step 1. */
const char state[] =
    "\nthe model's state; pipeline registers of the simulator where they differ:\n";

template <class Change>
void check_change_beside(const std::string &what, const std::string &registers, Change change) {
    const std::string unit = "unit 0: #1 of warp 10 for SP, waits for operands 1\n"
                             "bank 10: R16 for operand 1 of unit 0\n";
    const bool is_id = registers.compare(0, 5, "ID_OC") == 0;
    const std::string expected = "SM 0, cycle 0, step 1: " + what +
                                 "\nthe model's last step:\nA 0 SP 0 1" + state +
                                 (is_id ? registers + unit : "ID_OC SP: - #2\n" + unit + registers);
    stage<beside> watched;
    change(watched.core);
    watched.collector.step();
    const warplock::opndcoll_difference *found = watched.collector.difference();
    CHECK_MSG(found != nullptr && found->text() == expected, "%s\nexpected %s",
              found != nullptr ? found->text().c_str() : "no difference", expected.c_str());
}

// In place it is found where the instruction is to move, else by the comparison of all.
template <class Change> void check_change_in_place(const std::string &what, Change change) {
    stage<in_place> moved;
    change(moved.core);
    const std::string text = error_of([&] {
        for (unsigned i = 0; i < WARPLOCK_OPNDCOLL_CHECK_EVERY; i++) {
            moved.collector.step();
        }
    });
    CHECK_MSG(text.find(what + state) != std::string::npos, "\"%s\" is not in: %s", what.c_str(),
              text.c_str());
}

void fill_mem(mock::core &c) {
    c.ex[WLK_OPNDCOLL_MEM].slot(0)->m_empty = false;
    c.ex[WLK_OPNDCOLL_MEM].slot(0)->m_uid = 9;
}
void empty_sp(mock::core &c) {
    c.id[WLK_OPNDCOLL_SP].slot(1)->clear();
}
void change_sp(mock::core &c) {
    c.id[WLK_OPNDCOLL_SP].slot(1)->m_uid = 5;
}

CASE(opndcoll_adapter_foreign_changes_are_found) {
    const std::string mem = "OC_EX MEM slot 0 before the step: model empty, simulator #9";
    const std::string sp = "ID_OC SP slot 1 before the ";
    check_change_beside(mem, "OC_EX MEM: empty, simulator #9\n", fill_mem);
    check_change_beside(sp + "step: model #2, simulator empty", "ID_OC SP: - #2, simulator empty\n",
                        empty_sp);
    check_change_beside(sp + "step: model #2, simulator #5", "ID_OC SP: - #2, simulator - #5\n",
                        change_sp);
    check_change_in_place("step 64: " + mem, fill_mem);
    check_change_in_place("step 1: " + sp + "move of #2: model #2, simulator empty", empty_sp);
    check_change_in_place("step 1: " + sp + "move of #2: model #2, simulator #5", change_sp);
}

// A place in OC_EX that is occupied when an instruction is to move there.
CASE(opndcoll_adapter_occupied_place_is_found) {
    stage<in_place> s;
    for (unsigned slot = 0; slot < 2; slot++) {
        s.core.ex[WLK_OPNDCOLL_SP].slot(slot)->m_empty = false;
        s.core.ex[WLK_OPNDCOLL_SP].slot(slot)->m_uid = 9;
    }
    const std::string text = error_of([&] {
        s.collector.step();
        s.collector.step();
    });
    CHECK_MSG(text.find("OC_EX SP slot 0 before #1 moves there: model empty, simulator #9") !=
                  std::string::npos,
              "%s", text.c_str());
}

/* ---- errors ---- */

void check_build(const char *expected, const std::string &text) {
    CHECK_MSG(text.find(expected) != std::string::npos, "expected \"%s\": \"%s\"", expected,
              text.c_str());
}

struct wrong_construction {
    const char *expected;
    void (*edit)(mock::core &, mock::calls &);
};

// gtx480: ports 0, 1 are SP's, 2 SFU's, 3 TENSOR's, 4 MEM's.
CASE(opndcoll_adapter_wrong_construction_is_refused) {
    typedef mock::core core;
    typedef mock::calls calls;
    static const wrong_construction all[] = {
        {"", [](core &, calls &) {}},
        {"-gpgpu_num_reg_banks 0", [](core &c, calls &) { c.cfg.num_reg_banks = 0; }},
        {"CU set 1: added with 7 units and 2 dispatch units; the configuration has 6 units and 2 "
         "dispatch units",
         [](core &, calls &to) { to.cu_sets[1].units = 7; }},
        {"CU set 1: added with 6 units and 1 dispatch units",
         [](core &, calls &to) { to.cu_sets[1].dispatch_units = 1; }},
        {"CU set 1: its id 6 was added before",
         [](core &, calls &to) { to.cu_sets[1].id = to.cu_sets[0].id; }},
        {"more sets than 6", [](core &, calls &to) { to.cu_sets.pop_back(); }},
        {"has 7 sets", [](core &, calls &to) { to.cu_sets.push_back(to.cu_sets[0]); }},
        {"more ports than 4", [](core &, calls &to) { to.ports.pop_back(); }},
        {"has 5 ports", [](core &, calls &to) { to.ports.push_back(to.ports[0]); }},
        {"port 2: its CU set 0 is 0; in the configuration it is 3",
         [](core &, calls &to) { to.ports[2] = to.ports[0]; }},
        {"port 0: added with 1 CU sets; the configuration has 2",
         [](core &, calls &to) { to.ports[0].cu_sets.pop_back(); }},
        {"port 1: the place of SP has another register set",
         [](core &, calls &to) { to.ports[1].kinds[0] = WLK_OPNDCOLL_MEM; }},
        {"port 4: the place of MEM has another register set",
         [](core &, calls &to) { to.ports[4].kinds[0] = WLK_OPNDCOLL_SP; }},
        {"port 0: given are none; the configuration has SP",
         [](core &, calls &to) { to.ports[0].kinds.clear(); }},
        {"port 0: given are ID_OC_SP, ID_OC_MEM; the configuration has SP",
         [](core &, calls &to) { to.ports[0].kinds.push_back(WLK_OPNDCOLL_MEM); }},
        {"OC_EX SP has 3 slots; in the configuration it has 2",
         [](core &c, calls &) { c.ex[WLK_OPNDCOLL_SP].widen(); }},
    };
    for (const wrong_construction &one : all) {
        core c(gtx480(V40));
        calls made = mock::calls_of(c.cfg);
        one.edit(c, made);
        const std::string text = error_of([&] {
            in_place collector;
            mock::build(collector, c, made);
            collector.init(c.cfg.num_reg_banks, &c);
        });
        check_build(one.expected, text);
        CHECK_MSG(text.empty() == (*one.expected == '\0'), "%s", text.c_str());
    }
}

// As docs/gpgpusim.md shows.
const char specialized_message[] =
    "port 0: given are ID_OC_SP, ID_OC_SFU, ID_OC_MEM, ID_OC_SPEC; the configuration has SP, SFU, "
    "MEM; options make TENSOR by -gpgpu_tensor_core_avail, DP by -gpgpu_num_dp_units, INT by "
    "-gpgpu_num_int_units, SPEC1 by -specialized_unit_1";

CASE(opndcoll_adapter_missing_specialized_unit_is_named) {
    wlk_opndcoll_cfg cfg = gtx480(V40);
    cfg.operand_collector_num_in_ports_gen = 1;
    mock::core core(cfg);
    mock::reg_set id(2, "ID_OC_SPEC"), ex(2, "OC_EX_SPEC");
    in_place collector;
    mock::calls calls = mock::calls_of(cfg);
    const std::vector<unsigned> cu_sets = calls.ports[0].cu_sets;
    calls.ports.clear();
    mock::build(collector, core, calls);
    std::vector<mock::reg_set *> in, out;
    for (unsigned kind : {WLK_OPNDCOLL_SP, WLK_OPNDCOLL_SFU, WLK_OPNDCOLL_MEM}) {
        in.push_back(&core.id[kind]);
        out.push_back(&core.ex[kind]);
    }
    in.push_back(&id);
    out.push_back(&ex);
    collector.add_port(in, out, cu_sets);
    const std::string text = error_of([&] { collector.init(cfg.num_reg_banks, &core); });
    CHECK_MSG(text == specialized_message, "%s", text.c_str());
}

CASE(opndcoll_adapter_missing_register_set_is_refused) {
    in_place collector;
    mock::core core(gtx480(V40));
    mock::calls calls = mock::calls_of(core.cfg);
    const std::vector<unsigned> cu_sets = calls.ports[0].cu_sets;
    calls.ports.clear();
    mock::build(collector, core, calls);
    std::vector<mock::reg_set *> in = {&core.id[WLK_OPNDCOLL_SP]}, out = {nullptr};
    collector.add_port(in, out, cu_sets);
    check_build("port 0: a register set is NULL",
                error_of([&] { collector.init(core.cfg.num_reg_banks, &core); }));
}

CASE(opndcoll_adapter_dump_shows_busy_units) {
    stage<in_place> s;
    std::FILE *file = std::tmpfile();
    char text[256] = "", expected[256];
    s.collector.dump(file);
    std::rewind(file);
    text[std::fread(text, 1, sizeof text - 1u, file)] = '\0';
    std::fclose(file);
    const mock::inst &one = *s.collector.unit(0);
    unsigned sources = 0;
    for (unsigned k = 0; k < mock::operands; k++) {
        sources |= one.arch_reg.src[k] >= 0 ? 1u << k : 0u;
    }
    std::snprintf(expected, sizeof expected,
                  "unit 0: #1 of warp %u for SP, waits for operands 0x%x\n", one.warp_id(),
                  sources);
    CHECK_MSG(std::strcmp(text, expected) == 0, "%s%s", text, expected);
}

CASE(opndcoll_adapter_wrong_order_is_refused) {
    mock::core core(gtx480(V40));
    in_place early;
    CHECK(error_of([&] { early.step(); }).find("init() comes before") == 0);
    CHECK(early.unit(0) == nullptr);
    in_place twice;
    connect(twice, core);
    CHECK(error_of([&] { twice.init(16, &core); }).find("come once") != std::string::npos);
    CHECK(error_of([&] { twice.add_cu_set(9, 1, 1); }).find("come once") != std::string::npos);
}

struct clumsy_in : mock::traits {
    static void move_in(mock::reg_set &set, unsigned slot, mock::inst *&unit) {
        std::swap(set.slot(set.slots() - 1u - slot), unit);
    }
};

struct clumsy_out : mock::traits {
    static void move_out(mock::reg_set &set, unsigned slot, mock::inst *&unit) {
        std::swap(set.slot(set.slots() - 1u - slot), unit);
    }
};

/** Takes an instruction without sources through two steps. */
template <class Traits> std::string move_error() {
    mock::core core(gtx480(V40));
    warplock::opndcoll<Traits> collector;
    mock::connect(collector, core);
    source random(8);
    mock::inst one = random.instruction(core, 1);
    std::fill(std::begin(one.arch_reg.src), std::end(one.arch_reg.src), -1);
    *core.id[WLK_OPNDCOLL_SP].slot(0) = one;
    return error_of([&] {
        collector.step();
        collector.step();
    });
}

CASE(opndcoll_adapter_misplaced_move_is_refused) {
    CHECK(move_error<mock::traits>().empty());
    CHECK(move_error<clumsy_in>() == "move_in() of the traits did not move #1 to OC_EX SP slot 0");
    CHECK(move_error<clumsy_out>() ==
          "move_out() of the traits did not move #1 from ID_OC SP slot 0");
}

/** As a register set's own method chooses. */
struct oldest_out : mock::traits {
    static void move_out(mock::reg_set &set, unsigned, mock::inst *&unit) {
        set.move_out_to(unit);
    }
};

/** Scheduler 0 has no unit left: with the policy its #3 is passed by #4. */
template <class Traits> std::string passing_error(bool passes) {
    wlk_opndcoll_cfg cfg = qv100(V42);
    cfg.pass_full_sub_core = passes;
    mock::core core(cfg);
    warplock::opndcoll<Traits> collector;
    mock::connect(collector, core);
    unsigned uid = 0;
    const auto issue = [&](unsigned kind, unsigned sched) {
        mock::inst one = source(8).instruction(core, ++uid);
        one.m_scheduler_id = one.m_warp_id = sched;
        for (unsigned k = 0; k < 4; k++) {
            one.arch_reg.src[k] = static_cast<int>(4 * k); // one bank
        }
        *core.id[kind].slot(sched) = one;
    };
    return error_of([&] {
        issue(WLK_OPNDCOLL_SP, 0);
        issue(WLK_OPNDCOLL_INT, 0);
        collector.step();
        issue(WLK_OPNDCOLL_SP, 0);
        issue(WLK_OPNDCOLL_SP, 1);
        collector.step();
    });
}

CASE(opndcoll_adapter_passing_moves_by_slot) {
    CHECK(passing_error<mock::traits>(true).empty());
    CHECK(passing_error<oldest_out>(false).empty());
    CHECK(passing_error<oldest_out>(true) ==
          "move_out() of the traits did not move #4 from ID_OC SP slot 1");
}

CASE(opndcoll_adapter_unknown_scheduler_is_refused) {
    simulator<in_place> w(qv100(V40), 9);
    mock::inst one = w.random.instruction(w.core, 1);
    one.m_scheduler_id = 4;
    CHECK(error_of([&] { w.collector.writeback(one); }) ==
          "writeback of #1: there is no scheduler 4");
    *w.core.id[WLK_OPNDCOLL_SP].slot(3) = one;
    CHECK(error_of([&] { w.collector.step(); }) == "ID_OC SP slot 3: #1: there is no scheduler 4");
}

} // namespace

int main() try { return check_cases(); } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
}
