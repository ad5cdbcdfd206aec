/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file opndcoll_gpgpusim_layout.hpp
 * Part of opndcoll_gpgpusim.hpp: the calls that build a collector, compared with what the
 * configuration makes, and which register set is of which pipe.
 */
#ifndef WARPLOCK_OPNDCOLL_GPGPUSIM_LAYOUT_HPP
#define WARPLOCK_OPNDCOLL_GPGPUSIM_LAYOUT_HPP

#include "warplock/opndcoll_gpgpusim_traits.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace warplock {
namespace detail {

/** The last word of the options of a set: "sp", ..., "gen" for WLK_OPNDCOLL_KINDS. */
inline std::string set_word(unsigned kind) {
    static const char *const words[] = {"sp", "sfu", "mem", "tensor_core", "dp", "int"};
    return kind < WLK_OPNDCOLL_SPEC1 ? words[kind] : "gen";
}

/** The option that brings a pipe into the generic ports; empty: it is always there. */
inline std::string pipe_option(unsigned kind) {
    switch (kind) {
    case WLK_OPNDCOLL_SP:
    case WLK_OPNDCOLL_SFU:
    case WLK_OPNDCOLL_MEM:
        return "";
    case WLK_OPNDCOLL_TENSOR:
        return "-gpgpu_tensor_core_avail";
    case WLK_OPNDCOLL_DP:
        return "-gpgpu_num_dp_units";
    case WLK_OPNDCOLL_INT:
        return "-gpgpu_num_int_units";
    default:
        return "-specialized_unit_" + std::to_string(kind - WLK_OPNDCOLL_SPEC1 + 1u);
    }
}

inline std::string comma(const std::string &list) {
    return list.empty() ? "" : list + ", ";
}

inline std::string kind_names(std::uint32_t kinds) {
    std::string text;
    for (unsigned kind = 0; kind < WLK_OPNDCOLL_KINDS; kind++) {
        if ((kinds >> kind & 1u) != 0u) {
            text = comma(text) + wlk_opndcoll_kind_name(kind);
        }
    }
    return text;
}

/** "TENSOR by -gpgpu_tensor_core_avail, ..." of kinds that an option makes. */
inline std::string kind_options(std::uint32_t kinds) {
    std::string text;
    for (unsigned kind = 0; kind < WLK_OPNDCOLL_KINDS; kind++) {
        if ((kinds >> kind & 1u) != 0u && !pipe_option(kind).empty()) {
            text = comma(text) + wlk_opndcoll_kind_name(kind) + " by " + pipe_option(kind);
        }
    }
    return text;
}

/** The construction calls of a simulator. */
template <class Traits> class opndcoll_layout {
  public:
    typedef typename Traits::set_type set_type;
    typedef std::vector<set_type *> port_vector_t;
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
                                           std::to_string(n) + port_remedy());
            match_port("port " + std::to_string(n), ports_[n], made);
        }
        require(n == ports_.size(), "add_port() was called too often: the configuration has " +
                                        std::to_string(n) + " ports" + port_remedy());
    }

    /** By kind; NULL where no port names it. */
    std::vector<set_type *> id, ex;

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

    static std::string set_remedy() {
        return "; see -gpgpu_enable_specialized_operand_collector";
    }
    static std::string port_remedy() {
        return "; see -gpgpu_operand_collector_num_in_ports_sp ... _gen and "
               "-gpgpu_enable_specialized_operand_collector";
    }

    void match_sets(const wlk_opndcoll_cfg &cfg) const {
        std::map<unsigned, unsigned> seen;
        std::uint32_t n = 0;
        for (wlk_opndcoll_set made; wlk_opndcoll_set_of(&cfg, n, &made); n++) {
            require(n < sets_.size(), "add_cu_set() was called too rarely: the configuration has "
                                      "more sets than " +
                                          std::to_string(n) + set_remedy());
            const cu_set &given = sets_[n];
            const std::string word = set_word(made.kind), option = "-gpgpu_operand_collector_num_";
            require(given.units == made.units && given.dispatch_units == made.dispatch_units,
                    "CU set " + std::to_string(n) + ": added with " +
                        counts(given.units, given.dispatch_units) + "; the configuration has " +
                        counts(made.units, made.dispatch_units) + "; see " + option + "units_" +
                        word + " and " + option + "out_ports_" + word);
            require(seen.insert(std::make_pair(given.id, n)).second,
                    "CU set " + std::to_string(n) + ": its id " + std::to_string(given.id) +
                        " was added before");
        }
        require(n == sets_.size(), "add_cu_set() was called too often: the configuration has " +
                                       std::to_string(n) + " sets" + set_remedy());
    }

    void match_port(const std::string &name, const port &given, const wlk_opndcoll_port &made) {
        require(given.cu_sets.size() == made.n_sets,
                name + ": added with " + std::to_string(given.cu_sets.size()) +
                    " CU sets; the configuration has " + std::to_string(made.n_sets) +
                    port_remedy());
        for (std::size_t i = 0; i < given.cu_sets.size(); i++) {
            const unsigned wanted = sets_[made.sets[i]].id;
            require(given.cu_sets[i] == wanted, name + ": its CU set " + std::to_string(i) +
                                                    " is " + std::to_string(given.cu_sets[i]) +
                                                    "; in the configuration it is " +
                                                    std::to_string(wanted) + port_remedy());
        }
        require(std::count(given.in.begin(), given.in.end(), nullptr) == 0 &&
                    std::count(given.out.begin(), given.out.end(), nullptr) == 0,
                name + ": a register set is NULL");
        match_pairs(name, given, made.kinds);
    }

    void match_pairs(const std::string &name, const port &given, std::uint32_t kinds) {
        std::size_t n = 0;
        for (unsigned kind = 0; kind < WLK_OPNDCOLL_KINDS; kind++) {
            n += kinds >> kind & 1u;
        }
        require(given.in.size() == given.out.size(),
                name + ": " + std::to_string(given.in.size()) + " sets to read from and " +
                    std::to_string(given.out.size()) + " to dispatch to were given");
        require(given.in.size() == n, name + ": given are " + given_names(given.in) +
                                          "; the configuration has " + kind_names(kinds) +
                                          remedy(kinds, given.in.size() > n));
        n = 0;
        for (unsigned kind = 0; kind < WLK_OPNDCOLL_KINDS; kind++) {
            if ((kinds >> kind & 1u) != 0u) {
                bind(name, id, kind, given.in[n]);
                bind(name, ex, kind, given.out[n++]);
            }
        }
    }

    // Options of a generic port: what would make more of its pipes, or has made some.
    static std::string remedy(std::uint32_t kinds, bool is_more_wanted) {
        std::uint32_t asked = kinds;
        if (is_more_wanted) { // specialised pipes are numbered without gaps
            const std::uint32_t specialized = ~kinds & ~((1u << WLK_OPNDCOLL_SPEC1) - 1u);
            asked = (~kinds & ((1u << WLK_OPNDCOLL_SPEC1) - 1u)) | (specialized & -specialized);
        }
        const std::string options = (kinds & (kinds - 1u)) != 0u ? kind_options(asked) : "";
        return options.empty() ? "" : "; options make " + options;
    }

    // A set's kind where a port before it has told it, else its own name, else its width.
    std::string given_names(const port_vector_t &sets) const {
        std::string text;
        for (set_type *set : sets) {
            text = comma(text) + given_name(set);
        }
        return text.empty() ? "none" : text;
    }
    std::string given_name(set_type *set) const {
        const auto known = std::find(id.begin(), id.end(), set);
        if (known != id.end()) {
            return wlk_opndcoll_kind_name(static_cast<unsigned>(known - id.begin()));
        }
        const std::string own = name_of<Traits>::get(*set);
        return own.empty() ? "a set of " + std::to_string(Traits::width(*set)) + " slots" : own;
    }

    static void bind(const std::string &name, std::vector<set_type *> &sets, unsigned kind,
                     set_type *set) {
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

} // namespace detail
} // namespace warplock
#endif
