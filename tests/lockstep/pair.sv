// SPDX-License-Identifier: Apache-2.0

// Two collectors with stimulus of their own, as a user's simulation has them: checkers are bound in
// from outside. For two lanes, 16 registers and two entries. FIRST and SECOND name the modules.
// What lists the collector's ports is written by test_bind.py: DRIVER, WIRES, PINS.
// +BUSY=0: nothing is requested; +UPSET=N: a register of the second one is inverted in cycle N.
// +LATE=N: the first reset begins in cycle N; +STRAY=N: any entry is read in the first N cycles.
`include "ports.svh"
`ifndef FIRST
`define FIRST DuplicatedCollector
`endif
`ifndef SECOND
`define SECOND DuplicatedCollector
`endif

// Legal stimulus but for STRAY: an entry is read only between its response and its release.
module driver #(
    parameter bit [63:0] Seed = 64'h1
) (
    input logic clock,
    input logic reset,
    `DRIVER
);

  bit [63:0] dice_q = Seed;
  bit [63:0] more_q = ~Seed;
  logic [1:0] held_q;  // entries that may be read
  logic freed;
  bit busy = 1'b1;
  int stray = 0;

  initial begin
    void'($value$plusargs("BUSY=%d", busy));
    void'($value$plusargs("STRAY=%d", stray));
  end

  always_ff @(posedge clock) begin
    dice_q <= dice_q * 64'd6364136223846793005 + 64'd1442695040888963407;
    more_q <= more_q * 64'd3202034522624059733 + 64'd1;
    stray  <= stray - int'(stray != 0);
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
    io_readData_req_valid |= (stray != 0);
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
`define CORE(NAME, COLLECTOR, SEED)                       \
module NAME (input logic clock, input logic reset);       \
  `WIRES;                                                 \
  driver #(.Seed(SEED)) u_driver (.*);                    \
  COLLECTOR u_collector (`PINS, .clock, .reset);          \
endmodule

`CORE(core_a, `FIRST, 64'h1234_5678_9abc_def1)
`CORE(core_b, `SECOND, 64'hfedc_ba98_7654_3210)

module pair;

  logic clock = 1'b0;
  logic reset = 1'b1;
  int   cycle = 0;
  int   upset = -2;
  int   late = 0;

  core_a u_a (.*);
  core_b u_b (.*);

  always #5 clock = ~clock;

  always @(posedge clock) begin
    cycle <= cycle + 1;
    reset <= (cycle + 1 >= late) && (cycle < late + 3);
    if (cycle == 2000) begin
      $finish;
    end
  end

  initial begin
    void'($value$plusargs("UPSET=%d", upset));
    void'($value$plusargs("LATE=%d", late));
    reset = (late == 0);
    wait (cycle == upset);
    force u_b.u_collector.u_core.next_alloc_id_q = ~u_b.u_collector.u_core.next_alloc_id_q;
    wait (cycle == upset + 1);
    release u_b.u_collector.u_core.next_alloc_id_q;
  end

endmodule
