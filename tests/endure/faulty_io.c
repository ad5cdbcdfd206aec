// SPDX-License-Identifier: Apache-2.0
// Preloaded, it makes the machine fail for files below a folder, or its clock jump:
//   FAULT_PLACE=FOLDER   below which files are hit
//   FAULT_ERROR=EIO|ENOSPC|EINTR|SHORT   from call FAULT_FROM on; EINTR and SHORT now and then
//   FAULT_FROM=N         of the calls of a process that write, sync, rename or create
//   FAULT_READ=1         of those that read, in place of these
//   FAULT_CLOCK=SECONDS  the clocks jump by so much after FAULT_FROM readings
// stdio calls the kernel past this; a full tmpfs (tests/lockstep/full_disk.py) meets that.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static unsigned long calls, readings;

static unsigned long from(void) {
    const char *text = getenv("FAULT_FROM");
    return text != NULL ? strtoul(text, NULL, 10) : 0;
}

static int is_in_place(const char *path) {
    const char *place = getenv("FAULT_PLACE");
    return place != NULL && strncmp(path, place, strlen(place)) == 0;
}

static int is_below(const char *path) {
    return getenv("FAULT_READ") == NULL && is_in_place(path);
}

static int is_open_there(int fd) {
    char link[64], path[4096];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof path - 1u);
    path[n > 0 ? n : 0] = '\0';
    return is_in_place(path);
}

static int is_hit(int fd) {
    return getenv("FAULT_READ") == NULL && is_open_there(fd);
}

static int is_read(int fd) {
    return getenv("FAULT_READ") != NULL && is_open_there(fd);
}

static int is_kind(const char *kind) {
    const char *error = getenv("FAULT_ERROR");
    return error != NULL && strcmp(error, kind) == 0;
}

// An errno for this call, or 0.
static int fault(int hit) {
    if (!hit || ++calls <= from()) {
        return 0;
    }
    if (is_kind("EINTR")) {
        return calls % 3u == 0 ? EINTR : 0;
    }
    return is_kind("EIO") ? EIO : is_kind("ENOSPC") ? ENOSPC : 0;
}

static int fails(int hit) {
    const int error = fault(hit);
    errno = error != 0 ? error : errno;
    return error != 0;
}

static size_t shortened(int fd, size_t n) {
    return is_kind("SHORT") && n > 1 && is_hit(fd) ? n / 2u + calls % (n / 2u) : n;
}

ssize_t read(int fd, void *bytes, size_t n) {
    return fails(is_read(fd)) ? -1 : REAL(read)(fd, bytes, n);
}

ssize_t pread(int fd, void *bytes, size_t n, off_t at) {
    return fails(is_read(fd)) ? -1 : REAL(pread)(fd, bytes, n, at);
}

ssize_t pread64(int fd, void *bytes, size_t n, off64_t at) {
    return fails(is_read(fd)) ? -1 : REAL(pread64)(fd, bytes, n, at);
}

ssize_t write(int fd, const void *bytes, size_t n) {
    return fails(is_hit(fd)) ? -1 : REAL(write)(fd, bytes, shortened(fd, n));
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) {
    return fails(is_hit(fd)) ? -1 : REAL(pwrite)(fd, bytes, shortened(fd, n), at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at) {
    return fails(is_hit(fd)) ? -1 : REAL(pwrite64)(fd, bytes, shortened(fd, n), at);
}

ssize_t writev(int fd, const struct iovec *parts, int n) {
    return fails(is_hit(fd)) ? -1 : REAL(writev)(fd, parts, n);
}

int fsync(int fd) {
    return fails(is_hit(fd) && !is_kind("EINTR")) ? -1 : REAL(fsync)(fd);
}

int ftruncate(int fd, off_t size) {
    return fails(is_hit(fd) && !is_kind("EINTR")) ? -1 : REAL(ftruncate)(fd, size);
}

int rename(const char *old, const char *new) {
    return fails(is_below(new) && !is_kind("EINTR")) ? -1 : REAL(rename)(old, new);
}

int mkdir(const char *path, mode_t mode) {
    return fails(is_below(path) && !is_kind("EINTR")) ? -1 : REAL(mkdir)(path, mode);
}

static int opens(const char *path, int flags) {
    return (flags & O_CREAT) != 0 && fails(is_below(path) && !is_kind("EINTR"));
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return opens(path, flags) ? -1 : REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return opens(path, flags) ? -1 : REAL(open64)(path, flags, mode);
}

int clock_gettime(clockid_t which, struct timespec *now) {
    const char *jump = getenv("FAULT_CLOCK");
    const int code = REAL(clock_gettime)(which, now);
    if (jump != NULL && which == CLOCK_REALTIME && ++readings > from()) {
        now->tv_sec += strtol(jump, NULL, 10);
    }
    return code;
}
