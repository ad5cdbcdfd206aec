// SPDX-License-Identifier: Apache-2.0
// What a run has to do: random streams, or a program from a file.
#include "explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

// The shortest line of a program, and what an instruction takes while its list grows
// (docs/program-format.md).
enum { SHORTEST_LINE = 22, GROWING_BYTES = 3 * sizeof(wlk_instruction) };

// ---- streams ----------------------------------------------------------------------------------

static wlk_status open_streams(explore_workload *work, const explore_job *job, wlk_error *err) {
    const wlk_issue_x_cfg *cfg = explore_cfg(job);
    const explore_shape *shape = &job->shape;
    if (shape->warps > cfg->num_warps) {
        return wlk_fail(err, WLK_BAD_CONFIG, "the stream has %u warps and num_warps is %u",
                        shape->warps, cfg->num_warps);
    }
    if (shape->warps * shape->regs >= cfg->num_pregs) {
        return wlk_fail(err, WLK_BAD_CONFIG,
                        "%u warps of %u registers, and register 0, need %u: num_pregs is %u",
                        shape->warps, shape->regs, shape->warps * shape->regs + 1u, cfg->num_pregs);
    }
    for (uint32_t w = 0; w < cfg->num_warps; w++) {
        explore_stream_start(&work->stream[w], job, w);
    }
    work->total = shape->instructions;
    work->most_results = wlk_min(cfg->num_pregs, (uint32_t)shape->instructions);
    return WLK_OK;
}

// ---- programs ---------------------------------------------------------------------------------

void explore_programs_close(explore_programs *p) {
    wlk_program_free(p->program);
    free(p->path);
    *p = (explore_programs){.program = NULL};
}

// Bytes that can be had without swapping; without Linux's word for it half of the memory.
static uint64_t available(void) {
    static const char name[] = "MemAvailable:";
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t found = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2u * page, kilobytes = 0;
    FILE *from = fopen("/proc/meminfo", "re");
    char text[128];
    while (from != NULL && fgets(text, sizeof text, from) != NULL) {
        const char *at = text + sizeof name - 1u;
        if (strncmp(text, name, sizeof name - 1u) == 0) {
            at += strspn(at, " ");
            found = tool_take_number(&at, ' ', &kilobytes) ? kilobytes << 10 : found;
        }
    }
    if (from != NULL) {
        (void)fclose(from);
    }
    return found;
}

