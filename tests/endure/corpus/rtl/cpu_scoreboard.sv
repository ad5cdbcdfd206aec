// SPDX-License-Identifier: Apache-2.0
// Scoreboard of a CPU that issues in order and writes back by tag, in any order.
module cpu_scoreboard #(
    parameter int NumRegs = 32,
    parameter int NumTags = 4
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       flush_i,
    input  logic                       issue_valid_i,
    output logic                       issue_ready_o,
    input  logic [$clog2(NumRegs)-1:0] issue_rd_i,
    input  logic [$clog2(NumRegs)-1:0] issue_rs1_i,
    input  logic [$clog2(NumRegs)-1:0] issue_rs2_i,
    output logic [$clog2(NumTags)-1:0] issue_tag_o,
    input  logic                       wb_valid_i,
    input  logic [$clog2(NumTags)-1:0] wb_tag_i,
    output logic [        NumTags-1:0] tag_used_o
);
  localparam int RegW = $clog2(NumRegs);
  localparam int TagW = $clog2(NumTags);

  logic [NumTags-1:0] used_q, used_d;
  logic [RegW-1:0] rd_q [NumTags];
  logic [TagW-1:0] free;
  logic hazard, any_free, issue;

  // Register 0 is never written.
  always_comb begin
    hazard   = 1'b0;
    any_free = 1'b0;
    free     = '0;
    for (int unsigned t = 0; t < NumTags; t++) begin
      if (used_q[t] && rd_q[t] != '0) begin
        hazard |= rd_q[t] == issue_rs1_i || rd_q[t] == issue_rs2_i || rd_q[t] == issue_rd_i;
      end
    end
    for (int t = int'(NumTags) - 1; t >= 0; t--) begin
      if (!used_q[t]) begin
        any_free = 1'b1;
        free     = TagW'(t);
      end
    end
  end
  assign issue_ready_o = any_free && !hazard;
  assign issue_tag_o = free;
  assign tag_used_o = used_q;
  assign issue = issue_valid_i && issue_ready_o;

  always_comb begin
    used_d = used_q;
    if (wb_valid_i) used_d[wb_tag_i] = 1'b0;
    if (issue) used_d[free] = 1'b1;
    if (flush_i) used_d = '0;
  end

  always_ff @(posedge clk_i) begin
    if (issue) rd_q[free] <= issue_rd_i;
    used_q <= rst_ni ? used_d : '0;
  end
endmodule
