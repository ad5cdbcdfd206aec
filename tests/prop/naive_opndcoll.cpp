// SPDX-License-Identifier: Apache-2.0
// GPGPU-Sim's operand collector a second time: plain, slow, and written from the spec alone
// (gpgpusim-opndcoll). It keeps the shape a simulator gives such a unit: lists as queues, maps of
// sets, the whole square of the arbiter scanned in every step, whatever the revision.
//
//   naive_opndcoll [--revision v40|v42|v32] [--config FILE] [--state] [--stats] STIM
//       plays a stimulus and prints what happens
//   naive_opndcoll [--revision R] [--config FILE] --bench saturate STEPS
//       prints one JSON object: the CPU time of a saturated step, and what such a step does
#include <algorithm>
#include <array>
#include <bitset>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <deque>
#include <fstream>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

enum class Revision { v32, v40, v42 };

// Pipe kinds in the order in which the text formats list them; SPECn is first_spec + n - 1.
enum Kind { SP, DP, INT, SFU, MEM, TENSOR, first_spec, max_kinds = first_spec + 8 };

enum class CuSet { gen, sp, dp, tensor, sfu, mem, integer };

constexpr int max_operands = 32;     // 8 in V32
constexpr size_t max_drained = 4096; // entries that a queue of drained instructions keeps

const std::string no_name;

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Text is only put together where it is thrown: the hot paths check too.
void require(bool condition, const char *what, const std::string &name = no_name) {
    if (!condition) {
        throw Error(name.empty() ? what : name + ": " + what);
    }
}

const char *kind_name(int kind) {
    static const char *const names[max_kinds] = {"SP",     "DP",    "INT",   "SFU",   "MEM",
                                                 "TENSOR", "SPEC1", "SPEC2", "SPEC3", "SPEC4",
                                                 "SPEC5",  "SPEC6", "SPEC7", "SPEC8"};
    return names[kind];
}

std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

int to_int(const std::string &text) {
    size_t used = 0;
    int value = 0;
    try {
        value = std::stoi(text, &used);
    } catch (const std::logic_error &) {
        throw Error(text + ": not a number");
    }
    require(used == text.size(), "not a number", text);
    return value;
}

// ---- Configuration (spec §2) --------------------------------------------------------------------

// An option file: `-name value` pairs in any layout, `#` to the end of a line is a comment.
class Options {
  public:
    void read(const std::string &path) {
        std::ifstream file(path);
        require(file.good(), "cannot be read", path);
        std::vector<std::string> words;
        for (std::string line; std::getline(file, line);) {
            std::istringstream stream(line.substr(0, line.find('#')));
            for (std::string word; stream >> word;) {
                words.push_back(word);
            }
        }
        require(words.size() % 2 == 0, "an option without its value", path);
        for (size_t i = 0; i < words.size(); i += 2) {
            require(words[i][0] == '-', "not an option", words[i]);
            m_values[words[i].substr(1)] = words[i + 1];
        }
    }

    std::string text(const std::string &name, const std::string &otherwise) const {
        const auto found = m_values.find(name);
        return found == m_values.end() ? otherwise : found->second;
    }

    int number(const std::string &name, int otherwise) const {
        return to_int(text("gpgpu_" + name, std::to_string(otherwise)));
    }

  private:
    std::map<std::string, std::string> m_values;
};

struct SetSize {
    int units, in_ports, out_ports;
};

struct Config {
    Revision revision = Revision::v40;
    int banks = 0, schedulers = 0, throughput = 0, warp_size = 0;
    bool sub_core = false, specialized = true;
    bool has_tensor = false, has_dp = false, has_int = false;
    int kinds = first_spec; // those that have register sets
    std::array<int, max_kinds> id_width{}, ex_width{};
    std::map<CuSet, SetSize> sets;

    Config(Revision wanted, const Options &options);
    bool sub_core_v42() const {
        return sub_core && revision == Revision::v42;
    }
    int operands() const {
        return revision == Revision::v32 ? 8 : max_operands;
    }

  private:
    void read_sets(const Options &options);
    void read_widths(const Options &options);
    void read_specialized_units(const Options &options);
};

Config::Config(Revision wanted, const Options &options) : revision(wanted) {
    const bool old = revision == Revision::v32;
    banks = options.number("num_reg_banks", 8);
    schedulers = options.number("num_sched_per_core", 1);
    throughput = options.number("reg_file_port_throughput", 1);
    sub_core = !old && options.number("sub_core_model", 0) != 0;
    specialized = old || options.number("enable_specialized_operand_collector", 1) != 0;
    has_tensor = !old && options.number("tensor_core_avail", 0) != 0;
    has_dp = !old && options.number("num_dp_units", 0) > 0;
    has_int = !old && options.number("num_int_units", 0) > 0;
    const auto pipeline = split(options.text("gpgpu_shader_core_pipeline", "1024:32"), ':');
    require(pipeline.size() == 2, "shader_core_pipeline is not T:W");
    warp_size = to_int(pipeline[1]);
    require(warp_size >= 1 && warp_size <= 32, "warp size beyond 1..32");
    require(banks >= 1 && schedulers >= 1 && throughput >= 1, "no banks, schedulers or steps");
    require(!sub_core || banks % schedulers == 0, "banks are not a multiple of schedulers");
    read_sets(options);
    read_widths(options);
    if (!old) {
        read_specialized_units(options);
    }
}

