// SPDX-License-Identifier: Apache-2.0
#include "wave_source.h"
#include "fst_check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>

extern char **environ;

enum {
    WRAP_HEAD = 17, /* type byte, packed length, plain length */
    LEAST_ROOM = 1 << 16
};

static const int held_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* ---- signals: held back while a temporary file exists ---------------------------------------- */

static void hold_signals(wlk_wave_source *source) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof held_signals / sizeof *held_signals; i++) {
        sigaddset(&set, held_signals[i]);
    }
    source->held = sigprocmask(SIG_BLOCK, &set, &source->caller) == 0;
}

/* Whether one of them waits that the caller had not blocked itself. */
static bool signal_waits(const wlk_wave_source *source) {
    sigset_t waiting;
    if (!source->held || sigpending(&waiting) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof held_signals / sizeof *held_signals; i++) {
        if (sigismember(&waiting, held_signals[i]) == 1 &&
            sigismember(&source->caller, held_signals[i]) != 1) {
            return true;
        }
    }
    return false;
}

/* ---- temporary folder ------------------------------------------------------------------------ */

static char *join(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL) {
        (void)snprintf(path, size, "%s/%s", folder, name);
    }
    return path;
}

static wlk_status no_memory(const char *path, wlk_error *err) {
    return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory while opening the waveform", path);
}

static wlk_status make_temp(wlk_wave_source *source, const wlk_wave_options *options,
                            const char *path, wlk_error *err) {
    const char *folder = options != NULL ? options->tmp_dir : NULL;
    if (folder == NULL) {
        folder = getenv("TMPDIR");
    }
    if (folder == NULL || *folder == '\0') {
        folder = "/tmp";
    }
    char *template = join(folder, "warplock-XXXXXX");
    if (template == NULL) {
        return no_memory(path, err);
    }
    hold_signals(source);
    if (mkdtemp(template) == NULL) {
        int why = errno;
        free(template);
        return wlk_fail(err, WLK_NO_SPACE,
                        "%s: no temporary folder in %s (%s): set TMPDIR to a folder with room",
                        path, folder, strerror(why));
    }
    source->temp_dir = template;
    source->fst = join(template, "wave.fst");
    return source->fst != NULL ? WLK_OK : no_memory(path, err);
}

static void remove_temp(const char *folder) {
    DIR *dir = opendir(folder);
    if (dir != NULL) {
        const struct dirent *entry;
        while ((entry = readdir(dir)) != NULL) {
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
                (void)unlinkat(dirfd(dir), entry->d_name, 0);
            }
        }
        (void)closedir(dir);
    }
    (void)rmdir(folder);
}

void wlk_wave_source_release(wlk_wave_source *source) {
    if (source->temp_dir != NULL) {
        remove_temp(source->temp_dir);
    }
    free(source->temp_dir);
    free(source->fst);
    if (source->held) {
        (void)sigprocmask(SIG_SETMASK, &source->caller, NULL);
    }
    *source = (wlk_wave_source){0};
}

/* ---- VCD ------------------------------------------------------------------------------------- */

/* vcd2fst crashes on a VCD without the end of its definitions and accepts a cut last line. */
static wlk_status check_vcd(FILE *file, const char *path, wlk_error *err) {
    static const char mark[] = "$enddefinitions";
    size_t matched = 0;
    int ch = 0, last = 0;
    rewind(file);
    while (matched < sizeof mark - 1 && (ch = getc(file)) != EOF) {
        matched = ch == mark[matched] ? matched + 1 : ch == mark[0] ? 1 : 0;
    }
    if (matched == sizeof mark - 1 && fseeko(file, -1, SEEK_END) == 0) {
        last = getc(file);
    }
    if (last != '\n') {
        return wlk_fail(err, WLK_TRUNCATED,
                        "%s: the VCD ends %s: let the simulator end normally or copy it again",
                        path,
                        matched == sizeof mark - 1 ? "inside a line" : "before $enddefinitions");
    }
    return WLK_OK;
}

