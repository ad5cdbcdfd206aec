// SPDX-License-Identifier: Apache-2.0
// Round-robin arbiter whose grant can be locked.
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
  localparam int IdW = $clog2(Num);

  logic [IdW-1:0] last_q;
  logic locked_q;

  logic found;
  logic [IdW-1:0] at;

  always_comb begin
    found  = locked_q && req[last_q];
    gnt_id = last_q;
    at     = last_q;
    for (int unsigned i = 1; i <= Num; i++) begin
      at = IdW'((32'(last_q) + i) % Num);
      if (!found && req[at]) begin
        found  = 1'b1;
        gnt_id = at;
      end
    end
  end
  assign gnt_valid = |req;
  assign gnt = gnt_valid ? Num'(1) << gnt_id : '0;

  always_ff @(posedge clk) begin
    if (rst) begin
      last_q   <= IdW'(Num - 1);
      locked_q <= 1'b0;
    end else if (gnt_valid && accept) begin
      last_q   <= gnt_id;
      locked_q <= lock;
    end else if (!req[last_q]) begin
      locked_q <= 1'b0;
    end
  end
endmodule