void Config::read_sets(const Options &options) {
    struct Default {
        const char *name;
        CuSet set;
        int units, ports;
        bool in_v32;
    };
    static const Default defaults[] = {
        {"gen", CuSet::gen, 0, 0, true},      {"sp", CuSet::sp, 4, 1, true},
        {"dp", CuSet::dp, 0, 0, false},       {"tensor_core", CuSet::tensor, 4, 1, false},
        {"sfu", CuSet::sfu, 4, 1, true},      {"mem", CuSet::mem, 2, 1, true},
        {"int", CuSet::integer, 0, 0, false},
    };
    for (const Default &one : defaults) {
        if (revision == Revision::v32 ? !one.in_v32 : one.set != CuSet::gen && !specialized) {
            continue;
        }
        const auto number = [&](const char *what, int otherwise) {
            return options.number(
                std::string("operand_collector_num_").append(what).append(one.name), otherwise);
        };
        sets[one.set] = {number("units_", one.units), number("in_ports_", one.ports),
                         number("out_ports_", one.ports)};
    }
}

void Config::read_widths(const Options &options) {
    const auto words =
        split(options.text("gpgpu_pipeline_widths", "1,1,1,1,1,1,1,1,1,1,1,1,1"), ',');
    std::vector<int *> order; // nullptr: EX_WB, which the collector does not see
    if (revision == Revision::v32) {
        order = {&id_width[SP], &id_width[SFU], &id_width[MEM],
                 &ex_width[SP], &ex_width[SFU], &ex_width[MEM]};
    } else {
        order = {&id_width[SP], &id_width[DP], &id_width[INT], &id_width[SFU], &id_width[MEM],
                 &ex_width[SP], &ex_width[DP], &ex_width[INT], &ex_width[SFU], &ex_width[MEM]};
        if (has_tensor) {
            order.insert(order.end(), {nullptr, &id_width[TENSOR], &ex_width[TENSOR]});
        }
    }
    require(words.size() >= order.size(), "too few pipeline_widths");
    for (size_t i = 0; i < order.size(); i++) {
        if (order[i] != nullptr) {
            *order[i] = to_int(words[i]);
        }
    }
}

void Config::read_specialized_units(const Options &options) {
    for (int n = 1; n <= 8; n++) {
        const auto words =
            split(options.text("specialized_unit_" + std::to_string(n), "0,0,0,0,0,none"), ',');
        require(words.size() >= 5, "specialized_unit: too few values");
        if (to_int(words[0]) == 0) {
            return;
        }
        const auto kind = static_cast<size_t>(kinds++);
        id_width[kind] = to_int(words[3]);
        ex_width[kind] = to_int(words[4]);
    }
}

// ---- Instructions and register sets (spec §1, §5) ----------------------------------------------

struct Instruction {
    unsigned uid = 0; // 0: there is none
    int wid = 0, sched = 0;
    std::array<int, max_operands> src{}, dst{};

    bool empty() const {
        return uid == 0;
    }
};

using Slot = std::unique_ptr<Instruction>;

// A move swaps the instruction objects, so that the source is left with the empty one.
void move(Slot &from, Slot &to) {
    require(!from->empty() && to->empty(), "a move into a place that is taken");
    std::swap(from, to);
}

class RegisterSet {
  public:
    RegisterSet(int width, std::string name) : m_name(std::move(name)) {
        for (int i = 0; i < width; i++) {
            m_slots.push_back(std::make_unique<Instruction>());
        }
    }

    const std::string &name() const {
        return m_name;
    }
    const std::vector<Slot> &slots() const {
        return m_slots;
    }
    size_t width() const {
        return m_slots.size();
    }
    Slot &slot(int index) {
        return m_slots.at(static_cast<size_t>(index));
    }

    bool has_free() const {
        for (const Slot &slot : m_slots) {
            if (slot->empty()) {
                return true;
            }
        }
        return false;
    }

    bool has_free(int index) const {
        require(index >= 0 && index < static_cast<int>(width()), "no such slot", m_name);
        return m_slots[static_cast<size_t>(index)]->empty();
    }

    int first_free() const {
        for (size_t i = 0; i < m_slots.size(); i++) {
            if (m_slots[i]->empty()) {
                return static_cast<int>(i);
            }
        }
        throw Error(m_name + ": no free slot");
    }

    bool has_ready() const {
        for (const Slot &slot : m_slots) {
            if (!slot->empty()) {
                return true;
            }
        }
        return false;
    }

    // The oldest; of equal uids that of the higher slot.
    int oldest() const {
        int found = -1;
        for (size_t i = 0; i < m_slots.size(); i++) {
            if (!m_slots[i]->empty() &&
                (found < 0 || m_slots[i]->uid <= m_slots[static_cast<size_t>(found)]->uid)) {
                found = static_cast<int>(i);
            }
        }
        require(found >= 0, "no instruction", m_name);
        return found;
    }

  private:
    std::string m_name;
    std::vector<Slot> m_slots;
};

// ---- What happens, as text ----------------------------------------------------------------------

// Silent while the bench runs.
struct Log {
    bool on = true;

    __attribute__((format(printf, 2, 3))) void operator()(const char *format, ...) const {
        if (on) {
            va_list arguments;
            va_start(arguments, format);
            std::vprintf(format, arguments);
            va_end(arguments);
        }
    }
};

