// SPDX-License-Identifier: Apache-2.0

// Order of the rows: of admission, of every walk over them (muon-designs §1 alloc_order, §4), and
// what in_order_per_warp lets a row do (muon-issue §5).
module issue_x_order #(
    parameter logic [31:0] RsEntries = 8,
    parameter logic [31:0] WarpW = 3,
    parameter logic [31:0] AllocOrder = 0,
    parameter logic [31:0] InOrderPerWarp = 0
) (
    input logic clk_i,

    input logic [      RsEntries-1:0] admit_i,       // the row that is filled
    input logic [      RsEntries-1:0] valid_i,
    input logic [RsEntries*WarpW-1:0] wid_i,
    input logic [      RsEntries-1:0] uncollected_i, // an operand is yet to be read

    output logic [          RsEntries-1:0] oldest_o,       // of its warp; all 1 without the rule
    output logic [          RsEntries-1:0] may_collect_o,  // all older ones of its warp have
    // Row r is the nth of a walk: bit r of element n. Rows that are not valid are in none.
    output logic [RsEntries*RsEntries-1:0] walk_o
);

  logic [RsEntries*RsEntries-1:0] older;  // than row r: element r

  // Of two rows one bit says which was admitted first. It matters while both are valid: no reset.
  for (genvar row = 0; row < RsEntries; row++) begin : g_age
    for (genvar other = 0; other < row; other++) begin : g_other
      logic before_q;
      always_ff @(posedge clk_i) begin
        if (admit_i[row] || admit_i[other]) begin
          before_q <= admit_i[row];
        end
      end
      assign older[row*RsEntries+other] = before_q && valid_i[other];
      assign older[other*RsEntries+row] = !before_q && valid_i[row];
    end
    assign older[row*RsEntries+row] = 1'b0;
  end

  if (InOrderPerWarp != 0) begin : g_in_order
    for (genvar row = 0; row < RsEntries; row++) begin : g_row
      logic [RsEntries-1:0] ahead;
      for (genvar other = 0; other < RsEntries; other++) begin : g_ahead
        assign ahead[other] = older[row*RsEntries+other] &&
            (wid_i[other*WarpW+:WarpW] == wid_i[row*WarpW+:WarpW]);
      end
      assign oldest_o[row] = (ahead == '0);
      assign may_collect_o[row] = ((ahead & uncollected_i) == '0);
    end
  end else begin : g_any_order
    logic unused_wid;
    assign unused_wid = ^{wid_i, uncollected_i};
    assign oldest_o = '1;
    assign may_collect_o = '1;
  end

  if (AllocOrder == 0) begin : g_by_index
    for (genvar row = 0; row < RsEntries; row++) begin : g_row
      assign walk_o[row*RsEntries+:RsEntries] =
          valid_i[row] ? (RsEntries'(1) << row) : RsEntries'(0);
    end
  end else begin : g_by_age
    localparam logic [31:0] CountW = $clog2(RsEntries + 1);
    logic [RsEntries*CountW-1:0] ahead;
    always_comb begin
      for (int unsigned row = 0; row < RsEntries; row++) begin
        ahead[row*CountW+:CountW] = '0;
        for (int unsigned other = 0; other < RsEntries; other++) begin
          ahead[row*CountW+:CountW] += CountW'(older[row*RsEntries+other]);
        end
      end
      for (int unsigned n = 0; n < RsEntries; n++) begin
        for (int unsigned row = 0; row < RsEntries; row++) begin
          walk_o[n*RsEntries+row] = valid_i[row] && (ahead[row*CountW+:CountW] == CountW'(n));
        end
      end
    end
  end

  logic unused_order;
  assign unused_order = ^{clk_i, admit_i, older};

endmodule
