/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file opndcoll_gpgpusim_traits.hpp
 * How a simulator's types are read by opndcoll_gpgpusim.hpp: warplock::gpgpusim_traits for
 * GPGPU-Sim 4.0 and accel-sim's 4.2 as they are, and what traits of your own must have.
 *
 * | class | what it is for |
 * |---|---|
 * | warplock::gpgpusim_traits | ready-made; derive from it to change one member |
 * | warplock::opndcoll_traits | the base of your own; lists the members |
 * | warplock::opndcoll_no_statistics | the base of your own that counts nothing |
 *
 * A member that is missing or has another type stops the compiler with a line that names it.
 */
#ifndef WARPLOCK_OPNDCOLL_GPGPUSIM_TRAITS_HPP
#define WARPLOCK_OPNDCOLL_GPGPUSIM_TRAITS_HPP

#include "warplock/opndcoll.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace warplock {

/** What the original stops at, as text. */
class opndcoll_error : public std::runtime_error {
  public:
    explicit opndcoll_error(const std::string &text) : std::runtime_error(text) {}
};

/**
 * What traits have: derive from this. All members are static; only what is used has to be there.
 * A slot is a number below width(). None but those of a core are called before init().
 *
 * All three classes use
 * - types `inst_type`, `set_type`, `shader_type`: an instruction, a register set, a core
 * - `void configure(shader_type &, wlk_opndcoll_cfg &)`: revision and options; in: the defaults.
 *   The number of banks is init()'s
 * - `unsigned width(const set_type &)`: slots of a register set
 * - `inst_type *at(set_type &, unsigned slot)`: what it holds; NULL: the slot is empty
 * - `unsigned uid(const inst_type &)`: age: the smaller, the older
 * - `unsigned wid(const inst_type &)`: hardware warp
 * - `unsigned sched(const inst_type &)`: scheduler; below their number in the sub-core model, else
 *   any
 * - `int source(const inst_type &, unsigned k)`: register of operand slot k < 32 (V32: 8);
 *   negative: none
 * - `int destination(const inst_type &, unsigned k)`: likewise
 *
 * and, where the traits have them,
 * - `cycle(shader_type &)`: the core cycle, for the texts of differences
 * - `sm(shader_type &)`: the core's number, likewise
 * - `name(set_type &)`: a register set's name, for messages; empty: none
 *
 * Only opndcoll, which moves the instructions itself, uses
 * - `void drop_destination(inst_type &, unsigned k)`: make it -1; never called for V32
 * - `inst_type *make(shader_type &)`: a new empty instruction, for a unit to hold
 * - `void drop(inst_type *)`: destroy it
 * - `void move_out(set_type &, unsigned slot, inst_type *&unit)`: swap ID_OC's slot with the empty
 *   `unit`. The slot is that of the set's oldest instruction, but with pass_full_sub_core of any:
 *   who sets it in configure() moves by slot
 * - `void move_in(set_type &, unsigned slot, inst_type *&unit)`: swap `unit` with OC_EX's empty
 *   slot, the lowest one but in V42's sub-core model
 * - `std::uint32_t lanes(const inst_type &)`: active lanes, bit 0 = lane 0 (clock gating)
 * - `unsigned non_rf(const inst_type &)`: operands less register operands, §9
 * - `void count(shader_type &, const wlk_opndcoll_counters &)`: what one call of step() or
 *   writeback() adds to the statistics [lanes]
 *
 * The last three are opndcoll_no_statistics' for who wants none.
 *
 * Where the register set's own methods choose the slot, move_out() and move_in() may call them:
 * the collector looks afterwards whether it was the right one.
 */
struct opndcoll_traits {
    /**
     * True: within one core cycle, as cycle() tells it, only the collector changes the pipeline
     * registers between its steps, so that opndcoll looks at them before the first step only. §8
     */
    static bool looks_once_a_cycle() {
        return false;
    }
};

/** For traits of a simulator whose statistics are not to be kept: chosen by name. */
struct opndcoll_no_statistics : opndcoll_traits {
    template <class Inst> static std::uint32_t lanes(const Inst &) {
        return UINT32_MAX;
    }
    template <class Inst> static unsigned non_rf(const Inst &) {
        return 0;
    }
    template <class Shader> static void count(Shader &, const wlk_opndcoll_counters &) {}
};

