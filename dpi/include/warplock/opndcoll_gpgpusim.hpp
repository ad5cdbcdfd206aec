/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file opndcoll_gpgpusim.hpp
 * The operand collector as a class for simulators built on GPGPU-Sim: C++11, this header and
 * libwarplock. How to put it in: docs/gpgpusim.md. What it does in a step: opndcoll.h.
 *
 * | class | what it is for |
 * |---|---|
 * | warplock::opndcoll | replaces the simulator's collector |
 * | warplock::opndcoll_beside | the simulator's collector with the model beside it |
 * | warplock::opndcoll_shadow | the model beside a collector, where calls cannot be wrapped |
 *
 * They have the public methods of the original (add_cu_set, add_port, init, step, writeback, dump)
 * and take its place without a change to the calls. They are templates over *traits*, a class of
 * the user's that knows the simulator's types; opndcoll_traits lists what it has.
 *
 * **Who holds what.** ID_OC and OC_EX are the simulator's pipeline registers: its issue stage fills
 * ID_OC and its units empty OC_EX, and neither reports it to the collector. So the pipeline
 * registers are looked at before each step: what is new in ID_OC is given to the model, what is
 * gone from OC_EX is taken from it. Between two steps nobody may empty ID_OC or fill OC_EX, as with
 * the original. An instruction is known by its uid, which must differ from those of all others in
 * the collector and its register sets. Its warp, scheduler, sources and lanes are read once, before
 * the first step that sees it.
 *
 * **Order.** First all add_cu_set() and add_port(), then init(), once; after that step() and
 * writeback() wherever and as often as the revision calls them (§8, §12.2: V40 and V32 within the
 * LD/ST unit, V42 in the read-operands stage). An object is one core's. Two threads may use two.
 *
 * **Errors.** opndcoll_error is thrown for what the original stops at, for a construction that
 * differs from the configuration, and in place for a pipeline register that somebody else changed.
 * Its text names the call or the slot. After one the object is good for nothing but destruction.
 */
#ifndef WARPLOCK_OPNDCOLL_GPGPUSIM_HPP
#define WARPLOCK_OPNDCOLL_GPGPUSIM_HPP

#include "warplock/opndcoll.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace warplock {

/** What the original stops at, as text. */
class opndcoll_error : public std::runtime_error {
  public:
    explicit opndcoll_error(const std::string &text) : std::runtime_error(text) {}
};

/**
 * What traits have, and the defaults of what they may leave out: derive from this. All are static;
 * only what is used has to be there. A slot is a number below width().
 *
 * All three classes use
 * - types `inst_type`, `set_type`, `shader_type`: an instruction, a register set, a core
 * - `void configure(const shader_type &, wlk_opndcoll_cfg &)`: revision and options; in: the
 *   defaults. The number of banks is init()'s
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
 * Only opndcoll, which moves the instructions itself, uses
 * - `void drop_destination(inst_type &, unsigned k)`: make it -1; never called for V32
 * - `inst_type *make(shader_type &)`: a new empty instruction, for a unit to hold
 * - `void drop(inst_type *)`: destroy it
 * - `void move_out(set_type &, unsigned slot, inst_type *&unit)`: swap ID_OC's slot with the empty
 *   `unit`. The slot is that of the set's oldest instruction
 * - `void move_in(set_type &, unsigned slot, inst_type *&unit)`: swap `unit` with OC_EX's empty
 *   slot, the lowest one but in V42's sub-core model
 *
 * Where the register set's own methods choose the slot, move_out() and move_in() may call them:
 * the collector looks afterwards whether it was the right one.
 */
struct opndcoll_traits {
    /** Active lanes, bit 0 = lane 0; only clock gating looks at them. */
    template <class Inst> static std::uint32_t lanes(const Inst &) {
        return UINT32_MAX;
    }
    /** Operands less register operands, §9. */
    template <class Inst> static unsigned non_rf(const Inst &) {
        return 0;
    }
    /** What one call of step() or writeback() adds to the statistics [lanes]; used by opndcoll. */
    template <class Shader> static void count(Shader &, const wlk_opndcoll_counters &) {}
};

