// SPDX-License-Identifier: Apache-2.0

// One of four requests is granted in turn, by a binary tree whose nodes are bits of vectors: bits of
// a vector drive other bits of it, and no gate drives itself.
module grant_tree (
    input  logic       clk_i,
    input  logic       rst_i,
    input  logic [3:0] req_i,
    input  logic       take_i,
    output logic [3:0] gnt_o
);
  logic [2:0] wanted, taken;
  logic [1:0] turn_q;

  always_ff @(posedge clk_i) begin
    if (rst_i) turn_q <= '0;
    else if (take_i) turn_q <= turn_q + 1;
  end

  assign taken[0] = take_i;
  for (genvar level = 0; level < 2; level++) begin : g_level
    for (genvar node = 0; node < 2 ** level; node++) begin : g_node
      localparam int unsigned At = 2 ** level - 1 + node;
      localparam int unsigned Below = 2 ** (level + 1) - 1 + 2 * node;
      logic right;
      if (level == 1) begin : g_leaf
        assign wanted[At] = req_i[2*node] | req_i[2*node+1];
        assign right = ~req_i[2*node] | req_i[2*node+1] & turn_q[0];
        assign gnt_o[2*node] = taken[At] & req_i[2*node] & ~right;
        assign gnt_o[2*node+1] = taken[At] & req_i[2*node+1] & right;
      end else begin : g_inner
        assign wanted[At] = wanted[Below] | wanted[Below+1];
        assign right = ~wanted[Below] | wanted[Below+1] & turn_q[1];
        assign taken[Below] = taken[At] & ~right;
        assign taken[Below+1] = taken[At] & right;
      end
    end
  end
endmodule
