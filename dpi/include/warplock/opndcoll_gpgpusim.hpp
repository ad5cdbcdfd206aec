/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file opndcoll_gpgpusim.hpp
 * The operand collector as a class for simulators built on GPGPU-Sim: C++11, headers and
 * libwarplock. How to put it in: docs/gpgpusim.md. What it does in a step: opndcoll.h.
 *
 * | class | what it is for |
 * |---|---|
 * | warplock::opndcoll | replaces the simulator's collector |
 * | warplock::opndcoll_beside | the simulator's collector with the model beside it |
 * | warplock::opndcoll_shadow | the model beside a collector, where calls cannot be wrapped |
 *
 * They have the public methods of the original (add_cu_set, add_port, init, step, writeback, dump)
 * and take its place without a change to the calls. They are templates over *traits*, a class that
 * knows the simulator's types: warplock::gpgpusim_traits, or one of the user's
 * (opndcoll_gpgpusim_traits.hpp).
 *
 * **Who holds what.** ID_OC and OC_EX are the simulator's pipeline registers: its issue stage fills
 * ID_OC and its units empty OC_EX, and neither reports it to the collector. So the pipeline
 * registers are looked at before each step (Traits::looks_once_a_cycle(): before the first step of
 * a core cycle): what is new in ID_OC is given to the model, what is gone from OC_EX is taken from
 * it. Between two steps nobody may empty ID_OC or fill OC_EX, as with the original. An instruction
 * is known by its uid, which must differ from those of all others in the collector and its register
 * sets. Its warp, scheduler, sources and lanes are read once, before the first step that sees it.
 *
 * **Order.** First all add_cu_set() and add_port(), then init(), once; after that step() and
 * writeback() wherever and as often as the revision calls them (§8, §12.2: V40 and V32 within the
 * LD/ST unit, V42 in the read-operands stage). An object is one core's. Two threads may use two.
 *
 * **Recordings.** record_to() before the first step, or the environment, lets the object record the
 * live simulation and count statistics (opndcoll_gpgpusim_record.hpp). It costs nothing when off.
 *
 * **Errors.** opndcoll_error is thrown for what the original stops at, for a construction that
 * differs from the configuration, and in place for a pipeline register that somebody else changed:
 * at once where an instruction is to move from or to that slot, else within
 * WARPLOCK_OPNDCOLL_CHECK_EVERY looks. Its text names the call or the slot. After one the object is
 * good for nothing but destruction.
 */
#ifndef WARPLOCK_OPNDCOLL_GPGPUSIM_HPP
#define WARPLOCK_OPNDCOLL_GPGPUSIM_HPP

#include "warplock/opndcoll.h"
#include "warplock/opndcoll_gpgpusim_layout.hpp"
#include "warplock/opndcoll_gpgpusim_record.hpp"
#include "warplock/opndcoll_gpgpusim_traits.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

/** In place, one of so many looks at the pipeline registers compares all that they hold. */
#define WARPLOCK_OPNDCOLL_CHECK_EVERY 64u

namespace warplock {

/** Where a model and a simulator differ. */
struct opndcoll_difference {
    std::string sm;        /**< the core, where the traits tell it, else empty */
    std::string cycle;     /**< the core cycle, likewise */
    std::uint64_t step;    /**< from 0; for a write-back, the step that comes next */
    std::string what;      /**< "OC_EX SP slot 1 after the step", "writeback of #7" ... */
    std::string model;     /**< there: "#12", "empty", "refused, left 2:R4" ... */
    std::string simulator; /**< there */
    std::string events;    /**< what the model did in the last step, a line each: D, G and A with
                                the fields of the recordings; empty before the first step, and where
                                events are not kept */
    std::string state;     /**< both states, a line each pipeline register, unit and bank that is
                                not empty */

