// SPDX-License-Identifier: Apache-2.0
// RTL that never settles: a loop without an end in one evaluation, which Verilator, unlike a loop
// through signals, does not notice. A clock of the processor's time looks whether an evaluation
// has lasted since it looked last.
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "harness_private.h"

enum { SECONDS = 30 }; // of one evaluation at least; twice that at most

static const volatile uint64_t *evaluations;
static uint64_t last;

static void look(int signal) {
    static const char message[] =
        "harness: the RTL does not settle: one evaluation of it takes more than the time that it "
        "may; look for a loop without an end, or give more by WARPLOCK_SETTLE_SECONDS\n";
    (void)signal;
    const uint64_t now = *evaluations;
    if (now % 2 == 1 && now == last) {
        (void)!write(STDERR_FILENO, message, sizeof message - 1u);
        _exit(WLK_BAD_RTL);
    }
    last = now;
}

void settle_watch(const wlk_harness_dut *dut) {
    if (dut->evaluations == NULL) {
        return;
    }
    evaluations = dut->evaluations;
    const char *given = getenv("WARPLOCK_SETTLE_SECONDS");
    const long seconds = given != NULL ? strtol(given, NULL, 10) : SECONDS;
    const struct timeval period = {.tv_sec = seconds > 0 ? seconds : SECONDS};
    const struct itimerval every = {period, period};
    struct sigaction how = {.sa_handler = look, .sa_flags = SA_RESTART};
    (void)sigaction(SIGVTALRM, &how, NULL);
    (void)setitimer(ITIMER_VIRTUAL, &every, NULL);
}
