// SPDX-License-Identifier: Apache-2.0
// The arbiter of docs/examples, written anew: the last grant as one hot bit, the lock inverted.
module rr_arbiter #(
    parameter int Num = 4
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic [        Num-1:0] req,
    input  logic                   lock,
    input  logic                   accept,
    output logic                   gnt_valid,
    output logic [        Num-1:0] gnt,
    output logic [$clog2(Num)-1:0] gnt_id
);
  logic [Num-1:0] last_q, above;
  logic free_q;

  assign above = req & ~((last_q - 1'b1) | last_q);
  assign gnt_valid = req != '0;

  always_comb begin
    gnt = above != '0 ? above & (~above + 1'b1) : req & (~req + 1'b1);
    if (!free_q && (req & last_q) != '0) gnt = last_q;
    gnt_id = '0;
    for (int i = 0; i < Num; i++) if (gnt[i]) gnt_id = ($clog2(Num))'(i);
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      last_q <= {1'b1, {(Num - 1) {1'b0}}};
      free_q <= 1'b1;
    end else if (gnt_valid && accept) begin
      last_q <= gnt;
      free_q <= !lock;
    end else if ((req & last_q) == '0) begin
      free_q <= 1'b1;
    end
  end
endmodule