// ---- The collector ------------------------------------------------------------------------------

struct CollectorUnit;

// A source operand of the instruction in a unit; a read request is a copy of it.
struct Operand {
    bool valid = false;
    CollectorUnit *unit = nullptr;
    int slot = 0, reg = 0, sched = 0;
};

struct CollectorUnit {
    int number = 0; // over all sets
    bool busy = false;
    Slot instruction = std::make_unique<Instruction>();
    int wid = 0;
    int kind = 0; // the OC_EX set it goes to
    std::array<Operand, max_operands> operands{};
    std::bitset<max_operands> pending;
};

struct DispatchUnit {
    CuSet set;
    size_t last; // index in the set
};

struct Port {
    std::vector<int> kinds;
    std::vector<CuSet> sets;
};

// Spec §4.
int register_bank(const Config &config, int reg, int wid, int sched) {
    const bool hash = config.revision != Revision::v40 || config.warp_size != 1;
    const int x = hash ? reg + wid : reg;
    if (!config.sub_core) {
        return x % config.banks;
    }
    const int each = config.banks / config.schedulers;
    const int bank = x % each + sched * each;
    require(bank < config.banks, "scheduler out of range");
    return bank;
}

// Spec §6.2, §12.1. The square is scanned in all revisions; only in V32 can one see it.
class Arbiter {
  public:
    Arbiter(const Config &config, int units)
        : m_one_per_unit(config.revision == Revision::v32), m_banks(config.banks), m_units(units),
          m_modulus(m_one_per_unit ? std::max(m_banks, units) : units),
          m_queues(static_cast<size_t>(m_banks)), m_marks(static_cast<size_t>(m_banks), NONE),
          m_inmatch(static_cast<size_t>(m_banks)), m_outmatch(static_cast<size_t>(units)),
          m_request(static_cast<size_t>(m_banks), std::vector<int>(static_cast<size_t>(units))) {
        require(!m_one_per_unit || m_banks <= units, "V32: more banks than collector units");
    }

    const std::vector<std::list<Operand>> &queues() const {
        return m_queues;
    }
    int pri() const {
        return m_pri;
    }

    void add_request(int bank, const Operand &operand) {
        m_queues[static_cast<size_t>(bank)].push_back(operand);
    }

    bool is_idle(int bank) const {
        return m_marks[static_cast<size_t>(bank)] == NONE;
    }
    void mark_written(int bank) {
        m_marks[static_cast<size_t>(bank)] = WRITTEN;
    }
    void mark_reading(int bank) {
        require(is_idle(bank), "a read of a bank that is in use");
        m_marks[static_cast<size_t>(bank)] = READING;
    }
    void release_all() {
        std::fill(m_marks.begin(), m_marks.end(), NONE);
    }

    // Takes the granted requests out of their queues.
    std::list<Operand> grant() {
        raise_requests();
        scan();
        m_pri = (m_pri + 1) % m_modulus;
        std::list<Operand> granted;
        for (size_t bank = 0; bank < m_queues.size(); bank++) {
            if (m_inmatch[bank] != -1 && m_marks[bank] != WRITTEN) {
                granted.push_back(m_queues[bank].front());
                m_queues[bank].pop_front();
            }
        }
        return granted;
    }

  private:
    enum Mark { NONE, READING, WRITTEN };

    void raise_requests() {
        for (size_t bank = 0; bank < m_queues.size(); bank++) {
            for (int &bit : m_request[bank]) {
                bit = 0;
            }
            if (!m_queues[bank].empty()) {
                const CollectorUnit *unit = m_queues[bank].front().unit;
                m_request[bank][static_cast<size_t>(unit->number)] = 1;
            }
            m_inmatch[bank] = m_marks[bank] == WRITTEN ? 0 : -1;
        }
        for (int &match : m_outmatch) {
            match = -1;
        }
    }

    void scan() {
        const int diagonals = std::max(m_banks, m_units);
        for (int d = 0; d < diagonals; d++) {
            for (int b = 0; b < m_banks; b++) {
                const auto bank = static_cast<size_t>(b);
                const auto unit = static_cast<size_t>((m_pri + d + b) % m_modulus);
                if (m_inmatch[bank] == -1 && m_request[bank][unit] != 0 &&
                    (!m_one_per_unit || m_outmatch[unit] == -1)) {
                    m_inmatch[bank] = static_cast<int>(unit);
                    m_outmatch[unit] = b;
                }
            }
        }
    }

    bool m_one_per_unit;
    int m_banks, m_units, m_modulus, m_pri = 0;
    std::vector<std::list<Operand>> m_queues;
    std::vector<Mark> m_marks;
    std::vector<int> m_inmatch, m_outmatch; // the unit of a bank, the bank of a unit; or -1
    std::vector<std::vector<int>> m_request;
};

struct Counters {
    uint64_t reads = 0, writes = 0, non_rf = 0; // times the warp size
    uint64_t dispatches = 0;
};

class OperandCollector {
  public:
    OperandCollector(const Config &config, const Log &log);

    void step();
    bool write_back(Instruction &instruction); // spec §7
    std::optional<int> issue(int kind, const Instruction &instruction);
    RegisterSet &id_oc(int kind) {
        return m_id_oc[static_cast<size_t>(kind)];
    }
    RegisterSet &oc_ex(int kind) {
        return m_oc_ex[static_cast<size_t>(kind)];
    }
    const Counters &counters() const {
        return m_counters;
    }
    void print_header() const;
    void print_state() const;