/** Where a model and a simulator differ. */
struct opndcoll_difference {
    std::uint64_t step;    /**< from 0; for a write-back, the step that comes next */
    std::string what;      /**< "OC_EX SP slot 1 after the step", "writeback of #7" ... */
    std::string model;     /**< there: "#12", "empty", "refused, left 2:R4" ... */
    std::string simulator; /**< there */
    std::string events;    /**< what the model did in the last step, a line each: D, G and A with
                                the fields of the recordings; empty before the first step */

    std::string text() const {
        return "step " + std::to_string(step) + ": " + what + ": model " + model + ", simulator " +
               simulator + (events.empty() ? "" : "\nthe model's last step:\n" + events);
    }
};

namespace detail {

inline std::string hash(std::uint32_t uid) {
    return "#" + std::to_string(uid);
}

inline std::string event_line(const wlk_opndcoll_event &e) {
    const std::string at = std::to_string(e.at) + " ", unit = std::to_string(e.unit) + " ";
    const std::string kind = std::string(wlk_opndcoll_kind_name(e.kind)) + " ";
    const std::string slot = std::to_string(e.slot), uid = std::to_string(e.uid);
    switch (e.what) {
    case WLK_OPNDCOLL_DISPATCH:
        return "D " + at + unit + kind + uid + " " + slot + "\n";
    case WLK_OPNDCOLL_GRANT:
        return "G " + at + unit + slot + " " + std::to_string(e.reg) + " " + std::to_string(e.wid) +
               "\n";
    default:
        return "A " + at + kind + unit + uid + "\n";
    }
}

/** The construction calls of a simulator, compared with what its configuration makes. */
template <class Set> class opndcoll_layout {
  public:
    typedef std::vector<Set *> port_vector_t;
    typedef std::vector<unsigned> uint_vector_t;

    void add_cu_set(unsigned set_id, unsigned units, unsigned dispatch_units) {
        sets_.push_back(cu_set{set_id, units, dispatch_units});
    }

    void add_port(const port_vector_t &in, const port_vector_t &out, const uint_vector_t &cu_sets) {
        ports_.push_back(port{in, out, cu_sets});
    }

    /** Find out which register set is of which kind; @p cfg is legal. */
    void match(const wlk_opndcoll_cfg &cfg) {
        id.assign(WLK_OPNDCOLL_KINDS, nullptr);
        ex.assign(WLK_OPNDCOLL_KINDS, nullptr);
        match_sets(cfg);
        std::uint32_t n = 0;
        for (wlk_opndcoll_port made; wlk_opndcoll_port_of(&cfg, n, &made); n++) {
            require(n < ports_.size(), "add_port() was called too rarely: the configuration has "
                                       "more ports than " +
                                           std::to_string(n));
            match_port("port " + std::to_string(n), ports_[n], made);
        }
        require(n == ports_.size(), "add_port() was called too often: the configuration has " +
                                        std::to_string(n) + " ports");
    }

    /** By kind; NULL where no port names it. */
    std::vector<Set *> id, ex;

  private:
    struct cu_set {
        unsigned id, units, dispatch_units;
    };
    struct port {
        port_vector_t in, out;
        uint_vector_t cu_sets;
    };

    static void require(bool condition, const std::string &text) {
        if (!condition) {
            throw opndcoll_error(text);
        }
    }

    static std::string counts(unsigned units, unsigned dispatch_units) {
        return std::to_string(units) + " units and " + std::to_string(dispatch_units) +
               " dispatch units";
    }

    void match_sets(const wlk_opndcoll_cfg &cfg) const {
        std::map<unsigned, unsigned> seen;
        std::uint32_t n = 0;
        for (wlk_opndcoll_set made; wlk_opndcoll_set_of(&cfg, n, &made); n++) {
            require(n < sets_.size(), "add_cu_set() was called too rarely: the configuration has "
                                      "more sets than " +
                                          std::to_string(n));
            const cu_set &given = sets_[n];
            require(given.units == made.units && given.dispatch_units == made.dispatch_units,
                    "CU set " + std::to_string(n) + ": added with " +
                        counts(given.units, given.dispatch_units) + "; the configuration has " +
                        counts(made.units, made.dispatch_units));
            require(seen.insert(std::make_pair(given.id, n)).second,
                    "CU set " + std::to_string(n) + ": its id " + std::to_string(given.id) +
                        " was added before");
        }
        require(n == sets_.size(), "add_cu_set() was called too often: the configuration has " +
                                       std::to_string(n) + " sets");
    }

    void match_port(const std::string &name, const port &given, const wlk_opndcoll_port &made) {
        require(given.cu_sets.size() == made.n_sets,
                name + ": added with " + std::to_string(given.cu_sets.size()) +
                    " CU sets; the configuration has " + std::to_string(made.n_sets));
        for (std::size_t i = 0; i < given.cu_sets.size(); i++) {
            const unsigned wanted = sets_[made.sets[i]].id;
            require(given.cu_sets[i] == wanted, name + ": its CU set " + std::to_string(i) +
                                                    " is " + std::to_string(given.cu_sets[i]) +
                                                    "; in the configuration it is " +
                                                    std::to_string(wanted));
        }
        std::size_t n = 0;
        for (unsigned kind = 0; kind < WLK_OPNDCOLL_KINDS; kind++) {
            if ((made.kinds >> kind & 1u) == 0u) {
                continue;
            }
            require(n < given.in.size() && n < given.out.size(),
                    name + ": there is no register set of " + wlk_opndcoll_kind_name(kind) +
                        ", which the configuration has");
            bind(name, id, kind, given.in[n]);
            bind(name, ex, kind, given.out[n]);
            n++;
        }
        require(n == given.in.size() && n == given.out.size(),
                name + ": the configuration has " + std::to_string(n) + " pairs of register sets");
    }

    static void bind(const std::string &name, std::vector<Set *> &sets, unsigned kind, Set *set) {
        require(set != nullptr, name + ": a register set is NULL");
        for (unsigned other = 0; other < WLK_OPNDCOLL_KINDS; other++) {
            const bool is_same = sets[other] == set;
            require(other == kind ? is_same || sets[kind] == nullptr : !is_same,
                    name + ": the place of " + wlk_opndcoll_kind_name(kind) +
                        " has another register set than a port before it");
        }
        sets[kind] = set;
    }

    std::vector<cu_set> sets_;
    std::vector<port> ports_;
};

/** A model that follows the pipeline registers of a simulator. */
template <class Traits> class opndcoll_follower {
  public:
    typedef typename Traits::inst_type inst_type;
    typedef typename Traits::set_type set_type;
    typedef typename Traits::shader_type shader_type;
    typedef std::vector<set_type *> port_vector_t;
    typedef std::vector<unsigned> uint_vector_t;

    opndcoll_follower() : model_(nullptr), shape_(), step_(0), reported_() {}
    opndcoll_follower(const opndcoll_follower &) = delete;
    opndcoll_follower &operator=(const opndcoll_follower &) = delete;

    /** A set of collector units. All sets of the configuration, also empty ones, in their order. */
    void add_cu_set(unsigned set_id, unsigned num_cu, unsigned num_dispatch) {
        must_be_open();
        layout_.add_cu_set(set_id, num_cu, num_dispatch);
    }

    /** An input port; `input[i]` belongs to `output[i]`. All ports, in their order. */
    void add_port(port_vector_t &input, port_vector_t &output, uint_vector_t cu_sets) {
        must_be_open();
        layout_.add_port(input, output, cu_sets);
    }

    /** The model, for looking into it; NULL before init(). */
    const wlk_opndcoll *model() const {
        return model_;
    }

    /** Events of the last step, in order, valid up to the next one. */
    const wlk_opndcoll_event *events_begin() const {
        return events_.data();
    }
    const wlk_opndcoll_event *events_end() const {
        return events_.data() + reported_.count;
    }

    /** Steps made. */
    std::uint64_t steps() const {
        return step_;
    }

  protected:
    typedef std::vector<std::int32_t> registers;

    void start(unsigned num_banks, const shader_type &shader) {
        must_be_open();
        wlk_opndcoll_cfg cfg;
        wlk_error err;
        wlk_opndcoll_defaults(&cfg);
        Traits::configure(shader, cfg);
        cfg.num_reg_banks = num_banks;
        if (wlk_opndcoll_check(&cfg, nullptr, &err) != WLK_OK) {
            throw opndcoll_error(err.text);
        }
        layout_.match(cfg);
        wlk_opndcoll_shape_of(&cfg, &shape_);
        check_widths();
        source_.resize(shape_.operands);
        events_.resize(wlk_opndcoll_max_events(&cfg));
        reported_.at = events_.data();
        reported_.room = static_cast<std::uint32_t>(events_.size());
        memory_.resize((wlk_opndcoll_state_size(&cfg) + 7u) / 8u);
        model_ = wlk_opndcoll_init(&cfg, memory_.data());
    }

    void must_be_started() const {
        if (model_ == nullptr) {
            throw opndcoll_error("init() comes before the first step() or writeback()");
        }
    }

    /** Follow what happened to the pipeline registers; false: what cannot be, see @p found. */
    bool observe(opndcoll_difference &found) {
        for (unsigned kind = 0; kind < shape_.kinds; kind++) {
            if (layout_.id[kind] != nullptr &&
                !(observe_id(kind, found) && observe_ex(kind, found))) {
                return false;
            }
        }
        return true;
    }

    void step_model() {
        reported_.count = 0;
        wlk_opndcoll_step(model_, &reported_);
        step_++;
    }

    /** Do the pipeline registers hold what the model's do? */
    bool compare(opndcoll_difference &found) const {
        for (int ex = 1; ex >= 0; ex--) { // in the order of a step: dispatch, then allocate
            for (unsigned kind = 0; kind < shape_.kinds; kind++) {
                if (layout_.id[kind] != nullptr && !compare_set(ex != 0, kind, found)) {
                    return false;
                }
            }
        }
        return true;
    }

    registers destinations(const inst_type &inst) const {
        registers all(shape_.operands);
        for (unsigned k = 0; k < shape_.operands; k++) {
            all[k] = Traits::destination(inst, k);
        }
        return all;
    }

    bool write_model(const inst_type &inst, registers &dst) {
        const std::int32_t answer = wlk_opndcoll_writeback(
            model_, dst.data(), shape_.operands, static_cast<std::uint32_t>(Traits::wid(inst)),
            static_cast<std::uint32_t>(Traits::sched(inst)), Traits::lanes(inst), nullptr);
        if (answer == WLK_OPNDCOLL_BAD) {
            throw opndcoll_error("writeback of " + hash(Traits::uid(inst)) +
                                 ": there is no scheduler " + std::to_string(Traits::sched(inst)));
        }
        return answer != 0;
    }

    opndcoll_difference difference_at(std::uint64_t step, const std::string &what,
                                      const std::string &model,
                                      const std::string &simulator) const {
        std::string lines;
        for (const wlk_opndcoll_event *e = events_begin(); e != events_end(); e++) {
            lines += event_line(*e);
        }
        return opndcoll_difference{step, what, model, simulator, lines};
    }

    set_type &id_set(unsigned kind) const {
        return *layout_.id[kind];
    }
    set_type &ex_set(unsigned kind) const {
        return *layout_.ex[kind];
    }
    const wlk_opndcoll_shape &shape() const {
        return shape_;
    }

    static std::string slot_name(bool ex, unsigned kind, unsigned slot) {
        return std::string(ex ? "OC_EX " : "ID_OC ") + wlk_opndcoll_kind_name(kind) + " slot " +
               std::to_string(slot);
    }

  private:
    void must_be_open() const {
        if (model_ != nullptr) {
            throw opndcoll_error("add_cu_set(), add_port() and init() come once, in this order");
        }
    }

    void check_widths() const {
        for (unsigned kind = 0; kind < shape_.kinds; kind++) {
            if (layout_.id[kind] != nullptr) {
                check_width("ID_OC ", kind, id_set(kind), shape_.id_width[kind]);
                check_width("OC_EX ", kind, ex_set(kind), shape_.ex_width[kind]);
            }
        }
    }

    static void check_width(const char *stage, unsigned kind, const set_type &set, unsigned width) {
        if (Traits::width(set) != width) {
            throw opndcoll_error(std::string(stage) + wlk_opndcoll_kind_name(kind) + " has " +
                                 std::to_string(Traits::width(set)) +
                                 " slots; in the configuration it has " + std::to_string(width));
        }
    }

    bool observe_id(unsigned kind, opndcoll_difference &found) {
        for (unsigned slot = 0; slot < shape_.id_width[kind]; slot++) {
            const inst_type *inst = Traits::at(id_set(kind), slot);
            if (inst != nullptr && !wlk_opndcoll_id_slot(model_, kind, slot, nullptr)) {
                put(kind, slot, *inst);
            } else if (!is_same(false, kind, slot, inst, " before the step", step_, found)) {
                return false;
            }
        }
        return true;
    }

    bool observe_ex(unsigned kind, opndcoll_difference &found) {
        for (unsigned slot = 0; slot < shape_.ex_width[kind]; slot++) {
            const inst_type *inst = Traits::at(ex_set(kind), slot);
            if (inst == nullptr) {
                (void)wlk_opndcoll_take_slot(model_, kind, slot, nullptr);
            } else if (!is_same(true, kind, slot, inst, " before the step", step_, found)) {
                return false;
            }
        }
        return true;
    }

    void put(unsigned kind, unsigned slot, const inst_type &from) {
        for (unsigned k = 0; k < shape_.operands; k++) {
            source_[k] = Traits::source(from, k);
        }
        wlk_opndcoll_inst inst = wlk_opndcoll_inst();
        inst.uid = static_cast<std::uint32_t>(Traits::uid(from));
        inst.wid = static_cast<std::uint32_t>(Traits::wid(from));
        inst.sched = static_cast<std::uint32_t>(Traits::sched(from));
        inst.lanes = Traits::lanes(from);
        inst.non_rf = static_cast<std::uint32_t>(Traits::non_rf(from));
        inst.n_src = shape_.operands;
        inst.src = source_.data();
        if (wlk_opndcoll_put(model_, kind, slot, &inst) < 0) {
            throw opndcoll_error(slot_name(false, kind, slot) + ": " + hash(inst.uid) +
                                 ": there is no scheduler " + std::to_string(inst.sched));
        }
    }

    bool compare_set(bool ex, unsigned kind, opndcoll_difference &found) const {
        const unsigned width = ex ? shape_.ex_width[kind] : shape_.id_width[kind];
        for (unsigned slot = 0; slot < width; slot++) {
            const inst_type *inst = Traits::at(ex ? ex_set(kind) : id_set(kind), slot);
            if (!is_same(ex, kind, slot, inst, " after the step", step_ - 1u, found)) {
                return false;
            }
        }
        return true;
    }

    bool is_same(bool ex, unsigned kind, unsigned slot, const inst_type *inst, const char *when,
                 std::uint64_t step, opndcoll_difference &found) const {
        wlk_opndcoll_held held;
        const bool is_there = ex ? wlk_opndcoll_ex_slot(model_, kind, slot, &held)
                                 : wlk_opndcoll_id_slot(model_, kind, slot, &held);
        if (is_there == (inst != nullptr) && (!is_there || held.uid == Traits::uid(*inst))) {
            return true;
        }
        found = difference_at(step, slot_name(ex, kind, slot) + when,
                              is_there ? hash(held.uid) : "empty",
                              inst != nullptr ? hash(Traits::uid(*inst)) : "empty");
        return false;
    }

    opndcoll_layout<set_type> layout_;
    std::vector<std::uint64_t> memory_;
    wlk_opndcoll *model_;
    wlk_opndcoll_shape shape_;
    std::uint64_t step_;
    std::vector<wlk_opndcoll_event> events_;
    wlk_opndcoll_events reported_;
    registers source_;
};

} // namespace detail