namespace detail {

template <class> struct void_of { typedef void type; };

// warplock::detail::NAME<T>: is there such an expression, of a usable type?
#define WARPLOCK_DETECT(name, expression)                                                          \
    template <class T, class = void> struct name : std::false_type {};                             \
    template <class T>                                                                             \
    struct name<T, typename void_of<decltype(expression)>::type> : std::true_type {}
#define WARPLOCK_INST std::declval<const typename T::inst_type &>()
#define WARPLOCK_SET  std::declval<typename T::set_type &>()
#define WARPLOCK_CORE std::declval<typename T::shader_type &>()
#define WARPLOCK_HELD std::declval<typename T::inst_type *&>()

template <class T, class = void> struct has_types : std::false_type {};
template <class T>
struct has_types<
    T,
    typename void_of<std::pair<typename T::inst_type *,
                               std::pair<typename T::set_type *, typename T::shader_type *>>>::type>
    : std::true_type {};
WARPLOCK_DETECT(has_configure, T::configure(WARPLOCK_CORE, std::declval<wlk_opndcoll_cfg &>()));
WARPLOCK_DETECT(has_width, static_cast<unsigned>(T::width(WARPLOCK_SET)));
WARPLOCK_DETECT(has_at, static_cast<const typename T::inst_type *>(T::at(WARPLOCK_SET, 0u)));
WARPLOCK_DETECT(has_uid, static_cast<unsigned>(T::uid(WARPLOCK_INST)));
WARPLOCK_DETECT(has_wid, static_cast<unsigned>(T::wid(WARPLOCK_INST)));
WARPLOCK_DETECT(has_sched, static_cast<unsigned>(T::sched(WARPLOCK_INST)));
WARPLOCK_DETECT(has_source, static_cast<int>(T::source(WARPLOCK_INST, 0u)));
WARPLOCK_DETECT(has_destination, static_cast<int>(T::destination(WARPLOCK_INST, 0u)));
WARPLOCK_DETECT(has_cycle, static_cast<std::uint64_t>(T::cycle(WARPLOCK_CORE)));
WARPLOCK_DETECT(has_sm, static_cast<unsigned>(T::sm(WARPLOCK_CORE)));
WARPLOCK_DETECT(has_name, std::string(T::name(WARPLOCK_SET)));
WARPLOCK_DETECT(has_drop_destination,
                T::drop_destination(std::declval<typename T::inst_type &>(), 0u));
WARPLOCK_DETECT(has_make, static_cast<typename T::inst_type *>(T::make(WARPLOCK_CORE)));
WARPLOCK_DETECT(has_drop, T::drop(WARPLOCK_HELD));
WARPLOCK_DETECT(has_move_out, T::move_out(WARPLOCK_SET, 0u, WARPLOCK_HELD));
WARPLOCK_DETECT(has_move_in, T::move_in(WARPLOCK_SET, 0u, WARPLOCK_HELD));
WARPLOCK_DETECT(has_lanes, static_cast<std::uint32_t>(T::lanes(WARPLOCK_INST)));
WARPLOCK_DETECT(has_non_rf, static_cast<unsigned>(T::non_rf(WARPLOCK_INST)));
WARPLOCK_DETECT(has_count, T::count(WARPLOCK_CORE, std::declval<const wlk_opndcoll_counters &>()));
WARPLOCK_DETECT(has_looks_once, static_cast<bool>(T::looks_once_a_cycle()));
// Of a register set: the two lines that gpgpusim_traits needs in it.
WARPLOCK_DETECT(has_slots, static_cast<unsigned>(std::declval<const T &>().slots()));

WARPLOCK_DETECT(has_get_name, std::string(std::declval<T &>().get_name()));

template <class Set, class Inst, class = void> struct has_slot : std::false_type {};
template <class Set, class Inst>
struct has_slot<Set, Inst, typename void_of<decltype(std::declval<Set &>().slot(0u))>::type>
    : std::is_same<Inst *&, decltype(std::declval<Set &>().slot(0u))> {};

#undef WARPLOCK_DETECT
#undef WARPLOCK_INST
#undef WARPLOCK_SET
#undef WARPLOCK_CORE
#undef WARPLOCK_HELD

/** What all three classes need. */
template <class Traits> struct watching_traits_check {
    static_assert(has_types<Traits>::value,
                  "warplock: the traits need typedefs inst_type, set_type and shader_type: the "
                  "simulator's instruction, register set and core");
    static_assert(has_looks_once<Traits>::value,
                  "warplock: derive the traits from warplock::opndcoll_traits, "
                  "warplock::opndcoll_no_statistics or warplock::gpgpusim_traits");
    static_assert(has_configure<Traits>::value,
                  "warplock: the traits need static void configure(shader_type &, "
                  "wlk_opndcoll_cfg &), which sets the revision and the options");
    static_assert(has_width<Traits>::value,
                  "warplock: the traits need static unsigned width(const set_type &): the slots of "
                  "a register set");
    static_assert(has_at<Traits>::value,
                  "warplock: the traits need static inst_type *at(set_type &, unsigned slot): what "
                  "a slot holds, NULL when it is empty");
    static_assert(has_uid<Traits>::value,
                  "warplock: the traits need static unsigned uid(const inst_type &): the age of an "
                  "instruction");
    static_assert(has_wid<Traits>::value,
                  "warplock: the traits need static unsigned wid(const inst_type &): its hardware "
                  "warp");
    static_assert(has_sched<Traits>::value,
                  "warplock: the traits need static unsigned sched(const inst_type &): its "
                  "scheduler");
    static_assert(has_source<Traits>::value,
                  "warplock: the traits need static int source(const inst_type &, unsigned k): the "
                  "register of source slot k, negative where there is none");
    static_assert(has_destination<Traits>::value,
                  "warplock: the traits need static int destination(const inst_type &, unsigned "
                  "k): the register of destination slot k, negative where there is none");
};

/** What opndcoll needs beyond that. */
template <class Traits> struct moving_traits_check : watching_traits_check<Traits> {
    static_assert(has_drop_destination<Traits>::value,
                  "warplock: the traits need static void drop_destination(inst_type &, unsigned "
                  "k), which makes destination slot k -1");
    static_assert(has_make<Traits>::value,
                  "warplock: the traits need static inst_type *make(shader_type &): a new empty "
                  "instruction for a unit to hold");
    static_assert(has_drop<Traits>::value,
                  "warplock: the traits need static void drop(inst_type *), which destroys what "
                  "make() made");
    static_assert(has_move_out<Traits>::value,
                  "warplock: the traits need static void move_out(set_type &, unsigned slot, "
                  "inst_type *&unit), which swaps a slot of ID_OC with the empty unit");
    static_assert(has_move_in<Traits>::value,
                  "warplock: the traits need static void move_in(set_type &, unsigned slot, "
                  "inst_type *&unit), which swaps the unit with an empty slot of OC_EX");
    static_assert(has_count<Traits>::value,
                  "warplock: the traits need static void count(shader_type &, const "
                  "wlk_opndcoll_counters &), which adds to the simulator's statistics; to go "
                  "without them, derive the traits from warplock::opndcoll_no_statistics");
    static_assert(has_lanes<Traits>::value,
                  "warplock: the traits need static std::uint32_t lanes(const inst_type &), the "
                  "active lanes; to go without statistics, derive the traits from "
                  "warplock::opndcoll_no_statistics");
    static_assert(has_non_rf<Traits>::value,
                  "warplock: the traits need static unsigned non_rf(const inst_type &), operands "
                  "less register operands; to go without statistics, derive the traits from "
                  "warplock::opndcoll_no_statistics");
};

/* ---- members that traits may leave out ---- */

template <class Traits, bool = has_cycle<Traits>::value> struct cycle_of {
    static std::uint64_t get(typename Traits::shader_type &core) {
        return static_cast<std::uint64_t>(Traits::cycle(core));
    }
};
template <class Traits> struct cycle_of<Traits, false> {
    static std::uint64_t get(typename Traits::shader_type &) {
        return 0;
    }
};

template <class Traits, bool = has_sm<Traits>::value> struct sm_of {
    static unsigned get(typename Traits::shader_type &core) {
        return static_cast<unsigned>(Traits::sm(core));
    }
};
template <class Traits> struct sm_of<Traits, false> {
    static unsigned get(typename Traits::shader_type &) {
        return 0;
    }
};

template <class Traits, bool = has_name<Traits>::value> struct name_of {
    static std::string get(typename Traits::set_type &set) {
        return Traits::name(set);
    }
};
template <class Traits> struct name_of<Traits, false> {
    static std::string get(typename Traits::set_type &) {
        return "";
    }
};

template <class Traits, bool = has_lanes<Traits>::value> struct lanes_of {
    static std::uint32_t get(const typename Traits::inst_type &inst) {
        return Traits::lanes(inst);
    }
};
template <class Traits> struct lanes_of<Traits, false> {
    static std::uint32_t get(const typename Traits::inst_type &) {
        return UINT32_MAX;
    }
};

template <class Traits, bool = has_non_rf<Traits>::value> struct non_rf_of {
    static unsigned get(const typename Traits::inst_type &inst) {
        return static_cast<unsigned>(Traits::non_rf(inst));
    }
};
template <class Traits> struct non_rf_of<Traits, false> {
    static unsigned get(const typename Traits::inst_type &) {
        return 0;
    }
};

template <class Set, bool = has_get_name<Set>::value> struct own_name_of {
    static std::string get(Set &set) {
        return set.get_name();
    }
};
template <class Set> struct own_name_of<Set, false> {
    static std::string get(Set &) {
        return "";
    }
};

/* ---- the options of GPGPU-Sim, as it has parsed them ---- */

template <class T> T &referred(T *pointer) {
    return *pointer;
}
template <class T> const T &referred(const T &there) {
    return there;
}

template <class T> std::uint32_t number(T option) {
    return static_cast<std::uint32_t>(option);
}

template <class Config> void read_collectors(const Config &from, wlk_opndcoll_cfg &cfg) {
    cfg.enable_specialized_operand_collector = from.enable_specialized_operand_collector ? 1u : 0u;
#define WARPLOCK_COLLECTORS(kind)                                                                  \
    cfg.operand_collector_num_units_##kind =                                                       \
        number(from.gpgpu_operand_collector_num_units_##kind);                                     \
    cfg.operand_collector_num_in_ports_##kind =                                                    \
        number(from.gpgpu_operand_collector_num_in_ports_##kind);                                  \
    cfg.operand_collector_num_out_ports_##kind =                                                   \
        number(from.gpgpu_operand_collector_num_out_ports_##kind)
    WARPLOCK_COLLECTORS(sp);
    WARPLOCK_COLLECTORS(dp);
    WARPLOCK_COLLECTORS(sfu);
    WARPLOCK_COLLECTORS(int);
    WARPLOCK_COLLECTORS(tensor_core);
    WARPLOCK_COLLECTORS(mem);
    WARPLOCK_COLLECTORS(gen);
#undef WARPLOCK_COLLECTORS
}

template <class Config> void read_pipes(const Config &from, wlk_opndcoll_cfg &cfg) {
    cfg.tensor_core_avail = from.gpgpu_tensor_core_avail ? 1u : 0u;
    cfg.num_dp_units = number(from.gpgpu_num_dp_units);
    cfg.num_int_units = number(from.gpgpu_num_int_units);
    // The simulator reads the two widths of tensor cores only where it has some. §2
    const unsigned known = cfg.tensor_core_avail != 0u ? WLK_OPNDCOLL_WIDTHS : 11u;
    for (unsigned i = 0; i < known; i++) {
        cfg.pipeline_widths[i] = number(from.pipe_widths[i]);
    }
}

template <class Config> void read_specialized(const Config &from, wlk_opndcoll_cfg &cfg) {
    std::size_t n = 0;
    for (const auto &unit : from.m_specialized_unit) {
        if (n == WLK_OPNDCOLL_SPECIALIZED) {
            throw opndcoll_error("-specialized_unit_" + std::to_string(n + 1u) +
                                 ": there are at most " + std::to_string(n));
        }
        wlk_opndcoll_specialized &to = cfg.specialized_unit[n++];
        to.enabled = 1;
        to.num_units = number(unit.num_units);
        to.latency = number(unit.latency);
        to.id_width = number(unit.id_oc_spec_reg_width);
        to.ex_width = number(unit.oc_ex_spec_reg_width);
        std::snprintf(to.name, sizeof to.name, "%.*s", static_cast<int>(sizeof to.name) - 1,
                      unit.name);
    }
}

/**
 * The configuration from GPGPU-Sim's shader_core_config, whose fields V40 and V42 call the same.
 * What decides only how often the simulator steps is left at its default, but for
 * reg_file_port_throughput.
 */
template <class Config> void read_config(const Config &from, wlk_opndcoll_cfg &cfg) {
    cfg.num_sched_per_core = number(from.gpgpu_num_sched_per_core);
    cfg.sub_core_model = from.sub_core_model ? 1u : 0u;
    cfg.reg_file_port_throughput = number(from.reg_file_port_throughput);
    cfg.shader_core_pipeline[0] = number(from.n_thread_per_shader);
    cfg.shader_core_pipeline[1] = number(from.warp_size);
    cfg.clock_gated_reg_file = from.gpgpu_clock_gated_reg_file ? 1u : 0u;
    cfg.n_regfile_gating_group = number(from.n_regfile_gating_group);
    read_collectors(from, cfg);
    read_pipes(from, cfg);
    read_specialized(from, cfg);
}

} // namespace detail

/**
 * GPGPU-Sim 4.0 and accel-sim's 4.2 as they are, register file statistics included:
 * `gpgpusim_traits<warp_inst_t, register_set, shader_core_ctx, WLK_OPNDCOLL_V40>`.
 *
 * It stands where the simulator defines its collector: @p Inst and @p Set are complete there,
 * @p Core need not be. The options are those that the simulator has parsed (`get_config()`), from
 * whatever files and arguments. Two lines are added to `register_set`, whose slots are private:
 *
 *     unsigned slots() const { return regs.size(); }
 *     warp_inst_t *&slot(unsigned i) { return regs[i]; }
 *
 * @tparam Revision WLK_OPNDCOLL_V40 or WLK_OPNDCOLL_V42. V32 has other fields: traits of your own.
 */
template <class Inst, class Set, class Core, wlk_opndcoll_revision Revision>
struct gpgpusim_traits : opndcoll_traits {
    static_assert(Revision == WLK_OPNDCOLL_V40 || Revision == WLK_OPNDCOLL_V42,
                  "warplock: gpgpusim_traits is for WLK_OPNDCOLL_V40 and WLK_OPNDCOLL_V42; for V32 "
                  "derive traits of your own from warplock::opndcoll_traits");
    static_assert(detail::has_slots<Set>::value && detail::has_slot<Set, Inst>::value,
                  "warplock: add to register_set the two lines "
                  "unsigned slots() const { return regs.size(); } "
                  "warp_inst_t *&slot(unsigned i) { return regs[i]; }");

    typedef Inst inst_type;
    typedef Set set_type;
    typedef Core shader_type;

    static void configure(Core &core, wlk_opndcoll_cfg &cfg) {
        cfg.revision = Revision;
        detail::read_config(detail::referred(core.get_config()), cfg);
    }
    static std::uint64_t cycle(Core &core) {
        return static_cast<std::uint64_t>(core.get_gpu()->gpu_sim_cycle) +
               static_cast<std::uint64_t>(core.get_gpu()->gpu_tot_sim_cycle);
    }
    static unsigned sm(Core &core) {
        return core.get_sid();
    }

    static unsigned width(const Set &set) {
        return static_cast<unsigned>(set.slots());
    }
    static Inst *at(Set &set, unsigned slot) {
        Inst *there = set.slot(slot);
        return there->empty() ? nullptr : there;
    }
    static std::string name(Set &set) {
        return detail::own_name_of<Set>::get(set);
    }
    static unsigned uid(const Inst &i) {
        return i.get_uid();
    }
    static unsigned wid(const Inst &i) {
        return i.warp_id();
    }
    static unsigned sched(const Inst &i) {
        return i.get_schd_id();
    }
    static int source(const Inst &i, unsigned k) {
        return i.arch_reg.src[k];
    }
    static int destination(const Inst &i, unsigned k) {
        return i.arch_reg.dst[k];
    }

    static void drop_destination(Inst &i, unsigned k) {
        i.arch_reg.dst[k] = -1;
    }
    static Inst *make(Core &core) {
        return new Inst(&detail::referred(core.get_config()));
    }
    static void drop(Inst *i) {
        delete i;
    }
    static void move_out(Set &set, unsigned slot, Inst *&unit) {
        std::swap(set.slot(slot), unit);
    }
    static void move_in(Set &set, unsigned slot, Inst *&unit) {
        std::swap(set.slot(slot), unit);
    }

    static std::uint32_t lanes(const Inst &i) {
        return static_cast<std::uint32_t>(i.get_active_mask().to_ulong());
    }
    static unsigned non_rf(const Inst &i) {
        return i.get_num_operands() - i.get_num_regs();
    }
    static void count(Core &core, const wlk_opndcoll_counters &more) {
        if (more.reads != 0u) {
            core.incregfile_reads(static_cast<unsigned>(more.reads));
        }
        if (more.writes != 0u) {
            core.incregfile_writes(static_cast<unsigned>(more.writes));
        }
        if (more.non_rf != 0u) {
            core.incnon_rf_operands(static_cast<unsigned>(more.non_rf));
        }
    }

    /** True: so it is in both revisions. §8 */
    static bool looks_once_a_cycle() {
        return true;
    }
};

} // namespace warplock
#endif
