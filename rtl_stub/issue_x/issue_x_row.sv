// SPDX-License-Identifier: Apache-2.0

// One row of the station (muon-designs §4, §8): an instruction, the state of its operands and where
// they are stored: an entry, the same for all operands, or in a caching collector a slot for each.
// What happens to an operand happens to valid rows only. A row keeps its contents when it is freed.
module issue_x_row #(
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] ForwardCollIssue = 1,
    parameter logic [31:0] EntryW = 173,
    parameter logic [31:0] RsLsb = 87,  // rs1 to rs3 in the instruction
    parameter logic [31:0] HasRsLsb = 127,  // hasRs1 to hasRs3
    parameter logic [31:0] FuW = 1,
    parameter logic [31:0] PlaceW = 1,
    localparam logic [31:0] NumOps = 3,
    localparam logic [31:0] PregW = $clog2(NumPregs)
) (
    input logic clk_i,
    input logic rst_i,

    // Admission into this row
    input logic                     admit_i,
    input logic [       EntryW-1:0] admit_entry_i,
    input logic [          FuW-1:0] admit_fu_i,
    input logic [       NumOps-1:0] admit_busy_i,
    input logic [       NumOps-1:0] admit_epoch_i,
    input logic                     admit_placed_i,  // it takes an entry
    input logic [NumOps*PlaceW-1:0] admit_place_i,

    // Events; of the operands those that are set
    input logic                     place_i,      // the row gets its entry or slots
    input logic [NumOps*PlaceW-1:0] place_at_i,
    input logic [       NumOps-1:0] hit_i,        // is in its slot already
    input logic [       NumOps-1:0] grant_i,      // is read
    input logic [       NumOps-1:0] landed_i,
    input logic [       NumOps-1:0] lost_i,
    input logic [       NumOps-1:0] served_i,     // the write in service is forwarded to it
    input logic                     commit_i,     // a register is written
    input logic [        PregW-1:0] commit_rd_i,  // 0: none
    input logic                     dispatch_i,   // this row leaves

    output logic                     valid_o,
    output logic [       EntryW-1:0] entry_o,
    output logic [          FuW-1:0] fu_o,
    output logic [       NumOps-1:0] busy_o,
    output logic [       NumOps-1:0] op_ready_o,
    output logic [       NumOps-1:0] fired_o,
    output logic [       NumOps-1:0] epoch_o,
    output logic                     placed_o,
    output logic [NumOps*PlaceW-1:0] place_o,
    output logic                     complete_o   // all operands are there
);

  logic valid_q, placed_q;
  logic [EntryW-1:0] entry_q;
  logic [FuW-1:0] fu_q;
  logic [NumOps-1:0] busy_d, busy_q;
  logic [NumOps-1:0] op_ready_d, op_ready_q;
  logic [NumOps-1:0] fired_d, fired_q;
  logic [NumOps-1:0] epoch_q;
  logic [NumOps*PlaceW-1:0] place_q;

  logic [NumOps-1:0] arrived, woken;

  for (genvar op = 0; op < NumOps; op++) begin : g_woken
    assign woken[op] = commit_i && (entry_q[RsLsb+op*PregW+:PregW] == commit_rd_i);
  end

  always_comb begin
    arrived = (landed_i & (fired_q & ~op_ready_q)) | served_i;
    busy_d = busy_q & ~woken & ~served_i;
    op_ready_d = op_ready_q | arrived | hit_i;
    fired_d = (fired_q | grant_i | hit_i | served_i) & ~lost_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      valid_q <= 1'b0;
      entry_q <= '0;
      fu_q <= '0;
      busy_q <= '0;
      op_ready_q <= '0;
      fired_q <= '0;
      epoch_q <= '0;
      placed_q <= 1'b0;
      place_q <= '0;
    end else if (admit_i) begin
      valid_q <= 1'b1;
      entry_q <= admit_entry_i;
      fu_q <= admit_fu_i;
      busy_q <= admit_busy_i;
      op_ready_q <= ~admit_entry_i[HasRsLsb+:NumOps];
      fired_q <= '0;
      epoch_q <= admit_epoch_i;
      placed_q <= admit_placed_i;
      place_q <= admit_place_i;
    end else begin
      valid_q <= valid_q && !dispatch_i;
      busy_q <= busy_d;
      op_ready_q <= op_ready_d;
      fired_q <= fired_d;
      if (place_i) begin
        placed_q <= 1'b1;
        place_q  <= place_at_i;
      end
    end
  end

  // A hit completes its row one cycle later, as a read that is granted does (§3.4).
  if (ForwardCollIssue != 0) begin : g_forward
    assign complete_o = valid_q && ((op_ready_q | arrived) == '1);
  end else begin : g_no_forward
    assign complete_o = valid_q && (op_ready_q == '1);
  end

  assign valid_o = valid_q;
  assign entry_o = entry_q;
  assign fu_o = fu_q;
  assign busy_o = busy_q;
  assign op_ready_o = op_ready_q;
  assign fired_o = fired_q;
  assign epoch_o = epoch_q;
  assign placed_o = placed_q;
  assign place_o = place_q;

endmodule
