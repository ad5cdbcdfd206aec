// SPDX-License-Identifier: Apache-2.0

// Two collectors with stimulus of their own, as a user's simulation has them: checkers are bound in
// from outside. For two lanes, 16 registers and two entries. FIRST and SECOND name the modules.
// +BUSY=0: nothing is requested; +UPSET=N: a register of the second one is inverted in cycle N.
`ifndef FIRST
`define FIRST DuplicatedCollector
`endif
`ifndef SECOND
`define SECOND DuplicatedCollector
`endif

// Legal stimulus: an entry is read only between its response and its release.
module driver #(
    parameter bit [63:0] Seed = 64'h1
) (
    input logic clock,
    input logic reset,

    input  logic       io_readReq_ready,
    output logic       io_readReq_valid,
    output logic       io_readReq_bits_regs_0_enable,
    output logic [3:0] io_readReq_bits_regs_0_pReg,
    output logic       io_readReq_bits_regs_1_enable,
    output logic [3:0] io_readReq_bits_regs_1_pReg,
    output logic       io_readReq_bits_regs_2_enable,
    output logic [3:0] io_readReq_bits_regs_2_pReg,
    output logic [2:0] io_readReq_bits_rsEntryId,

    input logic io_readResp_valid,
    input logic io_readResp_bits_collEntry,

    output logic        io_writeReq_valid,
    output logic        io_writeReq_bits_regs_0_enable,
    output logic [ 3:0] io_writeReq_bits_regs_0_pReg,
    output logic [ 1:0] io_writeReq_bits_regs_0_tmask,
    output logic [31:0] io_writeReq_bits_regs_0_data_0,
    output logic [31:0] io_writeReq_bits_regs_0_data_1,
    output logic [ 2:0] io_writeReq_bits_rsEntryId,

    output logic io_readData_req_valid,
    output logic io_readData_req_bits_collEntry,
    output logic io_readData_req_bits_regs_0_enable,
    output logic io_readData_req_bits_regs_1_enable,
    output logic io_readData_req_bits_regs_2_enable
);

  bit [63:0] dice_q = Seed;
  bit [63:0] more_q = ~Seed;
  logic [1:0] held_q;  // entries that may be read
  logic freed;
  bit busy = 1'b1;

  initial begin
    void'($value$plusargs("BUSY=%d", busy));
  end

  always_ff @(posedge clock) begin
    dice_q <= dice_q * 64'd6364136223846793005 + 64'd1442695040888963407;
    more_q <= more_q * 64'd3202034522624059733 + 64'd1;
  end

  always_comb begin
    {io_readReq_bits_regs_0_enable, io_readReq_bits_regs_0_pReg} = dice_q[36:32];
    {io_readReq_bits_regs_1_enable, io_readReq_bits_regs_1_pReg} = dice_q[41:37];
    {io_readReq_bits_regs_2_enable, io_readReq_bits_regs_2_pReg} = dice_q[46:42];
    io_readReq_bits_rsEntryId = dice_q[49:47];
    io_writeReq_bits_regs_0_enable = dice_q[50];
    io_writeReq_bits_regs_0_pReg = dice_q[54:51];
    io_writeReq_bits_regs_0_tmask = dice_q[56:55];
    io_writeReq_bits_rsEntryId = dice_q[59:57];
    {io_writeReq_bits_regs_0_data_1, io_writeReq_bits_regs_0_data_0} = more_q;
    io_readData_req_bits_collEntry = more_q[60];
    io_readData_req_bits_regs_0_enable = more_q[61];
    io_readData_req_bits_regs_1_enable = more_q[62];
    io_readData_req_bits_regs_2_enable = more_q[63];
    io_readReq_valid = busy && dice_q[60] && !reset;
    io_writeReq_valid = busy && dice_q[61];
    io_readData_req_valid = dice_q[62] && held_q[io_readData_req_bits_collEntry] && !reset;
    freed = io_readData_req_valid && (more_q[63:61] != '0);
  end

  always_ff @(posedge clock) begin
    if (reset) begin
      held_q <= '0;
    end else begin
      if (freed) begin
        held_q[io_readData_req_bits_collEntry] <= 1'b0;
      end
      if (io_readResp_valid) begin
        held_q[io_readResp_bits_collEntry] <= 1'b1;
      end
    end
  end

endmodule

// Ports meet by name: what the collector lacks stays unconnected.
`define CORE(NAME, COLLECTOR, SEED)                                                    \
module NAME (input logic clock, input logic reset);                                    \
  logic io_readReq_ready, io_readReq_valid;                                            \
  logic io_readReq_bits_regs_0_enable, io_readReq_bits_regs_1_enable;                  \
  logic io_readReq_bits_regs_2_enable;                                                 \
  logic [3:0] io_readReq_bits_regs_0_pReg, io_readReq_bits_regs_1_pReg;                \
  logic [3:0] io_readReq_bits_regs_2_pReg;                                             \
  logic [2:0] io_readReq_bits_rsEntryId, io_writeReq_bits_rsEntryId;                   \
  logic io_readResp_valid, io_readResp_bits_collEntry;                                 \
  logic io_writeReq_valid, io_writeReq_bits_regs_0_enable;                             \
  logic [3:0] io_writeReq_bits_regs_0_pReg;                                            \
  logic [1:0] io_writeReq_bits_regs_0_tmask;                                           \
  logic [31:0] io_writeReq_bits_regs_0_data_0, io_writeReq_bits_regs_0_data_1;         \
  logic io_readData_req_valid, io_readData_req_bits_collEntry;                         \
  logic io_readData_req_bits_regs_0_enable, io_readData_req_bits_regs_1_enable;        \
  logic io_readData_req_bits_regs_2_enable;                                            \
  driver #(.Seed(SEED)) u_driver (.*);                                                 \
  COLLECTOR u_collector (                                                              \
    .io_readReq_ready, .io_readReq_valid, .io_readReq_bits_regs_0_enable,              \
    .io_readReq_bits_regs_0_pReg, .io_readReq_bits_regs_1_enable,                      \
    .io_readReq_bits_regs_1_pReg, .io_readReq_bits_regs_2_enable,                      \
    .io_readReq_bits_regs_2_pReg, .io_readResp_valid, .io_readResp_bits_collEntry,     \
    .io_writeReq_valid, .io_writeReq_bits_regs_0_enable,                               \
    .io_writeReq_bits_regs_0_pReg, .io_writeReq_bits_regs_0_tmask,                     \
    .io_writeReq_bits_regs_0_data_0, .io_writeReq_bits_regs_0_data_1,                  \
    .io_readData_req_valid, .io_readData_req_bits_collEntry,                           \
    .io_readData_req_bits_regs_0_enable, .io_readData_req_bits_regs_1_enable,          \
    .io_readData_req_bits_regs_2_enable, .clock, .reset);                              \
endmodule

`CORE(core_a, `FIRST, 64'h1234_5678_9abc_def1)
`CORE(core_b, `SECOND, 64'hfedc_ba98_7654_3210)

module pair;

  logic clock = 1'b0;
  logic reset = 1'b1;
  int   cycle = 0;
  int   upset = -2;

  core_a u_a (.*);
  core_b u_b (.*);

  always #5 clock = ~clock;

  always @(posedge clock) begin
    cycle <= cycle + 1;
    reset <= cycle < 3;
    if (cycle == 2000) begin
      $finish;
    end
  end

  initial begin
    void'($value$plusargs("UPSET=%d", upset));
    wait (cycle == upset);
    force u_b.u_collector.u_core.next_alloc_id_q = ~u_b.u_collector.u_core.next_alloc_id_q;
    wait (cycle == upset + 1);
    release u_b.u_collector.u_core.next_alloc_id_q;
  end

endmodule