  private:
    void add_set(CuSet set);
    void add_ports(CuSet set, const std::vector<int> &kinds);
    std::vector<int> generic_kinds() const;

    void dispatch();
    size_t first_candidate(const DispatchUnit &du, size_t units) const;
    int group(const CollectorUnit &unit) const;
    bool is_ready(const CollectorUnit &unit) const;
    void dispatch(size_t du, CollectorUnit &unit);
    void read();
    void allocate();
    CollectorUnit *idle_unit(const Port &port, const RegisterSet &input);
    void allocate(size_t port, int kind, CollectorUnit &unit);
    bool is_repeated(const Instruction &instruction, size_t slot) const;
    bool write_back_v32(const Instruction &instruction);

    Config m_config;
    const Log &m_log;
    std::vector<RegisterSet> m_id_oc, m_oc_ex;
    std::vector<std::unique_ptr<CollectorUnit>> m_units;
    std::map<CuSet, std::vector<CollectorUnit *>> m_sets;
    std::vector<DispatchUnit> m_dispatch_units;
    std::vector<Port> m_ports;
    std::unique_ptr<Arbiter> m_arbiter;
    Counters m_counters;
};

// Spec §3: the order of construction gives the numbers.
OperandCollector::OperandCollector(const Config &config, const Log &log)
    : m_config(config), m_log(log) {
    for (int kind = 0; kind < config.kinds; kind++) {
        const auto k = static_cast<size_t>(kind);
        m_id_oc.emplace_back(config.id_width[k], std::string("ID_") + kind_name(kind));
        m_oc_ex.emplace_back(config.ex_width[k], std::string("EX_") + kind_name(kind));
    }
    if (config.revision == Revision::v32) {
        for (CuSet set : {CuSet::sp, CuSet::sfu, CuSet::mem, CuSet::gen}) {
            add_set(set);
        }
    } else {
        for (CuSet set : {CuSet::gen, CuSet::sp, CuSet::dp, CuSet::tensor, CuSet::sfu, CuSet::mem,
                          CuSet::integer}) {
            add_set(set);
        }
        add_ports(CuSet::gen, generic_kinds());
    }
    add_ports(CuSet::sp, {SP});
    add_ports(CuSet::dp, {DP});
    add_ports(CuSet::sfu, {SFU});
    add_ports(CuSet::tensor, {TENSOR});
    add_ports(CuSet::mem, {MEM});
    add_ports(CuSet::integer, {INT});
    if (config.revision == Revision::v32) {
        add_ports(CuSet::gen, generic_kinds());
    }
    const int units = static_cast<int>(m_units.size());
    require(units >= 1, "no collector units");
    require(!config.sub_core_v42() || units % config.schedulers == 0,
            "V42: collector units are not a multiple of schedulers");
    m_arbiter = std::make_unique<Arbiter>(config, units);
}

void OperandCollector::add_set(CuSet set) {
    const auto size = m_config.sets.find(set);
    if (size == m_config.sets.end()) {
        return;
    }
    m_sets[set] = {};
    for (int i = 0; i < size->second.units; i++) {
        m_units.push_back(std::make_unique<CollectorUnit>());
        m_units.back()->number = static_cast<int>(m_units.size()) - 1;
        m_sets[set].push_back(m_units.back().get());
    }
    for (int i = 0; i < size->second.out_ports; i++) {
        m_dispatch_units.push_back({set, 0});
    }
}

void OperandCollector::add_ports(CuSet set, const std::vector<int> &kinds) {
    const auto size = m_config.sets.find(set);
    if (size == m_config.sets.end()) {
        return;
    }
    Port port{kinds, {set}};
    if (set != CuSet::gen) {
        port.sets.push_back(CuSet::gen);
    }
    m_ports.insert(m_ports.end(), static_cast<size_t>(size->second.in_ports), port);
}

std::vector<int> OperandCollector::generic_kinds() const {
    std::vector<int> kinds{SP, SFU, MEM};
    if (m_config.has_tensor) {
        kinds.push_back(TENSOR);
    }
    if (m_config.has_dp) {
        kinds.push_back(DP);
    }
    if (m_config.has_int) {
        kinds.push_back(INT);
    }
    for (int kind = first_spec; kind < m_config.kinds; kind++) {
        kinds.push_back(kind);
    }
    return kinds;
}

std::optional<int> OperandCollector::issue(int kind, const Instruction &instruction) {
    RegisterSet &set = m_id_oc[static_cast<size_t>(kind)];
    const bool by_scheduler = m_config.sub_core;
    if (by_scheduler ? !set.has_free(instruction.sched) : !set.has_free()) {
        return std::nullopt;
    }
    const int slot = by_scheduler ? instruction.sched : set.first_free();
    *set.slot(slot) = instruction;
    return slot;
}

void OperandCollector::step() {
    dispatch();
    read();
    allocate();
    m_arbiter->release_all();
}

// Spec §6.1.

size_t OperandCollector::first_candidate(const DispatchUnit &du, size_t units) const {
    if (!m_config.sub_core_v42()) {
        return du.last + 1;
    }
    const size_t each = units / static_cast<size_t>(m_config.schedulers);
    require(each != 0, "V42: a dispatch unit on a set with fewer units than schedulers");
    return du.last + each - du.last % each;
}

