// SPDX-License-Identifier: Apache-2.0
/**
 * @file cases.cpp
 * Runs the directed cases of a block, which are rows of text:  cases FILE [CASE]
 *
 *   block scoreboard                       the block; what follows is of its table
 *   config num_pregs=64                    parameters of every case that are not the defaults
 *   alias rs = hazard.updateRS             the first part of a port's name
 *   start reset                            the row that every case begins with
 *   macro admit(rd a b) rs.enable rs.write.pReg=$rd rs.reads[0].pReg=$a rs.reads[1].pReg=$b
 *   case NAME max_pending_reads=$max       parameters; `power=zero`, `start=ROW` (`start=none`)
 *     with max n = 7 0; 7 1; 3 1           the case once for each; several lines: all combinations
 *     always issue.ready                   set in each row from here on
 *     3* admit(5,6) reset | rs.success     a row: inputs, `|`, expected outputs; here three cycles
 *     ? rd.pReg=5 | rd.pendingWrites=1     outputs only: no clock edge
 *     for r = 0..3 admit($r) |             the row once for each; also `2,0,1`
 *     refuse max_pending_reads=0 : a; b    `check` refuses that, and its message has the texts
 *     accept max_pending_reads=9           it does not
 *
 * A port is named as in the RTL, without `io_`, `.x` and `[1]` for `_x` and `_1`. `[*]` is each
 * index: a list `1,2,?` gives one value each, a number is a set where ports have one bit, else the
 * value of all, in which @ is the index. `NAME.*` is every port below. NAME alone is 1, `!NAME` 0.
 * Values are numbers, variables and + - * & | ^ << >> == ( ), from left to right. An input that is
 * not named is 0; `=x` leaves it unknown, `=x:MASK` some of its bits. An output that is not named
 * is not looked at, `=?` must have care 0, a value must be cared for whole. What stands later wins.
 * Also on the right: `violates=RULE,..` (none is the default), `covers=POINT,..`, `drained=0`,
 * `outcomes=N`, `state.ELEMENT[i]=V` before the edge; on the left `assume=K`, the K th of the
 * outcomes.
 *
 * A macro may have `|` and `?`; a word with an argument that is not given, or `_`, is left out, and
 * `$a:WORD` stands where a is given. A macro without a body has the rows below, up to `end`, and
 * stands alone in its row. A line that ends with `;`, `=` or `\` goes on. `walk v b 173 =
 * ibuf[3].bits` is a `with` of every bit b of the ports v below a name, which must be 173.
 *
 * Each row runs through eval, record, step and tick, which must agree: step takes what is right,
 * refuses each expected output with a bit flipped, and changes nothing then.
 */
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "warplock/block.h"

namespace {

using Words = std::vector<uint64_t>;
using Texts = std::vector<std::string>;
using Env = std::map<std::string, std::string>;

struct Line {
    int number;
    std::string text;
};

struct Macro {
    Texts params;
    std::string body;       // of one row, or
    std::vector<Line> rows; // many
};

struct Case {
    Line head;
    std::vector<Line> lines;
};

struct Expected {
    bool known;
    uint64_t value;
};

[[noreturn]] void bad(const std::string &what) {
    throw std::runtime_error(what);
}

/* ---- text ---- */

// Words; those in parentheses hold together.
Texts split(const std::string &text, const char *separators = " \t") {
    Texts words;
    std::string word;
    int depth = 0;
    for (const char c : text + separators[0]) {
        depth += (c == '(') - (c == ')');
        if (depth == 0 && std::strchr(separators, c) != nullptr) {
            if (!word.empty()) {
                words.push_back(word);
            }
            word.clear();
        } else {
            word += c;
        }
    }
    return depth == 0 ? words : (bad("parentheses in '" + text + "'"), words);
}

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// With the values of variables; false: one of them is not given, so the word is left out, unless it
// is a macro's call.
bool substitute(std::string &word, const Env &env, bool call = false) {
    for (size_t at; (at = word.find('$')) != std::string::npos;) {
        size_t end = at + 1;
        while (end < word.size() && is_name(word[end])) {
            end++;
        }
        const bool guard = at == 0 && end < word.size() && word[end] == ':';
        const auto found = env.find(word.substr(at + 1, end - at - 1));
        if (found == env.end()) {
            bad("unknown variable in '" + word + "'");
        }
        if (found->second == "_" && !call) {
            return false;
        }
        word.replace(at, end - at + guard, guard ? "" : found->second);
    }
    return true;
}

uint64_t expression(const std::string &text, size_t &at);

uint64_t term(const std::string &text, size_t &at) {
    if (text[at] == '(') {
        const uint64_t value = expression(text, ++at);
        if (text[at++] != ')') {
            bad("no value: '" + text + "'");
        }
        return value;
    }
    char *end = nullptr;
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) {
        bad("no value: '" + text + "'");
    }
    const uint64_t value = std::strtoull(&text[at], &end, 0);
    at = static_cast<size_t>(end - text.c_str());
    return value;
}

