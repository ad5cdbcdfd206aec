// SPDX-License-Identifier: Apache-2.0
// Blocks of users in our programs: loaded from $WLK_BLOCK_LIBRARIES, and what is said when the
// model of one crashes, which must not look like a crash of ours.
#include "tool.h"
#include "warplock/blocks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STACK = 64 * 1024 };

static const char *program;
static char stack[STACK]; // of the handler: the model may have used up its own

// To the console, in a handler. The program then ends.
static void end(const char *block, const char *call, uint64_t edges, const char *what) {
    char text[512];
    const int n =
        snprintf(text, sizeof text, "%s: block %s: its model %s in `%s`, after %llu clock edges\n",
                 program, block, what, call, (unsigned long long)edges);
    const int to = fileno(tool_console != NULL ? tool_console : stderr);
    if (n > 0 && write(to, text, (size_t)n) < 0) {
        _exit((int)WLK_NO_SPACE);
    }
    _exit((int)WLK_MODEL_ERROR);
}

static void on_broken(const char *block, const char *call, const char *what) {
    end(block, call, wlk_blocks_plugin(block)->guard->edges, what);
}

static void on_crash(int number) {
    const wlk_plugin *plugin = wlk_blocks_running();
    if (plugin != NULL) {
        const char *what = number == SIGFPE    ? "divides by zero (SIGFPE)"
                           : number == SIGILL  ? "executes what is no instruction (SIGILL)"
                           : number == SIGABRT ? "calls abort (SIGABRT)"
                                               : "reads or writes where nothing is (SIGSEGV)";
        end(plugin->block->table->name, plugin->guard->call, plugin->guard->edges, what);
    }
    (void)signal(number, SIG_DFL); // ours
    (void)raise(number);
}

static void catch_crashes(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction crash;
    memset(&crash, 0, sizeof crash);
    crash.sa_handler = on_crash;
    crash.sa_flags = SA_ONSTACK | SA_NODEFER;
    (void)sigaltstack(&own, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        (void)sigaction(numbers[i], &crash, NULL);
    }
}

wlk_status tool_own_blocks(const char *name, wlk_error *err) {
    const char *list = getenv("WLK_BLOCK_LIBRARIES");
    wlk_status status = WLK_OK;
    program = name;
    if (list == NULL || list[0] == '\0') {
        return WLK_OK;
    }
    char *paths = strdup(list);
    if (paths == NULL) {
        return tool_no_memory(err);
    }
    wlk_blocks_on_broken(on_broken);
    catch_crashes();
    char *rest = NULL;
    for (char *path = strtok_r(paths, ":", &rest); path != NULL && status == WLK_OK;
         path = strtok_r(NULL, ":", &rest)) {
        status = wlk_blocks_load(path, err);
    }
    free(paths);
    return status;
}
