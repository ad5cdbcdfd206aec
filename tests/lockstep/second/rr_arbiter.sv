// SPDX-License-Identifier: Apache-2.0

// Round-robin arbiter (muon-issue §1) as a ring of twice the inputs: a token starts behind the last
// granted input and goes on past what is not valid.
module rr_arbiter #(
    parameter  int unsigned NumIn = 8,
    localparam int unsigned IdW   = (NumIn > 1) ? $clog2(NumIn) : 1
) (
    input logic clk_i,

    input  logic [NumIn-1:0] valid_i,
    output logic [NumIn-1:0] ready_o,

    output logic           valid_o,
    input  logic           ready_i,
    output logic [IdW-1:0] choice_o
);

  logic [NumIn-1:0] first;  // one hot
  logic [NumIn-1:0] grant;
  logic [2*NumIn-1:0] token;

  // One hot as well; input 0 has no register and is the last one where no other is.
  if (NumIn > 1) begin : g_last
    logic [NumIn-1:1] last_q;

    always_ff @(posedge clk_i) begin
      if (valid_o && ready_i) last_q <= valid_i[NumIn-1:1] & grant[NumIn-1:1];
    end

    if (NumIn > 2) begin : g_many
      assign first = {last_q[NumIn-2:1], ~|last_q, last_q[NumIn-1]};
    end else begin : g_two
      assign first = {~last_q, last_q};
    end
  end else begin : g_alone
    assign first = 1'b1;
  end

  always_comb begin
    token = '0;
    for (int unsigned i = 0; i < 2 * NumIn; i++) begin
      token[i] = (i < NumIn) && first[i%NumIn];
      if (i > 0) token[i] |= token[(i+2*NumIn-1)%(2*NumIn)] && !valid_i[(i+NumIn-1)%NumIn];
    end
  end

  always_comb begin
    choice_o = (valid_i == '0) ? IdW'(NumIn - 1) : '0;
    for (int unsigned i = 0; i < NumIn; i++) begin
      if (valid_i[i] && grant[i]) choice_o |= IdW'(i);
    end
  end

  assign grant   = token[0+:NumIn] | token[NumIn+:NumIn];
  assign valid_o = |valid_i;
  assign ready_o = grant & {NumIn{ready_i}};

endmodule
