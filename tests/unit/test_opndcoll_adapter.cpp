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
        i.full = true;
        i.uid = uid;
        i.wid = below(64);
        i.sched = i.wid % c.shape.schedulers;
        i.lanes = static_cast<std::uint32_t>(random_()) & static_cast<std::uint32_t>(random_());
        i.non_rf = below(3);
        for (unsigned k = 0; k < mock::operands; k++) {
            const unsigned slots = c.shape.operands;
            i.src[k] = k < slots && one_in(k < 4 ? 2 : slots) ? static_cast<int>(below(32)) : -1;
            i.dst[k] = k < slots && one_in(k < 2 ? 2 : slots) ? static_cast<int>(below(32)) : -1;
        }
        return i;
    }

  private:
    std::mt19937 random_;
};

/** The simulator around a collector. The same source makes it do the same with equal registers. */
template <class Collector> struct simulator {
    mock::core core;
    Collector collector;
    source random;
    unsigned uid = 0;
    std::deque<mock::inst> results; // refused ones

    simulator(const wlk_opndcoll_cfg &cfg, unsigned seed) : core(cfg), random(seed) {
        connect(collector, core);
    }

    // The slot; < 0: there is none, and nothing is issued.
    int issue(unsigned kind, const mock::inst &from) {
        mock::reg_set &set = core.id[kind];
        const unsigned slot = core.shape.sub_core != 0u ? from.sched : set.empty_slot();
        if (slot >= set.width() || set.at(slot) != nullptr) {
            return -1;
        }
        *set.slots[slot] = from;
        return static_cast<int>(slot);
    }

    // What was drained; its slot in @p slot.
    mock::inst drain(unsigned kind, unsigned slot) {
        mock::inst &there = *core.ex[kind].slots[slot];
        const mock::inst taken = there;
        there.full = false;
        return taken;
    }

    /** What happens between two steps: results, drains, issue. */
    void between_steps() {
        for (std::size_t n = results.size(); n != 0u; n--) {
            mock::inst result = results.front();
            results.pop_front();
            if (!collector.writeback(result) && random.one_in(2)) {
                results.push_back(result);
            }
        }
        for (unsigned kind = 0; kind < core.shape.kinds; kind++) {
            const unsigned slot = core.ex[kind].oldest();
            if (slot < core.ex[kind].width() && !random.one_in(4)) {
                results.push_back(drain(kind, slot));
            }
            const mock::inst fresh = random.instruction(core, uid + 1u);
            uid += issue(kind, fresh) >= 0 ? 1u : 0u;
        }
    }
};

/* ---- in place ---- */

std::string holds(mock::inst *inst) {
    return inst != nullptr ? "#" + std::to_string(inst->uid) : "empty";
}

