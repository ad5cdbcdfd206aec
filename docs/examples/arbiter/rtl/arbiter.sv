// SPDX-License-Identifier: Apache-2.0
// Round robin: the first request from the one behind the last that was served. A grant counts when
// it is taken.
module arbiter #(
    parameter int N = 4
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic [        N-1:0] req_i,
    output logic [        N-1:0] gnt_o,
    output logic                 valid_o,
    input  logic                 ready_i,
    output logic [$clog2(N)-1:0] idx_o
);
  logic [$clog2(N)-1:0] next_q;

  assign valid_o = |req_i;
  assign gnt_o   = valid_o && ready_i ? N'(1) << idx_o : '0;

  always_comb begin
    idx_o = next_q;
    for (int unsigned i = N; i > 0; i--) begin
      if (req_i[(32'(next_q)+i-1)%N]) idx_o = $clog2(N)'((32'(next_q) + i - 1) % N);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) next_q <= '0;
    else if (valid_o && ready_i) next_q <= $clog2(N)'((32'(idx_o) + 1) % N);
  end
endmodule
