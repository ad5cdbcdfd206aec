// SPDX-License-Identifier: Apache-2.0

// The write in service (muon-designs §6.3): the one that is offered, or with a buffer the oldest one
// stored, that no pending read of its register's old value refuses.
module issue_x_writes #(
    parameter logic [31:0] NumPregs = 256,
    parameter logic [31:0] NumLanes = 16,
    parameter logic [31:0] LaneBits = 32,
    parameter logic [31:0] WbBuffer = 0,
    localparam logic [31:0] PregW = $clog2(NumPregs),
    localparam logic [31:0] RegBits = NumLanes * LaneBits
) (
    input logic clk_i,
    input logic rst_i,

    output logic                writeback_ready_o,
    input  logic                writeback_valid_i,
    input  logic [   PregW-1:0] writeback_rd_i,
    input  logic [NumLanes-1:0] writeback_tmask_i,
    input  logic [ RegBits-1:0] writeback_data_i,

    input logic [NumPregs-1:0] refused_i,  // writes of these registers

    output logic                valid_o,
    output logic [   PregW-1:0] rd_o,
    output logic [NumLanes-1:0] tmask_o,
    output logic [ RegBits-1:0] data_o,
    input  logic                done_i,    // it is committed in this cycle
    output logic                stalled_o  // there are writes, and all are refused
);

  if (WbBuffer == 0) begin : g_direct
    logic unused_clk;
    assign unused_clk = ^{clk_i, rst_i};
    assign valid_o = writeback_valid_i && !refused_i[writeback_rd_i];
    assign rd_o = writeback_rd_i;
    assign tmask_o = writeback_tmask_i;
    assign data_o = writeback_data_i;
    assign writeback_ready_o = done_i || !writeback_valid_i;
    assign stalled_o = writeback_valid_i && !valid_o;
  end else begin : g_buffer
    localparam logic [31:0] ItemW = PregW + NumLanes + RegBits;
    localparam logic [31:0] CountW = $clog2(WbBuffer + 1);
    localparam logic [31:0] IndexW = (WbBuffer > 1) ? $clog2(WbBuffer) : 1;

    logic [ItemW-1:0] item_q[WbBuffer];  // the oldest first
    logic [CountW-1:0] count_q, count_left;
    logic serving_q;  // the one in service stays there
    logic [IndexW-1:0] serving_at_q, at;
    logic found, push;

    always_comb begin
      found = serving_q;
      at = serving_at_q;
      for (int unsigned n = WbBuffer; n > 0; n--) begin
        if (!serving_q && (CountW'(n - 1) < count_q) &&
            !refused_i[item_q[n-1][NumLanes+RegBits+:PregW]]) begin
          found = 1'b1;
          at = IndexW'(n - 1);
        end
      end
    end

    assign valid_o = found;
    assign {rd_o, tmask_o, data_o} = found ? item_q[at] : '0;
    assign writeback_ready_o = (count_q != CountW'(WbBuffer));
    assign stalled_o = (count_q != '0) && !found;
    assign push = writeback_valid_i && writeback_ready_o;
    assign count_left = count_q - CountW'(done_i);

    always_ff @(posedge clk_i) begin
      if (rst_i) begin
        count_q <= '0;
        serving_q <= 1'b0;
        serving_at_q <= '0;
      end else begin
        count_q <= count_left + CountW'(push);
        serving_q <= found && !done_i;
        serving_at_q <= at;
      end
      for (int unsigned n = 0; n < WbBuffer; n++) begin
        if (push && (count_left == CountW'(n))) begin
          item_q[n] <= {writeback_rd_i, writeback_tmask_i, writeback_data_i};
        end else if (done_i && (n + 1 < WbBuffer) && (IndexW'(n) >= at)) begin
          item_q[n] <= item_q[(n+1<WbBuffer)?n+1 : n];
        end
      end
    end
  end

endmodule