// Loading more than fits would bring down this process or another one.
static wlk_status check_size(const char *path, uint64_t size, wlk_error *err) {
    // Those on the other processors load their programs too.
    const uint64_t most = available() / (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t need = size / SHORTEST_LINE * GROWING_BYTES;
    if (need <= most) {
        return WLK_OK;
    }
    return wlk_fail(err, WLK_NO_MEMORY,
                    "%.200s: %" PRIu64 " MB of text can take %" PRIu64
                    " MB to run and there are %" PRIu64 " MB; give a shorter program",
                    path, size >> 20, need >> 20, most >> 20);
}

static bool same_program(const explore_programs *p, const char *path, const uint32_t *limits,
                         const struct stat *file) {
    return p->program != NULL && strcmp(p->path, path) == 0 &&
           memcmp(p->limits, limits, sizeof p->limits) == 0 && p->size == file->st_size &&
           p->seconds == file->st_mtim.tv_sec && p->nanoseconds == file->st_mtim.tv_nsec;
}

static wlk_status load(explore_programs *p, const explore_job *job, wlk_error *err) {
    const wlk_issue_x_cfg *cfg = explore_cfg(job);
    const uint32_t limits[4] = {cfg->num_warps, cfg->num_pregs, cfg->num_lanes, cfg->lane_bits};
    struct stat file;
    const bool there = stat(job->program, &file) == 0;
    if (there && same_program(p, job->program, limits, &file)) {
        return WLK_OK;
    }
    explore_programs_close(p);
    if (there && !S_ISREG(file.st_mode)) {
        return wlk_fail(err, WLK_NO_FILE, "%.200s: not a file", job->program);
    }
    wlk_status status = there ? check_size(job->program, (uint64_t)file.st_size, err) : WLK_OK;
    if (status == WLK_OK) {
        status = wlk_program_load(&p->program, job->program, limits[0], limits[1], limits[2],
                                  limits[3], err);
    }
    if (status != WLK_OK) {
        return status;
    }
    p->path = strdup(job->program);
    memcpy(p->limits, limits, sizeof limits);
    p->size = file.st_size;
    p->seconds = file.st_mtim.tv_sec;
    p->nanoseconds = file.st_mtim.tv_nsec;
    return p->path != NULL ? WLK_OK : tool_no_memory(err);
}

// Registers of an instruction, rd first.
static uint32_t registers_of(const wlk_instruction *it, uint16_t *to) {
    uint32_t n = 0;
    if (it->has_rd) {
        to[n++] = it->rd;
    }
    for (uint32_t i = 0; i < EXPLORE_OPERANDS; i++) {
        if (it->has_rs[i]) {
            to[n++] = it->rs[i];
        }
    }
    return n;
}

// What one pass over a program tells.
typedef struct survey {
    uint64_t user[WLK_ISSUE_X_MAX_NUM_PREGS]; // bit w: warp w names the register
    bool written[WLK_ISSUE_X_MAX_NUM_PREGS];
    uint64_t zeros; // writes of register 0
} survey;

static void look_at(survey *s, const wlk_instruction *it, uint32_t warp) {
    uint16_t regs[EXPLORE_OPERANDS + 1];
    const uint32_t n = registers_of(it, regs);
    for (uint32_t i = 0; i < n; i++) {
        s->user[regs[i]] |= UINT64_C(1) << warp;
    }
    if (it->has_rd) {
        s->written[it->rd] = true;
        s->zeros += it->rd == 0;
    }
}

static void survey_program(survey *s, const wlk_program *program, uint32_t warps) {
    memset(s, 0, sizeof *s);
    for (uint32_t w = 0; w < warps; w++) {
        size_t count = 0;
        const wlk_instruction *at = wlk_program_warp(program, w, &count);
        for (size_t i = 0; i < count; i++) {
            look_at(s, &at[i], w);
        }
    }
}

// The first register but 0 that one warp writes and another names, or 0.
static uint32_t shared_register(const survey *s) {
    for (uint32_t r = 1; r < WLK_ISSUE_X_MAX_NUM_PREGS; r++) {
        if (s->written[r] && (s->user[r] & (s->user[r] - 1u)) != 0) {
            return r;
        }
    }
    return 0;
}

static wlk_status open_program(explore_workload *work, const explore_job *job,
                               explore_programs *programs, wlk_error *err) {
    const wlk_issue_x_cfg *cfg = explore_cfg(job);
    survey s;
    const wlk_status status = load(programs, job, err);
    if (status != WLK_OK) {
        return status;
    }
    work->program = programs->program;
    work->total = wlk_program_total(work->program);
    survey_program(&s, work->program, cfg->num_warps);
    work->most_results = cfg->num_pregs + s.zeros;
    const uint32_t shared = shared_register(&s);
    if (shared != 0 && cfg->ibuf_window > 1) {
        return wlk_fail(
            err, WLK_BAD_CONFIG,
            "several warps use x%u and one writes it, so with ibuf_window=%u the values "
            "depend on the stage; give ibuf_window=1, or each warp registers of its own",
            shared, cfg->ibuf_window);
    }
    return WLK_OK;
}

static bool next_of_program(explore_workload *work, uint32_t warp, wlk_instruction *to) {
    size_t count = 0;
    const wlk_instruction *at = wlk_program_warp(work->program, warp, &count);
    if (work->position[warp] == count) {
        return false;
    }
    *to = at[work->position[warp]++];
    return true;
}

// ---- both -------------------------------------------------------------------------------------

wlk_status explore_workload_open(explore_workload *work, const explore_job *job,
                                 explore_programs *programs, wlk_error *err) {
    *work = (explore_workload){.program = NULL};
    return job->program != NULL ? open_program(work, job, programs, err)
                                : open_streams(work, job, err);
}

bool explore_workload_next(explore_workload *work, uint32_t warp, wlk_instruction *to) {
    return work->program != NULL ? next_of_program(work, warp, to)
                                 : explore_stream_next(&work->stream[warp], to);
}