int OperandCollector::group(const CollectorUnit &unit) const {
    return unit.number / (static_cast<int>(m_units.size()) / m_config.schedulers);
}

bool OperandCollector::is_ready(const CollectorUnit &unit) const {
    if (!unit.busy || unit.pending.any()) {
        return false;
    }
    const RegisterSet &out = m_oc_ex[static_cast<size_t>(unit.kind)];
    return m_config.sub_core_v42() ? out.has_free(group(unit)) : out.has_free();
}

void OperandCollector::dispatch() {
    for (size_t d = 0; d < m_dispatch_units.size(); d++) {
        DispatchUnit &du = m_dispatch_units[d];
        const std::vector<CollectorUnit *> &units = m_sets.at(du.set);
        const size_t first = first_candidate(du, units.size());
        for (size_t i = 0; i < units.size(); i++) {
            const size_t index = (first + i) % units.size();
            if (is_ready(*units[index])) {
                du.last = index;
                dispatch(d, *units[index]);
                break;
            }
        }
    }
}

void OperandCollector::dispatch(size_t du, CollectorUnit &unit) {
    RegisterSet &out = m_oc_ex[static_cast<size_t>(unit.kind)];
    const int slot = m_config.sub_core_v42() ? group(unit) : out.first_free();
    move(unit.instruction, out.slot(slot));
    unit.busy = false;
    for (Operand &operand : unit.operands) {
        operand.valid = false;
    }
    m_counters.dispatches++;
    m_log("D %zu %d %s %u %d\n", du, unit.number, kind_name(unit.kind), out.slot(slot)->uid, slot);
}

// Spec §6.2.
void OperandCollector::read() {
    std::map<int, Operand> by_bank;
    for (const Operand &operand : m_arbiter->grant()) {
        const int bank = register_bank(m_config, operand.reg, operand.unit->wid, operand.sched);
        m_arbiter->mark_reading(bank);
        by_bank[bank] = operand;
    }
    for (const auto &[bank, operand] : by_bank) {
        CollectorUnit &unit = *operand.unit;
        unit.pending.reset(static_cast<size_t>(operand.slot));
        m_counters.reads += static_cast<uint64_t>(m_config.warp_size);
        m_log("G %d %d %d %d %d\n", bank, unit.number, operand.slot, operand.reg, unit.wid);
    }
}

// Spec §6.3, §12.2.

CollectorUnit *OperandCollector::idle_unit(const Port &port, const RegisterSet &input) {
    for (CuSet set : port.sets) {
        const std::vector<CollectorUnit *> &units = m_sets.at(set);
        size_t first = 0, end = units.size();
        if (m_config.sub_core_v42()) {
            const auto schedulers = static_cast<size_t>(m_config.schedulers);
            require(end != 0 && end % schedulers == 0,
                    "V42: allocation from a set that is not a multiple of schedulers");
            const size_t each = end / schedulers;
            const Instruction &oldest = *input.slots()[static_cast<size_t>(input.oldest())];
            first = static_cast<size_t>(oldest.sched) * each;
            end = first + each;
        }
        for (size_t i = first; i < end; i++) {
            if (!units[i]->busy) {
                return units[i];
            }
        }
    }
    return nullptr;
}

void OperandCollector::allocate() {
    for (size_t p = 0; p < m_ports.size(); p++) {
        const Port &port = m_ports[p];
        for (int kind : port.kinds) {
            const RegisterSet &input = m_id_oc[static_cast<size_t>(kind)];
            if (!input.has_ready()) {
                continue;
            }
            CollectorUnit *unit = idle_unit(port, input);
            if (unit != nullptr) {
                allocate(p, kind, *unit);
            }
            if (m_config.revision != Revision::v42) {
                break; // other kinds are not tried, whether or not there was a unit
            }
        }
    }
}

// V42: whether a lower slot has the same register.
bool OperandCollector::is_repeated(const Instruction &instruction, size_t slot) const {
    const auto end = instruction.src.begin() + static_cast<std::ptrdiff_t>(slot);
    return m_config.revision == Revision::v42 &&
           std::find(instruction.src.begin(), end, instruction.src[slot]) != end;
}

void OperandCollector::allocate(size_t port, int kind, CollectorUnit &unit) {
    RegisterSet &input = m_id_oc[static_cast<size_t>(kind)];
    move(input.slot(input.oldest()), unit.instruction);
    const Instruction &instruction = *unit.instruction;
    unit.busy = true;
    unit.wid = instruction.wid;
    unit.kind = kind;
    for (size_t slot = 0; slot < max_operands; slot++) {
        const int reg = instruction.src[slot];
        if (reg < 0 || is_repeated(instruction, slot)) {
            continue;
        }
        unit.pending.set(slot);
        unit.operands[slot] = {true, &unit, static_cast<int>(slot), reg, instruction.sched};
        m_arbiter->add_request(register_bank(m_config, reg, unit.wid, instruction.sched),
                               unit.operands[slot]);
    }
    m_log("A %zu %s %d %u\n", port, kind_name(kind), unit.number, instruction.uid);
}