uint64_t expression(const std::string &text, size_t &at) {
    uint64_t value = term(text, at);
    while (at < text.size() && text[at] != ')') {
        const char op = text[at];
        at += op == '<' || op == '>' || op == '=' ? 2 : 1;
        const uint64_t right = at < text.size() ? term(text, at) : (bad("no value: " + text), 0);
        const uint64_t results[] = {value + right,          value - right,          value * right,
                                    value & right,          value | right,          value ^ right,
                                    value << (right & 63u), value >> (right & 63u), value == right};
        const char *const known = "+-*&|^<>=", *const found = std::strchr(known, op);
        value = found != nullptr ? results[found - known] : (bad("no value: '" + text + "'"), 0);
    }
    return value;
}

uint64_t value_of(const std::string &text) {
    size_t at = 0;
    const uint64_t value = expression(text, at);
    return at == text.size() ? value : (bad("no value: '" + text + "'"), 0);
}

// "0..3" or "2,0,1".
Texts series(const std::string &text) {
    const size_t dots = text.find("..");
    if (dots == std::string::npos) {
        return split(text, ",");
    }
    Texts all;
    const uint64_t last = value_of(text.substr(dots + 2));
    for (uint64_t v = value_of(text.substr(0, dots)); v <= last; v++) {
        all.push_back(std::to_string(v));
    }
    return all;
}

/* ---- a file ---- */

struct File {
    std::string path;
    const wlk_block *block = nullptr;
    Texts config;
    Env aliases;
    std::string start = "none";
    std::map<std::string, Macro> macros;
    std::vector<Case> cases;
};

// Lines without comments; one that ends with ';' or '\' with the next.
std::vector<Line> lines_of(const std::string &path) {
    std::ifstream stream(path);
    if (!stream) {
        bad("cannot be read");
    }
    std::vector<Line> lines;
    std::string text;
    bool more = false;
    for (int number = 1; std::getline(stream, text); number++) {
        const size_t hash = text[0] == '#' ? 0 : text.find(" #");
        text = text.substr(0, hash);
        text.erase(text.find_last_not_of(" \t") + 1);
        text.erase(0, text.find_first_not_of(" \t"));
        if (more) {
            lines.back().text += " " + text;
        } else if (!text.empty()) {
            lines.push_back({number, text});
        }
        more = !text.empty() && std::strchr(";=\\", text.back()) != nullptr;
        if (more && text.back() == '\\') {
            lines.back().text.pop_back();
        }
    }
    return lines;
}

std::string rest_of(const std::string &text, const std::string &word) {
    const size_t at = text.find_first_not_of(" \t", word.size());
    return at == std::string::npos ? "" : text.substr(at);
}

// "name(a b) body", or "name body".
void add_macro(File &file, const std::string &text, const std::vector<Line> &lines, size_t &i) {
    const std::string head = split(text).at(0);
    const std::string name = head.substr(0, head.find('('));
    Macro macro;
    if (name != head) {
        macro.params = split(head.substr(name.size() + 1, head.size() - name.size() - 2));
    }
    macro.body = rest_of(text, head);
    if (macro.body.empty()) {
        while (++i < lines.size() && lines[i].text != "end") {
            macro.rows.push_back(lines[i]);
        }
    }
    if (!file.macros.emplace(name, macro).second) {
        bad("macro '" + name + "' twice");
    }
}

