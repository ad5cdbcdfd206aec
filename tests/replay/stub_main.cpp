// SPDX-License-Identifier: Apache-2.0
//
// Drives a Verilated stub with the inputs of a recording and compares every output (see
// test_stub_recordings.py, which writes ports.inc and reads the answer).
//
// stdin: a line a cycle, all ports in hex. Arguments: `zero`, or `unknown` and then the
// hierarchical names of the registers that no reset reaches and that steer the block (an arbiter's
// `last`).
//
// zero: the design starts with zeros, and all must match from the first cycle on. unknown: two
// designs start with zeros and with ones; a bit on which they differ depends on what nothing has
// defined yet and is not compared. The steering registers hold the same value in both, every
// combination in turn from the first reset edge on; one of them must explain the recording.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "Vstub.h"
#include "verilated_sym_props.h"
#include "verilated_syms.h"

namespace {

using Row = std::vector<uint64_t>;

struct Port {
    const char *name;
    bool is_input;
    int width;

    uint64_t ones() const {
        return width == 64 ? ~0ULL : (1ULL << width) - 1;
    }
};

#define PORT(name, is_input, width) {#name, is_input, width},
const std::vector<Port> ports = {
#include "ports.inc"
};
#undef PORT

/** A port of the Verilated class, whose type depends on the width; the host is little-endian. */
struct Pin {
    void *data;
    size_t size;
};

/** One instance of the stub, powered up with zeros (0) or ones (1). */
class Design {
  public:
    explicit Design(int power_up) {
        context.randReset(power_up);
        top = std::make_unique<Vstub>(&context);
        top->clock = 0;
#define PORT(name, is_input, width) pins.push_back({&top->name, sizeof top->name});
#include "ports.inc"
#undef PORT
    }

    /** Verilator 5.006 takes a model's scopes out of the context that was used last. */
    ~Design() {
        Verilated::threadContextp(&context);
        top.reset();
    }

    Design(const Design &) = delete;
    Design &operator=(const Design &) = delete;

    /** The ports of the cycle, settled. */
    Row settle(const Row &row) {
        for (size_t n = 0; n < pins.size(); n++) {
            if (ports[n].is_input) {
                std::memcpy(pins[n].data, &row[n], pins[n].size);
            }
        }
        top->eval();
        Row seen(pins.size(), 0);
        for (size_t n = 0; n < pins.size(); n++) {
            std::memcpy(&seen[n], pins[n].data, pins[n].size);
        }
        return seen;
    }

    void edge() {
        top->clock = 1;
        top->eval();
        top->clock = 0;
        top->eval();
    }

    /** Sets a register of up to 8 bits; its width, or 0 when there is none of that name. */
    int set(const std::string &path, uint8_t value) {
        const size_t dot = path.rfind('.');
        const VerilatedScope *scope = context.scopeFind(path.substr(0, dot).c_str());
        const VerilatedVar *var = scope ? scope->varFind(path.substr(dot + 1).c_str()) : nullptr;
        if (var == nullptr) {
            return 0;
        }
        *static_cast<uint8_t *>(var->datap()) = value;
        return var->packed().elements();
    }

  private:
    VerilatedContext context;
    std::unique_ptr<Vstub> top;
    std::vector<Pin> pins;
};

struct Result {
    size_t cycles = 0; // that match
    uint64_t compared = 0, masked = 0;
    std::string mismatch;
};

/** Compares a cycle; false at a mismatch. */
bool same(const Row &row, const Row &low, const Row &high, Result &result) {
    for (size_t n = 0; n < ports.size(); n++) {
        if (ports[n].is_input) {
            continue;
        }
        const uint64_t care = ~(low[n] ^ high[n]) & ports[n].ones();
        result.compared += static_cast<uint64_t>(__builtin_popcountll(care));
        result.masked += static_cast<uint64_t>(__builtin_popcountll(ports[n].ones() & ~care));
        if (((low[n] ^ row[n]) & care) == 0) {
            continue;
        }
        std::ostringstream text;
        text << "cycle " << result.cycles << ": " << ports[n].name << std::hex << " recorded 0x"
             << row[n] << ", stub 0x" << low[n] << ", care 0x" << care;
        result.mismatch = text.str();
        return false;
    }
    return true;
}

Result run_zero(const std::vector<Row> &rows) {
    Design design(0);
    Result result;
    for (const Row &row : rows) {
        const Row seen = design.settle(row);
        if (!same(row, seen, seen, result)) {
            return result;
        }
        design.edge();
        result.cycles++;
    }
    return result;
}

/** A run with the steering registers at the given values; the first cycle, before any edge, is not
 * compared. */
Result run_unknown(const std::vector<Row> &rows, const std::vector<std::string> &names,
                   const std::vector<uint8_t> &values) {
    Design low(0), high(1);
    Result result;
    for (const Row &row : rows) {
        const Row seen_low = low.settle(row), seen_high = high.settle(row);
        if (result.cycles > 0 && !same(row, seen_low, seen_high, result)) {
            return result;
        }
        low.edge();
        high.edge();
        for (size_t n = 0; result.cycles == 0 && n < names.size(); n++) {
            low.set(names[n], values[n]);
            high.set(names[n], values[n]);
        }
        result.cycles++;
    }
    return result;
}

/** The next combination of values below the limits; false after the last. */
bool next(std::vector<uint8_t> &values, const std::vector<int> &bits) {
    for (size_t n = 0; n < values.size(); n++) {
        if (++values[n] < (1 << bits[n])) {
            return true;
        }
        values[n] = 0;
    }
    return false;
}

Result run_all(const std::vector<Row> &rows, const std::vector<std::string> &names, int &fitting) {
    std::vector<int> bits;
    for (const std::string &name : names) {
        bits.push_back(Design(0).set(name, 0));
        if (bits.back() == 0) {
            Result none;
            none.mismatch = "no register " + name;
            return none;
        }
    }
    std::vector<uint8_t> values(names.size(), 0);
    Result best;
    do {
        const Result result = run_unknown(rows, names, values);
        fitting += result.mismatch.empty();
        if (result.cycles > best.cycles) {
            best = result;
        }
    } while (next(values, bits));
    return best;
}

std::vector<Row> read_rows() {
    std::vector<Row> rows;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        Row row(ports.size());
        for (uint64_t &value : row) {
            words >> std::hex >> value;
        }
        rows.push_back(row);
    }
    return rows;
}

} // namespace

int main(int argc, char **argv) {
    const std::vector<Row> rows = read_rows();
    const bool zero = std::strcmp(argv[1], "zero") == 0;
    int fitting = 0;
    const Result result = zero ? run_zero(rows) : run_all(rows, {argv + 2, argv + argc}, fitting);
    std::cout << "{\"cycles\": " << result.cycles << ", \"compared\": " << result.compared
              << ", \"masked\": " << result.masked << ", \"fitting\": " << fitting
              << ", \"mismatch\": \"" << result.mismatch << "\"}\n";
    return 0;
}