// Spec §7. What has been written is taken out of the instruction, so that a retry goes on from
// there.
bool OperandCollector::write_back(Instruction &instruction) {
    if (m_config.revision == Revision::v32) {
        return write_back_v32(instruction);
    }
    const auto present =
        std::count_if(instruction.dst.begin(), instruction.dst.end(), [](int r) { return r >= 0; });
    for (size_t slot = 0; slot < max_operands; slot++) {
        const int reg = instruction.dst[slot];
        if (reg < 0) {
            continue;
        }
        const int bank = register_bank(m_config, reg, instruction.wid, instruction.sched);
        const bool idle = m_arbiter->is_idle(bank);
        m_log("w %zu %d %d %c\n", slot, reg, bank, idle ? '+' : '-');
        if (!idle) {
            return false;
        }
        m_arbiter->mark_written(bank);
        instruction.dst[slot] = -1;
    }
    m_counters.writes += static_cast<uint64_t>(present * m_config.warp_size);
    return true;
}

// Spec §12.1: a failure leaves the instruction as it was, but not the banks.
bool OperandCollector::write_back_v32(const Instruction &instruction) {
    std::list<int> registers;
    for (int reg : instruction.dst) {
        if (reg >= 0) {
            registers.push_back(reg);
        }
    }
    int index = 0;
    for (int reg : registers) {
        const int bank = register_bank(m_config, reg, instruction.wid, instruction.sched);
        const bool idle = m_arbiter->is_idle(bank);
        m_log("w %d %d %d %c\n", index, reg, bank, idle ? '+' : '-');
        if (!idle) {
            return false;
        }
        m_arbiter->mark_written(bank);
        index++;
    }
    m_counters.writes += registers.size() * static_cast<uint64_t>(m_config.warp_size);
    return true;
}

void OperandCollector::print_header() const {
    static const std::map<Revision, const char *> variants{
        {Revision::v32, "3.2"}, {Revision::v40, "4.0"}, {Revision::v42, "4.2"}};
    m_log("# variant %s banks %d cus %zu dus %zu ports %zu sched %d sub %d\n",
          variants.at(m_config.revision), m_config.banks, m_units.size(), m_dispatch_units.size(),
          m_ports.size(), m_config.schedulers, m_config.sub_core ? 1 : 0);
    for (int kind = 0; kind < m_config.kinds; kind++) {
        const auto k = static_cast<size_t>(kind);
        m_log("# set %s id %d ex %d\n", kind_name(kind), m_config.id_width[k],
              m_config.ex_width[k]);
    }
}

void OperandCollector::print_state() const {
    for (const auto &unit : m_units) {
        if (unit->busy) {
            m_log("c %d %u %s %lx\n", unit->number, unit->instruction->uid, kind_name(unit->kind),
                  unit->pending.to_ulong());
        }
    }
    for (size_t bank = 0; bank < m_arbiter->queues().size(); bank++) {
        const std::list<Operand> &queue = m_arbiter->queues()[bank];
        if (!queue.empty()) {
            m_log("q %zu", bank);
            for (const Operand &operand : queue) {
                m_log(" %d:%d", operand.unit->number, operand.slot);
            }
            m_log("\n");
        }
    }
    m_log("u");
    for (const DispatchUnit &du : m_dispatch_units) {
        m_log(" %zu", du.last);
    }
    m_log("\np %d\n", m_arbiter->pri());
    for (const auto *sets : {&m_id_oc, &m_oc_ex}) {
        for (const RegisterSet &set : *sets) {
            if (set.has_ready()) {
                m_log("r %s", set.name().c_str());
                for (const Slot &slot : set.slots()) {
                    m_log(" %u", slot->uid);
                }
                m_log("\n");
            }
        }
    }
}

// ---- The stimulus -------------------------------------------------------------------------------

class Player {
  public:
    Player(const Config &config, OperandCollector &collector, bool show_state)
        : m_config(config), m_collector(collector), m_show_state(show_state) {}

    void play(const std::string &line) {
        std::istringstream stream(line);
        std::vector<std::string> words;
        for (std::string word; stream >> word;) {
            words.push_back(word);
        }
        if (!words.empty() && words[0][0] != '#') {
            command(words);
        }
    }

  private:
    using Words = std::vector<std::string>;

    void command(const Words &words);
    void core_cycle(const Words &words);
    void issue(const Words &words);
    void take(const Words &words);
    void new_result(const Words &words);
    void retry(const Words &words);
    void write_drained(const Words &words);
    void load_store(const Words &words);
    void steps(const Words &words);

    int kind(const std::string &name) const;
    std::array<int, max_operands> registers(const std::string &list) const;
    int scheduler(const std::string &word) const;

    const Config &m_config;
    OperandCollector &m_collector;
    bool m_show_state;
    Log m_log;
    unsigned m_cycle = 0, m_step = 0, m_uid = 0;
    std::map<int, std::deque<Instruction>> m_drained;
    std::map<int, Instruction> m_results;
    std::optional<Instruction> m_held; // by the load/store unit
};

void Player::command(const Words &words) {
    struct Command {
        size_t least, most; // words
        void (Player::*play)(const Words &);
    };
    static const std::map<std::string, Command> commands{
        {"C", {1, 1, &Player::core_cycle}}, {"I", {6, 6, &Player::issue}},
        {"E", {2, 3, &Player::take}},       {"W", {5, 5, &Player::new_result}},
        {"R", {2, 2, &Player::retry}},      {"V", {2, 2, &Player::write_drained}},
        {"L", {1, 1, &Player::load_store}}, {"X", {1, 2, &Player::steps}},
    };
    const auto found = commands.find(words[0]);
    require(found != commands.end(), "unknown command", words[0]);
    const Command &command = found->second;
    require(words.size() >= command.least && words.size() <= command.most, "wrong number of words");
    (this->*command.play)(words);
}

