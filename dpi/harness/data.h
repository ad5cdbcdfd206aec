// SPDX-License-Identifier: Apache-2.0
// The files that the RTL reads when it runs ($readmemh, $fopen). The linker sends each call of
// fopen here. A name without a leading / is looked for in the folders of the RTL (wlk_data.h), and
// only if it is in none of them in the current folder; scripts/wlk/fit/data.py does the same before
// the run.
#ifndef WLK_DATA_H
#define WLK_DATA_H

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "verilated.h"
#include "wlk_data.h"

// Ends the program: a file that is to be read is missing, or there are several.
void wlk_data_refuse(const char *name, const std::string &why);

extern "C" FILE *__real_fopen(const char *name, const char *mode);

namespace {

bool is_file(const std::string &path) {
    struct stat found {};
    return stat(path.c_str(), &found) == 0 && !S_ISDIR(found.st_mode);
}

bool are_alike(const std::string &one, const std::string &other) {
    FILE *files[] = {__real_fopen(one.c_str(), "rb"), __real_fopen(other.c_str(), "rb")};
    bool alike = files[0] != nullptr && files[1] != nullptr;
    for (int c = 0; alike && c != EOF;) {
        c = std::getc(files[0]);
        alike = c == std::getc(files[1]);
    }
    for (FILE *file : files) {
        if (file != nullptr) {
            (void)std::fclose(file);
        }
    }
    return alike;
}

// The path of a file to read; the name itself where no folder of the RTL has it.
std::string placed(const std::string &name) {
    std::string found;
    for (const char *const *folder = wlk_data_folders; *folder != nullptr; folder++) {
        const std::string path = std::string{*folder} + "/" + name;
        if (!is_file(path)) {
            continue;
        }
        if (!found.empty() && !are_alike(found, path)) {
            wlk_data_refuse(name.c_str(), "the RTL reads it, and " + found + " and " + path +
                                              " differ; write a path that only one of them has");
        }
        found = found.empty() ? path : found;
    }
    return found.empty() ? name : found;
}

} // namespace

extern "C" FILE *__wrap_fopen(const char *name, const char *mode) {
    if (mode[0] != 'r' || name[0] == '/' || name[0] == '\0') {
        return __real_fopen(name, mode);
    }
    const std::string path = placed(name);
    if (!is_file(path)) {
        errno = ENOENT;
        return nullptr;
    }
    return __real_fopen(path.c_str(), mode);
}

// Verilator goes on without a file that it does not find, with what the memory powers up as.
void vl_warn(const char *file, int line, const char *, const char *message) {
    if (std::strstr(message, "file not found") != nullptr) {
        wlk_data_refuse(file, "the RTL reads it, and it is neither beside the RTL nor in the "
                              "current folder; put it there, or write its whole path");
    }
    VL_PRINTF("%%Warning: %s:%d: %s\n", file, line, message);
}

#endif