static int spawn_quietly(pid_t *child, const wlk_wave_source *source, const char *tool,
                         char *const argv[]) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&files);
    if (code != 0) {
        return code;
    }
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        (void)posix_spawnattr_setsigmask(&attributes, &source->caller);
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        for (int fd = 0; fd < 3 && code == 0; fd++) {
            code = posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
        }
        if (code == 0) {
            code = posix_spawnp(child, tool, &files, &attributes, argv, environ);
        }
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&files);
    return code;
}

/* Wait for the child, but end it when a held signal waits. Returns its status, -1 if unknown. */
static int wait_child(const wlk_wave_source *source, pid_t child, bool *interrupted) {
    struct timespec nap = {.tv_nsec = 1000000};
    int status = -1;
    for (;;) {
        pid_t got = waitpid(child, &status, WNOHANG);
        if (got == child) {
            return status;
        }
        if (got < 0 && errno != EINTR) {
            return -1; /* the caller reaps children itself (SIGCHLD ignored) */
        }
        if (!*interrupted && signal_waits(source)) {
            *interrupted = true;
            (void)kill(child, SIGKILL); /* its files are ours to remove */
        }
        (void)nanosleep(&nap, NULL);
        if (nap.tv_nsec < 20000000) {
            nap.tv_nsec *= 2;
        }
    }
}

/* Full disks make a converter die in a mapped file, or write less than it should. */
static bool is_full(const char *folder) {
    struct statvfs room;
    return statvfs(folder, &room) == 0 && (uint64_t)room.f_bavail * room.f_frsize < LEAST_ROOM;
}

static wlk_status no_room(const wlk_wave_source *source, const char *path, wlk_error *err) {
    return wlk_fail(err, WLK_NO_SPACE,
                    "%s: no room in %s or in /tmp to convert it: free some, or set TMPDIR", path,
                    source->temp_dir);
}

static wlk_status run_converter(const wlk_wave_source *source, const char *tool, const char *vcd,
                                const char *path, wlk_error *err) {
    char vcd_option[] = "-v", fst_option[] = "-f";
    char *const argv[] = {(char *)tool, vcd_option, (char *)vcd, fst_option, source->fst, NULL};
    pid_t child;
    int code = spawn_quietly(&child, source, tool, argv);
    if (code != 0) {
        return wlk_fail(err, WLK_NO_TOOL,
                        "%s: %s cannot be run (%s): it turns VCD into FST; install gtkwave "
                        "(apt-get install gtkwave) or dump FST",
                        path, tool, strerror(code));
    }
    bool interrupted = false;
    int status = wait_child(source, child, &interrupted);
    if (interrupted || (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)) {
        return wlk_fail(err, WLK_INTERRUPTED, "%s: interrupted while converting the VCD", path);
    }
    if ((WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS) || is_full(source->temp_dir)) {
        return no_room(source, path, err);
    }
    if (status != -1 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        return wlk_fail(err, WLK_CORRUPT,
                        "%s: %s does not accept this VCD: look at its definitions, or dump FST",
                        path, tool);
    }
    return WLK_OK;
}

/* The converter picks its own input filter by suffix, so it is shown a link with the right one. */
static wlk_status convert_vcd(wlk_wave_source *source, const char *path,
                              const wlk_wave_options *options, wlk_error *err) {
    const char *tool = options != NULL && options->vcd2fst != NULL ? options->vcd2fst : "vcd2fst";
    wlk_status status = make_temp(source, options, path, err);
    if (status != WLK_OK) {
        return status;
    }
    char *absolute = realpath(path, NULL);
    char *link = join(source->temp_dir, "wave.vcd");
    if (absolute == NULL || link == NULL) {
        status = no_memory(path, err);
    } else if (symlink(absolute, link) != 0) {
        status = wlk_fail(err, WLK_NO_SPACE, "%s: cannot write into %s: %s", path, source->temp_dir,
                          strerror(errno));
    } else {
        status = run_converter(source, tool, link, path, err);
    }
    free(absolute);
    free(link);
    return status;
}

/* ---- FST gzipped as a whole ------------------------------------------------------------------ */