void Player::core_cycle(const Words & /*words*/) {
    m_log("C %u\n", m_cycle++);
}

int Player::kind(const std::string &name) const {
    for (int kind = 0; kind < m_config.kinds; kind++) {
        if (kind_name(kind) == name) {
            return kind;
        }
    }
    throw Error(name + ": unknown set");
}

int Player::scheduler(const std::string &word) const {
    const int sched = to_int(word);
    require(sched >= 0 && sched < m_config.schedulers, "scheduler out of range");
    return sched;
}

std::array<int, max_operands> Player::registers(const std::string &list) const {
    std::array<int, max_operands> result{};
    result.fill(-1);
    if (list == "-") {
        return result;
    }
    const auto words = split(list, ',');
    require(words.size() <= max_operands, "too many operands");
    // What V32 has no place for, the recorder left out.
    const size_t count = std::min(words.size(), static_cast<size_t>(m_config.operands()));
    for (size_t i = 0; i < count; i++) {
        result[i] = to_int(words[i]);
    }
    return result;
}

void Player::issue(const Words &words) {
    Instruction instruction;
    instruction.uid = m_uid + 1;
    instruction.sched = scheduler(words[2]);
    instruction.wid = to_int(words[3]);
    instruction.src = registers(words[4]);
    instruction.dst = registers(words[5]);
    const auto slot = m_collector.issue(kind(words[1]), instruction);
    if (slot) {
        m_uid++;
        m_log("I %s %u %d\n", words[1].c_str(), m_uid, *slot);
    } else {
        m_log("I %s -\n", words[1].c_str());
    }
}

void Player::take(const Words &words) {
    const int from = kind(words[1]);
    RegisterSet &set = m_collector.oc_ex(from);
    const int wanted = words.size() == 3 ? to_int(words[2]) : 0;
    const bool by_slot = words.size() == 3 && m_config.revision == Revision::v42;
    int slot = -1;
    if (by_slot && m_config.sub_core) {
        slot = set.has_free(wanted) ? -1 : wanted;
    } else if (set.has_ready() && (!by_slot || wanted < static_cast<int>(set.width()))) {
        slot = set.oldest();
    }
    if (slot < 0) {
        m_log("E %s -\n", words[1].c_str());
        return;
    }
    Instruction &instruction = *set.slot(slot);
    m_log("E %s %u\n", words[1].c_str(), instruction.uid);
    std::deque<Instruction> &drained = m_drained[from];
    drained.push_back(instruction);
    if (drained.size() > max_drained) {
        drained.pop_front();
    }
    instruction = Instruction();
}

void Player::new_result(const Words &words) {
    Instruction &result = m_results[to_int(words[1])];
    result = Instruction();
    result.sched = scheduler(words[2]);
    result.wid = to_int(words[3]);
    result.dst = registers(words[4]);
    const bool done = m_collector.write_back(result);
    m_log("W %s %d\n", words[1].c_str(), done);
}

void Player::retry(const Words &words) {
    const auto found = m_results.find(to_int(words[1]));
    if (found == m_results.end()) {
        m_log("R %s -\n", words[1].c_str());
        return;
    }
    const bool done = m_collector.write_back(found->second);
    m_log("R %s %d\n", words[1].c_str(), done);
}

void Player::write_drained(const Words &words) {
    std::deque<Instruction> &drained = m_drained[kind(words[1])];
    if (drained.empty()) {
        m_log("V %s -\n", words[1].c_str());
        return;
    }
    Instruction instruction = drained.front();
    drained.pop_front();
    const bool done = m_collector.write_back(instruction);
    m_log("V %s %u %d\n", words[1].c_str(), instruction.uid, done);
}

void Player::load_store(const Words & /*words*/) {
    if (m_held) {
        const bool done = m_collector.write_back(*m_held);
        m_log("L %u %d\n", m_held->uid, done);
        if (done) {
            m_held.reset();
        }
    }
    std::deque<Instruction> &drained = m_drained[MEM];
    if (!m_held && !drained.empty()) {
        m_held = drained.front();
        drained.pop_front();
        m_log("L< %u\n", m_held->uid);
    }
}

void Player::steps(const Words &words) {
    const int count = words.size() == 2 ? to_int(words[1]) : 1;
    for (int i = 0; i < count; i++) {
        m_log("S %u\n", m_step++);
        m_collector.step();
        if (m_show_state) {
            m_collector.print_state();
        }
    }
}

// ---- The bench ----------------------------------------------------------------------------------

// 64 registers, 64 warps, 3 sources, 4 write-backs a core cycle; every ID_OC slot is refilled and
// OC_EX emptied once a core cycle.
class Bench {
  public:
    Bench(const Config &config, OperandCollector &collector)
        : m_config(config), m_collector(collector), m_pool(4096) {
        for (Instruction &instruction : m_pool) {
            instruction.src.fill(-1);
            instruction.dst.fill(-1);
            instruction.sched = random() % config.schedulers;
            const int warps = std::max(64 / config.schedulers, 1);
            instruction.wid = instruction.sched + config.schedulers * (random() % warps);
            std::generate_n(instruction.src.begin(), 3, [this] { return random() % 64; });
            instruction.dst[0] = random() % 64;
        }
    }

