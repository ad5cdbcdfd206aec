// SPDX-License-Identifier: Apache-2.0

// Vortex's arbiters of types P and C (vortex-issue §4.5). Priority: the lowest. Cyclic: the one at
// the pointer, else the lowest of all, not the next one. Sticky: the last one granted, while it asks.
module vx_arbiter #(
    parameter logic [31:0] NumIn = 4,
    parameter logic [31:0] Cyclic = 1,
    parameter logic [31:0] Sticky = 0,
    localparam logic [31:0] IdW = (NumIn > 1) ? $clog2(NumIn) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [NumIn-1:0] request_i,
    output logic [NumIn-1:0] grant_o,    // one-hot; none without a request
    output logic [  IdW-1:0] choice_o,   // without a request: of a tree of selections
    input  logic             ready_i
);

  localparam bit PowerOfTwo = (NumIn & (NumIn - 1)) == 0;
  localparam logic [31:0] Idle = (NumIn > 1 && PowerOfTwo) ? NumIn - 1 : 0;

  logic fire;
  logic [IdW-1:0] lowest, turn;
  logic pointed;

  always_comb begin
    lowest = IdW'(Idle);
    for (int unsigned i = NumIn; i > 0; i--) begin
      if (request_i[i-1]) begin
        lowest = IdW'(i - 1);
      end
    end
  end

  if (Cyclic != 0) begin : g_cyclic
    logic [IdW-1:0] pointer_q;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        pointer_q <= '0;
      end else if (fire) begin
        pointer_q <= (choice_o == IdW'(NumIn - 1)) ? '0 : choice_o + IdW'(1);
      end
    end

    always_comb begin
      pointed = 1'b0;
      for (int unsigned i = 0; i < NumIn; i++) begin
        if ((pointer_q == IdW'(i)) && request_i[i]) begin
          pointed = 1'b1;
        end
      end
    end
    assign turn = pointer_q;
  end else if (Sticky != 0) begin : g_sticky
    // Kept when it stops to ask
    logic [NumIn-1:0] owner_q;

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        owner_q <= '0;
      end else if (fire) begin
        owner_q <= grant_o;
      end
    end

    always_comb begin
      pointed = 1'b0;
      turn = '0;
      for (int unsigned i = 0; i < NumIn; i++) begin
        if (owner_q[i] && request_i[i]) begin
          pointed = 1'b1;
          turn = IdW'(i);
        end
      end
    end
  end else begin : g_priority
    logic unused_state;
    assign unused_state = ^{clk_i, rst_i, fire};
    assign pointed = 1'b0;
    assign turn = '0;
  end

  assign choice_o = pointed ? turn : lowest;
  assign fire = (request_i != '0) && ready_i;

  for (genvar i = 0; i < NumIn; i++) begin : g_grant
    assign grant_o[i] = request_i[i] && (choice_o == IdW'(i));
  end

endmodule