/** A collector in place of the simulator's: moves its instructions. */
template <class Traits> class opndcoll : public detail::opndcoll_follower<Traits> {
    typedef detail::opndcoll_follower<Traits> base;

  public:
    typedef typename base::inst_type inst_type;
    typedef typename base::shader_type shader_type;

    opndcoll() : shader_(nullptr), counted_() {}
    ~opndcoll() {
        for (inst_type *unit : units_) {
            Traits::drop(unit);
        }
    }

    /** @param shader outlives the collector. */
    void init(unsigned num_banks, shader_type *shader) {
        this->start(num_banks, *shader);
        shader_ = shader;
        units_.reserve(this->shape().units);
        for (unsigned unit = 0; unit < this->shape().units; unit++) {
            units_.push_back(Traits::make(*shader));
        }
    }

    /** One step (§6): instructions move from ID_OC to units and from units to OC_EX. */
    void step() {
        opndcoll_difference found;
        this->must_be_started();
        if (!this->observe(found)) {
            throw opndcoll_error(found.text());
        }
        this->step_model();
        for (const wlk_opndcoll_event *e = this->events_begin(); e != this->events_end(); e++) {
            if (e->what == WLK_OPNDCOLL_DISPATCH) {
                dispatch(*e);
            } else if (e->what == WLK_OPNDCOLL_ALLOCATE) {
                allocate(*e);
            }
        }
        count();
    }

    /**
     * Write results back (§7).
     *
     * @param inst V40, V42: loses the destinations that were written, also when it is refused.
     * @return true: all are written; false: try again after a step with what is left.
     */
    bool writeback(inst_type &inst) {
        this->must_be_started();
        const typename base::registers before = this->destinations(inst);
        typename base::registers dst = before;
        const bool done = this->write_model(inst, dst);
        for (unsigned k = 0; k < dst.size(); k++) {
            if (dst[k] != before[k]) {
                Traits::drop_destination(inst, k);
            }
        }
        count();
        return done;
    }

    /** What a unit holds; NULL: it is idle, or there is none. */
    const inst_type *unit(unsigned n) const {
        return this->model() != nullptr && wlk_opndcoll_unit(this->model(), n, nullptr) ? units_[n]
                                                                                        : nullptr;
    }

    /** Print the busy units. */
    void dump(std::FILE *out) const {
        wlk_opndcoll_held held;
        for (unsigned n = 0; n < units_.size(); n++) {
            if (wlk_opndcoll_unit(this->model(), n, &held)) {
                std::fprintf(out, "unit %u: #%u of warp %u for %s, waits for operands 0x%x\n", n,
                             held.uid, held.wid, wlk_opndcoll_kind_name(held.kind), held.pending);
            }
        }
    }

  private:
    void dispatch(const wlk_opndcoll_event &e) {
        typename base::set_type &set = this->ex_set(e.kind);
        Traits::move_in(set, e.slot, units_[e.unit]);
        const inst_type *there = Traits::at(set, e.slot);
        if (there == nullptr || Traits::uid(*there) != e.uid) {
            misplaced("move_in", true, e);
        }
    }

    void allocate(const wlk_opndcoll_event &e) {
        typename base::set_type &set = this->id_set(e.kind);
        Traits::move_out(set, e.slot, units_[e.unit]);
        if (Traits::at(set, e.slot) != nullptr || Traits::uid(*units_[e.unit]) != e.uid) {
            misplaced("move_out", false, e);
        }
    }

    void misplaced(const char *which, bool ex, const wlk_opndcoll_event &e) const {
        throw opndcoll_error(std::string(which) + "() of the traits did not move " +
                             detail::hash(e.uid) + (ex ? " to " : " from ") +
                             base::slot_name(ex, e.kind, e.slot));
    }

    void count() {
        wlk_opndcoll_counters now;
        wlk_opndcoll_counted(this->model(), &now);
        const wlk_opndcoll_counters more = {
            now.reads - counted_.reads, now.writes - counted_.writes, now.non_rf - counted_.non_rf};
        counted_ = now;
        Traits::count(*shader_, more);
    }

    shader_type *shader_;
    std::vector<inst_type *> units_;
    wlk_opndcoll_counters counted_;
};

