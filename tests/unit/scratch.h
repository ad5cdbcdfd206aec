/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file scratch.h
 * A folder of a test's own, which goes with the test, and the files in it. Where a file cannot be
 * written or read, the test ends.
 */
#ifndef WARPLOCK_TEST_SCRATCH_H
#define WARPLOCK_TEST_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch_folder[256];

static inline void scratch_remove(void) {
    char command[300];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
    if (system(command) != 0) {
        perror(scratch_folder);
    }
}

static inline void scratch_stop(const char *path) {
    perror(path);
    exit(1);
}

static inline void scratch_make(void) {
    const char *base = getenv("TMPDIR");
    (void)snprintf(scratch_folder, sizeof scratch_folder, "%s/wlk_test_XXXXXX",
                   base != NULL ? base : "/tmp");
    if (mkdtemp(scratch_folder) == NULL || atexit(scratch_remove) != 0) {
        scratch_stop(scratch_folder);
    }
}

/** The path of @p name in the folder, valid for seven calls more. "": the folder. */
static inline const char *scratch(const char *name) {
    static char paths[8][512];
    static unsigned turn;
    if (scratch_folder[0] == '\0') {
        scratch_make();
    }
    char *path = paths[turn++ % 8u];
    (void)snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
    return path;
}

/** Files in the folder whose name begins so. */
static inline unsigned scratch_files(const char *prefix) {
    unsigned n = 0;
    const struct dirent *entry;
    DIR *folder = opendir(scratch(""));
    if (folder == NULL) {
        scratch_stop(scratch_folder);
    }
    while ((entry = readdir(folder)) != NULL) {
        n += entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    }
    (void)closedir(folder);
    return n;
}

/** Write a file; its path, as of scratch(). */
static inline const char *scratch_write(const char *name, const void *bytes, size_t size) {
    const char *path = scratch(name);
    (void)unlink(path); // or a file system that is careful with rewritten files waits for the disk
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        scratch_stop(path);
    }
    return path;
}

static inline const char *scratch_text(const char *name, const char *text) {
    return scratch_write(name, text, strlen(text));
}

/** The bytes of a file, with a zero behind them; the caller's. */
static inline void *scratch_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        scratch_stop(path);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(1, *size + 1u);
    if (bytes == NULL || fread(bytes, 1, *size, file) != *size) {
        scratch_stop(path);
    }
    (void)fclose(file);
    return bytes;
}

#endif
