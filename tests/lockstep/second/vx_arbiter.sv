// SPDX-License-Identifier: Apache-2.0

// A second vx_arbiter, written apart: one request is put in front of the others, or none.
module vx_arbiter #(
    parameter int unsigned NumIn = 4,
    parameter int unsigned Cyclic = 1,
    parameter int unsigned Sticky = 0,
    localparam int unsigned IdW = (NumIn > 1) ? $clog2(NumIn) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic [NumIn-1:0] request_i,
    output logic [NumIn-1:0] grant_o,
    output logic [  IdW-1:0] choice_o,
    input  logic             ready_i
);

  // One bit a request: who was granted last (sticky), or stands behind that one (cyclic).
  logic [NumIn-1:0] front, preferred, first;
  logic any;

  assign any = |request_i;
  assign preferred = request_i & front;
  assign first = request_i & (~request_i + NumIn'(1));
  assign grant_o = (preferred != '0) ? preferred : first;

  if (Cyclic != 0 || Sticky != 0) begin : g_front
    logic [NumIn-1:0] front_q, next;
    if (Cyclic != 0) begin : g_cyclic
      // The pointer is input 0 after reset and before it.
      logic moved_q;
      assign front = moved_q ? front_q : NumIn'(1);
      assign next  = {grant_o[NumIn-2:0], grant_o[NumIn-1]};
      always_ff @(posedge clk_i) begin
        moved_q <= !rst_i && (moved_q || (any && ready_i));
      end
    end else begin : g_sticky
      assign front = front_q;
      assign next  = grant_o;
    end
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        front_q <= '0;
      end else if (any && ready_i) begin
        front_q <= next;
      end
    end
  end else begin : g_none
    assign front = '0;
  end

  always_comb begin
    choice_o = ((NumIn & (NumIn - 1)) == 0 && NumIn > 1) ? IdW'(NumIn - 1) : '0;
    if (any) begin
      choice_o = '0;
      for (int unsigned i = 0; i < NumIn; i++) begin
        if (grant_o[i]) choice_o |= IdW'(i);
      end
    end
  end

endmodule
