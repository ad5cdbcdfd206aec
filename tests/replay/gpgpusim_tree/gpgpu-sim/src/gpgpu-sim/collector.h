// SPDX-License-Identifier: Apache-2.0
class opndcoll_rfu_t { // operand collector based register file unit
  public:
    opndcoll_rfu_t();
    ~opndcoll_rfu_t();

    void add_cu_set(unsigned cu_set, unsigned num_cu, unsigned num_dispatch);
    typedef std::vector<register_set *> port_vector_t;
    typedef std::vector<unsigned int> uint_vector_t;
    void add_port(port_vector_t &input, port_vector_t &output, uint_vector_t cu_sets);
    void init(unsigned num_banks, shader_core_ctx *shader);

    bool writeback(warp_inst_t &warp);
    void step();
    void dump(FILE *fp) const;
    shader_core_ctx *shader_core() {
        return m_shader;
    }

  private:
    class collector_unit_t {
      public:
        explicit collector_unit_t(opndcoll_rfu_t *rfu) : m_rfu(rfu) {}
        opndcoll_rfu_t *rfu() {
            return m_rfu;
        }

      private:
        opndcoll_rfu_t *m_rfu;
    };

    struct all_t;
    all_t *m_all;
    collector_unit_t m_cu;
    shader_core_ctx *m_shader;
};

class ldst_unit {
  public:
    ldst_unit(opndcoll_rfu_t *operand_collector) : m_operand_collector(operand_collector) {}
    void cycle();

  private:
    opndcoll_rfu_t *m_operand_collector;
};
