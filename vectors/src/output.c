// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    LONGEST_NAME = 200, /* bytes of the name in that of the partial file */
    TRIES = 100         /* names, before a folder is taken for one that has them all */
};

static void release(wlk_output *o) {
    free(o->path);
    free(o->partial);
    o->path = o->partial = NULL;
}

/* Take the stream of a file that is open; errno. */
static int take(wlk_output *o, int fd) {
    o->to = fd >= 0 ? fdopen(fd, "w") : NULL;
    const int cause = o->to != NULL ? 0 : errno;
    if (o->to == NULL && fd >= 0) {
        (void)close(fd);
    }
    return cause;
}

static bool is_full(int cause) {
    return cause == ENOSPC || cause == EDQUOT || cause == EFBIG || cause == EIO;
}

wlk_status wlk_output_failed(const wlk_output *o, int cause, wlk_error *err) {
    return wlk_fail(err, WLK_NO_SPACE,
                    "%s: cannot write: %s; free some space or choose another place, then run again",
                    o->path, strerror(cause));
}

static wlk_status is_there(const wlk_output *o, wlk_error *err) {
    return wlk_fail(err, WLK_USAGE,
                    "%s: exists already; choose another name, or replace it with --force", o->path);
}

static uint64_t random_bits(void) {
    uint64_t bits = 0;
    if (getentropy(&bits, sizeof bits) != 0) {
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        bits = (uint64_t)now.tv_nsec;
    }
    return bits;
}

/* "FOLDER/NAME.PID-RANDOM.partial"; no other process has that name. */
static int create_partial(wlk_output *o) {
    const char *slash = strrchr(o->path, '/');
    const char *name = slash != NULL ? slash + 1 : o->path;
    const size_t size = strlen(o->path) + sizeof ".4294967295-ffffffffffffffff.partial";
    o->partial = malloc(size);
    if (o->partial == NULL) {
        return ENOMEM;
    }
    for (int i = 0; i < TRIES; i++) {
        (void)snprintf(o->partial, size, "%.*s%.*s.%ld-%" PRIx64 ".partial", (int)(name - o->path),
                       o->path, LONGEST_NAME, name, (long)getpid(), random_bits());
        const int fd = open(o->partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) {
            return take(o, fd);
        }
    }
    return EEXIST;
}

static wlk_status open_failed(const wlk_output *o, int cause, wlk_error *err) {
    if (is_full(cause)) {
        return wlk_output_failed(o, cause, err);
    }
    return wlk_fail(err, WLK_NO_FILE,
                    "%s: cannot create: %s; check that its folder exists and may be written",
                    o->path, strerror(cause));
}

wlk_status wlk_output_open(wlk_output *o, const char *path, bool replace, wlk_error *err) {
    struct stat info;
    *o = (wlk_output){.replace = replace, .path = strdup(path)};
    if (o->path == NULL) {
        return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory", path);
    }
    const bool special = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    wlk_status status = WLK_OK;
    if (!special && !replace && lstat(path, &info) == 0) {
        status = is_there(o, err);
    } else {
        const int cause = special ? take(o, open(path, O_WRONLY | O_CLOEXEC)) : create_partial(o);
        status = cause == 0 ? WLK_OK : open_failed(o, cause, err);
    }
    if (status != WLK_OK) {
        release(o);
    }
    return status;
}

/* Take the name if it is free: link(2) fails when it is not. */
static int take_name(const wlk_output *o) {
    if (link(o->partial, o->path) == 0) {
        (void)unlink(o->partial);
        return 0;
    }
    if (errno != EPERM && errno != ENOSYS && errno != EOPNOTSUPP && errno != EMLINK) {
        return errno;
    }
    // A file system without links: whoever makes the name has it.
    const int fd = open(o->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        return errno;
    }
    (void)close(fd);
    return rename(o->partial, o->path) == 0 ? 0 : errno;
}

static wlk_status publish(const wlk_output *o, wlk_error *err) {
    int cause = 0;
    if (!o->replace) {
        cause = take_name(o);
    } else if (rename(o->partial, o->path) != 0) {
        cause = errno;
    }
    if (cause == EEXIST) {
        return is_there(o, err);
    }
    return cause == 0 ? WLK_OK : wlk_output_failed(o, cause, err);
}

wlk_status wlk_output_finish(wlk_output *o, wlk_error *err) {
    int cause = o->cause;
    // Devices and pipes, which have no fsync, answer EINVAL.
    const bool on_disk =
        fflush(o->to) == 0 && (fsync(fileno(o->to)) == 0 || errno == EINVAL || errno == EROFS);
    if (!on_disk && cause == 0) {
        cause = errno;
    }
    if (fclose(o->to) != 0 && cause == 0) {
        cause = errno;
    }
    o->to = NULL;
    wlk_status status = cause != 0 ? wlk_output_failed(o, cause, err) : WLK_OK;
    if (status == WLK_OK && o->partial != NULL) {
        status = publish(o, err);
    }
    if (status != WLK_OK) {
        wlk_output_abort(o);
    }
    release(o);
    return status;
}

void wlk_output_abort(wlk_output *o) {
    if (o->to != NULL) {
        (void)fclose(o->to);
        o->to = NULL;
    }
    if (o->partial != NULL) {
        (void)unlink(o->partial);
    }
    release(o);
}
