// SPDX-License-Identifier: Apache-2.0

// One row of the reservation station (muon-issue §5): an instruction and the state of its operands.
// A row keeps its contents when it is freed. The station decides whether the row may act in order.
module reservation_station_row #(
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] ForwardCollIssue = 1,
    parameter logic [31:0] AllowPartialCollect = 0,
    parameter logic [31:0] CollIdW = 1,
    parameter logic [31:0] EntryW = 173,
    parameter logic [31:0] RsLsb = 87,  // rs1 to rs3 in the instruction
    parameter logic [31:0] HasRsLsb = 127,  // hasRs1 to hasRs3
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] PregW = $clog2(NumPregs)
) (
    input logic clk_i,
    input logic rst_i,

    // Admission into this row
    input logic              admit_i,
    input logic [EntryW-1:0] admit_entry_i,
    input logic [NumOps-1:0] admit_op_ready_i,
    input logic [NumOps-1:0] admit_busy_i,

    // Events
    input logic               request_i,          // this row's request is taken
    input logic [ NumOps-1:0] response_enable_i,  // all 0 without a response
    input logic [CollIdW-1:0] response_entry_i,
    input logic               writeback_i,
    input logic [  PregW-1:0] writeback_rd_i,
    input logic               dispatch_i,         // this row leaves

    // Contents
    output logic                    valid_o,
    output logic [      EntryW-1:0] entry_o,
    output logic [NumOps*PregW-1:0] rs_o,
    output logic [      NumOps-1:0] coll_fired_o,

    // What the row does or could do
    output logic [ NumOps-1:0] need_o,         // operands to ask for, whether or not it is valid
    output logic               can_request_o,
    output logic               uncollected_o,  // an operand is yet to be asked for
    output logic [ NumOps-1:0] taken_o,        // operands that arrive in this cycle
    output logic               complete_o,
    output logic [CollIdW-1:0] coll_entry_o    // where its operands are when it is complete
);

  logic valid_q;
  logic [EntryW-1:0] entry_q;
  logic [NumOps-1:0] op_ready_d, op_ready_q;
  logic [NumOps-1:0] busy_d, busy_q;
  logic [NumOps-1:0] coll_fired_d, coll_fired_q;
  logic [CollIdW-1:0] coll_ptr_d, coll_ptr_q;

  logic [NumOps*PregW-1:0] rs;
  logic [NumOps-1:0] has_rs;
  logic [NumOps-1:0] need, taken, woken;

  assign rs = entry_q[RsLsb+:NumOps*PregW];
  assign has_rs = entry_q[HasRsLsb+:NumOps];

  for (genvar op = 0; op < NumOps; op++) begin : g_woken
    logic [PregW-1:0] preg;
    assign preg = rs[op*PregW+:PregW];
    assign woken[op] = writeback_i && has_rs[op] && (preg != '0) && (preg == writeback_rd_i);
  end

  always_comb begin
    need = ~op_ready_q & ~busy_q & ~coll_fired_q;
    taken = valid_q ? (response_enable_i & ~op_ready_q & coll_fired_q) : '0;

    op_ready_d = op_ready_q | taken;
    busy_d = valid_q ? (busy_q & ~woken) : busy_q;
    coll_ptr_d = (taken != '0) ? response_entry_i : coll_ptr_q;
  end

  assign coll_fired_d = request_i ? (coll_fired_q | need) : coll_fired_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= 1'b0;
      entry_q <= '0;
      op_ready_q <= '0;
      busy_q <= '0;
      coll_fired_q <= '0;
      coll_ptr_q <= '0;
    end else if (admit_i) begin
      valid_q <= 1'b1;
      entry_q <= admit_entry_i;
      op_ready_q <= admit_op_ready_i;
      busy_q <= admit_busy_i;
      coll_fired_q <= '0;
      coll_ptr_q <= '0;
    end else begin
      valid_q <= valid_q && !dispatch_i;
      op_ready_q <= op_ready_d;
      busy_q <= busy_d;
      coll_fired_q <= coll_fired_d;
      coll_ptr_q <= coll_ptr_d;
    end
  end

  // Not all at once: an operand is asked for while another still waits for a write-back.
  if (AllowPartialCollect != 0) begin : g_partial
    assign can_request_o = valid_q && (need != '0);
  end else begin : g_whole
    assign can_request_o = valid_q && (need != '0) && (need == ~op_ready_q);
  end

  if (ForwardCollIssue != 0) begin : g_forward
    assign complete_o   = valid_q && (op_ready_d == '1);
    assign coll_entry_o = coll_ptr_d;
  end else begin : g_no_forward
    assign complete_o   = valid_q && (op_ready_q == '1);
    assign coll_entry_o = coll_ptr_q;
  end

  assign valid_o = valid_q;
  assign entry_o = entry_q;
  assign rs_o = rs;
  assign coll_fired_o = coll_fired_q;
  assign need_o = need;
  assign uncollected_o = ((~op_ready_q & ~coll_fired_q) != '0);
  assign taken_o = taken;

endmodule