void add_line(File &file, const std::vector<Line> &lines, size_t &i) {
    const Line &line = lines[i];
    const std::string word = split(line.text)[0], rest = rest_of(line.text, word);
    if (word == "block") {
        file.block = wlk_block_find(rest.c_str());
        if (file.block == nullptr) {
            bad("no block '" + rest + "'");
        }
    } else if (word == "config") {
        file.config = split(rest);
    } else if (word == "alias") {
        const Texts words = split(rest, " =");
        file.aliases[words.at(0)] = words.at(1);
    } else if (word == "start") {
        file.start = rest;
    } else if (word == "macro") {
        add_macro(file, rest, lines, i);
    } else if (word == "case") {
        file.cases.push_back({line, {}});
    } else if (!file.cases.empty()) {
        file.cases.back().lines.push_back(line);
    } else {
        bad("'" + word + "' outside a case");
    }
}

/* ---- a row ---- */

struct Row {
    bool look = false;
    Texts in, out;
};

void expand(const File &file, const Texts &words, const Env &env, Row &row, bool out, int depth) {
    if (depth > 9) {
        bad("macros call each other");
    }
    for (std::string word : words) {
        const std::string name = word.substr(0, word.find('('));
        const auto macro = file.macros.find(name);
        if (!substitute(word, env, macro != file.macros.end())) {
            continue;
        }
        if (word == "|") {
            out = true;
        } else if (word == "?") {
            row.look = true;
        } else if (macro != file.macros.end() && (name == word || word.back() == ')')) {
            Texts args;
            if (name != word) {
                std::string list = word.substr(name.size() + 1, word.size() - name.size() - 2);
                args = split(list, ", ");
            }
            const Texts &params = macro->second.params;
            if (args.size() > params.size() || !macro->second.rows.empty()) {
                bad("arguments or place of '" + name + "'");
            }
            Env inner = env;
            for (size_t i = 0; i < params.size(); i++) {
                inner[params[i]] = i < args.size() ? args[i] : "_";
            }
            expand(file, split(macro->second.body), inner, row, out, depth + 1);
        } else {
            (out ? row.out : row.in).push_back(word);
        }
    }
}

/* ---- a model at work ---- */

struct Element {
    Words words;
    uint64_t known;
    bool operator==(const Element &other) const {
        return words == other.words && known == other.known;
    }
};
using Elements = std::vector<std::pair<std::string, Element>>;

extern "C" void visit_element(void *ctx, const char *name, int32_t index, const uint64_t *words,
                              uint32_t n, uint64_t known, wlk_notation notation) {
    (void)notation;
    const std::string key = index < 0 ? name : name + ("[" + std::to_string(index) + "]");
    static_cast<Elements *>(ctx)->push_back({key, {Words(words, words + n), known}});
}

class State {
  public:
    explicit State(size_t bytes)
        : bytes_((bytes + 127) / 64 * 64), memory_(aligned_alloc(64, bytes_)) {
        std::memset(memory_, 0, bytes_);
    }
    State(const State &other) : State(other.bytes_ - 64) {
        std::memcpy(memory_, other.memory_, bytes_);
    }
    State &operator=(const State &) = delete;
    ~State() {
        std::free(memory_);
    }
    void *get() const {
        return memory_;
    }
    bool same_bytes(const State &other) const {
        return std::memcmp(memory_, other.memory_, bytes_) == 0;
    }

  private:
    size_t bytes_;
    void *memory_;
};

class Run {
  public:
    Run(const File &file, const std::string &name, const std::vector<uint32_t> &cfg,
        wlk_power_up power)
        : file_(file), block_(*file.block), name_(name), cfg_(cfg),
          state_(block_.state_size(cfg_.data())), ports_(ports_of(block_, cfg_)) {
        for (size_t i = 0; i < ports_.size(); i++) {
            if (ports_[i].present) {
                index_[ports_[i].name] = i;
            }
        }
        block_.table->layout(cfg_.data(), &layout_);
        block_.init(cfg_.data(), state_.get(), power);
    }

    static std::vector<wlk_port> ports_of(const wlk_block &block,
                                          const std::vector<uint32_t> &cfg) {
        std::vector<wlk_port> ports(block.table->ports(cfg.data(), nullptr, nullptr, 0));
        block.table->ports(cfg.data(), nullptr, ports.data(), static_cast<uint32_t>(ports.size()));
        return ports;
    }

    void line(const Line &at, const std::string &text, Env env, int outer);
    void walk(const std::string &prefix, std::vector<Texts> &found) const;

    unsigned long failed = 0, asserted = 0, steps = 0; // rows that step took