    std::string text() const {
        return (sm.empty() ? "" : "SM " + sm + ", ") +
               (cycle.empty() ? "" : "cycle " + cycle + ", ") + "step " + std::to_string(step) +
               ": " + what + ": model " + model + ", simulator " + simulator +
               (events.empty() ? "" : "\nthe model's last step:\n" + events) +
               (events.empty() ? "\n" : "") + state;
    }
};

namespace detail {

inline std::string hash(std::uint32_t uid) {
    return "#" + std::to_string(uid);
}

inline unsigned lowest(std::uint64_t bits) {
    return static_cast<unsigned>(__builtin_ctzll(bits));
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

/** "unit 3: #12 of warp 5 for SP, waits for operands 0,2" and so on, a line each busy one. */
inline std::string unit_lines(const wlk_opndcoll *model, unsigned units) {
    std::string text;
    wlk_opndcoll_held held;
    for (unsigned n = 0; n < units; n++) {
        if (wlk_opndcoll_unit(model, n, &held)) {
            std::string waits;
            for (unsigned k = 0; k < WLK_OPNDCOLL_OPERANDS; k++) {
                waits += (held.pending >> k & 1u) == 0u
                             ? ""
                             : (waits.empty() ? "" : ",") + std::to_string(k);
            }
            text += "unit " + std::to_string(n) + ": " + hash(held.uid) + " of warp " +
                    std::to_string(held.wid) + " for " + wlk_opndcoll_kind_name(held.kind) +
                    (waits.empty() ? ", ready" : ", waits for operands " + waits) + "\n";
        }
    }
    return text;
}

/** "bank 6: R11 for operand 0 of unit 3, R15 ...", front first, and ", written". */
inline std::string bank_lines(const wlk_opndcoll *model, const wlk_opndcoll_shape &shape) {
    std::string text;
    std::vector<wlk_opndcoll_request> queue(shape.units * shape.operands);
    for (unsigned bank = 0; bank < shape.banks; bank++) {
        const std::uint32_t length =
            wlk_opndcoll_queue(model, bank, queue.data(), static_cast<std::uint32_t>(queue.size()));
        std::string line = wlk_opndcoll_written(model, bank) ? "written" : "";
        for (std::uint32_t i = 0; i < length; i++) {
            line = comma(line) + "R" + std::to_string(queue[i].reg) + " for operand " +
                   std::to_string(queue[i].slot) + " of unit " + std::to_string(queue[i].unit);
        }
        text += line.empty() ? "" : "bank " + std::to_string(bank) + ": " + line + "\n";
    }
    return text;
}

/** Registers of an instruction as far as the last that is there. */
struct registers {
    std::int32_t at[WLK_OPNDCOLL_OPERANDS];
    std::uint32_t count; // of those used: what is behind them is not set

    bool operator==(const registers &other) const {
        const std::uint32_t more = count > other.count ? count : other.count;
        bool is_same = true;
        for (std::uint32_t k = 0; k < more && is_same; k++) {
            is_same = get(k) == other.get(k);
        }
        return is_same;
    }
    std::int32_t get(std::uint32_t k) const {
        return k < count && at[k] >= 0 ? at[k] : -1;
    }
};

/** A model that follows the pipeline registers of a simulator. */
template <class Traits> class opndcoll_follower : watching_traits_check<Traits> {
  public:
    typedef typename Traits::inst_type inst_type;
    typedef typename Traits::set_type set_type;
    typedef typename Traits::shader_type shader_type;
    typedef std::vector<set_type *> port_vector_t;
    typedef std::vector<unsigned> uint_vector_t;

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

    /** The core; NULL before init(). */
    shader_type *shader_core() const {
        return shader_;
    }

    /** Events of the last step, in order, valid up to the next one; see keep_events(). */
    const wlk_opndcoll_event *events_begin() const {
        return events_.data();
    }
    const wlk_opndcoll_event *events_end() const {
        return events_.data() + reported_.count;
    }

    /** Keep the events of a step, which costs time; opndcoll does not by default. */
    void keep_events(bool keep) {
        keeps_events_ = keep;
        reported_.count = 0;
    }

    /** Steps made. */
    std::uint64_t steps() const {
        return step_;
    }

    /** Record, or count; before the first step or write-back. What the environment asks for wins.
     * Files that cannot be written are reported on stderr; the simulation goes on. */
    void record_to(const opndcoll_recording &asked) {
        if (is_used_) {
            throw opndcoll_error("record_to() comes before the first step() or writeback()");
        }
        recorder_.ask(asked);
        if (model_ != nullptr) {
            recorder_.open(cfg_, model_, sm_of<Traits>::get(*shader_));
        }
    }

    /** Complete the recording's files now; else it is done at destruction, or at exit(). See
     * wlk_opndcoll_record_close(). */
    wlk_status finish_recording() {
        return recorder_.close();
    }

    /** Print the statistics so far, as a JSON object; false: they are not counted. */
    bool summary(std::FILE *to) const {
        return recorder_.get() != nullptr && wlk_opndcoll_record_summary(recorder_.get(), to);
    }

  protected:
    explicit opndcoll_follower(bool keeps_events)
        : model_(nullptr), shader_(nullptr), shape_(), step_(0), keeps_events_(keeps_events),
          reported_(), cfg_(), is_used_(false) {}
    ~opndcoll_follower() = default;

    void start(unsigned num_banks, shader_type *shader) {
        must_be_open();
        if (shader == nullptr) {
            throw opndcoll_error("init(): the core is NULL");
        }
        wlk_error err;
        wlk_opndcoll_defaults(&cfg_);
        Traits::configure(*shader, cfg_);
        cfg_.num_reg_banks = num_banks;
        if (wlk_opndcoll_check(&cfg_, nullptr, &err) != WLK_OK) {
            throw opndcoll_error(err.text);
        }
        layout_.match(cfg_);
        wlk_opndcoll_shape_of(&cfg_, &shape_);
        check_widths();
        events_.resize(wlk_opndcoll_max_events(&cfg_));
        reported_.at = events_.data();
        reported_.room = static_cast<std::uint32_t>(events_.size());
        memory_.resize((wlk_opndcoll_state_size(&cfg_) + 7u) / 8u);
        shader_ = shader;
        model_ = wlk_opndcoll_init(&cfg_, memory_.data());
        recorder_.open(cfg_, model_, sm_of<Traits>::get(*shader));
    }

    void must_be_started() const {
        if (model_ == nullptr) {
            throw opndcoll_error("init() comes before the first step() or writeback()");
        }
    }

    /** Kinds whose register sets a port names, as bits. */
    bool has_sets(unsigned kind) const {
        return layout_.id[kind] != nullptr;
    }

    void step_model() {
        reported_.count = 0;
        is_used_ = true;
        if (recorder_.get() == nullptr) {
            wlk_opndcoll_step(model_, keeps_events_ ? &reported_ : nullptr);
        } else {
            tell_cycle();
            wlk_opndcoll_record_step(recorder_.get(), &reported_);
        }
        step_++;
    }

    /** Give the model what a slot of ID_OC holds. */
    void put(unsigned kind, unsigned slot, const inst_type &from, std::uint64_t user) {
        registers sources;
        read(sources, [&](unsigned k) { return Traits::source(from, k); });
        wlk_opndcoll_inst inst;
        inst.user = user;
        inst.uid = static_cast<std::uint32_t>(Traits::uid(from));
        inst.wid = static_cast<std::uint32_t>(Traits::wid(from));
        inst.sched = static_cast<std::uint32_t>(Traits::sched(from));
        inst.lanes = lanes_of<Traits>::get(from);
        inst.non_rf = static_cast<std::uint32_t>(non_rf_of<Traits>::get(from));
        inst.n_src = sources.count;
        inst.src = sources.at;
        if (put_model(kind, slot, inst, from) < 0) {
            throw opndcoll_error(slot_name(false, kind, slot) + ": " + hash(inst.uid) +
                                 ": there is no scheduler " + std::to_string(inst.sched));
        }
    }

    void take(unsigned kind, unsigned slot) {
        if (recorder_.get() == nullptr) {
            (void)wlk_opndcoll_take_slot(model_, kind, slot, nullptr);
        } else {
            tell_cycle();
            (void)wlk_opndcoll_record_take_slot(recorder_.get(), kind, slot, nullptr);
        }
    }

    registers destinations(const inst_type &inst) const {
        registers all;
        read(all, [&](unsigned k) { return Traits::destination(inst, k); });
        return all;
    }

    bool write_model(const inst_type &inst, registers &dst) {
        const std::uint32_t wid = static_cast<std::uint32_t>(Traits::wid(inst));
        const std::uint32_t sched = static_cast<std::uint32_t>(Traits::sched(inst));
        const std::uint32_t lanes = lanes_of<Traits>::get(inst);
        std::int32_t answer;
        is_used_ = true;
        if (recorder_.get() == nullptr) {
            answer = wlk_opndcoll_writeback(model_, dst.at, dst.count, wid, sched, lanes, nullptr);
        } else {
            tell_cycle();
            answer = wlk_opndcoll_record_writeback(recorder_.get(),
                                                   static_cast<std::uint32_t>(Traits::uid(inst)),
                                                   dst.at, dst.count, wid, sched, lanes);
        }
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
        if (recorder_.get() != nullptr) {
            wlk_opndcoll_record_stop(
                recorder_.get(), (what + ": model " + model + ", simulator " + simulator).c_str());
        }
        return opndcoll_difference{
            has_sm<Traits>::value ? std::to_string(sm_of<Traits>::get(*shader_)) : "",
            has_cycle<Traits>::value ? std::to_string(cycle_of<Traits>::get(*shader_)) : "",
            step,
            what,
            model,
            simulator,
            lines,
            states()};
    }

    /** Does a slot hold what the model's does? If not, see @p found. */
    bool is_same(bool ex, unsigned kind, unsigned slot, const char *when, std::uint64_t step,
                 opndcoll_difference &found) const {
        const inst_type *inst = Traits::at(ex ? ex_set(kind) : id_set(kind), slot);
        wlk_opndcoll_held held;
        const bool is_there = held_in(ex, kind, slot, held);
        if (is_there == (inst != nullptr) && (!is_there || held.uid == Traits::uid(*inst))) {
            return true;
        }
        found = difference_at(step, slot_name(ex, kind, slot) + when,
                              is_there ? hash(held.uid) : "empty",
                              inst != nullptr ? hash(Traits::uid(*inst)) : "empty");
        return false;
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

    // Most of an instruction's slots are behind the last one used: they are left out four at a
    // time.
    template <class Get> void read(registers &to, Get get) const {
        std::uint32_t n = shape_.operands; // a multiple of 4
        while (n != 0u && (get(n - 4u) & get(n - 3u) & get(n - 2u) & get(n - 1u)) < 0) {
            n -= 4u;
        }
        for (unsigned k = 0; k < n; k++) {
            to.at[k] = get(k);
        }
        while (n != 0u && to.at[n - 1u] < 0) {
            n--;
        }
        to.count = n;
    }

    // The number of the core cycle; without one, as many steps are one as the revision makes.
    void tell_cycle() {
        wlk_opndcoll_record_cycle(recorder_.get(), has_cycle<Traits>::value
                                                       ? cycle_of<Traits>::get(*shader_)
                                                       : step_ / shape_.steps_per_cycle);
    }

    std::int32_t put_model(unsigned kind, unsigned slot, const wlk_opndcoll_inst &inst,
                           const inst_type &from) {
        if (recorder_.get() == nullptr) {
            return wlk_opndcoll_put(model_, kind, slot, &inst);
        }
        const registers dst = destinations(from);
        tell_cycle();
        return wlk_opndcoll_record_put(recorder_.get(), kind, slot, &inst, dst.at, dst.count);
    }

    void check_widths() const {
        for (unsigned kind = 0; kind < shape_.kinds; kind++) {
            if (has_sets(kind)) {
                check_width("ID_OC ", kind, id_set(kind), shape_.id_width[kind]);
                check_width("OC_EX ", kind, ex_set(kind), shape_.ex_width[kind]);
            }
        }
    }

    static void check_width(const char *stage, unsigned kind, const set_type &set, unsigned width) {
        if (Traits::width(set) != width) {
            throw opndcoll_error(
                std::string(stage) + wlk_opndcoll_kind_name(kind) + " has " +
                std::to_string(Traits::width(set)) + " slots; in the configuration it has " +
                std::to_string(width) + ", by " +
                (kind < WLK_OPNDCOLL_SPEC1 ? "-gpgpu_pipeline_widths" : pipe_option(kind)));
        }
    }

    bool held_in(bool ex, unsigned kind, unsigned slot, wlk_opndcoll_held &held) const {
        return ex ? wlk_opndcoll_ex_slot(model_, kind, slot, &held)
                  : wlk_opndcoll_id_slot(model_, kind, slot, &held);
    }

    // Slots as "#12 - #14 -"; empty: nothing is in them.
    std::string model_slots(bool ex, unsigned kind) const {
        std::string text;
        bool any = false;
        for (unsigned slot = 0; slot < width_of(ex, kind); slot++) {
            wlk_opndcoll_held held;
            const bool is_there = held_in(ex, kind, slot, held);
            any = any || is_there;
            text += (slot == 0 ? "" : " ") + (is_there ? hash(held.uid) : "-");
        }
        return any ? text : "";
    }
    std::string simulator_slots(bool ex, unsigned kind) const {
        std::string text;
        bool any = false;
        for (unsigned slot = 0; slot < width_of(ex, kind); slot++) {
            const inst_type *inst = Traits::at(ex ? ex_set(kind) : id_set(kind), slot);
            any = any || inst != nullptr;
            text += (slot == 0 ? "" : " ") + (inst != nullptr ? hash(Traits::uid(*inst)) : "-");
        }
        return any ? text : "";
    }
    unsigned width_of(bool ex, unsigned kind) const {
        return ex ? shape_.ex_width[kind] : shape_.id_width[kind];
    }

    std::string set_lines(bool ex) const {
        std::string text;
        for (unsigned kind = 0; kind < shape_.kinds; kind++) {
            const std::string ours = has_sets(kind) ? model_slots(ex, kind) : "";
            const std::string theirs = has_sets(kind) ? simulator_slots(ex, kind) : "";
            if (!ours.empty() || !theirs.empty()) {
                text +=
                    std::string(ex ? "OC_EX " : "ID_OC ") + wlk_opndcoll_kind_name(kind) + ": " +
                    (ours.empty() ? "empty" : ours) +
                    (ours == theirs ? "" : ", simulator " + (theirs.empty() ? "empty" : theirs)) +
                    "\n";
            }
        }
        return text;
    }

    std::string states() const {
        return "the model's state; pipeline registers of the simulator where they differ:\n" +
               set_lines(false) + unit_lines(model_, shape_.units) + bank_lines(model_, shape_) +
               set_lines(true);
    }

    opndcoll_layout<Traits> layout_;
    std::vector<std::uint64_t> memory_;

  protected:
    wlk_opndcoll *model_;
    shader_type *shader_;

  private:
    wlk_opndcoll_shape shape_;
    std::uint64_t step_;
    bool keeps_events_;
    std::vector<wlk_opndcoll_event> events_;
    wlk_opndcoll_events reported_;
    wlk_opndcoll_cfg cfg_;
    bool is_used_; // a step or a write-back was made
    recorder recorder_;
};

/**
 * Instructions in collector units: objects that are swapped with the slots of register sets. An
 * instruction has a name from the step that finds it in ID_OC to the one that dispatches it.
 */
template <class Traits> class unit_objects {
  public:
    typedef typename Traits::inst_type inst_type;

    unit_objects() {}
    unit_objects(const unit_objects &) = delete;
    unit_objects &operator=(const unit_objects &) = delete;
    ~unit_objects() {
        for (inst_type *object : idle_) {
            Traits::drop(object);
        }
        for (const entry &e : named_) {
            if (e.object != nullptr) {
                Traits::drop(e.object);
            }
        }
    }

    void init(typename Traits::shader_type &core, unsigned units, unsigned slots) {
        named_.assign(units + slots, entry{nullptr, 0});
        for (unsigned name = 0; name < units + slots; name++) {
            names_.push_back(name);
        }
        idle_.reserve(units);
        for (unsigned unit = 0; unit < units; unit++) {
            idle_.push_back(Traits::make(core));
        }
    }

    unsigned new_name(std::uint32_t uid) {
        const unsigned name = names_.back();
        names_.pop_back();
        named_[name].uid = uid;
        return name;
    }
    std::uint32_t uid(unsigned name) const {
        return named_[name].uid;
    }
    /** What a unit holds; NULL before fill(). */
    inst_type *object(unsigned name) const {
        return named_[name].object;
    }

    /** The object of an idle unit is the instruction's from now on; it is empty. */
    inst_type *&fill(unsigned name) {
        named_[name].object = idle_.back();
        idle_.pop_back();
        return named_[name].object;
    }
    /** It is an idle unit's again; the name is free. */
    void empty(unsigned name) {
        idle_.push_back(named_[name].object);
        named_[name].object = nullptr;
        names_.push_back(name);
    }
    inst_type *&held(unsigned name) {
        return named_[name].object;
    }

  private:
    struct entry {
        inst_type *object;
        std::uint32_t uid;
    };
    std::vector<entry> named_;
    std::vector<unsigned> names_;   // not in use
    std::vector<inst_type *> idle_; // objects of idle units
};

} // namespace detail

/** A collector in place of the simulator's: moves its instructions. */
template <class Traits>
class opndcoll : detail::moving_traits_check<Traits>, public detail::opndcoll_follower<Traits> {
    typedef detail::opndcoll_follower<Traits> base;

  public:
    typedef typename base::inst_type inst_type;
    typedef typename base::set_type set_type;
    typedef typename base::shader_type shader_type;

    opndcoll()
        : base(false), kinds_(0), waiting_(0), id_(), ex_(), names_(), counted_(), looks_(0),
          skips_(0), looked_at_(0) {}

    /** @param shader outlives the collector. */
    void init(unsigned num_banks, shader_type *shader) {
        this->start(num_banks, shader);
        unsigned slots = 0;
        for (unsigned kind = 0; kind < this->shape().kinds; kind++) {
            slots += this->shape().id_width[kind];
            kinds_ |= (this->has_sets(kind) ? 1u : 0u) << kind;
        }
        objects_.init(*shader, this->shape().units, slots);
    }

    /** One step (§6): instructions move from ID_OC to units and from units to OC_EX. */
    void step() {
        this->must_be_started();
        if (is_first_of_cycle()) {
            look();
        }
        this->step_model();
        move_dispatched();
        move_allocated();
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
        detail::registers left = this->destinations(inst);
        const bool done = this->write_model(inst, left);
        for (unsigned k = 0; k < left.count; k++) {
            if (left.at[k] != Traits::destination(inst, k)) {
                Traits::drop_destination(inst, k);
            }
        }
        count();
        return done;
    }

    /** What a unit holds; NULL: it is idle, or there is none. */
    const inst_type *unit(unsigned n) const {
        wlk_opndcoll_held held;
        return this->model() != nullptr && wlk_opndcoll_unit(this->model(), n, &held)
                   ? objects_.object(static_cast<unsigned>(held.user))
                   : nullptr;
    }

    /** Print the busy units. */
    void dump(std::FILE *out) const {
        wlk_opndcoll_held held;
        for (unsigned n = 0; n < this->shape().units; n++) {
            if (this->model() != nullptr && wlk_opndcoll_unit(this->model(), n, &held)) {
                std::fprintf(out, "unit %u: #%u of warp %u for %s, waits for operands 0x%x\n", n,
                             held.uid, held.wid, wlk_opndcoll_kind_name(held.kind), held.pending);
            }
        }
    }

  private:
    /* ---- what the simulator did to the pipeline registers ---- */

    // Others may change them between two core cycles. Now and then what the traits say is tried.
    bool is_first_of_cycle() {
        if (!Traits::looks_once_a_cycle() || !detail::has_cycle<Traits>::value) {
            return true;
        }
        const std::uint64_t now = detail::cycle_of<Traits>::get(*this->shader_);
        if (this->steps() == 0u || now != looked_at_) {
            looked_at_ = now;
            return true;
        }
        if (skips_++ % WARPLOCK_OPNDCOLL_CHECK_EVERY == 0u) {
            must_be_unchanged();
        }
        return false;
    }

    void look() {
        for (std::uint32_t kinds = kinds_; kinds != 0u; kinds &= kinds - 1u) {
            const unsigned kind = detail::lowest(kinds);
            look_at_ex(kind);
            look_at_id(kind);
        }
        if (looks_++ % WARPLOCK_OPNDCOLL_CHECK_EVERY == 0u) {
            compare();
        }
    }

    void look_at_id(unsigned kind) {
        set_type &set = this->id_set(kind);
        for (std::uint64_t left = free_in(kind); left != 0u; left &= left - 1u) {
            const unsigned slot = detail::lowest(left);
            const inst_type *inst = Traits::at(set, slot);
            if (inst != nullptr) {
                const unsigned name =
                    objects_.new_name(static_cast<std::uint32_t>(Traits::uid(*inst)));
                this->put(kind, slot, *inst, name);
                names_[kind][slot] = static_cast<std::uint16_t>(name);
                id_[kind] |= bit(slot);
                waiting_ |= 1u << kind;
            }
        }
    }

    void look_at_ex(unsigned kind) {
        for (std::uint64_t left = ex_[kind]; left != 0u; left &= left - 1u) {
            const unsigned slot = detail::lowest(left);
            if (Traits::at(this->ex_set(kind), slot) == nullptr) {
                this->take(kind, slot);
                ex_[kind] ^= bit(slot);
            }
        }
    }

    void must_be_unchanged() {
        for (unsigned kind = 0; kind < this->shape().kinds; kind++) {
            for (unsigned ex = 0; ex < 2u && this->has_sets(kind); ex++) {
                compare_set(ex != 0u, kind,
                            ", changed since the step before in the same core cycle: "
                            "let looks_once_a_cycle() of the traits return false");
            }
        }
    }

    void compare() {
        for (unsigned kind = 0; kind < this->shape().kinds; kind++) {
            if (this->has_sets(kind)) {
                compare_set(false, kind, " before the step");
                compare_set(true, kind, " before the step");
            }
        }
    }

    void compare_set(bool ex, unsigned kind, const char *when) const {
        set_type &set = ex ? this->ex_set(kind) : this->id_set(kind);
        const unsigned width = ex ? this->shape().ex_width[kind] : this->shape().id_width[kind];
        const std::uint64_t held = ex ? ex_[kind] : id_[kind];
        for (unsigned slot = 0; slot < width; slot++) {
            const bool is_held = (held >> slot & 1u) != 0u;
            if ((Traits::at(set, slot) != nullptr) != is_held || is_held) {
                must_be_same(ex, kind, slot, when);
            }
        }
    }

    void must_be_same(bool ex, unsigned kind, unsigned slot, const char *when) const {
        opndcoll_difference found;
        if (!this->is_same(ex, kind, slot, when, this->steps(), found)) {
            throw opndcoll_error(found.text());
        }
    }

    /* ---- what the model did ---- */

    void move_dispatched() {
        for (std::uint32_t kinds = wlk_opndcoll_ex_filled(this->model()) & kinds_; kinds != 0u;
             kinds &= kinds - 1u) {
            const unsigned kind = detail::lowest(kinds);
            const std::uint64_t now = wlk_opndcoll_ex_occupied(this->model(), kind);
            for (std::uint64_t left = now & ~ex_[kind]; left != 0u; left &= left - 1u) {
                dispatch(kind, detail::lowest(left));
            }
            ex_[kind] = now;
        }
    }

    void move_allocated() {
        for (std::uint32_t kinds = waiting_; kinds != 0u; kinds &= kinds - 1u) {
            const unsigned kind = detail::lowest(kinds);
            std::uint64_t gone = id_[kind] & wlk_opndcoll_id_free(this->model(), kind);
            id_[kind] ^= gone;
            waiting_ ^= (id_[kind] == 0u ? 1u : 0u) << kind;
            while (gone != 0u) {
                const unsigned slot = oldest_of(kind, gone);
                allocate(kind, slot);
                gone ^= bit(slot);
            }
        }
    }

    // As a register set's move_out_to() chooses.
    unsigned oldest_of(unsigned kind, std::uint64_t slots) const {
        unsigned best = detail::lowest(slots);
        for (std::uint64_t left = slots & (slots - 1u); left != 0u; left &= left - 1u) {
            const unsigned slot = detail::lowest(left);
            best =
                objects_.uid(names_[kind][slot]) <= objects_.uid(names_[kind][best]) ? slot : best;
        }
        return best;
    }

    void dispatch(unsigned kind, unsigned slot) {
        set_type &set = this->ex_set(kind);
        wlk_opndcoll_held held;
        (void)wlk_opndcoll_ex_slot(this->model(), kind, slot, &held);
        const unsigned name = static_cast<unsigned>(held.user);
        must_hold(Traits::at(set, slot) == nullptr, true, kind, slot, held.uid);
        Traits::move_in(set, slot, objects_.held(name));
        const inst_type *there = Traits::at(set, slot);
        if (there == nullptr || Traits::uid(*there) != held.uid) {
            misplaced("move_in", true, kind, slot, held.uid);
        }
        objects_.empty(name);
    }

    void allocate(unsigned kind, unsigned slot) {
        set_type &set = this->id_set(kind);
        const unsigned name = names_[kind][slot];
        const std::uint32_t uid = objects_.uid(name);
        const inst_type *there = Traits::at(set, slot);
        must_hold(there != nullptr && Traits::uid(*there) == uid, false, kind, slot, uid);
        inst_type *&unit = objects_.fill(name);
        Traits::move_out(set, slot, unit);
        if (Traits::at(set, slot) != nullptr || Traits::uid(*unit) != uid) {
            misplaced("move_out", false, kind, slot, uid);
        }
    }

    // Of a slot that the model is about to move to or from.
    void must_hold(bool condition, bool ex, unsigned kind, unsigned slot, std::uint32_t uid) const {
        if (!condition) {
            const inst_type *there = Traits::at(ex ? this->ex_set(kind) : this->id_set(kind), slot);
            throw opndcoll_error(
                this->difference_at(
                        this->steps() - 1u,
                        base::slot_name(ex, kind, slot) +
                            (ex ? " before " : " before the move of ") +
                            (ex ? detail::hash(uid) + " moves there" : detail::hash(uid)),
                        ex ? "empty" : detail::hash(uid),
                        there != nullptr ? detail::hash(Traits::uid(*there)) : "empty")
                    .text());
        }
    }

    void misplaced(const char *which, bool ex, unsigned kind, unsigned slot,
                   std::uint32_t uid) const {
        throw opndcoll_error(std::string(which) + "() of the traits did not move " +
                             detail::hash(uid) + (ex ? " to " : " from ") +
                             base::slot_name(ex, kind, slot));
    }

    void count() {
        wlk_opndcoll_counters now;
        wlk_opndcoll_counted(this->model(), &now);
        const wlk_opndcoll_counters more = {
            now.reads - counted_.reads, now.writes - counted_.writes, now.non_rf - counted_.non_rf};
        counted_ = now;
        Traits::count(*this->shader_, more);
    }

    std::uint64_t free_in(unsigned kind) const {
        const unsigned width = this->shape().id_width[kind];
        return width == 0u ? 0u : UINT64_MAX >> (64u - width) & ~id_[kind];
    }
    static std::uint64_t bit(unsigned slot) {
        return std::uint64_t(1) << slot;
    }

    std::uint32_t kinds_;                  // with register sets
    std::uint32_t waiting_;                // with an instruction in ID_OC in the model
    std::uint64_t id_[WLK_OPNDCOLL_KINDS]; // slots with an instruction in the model
    std::uint64_t ex_[WLK_OPNDCOLL_KINDS];
    std::uint16_t names_[WLK_OPNDCOLL_KINDS][WLK_OPNDCOLL_MAX_WIDTH]; // of those in ID_OC
    detail::unit_objects<Traits> objects_;
    wlk_opndcoll_counters counted_;
    std::uint64_t looks_, skips_, looked_at_;
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

    opndcoll_shadow() : base(true), differs_(false), found_(), accepted_(false), left_() {}

    /** @p report is called at the first difference; it may throw, or end the simulation. */
    void on_difference(const callback &report) {
        report_ = report;
    }

    /** The first difference; NULL: there is none. */
    const opndcoll_difference *difference() const {
        return differs_ ? &found_ : nullptr;
    }

    /** @param shader outlives the collector. */
    void init(unsigned num_banks, shader_type *shader) {
        this->start(num_banks, shader);
    }

    /** Just before the collector's step: what the simulator did to the pipeline registers. */
    void before_step() {
        this->must_be_started();
        if (!differs_ && !observe()) {
            report();
        }
    }

    /** Just after it: what the collector did to them. */
    void after_step() {
        if (!differs_) {
            this->step_model();
            if (!compare()) {
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
        const detail::registers left = this->destinations(inst);
        if (accepted != accepted_ || !(left == left_)) {
            found_ = this->difference_at(this->steps(),
                                         "writeback of " + detail::hash(Traits::uid(inst)),
                                         outcome(accepted_, left_), outcome(accepted, left));
            report();
        }
    }

  private:
    // Follow what happened to the pipeline registers; false: what cannot be, see found_.
    bool observe() {
        for (unsigned kind = 0; kind < this->shape().kinds; kind++) {
            if (this->has_sets(kind) && !(observe_id(kind) && observe_ex(kind))) {
                return false;
            }
        }
        return true;
    }

    bool observe_id(unsigned kind) {
        for (unsigned slot = 0; slot < this->shape().id_width[kind]; slot++) {
            const inst_type *inst = Traits::at(this->id_set(kind), slot);
            if (inst != nullptr && !wlk_opndcoll_id_slot(this->model_, kind, slot, nullptr)) {
                this->put(kind, slot, *inst, 0);
            } else if (!this->is_same(false, kind, slot, " before the step", this->steps(),
                                      found_)) {
                return false;
            }
        }
        return true;
    }

    bool observe_ex(unsigned kind) {
        for (unsigned slot = 0; slot < this->shape().ex_width[kind]; slot++) {
            if (Traits::at(this->ex_set(kind), slot) == nullptr) {
                this->take(kind, slot);
            } else if (!this->is_same(true, kind, slot, " before the step", this->steps(),
                                      found_)) {
                return false;
            }
        }
        return true;
    }

    // Do the pipeline registers hold what the model's do?
    bool compare() {
        for (int ex = 1; ex >= 0; ex--) { // in the order of a step: dispatch, then allocate
            for (unsigned kind = 0; kind < this->shape().kinds; kind++) {
                if (this->has_sets(kind) && !compare_set(ex != 0, kind)) {
                    return false;
                }
            }
        }
        return true;
    }

    bool compare_set(bool ex, unsigned kind) {
        const unsigned width = ex ? this->shape().ex_width[kind] : this->shape().id_width[kind];
        for (unsigned slot = 0; slot < width; slot++) {
            if (!this->is_same(ex, kind, slot, " after the step", this->steps() - 1u, found_)) {
                return false;
            }
        }
        return true;
    }

    static std::string outcome(bool accepted, const detail::registers &left) {
        std::string text;
        for (unsigned k = 0; k < left.count; k++) {
            if (left.at[k] >= 0) {
                text += (text.empty() ? ", left " : ",") + std::to_string(k) + ":R" +
                        std::to_string(left.at[k]);
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
    detail::registers left_;
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
    void dump(std::FILE *out) const {
        own_.dump(out);
    }

    /** See opndcoll and opndcoll_shadow: of the model beside. */
    void record_to(const opndcoll_recording &asked) {
        shadow_.record_to(asked);
    }
    wlk_status finish_recording() {
        return shadow_.finish_recording();
    }
    bool summary(std::FILE *to) const {
        return shadow_.summary(to);
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
    const Own &own() const {
        return own_;
    }

    /** The model. */
    const shadow_type &shadow() const {
        return shadow_;
    }

    /** The core; NULL before init(). */
    shader_type *shader_core() const {
        return shadow_.shader_core();
    }

  private:
    Own own_;
    shadow_type shadow_;
};

} // namespace warplock
#endif
