// SPDX-License-Identifier: Apache-2.0
/* FST: fst_check.c looks at the file and reads its names, fstapi its values. */
#include "fst_check.h"
#include "source.h"

#include <stdlib.h>

#include <fstapi.h>

typedef struct fst_source {
    wlk_fst file;
    void *reader; /* fstapi's */
    wlk_source *source;
    const wlk_changes *to; /* of a run */
    bool ended;            /* fstapi cannot be stopped inside a block */
} fst_source;

static wlk_status no_memory(const wlk_source *source, wlk_error *err) {
    return wlk_fail(err, WLK_NO_MEMORY, "%s: out of memory while opening the waveform",
                    source->name);
}

static wlk_status open_fst(wlk_source *source, const char *path, wlk_error *err) {
    fst_source *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return no_memory(source, err);
    }
    source->own = own;
    own->source = source;
    const wlk_status status = wlk_fst_map(&own->file, path, source->name, err);
    if (status != WLK_OK) {
        return status;
    }
    source->max_handle = own->file.max_handle;
    source->exponent = own->file.exponent;
    source->total = own->file.end - own->file.start;
    source->bits = calloc((size_t)source->max_handle + 1, sizeof *source->bits);
    if (source->bits == NULL) {
        return no_memory(source, err);
    }
    for (uint32_t handle = 1; handle <= source->max_handle; handle++) {
        source->bits[handle] = wlk_fst_bits(&own->file, handle);
    }
    own->reader = fstReaderOpen(path);
    if (own->reader == NULL) {
        return wlk_fail(err, WLK_CORRUPT, "%s: fstapi cannot read this FST; record it again",
                        source->name);
    }
    if (fstReaderGetMaxHandle(own->reader) != source->max_handle) {
        return wlk_fail(err, WLK_CORRUPT, "%s: the FST changed while it was opened", source->name);
    }
    return WLK_OK;
}

static wlk_status visit(wlk_source *source, const wlk_visitor *visitor, wlk_error *err) {
    const fst_source *own = source->own;
    return wlk_fst_visit(&own->file, visitor, err);
}

static void on_change(void *user, uint64_t time, fstHandle handle, const unsigned char *value) {
    fst_source *own = user;
    if (own->ended) {
        return;
    }
    own->source->done = time - own->file.start;
    if (!own->to->change(own->to->ctx, time, handle, value, own->source->bits[handle])) {
        own->ended = true;
        fstReaderSetLimitTimeRange(own->reader, 0, 0); /* looked at before each block */
    }
}

static wlk_status run(wlk_source *source, const uint8_t *wanted, const wlk_changes *to,
                      atomic_bool *stop, wlk_error *err) {
    fst_source *own = source->own;
    const wlk_status status = wlk_fst_check_values(&own->file, wanted, stop, err);
    if (status != WLK_OK || to == NULL || atomic_load(stop)) {
        return status;
    }
    own->to = to;
    own->ended = false;
    fstReaderClrFacProcessMaskAll(own->reader);
    for (uint32_t handle = 1; handle <= source->max_handle; handle++) {
        if (wanted[handle] != 0 && source->bits[handle] != 0) {
            fstReaderSetFacProcessMask(own->reader, handle);
        }
    }
    fstReaderSetLimitTimeRange(own->reader, 0, UINT64_MAX);
    (void)fstReaderIterBlocks2(own->reader, on_change, NULL, own, NULL);
    return WLK_OK;
}

static uint64_t line(const wlk_source *source, uint64_t place) {
    (void)source;
    (void)place;
    return 0;
}

static void close_fst(wlk_source *source) {
    fst_source *own = source->own;
    if (own != NULL) {
        if (own->reader != NULL) {
            fstReaderClose(own->reader);
        }
        wlk_fst_unmap(&own->file);
    }
    free(own);
}

const wlk_source_kind wlk_fst_kind = {open_fst, visit, run, line, close_fst};