  private:
    using Set = std::map<size_t, Expected>; // by port

    const File &file_;
    const wlk_block &block_;
    std::string name_;
    std::vector<uint32_t> cfg_;
    State state_;
    std::vector<wlk_port> ports_;
    std::map<std::string, size_t> index_;
    wlk_layout layout_;
    std::string always_, where_;

    __attribute__((format(printf, 2, 3))) void fail(const char *format, ...) {
        va_list args;
        failed++;
        std::printf("%s: %s: ", where_.c_str(), name_.c_str());
        va_start(args, format);
        std::vprintf(format, args);
        va_end(args);
        std::printf("\n");
    }
    std::string emitted(const std::string &name) const;
    std::vector<size_t> named(const std::string &name, bool out) const;
    void put(const std::string &name, const std::string &value, bool out, Set &set) const;
    void assign(const std::string &word, bool out, Set &set) const;
    void cycle(const Row &row);
    void about_cycle(const Texts &words, const State &before, const Words &in,
                     const wlk_step_info &info);
    void outputs(const Set &expected, const Words &out, const Words &care);
    bool all_ways(const Set &expected, const Words &in, Words out, const Words &care,
                  const State &after, const wlk_step_info &ticked);
    Elements elements(const State &state) const;
    wlk_view view(const Words &words, bool out) const;
    uint32_t points(const wlk_point *list, uint32_t n, const std::string &names) const;
};

std::string Run::emitted(const std::string &name) const {
    std::string text = name;
    const auto alias = file_.aliases.find(name.substr(0, name.find_first_of(".[")));
    if (alias != file_.aliases.end()) {
        text.replace(0, alias->first.size(), alias->second);
    }
    std::string plain;
    for (const char c : text) {
        plain += c == '.' || c == '[' ? "_" : c == ']' ? "" : std::string(1, c);
    }
    return plain;
}

std::vector<size_t> Run::named(const std::string &name, bool out) const {
    std::vector<size_t> ports;
    const std::string plain = emitted(name);
    const bool below = plain.size() > 2 && plain.compare(plain.size() - 2, 2, "_*") == 0;
    for (const auto &known : index_) {
        const std::string &port = known.first;
        const bool io = port.compare(0, 3, "io_") == 0;
        if (port.compare(io ? 3 : 0, std::string::npos, plain) == 0 || port == plain ||
            (below && port.compare(io ? 3 : 0, plain.size() - 1, plain, 0, plain.size() - 1) == 0 &&
             ports_[known.second].is_out == out)) {
            ports.push_back(known.second);
        }
    }
    return ports;
}

void Run::walk(const std::string &prefix, std::vector<Texts> &found) const {
    for (const size_t i : named(prefix + ".*", false)) {
        for (uint32_t bit = 0; bit < ports_[i].width; bit++) {
            found.push_back({std::string(ports_[i].name).substr(emitted(prefix).size() + 4),
                             std::to_string(UINT64_C(1) << bit)});
        }
    }
}

// A value, `?`, `x` or `x:MASK` of the ports of that name, `[*]` apart.
void Run::put(const std::string &name, const std::string &value, bool out, Set &set) const {
    const std::vector<size_t> ports = named(name, out);
    if (ports.empty()) {
        bad("no port '" + name + "' in this configuration");
    }
    for (const size_t i : ports) {
        const wlk_port &port = ports_[i];
        Expected e = {value[0] != 'x' && value[0] != '?', 0};
        if (e.known || value.size() > 1) {
            e.value = value_of(e.known ? value : value.substr(2));
        } else {
            e.value = out ? 0 : wlk_mask(port.width);
        }
        if ((e.value & ~wlk_mask(port.width)) != 0) {
            std::string what = value;
            bad(what.append(" is too wide for ").append(name));
        }
        if (port.is_out != out) {
            std::string what = name;
            bad(what.append(out ? " is an input" : " is an output"));
        }
        set[i] = e;
    }
}

