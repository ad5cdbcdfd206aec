// SPDX-License-Identifier: Apache-2.0
// Drives a Verilated module whose ports are `wlk_tick`, `clock` and the vectors `in` and `out`, and
// prints `out` before each clock edge that counts: a line a cycle, one hexadecimal number.
//
//   player ONES
//     plays stdin: a line a cycle, 32-bit words of `in` in hexadecimal, the lowest first
//   player ONES SEED CYCLES RESET INPUTS
//     plays random inputs; with RESET=1 the first cycle is one of reset, in which the other inputs
//     are 0; with INPUTS=1 each line begins with `in`
//
// Registers power up as 0, or as 1 with ONES=1.
// An input's random values depend on the seed, its name and the cycle alone, so that two modules
// get the same. Built by scripts/wlk/run/simulation.py, which writes wlk_vectors.h.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "Vwlk.h"
#include "data.h"
#include "wlk_vectors.h" // wlk_inputs, wlk_edge, WLK_IN and WLK_OUT (bits of the vectors)

namespace {

constexpr unsigned word_bits = 32;
constexpr unsigned words(unsigned bits) {
    return (bits + word_bits - 1) / word_bits;
}

// A generator with a state of 64 bits (splitmix64).
class Random {
    uint64_t state;

  public:
    explicit Random(uint64_t seed) : state(seed) {}
    uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        return z ^ z >> 31;
    }
    uint64_t below(uint64_t limit) {
        return next() % limit;
    }
};

uint64_t hash(const char *name, uint64_t seed) {
    uint64_t h = 0xcbf29ce484222325ull ^ seed;
    for (; *name != '\0'; name++) {
        h = (h ^ static_cast<unsigned char>(*name)) * 0x100000001b3ull;
    }
    return h;
}

// What all inputs have in common: for how long they behave alike, values that they share, resets.
struct Phase {
    static constexpr unsigned shared = 4;
    Random random;
    uint64_t left = 0;
    uint64_t value[shared] = {};
    uint64_t resets = 0; // cycles of reset to come
    bool begins = false;

    explicit Phase(uint64_t seed) : random(seed) {}
    void advance() {
        begins = left == 0;
        if (begins) {
            left = 8ull << random.below(6);
            for (uint64_t &each : value) {
                each = random.next() >> random.below(64);
            }
            resets = random.below(8) == 0 ? 1 + random.below(3) : 0;
        }
        left--;
        resets = random.below(256) == 0 ? 1 : resets;
    }
};

// The values of one input.
class Input {
    enum Kind { uniform, held, among, small, ends, one_hot, counted, kinds };
    const wlk_input &port;
    Random random;
    unsigned kind = uniform;
    unsigned chance = 8;         // of 16, that a bit is 1
    std::vector<uint64_t> value; // 64 bits each

    void fill(uint64_t word) {
        for (uint64_t &each : value) {
            each = word;
        }
    }
    void vary() {
        for (uint64_t &each : value) {
            each = random.next();
        }
    }

  public:
    Input(const wlk_input &input, uint64_t seed)
        : port(input), random(hash(input.name, seed)), value((input.width + 63) / 64) {}

    void advance(Phase &phase, bool is_quiet) {
        static const unsigned chances[] = {1, 4, 8, 12, 15};
        if (phase.begins) {
            kind = static_cast<unsigned>(random.below(kinds));
            chance = chances[random.below(5)];
        }
        if (port.active >= 0) {
            const bool asserted = is_quiet || (phase.resets > 0 && random.below(4) != 0);
            value[0] = static_cast<uint64_t>(asserted == (port.active == 1));
            return;
        }
        if (is_quiet) {
            fill(0);
            return;
        }
        if (port.width == 1) {
            value[0] = static_cast<uint64_t>(random.below(16) < chance);
            return;
        }
        switch (kind) {
        case held:
            if (random.below(8) == 0) {
                vary();
            }
            break;
        case among:
            fill(phase.value[random.below(Phase::shared)]);
            break;
        case small:
            fill(0);
            value[0] = random.below(4);
            break;
        case ends:
            fill(random.below(2) == 0 ? 0 : UINT64_MAX);
            break;
        case one_hot: {
            const uint64_t bit = random.below(port.width);
            fill(0);
            value[bit / 64] = 1ull << bit % 64;
            break;
        }
        case counted:
            value[0]++;
            break;
        default:
            vary();
        }
    }

