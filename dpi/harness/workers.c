// SPDX-License-Identifier: Apache-2.0
// Seeds in several processes. Each passing seed leaves its sums in memory that is shared; they are
// added in the order of seeds, and the first seed that does not pass is run once more by the
// harness itself, so that the answer is the same as with one process.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness_private.h"

enum { MOST = 256, POLL_NS = 2000000 };

// What a seed adds to the sums of a run.
struct sums {
    atomic_bool passed;
    uint64_t ran, compared, masked, lines;
    place early;
    uint64_t events[WLK_MAX_COVERS];
    wlk_share shares[]; // without names; behind them what waivers have masked
};

typedef struct pool {
    atomic_uint_fast64_t next, end; // seeds from the second on: to be run next, and up to which
    atomic_uint_fast64_t passed;
    char seeds[]; // their sums
} pool;

static size_t sums_size(const harness *b) {
    return sizeof(sums) + b->n_shares * sizeof(wlk_share) + b->n_waivers * sizeof(waived);
}

static waived *waived_of(const harness *b, const sums *s) {
    return (waived *)(void *)(s->shares + b->n_shares);
}

static sums *sums_of(const harness *b, pool *p, uint64_t index) {
    return (sums *)(void *)(p->seeds + index * sums_size(b));
}

static void clear(harness *b) {
    b->ran = b->compared = b->masked = 0;
    memset(b->events, 0, sizeof b->events);
    memset(&b->early, 0, sizeof b->early);
    waived_clear(b);
    for (uint32_t i = 0; i < b->n_shares; i++) {
        wlk_share *s = &b->shares[i];
        *s = (wlk_share){.name = s->name, .width = s->width};
    }
}

static void leave(const harness *b, sums *s, uint64_t lines) {
    s->ran = b->ran;
    s->compared = b->compared;
    s->masked = b->masked;
    s->lines = printed_lines(0) - lines;
    s->early = b->early;
    memcpy(s->events, b->events, sizeof s->events);
    for (uint32_t i = 0; i < b->n_shares; i++) {
        s->shares[i] = b->shares[i];
    }
    waived_leave(b, waived_of(b, s));
    atomic_store(&s->passed, true);
}

static void add_counts(harness *b, const sums *s) {
    b->ran += s->ran;
    b->compared += s->compared;
    b->masked += s->masked;
    (void)printed_lines(s->lines);
    const uint64_t early = b->early.count + s->early.count;
    if (b->early.count == 0) {
        b->early = s->early;
    }
    b->early.count = early;
    for (uint32_t i = 0; i < WLK_MAX_COVERS; i++) {
        b->events[i] += s->events[i];
    }
    for (uint32_t i = 0; i < b->n_shares; i++) {
        wlk_share_add(&b->shares[i], &s->shares[i]);
    }
    waived_gather(b, waived_of(b, s));
}

static void add(harness *b, const sums *s) {
    add_counts(b, s);
    b->seeds_run++;
    b->done += b->cycles;
}

sums *sums_take(const harness *b) {
    sums *s = calloc(1, sums_size(b));
    if (s != NULL) {
        leave(b, s, 0);
    }
    return s;
}

void sums_put_back(harness *b, const sums *s) {
    clear(b);
    printed_uncount(0);
    if (s != NULL) {
        add_counts(b, s);
    }
}

// In a process of its own: seeds that nobody has taken, until one does not pass.
static void run_passing(harness *b, void *shared) {
    pool *p = (pool *)shared;
    wlk_error err;
    for (;;) {
        const uint64_t index = atomic_fetch_add(&p->next, 1);
        if (index >= atomic_load(&p->end)) {
            return;
        }
        const uint64_t lines = printed_lines(0);
        clear(b);
        harness_take(b, index + 1u);
        if (harness_run_seed(b, &err) != WLK_OK) {
            uint64_t end = atomic_load(&p->end);
            while (index < end && !atomic_compare_exchange_weak(&p->end, &end, index)) {
            }
            return;
        }
        leave(b, sums_of(b, p, index), lines);
        atomic_fetch_add(&p->passed, 1);
    }
}

static pid_t begin(harness *b, workers_work work, void *shared) {
    const pid_t parent = getpid(), child = fork();
    if (child != 0) {
        return child;
    }
    settle_watch(b->dut); // a new process has no timers
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)dup2(nowhere, STDERR_FILENO);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent) {
        work(b, shared);
    }
    _exit(0);
}

static void wait_for(harness *b, const atomic_uint_fast64_t *ended_seeds, const pid_t *children,
                     uint64_t n) {
    const struct timespec nap = {0, POLL_NS};
    uint64_t ended = 0;
    while (ended < n) {
        const pid_t done = waitpid(-1, NULL, WNOHANG);
        ended += done != 0; // none is left: all have
        if (done == 0) {
            tool_progress(b->done + atomic_load(ended_seeds) * b->cycles, b->total);
            (void)nanosleep(&nap, NULL);
        }
        for (uint64_t i = 0; tool_stop && i < n; i++) {
            (void)kill(children[i], SIGTERM);
        }
    }
}

bool workers_fork(harness *b, uint64_t jobs, workers_work work, void *shared,
                  const atomic_uint_fast64_t *ended_seeds) {
    pid_t children[MOST];
    uint64_t n = 0;
    while (n < jobs && n < MOST && (children[n] = begin(b, work, shared)) > 0) {
        n++;
    }
    wait_for(b, ended_seeds, children, n);
    return n != 0;
}

void workers_run(harness *b, uint64_t jobs) {
    const uint64_t left = b->n_seeds - 1u;
    const size_t size = sizeof(pool) + left * sums_size(b);
    pool *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        return; // one process will do
    }
    atomic_store(&p->end, left);
    harness_end(b);
    (void)workers_fork(b, jobs < left ? jobs : left, run_passing, p, &p->passed);
    for (uint64_t i = 0; i < left && !tool_stop && atomic_load(&sums_of(b, p, i)->passed); i++) {
        add(b, sums_of(b, p, i));
        harness_take(b, i + 1u);
    }
    (void)munmap(p, size);
}
