// SPDX-License-Identifier: Apache-2.0

// Order of the rows: the walk takes the oldest of those that are left, one after the other.
module issue_x_order #(
    parameter int unsigned RsEntries = 8,
    parameter int unsigned WarpW = 3,
    parameter int unsigned AllocOrder = 0,
    parameter int unsigned InOrderPerWarp = 0
) (
    input logic clk_i,

    input logic [      RsEntries-1:0] admit_i,
    input logic [      RsEntries-1:0] valid_i,
    input logic [RsEntries*WarpW-1:0] wid_i,
    input logic [      RsEntries-1:0] uncollected_i,

    output logic [          RsEntries-1:0] oldest_o,
    output logic [          RsEntries-1:0] may_collect_o,
    output logic [RsEntries*RsEntries-1:0] walk_o
);

  // Bit o of element r: row o was admitted before row r. Only pairs with o below r are kept.
  logic [RsEntries-1:0] ahead[RsEntries];
  for (genvar row = 0; row < RsEntries; row++) begin : g_age
    logic [RsEntries-1:0] before_q;
    always_ff @(posedge clk_i) begin
      if (admit_i[row]) begin
        before_q <= '1;
      end else begin
        before_q <= before_q & ~admit_i;
      end
    end
    for (genvar other = 0; other < RsEntries; other++) begin : g_other
      if (other < row) begin : g_kept
        assign ahead[row][other] = before_q[other];
      end else if (other > row) begin : g_told
        assign ahead[row][other] = !g_age[other].before_q[row];
      end else begin : g_self
        assign ahead[row][other] = 1'b0;
      end
    end
  end

  for (genvar row = 0; row < RsEntries; row++) begin : g_row
    logic [RsEntries-1:0] mine;
    for (genvar other = 0; other < RsEntries; other++) begin : g_mine
      assign mine[other] = (InOrderPerWarp != 0) && valid_i[other] && ahead[row][other] &&
          (wid_i[other*WarpW+:WarpW] == wid_i[row*WarpW+:WarpW]);
    end
    assign oldest_o[row] = (mine == '0);
    assign may_collect_o[row] = ((mine & uncollected_i) == '0);
  end

  logic [RsEntries-1:0] left;
  always_comb begin
    walk_o = '0;
    left   = valid_i;
    for (int unsigned n = 0; n < RsEntries; n++) begin
      if (AllocOrder == 0) begin
        walk_o[n*RsEntries+n] = valid_i[n];
      end else begin
        for (int unsigned row = 0; row < RsEntries; row++) begin
          walk_o[n*RsEntries+row] = left[row] && ((left & ahead[row]) == '0);
        end
        left &= ~walk_o[n*RsEntries+:RsEntries];
      end
    end
  end

endmodule