/** The first slot in which two cores differ, as the shadow must name it; empty: they do not. */
std::string first_difference(mock::core &good, mock::core &bad) {
    for (int ex = 1; ex >= 0; ex--) {
        for (unsigned kind = 0; kind < good.shape.kinds; kind++) {
            mock::reg_set &a = ex != 0 ? good.ex[kind] : good.id[kind];
            mock::reg_set &b = ex != 0 ? bad.ex[kind] : bad.id[kind];
            for (unsigned slot = 0; slot < a.width(); slot++) {
                if (holds(a.at(slot)) != holds(b.at(slot))) {
                    return std::string(ex != 0 ? "OC_EX " : "ID_OC ") +
                           wlk_opndcoll_kind_name(kind) + " slot " + std::to_string(slot) +
                           " after the step: model " + holds(a.at(slot)) + ", simulator " +
                           holds(b.at(slot));
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
        const wlk_opndcoll_inst inst = {0,          from.uid,    from.wid,        from.sched,
                                        from.lanes, from.non_rf, shape_.operands, from.src};
        return wlk_opndcoll_issue(model, kind, &inst);
    }
    bool writeback(mock::inst &i) {
        return wlk_opndcoll_writeback(model, i.dst, shape_.operands, i.wid, i.sched, i.lanes,
                                      nullptr) == 1;
    }
    void step() {
        reported = {events.data(), static_cast<std::uint32_t>(events.size()), 0};
        wlk_opndcoll_step(model, &reported);
    }

  private:
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
            for (unsigned slot = 0; slot < set.width(); slot++) {
                wlk_opndcoll_held held;
                const mock::inst *inst = set.at(slot);
                const bool there = ex ? wlk_opndcoll_ex_slot(b.model, kind, slot, &held)
                                      : wlk_opndcoll_id_slot(b.model, kind, slot, &held);
                same = there == (inst != nullptr) &&
                       (!there || (inst->uid == held.uid && inst->wid == held.wid)) && same;
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
        same = busy == (unit != nullptr) && (!busy || unit->uid == held.uid) && same;
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
        same = std::memcmp(ours.dst, theirs.dst, sizeof ours.dst) == 0 && same;
        if (!done && w.random.one_in(2)) {
            w.results.push_back(ours);
        }
    }
    for (unsigned kind = 0; kind < w.core.shape.kinds; kind++) {
        mock::reg_set &ex = w.core.ex[kind];
        const bool by_slot = w.core.cfg.revision == V42 && ex.width() != 0u;
        const unsigned slot = by_slot ? w.random.below(ex.width()) : ex.oldest();
        if (slot < ex.width() && ex.at(slot) != nullptr && !w.random.one_in(4)) {
            const mock::inst taken = w.drain(kind, slot);
            const int theirs = by_slot ? wlk_opndcoll_take_slot(p.model, kind, slot, nullptr)
                                       : wlk_opndcoll_take(p.model, kind, nullptr);
            same = theirs == static_cast<int>(slot) && same;
            // It is the very instruction that was issued, with all it carries.
            const mock::inst &was = issued[taken.uid];
            same = std::memcmp(was.src, taken.src, sizeof was.src) == 0 && same;
            w.results.push_back(taken);
            issued.erase(taken.uid);
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

CASE(opndcoll_adapter_in_place_is_the_model) {
    for (const named_cfg &c : configurations()) {
        simulator<in_place> w(c.cfg, 1);
        plain p(c.cfg);
        std::map<unsigned, mock::inst> issued;
        unsigned long seen[3] = {0, 0, 0}; // DISPATCH, GRANT, ALLOCATE
        bool same = true;
        for (unsigned step = 0; step < STEPS && same; step++) {
            same = CHECK_MSG(drive_both(w, p, issued), "%s before step %u", c.name, step);
            w.collector.step();
            p.step();
            same = CHECK_MSG(same_events(w.collector, p), "%s step %u", c.name, step) && same;
            same = CHECK_MSG(same_registers(w.core, p), "%s step %u", c.name, step) && same;
            same = CHECK_MSG(same_units(w.collector, p, w.core.shape.units), "%s", c.name) && same;
            for (unsigned i = 0; i < p.reported.count; i++) {
                seen[p.events[i].what]++;
            }
        }
        wlk_opndcoll_counters counted;
        wlk_opndcoll_counted(p.model, &counted);
        CHECK_MSG(counted.reads == w.core.counted.reads &&
                      counted.writes == w.core.counted.writes &&
                      counted.non_rf == w.core.counted.non_rf,
                  "%s", c.name);
        CHECK_MSG(seen[0] > STEPS / 4 && seen[1] > STEPS / 4 && seen[2] > STEPS / 4,
                  "%s: too little happened: %lu D, %lu G, %lu A", c.name, seen[0], seen[1],
                  seen[2]);
        CHECK_MSG(w.core.made == static_cast<int>(w.core.shape.units), "%s", c.name);
    }
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

typedef warplock::opndcoll_beside<mock::collector, mock::watching_traits> beside;

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
CASE(opndcoll_adapter_beside_is_silent_on_equals) {
    for (const named_cfg &c : configurations()) {
        if (c.cfg.revision == V40) {
            check_silent<beside>(c);
        }
        check_silent<warplock::opndcoll_beside<in_place, mock::watching_traits>>(c);
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
    expected = "step " + std::to_string(step - 1u) + ": " + expected + "\nthe model's last step:\n";
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
    connect(collector, core);
    collector.own().wrong = wrong;
    source random(5);
    mock::inst result = random.instruction(core, 7);
    result.wid = 0;
    std::fill(std::begin(result.dst), std::end(result.dst), -1);
    result.dst[0] = 0;
    result.dst[2] = 1;
    result.dst[3] = 16; // 16 banks: that of R0
    for (unsigned step = 0; step < 40 && collector.difference() == nullptr; step++) {
        mock::inst again = result;
        collector.writeback(again);
        collector.step();
    }
    return collector.difference() != nullptr ? collector.difference()->text() : "";
}

CASE(opndcoll_adapter_beside_compares_writebacks) {
    const std::string what = "step 0: writeback of #7: model refused, left 3:R16, simulator ";
    CHECK(difference_of_writebacks(mock::NO_FAULT).empty());
    CHECK(difference_of_writebacks(mock::WRITE_TWICE) == what + "accepted");
    CHECK(difference_of_writebacks(mock::HIDE_REFUSAL) == what + "accepted, left 3:R16");
    CHECK(difference_of_writebacks(mock::KEEP_DESTINATIONS) ==
          what + "refused, left 0:R0,2:R1,3:R16");
    CHECK(difference_of_writebacks(mock::NO_RELEASE) ==
          "step 16: writeback of #7: model refused, left 3:R16, simulator refused, left "
          "0:R0,2:R1,3:R16");
}

/* ---- pipeline registers that somebody else changed ---- */

template <class Call> std::string error_of(Call call) {
    try {
        call();
    } catch (const warplock::opndcoll_error &error) {
        return error.what();
    }
    return "";
}

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
        connect(collector, core);
        source random(6);
        for (unsigned uid = 1; uid <= 2; uid++) {
            *core.id[WLK_OPNDCOLL_SP].slots[uid - 1u] = random.instruction(core, uid);
        }
        collector.step();
    }
};

template <class Change> void check_change(const std::string &what, Change change) {
    const std::string expected = "step 1: " + what + "\nthe model's last step:\nA 0 SP 0 1\n";
    stage<beside> watched;
    change(watched.core);
    watched.collector.step();
    const warplock::opndcoll_difference *found = watched.collector.difference();
    CHECK_MSG(found != nullptr && found->text() == expected, "%s",
              found != nullptr ? found->text().c_str() : "no difference");

    stage<in_place> moved;
    change(moved.core);
    const std::string text = error_of([&] { moved.collector.step(); });
    CHECK_MSG(text == expected, "%s", text.c_str());
}

CASE(opndcoll_adapter_foreign_changes_are_found) {
    check_change("OC_EX MEM slot 0 before the step: model empty, simulator #9", [](mock::core &c) {
        c.ex[WLK_OPNDCOLL_MEM].slots[0]->full = true;
        c.ex[WLK_OPNDCOLL_MEM].slots[0]->uid = 9;
    });
    check_change("ID_OC SP slot 1 before the step: model #2, simulator empty",
                 [](mock::core &c) { c.id[WLK_OPNDCOLL_SP].slots[1]->full = false; });
    check_change("ID_OC SP slot 1 before the step: model #2, simulator #5",
                 [](mock::core &c) { c.id[WLK_OPNDCOLL_SP].slots[1]->uid = 5; });
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
        {"port 0: there is no register set of SP",
         [](core &, calls &to) { to.ports[0].kinds.clear(); }},
        {"port 0: the configuration has 1 pairs",
         [](core &, calls &to) { to.ports[0].kinds.push_back(WLK_OPNDCOLL_MEM); }},
        {"OC_EX SP has 3 slots; in the configuration it has 2",
         [](core &c, calls &) { c.ex[WLK_OPNDCOLL_SP].resize(3); }},
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
        sources |= one.src[k] >= 0 ? 1u << k : 0u;
    }
    std::snprintf(expected, sizeof expected,
                  "unit 0: #1 of warp %u for SP, waits for operands 0x%x\n", one.wid, sources);
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
        set.swap(set.width() - 1u - slot, unit);
    }
};

struct clumsy_out : mock::traits {
    static void move_out(mock::reg_set &set, unsigned slot, mock::inst *&unit) {
        set.swap(set.width() - 1u - slot, unit);
    }
};

/** Takes an instruction without sources through two steps. */
template <class Traits> std::string move_error() {
    mock::core core(gtx480(V40));
    warplock::opndcoll<Traits> collector;
    connect(collector, core);
    source random(8);
    mock::inst one = random.instruction(core, 1);
    std::fill(std::begin(one.src), std::end(one.src), -1);
    *core.id[WLK_OPNDCOLL_SP].slots[0] = one;
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

CASE(opndcoll_adapter_unknown_scheduler_is_refused) {
    simulator<in_place> w(qv100(V40), 9);
    mock::inst one = w.random.instruction(w.core, 1);
    one.sched = 4;
    CHECK(error_of([&] { w.collector.writeback(one); }) ==
          "writeback of #1: there is no scheduler 4");
    *w.core.id[WLK_OPNDCOLL_SP].slots[3] = one;
    CHECK(error_of([&] { w.collector.step(); }) == "ID_OC SP slot 3: #1: there is no scheduler 4");
}

} // namespace

int main() try { return check_cases(); } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
}