// "port", "!port", "port=value", "port[*]=1,2", "port[*]=5".
void Run::assign(const std::string &word, bool out, Set &set) const {
    const size_t equals = word.find('=');
    const bool inverted = word[0] == '!';
    const std::string name = word.substr(inverted, equals - inverted);
    const std::string value =
        equals == std::string::npos ? (inverted ? "0" : "1") : word.substr(equals + 1);
    const size_t star = name.find("[*]");
    if (value.empty() || star == std::string::npos) {
        return value.empty() ? bad("no value: '" + word + "'") : put(name, value, out, set);
    }
    const Texts list = split(value, ",");
    size_t n = 0;
    for (;; n++) {
        std::string one = name;
        const std::vector<size_t> ports =
            named(one.replace(star, 3, "[" + std::to_string(n) + "]"), out);
        if (ports.empty()) {
            break;
        }
        const bool bit = list.size() == 1 && ports_[ports[0]].width == 1 &&
                         value.find_first_of("?@") == std::string::npos;
        if (list.size() > n || list.size() == 1) {
            std::string v = list[list.size() == 1 ? 0 : n];
            for (size_t at; (at = v.find('@')) != std::string::npos;) {
                v.replace(at, 1, std::to_string(n));
            }
            put(one, bit ? std::to_string(value_of(v) >> n & 1u) : v, out, set);
        }
    }
    if (n == 0 || (list.size() > 1 && list.size() != n)) {
        bad("'" + word + "': there are " + std::to_string(n));
    }
}

uint32_t Run::points(const wlk_point *list, uint32_t n, const std::string &names) const {
    uint32_t set = 0;
    for (const std::string &name : split(names, ",")) {
        uint32_t i = 0;
        while (i < n && name != list[i].name) {
            i++;
        }
        if (i == n) {
            bad("no rule or coverage point '" + name + "'");
        }
        set |= UINT32_C(1) << i;
    }
    return set;
}

Elements Run::elements(const State &state) const {
    Elements all;
    if (block_.visit != nullptr) {
        block_.visit(cfg_.data(), state.get(), visit_element, &all);
    }
    return all;
}

wlk_view Run::view(const Words &words, bool out) const {
    wlk_view v = {};
    v.control = words.data();
    const uint32_t n = out ? layout_.n_out_payloads : layout_.n_in_payloads;
    for (uint32_t i = 0; i < n; i++) {
        v.payload[i] = &words[(out ? layout_.out_payload : layout_.in_payload)[i].word];
    }
    return v;
}

void Run::outputs(const Set &expected, const Words &out, const Words &care) {
    for (const auto &e : expected) {
        const wlk_port &port = ports_[e.first];
        const unsigned long long got = wlk_port_get(&port, out.data());
        const unsigned long long cared = wlk_port_get(&port, care.data());
        asserted++;
        if (!e.second.known && cared != 0) {
            fail("%s has care 0x%llx, not 0", port.name, cared);
        } else if (e.second.known && cared != wlk_mask(port.width)) {
            fail("%s has care 0x%llx", port.name, cared);
        } else if (e.second.known && got != e.second.value) {
            fail("%s is %llu (0x%llx), not %llu", port.name, got, got,
                 static_cast<unsigned long long>(e.second.value));
        }
    }
}

// record and step do what eval and tick did.
bool Run::all_ways(const Set &expected, const Words &in, Words out, const Words &care,
                   const State &after, const wlk_step_info &ticked) {
    bool full = true;
    for (const wlk_port &port : ports_) {
        full = full && (!port.is_out || !port.present ||
                        wlk_port_get(&port, care.data()) == wlk_mask(port.width));
    }
    const Elements wanted = elements(after);
    Words out2(out.size()), care2(out.size());
    const State recorded(state_), stepped(state_);
    wlk_step_info info = {};
    block_.record(cfg_.data(), recorded.get(), in.data(), out2.data(), care2.data(), &info);
    if (out2 != out || care2 != care || info.violated != ticked.violated ||
        info.events != ticked.events || !(elements(recorded) == wanted)) {
        fail("record differs from eval and tick");
    }
    const wlk_view given = view(in, false), got = view(out, true);
    for (const auto &e : expected) {
        const wlk_port &port = ports_[e.first];
        if (full) {
            wlk_port_set(&port, out.data(), wlk_port_get(&port, out.data()) ^ 1u);
            const bool taken = block_.step(cfg_.data(), stepped.get(), &given, &got, &info) == 0;
            wlk_port_set(&port, out.data(), wlk_port_get(&port, out.data()) ^ 1u);
            if (taken) {
                fail("step does not compare %s", port.name);
                return true;
            }
        }
    }
    if (!stepped.same_bytes(state_)) {
        fail("step changes the state though it answers 1");
    }
    const int answer = block_.step(cfg_.data(), stepped.get(), &given, &got, &info);
    // It may look closer while a register that decides is unknown, which ends once for all.
    if (answer == 0 ? info.violated != ticked.violated || !(elements(stepped) == wanted)
                    : full && (steps != 0 || block_.outcomes == nullptr)) {
        fail("step differs from eval and tick");
    }
    return answer == 0;
}

