/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations of a record file whose checksums, tags and offsets are those of a whole file, so that
 * what lies behind them is reached. One of 16 stays as it is. */
#ifndef WLK_RECORDS_MENDED_H
#define WLK_RECORDS_MENDED_H

// first, for its features
#include "fuzz.h"

#include "container.h"

typedef struct mended {
    uint8_t *data;
    size_t size, at; // behind what has been mended
    uint64_t chunks, cycles;
    size_t room; // entries that the index has
    index_entry *index;
} mended;

static bool mend_header(mended *m, size_t index_at) {
    file_header head;
    if (index_at < sizeof head) {
        return false;
    }
    memcpy(&head, m->data, sizeof head);
    memcpy(head.magic, FILE_MAGIC, MAGIC_BYTES);
    head.version = WLK_VEC_VERSION;
    head.zero = 0;
    const uint8_t *text = m->data + sizeof head;
    const uint8_t *chunk = memmem(text, index_at - sizeof head, "CHNK", 4);
    head.text_bytes = (uint32_t)((chunk != NULL ? chunk : m->data + index_at) - text);
    head.crc = crc_bytes(crc_file_header(&head), text, head.text_bytes);
    memcpy(m->data, &head, sizeof head);
    m->at = sizeof head + head.text_bytes;
    return true;
}

// The stored sizes are those of the planes where only the last one has grown or shrunk.
static void mend_sizes(chunk_header *head, size_t bytes) {
    size_t others = sizeof *head;
    for (int plane = 0; plane + 1 < PLANES; plane++) {
        others += head->stored[plane];
        head->raw[plane] = head->codec[plane] == CODEC_RAW ? head->stored[plane] : head->raw[plane];
    }
    if (others <= bytes) {
        head->stored[PLANES - 1] = (uint32_t)(bytes - others);
        if (head->codec[PLANES - 1] == CODEC_RAW) {
            head->raw[PLANES - 1] = head->stored[PLANES - 1];
        }
    }
}

static void mend_chunk(mended *m, size_t bytes) {
    chunk_header head;
    if (bytes < sizeof head) {
        return;
    }
    memcpy(&head, m->data + m->at, sizeof head);
    mend_sizes(&head, bytes);
    head.first = m->cycles;
    m->cycles += head.records;
    head.crc =
        crc_bytes(crc_chunk_header(&head), m->data + m->at + sizeof head, bytes - sizeof head);
    memcpy(m->data + m->at, &head, sizeof head);
    if (m->chunks < m->room) {
        m->index[m->chunks] = (index_entry){m->at, head.first};
    }
    m->chunks++;
}

static void mend(uint8_t *data, size_t size) {
    mended m = {.data = data, .size = size};
    const uint8_t *index = memmem(data, size, INDEX_MAGIC, MAGIC_BYTES);
    const size_t index_at = index != NULL ? (size_t)(index - data) : 0;
    const size_t entries_at = index_at + sizeof(index_header);
    if (entries_at + sizeof(trailer) > size || !mend_header(&m, index_at)) {
        return;
    }
    m.room = (size - sizeof(trailer) - entries_at) / sizeof(index_entry);
    m.index = calloc(m.room + 1, sizeof *m.index);
    while (m.index != NULL && m.at < index_at) {
        const uint8_t *next = memmem(data + m.at + 1, index_at - m.at - 1, "CHNK", 4);
        const size_t end = next != NULL ? (size_t)(next - data) : index_at;
        mend_chunk(&m, end - m.at);
        m.at = end;
    }
    index_header head = {.chunks = m.room, .cycles = m.cycles};
    memcpy(head.magic, INDEX_MAGIC, MAGIC_BYTES);
    memcpy(data + index_at, &head, sizeof head);
    if (m.index != NULL) {
        memcpy(data + entries_at, m.index, m.room * sizeof *m.index);
    }
    trailer end = {.index_offset = index_at};
    memcpy(end.magic, END_MAGIC, MAGIC_BYTES);
    end.index_crc = libdeflate_crc32(0, data + index_at, sizeof head + m.room * sizeof *m.index);
    memcpy(data + size - sizeof end, &end, sizeof end);
    free(m.index);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 16 != 0) {
        mend(data, size);
    }
    return size;
}

#endif
