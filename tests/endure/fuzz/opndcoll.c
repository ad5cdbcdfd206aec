// SPDX-License-Identifier: Apache-2.0
// The operand collector of GPGPU-Sim: option file, stimulus and recorded events, with lines "%%"
// between. wlk-opndcoll plays, compares, counts, and asks other configurations.
#include "lines_mended.h"

#define main wlk_opndcoll_main
#include "wlk_opndcoll.c"
#undef main

// Options, stimulus and events.
const char *const fuzz_words[] = {"%%",
                                  "C",
                                  "V SP",
                                  "V SFU",
                                  "V MEM",
                                  "V TENSOR",
                                  "V DP",
                                  "V INT",
                                  "V SPEC1",
                                  "V GEN",
                                  "E SP 0",
                                  "E SFU",
                                  "E MEM 1",
                                  "X 1",
                                  "X 20",
                                  "I SP 0 3 1,2 5",
                                  "I INT 1 4 1,2,3,4,5,6,7,8 -1",
                                  "I SPEC1 0 1 - -",
                                  "I TENSOR 3 63 2147483647,-1 0",
                                  "W -7 0 3 5",
                                  "W 9 1 0 1",
                                  "R -7",
                                  "R 9",
                                  "L",
                                  "A 0 SP 0 1",
                                  "D 0 0 SP 1 0",
                                  "B 0 1",
                                  "# lines D A",
                                  "# lines D A B",
                                  "# end",
                                  "# set",
                                  "# warplock recording 1",
                                  "# warplock recording 2",
                                  "# variant 4.0 banks 4 cus 14 dus 4 ports 4 sched 2 sub 0",
                                  "-gpgpu_num_reg_banks 16",
                                  "-gpgpu_num_sched_per_core 4",
                                  "-gpgpu_sub_core_model 1",
                                  "-gpgpu_reg_file_port_throughput 2",
                                  "-gpgpu_enable_specialized_operand_collector 0",
                                  "-gpgpu_operand_collector_num_units_sp 4",
                                  "-gpgpu_operand_collector_num_units_gen 8",
                                  "-gpgpu_operand_collector_num_in_ports_sp 2",
                                  "-gpgpu_operand_collector_num_out_ports_gen 8",
                                  "-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4",
                                  "-gpgpu_reg_bank_use_warp_id 1",
                                  "-gpgpu_mem_unit_ports 2",
                                  "-gpgpu_clock_gated_reg_file 1",
                                  "-gpgpu_n_regfile_gating_group 4",
                                  "-specialized_unit_1 1,2,4,2,2,\"TEX\"",
                                  "-warplock_pass_full_sub_core 1",
                                  "-warplock_rotate_kinds 1",
                                  "-warplock_read_duplicates_once 1",
                                  NULL};

enum { MOST_STEPS = 2000 }; // of an X, so that nothing takes long

// Steps of the stimulus stay few.
static bool is_short(const char *stimulus) {
    for (const char *at = stimulus; (at = strchr(at, 'X')) != NULL; at++) {
        if (strtoull(at + 1, NULL, 10) > MOST_STEPS) {
            return false;
        }
    }
    return true;
}

static void run(job *j) {
    if (prepare(j) == WLK_OK && play(j) == WLK_OK) {
        (void)answer(j);
    } else {
        text_finish(&j->to);
    }
    clean_up(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static job j;
    char *text = fuzz_text(data, size), *rest = text;
    const char *parts[] = {fuzz_part(&rest), fuzz_part(&rest), fuzz_part(&rest)};
    static const char *const revisions[] = {"v40", "v42", "v32"};
    fuzz_file files[3];
    for (int i = 0; i < 3; i++) {
        files[i] = fuzz_file_new(parts[i], strlen(parts[i]));
    }
    for (int how = 0; how < 4 && is_short(parts[1]); how++) {
        memset(&j, 0, sizeof j);
        j.revision = revisions[size % 3];
        j.configs[j.n_configs++] = files[0].path;
        j.stimulus = files[1].path;
        j.allow_unknown = how == 1;
        j.diff = how == 0 ? files[2].path : NULL;
        j.state = j.stats = how == 1;
        j.summary = j.windows = how == 2;
        if (how == 3) {
            j.compared[j.n_compared++] = files[0].path;
        }
        run(&j);
    }
    for (int i = 0; i < 3; i++) {
        fuzz_file_end(&files[i]);
    }
    free(text);
    return 0;
}
