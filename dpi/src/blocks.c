// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // dladdr
#include "warplock/blocks.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

static struct {
    const wlk_plugin *plugins[WLK_MAX_PLUGINS];
    uint32_t count;
    void (*broken)(const char *block, const char *call, const char *what);
} loaded;

static struct {
    struct {
        const wlk_block *block;
        const uint32_t *cfg;
    } list[WLK_MAX_SPECIALISED];
    uint32_t count;
} specialised;

enum { MOST_PATH = 4096 };

// The path of a file beside the library that this is part of; false: there is none.
static bool beside(const char *name, char *path) {
    Dl_info here;
    const char *slash = NULL;
    if (dladdr(&loaded, &here) == 0 || (slash = strrchr(here.dli_fname, '/')) == NULL) {
        return false;
    }
    const int n =
        snprintf(path, MOST_PATH, "%.*s/%s", (int)(slash - here.dli_fname), here.dli_fname, name);
    return n > 0 && n < MOST_PATH;
}

static void *open_library(const char *path) {
    char place[MOST_PATH];
    void *library = NULL;
    if (strchr(path, '/') == NULL && beside(path, place)) {
        library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    }
    return library != NULL ? library : dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static const wlk_plugin *entry_of(const char *path, wlk_error *err) {
    void *library = open_library(path);
    if (library == NULL) {
        (void)wlk_fail(err, WLK_NO_FILE, "block library %s", dlerror());
        return NULL;
    }
    const wlk_plugin *plugin = (const wlk_plugin *)dlsym(library, WLK_PLUGIN_SYMBOL);
    if (plugin == NULL) {
        (void)wlk_fail(err, WLK_NO_FILE, "block library %s: has no " WLK_PLUGIN_SYMBOL, path);
    } else if (plugin->abi_version != WLK_ABI_VERSION) {
        (void)wlk_fail(err, WLK_BAD_VERSION,
                       "block library %s: is of ABI version %u, warplock has %u; build it again",
                       path, plugin->abi_version, WLK_ABI_VERSION);
        plugin = NULL;
    }
    return plugin;
}

static bool is_loaded(const wlk_plugin *plugin) {
    for (uint32_t i = 0; i < loaded.count; i++) {
        if (loaded.plugins[i] == plugin) {
            return true;
        }
    }
    return false;
}

wlk_status wlk_blocks_load(const char *path, wlk_error *err) {
    wlk_error why = {WLK_OK, ""};
    const wlk_plugin *plugin = entry_of(path, &why);
    if (plugin == NULL) {
        return wlk_fail(err, why.status, "%s", why.text);
    }
    if (is_loaded(plugin)) {
        return WLK_OK;
    }
    const char *name = plugin->block->table->name;
    if (wlk_blocks_find(name) != NULL) {
        return wlk_fail(err, WLK_USAGE, "block library %s: there is a block '%s' already", path,
                        name);
    }
    if (loaded.count == WLK_MAX_PLUGINS) {
        return wlk_fail(err, WLK_NO_MEMORY, "block library %s: %u are loaded already", path,
                        WLK_MAX_PLUGINS);
    }
    plugin->guard->broken = loaded.broken;
    loaded.plugins[loaded.count++] = plugin;
    return WLK_OK;
}

const wlk_plugin *wlk_blocks_plugin(const char *name) {
    for (uint32_t i = 0; i < loaded.count; i++) {
        if (strcmp(loaded.plugins[i]->block->table->name, name) == 0) {
            return loaded.plugins[i];
        }
    }
    return NULL;
}

const wlk_block *wlk_blocks_find(const char *name) {
    const wlk_block *block = wlk_block_find(name);
    const wlk_plugin *plugin = block == NULL ? wlk_blocks_plugin(name) : NULL;
    return plugin != NULL ? plugin->block : block;
}

void wlk_blocks_specialise(const wlk_block *block, const uint32_t *cfg) {
    if (specialised.count < WLK_MAX_SPECIALISED) {
        specialised.list[specialised.count].block = block;
        specialised.list[specialised.count].cfg = cfg;
        specialised.count++;
    }
}

const wlk_block *wlk_blocks_for(const wlk_block *block, const uint32_t *cfg) {
    for (uint32_t i = 0; i < specialised.count; i++) {
        const wlk_block *other = specialised.list[i].block;
        const size_t bytes = block->table->n_params * sizeof *cfg;
        if (other->table == block->table && memcmp(specialised.list[i].cfg, cfg, bytes) == 0) {
            return other;
        }
    }
    return block;
}

static const wlk_block *known_of_schema(uint64_t hash) {
    const char *name = NULL;
    for (uint32_t i = 0; i < loaded.count; i++) {
        if (loaded.plugins[i]->block->table->schema_hash == hash) {
            return loaded.plugins[i]->block;
        }
    }
    for (uint32_t i = 0; (name = wlk_block_name(i)) != NULL; i++) {
        const wlk_block *block = wlk_block_find(name);
        if (block->table->schema_hash == hash) {
            return block;
        }
    }
    return NULL;
}

static void load_beside(wlk_error *err) {
    char pattern[MOST_PATH];
    glob_t found;
    if (!beside("libwlk_block_*.so", pattern) || glob(pattern, 0, NULL, &found) != 0) {
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        (void)wlk_blocks_load(found.gl_pathv[i], err);
    }
    globfree(&found);
}

const wlk_block *wlk_blocks_of_schema(uint64_t hash, wlk_error *err) {
    const wlk_block *block = known_of_schema(hash);
    if (block == NULL) {
        load_beside(err);
        block = known_of_schema(hash);
    }
    return block;
}

const wlk_plugin *wlk_blocks_running(void) {
    for (uint32_t i = 0; i < loaded.count; i++) {
        if (loaded.plugins[i]->guard->call != NULL) {
            return loaded.plugins[i];
        }
    }
    return NULL;
}

void wlk_blocks_on_broken(void (*broken)(const char *block, const char *call, const char *what)) {
    loaded.broken = broken;
    for (uint32_t i = 0; i < loaded.count; i++) {
        loaded.plugins[i]->guard->broken = broken;
    }
}