    void saturate(int64_t steps) {
        for (int64_t done = 0; done < steps; done += m_config.throughput) {
            for (int i = 0; i < 4; i++) {
                Instruction result = next();
                m_collector.write_back(result);
            }
            for (int kind = 0; kind < m_config.kinds; kind++) {
                empty(m_collector.oc_ex(kind));
            }
            for (int i = 0; i < m_config.throughput; i++) {
                m_collector.step();
            }
            for (int kind = 0; kind < m_config.kinds; kind++) {
                refill(kind);
            }
        }
    }

  private:
    int random() {
        m_random ^= m_random << 13;
        m_random ^= m_random >> 17;
        m_random ^= m_random << 5;
        return static_cast<int>(m_random >> 8);
    }

    const Instruction &next() {
        return m_pool[m_next++ % m_pool.size()];
    }

    void empty(RegisterSet &set) {
        for (size_t i = 0; i < set.width(); i++) {
            set.slot(static_cast<int>(i))->uid = 0;
        }
    }

    void refill(int kind) {
        RegisterSet &set = m_collector.id_oc(kind);
        const int width = static_cast<int>(set.width());
        for (int slot = 0; slot < width; slot++) {
            if (!set.has_free(slot)) {
                continue;
            }
            Instruction instruction = next();
            instruction.uid = ++m_uid;
            if (m_config.sub_core) { // a slot is a scheduler's
                const int sched = slot % m_config.schedulers;
                instruction.wid += sched - instruction.sched;
                instruction.sched = sched;
            }
            m_collector.issue(kind, instruction);
        }
    }

    const Config &m_config;
    OperandCollector &m_collector;
    std::vector<Instruction> m_pool;
    size_t m_next = 0;
    unsigned m_uid = 0;
    uint32_t m_random = 2463534242u;
};

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// ---- The command --------------------------------------------------------------------------------

struct Arguments {
    Revision revision = Revision::v40;
    std::string config, stimulus;
    bool state = false, stats = false;
    int64_t bench_steps = 0;
};

Revision to_revision(const std::string &word) {
    static const std::map<std::string, Revision> revisions{
        {"v32", Revision::v32}, {"v40", Revision::v40}, {"v42", Revision::v42}};
    const auto found = revisions.find(word);
    require(found != revisions.end(), "unknown revision", word);
    return found->second;
}

Arguments to_arguments(const std::vector<std::string> &words) {
    Arguments arguments;
    size_t i = 0;
    const auto next = [&]() -> const std::string & {
        require(i < words.size(), "too few words");
        return words[i++];
    };
    while (i < words.size()) {
        const std::string &word = next();
        if (word == "--revision") {
            arguments.revision = to_revision(next());
        } else if (word == "--config") {
            arguments.config = next();
        } else if (word == "--state") {
            arguments.state = true;
        } else if (word == "--stats") {
            arguments.stats = true;
        } else if (word == "--bench") {
            require(next() == "saturate", "the only bench is 'saturate'");
            arguments.bench_steps = to_int(next());
        } else {
            require(arguments.stimulus.empty() && word[0] != '-', "not understood", word);
            arguments.stimulus = word;
        }
    }
    require(arguments.stimulus.empty() != (arguments.bench_steps == 0), "one stimulus is needed");
    return arguments;
}

void run_bench(const Config &config, int64_t steps) {
    Log log{false};
    OperandCollector collector(config, log);
    Bench bench(config, collector);
    const double start = cpu_seconds();
    bench.saturate(steps);
    const double seconds = cpu_seconds() - start;
    const auto count = static_cast<double>(steps);
    const Counters &counters = collector.counters();
    std::printf("{\"ns_per_step\": %.1f, \"grants_per_step\": %.3f, \"dispatches_per_step\": "
                "%.3f}\n",
                seconds * 1e9 / count,
                static_cast<double>(counters.reads) / config.warp_size / count,
                static_cast<double>(counters.dispatches) / count);
}

void run_stimulus(const Config &config, const Arguments &arguments) {
    Log log;
    OperandCollector collector(config, log);
    Player player(config, collector, arguments.state);
    std::ifstream file(arguments.stimulus);
    require(file.good(), "cannot be read", arguments.stimulus);
    collector.print_header();
    unsigned number = 0;
    for (std::string line; std::getline(file, line);) {
        number++;
        try {
            player.play(line);
        } catch (const Error &error) {
            throw Error(arguments.stimulus + ":" + std::to_string(number) + ": " + error.what());
        }
    }
    if (arguments.stats) {
        const Counters &counters = collector.counters();
        log("# stats reads %ju writes %ju nonrf %ju\n", static_cast<uintmax_t>(counters.reads),
            static_cast<uintmax_t>(counters.writes), static_cast<uintmax_t>(counters.non_rf));
    }
}

} // namespace

int main(int argc, char **argv) {
    try {
        const Arguments arguments = to_arguments({argv + 1, argv + argc});
        Options options;
        if (!arguments.config.empty()) {
            options.read(arguments.config);
        }
        const Config config(arguments.revision, options);
        if (arguments.bench_steps != 0) {
            run_bench(config, arguments.bench_steps);
        } else {
            run_stimulus(config, arguments);
        }
    } catch (const Error &error) {
        std::fprintf(stderr, "naive_opndcoll: %s\n", error.what());
        return 1;
    }
    return 0;
}
