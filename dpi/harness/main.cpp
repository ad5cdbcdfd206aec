// SPDX-License-Identifier: Apache-2.0
// The lockstep harness around one Verilated module: what calls its class; the files beside this one
// do the rest.
#include <memory>

#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

#include "data.h"
#include "harness.h"
#include "wlk_harness.h"

namespace {

int words;
char **first_word;

struct Dut {
    VerilatedContext context;
    std::unique_ptr<Top> top;
    void *own = nullptr; // the block's checker, where it is not bound
    const uint64_t *in = nullptr;
#if VM_TRACE
    std::unique_ptr<VerilatedFstC> trace;
#endif
};

volatile uint64_t evaluations; // odd: in one

void evaluate(Dut *dut) {
    evaluations = evaluations + 1;
    wlk_harness_tick(dut->top.get());
    dut->top->eval();
    evaluations = evaluations + 1;
}

void *open_dut(uint64_t seed, int random, const char *waves) {
    auto *dut = new Dut;
    dut->context.commandArgs(words, first_word);
    dut->context.randReset(random ? 2 : 0);
    dut->context.randSeed(static_cast<int>(seed & 0x7fffffff) + 1);
#if VM_TRACE
    dut->context.traceEverOn(waves != nullptr);
#endif
    dut->top = std::make_unique<Top>(&dut->context);
    wlk_harness_clock(dut->top.get(), 0);
    if (wlk_harness_is_held) { // an evaluation before the first change of the tick
        dut->top->eval();
    }
    if (wlk_harness_async_reset) { // an asynchronous reset needs an edge of its own
        wlk_harness_release(dut->top.get());
        evaluate(dut);
    }
#if VM_TRACE
    if (waves != nullptr) {
        dut->trace = std::make_unique<VerilatedFstC>();
        dut->top->trace(dut->trace.get(), 99);
        dut->trace->open(waves);
    }
#else
    (void)waves;
#endif
    dut->own = wlk_harness_own();
    return dut;
}

void drive_dut(void *handle, const uint64_t *in) {
    auto *dut = static_cast<Dut *>(handle);
    wlk_harness_clock(dut->top.get(), 0);
    wlk_harness_drive(dut->top.get(), in);
    evaluate(dut);
    dut->in = in;
}

void edge_dut(void *handle) {
    auto *dut = static_cast<Dut *>(handle);
    if (dut->own != nullptr) {
        wlk_harness_check(dut->top.get(), dut->own, dut->in);
    }
    wlk_harness_clock(dut->top.get(), 1);
    evaluate(dut);
}

void settle_dut(void *handle) {
    evaluate(static_cast<Dut *>(handle));
}

// Ten time units a cycle, rising edge at +5, inputs changing at +0.
void dump_dut(void *handle, uint64_t time) {
#if VM_TRACE
    auto *dut = static_cast<Dut *>(handle);
    if (dut->trace != nullptr) {
        dut->trace->dump(time);
    }
#else
    (void)handle;
    (void)time;
#endif
}

void observe_dut(void *handle, uint64_t *out) {
    wlk_harness_observe(static_cast<const Dut *>(handle)->top.get(), out);
}

void close_dut(void *handle) {
    auto *dut = static_cast<Dut *>(handle);
#if VM_TRACE
    if (dut->trace != nullptr) {
        dut->trace->close();
    }
#endif
    dut->top->final();
    if (dut->own != nullptr) {
        (void)wlk_dpi_close(dut->own);
    }
    delete dut;
}

} // namespace

// What would end a simulation goes to the harness, which decides.
void vl_stop(const char *file, int line, const char *) {
    wlk_harness_end(file, line, false);
}

void vl_finish(const char *file, int line, const char *) {
    wlk_harness_end(file, line, true);
}

void vl_fatal(const char *file, int line, const char *, const char *message) {
    wlk_harness_fatal(file, line, message);
}

void wlk_data_refuse(const char *name, const std::string &why) {
    wlk_harness_fatal(name, 0, why.c_str());
}

int main(int argc, char **argv) {
    words = argc;
    first_word = argv;
    const wlk_harness_dut dut = {
        wlk_harness_block, wlk_harness_cfg, open_dut,    drive_dut, edge_dut,
        settle_dut,        dump_dut,        observe_dut, close_dut, wlk_harness_async_reset,
        &evaluations};
    return wlk_harness_main(&dut, argc, argv);
}