void Run::about_cycle(const Texts &words, const State &before, const Words &in,
                      const wlk_step_info &info) {
    const wlk_table &table = *block_.table;
    uint32_t violated = 0;
    for (const std::string &word : words) {
        const size_t equals = word.find('=');
        const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
        asserted++;
        if (key == "violates") {
            violated = points(table.rules, table.n_rules, value);
        } else if (key == "covers") {
            const uint32_t wanted = points(table.covers, table.n_covers, value);
            if ((info.events & wanted) != wanted) {
                fail("%s are not all covered", value.c_str());
            }
        } else if (key == "drained") {
            if (block_.drained(cfg_.data(), before.get()) != (value_of(value) != 0)) {
                fail("drained is not %s", value.c_str());
            }
        } else if (key == "outcomes") {
            const uint32_t n = block_.outcomes(cfg_.data(), before.get(), in.data());
            if (n != value_of(value)) {
                fail("%u outcomes, not %s", n, value.c_str());
            }
        } else { // state.
            const Elements all = elements(before);
            const auto found = std::find_if(
                all.begin(), all.end(), [&](const auto &a) { return a.first == key.substr(6); });
            // Blocks leave out what is 0.
            const Element none = {{0}, 1};
            const Element &e = found == all.end() ? none : found->second;
            if (value == "?" ? e.known != 0 : e.known == 0 || e.words[0] != value_of(value)) {
                fail("%s is not %s", key.c_str(), value.c_str());
            }
        }
    }
    if (info.violated != violated) {
        fail("rules broken: 0x%x, not 0x%x", info.violated, violated);
    }
}

void Run::cycle(const Row &row) {
    static const char *const other[] = {"violates=", "covers=", "drained=", "outcomes=", "state."};
    Set given, expected;
    Texts about;
    std::string assumed;
    for (const std::string &word : row.in) {
        if (word.compare(0, 7, "assume=") == 0) {
            assumed = word.substr(7);
        } else {
            assign(word, false, given);
        }
    }
    for (const std::string &word : row.out) {
        const auto is = [&](const char *key) {
            return word.compare(0, std::strlen(key), key) == 0;
        };
        if (std::any_of(std::begin(other), std::end(other), is)) {
            about.push_back(word);
        } else {
            assign(word, true, expected);
        }
    }
    Words in(layout_.in_words), x(layout_.in_words), out(layout_.out_words), care(out);
    for (const auto &g : given) {
        wlk_port_set(&ports_[g.first], (g.second.known ? in : x).data(), g.second.value);
    }
    const bool unknown = std::any_of(x.begin(), x.end(), [](uint64_t w) { return w != 0; });
    const State before(state_);
    const uint32_t *cfg = cfg_.data();
    if (!assumed.empty()) {
        block_.assume(cfg, state_.get(), in.data(), static_cast<uint32_t>(value_of(assumed)));
    }
    const State assuming(state_);
    block_.eval(cfg, state_.get(), in.data(), out.data(), care.data());
    if (!state_.same_bytes(assuming)) {
        fail("eval changes the state");
    }
    const State after(state_);
    wlk_step_info info = {};
    block_.tick(cfg, after.get(), in.data(), &info);
    outputs(expected, out, care);
    if (all_ways(expected, in, out, care, after, info) && !row.look) {
        steps++;
    }
    about_cycle(about, assuming, in, row.look && info.violated != 0 ? wlk_step_info() : info);
    if (unknown) {
        block_.forget(cfg, after.get(), in.data(), x.data());
    }
    const State &next = row.look ? before : after;
    std::memcpy(state_.get(), next.get(), block_.state_size(cfg));
}

