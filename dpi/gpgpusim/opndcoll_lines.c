// SPDX-License-Identifier: Apache-2.0
#include "opndcoll_lines.h"

#include <inttypes.h>
#include <string.h>

enum { DIGITS = 20 };

/* ---- parts ---- */

static void add_number(wlk_oc_lines *to, uint64_t number, const uint32_t base) {
    char digits[DIGITS];
    uint32_t n = DIGITS;
    do {
        digits[--n] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    memcpy(to->buffer + to->used, digits + n, DIGITS - n);
    to->used += DIGITS - n;
}

static void add_word(wlk_oc_lines *to, const char *word) {
    const size_t n = strlen(word);
    memcpy(to->buffer + to->used, word, n);
    to->used += n;
}

static void add_long(wlk_oc_lines *to, uint64_t number, bool is_signed) {
    const bool is_negative = is_signed && number >> 63 != 0;
    add_word(to, is_negative ? "-" : "");
    add_number(to, is_negative ? 0u - number : number, 10);
}

// vsnprintf() takes five times as long.
void wlk_oc_vadd(wlk_oc_lines *to, const char *form, va_list args) {
    for (; *form != '\0'; form++) {
        if (*form != '%') {
            to->buffer[to->used++] = *form;
            continue;
        }
        switch (*++form) {
        case 's':
            add_word(to, va_arg(args, const char *));
            break;
        case 'x':
            add_number(to, va_arg(args, unsigned), 16);
            break;
        case 'l': // %lu and %ld, or %llu and %lld
            form += form[1] == 'l' ? 2 : 1;
            add_long(to, va_arg(args, uint64_t), *form == 'd');
            break;
        default:
            add_number(to, va_arg(args, unsigned), 10);
        }
    }
}

void wlk_oc_add(wlk_oc_lines *to, const char *form, ...) {
    va_list args;
    va_start(args, form);
    wlk_oc_vadd(to, form, args);
    va_end(args);
}

void wlk_oc_line(wlk_oc_lines *to, const char *form, ...) {
    va_list args;
    va_start(args, form);
    wlk_oc_vadd(to, form, args);
    va_end(args);
    to->end(to);
}

/* ---- configuration ---- */

// The kind of the n-th set that is printed.
static uint32_t kind_of(uint32_t n) {
    static const uint32_t first[WLK_OPNDCOLL_SPEC1] = {WLK_OPNDCOLL_SP,  WLK_OPNDCOLL_DP,
                                                       WLK_OPNDCOLL_INT, WLK_OPNDCOLL_SFU,
                                                       WLK_OPNDCOLL_MEM, WLK_OPNDCOLL_TENSOR};
    return n < WLK_OPNDCOLL_SPEC1 ? first[n] : n;
}

void wlk_oc_header(wlk_oc_lines *to, const wlk_opndcoll_cfg *cfg) {
    static const char *const variants[] = {"4.0", "4.2", "3.2"};
    wlk_opndcoll_shape s;
    wlk_opndcoll_shape_of(cfg, &s);
    wlk_oc_line(to, "# variant %s banks %u cus %u dus %u ports %u sched %u sub %u",
                variants[cfg->revision], s.banks, s.units, s.dispatch_units, s.ports, s.schedulers,
                s.sub_core);
    for (uint32_t i = 0; i < s.kinds; i++) {
        const uint32_t kind = kind_of(i);
        wlk_oc_line(to, "# set %s id %u ex %u", wlk_opndcoll_kind_name(kind), s.id_width[kind],
                    s.ex_width[kind]);
    }
}

/* ---- events ---- */

static uint32_t number(const wlk_oc_lines *to, uint32_t uid) {
    return to->number != NULL ? to->number(to, uid) : uid;
}

void wlk_oc_events(wlk_oc_lines *to, const wlk_opndcoll_events *events) {
    for (uint32_t i = 0; i < events->count; i++) {
        const wlk_opndcoll_event *e = &events->at[i];
        const char *kind = wlk_opndcoll_kind_name(e->kind);
        switch (e->what) {
        case WLK_OPNDCOLL_DISPATCH:
            wlk_oc_line(to, "D %u %u %s %u %u", e->at, e->unit, kind, number(to, e->uid), e->slot);
            break;
        case WLK_OPNDCOLL_GRANT:
            wlk_oc_line(to, "G %u %u %u %u %u", e->at, e->unit, e->slot, e->reg, e->wid);
            break;
        case WLK_OPNDCOLL_ALLOCATE:
            wlk_oc_line(to, "A %u %s %u %u", e->at, kind, e->unit, number(to, e->uid));
            break;
        default:
            wlk_oc_line(to, "w %u %u %u %s", e->slot, e->reg, e->at,
                        e->what == WLK_OPNDCOLL_WRITE ? "+" : "-");
        }
    }
}

/* ---- state ---- */

static void print_units(wlk_oc_lines *to, const wlk_opndcoll *model, uint32_t units) {
    for (uint32_t i = 0; i < units; i++) {
        wlk_opndcoll_held held;
        if (wlk_opndcoll_unit(model, i, &held)) {
            wlk_oc_line(to, "c %u %u %s %x", i, number(to, held.uid),
                        wlk_opndcoll_kind_name(held.kind), held.pending);
        }
    }
}

static void print_queues(wlk_oc_lines *to, const wlk_opndcoll *model,
                         const wlk_opndcoll_shape *shape, wlk_opndcoll_request *queue) {
    const uint32_t room = shape->units * WLK_OPNDCOLL_OPERANDS;
    for (uint32_t bank = 0; bank < shape->banks; bank++) {
        const uint32_t n = wlk_opndcoll_queue(model, bank, queue, room);
        if (n != 0) {
            wlk_oc_add(to, "q %u", bank);
            for (uint32_t i = 0; i < n; i++) {
                wlk_oc_add(to, " %u:%u", queue[i].unit, queue[i].slot);
            }
            to->end(to);
        }
    }
}

static void print_arbiters(wlk_oc_lines *to, const wlk_opndcoll *model,
                           const wlk_opndcoll_shape *shape, bool rotate_kinds) {
    wlk_oc_add(to, "u");
    for (uint32_t du = 0; du < shape->dispatch_units; du++) {
        wlk_oc_add(to, " %u", wlk_opndcoll_last(model, du));
    }
    to->end(to);
    wlk_oc_line(to, "p %u", wlk_opndcoll_pri(model));
    if (rotate_kinds) {
        wlk_oc_add(to, "k");
        for (uint32_t port = 0; port < shape->ports; port++) {
            const uint32_t kind = wlk_opndcoll_first_kind(model, port);
            wlk_oc_add(to, " %s", wlk_opndcoll_kind_name(kind));
        }
        to->end(to);
    }
}

static void print_set(wlk_oc_lines *to, const wlk_opndcoll *model, const wlk_opndcoll_shape *shape,
                      uint32_t kind, bool is_ex) {
    const uint32_t width = is_ex ? shape->ex_width[kind] : shape->id_width[kind];
    const uint64_t taken =
        is_ex ? wlk_opndcoll_ex_occupied(model, kind) : ~wlk_opndcoll_id_free(model, kind);
    if (width == 0 || (taken << (64u - width)) == 0) {
        return;
    }
    wlk_oc_add(to, "r %s_%s", is_ex ? "EX" : "ID", wlk_opndcoll_kind_name(kind));
    for (uint32_t slot = 0; slot < width; slot++) {
        wlk_opndcoll_held held;
        const bool there = is_ex ? wlk_opndcoll_ex_slot(model, kind, slot, &held)
                                 : wlk_opndcoll_id_slot(model, kind, slot, &held);
        wlk_oc_add(to, " %u", there ? number(to, held.uid) : 0u);
    }
    to->end(to);
}

void wlk_oc_state(wlk_oc_lines *to, const wlk_opndcoll *model, const wlk_opndcoll_cfg *cfg,
                  wlk_opndcoll_request *queue) {
    wlk_opndcoll_shape shape;
    wlk_opndcoll_shape_of(cfg, &shape);
    print_units(to, model, shape.units);
    print_queues(to, model, &shape, queue);
    print_arbiters(to, model, &shape, cfg->rotate_kinds != 0);
    for (int is_ex = 0; is_ex < 2; is_ex++) {
        for (uint32_t i = 0; i < shape.kinds; i++) {
            print_set(to, model, &shape, kind_of(i), is_ex != 0);
        }
    }
}