static wlk_status inflate_to(const wlk_wave_source *source, gzFile from, FILE *to,
                             uint64_t expected, const char *path, wlk_error *err) {
    static const char cut[] = "%s: the packed FST ends too early or is damaged: copy it again";
    char buffer[65536];
    uint64_t total = 0;
    int got;
    while ((got = gzread(from, buffer, sizeof buffer)) > 0) {
        if (fwrite(buffer, 1, (size_t)got, to) != (size_t)got) {
            return wlk_fail(err, WLK_NO_SPACE, "%s: no room in %s to unpack it: set TMPDIR", path,
                            source->temp_dir);
        }
        if (signal_waits(source)) {
            return wlk_fail(err, WLK_INTERRUPTED, "%s: interrupted while unpacking", path);
        }
        total += (uint64_t)got;
    }
    if (got < 0 || total != expected) {
        return wlk_fail(err, total < expected ? WLK_TRUNCATED : WLK_CORRUPT, cut, path);
    }
    return WLK_OK;
}

static wlk_status unwrap_fst(wlk_wave_source *source, const char *path,
                             const wlk_wave_options *options, FILE *file, wlk_error *err) {
    uint8_t head[WRAP_HEAD];
    rewind(file);
    if (fread(head, 1, sizeof head, file) != sizeof head || wlk_fst_u64(head + 1) == 0) {
        return wlk_fail(err, WLK_TRUNCATED, "%s: the packed FST was never finished", path);
    }
    wlk_status status = make_temp(source, options, path, err);
    if (status != WLK_OK) {
        return status;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    gzFile from = fd >= 0 && lseek(fd, WRAP_HEAD, SEEK_SET) == WRAP_HEAD ? gzdopen(fd, "rb") : NULL;
    FILE *to = fopen(source->fst, "wb");
    if (from == NULL || to == NULL) {
        status = wlk_fail(err, WLK_NO_SPACE, "%s: cannot be unpacked into %s: %s", path,
                          source->temp_dir, strerror(errno));
    } else {
        status = inflate_to(source, from, to, wlk_fst_u64(head + 9), path, err);
    }
    if (from != NULL) {
        (void)gzclose(from);
    } else if (fd >= 0) {
        (void)close(fd);
    }
    if (to != NULL && fclose(to) != 0 && status == WLK_OK) {
        status = wlk_fail(err, WLK_NO_SPACE, "%s: no room in %s to unpack it: set TMPDIR", path,
                          source->temp_dir);
    }
    return status;
}

/* ---- what is it? ----------------------------------------------------------------------------- */

static wlk_status by_content(wlk_wave_source *source, const char *path,
                             const wlk_wave_options *options, FILE *file, wlk_error *err) {
    int first = getc(file);
    if (first == EOF) {
        return wlk_fail(err, WLK_TRUNCATED, "%s: the waveform is empty", path);
    }
    if (first == WLK_FST_PLAIN) {
        source->fst = strdup(path);
        return source->fst != NULL ? WLK_OK : no_memory(path, err);
    }
    if (first == WLK_FST_WRAPPED) {
        return unwrap_fst(source, path, options, file, err);
    }
    if (first == 0x1f && getc(file) == 0x8b) {
        return wlk_fail(err, WLK_CORRUPT, "%s: this is gzip: unpack it first (gunzip -k)", path);
    }
    while (first == ' ' || first == '\t' || first == '\r' || first == '\n') {
        first = getc(file);
    }
    if (first != '$') {
        return wlk_fail(err, WLK_CORRUPT, "%s: neither FST nor VCD: dump one of these", path);
    }
    wlk_status status = check_vcd(file, path, err);
    return status == WLK_OK ? convert_vcd(source, path, options, err) : status;
}

wlk_status wlk_wave_source_open(wlk_wave_source *source, const char *path,
                                const wlk_wave_options *options, wlk_error *err) {
    struct stat info;
    *source = (wlk_wave_source){0};
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return wlk_fail(err, WLK_NO_FILE, "%s: not a regular file: name an FST or VCD", path);
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return wlk_fail(err, WLK_NO_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    }
    wlk_status status = by_content(source, path, options, file, err);
    (void)fclose(file);
    return status;
}
