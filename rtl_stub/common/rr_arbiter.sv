// SPDX-License-Identifier: Apache-2.0

// Round-robin arbiter (muon-issue §1). Inputs beyond the last granted one come first, each group in
// ascending order. What is offered stays offered until it is taken or an input of higher priority
// becomes valid.
module rr_arbiter #(
    parameter  int unsigned NumIn = 8,
    localparam int unsigned IdW   = (NumIn > 1) ? $clog2(NumIn) : 1
) (
    input logic clk_i,

    input  logic [NumIn-1:0] valid_i,
    output logic [NumIn-1:0] ready_o,  // does not depend on the input's own valid

    output logic           valid_o,
    input  logic           ready_i,
    output logic [IdW-1:0] choice_o  // the highest input when none is valid
);

  logic [NumIn-1:0] later;  // than the last granted input
  logic [NumIn-1:0] valid_later;
  logic [NumIn-1:0] grant;

  // The last granted input has no reset: unknown until the first grant.
  if (NumIn > 1) begin : g_last
    logic [IdW-1:0] last_q;

    always_ff @(posedge clk_i) begin
      if (valid_o && ready_i) begin
        last_q <= choice_o;
      end
    end

    assign later[0] = 1'b0;
    for (genvar i = 1; i < NumIn; i++) begin : g_later
      assign later[i] = {1'b0, last_q} < (IdW + 1)'(i);
    end
  end else begin : g_no_last
    logic unused_clk;
    assign unused_clk = clk_i;
    assign later = '0;
  end

  assign valid_later = valid_i & later;

  always_comb begin
    choice_o = IdW'(NumIn - 1);
    for (int unsigned i = NumIn; i > 0; i--) begin
      if (valid_i[i-1]) begin
        choice_o = IdW'(i - 1);
      end
    end
    for (int unsigned i = NumIn; i > 0; i--) begin
      if (valid_later[i-1]) begin
        choice_o = IdW'(i - 1);
      end
    end
  end

  for (genvar i = 0; i < NumIn; i++) begin : g_grant
    if (i == 0) begin : g_first
      assign grant[i] = later[i] || (valid_later == '0);
    end else begin : g_behind
      assign grant[i] = (later[i] && (valid_later[i-1:0] == '0)) ||
                        ((valid_later == '0) && (valid_i[i-1:0] == '0));
    end
  end

  assign valid_o = (valid_i != '0);
  assign ready_o = ready_i ? grant : '0;

endmodule
