/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file mock_gpgpusim.hpp
 * As much of a simulator's core as an operand collector sees: instructions, pipeline register sets
 * and the calls that build a collector; and a collector of its own, V40, from gpgpusim-opndcoll,
 * which can be made to misbehave. It is written as a simulator would, lists and maps and the whole
 * square of the arbiter, so that the model's speed is compared with its (tests/bench).
 */
#ifndef WARPLOCK_MOCK_GPGPUSIM_HPP
#define WARPLOCK_MOCK_GPGPUSIM_HPP

#include "warplock/opndcoll_gpgpusim.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <list>
#include <memory>

namespace mock {

constexpr unsigned operands = 32;

struct inst {
    bool full = false;
    std::uint32_t uid = 0, wid = 0, sched = 0, lanes = 0, non_rf = 0;
    int src[operands], dst[operands];
};

/** A register set; slots point to instructions, empty ones among them. */
struct reg_set {
    std::vector<std::unique_ptr<inst>> slots;

    void resize(unsigned width) {
        slots.clear();
        for (unsigned i = 0; i < width; i++) {
            slots.emplace_back(new inst());
        }
    }
    inst *at(unsigned slot) {
        return slots[slot]->full ? slots[slot].get() : nullptr;
    }
    unsigned width() const {
        return static_cast<unsigned>(slots.size());
    }
    /** The lowest empty slot; width(): none. */
    unsigned empty_slot() {
        unsigned slot = 0;
        while (slot < width() && slots[slot]->full) {
            slot++;
        }
        return slot;
    }
    /** The oldest instruction's slot; width(): none. */
    unsigned oldest() {
        unsigned best = width();
        for (unsigned slot = 0; slot < width(); slot++) {
            if (slots[slot]->full && (best == width() || slots[slot]->uid < slots[best]->uid)) {
                best = slot;
            }
        }
        return best;
    }
    void swap(unsigned slot, inst *&other) {
        inst *mine = slots[slot].release();
        slots[slot].reset(other);
        other = mine;
    }
};

struct core {
    wlk_opndcoll_cfg cfg;
    wlk_opndcoll_shape shape;
    reg_set id[WLK_OPNDCOLL_KINDS], ex[WLK_OPNDCOLL_KINDS];
    wlk_opndcoll_counters counted = {0, 0, 0};
    int made = 0;

    explicit core(const wlk_opndcoll_cfg &options) : cfg(options) {
        wlk_opndcoll_shape_of(&cfg, &shape);
        for (unsigned kind = 0; kind < shape.kinds; kind++) {
            id[kind].resize(shape.id_width[kind]);
            ex[kind].resize(shape.ex_width[kind]);
        }
    }
};

/** Enough for a collector that is only watched. */
struct watching_traits : warplock::opndcoll_traits {
    typedef inst inst_type;
    typedef reg_set set_type;
    typedef core shader_type;

    static void configure(const core &c, wlk_opndcoll_cfg &cfg) {
        cfg = c.cfg;
        cfg.num_reg_banks = 0; // is init()'s
    }
    static unsigned width(const reg_set &set) {
        return set.width();
    }
    static inst *at(reg_set &set, unsigned slot) {
        return set.at(slot);
    }
    static unsigned uid(const inst &i) {
        return i.uid;
    }
    static unsigned wid(const inst &i) {
        return i.wid;
    }
    static unsigned sched(const inst &i) {
        return i.sched;
    }
    static int source(const inst &i, unsigned k) {
        return i.src[k];
    }
    static int destination(const inst &i, unsigned k) {
        return i.dst[k];
    }
};

/** All of it. */
struct traits : watching_traits {
    static std::uint32_t lanes(const inst &i) {
        return i.lanes;
    }
    static unsigned non_rf(const inst &i) {
        return i.non_rf;
    }
    static void drop_destination(inst &i, unsigned k) {
        i.dst[k] = -1;
    }
    static inst *make(core &c) {
        c.made++;
        return new inst();
    }
    static void drop(inst *i) {
        delete i;
    }
    static void move_out(reg_set &set, unsigned slot, inst *&unit) {
        set.swap(slot, unit);
    }
    static void move_in(reg_set &set, unsigned slot, inst *&unit) {
        set.swap(slot, unit);
    }
    static void count(core &c, const wlk_opndcoll_counters &more) {
        c.counted.reads += more.reads;
        c.counted.writes += more.writes;
        c.counted.non_rf += more.non_rf;
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
        for (int &reg : i.dst) {
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
    void dump(std::FILE *) {}

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
        const unsigned x = static_cast<unsigned>(reg) + i.wid;
        const unsigned all = static_cast<unsigned>(banks_.size());
        if (core_->shape.sub_core == 0u) {
            return x % all;
        }
        const unsigned share = all / core_->shape.schedulers;
        return x % share + i.sched * share;
    }

    void dispatch(du &d) {
        const std::vector<cu *> &set = sets_[d.set];
        const unsigned n = static_cast<unsigned>(set.size());
        for (unsigned k = wrong == SCAN_FROM_LAST ? 0 : 1; k <= n; k++) {
            const unsigned at = (d.last + k) % n;
            cu &c = *set[at];
            if (c.held->full && c.pending == 0u && c.out->empty_slot() < c.out->width()) {
                unsigned slot = c.out->empty_slot();
                for (unsigned s = slot; wrong == HIGHEST_SLOT && s < c.out->width(); s++) {
                    slot = c.out->at(s) == nullptr ? s : slot;
                }
                inst *moved = c.held.release();
                c.out->swap(slot, moved);
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
            while (kind < p.in.size() && p.in[kind]->oldest() == p.in[kind]->width()) {
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
                if (!c->held->full) {
                    return c;
                }
            }
        }
        return nullptr;
    }

    void fill(cu &c, reg_set &from, reg_set *out) {
        unsigned slot = from.oldest();
        for (unsigned s = 0; wrong == YOUNGEST_FIRST && s < from.width(); s++) {
            slot = from.at(s) != nullptr && from.at(s)->uid > from.at(slot)->uid ? s : slot;
        }
        inst *moved = c.held.release();
        from.swap(slot, moved);
        c.held.reset(moved);
        c.out = out;
        for (unsigned k = 0; k < operands; k++) {
            if (moved->src[k] >= 0) {
                c.pending |= 1u << k;
                c.source[k] = operand{true, &c, k, moved->src[k]};
                banks_[bank_of(moved->src[k], *moved)].queue.push_back(c.source[k]);
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
