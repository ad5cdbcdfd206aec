// SPDX-License-Identifier: Apache-2.0

// Program order of the rows of each warp (muon-issue §5, in_order_per_warp): numbers that wrap, one
// an admission, twice as many as rows.
module reservation_station_order #(
    parameter logic [31:0] NumWarps = 8,
    parameter logic [31:0] RsEntries = 8,
    localparam logic [31:0] WarpW = (NumWarps > 1) ? $clog2(NumWarps) : 1
) (
    input logic clk_i,
    input logic rst_i,

    input logic [RsEntries-1:0] admit_i,     // the row that is filled
    input logic [    WarpW-1:0] admit_wid_i,

    input  logic [      RsEntries-1:0] valid_i,
    input  logic [RsEntries*WarpW-1:0] wid_i,
    input  logic [      RsEntries-1:0] uncollected_i,
    output logic [      RsEntries-1:0] oldest_o,       // no valid row of the warp is older
    output logic [      RsEntries-1:0] may_request_o   // no older one has still to request
);

  localparam logic [31:0] SeqW = $clog2(RsEntries) + 1;

  logic [NumWarps*SeqW-1:0] next_q;  // number of the warp's next admission
  logic [RsEntries*SeqW-1:0] seq_q;
  logic [SeqW-1:0] admit_seq;

  always_comb begin
    admit_seq = '0;
    for (int unsigned warp = 0; warp < NumWarps; warp++) begin
      if (admit_wid_i == WarpW'(warp)) begin
        admit_seq = next_q[warp*SeqW+:SeqW];
      end
    end
  end

  for (genvar warp = 0; warp < NumWarps; warp++) begin : g_warp
    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        next_q[warp*SeqW+:SeqW] <= '0;
      end else if ((admit_i != '0) && (admit_wid_i == WarpW'(warp))) begin
        next_q[warp*SeqW+:SeqW] <= admit_seq + 1'b1;
      end
    end
  end

  for (genvar row = 0; row < RsEntries; row++) begin : g_row
    logic [RsEntries-1:0] older;  // rows that come before this one

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        seq_q[row*SeqW+:SeqW] <= '0;
      end else if (admit_i[row]) begin
        seq_q[row*SeqW+:SeqW] <= admit_seq;
      end
    end

    for (genvar other = 0; other < RsEntries; other++) begin : g_other
      logic [SeqW-1:0] distance;
      assign distance = seq_q[row*SeqW+:SeqW] - seq_q[other*SeqW+:SeqW];
      assign older[other] = valid_i[other] && (distance != '0) && !distance[SeqW-1] &&
                            (wid_i[other*WarpW+:WarpW] == wid_i[row*WarpW+:WarpW]);
    end

    assign oldest_o[row] = (older == '0);
    assign may_request_o[row] = ((older & uncollected_i) == '0);
  end

endmodule