// A line of a case: `always`, a macro of rows, or a row.
void Run::line(const Line &at, const std::string &text, Env env, int outer) {
    Texts words = split(text);
    if (words.at(0) == "always") {
        always_ = rest_of(text, "always");
        return;
    }
    if (words[0] == "for" && words.size() > 4 && words[2] == "=") {
        std::string range = words[3];
        substitute(range, env);
        for (const std::string &v : series(range)) {
            env[words[1]] = v;
            line(at, text.substr(text.find(words[3], text.find('=')) + words[3].size() + 1), env,
                 outer);
        }
        return;
    }
    const size_t star = words[0].size() - 1;
    if (words[0][star] == '*') {
        std::string count = words[0].substr(0, star);
        substitute(count, env);
        for (uint64_t n = value_of(count); n > 0; n--) {
            line(at, text.substr(star + 1 + text.find(words[0])), env, outer);
        }
        return;
    }
    const auto macro = file_.macros.find(words[0].substr(0, words[0].find('(')));
    if (macro != file_.macros.end() && !macro->second.rows.empty()) {
        std::string call = words[0];
        substitute(call, env);
        const size_t open = call.find('(');
        const Texts args = open == std::string::npos
                               ? Texts()
                               : split(call.substr(open + 1, call.size() - open - 2), ", ");
        const Texts &params = macro->second.params;
        if (words.size() > 1 || args.size() > params.size() || outer != 0) {
            bad("arguments or place of '" + words[0] + "'");
        }
        for (size_t i = 0; i < params.size(); i++) {
            env[params[i]] = i < args.size() ? args[i] : "_";
        }
        for (const Line &row : macro->second.rows) {
            line(row, row.text, env, at.number);
        }
        return;
    }
    Row row;
    where_ = file_.path + ":" + std::to_string(at.number);
    where_ += outer != 0 ? " (from line " + std::to_string(outer) + ")" : "";
    expand(file_, split(always_), env, row, false, 0);
    expand(file_, words, env, row, false, 0);
    cycle(row);
}

/* ---- cases ---- */

class Program {
  public:
    Program(const std::string &path, const char *only) : only_(only) {
        file_.path = path;
    }
    int main();

  private:
    File file_;
    const char *only_;
    int at_ = 0;
    unsigned long failed_ = 0, cases_ = 0, taken_ = 0;

    std::vector<uint32_t> defaults() const {
        std::vector<uint32_t> cfg(WLK_MAX_PARAMS);
        wlk_config_defaults(file_.block->table, cfg.data());
        set(cfg, file_.config);
        return cfg;
    }
    void set(std::vector<uint32_t> &cfg, const Texts &words) const {
        for (const std::string &word : words) {
            const size_t equals = word.find('=');
            wlk_error err = {};
            if (equals == std::string::npos ||
                wlk_config_set(file_.block->table, cfg.data(), word.substr(0, equals).c_str(),
                               word.substr(equals + 1).c_str(), &err) != WLK_OK) {
                bad("'" + word + "' " + err.text);
            }
        }
    }
    void check(const std::vector<uint32_t> &cfg) const {
        wlk_error err = {};
        if (file_.block->check(cfg.data(), &err) != WLK_OK) {
            bad(err.text);
        }
    }
    void refuse(const Line &line, const std::string &name);
    void run(const Case &c);
    unsigned long run_once(const Case &c, const Env &env, const std::string &name);
    std::vector<Env> environments(const Case &c);
};

void Program::refuse(const Line &line, const std::string &name) {
    const std::string verb = split(line.text)[0], rest = rest_of(line.text, verb);
    const size_t colon = rest.find(" : ");
    std::string why;
    try {
        std::vector<uint32_t> cfg = defaults();
        set(cfg, split(rest.substr(0, colon)));
        check(cfg);
    } catch (const std::runtime_error &e) {
        why = e.what();
    }
    bool ok = why.empty() == (verb == "accept");
    if (colon != std::string::npos) {
        for (const std::string &text : split(rest.substr(colon + 3), ";")) {
            ok = ok && why.find(rest_of(text, "")) != std::string::npos;
        }
    }
    if (!ok) {
        failed_++;
        std::printf("%s:%d: %s: not so: %s\n", file_.path.c_str(), line.number, name.c_str(),
                    why.c_str());
    }
}