/**
 * The model beside a collector that moves the instructions itself: compares what both do to the
 * pipeline registers and to write-backs.
 *
 * The caller: `before_step(); own.step(); after_step();`, and around each write-back
 * `before_writeback(i); ok = own.writeback(i); after_writeback(i, ok);`. Instructions are not
 * changed. After the first difference the model is out of step: calls do nothing any more.
 */
template <class Traits> class opndcoll_shadow : public detail::opndcoll_follower<Traits> {
    typedef detail::opndcoll_follower<Traits> base;

  public:
    typedef typename base::inst_type inst_type;
    typedef typename base::shader_type shader_type;
    typedef std::function<void(const opndcoll_difference &)> callback;

    opndcoll_shadow() : differs_(false), found_(), accepted_(false) {}

    /** @p report is called at the first difference; it may throw, or end the simulation. */
    void on_difference(const callback &report) {
        report_ = report;
    }

    /** The first difference; NULL: there is none. */
    const opndcoll_difference *difference() const {
        return differs_ ? &found_ : nullptr;
    }

    void init(unsigned num_banks, const shader_type *shader) {
        this->start(num_banks, *shader);
    }

    /** Just before the collector's step: what the simulator did to the pipeline registers. */
    void before_step() {
        this->must_be_started();
        if (!differs_ && !this->observe(found_)) {
            report();
        }
    }

    /** Just after it: what the collector did to them. */
    void after_step() {
        if (!differs_) {
            this->step_model();
            if (!this->compare(found_)) {
                report();
            }
        }
    }

    /** Just before the collector's writeback. */
    void before_writeback(const inst_type &inst) {
        this->must_be_started();
        if (!differs_) {
            left_ = this->destinations(inst);
            accepted_ = this->write_model(inst, left_);
        }
    }

    /** Just after it. @p accepted is what it returned. */
    void after_writeback(const inst_type &inst, bool accepted) {
        if (differs_) {
            return;
        }
        const typename base::registers left = this->destinations(inst);
        if (accepted != accepted_ || left != left_) {
            found_ = this->difference_at(this->steps(),
                                         "writeback of " + detail::hash(Traits::uid(inst)),
                                         outcome(accepted_, left_), outcome(accepted, left));
            report();
        }
    }

  private:
    static std::string outcome(bool accepted, const typename base::registers &left) {
        std::string text;
        for (std::size_t k = 0; k < left.size(); k++) {
            if (left[k] >= 0) {
                text += (text.empty() ? ", left " : ",") + std::to_string(k) + ":R" +
                        std::to_string(left[k]);
            }
        }
        return (accepted ? "accepted" : "refused") + text;
    }

    void report() {
        differs_ = true;
        if (report_) {
            report_(found_);
        }
    }

    callback report_;
    bool differs_;
    opndcoll_difference found_;
    bool accepted_;
    typename base::registers left_;
};

