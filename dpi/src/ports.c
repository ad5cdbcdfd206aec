// SPDX-License-Identifier: Apache-2.0
#include "ports.h"

#include <string.h>

bool wlk_port_same_index(const wlk_port *a, const wlk_port *b) {
    return b->n_index >= a->n_index && memcmp(a->index, b->index, a->n_index) == 0;
}

int32_t wlk_port_find(const wlk_port *ports, uint32_t n, int16_t field, const wlk_port *like) {
    for (uint32_t i = 0; field >= 0 && i < n; i++) {
        const wlk_port *port = &ports[i];
        if (port->field == (uint16_t)field && (like == NULL || wlk_port_same_index(port, like))) {
            return (int32_t)i;
        }
    }
    return -1;
}

bool wlk_ports_when(const wlk_table *table, const wlk_port *ports, uint32_t n, int32_t *when) {
    bool has_inexact = false;
    for (uint32_t i = 0; i < n; i++) {
        const wlk_field *field = &table->fields[ports[i].field];
        when[i] = wlk_port_find(ports, n, field->valid_when, &ports[i]);
        has_inexact = has_inexact || (field->is_out && !field->exact);
    }
    return has_inexact;
}

void wlk_ports_narrow(const wlk_table *table, const wlk_port *ports, uint32_t n,
                      const int32_t *when, const uint64_t *in, const uint64_t *out,
                      uint64_t *care) {
    for (uint32_t i = 0; i < n; i++) {
        const wlk_port *port = &ports[i];
        const wlk_port *valid = when[i] >= 0 ? &ports[when[i]] : NULL;
        if (port->is_out && !table->fields[port->field].exact && valid != NULL &&
            wlk_port_get(valid, valid->is_out ? out : in) == 0) {
            wlk_port_set(port, care, 0u);
        }
    }
}

void wlk_view_copy(uint64_t *to, const wlk_view *view, uint32_t control, const wlk_payload *payload,
                   uint32_t n) {
    memcpy(to, view->control, control * sizeof *to);
    for (uint32_t i = 0; i < n; i++) {
        if (view->payload[i] != NULL) {
            memcpy(to + payload[i].word, view->payload[i], payload[i].words * sizeof *to);
        }
    }
}
