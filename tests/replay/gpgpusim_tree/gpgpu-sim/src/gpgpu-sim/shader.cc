// SPDX-License-Identifier: Apache-2.0
// The simulator's own collector: the mock's, or another one (OWN_COLLECTOR).
#include "shader.h"

#ifndef OWN_COLLECTOR
#define OWN_COLLECTOR mock::collector
#endif
#ifndef OWN_FAULT
#define OWN_FAULT(all)
#endif

struct opndcoll_rfu_t::all_t {
    OWN_COLLECTOR collector;
};

opndcoll_rfu_t::opndcoll_rfu_t() : m_all(new all_t), m_cu(this), m_shader(NULL) {
    OWN_FAULT(m_all->collector);
}

opndcoll_rfu_t::~opndcoll_rfu_t() {
    delete m_all;
}

void opndcoll_rfu_t::add_cu_set(unsigned cu_set, unsigned num_cu, unsigned num_dispatch) {
    m_all->collector.add_cu_set(cu_set, num_cu, num_dispatch);
}

void opndcoll_rfu_t::add_port(port_vector_t &input, port_vector_t &output, uint_vector_t cu_sets) {
    m_all->collector.add_port(input, output, cu_sets);
}

void opndcoll_rfu_t::init(unsigned num_banks, shader_core_ctx *shader) {
    m_shader = shader;
    m_all->collector.init(num_banks, shader);
}

bool opndcoll_rfu_t::writeback(warp_inst_t &warp) {
    return m_cu.rfu()->m_all->collector.writeback(warp);
}

void opndcoll_rfu_t::step() {
    m_all->collector.step();
}

void opndcoll_rfu_t::dump(FILE *fp) const {
    m_all->collector.dump(fp);
}

void ldst_unit::cycle() {
    opndcoll_rfu_t::port_vector_t none;
    if (none.empty()) {
        m_operand_collector->step();
    }
}
