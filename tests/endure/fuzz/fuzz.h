/* SPDX-License-Identifier: Apache-2.0 */
/* What the harnesses of the fuzzer share: inputs as files, and a mended mutation. */
#ifndef WLK_FUZZ_H
#define WLK_FUZZ_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // memfd_create, memmem
#endif
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { FUZZ_PATH = 40 };

/* A file in memory. */
typedef struct fuzz_file {
    int fd;
    char path[FUZZ_PATH];
} fuzz_file;

static inline fuzz_file fuzz_file_new(const void *data, size_t size) {
    fuzz_file file = {.fd = memfd_create("fuzz", MFD_CLOEXEC)};
    if (file.fd < 0 || (size != 0 && write(file.fd, data, size) != (ssize_t)size)) {
        abort();
    }
    (void)snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

static inline void fuzz_file_end(const fuzz_file *file) {
    (void)close(file->fd);
}

/* A folder of this process, for what writes files; it goes with the process. */
static char fuzz_folder_path[64];

static inline void fuzz_folder_end(void) {
    DIR *folder = opendir(fuzz_folder_path);
    for (struct dirent *each; folder != NULL && (each = readdir(folder)) != NULL;) {
        (void)unlinkat(dirfd(folder), each->d_name, 0);
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    (void)rmdir(fuzz_folder_path);
}

static inline const char *fuzz_folder(void) {
    if (fuzz_folder_path[0] == '\0') {
        (void)snprintf(fuzz_folder_path, sizeof fuzz_folder_path, "%s/fuzz-XXXXXX",
                       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        if (mkdtemp(fuzz_folder_path) == NULL || atexit(fuzz_folder_end) != 0) {
            abort();
        }
    }
    return fuzz_folder_path;
}

/* A copy with a zero behind it, to free(). */
static inline char *fuzz_text(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (text == NULL) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* The text up to a line "%%", of which *text is left behind; all of it where there is none. */
static inline char *fuzz_part(char **text) {
    char *part = *text, *end = strstr(part, "%%\n");
    *text = end != NULL ? end + 3 : part + strlen(part);
    if (end != NULL) {
        *end = '\0';
    }
    return part;
}

/* Does $WARPLOCK_FUZZ_PLANT name a defect that the fuzzer is to find? Its own test sets it. */
static inline void fuzz_planted(const char *reader, bool reached) {
    const char *wanted = getenv("WARPLOCK_FUZZ_PLANT");
    if (reached && wanted != NULL && strcmp(wanted, reader) == 0) {
        abort();
    }
}

#endif
