// SPDX-License-Identifier: Apache-2.0

// An issue port (muon-designs §4.4): a round-robin arbiter over rows and a one-deep output stage, whose
// contents no reset reaches. `shown_o` is what the stage holds, also while it is empty.
module issue_x_port #(
    parameter logic [31:0] RsEntries = 8,
    parameter logic [31:0] DataW = 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [      RsEntries-1:0] candidates_i,
    input  logic [RsEntries*DataW-1:0] data_i,        // of each row
    output logic [      RsEntries-1:0] dispatch_o,    // the row that leaves

    input  logic             ready_i,
    output logic             full_o,
    output logic [DataW-1:0] shown_o
);

  localparam logic [31:0] RowW = (RsEntries > 1) ? $clog2(RsEntries) : 1;

  logic full_q, stage_ready, dispatch_valid;
  logic [DataW-1:0] data_q;
  logic [RowW-1:0] choice;
  logic [RsEntries-1:0] grants;

  rr_arbiter #(
      .NumIn(RsEntries)
  ) u_arbiter (
      .clk_i,
      .valid_i (candidates_i),
      .ready_o (grants),
      .valid_o (dispatch_valid),
      .ready_i (stage_ready),
      .choice_o(choice)
  );

  assign stage_ready = !full_q || ready_i;
  assign dispatch_o  = candidates_i & grants;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      full_q <= 1'b0;
    end else begin
      full_q <= dispatch_valid || (full_q && !ready_i);
    end
    // They load in a reset cycle too.
    if (dispatch_valid && stage_ready) begin
      data_q <= data_i[32'(choice)*DataW+:DataW];
    end
  end

  assign full_o  = full_q;
  assign shown_o = data_q;

endmodule
