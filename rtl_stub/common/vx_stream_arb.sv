// SPDX-License-Identifier: Apache-2.0

// Vortex's stream arbiter (vortex-issue §4.6). More than twelve inputs: arbiters of eight inputs each
// with buffers of their own, and one behind them, a cycle later.
module vx_stream_arb #(
    parameter logic [31:0] NumIn = 4,
    parameter logic [31:0] DataW = 8,
    parameter logic [31:0] Cyclic = 1,
    parameter logic [31:0] Sticky = 0,
    parameter logic [31:0] OutBuf = 3,
    localparam logic [31:0] IdW = (NumIn > 1) ? $clog2(NumIn) : 1
) (
    input logic clk_i,
    input logic rst_i,

    output logic [      NumIn-1:0] ready_o,
    input  logic [      NumIn-1:0] valid_i,
    input  logic [NumIn*DataW-1:0] data_i,

    input  logic             ready_i,
    output logic             valid_o,
    output logic [DataW-1:0] data_o,
    output logic [  IdW-1:0] choice_o  // the input that the data came from
);

  localparam logic [31:0] Fanout = 8;
  localparam logic [31:0] Slices = (NumIn > 12) ? (NumIn + Fanout - 1) / Fanout : 0;

  if (Slices == 0) begin : g_flat
    vx_stream_arb_flat #(
        .NumIn (NumIn),
        .DataW (DataW),
        .Cyclic(Cyclic),
        .Sticky(Sticky),
        .OutBuf(OutBuf)
    ) u_arb (
        .clk_i,
        .rst_i,
        .ready_o,
        .valid_i,
        .data_i,
        .ready_i,
        .valid_o,
        .data_o,
        .choice_o
    );
  end else begin : g_tree
    localparam logic [31:0] FanW = 3;
    localparam logic [31:0] JoinW = (Slices > 1) ? $clog2(Slices) : 1;
    localparam logic [31:0] ItemW = FanW + DataW;

    logic [Slices-1:0] ready, valid;
    logic [Slices*ItemW-1:0] items;
    logic [FanW-1:0] low;
    logic [JoinW-1:0] high;

    for (genvar slice = 0; slice < Slices; slice++) begin : g_slice
      localparam logic [31:0] First = slice * Fanout;
      localparam logic [31:0] Rest = NumIn - First;
      localparam logic [31:0] Here = (Rest < Fanout) ? Rest : Fanout;
      localparam logic [31:0] HereW = (Here > 1) ? $clog2(Here) : 1;

      logic [HereW-1:0] choice;

      vx_stream_arb_flat #(
          .NumIn (Here),
          .DataW (DataW),
          .Cyclic(Cyclic),
          .Sticky(Sticky),
          .OutBuf(3)
      ) u_arb (
          .clk_i,
          .rst_i,
          .ready_o (ready_o[First+:Here]),
          .valid_i (valid_i[First+:Here]),
          .data_i  (data_i[First*DataW+:Here*DataW]),
          .ready_i (ready[slice]),
          .valid_o (valid[slice]),
          .data_o  (items[slice*ItemW+:DataW]),
          .choice_o(choice)
      );

      assign items[slice*ItemW+DataW+:FanW] = FanW'(choice);
    end

    vx_stream_arb_flat #(
        .NumIn (Slices),
        .DataW (ItemW),
        .Cyclic(Cyclic),
        .Sticky(Sticky),
        .OutBuf(OutBuf)
    ) u_join (
        .clk_i,
        .rst_i,
        .ready_o (ready),
        .valid_i (valid),
        .data_i  (items),
        .ready_i,
        .valid_o,
        .data_o  ({low, data_o}),
        .choice_o(high)
    );

    assign choice_o = IdW'({high, low});
  end

endmodule