/**
 * The simulator's collector @p Own with the model beside it, to be used in its stead: every call
 * goes to both. Differences: on_difference(), difference().
 */
template <class Own, class Traits> class opndcoll_beside {
  public:
    typedef opndcoll_shadow<Traits> shadow_type;
    typedef typename shadow_type::inst_type inst_type;
    typedef typename shadow_type::shader_type shader_type;
    typedef typename shadow_type::port_vector_t port_vector_t;
    typedef typename shadow_type::uint_vector_t uint_vector_t;

    void add_cu_set(unsigned set_id, unsigned num_cu, unsigned num_dispatch) {
        own_.add_cu_set(set_id, num_cu, num_dispatch);
        shadow_.add_cu_set(set_id, num_cu, num_dispatch);
    }

    void add_port(port_vector_t &input, port_vector_t &output, uint_vector_t cu_sets) {
        own_.add_port(input, output, cu_sets);
        shadow_.add_port(input, output, cu_sets);
    }

    void init(unsigned num_banks, shader_type *shader) {
        own_.init(num_banks, shader);
        shadow_.init(num_banks, shader);
    }

    void step() {
        shadow_.before_step();
        own_.step();
        shadow_.after_step();
    }

    bool writeback(inst_type &inst) {
        shadow_.before_writeback(inst);
        const bool accepted = own_.writeback(inst);
        shadow_.after_writeback(inst, accepted);
        return accepted;
    }

    void dump(std::FILE *out) {
        own_.dump(out);
    }

    /** See opndcoll_shadow. */
    void on_difference(const typename shadow_type::callback &report) {
        shadow_.on_difference(report);
    }
    const opndcoll_difference *difference() const {
        return shadow_.difference();
    }

    /** The simulator's collector, for what only it has. */
    Own &own() {
        return own_;
    }

  private:
    Own own_;
    shadow_type shadow_;
};

} // namespace warplock
#endif