std::vector<Env> Program::environments(const Case &c) {
    std::vector<Env> all(1);
    for (const Line &line : c.lines) {
        const Texts words = split(line.text);
        if (words[0] != "with" && words[0] != "walk") {
            continue;
        }
        at_ = line.number;
        const size_t equals = line.text.find('=');
        Texts names = split(line.text.substr(4, equals - 4));
        std::vector<Texts> rows;
        if (words[0] == "walk") {
            std::vector<uint32_t> cfg = defaults();
            for (const std::string &word : split(c.head.text)) {
                if (word.find('$') == std::string::npos && word.compare(0, 6, "start=") != 0 &&
                    word.find('=') != std::string::npos) {
                    set(cfg, {word});
                }
            }
            const Run run(file_, "", cfg, WLK_POWER_ZERO);
            run.walk(rest_of(line.text, line.text.substr(0, equals + 1)), rows);
            if (names.size() != 3 || rows.size() != value_of(names[2])) {
                bad("walk of " + std::to_string(rows.size()) + " bits");
            }
            names.pop_back();
        } else if (line.text.find("..", equals) != std::string::npos) {
            for (const std::string &v : series(words.back())) {
                rows.push_back({v});
            }
        } else {
            for (const std::string &row : split(line.text.substr(equals + 1), ";")) {
                rows.push_back(split(row));
            }
        }
        std::vector<Env> next;
        for (const Env &env : all) {
            for (const Texts &row : rows) {
                next.push_back(env);
                if (row.size() != names.size()) {
                    bad("'with' has " + std::to_string(names.size()) + " names, a row of it " +
                        std::to_string(row.size()));
                }
                for (size_t i = 0; i < row.size(); i++) {
                    next.back()[names[i]] = row[i];
                }
            }
        }
        all = next;
    }
    return all;
}

unsigned long Program::run_once(const Case &c, const Env &env, const std::string &name) {
    Texts config;
    std::string start = file_.start;
    wlk_power_up power = WLK_POWER_UNKNOWN;
    Texts words = split(c.head.text);
    for (size_t i = 2; i < words.size(); i++) {
        if (!substitute(words[i], env)) {
            continue;
        }
        if (words[i].compare(0, 6, "start=") == 0) {
            start = words[i].substr(6);
        } else if (words[i] == "power=zero") {
            power = WLK_POWER_ZERO;
        } else {
            config.push_back(words[i]);
        }
    }
    std::vector<uint32_t> cfg = defaults();
    set(cfg, config);
    check(cfg);
    Run run(file_, name, cfg, power);
    if (start != "none") {
        run.line(c.head, start, env, 0);
    }
    for (const Line &line : c.lines) {
        at_ = line.number;
        const std::string word = split(line.text)[0];
        if (word == "refuse" || word == "accept") {
            refuse(line, name);
            run.asserted++;
        } else if (word != "with" && word != "walk") {
            run.line(line, line.text, env, 0);
        }
    }
    failed_ += run.failed;
    taken_ += run.steps;
    return run.asserted;
}

void Program::run(const Case &c) {
    const std::string name = split(c.head.text).at(1);
    unsigned long asserted = 0;
    at_ = c.head.number;
    for (const Env &env : environments(c)) {
        std::string label = name;
        for (const auto &v : env) {
            label += " " + v.first + "=" + v.second;
        }
        asserted += run_once(c, env, label);
        cases_++;
    }
    at_ = c.head.number;
    if (asserted == 0) {
        bad("case '" + name + "' expects nothing");
    }
}

int Program::main() {
    std::set<std::string> names;
    try {
        const std::vector<Line> lines = lines_of(file_.path);
        for (size_t i = 0; i < lines.size(); i++) {
            at_ = lines[i].number;
            add_line(file_, lines, i);
        }
        if (file_.block == nullptr) {
            bad("no block");
        }
        for (const Case &c : file_.cases) {
            at_ = c.head.number;
            const std::string name = split(c.head.text).at(1);
            if (!names.insert(name).second) {
                bad("case '" + name + "' twice");
            }
            if (only_ == nullptr || name == only_) {
                run(c);
            }
        }
        if (only_ == nullptr && taken_ == 0) {
            bad("step takes no row");
        }
    } catch (const std::exception &e) {
        std::printf("%s:%d: %s\n", file_.path.c_str(), at_, e.what());
        return 2;
    }
    std::printf("%lu cases, %lu failed checks\n", cases_, failed_);
    return failed_ != 0 || cases_ == 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        std::printf("usage: cases FILE [CASE]\n");
        return 2;
    }
    return Program(argv[1], argc > 2 ? argv[2] : nullptr).main();
}
