// SPDX-License-Identifier: Apache-2.0
// The file is ours, and xz's output; a lock on it tells two writers apart. Text goes through a
// pipe. What this process does with signals and with its other files stays as it is.
#define _GNU_SOURCE
#include "opndcoll_packed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void close_fd(int *fd) {
    if (*fd >= 0) {
        (void)close(*fd);
    }
    *fd = -1;
}

// The same file above the three standard ones, which the child sets up. -1: too many are open.
static int above_standard(int fd) {
    if (fd < 0 || fd > 2) {
        return fd;
    }
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close_fd(&fd);
    return moved;
}

/* ---- xz ---- */

// In a process group of its own, Ctrl-C does not end it; it ends when its input does.
static int spawn_xz(wlk_oc_packed *p, int from) {
    static char *const words[] = {"xz", "-1", "-qq", "-T1", "-c", NULL};
    sigset_t none, all;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, p->file, STDOUT_FILENO);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setsigdefault(&attributes, &all);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF);
    const int failed = posix_spawnp(&p->xz, words[0], &actions, &attributes, words, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    return failed;
}

// 0, or errno.
static int start_xz(wlk_oc_packed *p) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return errno;
    }
    for (int i = 0; i < 2; i++) {
        ends[i] = above_standard(ends[i]);
    }
    int failed = ends[0] < 0 || ends[1] < 0 ? EMFILE : spawn_xz(p, ends[0]);
    close_fd(&ends[0]);
    if (failed != 0) {
        close_fd(&ends[1]);
    }
    p->to_xz = ends[1];
    return failed;
}

/* ---- the file ---- */

static wlk_status make_file(wlk_oc_packed *p, wlk_error *err) {
    p->file = above_standard(open(p->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (p->file < 0) {
        return wlk_fail(err, WLK_NO_FILE, "%.400s: cannot be made: %s", p->path, strerror(errno));
    }
    if (flock(p->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close_fd(&p->file);
        return wlk_fail(err, WLK_NO_FILE,
                        "%.400s: another recording writes it; have two cores the same number?",
                        p->path);
    }
    // EINVAL: it is no regular file, as /dev/full, and has nothing to remove.
    if (ftruncate(p->file, 0) != 0 && errno != EINVAL) {
        (void)wlk_fail(err, WLK_NO_FILE, "%.400s: cannot be emptied: %s", p->path, strerror(errno));
        close_fd(&p->file);
        return WLK_NO_FILE;
    }
    return WLK_OK;
}

// The path loses its `.xz`; the packed file that was made for it goes.
static wlk_status make_plain(wlk_oc_packed *p, wlk_error *err) {
    (void)unlink(p->path);
    close_fd(&p->file);
    p->path[strlen(p->path) - 3u] = '\0';
    return make_file(p, err);
}

static bool is_packed(const char *path) {
    const size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".xz") == 0;
}

wlk_status wlk_oc_packed_open(wlk_oc_packed *p, const char *path, bool *no_xz, wlk_error *err) {
    *no_xz = false;
    p->file = p->to_xz = -1;
    if ((size_t)snprintf(p->path, sizeof p->path, "%s", path) >= sizeof p->path) {
        return wlk_fail(err, WLK_NO_FILE, "%.400s...: the path is too long", path);
    }
    wlk_status status = make_file(p, err);
    if (status == WLK_OK && is_packed(path)) {
        *no_xz = start_xz(p) != 0;
        status = *no_xz ? make_plain(p, err) : WLK_OK;
    }
    return status;
}

/* ---- writing ---- */

// write() without the signals of a closed pipe and of a file beyond the limit.
static ssize_t write_quietly(int to, const char *bytes, size_t n) {
    static const struct timespec at_once;
    sigset_t raised, before;
    (void)sigemptyset(&raised);
    (void)sigaddset(&raised, SIGPIPE);
    (void)sigaddset(&raised, SIGXFSZ);
    (void)sigprocmask(SIG_BLOCK, &raised, &before); // of this thread, without libpthread
    const ssize_t done = write(to, bytes, n);
    const int reason = errno;
    (void)sigtimedwait(&raised, NULL, &at_once); // raised by a part that was written, too
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return done;
}

wlk_status wlk_oc_packed_write(wlk_oc_packed *p, const char *bytes, size_t n, wlk_error *err) {
    const int to = p->to_xz >= 0 ? p->to_xz : p->file;
    while (n != 0) {
        const ssize_t done = write_quietly(to, bytes, n);
        if (done >= 0) {
            bytes += done;
            n -= (size_t)done;
        } else if (errno != EINTR) {
            const char *reason =
                errno == EPIPE ? "xz has ended early; is the disk full?" : strerror(errno);
            return wlk_fail(err, WLK_NO_SPACE, "%.400s: cannot be written: %s", p->path, reason);
        }
    }
    return WLK_OK;
}

wlk_status wlk_oc_packed_close(wlk_oc_packed *p, wlk_error *err) {
    wlk_status status = WLK_OK;
    int ended = 0;
    if (p->to_xz >= 0) {
        pid_t waited;
        close_fd(&p->to_xz);
        do {
            waited = waitpid(p->xz, &ended, 0);
        } while (waited < 0 && errno == EINTR);
        if (waited == p->xz && ended != 0) { // else the simulator has waited for it
            status = wlk_fail(err, WLK_NO_SPACE, "%.400s: xz could not write it; is the disk full?",
                              p->path);
        }
    }
    close_fd(&p->file);
    return status;
}
