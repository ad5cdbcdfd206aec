// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // dladdr
#include "warplock/blocks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static struct {
    const wlk_plugin *plugins[WLK_MAX_PLUGINS];
    uint32_t count;
    void (*broken)(const char *block, const char *call, const char *what);
} loaded;

// Beside the library that this is part of.
static void *open_beside(const char *name) {
    char path[4096];
    Dl_info here;
    const char *slash = NULL;
    if (dladdr(&loaded, &here) == 0 || (slash = strrchr(here.dli_fname, '/')) == NULL) {
        return NULL;
    }
    const int n = snprintf(path, sizeof path, "%.*s/%s", (int)(slash - here.dli_fname),
                           here.dli_fname, name);
    return n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static const wlk_plugin *entry_of(const char *path, wlk_error *err) {
    void *library = strchr(path, '/') == NULL ? open_beside(path) : NULL;
    if (library == NULL && (library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) == NULL) {
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

const wlk_block *wlk_blocks_of_schema(uint64_t hash) {
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
