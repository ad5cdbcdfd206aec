// SPDX-License-Identifier: Apache-2.0

// Performance counters, of 64 bits, each with what it counts in this cycle (muon-issue §5, muon-designs
// §11). One that is cleared does not count that cycle.
module issue_x_counters #(
    parameter  logic [31:0] Count = 1,
    parameter  logic [31:0] AddW  = 1,
    localparam logic [31:0] PerfW = 64
) (
    input logic clk_i,
    input logic clear_i,

    input  logic [ Count*AddW-1:0] add_i,
    output logic [Count*PerfW-1:0] count_o
);

  for (genvar n = 0; n < Count; n++) begin : g_counter
    logic [PerfW-1:0] count_q;
    always_ff @(posedge clk_i) begin
      if (clear_i) begin
        count_q <= '0;
      end else begin
        count_q <= count_q + PerfW'(add_i[n*AddW+:AddW]);
      end
    end
    assign count_o[n*PerfW+:PerfW] = count_q;
  end

endmodule