    void put(uint32_t *in) const {
        for (unsigned bit = 0; bit < port.width; bit++) {
            const unsigned at = port.lsb + bit;
            const uint32_t one = 1u << at % word_bits;
            const bool is_set = (value[bit / 64] >> bit % 64 & 1) != 0;
            in[at / word_bits] = is_set ? in[at / word_bits] | one : in[at / word_bits] & ~one;
        }
    }
};

FILE *results;

void print(const uint32_t *vector, unsigned bits, char end) {
    for (unsigned word = words(bits); word-- > 0;) {
        std::fprintf(results, "%08" PRIx32, vector[word]);
    }
    std::fputc(end, results);
}

struct Module {
    VerilatedContext context;
    Vwlk top;

    // The constructor of the model initialises registers, so the context must be set up first.
    explicit Module(bool ones) : top{begin(ones)} {
        top.clock = !wlk_edge;
        top.wlk_tick = 0;
        top.eval();
    }
    ~Module() {
        top.final();
    }
    VerilatedContext *begin(bool ones) {
        context.randReset(ones ? 1 : 0);
        return &context;
    }
    void set(const uint32_t *in, bool clock) {
        std::memcpy(&top.in[0], in, words(WLK_IN) * sizeof *in);
        top.clock = clock;
        top.wlk_tick = top.wlk_tick ^ 1;
        top.eval();
    }
    void cycle(const uint32_t *in, bool show) {
        set(in, !wlk_edge);
        if (show) {
            print(in, WLK_IN, ' ');
        }
        print(&top.out[0], WLK_OUT, '\n');
        set(in, wlk_edge);
    }
};

int play(bool ones) {
    Module module{ones};
    uint32_t in[words(WLK_IN)];
    for (;;) {
        for (unsigned word = 0; word < words(WLK_IN); word++) {
            if (std::scanf("%" SCNx32, &in[word]) != 1) {
                return word == 0 ? 0 : 1;
            }
        }
        module.cycle(in, false);
    }
}

int drive(bool ones, uint64_t seed, uint64_t cycles, bool begins_with_reset, bool show) {
    Module module{ones};
    Phase phase{seed};
    std::vector<Input> inputs;
    for (const wlk_input &each : wlk_inputs) {
        if (each.width > 0) {
            inputs.emplace_back(each, seed);
        }
    }
    uint32_t in[words(WLK_IN)] = {};
    for (uint64_t cycle = 0; cycle < cycles; cycle++) {
        phase.advance();
        for (Input &each : inputs) {
            each.advance(phase, cycle == 0 && begins_with_reset);
            each.put(in);
        }
        phase.resets -= phase.resets > 0 ? 1 : 0;
        module.cycle(in, show);
    }
    return 0;
}

} // namespace

// What would end a simulation does not end this one.
void vl_stop(const char *, int, const char *) {}
void vl_finish(const char *, int, const char *) {}

void vl_fatal(const char *file, int line, const char *, const char *message) {
    std::fprintf(stderr, "vectors: %s:%d: %s\n", file, line, message);
    std::exit(3);
}

void wlk_data_refuse(const char *name, const std::string &why) {
    std::fprintf(stderr, "vectors: %s: %s\n", name, why.c_str());
    std::exit(4);
}

int main(int argc, char **argv) {
    const rlimit limit = {WLK_SECONDS, WLK_SECONDS + 1}; // RTL may loop for ever
    (void)setrlimit(RLIMIT_CPU, &limit);
    results = fdopen(dup(STDOUT_FILENO), "w");
    if (results == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) { // what the RTL prints
        return 2;
    }
    uint64_t given[5] = {};
    for (int n = 1; n < argc && n <= 5; n++) {
        given[n - 1] = std::strtoull(argv[n], nullptr, 10);
    }
    const bool ones = given[0] != 0;
    const int code =
        argc <= 2 ? play(ones) : drive(ones, given[1], given[2], given[3] != 0, given[4] != 0);
    return std::fclose(results) == 0 ? code : 2;
}
